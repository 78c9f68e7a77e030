//! The rules of homomorphisms, scalar functions and operators: C11 to C23, C37, C38 and C43.
use super::{CombineOperator, DIMENSION_NAMES, Index, MdHom, Operator, Yield, builtin::BUILTINS, combine_operator};
use crate::{
    ffi::{self, Combine},
    ir::{self, Op, OpView, Val},
    lowlevel::Scalar,
    pass::Failure,
    schedule::rules::count_text,
    verify::{Symbols, Verified, defined_before, list, mda},
    view::{self, is_scalar},
};
use melior::ir::{Attribute, Type, TypeLike, ValueLike, r#type::FunctionType};

/// C11 and C12: the operators and the result type of a homomorphism.
pub(crate) fn md_hom(operation: Op<'_>) -> Verified<'_> {
    defined_before(operation)?;
    let fail = |message: String| Err(Failure::new(operation, message));
    let (before, _) = mda(ir::operands(operation).first());
    let (after, tuple) = mda(ir::results(operation).first());
    let combine = list(operation, "combine").unwrap_or_default();
    let rank = before.len();
    if combine.len() != rank {
        let count = combine.len();
        return fail(format!("C11: requires a combine operator for each of the {rank} dimensions, but has {count}"));
    }
    let mut wanted = vec![];
    for (d, (combine, extent)) in combine.iter().zip(&before).enumerate() {
        match combine_operator(*combine, 1) {
            Some(operator) if operator.reduces() => wanted.push(Some(1)),
            Some(_) => wanted.push(*extent),
            None => {
                let dimension = d + 1;
                return fail(format!(
                    "C11: requires #mdh.cc, #mdh.pw or #mdh.ps for dimension {dimension}, but has {combine}"
                ));
            }
        }
    }
    if after.len() != rank {
        return fail(format!("C12: requires a result with {rank} extents, but it has {}", after.len()));
    }
    if let Some((d, combine)) = combine.iter().enumerate().find(|(d, _)| wanted[*d] != after[*d]) {
        return fail(format!(
            "C12: requires extent {} of the result in dimension {} for {combine}, but it has {}",
            count_text(wanted[d]),
            d + 1,
            count_text(after[d])
        ));
    }
    if tuple.is_empty() {
        return fail("C12: requires at least one component of the result".to_owned());
    }
    dimension_names(operation, rank)?;
    let combine: Vec<_> = combine.into_iter().map(Some).collect();
    inits(operation, &combine, &before)
}

/// C43: the names of the dimensions of a homomorphism or of the scalar phase, if there are any.
pub(crate) fn dimension_names(operation: Op<'_>, rank: usize) -> Verified<'_> {
    let Some(names) = list(operation, DIMENSION_NAMES) else { return Ok(()) };
    let fail = |message: String| Err(Failure::new(operation, format!("C43: requires {message}")));
    if names.len() != rank {
        return fail(format!("a name for each of the {rank} dimensions in dimension_names, but has {}", names.len()));
    }
    let is_name = |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control());
    for (i, name) in names.iter().enumerate() {
        if !ir::string_attribute(*name).is_some_and(is_name) {
            return fail(format!("names without spaces in dimension_names, but one is {name}"));
        }
        if names[..i].contains(name) {
            return fail(format!("different names in dimension_names, but {name} occurs twice"));
        }
    }
    Ok(())
}

/// C37 and C38: the initial values of a homomorphism or of the scalar phase, if there are any. `combine`: the combine
/// operators by dimension; `None` is a concatenation. `extents`: those of the operand.
pub(crate) fn inits<'c>(operation: Op<'c>, combine: &[Option<Attribute<'c>>], extents: &[Option<u64>]) -> Verified<'c> {
    let inits = ir::operands(operation).split_off(1);
    if inits.is_empty() {
        return Ok(());
    }
    let fail = |message: String| Err(Failure::new(operation, message));
    let (_, tuple) = mda(ir::results(operation).first());
    if inits.len() != tuple.len() {
        let (count, given) = (tuple.len(), inits.len());
        return fail(format!(
            "C37: requires an initial value for each of the {count} components of the result, but has {given}"
        ));
    }
    let operators: Vec<_> = combine
        .iter()
        .map(|combine| combine.and_then(|combine| combine_operator(combine, tuple.len())))
        .map(|operator| operator.filter(CombineOperator::combines))
        .collect();
    let wanted: Vec<_> = operators
        .iter()
        .zip(extents)
        .map(|(operator, extent)| if operator.is_some() { Some(1) } else { *extent })
        .collect();
    for (i, (init, component)) in inits.iter().zip(&tuple).enumerate() {
        let (ty, number) = (init.r#type(), i + 1);
        let is_mda = view::mda_type(ty).is_some();
        let fits = match view::mda_type(ty) {
            Some((extents, scalars)) => extents == wanted && scalars == [*component],
            None => ty == *component,
        };
        if !fits {
            let shape: Vec<_> = wanted.iter().map(|extent| count_text(*extent)).collect();
            let required = format!("'{component}' or '!mdh.mda<{}, {component}>'", shape.join("x"));
            let failure = Failure::new(
                operation,
                format!("C37: requires initial value {number} to have type {required}, but it has '{ty}'"),
            );
            let view = ir::defining(*init).filter(|_| is_mda);
            return Err(view.into_iter().fold(failure, |failure, view| failure.with_note(view, "it is defined here")));
        }
    }
    let mut combined = operators.iter().enumerate().filter_map(|(d, operator)| Some((d, operator.as_ref()?)));
    let Some((first, operator)) = combined.next() else {
        return fail(
            "C38: requires a point-wise or scanned dimension for initial values, but all are concatenated".to_owned(),
        );
    };
    match combined.find(|(_, other)| other.function() != operator.function()) {
        Some((other, _)) => fail(format!(
            "C38: requires one function in all dimensions that are combined with initial values, but dimensions {} and {} have different ones",
            first + 1,
            other + 1
        )),
        None => Ok(()),
    }
}

/// C16: the parent of a yield is a scalar function or an operator.
pub(crate) fn r#yield(operation: Op<'_>) -> Verified<'_> {
    let parent = ir::parent(operation).map(ir::name);
    if matches!(parent, Some(MdHom::NAME | Scalar::NAME | Operator::NAME)) {
        return Ok(());
    }
    let message = "C16: requires to be in an mdh.hom.md_hom, mdh.hom.operator or mdh.lowlevel.scalar";
    Err(Failure::new(operation, message))
}

/// C22: the dimension of an index exists.
pub(crate) fn index(operation: Op<'_>) -> Verified<'_> {
    let mut parent = ir::parent(operation);
    while let Some(other) = parent {
        match ir::name(other) {
            MdHom::NAME | Scalar::NAME => break,
            Operator::NAME => parent = None,
            _ => parent = ir::parent(other),
        }
    }
    let Some(parent) = parent else {
        let message = "C22: requires to be in the scalar function of an mdh.hom.md_hom";
        return Err(Failure::new(operation, message));
    };
    let rank = mda(ir::operands(parent).first()).0.len();
    let dimension = ir::attribute(operation, "dimension").and_then(ir::integer_attribute).unwrap_or_default();
    if (dimension as u64) < rank as u64 {
        return Ok(());
    }
    let message = format!("C22: requires a dimension below {rank}, but it is {dimension}");
    Err(Failure::new(operation, message).with_note(parent, "the scalar function is here"))
}

/// C13 to C15 for the scalar function of a homomorphism or of the scalar phase.
pub(crate) fn scalar_function(operation: Op<'_>) -> Verified<'_> {
    let (_, takes) = mda(ir::operands(operation).first());
    let (_, yields) = mda(ir::results(operation).first());
    function(operation, 0, &takes, &yields)
}

/// C23, and C13 to C15 for the regions of a user-defined operator.
pub(crate) fn operator(operation: Op<'_>) -> Verified<'_> {
    let fail = |message: String| Err(Failure::new(operation, format!("C23: requires {message}")));
    let Some(ty) = function_type(operation) else { return Ok(()) };
    let (takes, yields) = signature(ty);
    if yields.is_empty() || takes != [yields.clone(), yields.clone()].concat() {
        return fail(format!("to take two tuples of the type that it yields, but it has type '{ty}'"));
    }
    if let Some(other) = yields.iter().find(|component| !is_scalar(**component)) {
        return fail(format!("tuples of scalars, but has '{other}'"));
    }
    function(operation, 0, &takes, &yields)?;
    match ir::body(operation, 1) {
        Some(_) => function(operation, 1, &[], &yields),
        None => Ok(()),
    }
}

/// The function type of a `func.func` or an `mdh.hom.operator`.
pub(super) fn function_type<'c>(operation: Op<'c>) -> Option<FunctionType<'c>> {
    let ty = ir::attribute(operation, "function_type").and_then(ir::type_attribute)?;
    FunctionType::try_from(ty).ok()
}

/// The argument and result types of a function.
fn signature<'c>(ty: FunctionType<'c>) -> (Vec<Type<'c>>, Vec<Type<'c>>) {
    let takes = (0..ty.input_count()).filter_map(|i| ty.input(i).ok());
    let yields = (0..ty.result_count()).filter_map(|i| ty.result(i).ok());
    (takes.collect(), yields.collect())
}

/// C13 to C15: the block of a scalar function takes `takes`, yields `yields`, and contains only operations that the
/// reference evaluator supports.
fn function<'c>(operation: Op<'c>, region: usize, takes: &[Type<'c>], yields: &[Type<'c>]) -> Verified<'c> {
    let fail = |message: String| Err(Failure::new(operation, message));
    let Some(block) = ir::body(operation, region) else {
        return fail("C13: requires a scalar function, but its region is empty".to_owned());
    };
    let arguments = ir::arguments(block);
    if arguments.len() != takes.len() {
        return fail(format!(
            "C13: requires a scalar function of {} arguments, one for each component of the MDA, but it has {}",
            takes.len(),
            arguments.len()
        ));
    }
    for (i, (argument, wanted)) in arguments.iter().zip(takes).enumerate() {
        if argument.r#type() != *wanted {
            return fail(format!(
                "C13: requires argument {} of the scalar function to have type '{wanted}', the component of the MDA, but it has '{}'",
                i + 1,
                argument.r#type()
            ));
        }
    }
    let operations = ir::block_operations(block);
    let Some(end) = operations.last().copied().filter(|end| Yield::is(*end)) else {
        return fail("C14: requires a scalar function that ends in mdh.hom.yield".to_owned());
    };
    let fail = |message: String| Err(Failure::new(end, message).with_note(operation, "the result is here"));
    let values = ir::operands(end);
    if values.len() != yields.len() {
        return fail(format!(
            "C14: requires {} values, one for each component of the result, but has {}",
            yields.len(),
            values.len()
        ));
    }
    for (i, (value, wanted)) in values.iter().zip(yields).enumerate() {
        if value.r#type() != *wanted {
            return fail(format!(
                "C14: requires value {} to have type '{wanted}', the component of the result, but it has '{}'",
                i + 1,
                value.r#type()
            ));
        }
    }
    match operations.into_iter().flat_map(ir::descendants).find(|inner| !is_allowed_in_function(*inner)) {
        Some(wrong) => {
            let required = "arith or math, scf.if, scf.for, scf.while, func.call or mdh.hom.index, all on scalars";
            let message = format!("C15: requires an operation of {required}, in a scalar function");
            Err(Failure::new(wrong, message).with_note(operation, "the scalar function is here"))
        }
        None => Ok(()),
    }
}

