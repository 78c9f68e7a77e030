//! Typed views of the operations of `mdh.hom`, and of `mdh.compute`.
use crate::attributes::{CONTRACT, RAISED};
use crate::ir::{self, Blk, Builder, Op, OpView, Region, Val, op_view};
use melior::ir::{
    Attribute, Type,
    attribute::{ArrayAttribute, BoolAttribute, StringAttribute},
};

op_view! {
    /// `mdh.compute`: a computation in the form published on mdh-lang.org.
    Compute = "mdh.compute"
}

op_view! {
    /// `mdh.hom.md_hom`: a multi-dimensional homomorphism; its region is the scalar function.
    MdHom = "mdh.hom.md_hom"
}

op_view! {
    /// `mdh.hom.yield`: the results of a scalar function or an operator.
    Yield = "mdh.hom.yield"
}

op_view! {
    /// `mdh.hom.index`: the index of the point in a dimension.
    Index = "mdh.hom.index"
}

op_view! {
    /// `mdh.hom.operator`: a user-defined combining function, with its identity if one is declared.
    Operator = "mdh.hom.operator"
}

const SCHEDULE: &str = "schedule";
/// Attribute of `md_hom`, and of the scalar step that it is lowered to.
pub(crate) const HOMOMORPHISM: &str = "homomorphism";
/// Attribute of `md_hom`, and of the scalar step that it is lowered to.
pub(crate) const ORDERED: &str = "ordered";
/// Attribute of `md_hom`, and of the scalar step that it is lowered to.
pub(crate) const DIMENSION_NAMES: &str = "dimension_names";

impl<'c> Compute<'c> {
    /// The dictionary of views and functions.
    pub fn computation(self) -> Option<Attribute<'c>> {
        ir::attribute(self.0, "computation")
    }

    /// The dictionary of types and sizes.
    pub fn types(self) -> Option<Attribute<'c>> {
        ir::attribute(self.0, "types")
    }

    /// The input buffers.
    pub fn inputs(self) -> Vec<Val<'c>> {
        ir::operands(self.0)
    }

    /// The output buffers.
    pub fn outputs(self) -> Vec<Val<'c>> {
        ir::results(self.0)
    }
}

impl<'c> MdHom<'c> {
    /// Builds a homomorphism with one combine operator for each dimension. `inits`: one initial value for each component
    /// of the result, or none.
    pub fn build(
        b: &Builder<'c>,
        mda: Val<'c>,
        inits: &[Val<'c>],
        combine: &[Attribute<'c>],
        scalar: Region<'c>,
        result: Type<'c>,
    ) -> Self {
        let combine = ArrayAttribute::new(b.context, combine).into();
        let operands = [&[mda], inits].concat();
        Self(b.op(Self::NAME, &operands, &[result], &[("combine", combine)], vec![scalar]))
    }

    /// The operand MDA.
    pub fn mda(self) -> Val<'c> {
        ir::operands(self.0)[0]
    }

    /// Replaces the operand MDA.
    pub fn set_mda(self, mda: Val<'c>) {
        ir::set_operand(self.0, 0, mda);
    }

    /// The initial values, one for each component of the result: scalars and MDAs; empty if there are none.
    pub fn inits(self) -> Vec<Val<'c>> {
        ir::operands(self.0).split_off(1)
    }

