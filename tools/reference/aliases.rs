//! Operations that give other views of the memory of a memref, and atomic updates of its elements.
use super::{
    Evaluator, Results,
    buffers::{index, indices},
    kernel,
    memory::{BufferView, Value},
    prepare,
    scalar::Failure,
};
use crate::array::{Array, Element};
use mdh_dialects::{
    ir::{self, Op},
    view::IndexFunction,
};
use std::sync::Arc;

/// The number of bytes between the addresses of two buffers, more than any buffer has.
const APART: u128 = 1 << 44;

/// The operations of `memref.atomic_rmw`, by the number of its kind; `arith.` is left out. An assignment has none.
const ATOMIC: [&str; 16] = [
    "addf", "addi", "andi", "", "maximumf", "maxnumf", "maxsi", "maxui", "minimumf", "minnumf", "minsi", "minui",
    "mulf", "muli", "ori", "xori",
];

impl Evaluator<'_> {
    /// Executes an operation on memrefs; `None` if it is not one of these.
    pub(super) fn aliases(&mut self, operation: Op<'_>, operands: &[Value]) -> Option<Results> {
        let aliased = match ir::name(operation) {
            "memref.transpose" => self.alias(operands, |window, _| window.permuted(&permutation(operation)?)),
            "memref.collapse_shape" => self.alias(operands, |window, _| window.collapsed(&ir::groups(operation)?)),
            "memref.expand_shape" => self.alias(operands, |window, numbers| {
                let shape = mixed(operation, "static_output_shape", &mut numbers.iter())?;
                window.expanded(&ir::groups(operation)?, &shape.into_iter().map(size).collect::<Option<Vec<_>>>()?)
            }),
            "memref.reshape" => self.reshaped_memref(operands),
            "memref.reinterpret_cast" => self.reinterpreted(operation, operands),
            "memref.extract_strided_metadata" => self.metadata(operands),
            "memref.extract_aligned_pointer_as_index" => address(operands),
            "memref.atomic_rmw" => return Some(self.atomic(operation, operands)),
            _ => return None,
        };
        Some(aliased.map_err(|message| Failure::at(operation, message)))
    }

    /// Another view of the memory of the first operand.
    fn alias(
        &self,
        operands: &[Value],
        view: impl Fn(&BufferView, &[Value]) -> Option<BufferView>,
    ) -> Result<Vec<Value>, String> {
        let Some((source @ Value::Memory(number, _), numbers)) = operands.split_first() else {
            return Err("requires a memref".to_owned());
        };
        let window = self.memory.window(source)?;
        let view = view(&window, numbers);
        let view =
            view.ok_or_else(|| format!("requires dimensions that fit those of a buffer of shape {:?}", window.shape))?;
        Ok(vec![Value::Memory(*number, Some(Arc::new(view)))])
    }

    /// `memref.reshape`: the shape is the contents of the second operand.
    fn reshaped_memref(&self, operands: &[Value]) -> Result<Vec<Value>, String> {
        let shape = self.shape_in(operands.get(1).ok_or("requires a shape")?)?;
        self.alias(operands, |window, _| {
            let all: Vec<_> = (0..window.shape.len()).collect();
            window.collapsed(&[all])?.expanded(&[(0..shape.len()).collect()], &shape)
        })
    }

    /// The sizes that a buffer of integers contains.
    pub(super) fn shape_in(&self, value: &Value) -> Result<Vec<usize>, String> {
        let content = self.memory.content(value)?;
        if (0..content.array.len()).any(|i| !content.is_defined(i)) {
            return Err("requires a shape that has been written".to_owned());
        }
        let sizes = (0..content.array.len()).map(|i| content.array.element.signed(content.array.get(i)));
        sizes.map(size).collect::<Option<_>>().ok_or_else(|| "requires sizes that are not negative".to_owned())
    }

    /// `memref.reinterpret_cast`: offset, sizes and strides are those of the underlying buffer.
    fn reinterpreted(&self, operation: Op<'_>, operands: &[Value]) -> Result<Vec<Value>, String> {
        let underlying = self.memory.underlying(operands.first().ok_or("requires a memref")?)?;
        self.alias(operands, |_, numbers| {
            let mut numbers = numbers.iter();
            let offset = mixed(operation, "static_offsets", &mut numbers)?;
            let sizes = mixed(operation, "static_sizes", &mut numbers)?;
            let strides = mixed(operation, "static_strides", &mut numbers)?;
            let shape = sizes.into_iter().map(size).collect::<Option<Vec<_>>>()?;
            BufferView::of(*offset.first()?, shape, strides, underlying.array.len())
        })
    }

    /// `memref.extract_strided_metadata`: the underlying buffer, and the offset, sizes and strides in it.
    fn metadata(&self, operands: &[Value]) -> Result<Vec<Value>, String> {
        let source = operands.first().ok_or("requires a memref")?;
        let window = self.memory.window(source)?;
        let Value::Memory(number, _) = source else { return Err("requires a memref".to_owned()) };
        let length = self.memory.underlying(source)?.array.len();
        let base = BufferView::of(0, vec![], vec![], length).ok_or("requires a buffer with elements")?;
        let numbers =
            window.numbers().into_iter().map(|number| Value::Scalar(Element::Index.from_integer(number), 0.0));
        Ok([Value::Memory(*number, Some(Arc::new(base)))].into_iter().chain(numbers).collect())
    }

    /// `memref.atomic_rmw`: returns the element before.
    fn atomic(&mut self, operation: Op<'_>, operands: &[Value]) -> Results {
        let fail = |message: &str| Failure::at(operation, message);
        let [Value::Scalar(slot, error), memory, at @ ..] = operands else {
            return Err(fail("requires a scalar and a memref"));
        };
        let at = self.memory.element(memory, &indices(at)).map_err(|message| fail(&message))?;
        let underlying = self.memory.underlying(memory).map_err(|message| fail(&message))?;
        let before = at.read(&underlying).map_err(|message| fail(&message))?;
        let element = prepare::buffer_element(ir::operands(operation)[1], operation)?;
        let kind = ir::attribute(operation, "kind").and_then(ir::integer_attribute);
        let name =
            kind.and_then(|kind| ATOMIC.get(usize::try_from(kind).ok()?)).ok_or_else(|| fail("requires a kind"))?;
        let (slot, error) = match *name {
            "" => (*slot, *error),
            _ if !before.is_defined(0) => return Err(fail("reads an element that has not been written")),
            name => {
                let kernel =
                    kernel::named(&format!("arith.{name}"), &[element; 2], &[element]).and_then(|mut all| all.pop());
                let kernel = kernel.ok_or_else(|| fail("requires a kind for its type"))?;
                let result = kernel.apply(&[before.array.get(0), *slot]).map_err(|message| fail(&message))?;
                // The order of updates is not known.
                let rounded = super::bound::epsilon(element) * element.to_f64(result).abs();
                (result, if self.follow { before.error(0) + error + rounded } else { 0.0 })
            }
        };
        let mut content = super::Buffer::from(Array::scalar(element, slot));
        content.errors = Some(vec![error]);
        self.written(operation, memory, Some(at), content)?;
        Ok(vec![Value::Scalar(before.array.get(0), before.error(0))])
    }
}

