//! Combining functions as code: built-in operators as `arith` operations, user operators inlined.
use super::{
    lanes::{lift, lifted},
    vectorize,
};
use mdh_dialects::{
    hom::{Function, Operator},
    ir::{self, Builder, Op, Val},
};
use melior::ir::{Type, TypeLike, ValueLike};

/// The combining function of a computation, and the tuple types that it combines.
#[derive(Clone)]
pub struct CombineCode<'c> {
    /// The function.
    pub function: Function,
    /// The types of the tuple.
    pub types: Vec<Type<'c>>,
    /// An operation from which symbols are looked up.
    pub scope: Op<'c>,
    /// True if a multiplication and an addition may be contracted to a fused multiply-add.
    pub contract: bool,
    /// True if sums may be reassociated.
    pub reassociate: bool,
}

/// Number of accumulators of a loop that wait for each other less than for the units of the processor, if each is added to
/// twice.
const INDEPENDENT: usize = 6;

impl<'c> CombineCode<'c> {
    /// Emits `left ∘ right`, componentwise or by the user's operator; on vectors if `lanes` is given.
    pub fn combine(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>], lanes: Option<i64>) -> Vec<Val<'c>> {
        match &self.function {
            Function::Builtin(kinds) => kinds
                .iter()
                .zip(&self.types)
                .zip(left.iter().zip(right))
                .map(|((kind, ty), (x, y))| {
                    let (name, result) = (kind.form(ty.is_float()).operation, lifted(b, lanes, *ty));
                    if let Some(value) = self.add_products(b, name, *x, *y) {
                        return value;
                    }
                    let value = b.op(name, &[*x, *y], &[result], &[], vec![]);
                    self.contract.then(|| contract(b, value));
                    ir::results(value)[0]
                })
                .collect(),
            Function::Symbol(symbol) => {
                // A `Computation` exists only if its operators can be resolved, so there is a body.
                let Some(body) = Operator::lookup(self.scope, symbol).and_then(Operator::body) else {
                    unreachable!("@{symbol} has a body")
                };
                let arguments: Vec<_> = left.iter().chain(right).copied().collect();
                let before = self.contract.then(|| b.previous());
                let values = vectorize::inline(b, body, &arguments, lanes, &mut |_, _, _| None);
                if let Some(before) = before {
                    let inlined = b.built_after(before).into_iter().flat_map(ir::descendants);
                    inlined.for_each(|operation| contract(b, operation));
                }
                values.into_iter().map(|value| lift(b, lanes, value)).collect()
            }
        }
    }

    /// Emits the sum of an accumulator and a sum or a difference of two products, as in products of complex numbers, as two
    /// multiply-adds instead of a multiplication, a multiply-add and an addition; `None` for other values, and for few
    /// accumulators.
    fn add_products(&self, b: &Builder<'c>, name: &str, left: Val<'c>, right: Val<'c>) -> Option<Val<'c>> {
        let is_allowed = self.contract && self.reassociate && name == "arith.addf";
        ir::owner(left).filter(|block| is_allowed && ir::arguments(*block).len() > INDEPENDENT)?;
        let sum = ir::defining(right).filter(|sum| ["arith.addf", "arith.subf"].contains(&ir::name(*sum)))?;
        let products = ir::operands(sum);
        let is_product =
            |value: &Val<'c>| ir::defining(*value).is_some_and(|product| ir::name(product) == "arith.mulf");
        if !products.iter().all(is_product) || !ir::users(right).is_empty() {
            return None;
        }
        let [first, second] = products[..] else { return None };
        let steps = [(name, first), (ir::name(sum), second)];
        Some(steps.into_iter().fold(left, |accumulator, (name, product)| {
            let value = b.op(name, &[accumulator, product], &[accumulator.r#type()], &[], vec![]);
            contract(b, value);
            ir::results(value)[0]
        }))
    }

    /// Emits `left ∘ right` where `left` is an accumulator over many elements. An operator that selects one of the two
    /// tuples mostly keeps the accumulator (the maximum of n elements in random order changes about ln n times). With
    /// the expected condition, LLVM branches around the update, so that iterations do not wait for a select.
    pub fn accumulate(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>]) -> Vec<Val<'c>> {
        let values = self.combine(b, left, right, None);
        let Some((condition, keeps)) = choice(&values, left, right).filter(|_| values.len() > 1) else { return values };
        let bit = b.i1();
        let expected = b.value("arith.constant", &[], bit, &[("value", b.truth(keeps))]);
        let attributes = [("prob", b.float(0.999, b.f64()))];
        let condition = b.value("llvm.intr.expect.with.probability", &[condition, expected], bit, &attributes);
        let (if_true, if_false) = if keeps { (left, right) } else { (right, left) };
        let selects = if_true.iter().zip(if_false).zip(&self.types);
        selects.map(|((x, y), ty)| b.value("arith.select", &[condition, *x, *y], *ty, &[])).collect()
    }

    /// Emits the identity of the function, if it has one.
    pub fn identity(&self, b: &Builder<'c>) -> Option<Vec<Val<'c>>> {
        self.function.identity(b, self.scope, &self.types)
    }
}

/// The condition by which a tuple is selected, if all values are selects of the left or right components by the same
/// condition; and `true` if that condition selects the left tuple.
fn choice<'c>(values: &[Val<'c>], left: &[Val<'c>], right: &[Val<'c>]) -> Option<(Val<'c>, bool)> {
    let mut choices = values.iter().zip(left.iter().zip(right)).map(|(value, (l, r))| {
        let select = ir::defining(*value).filter(|operation| ir::name(*operation) == "arith.select")?;
        match ir::operands(select)[..] {
            [condition, x, y] if x == *l && y == *r => Some((condition, true)),
            [condition, x, y] if x == *r && y == *l => Some((condition, false)),
            _ => None,
        }
    });
    let first = choices.next()??;
    choices.all(|choice| choice == Some(first)).then_some(first)
}

/// Sets the `contract` fast-math flag, unless the program sets other flags.
pub fn contract<'c>(b: &Builder<'c>, operation: Op<'c>) {
    let is_float = ir::results(operation).iter().all(|result| {
        let ty = result.r#type();
        ir::element_type_or_self(ty).is_float()
    });
    let said = ir::attribute(operation, "fastmath").is_some_and(|flags| flags.to_string() != "#arith.fastmath<none>");
    if is_float && !said && ["arith.addf", "arith.subf", "arith.mulf"].contains(&ir::name(operation)) {
        ir::set_attribute(operation, "fastmath", b.contract());
    }
}
