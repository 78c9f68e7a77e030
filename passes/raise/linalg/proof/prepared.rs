//! Points that are combined with the initial value before they are combined with each other.
//!
//! ```text
//! f(a, b) = b > a ? b : a, from -inf      a NaN is never selected     ──▶   points e(p) = f(-inf, p), without NaN
//! ```
//!
//! The operator may violate laws for tuples that no result is. It is sufficient that
//!
//! 1. `f(s, p) = f(s, e(p))` for each point `p` and each result `s` of points before it,
//! 2. the initial value is an identity of these results,
//! 3. the laws hold for prepared points, and combinations of them are prepared points, too.
//!
//! In the order of an index, the points have different indices, and a prepared point that is not the initial value has
//! the index of its point.
use super::table::CombinationTable;

/// True if the results of a fold from the initial value are those of prepared points in any order.
pub fn holds(table: &CombinationTable, component: Option<usize>, initial: usize) -> bool {
    let index = |tuple: usize| component.map_or(0, |component| table.number(tuple, component));
    let prepared = |point: usize| table.result(initial, point);
    let points = table.points(component);
    let is_initial = |tuple: usize| table.is_same(tuple, initial);
    let mut states: Vec<_> = points.iter().map(|point| prepared(*point)).filter(|state| !is_initial(*state)).collect();
    states.sort_unstable();
    states.dedup();
    let is_prepared = |tuple: usize| points.contains(&tuple) && table.is_same(prepared(tuple), tuple);
    let is_state = |tuple: usize| is_initial(tuple) || is_prepared(tuple);
    let is_apart = |a: usize, b: usize| component.is_none() || index(a) != index(b);
    let keeps_index = |point: &usize| is_initial(prepared(*point)) || index(prepared(*point)) == index(*point);
    let is_neutral = |state: &usize| {
        let both = [table.result(initial, *state), table.result(*state, initial)];
        both.into_iter().all(|result| table.is_same(result, *state))
    };
    let represents =
        |state: usize, point: usize| table.is_same(table.source(state, point), table.result(state, prepared(point)));
    let obeys = |a: usize, b: usize| {
        let result = table.result(a, b);
        let has_index = is_initial(result) || component.is_none() || [index(a), index(b)].contains(&index(result));
        let mut others = states.iter().filter(|c| is_apart(a, **c) && is_apart(b, **c));
        is_state(result)
            && has_index
            && table.commutative([a, b]).is_ok()
            && others.all(|c| table.associative([a, b, *c]).is_ok())
    };
    let is_before = |state: usize, point: usize| component.is_none() || index(state) < index(point);
    is_neutral(&initial)
        && states.iter().all(is_neutral)
        && points.iter().all(keeps_index)
        && points.iter().all(|point| represents(initial, *point))
        && points.iter().all(|p| states.iter().filter(|s| is_before(**s, *p)).all(|s| represents(*s, *p)))
        && states.iter().all(|a| states.iter().filter(|b| is_apart(*a, **b)).all(|b| obeys(*a, *b)))
}
