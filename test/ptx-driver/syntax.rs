//! The tokens of PTX, and the operands of instructions.

/// A syntax error, or unsupported PTX: the line and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub line: u32,
    pub text: String,
}

impl Error {
    pub fn new(line: u32, text: impl Into<String>) -> Self {
        Self { line, text: text.into() }
    }
}

/// A token: a name, an instruction, a directive, a number, a string, or punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub text: &'t str,
    pub line: u32,
}

/// Source location directives; each extends to the end of its line.
const PLACES: [&str; 2] = [".loc\t", ".file\t"];

/// The tokens of a text, without comments and source location directives.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Error> {
    let mut tokens = vec![];
    let (mut rest, mut line) = (text, 1);
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '%');
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") || PLACES.iter().any(|place| rest.starts_with(place)) {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2).ok_or_else(|| Error::new(line, "a comment requires an end"))?
        } else if first == '"' {
            let end = rest[1..].find('"').ok_or_else(|| Error::new(line, "a text requires an end"))?;
            tokens.push(Token { text: &rest[..end + 2], line });
            end + 2
        } else if is_word(first) {
            let mut length = 0;
            loop {
                length += rest[length..].find(|c| !is_word(c)).unwrap_or(rest.len() - length);
                // Modifiers such as `L1::evict_last` are one token.
                match rest[length..].strip_prefix("::") {
                    Some(more) if more.starts_with(is_word) => length += 2,
                    _ => break,
                }
            }
            tokens.push(Token { text: &rest[..length], line });
            length
        } else {
            tokens.push(Token { text: &rest[..first.len_utf8()], line });
            first.len_utf8()
        };
        line += rest[..length].matches('\n').count() as u32;
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// The remaining tokens.
pub struct Cursor<'t> {
    tokens: &'t [Token<'t>],
    next: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(tokens: &'t [Token<'t>]) -> Self {
        Self { tokens, next: 0 }
    }

    pub fn is_done(&self) -> bool {
        self.next == self.tokens.len()
    }

    /// The line of the next token, or of the last one at the end.
    pub fn line(&self) -> u32 {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    /// The next token; an empty string at the end.
    pub fn peek(&self) -> &'t str {
        self.tokens.get(self.next).map_or("", |token| token.text)
    }

    /// The token after the next one.
    pub fn peek_second(&self) -> &'t str {
        self.tokens.get(self.next + 1).map_or("", |token| token.text)
    }

    pub fn next(&mut self) -> &'t str {
        let text = self.peek();
        self.next += 1;
        text
    }

    /// Consumes the next token if it is `text`. Returns true if it was.
    pub fn take(&mut self, text: &str) -> bool {
        let is_next = self.peek() == text;
        self.next += usize::from(is_next);
        is_next
    }

    pub fn expect(&mut self, text: &str) -> Result<(), Error> {
        if self.take(text) {
            return Ok(());
        }
        Err(self.error(format!("'{text}' is required, got '{}'", self.peek())))
    }

    pub fn error(&self, text: impl Into<String>) -> Error {
        Error::new(self.line(), text)
    }

    /// Consumes a name.
    pub fn name(&mut self) -> Result<&'t str, Error> {
        let text = self.peek();
        if text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%')) {
            return Ok(self.next());
        }
        Err(self.error(format!("a name is required, got '{text}'")))
    }

    /// Consumes a number, which may be negative.
    pub fn number(&mut self) -> Result<u64, Error> {
        let is_negative = self.take("-");
        let text = self.peek();
        let value = number(text).ok_or_else(|| self.error(format!("a number is required, got '{text}'")))?;
        self.next();
        Ok(if is_negative { value.wrapping_neg() } else { value })
    }

    /// Consumes a non-negative number.
    pub fn size(&mut self) -> Result<u32, Error> {
        let value = self.number()?;
        u32::try_from(value).map_err(|_| self.error(format!("a size below 2^32 is required, got {value}")))
    }

    /// Consumes an operand of an instruction.
    pub fn operand(&mut self) -> Result<Operand<'t>, Error> {
        if self.take("[") {
            let base = if self.peek().starts_with(|c: char| c.is_ascii_digit()) { None } else { Some(self.name()?) };
            let offset = match base {
                None => self.number()?,
                Some(_) if self.take("+") => self.number()?,
                Some(_) if self.peek() == "-" => self.number()?,
                Some(_) => 0,
            };
            self.expect("]")?;
            return Ok(Operand::Address(base, offset as i64));
        }
        if self.take("{") {
            return Ok(Operand::Vector(self.list("}")?));
        }
        if self.take("(") {
            return Ok(Operand::List(self.list(")")?));
        }
        if self.take("!") {
            return Ok(Operand::Not(self.name()?));
        }
        if self.peek() == "-" || self.peek().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Operand::Number(self.number()?));
        }
        let name = self.name()?;
        if self.take("|") {
            return Ok(Operand::Pair(name, self.name()?));
        }
        if self.take("+") {
            return Ok(Operand::Sum(name, self.number()?));
        }
        Ok(Operand::Name(name))
    }

    /// Consumes operands up to a closing token.
    fn list(&mut self, end: &str) -> Result<Vec<Operand<'t>>, Error> {
        let mut operands = vec![];
        while !self.take(end) {
            if !operands.is_empty() {
                self.expect(",")?;
            }
            operands.push(self.operand()?);
        }
        Ok(operands)
    }

    /// Consumes the operands of an instruction, and the semicolon.
    pub fn operands(&mut self) -> Result<Vec<Operand<'t>>, Error> {
        self.list(";")
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand<'t> {
    /// A register, a variable, a label or a function.
    Name(&'t str),
    /// The bits of a number of any type.
    Number(u64),
    /// A variable and an offset in bytes.
    Sum(&'t str, u64),
    Address(Option<&'t str>, i64),
    Vector(Vec<Self>),
    /// The parenthesized arguments or results of a call.
    List(Vec<Self>),
    Not(&'t str),
    /// Two destinations: `p|q`.
    Pair(&'t str, &'t str),
}

/// The bits of a number: `12`, `0x1fU`, `0f3F800000`, `0d3FF0000000000000`.
fn number(text: &str) -> Option<u64> {
    let integer = text.strip_suffix('U').unwrap_or(text);
    let parse = |digits: &str, radix| u64::from_str_radix(digits, radix).ok();
    match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0f") if text.len() == 10 => parse(&text[2..], 16),
        Some("0d") if text.len() == 18 => parse(&text[2..], 16),
        Some("0x") => parse(&integer[2..], 16),
        Some("0b") => parse(&integer[2..], 2),
        _ if integer.len() > 1 && integer.starts_with('0') => parse(&integer[1..], 8),
        _ => parse(integer, 10),
    }
}
