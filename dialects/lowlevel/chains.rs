//! The rules of whole low-level expressions: S1 to S10 and S12, as far as the steps exist and have their parameters;
//! C31 and C32.
//!
//! ```text
//! inp_view -> decompose* -> scalar -> recompose* -> out_view
//! ```
//!
//! A step may still lack its tag and its placements. Missing steps are reported only for an expression that reaches its
//! views: passes may remove unused steps from the end.
use super::{Decompose, Recompose, Scalar, StepView, SystemOp};
use crate::{
    hom::{self, CombineOperator},
    ir::{self, Op, OpView, Val},
    pass::Failure,
    schedule::{
        chain::{Chain, ChainStep, Position},
        model::{Level, System},
        rules::{count_text, violations},
    },
    verify::{Symbols, Verified, mda},
    view::{InpView, OutView},
};
use melior::ir::{Attribute, ValueLike};

/// Checks every expression that contains a scalar step.
pub(crate) fn verify<'c>(operation: Op<'c>, symbols: &Symbols<'_>) -> Verified<'c> {
    let Some(scalar) = Scalar::cast(operation) else { return Ok(()) };
    let symbol = scalar.system();
    let declared = symbols.find(operation, symbol);
    if let Some(other) = declared.filter(|found| !SystemOp::is(*found)) {
        let (system, name) = (ir::attribute(operation, "system"), ir::name(other));
        let system = system.map(|system| system.to_string()).unwrap_or_default();
        let message = format!("C31: requires an mdh.lowlevel.system, but {system} is {name}");
        return Err(Failure::new(operation, message).with_note(other, "the symbol is here"));
    }
    // A system that is neither declared nor built in is left to mdh-check: a pass may still declare it.
    let system = match declared {
        Some(declared) => System::from_op(declared),
        None => System::builtin(symbol),
    };
    let layers = system.as_ref().map_or(scalar.order().len(), System::layers);
    let mut decompose = vec![];
    let mut current = ir::defining(scalar.mda());
    while let Some(step) = current.and_then(Decompose::cast) {
        decompose.push(step);
        current = ir::defining(step.mda());
    }
    decompose.reverse();
    let input = current.and_then(InpView::cast);
    let (extents, _) = mda(Some(&scalar.mda()));
    let steps = Expression { scalar, declared, system, layers, extents, input, decompose, symbols };
    steps.from(scalar.result(), &mut vec![])
}

/// The common part of all expressions of a scalar step.
struct Expression<'s, 't, 'c> {
    scalar: Scalar<'c>,
    declared: Option<Op<'c>>,
    system: Option<System>,
    layers: usize,
    extents: Vec<Option<u64>>,
    input: Option<InpView<'c>>,
    /// The de-composition steps, outermost first.
    decompose: Vec<Decompose<'c>>,
    symbols: &'s Symbols<'t>,
}

