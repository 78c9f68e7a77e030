//! Measures the errors of compiled functions, and the operands where they are largest.
use crate::{
    document::Row,
    engine::{Engine, Width},
    exact::Exact,
    functions::{Function, Judge},
    mpfr,
    samples::{self, Columns, Samples},
};
use anyhow::{Result, anyhow};
use mdh_tools::{
    array::{Array, Element, Slot},
    reference::kernel::{self, Kernel},
};
use rayon::prelude::*;

/// Number of operands per call of a compiled function.
const CHUNK: usize = 1 << 16;

/// One in this many results that equal the evaluator's is checked by MPFR.
const CHECKED: usize = 16;

/// Number of examples kept of results that are wrong by more than rounding.
const KEPT: usize = 8;

/// Operands and the result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The operands.
    pub operands: Vec<f64>,
    /// The result.
    pub result: f64,
}

/// The errors of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    /// The largest error, in units of the last place.
    pub worst: f64,
    /// The operands of the largest error.
    pub place: Option<Point>,
    /// Number of results that are wrong by more than rounding: infinities, signs, zeros, NaN.
    pub wrong: usize,
    /// Examples of these.
    pub examples: Vec<Point>,
    /// Number of compared results.
    pub count: usize,
}

impl Errors {
    fn add(&mut self, distance: Option<f64>, point: impl FnOnce() -> Point) {
        match distance {
            None => {
                self.wrong += 1;
                if self.examples.len() < KEPT {
                    self.examples.push(point());
                }
            }
            Some(distance) if distance > self.worst => {
                self.worst = distance;
                self.place = Some(point());
            }
            Some(_) => {}
        }
    }

    /// Merges two sets of errors.
    pub fn or(self, other: &Self) -> Self {
        let (worst, place) =
            if other.worst > self.worst { (other.worst, other.place.clone()) } else { (self.worst, self.place) };
        let mut examples = self.examples;
        examples.extend(other.examples.iter().cloned());
        examples.truncate(KEPT);
        Self { worst, place, wrong: self.wrong + other.wrong, examples, count: self.count + other.count }
    }
}

/// The errors of a function for a type.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The errors for each requested vector width.
    pub widths: Vec<Errors>,
    /// The errors of the reference evaluator.
    pub evaluator: Errors,
}

/// Measures a function for a type on its edge cases and on `count` random operands. Unary functions of 16-bit types are
/// measured on all operands.
pub fn measure(
    function: &Function,
    element: Element,
    widths: &[Width],
    count: usize,
    strict: bool,
) -> Result<Measured> {
    let engines =
        widths.iter().map(|width| Engine::new(function, element, *width, strict)).collect::<Result<Vec<_>>>()?;
    let mut measurement = Measurement::new(function, element, engines)?;
    if element.bits() == 16 && function.types(element).len() == 1 {
        measurement.add(&samples::all(element))?;
        return Ok(measurement.measured);
    }
    let mut samples = Samples::new(function, element);
    measurement.add(&samples.edges())?;
    let mut left = count;
    while left > 0 {
        let now = left.min(CHUNK);
        measurement.add(&samples.draw(now))?;
        left -= now;
    }
    Ok(measurement.measured)
}

