//! The pipeline, one stage per line. Start here.
//!
//! ```text
//! linalg ──raise──▶ ──fuse──▶ mdh.compute ──expand──▶ hom + view ──check──▶ ──schedule──▶ ──partition──▶ lowlevel ──tag-operators──▶ ──promote-memory──▶
//!     ──bufferize──▶ on memrefs ──loops──▶ scf · memref ──gpu──▶ ──deallocate──▶ ──openmp──▶ omp ──llvm──▶ LLVM dialect
//! ```
//!
//! Each stage is one of our passes or a list of upstream passes. `stop-after=STAGE` ends the pipeline after a stage,
//! and every pass can also be run alone with its own flag.
use crate::{
    schedule::tuning::MAX_THREADS,
    target::{TARGETS, Target, limits::Limits, upstream},
};
use mdh_dialects::pass::MdhPipeline;

/// A stage: its name, its purpose, and its passes.
pub struct Stage {
    /// The name in `stop-after` and `mdh compile --emit`.
    pub name: &'static str,
    /// The one-line description in help texts.
    pub summary: &'static str,
    passes: fn(&Options) -> String,
}

/// The passes that lower to the form that the reference evaluator reads.
pub const REFERENCE: &str = "any(mdh-expand-index,mdh-expand-unregistered{all=false},mdh-expand-softmax,lower-affine),mdh-expand-compute,any(mdh-capture-scalars)";

/// The passes that split complex numbers. Constants of upstream's arithmetic are those of real parts.
pub const SPLIT_COMPLEX: &str = "any(mdh-generalize-complex,convert-complex-to-standard),mdh-split-complex";

/// The passes that define the results of operations, before any folder of upstream. Constants of `index` are known before
/// they are dimensions.
const DEFINE: &str = "any(mdh-expand-index,mdh-expand-dim,mdh-define-arithmetic)";

/// The passes that give arrays of loops the shape of their indices.
const DELINEARIZE: &str = "mdh-delinearize";

/// The pass after raising, by which functions of the LLVM dialect call the nests that are raised.
const CALL_NESTS: &str = "mdh-call-nests";

/// The passes after raising.
const RAISED: &str = "mdh-check-directives,mdh-call-nests";

/// The passes that lower to views and homomorphisms, and loops. The arithmetic that `lower-affine` makes has promises
/// that sizes of a program may not keep.
const HOM: &str = "any(mdh-expand-unregistered,mdh-expand-softmax,lower-affine,mdh-define-arithmetic),\
    mdh-expand-compute,any(mdh-capture-scalars)";

/// The stages in order.
pub const STAGES: &[Stage] = &[
    Stage { name: "raise", summary: "linalg raised to views and md_hom", passes: raise },
    Stage { name: "fuse", summary: "raised computations inlined and joined", passes: fuse },
    Stage { name: "hom", summary: "mdh.compute expanded to views and md_hom", passes: hom },
    Stage { name: "check", summary: "whole-program rules checked", passes: |_| "mdh-check".into() },
    Stage { name: "schedule", summary: "tuning parameters chosen and attached", passes: schedule },
    Stage {
        name: "partition",
        summary: "a low-level step for each level and phase",
        passes: |_| "any(mdh-partition)".into(),
    },
    Stage {
        name: "tag-operators",
        summary: "steps assigned to system levels",
        passes: |_| "any(mdh-tag-operators)".into(),
    },
    Stage {
        name: "promote-memory",
        summary: "memory regions and layouts",
        passes: |_| "any(mdh-promote-memory)".into(),
    },
    // Views on tensors are bufferized before loops are generated: a loop nest writes its outputs in place.
    Stage { name: "bufferize", summary: "tensors become memrefs (upstream)", passes: |_| upstream::BUFFERIZE.into() },
    Stage { name: "loops", summary: "scf, memref and vector", passes: lower },
    // Kernels are outlined first, because their bodies would obstruct the passes that free buffers.
    Stage { name: "gpu", summary: "kernels outlined from host code (upstream)", passes: kernels },
    // Buffers between computations are freed here: the passes need all of their uses, and must run before the lowering
    // to cf.
    Stage {
        name: "deallocate",
        summary: "temporary buffers freed (upstream)",
        passes: |options| upstream::deallocate(options.target),
    },
    Stage { name: "openmp", summary: "parallel loops on threads (upstream)", passes: |_| upstream::OPENMP.into() },
    Stage {
        name: "llvm",
        summary: "the LLVM dialect (upstream)",
        passes: |options| upstream::to_llvm(options.target, options.strict, options.check_accesses),
    },
];

