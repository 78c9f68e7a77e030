//! A computation on a device, as the host sees it: its buffers go there, kernels run, and its results come back.
//!
//! ```text
//!                                            %0 = gpu.alloc, gpu.memcpy %0, %M
//! %w = computation of %M on the host   ──▶   %1 = gpu.alloc, gpu.launch .. { .. %0 .. %1 .. }
//!                                            gpu.memcpy %w, %1, gpu.dealloc %0, %1
//! ```
use super::{held::Problem, hoist::hoisted, limits::Limits};
use crate::{
    analysis::computation::Computation,
    lower::{
        Freedom,
        accumulator::Accumulator,
        coverage::coverage,
        empty_nest, extents, finish,
        index::Index::{self, Constant, Value},
        loops::{self, Scope},
        nest::{Frame, Nest},
        outputs, prepare,
        space::Space,
        stores,
        tile::and,
    },
    schedule::model::{Level, Schedule},
    target::KernelFlavour,
};
use mdh_dialects::{
    attributes::{BUFFER, MANUAL},
    ir::{self, Builder, IntPredicate, Val},
};
use melior::ir::ValueLike;

/// Replaces a computation on memrefs by kernels and the host's code around them before its out_view. Errors name what is not on memrefs, or
/// what a device does not have. `kernels`: what those of the target are like. `limits`: what a block may have.
pub fn lower<'c>(
    computation: &Computation<'c>,
    schedule: &Schedule,
    freedom: Freedom,
    kernels: &'static KernelFlavour,
    limits: &Limits,
) -> Result<(), String> {
    super::check(schedule)?;
    let problem = Problem::new(computation, schedule, limits);
    let b = prepare(computation, schedule, freedom)?;
    let schedule = hoisted(schedule, &computation.operators);
    let extents = extents(&b, computation);
    let outputs = outputs(&b, computation, &extents);
    let is_new = !computation.out_view.results().is_empty();
    let inputs: Vec<_> = computation
        .inputs
        .iter()
        .enumerate()
        .map(|(i, input)| Buffer::new(&b, input.value, &format!("input {}", i + 1)))
        .collect();
    let results: Vec<_> =
        outputs.iter().enumerate().map(|(i, output)| Buffer::new(&b, *output, &format!("output {}", i + 1))).collect();
    inputs.iter().for_each(|buffer| buffer.send(&b));
    // Elements that no index function reaches keep their value in a destination.
    for (buffer, output) in results.iter().zip(&computation.outputs).filter(|_| !is_new) {
        let Some(conditions) = coverage(&b, computation, output, &extents) else {
            buffer.send(&b);
            continue;
        };
        if let Some(is_covered) = conditions.into_iter().fold(None, |all, condition| Some(and(&b, all, condition))) {
            let send = |b: &Builder<'c>| {
                buffer.send(b);
                vec![]
            };
            loops::branch(&b, is_covered, &[], |_| vec![], send);
        }
    }
    let on_device: Vec<_> = inputs.iter().map(|buffer| buffer.device).collect();
    let targets: Vec<_> = results.iter().map(|buffer| buffer.device).collect();

    let space = Space::new(&b, extents.clone(), &schedule);
    let scope = Scope::device(&b);
    let mut nest = empty_nest(computation, &schedule, space, &on_device, freedom);
    nest.kernels = Some(kernels);
    nest.tile = register_layers(&schedule, computation.rank());
    let accumulator = Accumulator {
        stores: stores(computation, &targets).into_iter().flatten().collect(),
        placements: computation.outputs.iter().map(|output| schedule.home(output.shape.len())).collect(),
        opened: vec![],
    };
    let frame = Frame { problem: problem.clone(), ..Frame::new(&nest, b, scope.clone()) };
    generate(&nest, &frame, &extents, &accumulator);
    scope.close(&b);
    if let Some(problem) = problem.get() {
        return Err(problem);
    }
    results.iter().for_each(|buffer| buffer.fetch(&b));
    inputs.iter().chain(&results).for_each(|buffer| buffer.free(&b));
    finish(computation, &outputs);
    Ok(())
}

