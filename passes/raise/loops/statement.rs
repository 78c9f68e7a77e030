//! A statement of a nest as a structured operation: the loops around it are iterators.
//!
//! ```text
//! for %i = 1 to 9 { for %k .. { y[%i] = y[%i] + A[%i - 1, %k] } }
//!                                  ──▶  iterators (i, k), extents (8, ..), outputs y[i + 1], inputs A[i, k]
//! ```
//!
//! A memref or a tensor with indices that depend on values from outside of the nest, or on loops with dynamic extents,
//! becomes a part whose sizes are those extents (`loops/part.rs`).
use super::{
    linear::{IndexRow, Linear, SourceLoop, iterators},
    nest::SourceNest,
    slice, spelled,
    store::{ElementAccess, Memory, StoreStatement},
};
use crate::{
    analysis::extents::axis_of,
    raise::linalg::structured::{Extent, Structured, StructuredOperand},
};
use mdh_dialects::{
    ir::{self, Builder, Op, Val, ValueMap},
    view::IndexFunction,
};
use melior::ir::{TypeLike, ValueLike};

/// The number of iterations of a loop, if it is static.
pub fn extent(l: &SourceLoop<'_>) -> Option<u64> {
    let length = l.upper.clone().plus(&l.lower, -1)?.as_constant()?;
    Some(u64::try_from(length).unwrap_or(0).div_ceil(l.step.unsigned_abs()))
}

/// The number of iterators of a statement: one, with one iteration, if there is no loop around a store to an axis.
pub fn rank(statement: &StoreStatement<'_>) -> usize {
    statement.loops.len().max(usize::from(!statement.target.indices.is_empty()))
}

/// The nest with what is built before it: the extents of its loops and the memory of its cells.
#[derive(Clone)]
pub struct StatementBuilder<'n, 'c> {
    /// The place before the nest.
    pub b: Builder<'c>,
    /// The operation after this place.
    pub anchor: Op<'c>,
    /// The nest.
    pub nest: &'n SourceNest<'c>,
    /// By loop: the static extent, or its value.
    pub extents: Vec<Result<u64, Val<'c>>>,
    /// By cell: its memory.
    pub cells: Vec<Val<'c>>,
    /// The loops with dynamic bounds whose iterations have the opposite order, because all indices fall with them.
    pub reversed: Vec<usize>,
}

/// An operand, and by axis the loop whose dynamic extent is its size.
pub type Part<'c> = (StructuredOperand<'c>, Vec<Option<usize>>);

impl<'n, 'c> StatementBuilder<'n, 'c> {
    /// Builds the extents and the cells before the nest. The error is the requirement that the nest does not meet.
    pub fn new(nest: &'n SourceNest<'c>) -> Result<Self, String> {
        let mut builder = Self {
            b: Builder::before(nest.root),
            anchor: nest.root,
            nest,
            extents: vec![],
            cells: vec![],
            reversed: vec![],
        };
        for l in &nest.loops {
            let bounds = l.lower.terms.iter().chain(&l.upper.terms);
            if bounds.map(|(value, _)| *value).any(|value| nest.is_inside(value)) {
                return Err("requires bounds that do not depend on another loop of the nest".into());
            }
            let extent = match extent(l) {
                Some(0) => return Err("requires loops that run at least once".into()),
                Some(extent) => Ok(extent),
                None => Err(builder.length(l)?),
            };
            builder.extents.push(extent);
        }
        for cell in &nest.cells {
            if !mdh_dialects::view::is_scalar(cell.ty) {
                return Err(format!("requires loops that carry numbers, but one carries {}", cell.ty));
            }
            let sizes: Vec<_> = cell.loops.iter().map(|l| builder.extents[*l].ok()).collect();
            let dynamic: Vec<_> = cell.loops.iter().filter_map(|l| builder.extents[*l].err()).collect();
            let ty = builder.b.memref(&sizes, cell.ty, None);
            let segments = builder.b.segments(&[dynamic.len(), 0]);
            builder.cells.push(builder.b.value("memref.alloc", &dynamic, ty, &[segments]));
        }
        Ok(builder)
    }

