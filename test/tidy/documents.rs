//! The form of the documents: links lead somewhere, and lines are short.
use super::{File, files, report, root};
use std::{
    collections::BTreeSet,
    path::PathBuf,
    process::{Command, Stdio},
};

/// Maximum number of characters of a line of prose, which has one sentence.
const LONGEST_LINE: usize = 200;

/// Documents that programs write, and records of measurements.
const WRITTEN_BY_PROGRAMS: [&str; 2] = ["bench/results/", "docs/generated/"];

fn documents() -> impl Iterator<Item = File> {
    files().into_iter().filter(|file| file.extension() == "md")
}

/// The lines outside of code, with their numbers from 1.
fn prose(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    let is_prose = move |(_, line): &(usize, &str)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    };
    (1..).zip(file.text.lines()).filter(is_prose)
}

#[test]
fn lines_of_documents_are_short() {
    let mut complaints = vec![];
    for file in documents().filter(|file| !WRITTEN_BY_PROGRAMS.iter().any(|folder| file.path.starts_with(folder))) {
        for (number, line) in prose(&file).filter(|(_, line)| !line.starts_with('|')) {
            let length = line.chars().count();
            if length > LONGEST_LINE {
                let at = format!("{}:{number}", file.path);
                complaints
                    .push(format!("{at}: {length} characters, at most {LONGEST_LINE} are allowed in a line of prose"));
            }
        }
    }
    report(complaints);
}

/// The paths that git ignores, so that other checkouts lack them. Without git, nothing is ignored.
fn ignored() -> BTreeSet<PathBuf> {
    let mut command = Command::new("git");
    command.args(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory"]).current_dir(root());
    let listed = command.stderr(Stdio::null()).output().map_or_else(|_| vec![], |output| output.stdout);
    String::from_utf8_lossy(&listed).lines().filter_map(|line| root().join(line).canonicalize().ok()).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let ignored = ignored();
    let mut complaints = vec![];
    for file in documents() {
        let folder = root().join(&file.path).parent().expect("a file is in a folder").to_owned();
        for (number, line) in prose(&file) {
            // Inline code has no links.
            let text: String = line.split('`').step_by(2).collect();
            for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let target = target.split('#').next().unwrap_or_default();
                if target.is_empty() || target.contains("://") {
                    continue;
                }
                let path = folder.join(target).canonicalize();
                if path.is_err() || path.is_ok_and(|path| path.ancestors().any(|path| ignored.contains(path))) {
                    let at = format!("{}:{number}", file.path);
                    complaints.push(format!("{at}: a link to {target}, which does not exist in the repository"));
                }
            }
        }
    }
    report(complaints);
}