pub(super) fn size(number: i128) -> Option<usize> {
    usize::try_from(number).ok()
}

/// The numbers of an attribute, in which `ShapedType::kDynamic` marks an operand.
pub(super) fn mixed<'a>(
    operation: Op<'_>,
    name: &str,
    dynamic: &mut impl Iterator<Item = &'a Value>,
) -> Option<Vec<i128>> {
    let known = ir::attribute(operation, name).and_then(ir::dense_array_attribute)?;
    let mut number = |number: i64| if number == ir::DYNAMIC { index(dynamic.next()?) } else { Some(number.into()) };
    known.into_iter().map(&mut number).collect()
}

/// By dimension of the result: that of the operand.
fn permutation(operation: Op<'_>) -> Option<Vec<usize>> {
    let function = IndexFunction::from_attribute(ir::attribute(operation, "permutation")?)?;
    (0..function.rank()).map(|axis| function.row(axis).0.iter().position(|coefficient| *coefficient == 1)).collect()
}

/// `memref.extract_aligned_pointer_as_index`: an address for each buffer, and the same for all views of it.
fn address(operands: &[Value]) -> Result<Vec<Value>, String> {
    match operands.first() {
        Some(Value::Memory(number, _)) => Ok(vec![Value::Scalar(APART * (*number as u128 + 1), 0.0)]),
        _ => Err("requires a memref".to_owned()),
    }
}
