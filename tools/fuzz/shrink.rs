//! Shrinks failing cases: simplifies program and schedule step by step as long as they fail in the same way.
use crate::fuzz::{
    campaign::Worker,
    case::Case,
    execute::Failure,
    initial::{self, Initial},
    operators::{Combine, Rule},
    producer::Producer,
    program::{Destination, Operator, Program},
    scalar::Expression,
    simplify, views,
};
use anyhow::Result;
use mdh_dialects::schedule::rules;
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

/// Time limit for shrinking a case.
const PATIENCE: Duration = Duration::from_secs(120);

/// The smallest case found that fails like the given one, and its failure.
pub fn shrink(worker: &mut Worker, mut case: Case, mut failure: Failure) -> Result<(Case, Failure)> {
    let start = Instant::now();
    let mut tried = HashSet::new();
    loop {
        let mut progress = false;
        let mut number = 0;
        // A successful step is repeated on the smaller case before other steps are tried.
        while let Some(smaller) = candidates(&case).into_iter().nth(number) {
            if start.elapsed() > PATIENCE {
                return Ok((case, failure));
            }
            if !tried.insert(smaller.to_value()?.to_string()) {
                number += 1;
                continue;
            }
            match worker.case(&smaller)?.filter(|other| failure.is_like(other)) {
                Some(other) => {
                    (case, failure) = (smaller, other);
                    progress = true;
                }
                None => number += 1,
            }
        }
        if !progress {
            return Ok((case, failure));
        }
    }
}

/// Slightly smaller cases, the largest steps first.
pub fn candidates(case: &Case) -> Vec<Case> {
    let mut all = vec![];
    let mut add = |program: Option<Program>, edit: &dyn Fn(&mut Case)| {
        let Some(program) = program else { return };
        let mut smaller = Case { program, ..case.clone() };
        edit(&mut smaller);
        if let Some(schedule) = &mut smaller.schedule {
            simplify::fit(schedule, &smaller.program);
        }
        let is_legal = |schedule| rules::check(schedule, &smaller.program.shape()).is_ok();
        if smaller != *case && smaller.schedule.as_ref().is_none_or(is_legal) {
            all.push(smaller);
        }
    };
    let program = &case.program;
    add(Some(program.clone()), &|case| case.schedule = None);
    add(Some(program.clone()), &|case| case.threads = 1);
    add(Some(program.clone()), &|case| case.options.strict = false);
    add(Some(program.clone()), &|case| case.options.processor = None);
    for d in (0..program.dimensions.len()).rev() {
        add(remove_dimension(program, d), &|case| {
            if let Some(schedule) = &mut case.schedule {
                simplify::remove_dimension(schedule, d);
            }
        });
    }
    for i in (0..program.inputs.len()).rev() {
        add(remove_input(program, i), &|case| {
            if let Some(schedule) = &mut case.schedule {
                simplify::remove_input(schedule, i);
            }
        });
    }
    let mut first = 0;
    for rule in rules_of(program) {
        let range = first..first + rule;
        first = range.end;
        let Some((program, removed)) = remove_components(program, range) else { continue };
        add(Some(program), &|case| {
            if let Some(schedule) = &mut case.schedule {
                removed.iter().rev().for_each(|&output| simplify::remove_output(schedule, output));
            }
        });
    }
    for smaller in edits(program) {
        add(Some(smaller), &|_| ());
    }
    if let Some(schedule) = &case.schedule {
        for simpler in simplify::candidates(schedule, &program.shape()) {
            add(Some(program.clone()), &|case| case.schedule = Some(simpler.clone()));
        }
    }
    all
}

/// The sizes of groups of components that can be removed together.
fn rules_of(program: &Program) -> Vec<usize> {
    match &program.combine {
        Combine::Builtin { kinds, .. } => vec![1; kinds.len()],
        Combine::User { rules, .. } => rules.iter().map(|rule| rule.arity()).collect(),
    }
}

