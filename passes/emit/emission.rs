//! The state of emission, and what it emits from.
use super::{index::EmittedIndex, operators::CombineCode};
use crate::nest::{
    alignment::Alignment,
    index::Index as NestIndex,
    tree::{Buffer, Nest, Value},
};
use mdh_dialects::{
    hom::Function,
    ir::{self, Builder, Op, Val},
};
use melior::ir::{Attribute, Type};
use std::slice;

/// The MLIR entities that a nest refers to by index.
pub struct Program<'c> {
    /// The number of input buffers of the computation itself.
    pub inputs: usize,
    /// The user's buffers: inputs, initial values, then destinations. They are the first buffers of the nest.
    pub buffers: Vec<Val<'c>>,
    /// The values of the nest's parameters.
    pub parameters: Vec<Val<'c>>,
    /// The initial values that are scalars, by component; `None` for those that are buffers.
    pub inits: Vec<Option<Val<'c>>>,
    /// Element types that are opaque to the nest (`Element::Other`).
    pub types: Vec<Type<'c>>,
    /// The operation that contains the scalar function. Symbols are looked up from it, too.
    pub hom: Op<'c>,
    /// The combining function; `None` if no dimension combines values.
    pub function: Option<Function>,
    /// The types of the output tuple, which the combining function combines.
    pub output_types: Vec<Type<'c>>,
    /// The types of the result buffers that the user receives, in the order in which the nest allocates them. The
    /// program may prescribe their layout.
    pub results: Vec<Type<'c>>,
    /// By output: the copy that fills its destination before the computation, if there is one.
    pub copies: Vec<Option<Op<'c>>>,
    /// True if a multiplication and an addition may be contracted to a fused multiply-add.
    pub contract: bool,
    /// True if sums may be reassociated.
    pub reassociate: bool,
    /// The producers whose results the nest computes in parts.
    pub producers: Vec<Program<'c>>,
}

impl<'c> Program<'c> {
    /// The combining function as code; `None` if no dimension combines values.
    pub(super) fn combiner(&self) -> Option<CombineCode<'c>> {
        self.function.as_ref().map(|function| CombineCode {
            function: function.clone(),
            types: self.output_types.clone(),
            scope: self.hom,
            contract: self.contract,
            reassociate: self.reassociate,
        })
    }
}

/// The state of emission: the values and buffers that have been emitted.
pub struct Emission<'a, 'c> {
    pub(super) nest: &'a Nest,
    pub(super) program: &'a Program<'c>,
    pub(super) combiner: Option<CombineCode<'c>>,
    values: Vec<Option<Val<'c>>>,
    pub(super) buffers: Vec<Option<Val<'c>>>,
    /// The alignment of accesses to memory of a device.
    pub(super) alignment: Alignment<'a>,
    /// The types of the result buffers that are not allocated yet.
    pub(super) results: slice::Iter<'a, Type<'c>>,
}

impl<'a, 'c> Emission<'a, 'c> {
    /// The initial state: only the user's buffers and the parameters of the nest are bound.
    pub(super) fn new(nest: &'a Nest, program: &'a Program<'c>) -> Self {
        let mut buffers: Vec<_> = program.buffers.iter().copied().map(Some).collect();
        buffers.resize(nest.buffers.len(), None);
        let mut emission = Self {
            nest,
            program,
            combiner: program.combiner(),
            values: vec![None; nest.types.len()],
            buffers,
            alignment: Alignment::new(nest),
            results: program.results.iter(),
        };
        emission.bind(&nest.parameters, &program.parameters);
        emission
    }

    /// Binds values of the nest to SSA values.
    pub(super) fn bind(&mut self, values: &[Value], found: &[Val<'c>]) {
        for (value, found) in values.iter().zip(found) {
            self.values[value.0 as usize] = Some(*found);
        }
    }

    /// Binds a buffer of the nest to an SSA value.
    pub(super) fn bind_buffer(&mut self, buffer: Buffer, found: Val<'c>) {
        self.buffers[buffer.0 as usize] = Some(found);
    }

    pub(super) fn value(&self, value: Value) -> Val<'c> {
        self.values[value.0 as usize].unwrap_or_else(|| unreachable!("{value:?} is computed before it is used"))
    }

    pub(super) fn buffer(&self, buffer: Buffer) -> Val<'c> {
        self.buffers[buffer.0 as usize].unwrap_or_else(|| unreachable!("{buffer:?} is allocated before it is used"))
    }

    pub(super) fn index(&self, index: NestIndex) -> EmittedIndex<'c> {
        match index {
            NestIndex::Constant(number) => EmittedIndex::Constant(number),
            NestIndex::Computed(value) => EmittedIndex::Value(self.value(value)),
        }
    }
}

/// The insertion point of a statement's operation, with its operands and result types.
pub(super) struct Site<'c> {
    pub(super) b: Builder<'c>,
    pub(super) operands: Vec<Val<'c>>,
    pub(super) types: Vec<Type<'c>>,
}

impl<'c> Site<'c> {
    /// Creates the operation with this name; returns its results.
    pub(super) fn create(&self, name: &str) -> Vec<Val<'c>> {
        self.with(name, &[])
    }

    /// Creates the operation with this name and these attributes; returns its results.
    pub(super) fn with(&self, name: &str, attributes: &[Named<'c>]) -> Vec<Val<'c>> {
        self.on(name, &self.operands, attributes)
    }

    /// Creates the operation with this name on the given operands; returns its results.
    pub(super) fn on(&self, name: &str, operands: &[Val<'c>], attributes: &[Named<'c>]) -> Vec<Val<'c>> {
        ir::results(self.b.op(name, operands, &self.types, attributes, vec![]))
    }
}

/// An attribute and its name.
pub(super) type Named<'c> = (&'static str, Attribute<'c>);
