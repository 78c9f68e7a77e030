//! Shared memory of a block. Detects accesses that no barrier orders.
use crate::{
    fault::{Code, Fault},
    program::{Function, UNWRITTEN},
};

/// No thread has written the byte.
const NOBODY: u16 = u16::MAX;

/// The last write of a byte: its thread, and its epoch.
#[derive(Clone, Copy)]
struct Use {
    written: u32,
    writer: u16,
    /// Pending asynchronous copies to it.
    copies: u16,
    is_variable: bool,
}

const UNUSED: Use = Use { written: 0, writer: NOBODY, copies: 0, is_variable: false };

/// The shared memory of a block. The next block reuses it after this one has ended.
pub struct Shared {
    bytes: Vec<u8>,
    uses: Vec<Use>,
    /// Incremented at each barrier, and for each block.
    epoch: u32,
}

impl Shared {
    /// The shared memory of a block of a kernel, including the dynamic bytes of the launch.
    pub fn new(kernel: &Function, dynamic_bytes: u32) -> Self {
        let mut uses = vec![UNUSED; (kernel.dynamic_shared + dynamic_bytes) as usize];
        for variable in &kernel.shared {
            let end = variable.offset + variable.bytes;
            uses[variable.offset as usize..end as usize].iter_mut().for_each(|byte| byte.is_variable = true);
        }
        uses[kernel.dynamic_shared as usize..].iter_mut().for_each(|byte| byte.is_variable = true);
        Self { bytes: vec![UNWRITTEN; uses.len()], uses, epoch: 0 }
    }

    /// Clears the contents for the next block.
    pub fn clear(&mut self) {
        self.bytes.fill(UNWRITTEN);
        self.uses.iter_mut().for_each(|byte| byte.copies = 0);
        self.order();
    }

    /// Records that all threads have reached a barrier.
    pub fn order(&mut self) {
        self.epoch += 1;
    }

    fn range(&self, address: u64, bytes: u8) -> Result<std::ops::Range<usize>, Fault> {
        let end = address.saturating_add(bytes.into());
        let is_there = end <= self.uses.len() as u64
            && self.uses[address as usize..end as usize].iter().all(|byte| byte.is_variable);
        if !is_there {
            return Err(no_variable(address, bytes));
        }
        Ok(address as usize..end as usize)
    }

    /// Loads a value of at most eight bytes. Bytes that another thread has written since the last barrier read as
    /// uninitialized, not as an error: threads without work may read such a location and ignore the value. The same
    /// holds for bytes past the end of a variable, if the value, or the vector that it is part of, begins in a
    /// variable: LLVM widens accesses within their alignment.
    pub fn load(&mut self, address: u64, bytes: u8, thread: u16, is_first: bool) -> Result<u64, Fault> {
        if is_first {
            self.range(address, 1).map_err(|_| no_variable(address, bytes))?;
        }
        let mut value = [UNWRITTEN; 8];
        for (place, value) in (address as usize..).zip(&mut value[..usize::from(bytes)]) {
            let Some(byte) = self.uses.get_mut(place).filter(|byte| byte.is_variable) else { break };
            if byte.copies != 0 {
                return Err(unfinished(place, "reads", thread));
            }
            if byte.written != self.epoch || byte.writer == thread {
                *value = self.bytes[place];
            }
        }
        Ok(u64::from_le_bytes(value))
    }

    /// Stores a value of at most eight bytes, all of which must be in variables.
    pub fn store(&mut self, address: u64, bytes: u8, value: u64, thread: u16) -> Result<(), Fault> {
        let range = self.range(address, bytes)?;
        let value = &value.to_le_bytes()[..range.len()];
        // Several threads may write the same value.
        let is_change = self.bytes[range.clone()] != *value;
        for place in range.clone() {
            if self.uses[place].copies != 0 {
                return Err(unfinished(place, "writes", thread));
            }
            self.note_write(place, thread, is_change)?;
        }
        self.bytes[range].copy_from_slice(value);
        Ok(())
    }

    fn note_write(&mut self, place: usize, thread: u16, is_change: bool) -> Result<(), Fault> {
        let byte = &mut self.uses[place];
        let (was_written, other) = (byte.written == self.epoch, byte.writer);
        (byte.written, byte.writer) = (self.epoch, thread);
        if !(was_written && other != thread && is_change) {
            return Ok(());
        }
        let text = format!(
            "thread {thread} writes shared memory at {place:#x}, where thread {other} has written something else, and no barrier is between"
        );
        Err(Fault::new(Code::LaunchFailed, text))
    }

    /// Begins an asynchronous copy. Its write happens at any time before a thread has waited for it.
    pub fn begin_copy(&mut self, address: u64, bytes: u8, thread: u16) -> Result<(), Fault> {
        for place in self.range(address, bytes)? {
            if self.uses[place].copies != 0 {
                return Err(unfinished(place, "writes", thread));
            }
            self.note_write(place, thread, true)?;
            self.uses[place].copies += 1;
        }
        Ok(())
    }

    /// Ends an asynchronous copy that a thread has waited for.
    pub fn end_copy(&mut self, address: u64, data: &[u8], thread: u16) -> Result<(), Fault> {
        for place in self.range(address, data.len() as u8)? {
            self.uses[place].copies = self.uses[place].copies.saturating_sub(1);
            self.note_write(place, thread, true)?;
        }
        self.bytes[address as usize..address as usize + data.len()].copy_from_slice(data);
        Ok(())
    }
}

fn no_variable(address: u64, bytes: u8) -> Fault {
    let text = format!("{bytes} bytes of shared memory at {address:#x}, where no variable is");
    Fault::new(Code::IllegalAddress, text)
}

fn unfinished(address: usize, what: &str, thread: u16) -> Fault {
    let text = format!(
        "thread {thread} {what} shared memory at {address:#x}, to which a copy goes that nobody has waited for"
    );
    Fault::new(Code::LaunchFailed, text)
}
