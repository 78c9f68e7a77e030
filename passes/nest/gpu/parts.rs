//! Which part of a level a block or thread has, and what all threads of a block do alike.
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
//! has 12 threads for 10 points. Those without a point compute the last one of their block, and store nothing:
//! ```text
//! kernel blocks (3, 1, 1) threads (4, 1, 1):
//!   blocks share out level (4, 1): block.x
//!   threads share out level (5, 1): thread.x
//!   %0 = load device input 1[4 * min(block.x, 2) + min(thread.x, min(4, 10 - 4 * min(block.x, 2)) - 1)]
//!   %1 = scalar (%0)
//!   if block.x < 3 and thread.x < min(4, 10 - 4 * min(block.x, 2)):
//!     store %1 to device output 1[4 * min(block.x, 2) + min(thread.x, min(4, 10 - 4 * min(block.x, 2)) - 1)]
//! ```
use super::Memory;
use crate::nest::{
    code::Code,
    frame::{Construction, Frame, Place},
    gpu::kernel::{Kernel, Phase},
    index::Index::{self, Computed, Constant},
    loops,
    source::Source,
    space::Point,
    tile::and,
    tree::Value,
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::model::{Level, Placement},
};

impl<'t> Frame<'t> {
    /// The kernel that this code is in.
    pub fn kernel(&self) -> Option<&Kernel<'t>> {
        if let Place::Kernel(kernel) = &self.place { Some(kernel) } else { None }
    }

    /// This frame with another state of its kernel.
    pub fn in_kernel(&self, change: impl FnOnce(&mut Kernel<'t>)) -> Self {
        let mut frame = self.clone();
        if let Place::Kernel(kernel) = &mut frame.place {
            change(kernel);
        }
        frame
    }

    /// Code that only those threads run whose results count.
    pub fn guarded(&self, b: &Code<'t>, body: impl FnOnce(&Code<'t>)) {
        let Some(guard) = self.kernel().and_then(|kernel| kernel.guard(b)) else { return body(b) };
        loops::when(b, guard, body);
    }

    /// This frame where a phase begins: threads for which it has no part do not count.
    pub fn begin(&self, phase: Phase) -> Self {
        let condition = self.kernel().and_then(|kernel| kernel.takes_part(&self.b, phase));
        self.in_kernel(|kernel| kernel.takes_part = condition)
    }

    /// The part of a level that a thread has; one that has none goes along with the last one, and writes nothing.
    fn at_part(&self, level: Level, number: Index, trip: Index) -> Self {
        let b = &self.b;
        let exists = number.compare(b, IntPredicate::Slt, trip);
        let last = if trip.constant() == Some(1) { Constant(0) } else { number.min(b, trip.sub(b, Constant(1))) };
        self.inside(b, level, last).in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists)))
    }

    /// A part of a loop that all threads go through alike, and whether it is one of this thread: others go along with the first thread
    /// of the dimension, which has all of them, and write nothing.
    pub fn together(&self, b: &Code<'t>, level: Level, number: Index, trip: Index) -> (Self, Value) {
        let exists = number.compare(b, IntPredicate::Slt, trip);
        let mut frame = self.inside(b, level, number);
        let fixed = self.kernel().map_or(vec![], |kernel| kernel.fixed.clone());
        for thread in fixed.into_iter().filter(|thread| thread.dimension == level.dimension) {
            let Some(number) = self.point.number(thread) else { continue };
            let chosen = [exists, number.materialize(b), Constant(0).materialize(b)];
            frame.point.set(thread, Computed(b.select(chosen[0], chosen[1], chosen[2])));
        }
        // The part of the first thread is not among what this one has for itself.
        for groups in &mut frame.sources {
            *groups = groups.drain(..).map(Source::confined).collect();
        }
        (frame.in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists))), exists)
    }

    /// The point with nothing fixed that the threads of a block share out, or that a register tile computes at once.
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

impl<'t> Construction<'_, 't> {
    /// A frame with the part of a level that this block or thread has.
    pub fn fix(&self, frame: &Frame<'t>, phase: Phase, level: Level) -> Frame<'t> {
        let Some(kernel) = frame.kernel() else { return frame.clone() };
        let Some(mapped) = kernel.mapped(phase, level).cloned() else { return frame.clone() };
        let trip = self.trip(frame, level);
        let inner = if self.space.is_exact(level.dimension) && mapped.is_bounded {
            frame.inside(&frame.b, level, mapped.number)
        } else {
            frame.at_part(level, mapped.number, trip)
        };
        let inner = Frame { turn: frame.turn, ..inner };
        inner.in_kernel(|kernel| {
            if mapped.stride.is_some() {
                kernel.fixed.push(level);
            }
            kernel.waiting.retain(|waiting| *waiting != level);
        })
    }

    /// A frame with what its thread has of every result: its part of the concatenated levels that are not fixed.
    pub fn owned(&self, frame: &Frame<'t>) -> Frame<'t> {
        let waiting = frame.kernel().map_or(vec![], |kernel| kernel.waiting.clone());
        let concatenates = |level: &Level| self.workload.operators[level.dimension].concatenates();
        waiting.into_iter().filter(concatenates).fold(frame.clone(), |frame, level| Frame {
            depth: frame.depth,
            ..self.fix(&frame, Phase::Recompose, level)
        })
    }

    /// The number of parts of a level that some thread of the block has.
    pub fn uniform_trip(&self, frame: &Frame<'t>, level: Level) -> Index {
        let mut first = frame.clone();
        for fixed in frame.kernel().map_or(&[][..], |kernel| &kernel.fixed) {
            first.point.set(*fixed, Constant(0));
        }
        self.trip(&first, level)
    }

    /// Whether all threads have the same number of parts of a level.
    pub fn is_uniform(&self, frame: &Frame<'t>, d: usize) -> bool {
        let fixed = frame.kernel().map_or(&[][..], |kernel| &kernel.fixed);
        self.space.is_exact(d) || !fixed.iter().any(|level| level.dimension == d)
    }

    /// Whether threads may have to wait for each other behind a frame.
    pub fn is_collective(&self, frame: &Frame<'t>) -> bool {
        let Some(kernel) = frame.kernel() else { return false };
        if kernel.is_collective {
            return true;
        }
        let is_shared = |region: &str| self.schedule.system.device_memory(region) != Memory::Private;
        if frame.results.is_none() {
            if self.shared < self.schedule.scalar_loops().len() && frame.depth <= self.shared {
                return true;
            }
            let moves = |new: &[Placement], old: &[Placement]| {
                new.iter().zip(old).any(|(new, old)| new != old && is_shared(&new.region))
            };
            let (mut depth, mut around) = (0, &self.home_inputs[..]);
            for step in &self.schedule.decompose {
                if moves(&step.placements, around) && depth.min(self.decomposed) > frame.depth {
                    return true;
                }
                depth += usize::from(self.schedule.is_loop(step.level));
                around = &step.placements;
            }
            if moves(&self.schedule.scalar.reads, around) && depth > frame.depth {
                return true;
            }
        }
        let loops = self.schedule.recompose.iter().filter(|step| self.schedule.is_loop(step.level));
        let combines = |level: Level| self.workload.operators[level.dimension].combines();
        loops.skip(frame.depth).any(|step| self.schedule.is_core(&step.tag) && combines(step.level))
    }
}
