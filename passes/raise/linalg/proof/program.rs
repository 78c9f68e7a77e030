//! An operator on tuples as a program of comparisons and selections, which is evaluated without MLIR.
//!
//! ```text
//! %c = arith.cmpf ogt, %acc, %x                       2: floats ogt 0, 1
//! %m = arith.select %c, %acc, %x : f32     ──▶        3: select 2, 0, 1       results 3
//! ```
//!
//! Both branches of an `scf.if` are evaluated: these operations have no effects and are defined for all values.
use super::scalar::{FloatExtreme, ScalarType, float_holds, integer_holds};
use mdh_dialects::ir::{self, Blk, FloatPredicate, IntPredicate, Op, Val};
use melior::ir::{Type, ValueLike};

/// An operation on earlier values, by number.
#[derive(Clone, Copy, Debug)]
enum Instruction {
    Constant(u64),
    Floats(FloatPredicate, usize, usize),
    Integers(IntPredicate, u32, usize, usize),
    Select(usize, usize, usize),
    And(usize, usize),
    Or(usize, usize),
    Xor(usize, usize),
    FloatExtreme(FloatExtreme, usize, usize),
    /// The first value if the predicate holds, the second one otherwise.
    IntegerExtreme(IntPredicate, u32, usize, usize),
}

/// A program. Its first values are the components of the left tuple, then those of the right one.
#[derive(Debug)]
pub struct SelectionProgram {
    /// The types of the components.
    pub types: Vec<ScalarType>,
    /// By value: its type.
    values: Vec<ScalarType>,
    instructions: Vec<Instruction>,
    results: Vec<usize>,
    /// By value: another value that it may be equal to or be compared with; itself for the last one of these.
    alike: Vec<usize>,
}

/// Values that are compared with each other, or that are results of the same component.
#[derive(Debug, Default)]
pub struct ValueClass {
    /// The components whose values it has.
    pub components: Vec<usize>,
    /// The constants among them.
    pub constants: Vec<u64>,
    /// True if they are compared.
    pub is_compared: bool,
    /// True if they are compared as unsigned integers.
    pub is_unsigned: bool,
}

