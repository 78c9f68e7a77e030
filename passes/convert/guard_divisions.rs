//! `mdh-guard-divisions`: makes a division of integers by zero, and of the least integer by -1, an error of the call
//! that executes it, at its location.
//!
//! ```mlir
//! func.func @f(%a: i32, %b: i32) -> i32 {
//!   %q = arith.divui %a, %b : i32
//!   return %q : i32
//! }
//! ```
//! becomes
//! ```mlir
//! %by_zero = arith.cmpi eq, %b, %zero : i32
//! scf.if %by_zero {
//! %holds = arith.xori %by_zero, %true : i1
//! cf.assert %holds, "mdh check: ..division by zero"
//! }
//! %q = arith.divui %a, %b : i32
//! ```
//!
//! Divisions by constants other than 0 and -1 need no check. Of a vector, all lanes are checked at once.
//!
//! Kernels cannot report errors. There, the quotient of a division by zero is -1, its remainder is the dividend, and the
//! least integer divided by -1 is the least integer.
use crate::analysis::{constants::integers, location};
use mdh_dialects::{
    ffi::vector_dialect,
    ir::{self, Builder, IntPredicate, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, ValueLike},
};

/// The pass.
pub struct GuardDivisions;

impl MdhPass for GuardDivisions {
    const NAME: &'static str = "GuardDivisions";
    const ARGUMENT: &'static str = "mdh-guard-divisions";
    const DESCRIPTION: &'static str = "Make divisions of integers by zero errors";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::cf(), DialectHandle::scf(), vector_dialect()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for operation in ir::descendants(root) {
            if let Some(division) = GuardedDivision::of(operation) {
                match is_in_kernel(operation) {
                    true => division.define(),
                    false => division.check(),
                }
            }
        }
        Ok(())
    }
}

