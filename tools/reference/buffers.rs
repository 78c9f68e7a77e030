//! Operations on tensors and memrefs in the code around computations.
use super::{
    Evaluator, Results, Values, check_shape,
    computation::Buffer,
    memory::{BufferView, Value},
    packs, prepare,
    scalar::Failure,
    single_result, unregistered,
};
use crate::array::{Array, Element, Slot};
use mdh_dialects::ir::{self, Op, Val};
use melior::ir::{Attribute, TypeLike, ValueLike};
use std::sync::Arc;

impl Evaluator<'_> {
    /// Executes an operation on tensors or memrefs; returns the values of its results.
    pub(super) fn buffers<'c>(&mut self, operation: Op<'c>, operands: &[Value], values: &mut Values<'c>) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        let value = |i: usize| operand(operation, operands, i);
        match ir::name(operation) {
            "arith.constant" => {
                let constant = ir::attribute(operation, "value").ok_or_else(|| fail("requires a value".into()))?;
                Ok(vec![Value::Tensor(Arc::new(dense(constant, single_result(operation)?, operation)?.into()))])
            }
            "memref.get_global" => Ok(vec![self.global(operation)?]),
            // The copied tensor is an immutable value, so it can be shared.
            "bufferization.alloc_tensor" if matches!(operands.last(), Some(Value::Tensor(_))) => {
                Ok(operands.last().cloned().into_iter().collect())
            }
            "memref.alloc" | "memref.alloca" | "tensor.empty" | "bufferization.alloc_tensor" => {
                Ok(vec![self.allocated(operation, operands)?])
            }
            "memref.dealloc" => self.memory.free(value(0)?).map(|()| vec![]).map_err(fail),
            "memref.dim" | "tensor.dim" => Ok(vec![self.size(operation, value(0)?, value(1)?)?]),
            "memref.cast" | "memref.assume_alignment" | "memref.memory_space_cast" | "tensor.cast" => {
                let source = value(0)?.clone();
                check_shape(single_result(operation)?, self.memory.shape(&source).ok(), operation)?;
                Ok(vec![source])
            }
            "memref.copy" => {
                let source = self.copied(operation, value(0)?, value(1)?)?;
                self.memory.write(value(1)?, source).map(|_| vec![]).map_err(fail)
            }
            "bufferization.materialize_in_destination" => {
                let content = self.copied(operation, value(0)?, value(1)?)?;
                self.written(operation, value(1)?, None, Buffer::clone(&content))
            }
            "bufferization.to_tensor" => Ok(vec![Value::Tensor(self.memory.content(value(0)?).map_err(fail)?)]),
            "bufferization.to_buffer" | "bufferization.clone" => {
                let content = self.memory.content(value(0)?).map_err(fail)?;
                Ok(vec![self.memory.allocate(Buffer::clone(&content))])
            }
            "linalg.fill" => self.fill(operation, value(0)?, value(1)?),
            "memref.load" | "tensor.extract" => Ok(vec![self.loaded(operation, value(0)?, &operands[1..])?]),
            "memref.store" | "tensor.insert" => {
                let (slot, error) = scalar(operation, value(0)?)?;
                let at = self.memory.element(value(1)?, &indices(&operands[2..])).map_err(fail)?;
                let element = prepare::buffer_element(ir::operands(operation)[1], operation)?;
                let mut content = Buffer::from(Array::scalar(element, slot));
                content.errors = Some(vec![error]);
                self.written(operation, value(1)?, Some(at), content)
            }
            "memref.subview" => {
                let window = self.memory.window(value(0)?).map_err(fail)?;
                let part = part(operation, &window, &operands[1..], single_result(operation)?)?;
                let Value::Memory(number, _) = value(0)? else { return Err(fail("requires a memref".into())) };
                Ok(vec![Value::Memory(*number, Some(Arc::new(part)))])
            }
            "tensor.extract_slice" => {
                let source = self.memory.content(value(0)?).map_err(fail)?;
                let window = BufferView::whole(&source.array.shape);
                let part = part(operation, &window, &operands[1..], single_result(operation)?)?;
                Ok(vec![Value::Tensor(Arc::new(part.read(&source).map_err(fail)?))])
            }
            "tensor.insert_slice" => Ok(vec![self.inserted(operation, value(0)?, value(1)?, &operands[2..])?]),
            unregistered::SCAN => self.scan(operation, operands, values),
            unregistered::REDUCE_WINDOW => self.reduce_window(operation, operands, values),
            name if unregistered::SCATTERS.contains(&name) => self.scatter(operation, operands, values),
            packs::PACK | packs::UNPACK => self.tiles(operation, operands),
            name if name.starts_with("linalg.") => self.structured(operation, operands, values),
            _ => match self.aliases(operation, operands) {
                Some(values) => values,
                None => self.tensors(operation, operands, values),
            },
        }
    }

    /// A new tensor or memref, whose elements are undefined. `sizes`: those of its dynamic dimensions.
    fn allocated(&mut self, operation: Op<'_>, sizes: &[Value]) -> Result<Value, Failure> {
        let fail = |message: String| Failure::at(operation, message);
        let result = single_result(operation)?;
        let sizes = sizes.iter().map(|size| usize::try_from(index(size)?).ok()).collect::<Option<Vec<_>>>();
        let mut sizes = sizes.ok_or_else(|| fail("requires sizes that are not negative".into()))?.into_iter();
        let shape: Option<Vec<_>> = ir::shape(result.r#type())
            .unwrap_or_default()
            .into_iter()
            .map(|size| size.map(|size| size as usize).or_else(|| sizes.next()))
            .collect();
        let shape = shape.ok_or_else(|| fail("requires a size for each open dimension".into()))?;
        let buffer = Buffer::undefined(prepare::buffer_element(result, operation)?, &shape).map_err(fail)?;
        Ok(match result.r#type().is_mem_ref() {
            true => self.memory.allocate(buffer),
            false => Value::Tensor(Arc::new(buffer)),
        })
    }

    /// The size of a dimension.
    fn size(&self, operation: Op<'_>, buffer: &Value, dimension: &Value) -> Result<Value, Failure> {
        let fail = |message: String| Failure::at(operation, message);
        let shape = self.memory.shape(buffer).map_err(fail)?;
        let dimension = index(dimension).unwrap_or(-1);
        let size = usize::try_from(dimension).ok().and_then(|dimension| shape.get(dimension));
        let size = size.ok_or_else(|| fail(format!("dimension {dimension} of a buffer of rank {}", shape.len())))?;
        Ok(Value::Scalar(*size as Slot, 0.0))
    }

    /// What is copied from a buffer to another one of the same shape.
    fn copied(&self, operation: Op<'_>, source: &Value, destination: &Value) -> Result<Arc<Buffer>, Failure> {
        let fail = |message: String| Failure::at(operation, message);
        let content = self.memory.content(source).map_err(fail)?;
        match self.memory.shape(destination).map_err(fail)? == content.array.shape {
            true => Ok(content),
            false => Err(fail("requires buffers of one shape".into())),
        }
    }

    /// `linalg.fill`.
    fn fill(&mut self, operation: Op<'_>, value: &Value, destination: &Value) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        let (slot, error) = scalar(operation, value)?;
        let shape = self.memory.shape(destination).map_err(fail)?;
        let [filling, filled, ..] = ir::operands(operation)[..] else {
            return Err(fail("requires 2 operands".into()));
        };
        let element = prepare::buffer_element(filled, operation)?;
        if prepare::scalar_element(filling, operation)? != element {
            return Err(Failure::unsupported(
                operation,
                "the reference evaluator requires a fill value of the element type of the buffer",
            ));
        }
        let mut content = Buffer::from(Array::filled(element, &shape, slot).map_err(fail)?);
        content.errors = (error != 0.0).then(|| vec![error; content.array.len()]);
        self.written(operation, destination, None, content)
    }

    /// The element of a buffer at some indices.
    fn loaded(&self, operation: Op<'_>, buffer: &Value, at: &[Value]) -> Result<Value, Failure> {
        let fail = |message: String| Failure::at(operation, message);
        let at = self.memory.element(buffer, &indices(at)).map_err(fail)?;
        let underlying = self.memory.underlying(buffer).map_err(fail)?;
        let element = at.read(&underlying).map_err(fail)?;
        if element.is_defined(0) {
            return Ok(Value::Scalar(element.array.get(0), element.error(0)));
        }
        let message = "reads an element that has not been written";
        // If nothing is computed, a computation may be what would have written the element.
        Err(match self.progress.is_some() {
            true => fail(message.into()),
            false => Failure::unsupported(operation, message),
        })
    }

    /// The destination with the elements of a slice; `numbers` are the operands for its offsets, sizes and strides.
    pub(super) fn inserted(
        &mut self,
        operation: Op<'_>,
        slice: &Value,
        destination: &Value,
        numbers: &[Value],
    ) -> Result<Value, Failure> {
        let fail = |message| Failure::at(operation, message);
        let source = self.memory.content(slice).map_err(fail)?;
        let window = self.memory.window(destination).map_err(fail)?;
        let part = part(operation, &window, numbers, ir::operands(operation)[0])?;
        if part.shape != source.array.shape {
            let message = format!("requires shape {:?}, but the part has {:?}", part.shape, source.array.shape);
            return Err(fail(message));
        }
        self.memory.replace(destination, &part, &source).map_err(fail)
    }

    /// The memory of a constant global.
    fn global<'c>(&mut self, operation: Op<'c>) -> Result<Value, Failure> {
        let symbol = ir::attribute(operation, "name").and_then(ir::symbol_attribute).unwrap_or_default();
        if let Some((_, value)) = self.globals.iter().find(|(name, _)| name == symbol) {
            return Ok(value.clone());
        }
        let global = ir::lookup_symbol(operation, symbol).filter(|global| ir::name(*global) == "memref.global");
        let global = global.ok_or_else(|| Failure::at(operation, format!("no global '{symbol}'")))?;
        let initial = ir::attribute(global, "initial_value").filter(|_| ir::attribute(global, "constant").is_some());
        let initial = initial.ok_or_else(|| {
            let message = format!("the reference evaluator knows constant globals only, but '{symbol}' is none");
            Failure::unsupported(operation, message)
        })?;
        let value = self.memory.allocate(dense(initial, single_result(operation)?, operation)?.into());
        self.globals.push((symbol.to_owned(), value.clone()));
        Ok(value)
    }
}

