//! A computation as the passes see it: `out_view ∘ md_hom ∘ inp_view`, or its low-level chain.
//!
//! ```text
//! inp_view -> md_hom -> out_view
//! inp_view -> decompose* -> scalar -> recompose* -> out_view
//! ```
use crate::analysis::index::{Access, Domain};
use mdh_dialects::{
    hom::{self, CombineOperator, Function, mda_operand},
    ir::{self, Op, Val},
    schedule::rules::Shape,
    view,
};
use melior::ir::{Attribute, Type, ValueLike};

/// A buffer with its accesses; they take components of the scalar tuple in order.
#[derive(Clone, Debug)]
pub struct Buffer<'c> {
    /// The tensor or memref. For an output: its destination, or else the result of the out_view.
    pub value: Val<'c>,
    /// Its type.
    pub r#type: Type<'c>,
    /// The element type.
    pub element: Type<'c>,
    /// Its sizes; `None` where dynamic.
    pub shape: Vec<Option<u64>>,
    /// Its accesses, in order.
    pub accesses: Vec<Access>,
    /// The position of its first access in the scalar tuple.
    pub first_component: usize,
}

/// How a dynamic extent is known at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentSource {
    /// The type says it.
    Static(u64),
    /// Dimension `dimension` of input buffer `buffer` is indexed by this iteration dimension alone.
    Input {
        /// The input buffer.
        buffer: usize,
        /// Its dimension.
        dimension: usize,
    },
    /// Extents operand number n of the inp_view.
    Operand(usize),
}

/// A computation of the module, found from its out_view.
#[derive(Clone, Debug)]
pub struct Computation<'c> {
    /// The input view.
    pub inp_view: Op<'c>,
    /// The operation that holds the scalar function: `mdh.hom.md_hom` or `mdh.lowlevel.scalar`.
    pub hom: Op<'c>,
    /// The output view.
    pub out_view: Op<'c>,
    /// `mdh.lowlevel.decompose` steps, outermost first; empty before partition.
    pub decompose: Vec<Op<'c>>,
    /// `mdh.lowlevel.recompose` steps, innermost first; empty before partition.
    pub recompose: Vec<Op<'c>>,
    /// The points of the iteration space.
    pub domain: Domain,
    /// Where the extents come from.
    pub extent_sources: Vec<ExtentSource>,
    /// One combine operator a dimension.
    pub operators: Vec<CombineOperator>,
    /// The types of the tuple that the scalar function takes.
    pub input_types: Vec<Type<'c>>,
    /// The types of the tuple that the scalar function yields.
    pub output_types: Vec<Type<'c>>,
    /// The input buffers.
    pub inputs: Vec<Buffer<'c>>,
    /// The output buffers.
    pub outputs: Vec<Buffer<'c>>,
}

impl<'c> Computation<'c> {
    /// Reads the computation that ends in this out_view. None where the MDA of the view does not come from a md_hom or a
    /// low-level chain on an inp_view (a block argument, say), or an operator is not in sight; the verifier guarantees the rest.
    pub fn from_out_view(out_view: Op<'c>) -> Option<Self> {
        let mut recompose = vec![];
        let mut current = ir::defining(mda_operand(out_view)?)?;
        while ir::name(current) == "mdh.lowlevel.recompose" {
            recompose.push(current);
            current = ir::defining(mda_operand(current)?)?;
        }
        recompose.reverse();
        let hom = current;
        if !matches!(ir::name(hom), "mdh.hom.md_hom" | "mdh.lowlevel.scalar") {
            return None;
        }
        let mut decompose = vec![];
        let mut current = ir::defining(mda_operand(hom)?)?;
        while ir::name(current) == "mdh.lowlevel.decompose" {
            decompose.push(current);
            current = ir::defining(mda_operand(current)?)?;
        }
        decompose.reverse();
        let inp_view = current;
        if ir::name(inp_view) != "mdh.view.inp_view" {
            return None;
        }
        let (extents, input_types) = view::mda_type(ir::results(inp_view).first()?.r#type())?;
        let (_, output_types) = view::mda_type(ir::results(hom).first()?.r#type())?;
        let operators = if ir::name(hom) == "mdh.hom.md_hom" {
            ir::array_attribute(ir::attribute(hom, "combine")?)?
                .into_iter()
                .map(|operator| combine_operator(hom, operator, output_types.len()))
                .collect::<Option<Vec<_>>>()?
        } else {
            let mut operators = vec![CombineOperator::Concatenation; extents.len()];
            for step in &recompose {
                let dimension = ir::integer_attribute(ir::attribute(*step, "dimension")?)? as usize;
                *operators.get_mut(dimension.checked_sub(1)?)? =
                    combine_operator(hom, ir::attribute(*step, "combine")?, output_types.len())?;
            }
            operators
        };
        let inputs = buffers(&ir::operands(inp_view), inp_view)?;
        let destinations = &ir::operands(out_view)[1..];
        let results = ir::results(out_view);
        let outputs = buffers(if destinations.is_empty() { &results } else { destinations }, out_view)?;
        let extent_sources = extent_sources(&extents, &inputs);
        Some(Self {
            inp_view,
            hom,
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

    /// All computations in and below an operation, in order.
    pub fn all(root: Op<'c>) -> Vec<Self> {
        ir::find(root, "mdh.view.out_view").into_iter().filter_map(Self::from_out_view).collect()
    }

    /// The extents operands of the inp_view.
    pub fn extent_operands(&self) -> Vec<Val<'c>> {
        ir::operands(self.inp_view).split_off(self.inputs.len())
    }

    /// What the rules of schedules need to know about it.
    pub fn shape(&self) -> Shape {
        let ranks = |buffers: &[Buffer<'_>]| buffers.iter().map(|buffer| buffer.shape.len()).collect();
        Shape::new(self.domain.extents(), self.operators.clone(), ranks(&self.inputs), ranks(&self.outputs))
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.domain.rank()
    }
}

fn buffers<'c>(values: &[Val<'c>], view: Op<'c>) -> Option<Vec<Buffer<'c>>> {
    let mut first_component = 0;
    let mut buffers = vec![];
    for (accesses, value) in view::accesses(view)?.into_iter().zip(values) {
        let r#type = value.r#type();
        let accesses: Vec<_> = accesses.iter().map(Access::of).collect();
        let count = accesses.len();
        buffers.push(Buffer {
            value: *value,
            r#type,
            element: ir::element_type(r#type)?,
            shape: ir::shape(r#type)?,
            accesses,
            first_component,
        });
        first_component += count;
    }
    Some(buffers)
}

/// An extent follows from the first buffer dimension whose index function is that single dimension, else from an operand.
fn extent_sources(extents: &[Option<u64>], inputs: &[Buffer<'_>]) -> Vec<ExtentSource> {
    let mut operands = 0;
    let from_input = |d: usize| {
        inputs.iter().enumerate().find_map(|(buffer, input)| {
            input.accesses.iter().find_map(|access| {
                (0..access.rank())
                    .find(|&axis| access.is_index_of(axis, d))
                    .map(|dimension| ExtentSource::Input { buffer, dimension })
            })
        })
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

/// A combine operator whose function is there.
fn combine_operator(hom: Op<'_>, attribute: Attribute<'_>, arity: usize) -> Option<CombineOperator> {
    let operator = hom::combine_operator(attribute, arity)?;
    match operator.function() {
        Some(Function::Symbol(symbol)) if hom::operator_body(hom, symbol).is_none() => None,
        _ => Some(operator),
    }
}
