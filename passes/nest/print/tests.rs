//! The text of small nests.
use crate::nest::{
    code::{Code, Recorder},
    index::Index::{self, Computed, Constant},
    tree::{
        Array, Buffer, Combine, Kernel, KernelLevel, Layout, Loop, MemorySpace, Nest, Operation, PointIndex, Purpose,
        Scalar, Storage, Value, VectorAccess,
    },
    types::{Element, Type},
};
use mdh_dialects::{
    ir::{FloatType, IntPredicate, ShuffleMode},
    schedule::{
        model::{Level, Placement},
        roles::CoreRole,
    },
};

const F32: Element = Element::Float(FloatType::F32);
const VALUE: Type = Type::Scalar(F32);

/// Checks the text of a nest with two inputs, of which the first has a dynamic extent, and one output.
fn check(build: impl FnOnce(&Code<'_>, [Buffer; 3], Index), expected: &str) {
    assert_eq!(
        nest(build).to_string(),
        format!("input 1: ? x 64 x f32\ninput 2: 64 x f32\noutput 1: ? x f32\n{expected}")
    );
}

/// That nest.
pub fn nest(build: impl FnOnce(&Code<'_>, [Buffer; 3], Index)) -> Nest {
    let recorder = Recorder::default();
    let array = |sizes: &[Option<u64>]| recorder.buffer(Array::row_major(F32, sizes.to_vec(), MemorySpace::Global));
    let buffers = [array(&[None, Some(64)]), array(&[Some(64)]), array(&[None])];
    let extent = recorder.parameter(Type::INDEX);
    build(&recorder.begin(), buffers, Computed(extent));
    Nest { inputs: 2, ..recorder.finish() }
}

/// A loop from 0 with loop-carried values.
pub fn r#loop(
    b: &Code<'_>,
    level: Option<(usize, usize)>,
    trip: Index,
    initial: &[Value],
    body: impl FnOnce(&Code<'_>, Index, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let mut operands = [Constant(0), trip, Constant(1)].map(|bound| bound.materialize(b)).to_vec();
    operands.extend(initial);
    let types: Vec<_> = initial.iter().map(|value| b.type_of(*value)).collect();
    let (inside, index) = (b.inside(), b.argument(Type::INDEX));
    let carried: Vec<_> = types.iter().map(|ty| b.argument(*ty)).collect();
    let values = body(&inside, Computed(index), &carried);
    inside.effect(Operation::Yield, &values);
    let level = level.map(|(layer, dimension)| Level { layer: layer - 1, dimension: dimension - 1 });
    b.statement(Operation::Loop(Loop { level, index, carried, body: inside.block() }), &operands, &types)
}

fn branch(b: &Code<'_>, condition: Value, then: impl FnOnce(&Code<'_>), otherwise: impl FnOnce(&Code<'_>)) {
    let blocks = [b.inside(), b.inside()];
    then(&blocks[0]);
    otherwise(&blocks[1]);
    blocks.iter().for_each(|block| block.effect(Operation::Yield, &[]));
    let [then, otherwise] = blocks.map(|block| block.block());
    b.effect(Operation::If { then, otherwise }, &[condition]);
}

/// Indices as values.
pub fn values(b: &Code<'_>, indices: &[Index]) -> Vec<Value> {
    indices.iter().map(|index| index.materialize(b)).collect()
}

#[test]
fn reductions_carry_values() {
    let build = |b: &Code<'_>, [matrix, vector, result]: [Buffer; 3], n: Index| {
        r#loop(b, Some((1, 1)), n.ceildiv(b, Constant(8)), &[], |b, p, _| {
            r#loop(b, Some((2, 1)), n.sub(b, p.mul(b, Constant(8))).min(b, Constant(8)), &[], |b, q, _| {
                let i = p.mul(b, Constant(8)).add(b, q);
                let identity = b.statement(Operation::Identity, &[], &[VALUE]);
                let sums = r#loop(b, None, Constant(64), &identity, |b, k, sums| {
                    let arguments = [b.load(matrix, &values(b, &[i, k])), b.load(vector, &values(b, &[k]))];
                    let scalar = Operation::Scalar(Scalar { lanes: None, indices: vec![] });
                    let product = b.value(scalar, &arguments, VALUE);
                    b.statement(Operation::Combine(Combine::default()), &[sums[0], product], &[VALUE])
                });
                b.store(result, &values(b, &[i]), sums[0]);
                vec![]
            });
            vec![]
        });
    };
    check(
        build,
        "\
for p1_1 in 0..ceildiv(s0, 8):
  for p2_1 in 0..min(s0 - 8 * p1_1, 8):
    %0 = identity
    %1 = for i0 in 0..64 carrying (%2 = %0):
      %3 = load input 1[8 * p1_1 + p2_1, i0]
      %4 = load input 2[i0]
      %5 = scalar (%3, %4)
      %6 = combine (%2) with (%5)
      yield %6
    store %1 to output 1[8 * p1_1 + p2_1]
",
    );
}

