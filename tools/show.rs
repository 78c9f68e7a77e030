//! Formats arrays: all elements of small ones, as NumPy does, and a summary of large ones.
use crate::array::{Array, Element, Slot};

/// Larger arrays are summarized.
const MAX_ELEMENTS: usize = 100;

/// Formats an array after its name, such as `result 1`; ends with a newline.
pub fn show(what: &str, array: &Array) -> String {
    let sizes: String = array.shape.iter().map(|size| format!("{size}x")).collect();
    let head = format!("{what}: {sizes}{}", array.element);
    if array.len() > MAX_ELEMENTS {
        return format!("{head}, {}\n", describe(array));
    }
    let texts: Vec<String> = (0..array.len()).map(|i| text(array.element, array.get(i))).collect();
    let width = texts.iter().map(String::len).max().unwrap_or_default();
    let mut body = String::new();
    brackets(&texts, &array.shape, width, 0, &mut body);
    format!("{head}\n{body}\n")
}

/// The minimum, maximum and mean of all elements that are not NaN.
fn describe(array: &Array) -> String {
    let element = array.element;
    let values = || (0..array.len()).map(|i| array.get(i));
    let numbers: Vec<Slot> = values().filter(|slot| !element.is_float() || !element.to_f64(*slot).is_nan()).collect();
    let none = array.len() - numbers.len();
    let order = |a: &Slot, b: &Slot| match element {
        Element::Integer(1) => a.cmp(b),
        _ if element.is_float() => element.to_f64(*a).total_cmp(&element.to_f64(*b)),
        _ => element.signed(*a).cmp(&element.signed(*b)),
    };
    let (Some(least), Some(most)) = (numbers.iter().copied().min_by(order), numbers.iter().copied().max_by(order))
    else {
        return format!("{none} elements, none of them a number");
    };
    let value = |slot: Slot| if element == Element::Integer(1) { slot as f64 } else { element.to_f64(slot) };
    let mean = numbers.iter().map(|slot| value(*slot)).sum::<f64>() / numbers.len() as f64;
    let (least, most) = (text(element, least), text(element, most));
    let none = if none == 0 { String::new() } else { format!(", {none} not a number") };
    format!("minimum {least}, maximum {most}, mean {mean:?}{none}")
}

/// An element; floats have a point or an exponent, so that they differ from integers.
fn text(element: Element, slot: Slot) -> String {
    match element {
        Element::F64 => format!("{:?}", element.to_f64(slot)),
        // Shorter float types are exactly representable in 32 bits.
        _ if element.is_float() => format!("{:?}", element.to_f64(slot) as f32),
        _ => element.text(slot),
    }
}

fn brackets(texts: &[String], shape: &[usize], width: usize, depth: usize, to: &mut String) {
    let Some((size, inner)) = shape.split_first() else {
        *to += &format!("{:>width$}", texts[0]);
        return;
    };
    to.push('[');
    let length = texts.len() / (*size).max(1);
    for i in 0..*size {
        if i > 0 && inner.is_empty() {
            to.push(' ');
        } else if i > 0 {
            // Matrix rows are separated by newlines, matrices by blank lines.
            *to += &"\n".repeat(inner.len());
            *to += &" ".repeat(depth + 1);
        }
        brackets(&texts[i * length..(i + 1) * length], inner, width, depth + 1, to);
    }
    to.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(name: &str, shape: &[usize], value: impl Fn(usize) -> f64) -> Array {
        let element = Element::from_name(name).unwrap();
        let mut array = Array::filled(element, shape, 0).unwrap();
        (0..array.len()).for_each(|i| array.set(i, element.from_f64(value(i))));
        array
    }

    #[test]
    fn small_arrays_are_printed() {
        let shown = |array: Array| show("result 1", &array);
        assert_eq!(shown(array("f32", &[2, 2], |i| i as f64 / 10.0)), "result 1: 2x2xf32\n[[0.0 0.1]\n [0.2 0.3]]\n");
        assert_eq!(shown(array("i8", &[3], |i| 9.0 - 10.0 * i as f64)), "result 1: 3xi8\n[  9  -1 -11]\n");
        assert_eq!(shown(array("i64", &[], |_| 7.0)), "result 1: i64\n7\n");
        assert_eq!(shown(array("f64", &[0, 3], |_| 0.0)), "result 1: 0x3xf64\n[]\n");
        assert_eq!(shown(array("i1", &[2, 1, 2], |i| (i % 2) as f64)), "result 1: 2x1x2xi1\n[[[0 1]]\n\n [[0 1]]]\n");
        assert_eq!(shown(array("bf16", &[2], |i| [f64::NAN, f64::INFINITY][i])), "result 1: 2xbf16\n[NaN inf]\n");
    }

    #[test]
    fn large_arrays_are_described() {
        let shown = show("argument 2", &array("i16", &[10, 20], |i| i as f64 - 100.0));
        assert_eq!(shown, "argument 2: 10x20xi16, minimum -100, maximum 99, mean -0.5\n");
        let shown = show("result 1", &array("f32", &[101], |i| if i == 50 { f64::NAN } else { i as f64 }));
        assert_eq!(shown, "result 1: 101xf32, minimum 0.0, maximum 100.0, mean 50.0, 1 not a number\n");
        let shown = show("result 1", &array("f32", &[101], |_| f64::NAN));
        assert_eq!(shown, "result 1: 101xf32, 101 elements, none of them a number\n");
    }
}
