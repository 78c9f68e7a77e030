//! What the documents say is missing is missing: each such claim has a witness in the tree, with which it stays true.
use super::{File, files, report};

/// Words of claims that something is missing or has never been done. A sentence with one of them is in [`CLAIMS`], or in
/// [`OTHERS`].
const WORDS: [&str; 8] = [
    " yet",
    "future work",
    "ot available",
    "not run on",
    "has run on",
    "have run on",
    "only on a host so far",
    "is unknown",
];

/// What makes a claim true.
enum Witness {
    /// The file has this text, which refuses what the document says is missing.
    Refused { file: &'static str, text: &'static str },
    /// The file exists, with the record of what the document says was done.
    Recorded { file: &'static str, text: &'static str },
    /// No file of the folder has this text, which would be there if it were not missing.
    Missing { folder: &'static str, text: &'static str },
}
use Witness::{Missing, Recorded, Refused};

/// The file of a claim, a part of its line, and its witnesses.
const CLAIMS: &[(&str, &str, &[Witness])] = &[
    (
        "docs/limits.md",
        "Matrix units, such as the tensor cores of a GPU, are not used",
        &[Refused { file: "passes/plan/check.rs", text: "CoreRole::Ranks | CoreRole::Devices | CoreRole::Matrix" }],
    ),
    ("docs/kernels.md", "On an H100, kernels are checked and measured", &[H100]),
    ("docs/kernels.md", "Kernels of CUDA have run on an H100 only", &[H100]),
    (
        "docs/kernels.md",
        "in device memory, programs for the GPU from Python, and OpenCL have not run on a GPU",
        ONLY_KERNELS,
    ),
    (
        "docs/kernels.md",
        "`ranks`, `devices` and `matrix` have no kernels yet",
        &[Refused { file: "passes/plan/check.rs", text: "CoreRole::Ranks | CoreRole::Devices | CoreRole::Matrix" }],
    ),
    (
        "docs/schedules.md",
        "Schedules for `multi_gpu` and `multi_node_multi_gpu` run only on a host so far",
        &[Refused { file: "passes/plan/check.rs", text: "CoreRole::Ranks | CoreRole::Devices | CoreRole::Matrix" }],
    ),
];

/// Kernels have been measured on an H100.
const H100: Witness = Recorded { file: "bench/results/gpu.md", text: "NVIDIA H100" };

/// Nothing but kernels has been measured on a GPU: `make gpu` records neither device memory nor OpenCL.
const ONLY_KERNELS: &[Witness] = &[
    Missing { folder: "bench/results/", text: "device memory" },
    Missing { folder: "bench/results/", text: "OpenCL on a GPU" },
    Missing { folder: "scripts/measure/gpu.sh", text: "mdh-python" },
];

/// Sentences with the same words that claim nothing about the project.
const OTHERS: &[(&str, &str)] = &[
    ("docs/python-interface.md", "that of code for `exec` and `eval` is not available"),
    ("docs/schedules.md", "their registers are not available to other warps"),
];

/// The documents about today: neither the history, nor generated pages, nor records.
fn is_about_today(file: &File) -> bool {
    let others = ["CHANGELOG.md", "test/snapshot.md", "docs/generated/", "bench/results/"];
    file.path.ends_with(".md") && !others.iter().any(|other| file.path.starts_with(other))
}

#[test]
fn what_documents_call_missing_is_missing() {
    let files = files();
    let mut complaints = vec![];
    for file in files.iter().filter(|file| is_about_today(file)) {
        for (number, line) in file.text.lines().enumerate() {
            let has = |(path, part): (&str, &str)| path == file.path && line.contains(part);
            let is_known =
                CLAIMS.iter().any(|(path, part, _)| has((path, part))) || OTHERS.iter().any(|other| has(*other));
            if !is_known && WORDS.iter().any(|word| line.contains(word)) {
                complaints.push(format!(
                    "{}:{}: says that something is missing or was done: requires a witness in test/tidy/claims.rs: {}",
                    file.path,
                    number + 1,
                    line.trim()
                ));
            }
        }
    }
    for (path, part, witnesses) in CLAIMS {
        let says = files.iter().any(|file| file.path == *path && file.text.contains(part));
        if !says {
            complaints.push(format!("{path}: does not say '{part}', which test/tidy/claims.rs expects"));
        }
        let stale = |witness: &&Witness| !is_true(witness, &files);
        complaints.extend(witnesses.iter().filter(stale).map(|witness| match witness {
            Refused { file, text } | Recorded { file, text } => {
                format!("{path}: '{part}' is stale: {file} does not have '{text}'")
            }
            Missing { folder, text } => format!("{path}: '{part}' is stale: {folder} has '{text}'"),
        }));
    }
    report(complaints);
}

fn is_true(witness: &Witness, files: &[File]) -> bool {
    let has = |path: &str, text: &str| files.iter().any(|file| file.path.starts_with(path) && file.text.contains(text));
    match witness {
        Refused { file, text } | Recorded { file, text } => has(file, text),
        Missing { folder, text } => !has(folder, text),
    }
}
