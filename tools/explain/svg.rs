//! Pictures as SVG: nested boxes, without scripts and fonts of their own. The size of each box follows from the number of
//! characters of its texts, which are in a font of constant width.
//!
//! Colors are attributes, for programs that read no style sheet; a style sheet replaces them where readers prefer dark
//! colors.
use super::{
    figure::{Figure, Kind, Label},
    layout::{
        GAP, LINE, PADDING, advance, columns, height, is_pair, label_width, lines, pair, stack_height, stack_width,
    },
};
use crate::markup;
use std::fmt::Write;

/// A picture of figures below a title, and a second line under the title.
pub struct Picture {
    /// The title.
    pub title: String,
    /// The second line; empty if there is none.
    pub subtitle: String,
    /// The figures, from top to bottom.
    pub figures: Vec<Figure>,
}

/// The colors of a kind: its strong color, the fill of its boxes, and their fill for dark pages.
struct Colors {
    name: &'static str,
    strong: &'static str,
    fill: &'static str,
    dark: &'static str,
}

/// The kinds and their colors, in the order of the style sheet.
const KINDS: [Kind; 13] = [
    Kind::Loop,
    Kind::Threads,
    Kind::Warps,
    Kind::Blocks,
    Kind::Unrolled,
    Kind::Lanes,
    Kind::Kernel,
    Kind::Memory,
    Kind::Scalar,
    Kind::Combination,
    Kind::Branch,
    Kind::Producer,
    Kind::Plain,
];

impl Kind {
    /// White text on a strong color has a contrast of at least 4.5.
    fn colors(self) -> Colors {
        let (name, strong, fill, dark) = match self {
            Self::Loop => ("loop", "#475569", "#f8fafc", "#1e293b"),
            Self::Threads => ("threads", "#2563eb", "#eff6ff", "#111c3d"),
            Self::Warps => ("warps", "#4f46e5", "#eef2ff", "#1e1b4b"),
            Self::Blocks => ("blocks", "#7c3aed", "#f5f3ff", "#230f49"),
            Self::Unrolled => ("unrolled", "#b45309", "#fffbeb", "#2d1503"),
            Self::Lanes => ("lanes", "#047857", "#ecfdf5", "#022c22"),
            Self::Kernel => ("kernel", "#1e293b", "#f1f5f9", "#0f172a"),
            Self::Memory => ("memory", "#0e7490", "#ecfeff", "#083344"),
            Self::Scalar => ("scalar", "#0f172a", "#0f172a", "#e2e8f0"),
            Self::Combination => ("combination", "#be123c", "#fff1f2", "#2b0a14"),
            Self::Branch => ("branch", "#64748b", "#ffffff", "#0b1120"),
            Self::Producer => ("producer", "#a21caf", "#fdf4ff", "#2e0532"),
            Self::Plain => ("plain", "#64748b", "#ffffff", "#334155"),
        };
        Colors { name, strong, fill, dark }
    }

    /// The class and the color of text on its fill.
    fn text(self) -> (&'static str, &'static str) {
        if self == Self::Scalar { ("mdh-page-text", "#ffffff") } else { ("mdh-text", "#0f172a") }
    }
}

const FONTS: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";
impl Picture {
    /// The pictures below each other, as a document, with a legend below.
    pub fn document(pictures: &[Self], legend: &Self) -> String {
        let all = || pictures.iter().chain([legend]);
        let widest = all().map(Self::width).max().unwrap_or_default();
        let heights: Vec<_> = all().map(|picture| picture.height(widest) + 2 * PADDING).collect();
        let (width, height) = (widest + 2 * PADDING, heights.iter().sum::<usize>());
        let titles: Vec<_> = pictures.iter().map(|picture| picture.title.as_str()).collect();
        let mut canvas = Canvas { text: String::new() };
        let _ = writeln!(
            canvas.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
            {height}\" role=\"img\" font-family=\"{FONTS}\" font-size=\"12\" style=\"max-width: 100%; height: auto\">"
        );
        let _ = writeln!(canvas.text, "<title>{}</title>\n{}", escaped(&titles.join(", ")), style());
        let _ = writeln!(
            canvas.text,
            "<rect class=\"mdh-page\" width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>"
        );
        let mut top = PADDING;
        for (picture, height) in all().zip(heights) {
            picture.draw(&mut canvas, top, widest);
            top += height;
        }
        canvas.text += "</svg>\n";
        canvas.text
    }

