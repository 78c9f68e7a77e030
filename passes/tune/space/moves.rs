//! Neighbors of a schedule: the schedules that one small change leads to.
//!
//! ```text
//! parts 4 2 1   ──▶   2 4 1    4 1 2    ? 2 1    8 1 1    3 3 1    ..       two tags swapped, two adjacent steps swapped, ..
//! ```
//!
//! If one schedule is a neighbor of another, the other is a neighbor of the first.
use super::{
    ScheduleSpace,
    columns::{ColumnForm, ColumnShape, PartCounts, column},
};
use crate::schedule::random::Random;
use mdh_dialects::schedule::model::{ComputeAt, Placement, Schedule, Step};
use std::collections::BTreeSet;

/// A phase of a schedule.
#[derive(Clone, Copy, Debug)]
enum MovePhase {
    Decompose,
    Scalar,
    Recompose,
}

/// One change of a schedule, which may lead out of the space.
#[derive(Clone, Debug)]
enum ScheduleMove {
    /// Other part counts of a dimension.
    Parts(usize, PartCounts),
    /// A step of a phase and the one before it are swapped, with their tags and placements.
    Steps(MovePhase, usize),
    /// The tags of two steps of a phase are swapped, the first of which comes first.
    Tags(MovePhase, usize, usize),
    /// Another placement of an input: in a step of the de-composition, or in the scalar phase after the last of them.
    Input(usize, usize, Placement),
    /// Another placement of an output: in a step of the re-composition, or in the scalar phase after the last of them.
    Output(usize, usize, Placement),
    /// Another position in a consumer.
    Position(ComputeAt),
}

impl ScheduleSpace {
    /// Returns the neighbors of a schedule, all of which are in the space: with part counts of one dimension changed by
    /// 1, by a factor of 2, swapped, or made `?`, so that they cover the extent; with two tags of a phase or two
    /// adjacent steps swapped; with one placement changed in its region, two adjacent dimensions of its layout, a packed
    /// axis, padding or buffer slots; or at another position in a consumer. The error is the reason why the schedule is
    /// not in the space.
    pub fn neighbors(&self, schedule: &Schedule) -> Result<Vec<Schedule>, String> {
        self.check(schedule)?;
        Ok(self.moves(schedule).into_iter().filter_map(|change| self.moved(schedule, change)).collect())
    }

    /// Returns one of the neighbors of a schedule, each equally likely, without making the others; `None` if it has none.
    /// The error is the reason why the schedule is not in the space.
    pub fn neighbor(&self, schedule: &Schedule, random: &mut Random) -> Result<Option<Schedule>, String> {
        self.check(schedule)?;
        let mut moves = self.moves(schedule);
        while !moves.is_empty() {
            let change = moves.swap_remove(random.below(moves.len()));
            if let Some(neighbor) = self.moved(schedule, change) {
                return Ok(Some(neighbor));
            }
        }
        Ok(None)
    }

    /// Returns a schedule after a number of changes, each to a random neighbor, as far as it has some.
    pub fn walk(&self, start: Schedule, changes: usize, random: &mut Random) -> Schedule {
        (0..changes).fold(start, |schedule, _| self.neighbor(&schedule, random).ok().flatten().unwrap_or(schedule))
    }

