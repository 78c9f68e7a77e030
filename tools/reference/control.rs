//! Functions, blocks, and control-flow operations.
use super::{
    Evaluator, Results, Values, buffers, find,
    kernel::element_of,
    memory::Value,
    scalar::{self, Failure},
};
use crate::array::Element;
use mdh_dialects::ir::{self, Blk, Op};

/// Maximum number of loop iterations if nothing is computed, because the user has not asked for the program's result.
const UNCOMPUTED_ITERATIONS: usize = 1000;

impl Evaluator<'_> {
    /// Executes a function; returns its results.
    pub(super) fn function<'c>(&mut self, function: Op<'c>, arguments: Vec<Value>) -> Results {
        use melior::ir::BlockLike;
        let block = ir::body(function, 0).ok_or_else(|| Failure::unsupported(function, "requires a body"))?;
        if block.next_in_region().is_some() {
            return Err(Failure::unsupported(function, "has several blocks, but the evaluator requires one"));
        }
        if self.depth > 200 {
            let message = "calls itself more than 200 times, which the evaluator does not";
            return Err(Failure::unsupported(function, message));
        }
        self.depth += 1;
        let results = self.block(function, block, arguments, &mut vec![])?;
        self.depth -= 1;
        Ok(results)
    }

    /// Executes a block of an operation; returns the terminator's operands, or those of the operations in its region.
    fn block<'c>(
        &mut self,
        operation: Op<'c>,
        block: Blk<'c>,
        arguments: Vec<Value>,
        values: &mut Values<'c>,
    ) -> Results {
        let before = values.len();
        values.extend(ir::arguments(block).into_iter().zip(arguments));
        let operations = ir::block_operations(block);
        let (terminator, operations) =
            operations.split_last().ok_or_else(|| Failure::at(operation, "requires a terminator"))?;
        for operation in operations {
            let results = self.operation(*operation, values)?;
            values.extend(ir::results(*operation).into_iter().zip(results));
        }
        // That of `scf.forall` has a region with the insertions of an iteration.
        let insertions = ir::body(*terminator, 0).filter(|_| ir::name(*terminator) == "scf.forall.in_parallel");
        let yielding = insertions.map_or_else(|| vec![*terminator], ir::block_operations);
        let results =
            yielding.into_iter().flat_map(ir::operands).map(|value| find(values, value, *terminator).cloned());
        let results = results.collect::<Result<_, _>>()?;
        values.truncate(before);
        Ok(results)
    }

    /// Executes a region if it exists.
    pub(super) fn region<'c>(
        &mut self,
        operation: Op<'c>,
        region: usize,
        arguments: Vec<Value>,
        values: &mut Values<'c>,
    ) -> Results {
        let Some(block) = ir::body(operation, region) else { return Ok(vec![]) };
        self.block(operation, block, arguments, values)
    }

    /// Counts an iteration of a loop.
    fn iteration(&mut self, operation: Op<'_>) -> Result<(), Failure> {
        self.iterations += 1;
        if self.progress.is_none() && self.iterations > UNCOMPUTED_ITERATIONS {
            return Err(Failure::unsupported(operation, "has too many iterations to be checked"));
        }
        Ok(())
    }

    /// Executes `scf.if`, `scf.for`, `scf.while` or `func.call`; `None` for any other operation.
    pub(super) fn control<'c>(&mut self, operation: Op<'c>, values: &mut Values<'c>) -> Option<Results> {
        let run = match ir::name(operation) {
            "scf.if" => Self::conditional,
            "scf.for" => Self::counted_loop,
            "scf.parallel" | "scf.forall" => Self::parallel_loop,
            "scf.while" => Self::while_loop,
            "scf.index_switch" => Self::index_switch,
            "scf.execute_region" | "memref.alloca_scope" => Self::inner_region,
            "func.call" => Self::call,
            _ => return None,
        };
        let operands = ir::operands(operation).into_iter().map(|value| find(values, value, operation).cloned());
        Some(operands.collect::<Result<Vec<_>, _>>().and_then(|operands| run(self, operation, operands, values)))
    }

    fn call<'c>(&mut self, operation: Op<'c>, operands: Vec<Value>, _values: &mut Values<'c>) -> Results {
        let (function, _) = scalar::callee(operation)?;
        self.function(function, operands)
    }

    fn conditional<'c>(&mut self, operation: Op<'c>, operands: Vec<Value>, values: &mut Values<'c>) -> Results {
        let [Value::Scalar(condition, _)] = operands.as_slice() else {
            return Err(Failure::at(operation, "requires a condition"));
        };
        self.region(operation, usize::from(*condition == 0), vec![], values)
    }

    fn index_switch<'c>(&mut self, operation: Op<'c>, operands: Vec<Value>, values: &mut Values<'c>) -> Results {
        let selected = operands.first().and_then(buffers::index);
        let selected = selected.ok_or_else(|| Failure::at(operation, "requires an index"))?;
        let cases = ir::attribute(operation, "cases").and_then(ir::dense_array_attribute).unwrap_or_default();
        // The default region is the first one.
        let case = cases.iter().position(|case| i128::from(*case) == selected);
        self.region(operation, case.map_or(0, |case| case + 1), vec![], values)
    }

    /// Executes the only region of an operation.
    fn inner_region<'c>(&mut self, operation: Op<'c>, _operands: Vec<Value>, values: &mut Values<'c>) -> Results {
        self.region(operation, 0, vec![], values)
    }

    fn counted_loop<'c>(&mut self, operation: Op<'c>, mut operands: Vec<Value>, values: &mut Values<'c>) -> Results {
        let [Value::Scalar(low, _), Value::Scalar(high, _), Value::Scalar(step, _), ..] = operands[..] else {
            return Err(Failure::at(operation, "requires two bounds and a step"));
        };
        let bound =
            ir::operands(operation).first().copied().ok_or_else(|| Failure::at(operation, "requires two bounds"))?;
        let element = element_of(&bound).map_err(|message| Failure::unsupported(operation, message))?;
        let unsigned = ir::attribute(operation, "unsignedCmp").is_some();
        let integer = |slot| if unsigned { slot as i128 } else { element.signed(slot) };
        let (mut counter, high, step) = (integer(low), integer(high), integer(step));
        if step <= 0 {
            return Err(Failure::at(operation, format!("requires a positive step, but it is {step}")));
        }
        let mut carried = operands.split_off(3);
        while counter < high {
            self.iteration(operation)?;
            carried.insert(0, Value::Scalar(element.from_integer(counter), 0.0));
            carried = self.region(operation, 0, carried, values)?;
            counter = counter.saturating_add(step);
        }
        Ok(carried)
    }

    /// Executes the points of a parallel loop in lexicographic order. The results of `scf.forall` are tensors, of which
    /// each iteration sees the values before the loop; those of `scf.parallel` are reduced.
    fn parallel_loop<'c>(&mut self, operation: Op<'c>, mut operands: Vec<Value>, values: &mut Values<'c>) -> Results {
        let initial = operands.split_off(operands.len().saturating_sub(ir::results(operation).len()));
        let numbers = operands.iter().map(buffers::index).collect::<Option<Vec<_>>>();
        let numbers = numbers.and_then(|numbers| bounds(operation, numbers));
        let numbers = numbers.filter(|numbers| numbers.len() % 3 == 0);
        let numbers = numbers.ok_or_else(|| Failure::at(operation, "requires bounds and steps for its indices"))?;
        let is_reduction = ir::name(operation) == "scf.parallel";
        let (lower, others) = numbers.split_at(numbers.len() / 3);
        let (upper, steps) = others.split_at(lower.len());
        if steps.iter().any(|step| *step <= 0) {
            return Err(Failure::at(operation, "requires positive steps"));
        }
        let (mut point, mut results) = (lower.to_vec(), initial.clone());
        while point.iter().zip(upper).all(|(index, upper)| index < upper) {
            self.iteration(operation)?;
            let indices = point.iter().map(|index| Value::Scalar(Element::Index.from_integer(*index), 0.0));
            let shared = initial.iter().filter(|_| !is_reduction).cloned();
            let yielded = self.region(operation, 0, indices.chain(shared).collect(), values)?;
            match is_reduction {
                true => self.reduce(operation, yielded, &mut results, values)?,
                false => self.insert(operation, yielded, &mut results)?,
            }
            for d in (0..point.len()).rev() {
                point[d] += steps[d];
                if point[d] < upper[d] || d == 0 {
                    break;
                }
                point[d] = lower[d];
            }
        }
        Ok(results)
    }

    /// Combines what an iteration of `scf.parallel` yields with its results, each by a region of `scf.reduce`.
    fn reduce<'c>(
        &mut self,
        operation: Op<'c>,
        yielded: Vec<Value>,
        results: &mut [Value],
        values: &mut Values<'c>,
    ) -> Result<(), Failure> {
        let reduction = ir::body(operation, 0).and_then(|body| ir::block_operations(body).pop());
        let reduction = reduction.ok_or_else(|| Failure::at(operation, "requires a terminator"))?;
        for (number, (result, value)) in results.iter_mut().zip(yielded).enumerate() {
            let combined = self.region(reduction, number, vec![result.clone(), value], values)?.pop();
            *result = combined.ok_or_else(|| Failure::at(reduction, "requires a result"))?;
        }
        Ok(())
    }

    /// Inserts the slices of an iteration of `scf.forall` into its results. `operands` are those of the insertions, one
    /// after the other.
    fn insert(&mut self, operation: Op<'_>, operands: Vec<Value>, results: &mut [Value]) -> Result<(), Failure> {
        if results.is_empty() {
            return Ok(());
        }
        let body = ir::body(operation, 0);
        let shared = body.map(ir::arguments).unwrap_or_default();
        let shared = &shared[shared.len().saturating_sub(results.len())..];
        let end = body.and_then(|body| ir::block_operations(body).pop()).and_then(|end| ir::body(end, 0));
        let mut rest = operands.as_slice();
        for insertion in end.map(ir::block_operations).unwrap_or_default() {
            let names = ir::operands(insertion);
            let (operands, others) = rest.split_at(names.len());
            let result = shared.iter().position(|value| names.get(1) == Some(value));
            let result = result.filter(|_| ir::name(insertion) == "tensor.parallel_insert_slice");
            let result = result.ok_or_else(|| Failure::unsupported(insertion, "is not an insertion into a result"))?;
            results[result] = self.inserted(insertion, &operands[0], &results[result], &operands[2..])?;
            rest = others;
        }
        Ok(())
    }

    fn while_loop<'c>(&mut self, operation: Op<'c>, operands: Vec<Value>, values: &mut Values<'c>) -> Results {
        let mut carried = operands;
        loop {
            self.iteration(operation)?;
            let mut forwarded = self.region(operation, 0, carried, values)?;
            let Some(Value::Scalar(condition, _)) = forwarded.first() else {
                return Err(Failure::at(operation, "requires a condition"));
            };
            let ends = *condition == 0;
            forwarded.remove(0);
            if ends {
                return Ok(forwarded);
            }
            carried = self.region(operation, 1, forwarded, values)?;
        }
    }
}

/// The lower bounds, the upper bounds and the steps of a parallel loop: its operands, and for `scf.forall` static ones.
fn bounds(operation: Op<'_>, operands: Vec<i128>) -> Option<Vec<i128>> {
    if ir::name(operation) != "scf.forall" {
        return Some(operands);
    }
    let mut dynamic = operands.into_iter();
    let mut all = vec![];
    for name in ["staticLowerBound", "staticUpperBound", "staticStep"] {
        for number in ir::attribute(operation, name).and_then(ir::dense_array_attribute)? {
            all.push(if number == ir::DYNAMIC { dynamic.next()? } else { number.into() });
        }
    }
    Some(all)
}
