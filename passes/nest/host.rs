//! Builds the nest of a computation on the processor, and the common beginning of the nests of all machines.
use super::{
    accumulator::Accumulator,
    code::{Code, Recorder},
    contents::{ContentKind, Contents},
    coverage::{self, copy_what_stays},
    index::Index::{self, Computed, Constant},
    initial::{InitialSource, InitialValues},
    initialize,
    loops::{self, Scope},
    outline,
    producer_sources::ProducerSources,
    source::{Promotion, Source},
    space::{IterationSpace, Point},
    store::Store,
    tile,
    tree::{Buffer, Nest, Operation, Storage, Value},
    types::{Element, Type},
    workload::{Initial, Input, Output, Producer, Workload},
};
use crate::{
    analysis::computation::ExtentSource,
    nest::{construction::Construction, cursor::Cursor, types::Lanes},
    plan::{Cause, LoopPlan, order::Phases},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Schedule};

/// The nest of a computation on the processor. `cache`: the bytes of the last-level cache, if results of at least twice
/// its size are to be written with non-temporal stores.
pub fn build(workload: &Workload, schedule: &Schedule, plan: &LoopPlan, cache: Option<u64>) -> Nest {
    let recorder = Recorder::default();
    let start = Start::new(&recorder, workload);
    let Start { b, inputs, inits, producers, outputs, extents } = &start;
    let replaces_copy = copy_what_stays(b, workload, outputs, extents);
    let phases = Phases::of(schedule);
    let generate = |b: &Code<'_>, is_nontemporal: &[bool], on_stack: bool| {
        let space = IterationSpace::new(b, extents.clone(), schedule);
        let scope = Scope::open(b, on_stack);
        let mut nest = construction(b, &scope, workload, &phases, space, inputs);
        nest.producers.clone_from(producers);
        let stores = stores(workload, outputs).into_iter().zip(is_nontemporal);
        let stores = stores.flat_map(|(stores, &is_nontemporal)| {
            stores.into_iter().map(move |store| if is_nontemporal { store.streaming() } else { store })
        });
        let accumulator = Accumulator { stores: stores.collect(), entered: vec![], inits: None };
        let inits = InitialValues::new(b, &scope, &nest, inits, &accumulator.stores);
        let accumulator = initialize::start(&mut nest, inits.clone(), accumulator);
        let cursor = Cursor::new(&nest, *b, scope.clone());
        initialize::generate_or_fill(&nest, plan, &cursor, accumulator);
        scope.close(b);
    };
    let large = large(&start, workload, schedule, cache);
    let always: Vec<_> = large.iter().map(|large| matches!(large, Large::Always)).collect();
    let sometimes =
        large.iter().filter_map(|large| if let Large::If(condition) = large { Some(*condition) } else { None });
    match sometimes.fold(None, |all, condition| Some(tile::and(b, all, condition))) {
        Some(condition) => {
            let is_nontemporal: Vec<_> = large.iter().map(|large| !matches!(large, Large::Never)).collect();
            let version = |b: &Code<'_>, is_nontemporal: &[bool]| {
                generate(b, is_nontemporal, false);
                vec![]
            };
            loops::branch(b, condition, &[], |b| version(b, &is_nontemporal), |b| version(b, &always));
        }
        None => generate(b, &always, workload.is_outermost),
    }
    let nest = Nest { replaces_copy, ..finish(recorder, workload) };
    debug_assert_eq!(outline::difference(plan, &nest, schedule), None);
    nest
}

/// The completed nest of a computation, which replaces no copies.
pub fn finish(recorder: Recorder, workload: &Workload) -> Nest {
    let counts = workload.producers.iter().map(|producer| (producer.number, producer.workload.inputs.len()));
    let counts: Vec<_> = counts.collect();
    Nest {
        inputs: workload.inputs.len() + counts.iter().map(|(_, inputs)| inputs).sum::<usize>(),
        producers: counts,
        initial_values: workload.initial_buffers(),
        replaces_copy: vec![false; workload.outputs.len()],
        ..recorder.finish()
    }
}

/// The beginning of a nest: the user's buffers, and the extents of the iteration space.
pub struct Start<'t> {
    /// The insertion point after the beginning.
    pub b: Code<'t>,
    /// The input buffers.
    pub inputs: Vec<Buffer>,
    /// The initial values by component; `None` for constants and updates in place.
    pub inits: Vec<Option<InitialSource>>,
    /// The buffers and values that producers read.
    pub producers: Vec<ProducerSources>,
    /// The destinations, or new buffers for the results.
    pub outputs: Vec<Buffer>,
    /// The extents of the iteration space, read from buffers or operands if they are dynamic.
    pub extents: Vec<Index>,
}

