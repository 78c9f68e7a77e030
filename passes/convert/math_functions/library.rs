//! The functions that a module has been given: each once, whoever calls it.
use super::value::Lanes;
use mdh_dialects::ir::{self, Builder, Linkage, Op, Val};
use melior::ir::{Location, Type, ValueLike};
use std::cell::RefCell;

/// How often a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// LLVM decides whether the body is copied to where it is called.
    Often,
    /// It stays a call.
    Rare,
}

/// The functions and constants of a module, by their names, with their symbols.
pub struct Library<'c> {
    module: Op<'c>,
    symbols: RefCell<Vec<(String, String)>>,
}

impl<'c> Library<'c> {
    /// That of a module that has none yet.
    pub fn new(module: Op<'c>) -> Self {
        Self { module, symbols: RefCell::default() }
    }

    /// The module.
    pub fn module(&self) -> Op<'c> {
        self.module
    }

    /// Calls a function on lanes from where they are built. The body is built if the module has no such function yet: results from
    /// operands, at the end of the function.
    pub fn call(
        &self,
        lanes: Lanes<'c>,
        name: &str,
        usage: Use,
        operands: &[Val<'c>],
        results: &[Type<'c>],
        body: impl FnOnce(Lanes<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let b = lanes.builder;
        let count = lanes.count.map(|count| format!("{count}x")).unwrap_or_default();
        let symbol = self.symbol(&format!("mdh.{name}.{count}f{}", lanes.format.bits()), |b, symbol| {
            let types: Vec<_> = operands.iter().map(ValueLike::r#type).collect();
            define(b, symbol, usage, &types, results, |b, operands| body(Lanes { builder: b, ..lanes }, operands));
        });
        ir::results(b.op("func.call", operands, results, &[("callee", b.symbol(&symbol))], vec![]))
    }

    /// The symbol of what a name stands for. It is built if the module does not have it, at its end.
    pub fn symbol(&self, name: &str, build: impl FnOnce(&Builder<'c>, &str)) -> String {
        let known = self.symbols.borrow().iter().find(|(known, _)| known == name).map(|(_, symbol)| symbol.clone());
        if let Some(symbol) = known {
            return symbol;
        }
        let Some(body) = ir::body(self.module, 0) else { return name.to_owned() };
        let first = ir::block_operations(body)[0];
        let numbered = (1..).map(|number| format!("{name}.{number}"));
        let mut free = std::iter::once(name.to_owned()).chain(numbered);
        let symbol = free.find(|name| ir::lookup_symbol(first, name).is_none()).unwrap_or_default();
        self.symbols.borrow_mut().push((name.to_owned(), symbol.clone()));
        let mut b = Builder::before(first).at_end(body);
        b.location = Location::unknown(b.context);
        build(&b, &symbol);
        symbol
    }
}

/// Builds a function.
fn define<'c>(
    b: &Builder<'c>,
    symbol: &str,
    usage: Use,
    operands: &[Type<'c>],
    results: &[Type<'c>],
    body: impl FnOnce(Builder<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
) {
    let (region, block) = b.region(operands);
    let inner = b.at_end(block);
    let mut attributes = vec![
        ("sym_name", b.string(symbol)),
        ("sym_visibility", b.string("private")),
        ("function_type", b.type_of(b.function(operands, results))),
        ("llvm.linkage", b.linkage(Linkage::Internal)),
    ];
    if usage == Use::Rare {
        // Of the least size, it would call functions for integers of 128 bits, which not every program links.
        attributes.push(("passthrough", b.array(&["noinline", "cold", "optsize"].map(|text| b.string(text)))));
    }
    b.op("func.func", &[], &[], &attributes, vec![region]);
    let values = body(inner, &ir::arguments(block));
    inner.op("func.return", &values, &[], &[], vec![]);
}
