//! Operations that create tensors from scalars and other tensors, and the remaining operations around computations.
use super::{
    Evaluator, Results, Values,
    aliases::{mixed, size},
    buffers::{index, operand},
    computation::Buffer,
    memory::{BufferView, Value},
    prepare,
    scalar::Failure,
    single_result,
};
use mdh_dialects::ir::{self, Op};
use melior::ir::ValueLike;
use std::sync::Arc;

impl Evaluator<'_> {
    /// Executes an operation; returns the values of its results.
    pub(super) fn tensors<'c>(&mut self, operation: Op<'c>, operands: &[Value], values: &mut Values<'c>) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        let value = |i: usize| operand(operation, operands, i);
        match ir::name(operation) {
            "cf.assert" => {
                let holds = matches!(value(0)?, Value::Scalar(condition, _) if *condition != 0);
                let message = ir::attribute(operation, "msg").and_then(ir::string_attribute).unwrap_or_default();
                if holds { Ok(vec![]) } else { Err(fail(message.to_owned())) }
            }
            // Any number will do: nothing that has an effect reads it.
            "ub.poison" => Ok(vec![Value::Scalar(0, 0.0)]),
            "tensor.rank" | "memref.rank" => {
                Ok(vec![Value::Scalar(self.memory.shape(value(0)?).map_err(fail)?.len() as u128, 0.0)])
            }
            "tensor.from_elements" => {
                let mut elements = operands.iter();
                self.filled(operation, vec![], |_, _| {
                    elements.next().cloned().ok_or_else(|| fail("requires elements".into()))
                })
            }
            "tensor.splat" => {
                let element = value(0)?.clone();
                self.filled(operation, operands[1..].to_vec(), |_, _| Ok(element.clone()))
            }
            "tensor.generate" => self.filled(operation, operands.to_vec(), |evaluator, position| {
                let indices = position.iter().map(|index| Value::Scalar(*index as u128, 0.0)).collect();
                let mut made = evaluator.region(operation, 0, indices, values)?;
                made.pop().ok_or_else(|| fail("requires an element".into()))
            }),
            "tensor.pad" => self.padded(operation, operands, values),
            "tensor.concat" => self.concatenated(operation, operands),
            "tensor.collapse_shape" | "tensor.expand_shape" | "tensor.reshape" => {
                let source = self.memory.content(value(0)?).map_err(fail)?;
                let shape = match ir::name(operation) {
                    "tensor.reshape" => Some(self.shape_in(value(1)?).map_err(fail)?),
                    _ => reshaped(operation, &source.array.shape, &operands[1..]),
                };
                let shape = shape.filter(|shape| product(shape.iter().copied()) == Some(source.array.len()));
                let shape = shape.ok_or_else(|| {
                    fail(format!("requires as many elements as a buffer of shape {:?}", source.array.shape))
                })?;
                let mut result = Buffer::clone(&source);
                result.array.shape = shape;
                Ok(vec![Value::Tensor(Arc::new(result))])
            }
            name => Err(Failure::unsupported(operation, format!("the reference evaluator cannot evaluate '{name}'"))),
        }
    }

    /// A new tensor with the type of the operation's result, a size for each dynamic dimension, and an element for each
    /// position.
    fn filled<'c>(
        &mut self,
        operation: Op<'c>,
        sizes: Vec<Value>,
        mut element: impl FnMut(&mut Self, &[usize]) -> Result<Value, Failure>,
    ) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        let result = single_result(operation)?;
        let mut sizes = sizes.iter().map(|size| usize::try_from(index(size)?).ok());
        let shape = ir::shape(result.r#type()).unwrap_or_default().into_iter();
        let shape: Option<Vec<_>> =
            shape.map(|size| size.map(|size| size as usize).or_else(|| sizes.next().flatten())).collect();
        let shape = shape.ok_or_else(|| fail("requires sizes that are not negative".into()))?;
        let mut buffer = Buffer::undefined(prepare::buffer_element(result, operation)?, &shape).map_err(fail)?;
        for i in 0..buffer.array.len() {
            let Value::Scalar(slot, error) = element(self, &buffer.array.position(i))? else {
                return Err(fail("requires scalars".into()));
            };
            buffer.set(i, slot, true, error);
        }
        buffer.defined = None;
        Ok(vec![Value::Tensor(Arc::new(buffer))])
    }

    /// Pads a tensor with the elements that a region computes (`tensor.pad`).
    fn padded<'c>(&mut self, operation: Op<'c>, operands: &[Value], values: &mut Values<'c>) -> Results {
        let fail = |message: &str| Failure::at(operation, message);
        let source = operands.first().ok_or_else(|| fail("requires a tensor"))?;
        let source = self.memory.content(source).map_err(|message| fail(&message))?;
        let mut dynamic = operands[1..].iter();
        let mut widths = |name: &str| {
            let known = ir::attribute(operation, name).and_then(ir::dense_array_attribute)?;
            // `ShapedType::kDynamic` marks a dynamic operand.
            let width = |width: i64| if width == i64::MIN { index(dynamic.next()?) } else { Some(i128::from(width)) };
            known.into_iter().map(width).map(|width| width.filter(|width| *width >= 0)).collect::<Option<Vec<_>>>()
        };
        let (low, high) = (widths("static_low"), widths("static_high"));
        let (low, high) = low.zip(high).ok_or_else(|| fail("requires widths that are not negative"))?;
        let sizes = source.array.shape.iter().zip(low.iter().zip(&high));
        let shape: Vec<_> = sizes.map(|(size, (low, high))| size + *low as usize + *high as usize).collect();
        let wanted = ir::shape(single_result(operation)?.r#type()).unwrap_or_default();
        if wanted.iter().zip(&shape).any(|(wanted, size)| wanted.is_some_and(|wanted| wanted != *size as u64)) {
            return Err(fail(&format!("requires a tensor that gets shape {wanted:?}, but it gets {shape:?}")));
        }
        let open = wanted.iter().zip(&shape).filter(|(wanted, _)| wanted.is_none());
        let open = open.map(|(_, size)| Value::Scalar(*size as u128, 0.0)).collect();
        let mut around = self.filled(operation, open, |evaluator, position| {
            let indices = position.iter().map(|index| Value::Scalar(*index as u128, 0.0)).collect();
            let mut made = evaluator.region(operation, 0, indices, values)?;
            made.pop().ok_or_else(|| fail("requires an element"))
        })?;
        let around = around.pop().ok_or_else(|| fail("requires a result"))?;
        let sizes: Vec<_> = source.array.shape.iter().map(|size| *size as i128).collect();
        let inside =
            BufferView::whole(&shape).part(&low, &sizes, &vec![1; sizes.len()]).map_err(|message| fail(&message))?;
        Ok(vec![self.memory.replace(&around, &inside, &source).map_err(|message| fail(&message))?])
    }
}

