//! Decodes instructions by name.
use super::{Symbol, body::Body};
use crate::{
    compare,
    convert::{self, Conversion},
    float, integer,
    program::{Call, Combination, Exchange, LOCAL_WINDOW, Operation, SHARED_WINDOW, Shuffle, Slot, Variable, slots},
    syntax::{Error, Operand},
    types::Type,
};

impl<'t> Body<'_, 't> {
    /// Decodes an instruction from its name and operands. An unknown modifier is an error.
    pub fn instruction(&mut self, name: &str, operands: &[Operand<'t>]) -> Result<Operation, Error> {
        let parts: Vec<_> = name.split('.').collect();
        let operation = match (parts.as_slice(), operands) {
            (["ld" | "st", ..], _) => self.access(&parts, operands)?,
            (["mov", ty], [to, from]) => self.r#move(ty, to, from)?,
            (["cvt", rest @ ..], _) => self.convert(rest, operands)?,
            (["cvta", rest @ ..], [to, from]) => {
                let (to, from) = (self.destination(to)?, self.source(from)?);
                match rest {
                    ["local", "u64"] => Operation::Unary(|a| a.wrapping_add(LOCAL_WINDOW), to, from),
                    ["to", "local", "u64"] => Operation::Unary(|a| a.wrapping_sub(LOCAL_WINDOW), to, from),
                    ["shared", "u64"] => Operation::Unary(|a| a.wrapping_add(SHARED_WINDOW), to, from),
                    ["to", "shared", "u64"] => Operation::Unary(|a| a.wrapping_sub(SHARED_WINDOW), to, from),
                    ["global" | "const", "u64"] | ["to", "global" | "const", "u64"] => Operation::Move(to, from),
                    _ => return Err(self.unknown(name)),
                }
            }
            (["setp", rest @ ..], [to, from @ ..]) => self.compare(rest, to, from)?,
            (["selp", ty], [to, a, b, predicate]) if Type::parse(ty).is_some() => {
                let to = self.destination(to)?;
                Operation::Select(to, self.source(a)?, self.source(b)?, self.source(predicate)?)
            }
            (["shfl", "sync", mode, "b32"], [to, from, lane, clamp, members]) => {
                let exchange = match *mode {
                    "up" => Exchange::Up,
                    "down" => Exchange::Down,
                    "bfly" => Exchange::Butterfly,
                    "idx" => Exchange::Index,
                    _ => return Err(self.unknown(name)),
                };
                let (to, is_valid) = self.pair(to)?;
                let (from, lane) = (self.source(from)?, self.source(lane)?);
                let (clamp, members) = (self.source(clamp)?, self.source(members)?);
                Operation::Shuffle(Box::new(Shuffle { exchange, to, is_valid, from, lane, clamp, members }))
            }
            (["bfi", ty @ ("b32" | "b64")], [to, bits, into, place, length]) => {
                let to = self.destination(to)?;
                let from = [self.source(bits)?, self.source(into)?, self.source(place)?, self.source(length)?];
                Operation::Insert { to, from, width: if *ty == "b32" { 32 } else { 64 } }
            }
            (["cp", "async", rest @ ..], _) => self.copy(rest, operands)?,
            (["bar", "sync"] | ["barrier", "sync", "aligned"] | ["barrier", "cta", "sync", "aligned"], [number]) => {
                Operation::Barrier { number: self.source(number)?, is_aligned: true }
            }
            (["barrier", "sync"] | ["barrier", "cta", "sync"], [number]) => {
                Operation::Barrier { number: self.source(number)?, is_aligned: false }
            }
            (["membar", "cta" | "gl" | "sys"] | ["fence", "sc" | "acq_rel", "cta" | "gpu" | "sys"], []) => {
                Operation::Fence
            }
            (["bra"] | ["bra", "uni"], [Operand::Name(label)]) => {
                self.goes_to(label);
                Operation::Branch(0)
            }
            (["brx", "idx"] | ["brx", "idx", "uni"], [place, Operand::Name(list)]) => {
                let place = self.source(place)?;
                self.goes_to_one_of(list);
                Operation::BranchTo(place, Box::default())
            }
            (["call"] | ["call", "uni"], _) => self.call(operands)?,
            (["ret"] | ["ret", "uni"], []) => Operation::Return,
            (["exit"], []) => Operation::Exit,
            (["trap"], []) => Operation::Trap,
            _ => self.arithmetic(name, operands)?,
        };
        Ok(operation)
    }

    /// Decodes an arithmetic instruction, whose operands and result have the type at the end of its name.
    fn arithmetic(&mut self, name: &str, operands: &[Operand<'t>]) -> Result<Operation, Error> {
        let (key, ty) = name.rsplit_once('.').ok_or_else(|| self.unknown(name))?;
        let ty = Type::parse(ty).ok_or_else(|| self.unknown(name))?;
        let is_float = ty.is_float();
        let [to, from @ ..] = operands else { return Err(self.unknown(name)) };
        let to = self.destination(to)?;
        let from: Vec<_> = from.iter().map(|operand| self.source(operand)).collect::<Result<_, _>>()?;
        let plain = key.strip_suffix(".cc").unwrap_or(key);
        if plain != key || ["addc", "subc", "madc.lo", "madc.hi"].contains(&key) {
            let (function, count) = integer::carrying(plain, ty).ok_or_else(|| self.unknown(name))?;
            let mut all = [slots::SINK; 3];
            if from.len() != count {
                return Err(self.unknown(name));
            }
            all[..count].copy_from_slice(&from);
            return Ok(Operation::Carry { function, to, from: all, writes: plain != key });
        }
        let operation = match from[..] {
            [a] => {
                let function = if is_float { float::unary(key, ty) } else { integer::unary(key, ty) };
                function.map(|function| Operation::Unary(function, to, a))
            }
            [a, b] => {
                let function = if is_float { float::binary(key, ty) } else { integer::binary(key, ty) };
                function.map(|function| Operation::Binary(function, to, a, b))
            }
            [a, b, c] => {
                let function = if is_float { float::ternary(key, ty) } else { integer::ternary(key, ty) };
                function.map(|function| Operation::Ternary(function, to, a, b, c))
            }
            _ => None,
        };
        operation.ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> Error {
        self.cursor.error(format!("the instruction '{name}' is unknown, or not with these operands"))
    }

    /// Decodes `mov`. One side may be a vector of registers, which is packed into or unpacked from one register.
    fn r#move(&mut self, ty: &str, to: &Operand<'t>, from: &Operand<'t>) -> Result<Operation, Error> {
        let bytes = Type::parse(ty).ok_or_else(|| self.unknown(&format!("mov.{ty}")))?.bytes();
        let bits = |body: &Self, count: usize| {
            let all = usize::from(bytes) * 8;
            let is_legal = [2, 4].contains(&count) && all / count >= 8;
            let error = || body.cursor.error(format!("{count} registers are no parts of {bytes} bytes"));
            if is_legal { Ok((all / count) as u8) } else { Err(error()) }
        };
        match (to, from) {
            (Operand::Vector(to), from) => {
                let bits = bits(self, to.len())?;
                let from = self.source(from)?;
                let to = to.iter().map(|to| self.destination(to)).collect::<Result<_, _>>()?;
                Ok(Operation::Unpack { to, from, bits })
            }
            (to, Operand::Vector(from)) => {
                let bits = bits(self, from.len())?;
                let to = self.destination(to)?;
                let from = from.iter().map(|from| self.source(from)).collect::<Result<_, _>>()?;
                Ok(Operation::Pack { to, from, bits })
            }
            _ => Ok(Operation::Move(self.destination(to)?, self.source(from)?)),
        }
    }

    /// Decodes `cvt`; `parts` are the parts of the name that follow it.
    fn convert(&mut self, parts: &[&str], operands: &[Operand<'t>]) -> Result<Operation, Error> {
        let name = format!("cvt.{}", parts.join("."));
        match operands {
            [to, from] => {
                let conversion = Conversion::parse(parts).ok_or_else(|| self.unknown(&name))?;
                let (to, from) = (self.destination(to)?, self.source(from)?);
                Ok(match conversion.function() {
                    Some(function) => Operation::Unary(function, to, from),
                    None => Operation::Convert(conversion, to, from),
                })
            }
            [to, upper, lower] => {
                let function = convert::pack(parts).ok_or_else(|| self.unknown(&name))?;
                Ok(Operation::Binary(function, self.destination(to)?, self.source(upper)?, self.source(lower)?))
            }
            _ => Err(self.unknown(&name)),
        }
    }

    /// Decodes `setp`; `parts` are the parts of the name that follow it.
    fn compare(&mut self, parts: &[&str], to: &Operand<'t>, from: &[Operand<'t>]) -> Result<Operation, Error> {
        let unknown = |body: &Self| body.unknown(&format!("setp.{}", parts.join(".")));
        let (combination, [name, ty]) = match *parts {
            [name, ty] => (None, [name, ty]),
            [name, "and", ty] => (Some(Combination::And), [name, ty]),
            [name, "or", ty] => (Some(Combination::Or), [name, ty]),
            [name, "xor", ty] => (Some(Combination::Xor), [name, ty]),
            _ => return Err(unknown(self)),
        };
        let ty = Type::parse(ty).ok_or_else(|| unknown(self))?;
        let half = match ty {
            Type::F16x2 => Some(Type::F16),
            Type::Bf16x2 => Some(Type::Bf16),
            _ => None,
        };
        let function = compare::comparison(name, half.unwrap_or(ty)).ok_or_else(|| unknown(self))?;
        let to = self.pair(to)?.into();
        match (combination, from) {
            (None, [a, b]) if half.is_some() => {
                Ok(Operation::CompareHalves { function, to, from: [self.source(a)?, self.source(b)?] })
            }
            _ if half.is_some() => Err(unknown(self)),
            (None, [a, b]) => Ok(Operation::Compare { function, to, from: [self.source(a)?, self.source(b)?] }),
            (Some(combination), [a, b, with]) => {
                let from = [self.source(a)?, self.source(b)?];
                let with = match with {
                    Operand::Not(name) => (combination, self.register(name)?, true),
                    _ => (combination, self.source(with)?, false),
                };
                Ok(Operation::CompareWith { function, to, from, with })
            }
            _ => Err(unknown(self)),
        }
    }

    /// Decodes a call of a function of the module. Its arguments and results are `.param` variables of the frame.
    fn call(&mut self, operands: &[Operand<'t>]) -> Result<Operation, Error> {
        let (results, name, arguments) = match operands {
            [Operand::Name(name)] => (&[][..], name, &[][..]),
            [Operand::Name(name), Operand::List(arguments)] => (&[][..], name, &arguments[..]),
            [Operand::List(results), Operand::Name(name)] => (&results[..], name, &[][..]),
            [Operand::List(results), Operand::Name(name), Operand::List(arguments)] => {
                (&results[..], name, &arguments[..])
            }
            _ => return Err(self.unknown("call")),
        };
        let Symbol::Function(function) = self.find(name)? else {
            return Err(self.cursor.error(format!("a function is required, got '{name}'")));
        };
        let callee = &self.program.functions[function as usize];
        let variables = |given: &[Operand<'t>], formal: &[Variable]| -> Result<Vec<u32>, Error> {
            if given.len() != formal.len() {
                let text = format!("'{name}' requires {} arguments or results, got {}", formal.len(), given.len());
                return Err(self.cursor.error(text));
            }
            let variable = |(given, formal): (&Operand<'t>, &Variable)| match given {
                Operand::Name(given) => match self.find(given)? {
                    Symbol::Parameter(variable) if variable.bytes == formal.bytes => Ok(variable.offset),
                    _ => {
                        let text = format!("a parameter of {} bytes is required, got '{given}'", formal.bytes);
                        Err(self.cursor.error(text))
                    }
                },
                _ => Err(self.cursor.error("the name of a parameter is required")),
            };
            given.iter().zip(formal).map(variable).collect()
        };
        let (arguments, results) = (variables(arguments, &callee.parameters)?, variables(results, &callee.results)?);
        Ok(Operation::Call(Box::new(Call { function, arguments, results })))
    }

    /// The destinations `p|q`; the second one is the sink if it is absent.
    fn pair(&self, operand: &Operand<'t>) -> Result<(Slot, Slot), Error> {
        match operand {
            Operand::Pair(first, second) => Ok((self.register(first)?, self.register(second)?)),
            _ => Ok((self.destination(operand)?, slots::SINK)),
        }
    }

    /// The slot of a destination operand.
    pub fn destination(&self, operand: &Operand<'t>) -> Result<Slot, Error> {
        match operand {
            Operand::Name(name) => self.register(name),
            _ => Err(self.cursor.error("a register is required")),
        }
    }

    /// The slot of a source operand.
    pub fn source(&mut self, operand: &Operand<'t>) -> Result<Slot, Error> {
        match operand {
            Operand::Number(number) => Ok(self.constant(*number)),
            Operand::Name(name) => match slots::SPECIALS.iter().position(|special| special == name) {
                Some(place) => Ok(slots::FIRST_SPECIAL + place as Slot),
                None => {
                    let symbol = self.find(name)?;
                    self.variable_address(symbol)
                }
            },
            Operand::Sum(name, bytes) => match self.find(name)? {
                Symbol::Global(address) => Ok(self.constant(address.wrapping_add(*bytes))),
                Symbol::Shared(variable) => Ok(self.constant(u64::from(variable.offset).wrapping_add(*bytes))),
                _ => Err(self.cursor.error(format!("bytes after '{name}' are unknown"))),
            },
            _ => Err(self.cursor.error("a register or a number is required")),
        }
    }
}
