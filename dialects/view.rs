//! A Rust view of `mdh.view.*` and `!mdh.mda`: operations, index functions and MDA types.
mod injective;
mod ops;
mod tile;
pub(crate) mod verify;

pub use ops::*;

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Type, TypeLike},
};
use mlir_sys::*;

/// The largest static extent: rounded up to a multiple of the parts of a schedule, it still fits in 64 bits.
pub const LARGEST_EXTENT: u64 = 1 << 62;

/// A linear index function: maps a point of the iteration space to an element of a buffer.
///
/// Buffer dimension `b` is accessed at `constants[b] + sum over d of coefficients[b][d] * i[d]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexFunction {
    /// By buffer dimension, then by iteration dimension.
    coefficients: Vec<Vec<i64>>,
    /// By buffer dimension.
    constants: Vec<i64>,
}

/// The buffer, and its dimension, whose size the extent of an iteration dimension is: the first one that is indexed by
/// this dimension, and where no index of the same buffer depends on it in another way. `accesses` has the index
/// functions of each buffer.
pub fn size_of_extent(accesses: &[impl AsRef<[IndexFunction]>], d: usize) -> Option<(usize, usize)> {
    accesses.iter().enumerate().find_map(|(buffer, bracket)| {
        let bracket = bracket.as_ref();
        let mut axes = bracket.iter().flat_map(|access| access.axes_of(d));
        let axis = axes.find(|axis| bracket.iter().all(|access| access.is_index_if_used(*axis, d)))?;
        Some((buffer, axis))
    })
}

impl IndexFunction {
    /// The index function with these rows: the coefficients, by iteration dimension, and the constant of each buffer
    /// dimension.
    pub fn new(rows: impl IntoIterator<Item = (Vec<i64>, i64)>) -> Self {
        let (coefficients, constants) = rows.into_iter().unzip();
        Self { coefficients, constants }
    }

    /// Converts to an affine map attribute on this number of iteration dimensions.
    pub fn attribute<'c>(&self, context: &'c Context, dimensions: usize) -> Attribute<'c> {
        let raw = context.to_raw();
        let results = self.coefficients.iter().zip(&self.constants).map(|(row, constant)| {
            // SAFETY: the context is valid, and the positions are below the number of dimensions of the map.
            unsafe {
                let constant = mlirAffineConstantExprGet(raw, *constant);
                row.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0).rev().fold(
                    constant,
                    |sum, (d, c)| {
                        let term = mlirAffineMulExprGet(
                            mlirAffineDimExprGet(raw, d as isize),
                            mlirAffineConstantExprGet(raw, *c),
                        );
                        mlirAffineAddExprGet(term, sum)
                    },
                )
            }
        });
        let mut results: Vec<_> = results.collect();
        // SAFETY: the expressions belong to the context, and their number is given.
        unsafe {
            let count = results.len() as isize;
            let map = mlirAffineMapGet(raw, dimensions as isize, 0, count, results.as_mut_ptr());
            Attribute::from_raw(mlirAffineMapAttrGet(map))
        }
    }

    /// The number of buffer dimensions.
    pub fn rank(&self) -> usize {
        self.constants.len()
    }

    /// The coefficients, by iteration dimension, and the constant of a buffer dimension.
    pub fn row(&self, axis: usize) -> (&[i64], i64) {
        (&self.coefficients[axis], self.constants[axis])
    }

    /// Returns true if the element depends on an iteration dimension.
    pub fn depends_on(&self, d: usize) -> bool {
        self.coefficients.iter().any(|row| row[d] != 0)
    }

    /// The first buffer dimension whose index is that of an iteration dimension.
    pub fn axis_of(&self, d: usize) -> Option<usize> {
        self.axes_of(d).next()
    }

    /// The buffer dimensions whose index is that of an iteration dimension.
    pub fn axes_of(&self, d: usize) -> impl Iterator<Item = usize> {
        let is_unit = move |row: &[i64]| row.iter().enumerate().all(|(other, c)| *c == i64::from(other == d));
        (0..self.rank()).filter(move |&axis| self.constants[axis] == 0 && is_unit(&self.coefficients[axis]))
    }

    /// True if the index of a buffer dimension is that of an iteration dimension, or does not depend on it.
    fn is_index_if_used(&self, axis: usize, d: usize) -> bool {
        self.coefficients[axis][d] == 0 || self.axes_of(d).any(|own| own == axis)
    }

    /// Returns true if an index depends on an iteration dimension alone.
    pub fn is_alone(&self, d: usize) -> bool {
        self.coefficients.iter().any(|row| row.iter().enumerate().all(|(other, c)| (*c != 0) == (other == d)))
    }

    /// The smallest and the largest index of a buffer dimension over the extents; `None` if an extent with a non-zero
    /// coefficient is dynamic or zero, or if an index does not fit in 64 bits.
    pub fn range(&self, axis: usize, extents: &[Option<u64>]) -> Option<(i64, i64)> {
        let (mut low, mut high) = (self.constants[axis], self.constants[axis]);
        for (&coefficient, extent) in self.coefficients[axis].iter().zip(extents).filter(|(c, _)| **c != 0) {
            let last = i64::try_from(extent.filter(|&extent| extent > 0)?).ok()? - 1;
            let end = if coefficient < 0 { &mut low } else { &mut high };
            *end = end.checked_add(coefficient.checked_mul(last)?)?;
        }
        Some((low, high))
    }

    /// Converts from an affine map attribute; `None` if it has symbols, or is not linear.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        IndexMap::from_attribute(attribute).filter(|map| map.symbols == 0)?;
        Some(Self::new(linear_rows(attribute)?))
    }
}

