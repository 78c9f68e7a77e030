//! Tests of opening files that are missing, damaged, of others, or cannot be written to.
use super::*;
use crate::{
    database::tests::{empty, measurements},
    key::tests::key,
    measurement::tests::measured,
};
use std::{ffi::OsStr, fs::Permissions, os::unix::fs::PermissionsExt};
use tempfile::TempDir;

/// Returns the path of a database in a folder, with one row and without a log.
fn filled(name: impl AsRef<OsStr>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name.as_ref());
    Database::open(&path).unwrap().record(&key("8"), &measured(1, 1.0)).unwrap();
    assert!(!beside(&path, "-wal").exists());
    (folder, path)
}

fn has_its_row(database: &Database) {
    assert_eq!(measurements(database, &key("8")), [measured(1, 1.0)]);
}

/// Returns the error of opening a file, which is the same for reading only. The file is unchanged.
fn refusal(path: &Path) -> Error {
    let before = fs::read(path).ok();
    let error = Database::open_read_only(path).unwrap_err();
    assert_eq!(Database::open(path).unwrap_err(), error);
    assert_eq!(fs::read(path).ok(), before);
    error
}

#[test]
fn a_file_is_created_and_opened_again() {
    let (_folder, path) = filled("tuning.db");
    has_its_row(&Database::open(&path).unwrap());
    has_its_row(&Database::open_read_only(&path).unwrap());
    // The file says what it is.
    let bytes = fs::read(&path).unwrap();
    assert_eq!(&bytes[..16], b"SQLite format 3\0");
    assert_eq!(&bytes[68..72], b"MDHt");
}

#[test]
fn an_empty_file_is_an_empty_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tuning.db");
    fs::write(&path, "").unwrap();
    assert_eq!(measurements(&Database::open_read_only(&path).unwrap(), &key("8")), []);
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    assert_eq!(Database::open(&path).unwrap().keys(""), Ok(vec![]));
}

#[test]
fn a_file_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tuning.db");
    let error = Database::open_read_only(&path).unwrap_err();
    assert_eq!(error.kind(), Kind::Missing);
    assert_eq!(error.to_string(), format!("the database '{}' does not exist", path.display()));
    assert!(!path.exists());
    let below = folder.path().join("none/tuning.db");
    let error = Database::open(&below).unwrap_err();
    assert_eq!(error.kind(), Kind::Io);
    let (below, folder) = (below.display(), folder.path().display());
    assert_eq!(error.to_string(), format!("cannot create the database '{below}': there is no folder '{folder}/none'"));
}

#[test]
fn what_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let error = refusal(folder.path());
    let text = format!("'{}' is a folder, not a database of tuning results", folder.path().display());
    assert_eq!((error.kind(), error.to_string()), (Kind::NotADatabase, text));
    assert_eq!(refusal(Path::new("/dev/null")).kind(), Kind::NotADatabase);
    let path = folder.path().join("text");
    for (text, is) in [
        ("x", "is a short file, not a database"),
        ("a schedule", "is a short file, not a database"),
        (&"a text as long as a page\n".repeat(100), "is not a database"),
        (&"a text of many pages\n".repeat(10_000), "is not a database"),
    ] {
        fs::write(&path, text).unwrap();
        let error = refusal(&path);
        let text = format!("'{}' {is} of tuning results", path.display());
        assert_eq!((error.kind(), error.to_string()), (Kind::NotADatabase, text));
    }
    let other = folder.path().join("contacts.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE contacts (name TEXT);").unwrap();
    let error = refusal(&other);
    let text = format!("'{}' is a database of another program, not of tuning results", other.display());
    assert_eq!((error.kind(), error.to_string()), (Kind::NotADatabase, text));
    let below = path.join("tuning.db");
    let error = refusal(&below);
    let text = format!("cannot open the database '{}': not a directory", below.display());
    assert_eq!((error.kind(), error.to_string()), (Kind::Io, text));
}

#[test]
fn a_newer_file_is_left_as_it_is() {
    let (_folder, path) = filled("tuning.db");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    let error = refusal(&path);
    let text = format!(
        "the database '{}' has version 7, but this version of the tools requires at most {}",
        path.display(),
        schema::VERSION
    );
    assert_eq!((error.kind(), error.to_string()), (Kind::Newer, text));
}

#[test]
fn a_read_only_file_system() {
    let (_folder, path) = filled("tuning.db");
    let database = Database::open_unchanging(&path).unwrap();
    has_its_row(&database);
    assert_eq!(database.record(&key("8"), &measured(2, 1.0)).unwrap_err().kind(), Kind::ReadOnly);
    drop(database);
    // Changes that are only in the log cannot be read: SQLite would leave them out.
    let writer = Database::open(&path).unwrap();
    writer.record(&key("8"), &measured(2, 1.0)).unwrap();
    let error = Database::open_unchanging(&path).unwrap_err();
    assert_eq!(error.kind(), Kind::ReadOnly);
    let path = path.display();
    let text = format!("the database '{path}' requires a folder that can be written to once, to apply '{path}-wal'");
    assert_eq!(error.to_string(), text);
}

