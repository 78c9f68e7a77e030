//! The functions that the pass has added to a module, each once for all callers.
use super::value::LaneType;
use mdh_dialects::ir::{self, Builder, Linkage, Op, Val};
use melior::ir::{Location, Type, ValueLike};
use std::cell::RefCell;

/// The expected frequency of calls of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// LLVM decides whether to inline the function.
    Often,
    /// The function is never inlined.
    Rare,
}

/// The functions and constants that have been added to a module: their names and symbols.
pub struct Library<'c> {
    module: Op<'c>,
    symbols: RefCell<Vec<(String, String)>>,
}

impl<'c> Library<'c> {
    /// An empty library of a module.
    pub fn new(module: Op<'c>) -> Self {
        Self { module, symbols: RefCell::default() }
    }

    /// The module.
    pub fn module(&self) -> Op<'c> {
        self.module
    }

    /// Calls a function at the insertion point of the lanes. If the module lacks the function, it is added at the end
    /// of the module; `body` builds its results from its operands.
    pub fn call(
        &self,
        lanes: LaneType<'c>,
        name: &str,
        usage: Use,
        operands: &[Val<'c>],
        results: &[Type<'c>],
        body: impl FnOnce(LaneType<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Vec<Val<'c>> {
        let b = lanes.builder;
        let count = lanes.count.map(|count| format!("{count}x")).unwrap_or_default();
        let symbol = self.symbol(&format!("mdh.{name}.{count}f{}", lanes.format.bits()), |b, symbol| {
            let types: Vec<_> = operands.iter().map(ValueLike::r#type).collect();
            define(b, symbol, usage, &types, results, |b, operands| body(LaneType { builder: b, ..lanes }, operands));
        });
        ir::results(b.op("func.call", operands, results, &[("callee", b.symbol(&symbol))], vec![]))
    }

    /// The symbol of a named function or constant. It is built at the end of the module if it does not exist.
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
        // With minsize, LLVM would call functions for 128-bit integers, which not every program links.
        attributes.push(("passthrough", b.array(&["noinline", "cold", "optsize"].map(|text| b.string(text)))));
    }
    b.op("func.func", &[], &[], &attributes, vec![region]);
    let values = body(inner, &ir::arguments(block));
    inner.op("func.return", &values, &[], &[], vec![]);
}
