"""Data-parallel computations as multi-dimensional homomorphisms (MDH), in the interface published on mdh-lang.org.

    from mdh import *
    from mdh import compiler as mdhc

    def matvec(T: BasicType, I: int, K: int):
        @mdh()
        def matvec():
            @scalar_function()
            def multiply(out: Scalar[T], inp: Scalar[T, T]):
                out['w'] = inp['M'] * inp['v']
            return (
                out_view[T](w=[lambda i, k: (i)]),
                md_hom[I, K](multiply, (cc, pw(add))),
                inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
            )
        return matvec

    function = mdhc.compile(computation=matvec(fp32, 1024, 1024))
    function.run(w, M, v)

`min` and `max`, the operators, are not part of `from mdh import *`, because `pw(min)` and `pw(max)` take Python's own.
"""

from __future__ import annotations

from . import _platform

_platform.check()

from ._native import __version__ as __version__
from .agreement import ResultError
from .benchmark import Benchmark as Benchmark
from .benchmark import Timing as Timing
from .benchmark import benchmark as benchmark
from .computations.computation import Computation, Parameter
from .computations.decorator import mdh
from .computations.operators import add, and_, cc, mul, or_, ps, ps_custom_func, pw, pw_custom_func, xor
from .computations.operators import max as max
from .computations.operators import min as min
from .computations.sizes import Size
from .computations.views import combine_ops, inp, inp_view, md_hom, out, out_view, scalar_function
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    CacheWarning,
    CompilationError,
    Error,
    ExecutionError,
    Location,
    TranslationError,
    TuningError,
)
from .explain import Explanation as Explanation
from .explain import explain as explain
from .function import Function as Function
from .jax.function import JitFunction as JitFunction
from .jax.jit import jit as jit
from .program import compile as compile
from .tuning.tuner import Tuner as Tuner
from .tuning.tuner import TuningResult as TuningResult
from .tuning.tuner import tune as tune
from .types import BasicType, Buffer, Scalar, bf16, bool_, fp16, fp32, fp64, int8, int16, int32, int64

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "BasicType",
    "Buffer",
    "CacheWarning",
    "CompilationError",
    "Computation",
    "Error",
    "ExecutionError",
    "Location",
    "Parameter",
    "ResultError",
    "Scalar",
    "Size",
    "TranslationError",
    "TuningError",
    "add",
    "and_",
    "bf16",
    "bool_",
    "cc",
    "combine_ops",
    "fp16",
    "fp32",
    "fp64",
    "inp",
    "inp_view",
    "int8",
    "int16",
    "int32",
    "int64",
    "md_hom",
    "mdh",
    "mul",
    "or_",
    "out",
    "out_view",
    "ps",
    "ps_custom_func",
    "pw",
    "pw_custom_func",
    "scalar_function",
    "xor",
]

# After `from mdh import *`, the name `mdh` is that of the decorator, which leads to these functions, too.
for _function in (benchmark, compile, explain, jit, tune):
    setattr(mdh, _function.__name__, _function)
