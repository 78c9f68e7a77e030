//! Spaces of parameters with constraints: counted exactly, sampled uniformly, and indexed, without being enumerated.
//!
//! ```text
//! a, b, c in 1..1024    a divides 1024    b divides 1024 / a    c divides 1024 / (a * b)   ──▶   286 points
//! ```
//!
//! Parameters that share constraints form a group, which is a tree in the order of its parameters; the space is the
//! product of its groups. Sub-trees that the values so far influence in the same way are shared (compare the chain of
//! trees of ATF, whose trees are enumerated).
mod counted;
pub mod formula;
mod group;
mod neighbors;
pub mod number;
mod resolve;
pub mod space;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod values;

use self::{
    counted::SpaceGroup,
    formula::{Parameter, Requirement},
    space::ConstraintSpace,
    tree::Uncounted,
    values::ParameterValues,
};

/// The maximum number of values and runs that are visited to count a group, unless the caller sets another one.
pub const WORK_LIMIT: u64 = 1 << 24;

/// A constraint on the values of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The name, such as the label of a rule.
    pub name: String,
    /// Why it is required, in one sentence.
    pub reason: String,
    /// What is required.
    pub requirement: Requirement,
}

/// Parameters and constraints, of which a space is made.
#[derive(Clone, Debug, Default)]
pub struct SpaceDefinition {
    names: Vec<String>,
    values: Vec<ParameterValues>,
    constraints: Vec<Constraint>,
}

impl SpaceDefinition {
    /// Returns a definition without parameters; its space has one point.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter, which comes after all others in the order of its group.
    pub fn parameter(&mut self, name: impl Into<String>, values: ParameterValues) -> Parameter {
        self.names.push(name.into());
        self.values.push(values);
        Parameter(self.names.len() - 1)
    }

    /// Adds a constraint.
    pub fn constraint(
        &mut self,
        name: impl Into<String>,
        reason: impl Into<String>,
        requirement: impl Into<Requirement>,
    ) {
        let requirement = requirement.into();
        self.constraints.push(Constraint { name: name.into(), reason: reason.into(), requirement });
    }

    /// Counts the space. It is an error if two parameters have the same name, if a constraint reads a parameter of
    /// another definition, if the space is empty, with the constraint that empties it, or if more than `work_limit`
    /// values and runs of a group would have to be visited.
    pub fn build(self, work_limit: u64) -> Result<ConstraintSpace, String> {
        self.check()?;
        let mut groups = vec![];
        for parameters in self.groups() {
            let group = self.group(&parameters, self.constraints.len(), work_limit).map_err(|_| {
                let names: Vec<_> = parameters.iter().map(|parameter| self.name(*parameter)).collect();
                format!(
                    "the space of the parameters {} requires more than {work_limit} steps to be counted",
                    names.join(", ")
                )
            })?;
            if group.is_empty() {
                return Err(self.emptied(&parameters, work_limit));
            }
            groups.push(group);
        }
        Ok(ConstraintSpace::new(self, groups))
    }

    fn check(&self) -> Result<(), String> {
        for (number, name) in self.names.iter().enumerate() {
            if self.names[..number].contains(name) {
                return Err(format!("the name {name} of a parameter is used twice"));
            }
        }
        for (name, values) in self.names.iter().zip(&self.values) {
            if values.bounds().is_none() {
                return Err(format!("the parameter {name} has no values: {}", values.text()));
            }
        }
        for constraint @ Constraint { name, requirement, .. } in &self.constraints {
            if requirement.parameters().iter().any(|parameter| parameter.0 >= self.names.len()) {
                return Err(format!("the constraint {name} reads a parameter that the space does not have"));
            }
            if requirement.parameters().is_empty() && !requirement.holds(&[]) {
                return Err(format!("the space is empty: {}", self.text(constraint)));
            }
        }
        Ok(())
    }

    fn name(&self, parameter: Parameter) -> &str {
        self.names.get(parameter.0).map_or("", String::as_str)
    }

    /// Returns the name, the requirement and the reason of a constraint.
    fn text(&self, constraint: &Constraint) -> String {
        let Constraint { name, reason, requirement } = constraint;
        format!("{name} requires {} ({reason})", requirement.text(&self.names))
    }

    /// Returns the values of parameters at a point, such as `L = 4, P = 3`.
    fn values_text(&self, parameters: &[Parameter], point: &[u64]) -> String {
        let value = |parameter: &Parameter| Some(format!("{} = {}", self.name(*parameter), point.get(parameter.0)?));
        parameters.iter().filter_map(value).collect::<Vec<_>>().join(", ")
    }

    /// Returns the groups of parameters that share constraints, in ascending order.
    fn groups(&self) -> Vec<Vec<Parameter>> {
        let mut groups: Vec<Vec<Parameter>> = (0..self.names.len()).map(|number| vec![Parameter(number)]).collect();
        for constraint in &self.constraints {
            let read = constraint.requirement.parameters();
            let (together, others): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|parameter| read.contains(parameter)));
            let mut joined = together.concat();
            joined.sort_unstable();
            groups = others;
            if !joined.is_empty() {
                groups.push(joined);
            }
        }
        groups.sort();
        groups
    }

    /// Counts a group with the first constraints only.
    fn group(&self, parameters: &[Parameter], constraints: usize, limit: u64) -> Result<SpaceGroup, Uncounted> {
        let requirements = self.constraints.iter().take(constraints).map(|constraint| &constraint.requirement);
        let requirements: Vec<_> =
            requirements.filter(|one| one.parameters().iter().any(|read| parameters.contains(read))).collect();
        SpaceGroup::new(parameters.to_vec(), &self.values, &requirements, limit)
    }

    /// Returns the error for an empty group: the first constraint that, with those before it, leaves no point.
    fn emptied(&self, parameters: &[Parameter], limit: u64) -> String {
        let is_empty =
            |constraints: usize| self.group(parameters, constraints, limit).is_ok_and(|group| group.is_empty());
        let first = (1..self.constraints.len()).find(|constraints| is_empty(*constraints));
        let number = first.unwrap_or(self.constraints.len()).saturating_sub(1);
        let Some(constraint) = self.constraints.get(number) else { return "the space is empty".to_owned() };
        let mut message = format!("the space is empty: {}", self.text(constraint));
        let read = constraint.requirement.parameters();
        if let Some(last) = read.last().and_then(|last| Some((self.name(*last), self.values.get(last.0)?))) {
            message += &format!(", which excludes all values of {} ({})", last.0, last.1.text());
        }
        if let Ok(group) = self.group(parameters, number, limit) {
            let mut point = vec![0; self.names.len()];
            group.write_small(0, &mut point);
            message += &format!("; without it, the first point has {}", self.values_text(&read, &point));
        }
        message
    }
}