/// Measures functions for several types, in parallel. Calls `report` after each.
pub fn all(
    functions: &[&'static Function],
    types: &[Element],
    widths: &[Width],
    count: usize,
    strict: bool,
    report: &(dyn Fn(&Function, Element, &Measured) + Sync),
) -> Result<Vec<Row>> {
    let pairs: Vec<_> =
        functions.iter().flat_map(|function| types.iter().map(|element| (*function, *element))).collect();
    // One work item at a time per thread, because some take much longer than others.
    let measured = pairs.par_iter().with_max_len(1).map(|(function, element)| {
        let of = |error: anyhow::Error| error.context(format!("{} of {element}", function.name));
        let measured = measure(function, *element, widths, count, strict).map_err(of)?;
        report(function, *element, &measured);
        Ok((*element, measured))
    });
    let mut measured = measured.collect::<Result<Vec<_>>>()?.into_iter();
    Ok(functions.iter().map(|function| (*function, measured.by_ref().take(types.len()).collect())).collect())
}

struct Measurement {
    element: Element,
    types: Vec<Element>,
    engines: Vec<Engine>,
    /// The evaluator's function for the type and for f64.
    own: Evaluator,
    wide: Evaluator,
    judge: Option<mpfr::Function>,
    measured: Measured,
}

impl Measurement {
    fn new(function: &Function, element: Element, engines: Vec<Engine>) -> Result<Self> {
        let judge = match function.judge {
            Judge::Evaluator => None,
            Judge::Mpfr(symbol, operands) => Some(mpfr::Function::new(symbol, operands)?),
        };
        let measured = Measured { widths: vec![Errors::default(); engines.len()], evaluator: Errors::default() };
        let (own, wide) = (Evaluator::new(function, element)?, Evaluator::new(function, Element::F64)?);
        Ok(Self { element, types: function.types(element), engines, own, wide, judge, measured })
    }

    /// Adds the errors for some operands.
    fn add(&mut self, columns: &Columns) -> Result<()> {
        let arrays = self.types.iter().zip(columns).map(|(ty, column)| array(*ty, column));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let computed = self.engines.iter().map(|engine| engine.apply(&arrays)).collect::<Result<Vec<_>>>()?;
        let element = self.element;
        let mut all = [0.0; 3];
        for i in 0..columns[0].len() {
            for (operand, column) in all.iter_mut().zip(columns) {
                *operand = column[i];
            }
            let operands = &all[..columns.len()];
            let own = self.own.apply(operands)?;
            let slots = computed.iter().map(|array| array.get(i));
            let checked = i % CHECKED == 0;
            let agree = slots.clone().all(|slot| same(element, slot, own));
            self.measured.evaluator.count += 1;
            self.measured.widths.iter_mut().for_each(|errors| errors.count += 1);
            if agree && !checked {
                continue;
            }
            let exact = match self.judge {
                Some(judge) if element == Element::F64 || checked => judge.apply(operands),
                // A rounding error in f64 is negligible in narrower types.
                Some(_) => Exact::of(f64::from_bits(self.wide.apply(operands)? as u64)),
                None => Exact::of(element.to_f64(own)),
            };
            let judged = |errors: &mut Errors, slot| {
                let result = element.to_f64(slot);
                errors.add(exact.distance(result, element), || Point { operands: operands.to_vec(), result });
            };
            self.measured.widths.iter_mut().zip(slots).for_each(|(errors, slot)| judged(errors, slot));
            judged(&mut self.measured.evaluator, own);
        }
        Ok(())
    }
}

/// A function as computed by the reference evaluator.
struct Evaluator {
    kernel: Kernel,
    types: Vec<Element>,
}

impl Evaluator {
    fn new(function: &Function, element: Element) -> Result<Self> {
        let name = format!("math.{}", function.operation());
        let (count, number) = function.result();
        let types = function.types(element);
        let kernels = kernel::named(&name, &types, &vec![element; count]);
        let kernel = kernels.and_then(|kernels| kernels.into_iter().nth(number));
        Ok(Self { kernel: kernel.ok_or_else(|| anyhow!("the reference evaluator does not know {name}"))?, types })
    }

    fn apply(&self, operands: &[f64]) -> Result<Slot> {
        let mut slots = [0; 3];
        for ((slot, ty), operand) in slots.iter_mut().zip(&self.types).zip(operands) {
            *slot = ty.from_f64(*operand);
        }
        self.kernel.apply(&slots[..operands.len()]).map_err(|problem| anyhow!("{problem}"))
    }
}

/// True if two results are equal, or both are NaN.
fn same(element: Element, left: Slot, right: Slot) -> bool {
    left == right || element.to_f64(left).is_nan() && element.to_f64(right).is_nan()
}

/// Creates an array of a type.
pub fn array(element: Element, values: &[f64]) -> Result<Array> {
    let mut array = Array::filled(element, &[values.len()], 0).map_err(|problem| anyhow!("{problem}"))?;
    values.iter().enumerate().for_each(|(i, value)| array.set(i, element.from_f64(*value)));
    Ok(array)
}
