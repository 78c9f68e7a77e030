"""Graphs of ATen operations as compiled functions of PyTorch's tensors."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .. import program
from ..arrays import interchange
from ..errors import ArgumentTypeError, CompilationError
from ..frameworks import failures, fallback
from ..frameworks.fallback import Options
from ..frameworks.modules import module
from ..messages import without_address
from . import complex, lowering
from .rewrites import rewrite
from .table import example

_LOG = logging.getLogger("mdh.torch")

# Operations that are right for integers of 8 bits and for unsigned ones. With others, torch-mlir crashes (products of
# int8) or extends the sign (sums of uint8).
_OF_ALL_INTEGERS = {
    "aten._to_copy",
    "aten.cat",
    "aten.clone",
    "aten.expand",
    "aten.permute",
    "aten.slice",
    "aten.squeeze",
    "aten.transpose",
    "aten.unsqueeze",
    "aten.view",
    "prims.convert_element_type",
}

# Operations that torch-mlir lowers to other numbers, for example because NaN is lost, or to errors.
_REFUSED = {
    "aten.adaptive_max_pool1d",
    "aten.adaptive_max_pool2d",
    "aten.adaptive_max_pool3d",
    "aten._linalg_det",
    "aten.linalg_det",
    "aten.logcumsumexp",
}
# Views that it computes with a division by the number of elements.
_VIEWS = {"aten._unsafe_view", "aten.reshape", "aten.unflatten", "aten.view"}
# Operations that write at indices, whose sums of bool it takes modulo 2, and whose masks it takes for positions.
_WRITES = {"aten.index_add", "aten.index_put", "aten._unsafe_index_put", "aten.scatter_add", "aten.scatter_reduce"}


def calls(graph: Any) -> list[Any]:
    """The operations of a graph."""
    return [node for node in graph.graph.nodes if node.op not in ("placeholder", "output", "get_attr")]


def is_random(node: Any) -> bool:
    """Whether an operation draws random numbers."""
    torch = module("torch", "the backend mdh")
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _check_operation(node: Any) -> None:
    """Raises `CompilationError` for what torch-mlir has no equivalent of, or a wrong one."""
    torch = module("torch", "the backend mdh")
    if is_random(node):
        raise CompilationError("random numbers are not supported")
    packet = str(getattr(node.target, "overloadpacket", node.target))
    if packet in _REFUSED:
        raise CompilationError(f"{packet} is not supported")
    if "embedding_bag" in packet and any(argument is not None for argument in node.args[6:7]):
        # torch-mlir leaves them out.
        raise CompilationError("weights of samples are not supported")
    values = [one.meta.get("val") for one in (node, *node.all_input_nodes)]
    kinds = [value.dtype for value in values if isinstance(value, torch.Tensor)]
    if "_pool" in packet and "backward" not in packet and any(not kind.is_floating_point for kind in kinds[-1:]):
        raise CompilationError(f"requires floats, but has {kinds[-1]}")
    if packet in _WRITES and torch.bool in kinds:
        raise CompilationError("requires indices and numbers, but has bool")
    for value in values:
        kind = getattr(value, "dtype", None)
        if packet in _VIEWS and isinstance(value, torch.Tensor) and any(type(n) is int and n == 0 for n in value.shape):
            raise CompilationError("requires views with elements, but one has none")
        if isinstance(value, torch.Tensor) and value.is_complex():
            raise CompilationError(f"requires real numbers, but has {kind}")
        if str(kind).startswith(("torch.int8", "torch.uint")) and packet not in _OF_ALL_INTEGERS:
            raise CompilationError(f"requires floats, bool, or signed integers of 16 to 64 bits, but has {kind}")


def linalg_of(graph: Any) -> str:
    """The text of a graph of ATen as a function on tensors, called main. Operands of the graph are rewritten.

    Raises:
        CompilationError: torch-mlir has no equivalent in linalg for an operation.
    """
    fx = module("torch_mlir.fx", "the backend mdh")
    if complex.has_complex(graph):
        graph = complex.split(graph)
    for node in calls(graph):
        _check_operation(node)
    try:
        rewrite(graph)
        imported = fx.stateless_fx_import(graph, output_type="raw", model_name="main")
        return lowering.linalg_of(imported)
    except Exception as error:
        raise CompilationError(f"torch-mlir does not lower it: {without_address(error)}") from error


def _check_values(nodes: list[Any]) -> None:
    """Raises `CompilationError` unless inputs and results are dense tensors in the memory of the processor, or are numbers."""
    torch = module("torch", "the backend mdh")
    for node in nodes:
        value = None if node is None else node.meta.get("val") if hasattr(node, "meta") else node
        if isinstance(value, torch.Tensor):
            if value.device.type != "cpu":
                message = f"requires tensors in the memory of the processor, but one is on {value.device}"
                raise CompilationError(message)
            if value.layout is not torch.strided or value.is_quantized:
                raise CompilationError(f"requires dense tensors, but one is {value.layout}, {value.dtype}")
        elif value is not None and not (isinstance(value, (int, float, torch.SymInt)) and node.op == "placeholder"):
            raise CompilationError(f"requires tensors as results, but one is {type(value).__name__}")


def check(graph: Any) -> str:
    """The text of a graph on tensors, whose results are those of its operations.

    Raises:
        CompilationError: it has other inputs or results, or torch-mlir has no equivalent for an operation.
    """
    nodes = list(graph.graph.nodes)
    (end,) = (node for node in nodes if node.op == "output")
    _check_values([*(node for node in nodes if node.op == "placeholder"), *end.args[0]])
    return linalg_of(graph)


class Subgraph:
    """A graph of ATen as a function of tensors in the memory of the processor.

    Raises:
        CompilationError: it cannot be compiled, and why.
    """

    def __init__(self, graph: Any, options: Options) -> None:
        torch = module("torch", "the backend mdh")
        self._torch, self._graph, self._options = torch, graph, options
        nodes = list(graph.graph.nodes)
        inputs = [node for node in nodes if node.op == "placeholder"]
        (end,) = (node for node in nodes if node.op == "output")
        values = list(end.args[0]) if isinstance(end.args[0], (tuple, list)) else [end.args[0]]
        self._single = not isinstance(end.args[0], (tuple, list))
        _check_values([*inputs, *values])
        # Inputs that are results, too, are returned as they are.
        self._results: list[int | None] = [inputs.index(value) if value in inputs else None for value in values]
        computed = [value for value in values if value is not None and value not in inputs]
        self._absent = [value is None for value in values]
        self._outputs = [_Output(torch, value.meta["val"]) for value in computed]
        self._static = all(output.static for output in self._outputs)
        self._bf16 = torch.bfloat16
        chosen = replace(options, threads=options.threads or torch.get_num_threads())
        used = _with_outputs(graph, computed)
        with failures.remembered(chosen, *description(used)):
            self.function = program.compile(
                linalg_of(used), "main", threads=chosen.threads, strict=chosen.strict, database=chosen.database
            )

    def __call__(self, *inputs: Any) -> Any:
        try:
            return self._computed(*inputs)
        except ArgumentTypeError as error:
            # What PyTorch says of the results of its own operations is not always so: those of `_batch_norm_with_update` are f32.
            if not self._options.fallback:
                raise
            fallback.say(_LOG, self._options, [f"PyTorch executes a part of a graph: {error}"])
            return self._graph(*inputs)

    def _computed(self, *inputs: Any) -> Any:
        given = [self._array(one) if isinstance(one, self._torch.Tensor) else one for one in inputs]
        if self._static:
            computed = [output.empty() for output in self._outputs]
            self.function(*given, out=[self._array(one) for one in computed])
        else:
            outcome = self.function(*given)
            results = outcome if isinstance(outcome, tuple) else (outcome,)
            computed = [output.arranged(one) for output, one in zip(self._outputs, results)]
        rest = iter(computed)
        values = [
            None if absent else next(rest) if number is None else inputs[number]
            for number, absent in zip(self._results, self._absent)
        ]
        return values[0] if self._single else tuple(values)

    def _array(self, tensor: Any) -> Any:
        """A tensor as an array of NumPy that shares its memory; bf16 are unsigned integers."""
        plain = tensor.detach().resolve_neg()
        if plain.is_complex():
            # Compiled code has pairs.
            plain = self._torch.view_as_real(plain.resolve_conj())
        return (plain.view(self._torch.uint16) if plain.dtype is self._bf16 else plain).numpy()


class _Output:
    """A tensor that a graph computes: its shape, and the strides that the rest of the program counts on."""

    def __init__(self, torch: Any, value: Any) -> None:
        self._torch = torch
        self._dtype = value.dtype
        sizes, strides = tuple(value.shape), tuple(value.stride())
        if _overlap(sizes, strides):
            # A view such as that of `expand` becomes a copy.
            strides = tuple(torch.empty_strided(sizes, strides, device="meta").contiguous().stride())
        self.static = all(isinstance(one, int) for one in (*sizes, *strides))
        self._sizes, self._strides = sizes, strides
        # The dimensions from the one with the largest stride on, by example for sizes that are not known.
        self._order = sorted(range(len(sizes)), key=lambda i: -example(strides[i]))

    def empty(self) -> Any:
        return self._torch.empty_strided(self._sizes, self._strides, dtype=self._dtype)

    def arranged(self, array: Any) -> Any:
        """The result as a tensor whose dimensions are ordered in memory as expected."""
        tensor = array if isinstance(array, self._torch.Tensor) else interchange.to_torch(array)
        tensor = self._torch.view_as_complex(tensor) if self._dtype.is_complex else tensor
        tensor = tensor if tensor.dtype == self._dtype else tensor.view(self._dtype)
        back = [self._order.index(i) for i in range(len(self._order))]
        return tensor.permute(self._order).contiguous().permute(back)


def _overlap(sizes: tuple[Any, ...], strides: tuple[Any, ...]) -> bool:
    """Whether elements of a tensor share memory, as far as sizes and strides are known."""
    if any(type(stride) is int and stride == 0 and example(size) != 1 for size, stride in zip(sizes, strides)):
        return True
    if not all(isinstance(one, int) for one in (*sizes, *strides)):
        return False
    length = 1
    for stride, size in sorted((stride, size) for size, stride in zip(sizes, strides) if size > 1):
        if stride < length:
            return True
        length += (size - 1) * stride
    return False


def _version_of_torch_mlir() -> str:
    try:
        return version("torch-mlir")
    except PackageNotFoundError:
        # It is missing, which is an error of its own, or built by the user.
        return ""


def description(graph: Any) -> list[str]:
    """What determines whether a graph can be compiled: its code, the types of its inputs and constants, and versions."""
    torch = module("torch", "the backend mdh")
    description = [torch.__version__, _version_of_torch_mlir(), graph.code]
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            description.append(str(node.meta.get("val")))
        elif node.op == "get_attr":
            constant = getattr(graph, node.target, None)
            description.append(f"{getattr(constant, 'dtype', None)} {getattr(constant, 'shape', None)}")
    return description


def _with_outputs(graph: Any, values: list[Any]) -> Any:
    """A copy of a graph with these results, and without what they do not need but the inputs."""
    fx = module("torch.fx", "the backend mdh")
    copied = fx.Graph()
    environment: dict[Any, Any] = {}
    for node in graph.graph.nodes:
        if node.op != "output":
            environment[node] = copied.node_copy(node, lambda used: environment[used])
    copied.output(tuple(environment[value] for value in values))
    copied.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output"))
    return fx.GraphModule(graph, copied)
