//! Tests of scripts: the loops and the schedules after commands, on computations with two dimensions.
use super::{Script, find};
use crate::{
    analysis::computation::Computation,
    decompose::tests::context,
    machine::Machine,
    schedule::{default::default_schedule, random::Random, space::ComputationSpace, tuning::TuningContext},
};
use mdh_dialects::{
    ir,
    schedule::{
        model::{Schedule, System},
        rules,
    },
};
use melior::ir::Module;

/// A program with a product of a matrix and a vector, and a script for it.
fn program(size: &str, system: &str, commands: &str) -> String {
    format!(
        "mdh.lowlevel.schedule @f on @{system} {{
        ^bb0(%i: !mdh.loop, %k: !mdh.loop):
          {commands}
        }}
        func.func @f(%M: tensor<{size}x48xf32>, %v: tensor<48xf32>) -> tensor<{size}xf32> {{
          %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
              : (tensor<{size}x48xf32>, tensor<48xf32>) -> !mdh.mda<{size}x48, f32, f32>
          %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {{
          ^bb0(%a: f32, %b: f32):
            %p = arith.mulf %a, %b : f32
            mdh.hom.yield %p : f32
          }} : !mdh.mda<{size}x48, f32, f32> -> !mdh.mda<{size}x1, f32>
          %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<{size}x1, f32> -> tensor<{size}xf32>
          return %w : tensor<{size}xf32>
        }}"
    )
}

/// The loops after the last command of a script, and its schedule, for the described machine with 4 threads.
fn run(size: &str, system: &str, commands: &str) -> (String, Schedule) {
    let context = context();
    let module = Module::parse(&context, &program(size, system, commands)).expect("the program parses");
    let root = ir::op(module.as_operation());
    let computation = Computation::all(root).remove(0);
    let found = find::scripts(root, std::slice::from_ref(&computation)).expect("the script is valid");
    let system = System::builtin(system).expect("a system");
    let shape = computation.shape();
    let script = Script { op: found[0].expect("a script"), system: &system, shape: &shape };
    let machine = Machine::host().with_text(include_str!("../../../examples/machines/avx512.json")).expect("a machine");
    let tuning = TuningContext { machine, threads: Some(4) };
    let run = script.complete(&computation, &tuning).expect("the commands are valid");
    let schedule = run.schedule(&script);
    assert_eq!(rules::check(&schedule, &shape), Ok(()));
    (run.loops().to_owned(), schedule)
}

fn loops(commands: &str) -> String {
    run("64", "openmp", &format!("mdh.lowlevel.sequentialize %k on L1 {commands}")).0.replace("L1 y 48", "y")
}

#[test]
fn tiles_cover_the_extent() {
    assert_eq!(loops("%a, %b = mdh.lowlevel.tile %i by [8]"), "x 8 · x 8 · y");
    assert_eq!(loops("%a, %b = mdh.lowlevel.tile %i by [10]"), "x 7 · x 10 · y");
    assert_eq!(loops("%a, %b = mdh.lowlevel.tile %i into [10]"), "x 10 · x 7 · y");
    assert_eq!(loops("%a, %b, %c = mdh.lowlevel.tile %i by [4, 2]"), "x 8 · x 4 · x 2 · y");
    assert_eq!(loops("%a, %b, %c = mdh.lowlevel.tile %i into [4, 2]"), "x 4 · x 2 · x 8 · y");
}

#[test]
fn tiles_of_tiles_are_nested() {
    let inner = |of: &str| loops(&format!("%a, %b = mdh.lowlevel.tile %i by [20] %c, %d = mdh.lowlevel.tile {of}"));
    assert_eq!(inner("%b by [5]"), "x 4 · x 4 · x 5 · y");
    // Five tiles of 4 x 5 points cover more than 64 points, so there are fewer tiles around them.
    assert_eq!(inner("%b by [6]"), "x 3 · x 4 · x 6 · y");
    assert_eq!(inner("%a into [2]"), "x 2 · x 2 · x 20 · y");
}

