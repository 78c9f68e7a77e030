//! The crates of the project, and the files of their modules.
use super::files;
use std::collections::BTreeMap;
use syn::{Attribute, Expr, Item, Lit, Meta};

/// The path of a module in its crate, such as `nest::tree`; empty for the crate itself.
pub type Module = Vec<String>;

/// A crate: a library or a program.
pub struct Crate {
    /// The file that declares its modules.
    pub root: String,
    /// Its modules that have files.
    pub modules: BTreeMap<Module, Source>,
}

/// The file of a module.
pub struct Source {
    pub path: String,
    pub parsed: syn::File,
    /// True for tests.
    pub is_test: bool,
}

/// Returns true if an item is compiled for tests only.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    };
    attributes.iter().any(is_test)
}

/// The path in an attribute `#[path = ".."]`.
fn named_path(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// A path without `..`.
fn normal(path: &str) -> String {
    let mut parts = vec![];
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl Crate {
    fn of(root: &str, texts: &BTreeMap<String, String>) -> Self {
        let mut own = Self { root: root.to_owned(), modules: BTreeMap::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        own.add(vec![], root, folder, false, texts);
        own
    }

    /// Adds the file of a module, and those of the modules that it declares. `folder`: where these are.
    fn add(&mut self, module: Module, path: &str, folder: &str, is_test: bool, texts: &BTreeMap<String, String>) {
        let parsed = syn::parse_file(&texts[path]).unwrap_or_else(|error| panic!("{path}: {error}"));
        self.declared(&module, path, folder, &parsed.items, is_test, texts);
        self.modules.insert(module, Source { path: path.to_owned(), parsed, is_test });
    }

    fn declared(
        &mut self,
        module: &Module,
        file: &str,
        folder: &str,
        items: &[Item],
        is_test: bool,
        texts: &BTreeMap<String, String>,
    ) {
        for item in items {
            let Item::Mod(item) = item else { continue };
            let name = item.ident.to_string();
            let inner = [module.as_slice(), std::slice::from_ref(&name)].concat();
            let is_test = is_test || is_for_tests(&item.attrs);
            let below = format!("{folder}/{name}");
            if let Some((_, items)) = &item.content {
                self.declared(&inner, file, &below, items, is_test, texts);
                continue;
            }
            let beside = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            let own = format!("{below}.rs");
            let (path, folder) = match named_path(&item.attrs) {
                Some(path) => (normal(&format!("{beside}/{path}")), beside),
                None if texts.contains_key(&own) => (own, below.as_str()),
                None => (format!("{below}/mod.rs"), below.as_str()),
            };
            self.add(inner, &path, folder, is_test, texts);
        }
    }
}

/// The libraries and programs of the compiler.
pub fn crates() -> Vec<Crate> {
    let files = files().into_iter().filter(|file| file.extension() == "rs");
    let texts: BTreeMap<_, _> = files.map(|file| (file.path, file.text)).collect();
    let is_root = |path: &&String| {
        ["dialects/", "passes/", "tools/"].iter().any(|folder| path.starts_with(folder))
            && ["/lib.rs", "/main.rs"].iter().any(|name| path.ends_with(name))
    };
    texts.keys().filter(is_root).map(|root| Crate::of(root, &texts)).collect()
}
