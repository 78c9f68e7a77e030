//! `mdh-lower`: lowers low-level expressions on memrefs to `scf`, `memref` and `arith`.
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
//! The pass runs on functions, several of them in parallel: `mdh-check` guarantees that scalar functions call nothing
//! that this pass changes. The symbols that computations refer to remain; `mdh-erase-symbols` removes them.
//! `nest/build.rs` explains the structure of the loops. An input that may alias an output is read from a copy; distinct
//! function arguments are assumed not to alias.
pub mod coverage;
pub mod producers;
pub mod workload;

use crate::{
    analysis::computation::{Computation, InitialValue},
    convert::unroll_reductions::{short, tile},
    emit::{self, Program},
    machine::Machine,
    nest::{
        self, memory, planning,
        tree::Nest,
        workload::{Initial, Workload},
    },
    notation::chain,
    plan::{self, LoopPlan},
    target::{KernelFlavour, Target, limits::Limits},
};
use mdh_dialects::{
    ffi::{nvgpu_dialect, vector_dialect},
    hom::CombineOperator,
    ir::{self, Builder, Op, OpView},
    pass::{Failure, MdhPass},
    pass_options,
    schedule::{model::Schedule, roles::MemoryRole},
};
use melior::{dialect::DialectHandle, ir::TypeLike};
use producers::{FoundProducer, NumberedView};

/// The pass.
pub struct Lower;

pass_options! {
    /// Options of the generation of loops.
    pub struct LowerOptions {
        /// The target that executes the loops, as in --lower-mdh; for a device, the loops become kernels
        target: String = "cpu",
        /// The name of the device or architecture in error messages about kernels
        device: String = "any device",
        /// The maximum number of threads of a block on the device
        most_threads: i64 = 1024,
        /// The maximum number of bytes of shared memory of a block on the device
        most_shared_bytes: i64 = 232448,
        /// Print the nest of each computation to the standard error
        print_nest: bool = false,
        /// Verify the nest of each computation, as debug builds always do
        check_nest: bool = false,
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
        let natural = |name: &str, number: i64| {
            u64::try_from(number).map_err(|_| format!("{name} requires a number of at least 0, but is {number}"))
        };
        let threads = natural("most-threads", options.most_threads)?;
        let shared_bytes = natural("most-shared-bytes", options.most_shared_bytes)?;
        let machine = Machine::of(root)?;
        let goal = NestTarget {
            kernels: Target::named(&options.target)?.kernels.as_ref(),
            limits: Limits::of_device(&options.device, threads, shared_bytes),
            cache: NestTarget::cache_of(&machine),
        };
        let all = Computation::all(root);
        producers::check(&all)?;
        let numbered = producers::numbered(&all);
        for ((function, number), NumberedView { out_view, at, .. }) in
            Computation::numbered(&all).into_iter().zip(&numbered)
        {
            // Read each computation only now: lowering the previous ones replaces buffers that it reads.
            // A producer becomes part of the nest of its consumer.
            let own = Computation::from_out_view(*out_view).filter(|_| at.is_none());
            let Some(computation) = own else { continue };
            let producers = producers::of(&computation, &numbered)?;
            let nest = goal.nest(&computation, &producers)?;
            if options.print_nest {
                eprint!("{}", titled(&function, number, &nest));
            }
            if options.check_nest || cfg!(debug_assertions) {
                check_nest(&computation, &nest)?;
            }
            let processor = goal.kernels.is_none().then_some(&machine);
            replace(&computation, &producers, &nest, processor);
        }
        Ok(())
    }
}

/// The parameters for which nests are built.
#[derive(Clone, Debug)]
pub struct NestTarget {
    /// The properties of the target's kernels; `None` if loops run on the host processor.
    pub kernels: Option<&'static KernelFlavour>,
    /// The resources available to a block of threads.
    pub limits: Limits,
    /// The bytes of the processor's last-level cache, if results that are much larger are to be written with
    /// non-temporal stores.
    pub cache: Option<u64>,
}

impl NestTarget {
    /// The bytes of the last-level cache of a machine.
    pub fn cache_of(machine: &Machine) -> Option<u64> {
        machine.caches.last().map(|cache| cache.bytes)
    }

