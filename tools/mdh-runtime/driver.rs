//! The interface that each API implements for the run-time library. Errors are messages for the user.
use crate::device::{Api, Device, Error};

/// A device in use, with one in-order queue.
///
/// Addresses are numbers: nothing here dereferences them, and the drivers know which of them are theirs.
pub trait Driver: Sized {
    /// The API.
    const API: Api;
    /// True if modules may be null-terminated texts.
    const TAKES_TEXT: bool;
    /// A module of kernels on the device.
    type Module: Send;
    /// A kernel of a module.
    type Function: Send;
    /// A timer of a launch.
    type Timing: Send;

    /// All devices.
    fn devices() -> Result<Vec<Device>, Error>;
    /// Opens a device.
    fn open(device: &Device) -> Result<Self, String>;
    /// The device in use.
    fn device(&self) -> &Device;

    /// Loads kernels. The optimization level applies to modules that are texts.
    fn load(&self, image: &[u8], level: Option<u32>) -> Result<Self::Module, String>;
    /// Unloads kernels.
    fn unload(&self, module: Self::Module);
    /// A kernel by its name; it lives as long as its module.
    fn function(&self, module: &mut Self::Module, name: &str) -> Result<Self::Function, String>;
    /// Submits a launch; the arguments are the addresses of the values.
    fn launch(&self, function: &Self::Function, launch: &Launch<'_>) -> Result<Option<Self::Timing>, String>;
    /// The time of a launch in seconds; waits for its end.
    fn seconds(&self, timing: Self::Timing) -> Result<f64, String>;

    /// Allocates device memory, accessible from the host, too, if `is_host_shared`.
    fn allocate(&self, bytes: u64, is_host_shared: bool) -> Result<usize, String>;
    /// Frees memory after the work that may use it has completed.
    fn free(&self, address: usize) -> Result<(), String>;
    /// Copies between host and device memory. With `involves_host`, waits until the copy is complete, so that the host
    /// may reuse its memory.
    fn copy(&self, to: usize, from: usize, bytes: usize, involves_host: bool) -> Result<(), String>;
    /// Fills memory with copies of a pattern of 2 or 4 bytes.
    fn fill(&self, to: usize, pattern: &[u8], count: usize) -> Result<(), String>;
    /// Waits for all submitted work.
    fn synchronize(&self) -> Result<(), String>;

    /// Submits the following work to a stream of the caller, or to the own one.
    fn use_stream(&mut self, _stream: Option<usize>) {}
    /// Describes why an address is not one of memory of this device, as the end of a sentence about it; `None` if it is.
    fn problem_of_memory(&self, _address: usize) -> Option<String> {
        Some(format!("requires memory of '{}', which {} does not support", self.device().name, Self::API.title()))
    }
}

/// A launch of a kernel, within the limits of the device.
pub struct Launch<'a> {
    /// The grid, in blocks.
    pub grid: [u64; 3],
    /// The block, in threads.
    pub block: [u64; 3],
    /// Dynamic shared memory, in addition to the kernel's static one, in bytes.
    pub shared_bytes: u32,
    /// The addresses of the argument values.
    pub parameters: &'a [usize],
    /// True if the launch is timed.
    pub is_measured: bool,
}
