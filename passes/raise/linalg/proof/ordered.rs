//! Operators that combine tuples in the order of an index: a result depends on which tuple comes first, such as the index
//! of the maximum with several NaN.
//!
//! ```text
//! s(a, b) = a.index <= b.index ? f(a, b) : f(b, a)
//! ```
//!
//! The points have different indices, from 0, in the order in which the source combines them. So the laws of `s` are
//! required of tuples with different indices only, and combinations keep one of the indices. The constant initial value
//! has at most the index of the first point; the laws with it are required of itself alone. Then each order of
//! combination has the result of the source.
use super::table::CombinationTable;

/// The laws for points and for the initial value. Returns these tuples, and the results with the initial value.
pub fn laws(table: &CombinationTable, component: usize, initial: usize) -> Result<Vec<usize>, String> {
    let index = |tuple: usize| table.number(tuple, component);
    if index(initial) > 0 {
        let number = index(initial);
        return Err(format!("requires an initial value whose index is at most 0, but it is {number}"));
    }
    let points = table.points(Some(component));
    let mut all = points.clone();
    for &a in &points {
        let with = table.result(initial, a);
        all.push(with);
        keeps_index(table, component, [initial, a])?;
        table.commutative([initial, a])?;
        for &b in points.iter().filter(|b| index(**b) != index(a)) {
            keeps_index(table, component, [a, b])?;
            table.associative([initial, a, b])?;
            table.commutative([b, with])?;
            let others = points.iter().filter(|c| index(**c) != index(a) && index(**c) != index(b));
            others.copied().try_for_each(|c| table.associative([a, b, c]))?;
        }
    }
    all.push(initial);
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Requires that a combination has the index of one of its tuples.
fn keeps_index(table: &CombinationTable, component: usize, [a, b]: [usize; 2]) -> Result<(), String> {
    let index = |tuple: usize| table.number(tuple, component);
    let result = index(table.result(a, b));
    if result == index(a) || result == index(b) {
        return Ok(());
    }
    let example = table.example(&[a, b]);
    Err(format!("requires an operator f that selects one of two indices, but f(a, b) has {result} for {example}"))
}
