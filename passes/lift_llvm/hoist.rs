//! Loads that are the same in all iterations, before the loops.
//!
//! ```text
//! for (i = 0; i < A->n; i++)             n = A->n
//!   for (j = 0; j < A->m; j++)     ──▶   m = 0 < n ? A->m : 0
//!     A->data[i * A->m + j] = 0;         data = 0 < n && 0 < m ? A->data : 0
//! ```
//!
//! A load is executed before the loops if its first execution is: the tests that lead to it in the first iteration are made
//! before it. No store in the loops writes what it reads: they are of other types (TBAA), or in other objects.
use super::{
    arithmetic::{has_no_effect, is_arithmetic, is_division},
    graph::{FlowGraph, FlowLoop},
    pointer::{Base, Pointer},
};
use mdh_dialects::ir::{self, Blk, Builder, Op, Val, ValueMap};
use melior::ir::{Attribute, ValueLike};
use std::collections::BTreeSet;

/// A load that moves, and the tests that lead to it.
struct Moved<'c> {
    load: Op<'c>,
    tests: Vec<Test<'c>>,
}

/// The condition of a branch, and the value by which it leads to the load.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Test<'c> {
    condition: Val<'c>,
    is_true: bool,
}

/// The loads of a loop, while it is decided which of them move.
struct Hoisting<'g, 'c> {
    graph: &'g FlowGraph<'c>,
    function: Op<'c>,
    outer: &'g FlowLoop,
    moved: Vec<Moved<'c>>,
}

/// Moves loads out of the loops of a function. Returns true if it has changed.
pub fn run<'c>(function: Op<'c>) -> bool {
    let graph = FlowGraph::of(function);
    let mut open = graph.loops();
    while let Some(current) = open.pop() {
        let mut hoisting = Hoisting { graph: &graph, function, outer: &current, moved: vec![] };
        hoisting.find();
        if hoisting.moved.is_empty() {
            open.extend(current.inner);
        } else if hoisting.apply() {
            return true;
        }
    }
    false
}

