//! Whether a function may write to a memref argument: it is not copied back if all of its uses are known to read only.
use mdh_dialects::{
    hom::Compute,
    ir::{self, Op, OpView},
    view::InpView,
};
use mdh_passes::analysis::effects::{MemoryAccess, access};

/// True unless the function only reads the memref. `argument` is its position.
pub fn may_write(function: Op<'_>, argument: usize) -> bool {
    may_write_within(function, argument, &mut vec![])
}

/// `known`: arguments of functions on the way here, which a recursive call adds nothing to.
fn may_write_within<'c>(function: Op<'c>, argument: usize, known: &mut Vec<(Op<'c>, usize)>) -> bool {
    if known.contains(&(function, argument)) {
        return false;
    }
    let is_exported = known.is_empty();
    known.push((function, argument));
    let arguments = ir::body(function, 0).map(ir::arguments).unwrap_or_default();
    let Some(memref) = arguments.get(argument) else { return true };
    let mut memrefs = vec![*memref];
    while let Some(memref) = memrefs.pop() {
        for user in ir::users(memref) {
            for (i, _) in ir::operands(user).into_iter().enumerate().filter(|(_, operand)| *operand == memref) {
                match (ir::name(user), access(user, i)) {
                    (_, MemoryAccess::Views) => memrefs.extend(ir::results(user)),
                    (_, MemoryAccess::Nothing | MemoryAccess::Reads) => {}
                    // The caller of an exported function knows that the result is the argument.
                    ("func.return", _) if is_exported => {}
                    ("func.call", _) if ir::callee(user).is_some_and(|callee| !may_write_within(callee, i, known)) => {}
                    _ if reads(user, i) => {}
                    _ => return true,
                }
            }
        }
    }
    false
}

/// True if an operation only reads an operand, in memory or as a value.
fn reads(operation: Op<'_>, operand: usize) -> bool {
    match ir::name(operation) {
        InpView::NAME | Compute::NAME | "affine.load" | "affine.vector_load" => true,
        "bufferization.to_tensor" => ir::attribute(operation, "writable").is_none(),
        // The inputs of linalg's operations come first.
        name if name.starts_with("linalg.") => {
            let inputs = ir::segments(operation).and_then(|segments| usize::try_from(*segments.first()?).ok());
            inputs.is_some_and(|inputs| operand < inputs)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{program, signature};

    #[test]
    fn what_is_only_read_is_not_written() {
        let text = "
            func.func private @other(memref<?xf32>)
            func.func private @first(%x: memref<?xf32>, %y: memref<?xf32>) -> memref<?xf32> {
              memref.copy %x, %y : memref<?xf32> to memref<?xf32>
              return %x : memref<?xf32>
            }
            func.func @main(%read: memref<?xf32>, %written: memref<?xf32>, %input: memref<?xf32>, %output: memref<?xf32>,
                %called: memref<?xf32>, %returned: memref<?xf32>, %escaped: memref<?xf32>, %value: memref<?xf32>,
                %selected: memref<?xf32>, %condition: i1) -> memref<?xf32> {
              %c0 = arith.constant 0 : index
              %size = memref.dim %read, %c0 : memref<?xf32>
              affine.for %i = 0 to %size {
                %a = affine.load %read[%i] : memref<?xf32>
                affine.store %a, %written[%i] : memref<?xf32>
              }
              linalg.copy ins(%input : memref<?xf32>) outs(%output : memref<?xf32>)
              %view = memref.cast %called : memref<?xf32> to memref<8xf32>
              %element = memref.load %view[%c0] : memref<8xf32>
              %same = func.call @first(%called, %output) : (memref<?xf32>, memref<?xf32>) -> memref<?xf32>
              func.call @other(%escaped) : (memref<?xf32>) -> ()
              %tensor = bufferization.to_tensor %value : memref<?xf32> to tensor<?xf32>
              %either = arith.select %condition, %selected, %read : memref<?xf32>
              return %returned : memref<?xf32>
            }";
        let context = program::context();
        let module = program::parse(&context, text.as_bytes()).unwrap();
        let function = signature::find(ir::op(module.as_operation()), None).unwrap();
        let written: Vec<bool> = (0..9).map(|argument| may_write(function, argument)).collect();
        // A callee returns %called, so that its caller might write to it; %read and %selected are one memref or the other.
        assert_eq!(written, [true, true, false, true, true, false, true, false, true]);
    }
}
