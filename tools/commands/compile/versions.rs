//! `mdh compile --cpu A,B`: a version of each function for each level of the x86-64 architecture.
use super::Compile;
use crate::{
    interface::{Exported, levels},
    program,
};
use anyhow::{Result, bail};
use inkwell::{context::Context, module::Module};
use mdh_passes::{pipeline::Options, target::Target};

impl Compile {
    /// The levels that `--cpu` lists, the least first; `None` for one processor. An error names an option that requires
    /// one processor.
    pub(super) fn levels(&self, target: &Target) -> Result<Option<Vec<&'static str>>> {
        let Some(processors) = self.processor.cpu.as_deref() else { return Ok(None) };
        let Some(levels) = levels::listed(processors)? else { return Ok(None) };
        let conflicts = [
            (self.stage().is_some(), format!("--emit {}", self.emit)),
            (target.kernels.is_some(), format!("--target {}", target.name)),
            (self.processor.features.is_some(), "--features".to_owned()),
            (self.sanitize.is_some(), "--sanitize".to_owned()),
        ];
        match conflicts.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, option)) => bail!("{option} requires one processor, but got --cpu {processors}"),
            None => Ok(Some(levels)),
        }
    }

    /// The optimized code of a program with a version for each level.
    pub(super) fn versions<'l>(
        &self,
        levels: &[&'static str],
        (context, program, options): (&melior::Context, &melior::ir::Module<'_>, &Options),
        exported: &[Exported],
        llvm: &'l Context,
    ) -> Result<Module<'l>> {
        let version = |level: &&'static str| {
            let processor = self.processor(Some(level))?;
            let mut module = program::copy(&program.as_operation())?;
            self.machine(&processor).attach(&module)?;
            program::lower(context, &mut module, options)?;
            let translated = self.translated(context, &mut module, &processor, exported, llvm)?;
            processor.optimize(&translated)?;
            Ok((*level, translated))
        };
        let least = self.processor(levels.first().copied())?;
        levels::join(levels.iter().map(version).collect::<Result<_>>()?, &least)
    }
}
