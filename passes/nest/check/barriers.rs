//! Checks that all threads of a block reach each barrier.
//!
//! ```text
//! if thread.x < 3:   %0 = 4 if thread.x < 3, else 8      for p1_1 in 0..%0:
//!   barrier          for p1_1 in 0..%0: barrier            barrier
//! ```
//!
//! The analysis assumes that threads that load from the same address read the same value.
use crate::nest::{
    print::names::Names,
    tree::{Block, Loop, Nest, Operation, Statement, Value},
};

/// Checks that no branch and no loop around a barrier depends on the thread index.
pub fn check(names: &Names<'_>) -> Result<(), String> {
    let nest = names.nest();
    let mut flow = Flow { names, differs: vec![false; nest.types.len()] };
    for kernel in nest.blocks.iter().flatten() {
        if let Operation::Kernel(kernel) = &kernel.operation {
            kernel.numbers.iter().skip(3).take(3).for_each(|number| flow.differs[number.0 as usize] = true);
            flow.block(kernel.body, None)?;
        }
    }
    Ok(())
}

/// The values that differ among the threads of a block (divergence analysis).
struct Flow<'a, 'n> {
    names: &'a Names<'n>,
    /// By value.
    differs: Vec<bool>,
}

impl Flow<'_, '_> {
    fn differs(&self, values: &[Value]) -> bool {
        values.iter().any(|value| self.differs[value.0 as usize])
    }

    fn mark(&mut self, values: &[Value], differs: &[bool]) {
        for (value, differs) in values.iter().zip(differs) {
            self.differs[value.0 as usize] |= differs;
        }
    }

    /// Analyzes a block, and returns which of the values that it yields differ. `around`: the divergent statement
    /// around the block, if there is one.
    fn block(&mut self, block: Block, around: Option<&Statement>) -> Result<Vec<bool>, String> {
        let mut yielded = vec![];
        let nest: &Nest = self.names.nest();
        for statement in nest.block(block) {
            let differs = self.differs(&statement.operands);
            let results = match (&statement.operation, around) {
                (Operation::Barrier, Some(around)) => {
                    let line = self.names.line(around);
                    return Err(format!("`barrier` requires all threads of a block, but is in `{line}`"));
                }
                (Operation::Yield, _) => {
                    yielded = statement.operands.iter().map(|value| self.differs(&[*value])).collect();
                    continue;
                }
                (Operation::Loop(r#loop), _) => self.r#loop(statement, r#loop, around)?,
                (Operation::If { then, otherwise }, _) => {
                    let around = if differs { Some(statement) } else { around };
                    let (then, otherwise) = (self.block(*then, around)?, self.block(*otherwise, around)?);
                    then.iter().zip(otherwise).map(|(then, otherwise)| differs || *then || otherwise).collect()
                }
                (operation, _) => {
                    operation.blocks().into_iter().try_for_each(|block| self.block(block, around).map(drop))?;
                    vec![differs || matches!(operation, Operation::Shuffle(..)); statement.results.len()]
                }
            };
            self.mark(&statement.results, &results);
        }
        Ok(yielded)
    }

    /// Analyzes a loop to a fixed point: a carried value that differs in one iteration may make more values differ in
    /// the next one. Returns which of the results differ.
    fn r#loop(
        &mut self,
        statement: &Statement,
        r#loop: &Loop,
        around: Option<&Statement>,
    ) -> Result<Vec<bool>, String> {
        let (bounds, initial) = statement.operands.split_at(3);
        let differs = self.differs(bounds);
        let around = if differs { Some(statement) } else { around };
        self.mark(&[r#loop.index], &[differs]);
        // An outer loop may have visited this loop before.
        let pairs = initial.iter().zip(&r#loop.carried);
        let mut carried: Vec<_> = pairs.map(|(value, known)| differs || self.differs(&[*value, *known])).collect();
        loop {
            self.mark(&r#loop.carried, &carried);
            let yielded = self.block(r#loop.body, around)?;
            let next: Vec<_> = carried.iter().zip(yielded).map(|(carried, yielded)| *carried || yielded).collect();
            if next == carried {
                return Ok(carried);
            }
            carried = next;
        }
    }
}