fn is_allowed_in_function(operation: Op<'_>) -> bool {
    Index::is(operation) || Yield::is(operation) || is_evaluable(operation)
}

/// C15: true if the reference evaluator defines the operation on scalars.
pub fn is_evaluable(operation: Op<'_>) -> bool {
    let name = ir::name(operation);
    let known = ["scf.if", "scf.for", "scf.while", "scf.yield", "scf.condition", "func.call"];
    let is_known = known.contains(&name) || name.starts_with("arith.") || name.starts_with("math.");
    is_known && has_scalars(operation)
}

/// True if all operands and results of an operation are scalars.
pub fn has_scalars(operation: Op<'_>) -> bool {
    let is_scalar = |value: Val<'_>| is_scalar(value.r#type());
    ir::operands(operation).into_iter().chain(ir::results(operation)).all(is_scalar)
}

/// C17 to C21 for the operators of a homomorphism.
pub(crate) fn operators<'c>(operation: Op<'c>, symbols: &Symbols<'_>) -> Verified<'c> {
    let (extents, _) = mda(ir::operands(operation).first());
    let (_, tuple) = mda(ir::results(operation).first());
    let combine = list(operation, "combine").unwrap_or_default();
    for (d, combine) in combine.iter().enumerate() {
        operator_fits(operation, *combine, d as i64 + 1, &tuple, symbols)?;
    }
    let combine: Vec<_> = combine.into_iter().map(Some).collect();
    homomorphism(operation, &combine, &extents, symbols)
}

