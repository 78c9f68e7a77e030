//! Types and attributes that passes build.
use super::{Builder, Op, Val, attribute, dense_array_attribute, shape};
use melior::{
    Context,
    ir::{
        Attribute, ShapedTypeLike, Type,
        attribute::{
            ArrayAttribute, BoolAttribute, DenseElementsAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute,
            FlatSymbolRefAttribute, FloatAttribute, IntegerAttribute, StridedLayoutAttribute, StringAttribute,
            TypeAttribute,
        },
        r#type::{FunctionType, IntegerType, MemRefType, RankedTensorType},
    },
};

/// Which modules a symbol of the LLVM dialect is seen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Linkage {
    External,
    Internal,
}

/// The memory of a kernel other than the global one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// That of the threads of a block.
    Workgroup,
    /// That of a thread.
    Private,
}

/// How LLVM unrolls a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// All of its iterations.
    Full,
    /// So many iterations at a time.
    Count(i64),
}

/// Which thread a value comes from, seen from the one that gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// From one with a smaller number.
    Up,
    /// From one with a larger number.
    Down,
}

/// The attribute of the numbers of operands where an operation takes several lists of them.
pub const SEGMENTS: &str = "operandSegmentSizes";

/// How many operands of each list an operation takes.
pub fn segments(operation: Op<'_>) -> Option<Vec<i64>> {
    attribute(operation, SEGMENTS).and_then(dense_array_attribute)
}

/// What stands for a number that is not known in types, offsets and positions.
pub const DYNAMIC: i64 = i64::MIN;

fn dynamic(numbers: &[Option<u64>]) -> Vec<i64> {
    numbers.iter().map(|number| number.map_or(DYNAMIC, |number| number as i64)).collect()
}

/// An attribute that the C API has no constructor for.
fn parsed<'c>(context: &'c Context, text: &str) -> Attribute<'c> {
    Attribute::parse(context, text).unwrap_or_else(|| unreachable!("the attribute {text} parses"))
}

