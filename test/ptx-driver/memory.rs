//! Memory of the device. Its addresses are none of the host's, but for memory that both have.
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

/// All that the device has.
pub const BYTES: u64 = 4 << 30;
/// What CUDA promises of the address of an allocation.
const ALIGNMENT: u64 = 256;
/// Addresses begin here, where no address of the host is, and are not used again.
const FIRST: u64 = 1 << 50;
/// Between allocations there is a gap, so that an access behind the end of one is none to another.
const GAP: u64 = 4096;
const WORD: u64 = 8;

/// An allocation.
#[derive(Clone, Debug)]
struct Allocation {
    bytes: u64,
    /// In words, so that threads at the same time see all of what another has written, or nothing.
    words: Arc<[AtomicU64]>,
    /// The words in front of the first one.
    skipped: usize,
}

/// The allocations by their addresses.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    allocations: BTreeMap<u64, Allocation>,
    count: u64,
}

/// What a kernel may use, for one thread of the host.
pub struct View {
    allocations: Vec<(u64, Allocation)>,
    last: usize,
}

impl Memory {
    /// Allocates memory that holds nothing in particular; the host may use the address if it is shared.
    pub fn allocate(&mut self, bytes: u64, is_host_shared: bool) -> Result<u64, Fault> {
        let used: u64 = self.allocations.values().map(|allocation| allocation.bytes).sum();
        if bytes == 0 {
            return Err(Code::InvalidValue.into());
        }
        if bytes.saturating_add(used) > BYTES {
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

    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        let freed = self.allocations.remove(&address);
        freed.map(drop).ok_or_else(|| Fault::new(Code::InvalidValue, format!("{address:#x} is not allocated")))
    }

    /// Whether an address is of the device.
    pub fn has(&self, address: u64) -> bool {
        let before = self.allocations.range(..=address).next_back();
        before.is_some_and(|(start, allocation)| address - start < allocation.bytes) || address >= FIRST
    }

    /// What a kernel may use.
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
        // It always puts something.
        let _ = self.word(offset).fetch_update(Ordering::Relaxed, Ordering::Relaxed, put);
    }
}

/// The bits of so many bytes, less than eight.
fn mask(bytes: u8) -> u64 {
    (1 << (8 * bytes)) - 1
}

impl View {
    /// Where an access is. Errors say what is there instead.
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
                format!("{} bytes behind the start of {} bytes", address - start, allocation.bytes)
            }
            _ => "in front of all that is allocated".to_owned(),
        };
        Err(Fault::new(Code::IllegalAddress, format!("{bytes} bytes of memory at {address:#x}, {place}")))
    }

    /// Checks an access to so many bytes at a multiple of them.
    pub fn check(&mut self, address: u64, bytes: u64) -> Result<(), Fault> {
        self.find(address, bytes).map(drop)
    }

    /// A number of at most eight bytes, at a multiple of them. It may end behind the end of an allocation.
    pub fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        self.find(address, 1).map(|(allocation, offset)| allocation.load(offset, bytes))
    }

    /// The same to write, which ends in the allocation.
    pub fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault> {
        self.find(address, bytes.into()).map(|(allocation, offset)| allocation.store(offset, bytes, value))
    }

    /// Bytes from an address on, which need not be a multiple of anything.
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

    /// As [`Self::read`].
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