/// C17 to C19: the operator of a dimension, counted from 1, can combine a tuple.
pub(crate) fn operator_fits<'c>(
    operation: Op<'c>,
    combine: Attribute<'c>,
    dimension: i64,
    tuple: &[Type<'c>],
    symbols: &Symbols<'_>,
) -> Verified<'c> {
    let fail = |message: String| Failure::new(operation, message);
    let (kinds, is_list) = match ffi::combine(combine) {
        None | Some(Combine::Concatenation) => return Ok(()),
        Some(Combine::Kinds(_, kinds, is_list)) => (kinds, is_list),
        Some(Combine::Symbol(is_point_wise, symbol)) => {
            let found = symbols.find_attribute(operation, symbol);
            let message = format!("C19: requires an mdh.hom.operator {symbol} for dimension {dimension}");
            let Some(user) = found else { return Err(fail(format!("{message}, but there is no such symbol"))) };
            if !Operator::is(user) {
                return Err(fail(message).with_note(user, format!("the symbol is this {}", ir::name(user))));
            }
            let Some(ty) = function_type(user) else { return Ok(()) };
            let problem = if signature(ty).1 != tuple {
                let tuple: Vec<_> = tuple.iter().map(Type::to_string).collect();
                let tuple = tuple.join(", ");
                format!(
                    "an operator that yields ({tuple}), the tuple of the result, for dimension {dimension}, but {symbol} has type {ty}"
                )
            } else if is_point_wise && ir::attribute(user, "commutative").is_none() {
                format!(
                    "a commutative operator for the point-wise dimension {dimension}, but {symbol} is not declared commutative"
                )
            } else {
                return Ok(());
            };
            return Err(fail(format!("C19: requires {problem}")).with_note(user, "the operator is here"));
        }
    };
    if is_list && kinds.len() != tuple.len() {
        return Err(fail(format!(
            "C18: requires a list of {} functions, one for each component, for dimension {dimension}, but it has {}",
            tuple.len(),
            kinds.len()
        )));
    }
    for (i, component) in tuple.iter().enumerate() {
        let number = kinds.get(if is_list { i } else { 0 }).and_then(|number| usize::try_from(*number).ok());
        let Some(row) = number.and_then(|number| BUILTINS.get(number)) else { continue };
        if row.floats.is_none() && component.is_float() {
            return Err(fail(format!(
                "C17: requires an integer type for the function {} of dimension {dimension}, but component {} has type '{component}'",
                row.name,
                i + 1
            )));
        }
    }
    Ok(())
}

