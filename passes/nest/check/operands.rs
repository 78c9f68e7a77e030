//! Checks the number and the types of the operands and results of a statement.
use crate::nest::{
    print::names::Names,
    tree::{Buffer, Kernel, Loop, Operation, Statement, Value},
    types::{Element, Type},
};

/// Checks the operands and results of a statement. The error has the requirement and the actual state.
pub fn check(names: &Names<'_>, statement: &Statement) -> Result<(), String> {
    let Statement { operation, operands, results } = statement;
    let statement = Typed { names, operands, results };
    match operation {
        Operation::Constant(_) | Operation::Zero | Operation::Initial(_) => statement.counts(0, 1),
        Operation::Cast | Operation::SignedCast | Operation::Broadcast => statement.counts(1, 1),
        Operation::Binary(_) => {
            statement.counts(2, 1)?;
            statement.alike(&[operands[0], operands[1], results[0]])
        }
        Operation::Compare(_) => {
            statement.counts(2, 1)?;
            statement.alike(operands)?;
            statement.is(results[0], names.nest().type_of(operands[0]).bits())
        }
        Operation::Select => {
            statement.counts(3, 1)?;
            statement.is_condition(operands[0], names.nest().type_of(results[0]).bits())?;
            statement.alike(&[operands[1], operands[2], results[0]])
        }
        Operation::Dimension(_) | Operation::FirstLanes => {
            statement.counts(1, 1)?;
            check_index(names, operands[0])
        }
        Operation::Combine(_) => {
            statement.counts(2 * results.len(), results.len())?;
            let pairs = results.iter().zip(operands.iter().zip(&operands[results.len()..]));
            pairs.map(|(result, (left, right))| [*left, *right, *result]).try_for_each(|three| statement.alike(&three))
        }
        Operation::Loop(r#loop) | Operation::Parallel(r#loop) => statement.bounds(r#loop),
        Operation::If { .. } => {
            statement.counts(1, results.len())?;
            statement.is(operands[0], Type::BIT)
        }
        Operation::Kernel(kernel) => statement.launch(kernel),
        Operation::Allocate(..) | Operation::View { .. } | Operation::Subview { .. } => statement.memory(operation),
        access if access.accesses_elements() => statement.memory(access),
        // The verifiers of MLIR check the operands of the others, in the operations that they become.
        _ => Ok(()),
    }
}

/// Requires a value to be an index.
pub fn check_index(names: &Names<'_>, value: Value) -> Result<(), String> {
    Typed { names, operands: &[], results: &[] }.is(value, Type::INDEX)
}

/// The types of values, as a message lists them.
pub fn types(names: &Names<'_>, values: &[Value]) -> String {
    let types = values.iter().map(|value| names.nest().type_of(*value).to_string());
    types.collect::<Vec<_>>().join(", ")
}

impl Type {
    /// The type of a condition on each element.
    fn bits(self) -> Self {
        match self {
            Self::Vector(lanes, _) => Self::Vector(lanes, Element::BIT),
            Self::Scalar(_) | Self::Copies => Self::BIT,
        }
    }
}

/// The operands and results of a statement.
struct Typed<'a, 'n> {
    names: &'a Names<'n>,
    operands: &'a [Value],
    results: &'a [Value],
}

impl Typed<'_, '_> {
    /// Checks a statement on buffers.
    fn memory(&self, operation: &Operation) -> Result<(), String> {
        let Self { names, operands, results } = *self;
        let element = |buffer: &Buffer| Type::from(names.nest().array(*buffer).element);
        match operation {
            Operation::Load(buffer) => {
                self.indices(*buffer, operands)?;
                self.counts(operands.len(), 1)?;
                self.is(results[0], element(buffer))
            }
            Operation::Store(buffer) => {
                self.at_least(1)?;
                self.indices(*buffer, &operands[1..])?;
                self.is(operands[0], element(buffer))
            }
            Operation::LoadVector(buffer, _) => {
                self.indices(*buffer, operands)?;
                self.counts(operands.len(), 1)?;
                self.lanes(results[0], element(buffer))
            }
            Operation::StoreVector(buffer, _) => {
                self.at_least(1)?;
                self.indices(*buffer, &operands[1..])?;
                self.lanes(operands[0], element(buffer))
            }
            Operation::LoadMasked(buffer) | Operation::StoreMasked(buffer) => {
                self.at_least(2)?;
                let (indices, masked) = operands.split_at(operands.len() - 2);
                self.indices(*buffer, indices)?;
                self.lanes(masked[1], element(buffer))?;
                self.is(masked[0], names.nest().type_of(masked[1]).bits())?;
                self.alike(&[&masked[1..], results].concat())
            }
            Operation::Prefetch(buffer) => self.indices(*buffer, operands),
            Operation::CopyAsync { to, from, rank, .. } => {
                self.at_least(*rank)?;
                self.indices(*to, &operands[..*rank])?;
                self.indices(*from, &operands[*rank..])
            }
            Operation::Allocate(buffer, _) => self.sizes(*buffer, operands),
            Operation::View { buffer, .. } => {
                self.at_least(1)?;
                check_index(names, operands[0])?;
                self.sizes(*buffer, &operands[1..])
            }
            Operation::Subview { offsets, lengths, .. } => {
                let dynamic = offsets.iter().chain(lengths).filter(|number| number.is_none()).count();
                self.counts(dynamic, 0)?;
                operands.iter().try_for_each(|operand| check_index(names, *operand))
            }
            _ => Ok(()),
        }
    }

    fn counts(&self, operands: usize, results: usize) -> Result<(), String> {
        match (self.operands.len(), self.results.len()) {
            counts if counts == (operands, results) => Ok(()),
            (o, r) => Err(format!("{operands} operands and {results} results, but has {o} and {r}")),
        }
    }

    fn at_least(&self, operands: usize) -> Result<(), String> {
        match self.operands.len() {
            count if count >= operands => Ok(()),
            count => Err(format!("{operands} operands or more, but has {count}")),
        }
    }

    fn is(&self, value: Value, expected: Type) -> Result<(), String> {
        let actual = self.names.nest().type_of(value);
        match actual == expected {
            true => Ok(()),
            false => Err(format!("{} to have type {expected}, but it has {actual}", self.names.value(value))),
        }
    }

    /// Requires a value to be a scalar condition or a condition on each lane.
    fn is_condition(&self, value: Value, of_lanes: Type) -> Result<(), String> {
        match self.names.nest().type_of(value) == Type::BIT {
            true => Ok(()),
            false => self.is(value, of_lanes),
        }
    }

    /// Requires a value to be a vector of elements of a type.
    fn lanes(&self, value: Value, element: Type) -> Result<(), String> {
        let actual = self.names.nest().type_of(value);
        match actual.is_vector() && actual.element() == element.element() {
            true => Ok(()),
            false => Err(format!("{} to be a vector of {element}, but it has {actual}", self.names.value(value))),
        }
    }

    fn alike(&self, values: &[Value]) -> Result<(), String> {
        let type_of = |value: &Value| self.names.nest().type_of(*value);
        match values.windows(2).all(|pair| type_of(&pair[0]) == type_of(&pair[1])) {
            true => Ok(()),
            false => Err(format!("one type, but has {}", types(self.names, values))),
        }
    }

    fn indices(&self, buffer: Buffer, indices: &[Value]) -> Result<(), String> {
        let rank = self.names.nest().array(buffer).sizes.len();
        if indices.len() != rank {
            return Err(format!("{rank} indices of {}, but has {}", self.names.buffer(buffer), indices.len()));
        }
        indices.iter().try_for_each(|index| self.is(*index, Type::INDEX))
    }

    fn sizes(&self, buffer: Buffer, sizes: &[Value]) -> Result<(), String> {
        let dynamic = self.names.nest().array(buffer).sizes.iter().filter(|size| size.is_none()).count();
        if sizes.len() != dynamic {
            return Err(format!("{dynamic} sizes of {}, but has {}", self.names.buffer(buffer), sizes.len()));
        }
        sizes.iter().try_for_each(|size| self.is(*size, Type::INDEX))
    }

    fn bounds(&self, r#loop: &Loop) -> Result<(), String> {
        let carried = r#loop.carried.len();
        self.counts(3 + carried, carried)?;
        self.operands[..3].iter().chain([&r#loop.index]).try_for_each(|bound| self.is(*bound, Type::INDEX))?;
        let values = r#loop.carried.iter().zip(&self.operands[3..]).zip(self.results);
        values
            .map(|((carried, initial), result)| [*carried, *initial, *result])
            .try_for_each(|three| self.alike(&three))
    }

    fn launch(&self, kernel: &Kernel) -> Result<(), String> {
        self.counts(6 + usize::from(kernel.has_dynamic_shared_memory), 0)?;
        if kernel.numbers.len() != 12 {
            return Err(format!("12 numbers of blocks and threads, but has {}", kernel.numbers.len()));
        }
        self.operands[..6].iter().chain(&kernel.numbers).try_for_each(|value| self.is(*value, Type::INDEX))?;
        self.operands[6..].iter().try_for_each(|bytes| self.is(*bytes, Type::WORD))
    }
}
