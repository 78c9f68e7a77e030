//! Casts between all scalar types, written such that both engines must agree on every bit.
//!
//! To test rounding, casts to narrower float types also add a small integer that depends on the rounding of inexact
//! values.
use crate::fuzz::{
    program::Scalar,
    scalar::{Value, Writer},
};

impl Writer<'_> {
    /// Casts a value to another type. Floats are clamped to the exact range of another type of floats; floats are made of
    /// a few bits of an integer.
    pub(super) fn cast(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        if from == to {
            return value;
        }
        match (from.is_float(), to.is_float()) {
            (true, true) => self.cast_float(value, from, to),
            (false, false) => {
                Value { name: self.cast_integer(&value.name, from, to), low: -to.exact(), high: to.exact() }
            }
            (false, true) => self.cast_to_float(&value.name, from, to),
            (true, false) => self.cast_to_integer(value, from, to),
        }
    }

    fn convert(&mut self, operation: &str, name: &str, from: Scalar, to: Scalar) -> String {
        self.define(&format!("arith.{operation} {name} : {} to {}", from.name(), to.name()))
    }

    fn cast_float(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        if from.width() > to.width() {
            // The rounding term is at most 1.
            let value = self.narrow(value, to.exact() - 1.0, from);
            let name = self.convert("truncf", &value.name, from, to);
            let rounded = self.round_float(&value, from, to);
            let name = self.arithmetic("add", &name, &rounded, to);
            return Value { name, high: value.high + 1.0, ..value };
        }
        let value = self.narrow(value, to.exact(), from);
        let name = if from.width() < to.width() {
            self.convert("extf", &value.name, from, to)
        } else {
            let wide = self.convert("extf", &value.name, from, Scalar::F32);
            self.convert("truncf", &wide, Scalar::F32, to)
        };
        Value { name, ..value }
    }

    /// Rounds the midpoint between 1 and the next number plus a tiny multiple of the value: 1 if rounded up, 0 if
    /// rounded down.
    fn round_float(&mut self, value: &Value, from: Scalar, to: Scalar) -> String {
        let ulp = 2.0 / to.exact();
        let value = self.narrow(value.clone(), 4.0, from);
        let tiny = self.constant(if from == Scalar::F64 { 2f64.powi(-45) } else { 2f64.powi(-20) }, from);
        let halfway = self.constant(1.0 + ulp / 2.0, from);
        let tiny = self.arithmetic("mul", &value.name, &tiny, from);
        let near = self.arithmetic("add", &halfway, &tiny, from);
        let rounded = self.convert("truncf", &near, from, to);
        self.ulps(&rounded, "sub", 1.0, ulp, to)
    }

    /// The difference or sum of a float and a number, in ulps.
    fn ulps(&mut self, name: &str, operation: &str, number: f64, ulp: f64, t: Scalar) -> String {
        let (number, inverse) = (self.constant(number, t), self.constant(1.0 / ulp, t));
        let distance = self.arithmetic(operation, name, &number, t);
        self.arithmetic("mul", &distance, &inverse, t)
    }

    fn cast_integer(&mut self, name: &str, from: Scalar, to: Scalar) -> String {
        // Through 64 bits, because MLIR folds a cast of an index to fewer bits and back.
        if from == Scalar::Index {
            let wide = self.convert("index_cast", name, from, Scalar::I64);
            return if to == Scalar::I64 { wide } else { self.convert("trunci", &wide, Scalar::I64, to) };
        }
        if to == Scalar::Index {
            let wide =
                if from == Scalar::I64 { name.to_owned() } else { self.convert("extsi", name, from, Scalar::I64) };
            return self.convert("index_cast", &wide, Scalar::I64, to);
        }
        self.convert(if from.width() < to.width() { "extsi" } else { "trunci" }, name, from, to)
    }

    /// The three lowest bits as a number from -4 to 3, plus the rounding of larger integers that depend on these bits;
    /// for i1, 0 or 1.
    fn cast_to_float(&mut self, name: &str, from: Scalar, to: Scalar) -> Value {
        if from == Scalar::I1 {
            return Value { name: self.convert("uitofp", name, from, to), low: 0.0, high: 1.0 };
        }
        let name = match from {
            Scalar::Index => self.convert("index_cast", name, from, Scalar::I64),
            _ => name.to_owned(),
        };
        let from = if from == Scalar::Index { Scalar::I64 } else { from };
        let (mask, middle) = (self.integer(7, from), self.integer(4, from));
        let low = self.arithmetic("and", &name, &mask, from);
        let centred = self.arithmetic("sub", &low, &middle, from);
        let name = self.convert("sitofp", &centred, from, to);
        match self.round_integer(&low, from, to) {
            None => Value { name, low: -4.0, high: 3.0 },
            Some(rounded) => Value { name: self.arithmetic("add", &name, &rounded, to), low: -4.0, high: 7.0 },
        }
    }

    /// The rounding of integers near the two midpoints between the first three floats from a power of two, and of their
    /// negatives: 0 to 4. `None` if the integer type does not have such integers.
    fn round_integer(&mut self, bits: &str, from: Scalar, to: Scalar) -> Option<String> {
        let largest = if to == Scalar::F16 { 15 } else { 62 };
        let power = 2f64.powi(largest.min(from.width() as i32 - 2));
        let ulp = power * 2.0 / to.exact();
        // The integers next to a midpoint must not be midpoints themselves.
        if ulp < 8.0 {
            return None;
        }
        let (choice, factor) = (self.integer(4, from), self.integer(ulp as i64 / 4, from));
        let choice = self.arithmetic("and", bits, &choice, from);
        let upper = self.arithmetic("mul", &choice, &factor, from);
        let (mask, halfway) = (self.integer(3, from), self.integer(power as i64 + ulp as i64 / 2 - 1, from));
        let offset = self.arithmetic("and", bits, &mask, from);
        let near = self.arithmetic("add", &halfway, &offset, from);
        let near = self.arithmetic("add", &near, &upper, from);
        let zero = self.integer(0, from);
        let negative = self.arithmetic("sub", &zero, &near, from);
        let above = self.convert("uitofp", &near, from, to);
        let below = self.convert("sitofp", &negative, from, to);
        let above = self.ulps(&above, "sub", power, ulp, to);
        let below = self.ulps(&below, "add", power, ulp, to);
        Some(self.arithmetic("sub", &above, &below, to))
    }

    /// The integers of the value, as a signed and an unsigned one, and of a multiple, which is out of range of most types.
    fn cast_to_integer(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        let target = if to == Scalar::Index { Scalar::I64 } else { to };
        let factor = self.constant(if from == Scalar::F16 { 2f64.powi(12) } else { 2f64.powi(30) }, from);
        let large = self.arithmetic("mul", &value.name, &factor, from);
        let mut name = self.convert("fptosi", &value.name, from, target);
        for (operation, number) in [("fptoui", &value.name), ("fptosi", &large), ("fptoui", &large)] {
            let other = self.convert(operation, number, from, target);
            name = self.arithmetic("xor", &name, &other, target);
        }
        Value { name: self.cast_index(name, target, to), low: -to.exact(), high: to.exact() }
    }

    fn cast_index(&mut self, name: String, from: Scalar, to: Scalar) -> String {
        if from == to { name } else { self.convert("index_cast", &name, from, to) }
    }
}
