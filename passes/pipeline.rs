//! START HERE: the way through, a stage a line.
//!
//! ```text
//! mdh.compute ──expand──▶ hom + view ──check──▶ ──schedule──▶ ──partition──▶ lowlevel ──tag-operators──▶ ──promote-memory──▶
//!     ──bufferize──▶ on memrefs ──loops──▶ scf · memref ──deallocate──▶ ──openmp──▶ omp ──llvm──▶ LLVM dialect
//! ```
//!
//! Each stage is one pass of ours or a list of upstream passes; `stop-after=STAGE` ends the pipeline behind any of them, and
//! every pass also runs alone under its own flag.
use crate::lower::upstream;
use mdh_dialects::pass::MdhPipeline;

/// A stage: its name, what it is for, and its passes.
pub struct Stage {
    /// What `stop-after` and `mdh compile --emit` call it.
    pub name: &'static str,
    /// One line for help texts.
    pub summary: &'static str,
    passes: fn(&Options) -> String,
}

/// The stages in order.
pub const STAGES: &[Stage] = &[
    Stage { name: "hom", summary: "mdh.compute expanded to views and md_hom", passes: |_| "mdh-expand-compute".into() },
    Stage { name: "check", summary: "what no single op's verifier can see", passes: |_| "mdh-check".into() },
    Stage { name: "schedule", summary: "tuning parameters chosen and attached", passes: schedule },
    Stage {
        name: "partition",
        summary: "a low-level step for each level and phase",
        passes: |_| "mdh-partition".into(),
    },
    Stage { name: "tag-operators", summary: "steps assigned to system levels", passes: |_| "mdh-tag-operators".into() },
    Stage { name: "promote-memory", summary: "memory regions and layouts", passes: |_| "mdh-promote-memory".into() },
    // Views on tensors become views on memrefs before there are loops: a loop nest writes its outputs in place.
    Stage { name: "bufferize", summary: "tensors become memrefs (upstream)", passes: |_| upstream::BUFFERIZE.into() },
    Stage { name: "loops", summary: "scf and memref", passes: |_| "mdh-lower,canonicalize,cse".into() },
    // Buffers between computations are freed here: the passes need all of their uses, and no cf yet.
    Stage {
        name: "deallocate",
        summary: "temporary buffers freed (upstream)",
        passes: |_| upstream::DEALLOCATE.into(),
    },
    Stage { name: "openmp", summary: "parallel loops on threads (upstream)", passes: |_| upstream::OPENMP.into() },
    Stage { name: "llvm", summary: "the LLVM dialect (upstream)", passes: |_| upstream::TO_LLVM.into() },
];

/// The choices that `--lower-mdh` offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The target; `cpu` (the host) is the only one, and the default.
    pub target: Option<String>,
    /// The symbol of the system that default schedules are made for; `cpu` if not given.
    pub system: Option<String>,
    /// A schedule file for the computations of the module.
    pub schedule: Option<String>,
    /// The name of the last stage to run; all if not given.
    pub stop_after: Option<String>,
}

impl Options {
    /// Sets an option by its name in `--lower-mdh="name=value"`. Errors name the options there are.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let field = match name {
            "target" => &mut self.target,
            "system" => &mut self.system,
            "schedule" => &mut self.schedule,
            "stop-after" => &mut self.stop_after,
            _ => return Err(format!("no option '{name}': expects target, system, schedule or stop-after")),
        };
        *field = Some(value.to_owned());
        Ok(())
    }
}

/// `--lower-mdh`: the stages under one flag.
pub struct LowerMdh;

impl MdhPipeline for LowerMdh {
    const ARGUMENT: &'static str = "lower-mdh";
    const DESCRIPTION: &'static str = "Lower mdh to the LLVM dialect for the host; options: target=cpu system=NAME \
        schedule=FILE stop-after=STAGE";

    fn expand(options: &str) -> Result<String, String> {
        let mut chosen = Options::default();
        for option in options.split_whitespace() {
            let (name, value) = option.split_once('=').ok_or_else(|| format!("expects name=value, got '{option}'"))?;
            chosen.set(name, value)?;
        }
        passes(&chosen)
    }
}

/// The pipeline from any stage of mdh to the LLVM dialect, as text for MLIR's pass pipeline parser. Errors name an unknown target or stage.
pub fn host(options: &Options) -> Result<String, String> {
    Ok(format!("builtin.module({})", passes(options)?))
}

fn passes(options: &Options) -> Result<String, String> {
    let target = options.target.as_deref().unwrap_or("cpu");
    if target != "cpu" {
        return Err(format!("unknown target '{target}': expects cpu"));
    }
    let count = match &options.stop_after {
        None => STAGES.len(),
        Some(name) => {
            let found = STAGES.iter().position(|stage| stage.name == name);
            let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
            found.ok_or_else(|| format!("unknown stage '{name}': expects one of {}", names.join(", ")))? + 1
        }
    };
    let passes: Vec<_> = STAGES[..count].iter().map(|stage| (stage.passes)(options)).collect();
    Ok(passes.join(","))
}

fn schedule(options: &Options) -> String {
    let system = options.system.as_deref().unwrap_or("cpu");
    match &options.schedule {
        // Braces around the value keep commas and spaces of a path together.
        Some(file) => format!("mdh-schedule{{system={system} file={{{file}}}}}"),
        None => format!("mdh-schedule{{system={system}}}"),
    }
}
