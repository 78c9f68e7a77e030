//! Tests of the JSON notation, of the rules, and of default and random schedules.
use super::{
    default::simple_from_data,
    random::{Random, random_schedule},
};
use crate::{
    analysis::index::Access,
    notation::{
        json::{self, File},
        unique,
    },
};
use mdh_dialects::{
    hom::{CombineOperator, Function, Kind},
    schedule::{
        model::{Placement, Schedule, System, Tag},
        rules::{Shape, check},
        systems::BUILTIN,
    },
};

fn add() -> Function {
    Function::Builtin(vec![Kind::Add])
}

fn matvec(i: Option<u64>, k: Option<u64>) -> Shape {
    let operators = vec![CombineOperator::Concatenation, CombineOperator::PointWise(add())];
    Shape::new([i, k], operators, vec![2, 1], vec![1])
}

fn matmul() -> Shape {
    use CombineOperator::Concatenation;
    let operators = vec![Concatenation, Concatenation, CombineOperator::PointWise(add())];
    Shape::new([Some(16), Some(1000), Some(2048)], operators, vec![2, 2], vec![2])
}

fn figure17() -> Schedule {
    let text = include_str!("../../examples/schedules/matvec_figure17.json");
    json::from_text(text, &matvec(Some(512), Some(4096)), &System::builtin).expect("the example is a schedule")
}

fn system(name: &str) -> System {
    System::builtin(name).expect("a built-in system")
}

/// Returns the only violation of a schedule for the 512x4096 matrix-vector product.
fn violation(schedule: &Schedule) -> String {
    let mut found = check(schedule, &matvec(Some(512), Some(4096))).expect_err("a rule is violated");
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn builtin_systems_exist() {
    for name in BUILTIN {
        let system = system(name);
        assert_eq!(system.combine.len(), system.cores.len(), "{name}");
        assert_eq!(system.limit.len(), system.cores.len(), "{name}");
        assert_eq!(system.check_roles(), Ok(()), "{name}");
    }
    assert_eq!(system("cuda").limit, [None, Some(1024)]);
    assert_eq!(System::builtin("gpu"), None);
}

#[test]
fn examples_are_legal_and_survive_json() {
    let schedule = figure17();
    assert_eq!(check(&schedule, &matvec(Some(512), Some(4096))), Ok(()));
    assert_eq!(json::to_text(&schedule), include_str!("../../examples/schedules/matvec_figure17.json"));
    let text = include_str!("../../examples/schedules/matmul_resnet50_tvm.json");
    let tvm = json::from_text(text, &matmul(), &System::builtin).expect("the example is a schedule");
    assert_eq!(check(&tvm, &matmul()), Ok(()));
    assert_eq!(json::from_text(&json::to_text(&tvm), &matmul(), &System::builtin), Ok(tvm));
}

#[test]
fn left_out_fields_have_defaults() {
    let text = r#"{"version": 2, "system": "artificial", "parts": [[2, 4], [8, 16], [32, "?"]],
        "decompose": {"tags": [["HM,1", "HM,2"], ["COR,1", "COR,2"], ["L1,1", "L1,2"]]}}"#;
    let schedule = json::from_text(text, &matvec(Some(512), Some(4096)), &System::builtin).expect("a schedule");
    assert_eq!(check(&schedule, &matvec(Some(512), Some(4096))), Ok(()));
    assert_eq!(schedule.parts[2][1], None);
    assert_eq!(schedule.scalar.order[2].1, Tag { layer: "COR".to_owned(), dimension: 0 });
    assert_eq!(schedule.recompose[5].placements, [Placement::new("HM", [0])]);
}

#[test]
fn own_systems_survive_json() {
    let mut schedule = figure17();
    schedule.system.name = "mine".to_owned();
    schedule.system.limit = vec![Some(64)];
    let text = json::to_text(&schedule);
    assert_eq!(json::from_text(&text, &matvec(Some(512), Some(4096)), &System::builtin), Ok(schedule));
}

