//! What compiled programs with kernels for a GPU call at run time.
//!
//! The host part of such a program holds its kernels as PTX or SPIR-V, and calls the entry points of [`entry_points`]: those of MLIR's
//! GPU wrappers by other names, once for the CUDA driver and once for OpenCL. Both are looked for when the first entry point is
//! called; nothing of them is needed to build or link.
mod activity;
mod cuda;
mod device;
mod driver;
mod entries;
mod library;
mod opencl;
mod runtime;
mod spirv;

pub use activity::activity;
pub use device::{Api, Device, Error};

use cuda::Cuda;
use opencl::Opencl;
use runtime::{Control, Runtime};

static CUDA: Runtime<Cuda> = Runtime::new();
static OPENCL: Runtime<Opencl> = Runtime::new();

/// What runs kernels by an API.
fn control(api: Api) -> &'static dyn Control {
    match api {
        Api::Cuda => &CUDA,
        Api::Opencl => &OPENCL,
    }
}

/// The names and addresses of what compiled code calls, for a JIT compiler to define.
pub fn entry_points(api: Api) -> Vec<(&'static str, *const ())> {
    match api {
        Api::Cuda => entries::cuda(),
        Api::Opencl => entries::opencl(),
    }
}

/// The devices of an API, in its own order.
pub fn devices(api: Api) -> Result<Vec<Device>, Error> {
    control(api).devices()
}

/// Chooses the device of what is called from here on: by its index, or by a part of its name in upper or lower case. What the device
/// chosen before still holds is released.
///
/// Without it the environment variable `MDH_DEVICE` decides in the same way, else it is the first GPU, else the first device.
pub fn select(api: Api, text: &str) -> Result<Device, Error> {
    let device = device::find(devices(api)?, text)?;
    control(api).select(device.clone());
    Ok(device)
}

/// The device that an API uses: the chosen one, else the one that `MDH_DEVICE` names, else the first GPU, else the first device.
pub fn selected(api: Api) -> Result<Device, Error> {
    control(api).selected()
}

/// Keeps errors for [`take_error`] from here on, where a program by itself prints the first and exits with code 1.
pub fn collect_errors(api: Api) {
    control(api).collect_errors();
}

/// The first error since the last call. Until it is taken, the entry points do nothing.
pub fn take_error(api: Api) -> Option<String> {
    control(api).take_error()
}

/// How long each launch since the last call took on the device, in order; waits for those that have not ended. Of a program that
/// never asks, the first 65,536 launches are measured.
pub fn take_kernel_seconds(api: Api) -> Vec<f64> {
    control(api).take_kernel_seconds()
}

/// Frees the memory that is still allocated on the device. Modules stay loaded.
pub fn release_all(api: Api) {
    control(api).release_all();
}
