//! How far compiled functions of `math` are from the exact results: `make accuracy` writes the tables of docs/math.md, a test measures a sample.
//!
//! Exact results are those of MPFR, to 64 bits. It is slow, so results that are those of the reference evaluator, which is compared with it on
//! its own, count as right most often: what differs from the evaluator is always compared with MPFR, or in types smaller than f64 with the
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
