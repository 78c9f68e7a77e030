"""Cumulative reductions whose combination is more than one operation, as steps that double what is combined.

    cumlogsumexp(x)  -->  y = x
                          y = concatenate(y[:1], combine(y[:-1], y[1:]))
                          y = concatenate(y[:2], combine(y[:-2], y[2:]))
                          ...

JAX lowers them to windows of all elements before one, which would be combined again for each element.
"""

from __future__ import annotations

from typing import Any

from ..frameworks.modules import module


def expand(operation: Any) -> bool:
    """Replaces a `stablehlo.reduce_window` by steps, and returns whether it is a cumulative reduction that needs them."""
    found = _axis(operation)
    if found is None or not _is_elementwise(operation.regions[0].blocks[0]):
        return False
    axis, is_reverse = found
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    with ir.InsertionPoint(operation), operation.location:
        values, start = operation.operands
        size, step = values.type.shape[axis], 1
        while step < size:
            kept = (size - step, size) if is_reverse else (0, step)
            combined = _combined(operation, _slice(values, axis, 0, size - step), _slice(values, axis, step, size))
            edge = _slice(values, axis, *kept)
            parts = [combined, edge] if is_reverse else [edge, combined]
            dimension = {"dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)}
            values = _created("stablehlo.concatenate", values.type, parts, dimension)
            step *= 2
        values = _combined(operation, _broadcast(start, values.type), values)
    operation.results[0].replace_all_uses_with(values)
    operation.erase()
    return True


def _axis(operation: Any) -> tuple[int, bool] | None:
    """The axis along which a reduction is cumulative, and whether it begins at the end; None if it is not cumulative."""
    if len(operation.operands) != 2:
        return None
    shape = list(operation.operands[0].type.shape)
    for name in ("window_strides", "base_dilations", "window_dilations"):
        if name in operation.attributes and any(one != 1 for one in operation.attributes[name]):
            return None
    window = list(operation.attributes["window_dimensions"])
    axes = [i for i, size in enumerate(window) if size != 1]
    if len(axes) != 1 or window[axes[0]] != shape[axes[0]] or "padding" not in operation.attributes:
        return None
    padding = [int(one) for one in operation.attributes["padding"]]
    low, high = padding[2 * axes[0]], padding[2 * axes[0] + 1]
    if sum(map(abs, padding)) != shape[axes[0]] - 1 or min(low, high) != 0:
        return None
    return axes[0], high > 0


def _is_elementwise(block: Any) -> bool:
    """Whether a combination has several operations on elements."""
    body = [one.operation for one in block.operations]
    is_plain = all(one.name.startswith(("stablehlo.", "chlo.")) and not len(one.regions) for one in body)
    return is_plain and len(body) > 2


def _created(name: str, ty: Any, operands: list[Any], attributes: dict[str, Any]) -> Any:
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    return ir.Operation.create(name, results=[ty], operands=operands, attributes=attributes).result


def _slice(value: Any, axis: int, start: int, limit: int) -> Any:
    """The elements of an array between two indices along an axis."""
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    shape = list(value.type.shape)
    starts, limits = [0] * len(shape), list(shape)
    starts[axis], limits[axis], shape[axis] = start, limit, limit - start
    attributes = {"start_indices": starts, "limit_indices": limits, "strides": [1] * len(shape)}
    arrays = {name: ir.DenseI64ArrayAttr.get(indices) for name, indices in attributes.items()}
    return _created("stablehlo.slice", ir.RankedTensorType.get(shape, value.type.element_type), [value], arrays)


def _broadcast(value: Any, ty: Any) -> Any:
    """A number as an array of the shape of a type."""
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    wanted = ir.RankedTensorType.get(ty.shape, value.type.element_type)
    dimensions = {"broadcast_dimensions": ir.DenseI64ArrayAttr.get([])}
    return _created("stablehlo.broadcast_in_dim", wanted, [value], dimensions)


def _combined(operation: Any, before: Any, after: Any) -> Any:
    """The combination of the elements of two arrays."""
    ir = module("jaxlib.mlir.ir", "mdh.jit")
    block = operation.regions[0].blocks[0]
    values = dict(zip(block.arguments, (before, after)))
    body = [one.operation for one in block.operations]
    for one in body[:-1]:
        attributes = {name: one.attributes[name] for name in one.attributes}
        if len(one.operands):
            ty = ir.RankedTensorType.get(before.type.shape, one.result.type.element_type)
            values[one.result] = _created(one.name, ty, [values[operand] for operand in one.operands], attributes)
        else:
            constant = _created(one.name, one.result.type, [], attributes)
            values[one.result] = _broadcast(constant, before.type)
    return values[body[-1].operands[0]]
