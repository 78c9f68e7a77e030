//! Estimates of numbers of schedules that are too expensive to count: for random part counts, the tags that satisfy rule
//! S9 are counted.
//!
//! ```text
//! schedules = schedules without S9 × the mean, over those, of  tags with S9 / tags without S9  for their part counts
//! ```
use super::{
    ScheduleSpace,
    assignment::PhaseTags,
    limited::PHASES,
    phase::{self, PhaseTagsGiven},
};
use crate::schedule::random::Random;
use mdh_dialects::schedule::model::{Schedule, Step};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Shares are multiples of this fraction of the size.
const SHARE: f64 = (1u64 << 52) as f64;

/// A number that samples suggest.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledCount {
    /// The number of schedules.
    pub count: BigUint,
    /// Its standard error, as a fraction of it.
    pub error: f64,
}

/// Estimates of a space.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledCounts {
    /// The number of schedules, without error if it is counted; `None` if no sample suggests any.
    pub schedules: Option<SampledCount>,
    /// The number of schedules that can be lowered to kernels (rule S11); `None` if no sample suggests any, on systems of
    /// hosts, and for producers, which are lowered with their consumers.
    pub kernels: Option<SampledCount>,
}

/// By phase, and by numbers of levels of several parts that are combined and not: the number of tags without rule S9.
type UnlimitedTotals = HashMap<(usize, usize, usize), f64>;

impl ScheduleSpace {
    /// Returns estimates of numbers of schedules by some random ones.
    pub fn estimate(&self, samples: u32, random: &mut Random) -> SampledCounts {
        let has_kernels = self.system.is_device() && self.producer.is_none();
        let (mut shares, mut of_kernels) = (vec![], vec![]);
        let mut totals = UnlimitedTotals::new();
        let is_counted = self.uncounted.is_none();
        for _ in 0..if is_counted && !has_kernels { 0 } else { samples } {
            let mut schedule = self.drawn(random);
            let share = if is_counted { 1.0 } else { self.redraw(&mut schedule, &mut totals, random) };
            shares.push(share);
            let is_lowered = has_kernels && share > 0.0;
            of_kernels.push(if is_lowered { share * self.share_of_kernels(&schedule) } else { 0.0 });
        }
        let exact = || Some(SampledCount { count: self.size.clone(), error: 0.0 });
        let schedules = if is_counted { exact() } else { self.mean(&shares) };
        SampledCounts { schedules, kernels: self.mean(&of_kernels) }
    }

    /// Returns the size multiplied by the mean of some shares.
    fn mean(&self, shares: &[f64]) -> Option<SampledCount> {
        let number = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / number;
        let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (number - 1.0).max(1.0);
        // Shares may be smaller than any fraction of the size: the exponent of the mean is separate.
        let exponent = if mean > 0.0 { (-mean.log2()).ceil().max(0.0) } else { return None };
        let scaled = (mean * exponent.exp2() * SHARE) as u64;
        let count = (&self.size * scaled) >> (52 + exponent as u64);
        Some(SampledCount { count, error: (variance / number).sqrt() / mean })
    }

    /// Replaces the tags of a schedule by random ones that satisfy rule S9, as far as rule S11 depends on them: those of the
    /// scalar phase and of the re-composition. Returns the share of such tags among all tags for its part counts.
    fn redraw(&self, schedule: &mut Schedule, totals: &mut UnlimitedTotals, random: &mut Random) -> f64 {
        let levels = phase::levels(&self.columns, &self.is_combined, schedule);
        let combined = levels.iter().filter(|level| level.level.is_combined).count();
        let [plain, _, combining] = &self.classes;
        let mut share = |phase: usize, classes, limited: &PhaseTagsGiven<'_>| {
            let key = (phase, combined, levels.len() - combined);
            let all = totals.entry(key).or_insert_with(|| PhaseTagsGiven::new(&levels, classes, false).total());
            limited.total() / *all
        };
        let (without, with) =
            (PhaseTagsGiven::new(&levels, plain, true), PhaseTagsGiven::new(&levels, combining, true));
        let share = share(0, plain, &without).powi(2) * share(2, combining, &with);
        if share == 0.0 {
            return 0.0;
        }
        let [scalar, recompose] = [&without, &with].map(|phase| phase.sample(random));
        let tag = |tags: &PhaseTags, level| self.tag(tags.slots[self.number_of(level)]);
        schedule.scalar.order.iter_mut().for_each(|(level, own)| *own = tag(&scalar, *level));
        schedule.recompose.iter_mut().for_each(|step| step.tag = tag(&recompose, step.level));
        share
    }

    /// Returns the share of the regions of outputs that satisfy rule S11 (`nest::gpu::check`) among all regions for the
    /// orders and tags of a schedule.
    fn share_of_kernels(&self, schedule: &Schedule) -> f64 {
        let share = self.share_of_steps(schedule);
        let (mut scalar, mut recompose) = schedule.blocks();
        scalar.sort();
        recompose.sort();
        if scalar == recompose { share } else { share * self.regions(self.system.memory.len()).recip() }
    }

    /// Returns the number of choices of regions for all outputs of a step.
    fn regions(&self, choices: usize) -> f64 {
        (choices as f64).powi(self.shape.outputs.len() as i32)
    }

    /// Returns the share of the regions of outputs that satisfy rule S11 in the steps of the re-composition: for all of
    /// their orders, if no prefix sum restricts these.
    fn share_of_steps(&self, schedule: &Schedule) -> f64 {
        let choices = |step: &Step| {
            let is_combined = schedule.is_loop(step.level) && self.is_combined[step.level.dimension];
            let class = self.slot(&step.tag).map(|slot| self.classes[PHASES - 1].class_of(slot));
            self.regions(self.classes[PHASES - 1].region_choices(class.filter(|_| is_combined)))
        };
        let is_block = |step: &Step| schedule.is_block(step.level, &step.tag);
        let blocks = schedule.recompose.iter().filter(|step| is_block(step)).count();
        if blocks == 0 {
            return 1.0;
        }
        if self.scans().next().is_some() {
            let last = schedule.recompose.iter().rposition(is_block).unwrap_or(0);
            return schedule.recompose.iter().take(last + 1).map(|step| choices(step).recip()).product();
        }
        // By number of steps inside of the last one of blocks: the sum, over the sets of so many of the others, of the
        // shares of the steps outside of them.
        let mut outside =
            vec![schedule.recompose.iter().filter(|step| is_block(step)).map(|s| choices(s).recip()).product()];
        for step in schedule.recompose.iter().filter(|step| !is_block(step)) {
            let share = choices(step).recip();
            outside.push(0.0);
            for inside in (0..outside.len()).rev() {
                outside[inside] = outside[inside] * share + if inside > 0 { outside[inside - 1] } else { 0.0 };
            }
        }
        // Among all orders, a set of `inside` steps is inside of the last of the `blocks` steps with this probability.
        let levels = schedule.recompose.len();
        let mut probability = blocks as f64 / levels as f64;
        let mut share = 0.0;
        for (inside, sum) in outside.into_iter().enumerate() {
            share += probability * sum;
            probability *= (inside + 1) as f64 / (levels - 1 - inside).max(1) as f64;
        }
        share
    }
}
