//! Rules of the source tree that no compiler checks: where C++ and `unsafe` are allowed, the wording of messages, and
//! which files belong together. Every failure names the file, the line and the rule.
#[path = "tidy/claims.rs"]
mod claims;
#[path = "tidy/crates.rs"]
mod crates;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/folders.rs"]
mod folders;
#[path = "tidy/items.rs"]
mod items;
#[path = "tidy/methods.rs"]
mod methods;
#[path = "tidy/raised.rs"]
mod raised;
#[path = "tidy/structure.rs"]
mod structure;
#[path = "tidy/texts.rs"]
mod texts;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The only Rust files with `unsafe` code: wrappers around C interfaces.
const UNSAFE_FILES: &[&str] = &[
    "dialects/ffi.rs",
    "dialects/ffi/declarations.rs",
    "dialects/ffi/upstream.rs",
    "dialects/ir/attributes.rs",
    "dialects/ir/builder.rs",
    "dialects/ir/changes.rs",
    "dialects/ir/erased.rs",
    "dialects/ir/handles.rs",
    "dialects/ir/modules.rs",
    "dialects/ir/symbols.rs",
    "dialects/ir/types.rs",
    "dialects/lowlevel.rs",
    "dialects/lowlevel/roles.rs",
    "dialects/pass.rs",
    "dialects/pass/failure.rs",
    "dialects/pass/options.rs",
    "dialects/tool.rs",
    "dialects/verify.rs",
    "dialects/view.rs",
    "dialects/view/tile.rs",
    "test/accuracy/mpfr.rs",
    "test/ptx-driver/api.rs",
    "test/ptx-driver/api/contexts.rs",
    "test/ptx-driver/api/memory.rs",
    "tools/jit.rs",
    "tools/llvm.rs",
    "tools/llvm/defined.rs",
    "tools/mdh-execution/cache.rs",
    "tools/mdh-execution/jit/call.rs",
    "tools/mdh-execution/jit/code.rs",
    "tools/mdh-execution/jit/guard.rs",
    "tools/mdh-execution/jit/guarded_call.rs",
    "tools/mdh-execution/jit/linker.rs",
    "tools/mdh-execution/jit/offload.rs",
    "tools/mdh-execution/jit/openmp.rs",
    "tools/mdh-execution/jit/region.rs",
    "tools/mdh-execution/memory.rs",
    "tools/mdh-execution/memory/guarded.rs",
    "tools/mdh-execution/signal.rs",
    "tools/mdh-plugin/lib.rs",
    "tools/mdh-python/buffer.rs",
    "tools/mdh-python/cached.rs",
    "tools/mdh-python/function.rs",
    "tools/mdh-python/memory.rs",
    "tools/mdh-runtime/cuda.rs",
    "tools/mdh-runtime/entries.rs",
    "tools/mdh-runtime/library.rs",
    "tools/mdh-runtime/opencl.rs",
    "tools/mdh-runtime/tests/support/calls.rs",
    "tools/mdh-runtime/tests/support/interface.rs",
];

/// Maximum number of lines of C++. The interfaces of upstream's bufferization, tiling and shapes, which only C++ can
/// implement, are 400 of them.
const MAX_CPP_LINES: usize = 2_600;

/// Maximum number of lines of a file.
const LONGEST_FILE: usize = 600;

struct File {
    /// Relative to the root, with `/` as separator.
    path: String,
    text: String,
}

impl File {
    fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(|extension| extension.to_str()).unwrap_or_default()
    }

    fn is_cpp(&self) -> bool {
        matches!(self.extension(), "cpp" | "cc" | "cxx" | "h" | "hpp" | "td" | "inc")
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tools folder has a parent").to_owned()
}

/// All text files of the project, without build products and downloads.
fn files() -> Vec<File> {
    fn walk(directory: &Path, root: &Path, files: &mut Vec<File>) {
        for entry in fs::read_dir(directory).expect("a readable folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let is_product = directory == root && matches!(&*name, ".git" | "target" | "build" | "data" | "shared");
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) || is_product || name == "__pycache__" {
                continue;
            }
            if path.is_dir() {
                walk(&path, root, files);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let path = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
                files.push(File { path, text });
            }
        }
    }
    let mut files = vec![];
    walk(&root(), &root(), &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Fails with all complaints at once.
fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n  {}\n", complaints.join("\n  "));
}

/// One complaint for each line of the selected files to which `objects` objects.
fn complain_about_lines(of: impl Fn(&File) -> bool, rule: &str, objects: impl Fn(&File, &str) -> bool) -> Vec<String> {
    let mut complaints = vec![];
    for file in files().iter().filter(|file| of(file)) {
        for (number, line) in file.text.lines().enumerate() {
            if objects(file, line) {
                complaints.push(format!("{}:{}: {rule}: {}", file.path, number + 1, line.trim()));
            }
        }
    }
    complaints
}

