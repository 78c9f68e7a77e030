//! `mdh-lower`: lowlevel -> `scf`, `memref` and `arith`, on memrefs.
//!
//! ```mlir
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! func.func @mv(%M: memref<6x8xf32>, %v: memref<8xf32>) -> memref<6xf32> {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
//!       : (memref<6x8xf32>, memref<8xf32>) -> !mdh.mda<6x8, f32, f32>
//!   %i = mdh.lowlevel.decompose %in level(1, 1) parts 6 tag #mdh.tag<MM, x> reads [MM[1, 2], MM[1]] : !mdh.mda<6x8, f32, f32>
//!   %k = mdh.lowlevel.decompose %i level(1, 2) parts 8 tag #mdh.tag<MM, y> reads [MM[1, 2], MM[1]] : !mdh.mda<6x8, f32, f32>
//!   %s = mdh.lowlevel.scalar %k on @simple order [[1, 2]] tags [#mdh.tag<MM, x>, #mdh.tag<MM, y>] reads [MM[1, 2], MM[1]] writes [MM[1]] {
//!   ^bb0(%a: f32, %b: f32):
//!     %p = arith.mulf %a, %b : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
//!   %c = mdh.lowlevel.recompose %s combine #mdh.pw<add> level(1, 2) parts 8 tag #mdh.tag<MM, y> writes [MM[1]] : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//!   %r = mdh.lowlevel.recompose %c combine #mdh.cc level(1, 1) parts 6 tag #mdh.tag<MM, x> writes [MM[1]] : !mdh.mda<6x1, f32> -> !mdh.mda<6x1, f32>
//!   %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> memref<6xf32>
//!   return %w : memref<6xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %w = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
//! scf.for %i = %c0 to %c6 step %c1 {
//! %zero = arith.constant -0.000000e+00 : f32
//! %r = scf.for %k = .. iter_args(%sum = %zero) -> (f32) {
//! %a = memref.load %M[%i, %k] : memref<6x8xf32>
//! %b = memref.load %v[%k] : memref<8xf32>
//! %p = arith.mulf %a, %b fastmath<contract> : f32
//! %next = arith.addf %sum, %p fastmath<contract> : f32
//! scf.yield %next : f32
//! memref.store %r, %w[%i] : memref<6xf32>
//! return %w : memref<6xf32>
//! ```
//!
//! It runs on functions, also on several at once: `mdh-check` has seen that scalar functions call nothing that it changes. What computations
//! refer to stays: `mdh-erase-symbols` removes it. `nest.rs` explains the structure. An input that may share memory with an output is read from a copy; different arguments
//! of a function are taken to have different memory.
pub mod accumulator;
pub mod buffers;
pub mod coverage;
pub mod gpu;
pub mod index;
pub mod lanes;
pub mod loops;
pub mod nest;
pub mod operators;
pub mod prefetch;
pub mod reduce;
pub mod scan;
pub mod source;
pub mod space;
pub mod tile;
pub mod vectorize;

use crate::{
    analysis::{
        computation::{Buffer, Computation, ExtentSource},
        index::Group,
        origin::may_alias,
    },
    decompose::chain,
    schedule::{machine::Machine, memory, model::Schedule},
    target::Target,
};
use accumulator::{Accumulator, Store};
use gpu::limits::Limits;
use index::Index::{self, Constant, Value};
use lanes::Lanes;
use loops::Scope;
use mdh_dialects::{
    ffi::{nvgpu_dialect, vector_dialect},
    hom::CombineOperator,
    ir::{self, Builder, IntPredicate, Op, OpView, Val},
    pass::{Failure, MdhPass},
    pass_options,
    view::OutView,
};
use melior::{dialect::DialectHandle, ir::TypeLike};
use nest::{Frame, Nest};
use operators::Combiner;
use source::{Promotion, Source};
use space::{Point, Space};

/// The pass.
pub struct Lower;

pass_options! {
    /// How loops are generated.
    pub struct LowerOptions {
        /// Let a product and a sum be rounded once (fused multiply-add)
        contract: bool = true,
        /// Reduce several dimensions in one running value, and parts of scans before they are scanned; otherwise each dimension has a running value of its own
        reassociate: bool = true,
        /// The target that runs the loops, of those that --lower-mdh names; for a device they become kernels
        target: String = "cpu",
        /// What errors call the device or architecture that kernels are made for
        device: String = "any device",
        /// How many threads a block may have there
        most_threads: i64 = 1024,
        /// How many bytes the threads of a block may share there
        most_shared_bytes: i64 = 232448,
    }
}

impl MdhPass for Lower {
    const NAME: &'static str = "Lower";
    const ARGUMENT: &'static str = "mdh-lower";
    const DESCRIPTION: &'static str = "Lower low-level expressions on memrefs to loops";
    type Options = LowerOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![
            DialectHandle::scf(),
            DialectHandle::arith(),
            DialectHandle::memref(),
            vector_dialect(),
            DialectHandle::llvm(),
            DialectHandle::gpu(),
            nvgpu_dialect(),
        ]
    }

    fn run<'c>(root: Op<'c>, options: LowerOptions) -> Result<(), Failure<'c>> {
        let LowerOptions { contract, reassociate, target, device, most_threads, most_shared_bytes } = options;
        let freedom = Freedom { contract, reassociate };
        let kernels = Target::named(&target)?.kernels.as_ref();
        let natural = |name: &str, number: i64| {
            u64::try_from(number).map_err(|_| format!("{name} requires a number of at least 0, but is {number}"))
        };
        let threads = natural("most-threads", most_threads)?;
        let limits = Limits::of_device(&device, threads, natural("most-shared-bytes", most_shared_bytes)?);
        let cache = Machine::of(root)?.caches.last().map(|cache| cache.bytes);
        for out_view in OutView::all(root) {
            // Not earlier: lowering a computation replaces the buffers that later ones read.
            let Some(computation) = Computation::from_out_view(out_view) else { continue };
            let result = chain::read(&computation).and_then(|schedule| match kernels {
                Some(kernels) => gpu::host::lower(&computation, &schedule, freedom, kernels, &limits),
                None => lower_computation(&computation, &schedule, freedom, cache),
            });
            // What a device does not have is a matter of the schedule, which stands at the function.
            let at = if kernels.is_some() { computation.hom.op() } else { computation.out_view.op() };
            result.map_err(|message| Failure::new(at, message))?;
        }
        Ok(())
    }
}

