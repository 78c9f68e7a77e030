//! MLIR programs: reading and lowering them, with MLIR's diagnostics as errors.
use crate::{
    checks,
    signature::{self, Signature},
    source::{
        self, Language,
        directive::{self, Directive},
        import,
    },
};
use anyhow::{Context as _, Result, anyhow, ensure};
use mdh_dialects::{ir, tool};
use mdh_execution::failure::os_message;
use mdh_passes::{
    analysis::location::{place, place_of},
    expand_unregistered,
    pipeline::{self, Raising},
    raise, split_complex,
};
use melior::{
    Context,
    diagnostic::{Diagnostic, DiagnosticSeverity},
    dialect::DialectRegistry,
    ir::{Module, Operation, operation::OperationLike},
    pass::PassManager,
    utility,
};
use std::{
    cell::RefCell,
    convert::Infallible,
    fmt::{self, Write},
    io::Read,
    path::Path,
    rc::Rc,
    sync::OnceLock,
};

/// Errors that MLIR has reported: one per line, each with its location, followed by its notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosed(pub String);

impl fmt::Display for Diagnosed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Diagnosed {}

/// What is done with a remark, or with a warning if it is true.
pub type Reporter = fn(&str, bool);

static REPORT: OnceLock<Reporter> = OnceLock::new();

/// Reports warnings and remarks of MLIR with a function, instead of printing them to the standard error. Without effect
/// after the first one.
pub fn report_with(report: Reporter) {
    REPORT.get_or_init(|| report);
}

fn print(text: &str, _is_warning: bool) {
    eprint!("{text}");
}

/// A context with all dialects and passes.
pub fn context() -> Context {
    let registry = DialectRegistry::new();
    utility::register_all_dialects(&registry);
    tool::register_dialect(&registry);
    static PASSES: std::sync::Once = std::sync::Once::new();
    PASSES.call_once(|| {
        utility::register_all_passes();
        mdh_passes::register(|path| std::fs::read_to_string(path));
        mdh_database::passes::register();
    });
    let context = Context::new_with_registry(&registry, true);
    // Raising knows some operations of dialects that are not registered; others are errors (`check_operations`).
    context.set_allow_unregistered_dialects(true);
    context.load_all_available_dialects();
    context
}

/// A context that runs passes on the thread that calls it, so that what they distribute over threads runs on the thread's
/// own pool: other threads of a process do not exist in its children.
pub fn context_without_threads() -> Context {
    let context = context();
    context.enable_multi_threading(false);
    context
}

/// Reads and verifies a file; `-` is the standard input. Of a program in C or LLVM IR, it is the functions of the nests.
/// `flags`: options of clang.
pub fn read<'c>(context: &'c Context, path: &Path, flags: &[String]) -> Result<Module<'c>> {
    if path == Path::new("-") {
        let mut text = vec![];
        std::io::stdin().read_to_end(&mut text).context("cannot read the standard input")?;
        return parse(context, &text);
    }
    if Language::of(path) != Language::Mlir {
        let mut module = import::import(
            context,
            (&source::llvm_ir(path, flags)?, &directives(&source::preprocessed(path, flags)?)?),
            path,
            None,
            false,
        )?;
        import::keep_nests(&mut module);
        return Ok(module);
    }
    ensure!(flags.is_empty(), "options of clang require a C program, but '{}' is none", path.display());
    let name = path.to_str().ok_or_else(|| anyhow!("the path '{}' is not UTF-8", path.display()))?;
    // MLIR's own message does not give the reason.
    std::fs::File::open(path).and_then(|file| file.metadata()).with_context(|| format!("cannot read '{name}'"))?;
    ensure!(!path.is_dir(), "cannot read '{name}': it is a directory");
    // A pipe can be read only once.
    if !path.is_file() {
        let source = std::fs::read(path).with_context(|| format!("cannot read '{name}'"))?;
        check_nesting(context, name, &source)?;
        return parse(context, &source);
    }
    check_nesting(context, name, &std::fs::read(path).with_context(|| format!("cannot read '{name}'"))?)?;
    let module = diagnosed(context, || {
        let module = ir::read_module(context, name).ok_or_else(|| anyhow!("'{name}' is not a module of MLIR"))?;
        check_operations(context, &module)?;
        Ok(module)
    })?;
    split(context, module)
}

/// Parses and verifies a program, text or bytecode.
pub fn parse<'c>(context: &'c Context, source: &[u8]) -> Result<Module<'c>> {
    check_nesting(context, "-", source)?;
    let module = diagnosed(context, || {
        let module = ir::parse_module(context, source).ok_or_else(|| anyhow!("the program is not a module of MLIR"))?;
        check_operations(context, &module)?;
        Ok(module)
    })?;
    split(context, module)
}

