//! Tensors of static sizes, and changes of their shapes.
use super::{
    attributes::{array_attribute, integer_attribute},
    builder::Builder,
    handles::{Op, Val, attribute},
    types::{element_type_or_self, shape},
};
use melior::ir::{Attribute, Type, ValueLike, r#type::RankedTensorType};

/// The attribute of the groups of axes.
const REASSOCIATION: &str = "reassociation";

impl<'c> Builder<'c> {
    /// The type of a tensor with these sizes.
    pub fn tensor(&self, sizes: &[i64], element: Type<'c>) -> Type<'c> {
        let sizes: Vec<_> = sizes.iter().map(|size| size.unsigned_abs()).collect();
        RankedTensorType::new(&sizes, element, None).into()
    }

    /// The part of a tensor at these offsets with these sizes.
    pub fn slice(&self, tensor: Val<'c>, offsets: &[i64], sizes: &[i64]) -> Val<'c> {
        let attributes = [
            ("static_offsets", self.numbers(offsets)),
            ("static_sizes", self.numbers(sizes)),
            ("static_strides", self.numbers(&vec![1; sizes.len()])),
            self.segments(&[1, 0, 0, 0]),
        ];
        let ty = self.tensor(sizes, element_type_or_self(tensor.r#type()));
        self.value("tensor.extract_slice", &[tensor], ty, &attributes)
    }

    /// The tensor with the axes of each group joined.
    pub fn collapsed(&self, tensor: Val<'c>, groups: &[Vec<usize>]) -> Val<'c> {
        let own = sizes(tensor.r#type());
        let joined: Vec<_> = groups.iter().map(|group| group.iter().map(|axis| own[*axis]).product()).collect();
        let ty = self.tensor(&joined, element_type_or_self(tensor.r#type()));
        self.value("tensor.collapse_shape", &[tensor], ty, &[self.reassociation(groups)])
    }

    /// The tensor of another type, each of whose groups of axes is one axis of this tensor.
    pub fn expanded(&self, tensor: Val<'c>, groups: &[Vec<usize>], ty: Type<'c>) -> Val<'c> {
        let attributes = [self.reassociation(groups), ("static_output_shape", self.numbers(&sizes(ty)))];
        self.value("tensor.expand_shape", &[tensor], ty, &attributes)
    }

    /// The attribute of an operation that collapses or expands these groups of axes.
    pub fn reassociation(&self, groups: &[Vec<usize>]) -> (&'static str, Attribute<'c>) {
        let group = |axes: &Vec<usize>| {
            let axes: Vec<_> = axes.iter().map(|axis| self.i64_number(*axis as i64)).collect();
            self.array(&axes)
        };
        (REASSOCIATION, self.array(&groups.iter().map(group).collect::<Vec<_>>()))
    }
}

/// The groups of axes of an operation that collapses or expands a shape.
pub fn groups(operation: Op<'_>) -> Option<Vec<Vec<usize>>> {
    let groups = array_attribute(attribute(operation, REASSOCIATION)?)?;
    let axis = |axis| usize::try_from(integer_attribute(axis)?).ok();
    groups.into_iter().map(|group| array_attribute(group)?.into_iter().map(axis).collect()).collect()
}

/// The sizes of a type whose sizes are static.
fn sizes(ty: Type<'_>) -> Vec<i64> {
    shape(ty).into_iter().flatten().map(|size| size.map_or(0, |size| size as i64)).collect()
}
