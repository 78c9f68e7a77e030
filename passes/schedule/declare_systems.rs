//! `mdh-declare-systems`: declares the built-in systems that schedules refer to, and erases the scripts that made them.
//!
//! ```mlir
//! // mdh-opt --pass-pipeline=builtin.module(func.func(mdh-schedule{system=artificial}),mdh-declare-systems)
//! func.func @negate(%x: tensor<8xf32>) -> tensor<8xf32> {
//!   %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc] {
//!   ^bb0(%a: f32):
//!     %n = arith.negf %a : f32
//!     mdh.hom.yield %n : f32
//!   } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
//!   %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
//!   return %y : tensor<8xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! mdh.lowlevel.system @artificial ..
//! func.func @negate(..
//! mdh.hom.md_hom .. system = @artificial}} {
//! ```
//!
//! `mdh-schedule` does this itself if it runs on a module. It does not if it runs on functions, because other functions
//! of the module may be transformed at the same time.
use crate::{analysis::computation::Computation, notation::chain, schedule::script};
use mdh_dialects::{
    ir::Op,
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct DeclareSystems;

impl MdhPass for DeclareSystems {
    const NAME: &'static str = "DeclareSystems";
    const ARGUMENT: &'static str = "mdh-declare-systems";
    const DESCRIPTION: &'static str =
        "Declare the built-in systems that schedules refer to, and erase scripts of schedules";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for computation in Computation::all(module) {
            // A computation without a schedule refers to no system.
            let Ok(schedule) = chain::schedule(&computation) else { continue };
            let at = computation.hom.op();
            schedule.system.declare(at).map_err(|message| Failure::new(at, message))?;
        }
        script::find::erase(module);
        Ok(())
    }
}
