//! Operations on integers and indices: two's complement with wraparound.
use super::kernel::function::Kernel;
use crate::array::{Element, Slot};
use mdh_dialects::{hom::Kind, ir::IntPredicate};

/// An operation on operands and a result of one integer type.
pub fn named(name: &str, element: Element) -> Option<Kernel> {
    let (mask, bits) = (element.mask(), element.bits());
    let signed = move |a| element.signed(a);
    let smallest = element.from_integer(i128::MIN >> (128 - bits));
    // By at least the width, all bits are those that a shift by one bit less would bring in.
    let shift = move |function: fn(Element, Slot, u32) -> Slot| {
        Kernel::binary(move |a, b| match b >= Slot::from(bits) {
            true => function(element, function(element, a, bits - 1) & mask, 1) & mask,
            false => function(element, a, b as u32) & mask,
        })
    };
    let divide_signed = move |function: fn(i128, i128) -> i128| {
        Kernel::partial_binary(move |a, b| {
            if b == 0 {
                return Err("division by zero".into());
            }
            if a == smallest && b == mask && bits > 1 {
                return Err(format!("signed division of {} by -1 leaves {element}", element.text(a)));
            }
            Ok(element.from_integer(function(signed(a), signed(b))))
        })
    };
    let divide = move |function: fn(Slot, Slot) -> Slot| {
        Kernel::partial_binary(move |a, b| if b == 0 { Err("division by zero".into()) } else { Ok(function(a, b)) })
    };
    Some(match name {
        "arith.addi" => Kernel::binary(move |a, b| a.wrapping_add(b) & mask),
        "arith.subi" => Kernel::binary(move |a, b| a.wrapping_sub(b) & mask),
        "arith.muli" => Kernel::binary(move |a, b| a.wrapping_mul(b) & mask),
        "arith.andi" => Kernel::binary(|a, b| a & b),
        "arith.ori" => Kernel::binary(|a, b| a | b),
        "arith.xori" => Kernel::binary(|a, b| a ^ b),
        "arith.maxsi" => Kernel::binary(move |a, b| if signed(a) >= signed(b) { a } else { b }),
        "arith.minsi" => Kernel::binary(move |a, b| if signed(a) <= signed(b) { a } else { b }),
        "arith.maxui" => Kernel::binary(|a, b| a.max(b)),
        "arith.minui" => Kernel::binary(|a, b| a.min(b)),
        "arith.divsi" => divide_signed(i128::wrapping_div),
        // That of a division by -1 is 0, also if the quotient is out of range.
        "arith.remsi" => Kernel::partial_binary(move |a, b| match b {
            0 => Err("division by zero".into()),
            _ => Ok(element.from_integer(signed(a).wrapping_rem(signed(b)))),
        }),
        "arith.floordivsi" => divide_signed(|a, b| {
            let quotient = a.wrapping_div(b);
            if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
        }),
        "arith.ceildivsi" => divide_signed(|a, b| {
            let quotient = a.wrapping_div(b);
            if a.wrapping_rem(b) != 0 && (a < 0) == (b < 0) { quotient + 1 } else { quotient }
        }),
        "arith.divui" => divide(|a, b| a / b),
        "arith.remui" => divide(|a, b| a % b),
        "arith.ceildivui" => divide(Slot::div_ceil),
        "arith.shli" => shift(|_, a, b| a << b),
        "arith.shrui" => shift(|_, a, b| a >> b),
        "arith.shrsi" => shift(|element, a, b| (element.signed(a) >> b) as Slot),
        "math.absi" => Kernel::unary(move |a| element.from_integer(signed(a).wrapping_abs())),
        "math.ctlz" => Kernel::unary(move |a| Slot::from(a.leading_zeros() - (128 - bits))),
        "math.cttz" => Kernel::unary(move |a| Slot::from(a.trailing_zeros().min(bits)) & mask),
        "math.ctpop" => Kernel::unary(move |a| Slot::from(a.count_ones()) & mask),
        "math.ipowi" => Kernel::partial_binary(move |a, b| power(element, a, b)),
        _ => return None,
    })
}

fn power(element: Element, base: Slot, exponent: Slot) -> Result<Slot, String> {
    let (base, exponent) = (element.signed(base), element.signed(exponent));
    if exponent < 0 {
        return match base {
            0 => Err("zero to a negative power".into()),
            1 => Ok(element.from_integer(1)),
            -1 => Ok(element.from_integer(if exponent % 2 == 0 { 1 } else { -1 })),
            _ => Ok(0),
        };
    }
    let (mut result, mut square, mut rest) = (1i128, base, exponent);
    while rest > 0 {
        if rest % 2 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest /= 2;
    }
    Ok(element.from_integer(result))
}

