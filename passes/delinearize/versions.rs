//! The code of versions: nests whose arrays have more dimensions under a condition, and the loops as they were.
//!
//! ```text
//! for %i .. for %j .. %A[%i * %n + %j]          scf.if (%condition) {
//!                                                 %view = memref.reinterpret_cast %A to [.., %n]
//!                                        ──▶      for %i .. for %j .. %view[%i, %j]
//!                                               } else {
//!                                                 for %i .. for %j .. %A[%i * %n + %j]
//!                                               }
//! ```
use super::{
    arithmetic::Arithmetic,
    condition::RunCondition,
    plan::{self, ArrayPlan, NestPlan, chosen},
    polynomial::Parameters,
};
use crate::{
    analysis::index::{Expression, Variable},
    raise::loops::nest::is_store,
};
use mdh_dialects::{
    attributes::{DISJOINT, ORIGINAL},
    ir::{self, Blk, Builder, DYNAMIC, Op, Val, ValueMap},
};
use melior::ir::{Attribute, ValueLike};

/// Nests of a block with only pure operations between them.
pub struct NestRun<'c> {
    /// The operations from the first nest to the last one, without those that may come before.
    pub operations: Vec<Op<'c>>,
    /// Pure operations between and after the nests that do not depend on them.
    pub earlier: Vec<Op<'c>>,
    /// The nests.
    pub nests: Vec<NestPlan<'c>>,
}

/// A version of all nests: by nest and array, and its condition.
pub struct RunVersion<'c> {
    /// By nest and array.
    pub choices: Vec<Vec<usize>>,
    /// The condition.
    pub condition: RunCondition<'c>,
}