impl<'t> Start<'t> {
    /// Reads extents and allocates results.
    pub fn new(recorder: &'t Recorder, workload: &Workload) -> Self {
        let b = recorder.begin();
        let inputs: Vec<_> = workload.inputs.iter().map(|input| recorder.buffer(input.array.clone())).collect();
        let read = |producer: &Producer| {
            let inputs = producer.workload.inputs.iter().map(|input| recorder.buffer(input.array.clone()));
            ProducerSources { inputs: inputs.collect(), inits: vec![], extents: vec![] }
        };
        let mut producers: Vec<_> = workload.producers.iter().map(read).collect();
        let initial_buffers: Vec<_> = workload
            .inits
            .iter()
            .map(|initial| match initial {
                Initial::Elements { array, .. } => Some(InitialSource::Buffer(recorder.buffer(array.clone()))),
                _ => None,
            })
            .collect();
        let outputs: Vec<_> = workload.outputs.iter().map(|output| recorder.buffer(output.array.clone())).collect();
        let operands = |workload: &Workload| -> Vec<_> {
            let operands = workload.extents.iter().filter(|source| matches!(source, ExtentSource::Operand(_)));
            operands.map(|_| recorder.parameter(Type::INDEX)).collect()
        };
        let own_operands = operands(workload);
        let scalar = |(i, initial): (usize, &Initial)| match initial {
            Initial::Scalar => Some(InitialSource::Scalar(recorder.parameter(workload.output_types[i].into()))),
            _ => initial_buffers[i],
        };
        let inits = workload.inits.iter().enumerate().map(scalar).collect();
        for (number, producer) in workload.producers.iter().enumerate() {
            let operands = operands(&producer.workload);
            let extents = extents(&b, &producer.workload, &producers[number].inputs, &operands, (workload, &producers));
            let sources = &mut producers[number];
            sources.extents = extents;
            let Workload { inits, output_types, .. } = &producer.workload;
            let scalar = |(initial, element): (&Initial, &Element)| match initial {
                Initial::Scalar => Some(InitialSource::Scalar(recorder.parameter((*element).into()))),
                _ => None,
            };
            sources.inits = inits.iter().zip(output_types).map(scalar).collect();
        }
        let extents = extents(&b, workload, &inputs, &own_operands, (workload, &producers));
        if workload.has_results {
            for (output, buffer) in workload.outputs.iter().zip(&outputs) {
                let sizes = result_sizes(&b, workload, output, &extents);
                b.effect(Operation::Allocate(*buffer, Storage::Result), &sizes);
            }
        }
        Self { b, inputs, inits, producers, outputs, extents }
    }
}

/// The extents of a computation. `operands`: those that are values of the program. `producers`: the consumer, and what
/// its producers read, with the extents of those before this computation.
fn extents(
    b: &Code<'_>,
    workload: &Workload,
    inputs: &[Buffer],
    operands: &[Value],
    (consumer, producers): (&Workload, &[ProducerSources]),
) -> Vec<Index> {
    let source = |source: &ExtentSource| match *source {
        ExtentSource::Static(extent) => Constant(extent as i64),
        ExtentSource::Operand(i) => Computed(operands[i]),
        ExtentSource::Input { buffer, dimension } => {
            let Input { array, producer, .. } = &workload.inputs[buffer];
            match producer.filter(|_| array.sizes[dimension].is_none()) {
                // The buffer never exists as a whole.
                Some((of, output)) => {
                    let access = &consumer.producers[of].workload.outputs[output].accesses[0];
                    let indexed = access.terms(dimension).next();
                    indexed.map_or(Constant(access.origin(dimension) + 1), |(d, _)| producers[of].extents[d])
                }
                None => coverage::size(b, inputs[buffer], &array.sizes, dimension),
            }
        }
    };
    workload.extents.iter().map(source).collect()
}

/// The dynamic sizes of a result: each is the largest index that is written, plus one.
fn result_sizes(b: &Code<'_>, workload: &Workload, output: &Output, extents: &[Index]) -> Vec<Value> {
    let open = output.array.sizes.iter().enumerate().filter(|(_, size)| size.is_none());
    let size = |(axis, _): (usize, &Option<u64>)| {
        let reached = output.accesses.iter().map(|access| {
            let terms = access.terms(axis).filter(|(d, _)| workload.operators[*d].keeps());
            // No index is written if one of the extents is 0.
            let some = terms.clone().fold(Constant(1), |some, (d, _)| some.min(b, extents[d]));
            let reached = terms.filter(|(_, c)| *c > 0).fold(Constant(access.origin(axis) + 1), |sum, (d, c)| {
                let last = extents[d].sub(b, Constant(1)).mul(b, Constant(c));
                sum.add(b, last)
            });
            reached.mul(b, some)
        });
        let size = reached.fold(Constant(0), |size, reached| size.max(b, reached));
        size.materialize(b)
    };
    open.map(size).collect()
}

