//! Reads arrays from `.npy` files and compares them.
use std::{fs, path::Path};

use npyz::{DType, NpyFile, Order, TypeChar};

/// An array: floating-point elements as f64, all others as integers.
#[derive(Debug)]
pub struct Array {
    /// The dtype in NumPy's notation, such as `<f4`.
    pub dtype: String,
    /// The extents.
    pub shape: Vec<u64>,
    /// The elements in row-major order, if they are floats.
    pub floats: Vec<f64>,
    /// The elements in row-major order, if they are integers.
    pub integers: Vec<i64>,
}

/// Reads an array of f32, f64, i32 or i64, the types of the examples' results.
pub fn read(path: &Path) -> Result<Array, String> {
    let describe = |error: std::io::Error| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(describe)?;
    let file = NpyFile::new(&bytes[..]).map_err(describe)?;
    let DType::Plain(ty) = file.dtype() else { return Err(format!("{}: a structured array", path.display())) };
    if file.order() != Order::C {
        return Err(format!("{}: an array in Fortran order", path.display()));
    }
    let (dtype, shape) = (ty.to_string(), file.shape().to_vec());
    let (mut floats, mut integers) = (vec![], vec![]);
    match (ty.type_char(), ty.size_field()) {
        (TypeChar::Float, 4) => {
            floats = file.into_vec::<f32>().map_err(describe)?.into_iter().map(f64::from).collect();
        }
        (TypeChar::Float, 8) => floats = file.into_vec().map_err(describe)?,
        (TypeChar::Int, 4) => {
            integers = file.into_vec::<i32>().map_err(describe)?.into_iter().map(i64::from).collect();
        }
        (TypeChar::Int, 8) => integers = file.into_vec().map_err(describe)?,
        _ => return Err(format!("{}: no result has type {dtype}", path.display())),
    }
    Ok(Array { dtype, shape, floats, integers })
}

/// Reports the differences of two arrays. Sums of the examples' inputs are exact, so only rounding of scalar functions
/// is tolerated.
pub fn compare(actual: &Array, expected: &Array) -> Result<(), String> {
    if (&actual.dtype, &actual.shape) != (&expected.dtype, &expected.shape) {
        return Err(format!(
            "is {:?} of {}, expected {:?} of {}",
            actual.shape, actual.dtype, expected.shape, expected.dtype
        ));
    }
    let float = actual
        .floats
        .iter()
        .zip(&expected.floats)
        .position(|(a, e)| a.is_nan() || (a - e).abs() > 1e-5 * e.abs().max(1.0));
    let integer = actual.integers.iter().zip(&expected.integers).position(|(a, e)| a != e);
    let position = |mut number: usize| {
        let mut position = vec![0; actual.shape.len()];
        for (index, &size) in position.iter_mut().zip(&actual.shape).rev() {
            (*index, number) = (number % size as usize, number / size as usize);
        }
        position
    };
    match (float, integer) {
        (Some(n), _) => Err(format!("is {} at {:?}, expected {}", actual.floats[n], position(n), expected.floats[n])),
        (_, Some(n)) => {
            Err(format!("is {} at {:?}, expected {}", actual.integers[n], position(n), expected.integers[n]))
        }
        _ => Ok(()),
    }
}
