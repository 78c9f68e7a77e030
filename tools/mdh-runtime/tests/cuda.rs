//! CUDA through the entry points, on a stub of NVIDIA's driver: checks the calls of the driver.
#[path = "support/calls.rs"]
mod calls;
mod support;

use calls::{begin_call, check_size, constant, end_call, problem_of_memory};
use mdh_runtime::{
    Api, Error, abandon_call, collect_errors, devices, free_number, number_on_device, release_all, select, take_error,
    take_kernel_seconds,
};
use std::{
    path::Path,
    process::{Command, Output},
    ptr::null_mut,
};
use support::{
    child,
    interface::{Interface, address},
    is_child, text,
};

/// Runs a test again with the stub as driver library; `None` without a C compiler.
fn with_stand_in(test: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver.c");
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-o"]).arg(folder.path().join("libcuda.so.1")).arg(source);
    let Ok(output) = command.output() else {
        println!("unsupported: there is no C compiler");
        return None;
    };
    assert!(output.status.success(), "{}", text(&output));
    let mut command = child(test);
    command.env("LD_LIBRARY_PATH", folder.path()).envs(variables.iter().copied());
    Some(command.output().expect("the test runs again"))
}

/// Runs a test again with the stub, unless this is the process in which it does; then returns false. Checks what the stub
/// tells in the end.
fn runs_again(test: &str, told: &str) -> bool {
    if is_child() {
        return false;
    }
    if let Some(output) = with_stand_in(test, &[]) {
        let text = text(&output);
        assert!(output.status.success() && text.contains(told), "{text}");
    }
    true
}

#[test]
fn a_kernel_runs() {
    let left = "stand-in: 0 contexts current, 1 retained, 0 events, 0 allocations, 0 modules\n";
    if runs_again("a_kernel_runs", left) {
        return;
    }
    collect_errors(Api::Cuda);
    let cuda = Interface::new(Api::Cuda);
    let module = cuda.load(b".version 8.0");
    let function = cuda.function(module, "scale");
    let mut memory = cuda.allocate(256);
    cuda.fill(memory, 3.0, 64);
    cuda.send(memory, &[1.0, 2.0]);
    let (mut one, mut factor) = (1f32, 4f32);
    // No blocks, nothing to do.
    cuda.launch(function, 0, 16, &mut [null_mut(); 2]);
    for _ in 0..600 {
        cuda.launch(function, 2, 16, &mut [address(&mut memory), address(&mut one)]);
    }
    // The launch opts in to more dynamic shared memory.
    cuda.launch_sharing(function, 2, 16, 232_448, &mut [address(&mut memory), address(&mut factor)]);
    cuda.synchronize();
    let results = cuda.receive(memory, 33);
    assert_eq!(take_error(Api::Cuda), None);
    assert_eq!([results[0], results[1], results[2], results[31], results[32]], [4.0, 8.0, 12.0, 12.0, 3.0]);
    assert_eq!(take_kernel_seconds(Api::Cuda), vec![0.5e-3; 601]);
    cuda.fill_halves(memory, 0x3f80, 2);
    assert_eq!(cuda.receive(memory, 1)[0].to_bits(), 0x3f80_3f80);
    cuda.unload(module);
    cuda.free(memory);
    cuda.allocate(16);
    release_all(Api::Cuda);
    assert_eq!(take_error(Api::Cuda), None);
}

