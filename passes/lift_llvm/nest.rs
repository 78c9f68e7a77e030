//! Nests: loops that become a function, what they take, and what they change.
use super::{
    arithmetic::{has_no_effect, is_arithmetic, is_integer_arithmetic, is_number},
    graph::{FlowGraph, FlowLoop},
    pointer::{Base, Pointer, size},
};
use mdh_dialects::ir::{self, Blk, Edge, Op, Val};
use melior::ir::{Type, ValueLike};
use std::collections::BTreeSet;

/// Why a nest stays: where, and the requirement that is not met.
pub type Stays<'c> = (Op<'c>, String);

/// What the function of a nest takes.
#[derive(Clone, Debug, PartialEq)]
pub enum NestInput<'c> {
    /// A number.
    Number(Val<'c>),
    /// The elements of an object.
    Memory(NestMemory<'c>),
}

/// The elements of an object that a nest accesses.
#[derive(Clone, Debug, PartialEq)]
pub struct NestMemory<'c> {
    /// The pointer.
    pub base: Val<'c>,
    /// The type of all elements that are accessed.
    pub element: Type<'c>,
    /// The number of bytes of an element.
    pub bytes: i64,
    /// What is known of the object.
    pub object: Base<'c>,
    /// Sizes of inner dimensions that the program declares; empty if it does not.
    pub inner_sizes: Vec<i64>,
}

/// A loop with the loops inside, which can become a function.
pub struct FlowNest<'c> {
    /// The branch to it from outside.
    pub entry: Edge<'c>,
    /// The branch from it.
    pub exit: Edge<'c>,
    /// The block that the entry leads to.
    pub header: Blk<'c>,
    /// Its blocks, in reverse post-order.
    pub blocks: Vec<Blk<'c>>,
    /// What it takes.
    pub inputs: Vec<NestInput<'c>>,
    /// Numbers that it computes and that are used after it.
    pub outputs: Vec<Val<'c>>,
    /// True if no address is computed by sums that may wrap around.
    pub is_exact: bool,
    /// The branch back that a directive is on.
    pub directive: Option<Op<'c>>,
}

