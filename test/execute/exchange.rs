//! Exchange between threads: sums and scans of rows by thread groups of every shape, for every element size.
//!
//! The schedules differ in how the threads of a row are mapped to warps: adjacent or strided lanes, parts of a warp,
//! whole warps, several warps, and groups that straddle warps.
use std::{fs, process::Command};

use crate::{
    device,
    programs::{folder, run},
    report,
};

/// Rows and columns. Both have partial tiles.
const EXTENTS: [usize; 2] = [10, 1021];

/// How rows and columns are distributed over threads.
#[derive(Clone, Copy)]
struct Threads {
    /// Threads over rows and columns, within a warp.
    shared: [usize; 2],
    /// Warps over columns.
    warps: usize,
    /// True if threads of the same column are adjacent, false if threads of the same row are.
    rows_first: bool,
}

const THREADS: [Threads; 13] = [
    // Parts of a warp, and a full one.
    Threads { shared: [1, 8], warps: 1, rows_first: false },
    Threads { shared: [8, 4], warps: 1, rows_first: false },
    Threads { shared: [4, 8], warps: 1, rows_first: true },
    Threads { shared: [1, 32], warps: 1, rows_first: false },
    // Warps that are not full.
    Threads { shared: [1, 20], warps: 1, rows_first: false },
    Threads { shared: [3, 16], warps: 1, rows_first: false },
    // Several warps, the last of which may be partial.
    Threads { shared: [1, 32], warps: 8, rows_first: false },
    Threads { shared: [1, 73], warps: 1, rows_first: false },
    Threads { shared: [2, 64], warps: 2, rows_first: false },
    // More warp fragments per part than threads.
    Threads { shared: [8, 64], warps: 1, rows_first: true },
    // Groups that straddle warps.
    Threads { shared: [5, 12], warps: 1, rows_first: false },
    Threads { shared: [5, 12], warps: 3, rows_first: true },
    // The maximum number of warps of a block.
    Threads { shared: [1, 32], warps: 32, rows_first: false },
];

impl Threads {
    /// The schedule of a computation with a result of this rank. Each thread first combines neighboring elements
    /// sequentially.
    fn schedule(self, rank: usize) -> String {
        let order = "[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]";
        let thread = if self.rows_first { r#"["CC,x", "CC,y"]"# } else { r#"["CC,y", "CC,x"]"# };
        let tags = format!(
            r#"[["SMX,x", "SMX,y"], ["WRP,x", "WRP,y"], {thread}, ["DM,x", "DM,y"], ["SM,x", "SM,y"], ["RM,x", "RM,y"]]"#
        );
        let ([rows, columns], warps) = (self.shared, self.warps);
        let most = EXTENTS[1].div_ceil(columns * warps);
        let parts = format!(r#"[["?", 1], [1, {warps}], [{rows}, {columns}], [1, {most}], [1, 1], [1, 1]]"#);
        let homes = |rank: usize| {
            let layout: Vec<_> = (1..=rank).map(|axis| axis.to_string()).collect();
            format!(r#""DM[{}]""#, layout.join(", "))
        };
        let step = |rank: usize| vec![format!("[{0}, {0}]", homes(rank)); 6].join(", ");
        format!(
            r#"{{"version": 2, "system": "many", "parts": {parts},
                "decompose": {{"order": {order}, "tags": {tags}, "reads": [[{}]]}},
                "scalar": {{"order": {order}, "tags": {tags}, "reads": [{}], "writes": [{}]}},
                "recompose": {{"order": {order}, "tags": {tags}, "writes": [[{}]]}}}}"#,
            step(2),
            homes(2),
            homes(rank),
            step(rank)
        )
    }
}

/// The program that combines the rows of an array of ones, scaled by a number that depends on row and column.
fn program(element: &str, operator: &str) -> String {
    let [rows, columns] = EXTENTS;
    let is_scan = operator.starts_with("#mdh.ps");
    let (extents, shape, map) = match is_scan {
        true => (format!("{rows}x{columns}"), format!("{rows}x{columns}x"), "(i, k) -> (i, k)"),
        false => (format!("{rows}x1"), format!("{rows}x"), "(i, k) -> (i)"),
    };
    let (number, product) = match element {
        "index" => ("%n = arith.addi %bits, %zero : index".to_owned(), "muli"),
        _ if element.starts_with('i') => (format!("%n = arith.index_cast %bits : index to {element}"), "muli"),
        _ => (
            format!("%word = arith.index_cast %bits : index to i32\n %n = arith.sitofp %word : i32 to {element}"),
            "mulf",
        ),
    };
    format!(
        "mdh.lowlevel.system @many memory [DM: global, SM: shared, RM: registers] cores [SMX: blocks, WRP: warps, CC: threads] combine [DM, SM, RM]
         mdh.hom.operator @second (%a: {element}, %b: {element}) -> ({element}) {{
           mdh.hom.yield %b : {element}
         }}
         func.func @combined(%x: memref<{rows}x{columns}x{element}>, %w: memref<{shape}{element}>) {{
           %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>]
               : (memref<{rows}x{columns}x{element}>) -> !mdh.mda<{rows}x{columns}, {element}>
           %res = mdh.hom.md_hom %in combine [#mdh.cc, {operator}] {{
           ^bb0(%v: {element}):
             %i = mdh.hom.index 0 : index
             %k = mdh.hom.index 1 : index
             %zero = arith.constant 0 : index
             %one = arith.constant 1 : index
             %seven = arith.constant 7 : index
             %sum = arith.muli %k, %seven : index
             %mixed = arith.xori %sum, %i : index
             %shifted = arith.shrui %mixed, %one : index
             %both = arith.xori %shifted, %k : index
             %bits = arith.andi %both, %one : index
             {number}
             %p = arith.{product} %v, %n : {element}
             mdh.hom.yield %p : {element}
           }} : !mdh.mda<{rows}x{columns}, {element}> -> !mdh.mda<{extents}, {element}>
           mdh.view.out_view %res[affine_map<{map}>] into %w
               : !mdh.mda<{extents}, {element}>, memref<{shape}{element}>
           return
         }}"
    )
}

