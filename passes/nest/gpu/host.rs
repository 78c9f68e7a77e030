//! A computation on a device from the host's view: buffers are transferred to the device, kernels run, and results are
//! transferred back.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="target=cuda stop-after=loops print-nest=true"
//! func.func @copy(%x: memref<12xf32>, %y: memref<12xf32>) {
//!   %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<12xf32>) -> !mdh.mda<12, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc] attributes {schedule = {system = @cuda, parts = [[1], [1], [1], [3], [4]],
//!       decompose = {tags = [["DM,x"], ["SM,x"], ["RM,x"], ["SMX,x"], ["CC,x"]]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<12, f32> -> !mdh.mda<12, f32>
//!   mdh.view.out_view %r[affine_map<(i) -> (i)>] into %y : !mdh.mda<12, f32>, memref<12xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! allocate device input 1: 12 x f32 on the device
//! allocate device output 1: 12 x f32 on the device
//! transfer input 1 to device input 1
//! kernel blocks (3, 1, 1) threads (4, 1, 1):
//!   ..
//!   %0 = load device input 1[4 * block.x + thread.x]
//!   %1 = scalar (%0)
//!   store %1 to device output 1[4 * block.x + thread.x]
//! transfer device output 1 to output 1
//! free device input 1
//! free device output 1
//! ```
use crate::{
    nest::{
        accumulator::Accumulator,
        code::{Code, Recorder},
        construction::Construction,
        coverage::{self, coverage},
        cursor::Cursor,
        host::{self, Start, stores},
        index::Index::{self, Constant},
        initial::{InitialSource, InitialValues},
        initialize,
        loops::{self, Scope},
        outline,
        producer_sources::ProducerSources,
        space::IterationSpace,
        tile::and,
        tree::{self, Array, Nest, Operation, Storage},
        workload::{Initial, Producer, Workload},
    },
    plan::{LoopPlan, order::Phases},
    target::KernelFlavour,
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Schedule};

/// Builds the kernels of a computation and the host code around them. `kernels`: the properties of the target's kernels.
pub fn build(workload: &Workload, schedule: &Schedule, plan: &LoopPlan, kernels: &'static KernelFlavour) -> Nest {
    let phases = Phases::of_kernels(schedule, &workload.operators);
    let recorder = Recorder::default();
    let Start { b, inputs, inits, producers, outputs, extents } = Start::new(&recorder, workload);
    let (on_device, mut read) = DeviceCopy::of_inputs(&b, workload, &inputs, "");
    let arrays = workload.outputs.iter().map(|output| &output.array);
    let enumerated = outputs.iter().zip(arrays).enumerate();
    let results: Vec<_> =
        enumerated.map(|(i, (user, array))| DeviceCopy::new(&b, *user, array, &format!("output {}", i + 1))).collect();
    let initial = |(i, source): (usize, &Option<InitialSource>)| {
        source.map(|source| DeviceCopy::of_initial_value(&b, workload, i, source))
    };
    let initial_values: Vec<_> = inits.iter().enumerate().map(initial).collect();
    let of_device = |copy: &Option<DeviceCopy>| copy.as_ref().map(|copy| InitialSource::Buffer(copy.device));
    let sources: Vec<_> = initial_values.iter().map(of_device).collect();
    read.extend(initial_values.into_iter().flatten());
    let producers = workload.producers.iter().zip(&producers).map(|(producer, sources)| {
        let (on_device, copies) = DeviceCopy::of_producer(&b, producer, sources);
        read.extend(copies);
        on_device
    });
    let producers: Vec<_> = producers.collect();
    read.iter().for_each(|buffer| buffer.send(&b));
    // Elements of a destination that no index function reaches keep their value, so the destination is transferred
    // unless the computation writes all elements. Results that are updated in place are read.
    let is_in_place = workload.inits.iter().any(|initial| matches!(initial, Initial::InPlace));
    for (buffer, output) in results.iter().zip(&workload.outputs).filter(|_| !workload.has_results) {
        if is_in_place {
            buffer.send(&b);
            continue;
        }
        let Some(conditions) = coverage(&b, workload, output, buffer.user, &extents) else {
            buffer.send(&b);
            continue;
        };
        if let Some(is_covered) = conditions.into_iter().fold(None, |all, condition| Some(and(&b, all, condition))) {
            let send = |b: &Code<'_>| {
                buffer.send(b);
                vec![]
            };
            loops::branch(&b, is_covered, &[], |_| vec![], send);
        }
    }
    let targets: Vec<_> = results.iter().map(|buffer| buffer.device).collect();

    let space = IterationSpace::new(&b, extents.clone(), schedule);
    let scope = Scope::device(&b);
    let mut nest = Construction::new(&recorder, workload, &phases, space, &on_device, Some(kernels));
    nest.producers = producers;
    let accumulator = Accumulator {
        stores: stores(workload, &targets).into_iter().flatten().collect(),
        entered: vec![],
        inits: None,
    };
    let inits = InitialValues::new(&b, &scope, &nest, &sources, &accumulator.stores);
    let accumulator = initialize::start(&mut nest, inits, accumulator);
    let cursor = Cursor::new(&nest, b, scope.clone());
    generate(&nest, plan, &cursor, &extents, &accumulator);
    scope.close(&b);
    results.iter().for_each(|buffer| buffer.fetch(&b));
    read.iter().chain(&results).for_each(|buffer| buffer.free(&b));
    let nest = host::finish(recorder, workload);
    debug_assert_eq!(outline::difference(plan, &nest, schedule), None);
    nest
}