/// How code may differ from the definition.
#[derive(Clone, Copy, Debug)]
pub struct Freedom {
    /// Whether a product and a sum may be rounded once.
    pub contract: bool,
    /// Whether the reduction of several dimensions may have one running value, and parts of scans may be reduced before they are scanned.
    pub reassociate: bool,
}

/// Replaces a computation on memrefs by loops before its out_view. Errors name what is not on memrefs.
/// `cache`: the bytes of the last cache, if results that are much larger are to be written past it.
pub fn lower_computation<'c>(
    computation: &Computation<'c>,
    schedule: &Schedule,
    freedom: Freedom,
    cache: Option<u64>,
) -> Result<(), String> {
    let b = prepare(computation, schedule, freedom)?;
    let extents = extents(&b, computation);
    let outputs = outputs(&b, computation, &extents);
    coverage::copy_what_stays(&b, computation, &extents);
    let generate = |b: &Builder<'c>, streams: &[bool]| {
        let space = Space::new(b, extents.clone(), schedule);
        let scope = Scope::open(b);
        let nest = nest(b, &scope, computation, schedule, space, &outputs, freedom);
        let stores = stores(computation, &outputs).into_iter().zip(streams);
        let stores = stores.flat_map(|(stores, &streams)| {
            stores.into_iter().map(move |store| if streams { store.streaming() } else { store })
        });
        let accumulator = Accumulator {
            stores: stores.collect(),
            placements: computation.outputs.iter().map(|output| schedule.home(output.shape.len())).collect(),
            opened: vec![],
        };
        nest.generate(Frame::new(&nest, *b, scope.clone()), accumulator);
        scope.close(b);
    };
    let large = large(&b, computation, schedule, &outputs, &extents, cache);
    let always: Vec<_> = large.iter().map(|large| matches!(large, Large::Always)).collect();
    let sometimes =
        large.iter().filter_map(|large| if let Large::If(condition) = large { Some(*condition) } else { None });
    match sometimes.fold(None, |all, condition| Some(tile::and(&b, all, condition))) {
        Some(condition) => {
            let streams: Vec<_> = large.iter().map(|large| !matches!(large, Large::Never)).collect();
            let version = |b: &Builder<'c>, streams: &[bool]| {
                generate(b, streams);
                vec![]
            };
            loops::branch(&b, condition, &[], |b| version(b, &streams), |b| version(b, &always));
        }
        None => generate(&b, &always),
    }
    finish(computation, &outputs);
    Ok(())
}

/// Replaces the results of a computation by the buffers that hold them.
fn finish<'c>(computation: &Computation<'c>, outputs: &[Val<'c>]) {
    for (old, new) in computation.out_view.results().into_iter().zip(outputs) {
        ir::replace_uses(old, *new);
    }
    erase_chain(computation);
}

