//! The nest of a computation as a short text: the boxes of its picture as indented lines.
//!
//! ```text
//! threads   level (1, 1)   COR,x  × 64
//!   loop   level (2, 1)   MM,x  × 8
//!     combine   level (2, 2), carried
//!       identity
//! ```
use super::figure::{Figure, Label};

/// The lines of the figures of a nest.
pub fn lines(figures: &[Figure]) -> String {
    let mut text = String::new();
    stack(figures, 1, &mut text);
    text
}

fn stack(figures: &[Figure], depth: usize, text: &mut String) {
    figures.iter().for_each(|figure| lines_of(figure, depth, text));
}

fn lines_of(figure: &Figure, depth: usize, text: &mut String) {
    match figure {
        Figure::Frame { word, title, count, inside, .. } => {
            let words = [word.as_str(), &title.replace("   ", " on "), count];
            let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
            line(&words.join("  "), depth, text);
            stack(inside, depth + 1, text);
        }
        Figure::Labels(labels) => labels.iter().for_each(|Label { text: label, .. }| line(label, depth, text)),
        Figure::Either(figures) => stack(figures, depth, text),
    }
}

fn line(words: &str, depth: usize, text: &mut String) {
    text.push_str(&"  ".repeat(depth));
    text.push_str(words);
    text.push('\n');
}
