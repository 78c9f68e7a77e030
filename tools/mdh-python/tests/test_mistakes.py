"""Typical mistakes: each is one line in the terms of the user's program, without internals and addresses."""

from __future__ import annotations

import importlib.util
import pathlib
import re
from typing import Any

import pytest

HEAD = """
import math, operator
import numpy
from mdh import *
from mdh import compiler as mdhc
@pw_custom_func()
def larger(res, lhs, rhs):
    res['w'] = lhs['w'] if lhs['w'] > rhs['w'] else rhs['w']
"""
# A computation as views, of which a mistake replaces a part.
PARTS = {
    "name": "matvec",
    "scalar": "@scalar_function()",
    "body": "out['w'] = inp['M'] * inp['v']",
    "out": "out_view[fp32](w=[lambda i, k: (i)])",
    "hom": "md_hom[4, 5](f, (cc, pw(add)))",
    "inp": "inp_view[fp32, fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)])",
    "returned": "{out}, {hom}, {inp}",
}
VIEWS = """
@mdh()
def {name}():
    {scalar}
    def f(out, inp):
        {body}
    return {returned}
"""
# And as a nest of loops.
LOOPS = """
@mdh({arguments})
def matvec({parameters}):
    for i in range(4):
        for k in {extent}:
            {assignment}
"""
NEST = {
    "arguments": "out(w=Buffer[fp32]), inp(M=Buffer[fp32], v=Buffer[fp32]), combine_ops(cc, pw(add))",
    "parameters": "w, M, v",
    "extent": "range(5)",
    "assignment": "w[i] = M[i, k] * v[k]",
}
# Calls of the compiled computation f of arrays M and v, and of a program in MLIR.
CALLS = """
M, v, w = numpy.ones((4, 5), "f"), numpy.ones(5, "f"), numpy.zeros(4, "f")
read_only = w.copy()
read_only.flags.writeable = False
program = "func.func @program(%x: tensor<4xf32>) -> tensor<4xf32> {{ return %x : tensor<4xf32> }}"
f = mdhc.compile(matvec, database="") if {compiled} else None
{call}
"""

