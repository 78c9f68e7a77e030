//! Legends: what tables, nests, outlines and pictures mean, for readers who have not seen one before. Each only has the
//! words that occur in what it is about.
//!
//! ```text
//! loop      parts that are computed one after the other
//! vector    parts of a register tile: the lanes of vectors
//! ```
use super::figure::{Figure, Kind};
use mdh_dialects::schedule::{model::Level, rules};

/// What a line of an outline and a box of a picture have.
pub const BOX: &str = "what it is   level (layer, dimension)   what executes it   × number of parts";

/// The width of lines of text.
const WIDTH: usize = 118;

/// What the rows and columns of the table of a schedule mean.
const TABLE: [(&str, &str); 9] = [
    (
        "(2, 1)",
        "a level: layer 2 of dimension 1, with the name that the program gives the dimension; each layer divides the parts \
        of the layer before it",
    ),
    ("cc, pw<f>, ps<f>", "the results of a dimension are kept (concatenation), reduced by f, or prefix sums by f"),
    ("0", "the number of parts of a level; ? if it depends on an extent that is known at run time"),
    (
        "D1, S1, R1",
        "the position in the loop order, 1 is the outermost: of the de-composition, which takes the inputs apart, of the \
        scalar phase, which computes the points, and of the re-composition, which combines the results",
    ),
    (
        "D2, S2, R2",
        "what executes a level: COR,x is dimension x of the layer COR; the parts of a memory layer are computed one after \
        the other (of registers: unrolled), those of a core layer at the same time",
    ),
    ("D3, S3", "the memory that each input is read from, in their order; another one than outside is a copy to it"),
    ("S5, R3", "the memory that each output is written to"),
    ("D4, S4, S6, R4", "the layout of these buffers: their dimensions, from the slowest to the fastest"),
    (
        "levels without effect",
        "have one part, and buffers stay where they are; (2, *): all levels of layer 2; --all-rows shows them",
    ),
];

/// Whether a text has a word.
type Has = fn(&str) -> bool;

/// What the names in index arithmetic mean.
const NAMES: [(Has, &str, &str); 4] = [
    (|text| numbered(text, 'p'), "p2_1", "the number of a part of level (2, 1), from 0: layer 2 of dimension 1"),
    (
        |text| text.contains("block.") || text.contains("thread."),
        "block.x, thread.x",
        "the numbers of the block and of the thread that execute a kernel",
    ),
    (|text| numbered(text, 's'), "s0", "an extent or a number that the program passes"),
    (|text| text.contains("size("), "size(input 1, 0)", "the size of a buffer in a dimension; these count from 0"),
];

/// What the words in the text of a nest mean.
const WORDS: [(Has, &str, &str); 10] = [
    (|text| text.contains("for i"), "i0", "the number of an element, or of parts of several layers"),
    (|text| text.contains("part1"), "part1", "a buffer beyond the user's: a part of an input, or partial results"),
    (|text| text.contains("parallel for "), "parallel for", "iterations that run at the same time"),
    (|text| text.contains(" carrying ("), "carrying", "what an iteration passes to the next one, in registers"),
    (|text| text.contains("promote input"), "promote", "copies a part of an input to another memory or layout"),
    (|text| text.contains("initialize:"), "initialize", "fills results with the identity of the combine operator"),
    (
        |text| [") carried:", ") in memory:", ") in a "].iter().any(|how| text.contains(how)),
        "level (2, 2) carried",
        "combines the results of the parts of a level: in registers, in memory, in a tree or in a scan",
    ),
    (
        |text| text.contains("unroll level") || text.contains("vectorize level"),
        "unroll, vectorize",
        "the parts of a register tile: code that is repeated, or the lanes of vectors",
    ),
    (|text| text.contains("scalar ("), "scalar", "the scalar function: what the program computes at a point"),
    (
        |text| text.contains("combine (") || text.contains("accumulate ("),
        "combine, accumulate",
        "the combining function of the program",
    ),
];

