//! Constructors of the types and attributes that passes build.
use super::{
    attributes::dense_array_attribute,
    builder::Builder,
    handles::{Op, Val, attribute},
    types::shape,
};
use crate::ffi::upstream;
use melior::{
    dialect::DialectHandle,
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

/// The linkage of a symbol of the LLVM dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Linkage {
    External,
    Internal,
}

/// The non-global memory of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// Memory of a block (shared memory).
    Workgroup,
    /// Memory of a thread (private memory).
    Private,
}

/// How LLVM unrolls a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unroll {
    /// Unroll fully.
    Full,
    /// Unroll by this factor.
    Count(i32),
}

/// The direction of a shuffle: the lane from which a thread reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// From a lane with a smaller index.
    Up,
    /// From a lane with a larger index.
    Down,
}

/// The kind of an iterator of a structured operation of `linalg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IteratorType {
    /// Each iteration has results of its own.
    Parallel,
    /// The iterations are combined.
    Reduction,
}

/// The attribute with the number of operands of each operand group of an operation.
pub const SEGMENTS: &str = "operandSegmentSizes";

/// The number of operands of each operand group of an operation.
pub fn segments(operation: Op<'_>) -> Option<Vec<i64>> {
    attribute(operation, SEGMENTS).and_then(dense_array_attribute)
}

/// The value of dynamic sizes, strides and offsets (`ShapedType::kDynamic`).
pub const DYNAMIC: i64 = i64::MIN;

fn dynamic(numbers: &[Option<u64>]) -> Vec<i64> {
    numbers.iter().map(|number| number.map_or(DYNAMIC, |number| number as i64)).collect()
}

