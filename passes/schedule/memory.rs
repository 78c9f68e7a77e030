//! How much memory the choices of a schedule make the generated code hold beyond the user's buffers.
//!
//! The rules are those of `passes/nest/build.rs`: a promoted part holds the elements that the levels below its step reach, a
//! separate scalar phase leaves its results over the levels behind the common prefix of scalar phase and re-composition, and a
//! re-composition step begins a buffer where its placement differs from the one around it or parts are combined in parallel.
pub mod kernels;

use crate::{
    analysis::{
        computation::{Buffer, Computation},
        index::{Expression, Group, Partition},
    },
    nest::address::padded,
};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{
        model::{Level, Placement, Schedule, Tag},
        rules::name,
    },
};
use melior::ir::Type;

/// A buffer that the generated code holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// What is in it.
    pub what: String,
    /// The step that makes it necessary.
    pub place: String,
    /// Its region and layout.
    pub placement: Option<Placement>,
    /// Its size in bytes, as an upper bound over all parts, at most `u64::MAX`; `None` where it follows from a dynamic extent.
    pub bytes: Option<u64>,
    /// Who has one of its own.
    pub owner: Owner,
    /// Whether the kernel of a device holds it; what the host allocates in global memory is not.
    pub in_kernel: bool,
}

/// What has a buffer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The whole computation.
    Computation,
    /// Each block of a kernel.
    Block,
    /// Each thread.
    Thread,
}

impl Owner {
    fn of(is_threaded: bool) -> Self {
        if is_threaded { Self::Thread } else { Self::Computation }
    }

    /// As `mdh explain` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Block => "block",
            Self::Thread => "thread",
        }
    }
}

struct Geometry<'a, 'c> {
    computation: &'a Computation<'c>,
    schedule: &'a Schedule,
    partition: Partition<'a>,
}

/// The buffers that the generated code holds beyond the user's, and their sizes, on a host.
pub fn held(computation: &Computation<'_>, schedule: &Schedule) -> Vec<Held> {
    let geometry = Geometry::new(computation, schedule);
    let mut held = geometry.promoted();
    held.extend(geometry.results());
    held.extend(geometry.combined());
    held
}

impl<'a, 'c> Geometry<'a, 'c> {
    fn new(computation: &'a Computation<'c>, schedule: &'a Schedule) -> Self {
        Self { computation, schedule, partition: Partition::new(&computation.domain, schedule) }
    }

    fn threaded(&self, loops: &[(Level, &Tag)]) -> bool {
        loops.iter().any(|(_, tag)| self.schedule.is_threaded(tag))
    }

    /// By dimension: the levels that no loop around has fixed.
    fn free(&self, fixed: &[(Level, &Tag)]) -> Vec<Vec<Level>> {
        let is_free = |level: &Level| !fixed.iter().any(|(known, _)| known == level);
        (0..self.computation.rank()).map(|d| self.partition.levels(d).filter(is_free).collect()).collect()
    }

    /// The elements of a part of an input buffer that the free levels reach, over its groups of accesses, in one place.
    fn reached(&self, buffer: &Buffer<'_>, fixed: &[(Level, &Tag)], placement: &Placement) -> Option<u64> {
        let (free, tile) = (self.free(fixed), self.schedule.tile_layers());
        let mut total = 0u64;
        for group in Group::of(&buffer.accesses, buffer.first_component) {
            let sizes = group.footprint(&self.partition, &free, &placement.layout, &tile);
            let mut sizes = sizes.iter().map(Expression::count).collect::<Option<Vec<_>>>()?;
            match sizes.as_mut_slice() {
                [.., last] if placement.pad > 0 => *last = last.saturating_add(placement.pad),
                [_, .., last] => *last = padded(*last, bytes(buffer.element)),
                _ => {}
            }
            total = total.saturating_add(sizes.into_iter().fold(1u64, u64::saturating_mul));
        }
        Some(total)
    }

    /// Parts of inputs in other regions or layouts.
    fn promoted(&self) -> Vec<Held> {
        let (loops, shared) = (self.schedule.scalar_loops(), self.schedule.shared(&self.schedule.decompose));
        let homes: Vec<_> = self.computation.inputs.iter().map(|input| self.schedule.home(input.shape.len())).collect();
        let mut current = homes.clone();
        let mut held = vec![];
        let mut depth = 0;
        let mut visit = |place: String, fixed: &[(Level, &Tag)], placements: &[Placement]| {
            for (i, (input, placement)) in self.computation.inputs.iter().zip(placements).enumerate() {
                if std::mem::replace(&mut current[i], placement.clone()) == *placement || *placement == homes[i] {
                    continue;
                }
                let bytes = self.reached(input, fixed, placement).map(|n| n.saturating_mul(bytes(input.element)));
                let what = format!("part of input {}", i + 1);
                let (placement, owner) = (Some(placement.clone()), Owner::of(self.threaded(fixed)));
                held.push(Held { what, place: place.clone(), placement, bytes, owner, in_kernel: false });
            }
        };
        for step in &self.schedule.decompose {
            visit(format!("D {}", name(step.level)), &loops[..depth.min(shared)], &step.placements);
            depth += usize::from(self.schedule.is_loop(step.level));
        }
        visit("S".to_owned(), &loops, &self.schedule.scalar.reads);
        held
    }

