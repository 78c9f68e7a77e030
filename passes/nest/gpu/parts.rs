//! The part of a level that a block or thread owns, and control flow that is uniform across the threads of a block.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="target=cuda stop-after=loops print-nest=true"
//! func.func @copy(%x: memref<10xf32>, %y: memref<10xf32>) {
//!   %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<10xf32>) -> !mdh.mda<10, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda, parts = [[1], [1], [1], [3], [4]],
//!       decompose = {tags = [["DM,x"], ["SM,x"], ["RM,x"], ["SMX,x"], ["CC,x"]]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<10, f32> -> !mdh.mda<10, f32>
//!   mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<10, f32>, memref<10xf32>
//!   return
//! }
//! ```
//! has 12 threads for 10 points. Threads without a point compute the last point of their block, and store nothing:
//! ```text
//! kernel blocks (3, 1, 1) threads (4, 1, 1):
//!   map level (4, 1) to blocks: block.x
//!   map level (5, 1) to threads: thread.x
//!   %0 = load device input 1[4 * min(block.x, 2) + min(thread.x, min(4, 10 - 4 * min(block.x, 2)) - 1)]
//!   %1 = scalar (%0)
//!   if block.x < 3 and thread.x < min(4, 10 - 4 * min(block.x, 2)):
//!     store %1 to device output 1[4 * min(block.x, 2) + min(thread.x, min(4, 10 - 4 * min(block.x, 2)) - 1)]
//! ```
use crate::nest::{
    code::Code,
    construction::Construction,
    cursor::{Cursor, ExecutionSpace},
    gpu::kernel::KernelContext,
    index::Index::{self, Computed, Constant},
    loops,
    source::Source,
    space::Point,
    tile::and,
    tree::Value,
};
use crate::plan::KernelPhase;
use mdh_dialects::{
    ir::IntPredicate,
    schedule::{model::Level, roles::Memory},
};

impl<'t> Cursor<'t> {
    /// The kernel that this code is in.
    pub fn kernel(&self) -> Option<&KernelContext<'t>> {
        if let ExecutionSpace::Kernel(kernel) = &self.place { Some(kernel) } else { None }
    }

    /// This cursor with a changed kernel context.
    pub fn in_kernel(&self, change: impl FnOnce(&mut KernelContext<'t>)) -> Self {
        let mut cursor = self.clone();
        if let ExecutionSpace::Kernel(kernel) = &mut cursor.place {
            change(kernel);
        }
        cursor
    }

    /// Emits code that is predicated on the guard of the kernel: only threads whose results count run it.
    pub fn guarded(&self, b: &Code<'t>, body: impl FnOnce(&Code<'t>)) {
        let Some(guard) = self.kernel().and_then(|kernel| kernel.guard(b)) else { return body(b) };
        loops::when(b, guard, body);
    }

    /// This cursor at the beginning of a phase: stores of threads without a part in this phase are predicated off.
    pub fn begin(&self, phase: KernelPhase) -> Self {
        let condition = self.kernel().and_then(|kernel| kernel.takes_part(&self.b, phase));
        self.in_kernel(|kernel| kernel.takes_part = condition)
    }

    /// Fixes the part of a level that a thread owns. Out-of-bounds threads execute the last part with stores predicated
    /// off.
    fn at_part(&self, level: Level, number: Index, trip: Index) -> Self {
        let b = &self.b;
        let exists = number.compare(b, IntPredicate::Slt, trip);
        let last = if trip.constant() == Some(1) { Constant(0) } else { number.min(b, trip.sub(b, Constant(1))) };
        self.inside(b, level, last).in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists)))
    }

    /// This cursor in an iteration of a loop that all threads execute together, and the condition that this thread has
    /// the part. Other threads execute the part of the first thread of the dimension, which has all parts, with stores
    /// predicated off.
    pub fn in_uniform_loop(&self, b: &Code<'t>, level: Level, number: Index, trip: Index) -> (Self, Value) {
        let exists = number.compare(b, IntPredicate::Slt, trip);
        let mut cursor = self.inside(b, level, number);
        let fixed = self.kernel().map_or(vec![], |kernel| kernel.fixed.clone());
        for thread in fixed.into_iter().filter(|thread| thread.dimension == level.dimension) {
            let Some(number) = self.point.number(thread) else { continue };
            let chosen = [exists, number.materialize(b), Constant(0).materialize(b)];
            cursor.point.set(thread, Computed(b.select(chosen[0], chosen[1], chosen[2])));
        }
        // The part of the first thread may be outside of the buffers that this thread has promoted or computed.
        let computed = cursor.parts.iter_mut().map(|(_, sources)| sources);
        for sources in cursor.sources.iter_mut().chain(&mut cursor.home).chain(computed) {
            *sources = sources.drain(..).map(Source::confined).collect();
        }
        (cursor.in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists))), exists)
    }

    /// The point that determines the part in a buffer in `memory`: the point of the cursor without the levels whose
    /// parts share the buffer. These are the levels of the register tile and, unless `memory` is private, those of the
    /// threads of a block.
    pub fn point_of(&self, memory: Memory) -> Point {
        let mut point = self.point.clone();
        let tile = self.tile.axes.iter().map(|axis| axis.level);
        let threads = self.kernel().filter(|_| memory != Memory::Private).map_or(&[][..], |kernel| &kernel.fixed);
        for level in threads.iter().copied().chain(tile) {
            point.unfix(level);
        }
        point
    }
}

/// Fixes the part of a level that this block or thread owns.
pub fn fix<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, phase: KernelPhase, level: Level) -> Cursor<'t> {
    let Some(kernel) = cursor.kernel() else { return cursor.clone() };
    let Some(mapped) = kernel.mapped(phase, level).cloned() else { return cursor.clone() };
    let trip = nest.trip(cursor, level);
    let inner = if nest.space.is_exact(level.dimension) && mapped.is_bounded {
        cursor.inside(&cursor.b, level, mapped.number)
    } else {
        cursor.at_part(level, mapped.number, trip)
    };
    let inner = Cursor { buffered_loop: cursor.buffered_loop, ..inner };
    inner.in_kernel(|kernel| {
        if mapped.stride.is_some() {
            kernel.fixed.push(level);
        }
        kernel.unfixed.retain(|unfixed| *unfixed != level);
    })
}

/// Fixes the part of every result that this thread owns: its parts of the concatenated levels that are not fixed.
pub fn fix_owned<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>) -> Cursor<'t> {
    let unfixed = cursor.kernel().map_or(vec![], |kernel| kernel.unfixed.clone());
    let concatenates = |level: &Level| nest.workload.operators[level.dimension].concatenates();
    unfixed.into_iter().filter(concatenates).fold(cursor.clone(), |cursor, level| Cursor {
        depth: cursor.depth,
        ..fix(nest, &cursor, KernelPhase::Recompose, level)
    })
}

/// The largest trip count of a level over the threads of the block.
pub fn uniform_trip<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, level: Level) -> Index {
    let mut first = cursor.clone();
    for fixed in cursor.kernel().map_or(&[][..], |kernel| &kernel.fixed) {
        first.point.set(*fixed, Constant(0));
    }
    nest.trip(&first, level)
}

/// True if all threads have the same trip count in a dimension.
pub fn is_uniform<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, d: usize) -> bool {
    let fixed = cursor.kernel().map_or(&[][..], |kernel| &kernel.fixed);
    nest.space.is_exact(d) || !fixed.iter().any(|level| level.dimension == d)
}
