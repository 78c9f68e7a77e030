//! Choices for kernels as points of a search space that a tuner explores: numbers that describe them, and the choices of
//! a schedule.
//!
//! ```text
//! blocks 16 x 32 · threads 8 x 8 · [input 1 to SM] · registers 8 x 4 · loop 32   ──▶   the choices that give this schedule
//! ```
use super::{DeviceChoices, DeviceSearch, DimensionChoice, InputChoice, Order, Padding, TilingLevel};
use crate::schedule::gpu::layers::DeviceLayers;
use mdh_dialects::schedule::model::Schedule;

impl DeviceSearch<'_> {
    /// Returns numbers that describe choices, as many for all choices: logarithms of sizes, positions of axes, and
    /// which inputs are in shared memory.
    pub(in crate::schedule) fn features(&self, choices: &DeviceChoices) -> Vec<f64> {
        let logarithm = |number: u64| (number.max(1) as f64).log2();
        let truth = |value: bool| f64::from(u8::from(value));
        let mut features = vec![truth(choices.is_double_buffered)];
        for (d, dimension) in choices.dimensions.iter().enumerate() {
            features.extend([
                logarithm(dimension.threads),
                logarithm(dimension.registers),
                logarithm(dimension.inner),
                logarithm(dimension.blocks),
                truth(dimension.is_blocked),
                choices.axes.iter().position(|axis| *axis == d).map_or(-1.0, |position| position as f64),
            ]);
        }
        for input in &choices.inputs {
            let padding = |wanted: Padding| truth(input.padding == wanted);
            features.extend([truth(input.is_shared), input.row as f64]);
            features.extend([Padding::Odd, Padding::Aligned, Padding::Shifted].map(padding));
        }
        features
    }

    /// Returns choices that a schedule may follow from; their tiling may be another one. A dimension of few points may have
    /// lost threads of a warp, without which other dimensions would have them.
    pub(in crate::schedule) fn choices(&self, schedule: &Schedule, layers: &DeviceLayers<'_>) -> Vec<DeviceChoices> {
        let Some(base) = self.read(schedule, layers) else { return vec![] };
        let lanes = self.warps.map_or(1, |(_, lanes)| lanes);
        let more = |d: usize| {
            let threads = base.dimensions[d].threads;
            let powers =
                std::iter::successors(Some(2u64), |power| Some(2 * power)).take_while(move |power| *power <= lanes);
            powers.filter(move |power| *power > threads).map(move |power| (d, power))
        };
        let widened = (0..self.rank()).flat_map(more).map(|(d, threads)| {
            let mut choices = base.clone();
            choices.dimensions[d].threads = threads;
            choices
        });
        let all = std::iter::once(base.clone()).chain(widened);
        all.filter_map(|choices| self.padded(choices, schedule)).collect()
    }

    /// Returns the choices of a schedule, without padding.
    fn read(&self, schedule: &Schedule, layers: &DeviceLayers<'_>) -> Option<DeviceChoices> {
        let mut axes: Vec<Option<usize>> = vec![None; self.rank()];
        for step in schedule.decompose.iter().filter(|step| step.tag.layer == layers.threads.0) {
            *axes.get_mut(step.tag.dimension)? = Some(step.level.dimension);
        }
        let axes: Vec<_> = axes.into_iter().collect::<Option<_>>()?;
        let dimensions = (0..self.rank()).map(|d| self.dimension(schedule, d, layers)).collect::<Option<_>>()?;
        let reads = &schedule.scalar.reads;
        let input = |(buffer, rank): (usize, &usize)| {
            let read = reads.get(buffer).filter(|read| read.region == layers.shared);
            let row = read
                .and_then(|read| self.problem.orders[buffer].to_memory(&read.layout).last().copied())
                .unwrap_or(rank.saturating_sub(1));
            InputChoice { is_shared: read.is_some(), row, padding: Padding::None }
        };
        let inputs = self.problem.shape.inputs.iter().enumerate().map(input).collect();
        let is_double_buffered = reads.iter().any(|read| read.buffers > 1);
        Some(DeviceChoices { axes, dimensions, inputs, is_double_buffered })
    }

    /// Returns choices with the padding of a schedule; `None` if they are impossible, or if no padding is the same.
    fn padded(&self, mut choices: DeviceChoices, schedule: &Schedule) -> Option<DeviceChoices> {
        let reads = &schedule.scalar.reads;
        let tiling = self.tiling(&choices)?;
        for (buffer, input) in choices.inputs.iter_mut().enumerate().filter(|(_, input)| input.is_shared) {
            let all = [Padding::None, Padding::Odd, Padding::Aligned, Padding::Shifted];
            let pad = reads.get(buffer)?.pad;
            input.padding = all.into_iter().find(|padding| self.model.pad(&tiling, buffer, *padding) == pad)?;
        }
        Some(choices)
    }

    /// Returns the choices for a dimension in a schedule.
    fn dimension(&self, schedule: &Schedule, d: usize, layers: &DeviceLayers<'_>) -> Option<DimensionChoice> {
        let steps = schedule.decompose.iter().filter(|step| step.level.dimension == d);
        let mut levels: Vec<_> = steps.map(|step| (step.level.layer, layers.place(&step.tag.layer))).collect();
        levels.sort_by_key(|(layer, _)| *layer);
        let places: Vec<_> = levels.iter().map(|(_, place)| *place).collect();
        let has_order = |order: &Order| order.levels(layers.warps.is_some()).eq(places.iter().copied());
        let order = [Order::Cyclic, Order::Blocked, Order::Scan].into_iter().find(has_order)?;
        let known = |place: TilingLevel| match levels.iter().find(|(_, known)| *known == place) {
            Some((layer, _)) => schedule.parts.get(*layer).and_then(|row| row.get(d).copied()).flatten(),
            None => Some(1),
        };
        let parts = |place: TilingLevel| known(place).unwrap_or(1);
        let threads = parts(TilingLevel::Warps).saturating_mul(parts(TilingLevel::Threads));
        let (registers, inner) = (parts(TilingLevel::Registers), parts(TilingLevel::Inner));
        let blocks = known(TilingLevel::Blocks).unwrap_or_else(|| {
            // The number of blocks follows from a dynamic extent; the choice is the number for the expected one.
            let of_block = [threads, registers, inner, parts(TilingLevel::Outer)];
            self.problem.extent(d).div_ceil(of_block.into_iter().fold(1, u64::saturating_mul)).max(2)
        });
        let blocks = if self.problem.concatenates(d) { 1 } else { blocks };
        Some(DimensionChoice { threads, registers, inner, blocks, is_blocked: order == Order::Blocked })
    }
}
