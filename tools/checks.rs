//! Adds run-time checks of dynamic sizes and indices: upstream's `generate-runtime-verification` for the code around
//! computations, with messages in the form of the compiler's, checks of scatters and of sizes (`checks/sizes.rs`), and checks of
//! what raised loops access (`checks/views.rs`).
//!
//! ```text
//! %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>   ──▶   cf.assert %is_8, "FILE:2:8: error: 'tensor.cast' fails: size mismatch of dim 0"
//!                                                              %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
//! ```
//!
//! Operations outside of loops are checked before they are raised and fused, because these may replace them. What is in
//! loops, or in functions that are called in loops, is checked afterwards, if it is still there: checks would keep loops from
//! being raised.
mod sizes;
mod slices;
mod structured;
mod views;

use crate::program;
use anyhow::Result;
use mdh_dialects::{
    attributes::PART,
    ir::{self, Builder, IntPredicate, Op, Val},
};
use mdh_passes::{
    analysis::{
        extents::{ExtentValue, axis_of, dim},
        location::{self, CHECK},
    },
    expand_unregistered::scatter::{self, SCATTERS},
    target::upstream,
};
use melior::{
    Context,
    dialect::DialectHandle,
    ir::{Module, ValueLike, attribute::StringAttribute, operation::OperationLike},
};
use std::collections::{HashMap, HashSet};

/// The loops that may be raised.
const LOOPS: [&str; 7] =
    ["affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while", "stablehlo.while"];

/// Adds the checks to the source of a program, except to what may be raised with the loops around it.
pub fn add_to_source(context: &Context, module: &mut Module<'_>) -> Result<()> {
    DialectHandle::cf().load_dialect(context);
    ir::rewrite(module, |root| {
        let scatters = SCATTERS.into_iter().flat_map(|name| ir::find(root, name));
        scatters.for_each(scatter::assert_sizes);
        forget_parts(root);
        sizes::assert(root);
    });
    let called = called_in_loops(ir::op(module.as_operation()));
    let may_be_raised = |operation: Op<'_>| {
        let is_called = |outer: Op<'_>| symbol(outer).is_some_and(|name| called.contains(name));
        around(operation).any(|outer| LOOPS.contains(&ir::name(outer)) || is_called(outer))
    };
    ir::rewrite(module, |root| check_slices(root, |slice| !may_be_raised(slice)));
    // Structured operations have checks of their sizes, and views have checks of their accesses.
    verify(context, module, |name, operation| !name.starts_with("linalg.") && !operation.is_some_and(may_be_raised))
}

/// Checks the slices that are wanted.
fn check_slices(root: Op<'_>, is_wanted: impl Fn(Op<'_>) -> bool) {
    slices::all(root).filter(|slice| is_wanted(*slice)).for_each(slices::check);
}

/// The names of the functions that are called in loops, also by other functions: raising inlines them.
fn called_in_loops(root: Op<'_>) -> HashSet<String> {
    let mut called = HashSet::new();
    let is_in_loop = |call: &Op<'_>| around(*call).any(|outer| LOOPS.contains(&ir::name(outer)));
    let mut calls: Vec<_> = ir::find(root, "func.call").into_iter().filter(is_in_loop).collect();
    while let Some(call) = calls.pop() {
        let Some((function, name)) = ir::callee(call).and_then(|function| Some((function, symbol(function)?))) else {
            continue;
        };
        if called.insert(name.to_owned()) {
            calls.extend(ir::find(function, "func.call"));
        }
    }
    called
}

/// The name of a function.
fn symbol(function: Op<'_>) -> Option<&str> {
    ir::string_attribute(ir::attribute(function, "sym_name")?)
}

/// The operations around an operation, from the inside.
fn around<'c>(operation: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    std::iter::successors(ir::parent(operation), |outer| ir::parent(*outer))
}

/// Removes the attributes of parts from a source: only raising knows which parts are those of computations.
pub fn forget_parts(root: Op<'_>) {
    let is_part = |operation: &Op<'_>| ir::attribute(*operation, PART).is_some();
    ir::descendants(root).into_iter().filter(is_part).for_each(|part| ir::remove_attribute(part, PART));
}

