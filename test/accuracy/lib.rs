//! Measures the errors of compiled functions of `math` against exact results. `make accuracy` writes the tables of
//! docs/math.md; a test measures a sample.
//!
//! Exact results are computed by MPFR, to 64 bits.
//! MPFR is slow. Therefore a result that equals the result of the reference evaluator is usually counted as right; the
//! evaluator is measured against MPFR on a sample of the operands.
//! A result that differs from the evaluator's is always compared: with MPFR in f64, and in narrower types with the
//! evaluator's result in f64.
pub mod document;
pub mod engine;
pub mod exact;
pub mod functions;
pub mod measure;
pub mod monotone;
pub mod mpfr;
pub mod samples;
#[cfg(test)]
mod tests;
