//! Composition of index functions.
use mdh_dialects::view::IndexFunction;

/// A linear form: coefficients by dimension, and a constant.
pub type Row = (Vec<i64>, i64);

/// The rows of an index function on this number of dimensions.
pub fn rows(function: &IndexFunction, dimensions: usize) -> Vec<Row> {
    let row = |axis| {
        let (coefficients, constant) = function.row(axis);
        let mut coefficients = coefficients.to_vec();
        coefficients.resize(dimensions, 0);
        (coefficients, constant)
    };
    (0..function.rank()).map(row).collect()
}

/// A constant on this number of dimensions.
pub fn constant(value: i64, dimensions: usize) -> Row {
    (vec![0; dimensions], value)
}

/// `sum over i of factors[i] * rows[i] + constant`; `None` if a number does not fit in 64 bits.
pub fn combine(factors: &[i64], rows: &[Row], constant: i64, dimensions: usize) -> Option<Row> {
    let mut sum = (vec![0i64; dimensions], constant);
    for (factor, (coefficients, constant)) in factors.iter().zip(rows).filter(|(factor, _)| **factor != 0) {
        for (total, coefficient) in sum.0.iter_mut().zip(coefficients) {
            *total = total.checked_add(factor.checked_mul(*coefficient)?)?;
        }
        sum.1 = sum.1.checked_add(factor.checked_mul(*constant)?)?;
    }
    Some(sum)
}

/// The dimension that a row is equal to.
pub fn single(row: &[i64], constant: i64) -> Option<usize> {
    let mut used = row.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0);
    let (d, coefficient) = used.next()?;
    (*coefficient == 1 && constant == 0 && used.next().is_none()).then_some(d)
}
