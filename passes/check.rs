//! `mdh-check`: checks the whole-program rules P1 to P8, which no verifier of a single operation can check, and C15 for
//! called functions. Changes nothing.
//!
//! ```mlir
//! func.func @f(%a: !mdh.mda<4, f32>) {
//!   mdh.view.out_view %a[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> memref<4xf32>
//!   return
//! }
//! ```
//! is refused with
//! ```mlir
//! error: 'func.func' op P2: requires buffers, but block argument 1 is an MDA, which is an alias of buffers and cannot be passed as a value
//! ```
pub mod names;

use crate::machine::Machine;
use mdh_dialects::{
    hom::{
        Compute, Index, MdHom, Operator, Yield,
        verify::{has_scalars, is_evaluable},
    },
    ir::{self, Op, OpView, Val},
    lowlevel::{Decompose, Recompose, Scalar},
    pass::{Failure, MdhPass},
    schedule::model::System,
    view::{self, InpView, OutView},
};
use melior::ir::ValueLike;

/// The pass.
pub struct Check;

impl MdhPass for Check {
    const NAME: &'static str = "Check";
    const ARGUMENT: &'static str = "mdh-check";
    const DESCRIPTION: &'static str = "Check the whole-program rules P1 to P8";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        // Check the description of the machine once here: passes that use the machine run on functions, and each would
        // report an error in it.
        Machine::of(module)?;
        let mut failures = run(module);
        let last = failures.pop();
        failures.iter().for_each(|failure| failure.emit(module));
        last.map_or(Ok(()), Err)
    }
}

/// Checks a whole module; returns all failures.
pub fn run<'c>(module: Op<'c>) -> Vec<Failure<'c>> {
    let mut found = vec![];
    for operation in ir::descendants(module) {
        match ir::name(operation) {
            OutView::NAME => {
                found.extend(source(operation, &[MdHom::NAME, Scalar::NAME, Recompose::NAME]));
                found.extend(destinations(operation));
            }
            MdHom::NAME => {
                found.extend(source(operation, &[InpView::NAME]));
                found.extend(inits(operation));
                found.extend(calls(operation));
            }
            Decompose::NAME => found.extend(source(operation, &[InpView::NAME, Decompose::NAME])),
            Scalar::NAME => {
                found.extend(source(operation, &[InpView::NAME, Decompose::NAME]));
                found.extend(inits(operation));
                found.extend(Scalar::cast(operation).and_then(system));
                found.extend(calls(operation));
            }
            Recompose::NAME => found.extend(source(operation, &[Scalar::NAME, Recompose::NAME])),
            Operator::NAME => found.extend(calls(operation)),
            "func.func" => {
                found.extend(name(operation));
                found.extend(no_values(operation));
            }
            name if UNLOWERED.contains(&name) => found.push(unlowered(operation)),
            InpView::NAME | Compute::NAME | Yield::NAME | Index::NAME => {}
            _ => found.extend(no_values(operation)),
        }
    }
    found
}

/// Operations of `linalg` that upstream passes do not lower to loops.
const UNLOWERED: [&str; 5] = [
    "linalg.pack",
    "linalg.unpack",
    "linalg.winograd_filter_transform",
    "linalg.winograd_input_transform",
    "linalg.winograd_output_transform",
];

/// P8: such an operation has been raised, or decomposed by the program's own pipeline.
fn unlowered(operation: Op<'_>) -> Failure<'_> {
    let name = ir::name(operation);
    Failure::new(
        operation,
        format!("P8: requires operations that passes lower to loops, but {name} has not been raised"),
    )
}

/// P1: the phases of a computation form one uninterrupted chain. An MDA from another operation violates P2 at that
/// operation.
fn source<'c>(operation: Op<'c>, wanted: &[&str]) -> Option<Failure<'c>> {
    is_result_of(operation, *ir::operands(operation).first()?, wanted)
}

