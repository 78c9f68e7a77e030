//! The nest of a computation as a short text: the boxes of its picture as indented lines.
//!
//! ```text
//! threads   level (1, 1)   COR,x  × 64
//!   loop   level (2, 1)   MM,x  × 8
//!     combine   level (2, 2), carried
//!       identity
//! ```
use super::figure::{Figure, Label};

/// What the lines of an outline mean.
const LEGEND: &str = "\
each line is what the lines below it that are indented more are inside of: its kind, the level (layer, dimension) of the
schedule with the layer and the dimension of the system that execute it, and the number of its parts
  threads, warps, blocks    parts that run at the same time
  loop                      parts that run one after the other
  unrolled, vector          parts of a register tile: in registers, or as lanes of vectors
  copy, initialize          what is written to memory before the lines below it
  combine, scan             how the results of the parts of a level are combined
  compute, share            what is computed for a part of another computation
statements of one kind are one line, with ×N for N of them
";

/// The lines of the figures of a nest.
pub fn lines(figures: &[Figure]) -> String {
    let mut text = String::new();
    stack(figures, 1, &mut text);
    text
}

/// The explanation of the lines, which follows all outlines.
pub fn legend() -> &'static str {
    LEGEND
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
