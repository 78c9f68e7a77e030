//! The rules of whole low-level expressions: S1 to S10 and S12, as far as the steps are there and say something, C31 and C32.
//!
//! ```text
//! inp_view -> decompose* -> scalar -> recompose* -> out_view
//! ```
//!
//! A step may still lack its tag and its placements. That every step is there is checked where the expression reaches its views: passes
//! may remove unused steps from the end.
use crate::{
    hom::{self, CombineOperator},
    ir::{self, Op, Val},
    lowlevel,
    pass::Failure,
    schedule::{
        chain::{Chain, ChainStep, Place},
        model::{Level, Placement, System, Tag},
        rules::{count_text, violations},
    },
    verify::{Symbols, Verified, list, mda},
    view::buffers,
};
use melior::ir::{Attribute, ValueLike};

/// Checks every expression that a scalar step is part of.
pub(crate) fn verify<'c>(scalar: Op<'c>, symbols: &Symbols<'_>) -> Verified<'c> {
    let symbol = ir::attribute(scalar, "system").and_then(ir::symbol_attribute).unwrap_or_default();
    let declared = symbols.find(scalar, symbol);
    if let Some(other) = declared.filter(|found| ir::name(*found) != "mdh.lowlevel.system") {
        let (system, name) = (ir::attribute(scalar, "system"), ir::name(other));
        let system = system.map(|system| system.to_string()).unwrap_or_default();
        let message = format!("C31: requires an mdh.lowlevel.system, but {system} is {name}");
        return Err(Failure::new(scalar, message).with_note(other, "the symbol is here"));
    }
    // A system that is neither declared nor built in is the business of mdh-check: a pass may still declare it.
    let system = match declared {
        Some(declared) => System::from_op(declared),
        None => System::builtin(symbol),
    };
    let rows = list(scalar, "order").map_or(0, |rows| rows.len());
    let layers = system.as_ref().map_or(rows, System::layers);
    let mut decompose = vec![];
    let mut current = hom::mda_operand(scalar).and_then(ir::defining);
    while let Some(step) = current.filter(|step| ir::name(*step) == "mdh.lowlevel.decompose") {
        decompose.push(step);
        current = hom::mda_operand(step).and_then(ir::defining);
    }
    decompose.reverse();
    let input = current.filter(|view| ir::name(*view) == "mdh.view.inp_view");
    let (extents, _) = mda(ir::operands(scalar).first());
    let steps = Expression { scalar, declared, system, layers, extents, input, decompose, symbols };
    steps.from(ir::results(scalar)[0], &mut vec![])
}

/// What all expressions of a scalar step have in common.
struct Expression<'s, 't, 'c> {
    scalar: Op<'c>,
    declared: Option<Op<'c>>,
    system: Option<System>,
    layers: usize,
    extents: Vec<Option<u64>>,
    input: Option<Op<'c>>,
    /// Outermost first.
    decompose: Vec<Op<'c>>,
    symbols: &'s Symbols<'t>,
}

