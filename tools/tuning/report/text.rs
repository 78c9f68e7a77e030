//! Texts of the page: data, and numbers for readers.
//!
//! ```text
//! <script>   ->   \u003cscript\u003e        0.0012345   ->   1.23 ms        2000   ->   2,000
//! ```
use serde::Serialize;

/// Returns a value as JSON for an element of HTML: no text in it can end the element or begin another one.
pub fn embedded(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Returns a time of a call with three digits, such as `1.23 ms`.
pub fn time(seconds: f64) -> String {
    // The limits are those of the rounded number: 999.6 µs is 1.00 ms.
    let units = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")];
    let unit = units.into_iter().find(|(unit, _)| seconds / unit < 999.5);
    let (unit, name) = unit.unwrap_or((1.0, "s"));
    format!("{} {name}", digits(seconds / unit))
}

/// Returns a time or a dash.
pub fn time_or_dash(seconds: Option<f64>) -> String {
    seconds.map_or("–".to_owned(), time)
}

/// Returns a number with three digits.
pub fn digits(number: f64) -> String {
    match number.abs() {
        _ if !number.is_finite() => "–".to_owned(),
        size if size < 9.995 => format!("{number:.2}"),
        size if size < 99.95 => format!("{number:.1}"),
        _ => thousands(&format!("{number:.0}")),
    }
}

/// Returns a wall time, such as `4 min 5 s`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "–".to_owned();
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round();
    let (hours, minutes, rest) = ((whole / 3600.0).floor(), (whole / 60.0).floor() % 60.0, whole % 60.0);
    let hours = if hours > 0.0 { format!("{} h ", thousands(&hours.to_string())) } else { String::new() };
    let rest = if hours.is_empty() { format!(" {rest} s") } else { String::new() };
    format!("{hours}{minutes} min{rest}")
}

/// Returns a count with separators, such as `2,000`.
pub fn count(number: usize) -> String {
    thousands(&number.to_string())
}

/// Returns a count with a noun, such as `1 evaluation` or `2,000 evaluations`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Returns a number with separators between groups of three digits before the point.
pub fn thousands(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = number.split_once('.').map_or((number, None), |(whole, part)| (whole, Some(part)));
    let mut text = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    fraction.map_or(text.clone(), |fraction| format!("{text}.{fraction}"))
}

/// Returns the beginning of a text of at most this many characters, with a mark if something is left out.
pub fn clipped(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
    }
}
