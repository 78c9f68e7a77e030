//! Sessions with processes that only claim to run schedules, so that each of them can do what candidates do.
use super::*;
use crate::{program, tuning::evaluation::ratio};
use mdh_database::{COMPILER, Cause, Extents};
use mdh_dialects::{ir, schedule::model::System};
use mdh_passes::{
    analysis::computation::Computation,
    machine::Machine,
    schedule::{default::default_schedule, tuning::TuningContext},
    tune::strategy,
};
use std::{cell::RefCell, fs};

const PROGRAM: &str = "func.func @mv(%M: tensor<64x32xf32>, %v: tensor<32xf32>) -> tensor<64xf32> {
  %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
      : (tensor<64x32xf32>, tensor<32xf32>) -> !mdh.mda<64x32, f32, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    mdh.hom.yield %p : f32
  } : !mdh.mda<64x32, f32, f32> -> !mdh.mda<64x1, f32>
  %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<64x1, f32> -> tensor<64xf32>
  return %w : tensor<64xf32>
}";

/// A process that reports this time for its runs, and this output.
fn steady(seconds: f64, output: &str) -> String {
    first_slow(seconds, seconds, output)
}

/// A process that reports this time for its first run, and this one for others.
fn first_slow(first: f64, seconds: f64, output: &str) -> String {
    format!(
        r#"echo '{{"event":"compiled"}}'
           while read line; do case "$line" in
             *first*) echo '{{"event":"ran","seconds":{first},"outputs":["{output}"]}}';;
             *) echo '{{"event":"measured","seconds":[{seconds}]}}';;
           esac; done"#
    )
}

/// Runs a session with these processes: that of the default schedules, then those of others in the order in which they
/// are started first; the last one is that of all others. `earlier`: the database.
fn session(scripts: &[String], budget: usize, database: Option<&Database>) -> (Result<Tuned>, usize) {
    let context = program::context();
    let module = program::parse(&context, PROGRAM.as_bytes()).unwrap();
    let computations = Computation::all(ir::op(module.as_operation()));
    let names = Computation::numbered(&computations);
    let system = System::builtin("cpu").unwrap();
    let tuning = TuningContext { machine: Machine::typical(), threads: Some(2) };
    let defaults: Vec<_> = computations.iter().map(|one| default_schedule(one, &system, &tuning)).collect();
    let unscripted = vec![None; computations.len()];
    let mut space = ProgramSpace::of(&computations, &names, &defaults, &unscripted, &system, &tuning);
    let folder = tempfile::tempdir().unwrap();
    let (started, known) = (RefCell::new(0), RefCell::new(vec![]));
    let command = |file: &Path, _: &Path| {
        *started.borrow_mut() += 1;
        let (text, mut known) = (fs::read_to_string(file).unwrap(), known.borrow_mut());
        let number = known.iter().position(|other| *other == text).unwrap_or_else(|| {
            known.push(text);
            known.len() - 1
        });
        ["sh", "-c", &scripts[number.min(scripts.len() - 1)]].map(OsString::from).to_vec()
    };
    let check = |outputs: &[PathBuf]| Ok(outputs[0].ends_with("wrong").then(|| "it differs".to_owned()));
    let key = Key {
        fingerprint: "f".to_owned(),
        extents: Extents(vec![vec![Some(64), Some(32)]]),
        strict: false,
        threads: 2,
        features: String::new(),
        engine: "cpu".to_owned(),
        device: String::new(),
    };
    let resolve = |name: &str| System::builtin(name);
    let own: Vec<_> = computations.iter().collect();
    let known = database.map(|database| database.rows(&key, COMPILER).unwrap()).unwrap_or_default();
    let known: Vec<_> = known
        .into_iter()
        .filter(|row| !row.measurement.is_default)
        .map(|row| {
            let schedules = tuned::from_text(&row.measurement.schedule, &own, &resolve).unwrap();
            (space.point(&schedules), schedules, row.measurement.outcome)
        })
        .collect();
    let setup = TuningSetup {
        command: &command,
        check: &check,
        file: &|schedules| tuned::to_text(schedules),
        budget: Budget::Evaluations(budget),
        ahead: 1,
        patience: Duration::from_secs(3),
        interrupted: &AtomicBool::new(false),
        progress: &|_| {},
    };
    let strategy = strategy::strategy("model", &space, 1).unwrap();
    let record = database.map(|database| Record { database, key: &key, function: "mv" });
    let mut session = TuningSession::new(setup, &space, ("model", strategy), record, folder.path());
    for (point, schedules, outcome) in known {
        session.known(point, &schedules, outcome);
    }
    let tuned = session.run();
    let started = *started.borrow();
    (tuned, started)
}

