//! Checks that blocks form a tree, that values and buffers are in the tables of the nest, and that yields are correct.
use super::operands::types;
use crate::nest::{
    index::Index::Computed,
    print::names::Names,
    tree::{Block, Nest, Operation, Statement, Value},
};

/// Checks that blocks form a tree.
pub fn check_tree(nest: &Nest) -> Result<(), String> {
    let mut counts = vec![0; nest.blocks.len()];
    for block in nest.blocks.iter().flatten().flat_map(|statement| statement.operation.blocks()) {
        let Some(count) = counts.get_mut(block.0 as usize) else {
            return Err(format!("requires block {}, but there are {} blocks", block.0, nest.blocks.len()));
        };
        *count += 1;
    }
    for (number, count) in counts.iter().enumerate() {
        let expected = i32::from(number != 0);
        if *count != expected {
            return Err(format!("requires block {number} to be a body of {expected} statements, but it is of {count}"));
        }
    }
    let mut reached = vec![false; nest.blocks.len()];
    let mut open = vec![Nest::BODY];
    while let Some(block) = open.pop() {
        reached[block.0 as usize] = true;
        open.extend(nest.block(block).iter().flat_map(|statement| statement.operation.blocks()));
    }
    match reached.iter().position(|reached| !reached) {
        Some(number) => Err(format!("requires block {number} to be inside of block 0, but it is inside of itself")),
        None => Ok(()),
    }
}

/// Checks that all values have types and all buffers are known.
pub fn check_numbers(nest: &Nest) -> Result<(), String> {
    let statements = || nest.blocks.iter().flatten();
    let values = statements().flat_map(|s| [&s.operands[..], &s.results, &s.operation.arguments()].concat());
    let values = values.chain(statements().flat_map(|s| others(&s.operation))).chain(nest.parameters.clone());
    if let Some(Value(number)) = values.max().filter(|value| value.0 as usize >= nest.types.len()) {
        return Err(format!("requires a type of value {number}, but there are {} types", nest.types.len()));
    }
    let buffers = statements().flat_map(|s| [s.operation.allocated(), s.operation.used()].concat());
    match buffers.max().filter(|buffer| buffer.0 as usize >= nest.buffers.len()) {
        Some(buffer) => Err(format!("requires buffer {}, but there are {} buffers", buffer.0, nest.buffers.len())),
        None => Ok(()),
    }
}

/// The values that a statement refers to in addition to its operands.
fn others(operation: &Operation) -> Vec<Value> {
    let computed = |index| if let Computed(value) = index { Some(value) } else { None };
    match operation {
        Operation::View { of, .. } => vec![*of],
        Operation::Kernel(kernel) => kernel.levels.iter().flatten().filter_map(|share| computed(share.part)).collect(),
        Operation::Scalar(scalar) => {
            let indices = scalar.indices.iter().flat_map(|index| [Some(index.first), index.stride, index.inside]);
            indices.flatten().filter_map(computed).collect()
        }
        _ => vec![],
    }
}

/// Checks that a block ends with a yield of the result types of a loop or a branch, or has no yield. `owner`: that loop
/// or branch; `None` if the block belongs to another kind of statement.
pub fn check_yields(names: &Names<'_>, block: Block, owner: Option<&Statement>) -> Result<(), String> {
    let statements = names.nest().block(block);
    let is_yield = |statement: &&Statement| statement.operation == Operation::Yield;
    let Some(owner) = owner else {
        let found = statements.iter().find(is_yield);
        return found.map_or(Ok(()), |found| {
            let line = names.line(found);
            Err(format!("`{line}` requires the block of a loop or of a branch, but is in another one"))
        });
    };
    let count = statements.iter().filter(is_yield).count();
    let problem = match statements.last().filter(is_yield).filter(|_| count == 1) {
        None => format!("blocks with one yield, at their ends, but one has {count}"),
        Some(last) => {
            let (expected, actual) = (types(names, &owner.results), types(names, &last.operands));
            if actual == expected {
                return Ok(());
            }
            format!("blocks that yield ({expected}), but one yields ({actual})")
        }
    };
    Err(format!("`{}` requires {problem}", names.line(owner)))
}
