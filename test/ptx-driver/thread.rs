//! A thread: its registers, its local memory, and its execution until it waits for other threads.
use crate::{
    fault::{Code, Fault},
    integer,
    memory::View,
    program::{
        Access, Address, Call, Combination, Function, LOCAL_WINDOW, Operation, Program, SHARED_WINDOW, Shuffle, Slot,
        Space, UNWRITTEN, slots,
    },
    shared::Shared,
};
use std::{collections::VecDeque, mem};

/// Maximum depth of the call stack.
const MAX_FRAMES: usize = 64;

/// The state of a thread: ready, ended, or waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Ready,
    /// Waits for all threads of the block, at the barrier with this number.
    Barrier {
        number: u64,
        is_aligned: bool,
    },
    /// Waits for the lanes of its warp.
    Shuffle,
    Ended,
}

/// The environment of a thread.
pub struct Surroundings<'s> {
    pub program: &'s Program,
    pub shared: &'s mut Shared,
    pub memory: &'s mut View,
}

/// A caller's frame: function, index of the call, and the bases of its registers and local memory.
struct Frame {
    function: u32,
    next: u32,
    registers: usize,
    local: usize,
}

/// An asynchronous copy to shared memory that has not been performed yet.
struct Copy {
    to: u64,
    from: u64,
    bytes: u8,
    read: u8,
}

/// A thread of a block.
pub struct Thread {
    /// The linearized thread index in its block.
    pub number: u16,
    pub state: State,
    function: u32,
    next: u32,
    registers: Vec<u64>,
    /// The index of the first register of the current frame.
    base: usize,
    local: Vec<u8>,
    local_base: usize,
    frames: Vec<Frame>,
    carry: bool,
    /// Pending copies by committed group, and uncommitted copies.
    groups: VecDeque<Vec<Copy>>,
    copies: Vec<Copy>,
}

impl Thread {
    pub fn new(number: u16) -> Self {
        Self {
            number,
            state: State::Ended,
            function: 0,
            next: 0,
            registers: vec![],
            base: 0,
            local: vec![],
            local_base: 0,
            frames: vec![],
            carry: false,
            groups: VecDeque::new(),
            copies: vec![],
        }
    }

    /// Starts a kernel; `parameters` are its bytes, and `specials` the values of the special registers.
    pub fn start(&mut self, kernel: (u32, &Function), parameters: &[u8], specials: &[u64; slots::SPECIALS.len()]) {
        let (number, function) = kernel;
        (self.state, self.function, self.next, self.base, self.local_base) = (State::Ready, number, 0, 0, 0);
        self.registers.clear();
        self.registers.extend_from_slice(&function.frame);
        self.registers[slots::FIRST_SPECIAL as usize..][..specials.len()].copy_from_slice(specials);
        self.local.clear();
        self.local.resize(function.frame_bytes as usize, UNWRITTEN);
        self.local[..parameters.len()].copy_from_slice(parameters);
        self.frames.clear();
        self.groups.clear();
        self.copies.clear();
        self.carry = false;
    }

    /// The line of the next instruction, or of the one that failed.
    pub fn line(&self, program: &Program) -> u32 {
        program.functions[self.function as usize].lines.get(self.next as usize).copied().unwrap_or_default()
    }

    /// The function and index of the next instruction.
    pub fn place(&self) -> (u32, u32) {
        (self.function, self.next)
    }

