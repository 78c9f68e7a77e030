//! Typed views of the operations of `mdh.lowlevel`.
use crate::{
    hom::{DIMENSION_NAMES, HOMOMORPHISM, ORDERED},
    ir::{self, Builder, Op, OpView, Region, Val, op_view},
    schedule::model::{ComputeAt, Level, Placement, Tag},
};
use melior::{
    Context,
    ir::{
        Attribute, Type, ValueLike,
        attribute::{ArrayAttribute, DenseI64ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute},
        r#type::IntegerType,
    },
};

op_view! {
    /// `mdh.lowlevel.system`: an abstract system model; [`System`](crate::schedule::model::System) is its data.
    SystemOp = "mdh.lowlevel.system"
}

op_view! {
    /// `mdh.lowlevel.decompose`: a step of the de-composition.
    Decompose = "mdh.lowlevel.decompose"
}

op_view! {
    /// `mdh.lowlevel.scalar`: the scalar phase; its region is the scalar function.
    Scalar = "mdh.lowlevel.scalar"
}

op_view! {
    /// `mdh.lowlevel.recompose`: a step of the re-composition.
    Recompose = "mdh.lowlevel.recompose"
}

const TAG: &str = "tag";
const TAGS: &str = "tags";
const READS: &str = "reads";
const WRITES: &str = "writes";
/// Attribute of the scalar step: the consumer, and the layer and the dimension of its level, counted from 1.
pub(super) const AT: &str = "at";
/// Attribute of the scalar step: the schedule, carried from `mdh-partition` to `mdh-promote-memory`.
const SCHEDULE: &str = "mdh.schedule";

/// A step of the de- or re-composition.
pub trait StepView<'c>: OpView<'c> {
    /// The name of its placement attribute: `reads` or `writes`.
    const PLACEMENTS: &'static str;

    /// The operand MDA.
    fn mda(self) -> Val<'c> {
        ir::operands(self.op())[0]
    }

    /// The result MDA.
    fn result(self) -> Val<'c> {
        ir::results(self.op())[0]
    }

    /// The level; `None` if the layer or the dimension is less than 1.
    fn level(self) -> Option<Level> {
        let number = |name: &str| ir::attribute(self.op(), name).and_then(ir::integer_attribute);
        let position = |name: &str| usize::try_from(number(name)?).ok()?.checked_sub(1);
        Some(Level { layer: position("layer")?, dimension: position("dimension")? })
    }

    /// The number of parts; `None` if it follows from the extent (`?`).
    fn parts(self) -> Option<u64> {
        let count = ir::attribute(self.op(), "parts").and_then(ir::integer_attribute).unwrap_or(1);
        u64::try_from(count).ok()
    }

    /// True if the step has a tag.
    fn has_tag(self) -> bool {
        ir::attribute(self.op(), TAG).is_some()
    }

    /// The tag, after `mdh-tag-operators`.
    fn tag(self) -> Option<Tag> {
        ir::attribute(self.op(), TAG).and_then(Tag::from_attribute)
    }

    /// Sets the tag.
    fn set_tag(self, tag: &Tag) {
        ir::set_attribute(self.op(), TAG, tag.attribute(ir::context(self.op())));
    }

    /// True if the step has placements.
    fn has_placements(self) -> bool {
        ir::attribute(self.op(), Self::PLACEMENTS).is_some()
    }

    /// The placements of its buffers, after `mdh-promote-memory`.
    fn placements(self) -> Option<Vec<Placement>> {
        placements(self.op(), Self::PLACEMENTS)
    }

    /// Sets the placements.
    fn set_placements(self, placements: &[Placement]) {
        set_placements(self.op(), Self::PLACEMENTS, placements);
    }
}

impl<'c> StepView<'c> for Decompose<'c> {
    const PLACEMENTS: &'static str = READS;
}

impl<'c> StepView<'c> for Recompose<'c> {
    const PLACEMENTS: &'static str = WRITES;
}

fn placements(operation: Op<'_>, key: &str) -> Option<Vec<Placement>> {
    let list = ir::attribute(operation, key).and_then(ir::array_attribute)?;
    list.into_iter().map(Placement::from_attribute).collect()
}