fn remove_dimension(program: &Program, removed: usize) -> Option<Program> {
    if program.dimensions.len() == 1 {
        return None;
    }
    let mut smaller = program.clone();
    smaller.dimensions.remove(removed);
    for access in buffers(&mut smaller).into_iter().flat_map(|buffer| &mut buffer.accesses) {
        access.iter_mut().for_each(|row| {
            row.coefficients.remove(removed);
        });
    }
    let index = |d: usize| if d == removed { None } else { Some(d - usize::from(d > removed)) };
    smaller.scalar.iter_mut().for_each(|expression| expression.rename(&Some, &index));
    make_consistent(smaller)
}

fn remove_input(program: &Program, removed: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let first: usize = program.inputs[..removed].iter().map(|input| input.accesses.len()).sum();
    let count = smaller.inputs.remove(removed).accesses.len();
    rename_arguments(&mut smaller, first, count);
    smaller.same.retain(|&(one, other)| one != removed && other != removed);
    for (one, other) in &mut smaller.same {
        *one -= usize::from(*one > removed);
        *other -= usize::from(*other > removed);
    }
    smaller.producers.retain(|producer| producer.input != removed);
    smaller.producers.iter_mut().for_each(|producer| producer.input -= usize::from(producer.input > removed));
    for output in &mut smaller.outputs {
        match &mut output.destination {
            Destination::Input(input) if *input == removed => output.destination = Destination::Own,
            Destination::Input(input) if *input > removed => *input -= 1,
            _ => {}
        }
    }
    make_consistent(smaller)
}

fn rename_arguments(program: &mut Program, first: usize, count: usize) {
    let name = |i: usize| match i {
        i if i < first => Some(i),
        i if i < first + count => None,
        i => Some(i - count),
    };
    program.scalar.iter_mut().for_each(|expression| expression.rename(&name, &Some));
}

/// Removes components; also returns the outputs that are removed.
fn remove_components(program: &Program, range: std::ops::Range<usize>) -> Option<(Program, Vec<usize>)> {
    if range.len() >= program.scalar.len() {
        return None;
    }
    let mut smaller = program.clone();
    let mut component = 0;
    let mut removed = vec![];
    for (i, output) in smaller.outputs.iter_mut().enumerate() {
        output.buffer.accesses.retain(|_| {
            component += 1;
            !range.contains(&(component - 1))
        });
        if output.buffer.accesses.is_empty() {
            removed.push(i);
        }
    }
    smaller.outputs.retain(|output| !output.buffer.accesses.is_empty());
    smaller.scalar.drain(range.clone());
    if !smaller.inits.is_empty() {
        smaller.inits.drain(range.clone());
    }
    match &mut smaller.combine {
        Combine::Builtin { kinds, .. } => drop(kinds.drain(range)),
        Combine::User { rules, .. } => {
            let mut first = 0;
            rules.retain(|rule| {
                first += rule.arity();
                !range.contains(&(first - 1))
            });
        }
    }
    Some((make_consistent(smaller)?, removed))
}

/// All programs that differ in one place and have the same buffers.
fn edits(program: &Program) -> Vec<Program> {
    let mut all: Vec<Option<Program>> = vec![];
    let mut edit = |change: &dyn Fn(&mut Program)| {
        let mut smaller = program.clone();
        change(&mut smaller);
        all.push(make_consistent(smaller));
    };
    edit(&|p| p.dimensions.iter_mut().for_each(|dimension| dimension.dynamic = false));
    edit(&|p| buffers(p).into_iter().flat_map(|buffer| &mut buffer.sizes).for_each(|size| size.dynamic = false));
    edit(&|p| p.nan = false);
    edit(&|p| p.inits.clear());
    for i in 0..program.inits.len() {
        edit(&|p| p.inits[i] = Initial::Constant(1));
    }
    edit(&|p| p.same.clear());
    for i in 0..program.producers.len() {
        edit(&|p| {
            p.producers.remove(i);
        });
        edit(&|p| p.producers[i].scan = false);
    }
    edit(&|p| buffers(p).into_iter().for_each(|buffer| buffer.memref = true));
    edit(&|p| buffers(p).into_iter().for_each(|buffer| buffer.memref = false));
    edit(&|p| p.outputs.iter_mut().for_each(|output| output.destination = Destination::New));
    edit(&|p| p.outputs.iter_mut().for_each(|output| output.destination = Destination::Own));
    edit_dimensions(program, &mut edit);
    edit_inputs(program, &mut edit);
    edit_outputs(program, &mut edit);
    edit_combine(program, &mut edit);
    for (i, expression) in program.scalar.iter().enumerate() {
        for simpler in simpler(expression) {
            edit(&|p| p.scalar[i] = simpler.clone());
        }
    }
    all.into_iter().flatten().collect()
}