#[test]
fn systems_of_version_1_get_their_roles() {
    let shape = matvec(Some(512), Some(4096));
    let good = include_str!("../../examples/schedules/matvec_figure17.json");
    let read = |version: u64, memory: &str, cores: &str| {
        let system = format!("{{\"name\": \"mine\", \"memory\": {memory}, \"cores\": {cores}}}");
        let text = good.replacen("\"version\": 2", &format!("\"version\": {version}"), 1);
        let value = unique::parse("the schedule", &text.replacen("\"artificial\"", &system, 1)).expect("JSON");
        let schedule = json::from_value(&value, &shape, &System::builtin)?;
        Ok::<_, String>((json::system::warning(&value, &schedule.system), schedule))
    };
    let (warning, old) = read(1, r#"["HM", "L1"]"#, r#"["COR"]"#).expect("a schedule");
    assert_eq!(
        warning.as_deref(),
        Some("the layers of @mine have no roles: they are memory [HM: global, L1: cache] cores [COR: threads]")
    );
    let (warning, new) = read(2, r#"["HM: global", "L1:cache"]"#, r#"["COR: threads"]"#).expect("a schedule");
    assert_eq!((warning, &new), (None, &old));
    let written = json::to_value(&old);
    assert_eq!(written["version"], 2);
    assert_eq!(written["system"]["memory"], serde_json::json!(["HM: global", "L1: cache"]));
    for (memory, cores, error) in [
        (
            r#"["HM", "L1"]"#,
            r#"["COR"]"#,
            "system: a role of each layer is required, such as \"DM: global\" and \"COR: threads\", but it is ",
        ),
        (r#"["HM: global", "L1"]"#, r#"["COR: threads"]"#, "system: a role of each layer is required"),
        (
            r#"["HM: main", "L1: cache"]"#,
            r#"["COR: threads"]"#,
            "system.memory[0]: a role is required after the name, one of node, global, shared, cache, registers, but it is \"HM: main\"",
        ),
        (
            r#"["HM: cache", "L1: cache"]"#,
            r#"["COR: threads"]"#,
            "system: C34: requires the role node or global of the outermost memory layer, but HM is cache",
        ),
    ] {
        let found = read(2, memory, cores).expect_err("an error");
        assert!(found.starts_with(error), "{found}");
    }
}

#[test]
fn files_hold_one_schedule_or_several() {
    let one = json::to_text(&figure17());
    assert!(matches!(json::parse_file(&one), Ok(File::One(_))));
    let several = json::several_to_text(&[("f".to_owned(), vec![None, Some(figure17())])]);
    let Ok(File::Several(functions)) = json::parse_file(&several) else { panic!("several schedules") };
    assert_eq!(functions[0].0, "f");
    assert_eq!(functions[0].1[0], None);
    assert!(functions[0].1[1].is_some());
}

#[test]
fn bad_json_says_where_and_what() {
    let shape = matvec(Some(512), Some(4096));
    let good = include_str!("../../examples/schedules/matvec_figure17.json");
    for (from, to, error) in [
        ("\"version\": 2", "\"version\": 3", "version: version 1 or 2 is required, but it is 3"),
        ("\"version\": 2,", "", "the schedule: the field version is required"),
        (
            "\"parts\"",
            "\"part\"",
            "the schedule: unknown field part, the known ones are version, system, parts, decompose, scalar, recompose, at, $schema",
        ),
        ("[8, 16]", "[8]", "parts[1]: an entry for a dimension is required, 2 altogether, but there are 1"),
        ("[8, 16]", "[8, -1]", "parts[1][1]: a number of parts or \"?\" is required, but it is -1"),
        (
            "\"HM,x\"",
            "\"HM\"",
            "decompose.tags[0][0]: a layer of the system and a dimension are required, such as \"COR,x\", but it is \"HM\"",
        ),
        (
            "[[1, 2], [3",
            "[[1, 1], [3",
            "decompose.order[0][1]: a position that occurs only once is required, but it is 1",
        ),
        ("[[1, 2], [3", "[[1, 9], [3", "decompose.order[0][1]: a position from 1 to 6 is required, but it is 9"),
        (
            "[\"L1[1]\"]",
            "[\"L1\"]",
            "scalar.writes[0]: a memory region and a layout are required, such as \"HM[1, 2]\", but it is \"L1\"",
        ),
        (
            "[\"L1[1]\"]",
            "[\"L1[1] pad 65\"]",
            "scalar.writes[0]: a pad of 1 to 64 elements is required, but it is \"L1[1] pad 65\"",
        ),
        (
            "[\"L1[1]\"]",
            "[\"L1[1] pad 1 buffers 3\"]",
            "scalar.writes[0]: 1 or 2 buffers are required, but it is \"L1[1] pad 1 buffers 3\"",
        ),
        (
            "[\"L1[1]\"]",
            "[\"L1[1] pad 0\"]",
            "scalar.writes[0]: a memory region and a layout are required, such as \"HM[1, 2]\", but it is \"L1[1] pad 0\"",
        ),
        ("[\"L1[1]\"]", "[]", "scalar.writes: an entry for a buffer is required, 1 altogether, but there are 0"),
        (
            "\"artificial\"",
            "\"apu\"",
            "system: the name of a system is required, one of the module or artificial, openmp, openmp_l3_simd, cuda, cuda_wrp, opencl, multi_gpu, multi_node_multi_gpu, cpu, but it is \"apu\"",
        ),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        assert_eq!(json::from_text(&text, &shape, &System::builtin), Err(error.to_owned()));
    }
    assert!(json::from_text(&good[..100], &shape, &System::builtin).is_err_and(|e| e.contains("no JSON: EOF")));
}

#[test]
fn s1_levels_are_covered() {
    let mut schedule = figure17();
    schedule.decompose.pop();
    assert_eq!(violation(&schedule), "S1: the de-composition phase lacks the level (3, 2)");
    let mut schedule = figure17();
    schedule.parts.pop();
    assert_eq!(violation(&schedule), "S1: the system @artificial has 3 layers, but the part counts have 2 rows");
}

#[test]
fn s2_parts_cover_the_extent() {
    for (parts, error) in [
        (1, "S2: the part counts of dimension 1 multiply to 256, but its extent is 512"),
        (3, "S2: level (1, 1) has 3 parts of 256 points, but 2 cover the extent 512 of dimension 1"),
        (0, "S2: level (1, 1) has 0 parts, but at least 1 is required"),
        (u64::MAX, "S2: the part counts of dimension 1 multiply to more than 2^62"),
    ] {
        let mut schedule = figure17();
        schedule.parts[0][0] = Some(parts);
        assert_eq!(violation(&schedule), error);
    }
    let mut partial = figure17();
    partial.parts[2][0] = Some(33);
    assert_eq!(check(&partial, &matvec(Some(512), Some(4096))), Ok(()));
}

#[test]
fn s3_tags_are_a_bijection() {
    let mut schedule = figure17();
    schedule.decompose[0].tag.layer = "L2".to_owned();
    assert_eq!(
        violation(&schedule),
        "S3: level (1, 1) of the de-composition phase is tagged with the layer L2, but the system @artificial has the layers HM, L1, COR"
    );
    let mut schedule = figure17();
    schedule.scalar.order[1].1 = schedule.scalar.order[0].1.clone();
    assert_eq!(violation(&schedule), "S3: levels (1, 1) and (1, 2) of the scalar phase have the same tag (HM, 1)");
}

#[test]
fn s4_to_s6_placements_fit() {
    let mut schedule = figure17();
    schedule.decompose[4].placements[1].region = "COR".to_owned();
    assert_eq!(
        violation(&schedule),
        "S4: de-composition step (3, 1) places input buffer 2 in COR, but the memory layers of the system @artificial are HM, L1"
    );
    let mut schedule = figure17();
    schedule.scalar.reads[0].layout = vec![1, 1];
    assert_eq!(
        violation(&schedule),
        "S5: the scalar phase gives input buffer 1 the layout [2, 2], but a permutation of 1 to 2 is required"
    );
    let mut schedule = figure17();
    schedule.recompose[5].placements.clear();
    assert_eq!(violation(&schedule), "S6: re-composition step (3, 2) places 0 output buffers, but there are 1");
}

#[test]
fn s12_parts_of_inputs_are_stored_as_a_device_can() {
    let figure = figure17();
    let (device, shape) = (random_schedule(&matmul(), &system("cuda"), &mut Random::new(1)), matmul());
    let part = |region: &str, pad, buffers| Placement { pad, buffers, ..Placement::new(region, [0, 1]) };
    let read = |schedule: &Schedule, placement: Placement| {
        let mut schedule = schedule.clone();
        schedule.scalar.reads[0] = placement;
        schedule
    };
    for placement in [part("SM", 1, 1), part("SM", 64, 2), part("RM", 3, 1)] {
        let schedule = read(&device, placement);
        assert_eq!(check(&schedule, &shape), Ok(()));
        assert_eq!(json::from_text(&json::to_text(&schedule), &shape, &System::builtin), Ok(schedule));
    }
    let mut written = device.clone();
    written.scalar.writes[0].pad = 1;
    for (schedule, shape, error) in [
        (
            read(&figure, part("L1", 1, 2)),
            matvec(Some(512), Some(4096)),
            "input buffer 1 the placement L1[1, 2] pad 1 buffers 2, but pad and buffers require memory with the roles global, shared and registers, and cores with the roles blocks, warps if any, and threads, and @artificial has memory [HM: global, L1: cache] cores [COR: threads]",
        ),
        (
            read(&device, part("DM", 1, 1)),
            shape.clone(),
            "input buffer 1 the placement DM[1, 2] pad 1, but pad and buffers require SM or RM",
        ),
        (
            read(&device, part("RM", 0, 2)),
            shape.clone(),
            "input buffer 1 the placement RM[1, 2] buffers 2, but buffers 2 requires SM",
        ),
        (
            read(&device, part("SM", 65, 1)),
            shape.clone(),
            "input buffer 1 the placement SM[1, 2] pad 65, but pad requires at most 64 elements",
        ),
        (
            read(&device, part("SM", 0, 3)),
            shape.clone(),
            "input buffer 1 the placement SM[1, 2] buffers 3, but buffers requires 1 or 2",
        ),
    ] {
        let found = check(&schedule, &shape).expect_err("a rule is violated");
        assert_eq!(found, [format!("S12: the scalar phase gives {error}")]);
    }
    let found = check(&written, &shape).expect_err("a rule is violated");
    assert!(found[0].starts_with("S12: the scalar phase gives output buffer 1"), "{found:?}");
    assert!(found[0].ends_with("pad 1, but pad and buffers are for parts of inputs"), "{found:?}");
}

#[test]
fn s7_prefix_sums_stay_in_order() {
    let mut shape = matvec(Some(512), Some(4096));
    shape.operators[0] = CombineOperator::PrefixSum(add());
    let mut schedule = figure17();
    schedule.recompose.swap(0, 2);
    assert_eq!(
        check(&schedule, &shape),
        Err(vec!["S7: the re-composition phase has level (2, 1) outside level (1, 1), but the layers of the prefix-sum dimension 1 must stay in order".to_owned()])
    );
}

#[test]
fn s8_cores_combine_where_all_reach() {
    let mut schedule = figure17();
    schedule.recompose[3].placements[0].region = "L1".to_owned();
    assert_eq!(
        violation(&schedule),
        "S8: re-composition step (2, 2) combines parts of the core layer COR of output buffer 1 in L1, but the system @artificial allows HM"
    );
}

#[test]
fn s9_core_limits_hold() {
    let mut schedule = figure17();
    schedule.system.limit = vec![Some(100)];
    let found = check(&schedule, &matvec(Some(512), Some(4096))).expect_err("a limit");
    assert_eq!(found.len(), 3);
    assert_eq!(
        found[0],
        "S9: the de-composition phase has 128 parts on the core layer COR, but the system @artificial allows 100"
    );
}

#[test]
fn s10_dynamic_extents_have_dynamic_counts() {
    let shape = matvec(None, Some(4096));
    let error = "S10: dimension 1 has a dynamic extent, so one of its part counts must be ?, but all are numbers";
    assert_eq!(check(&figure17(), &shape), Err(vec![error.to_owned()]));
    let mut schedule = figure17();
    schedule.parts[1][0] = None;
    assert_eq!(check(&schedule, &shape), Ok(()));
    assert_eq!(check(&schedule, &matvec(Some(7), Some(4096))), Ok(()));
    schedule.parts[0][0] = None;
    assert!(check(&schedule, &shape).is_err());
}

/// Returns a random shape of up to five dimensions with every kind of operator.
fn random_shape(random: &mut Random) -> Shape {
    let rank = 1 + random.below(5);
    let extents: Vec<_> =
        (0..rank).map(|_| if random.once_in(6) { None } else { Some(random.below(40) as u64) }).collect();
    let operator = |random: &mut Random| match random.below(4) {
        0 => CombineOperator::PointWise(add()),
        1 => CombineOperator::PrefixSum(Function::Symbol("user".to_owned())),
        _ => CombineOperator::Concatenation,
    };
    let operators = (0..rank).map(|_| operator(random)).collect();
    let ranks = |random: &mut Random, least: usize| (0..least + random.below(3)).map(|_| random.below(4)).collect();
    Shape::new(extents, operators, ranks(random, 0), ranks(random, 1))
}

#[test]
fn random_schedules_are_legal_and_survive_json() {
    let mut random = Random::new(1);
    let mut stored = false;
    for _ in 0..100 {
        let shape = random_shape(&mut random);
        for name in BUILTIN {
            let schedule = random_schedule(&shape, &system(name), &mut random);
            assert_eq!(check(&schedule, &shape), Ok(()), "{shape:?} {schedule:?}");
            let placements = schedule.decompose.iter().flat_map(|step| &step.placements);
            stored |= placements.filter(|placement| placement.pad > 0 && placement.buffers > 1).count() > 0;
            assert_eq!(json::from_text(&json::to_text(&schedule), &shape, &System::builtin), Ok(schedule));
        }
    }
    assert!(stored, "some schedule has a pad and two buffers");
}

#[test]
fn default_schedules_are_legal() {
    let mut random = Random::new(2);
    for case in 0..100 {
        let mut shape = random_shape(&mut random);
        if case % 2 == 0 {
            let extents: Vec<_> = shape.extents().map(|extent| extent.map(|extent| extent * extent * 10)).collect();
            shape = Shape::new(extents, shape.operators, shape.inputs, shape.outputs);
        }
        let accesses: Vec<_> =
            shape.inputs.iter().map(|_| (false, &shape.inputs)).chain([(true, &shape.outputs)]).collect();
        let accesses: Vec<_> = accesses
            .into_iter()
            .map(|(output, ranks)| {
                let rows = ranks.first().map_or(0, |&rank| rank);
                let row = |_| ((0..shape.rank()).map(|_| random.below(3) as i64 - 1).collect(), 0);
                (Access::new((0..rows).map(row)), vec![Some(50); rows], output)
            })
            .collect();
        for name in BUILTIN {
            let schedule =
                simple_from_data(&shape, &accesses, (case % 3 == 0, case % 5 == 0), &system(name), Some(1 + case));
            assert_eq!(check(&schedule, &shape), Ok(()), "{shape:?} {schedule:?}");
        }
    }
}

/// Returns the loops of more than one part in execution order: layer, dimension and number of parts.
fn loops(schedule: &Schedule) -> Vec<(usize, usize, Option<u64>)> {
    let parts = |layer: usize, d: usize| schedule.parts[layer][d];
    let levels = schedule.scalar.order.iter().map(|(level, _)| (level.layer, level.dimension));
    levels.map(|(layer, d)| (layer, d, parts(layer, d))).filter(|loop_| loop_.2 != Some(1)).collect()
}

#[test]
fn the_default_of_matmul_walks_along_rows() {
    let view = |rows: [[i64; 3]; 2], shape: [u64; 2], output| {
        (Access::new(rows.map(|row| (row.to_vec(), 0))), shape.map(Some).to_vec(), output)
    };
    let accesses = [
        view([[1, 0, 0], [0, 0, 1]], [16, 2048], false),
        view([[0, 0, 1], [0, 1, 0]], [2048, 1000], false),
        view([[1, 0, 0], [0, 1, 0]], [16, 1000], true),
    ];
    let schedule = simple_from_data(&matmul(), &accesses, (false, false), &system("cpu"), None);
    assert_eq!(loops(&schedule), [(0, 0, Some(16)), (1, 2, Some(2048)), (1, 1, Some(1000))]);
}

#[test]
fn a_default_that_keeps_the_order_combines_as_defined() {
    // Sum over i, j of x[j, i]: in the order of rows, i would be the innermost loop, and one of the two would be on
    // threads.
    let operators = vec![CombineOperator::PointWise(add()), CombineOperator::PointWise(add())];
    let shape = Shape::new([Some(4096), Some(2048)], operators, vec![2], vec![0]);
    let access = |rows: Vec<Vec<i64>>| Access::new(rows.into_iter().map(|row| (row, 0)));
    let accesses =
        [(access(vec![vec![0, 1], vec![1, 0]]), vec![Some(2048), Some(4096)], false), (access(vec![]), vec![], true)];
    let chosen =
        |keeps_order, threads| simple_from_data(&shape, &accesses, (false, keeps_order), &system("openmp"), threads);
    let order = |schedule: &Schedule| loops(schedule).iter().map(|(_, d, _)| *d).collect::<Vec<_>>();
    assert_ne!(order(&chosen(false, None)), [0, 1]);
    for threads in [None, Some(1), Some(500)] {
        assert_eq!(loops(&chosen(true, threads)), [(1, 0, Some(4096)), (1, 1, Some(2048))]);
    }
}
