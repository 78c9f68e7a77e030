//! A computation as plain data: the input of the cost models.
use crate::{
    analysis::{
        computation::{AccessedBuffer, Computation},
        index::{Access, Domain, Group, Partition},
        memory_order::MemoryOrder,
        operation_kind::OperationKind,
        size,
    },
    convert::math_functions::{
        cost::{self, Registers},
        known_exponent,
    },
    emit::{lanes, vectorize},
    lower::workload::{element, workload},
};
use mdh_dialects::{
    hom::{CombineOperator, Function, Kind, Operator},
    ir::{self, Blk, Op},
    schedule::{model::Schedule, rules::Shape},
};
use melior::ir::{Type, TypeLike, ValueLike};

/// Value assumed for a dynamic extent.
pub const ASSUMED_EXTENT: u64 = 1024;

/// An access to a buffer.
#[derive(Clone, Debug)]
pub struct BufferAccess {
    /// The position of the buffer among the inputs, or among the outputs.
    pub buffer: usize,
    /// True if the access writes.
    pub is_output: bool,
    /// The index function, from the point to the element, with the axes in the order of the memory.
    pub map: Access,
    /// The index of its group in [`Problem::groups`]. A group consists of the accesses of a buffer that differ in
    /// constants only.
    pub group: usize,
    /// True if it is the first access of its group.
    pub is_first: bool,
    /// The sizes of the axes in memory; dynamic ones count as [`ASSUMED_EXTENT`].
    pub sizes: Vec<u64>,
    /// True if all sizes but the first one are static, so that elements are at constant distances of each other.
    pub has_static_rows: bool,
    /// Bytes of an element.
    pub bytes: u64,
    /// True if adjacent elements in memory can be loaded as a vector. Integers of other widths than 8, 16, 32 and 64
    /// bits are read one by one.
    pub has_vectors: bool,
    /// True if the last axis of the buffer is contiguous in memory: only along it, elements are loaded as vectors.
    pub has_contiguous_rows: bool,
}

/// The implementation of functions of the `math` dialect.
#[derive(Clone, Copy, Debug)]
pub enum MathImplementation {
    /// Instructions on vector registers, or their equivalents on a device, which cost about the same.
    Instructions(Registers),
    /// Calls of the C library, lane by lane.
    Library,
}

/// The cost of a function of the `math` dialect.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// The number of vector instructions, and the number of values that they compute.
    Instructions(f64, u64),
    /// Cycles per value.
    Cycles(f64),
}

/// A computation as the cost models see it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Extents, operators and buffers.
    pub shape: Shape,
    /// The domain, with dynamic extents as [`ASSUMED_EXTENT`].
    domain: Domain,
    /// The extents of `domain`.
    extents: Vec<u64>,
    /// All accesses, inputs first. The indices of accesses to outputs do not depend on reduction dimensions.
    pub accesses: Vec<BufferAccess>,
    /// The groups of the accesses.
    pub groups: Vec<Group>,
    /// By input buffer: the order of its axes in memory.
    pub orders: Vec<MemoryOrder>,
    /// Vector instructions per point, including its combination.
    pub slots: f64,
    /// Code size of computing a point and combining it.
    pub code: vectorize::CodeSize,
    /// Operations per point: vector instructions without fusion of products and sums, and one operation for each 10
    /// cycles of scalar code.
    pub operations: f64,
    /// Cycles per point of the operations without vector instructions.
    pub scalar_cycles: f64,
    /// The functions of the `math` dialect by name and element type, each once.
    pub functions: Vec<(String, Cost)>,
    /// Latency of a combination in cycles: the time until its result can be combined with the next value.
    pub latency: f64,
    /// Bytes of the widest element.
    pub widest: u64,
    /// The number of components of a result.
    pub components: usize,
    /// True if values can be vector lanes.
    pub is_vectorizable: bool,
    /// True if values must be combined in the order of the definition, because another order would change results.
    pub keeps_order: bool,
    /// True if the blocks over which a scanned dimension is distributed read the inputs twice, and not the results.
    pub reduces_before_scan: bool,
    /// True if the combining function has an identity, or no dimension combines values.
    pub has_identity: bool,
    /// By input buffer: the number of times that the computation is executed with the same copy of the input, if it is
    /// copied outside of all loops. Greater than 1 for parts of a producer.
    pub executions_per_copy: Vec<f64>,
}

