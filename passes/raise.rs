//! `mdh-raise`: raises the structured operations of `linalg` to views and homomorphisms.
//!
//! ```mlir
//! func.func @matvec(%M: tensor<6x8xf32>, %v: tensor<8xf32>) -> tensor<6xf32> {
//!   %zero = arith.constant 0.0 : f32
//!   %empty = tensor.empty() : tensor<6xf32>
//!   %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
//!   %w = linalg.matvec ins(%M, %v : tensor<6x8xf32>, tensor<8xf32>) outs(%start : tensor<6xf32>) -> tensor<6xf32>
//!   return %w : tensor<6xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %in = mdh.view.inp_view %M[..], %v[..] : (tensor<6x8xf32>, tensor<8xf32>) -> !mdh.mda<6x8, f32, f32>
//! %r = mdh.hom.md_hom %in init(%zero : f32) combine [#mdh.cc, #mdh.pw<[add]>] attributes {mdh.raised} {
//! %p = arith.mulf %a, %b : f32
//! mdh.hom.yield %p : f32
//! } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x1, f32>
//! %w = mdh.view.out_view %r[..] : !mdh.mda<6x1, f32> -> tensor<6xf32>
//! ```
//!
//! Parallel iterators are concatenated, reduction iterators combined point-wise. The region is split into the scalar
//! function, which depends on inputs, and the operator that combines its values with an output (`raise/linalg/region.rs`). The
//! outputs are the initial values; a fill becomes a scalar.
//!
//! Private functions that contain linalg are inlined first (`raise/inline.rs`), and tensors of rank 0 in regions become
//! scalars (`raise/scalars.rs`). Loop nests become structured operations, too (`raise/loops.rs`), and pads and
//! concatenations copies (`raise/linalg/copies.rs`).
//!
//! What cannot be raised stays, with a remark that gives the reason, and is lowered by upstream passes. A report of it is
//! written by the tool that runs the pass (`raise/receiver.rs`).
//! `docs/raising.md` lists what is raised.
mod inline;
mod linalg {
    //! Structured operations of `linalg` become computations.
    mod apart;
    pub mod build;
    pub mod copies;
    pub mod indices;
    mod known;
    mod operator;
    pub mod packs;
    mod proof;
    pub mod region;
    pub mod scan;
    pub mod structured;
    mod tuples;
}
pub mod loops;
pub mod receiver;
mod scalars;
pub mod torch;

use crate::expand_unregistered::{self, SCAN};
use linalg::{build, copies, indices, packs, region, scan, structured};
use mdh_dialects::{
    ffi::{handle, math_dialect},
    ir::{self, Op},
    pass::{Failure, MdhPass, emit_remark},
    pass_options,
};
use melior::dialect::DialectHandle;

/// The pass.
pub struct Raise;

pass_options! {
    /// Options of raising.
    pub struct RaiseOptions {
        /// An operation that cannot be raised is an error instead of a remark
        required: bool = false,
        /// The file (JSON) that mdh-opt writes what is raised to, and what stays for which reason
        report: String = "",
    }
}

impl MdhPass for Raise {
    const NAME: &'static str = "Raise";
    const ARGUMENT: &'static str = "mdh-raise";
    const DESCRIPTION: &'static str = "Raise linalg to views and homomorphisms";
    const OP: &'static str = "builtin.module";
    type Options = RaiseOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![
            handle(),
            DialectHandle::arith(),
            math_dialect(),
            DialectHandle::tensor(),
            DialectHandle::scf(),
            DialectHandle::memref(),
            DialectHandle::linalg(),
        ]
    }

    fn run<'c>(module: Op<'c>, options: RaiseOptions) -> Result<(), Failure<'c>> {
        if !options.report.is_empty() {
            receiver::send(&options.report, module)?;
        }
        run(module, options.required)
    }
}

/// Raises the structured operations and the loop nests of a module. `is_required`: the first one that cannot be raised is
/// an error.
pub fn run<'c>(module: Op<'c>, is_required: bool) -> Result<(), Failure<'c>> {
    raise_all(module, |operation, reason| {
        // No other pass lowers operations of dialects that are not registered.
        if is_required || expand_unregistered::is_unregistered(operation) {
            return Err(Failure::new(operation, format!("cannot be raised: {reason}")));
        }
        emit_remark(operation, &format!("is not raised: {reason}"));
        Ok(())
    })
}

/// Raises the structured operations and the loop nests of a module. `report` gets those that stay, with the reason, and
/// ends raising with an error.
pub fn raise_all<'c, E>(module: Op<'c>, mut report: impl FnMut(Op<'c>, String) -> Result<(), E>) -> Result<(), E> {
    inline::inline_functions(module);
    scalars::run(module);
    crate::expand_softmax::run(module);
    let mut scatters = vec![];
    expand_unregistered::run(module, true, &mut |operation, reason| {
        scatters.push(operation);
        report(operation, reason)
    })?;
    loops::elements::run(module);
    loops::counted::run(module);
    for operation in loops::counted::others(module) {
        report(operation, loops::counted::REQUIRED.to_owned())?;
    }
    loops::ranges::run(module);
    loops::run(module, &scatters, &mut report)?;
    for operation in candidates(module) {
        raise(operation).or_else(|reason| report(operation, reason))?;
    }
    // Scans are read from the pads before their windows.
    copies::run(module);
    build::erase_unused_fills(module);
    Ok(())
}

/// Scans of torch-mlir, and the operations of linalg, except fills, which become initial values, and operations in
/// regions of others.
fn candidates<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let is_structured = |operation: &Op<'c>| {
        let name = ir::name(*operation);
        let is_of_linalg =
            name.starts_with("linalg.") && !["linalg.index", "linalg.yield", "linalg.fill"].contains(&name);
        is_of_linalg || name == SCAN
    };
    ir::descendants(module).into_iter().filter(is_structured).collect()
}

/// Raises an operation. The error is the reason why it stays.
fn raise(operation: Op<'_>) -> Result<(), String> {
    match ir::name(operation) {
        SCAN => return torch::raise_scan(operation),
        packs::PACK | packs::UNPACK => return packs::raise(operation),
        _ => {}
    }
    let structured = structured::Structured::of(operation)?;
    indices::compute(&structured);
    let function = region::split(&structured, None)?;
    match scan::of_window(&structured, &function) {
        Some((structured, function)) => build::replace(&structured, &function),
        None => build::replace(&structured, &function),
    }
}