/// The first stages, before which and after which run-time checks are added.
const UNSCHEDULED: [&str; 3] = ["raise", "fuse", "hom"];

/// Raising of programs in other dialects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Raising {
    /// Nothing is raised.
    Off,
    /// What can be raised is, and the rest stays, with a remark for each operation.
    #[default]
    On,
    /// An operation that cannot be raised is an error.
    Required,
}

impl Raising {
    /// The name, as in `raise=required`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "false",
            Self::On => "true",
            Self::Required => "required",
        }
    }

    /// The value with a name, as in `raise=required`. The error lists the names.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "false" => Ok(Self::Off),
            "true" => Ok(Self::On),
            "required" => Ok(Self::Required),
            _ => Err(format!("the option raise expects true, false or required, got '{name}'")),
        }
    }
}

/// The options of `--lower-mdh`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The target that runs the loops; the first of all targets by default.
    pub target: &'static Target,
    /// Raising of programs in other dialects.
    pub raise: Raising,
    /// The file that `mdh-opt` writes a report of raising to.
    pub report: Option<String>,
    /// The symbol of the system that default schedules are generated for; that of the target if `None`.
    pub system: Option<String>,
    /// A schedule file for the computations of the module.
    pub schedule: Option<String>,
    /// Changes of single entries of schedules, such as `parts[5][1]=12`.
    pub set: Vec<String>,
    /// A file that describes the machine that default schedules are generated for.
    pub machine: Option<String>,
    /// A database of tuned schedules, which replace default ones.
    pub database: Option<String>,
    /// The number of threads that default schedules are generated for; the number of cores of the machine if `None`.
    pub threads: Option<usize>,
    /// The least number of points of a loop nest for which delinearization gives its arrays another shape, less than 2^31.
    pub least_points: u32,
    /// If true, floats are combined and rounded as defined; otherwise reductions may be reassociated and products fused
    /// with sums.
    pub strict: bool,
    /// Check each access to memory when it is executed.
    pub check_accesses: bool,
    /// The limits of a block on the device that kernels are generated for; the largest limits of any device if `None`.
    pub limits: Option<Limits>,
    /// Print the nest of each computation to the standard error.
    pub print_nest: bool,
    /// Check the nest of each computation; debug builds always do.
    pub check_nest: bool,
    /// Sizes and indices that are not known at compile time are checked at run time. The tool that runs the passes adds
    /// the checks: before the first stage, and between the passes of [`halves`].
    pub has_runtime_checks: bool,
    /// The name of the last stage to run; all stages if `None`.
    pub stop_after: Option<String>,
}

impl Options {
    /// Sets an option by its name in `--lower-mdh="name=value"`. The error for an unknown name lists the options.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let field = match name {
            "report" => &mut self.report,
            "system" => &mut self.system,
            "schedule" => &mut self.schedule,
            "machine" => &mut self.machine,
            "database" => &mut self.database,
            "stop-after" => &mut self.stop_after,
            "target" => {
                self.target = Target::named(value)?;
                return Ok(());
            }
            "raise" => {
                self.raise = Raising::named(value)?;
                return Ok(());
            }
            "set" => {
                self.set.extend(value.split(';').map(|change| change.trim().to_owned()));
                return Ok(());
            }
            "strict" | "print-nest" | "check-accesses" => {
                let is_on = match name {
                    "strict" => &mut self.strict,
                    "print-nest" => &mut self.print_nest,
                    _ => &mut self.check_accesses,
                };
                *is_on =
                    value.parse().map_err(|_| format!("the option {name} expects true or false, got '{value}'"))?;
                return Ok(());
            }
            "threads" => {
                let count = value.parse().ok().filter(|count| (1..=MAX_THREADS).contains(count));
                self.threads = Some(count.ok_or_else(|| {
                    format!("the option threads expects a number from 1 to {MAX_THREADS}, got '{value}'")
                })?);
                return Ok(());
            }
            _ => {
                let known = "target, raise, report, system, schedule, set, machine, database, threads, strict, print-nest, check-accesses or stop-after";
                return Err(format!("no option '{name}': expects {known}"));
            }
        };
        *field = Some(value.to_owned());
        Ok(())
    }
}