impl Evaluator<'_> {
    /// Concatenates tensors along an axis (`tensor.concat`).
    fn concatenated(&mut self, operation: Op<'_>, operands: &[Value]) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        let sources = operands.iter().map(|operand| self.memory.content(operand)).collect::<Result<Vec<_>, _>>();
        let sources = sources.map_err(fail)?;
        let axis = ir::attribute(operation, "dim").and_then(ir::integer_attribute);
        let axis = axis.and_then(|axis| usize::try_from(axis).ok());
        let first = sources.first().map(|source| source.array.shape.clone()).unwrap_or_default();
        let axis = axis.filter(|axis| *axis < first.len()).ok_or_else(|| fail("requires an axis".into()))?;
        let mut shape = first.clone();
        shape[axis] = sources.iter().map(|source| source.array.shape[axis]).sum();
        let fits = |other: &[usize]| (0..first.len()).all(|d| d == axis || other[d] == first[d]);
        let wanted = ir::shape(single_result(operation)?.r#type()).unwrap_or_default();
        let is_wanted =
            wanted.iter().zip(&shape).all(|(wanted, size)| wanted.is_none_or(|wanted| wanted == *size as u64));
        if !is_wanted || !sources.iter().all(|source| fits(&source.array.shape)) {
            let shapes: Vec<_> = sources.iter().map(|source| &source.array.shape).collect();
            return Err(fail(format!(
                "requires tensors that become shape {wanted:?}, but they have shapes {shapes:?}"
            )));
        }
        let open = wanted.iter().zip(&shape).filter(|(wanted, _)| wanted.is_none());
        let open = open.map(|(_, size)| Value::Scalar(*size as u128, 0.0)).collect();
        let whole = self.filled(operation, open, |_, _| Ok(Value::Scalar(0, 0.0)))?.pop();
        let mut whole = whole.ok_or_else(|| fail("requires a result".into()))?;
        let mut offsets = vec![0; shape.len()];
        for source in sources {
            let sizes: Vec<_> = source.array.shape.iter().map(|size| *size as i128).collect();
            let part = BufferView::whole(&shape).part(&offsets, &sizes, &vec![1; sizes.len()]).map_err(fail)?;
            whole = self.memory.replace(&whole, &part, &source).map_err(fail)?;
            offsets[axis] += sizes[axis];
        }
        Ok(vec![whole])
    }
}

/// The shape of a tensor whose dimensions are collapsed or expanded.
fn reshaped(operation: Op<'_>, source: &[usize], operands: &[Value]) -> Option<Vec<usize>> {
    let groups = ir::groups(operation)?;
    if ir::name(operation) == "tensor.expand_shape" {
        let sizes = mixed(operation, "static_output_shape", &mut operands.iter())?;
        let sizes = sizes.into_iter().map(size).collect::<Option<Vec<_>>>()?;
        let product_of = |group: &Vec<usize>| product(group.iter().filter_map(|axis| sizes.get(*axis).copied()));
        let fits = groups.iter().zip(source).all(|(group, own)| product_of(group) == Some(*own));
        return fits.then_some(sizes);
    }
    groups.into_iter().map(|group| product(group.into_iter().filter_map(|axis| source.get(axis).copied()))).collect()
}

/// The product of sizes; `None` if it is too large.
fn product(mut sizes: impl Iterator<Item = usize>) -> Option<usize> {
    sizes.try_fold(1usize, |product, size| product.checked_mul(size))
}