/// By result of an affine map attribute: the coefficients of its dimensions and then of its symbols, and the constant.
/// `None` for other attributes and if a result is not linear.
pub fn linear_rows(attribute: Attribute<'_>) -> Option<Vec<(Vec<i64>, i64)>> {
    let IndexMap { dimensions, symbols, .. } = IndexMap::from_attribute(attribute)?;
    let row = |result: &AffineTerm| {
        let (mut row, mut constant) = (vec![0; dimensions + symbols], 0);
        linear(result, 1, (&mut row, &mut constant))?;
        Some((row, constant))
    };
    affine_results(attribute)?.iter().map(row).collect()
}

/// A result of an affine map without `mod`, `floordiv` and `ceildiv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AffineTerm {
    /// A number.
    Constant(i128),
    /// An operand: the dimensions first, then the symbols.
    Operand(usize),
    /// A sum.
    Sum(Box<(AffineTerm, AffineTerm)>),
    /// A product, of symbols where the map is semi-affine.
    Product(Box<(AffineTerm, AffineTerm)>),
}

/// The results of an affine map attribute. `None` for other attributes and if a result has a quotient or a remainder.
pub fn affine_results(attribute: Attribute<'_>) -> Option<Vec<AffineTerm>> {
    let IndexMap { dimensions, results, .. } = IndexMap::from_attribute(attribute)?;
    let result = |position: usize| {
        // SAFETY: the attribute is a valid affine map, and the position is below its number of results.
        unsafe {
            let map = mlirAffineMapAttrGetValue(attribute.to_raw());
            term(mlirAffineMapGetResult(map, position as isize), dimensions)
        }
    };
    (0..results).map(result).collect()
}

/// Reads an expression.
///
/// # Safety
/// The expression must be valid.
unsafe fn term(expression: MlirAffineExpr, dimensions: usize) -> Option<AffineTerm> {
    // SAFETY: the expression is valid as guaranteed by the caller, and each accessor is called only for its kind of
    // expression.
    unsafe {
        let pair = || {
            let left = term(mlirAffineBinaryOpExprGetLHS(expression), dimensions)?;
            Some(Box::new((left, term(mlirAffineBinaryOpExprGetRHS(expression), dimensions)?)))
        };
        match () {
            () if mlirAffineExprIsAConstant(expression) => {
                Some(AffineTerm::Constant(mlirAffineConstantExprGetValue(expression).into()))
            }
            () if mlirAffineExprIsADim(expression) => {
                Some(AffineTerm::Operand(mlirAffineDimExprGetPosition(expression) as usize))
            }
            () if mlirAffineExprIsASymbol(expression) => {
                Some(AffineTerm::Operand(dimensions + mlirAffineSymbolExprGetPosition(expression) as usize))
            }
            () if mlirAffineExprIsAAdd(expression) => pair().map(AffineTerm::Sum),
            () if mlirAffineExprIsAMul(expression) => pair().map(AffineTerm::Product),
            () => None,
        }
    }
}

