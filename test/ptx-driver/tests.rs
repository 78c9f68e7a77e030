//! Small kernels with known results, and invalid ones.
use crate::{
    driver::Driver,
    fault::{Code, Fault},
    launch::Launch,
};

/// A module with a kernel that takes the address of its results.
fn module(registers: &str, body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n\
         .visible .entry kernel(.param .u64 .ptr .global .align 16 out) {{\n\
         .reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<29>;\n.reg .b64 %d<29>;\n{registers}\n\
         ld.param.b64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d2, %d0, %d1;\n{body}\n}}\n"
    )
}

/// Runs the kernel in one block of `threads` threads, and reads as many results.
fn run(text: &str, threads: u32) -> Result<Vec<u32>, Fault> {
    run_often(text, threads, 1)
}

/// As [`run`], with `times` launches. Every second launch runs the threads in descending order. Reads the results of
/// the last one.
fn run_often(text: &str, threads: u32, times: u32) -> Result<Vec<u32>, Fault> {
    let mut driver = Driver::default();
    let module = driver.load(text)?;
    let kernel = driver.kernel(module, "kernel")?;
    let bytes = 4 * u64::from(threads);
    let out = driver.memory.allocate(bytes, false)?;
    for _ in 0..times {
        let (grid, block, parameters) = ([1; 3], [threads, 1, 1], out.to_le_bytes().to_vec());
        let launch = Launch { function: 0, grid, block, dynamic_bytes: 0, parameters, is_backwards: false };
        driver.launch(0, kernel, launch)?;
    }
    driver.synchronize(0)?;
    let mut results = vec![0; bytes as usize];
    driver.memory.view().read(out, &mut results)?;
    Ok(results.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// The value of `%r1` that a single thread stores.
fn value(body: &str) -> u32 {
    run(&module("", &format!("{body}\nst.global.b32 [%d2], %r1;")), 1).expect("the kernel is right")[0]
}

/// The error of a kernel that must fail.
fn failure(registers: &str, body: &str, threads: u32) -> (Code, String) {
    let fault = run(&module(registers, body), threads).expect_err("the kernel is wrong");
    (fault.code, fault.text)
}

fn is_float(body: &str, expected: f32) {
    let bits = value(body);
    assert_eq!(bits, expected.to_bits(), "{body}: {} instead of {expected}", f32::from_bits(bits));
}

#[test]
fn integers_are_computed() {
    assert_eq!(value("mov.b32 %r2, -7; div.s32 %r1, %r2, 2;"), -3i32 as u32);
    assert_eq!(value("mov.b32 %r2, -7; rem.s32 %r1, %r2, 2;"), -1i32 as u32);
    assert_eq!(value("mov.b32 %r2, -7; div.u32 %r1, %r2, 2;"), 0x7fff_fffc);
    assert_eq!(value("mov.b32 %r2, -7; shr.s32 %r1, %r2, 40;"), u32::MAX);
    assert_eq!(value("mov.b32 %r2, -7; shr.u32 %r1, %r2, 32;"), 0);
    assert_eq!(value("mov.b32 %r2, 1; shl.b32 %r1, %r2, 32;"), 0);
    assert_eq!(value("mov.b32 %r2, -2; mul.hi.s32 %r1, %r2, 3;"), u32::MAX);
    assert_eq!(value("mov.b32 %r2, -2; mul.hi.u32 %r1, %r2, 3;"), 2);
    assert_eq!(
        value("mov.b32 %r2, -2; mul.wide.s32 %d3, %r2, 3; shr.s64 %d3, %d3, 1; cvt.u32.u64 %r1, %d3;"),
        -3i32 as u32
    );
    assert_eq!(value("mov.b32 %r2, 5; mad.lo.s32 %r1, %r2, %r2, -30;"), -5i32 as u32);
    assert_eq!(value("mov.b32 %r2, 0xabcd1234; bfe.u32 %r1, %r2, 8, 12;"), 0xd12);
    assert_eq!(value("mov.b32 %r2, 0xabcd1234; bfe.s32 %r1, %r2, 24, 30;"), 0xffff_ffab);
    assert_eq!(value("mov.b32 %r2, 0x80; bfe.s32 %r1, %r2, 4, 4;"), 0xffff_fff8);
    assert_eq!(value("mov.b32 %r2, -1; bfi.b32 %r1, 0x5a, %r2, 4, 8;"), 0xffff_f5af);
    assert_eq!(value("mov.b32 %r2, 0; bfi.b32 %r1, -1, %r2, 28, 8;"), 0xf000_0000);
    assert_eq!(value("mov.b32 %r2, 0x33221100; mov.b32 %r3, 0x776655f4; prmt.b32 %r1, %r2, %r3, 0xc714;"), 0xff77_11f4);
    assert_eq!(value("mov.b32 %r2, 0x80000001; shf.l.wrap.b32 %r1, %r2, 2, 33;"), 5);
    assert_eq!(
        value("mov.b32 %r2, 16; clz.b32 %r3, %r2; popc.b32 %r4, %r2; brev.b32 %r5, %r2; add.s32 %r1, %r3, %r4;"),
        28
    );
    assert_eq!(value("mov.b32 %r2, -1; add.cc.u32 %r3, %r2, 1; addc.u32 %r1, 6, 0;"), 7);
    assert_eq!(value("mov.b16 %h1, -1; cvt.s16.s8 %h2, %h1; cvt.s32.s16 %r1, %h2;"), u32::MAX);
    assert_eq!(value("mov.b16 %h1, 300; cvt.u32.u16 %r2, %h1; cvt.sat.u8.u32 %r1, %r2;"), 255);
    assert_eq!(value("mov.b64 %d3, 0x100000002; { .reg .b32 t; mov.b64 {%r1, t}, %d3; add.s32 %r1, %r1, t; }"), 3);
    assert_eq!(value("setp.lt.s32 %p1, -1, 0; setp.lt.and.u32 %p2, -1, 0, %p1; selp.b32 %r1, 1, 2, %p2;"), 2);
}

#[test]
fn floats_are_computed() {
    is_float("mov.b32 %r2, 0f40400000; rcp.rn.f32 %r1, %r2;", 1.0 / 3.0);
    is_float("mov.b32 %r2, 0f3F800001; fma.rn.f32 %r1, %r2, %r2, 0fBF800002;", f32::EPSILON * f32::EPSILON);
    is_float("mov.b32 %r2, 0f33000000; add.rz.f32 %r1, %r2, 0f3F7FFFFF;", 1.0f32.next_down());
    is_float("mov.b32 %r2, 0f33800000; fma.rm.f32 %r1, %r2, 0f3F000000, 0f3F800000;", 1.0);
    is_float("mov.b32 %r2, 0f7FC00000; min.f32 %r1, %r2, 0f40000000;", 2.0);
    assert!(f32::from_bits(value("mov.b32 %r2, 0f7FC00000; min.NaN.f32 %r1, %r2, 0f40000000;")).is_nan());
    is_float("mov.b32 %r2, 0f80000000; max.f32 %r1, %r2, 0f00000000;", 0.0);
    is_float("mov.b32 %r2, 0f80000000; min.f32 %r1, 0f00000000, %r2;", -0.0);
    is_float("mov.b32 %r2, 0f80000000; copysign.f32 %r1, %r2, 0f40000000;", -2.0);
    is_float("mov.b32 %r2, 0f40200000; cvt.rni.f32.f32 %r1, %r2;", 2.0);
    is_float("mov.b32 %r2, -16777217; cvt.rn.f32.s32 %r1, %r2;", -16_777_216.0);
    is_float("mov.b64 %d3, 0x1000001000000001; cvt.rn.f32.u64 %r1, %d3;", 1.152_921_6e18);
    is_float("mov.b64 %d3, 0d3FF0000010000001; cvt.rn.f32.f64 %r1, %d3;", 1.0f32.next_up());
    assert_eq!(value("mov.b32 %r2, 0fC0200000; cvt.rzi.s32.f32 %r1, %r2;"), -2i32 as u32);
    assert_eq!(value("mov.b32 %r2, 0f7FC00000; cvt.rzi.s32.f32 %r1, %r2;"), 0);
    assert_eq!(value("mov.b64 %d3, 0d7FF8000000000000; cvt.rzi.s32.f64 %r1, %d3;"), 1 << 31);
    assert_eq!(value("mov.b32 %r2, 0f4F800000; cvt.rzi.s32.f32 %r1, %r2;"), i32::MAX as u32);
    assert_eq!(
        value(
            "mov.b32 %r2, 0f7FC00000; setp.ne.f32 %p1, %r2, %r2; setp.neu.f32 %p2, %r2, %r2; selp.b32 %r1, 1, 0, %p1; selp.b32 %r3, 2, 0, %p2; add.s32 %r1, %r1, %r3;"
        ),
        2
    );
}

/// Conversions and arithmetic round to a half once, without double rounding.
#[test]
fn halves_are_rounded_once() {
    // 1 + 2^-11 is a tie and rounds to even. 1 + 2^-11 + 2^-52 is more than half of the last bit and rounds up.
    let fma = "mov.b16 %h1, 0x0001; mov.b32 %r2, 0f3F801000; cvt.rn.f16.f32 %h2, %r2;";
    assert_eq!(value(&format!("{fma} cvt.u32.u16 %r1, %h2;")), 0x3c00);
    assert_eq!(value("mov.b64 %d3, 0d3FF0020000000001; cvt.rn.f16.f64 %h2, %d3; cvt.u32.u16 %r1, %h2;"), 0x3c01);
    assert_eq!(
        value(
            "mov.b16 %h1, 0x0001; mov.b16 %h2, 0x3c00; mov.b16 %h3, 0x1000; fma.rn.f16 %h4, %h2, %h3, %h2; cvt.u32.u16 %r1, %h4;"
        ),
        0x3c00
    );
    assert_eq!(
        value("mov.b16 %h2, 0x3c00; mov.b16 %h3, 0x1001; fma.rn.f16 %h4, %h2, %h3, %h2; cvt.u32.u16 %r1, %h4;"),
        0x3c01
    );
    let both = "mov.b32 %r2, 0x3c004000; setp.gt.f16x2 %p1|%p2, %r2, 0x3c003c00; selp.b32 %r1, 1, 0, %p1; @%p2 add.s32 %r1, %r1, 2;";
    assert_eq!(value(both), 1);
    let pair = "mov.b32 %r2, 0x3c004000; add.f16x2 %r1, %r2, %r2;";
    assert_eq!(value(pair), 0x4000_4400);
    assert_eq!(value("mov.b32 %r2, 0f40000000; cvt.rn.bf16x2.f32 %r1, %r2, 0f3F800000;"), 0x4000_3f80);
}

const TILE: &str = ".shared .align 16 .b8 tile[256];";

/// Each thread reads the value that its neighbor wrote.
fn rotated(between: &str) -> String {
    format!(
        "mov.b64 %d3, tile; add.s64 %d4, %d3, %d1; st.shared.b32 [%d4], %r0; {between}
         add.s32 %r2, %r0, 1; and.b32 %r2, %r2, 63; mul.wide.u32 %d5, %r2, 4; add.s64 %d5, %d3, %d5;
         ld.shared.b32 %r1, [%d5]; st.global.b32 [%d2], %r1;"
    )
}

#[test]
fn barriers_order_threads() {
    let results = run(&module(TILE, &rotated("bar.sync 0;")), 64).expect("the kernel is right");
    assert_eq!(results, (0..64).map(|thread| (thread + 1) % 64).collect::<Vec<_>>());
    // Without a barrier, the neighbor's value is not visible, whichever thread runs first.
    for step in [1, 63] {
        let text = rotated("").replace("%r0, 1;", &format!("%r0, {step};"));
        for times in [1, 2] {
            let results = run_often(&module(TILE, &text), 64, times).expect("threads read something");
            assert_eq!(results, [0xcdcd_cdcd; 64], "{step}, {times}");
        }
    }
    let both = "mov.b64 %d3, tile; st.shared.b32 [%d3], %r0;";
    let (code, text) = failure(TILE, both, 2);
    assert_eq!(code, Code::LaunchFailed);
    assert!(text.contains("thread 1 writes shared memory at 0x0, where thread 0 has written something else"), "{text}");
    assert!(run(&module(TILE, "mov.b64 %d3, tile; st.shared.b32 [%d3], 7;"), 2).is_ok());
}

#[test]
fn uneven_barriers_are_found() {
    let (code, text) = failure("", "setp.lt.u32 %p1, %r0, 40; @%p1 bar.sync 0;", 64);
    assert_eq!(code, Code::LaunchFailed);
    assert!(text.contains("threads wait for each other forever"), "{text}");
    assert!(text.contains("thread 40 has ended") && text.contains("is at the barrier of line 14"), "{text}");
    // Threads of one warp at different barriers.
    let (_, text) = failure(
        "",
        "setp.lt.u32 %p1, %r0, 8; @%p1 bra $one;\nbar.sync 0; bra $end;\n$one: bar.sync 0;\n$end: ret;",
        32,
    );
    assert!(text.contains("threads wait for each other forever"), "{text}");
    // Threads of different warps may be at different barriers.
    let body = "setp.lt.u32 %p1, %r0, 32; @%p1 bra $one;\nbar.sync 0; bra $end;\n$one: bar.sync 0;\n$end: st.global.b32 [%d2], %r0;";
    assert_eq!(run(&module("", body), 64).expect("the kernel is right")[63], 63);
}

#[test]
fn accesses_are_checked() {
    let (code, text) = failure("", "st.global.b32 [%d2+4], %r0;", 2);
    assert_eq!(code, Code::IllegalAddress);
    assert!(text.starts_with("kernel 'kernel', block [0, 0, 0]: thread 1, line 14: 4 bytes of memory at "), "{text}");
    assert_eq!(failure("", "ld.global.b32 %r1, [%d2+-4];", 1).0, Code::IllegalAddress);
    assert_eq!(failure("", "ld.global.v2.b32 {%r1, %r2}, [%d2+4];", 4).0, Code::MisalignedAddress);
    assert_eq!(failure(TILE, "st.shared.b32 [tile+256], %r0;", 1).0, Code::IllegalAddress);
    assert_eq!(failure(TILE, "ld.shared.b32 %r1, [tile+-4];", 1).0, Code::IllegalAddress);
    let local = ".local .align 8 .b8 own[8];\n.reg .b64 %a;";
    assert_eq!(failure(local, "mov.b64 %a, own; st.local.b32 [%a+16], %r0;", 1).0, Code::IllegalAddress);
    // Loads into a wider register.
    let body = "mov.b64 %d3, tile; st.shared.b32 [%d3+8], -1; ld.shared.b8 %r1, [%d3+8]; st.global.b32 [%d2], %r1;";
    assert_eq!(run(&module(TILE, body), 1), Ok(vec![255]));
    let body = body.replace("ld.shared.b8", "ld.shared.s8").replace("%d3+8]; st.g", "%d3+9]; st.g");
    assert_eq!(run(&module(TILE, &body), 1), Ok(vec![u32::MAX]));
    // Of a vector, only the first element must be in bounds.
    let body = "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d0]; add.s32 %r1, %r1, %r2; st.global.b32 [%d2], 1;";
    assert_eq!(run(&module(TILE, body), 2), Ok(vec![1, 1]));
    // The stack as a generic address.
    let body = "mov.b64 %a, own; cvta.local.u64 %d3, %a; st.b32 [%d3+4], 9; ld.local.b32 %r1, [%a+4]; st.global.b32 [%d2], %r1;";
    assert_eq!(run(&module(local, body), 1), Ok(vec![9]));
}

/// An asynchronous copy from the results to the tile, and the value read there.
fn copied(between: &str) -> Result<Vec<u32>, Fault> {
    let body = format!(
        "st.global.b32 [%d2], %r0; mov.b64 %d3, tile; add.s64 %d3, %d3, %d1;
         cp.async.ca.shared.global [%d3], [%d2], 4; {between} ld.shared.b32 %r1, [%d3]; add.s32 %r1, %r1, 7;
         st.global.b32 [%d2], %r1;"
    );
    run(&module(TILE, &body), 2)
}

#[test]
fn copies_are_waited_for() {
    assert_eq!(copied("cp.async.commit_group; cp.async.wait_group 0;"), Ok(vec![7, 8]));
    assert_eq!(copied("cp.async.wait_all;"), Ok(vec![7, 8]));
    for missing in
        ["", "cp.async.commit_group;", "cp.async.commit_group; cp.async.wait_group 1;", "cp.async.wait_group 0;"]
    {
        let fault = copied(missing).expect_err("nobody waits");
        assert!(fault.text.contains("to which a copy goes that nobody has waited for"), "{missing}: {}", fault.text);
    }
    // The copy happens as late as allowed.
    let late = copied("st.global.b32 [%d2], 50; cp.async.wait_all;");
    assert_eq!(late, Ok(vec![57, 57]));
}

#[test]
fn lanes_exchange() {
    let shuffle = |instruction: &str| run(&module("", &format!("{instruction} st.global.b32 [%d2], %r1;")), 32);
    let down =
        shuffle("shfl.sync.down.b32 %r1|%p1, %r0, 4, 31, -1; @!%p1 mov.b32 %r1, 99;").expect("the kernel is right");
    assert_eq!((down[0], down[27], down[28]), (4, 31, 99));
    let up = shuffle("shfl.sync.up.b32 %r1, %r0, 3, 0, -1;").expect("the kernel is right");
    assert_eq!((up[0], up[2], up[3], up[31]), (0, 2, 0, 28));
    let butterfly = shuffle("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;").expect("the kernel is right");
    assert_eq!((butterfly[0], butterfly[1]), (1, 0));
    // In halves of a warp.
    let index = shuffle("shfl.sync.idx.b32 %r1, %r0, 2, 0x100f, -1;").expect("the kernel is right");
    assert_eq!((index[3], index[20]), (2, 18));
    let (_, text) =
        failure("", "setp.lt.u32 %p1, %r0, 5; @%p1 bar.sync 0; shfl.sync.down.b32 %r1, %r0, 4, 31, -1;", 32);
    assert!(text.contains("threads wait for each other forever"), "{text}");
    let (_, text) = failure("", "shfl.sync.down.b32 %r1, %r0, 4, 31, 0xffff;", 32);
    assert!(text.contains("and is none of them"), "{text}");
}

#[test]
fn functions_are_called() {
    let text = module(
        "",
        "{ .param .b32 a; .param .b32 result; st.param.b32 [a], 5;
         call.uni (result), factorial, (a);
         ld.param.b32 %r1, [result]; }
         st.global.b32 [%d2], %r1;",
    );
    let function = ".func (.param .b32 result) factorial (.param .b32 n);
        .func (.param .b32 result) factorial (.param .b32 n) {
        .reg .b32 %r<4>; .reg .pred %p; ld.param.b32 %r0, [n]; setp.gt.u32 %p, %r0, 1; @%p bra $more;
        st.param.b32 [result], 1; ret;
        $more: sub.s32 %r1, %r0, 1;
        { .param .b32 a; .param .b32 rest; st.param.b32 [a], %r1; call.uni (rest), factorial, (a); ld.param.b32 %r2, [rest]; }
        mul.lo.s32 %r3, %r0, %r2; st.param.b32 [result], %r3; ret; }
        .global .align 4 .b8 numbers[8] = {1, 0, 0, 0, 2};\n.visible";
    assert_eq!(run(&text.replacen(".visible", function, 1), 1), Ok(vec![120]));
}

#[test]
fn places_of_a_program_are_left_out() {
    let body = ".file\t1 \"a \\\"program.mlir\"\n.loc\t1 2 3\nmov.u32 %r1, 7;\n";
    assert!(Driver::default().load(&module("", body)).is_ok());
}

#[test]
fn what_is_unknown_is_no_module() {
    let load = |text: &str| Driver::default().load(text).expect_err("the module is wrong");
    for (body, expected) in [
        ("frob.b32 %r1, %r2;", "the instruction 'frob.b32' is unknown"),
        ("add.frob.s32 %r1, %r2, %r3;", "the instruction 'add.frob.s32' is unknown"),
        ("ld.global.frob.b32 %r1, [%d0];", "the instruction 'ld.global.frob.b32' is unknown"),
        ("mov.b32 %r1, %r99;", "'%r99' is unknown"),
        ("bra $nowhere;", "the label '$nowhere' is not there"),
        (".frob 5;", "the directive '.frob' is unknown"),
        ("cp.async.cg.shared.global [%d3], [%d2], 4;", "16 for 'cg'"),
    ] {
        let fault = load(&module("", body));
        assert_eq!(fault.code, Code::InvalidPtx);
        assert!(fault.text.starts_with("ptx, line 14: error: ") && fault.text.contains(expected), "{}", fault.text);
    }
    assert!(load("").text.contains("'.version' is required"));
    assert!(load(".version 8.0\n.target sm_100\n.address_size 64\n").text.contains("line 2"));
}

#[test]
fn work_is_done_when_somebody_waits() {
    let mut driver = Driver::default();
    let memory = driver.memory.allocate(16, true).expect("memory");
    let host = |driver: &Driver| {
        let mut bytes = [0; 4];
        driver.memory.view().read(memory, &mut bytes).expect("the memory");
        u32::from_le_bytes(bytes)
    };
    let (start, end) = (driver.event(), driver.event());
    driver.record(0, start).expect("an event");
    driver.fill(0, memory, 7, 4, 4).expect("memory to be filled");
    driver.record(0, end).expect("an event");
    assert_eq!(host(&driver), 0xcdcd_cdcd);
    assert_eq!(driver.elapsed(start, end).map_err(|fault| fault.code), Err(Code::NotReady));
    driver.wait(end).expect("the work is done");
    assert_eq!(host(&driver), 7);
    assert!(driver.elapsed(start, end).is_ok_and(|milliseconds| milliseconds >= 0.0));
    driver.memory.free(memory).expect("memory to be freed");
    assert_eq!(driver.memory.free(memory).map_err(|fault| fault.code), Err(Code::InvalidValue));
}

/// After a kernel has failed, the context is unusable.
#[test]
fn failures_stay() {
    let mut driver = Driver::default();
    driver.fill(0, 1 << 50, 0, 4, 4).expect("work is taken");
    assert_eq!(driver.synchronize(0).map_err(|fault| fault.code), Err(Code::IllegalAddress));
    assert_eq!(driver.load(".version 7.8").map_err(|fault| fault.code), Err(Code::IllegalAddress));
}