#[test]
fn only_right_schedules_win() {
    let fine = |seconds: f64| steady(seconds, "right");
    let scripts = [
        fine(0.01),
        "kill -SEGV $$".to_owned(),
        r#"echo '{"event":"failed","reason":"S2: no"}'"#.to_owned(),
        steady(0.001, "wrong"),
        r#"echo '{"event":"compiled"}'; sleep 60"#.to_owned(),
        fine(1.0),
        fine(0.005),
        fine(0.0075),
        fine(0.02),
    ];
    let (tuned, _) = session(&scripts, 9, None);
    let tuned = tuned.unwrap();
    let outcomes: Vec<_> = tuned
        .evaluations
        .iter()
        .map(|evaluation| match &evaluation.outcome {
            Outcome::Measured { ratio, .. } => format!("{:.2}", ratio.unwrap()),
            Outcome::Failed { cause, reason } => format!("{}: {reason}", cause.name()),
        })
        .collect();
    assert_eq!(outcomes[..4], ["1.00", "crashed: ended by signal 11", "refused: S2: no", "wrong: it differs"]);
    assert_eq!(outcomes[4], "timed out: it took more than 3.0 s");
    assert_eq!(outcomes[5], "hopeless: its first run took 1.000e0 s, the best one takes 1.000e-2 s");
    assert_eq!(outcomes[6..], ["0.50", "0.75", "2.00"]);
    assert_eq!((tuned.ratio, tuned.default), (0.5, 0.01));
    assert_eq!(tuned.best, tuned.evaluations[6].schedules);
}

#[test]
fn first_runs_that_touch_new_memory_are_not_hopeless() {
    let scripts = [
        first_slow(0.1, 0.01, "right"),
        first_slow(0.15, 0.005, "right"),
        first_slow(0.5, 0.005, "right"),
        steady(0.02, "right"),
    ];
    let (tuned, _) = session(&scripts, 4, None);
    let tuned = tuned.unwrap();
    assert_eq!(tuned.best, tuned.evaluations[1].schedules);
    assert!(matches!(tuned.evaluations[2].outcome, Outcome::Failed { cause: Cause::Hopeless, .. }));
}

/// Returns a process that reports the first time in its first session, and the second one in others. `folder`: an empty
/// folder.
fn lucky_once(folder: &Path, first: f64, then: f64) -> String {
    let mark = folder.join("mark").display().to_string();
    format!("if mkdir {mark}; then {}; else {}; fi", steady(first, "right"), steady(then, "right"))
}

#[test]
fn schedules_that_were_lucky_once_do_not_win() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = [
        steady(0.01, "right"),
        lucky_once(folder.path(), 0.005, 0.009),
        steady(0.0052, "right"),
        steady(0.02, "right"),
    ];
    let (tuned, _) = session(&scripts, 4, None);
    let tuned = tuned.unwrap();
    let ratio = |number: usize| match &tuned.evaluations[number].outcome {
        Outcome::Measured { ratio, .. } => format!("{:.2}", ratio.unwrap()),
        outcome => format!("{outcome:?}"),
    };
    // The third one was measured beside the same default as those that are 1.8 and 1.0 times as slow in new processes.
    assert_eq!([ratio(1), ratio(2), ratio(3)], ["0.90", "0.52", "2.80"]);
    assert_eq!(tuned.best, tuned.evaluations[2].schedules);
}

