//! Exact counts: 64-bit or 128-bit integers where they suffice, else integers of any size.
//!
//! ```text
//! u64, u128: checked arithmetic, None on overflow   ──▶   BigUint: the same operations, never None
//! ```
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{CheckedAdd, CheckedMul, ToPrimitive};

/// The number of points of a space or of a part of it.
pub trait Count: Integer + CheckedAdd + CheckedMul + ToPrimitive + Clone + From<u64> + Into<BigUint> + 'static {
    /// Returns the same number; `None` if it is too large for the type.
    fn of(number: &BigUint) -> Option<Self>;

    /// Returns a number below a bound, which is at least 1, uniformly; `random` returns 64 random bits.
    fn below(bound: &Self, random: &mut dyn FnMut() -> u64) -> Self;
}

impl Count for u64 {
    fn of(number: &BigUint) -> Option<Self> {
        number.to_u64()
    }

    fn below(bound: &Self, random: &mut dyn FnMut() -> u64) -> Self {
        let largest = bound.saturating_sub(1);
        let mask = Self::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
        loop {
            let number = random() & mask;
            if number <= largest {
                return number;
            }
        }
    }
}

impl Count for u128 {
    fn of(number: &BigUint) -> Option<Self> {
        number.to_u128()
    }

    fn below(bound: &Self, random: &mut dyn FnMut() -> u64) -> Self {
        let largest = bound.saturating_sub(1);
        let mask = u128::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
        loop {
            let high = if mask > u128::from(u64::MAX) { random() } else { 0 };
            let number = (u128::from(high) << 64 | u128::from(random())) & mask;
            if number <= largest {
                return number;
            }
        }
    }
}

impl Count for BigUint {
    fn of(number: &BigUint) -> Option<Self> {
        Some(number.clone())
    }

    fn below(bound: &Self, random: &mut dyn FnMut() -> u64) -> Self {
        let words = bound.bits().div_ceil(64);
        let unused = words * 64 - bound.bits();
        loop {
            // The most significant word is drawn first.
            let draw = |number: Self, word: u64| {
                let bits = if word == 0 { random() >> unused } else { random() };
                (number << 64u32) + bits
            };
            let number = (0..words).fold(Self::from(0u64), draw);
            if number < *bound || words == 0 {
                return number;
            }
        }
    }
}
