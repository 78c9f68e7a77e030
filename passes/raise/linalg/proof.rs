//! Proofs that an operator on tuples is associative and commutative: all cases are evaluated.
//!
//! The operator is a program of comparisons and selections (`proof/program.rs`). Its results depend only on the order of
//! the values, so finitely many tuples represent all (`proof/domain.rs`).
//!
//! An operator for which the laws do not hold may be made one for which they do, and which gives the same results:
//!
//! - in the order of an index that is a component of the points (`proof/ordered.rs`),
//! - on points that have been combined with the initial value (`proof/prepared.rs`).
mod domain;
mod ordered;
mod prepared;
pub mod program;
pub mod scalar;
mod table;

pub use table::Claim;
use table::CombinationTable;

/// What has been proven.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// The component by whose order the operator is made commutative.
    pub ordered_by: Option<usize>,
    /// True if points are combined with the initial value first.
    pub prepares_points: bool,
    /// The identity, if there is one.
    pub identity: Option<Vec<u64>>,
}

/// Proves that an operator is associative and commutative. The error is a law that does not hold, with an example.
pub fn prove(claim: &Claim<'_>) -> Result<Proof, String> {
    let table = CombinationTable::of(claim, None, false)?;
    let all: Vec<_> = (0..table.tuples.len()).collect();
    let problem = match laws(&table) {
        Ok(()) => return Ok(Proof { identity: table.identity(&all), ..Proof::default() }),
        Err(problem) => problem,
    };
    let Some(initial) = &claim.initial else {
        return Err(match claim.index {
            Some(_) => format!("{problem}, and no constant initial value comes before all indices"),
            None => problem,
        });
    };
    let ordered_by = claim.index;
    let table = CombinationTable::of(claim, ordered_by, true)?;
    let initial = table.find(initial)?;
    let problem = match ordered_by.map_or(Err(problem), |index| ordered::laws(&table, index, initial)) {
        Ok(all) => return Ok(Proof { ordered_by, prepares_points: false, identity: table.identity(&all) }),
        Err(problem) => problem,
    };
    if prepared::holds(&table, ordered_by, initial) {
        let identity = Some(table.tuples[initial].clone());
        return Ok(Proof { ordered_by, prepares_points: true, identity });
    }
    Err(problem)
}

/// The laws for all tuples.
fn laws(table: &CombinationTable) -> Result<(), String> {
    let all = || 0..table.tuples.len();
    for a in all() {
        for b in all() {
            all().try_for_each(|c| table.associative([a, b, c]))?;
        }
    }
    all().try_for_each(|a| all().try_for_each(|b| table.commutative([a, b])))
}