#[test]
fn permissions() {
    let (folder, path) = filled("tuning.db");
    let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    set(&path, 0o444);
    set(folder.path(), 0o555);
    // A user whom permissions do not stop, such as root, finds an ordinary file.
    if fs::write(folder.path().join("other"), "").is_err() {
        has_its_row(&Database::open_read_only(&path).unwrap());
        assert_eq!(Database::open(&path).unwrap_err().kind(), Kind::ReadOnly);
        set(&path, 0o644);
        let refused = Database::open(&path).and_then(|database| database.record(&key("8"), &measured(2, 1.0)));
        assert!(matches!(refused.unwrap_err().kind(), Kind::ReadOnly | Kind::Io));
        set(folder.path(), 0o755);
        set(&path, 0o444);
        has_its_row(&Database::open_read_only(&path).unwrap());
        let error = Database::open(&path).unwrap_err();
        let text = format!("the database '{}' cannot be written to", path.display());
        assert_eq!((error.kind(), error.to_string()), (Kind::ReadOnly, text));
        set(&path, 0o000);
        assert_eq!(Database::open_read_only(&path).unwrap_err().kind(), Kind::Io);
    } else {
        has_its_row(&Database::open_read_only(&path).unwrap());
    }
    set(folder.path(), 0o755);
}

#[test]
fn names_with_a_meaning_in_addresses() {
    let bytes = OsStr::from_bytes(b"not \xff UTF-8");
    for name in [":memory:", "file:name?mode=memory", "100%25 #1 & ?.db"].map(OsStr::new).into_iter().chain([bytes]) {
        let (folder, path) = filled(name);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name:?}");
        has_its_row(&Database::open_read_only(&path).unwrap());
        has_its_row(&Database::open_unchanging(&path).unwrap());
        assert_eq!(plain_name(Path::new(name)), Path::new(".").join(name));
    }
    let address = unchanging_name(Path::new("a?b"));
    assert_eq!(address, Path::new("file:./a%3Fb?immutable=1"));
    let (_folder, path) = filled("tuning.db");
    let doubled = PathBuf::from(format!("/{}", path.display()));
    has_its_row(&Database::open_unchanging(&doubled).unwrap());
}

#[test]
fn an_older_file_is_read_through_a_copy() {
    let (_folder, path) = filled("tuning.db");
    let connection = Connection::open(&path).unwrap();
    let mut copy = migrated_copy(&connection, &path).unwrap();
    has_its_row(&Database { connection: copy, path: path.clone(), can_write: false });
    // The copy is not the file.
    copy = migrated_copy(&connection, &path).unwrap();
    copy.execute_batch("DELETE FROM measurement").unwrap();
    has_its_row(&Database::open(&path).unwrap());
}

#[test]
fn what_others_declare_is_never_read() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n";
    for (change, what) in [
        (format!("DROP TABLE measurement; CREATE VIEW measurement AS {endless}"), "the view 'measurement'"),
        ("CREATE TRIGGER slow AFTER INSERT ON key BEGIN SELECT 1; END".to_owned(), "the trigger 'slow'"),
        ("CREATE TABLE more (x)".to_owned(), "the table 'more'"),
        ("CREATE INDEX other ON key (hex(name))".to_owned(), "the index 'other'"),
    ] {
        let (_folder, path) = filled("tuning.db");
        Connection::open(&path).unwrap().execute_batch(&change).unwrap();
        for error in [Database::open(&path).err(), Database::open_read_only(&path).err()] {
            let text =
                format!("the database '{}' is corrupt: it has {what}, which is none of version 1", path.display());
            assert_eq!(error.unwrap().to_string(), text);
        }
    }
    let (_folder, path) = filled("tuning.db");
    Connection::open(&path).unwrap().execute_batch("DROP INDEX measurement_by_time").unwrap();
    let text = format!("the database '{}' is corrupt: it lacks a table or an index", path.display());
    assert_eq!(Database::open(&path).err().unwrap().to_string(), text);
}

#[test]
fn readers_and_a_writer_do_not_wait_for_each_other() {
    let (_folder, database) = empty();
    database.record(&key("8"), &measured(1, 1.0)).unwrap();
    let reader = Database::open_read_only(database.path()).unwrap();
    let start = Instant::now();
    database
        .write(|_| {
            database.put(&key("8"), &measured(2, 2.0))?;
            has_its_row(&reader);
            has_its_row(&Database::open_read_only(database.path())?);
            Ok(())
        })
        .unwrap();
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(measurements(&reader, &key("8")).len(), 2);
}
