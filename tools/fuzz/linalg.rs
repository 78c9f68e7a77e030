//! Random programs of linalg: chains of structured operations, slices and reshapes, and siblings, which read the same
//! elements, raised and fused, against the reference evaluator, which evaluates linalg point by point.
//!
//! Elements are integers, whose arithmetic wraps, or floats that are small integers and are only negated, added twice,
//! and compared, so that results are exact in every order.
mod operations;

use crate::{
    array::{Array, Element, Slot},
    fuzz::compare::compare_results,
    jit::{self, Argument},
    kernel::Device,
    program::{self, Lowered},
    reference, signature,
    target::host::ProcessorOptions,
};
use anyhow::{Context as _, Result, anyhow};
use mdh_dialects::ir;
use mdh_passes::{
    pipeline::{self, Raising},
    schedule::random::Random,
    target::{Target, upstream},
};
use melior::{Context, ir::Module};
use std::fmt::Write as _;

/// A tensor of the program.
#[derive(Clone)]
struct LinalgTensor {
    name: String,
    sizes: Vec<u64>,
    /// By dimension: true if the type has `?`.
    dynamic: Vec<bool>,
    /// The most sums that an element has taken part in, one after the other.
    sums: usize,
}

/// The iterators of a generic operation, and the accesses of its inputs.
#[derive(Clone)]
struct Iterators {
    inputs: Vec<LinalgTensor>,
    /// By input: its access, by axis.
    maps: Vec<Vec<String>>,
    /// By iterator: its extent, and the tensor and the axis that have it as their size.
    extents: Vec<(u64, String)>,
    is_reduction: Vec<bool>,
}

impl Iterators {
    /// The same iterators in another order. `order`: by iterator, its new position.
    fn permuted(&self, order: &[usize]) -> Self {
        let term = |term: &str| match term.strip_prefix('d').map(str::parse::<usize>) {
            Some(Ok(d)) => format!("d{}", order[d]),
            _ => term.to_owned(),
        };
        let row = |row: &String| row.split(" + ").map(term).collect::<Vec<_>>().join(" + ");
        let source = |position: usize| order.iter().position(|image| *image == position).unwrap_or(position);
        Self {
            inputs: self.inputs.clone(),
            maps: self.maps.iter().map(|rows| rows.iter().map(row).collect()).collect(),
            extents: (0..order.len()).map(|position| self.extents[source(position)].clone()).collect(),
            is_reduction: (0..order.len()).map(|position| self.is_reduction[source(position)]).collect(),
        }
    }
}

/// A program under construction.
struct LinalgChain<'r> {
    random: &'r mut Random,
    element: &'static str,
    text: String,
    tensors: Vec<LinalgTensor>,
    count: usize,
    /// The last generic operation, for siblings of it.
    last: Option<Iterators>,
}

/// The most sums that floats take part in, one after the other.
const MAX_SUMS: usize = 2;

/// The most elements of a tensor.
const MAX_ELEMENTS: u64 = 3000;