/// The program with complex numbers as pairs: these are the arrays of its functions.
fn split<'c>(context: &'c Context, mut module: Module<'c>) -> Result<Module<'c>> {
    if split_complex::has_complex(ir::op(module.as_operation())) {
        run(context, &mut module, &format!("builtin.module({})", pipeline::SPLIT_COMPLEX))?;
    }
    Ok(module)
}

/// Checks that all operations are registered, or known to raising.
fn check_operations(context: &Context, module: &Module<'_>) -> Result<()> {
    let is_unknown = |operation: &ir::Op<'_>| {
        !context.is_registered_operation(ir::name(*operation)) && !expand_unregistered::is_known(*operation)
    };
    match ir::descendants(ir::op(module.as_operation())).into_iter().find(is_unknown) {
        Some(unknown) => Err(wrong_at(unknown, &format!("unknown operation '{}'", ir::name(unknown)))),
        None => Ok(()),
    }
}

/// Checks that the program does not nest too deeply for the stack.
fn check_nesting(context: &Context, name: &str, source: &[u8]) -> Result<()> {
    tool::check_nesting(context, source).map_err(|problem| Diagnosed(format!("{name}:{problem}")).into())
}

/// Runs a pass pipeline, given as text such as `builtin.module(canonicalize)`.
pub fn run(context: &Context, module: &mut Module<'_>, passes: &str) -> Result<()> {
    diagnosed(context, || {
        let manager = PassManager::new(context);
        utility::parse_pass_pipeline(manager.as_operation_pass_manager(), passes).context("unknown passes")?;
        manager.run(module).context("a pass has failed")
    })
}

/// Lowers the module according to the options: the one way of a program to its computations, and from there to code, of
/// all commands and of the Python package.
pub fn lower(context: &Context, module: &mut Module<'_>, options: &pipeline::Options) -> Result<()> {
    let (to_computations, rest) = pipeline::halves(options).map_err(anyhow::Error::msg)?;
    // Dead functions are removed, so that they are not lowered. The pass refuses operations that are not registered.
    let all = ir::descendants(ir::op(module.as_operation()));
    match all.into_iter().any(expand_unregistered::is_unregistered) {
        false => run(context, module, "builtin.module(symbol-dce)")?,
        true => ir::rewrite(module, erase_unused),
    }
    if options.has_runtime_checks {
        checks::add_to_source(context, module)?;
    }
    run(context, module, &to_computations)?;
    let Some(rest) = rest else { return Ok(()) };
    if options.has_runtime_checks {
        checks::add(context, module)?;
    }
    run(context, module, &rest)
}

/// A copy of a module. The error is that the operation is another one.
pub fn copy<'c>(module: &Operation<'c>) -> Result<Module<'c>> {
    Module::from_operation(module.clone()).ok_or_else(|| anyhow!("the program is not a module"))
}

/// A copy of a program whose computations are views and homomorphisms, in the functions that have them.
pub fn with_views<'c>(context: &'c Context, module: &Module<'c>, raising: Raising) -> Result<Module<'c>> {
    let mut copy = copy(&module.as_operation())?;
    ir::rewrite(&mut copy, checks::forget_parts);
    run(context, &mut copy, &format!("builtin.module({})", pipeline::before_raising()))?;
    if raising != Raising::Off {
        // The pass reports what stays.
        ir::rewrite(&mut copy, |root| {
            let Ok(()) = raise::raise_all(root, |_, _| Ok::<_, Infallible>(()));
        });
    }
    run(context, &mut copy, "builtin.module(mdh-expand-compute)")?;
    Ok(copy)
}

/// Erases private functions that nothing refers to.
pub(crate) fn erase_unused(module: ir::Op<'_>) {
    loop {
        let references: Vec<_> = ir::descendants(module).into_iter().filter_map(ir::function_reference).collect();
        let is_unused = |function: &ir::Op<'_>| {
            let text = |name: &str| ir::attribute(*function, name).and_then(ir::string_attribute);
            let (name, is_private) = (text("sym_name"), text("sym_visibility") == Some("private"));
            is_private && name.is_some_and(|name| !references.contains(&name))
        };
        let unused: Vec<_> = ir::find(module, "func.func").into_iter().filter(is_unused).collect();
        if unused.is_empty() {
            return;
        }
        unused.into_iter().for_each(ir::erase);
    }
}

/// A module in the LLVM dialect, with the signature that its function had before the lowering.
pub struct Lowered<'m, 'c> {
    module: &'m mut Module<'c>,
    signature: Signature,
}

