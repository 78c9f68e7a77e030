//! Options of passes: a struct, from which help texts and MLIR's parser follow.
use super::text;
use crate::ffi::*;
use std::marker::PhantomData;

/// What the registry holds of an option.
pub struct OptionDesc {
    /// The type of its value.
    pub kind: MdhOptionKind,
    /// The field; users write `-` for each `_`.
    pub field: &'static str,
    /// One line for help texts.
    pub description: &'static str,
    /// The text of the value that it has where it is not given.
    pub default: &'static str,
}

impl OptionDesc {
    /// The name that users write.
    pub fn name(&self) -> String {
        self.field.replace('_', "-")
    }
}

/// The options of a pass, made by [`pass_options`](crate::pass_options); `()` where it has none.
pub trait PassOptions: Sized {
    /// The options in the order of the fields.
    const TABLE: &'static [OptionDesc];
    /// The values that MLIR parsed, or the defaults.
    fn read(values: OptionValues<'_>) -> Self;
}

impl PassOptions for () {
    const TABLE: &'static [OptionDesc] = &[];
    fn read(_: OptionValues<'_>) -> Self {}
}

/// The values of the options of a pass that runs, one after the other.
pub struct OptionValues<'r> {
    run: MdhPassRun,
    table: &'static [OptionDesc],
    next: usize,
    running: PhantomData<&'r ()>,
}

impl OptionValues<'_> {
    /// # Safety
    /// The pass must run as long as the values are there, and have the options of the table.
    pub(super) unsafe fn new(run: MdhPassRun, table: &'static [OptionDesc]) -> Self {
        Self { run, table, next: 0, running: PhantomData }
    }

    /// The value of the next option.
    ///
    /// # Panics
    /// Where the pass has no further option, or one of another type.
    pub fn take<V: OptionValue>(&mut self) -> V {
        let (position, known) = (self.next, self.table.get(self.next));
        assert!(known.is_some_and(|option| option.kind == V::KIND), "option {position} is no {:?}", V::KIND);
        self.next += 1;
        // SAFETY: the pass runs and has the option, which is of this kind.
        unsafe { V::read(self.run, position as isize) }
    }
}

/// The type of the value of an option.
pub trait OptionValue {
    /// The same for MLIR.
    const KIND: MdhOptionKind;
    /// The value of the option at a position.
    ///
    /// # Safety
    /// The pass must run and have an option of this kind there.
    unsafe fn read(run: MdhPassRun, position: isize) -> Self;
}

impl OptionValue for bool {
    const KIND: MdhOptionKind = MdhOptionKind::Bool;
    unsafe fn read(run: MdhPassRun, position: isize) -> Self {
        // SAFETY: the caller's promise.
        unsafe { mdhPassRunGetBool(run, position) }
    }
}

impl OptionValue for i64 {
    const KIND: MdhOptionKind = MdhOptionKind::Int;
    unsafe fn read(run: MdhPassRun, position: isize) -> Self {
        // SAFETY: the caller's promise.
        unsafe { mdhPassRunGetInt(run, position) }
    }
}

impl OptionValue for String {
    const KIND: MdhOptionKind = MdhOptionKind::String;
    unsafe fn read(run: MdhPassRun, position: isize) -> Self {
        // SAFETY: the caller's promise; the pass keeps the text while it runs.
        unsafe { crate::ir::text(mdhPassRunGetString(run, position)) }.unwrap_or_default().to_owned()
    }
}

/// The options as MLIR takes them; there as long as the process.
pub(super) fn describe(table: &'static [OptionDesc]) -> &'static [MdhOptionDesc] {
    let option = |option: &OptionDesc| MdhOptionDesc {
        kind: option.kind,
        name: text(option.name().leak()),
        description: text(option.description),
        default_value: text(option.default),
    };
    table.iter().map(option).collect::<Vec<_>>().leak()
}

/// Declares the options of a pass: a field an option, of type `bool`, `i64` or `String`, with its default. The documentation of the
/// field is what `--help` says of the option.
///
/// ```
/// mdh_dialects::pass_options! {
///     /// How loops are generated.
///     pub struct Options {
///         /// Let a product and a sum be rounded once
///         contract: bool = true,
///         /// How many threads a block may have
///         most_threads: i64 = 1024,
///     }
/// }
/// # use mdh_dialects::pass::PassOptions;
/// let [contract, threads] = Options::TABLE else { unreachable!() };
/// assert_eq!((contract.description, contract.default), ("Let a product and a sum be rounded once", "true"));
/// assert_eq!((threads.name().as_str(), threads.default), ("most-threads", "1024"));
/// ```
#[macro_export]
macro_rules! pass_options {
    ($(#[$attribute:meta])* $vis:vis struct $Options:ident {
        $(#[doc = $description:literal] $field:ident: $Value:ty = $default:literal,)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        $vis struct $Options {
            $(#[doc = $description] pub $field: $Value,)*
        }

        impl $crate::pass::PassOptions for $Options {
            const TABLE: &'static [$crate::pass::OptionDesc] = &[$($crate::pass::OptionDesc {
                kind: <$Value as $crate::pass::OptionValue>::KIND,
                field: stringify!($field),
                description: $description.trim_ascii_start(),
                default: concat!($default),
            }),*];

            fn read(mut values: $crate::pass::OptionValues<'_>) -> Self {
                Self { $($field: values.take()),* }
            }
        }
    };
}
