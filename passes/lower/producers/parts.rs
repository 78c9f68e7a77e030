//! The parts of producers: the indices that their readers read at a point of the consumer, and rule F3.
//!
//! ```text
//! y(i, j) reads x(i, j) and sum(i), with a loop over i around the producers       sum: i to i
//! sum(i) reads x(i, k) for all k < 8, y reads x(i, j)                             x: i to i, 0 to 7
//! ```
use crate::{
    analysis::{
        computation::{AccessedBuffer, Computation, ExtentSource},
        extents::ExtentValue,
        index::Access,
    },
    lower::workload,
    nest::{
        types::Element,
        workload::{Input, PartRange, Workload},
    },
};
use mdh_dialects::ir::Val;

/// A producer, reduced to what its parts depend on.
pub struct ProducerPart {
    /// The computation. Inputs that are results of other producers name these.
    pub workload: Workload,
    /// By dimension: the indices of a part; `None` for all indices of the dimension. Empty until they are known.
    pub ranges: Vec<Option<PartRange>>,
    /// By dimension: the dimensions of the consumer that are known to have the same dynamic extent.
    alike: Vec<Vec<usize>>,
}

/// The indices that a reader reads along an axis.
struct ReadRange {
    range: PartRange,
    /// True if these are the indices at one of an unknown number of points.
    is_open: bool,
}

/// The workloads of a consumer and its producers, in which inputs that are results of producers name them.
pub fn marked<'c>(consumer: &Computation<'c>, producers: &[&Computation<'c>]) -> (Workload, Vec<ProducerPart>) {
    let mut workload = workload::workload(consumer);
    let source = |value: Val<'_>| {
        producers.iter().enumerate().find_map(|(number, producer)| {
            let results = producer.out_view.buffers();
            results.iter().position(|result| *result == value).map(|output| (number, output))
        })
    };
    let mark = |inputs: &mut [Input], buffers: &[AccessedBuffer<'_>]| {
        inputs.iter_mut().zip(buffers).for_each(|(input, buffer)| input.producer = source(buffer.value));
    };
    mark(&mut workload.inputs, &consumer.inputs);
    let mut found: Vec<ProducerPart> = vec![];
    for producer in producers {
        let mut own = workload::workload(producer);
        mark(&mut own.inputs, &producer.inputs);
        let value = |of: &Computation<'c>, d: usize| ExtentValue::of(of, d).map(ExtentValue::origin);
        let is_alike = |c: usize, d: usize| value(producer, d).is_some() && value(consumer, c) == value(producer, d);
        let alike = |d: usize| (0..consumer.rank()).filter(|&c| is_alike(c, d)).collect();
        found.push(ProducerPart { workload: own, ranges: vec![], alike: (0..producer.rank()).map(alike).collect() });
    }
    (workload, found)
}

/// F3: the form of the results of a producer.
pub fn check_results(workload: &Workload) -> Result<(), String> {
    let kept = |d: usize| workload.operators[d].keeps();
    for (i, output) in workload.outputs.iter().enumerate() {
        let is_index =
            |access: &Access, axis: usize| (0..workload.rank()).any(|d| kept(d) && access.is_index_of(axis, d));
        let is_plain = |access: &Access| {
            (0..access.rank()).all(|axis| access.terms(axis).next().is_none() || is_index(access, axis))
                && (0..workload.rank()).all(|d| !kept(d) || access.depends_on(d))
        };
        if !matches!(&output.accesses[..], [access] if is_plain(access)) {
            return Err(format!(
                "F3: requires results with one index function, in which each dimension that they keep is an index alone, and the other indices are constants, but result {} has another one",
                i + 1
            ));
        }
    }
    let mut types = workload.input_types.iter().chain(&workload.output_types);
    if types.any(|element| matches!(element, Element::Other(_))) {
        return Err("F3: requires numbers as elements and values".to_owned());
    }
    Ok(())
}