    /// The result MDA.
    pub fn result(self) -> Val<'c> {
        ir::results(self.0)[0]
    }

    /// The combine operators, one for each dimension.
    pub fn combine(self) -> Vec<Attribute<'c>> {
        ir::attribute(self.0, "combine").and_then(ir::array_attribute).unwrap_or_default()
    }

    /// The schedule; present between `mdh-schedule` and `mdh-partition`, or if the program specifies one.
    pub fn schedule(self) -> Option<Attribute<'c>> {
        ir::attribute(self.0, SCHEDULE)
    }

    /// Sets the schedule.
    pub fn set_schedule(self, schedule: Attribute<'c>) {
        ir::set_attribute(self.0, SCHEDULE, schedule);
    }

    /// Gives another homomorphism the attributes of this one, except the operators and the schedule.
    pub fn copy_attributes(self, to: Self) {
        for name in [CONTRACT, DIMENSION_NAMES, HOMOMORPHISM, ORDERED, RAISED] {
            if let Some(attribute) = ir::attribute(self.0, name) {
                ir::set_attribute(to.0, name, attribute);
            }
        }
    }

    /// The names of the dimensions as an attribute, if the program names them.
    pub fn dimension_names(self) -> Option<Attribute<'c>> {
        ir::attribute(self.0, DIMENSION_NAMES)
    }

    /// Names the dimensions.
    pub fn set_dimension_names(self, names: &[&str]) {
        let context = ir::context(self.0);
        let names: Vec<_> = names.iter().map(|name| StringAttribute::new(context, name).into()).collect();
        ir::set_attribute(self.0, DIMENSION_NAMES, ArrayAttribute::new(context, &names).into());
    }

    /// Marks a homomorphism as raised from another dialect.
    pub fn set_raised(self) {
        ir::set_attribute(self.0, RAISED, Attribute::unit(ir::context(self.0)));
    }

    /// Permits or forbids that sums by which values are combined are fused with products.
    pub fn set_contract(self, is_permitted: bool) {
        ir::set_attribute(self.0, CONTRACT, BoolAttribute::new(ir::context(self.0), is_permitted).into());
    }

    /// True if values must be combined in the lexicographic order of the points, where another order would round floats
    /// otherwise.
    pub fn is_ordered(self) -> bool {
        ir::attribute(self.0, ORDERED).is_some()
    }

    /// Requires that values are combined in the lexicographic order of the points.
    pub fn set_ordered(self) {
        ir::set_attribute(self.0, ORDERED, Attribute::unit(ir::context(self.0)));
    }

    /// True if the program declares that different operators form a homomorphism together.
    pub fn is_homomorphism(self) -> bool {
        ir::attribute(self.0, HOMOMORPHISM).is_some()
    }
}

impl<'c> Yield<'c> {
    /// Builds the terminator of a scalar function or an operator.
    pub fn build(b: &Builder<'c>, values: &[Val<'c>]) -> Self {
        Self(b.op(Self::NAME, values, &[], &[], vec![]))
    }
}

impl<'c> Index<'c> {
    /// The dimension, counted from 0.
    pub fn dimension(self) -> usize {
        let dimension = ir::attribute(self.0, "dimension").and_then(ir::integer_attribute);
        dimension.and_then(|dimension| usize::try_from(dimension).ok()).unwrap_or_default()
    }
}

impl<'c> Operator<'c> {
    /// Builds an operator; `function_type` maps both tuples to one.
    pub fn build(
        b: &Builder<'c>,
        symbol: &str,
        function_type: Attribute<'c>,
        commutative: bool,
        body: Region<'c>,
        identity: Region<'c>,
    ) -> Self {
        let symbol = StringAttribute::new(b.context, symbol).into();
        let mut attributes = vec![("sym_name", symbol), ("function_type", function_type)];
        attributes.extend(commutative.then(|| ("commutative", Attribute::unit(b.context))));
        Self(b.op(Self::NAME, &[], &[], &attributes, vec![body, identity]))
    }

    /// Looks up the operator that a symbol names, starting from an operation.
    pub fn lookup(from: Op<'c>, symbol: &str) -> Option<Self> {
        ir::lookup_symbol(from, symbol).and_then(Self::cast)
    }

    /// The combining block: it takes the left tuple, then the right one.
    pub fn body(self) -> Option<Blk<'c>> {
        ir::body(self.0, 0)
    }

    /// The block that yields the identity, if the program declares one.
    pub fn identity(self) -> Option<Blk<'c>> {
        ir::body(self.0, 1)
    }
}