OF_VIEWS = [
    ({"body": "out['x'] = inp['M'] * inp['v']"}, "'out' has no buffer 'x': it has 'w'"),
    ({"body": "out['w'] = inp['M'] * inp['vv']"}, "'inp' has no buffer 'vv': did you mean 'v'?"),
    ({"body": "out['w'] = inp['m'] * inp['v']"}, "'inp' has no buffer 'm': did you mean 'M'?"),
    ({"body": "out['w'] = inp.M * inp['v']"}, "'inp' has no attribute 'M': write inp[…]"),
    (
        {"body": "out['w'] = math.sqr(inp['M'])"},
        "the module 'math' has no attribute 'sqr': did you mean 'sqrt'?",
    ),
    ({"body": "alpha = inp['M']; out['w'] = alpah"}, "the name 'alpah' is not defined: did you mean 'alpha'?"),
    (
        {"body": "out['w'] = numpy.dot(inp['M'], inp['v'])"},
        "'dot' cannot be called here: a type, a function of math or a function of the program is required",
    ),
    (
        {"body": "out['w'] = inp['M'] @ inp['v']"},
        "'@' cannot be translated: a product of matrices is a computation of its own",
    ),
    ({"body": "out['w'] = inp['M'] * 'v'"}, "a number is required, not 'v'"),
    ({"body": "out['w'] = inp['M'] * numpy.pi * numpy"}, "a number is required, not the module 'numpy'"),
    ({"body": "return inp['M']"}, "this function assigns its results, and must not return a value"),
    ({"body": "print(inp['M'])"}, "the result of 'print' must be used: a function must not have side effects"),
    ({"scalar": ""}, "md_hom requires a function decorated with @scalar_function()"),
    ({"scalar": "@scalar_function"}, "the decorator requires parentheses: write @scalar_function()"),
    (
        {"returned": "{out}, {hom}"},
        "a function of @mdh() must return out_view[…](…), md_hom[…](…), inp_view[…](…)",
    ),
    (
        {"hom": "md_hom(4, 5, f)"},
        "md_hom requires the extents in brackets, a scalar function, and the combine operators, such as md_hom[I](f, cc)",
    ),
    (
        {"inp": "inp_view[fp32]([lambda i, k: (i, k)])"},
        "inp_view requires buffers with names, such as inp_view[fp32](x=[lambda i: (i)])",
    ),
    ({"hom": "md_hom[4, 5](f, cc)"}, "2 dimensions require as many combine operators, but there are 1"),
    (
        {"hom": "md_hom[4, 5](f, (cc, add))"},
        "a combine operator must be cc, pw(…) or ps(…), but is add: did you mean pw(add)?",
    ),
    (
        {"hom": "md_hom[4, 5](f, (cc, 'pw'))"},
        "a combine operator must be cc, pw(…) or ps(…), but is 'pw': did you mean pw?",
    ),
    (
        {"hom": "md_hom[4, 5](f, (cc, pw('ad')))"},
        "'ad' is no combining function: did you mean add?",
    ),
    (
        {"hom": "md_hom[4, 5](f, (cc, pw(operator.sub)))"},
        "the function 'sub' is no combining function: decorate it with @pw_custom_func() or @ps_custom_func()",
    ),
    (
        {"hom": "md_hom[4, 5](f, (cc, pw(lambda a, b: a)))"},
        "a lambda is no combining function: decorate it with @pw_custom_func() or @ps_custom_func()",
    ),
    ({"hom": "md_hom[4, -5](f, (cc, pw(add)))"}, "an extent must be an integer of at least 0, or a Size, but is -5"),
    (
        {"hom": "md_hom[4, 0](f, (cc, pw(larger)))"},
        "an extent of 0 requires an identity of 'larger': declare one, such as @pw_custom_func(identity=0)",
    ),
    ({"hom": "md_hom[4, 5.0](f, (cc, pw(add)))"}, "an extent must be an integer of at least 0, or a Size, but is 5.0"),
    ({"hom": "md_hom[4, '5'](f, (cc, pw(add)))"}, "an extent must be an integer of at least 0, or a Size, but is '5'"),
    (
        {"hom": "md_hom[4, len](f, (cc, pw(add)))"},
        "an extent must be an integer of at least 0, or a Size, but is the function 'len'",
    ),
    (
        {"out": "out_view['fp23'](w=[lambda i, k: (i)])"},
        "an element type must be a basic type, such as fp32, but is 'fp23': did you mean fp32?",
    ),
    (
        {"out": "out_view[numpy.float32](w=[lambda i, k: (i)])"},
        "an element type must be a basic type, such as fp32, but is the class 'float32': did you mean fp32?",
    ),
    ({"out": "out_view[fp32](w=[print])"}, "an index function of 'w' must be a lambda, but is the function 'print'"),
    (
        {"inp": "inp_view[fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)])"},
        "inp_view requires a type for each of its 2 buffers, but has 1",
    ),
    (
        {"name": "matvec(w, M, v)", "returned": "0"},
        "a function of @mdh() has no parameters: those of the directive form require its buffers as arguments",
    ),
]
OF_LOOPS = [
    ({"extent": "range(1, 5)"}, "a loop over a dimension requires range(EXTENT), from 0 and with step 1"),
    ({"extent": "range(5.0)"}, "this constant has no value: 'float' object cannot be interpreted as an integer"),
    (
        {"assignment": "w[i] += M[i, k] * v[k]"},
        "'w' is an output, which cannot be read: combine_ops says how results are combined",
    ),
    ({"assignment": "w[i] = M[i, k] * vv[k]"}, "the name 'vv' is not defined: did you mean 'v'?"),
    ({"assignment": "w[i] = M[i, k]"}, "'v' must be read in the loops"),
    ({"parameters": "M, v, w"}, "the parameters must be the outputs and the inputs, (w, M, v), but are (M, v, w)"),
    (
        {"arguments": "inp(M=Buffer[fp32], v=Buffer[fp32]), out(w=Buffer[fp32]), combine_ops(cc, pw(add))"},
        "the arguments of @mdh must be out(…), inp(…) and combine_ops(…), in this order",
    ),
]
COMPILED = [
    ("f(M.T, v)", "the input 'M' of matvec must have the shape (4, 5), but has (5, 4)"),
    ("f(M, v[None])", "the input 'v' of matvec must have the shape (5,), but has (1, 5)"),
    ("f(M.astype('d'), v)", "the input 'M' of matvec must have the type float32, but has float64: cast=True converts it"),
    ("f(M.astype('F'), v)", "the input 'M' of matvec must have the type float32, but has complex64"),
    ("f(M)", "matvec requires 2 arrays, its inputs (M, v), but has 1"),
    ("f(w, M, v)", "matvec requires 2 arrays, its inputs (M, v), but has 3"),
    ("f('M', v)", "the input 'M' of matvec requires an array, but is str"),
    ("f([[1.0]], v)", "the input 'M' of matvec requires an array, but is list"),
    ("f(M, vv=v)", "'matvec' has no input 'vv': did you mean 'v'?"),
    ("f(M=M)", "'matvec' requires the input 'v'"),
    ("f(M, v, M=M)", "'matvec' has two values for the input 'M'"),
    ("f.run(w, M=M, v=v)", "matvec.run requires arrays without names, those for results first, but has 'M'"),
    ("f.run(M, v)", "matvec requires 3 arrays, outputs first (w, M, v), but has 2"),
    ("f.run(M, v, w)", "the output 'w' of matvec must have the shape (4,), but has (4, 5)"),
    ("f.run(read_only, M, v)", "the output 'w' of matvec must be writable, but is read-only"),
    ("f.run(v[:4], M, v)", "the output 'w' of matvec and the input 'v' of matvec must not overlap"),
    ("f.source('lops')", re.compile("unknown stage 'lops': expects one of raise, .*, or mlir: did you mean 'loops'[?]")),
]
FUNCTION = "mdh.jit compiles functions on jax.numpy, and a function that returns a computation is called first"
MATVEC = "the computation 'matvec': mdh.compile and mdhc.compile compile it"
TEXT = "a text: mdh.compile compiles the text of a program in MLIR"
REQUIRED = "mdhc.compile requires a computation, which @mdh(…) makes of a function"
OTHERS = [
    ("mdhc.compile(lambda: matvec)", f"{REQUIRED}, but has a lambda: {FUNCTION}"),
    ("mdhc.compile(program)", f"{REQUIRED}, but has {TEXT}"),
    ("mdhc.compile(matvec.name.upper)", f"{REQUIRED}, but has the function 'upper': {FUNCTION}"),
    ("mdhc.compile(matvec, 'cpu')", "a backend must be CPU(…), CUDA(…) or OpenCL(…), but is 'cpu'"),
    ("mdhc.compile(matvec, tuner=object())", "a tuner must be Tuner(…) or pyATF(…), but is an object of type 'object'"),
    ("mdhc.compile(matvec, data_base='')", "mdhc.compile has no option 'data_base': did you mean 'database'?"),
    ("mdh.compile(program, thread=2)", "mdh.compile has no option 'thread': did you mean 'threads'?"),
    (
        "matvec(M, v)",
        "'matvec' is a computation, which is compiled before it is called: "
        "mdh.compile(matvec) is the function that takes arguments",
    ),
    ("mdh.compile(numpy.dot)", re.compile("mdh.compile requires a program in MLIR or a computation, but has .*'dot'.*")),
    ("mdh.compile('a.mlir')", "mdh.compile requires the text of a program, not the path 'a.mlir': read the file"),
    ("mdh.jit(3)", "mdh.jit requires a function on jax.numpy, but has 3"),
    ("mdh.jit(program)", f"mdh.jit requires a function on jax.numpy, but has {TEXT}"),
    ("mdh.jit(matvec)", f"mdh.jit requires a function on jax.numpy, but has {MATVEC}"),
    (
        "mdh.explain(matvec)",
        f"mdh.explain requires a compiled function, which mdh.compile, mdhc.compile or mdh.jit returns, but has {MATVEC}",
    ),
    ("mdh.tune(3)", "mdh.tune requires a compiled function, one of mdh.jit, or a computation, but has 3"),
    ("mdh.benchmark(matvec)", f"mdh.benchmark requires functions, but has {MATVEC}"),
    ("mdhc.CPU(thread=2)", "CPU has no option 'thread': did you mean 'threads'?"),
    ("mdhc.pyATF(mdhc.CPURuntimeProfiler(), 3, sed=1)", "Tuner has no option 'sed': did you mean 'seed'?"),
    ("mdhc.Tuner(3, inputs=5)", "inputs must be a sequence of arrays, as run takes them, but is 5"),
    ("mdh.compile(program, threads=object())", "threads requires an integer from 1 to 1024, but is an object of type 'object'"),
    ("Size(4)", "a size requires a name, such as Size('N'), but has 4"),
]


