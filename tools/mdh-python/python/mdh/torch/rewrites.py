"""Rewrites of graphs of ATen before torch-mlir sees them: operands that it lowers wrongly, or at which it ends the process."""

from __future__ import annotations

import functools
import operator
from typing import Any

from ..frameworks.modules import module

# Operations that write at indices along a dimension: that is their second argument, and the indices are the third.
_SCATTERS = (
    "scatter.reduce",
    "scatter.src",
    "scatter.value",
    "scatter.value_reduce",
    "scatter_add.default",
    "scatter_reduce.two",
)

# Comparisons, and operations on constants: by those that fill a tensor, the argument that is the number.
_COMPARISONS = tuple(f"{name}.{kind}" for name in ("eq", "ge", "gt", "le", "lt", "ne") for kind in ("Scalar", "Tensor"))
_FILLS = {"full.default": 1, "full_like.default": 1, "scalar_tensor.default": 0}
_VIEWS = ("clone.default", "expand.default", "reshape.default", "unsqueeze.default", "view.default")
_CONVERSIONS = ("_to_copy.default", "prims.convert_element_type.default")
_POOLS = ("aten.max_pool2d_with_indices.default", "aten.max_pool3d_with_indices.default")


def rewrite(module_of_graph: Any) -> None:
    """Gives the operations of a graph operands that torch-mlir lowers rightly."""
    graph = module_of_graph.graph
    for node in list(graph.nodes):
        if node.op == "call_function":
            _Rewriter(graph, node).rewrite()
    graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output"))
    module_of_graph.recompile()


