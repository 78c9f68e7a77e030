//! OpenCL through the entry points, on the default device.
mod support;

use mdh_runtime::{Api, Error, collect_errors, devices, release_all, select, take_error, take_kernel_seconds};
use std::{
    env, fs,
    path::Path,
    process::{Command, Output},
    ptr::null_mut,
};
use support::{
    child,
    interface::{Interface, address},
    is_child, text,
};

/// Runs a test in a process of its own, which must succeed.
fn in_child(test: &str, body: impl FnOnce()) {
    if is_child() {
        return body();
    }
    let output = child(test).output().expect("the test runs again");
    assert!(output.status.success(), "{}", text(&output));
    is_unsupported(&output);
}

/// Returns true, and prints the reason, if a test is unsupported here.
fn is_unsupported(output: &Output) -> bool {
    let text = text(output);
    let line = text.lines().find(|line| line.contains("unsupported: "));
    line.inspect(|line| println!("{line}")).is_some()
}

/// The compiled module of `kernel.ll`; `None`, with a printed reason, without a device.
fn module() -> Option<Vec<u8>> {
    match devices(Api::Opencl) {
        Err(Error::NoDevice(text)) => {
            println!("unsupported: {text}");
            return None;
        }
        devices => assert!(!devices.expect("devices that say what they are").is_empty()),
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (source, object) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel.ll"), folder.path().join("kernel.spv"));
    let llvm = env::var_os("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let mut command = Command::new(Path::new(&llvm).join("bin/llc"));
    command.args(["-mtriple=spirv64-unknown-unknown", "-filetype=obj", "-o"]).arg(&object).arg(source);
    let output = command.output().expect("llc is there (make setup)");
    assert!(output.status.success(), "{}", text(&output));
    Some(fs::read(object).expect("a module"))
}

#[test]
fn a_kernel_runs() {
    in_child("a_kernel_runs", || {
        let Some(module) = module() else { return };
        collect_errors(Api::Opencl);
        let opencl = Interface::new(Api::Opencl);
        let module = opencl.load(&module);
        let function = opencl.function(module, "reverse");
        assert_eq!(opencl.function(module, "reverse"), function);
        let values: Vec<f32> = (0..256).map(|number| number as f32).collect();
        let (mut input, mut output) = (opencl.allocate(1024), opencl.allocate(1028));
        opencl.send(input, &values);
        opencl.fill(output, 7.0, 257);
        for factor in [2.0f32, 3.0] {
            let (mut factor, mut offset, mut add) = (factor, 1i64, -5i16);
            let (input, output) = (address(&mut input), address(&mut output));
            let mut arguments = [input, output, address(&mut factor), address(&mut offset), address(&mut add)];
            opencl.launch(function, 4, 64, &mut arguments);
        }
        // No blocks, nothing to do.
        opencl.launch(function, 0, 64, &mut [null_mut(); 5]);
        let results = opencl.receive(output, 257);
        assert_eq!(take_error(Api::Opencl), None);
        let expected = (0..256).map(|place| (place / 64 * 64 + 63 - place % 64) as f32 * 3.0 - 5.0);
        assert_eq!(results[0], 7.0);
        assert_eq!(results[1..], expected.collect::<Vec<_>>());
        let seconds = take_kernel_seconds(Api::Opencl);
        assert_eq!(seconds.len(), 2);
        assert!(seconds.iter().all(|seconds| (0.0..10.0).contains(seconds)), "{seconds:?}");
        assert!(take_kernel_seconds(Api::Opencl).is_empty());
        opencl.fill_halves(output, 0x3f80, 2);
        assert_eq!(opencl.receive(output, 1)[0].to_bits(), 0x3f80_3f80);
        opencl.free(input);
        opencl.free(null_mut());
        release_all(Api::Opencl);
        opencl.unload(module);
        opencl.unload(module);
        opencl.synchronize();
        assert_eq!(take_error(Api::Opencl), None);
    });
}

#[test]
fn a_launch_asks_for_shared_memory() {
    in_child("a_launch_asks_for_shared_memory", || {
        let Some(module) = module() else { return };
        collect_errors(Api::Opencl);
        let opencl = Interface::new(Api::Opencl);
        let module = opencl.load(&module);
        let function = opencl.function(module, "mirror");
        let mut memory = opencl.allocate(256);
        opencl.send(memory, &(0..64).map(|number| number as f32).collect::<Vec<_>>());
        // The value of the argument is ignored.
        let (mut nothing, memory_of) = (null_mut::<u8>(), address(&mut memory));
        let mut arguments = [memory_of, address(&mut nothing)];
        opencl.launch_sharing(function, 1, 64, 256, &mut arguments);
        assert_eq!(take_error(Api::Opencl), None);
        assert_eq!(opencl.receive(memory, 64), (0..64).rev().map(|number| number as f32).collect::<Vec<_>>());

        let error = || take_error(Api::Opencl).expect("an error");
        let device = mdh_runtime::selected(Api::Opencl).expect("a device");
        let (name, most) = (device.name, device.shared_bytes);
        opencl.launch_sharing(function, 1, 64, most as i32 + 1, &mut arguments);
        let asked = most + 1;
        assert_eq!(
            error(),
            format!("'{name}' has {most} bytes of shared memory for a block, a launch requires {asked}")
        );
        opencl.launch_sharing(function, 1, 64, i32::MAX, &mut arguments);
        assert!(error().ends_with("a launch requires 2147483647 or more"));
        opencl.launch_sharing(opencl.function(module, "reverse"), 1, 64, 8, &mut [null_mut(); 5]);
        let expected =
            "OpenCL requires a kernel with one argument in local memory for the 8 bytes of the launch, but it has 0";
        assert_eq!(error(), expected);
    });
}

#[test]
fn many_launches() {
    in_child("many_launches", || {
        let Some(module) = module() else { return };
        collect_errors(Api::Opencl);
        let opencl = Interface::new(Api::Opencl);
        let function = opencl.function(opencl.load(&module), "reverse");
        let mut memory = opencl.allocate(256);
        let (mut factor, mut offset, mut add) = (1f32, 0i64, 1i16);
        let memory = address(&mut memory);
        let mut arguments = [memory, memory, address(&mut factor), address(&mut offset), address(&mut add)];
        for _ in 0..2000 {
            opencl.launch(function, 1, 64, &mut arguments);
        }
        assert_eq!(take_kernel_seconds(Api::Opencl).len(), 2000);
        assert_eq!(take_error(Api::Opencl), None);
    });
}

#[test]
fn errors_are_kept_until_taken() {
    in_child("errors_are_kept_until_taken", || {
        let Some(image) = module() else { return };
        collect_errors(Api::Opencl);
        let opencl = Interface::new(Api::Opencl);
        let error = || take_error(Api::Opencl).expect("an error");

        // The first error is kept, and nothing is done until it is taken.
        assert!(opencl.load(b"no module of kernels").is_null());
        assert!(opencl.allocate(16).is_null());
        assert!(opencl.load(&[]).is_null());
        assert!(error().starts_with("a SPIR-V module requires the magic number 0x07230203, got "));
        assert_eq!(take_error(Api::Opencl), None);
        opencl.load(&[]);
        assert_eq!(error(), "a module of kernels requires an address and a size that is not zero");
        opencl.load_text("");
        assert_eq!(error(), "a module of kernels requires an address and a size that is not zero");
        opencl.load_text("a text");
        assert_eq!(
            error(),
            "OpenCL requires a module with its size, which ModuleLoad takes and ModuleLoadJIT does not"
        );

        // A header without instructions is not a program.
        let mut broken = image[..20].to_vec();
        assert!(opencl.load(&broken).is_null());
        let text = error();
        let is_built = text.starts_with("OpenCL cannot build a SPIR-V module: CL_BUILD_PROGRAM_FAILURE: ");
        assert!(is_built || text.starts_with("OpenCL cannot load a SPIR-V module: "), "{text}");
        broken.extend(image[20..].iter().take(4));
        broken.extend([0; 4]);
        assert!(opencl.load(&broken).is_null());
        let _ = error();

        let module = opencl.load(&image);
        assert!(opencl.function(module, "missing").is_null());
        assert_eq!(error(), "the SPIR-V module has no kernel 'missing'; it has: 'mirror', 'reverse'");
        assert!(opencl.function(null_mut(), "reverse").is_null());
        assert_eq!(error(), "the kernel 'reverse' requires a loaded module, got the handle 0");

        let function = opencl.function(module, "reverse");
        opencl.launch(null_mut(), 1, 1, &mut []);
        assert_eq!(error(), "a launch requires a kernel of a loaded module, got the handle 0");
        opencl.launch(function, 1, 1, &mut []);
        assert_eq!(error(), "the kernel requires 5 arguments, got 0");
        opencl.launch(function, 1, 1, &mut [null_mut(); 5]);
        assert_eq!(error(), "argument 0 of the kernel requires the address of its value, got a null pointer");
        opencl.launch(function, 1, 0, &mut [null_mut(); 5]);
        assert!(error().ends_with(" in all, got 0x1x1"));
        opencl.launch(function, 1, 1 << 40, &mut [null_mut(); 5]);
        assert!(error().contains("requires blocks of at most "));
        opencl.launch(function, u64::MAX, 64, &mut [null_mut(); 5]);
        assert!(error().contains("requires grids of at most "));

        let device = mdh_runtime::selected(Api::Opencl).expect("a device");
        let (name, most) = (device.name, device.most_allocation_bytes);
        let bytes = most + 1;
        assert!(opencl.allocate(bytes).is_null());
        let expected = format!(
            "a buffer of {bytes} bytes is too large for '{name}', which allocates at most {most} bytes at once"
        );
        assert_eq!(error(), expected);
        opencl.free(address(&mut 0));
        assert!(error().starts_with("memory to be freed requires an address of allocated memory, got 0x"));
        opencl.send(null_mut(), &[1.0, 2.0]);
        assert_eq!(error(), "a copy of 8 bytes requires two addresses, got a null pointer");
        opencl.fill(null_mut(), 0.0, 3);
        assert_eq!(error(), "filling 12 bytes requires an address, got a null pointer");
        let empty = opencl.allocate(0);
        assert!(!empty.is_null());
        opencl.send(empty, &[]);
        assert_eq!(take_error(Api::Opencl), None);
    });
}

#[test]
fn devices_are_selected() {
    in_child("devices_are_selected", || {
        if module().is_none() {
            return;
        }
        let device = select(Api::Opencl, "0").expect("the first device");
        assert_eq!(select(Api::Opencl, &device.name.to_uppercase()), Ok(device.clone()));
        assert_eq!(mdh_runtime::selected(Api::Opencl), Ok(device.clone()));
        assert!(device.most_threads > 0 && device.memory_bytes > 0 && device.compute_units > 0, "{device:?}");
        let Err(Error::Failed(text)) = select(Api::Opencl, "no such device") else { panic!("an error") };
        assert!(text.starts_with("no OpenCL device has the index or the name 'no such device'; there are: 0 '"));
    });
}

#[test]
fn a_program_by_itself_ends() {
    const NAME: &str = "a_program_by_itself_ends";
    if is_child() {
        if module().is_some() {
            Interface::new(Api::Opencl).load(&[]);
        }
        return;
    }
    let output = child(NAME).output().expect("the test runs again");
    if is_unsupported(&output) {
        return;
    }
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.ends_with("error: a module of kernels requires an address and a size that is not zero\n"), "{text}");
}

#[test]
fn a_missing_loader_is_said() {
    const NAME: &str = "a_missing_loader_is_said";
    if is_child() {
        let Err(Error::NoDevice(text)) = devices(Api::Opencl) else { panic!("an error") };
        let start = "no OpenCL device: MDH_OPENCL_LIBRARY requires the path of an ICD loader, got 'missing.so' (";
        assert!(text.starts_with(start), "{text}");
        assert!(!text.contains('\n'));
        Interface::new(Api::Opencl).allocate(16);
        unreachable!("a program by itself ends");
    }
    let output = child(NAME).env("MDH_OPENCL_LIBRARY", "missing.so").output().expect("the test runs again");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("error: no OpenCL device: "), "{}", text(&output));
}

