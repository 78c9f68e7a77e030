//! The function of a nest.
//!
//! ```text
//! llvm.br ^header(%zero)                            func.func private @gemm_nest(%n: i32, %A: memref<?xf64>) {
//! ^header(%i):                                        cf.br ^header(%zero)
//!   %c = llvm.icmp "slt" %i, %n                     ^header(%i: i32):
//!   llvm.cond_br %c, ^body, ^after            ──▶     %c = arith.cmpi slt, %i, %n
//! ..                                                  cf.cond_br %c, ^body, ^exit
//!                                                   ..
//! ```
use super::{
    arithmetic::{build, has_no_effect},
    names,
    nest::{FlowNest, NestInput, NestMemory, computed_anew, is_same},
    pointer::{Base, Pointer},
};
use mdh_dialects::{
    attributes::{DIRECTIVE, DISJOINT, INNER_SIZES, NEST, SOURCE_NAME},
    ffi::set_argument_attribute,
    ir::{self, Blk, Builder, Op, Region, Val, ValueMap},
};
use melior::ir::{Attribute, Location, Type, ValueLike, operation::OperationLike};

/// The attribute of LLVM of a function whose addresses may be computed by sums that wrap around.
pub const WRAPS: &str = "mdh-wraps";

/// The function of a nest while it is built.
struct NestCopy<'n, 'c> {
    nest: &'n FlowNest<'c>,
    /// The function around the nest.
    around: Op<'c>,
    /// At the end of the first block.
    start: Builder<'c>,
    /// The memrefs, by input.
    memrefs: Vec<(&'n NestMemory<'c>, Val<'c>)>,
    numbers: ValueMap<'c>,
    /// By block of the nest.
    blocks: Vec<Blk<'c>>,
    exit: Blk<'c>,
}

/// The type of an input.
fn input_type<'c>(b: &Builder<'c>, input: &NestInput<'c>) -> Type<'c> {
    match input {
        NestInput::Number(value) => value.r#type(),
        NestInput::Memory(memory) => b.memref(&[None], memory.element, None),
    }
}

/// Builds the function of a nest behind the function around it.
pub fn outline<'c>(nest: &FlowNest<'c>, around: Op<'c>, symbol: &str) -> Op<'c> {
    let mut b = Builder::before(around);
    b.location = position(nest.directive.unwrap_or(nest.exit.from).location());
    let inputs: Vec<_> = nest.inputs.iter().map(|input| input_type(&b, input)).collect();
    let results: Vec<_> = nest.outputs.iter().map(|value| value.r#type()).collect();
    let attributes = [
        ("sym_name", b.string(symbol)),
        ("function_type", b.type_of(b.function(&inputs, &results))),
        ("sym_visibility", b.string("private")),
        (NEST, b.unit()),
    ];
    let wraps = [("passthrough", b.array(&[b.string(WRAPS)]))];
    let own = if nest.is_exact { &[][..] } else { &wraps };
    let function = b.op("func.func", &[], &[], &[&attributes, own].concat(), vec![Region::new()]);
    let first = b.append_block(function, &inputs);
    let block = |block: &Blk<'c>| {
        let types: Vec<_> = ir::arguments(*block).iter().map(|argument| argument.r#type()).collect();
        b.append_block(function, &types)
    };
    let blocks: Vec<_> = nest.blocks.iter().map(block).collect();
    let exit = b.append_block(function, &[]);
    let mut numbers = ValueMap::default();
    let mut memrefs = vec![];
    for (input, argument) in nest.inputs.iter().zip(ir::arguments(first)) {
        match input {
            NestInput::Number(value) => numbers.extend([(*value, argument)]),
            NestInput::Memory(memory) => memrefs.push((memory, argument)),
        }
    }
    for (old, new) in nest.blocks.iter().zip(&blocks) {
        numbers.extend(ir::arguments(*old).into_iter().zip(ir::arguments(*new)));
    }
    let mut outline = NestCopy { nest, around, start: b.at_end(first), memrefs, numbers, blocks, exit };
    let entry: Vec<_> = nest.entry.values.iter().map(|value| outline.number(*value)).collect();
    for (old, new) in nest.blocks.iter().zip(outline.blocks.clone()) {
        for operation in ir::block_operations(*old) {
            outline.copy(operation, b.at_end(new));
        }
    }
    let outputs: Vec<_> = nest.outputs.iter().map(|value| outline.number(*value)).collect();
    outline.start.branch("cf.br", &entry, &[], &[outline.target(nest.header)]);
    b.at_end(exit).op("func.return", &outputs, &[], &[], vec![]);
    let directive = nest.directive.and_then(|branch| ir::attribute(branch, DIRECTIVE));
    directive.into_iter().for_each(|directive| ir::set_attribute(function, DIRECTIVE, directive));
    nest.blocks.iter().filter_map(|block| ir::terminator(*block)).for_each(|of| ir::remove_attribute(of, DIRECTIVE));
    mark(&b, function, nest);
    function
}

/// The position in the source that a location has, without the scope of debug information, which belongs to the function
/// around the nest; of code that is inlined, that in its own function.
fn position<'c>(location: Location<'c>) -> Location<'c> {
    if location.is_call_site() {
        return position(location.call_site_callee());
    }
    match location.is_fused() && location.fused_num_locations() > 0 {
        true => position(location.fused_location(0)),
        false => location,
    }
}

/// A builder with the position of an operation.
fn located<'c>(mut b: Builder<'c>, at: Op<'c>) -> Builder<'c> {
    b.location = position(at.location());
    b
}