#[test]
fn cpp_is_under_dialects_only() {
    let allowed = |path: &str| path.starts_with("dialects/") || path.starts_with("test/cmake/");
    report(
        files()
            .iter()
            .filter(|file| file.is_cpp() && !allowed(&file.path))
            .map(|file| format!("{}: C++ is only allowed under dialects/ and test/cmake/", file.path))
            .collect(),
    );
}

#[test]
fn cpp_is_thin() {
    let files = files();
    let is_cpp = |file: &&File| file.path.starts_with("dialects/") && matches!(file.extension(), "cpp" | "h");
    let lines: usize = files.iter().filter(is_cpp).map(|file| file.text.lines().count()).sum();
    assert!(lines <= MAX_CPP_LINES, "dialects/: {lines} lines of C++, but at most {MAX_CPP_LINES} are allowed");
}

/// A tool that reads every file of a tree never returns from a device file, and a link that leaves the tree is broken
/// elsewhere.
#[test]
fn no_links_in_the_tree() {
    let mut command = Command::new("git");
    let output = command.args(["ls-files", "--stage"]).current_dir(root()).stderr(Stdio::null()).output();
    // Without git, there is no list of tracked files.
    let listed = output.map_or_else(|_| vec![], |output| output.stdout);
    let listed = String::from_utf8_lossy(&listed);
    let links = listed.lines().filter(|line| line.starts_with("120000 "));
    report(links.map(|line| format!("{line}: a symbolic link: tests that need one make it")).collect());
}

#[test]
fn unsafe_is_in_wrapping_files_only() {
    // Concatenated, so that this file does not match.
    let words =
        [concat!("unsafe", " {"), concat!("unsafe", " fn"), concat!("unsafe", " extern"), concat!("unsafe", " impl")];
    report(complain_about_lines(
        |file| file.extension() == "rs" && !UNSAFE_FILES.contains(&file.path.as_str()),
        "unsafe code is only allowed in the wrapping files",
        |_, line| !line.trim_start().starts_with("//") && words.iter().any(|word| line.contains(word)),
    ));
}

#[test]
fn no_paths_of_one_machine() {
    let paths = [concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];
    report(complain_about_lines(
        |_| true,
        "a path that only exists on one machine",
        |_, line| paths.iter().any(|path| line.contains(path)),
    ));
}

/// Code asks for the role of a layer, not for its name. Names are only in the table of built-in systems, and in the one
/// function for systems without roles.
#[test]
fn layers_are_known_by_their_roles() {
    let layers =
        ["REG", "RM", "PM", "DM", "SM", "GM", "LM", "HM", "MM", "NM", "SMX", "WRP", "CC", "SIMD", "COR", "CU", "PE"];
    let is_table = |path: &str| ["dialects/schedule/systems.rs", "dialects/schedule/roles.rs"].contains(&path);
    let is_code = |path: &str| ["dialects/", "passes/", "tools/"].iter().any(|folder| path.starts_with(folder));
    report(complain_about_lines(
        |file| file.extension() == "rs" && is_code(&file.path) && !is_table(&file.path) && !file.path.contains("tests"),
        "a layer is known by its role, not by its name",
        |_, line| layers.iter().any(|layer| line.contains(&format!("\"{layer}\""))),
    ));
}

#[test]
fn no_leftovers() {
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("db", "g!("),
    ];
    report(complain_about_lines(
        |file| file.path != "LICENSE",
        "a leftover",
        |_, line| words.iter().any(|word| line.contains(word)),
    ));
}

#[test]
fn lines_end_cleanly() {
    let mut complaints = complain_about_lines(
        |file| !matches!(file.extension(), "lock" | "patch"),
        "white space at the end of a line",
        |_, line| line.ends_with([' ', '\t', '\r']),
    );
    complaints.extend(
        files()
            .iter()
            .filter(|file| !file.text.is_empty() && !file.text.ends_with('\n'))
            .map(|file| format!("{}: the last line has no end", file.path)),
    );
    report(complaints);
}

#[test]
fn files_are_short() {
    report(
        files()
            .iter()
            .filter(|file| matches!(file.extension(), "rs" | "cpp" | "h" | "td" | "py" | "sh"))
            .map(|file| (file, file.text.lines().count()))
            .filter(|(_, lines)| *lines > LONGEST_FILE)
            .map(|(file, lines)| format!("{}: {lines} lines, at most {LONGEST_FILE} are allowed", file.path))
            .collect(),
    );
}

