//! The jobs of a command line of clang, as `-###` prints them.
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A program that clang's driver runs, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// The jobs of a command line, from clang's answer to it with `-###`; `None` if the driver reports an error, or does
/// anything else.
pub fn jobs(answer: Output) -> Option<Vec<Job>> {
    let text = String::from_utf8(answer.stderr).ok()?;
    let has_problem = text.lines().any(|line| line.contains("error:") || line.contains("warning:"));
    if !answer.status.success() || has_problem || !answer.stdout.is_empty() {
        return None;
    }
    text.lines().filter(|line| line.starts_with(" \"")).map(job).collect()
}

/// The job of a line; `None` if it has another form.
fn job(line: &str) -> Option<Job> {
    let mut words = words(line)?.into_iter();
    Some(Job { program: words.next()?, arguments: words.collect() })
}

/// The quoted words of a line, in which a backslash escapes the next character.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = vec![];
    let mut characters = line.trim().chars();
    loop {
        match characters.next() {
            None => return Some(words),
            Some(' ') => {}
            Some('"') => {
                let mut word = String::new();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' => word.push(characters.next()?),
                        character => word.push(character),
                    }
                }
                words.push(word);
            }
            Some(_) => return None,
        }
    }
}

/// Options for lists of dependencies and of diagnostics, which the first job that reads the source writes.
const LISTS: [&str; 3] = ["-sys-header-deps", "-MP", "-MG"];

/// Such options that a value follows.
const LISTS_WITH_FILES: [&str; 5] =
    ["-dependency-file", "-MT", "-MQ", "-diagnostic-log-file", "-serialize-diagnostic-file"];

impl Job {
    /// The value behind an argument.
    pub fn value(&self, name: &str) -> Option<&str> {
        let position = self.arguments.iter().position(|argument| argument == name)?;
        self.arguments.get(position + 1).map(String::as_str)
    }

    /// True if it has an argument.
    pub fn has(&self, name: &str) -> bool {
        self.arguments.iter().any(|argument| argument == name)
    }

    /// The C or C++ source of a job that compiles one to code with optimizations.
    pub fn source(&self) -> Option<PathBuf> {
        let is_c = self.value("-x").is_some_and(|language| ["c", "c++"].contains(&language));
        let is_optimized =
            self.arguments.iter().any(|argument| ["-O1", "-O2", "-O3", "-Os", "-Oz"].contains(&argument.as_str()));
        let is_code = self.has("-emit-obj") || self.has("-S");
        // Code with counters of a profile, or for another purpose, is clang's.
        let is_special = |argument: &String| {
            [
                "-fprofile-instrument",
                "-fcoverage-mapping",
                "-coverage",
                "-flto",
                "-fembed-bitcode",
                "-fopenacc",
                "-ftest-coverage",
            ]
            .iter()
            .any(|name| argument.starts_with(name))
        };
        let is_ours = self.arguments.first().is_some_and(|first| first == "-cc1") && is_c && is_optimized && is_code;
        let source = self.arguments.last().filter(|_| is_ours && !self.arguments.iter().any(is_special))?;
        (source != "-").then(|| source.into())
    }

    /// The arguments without the source and without some options; `with_values`: options that a value follows.
    fn without(&self, options: &[&str], with_values: &[&str]) -> Vec<String> {
        let source = self.arguments.len().saturating_sub(1);
        let mut arguments = vec![];
        let mut rest = self.arguments[..source].iter();
        while let Some(argument) = rest.next() {
            if with_values.contains(&argument.as_str()) {
                rest.next();
            } else if !options.contains(&argument.as_str()) {
                arguments.push(argument.clone());
            }
        }
        arguments
    }

    /// The job with these arguments, `what` it does, and the source.
    fn instead(&self, mut arguments: Vec<String>, what: &[&str]) -> Self {
        arguments.extend(what.iter().map(|argument| (*argument).to_owned()));
        arguments.extend(self.arguments.last().cloned());
        Self { program: self.program.clone(), arguments }
    }

    /// The job that writes bitcode before LLVM's passes, with debug information.
    pub fn to_bitcode(&self, output: &Path) -> Self {
        let output = output.display().to_string();
        let mut what = vec!["-emit-llvm-bc", "-disable-llvm-passes", "-o", &output];
        if !self.has_debug_info() {
            what.extend(["-debug-info-kind=limited", "-dwarf-version=5"]);
        }
        self.instead(self.without(&["-emit-obj", "-S"], &["-o"]), &what)
    }

    /// The job that writes the text of the source after the preprocessor to the standard output.
    pub fn to_preprocessed(&self) -> Self {
        let options = [&["-emit-obj", "-S"], &LISTS[..]].concat();
        self.instead(self.without(&options, &[&["-o"], &LISTS_WITH_FILES[..]].concat()), &["-E", "-o", "-"])
    }

    /// The job that compiles bitcode instead of the source.
    pub fn of_bitcode(&self, bitcode: &Path) -> Self {
        let mut arguments = self.without(&LISTS, &[&["-x"], &LISTS_WITH_FILES[..]].concat());
        arguments.extend(["-x".to_owned(), "ir".to_owned(), bitcode.display().to_string()]);
        Self { program: self.program.clone(), arguments }
    }

    /// True if the user asks for debug information.
    pub fn has_debug_info(&self) -> bool {
        self.arguments.iter().any(|argument| argument.starts_with("-debug-info-kind"))
    }

    /// The command that runs it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let expected = Some(vec!["/usr/bin/clang".to_owned(), "-DX=a \"b\" $c".to_owned(), "\\".to_owned()]);
        assert_eq!(words(r#" "/usr/bin/clang" "-DX=a \"b\" \$c" "\\""#), expected);
        assert_eq!(words("clang -c"), None);
        assert_eq!(words("\"open"), None);
    }
}
