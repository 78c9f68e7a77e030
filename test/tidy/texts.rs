//! Types and attributes of MLIR are not asked, and not made, by their text.
use super::crates::{Crate, is_for_tests};
use std::collections::BTreeSet;
use syn::{
    BinOp, Block, Expr, ExprMethodCall, Item, ItemFn, Local, Pat, Stmt,
    spanned::Spanned,
    visit::{self, Visit},
};

/// Methods that ask a text for its parts.
const QUESTIONS: [&str; 7] =
    ["as_str", "contains", "ends_with", "starts_with", "strip_prefix", "strip_suffix", "trim_start_matches"];

/// Names of variables, fields and functions that are types of MLIR.
const TYPES: [&str; 6] = ["element", "element_type", "element_type_or_self", "t", "ty", "type"];

/// The name of what an expression has: its variable, field, or function.
fn name(expression: &Expr) -> Option<String> {
    let last = |path: &syn::Path| path.segments.last().map(|segment| segment.ident.to_string());
    let name = match expression {
        Expr::Path(path) => last(&path.path)?,
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(_) => return None,
        },
        Expr::MethodCall(call) => call.method.to_string(),
        Expr::Call(call) => return name(&call.func),
        Expr::Try(inner) => return name(&inner.expr),
        Expr::Paren(inner) => return name(&inner.expr),
        Expr::Reference(inner) => return name(&inner.expr),
        Expr::Unary(inner) => return name(&inner.expr),
        _ => return None,
    };
    Some(name.trim_start_matches("r#").to_owned())
}

/// Returns true for the text of a type of MLIR.
fn is_text_of_type(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) if call.method == "to_string" => {
            name(&call.receiver).is_some_and(|name| TYPES.contains(&name.as_str()))
        }
        Expr::Reference(inner) => is_text_of_type(&inner.expr),
        _ => false,
    }
}

/// The places of a file that ask the text of a type, or parse an attribute.
#[derive(Default)]
struct Texts {
    /// Variables that are texts of types.
    variables: BTreeSet<String>,
    asked: Vec<usize>,
    parsed: Vec<usize>,
}

impl Texts {
    fn is_text(&self, expression: &Expr) -> bool {
        let is_variable = || matches!(expression, Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.variables.contains(&name.to_string())));
        is_text_of_type(expression) || is_variable()
    }
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(inner) if is_for_tests(&inner.attrs) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let (Pat::Ident(variable), Some(value)) = (&local.pat, &local.init)
            && is_text_of_type(&value.expr)
        {
            self.variables.insert(variable.ident.to_string());
        }
        visit::visit_local(self, local);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let outer = self.variables.clone();
        visit::visit_block(self, block);
        self.variables = outer;
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        // A function that returns the text is asked instead of the type.
        if let [Stmt::Expr(only, None)] = function.block.stmts.as_slice()
            && is_text_of_type(only)
        {
            self.asked.push(only.span().start().line);
        }
        visit::visit_item_fn(self, function);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if QUESTIONS.contains(&call.method.to_string().as_str()) && self.is_text(&call.receiver) {
            self.asked.push(call.method.span().start().line);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let compares = matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_));
        if compares && (self.is_text(&binary.left) || self.is_text(&binary.right)) {
            self.asked.push(binary.span().start().line);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.ends_with(&["Attribute".to_owned(), "parse".to_owned()]) {
            self.parsed.push(path.span().start().line);
        }
        visit::visit_path(self, path);
    }
}

/// The module that makes attributes.
const OF_ATTRIBUTES: &str = "dialects/ir";

/// Types are asked by functions, and attributes made by constructors, outside of tests.
pub fn texts(crates: &[Crate]) -> Vec<String> {
    let mut complaints = BTreeSet::new();
    for file in crates.iter().flat_map(|own| own.modules.values()).filter(|file| !file.is_test) {
        let mut texts = Texts::default();
        texts.visit_file(&file.parsed);
        let mut complain = |line: usize, rule: &str| complaints.insert(format!("{}:{line}: {rule}", file.path));
        for line in texts.asked {
            complain(line, "asks the text of a type: mdh_dialects::ir has functions of types");
        }
        for line in texts.parsed.into_iter().filter(|_| !file.path.starts_with(OF_ATTRIBUTES)) {
            complain(line, "parses an attribute: mdh_dialects::ir makes it");
        }
    }
    complaints.into_iter().collect()
}
