//! Checks functions that users expect to be monotone, on neighboring f32 numbers at many places.
use crate::{
    engine::{Engine, Width},
    measure::array,
};
use anyhow::Result;
use mdh_passes::schedule::random::Random;
use mdh_tools::array::Element;

/// A scalar function that must never decrease.
#[derive(Debug)]
pub struct Form {
    /// The name in tables.
    pub name: &'static str,
    /// The operations on `%x0`; the result is `%y`.
    body: &'static str,
    /// The range in which the function is not constant.
    range: (f32, f32),
}

/// The measured forms.
pub const FORMS: &[Form] = &[
    Form { name: "exp(x)", body: "%y = math.exp %x0 : f32", range: (-104.0, 89.0) },
    Form { name: "tanh(x)", body: "%y = math.tanh %x0 : f32", range: (-9.2, 9.2) },
    Form {
        name: "1 / (1 + exp(-x))",
        body: "%one = arith.constant 1.0 : f32
            %n = arith.negf %x0 : f32
            %e = math.exp %n : f32
            %s = arith.addf %one, %e : f32
            %y = arith.divf %one, %s : f32",
        range: (-89.0, 18.0),
    },
];

/// Number of neighboring numbers compared at each place.
const NEIGHBOURS: usize = 1 << 10;

/// The result for one form.
#[derive(Clone, Debug, Default)]
pub struct Falls {
    /// Number of pairs compared.
    pub pairs: usize,
    /// Number of pairs where the function decreases, by width.
    pub falls: Vec<usize>,
    /// The first number after which it decreases.
    pub place: Option<f32>,
}

/// Compares neighbors at `places` random places.
pub fn measure(form: &Form, widths: &[Width], places: usize, strict: bool) -> Result<Falls> {
    let engines = widths.iter().map(|width| Engine::map(Element::F32, form.body, "%y", *width, strict));
    let engines = engines.collect::<Result<Vec<_>>>()?;
    let mut found = Falls { falls: vec![0; engines.len()], ..Falls::default() };
    let mut random = Random::new(1);
    for _ in 0..places {
        // Alternate between all magnitudes and the whole range.
        let share = (random.next() >> 11) as f32 * 2f32.powi(-53);
        let (low, high) = form.range;
        let magnitude = if random.once_in(2) { low } else { high };
        let start = if random.once_in(2) { low + (high - low) * share } else { magnitude * (-32.0 * share).exp2() };
        let numbers: Vec<_> =
            std::iter::successors(Some(start), |number| Some(number.next_up())).take(NEIGHBOURS).collect();
        let operands = [array(Element::F32, &numbers.iter().map(|number| f64::from(*number)).collect::<Vec<_>>())?];
        found.pairs += NEIGHBOURS - 1;
        for (engine, falls) in engines.iter().zip(&mut found.falls) {
            let results = engine.apply(&operands)?;
            let value = |i| Element::F32.to_f64(results.get(i));
            let fallen = (1..NEIGHBOURS).filter(|i| value(*i) < value(i - 1));
            for i in fallen {
                *falls += 1;
                found.place.get_or_insert(numbers[i - 1]);
            }
        }
    }
    Ok(found)
}
