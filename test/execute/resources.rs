//! The resources of kernels: what NVIDIA's assembler makes of the default schedules of all examples, beside the record
//! in `bench/results/kernels.md`. `KERNELS=overwrite` writes the rows of the examples that are tested anew.
use std::{
    collections::BTreeMap,
    env, fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use mdh_passes::machine::device::Device;

use crate::programs::root;

/// The architecture of the record, and its device.
pub const ARCHITECTURE: &str = "sm_90";

/// Registers by which a kernel may differ from the record: other versions of the assembler allocate differently, in
/// multiples of 8.
const SLACK: u64 = 8;

const TITLE: &str = "# Kernels: registers, spills and occupancy\n
The kernels of the default schedules of all examples for sm_90, as NVIDIA's assembler (`ptxas`) reports them.
Occupancy is the number of warps that a multiprocessor holds at a time, of 64, by registers, shared memory and threads of a block.
A test compares each row ([resources.rs](../../test/execute/resources.rs)); `make docs` writes them anew.\n
| example | system | kernel | threads | registers | bytes spilled | bytes of shared memory | occupancy |
|---|---|---|---|---|---|---|---|
";

/// What a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Threads of a block.
    pub threads: u64,
    /// Registers of a thread.
    pub registers: u64,
    /// Bytes that are stored to, and loaded from, local memory for want of registers.
    pub spilled: u64,
    /// Bytes of shared memory that the kernel declares.
    pub shared: u64,
}

impl Resources {
    /// The warps that a multiprocessor holds at a time. Registers are allocated to a warp by 256, and shared memory to a
    /// block by 128 bytes, after 1 KiB for the system (CUDA C++ Programming Guide, compute capability 9.0).
    pub fn occupancy(&self) -> u64 {
        let device = Device::gpu();
        let warps = self.threads.div_ceil(device.warp);
        let of_warp = (self.registers * device.warp).next_multiple_of(256);
        let of_block = (self.shared + 1024).next_multiple_of(128);
        let limits = [
            device.most_blocks_per_unit,
            device.most_threads_per_unit / device.warp / warps,
            device.registers_per_unit / of_warp / warps,
            device.shared_bytes_per_unit / of_block,
        ];
        limits.into_iter().min().unwrap_or(0) * warps
    }

    fn row(&self, example: &str, system: &str, kernel: &str) -> String {
        let Self { threads, registers, spilled, shared } = self;
        let occupancy = self.occupancy();
        format!("| {example} | {system} | {kernel} | {threads} | {registers} | {spilled} | {shared} | {occupancy} |")
    }

    /// The kernel and the resources of a row of an example and a system.
    fn of_row(row: &str, example: &str, system: &str) -> Option<(String, Self)> {
        let rest = row.strip_prefix(&format!("| {example} | {system} | "))?;
        let (kernel, numbers) = rest.split_once(" | ")?;
        let numbers: Vec<u64> = numbers.split('|').filter_map(|number| number.trim().parse().ok()).collect();
        let [threads, registers, spilled, shared, _] = numbers[..] else { return None };
        Some((kernel.to_owned(), Self { threads, registers, spilled, shared }))
    }
}

/// The resources of all kernels, from their PTX and the assembler's report on it (`-v`).
pub fn resources(ptx: &str, report: &str) -> Result<BTreeMap<String, Resources>, String> {
    let mut found = BTreeMap::new();
    for part in report.split("Compiling entry function '").skip(1) {
        let kernel = part.split('\'').next().unwrap_or_default();
        let numbers = |unit: &str| -> Vec<u64> {
            let digits = |(at, _)| part[..at].rsplit(|c: char| !c.is_ascii_digit()).next();
            part.match_indices(unit).filter_map(digits).filter_map(|digits| digits.parse().ok()).collect()
        };
        let sum = |unit| numbers(unit).into_iter().sum::<u64>();
        let registers = numbers(" registers").into_iter().max();
        let resources = Resources {
            threads: threads(ptx, kernel).ok_or_else(|| format!("{kernel} has no block size\n{ptx}"))?,
            registers: registers.ok_or_else(|| format!("{kernel} has no registers\n{report}"))?,
            spilled: sum(" bytes spill stores") + sum(" bytes spill loads"),
            shared: sum(" bytes smem"),
        };
        found.insert(kernel.to_owned(), resources);
    }
    match found.is_empty() {
        true => Err(format!("no kernel\n{report}")),
        false => Ok(found),
    }
}

/// The threads of a block of a kernel, according to its PTX.
fn threads(ptx: &str, kernel: &str) -> Option<u64> {
    let (_, body) = ptx.split_once(&format!(".entry {kernel}("))?;
    let (_, sizes) = body.split_once(".reqntid ")?;
    sizes.lines().next()?.split(',').map(|size| size.trim().parse::<u64>().ok()).product()
}

