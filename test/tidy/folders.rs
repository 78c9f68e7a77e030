//! No folder is too full to read: files of a subject have a folder of their own.
use super::{files, report};
use std::collections::BTreeMap;

/// Maximum number of files directly in a folder.
const MOST_FILES: usize = 20;

/// The trees whose folders are counted.
const TREES: [&str; 4] = ["bench/", "scripts/", "test/", "tools/mdh-python/python/mdh/"];

/// Trees that may have full folders, with the reason. The names of their files say where to find a file.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("bench/c/", "a file of plain loops for each example"),
    ("test/bad-input/", "the inputs of a text of commands, each of them wrong in its own way"),
    ("test/passes/", "a test for each pass, in the folder of the pass"),
];

#[test]
fn folders_are_not_too_full() {
    let mut counts = BTreeMap::<_, usize>::new();
    let files = files();
    for path in files.iter().map(|file| &file.path).filter(|path| TREES.iter().any(|tree| path.starts_with(tree))) {
        let (folder, _) = path.rsplit_once('/').expect("a file of a tree is in a folder");
        *counts.entry(format!("{folder}/")).or_default() += 1;
    }
    counts.retain(|_, count| *count > MOST_FILES);
    let excepted = |folder: &str| EXCEPTIONS.iter().any(|(tree, _)| folder.starts_with(tree));
    let full = counts.iter().filter(|(folder, _)| !excepted(folder));
    let mut complaints: Vec<_> =
        full.map(|(folder, count)| format!("{folder}: {count} files, at most {MOST_FILES} are allowed")).collect();
    let unused = EXCEPTIONS.iter().filter(|(tree, _)| !counts.keys().any(|folder| folder.starts_with(tree)));
    complaints
        .extend(unused.map(|(tree, reason)| format!("{tree}: no folder is full, but it is an exception: {reason}")));
    report(complaints);
}
