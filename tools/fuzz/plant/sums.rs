//! Weighted sums: programs, inputs, and their results in other orders of summation.
use super::{Counts, Error, evaluate, with_zero};
use crate::{
    array::{Array, Element},
    compare,
    fuzz::{
        linalg::{self, Compilation},
        text::FUNCTION,
    },
    program,
};
use anyhow::{Result, bail};
use mdh_passes::schedule::random::Random;
use melior::{Context, ir::Module};

/// The types of sums.
const TYPES: [Element; 4] = [Element::F16, Element::Bf16, Element::F32, Element::F64];
/// Maximum number of terms of all sums of a program.
const TERMS: usize = 20_000;
/// One in this many programs is compiled.
const COMPILED: u64 = 20;
/// Numbers of partial sums of other orders.
const LANES: [usize; 4] = [1, 4, 16, 64];

/// The inputs of sums.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// Between 0 and 1.
    Positive,
    /// Between -1 and 1.
    Signed,
    /// One number.
    Same,
    /// One number with alternating signs.
    Alternating,
    /// A few multiples of a number, which repeat.
    Periodic,
    /// Powers of 10 times numbers between 0 and 1.
    Spread,
}

const DATA: [Data; 6] = [Data::Positive, Data::Signed, Data::Same, Data::Alternating, Data::Periodic, Data::Spread];

/// `y[j] = sum over k, l of x[j, k, l] * w[k, l]`
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    element: Element,
    /// The extents of j, k and l.
    extents: [usize; 3],
    data: Data,
}

impl Sums {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let element = TYPES[random.below(TYPES.len())];
        let results = 1 + random.below(3);
        let mut terms = 2;
        while terms < TERMS / results / 2 && !random.once_in(8) {
            terms += random.below(terms) + 1;
        }
        let inner = 1 + if random.once_in(2) { random.below(terms.min(64)) } else { 0 };
        let data = DATA[random.below(DATA.len())];
        Self { element, extents: [results, terms.div_ceil(inner), inner], data }
    }

    pub(super) fn text(&self) -> String {
        let Self { element, extents: [j, k, l], .. } = self;
        format!(
            "func.func @{FUNCTION}(%x: tensor<{j}x{k}x{l}x{element}>, %w: tensor<{k}x{l}x{element}>) -> tensor<{j}x{element}> {{
  %in = mdh.view.inp_view %x[affine_map<(j, k, l) -> (j, k, l)>], %w[affine_map<(j, k, l) -> (k, l)>]
      : (tensor<{j}x{k}x{l}x{element}>, tensor<{k}x{l}x{element}>) -> !mdh.mda<{j}x{k}x{l}, {element}, {element}>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>, #mdh.pw<add>] {{
  ^bb0(%a: {element}, %b: {element}):
    %p = arith.mulf %a, %b : {element}
    mdh.hom.yield %p : {element}
  }} : !mdh.mda<{j}x{k}x{l}, {element}, {element}> -> !mdh.mda<{j}x1x1, {element}>
  %y = mdh.view.out_view %h[affine_map<(j, k, l) -> (j)>] : !mdh.mda<{j}x1x1, {element}> -> tensor<{j}x{element}>
  return %y : tensor<{j}x{element}>
}}
"
        )
    }

    /// The inputs of a seed; the weights are 1 or random.
    pub(super) fn data(&self, seed: u64) -> Result<Vec<Array>> {
        let mut random = Random::new(seed ^ 0x5eed);
        let [j, k, l] = self.extents;
        let fraction = |random: &mut Random| random.below(1 << 24) as f64 / f64::from(1 << 24);
        let unit = fraction(&mut random);
        let period = 2 + random.below(15);
        let is_weighted = random.once_in(2) && matches!(self.data, Data::Positive | Data::Signed | Data::Spread);
        let values = (0..j * k * l).map(|i| match self.data {
            Data::Positive => fraction(&mut random),
            Data::Signed => 2.0 * fraction(&mut random) - 1.0,
            Data::Same => unit,
            Data::Alternating => unit * if i % 2 == 0 { 1.0 } else { -1.0 },
            Data::Periodic => unit * (i % period) as f64,
            Data::Spread => fraction(&mut random) * 10f64.powi(random.below(4) as i32 - 2),
        });
        let values = self.array(&[j, k, l], values.collect())?;
        let weights = (0..k * l).map(|_| if is_weighted { 2.0 * fraction(&mut random) - 1.0 } else { 1.0 });
        Ok(vec![values, self.array(&[k, l], weights.collect())?])
    }

    fn array(&self, shape: &[usize], values: Vec<f64>) -> Result<Array> {
        let mut array = Array::filled(self.element, shape, 0).map_err(anyhow::Error::msg)?;
        values.into_iter().enumerate().for_each(|(i, value)| array.set(i, self.element.from_f64(value)));
        Ok(array)
    }

    /// The sums in another order: so many partial sums, of consecutive terms or of terms at this distance, and then the
    /// sum of these. Products are rounded, or not (a fused operation).
    fn results(&self, inputs: &[Array], lanes: usize, is_blocked: bool, is_fused: bool) -> Result<Array> {
        let [j, k, l] = self.extents;
        let round = |value: f64| self.element.to_f64(self.element.from_f64(value));
        let value = |array: &Array, i: usize| self.element.to_f64(array.get(i));
        let terms = k * l;
        let block = terms.div_ceil(lanes);
        let sums = (0..j).map(|row| {
            let mut partial = vec![None; lanes];
            for i in 0..terms {
                let product = value(&inputs[0], row * terms + i) * value(&inputs[1], i);
                let product = if is_fused { product } else { round(product) };
                let sum: &mut Option<f64> = &mut partial[if is_blocked { i / block } else { i % lanes }];
                *sum = Some(round(sum.map_or(product, |sum| sum + product)));
            }
            partial.into_iter().flatten().reduce(|sum, other| round(sum + other)).unwrap_or(-0.0)
        });
        self.array(&[j], sums.collect())
    }
}