    /// The height of the title.
    fn head(&self) -> usize {
        if self.subtitle.is_empty() { 28 } else { 46 }
    }

    fn width(&self) -> usize {
        let title = (columns(&self.title) * 17).div_ceil(2).max(advance(&self.subtitle));
        stack_width(&self.figures).max(title)
    }

    fn height(&self, width: usize) -> usize {
        self.head() + stack_height(&self.figures, width)
    }

    fn draw(&self, canvas: &mut Canvas, top: usize, width: usize) {
        let title = escaped(&self.title);
        let _ = writeln!(
            canvas.text,
            "<text class=\"mdh-text\" x=\"{PADDING}\" y=\"{}\" font-size=\"14\" font-weight=\"bold\" fill=\"#0f172a\">\
            {title}</text>",
            top + 16
        );
        canvas.words("mdh-faint", "#64748b", (PADDING, top + 34), &self.subtitle);
        canvas.stack(&self.figures, (PADDING, top + self.head()), width);
    }
}

/// The text of a document.
struct Canvas {
    text: String,
}

impl Canvas {
    /// Figures below each other, from a corner on, as wide as given.
    fn stack(&mut self, figures: &[Figure], (x, mut y): (usize, usize), width: usize) {
        for figure in figures {
            let high = height(figure, width);
            self.figure(figure, (x, y), (width, high));
            y += high + GAP;
        }
    }

    fn figure(&mut self, figure: &Figure, (x, y): (usize, usize), (width, height): (usize, usize)) {
        match figure {
            Figure::Labels(labels) => self.labels(&lines(labels, width), (x, y)),
            Figure::Either(figures) if is_pair(figures) => {
                let mut left = x;
                for (figure, wide) in figures.iter().zip(pair(figures, width)) {
                    self.figure(figure, (left, y), (wide, height));
                    left += wide + GAP;
                }
            }
            Figure::Either(figures) => self.stack(figures, (x, y), width),
            Figure::Frame { kind, word, title, count, full, inside } => {
                let Colors { name, strong, fill, .. } = kind.colors();
                let dashes = if *kind == Kind::Branch { " stroke-dasharray=\"4 3\"" } else { "" };
                let _ = writeln!(
                    self.text,
                    "<g>{}<rect class=\"mdh-{name}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\" \
                    fill=\"{fill}\" stroke=\"{strong}\"{dashes}/>",
                    full_text(full)
                );
                let pill = advance(word) + 14;
                let line = y + PADDING / 2;
                let _ = writeln!(
                    self.text,
                    "<rect x=\"{}\" y=\"{}\" width=\"{pill}\" height=\"18\" rx=\"9\" fill=\"{strong}\"/>",
                    x + PADDING - 4,
                    line + 2
                );
                self.words("", "#ffffff", (x + PADDING + 3, line + 15), word);
                let right = x + width - PADDING - advance(count);
                let (class, color) = kind.text();
                self.words(class, color, (x + PADDING + pill + 4, line + 15), title);
                self.words(class, color, (right, line + 15), count);
                self.stack(inside, (x + PADDING, line + LINE + GAP / 2), width - 2 * PADDING);
                self.text += "</g>\n";
            }
        }
    }

    fn labels(&mut self, lines: &[&[Label]], (x, mut y): (usize, usize)) {
        for line in lines {
            let mut left = x;
            for label in *line {
                let Colors { name, strong, fill, .. } = label.kind.colors();
                let width = label_width(label);
                let _ = writeln!(
                    self.text,
                    "<g>{}<rect class=\"mdh-{name}\" x=\"{left}\" y=\"{y}\" width=\"{width}\" height=\"{LINE}\" rx=\"4\" \
                    fill=\"{fill}\" stroke=\"{strong}\" stroke-width=\"0.75\"/>",
                    full_text(&label.full)
                );
                let (class, color) = label.kind.text();
                self.words(class, color, (left + 8, y + 15), &label.text);
                self.text += "</g>\n";
                left += width + GAP / 2;
            }
            y += LINE + GAP / 2;
        }
    }

