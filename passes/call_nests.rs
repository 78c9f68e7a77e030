//! `mdh-call-nests`: calls the functions of nests in place of the loops that they have been made of.
//!
//! ```mlir
//! func.func private @scale_nest(%n: i64, %A: memref<?xf64>, %x: f64) {
//!   %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<?xf64>) -> !mdh.mda<?, f64>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc] {
//!   ^bb0(%a: f64):
//!     %p = arith.mulf %a, %x : f64
//!     mdh.hom.yield %p : f64
//!   } : !mdh.mda<?, f64> -> !mdh.mda<?, f64>
//!   mdh.view.out_view %r[affine_map<(i) -> (i)>] into %A : !mdh.mda<?, f64>, memref<?xf64>
//!   return
//! }
//! llvm.func @scale(%n: i64, %x: f64, %A: !llvm.ptr) {
//!   %zero = llvm.mlir.constant(0 : i64) : i64
//!   %one = llvm.mlir.constant(1 : i64) : i64
//!   llvm.br ^header(%zero : i64) {mdh.nest = @scale_nest}
//! ^header(%i: i64):
//!   %c = llvm.icmp "slt" %i, %n : i64
//!   llvm.cond_br %c, ^body, ^after
//! ^body:
//!   %p = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
//!   %a = llvm.load %p : !llvm.ptr -> f64
//!   %b = llvm.fmul %a, %x : f64
//!   llvm.store %b, %p : f64, !llvm.ptr
//!   %j = llvm.add %i, %one overflow<nsw> : i64
//!   llvm.br ^header(%j : i64)
//! ^after:
//!   llvm.return
//! }
//! ```
//! becomes
//! ```mlir
//! llvm.insertvalue %A
//! %m = builtin.unrealized_conversion_cast %d : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xf64>
//! func.call @scale_nest(%n, %m, %x)
//! llvm.br ^..
//! ```
//!
//! The blocks of the loop are not reached any more. The functions of nests that are not raised are erased, and their loops
//! stay as they are. An object has as many elements as the largest one: accesses are not checked against its size.
use crate::lift_llvm::{
    arithmetic::has_no_effect,
    graph::FlowGraph,
    nest::{FlowNest, NestInput},
    nests,
};
use mdh_dialects::{
    attributes::NEST,
    ir::{self, Builder, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The number of bytes of an object whose size is not known: no object is larger.
const LARGEST: i64 = 1 << 62;

/// The pass.
pub struct CallNests;

impl MdhPass for CallNests {
    const NAME: &'static str = "CallNests";
    const ARGUMENT: &'static str = "mdh-call-nests";
    const DESCRIPTION: &'static str = "Call raised nests in place of loops of the LLVM dialect";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::func(), DialectHandle::memref(), DialectHandle::llvm()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module);
        Ok(())
    }
}

/// True for a function with a computation.
pub fn is_raised(function: Op<'_>) -> bool {
    ir::descendants(function).into_iter().any(|operation| ir::name(operation).starts_with("mdh."))
}

/// Replaces the loops of a module whose nests are raised, and erases the functions of the others.
pub fn run(module: Op<'_>) {
    for function in ir::find(module, "llvm.func") {
        if ir::body(function, 0).is_none() {
            continue;
        }
        for nest in nests(function, &FlowGraph::of(function)).0 {
            let symbol = ir::attribute(nest.entry.from, NEST).and_then(ir::symbol_attribute);
            let Some(callee) = symbol.and_then(|symbol| ir::lookup_symbol(function, symbol)) else { continue };
            if is_raised(callee) {
                replace(&nest, callee);
            } else {
                ir::remove_attribute(nest.entry.from, NEST);
                ir::erase(callee);
            }
        }
    }
}

/// Calls a function in place of its nest. The blocks of the nest are not reached any more.
fn replace<'c>(nest: &FlowNest<'c>, callee: Op<'c>) {
    let b = Builder::before(nest.entry.from).located(nest.exit.from);
    let symbol = ir::attribute(callee, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
    let operands: Vec<_> = nest.inputs.iter().map(|input| operand(&b, input)).collect();
    let results: Vec<_> = nest.outputs.iter().map(|value| value.r#type()).collect();
    let call = b.op("func.call", &operands, &results, &[("callee", b.symbol(symbol))], vec![]);
    let map: ir::ValueMap<'c> = nest.outputs.iter().copied().zip(ir::results(call)).collect();
    for output in &nest.outputs {
        for user in ir::users(*output) {
            if ir::block(user).is_some_and(|block| nest.blocks.contains(&block)) {
                continue;
            }
            for (position, operand) in ir::operands(user).into_iter().enumerate() {
                if operand == *output {
                    ir::set_operand(user, position, map.get(operand));
                }
            }
        }
    }
    // Debug information of values that the function of the nest does not return.
    let computed = nest.blocks.iter().flat_map(|block| {
        ir::arguments(*block).into_iter().chain(ir::block_operations(*block).into_iter().flat_map(ir::results))
    });
    let users = computed.flat_map(ir::users).filter(|user| has_no_effect(*user));
    for user in
        users.filter(|user| ir::block(*user).is_some_and(|block| !nest.blocks.contains(&block))).collect::<Vec<_>>()
    {
        ir::erase(user);
    }
    let passed: Vec<_> = nest.exit.values.iter().map(|value| map.get(*value)).collect();
    b.branch("llvm.br", &passed, &[], &[nest.exit.to]);
    ir::erase(nest.entry.from);
}

/// The operand for an input: a number, or a memref of the whole object.
fn operand<'c>(b: &Builder<'c>, input: &NestInput<'c>) -> Val<'c> {
    let memory = match input {
        NestInput::Number(value) => return *value,
        NestInput::Memory(memory) => memory,
    };
    let ty = b.descriptor(0, 1);
    let start = b.value("llvm.mlir.poison", &[], ty, &[]);
    let insert = |into: Val<'c>, value: Val<'c>, position: &[i64]| {
        b.value("llvm.insertvalue", &[into, value], ty, &[("position", b.numbers(position))])
    };
    let parts: [(Val<'c>, &[i64]); 5] = [
        (memory.base, &[0]),
        (memory.base, &[1]),
        (b.word(0), &[2]),
        (b.word(LARGEST / memory.bytes), &[3, 0]),
        (b.word(1), &[4, 0]),
    ];
    let descriptor = parts.into_iter().fold(start, |into, (value, position)| insert(into, value, position));
    let memref = b.memref(&[None], memory.element, None);
    b.value("builtin.unrealized_conversion_cast", &[descriptor], memref, &[])
}
