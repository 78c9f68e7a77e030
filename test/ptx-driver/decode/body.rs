//! Decodes the body of a function: registers, variables, labels, and instructions in order.
use super::{Frame, Symbol, UNWRITTEN_REGISTER, declaration, length, shared};
use crate::{
    program::{Function, Instruction, Operation, Program, Slot, Variable, slots},
    syntax::{Cursor, Error},
    types::Type,
};
use std::collections::HashMap;

/// Alignment of dynamic shared memory, in bytes.
const DYNAMIC_ALIGNMENT: u32 = 16;

/// A function during decoding.
pub struct Body<'b, 't> {
    pub cursor: &'b mut Cursor<'t>,
    /// Symbols of the module.
    outer: &'b HashMap<String, Symbol>,
    pub program: &'b Program,
    function: Function,
    frame: Frame,
    /// Symbols of the function, and of each nested block that is open.
    scopes: Vec<HashMap<String, Symbol>>,
    constants: HashMap<u64, Slot>,
    /// The constant slot with the offset of dynamic shared memory. The offset is known at the end of the function.
    dynamic: Option<Slot>,
    labels: HashMap<&'t str, u32>,
    /// Label lists of `.branchtargets`.
    lists: HashMap<&'t str, Vec<&'t str>>,
    /// Branches to patch: index of the instruction, and its target.
    branches: Vec<(usize, Target<'t>)>,
}

/// The target of a branch.
enum Target<'t> {
    Label(&'t str),
    List(&'t str),
}

impl<'b, 't> Body<'b, 't> {
    pub fn new(
        cursor: &'b mut Cursor<'t>,
        outer: &'b HashMap<String, Symbol>,
        program: &'b Program,
        mut function: Function,
        frame: Frame,
        names: HashMap<String, Symbol>,
    ) -> Self {
        function.frame = vec![UNWRITTEN_REGISTER; slots::FIRST_SPECIAL as usize + slots::SPECIALS.len()];
        function.shared = program.shared.clone();
        function.shared_bytes = program.shared_bytes;
        Self {
            cursor,
            outer,
            program,
            function,
            frame,
            scopes: vec![names],
            constants: HashMap::new(),
            dynamic: None,
            labels: HashMap::new(),
            lists: HashMap::new(),
            branches: vec![],
        }
    }

    /// Decodes a braced body.
    pub fn decode(mut self) -> Result<Function, Error> {
        self.cursor.expect("{")?;
        while !self.scopes.is_empty() {
            self.statement()?;
        }
        // Control that reaches the end of the body returns.
        self.push(Operation::Return);
        for (place, target) in std::mem::take(&mut self.branches) {
            let line = self.function.lines[place];
            let find = |label: &str| {
                let found = self.labels.get(label).copied();
                found.ok_or_else(|| Error::new(line, format!("the label '{label}' is not there")))
            };
            match (&target, &mut self.function.code[place].operation) {
                (Target::Label(label), Operation::Branch(to)) => *to = find(label)?,
                (Target::List(list), Operation::BranchTo(_, to)) => {
                    let labels = self.lists.get(list);
                    let labels = labels.ok_or_else(|| Error::new(line, format!("the list '{list}' is not there")))?;
                    *to = labels.iter().map(|label| find(label)).collect::<Result<_, _>>()?;
                }
                _ => {}
            }
        }
        let start = self.function.shared_bytes.next_multiple_of(DYNAMIC_ALIGNMENT);
        self.function.dynamic_shared = start;
        if let Some(slot) = self.dynamic {
            self.function.frame[slot as usize] = start.into();
        }
        self.function.frame_bytes = self.frame.bytes.next_multiple_of(16);
        Ok(self.function)
    }

    fn statement(&mut self) -> Result<(), Error> {
        match self.cursor.peek() {
            "" => return Err(self.cursor.error("'}' is required at the end of a function")),
            "{" => {
                self.cursor.next();
                self.scopes.push(HashMap::new());
            }
            "}" => {
                self.cursor.next();
                self.scopes.pop();
            }
            ";" => {
                self.cursor.next();
            }
            ".reg" => self.registers()?,
            ".local" => self.variable(Symbol::Local)?,
            ".param" => self.variable(Symbol::Parameter)?,
            ".shared" => self.shared()?,
            // A hint to the assembler.
            ".pragma" => {
                self.cursor.next();
                let advice = self.cursor.next();
                if advice != "\"nounroll\"" {
                    return Err(self.cursor.error(format!("the pragma {advice} is unknown")));
                }
                self.cursor.expect(";")?;
            }
            word if word.starts_with('.') => {
                return Err(self.cursor.error(format!("the directive '{word}' is unknown")));
            }
            _ if self.cursor.peek_second() == ":" => self.label()?,
            _ => self.guarded()?,
        }
        Ok(())
    }

    /// Decodes `.reg .b32 %r<50>;` or `.reg .b32 a, b;`.
    fn registers(&mut self) -> Result<(), Error> {
        self.cursor.next();
        let ty = self.cursor.next();
        if Type::parse(ty.trim_start_matches('.')).is_none() {
            return Err(self.cursor.error(format!("a type of registers is required, got '{ty}'")));
        }
        loop {
            let name = self.cursor.name()?;
            if self.cursor.take("<") {
                for number in 0..self.cursor.size()? {
                    let slot = self.slot(UNWRITTEN_REGISTER);
                    self.declare(format!("{name}{number}"), Symbol::Register(slot));
                }
                self.cursor.expect(">")?;
            } else {
                let slot = self.slot(UNWRITTEN_REGISTER);
                self.declare(name.to_owned(), Symbol::Register(slot));
            }
            if self.cursor.take(";") {
                return Ok(());
            }
            self.cursor.expect(",")?;
        }
    }

    /// Decodes a variable in the frame.
    fn variable(&mut self, symbol: impl FnOnce(Variable) -> Symbol) -> Result<(), Error> {
        self.cursor.next();
        let declaration = declaration(self.cursor)?;
        let name = self.cursor.name()?.to_owned();
        let count = length(self.cursor)?.ok_or_else(|| self.cursor.error(format!("'{name}' requires a size")))?;
        let variable = self.frame.add(&declaration, count);
        self.declare(name, symbol(variable));
        self.cursor.expect(";")
    }

    fn shared(&mut self) -> Result<(), Error> {
        self.cursor.next();
        if !self.function.is_kernel {
            return Err(self.cursor.error("shared memory of a function that is no kernel is unknown"));
        }
        let (name, symbol, end) = shared(self.cursor, self.function.shared_bytes, false)?;
        if let Symbol::Shared(variable) = symbol {
            self.function.shared.push(variable);
        }
        self.function.shared_bytes = end;
        self.declare(name, symbol);
        Ok(())
    }

    /// Decodes a label, or a list of labels.
    fn label(&mut self) -> Result<(), Error> {
        let name = self.cursor.name()?;
        self.cursor.expect(":")?;
        if self.cursor.take(".branchtargets") {
            let mut labels = vec![self.cursor.name()?];
            while self.cursor.take(",") {
                labels.push(self.cursor.name()?);
            }
            self.lists.insert(name, labels);
            return self.cursor.expect(";");
        }
        self.labels.insert(name, self.function.code.len() as u32);
        Ok(())
    }

    /// Decodes an instruction with an optional guard predicate.
    fn guarded(&mut self) -> Result<(), Error> {
        let mut guard = None;
        if self.cursor.take("@") {
            let is_negated = self.cursor.take("!");
            let name = self.cursor.name()?;
            guard = Some((self.register(name)?, is_negated));
        }
        let line = self.cursor.line();
        let name = self.cursor.name()?;
        let operands = self.cursor.operands()?;
        let operation = self.instruction(name, &operands).map_err(|error| Error { line, ..error })?;
        self.function.code.push(Instruction { guard, operation });
        self.function.lines.push(line);
        Ok(())
    }

    /// Emits an instruction before the one that is being decoded.
    pub fn push(&mut self, operation: Operation) {
        self.function.code.push(Instruction { guard: None, operation });
        self.function.lines.push(self.cursor.line());
    }

    /// Records the target label of the next instruction.
    pub fn goes_to(&mut self, label: &'t str) {
        self.branches.push((self.function.code.len(), Target::Label(label)));
    }

    /// Records the target list of the next instruction.
    pub fn goes_to_one_of(&mut self, list: &'t str) {
        self.branches.push((self.function.code.len(), Target::List(list)));
    }

    fn declare(&mut self, name: String, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, symbol);
        }
    }

