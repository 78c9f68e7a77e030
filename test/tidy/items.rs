//! The length of functions, the names of types, and the options of commands.
use super::crates::{Crate, Source};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Fields, Item, Meta,
    spanned::Spanned,
    visit::{self, Visit},
};

/// Maximum number of lines of a function.
const LONGEST_FUNCTION: usize = 80;

/// Functions of a file that exceed the maximum length.
#[derive(Default)]
struct Long {
    found: Vec<(String, usize)>,
}

impl Long {
    fn look(&mut self, name: &syn::Ident, function: &impl Spanned) {
        let span = function.span();
        let lines = span.end().line + 1 - span.start().line;
        if lines > LONGEST_FUNCTION {
            self.found.push((name.to_string(), lines));
        }
    }
}

impl<'ast> Visit<'ast> for Long {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.look(&function.sig.ident, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.look(&function.sig.ident, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.look(&function.sig.ident, &function.default);
        visit::visit_trait_item_fn(self, function);
    }
}

/// Functions are short.
pub fn lengths(crates: &[Crate]) -> Vec<String> {
    let mut complaints = BTreeSet::new();
    for file in crates.iter().flat_map(|own| own.modules.values()) {
        let mut long = Long::default();
        long.visit_file(&file.parsed);
        let complaint = |(name, lines): &(String, usize)| {
            format!("{}: {name} has {lines} lines, at most {LONGEST_FUNCTION} are allowed", file.path)
        };
        complaints.extend(long.found.iter().map(complaint));
    }
    complaints.into_iter().collect()
}

/// Type names that may be defined several times in a crate: each pass has its options.
const REPEATED_TYPES: [(&str, &str); 1] = [("passes/lib.rs", "Options")];

/// The fuzzer, which the library has for its tests. Its types are those of random programs.
const FUZZER: &str = "tools/fuzz/";

/// Types of a crate with different meanings have different names.
pub fn type_names(crates: &[Crate]) -> Vec<String> {
    let mut defined: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for own in crates {
        for file in own.modules.values() {
            let place = if file.path.starts_with(FUZZER) { FUZZER } else { &own.root };
            for item in &file.parsed.items {
                let name = match item {
                    Item::Struct(item) => &item.ident,
                    Item::Enum(item) => &item.ident,
                    Item::Trait(item) => &item.ident,
                    Item::Type(item) => &item.ident,
                    _ => continue,
                };
                defined.entry((place, name.to_string())).or_default().push(&file.path);
            }
        }
    }
    defined.retain(|(place, name), paths| paths.len() > 1 && !REPEATED_TYPES.contains(&(place, name)));
    let complaint = |((place, name), paths): (&(&str, String), &Vec<&str>)| {
        format!("{place}: {name} is defined in {}", paths.join(", "))
    };
    defined.iter().map(complaint).collect()
}

/// Options that several commands have under one name, with another meaning in each: what the command reads and writes.
const REPEATED_OPTIONS: [&str; 5] = ["database", "function", "json", "output", "report"];

/// The names and types of the options that the structures of a file declare.
fn options(file: &Source) -> Vec<(String, String)> {
    let mut options = vec![];
    for item in &file.parsed.items {
        let Item::Struct(item) = item else { continue };
        let is_parsed = item.attrs.iter().any(|attribute| match &attribute.meta {
            Meta::List(list) if list.path.is_ident("derive") => {
                list.tokens.to_string().split(", ").any(|derived| ["Args", "Parser"].contains(&derived))
            }
            _ => false,
        });
        let Fields::Named(fields) = &item.fields else { continue };
        for field in fields.named.iter().filter(|_| is_parsed) {
            let is_option = field.attrs.iter().any(|attribute| match &attribute.meta {
                Meta::List(list) if list.path.is_ident("arg") => {
                    let tokens = list.tokens.to_string();
                    tokens.split(',').any(|token| token.trim() == "long")
                }
                _ => false,
            });
            if let Some(name) = field.ident.as_ref().filter(|_| is_option) {
                options.push((name.to_string(), field.ty.span().source_text().unwrap_or_default()));
            }
        }
    }
    options
}

/// An option of several commands is declared once, in a structure that is a part of theirs.
pub fn option_names(crates: &[Crate]) -> Vec<String> {
    let mut declared: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for file in crates.iter().flat_map(|own| own.modules.values()) {
        if file.path.starts_with("tools/commands") {
            options(file).into_iter().for_each(|option| declared.entry(option).or_default().push(file.path.clone()));
        }
    }
    let repeated =
        declared.into_iter().filter(|((name, _), paths)| paths.len() > 1 && !REPEATED_OPTIONS.contains(&name.as_str()));
    repeated.map(|((name, _), paths)| format!("--{name} is declared in {}", paths.join(", "))).collect()
}