impl SelectionProgram {
    /// The program of operations on tuples. `arguments` are the values of the region that are components of the tuples,
    /// by number, and `types` those of the components. The error is the name of an operation that is no comparison and
    /// no selection.
    pub fn of<'c>(
        types: &[Type<'c>],
        arguments: Vec<(Val<'c>, usize)>,
        operations: &[Op<'c>],
        results: &[Val<'c>],
    ) -> Result<Self, &'c str> {
        let types: Option<Vec<_>> = types.iter().map(|ty| ScalarType::of(*ty)).collect();
        let types = types.ok_or("an integer of more than 64 bits")?;
        let values: Vec<_> = types.iter().chain(&types).copied().collect();
        let alike = (0..values.len()).collect();
        let program = Self { types, values, instructions: vec![], results: vec![], alike };
        let mut reader = ProgramReader { program, numbers: arguments };
        for operation in operations {
            reader.operation(*operation)?;
        }
        let results = results.iter().map(|value| reader.number(*value)).collect::<Result<Vec<_>, _>>()?;
        let ProgramReader { mut program, .. } = reader;
        for (component, result) in results.iter().enumerate() {
            program.unite(component, *result);
            program.unite(component + program.types.len(), *result);
        }
        program.results = results;
        Ok(program)
    }

    /// The classes of values, except truth values.
    pub fn classes(&self) -> Vec<ValueClass> {
        let count = self.types.len();
        let mut roots: Vec<_> = (0..count).map(|component| self.root(component)).collect();
        roots.sort_unstable();
        roots.dedup();
        let of = |root: usize| {
            let mut class = ValueClass::default();
            class.components.extend((0..count).filter(|component| self.root(*component) == root));
            for (i, instruction) in self.instructions.iter().enumerate() {
                match *instruction {
                    Instruction::Constant(bits) if self.root(2 * count + i) == root => class.constants.push(bits),
                    Instruction::Floats(_, x, _) | Instruction::FloatExtreme(_, x, _) if self.root(x) == root => {
                        class.is_compared = true;
                    }
                    Instruction::Integers(predicate, _, x, _) | Instruction::IntegerExtreme(predicate, _, x, _)
                        if self.root(x) == root =>
                    {
                        use IntPredicate::{Uge, Ugt, Ule, Ult};
                        class.is_compared = true;
                        class.is_unsigned |= matches!(predicate, Uge | Ugt | Ule | Ult);
                    }
                    _ => {}
                }
            }
            class
        };
        roots.into_iter().map(of).collect()
    }

    fn root(&self, mut value: usize) -> usize {
        while self.alike[value] != value {
            value = self.alike[value];
        }
        value
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The smallest number is the root, so that a class with components has one of them as its root.
        self.alike[one.max(other)] = one.min(other);
    }

    fn add(&mut self, instruction: Instruction, ty: ScalarType) -> usize {
        let number = self.values.len();
        self.values.push(ty);
        self.alike.push(number);
        self.instructions.push(instruction);
        match instruction {
            Instruction::Floats(_, x, y) | Instruction::Integers(_, _, x, y) => self.unite(x, y),
            Instruction::Select(_, x, y)
            | Instruction::FloatExtreme(_, x, y)
            | Instruction::IntegerExtreme(_, _, x, y) => {
                self.unite(number, x);
                self.unite(number, y);
            }
            _ => {}
        }
        number
    }

    /// The combination of two tuples. `scratch` is memory for the values.
    pub fn evaluate(&self, left: &[u64], right: &[u64], scratch: &mut Vec<u64>) -> Vec<u64> {
        scratch.clear();
        scratch.extend(left.iter().chain(right));
        for instruction in &self.instructions {
            let at = |value: usize| scratch[value];
            let floats = |x: usize, y: usize| (f64::from_bits(scratch[x]), f64::from_bits(scratch[y]));
            let value = match *instruction {
                Instruction::Constant(bits) => bits,
                Instruction::Floats(predicate, x, y) => float_holds(predicate, floats(x, y)).into(),
                Instruction::Integers(predicate, width, x, y) => integer_holds(predicate, width, (at(x), at(y))).into(),
                Instruction::Select(condition, x, y) => at(if at(condition) == 1 { x } else { y }),
                Instruction::And(x, y) => at(x) & at(y),
                Instruction::Or(x, y) => at(x) | at(y),
                Instruction::Xor(x, y) => at(x) ^ at(y),
                Instruction::FloatExtreme(extreme, x, y) => at(if extreme.takes_first(floats(x, y)) { x } else { y }),
                Instruction::IntegerExtreme(predicate, width, x, y) => {
                    at(if integer_holds(predicate, width, (at(x), at(y))) { x } else { y })
                }
            };
            scratch.push(value);
        }
        self.results.iter().map(|result| scratch[*result]).collect()
    }
}

/// Reads the operations of a region.
struct ProgramReader<'c> {
    program: SelectionProgram,
    numbers: Vec<(Val<'c>, usize)>,
}

impl<'c> ProgramReader<'c> {
    /// The number of a value; a constant is read when it is used first.
    fn number(&mut self, value: Val<'c>) -> Result<usize, &'c str> {
        if let Some((_, number)) = self.numbers.iter().find(|(known, _)| *known == value) {
            return Ok(*number);
        }
        let constant = ir::defining(value).ok_or("an argument")?;
        let ty = ScalarType::of(value.r#type()).filter(|_| ir::name(constant) == "arith.constant");
        let number = ir::attribute(constant, "value").and_then(ir::number_attribute);
        let bits = ty.zip(number).and_then(|(ty, number)| ty.bits(number));
        let (ty, bits) = ty.zip(bits).ok_or(ir::name(constant))?;
        Ok(self.define(value, Instruction::Constant(bits), ty))
    }

    fn define(&mut self, value: Val<'c>, instruction: Instruction, ty: ScalarType) -> usize {
        let number = self.program.add(instruction, ty);
        self.numbers.push((value, number));
        number
    }

    fn operation(&mut self, operation: Op<'c>) -> Result<(), &'c str> {
        let name = ir::name(operation);
        if name == "scf.if" {
            return self.branches(operation);
        }
        let operands = ir::operands(operation);
        let numbers = operands.iter().map(|operand| self.number(*operand)).collect::<Result<Vec<_>, _>>()?;
        let first = numbers.first().map_or(ScalarType::Float, |number| self.program.values[*number]);
        let (Some(instruction), Some(result)) =
            (instruction(operation, &numbers, first), ir::results(operation).first().copied())
        else {
            return Err(name);
        };
        let ty = ScalarType::of(result.r#type()).ok_or(name)?;
        self.define(result, instruction, ty);
        Ok(())
    }

    /// An `scf.if`, as the selection between the values of its branches.
    fn branches(&mut self, operation: Op<'c>) -> Result<(), &'c str> {
        let name = ir::name(operation);
        let condition = self.number(*ir::operands(operation).first().ok_or(name)?)?;
        let mut branch = |block: Option<Blk<'c>>| {
            let mut inner = block.map(ir::block_operations).ok_or(name)?;
            let end = inner.pop().ok_or(name)?;
            inner.into_iter().try_for_each(|inner| self.operation(inner))?;
            ir::operands(end).into_iter().map(|value| self.number(value)).collect::<Result<Vec<_>, _>>()
        };
        let (first, second) = (branch(ir::body(operation, 0))?, branch(ir::body(operation, 1))?);
        for (result, (x, y)) in ir::results(operation).into_iter().zip(first.into_iter().zip(second)) {
            let ty = self.program.values[x];
            self.define(result, Instruction::Select(condition, x, y), ty);
        }
        Ok(())
    }
}

/// The instruction of an operation whose first operand has a type.
fn instruction(operation: Op<'_>, numbers: &[usize], first: ScalarType) -> Option<Instruction> {
    use Instruction as I;
    let name = ir::name(operation);
    let float = |is_maximum, ignores_nan| FloatExtreme { is_maximum, ignores_nan };
    match (name, numbers, first) {
        ("arith.select", &[condition, x, y], _) => Some(I::Select(condition, x, y)),
        ("arith.cmpf", &[x, y], _) => Some(I::Floats(FloatPredicate::of(operation)?, x, y)),
        ("arith.cmpi", &[x, y], ScalarType::Integer(width)) => {
            Some(I::Integers(IntPredicate::of(operation)?, width, x, y))
        }
        ("arith.andi", &[x, y], ScalarType::Integer(1)) => Some(I::And(x, y)),
        ("arith.ori", &[x, y], ScalarType::Integer(1)) => Some(I::Or(x, y)),
        ("arith.xori", &[x, y], ScalarType::Integer(1)) => Some(I::Xor(x, y)),
        ("arith.maximumf", &[x, y], _) => Some(I::FloatExtreme(float(true, false), x, y)),
        ("arith.minimumf", &[x, y], _) => Some(I::FloatExtreme(float(false, false), x, y)),
        ("arith.maxnumf", &[x, y], _) => Some(I::FloatExtreme(float(true, true), x, y)),
        ("arith.minnumf", &[x, y], _) => Some(I::FloatExtreme(float(false, true), x, y)),
        ("arith.maxsi", &[x, y], ScalarType::Integer(width)) => Some(I::IntegerExtreme(IntPredicate::Sgt, width, x, y)),
        ("arith.minsi", &[x, y], ScalarType::Integer(width)) => Some(I::IntegerExtreme(IntPredicate::Slt, width, x, y)),
        ("arith.maxui", &[x, y], ScalarType::Integer(width)) => Some(I::IntegerExtreme(IntPredicate::Ugt, width, x, y)),
        ("arith.minui", &[x, y], ScalarType::Integer(width)) => Some(I::IntegerExtreme(IntPredicate::Ult, width, x, y)),
        _ => None,
    }
}