    /// Allocates a slot in the frame, with its initial value.
    pub fn slot(&mut self, value: u64) -> Slot {
        self.function.frame.push(value);
        self.function.frame.len() as Slot - 1
    }

    pub fn constant(&mut self, value: u64) -> Slot {
        if let Some(slot) = self.constants.get(&value) {
            return *slot;
        }
        let slot = self.slot(value);
        self.constants.insert(value, slot);
        slot
    }

    pub fn dynamic_shared(&mut self) -> Result<Slot, Error> {
        if !self.function.is_kernel {
            return Err(self.cursor.error("dynamic shared memory in a function that is no kernel is unknown"));
        }
        if let Some(slot) = self.dynamic {
            return Ok(slot);
        }
        let slot = self.slot(0);
        self.dynamic = Some(slot);
        Ok(slot)
    }

    pub fn find(&self, name: &str) -> Result<Symbol, Error> {
        let own = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        own.or_else(|| self.outer.get(name)).copied().ok_or_else(|| self.cursor.error(format!("'{name}' is unknown")))
    }

    /// The register of a name; `_` is the sink, which discards values.
    pub fn register(&self, name: &str) -> Result<Slot, Error> {
        if name == "_" {
            return Ok(slots::SINK);
        }
        match self.find(name)? {
            Symbol::Register(slot) => Ok(slot),
            _ => Err(self.cursor.error(format!("a register is required, got '{name}'"))),
        }
    }
}
