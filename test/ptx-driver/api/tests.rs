//! A program that uses the driver as ordinary programs do: with a context of its own, and copies that wait.
use super::{contexts::*, memory::*, *};

/// Doubles each of the numbers.
const PTX: &CStr = c".version 7.8
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 .ptr .global .align 16 numbers) {
.reg .b32 %r<3>;
.reg .b64 %d<4>;
ld.param.b64 %d0, [numbers];
mov.u32 %r0, %tid.x;
mul.wide.u32 %d1, %r0, 4;
add.s64 %d2, %d0, %d1;
ld.global.b32 %r1, [%d2];
add.s32 %r2, %r1, %r1;
st.global.b32 [%d2], %r2;
}";

const INVALID_VALUE: i32 = Code::InvalidValue as i32;
const INVALID_CONTEXT: i32 = Code::InvalidContext as i32;

#[test]
fn ordinary_programs_run() {
    let (mut context, mut current, mut device) = (0, 0, -1);
    assert_eq!([cuInit(0), cuCtxCreate_v2(&mut context, 0, DEVICE)], [0; 2]);
    assert_eq!([cuCtxGetCurrent(&mut current), cuCtxGetDevice(&mut device)], [0; 2]);
    assert_eq!((current, device), (context, DEVICE));

    let (mut module, mut function) = (0, 0);
    assert_eq!(cuModuleLoadData(&mut module, PTX.as_ptr()), 0);
    assert_eq!(cuModuleGetFunction(&mut function, module, c"twice".as_ptr()), 0);
    let (mut free, mut less, mut total, mut numbers, mut others) = (0, 0, 0, 0, 0);
    assert_eq!(cuMemGetInfo_v2(&mut free, &mut total), 0);
    assert_eq!([cuMemAlloc_v2(&mut numbers, 16), cuMemAlloc_v2(&mut others, 16)], [0; 2]);
    assert_eq!(cuMemGetInfo_v2(&mut less, &mut total), 0);
    assert_eq!((free - less, total as u64), (32, crate::memory::BYTES));

    let (given, mut found) = ([1u32, 2, 3, 4], [0u32; 4]);
    let bytes = |numbers: &[u32; 4]| numbers.as_ptr().cast::<u8>();
    assert_eq!(cuMemcpyHtoD_v2(numbers, bytes(&given), 16), 0);
    let parameters = [ptr::from_ref(&numbers).cast::<u8>()];
    assert_eq!(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, 0, parameters.as_ptr(), ptr::null()), 0);
    assert_eq!([cuCtxSynchronize(), cuMemcpyDtoD_v2(others, numbers, 16)], [0; 2]);
    assert_eq!(cuMemsetD8_v2(others, 0xff, 4), 0);
    assert_eq!(cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), others, 16), 0);
    assert_eq!(found, [u32::MAX, 4, 6, 8]);
    // A function that copies to the device does not copy to the host.
    assert_eq!(cuMemcpyHtoD_v2(bytes(&given).expose_provenance() as u64, bytes(&given), 16), INVALID_VALUE);

    // The memory of a context goes with it.
    assert_eq!([cuMemFree_v2(numbers), cuCtxDestroy_v2(context)], [0; 2]);
    assert_eq!([cuCtxSynchronize(), cuCtxSetCurrent(context), cuCtxDestroy_v2(context)], [INVALID_CONTEXT; 3]);
    assert_eq!([cuCtxSetCurrent(0), cuDevicePrimaryCtxRetain(&mut context, DEVICE)], [0; 2]);
    assert_eq!([cuCtxSetCurrent(context), cuMemGetInfo_v2(&mut less, &mut total)], [0; 2]);
    assert_eq!(less, free);
    assert_eq!([cuCtxSetCurrent(0), cuDevicePrimaryCtxRelease_v2(DEVICE)], [0; 2]);
}
