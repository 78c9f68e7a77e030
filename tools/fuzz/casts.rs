//! Casts between all scalar types, such that both engines must agree on every bit.
use crate::fuzz::{
    program::Scalar,
    scalar::{Value, Writer},
};

impl Writer<'_> {
    /// A value in another type. Floats are narrowed to what the type holds exactly; of integers floats get a few bits.
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
        let value = self.narrow(value, to.exact(), from);
        let name = if from.width() < to.width() {
            self.convert("extf", &value.name, from, to)
        } else if from.width() > to.width() {
            self.convert("truncf", &value.name, from, to)
        } else {
            let wide = self.convert("extf", &value.name, from, Scalar::F32);
            self.convert("truncf", &wide, Scalar::F32, to)
        };
        Value { name, ..value }
    }

    fn cast_integer(&mut self, name: &str, from: Scalar, to: Scalar) -> String {
        // By way of 64 bits: MLIR takes a cast of an index to fewer bits and back for nothing.
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

    /// The three lowest bits as a number from -4 to 3; of i1 as 0 or 1.
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
        Value { name: self.convert("sitofp", &centred, from, to), low: -4.0, high: 3.0 }
    }

    fn cast_to_integer(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        let zero = self.constant(0.0, from);
        let name = if to == Scalar::I1 {
            self.compare("gt", &value.name, &zero, from)
        } else {
            let value = self.narrow(value, 100.0, from);
            // NaN has no integer.
            let number = self.compare("eq", &value.name, &value.name, from);
            let number = self.choose(&number, &[value.name], &[zero], &[from], false).remove(0);
            let target = if to == Scalar::Index { Scalar::I64 } else { to };
            let name = self.convert("fptosi", &number, from, target);
            self.cast_index(name, target, to)
        };
        Value { name, low: -to.exact(), high: to.exact() }
    }

    fn cast_index(&mut self, name: String, from: Scalar, to: Scalar) -> String {
        if from == to { name } else { self.convert("index_cast", &name, from, to) }
    }
}
