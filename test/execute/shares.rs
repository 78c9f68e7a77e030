//! Private results of blocks and threads, where the scalar phase distributes the iteration space differently from the
//! re-composition. Each block or thread writes exactly its own part, wherever the re-composition stores it in between.
use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    device,
    programs::{folder, run},
    report,
};

/// A function of the elements of a matrix and their indices, whose columns are combined by an operator.
fn program(operator: &str) -> String {
    format!(
        "func.func @columns(%x: memref<5x4xi32>, %w: memref<5x4xi32>) {{
           %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<5x4xi32>) -> !mdh.mda<5x4, i32>
           %res = mdh.hom.md_hom %in combine [{operator}, #mdh.cc] {{
           ^bb0(%v: i32):
             %i = mdh.hom.index 0 : index
             %j = mdh.hom.index 1 : index
             %sum = arith.addi %i, %j : index
             %n = arith.index_cast %sum : index to i32
             %p = arith.muli %v, %n : i32
             mdh.hom.yield %p : i32
           }} : !mdh.mda<5x4, i32> -> !mdh.mda<5x4, i32>
           mdh.view.out_view %res[affine_map<(i, j) -> (i, j)>] into %w : !mdh.mda<5x4, i32>, memref<5x4xi32>
           return
         }}"
    )
}

/// Runs the function with a schedule, and compares with the reference evaluator. The tags are those of the first two
/// layers.
fn check(engine: &str, name: &str, operator: &str, parts: Value, tags: Value, scalar: Value, first: &str) {
    if !device::is_there(engine) {
        return;
    }
    let folder = folder(&format!("shares-{engine}-{name}"));
    let (file, schedule) = (folder.join("program.mlir"), folder.join("schedule.json"));
    fs::write(&file, program(operator)).expect("the target folder is writable");
    let order = json!([[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]);
    let is_used = |layer: &str| tags.to_string().contains(layer);
    let rest = if is_used("SMX") { ["CC,x", "CC,y"] } else { ["SMX,x", "SMX,y"] };
    let all = |tags: &Value| json!([tags[0], tags[1], ["SM,x", "SM,y"], ["RM,x", "RM,y"], rest]);
    let home = ["DM[1, 2]"; 2];
    let text = json!({
        "version": 2, "system": "cuda", "parts": parts,
        "decompose": {"order": order, "tags": all(&scalar), "reads": [[home, home, home, home, home]]},
        "scalar": {"order": order, "tags": all(&scalar), "reads": [home[0]], "writes": [home[0]]},
        "recompose": {"order": order, "tags": all(&tags), "writes": [[[first, home[1]], home, home, home, home]]},
    });
    fs::write(&schedule, text.to_string()).expect("the target folder is writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
    command.arg("run").arg(&file).args(["--engine", engine, "--check", "--input", "1", "--input", "0"]);
    report(run(command.arg("--schedule").arg(&schedule).envs(device::environment())).map(|_| ()));
}

/// Parts of columns are mapped to blocks, but the scalar phase loops over them, inside a step with its own layout.
fn blocks(engine: &str) {
    let parts = json!([[3, 4], [1, 1], [1, 1], [1, 1], [2, 1]]);
    let tags = json!([["SMX,x", "SMX,y"], ["DM,x", "DM,y"]]);
    check(engine, "blocks", "#mdh.cc", parts, tags, json!([["SMX,x", "DM,y"], ["DM,x", "SMX,y"]]), "DM[2, 1]");
}

/// Threads scan parts of columns together. In the scalar phase, the parts are private to other threads.
fn threads(engine: &str) {
    let parts = json!([[3, 2], [2, 2], [1, 1], [1, 1], [1, 1]]);
    let tags = json!([["CC,x", "CC,y"], ["DM,x", "DM,y"]]);
    check(engine, "threads", "#mdh.ps<add>", parts, tags, json!([["CC,x", "DM,y"], ["DM,x", "CC,y"]]), "DM[1, 2]");
}

macro_rules! on_engine {
    ($($module:ident $engine:literal)*) => {
        $(mod $module {
            #[test]
            fn blocks() {
                super::blocks($engine);
            }

            #[test]
            fn threads() {
                super::threads($engine);
            }
        })*
    };
}

on_engine!(opencl "opencl" cuda "cuda");