impl<'c> FlowNest<'c> {
    /// Reads a loop of a function.
    pub fn of(function: Op<'c>, graph: &FlowGraph<'c>, of: &FlowLoop) -> Result<Self, Stays<'c>> {
        let blocks: Vec<_> = of.blocks.iter().map(|block| graph.blocks[*block]).collect();
        let header = graph.blocks[of.header];
        let place = |block: Blk<'c>| ir::terminator(block).unwrap_or(function);
        if graph.has_inner_directive(of) {
            return Err((place(header), "requires loops without a directive inside".into()));
        }
        let is_inside = |block: &usize| of.blocks.contains(block);
        let Some(entry) = graph.entry(of) else {
            return Err((place(header), "requires one entry, from a block before the loop".into()));
        };
        let exits = of.blocks.iter().flat_map(|block| &graph.edges[*block]).filter(|(to, _)| !is_inside(to));
        let exits: Vec<_> = exits.map(|(_, edge)| edge).collect();
        let exit = match exits[..] {
            [exit] => exit,
            [] => return Err((place(header), "requires a loop that ends".into())),
            [_, second, ..] => {
                return Err((second.from, "requires one way out of the loop, but it is also left here".into()));
            }
        };
        let mut nest = Self {
            entry: entry.clone(),
            exit: exit.clone(),
            header,
            blocks,
            inputs: vec![],
            outputs: vec![],
            is_exact: true,
            directive: graph.directive(of),
        };
        nest.read(function)?;
        Ok(nest)
    }

    /// True if a value is computed in the nest.
    pub fn defines(&self, value: Val<'c>) -> bool {
        let owner = ir::defining(value).and_then(ir::block).or_else(|| ir::owner(value));
        owner.is_some_and(|owner| self.blocks.contains(&owner))
    }

    /// Collects what the nest takes and changes. The error is the first operation that cannot be in a function.
    fn read(&mut self, function: Op<'c>) -> Result<(), Stays<'c>> {
        for block in self.blocks.clone() {
            for argument in ir::arguments(block) {
                if !is_number(argument.r#type()) {
                    let at = ir::terminator(block).unwrap_or(function);
                    let reason = match ir::pointer_space(argument.r#type()) {
                        Some(_) => "requires pointers that no loop advances".to_owned(),
                        None => format!("requires loops that carry numbers, but one carries {}", argument.r#type()),
                    };
                    return Err((at, reason));
                }
            }
            for operation in ir::block_operations(block) {
                self.operation(operation, function)?;
            }
        }
        for value in self.entry.values.clone() {
            self.number(value, self.entry.from)?;
        }
        self.find_outputs()
    }

    fn operation(&mut self, operation: Op<'c>, function: Op<'c>) -> Result<(), Stays<'c>> {
        let at = |reason: String| (operation, reason);
        match ir::name(operation) {
            "llvm.br" | "llvm.cond_br" => {
                ir::operands(operation).into_iter().try_for_each(|value| self.number(value, operation))
            }
            "llvm.load" | "llvm.store" => self.access(operation, function),
            // A pointer is read where an element is accessed.
            "llvm.getelementptr" if ir::results(operation).iter().all(|result| self.is_address(*result)) => Ok(()),
            _ if has_no_effect(operation) => Ok(()),
            _ if is_arithmetic(operation) => {
                ir::operands(operation).into_iter().try_for_each(|value| self.number(value, operation))
            }
            "llvm.call" => {
                let callee = ir::callee_symbol(operation).map_or("a pointer".to_owned(), |name| format!("'{name}'"));
                let hint = match ir::callee_symbol(operation) {
                    Some("sqrt" | "sqrtf" | "exp" | "expf" | "log" | "logf" | "pow" | "powf") => {
                        ", which may write errno (-fno-math-errno)"
                    }
                    _ => "",
                };
                Err(at(format!("requires no calls, but {callee} is called{hint}")))
            }
            "llvm.switch" => Err(at("requires branches with two ways, but this is a switch".into())),
            "llvm.alloca" => Err(at("requires memory from outside of the loop, but this is a local array".into())),
            "llvm.inline_asm" => Err(at("requires no assembly".into())),
            "llvm.unreachable" | "llvm.return" => Err(at("requires a loop that ends".into())),
            name => Err(at(format!("requires operations on numbers, but this is {name}"))),
        }
    }

    /// True if a pointer is only used to access elements.
    fn is_address(&self, pointer: Val<'c>) -> bool {
        ir::users(pointer).into_iter().all(|user| match ir::name(user) {
            "llvm.load" => true,
            "llvm.store" => ir::operands(user)[0] != pointer,
            "llvm.getelementptr" => ir::operands(user)[1..].iter().all(|index| *index != pointer),
            _ => has_no_effect(user),
        })
    }

    fn access(&mut self, operation: Op<'c>, function: Op<'c>) -> Result<(), Stays<'c>> {
        let at = |reason: String| (operation, reason);
        let operands = ir::operands(operation);
        let (pointer, element) = match ir::name(operation) {
            "llvm.load" => (operands[0], ir::results(operation)[0].r#type()),
            _ => (operands[1], operands[0].r#type()),
        };
        if ir::attribute(operation, "volatile_").is_some() {
            return Err(at("requires no volatile accesses".into()));
        }
        if ir::attribute(operation, "ordering").and_then(ir::integer_attribute).is_some_and(|ordering| ordering != 0) {
            return Err(at("requires no atomic accesses".into()));
        }
        if ir::pointer_space(pointer.r#type()) != Some(0) {
            return Err(at("requires memory of the processor".into()));
        }
        if let [value, _] = operands[..] {
            self.number(value, operation)?;
        }
        let bytes = size(element).filter(|_| is_number(element) && !ir::is_boolean(element));
        let Some(bytes) = bytes else {
            let what = if ir::pointer_space(element).is_some() { "a pointer".to_owned() } else { element.to_string() };
            return Err(at(format!("requires elements that are numbers, but this is {what}")));
        };
        let found = Pointer::of(pointer).map_err(at)?;
        if self.defines(found.base) {
            let reason = "requires pointers from outside of the loop, but this one is computed in it";
            return Err(at(reason.into()));
        }
        self.is_exact &= found.is_exact;
        let factors = found.terms.iter().map(|(_, factor)| factor).chain([&found.bytes]);
        if let Some(other) = factors.copied().find(|factor| factor % bytes != 0) {
            return Err(at(format!("requires elements {bytes} bytes apart, but they are {other} bytes apart")));
        }
        for (term, _) in &found.terms {
            self.number(*term, operation)?;
        }
        let sizes = found.inner_sizes;
        let memories = self.inputs.iter_mut().filter_map(|input| match input {
            NestInput::Memory(memory) => Some(memory),
            NestInput::Number(_) => None,
        });
        let object = Base::of(found.base, function);
        let mut same = memories.filter(|memory| is_same(memory, found.base, object));
        match same.next() {
            Some(memory) if memory.element != element => Err((
                operation,
                format!(
                    "requires one type for all elements of an object, but they are {} and {element}",
                    memory.element
                ),
            )),
            Some(memory) => {
                if sizes.len() > memory.inner_sizes.len() {
                    memory.inner_sizes = sizes;
                }
                Ok(())
            }
            None => {
                let memory = NestMemory { base: found.base, element, bytes, object, inner_sizes: sizes };
                self.inputs.push(NestInput::Memory(memory));
                Ok(())
            }
        }
    }

    /// A number that the nest reads: what is computed outside becomes an input, or is computed anew.
    fn number(&mut self, value: Val<'c>, at: Op<'c>) -> Result<(), Stays<'c>> {
        if !is_number(value.r#type()) {
            return Err((at, format!("requires numbers, but a value is {}", value.r#type())));
        }
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if self.defines(value) {
                continue;
            }
            match computed_anew(value) {
                Some(operation) => open.extend(ir::operands(operation).into_iter().rev()),
                None => {
                    let input = NestInput::Number(value);
                    if !self.inputs.contains(&input) {
                        self.inputs.push(input);
                    }
                }
            }
        }
        Ok(())
    }

    /// Finds what is used after the nest.
    fn find_outputs(&mut self) -> Result<(), Stays<'c>> {
        let mut outputs = vec![];
        for block in &self.blocks {
            let computed = ir::block_operations(*block).into_iter().flat_map(ir::results);
            for value in ir::arguments(*block).into_iter().chain(computed) {
                let is_outside = |user: &Op<'c>| {
                    !ir::block(*user).is_some_and(|block| self.blocks.contains(&block)) && !has_no_effect(*user)
                };
                let is_used = self.exit.values.contains(&value) || ir::users(value).iter().any(is_outside);
                if is_used && !is_number(value.r#type()) {
                    let reason = "requires that loops compute numbers, but a pointer is used after the loop";
                    return Err((self.exit.from, reason.into()));
                }
                if is_used {
                    outputs.push(value);
                }
            }
        }
        self.outputs = outputs;
        Ok(())
    }
}

/// True for the memory of a base: that pointer, or another address of the same variable.
pub fn is_same<'c>(memory: &NestMemory<'c>, base: Val<'c>, object: Base<'c>) -> bool {
    memory.base == base || matches!(object, Base::Global(_)) && memory.object == object
}

/// The operation that computes a value, if it may be computed once more: integer arithmetic, and constants.
pub fn computed_anew<'c>(value: Val<'c>) -> Option<Op<'c>> {
    const LIMIT: usize = 64;
    let definition = ir::defining(value).filter(|definition| is_integer_arithmetic(*definition))?;
    let mut seen = BTreeSet::new();
    let mut open = vec![definition];
    while let Some(operation) = open.pop() {
        if seen.insert(operation.to_raw().ptr as usize) {
            let operands = ir::operands(operation).into_iter().filter_map(ir::defining);
            open.extend(operands.filter(|definition| is_integer_arithmetic(*definition)));
        }
        if seen.len() > LIMIT {
            return None;
        }
    }
    Some(definition)
}