#[test]
fn loops_take_the_places_of_each_other() {
    let tiles = "%a, %b, %c = mdh.lowlevel.tile %i by [4, 2]";
    let order = |loops: &str| self::loops(&format!("{tiles} mdh.lowlevel.interchange {loops}"));
    assert_eq!(order("%k, %a"), "y · x 4 · x 2 · x 8");
    assert_eq!(order("%c, %a"), "x 2 · x 4 · x 8 · y");
    assert_eq!(order("%b, %c, %k, %a"), "x 4 · x 2 · y · x 8");
}

#[test]
fn phases_may_differ() {
    let text = loops("mdh.lowlevel.interchange %k, %i phase recompose");
    assert_eq!(text, "decompose x 64 · y; scalar x 64 · y; recompose y · x 64");
    let (_, schedule) = run(
        "64",
        "openmp",
        "%a, %b = mdh.lowlevel.tile %i by [8] mdh.lowlevel.parallelize %a mdh.lowlevel.sequentialize %b on L2
         mdh.lowlevel.sequentialize %b on L1 phase scalar mdh.lowlevel.sequentialize %k on L1",
    );
    let layer = |tags: Vec<&str>| tags.join(" ");
    let used = |steps: &[mdh_dialects::schedule::model::Step]| {
        let steps = steps.iter().filter(|step| schedule.is_loop(step.level) && step.level.dimension == 0);
        layer(steps.map(|step| step.tag.layer.as_str()).collect())
    };
    assert_eq!(used(&schedule.decompose), "COR L2");
    assert_eq!(used(&schedule.recompose), "COR L2");
    let scalar = schedule.scalar_loops().into_iter().filter(|(level, _)| level.dimension == 0);
    assert_eq!(layer(scalar.map(|(_, tag)| tag.layer.as_str()).collect()), "COR L1");
}

#[test]
fn placements_begin_at_loops() {
    let commands = "mdh.lowlevel.cache input 2 in L2 at %i
        %a, %b = mdh.lowlevel.tile %i by [8]
        mdh.lowlevel.cache input 2 in L1 at %k
        mdh.lowlevel.layout output 1 [1] at %b
        mdh.lowlevel.combine_in output 1 L1";
    let (text, schedule) = run("64", "openmp", commands);
    let places =
        "[input 2 in L2[1]] · x 8 · [output 1 in MM[1]] · x 8 · [input 2 in L1[1]] · y 48 · [output 1 in L1[1]]";
    assert_eq!(text, places);
    let loops = schedule.decompose.iter().filter(|step| schedule.is_loop(step.level));
    let read: Vec<_> = loops.map(|step| step.placements[1].to_string()).collect();
    assert_eq!(read, ["L2[1]", "L2[1]", "L1[1]"]);
    assert_eq!(schedule.scalar.reads[1].to_string(), "L1[1]");
    assert_eq!(schedule.scalar.writes[0].to_string(), "L1[1]");
    assert!(schedule.recompose.iter().all(|step| step.placements[0].to_string() == "MM[1]"));
}

#[test]
fn axes_follow_the_innermost_threads() {
    let axes = |along: &str| -> Vec<usize> {
        let commands = format!(
            "%a, %b = mdh.lowlevel.tile %i by [8] %c, %d = mdh.lowlevel.tile %k by [16]
             mdh.lowlevel.parallelize %a on SMX {along} mdh.lowlevel.parallelize %b on CC mdh.lowlevel.parallelize %d on CC"
        );
        let (_, schedule) = run("64", "cuda", &commands);
        let level = |layer: &str, d: usize| {
            let is_level =
                |step: &&mdh_dialects::schedule::model::Step| step.level.dimension == d && step.tag.layer == layer;
            schedule.decompose.iter().find(is_level).map_or(9, |step| step.tag.dimension)
        };
        vec![level("SMX", 0), level("SMX", 1), level("CC", 0), level("CC", 1)]
    };
    assert_eq!(axes(""), [1, 0, 1, 0]);
    assert_eq!(axes("along x"), [0, 1, 1, 0]);
}

#[test]
fn dynamic_extents_have_dynamic_loops() {
    let (text, schedule) = run("?", "openmp", "%a, %b = mdh.lowlevel.tile %i by [8] mdh.lowlevel.parallelize %a");
    assert_eq!(text, "threads x ? · x 8 · y 48");
    assert_eq!(schedule.parts.iter().map(|row| row[0]).collect::<Vec<_>>(), [None, Some(1), Some(1), Some(8)]);
    let (text, _) = run("?", "openmp", "%a, %b = mdh.lowlevel.tile %i into [8] mdh.lowlevel.parallelize %a");
    assert_eq!(text, "threads x 8 · x ? · y 48");
}

