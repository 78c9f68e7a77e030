//! The engines of `mdh run --engine`: the targets, and the reference evaluator.
use anyhow::{Result, ensure};
use clap::{ValueEnum, builder::PossibleValue};
use mdh_passes::target::{TARGETS, Target, listed};
use mdh_runtime::Api;
use std::{fmt, sync::LazyLock};

/// An engine that runs a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Code for a target
    Target(&'static Target),
    /// The reference evaluator
    Reference,
}

impl Engine {
    /// The target that runs its loops; the default target for the reference evaluator, which has none.
    pub fn target(self) -> &'static Target {
        match self {
            Self::Target(target) => target,
            Self::Reference => <&Target>::default(),
        }
    }

    /// The API that its kernels run on; `None` without kernels.
    pub fn api(self) -> Option<Api> {
        match self {
            Self::Target(target) => target.kernels.as_ref().and_then(|_| Api::named(target.name)),
            Self::Reference => None,
        }
    }

    /// Checks that the engine has devices if the option of a command names one.
    pub fn check_device(self, device: Option<&str>) -> Result<()> {
        ensure!(
            device.is_none() || self.api().is_some(),
            "--device requires the engine {}, but got {}",
            listed(Target::with_kernels().map(|target| target.name)),
            self.name()
        );
        Ok(())
    }

    /// Selects the device of its kernels, if it has any. The error is a missing device.
    pub fn select(self, device: Option<&str>) -> Result<()> {
        match (self.api(), device) {
            (Some(api), Some(device)) => drop(mdh_runtime::select(api, device)?),
            (Some(api), None) => drop(mdh_runtime::selected(api)?),
            (None, _) => {}
        }
        Ok(())
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Target(target) => target.name,
            Self::Reference => "reference",
        }
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::Target(<&Target>::default())
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl ValueEnum for Engine {
    fn value_variants<'a>() -> &'a [Self] {
        static ENGINES: LazyLock<Vec<Engine>> =
            LazyLock::new(|| TARGETS.iter().map(Engine::Target).chain([Engine::Reference]).collect());
        &ENGINES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Target(target) => target.summary,
            Self::Reference => "The reference evaluator: interprets the definitions (slow)",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}