/// The text of a random program, and its arguments.
pub fn program(seed: u64) -> Result<(String, Vec<Array>)> {
    let mut random = Random::new(seed);
    let element = ["i32", "i32", "i64", "i8", "f32"][random.below(5)];
    let (text, tensors) = (String::new(), vec![]);
    let mut chain = LinalgChain { random: &mut random, element, text, tensors, count: 0, last: None };
    let dynamic = chain.random.once_in(4);
    let count = 1 + chain.random.below(3);
    for i in 0..count {
        let rank = chain.random.below(4);
        let sizes: Vec<_> = (0..rank).map(|_| 1 + chain.random.below(9) as u64).collect();
        let dynamic = sizes.iter().map(|_| dynamic && chain.random.once_in(2)).collect();
        chain.tensors.push(LinalgTensor { name: format!("%a{i}"), sizes, dynamic, sums: 0 });
    }
    let arguments = chain.tensors.clone();
    for _ in 0..1 + chain.random.below(7) {
        chain.operation();
    }
    let parameters: Vec<_> = arguments.iter().map(|a| format!("{}: {}", a.name, chain.ty(a))).collect();
    // Siblings are the last tensors, often.
    let count = [1, 2, 2, 3, 4, 6][chain.random.below(6)];
    let results: Vec<LinalgTensor> = chain.tensors.iter().rev().take(count).cloned().collect();
    let types: Vec<_> = results.iter().map(|result| chain.ty(result)).collect();
    let names: Vec<_> = results.iter().map(|result| result.name.clone()).collect();
    let text = format!(
        "func.func @program({}) -> ({}) {{\n{}  return {} : {}\n}}\n",
        parameters.join(", "),
        types.join(", "),
        chain.text,
        names.join(", "),
        types.join(", ")
    );
    let kind = Element::from_name(element).ok_or_else(|| anyhow!("no such type"))?;
    let data = arguments.iter().map(|argument| {
        let shape: Vec<_> = argument.sizes.iter().map(|size| *size as usize).collect();
        let mut array = Array::filled(kind, &shape, 0).map_err(anyhow::Error::msg)?;
        for i in 0..array.len() {
            let small = chain.random.below(9) as f64 - 4.0;
            let bits = Slot::from(chain.random.next());
            array.set(i, if kind.is_float() { kind.from_f64(small) } else { bits & kind.mask() });
        }
        Ok(array)
    });
    let data = data.collect::<Result<Vec<_>>>()?;
    Ok((text, data))
}

