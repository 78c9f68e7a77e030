//! `mdh-expand-index`: expands operations of `index` to those of `arith`, which all other passes and the reference
//! evaluator know.
//!
//! ```mlir
//! func.func @f(%x: index, %y: index) -> (index, i1, i32) {
//!   %q = index.floordivs %x, %y
//!   %less = index.cmp ult(%q, %y)
//!   %n = index.casts %q : index to i32
//!   return %q, %less, %n : index, i1, i32
//! }
//! ```
//! becomes
//! ```mlir
//! %q = arith.floordivsi %x, %y : index
//! %less = arith.cmpi ult, %q, %y : index
//! %n = arith.index_cast %q : index to i32
//! ```
//!
//! An index has 64 bits.
use mdh_dialects::{
    ir::{self, Builder, IntPredicate, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct ExpandIndex;

impl MdhPass for ExpandIndex {
    const NAME: &'static str = "ExpandIndex";
    const ARGUMENT: &'static str = "mdh-expand-index";
    const DESCRIPTION: &'static str = "Expand index to arith";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith()]
    }

    fn run<'c>(operation: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let all = ir::descendants(operation);
        for found in all.into_iter().filter(|found| ir::name(*found).starts_with("index.")) {
            let results = ir::results(found);
            if let Some((value, result)) = expand(&Builder::before(found), found).zip(results.first()) {
                ir::replace_uses(*result, value);
                ir::erase(found);
            }
        }
        Ok(())
    }
}

/// The operations with the same operands and result.
const NAMES: [(&str, &str); 21] = [
    ("index.add", "arith.addi"),
    ("index.sub", "arith.subi"),
    ("index.mul", "arith.muli"),
    ("index.divs", "arith.divsi"),
    ("index.divu", "arith.divui"),
    ("index.ceildivs", "arith.ceildivsi"),
    ("index.ceildivu", "arith.ceildivui"),
    ("index.floordivs", "arith.floordivsi"),
    ("index.rems", "arith.remsi"),
    ("index.remu", "arith.remui"),
    ("index.maxs", "arith.maxsi"),
    ("index.maxu", "arith.maxui"),
    ("index.mins", "arith.minsi"),
    ("index.minu", "arith.minui"),
    ("index.shl", "arith.shli"),
    ("index.shrs", "arith.shrsi"),
    ("index.shru", "arith.shrui"),
    ("index.and", "arith.andi"),
    ("index.or", "arith.ori"),
    ("index.xor", "arith.xori"),
    ("index.casts", "arith.index_cast"),
];

/// The value of an operation of `index`; `None` if it is unknown.
fn expand<'c>(b: &Builder<'c>, operation: Op<'c>) -> Option<Val<'c>> {
    let (operands, result) = (ir::operands(operation), ir::results(operation).first()?.r#type());
    let name = ir::name(operation);
    if let Some((_, to)) = NAMES.iter().find(|(from, _)| *from == name) {
        return Some(b.value(to, &operands, result, &[]));
    }
    match (name, &operands[..]) {
        ("index.castu", _) => Some(b.value("arith.index_castui", &operands, result, &[])),
        ("index.cmp", [left, right]) => Some(b.cmpi(predicate(operation)?, *left, *right)),
        ("index.constant" | "index.bool.constant", []) => {
            Some(b.value("arith.constant", &[], result, &[("value", ir::attribute(operation, "value")?)]))
        }
        ("index.sizeof", []) => Some(b.constant(64, result)),
        _ => None,
    }
}

/// The predicate of an `index.cmp`. Its attribute is an enumeration of `index`, with the names of `arith`.
fn predicate(comparison: Op<'_>) -> Option<IntPredicate> {
    let text = ir::attribute(comparison, "pred")?.to_string();
    let name = text.trim_end_matches('>').rsplit(' ').next()?;
    IntPredicate::ALL.into_iter().find(|predicate| format!("{predicate:?}").eq_ignore_ascii_case(name))
}