def mistake(text: str, folder: pathlib.Path) -> str:
    """The message of a program, without its place, of which there is none outside of the program."""
    path = folder / "program.py"
    path.write_text(HEAD + text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec and spec.loader
    with pytest.raises(Exception) as raised:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert type(raised.value).__module__ == "mdh.errors"
    message = str(raised.value)
    assert "\n" not in message and " at 0x" not in message
    return re.sub(rf"^{re.escape(str(path))}:\d+:\d+: ", "", message)


def matches(message: str, expected: Any) -> bool:
    return message == expected if isinstance(expected, str) else expected.fullmatch(message) is not None


def views(**mistaken: str) -> str:
    parts = {**PARTS, **mistaken}
    if "(" not in parts["name"]:
        parts["name"] += "()"
    parts["returned"] = parts["returned"].format_map(parts)
    return VIEWS.replace("{name}()", "{name}").format_map(parts)


@pytest.mark.parametrize("case", OF_VIEWS)
def test_views(case: Any, tmp_path: pathlib.Path) -> None:
    message = mistake(views(**case[0]), tmp_path)
    assert message == case[1]


@pytest.mark.parametrize("case", OF_LOOPS)
def test_loops(case: Any, tmp_path: pathlib.Path) -> None:
    message = mistake(LOOPS.format_map({**NEST, **case[0]}), tmp_path)
    assert message == case[1]


@pytest.mark.parametrize("case", [*((*case, True) for case in COMPILED), *((*case, False) for case in OTHERS)])
def test_calls(case: Any, tmp_path: pathlib.Path) -> None:
    call, expected, compiled = case
    message = mistake(views() + CALLS.format(call=call, compiled=compiled), tmp_path)
    assert matches(message, expected), message
