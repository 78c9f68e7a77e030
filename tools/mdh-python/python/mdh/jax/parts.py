"""Programs of JAX in parts: what cannot be compiled is executed by JAX.

    sort(x * 2) + 1   -->   compiled: a = x * 2   JAX: b = sort(a)   compiled: b + 1

A part is what runs at once: an equation belongs to the first part of its kind after those that compute its operands, so that
there are as few parts one after the other as possible.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from ..arrays import interchange
from ..errors import CompilationError, Error
from ..frameworks import fallback
from ..frameworks.modules import module
from .elements import Elements

# The parameters of equations that call a program once.
_CALLED = ("jaxpr", "call_jaxpr")
# Equations with such a parameter that are more than a call.
_LOOPS_AND_BRANCHES = ("cond", "custom_partitioning", "scan", "shard_map", "while")

# A compiled part.
_Function = Callable[[Sequence[Any], bool], list[Any]]


@dataclass
class _Step:
    """A part: its function, whether it is compiled, and the numbers of the values that it reads, computes, and reads as the last one."""

    call: Callable[[list[Any]], Sequence[Any]]
    is_compiled: bool
    operands: list[int]
    results: list[int]
    last: list[int]


@dataclass
class _Equations:
    """Equations that run at once."""

    is_compiled: bool
    equations: list[Any] = field(default_factory=list)


class Parts:
    """A program of JAX whose parts are compiled where that is possible.

    Args:
        program: the closed program (`jax.extend.core.ClosedJaxpr`).
        compiled: compiles a traced program, and raises `CompilationError` if it cannot be compiled.
        check: raises `CompilationError` if the operations of a traced program cannot be compiled.
    """

    def __init__(self, program: Any, compiled: Callable[[Any], _Function], check: Callable[[Any], None]) -> None:
        self._jax = module("jax", "mdh.jit")
        self._core = module("jax.extend.core", "mdh.jit")
        self._compiled = compiled
        self._check = check
        # By what JAX executes: why.
        self.reasons: dict[str, str] = {}
        # The numbers of equations of the compiled parts.
        self.sizes: list[int] = []
        self._known: dict[Any, str | None] = {}
        self._new = self._core.gensym()
        jaxpr = program.jaxpr
        values = {**dict(zip(jaxpr.constvars, jaxpr.constvars)), **dict(zip(jaxpr.invars, jaxpr.invars))}
        equations = list(self._flat(jaxpr.eqns, values))
        self._results = [self._value(values, result) for result in jaxpr.outvars]
        self._count = len(equations)
        self._numbers: dict[Any, int] = {}
        for variable in (*jaxpr.constvars, *jaxpr.invars):
            self._number(variable)
        self._constants = list(program.consts)
        self._elements = [
            Elements(one.aval.dtype, getattr(one.aval, "weak_type", False)) for one in self._results
        ]
        self._steps = self._scheduled(equations)
        self._places = [None if self._is_literal(one) else self._number(one) for one in self._results]

    def __call__(self, leaves: Sequence[Any], is_jax: bool) -> list[Any]:
        """Calls the parts. `is_jax`: whether results are arrays of JAX."""
        values: list[Any] = [*self._constants, *leaves]
        given = len(values)
        values += [None] * (len(self._numbers) - given)
        with self._on_processor():
            for step in self._steps:
                for number in step.operands:
                    # JAX reads what a compiled part has computed where it is.
                    if not step.is_compiled and number >= given and isinstance(values[number], numpy.ndarray):
                        values[number] = interchange.to_jax(values[number])
                outcome = step.call([values[number] for number in step.operands])
                for number, value in zip(step.results, outcome):
                    values[number] = value
                for number in step.last:
                    values[number] = None
            results = []
            for atom, place, elements in zip(self._results, self._places, self._elements):
                value, dtype = atom.val if place is None else values[place], atom.aval.dtype
                is_new = place is not None and place >= given
                results.append(elements.finished(value if is_new else self._jax.numpy.array(value, dtype), is_jax))
        return results

    def report(self, problem: Exception) -> Iterator[str]:
        """What JAX executes, and why; `problem`: that of the whole program."""
        reasons = self.reasons or {"the function": str(problem)}
        return fallback.report("JAX", "program", self._count, reasons, self.sizes)

    def _on_processor(self) -> Any:
        """The context in which JAX executes: by default, it would use a GPU."""
        if self._jax.default_backend() == "cpu":
            return contextlib.nullcontext()
        return self._jax.default_device(self._jax.devices("cpu")[0])

    def _is_literal(self, atom: Any) -> bool:
        return isinstance(atom, self._core.Literal)

    def _number(self, variable: Any) -> int:
        return self._numbers.setdefault(variable, len(self._numbers))

    def _value(self, values: dict[Any, Any], atom: Any) -> Any:
        return atom if self._is_literal(atom) else values[atom]

    def _flat(self, equations: Sequence[Any], values: dict[Any, Any]) -> Iterator[Any]:
        """Equations with those of the programs that they call, if these cannot be compiled. `values`: by variable of the
        program, that of the whole one."""
        for equation in equations:
            operands = [self._value(values, atom) for atom in equation.invars]
            called = None if self._problem(equation) is None else self._callee(equation)
            if called is None:
                results = [self._new(result.aval) for result in equation.outvars]
                values.update(zip(equation.outvars, results))
                yield equation.replace(invars=operands, outvars=results)
                continue
            inner = dict(zip(called.jaxpr.invars, operands))
            for variable, constant in zip(called.jaxpr.constvars, called.consts):
                inner[variable] = self._core.Literal(constant, variable.aval)
            yield from self._flat(called.jaxpr.eqns, inner)
            values.update(zip(equation.outvars, [self._value(inner, result) for result in called.jaxpr.outvars]))

    def _callee(self, equation: Any) -> Any:
        """The closed program that an equation calls once; None if it is not a call."""
        if equation.primitive.name in _LOOPS_AND_BRANCHES:
            return None
        for name in _CALLED:
            called = equation.params.get(name)
            if isinstance(called, self._core.Jaxpr):
                called = self._core.ClosedJaxpr(called, ()) if not called.constvars else None
            if isinstance(called, self._core.ClosedJaxpr) and len(called.jaxpr.invars) == len(equation.invars):
                return called
        return None

    def _problem(self, equation: Any) -> str | None:
        """Why an equation cannot be compiled; None if it can."""
        key = (equation.primitive, str(equation.params), *[str(one.aval) for one in equation.invars])
        if key not in self._known:
            try:
                operands = list(dict.fromkeys(one for one in equation.invars if not self._is_literal(one)))
                self._check(self._traced([equation], operands, equation.outvars))
                self._known[key] = None
            except Error as error:
                self._known[key] = str(error)
        return self._known[key]

    def _function(self, equations: Sequence[Any], operands: Sequence[Any], results: Sequence[Any]) -> Any:
        """Equations as a function."""
        effects = frozenset().union(*[equation.effects for equation in equations])
        names = [tuple(str(number) for number in range(len(values))) for values in (operands, results)]
        information = self._core.DebugInfo("mdh.jit", "part", *names)
        jaxpr = self._core.Jaxpr((), operands, results, equations, effects, information)
        return self._core.jaxpr_as_fun(self._core.ClosedJaxpr(jaxpr, ()))

    def _traced(self, equations: Sequence[Any], operands: Sequence[Any], results: Sequence[Any]) -> Any:
        """Equations as a traced program."""
        shapes = [
            self._jax.ShapeDtypeStruct(one.aval.shape, one.aval.dtype, weak_type=getattr(one.aval, "weak_type", False))
            for one in operands
        ]
        function = self._function(equations, operands, results)
        return self._jax.jit(function, keep_unused=True).trace(*shapes)

    def _scheduled(self, equations: list[Any]) -> list[_Step]:
        """The parts in the order in which they run."""
        used = {result for result in self._results if not self._is_literal(result)}
        live = []
        for equation in reversed(equations):
            if equation.effects or not used.isdisjoint(equation.outvars):
                live.append(equation)
                used.update(one for one in equation.invars if not self._is_literal(one))
        # Parts of an even number are compiled.
        parts: list[_Equations] = []
        part_of: dict[Any, int] = {}
        for equation in reversed(live):
            problem = self._problem(equation)
            if problem is not None:
                self.reasons.setdefault(equation.primitive.name, problem)
            after = max([part_of.get(one, 0) for one in equation.invars if not self._is_literal(one)], default=0)
            # Effects stay in order.
            after = len(parts) if equation.effects and parts else after
            number = after + (after % 2 != (problem is not None))
            while len(parts) <= number:
                parts.append(_Equations(len(parts) % 2 == 0))
            parts[number].equations.append(equation)
            part_of.update((result, number) for result in equation.outvars)
        return self._linked([part for part in parts if part.equations])

    def _linked(self, parts: list[_Equations]) -> list[_Step]:
        """Parts with what they hand over."""
        steps: list[_Step] = []
        read = {result for result in self._results if not self._is_literal(result)}
        for part in reversed(parts):
            made = {result for equation in part.equations for result in equation.outvars}
            operands = list(
                dict.fromkeys(
                    one
                    for equation in part.equations
                    for one in equation.invars
                    if not self._is_literal(one) and one not in made
                )
            )
            results = [one for equation in part.equations for one in equation.outvars if one in read]
            last = [one for one in operands if one not in read]
            call, is_compiled = self._part(part, operands, results)
            numbers = [[self._number(one) for one in values] for values in (operands, results, last)]
            steps.append(_Step(call, is_compiled, *numbers))
            read.update(operands)
        return steps[::-1]

    def _part(
        self, part: _Equations, operands: list[Any], results: list[Any]
    ) -> tuple[Callable[[list[Any]], Sequence[Any]], bool]:
        """The function of a part, and whether it is compiled."""
        size = len(part.equations)
        if part.is_compiled:
            try:
                function = self._compiled(self._traced(part.equations, operands, results))
                self.sizes.insert(0, size)
                return lambda values: function(values, False), True
            except CompilationError as error:
                self.reasons[f"a part of {fallback.operations(size)}"] = str(error)
        executed: Callable[..., Sequence[Any]] = self._jax.jit(self._function(part.equations, operands, results))
        return lambda values: executed(*values), False
