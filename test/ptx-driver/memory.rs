//! Global memory of the device. Its addresses are not host addresses, except for memory shared with the host.
use crate::{
    fault::{Code, Fault},
    program::UNWRITTEN,
};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The total memory of the device, in bytes.
pub const BYTES: u64 = 4 << 30;
/// The alignment of allocations that CUDA guarantees, in bytes.
const ALIGNMENT: u64 = 256;
/// The first device address, above all host addresses. Addresses are not reused.
const FIRST: u64 = 1 << 50;
/// Gap between allocations, in bytes, so that an access past the end of one does not reach another.
const GAP: u64 = 4096;
const WORD: u64 = 8;

/// An allocation.
#[derive(Clone, Debug)]
struct Allocation {
    bytes: u64,
    /// Atomic words: an aligned write is either completely visible to concurrent threads or not at all.
    words: Arc<[AtomicU64]>,
    /// The number of words before the first one, skipped for alignment.
    skipped: usize,
}

/// The allocations, by address.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    allocations: BTreeMap<u64, Allocation>,
    count: u64,
}

/// The memory that a kernel may access; each host thread has its own view.
pub struct View {
    allocations: Vec<(u64, Allocation)>,
    last: usize,
}

impl Memory {
    /// Allocates uninitialized memory. If `is_host_shared`, the address is valid on the host, too.
    pub fn allocate(&mut self, bytes: u64, is_host_shared: bool) -> Result<u64, Fault> {
        if bytes == 0 {
            return Err(Code::InvalidValue.into());
        }
        if bytes.saturating_add(self.used()) > BYTES {
            return Err(Code::OutOfMemory.into());
        }
        let extra = if is_host_shared { ALIGNMENT } else { 0 };
        let count = bytes.div_ceil(WORD) + extra / WORD;
        let words: Arc<[AtomicU64]> = (0..count).map(|_| AtomicU64::new(u64::from_ne_bytes([UNWRITTEN; 8]))).collect();
        let (address, skipped) = if is_host_shared {
            let start = words.as_ptr().expose_provenance() as u64;
            let address = start.next_multiple_of(ALIGNMENT);
            (address, ((address - start) / WORD) as usize)
        } else {
            self.count += bytes.next_multiple_of(ALIGNMENT) + GAP;
            (FIRST + self.count - bytes.next_multiple_of(ALIGNMENT), 0)
        };
        self.allocations.insert(address, Allocation { bytes, words, skipped });
        Ok(address)
    }

    /// The allocated bytes.
    pub fn used(&self) -> u64 {
        self.allocations.values().map(|allocation| allocation.bytes).sum()
    }

    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        let freed = self.allocations.remove(&address);
        freed.map(drop).ok_or_else(|| Fault::new(Code::InvalidValue, format!("{address:#x} is not allocated")))
    }

    /// True if an address belongs to the device.
    pub fn has(&self, address: u64) -> bool {
        let before = self.allocations.range(..=address).next_back();
        before.is_some_and(|(start, allocation)| address - start < allocation.bytes) || address >= FIRST
    }

    /// True if an address belongs to memory that is valid on the host, too.
    pub fn is_host_shared(&self, address: u64) -> bool {
        address < FIRST && self.has(address)
    }

    /// A view of all allocations, for a kernel.
    pub fn view(&self) -> View {
        let allocations = self.allocations.iter().map(|(address, allocation)| (*address, allocation.clone()));
        View { allocations: allocations.collect(), last: 0 }
    }
}

impl Allocation {
    fn word(&self, offset: u64) -> &AtomicU64 {
        &self.words[self.skipped + (offset / WORD) as usize]
    }

    fn load(&self, offset: u64, bytes: u8) -> u64 {
        let word = self.word(offset).load(Ordering::Relaxed);
        if bytes == 8 { word } else { word >> (8 * (offset % WORD)) & mask(bytes) }
    }

    fn store(&self, offset: u64, bytes: u8, value: u64) {
        if bytes == 8 {
            return self.word(offset).store(value, Ordering::Relaxed);
        }
        let shift = 8 * (offset % WORD);
        let put = |word: u64| Some(word & !(mask(bytes) << shift) | (value & mask(bytes)) << shift);
        // The closure always returns a value, so the update succeeds.
        let _ = self.word(offset).fetch_update(Ordering::Relaxed, Ordering::Relaxed, put);
    }
}

/// A mask of the low `bytes` bytes, for fewer than eight.
fn mask(bytes: u8) -> u64 {
    (1 << (8 * bytes)) - 1
}

impl View {
    /// The allocation of an access, and the offset in it. The error describes the nearest allocation.
    fn find(&mut self, address: u64, bytes: u64) -> Result<(&Allocation, u64), Fault> {
        let holds = |(start, allocation): &(u64, Allocation)| {
            address.checked_sub(*start).is_some_and(|offset| offset < allocation.bytes)
        };
        if !self.allocations.get(self.last).is_some_and(holds) {
            let next = self.allocations.partition_point(|(start, _)| *start <= address);
            self.last = next.saturating_sub(1);
        }
        let nearest = self.allocations.get(self.last);
        if let Some((start, allocation)) = nearest
            && let Some(offset) = address.checked_sub(*start)
            && offset.saturating_add(bytes) <= allocation.bytes
        {
            return Ok((allocation, offset));
        }
        let place = match nearest {
            Some((start, allocation)) if *start <= address => {
                format!("{} bytes after the start of {} bytes", address - start, allocation.bytes)
            }
            _ => "in front of all that is allocated".to_owned(),
        };
        Err(Fault::new(Code::IllegalAddress, format!("{bytes} bytes of memory at {address:#x}, {place}")))
    }

    /// Checks that all bytes of an access are in one allocation.
    pub fn check(&mut self, address: u64, bytes: u64) -> Result<(), Fault> {
        self.find(address, bytes).map(drop)
    }

    /// Loads a naturally aligned value of at most eight bytes. Only its first byte must be in the allocation.
    pub fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        self.find(address, 1).map(|(allocation, offset)| allocation.load(offset, bytes))
    }

    /// Stores a naturally aligned value of at most eight bytes. All its bytes must be in the allocation.
    pub fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault> {
        self.find(address, bytes.into()).map(|(allocation, offset)| allocation.store(offset, bytes, value))
    }

    /// Reads bytes from an address of any alignment.
    pub fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let (allocation, mut offset) = self.find(address, bytes.len() as u64)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = ((WORD - offset % WORD) as usize).min(rest.len());
            let word = allocation.word(offset).load(Ordering::Relaxed).to_le_bytes();
            let start = (offset % WORD) as usize;
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&word[start..start + count]);
            rest = later;
            offset += count as u64;
        }
        Ok(())
    }

    /// Writes bytes to an address of any alignment.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let (allocation, mut offset) = self.find(address, bytes.len() as u64)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            match rest.split_first_chunk::<8>() {
                Some((word, later)) if offset.is_multiple_of(WORD) => {
                    allocation.store(offset, 8, u64::from_le_bytes(*word));
                    rest = later;
                    offset += WORD;
                }
                _ => {
                    allocation.store(offset, 1, rest[0].into());
                    rest = &rest[1..];
                    offset += 1;
                }
            }
        }
        Ok(())
    }
}
