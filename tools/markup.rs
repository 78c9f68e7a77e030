//! Texts in HTML and XML.

/// Returns a text for HTML and XML, in elements and in attributes between double quotes. Characters that these formats
/// cannot contain, which quoted names in MLIR may have, are replaced.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\t' | '\n' => escaped.push(character),
            '\r' => escaped.push('\n'),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            super::escaped("<a href=\"x\">'&\r\u{0}\u{ffff}"),
            "&lt;a href=&quot;x&quot;&gt;'&amp;\n\u{fffd}\u{fffd}"
        );
    }
}