    /// Returns all changes of a schedule.
    fn moves(&self, schedule: &Schedule) -> Vec<ScheduleMove> {
        let mut moves = vec![];
        for (dimension, space) in self.columns.iter().enumerate() {
            let changed = column_changes(&space.shape, &column(schedule, dimension)).into_iter();
            moves.extend(changed.map(|column| ScheduleMove::Parts(dimension, column)));
        }
        for phase in [MovePhase::Decompose, MovePhase::Scalar, MovePhase::Recompose] {
            for second in 1..self.levels() {
                moves.push(ScheduleMove::Steps(phase, second));
                moves.extend((0..second).map(|first| ScheduleMove::Tags(phase, first, second)));
            }
        }
        for step in 0..=self.levels() {
            let inputs = schedule.decompose.get(step).map_or(&schedule.scalar.reads, |step| &step.placements);
            for (buffer, placement) in inputs.iter().enumerate() {
                let others = self.placement_neighbors(placement, true).into_iter();
                moves.extend(others.map(|placement| ScheduleMove::Input(step, buffer, placement)));
            }
            let outputs = schedule.recompose.get(step).map_or(&schedule.scalar.writes, |step| &step.placements);
            for (buffer, placement) in outputs.iter().enumerate() {
                let others = self.placement_neighbors(placement, false).into_iter();
                moves.extend(others.map(|placement| ScheduleMove::Output(step, buffer, placement)));
            }
        }
        let positions = self.producer.iter().flat_map(|rules| &rules.positions);
        let others = positions.filter(|position| Some(**position) != schedule.at);
        moves.extend(others.map(|position| ScheduleMove::Position(*position)));
        moves
    }

    /// Returns the schedule after a change; `None` if it is not in the space.
    fn moved(&self, schedule: &Schedule, change: ScheduleMove) -> Option<Schedule> {
        let mut moved = schedule.clone();
        match change {
            ScheduleMove::Parts(dimension, changed) => {
                let own = column(schedule, dimension);
                let shape = &self.columns.get(dimension)?.shape;
                if changed == own || !column_changes(shape, &changed).contains(&own) {
                    return None;
                }
                for (row, count) in moved.parts.iter_mut().zip(changed) {
                    *row.get_mut(dimension)? = count;
                }
            }
            ScheduleMove::Steps(phase, second) => match phase {
                MovePhase::Decompose => moved.decompose.swap(second - 1, second),
                MovePhase::Scalar => moved.scalar.order.swap(second - 1, second),
                MovePhase::Recompose => moved.recompose.swap(second - 1, second),
            },
            ScheduleMove::Tags(phase, first, second) => match phase {
                MovePhase::Decompose => swap_tags(&mut moved.decompose, first, second),
                MovePhase::Scalar => {
                    let (outer, inner) = moved.scalar.order.split_at_mut(second);
                    std::mem::swap(&mut outer[first].1, &mut inner[0].1);
                }
                MovePhase::Recompose => swap_tags(&mut moved.recompose, first, second),
            },
            ScheduleMove::Input(step, buffer, placement) => {
                let step = moved.decompose.get_mut(step).map(|step| &mut step.placements);
                *step.unwrap_or(&mut moved.scalar.reads).get_mut(buffer)? = placement;
            }
            ScheduleMove::Output(step, buffer, placement) => {
                let step = moved.recompose.get_mut(step).map(|step| &mut step.placements);
                *step.unwrap_or(&mut moved.scalar.writes).get_mut(buffer)? = placement;
            }
            ScheduleMove::Position(position) => moved.at = Some(position),
        }
        self.check(&moved).is_ok().then_some(moved)
    }

    fn placement_neighbors(&self, placement: &Placement, is_input: bool) -> Vec<Placement> {
        let Placement { region, layout, pad, buffers } = placement;
        let regions = self.system.memory.iter().filter(|other| *other != region);
        let mut found: Vec<_> =
            regions.map(|region| Placement { region: region.clone(), ..placement.clone() }).collect();
        for position in 1..layout.len() {
            let mut layout = layout.clone();
            layout.swap(position - 1, position);
            if layout != placement.layout {
                found.push(Placement { layout, ..placement.clone() });
            }
        }
        if is_input {
            found.extend(packed(layout).into_iter().map(|layout| Placement { layout, ..placement.clone() }));
            if self.system.is_device() {
                found.extend(near(*pad).into_iter().map(|pad| Placement { pad, ..placement.clone() }));
                found.push(Placement { buffers: if *buffers == 1 { 2 } else { 1 }, ..placement.clone() });
            }
        }
        found
    }
}

