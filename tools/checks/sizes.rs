//! Checks of the sizes of operations that upstream does not check: pads, concatenations, softmax, expanded shapes, and
//! tensors that become the contents of memrefs.
//!
//! ```text
//! %r = tensor.pad %x low[1] high[%n] : tensor<?xf32> to tensor<12xf32>
//!   ──▶ cf.assert (0 <= %n and 1 + the size of %x + %n == 12), ..
//! ```
use super::structured;
use mdh_dialects::ir::{self, Builder, DYNAMIC, IntPredicate, Op, Val};
use mdh_passes::analysis::{
    constants::integers,
    extents::{axis_of, dim},
};
use melior::ir::ValueLike;

/// Adds the checks of an operation, as far as its sizes are dynamic.
type SizeCheck = for<'c> fn(&Checker<'c>) -> Option<()>;

const CHECKS: [(&str, SizeCheck); 5] = [
    ("tensor.pad", |checker| checker.pad()),
    ("tensor.concat", |checker| checker.concatenation()),
    ("tensor.expand_shape", |checker| checker.expansion()),
    ("linalg.softmax", |checker| checker.same_sizes("input and output of the same sizes")),
    ("bufferization.materialize_in_destination", |checker| {
        checker.same_sizes("source and destination of the same sizes")
    }),
];

/// Divisions that round down.
const QUOTIENTS: [&str; 3] = ["arith.divsi", "arith.divui", "arith.floordivsi"];

/// Adds the checks to a program.
pub fn assert(root: Op<'_>) {
    for operation in ir::descendants(root).into_iter().filter(|operation| ir::name(*operation).starts_with("linalg.")) {
        structured::check(&Checker::before(operation, operation));
    }
    for (name, check) in CHECKS {
        for operation in ir::find(root, name) {
            // An operation of another form is refused by its verifier.
            let _ = check(&Checker::before(operation, operation));
        }
    }
}

/// Builds the checks of an operation.
pub struct Checker<'c> {
    /// The operation.
    pub operation: Op<'c>,
    b: Builder<'c>,
}

/// A size, which may be known.
#[derive(Clone, Copy)]
pub enum Size<'c> {
    /// A static size.
    Known(i64),
    /// A dynamic size.
    Value(Val<'c>),
}

/// A relation of two sizes.
type Condition<'c> = (IntPredicate, Size<'c>, Size<'c>);

impl<'c> Checker<'c> {
    /// Checks an operation before one that follows from it.
    pub fn before(operation: Op<'c>, place: Op<'c>) -> Self {
        Self { operation, b: Builder::before(place).located(operation) }
    }

