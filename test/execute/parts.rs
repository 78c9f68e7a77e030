//! Schedules of matrix products that choose how input tiles are stored in shared memory: with row padding and double
//! buffering.
use std::{fs, path::PathBuf, process::Command};

use mdh_tools::target::ptx::ptxas;
use serde_json::{Value, json};

use crate::{
    device,
    programs::{Example, Function, check, example, folder, run},
    report, small,
};

/// A loop structure of the product: part counts, tags and order by layer, and for each input the position in the order
/// from which on it is in shared memory.
struct Loops {
    name: &'static str,
    parts: Value,
    tags: Value,
    order: Value,
    from: [u64; 2],
}

/// The loop structures. No extent is a multiple of a tile size.
fn loops() -> Vec<Loops> {
    let rows = |first: [&str; 3], last: [&str; 3]| {
        json!([first, ["CC,y", "CC,x", "CC,z"], ["SM,x", "SM,y", "SM,z"], ["RM,x", "RM,y", "RM,z"], last])
    };
    let usual = rows(["SMX,x", "SMX,y", "DM,z"], ["DM,x", "DM,y", "SMX,z"]);
    let order = json!([[1, 2, 5], [3, 4, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]);
    vec![
        Loops {
            name: "tiles",
            parts: json!([["?", "?", "?"], [4, 8, 1], [1, 1, 4], [2, 2, 1], [1, 1, 1]]),
            tags: usual.clone(),
            order: order.clone(),
            from: [6, 6],
        },
        // The loop over k restarts for each part of i.
        Loops {
            name: "restart",
            parts: json!([["?", "?", "?"], [4, 8, 1], [1, 1, 3], [1, 2, 1], [1, 1, 1]]),
            tags: rows(["DM,x", "SMX,y", "DM,z"], ["SMX,x", "DM,y", "SMX,z"]),
            order: order.clone(),
            from: [6, 6],
        },
        // Two nested loops over k.
        Loops {
            name: "nested",
            parts: json!([["?", "?", "?"], [4, 8, 1], [1, 1, 3], [1, 2, 2], [1, 1, 1]]),
            tags: usual.clone(),
            order: order.clone(),
            from: [6, 10],
        },
        Loops {
            name: "threads",
            parts: json!([["?", "?", "?"], [4, 4, 2], [1, 1, 3], [2, 1, 1], [1, 1, 1]]),
            tags: usual.clone(),
            order: order.clone(),
            from: [7, 7],
        },
        // No loop encloses the copies.
        Loops {
            name: "once",
            parts: json!([["?", "?", 1], [4, 8, 1], [1, 1, "?"], [1, 2, 1], [1, 1, 1]]),
            tags: usual,
            order,
            from: [5, 5],
        },
    ]
}

impl Loops {
    /// The text of a schedule file with the inputs in these placements. For `once`, the part count `?` of k becomes
    /// `extent`, if given, because the size of the shared tile must be static.
    fn schedule(&self, placements: [&str; 2], extent: Option<u64>) -> String {
        let order = |l: usize, d: usize| self.order[l][d].as_u64().expect("a position");
        let input = |i: usize| -> Value {
            let entry = |l, d| if order(l, d) < self.from[i] { "DM[1, 2]" } else { placements[i] };
            (0..5).map(|l| (0..3).map(|d| entry(l, d)).collect::<Value>()).collect()
        };
        let mut parts = self.parts.clone();
        if let (Some(extent), "once") = (extent, self.name) {
            parts[2][2] = json!(extent);
        }
        json!({
            "version": 2, "system": "cuda", "parts": parts,
            "decompose": {"order": self.order, "tags": self.tags, "reads": [input(0), input(1)]},
            "scalar": {"reads": placements},
        })
        .to_string()
    }
}

/// The placements of the inputs.
const STORED: [[&str; 2]; 6] = [
    ["SM[1, 2] pad 1", "SM[2, 1] pad 64"],
    ["SM[1, 2] buffers 2", "SM[1, 2] buffers 2"],
    ["SM[2, 1] pad 3 buffers 2", "SM[2, 1] pad 1 buffers 2"],
    ["SM[1, 2] buffers 1", "SM[2, 1] buffers 2"],
    ["SM[2, 1, 2] pad 2 buffers 2", "SM[2, 1, 2] buffers 2"],
    ["RM[2, 1] pad 2", "SM[1, 2] buffers 2"],
];

/// Calls `body` with schedule files: half of the combinations of loop structures and placements, each in half of its own.
fn each(purpose: &str, extent: Option<u64>, body: impl Fn(&str, &str) -> Result<(), String>) {
    for (number, loops) in loops().into_iter().enumerate() {
        // The size of a tile in shared memory must not depend on a dynamic extent.
        if extent.is_none() && loops.name == "once" {
            continue;
        }
        for (i, placements) in STORED.into_iter().enumerate().skip(number % 2).step_by(2) {
            let label = format!("{}-{i}", loops.name);
            let file: PathBuf = folder(&format!("parts-{purpose}-{label}")).join("schedule.json");
            fs::write(&file, loops.schedule(placements, extent)).expect("the target folder is writable");
            report(body(&file.to_string_lossy(), &label).map_err(|message| format!("{placements:?}: {message}")));
        }
    }
}

/// Runs all schedules on a function of matmul.
fn on_a_device(example: &Example, function: &Function, engine: &str, extent: Option<u64>) {
    if !device::is_there(engine) {
        return;
    }
    each(&format!("{}-{engine}", function.name), extent, |file, label| {
        check(example, function, &["--engine", engine, "--check", "--schedule", file], &format!("{engine}-{label}"))
    });
}

#[test]
fn opencl_of_fixed_size() {
    let example = example("matmul");
    on_a_device(example, small(example), "opencl", Some(17));
}

#[test]
fn opencl_of_dynamic_size() {
    let example = example("matmul");
    on_a_device(example, example.function("matmul").expect("matmul has a dynamic function"), "opencl", None);
}

#[test]
fn cuda_of_fixed_size() {
    let example = example("matmul");
    on_a_device(example, small(example), "cuda", Some(17));
}

/// The same schedules on a processor, where each tile has a single buffer slot.
#[test]
fn cpu() {
    let example = example("matmul");
    let function = small(example);
    each("cpu", Some(17), |file, label| {
        check(example, function, &["--engine", "cpu", "--check", "--schedule", file], &format!("cpu-{label}"))
    });
}

/// ptxas accepts the kernels, for architectures with asynchronous copies and without.
#[test]
fn assembled() {
    let Some(assembler) = ptxas::find() else { return println!("unsupported: ptxas is not installed") };
    let example = example("matmul");
    let function = small(example);
    each("ptx", Some(17), |file, label| {
        for architecture in ["sm_70", "sm_80"] {
            let ptx = folder(&format!("parts-ptx-{label}-{architecture}")).join("kernels.ptx");
            let mut compile = Command::new(env!("CARGO_BIN_EXE_mdh"));
            compile.arg("compile").arg(example.path()).args(["--function", &function.name, "--schedule", file]);
            compile.args(["--target", "cuda", "--arch", architecture, "--emit", "ptx", "--output"]).arg(&ptx);
            run(&mut compile)?;
            let mut assemble = Command::new(&assembler);
            run(assemble.args([&format!("-arch={architecture}"), "-o", "/dev/null"]).arg(&ptx))?;
        }
        Ok(())
    });
}