/// `--lower-mdh`: all stages under one flag.
pub struct LowerMdh;

impl MdhPipeline for LowerMdh {
    const ARGUMENT: &'static str = "lower-mdh";
    fn description() -> String {
        let targets = TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join("|");
        format!(
            "Lower mdh to the LLVM dialect; options: target={targets} raise=true|false|required report=FILE system=NAME schedule=FILE set=CHANGES machine=FILE \
             database=FILE threads=N strict=BOOL print-nest=BOOL check-accesses=BOOL stop-after=STAGE"
        )
    }

    fn expand(options: &str) -> Result<String, String> {
        let mut chosen = Options::default();
        for option in split(options) {
            let (name, value) = option.split_once('=').ok_or_else(|| {
                format!("expects name=value, got '{option}': a value with white space requires quotes or braces")
            })?;
            chosen.set(name.trim(), unquoted(value))?;
        }
        passes(&chosen)
    }
}

/// Splits a text of options at white space outside of quotes and braces, like MLIR.
fn split(mut text: &str) -> Vec<&str> {
    let mut options = vec![];
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return options;
        }
        let (mut depth, mut quote, mut end) = (0usize, None, text.len());
        for (i, c) in text.char_indices() {
            match c {
                _ if quote == Some(c) => quote = None,
                // An unterminated quote is an ordinary character.
                '\'' | '"' if quote.is_none() && text[i + 1..].contains(c) => quote = Some(c),
                '{' if quote.is_none() => depth += 1,
                '}' if quote.is_none() => depth = depth.saturating_sub(1),
                _ if c.is_ascii_whitespace() && quote.is_none() && depth == 0 => {
                    end = i;
                    break;
                }
                _ => {}
            }
        }
        options.push(&text[..end]);
        text = &text[end..];
    }
}

/// Removes the quotes or braces around a value.
fn unquoted(value: &str) -> &str {
    let pairs = [('\'', '\''), ('"', '"'), ('{', '}')];
    pairs.iter().find_map(|&(open, close)| value.strip_prefix(open)?.strip_suffix(close)).unwrap_or(value).trim()
}

/// Quotes a value as the text of an option: braces protect commas and spaces.
fn quoted(value: &str) -> String {
    format!("{{{value}}}")
}

/// True if MLIR reads a value between braces unchanged.
fn is_quotable(value: &str) -> bool {
    // The options of a pass end at the matching closing brace, regardless of quotes; inside, both braces and quotes
    // count.
    let mut depth = 0i64;
    let paired = value.chars().all(|c| {
        depth += i64::from(c == '{') - i64::from(c == '}');
        depth >= 0
    });
    let text = quoted(value);
    !value.is_empty() && paired && depth == 0 && split(&text) == [text.as_str()] && unquoted(&text) == value
}

/// The pipeline from any stage of mdh to the LLVM dialect, as text for MLIR's pass pipeline parser. The error is an
/// unknown stage, or a name or change that cannot be quoted.
pub fn host(options: &Options) -> Result<String, String> {
    Ok(format!("builtin.module({})", passes(options)?))
}

/// [`host`] in two parts: until the computations of the program are views and homomorphisms, among operations that can be
/// checked at run time, and the rest, if the last stage to run is one of these.
pub fn halves(options: &Options) -> Result<(String, Option<String>), String> {
    let (first, rest) = stages(options)?.into_iter().partition::<Vec<_>, _>(|stage| UNSCHEDULED.contains(&stage.name));
    let text = |stages: &[&Stage]| format!("builtin.module({})", texts(stages, options));
    Ok((text(&first), (!rest.is_empty()).then(|| text(&rest))))
}

