//! Tests of `mdh database`: what it writes to files, and what bad input gets.
use super::*;
use clap::Parser;
use mdh_database::{COMPILER, Key, Measurement, Outcome};
use std::{fs, path::Path, time::SystemTime};
use tempfile::TempDir;

#[derive(Parser)]
struct DatabaseProgram {
    #[command(flatten)]
    database: Database,
}

/// Runs `mdh database` with these arguments on a file.
fn run(file: &Path, arguments: &[&str]) -> Result<()> {
    let all = ["database", "--database"].map(Into::into).into_iter().chain([file.into()]);
    let program = DatabaseProgram::try_parse_from(
        all.chain(arguments.iter().map(Into::into)).collect::<Vec<std::ffi::OsString>>(),
    );
    program.unwrap_or_else(|problem| panic!("{problem}")).database.run()
}

fn key(extent: u64) -> Key {
    Key {
        fingerprint: "c0ffee".to_owned(),
        extents: mdh_database::Extents(vec![vec![Some(extent)]]),
        strict: false,
        threads: 8,
        features: "+avx2".to_owned(),
        engine: "cpu".to_owned(),
        device: "a processor".to_owned(),
    }
}

fn measurement(schedule: u32, seconds: f64) -> Measurement {
    Measurement {
        schedule: format!("{{\"version\": 2, \"parts\": [[{schedule}]]}}\n"),
        is_default: false,
        outcome: Outcome::Measured { seconds, ratio: None, samples: 3, spread: 0.0 },
        predicted: None,
        strategy: "random".to_owned(),
        compiler: COMPILER.to_owned(),
        function: "f".to_owned(),
        created: SystemTime::UNIX_EPOCH,
    }
}

/// Returns the path of a database with two keys, the first of which has two rows.
fn filled() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuned.db");
    let rows = Rows::open(&file).unwrap();
    for (extent, schedule, seconds) in [(8, 1, 0.5), (8, 2, 0.25), (16, 3, 1.0)] {
        rows.record(&key(extent), &measurement(schedule, seconds)).unwrap();
    }
    (folder, file)
}

#[test]
fn the_best_schedule_becomes_a_file() {
    let (folder, file) = filled();
    let output = folder.path().join("best.json");
    run(&file, &["export", &key(8).name(), "--output", output.to_str().unwrap()]).unwrap();
    assert_eq!(fs::read_to_string(&output).unwrap(), measurement(2, 0.25).schedule);
}

#[test]
fn rows_are_exported_imported_and_merged() {
    let (folder, file) = filled();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| fs::read_to_string(path(name)).unwrap();
    let export = |file: &Path, to: &str| run(file, &["export", "--format", "json", "-o", path(to).to_str().unwrap()]);
    export(&file, "rows.json").unwrap();
    run(&path("copy.db"), &["import", path("rows.json").to_str().unwrap()]).unwrap();
    export(&path("copy.db"), "again.json").unwrap();
    assert_eq!(text("again.json"), text("rows.json"));
    run(&path("merged.db"), &["merge", file.to_str().unwrap(), path("copy.db").to_str().unwrap()]).unwrap();
    export(&path("merged.db"), "merged.json").unwrap();
    assert_eq!(text("merged.json"), text("rows.json"));
    run(&file, &["export", &key(16).name(), "--format", "t4", "-o", path("t4.json").to_str().unwrap()]).unwrap();
    assert!(text("t4.json").starts_with("{\"schema_version\": \"1.0.0\""));
}

#[test]
fn a_dry_run_removes_nothing() {
    let (_folder, file) = filled();
    let left = || Rows::open_read_only(&file).unwrap().rows(&key(8), COMPILER).unwrap().len();
    run(&file, &["prune", "--best", "1", "--dry-run"]).unwrap();
    assert_eq!(left(), 2);
    run(&file, &["prune", "--best", "1", &key(16).name()]).unwrap();
    assert_eq!(left(), 2);
    run(&file, &["prune", "--best", "1"]).unwrap();
    assert_eq!(left(), 1);
    // Rows of this version are kept.
    run(&file, &["prune", "--other-versions", "--failed"]).unwrap();
    assert_eq!(left(), 1);
}

#[test]
fn bad_input_is_one_clear_error() {
    let (folder, file) = filled();
    let name = file.display();
    let missing = folder.path().join("none.db");
    let error = |file: &Path, arguments: &[&str]| run(file, arguments).unwrap_err().to_string();
    let several = format!(
        "one key is required, but 'f' selects 2: {} (extents 8, cpu), {} (extents 16, cpu)",
        key(8).name(),
        key(16).name()
    );
    assert_eq!(error(&file, &["export", "f"]), several);
    assert_eq!(error(&file, &["export", "f", "--format", "t4"]), several);
    assert_eq!(error(&file, &["export"]), several.replace("'f' selects", &format!("the database '{name}' has")));
    let none = format!(
        "the database '{name}' has no key or fingerprint that begins with 'g', and no function 'g'; 'mdh database list' \
        prints its keys"
    );
    for command in [["list", "g"], ["show", "g"], ["export", "g"]] {
        assert_eq!(error(&file, &command), none);
    }
    assert_eq!(error(&file, &["prune", "g", "--failed"]), none);
    let absent = format!("the database '{}' does not exist", missing.display());
    for command in [&["list"][..], &["show"], &["export"], &["prune", "--failed"]] {
        assert_eq!(error(&missing, command), absent);
    }
    assert!(!missing.exists());
    assert_eq!(error(&file, &["merge", missing.to_str().unwrap()]), absent);
    let unread = format!("cannot read '{}': no such file or directory", missing.display());
    assert_eq!(error(&file, &["import", missing.to_str().unwrap()]), unread);
    let text = format!("cannot import '{name}': it is not UTF-8");
    let new = folder.path().join("new.db");
    assert_eq!(error(&new, &["import", file.to_str().unwrap()]), text);
    assert_eq!(error(&new, &["merge", file.to_str().unwrap(), missing.to_str().unwrap()]), absent);
    assert!(!new.exists());
}

#[test]
fn pruning_requires_a_choice() {
    let problem = DatabaseProgram::try_parse_from(["database", "prune"]).err().unwrap().to_string();
    assert!(problem.contains("<--failed|--best <N>|--other-versions>"), "{problem}");
}
