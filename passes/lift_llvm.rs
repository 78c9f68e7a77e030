//! `mdh-lift-llvm`: gives the loops of functions in the LLVM dialect, which C programs become, functions of their own, on
//! memrefs.
//!
//! ```mlir
//! llvm.func @scale(%n: i64, %x: f64, %A: !llvm.ptr {llvm.noalias}) {
//!   %zero = llvm.mlir.constant(0 : i64) : i64
//!   %one = llvm.mlir.constant(1 : i64) : i64
//!   llvm.br ^header(%zero : i64)
//! ^header(%i: i64):
//!   %c = llvm.icmp "slt" %i, %n : i64
//!   llvm.cond_br %c, ^body, ^after
//! ^body:
//!   %p = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
//!   %a = llvm.load %p : !llvm.ptr -> f64
//!   %b = llvm.fmul %a, %x : f64
//!   llvm.store %b, %p : f64, !llvm.ptr
//!   %j = llvm.add %i, %one overflow<nsw> : i64
//!   llvm.br ^header(%j : i64)
//! ^after:
//!   llvm.return
//! }
//! ```
//! becomes
//! ```mlir
//! func.func private @scale_nest(%n: i64, %A: memref<?xf64> {llvm.noalias}, %x: f64) attributes {mdh.nest} {
//! %i = arith.index_cast %k : i64 to index
//! %a = memref.load %A[%i] : memref<?xf64>
//! arith.mulf %a, %x : f64
//! llvm.br ^..(%.. : i64) {mdh.nest = @scale_nest}
//! ```
//!
//! A nest is a loop with the loops inside that has nothing but arithmetic and accesses of elements (`lift_llvm/nest.rs`);
//! where an outer loop has more, its inner loops are nests. Pointers are followed to the object that they point into
//! (`lift_llvm/pointer.rs`): all of its elements that a nest accesses have one type. The function still has branches,
//! which upstream's `lift-cf-to-scf` turns into structured loops.
//!
//! The loops of the function around stay as they are, and the branch to them names the nest: `mdh-call-nests` replaces
//! those whose nest is raised.
pub mod arithmetic;
pub mod graph;
mod hoist;
mod names;
pub mod nest;
mod outline;
mod pointer;

use crate::analysis::location;
use graph::FlowGraph;
use mdh_dialects::{
    attributes::{DIRECTIVE, NEST},
    ffi::math_dialect,
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass, emit_remark},
    pass_options,
};
use melior::{dialect::DialectHandle, ir::operation::OperationLike};
use nest::{FlowNest, Stays};

pub use outline::WRAPS;

/// The pass.
pub struct LiftLlvm;

pass_options! {
    /// Options of lifting.
    pub struct LiftOptions {
        /// The function whose loops are lifted; those of all functions if not given
        function: String = "",
        /// A loop that is in no nest is an error instead of a remark
        required: bool = false,
    }
}

impl MdhPass for LiftLlvm {
    const NAME: &'static str = "LiftLlvm";
    const ARGUMENT: &'static str = "mdh-lift-llvm";
    const DESCRIPTION: &'static str = "Give loops of the LLVM dialect functions on memrefs";
    const OP: &'static str = "builtin.module";
    type Options = LiftOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![
            DialectHandle::arith(),
            math_dialect(),
            DialectHandle::cf(),
            DialectHandle::func(),
            DialectHandle::memref(),
        ]
    }

    fn run<'c>(module: Op<'c>, options: LiftOptions) -> Result<(), Failure<'c>> {
        let function = Some(options.function).filter(|name| !name.is_empty());
        run(module, function.as_deref(), &mut |(at, reason)| {
            if options.required || ir::attribute(at, DIRECTIVE).is_some() {
                return Err(Failure::new(at, format!("cannot be lifted: {reason}")));
            }
            emit_remark(at, &format!("is not lifted: {reason}"));
            Ok(())
        })
    }
}

/// Gives the nests of a module functions, or those of one function. `report` gets the loops that are in no nest, with the
/// reason, and ends lifting with an error.
pub fn run<'c, E>(
    module: Op<'c>,
    only: Option<&str>,
    report: &mut dyn FnMut(Stays<'c>) -> Result<(), E>,
) -> Result<(), E> {
    for function in ir::find(module, "llvm.func") {
        let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
        if ir::body(function, 0).is_none() || only.is_some_and(|only| only != name) || !may_change(function) {
            continue;
        }
        while hoist::run(function) {}
        let graph = FlowGraph::of(function);
        if let Some(cycle) = graph.irreducible() {
            report((cycle.from, "requires loops with one entry, but this branch leads into one".into()))?;
        }
        let (nests, stay) = nests(function, &graph);
        stay.into_iter().try_for_each(&mut *report)?;
        for nest in nests {
            let symbol = ir::unused_symbol(function, &format!("{name}_nest"));
            outline::outline(&nest, function, &symbol);
            let b = Builder::before(function);
            ir::set_attribute(nest.entry.from, NEST, b.symbol(&symbol));
        }
    }
    Ok(())
}

/// The nests of a function, and why other loops stay.
pub fn nests<'c>(function: Op<'c>, graph: &FlowGraph<'c>) -> (Vec<FlowNest<'c>>, Vec<Stays<'c>>) {
    let (mut nests, mut stay) = (vec![], vec![]);
    let is_strict = ir::attribute(function, "passthrough").is_some_and(|of| of.to_string().contains("strictfp"));
    let mut open = graph.loops();
    open.reverse();
    while let Some(current) = open.pop() {
        // The loops around one with a directive are no part of its nest.
        if graph.has_inner_directive(&current) && graph.directive(&current).is_none() {
            open.extend(current.inner.into_iter().rev());
            continue;
        }
        let found = match is_strict {
            true => {
                let at = ir::terminator(graph.blocks[current.header]).unwrap_or(function);
                Err((at, "requires the default floating-point environment".to_owned()))
            }
            false => FlowNest::of(function, graph, &current),
        };
        match found {
            Ok(nest) => nests.push(nest),
            Err((at, problem)) => {
                // The error of a directive is at the directive.
                let reason = match graph.directive(&current) {
                    Some(directive) => (directive, format!("{}{problem}", location::place(&at.location()))),
                    None => (at, problem),
                };
                if !stay.contains(&reason) {
                    stay.push(reason);
                }
                open.extend(current.inner.into_iter().rev());
            }
        }
    }
    (nests, stay)
}

/// True for a function that may be optimized, and whose blocks have no addresses, which other functions may know.
fn may_change(function: Op<'_>) -> bool {
    let is_label = |operation: &Op<'_>| ["llvm.blocktag", "llvm.indirectbr"].contains(&ir::name(*operation));
    ir::attribute(function, "optimize_none").is_none() && !ir::descendants(function).iter().any(is_label)
}