/// Returns the numbers that differ by 1 or by a factor of 2.
fn near(number: u64) -> BTreeSet<u64> {
    let half = number.is_multiple_of(2).then_some(number / 2);
    let near = [number.checked_add(1), number.checked_sub(1), number.checked_mul(2), half];
    near.into_iter().flatten().filter(|near| *near != number).collect()
}

/// Returns the layouts with one more packed axis, and those with one less.
fn packed(layout: &[usize]) -> BTreeSet<Vec<usize>> {
    let mut found = BTreeSet::new();
    for (position, axis) in layout.iter().enumerate() {
        let is_packed = layout.iter().filter(|other| *other == axis).count() > 1;
        if is_packed {
            let mut fewer = layout.to_vec();
            fewer.remove(position);
            found.insert(fewer);
            continue;
        }
        for at in 0..=layout.len() {
            let mut more = layout.to_vec();
            more.insert(at, *axis);
            found.insert(more);
        }
    }
    found
}

/// Returns the columns that a change of one or two counts leads to, with the outermost count made to cover the extent.
fn column_changes(shape: &ColumnShape, column: &PartCounts) -> BTreeSet<PartCounts> {
    let mut changed = BTreeSet::from([column.clone()]);
    let layers = 0..column.len();
    for (layer, count) in layers.clone().filter_map(|layer| Some((layer, column[layer]?))) {
        let with = |layer: usize, count: u64, column: &PartCounts| {
            let mut changed = column.clone();
            changed[layer] = Some(count);
            changed
        };
        for near in near(count).into_iter().filter(|near| *near > 0) {
            let single = with(layer, near, column);
            for (other, count) in layers.clone().filter_map(|other| Some((other, column[other]?))) {
                let moved = if near > count && near.is_multiple_of(2) && near / 2 == column[layer].unwrap_or(0) {
                    count.is_multiple_of(2).then_some(count / 2)
                } else {
                    count.checked_mul(2).filter(|_| column[layer] == near.checked_mul(2))
                };
                changed.extend(moved.filter(|_| other != layer).map(|moved| with(other, moved, &single)));
            }
            changed.insert(single);
        }
        let mut dynamic = column.clone();
        dynamic[layer] = None;
        changed.insert(dynamic);
    }
    for (a, b) in layers.clone().flat_map(|a| layers.clone().map(move |b| (a, b))).filter(|(a, b)| a < b) {
        let mut swapped = column.clone();
        swapped.swap(a, b);
        changed.insert(swapped);
    }
    let covering: Vec<_> = changed.iter().flat_map(|column| covering(shape, column)).collect();
    changed.extend(covering);
    changed
}

/// Returns a column with the outermost count, or the `?`, replaced by a number so that it covers the extent.
fn covering(shape: &ColumnShape, column: &PartCounts) -> Vec<PartCounts> {
    let outermost = column.iter().position(Option::is_none).or_else(|| column.iter().position(|c| *c != Some(1)));
    let outermost = outermost.or(if column.is_empty() { None } else { Some(0) });
    let Some(outermost) = outermost else { return vec![] };
    let mut others =
        column.iter().enumerate().filter(|(layer, _)| *layer != outermost).map(|(_, count)| count.unwrap_or(1));
    let Some(product) = others.try_fold(1u64, |product, count| product.checked_mul(count)) else { return vec![] };
    let forms = [ColumnForm::Numbers, ColumnForm::Vector];
    let counts = forms.into_iter().filter_map(|form| shape.rest(form, product));
    let with = |count: u64| {
        let mut covering = column.clone();
        covering[outermost] = Some(count);
        covering
    };
    counts.map(with).collect()
}

/// Swaps the tags of two steps, the first of which comes first.
fn swap_tags(steps: &mut [Step], first: usize, second: usize) {
    let (outer, inner) = steps.split_at_mut(second);
    std::mem::swap(&mut outer[first].tag, &mut inner[0].tag);
}