/// C20 and C21: the operators of all dimensions form a homomorphism together (Lemma 10), and have an identity if the
/// extent of a reduction dimension is zero. Each operator has been checked by itself before; `None` is a concatenation.
pub(crate) fn homomorphism<'c>(
    operation: Op<'c>,
    combine: &[Option<Attribute<'c>>],
    extents: &[Option<u64>],
    symbols: &Symbols<'_>,
) -> Verified<'c> {
    let is_declared = ir::attribute(operation, "homomorphism").is_some();
    let (_, tuple) = mda(ir::results(operation).first());
    let mut first: Option<(usize, Attribute<'c>)> = None;
    for (d, attribute) in combine.iter().enumerate() {
        let Some(attribute) = *attribute else { continue };
        let Some(operator) = combine_operator(attribute, tuple.len()).filter(|operator| operator.combines()) else {
            continue;
        };
        let symbol = match ffi::combine(attribute) {
            Some(Combine::Symbol(_, symbol)) => Some(symbol),
            _ => None,
        };
        let user = symbol.and_then(|symbol| Some((symbol, symbols.find_attribute(operation, symbol)?)));
        let (dimension, fail) = (d + 1, |message: String| Failure::new(operation, message));
        // An empty reduction gives the initial value if there is one.
        let has_init = ir::operands(operation).len() > 1;
        let is_empty = operator.reduces() && extents[d] == Some(0) && !has_init;
        if let Some((symbol, user)) = user.filter(|(_, user)| is_empty && ir::body(*user, 1).is_none()) {
            let message = format!("C21: requires an identity for {symbol}, because dimension {dimension} has extent 0");
            return Err(fail(message).with_note(user, "the operator is here"));
        }
        let Some((other, its)) = first else {
            first = Some((d, attribute));
            continue;
        };
        if is_declared {
            continue;
        }
        let other = other + 1;
        let function = combine_operator(its, tuple.len()).and_then(|its| its.function().cloned());
        if function.as_ref() != operator.function() {
            let message = format!(
                "C20: requires one function for all dimensions that are not concatenated, but dimension {other} has {its} and dimension {dimension} has {attribute}"
            );
            return Err(fail(message).with_note(operation, ADVICE));
        }
        if let Some((symbol, user)) = user.filter(|(_, user)| ir::attribute(*user, "commutative").is_none()) {
            let message = format!(
                "C20: requires a commutative function in dimensions {other} and {dimension}, because they are combined in any order, but {symbol} is not declared commutative"
            );
            return Err(fail(message).with_note(user, "the operator is here"));
        }
    }
    Ok(())
}

const ADVICE: &str = "if the order of the dimensions does not change the result, declare it with 'attributes {homomorphism}' after the operators, or use one mdh.hom.operator on tuples; otherwise write one computation per operator";
