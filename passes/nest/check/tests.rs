//! Small nests that are valid, and the messages of those that are not.
use super::check;
use crate::nest::{
    code::{Code, Recorder},
    index::Index::{self, Computed, Constant},
    tree::{
        Array, Binary, Block, Buffer, Combine, Kernel, Loop, MemorySpace, Nest, Operation, PointIndex, Purpose, Scalar,
        Statement, Storage, Value,
    },
    types::{Element, Type},
};
use mdh_dialects::ir::{FloatType, IntPredicate, ShuffleMode};

const F32: Element = Element::Float(FloatType::F32);
const VALUE: Type = Type::Scalar(F32);
const LANES: Type = Type::Vector(4, F32);

/// A nest with one input and one output; `build` records its body.
fn nest(build: impl FnOnce(&Code<'_>, [Buffer; 2])) -> Nest {
    let recorder = Recorder::default();
    let buffers = [4, 5].map(|size| recorder.buffer(Array::row_major(F32, vec![Some(size)], MemorySpace::Global)));
    build(&recorder.begin(), buffers);
    Nest { inputs: 1, ..recorder.finish() }
}

fn valid(build: impl FnOnce(&Code<'_>, [Buffer; 2])) {
    assert_eq!(check(&nest(build)), Ok(()));
}

fn invalid(message: &str, build: impl FnOnce(&Code<'_>, [Buffer; 2])) {
    assert_eq!(check(&nest(build)), Err(message.to_owned()));
}

fn index(b: &Code<'_>, number: i64) -> Value {
    Constant(number).materialize(b)
}

fn part(b: &Code<'_>, size: Option<u64>) -> Buffer {
    b.recorder.buffer(Array::row_major(F32, vec![size], MemorySpace::Global))
}

fn allocate(b: &Code<'_>) -> Buffer {
    let buffer = part(b, Some(4));
    b.effect(Operation::Allocate(buffer, Storage::Heap), &[]);
    buffer
}

fn r#loop(b: &Code<'_>, trip: Index, initial: &[Value], body: impl FnOnce(&Code<'_>, Value, &[Value])) -> Vec<Value> {
    let mut operands = [Constant(0), trip, Constant(1)].map(|bound| bound.materialize(b)).to_vec();
    operands.extend(initial);
    let types: Vec<_> = initial.iter().map(|value| b.type_of(*value)).collect();
    let (inside, index) = (b.inside(), b.argument(Type::INDEX));
    let carried: Vec<_> = types.iter().map(|ty| b.argument(*ty)).collect();
    body(&inside, index, &carried);
    let r#loop = Loop { level: None, index, carried, body: inside.block() };
    b.statement(Operation::Loop(r#loop), &operands, &types)
}

fn end(b: &Code<'_>, values: &[Value]) {
    b.effect(Operation::Yield, values);
}

fn branch(b: &Code<'_>, condition: Value, then: impl FnOnce(&Code<'_>)) {
    let (inside, other) = (b.inside(), b.inside());
    then(&inside);
    end(&inside, &[]);
    end(&other, &[]);
    b.effect(Operation::If { then: inside.block(), otherwise: other.block() }, &[condition]);
}

/// A kernel with one block of 32 threads.
fn kernel(b: &Code<'_>, shared: &[Buffer], body: impl FnOnce(&Code<'_>, &[Value])) {
    let numbers: Vec<_> = (0..12).map(|_| b.argument(Type::INDEX)).collect();
    let inside = b.inside();
    body(&inside, &numbers);
    let [one, warp] = [1, 32].map(|size| index(b, size));
    let kernel = Kernel {
        numbers,
        body: inside.block(),
        shared: shared.to_vec(),
        levels: Some(vec![]),
        has_dynamic_shared_memory: false,
    };
    b.effect(Operation::Kernel(kernel), &[one, one, one, warp, one, one]);
}

#[test]
fn loops_and_kernels_are_valid() {
    valid(|b, [input, output]| {
        let group = b.group(Purpose::Allocations);
        let own = allocate(&group);
        let initial = b.statement(Operation::Identity, &[], &[VALUE]);
        let sums = r#loop(b, Constant(4), &initial, |b, i, sums| {
            let first = Computed(i).add(b, Constant(0));
            let index = PointIndex { dimension: 0, code: b.inside().block(), first, stride: None, inside: None };
            let scalar = Operation::Scalar(Scalar { lanes: None, indices: vec![index] });
            let value = b.value(scalar, &[b.load(input, &[i])], VALUE);
            b.store(own, &[i], value);
            end(b, &b.statement(Operation::Combine(Combine::default()), &[sums[0], value], &[VALUE]));
        });
        b.store(output, &[index(b, 0)], sums[0]);
        b.effect(Operation::Free(own, Storage::Heap), &[]);
        let (copy, device) = (part(b, Some(4)), |role: &str| Storage::Device(role.to_owned()));
        b.effect(Operation::Allocate(copy, device("input 1")), &[]);
        b.effect(Operation::Free(copy, device("temporary")), &[]);
    });
    valid(|b, [input, output]| {
        let shared = part(b, Some(32));
        kernel(b, &[shared], |b, numbers| {
            let first = numbers[3];
            let value = b.load(input, &[first]);
            b.store(shared, &[first], value);
            b.effect(Operation::Barrier, &[]);
            branch(b, Computed(first).compare(b, IntPredicate::Slt, Constant(4)), |b| {
                b.store(output, &[first], b.load(shared, &[first]))
            });
            r#loop(b, Computed(numbers[6]), &[], |b, _, _| {
                b.effect(Operation::Barrier, &[]);
                end(b, &[]);
            });
        });
    });
}

