//! The memory of nests: sums over their buffers, and comparison with what the generated code allocates.
use super::*;
use crate::{
    analysis::computation::Computation,
    decompose::tests::context,
    lower::{lower_computation, workload::workload},
    nest::{
        self,
        code::Recorder,
        contents::ContentKind,
        tree::{Block, Storage},
        types::{Element, Type},
    },
    plan::{Cause, check},
    schedule::random::{Random, random_schedule},
};
use mdh_dialects::{
    ir::{self, FloatType},
    schedule::{
        model::{Level, System},
        systems::BUILTIN,
    },
};
use melior::ir::{Module, ValueLike};

const F32: Element = Element::Float(FloatType::F32);
fn placement(region: &str) -> Placement {
    Placement::new(region, [0])
}

/// A nest with buffers of `f32` of these sizes; `None` is a dynamic size.
fn holds(buffers: Vec<(Contents, Owner, Option<u64>)>) -> Nest {
    let recorder = Recorder::default();
    for (contents, owner, size) in buffers {
        let buffer = recorder.buffer(Array::row_major(F32, vec![size], MemorySpace::Global));
        recorder.record_contents(buffer, contents, owner);
    }
    recorder.finish()
}

/// The allocations of a nest: contents, step, and bytes.
fn rows(nest: &Nest) -> Vec<(String, String, Option<u64>)> {
    allocations(nest).into_iter().map(|allocation| (allocation.what, allocation.place, allocation.bytes)).collect()
}

#[test]
fn parts_add_up_and_versions_count_once() {
    let step = Cause::Decompose(0, Level { layer: 1, dimension: 0 });
    let input = Contents::new(ContentKind::Input(0), step, &placement("L1"));
    let second = Contents { part: 1, ..input.clone() };
    let sums = Contents { output: Some(1), ..Contents::new(ContentKind::Partial, Cause::Scalar, &placement("L1")) };
    let nest = holds(vec![
        (sums.clone(), Owner::Thread, Some(3)),
        (input.clone(), Owner::Thread, Some(10)),
        (second.clone(), Owner::Thread, Some(5)),
        (input.clone(), Owner::Thread, Some(12)),
        (input, Owner::Computation, Some(1)),
        (sums, Owner::Thread, None),
    ]);
    let row = |what: &str, place: &str, bytes| (what.to_owned(), place.to_owned(), bytes);
    assert_eq!(
        rows(&nest),
        [
            row("part of input 1", "D (2, 1)", Some(68)),
            row("part of input 1", "D (2, 1)", Some(4)),
            row("partial results, output 2", "S", None),
        ]
    );
}

#[test]
fn sizes_that_memory_cannot_have_are_found() {
    let copy = Contents::new(ContentKind::Copy(1), Cause::Computation, &placement("MM"));
    let carried =
        Contents::new(ContentKind::Carried, Cause::Recompose(0, Level { layer: 0, dimension: 1 }), &placement("MM"));
    let check = |contents: &Contents, size| check(&holds(vec![(contents.clone(), Owner::Computation, size)]));
    assert_eq!(check(&copy, Some(LARGEST / 4)), Ok(()));
    assert_eq!(check(&copy, None), Ok(()));
    let text = |what: &str| {
        Err(format!("requires less than 2^63 bytes for each buffer, but this limit is exceeded by the {what}"))
    };
    assert_eq!(check(&copy, Some(LARGEST / 4 + 1)), text("copy of input 2"));
    // The number at which index arithmetic saturates is not a valid size.
    assert_eq!(check(&carried, Some(LARGEST)), text("carried sums of step R (1, 2)"));
}

/// The buffers that statements of a nest allocate. Left out: the user's buffers, their copies on a device, and buffers
/// of which only subviews are used.
fn allocated(nest: &Nest) -> Vec<Buffer> {
    let statements = || nest.blocks.iter().flatten();
    let whole = |operation: &Operation| if let Operation::Subview { of, .. } = operation { Some(*of) } else { None };
    let wholes: Vec<_> = statements().filter_map(|statement| whole(&statement.operation)).collect();
    let is_of_user = |storage: &Storage| match storage {
        Storage::Result | Storage::Plain => true,
        Storage::Device(role) => role != "temporary",
        Storage::Stack | Storage::Heap => false,
    };
    let of_nest = |operation: &Operation| match operation {
        Operation::Allocate(_, storage) if is_of_user(storage) => vec![],
        other => other.allocated(),
    };
    statements().flat_map(|statement| of_nest(&statement.operation)).filter(|buffer| !wholes.contains(buffer)).collect()
}

