//! Def-use queries: the statements that define the values, blocks and buffers of a nest.
use super::tree::{Block, Buffer, Nest, Operation, Statement, Value};

/// The defining statements of the values of a nest.
#[derive(Debug)]
pub struct Definitions<'n> {
    /// The nest.
    pub nest: &'n Nest,
    /// By value: its defining statement; `None` for parameters and block arguments.
    statements: Vec<Option<&'n Statement>>,
}

impl<'n> Definitions<'n> {
    /// Collects the definitions of a nest.
    pub fn of(nest: &'n Nest) -> Self {
        let mut statements = vec![None; nest.types.len()];
        for statement in nest.blocks.iter().flatten() {
            for result in &statement.results {
                if let Some(known) = statements.get_mut(result.0 as usize) {
                    *known = Some(statement);
                }
            }
        }
        Self { nest, statements }
    }

    /// The statement that computes a value; `None` for parameters and block arguments.
    pub fn statement(&self, value: Value) -> Option<&'n Statement> {
        self.statements.get(value.0 as usize).copied().flatten()
    }

    /// The operands of the statement that computes a value. Operands that are not defined before the value are left
    /// out, so that a traversal terminates even on cyclic arithmetic, which an invalid nest may have.
    pub fn operands(&self, value: Value) -> impl Iterator<Item = Value> + use<'n> {
        let operands = self.statement(value).map_or(&[][..], |statement| &statement.operands);
        operands.iter().copied().filter(move |operand| *operand < value)
    }
}

impl Nest {
    /// The buffers that no statement allocates, in order: the user's buffers.
    pub fn user_buffers(&self) -> Vec<Buffer> {
        let mut is_users = vec![true; self.buffers.len()];
        for buffer in self.blocks.iter().flatten().flat_map(|statement| statement.operation.allocated()) {
            if let Some(is_users) = is_users.get_mut(buffer.0 as usize) {
                *is_users = false;
            }
        }
        (0..).map(Buffer).zip(is_users).filter(|(_, is_users)| *is_users).map(|(buffer, _)| buffer).collect()
    }
}

impl Operation {
    /// True if it accesses elements of a buffer.
    pub fn accesses_elements(&self) -> bool {
        matches!(
            self,
            Self::Load(_)
                | Self::Store(_)
                | Self::LoadVector(..)
                | Self::StoreVector(..)
                | Self::LoadMasked(_)
                | Self::StoreMasked(_)
                | Self::Prefetch(_)
                | Self::CopyAsync { .. }
        )
    }

    /// The blocks that it owns, in order.
    pub fn blocks(&self) -> Vec<Block> {
        match self {
            Self::Loop(r#loop) | Self::Parallel(r#loop) => vec![r#loop.body],
            Self::If { then, otherwise } => vec![*then, *otherwise],
            Self::Group(_, block) => vec![*block],
            Self::Kernel(kernel) => vec![kernel.body],
            Self::Scalar(scalar) => scalar.indices.iter().map(|index| index.code).collect(),
            _ => vec![],
        }
    }

    /// The arguments of its blocks.
    pub fn arguments(&self) -> Vec<Value> {
        match self {
            Self::Loop(r#loop) | Self::Parallel(r#loop) => [&[r#loop.index], &r#loop.carried[..]].concat(),
            Self::Kernel(kernel) => kernel.numbers.clone(),
            _ => vec![],
        }
    }

    /// The buffers that it allocates.
    pub fn allocated(&self) -> Vec<Buffer> {
        match self {
            Self::Allocate(buffer, _) | Self::Subview { buffer, .. } | Self::View { buffer, .. } => vec![*buffer],
            Self::Kernel(kernel) => kernel.shared.clone(),
            _ => vec![],
        }
    }

    /// The buffers that it uses.
    pub fn used(&self) -> Vec<Buffer> {
        match self {
            Self::Dimension(buffer)
            | Self::Load(buffer)
            | Self::Store(buffer)
            | Self::LoadVector(buffer, _)
            | Self::StoreVector(buffer, _)
            | Self::LoadMasked(buffer)
            | Self::StoreMasked(buffer)
            | Self::Prefetch(buffer)
            | Self::Free(buffer, _)
            | Self::Subview { of: buffer, .. } => vec![*buffer],
            Self::Copy { from, to, .. } | Self::CopyAsync { from, to, .. } => vec![*from, *to],
            Self::Constant(_)
            | Self::Zero
            | Self::Binary(_)
            | Self::Compare(_)
            | Self::Select
            | Self::Cast
            | Self::SignedCast
            | Self::Broadcast
            | Self::FirstLanes
            | Self::Extract(_)
            | Self::FromElements
            | Self::Permute(_)
            | Self::GroupCopies
            | Self::WaitCopies(_)
            | Self::Allocate(..)
            | Self::View { .. }
            | Self::DynamicSharedMemory
            | Self::CopyPrevious(_)
            | Self::Scalar(_)
            | Self::Combine(_)
            | Self::Identity
            | Self::Initial(_)
            | Self::Loop(_)
            | Self::Parallel(_)
            | Self::If { .. }
            | Self::Yield
            | Self::Group(..)
            | Self::Kernel(_)
            | Self::Barrier
            | Self::Shuffle(..) => vec![],
        }
    }
}
