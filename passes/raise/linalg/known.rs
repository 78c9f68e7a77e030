//! Known operators: regions of arithmetic that update the outputs by an element, in a form whose merge of two states is
//! known (`known/forms.rs`).
//!
//! ```text
//! ^bb0(%v, %m, %s):                     scalar function     operator on (m, s) and (n, t)
//!   %n = arith.maximumf %m, %v            yield %v, 1.0       k = max(m, n)
//!   %d = math.exp (%m - %n)        ──▶                        yield k, s * exp(m - k) + t * exp(n - k)
//!   %e = math.exp (%v - %n)
//!   yield %n, %s * %d + %e
//! ```
//!
//! Arithmetic is not associative for rounded numbers, so these operators are not proven (`proof.rs`): results differ from
//! those of the source by rounding, as sums in another order do.
mod forms;
mod terms;

use super::{
    region::Component,
    structured::{Structured, dependent},
};
use forms::{Form, forms};
use mdh_dialects::ir::{self, Builder, Op, Val};
use melior::ir::{Type, TypeLike, ValueLike};
use std::rc::Rc;
use terms::{Matched, TermBuilder, Updates};

pub use terms::literal;

/// The operator of some outputs.
#[derive(Clone, Debug)]
pub struct KnownOperator<'c> {
    /// The outputs that are its components, in their order.
    pub outputs: Vec<usize>,
    /// By output: the value of the scalar function.
    pub values: Vec<Component<'c>>,
    form: Rc<Form>,
    /// By component of the form: the output, by its position in `outputs`.
    places: Vec<usize>,
}

impl<'c> KnownOperator<'c> {
    /// The operator of a group of outputs whose updates have a known form. `yields` are the values of all outputs.
    pub fn of(
        structured: &Structured<'c>,
        outputs: &[usize],
        operations: &[Op<'c>],
        yields: &[Val<'c>],
    ) -> Option<Self> {
        let accumulators = structured.accumulators(outputs)?;
        let dependent = dependent(operations, &accumulators).into_iter().flat_map(ir::results).collect();
        let results = outputs.iter().map(|output| yields[*output]).collect();
        let region = Updates { accumulators, results, dependent };
        forms(outputs.len()).into_iter().find_map(|form| {
            let unknown = Matched { outputs: vec![None; outputs.len()], elements: vec![None; outputs.len()] };
            let matched = matched(&form, 0, &region, &unknown)?;
            let places = matched.outputs.iter().copied().collect::<Option<Vec<_>>>()?;
            let initial = form.number.map(|component| structured.outputs[outputs[places[component]]].filled);
            let is_number = |value: Val<'c>| terms::constant(value).is_some_and(|number| !number.is_nan());
            if initial.is_some_and(|initial| !initial.is_some_and(is_number)) {
                return None;
            }
            let value = |output: usize| {
                let component = places.iter().position(|place| *place == output)?;
                let ty = region.accumulators[output].r#type();
                let constant = Component::Constant(form.point[component], ty);
                Some(matched.elements[component].map_or(constant, Component::Value))
            };
            let values = (0..outputs.len()).map(value).collect::<Option<_>>()?;
            Some(Self { outputs: outputs.to_vec(), values, form: Rc::new(form), places })
        })
    }

    /// Builds the operator on two tuples, and returns the combination by output.
    pub fn build(&self, b: &Builder<'c>, left: &[Val<'c>], right: &[Val<'c>]) -> Vec<Val<'c>> {
        let of_form = |tuple: &[Val<'c>]| self.places.iter().map(|place| tuple[*place]).collect::<Vec<_>>();
        let tuples = [of_form(left), of_form(right)];
        let types = left.iter().map(|value| value.r#type());
        let float = types.clone().find(Type::is_float).unwrap_or_else(|| b.f64());
        let mut builder = TermBuilder::new(&self.form.terms, b, [&tuples[0], &tuples[1]], float);
        let merged: Vec<_> = self.form.merge.iter().map(|term| builder.build(*term)).collect();
        let mut all: Vec<_> = self.places.iter().copied().zip(merged).collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, value)| value).collect()
    }
}

/// What matches the updates of the components from this one on.
fn matched<'c>(form: &Form, component: usize, region: &Updates<'c>, known: &Matched<'c>) -> Option<Matched<'c>> {
    let Some(update) = form.update.get(component) else { return Some(known.clone()) };
    let is_possible = |output: &usize| match known.outputs[component] {
        Some(other) => other == *output,
        None => !known.outputs.contains(&Some(*output)),
    };
    // Each output has a component, so the first one of those that are alike has the first output that is left.
    let most = if component < form.alike { region.results.len() } else { 1 };
    (0..region.results.len()).filter(is_possible).take(most).find_map(|output| {
        let mut known = known.clone();
        known.outputs[component] = Some(output);
        let found = form.terms.matches(*update, region.results[output], region, &known);
        found.iter().find_map(|known| matched(form, component + 1, region, known))
    })
}