/// Adds the checks to a program whose computations are views and homomorphisms. The operations around them that are
/// checked already stay as they are.
pub fn add(context: &Context, module: &mut Module<'_>) -> Result<()> {
    DialectHandle::cf().load_dialect(context);
    ir::rewrite(module, |root| {
        views::check(root);
        erase_unused_structured(root);
        check_slices(root, |slice| ir::attribute(slice, PART).is_none());
    });
    verify(context, module, |_, operation| operation.is_none_or(|operation| ir::attribute(operation, PART).is_none()))?;
    ir::rewrite(module, |root| {
        read_sizes_of_origins(root);
        erase_repeated(root);
    });
    Ok(())
}

/// Reads sizes of results where they come from: a check of a result would keep it from being computed in parts, or in
/// another order.
fn read_sizes_of_origins(root: Op<'_>) {
    for read in ir::find(root, "tensor.dim") {
        let Some((tensor, axis)) = axis_of(read) else { continue };
        let size = match ExtentValue::Size(tensor, axis).origin() {
            ExtentValue::Operand(size) => size,
            ExtentValue::Size(buffer, _) if buffer == tensor => continue,
            ExtentValue::Size(buffer, axis) => dim(&Builder::before(read).located(read), buffer, axis),
        };
        ir::replace_uses(ir::results(read)[0], size);
        ir::erase(read);
    }
}

/// Adds upstream's checks of the operations that are wanted, which are given by their name and, if the check is in their
/// block, themselves, unless the checks are known to succeed. The program's own assertions get messages in the same form.
fn verify(context: &Context, module: &mut Module<'_>, is_wanted: impl Fn(&str, Option<Op<'_>>) -> bool) -> Result<()> {
    ir::rewrite(module, |root| added(root).into_iter().for_each(|(assertion, text)| set(assertion, &text)));
    // Upstream fails on slices that do not determine which dimensions they remove.
    program::run(context, module, "builtin.module(any(mdh-split-rank-reductions),generate-runtime-verification)")?;
    if added(ir::op(module.as_operation())).is_empty() {
        return Ok(());
    }
    let open = undecided(context, module)?;
    ir::rewrite(module, |root| {
        for (assertion, text) in added(root) {
            // Upstream's message has the operation and the problem on separate lines.
            let operation = text.lines().nth(1).unwrap_or_default();
            let operation = operation.split_once(" = ").map_or(operation, |(_, operation)| operation);
            let name = operation.trim_start_matches('"').split([' ', '"', '(']).next().unwrap_or_default();
            let problem = text.lines().find_map(|line| line.strip_prefix("^ ")).unwrap_or_default();
            let checked = checked(assertion, name);
            if open.contains(&text) && is_wanted(name, checked) {
                checked.into_iter().for_each(|slice| allow_empty(assertion, slice));
                set(assertion, &format!("'{name}' fails: {problem}"));
            } else {
                ir::erase(assertion);
            }
        }
        erase_unused(root);
    });
    Ok(())
}

/// The operation that an assertion checks: the next one with this name, because checks compute with others.
fn checked<'c>(assertion: Op<'c>, name: &str) -> Option<Op<'c>> {
    let next = |operation: &Op<'c>| operation.next_in_block().map(ir::op);
    std::iter::successors(Some(assertion), next).find(|operation| ir::name(*operation) == name)
}

/// Lets a slice without elements begin anywhere: nothing is read.
fn allow_empty(assertion: Op<'_>, slice: Op<'_>) {
    if !["memref.subview", "tensor.extract_slice"].contains(&ir::name(slice)) {
        return;
    }
    let Some([source, offsets, sizes, _]) = ir::segments(slice).and_then(|counts| <[i64; 4]>::try_from(counts).ok())
    else {
        return;
    };
    let b = Builder::before(assertion).located(assertion);
    let sizes = ir::operands(slice).into_iter().skip((source + offsets) as usize).take(sizes as usize);
    let condition = sizes.fold(ir::operands(assertion)[0], |condition, size| {
        let is_empty = b.cmpi(IntPredicate::Eq, size, b.constant(0, b.index()));
        b.value("arith.ori", &[condition, is_empty], b.i1(), &[])
    });
    ir::set_operand(assertion, 0, condition);
}

/// The texts of upstream's checks that the compiler cannot decide. Conditions on static sizes are constants; they are
/// folded in a copy, because the program is to be raised as it is written.
fn undecided(context: &Context, module: &Module<'_>) -> Result<HashSet<String>> {
    let mut copy = program::copy(&module.as_operation())?;
    program::run(context, &mut copy, &format!("builtin.module({})", upstream::CANONICALIZE))?;
    Ok(added(ir::op(copy.as_operation())).into_iter().map(|(_, text)| text).collect())
}

