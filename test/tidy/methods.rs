//! Circles of method calls: files with methods of one type, each of which calls methods of the next. Methods need no
//! import, so the rule of imports does not see them.
use super::crates::{Crate, is_for_tests};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Expr, ExprMethodCall, ImplItem, Item, ItemImpl, Type,
    visit::{self, Visit},
};

/// The number of files with methods of one type that may call each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// The entries of walks over trees, by type: calls of their methods are the recursion of the walk.
const ENTRIES: [(&str, &str); 3] = [
    ("Construction", "passes/nest/record.rs"),
    ("PlanResolver", "passes/plan/resolve.rs"),
    ("Evaluator", "tools/reference.rs"),
];

/// The inherent methods of the types of a crate.
#[derive(Default)]
struct Methods {
    /// By type and name of a method: its file.
    files: BTreeMap<(String, String), String>,
    /// By type and file: the names of the methods that methods of the type call there on `self`.
    calls: BTreeMap<(String, String), BTreeSet<String>>,
}

/// The method calls on `self` of a function.
#[derive(Default)]
struct Calls {
    found: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self")) {
            self.found.insert(call.method.to_string());
        }
        visit::visit_expr_method_call(self, call);
    }
}

impl Methods {
    fn of(own: &Crate) -> Self {
        let mut methods = Self::default();
        for file in own.modules.values().filter(|file| !file.is_test) {
            file.parsed.items.iter().for_each(|item| methods.item(item, &file.path));
        }
        methods
    }

    fn item(&mut self, item: &Item, file: &str) {
        match item {
            Item::Mod(inner) if !is_for_tests(&inner.attrs) => {
                inner.content.iter().flat_map(|(_, items)| items).for_each(|item| self.item(item, file));
            }
            Item::Impl(block) if block.trait_.is_none() => self.block(block, file),
            _ => {}
        }
    }

    fn block(&mut self, block: &ItemImpl, file: &str) {
        let Type::Path(of) = &*block.self_ty else { return };
        let Some(of) = of.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        for item in &block.items {
            let ImplItem::Fn(function) = item else { continue };
            self.files.insert((of.clone(), function.sig.ident.to_string()), file.to_owned());
            let mut calls = Calls::default();
            calls.visit_block(&function.block);
            self.calls.entry((of.clone(), file.to_owned())).or_default().extend(calls.found);
        }
    }

    /// By type, then file: the files whose methods are called.
    fn graphs(&self) -> BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> {
        let mut graphs: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
        for ((of, file), calls) in &self.calls {
            let others = calls.iter().filter_map(|name| self.files.get(&(of.clone(), name.clone())));
            let others = others.map(String::as_str).filter(|other| other != file && !ENTRIES.contains(&(of, other)));
            graphs.entry(of).or_default().entry(file).or_default().extend(others);
        }
        graphs
    }
}

/// The files that a file calls, directly or through others.
fn reached<'a>(graph: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(graph.get(file).into_iter().flatten().copied().filter(|next| found.insert(*next)));
    }
    found
}

/// Circles of method calls are small.
pub fn circles(crates: &[Crate]) -> Vec<String> {
    let mut complaints = vec![];
    for own in crates {
        let methods = Methods::of(own);
        for (of, graph) in methods.graphs() {
            let others: BTreeMap<&str, _> = graph.keys().map(|file| (*file, reached(&graph, file))).collect();
            let is_mutual = |file: &str, other: &str| others.get(other).is_some_and(|reached| reached.contains(file));
            let circle = |(file, reached): (&&str, &BTreeSet<&str>)| -> BTreeSet<String> {
                reached.iter().filter(|other| is_mutual(file, other)).map(|other| (*other).to_owned()).collect()
            };
            let circles: BTreeSet<_> =
                others.iter().map(circle).filter(|circle| circle.len() > LARGEST_CIRCLE).collect();
            complaints.extend(circles.iter().map(|circle| {
                let files = circle.iter().cloned().collect::<Vec<_>>().join(", ");
                let (count, root) = (circle.len(), &own.root);
                format!(
                    "{root}: the methods of {of} in {count} files call each other, in at most {LARGEST_CIRCLE} they may: {files}"
                )
            }));
        }
    }
    complaints
}
