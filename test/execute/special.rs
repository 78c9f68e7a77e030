//! Inputs that generate.py does not make: NaNs, infinities, denormals, signed zeros, and floats whose sums are rounded.
use std::{
    fs,
    path::{Path, PathBuf},
};

use mdh_passes::schedule::random::Random;
use npyz::WriterBuilder as _;

use crate::{
    arrays::{self, Array},
    programs::{Example, Function, execute, folder, input},
};

/// The contents of inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Numbers whose sums and products are rounded.
    Rounded,
    /// Zeros of both signs.
    Zeros,
    /// Denormal numbers, zeros, and numbers whose products are denormal.
    Denormal,
    /// Numbers, and an infinity in the first input.
    Infinite,
    /// Numbers, and infinities of both signs and NaNs in the first input.
    NotNumbers,
}

impl Values {
    /// The contents for which more than the rounding of the results is defined.
    pub const SPECIAL: [Self; 4] = [Self::Zeros, Self::Denormal, Self::Infinite, Self::NotNumbers];

    /// The elements of the input with this index.
    fn elements(self, number: usize, count: usize, random: &mut Random) -> Vec<f32> {
        let element = |random: &mut Random| {
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            let number = (1 + random.below(1000)) as f32 / 997.0;
            let value = match (self, random.below(8)) {
                (Self::Zeros, _) | (Self::Denormal | Self::Infinite | Self::NotNumbers, 0) => 0.0,
                (Self::Denormal, 1..3) => number * 1e-40,
                (Self::Denormal, 3..5) => f32::from_bits(1),
                (Self::Denormal, _) => number * 1e-20,
                _ => number,
            };
            sign * value
        };
        let mut elements: Vec<_> = (0..count).map(|_| element(random)).collect();
        let some: &[f32] = match self {
            Self::Infinite if number == 0 => &[f32::INFINITY],
            Self::NotNumbers if number == 0 => &[f32::INFINITY, f32::NEG_INFINITY, f32::NAN],
            _ => &[],
        };
        for value in some {
            elements[random.below(count)] = *value;
        }
        elements
    }
}

/// Writes such inputs to files. Their number and shapes are those of the small inputs of an example.
fn write(example: &Example, function: &Function, values: Values, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut random = Random::new(1 + values as u64);
    let write = |(number, name): (usize, &String)| {
        let Array { dtype, shape, .. } = arrays::read(&input(example, name))?;
        if dtype != "<f4" {
            return Err(format!("{name} of {} is {dtype}, not <f4", function.name));
        }
        let path = folder.join(format!("{name}-input.npy"));
        let elements = values.elements(number, shape.iter().product::<u64>() as usize, &mut random);
        let file = fs::File::create(&path).map_err(|error| error.to_string())?;
        let mut writer = npyz::WriteOptions::new()
            .default_dtype()
            .shape(&shape)
            .writer(file)
            .begin_nd()
            .map_err(|error| error.to_string())?;
        writer.extend(elements).and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
        Ok(path)
    };
    function.inputs.iter().enumerate().map(write).collect()
}

/// The results of `mdh run` with these options.
fn results(
    example: &Example,
    function: &Function,
    inputs: &[PathBuf],
    folder: &Path,
    options: &[&str],
) -> Result<Vec<Array>, String> {
    execute(example, function, inputs, folder, options)?;
    example.outputs.iter().map(|output| arrays::read(&folder.join(output).with_extension("npy"))).collect()
}

/// Fails at the first element that does not satisfy a predicate.
fn compare(
    actual: &[Array],
    expected: &[Array],
    what: &str,
    agree: impl Fn(f64, f64, &Array) -> bool,
) -> Result<(), String> {
    for (actual, expected) in actual.iter().zip(expected) {
        if (&actual.dtype, &actual.shape) != (&expected.dtype, &expected.shape) {
            return Err(format!("{what}: is {:?}, expected {:?}", actual.shape, expected.shape));
        }
        let floats = actual.floats.iter().zip(&expected.floats).enumerate();
        if let Some((n, (a, e))) = floats.into_iter().find(|(_, (a, e))| !agree(**a, **e, expected)) {
            return Err(format!("{what}: element {n} is {a:e}, expected {e:e}"));
        }
    }
    Ok(())
}

fn same_bits(actual: f64, expected: f64, _: &Array) -> bool {
    actual.to_bits() == expected.to_bits() || actual.is_nan() && expected.is_nan()
}

/// True if non-finite values are equal and finite ones are close: within 1e-5 of the largest finite element, or 1e-43
/// for denormals.
fn close(actual: f64, expected: f64, all: &Array) -> bool {
    if !(actual.is_finite() && expected.is_finite()) {
        return actual == expected || actual.is_nan() && expected.is_nan();
    }
    let largest = all.floats.iter().filter(|value| value.is_finite()).fold(0.0, |max: f64, value| max.max(value.abs()));
    (actual - expected).abs() <= 1e-5 * largest + 1e-43
}

/// Compares the CPU with the reference evaluator: bitwise in the order of the definition (`--strict`), otherwise
/// approximately.
pub fn special_values(example: &Example, function: &Function) -> Result<(), String> {
    for values in Values::SPECIAL {
        let folder = folder(&format!("{}-{values:?}", function.name));
        let inputs = write(example, function, values, &folder)?;
        let run = |options: &[&str]| results(example, function, &inputs, &folder, options);
        let expected = run(&["--engine", "reference"])?;
        let describe = |options: &str| format!("{}, {options}", folder.display());
        compare(&run(&["--strict", "--threads", "2"])?, &expected, &describe("--strict"), same_bits)?;
        compare(&run(&["--threads", "2"])?, &expected, &describe("default"), close)?;
    }
    Ok(())
}

/// Compares the CPU with one, two and three threads, bitwise.
pub fn numbers_of_threads(example: &Example, function: &Function, options: &[&str]) -> Result<(), String> {
    let folder = folder(&format!("{}-threads", function.name));
    let inputs = write(example, function, Values::Rounded, &folder)?;
    let run = |threads| results(example, function, &inputs, &folder, &[options, &["--threads", threads]].concat());
    let expected = run("1")?;
    for threads in ["2", "3"] {
        let what = format!("{}, --threads {threads} {}", folder.display(), options.join(" "));
        compare(&run(threads)?, &expected, &what, same_bits)?;
    }
    Ok(())
}

/// Runs a device several times on the same inputs, and compares bitwise.
pub fn repeated(example: &Example, function: &Function, options: &[&str]) -> Result<(), String> {
    let folder = folder(&format!("{}-repeated-{}", function.name, options[1]));
    // Sums of the examples' own inputs are exact, so the order of summation would not show.
    let inputs = write(example, function, Values::Rounded, &folder)
        .unwrap_or_else(|_| function.inputs.iter().map(|name| input(example, name)).collect());
    let run = || -> Result<Vec<Vec<u8>>, String> {
        execute(example, function, &inputs, &folder, options)?;
        let read = |output: &String| fs::read(folder.join(output).with_extension("npy"));
        example.outputs.iter().map(read).collect::<Result<_, _>>().map_err(|error| error.to_string())
    };
    let first = run()?;
    for _ in 1..3 {
        if run()? != first {
            return Err(format!("{}: other bytes with {options:?}", folder.display()));
        }
    }
    Ok(())
}