/// Types.
impl<'c> Builder<'c> {
    /// `index`.
    pub fn index(&self) -> Type<'c> {
        Type::index(self.context)
    }

    /// The signless integer of so many bits.
    pub fn integer(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    /// `i1`.
    pub fn i1(&self) -> Type<'c> {
        self.integer(1)
    }

    /// `i32`.
    pub fn i32(&self) -> Type<'c> {
        self.integer(32)
    }

    /// `i64`.
    pub fn i64(&self) -> Type<'c> {
        self.integer(64)
    }

    /// `f32`.
    pub fn f32(&self) -> Type<'c> {
        Type::float32(self.context)
    }

    /// `f64`.
    pub fn f64(&self) -> Type<'c> {
        Type::float64(self.context)
    }

    /// A vector of so many elements.
    pub fn vector(&self, count: i64, element: Type<'c>) -> Type<'c> {
        Type::vector(&[count.unsigned_abs()], element)
    }

    /// A memref without layout.
    pub fn memref(&self, sizes: &[Option<u64>], element: Type<'c>, space: Option<AddressSpace>) -> Type<'c> {
        let space = space.map(|space| self.address_space(space));
        MemRefType::new(element, &dynamic(sizes), None, space).into()
    }

    /// A memref with so many elements between neighbours in each dimension, from a place on that is not known unless it is the first one.
    pub fn memref_with_strides(
        &self,
        sizes: &[Option<u64>],
        element: Type<'c>,
        strides: &[Option<u64>],
        is_first: bool,
    ) -> Type<'c> {
        let offset = if is_first { 0 } else { DYNAMIC };
        let layout = StridedLayoutAttribute::new(self.context, offset, &dynamic(strides)).into();
        MemRefType::new(element, &dynamic(sizes), Some(layout), None).into()
    }

    /// A memref in the memory space of a number, in place of its own.
    pub fn memref_in(&self, memref: MemRefType<'c>, space: u32) -> Type<'c> {
        let sizes = dynamic(&shape(memref.into()).unwrap_or_default());
        let layout = Some(memref.layout()).filter(|_| !memref.affine_map().is_identity());
        MemRefType::new(memref.element(), &sizes, layout, Some(self.i64_number(space.into()))).into()
    }

    /// A memref of another element type.
    pub fn memref_of(&self, memref: MemRefType<'c>, element: Type<'c>) -> Type<'c> {
        let sizes = dynamic(&shape(memref.into()).unwrap_or_default());
        let layout = Some(memref.layout()).filter(|_| !memref.affine_map().is_identity());
        MemRefType::new(element, &sizes, layout, memref.memory_space()).into()
    }

    /// A tensor without dimensions.
    pub fn tensor_of(&self, element: Type<'c>) -> Type<'c> {
        RankedTensorType::new(&[], element, None).into()
    }

    /// The type of a function.
    pub fn function(&self, inputs: &[Type<'c>], results: &[Type<'c>]) -> Type<'c> {
        FunctionType::new(self.context, inputs, results).into()
    }

    /// `!llvm.ptr<space>`; 0 is the generic one.
    pub fn pointer(&self, space: u32) -> Type<'c> {
        self.r#type(&format!("!llvm.ptr<{space}>"))
    }

    /// An array of the LLVM dialect; none of elements that it has no arrays of.
    pub fn llvm_array(&self, count: u64, element: Type<'c>) -> Option<Type<'c>> {
        Type::parse(self.context, &format!("!llvm.array<{count} x {element}>"))
    }

    /// What a memref of a rank becomes in the LLVM dialect: two pointers, an offset, sizes and strides.
    pub fn descriptor(&self, space: u32, rank: usize) -> Type<'c> {
        let arrays = match rank {
            0 => String::new(),
            _ => format!(", array<{rank} x i64>, array<{rank} x i64>"),
        };
        self.r#type(&format!("!llvm.struct<(ptr<{space}>, ptr<{space}>, i64{arrays})>"))
    }

    /// The type of what waits for copies to shared memory.
    pub fn copy_token(&self) -> Type<'c> {
        self.r#type("!nvgpu.device.async.token")
    }
}

