//! The sizes of the figures of a picture, in pixels.
use super::figure::{Figure, Label};

/// Margin of a picture, and space within a box.
pub const PADDING: usize = 10;
/// Space between boxes.
pub const GAP: usize = 8;
/// Height of the first line of a box, and of a label.
pub const LINE: usize = 22;
/// The width of lines of labels, if the box around them is not wider.
const WIDEST_LINE: usize = 480;
/// Alternatives are side by side up to this width, else below each other.
const WIDEST_PAIR: usize = 1040;

/// The number of columns of a text in a font of constant width: two for a character of East Asian scripts.
pub fn columns(text: &str) -> usize {
    text.chars().map(|character| if ('\u{1100}'..).contains(&character) && character != '…' { 2 } else { 1 }).sum()
}

/// The width of a text, whose characters are 7.25 pixels wide: fonts of constant width are between 6.6 and 7.23 at this
/// size.
pub fn advance(text: &str) -> usize {
    (columns(text) * 29).div_ceil(4)
}

/// The width of a label.
pub fn label_width(label: &Label) -> usize {
    advance(&label.text) + 16
}

/// Labels as lines that are at most this wide, unless a label is wider itself.
pub fn lines(labels: &[Label], widest: usize) -> Vec<&[Label]> {
    let (mut lines, mut begin, mut width) = (vec![], 0, 0);
    for (i, label) in labels.iter().enumerate() {
        let next = width + label_width(label) + if i == begin { 0 } else { GAP / 2 };
        if i > begin && next > widest {
            lines.push(&labels[begin..i]);
            (begin, width) = (i, label_width(label));
        } else {
            width = next;
        }
    }
    lines.push(&labels[begin..]);
    lines
}

/// The smallest width of a figure.
pub fn width(figure: &Figure) -> usize {
    match figure {
        Figure::Labels(labels) => {
            let width = |line: &[Label]| line.iter().map(label_width).sum::<usize>() + (line.len() - 1) * (GAP / 2);
            lines(labels, WIDEST_LINE).into_iter().map(width).max().unwrap_or_default()
        }
        Figure::Either(figures) if is_pair(figures) => pair_width(figures),
        Figure::Either(figures) => stack_width(figures),
        Figure::Frame { word, title, count, inside, .. } => {
            let space = if count.is_empty() { 0 } else { 2 * PADDING };
            let first = advance(word) + 14 + advance(title) + 4 + space + advance(count);
            stack_width(inside).max(first) + 2 * PADDING
        }
    }
}

/// The smallest width of figures below each other.
pub fn stack_width(figures: &[Figure]) -> usize {
    figures.iter().map(width).max().unwrap_or_default()
}

/// The height of a figure of this width.
pub fn height(figure: &Figure, wide: usize) -> usize {
    match figure {
        Figure::Labels(labels) => lines(labels, wide).len() * (LINE + GAP / 2) - GAP / 2,
        Figure::Either(figures) if is_pair(figures) => {
            let heights = figures.iter().zip(pair(figures, wide)).map(|(figure, wide)| height(figure, wide));
            heights.max().unwrap_or_default()
        }
        Figure::Either(figures) => stack_height(figures, wide),
        Figure::Frame { inside, .. } if inside.is_empty() => PADDING + LINE,
        Figure::Frame { inside, .. } => PADDING + LINE + stack_height(inside, wide - 2 * PADDING) + GAP,
    }
}

/// The height of figures of this width below each other.
pub fn stack_height(figures: &[Figure], wide: usize) -> usize {
    let heights = figures.iter().map(|figure| height(figure, wide) + GAP);
    heights.sum::<usize>().saturating_sub(GAP)
}

/// True if alternatives are side by side.
pub fn is_pair(figures: &[Figure]) -> bool {
    pair_width(figures) <= WIDEST_PAIR
}

fn pair_width(figures: &[Figure]) -> usize {
    figures.iter().map(|figure| width(figure) + GAP).sum::<usize>().saturating_sub(GAP)
}

/// The widths of alternatives that are together this wide.
pub fn pair(figures: &[Figure], wide: usize) -> Vec<usize> {
    let free = wide.saturating_sub(pair_width(figures));
    figures.iter().map(|figure| width(figure) + free / figures.len()).collect()
}
