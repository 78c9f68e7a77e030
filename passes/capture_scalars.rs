//! `mdh-capture-scalars`: scalars that a scalar function uses from outside become inputs without an index.
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
//! Constants are copied into the function. After this pass, scalar functions depend only on their arguments and
//! indices.
use mdh_dialects::{
    hom::MdHom,
    ir::{self, Builder, Op, OpView, Val},
    pass::{Failure, MdhPass},
    view::{self, InpView},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct CaptureScalars;

impl MdhPass for CaptureScalars {
    const NAME: &'static str = "CaptureScalars";
    const ARGUMENT: &'static str = "mdh-capture-scalars";
    const DESCRIPTION: &'static str = "Turn scalars used from outside of a scalar function into inputs";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::tensor()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for hom in MdHom::all(module) {
            let (constants, scalars): (Vec<_>, Vec<_>) =
                captured_values(hom.op()).into_iter().partition(|value| is_constant(*value));
            clone_constants(hom.op(), &constants);
            if !scalars.is_empty() {
                add_inputs(hom, &scalars);
            }
        }
        Ok(())
    }
}

fn is_constant(value: Val<'_>) -> bool {
    ir::defining(value).is_some_and(|operation| ir::name(operation) == "arith.constant")
}

/// The ancestors of an operation, itself first, up to but excluding `outermost`; `None` if that is not an ancestor.
fn ancestors_up_to<'c>(operation: Op<'c>, outermost: Op<'c>) -> Option<Vec<Op<'c>>> {
    let mut found = vec![];
    let mut current = Some(operation);
    while let Some(operation) = current.filter(|operation| *operation != outermost) {
        found.push(operation);
        current = ir::parent(operation);
    }
    current.map(|_| found)
}

/// The values that operations nested in an operation use but that are defined outside of it, each once, in the order of
/// the uses.
fn captured_values<'c>(hom: Op<'c>) -> Vec<Val<'c>> {
    let mut found = vec![];
    // The defining operations are checked, not searched for in a list: a function may have very many operations.
    for operation in ir::descendants(hom).into_iter().filter(|operation| *operation != hom) {
        let enclosing = ancestors_up_to(operation, hom).unwrap_or_default();
        let is_outside = |value: Val<'c>| match ir::defining(value) {
            Some(defining) => ancestors_up_to(defining, hom).is_none(),
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

/// Clones constants into the function.
fn clone_constants<'c>(hom: Op<'c>, constants: &[Val<'c>]) {
    let first = ir::body(hom, 0).and_then(|body| ir::block_operations(body).first().copied());
    let Some(first) = first else { return };
    for constant in constants {
        if let Some(operation) = ir::defining(*constant) {
            let copy = Builder::before(first).clone_operation(operation);
            replace(hom, *constant, ir::results(copy)[0]);
        }
    }
}

/// Turns scalars into inputs. A program whose MDA does not come from a view is rejected later.
fn add_inputs<'c>(hom: MdHom<'c>, scalars: &[Val<'c>]) {
    let Some(view) = ir::defining(hom.mda()).and_then(InpView::cast) else { return };
    let Some(body) = ir::body(hom.op(), 0) else { return };
    let Some((extents, mut components)) = view::mda_type(view.result().r#type()) else { return };
    let b = Builder::before(hom.op());
    let access = b.array(&[b.scalar_access(extents.len())]);
    let (mut buffers, mut accesses) = (view.buffers(), view.access_lists());
    for scalar in scalars {
        let ty = scalar.r#type();
        buffers.push(b.value("tensor.from_elements", &[*scalar], b.tensor(&[], ty), &[]));
        accesses.push(access);
        components.push(ty);
        replace(hom.op(), *scalar, b.argument(body, ty));
    }
    let mda = view::mda_type_of(b.context, &extents, &components);
    hom.set_mda(InpView::build(&b, &buffers, &view.extents(), &accesses, mda).result());
    if ir::users(view.result()).is_empty() {
        ir::erase(view.op());
    }
}

/// Replaces the uses of a value in operations nested in an operation.
fn replace<'c>(hom: Op<'c>, old: Val<'c>, new: Val<'c>) {
    for operation in ir::users(old).into_iter().filter(|user| *user != hom && ancestors_up_to(*user, hom).is_some()) {
        for (i, operand) in ir::operands(operation).into_iter().enumerate() {
            if operand == old {
                ir::set_operand(operation, i, new);
            }
        }
    }
}
