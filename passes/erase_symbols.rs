//! `mdh-erase-symbols`: removes operators and systems when no computation is left that could refer to them.
//!
//! ```mlir
//! mdh.lowlevel.system @simple memory [MM] cores []
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
//! `mdh-lower` runs on functions, which share these symbols, so it leaves them.
use mdh_dialects::{
    ir::{self, Op},
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct EraseSymbols;

impl MdhPass for EraseSymbols {
    const NAME: &'static str = "EraseSymbols";
    const ARGUMENT: &'static str = "mdh-erase-symbols";
    const DESCRIPTION: &'static str = "Remove operators and systems when no computation is left";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let computations = ["mdh.hom.md_hom", "mdh.lowlevel.scalar"];
        if ir::descendants(module).into_iter().any(|operation| computations.contains(&ir::name(operation))) {
            return Ok(());
        }
        for name in ["mdh.hom.operator", "mdh.lowlevel.system"] {
            ir::find(module, name).into_iter().for_each(ir::erase);
        }
        Ok(())
    }
}
