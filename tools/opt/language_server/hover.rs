//! What an editor shows at a name of the dialect: the documentation, which MLIR's server does not have.
use super::documentation;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Texts of open documents by URI, and the names that the editor has asked for by the number of the request.
#[derive(Default)]
pub struct Names {
    texts: HashMap<String, String>,
    asked: HashMap<String, String>,
}

impl Names {
    /// Takes the text of a document.
    pub fn open(&mut self, address: &str, text: &str) {
        self.texts.insert(address.to_owned(), text.to_owned());
    }

    /// Remembers which name a request is about.
    pub fn ask(&mut self, message: &Value) {
        let parameters = &message["params"];
        let text = parameters["textDocument"]["uri"].as_str().and_then(|address| self.texts.get(address));
        let number = |key: &str| usize::try_from(parameters["position"][key].as_u64()?).ok();
        let name = || Some(name_at(text?.lines().nth(number("line")?)?, number("character")?)?.to_owned());
        if message["method"] == "textDocument/hover"
            && let Some(name) = name()
        {
            self.asked.insert(message["id"].to_string(), name);
        }
    }

    /// Adds the documentation to the answer of the server.
    pub fn answer(&mut self, message: &mut Value) {
        if message.get("method").is_some() {
            return;
        }
        let name = self.asked.remove(&message["id"].to_string());
        let (Some(text), Some(result)) = (name.and_then(|name| documentation::of(&name)), message.get_mut("result"))
        else {
            return;
        };
        match result.pointer_mut("/contents/value") {
            Some(value) => *value = json!(format!("{}\n{text}", value.as_str().unwrap_or_default())),
            None => *result = json!({ "contents": { "kind": "markdown", "value": text } }),
        }
    }
}

/// The name of the dialect at a place of a line, in units of UTF-16, with the character that attributes and types begin
/// with.
fn name_at(line: &str, character: usize) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || ['_', '.'].contains(&c);
    let mut units = 0;
    let place = line.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > character
    });
    let (place, first) = place?;
    let place = place + usize::from(['#', '!'].contains(&first));
    let start = line[..place].rfind(|c: char| !is_part(c)).map_or(0, |i| {
        let other = line[i..].chars().next().map_or(1, char::len_utf8);
        if line[i..].starts_with(['#', '!']) { i } else { i + other }
    });
    let end = line[place..].find(|c: char| !is_part(c)).map_or(line.len(), |i| place + i);
    let name = &line[start..end];
    name.trim_start_matches(['#', '!']).starts_with("mdh.").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mdh_dialects::{hom::MdHom, ir::OpView};

    #[test]
    fn names_are_found_at_each_of_their_characters() {
        let line = "  %é𝄞 = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] : !mdh.mda<8, f32>";
        let at = |needle: &str, offset: usize| {
            let before = &line[..line.find(needle).unwrap()];
            name_at(line, before.encode_utf16().count() + offset)
        };
        for offset in [0, 5, 13] {
            assert_eq!(at("mdh.hom", offset), Some(MdHom::NAME));
        }
        assert_eq!(at("#mdh.cc", 0), Some("#mdh.cc"));
        assert_eq!(at("#mdh.pw", 6), Some("#mdh.pw"));
        assert_eq!(at("!mdh.mda", 3), Some("!mdh.mda"));
        assert_eq!([at("add", 0), at("%in", 1), at("%é", 0), name_at(line, 500), name_at("", 0)], [None; 5]);
    }

    #[test]
    fn documentation_is_added_to_answers() {
        let mut names = Names::default();
        names.open("a", "\n mdh.hom.yield\n #mdh.cc");
        let ask = |id: u64, line: u64| json!({"id": id, "method": "textDocument/hover", "params": {"textDocument": {"uri": "a"}, "position": {"line": line, "character": 3}}});
        for (id, line) in [(1, 0), (2, 1), (3, 2), (4, 9)] {
            names.ask(&ask(id, line));
        }
        let mut answer = |id: u64, result: Value| {
            let mut message = json!({"id": id, "result": result});
            names.answer(&mut message);
            message["result"].clone()
        };
        let theirs = json!({"contents": {"kind": "markdown", "value": "theirs"}});
        assert_eq!(answer(1, theirs.clone()), theirs);
        let operation = answer(2, theirs.clone())["contents"]["value"].as_str().unwrap().to_owned();
        assert!(operation.starts_with("theirs\n_"), "{operation}");
        let attribute = answer(3, Value::Null)["contents"]["value"].as_str().unwrap().to_owned();
        assert!(attribute.contains("Concatenation"), "{attribute}");
        assert_eq!(answer(3, Value::Null), Value::Null);
        assert_eq!(answer(4, Value::Null), Value::Null);
    }
}