fn passes(options: &Options) -> Result<String, String> {
    Ok(texts(&stages(options)?, options))
}

/// The passes of stages.
fn texts(stages: &[&Stage], options: &Options) -> String {
    let passes = stages.iter().map(|stage| (stage.passes)(options)).filter(|passes| !passes.is_empty());
    passes.collect::<Vec<_>>().join(",")
}

/// The stages to run. The error is an option that no pass can have.
fn stages(options: &Options) -> Result<Vec<&'static Stage>, String> {
    let texts = [
        ("report", &options.report),
        ("system", &options.system),
        ("schedule", &options.schedule),
        ("machine", &options.machine),
        ("database", &options.database),
    ];
    for (what, value) in texts {
        if let Some(value) = value.as_ref().filter(|value| !is_quotable(value)) {
            return Err(format!(
                "the {what} '{value}' is not a valid option value: it must not be empty, must have balanced braces, and no leading or trailing white space"
            ));
        }
    }
    // Semicolons separate changes, so a change must not contain one.
    if let Some(change) = options.set.iter().find(|change| !is_quotable(change) || change.contains(';')) {
        return Err(format!("the change '{change}' requires another form: a path and a value, such as parts[5][1]=12"));
    }
    if options.report.is_some() && options.raise == Raising::Off {
        return Err("the option report requires raise=true or raise=required, but got raise=false".to_owned());
    }
    let count = match &options.stop_after {
        None => STAGES.len(),
        Some(name) => {
            let found = STAGES.iter().position(|stage| stage.name == name);
            let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
            found.ok_or_else(|| format!("unknown stage '{name}': expects one of {}", names.join(", ")))? + 1
        }
    };
    Ok(STAGES[..count].iter().collect())
}

fn raise(options: &Options) -> String {
    let raise = match options.raise {
        Raising::Off => return format!("{},{CALL_NESTS}", defined()),
        Raising::On => "mdh-raise",
        Raising::Required => "mdh-raise{required=true}",
    };
    let report = options.report.as_ref().map(|file| format!("report={}", quoted(file)));
    let least = (options.least_points > 0).then(|| format!("least-points={}", options.least_points));
    let own: Vec<_> = report.into_iter().chain(least).collect();
    let delinearize = match own.is_empty() {
        true => DELINEARIZE.to_owned(),
        false => format!("{DELINEARIZE}{{{}}}", own.join(" ")),
    };
    // A report is one of a whole module, before it changes.
    let delinearize = if options.report.is_some() { delinearize } else { format!("any({delinearize})") };
    format!("{},{delinearize},{raise},{RAISED}", defined())
}

/// The passes that give loops of the LLVM dialect functions of their own, with structured loops. `function`: the one whose
/// loops are lifted; those of all functions if not given. `is_required`: a loop that stays is an error.
pub fn lift_llvm(function: Option<&str>, is_required: bool) -> String {
    let function = function.map_or_else(String::new, |name| format!("function={} ", quoted(name)));
    format!(
        "mdh-lift-llvm{{{function}required={is_required}}},func.func(lift-cf-to-scf,{},cse)",
        upstream::CANONICALIZE
    )
}

/// The passes before `mdh-raise`: everything that raises a program without the pipeline runs them first.
pub fn before_raising() -> String {
    format!("{},any({DELINEARIZE})", defined())
}

/// The passes after which upstream's operations have the results that a program has.
pub fn defined() -> String {
    format!("{SPLIT_COMPLEX},{},{DEFINE}", upstream::ELEMENTWISE)
}

fn fuse(options: &Options) -> String {
    match options.raise {
        Raising::Off => String::new(),
        Raising::On | Raising::Required => "any(mdh-fuse{all=false})".to_owned(),
    }
}

fn hom(options: &Options) -> String {
    match options.strict {
        true => format!("{HOM},any(mdh-keep-order)"),
        false => HOM.to_owned(),
    }
}