/// The literal that begins an error message on this line, if any.
fn message(line: &str) -> Option<&str> {
    const STARTS: &[&str] = &[
        "bail!(\"",
        "anyhow!(\"",
        "ensure!(\"",
        "emitOpError(\"",
        "emitError(\"",
        "emitOpError() << \"",
        "emitError() << \"",
        ".error(\"",
        "error(format!(\"",
        ".context(\"",
        "Err(\"",
        "Err(format!(\"",
    ];
    let start = STARTS.iter().find_map(|start| line.find(start).map(|at| at + start.len()))?;
    let rest = &line[start..];
    let mut escaped = false;
    let end = rest.find(|character| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    })?;
    Some(&rest[..end])
}

#[test]
fn messages_are_worded_alike() {
    report(complain_about_lines(
        |file| matches!(file.extension(), "rs" | "cpp") && file.path != "test/tidy.rs",
        "an error message starts in lower case and has no full stop",
        |_, line| {
            message(line).is_some_and(|text| {
                let word = text.split_whitespace().next().unwrap_or_default();
                let mut letters = word.chars();
                let starts_in_upper_case = letters.next().is_some_and(char::is_uppercase);
                // Names (NaN, JSON, NumPy, S3) may begin a message in upper case.
                let is_name = letters.any(|letter| letter.is_uppercase() || letter.is_numeric());
                (starts_in_upper_case && !is_name) || (text.ends_with('.') && !text.ends_with("…"))
            })
        },
    ));
}

/// Names of operations are only in the dialect. Other code uses its views.
#[test]
fn operations_are_named_in_the_dialect_only() {
    let is_name = |text: &str| {
        let name = text.strip_prefix("mdh.").unwrap_or_default();
        let name = ["hom.", "view.", "lowlevel."].iter().find_map(|family| name.strip_prefix(family)).unwrap_or(
            // `mdh.compute` is in no family. All other names without a family are attributes.
            if name == "compute" { name } else { "" },
        );
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    report(complain_about_lines(
        |file| file.extension() == "rs" && ["passes/", "tools/"].iter().any(|folder| file.path.starts_with(folder)),
        "the name of an operation of the dialect, which has a view",
        |_, line| line.split('"').skip(1).step_by(2).any(is_name),
    ));
}

/// The flag of a pass determines its file names: `--mdh-loop-annotations` is in `passes/convert/loop_annotations.rs`,
/// and `test/passes/convert/loop-annotations.mlir` tests it. The tests of its errors are in
/// `loop-annotations-invalid.mlir` beside that.
#[test]
fn a_pass_its_file_and_its_tests_have_one_name() {
    let files = files();
    let runs = |path: &str, flag: &str, option: &str| {
        let test = files.iter().find(|test| test.path == path);
        test.is_some_and(|test| {
            test.text.lines().any(|line| line.contains("RUN:") && line.contains(flag) && line.contains(option))
        })
    };
    let mut complaints = vec![];
    for file in files.iter().filter(|file| file.path.starts_with("passes/") && file.extension() == "rs") {
        let mut lines = file.text.lines();
        let argument =
            lines.find_map(|line| line.trim().strip_prefix("const ARGUMENT: &'static str = \"")?.split('"').next());
        let Some(argument) = argument.filter(|argument| argument.starts_with("mdh-")) else { continue };
        let (folder, _) = file.path.rsplit_once('/').expect("a file is in a folder");
        let name = argument.trim_start_matches("mdh-");
        let path = format!("{folder}/{}.rs", name.replace('-', "_"));
        if file.path != path {
            complaints.push(format!("{}: --{argument} belongs into {path}", file.path));
        }
        let test = format!("test/{folder}/{name}.mlir");
        if !runs(&test, argument, "") {
            complaints.push(format!("{}: no RUN line of {test} runs --{argument}", file.path));
        }
        let refuses = ["Failure::new(", "emit_error(", "chain::require"].iter().any(|error| file.text.contains(error));
        let test = format!("test/{folder}/{name}-invalid.mlir");
        // The errors are tested with the pass alone, or with a pipeline that contains it.
        if refuses && !runs(&test, "mdh", "--verify-diagnostics") {
            complaints.push(format!("{}: no RUN line of {test} verifies the errors of --{argument}", file.path));
        }
    }
    report(complaints);
}

/// The rules of modules and of what they define. The files are parsed once for all of them.
#[test]
fn crates_have_a_clear_structure() {
    let crates = crates::crates();
    let rules = [
        structure::circles,
        structure::directions,
        structure::judges,
        methods::circles,
        items::lengths,
        items::type_names,
        items::option_names,
        texts::texts,
    ];
    report(rules.into_iter().flat_map(|rule| rule(&crates)).collect());
}
