//! What `mdh explain` shows: a schedule as the paper's table, and the memory that it makes the generated code hold.
use super::{
    json::{axis, text},
    memory::Held,
    model::{Level, Placement, Schedule, Step, Tag},
    rules::name,
};
use crate::analysis::computation::Computation;

/// A table of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The column titles.
    pub header: Vec<String>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// The columns: the level, then the tuning parameters as the paper's Figures 20 to 23 arrange them.
const COLUMNS: [&str; 16] =
    ["level", "0", "D1", "S1", "R1", "D2", "S2", "R2", "D3", "S3", "S5", "R3", "D4", "S4", "S6", "R4"];

/// A schedule as the paper's table: a row a level, a column a parameter. Orders count from the outermost level; regions and
/// layouts are in the order of the buffers. The scalar phase has one placement for all levels, which stands in the first row.
pub fn table(schedule: &Schedule) -> Table {
    let (layers, rank) = (schedule.parts.len(), schedule.parts.first().map_or(0, Vec::len));
    let mut rows = vec![];
    for level in (0..layers).flat_map(|layer| (0..rank).map(move |dimension| Level { layer, dimension })) {
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
            name(level),
            schedule.parts[level.layer][level.dimension].map_or("?".to_owned(), |count| count.to_string()),
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
    Table { header: COLUMNS.map(str::to_owned).to_vec(), rows }
}

/// The buffers that the generated code holds beyond the user's own, as a table.
pub fn memory_table(computation: &Computation<'_>, schedule: &Schedule) -> Table {
    let rows = super::memory::held(computation, schedule).into_iter().map(|held: Held| {
        vec![
            held.what,
            held.place,
            held.placement.as_ref().map_or(String::new(), text),
            held.bytes.map_or("?".to_owned(), |bytes| bytes.to_string()),
            if held.per_thread { "thread" } else { "computation" }.to_owned(),
        ]
    });
    let header = ["buffer", "step", "placement", "bytes", "one for each"];
    Table { header: header.map(str::to_owned).to_vec(), rows: rows.collect() }
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
        format!("[{}]", numbers.join(","))
    };
    placements.iter().map(layout).collect::<Vec<_>>().join(" ")
}
