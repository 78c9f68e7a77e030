//! `mdh-delinearize`: gives arrays with one dimension the shape that their indices have, where that is right.
//!
//! ```mlir
//! func.func @transpose(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>) {
//!   %c0 = arith.constant 0 : index
//!   %c1 = arith.constant 1 : index
//!   scf.for %i = %c0 to %n step %c1 {
//!     scf.for %j = %c0 to %m step %c1 {
//!       %r = arith.muli %i, %m : index
//!       %a = arith.addi %r, %j : index
//!       %x = memref.load %A[%a] : memref<?xf64>
//!       %s = arith.muli %j, %n : index
//!       %b = arith.addi %s, %i : index
//!       memref.store %x, %B[%b] : memref<?xf64>
//!     }
//!   }
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! scf.if %condition {
//! %a = memref.reinterpret_cast %A to offset: [0], sizes: [%n, %m], strides: [%m, 1] {mdh.disjoint = 0 : i64} : ..
//! %b = memref.reinterpret_cast %B to offset: [0], sizes: [%m, %n], strides: [%n, 1] {mdh.disjoint = 1 : i64} : ..
//! } else {
//! } {mdh.original}
//! ```
//!
//! 1. Indices are polynomials of loop variables and parameters (`delinearize/polynomial.rs`), and loops ranges of these
//!    (`source.rs`, `range.rs`).
//! 2. The sizes of an array are candidates from the coefficients (`candidates.rs`); the first one is taken under which all
//!    accesses are affine and can be within the array (`shape.rs`).
//! 3. What does not follow from the bounds of the loops is checked at run time (`condition.rs`, `arithmetic.rs`): nests
//!    whose shapes are right run in one version, and as they were in the other one (`versions.rs`).
//!
//! Source: Grosser, Ramanujam, Pouchet, Sadayappan, Pop, "Optimistic delinearization of parametrically sized arrays", and
//! docs/delinearization.md.
mod arithmetic;
mod candidates;
mod condition;
mod inequalities;
mod overlap;
mod plan;
mod polynomial;
mod range;
pub mod report;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod versions;

use crate::raise::{
    loops::{counted, linear::LOOPS, nest::is_part},
    receiver,
};
use condition::RunCondition;
use mdh_dialects::{
    attributes::ORIGINAL,
    ir::{self, Op, Val},
    pass::{Failure, MdhPass, emit_remark},
    pass_options,
};
use melior::dialect::DialectHandle;
use plan::NestPlan;
use polynomial::{Parameters, SourceParameter};
use report::ArrayReport;
use shape::MAX_VERSIONS;
use versions::{NestRun, RunVersion};

/// The pass.
pub struct Delinearize;

pass_options! {
    /// Options of delinearization.
    pub struct DelinearizeOptions {
        /// Print the shapes, subscripts and conditions as remarks
        print: bool = false,
        /// The file (JSON) that mdh-opt writes to what shape arrays have, what is raised, and what stays for which reason
        report: String = "",
        /// The least number of points of a nest for which its arrays have another shape, less than 2^31; 0: any number
        least_points: i64 = 0,
    }
}

impl MdhPass for Delinearize {
    const NAME: &'static str = "Delinearize";
    const ARGUMENT: &'static str = "mdh-delinearize";
    const DESCRIPTION: &'static str = "Give arrays with one dimension the shape of their indices";
    type Options = DelinearizeOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::scf(), DialectHandle::memref()]
    }

    fn run<'c>(root: Op<'c>, options: DelinearizeOptions) -> Result<(), Failure<'c>> {
        if !options.report.is_empty() {
            receiver::send(&options.report, root)?;
        }
        source::check_suggested(root)?;
        let least = u64::try_from(options.least_points).ok().filter(|least| *least < 1 << 31);
        let least = least.ok_or_else(|| {
            Failure::new(root, format!("requires least-points from 0 to 2147483647, but is {}", options.least_points))
        })?;
        run(root, least, &mut |array| {
            if options.print {
                array.texts().into_iter().for_each(|text| emit_remark(array.at, &text));
            }
        });
        Ok(())
    }
}

/// Gives the arrays of the nests in an operation their shapes, where nests have at least so many points. `report` gets each
/// array whose indices are polynomials, before its nest changes.
pub fn run<'c>(root: Op<'c>, least_points: u64, report: &mut dyn FnMut(ArrayReport<'c>)) {
    counted::run(root);
    for block in blocks(root) {
        for run in runs(block) {
            delinearize(run, least_points, report);
        }
    }
}

/// The blocks that may have nests: those that are not in a nest, in another function's body or in a computation.
fn blocks<'c>(root: Op<'c>) -> Vec<ir::Blk<'c>> {
    let is_other = |operation: &Op<'c>| {
        let name = ir::name(*operation);
        let is_original = ir::attribute(*operation, ORIGINAL).is_some();
        is_original || ["linalg.", "mdh.", "gpu."].iter().any(|dialect| name.starts_with(dialect))
    };
    let mut found = vec![];
    let mut open = vec![root];
    while let Some(operation) = open.pop() {
        let own = ir::blocks(operation);
        let inner = own.iter().flat_map(|block| ir::block_operations(*block));
        let inner = inner.filter(|inner| !is_nest(*inner) && !is_other(inner) && !ir::regions(*inner).is_empty());
        open.extend(inner.collect::<Vec<_>>().into_iter().rev());
        found.extend(own);
    }
    found
}

