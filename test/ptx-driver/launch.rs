//! A launch: runs the blocks of a grid on the cores of the host.
use crate::{
    block::Block,
    fault::{Code, Fault},
    memory::Memory,
    program::{Function, Program},
};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// Maximum number of threads in a block.
pub const MAX_THREADS: u32 = 1024;
/// Maximum number of blocks of a grid, in each dimension.
pub const MAX_BLOCKS: [u32; 3] = [i32::MAX as u32, 65535, 65535];
/// Maximum number of threads of a block, in each dimension.
pub const MAX_IN_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Maximum bytes of shared memory of a block, after opt-in.
pub const MAX_SHARED: u32 = 232_448;
/// Maximum bytes of shared memory of a block without opt-in.
pub const SHARED_UNASKED: u32 = 49_152;

/// A kernel launch, with its configuration and arguments.
#[derive(Clone, Debug)]
pub struct Launch {
    pub function: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_bytes: u32,
    pub parameters: Vec<u8>,
    /// True if threads run in descending order until the first barrier. The order alternates at each barrier.
    pub is_backwards: bool,
}

impl Launch {
    /// Checks the launch configuration; `asked` is the dynamic shared memory that the host has opted in to, in bytes.
    pub fn check(&self, kernel: &Function, asked: u32) -> Result<(), Fault> {
        let has =
            |sizes: [u32; 3], most: [u32; 3]| sizes.iter().zip(most).all(|(size, most)| (1..=most).contains(size));
        let invalid = |text: String| Err(Fault::new(Code::InvalidValue, text));
        if !has(self.grid, MAX_BLOCKS) || !has(self.block, MAX_IN_BLOCK) {
            return invalid(format!("a grid of {:?} blocks of {:?} threads", self.grid, self.block));
        }
        let threads: u32 = self.block.iter().product();
        if threads > MAX_THREADS || kernel.most_threads.is_some_and(|most| threads > most) {
            return invalid(format!("too many threads in a block of {:?}", self.block));
        }
        if kernel.required_threads.is_some_and(|required| required != self.block) {
            let text =
                format!("the kernel requires blocks of {:?} threads, not {:?}", kernel.required_threads, self.block);
            return invalid(text);
        }
        let variables: u32 = kernel.shared.iter().map(|variable| variable.bytes).sum();
        if variables > SHARED_UNASKED || variables + self.dynamic_bytes > MAX_SHARED {
            let text = format!("{variables} bytes of shared variables and {} more", self.dynamic_bytes);
            return Err(Fault::new(Code::LaunchOutOfResources, text));
        }
        if self.dynamic_bytes > asked.max(SHARED_UNASKED - variables) {
            return invalid(format!(
                "{} bytes of dynamic shared memory, of which {asked} are asked for",
                self.dynamic_bytes
            ));
        }
        Ok(())
    }

    /// Runs all blocks, or until one fails.
    pub fn run(&self, program: &Program, memory: &Memory) -> Result<(), Fault> {
        let count: u64 = self.grid.iter().map(|size| u64::from(*size)).product();
        let next = AtomicU64::new(0);
        let fault = Mutex::new(None);
        let work = |_| {
            let mut block = Block::new(program, self, memory.view());
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                if let Err(found) = block.run(number) {
                    // Stop the remaining blocks.
                    next.store(count, Ordering::Relaxed);
                    fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(found);
                }
            }
        };
        let workers = (rayon::current_num_threads() as u64).min(count);
        if workers > 1 {
            (0..workers).into_par_iter().for_each(work);
        } else {
            work(0);
        }
        fault.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
