//! Decodes instructions that access memory.
use super::{Symbol, body::Body};
use crate::{
    program::{Access, Address, Operation, Slot, Space, slots},
    syntax::{Error, Operand},
    types::Type,
};

/// Modifiers without effect: cache hints, and ordering and scope semantics. In the interpreter, all threads see each
/// write at once.
const HARMLESS: [&str; 24] = [
    "volatile",
    "relaxed",
    "weak",
    "acquire",
    "release",
    "nc",
    "ca",
    "cg",
    "cs",
    "cv",
    "lu",
    "wb",
    "wt",
    "gpu",
    "cta",
    "sys",
    "L1::no_allocate",
    "L1::evict_last",
    "L1::evict_first",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L2::64B",
    "L2::128B",
    "L2::256B",
];

impl<'t> Body<'_, 't> {
    /// Decodes `ld` or `st`.
    pub fn access(&mut self, parts: &[&str], operands: &[Operand<'t>]) -> Result<Operation, Error> {
        let unknown = |body: &Self| body.cursor.error(format!("the instruction '{}' is unknown", parts.join(".")));
        let [name, modifiers @ .., ty] = parts else { return Err(unknown(self)) };
        let ty = Type::parse(ty).filter(|ty| *ty != Type::Pred).ok_or_else(|| unknown(self))?;
        let (mut space, mut count) = (Space::Generic, 1);
        for modifier in modifiers {
            match *modifier {
                "global" | "const" => space = Space::Global,
                "shared" | "shared::cta" => space = Space::Shared,
                "local" => space = Space::Local,
                "param" | "param::entry" | "param::func" => space = Space::Frame,
                "v2" => count = 2,
                "v4" => count = 4,
                "v8" => count = 8,
                other if HARMLESS.contains(&other) => {}
                _ => return Err(unknown(self)),
            }
        }
        let is_load = *name == "ld";
        let (address, data) = match (is_load, operands) {
            (true, [data, address]) | (false, [address, data]) => (address, data),
            _ => return Err(self.cursor.error(format!("two operands are required, got {}", operands.len()))),
        };
        let single = std::slice::from_ref(data);
        let data = match data {
            Operand::Vector(data) => data,
            _ => single,
        };
        if data.len() != count {
            return Err(self.cursor.error(format!("{count} elements are required, got {}", data.len())));
        }
        let mut elements = [slots::SINK; 8];
        for (element, operand) in elements.iter_mut().zip(data) {
            *element = if is_load { self.destination(operand)? } else { self.source(operand)? };
        }
        let (space, address) = self.address(address, space)?;
        let (bytes, is_signed, count) = (ty.bytes(), ty.is_signed(), count as u8);
        let access = Box::new(Access { space, bytes, is_signed, address, count, elements });
        Ok(if is_load { Operation::Load(access) } else { Operation::Store(access) })
    }

    /// The space and address of a memory operand.
    fn address(&mut self, operand: &Operand<'t>, space: Space) -> Result<(Space, Address), Error> {
        let Operand::Address(base, offset) = operand else {
            return Err(self.cursor.error("an address in brackets is required"));
        };
        let offset = *offset;
        let Some(name) = base else {
            return Ok((space, Address { base: self.constant(0), offset }));
        };
        let symbol = self.find(name)?;
        let base = match (symbol, space) {
            (Symbol::Register(slot), space) if space != Space::Frame => slot,
            (Symbol::Parameter(variable), Space::Frame) => {
                let offset = offset + i64::from(variable.offset);
                return Ok((space, Address { base: self.constant(0), offset }));
            }
            (Symbol::Global(_), Space::Global)
            | (Symbol::Shared(_) | Symbol::DynamicShared, Space::Shared)
            | (Symbol::Local(_), Space::Local) => self.variable_address(symbol)?,
            _ => return Err(self.cursor.error(format!("'{name}' is in another memory"))),
        };
        Ok((space, Address { base, offset }))
    }

    /// The slot with the address of a variable, within its space.
    pub fn variable_address(&mut self, symbol: Symbol) -> Result<Slot, Error> {
        match symbol {
            Symbol::Register(slot) => Ok(slot),
            Symbol::Global(address) => Ok(self.constant(address)),
            Symbol::Shared(variable) => Ok(self.constant(variable.offset.into())),
            Symbol::DynamicShared => self.dynamic_shared(),
            Symbol::Local(variable) => {
                let slot = self.slot(0);
                self.push(Operation::FrameAddress(slot, variable.offset));
                Ok(slot)
            }
            Symbol::Parameter(_) | Symbol::Function(_) => {
                Err(self.cursor.error("the address of a parameter or a function is unknown"))
            }
        }
    }

    /// Decodes `cp.async` and its commit and wait instructions.
    pub fn copy(&mut self, parts: &[&str], operands: &[Operand<'t>]) -> Result<Operation, Error> {
        let is_harmless = |modifiers: &[&str]| modifiers.iter().all(|modifier| HARMLESS.contains(modifier));
        match (parts, operands) {
            (
                [cache @ ("ca" | "cg"), "shared" | "shared::cta", "global", modifiers @ ..],
                [to, from, Operand::Number(bytes), read @ ..],
            ) if is_harmless(modifiers) && read.len() <= 1 => {
                let is_legal = if *cache == "cg" { *bytes == 16 } else { [4, 8, 16].contains(bytes) };
                if !is_legal {
                    let text = format!("4, 8 or 16 bytes, and 16 for 'cg', are required, got {bytes}");
                    return Err(self.cursor.error(text));
                }
                let (_, to) = self.address(to, Space::Shared)?;
                let (_, from) = self.address(from, Space::Global)?;
                let read = read.first().map(|read| self.source(read)).transpose()?;
                Ok(Operation::CopyLater { bytes: *bytes as u8, to, from, read })
            }
            (["commit_group"], []) => Ok(Operation::CommitCopies),
            (["wait_group"], [Operand::Number(remaining)]) => {
                Ok(Operation::AwaitCopies { remaining: (*remaining).min(u32::MAX.into()) as u32, all: false })
            }
            (["wait_all"], []) => Ok(Operation::AwaitCopies { remaining: 0, all: true }),
            _ => Err(self.cursor.error(format!("the instruction 'cp.async.{}' is unknown", parts.join(".")))),
        }
    }
}
