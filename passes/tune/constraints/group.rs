//! Parameters that share constraints, as a tree in the order of the parameters.
//!
//! ```text
//! L divides N,  P divides L,  G divides N / L   ──▶   after L: (L, N / L);   after P: (N / L);   after G: ()
//! ```
//!
//! The state before a parameter has the values of the largest formulas of earlier parameters that are still read.
//! Constraints are checked as early as the bounds of later parameters decide them.
use super::{
    formula::{Formula, Parameter, Requirement},
    number::Count,
    resolve::{Narrowing, Resolved, ResolvedCondition, Resolver, Slots, read_value},
    tree::{Branches, Effort, ValueRun},
    values::{ParameterValues, divisors},
};

/// One parameter of a group.
struct ParameterLevel {
    values: ParameterValues,
    /// The formulas of the next state.
    next: Vec<Resolved>,
    /// By constraint that reads the parameter: its alternatives.
    checks: Vec<Vec<ResolvedCondition>>,
    narrowings: Vec<Narrowing>,
    different: Vec<UsedValues>,
}

/// The values of earlier parameters that must be different from those of later ones.
struct UsedValues {
    /// Their positions in the state.
    slots: std::ops::Range<usize>,
    /// True if the parameter must be different from them.
    is_member: bool,
    /// True if a later parameter must be different.
    is_open: bool,
}

/// The tree of a group.
pub(super) struct ParameterGroup {
    levels: Vec<ParameterLevel>,
}

impl ParameterGroup {
    /// Returns the tree of parameters, in ascending order, with the requirements that read them. `values` has the
    /// values of all parameters, by number.
    pub(super) fn new(parameters: &[Parameter], values: &[ParameterValues], requirements: &[&Requirement]) -> Self {
        let (mut levels, mut needed) = (vec![], vec![]);
        for &parameter in parameters.iter().rev() {
            let (level, slots) = ParameterLevel::new(parameter, values, requirements, &needed);
            levels.push(level);
            needed = slots;
        }
        levels.reverse();
        Self { levels }
    }
}

impl ParameterLevel {
    /// Returns the level of a parameter before a state with `next`, and the formulas that its own state needs.
    fn new(
        parameter: Parameter,
        values: &[ParameterValues],
        requirements: &[&Requirement],
        next: &[Formula],
    ) -> (Self, Vec<Formula>) {
        let mut resolver = Resolver { parameter, values, slots: vec![] };
        let next = next.iter().map(|formula| resolver.formula(formula)).collect();
        let (mut checks, mut narrowings, mut members) = (vec![], vec![], vec![]);
        for requirement in requirements {
            match requirement {
                Requirement::Any(conditions) if requirement.parameters().contains(&parameter) => {
                    checks.push(conditions.iter().map(|condition| resolver.condition(condition)).collect());
                    if let [single] = conditions.as_slice() {
                        narrowings.extend(resolver.narrowing(single));
                    }
                }
                Requirement::Any(_) => {}
                Requirement::PairwiseDifferent(_) => members.push(requirement.parameters()),
            }
        }
        let mut different = vec![];
        let mut start = resolver.slots.len();
        let is_open = |members: &&Vec<Parameter>| members.len() > 1 && members.last() >= Some(&parameter);
        for members in members.iter().filter(is_open) {
            let used = members.iter().filter(|member| **member < parameter).count();
            let is_open = members.last().is_some_and(|last| *last > parameter);
            different.push(UsedValues { slots: start..start + used, is_member: members.contains(&parameter), is_open });
            start += used;
        }
        let values = values.get(parameter.0).cloned().unwrap_or_else(|| ParameterValues::list([]));
        (Self { values, next, checks, narrowings, different }, resolver.slots)
    }

    /// Returns true if all values lead to the same state.
    fn is_free(&self) -> bool {
        self.checks.is_empty() && !read_value(&self.next) && !self.different.iter().any(|used| used.is_member)
    }

    /// Returns true if no constraint excludes a value.
    fn allows(&self, slots: &Slots, value: u64) -> bool {
        let is_used = |used: &UsedValues| used.is_member && slots[used.slots.clone()].contains(&Some(value));
        self.checks.iter().all(|any| any.iter().any(|one| one.is_possible(slots, value)))
            && !self.different.iter().any(is_used)
    }

