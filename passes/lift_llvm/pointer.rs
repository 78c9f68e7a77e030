//! Pointers: the object that one points into, and the distance from its start.
//!
//! ```text
//! %1 = llvm.getelementptr %A[%r] : f64
//! %2 = llvm.getelementptr %1[%j] : f64       ──▶   %A + 8 * %r + 8 * %j
//! ```
use mdh_dialects::{
    ffi::properties,
    ir::{self, Aggregate, Op, Val},
};
use melior::ir::{Attribute, Type, TypeLike};

/// The index of a `getelementptr` that is an operand.
const DYNAMIC_INDEX: i64 = i32::MIN as i64;

/// The bit of the flags of a `getelementptr` whose sums do not wrap around as numbers with a sign.
const NO_SIGNED_WRAP: i64 = 2;

/// A pointer as a base and a number of bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer<'c> {
    /// What no `getelementptr` computes.
    pub base: Val<'c>,
    /// The constant part.
    pub bytes: i64,
    /// Integers, which have a sign, and what they are multiplied by.
    pub terms: Vec<(Val<'c>, i64)>,
    /// True if the sum does not wrap around.
    pub is_exact: bool,
    /// The sizes of the inner dimensions of the array types by which elements are addressed; the longest list.
    pub inner_sizes: Vec<i64>,
}

impl<'c> Pointer<'c> {
    /// Follows the computation of a pointer to its base. The error is the requirement that it does not meet.
    pub fn of(pointer: Val<'c>) -> Result<Self, String> {
        let is_address = |operation: &Op<'c>| ir::name(*operation) == "llvm.getelementptr";
        let Some(address) = ir::defining(pointer).filter(is_address) else {
            return Ok(Self { base: pointer, bytes: 0, terms: vec![], is_exact: true, inner_sizes: vec![] });
        };
        let operands = ir::operands(address);
        let mut found = Self::of(operands[0])?;
        let constants = ir::attribute(address, "rawConstantIndices").and_then(ir::dense_array_attribute);
        let element = ir::attribute(address, "elem_type").and_then(ir::type_attribute);
        let (Some(constants), Some(element)) = (constants, element) else {
            return Err("requires an element type".into());
        };
        let flags = properties(address)
            .and_then(|own| ir::dictionary_entry(own, "noWrapFlags"))
            .and_then(ir::integer_attribute);
        found.is_exact &= flags.is_some_and(|flags| flags & NO_SIGNED_WRAP != 0);
        let mut dynamic = operands[1..].iter();
        let constants: Vec<_> = constants
            .into_iter()
            .map(|constant| match dynamic.as_slice().first().filter(|_| constant == DYNAMIC_INDEX) {
                Some(index) => {
                    dynamic.next();
                    constant_of(*index).ok_or(*index)
                }
                None => Ok(constant),
            })
            .collect();
        let is_first_zero = constants.first() == Some(&Ok(0));
        let mut ty = element;
        let mut sizes = vec![];
        for (position, index) in constants.into_iter().enumerate() {
            let factor = if position == 0 {
                size(ty)
            } else {
                match ir::aggregate(ty) {
                    Some(Aggregate::Array(_, inner)) => {
                        ty = inner;
                        size(ty)
                    }
                    Some(Aggregate::Struct(fields, is_packed)) => {
                        let field = index.ok().and_then(|field| usize::try_from(field).ok());
                        let field = field.filter(|field| *field < fields.len()).ok_or_else(|| unknown(ty))?;
                        let offset = offset(&fields, is_packed, field).ok_or_else(|| unknown(ty))?;
                        found.bytes = found.bytes.checked_add(offset).ok_or(LARGE)?;
                        ty = fields[field];
                        continue;
                    }
                    None => None,
                }
            };
            let factor = factor.ok_or_else(|| unknown(ty))?;
            match index {
                Ok(constant) => {
                    let bytes = constant.checked_mul(factor).and_then(|bytes| found.bytes.checked_add(bytes));
                    found.bytes = bytes.ok_or(LARGE)?;
                }
                Err(index) => found.terms.push((index, factor)),
            }
        }
        let mut inner = element;
        while let Some(Aggregate::Array(count, of)) = ir::aggregate(inner) {
            sizes.push(i64::try_from(count).map_err(|_| LARGE)?);
            inner = of;
        }
        // Elements of one array: its outermost dimension has no size that counts.
        if is_first_zero && !sizes.is_empty() {
            sizes.remove(0);
        }
        if sizes.len() > found.inner_sizes.len() && sizes.iter().all(|size| *size > 0) {
            found.inner_sizes = sizes;
        }
        Ok(found)
    }
}