    /// The number of iterations of a loop with dynamic bounds.
    fn length(&self, l: &SourceLoop<'c>) -> Result<Val<'c>, String> {
        let length = l.upper.clone().plus(&l.lower, -1).ok_or("requires bounds of 64 bits")?;
        let (upper, lower) = (self.value(&l.upper), self.value(&l.lower));
        let is_size =
            ir::defining(upper).is_some_and(|operation| ["memref.dim", "tensor.dim"].contains(&ir::name(operation)));
        // A loop whose upper bound is below its lower bound does not run.
        let length = match l.lower.as_constant() {
            Some(0) if is_size => upper,
            Some(0) => self.binary("arith.maxsi", upper, lower),
            // Both bounds are computed from the same values.
            _ if length.terms.len() < l.upper.terms.len() + l.lower.terms.len() => {
                let zero = self.b.constant(0, self.b.index());
                self.binary("arith.maxsi", self.value(&length), zero)
            }
            // Negative only if the loop has more than 2^63 iterations: the difference of the bounds may also overflow if the
            // loop does not run.
            _ => self.binary("arith.subi", self.binary("arith.maxsi", upper, lower), lower),
        };
        Ok(match l.step {
            1 => length,
            step => {
                let step = self.b.constant(step, self.b.index());
                self.binary("arith.ceildivsi", length, step)
            }
        })
    }

    /// The loops of a statement with dynamic bounds with which all of its indices fall, if they depend on them.
    pub fn falling(&self, statement: &StoreStatement<'c>) -> Vec<usize> {
        if statement.scan.is_some() {
            return vec![];
        }
        let reads = self.nest.reads_of(statement);
        let indices: Vec<_> = statement.targets().chain(reads).flat_map(|access| &access.indices).collect();
        // A sum of floats in the opposite order has other bits.
        let is_inexact = statement.values().any(|value| value.r#type().is_float());
        let is_reduced = |variable: Val<'c>| {
            let mut targets = statement.targets();
            !targets.all(|target| target.indices.iter().any(|index| index.factor(variable) != 0))
        };
        let falls = |l: &usize| {
            if is_inexact && is_reduced(self.nest.loops[*l].variable) {
                return false;
            }
            let factors = indices.iter().map(|index| index.factor(self.nest.loops[*l].variable));
            let factors: Vec<_> = factors.filter(|factor| *factor != 0).collect();
            self.extents[*l].is_err() && !factors.is_empty() && factors.iter().all(|factor| *factor < 0)
        };
        statement.loops.iter().copied().filter(falls).collect()
    }

    /// An operation on indices.
    pub fn binary(&self, name: &str, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.b.value(name, &[left, right], self.b.index(), &[])
    }

    /// The value of a linear form of values from outside of the nest.
    pub fn value(&self, form: &Linear<'c>) -> Val<'c> {
        let constant = |number| self.b.constant(number, self.b.index());
        let terms = form.terms.iter().map(|(value, factor)| match factor {
            1 => *value,
            _ => self.binary("arith.muli", *value, constant(*factor)),
        });
        let all = terms.chain((form.constant != 0 || form.terms.is_empty()).then(|| constant(form.constant)));
        all.reduce(|sum, term| self.binary("arith.addi", sum, term)).unwrap_or_else(|| constant(0))
    }

    /// The structured operation of a statement, and the operation that holds its region. The error is the requirement
    /// that it does not meet.
    pub fn structured(&self, statement: &StoreStatement<'c>) -> Result<(Structured<'c>, Op<'c>), String> {
        let b = self.b.located(statement.at);
        let (region, block) = b.region(&[]);
        let holder = b.op("scf.execute_region", &[], &[], &[], vec![region]);
        let inside = b.at_end(block);
        let mut outputs = self.outputs(statement)?;
        let parts = self.common_parts(statement)?;
        let mut inputs: Vec<Part<'c>> = vec![];
        let mut map = ValueMap::default();
        let mut copied = vec![];
        for value in self.nest.slice(statement.values()) {
            let number = statement.loops.iter().position(|l| self.nest.loops[*l].variable == value);
            let new = match (self.nest.read(value), number, ir::defining(value)) {
                (Some(access), ..) => {
                    let written = match statement.scan {
                        Some(_) => statement.is_carry(access).then_some(0),
                        None => statement.targets().position(|target| access.is_same(target)),
                    };
                    let known = written.and_then(|output| outputs[output].0.argument);
                    let argument = known.unwrap_or_else(|| b.argument(block, value.r#type()));
                    match written {
                        Some(output) => outputs[output].0.argument = Some(argument),
                        None => {
                            let of_part = parts.iter().find_map(|part| part.operand(self, access, statement));
                            let (operand, loops) =
                                of_part.map_or_else(|| self.operand(access, statement, false), Ok)?;
                            // The accesses of an operand are adjacent.
                            let last = inputs.iter().rposition(|(known, _)| known.value == operand.value);
                            let place = last.map_or(inputs.len(), |last| last + 1);
                            inputs.insert(place, (StructuredOperand { argument: Some(argument), ..operand }, loops));
                        }
                    }
                    argument
                }
                (None, Some(number), _) => self.variable(&inside, number, statement.loops[number]),
                (None, None, Some(operation)) => {
                    if !copied.contains(&operation) {
                        copied.push(operation);
                        let results = inside.copy_mapped(operation, &map, &mut |_, _| None);
                        map.extend(ir::results(operation).into_iter().zip(results));
                    }
                    continue;
                }
                (None, None, None) => return Err("requires values of loops, but one is that of a region".into()),
            };
            map.extend([(value, new)]);
        }
        let yields: Vec<_> = statement.values().map(|value| map.get(value)).collect();
        inside.op("linalg.yield", &yields, &[], &[], vec![]);
        let rank = rank(statement);
        let is_reduced = |d: usize| {
            outputs.iter().all(|(output, _)| output.access.as_ref().is_some_and(|access| !access.depends_on(d)))
        };
        let reduces = (0..statement.loops.len()).map(is_reduced);
        let all: Vec<_> = inputs.iter().chain(&outputs).collect();
        let extents = statement.loops.iter().map(|l| match self.extents[*l] {
            Ok(extent) => Ok(Extent::Static(extent)),
            Err(_) => {
                let axis = |(_, loops): &&Part<'c>| loops.iter().position(|of| *of == Some(*l));
                let found = all.iter().find_map(|part| Some((part.0.value, axis(part)?)));
                let (value, axis) = found.ok_or("requires an index of each loop with dynamic bounds alone")?;
                Ok(Extent::Size(value, axis))
            }
        });
        let mut extents = extents.collect::<Result<Vec<_>, String>>()?;
        let mut reduces: Vec<_> = reduces.collect();
        extents.resize(rank, Extent::Static(1));
        reduces.resize(rank, false);
        let structured = Structured {
            operation: self.anchor,
            extents,
            inputs: inputs.iter().map(|(operand, _)| operand.clone()).collect(),
            positions: (0..outputs.len()).collect(),
            observed: statement.targets().map(|target| self.is_observed(target, statement)).collect(),
            outputs: outputs.into_iter().map(|(output, _)| output).collect(),
            reduces,
            body: block,
        };
        Ok((structured, holder))
    }

    /// The outputs of a statement. The error is the requirement that they do not meet.
    fn outputs(&self, statement: &StoreStatement<'c>) -> Result<Vec<Part<'c>>, String> {
        let initial = [statement.initial].into_iter().chain(statement.others.iter().map(|other| other.initial));
        let outputs = statement.targets().zip(initial).map(|(target, initial)| {
            let (operand, loops) = self.operand(target, statement, false)?;
            Ok((StructuredOperand { filled: initial, ..operand }, loops))
        });
        let outputs: Vec<Part<'c>> = outputs.collect::<Result<_, String>>()?;
        let tensors = outputs.iter().filter(|(output, _)| output.value.r#type().is_tensor()).count();
        if tensors > 0 && tensors < outputs.len() {
            return Err("requires that values that depend on each other are stored to tensors only, or to none".into());
        }
        let is_part = outputs.iter().any(|(output, _)| slice::source(output.value).is_some());
        let memories: Vec<_> = statement.targets().map(|target| target.memory).collect();
        if is_part && (1..memories.len()).any(|i| memories[..i].contains(&memories[i])) {
            return Err("requires a different tensor for each of the values that depend on each other".into());
        }
        Ok(outputs)
    }

    /// True unless only the statement itself reads what it writes.
    fn is_observed(&self, target: &ElementAccess<'c>, statement: &StoreStatement<'c>) -> bool {
        let Memory::Cell(number) = target.memory else { return true };
        let others = self.nest.statements.iter().filter(|other| !other.writes(target) || other.at != statement.at);
        let mut reads = others.flat_map(|other| self.nest.reads_of(other));
        !ir::users(self.nest.cells[number].result).is_empty() || reads.any(|read| read.memory == target.memory)
    }

    /// The value of an induction variable in the region.
    fn variable(&self, inside: &Builder<'c>, number: usize, position: usize) -> Val<'c> {
        let (l, index) = (&self.nest.loops[position], inside.index());
        let value = inside.value("linalg.index", &[], index, &[("dim", inside.i64_number(number as i64))]);
        let value = match self.extents[position] {
            Err(extent) if self.reversed.contains(&position) => {
                let last = self.binary("arith.subi", extent, self.b.constant(1, index));
                inside.value("arith.subi", &[last, value], index, &[])
            }
            _ => value,
        };
        let scaled = match l.step {
            1 => value,
            step => inside.value("arith.muli", &[value, inside.constant(step, index)], index, &[]),
        };
        match l.lower.as_constant() {
            Some(0) => scaled,
            _ => inside.value("arith.addi", &[scaled, self.value(&l.lower)], index, &[]),
        }
    }

    /// The operand of an access. `is_part`: it is a part of its memref in any case. The error is the requirement that it
    /// does not meet.
    pub fn operand(
        &self,
        access: &ElementAccess<'c>,
        statement: &StoreStatement<'c>,
        is_part: bool,
    ) -> Result<Part<'c>, String> {
        let memref = match access.memory {
            Memory::Buffer(memref) => memref,
            Memory::Cell(number) => self.cells[number],
        };
        let rows = self.rows(access, statement)?;
        let is_cell = access.is_cell();
        let is_dynamic = |d: &usize| self.extents[statement.loops[*d]].is_err();
        let is_of_part = |(axis, (row, base)): (usize, &IndexRow<'c>)| {
            let is_whole = || match iterators(row)[..] {
                [d] => row[d] == 1 && base.constant == 0 && self.is_size(statement.loops[d], memref, axis),
                _ => false,
            };
            !base.terms.is_empty() || iterators(row).iter().any(is_dynamic) && !is_cell && !is_whole()
        };
        let by_loop = |(row, _): &IndexRow<'c>| match iterators(row)[..] {
            [d] if is_dynamic(&d) => Some(statement.loops[d]),
            _ => None,
        };
        let loops = rows.iter().map(by_loop).collect();
        let is_required = rows.iter().enumerate().any(is_of_part);
        // A tensor keeps its value while another one is written.
        let is_part = is_part && memref.r#type().is_mem_ref();
        if is_part && !is_required {
            let function = IndexFunction::new(rows.iter().map(|(row, base)| (row.clone(), base.constant)));
            self.inside(memref, &function, statement)?;
        }
        let (value, rows) = match is_part || is_required {
            true => {
                let strides: Vec<_> = rows.iter().map(|(row, _)| self.stride(row, statement)).collect();
                let axes: Vec<_> = strides.iter().map(|stride| (*stride, 0)).collect();
                let part = self.part(memref, &rows, &axes, access.at, statement)?;
                let function = rows
                    .into_iter()
                    .zip(strides)
                    .map(|((row, _), stride)| (row.into_iter().map(|factor| factor / stride).collect::<Vec<_>>(), 0));
                (part, function.collect())
            }
            false => (memref, rows.into_iter().map(|(row, base)| (row, base.constant)).collect::<Vec<_>>()),
        };
        let function = IndexFunction::new(rows);
        self.inside(value, &function, statement)?;
        let map = function.attribute(self.b.context, rank(statement));
        Ok((StructuredOperand { value, map: Some(map), access: Some(function), argument: None, filled: None }, loops))
    }

    /// True if the extent of a loop is the size of a tensor along an axis.
    fn is_size(&self, l: usize, tensor: Val<'c>, axis: usize) -> bool {
        let Some(dim) = self.extents[l].err().and_then(ir::defining) else { return false };
        ir::name(dim) == "tensor.dim" && axis_of(dim) == Some((self.nest.tensors.initial(tensor), axis))
    }

    /// The coefficients of the index of each axis by iterator, and the rest of it.
    pub fn rows(
        &self,
        access: &ElementAccess<'c>,
        statement: &StoreStatement<'c>,
    ) -> Result<Vec<IndexRow<'c>>, String> {
        access.indices.iter().map(|index| self.row(index, statement, access.is_cell())).collect()
    }

    /// The coefficients of an index by iterator, and the rest of it.
    fn row(&self, index: &Linear<'c>, statement: &StoreStatement<'c>, is_cell: bool) -> Result<IndexRow<'c>, String> {
        let overflow = || "requires indices of 64 bits".to_owned();
        let mut row = vec![0; rank(statement)];
        let mut base = Linear { terms: vec![], constant: index.constant };
        for (value, factor) in &index.terms {
            let number = statement.loops.iter().position(|l| self.nest.loops[*l].variable == *value);
            if let Some(number) = number {
                let l = &self.nest.loops[statement.loops[number]];
                // The cells of a loop are numbered by its iterations.
                let (step, lower) = if is_cell { (1, &Linear::default()) } else { (l.step, &l.lower) };
                let factor_of_number = factor.checked_mul(step).ok_or_else(overflow)?;
                base = base.plus(lower, *factor).ok_or_else(overflow)?;
                row[number] = match self.extents[statement.loops[number]] {
                    Err(extent) if self.reversed.contains(&statement.loops[number]) => {
                        let last = Linear { terms: vec![(extent, 1)], constant: -1 };
                        base = base.plus(&last, factor_of_number).ok_or_else(overflow)?;
                        factor_of_number.checked_neg().ok_or_else(overflow)?
                    }
                    _ => factor_of_number,
                };
            } else if self.nest.is_inside(*value) {
                let variables: Vec<_> = self.nest.loops.iter().map(|l| l.variable).collect();
                return Err(spelled::refused(&spelled::value(*value, &variables)));
            } else {
                let term = Linear { terms: vec![(*value, 1)], constant: 0 };
                base = base.plus(&term, *factor).ok_or_else(overflow)?;
            }
        }
        Ok((row, base))
    }

    /// Requires that an access with static extents stays inside of a memref.
    fn inside(&self, value: Val<'c>, function: &IndexFunction, statement: &StoreStatement<'c>) -> Result<(), String> {
        let extents: Vec<_> = statement.loops.iter().map(|l| self.extents[*l].ok()).collect();
        let sizes = ir::shape(value.r#type()).unwrap_or_default();
        for (axis, size) in sizes.iter().enumerate() {
            let Some((low, high)) = function.range(axis, &extents) else { continue };
            let size = size.and_then(|size| i64::try_from(size).ok());
            if low < 0 || size.is_some_and(|size| high >= size) {
                let size = size.map_or("?".into(), |size| size.to_string());
                return Err(format!(
                    "requires indices in the memref or tensor, but index {} is from {low} to {high} and its size is {size}",
                    axis + 1
                ));
            }
        }
        Ok(())
    }
}
