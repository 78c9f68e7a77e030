//! The output of `mdh explain`: a schedule as the paper's table, the memory that the generated code allocates, and the
//! prediction of the cost model.
use super::{
    cost::{self, Launch, Prediction},
    gpu,
    plan::Plan,
    problem::{Cost, Problem},
};
use crate::{
    analysis::computation::Computation,
    lower::workload::workload,
    nest::{
        self,
        memory::{self, BlockUsage},
        planning,
        tree::Nest,
    },
    notation::json::axis,
    plan::runner::Runner,
    plan::{LoopPlan, outline::Outline},
    schedule::tuning::TuningContext,
};
use mdh_dialects::hom::{CombineOperator, Function};
use mdh_dialects::schedule::{
    model::{Level, Placement, Schedule, Step, System, Tag},
    roles::Memory,
    rules::{count_text, name},
};
use std::fmt::Write;

/// A table of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The column titles.
    pub header: Vec<String>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// The columns, as the paper's Figures 20 to 23 arrange the parameters, and what they contain.
pub const COLUMNS: [(&str, &str); 16] = [
    ("level", "the level: layer and dimension"),
    ("0", "the number of parts"),
    ("D1", "the position in the loop order of the de-composition"),
    ("S1", "the position in the loop order of the scalar phase"),
    ("R1", "the position in the loop order of the re-composition"),
    ("D2", "the level of the system that executes it, in the de-composition"),
    ("S2", "the level of the system that executes it, in the scalar phase"),
    ("R2", "the level of the system that executes it, in the re-composition"),
    ("D3", "the region that each input is read from"),
    ("S3", "the region that the scalar function reads each input from"),
    ("S5", "the region that the scalar function writes each output to"),
    ("R3", "the region that combined parts of each output are written to"),
    ("D4", "the layout of each input"),
    ("S4", "the layout of each input of the scalar function"),
    ("S6", "the layout of each output of the scalar function"),
    ("R4", "the layout of the combined parts of each output"),
];

/// A schedule as the paper's table: one row per level, one column per parameter. Orders count from the outermost level;
/// regions and layouts are in the order of the buffers. The scalar phase has one placement for all levels, which is in
/// the first row. `names`: those of the dimensions, if the program names them.
pub fn table(schedule: &Schedule, names: &[&str]) -> Table {
    rows(schedule, names, &levels(schedule))
}

/// The table without the levels that have no effect, and these levels. The first level stays if all have none.
pub fn folded(schedule: &Schedule, names: &[&str]) -> (Table, Vec<Level>) {
    let all = levels(schedule);
    let (idle, mut shown): (Vec<_>, Vec<_>) = all.iter().copied().partition(|level| is_idle(schedule, *level));
    let folded = if shown.is_empty() { idle.get(1..).unwrap_or_default().to_vec() } else { idle };
    if shown.is_empty() {
        shown.extend(all.first());
    }
    (rows(schedule, names, &shown), folded)
}

/// True if a level has one part, and buffers are where they are outside of it.
fn is_idle(schedule: &Schedule, level: Level) -> bool {
    let outside = |placement: &Placement| {
        let is_plain = !placement.has_suffix() && placement.layout.iter().copied().eq(0..placement.layout.len());
        is_plain && schedule.system.memory.first() == Some(&placement.region)
    };
    let keeps = |steps: &[Step]| match steps.iter().position(|step| step.level == level) {
        None => true,
        Some(0) => steps[0].placements.iter().all(outside),
        Some(position) => steps[position].placements == steps[position - 1].placements,
    };
    !schedule.is_loop(level) && keeps(&schedule.decompose) && keeps(&schedule.recompose)
}

/// All levels, by layer and then by dimension.
fn levels(schedule: &Schedule) -> Vec<Level> {
    let rank = schedule.parts.first().map_or(0, Vec::len);
    let layers = 0..schedule.parts.len();
    layers.flat_map(|layer| (0..rank).map(move |dimension| Level { layer, dimension })).collect()
}

