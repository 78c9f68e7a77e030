//! `mdh-erase-symbols`: removes operators, systems and scripts if no computation that could refer to them is left.
//!
//! ```mlir
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! mdh.hom.operator @sum commutative (%x: f32, %y: f32) -> (f32) {
//!   %s = arith.addf %x, %y : f32
//!   mdh.hom.yield %s : f32
//! }
//! func.func @f() {
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! module {
//! func.func @f() {
//! return
//! ```
//!
//! `mdh-lower` runs on functions, which share these symbols, so it cannot remove them.
use mdh_dialects::{
    hom::{MdHom, Operator},
    ir::{self, Op, OpView},
    lowlevel::{Scalar, SystemOp, script::ScriptOp},
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct EraseSymbols;

impl MdhPass for EraseSymbols {
    const NAME: &'static str = "EraseSymbols";
    const ARGUMENT: &'static str = "mdh-erase-symbols";
    const DESCRIPTION: &'static str = "Remove operators, systems and scripts of schedules if no computation is left";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        if !MdHom::all(module).is_empty() || !Scalar::all(module).is_empty() {
            return Ok(());
        }
        for name in [ScriptOp::NAME, Operator::NAME, SystemOp::NAME] {
            ir::find(module, name).into_iter().for_each(ir::erase);
        }
        Ok(())
    }
}