fn set_placements(operation: Op<'_>, key: &str, placements: &[Placement]) {
    let context = ir::context(operation);
    let list: Vec<_> = placements.iter().map(|placement| placement.attribute(context)).collect();
    ir::set_attribute(operation, key, ArrayAttribute::new(context, &list).into());
}

/// The common attributes of both kinds of steps. The IR counts from 1; `i64::MIN` is the part count `?`.
fn at(context: &Context, level: Level, parts: Option<u64>) -> [(&'static str, Attribute<'_>); 3] {
    let number = |value| IntegerAttribute::new(IntegerType::new(context, 64).into(), value).into();
    [
        ("layer", number(level.layer as i64 + 1)),
        ("dimension", number(level.dimension as i64 + 1)),
        ("parts", number(parts.map_or(i64::MIN, |parts| parts as i64))),
    ]
}

/// A position in a consumer as an attribute.
fn position(context: &Context, ComputeAt { consumer, level: Level { layer, dimension } }: ComputeAt) -> Attribute<'_> {
    let numbers = [consumer, layer, dimension].map(|number| number as i64 + 1);
    DenseI64ArrayAttribute::new(context, &numbers).into()
}

impl<'c> Decompose<'c> {
    /// Builds a step without tag and placements.
    pub fn build(b: &Builder<'c>, mda: Val<'c>, level: Level, parts: Option<u64>) -> Self {
        Self(b.op(Self::NAME, &[mda], &[mda.r#type()], &at(b.context, level, parts), vec![]))
    }
}

impl<'c> Recompose<'c> {
    /// Builds a step without tag and placements.
    pub fn build(
        b: &Builder<'c>,
        mda: Val<'c>,
        combine: Attribute<'c>,
        level: Level,
        parts: Option<u64>,
        result: Type<'c>,
    ) -> Self {
        let mut attributes = at(b.context, level, parts).to_vec();
        attributes.push(("combine", combine));
        Self(b.op(Self::NAME, &[mda], &[result], &attributes, vec![]))
    }

    /// The combine operator of its dimension.
    pub fn combine(self) -> Option<Attribute<'c>> {
        ir::attribute(self.0, "combine")
    }
}

/// The components of the scalar phase.
pub struct ScalarParts<'c> {
    /// The symbol of the system.
    pub system: String,
    /// By layer, then by dimension: the position of the level in the order of iteration, counted from 1.
    pub order: Vec<Vec<i64>>,
    /// The schedule, carried by the chain until it is complete.
    pub schedule: Attribute<'c>,
    /// The position in a consumer, if the results are computed in parts.
    pub at: Option<ComputeAt>,
    /// True if the program declares that different operators form a homomorphism together.
    pub is_homomorphism: bool,
    /// True if values must be combined in the lexicographic order of the points.
    pub is_ordered: bool,
    /// The names of the dimensions, if the program names them.
    pub dimension_names: Option<Attribute<'c>>,
    /// The initial values, one for each component of the result, or none.
    pub inits: Vec<Val<'c>>,
    /// The scalar function.
    pub scalar: Region<'c>,
}

impl<'c> Scalar<'c> {
    /// Builds the scalar phase without tags and placements.
    pub fn build(b: &Builder<'c>, mda: Val<'c>, parts: ScalarParts<'c>, result: Type<'c>) -> Self {
        let operands = [&[mda], &parts.inits[..]].concat();
        let system = FlatSymbolRefAttribute::new(b.context, &parts.system).into();
        let rows: Vec<_> = parts.order.iter().map(|row| DenseI64ArrayAttribute::new(b.context, row).into()).collect();
        let order = ArrayAttribute::new(b.context, &rows).into();
        let mut attributes = vec![("system", system), ("order", order), (SCHEDULE, parts.schedule)];
        attributes.extend(parts.is_homomorphism.then(|| (HOMOMORPHISM, Attribute::unit(b.context))));
        attributes.extend(parts.is_ordered.then(|| (ORDERED, Attribute::unit(b.context))));
        attributes.extend(parts.dimension_names.map(|names| (DIMENSION_NAMES, names)));
        attributes.extend(parts.at.map(|at| (AT, position(b.context, at))));
        Self(b.op(Self::NAME, &operands, &[result], &attributes, vec![parts.scalar]))
    }

