//! Dependencies between the modules of a crate.
use super::crates::{Crate, Module, Source, is_for_tests};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Item, UseTree,
    visit::{self, Visit},
};

/// Maximum number of files of a crate that import each other in a cycle: three mutually dependent types can still be
/// read together.
const LARGEST_CIRCLE: usize = 3;
/// The folders and top-level files of `passes/`, lowest first. Each may import only those before it.
const ORDER: [&str; 33] = [
    "failure",
    "files",
    "analysis",
    "notation",
    "machine",
    "target",
    "check",
    "check_directives",
    "capture_scalars",
    "define_arithmetic",
    "erase_symbols",
    "keep_order",
    "expand_compute",
    "expand_dim",
    "expand_index",
    "expand_softmax",
    "expand_unregistered",
    "split_complex",
    "generalize_complex",
    "lift_llvm",
    "call_nests",
    "fuse",
    "raise",
    "delinearize",
    "plan",
    "nest",
    "emit",
    "convert",
    "lower",
    "decompose",
    "schedule",
    "tune",
    "pipeline",
];
/// The modules of `passes/` that emission may import: it traverses the nest, and decides nothing.
const OF_EMISSION: [&str; 2] = ["emit", "nest"];

/// The modules of `passes/` that the reference evaluator may import: it judges the others, so it must not share their
/// checks and rules.
const OF_REFERENCE: [&str; 2] = ["analysis::computation", "schedule::random"];

/// The paths that a file names, as absolute paths in the crate. Test modules within a file are ignored.
struct Paths {
    module: Module,
    /// The modules that the file declares.
    children: BTreeSet<String>,
    found: BTreeSet<Module>,
}

impl Paths {
    fn of(module: &Module, file: &Source) -> BTreeSet<Module> {
        let children = file.parsed.items.iter().filter_map(|item| match item {
            Item::Mod(item) if !is_for_tests(&item.attrs) => Some(item.ident.to_string()),
            _ => None,
        });
        let mut paths = Self { module: module.clone(), children: children.collect(), found: BTreeSet::new() };
        paths.visit_file(&file.parsed);
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
            Item::Mod(inner) if is_for_tests(&inner.attrs) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let is_child = parts.len() > 1 && self.children.contains(&parts[0]);
        if is_child || ["crate", "super", "self", "mdh_passes"].contains(&parts[0].as_str()) {
            self.add(&parts);
        }
        visit::visit_path(self, path);
    }
}

/// The imports of each module of a crate, without tests.
fn imports(of: &Crate) -> BTreeMap<Module, BTreeSet<Module>> {
    let file_of = |path: &Module| {
        let prefixes = (0..=path.len()).rev().map(|length| path[..length].to_vec());
        prefixes.into_iter().find(|prefix| of.modules.contains_key(prefix))
    };
    let of_module = |(module, file): (&Module, &Source)| {
        let others = Paths::of(module, file).iter().filter_map(file_of).collect::<BTreeSet<_>>();
        (module.clone(), others.into_iter().filter(|other| other != module && !other.is_empty()).collect())
    };
    of.modules.iter().filter(|(_, file)| !file.is_test).map(of_module).collect()
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

/// Circles of imports are small.
pub fn circles(crates: &[Crate]) -> Vec<String> {
    let mut complaints = vec![];
    for own in crates {
        let imports = imports(own);
        let reached: BTreeMap<_, _> = imports.keys().map(|module| (module, reached(&imports, module))).collect();
        let circle = |module: &Module| -> BTreeSet<String> {
            let back =
                reached[module].iter().filter(|other| reached.get(other).is_some_and(|own| own.contains(module)));
            back.map(|other| other.join("::")).collect()
        };
        let circles: BTreeSet<_> = imports.keys().map(circle).filter(|circle| circle.len() > LARGEST_CIRCLE).collect();
        complaints.extend(circles.iter().map(|circle| {
            let files = circle.iter().cloned().collect::<Vec<_>>().join(", ");
            let (count, root) = (circle.len(), &own.root);
            format!("{root}: {count} files import each other, at most {LARGEST_CIRCLE} may: {files}")
        }));
    }
    complaints
}

/// The crate with a root.
fn named<'a>(crates: &'a [Crate], root: &str) -> &'a Crate {
    crates.iter().find(|own| own.root == root).unwrap_or_else(|| panic!("no crate {root}"))
}

/// The folders of `passes/` depend on each other in one direction.
pub fn directions(crates: &[Crate]) -> Vec<String> {
    let passes = named(crates, "passes/lib.rs");
    let first = |module: &Module| module.first().cloned().unwrap_or_default();
    let rank = |module: &Module| ORDER.iter().position(|name| *name == first(module));
    let mut complaints = vec![];
    for module in passes.modules.keys().filter(|module| !module.is_empty() && rank(module).is_none()) {
        complaints.push(format!("passes/: {} has no place in the order of modules", module.join("::")));
    }
    for (module, others) in imports(passes).into_iter().filter(|(module, _)| !module.is_empty()) {
        for other in others {
            let is_later = rank(&other) > rank(&module);
            let is_foreign = first(&module) == "emit" && !OF_EMISSION.contains(&first(&other).as_str());
            if is_later || is_foreign {
                complaints.push(format!("passes/: {} imports {}", module.join("::"), other.join("::")));
            }
        }
    }
    complaints
}

/// The reference evaluator imports nothing that it judges.
pub fn judges(crates: &[Crate]) -> Vec<String> {
    const CRATE: &str = "mdh_passes";
    let mut complaints = vec![];
    for (module, file) in &named(crates, "tools/lib.rs").modules {
        if module.first().is_none_or(|first| first != "reference") || file.is_test {
            continue;
        }
        for path in Paths::of(&vec![], file) {
            let path = path.join("::");
            let is_allowed = |module: &&str| {
                path.strip_prefix(CRATE).is_some_and(|rest| rest.trim_start_matches(':').starts_with(*module))
            };
            if path.starts_with(CRATE) && !OF_REFERENCE.iter().any(is_allowed) {
                complaints.push(format!("{}: imports {path}", file.path));
            }
        }
    }
    complaints
}
