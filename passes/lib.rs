//! How the IR is rewritten: checks, schedules, lowering.
pub mod analysis {
    //! Facts about the IR that passes ask for; nothing here changes it.
    pub mod computation;
    pub mod effects;
    pub mod origin;
}
pub mod capture_scalars;
pub mod check {
    //! Checks that need the whole program.
    pub mod names;
    pub mod program;
}
pub mod decompose {
    //! From a homomorphism to the steps of the low level.
    pub mod chain;
    pub mod partition;
    pub mod promote_memory;
    pub mod tag_operators;
    #[cfg(test)]
    pub(crate) mod tests;
}
pub mod expand_compute;
pub mod failure;
pub mod schedule {
    //! Schedules: the tuning parameters as data.
    pub mod absurd;
    pub mod attribute;
    pub mod choose;
    pub mod cost;
    pub mod default;
    pub mod device;
    pub mod dlti;
    pub mod explain;
    pub mod gpu;
    pub mod host;
    pub mod json;
    pub mod machine;
    pub mod memory;
    pub mod model;
    pub mod partial;
    pub mod plan;
    pub mod problem;
    pub mod random;
    pub mod reader;
    pub mod rules;
    pub mod search;
    pub mod systems;
    #[cfg(test)]
    mod tests;
    pub mod unique;
}

pub mod lower;
pub mod pipeline;

/// Registers all passes and pipelines in MLIR's global registry.
pub fn register() {
    use mdh_dialects::pass::{register, register_pipeline};
    register::<expand_compute::ExpandCompute>();
    register::<capture_scalars::CaptureScalars>();
    register::<check::program::Check>();
    register::<schedule::choose::ChooseSchedule>();
    register::<decompose::partition::Partition>();
    register::<decompose::tag_operators::TagOperators>();
    register::<decompose::promote_memory::PromoteMemory>();
    register::<lower::alias::AliasScopes>();
    register::<lower::annotations::LoopAnnotations>();
    register::<lower::bf16_memory::Bf16Memory>();
    register::<lower::device_buffers::DeviceBuffers>();
    register::<lower::in_place::ReturnInPlace>();
    register::<lower::interface::FunctionInterfaces>();
    register::<lower::kernel_arguments::KernelArguments>();
    register::<lower::kernel_attributes::KernelAttributes>();
    register::<lower::launches::LaunchesToCalls>();
    register::<lower::launches::CallsToLaunches>();
    register::<lower::math_calls::MathCalls>();
    register::<lower::math_functions::MathFunctions>();
    register::<lower::opencl_memory::OpenclMemory>();
    register::<lower::roundings::KeepRoundings>();
    register::<lower::sink_views::SinkViews>();
    register::<lower::fences::StreamFences>();
    register::<lower::unroll_reductions::UnrollReductions>();
    register::<lower::Lower>();
    register::<lower::legalize::Legalize>();
    register_pipeline::<pipeline::LowerMdh>();
}
