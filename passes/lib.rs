//! The passes: checks, schedules, lowering.
pub mod analysis {
    //! Analyses: read-only queries on the IR.
    pub mod computation;
    pub mod constants;
    pub mod effects;
    pub mod extents;
    pub mod fingerprint;
    pub mod index;
    pub mod location;
    pub mod memory_order;
    pub mod operation_kind;
    pub mod origin;
    pub mod size;
}
pub mod call_nests;
pub mod capture_scalars;
pub mod check;
pub mod check_directives;
pub mod convert {
    //! Conversions of the IR after the loops have been generated, one pass per file.
    pub mod alias_scopes;
    pub mod bf16_memory;
    pub mod calls_to_launches;
    pub mod check_accesses;
    pub mod device_buffers;
    pub mod device_constants;
    pub mod device_memory;
    pub mod empty_constants;
    pub mod expand_copies;
    pub mod function_interfaces;
    pub mod guard_allocations;
    pub mod guard_divisions;
    pub mod kernel_arguments;
    pub mod kernel_attributes;
    pub mod launches_to_calls;
    pub mod legalize;
    pub mod loop_annotations;
    pub mod manual_deallocation;
    pub mod map_elementwise;
    pub mod math_calls;
    pub mod math_functions;
    pub mod opencl_memory;
    pub mod opencl_negations;
    pub mod preserve_outputs;
    pub mod reinterpret;
    pub mod reinterpret_expansions;
    pub mod return_in_place;
    pub mod sink_views;
    pub mod split_rank_reductions;
    pub mod stack_buffers;
    pub mod stream_fences;
    pub mod strict_rounding;
    pub mod unroll_reductions;
}
pub mod decompose {
    //! Lowering of a homomorphism to the steps of a low-level expression.
    pub mod partition;
    pub mod promote_memory;
    pub mod tag_operators;
    #[cfg(test)]
    pub(crate) mod tests;
}
pub mod define_arithmetic;
pub mod delinearize;
pub mod emit;
pub mod erase_symbols;
pub mod expand_compute;
pub mod expand_dim;
pub mod expand_index;
pub mod expand_softmax;
pub mod expand_unregistered;
pub mod failure;
pub mod files;
pub mod fuse;
pub mod generalize_complex;
pub mod keep_order;
pub mod lift_llvm;
pub mod lower;
pub mod machine;
pub mod nest;
pub mod notation {
    //! The notations of schedules: JSON, an attribute, and the steps of a low-level expression.
    pub mod attribute;
    pub mod chain;
    pub mod json;
    pub mod partial;
    pub mod reader;
    pub mod unique;
}
pub mod pipeline;
pub mod plan;
pub mod raise;
pub mod schedule;
pub mod split_complex;
pub mod target;
pub mod tune;

/// Registers all passes and pipelines in MLIR's global registry. `reader`: reads the files that their options name.
pub fn register(reader: files::FileReader) {
    files::set(reader);
    use mdh_dialects::pass::{register, register_pipeline};
    register::<lift_llvm::LiftLlvm>();
    register::<call_nests::CallNests>();
    register::<generalize_complex::GeneralizeComplex>();
    register::<split_complex::SplitComplex>();
    register::<delinearize::Delinearize>();
    register::<raise::Raise>();
    register::<fuse::Fuse>();
    register::<expand_dim::ExpandDim>();
    register::<expand_index::ExpandIndex>();
    register::<define_arithmetic::DefineArithmetic>();
    register::<expand_softmax::ExpandSoftmax>();
    register::<expand_unregistered::ExpandUnregistered>();
    register::<expand_compute::ExpandCompute>();
    register::<capture_scalars::CaptureScalars>();
    register::<keep_order::KeepOrder>();
    register::<check::Check>();
    register::<check_directives::CheckDirectives>();
    register::<schedule::ChooseSchedule>();
    register::<schedule::declare_systems::DeclareSystems>();
    register::<decompose::partition::PartitionPass>();
    register::<decompose::tag_operators::TagOperators>();
    register::<decompose::promote_memory::PromoteMemory>();
    register::<convert::alias_scopes::AliasScopes>();
    register::<convert::loop_annotations::LoopAnnotations>();
    register::<convert::bf16_memory::Bf16Memory>();
    register::<convert::device_buffers::DeviceBuffers>();
    register::<convert::device_constants::DeviceConstants>();
    register::<convert::device_memory::DeviceMemory>();
    register::<convert::reinterpret_expansions::ReinterpretExpansions>();
    register::<convert::return_in_place::ReturnInPlace>();
    register::<convert::function_interfaces::FunctionInterfaces>();
    register::<convert::kernel_arguments::KernelArguments>();
    register::<convert::kernel_attributes::KernelAttributes>();
    register::<convert::launches_to_calls::LaunchesToCalls>();
    register::<convert::check_accesses::CheckAccesses>();
    register::<convert::calls_to_launches::CallsToLaunches>();
    register::<convert::manual_deallocation::ManualDeallocation>();
    register::<convert::map_elementwise::MapElementwise>();
    register::<convert::math_calls::MathCalls>();
    register::<convert::math_functions::MathFunctions>();
    register::<convert::opencl_memory::OpenclMemory>();
    register::<convert::preserve_outputs::PreserveOutputs>();
    register::<convert::split_rank_reductions::SplitRankReductions>();
    register::<convert::opencl_negations::OpenclNegations>();
    register::<convert::strict_rounding::StrictRounding>();
    register::<convert::sink_views::SinkViews>();
    register::<convert::stack_buffers::StackBuffers>();
    register::<convert::stream_fences::StreamFences>();
    register::<convert::unroll_reductions::UnrollReductions>();
    register::<lower::Lower>();
    register::<erase_symbols::EraseSymbols>();
    register::<convert::guard_allocations::GuardAllocations>();
    register::<convert::guard_divisions::GuardDivisions>();
    register::<convert::empty_constants::EmptyConstants>();
    register::<convert::expand_copies::ExpandCopies>();
    register::<convert::legalize::Legalize>();
    register_pipeline::<pipeline::LowerMdh>();
}