/// F3: a scanned dimension begins with its first index in each part.
pub fn check_scans(producer: &ProducerPart) -> Result<(), String> {
    for (d, range) in producer.ranges.iter().enumerate().filter(|(d, _)| producer.workload.operators[*d].is_scan()) {
        let Some(range) = range else { continue };
        if range.low != 0 || !range.coefficients.is_empty() {
            return Err(format!(
                "F3: requires parts that begin with the first index of a scanned dimension, but those of dimension {} do not",
                d + 1
            ));
        }
    }
    Ok(())
}

/// By producer: the indices of its parts by dimension, if only loops over some dimensions of the consumer are around the
/// producers. The error is the rule that the producer violates.
pub fn around(
    consumer: &Computation<'_>,
    producers: &[&Computation<'_>],
    dimensions: &[usize],
) -> Vec<Result<Vec<Option<PartRange>>, String>> {
    let (workload, mut found) = marked(consumer, producers);
    let mut all = vec![];
    for number in (0..found.len()).rev() {
        let is_around = |d: usize| dimensions.contains(&d);
        let own = check_results(&found[number].workload)
            .and_then(|()| ranges(number, &workload, &found, &is_around))
            .and_then(|ranges| {
                found[number].ranges = ranges;
                check_scans(&found[number])
            });
        if own.is_err() {
            found[number].ranges = vec![None; found[number].workload.rank()];
        }
        all.push(own.map(|()| found[number].ranges.clone()));
    }
    all.reverse();
    all
}

/// The dimensions of the consumer that these indices of a part move with.
pub fn moving(ranges: &[Option<PartRange>]) -> Vec<usize> {
    let ranges = ranges.iter().flatten();
    let mut dimensions: Vec<_> = ranges.flat_map(|range| range.coefficients.iter().map(|(d, _)| *d)).collect();
    dimensions.sort_unstable();
    dimensions.dedup();
    dimensions
}

/// The indices of the parts of a producer, by dimension: those that the consumer and later producers read. `is_around`:
/// true for the dimensions of the consumer that have a loop around the producer.
pub fn ranges(
    number: usize,
    consumer: &Workload,
    all: &[ProducerPart],
    is_around: &dyn Fn(usize) -> bool,
) -> Result<Vec<Option<PartRange>>, String> {
    let workload = &all[number].workload;
    // By dimension: what is known of the part; `Some(None)` for all indices.
    let mut ranges: Vec<Option<Option<PartRange>>> = vec![None; workload.rank()];
    let mut add = |output: usize, axis: usize, read: ReadRange| {
        let access = &workload.outputs[output].accesses[0];
        let Some((d, _)) = access.terms(axis).next() else { return Ok(()) };
        let read = read.part(d)?;
        let known = ranges[d].get_or_insert_with(|| read.clone());
        let coefficients =
            |range: &Option<PartRange>| range.as_ref().map_or(vec![], |range| range.coefficients.clone());
        if coefficients(known) != coefficients(&read) {
            return Err(format!(
                "F3: requires that all indices read along dimension {} move in the same way with the point of the consumer",
                d + 1
            ));
        }
        *known = known.take().zip(read).map(|(known, read)| PartRange {
            low: known.low.min(read.low),
            high: known.high.max(read.high),
            ..known
        });
        Ok(())
    };
    let output_of = |input: &Input| input.producer.filter(|(of, _)| *of == number).map(|(_, output)| output);
    let readers = all.iter().skip(number + 1).map(Some).chain([None]);
    for reader in readers {
        let inputs = reader.map_or(&consumer.inputs, |reader| &reader.workload.inputs);
        for (input, output) in inputs.iter().filter_map(|input| Some((input, output_of(input)?))) {
            for access in &input.accesses {
                for axis in 0..access.rank() {
                    let read = read(access, axis, reader).closed(consumer, is_around);
                    add(output, axis, read)?;
                }
            }
        }
    }
    let unread = (0..workload.rank()).find(|&d| workload.operators[d].keeps() && ranges[d].is_none());
    if let Some(d) = unread {
        return Err(format!(
            "F1: requires results that the consumer reads, but it reads none along dimension {}",
            d + 1
        ));
    }
    let limited = |(d, range): (usize, Option<Option<PartRange>>)| {
        let range = range.flatten()?;
        Some(PartRange { is_limited: !is_inside(&range, &all[number], d, consumer), ..range })
    };
    Ok(ranges.into_iter().enumerate().map(limited).collect())
}

/// True if all indices of a range are known to be inside of the dimension, at all points of the consumer. Other indices
/// are read at no point: one may be beyond the extent if its reader has no points at run time.
fn is_inside(range: &PartRange, producer: &ProducerPart, d: usize, consumer: &Workload) -> bool {
    if let ([(of, 1)], 0, 0) = (&range.coefficients[..], range.low, range.high)
        && producer.alike[d].contains(of)
    {
        return true;
    }
    let (ExtentSource::Static(extent), mut all) = (producer.workload.extents[d], range.clone()) else { return false };
    for (of, c) in std::mem::take(&mut all.coefficients) {
        let ExtentSource::Static(extent) = consumer.extents[of] else { return false };
        all.add_interval(0, last(extent), c);
    }
    all.low >= 0 && all.high <= last(extent)
}

/// The indices that a reader reads along an axis of an access, at a point of the consumer. `reader`: a producer, which
/// reads them at the points of its part; `None` for the consumer.
fn read(access: &Access, axis: usize, reader: Option<&ProducerPart>) -> ReadRange {
    let origin = access.origin(axis);
    let mut range = PartRange { coefficients: vec![], low: origin, high: origin, is_limited: false };
    let mut is_open = false;
    for (d, c) in access.terms(axis) {
        let Some(reader) = reader else {
            range.coefficients.push((d, c));
            continue;
        };
        match (&reader.ranges[d], reader.workload.extents[d]) {
            (Some(inner), _) => {
                for (dimension, coefficient) in &inner.coefficients {
                    range.add(*dimension, coefficient.saturating_mul(c));
                }
                range.add_interval(inner.low, inner.high, c);
            }
            (None, ExtentSource::Static(extent)) => range.add_interval(0, last(extent), c),
            (None, _) => is_open = true,
        }
    }
    ReadRange { range, is_open }
}

/// The last index of an extent.
fn last(extent: u64) -> i64 {
    i64::try_from(extent).unwrap_or(i64::MAX).saturating_sub(1)
}

impl PartRange {
    /// Adds a multiple of an interval of indices.
    fn add_interval(&mut self, low: i64, high: i64, c: i64) {
        let (low, high) = if c > 0 { (low, high) } else { (high, low) };
        self.low = self.low.saturating_add(low.saturating_mul(c));
        self.high = self.high.saturating_add(high.saturating_mul(c));
    }

    /// Adds a multiple of a dimension of the consumer.
    fn add(&mut self, d: usize, c: i64) {
        match self.coefficients.iter_mut().find(|(known, _)| *known == d) {
            Some((_, sum)) => *sum = sum.saturating_add(c),
            None => self.coefficients.push((d, c)),
        }
        self.coefficients.retain(|(_, c)| *c != 0);
        self.coefficients.sort_unstable();
    }
}

impl ReadRange {
    /// The indices of all points of a part: those with all indices of the dimensions of the consumer that have no loop
    /// around the producer.
    fn closed(mut self, consumer: &Workload, is_around: &dyn Fn(usize) -> bool) -> Self {
        for (d, c) in std::mem::take(&mut self.range.coefficients) {
            match consumer.extents[d] {
                _ if is_around(d) => self.range.add(d, c),
                ExtentSource::Static(extent) => self.range.add_interval(0, last(extent), c),
                ExtentSource::Input { .. } | ExtentSource::Operand(_) => self.is_open = true,
            }
        }
        self
    }

    /// The part of a dimension of the producer that contains these indices; `None` if it is the whole dimension.
    fn part(self, d: usize) -> Result<Option<PartRange>, String> {
        match (self.is_open, self.range.coefficients.first()) {
            (true, Some((of, _))) => Err(format!(
                "F3: requires a static number of indices along dimension {} that move with the point of the consumer, but those that move with dimension {} are read for all indices of a dimension of dynamic extent",
                d + 1,
                of + 1
            )),
            (is_open, _) => Ok(Some(self.range).filter(|_| !is_open)),
        }
    }
}