impl<'c> NestRun<'c> {
    /// Builds the versions in this order, if there are any. The nests stay as they were if no condition holds, or are
    /// replaced if the first one always holds. `least_points`: with fewer points, they stay as well.
    pub fn build(&self, versions: &[RunVersion<'c>], parameters: &Parameters<'c>, least_points: u64) {
        if !versions.is_empty() {
            self.earlier.iter().for_each(|operation| ir::move_before(*operation, self.operations[0]));
        }
        self.build_versions(versions, parameters, least_points);
    }

    fn build_versions(&self, versions: &[RunVersion<'c>], parameters: &Parameters<'c>, least_points: u64) {
        let Some((first, rest)) = versions.split_first() else { return };
        let b = Builder::before(self.operations[0]);
        let Some(condition) = self.condition(b, first, parameters, least_points) else {
            self.rewrite(&self.operations, &mut Arithmetic::new(b, parameters), first);
            return;
        };
        let is_own = |user: &Op<'c>| {
            let mut outer = std::iter::successors(Some(*user), |outer| ir::parent(*outer));
            outer.any(|outer| self.operations.contains(&outer))
        };
        let is_used = |value: &Val<'c>| ir::users(*value).iter().any(|user| !is_own(user));
        let results: Vec<_> = self.operations.iter().flat_map(|operation| ir::results(*operation)).collect();
        let results: Vec<_> = results.into_iter().filter(is_used).collect();
        let types: Vec<_> = results.iter().map(|value| value.r#type()).collect();
        let (fast, block) = b.region(&[]);
        let (clones, map) = self.cloned(&b, block);
        let fast_results: Vec<_> = results.iter().map(|value| map.get(*value)).collect();
        b.at_end(block).op("scf.yield", &fast_results, &[], &[], vec![]);
        let (slow, other) = b.region(&[]);
        let end = b.at_end(other).op("scf.yield", &results, &[], &[], vec![]);
        let choice = b.op("scf.if", &[condition], &types, &[], vec![fast, slow]);
        for (result, new) in results.iter().zip(ir::results(choice)) {
            for user in ir::users(*result).into_iter().filter(|user| !is_own(user) && *user != end) {
                let positions = ir::operands(user).into_iter().enumerate().filter(|(_, operand)| operand == result);
                positions.for_each(|(position, _)| ir::set_operand(user, position, new));
            }
        }
        self.operations.iter().for_each(|operation| ir::move_before(*operation, end));
        let start = clones.first().map_or_else(|| b.at_end(block), |clone| Builder::before(*clone));
        self.rewrite(&clones, &mut Arithmetic::new(start, parameters), first);
        match rest.is_empty() {
            true => self.nests.iter().for_each(|nest| ir::set_attribute(nest.nest.root, ORIGINAL, b.unit())),
            false => self.build_versions(rest, parameters, least_points),
        }
    }

    /// The truth of the condition of a version; `None` if it always holds. What few points do not need is not computed.
    fn condition(
        &self,
        b: Builder<'c>,
        of: &RunVersion<'c>,
        parameters: &Parameters<'c>,
        least_points: u64,
    ) -> Option<Val<'c>> {
        let ranges: Vec<_> = self.nests.iter().map(|nest| &nest.nest.ranges).collect();
        let mut arithmetic = Arithmetic::new(b, parameters);
        let has_points = if least_points > 0 { arithmetic.has_points(&ranges, least_points) } else { None };
        let Some(has_points) = has_points else { return arithmetic.condition(&of.condition) };
        let ((many, block), (few, other)) = (b.region(&[]), b.region(&[]));
        let inside = b.at_end(block);
        let Some(condition) = Arithmetic::new(inside, parameters).condition(&of.condition) else {
            return Some(has_points);
        };
        inside.op("scf.yield", &[condition], &[], &[], vec![]);
        let outside = b.at_end(other);
        let truth = b.integer(1);
        outside.op("scf.yield", &[outside.constant(0, truth)], &[], &[], vec![]);
        Some(ir::results(b.op("scf.if", &[has_points], &[truth], &[], vec![many, few]))[0])
    }

    /// Copies of the operations at the end of a block.
    fn cloned(&self, b: &Builder<'c>, block: Blk<'c>) -> (Vec<Op<'c>>, ValueMap<'c>) {
        let (inside, mut map) = (b.at_end(block), ValueMap::default());
        let mut clones = vec![];
        for operation in &self.operations {
            let clone = inside.clone_mapped(*operation, &map);
            map.extend(ir::results(*operation).into_iter().zip(ir::results(clone)));
            clones.push(clone);
        }
        (clones, map)
    }

    /// Gives the arrays of these copies of the operations their shapes.
    fn rewrite(&self, copies: &[Op<'c>], arithmetic: &mut Arithmetic<'_, 'c>, version: &RunVersion<'c>) {
        let mut views: Vec<(Val<'c>, Vec<Expression>, Val<'c>)> = vec![];
        let mut marked: Vec<(Val<'c>, Val<'c>)> = vec![];
        for (nest, own) in self.nests.iter().zip(&version.choices) {
            let position = self.operations.iter().position(|operation| *operation == nest.nest.root);
            let Some(position) = position else { continue };
            let (old, new) = (ir::descendants(self.operations[position]), ir::descendants(copies[position]));
            let copy = |operation: Op<'c>| old.iter().position(|other| *other == operation).map(|place| new[place]);
            let variables = nest.nest.variables.iter().map(|variable| {
                let body = ir::body(copy(variable.operation)?, 0)?;
                ir::arguments(body).get(variable.position).copied()
            });
            let Some(variables) = variables.collect::<Option<Vec<_>>>() else { continue };
            for (array, choice) in nest.arrays.iter().zip(own) {
                let known =
                    views.iter().find(|(memref, sizes, _)| (memref, sizes) == (&array.memref, &array.shape.sizes));
                let view = match known {
                    Some((.., view)) => *view,
                    None => {
                        let view = self.view(arithmetic, array, version);
                        views.push((array.memref, array.shape.sizes.clone(), view));
                        view
                    }
                };
                for (access, subscripts) in array.accesses.iter().zip(&chosen(array, *choice).subscripts) {
                    if let Some(operation) = copy(nest.nest.accesses[*access].operation) {
                        replace(operation, view, subscripts, &variables, arithmetic);
                    }
                }
            }
            let planned: Vec<_> = nest.arrays.iter().map(|array| array.memref).collect();
            for access in nest.nest.accesses.iter().filter(|access| !planned.contains(&access.memref)) {
                let Some(mark) = mark(version, access.memref, &arithmetic.b) else { continue };
                let Some(operation) = copy(access.operation) else { continue };
                let position = usize::from(access.is_store);
                let memref = ir::operands(operation)[position];
                let known = marked.iter().find(|(known, _)| *known == memref).map(|(_, view)| *view);
                let view = known.unwrap_or_else(|| {
                    arithmetic.b.value("memref.cast", &[memref], memref.r#type(), &[(DISJOINT, mark)])
                });
                marked.push((memref, view));
                ir::set_operand(operation, position, view);
            }
        }
    }

    /// The memref of an array with its shape. The outermost size is the largest subscript of all nests, plus 1.
    fn view(&self, arithmetic: &mut Arithmetic<'_, 'c>, array: &ArrayPlan<'c>, version: &RunVersion<'c>) -> Val<'c> {
        let mut ends: Vec<Expression> = vec![];
        for (nest, own) in self.nests.iter().zip(&version.choices) {
            for (other, choice) in nest.arrays.iter().zip(own) {
                if (other.memref, &other.shape.sizes) == (array.memref, &array.shape.sizes) {
                    ends.extend(plan::ends(nest, other, *choice).into_iter().flatten().map(|(end, _)| end));
                }
            }
        }
        ends.sort();
        ends.dedup();
        let (numbers, symbols): (Vec<_>, Vec<_>) = ends.into_iter().partition(|end| end.value().is_some());
        let number = numbers.iter().filter_map(Expression::value).max();
        let b = arithmetic.b;
        let larger = |one, other| b.value("arith.maxsi", &[one, other], b.index(), &[]);
        let outermost = match (number, symbols.is_empty()) {
            (Some(number), true) => Ok(number),
            (number, _) => {
                let all = number.map(Expression::constant).into_iter().chain(symbols);
                let all: Vec<_> = all.map(|end| arithmetic.index(&end)).collect();
                Err(all.into_iter().reduce(larger))
            }
        };
        let mut sizes: Vec<Result<i128, Val<'c>>> = vec![];
        sizes.push(outermost.map_err(|value| value.unwrap_or_else(|| b.constant(0, b.index()))));
        for size in &array.shape.sizes {
            sizes.push(size.value().map_or_else(|| Err(arithmetic.index(size)), Ok));
        }
        let mut strides: Vec<Result<i128, Val<'c>>> = vec![Ok(1)];
        let mut stride = Expression::constant(1);
        for size in array.shape.sizes.iter().rev() {
            stride = stride * size.clone();
            strides.push(stride.value().map_or_else(|| Err(arithmetic.index(&stride)), Ok));
        }
        strides.reverse();
        let is_first = ir::strides(array.memref.r#type()).is_some_and(|(_, offset)| offset == Some(0));
        let offset = (!is_first).then(|| arithmetic.offset(array.memref));
        let view = reinterpreted(&b, (array.memref, offset), &sizes, &strides);
        if let (Some(mark), Some(operation)) = (mark(version, array.memref, &b), ir::defining(view)) {
            ir::set_attribute(operation, DISJOINT, mark);
        }
        view
    }
}

/// The attribute of a view of a memref that shares no memory with others of the version.
fn mark<'c>(version: &RunVersion<'c>, memref: Val<'c>, b: &Builder<'c>) -> Option<Attribute<'c>> {
    version.condition.overlaps.place(memref).map(|number| b.i64_number(number as i64))
}

/// A view of a memref with these sizes and strides, and the offset of the memref if it is not 0.
fn reinterpreted<'c>(
    b: &Builder<'c>,
    (memref, offset): (Val<'c>, Option<Val<'c>>),
    sizes: &[Result<i128, Val<'c>>],
    strides: &[Result<i128, Val<'c>>],
) -> Val<'c> {
    let fixed = |list: &[Result<i128, Val<'c>>]| -> Vec<i64> {
        list.iter().map(|number| number.map_or(DYNAMIC, |number| number as i64)).collect()
    };
    let dynamic = |list: &[Result<i128, Val<'c>>]| list.iter().filter_map(|number| number.err()).collect::<Vec<_>>();
    let shape: Vec<_> = sizes.iter().map(|size| size.ok().map(|size| size as u64)).collect();
    let element = ir::element_type_or_self(memref.r#type());
    let steps: Vec<_> = strides.iter().map(|stride| stride.ok().map(|stride| stride as u64)).collect();
    let ty = match offset {
        None => b.memref(&shape, element, None),
        Some(_) => b.memref_with_strides(&shape, element, &steps, false),
    };
    let (of_sizes, of_strides) = (dynamic(sizes), dynamic(strides));
    let attributes = [
        b.segments(&[1, usize::from(offset.is_some()), of_sizes.len(), of_strides.len()]),
        ("static_offsets", b.numbers(&[if offset.is_some() { DYNAMIC } else { 0 }])),
        ("static_sizes", b.numbers(&fixed(sizes))),
        ("static_strides", b.numbers(&fixed(strides))),
    ];
    let operands: Vec<_> = [memref].into_iter().chain(offset).chain(of_sizes).chain(of_strides).collect();
    b.value("memref.reinterpret_cast", &operands, ty, &attributes)
}

/// Replaces an access by one of a view with these subscripts, in these loop variables.
fn replace<'c>(
    operation: Op<'c>,
    view: Val<'c>,
    subscripts: &[Expression],
    variables: &[Val<'c>],
    arithmetic: &mut Arithmetic<'_, 'c>,
) {
    let b = Builder::before(operation);
    let index = b.index();
    let mut indices = vec![];
    for subscript in subscripts {
        let mut rest = subscript.clone();
        let mut sum: Option<Val<'c>> = None;
        for (number, variable) in variables.iter().enumerate() {
            let dimension = Expression::dimension(number);
            let factor = subscript.coefficient(Variable::Dimension(number)).and_then(|factor| factor.value());
            let Some(factor) = factor.filter(|factor| *factor != 0) else { continue };
            rest = rest - dimension * Expression::constant(factor);
            let term = match factor {
                1 => *variable,
                _ => b.value("arith.muli", &[*variable, b.literal(factor, index)], index, &[]),
            };
            sum = Some(sum.map_or(term, |sum| b.value("arith.addi", &[sum, term], index, &[])));
        }
        let rest = match rest.value() {
            Some(0) => None,
            Some(number) => Some(b.literal(number, index)),
            None => Some(arithmetic.index(&rest)),
        };
        indices.push(match (sum, rest) {
            (Some(sum), Some(rest)) => b.value("arith.addi", &[sum, rest], index, &[]),
            (Some(sum), None) => sum,
            (None, rest) => rest.unwrap_or_else(|| b.constant(0, index)),
        });
    }
    let results = ir::results(operation);
    if is_store(ir::name(operation)) {
        let operands: Vec<_> = [ir::operands(operation)[0], view].into_iter().chain(indices).collect();
        b.op("memref.store", &operands, &[], &[], vec![]);
    } else {
        let operands: Vec<_> = [view].into_iter().chain(indices).collect();
        let value = b.value("memref.load", &operands, results[0].r#type(), &[]);
        ir::replace_uses(results[0], value);
    }
    ir::erase(operation);
}