fn schedule(options: &Options) -> String {
    let system = quoted(options.system.as_deref().unwrap_or(options.target.default_system));
    let mut text = format!("system={system}");
    for (name, file) in [("file", &options.schedule), ("machine", &options.machine), ("database", &options.database)] {
        if let Some(file) = file {
            text += &format!(" {name}={}", quoted(file));
        }
    }
    if options.database.is_some() {
        text += &format!(" target={}", options.target.name);
    }
    if let Some(threads) = options.threads {
        text += &format!(" threads={threads}");
    }
    if !options.set.is_empty() {
        text += &format!(" set={}", quoted(&options.set.join(";")));
    }
    // The computations that a file or a change applies to are known only for the whole module.
    let files = [&options.schedule, &options.machine, &options.database];
    let is_given = files.iter().any(|file| file.is_some()) || !options.set.is_empty();
    match is_given {
        true => format!("mdh-schedule{{{text}}}"),
        false => format!("any(mdh-schedule{{{text}}}),mdh-declare-systems"),
    }
}

fn lower(options: &Options) -> String {
    let mut text = vec![];
    if options.target.kernels.is_some() {
        text.push(format!("target={}", options.target.name));
        if let Some(Limits { device, threads, shared_bytes }) = &options.limits {
            let device = if is_quotable(device) { device } else { "the device" };
            text.push(format!("device={} most-threads={threads} most-shared-bytes={shared_bytes}", quoted(device)));
        }
    }
    for (name, is_on) in [("print-nest", options.print_nest), ("check-nest", options.check_nest)] {
        text.extend(is_on.then(|| format!("{name}=true")));
    }
    let options = if text.is_empty() { String::new() } else { format!("{{{}}}", text.join(" ")) };
    format!("any(mdh-lower{options}),mdh-erase-symbols,any({},cse)", upstream::CANONICALIZE)
}

