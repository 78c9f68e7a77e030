//! Typed views of operations: for each operation name a `Copy` type with accessors and a constructor.
use super::handles::{Op, find, name};

/// A typed view of the operations with one name.
pub trait OpView<'c>: Copy {
    /// The operation name.
    const NAME: &'static str;

    /// The view of an operation; `None` if it has another name.
    fn cast(operation: Op<'c>) -> Option<Self>;

    /// The operation.
    fn op(self) -> Op<'c>;

    /// Returns true if an operation has this name.
    fn is(operation: Op<'c>) -> bool {
        name(operation) == Self::NAME
    }

    /// All such operations among `root` and its descendants, in pre-order.
    fn all(root: Op<'c>) -> Vec<Self> {
        find(root, Self::NAME).into_iter().filter_map(Self::cast).collect()
    }
}

/// Declares a typed view of the operations with a name.
macro_rules! op_view {
    ($(#[$attribute:meta])* $View:ident = $name:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $View<'c>($crate::ir::Op<'c>);

        impl<'c> $crate::ir::OpView<'c> for $View<'c> {
            const NAME: &'static str = $name;

            fn cast(operation: $crate::ir::Op<'c>) -> Option<Self> {
                Self::is(operation).then_some(Self(operation))
            }

            fn op(self) -> $crate::ir::Op<'c> {
                self.0
            }
        }
    };
}
pub(crate) use op_view;