/// P1: initial values that are MDAs are views of buffers.
fn inits<'c>(operation: Op<'c>) -> Option<Failure<'c>> {
    let inits = ir::operands(operation).into_iter().skip(1);
    inits
        .filter(|init| view::mda_type(init.r#type()).is_some())
        .find_map(|init| is_result_of(operation, init, &[InpView::NAME]))
}

/// P1: an MDA operand is a result of one of these operations.
fn is_result_of<'c>(operation: Op<'c>, mda: Val<'c>, wanted: &[&str]) -> Option<Failure<'c>> {
    match ir::defining(mda) {
        Some(definition) if !wanted.contains(&ir::name(definition)) && ir::name(definition).starts_with("mdh.") => {
            let name = ir::name(definition);
            let message = format!("P1: requires an MDA from {}, but it is a result of {name}", wanted.join(" or "));
            Some(Failure::new(operation, message).with_note(definition, "the MDA comes from here"))
        }
        _ => None,
    }
}

/// P2: MDAs are aliases of buffers, not values: other operations neither take nor produce them.
fn no_values<'c>(operation: Op<'c>) -> Option<Failure<'c>> {
    let is_mda = |value: &Val<'c>| view::mda_type(value.r#type()).is_some();
    let failure = |what: &str| {
        let message = format!(
            "P2: requires buffers, but {what} is an MDA, which is an alias of buffers and cannot be passed as a value"
        );
        Failure::new(operation, message)
    };
    let operands = ir::operands(operation);
    if let Some(i) = operands.iter().position(is_mda) {
        let failure = failure(&format!("operand {}", i + 1));
        return Some(match ir::defining(operands[i]) {
            Some(definition) => failure.with_note(definition, "the MDA comes from here"),
            None => failure,
        });
    }
    if let Some(i) = ir::results(operation).iter().position(is_mda) {
        return Some(failure(&format!("result {}", i + 1)));
    }
    for block in ir::blocks(operation) {
        if let Some(i) = ir::arguments(block).iter().position(is_mda) {
            return Some(failure(&format!("block argument {}", i + 1)));
        }
    }
    None
}

/// P3: outputs that share a buffer are accesses of one bracket, so that C9 ensures disjoint elements.
fn destinations<'c>(view: Op<'c>) -> Option<Failure<'c>> {
    let operands = ir::operands(view);
    let destinations = operands.get(1..).unwrap_or_default();
    let second = (0..destinations.len()).find(|&i| destinations[..i].contains(&destinations[i]))?;
    let first = destinations.iter().position(|value| *value == destinations[second])?;
    let message = format!(
        "P3: requires a different destination for each bracket, but {} and {} are the same buffer",
        first + 1,
        second + 1
    );
    Some(Failure::new(view, message))
}

/// P4: the system of a low-level chain is declared or built in.
fn system<'c>(scalar: Scalar<'c>) -> Option<Failure<'c>> {
    let name = scalar.system();
    if System::resolve(scalar.op(), name).is_some() {
        return None;
    }
    let known = mdh_dialects::schedule::systems::BUILTIN.join(", ");
    let message = format!("P4: requires a system that is declared or built in, one of {known}, but it is @{name}");
    Some(Failure::new(scalar.op(), message))
}

/// P7: a function of the program must not be mistaken for one that generated code calls.
fn name<'c>(function: Op<'c>) -> Option<Failure<'c>> {
    let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute)?;
    (ir::body(function, 0).is_some() && names::is_reserved(name)).then(|| {
        let message =
            format!("P7: requires a function with a body to have another name than @{name}, because generated code calls an external function of this name");
        Failure::new(function, message)
    })
}

/// P5: functions that a scalar function or an operator calls have a body; P6: they are not recursive; C15 holds for
/// their contents.
pub(crate) fn calls<'c>(root: Op<'c>) -> Option<Failure<'c>> {
    let mut path = vec![];
    follow(root, root, &mut path, &mut vec![])
}

fn follow<'c>(root: Op<'c>, at: Op<'c>, path: &mut Vec<Op<'c>>, done: &mut Vec<Op<'c>>) -> Option<Failure<'c>> {
    let calls = ir::descendants(at).into_iter().filter(|operation| ir::name(*operation) == "func.call");
    for call in calls {
        let Some(symbol) = ir::callee_symbol(call) else { continue };
        let Some(callee) = ir::callee(call).filter(|callee| ir::body(*callee, 0).is_some()) else {
            let message = format!("P5: requires a function with a body, but @{symbol} has none");
            return Some(Failure::new(call, message).with_note(root, "called for this operation"));
        };
        if path.contains(&callee) {
            let message = format!("P6: requires functions without recursion, but @{symbol} calls itself");
            return Some(Failure::new(call, message).with_note(root, "called for this operation"));
        }
        if done.contains(&callee) {
            continue;
        }
        if let Some(failure) = body(root, callee) {
            return Some(failure);
        }
        path.push(callee);
        let failure = follow(root, callee, path, done);
        path.pop();
        done.push(callee);
        if failure.is_some() {
            return failure;
        }
    }
    None
}

/// C15: a function that a scalar function or an operator calls contains only operations that are also allowed in these.
fn body<'c>(root: Op<'c>, callee: Op<'c>) -> Option<Failure<'c>> {
    let wrong = ir::descendants(callee).into_iter().skip(1).find(|operation| !is_allowed_in_function(*operation))?;
    let required = "arith or math, scf.if, scf.for, scf.while or func.call, all on scalars";
    let message = format!("C15: requires an operation of {required}, in a function that a scalar function calls");
    Some(Failure::new(wrong, message).with_note(root, "called for this operation"))
}

fn is_allowed_in_function(operation: Op<'_>) -> bool {
    is_evaluable(operation) || (ir::name(operation) == "func.return" && has_scalars(operation))
}
