//! The conditions of an access, and the assertion that they hold.
use super::{Failure, IntPredicate, Intervals, Op, Val, ir};
use crate::analysis::location;
use mdh_dialects::ir::Builder;
use melior::ir::{Type, ValueLike, operation::OperationLike};

/// The largest number of elements of a buffer: its bytes can be counted, whatever the elements are.
pub const ELEMENTS: i64 = 1 << 40;

/// What must hold before an operation.
pub struct AccessRequirement<'a, 'c> {
    pub b: Builder<'c>,
    operation: Op<'c>,
    known: &'a mut Intervals,
    conditions: Vec<Val<'c>>,
}

impl<'a, 'c> AccessRequirement<'a, 'c> {
    /// No condition yet.
    pub fn before(operation: Op<'c>, known: &'a mut Intervals) -> Self {
        Self { b: Builder::before(operation), operation, known, conditions: vec![] }
    }

    /// Builds the assertion of all conditions. `what`: what is required.
    pub fn assert(self, what: &str) {
        let Some(all) = self.conditions.into_iter().reduce(|all, next| and(&self.b, all, next)) else { return };
        // What the compiler has built may have no location of its own.
        let mut around = std::iter::successors(Some(self.operation), |operation| ir::parent(*operation));
        let located = around.find(|operation| !location::place(&operation.location()).is_empty());
        let message = location::assertion(located.unwrap_or(self.operation), &format!("requires {what}"));
        self.b.op("cf.assert", &[all], &[], &[("msg", self.b.string(&message))], vec![]);
    }

    /// No condition yet, before another operation.
    pub fn moved(&mut self, before: Op<'c>) -> AccessRequirement<'_, 'c> {
        AccessRequirement { b: self.b.at(before), operation: self.operation, known: self.known, conditions: vec![] }
    }

    /// Adds a condition.
    pub fn add(&mut self, condition: Val<'c>) {
        self.conditions.push(condition);
    }

