//! The memory of a function: buffers, and memrefs that view a buffer or a part of it.
use super::computation::Buffer;
use crate::array::{Array, Slot, strides};
use std::sync::Arc;

/// A value of a function.
#[derive(Clone)]
pub enum Value {
    /// A scalar, and its error bound.
    Scalar(Slot, f64),
    /// A tensor.
    Tensor(Arc<Buffer>),
    /// A memref: the index of its buffer, and the window that it views; `None` for the whole buffer.
    Memory(usize, Option<Arc<BufferView>>),
    /// An MDA, which is represented by its defining operations.
    Mda,
}

/// A strided view of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferView {
    /// The shape of the view.
    pub shape: Vec<usize>,
    /// The element of the buffer at the view's origin.
    origin: i128,
    /// The stride of each dimension, in elements of the buffer.
    steps: Vec<i128>,
}

impl BufferView {
    /// The view of a whole buffer.
    pub fn whole(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), origin: 0, steps: strides(shape).into_iter().map(|step| step as i128).collect() }
    }

    /// The subview with the given offsets, sizes and strides. The error names a dimension that is accessed out of
    /// bounds.
    pub fn part(&self, offsets: &[i128], sizes: &[i128], every: &[i128]) -> Result<Self, String> {
        let rank = self.shape.len();
        if [offsets.len(), sizes.len(), every.len()] != [rank; 3] {
            return Err(format!("requires an offset, a size and a stride for each of {rank} dimensions"));
        }
        let is_empty = sizes.contains(&0);
        let mut part = Self { shape: vec![], origin: self.origin, steps: vec![] };
        for (d, size) in self.shape.iter().enumerate() {
            let count = usize::try_from(sizes[d]).map_err(|_| format!("size {} is {}", d + 1, sizes[d]))?;
            let last = offsets[d] + (sizes[d] - 1) * every[d];
            let inside = |index: i128| (0..*size as i128).contains(&index);
            if !(is_empty || inside(offsets[d]) && inside(last)) {
                let (low, high) = (offsets[d].min(last), offsets[d].max(last));
                return Err(format!(
                    "dimension {} has indices 0 to {}, accessed are {low} to {high}",
                    d + 1,
                    *size as i128 - 1
                ));
            }
            // With no element, or only one, the offset or stride is irrelevant and may have any value.
            part.origin += if !is_empty { offsets[d] * self.steps[d] } else { 0 };
            part.shape.push(count);
            part.steps.push(if count > 1 { every[d] * self.steps[d] } else { 0 });
        }
        Ok(part)
    }

    /// Drops the dimensions for which `keep` is false; each of them has one index.
    pub fn without(mut self, keep: &[bool]) -> Self {
        let kept = |d: &usize| keep[*d];
        self.steps = (0..keep.len()).filter(kept).map(|d| self.steps[d]).collect();
        self.shape = (0..keep.len()).filter(kept).map(|d| self.shape[d]).collect();
        self
    }

    /// The view with this origin, shape and strides of a buffer of so many elements; `None` if it has elements outside.
    pub fn of(origin: i128, shape: Vec<usize>, steps: Vec<i128>, length: usize) -> Option<Self> {
        let (mut first, mut last) = (origin, origin);
        for (size, step) in shape.iter().zip(&steps) {
            let reach = step.checked_mul((*size).saturating_sub(1) as i128)?;
            first = first.checked_add(reach.min(0))?;
            last = last.checked_add(reach.max(0))?;
        }
        let is_inside = shape.contains(&0) || first >= 0 && last < length as i128;
        (is_inside && shape.len() == steps.len()).then_some(Self { shape, origin, steps })
    }

    /// The origin, the sizes and the strides.
    pub fn numbers(&self) -> Vec<i128> {
        let sizes = self.shape.iter().map(|size| *size as i128);
        [self.origin].into_iter().chain(sizes).chain(self.steps.iter().copied()).collect()
    }

    /// The view with its dimensions in another order; `None` if it has others.
    pub fn permuted(&self, order: &[usize]) -> Option<Self> {
        let shape = order.iter().map(|d| self.shape.get(*d).copied()).collect::<Option<_>>()?;
        let steps = order.iter().map(|d| self.steps.get(*d).copied()).collect::<Option<_>>()?;
        (order.len() == self.shape.len()).then_some(Self { shape, steps, origin: self.origin })
    }

    /// The view in which each group of dimensions is one; `None` if the elements of a group are not evenly spaced.
    pub fn collapsed(&self, groups: &[Vec<usize>]) -> Option<Self> {
        let mut result = Self { shape: vec![], origin: self.origin, steps: vec![] };
        for group in groups {
            let (mut size, mut step) = (1, 1);
            for d in group.iter().rev() {
                let (own, own_step) = (*self.shape.get(*d)?, self.steps[*d]);
                if size == 1 {
                    step = own_step;
                } else if own > 1 && own_step != step * size as i128 {
                    return None;
                }
                size *= own;
            }
            result.shape.push(size);
            result.steps.push(step);
        }
        Some(result)
    }

    /// The view in which each dimension is a group of dimensions of `shape`; `None` if it has other sizes.
    pub fn expanded(&self, groups: &[Vec<usize>], shape: &[usize]) -> Option<Self> {
        let mut steps = vec![0; shape.len()];
        for (d, group) in groups.iter().enumerate() {
            let mut step = *self.steps.get(d)?;
            let mut size = 1;
            for inner in group.iter().rev() {
                *steps.get_mut(*inner)? = step;
                size *= shape[*inner];
                step *= shape[*inner] as i128;
            }
            (size == self.shape[d]).then_some(())?;
        }
        (groups.len() == self.shape.len()).then_some(Self { shape: shape.to_vec(), origin: self.origin, steps })
    }

    /// The element of the buffer at the view's element number `i` in row-major order.
    fn element(&self, mut i: usize) -> usize {
        let mut element = self.origin;
        for (size, step) in self.shape.iter().zip(&self.steps).rev() {
            element += (i % size) as i128 * step;
            i /= size;
        }
        element as usize
    }

    /// Copies the viewed elements to a new buffer. Fails if it is too large for memory.
    pub fn read(&self, buffer: &Buffer) -> Result<Buffer, String> {
        let mut part = Buffer::from(Array::filled(buffer.array.element, &self.shape, 0)?);
        for i in 0..part.array.len() {
            let from = self.element(i);
            part.set(i, buffer.array.get(from), buffer.is_defined(from), buffer.error(from));
        }
        Ok(part)
    }

    /// Overwrites the viewed elements.
    pub fn write(&self, buffer: &mut Buffer, part: &Buffer) {
        for i in 0..part.array.len() {
            buffer.set(self.element(i), part.array.get(i), part.is_defined(i), part.error(i));
        }
    }
}