/// The value of an operand.
pub(super) fn operand<'v>(operation: Op<'_>, operands: &'v [Value], i: usize) -> Result<&'v Value, Failure> {
    operands.get(i).ok_or_else(|| Failure::at(operation, format!("requires {} operands", i + 1)))
}

/// A scalar and its error bound.
fn scalar(operation: Op<'_>, value: &Value) -> Result<(Slot, f64), Failure> {
    match value {
        Value::Scalar(slot, error) => Ok((*slot, *error)),
        _ => Err(Failure::at(operation, "requires a scalar")),
    }
}

/// An index as a signed number; `None` for values that are not scalars.
pub(super) fn index(value: &Value) -> Option<i128> {
    match value {
        Value::Scalar(slot, _) => Some(Element::Index.signed(*slot)),
        _ => None,
    }
}

/// Indices as signed numbers.
pub(super) fn indices(values: &[Value]) -> Vec<i128> {
    values.iter().filter_map(index).collect()
}

/// The array of a dense attribute, with the type of `value`.
fn dense(attribute: Attribute<'_>, value: Val<'_>, user: Op<'_>) -> Result<Array, Failure> {
    let unknown =
        || Failure::unsupported(user, format!("the reference evaluator has no constants of type {}", value.r#type()));
    let element = prepare::buffer_element(value, user)?;
    let shape: Option<Vec<usize>> =
        ir::shape(value.r#type()).into_iter().flatten().map(|size| size.map(|size| size as usize)).collect();
    let (bytes, data) = ir::dense_elements(attribute).ok_or_else(unknown)?;
    let mut array =
        Array::filled(element, &shape.ok_or_else(unknown)?, 0).map_err(|message| Failure::at(user, message))?;
    let elements: Vec<Slot> = data.chunks_exact(bytes).map(|bytes| element.load(bytes)).collect();
    for i in 0..array.len() {
        let slot = elements.get(if elements.len() == 1 { 0 } else { i });
        array.set(i, *slot.ok_or_else(unknown)?);
    }
    Ok(array)
}

/// The window that an operation with offsets, sizes and strides accesses. `dynamic` has its dynamic operands; `seen`
/// has the type of the part, which may drop dimensions of size 1.
fn part(operation: Op<'_>, window: &BufferView, dynamic: &[Value], seen: Val<'_>) -> Result<BufferView, Failure> {
    let mut dynamic = dynamic.iter();
    let mut lists = [const { vec![] }; 3];
    let mut sizes = vec![];
    for (list, name) in lists.iter_mut().zip(["static_offsets", "static_sizes", "static_strides"]) {
        let numbers = ir::attribute(operation, name).and_then(ir::dense_array_attribute);
        let numbers = numbers.ok_or_else(|| Failure::at(operation, format!("requires {name}")))?;
        for number in &numbers {
            // `ShapedType::kDynamic` marks a dynamic operand.
            let known = Some(i128::from(*number)).filter(|_| *number != i64::MIN);
            let number = known.or_else(|| dynamic.next().and_then(index));
            list.push(number.ok_or_else(|| Failure::at(operation, format!("requires an operand of {name}")))?);
        }
        if name == "static_sizes" {
            sizes = numbers;
        }
    }
    let [offsets, extents, strides] = lists;
    let part = window.part(&offsets, &extents, &strides).map_err(|message| Failure::at(operation, message))?;
    let mut wanted = ir::shape(seen.r#type()).unwrap_or_default().into_iter().peekable();
    let keep: Vec<bool> =
        sizes.iter().map(|size| wanted.next_if(|wanted| *wanted == u64::try_from(*size).ok()).is_some()).collect();
    if wanted.next().is_some() || keep.iter().zip(&sizes).any(|(keep, size)| !keep && *size != 1) {
        return Err(Failure::at(operation, "requires a type with its sizes, but for those that are 1"));
    }
    Ok(part.without(&keep))
}