/// Checks what every target requires of a computation; code goes where the result is built.
fn prepare<'c>(computation: &Computation<'c>, schedule: &Schedule, freedom: Freedom) -> Result<Builder<'c>, String> {
    for (kind, buffers) in [("input", &computation.inputs), ("output", &computation.outputs)] {
        if let Some(i) = buffers.iter().position(|buffer| !buffer.r#type.is_mem_ref()) {
            let r#type = buffers[i].r#type;
            return Err(format!("requires memrefs (bufferize first), but {kind} buffer {} has type {type}", i + 1));
        }
    }
    memory::check(computation, schedule)?;
    // What is computed stands in the md_hom, for whoever looks for its lines.
    let b = Builder::before(computation.out_view.op()).located(computation.hom.op());
    if freedom.contract {
        ir::descendants(computation.hom.op()).into_iter().for_each(|operation| operators::contract(&b, operation));
    }
    Ok(b)
}

/// Whether a result is so much larger than the caches that it would only displace what is in them, after having been read for nothing.
enum Large<'c> {
    Never,
    /// If this holds, an `i1`.
    If(Val<'c>),
    Always,
}

/// By output.
fn large<'c>(
    b: &Builder<'c>,
    computation: &Computation<'c>,
    schedule: &Schedule,
    outputs: &[Val<'c>],
    extents: &[Index<'c>],
    cache: Option<u64>,
) -> Vec<Large<'c>> {
    let space = Space::new(b, extents.to_vec(), schedule);
    let vectors = schedule.scalar_loops().into_iter().filter(|(_, tag)| schedule.is_vector(tag));
    let lanes = vectors.filter_map(|(level, _)| {
        let count = schedule.parts[level.layer][level.dimension]?;
        Some(Lanes { level, count: i64::try_from(count).ok()? })
    });
    let lanes: Vec<_> = lanes.collect();
    let stores = stores(computation, outputs);
    let one = |((output, &memref), stores): ((&Buffer<'c>, &Val<'c>), Vec<Store<'c>>)| {
        let is_streamable = stores.iter().any(|store| lanes.iter().any(|lanes| store.is_aligned(&space, *lanes)));
        let Some(cache) = cache.filter(|_| is_streamable && is_aligned(memref)) else { return Large::Never };
        let known =
            output.shape.iter().flatten().fold(memory::bytes(output.element), |n, size| n.saturating_mul(*size));
        let dynamic = (0..output.shape.len()).filter(|&axis| output.shape[axis].is_none());
        let size = |axis: usize| {
            let axis = Constant(axis as i64).materialize(b);
            Value(b.value("memref.dim", &[memref, axis], b.index(), &[]))
        };
        match dynamic.map(size).reduce(|product, size| product.mul(b, size)) {
            None if known >= 2 * cache => Large::Always,
            None => Large::Never,
            Some(product) => {
                let least = (2 * cache).div_ceil(known.max(1));
                Large::If(product.compare(b, IntPredicate::Sge, Constant(least as i64)))
            }
        }
    };
    computation.outputs.iter().zip(outputs).zip(stores).map(one).collect()
}