/// What adds a program with a change.
type Edit<'e> = dyn FnMut(&dyn Fn(&mut Program)) + 'e;

/// Simpler dimensions.
fn edit_dimensions(program: &Program, edit: &mut Edit<'_>) {
    for d in 0..program.dimensions.len() {
        edit(&|p| p.dimensions[d].dynamic = false);
        if program.dimensions[d].operator == Operator::PrefixSum {
            edit(&|p| p.dimensions[d].operator = Operator::Concatenation);
        }
        let extent = program.dimensions[d].extent;
        for smaller in [1, 2, 3, extent / 2, extent.saturating_sub(1)] {
            if smaller < extent {
                edit(&|p| p.dimensions[d].extent = smaller);
            }
        }
    }
}

/// Fewer and simpler accesses of inputs.
fn edit_inputs(program: &Program, edit: &mut Edit<'_>) {
    for (i, input) in program.inputs.iter().enumerate() {
        let first: usize = program.inputs[..i].iter().map(|input| input.accesses.len()).sum();
        for access in 0..input.accesses.len() {
            if input.accesses.len() > 1 {
                edit(&|p| {
                    p.inputs[i].accesses.remove(access);
                    rename_arguments(p, first + access, 1);
                });
            }
            for axis in 0..input.sizes.len() {
                edit(&|p| p.inputs[i].accesses[access][axis].constant = 0);
                for d in 0..program.dimensions.len() {
                    edit(&|p| p.inputs[i].accesses[access][axis].coefficients[d] = 0);
                    edit(&|p| {
                        let c = &mut p.inputs[i].accesses[access][axis].coefficients[d];
                        *c = (*c).min(1);
                    });
                }
            }
        }
    }
}

/// Simpler accesses of outputs.
fn edit_outputs(program: &Program, edit: &mut Edit<'_>) {
    for i in 0..program.outputs.len() {
        edit(&|p| p.outputs[i].buffer.memref = false);
        for axis in 0..program.outputs[i].buffer.sizes.len() {
            edit(&|p| p.outputs[i].buffer.accesses.iter_mut().for_each(|access| access[axis].constant = 0));
            for d in 0..program.dimensions.len() {
                edit(&|p| p.outputs[i].buffer.accesses.iter_mut().for_each(|a| a[axis].coefficients[d] = 0));
                edit(&|p| {
                    p.outputs[i].buffer.accesses.iter_mut().for_each(|a| {
                        let c = &mut a[axis].coefficients[d];
                        *c = (*c).clamp(0, 1);
                    })
                });
            }
        }
    }
}

/// Simpler combining functions.
fn edit_combine(program: &Program, edit: &mut Edit<'_>) {
    match &program.combine {
        Combine::Builtin { kinds, .. } => {
            let sums = vec!["add".to_owned(); kinds.len()];
            edit(&|p| p.combine = Combine::Builtin { kinds: sums.clone(), single: true });
        }
        Combine::User { rules, identity, .. } => {
            let count = program.scalar.len();
            let sums = Combine::Builtin { kinds: vec!["add".to_owned(); count], single: true };
            edit(&|p| p.combine = sums.clone());
            edit(&|p| p.combine = Combine::User { rules: vec![Rule::Sum; count], identity: *identity, branch: false });
            edit(&|p| p.combine = Combine::User { rules: rules.clone(), identity: *identity, branch: false });
        }
    }
}

