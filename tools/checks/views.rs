//! Checks of the accesses of computations: views and raised loops do not say how large their buffers are.
//!
//! ```text
//! for i = 0 to %n { y[i] = x[i + %k] }                            %x_part = memref.subview %x[%k] [%n] [1] {mdh.part = "memref.load"}
//!   ──▶  %in = mdh.view.inp_view %x_part[affine_map<(i) -> (i)>] .. ──▶  cf.assert (%n == 0 or 0 <= %k and %k + %n - 1 < dim of %x), ..
//! ```
//!
//! A computation without points accesses nothing, whatever its sizes are; results are also written if a reduction has no
//! points.
use super::{sizes::Size, slices};
use mdh_dialects::{
    attributes::PART,
    ir::{self, Builder, IntPredicate, Op, OpView, Val},
    view::{InpView, OutView},
};
use mdh_passes::analysis::{
    computation::{AccessedBuffer, Computation, ExtentSource, InitialValue},
    constants::integers,
    extents::{ExtentValue, dim},
    index::{Access, Domain},
    origin::part,
};
use melior::ir::ValueLike;

/// The largest absolute value of an index that is computed without an overflow, whatever its offset is: no buffer has so
/// many elements.
const LARGEST: i64 = 1 << 62;

/// What uses the parts that computations access.
const USERS_OF_PARTS: [&str; 4] = [InpView::NAME, OutView::NAME, "memref.dim", "tensor.dim"];

/// Builds the checks of all computations before their results are computed, as far as sizes or indices are dynamic.
pub fn check(root: Op<'_>) {
    for computation in Computation::all(root) {
        Views::of(&computation).build();
    }
    // A part with another use is checked as any other operation.
    for view in slices::VIEWS.into_iter().flat_map(|name| ir::find(root, name)) {
        let is_view = |user: Op<'_>| USERS_OF_PARTS.contains(&ir::name(user));
        if !ir::results(view).into_iter().flat_map(ir::users).all(is_view) {
            ir::remove_attribute(view, PART);
        }
    }
}

/// The views of a computation.
struct Views<'a, 'c> {
    computation: &'a Computation<'c>,
    b: Builder<'c>,
}

impl<'a, 'c> Views<'a, 'c> {
    fn of(computation: &'a Computation<'c>) -> Self {
        let b = Builder::before(computation.out_view.op()).located(computation.hom.op());
        Self { computation, b }
    }

    fn build(&self) {
        let Computation { inputs, inits, outputs, operators, domain, .. } = self.computation;
        self.extents();
        if domain.is_empty() {
            return;
        }
        let all = vec![true; operators.len()];
        let kept: Vec<_> = operators.iter().map(|operator| !operator.reduces()).collect();
        let first: Vec<_> = operators.iter().map(|operator| !operator.combines()).collect();
        inputs.iter().enumerate().for_each(|(i, buffer)| self.buffer(buffer, &format!("input {}", i + 1), &all));
        for (i, initial) in inits.iter().enumerate() {
            if let InitialValue::Elements(_, buffer) = initial {
                self.buffer(buffer, &format!("initial value {}", i + 1), &first);
            }
        }
        let is_given = |buffer: &AccessedBuffer<'c>| ir::defining(buffer.value) != Some(self.computation.out_view.op());
        for (i, buffer) in outputs.iter().enumerate().filter(|(_, buffer)| is_given(buffer)) {
            self.buffer(buffer, &format!("output {}", i + 1), &kept);
        }
    }

    /// Checks that no extent that an operand gives, or the size of a part, is negative.
    fn extents(&self) {
        for (d, source) in self.computation.extent_sources.iter().enumerate() {
            let extent = match *source {
                ExtentSource::Static(_) => None,
                ExtentSource::Input { buffer, dimension } => {
                    size_of_part(self.computation.inputs[buffer].value, dimension)
                }
                ExtentSource::Operand(number) => Some(self.computation.extent_operands()[number]),
            };
            let Some(extent) = extent.filter(|extent| !is_at_least_zero(*extent)) else { continue };
            let name = ir::name(self.computation.hom.op());
            let message = format!("'{name}' fails: requires an extent of at least 0 in dimension {}", d + 1);
            let holds = self.b.cmpi(IntPredicate::Sge, extent, self.number(0));
            self.b.op("cf.assert", &[holds], &[], &[("msg", self.b.string(&message))], vec![]);
        }
    }

    /// Checks the accesses of a buffer, in all points of the iterated dimensions.
    fn buffer(&self, buffer: &AccessedBuffer<'c>, what: &str, iterated: &[bool]) {
        let part = part(buffer.value);
        let operands = part.map(ir::operands).unwrap_or_default();
        let source = operands.first().copied().unwrap_or(buffer.value);
        let mut conditions = vec![];
        for axis in 0..buffer.shape.len() {
            let extremes = |access| [1, -1].map(|sign| extreme(access, axis, iterated, &self.computation.domain, sign));
            let mut indices: Vec<_> = buffer.accesses.iter().flat_map(extremes).collect();
            indices.sort();
            indices.dedup();
            // The verifier has checked what is static.
            indices.retain(|index| match part {
                Some(_) => true,
                None => (buffer.shape[axis].is_none() || !index.terms.is_empty()) && !self.is_size(index, buffer, axis),
            });
            let offset = operands.get(1 + axis).copied();
            conditions.extend(indices.iter().map(|index| self.is_inside(source, axis, offset, index)));
        }
        let Some(is_inside) = conditions.into_iter().reduce(|all, one| self.binary("arith.andi", all, one)) else {
            return;
        };
        let dynamic = (0..iterated.len()).filter(|d| iterated[*d] && self.computation.domain.extent(*d).is_none());
        let is_empty = dynamic.map(|d| self.b.cmpi(IntPredicate::Sle, self.extent(d), self.number(0)));
        let condition = is_empty.fold(is_inside, |condition, empty| self.binary("arith.ori", condition, empty));
        let name = part.and_then(|view| ir::string_attribute(ir::attribute(view, PART)?));
        let message = match name {
            Some(name) => format!("'{name}' fails: out-of-bounds access"),
            None => format!("'{}' fails: out-of-bounds access of {what}", ir::name(self.computation.hom.op())),
        };
        let b = part.map_or(self.b, |view| self.b.located(view));
        b.op("cf.assert", &[condition], &[], &[("msg", b.string(&message))], vec![]);
    }