fn rows(schedule: &Schedule, names: &[&str], levels: &[Level]) -> Table {
    let mut rows = vec![];
    for level in levels.iter().copied() {
        let first = rows.is_empty();
        let step = |steps: &[Step]| steps.iter().position(|step| step.level == level);
        let order = |position: Option<usize>| position.map_or(String::new(), |position| (position + 1).to_string());
        let scalar = schedule.scalar.order.iter().position(|(known, _)| *known == level);
        let (down, up) = (step(&schedule.decompose), step(&schedule.recompose));
        let placed = |steps: &[Step], position: Option<usize>, show: fn(&[Placement]) -> String| {
            position.map_or(String::new(), |position| show(&steps[position].placements))
        };
        let scalar_placed = |placements: &[Placement], show: fn(&[Placement]) -> String| {
            if first { show(placements) } else { String::new() }
        };
        rows.push(vec![
            names.get(level.dimension).map_or_else(|| name(level), |own| format!("{} {own}", name(level))),
            count_text(schedule.parts[level.layer][level.dimension]),
            order(down),
            order(scalar),
            order(up),
            down.map_or(String::new(), |p| tag(&schedule.decompose[p].tag)),
            scalar.map_or(String::new(), |p| tag(&schedule.scalar.order[p].1)),
            up.map_or(String::new(), |p| tag(&schedule.recompose[p].tag)),
            placed(&schedule.decompose, down, regions),
            scalar_placed(&schedule.scalar.reads, regions),
            scalar_placed(&schedule.scalar.writes, regions),
            placed(&schedule.recompose, up, regions),
            placed(&schedule.decompose, down, layouts),
            scalar_placed(&schedule.scalar.reads, layouts),
            scalar_placed(&schedule.scalar.writes, layouts),
            placed(&schedule.recompose, up, layouts),
        ]);
    }
    Table { header: COLUMNS.map(|(column, _)| column.to_owned()).to_vec(), rows }
}

/// A combine operator as a program writes it, such as `cc` or `pw<add>`.
pub fn operator(operator: &CombineOperator) -> String {
    let function = match operator.function() {
        None => return "cc".to_owned(),
        Some(Function::Symbol(symbol)) => format!("@{symbol}"),
        Some(Function::Builtin(kinds)) => {
            let names: Vec<_> = kinds.iter().map(|kind| kind.builtin().name).collect();
            let is_one = names.iter().all(|name| *name == names[0]);
            if is_one { names[0].to_owned() } else { format!("[{}]", names.join(", ")) }
        }
    };
    format!("{}<{function}>", if operator.reduces() { "pw" } else { "ps" })
}

/// The nest of a computation by a schedule, from which the memory and the outline of the generated code follow.
pub fn nest(computation: &Computation<'_>, schedule: &Schedule) -> Nest {
    nest::of(&workload(computation), schedule)
}

/// The plan of the loops of a computation by a schedule, from which its nest follows.
pub fn plan(computation: &Computation<'_>, schedule: &Schedule) -> LoopPlan {
    planning::usual_plan(&workload(computation), schedule)
}

/// The layers of a system with their roles, outermost first, as one line.
pub fn layers(system: &System) -> String {
    let list = |layers: &[String], roles: &mut dyn Iterator<Item = &'static str>| {
        let layers: Vec<_> = layers.iter().zip(roles).map(|(layer, role)| format!("{layer} ({role})")).collect();
        layers.join(", ")
    };
    format!(
        "memory {}; cores {}",
        list(&system.memory, &mut system.memory_roles.iter().map(|role| role.name())),
        list(&system.cores, &mut system.core_roles.iter().map(|role| role.name()))
    )
}