/// The low and high halves of a full-width product; `None` for types of more than 64 bits.
pub fn extended_product(element: Element, is_signed: bool) -> Option<Vec<Kernel>> {
    let (mask, bits) = (element.mask(), element.bits());
    if bits > 64 {
        return None;
    }
    let product = move |a, b| {
        if is_signed { element.signed(a).wrapping_mul(element.signed(b)) as Slot } else { a.wrapping_mul(b) }
    };
    let low = Kernel::binary(move |a, b| product(a, b) & mask);
    Some(vec![low, Kernel::binary(move |a, b| product(a, b) >> bits & mask)])
}

/// `arith.cmpi`.
pub fn compare(predicate: IntPredicate, element: Element) -> Kernel {
    let signed = move |a| element.signed(a);
    match predicate {
        IntPredicate::Eq => Kernel::binary(|a, b| (a == b).into()),
        IntPredicate::Ne => Kernel::binary(|a, b| (a != b).into()),
        IntPredicate::Slt => Kernel::binary(move |a, b| (signed(a) < signed(b)).into()),
        IntPredicate::Sle => Kernel::binary(move |a, b| (signed(a) <= signed(b)).into()),
        IntPredicate::Sgt => Kernel::binary(move |a, b| (signed(a) > signed(b)).into()),
        IntPredicate::Sge => Kernel::binary(move |a, b| (signed(a) >= signed(b)).into()),
        IntPredicate::Ult => Kernel::binary(|a, b| (a < b).into()),
        IntPredicate::Ule => Kernel::binary(|a, b| (a <= b).into()),
        IntPredicate::Ugt => Kernel::binary(|a, b| (a > b).into()),
        IntPredicate::Uge => Kernel::binary(|a, b| (a >= b).into()),
    }
}

