//! Proofs that an operator on tuples is associative and commutative: all cases are evaluated.
//!
//! The operator is a program of comparisons and selections (`proof/program.rs`). Its results depend only on the order of
//! the values, so finitely many tuples represent all (`proof/domain.rs`).
//!
//! An operator whose result depends on which tuple comes first, such as the index of the maximum with several NaN, is
//! combined in the order of an index, if a component of the points is the index of the only reduction:
//!
//! ```text
//! s(a, b) = a.index <= b.index ? f(a, b) : f(b, a)
//! ```
//!
//! The points have different indices, from 0, in the order in which the source combines them. So the laws of `s` are
//! required of tuples with different indices only, and combinations keep one of the indices. The constant initial value
//! has at most the index of the first point; the laws with it are required of itself alone. Then each order of
//! combination has the result of the source.
mod domain;
pub mod program;
pub mod scalar;
mod table;

use program::Program;
use table::Table;

/// An operator, and how it is used.
pub struct Claim<'a> {
    /// The operator.
    pub program: &'a Program,
    /// By component: true if a result has it.
    pub observed: &'a [bool],
    /// The component of the points that is the index of the only reduction, from 0 to less than the largest number.
    pub index: Option<usize>,
    /// The initial value, if it is constant.
    pub initial: Option<Vec<u64>>,
}

/// What has been proven.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The component by whose order the operator is made commutative.
    pub ordered_by: Option<usize>,
    /// The identity, if there is one.
    pub identity: Option<Vec<u64>>,
}

/// Proves that an operator is associative and commutative. The error is a law that does not hold, with an example.
pub fn prove(claim: &Claim<'_>) -> Result<Proof, String> {
    let table = Table::of(claim, None)?;
    let all: Vec<_> = (0..table.tuples.len()).collect();
    let problem = match laws(&table) {
        Ok(()) => return Ok(Proof { ordered_by: None, identity: identity(&table, &all) }),
        Err(problem) => problem,
    };
    let Some(index) = claim.index else { return Err(problem) };
    let initial = claim.initial.as_ref();
    let initial = initial.ok_or_else(|| format!("{problem}, and no constant initial value comes before the index 0"))?;
    let table = Table::of(claim, Some(index))?;
    let ordered = Ordered { initial: table.find(initial)?, table, index };
    let others = ordered.laws()?;
    Ok(Proof { ordered_by: Some(index), identity: identity(&ordered.table, &others) })
}

/// The laws for all tuples.
fn laws(table: &Table) -> Result<(), String> {
    let all = || 0..table.tuples.len();
    for a in all() {
        for b in all() {
            let both = table.result(a, b);
            if let Some(c) = all().find(|c| !is_associative(table, both, [a, b, *c])) {
                return Err(not_associative(table, [a, b, c]));
            }
        }
    }
    for a in all() {
        if let Some(b) = all().find(|b| !table.is_same(table.result(a, *b), table.result(*b, a))) {
            return Err(not_commutative(table, [a, b]));
        }
    }
    Ok(())
}

fn is_associative(table: &Table, both: usize, [a, b, c]: [usize; 3]) -> bool {
    table.is_same(table.result(both, c), table.result(a, table.result(b, c)))
}

fn not_associative(table: &Table, tuples: [usize; 3]) -> String {
    let example = table.example(&tuples);
    format!("requires an associative operator f, but f(f(a, b), c) and f(a, f(b, c)) differ for {example}")
}

fn not_commutative(table: &Table, tuples: [usize; 2]) -> String {
    format!("requires a commutative operator f, but f(a, b) and f(b, a) differ for {}", table.example(&tuples))
}

/// A tuple that changes none of these tuples, and not itself.
fn identity(table: &Table, tuples: &[usize]) -> Option<Vec<u64>> {
    let keeps = |e: usize, a: usize| table.is_same(table.result(e, a), a) && table.is_same(table.result(a, e), a);
    let is_identity = |e: &usize| keeps(*e, *e) && tuples.iter().all(|a| keeps(*e, *a));
    let found = (0..table.tuples.len()).filter(|e| table.is_constant[*e]).find(is_identity)?;
    Some(table.tuples[found].clone())
}

/// An operator that combines two tuples in the order of an index.
struct Ordered {
    table: Table,
    index: usize,
    /// The initial value.
    initial: usize,
}

impl Ordered {
    /// The laws for points with different indices and for the initial value. Returns these tuples, and the results with
    /// the initial value.
    fn laws(&self) -> Result<Vec<usize>, String> {
        let Self { table, initial, .. } = self;
        let index = |tuple: usize| table.number(tuple, self.index);
        if index(*initial) > 0 {
            let number = index(*initial);
            return Err(format!("requires an initial value whose index is at most 0, but it is {number}"));
        }
        let largest = (0..table.tuples.len()).map(index).max().unwrap_or_default();
        let is_point = |tuple: &usize| (0..largest).contains(&index(*tuple));
        let points: Vec<_> = (0..table.tuples.len()).filter(is_point).collect();
        let mut all = points.clone();
        for &a in &points {
            let with = table.result(*initial, a);
            self.keeps_index(*initial, a)?;
            all.push(with);
            if !table.is_same(with, table.result(a, *initial)) {
                return Err(not_commutative(table, [*initial, a]));
            }
            for &b in points.iter().filter(|b| index(**b) != index(a)) {
                self.keeps_index(a, b)?;
                if !is_associative(table, with, [*initial, a, b]) {
                    return Err(not_associative(table, [*initial, a, b]));
                }
                if !table.is_same(table.result(b, with), table.result(with, b)) {
                    return Err(not_commutative(table, [b, with]));
                }
                let both = table.result(a, b);
                let others = || points.iter().filter(|c| index(**c) != index(a) && index(**c) != index(b));
                if let Some(c) = others().find(|c| !is_associative(table, both, [a, b, **c])) {
                    return Err(not_associative(table, [a, b, *c]));
                }
            }
        }
        all.push(*initial);
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Requires that a combination has the index of one of its tuples.
    fn keeps_index(&self, a: usize, b: usize) -> Result<(), String> {
        let index = |tuple: usize| self.table.number(tuple, self.index);
        let result = index(self.table.result(a, b));
        if result == index(a) || result == index(b) {
            return Ok(());
        }
        let example = self.table.example(&[a, b]);
        Err(format!("requires an operator f that selects one of two indices, but f(a, b) has {result} for {example}"))
    }
}
