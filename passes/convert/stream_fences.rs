//! `mdh-stream-fences`: inserts fences after non-temporal stores.
//!
//! ```mlir
//! llvm.func @write(%p: !llvm.ptr, %x: vector<16xf32>) {
//!   omp.parallel {
//!     llvm.store %x, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
//!     omp.terminator
//!   }
//!   llvm.return
//! }
//! ```
//! becomes
//! ```mlir
//! llvm.store %x, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
//! llvm.fence seq_cst
//! omp.terminator
//! ```
//!
//! Non-temporal stores may become visible late: a thread that learns from an ordinary store that a result is available
//! could still read the old contents. So a parallel region with such stores ends with a fence in each thread, and a
//! function with such stores outside parallel regions has a fence before it returns.
use mdh_dialects::{
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};
use melior::dialect::DialectHandle;

/// The pass.
pub struct StreamFences;

/// Sequentially consistent, in LLVM's encoding of orderings.
const ORDERING: i64 = 7;

impl MdhPass for StreamFences {
    const NAME: &'static str = "StreamFences";
    const ARGUMENT: &'static str = "mdh-stream-fences";
    const DESCRIPTION: &'static str = "Insert fences after non-temporal stores";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::llvm()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let mut regions: Vec<Op<'c>> = vec![];
        for store in
            ir::find(module, "llvm.store").into_iter().filter(|store| ir::attribute(*store, "nontemporal").is_some())
        {
            let mut around = ir::parent(store);
            while let Some(operation) = around.filter(|op| !["omp.parallel", "llvm.func"].contains(&ir::name(*op))) {
                around = ir::parent(operation);
            }
            regions.extend(around.filter(|operation| !regions.contains(operation)));
        }
        for region in regions {
            let end = if ir::name(region) == "omp.parallel" { "omp.terminator" } else { "llvm.return" };
            for end in ir::find(region, end).into_iter().filter(|end| ir::parent(*end) == Some(region)) {
                let b = Builder::before(end);
                b.op("llvm.fence", &[], &[], &[("ordering", b.i64_number(ORDERING))], vec![]);
            }
        }
        Ok(())
    }
}
