//! The parts of complex values.
use mdh_dialects::ir::{self, Op, Val, ValueMap};
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;

/// The real and the imaginary part of a value.
pub(super) type ComplexParts<'c> = [Val<'c>; 2];

/// True if an operation, or one in its regions, has complex values.
pub fn has_complex(root: Op<'_>) -> bool {
    ir::descendants(root).into_iter().any(|operation| {
        let arguments = || ir::blocks(operation).into_iter().flat_map(ir::arguments);
        is_any_complex(&ir::operands(operation))
            || is_any_complex(&ir::results(operation))
            || arguments().any(is_complex)
    })
}

/// True if one of the values is a complex number, or a tensor of them.
pub fn is_any_complex(values: &[Val<'_>]) -> bool {
    values.iter().any(|value| is_complex(*value))
}

pub(super) fn is_complex(value: Val<'_>) -> bool {
    part_type(value.r#type()).is_some()
}

/// The type of the parts of a complex number, or of a tensor of them; `None` for another type.
pub(super) fn part_type(ty: Type<'_>) -> Option<Type<'_>> {
    ir::complex_part(ir::element_type_or_self(ty)).map(|part| ir::with_element(ty, part))
}

/// The types with two parts for each complex one.
pub(super) fn flat_types<'c>(types: &[Type<'c>]) -> Vec<Type<'c>> {
    types.iter().flat_map(|ty| part_type(*ty).map_or_else(|| vec![*ty], |part| vec![part; 2])).collect()
}

/// The new values of the old ones.
#[derive(Default)]
pub(super) struct Splitter<'c> {
    /// By address of a complex value: its parts.
    pairs: HashMap<usize, ComplexParts<'c>>,
    /// Values that are not complex.
    pub(super) values: ValueMap<'c>,
}

impl<'c> Splitter<'c> {
    /// Defines the parts of a complex value.
    pub(super) fn define(&mut self, value: Val<'c>, pair: ComplexParts<'c>) {
        self.pairs.insert(value.to_raw().ptr as usize, pair);
    }

    /// The parts of a complex value; a value that is not complex is both.
    pub(super) fn pair(&self, value: Val<'c>) -> ComplexParts<'c> {
        self.pairs.get(&(value.to_raw().ptr as usize)).copied().unwrap_or_else(|| [self.values.get(value); 2])
    }

    /// The new values, two for a complex one.
    pub(super) fn flat(&self, values: &[Val<'c>]) -> Vec<Val<'c>> {
        let one = |value: &Val<'c>| {
            if is_complex(*value) { self.pair(*value).to_vec() } else { vec![self.values.get(*value)] }
        };
        values.iter().flat_map(one).collect()
    }

    /// Takes new values in place of old ones, two for each complex one.
    pub(super) fn take(&mut self, old: &[Val<'c>], new: &[Val<'c>]) {
        let mut new = new.iter().copied();
        for value in old {
            let Some(first) = new.next() else { return };
            match is_complex(*value) {
                true => self.define(*value, [first, new.next().unwrap_or(first)]),
                false => self.values.extend([(*value, first)]),
            }
        }
    }
}
