//! `mdh-preserve-outputs`: marks the outputs of structured operations as read if some of their elements keep their value.
//!
//! ```mlir
//! func.func @spread(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
//!   %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (2 * i)>], iterator_types = ["parallel"]}
//!       ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
//!   ^bb0(%a: f32, %b: f32):
//!     linalg.yield %a : f32
//!   } -> tensor<8xf32>
//!   return %r : tensor<8xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! ^bb0(%a: f32, %b: f32):
//! %unused = arith.select %true, %b, %b : f32
//! linalg.yield %a : f32
//! ```
//!
//! Upstream's bufferization copies an output to new memory only if the region uses its element, and takes every output of
//! `linalg.map` as overwritten. Here, the region of an operation that does not write all elements uses the element, in an
//! operation that canonicalization removes afterwards, and a `linalg.map` that reads its output becomes a `linalg.generic`.
//!
//! Bufferization also takes the sizes of a copy of a result from the index function of the output, which does not reach
//! all elements. Such a result of dynamic sizes is passed through an `scf.execute_region`, which has no shape function.
use mdh_dialects::{
    ffi::indexing_maps,
    ir::{self, Builder, IteratorType, Op, Val},
    pass::{Failure, MdhPass},
    view::{IndexFunction, IndexMap},
};
use melior::{
    dialect::DialectHandle,
    ir::{TypeLike, ValueLike, operation::OperationLike},
};

/// The pass.
pub struct PreserveOutputs;

impl MdhPass for PreserveOutputs {
    const NAME: &'static str = "PreserveOutputs";
    const ARGUMENT: &'static str = "mdh-preserve-outputs";
    const DESCRIPTION: &'static str =
        "Mark the outputs of structured operations as read if some of their elements keep their value";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::linalg(), DialectHandle::scf()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let is_on_tensors = |operation: &Op<'c>| {
            ir::name(*operation).starts_with("linalg.")
                && ir::results(*operation).iter().any(|result| result.r#type().is_tensor())
        };
        for operation in ir::descendants(root).into_iter().filter(is_on_tensors) {
            match ir::name(operation) {
                "linalg.map" => map_to_generic(operation),
                _ => mark(operation),
            }
        }
        Ok(())
    }
}

/// Replaces a `linalg.map` whose region uses the element of the output.
fn map_to_generic(map: Op<'_>) {
    let operands = ir::operands(map);
    let output = ir::body(map, 0).and_then(|body| ir::arguments(body).get(operands.len() - 1).copied());
    if output.is_none_or(|output| ir::users(output).is_empty()) {
        return;
    }
    let b = Builder::before(map);
    let result = ir::results(map)[0];
    let rank = ir::shape(result.r#type()).unwrap_or_default().len();
    let unit = |axis: usize| ((0..rank).map(|d| i64::from(d == axis)).collect::<Vec<_>>(), 0);
    let identity = IndexFunction::new((0..rank).map(unit)).attribute(b.context, rank);
    let attributes = [
        ("indexing_maps", b.array(&vec![identity; operands.len()])),
        b.iterator_types(vec![IteratorType::Parallel; rank]),
        b.segments(&[operands.len() - 1, 1]),
    ];
    let generic = b.op("linalg.generic", &operands, &[result.r#type()], &attributes, vec![b.clone_region(map, 0)]);
    ir::replace_uses(result, ir::results(generic)[0]);
    ir::erase(map);
}

/// Lets the region use the elements of outputs that are not written as a whole.
fn mark(operation: Op<'_>) {
    let maps = indexing_maps(operation).and_then(ir::array_attribute);
    let (Some(maps), Some(body)) = (maps, ir::body(operation, 0)) else { return };
    let (operands, arguments) = (ir::operands(operation), ir::arguments(body));
    let Some(first) = ir::block_operations(body).first().copied() else { return };
    if maps.len() != operands.len() || arguments.len() != operands.len() {
        return;
    }
    let functions: Vec<_> = maps.iter().map(|map| IndexFunction::from_attribute(*map)).collect();
    let rank = IndexMap::from_attribute(maps[0]).map_or(0, |map| map.dimensions);
    let sizes = |i: usize| ir::shape(operands[i].r#type()).unwrap_or_default();
    let extent = |d: usize| {
        let size = |i: usize| sizes(i).get(functions[i].as_ref()?.axis_of(d)?).copied().flatten();
        (0..operands.len()).find_map(size)
    };
    let extents: Vec<_> = (0..rank).map(extent).collect();
    let b = Builder::before(first);
    let results = ir::results(operation);
    for (i, result) in (operands.len() - results.len()..).zip(results) {
        if functions[i].as_ref().is_some_and(|function| writes_all(function, &sizes(i), &extents)) {
            continue;
        }
        if ir::users(arguments[i]).is_empty() {
            let condition = b.constant(1, b.i1());
            b.value("arith.select", &[condition, arguments[i], arguments[i]], arguments[i].r#type(), &[]);
        }
        if sizes(i).contains(&None) {
            hide_shape(operation, result);
        }
    }
}

/// Replaces the uses of a result with a value that has no shape function.
fn hide_shape<'c>(operation: Op<'c>, result: Val<'c>) {
    let Some(next) = operation.next_in_block().map(ir::op) else { return };
    let b = Builder::before(next).located(operation);
    let (region, block) = b.region(&[]);
    let hidden = b.op("scf.execute_region", &[], &[result.r#type()], &[], vec![region]);
    ir::replace_uses(result, ir::results(hidden)[0]);
    b.at_end(block).op("scf.yield", &[result], &[], &[], vec![]);
}

/// True if an operation with these extents writes all elements of an output: each axis is indexed by an iterator of its
/// own, or has one element, and there is an iteration.
fn writes_all(function: &IndexFunction, sizes: &[Option<u64>], extents: &[Option<u64>]) -> bool {
    let is_covered = |axis: usize| {
        let (coefficients, constant) = function.row(axis);
        let is_first = constant == 0 && coefficients.iter().all(|coefficient| *coefficient == 0);
        (0..extents.len()).any(|d| function.axis_of(d) == Some(axis)) || (is_first && sizes[axis] == Some(1))
    };
    let runs = |d: usize| function.depends_on(d) || extents[d].is_some_and(|extent| extent > 0);
    (0..function.rank()).all(is_covered) && (0..extents.len()).all(runs)
}
