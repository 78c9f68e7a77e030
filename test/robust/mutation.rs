//! Mutations of program-like text: some break its grammar, others only its semantics.

/// A small random number generator (SplitMix64). The same seed gives the same cases on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).expect("a size has 64 bits");
        usize::try_from(self.next() % bound).expect("it is less than a size")
    }

    pub fn simple_from_data<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "64",
    "1000",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "4611686018427387904",
    "99999999999999999999999",
    "?",
    "1.5",
];
const TYPES: &[&str] = &["bf16", "f16", "f32", "f64", "i1", "i8", "i16", "i32", "i64", "index", "f80", "i128", "none"];
const OPERATORS: &[&str] = &[
    "#mdh.cc",
    "#mdh.pw<add>",
    "#mdh.ps<add>",
    "#mdh.pw<max>",
    "#mdh.ps<mul>",
    "#mdh.pw<xor>",
    "#mdh.pw<@f>",
    "#mdh.pw<[add, mul]>",
    "#mdh.pw<[]>",
];

/// Applies one to three mutations to `text`. They may insert lines of `other`.
pub fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        text = once(&text, other, random);
    }
    text
}

fn once(text: &str, other: &str, random: &mut Random) -> String {
    match random.below(16) {
        0 => truncate(text, random),
        1..=3 => lines(text, other, random),
        4..=6 => change_tokens(text, random),
        7 | 8 => swap_names(text, random),
        9..=11 => replace(text, &numbers(text), NUMBERS, random),
        12 | 13 => replace(text, &occurrences(text, TYPES), TYPES, random),
        14 => replace(text, &occurrences(text, OPERATORS), OPERATORS, random),
        _ => replace(
            text,
            &occurrences(text, &["true", "false", "null", "{", "}", "[", "]", "(", ")", ","]),
            &["", "[]", "{}", "null", "\"?\"", "[[[]]]", "{\"a\": 1}"],
            random,
        ),
    }
}

fn truncate(text: &str, random: &mut Random) -> String {
    let at = random.below(text.len());
    String::from_utf8_lossy(&text.as_bytes()[..at]).into_owned()
}

fn lines(text: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        _ if lines.is_empty() => (),
        0 => {
            lines.remove(a);
        }
        1 => lines.insert(b, lines[a]),
        2 => lines.swap(a, b),
        _ => {
            let others: Vec<&str> = other.lines().collect();
            if !others.is_empty() {
                lines.insert(a, *random.simple_from_data(&others));
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Splits a text at each change between names, white space and other characters, which are single tokens.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |character: char| match character {
        '%' | '@' | '#' | '!' | '^' => 1,
        '_' | '.' | '-' => 2,
        character if character.is_alphanumeric() => 2,
        character if character.is_whitespace() => 3,
        _ => 4,
    };
    let (mut tokens, mut start, mut last) = (vec![], 0, 3);
    for (at, character) in text.char_indices() {
        let now = kind(character);
        let continues = (now == last && now != 4 && now != 1) || (last == 1 && now == 2);
        if !continues && at > start {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = now;
    }
    tokens.push(&text[start..]);
    tokens
}

/// The indices of the tokens that are not white space.
fn words(tokens: &[&str]) -> Vec<usize> {
    (0..tokens.len()).filter(|&at| !tokens[at].trim().is_empty()).collect()
}

fn change_tokens(text: &str, random: &mut Random) -> String {
    let mut tokens = tokens(text);
    let words = words(&tokens);
    if words.is_empty() {
        return text.to_owned();
    }
    let (a, b) = (*random.simple_from_data(&words), *random.simple_from_data(&words));
    match random.below(4) {
        0 => tokens[a] = "",
        1 => tokens.insert(a, tokens[a]),
        2 => tokens.swap(a, b),
        _ => tokens[a] = tokens[b],
    }
    tokens.concat()
}

/// Swaps two names of one kind (values, symbols, …), at one occurrence each or everywhere.
fn swap_names(text: &str, random: &mut Random) -> String {
    let mut tokens = tokens(text);
    let is_name = |token: &str| token.len() > 1 && token.starts_with(['%', '@', '#', '!', '^']);
    let names: Vec<usize> = words(&tokens).into_iter().filter(|&at| is_name(tokens[at])).collect();
    if names.is_empty() {
        return text.to_owned();
    }
    let a = *random.simple_from_data(&names);
    let alike: Vec<usize> = names.into_iter().filter(|&at| tokens[at][..1] == tokens[a][..1]).collect();
    let b = *random.simple_from_data(&alike);
    if random.below(2) == 0 {
        tokens.swap(a, b);
    } else {
        let (one, another) = (tokens[a], tokens[b]);
        for token in &mut tokens {
            *token = if *token == one {
                another
            } else if *token == another {
                one
            } else {
                *token
            };
        }
    }
    tokens.concat()
}

/// The ranges of all numbers, including those in types.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (vec![], 0);
    while at < bytes.len() {
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if end > at {
            found.push((at, end));
        }
        at = end + 1;
    }
    found
}

/// The ranges of the occurrences of some words.
fn occurrences(text: &str, words: &[&str]) -> Vec<(usize, usize)> {
    let mut found: Vec<_> =
        words.iter().flat_map(|word| text.match_indices(word).map(|(at, found)| (at, at + found.len()))).collect();
    found.sort_unstable();
    found
}

/// Replaces the text at one of the ranges, or all its occurrences, which keeps a program consistent.
fn replace(text: &str, places: &[(usize, usize)], by: &[&str], random: &mut Random) -> String {
    if places.is_empty() {
        return text.to_owned();
    }
    let &(start, end) = random.simple_from_data(places);
    let by = random.simple_from_data(by);
    if random.below(2) == 0 {
        text.replace(&text[start..end], by)
    } else {
        format!("{}{by}{}", &text[..start], &text[end..])
    }
}