/// The operations that divide, with what they compute.
const DIVISIONS: [(&str, Computed); 12] = [
    ("arith.divsi", Computed::SignedQuotient),
    ("arith.ceildivsi", Computed::SignedQuotient),
    ("arith.floordivsi", Computed::SignedQuotient),
    ("arith.divui", Computed::UnsignedQuotient),
    ("arith.ceildivui", Computed::UnsignedQuotient),
    ("arith.remsi", Computed::SignedRemainder),
    ("arith.remui", Computed::UnsignedRemainder),
    ("llvm.sdiv", Computed::SignedQuotient),
    ("llvm.udiv", Computed::UnsignedQuotient),
    ("llvm.srem", Computed::SignedRemainder),
    ("llvm.urem", Computed::UnsignedRemainder),
    // A negative power is a quotient; upstream divides by a base of 0.
    ("math.ipowi", Computed::Power),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Computed {
    SignedQuotient,
    UnsignedQuotient,
    SignedRemainder,
    UnsignedRemainder,
    Power,
}

/// A division that may be undefined, and why.
struct GuardedDivision<'c> {
    operation: Op<'c>,
    computed: Computed,
    operands: [Val<'c>; 2],
    may_be_by_zero: bool,
    may_overflow: bool,
}

/// True for an operation of a kernel, which cannot report errors.
pub fn is_in_kernel(operation: Op<'_>) -> bool {
    std::iter::successors(ir::parent(operation), |parent| ir::parent(*parent)).any(|op| ir::name(op) == "gpu.module")
}

impl<'c> GuardedDivision<'c> {
    fn of(operation: Op<'c>) -> Option<Self> {
        let (_, computed) = *DIVISIONS.iter().find(|(name, _)| *name == ir::name(operation))?;
        let operands @ [dividend, divisor]: [Val<'c>; 2] = ir::operands(operation).try_into().ok()?;
        let may_be = |value: Val<'c>, number: i128| integers(value).is_none_or(|all| all.contains(&number));
        let width = ir::integer_width(ir::element_type_or_self(dividend.r#type()));
        let may_be_by_zero = match computed {
            Computed::Power => may_be(dividend, 0) && integers(divisor).is_none_or(|all| all.iter().any(|n| *n < 0)),
            _ => may_be(divisor, 0),
        };
        let is_signed = [Computed::SignedQuotient, Computed::SignedRemainder].contains(&computed);
        // One bit is -1 or 0, and -1 divided by -1 is 1, which is the same bit.
        let may_overflow = is_signed
            && (2..=128).contains(&width)
            && may_be(divisor, -1)
            && may_be(dividend, i128::MIN >> (128 - width));
        let is_guarded = may_be_by_zero || may_overflow;
        is_guarded.then_some(Self { operation, computed, operands, may_be_by_zero, may_overflow })
    }

    fn ty(&self) -> Type<'c> {
        self.operands[0].r#type()
    }

    fn is(&self, b: &Builder<'c>, operand: usize, predicate: IntPredicate, number: i128) -> Val<'c> {
        b.cmpi(predicate, self.operands[operand], b.literal(number, self.ty()))
    }

    /// Whether it is a division by zero.
    fn by_zero(&self, b: &Builder<'c>) -> Val<'c> {
        match self.computed {
            Computed::Power => {
                let is_zero = self.is(b, 0, IntPredicate::Eq, 0);
                let is_inverse = self.is(b, 1, IntPredicate::Slt, 0);
                b.value("arith.andi", &[is_zero, is_inverse], is_zero.r#type(), &[])
            }
            _ => self.is(b, 1, IntPredicate::Eq, 0),
        }
    }

    /// The least number of the type, which has at most 128 bits if the quotient may overflow.
    fn least(&self) -> i128 {
        i128::MIN >> (128 - ir::integer_width(ir::element_type_or_self(self.ty())))
    }

    /// Whether the quotient is out of the range of the type.
    fn overflows(&self, b: &Builder<'c>) -> Val<'c> {
        let is_least = self.is(b, 0, IntPredicate::Eq, self.least());
        let is_minus_one = self.is(b, 1, IntPredicate::Eq, -1);
        b.value("arith.andi", &[is_least, is_minus_one], is_least.r#type(), &[])
    }

    /// Adds the checks before the operation.
    fn check(&self) {
        let b = Builder::before(self.operation);
        let by_zero = self.may_be_by_zero.then(|| (self.by_zero(&b), "division by zero".to_owned()));
        let element = ir::element_type_or_self(self.ty());
        let overflow = || format!("signed division of {} by -1 leaves {element}", self.least());
        let overflows = self.may_overflow.then(|| (self.overflows(&b), overflow()));
        let problems = [by_zero, overflows].into_iter().flatten();
        let problems: Vec<_> = problems.map(|(condition, text)| (any_lane(&b, condition), text)).collect();
        // One branch for both: a division itself is slow, but the code around it need not be.
        let Some(is_undefined) = problems
            .iter()
            .map(|(condition, _)| *condition)
            .reduce(|one, other| b.value("arith.ori", &[one, other], b.i1(), &[]))
        else {
            return;
        };
        let (region, inside) = b.region(&[]);
        let inside = b.at_end(inside);
        for (condition, text) in problems {
            let holds = inside.value("arith.xori", &[condition, inside.constant(-1, b.i1())], b.i1(), &[]);
            let text = location::assertion(self.operation, &text);
            inside.op("cf.assert", &[holds], &[], &[("msg", b.string(&text))], vec![]);
        }
        inside.op("scf.yield", &[], &[], &[], vec![]);
        b.op("scf.if", &[is_undefined], &[], &[], vec![region, ir::Region::new()]);
    }

    /// Replaces an undefined divisor by 1, and the result of a division by zero.
    fn define(&self) {
        if self.computed == Computed::Power {
            return;
        }
        let b = Builder::before(self.operation);
        let ty = self.ty();
        let by_zero = self.may_be_by_zero.then(|| self.by_zero(&b));
        let overflows = self.may_overflow.then(|| self.overflows(&b));
        let [dividend, mut divisor] = self.operands;
        for condition in [by_zero, overflows].into_iter().flatten() {
            divisor = b.value("arith.select", &[condition, b.literal(1, ty), divisor], ty, &[]);
        }
        ir::set_operand(self.operation, 1, divisor);
        let Some(by_zero) = by_zero else { return };
        let is_remainder = [Computed::SignedRemainder, Computed::UnsignedRemainder].contains(&self.computed);
        let instead = if is_remainder { dividend } else { b.literal(-1, ty) };
        let result = ir::results(self.operation)[0];
        let computed = ir::results(b.clone_operation(self.operation))[0];
        ir::replace_uses(result, b.value("arith.select", &[by_zero, instead, computed], ty, &[]));
        ir::erase(self.operation);
    }
}

/// Whether a condition holds in one lane of a vector; another condition itself.
fn any_lane<'c>(b: &Builder<'c>, condition: Val<'c>) -> Val<'c> {
    let Some(shape) = ir::shape(condition.r#type()) else { return condition };
    let lanes: u64 = shape.iter().flatten().product();
    let row = match shape.len() {
        1 => condition,
        _ => b.value("vector.shape_cast", &[condition], b.vector(lanes as i64, b.i1()), &[]),
    };
    b.value("vector.reduction", &[row], b.i1(), &[("kind", b.or_kind())])
}