/// Expressions with a node replaced by one of its children, or by a constant.
fn simpler(expression: &Expression) -> Vec<Expression> {
    let mut all = vec![];
    if !matches!(expression, Expression::Constant(_) | Expression::Argument(_)) {
        all.push(Expression::Constant(1));
    }
    all.extend(expression.children().into_iter().cloned());
    for i in 0..expression.children().len() {
        for simpler in simpler(expression.children()[i]) {
            let mut changed = expression.clone();
            *changed.children_mut()[i] = simpler;
            all.push(changed);
        }
    }
    all
}

fn buffers(program: &mut Program) -> Vec<&mut crate::fuzz::program::Buffer> {
    let outputs = program.outputs.iter_mut().map(|output| &mut output.buffer);
    let inits = program.inits.iter_mut().filter_map(Initial::buffer_mut);
    program.inputs.iter_mut().chain(outputs).chain(inits).collect()
}

/// Makes sizes and extents consistent again; `None` if that is impossible.
fn make_consistent(mut program: Program) -> Option<Program> {
    let extents = program.extents();
    for (d, &extent) in extents.iter().enumerate() {
        if program.dimensions[d].dynamic
            && let Some((buffer, axis)) = program.defining(d)
        {
            program.inputs[buffer].sizes[axis].size = extent;
        }
    }
    for i in 0..program.outputs.len() {
        let destination = program.outputs[i].destination;
        if let Destination::Input(input) = destination {
            let (input, output) = (&program.inputs[input], &program.outputs[i].buffer);
            if input.memref != output.memref || input.sizes.len() != output.sizes.len() {
                return None;
            }
            program.outputs[i].buffer.sizes = input.sizes.clone();
        }
        let buffer = &mut program.outputs[i].buffer;
        for (size, needed) in buffer.sizes.iter_mut().zip(views::needed(&buffer.accesses, &extents)) {
            if size.dynamic && destination == Destination::New {
                size.size = needed;
            }
        }
    }
    let fits = |buffer: &crate::fuzz::program::Buffer| {
        let needed = views::needed(&buffer.accesses, &extents);
        let lowest = buffer.accesses.iter().flatten().map(|row| row.range(&extents).0).min().unwrap_or(0);
        lowest >= 0 && buffer.sizes.iter().zip(needed).all(|(size, needed)| size.size >= needed)
    };
    let outputs = program.outputs.iter().map(|output| &output.buffer);
    let legal = program.inputs.iter().chain(outputs).all(fits);
    let produced = program.producers.iter().all(|producer| Producer::is_possible(&program, producer.input));
    let clone = program.clone();
    let initial = program.inits.iter_mut().all(|initial| match initial {
        Initial::Elements(buffer) => initial::fit(buffer, &clone),
        Initial::InPlace | Initial::Constant(_) | Initial::Scalar(_) => true,
    });
    let components = program.outputs.iter().flat_map(|output| vec![output.destination; output.buffer.accesses.len()]);
    let updated = program.inits.iter().zip(components);
    let in_place = updated
        .into_iter()
        .all(|(initial, destination)| *initial != Initial::InPlace || destination != Destination::New);
    let same = program.same.iter().all(|&(one, other)| program.can_be_same(one, other));
    (legal && produced && initial && in_place && same && extents_match(&program, &extents)).then_some(program)
}

/// Returns true if dynamic extents match the buffers that define them.
fn extents_match(program: &Program, extents: &[u64]) -> bool {
    (0..extents.len())
        .filter(|&d| program.dimensions[d].dynamic)
        .all(|d| program.defining(d).is_none_or(|(buffer, axis)| program.inputs[buffer].sizes[axis].size == extents[d]))
}
