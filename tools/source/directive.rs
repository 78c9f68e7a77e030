//! Directives: what a program says of its loops, as in `#pragma mdh(C[i][j] : ++, ++, +)` before a `for`.
//!
//! They are read in the text that clang's preprocessor writes, in which a `_Pragma` of a macro is a line, too:
//!
//! ```text
//! # 3 "gemm.c"
//! #pragma mdh(C[i][j] : ++, ++, +)      outputs C[i][j], operators ++, ++, +
//!   for (int i = 0; i < n; i++)         the loop, and its variable
//!     for (int j = 0; ..)               the variables of the loops inside
//! ```
/// A directive, and the loop that it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The file of the directive.
    pub file: String,
    /// The line and the column of the directive, from 1.
    pub position: (usize, usize),
    /// The line of the loop, from 1.
    pub loop_line: usize,
    /// The outputs, as in `C[i][j]`.
    pub outputs: Vec<String>,
    /// By loop, outermost first: the operator.
    pub operators: Vec<String>,
    /// By loop, outermost first: the variable, as far as the loops are there.
    pub variables: Vec<String>,
}

/// A word, a number or a character of the program, with its line in its file. Literals are left out.
#[derive(Clone, Copy, Debug)]
struct Token<'t> {
    text: &'t str,
    line: usize,
}

/// The text of a directive in the preprocessed text.
struct DirectiveText<'t> {
    file: &'t str,
    position: (usize, usize),
    text: &'t str,
    /// The number of the token behind it.
    next: usize,
}

/// What is wrong with a directive, and where it is: the file, the line and the column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongDirective {
    /// The place, as in `gemm.c:3:1`.
    pub place: String,
    /// The requirement and how it is violated.
    pub message: String,
}

/// The directives of a program, in its preprocessed text.
pub fn directives(preprocessed: &str) -> Result<Vec<Directive>, WrongDirective> {
    if !preprocessed.contains("mdh") {
        return Ok(vec![]);
    }
    let (texts, tokens) = read(preprocessed);
    let mut found = vec![];
    for DirectiveText { file, position, text, next } in texts {
        let place = format!("{file}:{}:{}", position.0, position.1);
        let fail = |message: String| WrongDirective { place: place.clone(), message };
        let (outputs, operators) = clauses(text).map_err(fail)?;
        let tokens = &tokens[next..];
        let Some(first) = tokens.first().filter(|first| first.text == "for") else {
            let next = tokens.first().map_or("nothing".to_owned(), |next| format!("'{}'", next.text));
            return Err(fail(format!("a directive requires a for loop behind it, but there is {next}")));
        };
        let variables = variables(statement(tokens), operators.len());
        found.push(Directive { file: file.to_owned(), position, loop_line: first.line, outputs, operators, variables });
    }
    Ok(found)
}

/// The directives and the tokens of a preprocessed text.
fn read(preprocessed: &str) -> (Vec<DirectiveText<'_>>, Vec<Token<'_>>) {
    let (mut texts, mut tokens, mut file, mut line) = (vec![], vec![], "", 0);
    for text in preprocessed.lines() {
        line += 1;
        let trimmed = text.trim_start();
        if let Some((number, name)) = marker(trimmed) {
            (file, line) = (name, number - 1);
        } else if let Some(rest) = pragma(trimmed) {
            let column = text.len() - trimmed.len() + 1;
            texts.push(DirectiveText { file, position: (line, column), text: rest, next: tokens.len() });
        } else if !trimmed.starts_with('#') {
            tokens.extend(words(text).into_iter().map(|text| Token { text, line }));
        }
    }
    (texts, tokens)
}

/// The line and the file of a marker such as `# 3 "gemm.c" 2`.
fn marker(text: &str) -> Option<(usize, &str)> {
    let rest = text.strip_prefix("# ")?;
    let (number, rest) = rest.split_once(' ')?;
    Some((number.parse().ok().filter(|number| *number > 0)?, rest.split('"').nth(1)?))
}

/// The text behind the name of a directive.
fn pragma(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start().strip_prefix("mdh")?;
    rest.chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_').then(|| rest.trim())
}

/// The words, numbers and other characters of a line.
fn words(line: &str) -> Vec<&str> {
    let is_word = |of: char| of.is_alphanumeric() || of == '_';
    let (mut words, mut rest) = (vec![], line.trim_start());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => literal(rest, first),
            _ if is_word(first) => rest.find(|of| !is_word(of)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        if !matches!(first, '"' | '\'') {
            words.push(&rest[..length]);
        }
        rest = rest[length..].trim_start();
    }
    words
}

/// The number of bytes of a literal of characters.
fn literal(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (position, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return position + 1,
            _ => {}
        }
    }
    text.len()
}

/// The outputs and the operators of a directive.
fn clauses(text: &str) -> Result<(Vec<String>, Vec<String>), String> {
    let form = || format!("a directive requires the form mdh(OUTPUT, .. : OPERATOR, ..), but got 'mdh{text}'");
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(form)?;
    let (outputs, operators) = inner.split_once(':').ok_or_else(form)?;
    let (outputs, operators) = (list(outputs), list(operators));
    if let Some(wrong) = outputs.iter().find(|output| !is_output(output)) {
        return Err(format!("an output of a directive requires the form NAME or NAME[INDEX].., but got '{wrong}'"));
    }
    if let Some(wrong) = operators.iter().find(|operator| !is_operator(operator)) {
        let known = "++, +, *, max, min, &, |, ^, ps(OPERATOR) or the name of a function";
        return Err(format!("an operator of a directive requires {known}, but got '{wrong}'"));
    }
    // A function may be named as what it is for.
    let operators = operators.into_iter().map(|operator| {
        let inner = operator.strip_prefix("pw(").and_then(|rest| rest.strip_suffix(')'));
        inner.map_or_else(|| operator.clone(), str::to_owned)
    });
    Ok((outputs, operators.collect()))
}

