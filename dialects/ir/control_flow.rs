//! Blocks and branches of functions whose control flow is not structured.
use super::{
    builder::Builder,
    constructors::segments,
    erased::lifetime,
    handles::{self, Blk, Op, Val, operands, require_context},
};
use melior::ir::{
    Attribute, Block, BlockLike, Identifier, RegionLike, Type,
    operation::{OperationBuilder, OperationLike},
};

/// A branch from a terminator to a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge<'c> {
    /// The terminator.
    pub from: Op<'c>,
    /// The block.
    pub to: Blk<'c>,
    /// The values of the arguments of the block.
    pub values: Vec<Val<'c>>,
}

/// The branches of a terminator: those of `br` and `cond_br` with their values, those of others without.
pub fn edges<'c>(terminator: Op<'c>) -> Vec<Edge<'c>> {
    let all = operands(terminator);
    let mut groups: Vec<Vec<Val<'c>>> = match (handles::name(terminator), segments(terminator)) {
        ("llvm.br" | "cf.br", _) => vec![all],
        ("llvm.cond_br" | "cf.cond_br", Some(sizes)) => {
            let mut rest = all.into_iter();
            let groups: Vec<Vec<_>> =
                sizes.iter().map(|size| rest.by_ref().take(usize::try_from(*size).unwrap_or(0)).collect()).collect();
            // The first group is the condition.
            groups.into_iter().skip(1).collect()
        }
        _ => vec![],
    };
    let targets: Vec<_> = terminator.successors().map(handles::blk).collect();
    groups.resize(targets.len(), vec![]);
    let edge = |(to, values)| Edge { from: terminator, to, values };
    targets.into_iter().zip(groups).map(edge).collect()
}

/// The last operation of a block.
pub fn terminator<'c>(block: Blk<'c>) -> Option<Op<'c>> {
    block.terminator().map(handles::op)
}

impl<'c> Builder<'c> {
    /// Appends a block to the first region of an operation.
    ///
    /// # Panics
    /// If the operation has no region, or a type belongs to another context.
    pub fn append_block(&self, to: Op<'c>, arguments: &[Type<'c>]) -> Blk<'c> {
        require_context(self.context, arguments, &[]);
        let arguments: Vec<_> = arguments.iter().map(|ty| (*ty, self.location)).collect();
        let Some(region) = handles::regions(to).first().copied() else {
            panic!("an operation with a region has blocks")
        };
        handles::blk(region.append_block(Block::new(&arguments)))
    }

    /// Builds a terminator that branches.
    ///
    /// # Panics
    /// As [`Builder::op`]; also if a block belongs to another module.
    pub fn branch(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, Attribute<'c>)],
        successors: &[Blk<'c>],
    ) -> Op<'c> {
        self.require_operands(operands);
        let values: Vec<_> = attributes.iter().map(|(_, attribute)| *attribute).collect();
        require_context(self.context, &[], &values);
        let around = |block: &Blk<'c>| block.parent_operation().map(|parent| lifetime(handles::op(parent)));
        let own = around(&self.block());
        assert!(successors.iter().all(|block| around(block) == own), "a branch stays within its function");
        let attributes: Vec<_> =
            attributes.iter().map(|(name, attribute)| (Identifier::new(self.context, name), *attribute)).collect();
        let successors: Vec<&Block<'c>> = successors.iter().map(|block| &**block).collect();
        let built = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_attributes(&attributes)
            .add_successors(&successors)
            .build()
            .unwrap_or_else(|error| unreachable!("{name} can be built: {error}"));
        self.insert(built)
    }
}
