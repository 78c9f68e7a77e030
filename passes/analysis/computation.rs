//! Computations, read from the IR: `out_view ∘ md_hom ∘ inp_view`, or its low-level chain.
//!
//! ```text
//! inp_view -> md_hom -> out_view
//! inp_view -> decompose* -> scalar -> recompose* -> out_view
//! ```
use crate::analysis::index::{Access, Domain};
use mdh_dialects::{
    attributes::CONTRACT,
    hom::{self, CombineOperator, Function, MdHom, Operator},
    ir::{self, Blk, Op, OpView, Val},
    lowlevel::{Decompose, Recompose, Scalar, StepView},
    schedule::rules::Shape,
    view::{self, IndexFunction, InpView, OutView},
};
use melior::ir::{Attribute, Type, ValueLike, attribute::BoolAttribute};

/// A buffer with its accesses, which map to consecutive components of the scalar tuple.
#[derive(Clone, Debug)]
pub struct AccessedBuffer<'c> {
    /// The tensor or memref. For an output: its destination, or the result of the out_view if there is none.
    pub value: Val<'c>,
    /// Its type.
    pub ty: Type<'c>,
    /// The element type.
    pub element: Type<'c>,
    /// Its sizes; `None` if dynamic.
    pub shape: Vec<Option<u64>>,
    /// Its accesses, in order.
    pub accesses: Vec<Access>,
    /// The position of its first access in the scalar tuple.
    pub first_component: usize,
}

/// The source of an extent at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentSource {
    /// The extent is static.
    Static(u64),
    /// The size of dimension `dimension` of input buffer `buffer`, whose index function is this iteration dimension
    /// alone.
    Input {
        /// The input buffer.
        buffer: usize,
        /// Its dimension.
        dimension: usize,
    },
    /// The extents operand of the inp_view at this position.
    Operand(usize),
}

/// The operation that contains the scalar function.
#[derive(Clone, Copy, Debug)]
pub enum Hom<'c> {
    /// The homomorphism, before mdh-partition.
    MdHom(MdHom<'c>),
    /// The scalar phase, after it.
    Scalar(Scalar<'c>),
}

impl<'c> Hom<'c> {
    /// Returns the view of an operation; `None` if it is neither `mdh.hom.md_hom` nor `mdh.lowlevel.scalar`.
    pub fn cast(operation: Op<'c>) -> Option<Self> {
        MdHom::cast(operation).map(Self::MdHom).or_else(|| Scalar::cast(operation).map(Self::Scalar))
    }

    /// The operation.
    pub fn op(self) -> Op<'c> {
        match self {
            Self::MdHom(hom) => hom.op(),
            Self::Scalar(scalar) => scalar.op(),
        }
    }

    /// The input MDA.
    pub fn mda(self) -> Val<'c> {
        match self {
            Self::MdHom(hom) => hom.mda(),
            Self::Scalar(scalar) => scalar.mda(),
        }
    }

    /// The initial values: scalars and MDAs.
    pub fn inits(self) -> Vec<Val<'c>> {
        match self {
            Self::MdHom(hom) => hom.inits(),
            Self::Scalar(scalar) => scalar.inits(),
        }
    }

    /// The output MDA.
    pub fn result(self) -> Val<'c> {
        match self {
            Self::MdHom(hom) => hom.result(),
            Self::Scalar(scalar) => scalar.result(),
        }
    }

    /// True if values must be combined in the lexicographic order of the points, where another order would round floats
    /// otherwise.
    pub fn is_ordered(self) -> bool {
        match self {
            Self::MdHom(hom) => hom.is_ordered(),
            Self::Scalar(scalar) => scalar.is_ordered(),
        }
    }

    /// True if a sum by which values are combined may be fused with the product that is a value: if the program permits it,
    /// or does not decide, and values may be combined in another order.
    pub fn is_contract(self) -> bool {
        self.contract().unwrap_or(!self.is_ordered())
    }

    /// True if products may be fused with sums in the scalar function: a program that decides does so by flags of its
    /// operations.
    pub fn may_contract_values(self) -> bool {
        self.contract().is_none() && !self.is_ordered()
    }

    fn contract(self) -> Option<bool> {
        let contract = ir::attribute(self.op(), CONTRACT)?;
        BoolAttribute::try_from(contract).ok().map(|contract| contract.value())
    }

    /// Requires that values are combined in the lexicographic order of the points.
    pub fn set_ordered(self) {
        match self {
            Self::MdHom(hom) => hom.set_ordered(),
            Self::Scalar(scalar) => scalar.set_ordered(),
        }
    }

    /// The scalar function.
    pub fn body(self) -> Option<Blk<'c>> {
        ir::body(self.op(), 0)
    }
}