class _Rewriter:
    """Rewrites an operation."""

    def __init__(self, graph: Any, node: Any) -> None:
        self._torch = module("torch", "the backend mdh")
        self._aten = self._torch.ops.aten
        self._graph = graph
        self._node = node

    def rewrite(self) -> None:
        """Rewrites the operation."""
        node, aten = self._node, self._aten
        name = str(node.target).removeprefix("aten.")
        if name in _SCATTERS:
            self._check_index()
        elif name in ("index_put.default", "_unsafe_index_put.default"):
            self._check_indices()
        elif name in ("view.default", "_unsafe_view.default", "reshape.default"):
            self._reshape()
        elif name in ("eq.Tensor", "ne.Tensor") and node.args[0] is node.args[1] and _value(node.args[0]).is_floating_point():
            # A comparison of a number with itself is folded.
            is_nan = self._call(aten.isnan.default, node.args[0])
            self._replace(is_nan if name == "ne.Tensor" else self._call(aten.logical_not.default, is_nan))
        elif node.target is operator.getitem and str(node.args[0].target) in _POOLS and node.args[1] == 1:
            self._find_nan(node.args[0])
        elif self._torch.Tag.pointwise in getattr(node.target, "tags", ()):
            if name.endswith(".Tensor") and isinstance(node.args[0], (int, float)):
                # torch-mlir takes the number for one of 32 bits.
                dtype = self._torch.result_type(node.args[0], _value(node.args[1]))
                node.args = (self._call(aten.scalar_tensor.default, node.args[0], dtype=dtype), *node.args[1:])
            if name in _COMPARISONS:
                self._compare()
            self._broadcast()

    def _call(self, target: Any, *arguments: Any, **named: Any) -> Any:
        """A new operation before this one."""
        with self._graph.inserting_before(self._node):
            new = self._graph.call_function(target, arguments, named)
        new.meta = {name: self._node.meta[name] for name in ("stack_trace", "nn_module_stack") if name in self._node.meta}
        values = module("torch.fx.node", "the backend mdh").map_arg((arguments, named), lambda one: one.meta["val"])
        with _value(self._node).fake_mode:
            new.meta["val"] = target(*values[0], **values[1])
        return new

    def _created(self, target: Any, *arguments: Any, dtype: Any) -> Any:
        """A new operation before this one, that makes a tensor of numbers."""
        return self._call(target, *arguments, dtype=dtype, device=self._torch.device("cpu"), pin_memory=False)

    def _replace(self, new: Any) -> None:
        self._node.replace_all_uses_with(new)

    def _size(self, tensor: Any, dimension: int) -> Any:
        size = _value(tensor).shape[dimension]
        return size if isinstance(size, int) else self._call(self._aten.sym_size.int, tensor, dimension)

    def _product(self, one: Any, other: Any) -> Any:
        is_static = isinstance(one, int) and isinstance(other, int)
        return one * other if is_static else self._call(operator.mul, one, other)

    def _checked(self, index: Any, size: Any, may_count_from_the_end: bool) -> Any:
        """An index that is read from the numbers from 0 on: negative ones are counted from the end, and others outside are
        errors, as in PyTorch. torch-mlir drops what is written there."""
        aten, torch = self._aten, self._torch
        if not may_count_from_the_end:
            index = self._call(aten.masked_fill.Scalar, index, self._call(aten.lt.Scalar, index, 0), size)
        numbers = self._created(aten.arange.start_step, 0, size, 1, dtype=torch.int64)
        return self._call(aten.index.Tensor, numbers, [index])

    def _check_index(self) -> None:
        tensor, dimension, index, *others = self._node.args
        rank = _value(tensor).dim()
        dimension %= max(rank, 1)
        if rank:
            index = self._checked(index, self._size(tensor, dimension), False)
        self._node.args = (tensor, dimension, index, *others)

    def _check_indices(self) -> None:
        arguments = list(self._node.args)
        indices = list(arguments[1])
        for dimension, index in enumerate(indices):
            if index is not None and not _value(index).dtype in (self._torch.bool, self._torch.uint8):
                indices[dimension] = self._checked(index, self._size(arguments[0], dimension), True)
        self._node.args = (arguments[0], indices, *arguments[2:])

    def _reshape(self) -> None:
        """Changes a shape with several dynamic sizes by way of one dimension: torch-mlir takes all dynamic sizes for 1 but
        the first."""
        source, sizes = self._node.args[:2]
        shapes = [_value(one).shape for one in (source, self._node)]
        if all(sum(not isinstance(size, int) for size in shape) < 2 for shape in shapes) or len(shapes[0]) < 2:
            return
        flat = self._call(self._aten.reshape.default, source, [-1])
        self._replace(self._call(self._aten.reshape.default, flat, sizes))

    def _compare(self) -> None:
        """Folds comparisons of constants, which torch-mlir folds by their bits, and compares bool with other numbers as integers."""
        torch, operands = self._torch, list(self._node.args)
        constants, sizes = [self._constant(one) for one in operands], list(_value(self._node).shape)
        if all(one is not None for one in constants) and all(isinstance(size, int) for size in sizes):
            result = bool(self._node.target(*constants))
            self._replace(self._created(self._aten.full.default, sizes, result, dtype=torch.bool))
            return
        values = [getattr(one, "meta", {}).get("val", one) for one in operands]
        if not all(isinstance(value, (torch.Tensor, bool, int, float)) for value in values):
            return
        dtype = torch.result_type(*values)
        for position, value in enumerate(values):
            if isinstance(value, torch.Tensor) and value.dtype is torch.bool and dtype is not torch.bool:
                operands[position] = self._call(self._aten._to_copy.default, operands[position], dtype=dtype)
        self._node.args = tuple(operands)

    def _constant(self, node: Any) -> Any:
        """What all elements of an operand are, as a number or a tensor of rank 0, if operations say it."""
        if isinstance(node, (bool, int, float)):
            return node
        target, torch = str(getattr(node, "target", "")).removeprefix("aten."), self._torch
        if target in _FILLS:
            number = node.args[_FILLS[target]]
            return torch.tensor(number, dtype=_value(node).dtype) if isinstance(number, (bool, int, float)) else None
        if target in _VIEWS:
            return self._constant(node.args[0])
        if target not in _CONVERSIONS and torch.Tag.pointwise not in getattr(getattr(node, "target", None), "tags", ()):
            return None
        operands = [self._constant(one) for one in node.args]
        return None if any(one is None for one in operands) else node.target(*operands, **node.kwargs)

    def _find_nan(self, maxima: Any) -> None:
        """Gives maxima that are NaN the index of the last one of their window, as in PyTorch: torch-mlir compares numbers with
        NaN, and finds none."""
        aten, torch = self._aten, self._torch
        source, *window = maxima.args
        pool, rank = (aten.max_pool2d.default, 2) if "2d" in str(maxima.target) else (aten.max_pool3d.default, 3)
        sizes = [self._size(source, dimension) for dimension in range(-rank, 0)]
        count = functools.reduce(self._product, sizes)
        dtype = torch.float32 if isinstance(count, int) and count <= 2**24 else torch.float64
        places = self._created(aten.arange.start_step, 0, count, 1, dtype=dtype)
        places = self._call(aten.reshape.default, places, sizes)
        places = self._call(aten.where.ScalarOther, self._call(aten.isnan.default, source), places, -1)
        last = self._call(aten._to_copy.default, self._call(pool, places, *window), dtype=torch.int64)
        found = self._call(operator.getitem, maxima, 1)
        self._replace(self._call(aten.where.self, self._call(aten.lt.Scalar, found, 0), last, found))

    def _broadcast(self) -> None:
        """Gives dimensions that are dynamic, but 1, this size: torch-mlir takes dynamic ones for the same."""
        result = _value(self._node)
        if not isinstance(result, self._torch.Tensor):
            return

        def broadcast(operand: Any) -> Any:
            value = operand.meta.get("val")
            if not isinstance(value, self._torch.Tensor):
                return operand
            shift = result.dim() - value.dim()
            for dimension, size in enumerate(value.shape):
                if not isinstance(size, int) and size.node.hint == 1 and not _is_same(size, result.shape[shift + dimension]):
                    row = self._call(self._aten.select.int, operand, dimension, 0)
                    operand = self._call(self._aten.unsqueeze.default, row, dimension)
            return operand

        map_arg = module("torch.fx.node", "the backend mdh").map_arg
        self._node.args = map_arg(self._node.args, broadcast)


def _value(node: Any) -> Any:
    return node.meta["val"]


def _is_same(one: Any, other: Any) -> bool:
    """Whether sizes are the same expression."""
    if isinstance(one, int) or isinstance(other, int):
        return type(one) is type(other) and one == other
    return bool(one.node.expr == other.node.expr)
