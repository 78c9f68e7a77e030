//! The programs of `test/raise` are compared with results of NumPy.
use super::{File, files, report, root};
use serde_json::{Map, Value};
use std::{collections::BTreeSet, fs};

/// Texts whose functions are not compared, with the reason.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("loops/refused", "the remarks on what stays; loops/stays.mlir runs such loops"),
    ("referenced", "a function that returns a function"),
    ("refused", "the remarks on what stays; linalg/stays.mlir runs such operations"),
    ("torch/scans/scans_invalid", "errors"),
    ("unknown", "an error"),
];

/// The name of a text in `test/raise`, such as `jax/reductions/softmax`.
fn name(file: &File) -> Option<&str> {
    let name = file.path.strip_prefix("test/raise/")?.strip_suffix(".mlir")?;
    (!name.starts_with("Inputs/")).then_some(name)
}

/// The public functions that a text defines, also in generic form.
fn functions(text: &str) -> BTreeSet<&str> {
    let defined = |line: &'_ str| -> Option<(usize, usize)> {
        let start = if line.trim_start().starts_with("\"func.func\"() <{") {
            let private = line.contains("sym_visibility = \"private\"");
            let name = "sym_name = \"";
            line.find(name).filter(|_| !private)? + name.len()
        } else {
            let line_start = line.trim_start();
            let rest = line_start.strip_prefix("func.func ")?;
            let rest = rest.strip_prefix("public ").unwrap_or(rest).strip_prefix('@')?;
            line.len() - rest.len()
        };
        let length = line[start..].find(|c: char| !c.is_alphanumeric() && c != '_')?;
        Some((start, start + length))
    };
    text.lines().filter_map(|line| defined(line).map(|(start, end)| &line[start..end])).collect()
}

/// The runs of a text that are compared: for each one, the function and its inputs, which name it in the expected results.
fn runs(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("// RUN: %against-numpy mdh run %s "));
    let run = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let options = words.windows(2).filter(|pair| ["--function", "--input"].contains(&pair[0]));
        options.map(|pair| pair[1]).collect::<Vec<_>>().join(" ")
    };
    lines.map(run).collect()
}

#[test]
fn raised_programs_are_compared_with_numpy() {
    let mut complaints = vec![];
    let files = files();
    let texts: Vec<_> = files.iter().filter_map(|file| Some((name(file)?, &file.text))).collect();
    for (name, text) in &texts {
        let exception = EXCEPTIONS.iter().find(|(other, _)| other == name);
        let runs = runs(text);
        let compared: BTreeSet<_> = runs.iter().filter_map(|run| run.split(' ').next()).collect();
        for function in functions(text).difference(&compared).filter(|_| exception.is_none()) {
            complaints.push(format!("test/raise/{name}.mlir: no line 'RUN: %against-numpy mdh run' runs @{function}"));
        }
        if let Some((_, reason)) = exception.filter(|_| !runs.is_empty()) {
            complaints.push(format!("test/raise/{name}.mlir: is compared, but is an exception: {reason}"));
        }
        let path = format!("test/raise/expected/{name}.json");
        let expected = fs::read_to_string(root().join(&path)).unwrap_or_else(|_| "{}".to_owned());
        let expected: Map<String, Value> =
            serde_json::from_str(&expected).unwrap_or_else(|error| panic!("{path}: {error}"));
        let expected: BTreeSet<String> = expected.keys().cloned().collect();
        for run in expected.symmetric_difference(&runs) {
            let place = if runs.contains(run) { "no result for" } else { "a result, but no RUN line, for" };
            complaints.push(format!("{path}: has {place} '{run}' (python3 test/raise/oracle writes it)"));
        }
    }
    for file in &files {
        let text = file.path.strip_prefix("test/raise/expected/").and_then(|path| path.strip_suffix(".json"));
        if let Some(text) = text.filter(|text| !texts.iter().any(|(name, _)| name == text)) {
            complaints.push(format!("{}: there is no text test/raise/{text}.mlir", file.path));
        }
    }
    for (name, _) in EXCEPTIONS.iter().filter(|(name, _)| !texts.iter().any(|(other, _)| other == name)) {
        complaints.push(format!("test/tidy/raised.rs: there is no text test/raise/{name}.mlir"));
    }
    report(complaints);
}
