//! `mdh-keep-roundings`: rounds the result of each operation to its type, as the reference evaluator does.
//!
//! ```text
//! %b = arith.truncf %a fastmath<contract> : f32 to bf16   ──▶   %b = arith.truncf %a : f32 to bf16
//! %c = arith.extf %b fastmath<contract> : bf16 to f32     ──▶   %c = arith.extf %b : bf16 to f32
//! ```
//!
//! Upstream computes types that a processor does not have in wider ones, and lets a folder remove the roundings in between.
use mdh_dialects::{
    ir::{self, Op},
    pass::{MdhPass, Run},
};
use melior::dialect::DialectHandle;

/// The pass.
#[derive(Clone, Debug, Default)]
pub struct KeepRoundings;

impl MdhPass for KeepRoundings {
    const NAME: &'static str = "KeepRoundings";
    const ARGUMENT: &'static str = "mdh-keep-roundings";
    const DESCRIPTION: &'static str = "Round the result of each operation to its type";
    const OP: &'static str = "builtin.module";

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith()]
    }

    fn run<'c>(&mut self, module: Op<'c>, _run: Run) -> Result<(), String> {
        for cast in ["arith.truncf", "arith.extf"].into_iter().flat_map(|name| ir::find(module, name)) {
            ir::remove_attribute(cast, "fastmath");
        }
        Ok(())
    }
}
