//! Dimension numbers of scatters: which element each update changes.
use super::{SCATTER_OF_TORCH, place};
use crate::reference::computation::Buffer;
use mdh_dialects::ir::{self, Op};

/// How the axes of the updates, of the indices and of the tensor belong together.
///
/// The axes of the updates are those of the indices but the one with the components of an index, in their order, and
/// among them those of windows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DimensionNumbers {
    /// The axis of the indices along which the components of an index are; their rank if there is one component.
    vector: usize,
    /// By component of an index: the axis of the tensor.
    components: Vec<usize>,
    /// The axes of windows: of the updates, and of the tensor.
    windows: Vec<(usize, usize)>,
    /// Axes of the tensor that have the position of an axis of the indices.
    batches: Vec<(usize, usize)>,
}

impl DimensionNumbers {
    /// Reads the attributes of a scatter on a tensor, indices and updates of these shapes.
    pub(super) fn of(operation: Op<'_>, shapes: [&[usize]; 3]) -> Result<Self, String> {
        let ranks = shapes.map(<[usize]>::len);
        let found = match ir::name(operation) {
            SCATTER_OF_TORCH => ir::attribute(operation, "dimension_map")
                .and_then(ir::dense_array_attribute)
                .and_then(|map| Self::of_torch(&map, ranks)),
            _ => ir::attribute(operation, "scatter_dimension_numbers")
                .and_then(|attribute| Self::of_stablehlo(&attribute.to_string(), ranks)),
        };
        let found = found.filter(|numbers| numbers.is_consistent(shapes));
        let found = found.ok_or("requires dimension numbers that fit its operands")?;
        let [_, indices, updates] = shapes;
        if found.positions(ranks).all(|(update, index)| updates[update] == indices[index]) {
            Ok(found)
        } else {
            Err("requires an index for each update".to_owned())
        }
    }

    /// A list of the axes that the components are indices of. The last axes of the tensor are those of a window.
    fn of_torch(map: &[i64], [tensor, _, updates]: [usize; 3]) -> Option<Self> {
        let components = map.iter().map(|axis| usize::try_from(*axis).ok()).collect::<Option<_>>()?;
        let before = (tensor + 1).checked_sub(updates)?;
        let windows = (1..updates).map(|axis| (axis, before + axis - 1)).collect();
        Some(Self { vector: 1, components, windows, batches: vec![] })
    }

    /// `#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], index_vector_dim = 1>`, and so on. Lists
    /// that are empty may be left out.
    fn of_stablehlo(text: &str, [tensor, ..]: [usize; 3]) -> Option<Self> {
        let fields = text.strip_prefix("#stablehlo.scatter<")?.strip_suffix('>')?;
        let list = |name: &str| -> Option<Vec<usize>> {
            let after = fields.split(',').find_map(|field| {
                let start = field.as_ptr() as usize - fields.as_ptr() as usize;
                let rest = fields[start..].trim_start().strip_prefix(name)?.trim_start().strip_prefix('=')?;
                Some(rest.trim_start())
            });
            let Some(after) = after else { return Some(vec![]) };
            let numbers = match after.strip_prefix('[') {
                Some(after) => after.split_once(']')?.0,
                None => after.split(',').next()?,
            };
            let numbers = numbers.split(',').map(str::trim).filter(|number| !number.is_empty());
            numbers.map(|number| number.parse().ok()).collect()
        };
        let batches = list("input_batching_dims")?;
        let dropped = [list("inserted_window_dims")?, batches.clone()].concat();
        let kept: Vec<_> = (0..tensor).filter(|axis| !dropped.contains(axis)).collect();
        let (windows, of_indices) = (list("update_window_dims")?, list("scatter_indices_batching_dims")?);
        (windows.len() == kept.len() && batches.len() == of_indices.len()).then_some(())?;
        Some(Self {
            vector: list("index_vector_dim")?.first().copied().unwrap_or(0),
            components: list("scatter_dims_to_operand_dims")?,
            windows: windows.into_iter().zip(kept).collect(),
            batches: batches.into_iter().zip(of_indices).collect(),
        })
    }

    /// Returns true if all axes exist, once, and the components are as many as the indices have.
    fn is_consistent(&self, [tensor, indices, updates]: [&[usize]; 3]) -> bool {
        let Self { vector, components, windows, batches } = self;
        let are_below = |axes: &[usize], rank: usize| {
            axes.iter().enumerate().all(|(i, axis)| *axis < rank && !axes[..i].contains(axis))
        };
        let (of_updates, of_tensor): (Vec<_>, Vec<_>) = windows.iter().copied().unzip();
        let (batched, of_indices): (Vec<_>, Vec<_>) = batches.iter().copied().unzip();
        let has_vector = *vector < indices.len();
        *vector <= indices.len()
            && components.len() == if has_vector { indices[*vector] } else { 1 }
            && [components, &of_tensor, &batched].iter().all(|axes| are_below(axes, tensor.len()))
            && are_below(&of_updates, updates.len())
            && are_below(&of_indices, indices.len())
            && !of_indices.contains(vector)
            && updates.len() == windows.len() + indices.len() - usize::from(has_vector)
    }

    /// The axes of the updates but those of windows, with the axes of the indices.
    fn positions(&self, [_, indices, updates]: [usize; 3]) -> impl Iterator<Item = (usize, usize)> {
        let is_window = |axis: &usize| self.windows.iter().any(|(window, _)| window == axis);
        let of_updates = (0..updates).filter(move |axis| !is_window(axis));
        of_updates.zip((0..indices).filter(|axis| *axis != self.vector))
    }

    /// The element that the update at a position changes; its index may be outside of the tensor.
    pub(super) fn index(&self, rank: usize, indices: &Buffer, update: &[usize]) -> Option<Vec<i128>> {
        let shape = &indices.array.shape;
        let mut at = vec![0; shape.len()];
        for (axis, index) in self.positions([rank, shape.len(), update.len()]) {
            at[index] = update[axis] as i128;
        }
        let mut element = vec![0; rank];
        for (axis, other) in &self.batches {
            element[*axis] += at[*other];
        }
        for (axis, other) in &self.windows {
            element[*other] += update[*axis] as i128;
        }
        for (component, axis) in self.components.iter().enumerate() {
            if let Some(vector) = at.get_mut(self.vector) {
                *vector = component as i128;
            }
            element[*axis] += indices.array.element.signed(indices.array.get(place(shape, &at)?));
        }
        Some(element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_any_order() {
        let text = "#stablehlo.scatter<index_vector_dim = 1, update_window_dims = [1, 2], inserted_window_dims = [0], \
                    scatter_dims_to_operand_dims = [0]>";
        let numbers = DimensionNumbers::of_stablehlo(text, [3, 2, 3]).unwrap();
        let expected =
            DimensionNumbers { vector: 1, components: vec![0], windows: vec![(1, 1), (2, 2)], batches: vec![] };
        assert_eq!(numbers, expected);
        assert!(numbers.is_consistent([&[4, 5, 6], &[7, 1], &[7, 5, 6]]));
        assert!(!numbers.is_consistent([&[4, 5, 6], &[7, 2], &[7, 5, 6]]));
        assert!(!numbers.is_consistent([&[4, 5, 6], &[7, 1], &[7, 8, 5, 6]]));
        assert_eq!(DimensionNumbers::of_stablehlo(text, [2, 2, 3]), None);
        assert_eq!(DimensionNumbers::of_torch(&[0, -1], [2, 2, 1]), None);
    }
}
