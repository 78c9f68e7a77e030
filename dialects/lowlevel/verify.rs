//! The rules of systems and of single steps: C26 to C30 and C33 to C36.
use crate::{
    hom, ir,
    ir::{Op, OpView},
    lowlevel::{
        Scalar,
        roles::{core_role, memory_role},
    },
    pass::Failure,
    schedule::{
        model::{Level, Placement, Tag},
        roles,
        rules::{count_text, part_count_violation},
    },
    verify::{Symbols, Verified, defined_before, list, mda},
};
use melior::ir::{Attribute, ValueLike};

/// C26: the layers of a system; C33 to C36: their roles.
pub(crate) fn system(operation: Op<'_>) -> Verified<'_> {
    let fail = |message: String| Err(Failure::new(operation, format!("C26: requires {message}")));
    let names = |name: &str| {
        let list = list(operation, name);
        list.map(|list| list.into_iter().filter_map(ir::string_attribute).collect::<Vec<_>>())
    };
    let (memory, cores) = (names("memory").unwrap_or_default(), names("cores").unwrap_or_default());
    if memory.is_empty() {
        return fail("at least one memory layer".to_owned());
    }
    let layers: Vec<_> = memory.iter().chain(&cores).copied().collect();
    for (i, &name) in layers.iter().enumerate() {
        if name.is_empty() {
            return fail("layers with a name, but one is empty".to_owned());
        }
        if !is_identifier(name) {
            let name = escaped(name);
            return fail(format!(
                "names of letters, digits and _ that start with no digit for layers, but one is \"{name}\""
            ));
        }
        if layers[..i].contains(&name) {
            return fail(format!("layers with different names, but {name} occurs twice"));
        }
    }
    let core_count = cores.len();
    if let Some(combine) = names("combine") {
        if combine.len() != core_count {
            let count = combine.len();
            return fail(format!("a region in combine for each of the {core_count} core layers, but has {count}"));
        }
        if let Some(region) = combine.iter().find(|region| !memory.contains(region)) {
            return fail(format!("memory layers in combine, but has {region}"));
        }
    }
    if let Some(limits) = ir::attribute(operation, "limit").and_then(ir::dense_array_attribute) {
        if limits.len() != core_count {
            return fail(format!("a limit for each of the {core_count} core layers, but has {}", limits.len()));
        }
        if let Some(limit) = limits.iter().find(|&&limit| limit < 1 && limit != DYNAMIC) {
            return fail(format!("limits of at least 1 or ?, but has {limit}"));
        }
    }
    let memory_roles = list(operation, "memory_roles").map(|list| list.into_iter().filter_map(memory_role));
    let core_roles = list(operation, "core_roles").map(|list| list.into_iter().filter_map(core_role));
    if memory_roles.is_none() && core_roles.is_none() {
        return Ok(());
    }
    let has_both = memory_roles.is_some() && core_roles.is_some();
    let memory_roles: Vec<_> = memory_roles.into_iter().flatten().collect();
    let core_roles: Vec<_> = core_roles.into_iter().flatten().collect();
    if !has_both || memory_roles.len() != memory.len() || core_roles.len() != cores.len() {
        let message = format!(
            "C33: requires a role for each of the {} memory layers and {} core layers, but has {} and {}",
            memory.len(),
            cores.len(),
            memory_roles.len(),
            core_roles.len()
        );
        return Err(Failure::new(operation, message));
    }
    let memory: Vec<_> = memory.into_iter().zip(memory_roles).collect();
    let cores: Vec<_> = cores.into_iter().zip(core_roles).collect();
    roles::check(&memory, &cores).map_err(|message| Failure::new(operation, message))
}

/// The value of `?` in attributes.
const DYNAMIC: i64 = i64::MIN;

/// True if schedule files can write a name inside of strings such as "HM[1, 2]" and "COR,x".
fn is_identifier(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.starts_with(|first: char| first.is_ascii_digit()) && name.bytes().all(is_known)
}

/// Escapes a text for a string literal in MLIR syntax.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'\\' => escaped.push_str("\\\\"),
            b'"' | 0..0x20 | 0x7f.. => escaped.push_str(&format!("\\{byte:02X}")),
            _ => escaped.push(char::from(byte)),
        }
    }
    escaped
}

/// C27: the level and the part count of a step.
fn level(operation: Op<'_>) -> Verified<'_> {
    let fail = |message: String| Err(Failure::new(operation, message));
    let number = |name: &str| ir::attribute(operation, name).and_then(ir::integer_attribute).unwrap_or_default();
    let (layer, dimension, parts) = (number("layer"), number("dimension"), number("parts"));
    let rank = mda(ir::operands(operation).first()).0.len();
    if layer < 1 {
        return fail(format!("C27: requires a layer of at least 1, but it is {layer}"));
    }
    if dimension < 1 || dimension as u64 > rank as u64 {
        return fail(format!("C27: requires a dimension from 1 to {rank}, but it is {dimension}"));
    }
    let level = Level { layer: layer as usize - 1, dimension: dimension as usize - 1 };
    match part_count_violation(level, parts.into()).filter(|_| parts != DYNAMIC) {
        Some(message) => fail(message),
        None => Ok(()),
    }
}

/// C28: all elements of a list are of the required kind.
fn kinds<'c>(operation: Op<'c>, name: &str, wanted: &str, is_kind: impl Fn(Attribute<'c>) -> bool) -> Verified<'c> {
    match list(operation, name).into_iter().flatten().find(|attribute| !is_kind(*attribute)) {
        Some(other) => Err(Failure::new(operation, format!("C28: requires {wanted} in {name}, but has {other}"))),
        None => Ok(()),
    }
}

fn placements<'c>(operation: Op<'c>, name: &str) -> Verified<'c> {
    kinds(operation, name, "placements", |attribute| Placement::from_attribute(attribute).is_some())
}

