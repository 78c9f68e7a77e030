//! Decodes the text of a PTX module into a program for the interpreter.
mod body;
mod instruction;
mod memory;

use crate::{
    program::{Function, Program, UNWRITTEN, Variable},
    syntax::{Cursor, Error, tokens},
    types::Type,
};
use body::Body;
use std::collections::HashMap;

/// Gap in bytes between variables in shared memory, so that an access past the end of one does not reach another.
const GAP: u32 = 16;
/// The newest supported architecture (`sm_90`); code for older ones runs, too.
const NEWEST: u32 = 90;

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
enum Symbol {
    Register(u32),
    /// The address of a variable in global memory.
    Global(u64),
    Shared(Variable),
    /// Dynamic shared memory, after all static shared variables.
    DynamicShared,
    /// A variable in local memory, in the frame of a function.
    Local(Variable),
    Parameter(Variable),
    Function(u32),
}

/// Allocates global memory, initializes it with these bytes, and returns its address.
pub type Place<'p> = &'p mut dyn FnMut(&[u8]) -> Result<u64, String>;

/// Decodes a module. An unknown directive or instruction is an error even if it is never executed.
pub fn decode(text: &str, place: Place<'_>) -> Result<Program, Error> {
    let tokens = tokens(text)?;
    let mut module = Module { cursor: Cursor::new(&tokens), names: HashMap::new(), program: Program::default(), place };
    module.cursor.expect(".version")?;
    module.cursor.next();
    module.cursor.expect(".target")?;
    let target = module.cursor.peek();
    let number = target.strip_prefix("sm_").and_then(|number| number.parse::<u32>().ok());
    if number.is_none_or(|number| number > NEWEST) {
        return Err(module.cursor.error(format!("a target up to sm_{NEWEST} is required, got '{target}'")));
    }
    module.cursor.next();
    module.cursor.expect(".address_size")?;
    module.cursor.expect("64")?;
    while !module.cursor.is_done() {
        module.item()?;
    }
    let missing = module.program.functions.iter().find(|function| function.code.is_empty());
    if let Some(function) = missing {
        return Err(module.cursor.error(format!("the function '{}' requires a body", function.name)));
    }
    Ok(module.program)
}

/// The type and alignment of a declared variable: size of an element in bytes, and alignment in bytes.
struct Declaration {
    bytes: u32,
    alignment: u32,
}

struct Module<'t, 'p> {
    cursor: Cursor<'t>,
    names: HashMap<String, Symbol>,
    program: Program,
    place: Place<'p>,
}

impl<'t> Module<'t, '_> {
    /// Decodes a variable or function at module scope.
    fn item(&mut self) -> Result<(), Error> {
        let mut is_external = false;
        loop {
            match self.cursor.peek() {
                ".visible" | ".weak" => {}
                ".extern" => is_external = true,
                _ => break,
            }
            self.cursor.next();
        }
        match self.cursor.peek() {
            ".entry" | ".func" => self.function(),
            ".global" | ".const" => {
                self.cursor.next();
                self.global()
            }
            ".shared" => {
                self.cursor.next();
                let start = self.program.shared_bytes;
                let (name, symbol, end) = shared(&mut self.cursor, start, is_external)?;
                self.program.shared.extend(match symbol {
                    Symbol::Shared(variable) => Some(variable),
                    _ => None,
                });
                self.program.shared_bytes = end;
                self.names.insert(name, symbol);
                Ok(())
            }
            other => Err(self.cursor.error(format!("'{other}' is unknown here"))),
        }
    }

    /// Decodes a variable in global memory, with its initializer.
    fn global(&mut self) -> Result<(), Error> {
        let declaration = declaration(&mut self.cursor)?;
        let name = self.cursor.name()?.to_owned();
        let count = length(&mut self.cursor)?;
        let mut values = vec![];
        if self.cursor.take("=") {
            if self.cursor.take("{") {
                while !self.cursor.take("}") {
                    values.push(self.cursor.number()?);
                    if self.cursor.peek() != "}" {
                        self.cursor.expect(",")?;
                    }
                }
            } else {
                values.push(self.cursor.number()?);
            }
        }
        let count = count.unwrap_or(values.len().max(1) as u32);
        if values.len() > count as usize {
            return Err(self.cursor.error(format!("at most {count} values are required, got {}", values.len())));
        }
        let bytes = declaration.bytes as usize;
        let mut data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(bytes)).collect();
        data.resize(count as usize * bytes, 0);
        let address = (self.place)(&data).map_err(|text| self.cursor.error(text))?;
        self.names.insert(name, Symbol::Global(address));
        self.cursor.expect(";")
    }

    /// Decodes a function definition or declaration.
    fn function(&mut self) -> Result<(), Error> {
        let is_kernel = self.cursor.next() == ".entry";
        let mut frame = Frame::default();
        let results = if !is_kernel && self.cursor.peek() == "(" { self.formals(&mut frame)? } else { vec![] };
        let name = self.cursor.name()?.to_owned();
        let parameters = if self.cursor.peek() == "(" { self.formals(&mut frame)? } else { vec![] };
        let mut function = Function { name: name.clone(), is_kernel, ..Function::default() };
        let variables = |formals: &[(String, Variable)]| formals.iter().map(|(_, variable)| *variable).collect();
        (function.results, function.parameters) = (variables(&results), variables(&parameters));
        self.attributes(&mut function)?;
        let number = match self.names.get(&name) {
            Some(Symbol::Function(number)) => *number,
            Some(_) => return Err(self.cursor.error(format!("'{name}' is there twice"))),
            None => {
                self.program.functions.push(function.clone());
                self.program.functions.len() as u32 - 1
            }
        };
        self.names.insert(name, Symbol::Function(number));
        if self.cursor.take(";") {
            return Ok(());
        }
        let formals = results.into_iter().chain(parameters);
        let names = formals.map(|(name, variable)| (name, Symbol::Parameter(variable))).collect();
        let body = Body::new(&mut self.cursor, &self.names, &self.program, function, frame, names);
        self.program.functions[number as usize] = body.decode()?;
        Ok(())
    }

    /// Decodes a parenthesized list of parameters or results.
    fn formals(&mut self, frame: &mut Frame) -> Result<Vec<(String, Variable)>, Error> {
        let mut formals = vec![];
        self.cursor.expect("(")?;
        while !self.cursor.take(")") {
            if !formals.is_empty() {
                self.cursor.expect(",")?;
            }
            self.cursor.expect(".param")?;
            let declaration = declaration(&mut self.cursor)?;
            let name = self.cursor.name()?.to_owned();
            let count = length(&mut self.cursor)?.unwrap_or(1);
            formals.push((name, frame.add(&declaration, count)));
        }
        Ok(formals)
    }

    /// Decodes the performance and launch directives of a kernel.
    fn attributes(&mut self, function: &mut Function) -> Result<(), Error> {
        loop {
            match self.cursor.peek() {
                name @ (".reqntid" | ".maxntid") => {
                    self.cursor.next();
                    let mut threads = [1; 3];
                    for (place, count) in threads.iter_mut().enumerate() {
                        if place == 0 || self.cursor.take(",") {
                            *count = self.cursor.size()?;
                        }
                    }
                    match name {
                        ".reqntid" => function.required_threads = Some(threads),
                        _ => function.most_threads = Some(threads.iter().product()),
                    }
                }
                // Register allocation hints for the assembler.
                ".minnctapersm" | ".maxnreg" => {
                    self.cursor.next();
                    self.cursor.size()?;
                }
                ".noreturn" => {
                    self.cursor.next();
                }
                _ => return Ok(()),
            }
        }
    }
}

