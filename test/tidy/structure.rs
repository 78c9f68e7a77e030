//! Dependencies between the compiler's files, and the length of its functions.
use super::{File, files, report};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Item, UseTree,
    spanned::Spanned,
    visit::{self, Visit},
};

/// Maximum number of files of `passes/` that import each other in a cycle: three mutually dependent types can still be
/// read together.
const LARGEST_CIRCLE: usize = 3;
/// Maximum number of lines of a function of `passes/`.
const LONGEST_FUNCTION: usize = 80;
/// The folders and top-level files of `passes/`, lowest first. Each may import only those before it.
const ORDER: [&str; 14] = [
    "failure",
    "analysis",
    "notation",
    "machine",
    "target",
    "nest",
    "emit",
    "convert",
    "lower",
    "decompose",
    "schedule",
    "tune",
    "check",
    "pipeline",
];
/// The modules of `passes/` that emission may import: it traverses the nest, and decides nothing.
const OF_EMISSION: [&str; 2] = ["emit", "nest"];

/// The modules of `passes/` that the reference evaluator may import: it judges the others, so it must not share their
/// checks and rules.
const OF_REFERENCE: [&str; 2] = ["analysis::computation", "schedule::random"];

/// The path of a module in the crate, such as `nest::tree`.
type Module = Vec<String>;

/// The files of `passes/`, by module.
fn modules() -> BTreeMap<Module, File> {
    let module = |file: File| {
        let path = file.path.strip_prefix("passes/")?.strip_suffix(".rs")?;
        let parts = if path == "lib" { vec![] } else { path.split('/').map(str::to_owned).collect() };
        Some((parts, file))
    };
    files().into_iter().filter_map(module).collect()
}

fn parsed(file: &File) -> syn::File {
    syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path))
}

/// The paths that a file names, as absolute paths in the crate. Test modules within a file are ignored.
struct Paths {
    module: Module,
    found: BTreeSet<Module>,
}

impl Paths {
    fn of(module: &Module, file: &File) -> BTreeSet<Module> {
        let mut paths = Self { module: module.clone(), found: BTreeSet::new() };
        paths.visit_file(&parsed(file));
        paths.found
    }

    fn add(&mut self, path: &[String]) {
        let mut base = vec![];
        let mut rest = path;
        match rest.first().map(String::as_str) {
            Some("crate") => rest = &rest[1..],
            Some("self" | "super") => {
                base.clone_from(&self.module);
                while let Some(first @ ("self" | "super")) = rest.first().map(String::as_str) {
                    if first == "super" {
                        base.pop();
                    }
                    rest = &rest[1..];
                }
            }
            // An item declared here, or another crate.
            _ => base.clone_from(&self.module),
        }
        self.found.insert(base.into_iter().chain(rest.iter().cloned()).collect());
    }

    fn tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Name(name) if name.ident == "self" => self.add(before),
            UseTree::Name(name) => self.add(&with(name.ident.to_string())),
            UseTree::Rename(rename) => self.add(&with(rename.ident.to_string())),
            UseTree::Glob(_) => self.add(before),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(before, item)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(item) => self.tree(&[], &item.tree),
            Item::Mod(inner) if inner.attrs.iter().any(|attribute| attribute.path().is_ident("cfg")) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if ["crate", "super", "mdh_passes"].contains(&parts[0].as_str()) {
            self.add(&parts);
        }
        visit::visit_path(self, path);
    }
}

/// The imports of each module.
fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    let modules = modules();
    let is_test = |module: &Module| module.last().is_some_and(|name| name == "tests");
    let of = |(module, file): (&Module, &File)| {
        let file_of = |path: &Module| {
            let prefixes = (0..=path.len()).rev().map(|length| path[..length].to_vec());
            prefixes.into_iter().find(|prefix| modules.contains_key(prefix))
        };
        let paths = Paths::of(module, file);
        // A module that declares another one does not thereby import it.
        let found: BTreeSet<_> = paths.iter().filter_map(file_of).filter(|other| other != module).collect();
        (module.clone(), found.into_iter().filter(|other| !other.is_empty()).collect())
    };
    modules.iter().filter(|(module, _)| !is_test(module)).map(of).collect()
}