#[test]
fn branches_that_do_nothing_are_not_printed() {
    let wait = |b: &Code<'_>| b.effect(Operation::Barrier, &[]);
    let build = |b: &Code<'_>, _: [Buffer; 3], n: Index| {
        let condition = n.compare(b, IntPredicate::Eq, Constant(0));
        branch(b, condition, wait, |_| {});
        branch(b, condition, |_| {}, wait);
        branch(b, condition, wait, wait);
        branch(b, condition, |_| {}, |_| {});
    };
    check(
        build,
        "\
if s0 == 0:
  barrier
unless s0 == 0:
  barrier
if s0 == 0:
  barrier
else:
  barrier
if s0 == 0:
  nothing
",
    );
}

#[test]
fn loops_inside_of_loops_over_the_same_level_have_other_names() {
    let build = |b: &Code<'_>, _: [Buffer; 3], n: Index| {
        for level in [Some((1, 2)), None] {
            r#loop(b, level, n.add(b, Constant(1)), &[], |b, _, _| {
                r#loop(b, level, n, &[], |_, _, _| vec![]);
                vec![]
            });
        }
    };
    check(
        build,
        "\
for p1_2 in 0..(s0 + 1):
  for p1_2' in 0..s0:
    nothing
for i0 in 0..(s0 + 1):
  for i1 in 0..s0:
    nothing
",
    );
}

#[test]
fn vectors_have_masks() {
    let build = |b: &Code<'_>, [matrix, vector, result]: [Buffer; 3], n: Index| {
        let (lanes, mask) = (Type::Vector(8, F32), Type::Vector(8, Element::BIT));
        let zeros = values(b, &[Constant(0), Constant(0)]);
        let whole = b.value(Operation::LoadVector(vector, VectorAccess::default()), &zeros[..1], lanes);
        let inside = b.value(Operation::FirstLanes, &[n.materialize(b)], mask);
        let zero = b.value(Operation::Zero, &[], lanes);
        let part = b.value(Operation::LoadMasked(matrix), &[zeros[0], zeros[1], inside, zero], lanes);
        let index = PointIndex {
            dimension: 1,
            code: b.inside().block(),
            first: n,
            stride: Some(Constant(2)),
            inside: Some(n.sub(b, Constant(1))),
        };
        let scalar = Operation::Scalar(Scalar { lanes: Some(8), indices: vec![index] });
        let value = b.value(scalar, &[whole, part], lanes);
        let access = VectorAccess { alignment: Some(64), is_nontemporal: true };
        b.effect(Operation::StoreVector(result, access), &[value, zeros[0]]);
        let condition = n.compare(b, IntPredicate::Slt, Constant(5));
        let all = b.value(Operation::Broadcast, &[condition], mask);
        b.effect(Operation::StoreMasked(result), &[zeros[0], all, value]);
        let half = b.value(Operation::Permute(vec![0, 1, 2, 3]), &[value, value], Type::Vector(4, F32));
        let lane = b.value(Operation::Extract(None), &[half, n.materialize(b)], VALUE);
        let first = b.value(Operation::Extract(Some(0)), &[half], VALUE);
        let pair = b.value(Operation::FromElements, &[lane, first], Type::Vector(2, F32));
        b.value(Operation::Broadcast, &[pair], Type::Vector(2, F32));
    };
    check(
        build,
        "\
%0 = load 8 of input 2[0]
%1 = load 8 of input 1[0, 0] where lane < s0, else 0
%2 = scalar (%0, %1) on 8 lanes at d2 = s0 + 2 * lane if lane < s0 - 1
store %2 to 8 of output 1[0], aligned to 64, non-temporal
store %2 to 8 of output 1[0] where s0 < 5
%3 = permute (%2, %2) lanes [0, 1, 2, 3]
%4 = lane s0 of %3
%5 = lane 0 of %3
%6 = vector (%4, %5)
%7 = broadcast %6
",
    );
}

