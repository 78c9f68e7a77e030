//! Signatures of compiled functions.
use crate::array::Element;
use serde::{Deserialize, Serialize};

/// The name, arguments and results of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The name of the function.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Parameter>,
    /// Its results.
    pub results: Vec<Parameter>,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The element type.
    pub element: Element,
    /// The sizes of a buffer, `None` for dynamic ones; no shape for a scalar.
    pub shape: Option<Vec<Option<u64>>>,
    /// True if the function may write to it: a memref that is not only read, or a tensor with `bufferization.writable = true`.
    pub in_place: bool,
    /// True if the last dimension has the real and the imaginary part of complex numbers.
    pub is_complex: bool,
}

impl Parameter {
    /// True if an array of these sizes has the shape of the parameter; a scalar has none.
    pub fn fits<T: Copy + TryInto<u64>>(&self, sizes: &[T]) -> bool {
        let wanted = self.shape.as_deref().unwrap_or_default();
        let is_size =
            |(wanted, size): (&Option<u64>, &T)| wanted.is_none_or(|wanted| (*size).try_into().ok() == Some(wanted));
        wanted.len() == sizes.len() && wanted.iter().zip(sizes).all(is_size)
    }

    /// The MLIR type; a buffer is shown as a tensor.
    pub fn r#type(&self) -> String {
        let tensor = |shape: &[Option<u64>], element: &str| {
            let sizes: String =
                shape.iter().map(|size| size.map_or("?x".to_owned(), |size| format!("{size}x"))).collect();
            format!("tensor<{sizes}{element}>")
        };
        let element = self.element.to_string();
        match self.shape.as_deref() {
            None => element,
            Some([shape @ .., _]) if self.is_complex => tensor(shape, &format!("complex<{element}>")),
            Some(shape) => tensor(shape, &element),
        }
    }
}