    /// Returns the state after a value.
    fn after(&self, slots: &Slots, value: u64) -> Vec<Option<u64>> {
        let mut next: Vec<_> = self.next.iter().map(|formula| formula.exact(slots, value)).collect();
        for used in self.different.iter().filter(|used| used.is_open) {
            let start = next.len();
            next.extend_from_slice(&slots[used.slots.clone()]);
            if used.is_member {
                let at = next[start..].partition_point(|other| *other < Some(value));
                next.insert(start + at, Some(value));
            }
        }
        next
    }

    /// Returns the largest value that constraints allow, and a number that the value must divide, if any.
    fn narrowed(&self, slots: &Slots) -> (u64, Option<u64>) {
        let (mut most, mut multiple) = (u64::MAX, None);
        for narrowing in &self.narrowings {
            match narrowing {
                Narrowing::Divides(of) => {
                    let of = of.exact(slots, 0).filter(|of| *of != 0);
                    multiple = multiple.into_iter().chain(of).min();
                }
                Narrowing::AtMost { factors, bound } => {
                    let low = |factor: &Resolved| factor.bounds(slots, 0).map_or(0, |bounds| bounds.0);
                    let factor = factors.iter().map(low).fold(1, u64::saturating_mul);
                    let bound = bound.bounds(slots, 0).map_or(u64::MAX, |bounds| bounds.1);
                    most = most.min(bound.checked_div(factor).unwrap_or(u64::MAX));
                }
            }
        }
        (most, multiple)
    }

    /// Passes the values that may be allowed to `visit`, in ascending order; `None` if they are too many.
    fn candidates(&self, slots: &Slots, work: &mut Effort, mut visit: impl FnMut(u64)) -> Option<()> {
        let (most, multiple) = self.narrowed(slots);
        let ranges = self.values.ranges(most);
        let number = ranges.iter().fold(0u64, |number, range| number.saturating_add(range.end() - range.start()));
        match multiple.filter(|multiple| multiple.isqrt() <= number) {
            Some(multiple) => {
                work.spend(multiple.isqrt())?;
                let allowed = |value: &u64| *value <= most && self.values.contains(*value);
                divisors(multiple).into_iter().filter(allowed).for_each(visit);
            }
            None => {
                work.spend(number.saturating_add(ranges.len() as u64))?;
                ranges.into_iter().flatten().for_each(&mut visit);
            }
        }
        Some(())
    }
}

/// The number of parameters that are known, and the values that the others depend on.
type GroupState = (usize, Vec<Option<u64>>);

impl<N: Count> Branches<N> for ParameterGroup {
    type State = GroupState;

    fn start(&self) -> GroupState {
        (0, vec![])
    }

    fn is_end(&self, state: &GroupState) -> bool {
        state.0 == self.levels.len()
    }

    fn runs(&self, (depth, slots): &GroupState, work: &mut Effort) -> Option<Vec<ValueRun<GroupState, N>>> {
        let Some(level) = self.levels.get(*depth) else { return Some(vec![]) };
        let run = |first: u64, length: u64, next: Vec<Option<u64>>| ValueRun {
            key: 0,
            first,
            length,
            weight: N::one(),
            next: (depth + 1, next),
        };
        if level.is_free() {
            let ranges = level.values.ranges(u64::MAX).into_iter();
            let length = |range: &std::ops::RangeInclusive<u64>| (range.end() - range.start()).saturating_add(1);
            return Some(ranges.map(|r| run(*r.start(), length(&r), level.after(slots, *r.start()))).collect());
        }
        let mut runs: Vec<ValueRun<GroupState, N>> = vec![];
        level.candidates(slots, work, |value| {
            if !level.allows(slots, value) {
                return;
            }
            let next = level.after(slots, value);
            match runs.last_mut() {
                Some(last) if last.first + last.length == value && last.next.1 == next => last.length += 1,
                _ => runs.push(run(value, 1, next)),
            }
        })?;
        Some(runs)
    }
}