/// Types.
impl<'c> Builder<'c> {
    /// `index`.
    pub fn index(&self) -> Type<'c> {
        Type::index(self.context)
    }

    /// A signless integer type of `bits` bits.
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

    /// `f16`.
    pub fn f16(&self) -> Type<'c> {
        Type::float16(self.context)
    }

    /// `bf16`.
    pub fn bf16(&self) -> Type<'c> {
        Type::bfloat16(self.context)
    }

    /// `f32`.
    pub fn f32(&self) -> Type<'c> {
        Type::float32(self.context)
    }

    /// `f64`.
    pub fn f64(&self) -> Type<'c> {
        Type::float64(self.context)
    }

    /// A vector of `count` elements.
    pub fn vector(&self, count: i64, element: Type<'c>) -> Type<'c> {
        Type::vector(&[count.unsigned_abs()], element)
    }

    /// A memref with the identity layout.
    pub fn memref(&self, sizes: &[Option<u64>], element: Type<'c>, space: Option<AddressSpace>) -> Type<'c> {
        let space = space.map(|space| self.address_space(space));
        MemRefType::new(element, &dynamic(sizes), None, space).into()
    }

    /// A strided memref, strides in elements; its offset is 0 if `is_first` is set, dynamic otherwise.
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

    /// A memref with its memory space replaced by a numbered one.
    pub fn memref_in(&self, memref: MemRefType<'c>, space: u32) -> Type<'c> {
        let sizes = dynamic(&shape(memref.into()).unwrap_or_default());
        let layout = Some(memref.layout()).filter(|_| !memref.affine_map().is_identity());
        MemRefType::new(memref.element(), &sizes, layout, Some(self.i64_number(space.into()))).into()
    }

    /// A memref with its element type replaced.
    pub fn memref_of(&self, memref: MemRefType<'c>, element: Type<'c>) -> Type<'c> {
        let sizes = dynamic(&shape(memref.into()).unwrap_or_default());
        let layout = Some(memref.layout()).filter(|_| !memref.affine_map().is_identity());
        MemRefType::new(element, &sizes, layout, memref.memory_space()).into()
    }

    /// A tensor.
    pub fn ranked_tensor(&self, sizes: &[Option<u64>], element: Type<'c>) -> Type<'c> {
        // The constructor takes the value of dynamic sizes as it is.
        let sizes: Vec<_> = dynamic(sizes).into_iter().map(|size| size as u64).collect();
        RankedTensorType::new(&sizes, element, None).into()
    }

    /// A function type.
    pub fn function(&self, inputs: &[Type<'c>], results: &[Type<'c>]) -> Type<'c> {
        FunctionType::new(self.context, inputs, results).into()
    }

    /// `!llvm.ptr<space>`; 0 is the generic address space.
    pub fn pointer(&self, space: u32) -> Type<'c> {
        upstream::pointer(self.context, space)
    }

    /// An array of the LLVM dialect; `None` if `element` is not a valid element type.
    pub fn llvm_array(&self, count: u64, element: Type<'c>) -> Option<Type<'c>> {
        upstream::llvm_array(self.context, count, element)
    }

    /// The descriptor of a memref in the LLVM dialect: two pointers, an offset, and `rank` sizes and strides.
    pub fn descriptor(&self, space: u32, rank: usize) -> Type<'c> {
        let mut fields = vec![self.pointer(space), self.pointer(space), self.i64()];
        fields.extend(
            (rank > 0)
                .then(|| self.llvm_array(rank as u64, self.i64()))
                .flatten()
                .map(|array| [array; 2])
                .into_iter()
                .flatten(),
        );
        upstream::llvm_struct(self.context, &fields)
    }

    /// Replaces `from` by `to` everywhere in a type, except inside named structs.
    pub fn replace_type(&self, ty: Type<'c>, from: Type<'c>, to: Type<'c>) -> Type<'c> {
        upstream::replace_type(self.context, ty, from, to)
    }

    /// The token type of asynchronous copies to shared memory.
    pub fn copy_token(&self) -> Type<'c> {
        upstream::copy_token(self.context)
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
    pub fn number(&self, value: i64, ty: Type<'c>) -> Attribute<'c> {
        IntegerAttribute::new(ty, value).into()
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
    pub fn float(&self, value: f64, ty: Type<'c>) -> Attribute<'c> {
        FloatAttribute::new(self.context, ty, value).into()
    }

    /// A string.
    pub fn string(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    /// A flat reference to the symbol of this name.
    pub fn symbol(&self, name: &str) -> Attribute<'c> {
        FlatSymbolRefAttribute::new(self.context, name).into()
    }

    /// A type attribute.
    pub fn type_of(&self, ty: Type<'c>) -> Attribute<'c> {
        TypeAttribute::new(ty).into()
    }

    /// An array.
    pub fn array(&self, elements: &[Attribute<'c>]) -> Attribute<'c> {
        ArrayAttribute::new(self.context, elements).into()
    }

    /// A dense array of 64-bit integers.
    pub fn numbers(&self, numbers: &[i64]) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(self.context, numbers).into()
    }

    /// The elements of a constant one-dimensional tensor.
    pub fn dense(&self, elements: &[Attribute<'c>], element: Type<'c>) -> Attribute<'c> {
        let ty = RankedTensorType::new(&[elements.len() as u64], element, None).into();
        let dense = DenseElementsAttribute::new(ty, elements);
        dense.unwrap_or_else(|error| unreachable!("a tensor has elements: {error}")).into()
    }

    /// The elements of a constant of a shaped type, from the bytes of all elements, or of one element for a splat;
    /// `None` if the number of bytes is wrong.
    pub fn dense_of_bytes(&self, bytes: &[u8], ty: Type<'c>) -> Option<Attribute<'c>> {
        upstream::dense(self.context, bytes, ty)
    }

    /// The `operandSegmentSizes` attribute, with its name: the number of operands of each operand group.
    pub fn segments(&self, counts: &[usize]) -> (&'static str, Attribute<'c>) {
        let counts: Vec<_> = counts.iter().map(|count| *count as i32).collect();
        (SEGMENTS, DenseI32ArrayAttribute::new(self.context, &counts).into())
    }

    /// The index function of a scalar: a map from `dimensions` dimensions to no index.
    pub fn scalar_access(&self, dimensions: usize) -> Attribute<'c> {
        upstream::map_to_nothing(self.context, dimensions)
    }

    /// The `iterator_types` of a structured operation of `linalg`, with their name.
    pub fn iterator_types(&self, types: impl IntoIterator<Item = IteratorType>) -> (&'static str, Attribute<'c>) {
        let types: Vec<_> = types.into_iter().map(|ty| upstream::iterator_type(self.context, ty)).collect();
        ("iterator_types", self.array(&types))
    }

    /// The overflow flags of integer arithmetic, by bits: 1 is `nsw`, 2 is `nuw`.
    pub fn overflow(&self, bits: i64) -> Attribute<'c> {
        let names = ["none", "nsw", "nuw", "nsw, nuw"];
        self.flags(&format!("#arith.overflow<{}>", names[bits as usize & 3]))
    }

    /// Flags of `arith`, of which the C API has no constructor.
    fn flags(&self, text: &str) -> Attribute<'c> {
        DialectHandle::arith().load_dialect(self.context);
        Attribute::parse(self.context, text).unwrap_or_else(|| unreachable!("'{text}' is an attribute"))
    }

    /// Fast-math flags of the LLVM dialect as those of `arith`, with `contract` if `contracts`.
    pub fn fast_math(&self, flags: Option<Attribute<'c>>, contracts: bool) -> Attribute<'c> {
        let own = flags.map(|flags| flags.to_string()).unwrap_or_default();
        let own = own.trim_start_matches("#llvm.fastmath<").trim_end_matches('>').split(',').map(str::trim);
        let mut names: Vec<_> = own.filter(|name| !["", "none"].contains(name)).collect();
        if contracts && !names.iter().any(|name| ["contract", "fast"].contains(name)) {
            names.push("contract");
        }
        let text = if names.is_empty() { "none".to_owned() } else { names.join(",") };
        self.flags(&format!("#arith.fastmath<{text}>"))
    }

    /// The linkage of a symbol.
    pub fn linkage(&self, linkage: Linkage) -> Attribute<'c> {
        upstream::linkage(self.context, linkage)
    }

    /// The memory space of a memref in a kernel.
    pub fn address_space(&self, space: AddressSpace) -> Attribute<'c> {
        upstream::address_space(self.context, space)
    }

    /// The fast-math flag `contract`: a product and a sum may be fused, with one rounding.
    pub fn contract(&self) -> Attribute<'c> {
        upstream::contract(self.context)
    }

    /// An LLVM loop annotation that unrolls.
    pub fn unroll(&self, unroll: Unroll) -> Attribute<'c> {
        upstream::unroll(self.context, unroll)
    }

    /// The mode of a `gpu.shuffle`.
    pub fn shuffle_mode(&self, mode: ShuffleMode) -> Attribute<'c> {
        upstream::shuffle_mode(self.context, mode)
    }

    /// The combining kind `or` of a `vector.reduction`.
    pub fn or_kind(&self) -> Attribute<'c> {
        upstream::or_kind(self.context)
    }

    /// New alias scopes, all of one new domain, for memory regions that do not alias.
    pub fn alias_scopes(&self, count: usize) -> Vec<Attribute<'c>> {
        upstream::alias_scopes(self.context, count)
    }

    /// The target of kernels for an NVIDIA architecture.
    pub fn nvvm_target(&self, architecture: &str) -> Attribute<'c> {
        upstream::nvvm_target(self.context, architecture)
    }

    /// The target of kernels for OpenCL.
    pub fn spirv_target(&self) -> Attribute<'c> {
        upstream::spirv_target(self.context)
    }

    /// The code of kernels for a target.
    pub fn gpu_object(&self, target: Attribute<'c>, code: &[u8]) -> Attribute<'c> {
        upstream::gpu_object(self.context, target, code)
    }

    /// Selects the first of several kernel objects.
    pub fn first_object(&self) -> Attribute<'c> {
        upstream::select_object(self.context, self.i64_number(0))
    }
}