    /// True if the index is the last one of the axis, because its size is the extent.
    fn is_size(&self, index: &ExtremeIndex, buffer: &AccessedBuffer<'c>, axis: usize) -> bool {
        let [(d, 1)] = index.terms[..] else { return index.terms.is_empty() && index.constant == 0 && index.is_least };
        let extent = ExtentValue::of(self.computation, d).map(ExtentValue::origin);
        index.constant == 0 && extent == Some(ExtentValue::Size(buffer.value, axis).origin())
    }

    /// Whether an index, plus an offset, is in an axis of a buffer.
    fn is_inside(&self, buffer: Val<'c>, axis: usize, offset: Option<Val<'c>>, index: &ExtremeIndex) -> Val<'c> {
        let lasts = index.terms.iter().map(|(d, _)| self.binary("arith.subi", self.extent(*d), self.number(1)));
        let lasts: Vec<_> = lasts.collect();
        let term = |(last, (_, factor)): (&Val<'c>, &(usize, i64))| {
            if *factor == 1 { *last } else { self.binary("arith.muli", *last, self.number(*factor)) }
        };
        let terms: Vec<_> = lasts.iter().zip(&index.terms).map(term).collect();
        let constant = [self.number(index.constant)];
        let sum =
            constant.into_iter().chain(offset).chain(terms).reduce(|sum, one| self.binary("arith.addi", sum, one));
        let position = sum.unwrap_or_else(|| self.number(0));
        let is_low = self.b.cmpi(IntPredicate::Sge, position, self.number(0));
        let is_high = self.b.cmpi(IntPredicate::Slt, position, self.size(buffer, axis));
        let is_inside = self.binary("arith.andi", is_low, is_high);
        // One extent cannot overflow, and neither can the sum of it and a constant without being negative.
        let factors = index.terms.iter().fold(0u64, |sum, (_, factor)| sum.saturating_add(factor.unsigned_abs()));
        if factors <= 1 {
            return is_inside;
        }
        let room = LARGEST.saturating_sub(index.constant.saturating_abs()).max(0);
        let largest = self.number(room / i64::try_from(factors).unwrap_or(i64::MAX));
        let is_small = lasts.iter().map(|last| self.b.cmpi(IntPredicate::Ule, *last, largest));
        is_small.fold(is_inside, |condition, small| self.binary("arith.andi", condition, small))
    }

    /// The value of an extent.
    fn extent(&self, d: usize) -> Val<'c> {
        match self.computation.extent_sources[d] {
            ExtentSource::Static(extent) => self.number(i64::try_from(extent).unwrap_or(i64::MAX)),
            ExtentSource::Input { buffer, dimension } => self.size(self.computation.inputs[buffer].value, dimension),
            ExtentSource::Operand(number) => self.computation.extent_operands()[number],
        }
    }

    fn size(&self, buffer: Val<'c>, axis: usize) -> Val<'c> {
        dim(&self.b, buffer, axis)
    }

    fn number(&self, number: i64) -> Val<'c> {
        self.b.constant(number, self.b.index())
    }

    fn binary(&self, name: &str, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.b.value(name, &[left, right], left.r#type(), &[])
    }
}

/// The dynamic size of a part along an axis, where it is given.
fn size_of_part(value: Val<'_>, axis: usize) -> Option<Val<'_>> {
    match *slices::sizes(part(value)?)?.get(axis)? {
        Size::Value(size) => Some(size),
        Size::Known(_) => None,
    }
}

/// True if a value is a size, or a maximum with a constant that is not negative.
fn is_at_least_zero(value: Val<'_>) -> bool {
    let Some(definition) = ir::defining(value) else { return false };
    let is_constant = |operand: &Val<'_>| integers(*operand).is_some_and(|all| all.iter().all(|number| *number >= 0));
    match ir::name(definition) {
        "memref.dim" | "tensor.dim" => true,
        "arith.constant" => is_constant(&value),
        "arith.maxsi" => ir::operands(definition).iter().any(is_constant),
        _ => false,
    }
}

/// The largest or least index of an axis: a constant, plus each factor times the largest index of a dynamic extent.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ExtremeIndex {
    constant: i64,
    terms: Vec<(usize, i64)>,
    is_least: bool,
}

/// The largest (sign 1) or the least (-1) index that an access has in an axis, in all points of the iterated dimensions.
fn extreme(access: &Access, axis: usize, iterated: &[bool], domain: &Domain, sign: i64) -> ExtremeIndex {
    let mut index = ExtremeIndex { constant: access.origin(axis), terms: vec![], is_least: sign < 0 };
    for (d, factor) in access.terms(axis).filter(|(d, factor)| iterated[*d] && factor * sign > 0) {
        match domain.extent(d) {
            Some(extent) => index.constant += factor * (extent as i64 - 1),
            None => index.terms.push((d, factor)),
        }
    }
    index
}