    /// A text, with the left end of its base line; nothing if it is empty.
    fn words(&mut self, class: &str, color: &str, (x, y): (usize, usize), text: &str) {
        if text.is_empty() {
            return;
        }
        let text = escaped(text);
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = writeln!(
            self.text,
            "<text{class} x=\"{x}\" y=\"{y}\" fill=\"{color}\" xml:space=\"preserve\">{text}</text>"
        );
    }
}

/// What a browser shows when the pointer rests on a figure.
fn full_text(full: &str) -> String {
    if full.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(full)) }
}

/// The style sheet for dark pages. Names have a prefix, because a page may contain several pictures.
fn style() -> String {
    let boxes = KINDS.iter().map(|kind| {
        let Colors { name, dark, .. } = kind.colors();
        format!(".mdh-{name} {{ fill: {dark} }}\n")
    });
    let boxes: String = boxes.collect();
    format!(
        "<style>@media (prefers-color-scheme: dark) {{\n.mdh-page {{ fill: #0b1120 }}\n.mdh-text {{ fill: #e2e8f0 }}\n\
        .mdh-faint {{ fill: #94a3b8 }}\n.mdh-page-text {{ fill: #0f172a }}\n{boxes}}}</style>"
    )
}

/// A text in one line.
fn escaped(text: &str) -> String {
    markup::escaped(&text.replace(['\t', '\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(title: &str) -> Picture {
        let label = |text: &str| Label { kind: Kind::Plain, text: text.to_owned(), full: String::new() };
        let frame = |count: &str, inside| Figure::Frame {
            kind: Kind::Loop,
            word: "loop".to_owned(),
            title: "level (1, 1)".to_owned(),
            count: count.to_owned(),
            full: "for p1_1 in 0..64:".to_owned(),
            inside,
        };
        let inner = frame("× 8", vec![Figure::Labels(vec![label("load input 1"), label("store output 1")])]);
        let pair = Figure::Either(vec![inner.clone(), inner]);
        Picture { title: title.to_owned(), subtitle: String::new(), figures: vec![frame("× 64", vec![pair])] }
    }

    /// The numbers of an attribute, in order.
    fn numbers(text: &str, attribute: &str) -> Vec<usize> {
        let name = format!(" {attribute}=\"");
        let values = text.split(name.as_str()).skip(1);
        values.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
    }

    #[test]
    fn boxes_are_within_the_picture() {
        let text = Picture::document(&[picture("@matvec"), picture("@matmul")], &picture("legend"));
        let [width, height] = ["width", "height"].map(|attribute| numbers(&text, attribute)[0]);
        let rectangles: Vec<_> = text.lines().filter(|line| line.contains("<rect ") && line.contains(" x=")).collect();
        assert_eq!(rectangles.len(), 3 * (2 + 2 * 2 + 2 * 2));
        for rectangle in rectangles {
            let [x, y, wide, high] = ["x", "y", "width", "height"].map(|attribute| numbers(rectangle, attribute)[0]);
            assert!(x + wide <= width && y + high <= height, "{rectangle} in {width} x {height}");
        }
    }

    #[test]
    fn text_on_dark_boxes_is_light() {
        let frame = |kind, title: &str| Figure::Frame {
            kind,
            word: "scalar function".to_owned(),
            title: title.to_owned(),
            count: String::new(),
            full: String::new(),
            inside: vec![],
        };
        let figures = vec![frame(Kind::Scalar, "dark"), frame(Kind::Plain, "light")];
        let text = Picture::document(&[], &Picture { title: "legend".to_owned(), subtitle: String::new(), figures });
        let line =
            |word: &str| text.lines().find(|line| line.ends_with(&format!(">{word}</text>"))).unwrap_or_default();
        assert!(line("dark").contains("fill=\"#ffffff\"") && line("light").contains("fill=\"#0f172a\""), "{text}");
    }

    #[test]
    fn names_are_escaped() {
        let text = Picture::document(&[picture("@\"a<b>&c\u{1}\"")], &picture("legend"));
        assert!(text.contains("<title>@&quot;a&lt;b&gt;&amp;c\u{fffd}&quot;</title>"), "{text}");
    }
}
