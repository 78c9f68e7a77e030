//! Loop nests on memrefs, and on the elements of tensors that they carry, are raised: each statement becomes a computation.
//!
//! ```text
//! affine.for %i = 0 to 6 {
//!   affine.store %zero, %y[%i]                          y[i] = zero                for all i
//!   affine.for %k = 0 to 8 {
//!     %0 = affine.load %A[%i, %k]              ──▶
//!     %1 = affine.load %y[%i]                           y = md_hom A init(y) combine [#mdh.cc, #mdh.pw<add>]
//!     %2 = arith.addf %1, %0
//!     affine.store %2, %y[%i]
//! ```
//!
//! 1. The nest is read as statements with the loops around each (`loops/nest.rs`).
//! 2. They may be executed one after the other if no dependence is reversed (`loops/order.rs`).
//! 3. Each one is a structured operation (`loops/statement.rs`) that is split and built as those of linalg.
//!
//! If a nest stays, the nests in it are raised by themselves.
mod common_part;
pub mod counted;
pub mod elements;
mod forward;
pub mod linear;
pub mod nest;
mod order;
mod part;
pub mod ranges;
mod scan;
mod slice;
pub mod spelled;
mod statement;
mod store;
mod tensors;

use super::linalg::{build, region, structured::Structured};
use linear::LOOPS;
use mdh_dialects::{
    attributes::ORIGINAL,
    ir::{self, Builder, Op},
};
use nest::{SourceNest, is_load, is_part, is_store};

/// Raises the loop nests of a module, except those that are `known` to stay. `report` gets those that stay, with the
/// reason, and may end it with an error.
pub fn run<'c, E>(
    module: Op<'c>,
    known: &[Op<'c>],
    mut report: impl FnMut(Op<'c>, String) -> Result<(), E>,
) -> Result<(), E> {
    // Outer loops come first, and the loops of a nest that is raised are erased.
    let mut candidates = outermost(module, module);
    candidates.reverse();
    while let Some(root) = candidates.pop() {
        if ir::attribute(root, ORIGINAL).is_some() {
            continue;
        }
        let inner = ir::descendants(root);
        let stores = inner.iter().any(|inner| is_store(ir::name(*inner)));
        let carries = !ir::results(root).is_empty() && inner.iter().any(|inner| is_load(ir::name(*inner)));
        let is_nest = inner.into_iter().all(is_part) && (stores || carries) && !known.contains(&root);
        let reason = if is_nest { raise(root).err() } else { None };
        if is_nest && reason.is_none() {
            continue;
        }
        candidates.extend(outermost(module, root).into_iter().rev());
        if let Some(reason) = reason {
            report(root, reason)?;
        }
    }
    Ok(())
}

/// The loops in an operation, but not those in other loops of it, in regions of computations or in kernels.
fn outermost<'c>(module: Op<'c>, root: Op<'c>) -> Vec<Op<'c>> {
    let is_loop = |operation: &Op<'c>| LOOPS.contains(&ir::name(*operation)) && *operation != root;
    let is_between = |operation: &Op<'c>| {
        let name = ir::name(*operation);
        let is_other = ["linalg.", "mdh.", "gpu."].iter().any(|dialect| name.starts_with(dialect));
        is_other || LOOPS.contains(&name)
    };
    let is_free = |operation: &Op<'c>| {
        let outer = std::iter::successors(ir::parent(*operation), |outer| ir::parent(*outer));
        !outer.take_while(|outer| *outer != root && *outer != module).any(|outer| is_between(&outer))
    };
    ir::descendants(root).into_iter().filter(is_loop).filter(is_free).collect()
}

/// Raises a nest. The error is the reason why it stays; nothing has changed then.
fn raise(root: Op<'_>) -> Result<(), String> {
    let mut nest = SourceNest::of(root)?;
    nest.mark_scans();
    nest.mark_element_scans();
    nest.mark_stored_sums();
    nest.forward_cells();
    order::check(&nest)?;
    nest.forward_initial_values();
    let b = Builder::before(root);
    let previous = b.previous();
    let mut prepared = prepare(&nest).inspect_err(|_| b.built_after(previous).into_iter().rev().for_each(ir::erase))?;
    nest.tensors.start();
    for (structured, function, holder) in &mut prepared.statements {
        // The statements before it are built before the nest.
        tensors::condition(structured.operation).into_iter().for_each(|condition| ir::move_before(condition, root));
        nest.tensors.set_operands(structured, function);
        let results = build::build(structured, function);
        nest.tensors.advance(structured, &results);
        ir::erase(*holder);
    }
    nest.tensors.replace_results();
    for (cell, memory) in nest.cells.iter().zip(prepared.cells) {
        if cell.loops.is_empty() && !ir::users(cell.result).is_empty() {
            let value = b.value("memref.load", &[memory], cell.ty, &[]);
            ir::replace_uses(cell.result, value);
        }
        match ir::users(memory).is_empty() {
            true => ir::defining(memory).into_iter().for_each(ir::erase),
            false => drop(b.op("memref.dealloc", &[memory], &[], &[], vec![])),
        }
    }
    let before = ir::operands(root).into_iter().filter_map(ir::defining);
    let initial: Vec<_> = before.filter(|operation| ir::name(*operation).starts_with("linalg.")).collect();
    ir::erase(root);
    // The values of tensors that the nest has overwritten.
    initial.into_iter().filter(|operation| ir::is_unused(*operation)).for_each(ir::erase);
    Ok(())
}

/// The statements of a nest that can be built.
struct Prepared<'c> {
    /// By statement: its parts, and the operation that holds its region.
    statements: Vec<(Structured<'c>, region::Function<'c>, Op<'c>)>,
    /// The memory of the cells.
    cells: Vec<ir::Val<'c>>,
}

fn prepare<'c>(nest: &SourceNest<'c>) -> Result<Prepared<'c>, String> {
    let builder = statement::StatementBuilder::new(nest)?;
    let statements = nest.statements.iter().map(|statement| {
        let builder = builder.guarded(statement);
        let (structured, holder) = builder.structured(statement)?;
        let function = region::split(&structured, builder.scan(statement)?)?;
        build::check(&structured, &function)?;
        Ok((structured, function, holder))
    });
    let statements = statements.collect::<Result<_, String>>()?;
    Ok(Prepared { statements, cells: builder.cells })
}