/// The layout of the variables of a frame.
#[derive(Default)]
struct Frame {
    bytes: u32,
}

impl Frame {
    fn add(&mut self, declaration: &Declaration, count: u32) -> Variable {
        let offset = self.bytes.next_multiple_of(declaration.alignment);
        let bytes = declaration.bytes * count;
        self.bytes = offset + bytes;
        Variable { offset, bytes }
    }
}

/// Decodes what precedes the name of a variable or parameter: alignment, type, and pointee attributes (`.ptr`).
fn declaration(cursor: &mut Cursor<'_>) -> Result<Declaration, Error> {
    let (mut alignment, mut bytes, mut is_pointer) = (None, None, false);
    while cursor.peek().starts_with('.') {
        let word = cursor.next();
        match word {
            // After `.ptr`, `.align` is the alignment of the pointee.
            ".align" => {
                let size = cursor.size()?;
                if !size.is_power_of_two() {
                    return Err(cursor.error(format!("an alignment is required to be a power of two, got {size}")));
                }
                alignment = alignment.or(Some(size).filter(|_| !is_pointer));
            }
            ".ptr" => is_pointer = true,
            ".global" | ".shared" | ".local" | ".const" if is_pointer => {}
            _ => match Type::parse(&word[1..]) {
                Some(ty) if bytes.is_none() => bytes = Some(u32::from(ty.bytes())),
                _ => return Err(cursor.error(format!("'{word}' is unknown in a declaration"))),
            },
        }
    }
    let bytes = bytes.ok_or_else(|| cursor.error("a variable requires a type"))?;
    Ok(Declaration { bytes, alignment: alignment.unwrap_or(bytes).max(bytes) })
}

/// The number of elements of a variable: 1 for a scalar, `None` for an array without a size.
fn length(cursor: &mut Cursor<'_>) -> Result<Option<u32>, Error> {
    if !cursor.take("[") {
        return Ok(Some(1));
    }
    if cursor.take("]") {
        return Ok(None);
    }
    let count = cursor.size()?;
    cursor.expect("]")?;
    Ok(Some(count))
}

/// Places a variable in shared memory at or after `start`. Returns its name, its symbol, and the first free offset
/// after it.
fn shared(cursor: &mut Cursor<'_>, start: u32, is_external: bool) -> Result<(String, Symbol, u32), Error> {
    let declaration = declaration(cursor)?;
    let name = cursor.name()?.to_owned();
    let count = length(cursor)?;
    cursor.expect(";")?;
    let Some(count) = count else {
        if !is_external {
            return Err(cursor.error(format!("'{name}' requires a size")));
        }
        return Ok((name, Symbol::DynamicShared, start));
    };
    let offset = start.next_multiple_of(declaration.alignment);
    let bytes = declaration.bytes * count;
    Ok((name, Symbol::Shared(Variable { offset, bytes }), offset + bytes + GAP))
}

/// The value of a register that has not been written.
const UNWRITTEN_REGISTER: u64 = u64::from_ne_bytes([UNWRITTEN; 8]);