impl LinalgChain<'_> {
    fn ty(&self, tensor: &LinalgTensor) -> String {
        let sizes = tensor.sizes.iter().zip(&tensor.dynamic);
        let sizes: String = sizes.map(|(size, d)| if *d { "?x".to_owned() } else { format!("{size}x") }).collect();
        format!("tensor<{sizes}{}>", self.element)
    }

    fn is_float(&self) -> bool {
        self.element == "f32"
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    fn any(&mut self) -> LinalgTensor {
        // Later tensors are more likely, so that operations form chains.
        let (a, b) = (self.random.below(self.tensors.len()), self.random.below(self.tensors.len()));
        self.tensors[a.max(b)].clone()
    }

    fn operation(&mut self) {
        match self.random.below(16) {
            0 => self.slice(),
            1 => self.reshape(),
            11 | 12 => self.partial(),
            13 => self.map(),
            14 => self.elementwise(),
            15 => self.transposition(),
            2..=4 => self.generic(false),
            5..=7 => self.generic(true),
            _ => self.sibling(),
        }
    }

    fn slice(&mut self) {
        let source = self.any();
        if source.sizes.is_empty() || source.dynamic.contains(&true) {
            return;
        }
        let (mut offsets, mut sizes, mut strides) = (vec![], vec![], vec![]);
        for size in &source.sizes {
            let stride = 1 + self.random.below(2) as u64;
            let offset = self.random.below(*size as usize) as u64;
            let most = (size - offset).div_ceil(stride);
            offsets.push(offset);
            sizes.push(1 + self.random.below(most as usize) as u64);
            strides.push(stride);
        }
        // A dimension of size 1 may be dropped: the last one, so that the type is unambiguous.
        let drops = sizes.iter().filter(|size| **size == 1).count() == 1 && self.random.once_in(2);
        let kept: Vec<_> = sizes.iter().copied().filter(|size| !(drops && *size == 1)).collect();
        let result =
            LinalgTensor { name: self.name(), dynamic: vec![false; kept.len()], sizes: kept, sums: source.sums };
        let (from, to) = (self.ty(&source), self.ty(&result));
        let _ = writeln!(
            self.text,
            "  {} = tensor.extract_slice {}{offsets:?} {sizes:?} {strides:?} : {from} to {to}",
            result.name, source.name
        );
        self.tensors.push(result);
    }

    fn reshape(&mut self) {
        let source = self.any();
        if source.sizes.is_empty() || source.dynamic.contains(&true) {
            return;
        }
        let axis = self.random.below(source.sizes.len());
        let (from, mut sizes) = (self.ty(&source), source.sizes.clone());
        let expands = self.random.once_in(2);
        let groups: Vec<Vec<usize>> = if expands {
            let size = sizes[axis];
            let factors: Vec<_> = (1..=size).filter(|factor| size % factor == 0).collect();
            let factor = factors[self.random.below(factors.len())];
            sizes.splice(axis..=axis, [factor, size / factor]);
            let first = |i: usize| if i > axis { i + 1 } else { i };
            (0..source.sizes.len()).map(|i| if i == axis { vec![i, i + 1] } else { vec![first(i)] }).collect()
        } else {
            if axis + 1 >= sizes.len() {
                return;
            }
            sizes.splice(axis..=axis + 1, [source.sizes[axis] * source.sizes[axis + 1]]);
            let groups = (0..sizes.len()).map(|i| match i {
                i if i < axis => vec![i],
                i if i == axis => vec![i, i + 1],
                i => vec![i + 1],
            });
            groups.collect()
        };
        let result = LinalgTensor { name: self.name(), dynamic: vec![false; sizes.len()], sizes, sums: source.sums };
        let to = self.ty(&result);
        let _ = match expands {
            true => writeln!(
                self.text,
                "  {} = tensor.expand_shape {} {groups:?} output_shape {:?} : {from} into {to}",
                result.name, source.name, result.sizes
            ),
            false => writeln!(
                self.text,
                "  {} = tensor.collapse_shape {} {groups:?} : {from} into {to}",
                result.name, source.name
            ),
        };
        self.tensors.push(result);
    }

    /// A generic operation: elementwise, or with reductions.
    fn generic(&mut self, reduces: bool) {
        let count = 1 + self.random.below(3);
        let inputs: Vec<_> = (0..count).map(|_| self.any()).collect();
        // The first input has an iterator for each dimension; others match them by size, or read index 0.
        let mut extents: Vec<(u64, String)> = vec![];
        let mut maps = vec![];
        for input in &inputs {
            let mut rows = vec![];
            let mut used = vec![];
            for (axis, size) in input.sizes.iter().enumerate() {
                let known = (0..extents.len()).find(|d| extents[*d].0 == *size && !used.contains(d));
                let d = match known {
                    Some(d) if !self.random.once_in(5) => d,
                    _ if *size > 1 && self.random.once_in(6) => {
                        // A window: two iterators along one axis.
                        let (first, second) = (extents.len(), extents.len() + 1);
                        let length = 1 + self.random.below(*size as usize) as u64;
                        extents.push((size + 1 - length, String::new()));
                        extents.push((length, String::new()));
                        rows.push(format!("d{first} + d{second}"));
                        used.extend([first, second]);
                        continue;
                    }
                    _ if self.random.once_in(5) => {
                        rows.push(self.random.below(*size as usize).to_string());
                        continue;
                    }
                    _ => {
                        extents.push((*size, format!("{} {axis}", input.name)));
                        extents.len() - 1
                    }
                };
                used.push(d);
                rows.push(format!("d{d}"));
            }
            maps.push(rows);
        }
        let points: u64 = extents.iter().map(|(extent, _)| extent).product();
        let dynamic = inputs.iter().any(|input| input.dynamic.contains(&true));
        if points > 20_000 || (dynamic && extents.iter().any(|(_, from)| from.is_empty())) {
            return;
        }
        let is_reduction: Vec<_> = extents.iter().map(|_| reduces && self.random.once_in(2)).collect();
        let iterators = Iterators { inputs, maps, extents, is_reduction };
        self.compute(&iterators);
        self.last = Some(iterators);
        if self.random.once_in(3) {
            self.sibling();
        }
    }

    /// Another operation with the iterators of the last one, which reads some of the same elements.
    fn sibling(&mut self) {
        let Some(mut iterators) = self.last.clone() else { return self.generic(true) };
        if self.random.once_in(3) {
            let mut order: Vec<_> = (0..iterators.extents.len()).collect();
            self.random.shuffle(&mut order);
            iterators = iterators.permuted(&order);
        }
        self.compute(&iterators);
    }

    /// An operation with these iterators.
    fn compute(&mut self, iterators: &Iterators) {
        let Iterators { inputs, maps, extents, is_reduction } = iterators;
        let (rank, count) = (extents.len(), inputs.len());
        let dynamic = inputs.iter().any(|input| input.dynamic.contains(&true));
        let mut kept: Vec<_> = (0..rank).filter(|d| !is_reduction[*d]).collect();
        if self.random.once_in(3) {
            self.random.shuffle(&mut kept);
        }
        let sizes: Vec<_> = kept.iter().map(|d| extents[*d].0).collect();
        if sizes.iter().product::<u64>() > MAX_ELEMENTS {
            return;
        }
        let has_reduction = is_reduction.contains(&true);
        let sums = inputs.iter().map(|input| input.sums).max().unwrap_or_default();
        let kinds: &[&str] = match (self.is_float(), sums) {
            (true, MAX_SUMS..) => &["maximumf", "minimumf", "maxnumf", "minnumf"],
            (true, _) => &["addf", "addf", "maximumf", "minimumf", "maxnumf", "minnumf"],
            _ => &[
                "addi",
                "addi",
                "muli",
                "maxsi",
                "minsi",
                "maxui",
                "minui",
                "andi",
                "ori",
                "xori",
                "subi",
                "subi_from",
            ],
        };
        let kind = kinds[self.random.below(kinds.len())];
        let sums = sums + usize::from(kind == "addf" && has_reduction);
        // Window iterators have no tensor with their size: operands of these sizes, which the region does not read.
        let mut operands: Vec<(String, String, String)> = inputs
            .iter()
            .zip(maps)
            .map(|(input, rows)| (input.name.clone(), self.ty(input), rows.join(", ")))
            .collect();
        for (d, (extent, from)) in extents.iter().enumerate() {
            if from.is_empty() {
                let name = format!("%window{}_{d}", self.count);
                let ty = format!("tensor<{extent}x{}>", self.element);
                let _ = writeln!(self.text, "  {name} = tensor.empty() : {ty}");
                operands.push((name, ty, format!("d{d}")));
            }
        }
        let result = LinalgTensor { name: self.name(), dynamic: vec![dynamic; sizes.len()], sizes, sums };
        let start = self.start(&result, &kept, extents, has_reduction);
        self.write_generic(&operands, is_reduction, &kept, (&result, &start), has_reduction.then_some(kind), count);
        self.tensors.push(result);
    }

    /// The output before the operation: empty, filled, or an existing tensor of its type.
    fn start(&mut self, result: &LinalgTensor, kept: &[usize], extents: &[(u64, String)], is_read: bool) -> String {
        let ty = self.ty(result);
        let alike = self.tensors.iter().find(|tensor| self.ty(tensor) == ty && tensor.sizes == result.sizes).cloned();
        if let Some(alike) = alike.filter(|alike| alike.sums <= result.sums && self.random.once_in(3)) {
            return alike.name;
        }
        let base = result.name.clone();
        let mut sizes = vec![];
        for (axis, d) in kept.iter().enumerate().filter(|(axis, _)| result.dynamic[*axis]) {
            let (name, source) = (format!("{base}_size{axis}"), &extents[*d].1);
            let Some((tensor, of)) = source.split_once(' ') else { continue };
            let of_type = self.tensors.iter().find(|known| known.name == tensor).map(|known| self.ty(known));
            let _ = writeln!(self.text, "  {base}_axis{axis} = arith.constant {of} : index");
            let _ = writeln!(
                self.text,
                "  {name} = tensor.dim {tensor}, {base}_axis{axis} : {}",
                of_type.unwrap_or_default()
            );
            sizes.push(name);
        }
        let _ = writeln!(self.text, "  {base}_empty = tensor.empty({}) : {ty}", sizes.join(", "));
        if !is_read {
            return format!("{base}_empty");
        }
        let number = self.random.below(5) as i64 - 2;
        let number = if self.is_float() { format!("{number}.0") } else { number.to_string() };
        let _ = writeln!(self.text, "  {base}_number = arith.constant {number} : {}", self.element);
        let _ = writeln!(
            self.text,
            "  {base}_start = linalg.fill ins({base}_number : {}) outs({base}_empty : {ty}) -> {ty}",
            self.element
        );
        format!("{base}_start")
    }

    fn write_generic(
        &mut self,
        operands: &[(String, String, String)],
        is_reduction: &[bool],
        kept: &[usize],
        (result, start): (&LinalgTensor, &str),
        kind: Option<&str>,
        read: usize,
    ) {
        let rank = is_reduction.len();
        let dimensions: Vec<_> = (0..rank).map(|d| format!("d{d}")).collect();
        let map = |rows: &str| format!("affine_map<({}) -> ({rows})>", dimensions.join(", "));
        let mut maps: Vec<_> = operands.iter().map(|(_, _, rows)| map(rows)).collect();
        let out: Vec<_> = kept.iter().map(|d| format!("d{d}")).collect();
        maps.push(map(&out.join(", ")));
        let iterators: Vec<_> =
            is_reduction.iter().map(|reduces| if *reduces { "\"reduction\"" } else { "\"parallel\"" }).collect();
        let (names, types): (Vec<_>, Vec<_>) = operands.iter().map(|(name, ty, _)| (name.clone(), ty.clone())).unzip();
        let ty = self.ty(result);
        let element = self.element;
        let arguments: Vec<_> = (0..operands.len()).map(|i| format!("%x{i}: {element}")).collect();
        let _ = writeln!(
            self.text,
            "  {} = linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} ins({} : {}) outs({start} : {ty}) {{\n  \
             ^bb0({}, %o: {element}):",
            result.name,
            maps.join(", "),
            iterators.join(", "),
            names.join(", "),
            types.join(", "),
            arguments.join(", ")
        );
        let value = self.value(read, rank);
        let last = match kind {
            None => value,
            Some("subi_from") => self.define(&format!("arith.subi {value}, %o : {element}")),
            Some("subi") => self.define(&format!("arith.subi %o, {value} : {element}")),
            Some(kind) => {
                let (left, right) =
                    if self.random.once_in(2) { ("%o".to_owned(), value) } else { (value, "%o".to_owned()) };
                self.define(&format!("arith.{kind} {left}, {right} : {element}"))
            }
        };
        let _ = writeln!(self.text, "    linalg.yield {last} : {element}\n  }} -> {ty}");
    }

    fn define(&mut self, operation: &str) -> String {
        self.count += 1;
        let name = format!("%e{}", self.count);
        let _ = writeln!(self.text, "    {name} = {operation}");
        name
    }

    /// A value of the region: its arguments, combined pairwise, and an index.
    fn value(&mut self, read: usize, rank: usize) -> String {
        let element = self.element;
        let mut value = "%x0".to_owned();
        for i in 1..read {
            let kinds: &[&str] =
                if self.is_float() { &["maximumf", "minimumf"] } else { &["addi", "muli", "subi", "maxsi", "xori"] };
            let kind = kinds[self.random.below(kinds.len())];
            value = self.define(&format!("arith.{kind} {value}, %x{i} : {element}"));
        }
        if rank > 0 && !self.is_float() && self.random.once_in(4) {
            let d = self.random.below(rank);
            let index = self.define(&format!("linalg.index {d} : index"));
            let number = self.define(&format!("arith.index_cast {index} : index to {element}"));
            value = self.define(&format!("arith.addi {value}, {number} : {element}"));
        }
        if self.is_float() && self.random.once_in(3) {
            value = self.define(&format!("arith.negf {value} : {element}"));
        }
        value
    }
}