/// Sets what is known of the arguments of a function: their names, and their memory.
fn mark<'c>(b: &Builder<'c>, function: Op<'c>, nest: &FlowNest<'c>) {
    let inputs = &nest.inputs;
    let objects = || {
        inputs.iter().filter_map(|input| match input {
            NestInput::Memory(memory) => Some(memory.object),
            NestInput::Number(_) => None,
        })
    };
    // A pointer of unknown origin may point into an object that has no other name than an argument.
    let is_known = objects().all(|object| object != Base::Other);
    let mut number = 0;
    for (position, input) in inputs.iter().enumerate() {
        if let Some(name) = names::of_input(input) {
            set_argument_attribute(function, position, SOURCE_NAME, b.string(&name));
        }
        let NestInput::Memory(memory) = input else { continue };
        let set = |name, attribute: Attribute<'c>| set_argument_attribute(function, position, name, attribute);
        match memory.object {
            // A directive promises that arrays do not overlap.
            _ if nest.directive.is_some() => set("llvm.noalias", b.unit()),
            Base::Argument(true) | Base::Local if is_known => set("llvm.noalias", b.unit()),
            Base::Argument(true) | Base::Local | Base::Global(_) => {
                set(DISJOINT, b.i64_number(number));
                number += 1;
            }
            Base::Argument(false) | Base::Other => {}
        }
        if !memory.inner_sizes.is_empty() {
            set(INNER_SIZES, b.numbers(&memory.inner_sizes));
        }
    }
}

impl<'c> NestCopy<'_, 'c> {
    /// The counterpart of a number, which is built if it is computed anew.
    fn number(&mut self, value: Val<'c>) -> Val<'c> {
        let found = self.numbers.get(value);
        if found != value {
            return found;
        }
        let built = computed_anew(value).filter(|_| !self.nest.defines(value)).and_then(|operation| {
            let operands: Vec<_> = ir::operands(operation).into_iter().map(|operand| self.number(operand)).collect();
            build(&located(self.start, operation), operation, &operands)
        });
        let Some(built) = built else { unreachable!("a number of a nest is an input, or computed in it") };
        self.numbers.extend([(value, built)]);
        built
    }

    /// The counterpart of a block.
    fn target(&self, block: Blk<'c>) -> Blk<'c> {
        let position = self.nest.blocks.iter().position(|own| *own == block);
        position.map_or(self.exit, |position| self.blocks[position])
    }

    /// Copies an operation of the nest.
    fn copy(&mut self, operation: Op<'c>, b: Builder<'c>) {
        let b = located(b, operation);
        match ir::name(operation) {
            "llvm.br" | "llvm.cond_br" => self.branch(operation, &b),
            "llvm.load" => {
                let [memref, index] = self.element(ir::operands(operation)[0], &b);
                let ty = ir::results(operation)[0].r#type();
                let loaded = b.value("memref.load", &[memref, index], ty, &[]);
                self.numbers.extend([(ir::results(operation)[0], loaded)]);
            }
            "llvm.store" => {
                let operands = ir::operands(operation);
                let value = self.number(operands[0]);
                let [memref, index] = self.element(operands[1], &b);
                b.op("memref.store", &[value, memref, index], &[], &[], vec![]);
            }
            "llvm.getelementptr" => {}
            _ if has_no_effect(operation) => {}
            _ => {
                let operands: Vec<_> = ir::operands(operation).into_iter().map(|value| self.number(value)).collect();
                if let Some(built) = build(&b, operation, &operands) {
                    self.numbers.extend([(ir::results(operation)[0], built)]);
                }
            }
        }
    }

    fn branch(&mut self, operation: Op<'c>, b: &Builder<'c>) {
        let edges = ir::edges(operation);
        let mut operands = vec![];
        let mut sizes = vec![];
        if ir::name(operation) == "llvm.cond_br" {
            operands.push(self.number(ir::operands(operation)[0]));
            sizes.push(1);
        }
        let mut targets = vec![];
        for edge in edges {
            let target = self.target(edge.to);
            // What the exit passes on is used by the function around.
            let values = if target == self.exit { vec![] } else { edge.values };
            sizes.push(values.len());
            operands.extend(values.into_iter().map(|value| self.number(value)));
            targets.push(target);
        }
        match targets.len() {
            1 => b.branch("cf.br", &operands, &[], &targets),
            _ => b.branch("cf.cond_br", &operands, &[b.segments(&sizes)], &targets),
        };
    }

    /// The memref of an element, and its index.
    fn element(&mut self, pointer: Val<'c>, b: &Builder<'c>) -> [Val<'c>; 2] {
        let found = match Pointer::of(pointer) {
            Ok(found) => found,
            Err(reason) => unreachable!("{reason}"),
        };
        let object = Base::of(found.base, self.around);
        let own = self.memrefs.iter().find(|(memory, _)| is_same(memory, found.base, object));
        let Some((memory, memref)) = own.copied() else { unreachable!("the memory of a nest is an input") };
        let index = b.index();
        let flags: Vec<_> = found.is_exact.then(|| ("overflowFlags", b.overflow(1))).into_iter().collect();
        let mut sum: Option<Val<'c>> = None;
        let add = |sum: &mut Option<Val<'c>>, term: Val<'c>| {
            *sum = Some(sum.map_or(term, |sum| b.value("arith.addi", &[sum, term], index, &flags)));
        };
        for (term, factor) in found.terms {
            let value = self.number(term);
            let mut value = b.value("arith.index_cast", &[value], index, &[]);
            if factor != memory.bytes {
                let factor = b.constant(factor / memory.bytes, index);
                value = b.value("arith.muli", &[value, factor], index, &flags);
            }
            add(&mut sum, value);
        }
        if found.bytes != 0 || sum.is_none() {
            add(&mut sum, b.constant(found.bytes / memory.bytes, index));
        }
        [memref, sum.unwrap_or_else(|| b.constant(0, index))]
    }
}
