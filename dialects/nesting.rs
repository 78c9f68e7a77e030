//! Limits the nesting depth of a program before it is parsed: MLIR's parser, verifier and printers recurse for each
//! level, and a stack overflow ends the process.
//!
//! ```text
//! module { module { module { … } } }   ──▶   line 1, column 2561: requires nesting of at most 256 levels
//! ```
use std::{collections::HashMap, fmt};

/// The maximum nesting depth of regions, attributes, types and locations.
pub const MAX_LEVELS: usize = 256;
/// The maximum number of operators in an expression of an affine map.
pub const MAX_OPERATORS: usize = 1024;

/// The maximum number of aliases that an alias expands to, each counted as often as it is used: a printer may write all
/// of them.
pub const MAX_ALIASES: usize = 1 << 16;

/// The position at which a program nests too deeply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooDeep {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in bytes, counted from 1.
    pub column: usize,
    /// The violated requirement.
    pub message: String,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: error: {}", self.line, self.column, self.message)
    }
}

/// True if a program is bytecode instead of text.
pub fn is_bytecode(source: &[u8]) -> bool {
    source.starts_with(b"ML\xefR")
}

/// Checks the text of a program, which may be invalid MLIR. Brackets in strings and comments are ignored; the
/// definition of an alias counts where the alias is used.
pub fn check(source: &[u8]) -> Result<(), TooDeep> {
    Scanner { source, at: 0, open: vec![], aliases: HashMap::new(), defined: None, before: Token::Other }.check()
}

/// The class of the previous token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    /// A token after which the current construct continues: `=`, `:`, `->`.
    Continues,
    Other,
}

/// The expansion of an alias.
#[derive(Clone, Copy, Default)]
struct Alias {
    levels: usize,
    /// The number of other aliases in the expansion, each counted as often as it is used.
    others: usize,
}

struct Scanner<'a> {
    source: &'a [u8],
    at: usize,
    /// The open brackets: true if they may contain an affine expression, and its number of operators so far.
    open: Vec<(bool, usize)>,
    /// The expansions of the aliases defined so far.
    aliases: HashMap<&'a [u8], Alias>,
    /// The alias under definition, and its expansion so far.
    defined: Option<(&'a [u8], Alias)>,
    before: Token,
}

impl<'a> Scanner<'a> {
    fn check(mut self) -> Result<(), TooDeep> {
        while let Some(&byte) = self.source.get(self.at) {
            let start = self.at;
            self.at += 1;
            let next = self.source.get(self.at).copied().unwrap_or_default();
            match byte {
                b'/' if next == b'/' => self.skip(|byte| byte != b'\n'),
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'"' => {
                    self.begin_operation();
                    self.string();
                    self.before = Token::Other;
                }
                b'-' if next == b'>' => {
                    self.at += 1;
                    self.before = Token::Continues;
                }
                b'<' | b'>' if next == b'=' => self.at += 1,
                b'=' | b':' => self.before = Token::Continues,
                b'(' | b'[' | b'{' | b'<' => {
                    if byte == b'{' {
                        self.begin_operation();
                    }
                    self.open.push((byte != b'{', 0));
                    self.levels(start, 0)?;
                    self.before = Token::Other;
                }
                b')' | b']' | b'}' | b'>' => {
                    self.open.pop();
                    self.before = Token::Other;
                }
                b',' => self.open.iter_mut().last().into_iter().for_each(|(_, operators)| *operators = 0),
                b'+' | b'-' | b'*' => self.operator(start)?,
                b'#' | b'!' => {
                    self.skip(is_of_name);
                    self.alias(start)?;
                }
                b'%' | b'^' | b'@' => {
                    if byte != b'@' {
                        self.begin_operation();
                    }
                    self.skip(is_of_name);
                    self.before = Token::Other;
                }
                _ if is_of_name(byte) => {
                    self.begin_operation();
                    self.skip(is_of_name);
                    if matches!(&self.source[start..self.at], b"mod" | b"floordiv" | b"ceildiv") {
                        self.operator(start)?;
                    }
                    self.before = Token::Other;
                }
                _ => self.before = Token::Other,
            }
        }
        Ok(())
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.source.get(self.at).is_some_and(|byte| wanted(*byte)) {
            self.at += 1;
        }
    }