/// The initial value of a component of the result: it is combined from the left, once into each element.
#[derive(Clone, Debug)]
pub enum InitialValue<'c> {
    /// A scalar, the same for all elements.
    Scalar(Val<'c>),
    /// The elements of a buffer that a view reads with one access, at index 0 of dimensions that are combined.
    Elements(InpView<'c>, AccessedBuffer<'c>),
}

impl<'c> InitialValue<'c> {
    /// The buffer; `None` for a scalar.
    pub fn buffer(&self) -> Option<&AccessedBuffer<'c>> {
        match self {
            Self::Scalar(_) => None,
            Self::Elements(_, buffer) => Some(buffer),
        }
    }
}

/// A computation of the module, found from its out_view.
#[derive(Clone, Debug)]
pub struct Computation<'c> {
    /// The input view.
    pub inp_view: InpView<'c>,
    /// The operation that contains the scalar function.
    pub hom: Hom<'c>,
    /// The initial values, one for each component of the result; empty if there are none.
    pub inits: Vec<InitialValue<'c>>,
    /// The output view.
    pub out_view: OutView<'c>,
    /// The steps of the de-composition, outermost first; empty before partition.
    pub decompose: Vec<Decompose<'c>>,
    /// The steps of the re-composition, innermost first; empty before partition.
    pub recompose: Vec<Recompose<'c>>,
    /// The iteration domain.
    pub domain: Domain,
    /// The sources of the extents, by dimension.
    pub extent_sources: Vec<ExtentSource>,
    /// The combine operators, by dimension.
    pub operators: Vec<CombineOperator>,
    /// The types of the scalar function's input tuple.
    pub input_types: Vec<Type<'c>>,
    /// The types of the scalar function's output tuple.
    pub output_types: Vec<Type<'c>>,
    /// The input buffers.
    pub inputs: Vec<AccessedBuffer<'c>>,
    /// The output buffers.
    pub outputs: Vec<AccessedBuffer<'c>>,
}

impl<'c> Computation<'c> {
    /// Reads the computation that ends in this out_view. Returns `None` if the view's MDA does not come from an md_hom
    /// or a low-level chain on an inp_view (but from a block argument, for example), or if an operator cannot be
    /// resolved. The verifier guarantees the rest.
    pub fn from_out_view(out_view: OutView<'c>) -> Option<Self> {
        let (mut recompose, current) = steps::<Recompose<'c>>(out_view.mda())?;
        recompose.reverse();
        let hom = Hom::cast(current)?;
        let (mut decompose, current) = steps::<Decompose<'c>>(hom.mda())?;
        decompose.reverse();
        let inp_view = InpView::cast(current)?;
        let (extents, input_types) = view::mda_type(inp_view.result().r#type())?;
        let (_, output_types) = view::mda_type(hom.result().r#type())?;
        let operator = |attribute| combine_operator(hom.op(), attribute, output_types.len());
        let operators = match hom {
            Hom::MdHom(hom) => hom.combine().into_iter().map(operator).collect::<Option<Vec<_>>>()?,
            Hom::Scalar(_) => {
                let mut operators = vec![CombineOperator::Concatenation; extents.len()];
                for step in &recompose {
                    *operators.get_mut(step.level()?.dimension)? = operator(step.combine()?)?;
                }
                operators
            }
        };
        let accesses = inp_view.accesses()?;
        let extent_sources = extent_sources(&extents, &accesses);
        let inputs = buffers(&inp_view.buffers(), accesses)?;
        let outputs = buffers(&out_view.buffers(), out_view.accesses()?)?;
        let inits = hom.inits().into_iter().map(initial_value).collect::<Option<_>>()?;
        Some(Self {
            inp_view,
            hom,
            inits,
            out_view,
            decompose,
            recompose,
            domain: Domain::new(extents.iter().copied()),
            extent_sources,
            operators,
            input_types,
            output_types,
            inputs,
            outputs,
        })
    }

    /// By computation: the name of the enclosing function, and the number of preceding computations in it.
    pub fn numbered(computations: &[Self]) -> Vec<(String, usize)> {
        let mut names: Vec<(String, usize)> = vec![];
        for computation in computations {
            let mut scope = ir::parent(computation.out_view.op());
            let symbol = |op: Op<'_>| ir::attribute(op, "sym_name").and_then(ir::string_attribute).map(str::to_owned);
            let mut function = None;
            while let (Some(operation), None) = (scope, &function) {
                function = symbol(operation);
                scope = ir::parent(operation);
            }
            let function = function.unwrap_or_default();
            let before = names.iter().filter(|(name, _)| *name == function).count();
            names.push((function, before));
        }
        names
    }

    /// All computations in an operation and its regions, in order.
    pub fn all(root: Op<'c>) -> Vec<Self> {
        OutView::all(root).into_iter().filter_map(Self::from_out_view).collect()
    }

    /// The homomorphism, before mdh-partition.
    pub fn md_hom(&self) -> Option<MdHom<'c>> {
        match self.hom {
            Hom::MdHom(hom) => Some(hom),
            Hom::Scalar(_) => None,
        }
    }

    /// The scalar phase, after mdh-partition.
    pub fn scalar(&self) -> Option<Scalar<'c>> {
        match self.hom {
            Hom::MdHom(_) => None,
            Hom::Scalar(scalar) => Some(scalar),
        }
    }