#[test]
fn open_counts_are_chosen_alike() {
    let commands = "%a, %b = mdh.lowlevel.tile %i by [?] mdh.lowlevel.unroll %b
        %c, %d = mdh.lowlevel.tile %k by [?] mdh.lowlevel.vectorize %d";
    let (text, schedule) = run("64", "cpu", commands);
    assert!(!text.contains('?'), "{text}");
    assert_eq!((text, schedule), run("64", "cpu", commands));
    // The cost model prefers vectors to single elements.
    let commands = "mdh.lowlevel.parallelize %i %c, %d = mdh.lowlevel.tile %k by [?] mdh.lowlevel.vectorize %d";
    let (text, _) = run("64", "cpu", commands);
    assert!(text.contains("vector y ") && !text.ends_with("vector y 1"), "{text}");
}

#[test]
fn open_dimensions_have_the_loops_of_a_plan() {
    let (text, _) = run("64", "cpu", "%a, %b = mdh.lowlevel.tile %i by [4] mdh.lowlevel.unroll %b");
    assert!(text.contains("registers x 4") && text.contains("vector y 16"), "{text}");
}

/// Calls a check with the space of what a script leaves open, and the computation, for the described machine with 4
/// threads.
fn with_space(commands: &str, check: impl FnOnce(&ComputationSpace, &Schedule)) {
    let context = context();
    let module = Module::parse(&context, &program("64", "cpu", commands)).expect("the program parses");
    let root = ir::op(module.as_operation());
    let computation = Computation::all(root).remove(0);
    let steps = find::steps(root, std::slice::from_ref(&computation), "f").expect("the script is valid").remove(0);
    let system = System::builtin("cpu").expect("a system");
    let machine = Machine::host().with_text(include_str!("../../../examples/machines/avx512.json")).expect("a machine");
    let tuning = TuningContext { machine, threads: Some(4) };
    let space = ComputationSpace::of_script(&steps.expect("a script"), &computation, &system, &tuning);
    let default = default_schedule(&computation, &system, &tuning);
    check(&space.expect("the commands are valid"), &default);
}

#[test]
fn a_tuner_keeps_what_a_script_decides() {
    let counts = "%a, %b = mdh.lowlevel.tile %i by [?] mdh.lowlevel.unroll %b
        %c, %d = mdh.lowlevel.tile %k by [4] mdh.lowlevel.vectorize %d";
    let open = "%a, %b = mdh.lowlevel.tile %i by [4] mdh.lowlevel.unroll %b";
    for (commands, layer, d, parts) in [(counts, "SIMD", 1, 4), (open, "REG", 0, 4)] {
        with_space(commands, |space, default| {
            let mut random = Random::new(3);
            let mut found = vec![];
            for _ in 0..60 {
                let choices = space.random(&mut random).expect("choices");
                let schedule = space.schedule(&choices).expect("a schedule");
                assert!(space.admits(&schedule), "{commands}");
                assert_eq!(space.schedule(&space.choices(&schedule).expect("choices")).as_ref(), Some(&schedule));
                let loops = schedule.scalar_loops().into_iter();
                let fixed = loops.filter(|(level, tag)| level.dimension == d && tag.layer == layer);
                let fixed: Vec<_> = fixed.map(|(level, _)| schedule.parts[level.layer][d]).collect();
                assert_eq!(fixed, [Some(parts)], "{commands}");
                if !found.contains(&schedule) {
                    found.push(schedule);
                }
            }
            assert!(found.len() > 5, "{commands}: {}", found.len());
            assert!(!space.admits(default), "{commands}");
        });
    }
}

#[test]
fn a_script_that_leaves_nothing_open_has_one_point() {
    with_space("mdh.lowlevel.parallelize %i mdh.lowlevel.sequentialize %k on L1", |space, default| {
        assert_eq!(space.starts().len(), 1);
        assert!(space.neighbors(&space.starts()[0]).is_empty());
        assert!(!space.admits(default));
    });
}