    pub fn number(&self, number: i64) -> Val<'c> {
        self.b.constant(number, self.b.index())
    }

    /// The size of a memref in a dimension.
    pub fn size(&self, memref: Val<'c>, axis: usize, size: Option<u64>) -> Val<'c> {
        match size {
            Some(size) => self.number(size as i64),
            None => self.b.value("memref.dim", &[memref, self.number(axis as i64)], self.b.index(), &[]),
        }
    }

    /// The sizes of a memref. The error is at the operation.
    pub fn shape(&self, memref: Val<'c>) -> Result<Vec<Option<u64>>, Failure<'c>> {
        let ty = memref.r#type();
        let shape = ir::shape(ty).filter(|_| ir::strides(ty).is_some());
        shape.ok_or_else(|| Failure::new(self.operation, format!("is not checked on {ty}")))
    }

    /// Requires indices inside of a memref, and so many elements from the last one on.
    pub fn inside(&mut self, memref: Val<'c>, indices: &[Val<'c>], count: i64) -> Result<(), Failure<'c>> {
        let shape = self.shape(memref)?;
        if indices.is_empty() && count > 1 {
            return Err(Failure::new(self.operation, format!("is not checked on {}", memref.r#type())));
        }
        for (axis, (index, size)) in indices.iter().zip(shape).enumerate() {
            let count = if axis + 1 == indices.len() { count } else { 1 };
            let is_known = |(low, high): (i64, i64)| {
                let end = high.checked_add(count);
                low >= 0 && end.zip(size).is_some_and(|(end, size)| u64::try_from(end).is_ok_and(|end| end <= size))
            };
            if self.known.of(*index).is_some_and(is_known) {
                continue;
            }
            let size = self.size(memref, axis, size);
            if count > 1 {
                let count = self.number(count);
                let rest = self.b.value("arith.subi", &[size, count], self.b.index(), &[]);
                self.add(self.b.cmpi(IntPredicate::Uge, size, count));
                self.add(self.b.cmpi(IntPredicate::Ule, *index, rest));
            } else {
                self.add(self.b.cmpi(IntPredicate::Ult, *index, size));
            }
        }
        Ok(())
    }

    /// Requires the elements of a memref from the indices on to be inside of it where a mask is true.
    pub fn inside_where(
        &mut self,
        memref: Val<'c>,
        indices: &[Val<'c>],
        mask: Val<'c>,
        lanes: i64,
    ) -> Result<(), Failure<'c>> {
        let shape = self.shape(memref)?;
        let b = self.b;
        let (Some((last, others)), Some(size)) = (indices.split_last(), shape.last()) else {
            return Err(Failure::new(self.operation, format!("is not checked on {}", memref.r#type())));
        };
        // The lanes that are inside: none if an index of another dimension is not.
        let size = self.size(memref, others.len(), *size);
        let mut is_inside = b.cmpi(IntPredicate::Ult, *last, size);
        for (axis, (index, size)) in others.iter().zip(&shape).enumerate() {
            let size = self.size(memref, axis, *size);
            is_inside = and(&b, is_inside, b.cmpi(IntPredicate::Ult, *index, size));
        }
        let rest = b.value("arith.subi", &[size, *last], b.index(), &[]);
        let rest = b.value("arith.select", &[is_inside, rest, self.number(0)], b.index(), &[]);
        let ty = b.vector(lanes, b.index());
        let numbers = b.value("vector.step", &[], ty, &[]);
        let rest = b.value("vector.broadcast", &[rest], ty, &[]);
        let is_outside = b.cmpi(IntPredicate::Uge, numbers, rest);
        let wrong = b.value("arith.andi", &[mask, is_outside], mask.r#type(), &[]);
        self.none(wrong);
        Ok(())
    }

    /// Requires a truth value to be false; if it is a vector, in all lanes.
    fn none(&mut self, wrong: Val<'c>) {
        let b = self.b;
        let any = match wrong.r#type() == b.i1() {
            true => wrong,
            false => b.value("vector.reduction", &[wrong], b.i1(), &[("kind", b.or_kind())]),
        };
        self.add(b.cmpi(IntPredicate::Eq, any, b.constant(0, b.i1())));
    }

    /// Requires equal sizes of two memrefs.
    pub fn equal_sizes(&mut self, one: Val<'c>, other: Val<'c>) -> Result<(), Failure<'c>> {
        let sizes = self.shape(one)?.into_iter().zip(self.shape(other)?);
        for (axis, (size, other_size)) in sizes.enumerate() {
            if size.is_none() || size != other_size {
                let sizes = [self.size(one, axis, size), self.size(other, axis, other_size)];
                self.add(self.b.cmpi(IntPredicate::Eq, sizes[0], sizes[1]));
            }
        }
        Ok(())
    }

    /// Requires a new buffer to have at most [`ELEMENTS`] elements. `sizes`: those that are dynamic.
    pub fn countable(&mut self, buffer: Val<'c>, sizes: &[Val<'c>]) -> Result<(), Failure<'c>> {
        let shape = self.shape(buffer)?;
        // An empty dimension does not excuse the others: strides are products of sizes.
        let fixed = shape.iter().flatten().try_fold(1u64, |product, size| product.checked_mul((*size).max(1)));
        let Some(fixed) = fixed.and_then(|fixed| i64::try_from(fixed).ok()).filter(|fixed| *fixed <= ELEMENTS) else {
            return Err(Failure::new(self.operation, format!("requires at most {ELEMENTS} elements")));
        };
        let (b, one) = (self.b, self.number(1));
        let mut product = self.number(fixed);
        for size in sizes {
            let most = b.value("arith.divui", &[self.number(ELEMENTS), product], b.index(), &[]);
            let condition = b.cmpi(IntPredicate::Ule, *size, most);
            self.add(condition);
            // If there are too many elements already, the rest does not matter, but divisors must not be zero.
            let size = b.value("arith.select", &[condition, *size, one], b.index(), &[]);
            let size = b.value("arith.maxui", &[size, one], b.index(), &[]);
            product = b.value("arith.muli", &[product, size], b.index(), &[]);
        }
        Ok(())
    }

    /// Requires a division to have a result.
    pub fn divisible(&mut self, dividend: Val<'c>, divisor: Val<'c>, is_signed: bool) {
        let b = self.b;
        if self.known.of(divisor).is_some_and(|(low, high)| low > 0 || high < -1) {
            return;
        }
        let ty = divisor.r#type();
        let literal = |number: i128, ty: Type<'c>| b.literal(number, ty);
        let mut wrong = b.cmpi(IntPredicate::Eq, divisor, literal(0, ty));
        if is_signed {
            let least = -1i128 << (ir::integer_width(ir::element_type_or_self(ty)).clamp(1, 127) - 1);
            let is_least = b.cmpi(IntPredicate::Eq, dividend, literal(least, ty));
            let is_minus_one = b.cmpi(IntPredicate::Eq, divisor, literal(-1, ty));
            let both = and(&b, is_least, is_minus_one);
            wrong = b.value("arith.ori", &[wrong, both], wrong.r#type(), &[]);
        }
        self.none(wrong);
    }
}

/// Both of two truth values, or of vectors of them.
pub fn and<'c>(b: &Builder<'c>, one: Val<'c>, other: Val<'c>) -> Val<'c> {
    b.value("arith.andi", &[one, other], one.r#type(), &[])
}
