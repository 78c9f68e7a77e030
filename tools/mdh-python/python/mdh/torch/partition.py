"""Graphs of ATen operations in parts: PyTorch executes what cannot be compiled."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import CompilationError
from ..frameworks.fallback import Options
from ..frameworks.modules import module
from .graph import Subgraph, calls, check, description, is_random
from .words import location, reason

# How the names of the parts of a graph begin.
_PART = "mdh_part_"


@dataclass
class Partition:
    """What of a graph is compiled."""

    # The numbers of operations of the compiled parts.
    compiled: list[int] = field(default_factory=list)
    # By operation that is not compiled, or by the size of such a part: why.
    reasons: dict[str, str] = field(default_factory=dict)


def partition(graph: Any, options: Options) -> tuple[Any, Partition]:
    """A graph whose parts are compiled where that is possible; PyTorch executes the others."""
    outcome = Partition()
    _draw_in_order(graph)
    return _partitioned(graph, options, outcome, is_thorough=False), outcome


class _After:
    """An operation, after the result of another one."""

    def __init__(self, target: Any) -> None:
        self.target, self.tags = target, target.tags
        self.__name__ = "after"

    def __call__(self, _: Any, *arguments: Any, **named: Any) -> Any:
        return self.target(*arguments, **named)

    def __str__(self) -> str:
        return str(self.target)


def _draw_in_order(graph: Any) -> None:
    """Makes each operation with random numbers depend on the one before, so that parts keep their order."""
    previous = None
    for node in calls(graph):
        if not is_random(node):
            continue
        drawn = node
        if previous is not None:
            with graph.graph.inserting_before(node):
                drawn = graph.graph.call_function(_After(node.target), (previous, *node.args), dict(node.kwargs))
            drawn.meta = dict(node.meta)
            node.replace_all_uses_with(drawn)
            graph.graph.erase_node(node)
        previous = drawn
    graph.recompile()


def problem(graph: Any, options: Options, error: CompilationError) -> CompilationError:
    """The error at the first operation of a graph that cannot be compiled; `error`, that of the graph, if each can be."""
    for node in calls(graph):
        if node.target is not operator.getitem:
            try:
                _check_alone(graph, node, options)
            except CompilationError as found:
                return CompilationError(f"{location(node)}{reason(node, found)}")
    return error


def _check_alone(graph: Any, node: Any, options: Options, is_thorough: bool = False) -> None:
    """Raises `CompilationError` if an operation alone cannot be lowered or, thoroughly, compiled."""
    # Operations of this dialect are expanded by the compiler, which does not know all of them.
    if is_thorough or "tm_tensor." in check(_alone(graph, node)):
        Subgraph(_alone(graph, node), options)


def _partitioned(graph: Any, options: Options, outcome: Partition, is_thorough: bool) -> Any:
    """The graph in parts. `is_thorough`: whether operations are compiled alone before they belong to a part, which takes long;
    otherwise, they are lowered alone, and parts that cannot be compiled are partitioned thoroughly."""
    partitioner = module("torch.fx.passes.infra.partitioner", "the backend mdh").CapabilityBasedPartitioner
    support = module("torch.fx.passes.operator_support", "the backend mdh").create_op_support
    # By operation with the types of its operands: whether it can be lowered.
    known: dict[str, bool] = {}

    def is_supported(_: Any, node: Any) -> bool:
        if node.op != "call_function":
            return False
        if node.target is operator.getitem:
            return is_supported(_, node.args[0])
        if not node.all_input_nodes and node.users and not any(is_supported(_, user) for user in node.users):
            # A constant that PyTorch reads is no part of its own, after which others would have to wait.
            return False
        key = " ".join(description(_alone(graph, node)))
        if key not in known:
            try:
                _check_alone(graph, node, options, is_thorough)
                known[key] = True
            except CompilationError as error:
                known[key] = False
                outcome.reasons[str(node.target)] = reason(node, error)
        return known[key]

    split = partitioner(graph, support(is_supported), allows_single_node_partition=True)
    fused = split.fuse_partitions(split.propose_partitions(), prefix=_PART)
    for name, part in list(fused.named_children()):
        if name.startswith(_PART):
            size = len(calls(part))
            try:
                setattr(fused, name, _as_module(Subgraph(part, options)))
                outcome.compiled.append(size)
            except CompilationError as error:
                if is_thorough:
                    outcome.reasons[f"a part of {size} operations"] = str(error)
                else:
                    setattr(fused, name, _partitioned(part, options, outcome, is_thorough=True))
    return fused


def _alone(graph: Any, node: Any) -> Any:
    """A graph of one operation."""
    fx = module("torch.fx", "the backend mdh")
    alone = fx.Graph()

    def input_of(used: Any) -> Any:
        if used.op == "get_attr":
            return alone.node_copy(used)
        placeholder = alone.placeholder(used.name)
        placeholder.meta = dict(used.meta)
        return placeholder

    inputs = {used: input_of(used) for used in node.all_input_nodes}
    copied = alone.node_copy(node, lambda used: inputs[used])
    parts = [user for user in node.users if user.target is operator.getitem]
    results = [alone.node_copy(part, lambda _: copied) for part in parts] if parts else [copied]
    alone.output(tuple(results))
    return fx.GraphModule(graph, alone)


def _as_module(function: Callable[..., Any]) -> Any:
    """A module that calls a function."""
    created = module("torch.nn", "the backend mdh").Module()
    created.forward = function
    return created