/// The file of the record.
fn path() -> PathBuf {
    root().join("bench/results/kernels.md")
}

/// Compares kernels of an example and a system with the record, or writes them there.
pub fn compare(example: &str, system: &str, found: &BTreeMap<String, Resources>) -> Result<(), String> {
    // Tests are threads of one process, and each writes its own rows.
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let text = fs::read_to_string(path()).unwrap_or_default();
    if env::var_os("KERNELS").is_some_and(|value| value == "overwrite") {
        return fs::write(path(), overwritten(&text, example, system, found)).map_err(|error| error.to_string());
    }
    let recorded: BTreeMap<_, _> = text.lines().filter_map(|row| Resources::of_row(row, example, system)).collect();
    let differences = differences(&recorded, found);
    match differences.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("{example} for @{system}:\n{}\nmake docs records what is intended", differences.join("\n")))
        }
    }
}

/// The record with other rows of an example and a system.
fn overwritten(text: &str, example: &str, system: &str, found: &BTreeMap<String, Resources>) -> String {
    let own = format!("| {example} | {system} |");
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| example ");
    let kept = text.lines().filter(is_row).filter(|row| !row.starts_with(&own)).map(str::to_owned);
    let mut rows: Vec<_> = kept.chain(found.iter().map(|(kernel, of)| of.row(example, system, kernel))).collect();
    rows.sort();
    format!("{TITLE}{}\n", rows.join("\n"))
}

/// How kernels differ from the recorded ones, each as a sentence.
fn differences(recorded: &BTreeMap<String, Resources>, found: &BTreeMap<String, Resources>) -> Vec<String> {
    let mut said = vec![];
    for kernel in recorded.keys().chain(found.keys()) {
        let text = match (recorded.get(kernel), found.get(kernel)) {
            (Some(recorded), Some(found)) if differs(recorded, found) => format!("{recorded:?}, now {found:?}"),
            (Some(_), None) => "is recorded, but not there".to_owned(),
            (None, Some(_)) => "is not recorded".to_owned(),
            _ => continue,
        };
        said.push(format!("{kernel}: {text}"));
    }
    said.dedup();
    said
}

fn differs(recorded: &Resources, found: &Resources) -> bool {
    let fixed = |of: &Resources| (of.threads, of.spilled, of.shared);
    fixed(recorded) != fixed(found)
        || recorded.registers.abs_diff(found.registers) > SLACK
        || found.occupancy() < recorded.occupancy()
}

#[test]
fn occupancy_is_that_of_the_scarcest_resource() {
    let base = Resources { threads: 256, registers: 32, spilled: 0, shared: 0 };
    assert_eq!(base.occupancy(), 64);
    // 128 registers of 256 threads: two blocks.
    assert_eq!(Resources { registers: 128, ..base }.occupancy(), 16);
    // 33 registers count as 40.
    assert_eq!(Resources { registers: 33, ..base }.occupancy(), 48);
    // 228 KiB hold four blocks of 48 KiB with their KiB for the system.
    assert_eq!(Resources { shared: 48 << 10, ..base }.occupancy(), 32);
    // 32 blocks of one warp.
    assert_eq!(Resources { threads: 20, ..base }.occupancy(), 32);
}

#[test]
fn worse_kernels_are_found() {
    let recorded = Resources { threads: 256, registers: 64, spilled: 0, shared: 1024 };
    let as_before = |of: Resources| !differs(&recorded, &of);
    assert!(as_before(recorded) && as_before(Resources { registers: 60, ..recorded }));
    // One register more halves nothing, but the eighth part of the warps does not fit.
    assert!(!as_before(Resources { registers: 65, ..recorded }));
    assert!(!as_before(Resources { registers: 40, ..recorded }));
    assert!(!as_before(Resources { spilled: 8, ..recorded }));
    let row = recorded.row("matmul", "cuda", "f_kernel_1");
    assert_eq!(Resources::of_row(&row, "matmul", "cuda"), Some(("f_kernel_1".to_owned(), recorded)));
    assert_eq!(Resources::of_row(&row, "matmul", "cuda_wrp"), None);
}

#[test]
fn reports_are_read() {
    let ptx = ".visible .entry f(\n)\n.reqntid 32, 8, 1\n.visible .entry g(\n)\n.reqntid 64\n";
    let report = "ptxas info    : Compiling entry function 'g' for 'sm_90'
ptxas info    : Function properties for g
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 168 registers, used 0 barriers
ptxas info    : Compiling entry function 'f' for 'sm_90'
ptxas info    : Function properties for f
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 5120 bytes smem
";
    let found = resources(ptx, report).expect("the report is whole");
    assert_eq!(found["f"], Resources { threads: 256, registers: 40, spilled: 0, shared: 5120 });
    assert_eq!(found["g"], Resources { threads: 64, registers: 168, spilled: 32, shared: 0 });
}