/// A built-in combining function with its identity; integers are signed.
pub fn combine(kind: Kind, element: Element) -> Option<(Kernel, Slot)> {
    let smallest = element.from_integer(i128::MIN >> (128 - element.bits()));
    let (name, identity) = match kind {
        Kind::Add => ("arith.addi", 0),
        Kind::Mul => ("arith.muli", 1),
        Kind::Min => ("arith.minsi", smallest ^ element.mask()),
        Kind::Max => ("arith.maxsi", smallest),
        Kind::And => ("arith.andi", element.mask()),
        Kind::Or => ("arith.ori", 0),
        Kind::Xor => ("arith.xori", 0),
    };
    Some((named(name, element)?, identity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mdh_dialects::hom::builtin::BUILTINS;

    fn apply(name: &str, element: Element, operands: &[i128]) -> Result<i128, String> {
        let slots: Vec<_> = operands.iter().map(|value| element.from_integer(*value)).collect();
        Ok(element.signed(named(name, element).expect("the operation is known").apply(&slots)?))
    }

    fn on_bytes(name: &str, operands: &[i128]) -> Result<i128, String> {
        apply(name, Element::Integer(8), operands)
    }

    #[test]
    fn arithmetic_wraps_around() {
        assert_eq!(on_bytes("arith.addi", &[127, 1]), Ok(-128));
        assert_eq!(on_bytes("arith.subi", &[-128, 1]), Ok(127));
        assert_eq!(on_bytes("arith.muli", &[16, 17]), Ok(16));
        assert_eq!(on_bytes("math.absi", &[-128]), Ok(-128));
        assert_eq!(on_bytes("math.absi", &[-5]), Ok(5));
        assert_eq!(apply("arith.addi", Element::Integer(128), &[i128::MAX, 1]), Ok(i128::MIN));
        assert_eq!(apply("arith.muli", Element::Integer(7), &[13, 11]), Ok(15));
    }

    #[test]
    fn division_rounds_as_its_name_says() {
        for (name, quotients) in [
            ("arith.divsi", [2, -2, -2, 2]),
            ("arith.floordivsi", [2, -3, -3, 2]),
            ("arith.ceildivsi", [3, -2, -2, 3]),
            ("arith.remsi", [1, -1, 1, -1]),
        ] {
            let operands = [[7, 3], [-7, 3], [7, -3], [-7, -3]];
            assert_eq!(operands.map(|operands| on_bytes(name, &operands).unwrap()), quotients, "{name}");
            assert_eq!(on_bytes(name, &[1, 0]), Err("division by zero".into()));
            let least = on_bytes(name, &[-128, -1]);
            assert_eq!(least.is_ok(), name == "arith.remsi", "{name}");
            assert_eq!(least.unwrap_or_default(), 0, "{name}");
        }
        assert_eq!(on_bytes("arith.divui", &[-1, 2]), Ok(127));
        assert_eq!(on_bytes("arith.remui", &[-1, 16]), Ok(15));
        assert_eq!(on_bytes("arith.ceildivui", &[7, 3]), Ok(3));
        assert!(on_bytes("arith.remui", &[1, 0]).is_err());
    }

    #[test]
    fn shifts_by_the_width_leave_nothing_but_the_sign() {
        assert_eq!(on_bytes("arith.shli", &[3, 7]), Ok(-128));
        assert_eq!(on_bytes("arith.shrui", &[-1, 4]), Ok(15));
        assert_eq!(on_bytes("arith.shrsi", &[-16, 2]), Ok(-4));
        for amount in [8, 9, 127, -1, -128] {
            assert_eq!(on_bytes("arith.shli", &[-1, amount]), Ok(0));
            assert_eq!(on_bytes("arith.shrui", &[-1, amount]), Ok(0));
            assert_eq!(on_bytes("arith.shrsi", &[-2, amount]), Ok(-1));
            assert_eq!(on_bytes("arith.shrsi", &[127, amount]), Ok(0));
        }
        assert_eq!(apply("arith.shli", Element::Integer(1), &[-1, -1]), Ok(0));
        assert_eq!(apply("arith.shrsi", Element::Integer(1), &[-1, -1]), Ok(-1));
        assert_eq!(apply("arith.shrui", Element::Integer(128), &[-1, 128]), Ok(0));
    }

    #[test]
    fn bits_and_order() {
        assert_eq!(on_bytes("arith.andi", &[12, 10]), Ok(8));
        assert_eq!(on_bytes("arith.ori", &[12, 10]), Ok(14));
        assert_eq!(on_bytes("arith.xori", &[12, 10]), Ok(6));
        assert_eq!(on_bytes("arith.maxsi", &[-1, 1]), Ok(1));
        assert_eq!(on_bytes("arith.minsi", &[-1, 1]), Ok(-1));
        assert_eq!(on_bytes("arith.maxui", &[-1, 1]), Ok(-1));
        assert_eq!(on_bytes("arith.minui", &[-1, 1]), Ok(1));
        assert_eq!(on_bytes("math.ctlz", &[1]), Ok(7));
        assert_eq!(on_bytes("math.cttz", &[0]), Ok(8));
        assert_eq!(on_bytes("math.ctpop", &[-1]), Ok(8));
    }

    #[test]
    fn powers() {
        assert_eq!(on_bytes("math.ipowi", &[3, 4]), Ok(81));
        assert_eq!(on_bytes("math.ipowi", &[-1, -3]), Ok(-1));
        assert_eq!(on_bytes("math.ipowi", &[2, -1]), Ok(0));
        assert!(on_bytes("math.ipowi", &[0, -1]).is_err());
    }

    #[test]
    fn products_of_twice_the_width() {
        let element = Element::Integer(8);
        let halves = |is_signed| {
            let kernels = extended_product(element, is_signed).unwrap();
            kernels.iter().map(|kernel| kernel.apply(&[0xff, 2]).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(halves(true), [0xfe, 0xff]);
        assert_eq!(halves(false), [0xfe, 0x01]);
    }

    #[test]
    fn comparisons() {
        let holds = |a: i128, b: i128| -> Vec<i64> {
            let element = Element::Integer(8);
            let slots = [element.from_integer(a), element.from_integer(b)];
            let holds = |predicate: &IntPredicate| compare(*predicate, element).apply(&slots) == Ok(1);
            IntPredicate::ALL.into_iter().filter(holds).map(|predicate| predicate as i64).collect()
        };
        assert_eq!(holds(1, 1), [0, 3, 5, 7, 9]);
        assert_eq!(holds(-1, 1), [1, 2, 3, 8, 9]);
        assert_eq!(holds(1, -1), [1, 4, 5, 6, 7]);
    }

    #[test]
    fn identities_change_nothing() {
        for kind in BUILTINS.iter().map(|row| row.kind) {
            let element = Element::Integer(5);
            let (kernel, identity) = combine(kind, element).unwrap();
            for value in 0..32 {
                assert_eq!(kernel.apply(&[identity, value]), Ok(value), "{kind:?}");
            }
        }
    }
}
