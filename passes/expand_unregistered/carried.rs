//! Values that loops and conditionals carry: StableHLO has tensors of rank 0 and integers with a sign, scf has scalars and
//! signless integers.
use super::region;
use mdh_dialects::{
    ir::{self, Builder, Op, Val},
    view::is_scalar,
};
use melior::ir::{Type, TypeLike, ValueLike, r#type::IntegerType};

/// The conversion of StableHLO's integers, which have a sign or none, to those of other dialects.
pub const CAST: &str = "builtin.unrealized_conversion_cast";

/// The type that operations of scf carry: signless integers, which are converted at each use, and scalars for tensors of rank
/// 0.
pub fn carried<'c>(b: &Builder<'c>, ty: Type<'c>) -> Type<'c> {
    let ty = signless(b, ty);
    let is_single = ty.is_tensor() && ir::shape(ty).is_some_and(|shape| shape.is_empty());
    ir::element_type(ty).filter(|element| is_single && is_scalar(*element)).unwrap_or(ty)
}

/// A type with signless integers as elements.
pub fn signless<'c>(b: &Builder<'c>, ty: Type<'c>) -> Type<'c> {
    let element = ir::element_type_or_self(ty);
    match IntegerType::try_from(element) {
        Ok(integer) if !integer.is_signless() => ir::with_element(ty, b.integer(integer.width())),
        _ => ty,
    }
}

/// True if an operation has signed or unsigned integers as elements.
pub fn has_signs(operation: Op<'_>) -> bool {
    let b = Builder::before(operation);
    let values = [ir::operands(operation), ir::results(operation)].concat();
    values.into_iter().any(|value| signless(&b, value.r#type()) != value.r#type())
}

/// Values of these types, converted if they have others.
pub fn casts<'c>(b: &Builder<'c>, values: &[Val<'c>], types: &[Type<'c>]) -> Vec<Val<'c>> {
    values.iter().zip(types).map(|(value, ty)| cast(b, *value, *ty)).collect()
}

fn cast<'c>(b: &Builder<'c>, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
    let own = value.r#type();
    match (own.is_tensor(), ty.is_tensor()) {
        _ if own == ty => value,
        (true, false) => region::element(b, cast(b, value, ir::with_element(own, ty))),
        (false, true) => {
            let tensor = b.value("tensor.from_elements", &[value], ir::with_element(ty, own), &[]);
            cast(b, tensor, ty)
        }
        _ => b.value(CAST, &[value], ty, &[]),
    }
}

/// Erases conversions to a type and back.
pub fn fold_casts(root: Op<'_>) {
    let all = ir::find(root, CAST);
    for cast in &all {
        let ([operand], [result]) = (&ir::operands(*cast)[..], &ir::results(*cast)[..]) else { continue };
        let source = ir::defining(*operand).filter(|before| ir::name(*before) == CAST).map(ir::operands);
        if let Some([source]) = source.as_deref()
            && source.r#type() == result.r#type()
        {
            ir::replace_uses(*result, *source);
        }
    }
    for cast in all.into_iter().rev().filter(|cast| ir::is_unused(*cast)) {
        ir::erase(cast);
    }
}