impl<'c> Hoisting<'_, 'c> {
    fn is_inside(&self, block: Blk<'c>) -> bool {
        self.graph.number(block).is_some_and(|number| self.outer.blocks.contains(&number))
    }

    /// The operation in the loop that computes a value.
    fn definition(&self, value: Val<'c>) -> Option<Op<'c>> {
        ir::defining(value).filter(|definition| ir::block(*definition).is_some_and(|block| self.is_inside(block)))
    }

    /// True for an operation of the loop that may be executed before the tests of the loops. A division may fail.
    fn is_speculatable(&self, definition: Op<'c>) -> bool {
        self.moved.iter().any(|moved| moved.load == definition)
            || is_arithmetic(definition) && !is_division(definition)
            || ir::name(definition) == "llvm.getelementptr"
    }

    /// True if a value can be computed before the loop. `argument`: what a block argument of the loop is then, if it may be
    /// one.
    fn is_known_before(&self, value: Val<'c>, argument: impl Fn(Val<'c>) -> Option<Val<'c>>) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if !seen.insert(value.to_raw().ptr as usize) {
                continue;
            }
            let is_argument = ir::owner(value).is_some_and(|owner| self.is_inside(owner));
            match self.definition(value) {
                Some(definition) if !self.is_speculatable(definition) => return false,
                // The address of a load that moves is computed before it.
                Some(definition) if ir::name(definition) == "llvm.load" => {}
                Some(definition) => open.extend(ir::operands(definition)),
                None if is_argument => match argument(value) {
                    Some(first) => open.push(first),
                    None => return false,
                },
                None => {}
            }
        }
        true
    }

    /// Finds the loads that move, in an order in which each depends on those before it.
    fn find(&mut self) {
        let operations: Vec<_> =
            self.outer.blocks.iter().flat_map(|block| ir::block_operations(self.graph.blocks[*block])).collect();
        let stores: Vec<_> =
            operations.iter().copied().filter(|operation| ir::name(*operation) == "llvm.store").collect();
        let is_known = |operation: &Op<'c>| {
            let name = ir::name(*operation);
            ["llvm.load", "llvm.store", "llvm.getelementptr", "llvm.br", "llvm.cond_br"].contains(&name)
                || has_no_effect(*operation)
                || is_arithmetic(*operation)
        };
        if !operations.iter().all(is_known) {
            return;
        }
        for load in operations.into_iter().filter(|operation| ir::name(*operation) == "llvm.load") {
            let pointer = ir::operands(load)[0];
            let is_plain = ir::attribute(load, "volatile_").is_none()
                && ir::attribute(load, "ordering").and_then(ir::integer_attribute).unwrap_or(0) == 0;
            let is_kept = || stores.iter().all(|store| self.are_apart(load, *store));
            if !is_plain || !self.is_known_before(pointer, |_| None) || !is_kept() {
                continue;
            }
            if let Some(tests) = ir::block(load).and_then(|block| self.tests(block)) {
                self.moved.push(Moved { load, tests });
            }
        }
    }

    /// True if a store writes nothing that a load reads.
    fn are_apart(&self, load: Op<'c>, store: Op<'c>) -> bool {
        if types_are_apart(load, store) {
            return true;
        }
        let base =
            |pointer: Val<'c>| Pointer::of(pointer).ok().map(|found| (found.base, Base::of(found.base, self.function)));
        let (Some((one, first)), Some((other, second))) = (base(ir::operands(load)[0]), base(ir::operands(store)[1]))
        else {
            return false;
        };
        let is_own = |base| matches!(base, Base::Local | Base::Global(_));
        let is_marked = |base| base == Base::Argument(true);
        one != other
            && first != second
            && (is_own(first) && is_own(second)
                || [(first, second), (second, first)].iter().any(|(a, b)| is_marked(*a) && *b != Base::Other))
    }

    /// The tests that lead from the entry of the loop to a block in the first iteration; `None` if it may be reached later
    /// only, or depends on other branches.
    fn tests(&self, block: Blk<'c>) -> Option<Vec<Test<'c>>> {
        let number = self.graph.number(block)?;
        let mut around = vec![];
        let mut current = Some(self.outer);
        while let Some(of) = current {
            around.push(of);
            current = of.inner.iter().find(|inner| inner.blocks.contains(&number));
        }
        let mut tests = vec![];
        for (position, of) in around.iter().enumerate() {
            let next = around.get(position + 1).map_or(number, |inner| inner.header);
            if next == of.header {
                continue;
            }
            // All iterations of the loop that run lead to the next header, or to the block.
            let latches = self.graph.edges_to(of.header).into_iter().map(|(from, _)| from);
            let mut latches = latches.filter(|from| of.blocks.contains(from));
            // No iteration leaves the loop on its way there.
            let mut exits = of
                .blocks
                .iter()
                .filter(|block| self.graph.edges[**block].iter().any(|(to, _)| !of.blocks.contains(to)));
            let is_behind = |block: usize| self.graph.is_dominated(block, next);
            if !latches.all(is_behind) || !exits.all(|block| *block == of.header || is_behind(*block)) {
                return None;
            }
            let header = ir::terminator(self.graph.blocks[of.header])?;
            match &self.graph.edges[of.header][..] {
                [_] => {}
                [(one, _), (other, _)] if of.blocks.contains(one) != of.blocks.contains(other) => {
                    let condition = ir::operands(header)[0];
                    tests.push(Test { condition, is_true: of.blocks.contains(one) });
                }
                _ => return None,
            }
        }
        let is_computed = |test: &Test<'c>| self.is_known_before(test.condition, |argument| self.first(argument));
        tests.iter().all(is_computed).then_some(tests)
    }

    /// What a block argument is when its loop is entered.
    fn first(&self, argument: Val<'c>) -> Option<Val<'c>> {
        let block = ir::owner(argument)?;
        let number = self.graph.number(block)?;
        let position = ir::arguments(block).iter().position(|own| *own == argument)?;
        // A branch from a block that the header dominates is one back.
        let entries = self.graph.edges_to(number);
        let mut entries = entries.iter().filter(|(from, _)| !self.graph.is_dominated(*from, number));
        let (_, entry) = entries.next()?;
        let value = entry.values.get(position).copied();
        value.filter(|_| entries.next().is_none())
    }

    /// Moves the loads. Returns false if there is no place before the loop.
    fn apply(&self) -> bool {
        let Some(entry) = self.graph.entry(self.outer) else { return false };
        let mut b = Builder::before(entry.from);
        let mut map = ValueMap::default();
        for Moved { load, tests } in &self.moved {
            b = b.located(*load);
            let mut condition: Option<Val<'c>> = None;
            for test in tests {
                let mut value = self.value(&b, test.condition, &mut map);
                if !test.is_true {
                    let one = b.value("llvm.mlir.constant", &[], b.i1(), &[("value", b.truth(true))]);
                    value = b.value("llvm.xor", &[value, one], b.i1(), &[]);
                }
                condition = Some(condition.map_or(value, |all| b.value("llvm.and", &[all, value], b.i1(), &[])));
            }
            let pointer = self.value(&b, ir::operands(*load)[0], &mut map);
            let copy = |b: &Builder<'c>| {
                let own: ValueMap<'c> = [(ir::operands(*load)[0], pointer)].into_iter().collect();
                ir::results(b.clone_mapped(*load, &own))[0]
            };
            let loaded = match condition {
                None => copy(&b),
                Some(condition) => {
                    let ty = ir::results(*load)[0].r#type();
                    let (then, join) = (b.append_block(self.function, &[]), b.append_block(self.function, &[ty]));
                    let zero = b.value("llvm.mlir.zero", &[], ty, &[]);
                    b.branch("llvm.cond_br", &[condition, zero], &[b.segments(&[1, 0, 1])], &[then, join]);
                    let inside = b.at_end(then);
                    inside.branch("llvm.br", &[copy(&inside)], &[], &[join]);
                    b = b.at_end(join);
                    ir::arguments(join)[0]
                }
            };
            map.extend([(ir::results(*load)[0], loaded)]);
        }
        b.branch("llvm.br", &entry.values, &[], &[entry.to]);
        ir::erase(entry.from);
        for Moved { load, .. } in &self.moved {
            ir::replace_uses(ir::results(*load)[0], map.get(ir::results(*load)[0]));
            ir::erase(*load);
        }
        true
    }

    /// A value of the first iteration, before the loop.
    fn value(&self, b: &Builder<'c>, value: Val<'c>, map: &mut ValueMap<'c>) -> Val<'c> {
        let found = map.get(value);
        if found != value {
            return found;
        }
        let made = match self.definition(value) {
            Some(definition) => {
                let operands = ir::operands(definition);
                let new: Vec<_> = operands.iter().map(|operand| self.value(b, *operand, map)).collect();
                let own: ValueMap<'c> = operands.into_iter().zip(new).collect();
                ir::results(b.clone_mapped(definition, &own))[0]
            }
            None => match self.first(value).filter(|_| ir::owner(value).is_some_and(|owner| self.is_inside(owner))) {
                Some(first) => self.value(b, first, map),
                None => return value,
            },
        };
        map.extend([(value, made)]);
        made
    }
}

/// True if C has no object that both a load and a store access, because of their types (TBAA).
fn types_are_apart(load: Op<'_>, store: Op<'_>) -> bool {
    let types = |operation: Op<'_>| {
        let tags = ir::attribute(operation, "tbaa").and_then(ir::array_attribute)?;
        let [tag] = tags[..] else { return None };
        accessed(tag)
    };
    let (Some(one), Some(other)) = (types(load), types(store)) else { return false };
    let is_of = |a: &[String], b: &[String]| a.first().is_none_or(|name| b.contains(name));
    !is_of(&one, &other) && !is_of(&other, &one)
}

/// The name of the type that a tag says is accessed, and those of the types that it is one of; `None` for a struct.
fn accessed(tag: Attribute<'_>) -> Option<Vec<String>> {
    let text = tag.to_string();
    let ty = text.split("access_type = ").nth(1)?.rsplit_once(", offset").map(|(ty, _)| ty.to_owned())?;
    let names: Vec<_> =
        ty.split("id = \"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect();
    // A scalar type has one member: the type that it is one of.
    (ty.matches("members = {").count() == names.len().checked_sub(1)?).then_some(names)
}
