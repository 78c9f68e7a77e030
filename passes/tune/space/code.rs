//! Numbers of schedules and back.
//!
//! ```text
//! index  ◀──▶  part counts and tags · orders of three phases · placements of inputs and outputs · position in a consumer
//! ```
use super::{
    Coupling, ScheduleSpace,
    assignment::PhaseTags,
    columns::{PartCounts, column},
    digits::{DigitReader, DigitWriter},
    limited::PHASES,
    unlimited::NOT_A_BIJECTION,
};
use mdh_dialects::schedule::model::{Level, Placement, ScalarPhase, Schedule, Step, Tag};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// The part counts by dimension, and the tags and output regions of the phases.
struct Coupled {
    columns: Vec<PartCounts>,
    tags: Vec<PhaseTags>,
}

impl ScheduleSpace {
    fn level(&self, number: usize) -> Level {
        let rank = self.shape.rank().max(1);
        Level { layer: number / rank, dimension: number % rank }
    }

    pub(super) fn number_of(&self, level: Level) -> usize {
        level.layer * self.shape.rank() + level.dimension
    }

    pub(super) fn tag(&self, slot: usize) -> Tag {
        let Level { layer, dimension } = self.level(slot);
        Tag { layer: self.system.layer_names().nth(layer).unwrap_or_default().to_owned(), dimension }
    }

    pub(super) fn slot(&self, tag: &Tag) -> Option<usize> {
        let layer = self.system.layer_names().position(|layer| layer == tag.layer)?;
        Some(self.number_of(Level { layer, dimension: tag.dimension }))
    }

    /// Returns the schedule with a number below the count.
    pub(super) fn decode(&self, index: BigUint) -> Schedule {
        let mut digits = DigitReader(index);
        let Coupled { columns, tags } = self.read_coupled(&mut digits);
        let levels = self.levels();
        let orders = [digits.read_permutation(levels), digits.read_permutation(levels), self.read_order(&mut digits)];
        let tag = |phase: usize, level: usize| {
            let slot = tags.get(phase).and_then(|tags| tags.slots.get(level));
            self.tag(slot.copied().unwrap_or(0))
        };
        let decompose = orders[0].iter().map(|&level| {
            let placements = self.read_inputs(&mut digits);
            Step { level: self.level(level), tag: tag(0, level), placements }
        });
        let decompose = decompose.collect();
        let scalar = orders[1].iter().map(|&level| (self.level(level), tag(1, level))).collect();
        let reads = self.read_inputs(&mut digits);
        let regions: Vec<_> = self.shape.outputs.iter().map(|_| digits.read_small(self.system.memory.len())).collect();
        let writes = self.read_outputs(&regions, &mut digits);
        let recompose = orders[2].iter().map(|&level| {
            let regions = tags.get(2).and_then(|tags| tags.regions.get(level)).map_or(&[][..], Vec::as_slice);
            let placements = self.read_outputs(regions, &mut digits);
            Step { level: self.level(level), tag: tag(2, level), placements }
        });
        let recompose = recompose.collect();
        let layers = 0..self.system.layers();
        let positions = self.producer.as_ref().map(|rules| &rules.positions);
        let at = positions.and_then(|positions| positions.get(digits.read_small(positions.len())).copied());
        Schedule {
            system: self.system.clone(),
            parts: layers.map(|layer| columns.iter().map(|column| column[layer]).collect()).collect(),
            decompose,
            scalar: ScalarPhase { order: scalar, reads, writes },
            recompose,
            at,
        }
    }

    fn read_coupled(&self, digits: &mut DigitReader) -> Coupled {
        let recomposition = match &self.coupling {
            Coupling::Limited(limited) => {
                let (columns, tags) = limited.read(digits.read(limited.count()));
                return Coupled { columns, tags };
            }
            Coupling::Unlimited(recomposition) => recomposition,
        };
        let mut columns = vec![vec![]; self.columns.len()];
        let number = digits.read(recomposition.count());
        let last = recomposition.read(number, &self.columns, &mut columns);
        for (dimension, column) in columns.iter_mut().enumerate().filter(|(d, _)| !self.is_combined[*d]) {
            let space = &self.columns[dimension];
            *column = space.column(digits.read(&space.count()).to_u128().unwrap_or(0));
        }
        let levels = self.levels();
        let mut plain = || PhaseTags { slots: digits.read_permutation(levels), regions: vec![] };
        Coupled { columns, tags: vec![plain(), plain(), last] }
    }

    /// Returns the order of the re-composition: positions of each prefix-sum dimension, then of all other levels.
    fn read_order(&self, digits: &mut DigitReader) -> Vec<usize> {
        let (rank, layers) = (self.shape.rank(), self.system.layers());
        let mut order = vec![0; self.levels()];
        let mut left: Vec<_> = (0..order.len()).collect();
        for dimension in self.scans() {
            let chosen = digits.read_subset(left.len(), layers);
            for (layer, chosen) in chosen.iter().enumerate() {
                order[left[*chosen]] = layer * rank + dimension;
            }
            left =
                (0..left.len()).filter(|position| !chosen.contains(position)).map(|position| left[position]).collect();
        }
        let positions = digits.read_permutation(left.len());
        for (level, position) in self.unordered().zip(positions) {
            order[left[position]] = level;
        }
        order
    }

    pub(super) fn scans(&self) -> impl Iterator<Item = usize> {
        let operators = self.shape.operators.iter().enumerate();
        operators.filter(|(_, operator)| operator.is_scan()).map(|(dimension, _)| dimension)
    }