pub(crate) fn decompose(operation: Op<'_>) -> Verified<'_> {
    defined_before(operation)?;
    level(operation)?;
    placements(operation, "reads")
}

/// C29: the operator and the result type of a re-composition step.
pub(crate) fn recompose(operation: Op<'_>) -> Verified<'_> {
    defined_before(operation)?;
    level(operation)?;
    placements(operation, "writes")?;
    let fail = |message: String| Err(Failure::new(operation, format!("C29: requires {message}")));
    let operator = ir::attribute(operation, "combine");
    let reduces = match operator.and_then(|operator| hom::combine_operator(operator, 1)) {
        Some(operator) => operator.reduces(),
        None => {
            let operator = operator.map(|operator| operator.to_string()).unwrap_or_default();
            return fail(format!("#mdh.cc, #mdh.pw or #mdh.ps as operator, but has {operator}"));
        }
    };
    let (operands, results) = (ir::operands(operation), ir::results(operation));
    let ((before, taken), (after, made)) = (mda(operands.first()), mda(results.first()));
    if taken != made {
        let (before, after) = (operands[0].r#type(), results[0].r#type());
        return fail(format!(
            "a result with the components of its operand, but the types are '{before}' and '{after}'"
        ));
    }
    if before.len() != after.len() {
        return fail(format!("a result with {} extents, but it has {}", before.len(), after.len()));
    }
    let dimension = ir::attribute(operation, "dimension").and_then(ir::integer_attribute);
    for (d, (before, after)) in before.iter().zip(&after).enumerate() {
        let collapses = reduces && dimension == Some(d as i64 + 1);
        if !collapses && before != after {
            return fail(format!(
                "extent {} of the result in dimension {}, but it has {}",
                count_text(*before),
                d + 1,
                count_text(*after)
            ));
        }
    }
    Ok(())
}

/// C17 to C19 for the operator of a step.
pub(crate) fn operator<'c>(operation: Op<'c>, symbols: &Symbols<'_>) -> Verified<'c> {
    let dimension = ir::attribute(operation, "dimension").and_then(ir::integer_attribute).unwrap_or(1);
    let (_, tuple) = mda(ir::operands(operation).first());
    match ir::attribute(operation, "combine") {
        Some(combine) => hom::verify::operator_fits(operation, combine, dimension, &tuple, symbols),
        None => Ok(()),
    }
}

/// C30, and S1 for the order: the scalar phase.
pub(crate) fn scalar(operation: Op<'_>) -> Verified<'_> {
    defined_before(operation)?;
    kinds(operation, "order", "rows of positions", |row| ir::dense_array_attribute(row).is_some())?;
    kinds(operation, "tags", "tags", |tag| Tag::from_attribute(tag).is_some())?;
    placements(operation, "reads")?;
    placements(operation, "writes")?;
    let fail = |message: String| Err(Failure::new(operation, message));
    let (operands, results) = (ir::operands(operation), ir::results(operation));
    let ((before, _), (after, made)) = (mda(operands.first()), mda(results.first()));
    if before != after {
        let (before, after) = (operands[0].r#type(), results[0].r#type());
        return fail(format!(
            "C30: requires a result with the extents of its operand, but the types are '{before}' and '{after}'"
        ));
    }
    if made.is_empty() {
        return fail("C30: requires at least one component of the result".to_owned());
    }
    hom::verify::dimension_names(operation, before.len())?;
    if let Some(at) = ir::attribute(operation, super::ops::AT)
        && Scalar::cast(operation).is_some_and(|scalar| scalar.at().is_none())
    {
        return fail(format!(
            "C39: requires the number of a computation, a layer and a dimension of at least 1 in at, but has {at}"
        ));
    }
    let rows = list(operation, "order").unwrap_or_default();
    if rows.is_empty() {
        return fail("S1: requires an order with a row for each layer, but it is empty".to_owned());
    }
    let (rank, count) = (before.len(), rows.len() * before.len());
    let mut seen = vec![false; count];
    for (layer, row) in rows.into_iter().enumerate() {
        let row = ir::dense_array_attribute(row).unwrap_or_default();
        if row.len() != rank {
            return fail(format!(
                "S1: requires an order with a position for each of the {rank} dimensions, but layer {} has {}",
                layer + 1,
                row.len()
            ));
        }
        for position in row {
            let first = usize::try_from(position).ok().and_then(|p| seen.get_mut(p.checked_sub(1)?));
            let problem = match first {
                None => "is not among them",
                Some(true) => "occurs twice",
                Some(first) => {
                    *first = true;
                    continue;
                }
            };
            return fail(format!(
                "S1: requires an order that is a permutation of 1 to {count}, but {position} {problem}"
            ));
        }
    }
    Ok(())
}
