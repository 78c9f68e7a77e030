//! Pictures of nests in the page. SVG may contain scripts and links, so that only plain drawings are part of the page.
//!
//! ```text
//! <svg ..><g><title>..</title><rect ../></g></svg>     ->   as it is
//! <svg ..><a href="..">..</a></svg>                    ->   an image, in which browsers run and load nothing
//! ```
use crate::markup::escaped;
use std::fmt::Write;

/// The elements of plain drawings.
const ELEMENTS: [&str; 11] = ["svg", "g", "rect", "text", "tspan", "title", "desc", "style", "path", "line", "circle"];

/// Returns a picture as HTML. `name` is its description for readers who do not see it.
pub fn of(svg: &str, name: &str) -> String {
    if is_plain(svg) {
        return format!(
            "<div class=\"nest\" role=\"group\" aria-label=\"{}\" tabindex=\"0\">{svg}</div>\n",
            escaped(name)
        );
    }
    let mut address = "data:image/svg+xml,".to_owned();
    for byte in svg.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' => address.push(char::from(byte)),
            other => {
                let _ = write!(address, "%{other:02X}");
            }
        }
    }
    format!("<div class=\"nest\" tabindex=\"0\"><img src=\"{address}\" alt=\"{}\"></div>\n", escaped(name))
}

/// Returns true if a text is one element `svg` that is closed, and only has elements and attributes of plain drawings.
fn is_plain(svg: &str) -> bool {
    let mut open: Vec<&str> = vec![];
    let mut rest = svg.trim();
    let mut is_first = true;
    while let Some((text, after)) = rest.split_once('<') {
        // Text is inside of the element, and a style sheet must not end early or load anything.
        let is_style = open.last() == Some(&"style");
        if (open.is_empty() && !(is_first && text.is_empty())) || (is_style && !is_harmless(text)) {
            return false;
        }
        is_first = false;
        let Some((tag, after)) = tag(after) else { return false };
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name.trim_end()) {
                return false;
            }
            continue;
        }
        let (tag, is_closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        if !ELEMENTS.contains(&name) || !are_plain(attributes) || (open.is_empty() && name != "svg") {
            return false;
        }
        if !is_closed {
            open.push(name);
        }
    }
    !is_first && open.is_empty() && rest.is_empty()
}

/// Returns the text of a tag up to its end, which is not within quotes, and the text behind it.
fn tag(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    let end = text.find(|character| {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), character) if open == character => quote = None,
            (None, '>') => return true,
            _ => {}
        }
        false
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// Returns true for a list of quoted attributes without handlers of events and without addresses.
fn are_plain(attributes: &str) -> bool {
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once("=\"") else { return false };
        let Some((value, after)) = after.split_once('"') else { return false };
        let is_name =
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-:".contains(letter));
        let lower = name.to_ascii_lowercase();
        let is_active = lower.starts_with("on") || lower.ends_with("href") || lower == "src";
        if !is_name || is_active || value.contains('<') || !is_harmless(value) {
            return false;
        }
        rest = after.trim_start();
    }
    true
}

/// Returns true if a style or a value loads nothing.
fn is_harmless(style: &str) -> bool {
    let lower = style.to_ascii_lowercase();
    !["url(", "@import", "\\", "javascript:"].iter().any(|word| lower.contains(word))
}