/// The passes that convert a program to loops, by seed.
fn to_loops(seed: u64) -> String {
    let conversion = ["convert-linalg-to-affine-loops", "convert-linalg-to-loops", "convert-linalg-to-parallel-loops"];
    let conversion = conversion[(seed / 2 % 3) as usize];
    format!(
        "builtin.module({},any(mdh-split-rank-reductions,mdh-preserve-outputs),one-shot-bufferize{{\
         bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map}},{},cse,\
         func.func({conversion}))",
        upstream::ELEMENTWISE,
        upstream::CANONICALIZE
    )
}

/// The way in which a program is compiled.
#[derive(Clone, Copy)]
pub(super) struct Compilation {
    /// Where computations run.
    target: &'static Target,
    /// Floating-point operations keep the order of the program.
    strict: bool,
    /// The optimization level of LLVM.
    level: u8,
    /// Whether operations are raised, or stay.
    raise: Raising,
}

impl Compilation {
    /// The way for a seed. LLVM's optimizations take most of the time, so only one program in eight is optimized.
    pub(super) fn new(seed: u64, strict: bool) -> Self {
        let level = u8::from(seed.is_multiple_of(8));
        Self { target: Default::default(), strict, level, raise: Raising::On }
    }

    /// The same with operations that are raised or stay.
    pub(super) fn raised(self, raise: Raising) -> Self {
        Self { raise, ..self }
    }