/// The buffers that the generated code allocates in addition to the user's, as a table.
pub fn memory_table(nest: &Nest) -> Table {
    let rows = memory::allocations(nest).into_iter().map(|allocation| {
        vec![
            allocation.what,
            allocation.place,
            allocation.placement.to_string(),
            match allocation.bytes {
                None => "?".to_owned(),
                Some(bytes) if bytes > memory::LARGEST => "2^63 or more".to_owned(),
                Some(bytes) => bytes.to_string(),
            },
            allocation.owner.name().to_owned(),
        ]
    });
    let header = ["buffer", "step", "placement", "bytes", "one for each"];
    Table { header: header.map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// The resources of a block of the kernels of a nest, as one line; `None` if no kernels are generated for the system.
pub fn block(nest: &Nest, system: &System) -> Option<String> {
    let BlockUsage { threads, shared, private } = system.is_device().then(|| memory::block_usage(nest))?;
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let region = |memory: Memory| system.memory.iter().find(|layer| system.device_memory(layer) == memory);
    let name = |memory: Memory| region(memory).map_or("", String::as_str);
    Some(format!(
        "a block has {} threads and {} bytes in {}, a thread {} bytes in {}",
        number(threads),
        number(shared),
        name(Memory::Shared),
        number(private),
        name(Memory::Private)
    ))
}

fn tag(tag: &Tag) -> String {
    format!("{},{}", tag.layer, axis(tag.dimension))
}

fn regions(placements: &[Placement]) -> String {
    placements.iter().map(|placement| placement.region.as_str()).collect::<Vec<_>>().join(" ")
}

fn layouts(placements: &[Placement]) -> String {
    let layout = |placement: &Placement| {
        let numbers: Vec<_> = placement.layout.iter().map(|d| (d + 1).to_string()).collect();
        format!("[{}]{}", numbers.join(","), placement.suffixes())
    };
    placements.iter().map(layout).collect::<Vec<_>>().join(" ")
}

/// The prediction of the cost model for a schedule, as text: the loops, the time and its bound, and the bytes by memory
/// layer.
pub fn why(computation: &Computation<'_>, schedule: &Schedule, tuning: &TuningContext) -> String {
    let problem = Problem::of(computation, tuning.functions(&schedule.system, computation));
    let outline = Outline::of(&plan(computation, schedule));
    if let Some((loops, expected)) = gpu::expected(&problem, &outline, schedule, tuning) {
        return format!("loops: {loops}\n{}\n", prediction(&problem, &expected));
    }
    let plan = Plan::of(&outline, schedule, &problem);
    let model = cost::HostModel { problem: &problem, machine: &tuning.machine, threads: tuning.threads() };
    let expected = model.predict(&plan);
    let loops = plan.loops.iter().map(|l| {
        let kind = match l.kind {
            Runner::Cores(_) => "threads ",
            Runner::Loop => "",
            Runner::Unrolled => "registers ",
            Runner::Lanes => "vector ",
        };
        let names = computation.dimension_names();
        let dimension = names.get(l.dimension).map_or_else(|| axis(l.dimension), |name| (*name).to_owned());
        format!("{kind}{dimension} {}", l.parts)
    });
    format!("loops: {}\n{}\n", loops.collect::<Vec<_>>().join(" · "), prediction(&problem, &expected))
}

/// A prediction as text.
fn prediction(problem: &Problem, expected: &Prediction) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "expected: {}, bound by {}", seconds(expected.seconds), expected.bound());
    let _ = writeln!(text, "  instructions: {}", seconds(expected.compute));
    for (name, cost) in &problem.functions {
        let _ = match cost {
            Cost::Instructions(count, 1) => writeln!(text, "  {name}: {count} instructions a value"),
            Cost::Instructions(count, lanes) => {
                writeln!(text, "  {name}: {count} vector instructions for {lanes} values")
            }
            Cost::Cycles(cycles) => writeln!(text, "  {name}: {cycles} cycles a value, by a call of the C library"),
        };
    }
    for traffic in &expected.traffic {
        let _ = writeln!(text, "  from {}: {} in {}", traffic.layer, bytes(traffic.bytes), seconds(traffic.seconds));
    }
    let combined = seconds(expected.combination);
    let _ = match &expected.launch {
        None => {
            let _ = writeln!(text, "  packing: {}", seconds(expected.packing));
            writeln!(text, "  threads and combination: {combined}")
        }
        Some(_) => writeln!(text, "  kernels and combination: {combined}"),
    };
    if let Some(Launch { blocks, threads, registers, shared_bytes, per_unit, units }) = &expected.launch {
        let _ = writeln!(
            text,
            "  occupancy: {blocks} blocks of {threads} threads, {per_unit} at a time on each of {units} units; {registers} registers a thread, {} of shared memory a block",
            bytes(*shared_bytes as f64)
        );
    }
    let points = problem.extents().map(|extent| extent as f64).product::<f64>();
    let mut buffers: Vec<_> = problem.accesses.iter().map(|a| (a.is_output, a.buffer, &a.sizes, a.bytes)).collect();
    buffers.dedup();
    let size = |sizes: &[u64], bytes: u64| sizes.iter().map(|size| *size as f64).product::<f64>() * bytes as f64;
    let moved: f64 = buffers.iter().map(|(_, _, sizes, bytes)| size(sizes, *bytes)).sum();
    let _ = writeln!(
        text,
        "  arithmetic intensity: {:.2} operations a byte of memory",
        points * problem.operations / moved
    );
    text
}