    /// The nest of a computation on memrefs. `producers`: those that are computed in it. Returns an error if an operand is
    /// not a memref, or if the device lacks a required resource.
    pub fn nest<'c>(
        &self,
        computation: &Computation<'c>,
        producers: &[FoundProducer<'c>],
    ) -> Result<Nest, Failure<'c>> {
        let nest = chain::read(computation).and_then(|schedule| self.loops((computation, producers), &schedule));
        // Violations of device limits depend on the schedule, which is attached to the operation of the scalar
        // function.
        let at = if self.kernels.is_some() { computation.hom.op() } else { computation.out_view.op() };
        nest.map_err(|message| Failure::new(at, message))
    }

    /// The plan of a computation with a schedule, which is checked. Errors are violations of the rules of kernels, or of
    /// the limits of a block.
    pub fn plan(
        &self,
        (computation, producers): (&Computation<'_>, &[FoundProducer<'_>]),
        schedule: &Schedule,
    ) -> Result<(Workload, LoopPlan), String> {
        if self.kernels.is_some() {
            plan::check::schedule(schedule)?;
        }
        let workload = producers::workload(computation, schedule, producers)?;
        if self.kernels.is_some() {
            producers::kernels::check(&workload, schedule)?;
        }
        let plan = planning::plan(&workload, schedule, self.kernels);
        plan::check::threads(&plan, &self.limits)?;
        Ok((workload, plan))
    }

    /// The nest of a computation on memrefs, by a schedule.
    fn loops(&self, all: (&Computation<'_>, &[FoundProducer<'_>]), schedule: &Schedule) -> Result<Nest, String> {
        let (computation, producers) = all;
        check(computation)?;
        producers.iter().try_for_each(|producer| check(&producer.computation))?;
        let (workload, plan) = self.plan(all, schedule)?;
        let nest = match self.kernels {
            Some(kernels) => nest::gpu::host::build(&workload, schedule, &plan, kernels),
            None => nest::host::build(&workload, schedule, &plan, self.cache),
        };
        memory::check(&nest)?;
        let shared = schedule.system.memory_of(MemoryRole::Shared).unwrap_or_default();
        memory::check_shared(&nest, &self.limits, shared)?;
        Ok(nest)
    }
}

/// The text of a nest, with a header that names the function and the one-based number of the computation in it.
pub fn titled(function: &str, number: usize, nest: &Nest) -> String {
    format!("@{function}, computation {}:\n{nest}\n", number + 1)
}

/// Verifies the invariants that emission relies on.
fn check_nest<'c>(computation: &Computation<'c>, nest: &Nest) -> Result<(), Failure<'c>> {
    nest::check::check(nest).map_err(|problem| {
        Failure::new(computation.hom.op(), format!("internal error: the nest of this computation is wrong: {problem}"))
    })
}

/// Lowers a computation on memrefs to loops, with a schedule that need not be in the IR.
#[cfg(test)]
pub(crate) fn lower_computation(computation: &Computation<'_>, schedule: &Schedule) -> Result<(), String> {
    let goal = NestTarget { kernels: None, limits: Limits::default(), cache: None };
    let nest = goal.loops((computation, &[]), schedule)?;
    replace(computation, &[], &nest, None);
    Ok(())
}

/// Checks the requirements of every target on a computation: all buffers are memrefs.
fn check(computation: &Computation<'_>) -> Result<(), String> {
    let inits = computation.inits.iter().filter_map(InitialValue::buffer).cloned();
    let inits = inits.collect();
    for (kind, buffers) in [("input", &computation.inputs), ("initial", &inits), ("output", &computation.outputs)] {
        if let Some(i) = buffers.iter().position(|buffer| !buffer.ty.is_mem_ref()) {
            let ty = buffers[i].ty;
            return Err(format!("requires memrefs (bufferize first), but {kind} buffer {} has type {ty}", i + 1));
        }
    }
    Ok(())
}