impl Problem {
    /// Extracts the problem from a computation of the IR.
    pub fn of(computation: &Computation<'_>, functions: MathImplementation) -> Self {
        let shape = computation.shape();
        let extents: Vec<_> = shape.extents().map(|extent| extent.unwrap_or(ASSUMED_EXTENT).max(1)).collect();
        let (mut all, mut groups) = (vec![], vec![]);
        for (buffers, is_output) in [(&computation.inputs, false), (&computation.outputs, true)] {
            for buffer in buffers.iter().enumerate() {
                all.extend(accesses(computation, buffer, is_output, &mut groups));
            }
        }
        let body = computation.hom.body();
        let function = shape.operators.iter().find_map(CombineOperator::function);
        let mut work = Work {
            computed: functions,
            slots: 0.0,
            products: 0.0,
            sums: 0.0,
            scalar: 0.0,
            instructions: 0.0,
            functions: vec![],
        };
        let mut code = vectorize::CodeSize::default();
        if let Some(body) = body {
            work.add(body);
            code.add(body);
        }
        let before = work.slots + work.scalar;
        let mut is_vectorizable = body.is_some_and(vectorize::is_vectorizable_block);
        match function {
            Some(Function::Builtin(kinds)) => {
                for (kind, ty) in kinds.iter().zip(&computation.output_types) {
                    work.combine(*kind, ty.is_float());
                }
            }
            Some(Function::Symbol(symbol)) => {
                let operator = Operator::lookup(computation.hom.op(), symbol).and_then(Operator::body);
                if let Some(body) = operator {
                    work.add(body);
                    code.add(body);
                }
                is_vectorizable &= operator.is_some_and(vectorize::is_vectorizable_block);
            }
            None => {}
        }
        code.add_functions(work.instructions);
        let types = || computation.input_types.iter().chain(&computation.output_types);
        is_vectorizable &= types().copied().all(lanes::is_vectorizable);
        let workload = workload(computation);
        let latency = match function {
            Some(Function::Builtin(_)) if computation.output_types.iter().any(|ty| ty.is_float()) => 4.0,
            Some(Function::Builtin(_)) => 1.0,
            Some(Function::Symbol(_)) => 2.0 + work.slots + work.scalar - before,
            None => 0.0,
        };
        Self {
            domain: Domain::new(extents.iter().copied().map(Some)),
            extents,
            accesses: all,
            groups,
            orders: computation.inputs.iter().map(MemoryOrder::of).collect(),
            slots: (work.slots - work.products.min(work.sums)).max(0.0),
            code,
            operations: work.slots + work.scalar / 10.0,
            scalar_cycles: work.scalar,
            functions: work.functions,
            latency,
            widest: types().map(|ty| size::bytes(*ty)).max().unwrap_or(8),
            components: computation.output_types.len(),
            is_vectorizable,
            keeps_order: computation.hom.is_ordered() && computation.output_types.iter().any(|ty| ty.is_float()),
            has_identity: workload.combiner.as_ref().is_none_or(|combiner| combiner.has_identity),
            reduces_before_scan: workload.reduces_before_scan(),
            executions_per_copy: vec![1.0; shape.inputs.len()],
            shape,
        }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The extent of a dimension: [`ASSUMED_EXTENT`] if it is dynamic, and 1 if it is 0.
    pub fn extent(&self, d: usize) -> u64 {
        self.extents[d]
    }

    /// The extents of all dimensions, as in [`Self::extent`].
    pub fn extents(&self) -> impl Iterator<Item = u64> + Clone {
        self.extents.iter().copied()
    }

    /// The extent of a dimension; `None` if it is dynamic.
    pub fn known_extent(&self, d: usize) -> Option<u64> {
        self.shape.extent(d)
    }

    /// Returns true if an extent is dynamic.
    pub fn has_dynamic_extents(&self) -> bool {
        self.shape.extents().any(|extent| extent.is_none())
    }

    /// The partition of the domain by a schedule, with the extents of [`Self::extent`].
    pub fn partition<'a>(&'a self, schedule: &'a Schedule) -> Partition<'a> {
        Partition::new(&self.domain, schedule)
    }

    /// Returns true if a dimension is a reduction dimension (`pw`).
    pub fn reduces(&self, d: usize) -> bool {
        self.shape.operators[d].reduces()
    }

    /// Returns true if each point of a dimension has its own result (`cc` or `ps`).
    pub fn keeps(&self, d: usize) -> bool {
        self.shape.operators[d].keeps()
    }

    /// Returns true if a dimension is concatenated (`cc`).
    pub fn concatenates(&self, d: usize) -> bool {
        self.shape.operators[d].concatenates()
    }

    /// Returns true if a dimension is scanned (`ps`).
    pub fn is_scan(&self, d: usize) -> bool {
        self.shape.operators[d].is_scan()
    }
}

/// Returns the accesses of a buffer, and appends their groups to `groups`.
fn accesses(
    computation: &Computation<'_>,
    (number, buffer): (usize, &AccessedBuffer<'_>),
    is_output: bool,
    groups: &mut Vec<Group>,
) -> Vec<BufferAccess> {
    let is_fixed = |d: usize| is_output && computation.operators[d].reduces();
    let order = MemoryOrder::of(buffer);
    let maps: Vec<_> = buffer.accesses.iter().map(|access| order.access(access).at_first(is_fixed)).collect();
    let own = Group::of(&maps, 0);
    let group = |i: usize| own.iter().position(|group| group.components.contains(&i)).unwrap_or_default();
    let sizes: Vec<_> = order.sizes().iter().map(|size| size.unwrap_or(ASSUMED_EXTENT)).collect();
    let has_static_rows = order.sizes().iter().skip(1).all(Option::is_some);
    let access = |(i, map): (usize, Access)| BufferAccess {
        buffer: number,
        is_output,
        map,
        group: groups.len() + group(i),
        is_first: own[group(i)].components[0] == i,
        sizes: sizes.clone(),
        has_static_rows,
        bytes: size::bytes(buffer.element),
        has_vectors: element(buffer.element, &[]).is_packed_alike(),
        has_contiguous_rows: order.has_contiguous_rows(),
    };
    let all = maps.into_iter().enumerate().map(access).collect();
    groups.extend(own);
    all
}

impl BufferAccess {
    /// Returns true if the element depends on a dimension.
    pub fn depends_on(&self, d: usize) -> bool {
        self.map.depends_on(d)
    }

    /// The axis along which consecutive indices of a dimension access consecutive elements, if the dimension occurs in
    /// no other axis.
    pub fn axis(&self, d: usize) -> Option<usize> {
        self.map.axis(d)
    }

    /// The distance in memory, in elements, of consecutive indices of a dimension.
    pub fn distance(&self, d: usize) -> u64 {
        self.map.distance(d, self.sizes.iter().copied())
    }
}

/// The work of a block: vector instructions, among them products and sums of floats that may be fused, and cycles of
/// scalar operations.
#[derive(Clone, Debug)]
struct Work {
    computed: MathImplementation,
    slots: f64,
    products: f64,
    sums: f64,
    scalar: f64,
    /// The vector instructions of `math` functions, which `slots` includes. The IR shows one operation for each
    /// function.
    instructions: f64,
    functions: Vec<(String, Cost)>,
}

impl Work {
    fn add(&mut self, block: Blk<'_>) {
        for operation in ir::block_operations(block) {
            self.operation(operation);
        }
    }

    fn operation(&mut self, operation: Op<'_>) {
        if let Some(body) = vectorize::callee(operation) {
            return self.add(body);
        }
        if vectorize::is_selectable(operation) {
            self.slots += ir::results(operation).len() as f64;
            return ir::blocks(operation).into_iter().for_each(|branch| self.add(branch));
        }
        let result = ir::results(operation).first().map(|result| result.r#type());
        let is_wide = result.is_some_and(|ty: Type<'_>| size::bytes(ty) > 4);
        match OperationKind::of(operation) {
            OperationKind::Free => {}
            OperationKind::Product => {
                self.slots += 1.0;
                self.products += 1.0;
            }
            OperationKind::Sum => {
                self.slots += 1.0;
                self.sums += 1.0;
            }
            OperationKind::Quotient => self.slots += if is_wide { 16.0 } else { 8.0 },
            OperationKind::Extremum => self.slots += 3.0,
            OperationKind::IntegerProduct => self.slots += if is_wide { 3.0 } else { 2.0 },
            OperationKind::IntegerQuotient => self.scalar += 10.0,
            OperationKind::Simple => self.slots += 1.0,
            OperationKind::Rounding | OperationKind::ReciprocalRoot | OperationKind::Function => {
                self.function(operation);
            }
            OperationKind::Other => self.scalar += 30.0,
        }
    }

    /// Adds the cost of a function of the `math` dialect.
    fn function(&mut self, operation: Op<'_>) {
        let element = ir::results(operation).first().map(|result| result.r#type().to_string()).unwrap_or_default();
        let mut name = format!("{} of {element}", ir::name(operation).trim_start_matches("math."));
        if let Some(exponent) = known_exponent(operation) {
            name = format!("{name} and {exponent}");
        }
        let known = self.functions.iter().find(|(known, _)| *known == name).map(|(_, cost)| cost.clone());
        let cost = known.unwrap_or_else(|| {
            let vectors = match self.computed {
                MathImplementation::Instructions(registers) => {
                    cost::instructions(operation, registers).zip(cost::lanes(operation, registers))
                }
                MathImplementation::Library => None,
            };
            let cost = vectors.map_or_else(
                || Cost::Cycles(cost::library_cycles(operation)),
                |(count, lanes)| Cost::Instructions(count, lanes),
            );
            self.functions.push((name, cost.clone()));
            cost
        });
        match cost {
            Cost::Instructions(count, _) => {
                self.slots += count;
                self.instructions += count;
            }
            Cost::Cycles(cycles) => self.scalar += cycles,
        }
    }

    /// Adds the cost of a built-in combining function of one component.
    fn combine(&mut self, kind: Kind, is_float: bool) {
        let form = kind.form(is_float);
        self.slots += form.instructions;
        self.sums += f64::from(u8::from(form.operation == "arith.addf"));
    }
}