#[test]
fn a_loader_without_platforms_is_said() {
    const NAME: &str = "a_loader_without_platforms_is_said";
    if is_child() {
        let Err(Error::NoDevice(text)) = devices(Api::Opencl) else { panic!("an error") };
        println!("{text}");
        assert!(text.starts_with("no OpenCL device: "), "{text}");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = child(NAME).env("OCL_ICD_VENDORS", folder.path()).output().expect("the test runs again");
    assert!(output.status.success(), "{}", text(&output));
}

/// Links a C program as users do, with the shared and with the static library.
#[test]
fn a_c_program_links() {
    in_child("a_c_program_links", || {
        if let Some(module) = module() {
            link_and_run(&module);
        }
    });
}

fn link_and_run(module: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let (image, program) = (folder.path().join("kernel.spv"), folder.path().join("program"));
    fs::write(&image, module).expect("the folder is writable");
    let libraries = env::current_exe().expect("the test's program").parent().expect("a folder").to_owned();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program.c");
    let rpath = format!("-Wl,-rpath,{}", libraries.display());
    for library in ["-lmdh_runtime", "-l:libmdh_runtime.a"] {
        let mut command = Command::new("cc");
        command.arg(&source).arg("-L").arg(&libraries).args([library, &rpath, "-lm", "-o"]).arg(&program);
        let Ok(output) = command.output() else { return println!("unsupported: there is no C compiler") };
        assert!(output.status.success(), "{}", text(&output));
        let output = Command::new(&program).env("MODULE", &image).output().expect("the program runs");
        assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "65 2\n"), "{library}");
        let output = Command::new(&program).env("MODULE", &source).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(1), "{library}");
        let (text, expected) = (text(&output), "error: a SPIR-V module requires ");
        assert!(text.starts_with(expected) && text.lines().count() == 1, "{text}");
    }
}