/// A time for readers, with three digits.
pub fn seconds(time: f64) -> String {
    // The limits are those of the rounded number: 999.6 µs is 1.00 ms.
    let units = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")];
    let (unit, name) = units.into_iter().find(|(unit, _)| time / unit < 999.5).unwrap_or((1.0, "s"));
    let number = time / unit + 0.0;
    let decimals = if number < 9.995 { 2 } else { usize::from(number < 99.95) };
    format!("{number:.decimals$} {name}")
}

fn bytes(count: f64) -> String {
    match count {
        _ if count < 1e4 => format!("{count:.0} B"),
        _ if count < 1e7 => format!("{:.1} kB", count / 1e3),
        _ => format!("{:.1} MB", count / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::tests::context;
    use mdh_dialects::ir;
    use mdh_dialects::schedule::rules::Shape;
    use melior::ir::Module;

    const MATVEC: &str = "func.func @matvec(%M: tensor<512x4096xf32>, %v: tensor<4096xf32>) -> tensor<512xf32> {
      %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
          : (tensor<512x4096xf32>, tensor<4096xf32>) -> !mdh.mda<512x4096, f32, f32>
      %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        mdh.hom.yield %p : f32
      } : !mdh.mda<512x4096, f32, f32> -> !mdh.mda<512x1, f32>
      %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<512x1, f32> -> tensor<512xf32>
      return %w : tensor<512xf32>
    }";

    /// The allocations of the generated code for Figure 17 after a change to its schedule: buffer, step, bytes, owner.
    fn memory(change: impl Fn(&mut Schedule)) -> Vec<[String; 4]> {
        let context = context();
        let module = Module::parse(&context, MATVEC).expect("the program parses");
        let computation = Computation::all(ir::op(module.as_operation())).remove(0);
        let text = include_str!("../../examples/schedules/matvec_figure17.json");
        let resolve = mdh_dialects::schedule::model::System::builtin;
        let mut schedule = crate::notation::json::from_text(text, &computation.shape(), &resolve).expect("a schedule");
        change(&mut schedule);
        let table = memory_table(&nest::of(&workload(&computation), &schedule));
        table.rows.iter().map(|row| [0, 1, 3, 4].map(|column: usize| row[column].clone())).collect()
    }

    fn figure17() -> Schedule {
        let text = include_str!("../../examples/schedules/matvec_figure17.json");
        let operators = vec![CombineOperator::Concatenation; 2];
        let shape = Shape::new([Some(512), Some(4096)], operators, vec![2, 1], vec![1]);
        crate::notation::json::from_text(text, &shape, &System::builtin).expect("a schedule")
    }

    #[test]
    fn figure17_is_the_papers_table() {
        let schedule = figure17();
        let table = table(&schedule, &[]);
        let row = |i: usize| table.rows[i].join("|");
        assert_eq!(table.header.join("|"), "level|0|D1|S1|R1|D2|S2|R2|D3|S3|S5|R3|D4|S4|S6|R4");
        assert_eq!(row(0), "(1, 1)|2|1|1|1|HM,x|HM,x|HM,x|HM HM|HM L1|L1|HM|[1,2] [1]|[1,2] [1]|[1]|[1]");
        assert_eq!(row(3), "(2, 2)|16|4|4|4|COR,y|COR,y|COR,y|HM HM|||HM|[1,2] [1]|||[1]");
        assert_eq!(row(5), "(3, 2)|64|6|6|6|L1,y|L1,y|L1,y|HM L1|||L1|[1,2] [1]|||[1]");
        // All levels have an effect.
        assert_eq!(folded(&schedule, &[]), (table, vec![]));
        assert_eq!(folded(&schedule, &["i", "k"]).0.rows[5][0], "(3, 2) k");
    }

    #[test]
    fn levels_without_effect_are_folded() {
        let folded = |change: &dyn Fn(&mut Schedule)| {
            let mut schedule = figure17();
            change(&mut schedule);
            let (table, levels) = super::folded(&schedule, &[]);
            let shown: Vec<_> = table.rows.iter().map(|row| row[0].clone()).collect();
            (shown.join(" "), levels.into_iter().map(name).collect::<Vec<_>>().join(" "), table)
        };
        let one_part = |levels: &'static [(usize, usize)]| {
            move |schedule: &mut Schedule| {
                levels.iter().for_each(|(layer, dimension)| schedule.parts[*layer][*dimension] = Some(1));
            }
        };
        // Nothing is moved at (1, 1) and (2, 2), and the placements of the scalar phase are in the row that is first.
        let (shown, idle, table) = folded(&one_part(&[(0, 0), (1, 1)]));
        assert_eq!((shown.as_str(), idle.as_str()), ("(1, 2) (2, 1) (3, 1) (3, 2)", "(1, 1) (2, 2)"));
        assert_eq!((table.rows[0][1].as_str(), table.rows[0][9].as_str()), ("4", "HM L1"));
        // The vector moves to L1 at (3, 1), which has an effect with one part, too.
        let (shown, idle, _) = folded(&one_part(&[(2, 0), (2, 1)]));
        assert_eq!((shown.as_str(), idle.as_str()), ("(1, 1) (1, 2) (2, 1) (2, 2) (3, 1)", "(3, 2)"));
        // A part count that depends on an extent may be more than one.
        let (shown, idle, _) = folded(&|schedule| schedule.parts[0][0] = None);
        assert_eq!((shown.split(' ').count(), idle.as_str()), (12, ""));
    }

    #[test]
    fn a_table_has_a_row_if_no_level_has_an_effect() {
        let mut schedule = figure17();
        schedule.parts.iter_mut().for_each(|layer| layer.fill(Some(1)));
        let plain = |steps: &mut Vec<Step>| {
            let placements = steps[0].placements.clone();
            steps.iter_mut().for_each(|step| step.placements.clone_from(&placements));
        };
        plain(&mut schedule.decompose);
        plain(&mut schedule.recompose);
        let (table, idle) = folded(&schedule, &[]);
        assert_eq!((table.rows.len(), idle.len()), (1, 5));
    }

    #[test]
    fn operators_are_written_as_in_programs() {
        use mdh_dialects::hom::Kind::{Add, Max};
        let text = |kinds: &[mdh_dialects::hom::Kind]| {
            operator(&CombineOperator::PointWise(Function::Builtin(kinds.to_vec())))
        };
        assert_eq!([text(&[Add]), text(&[Add, Add]), text(&[Add, Max])], ["pw<add>", "pw<add>", "pw<[add, max]>"]);
        assert_eq!(operator(&CombineOperator::PrefixSum(Function::Symbol("f".to_owned()))), "ps<@f>");
        assert_eq!(operator(&CombineOperator::Concatenation), "cc");
    }

    #[test]
    fn fused_phases_hold_parts_only() {
        let rows = memory(|_| {});
        assert_eq!(
            rows,
            [["part of input 2", "D (3, 1)", "256", "thread"], ["partial results", "R (2, 2)", "2048", "thread"],]
                .map(|row| row.map(str::to_owned))
        );
    }

    #[test]
    fn separate_phases_hold_what_their_orders_force() {
        // The re-composition begins with another level, so all results of the scalar function are live at once.
        let rows = memory(|schedule| schedule.recompose.swap(0, 1));
        let results = 512 * 4096 * 4;
        assert!(rows.contains(
            &["results of the scalar function", "S", &results.to_string(), "computation"].map(str::to_owned)
        ));
        // A common prefix of one level halves it.
        let rows = memory(|schedule| schedule.recompose.swap(1, 2));
        let results = results / 2;
        assert!(rows.contains(
            &["results of the scalar function", "S", &results.to_string(), "computation"].map(str::to_owned)
        ));
    }
}