/// Plants errors in the sums of a seed, and requires that their results in other orders are accepted.
pub(super) fn check(context: &Context, module: &Module<'_>, seed: u64) -> Result<Counts> {
    let sums = Sums::new(seed);
    let inputs = sums.data(seed)?;
    let expected = evaluate(module, inputs.clone())?;
    let accept = |order: &str, results: &[Array]| match compare::outputs(&expected, results, &[]).problem {
        Some(problem) => bail!("{sums:?}: {order} is refused: {problem}"),
        None => Ok(()),
    };
    for lanes in LANES {
        for (is_blocked, is_fused) in [(false, false), (false, true), (true, false), (true, true)] {
            let results = sums.results(&inputs, lanes, is_blocked, is_fused)?;
            accept(&format!("{lanes} partial sums, blocked {is_blocked}, fused {is_fused}"), &[results])?;
        }
    }
    if (seed / 2).is_multiple_of(COMPILED) {
        let mut module = program::parse(context, sums.text().as_bytes())?;
        let (results, _) = linalg::execute(context, &mut module, Compilation::new(seed, false), inputs.clone())?;
        accept("the compiled program", &results)?;
    }
    let mut counts = Counts::default();
    let mut random = Random::new(seed);
    counts.plant(Error::Zero, &expected, &[], &with_zero(&expected, &mut random))?;
    let wrong = |inputs: Vec<Array>| -> Result<Vec<Array>> {
        Ok(evaluate(module, inputs)?.results.into_iter().map(|buffer| buffer.array).collect())
    };
    counts.plant(Error::OtherInputs, &expected, &[], &wrong(sums.data(seed + 1)?)?)?;
    let [_, k, l] = sums.extents;
    let change = |range: std::ops::Range<usize>, factor: f64| {
        let mut changed = inputs.clone();
        let element = sums.element;
        range.for_each(|i| changed[1].set(i, element.from_f64(factor * element.to_f64(inputs[1].get(i)))));
        changed
    };
    let term = random.below(k * l);
    counts.plant(Error::LeftOut, &expected, &[], &wrong(change(term..term + 1, 0.0))?)?;
    let part = (k * l).div_ceil(4);
    let start = random.below(k * l - part + 1);
    counts.plant(Error::Twice, &expected, &[], &wrong(change(start..start + part, 2.0))?)?;
    Ok(counts)
}