#[test]
fn errors_say_what_the_driver_says() {
    if !is_child() {
        let Some(output) = with_stand_in("errors_say_what_the_driver_says", &[]) else { return };
        return assert!(output.status.success(), "{}", text(&output));
    }
    collect_errors(Api::Cuda);
    let cuda = Interface::new(Api::Cuda);
    let error = || take_error(Api::Cuda).expect("an error");
    assert!(cuda.load(b"no PTX").is_null());
    let expected = "CUDA cannot load a module: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed): \
        ptxas error   : no version; ptxas fatal   : aborted";
    assert_eq!(error(), expected);
    assert!(cuda.load_text("no PTX").is_null());
    assert_eq!(error(), expected);
    let module = cuda.load_text(".version 8.0");
    assert!(cuda.function(module, "missing").is_null());
    assert_eq!(error(), "CUDA cannot find the kernel 'missing': CUDA_ERROR_NOT_FOUND (named symbol not found)");
    cuda.allocate(1 << 19);
    cuda.allocate((1 << 19) + 1);
    let expected = "a buffer of 524289 bytes is too large for 'Stand-in 40', which has 1048576 bytes of memory and 524288 bytes of \
        it in use";
    assert_eq!(error(), expected);
    cuda.launch(cuda.function(module, "scale"), 1, 1025, &mut []);
    let expected =
        "'Stand-in 40' requires blocks of at most 1024x1024x64 threads, not 0, and at most 1024 in all, got 1025x1x1";
    assert_eq!(error(), expected);
    cuda.launch_sharing(cuda.function(module, "scale"), 1, 16, 232_449, &mut []);
    let expected = "'Stand-in 40' has 232448 bytes of shared memory for a block, a launch requires 232449";
    assert_eq!(error(), expected);
    assert_eq!(select(Api::Cuda, "stand").map(|device| device.capability), Ok(Some((9, 0))));
    let device = &devices(Api::Cuda).expect("a device")[0];
    assert_eq!((device.version.as_str(), device.clock_mhz, device.registers), ("12.9", 1980, Some(65536)));
    assert_eq!((device.most_grid, device.has_f16), ([2147483647, 65535, 65535], true));
}

#[test]
fn a_call_uses_the_stream_of_its_caller() {
    let left =
        "0 contexts current, 1 retained, 0 events, 0 allocations, 0 modules\nstand-in: 2 allocations in the order";
    if runs_again("a_call_uses_the_stream_of_its_caller", left) {
        return;
    }
    collect_errors(Api::Cuda);
    let cuda = Interface::new(Api::Cuda);
    let module = cuda.load(b".version 8.0");
    let function = cuda.function(module, "scale");
    let memory = cuda.allocate(64);
    cuda.send(memory, &[1.0, 2.0]);
    let (mut values, mut factor) = (memory, 4f32);
    let mut launch = || cuda.launch(function, 1, 2, &mut [address(&mut values), address(&mut factor)]);
    begin_call(&cuda, 7);
    launch();
    cuda.free(cuda.allocate(16));
    cuda.synchronize();
    assert_eq!(end_call(&cuda), (0, String::new()));
    // The launches of a call have no events.
    assert_eq!(take_kernel_seconds(Api::Cuda), vec![]);
    // After an error, nothing is done, and what the call has allocated is freed.
    begin_call(&cuda, 7);
    cuda.allocate(16);
    check_size(&cuda, 8, 8);
    check_size(&cuda, 8, 7);
    cuda.launch(std::ptr::null_mut(), 1, 1, &mut []);
    launch();
    assert_eq!(end_call(&cuda), (1, "result 1 has size 8 in dimension 2, but its memory has 7".to_owned()));
    begin_call(&cuda, 7);
    cuda.launch(std::ptr::null_mut(), 1, 1, &mut []);
    assert_eq!(end_call(&cuda), (3, "a launch requires a kernel of a loaded module, got the handle 0".to_owned()));
    // The error of a call is not one of the process.
    assert_eq!(take_error(Api::Cuda), None);
    launch();
    assert_eq!(cuda.receive(memory, 2), [16.0, 32.0]);
    assert_eq!(take_kernel_seconds(Api::Cuda).len(), 1);
    cuda.free(memory);
    cuda.unload(module);
    assert_eq!(problem_of_memory(&cuda, 4096), None);
    let of_host = "requires memory of 'Stand-in 40', but got memory of the host, at 0x1001";
    assert_eq!(problem_of_memory(&cuda, 4097).as_deref(), Some(of_host));
    let of_other = "requires memory of 'Stand-in 40', which is device 0, but got memory of device 1";
    assert_eq!(problem_of_memory(&cuda, 16).as_deref(), Some(of_other));
}