/// True for a loop with nothing but loops, accesses and scalar operations, of which there is no other version.
fn is_nest(operation: Op<'_>) -> bool {
    LOOPS.contains(&ir::name(operation))
        && ir::attribute(operation, ORIGINAL).is_none()
        && ir::descendants(operation).into_iter().all(is_part)
}

/// True for an operation that may be executed earlier.
fn is_pure(operation: Op<'_>) -> bool {
    let name = ir::name(operation);
    let is_known = ["affine.apply", "memref.dim", "memref.cast"].contains(&name);
    ir::regions(operation).is_empty()
        && (is_known || ["arith.", "math.", "index."].iter().any(|dialect| name.starts_with(dialect)))
}

/// A run of nests while it grows.
#[derive(Default)]
struct Growing<'c> {
    operations: Vec<Op<'c>>,
    earlier: Vec<Op<'c>>,
    nests: Vec<NestPlan<'c>>,
    parameters: Parameters<'c>,
}

/// A run of nests, with the symbols of their polynomials.
type Run<'c> = (NestRun<'c>, Parameters<'c>);

/// The runs of nests in a block.
fn runs<'c>(block: ir::Blk<'c>) -> Vec<Run<'c>> {
    let mut found = vec![];
    let mut growing = Growing::default();
    for operation in ir::block_operations(block) {
        if is_nest(operation) {
            let mut parameters = growing.parameters.clone();
            let plan = NestPlan::of(operation, &mut parameters).ok();
            let is_free = plan.as_ref().is_some_and(|plan| growing.dominates(plan, &parameters));
            if !is_free {
                found.extend(growing.end());
                growing.parameters = Parameters::default();
                parameters = Parameters::default();
            }
            let plan = if is_free { plan } else { NestPlan::of(operation, &mut parameters).ok() };
            if let Some(plan) = plan {
                growing.parameters = parameters;
                growing.operations.push(operation);
                growing.nests.push(plan);
            }
        } else if growing.operations.is_empty() {
        } else if !is_pure(operation) {
            found.extend(growing.end());
        } else if ir::operands(operation).into_iter().all(|operand| !growing.defines(operand)) {
            growing.earlier.push(operation);
        } else {
            growing.operations.push(operation);
        }
    }
    found.extend(growing.end());
    found
}

impl<'c> Growing<'c> {
    /// True if a value is the result of one of the operations.
    fn defines(&self, value: Val<'c>) -> bool {
        ir::defining(value).is_some_and(|operation| self.operations.contains(&operation))
    }

    /// True if what a nest depends on is known before all operations.
    fn dominates(&self, plan: &NestPlan<'c>, parameters: &Parameters<'c>) -> bool {
        let is_known = |parameter: &SourceParameter<'c>| match parameter {
            SourceParameter::Value { value, .. } => !self.defines(*value),
            SourceParameter::Last { .. } => true,
            SourceParameter::Size(memref, _) | SourceParameter::Stride(memref, _) | SourceParameter::Offset(memref) => {
                !self.defines(*memref)
            }
        };
        parameters.all.iter().all(is_known) && plan.nest.accesses.iter().all(|access| !self.defines(access.memref))
    }

    /// The run that ends here, without what comes after its last nest.
    fn end(&mut self) -> Option<Run<'c>> {
        let Growing { mut operations, earlier, nests, parameters } = std::mem::take(self);
        let last = nests.last()?.nest.root;
        operations.truncate(operations.iter().position(|operation| *operation == last)? + 1);
        Some((NestRun { operations, earlier, nests }, parameters))
    }
}

/// Builds the versions of a run.
fn delinearize<'c>((run, mut parameters): Run<'c>, least_points: u64, report: &mut dyn FnMut(ArrayReport<'c>)) {
    match versions(&run.nests, &mut parameters) {
        Ok(versions) => {
            report::arrays(&run, &versions, &parameters).into_iter().for_each(report);
            run.build(&versions, &parameters, least_points);
        }
        Err(reason) => report::refused(&run, &reason).into_iter().for_each(report),
    }
}

/// The versions of nests: those of their arrays in all combinations, if these are not too many. The error is the
/// requirement that the condition does not meet.
fn versions<'c>(nests: &[NestPlan<'c>], parameters: &mut Parameters<'c>) -> Result<Vec<RunVersion<'c>>, String> {
    let counts: Vec<Vec<_>> =
        nests.iter().map(|nest| nest.arrays.iter().map(|array| array.shape.versions.len()).collect()).collect();
    let total: usize = counts.iter().flatten().product();
    let mut found: Vec<RunVersion<'c>> = vec![];
    for number in 0..if total <= MAX_VERSIONS { total } else { 1 } {
        let mut left = number;
        let mut choose = |count: &usize| {
            let choice = left % count;
            left /= count;
            choice
        };
        let choices: Vec<Vec<_>> = counts.iter().map(|counts| counts.iter().map(&mut choose).collect()).collect();
        let condition = RunCondition::of(nests, &choices, parameters)?;
        let has_effect = !counts.iter().all(Vec::is_empty) || !condition.overlaps.pairs.is_empty();
        if has_effect && !condition.is_false() {
            let is_always = condition.is_true();
            found.push(RunVersion { choices, condition });
            if is_always {
                break;
            }
        }
    }
    let has_arrays = !counts.iter().all(Vec::is_empty);
    if has_arrays && found.is_empty() {
        return Err("requires a condition that can hold".into());
    }
    Ok(found)
}
