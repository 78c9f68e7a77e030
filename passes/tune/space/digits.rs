//! Numbers with digits of different radices: how the index of a schedule is composed, first digit first.
//!
//! ```text
//! index = digit 0 + radix 0 * (digit 1 + radix 1 * (digit 2 + ..))
//! ```
use num_bigint::BigUint;
use num_integer::{Integer, binomial};
use num_traits::{ToPrimitive, Zero};

/// Reads the digits of a number.
pub(super) struct DigitReader(pub(super) BigUint);

impl DigitReader {
    /// Returns the next digit.
    pub(super) fn read(&mut self, radix: &BigUint) -> BigUint {
        if radix.is_zero() {
            return BigUint::zero();
        }
        let (rest, digit) = self.0.div_rem(radix);
        self.0 = rest;
        digit
    }

    /// Returns the next digit; the radix is at least 1.
    pub(super) fn read_small(&mut self, radix: usize) -> usize {
        self.read(&BigUint::from(radix.max(1))).to_usize().unwrap_or(0)
    }

    /// Returns a permutation of 0 to `length` - 1.
    pub(super) fn read_permutation(&mut self, length: usize) -> Vec<usize> {
        let mut left: Vec<_> = (0..length).collect();
        (0..length).map(|taken| left.remove(self.read_small(length - taken))).collect()
    }

    /// Returns a set of `size` of the numbers 0 to `length` - 1, in ascending order.
    pub(super) fn read_subset(&mut self, length: usize, size: usize) -> Vec<usize> {
        subset(length, size, self.read(&binomial(length.into(), size.into())))
    }
}

/// Composes a number of digits.
#[derive(Default)]
pub(super) struct DigitWriter(Vec<(BigUint, BigUint)>);

impl DigitWriter {
    /// Adds the next digit and its radix.
    pub(super) fn write(&mut self, digit: impl Into<BigUint>, radix: impl Into<BigUint>) {
        self.0.push((digit.into(), radix.into()));
    }

    /// Adds a permutation of 0 to length - 1; `None` if the list is none.
    pub(super) fn write_permutation(&mut self, permutation: &[usize]) -> Option<()> {
        let mut left: Vec<_> = (0..permutation.len()).collect();
        for element in permutation {
            let position = left.iter().position(|other| other == element)?;
            self.write(position, left.len());
            left.remove(position);
        }
        Some(())
    }

    /// Adds a set of numbers below `length`, in ascending order.
    pub(super) fn write_subset(&mut self, length: usize, members: &[usize]) {
        self.write(subset_number(length, members), binomial(BigUint::from(length), members.len().into()));
    }

    /// Returns the number.
    pub(super) fn finish(self) -> BigUint {
        self.0.into_iter().rev().fold(BigUint::zero(), |rest, (digit, radix)| rest * radix + digit)
    }
}

/// Returns the set of `size` numbers below `length` that has this number among all of them.
pub(super) fn subset(length: usize, size: usize, mut number: BigUint) -> Vec<usize> {
    let mut members = vec![];
    for candidate in 0..length {
        let open = size - members.len();
        if open == 0 {
            break;
        }
        // The sets that contain the candidate come first.
        let with = binomial(BigUint::from(length - candidate - 1), BigUint::from(open - 1));
        if number < with {
            members.push(candidate);
        } else {
            number -= with;
        }
    }
    members
}

/// Returns the number of a set among all sets of its size of numbers below `length`.
pub(super) fn subset_number(length: usize, members: &[usize]) -> BigUint {
    let (mut number, mut taken) = (BigUint::zero(), 0);
    for candidate in 0..length {
        match members.get(taken) {
            None => break,
            Some(member) if *member == candidate => taken += 1,
            Some(_) => {
                let rest = BigUint::from(length - candidate - 1);
                number += binomial(rest, BigUint::from(members.len() - taken - 1));
            }
        }
    }
    number
}

/// Returns the product of the numbers from 1 to `number`.
pub(super) fn factorial(number: usize) -> BigUint {
    (1..=number).map(BigUint::from).product()
}

/// Returns the number of sets of `size` numbers below `length`.
pub(super) fn subsets(length: usize, size: usize) -> BigUint {
    if size > length { BigUint::zero() } else { binomial(length.into(), size.into()) }
}
