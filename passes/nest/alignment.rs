//! Alignment of the addresses of loads and stores in the memory of a device, by the powers of two that divide indices.
//!
//! ```text
//! store %0 to device output 1[4 * block.x, 8 * thread.x]     ──▶   aligned to 16 bytes, for rows of 32 x f32
//! ```
//!
//! LLVM turns accesses of adjacent elements into one access if it knows the alignment of the first one. It looks at sums
//! of six terms at most, which indices of many levels and dimensions exceed.
use super::tree::{Array, Binary, Block, Buffer, Nest, Operation, Statement, Storage, Value};

/// Bytes of the widest access, to which buffers of devices are aligned.
const WIDEST: i64 = 16;

/// The alignment of accesses in a nest.
pub struct Alignment<'n> {
    nest: &'n Nest,
    /// By value: a power of two that divides it, at most [`WIDEST`].
    divisors: Vec<i64>,
    /// By buffer: true if it is memory of a device.
    is_of_device: Vec<bool>,
}

impl<'n> Alignment<'n> {
    /// Analyzes a nest.
    pub fn new(nest: &'n Nest) -> Self {
        let (divisors, is_of_device) = (vec![1; nest.types.len()], vec![false; nest.buffers.len()]);
        let mut found = Self { nest, divisors, is_of_device };
        found.block(Nest::BODY);
        found
    }

    /// The alignment in bytes of the element at these indices of a buffer; `None` if it is not known to be larger than
    /// the element.
    pub fn of(&self, buffer: Buffer, indices: &[Value]) -> Option<i64> {
        let array = self.nest.array(buffer);
        if !self.is_of_device[buffer.0 as usize] {
            return None;
        }
        let bytes = i64::try_from(array.element.bytes()).ok()?;
        let aligned = bytes.checked_mul(self.elements(array, indices)?)?;
        (aligned > bytes).then(|| power_of_two(aligned))
    }

    /// A power of two that divides the position of an element, counted in elements.
    fn elements(&self, array: &Array, indices: &[Value]) -> Option<i64> {
        let (strides, offset) = array.strides()?;
        let terms = strides.into_iter().zip(indices).map(|(stride, index)| {
            // Rows of unknown length start at any element, except the first one.
            stride.map_or(1, power_of_two).max(1).saturating_mul(self.divisor(*index))
        });
        Some(terms.fold(power_of_two(offset?), i64::min))
    }

    fn divisor(&self, value: Value) -> i64 {
        self.divisors[value.0 as usize]
    }

    fn block(&mut self, block: Block) {
        let nest = self.nest;
        nest.block(block).iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.operation {
            Operation::Allocate(buffer, Storage::Device(_)) => self.is_of_device[buffer.0 as usize] = true,
            Operation::Loop(of) | Operation::Parallel(of) => {
                let [first, step] = [0, 2].map(|operand| self.divisor(statement.operands[operand]));
                self.divisors[of.index.0 as usize] = first.min(step);
                self.block(of.body);
            }
            Operation::If { then, otherwise } => [*then, *otherwise].into_iter().for_each(|block| self.block(block)),
            Operation::Group(_, block) => self.block(*block),
            Operation::Kernel(kernel) => self.block(kernel.body),
            operation => {
                let operands: Vec<_> = statement.operands.iter().map(|value| self.divisor(*value)).collect();
                if let Some((result, divisor)) = statement.results.first().zip(computed(operation, &operands)) {
                    self.divisors[result.0 as usize] = divisor.clamp(1, WIDEST);
                }
            }
        }
    }
}

/// A power of two that divides the result of an operation on operands with these divisors; `None` if only 1 is known.
fn computed(operation: &Operation, operands: &[i64]) -> Option<i64> {
    match operation {
        Operation::Constant(number) => Some(power_of_two(*number)),
        Operation::Zero => Some(WIDEST),
        Operation::Cast | Operation::SignedCast => operands.first().copied(),
        Operation::Select => operands.get(1).zip(operands.get(2)).map(|(a, b)| *a.min(b)),
        Operation::Binary(binary) => match (binary, operands) {
            (Binary::Multiply, [a, b]) => Some(a.saturating_mul(*b)),
            (Binary::And, [a, b]) => Some(*a.max(b)),
            (Binary::CeilDivide | Binary::Divide, _) => None,
            (_, [a, b]) => Some(*a.min(b)),
            _ => None,
        },
        _ => None,
    }
}

/// The largest power of two that divides a number, at most [`WIDEST`].
fn power_of_two(number: i64) -> i64 {
    if number == 0 { WIDEST } else { (1 << number.trailing_zeros().min(62)).min(WIDEST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_of_sums_and_products_are_powers_of_two() {
        assert_eq!([0, 1, 12, -4, 480].map(power_of_two), [16, 1, 4, 4, 16]);
        let binary = |binary, a, b| computed(&Operation::Binary(binary), &[a, b]);
        assert_eq!(binary(Binary::Multiply, 4, 2), Some(8));
        assert_eq!(binary(Binary::Add, 4, 2), Some(2));
        assert_eq!(binary(Binary::Minimum, 8, 16), Some(8));
        assert_eq!(binary(Binary::Remainder, 8, 4), Some(4));
        assert_eq!(binary(Binary::Divide, 8, 4), None);
        assert_eq!(binary(Binary::And, 1, 4), Some(4));
        assert_eq!(computed(&Operation::Load(Buffer(0)), &[4]), None);
    }
}