impl<'c> Expression<'_, '_, 'c> {
    /// Checks the expressions that go on from a value of the re-composition phase, behind its steps until there, innermost first.
    fn from(&self, mda: Val<'c>, recompose: &mut Vec<Op<'c>>) -> Verified<'c> {
        let users = ir::users(mda);
        // A phase with more steps than levels is wrong already.
        let is_long = recompose.len() > self.layers.saturating_mul(self.extents.len());
        let mut is_used = false;
        for user in users.into_iter().filter(|_| !is_long) {
            match ir::name(user) {
                "mdh.lowlevel.recompose" => {
                    recompose.push(user);
                    self.from(ir::results(user)[0], recompose)?;
                    recompose.pop();
                }
                "mdh.view.out_view" => self.rules(recompose, Some(user))?,
                _ => continue,
            }
            is_used = true;
        }
        if is_used { Ok(()) } else { self.rules(recompose, None) }
    }

    /// Checks one expression.
    fn rules(&self, recompose: &[Op<'c>], output: Option<Op<'c>>) -> Verified<'c> {
        self.order()?;
        let chain = self.chain(recompose, output);
        if let Some(violation) = violations(&chain).into_iter().next() {
            let place = |place: Place| match place {
                Place::Decompose(i) => Some(self.decompose[i]),
                Place::Scalar => Some(self.scalar),
                Place::Recompose(i) => Some(recompose[recompose.len() - 1 - i]),
                Place::Inputs => self.input,
                Place::Outputs => output,
                Place::System => self.declared,
            };
            let failure = Failure::new(place(violation.at).unwrap_or(self.scalar), violation.message);
            let note = violation.note.and_then(|(at, text)| Some((place(at)?, text)));
            return Err(note.into_iter().fold(failure, |failure, (at, text)| failure.with_note(at, text)));
        }
        one_operator(recompose)?;
        let Some(_) = output else { return Ok(()) };
        left(recompose)?;
        let mut combine = vec![None; self.extents.len()];
        for step in recompose {
            combine[level(*step).dimension] = ir::attribute(*step, "combine");
        }
        hom::verify::homomorphism(self.scalar, &combine, &self.extents, self.symbols)
    }

    /// S1: the scalar phase has the layers of the system; S3: it has a tag for each level.
    fn order(&self) -> Verified<'c> {
        let rows = list(self.scalar, "order").map_or(0, |rows| rows.len());
        if rows != self.layers {
            let layers = self.layers;
            let message = format!("S1: requires an order with {layers} rows, the layers of the system, but has {rows}");
            let failure = Failure::new(self.scalar, message);
            return Err(match self.declared {
                Some(system) => failure.with_note(system, "the system is here"),
                None => failure,
            });
        }
        let levels = rows * self.extents.len();
        match list(self.scalar, "tags").filter(|tags| tags.len() != levels) {
            Some(tags) => {
                let count = tags.len();
                let message =
                    format!("S3: requires a tag for each of the {levels} levels of the scalar phase, but has {count}");
                Err(Failure::new(self.scalar, message))
            }
            None => Ok(()),
        }
    }

    /// The expression as data.
    fn chain(&self, recompose: &[Op<'c>], output: Option<Op<'c>>) -> Chain {
        let decompose: Vec<_> = self.decompose.iter().map(|operation| step(*operation, "reads")).collect();
        let rank = self.extents.len();
        let mut parts = vec![vec![None; rank]; self.layers];
        for step in &decompose {
            if let Some(entry) = parts.get_mut(step.level.layer).and_then(|row| row.get_mut(step.level.dimension)) {
                *entry = Some(step.parts);
            }
        }
        let row = |row: &Vec<Option<Option<u64>>>| row.iter().copied().collect::<Option<Vec<_>>>();
        let tags = list(self.scalar, "tags").unwrap_or_default();
        let levels = (0..self.layers).flat_map(|layer| (0..rank).map(move |dimension| Level { layer, dimension }));
        let scalar = levels.enumerate().map(|(i, level)| ChainStep {
            level,
            parts: parts[level.layer][level.dimension].unwrap_or(Some(1)),
            tag: tags.get(i).and_then(|attribute| tag(*attribute)),
            placements: None,
            operator: CombineOperator::Concatenation,
        });
        let ranks = |view: Op<'c>| {
            buffers(view).iter().map(|buffer| ir::shape(buffer.r#type()).map_or(0, |shape| shape.len())).collect()
        };
        Chain {
            system: self.system.clone(),
            layers: self.layers,
            extents: self.extents.clone(),
            inputs: self.input.map(ranks),
            outputs: output.map(ranks),
            scalar: scalar.collect(),
            parts: parts.iter().map(row).collect(),
            decompose,
            reads: placements(self.scalar, "reads"),
            writes: placements(self.scalar, "writes"),
            recompose: recompose.iter().rev().map(|operation| step(*operation, "writes")).collect(),
        }
    }
}

/// C32: the steps of a dimension have one operator.
fn one_operator<'c>(recompose: &[Op<'c>]) -> Verified<'c> {
    for (i, step) in recompose.iter().enumerate() {
        // The phase is carried out from its last step to its first, so the other one is inside of this one.
        let dimension = level(*step).dimension;
        let Some(other) = recompose[..i].iter().rev().find(|other| level(**other).dimension == dimension) else {
            continue;
        };
        let (own, wanted) = (ir::attribute(*step, "combine"), ir::attribute(*other, "combine"));
        if let Some((own, wanted)) = own.zip(wanted).filter(|(own, wanted)| own != wanted) {
            let dimension = dimension + 1;
            let message =
                format!("C32: requires the operator {wanted} in all steps of dimension {dimension}, but has {own}");
            return Err(Failure::new(*step, message).with_note(*other, "the other step is here"));
        }
    }
    Ok(())
}

/// C32: what is left of a point-wise dimension is one entry for each part of the levels to come.
fn left<'c>(recompose: &[Op<'c>]) -> Verified<'c> {
    for (i, operation) in recompose.iter().enumerate() {
        let ChainStep { level, operator, .. } = step(*operation, "writes");
        if !operator.reduces() {
            continue;
        }
        let outer = recompose[i + 1..].iter().map(|other| step(*other, "writes"));
        let mut outer = outer.filter(|other| other.level.dimension == level.dimension);
        let left = outer.try_fold(1u64, |left, other| left.checked_mul(other.parts?));
        let (extents, _) = mda(ir::results(*operation).first());
        if left != extents[level.dimension] {
            let message = format!(
                "C32: requires extent {} of the result in dimension {}, the number of parts that are still to be combined, but it has {}",
                count_text(left),
                level.dimension + 1,
                count_text(extents[level.dimension])
            );
            return Err(Failure::new(*operation, message));
        }
    }
    Ok(())
}

fn level(operation: Op<'_>) -> Level {
    let number = |name: &str| ir::attribute(operation, name).and_then(ir::integer_attribute).unwrap_or(1);
    Level { layer: from_one(number("layer")), dimension: from_one(number("dimension")) }
}

fn step(operation: Op<'_>, key: &str) -> ChainStep {
    let parts = ir::attribute(operation, "parts").and_then(ir::integer_attribute);
    let operator = ir::attribute(operation, "combine").and_then(|combine| hom::combine_operator(combine, 1));
    ChainStep {
        level: level(operation),
        parts: parts.and_then(|parts| u64::try_from(parts).ok()),
        tag: ir::attribute(operation, "tag").and_then(tag),
        placements: placements(operation, key),
        operator: operator.unwrap_or(CombineOperator::Concatenation),
    }
}

/// A number of the IR counted from 0. What is below 1 there is out of every range here, and the same number in messages.
fn from_one(number: i64) -> usize {
    number.wrapping_sub(1) as usize
}

fn tag(attribute: Attribute<'_>) -> Option<Tag> {
    lowlevel::tag(attribute).map(|(layer, dimension)| Tag { layer, dimension: from_one(dimension) })
}

fn placements(operation: Op<'_>, key: &str) -> Option<Vec<Placement>> {
    let placement = |attribute| {
        let lowlevel::Placement { region, layout, pad, buffers } = lowlevel::placement(attribute)?;
        let layout = layout.into_iter().map(from_one).collect();
        Some(Placement { region, layout, pad: pad as u64, buffers: buffers as u64 })
    };
    list(operation, key)?.into_iter().map(placement).collect()
}