/// By output, the user's buffer as each of its accesses writes it.
fn stores<'c>(computation: &Computation<'c>, outputs: &[Val<'c>]) -> Vec<Vec<Store<'c>>> {
    let stores = |(output, memref): (&Buffer<'c>, &Val<'c>)| {
        let store = |access| Store::user(*memref, output.element, access, &computation.operators);
        output.accesses.iter().map(store).collect()
    };
    computation.outputs.iter().zip(outputs).map(stores).collect()
}

/// Whether a buffer is known to begin with a line of the caches.
fn is_aligned(memref: Val<'_>) -> bool {
    let allocation = ir::defining(memref).filter(|operation| ir::name(*operation) == "memref.alloc");
    let alignment = allocation.and_then(|operation| ir::integer_attribute(ir::attribute(operation, "alignment")?));
    alignment.is_some_and(|alignment| alignment % accumulator::LINE == 0)
}

fn nest<'a, 'c>(
    b: &Builder<'c>,
    scope: &Scope<'c>,
    computation: &'a Computation<'c>,
    schedule: &'a Schedule,
    space: Space<'c>,
    outputs: &[Val<'c>],
    freedom: Freedom,
) -> Nest<'a, 'c> {
    let inputs: Vec<_> = computation.inputs.iter().map(|input| input.value).collect();
    let mut nest = empty_nest(computation, schedule, space, &inputs, freedom);
    let tile = schedule.tile_layers();
    let inputs = computation.inputs.iter().zip(&nest.groups).zip(&nest.home_inputs);
    let home = inputs.map(|((input, groups), placement)| {
        let user = Source::user(input.value);
        // All reads come before all writes, so an input that may also be written is read from a copy.
        let written = outputs.iter().any(|output| may_alias(input.value, *output));
        let (point, space, tile) = (&Point::new(&nest.space), &nest.space, &tile);
        let copy = |group| {
            let element = input.element;
            let promotion = Promotion {
                space,
                scope,
                group,
                point,
                placement,
                in_turn: false,
                is_asynchronous: false,
                tile,
                element,
                parallel: false,
            };
            user.promote(b, &promotion)
        };
        groups.iter().map(|group| if written { copy(group) } else { user.clone() }).collect()
    });
    nest.home = home.collect();
    nest.tile = tile;
    nest.is_vectorizable = nest.has_vectors();
    nest
}

/// What the loop nests of a computation are generated from, with inputs in these buffers, without register tiles and vectors.
fn empty_nest<'a, 'c>(
    computation: &'a Computation<'c>,
    schedule: &'a Schedule,
    space: Space<'c>,
    inputs: &[Val<'c>],
    freedom: Freedom,
) -> Nest<'a, 'c> {
    let groups: Vec<Vec<Group>> =
        computation.inputs.iter().map(|input| Group::of(&input.accesses, input.first_component)).collect();
    let home = groups.iter().zip(inputs).map(|(groups, input)| vec![Source::user(*input); groups.len()]).collect();
    let function = computation.operators.iter().find_map(CombineOperator::function);
    let combiner = function.map(|function| Combiner {
        function: function.clone(),
        types: computation.output_types.clone(),
        scope: computation.hom.op(),
        contract: freedom.contract,
    });
    let (shared, decomposed) = (schedule.shared(&schedule.recompose), schedule.shared(&schedule.decompose));
    Nest {
        computation,
        schedule,
        space,
        combiner,
        groups,
        home,
        home_inputs: computation.inputs.iter().map(|input| schedule.home(input.shape.len())).collect(),
        tile: vec![vec![]; computation.rank()],
        shared,
        decomposed,
        reassociate: freedom.reassociate,
        is_vectorizable: false,
        kernels: None,
    }
}

/// The extents of the iteration space, read from the buffers or operands where they are dynamic.
fn extents<'c>(b: &Builder<'c>, computation: &Computation<'c>) -> Vec<Index<'c>> {
    let operands = computation.extent_operands();
    let source = |source: &ExtentSource| match *source {
        ExtentSource::Static(extent) => Constant(extent as i64),
        ExtentSource::Operand(i) => Value(operands[i]),
        ExtentSource::Input { buffer, dimension } => match computation.inputs[buffer].shape[dimension] {
            Some(extent) => Constant(extent as i64),
            None => {
                let dimension = Constant(dimension as i64).materialize(b);
                Value(b.value("memref.dim", &[computation.inputs[buffer].value, dimension], b.index(), &[]))
            }
        },
    };
    computation.extent_sources.iter().map(source).collect()
}

/// The destinations, or new buffers for the results; a dynamic size is one more than the largest index that is reached.
fn outputs<'c>(b: &Builder<'c>, computation: &Computation<'c>, extents: &[Index<'c>]) -> Vec<Val<'c>> {
    let has_results = !computation.out_view.results().is_empty();
    let output = |output: &Buffer<'c>| {
        if !has_results {
            return output.value;
        }
        let mut sizes = vec![];
        for (axis, size) in output.shape.iter().enumerate() {
            if size.is_some() {
                continue;
            }
            let reached = output.accesses.iter().map(|access| {
                let terms = access.terms(axis).filter(|(d, _)| computation.operators[*d].keeps());
                // Nothing is reached where one of the extents is 0.
                let some = terms.clone().fold(Constant(1), |some, (d, _)| some.min(b, extents[d]));
                let reached = terms.filter(|(_, c)| *c > 0).fold(Constant(access.origin(axis) + 1), |sum, (d, c)| {
                    let last = extents[d].sub(b, Constant(1)).mul(b, Constant(c));
                    sum.add(b, last)
                });
                reached.mul(b, some)
            });
            let size = reached.fold(Constant(0), |size, reached| size.max(b, reached));
            sizes.push(size.materialize(b));
        }
        let attributes = [b.segments(&[sizes.len(), 0]), ("alignment", b.i64_number(64))];
        b.value("memref.alloc", &sizes, output.r#type, &attributes)
    };
    computation.outputs.iter().map(output).collect()
}

/// Erases the operations of a computation that nothing else uses.
fn erase_chain(computation: &Computation<'_>) {
    ir::erase(computation.out_view.op());
    let up = computation.recompose.iter().rev().map(|step| step.op());
    let down = computation.decompose.iter().rev().map(|step| step.op());
    for operation in up.chain([computation.hom.op()]).chain(down).chain([computation.inp_view.op()]) {
        if ir::results(operation).iter().all(|result| ir::users(*result).is_empty()) {
            ir::erase(operation);
        }
    }
}