#[test]
fn blocks_are_a_tree() {
    let with = |blocks: &[&[u32]]| {
        let group = |block: &u32| Statement {
            operation: Operation::Group(Purpose::Initialize, Block(*block)),
            operands: vec![],
            results: vec![],
        };
        let blocks = blocks.iter().map(|groups| groups.iter().map(group).collect()).collect();
        check(&Nest { blocks, ..Nest::default() }).unwrap_err()
    };
    assert_eq!(with(&[&[1, 1], &[]]), "requires block 1 to be a body of 1 statements, but it is of 2");
    assert_eq!(with(&[&[], &[]]), "requires block 1 to be a body of 1 statements, but it is of 0");
    assert_eq!(with(&[&[], &[2], &[1]]), "requires block 1 to be inside of block 0, but it is inside of itself");
    assert_eq!(with(&[&[1]]), "requires block 1, but there are 1 blocks");
}

#[test]
fn numbers_are_in_tables() {
    invalid("requires a type of value 9, but there are 0 types", |b, [input, _]| {
        b.effect(Operation::Prefetch(input), &[Value(9)]);
    });
    invalid("requires buffer 9, but there are 2 buffers", |b, _| {
        b.effect(Operation::Prefetch(Buffer(9)), &[index(b, 0)]);
    });
}

#[test]
fn values_are_defined_once_and_before() {
    let mut twice = nest(|b, [input, _]| {
        b.load(input, &[index(b, 0)]);
    });
    let again = twice.blocks[0][1].clone();
    twice.blocks[0].push(again);
    let message = "`%1 = load input 1[0]` requires values that are defined once, but %1 is defined before";
    assert_eq!(check(&twice), Err(message.to_owned()));
    invalid(
        "`prefetch input 1[%?0]` requires values that are defined before, but %?0 is not defined yet",
        |b, [input, _]| {
            b.effect(Operation::Prefetch(input), &[b.argument(Type::INDEX)]);
        },
    );
    let message = "`store %0 to output 1[0]` requires values that are defined before, but %0 is defined in a block that has ended";
    invalid(message, |b, [input, output]| {
        let mut value = None;
        r#loop(b, Constant(2), &[], |b, i, _| {
            value = Some(b.load(input, &[i]));
            end(b, &[]);
        });
        b.effect(Operation::Store(output), &[value.unwrap_or(Value(0)), index(b, 0)]);
    });
}

#[test]
fn buffers_are_allocated_once_and_before() {
    invalid(
        "`allocate part2: 4 x f32 on the heap` requires buffers that are allocated once, but part2 is allocated before",
        |b, _| {
            b.effect(Operation::Allocate(allocate(b), Storage::Heap), &[]);
        },
    );
    let message = "requires buffers that are allocated before, but part1 is";
    invalid(&format!("`prefetch part1[0]` {message} not allocated yet"), |b, _| {
        let buffer = part(b, Some(4));
        b.effect(Operation::Prefetch(buffer), &[index(b, 0)]);
        b.effect(Operation::Allocate(buffer, Storage::Heap), &[]);
    });
    invalid(&format!("`prefetch part1[0]` {message} allocated in a block that has ended"), |b, _| {
        let mut own = None;
        r#loop(b, Constant(2), &[], |b, _, _| {
            own = Some(allocate(b));
            end(b, &[]);
        });
        b.effect(Operation::Prefetch(own.unwrap_or(Buffer(0))), &[index(b, 0)]);
    });
    invalid(&format!("`prefetch part1[0]` {message} freed"), |b, _| {
        let own = allocate(b);
        b.effect(Operation::Free(own, Storage::Heap), &[]);
        b.effect(Operation::Prefetch(own), &[index(b, 0)]);
    });
}

#[test]
fn memory_is_freed_as_it_is_allocated() {
    invalid("`free part1` requires part1 to be on the device, but it is on the heap", |b, _| {
        b.effect(Operation::Free(allocate(b), Storage::Device("temporary".to_owned())), &[]);
    });
    invalid("`free input 1` requires memory of its own, but input 1 has none", |b, [input, _]| {
        b.effect(Operation::Free(input, Storage::Heap), &[]);
    });
    invalid("`free part1` requires the block that allocates part1, but is in another one", |b, _| {
        let own = allocate(b);
        r#loop(b, Constant(2), &[], |b, _, _| {
            b.effect(Operation::Free(own, Storage::Heap), &[]);
            end(b, &[]);
        });
    });
}