    /// The operand MDA.
    pub fn mda(self) -> Val<'c> {
        ir::operands(self.0)[0]
    }

    /// The result MDA.
    pub fn result(self) -> Val<'c> {
        ir::results(self.0)[0]
    }

    /// The initial values, one for each component of the result: scalars and MDAs; empty if there are none.
    pub fn inits(self) -> Vec<Val<'c>> {
        ir::operands(self.0).split_off(1)
    }

    /// The symbol of the system.
    pub fn system(self) -> &'c str {
        ir::attribute(self.0, "system").and_then(ir::symbol_attribute).unwrap_or_default()
    }

    /// The names of the dimensions as an attribute, if the program names them.
    pub fn dimension_names(self) -> Option<Attribute<'c>> {
        ir::attribute(self.0, DIMENSION_NAMES)
    }

    /// True if values must be combined in the lexicographic order of the points.
    pub fn is_ordered(self) -> bool {
        ir::attribute(self.0, ORDERED).is_some()
    }

    /// Requires that values are combined in the lexicographic order of the points.
    pub fn set_ordered(self) {
        ir::set_attribute(self.0, ORDERED, Attribute::unit(ir::context(self.0)));
    }

    /// By layer, then by dimension: the position of the level in the order of iteration, counted from 1.
    pub fn order(self) -> Vec<Vec<i64>> {
        let rows = ir::attribute(self.0, "order").and_then(ir::array_attribute).unwrap_or_default();
        rows.into_iter().map(|row| ir::dense_array_attribute(row).unwrap_or_default()).collect()
    }

    /// The position in a consumer; `None` if all results are computed at once.
    pub fn at(self) -> Option<ComputeAt> {
        let numbers = ir::attribute(self.0, AT).and_then(ir::dense_array_attribute)?;
        let numbers: Vec<_> = numbers.iter().map(|number| usize::try_from(*number).ok()?.checked_sub(1)).collect();
        match numbers[..] {
            [Some(consumer), Some(layer), Some(dimension)] => {
                Some(ComputeAt { consumer, level: Level { layer, dimension } })
            }
            _ => None,
        }
    }

    /// Sets the position in a consumer.
    pub fn set_at(self, at: ComputeAt) {
        ir::set_attribute(self.0, AT, position(ir::context(self.0), at));
    }

    /// True if the scalar phase has tags.
    pub fn has_tags(self) -> bool {
        ir::attribute(self.0, TAGS).is_some()
    }

    /// The tags of all levels, layer by layer.
    pub fn tags(self) -> Option<Vec<Tag>> {
        let tags = ir::attribute(self.0, TAGS).and_then(ir::array_attribute)?;
        tags.into_iter().map(Tag::from_attribute).collect()
    }

    /// Sets the tags of all levels, layer by layer.
    pub fn set_tags<'t>(self, tags: impl IntoIterator<Item = &'t Tag>) {
        let context = ir::context(self.0);
        let tags: Vec<_> = tags.into_iter().map(|tag| tag.attribute(context)).collect();
        ir::set_attribute(self.0, TAGS, ArrayAttribute::new(context, &tags).into());
    }

    /// True if it has the placements of all buffers.
    pub fn has_placements(self) -> bool {
        [READS, WRITES].iter().all(|key| ir::attribute(self.0, key).is_some())
    }

    /// The placements of inputs.
    pub fn reads(self) -> Option<Vec<Placement>> {
        placements(self.0, READS)
    }

    /// The placements of outputs.
    pub fn writes(self) -> Option<Vec<Placement>> {
        placements(self.0, WRITES)
    }

    /// Sets the placements of inputs and outputs.
    pub fn set_placements(self, reads: &[Placement], writes: &[Placement]) {
        set_placements(self.0, READS, reads);
        set_placements(self.0, WRITES, writes);
    }

    /// The schedule, carried by the chain until it is complete.
    pub fn schedule(self) -> Option<Attribute<'c>> {
        ir::attribute(self.0, SCHEDULE)
    }

    /// Removes the schedule.
    pub fn remove_schedule(self) {
        ir::remove_attribute(self.0, SCHEDULE);
    }
}