/// The contents of memrefs. Shared contents are copied on write, so readers keep a snapshot.
#[derive(Default)]
pub struct BufferMemory {
    /// The buffers by index; `None` for deallocated ones.
    buffers: Vec<Option<Arc<Buffer>>>,
}

impl BufferMemory {
    /// Allocates a memref with the given contents.
    pub fn allocate(&mut self, buffer: Buffer) -> Value {
        self.buffers.push(Some(Arc::new(buffer)));
        Value::Memory(self.buffers.len() - 1, None)
    }

    /// Deallocates a memref.
    pub fn free(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Memory(number, None) => self.buffers[*number].take().map(drop).ok_or_else(deallocated),
            _ => Err("requires an allocated buffer, not a view of one".into()),
        }
    }

    /// The current contents of a tensor or memref.
    pub fn content(&self, value: &Value) -> Result<Arc<Buffer>, String> {
        match value {
            Value::Tensor(buffer) => Ok(buffer.clone()),
            Value::Memory(number, window) => {
                let buffer = self.buffers[*number].as_ref().ok_or_else(deallocated)?;
                window.as_ref().map_or_else(|| Ok(buffer.clone()), |window| window.read(buffer).map(Arc::new))
            }
            Value::Scalar(..) | Value::Mda => Err("requires a buffer".into()),
        }
    }

    /// The shape of a tensor or memref.
    pub fn shape(&self, value: &Value) -> Result<Vec<usize>, String> {
        match value {
            Value::Memory(_, Some(window)) => Ok(window.shape.clone()),
            _ => self.content(value).map(|buffer| buffer.array.shape.clone()),
        }
    }

    /// The window of its buffer that a tensor or memref views.
    pub fn window(&self, value: &Value) -> Result<BufferView, String> {
        match value {
            Value::Memory(_, Some(window)) => Ok(BufferView::clone(window)),
            _ => self.shape(value).map(|shape| BufferView::whole(&shape)),
        }
    }

    /// The element at an index, a window of rank 0.
    pub fn element(&self, value: &Value, index: &[i128]) -> Result<BufferView, String> {
        let window = self.window(value)?;
        let ones = vec![1; index.len()];
        Ok(window.part(index, &ones, &ones)?.without(&vec![false; index.len()]))
    }

    /// The underlying buffer of a tensor or memref, which may view only a part of it.
    pub fn underlying(&self, value: &Value) -> Result<Arc<Buffer>, String> {
        match value {
            Value::Memory(number, _) => self.buffers[*number].clone().ok_or_else(deallocated),
            _ => self.content(value),
        }
    }

    /// Overwrites a window of a tensor or memref; returns the value afterwards, which is new for a tensor.
    pub fn replace(&mut self, value: &Value, window: &BufferView, part: &Buffer) -> Result<Value, String> {
        match value {
            Value::Memory(number, _) => {
                let buffer = self.buffers[*number].as_mut().ok_or_else(deallocated)?;
                window.write(Arc::make_mut(buffer), part);
                Ok(value.clone())
            }
            _ => {
                let mut buffer = Buffer::clone(&*self.content(value)?);
                window.write(&mut buffer, part);
                Ok(Value::Tensor(Arc::new(buffer)))
            }
        }
    }

    /// Overwrites all elements of a tensor or memref; returns the value afterwards, which is new for a tensor.
    pub fn write(&mut self, value: &Value, content: Arc<Buffer>) -> Result<Value, String> {
        match value {
            Value::Memory(number, None) => {
                *self.buffers[*number].as_mut().ok_or_else(deallocated)? = content;
                Ok(value.clone())
            }
            Value::Memory(_, Some(window)) => self.replace(value, &window.clone(), &content),
            _ => Ok(Value::Tensor(content)),
        }
    }
}

fn deallocated() -> String {
    "uses memory that has been deallocated".into()
}