/// Kernels for a space that has a point; where it has none, results of a reduction are the identity.
fn generate<'c>(nest: &Nest<'_, 'c>, frame: &Frame<'c>, extents: &[Index<'c>], into: &Accumulator<'c>) {
    if extents.iter().any(|extent| extent.constant() == Some(0)) {
        return nest.initialize(frame, into);
    }
    let b = &frame.b;
    let open = extents.iter().filter(|extent| extent.constant().is_none());
    let is_inhabited =
        open.fold(None, |all, extent| Some(and(b, all, extent.compare(b, IntPredicate::Sgt, Constant(0)))));
    let Some(is_inhabited) = is_inhabited else { return nest.generate(frame.clone(), into.clone()) };
    let version = |b: &Builder<'c>, is_inhabited: bool| {
        let frame = Frame { b: *b, ..frame.clone() };
        if is_inhabited {
            nest.generate(frame, into.clone());
        } else {
            nest.initialize(&frame, into);
        }
        vec![]
    };
    loops::branch(b, is_inhabited, &[], |b| version(b, true), |b| version(b, false));
}

/// By dimension: the layers of the register tile.
fn register_layers(schedule: &Schedule, rank: usize) -> Vec<Vec<usize>> {
    let mut layers = vec![vec![]; rank];
    for (Level { layer, dimension }, _) in
        schedule.scalar_loops().into_iter().filter(|(_, tag)| schedule.is_register(tag))
    {
        layers[dimension].push(layer);
    }
    layers
}

/// A buffer of the user and its copy on the device.
struct Buffer<'c> {
    user: Val<'c>,
    /// The elements of the user's buffer without gaps: the buffer itself, or a copy.
    host: Val<'c>,
    device: Val<'c>,
}

impl<'c> Buffer<'c> {
    fn new(b: &Builder<'c>, user: Val<'c>, role: &str) -> Self {
        let r#type = user.r#type();
        let shape = ir::shape(r#type).unwrap_or_default();
        let element = ir::element_type(r#type).unwrap_or(r#type);
        let plain = b.memref(&shape, element, None);
        let size = |axis: usize| {
            let axis = Constant(axis as i64).materialize(b);
            Value(b.value("memref.dim", &[user, axis], b.index(), &[])).materialize(b)
        };
        let sizes: Vec<_> = (0..shape.len()).filter(|&axis| shape[axis].is_none()).map(size).collect();
        let manual = (MANUAL, b.unit());
        let host = if r#type == plain {
            user
        } else {
            b.value("memref.alloc", &sizes, plain, &[b.segments(&[sizes.len(), 0]), manual])
        };
        let role = b.string(role);
        let attributes = [b.segments(&[0, sizes.len(), 0]), (BUFFER, role)];
        Self { user, host, device: b.value("gpu.alloc", &sizes, plain, &attributes) }
    }

    /// Copies it to the device.
    fn send(&self, b: &Builder<'c>) {
        if self.host != self.user {
            b.op("memref.copy", &[self.user, self.host], &[], &[], vec![]);
        }
        b.op("gpu.memcpy", &[self.device, self.host], &[], &[], vec![]);
    }

    /// Copies it back.
    fn fetch(&self, b: &Builder<'c>) {
        b.op("gpu.memcpy", &[self.host, self.device], &[], &[], vec![]);
        if self.host != self.user {
            b.op("memref.copy", &[self.host, self.user], &[], &[], vec![]);
        }
    }

    fn free(&self, b: &Builder<'c>) {
        let manual = (MANUAL, b.unit());
        b.op("gpu.dealloc", &[self.device], &[], &[], vec![]);
        if self.host != self.user {
            b.op("memref.dealloc", &[self.host], &[], &[manual], vec![]);
        }
    }
}
