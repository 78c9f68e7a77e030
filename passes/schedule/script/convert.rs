//! Conversion of the loops of a script to a schedule.
//!
//! ```text
//! threads x 8 · k 4 · [input 2 in L1[1]] · registers x 4   ──▶   parts, orders, tags and placements of all levels
//! ```
use super::state::ScriptState;
use mdh_dialects::{
    lowlevel::script::BufferKind,
    schedule::{
        chain::Chain,
        model::{Level, Placement, ScalarPhase, Schedule, Step, System, Tag},
        roles::CoreRole,
        rules::{self, Shape},
    },
};

impl ScriptState {
    /// The schedule with these loops. Open part counts are 1, and loops for which no sequential layer is left are on
    /// other layers.
    pub fn schedule(&self, system: &System, shape: &Shape) -> Schedule {
        let rows: Vec<_> = (0..3).map(|phase| self.rows(phase, system)).collect();
        let mut parts = vec![vec![Some(1); self.rank()]; system.layers()];
        for (d, nested) in self.nested.iter().enumerate() {
            for l in nested {
                if let Some(row) = rows[1].rows[*l] {
                    parts[row][d] = self.parts(*l, shape, Some(1));
                }
            }
        }
        let axes = self.axes(system);
        let phases: Vec<Vec<(Level, Tag)>> = (0..3)
            .map(|phase| {
                let tag = |level: Level| {
                    let layer = rows[phase].layers[level.dimension][level.layer];
                    Tag { layer: layer.to_owned(), dimension: axes(layer)[level.dimension] }
                };
                self.levels(phase, &rows[1].rows, system.layers())
                    .into_iter()
                    .map(|level| (level, tag(level)))
                    .collect()
            })
            .collect();
        let placements = |of: BufferKind, ranks: &[usize]| self.placements(of, ranks, system, &phases, &rows[1].rows);
        let (inputs, outputs) =
            (placements(BufferKind::Input, &shape.inputs), placements(BufferKind::Output, &shape.outputs));
        let steps = |phase: usize, placements: &[Vec<Placement>]| -> Vec<Step> {
            let levels = phases[phase].iter().zip(placements);
            levels
                .map(|((level, tag), placements)| Step {
                    level: *level,
                    tag: tag.clone(),
                    placements: placements.clone(),
                })
                .collect()
        };
        Schedule {
            system: system.clone(),
            parts,
            decompose: steps(0, &inputs),
            scalar: ScalarPhase {
                order: phases[1].clone(),
                reads: inputs.last().cloned().unwrap_or_default(),
                writes: outputs.last().cloned().unwrap_or_default(),
            },
            recompose: steps(2, &outputs),
            at: self.at,
        }
    }

    /// The first violation of a rule, and the total number of violations, by what commands have decided so far.
    pub fn check(&self, system: &System, shape: &Shape) -> Result<(), String> {
        let mut chain = Chain::of(&self.schedule(system, shape), shape);
        for (phase, steps) in [&mut chain.decompose, &mut chain.scalar, &mut chain.recompose].into_iter().enumerate() {
            let rows = self.rows(phase, system);
            let homeless: Vec<_> = (0..self.loops.len()).filter(|l| rows.is_homeless[*l]).collect();
            for l in homeless {
                let level = rows.rows[l].map(|layer| Level { layer, dimension: self.loops[l].dimension });
                steps.iter_mut().filter(|step| Some(step.level) == level).for_each(|step| step.tag = None);
            }
        }
        let found: Vec<_> = rules::violations(&chain).into_iter().map(|violation| violation.message).collect();
        if found.is_empty() { Ok(()) } else { Err(rules::summary(&found)) }
    }

