//! The run-time library of compiled programs with GPU kernels.
//!
//! The host code of such a program contains its kernels as PTX or SPIR-V, and calls the entry points of
//! [`entry_points`]. They are the functions of MLIR's GPU runtime wrappers under other names, once for the CUDA driver
//! and once for OpenCL. Both APIs are loaded at run time, by the first call of an entry point; neither is needed to
//! build or link.
mod activity;
mod call;
mod cuda;
mod device;
mod driver;
mod entries;
mod library;
mod opencl;
mod runtime;
mod spirv;
mod time_limit;

pub use activity::activity;
pub use device::{Api, Device, Error};

use cuda::Cuda;
use opencl::Opencl;
use runtime::{Control, Runtime};

static CUDA: Runtime<Cuda> = Runtime::new();
static OPENCL: Runtime<Opencl> = Runtime::new();

/// The run-time library of an API.
fn control(api: Api) -> &'static dyn Control {
    match api {
        Api::Cuda => &CUDA,
        Api::Opencl => &OPENCL,
    }
}

/// Names and addresses of the functions that compiled code calls, for a JIT compiler to define.
pub fn entry_points(api: Api) -> Vec<(&'static str, *const ())> {
    match api {
        Api::Cuda => [entries::cuda(), entries::calls()].concat(),
        Api::Opencl => entries::opencl(),
    }
}

/// The devices of an API, in the order of the API.
pub fn devices(api: Api) -> Result<Vec<Device>, Error> {
    control(api).devices()
}

/// Selects the device for all following calls, by its index or by a part of its name, ignoring case. Memory and modules
/// on the device in use before are released.
///
/// The default is the device that the environment variable `MDH_DEVICE` selects in the same way, else the first GPU,
/// else the first device.
pub fn select(api: Api, text: &str) -> Result<Device, Error> {
    let device = device::find(devices(api)?, text)?;
    control(api).select(device.clone());
    Ok(device)
}

/// The device that an API uses: the selected one, else the one that `MDH_DEVICE` selects, else the first GPU, else the
/// first device.
pub fn selected(api: Api) -> Result<Device, Error> {
    control(api).selected()
}

/// Collects errors for [`take_error`] from now on. By default, the first error is printed and the process exits with
/// code 1.
pub fn collect_errors(api: Api) {
    control(api).collect_errors();
}

/// The first error since the last call. Until it is taken, the entry points do nothing.
pub fn take_error(api: Api) -> Option<String> {
    control(api).take_error()
}

/// The device times in seconds of all launches since the last call, in order; waits for pending launches. If a program
/// never calls this, only its first 65,536 launches are timed.
pub fn take_kernel_seconds(api: Api) -> Vec<f64> {
    control(api).take_kernel_seconds()
}

/// Ends the call of a function with device memory that this thread has left before its end, and frees what the call has
/// allocated.
pub fn abandon_call(api: Api) {
    control(api).abandon_call();
}

/// Writes a number to new memory of the CUDA device, in the order of a stream: kernels read it there. Returns the
/// address, for [`free_number`].
pub fn number_on_device(bytes: &[u8], stream: usize) -> Result<usize, String> {
    CUDA.number_on_device(bytes, stream)
}

/// Frees the memory of a number, in the order of its stream.
pub fn free_number(address: usize, stream: usize) {
    CUDA.free_number(address, stream);
}

/// Frees the memory that is still allocated on the device, except that of calls with device memory and of constants.
/// Modules stay loaded.
pub fn release_all(api: Api) {
    control(api).release_all();
}
