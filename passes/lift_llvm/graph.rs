//! The control flow of a function: its blocks, which of them dominate others, and its loops.
use mdh_dialects::{
    attributes::DIRECTIVE,
    ir::{self, Blk, Edge, Op},
};
use melior::ir::BlockLike;
use std::collections::{BTreeSet, HashMap};

/// The blocks of a function that can be reached, in reverse post-order: the first one is the entry.
pub struct FlowGraph<'c> {
    /// The blocks.
    pub blocks: Vec<Blk<'c>>,
    /// By block: its branches, each with the number of the block that it leads to.
    pub edges: Vec<Vec<(usize, Edge<'c>)>>,
    /// By block: the blocks that branch to it.
    predecessors: Vec<Vec<usize>>,
    /// By block: the last block that all ways from the entry to it pass before it; itself for the entry.
    dominators: Vec<usize>,
    numbers: HashMap<usize, usize>,
}

/// A natural loop.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowLoop {
    /// The only block by which it is entered.
    pub header: usize,
    /// Its blocks, those of inner loops too.
    pub blocks: BTreeSet<usize>,
    /// The loops directly inside.
    pub inner: Vec<FlowLoop>,
}

/// What identifies a block.
fn address(block: Blk<'_>) -> usize {
    block.to_raw().ptr as usize
}

impl<'c> FlowGraph<'c> {
    /// The control flow of a function.
    pub fn of(function: Op<'c>) -> Self {
        let blocks = reverse_post_order(function);
        let numbers: HashMap<_, _> =
            blocks.iter().enumerate().map(|(number, block)| (address(*block), number)).collect();
        let edges: Vec<Vec<_>> = blocks
            .iter()
            .map(|block| {
                let all = ir::terminator(*block).map(ir::edges).unwrap_or_default();
                all.into_iter().map(|edge| (numbers[&address(edge.to)], edge)).collect()
            })
            .collect();
        let mut predecessors = vec![vec![]; blocks.len()];
        for (from, all) in edges.iter().enumerate() {
            all.iter().for_each(|(to, _)| predecessors[*to].push(from));
        }
        let dominators = dominators(&predecessors);
        Self { blocks, edges, predecessors, dominators, numbers }
    }

    /// The number of a block, if it can be reached.
    pub fn number(&self, block: Blk<'c>) -> Option<usize> {
        self.numbers.get(&address(block)).copied()
    }

    /// The branches to a block, with the number of the block that each comes from.
    pub fn edges_to(&self, block: usize) -> Vec<(usize, &Edge<'c>)> {
        let mut sources = self.predecessors[block].clone();
        sources.dedup();
        let from = |source: usize| self.edges[source].iter().map(move |(to, edge)| (source, *to, edge));
        sources
            .into_iter()
            .flat_map(from)
            .filter(|(_, to, _)| *to == block)
            .map(|(source, _, edge)| (source, edge))
            .collect()
    }

    /// The only branch into a loop from outside, if it is the only one of its block.
    pub fn entry(&self, of: &FlowLoop) -> Option<&Edge<'c>> {
        let mut entries = self.edges_to(of.header).into_iter().filter(|(from, _)| !of.blocks.contains(from));
        let (_, entry) = entries.next()?;
        (entries.next().is_none() && ir::name(entry.from) == "llvm.br").then_some(entry)
    }

    /// The branch back of a loop that a directive is on.
    pub fn directive(&self, of: &FlowLoop) -> Option<Op<'c>> {
        let back = self.edges_to(of.header).into_iter().filter(|(from, _)| of.blocks.contains(from));
        back.map(|(_, edge)| edge.from).find(|branch| ir::attribute(*branch, DIRECTIVE).is_some())
    }

    /// True if another directive is on a loop inside of a loop. Loops in one line have one directive, which is that of the
    /// outermost.
    pub fn has_inner_directive(&self, of: &FlowLoop) -> bool {
        let text = |of: &FlowLoop| self.directive(of).and_then(|branch| ir::attribute(branch, DIRECTIVE));
        let is_other = |inner: &FlowLoop| text(inner).is_some_and(|inner| text(of) != Some(inner));
        of.inner.iter().any(|inner| is_other(inner) || self.has_inner_directive(inner))
    }

    /// True if all ways from the entry to `block` pass `by`.
    pub fn is_dominated(&self, block: usize, by: usize) -> bool {
        let mut current = block;
        while current > by {
            current = self.dominators[current];
        }
        current == by
    }

    /// The outermost natural loops. A cycle that can be entered in several ways is none.
    pub fn loops(&self) -> Vec<FlowLoop> {
        let mut found: Vec<FlowLoop> = vec![];
        for header in 0..self.blocks.len() {
            let latches: Vec<_> =
                self.predecessors[header].iter().copied().filter(|from| self.is_dominated(*from, header)).collect();
            if latches.is_empty() {
                continue;
            }
            let mut blocks = BTreeSet::from([header]);
            let mut open = latches;
            while let Some(block) = open.pop() {
                if blocks.insert(block) {
                    open.extend(&self.predecessors[block]);
                }
            }
            insert(&mut found, FlowLoop { header, blocks, inner: vec![] });
        }
        found
    }

    /// The first cycle that is no natural loop: a branch back to a block that does not dominate it.
    pub fn irreducible(&self) -> Option<&Edge<'c>> {
        let all = self
            .edges
            .iter()
            .enumerate()
            .flat_map(|(from, edges)| edges.iter().map(move |(to, edge)| (from, *to, edge)));
        all.filter(|(from, to, _)| to <= from && !self.is_dominated(*from, *to)).map(|(_, _, edge)| edge).next()
    }
}

/// Inserts a loop, whose header comes after those of the loops around it.
fn insert(into: &mut Vec<FlowLoop>, new: FlowLoop) {
    match into.iter_mut().find(|outer| outer.blocks.contains(&new.header)) {
        Some(outer) => insert(&mut outer.inner, new),
        None => into.push(new),
    }
}

/// The blocks of a function, each before those that it branches to, except by branches back.
fn reverse_post_order<'c>(function: Op<'c>) -> Vec<Blk<'c>> {
    let Some(entry) = ir::body(function, 0) else { return vec![] };
    let next = |block: Blk<'c>| {
        let edges = ir::terminator(block).map(ir::edges).unwrap_or_default();
        edges.into_iter().map(|edge| edge.to).collect::<Vec<_>>()
    };
    let mut seen = BTreeSet::from([address(entry)]);
    let mut order = vec![];
    let mut open = vec![(entry, next(entry))];
    while let Some((block, rest)) = open.last_mut() {
        match rest.pop() {
            Some(successor) if seen.insert(address(successor)) => open.push((successor, next(successor))),
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The immediate dominators of blocks in reverse post-order. Source: Cooper, Harvey, Kennedy, "A simple, fast dominance
/// algorithm".
fn dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    let mut found: Vec<Option<usize>> = vec![None; predecessors.len()];
    if let Some(entry) = found.first_mut() {
        *entry = Some(0);
    }
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for block in 1..predecessors.len() {
            let known = predecessors[block].iter().copied().filter(|from| found[*from].is_some());
            let new = known.reduce(|mut one, mut other| {
                while one != other {
                    let later = if one > other { &mut one } else { &mut other };
                    *later = found[*later].unwrap_or(0);
                }
                one
            });
            has_changed |= found[block] != new;
            found[block] = new;
        }
    }
    found.into_iter().map(|dominator| dominator.unwrap_or(0)).collect()
}
