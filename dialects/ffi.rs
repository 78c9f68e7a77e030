//! The C API of the dialect (`capi/Mdh.h`).
use melior::ir::Type;

/// See [`crate::view::mda_type`].
pub fn mda_type<'c>(_: Type<'c>) -> Option<(Vec<Option<u64>>, Vec<Type<'c>>)> {
    None
}