#[test]
fn buffers_say_where_they_are() {
    let build = |b: &Code<'_>, [matrix, _, result]: [Buffer; 3], n: Index| {
        let scope = b.group(Purpose::Allocations);
        let recorder = b.recorder;
        let part = recorder.buffer(Array::row_major(F32, vec![Some(4), None], MemorySpace::Global));
        scope.effect(Operation::Allocate(part, Storage::Heap), &[n.add(&scope, Constant(1)).materialize(&scope)]);
        let layout = Layout::Strided { strides: vec![None], offset: None };
        let own = recorder.buffer(Array { element: F32, sizes: vec![Some(4)], layout, space: MemorySpace::Global });
        let subview =
            Operation::Subview { buffer: own, of: part, offsets: vec![Some(0), None], lengths: vec![Some(4), Some(1)] };
        b.effect(subview, &[n.materialize(b)]);
        let device = recorder.buffer(Array::row_major(F32, vec![None, Some(64)], MemorySpace::Global));
        b.effect(Operation::Allocate(device, Storage::Device("input 1".to_owned())), &[n.materialize(b)]);
        b.effect(Operation::Copy { from: matrix, to: device, is_transfer: true }, &[]);
        b.effect(Operation::CopyPrevious(0), &[]);
        let placement = Placement::new("L1", [1, 0]);
        let promote = b.group(Purpose::Promote { input: 0, group: 1, placement });
        promote.effect(Operation::Copy { from: own, to: result, is_transfer: false }, &[]);
        let size = b.value(Operation::Dimension(matrix), &values(b, &[Constant(0)]), Type::INDEX);
        b.effect(Operation::Prefetch(own), &[size]);
        b.group(Purpose::Initialize);
        b.effect(Operation::Free(part, Storage::Heap), &[]);
    };
    check(
        build,
        "\
allocate part1: 4 x (s0 + 1) x f32 on the heap
view part2: 4 x f32 strides [?] offset ? of part1[4 from 0, s0]
allocate device input 1: s0 x 64 x f32 on the device
transfer input 1 to device input 1
copy what output 1 holds before
promote input 1 (accesses 2) to L1[2, 1]:
  copy part2 to output 1
prefetch part2[size(input 1, 0)]
initialize:
  nothing
free part1
",
    );
}

#[test]
fn kernels_have_blocks_and_threads() {
    let build = |b: &Code<'_>, [_, vector, _]: [Buffer; 3], n: Index| {
        let body = b.inside();
        let numbers: Vec<_> = (0..12).map(|_| b.argument(Type::INDEX)).collect();
        let array = |space, sizes: &[Option<u64>]| b.recorder.buffer(Array::row_major(F32, sizes.to_vec(), space));
        let shared = array(MemorySpace::Shared, &[Some(32)]);
        let memory = body.value(Operation::DynamicSharedMemory, &[], Type::Copies);
        let viewed = array(MemorySpace::Shared, &[None]);
        let view = values(&body, &[Constant(64), n]);
        body.effect(Operation::View { buffer: viewed, of: memory }, &view);
        let own = array(MemorySpace::Private, &[Some(2)]);
        body.effect(Operation::Allocate(own, Storage::Stack), &[]);
        let thread = Computed(numbers[3]);
        let at = values(&body, &[thread, Computed(numbers[0]).mul(&body, Constant(32)).add(&body, thread)]);
        body.effect(Operation::CopyAsync { to: shared, from: vector, rank: 1, width: 4 }, &at);
        let group = body.value(Operation::GroupCopies, &[], Type::Copies);
        body.effect(Operation::WaitCopies(1), &[group]);
        body.effect(Operation::Barrier, &[]);
        let value = body.load(shared, &at[..1]);
        let other = body.value(Operation::Shuffle(ShuffleMode::Down, 16), &[value], VALUE);
        let accumulate = Combine { lanes: None, accumulates: true };
        body.statement(Operation::Combine(accumulate), &[value, other], &[VALUE]);
        let bytes = b.value(Operation::Cast, &[n.mul(b, Constant(16)).materialize(b)], Type::WORD);
        let [one, warp] = [Constant(1), Constant(32)].map(|size| size.materialize(b));
        let level = Level { layer: 0, dimension: 0 };
        let levels = Some(vec![KernelLevel { level, role: CoreRole::Blocks, part: Computed(numbers[0]) }]);
        let kernel =
            Kernel { numbers, body: body.block(), shared: vec![shared], levels, has_dynamic_shared_memory: true };
        b.effect(Operation::Kernel(kernel), &[n.materialize(b), one, one, warp, one, one, bytes]);
    };
    check(
        build,
        "\
kernel blocks (s0, 1, 1) threads (32, 1, 1) with i32(16 * s0) bytes:
  map level (1, 1) to blocks: block.x
  allocate part1: 32 x f32, shared
  %0 = launch memory
  view part2: s0 x f32, shared of %0 from byte 64
  allocate part3: 2 x f32, private on the stack
  begin to copy 4 of input 2[32 * block.x + thread.x] to part1[thread.x]
  %1 = group copies
  wait for copies (%1), groups left: 1
  barrier
  %2 = load part1[thread.x]
  %3 = shuffle %2 from thread + 16
  %4 = accumulate (%2) with (%3)
",
    );
}

#[test]
fn a_block_is_printed_alone() {
    let nest = nest(|b, [_, vector, _], n| {
        r#loop(b, Some((1, 1)), n, &[], |b, p, _| {
            b.effect(Operation::Prefetch(vector), &values(b, &[p]));
            vec![]
        });
    });
    let body = nest.block(Nest::BODY).iter().flat_map(|statement| statement.operation.blocks()).next();
    assert_eq!(body.map(|body| nest.block_text(body)), Some("prefetch input 2[p1_1]\n".to_owned()));
}