#[test]
fn types_agree() {
    let zero = |b: &Code<'_>, ty| b.value(Operation::Zero, &[], ty);
    invalid("`%0 = 0 + 0` requires one type, but has f32, i32, f32", |b, _| {
        b.binary(Binary::Add, zero(b, VALUE), zero(b, Type::WORD), VALUE);
    });
    invalid("`%0 = 0 < 0` requires %0 to have type 4 x i1, but it has i1", |b, _| {
        b.compare(IntPredicate::Slt, zero(b, LANES), zero(b, LANES));
    });
    invalid("`%0 = if 1 then 0 else 0` requires 1 to have type i1, but it has index", |b, _| {
        b.select(index(b, 1), zero(b, VALUE), zero(b, VALUE));
    });
    invalid("`%0 = load input 1[0]` requires 0 to have type index, but it has i32", |b, [input, _]| {
        b.load(input, &[zero(b, Type::WORD)]);
    });
    invalid("`%0 = load input 1[]` requires 1 indices of input 1, but has 0", |b, [input, _]| {
        b.load(input, &[]);
    });
    invalid("`store 7 to output 1[0]` requires 7 to have type f32, but it has i32", |b, [_, output]| {
        b.store(output, &[index(b, 0)], b.constant(7, Type::WORD));
    });
    invalid("`store 0 to 1 of output 1[0]` requires 0 to be a vector of f32, but it has f32", |b, [_, output]| {
        b.effect(Operation::StoreVector(output, Default::default()), &[zero(b, VALUE), index(b, 0)]);
    });
    invalid("`allocate part1: ? x f32 on the heap` requires 1 sizes of part1, but has 0", |b, _| {
        b.effect(Operation::Allocate(part(b, None), Storage::Heap), &[]);
    });
    invalid("`if 1:` requires 1 to have type i1, but it has index", |b, _| branch(b, index(b, 1), |_| {}));
    invalid("`%0 = combine () with (0)` requires 2 operands and 1 results, but has 1 and 1", |b, _| {
        b.statement(Operation::Combine(Combine::default()), &[zero(b, VALUE)], &[VALUE]);
    });
}

#[test]
fn blocks_yield_what_loops_carry() {
    let message = "`%0 = for i0 in 0..2 carrying (%1 = 0):` requires blocks";
    let carried = |yielded: fn(&Code<'_>)| {
        move |b: &Code<'_>, _| {
            drop(r#loop(b, Constant(2), &[b.value(Operation::Zero, &[], VALUE)], |b, _, _| yielded(b)))
        }
    };
    invalid(&format!("{message} that yield (f32), but one yields (index)"), carried(|b| end(b, &[index(b, 0)])));
    invalid(&format!("{message} with one yield, at their ends, but one has 0"), carried(|_| {}));
    invalid("`yield` requires the block of a loop or of a branch, but is in another one", |b, _| end(b, &[]));
}

#[test]
fn what_threads_do_stands_in_kernels() {
    invalid("`barrier` requires a kernel, but is on the host", |b, _| b.effect(Operation::Barrier, &[]));
    invalid("`kernel blocks (1, 1, 1) threads (32, 1, 1):` requires the host, but is in a kernel", |b, _| {
        kernel(b, &[], |b, _| kernel(b, &[], |_, _| {}));
    });
    invalid("`parallel for i0 in 0..4:` requires the host, but is in a kernel", |b, _| {
        kernel(b, &[], |b, _| {
            let bounds = [0, 4, 1].map(|bound| index(b, bound));
            let (inside, index) = (b.inside(), b.argument(Type::INDEX));
            let r#loop = Loop { level: None, index, carried: vec![], body: inside.block() };
            b.effect(Operation::Parallel(r#loop), &bounds);
        });
    });
    invalid("`allocate part1: 4 x f32 on the heap` requires the host, but is in a kernel", |b, _| {
        kernel(b, &[], |b, _| {
            allocate(b);
        });
    });
}

#[test]
fn all_threads_come_to_barriers() {
    let barrier = |b: &Code<'_>| b.effect(Operation::Barrier, &[]);
    let message = "`barrier` requires all threads of a block, but is in";
    invalid(&format!("{message} `if thread.x < 4:`"), |b, _| {
        kernel(b, &[], |b, numbers| {
            branch(b, Computed(numbers[3]).compare(b, IntPredicate::Slt, Constant(4)), barrier);
        });
    });
    invalid(&format!("{message} `for i0 in 0..2 * thread.y:`"), |b, _| {
        kernel(b, &[], |b, numbers| {
            r#loop(b, Computed(numbers[4]).mul(b, Constant(2)), &[], |b, _, _| {
                barrier(b);
                end(b, &[]);
            });
        });
    });
    invalid(&format!("{message} `if %1 < 4:`"), |b, _| {
        kernel(b, &[], |b, numbers| {
            r#loop(b, Constant(2), &[index(b, 0)], |b, _, carried| {
                branch(b, Computed(carried[0]).compare(b, IntPredicate::Slt, Constant(4)), barrier);
                let next = Computed(carried[0]).add(b, Computed(numbers[3])).materialize(b);
                end(b, &[b.value(Operation::Shuffle(ShuffleMode::Up, 1), &[next], Type::INDEX)]);
            });
        });
    });
}
