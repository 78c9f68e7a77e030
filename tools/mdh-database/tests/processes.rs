//! Many processes on one file, some of which are killed: what a process has said to be recorded is there, once.
use mdh_database::{Database, Extents, Key, Measurement, Outcome, Recorded};
use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// The file that a helper process writes to.
const FILE: &str = "MDH_TEST_DATABASE";
/// The numbers of the first measurement of a helper process, and of the last one.
const RANGE: &str = "MDH_TEST_RANGE";
/// What a helper process prints before each number.
const MARK: &str = "recorded ";

fn key() -> Key {
    Key {
        fingerprint: "c0ffee".to_owned(),
        extents: Extents(vec![vec![Some(8), None]]),
        strict: false,
        threads: 8,
        features: "+avx2".to_owned(),
        engine: "cpu".to_owned(),
        device: "a processor".to_owned(),
    }
}

fn measurement(number: u64) -> Measurement {
    Measurement {
        schedule: format!("{{\"version\": 2, \"parts\": [[{number}]], \"text\": \"{}\"}}", "long ".repeat(100)),
        is_default: number == 0,
        outcome: Outcome::Measured { seconds: 1.0 + number as f64, ratio: None, samples: 3, spread: 0.0 },
        predicted: None,
        strategy: "numbers".to_owned(),
        compiler: "0.1.0".to_owned(),
        function: "f".to_owned(),
        created: SystemTime::now(),
    }
}

/// A process that other tests start: it records numbers, and prints each after its transaction.
#[test]
#[ignore = "other tests start it as a process of its own"]
fn helper() {
    let (Some(file), Ok(range)) = (env::var_os(FILE), env::var(RANGE)) else { return };
    let (first, last) = range.split_once(' ').unwrap();
    let database = Database::open(file).unwrap();
    for number in first.parse::<u64>().unwrap()..=last.parse().unwrap() {
        assert_eq!(database.record(&key(), &measurement(number)), Ok(Recorded::Added));
        // One write, so that a line is whole or missing.
        std::io::stdout().write_all(format!("\n{MARK}{number}\n").as_bytes()).unwrap();
    }
}

fn start(file: &Path, first: u64, last: u64) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "helper", "--ignored", "--nocapture"])
        .env(FILE, file)
        .env(RANGE, format!("{first} {last}"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

/// Returns the numbers that a process has printed before its end.
fn printed(child: &mut Child) -> Vec<u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix(MARK)?.parse().ok()).collect()
}

/// Returns the numbers in a database, in order; fails if one of them is there twice.
fn stored(database: &Database) -> BTreeSet<u64> {
    let rows = database.rows(&key(), "0.1.0").unwrap();
    let numbers: Vec<u64> = rows.iter().map(|row| row.seconds.unwrap() as u64 - 1).collect();
    for row in &rows {
        let number = row.seconds.unwrap() as u64 - 1;
        assert_eq!(row.measurement.schedule, measurement(number).schedule);
    }
    let set: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(set.len(), numbers.len(), "a measurement is there twice");
    set
}

/// A sequence of numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Kills processes at random moments: a quarter of them while they create the file, and of the others some while a
/// second process writes, too.
fn kill(times: usize, seed: u64) {
    let mut random = Random(seed);
    let folder = tempfile::tempdir().unwrap();
    let mut file = folder.path().join("0.db");
    let (mut all, mut next, mut recorded) = (BTreeSet::new(), 0, 0);
    for round in 0..times {
        if round.is_multiple_of(4) {
            file = folder.path().join(format!("{round}.db"));
            (all, next) = (BTreeSet::new(), 0);
        }
        let mut children = vec![start(&file, next, next + 999_999)];
        if random.below(3) == 0 {
            children.push(start(&file, next + 1_000_000, next + 1_999_999));
        }
        // On a busy machine, processes may need longer than any short pause until they record something.
        if round % 4 == 3 {
            let is_unchanged = || Database::open(&file).is_ok_and(|database| stored(&database) == all);
            let start = Instant::now();
            while is_unchanged() && start.elapsed() < Duration::from_secs(60) {
                thread::sleep(Duration::from_millis(1));
            }
        }
        thread::sleep(Duration::from_micros(random.below(60_000)));
        let processes = children.len();
        for mut child in children {
            child.kill().unwrap();
            let numbers = printed(&mut child);
            assert!(!child.wait().unwrap().success());
            recorded += usize::from(!numbers.is_empty());
            all.extend(numbers);
        }
        let found = match Database::open(&file) {
            Ok(database) => {
                database.check().unwrap();
                stored(&database)
            }
            Err(error) => panic!("round {round}: {error}"),
        };
        assert!(found.is_superset(&all), "round {round}: lost {:?}", all.difference(&found));
        // The transaction may have ended, but not the line.
        let unsaid: Vec<_> = found.difference(&all).collect();
        assert!(unsaid.len() <= processes, "round {round}: {unsaid:?} were not said to be there");
        next = found.last().map_or(0, |last| last + 1);
        all = found;
    }
    assert!(recorded > 0, "no process lived long enough to record something");
}

#[test]
fn a_process_that_is_killed_loses_at_most_the_measurement_in_progress() {
    kill(20, 0x2545_f491_4f6c_dd1d);
}

/// The long form of the test above.
#[test]
#[ignore = "takes half a minute; the short form is above"]
fn two_hundred_processes_are_killed() {
    kill(200, SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64 | 1);
}

#[test]
fn sixteen_processes_write_at_once() {
    const EACH: u64 = 100;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuning.db");
    let children: Vec<Child> = (0..16).map(|i| start(&file, i * EACH, (i + 1) * EACH - 1)).collect();
    // Meanwhile, a reader sees a growing number of whole rows.
    let reader = Instant::now();
    let mut seen = BTreeSet::new();
    while seen.len() < 1000 && reader.elapsed() < Duration::from_secs(60) {
        if let Ok(database) = Database::open_read_only(&file) {
            let now = stored(&database);
            assert!(now.is_superset(&seen));
            seen = now;
        }
    }
    for mut child in children {
        assert_eq!(printed(&mut child).len() as u64, EACH);
        assert!(child.wait().unwrap().success());
    }
    let database = Database::open_read_only(&file).unwrap();
    database.check().unwrap();
    assert_eq!(stored(&database), (0..16 * EACH).collect());
    assert_eq!(database.best(&key(), "0.1.0").unwrap().unwrap().measurement.schedule, measurement(0).schedule);
    drop(database);
    // The last process to close the file leaves nothing beside it.
    drop(Database::open(&file).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn processes_that_merge_into_each_other_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let files = [0, 1].map(|i| folder.path().join(format!("{i}.db")));
    let mut children: Vec<Child> = (0..2).map(|i| start(&files[i], i as u64 * 1000, i as u64 * 1000 + 199)).collect();
    let target = Database::open(folder.path().join("target.db")).unwrap();
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        for file in files.iter().filter(|file| file.exists()) {
            target.merge(file).unwrap();
        }
    }
    files.iter().for_each(|file| assert!(target.merge(file).is_ok()));
    assert_eq!(stored(&target), (0..200).chain(1000..1200).collect());
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}