    /// The same on a target.
    pub(super) fn on(self, target: &'static Target) -> Self {
        Self { target, ..self }
    }
}

/// Compiles `@program` for one thread, raised and fused, and calls it. Returns its results, and its arguments after the
/// call.
pub(super) fn execute(
    context: &Context,
    module: &mut Module<'_>,
    Compilation { target, strict, level, raise }: Compilation,
    arguments: Vec<Array>,
) -> Result<(Vec<Array>, Vec<Argument>)> {
    let options =
        pipeline::Options { target, strict, raise, check_nest: true, threads: Some(1), ..pipeline::Options::default() };
    let mut lowered = Lowered::new(context, module, "program", &options).context("lowering fails")?;
    let device = Device::selected(target)?;
    let processor = ProcessorOptions { level, ..ProcessorOptions::default() };
    let compiled = jit::compiled(&mut lowered, &processor, device.as_ref())?;
    let mut given: Vec<_> = arguments.into_iter().map(Argument::Array).collect();
    compiled.set_threads(1)?;
    Ok((compiled.call(&mut given)?, given))
}

/// Runs the program of a seed raised and fused, and compares the results with the reference evaluator's. `loops`: the
/// program is converted to loops first, which are raised.
pub fn check(context: &Context, seed: u64, loops: bool) -> Result<()> {
    let passes = loops.then(|| to_loops(seed));
    let raise = if seed.is_multiple_of(4) { Raising::Off } else { Raising::On };
    let compilation = Compilation::new(seed, seed.is_multiple_of(3)).raised(raise);
    check_program(context, program(seed)?, compilation, passes.as_deref())
}

/// Runs a program after some passes, raised and fused, and compares the results with the reference evaluator's.
pub(super) fn check_program(
    context: &Context,
    (text, arguments): (String, Vec<Array>),
    compilation: Compilation,
    passes: Option<&str>,
) -> Result<()> {
    let mut module = program::parse(context, text.as_bytes()).with_context(|| text.clone())?;
    let function = signature::find(ir::op(module.as_operation()), None)?;
    let expected = reference::evaluate_with_errors(function, arguments.clone(), &|_| ());
    let expected = expected.map_err(|failure| anyhow!("{failure}\n{text}"))?;
    if let Some(passes) = passes {
        program::run(context, &mut module, passes).with_context(|| text.clone())?;
    }
    let (results, _) = execute(context, &mut module, compilation, arguments).with_context(|| text.clone())?;
    compare_results(&expected.results, &results).map_err(|error| anyhow!("{error}\n{text}"))
}