fn kernels(options: &Options) -> String {
    let Target { name, kernels, .. } = options.target;
    kernels.as_ref().map_or_else(String::new, |kernels| upstream::kernels(name, kernels))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(options: &str) -> Result<String, String> {
        LowerMdh::expand(&format!("{options} stop-after=schedule"))
    }

    #[test]
    fn options_are_split_as_mlir_splits_them() {
        let passes = "any(mdh-generalize-complex,convert-complex-to-standard),mdh-split-complex,any(mdh-map-elementwise,convert-elementwise-to-linalg),any(mdh-expand-index,mdh-expand-dim,mdh-define-arithmetic),any(mdh-delinearize),mdh-raise,mdh-check-directives,mdh-call-nests,any(mdh-fuse{all=false}),any(mdh-expand-unregistered,mdh-expand-softmax,lower-affine,mdh-define-arithmetic),mdh-expand-compute,any(mdh-capture-scalars),mdh-check,mdh-schedule{system={cpu} file={my file, 1.json}}";
        for options in ["schedule={my file, 1.json}", "schedule='my file, 1.json'", "schedule=\"my file, 1.json\""] {
            assert_eq!(expand(options).as_deref(), Ok(passes), "{options}");
        }
        for path in ["it's.json", "a{b}c.json", "a=b.json", "'a' b.json"] {
            let passes = format!(
                "any(mdh-generalize-complex,convert-complex-to-standard),mdh-split-complex,any(mdh-map-elementwise,convert-elementwise-to-linalg),any(mdh-expand-index,mdh-expand-dim,mdh-define-arithmetic),any(mdh-delinearize),mdh-raise,mdh-check-directives,mdh-call-nests,any(mdh-fuse{{all=false}}),any(mdh-expand-unregistered,mdh-expand-softmax,lower-affine,mdh-define-arithmetic),mdh-expand-compute,any(mdh-capture-scalars),mdh-check,mdh-schedule{{system={{cpu}} file={{{path}}}}}"
            );
            assert_eq!(expand(&format!("schedule={{{path}}}")), Ok(passes));
        }
        let passes = "any(mdh-generalize-complex,convert-complex-to-standard),mdh-split-complex,any(mdh-map-elementwise,convert-elementwise-to-linalg),any(mdh-expand-index,mdh-expand-dim,mdh-define-arithmetic),any(mdh-delinearize),mdh-raise,mdh-check-directives,mdh-call-nests,any(mdh-fuse{all=false}),any(mdh-expand-unregistered,mdh-expand-softmax,lower-affine,mdh-define-arithmetic),mdh-expand-compute,any(mdh-capture-scalars),mdh-check,mdh-schedule{system={a} machine={b.json}}";
        assert_eq!(expand("machine=b.json system=a").as_deref(), Ok(passes));
        let error = "expects name=value, got 'file.json': a value with white space requires quotes or braces";
        assert_eq!(expand("schedule=my file.json"), Err(error.to_owned()));
    }

    #[test]
    fn a_report_requires_raising() {
        let first = |options: &str| {
            let passes = expand(options)?;
            let raised = passes.strip_prefix(&format!("{},", defined())).unwrap_or(&passes);
            Ok::<_, String>(raised.split(",any").next().map(str::to_owned))
        };
        assert_eq!(
            first("report={a b.json}"),
            Ok(Some("mdh-delinearize{report={a b.json}},mdh-raise,mdh-check-directives,mdh-call-nests".to_owned()))
        );
        let both =
            "mdh-delinearize{report={a.json}},mdh-raise{required=true},mdh-check-directives,mdh-call-nests".to_owned();
        assert_eq!(first("report=a.json raise=required"), Ok(Some(both)));
        let error = "the option report requires raise=true or raise=required, but got raise=false";
        assert_eq!(expand("report=a.json raise=false"), Err(error.to_owned()));
        assert!(expand("report={}").is_err_and(|error| error.contains("is not a valid option value")));
    }

    #[test]
    fn checks_are_added_between_computations_and_schedules() {
        let stops = |stage: &str| halves(&Options { stop_after: Some(stage.to_owned()), ..Options::default() });
        let raise = format!("{},mdh-raise,{RAISED}", before_raising());
        let first = format!("builtin.module({raise},any(mdh-fuse{{all=false}}),{HOM})");
        assert_eq!(stops("raise"), Ok((format!("builtin.module({raise})"), None)));
        assert_eq!(stops("hom"), Ok((first.clone(), None)));
        assert_eq!(stops("check"), Ok((first, Some("builtin.module(mdh-check)".to_owned()))));
    }

    #[test]
    fn threads_are_a_number() {
        let passes = "any(mdh-generalize-complex,convert-complex-to-standard),mdh-split-complex,any(mdh-map-elementwise,convert-elementwise-to-linalg),any(mdh-expand-index,mdh-expand-dim,mdh-define-arithmetic),any(mdh-delinearize),mdh-raise,mdh-check-directives,mdh-call-nests,any(mdh-fuse{all=false}),any(mdh-expand-unregistered,mdh-expand-softmax,lower-affine,mdh-define-arithmetic),mdh-expand-compute,any(mdh-capture-scalars),any(mdh-keep-order),mdh-check,any(mdh-schedule{system={cpu} threads=3}),mdh-declare-systems";
        assert_eq!(expand("strict=true threads=3").as_deref(), Ok(passes));
        let error = "the option print-nest expects true or false, got 'yes'";
        assert_eq!(expand("print-nest=yes"), Err(error.to_owned()));
        for value in ["0", "-1", "many", "", "65537", "99999999999999999999"] {
            let error = format!("the option threads expects a number from 1 to 65536, got '{value}'");
            assert_eq!(expand(&format!("threads={value}")), Err(error));
        }
    }

    #[test]
    fn what_no_option_can_hold_is_refused() {
        for path in ["a}b.json", "a{b.json", "}{", " a.json", "a.json ", "", "'{'a} b.json"] {
            let error = host(&Options { schedule: Some(path.to_owned()), ..Options::default() });
            assert!(error.is_err_and(|error| error.contains("is not a valid option value")), "{path}");
        }
        assert!(host(&Options { system: Some("cpu} a".to_owned()), ..Options::default() }).is_err());
    }
}
