//! What becomes of arrays with one dimension whose indices are polynomials, as text.
use super::{
    plan::{NestPlan, chosen},
    polynomial::Parameters,
    text,
    versions::{NestRun, RunVersion},
};
use mdh_dialects::ir::Op;
use melior::ir::ValueLike;

/// An array of a nest.
#[derive(Clone, Debug)]
pub struct ArrayReport<'c> {
    /// The first access.
    pub at: Op<'c>,
    /// The type of the memref.
    pub ty: String,
    /// The shape; or the requirement that the array does not meet.
    pub shape: Result<ShapeReport, String>,
}

/// The shape of an array.
#[derive(Clone, Debug)]
pub struct ShapeReport {
    /// The sizes, such as `[?][%arg1]`.
    pub sizes: String,
    /// By version: the subscripts of each access, such as `[i][j + 1]`, and the condition of the nests.
    pub versions: Vec<(Vec<String>, String)>,
    /// True if the condition holds whenever all subscripts are within the sizes.
    pub is_exact: bool,
}

impl ArrayReport<'_> {
    /// A line for each version, or one with the reason.
    pub fn texts(&self) -> Vec<String> {
        match &self.shape {
            Ok(ShapeReport { sizes, versions, is_exact }) => {
                let exact = if *is_exact { "exact" } else { "sufficient" };
                let line = |(subscripts, condition): &(Vec<String>, String)| {
                    format!("has shape {sizes} and subscripts {} if {condition}, {exact}", subscripts.join(", "))
                };
                versions.iter().map(line).collect()
            }
            Err(reason) => vec![format!("has an array that is not delinearized: {reason}")],
        }
    }
}

/// The arrays of a run.
pub fn arrays<'c>(run: &NestRun<'c>, versions: &[RunVersion<'c>], parameters: &Parameters<'c>) -> Vec<ArrayReport<'c>> {
    let mut found = vec![];
    for (number, nest) in run.nests.iter().enumerate() {
        for (position, array) in nest.arrays.iter().enumerate() {
            let versions = versions.iter().map(|version| {
                let subscripts = &chosen(array, version.choices[number][position]).subscripts;
                let subscripts = subscripts.iter().map(|subscripts| text::list(subscripts, &parameters.all)).collect();
                (subscripts, text::condition(&version.condition.requirements, &parameters.all))
            });
            let shape = ShapeReport {
                sizes: format!("[?]{}", text::list(&array.shape.sizes, &parameters.all)),
                versions: versions.collect(),
                is_exact: array.shape.is_exact,
            };
            found.push(entry(nest, array.accesses[0], Ok(shape)));
        }
        found.extend(plain(nest));
    }
    found
}

/// The arrays of a run that stays, with the requirement that it does not meet.
pub fn refused<'c>(run: &NestRun<'c>, reason: &str) -> Vec<ArrayReport<'c>> {
    let of_nest = |nest: &NestPlan<'c>| {
        let arrays = nest.arrays.iter().map(|array| entry(nest, array.accesses[0], Err(reason.to_owned())));
        arrays.chain(plain(nest)).collect::<Vec<_>>()
    };
    run.nests.iter().flat_map(of_nest).collect()
}

fn plain<'c>(nest: &NestPlan<'c>) -> Vec<ArrayReport<'c>> {
    nest.plain.iter().map(|array| entry(nest, array.access, Err(array.reason.clone()))).collect()
}

fn entry<'c>(nest: &NestPlan<'c>, access: usize, shape: Result<ShapeReport, String>) -> ArrayReport<'c> {
    let access = &nest.nest.accesses[access];
    ArrayReport { at: access.operation, ty: access.memref.r#type().to_string(), shape }
}