/// Runs a program with each schedule on an engine, and compares with the reference evaluator.
fn combine(engine: &str, element: &str, operator: &str, only: &[Threads]) {
    if !device::is_there(engine) {
        return;
    }
    let kind: String = operator.chars().filter(char::is_ascii_alphanumeric).collect();
    let folder = folder(&format!("exchange-{engine}-{element}-{kind}"));
    let (file, schedule) = (folder.join("program.mlir"), folder.join("schedule.json"));
    fs::write(&file, program(element, operator)).expect("the target folder is writable");
    let rank = if operator.starts_with("#mdh.ps") { 2 } else { 1 };
    for threads in only {
        fs::write(&schedule, threads.schedule(rank)).expect("the target folder is writable");
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
        command.arg("run").arg(&file).args(["--engine", engine, "--check", "--input", "1", "--input", "0"]);
        report(run(command.arg("--schedule").arg(&schedule).envs(device::environment())).map(|_| ()));
    }
}

macro_rules! exchanges {
    ($engine:literal $($name:ident: $element:literal, $operator:literal, $threads:expr;)*) => {
        $(
            #[test]
            fn $name() {
                super::combine($engine, $element, $operator, $threads);
            }
        )*
    };
}

macro_rules! on_engine {
    ($module:ident $engine:literal) => {
        mod $module {
            use super::THREADS;

            exchanges! { $engine
                sums: "f32", "#mdh.pw<add>", &THREADS;
                scans: "f32", "#mdh.ps<add>", &THREADS;
                sums_of_two_words: "i64", "#mdh.pw<add>", &THREADS[3..8];
                scans_of_two_words: "f64", "#mdh.ps<add>", &THREADS[3..8];
                largest_of_halves: "bf16", "#mdh.pw<max>", &THREADS[3..5];
                scans_of_bytes: "i8", "#mdh.ps<add>", &THREADS[3..8];
                bits: "i1", "#mdh.pw<xor>", &THREADS[3..5];
                numbers: "index", "#mdh.ps<max>", &THREADS[3..5];
                what_does_not_commute: "i32", "#mdh.ps<@second>", &THREADS;
            }
        }
    };
}

on_engine!(opencl "opencl");
on_engine!(cuda "cuda");