/// Replaces a computation and its producers with the operations of its nest. `processor`: the one that runs the loops, if
/// it is known.
fn replace<'c>(
    computation: &Computation<'c>,
    producers: &[FoundProducer<'c>],
    nest: &Nest,
    processor: Option<&Machine>,
) {
    // The operations take the location of the md_hom, so that tools that look for source lines find the scalar
    // function.
    let b = Builder::before(computation.out_view.op()).located(computation.hom.op());
    let all = || producers.iter().map(|producer| &producer.computation).chain([computation]);
    let contracting = all().filter(|computation| computation.hom.may_contract_values());
    let operations = contracting.flat_map(|computation| ir::descendants(computation.hom.op()));
    operations.for_each(|operation| emit::operators::contract(&b, operation));
    let program = with_producers(program(computation), producers);
    let out_view = computation.out_view.op();
    let around = || ir::block(out_view).map(ir::block_operations).unwrap_or_default();
    let first = around().iter().position(|operation| *operation == out_view).unwrap_or_default();
    let buffers = emit::emit(&b, nest, &program);
    let emitted = around().into_iter().skip(first).take_while(|operation| *operation != out_view);
    for operation in emitted {
        short::unroll_in(operation);
        processor.into_iter().for_each(|processor| tile::keep_rolled_in(operation, processor));
    }
    coverage::erase_replaced(&program.copies, &nest.replaces_copy);
    let outputs = buffers.into_iter().skip(nest.inputs + nest.initial_values.len());
    for (old, new) in computation.out_view.results().into_iter().zip(outputs) {
        new.into_iter().for_each(|new| ir::replace_uses(old, new));
    }
    erase_chain(computation);
    // A producer may read the results of those before it.
    producers.iter().rev().for_each(|producer| erase_chain(&producer.computation));
}

/// The MLIR entities of a computation together with those of its producers. The input buffers of these follow its own,
/// and their parameters as well.
fn with_producers<'c>(own: Program<'c>, producers: &[FoundProducer<'c>]) -> Program<'c> {
    let programs: Vec<_> = producers.iter().map(|producer| program(&producer.computation)).collect();
    let inputs = producers.iter().flat_map(|producer| producer.computation.inputs.iter().map(|buffer| buffer.value));
    let mut buffers = own.buffers;
    buffers.splice(own.inputs..own.inputs, inputs);
    let parameters = own.parameters.into_iter().chain(programs.iter().flat_map(|of| of.parameters.iter().copied()));
    Program { buffers, parameters: parameters.collect(), producers: programs, ..own }
}

/// The MLIR entities that a nest refers to by index. Outputs are among the buffers if they exist before the
/// computation.
fn program<'c>(computation: &Computation<'c>) -> Program<'c> {
    let has_results = !computation.out_view.results().is_empty();
    let destinations = computation.outputs.iter().filter(|_| !has_results).map(|buffer| buffer.value);
    let results = computation.outputs.iter().filter(|_| has_results);
    let scalar = |initial: &InitialValue<'c>| match initial {
        InitialValue::Scalar(value) => Some(*value),
        InitialValue::Elements(..) => None,
    };
    let kinds = workload::initial_values(computation);
    let with_kinds = || computation.inits.iter().zip(&kinds);
    let elements = with_kinds().filter_map(|(initial, kind)| match (initial, kind) {
        (InitialValue::Elements(_, buffer), Initial::Elements { .. }) => Some(buffer.value),
        _ => None,
    });
    let is_parameter = |kind: &Initial| matches!(kind, Initial::Scalar);
    let scalars = with_kinds().filter(|(_, kind)| is_parameter(kind)).filter_map(|(initial, _)| scalar(initial));
    Program {
        inputs: computation.inputs.len(),
        producers: vec![],
        buffers: computation.inputs.iter().map(|buffer| buffer.value).chain(elements).chain(destinations).collect(),
        parameters: computation.extent_operands().into_iter().chain(scalars).collect(),
        inits: computation.inits.iter().map(scalar).collect(),
        types: workload::other_types(computation),
        hom: computation.hom.op(),
        function: computation.operators.iter().find_map(CombineOperator::function).cloned(),
        output_types: computation.output_types.clone(),
        results: results.map(|buffer| buffer.ty).collect(),
        copies: coverage::copies(computation),
        contract: computation.hom.is_contract(),
        reassociate: !computation.hom.is_ordered(),
    }
}

/// Erases the operations of a computation, except those with other users.
fn erase_chain(computation: &Computation<'_>) {
    ir::erase(computation.out_view.op());
    let up = computation.recompose.iter().rev().map(|step| step.op());
    let down = computation.decompose.iter().rev().map(|step| step.op());
    let inits = computation.inits.iter().filter_map(|init| match init {
        InitialValue::Elements(view, _) => Some(view.op()),
        InitialValue::Scalar(_) => None,
    });
    let mut erased = vec![];
    for operation in up.chain([computation.hom.op()]).chain(down).chain([computation.inp_view.op()]).chain(inits) {
        // One view may be the initial value of several components.
        if erased.contains(&operation) {
            continue;
        }
        erased.push(operation);
        if ir::is_unused(operation) {
            ir::erase(operation);
        }
    }
}