/// Erases structured operations that raising has replaced, or whose results nothing reads.
fn erase_unused_structured(root: Op<'_>) {
    for operation in ir::descendants(root).into_iter().rev() {
        let is_computation = ir::name(operation).starts_with("linalg.") || ir::name(operation) == "tensor.empty";
        if is_computation && !ir::results(operation).is_empty() && ir::is_unused(operation) {
            ir::erase(operation);
        }
    }
}

/// Erases what computes nothing but conditions of assertions that are erased: in loops, it would be in the way of raising.
fn erase_unused(root: Op<'_>) {
    const PURE: [&str; 9] = [
        "affine.apply",
        "affine.max",
        "affine.min",
        "memref.dim",
        "memref.extract_strided_metadata",
        "scf.if",
        "scf.yield",
        "tensor.dim",
        "tensor.rank",
    ];
    let is_pure = |operation: Op<'_>| {
        let is_pure = |inner: &Op<'_>| {
            let name = ir::name(*inner);
            name.starts_with("arith.") || name.starts_with("index.") || PURE.contains(&name)
        };
        ir::descendants(operation).iter().all(is_pure)
    };
    let is_in_function = |operation: Op<'_>| {
        let outer = ir::parent(operation).map(ir::name).unwrap_or_default();
        !outer.starts_with("linalg.") && !outer.starts_with("mdh.")
    };
    // Uses come after definitions.
    for operation in ir::descendants(root).into_iter().rev() {
        let is_branch = ir::name(operation) == "scf.if";
        let is_unused = (is_branch || !ir::results(operation).is_empty()) && ir::is_unused(operation);
        if is_unused && is_in_function(operation) && is_pure(operation) {
            ir::erase(operation);
        }
    }
}

/// Erases checks that repeat earlier ones of the same block.
fn erase_repeated(root: Op<'_>) {
    let mut numbers = ValueNumbers::default();
    let mut seen = HashMap::new();
    for operation in ir::descendants(root) {
        if ir::name(operation) != "cf.assert" {
            numbers.add(operation);
            continue;
        }
        let blocks: &mut Vec<_> = seen.entry((message(operation), numbers.of(ir::operands(operation)[0]))).or_default();
        let block = ir::block(operation);
        match blocks.contains(&block) {
            true => ir::erase(operation),
            false => blocks.push(block),
        }
    }
}

/// Numbers of values: values that are computed in the same way have the same one.
#[derive(Default)]
struct ValueNumbers {
    by_value: HashMap<usize, usize>,
    by_definition: HashMap<String, usize>,
}

impl ValueNumbers {
    fn of(&mut self, value: Val<'_>) -> usize {
        let next = self.by_value.len();
        *self.by_value.entry(value.to_raw().ptr as usize).or_insert(next)
    }

    /// Numbers the results of an operation that follows the definitions of its operands.
    fn add(&mut self, operation: Op<'_>) {
        const SIZES: [&str; 3] = ["memref.dim", "memref.extract_strided_metadata", "tensor.dim"];
        let name = ir::name(operation);
        if !name.starts_with("arith.") && !SIZES.contains(&name) {
            return;
        }
        let operands: Vec<_> = ir::operands(operation).into_iter().map(|operand| self.of(operand)).collect();
        let attributes: Vec<_> = (*operation).attributes().map(|(name, value)| format!("{name:?} = {value}")).collect();
        for (position, result) in ir::results(operation).into_iter().enumerate() {
            let definition = format!("{name} {attributes:?} {operands:?} {position} {}", result.r#type());
            let next = self.by_value.len();
            let number = *self.by_definition.entry(definition).or_insert(next);
            self.by_value.insert(result.to_raw().ptr as usize, number);
        }
    }
}

/// The checks that upstream has added.
fn added(root: Op<'_>) -> Vec<(Op<'_>, String)> {
    assertions(root).into_iter().filter(|(_, text)| !text.starts_with(CHECK)).collect()
}

fn assertions(root: Op<'_>) -> Vec<(Op<'_>, String)> {
    ir::find(root, "cf.assert").into_iter().map(|found| (found, message(found))).collect()
}

fn message(assertion: Op<'_>) -> String {
    ir::attribute(assertion, "msg").and_then(ir::string_attribute).unwrap_or_default().to_owned()
}

/// Sets the message, preceded by the location.
fn set(assertion: Op<'_>, problem: &str) {
    let text = location::assertion(assertion, problem);
    ir::set_attribute(assertion, "msg", StringAttribute::new(ir::context(assertion), &text).into());
}