    /// Skips a string, starting after its opening quote, to after its closing quote; an unterminated string ends at the
    /// end of the line.
    fn string(&mut self) {
        while let Some(&byte) = self.source.get(self.at) {
            match byte {
                b'\n' => return,
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    /// Ends the definition of an alias at a token that cannot be a part of it.
    fn begin_operation(&mut self) {
        if self.open.is_empty() && self.before == Token::Other {
            self.end_definition();
        }
    }

    fn end_definition(&mut self) {
        self.aliases.extend(self.defined.take());
    }

    /// Handles a name that starts with `#` or `!`, starting after it: the definition of an alias, or a use.
    fn alias(&mut self, start: usize) -> Result<(), TooDeep> {
        let name = &self.source[start..self.at];
        let rest = &self.source[self.at..];
        let rest = rest.trim_ascii_start();
        if self.open.is_empty() && rest.starts_with(b"=") && !rest.starts_with(b"==") {
            self.end_definition();
            self.defined = Some((name, Alias::default()));
        } else if let Some(alias) = self.aliases.get(name).copied() {
            self.levels(start, alias.levels + 1)?;
            if let Some((_, defined)) = &mut self.defined {
                defined.others += alias.others + 1;
                if defined.others > MAX_ALIASES {
                    return Err(
                        self.error(start, format!("requires aliases that stand for at most {MAX_ALIASES} others"))
                    );
                }
            }
        }
        self.before = Token::Other;
        Ok(())
    }

    /// Accounts for an item with `own` levels inside the open brackets.
    fn levels(&mut self, at: usize, own: usize) -> Result<(), TooDeep> {
        let levels = self.open.len() + own;
        if let Some((_, defined)) = &mut self.defined {
            defined.levels = levels.max(defined.levels);
        }
        if levels <= MAX_LEVELS {
            return Ok(());
        }
        Err(self.error(at, format!("requires nesting of at most {MAX_LEVELS} levels, but here it has {levels}")))
    }

    fn operator(&mut self, at: usize) -> Result<(), TooDeep> {
        match self.open.last_mut() {
            Some((true, operators)) if *operators == MAX_OPERATORS => {
                Err(self.error(at, format!("requires expressions of at most {MAX_OPERATORS} operators")))
            }
            Some((_, operators)) => {
                *operators += 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn error(&self, at: usize, message: String) -> TooDeep {
        let before = &self.source[..at];
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        TooDeep { line: before.iter().filter(|byte| **byte == b'\n').count() + 1, column: at - line + 1, message }
    }
}

/// True if a byte may be part of a name.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(open: &str, close: &str, levels: usize) -> String {
        open.repeat(levels) + &close.repeat(levels)
    }

    #[test]
    fn levels_are_counted() {
        for (open, close) in [("module {\n", "}"), ("tuple<", ">"), ("[", "]"), ("(", ")")] {
            assert_eq!(check(nested(open, close, MAX_LEVELS).as_bytes()), Ok(()), "{open}");
            let error = check(nested(open, close, MAX_LEVELS + 1).as_bytes()).unwrap_err();
            let message = "requires nesting of at most 256 levels, but here it has 257";
            assert_eq!(error.message, message);
            let lines = open.matches('\n').count() * MAX_LEVELS + 1;
            assert_eq!(error.line, lines);
        }
        // Closed levels do not count.
        assert_eq!(check(nested("module {", "}", 10).repeat(1000).as_bytes()), Ok(()));
    }

    #[test]
    fn arrows_strings_and_comments_are_no_brackets() {
        let text = "func.func @f() -> (i32) // {{{\n \"a{\\\"{\"() : () -> () affine_set<(d0) : (d0 >= 0, -d0 <= 1)>\n";
        assert_eq!(check(text.repeat(1000).as_bytes()), Ok(()));
        // An unterminated string ends at the end of the line.
        let error = check(("\"\n".to_owned() + &nested("{", "}", 300)).as_bytes()).unwrap_err();
        assert_eq!((error.line, error.column), (2, 257));
    }

    #[test]
    fn aliases_count_where_they_are_used() {
        let chain = |head: &str, last: usize, tail: &str| {
            let links = (1..=last)
                .map(|i| format!("{}\n", head.replace("NEW", &i.to_string()).replace("OLD", &(i - 1).to_string())));
            links.collect::<String>() + tail
        };
        for head in [
            "!tNEW = tuple<!tOLD>",
            "#aNEW = [#aOLD]",
            "#lNEW = loc(callsite(#lOLD at unknown))",
            "!tNEW = () ->\n (!tOLD)",
        ] {
            assert_eq!(check(chain(head, 80, "").as_bytes()), Ok(()), "{head}");
            assert!(check(chain(head, 300, "").as_bytes()).is_err(), "{head}");
        }
        // A few levels may expand to very many aliases.
        let error = check(chain("!tNEW = tuple<!tOLD, !tOLD>", 30, "").as_bytes()).unwrap_err();
        assert_eq!(error.message, "requires aliases that stand for at most 65536 others");
        // Neither operations nor other definitions are part of an alias.
        let module = "module attributes {a = #a} { func.func @f() { return } }\n";
        let text = "#a = 1 : i32\n".to_owned() + &module.repeat(1000);
        assert_eq!(check(text.as_bytes()), Ok(()));
        let text: String = (0..1000).map(|i| format!("#map{i} = affine_map<(d0)[s0] -> (d0 - s0)>\n")).collect();
        assert_eq!(check((text + module).as_bytes()), Ok(()));
    }

    #[test]
    fn operators_are_counted_in_expressions() {
        let map = |operators: usize| format!("affine_map<(d0) -> (d0{})>", " + d0".repeat(operators));
        assert_eq!(check(map(MAX_OPERATORS).as_bytes()), Ok(()));
        assert!(check(map(MAX_OPERATORS + 1).as_bytes()).is_err());
        assert!(check(format!("affine_map<(d0) -> ({}d0)>", "-".repeat(2000)).as_bytes()).is_err());
        assert!(check(format!("affine_map<(d0) -> (d0{})>", " mod 7".repeat(2000)).as_bytes()).is_err());
        assert_eq!(check("%a-b = arith.addi %a-b, %c-d : i32\n".repeat(2000).as_bytes()), Ok(()));
    }

    #[test]
    fn any_bytes_are_scanned() {
        for text in ["\"\\", "#", "!", "}}}}", "//", "#a =", "-", "\u{0}\u{ff}<", "<="] {
            assert_eq!(check(text.as_bytes()), Ok(()), "{text}");
        }
    }
}
