//! `mdh-capture-scalars`: scalars that a scalar function takes from outside become inputs without an index.
//!
//! ```text
//! %r = mdh.hom.md_hom %in … {                    %a = tensor.from_elements %alpha : tensor<f32>
//! ^bb0(%x: f32):                                 %i = mdh.view.inp_view …, %a[affine_map<(i) -> ()>] : … -> !mdh.mda<8, f32, f32>
//!   %y = arith.mulf %x, %alpha : f32      ──▶    %r = mdh.hom.md_hom %i … {
//!   …                                            ^bb0(%x: f32, %b: f32):
//!                                                  %y = arith.mulf %x, %b : f32
//! ```
//!
//! Constants go into the function. So all that follows knows of a scalar function that it depends on its arguments and indices only.
use mdh_dialects::{
    ir::{self, Builder, Op, Val},
    pass::{MdhPass, Run},
    view,
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
#[derive(Clone, Debug, Default)]
pub struct CaptureScalars;

impl MdhPass for CaptureScalars {
    const NAME: &'static str = "CaptureScalars";
    const ARGUMENT: &'static str = "mdh-capture-scalars";
    const DESCRIPTION: &'static str = "Make inputs of scalars that a scalar function takes from outside";
    const OP: &'static str = "builtin.module";

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::tensor()]
    }

    fn run<'c>(&mut self, module: Op<'c>, _run: Run) -> Result<(), String> {
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

/// What the operations below an operation use of what is defined outside of it, each once, in the order of the uses.
fn outside<'c>(hom: Op<'c>) -> Vec<Val<'c>> {
    let all = ir::descendants(hom);
    let inner: Vec<_> = all.into_iter().filter(|operation| *operation != hom).collect();
    let blocks = std::iter::once(hom).chain(inner.iter().copied()).flat_map(ir::blocks);
    let mut known: Vec<_> = blocks.flat_map(ir::arguments).chain(inner.iter().copied().flat_map(ir::results)).collect();
    let defined = known.len();
    for value in inner.into_iter().flat_map(ir::operands) {
        if !known.contains(&value) {
            known.push(value);
        }
    }
    known.split_off(defined)
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
    for operation in ir::descendants(hom).into_iter().filter(|operation| *operation != hom) {
        for (i, operand) in ir::operands(operation).into_iter().enumerate() {
            if operand == old {
                ir::set_operand(operation, i, new);
            }
        }
    }
}