impl<'c> Expression<'_, '_, 'c> {
    /// Checks the expressions that continue from a value of the re-composition phase; `recompose` has the steps up to
    /// that value, innermost first.
    fn from(&self, mda: Val<'c>, recompose: &mut Vec<Recompose<'c>>) -> Verified<'c> {
        let users = ir::users(mda);
        // A phase with more steps than levels violates a rule anyway.
        let is_long = recompose.len() > self.layers.saturating_mul(self.extents.len());
        let mut is_used = false;
        for user in users.into_iter().filter(|_| !is_long) {
            if let Some(step) = Recompose::cast(user) {
                recompose.push(step);
                self.from(step.result(), recompose)?;
                recompose.pop();
                is_used = true;
            } else if let Some(view) = OutView::cast(user) {
                self.rules(recompose, Some(view))?;
                is_used = true;
            }
        }
        if is_used { Ok(()) } else { self.rules(recompose, None) }
    }

    /// Checks one expression.
    fn rules(&self, recompose: &[Recompose<'c>], output: Option<OutView<'c>>) -> Verified<'c> {
        self.order()?;
        let chain = self.chain(recompose, output);
        if let Some(violation) = violations(&chain).into_iter().next() {
            let place = |place: Position| match place {
                Position::Decompose(i) => Some(self.decompose[i].op()),
                Position::Scalar => Some(self.scalar.op()),
                Position::Recompose(i) => Some(recompose[recompose.len() - 1 - i].op()),
                Position::Inputs => self.input.map(InpView::op),
                Position::Outputs => output.map(OutView::op),
                Position::System => self.declared,
            };
            let failure = Failure::new(place(violation.at).unwrap_or(self.scalar.op()), violation.message);
            let note = violation.note.and_then(|(at, text)| Some((place(at)?, text)));
            return Err(note.into_iter().fold(failure, |failure, (at, text)| failure.with_note(at, text)));
        }
        one_operator(recompose)?;
        let Some(_) = output else { return Ok(()) };
        remaining_parts(recompose)?;
        let mut combine = vec![None; self.extents.len()];
        for step in recompose {
            combine[level(*step).dimension] = step.combine();
        }
        hom::verify::homomorphism(self.scalar.op(), &combine, &self.extents, self.symbols)?;
        hom::verify::inits(self.scalar.op(), &combine, &self.extents)
    }

    /// S1: the scalar phase has the layers of the system; S3: it has a tag for each level.
    fn order(&self) -> Verified<'c> {
        let rows = self.scalar.order().len();
        if rows != self.layers {
            let layers = self.layers;
            let message = format!("S1: requires an order with {layers} rows, the layers of the system, but has {rows}");
            let failure = Failure::new(self.scalar.op(), message);
            return Err(match self.declared {
                Some(system) => failure.with_note(system, "the system is here"),
                None => failure,
            });
        }
        let levels = rows * self.extents.len();
        match self.scalar.tags().filter(|tags| tags.len() != levels) {
            Some(tags) => {
                let count = tags.len();
                let message =
                    format!("S3: requires a tag for each of the {levels} levels of the scalar phase, but has {count}");
                Err(Failure::new(self.scalar.op(), message))
            }
            None => Ok(()),
        }
    }

    /// Converts the expression to data.
    fn chain(&self, recompose: &[Recompose<'c>], output: Option<OutView<'c>>) -> Chain {
        let decompose: Vec<_> = self.decompose.iter().map(|operation| step(*operation, None)).collect();
        let rank = self.extents.len();
        let mut parts = vec![vec![None; rank]; self.layers];
        for step in &decompose {
            if let Some(entry) = parts.get_mut(step.level.layer).and_then(|row| row.get_mut(step.level.dimension)) {
                *entry = Some(step.parts);
            }
        }
        let row = |row: &Vec<Option<Option<u64>>>| row.iter().copied().collect::<Option<Vec<_>>>();
        let tags = self.scalar.tags().unwrap_or_default();
        let levels = (0..self.layers).flat_map(|layer| (0..rank).map(move |dimension| Level { layer, dimension }));
        let scalar = levels.enumerate().map(|(i, level)| ChainStep {
            level,
            parts: parts[level.layer][level.dimension].unwrap_or(Some(1)),
            tag: tags.get(i).cloned(),
            placements: None,
            operator: CombineOperator::Concatenation,
        });
        let ranks = |buffers: Vec<Val<'c>>| {
            buffers.iter().map(|buffer| ir::shape(buffer.r#type()).map_or(0, |shape| shape.len())).collect()
        };
        Chain {
            system: self.system.clone(),
            layers: self.layers,
            extents: self.extents.clone(),
            inputs: self.input.map(|view| ranks(view.buffers())),
            outputs: output.map(|view| ranks(view.buffers())),
            scalar: scalar.collect(),
            parts: parts.iter().map(row).collect(),
            decompose,
            reads: self.scalar.reads(),
            writes: self.scalar.writes(),
            recompose: recompose.iter().rev().map(|operation| step(*operation, operation.combine())).collect(),
        }
    }
}

/// C32: the steps of a dimension have one operator.
fn one_operator<'c>(recompose: &[Recompose<'c>]) -> Verified<'c> {
    for (i, step) in recompose.iter().enumerate() {
        // The re-composition phase is executed from its last step to its first, so the other step is nested in this
        // one.
        let dimension = level(*step).dimension;
        let Some(other) = recompose[..i].iter().rev().find(|other| level(**other).dimension == dimension) else {
            continue;
        };
        if let Some((own, wanted)) = step.combine().zip(other.combine()).filter(|(own, wanted)| own != wanted) {
            let dimension = dimension + 1;
            let message =
                format!("C32: requires the operator {wanted} in all steps of dimension {dimension}, but has {own}");
            return Err(Failure::new(step.op(), message).with_note(other.op(), "the other step is here"));
        }
    }
    Ok(())
}

/// C32: after a step, the extent of a point-wise dimension is the number of parts of its remaining levels.
fn remaining_parts<'c>(recompose: &[Recompose<'c>]) -> Verified<'c> {
    for (i, operation) in recompose.iter().enumerate() {
        let ChainStep { level, operator, .. } = step(*operation, operation.combine());
        if !operator.reduces() {
            continue;
        }
        let outer = recompose[i + 1..].iter().map(|other| step(*other, other.combine()));
        let mut outer = outer.filter(|other| other.level.dimension == level.dimension);
        let remaining_parts = outer.try_fold(1u64, |remaining_parts, other| remaining_parts.checked_mul(other.parts?));
        let (extents, _) = mda(Some(&operation.result()));
        if remaining_parts != extents[level.dimension] {
            let message = format!(
                "C32: requires extent {} of the result in dimension {}, the number of parts that are still to be combined, but it has {}",
                count_text(remaining_parts),
                level.dimension + 1,
                count_text(extents[level.dimension])
            );
            return Err(Failure::new(operation.op(), message));
        }
    }
    Ok(())
}

/// The level of a step, which has been verified.
fn level<'c>(step: impl StepView<'c>) -> Level {
    step.level().unwrap_or(Level { layer: 0, dimension: 0 })
}

fn step<'c>(operation: impl StepView<'c>, combine: Option<Attribute<'c>>) -> ChainStep {
    let operator = combine.and_then(|combine| hom::combine_operator(combine, 1));
    ChainStep {
        level: level(operation),
        parts: operation.parts(),
        tag: operation.tag(),
        placements: operation.placements(),
        operator: operator.unwrap_or(CombineOperator::Concatenation),
    }
}
