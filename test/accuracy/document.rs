//! The generated tables of docs/math.md.
use crate::{
    engine::Width,
    functions::Function,
    measure::{Errors, Measured, Point},
    monotone::{Falls, Form},
};
use anyhow::{Result, ensure};
use mdh_tools::{accuracy::Promise, array::Element};
use std::fmt::Write;

/// The marker line before the tables.
pub const BEGIN: &str = "<!-- accuracy: what `make accuracy` measured -->";
/// The marker line after the tables.
pub const END: &str = "<!-- end of accuracy -->";

/// A measured function, with the result for each requested type.
pub type Row = (&'static Function, Vec<(Element, Measured)>);

/// The data of the tables.
#[derive(Debug)]
pub struct Record {
    /// The measured vector widths.
    pub widths: Vec<Width>,
    /// The number of random operands per function and type.
    pub count: usize,
    /// The measured functions.
    pub rows: Vec<Row>,
    /// The monotone forms, with what was found of each.
    pub forms: Vec<(&'static Form, Falls)>,
}

/// Replaces the tables of a document.
pub fn replaced(document: &str, tables: &str) -> Result<String> {
    let parts = document.split_once(BEGIN).and_then(|(front, rest)| Some((front, rest.split_once(END)?.1)));
    ensure!(parts.is_some(), "the document requires the lines '{BEGIN}' and '{END}'");
    let (front, back) = parts.unwrap_or_default();
    Ok(format!("{front}{BEGIN}\n\n{tables}\n{END}{back}"))
}

impl Record {
    /// Returns all tables as Markdown.
    pub fn tables(&self) -> String {
        let mut text = String::new();
        for element in [Element::F32, Element::F64] {
            let _ = writeln!(
                text,
                "### {element}\n\nEdges and {} random operands for each function.\n",
                grouped(self.count)
            );
            self.wide(element, &mut text);
        }
        text.push_str("### f16 and bf16\n\nAll operands of functions of one operand, edges and random ones of the others; the largest error of all widths.\n\n");
        self.narrow(&mut text);
        self.special(&mut text);
        self.monotone(&mut text);
        text
    }

    fn of(&self, element: Element) -> impl Iterator<Item = (&'static Function, &Measured)> {
        self.rows.iter().filter_map(move |(function, types)| {
            types.iter().find(|(ty, _)| *ty == element).map(|(_, measured)| (*function, measured))
        })
    }

    fn wide(&self, element: Element, text: &mut String) {
        let names: Vec<_> = self.widths.iter().map(|width| width.name).collect();
        let _ = writeln!(text, "| function | promised | {} | where | evaluator |", names.join(" | "));
        let _ = writeln!(text, "|---|---|{}---|---|", "---|".repeat(names.len()));
        for (function, measured) in self.of(element) {
            let worst: Vec<_> = measured.widths.iter().map(|errors| number(errors.worst)).collect();
            let all = all(measured);
            let place = all.place.as_ref().map_or(String::new(), |place| place_of(place, element));
            let promised = promised(function, element);
            let evaluator = number(measured.evaluator.worst);
            let _ =
                writeln!(text, "| {} | {promised} | {} | {place} | {evaluator} |", name(function), worst.join(" | "));
        }
        text.push('\n');
    }

    fn narrow(&self, text: &mut String) {
        text.push_str("| function | promised | f16 | bf16 |\n|---|---|---|---|\n");
        for ((function, half), (_, brain)) in self.of(Element::F16).zip(self.of(Element::Bf16)) {
            let promised = promised(function, Element::F16);
            let (half, brain) = (number(all(half).worst), number(all(brain).worst));
            let _ = writeln!(text, "| {} | {promised} | {half} | {brain} |", name(function));
        }
        text.push('\n');
    }

    /// Lists results that are wrong by more than rounding.
    fn special(&self, text: &mut String) {
        text.push_str("### Special values\n\n");
        let mut lines = String::new();
        for (function, types) in &self.rows {
            for (element, measured) in types {
                let all = all(measured);
                if all.wrong > 0 {
                    let places: Vec<_> = all
                        .examples
                        .iter()
                        .take(3)
                        .map(|point| format!("{} is {}", arguments(point, *element), point.result))
                        .collect();
                    let _ = writeln!(
                        lines,
                        "- `{}` in {element}: {} wrong, {}",
                        function.name,
                        all.wrong,
                        places.join("; ")
                    );
                }
            }
        }
        text.push_str(if lines.is_empty() {
            "All infinities, signs of zeros and NaNs were correct.\n"
        } else {
            &lines
        });
        text.push('\n');
    }

    fn monotone(&self, text: &mut String) {
        text.push_str(
            "### Monotone functions\n\nHow often a result is less than that of the next smaller number of f32.\n\n",
        );
        let names: Vec<_> = self.widths.iter().map(|width| width.name).collect();
        let _ = writeln!(text, "| function | pairs | {} |\n|---|---|{}", names.join(" | "), "---|".repeat(names.len()));
        for (form, falls) in &self.forms {
            let counts: Vec<_> = falls.falls.iter().map(usize::to_string).collect();
            let _ = writeln!(text, "| {} | {} | {} |", form.name, grouped(falls.pairs), counts.join(" | "));
        }
    }
}

fn all(measured: &Measured) -> Errors {
    measured.widths.iter().fold(Errors::default(), Errors::or)
}

/// The name of a function in the tables.
pub fn name(function: &Function) -> String {
    match function.result() {
        (1, _) => format!("`{}`", function.name),
        (_, number) => format!("`{}`, result {}", function.operation(), number + 1),
    }
}

/// The promised error bound of a function.
pub fn promised(function: &Function, element: Element) -> String {
    Promise::of(function.operation()).map_or("exact".into(), |promise| promise.host(element).to_string())
}

fn number(error: f64) -> String {
    if error == 0.0 { "0".into() } else { format!("{error:.2}") }
}

/// The operands of an error, as hexadecimal and decimal floats.
fn place_of(point: &Point, element: Element) -> String {
    let exact: Vec<_> = point.operands.iter().map(|operand| format!("`{}`", hexadecimal(*operand))).collect();
    format!("{} = {}", exact.join(", "), arguments(point, element))
}

fn arguments(point: &Point, element: Element) -> String {
    let decimal =
        |operand: &f64| if element == Element::F32 { format!("{:e}", *operand as f32) } else { format!("{operand:e}") };
    point.operands.iter().map(decimal).collect::<Vec<_>>().join(", ")
}

/// A float in C's hexadecimal notation, which is exact.
pub fn hexadecimal(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if !value.is_finite() {
        return value.to_string();
    }
    let (biased, low) = (value.to_bits() >> 52 & 0x7ff, value.to_bits() & ((1 << 52) - 1));
    let digits = format!("{low:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    match (biased, low) {
        (0, 0) => format!("{sign}0x0p+0"),
        (0, _) => format!("{sign}0x0{point}{digits}p-1022"),
        _ => format!("{sign}0x1{point}{digits}p{:+}", biased as i64 - 1023),
    }
}

/// A number with its digits grouped by three.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let parts: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_are_those_of_c() {
        for (value, text) in [
            (1.0, "0x1p+0"),
            (-0.1, "-0x1.999999999999ap-4"),
            (5.319372648326541e255, "0x1.6ac5b262ca1ffp+849"),
            (f64::from_bits(1), "0x0.0000000000001p-1022"),
            (-0.0, "-0x0p+0"),
        ] {
            assert_eq!(hexadecimal(value), text);
        }
    }

    #[test]
    fn tables_replace_tables() {
        let document = format!("front\n{BEGIN}\nold\n{END}\nback\n");
        assert_eq!(replaced(&document, "new\n").unwrap(), format!("front\n{BEGIN}\n\nnew\n\n{END}\nback\n"));
        assert!(replaced("no lines", "new\n").is_err());
        assert_eq!(grouped(12_345_678), "12 345 678");
    }
}