    /// What a separate scalar phase leaves for the re-composition.
    fn results(&self) -> Option<Held> {
        let (loops, shared) = (self.schedule.scalar_loops(), self.schedule.shared(&self.schedule.recompose));
        if shared == loops.len() {
            return None;
        }
        let fixed = &loops[..shared];
        let all = 0..self.computation.rank();
        let bytes = self.elements(all, fixed).map(|n| n.saturating_mul(self.tuple_bytes()));
        let what = "results of the scalar function".to_owned();
        let owner = Owner::of(self.threaded(fixed));
        Some(Held { what, place: "S".to_owned(), placement: None, bytes, owner, in_kernel: false })
    }

    /// Buffers of the re-composition.
    fn combined(&self) -> Vec<Held> {
        let homes: Vec<_> =
            self.computation.outputs.iter().map(|output| self.schedule.home(output.shape.len())).collect();
        let operators = &self.computation.operators;
        let kept = || (0..operators.len()).filter(|&d| operators[d].keeps());
        let (mut around, mut reducing): (&[Placement], bool) = (&homes, false);
        let mut fixed: Vec<(Level, &Tag)> = vec![];
        let mut held = vec![];
        let steps = &self.schedule.recompose;
        let separate = self.schedule.shared(steps) < self.schedule.scalar_loops().len();
        let writes = &self.schedule.scalar.writes;
        for (j, step) in steps.iter().map(Some).chain([None]).enumerate() {
            let placements = step.map_or(writes, |step| &step.placements);
            let place = step.map_or("S".to_owned(), |step| format!("R {}", name(step.level)));
            let owner = Owner::of(self.threaded(&fixed));
            let mut hold = |what: &str,
                            fixed: &[(Level, &Tag)],
                            dimensions: &mut dyn Iterator<Item = usize>,
                            copies: Option<u64>,
                            placements: &[Placement]| {
                let elements = self.elements(dimensions, fixed).zip(copies).map(|(n, copies)| n.saturating_mul(copies));
                let bytes = elements.map(|n| n.saturating_mul(self.tuple_bytes()));
                // With several outputs the placements are in the table of the schedule.
                let placement = (placements.len() == 1).then(|| placements[0].clone());
                let (what, place) = (what.to_owned(), place.clone());
                held.push(Held { what, place, placement, bytes, owner, in_kernel: false });
            };
            let operator =
                step.filter(|step| self.schedule.is_loop(step.level)).map(|step| &operators[step.level.dimension]);
            // A scan in a reduction runs in its own memory before it is added.
            let scan = reducing && operator.is_some_and(CombineOperator::is_scan);
            if scan || (around != placements.as_slice() && !(step.is_none() && separate)) {
                hold("part of the outputs", &fixed, &mut kept(), Some(1), placements);
                (around, reducing) = (placements, false);
            }
            let Some((step, operator)) = step.zip(operator) else { continue };
            let (before, level) = (fixed.clone(), (step.level, &step.tag));
            fixed.push(level);
            let count = self.partition.count(step.level);
            let inner = steps.get(j + 1).map_or(writes, |step| &step.placements);
            let parallel = self.threaded(&[level]) && count != Some(1);
            if operator.reduces() && parallel {
                hold("partial results", &fixed, &mut kept(), count, inner);
                (around, reducing) = (inner, false);
            } else if operator.reduces() {
                reducing = true;
            } else if operator.is_scan() && parallel {
                let mut others = kept().filter(|&d| d != step.level.dimension);
                hold("carried sums", &before, &mut others, count, &step.placements);
            }
        }
        held
    }

    fn elements(&self, mut dimensions: impl Iterator<Item = usize>, fixed: &[(Level, &Tag)]) -> Option<u64> {
        let free = self.free(fixed);
        let size = |d: usize| self.partition.size(d, &free[d]).count();
        dimensions.try_fold(1u64, |elements, d| Some(elements.saturating_mul(size(d)?)))
    }

    fn tuple_bytes(&self) -> u64 {
        let outputs = &self.computation.outputs;
        outputs.iter().map(|output| bytes(output.element) * output.accesses.len() as u64).sum()
    }
}

/// The most bytes that a buffer can have: addresses are signed numbers of 64 bits.
pub const LARGEST: u64 = i64::MAX as u64;

/// Checks that the static sizes of the outputs, and of what the generated code holds, are sizes that memory can have.
pub fn check(computation: &Computation<'_>, schedule: &Schedule) -> Result<(), String> {
    let outputs = computation.outputs.iter().enumerate().filter_map(|(i, output)| {
        let sizes = output.shape.iter().try_fold(bytes(output.element), |n, size| Some(n.saturating_mul((*size)?)));
        Some((format!("output buffer {}", i + 1), sizes?))
    });
    let held = held(computation, schedule).into_iter();
    let mut sizes =
        outputs.chain(held.filter_map(|held| Some((format!("{} of step {}", held.what, held.place), held.bytes?))));
    match sizes.find(|(_, bytes)| *bytes > LARGEST) {
        Some((what, _)) => Err(format!("requires less than 2^63 bytes for each buffer, but more for the {what}")),
        None => Ok(()),
    }
}

/// The bytes of an element in memory.
pub(crate) fn bytes(element: Type<'_>) -> u64 {
    let text = element.to_string();
    let bits = text.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>();
    // `index`, the only element type without a width in its name, has 64 bits.
    bits.map_or(8, |bits| bits.div_ceil(8).next_power_of_two())
}
