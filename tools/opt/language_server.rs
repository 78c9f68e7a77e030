//! A filter between an editor and MLIR's language server, for what that server does not support: our name in the
//! `initialize` response, the documentation of the dialect, and documents that nest too deeply for MLIR's parser.
//!
//! ```text
//! editor ──▶ Documents::incoming ──▶ MLIR's server ──▶ Documents::outgoing ──▶ editor
//! ```
mod documentation;
mod hover;

use mdh_dialects::{
    nesting::{self, TooDeep},
    tool,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    ffi::OsString,
    io::{self, BufRead, BufReader, Read, Write},
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum length of a message header, in bytes.
const LONGEST_HEADER: u64 = 1 << 12;

/// Returns true if messages are framed as editors frame them; MLIR's tests of the server use another format.
pub fn is_served(arguments: &[OsString]) -> bool {
    let other = ["lit-test", "input-style", "help", "version"];
    !arguments.iter().skip(1).any(|argument| {
        let argument = argument.to_string_lossy();
        other.iter().any(|name| argument.trim_start_matches('-').starts_with(name))
    })
}

/// Runs a server with the filter on its standard input and output.
pub fn run(server: impl FnOnce() -> i32) -> i32 {
    let documents = Arc::new(Documents::default());
    let (incoming, outgoing) = (Arc::clone(&documents), documents);
    // If one side closes, the other one ends as well.
    let status = tool::run_with_filters(
        move |from, to| drop(messages(from, to, |message| incoming.incoming(message))),
        move |from, to| drop(messages(from, to, |message| outgoing.outgoing(message))),
        server,
    );
    status.unwrap_or_else(|error| {
        eprintln!("error: cannot forward the standard input and output of the language server: {error}");
        1
    })
}

/// Forwards messages after applying `change`. Messages that are not JSON objects are dropped, because they would end
/// the server.
fn messages(from: impl Read, mut to: impl Write, change: impl Fn(Value) -> Value) -> io::Result<()> {
    let mut from = BufReader::new(from);
    while let Some(length) = header(&mut from)? {
        let mut body = vec![];
        from.by_ref().take(length).read_to_end(&mut body)?;
        // serde_json has a nesting limit of its own, so it reports messages that nest too deeply.
        let body = match serde_json::from_slice(&body) {
            Ok(message @ Value::Object(_)) => change(message).to_string(),
            Ok(_) => {
                eprintln!("error: a message requires an object of JSON");
                continue;
            }
            Err(error) => {
                eprintln!("error: a message requires JSON: {error}");
                continue;
            }
        };
        write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        to.flush()?;
    }
    Ok(())
}

/// The content length from the header of the next message; `None` at the end of input.
fn header(from: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    loop {
        let mut line = vec![];
        if from.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().ok(),
            None if line.trim_end().is_empty() && length.is_some() => return Ok(length),
            _ => {}
        }
    }
}

/// What is known about documents.
#[derive(Default)]
struct Documents {
    /// Those that are hidden from the server, by URI, each with the diagnostic to publish instead.
    hidden: Mutex<HashMap<String, Value>>,
    /// Their texts, and names that the editor asks for.
    names: Mutex<hover::Names>,
}

impl Documents {
    /// Filters a message of the editor: replaces a document that nests too deeply with an empty one.
    fn incoming(&self, mut message: Value) -> Value {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.ask(&message);
        let address = message["params"]["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        let parameters = &mut message["params"];
        let texts: Vec<&mut Value> = match message_texts(parameters) {
            Some(texts) => texts,
            None => return message,
        };
        let mut problem = None;
        for text in texts {
            problem = nesting::check(text.as_str().unwrap_or_default().as_bytes()).err();
            if problem.is_some() {
                *text = json!("");
            }
            names.open(&address, text.as_str().unwrap_or_default());
        }
        let mut documents = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
        match problem {
            Some(problem) => documents.insert(address, diagnostic(&problem)),
            None => documents.remove(&address),
        };
        message
    }

    /// Filters a message of the server: sets its name and full document synchronization, and adds documentation and the
    /// diagnostics of hidden documents.
    fn outgoing(&self, mut message: Value) -> Value {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).answer(&mut message);
        if let Some(server) = message.pointer_mut("/result/serverInfo") {
            *server = json!({ "name": "mdh-lsp-server", "version": env!("CARGO_PKG_VERSION") });
            // Full document synchronization, because only whole documents can be checked.
            if let Some(change) = message.pointer_mut("/result/capabilities/textDocumentSync/change") {
                *change = json!(1);
            }
        }
        if message["method"] == "textDocument/publishDiagnostics" {
            let documents = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
            let found = message["params"]["uri"].as_str().and_then(|address| documents.get(address));
            if let Some(found) = found {
                message["params"]["diagnostics"] = json!([found]);
            }
        }
        message
    }
}

