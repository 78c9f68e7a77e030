//! `stablehlo.if` and `stablehlo.case` as `scf.if`.
//!
//! ```text
//! "stablehlo.case"(%i) ({                           %k = tensor.extract %i[]
//!   ..                                              %c = arith.cmpi eq, %k, 0
//!   "stablehlo.return"(%a)                          scf.if %c {
//! }, {                                       ──▶      ..
//!   ..                                                scf.yield %a
//!   "stablehlo.return"(%b)                          } else {
//! })                                                  ..
//!                                                     scf.yield %b
//!                                                   }
//! ```
//!
//! The last region of a case is taken for an index that no region has. A tensor of rank 0 becomes a scalar.
use super::{
    carried::{carried, casts},
    region::{self, RETURN},
};
use mdh_dialects::ir::{self, Builder, IntPredicate, Op, Val};
use melior::ir::{Type, ValueLike};

/// The conditionals.
pub const CONDITIONALS: [&str; 2] = [IF, CASE];
const IF: &str = "stablehlo.if";
const CASE: &str = "stablehlo.case";

/// Replaces a conditional. The error is the requirement that it does not meet; nothing has changed then.
pub fn expand(operation: Op<'_>) -> Result<(), String> {
    let types: Vec<Type<'_>> = ir::results(operation).iter().map(|result| result.r#type()).collect();
    let regions = ir::regions(operation).len();
    let b = Builder::before(operation);
    let (index, fits) = match ir::name(operation) {
        IF => (b.tensor(&[], b.i1()), regions == 2),
        _ => (b.tensor(&[], b.i32()), regions > 0),
    };
    let [selector] = ir::operands(operation)[..] else { return Err(format!("requires one operand of type {index}")) };
    if !fits || selector.r#type() != index {
        let own = selector.r#type();
        return Err(format!(
            "requires an operand of type {index} and a region for each case, but has {own} and {regions}"
        ));
    }
    for number in 0..regions {
        let body = ir::body(operation, number).ok_or("requires regions with one block")?;
        let end = ir::block_operations(body).pop().filter(|end| ir::name(*end) == RETURN);
        let yielded = end.map(ir::operands).ok_or_else(|| format!("requires regions that end with {RETURN}"))?;
        if !ir::arguments(body).is_empty() || !yielded.iter().map(|value| value.r#type()).eq(types.iter().copied()) {
            return Err("requires regions without arguments that return the results".to_owned());
        }
    }
    let conditional = Conditional {
        operation,
        selector: region::element(&b, selector),
        carried: types.iter().map(|ty| carried(&b, *ty)).collect(),
        last: regions - 1,
    };
    let results = casts(&b, &conditional.branch(&b, 0), &types);
    for (old, new) in ir::results(operation).into_iter().zip(results) {
        ir::replace_uses(old, new);
    }
    ir::erase(operation);
    Ok(())
}

struct Conditional<'c> {
    operation: Op<'c>,
    selector: Val<'c>,
    carried: Vec<Type<'c>>,
    /// The number of the last region.
    last: usize,
}

impl<'c> Conditional<'c> {
    /// The results of the region with this number or a later one, whichever is selected.
    fn branch(&self, b: &Builder<'c>, number: usize) -> Vec<Val<'c>> {
        let is_this = match ir::name(self.operation) {
            IF => self.selector,
            _ => b.cmpi(IntPredicate::Eq, self.selector, b.constant(number as i64, self.selector.r#type())),
        };
        let other = match number + 1 >= self.last {
            true => b.clone_region(self.operation, self.last),
            false => {
                let (region, block) = b.region(&[]);
                let inside = b.at_end(block);
                let results = self.branch(&inside, number + 1);
                inside.op("scf.yield", &results, &[], &[], vec![]);
                region
            }
        };
        let regions = vec![b.clone_region(self.operation, number), other];
        let new = b.op("scf.if", &[is_this], &self.carried, &[], regions);
        let ends = (0..2).filter_map(|number| ir::block_operations(ir::body(new, number)?).pop());
        for end in ends.filter(|end| ir::name(*end) == RETURN) {
            let here = Builder::before(end);
            here.op("scf.yield", &casts(&here, &ir::operands(end), &self.carried), &[], &[], vec![]);
            ir::erase(end);
        }
        ir::results(new)
    }
}