/// The entries of a list without white space; commas in brackets do not separate entries.
fn list(text: &str) -> Vec<String> {
    let (mut entries, mut depth) = (vec![String::new()], 0usize);
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (character, entries.last_mut()) {
            (',', _) if depth == 0 => entries.push(String::new()),
            (_, Some(last)) => last.push(character),
            _ => {}
        }
    }
    entries
}

fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|other| other.is_alphanumeric() || other == '_')
}

fn is_output(text: &str) -> bool {
    let name = text.split('[').next().unwrap_or_default();
    let subscripts = &text[name.len()..];
    let balanced = subscripts.matches('[').count() == subscripts.matches(']').count();
    is_name(name) && balanced && (subscripts.is_empty() || subscripts.ends_with(']')) && !subscripts.contains("[]")
}

fn is_operator(text: &str) -> bool {
    let combines = |text: &str| ["+", "*", "&", "|", "^"].contains(&text) || is_name(text);
    let inner = |name: &str| text.strip_prefix(name).and_then(|rest| rest.strip_suffix(')'));
    text == "++" || combines(text) || inner("ps(").or_else(|| inner("pw(")).is_some_and(combines)
}

/// The tokens of the loop that they begin with.
fn statement<'a, 't>(tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    let (mut round, mut curly) = (0i64, 0i64);
    for (number, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => round += 1,
            ")" => round -= 1,
            "{" => curly += 1,
            "}" => curly -= 1,
            _ => {}
        }
        if curly < 0 || round == 0 && curly == 0 && [";", "}"].contains(&token.text) {
            return &tokens[..=number];
        }
    }
    tokens
}

/// The variables of the first `count` loops of a statement, each in the one before.
fn variables(tokens: &[Token<'_>], count: usize) -> Vec<String> {
    let heads = tokens.iter().enumerate().filter(|(_, token)| token.text == "for");
    heads.take(count).map_while(|(number, _)| variable(&tokens[number + 1..])).collect()
}

/// The variable of a loop: what its first clause sets, or what its second one compares.
fn variable(head: &[Token<'_>]) -> Option<String> {
    let first = head.iter().position(|token| token.text == ";")?;
    let set = head[..first].iter().position(|token| token.text == "=");
    let name = match set {
        Some(set) => head[..set].last(),
        None => head[first..].iter().find(|token| is_name(token.text)),
    };
    name.map(|token| token.text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Directive {
        let mut all = directives(text).expect("a directive");
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    fn error(text: &str) -> String {
        let WrongDirective { place, message } = directives(text).expect_err("an error");
        format!("{place}: {message}")
    }

    const LOOPS: &str =
        "for (int i = 0; i < n; i++) {\n  s[i] = ')';\n  for (; j < m; j++) f(\"for\");\n}\nfor (k = 0;;) ;\n";

    #[test]
    fn a_directive_has_the_variables_of_its_loops() {
        let found = only(&format!("# 7 \"a.c\" 2\n\n  #pragma mdh(C[i][j + 1], D[i] : ++, pw( max ))\n{LOOPS}"));
        assert_eq!((found.file.as_str(), found.position, found.loop_line), ("a.c", (8, 3), 9));
        assert_eq!(found.outputs, ["C[i][j+1]", "D[i]"]);
        assert_eq!(found.operators, ["++", "max"]);
        assert_eq!(found.variables, ["i", "j"]);
        let found = only(&format!("# 1 \"a.c\"\n#pragma mdh(s : +, ps(+), &, f)\n# 20 \"b.h\"\n{LOOPS}"));
        assert_eq!((found.file.as_str(), found.loop_line, found.variables.len()), ("a.c", 20, 2));
    }

    #[test]
    fn other_pragmas_have_no_effect() {
        assert_eq!(directives("#pragma scop\n#pragma omp for // mdh\n#pragma mdhx(a : +)\n").ok(), Some(vec![]));
    }

    #[test]
    fn errors_name_what_is_required() {
        let at = |directive: &str| error(&format!("# 1 \"a.c\"\n#pragma mdh{directive}\nfor (;;) ;\n"));
        assert_eq!(
            at(" C : +"),
            "a.c:1:1: a directive requires the form mdh(OUTPUT, .. : OPERATOR, ..), but got 'mdhC : +'"
        );
        assert!(at("(C[i] + 1 : +)").ends_with("requires the form NAME or NAME[INDEX].., but got 'C[i]+1'"));
        assert!(at("(C[i] : ++, -)").ends_with("the name of a function, but got '-'"));
        assert!(at("(C[i] : )").ends_with("but got ''"));
        let error = error("# 1 \"a.c\"\n#pragma mdh(C : +)\n  while (1) ;\n");
        assert_eq!(error, "a.c:1:1: a directive requires a for loop behind it, but there is 'while'");
    }
}