    /// Returns the levels of dimensions that are no prefix sums.
    fn unordered(&self) -> impl Iterator<Item = usize> {
        let is_scan = |level: &usize| self.shape.operators[self.level(*level).dimension].is_scan();
        (0..self.levels()).filter(move |level| !is_scan(level))
    }

    fn read_inputs(&self, digits: &mut DigitReader) -> Vec<Placement> {
        self.inputs.iter().map(|input| input.read(digits)).collect()
    }

    fn read_outputs(&self, regions: &[usize], digits: &mut DigitReader) -> Vec<Placement> {
        let outputs = self.shape.outputs.iter().zip(regions);
        let region = |region: usize| self.system.memory.get(region).cloned().unwrap_or_default();
        outputs.map(|(rank, number)| Placement::new(region(*number), digits.read_permutation(*rank))).collect()
    }

    /// Returns the number of a schedule that satisfies the rules.
    pub(super) fn encode(&self, schedule: &Schedule) -> Result<BigUint, String> {
        let mut digits = DigitWriter::default();
        self.write_coupled(&self.coupled(schedule)?, &mut digits)?;
        let order = |steps: &[Step]| steps.iter().map(|step| self.number_of(step.level)).collect::<Vec<_>>();
        let scalar: Vec<_> = schedule.scalar.order.iter().map(|(level, _)| self.number_of(*level)).collect();
        let not_once = "S1: a phase does not have every level once";
        for order in [order(&schedule.decompose), scalar] {
            digits.write_permutation(&order).ok_or(not_once)?;
        }
        self.write_order(&order(&schedule.recompose), &mut digits).ok_or(not_once)?;
        let placed = "S4, S5, S6, S12: a buffer has a placement that the space does not have";
        let inputs = schedule.decompose.iter().map(|step| &step.placements).chain([&schedule.scalar.reads]);
        for (space, placement) in inputs.flat_map(|placements| self.inputs.iter().zip(placements)) {
            space.write(placement, &mut digits).ok_or(placed)?;
        }
        for placement in &schedule.scalar.writes {
            let region = self.system.region(&placement.region).ok_or(placed)?;
            digits.write(region, self.system.memory.len());
        }
        let outputs = [&schedule.scalar.writes].into_iter().chain(schedule.recompose.iter().map(|s| &s.placements));
        for placement in outputs.flatten() {
            digits.write_permutation(&placement.layout).ok_or(placed)?;
        }
        if let Some(rules) = &self.producer {
            let position = rules.positions.iter().position(|position| Some(*position) == schedule.at);
            digits.write(position.ok_or("F2: the schedule is for another level of a consumer")?, rules.positions.len());
        }
        Ok(digits.finish())
    }

    /// Returns the part counts, tags and regions of a schedule.
    fn coupled(&self, schedule: &Schedule) -> Result<Coupled, String> {
        let columns = (0..self.shape.rank()).map(|dimension| column(schedule, dimension)).collect();
        let mut tags = vec![PhaseTags { slots: vec![0; self.levels()], regions: vec![vec![]; self.levels()] }; PHASES];
        let steps = |steps: &[Step]| steps.iter().map(|step| (step.level, step.tag.clone())).collect::<Vec<_>>();
        let phases = [steps(&schedule.decompose), schedule.scalar.order.clone(), steps(&schedule.recompose)];
        for (tags, phase) in tags.iter_mut().zip(phases) {
            for (level, tag) in phase {
                let own = tags.slots.get_mut(self.number_of(level)).ok_or(NOT_A_BIJECTION)?;
                *own = self.slot(&tag).ok_or(NOT_A_BIJECTION)?;
            }
        }
        for step in &schedule.recompose {
            let regions = step.placements.iter().filter_map(|placement| self.system.region(&placement.region));
            tags[PHASES - 1].regions[self.number_of(step.level)] = regions.collect();
        }
        Ok(Coupled { columns, tags })
    }

    fn write_coupled(&self, coupled: &Coupled, digits: &mut DigitWriter) -> Result<(), String> {
        let Coupled { columns, tags } = coupled;
        let recomposition = match &self.coupling {
            Coupling::Limited(limited) => {
                digits.write(limited.number(columns, tags)?, limited.count().clone());
                return Ok(());
            }
            Coupling::Unlimited(recomposition) => recomposition,
        };
        let number = recomposition.number(&self.columns, columns, &tags[PHASES - 1])?;
        digits.write(number, recomposition.count().clone());
        for (dimension, column) in columns.iter().enumerate().filter(|(d, _)| !self.is_combined[*d]) {
            let space = &self.columns[dimension];
            digits.write(space.number(column)?, space.count());
        }
        for tags in &tags[..PHASES - 1] {
            digits.write_permutation(&tags.slots).ok_or(NOT_A_BIJECTION)?;
        }
        Ok(())
    }

    fn write_order(&self, order: &[usize], digits: &mut DigitWriter) -> Option<()> {
        let mut left: Vec<_> = (0..order.len()).collect();
        for dimension in self.scans() {
            let is_own = |position: usize| self.level(order[position]).dimension == dimension;
            let chosen: Vec<_> = (0..left.len()).filter(|number| is_own(left[*number])).collect();
            digits.write_subset(left.len(), &chosen);
            left.retain(|position| !is_own(*position));
        }
        let position = |level: usize| left.iter().position(|position| order[*position] == level);
        digits.write_permutation(&self.unordered().map(position).collect::<Option<Vec<_>>>()?)
    }
}
