//! Errors planted in results, to measure what `--check` finds: half of the programs are those of the other campaigns, on
//! small integers, half are weighted sums of up to thousands of floats of each type.
//!
//! A planted error is found, or hidden, and then the coverage of the comparison must say so: the change is below the
//! tolerated error, or elements are not checked. Results of other orders of summation must be accepted.
mod sums;

use crate::{
    array::Array,
    compare::{self, Coverage},
    fuzz::{case::Case, text::FUNCTION},
    program,
    reference::{self, ReferenceOutcome},
    signature,
};
use anyhow::{Context as _, Result, anyhow, ensure};
use mdh_dialects::ir;
use mdh_passes::schedule::random::Random;
use melior::{Context, ir::Module};
use std::fmt;

/// A planted error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// An element is zero.
    Zero,
    /// All results are those of other inputs.
    OtherInputs,
    /// A term of the sums is left out.
    LeftOut,
    /// A part of the sums is counted twice.
    Twice,
}

/// The errors, with their names in reports.
const ERRORS: [(Error, &str); 4] = [
    (Error::Zero, "zero in place of a result"),
    (Error::OtherInputs, "the results of other inputs"),
    (Error::LeftOut, "a term left out"),
    (Error::Twice, "a part counted twice"),
];

/// How many planted errors of a kind were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Those that the comparison reports.
    pub found: usize,
    /// Those below the error that the coverage states as tolerated.
    pub tolerated: usize,
    /// Those in elements of which the coverage says that they are not checked.
    pub unchecked: usize,
}

/// The outcome of a campaign: a count for each error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([Count; ERRORS.len()]);

impl Counts {
    /// The count of an error.
    pub fn of(&self, error: Error) -> Count {
        self.0[error as usize]
    }

    /// Adds those of another program.
    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            own.found += other.found;
            own.tolerated += other.tolerated;
            own.unchecked += other.unchecked;
        }
    }

    /// Compares wrong results with the expected ones. Results that are right by chance do not count.
    fn plant(&mut self, error: Error, expected: &ReferenceOutcome, written: &[usize], wrong: &[Array]) -> Result<()> {
        let buffers = expected.results.iter().chain(written.iter().map(|i| &expected.arguments[*i]));
        let is_right = buffers.zip(wrong).all(|(expected, wrong)| {
            (0..wrong.len()).all(|i| !expected.is_defined(i) || expected.array.get(i) == wrong.get(i))
        });
        if is_right {
            return Ok(());
        }
        let count = &mut self.0[error as usize];
        let coverage = Coverage::of(expected, written);
        if compare::outputs(expected, wrong, written).problem.is_some() {
            count.found += 1;
        } else if coverage.unchecked > 0 {
            count.unchecked += 1;
        } else {
            ensure!(
                coverage.tolerated > 0.0 && error != Error::Zero,
                "{} is not found, and the coverage does not say so: {coverage}",
                ERRORS[error as usize].1
            );
            count.tolerated += 1;
        }
        Ok(())
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (error, name) in ERRORS {
            let Count { found, tolerated, unchecked } = self.of(error);
            writeln!(
                formatter,
                "{name}: {found} of {} found, {tolerated} below the tolerated error, {unchecked} in elements that are not \
                 checked",
                found + tolerated + unchecked
            )?;
        }
        Ok(())
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Result<(String, Vec<Array>)> {
    if seed.is_multiple_of(2) {
        let case = Case::from_seed(seed, None, false);
        return Ok((case.program.text(), case.program.data()?));
    }
    let sums = sums::Sums::new(seed);
    Ok((sums.text(), sums.data(seed)?))
}

/// Plants errors in the results of the program of a seed.
pub fn check(context: &Context, seed: u64) -> Result<Counts> {
    let text = program(seed)?.0;
    let module = program::parse(context, text.as_bytes()).with_context(|| text.clone())?;
    let counts = if seed.is_multiple_of(2) { check_case(&module, seed) } else { sums::check(context, &module, seed) };
    counts.with_context(|| format!("seed {seed}:\n{text}"))
}

fn check_case(module: &Module<'_>, seed: u64) -> Result<Counts> {
    let mut case = Case::from_seed(seed, None, false);
    let mut counts = Counts::default();
    let expected = evaluate(module, case.program.data()?)?;
    let results: Vec<_> = expected.results.iter().map(|buffer| buffer.array.clone()).collect();
    counts.plant(Error::Zero, &expected, &[], &with_zero(&expected, &mut Random::new(seed)))?;
    ensure!(compare::outputs(&expected, &results, &[]).problem.is_none(), "the results do not agree with themselves");
    case.program.data = case.program.data.wrapping_add(1);
    // With other inputs, a computation may be undefined.
    if let Ok(other) = evaluate(module, case.program.data()?) {
        let wrong: Vec<_> = other.results.into_iter().map(|buffer| buffer.array).collect();
        counts.plant(Error::OtherInputs, &expected, &[], &wrong)?;
    }
    Ok(counts)
}

/// The expected results, but a large element of one of them is zero.
fn with_zero(expected: &ReferenceOutcome, random: &mut Random) -> Vec<Array> {
    let mut results: Vec<_> = expected.results.iter().map(|buffer| buffer.array.clone()).collect();
    let number = random.below(results.len());
    if let (Some(array), Some(buffer)) = (results.get_mut(number), expected.results.get(number)) {
        let magnitude = |i: &usize| array.element.to_f64(array.get(*i)).abs();
        let defined = (0..array.len()).filter(|i| buffer.is_defined(*i) && magnitude(i).is_finite());
        if let Some(largest) = defined.max_by(|i, j| magnitude(i).total_cmp(&magnitude(j))) {
            array.set(largest, 0);
        }
    }
    results
}

fn evaluate(module: &Module<'_>, arguments: Vec<Array>) -> Result<ReferenceOutcome> {
    let function = signature::find(ir::op(module.as_operation()), Some(FUNCTION))?;
    reference::evaluate_with_errors(function, arguments, &|_| ()).map_err(|failure| anyhow!("{failure}"))
}