/// What the words in the text of a plan mean.
const PLAN: [(Has, &str, &str); 14] = [
    (|text| text.contains("for level"), "(2, 1)", "a level: layer 2 of dimension 1"),
    (|text| text.contains(") (") || text.contains("] ("), "(D (2, 1))", "the step of the schedule that asks for it"),
    (|text| text.contains("kernel of"), "kernel of", "one launch of the levels that its blocks and threads own"),
    (|text| text.contains(" for level"), "for level", "parts that are computed one after the other"),
    (
        |text| ["blocks", "warps", "threads"].iter().any(|cores| text.contains(&format!("{cores} for level"))),
        "threads for level",
        "parts that cores compute at the same time",
    ),
    (
        |text| text.contains("unroll level") || text.contains("vectorize level"),
        "unroll, vectorize",
        "the parts of a register tile: code that is repeated, or the lanes of vectors",
    ),
    (|text| text.contains("promote input"), "promote", "copies a part of an input to another memory or layout"),
    (|text| text.contains("between barriers"), "between barriers", "the threads of a block wait before and after it"),
    (
        |text| text.contains("results in "),
        "results in",
        "results in a buffer of their own, combined when they are complete",
    ),
    (|text| text.contains("in registers"), "in registers", "results that are written once, after the loops inside"),
    (
        |text| ["carried:", "in memory", "in a tree", "in a scan"].iter().any(|how| text.contains(how)),
        "carried, in memory, in a tree, in a scan",
        "how the results of parts are combined",
    ),
    (|text| text.contains("summed "), "summed", "long sums are divided, which makes their errors small"),
    (
        |text| text.contains("the first part apart"),
        "the first part apart",
        "its results are the first values of the loop",
    ),
    (|text| text.contains("scalar function"), "scalar function", "what the program computes at a point"),
];

/// Levels in a row, of which those of a whole layer are one: `(1, 2), (2, *)`. `rank`: the number of dimensions.
pub fn levels(levels: &[Level], rank: usize) -> String {
    let of_layer = levels.chunk_by(|one, other| one.layer == other.layer);
    let text = |layer: &[Level]| match layer {
        [first, _, ..] if layer.len() == rank => format!("({}, *)", first.layer + 1),
        _ => layer.iter().map(|level| rules::name(*level)).collect::<Vec<_>>().join(", "),
    };
    of_layer.map(text).collect::<Vec<_>>().join(", ")
}

/// The legend of tables, below them. `is_folded`: some have levels without effect.
pub fn table(is_folded: bool) -> String {
    let rows = TABLE.iter().filter(|(word, _)| is_folded || *word != "levels without effect");
    titled("how to read the tables", &rows.map(|(word, meaning)| ((*word).to_owned(), *meaning)).collect::<Vec<_>>())
}

/// The legend of nests, whose text is given.
pub fn nest(text: &str) -> String {
    titled("how to read the nests", &used(text, &[&NAMES[..], &WORDS].concat()))
}

/// The legend of plans, whose text is given.
pub fn plan(text: &str) -> String {
    titled("how to read the plans", &used(text, &PLAN))
}

/// The legend of outlines, which have these figures and this text.
pub fn outline(figures: &[Figure], text: &str) -> String {
    let rows = entries(figures).into_iter().map(|(_, word, meaning)| (word, meaning));
    let legend = titled("how to read the outlines", &rows.chain(used(text, &NAMES)).collect::<Vec<_>>());
    format!("{legend}each line: {BOX};\nlines that are indented more are inside of it\n")
}

/// The rows whose words a text has.
fn used(text: &str, rows: &[(Has, &'static str, &'static str)]) -> Vec<(String, &'static str)> {
    let rows = rows.iter().filter(|(has, ..)| has(text));
    rows.map(|(_, word, meaning)| ((*word).to_owned(), *meaning)).collect()
}

/// True if a text has a name that is a letter and a number, such as `p2_1`.
fn numbered(text: &str, letter: char) -> bool {
    let mut words = text.split(|character: char| !character.is_alphanumeric());
    words.any(|word| word.strip_prefix(letter).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit())))
}

/// The boxes of the legend of a picture, one for each kind of figures in it.
pub fn boxes(figures: &[Figure]) -> Vec<Figure> {
    let frame = |(kind, word, meaning): (Kind, String, &str)| Figure::Frame {
        kind,
        word,
        title: meaning.to_owned(),
        count: String::new(),
        full: String::new(),
        inside: vec![],
    };
    entries(figures).into_iter().map(frame).collect()
}

/// The kinds of figures with the words for them, in the order of their first occurrence.
fn entries(figures: &[Figure]) -> Vec<(Kind, String, &'static str)> {
    let mut words: Vec<(Kind, Vec<&str>)> = vec![];
    collect(figures, &mut words);
    words.into_iter().map(|(kind, words)| (kind, words.join(", "), meaning(kind))).collect()
}

fn collect<'f>(figures: &'f [Figure], words: &mut Vec<(Kind, Vec<&'f str>)>) {
    for figure in figures {
        match figure {
            Figure::Frame { kind, word, inside, .. } => {
                add(*kind, word, words);
                collect(inside, words);
            }
            Figure::Labels(labels) => labels.iter().for_each(|label| add(label.kind, of_label(label.kind), words)),
            Figure::Either(figures) => collect(figures, words),
        }
    }
}