/// Constants.
impl<'c> Builder<'c> {
    /// An `arith.constant` of an integer type of at most 64 bits, or an index.
    pub fn constant(&self, value: i64, ty: Type<'c>) -> Val<'c> {
        self.value("arith.constant", &[], ty, &[("value", self.number(value, ty))])
    }

    /// An `arith.constant` of a scalar or vector type; `element` is a signed integer or the bits of a float, and is
    /// splat over vectors.
    pub fn literal(&self, element: i128, ty: Type<'c>) -> Val<'c> {
        self.wide_literal(&[element as u64, (element >> 64) as u64], ty)
    }

    /// As [`literal`](Self::literal), from 64-bit words, the low word first.
    pub fn wide_literal(&self, words: &[u64], ty: Type<'c>) -> Val<'c> {
        self.value("arith.constant", &[], ty, &[("value", upstream::number(self.context, words, ty))])
    }

    /// An `llvm.mlir.constant` of an `i64`.
    pub fn word(&self, value: i64) -> Val<'c> {
        self.value("llvm.mlir.constant", &[], self.i64(), &[("value", self.i64_number(value))])
    }
}

#[cfg(test)]
mod tests {
    use super::{super::*, *};
    use melior::{Context, dialect::DialectRegistry, utility::register_all_dialects};

    /// The constructors build what MLIR parses from the text, even in a context without loaded dialects.
    #[test]
    fn constructors_and_texts_agree() {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        let module = parse_module(&context, b"builtin.module {}\nbuiltin.module {}").expect("it parses");
        let b = Builder::before(block_operations(body(op(module.as_operation()), 0).expect("a block"))[0]);
        let types = [
            (b.pointer(0), "!llvm.ptr"),
            (b.pointer(3), "!llvm.ptr<3>"),
            (b.descriptor(1, 0), "!llvm.struct<(ptr<1>, ptr<1>, i64)>"),
            (b.descriptor(0, 2), "!llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>"),
            (b.copy_token(), "!nvgpu.device.async.token"),
        ];
        for (built, text) in types {
            assert_eq!(Some(built), Type::parse(&context, text), "{text}");
        }
        let void = Type::parse(&context, "!llvm.void").expect("it parses");
        assert_eq!((b.llvm_array(4, void), b.llvm_array(4, b.f32()).is_some()), (None, true));
        let target = b.nvvm_target("sm_80");
        let attributes = [
            (b.scalar_access(2), "affine_map<(d0, d1) -> ()>"),
            (b.linkage(Linkage::External), "#llvm.linkage<external>"),
            (b.linkage(Linkage::Internal), "#llvm.linkage<internal>"),
            (b.address_space(AddressSpace::Workgroup), "#gpu.address_space<workgroup>"),
            (b.address_space(AddressSpace::Private), "#gpu.address_space<private>"),
            (b.contract(), "#arith.fastmath<contract>"),
            (b.unroll(Unroll::Full), "#llvm.loop_annotation<unroll = <full = true>>"),
            (b.unroll(Unroll::Count(4)), "#llvm.loop_annotation<unroll = <count = 4 : i32>>"),
            (b.shuffle_mode(ShuffleMode::Up), "#gpu<shuffle_mode up>"),
            (b.shuffle_mode(ShuffleMode::Down), "#gpu<shuffle_mode down>"),
            (b.or_kind(), "#vector.kind<or>"),
            (b.spirv_target(), "#spirv.target_env<#spirv.vce<v1.4, [Kernel], []>, #spirv.resource_limits<>>"),
            (b.gpu_object(target, b"a\"\0"), "#gpu.object<#nvvm.target<chip = \"sm_80\">, bin = \"a\\22\\00\">"),
            (b.first_object(), "#gpu.select_object<0>"),
        ];
        for (built, text) in attributes {
            assert_eq!(Some(built), Attribute::parse(&context, text), "{text}");
        }
        let (narrow, wide) = (Type::float16(&context), b.integer(200));
        let lanes = |element| b.vector(4, element);
        let largest = [u64::MAX, u64::MAX, u64::MAX, 0x7F];
        let constants = [
            (b.literal(1, b.i1()), "true"),
            (b.literal(-1, b.i1()), "true"),
            (b.literal(-1, b.integer(128)), "-1 : i128"),
            (b.literal(i64::MIN.into(), b.index()), "-9223372036854775808 : index"),
            (b.literal(1 << 100, b.integer(128)), "1267650600228229401496703205376 : i128"),
            (b.wide_literal(&largest, wide), &format!("0x7F{} : i200", "F".repeat(48))),
            (b.wide_literal(&largest.map(|word| !word), wide), &format!("0x80{} : i200", "0".repeat(48))),
            (b.literal(0x8000, narrow), "-0.0 : f16"),
            (b.literal(0x7F80, Type::bfloat16(&context)), "0x7F80 : bf16"),
            (b.literal(0x7FC0_0001, b.f32()), "0x7FC00001 : f32"),
            (b.literal(0xFFF0_0000_0000_0000, b.f64()), "0xFFF0000000000000 : f64"),
            (b.literal(0x3C00, lanes(narrow)), "dense<1.0> : vector<4xf16>"),
            (b.literal(-1, lanes(b.i1())), "dense<true> : vector<4xi1>"),
            (b.literal(-3, lanes(b.i32())), "dense<-3> : vector<4xi32>"),
        ];
        for (built, text) in constants {
            let built = defining(built).and_then(|constant| attribute(constant, "value"));
            assert_eq!(built, Attribute::parse(&context, text), "{text}");
        }
    }
}