    /// By layer: the dimension of the tag of each dimension. On a device, the innermost loop of the innermost layer of
    /// cores is along x, the next dimension along y, unless a command names another one for a loop of the layer.
    fn axes<'a>(&'a self, system: &'a System) -> impl Fn(&str) -> Vec<usize> + 'a {
        let usual: Vec<_> = match system.is_device() {
            true => self.dimensions_of_threads(system),
            false => (0..self.rank()).collect(),
        };
        move |layer: &str| {
            let of_layer = |l: &&usize| self.loops[**l].layers.iter().flatten().any(|other| other == layer);
            let named = |d: usize| self.nested[d].iter().filter(of_layer).find_map(|l| self.loops[*l].axis);
            let mut axes: Vec<_> = (0..self.rank()).map(named).collect();
            for d in &usual {
                let free = (0..self.rank()).find(|axis| !axes.contains(&Some(*axis)));
                if axes[*d].is_none() {
                    axes[*d] = free;
                }
            }
            axes.into_iter().flatten().collect()
        }
    }

    /// The dimensions in the order of the threads of a block: first that of the innermost loop of threads.
    fn dimensions_of_threads(&self, system: &System) -> Vec<usize> {
        let role = |l: &usize| self.loops[*l].layers[1].as_deref().and_then(|layer| system.core_role(layer));
        let mut dimensions: Vec<usize> = vec![];
        for wanted in [CoreRole::Threads, CoreRole::Warps, CoreRole::Blocks] {
            for l in self.order[1].iter().rev().filter(|l| role(l) == Some(wanted)) {
                dimensions.push(self.loops[*l].dimension);
            }
        }
        dimensions.extend(0..self.rank());
        let mut known = vec![];
        dimensions.retain(|d| {
            !known.contains(d) && {
                known.push(*d);
                true
            }
        });
        dimensions
    }

    /// All levels of a phase in order: the loops as they are, and levels with one part among them, row by row as far as
    /// the order of the loops allows.
    fn levels(&self, phase: usize, rows: &[Option<usize>], layers: usize) -> Vec<Level> {
        let level = |l: &usize| rows[*l].map(|layer| Level { layer, dimension: self.loops[*l].dimension });
        let mut order: Vec<_> = self.order[phase].iter().filter_map(level).collect();
        let all = (0..layers).flat_map(|layer| (0..self.rank()).map(move |dimension| Level { layer, dimension }));
        for missing in all {
            if order.contains(&missing) {
                continue;
            }
            let before = order.iter().rposition(|level| *level < missing).map_or(0, |last| last + 1);
            // The levels of a scanned dimension are in the order of the layers (rule S7).
            let is_inner = |level: &Level| level.dimension == missing.dimension && level.layer > missing.layer;
            let after = order.iter().position(is_inner).unwrap_or(order.len());
            order.insert(before.min(after), missing);
        }
        order
    }

    /// By level of the phase of a kind of buffers, and in the scalar function: the placement of each buffer.
    fn placements(
        &self,
        of: BufferKind,
        ranks: &[usize],
        system: &System,
        phases: &[Vec<(Level, Tag)>],
        rows: &[Option<usize>],
    ) -> Vec<Vec<Placement>> {
        let phase = if of == BufferKind::Input { 0 } else { 2 };
        let levels = &phases[phase];
        let by_buffer = ranks.iter().enumerate().map(|(buffer, rank)| {
            let home = Placement::new(system.outermost(), 0..*rank);
            let placed = self.placed(of, buffer);
            let of_loop = |level: Level| {
                let is_level = |l: &usize| self.loops[*l].dimension == level.dimension && rows[*l] == Some(level.layer);
                self.order[phase].iter().position(is_level)
            };
            let mut current = None;
            let mut all: Vec<_> = vec![];
            for (level, _) in levels {
                if let Some(position) = of_loop(*level) {
                    current = placed.get(position).copied().flatten();
                }
                all.push(current.unwrap_or(&home).clone());
            }
            all.push(placed.last().copied().flatten().unwrap_or(&home).clone());
            all
        });
        let by_buffer: Vec<_> = by_buffer.collect();
        (0..=levels.len()).map(|i| by_buffer.iter().filter_map(|all| all.get(i).cloned()).collect()).collect()
    }
}
