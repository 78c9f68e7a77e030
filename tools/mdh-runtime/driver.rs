//! What an API does for the run-time library. Errors are texts for the user.
use crate::device::{Api, Device, Error};

/// A device that is in use, with one queue of work that is carried out in order.
///
/// Addresses are numbers: nothing here reads what they point to, and the drivers know which of them are theirs.
pub trait Driver: Sized {
    /// The API.
    const API: Api;
    /// Whether modules are texts, whose end a zero byte says.
    const TAKES_TEXT: bool;
    /// A module of kernels on the device.
    type Module: Send;
    /// A kernel of a module.
    type Function: Send;
    /// What says how long a launch took, once it has ended.
    type Timing: Send;

    /// All devices.
    fn devices() -> Result<Vec<Device>, Error>;
    /// Begins to use a device.
    fn open(device: &Device) -> Result<Self, String>;
    /// The device in use.
    fn device(&self) -> &Device;

    /// Loads kernels; the level of optimization, if there is one, is for texts.
    fn load(&self, image: &[u8], level: Option<u32>) -> Result<Self::Module, String>;
    /// Unloads kernels.
    fn unload(&self, module: Self::Module);
    /// A kernel by its name; it lives as long as its module.
    fn function(&self, module: &mut Self::Module, name: &str) -> Result<Self::Function, String>;
    /// Begins a launch; the arguments are the addresses of the values.
    fn launch(&self, function: &Self::Function, launch: &Launch<'_>) -> Result<Option<Self::Timing>, String>;
    /// The time of a launch; waits for its end.
    fn seconds(&self, timing: Self::Timing) -> Result<f64, String>;

    /// Allocates memory, which the host may use as well if it is shared with it.
    fn allocate(&self, bytes: u64, is_host_shared: bool) -> Result<usize, String>;
    /// Frees memory when the work that may use it is done.
    fn free(&self, address: usize) -> Result<(), String>;
    /// Copies between memory of the host and of the device; the host's may be changed afterwards if the caller says that it is involved.
    fn copy(&self, to: usize, from: usize, bytes: usize, involves_host: bool) -> Result<(), String>;
    /// Fills memory with copies of a pattern of 2 or 4 bytes.
    fn fill(&self, to: usize, pattern: &[u8], count: usize) -> Result<(), String>;
    /// Waits for all work.
    fn synchronize(&self) -> Result<(), String>;
}

/// A launch of a kernel, which is known to be within the limits of the device.
pub struct Launch<'a> {
    /// In blocks.
    pub grid: [u64; 3],
    /// In threads.
    pub block: [u64; 3],
    /// Shared memory beyond what the kernel itself declares, in bytes.
    pub shared_bytes: u32,
    /// The addresses of the values of the parameters.
    pub parameters: &'a [usize],
    /// Whether the time is wanted.
    pub is_measured: bool,
}