/// Emits kernels for a non-empty space. In an empty space, results of a reduction are the initial value or the identity.
fn generate<'t>(
    nest: &Construction<'_, 't>,
    plan: &LoopPlan,
    cursor: &Cursor<'t>,
    extents: &[Index],
    into: &Accumulator,
) {
    let fill = |cursor: &Cursor<'t>| match &nest.carry_in {
        Some(carry) => initialize::fill(nest, cursor, into, carry),
        None => initialize::initialize(nest, cursor, into),
    };
    if extents.iter().any(|extent| extent.constant() == Some(0)) {
        return fill(cursor);
    }
    let b = &cursor.b;
    let open = extents.iter().filter(|extent| extent.constant().is_none());
    let is_inhabited =
        open.fold(None, |all, extent| Some(and(b, all, extent.compare(b, IntPredicate::Sgt, Constant(0)))));
    let Some(is_inhabited) = is_inhabited else { return nest.generate(plan, cursor.clone(), into.clone()) };
    let version = |b: &Code<'t>, is_inhabited: bool| {
        let cursor = Cursor { b: *b, ..cursor.clone() };
        if is_inhabited {
            nest.generate(plan, cursor, into.clone());
        } else {
            fill(&cursor);
        }
        vec![]
    };
    loops::branch(b, is_inhabited, &[], |b| version(b, true), |b| version(b, false));
}

/// A buffer of the user and its copy on the device.
struct DeviceCopy {
    user: tree::Buffer,
    /// A contiguous row-major buffer on the host: the user's buffer itself, or a copy.
    host: tree::Buffer,
    device: tree::Buffer,
    /// True if the nest allocates the buffer on the host, although it is not a copy.
    is_temporary: bool,
}

impl DeviceCopy {
    fn new(b: &Code<'_>, user: tree::Buffer, array: &Array, role: &str) -> Self {
        let plain = Array::row_major(array.element, array.sizes.clone(), tree::MemorySpace::Global);
        let open = (0..array.sizes.len()).filter(|&axis| array.sizes[axis].is_none());
        let size = |axis: usize| coverage::size(b, user, &array.sizes, axis).materialize(b);
        let sizes: Vec<_> = open.map(size).collect();
        let host = if *array == plain {
            user
        } else {
            let host = b.recorder.buffer(plain.clone());
            b.effect(Operation::Allocate(host, Storage::Plain), &sizes);
            host
        };
        let device = b.recorder.buffer(plain);
        b.effect(Operation::Allocate(device, Storage::Device(role.to_owned())), &sizes);
        Self { user, host, device, is_temporary: false }
    }