/// The modules reachable from a module by imports.
fn reached(imports: &BTreeMap<Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.clone()];
    while let Some(module) = open.pop() {
        for next in imports.get(&module).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

#[test]
fn circles_of_imports_are_small() {
    let imports = imports();
    let reached: BTreeMap<_, _> = imports.keys().map(|module| (module, reached(&imports, module))).collect();
    let circle = |module: &Module| -> BTreeSet<String> {
        let back = reached[module].iter().filter(|other| reached.get(other).is_some_and(|own| own.contains(module)));
        back.map(|other| other.join("::")).collect()
    };
    let circles: BTreeSet<_> = imports.keys().map(circle).filter(|circle| circle.len() > LARGEST_CIRCLE).collect();
    let complaint = |circle: &BTreeSet<String>| {
        let files = circle.iter().cloned().collect::<Vec<_>>().join(", ");
        format!("passes/: {} files import each other, at most {LARGEST_CIRCLE} may: {files}", circle.len())
    };
    report(circles.iter().map(complaint).collect());
}

#[test]
fn folders_depend_in_one_direction() {
    let rank = |module: &Module| ORDER.iter().position(|name| module.first().is_some_and(|first| first == name));
    let mut complaints = vec![];
    for (module, others) in imports() {
        for other in others {
            let is_later = rank(&module).is_some_and(|own| rank(&other).is_none_or(|other| other > own));
            let is_foreign = module.first().is_some_and(|first| first == "emit")
                && other.first().is_none_or(|first| !OF_EMISSION.contains(&first.as_str()));
            if is_later || is_foreign {
                complaints.push(format!("passes/: {} imports {}", module.join("::"), other.join("::")));
            }
        }
    }
    report(complaints);
}

#[test]
fn the_reference_evaluator_imports_nothing_that_it_judges() {
    const CRATE: &str = "mdh_passes";
    let mut complaints = vec![];
    for file in files() {
        let is_reference = file.path == "tools/reference.rs" || file.path.starts_with("tools/reference/");
        if !is_reference || !file.path.ends_with(".rs") || file.path.contains("/tests") {
            continue;
        }
        for path in Paths::of(&vec![], &file) {
            let path = path.join("::");
            let is_allowed = |module: &&str| {
                path.strip_prefix(CRATE).is_some_and(|rest| rest.trim_start_matches(':').starts_with(*module))
            };
            if path.starts_with(CRATE) && !OF_REFERENCE.iter().any(is_allowed) {
                complaints.push(format!("{}: imports {path}", file.path));
            }
        }
    }
    report(complaints);
}

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
}

#[test]
fn functions_are_short() {
    let mut complaints = vec![];
    for file in modules().values() {
        let mut long = Long::default();
        long.visit_file(&parsed(file));
        let complaint = |(name, lines): &(String, usize)| {
            format!("{}: {name} has {lines} lines, at most {LONGEST_FUNCTION} are allowed", file.path)
        };
        complaints.extend(long.found.iter().map(complaint));
    }
    report(complaints);
}

/// Type names that may be defined several times in a crate: each pass has its options.
const REPEATED_TYPES: [&str; 1] = ["Options"];

/// Types with different meanings have different names.
#[test]
fn type_names_are_unique_in_a_crate() {
    let mut complaints = vec![];
    for folder in ["dialects/", "passes/"] {
        let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in files().iter().filter(|file| file.path.starts_with(folder) && file.extension() == "rs") {
            for item in parsed(file).items {
                let name = match item {
                    syn::Item::Struct(item) => item.ident,
                    syn::Item::Enum(item) => item.ident,
                    syn::Item::Trait(item) => item.ident,
                    syn::Item::Type(item) => item.ident,
                    _ => continue,
                };
                defined.entry(name.to_string()).or_default().push(file.path.clone());
            }
        }
        let repeated =
            defined.into_iter().filter(|(name, paths)| paths.len() > 1 && !REPEATED_TYPES.contains(&name.as_str()));
        complaints.extend(repeated.map(|(name, paths)| format!("{name} is defined in {}", paths.join(", "))));
    }
    report(complaints);
}
