//! A schedule as a dictionary attribute: the JSON form of [`super::json`] in builtin attributes, with the system as a
//! symbol.
use crate::notation::{json, reader::Node};
use mdh_dialects::{
    ir::{self, Op, dictionary_of},
    schedule::{
        model::{ComputeAt, Placement, Schedule, System},
        rules::Shape,
    },
};
use melior::{
    Context,
    ir::{
        Attribute, AttributeLike,
        attribute::{
            ArrayAttribute, BoolAttribute, DenseI64ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute,
            StringAttribute,
        },
        r#type::IntegerType,
    },
};
use serde_json::{Map, Value, json};

/// Converts a schedule to a dictionary attribute; its system must be visible where the attribute is used.
pub fn of<'c>(schedule: &Schedule, context: &'c Context) -> Result<Attribute<'c>, String> {
    let mut value = json::to_value(schedule);
    leave_out_defaults(&mut value, schedule.system.outermost());
    value["system"] = json!(format!("@{}", schedule.system.name));
    attribute(context, &value).ok_or_else(|| format!("the schedule cannot be written as an attribute: {value}"))
}

/// Reads a schedule from an attribute of an operation; omitted fields are inferred from the computation, as for a
/// schedule file.
pub fn read(attribute: Attribute<'_>, shape: &Shape, from: Op<'_>) -> Result<Schedule, String> {
    json::read(&Node::root(&value(attribute)?), shape, &|name| System::resolve(from, name), false)
}

/// The position in a consumer that a schedule has, without the rest of it; `None` if it has none, or a wrong one.
pub fn position(schedule: Attribute<'_>) -> Option<ComputeAt> {
    let value = value(ir::dictionary_entry(schedule, "at")?).ok()?;
    json::read_at(&Node::root(&value)).ok()
}

/// Removes fields that reading restores, to keep printed IR short.
fn leave_out_defaults(schedule: &mut Value, outermost: &str) {
    let row_major = |order: &Value| {
        let rows = order.as_array().into_iter().flatten().filter_map(Value::as_array);
        let positions: Vec<_> = rows.flatten().filter_map(Value::as_u64).collect();
        positions.iter().copied().eq(1..=positions.len() as u64)
    };
    let decompose = schedule["decompose"].clone();
    for phase in ["decompose", "scalar", "recompose"] {
        let Some(fields) = schedule[phase].as_object_mut() else { continue };
        if phase != "decompose" {
            fields.retain(|key, value| !["order", "tags"].contains(&key.as_str()) || *value != decompose[key]);
        }
        if phase == "decompose" {
            fields.retain(|key, value| key != "order" || !row_major(value));
        }
        fields.retain(|key, value| {
            !["reads", "writes"].contains(&key.as_str()) || !is_default_placement(value, outermost)
        });
    }
    if let Some(fields) = schedule.as_object_mut() {
        fields.retain(|key, value| key != "version" && value.as_object().is_none_or(|phase| !phase.is_empty()));
    }
}

/// True if all placements are the outermost region with the identity layout.
fn is_default_placement(placements: &Value, outermost: &str) -> bool {
    match placements {
        Value::Array(list) => list.iter().all(|entry| is_default_placement(entry, outermost)),
        Value::String(text) => json::placement_from_text(text)
            .is_some_and(|placement| placement == Placement::new(outermost, 0..placement.layout.len())),
        _ => false,
    }
}

/// Converts a JSON value to an attribute; `None` if a number does not fit in 64 bits.
fn attribute<'c>(context: &'c Context, value: &Value) -> Option<Attribute<'c>> {
    Some(match value {
        Value::Null => Attribute::unit(context),
        Value::Bool(flag) => BoolAttribute::new(context, *flag).into(),
        Value::Number(number) => IntegerAttribute::new(IntegerType::new(context, 64).into(), number.as_i64()?).into(),
        Value::String(text) => match text.strip_prefix('@') {
            Some(symbol) => FlatSymbolRefAttribute::new(context, symbol).into(),
            None => StringAttribute::new(context, text).into(),
        },
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_u64) => {
            let numbers: Vec<_> = list.iter().map(Value::as_i64).collect::<Option<_>>()?;
            DenseI64ArrayAttribute::new(context, &numbers).into()
        }
        Value::Array(list) => {
            let entries: Vec<_> = list.iter().map(|value| attribute(context, value)).collect::<Option<_>>()?;
            ArrayAttribute::new(context, &entries).into()
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| Some((key.as_str(), attribute(context, value)?)));
            dictionary_of(context, &entries.collect::<Option<Vec<_>>>()?)
        }
    })
}

/// Converts an attribute to a JSON value.
fn value(attribute: Attribute<'_>) -> Result<Value, String> {
    if let Some(entries) = ir::dictionary(attribute) {
        let fields = entries.into_iter().map(|(key, entry)| Ok((key.to_owned(), value(entry)?)));
        return Ok(Value::Object(fields.collect::<Result<Map<_, _>, String>>()?));
    }
    if let Some(list) = ir::array_attribute(attribute) {
        return list.into_iter().map(value).collect();
    }
    if let Some(numbers) = ir::dense_array_attribute(attribute) {
        return Ok(json!(numbers));
    }
    if let Some(text) = ir::string_attribute(attribute).or_else(|| ir::symbol_attribute(attribute)) {
        return Ok(json!(text));
    }
    if let Some(number) = ir::integer_attribute(attribute) {
        return Ok(json!(number));
    }
    if attribute.is_unit() {
        return Ok(Value::Null);
    }
    Err(format!(
        "the schedule has the attribute {attribute}, but only dictionaries, arrays, strings and numbers are allowed"
    ))
}
