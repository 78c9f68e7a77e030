//! Promoted parts of inputs. In a kernel, a part in shared or global memory contains the elements that all threads of the
//! block reach, and all of them copy it.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @caches memory [MM: global, L1: cache] cores []
//! func.func @rows(%M: memref<6x8xf32>, %w: memref<6xf32>) {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[3, 1], [2, 8]],
//!       decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"]], reads = [[["MM[1, 2]", "MM[1, 2]"], ["L1[2, 1]", "L1[2, 1]"]]]},
//!       scalar = {reads = ["L1[2, 1]"]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! allocate part1: 8 x 2 x f32 on the stack
//! for p1_1 in 0..3:
//!   promote input 1 to L1[2, 1]:
//!     for p2_2 in 0..8:
//!       for p2_1 in 0..2:
//!         %0 = load input 1[2 * p1_1 + p2_1, p2_2]
//!         store %0 to part1[p2_2, p2_1]
//!   for p2_1 in 0..2:
//!     ..
//!       %1 = for p2_2 in 0..8 carrying (%2 = ..):
//!         %3 = load part1[p2_2, p2_1]
//! ```
use crate::{
    nest::{
        construction::Construction,
        contents::{ContentKind, Contents},
        cursor::{Cursor, ExecutionSpace},
        gpu::double_buffer::Ahead,
        gpu::{double_buffer, launch},
        index::Index::Constant,
        record::allocate,
        source::Promotion,
        tree::Purpose,
    },
    plan::{PlannedEntry, PlannedPromotion},
};
use mdh_dialects::schedule::roles::Memory;

/// Copies each input whose placement changes to its new placement.
pub fn promote<'t>(nest: &Construction<'_, 't>, cursor: &mut Cursor<'t>, entry: &PlannedEntry) {
    for step in &entry.promotions {
        let kernel = cursor.kernel().filter(|_| step.has_barriers).cloned();
        if let Some(kernel) = &kernel {
            kernel.barrier(&cursor.b);
        }
        let mut ahead = vec![];
        for promotion in &step.inputs {
            let buffer = promotion.input;
            cursor.is_home[buffer] = promotion.is_home;
            if promotion.is_home {
                cursor.sources[buffer] = cursor.home[buffer].clone();
                cursor.common[buffer] = cursor.home[buffer].clone();
                cursor.placed_at[buffer] = 0;
            } else {
                promote_input(nest, cursor, promotion, entry.is_parallel, &mut ahead);
            }
        }
        if let Some(buffered_loop) = cursor.buffered_loop.filter(|_| !ahead.is_empty()) {
            double_buffer::copy_ahead(nest, cursor, buffered_loop, &ahead);
        }
        if let Some(kernel) = &kernel {
            kernel.barrier(&cursor.b);
        }
    }
}

/// Promotes the part of an input that the code inside of the cursor's position reads. Multi-buffered parts are added to
/// `ahead` instead, to be copied ahead of their use. `parallel`: true if threads of a processor copy it.
pub fn promote_input<'t>(
    nest: &Construction<'_, 't>,
    cursor: &mut Cursor<'t>,
    planned: &PlannedPromotion,
    parallel: bool,
    ahead: &mut Vec<Ahead>,
) {
    let PlannedPromotion { input: buffer, placement, cause, .. } = planned;
    let buffer = *buffer;
    let memory = allocate::memory(nest, &placement.region);
    let point = cursor.point_of(memory);
    let scope = allocate::scope(cursor, memory);
    let is_own = memory == Memory::Private || matches!(cursor.place, ExecutionSpace::Processor);
    let from = if is_own { &cursor.sources[buffer] } else { &cursor.common[buffer] };
    let buffered_loop = double_buffer::buffered_loop(nest, cursor, buffer, placement);
    let contents = Contents::new(ContentKind::Input(buffer), *cause, placement);
    let promoted = from.iter().enumerate().map(|(group, source)| {
        let promotion = Promotion {
            parallel,
            ..allocate::promotion(nest, (buffer, group), placement, &point, &scope, buffered_loop.is_some())
        };
        let contents = Contents { part: group, ..contents.clone() };
        if let Some(number) = buffered_loop.and_then(|buffered_loop| cursor.point.number(buffered_loop.level)) {
            let b = &cursor.b;
            let part = source.part(b, &promotion, contents).at(Some(double_buffer::slot(b, number)));
            let placement = placement.clone();
            ahead.push(Ahead { buffer, group, placement, from: source.clone(), to: part.clone() });
            return part;
        }
        let inside = cursor.within(Purpose::Promote { input: buffer, group, placement: placement.clone() });
        let b = &inside.b;
        match &cursor.place {
            ExecutionSpace::Host => {
                let part = source.part(b, &promotion, contents);
                launch::on_all(nest, &inside, |inner, number, count| {
                    source.copy_by_threads(&inner.b, &part, &promotion, (number, count));
                });
                part
            }
            ExecutionSpace::Kernel(kernel) if memory != Memory::Private => {
                let block = (memory == Memory::Global).then_some(kernel.block);
                let part = source.part(b, &promotion, contents).at(block);
                source.copy_by_threads(b, &part, &promotion, (kernel.thread, Constant(kernel.threads)));
                part
            }
            _ => source.promote(b, &promotion, contents),
        }
    });
    cursor.sources[buffer] = promoted.collect();
    if !is_own {
        cursor.common[buffer] = cursor.sources[buffer].clone();
        cursor.placed_at[buffer] = cursor.depth;
    }
}
