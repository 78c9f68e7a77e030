//! Code that computes polynomials and conditions.
use super::{
    condition::{MAX_BYTES, RunCondition},
    overlap::{MemrefRange, RangeLayout},
    polynomial::{Parameters, SourceParameter},
    range::NestRanges,
};
use crate::analysis::index::{Expression, Variable};
use mdh_dialects::ir::{self, Builder, IntPredicate, Val};
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;

/// The number of bits of a condition's numbers.
const WIDE: u32 = 128;

/// Builds arithmetic on parameters before some nests.
pub struct Arithmetic<'p, 'c> {
    /// The place.
    pub b: Builder<'c>,
    /// What symbols stand for.
    pub parameters: &'p Parameters<'c>,
    /// By symbol: its index.
    indices: HashMap<usize, Val<'c>>,
    /// By symbol: its number of 128 bits.
    wide: HashMap<usize, Val<'c>>,
}

impl<'p, 'c> Arithmetic<'p, 'c> {
    /// Arithmetic at this place.
    pub fn new(b: Builder<'c>, parameters: &'p Parameters<'c>) -> Self {
        Self { b, parameters, indices: HashMap::new(), wide: HashMap::new() }
    }

    /// The value of a symbol as an index.
    fn index_of(&mut self, symbol: usize) -> Val<'c> {
        if let Some(known) = self.indices.get(&symbol) {
            return *known;
        }
        let index = self.b.index();
        let value = match self.parameters.all[symbol].clone() {
            SourceParameter::Value { value, .. } if value.r#type() == index => value,
            SourceParameter::Value { value, is_unsigned } => {
                let name = if is_unsigned { "arith.index_castui" } else { "arith.index_cast" };
                self.b.value(name, &[value], index, &[])
            }
            SourceParameter::Size(memref, axis) => {
                let axis = self.b.constant(axis as i64, index);
                self.b.value("memref.dim", &[memref, axis], index, &[])
            }
            SourceParameter::Offset(memref) => self.offset(memref),
            SourceParameter::Stride(memref, axis) => self.layout(memref).1[axis],
            SourceParameter::Last { lower, upper, step } => {
                let (lower, upper) = (self.index(&lower), self.index(&upper));
                let step = self.b.literal(step, index);
                let below = self.binary("arith.subi", upper, self.b.constant(1, index));
                let length = self.binary("arith.subi", below, lower);
                self.binary("arith.subi", below, self.binary("arith.remsi", length, step))
            }
        };
        self.indices.insert(symbol, value);
        value
    }

    fn binary(&self, name: &str, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.b.value(name, &[left, right], left.r#type(), &[])
    }

    /// A polynomial of symbols as an index, modulo 2^64.
    pub fn index(&mut self, expression: &Expression) -> Val<'c> {
        let index = self.b.index();
        self.sum(expression, index, &mut |own, symbol| own.index_of(symbol))
    }

    /// A polynomial of symbols in 128 bits.
    fn wide(&mut self, expression: &Expression) -> Val<'c> {
        let ty = self.b.integer(WIDE);
        self.sum(expression, ty, &mut |own, symbol| own.wide_of(symbol))
    }

    fn wide_of(&mut self, symbol: usize) -> Val<'c> {
        if let Some(known) = self.wide.get(&symbol) {
            return *known;
        }
        let index = self.index_of(symbol);
        let value = self.b.value("arith.index_cast", &[index], self.b.integer(WIDE), &[]);
        self.wide.insert(symbol, value);
        value
    }

    fn sum(
        &mut self,
        expression: &Expression,
        ty: Type<'c>,
        value_of: &mut dyn FnMut(&mut Self, usize) -> Val<'c>,
    ) -> Val<'c> {
        let mut sum: Option<Val<'c>> = None;
        for (monomial, coefficient) in expression.monomials().unwrap_or_default() {
            let mut product: Option<Val<'c>> = None;
            for variable in &monomial {
                let Variable::Symbol(symbol) = variable else { continue };
                let factor = value_of(self, *symbol);
                product = Some(product.map_or(factor, |product| self.binary("arith.muli", product, factor)));
            }
            let (negative, number) = (coefficient < 0 && sum.is_some() && coefficient != i128::MIN, coefficient);
            let number = if negative { -number } else { number };
            let term = match product {
                Some(product) if number == 1 => product,
                Some(product) => self.binary("arith.muli", product, self.number(number, ty)),
                None => self.number(number, ty),
            };
            sum = Some(match sum {
                Some(sum) => self.binary(if negative { "arith.subi" } else { "arith.addi" }, sum, term),
                None => term,
            });
        }
        sum.unwrap_or_else(|| self.number(0, ty))
    }

    fn number(&self, number: i128, ty: Type<'c>) -> Val<'c> {
        if ty == self.b.index() {
            return self.b.literal(number, ty);
        }
        self.b.wide_literal(&[number as u64, (number >> 64) as u64], ty)
    }

    /// The truth of a condition; `None` if it always holds.
    pub fn condition(&mut self, condition: &RunCondition<'c>) -> Option<Val<'c>> {
        let ty = self.b.integer(WIDE);
        let mut all = vec![];
        for expression in condition.requirements.iter().chain(&condition.numbers) {
            let value = self.wide(expression);
            all.push(self.b.cmpi(IntPredicate::Sge, value, self.number(0, ty)));
        }
        let limit = self.number(1 << MAX_BYTES, ty);
        for factors in &condition.products {
            let mut product: Option<Val<'c>> = None;
            for factor in factors {
                let wide = self.wide(factor);
                // The product of two numbers up to the limit fits.
                let factor = if factor.value().is_some() { wide } else { self.binary("arith.minsi", wide, limit) };
                product = Some(match product {
                    None => factor,
                    Some(product) => {
                        let product = self.binary("arith.muli", product, factor);
                        all.push(self.b.cmpi(IntPredicate::Sle, product, limit));
                        self.binary("arith.minsi", product, limit)
                    }
                });
            }
        }
        self.apart(condition, &mut all);
        if let Some(bits) = condition.bits {
            let mut symbols: Vec<_> = self.wide.iter().map(|(symbol, value)| (*symbol, *value)).collect();
            symbols.sort_by_key(|(symbol, _)| *symbol);
            for (symbol, value) in symbols {
                let is_short = match &self.parameters.all[symbol] {
                    SourceParameter::Value { value, .. } => {
                        value.r#type() != self.b.index() && ir::integer_width(value.r#type()) <= bits
                    }
                    _ => false,
                };
                if !is_short {
                    let limit = 1i128 << bits;
                    all.push(self.b.cmpi(IntPredicate::Slt, value, self.number(limit, ty)));
                    all.push(self.b.cmpi(IntPredicate::Sgt, value, self.number(-limit, ty)));
                }
            }
        }
        all.into_iter().reduce(|one, other| self.binary("arith.andi", one, other))
    }

    /// True if nests have at least so many points together; `None` if that is known, or not given by their bounds. A step
    /// counts as one of 1, and the least number must be less than 2^31.
    pub fn has_points(&mut self, nests: &[&NestRanges], least: u64) -> Option<Val<'c>> {
        let (index, least) = (self.b.index(), i128::from(least));
        let (limit, none) = (self.b.literal(least, index), self.b.literal(0, index));
        let (mut known, mut total) = (0i128, None);
        for ranges in nests {
            let (mut number, mut product) = (1i128, None);
            for range in &ranges.loops {
                let extent = ranges.extremes(&range.upper.checked_sub(&range.lower)?)?.into_iter().next_back()?;
                if let Some(extent) = extent.value() {
                    number = (number * extent.clamp(0, least)).min(least);
                    continue;
                }
                let extent = self.index(&extent);
                let extent = self.binary("arith.maxsi", self.binary("arith.minsi", extent, limit), none);
                // The product of two numbers up to the limit fits.
                product = Some(product.map_or(extent, |product| {
                    self.binary("arith.minsi", self.binary("arith.muli", product, extent), limit)
                }));
            }
            let Some(product) = product else {
                known += number;
                continue;
            };
            let points = self.binary("arith.muli", product, self.b.literal(number, index));
            total = Some(total.map_or(points, |total| self.binary("arith.addi", total, points)));
        }
        let points = total.filter(|_| known < least)?;
        Some(self.b.cmpi(IntPredicate::Sge, points, self.b.literal(least - known, index)))
    }

    /// Adds the comparisons of memrefs that must be apart, and of arrays with their sizes.
    fn apart(&mut self, condition: &RunCondition<'c>, all: &mut Vec<Val<'c>>) {
        let ty = self.b.integer(WIDE);
        let overlaps = &condition.overlaps;
        let elements: Vec<_> = overlaps.memrefs.iter().map(|memref| self.elements(memref)).collect();
        for (array, size) in overlaps.arrays.iter().filter(|(array, size)| !condition.is_within(*array, size)) {
            let ([first, end], size) = (elements[*array], self.wide(size));
            all.push(self.b.cmpi(IntPredicate::Sge, first, self.number(0, ty)));
            all.push(self.b.cmpi(IntPredicate::Sle, end, size));
        }
        let mut addresses: Vec<Option<[Val<'c>; 2]>> = vec![None; elements.len()];
        for pair in &overlaps.pairs {
            let [[first, last], [other_first, other_last]] = pair.map(|number| {
                *addresses[number].get_or_insert_with(|| self.bytes(&overlaps.memrefs[number], elements[number]))
            });
            let before = self.b.cmpi(IntPredicate::Sle, last, other_first);
            let after = self.b.cmpi(IntPredicate::Sle, other_last, first);
            all.push(self.binary("arith.ori", before, after));
        }
    }

    /// The first element of a memref that is accessed, and the one after the last.
    fn elements(&mut self, of: &MemrefRange<'c>) -> [Val<'c>; 2] {
        let ty = self.b.integer(WIDE);
        let mut ends: [Option<Val<'c>>; 2] = [None; 2];
        for range in &of.ranges {
            for (end, (name, after)) in [("arith.minsi", 0), ("arith.maxsi", 1)].into_iter().enumerate() {
                let element = self.element(&range.ends[end], &range.layout);
                let element = element.unwrap_or_else(|| self.number(0, ty));
                let element = match after {
                    0 => element,
                    _ => self.binary("arith.addi", element, self.number(after, ty)),
                };
                ends[end] = Some(ends[end].map_or(element, |known| self.binary(name, known, element)));
            }
        }
        ends.map(|end| end.unwrap_or_else(|| self.number(0, ty)))
    }

    /// The element with these subscripts; `None` without any.
    fn element(&mut self, subscripts: &[Expression], layout: &RangeLayout) -> Option<Val<'c>> {
        let mut element: Option<Val<'c>> = None;
        match layout {
            RangeLayout::Sizes(sizes) => {
                for (axis, subscript) in subscripts.iter().enumerate() {
                    let size = element.map(|_| self.wide(&sizes[axis - 1]));
                    let outer = element.zip(size).map(|(outer, size)| self.binary("arith.muli", outer, size));
                    let subscript = self.wide(subscript);
                    element = Some(outer.map_or(subscript, |outer| self.binary("arith.addi", outer, subscript)));
                }
            }
            RangeLayout::Strides(strides) => {
                for (subscript, stride) in subscripts.iter().zip(strides) {
                    let subscript = self.wide(subscript);
                    let product = match stride.value() {
                        Some(1) => subscript,
                        _ => {
                            let stride = self.wide(stride);
                            self.binary("arith.muli", subscript, stride)
                        }
                    };
                    element = Some(element.map_or(product, |sum| self.binary("arith.addi", sum, product)));
                }
            }
        }
        element
    }

    /// The addresses of elements of a memref.
    fn bytes(&mut self, of: &MemrefRange<'c>, elements: [Val<'c>; 2]) -> [Val<'c>; 2] {
        let (index, ty) = (self.b.index(), self.b.integer(WIDE));
        let address = self.b.value("memref.extract_aligned_pointer_as_index", &[of.memref], index, &[]);
        let address = self.b.value("arith.index_castui", &[address], ty, &[]);
        let bytes = self.number(of.bytes.into(), ty);
        let offset = (of.offset.value() != Some(0)).then(|| self.wide(&of.offset));
        elements.map(|element| {
            let element = offset.map_or(element, |offset| self.binary("arith.addi", element, offset));
            self.binary("arith.addi", address, self.binary("arith.muli", element, bytes))
        })
    }

    /// The number of elements before the first one of a memref.
    pub fn offset(&self, memref: Val<'c>) -> Val<'c> {
        self.layout(memref).0
    }

    /// The number of elements before the first one of a memref, and its strides.
    fn layout(&self, memref: Val<'c>) -> (Val<'c>, Vec<Val<'c>>) {
        let ty = memref.r#type();
        let rank = ir::shape(ty).unwrap_or_default().len();
        let base = self.b.memref(&[], ir::element_type_or_self(ty), None);
        let results: Vec<_> = [base].into_iter().chain(vec![self.b.index(); 1 + 2 * rank]).collect();
        let metadata = self.b.op("memref.extract_strided_metadata", &[memref], &results, &[], vec![]);
        let values = ir::results(metadata);
        (values[1], values[2 + rank..].to_vec())
    }
}
