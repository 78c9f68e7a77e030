//! Options of passes, declared as a struct, from which the help texts and the options of MLIR's parser are derived.
use super::text;
use crate::ffi::*;
use std::marker::PhantomData;

/// The descriptor of an option in the registry.
pub struct OptionDesc {
    /// The type of its value.
    pub kind: MdhOptionKind,
    /// The name of the field; users write `-` for each `_`.
    pub field: &'static str,
    /// The one-line description in help texts.
    pub description: &'static str,
    /// The text of the default value.
    pub default: &'static str,
}

impl OptionDesc {
    /// The name that users write.
    pub fn name(&self) -> String {
        self.field.replace('_', "-")
    }
}

/// The options of a pass, declared by [`pass_options`](crate::pass_options); `()` for a pass without options.
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

/// Reads the option values of a running pass in order.
pub struct OptionValues<'r> {
    run: MdhPassRun,
    table: &'static [OptionDesc],
    next: usize,
    running: PhantomData<&'r ()>,
}

impl OptionValues<'_> {
    /// # Safety
    /// The pass must run as long as the values live, and have the options of the table.
    pub(super) unsafe fn new(run: MdhPassRun, table: &'static [OptionDesc]) -> Self {
        Self { run, table, next: 0, running: PhantomData }
    }

    /// The value of the next option.
    ///
    /// # Panics
    /// If the pass has no further option, or the next option has another type.
    pub fn take<V: OptionValue>(&mut self) -> V {
        let (position, known) = (self.next, self.table.get(self.next));
        assert!(known.is_some_and(|option| option.kind == V::KIND), "option {position} is no {:?}", V::KIND);
        self.next += 1;
        // SAFETY: the pass is running, and its option at this position has this kind.
        unsafe { V::read(self.run, position as isize) }
    }
}

/// The type of the value of an option.
pub trait OptionValue {
    /// The corresponding kind in MLIR.
    const KIND: MdhOptionKind;
    /// The value of the option at a position.
    ///
    /// # Safety
    /// The pass must be running and have an option of this kind at the position.
    unsafe fn read(run: MdhPassRun, position: isize) -> Self;
}

impl OptionValue for bool {
    const KIND: MdhOptionKind = MdhOptionKind::Bool;
    unsafe fn read(run: MdhPassRun, position: isize) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { mdhPassRunGetBool(run, position) }
    }
}

impl OptionValue for i64 {
    const KIND: MdhOptionKind = MdhOptionKind::Int;
    unsafe fn read(run: MdhPassRun, position: isize) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { mdhPassRunGetInt(run, position) }
    }
}

impl OptionValue for String {
    const KIND: MdhOptionKind = MdhOptionKind::String;
    unsafe fn read(run: MdhPassRun, position: isize) -> Self {
        // SAFETY: guaranteed by the caller; the pass owns the text while it runs.
        unsafe { crate::ir::text(mdhPassRunGetString(run, position)) }.unwrap_or_default().to_owned()
    }
}

/// The option descriptors for MLIR; they live as long as the process.
pub(super) fn describe(table: &'static [OptionDesc]) -> &'static [MdhOptionDesc] {
    let option = |option: &OptionDesc| MdhOptionDesc {
        kind: option.kind,
        name: text(option.name().leak()),
        description: text(option.description),
        default_value: text(option.default),
    };
    table.iter().map(option).collect::<Vec<_>>().leak()
}

/// Declares the options of a pass: one field per option, of type `bool`, `i64` or `String`, with its default. The doc
/// comment of the field is the `--help` text of the option.
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
