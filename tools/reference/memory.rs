//! The buffers of a function, and memrefs, which see all of a buffer or a part of it.
use super::computation::Buffer;
use crate::array::{Array, Slot, strides};
use std::sync::Arc;

/// A value of a function.
#[derive(Clone)]
pub enum Value {
    /// A scalar, and how far an engine's may be from it.
    Scalar(Slot, f64),
    /// A tensor.
    Tensor(Arc<Buffer>),
    /// A memref: the number of a buffer in memory, and what of it is seen; all of it where that is none.
    Memory(usize, Option<Arc<Window>>),
    /// An MDA, which is known by the operations that define it.
    Mda,
}

/// Which elements of a buffer are seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The sizes of what is seen.
    pub shape: Vec<usize>,
    /// The element of the buffer at the origin.
    origin: i128,
    /// By dimension: how many elements of the buffer lie between neighbours.
    steps: Vec<i128>,
}

impl Window {
    /// All of a buffer.
    pub fn whole(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), origin: 0, steps: strides(shape).into_iter().map(|step| step as i128).collect() }
    }

    /// Every so many elements of this window, from an index on. Errors say which dimension ends before.
    pub fn part(&self, offsets: &[i128], sizes: &[i128], every: &[i128]) -> Result<Self, String> {
        let rank = self.shape.len();
        if [offsets.len(), sizes.len(), every.len()] != [rank; 3] {
            return Err(format!("requires an offset, a size and a stride for each of {rank} dimensions"));
        }
        let mut part = Self { shape: vec![], origin: self.origin, steps: vec![] };
        for (d, size) in self.shape.iter().enumerate() {
            let count = usize::try_from(sizes[d]).map_err(|_| format!("size {} is {}", d + 1, sizes[d]))?;
            let last = offsets[d] + (sizes[d] - 1) * every[d];
            let inside = |index: i128| (0..*size as i128).contains(&index);
            if count > 0 && !(inside(offsets[d]) && inside(last)) {
                let (low, high) = (offsets[d].min(last), offsets[d].max(last));
                return Err(format!(
                    "dimension {} has indices 0 to {}, accessed are {low} to {high}",
                    d + 1,
                    *size as i128 - 1
                ));
            }
            // Where there is no element, or no second one, the numbers mean nothing and may have any size.
            part.origin += if count > 0 { offsets[d] * self.steps[d] } else { 0 };
            part.shape.push(count);
            part.steps.push(if count > 1 { every[d] * self.steps[d] } else { 0 });
        }
        Ok(part)
    }

    /// Without the dimensions that are not to be kept, each of which has one index.
    pub fn without(mut self, keep: &[bool]) -> Self {
        let kept = |d: &usize| keep[*d];
        self.steps = (0..keep.len()).filter(kept).map(|d| self.steps[d]).collect();
        self.shape = (0..keep.len()).filter(kept).map(|d| self.shape[d]).collect();
        self
    }

    /// The element of the buffer that is seen as element number `i` in row-major order.
    fn element(&self, mut i: usize) -> usize {
        let mut element = self.origin;
        for (size, step) in self.shape.iter().zip(&self.steps).rev() {
            element += (i % size) as i128 * step;
            i /= size;
        }
        element as usize
    }

    /// What is seen of a buffer, as a buffer of its own. Errors say that no memory has this size.
    pub fn read(&self, buffer: &Buffer) -> Result<Buffer, String> {
        let mut part = Buffer::from(Array::filled(buffer.array.element, &self.shape, 0)?);
        for i in 0..part.array.len() {
            let from = self.element(i);
            part.set(i, buffer.array.get(from), buffer.is_defined(from), buffer.error(from));
        }
        Ok(part)
    }

    /// Replaces what is seen of a buffer.
    pub fn write(&self, buffer: &mut Buffer, part: &Buffer) {
        for i in 0..part.array.len() {
            buffer.set(self.element(i), part.array.get(i), part.is_defined(i), part.error(i));
        }
    }
}

/// The contents of memrefs. What is shared is copied before it is written, so readers see the state at their time.
#[derive(Default)]
pub struct Memory {
    /// By number; none where it has been deallocated.
    buffers: Vec<Option<Arc<Buffer>>>,
}

impl Memory {
    /// A new memref.
    pub fn allocate(&mut self, buffer: Buffer) -> Value {
        self.buffers.push(Some(Arc::new(buffer)));
        Value::Memory(self.buffers.len() - 1, None)
    }

    /// Ends the life of a memref.
    pub fn free(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Memory(number, None) => self.buffers[*number].take().map(drop).ok_or_else(deallocated),
            _ => Err("requires what has been allocated, not a part of it".into()),
        }
    }

    /// What a tensor or memref holds at this time.
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

    /// The sizes of a tensor or memref.
    pub fn shape(&self, value: &Value) -> Result<Vec<usize>, String> {
        match value {
            Value::Memory(_, Some(window)) => Ok(window.shape.clone()),
            _ => self.content(value).map(|buffer| buffer.array.shape.clone()),
        }
    }

    /// What of its buffer a tensor or memref sees.
    pub fn window(&self, value: &Value) -> Result<Window, String> {
        match value {
            Value::Memory(_, Some(window)) => Ok(Window::clone(window)),
            _ => self.shape(value).map(|shape| Window::whole(&shape)),
        }
    }

    /// The element at an index, a window of rank 0.
    pub fn element(&self, value: &Value, index: &[i128]) -> Result<Window, String> {
        let window = self.window(value)?;
        let ones = vec![1; index.len()];
        Ok(window.part(index, &ones, &ones)?.without(&vec![false; index.len()]))
    }

    /// The buffer behind a tensor or memref, of which this may see a part.
    pub fn behind(&self, value: &Value) -> Result<Arc<Buffer>, String> {
        match value {
            Value::Memory(number, _) => self.buffers[*number].clone().ok_or_else(deallocated),
            _ => self.content(value),
        }
    }

    /// Replaces what a window of a tensor or memref shows; returns the value afterwards, which is new for a tensor.
    pub fn replace(&mut self, value: &Value, window: &Window, part: &Buffer) -> Result<Value, String> {
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

    /// Replaces all that a tensor or memref shows; returns the value afterwards, which is new for a tensor.
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