/// The integer that a value is, if it is constant.
fn constant_of(value: Val<'_>) -> Option<i64> {
    let definition = ir::defining(value).filter(|definition| ir::name(*definition) == "llvm.mlir.constant")?;
    ir::attribute(definition, "value").and_then(ir::integer_attribute)
}

const LARGE: &str = "requires distances of 64 bits";

fn unknown(ty: Type<'_>) -> String {
    format!("requires elements of known size, but one is of {ty}")
}

/// The size of a type in memory, in bytes: that of x86-64 and AArch64, for C.
pub fn size(ty: Type<'_>) -> Option<i64> {
    layout(ty).and_then(|(size, _)| i64::try_from(size).ok())
}

/// The size and the alignment of a type.
fn layout(ty: Type<'_>) -> Option<(u64, u64)> {
    match ir::aggregate(ty) {
        Some(Aggregate::Array(count, element)) => {
            let (size, align) = layout(element)?;
            Some((count.checked_mul(size)?, align))
        }
        Some(Aggregate::Struct(fields, is_packed)) => {
            let (end, align) = fields.iter().try_fold((0, 1), |(end, largest), field| {
                let (start, size, align) = placed(*field, is_packed, end)?;
                Some((start.checked_add(size)?, align.max(largest)))
            })?;
            Some((end.checked_next_multiple_of(align)?, align))
        }
        None if ir::pointer_space(ty) == Some(0) => Some((8, 8)),
        None => {
            let bits = ir::bits(ty).filter(|_| ty.is_integer() || ty.is_float())?;
            let bytes = u64::from(bits.div_ceil(8)).checked_next_power_of_two()?;
            (bytes <= 16).then_some((bytes, bytes))
        }
    }
}

/// Where a field begins that comes after the fields that end at `end`, its size and its alignment.
fn placed(field: Type<'_>, is_packed: bool, end: u64) -> Option<(u64, u64, u64)> {
    let (size, align) = layout(field)?;
    let align = if is_packed { 1 } else { align };
    Some((end.checked_next_multiple_of(align)?, size, align))
}

/// Where a field of a struct begins.
fn offset(fields: &[Type<'_>], is_packed: bool, field: usize) -> Option<i64> {
    let end = fields[..field].iter().try_fold(0u64, |end, field| {
        let (start, size, _) = placed(*field, is_packed, end)?;
        start.checked_add(size)
    })?;
    i64::try_from(placed(fields[field], is_packed, end)?.0).ok()
}

/// What is known of the object at a base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Base<'c> {
    /// An argument of the function; true if it shares no memory with what is not derived from it (`llvm.noalias`).
    Argument(bool),
    /// Memory of this function.
    Local,
    /// A variable of the program, by its symbol.
    Global(Attribute<'c>),
    /// Any other pointer: a result of a call, a pointer that is loaded, or one of several.
    Other,
}

impl<'c> Base<'c> {
    /// What is known of a base of a function.
    pub fn of(base: Val<'c>, function: Op<'c>) -> Self {
        if let Some(definition) = ir::defining(base) {
            return match ir::name(definition) {
                "llvm.alloca" => Self::Local,
                "llvm.mlir.addressof" => match ir::attribute(definition, "global_name") {
                    Some(symbol) if is_variable(definition, symbol) => Self::Global(symbol),
                    _ => Self::Other,
                },
                _ => Self::Other,
            };
        }
        let entry = ir::body(function, 0).map(ir::arguments).unwrap_or_default();
        let Some(position) = entry.iter().position(|argument| *argument == base) else { return Self::Other };
        let attributes = ir::attribute(function, "arg_attrs").and_then(ir::array_attribute).unwrap_or_default();
        let attributes = attributes.get(position).copied();
        Self::Argument(attributes.is_some_and(|attributes| ir::dictionary_entry(attributes, "llvm.noalias").is_some()))
    }
}

/// True if a symbol is that of a variable, not of an alias of one.
fn is_variable<'c>(from: Op<'c>, symbol: Attribute<'c>) -> bool {
    let found = ir::symbol_attribute(symbol).and_then(|symbol| ir::lookup_symbol(from, symbol));
    found.is_some_and(|found| ir::name(found) == "llvm.mlir.global")
}