    /// The shuffle that the thread waits for, if any.
    pub fn shuffle<'p>(&self, program: &'p Program) -> Option<&'p Shuffle> {
        let code = &program.functions[self.function as usize].code;
        match &code.get(self.next as usize)?.operation {
            Operation::Shuffle(shuffle) if self.state == State::Shuffle => Some(shuffle),
            _ => None,
        }
    }

    pub fn get(&self, slot: Slot) -> u64 {
        self.registers[self.base + slot as usize]
    }

    pub fn set(&mut self, slot: Slot, value: u64) {
        self.registers[self.base + slot as usize] = value;
    }

    /// Resumes after the instruction that the thread has waited at.
    pub fn proceed(&mut self) {
        self.state = State::Ready;
        self.next += 1;
    }

    /// Runs until the thread has to wait, or ends.
    pub fn run(&mut self, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        let program = around.program;
        while self.state == State::Ready {
            let function = &program.functions[self.function as usize];
            self.run_function(function, around)?;
        }
        Ok(())
    }

    /// Runs until the function changes, or the thread has to wait.
    fn run_function(&mut self, function: &Function, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        let code = &function.code[..];
        loop {
            let instruction = &code[self.next as usize];
            if let Some((slot, is_negated)) = instruction.guard
                && (self.get(slot) & 1 != 0) == is_negated
            {
                self.next += 1;
                continue;
            }
            let base = self.base;
            let registers = &mut self.registers[base..];
            match &instruction.operation {
                Operation::Binary(function, to, a, b) => {
                    registers[*to as usize] = function(registers[*a as usize], registers[*b as usize]);
                }
                Operation::Ternary(function, to, a, b, c) => {
                    let (a, b, c) = (registers[*a as usize], registers[*b as usize], registers[*c as usize]);
                    registers[*to as usize] = function(a, b, c);
                }
                Operation::Unary(function, to, a) => registers[*to as usize] = function(registers[*a as usize]),
                Operation::Move(to, from) => registers[*to as usize] = registers[*from as usize],
                Operation::Select(to, a, b, predicate) => {
                    let from = if registers[*predicate as usize] & 1 != 0 { a } else { b };
                    registers[*to as usize] = registers[*from as usize];
                }
                Operation::Compare { function, to, from } => {
                    let is_true = function(registers[from[0] as usize], registers[from[1] as usize]);
                    registers[to[0] as usize] = is_true.into();
                    registers[to[1] as usize] = (!is_true).into();
                }
                Operation::CompareHalves { function, to, from } => {
                    let [a, b] = from.map(|slot| registers[slot as usize]);
                    registers[to[0] as usize] = function(a, b).into();
                    registers[to[1] as usize] = function(a >> 16, b >> 16).into();
                }
                Operation::CompareWith { function, to, from, with: (combination, with, is_negated) } => {
                    let is_true = function(registers[from[0] as usize], registers[from[1] as usize]);
                    let with = (registers[*with as usize] & 1 != 0) != *is_negated;
                    let combine = |is_true: bool| match combination {
                        Combination::And => is_true && with,
                        Combination::Or => is_true || with,
                        Combination::Xor => is_true != with,
                    };
                    registers[to[0] as usize] = combine(is_true).into();
                    registers[to[1] as usize] = combine(!is_true).into();
                }
                Operation::Branch(to) => {
                    self.next = *to;
                    continue;
                }
                Operation::Convert(conversion, to, from) => {
                    registers[*to as usize] = conversion.apply(registers[*from as usize]);
                }
                Operation::Insert { to, from, width } => {
                    registers[*to as usize] = integer::insert(from.map(|slot| registers[slot as usize]), *width);
                }
                Operation::Carry { function, to, from, writes } => {
                    let [a, b, c] = from.map(|slot| registers[slot as usize]);
                    let (value, carry) = function(a, b, c, self.carry);
                    registers[*to as usize] = value;
                    if *writes {
                        self.carry = carry;
                    }
                }
                Operation::Pack { to, from, bits } => {
                    let mask = u64::MAX >> (64 - bits);
                    let put = |(value, shift), slot: &Slot| {
                        (value | (registers[*slot as usize] & mask) << shift, shift + u32::from(*bits))
                    };
                    registers[*to as usize] = from.iter().fold((0, 0), put).0;
                }
                Operation::Unpack { to, from, bits } => {
                    let value = registers[*from as usize];
                    for (place, slot) in to.iter().enumerate() {
                        registers[*slot as usize] = value >> (place * usize::from(*bits)) & (u64::MAX >> (64 - bits));
                    }
                }
                Operation::FrameAddress(to, offset) => {
                    registers[*to as usize] = self.local_base as u64 + u64::from(*offset);
                }
                Operation::Load(access) => self.load(access, around)?,
                Operation::Store(access) => self.store(access, around)?,
                Operation::CopyLater { bytes, to, from, read } => {
                    let read = read.map_or(*bytes, |slot| (registers[slot as usize] as u32).min((*bytes).into()) as u8);
                    self.copy_later(*bytes, *to, *from, read, around)?;
                }
                Operation::CommitCopies => self.groups.push_back(mem::take(&mut self.copies)),
                Operation::AwaitCopies { remaining, all } => {
                    while self.groups.len() > *remaining as usize {
                        let group = self.groups.pop_front().unwrap_or_default();
                        self.make(group, around)?;
                    }
                    if *all {
                        let copies = mem::take(&mut self.copies);
                        self.make(copies, around)?;
                    }
                }
                Operation::Barrier { number, is_aligned } => {
                    self.state = State::Barrier { number: self.get(*number), is_aligned: *is_aligned };
                    return Ok(());
                }
                Operation::Shuffle(_) => {
                    self.state = State::Shuffle;
                    return Ok(());
                }
                Operation::BranchTo(place, to) => {
                    let place = registers[*place as usize] as u32 as usize;
                    let text = || format!("a branch to place {place} of {}", to.len());
                    self.next = *to.get(place).ok_or_else(|| Fault::new(Code::IllegalInstruction, text()))?;
                    continue;
                }
                Operation::Call(call) => return self.call(call, around.program),
                Operation::Return => return self.r#return(around.program),
                Operation::Exit => {
                    self.state = State::Ended;
                    return Ok(());
                }
                Operation::Trap => return Err(Fault::new(Code::LaunchFailed, "a trap")),
                Operation::Fence => {}
            }
            self.next += 1;
        }
    }

    /// Evaluates an address. It must be a multiple of the size of the access, `bytes`.
    fn address(&self, address: Address, bytes: u64) -> Result<u64, Fault> {
        let address = self.get(address.base).wrapping_add_signed(address.offset);
        if !address.is_multiple_of(bytes) {
            let text = format!("{bytes} bytes at {address:#x}, which is no multiple of them");
            return Err(Fault::new(Code::MisalignedAddress, text));
        }
        Ok(address)
    }

    /// The address space of an access, and the address within it.
    fn resolve(&self, access: &Access) -> Result<(Space, u64), Fault> {
        let address = self.address(access.address, u64::from(access.bytes) * u64::from(access.count))?;
        Ok(match access.space {
            Space::Generic if address >= SHARED_WINDOW => (Space::Shared, address - SHARED_WINDOW),
            Space::Generic if address >= LOCAL_WINDOW => (Space::Local, address - LOCAL_WINDOW),
            Space::Generic => (Space::Global, address),
            Space::Frame => (Space::Local, address.wrapping_add(self.local_base as u64)),
            space => (space, address),
        })
    }

    fn load(&mut self, access: &Access, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        let (space, address) = self.resolve(access)?;
        for (place, slot) in access.elements[..usize::from(access.count)].iter().enumerate() {
            let address = address + place as u64 * u64::from(access.bytes);
            let value = match space {
                Space::Shared => around.shared.load(address, access.bytes, self.number, place == 0),
                Space::Local => self.load_local(address, access.bytes),
                _ => around.memory.load(address, access.bytes),
            };
            // A vector may extend past the end of its allocation or variable: LLVM widens three elements to four, and
            // does not use the last one.
            let value = match value {
                Err(Fault { code: Code::IllegalAddress, .. }) if place > 0 => u64::from_ne_bytes([UNWRITTEN; 8]),
                value => value?,
            };
            let unused = 64 - 8 * u32::from(access.bytes);
            // Sign- or zero-extend into a wider register.
            let value =
                if access.is_signed { ((value << unused) as i64 >> unused) as u64 } else { value << unused >> unused };
            self.set(*slot, value);
        }
        Ok(())
    }

    fn store(&mut self, access: &Access, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        let (space, address) = self.resolve(access)?;
        for (place, slot) in access.elements[..usize::from(access.count)].iter().enumerate() {
            let address = address + place as u64 * u64::from(access.bytes);
            let value = self.get(*slot);
            match space {
                Space::Shared => around.shared.store(address, access.bytes, value, self.number)?,
                Space::Local => {
                    let value = &value.to_le_bytes()[..usize::from(access.bytes)];
                    self.local(address, access.bytes)?.copy_from_slice(value);
                }
                _ => around.memory.store(address, access.bytes, value)?,
            }
        }
        Ok(())
    }

    fn load_local(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        let mut value = [0; 8];
        let local = self.local(address, bytes)?;
        value[..local.len()].copy_from_slice(local);
        Ok(u64::from_le_bytes(value))
    }

    /// Bytes of the thread's local memory.
    fn local(&mut self, address: u64, bytes: u8) -> Result<&mut [u8], Fault> {
        let end = address.saturating_add(bytes.into());
        if end > self.local.len() as u64 {
            let text =
                format!("{bytes} bytes of local memory at {address:#x}, of which there are {}", self.local.len());
            return Err(Fault::new(Code::IllegalAddress, text));
        }
        Ok(&mut self.local[address as usize..end as usize])
    }

    fn copy_later(
        &mut self,
        bytes: u8,
        to: Address,
        from: Address,
        read: u8,
        around: &mut Surroundings<'_>,
    ) -> Result<(), Fault> {
        let (to, from) = (self.address(to, bytes.into())?, self.address(from, bytes.into())?);
        if read > 0 {
            around.memory.check(from, read.into())?;
        }
        around.shared.begin_copy(to, bytes, self.number)?;
        self.copies.push(Copy { to, from, bytes, read });
        Ok(())
    }

    /// Performs copies, as late as allowed.
    fn make(&mut self, copies: Vec<Copy>, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        for Copy { to, from, bytes, read } in copies {
            let mut data = [0; 16];
            if read > 0 {
                around.memory.read(from, &mut data[..usize::from(read)])?;
            }
            around.shared.end_copy(to, &data[..usize::from(bytes)], self.number)?;
        }
        Ok(())
    }

    fn call(&mut self, call: &Call, program: &Program) -> Result<(), Fault> {
        if self.frames.len() == MAX_FRAMES {
            return Err(Fault::new(Code::LaunchFailed, format!("more than {MAX_FRAMES} calls in each other")));
        }
        let callee = &program.functions[call.function as usize];
        let (base, local_base) = (self.registers.len(), self.local.len());
        let frame = Frame { function: self.function, next: self.next, registers: self.base, local: self.local_base };
        self.frames.push(frame);
        self.registers.extend_from_slice(&callee.frame);
        let specials = slots::FIRST_SPECIAL as usize..slots::FIRST_SPECIAL as usize + slots::SPECIALS.len();
        self.registers.copy_within(specials.clone(), base + specials.start);
        self.local.resize(local_base + callee.frame_bytes as usize, UNWRITTEN);
        for (from, to) in call.arguments.iter().zip(&callee.parameters) {
            let from = self.local_base + *from as usize;
            self.local.copy_within(from..from + to.bytes as usize, local_base + to.offset as usize);
        }
        (self.function, self.next, self.base, self.local_base) = (call.function, 0, base, local_base);
        Ok(())
    }

    fn r#return(&mut self, program: &Program) -> Result<(), Fault> {
        let Some(frame) = self.frames.pop() else {
            self.state = State::Ended;
            return Ok(());
        };
        let caller = &program.functions[frame.function as usize].code[frame.next as usize].operation;
        let callee = &program.functions[self.function as usize];
        if let Operation::Call(call) = caller {
            for (to, from) in call.results.iter().zip(&callee.results) {
                let start = self.local_base + from.offset as usize;
                self.local.copy_within(start..start + from.bytes as usize, frame.local + *to as usize);
            }
        }
        self.registers.truncate(self.base);
        self.local.truncate(self.local_base);
        (self.function, self.next, self.base, self.local_base) =
            (frame.function, frame.next + 1, frame.registers, frame.local);
        Ok(())
    }
}