    /// By input, the buffer on the device, and the copies. There is none of a result of a producer, which never exists as a
    /// whole: its buffer is that of the user, which nothing reads. `of`: the end of the names of the copies.
    fn of_inputs(
        b: &Code<'_>,
        workload: &Workload,
        users: &[tree::Buffer],
        of: &str,
    ) -> (Vec<tree::Buffer>, Vec<Self>) {
        let mut copies = vec![];
        let on_device = users.iter().zip(&workload.inputs).enumerate().map(|(i, (user, input))| {
            if input.producer.is_some() {
                return *user;
            }
            let copy = Self::new(b, *user, &input.array, &format!("input {}{of}", i + 1));
            let device = copy.device;
            copies.push(copy);
            device
        });
        (on_device.collect(), copies)
    }

    /// The buffers on the device that a producer reads, and the copies.
    fn of_producer(b: &Code<'_>, producer: &Producer, sources: &ProducerSources) -> (ProducerSources, Vec<Self>) {
        let Producer { number, workload, .. } = producer;
        let of = format!(" of computation {}", number + 1);
        let (inputs, mut copies) = Self::of_inputs(b, workload, &sources.inputs, &of);
        let init = |(i, source): (usize, &Option<InitialSource>)| {
            let copy = Self::of_initial_value(b, workload, i, (*source)?);
            let device = copy.device;
            copies.push(copy);
            Some(InitialSource::Buffer(device))
        };
        let inits = sources.inits.iter().enumerate().map(init).collect();
        (ProducerSources { inputs, inits, extents: sources.extents.clone() }, copies)
    }

    /// The copy of an initial value: of its buffer, or of a buffer with the scalar.
    fn of_initial_value(b: &Code<'_>, workload: &Workload, component: usize, source: InitialSource) -> Self {
        let role = format!("initial value {}", component + 1);
        let scalar = match (&workload.inits[component], source) {
            (Initial::Elements { array, .. }, InitialSource::Buffer(buffer)) => {
                return Self::new(b, buffer, array, &role);
            }
            (_, InitialSource::Scalar(scalar)) => scalar,
            (_, InitialSource::Buffer(buffer)) => unreachable!("{buffer:?} is a scalar"),
        };
        let array = Array::row_major(workload.output_types[component], vec![], tree::MemorySpace::Global);
        let host = b.recorder.buffer(array.clone());
        b.effect(Operation::Allocate(host, Storage::Plain), &[]);
        b.store(host, &[], scalar);
        Self { is_temporary: true, ..Self::new(b, host, &array, &role) }
    }

    /// Copies the user's buffer to the device.
    fn send(&self, b: &Code<'_>) {
        if self.host != self.user {
            b.effect(Operation::Copy { from: self.user, to: self.host, is_transfer: false }, &[]);
        }
        b.effect(Operation::Copy { from: self.host, to: self.device, is_transfer: true }, &[]);
    }

    /// Copies the buffer on the device back.
    fn fetch(&self, b: &Code<'_>) {
        b.effect(Operation::Copy { from: self.device, to: self.host, is_transfer: true }, &[]);
        if self.host != self.user {
            b.effect(Operation::Copy { from: self.host, to: self.user, is_transfer: false }, &[]);
        }
    }

    fn free(&self, b: &Code<'_>) {
        b.effect(Operation::Free(self.device, Storage::Device(String::new())), &[]);
        if self.host != self.user || self.is_temporary {
            b.effect(Operation::Free(self.host, Storage::Plain), &[]);
        }
    }
}