/// Use of non-temporal stores for a result. Cached stores of a result of at least twice the size of the last-level
/// cache would evict other data, and each line would be read before it is overwritten (write-allocate).
enum Large {
    Never,
    /// If this condition is true.
    If(Value),
    Always,
}

/// The use of non-temporal stores, by output.
fn large(start: &Start<'_>, workload: &Workload, schedule: &Schedule, cache: Option<u64>) -> Vec<Large> {
    let Start { b, outputs, extents, .. } = start;
    let space = IterationSpace::new(b, extents.clone(), schedule);
    let vectors = schedule.scalar_loops().into_iter().filter(|(_, tag)| schedule.is_vector(tag));
    let lanes = vectors.filter_map(|(level, _)| {
        let count = schedule.parts[level.layer][level.dimension]?;
        Some(Lanes { level, count: i64::try_from(count).ok()? })
    });
    let lanes: Vec<_> = lanes.collect();
    let one = |((output, &buffer), stores): ((&Output, &Buffer), Vec<Store>)| {
        let is_aligned = |store: &Store| lanes.iter().any(|lanes| store.is_aligned(&output.array, &space, *lanes));
        let is_streamable = stores.iter().any(is_aligned);
        let Some(cache) = cache.filter(|_| is_streamable && output.is_aligned) else { return Large::Never };
        let sizes = &output.array.sizes;
        let known = sizes.iter().flatten().fold(output.array.element.bytes(), |n, size| n.saturating_mul(*size));
        let dynamic = (0..sizes.len()).filter(|&axis| sizes[axis].is_none());
        let size = |axis: usize| coverage::size(b, buffer, sizes, axis);
        match dynamic.map(size).reduce(|product, size| product.mul(b, size)) {
            None if known >= 2 * cache => Large::Always,
            None => Large::Never,
            Some(product) => {
                let least = (2 * cache).div_ceil(known.max(1));
                Large::If(product.compare(b, IntPredicate::Sge, Constant(least as i64)))
            }
        }
    };
    workload.outputs.iter().zip(outputs).zip(stores(workload, outputs)).map(one).collect()
}

/// The destinations in the user's buffers, by output and access.
pub fn stores(workload: &Workload, outputs: &[Buffer]) -> Vec<Vec<Store>> {
    let stores = |(output, buffer): (&Output, &Buffer)| {
        let store = |access| Store::user(*buffer, output.array.element, access, &workload.operators);
        output.accesses.iter().map(store).collect()
    };
    workload.outputs.iter().zip(outputs).map(stores).collect()
}

/// The construction of a nest on the processor; inputs that are overwritten are copied first.
fn construction<'a, 't>(
    b: &Code<'t>,
    scope: &Scope<'t>,
    workload: &'a Workload,
    phases: &'a Phases<'a>,
    space: IterationSpace,
    inputs: &[Buffer],
) -> Construction<'a, 't> {
    let mut nest = Construction::new(b.recorder, workload, phases, space, inputs, None);
    let placements = nest.home_placements();
    let buffers = workload.inputs.iter().zip(inputs).zip(nest.groups.iter().zip(&placements));
    let home = buffers.enumerate().map(|(i, ((input, buffer), (groups, placement)))| {
        let user = Source::user(*buffer);
        let (point, space, tile) = (&Point::new(&nest.space), &nest.space, &nest.tile);
        let copy = |(part, group)| {
            let promotion = Promotion {
                space,
                scope,
                group,
                point,
                placement,
                is_multi_buffered: false,
                is_asynchronous: false,
                tile,
                element: input.array.element,
                parallel: false,
            };
            let contents = Contents::new(ContentKind::Copy(i), Cause::Computation, placement);
            user.promote(b, &promotion, Contents { part, ..contents })
        };
        // A computation reads all inputs before it writes outputs, so an input that may alias an output is read from a
        // copy.
        groups.iter().enumerate().map(|group| if input.is_overwritten { copy(group) } else { user.clone() }).collect()
    });
    nest.home = home.collect();
    nest
}