#[test]
fn a_default_that_is_slow_for_a_while_hides_no_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    // The two processes of the session are slow after the first candidate, those of the last comparisons are not.
    let default = format!(
        r#"if mkdir {}; then left={}; elif mkdir {}; then left=5; else left=1000; fi
           echo '{{"event":"compiled"}}'
           while read line; do case "$line" in
             *first*) echo '{{"event":"ran","seconds":0.01,"outputs":["right"]}}';;
             *) if [ $left -gt 0 ]; then seconds=0.01; else seconds=0.1; fi
                left=$((left - 1))
                echo "{{\"event\":\"measured\",\"seconds\":[$seconds]}}";;
           esac; done"#,
        path("default"),
        evaluate::WARM_UP + 1,
        path("best")
    );
    let fine = |seconds: f64| steady(seconds, "right");
    let (tuned, _) = session(&[default, fine(0.0101), fine(0.02), fine(0.05), fine(0.0102)], 5, None);
    let tuned = tuned.unwrap();
    let ratios: Vec<_> = tuned.evaluations.iter().filter_map(|evaluation| ratio(&evaluation.outcome)).collect();
    let ratios: Vec<_> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    assert_eq!(ratios, ["1.00", "1.01", "2.00", "5.00", "1.02"]);
    assert_eq!((tuned.ratio, tuned.default), (1.0, 0.01));
}

#[test]
fn lucky_measurements_do_not_win() {
    // Fast as long as it is compared with the best one, and slow beside the default one.
    let lucky = r#"turns=0
        echo '{"event":"compiled"}'
        while read line; do case "$line" in
          *first*) echo '{"event":"ran","seconds":0.005,"outputs":["right"]}';;
          *) turns=$((turns + 1))
             if [ $turns -le 11 ]; then seconds=0.005; else seconds=0.02; fi
             echo "{\"event\":\"measured\",\"seconds\":[$seconds]}";;
        esac; done"#;
    let (tuned, _) = session(&[steady(0.01, "right"), lucky.to_owned(), steady(0.03, "right")], 3, None);
    let tuned = tuned.unwrap();
    let ratios: Vec<_> = tuned.evaluations.iter().map(|evaluation| ratio(&evaluation.outcome)).collect();
    assert_eq!(ratios, [Some(1.0), Some(2.0), Some(3.0)]);
    assert_eq!((tuned.ratio, tuned.best), (1.0, tuned.evaluations[0].schedules.clone()));
}

#[test]
fn the_default_stays_unless_another_one_is_faster() {
    let (tuned, _) = session(&[steady(0.01, "right")], 4, None);
    let tuned = tuned.unwrap();
    assert_eq!((tuned.ratio, tuned.evaluations.len()), (1.0, 4));
    assert_eq!(tuned.best, tuned.evaluations[0].schedules);
}

#[test]
fn the_database_ranks_first_what_wins() {
    let best = |times: [f64; 2]| {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path().join("tuned.db")).unwrap();
        let scripts = [0.01, times[0], times[1], 0.02].map(|seconds| steady(seconds, "right"));
        let tuned = session(&scripts, 4, Some(&database)).0.unwrap();
        let key = database.keys("").unwrap().remove(0);
        let row = database.best(&key, COMPILER).unwrap().unwrap();
        assert_eq!(row.measurement.schedule, tuned::to_text(&tuned.best));
        tuned.evaluations.iter().position(|of| of.schedules == tuned.best)
    };
    // The first is not faster by enough to be tried again, the second one not by enough to replace the default.
    assert_eq!(best([0.00998, 0.00992]), Some(0));
    assert_eq!(best([0.00992, 0.00998]), Some(0));
    assert_eq!(best([0.00992, 0.005]), Some(2));
    assert_eq!(best([0.00502, 0.005]), Some(2));
}

#[test]
fn a_default_that_fails_is_an_error() {
    let error = |script: &str| session(&[script.to_owned()], 4, None).0.err().unwrap().to_string();
    let prefix = "the default schedule cannot be measured: ";
    assert_eq!(error("exit 1"), format!("{prefix}ended with exit code 1"));
    assert_eq!(error(&steady(0.01, "wrong")), format!("{prefix}it differs"));
}

#[test]
fn nothing_is_measured_twice() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path().join("tuned.db")).unwrap();
    let fine = [steady(0.01, "right")];
    let (first, started) = session(&fine, 4, Some(&database));
    assert_eq!((first.unwrap().known, started), (0, 5));
    let (second, _) = session(&fine, 4, Some(&database));
    let second = second.unwrap();
    assert_eq!(second.known, 3);
    let keys = database.keys("").unwrap();
    // Both sessions have measured the default, and three others each.
    assert_eq!(database.rows(&keys[0], COMPILER).unwrap().len(), 7);
}
