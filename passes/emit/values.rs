//! Constants, arithmetic on integers, and types.
use super::emission::{Emission, Named};
use crate::nest::{
    tree::{Array, Binary, Buffer, Layout, MemorySpace},
    types::{self, Element},
};
use mdh_dialects::ir::{AddressSpace, Builder, DYNAMIC, FloatType};
use melior::ir::Type;

/// The name of the `arith` operation of a binary operation on integers.
pub fn name(binary: Binary) -> &'static str {
    match binary {
        Binary::Add => "arith.addi",
        Binary::Subtract => "arith.subi",
        Binary::Multiply => "arith.muli",
        Binary::Minimum => "arith.minsi",
        Binary::Maximum => "arith.maxsi",
        Binary::CeilDivide => "arith.ceildivsi",
        Binary::Divide => "arith.divui",
        Binary::Remainder => "arith.remui",
        Binary::And => "arith.andi",
    }
}

/// The `static_position` attribute of a lane; `DYNAMIC`, the least integer, if the lane is an operand.
pub(super) fn position<'c>(b: &Builder<'c>, lane: Option<i64>) -> Named<'c> {
    ("static_position", b.numbers(&[lane.unwrap_or(DYNAMIC)]))
}

impl<'c> Emission<'_, 'c> {
    /// Converts a type of the nest to an MLIR type.
    pub(super) fn r#type(&self, b: &Builder<'c>, ty: types::Type) -> Type<'c> {
        match ty {
            types::Type::Scalar(element) => self.element(b, element),
            types::Type::Vector(lanes, element) => b.vector(lanes, self.element(b, element)),
            types::Type::Copies => b.copy_token(),
        }
    }

    /// Converts an element type of the nest to an MLIR type.
    fn element(&self, b: &Builder<'c>, element: Element) -> Type<'c> {
        match element {
            Element::Index => b.index(),
            Element::Integer(bits) => b.integer(bits),
            Element::Float(FloatType::F16) => b.f16(),
            Element::Float(FloatType::Bf16) => b.bf16(),
            Element::Float(FloatType::F32) => b.f32(),
            Element::Float(FloatType::F64) => b.f64(),
            Element::Other(number) => self.program.types[number as usize],
        }
    }

    /// The type of a buffer that the nest allocates.
    pub(super) fn memref(&self, b: &Builder<'c>, buffer: Buffer) -> Type<'c> {
        let Array { element, sizes, layout, space } = self.nest.array(buffer);
        let (element, known) = (self.element(b, *element), |number: &Option<i64>| number.map(|number| number as u64));
        match (layout, space) {
            (Layout::RowMajor, MemorySpace::Global) => b.memref(sizes, element, None),
            (Layout::RowMajor, MemorySpace::Shared) => b.memref(sizes, element, Some(AddressSpace::Workgroup)),
            (Layout::RowMajor, MemorySpace::Private) => b.memref(sizes, element, Some(AddressSpace::Private)),
            (Layout::Strided { strides, offset }, MemorySpace::Global) => {
                let strides: Vec<_> = strides.iter().map(known).collect();
                b.memref_with_strides(sizes, element, &strides, *offset == Some(0))
            }
            _ => unreachable!("{buffer:?} is one that only the user has"),
        }
    }
}
