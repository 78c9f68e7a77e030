//! Operations of `arith` and `math` on tensors: each element of the results is computed from those of the operands at
//! the same position. A scalar operand is the same at each position.
use super::{
    Evaluator, Results,
    bound::{Bound, BoundTracker},
    computation::Buffer,
    kernel::element_of_each,
    memory::Value,
    prepare,
    scalar::Failure,
};
use mdh_dialects::ir::{self, Op};
use std::sync::Arc;

impl Evaluator<'_> {
    /// Executes an operation with results that are tensors; returns the values of its results.
    pub(super) fn elementwise(&mut self, operation: Op<'_>, operands: &[Value]) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        if let ("arith.select", [Value::Scalar(condition, _), yes, no]) = (ir::name(operation), operands) {
            return Ok(vec![if *condition == 0 { no.clone() } else { yes.clone() }]);
        }
        let program = self.program(operation)?;
        let mlir = ir::operands(operation);
        let elements = mlir.iter().map(element_of_each).collect::<Result<Vec<_>, _>>().map_err(fail)?;
        let contents = operands.iter().map(|operand| match operand {
            Value::Scalar(..) => Ok(None),
            _ => self.memory.content(operand).map(Some),
        });
        let contents = contents.collect::<Result<Vec<_>, _>>().map_err(fail)?;
        let shapes: Vec<_> = contents.iter().flatten().map(|content| content.array.shape.clone()).collect();
        let shape = shapes.first().cloned().unwrap_or_default();
        if shapes.iter().any(|other| *other != shape) {
            return Err(fail(format!("requires tensors of one shape, but they have shapes {shapes:?}")));
        }
        let results = ir::results(operation);
        let results = results
            .iter()
            .map(|result| Buffer::undefined(prepare::buffer_element(*result, operation)?, &shape).map_err(fail));
        let mut results = results.collect::<Result<Vec<_>, _>>()?;
        let count = if self.progress.is_some() { shape.iter().product() } else { 0 };
        let (mut slots, mut bounds) = (program.slots(), program.bounds());
        for i in 0..count {
            let mut is_defined = true;
            for (number, slot) in program.inputs().iter().enumerate() {
                let (value, error) = match (&operands[number], &contents[number]) {
                    (_, Some(content)) => {
                        is_defined &= content.is_defined(i);
                        (content.array.get(i), content.error(i))
                    }
                    (Value::Scalar(value, error), None) => (*value, *error),
                    (_, None) => return Err(fail("requires scalars or tensors".into())),
                };
                slots[*slot] = value;
                bounds[*slot] = Bound::of(elements[number], value, error);
            }
            program.run(&mut slots, &[], &mut BoundTracker { bounds: &mut bounds, in_any_order: false })?;
            for (slot, result) in program.outputs().iter().zip(&mut results) {
                let error = if self.follow { bounds[*slot].total(result.array.element) } else { 0.0 };
                result.set(i, slots[*slot], is_defined, error);
            }
        }
        for result in &mut results {
            if result.defined.as_ref().is_some_and(|defined| defined.iter().all(|is_defined| *is_defined)) {
                result.defined = None;
            }
        }
        Ok(results.into_iter().map(|result| Value::Tensor(Arc::new(result))).collect())
    }
}