fn add<'f>(kind: Kind, word: &'f str, words: &mut Vec<(Kind, Vec<&'f str>)>) {
    match words.iter_mut().find(|(known, _)| *known == kind) {
        Some((_, words)) if words.contains(&word) => {}
        Some((_, words)) => words.push(word),
        None => words.push((kind, vec![word])),
    }
}

/// The word for labels of a kind, which have texts of their own.
fn of_label(kind: Kind) -> &'static str {
    match kind {
        Kind::Scalar => "scalar function",
        Kind::Memory => "buffer",
        Kind::Combination => "combine",
        Kind::Branch => "barrier",
        _ => "statement",
    }
}

fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::Loop => "parts that are computed one after the other",
        Kind::Threads => "parts that threads compute at the same time",
        Kind::Warps => "parts that warps compute at the same time",
        Kind::Blocks => "parts that blocks, devices or processes compute at the same time",
        Kind::Unrolled => "parts of a register tile: code that is repeated",
        Kind::Lanes => "parts of a register tile: the lanes of vectors",
        Kind::Kernel => "what the threads of a device execute",
        Kind::Memory => "memory with its sizes, and what is written to it",
        Kind::Scalar => "what the program computes at a point",
        Kind::Combination => "combines the results of parts",
        Kind::Branch => "runs under a condition, or waits for others",
        Kind::Producer => "computes results of another computation",
        Kind::Plain => "anything else; ×N: N statements",
    }
}

/// A title, and rows of a word and its meaning in two columns.
fn titled(title: &str, rows: &[(String, &str)]) -> String {
    let column = rows.iter().map(|(word, _)| word.chars().count()).max().unwrap_or_default() + 4;
    let mut text = format!("{title}\n");
    for (word, meaning) in rows {
        let mut line = format!("  {word}{}", " ".repeat(column - word.chars().count()));
        for part in meaning.split(' ') {
            if line.chars().count() + part.chars().count() > WIDTH {
                text += line.trim_end();
                text.push('\n');
                line = " ".repeat(column + 2);
            }
            line += part;
            line.push(' ');
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::figure::Label;

    fn figures() -> Vec<Figure> {
        let label = |kind, text: &str| Label { kind, text: text.to_owned(), full: String::new() };
        let frame = |kind, word: &str, inside| Figure::Frame {
            kind,
            word: word.to_owned(),
            title: String::new(),
            count: String::new(),
            full: String::new(),
            inside,
        };
        let labels =
            vec![label(Kind::Plain, "load input 1"), label(Kind::Memory, "part1"), label(Kind::Plain, "identity")];
        let both = Figure::Either(vec![frame(Kind::Branch, "if", vec![]), frame(Kind::Branch, "else", vec![])]);
        let inside = vec![frame(Kind::Memory, "copy", vec![]), Figure::Labels(labels), both];
        vec![frame(Kind::Loop, "loop", inside.clone()), frame(Kind::Loop, "loop", inside)]
    }

    #[test]
    fn legends_have_what_occurs_once() {
        let words = |kinds: Vec<(Kind, String, &str)>| kinds.into_iter().map(|(_, words, _)| words).collect::<Vec<_>>();
        assert_eq!(words(entries(&figures())), ["loop", "copy, buffer", "statement", "if, else"]);
        assert_eq!(boxes(&figures()).len(), 4);
        assert_eq!(words(entries(&[])), [""; 0]);
    }

    #[test]
    fn names_are_explained_where_they_occur() {
        let rows = |text: &str| used(text, &NAMES).into_iter().map(|(word, _)| word).collect::<Vec<_>>();
        assert_eq!(rows("if  8 * p5_2 + 7 < size(part1, 1)"), ["p2_1", "size(input 1, 0)"]);
        assert_eq!(rows("loop  elements  × min(16, s1)"), ["s0"]);
        assert_eq!(rows("kernel  64 blocks of 256 threads  part1: 4 × i32, of s"), [""; 0]);
    }

    #[test]
    fn meanings_are_in_a_column() {
        let text = titled("title", &[("a, b".to_owned(), &"word ".repeat(30)), ("c".to_owned(), "short")]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[1].starts_with("  a, b    word ") && lines[2].starts_with("          word "), "{text}");
        assert_eq!(lines[3], "  c       short");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn levels_of_a_whole_layer_are_one() {
        let level = |(layer, dimension)| Level { layer, dimension };
        let text = |all: &[(usize, usize)], rank| levels(&all.iter().copied().map(level).collect::<Vec<_>>(), rank);
        assert_eq!(text(&[(0, 1), (1, 0), (1, 1), (2, 0)], 2), "(1, 2), (2, *), (3, 1)");
        assert_eq!(text(&[(0, 0), (1, 0)], 1), "(1, 1), (2, 1)");
    }
}