/// Attributes.
impl<'c> Builder<'c> {
    /// `unit`.
    pub fn unit(&self) -> Attribute<'c> {
        Attribute::unit(self.context)
    }

    /// `true` or `false`.
    pub fn truth(&self, value: bool) -> Attribute<'c> {
        BoolAttribute::new(self.context, value).into()
    }

    /// An integer of a type of at most 64 bits, or an index.
    pub fn number(&self, value: i64, r#type: Type<'c>) -> Attribute<'c> {
        IntegerAttribute::new(r#type, value).into()
    }

    /// An `i32`.
    pub fn i32_number(&self, value: i32) -> Attribute<'c> {
        self.number(value.into(), self.i32())
    }

    /// An `i64`.
    pub fn i64_number(&self, value: i64) -> Attribute<'c> {
        self.number(value, self.i64())
    }

    /// A float.
    pub fn float(&self, value: f64, r#type: Type<'c>) -> Attribute<'c> {
        FloatAttribute::new(self.context, r#type, value).into()
    }

    /// A text.
    pub fn string(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    /// The symbol of this name.
    pub fn symbol(&self, name: &str) -> Attribute<'c> {
        FlatSymbolRefAttribute::new(self.context, name).into()
    }

    /// A type as an attribute.
    pub fn type_of(&self, r#type: Type<'c>) -> Attribute<'c> {
        TypeAttribute::new(r#type).into()
    }

    /// A list.
    pub fn array(&self, elements: &[Attribute<'c>]) -> Attribute<'c> {
        ArrayAttribute::new(self.context, elements).into()
    }

    /// A list of integers of 64 bits.
    pub fn numbers(&self, numbers: &[i64]) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(self.context, numbers).into()
    }

    /// The elements of a constant tensor with one dimension.
    pub fn dense(&self, elements: &[Attribute<'c>], element: Type<'c>) -> Attribute<'c> {
        let r#type = RankedTensorType::new(&[elements.len() as u64], element, None).into();
        let dense = DenseElementsAttribute::new(r#type, elements);
        dense.unwrap_or_else(|error| unreachable!("a tensor has elements: {error}")).into()
    }

    /// The numbers of operands where an operation takes several lists of them, with their name.
    pub fn segments(&self, counts: &[usize]) -> (&'static str, Attribute<'c>) {
        let counts: Vec<_> = counts.iter().map(|count| *count as i32).collect();
        (SEGMENTS, DenseI32ArrayAttribute::new(self.context, &counts).into())
    }

    /// The index function of a scalar: from dimensions to no index.
    pub fn scalar_access(&self, dimensions: usize) -> Attribute<'c> {
        let dimensions: Vec<_> = (0..dimensions).map(|d| format!("d{d}")).collect();
        parsed(self.context, &format!("affine_map<({}) -> ()>", dimensions.join(", ")))
    }

    /// Which modules a symbol is seen from.
    pub fn linkage(&self, linkage: Linkage) -> Attribute<'c> {
        let text = match linkage {
            Linkage::External => "#llvm.linkage<external>",
            Linkage::Internal => "#llvm.linkage<internal>",
        };
        parsed(self.context, text)
    }

    /// The memory space of a memref in a kernel.
    pub fn address_space(&self, space: AddressSpace) -> Attribute<'c> {
        let text = match space {
            AddressSpace::Workgroup => "#gpu.address_space<workgroup>",
            AddressSpace::Private => "#gpu.address_space<private>",
        };
        parsed(self.context, text)
    }

    /// Fast-math flags by which a product and a sum may be rounded once.
    pub fn contract(&self) -> Attribute<'c> {
        parsed(self.context, "#arith.fastmath<contract>")
    }

    /// What LLVM does with a loop.
    pub fn unroll(&self, unroll: Unroll) -> Attribute<'c> {
        match unroll {
            Unroll::Full => parsed(self.context, "#llvm.loop_annotation<unroll = <full = true>>"),
            Unroll::Count(count) => {
                parsed(self.context, &format!("#llvm.loop_annotation<unroll = <count = {count} : i32>>"))
            }
        }
    }

    /// The mode of a `gpu.shuffle`.
    pub fn shuffle_mode(&self, mode: ShuffleMode) -> Attribute<'c> {
        let text = match mode {
            ShuffleMode::Up => "#gpu<shuffle_mode up>",
            ShuffleMode::Down => "#gpu<shuffle_mode down>",
        };
        parsed(self.context, text)
    }

    /// The disjunction, as what a `vector.reduction` combines with.
    pub fn or_kind(&self) -> Attribute<'c> {
        parsed(self.context, "#vector.kind<or>")
    }
}

/// Constants.
impl<'c> Builder<'c> {
    /// An `arith.constant` of an integer type of at most 64 bits, or an index.
    pub fn constant(&self, value: i64, r#type: Type<'c>) -> Val<'c> {
        self.value("arith.constant", &[], r#type, &[("value", self.number(value, r#type))])
    }

    /// An `arith.constant` of a scalar or vector type, from what each element is in the syntax of MLIR.
    pub fn literal(&self, element: &str, r#type: Type<'c>) -> Val<'c> {
        let text = match (shape(r#type), element) {
            (Some(_), _) => format!("dense<{element}> : {type}"),
            // Truth values say their type.
            (None, "true" | "false") => element.to_owned(),
            (None, _) => format!("{element} : {type}"),
        };
        self.value("arith.constant", &[], r#type, &[("value", parsed(self.context, &text))])
    }

    /// An `llvm.mlir.constant` of an `i64`.
    pub fn word(&self, value: i64) -> Val<'c> {
        self.value("llvm.mlir.constant", &[], self.i64(), &[("value", self.i64_number(value))])
    }
}