    /// The size of an axis of a tensor or memref.
    pub fn size(&self, value: Val<'c>, axis: usize) -> Option<Size<'c>> {
        Some(match ir::shape(value.r#type())?.get(axis)? {
            Some(size) => Size::Known(i64::try_from(*size).ok()?),
            None => Size::Value(dim(&self.b, value, axis)),
        })
    }

    /// The entries of a list of which the dynamic ones are operands.
    pub fn list(&self, attribute: &str, operands: &[Val<'c>]) -> Option<Vec<Size<'c>>> {
        let mut operands = operands.iter();
        let entry = |number: i64| match number == DYNAMIC {
            true => operands.next().map(|value| Size::Value(*value)),
            false => Some(Size::Known(number)),
        };
        ir::dense_array_attribute(ir::attribute(self.operation, attribute)?)?.into_iter().map(entry).collect()
    }

    fn value(&self, size: Size<'c>) -> Val<'c> {
        match size {
            Size::Known(number) => self.b.constant(number, self.b.index()),
            Size::Value(value) => value,
        }
    }

    /// A number that an operation of `arith` computes from others; `None` of none.
    pub fn combine(&self, name: &str, sizes: &[Size<'c>]) -> Option<Size<'c>> {
        let both =
            |one, other| Size::Value(self.b.value(name, &[self.value(one), self.value(other)], self.b.index(), &[]));
        sizes.iter().copied().reduce(both)
    }

    /// Checks a relation of two sizes, unless both are static.
    pub fn compare(&self, predicate: IntPredicate, left: Size<'c>, right: Size<'c>, requirement: &str) {
        if let (Size::Known(_), Size::Known(_)) = (left, right) {
            return;
        }
        self.assert(self.holds((predicate, left, right)), requirement);
    }

    fn holds(&self, (predicate, left, right): Condition<'c>) -> Val<'c> {
        self.b.cmpi(predicate, self.value(left), self.value(right))
    }

    /// Whether all conditions hold; `None` without conditions.
    pub fn all(&self, conditions: &[Condition<'c>]) -> Option<Val<'c>> {
        let both = |one, other| self.b.value("arith.andi", &[one, other], self.b.i1(), &[]);
        conditions.iter().map(|condition| self.holds(*condition)).reduce(both)
    }

    /// Whether a value is true or a condition holds.
    pub fn or(&self, value: Val<'c>, condition: Condition<'c>) -> Val<'c> {
        self.b.value("arith.ori", &[value, self.holds(condition)], self.b.i1(), &[])
    }

    /// Checks a condition.
    pub fn assert(&self, holds: Val<'c>, requirement: &str) {
        let message = format!("'{}' fails: requires {requirement}", ir::name(self.operation));
        self.b.op("cf.assert", &[holds], &[], &[("msg", self.b.string(&message))], vec![]);
    }

    fn pad(&self) -> Option<()> {
        let (operands, result) = (ir::operands(self.operation), *ir::results(self.operation).first()?);
        let (source, rest) = operands.split_first()?;
        let dynamic = ir::dense_array_attribute(ir::attribute(self.operation, "static_low")?)?;
        let (low, high) = rest.split_at_checked(dynamic.iter().filter(|number| **number == DYNAMIC).count())?;
        let (low, high) = (self.list("static_low", low)?, self.list("static_high", high)?);
        let sizes = ir::shape(result.r#type())?;
        for (axis, ((low, high), size)) in low.into_iter().zip(high).zip(sizes).enumerate() {
            for (padding, side) in [(low, "low"), (high, "high")] {
                let requirement = format!("{side} padding of at least 0 in axis {}", axis + 1);
                self.compare(IntPredicate::Sge, padding, Size::Known(0), &requirement);
            }
            let Some(size) = size else { continue };
            let own = self.size(*source, axis)?;
            if let (Size::Known(_), Size::Known(_), Size::Known(_)) = (low, own, high) {
                continue;
            }
            let sum = self.combine("arith.addi", &[low, own, high])?;
            let requirement = format!("a padded size of {size} in axis {}", axis + 1);
            self.compare(IntPredicate::Eq, sum, Size::Known(i64::try_from(size).ok()?), &requirement);
        }
        Some(())
    }

    fn concatenation(&self) -> Option<()> {
        let (operands, result) = (ir::operands(self.operation), *ir::results(self.operation).first()?);
        let joined = usize::try_from(ir::integer_attribute(ir::attribute(self.operation, "dim")?)?).ok()?;
        for (axis, size) in ir::shape(result.r#type())?.into_iter().enumerate() {
            let sizes = operands.iter().map(|operand| self.size(*operand, axis)).collect::<Option<Vec<_>>>()?;
            if axis != joined {
                let requirement = format!("operands of the same size in axis {}", axis + 1);
                let others = sizes.iter().skip(1);
                others.for_each(|other| self.compare(IntPredicate::Eq, sizes[0], *other, &requirement));
            }
            let Some(size) = size.and_then(|size| i64::try_from(size).ok()) else { continue };
            let is_known = sizes.iter().all(|size| matches!(size, Size::Known(_)));
            let whole = if axis == joined { self.combine("arith.addi", &sizes)? } else { sizes[0] };
            if !is_known {
                let requirement = format!("a size of {size} in axis {}", axis + 1);
                self.compare(IntPredicate::Eq, whole, Size::Known(size), &requirement);
            }
        }
        Some(())
    }

    fn expansion(&self) -> Option<()> {
        let operands = ir::operands(self.operation);
        let (source, sizes) = operands.split_first()?;
        let sizes = self.list("static_output_shape", sizes)?;
        for (axis, group) in ir::groups(self.operation)?.into_iter().enumerate() {
            let group: Vec<_> = group.into_iter().map(|axis| sizes.get(axis).copied()).collect::<Option<_>>()?;
            if group.iter().all(|size| matches!(size, Size::Known(_))) {
                let product = group.iter().map(|size| if let Size::Known(size) = size { *size } else { 1 }).product();
                let requirement = format!("a size of {product} in axis {}", axis + 1);
                self.compare(IntPredicate::Eq, self.size(*source, axis)?, Size::Known(product), &requirement);
                continue;
            }
            if self.is_quotient(&group, *source, axis) {
                continue;
            }
            let requirement = format!("sizes of at least 0 whose product is the size of axis {}", axis + 1);
            self.assert(self.is_product(&group, self.size(*source, axis)?)?, &requirement);
        }
        Some(())
    }

    /// Whether a size is the product of others, of which none is negative. Their product may overflow, so the size is
    /// divided by them.
    fn is_product(&self, sizes: &[Size<'c>], whole: Size<'c>) -> Option<Val<'c>> {
        let (zero, one) = (Size::Known(0), Size::Known(1));
        let (mut conditions, mut rest) = (vec![], whole);
        for size in sizes {
            let divisor = self.combine("arith.maxsi", &[*size, one])?;
            conditions.push((IntPredicate::Sge, *size, one));
            conditions.push((IntPredicate::Eq, self.combine("arith.remsi", &[rest, divisor])?, zero));
            rest = self.combine("arith.divsi", &[rest, divisor])?;
        }
        conditions.push((IntPredicate::Eq, rest, one));
        let is_product = self.all(&conditions)?;
        // Without elements, the least size is 0.
        let least = self.combine("arith.minsi", sizes)?;
        let is_empty = self.all(&[(IntPredicate::Eq, whole, zero), (IntPredicate::Eq, least, zero)])?;
        Some(self.b.value("arith.ori", &[is_product, is_empty], self.b.i1(), &[]))
    }

    /// True if the only dynamic size of a group is the size of an axis divided by the others, so that the product is not
    /// larger than the axis.
    fn is_quotient(&self, group: &[Size<'c>], source: Val<'c>, axis: usize) -> bool {
        let known: i128 =
            group.iter().map(|size| if let Size::Known(size) = size { (*size).into() } else { 1 }).product();
        let mut dynamic =
            group.iter().filter_map(|size| if let Size::Value(value) = size { Some(*value) } else { None });
        let (Some(size), None) = (dynamic.next(), dynamic.next()) else { return false };
        let Some(division) = ir::defining(size).filter(|found| QUOTIENTS.contains(&ir::name(*found))) else {
            return false;
        };
        let [dividend, divisor] = ir::operands(division)[..] else { return false };
        let is_axis = ir::defining(dividend)
            .is_some_and(|found| ir::name(found) == "tensor.dim" && axis_of(found) == Some((source, axis)));
        is_axis && integers(divisor).is_some_and(|all| all == [known])
    }

    fn same_sizes(&self, what: &str) -> Option<()> {
        let operands = ir::operands(self.operation);
        let [left, right] = operands[..] else { return None };
        for axis in 0..ir::shape(left.r#type())?.len() {
            let requirement = format!("{what}, but they differ in axis {}", axis + 1);
            self.compare(IntPredicate::Eq, self.size(left, axis)?, self.size(right, axis)?, &requirement);
        }
        Some(())
    }
}