/// The signature of an affine map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexMap {
    /// The number of its dimensions.
    pub dimensions: usize,
    /// The number of its symbols.
    pub symbols: usize,
    /// The number of its results.
    pub results: usize,
}

impl IndexMap {
    /// Converts from an affine map attribute; `None` for other attributes.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        // SAFETY: the attribute is valid, and only an affine map is queried.
        unsafe {
            mlirAttributeIsAAffineMap(attribute.to_raw()).then(|| {
                let map = mlirAffineMapAttrGetValue(attribute.to_raw());
                Self {
                    dimensions: mlirAffineMapGetNumDims(map) as usize,
                    symbols: mlirAffineMapGetNumSymbols(map) as usize,
                    results: mlirAffineMapGetNumResults(map) as usize,
                }
            })
        }
    }
}

/// Adds `factor * term` to a linear form, whose coefficients are those of the operands; `None` if the term is not linear
/// or overflows.
fn linear(term: &AffineTerm, factor: i64, (row, constant): (&mut [i64], &mut i64)) -> Option<()> {
    match term {
        AffineTerm::Constant(number) => {
            *constant = constant.checked_add(factor.checked_mul(i64::try_from(*number).ok()?)?)?;
        }
        AffineTerm::Operand(position) => row[*position] = row[*position].checked_add(factor)?,
        AffineTerm::Sum(pair) => {
            linear(&pair.0, factor, (row, constant))?;
            linear(&pair.1, factor, (row, constant))?;
        }
        AffineTerm::Product(pair) => match &**pair {
            (AffineTerm::Constant(scale), inner) | (inner, AffineTerm::Constant(scale)) => {
                linear(inner, factor.checked_mul(i64::try_from(*scale).ok()?)?, (row, constant))?;
            }
            _ => return None,
        },
    }
    Some(())
}

/// True if a scalar tuple may contain values of this type: f16, bf16, f32, f64, signless integers, index.
pub fn is_scalar(ty: Type<'_>) -> bool {
    // SAFETY: the type is valid.
    unsafe { crate::ffi::mdhTypeIsScalar(ty.to_raw()) }
}

/// True if a type is a tensor with an encoding.
fn has_encoding(ty: Type<'_>) -> bool {
    let raw = ty.to_raw();
    // SAFETY: the type is valid, and only a ranked tensor is queried for its encoding.
    unsafe { mlirTypeIsARankedTensor(raw) && !mlirRankedTensorTypeGetEncoding(raw).ptr.is_null() }
}

/// False for a memref with a layout other than row-major; true for all other types.
fn is_row_major(ty: Type<'_>) -> bool {
    let raw = ty.to_raw();
    // SAFETY: the type is valid, and only a memref is queried for its layout.
    unsafe { !mlirTypeIsAMemRef(raw) || mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(raw)) }
}

/// The extents, each `None` if dynamic, and the scalar tuple of an `!mdh.mda` type; `None` for other types.
pub fn mda_type<'c>(ty: Type<'c>) -> Option<(Vec<Option<u64>>, Vec<Type<'c>>)> {
    crate::ffi::mda_type(ty)
}

/// The `!mdh.mda` type with these extents and scalars.
pub fn mda_type_of<'c>(context: &'c Context, extents: &[Option<u64>], scalars: &[Type<'c>]) -> Type<'c> {
    crate::ffi::mda_type_get(context, extents, scalars)
}