impl<'m, 'c> Lowered<'m, 'c> {
    /// Lowers the public function with this name according to the options. All other functions of the module become
    /// private.
    pub fn new(context: &Context, module: &'m mut Module<'c>, name: &str, options: &pipeline::Options) -> Result<Self> {
        let function = signature::find(ir::op(module.as_operation()), Some(name))?;
        let signature = signature::of(function)?;
        signature::export(module, &[function]);
        ensure!(options.stop_after.is_none(), "code requires all stages of the pipeline");
        lower(context, module, options)?;
        Ok(Self { module, signature })
    }

    /// The module, to be modified.
    pub fn module(&mut self) -> &mut Module<'c> {
        self.module
    }

    /// The signature of the function.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }
}

/// An error of a whole module, formatted as MLIR reports it.
pub fn wrong(module: &Module<'_>, message: &str) -> anyhow::Error {
    wrong_at(ir::op(module.as_operation()), message)
}

/// An error at an operation, formatted as MLIR reports it.
pub fn wrong_at(operation: ir::Op<'_>, message: &str) -> anyhow::Error {
    Diagnosed(format!("{}error: {message}", place(&operation.location()))).into()
}

/// The directives of a program, in its preprocessed text.
pub fn directives(preprocessed: &str) -> Result<Vec<Directive>> {
    directive::directives(preprocessed).map_err(|wrong| wrong_where(&wrong.place, &wrong.message))
}

/// An error at a location, given as text, formatted as MLIR reports it.
pub fn wrong_where(location: &str, message: &str) -> anyhow::Error {
    Diagnosed(format!("{}error: {message}", place_of(location))).into()
}

/// The causes of an error, the outermost one first, without the error numbers of the operating system.
pub fn causes(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| cause.downcast_ref().map_or_else(|| cause.to_string(), os_message));
    causes.collect::<Vec<_>>().join(": ")
}

/// Runs an action. If it fails, errors that MLIR has reported meanwhile become the returned error. Warnings are
/// printed.
pub(crate) fn diagnosed<T>(context: &Context, action: impl FnOnce() -> Result<T>) -> Result<T> {
    diagnosed_by(context, *REPORT.get_or_init(|| print), action)
}

/// As [`diagnosed`], without warnings.
pub(crate) fn errors_only<T>(context: &Context, action: impl FnOnce() -> Result<T>) -> Result<T> {
    diagnosed_by(context, |_, _| {}, action)
}

fn diagnosed_by<T>(context: &Context, report: Reporter, action: impl FnOnce() -> Result<T>) -> Result<T> {
    let reported = Rc::new(RefCell::new(String::new()));
    let kept = Rc::clone(&reported);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        let text = text(&diagnostic, 0);
        match diagnostic.severity() {
            DiagnosticSeverity::Error => kept.borrow_mut().push_str(&text),
            severity => report(&text, matches!(severity, DiagnosticSeverity::Warning)),
        }
        true
    });
    let outcome = action();
    context.detach_diagnostic_handler(handler);
    let reported = reported.take();
    outcome.map_err(|error| if reported.is_empty() { error } else { Diagnosed(reported.trim_end().to_owned()).into() })
}

fn text(diagnostic: &Diagnostic<'_>, depth: usize) -> String {
    let kind = match diagnostic.severity() {
        _ if depth > 0 => "note",
        DiagnosticSeverity::Error => "error",
        DiagnosticSeverity::Warning => "warning",
        _ => "remark",
    };
    let (place, message) = (place(&diagnostic.location()), diagnostic.to_string());
    let mut text = format!("{place}{kind}: {}\n", own_message(&place, message.trim_end()));
    for i in 0..diagnostic.note_count() {
        // MLIR repeats the whole operation in a note; the location is enough for users.
        if let Ok(note) = diagnostic.note(i)
            && !note.to_string().starts_with("see current operation:")
        {
            let _ = write!(text, "{}", self::text(&note, depth + 1));
        }
    }
    text
}

/// A message without the operation that it begins with, if its place is in a language without operations.
fn own_message<'m>(place: &str, message: &'m str) -> &'m str {
    let file = place.trim_end_matches(": ").rsplitn(3, ':').nth(2).unwrap_or_default();
    let is_other = Language::of(Path::new(file)) == Language::C
        || [".h", ".hpp", ".hh", ".f90", ".F90", ".f", ".rs"].iter().any(|extension| file.ends_with(extension));
    let own = message.strip_prefix('\'').and_then(|rest| Some(rest.split_once("' op ")?.1));
    own.filter(|_| is_other).unwrap_or(message)
}

#[cfg(test)]
mod tests;