/// The bytes of a statically sized memref of `f32`.
fn bytes_of(operation: ir::Op<'_>) -> u64 {
    ir::shape(ir::results(operation)[0].r#type()).into_iter().flatten().flatten().product::<u64>() * 4
}

/// Checks programs with one input under random schedules for a system.
fn check_random(name: &str, random: &mut Random) {
    let programs = [
        ("memref<7x10xf32>", "i, k", "memref<7xf32>", "7x10, f32", "7x1, f32", "#mdh.cc, #mdh.pw<add>", "i"),
        ("memref<6x9xf32>", "i, k", "memref<6xf32>", "6x9, f32", "6x1, f32", "#mdh.ps<add>, #mdh.pw<add>", "i"),
        ("memref<6x9xf32>", "i, k", "memref<9x6xf32>", "6x9, f32", "6x9, f32", "#mdh.cc, #mdh.ps<add>", "k, i"),
        ("memref<6x9xf32>", "i, k", "memref<f32>", "6x9, f32", "1x1, f32", "#mdh.pw<add>, #mdh.pw<add>", ""),
        ("memref<14xf32>", "i + k", "memref<6xf32>", "6x9, f32", "6x1, f32", "#mdh.cc, #mdh.pw<add>", "i"),
    ];
    let context = context();
    let system = System::builtin(name).expect("a system");
    for (input, read, output, extents, result, combine, write) in programs {
        for _ in 0..20 {
            let source = format!(
                "func.func @f(%A: {input}, %w: {output}) {{
                  %in = mdh.view.inp_view %A[affine_map<(i, k) -> ({read})>] : ({input}) -> !mdh.mda<{extents}>
                  %r = mdh.hom.md_hom %in combine [{combine}] {{
                  ^bb0(%a: f32):
                    mdh.hom.yield %a : f32
                  }} : !mdh.mda<{extents}> -> !mdh.mda<{result}>
                  mdh.view.out_view %r[affine_map<(i, k) -> ({write})>] into %w : !mdh.mda<{result}>, {output}
                  return
                }}"
            );
            let parsed = Module::parse(&context, &source).expect("the program parses");
            let module = ir::op(parsed.as_operation());
            let computation = Computation::all(module).remove(0);
            let schedule = random_schedule(&computation.shape(), &system, random);
            let nest = nest::of(&workload(&computation), &schedule);
            let mut named: Vec<_> = nest.contents.iter().map(|(buffer, ..)| *buffer).collect();
            let mut found = allocated(&nest);
            named.sort_unstable();
            found.sort_unstable();
            assert_eq!(named, found, "{schedule:?}\n{nest}");
            let live: u64 = allocations(&nest).iter().filter_map(|allocation| allocation.bytes).sum();
            let bytes = |(buffer, _, owner): &(Buffer, Contents, Owner)| own_bytes(nest.array(*buffer), *owner);
            let most: u64 = nest.contents.iter().filter_map(bytes).sum();
            assert!(live <= most, "{live} {most} {schedule:?}\n{nest}");
            if system.is_device() {
                if check::schedule(&schedule).is_ok() {
                    let BlockUsage { threads, .. } = block_usage(&nest);
                    assert!(threads.is_some_and(|threads| threads > 0), "{schedule:?}\n{nest}");
                }
                continue;
            }
            // The first iteration of a scan is peeled, and may allocate buffers of its own.
            assert!(most <= if combine.contains("ps") { 2 * live } else { live }, "{live} {most} {schedule:?}\n{nest}");
            lower_computation(&computation, &schedule).expect("it can be lowered");
            let buffers = ["memref.alloc", "memref.alloca"].map(|name| ir::find(module, name));
            assert_eq!(buffers.into_iter().flatten().map(bytes_of).sum::<u64>(), most, "{schedule:?}\n{nest}");
        }
    }
}

#[test]
fn the_construction_says_what_is_in_each_buffer() {
    let mut random = Random::new(4);
    BUILTIN.iter().for_each(|name| check_random(name, &mut random));
}

#[test]
fn the_largest_kernel_that_shares_levels_counts() {
    let recorder = Recorder::default();
    let b = recorder.begin();
    let launch = |threads: i64, size: u64, shares_levels: bool| {
        let inside = b.inside();
        let own = recorder.buffer(Array::row_major(F32, vec![Some(size)], MemorySpace::Private));
        inside.effect(Operation::Allocate(own, Storage::Stack), &[]);
        let shared = vec![recorder.buffer(Array::row_major(F32, vec![Some(threads as u64)], MemorySpace::Shared))];
        let sizes = [1, 1, 1, threads, 2, 1].map(|size| b.constant(size, Type::INDEX));
        let body: Block = inside.block();
        let kernel = Kernel {
            numbers: vec![],
            body,
            shared,
            levels: shares_levels.then(Vec::new),
            has_dynamic_shared_memory: false,
        };
        b.effect(Operation::Kernel(kernel), &sizes);
    };
    launch(8, 5, true);
    launch(16, 3, true);
    launch(512, 100, false);
    let nest = recorder.finish();
    assert_eq!(block_usage(&nest), BlockUsage { threads: Some(32), shared: Some(64), private: Some(32) });
}