#[test]
fn constants_stay_until_their_module_is_unloaded() {
    if runs_again("constants_stay_until_their_module_is_unloaded", "0 allocations, 0 modules") {
        return;
    }
    collect_errors(Api::Cuda);
    let cuda = Interface::new(Api::Cuda);
    let (module, other) = (cuda.load(b".version 8.0"), cuda.load(b".version 8.0"));
    let mut values = [3f32, 4.0];
    let address = constant(&cuda, module, &values);
    assert_eq!(cuda.receive(address, 2), values);
    begin_call(&cuda, 7);
    let again = [&values[..], &values[..1]].map(|values| constant(&cuda, module, values) == address);
    assert_eq!((again, end_call(&cuda)), ([true, false], (0, String::new())));
    let kept = constant(&cuda, other, &values);
    assert_ne!(kept, address);
    // Work of calls may use them, and what a call has allocated, when another program fails.
    begin_call(&cuda, 7);
    let own = cuda.allocate(4);
    release_all(Api::Cuda);
    assert_eq!((constant(&cuda, module, &values), cuda.receive(address, 2)), (address, values.to_vec()));
    cuda.free(own);
    assert_eq!(end_call(&cuda), (0, String::new()));
    // Other code may have other constants at the same address.
    cuda.unload(module);
    let module = cuda.load(b".version 8.0");
    values = [5.0, 6.0];
    assert_eq!(cuda.receive(constant(&cuda, module, &values), 2), values);
    assert_eq!((constant(&cuda, other, &values), cuda.receive(kept, 2)), (kept, vec![3.0, 4.0]));
    assert!(constant(&cuda, module, &[0.0; 1 << 19]).is_null());
    let error = take_error(Api::Cuda).expect("an error");
    assert!(error.starts_with("a buffer of 2097152 bytes is too large"), "{error}");
    cuda.unload(module);
    cuda.unload(other);
    assert_eq!(take_error(Api::Cuda), None);
    assert!(constant(&cuda, other, &values).is_null());
    let error = take_error(Api::Cuda).expect("an error");
    assert!(error.starts_with("a constant requires a loaded module, got the handle "), "{error}");
}

#[test]
fn a_call_that_is_left_ends_without_its_memory() {
    if runs_again("a_call_that_is_left_ends_without_its_memory", "0 allocations, 0 modules") {
        return;
    }
    collect_errors(Api::Cuda);
    let cuda = Interface::new(Api::Cuda);
    begin_call(&cuda, 7);
    cuda.allocate(16);
    abandon_call(Api::Cuda);
    // The memory of numbers of a call is that of its stream.
    for bytes in [&[1][..], &2.5f32.to_ne_bytes(), &0.1f64.to_ne_bytes()] {
        let address = number_on_device(bytes, 7).expect("memory");
        let mut words = bytes.to_vec();
        words.resize(bytes.len().next_multiple_of(4), 0);
        let received = cuda.receive(std::ptr::with_exposed_provenance_mut(address), words.len() / 4);
        assert_eq!(received.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>(), words);
        free_number(address, 7);
    }
    assert_eq!(take_error(Api::Cuda), None);
}

#[test]
fn a_driver_without_a_gpu_is_said() {
    if !is_child() {
        let Some(output) = with_stand_in("a_driver_without_a_gpu_is_said", &[("NO_GPU", "1")]) else { return };
        return assert!(output.status.success(), "{}", text(&output));
    }
    let expected = "no CUDA device: NVIDIA's driver is installed, but finds no GPU";
    assert_eq!(devices(Api::Cuda), Err(Error::NoDevice(expected.to_owned())));
}

#[test]
fn a_missing_driver_is_said() {
    match devices(Api::Cuda) {
        Err(Error::NoDevice(text)) => {
            assert!(text.starts_with("no CUDA device: ") && !text.contains('\n') && !text.ends_with('.'), "{text}");
        }
        _ => println!("unsupported: there is a driver"),
    }
}
