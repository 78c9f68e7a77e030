//! Executes the example in the header of each pass: the pass must transform the first block into the second.
//!
//! The lines of the second block must occur in this order. `..` matches any text within a line, and value names match
//! any names. A comment `// mdh-opt FLAGS` at the top of the first block gives the command; the default is the pass
//! alone. "is refused with" between the blocks means that the second one shows errors.
//!
//! Examples of `passes/nest/` show the nest of a program, printed by the flags of its block: an MLIR block, followed by
//! a text block. Lines of the text block must match whole lines, including indentation.
use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository").to_owned()
}

/// The path of an LLVM program.
fn llvm(program: &str) -> PathBuf {
    PathBuf::from(env::var_os("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into())).join("bin").join(program)
}

/// The Rust files in a folder, recursively.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in folder.read_dir().expect("a readable folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// The example of a file.
struct Example {
    flags: Vec<String>,
    before: String,
    after: Vec<String>,
    shows: Shown,
}

/// The contents of the second block of an example.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Result,
    Errors,
    Nest,
}

/// The flag of the pass in a file.
fn flag(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("    const ARGUMENT: &'static str = \"")?.strip_suffix("\";"))
}

/// The header documentation of a file.
fn header(text: &str) -> String {
    let header = text.lines().map_while(|line| line.strip_prefix("//!"));
    header.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The flags in the first line of a block.
fn flags(block: &str) -> Option<Vec<String>> {
    let flags = block.lines().next()?.strip_prefix("// mdh-opt --")?;
    Some(flags.split(" --").map(|flag| format!("--{}", flag.replace('"', ""))).collect())
}

/// The first two MLIR blocks in the header documentation.
fn example(text: &str, flag: &str) -> Option<Example> {
    let header = header(text);
    let mut parts = header.split("```mlir\n").skip(1).map(|part| part.split_once("```"));
    let ((before, between), (after, _)) = (parts.next()??, parts.next()??);
    let after = after.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "..").map(str::to_owned);
    Some(Example {
        flags: flags(before).unwrap_or_else(|| vec![format!("--{flag}")]),
        before: before.to_owned(),
        after: after.collect(),
        shows: if between.contains("is refused with") { Shown::Errors } else { Shown::Result },
    })
}

/// The programs in the header documentation, each with its nest.
fn nests(text: &str) -> Vec<Option<Example>> {
    let header = header(text);
    let programs = header.split("```mlir\n").skip(1);
    let example = |part: &str| {
        let (before, rest) = part.split_once("```")?;
        let (after, _) = rest.split_once("```text\n")?.1.split_once("```")?;
        let after = after.lines().filter(|line| !matches!(line.trim(), "" | "..")).map(str::to_owned);
        let (before, after) = (before.to_owned(), after.collect());
        Some(Example { flags: flags(&before)?, before, after, shows: Shown::Nest })
    };
    programs.map(example).collect()
}

/// Converts a line to a FileCheck pattern. Value names match those of the lines before.
fn check(line: &str, known: &mut BTreeSet<String>) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("..") {
            text += "{{.*}}";
            rest = after;
        } else if let Some(after) = rest.strip_prefix("[[") {
            text += r"{{\[\[}}";
            rest = after;
        } else if let Some(after) = rest.strip_prefix('%').filter(|after| after.starts_with(is_of_name)) {
            let length = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
            let (name, others) = after.split_at(length);
            let pattern = if known.insert(name.to_owned()) { ":[A-Za-z0-9_]+" } else { "" };
            write!(text, "%[[v_{name}{pattern}]]").expect("text can be written");
            rest = others;
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    text
}

/// The failure of an example; `None` if it passes.
fn complaint(file: &str, example: &Example) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mdh-opt"));
    let mut child = command
        .args(&example.flags)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mdh-opt runs");
    child.stdin.take().expect("a pipe").write_all(example.before.as_bytes()).expect("mdh-opt reads its input");
    let output = child.wait_with_output().expect("mdh-opt ends");
    let (result, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() == (example.shows == Shown::Errors) {
        return Some(format!("{file}: mdh-opt {}: {}\n{errors}", example.flags.join(" "), output.status));
    }
    let shown = if example.shows == Shown::Result { &result } else { &errors };
    let whole_lines: &[&str] =
        if example.shows == Shown::Nest { &["--match-full-lines", "--strict-whitespace"] } else { &[] };
    let mut known = BTreeSet::new();
    let checks: String = example.after.iter().map(|line| format!("CHECK:{}\n", check(line, &mut known))).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pass-examples");
    fs::create_dir_all(&folder).expect("a folder for tests");
    let name = file.replace('/', "-");
    let (checks_file, result_file) = (folder.join(format!("{name}.check")), folder.join(format!("{name}.result")));
    fs::write(&checks_file, checks).expect("a file for tests");
    fs::write(&result_file, shown.as_bytes()).expect("a file for tests");
    let output = Command::new(llvm("FileCheck"))
        .arg(&checks_file)
        .args(whole_lines)
        .arg(format!("--input-file={}", result_file.display()))
        .output()
        .expect("FileCheck runs");
    (!output.status.success()).then(|| format!("{file}: {}\n{shown}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn every_pass_does_what_its_example_shows() {
    let root = root();
    let mut complaints = vec![];
    for path in sources(&root.join("passes")) {
        let text = fs::read_to_string(&path).expect("a source is text");
        let Some(flag) = flag(&text).filter(|flag| flag.starts_with("mdh-")) else { continue };
        let file = path.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        match example(&text, flag) {
            Some(example) => complaints.extend(complaint(&file, &example)),
            None => complaints.push(format!("{file}: requires an example: two blocks of MLIR, before and after")),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn nests_are_what_their_examples_show() {
    let root = root();
    let mut complaints = vec![];
    for path in sources(&root.join("passes/nest")) {
        let text = fs::read_to_string(&path).expect("a source is text");
        let file = path.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        for (number, example) in (1..).zip(nests(&text)) {
            match example {
                Some(example) => complaints.extend(complaint(&format!("{file}.{number}"), &example)),
                None => complaints.push(format!(
                    "{file}: example {number} requires `// mdh-opt FLAGS`, and a block of text: the nest"
                )),
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