/// The document texts in the parameters of a message; `None` for messages without documents.
fn message_texts(parameters: &mut Value) -> Option<Vec<&mut Value>> {
    let Value::Object(parameters) = parameters else { return None };
    if let Some(changes) = parameters.get("contentChanges") {
        // Incremental changes, which the server does not ask for, would produce a text that nobody has checked.
        let whole: Vec<Value> =
            changes.as_array().into_iter().flatten().filter(|change| change.get("range").is_none()).cloned().collect();
        parameters.insert("contentChanges".to_owned(), Value::Array(whole));
        let changes = parameters.get_mut("contentChanges")?.as_array_mut()?;
        return Some(changes.iter_mut().filter_map(|change| change.get_mut("text")).collect());
    }
    Some(vec![parameters.get_mut("textDocument")?.get_mut("text")?])
}

/// The diagnostic that the editor shows.
fn diagnostic(problem: &TooDeep) -> Value {
    let place = |column: usize| json!({ "line": problem.line - 1, "character": column });
    json!({
        "range": { "start": place(problem.column - 1), "end": place(problem.column) },
        "severity": 1,
        "source": "mdh",
        "message": problem.message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(bodies: &[&str]) -> Vec<u8> {
        bodies.iter().flat_map(|body| format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()).collect()
    }

    #[test]
    fn messages_are_passed_on() {
        let mut passed = vec![];
        let bodies = [r#"{"a":1}"#, "no JSON", &"[".repeat(100_000), r#"{"b":"é"}"#, "5", "[]", "null"];
        messages(framed(&bodies).as_slice(), &mut passed, |message| message).unwrap();
        assert_eq!(passed, framed(&[bodies[0], bodies[3]]));
        for broken in
            ["Content-Length: x\r\n\r\n{}", "Content-Length: 99999999999\r\n\r\n{}", "\r\n\r\n", &"x".repeat(9999)]
        {
            messages(broken.as_bytes(), &mut vec![], |message| message).unwrap();
        }
    }

    #[test]
    fn documents_that_nest_too_deeply_are_empty_for_the_server() {
        let documents = Documents::default();
        let deep = "module {".repeat(300);
        let open = |text: &str| json!({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "a", "text": text}}});
        let change = |changes: Value| json!({"method": "textDocument/didChange", "params": {"textDocument": {"uri": "a"}, "contentChanges": changes}});
        let published = || {
            documents.outgoing(
                json!({"method": "textDocument/publishDiagnostics", "params": {"uri": "a", "diagnostics": []}}),
            )
        };
        assert_eq!(documents.incoming(open(&deep)), open(""));
        let found = &published()["params"]["diagnostics"][0];
        assert_eq!(found["range"]["start"], json!({"line": 0, "character": 256 * 8 + 7}));
        assert_eq!(found["message"], "requires nesting of at most 256 levels, but here it has 257");
        // The last text of a message is the effective one.
        let (texts, passed) =
            (json!([{"text": deep}, {"text": "module {}"}]), json!([{"text": ""}, {"text": "module {}"}]));
        assert_eq!(documents.incoming(change(texts)), change(passed));
        assert_eq!(published()["params"]["diagnostics"], json!([]));
        assert_eq!(documents.incoming(change(json!([{"range": {}, "text": deep}]))), change(json!([])));
        let other = json!({"method": "textDocument/hover", "params": {"textDocument": {"uri": "a"}}});
        assert_eq!(documents.incoming(other.clone()), other);
    }

    #[test]
    fn the_server_has_our_name() {
        let theirs = json!({"result": {"serverInfo": {"name": "mlir-lsp-server", "version": "0.0.0"}, "capabilities": {"textDocumentSync": {"change": 2}}}});
        let ours = Documents::default().outgoing(theirs);
        assert_eq!(
            ours["result"]["serverInfo"],
            json!({"name": "mdh-lsp-server", "version": env!("CARGO_PKG_VERSION")})
        );
        assert_eq!(ours["result"]["capabilities"]["textDocumentSync"]["change"], 1);
    }
}
