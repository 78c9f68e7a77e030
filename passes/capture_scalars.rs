//! `mdh-capture-scalars`: scalars that a scalar function takes from outside become inputs without an index.
//!
//! ```mlir
//! func.func @scale(%x: tensor<8xf32>, %alpha: f32) -> tensor<8xf32> {
//!   %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<8xf32>) -> !mdh.mda<8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc] {
//!   ^bb0(%a: f32):
//!     %p = arith.mulf %a, %alpha : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
//!   %y = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<8, f32> -> tensor<8xf32>
//!   return %y : tensor<8xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %alphas = tensor.from_elements %alpha : tensor<f32>
//! %in = mdh.view.inp_view %x[..], %alphas[..] : (tensor<8xf32>, tensor<f32>) -> !mdh.mda<8, f32, f32>
//! mdh.hom.md_hom %in combine [#mdh.cc] {
//! ^bb0(%a: f32, %b: f32):
//! %p = arith.mulf %a, %b : f32
//! ```
//!
//! Constants go into the function. So all that follows knows of a scalar function that it depends on its arguments and indices only.
use mdh_dialects::{
    ir::{self, Builder, Op, Val},
    pass::{Failure, MdhPass},
    view,
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct CaptureScalars;

impl MdhPass for CaptureScalars {
    const NAME: &'static str = "CaptureScalars";
    const ARGUMENT: &'static str = "mdh-capture-scalars";
    const DESCRIPTION: &'static str = "Make inputs of scalars that a scalar function takes from outside";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::tensor()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for hom in ir::find(module, "mdh.hom.md_hom") {
            let (constants, scalars): (Vec<_>, Vec<_>) =
                outside(hom).into_iter().partition(|value| is_constant(*value));
            keep(hom, &constants);
            if !scalars.is_empty() {
                take(hom, &scalars);
            }
        }
        Ok(())
    }
}

fn is_constant(value: Val<'_>) -> bool {
    ir::defining(value).is_some_and(|operation| ir::name(operation) == "arith.constant")
}

/// The operations around an operation, itself first, up to another one; none if that is not around it.
fn around<'c>(operation: Op<'c>, outermost: Op<'c>) -> Option<Vec<Op<'c>>> {
    let mut found = vec![];
    let mut current = Some(operation);
    while let Some(operation) = current.filter(|operation| *operation != outermost) {
        found.push(operation);
        current = ir::parent(operation);
    }
    current.map(|_| found)
}

/// What the operations below an operation use of what is defined outside of it, each once, in the order of the uses.
fn outside<'c>(hom: Op<'c>) -> Vec<Val<'c>> {
    let mut found = vec![];
    // A function may have very many operations: their values are not searched.
    for operation in ir::descendants(hom).into_iter().filter(|operation| *operation != hom) {
        let enclosing = around(operation, hom).unwrap_or_default();
        let is_outside = |value: Val<'c>| match ir::defining(value) {
            Some(defining) => around(defining, hom).is_none(),
            None => !enclosing.iter().any(|operation| ir::block(*operation) == ir::owner(value)),
        };
        for value in ir::operands(operation) {
            if is_outside(value) && !found.contains(&value) {
                found.push(value);
            }
        }
    }
    found
}

/// Copies constants into the function.
fn keep<'c>(hom: Op<'c>, constants: &[Val<'c>]) {
    let first = ir::body(hom, 0).and_then(|body| ir::block_operations(body).first().copied());
    let Some(first) = first else { return };
    for constant in constants {
        if let Some(operation) = ir::defining(*constant) {
            let copy = Builder::before(first).clone_operation(operation);
            replace(hom, *constant, ir::results(copy)[0]);
        }
    }
}

/// Makes inputs of scalars. A program whose function takes its MDA from elsewhere than a view is refused later.
fn take<'c>(hom: Op<'c>, scalars: &[Val<'c>]) {
    let source = ir::operands(hom).first().and_then(|mda| ir::defining(*mda));
    let Some(view) = source.filter(|source| ir::name(*source) == "mdh.view.inp_view") else { return };
    let (Some(body), Some(accesses)) =
        (ir::body(hom, 0), ir::attribute(view, "accesses").and_then(ir::array_attribute))
    else {
        return;
    };
    let b = Builder::before(hom);
    let mda = ir::results(view)[0].r#type();
    let Some((extents, _)) = view::mda_type(mda) else { return };
    let dimensions: Vec<_> = (0..extents.len()).map(|d| format!("d{d}")).collect();
    let access = format!("[affine_map<({}) -> ()>]", dimensions.join(", "));
    let mut operands = ir::operands(view);
    let sizes = operands.split_off(accesses.len());
    let mut accesses: Vec<_> = accesses.iter().map(ToString::to_string).collect();
    let mut mda = mda.to_string();
    for scalar in scalars {
        let r#type = scalar.r#type();
        operands.push(b.value("tensor.from_elements", &[*scalar], b.r#type(&format!("tensor<{type}>")), &[]));
        accesses.push(access.clone());
        mda = format!("{}, {type}>", mda.trim_end_matches('>'));
        replace(hom, *scalar, b.argument(body, r#type));
    }
    let attributes = [
        ("accesses", b.attribute(&format!("[{}]", accesses.join(", ")))),
        ("operandSegmentSizes", b.attribute(&format!("array<i32: {}, {}>", operands.len(), sizes.len()))),
    ];
    operands.extend(sizes);
    ir::set_operand(hom, 0, b.value("mdh.view.inp_view", &operands, b.r#type(&mda), &attributes));
    if ir::users(ir::results(view)[0]).is_empty() {
        ir::erase(view);
    }
}

/// Replaces the uses of a value below an operation.
fn replace<'c>(hom: Op<'c>, old: Val<'c>, new: Val<'c>) {
    for operation in ir::users(old).into_iter().filter(|user| *user != hom && around(*user, hom).is_some()) {
        for (i, operand) in ir::operands(operation).into_iter().enumerate() {
            if operand == old {
                ir::set_operand(operation, i, new);
            }
        }
    }
}
