//! The rules of `mdh.compute`, the published form: C24.
use super::{Operator, verify::function_type};
use crate::{
    ir::{self, Number, Op, OpView, Val},
    pass::Failure,
    verify::{Symbols, Verified},
    view::{IndexMap, LARGEST_EXTENT, is_scalar},
};
use melior::ir::{Attribute, Type, ValueLike, r#type::FunctionType};

/// The elements of a dictionary entry of the computation; an error if the entry is not an array.
fn array<'c>(at: Op<'c>, dictionary: Option<Attribute<'c>>, key: &str) -> Result<Vec<Attribute<'c>>, Failure<'c>> {
    let entry = dictionary.and_then(|dictionary| ir::dictionary_entry(dictionary, key));
    entry.and_then(ir::array_attribute).ok_or_else(|| {
        let there = entry.map_or_else(|| "there is none".to_owned(), |entry| format!("it is {entry}"));
        Failure::new(at, format!("C24: requires an array as entry {key}, but {there}"))
    })
}

/// The `md_hom` dictionary of a computation.
fn md_hom<'c>(compute: Op<'c>) -> Option<Attribute<'c>> {
    ir::dictionary_entry(ir::attribute(compute, "computation")?, "md_hom").filter(|hom| ir::dictionary(*hom).is_some())
}

fn scalar_function<'c>(hom: Attribute<'c>) -> Option<Attribute<'c>> {
    ir::dictionary_entry(hom, "scalar_func").filter(|symbol| ir::symbol_attribute(*symbol).is_some())
}

/// The function of `["pw", @FUNCTION]` or `["ps", @FUNCTION]`.
fn combining_function<'c>(combine: Attribute<'c>) -> Option<Attribute<'c>> {
    let pair = ir::array_attribute(combine).filter(|pair| pair.len() == 2)?;
    let is_known = matches!(ir::string_attribute(pair[0]), Some("pw" | "ps"));
    Some(pair[1]).filter(|function| is_known && ir::symbol_attribute(*function).is_some())
}

/// C24: the entries of a computation.
pub(crate) fn compute(operation: Op<'_>) -> Verified<'_> {
    let fail = |message: String| Err(Failure::new(operation, format!("C24: requires {message}")));
    let sizes = array(operation, ir::attribute(operation, "types"), "mda_size")?;
    if sizes.is_empty() {
        return fail("at least one size in mda_size".to_owned());
    }
    for size in &sizes {
        let number = match ir::number_attribute(*size) {
            Some(Number::Integer(number)) if number >= 0 => Some(number),
            _ => None,
        };
        if number.is_none() && ir::string_attribute(*size) != Some("?") {
            return fail(format!("sizes of at least 0 or \"?\" in mda_size, but one is {size}"));
        }
        if number.is_some_and(|number| number > i128::from(LARGEST_EXTENT)) {
            return fail(format!("sizes of at most 2^62 in mda_size, but one is {size}"));
        }
    }
    let Some(hom) = md_hom(operation) else {
        return fail("an entry md_hom, a dictionary with scalar_func and combine_ops".to_owned());
    };
    if scalar_function(hom).is_none() {
        return fail("a symbol as scalar_func of md_hom".to_owned());
    }
    let operators = array(operation, Some(hom), "combine_ops")?;
    if operators.len() != sizes.len() {
        let (sizes, operators) = (sizes.len(), operators.len());
        return fail(format!("a combine operator for each of the {sizes} sizes, but combine_ops has {operators}"));
    }
    let is_wrong = |combine: &&Attribute<'_>| {
        ir::string_attribute(**combine) != Some("cc") && combining_function(**combine).is_none()
    };
    if let Some(combine) = operators.iter().find(is_wrong) {
        return fail(format!(
            "\"cc\", [\"pw\", @FUNCTION] or [\"ps\", @FUNCTION] in combine_ops, but one is {combine}"
        ));
    }
    view(operation, "inp_view", "inp_types", &ir::operands(operation), sizes.len())?;
    view(operation, "out_view", "out_types", &ir::results(operation), sizes.len())
}