    /// The extent operands of the inp_view.
    pub fn extent_operands(&self) -> Vec<Val<'c>> {
        self.inp_view.extents()
    }

    /// The facts about the computation that the rules of schedules check.
    pub fn shape(&self) -> Shape {
        let ranks = |buffers: &[AccessedBuffer<'_>]| buffers.iter().map(|buffer| buffer.shape.len()).collect();
        Shape::new(self.domain.extents(), self.operators.clone(), ranks(&self.inputs), ranks(&self.outputs))
    }

    /// The names that the program gives the dimensions, in order; empty if it names none.
    pub fn dimension_names(&self) -> Vec<&'c str> {
        let names = match self.hom {
            Hom::MdHom(hom) => hom.dimension_names(),
            Hom::Scalar(scalar) => scalar.dimension_names(),
        };
        let names = names.and_then(ir::array_attribute).unwrap_or_default();
        names.into_iter().filter_map(ir::string_attribute).collect()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.domain.rank()
    }
}

/// The chain of steps of one kind that yields an MDA, last step first, and the operation before the chain.
fn steps<'c, S: StepView<'c>>(mda: Val<'c>) -> Option<(Vec<S>, Op<'c>)> {
    let mut steps = vec![];
    let mut current = ir::defining(mda)?;
    while let Some(step) = S::cast(current) {
        steps.push(step);
        current = ir::defining(step.mda())?;
    }
    Some((steps, current))
}

/// The initial value that an operand describes; `None` if it is an MDA that is not the result of an inp_view.
fn initial_value<'c>(operand: Val<'c>) -> Option<InitialValue<'c>> {
    if view::mda_type(operand.r#type()).is_none() {
        return Some(InitialValue::Scalar(operand));
    }
    let view = InpView::cast(ir::defining(operand)?)?;
    let buffer = buffers(&view.buffers(), view.accesses()?)?.into_iter().next()?;
    Some(InitialValue::Elements(view, buffer))
}

fn buffers<'c>(values: &[Val<'c>], accesses: Vec<Vec<IndexFunction>>) -> Option<Vec<AccessedBuffer<'c>>> {
    let mut first_component = 0;
    let mut buffers = vec![];
    for (accesses, value) in accesses.into_iter().zip(values) {
        let ty = value.r#type();
        let accesses: Vec<_> = accesses.iter().map(Access::of).collect();
        let count = accesses.len();
        buffers.push(AccessedBuffer {
            value: *value,
            ty,
            element: ir::element_type(ty)?,
            shape: ir::shape(ty)?,
            accesses,
            first_component,
        });
        first_component += count;
    }
    Some(buffers)
}

/// The sources of all extents: a dynamic extent is the size of a buffer of the view, by its index functions, or else the
/// next extents operand.
fn extent_sources(extents: &[Option<u64>], accesses: &[Vec<IndexFunction>]) -> Vec<ExtentSource> {
    let mut operands = 0;
    let from_input = |d: usize| {
        let (buffer, dimension) = view::size_of_extent(accesses, d)?;
        Some(ExtentSource::Input { buffer, dimension })
    };
    extents
        .iter()
        .enumerate()
        .map(|(d, extent)| match extent {
            Some(extent) => ExtentSource::Static(*extent),
            None => from_input(d).unwrap_or_else(|| {
                operands += 1;
                ExtentSource::Operand(operands - 1)
            }),
        })
        .collect()
}

/// A combine operator; `None` if its user-defined function cannot be resolved.
fn combine_operator(hom: Op<'_>, attribute: Attribute<'_>, arity: usize) -> Option<CombineOperator> {
    let operator = hom::combine_operator(attribute, arity)?;
    match operator.function() {
        Some(Function::Symbol(symbol)) if Operator::lookup(hom, symbol).is_none() => None,
        _ => Some(operator),
    }
}