/// C24: a view lists index functions of all dimensions for each buffer, and the element types agree with the listed
/// types.
fn view<'c>(operation: Op<'c>, view: &str, types: &str, buffers: &[Val<'c>], rank: usize) -> Verified<'c> {
    let fail = |message: String| Err(Failure::new(operation, format!("C24: requires {message}")));
    let accesses = array(operation, ir::attribute(operation, "computation"), view)?;
    let scalars = array(operation, ir::attribute(operation, "types"), types)?;
    for (key, list) in [(view, &accesses), (types, &scalars)] {
        if list.len() != buffers.len() {
            return fail(format!(
                "an entry in {key} for each of the {} buffers, but has {}",
                buffers.len(),
                list.len()
            ));
        }
    }
    for (i, ((bracket, scalar), buffer)) in accesses.into_iter().zip(scalars).zip(buffers).enumerate() {
        let number = i + 1;
        let Some(element) = ir::element_type(buffer.r#type()) else { continue };
        if ir::type_attribute(scalar) != Some(element) {
            return fail(format!(
                "entry {number} of {types} to be the element type of its buffer, '{element}', but it is {scalar}"
            ));
        }
        if !is_scalar(element) {
            return fail(format!(
                "f16, bf16, f32, f64, a signless integer or index as entry {number} of {types}, but it is '{element}'"
            ));
        }
        let maps = ir::array_attribute(bracket).unwrap_or_default();
        if maps.is_empty() {
            return fail(format!("at least one index function for buffer {number} of {view}"));
        }
        let fits = |attribute: &Attribute<'c>| {
            IndexMap::from_attribute(*attribute).is_some_and(|map| map.symbols == 0 && map.dimensions == rank)
        };
        if let Some(other) = maps.into_iter().find(|map| !fits(map)) {
            return fail(format!(
                "an index function of {rank} dimensions for buffer {number} of {view}, but it is {other}"
            ));
        }
    }
    Ok(())
}

/// The scalar tuple of a view: the element type of each buffer once for each of its accesses.
fn tuple<'c>(operation: Op<'c>, view: &str, buffers: Vec<Val<'c>>) -> Vec<Type<'c>> {
    let accesses = array(operation, ir::attribute(operation, "computation"), view).unwrap_or_default();
    let counts = accesses.into_iter().map(|bracket| ir::array_attribute(bracket).map_or(0, |bracket| bracket.len()));
    let elements = buffers.into_iter().filter_map(|buffer| ir::element_type(buffer.r#type()));
    counts.zip(elements).flat_map(|(count, element)| vec![element; count]).collect()
}

/// C24: the symbols are functions with a body and the required signature; operators may also be an `mdh.hom.operator`.
pub(crate) fn functions<'c>(operation: Op<'c>, symbols: &Symbols<'_>) -> Verified<'c> {
    let takes = tuple(operation, "inp_view", ir::operands(operation));
    let yields = tuple(operation, "out_view", ir::results(operation));
    let Some(hom) = md_hom(operation) else { return Ok(()) };
    let context = ir::context(operation);
    if let Some(symbol) = scalar_function(hom) {
        let wanted = FunctionType::new(context, &takes, &yields).into();
        function(operation, symbol, "scalar_func", wanted, symbols)?;
    }
    let twice = [yields.clone(), yields.clone()].concat();
    for symbol in array(operation, Some(hom), "combine_ops")?.into_iter().filter_map(combining_function) {
        function(operation, symbol, "operator", FunctionType::new(context, &twice, &yields).into(), symbols)?;
    }
    Ok(())
}

fn function<'c>(
    operation: Op<'c>,
    symbol: Attribute<'c>,
    role: &str,
    wanted: Type<'c>,
    symbols: &Symbols<'_>,
) -> Verified<'c> {
    let fail = |message: String| Failure::new(operation, format!("C24: requires a function {symbol} {message}"));
    let Some(found) = symbols.find_attribute(operation, symbol) else {
        return Err(fail(format!("as {role}, but there is no such symbol")));
    };
    let is_function = match ir::name(found) {
        "func.func" => true,
        Operator::NAME => role == "operator",
        _ => false,
    };
    let problem = match function_type(found).filter(|_| is_function).map(Type::from) {
        None => format!("is {}", ir::name(found)),
        Some(ty) if ty != wanted => format!("has type '{ty}'"),
        Some(_) if ir::body(found, 0).is_none() => "has no body".to_owned(),
        Some(_) => return Ok(()),
    };
    Err(fail(format!("of type '{wanted}' as {role}, but it {problem}")).with_note(found, "the symbol is here"))
}
