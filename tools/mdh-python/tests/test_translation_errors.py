"""Errors of programs that cannot be translated: the place in the Python code, and the exact message.

In the programs below, `¶` marks the place that the error must name.
"""

from __future__ import annotations

import importlib.util
import pathlib
import tempfile
import textwrap

import pytest
from mdh import ArgumentTypeError, TranslationError, pw_custom_func

HEAD = "import math\nimport random\nfrom mdh import *\nword, words, size, cc2 = 'text', [], Size('L'), (cc, cc)\n"
# A program around the body of a scalar function of x, of fp32, and n, of int32; the result y has the type fp32.
SCALAR = """
def twice(a):
    return a + a
def again(a):
    return again(a)
def print_it(a):
    {mark}print(a)
    return a
@mdh()
def program():
    @scalar_function()
    def f(out, inp, idx):
        x, n = inp["x"], inp["n"]
{body}
    return out_view[fp32](y=[lambda i: (i)]), md_hom[8](f, cc), inp_view[fp32, int32](x=[lambda i: (i)], n=[lambda i: (i)])
"""
SCALARS = [
    (
        "out['y'] = ¶x + n",
        "the operands must have one type, but have fp32 and int32: convert one of them, such as fp32(x)",
    ),
    (
        "out['y'] = ¶n * 0.5",
        "the operands must have one type, but have int32 and a float constant: convert one of them, such as fp32(x)",
    ),
    (
        "¶out['y'] = n",
        "out['y'] and its value must have one type, but have fp32 and int32: convert one of them, such as fp32(x)",
    ),
    ("out['y'] = ¶x % 2", "'%' requires integers, not fp32: write math.fmod(a, b)"),
    ("out['y'] = ¶x // 2", "'//' requires integers, not fp32: write math.floor(a / b)"),
    ("out['y'] = fp32(¶n / 2)", "'/' requires floats, not int32: convert its operands to a float type, or use '//'"),
    ("out['y'] = ¶x | x", "'|' requires integers, not fp32"),
    ("out['y'] = fp32(¶math.sqrt(n))", "'sqrt()' requires floats, not int32: convert it, such as fp32(x)"),
    ("out['y'] = fp32(¶(x > 1) + (x > 2))", "'+' requires numbers, not bool_"),
    (
        "out['y'] = fp32(n + ¶3_000_000_000)",
        "the constant 3000000000 is not in the range of int32, -2147483648 to 2147483647",
    ),
    ("out['y'] = x * ¶1e39", "the constant 1e+39 is not in the range of fp32, up to 3.4028234663852886e+38"),
    ("out['y'] = fp32(n ** ¶-1)", "the exponent of a power of int32 must not be negative, but is -1"),
    ("out['y'] = x if ¶x else 1", "a condition must be a comparison or have the type bool_, not fp32"),
    ("out['y'] = fp32(¶not n)", "'not' requires bool_, not int32"),
    ("if x > 0:\n    z = x\nout['y'] = ¶z", "'z' must be assigned on every path before it is read"),
    ("out['y'] = fp32(¶(x > 1) > (x < 1))", "'>' requires numbers, not bool_"),
    (
        "out['y'] = fp32(¶n ** n)",
        "'**' requires floats, not int32: convert it, such as fp32(x), or use a constant exponent",
    ),
    ("out['y'] = ¶inp[idx[0]]", "a subscript of 'inp' must be constant: the name of a buffer, and a number"),
    ("out['y'] = -¶inp", "a number is required, not all of 'inp': a subscript is missing"),
    (
        "out['y'] = x * (¶10 ** 9999)",
        "the constant of 33216 bits is not in the range of fp32, up to 3.4028234663852886e+38",
    ),
    ("for k in ¶range(10 ** 30):\n    x = x + 1\nout['y'] = x", "the bounds of a loop must be less than 2^62"),
    ("out['y'] = ¶unknown", "the name 'unknown' is not defined"),
    ("out['y'] = ¶inp['z']", "'inp' has no buffer 'z': it has 'x', 'n'"),
    ("out['y'] = ¶inp['x', 2]", "'x' has 1 accesses: inp['x', n] requires n from 1 to 1"),
    ("¶inp['x'] = x", "inp['x'] is an input, which cannot be assigned"),
    ("out['y'] = x + ¶word", "a number is required, not 'text'"),
    ("out['y'] = ¶word * x", "a number is required, not 'text'"),
    (
        "out['y'] = ¶math.gamma(x)",
        "'gamma' cannot be called here: a type, a function of math or a function of the program is required",
    ),
    ("out['y'] = ¶math.sqrt(x, x)", "sqrt() requires one argument, but has 2"),
    ("out['y'] = ¶twice(x, x)", "'twice' requires 1 arguments, but has 2"),
    ("out['y'] = ¶x is x", "comparisons are ==, !=, <, <=, >, >=: 'is' and 'in' cannot be translated"),
    ("out['y'] = ¶f'{x}'", "a string cannot be translated"),
    (
        "¶while x > 0:\n    x = x - 1\nout['y'] = x",
        "'while' cannot be translated: write 'for n in range(CONSTANT)', which 'break' may leave",
    ),
    ("for k in ¶range(n):\n    x = x + 1\nout['y'] = x", "'range' requires constants here"),
    (
        "¶for k in range(3):\n    return\nout['y'] = x",
        "'return' inside of a loop cannot be translated: assign a variable and use 'break'",
    ),
    ("¶x + 1\nout['y'] = x", "a statement must assign a value: expressions have no effect"),
    ("¶print(x)\nout['y'] = x", "the result of 'print' must be used: a function must not have side effects"),
    (
        "¶words.append(x)\nout['y'] = x",
        "the result of 'words.append' must be used: a function must not have side effects",
    ),
    (
        "out['y'] = ¶words.pop()",
        "'pop' cannot be called here: a type, a function of math or a function of the program is required",
    ),
    (
        "out['y'] = ¶random.random()",
        "'random' cannot be called here: a type, a function of math or a function of the program is required",
    ),
    ("¶global word\nword = x\nout['y'] = x", "'global' is a side effect, which a function must not have"),
    ("¶del x\nout['y'] = 1", "'del' is a side effect, which a function must not have"),
    ("¶words[0] = x\nout['y'] = x", "only local variables and outputs can be assigned"),
    ("¶words.size = x\nout['y'] = x", "only local variables and outputs can be assigned"),
    ("¶words += [x]\nout['y'] = x", "'words' must be assigned on every path before it is read"),
    ("out['y'] = (¶word := x)", "':=' cannot be translated"),
    ("out['y'] = twice(print_it(x))", "the result of 'print' must be used: a function must not have side effects"),
    ("out['y'] = x\n¶return x", "this function assigns its results, and must not return a value"),
    ("¶with x: pass", "'with' cannot be translated"),
    ("¶x[0] = 1", "only local variables and outputs can be assigned"),
    ("a, b = x, x\n¶a, b = x, x, x\nout['y'] = a", "a tuple of 2 values is required"),
    ("out['y'] = x / (¶1 / 0)", "this constant has no value: division by zero"),
    ("a: ¶word = 1\nout['y'] = x", "the type of a variable must be a basic type, such as fp32"),
    (
        "¶for k in range(3):\n    out['y'] = x * k",
        "the loop over 'k' assigns out['y'] more than once: assign a local variable in the loop, and out['y'] after it",
    ),
    (
        "¶for k in range(3):\n    for l in range(3):\n        if x > l:\n            out['y'] = x * k",
        "the loop over 'k' assigns out['y'] more than once: assign a local variable in the loop, and out['y'] after it",
    ),
    (
        "out['y'] = x\n¶for k in range(3):\n    for l in range(3):\n        if x > l:\n            out['y'] = x\n            break",
        "the loop over 'k' assigns out['y'] more than once: assign a local variable in the loop, and out['y'] after it",
    ),
    ("out['y'] = ¶idx[1]", "this constant has no value: tuple index out of range"),
]
# Programs that are not well formed, around a scalar function f of x with the result y, both of fp32.
FORM = """
@scalar_function()
def f(out, inp):
    out["y"] = inp["x"]
@ps_custom_func()
def last(res, lhs, rhs):
    res["y"] = rhs["y"]
def plain(res, lhs, rhs):
    res["y"] = rhs["y"]
@mdh()
def program():
    {body}
"""
OUT, HOM, INP = "out_view[fp32](y=[lambda i: (i)])", "md_hom[8](f, cc)", "inp_view[fp32](x=[lambda i: (i)])"
DEFINED = "a function of @mdh() must return out_view[…](…), md_hom[…](…), inp_view[…](…)"
FORMS = [
    (
        "return out_view[bool_](y=[lambda i: ()]), ¶md_hom[8](f, pw(max)), inp_view[bool_](x=[lambda i: (i)])",
        "'max' combines numbers only, but 'y' has the type bool_",
    ),
    (f"return {OUT}, {HOM}", DEFINED),
    (f"return ¶{INP}, {HOM}, {OUT}", "a function of @mdh() must return out_view, md_hom and inp_view in this order"),
    (
        f"return {OUT}, ¶md_hom[8](f, (cc, cc)), {INP}",
        "1 dimensions require as many combine operators, but there are 2",
    ),
    (f"return {OUT}, ¶md_hom[-1](f, cc), {INP}", "an extent must be an integer of at least 0, or a Size, but is -1"),
    (f"return {OUT}, ¶md_hom[2.5](f, cc), {INP}", "an extent must be an integer of at least 0, or a Size, but is 2.5"),
    (f"return {OUT}, ¶md_hom(f, cc), {INP}", "a computation requires at least one dimension, such as md_hom[I]"),
    (f"return {OUT}, ¶md_hom[8](plain, cc), {INP}", "md_hom requires a function decorated with @scalar_function()"),
    (f"return {OUT}, ¶md_hom[8](f, add), {INP}", "a combine operator must be cc, pw(…) or ps(…), but is add: did you mean pw(add)?"),
    (f"return {OUT}, ¶md_hom[8](f, pw()), {INP}", "pw() requires a combining function, such as pw(add)"),
    (
        f"return {OUT}, ¶md_hom[8](f, pw(last)), {INP}",
        "pw() requires a commutative function: 'last' is one of ps_custom_func",
    ),
    (
        f"return {OUT}, ¶md_hom[8](f, ps(plain)), {INP}",
        "the function 'plain' is no combining function: decorate it with @pw_custom_func() or @ps_custom_func()",
    ),
    (
        f"return {OUT}, ¶md_hom[8](f, ps(and_)), {INP}",
        "'and' combines integers and bool_ only, but 'y' has the type fp32",
    ),
    (
        f"return {OUT}, ¶md_hom[8](f, ps(add, mul)), {INP}",
        "ps(add, mul) requires a function for each of 1 outputs, but has 2",
    ),
    (
        "return out_view[fp32](y=[lambda i, k: ()]), ¶md_hom[8, 8](f, (pw(add), pw(mul))), inp_view[fp32](x=[lambda i, k: (i)])",
        "all dimensions that are not concatenated must have one combining function, but there are pw(add) and pw(mul)",
    ),
    (
        f"return {OUT}, {HOM}, ¶inp_view[fp32, fp32](x=[lambda i: (i)])",
        "inp_view requires a type for each of its 1 buffers, but has 2",
    ),
    (
        f"return {OUT}, {HOM}, ¶inp_view[float](x=[lambda i: (i)])",
        "an element type must be a basic type, such as fp32, but is the class 'float': did you mean fp64?",
    ),
    (
        f"return {OUT}, {HOM}, ¶inp_view[fp32](y=[lambda i: (i)])",
        "an input and an output must have different names, but both are 'y'",
    ),
    (
        f"return {OUT}, {HOM}, ¶inp_view[fp32](x=[])",
        "'x' requires at least one index function, such as [lambda i: (i)]",
    ),
    (f"return {OUT}, {HOM}, ¶inp_view[fp32](x=[3])", "an index function of 'x' must be a lambda, but is 3"),
    (
        f"return {OUT}, {HOM}, inp_view[fp32](x=[¶lambda i, k: (i)])",
        "an index function of 'x' requires a parameter for each of 1 dimensions, but has 2",
    ),
    (
        f"return {OUT}, {HOM}, inp_view[fp32](x=[¶lambda i: (i * i)])",
        "an index of 'x' must be linear in the indices of the point, such as 2 * i + k + 1",
    ),
    (
        f"return {OUT}, {HOM}, inp_view[fp32](x=[¶lambda i: (i // 2)])",
        "an index of 'x' must be linear in the indices of the point, such as 2 * i + k + 1",
    ),
    (
        f"return {OUT}, {HOM}, inp_view[fp32](x=[lambda i: (i), ¶lambda i: (3 - i)])",
        "index 1 of 'x' must be at least 0, but its smallest value is -4",
    ),
    (
        f"return {OUT}, {HOM}, inp_view[fp32](x=[lambda i: (i), ¶lambda i: (i, i)])",
        "all accesses of 'x' must have the same number of indices, but they have 1 and 2",
    ),
    (
        "return out_view[fp32](y=[¶lambda i: ()]), md_hom[8](f, ps(add)), inp_view[fp32](x=[lambda i: (i)])",
        "y[()] is the same element for all 'i', whose operator is ps: an index of 'y' must depend on 'i', or a reduction combine it, such as pw(add)",
    ),
    (
        "return out_view[fp32](y=[¶lambda i, k: (i)]), md_hom[8, Size('K')](f, (cc, cc)), inp_view[fp32](x=[lambda i, k: (i, k)])",
        "y[i] is the same element for all 'k', whose operator is cc: an index of 'y' must depend on 'k', or a reduction combine it, such as pw(add)",
    ),
    (
        "return out_view[fp32](y=[¶lambda i, k: (3 * i + k)]), md_hom[8, 4](f, cc2), inp_view[fp32](x=[lambda i, k: (i, k)])",
        "y[i * 3 + k] at (i, k) = (0, 3) and y[i * 3 + k] at (i, k) = (1, 0) are the same element of 'y': each element must be assigned at one point only",
    ),
    (
        "return out_view[fp32](y=[¶lambda i: (i), lambda i: (2 * i + 1)]), md_hom[8](f, cc), inp_view[fp32](x=[lambda i: (i)])",
        "y[i * 2 + 1] at i = 0 and y[i] at i = 1 are the same element of 'y': each element must be assigned at one point only",
    ),
    (f"return {OUT}, {HOM}, inp_view[fp32](x=[lambda i: (i + ¶missing)])", "the name 'missing' is not defined"),
]
# Programs in the directive form, with two dimensions.
NEST = """
@mdh({arguments})
def program({parameters}):
{body}
"""
BUFFERS = "out(w=Buffer[fp32]), inp(M=Buffer[fp32], v=Buffer[fp32]), combine_ops(cc, pw(add))"
LOOPS = "for i in range(4):\n    for k in range(5):\n        "
WRITTEN = "2 combine operators require as many loops, 'for i in range(I)', with nothing between them: loop 2 is missing"
REPEATED = "the loop over 'l' assigns w[i] more than once: give the loop an operator in combine_ops, such as pw(add), or assign a local variable in it, and w[i] after it"
NESTS = [
    ("for i in range(4):\n    ¶w[i] = M[i, 0] * v[0]", WRITTEN),
    ("for i in range(4):\n    ¶s = 0\n    for k in range(5):\n        w[i] = M[i, k] * v[k]", WRITTEN),
    (
        "for i in range(4):\n    for k in ¶range(1, 5):\n        w[i] = M[i, k] * v[k]",
        "a loop over a dimension requires range(EXTENT), from 0 and with step 1",
    ),
    (
        "for i in range(4):\n    for k in range(2 * ¶v):\n        w[i] = M[i, k] * v[k]",
        "an extent must be an integer or a Size, but 'v' is a parameter",
    ),
    (
        "for i in range(4):\n    for ¶i in range(5):\n        w[i] = M[i, i] * v[i]",
        "each loop must have a variable of its own, but 'i' is taken",
    ),
    (
        LOOPS + "¶w[i] += M[i, k] * v[k]",
        "'w' is an output, which cannot be read: combine_ops says how results are combined",
    ),
    (LOOPS + "¶M[i, k] = v[k]", "'M' is an input, which cannot be assigned"),
    (
        LOOPS + "w[i] = M[i, ¶k * k] * v[k]",
        "an index of 'M' must be linear in the indices of the point, such as 2 * i + k + 1",
    ),
    (LOOPS + "¶for l in range(3):\n            w[i] = M[i, k] * v[l]", REPEATED),
    (LOOPS + "¶for l in range(3):\n            w[i] = M[i, k] * l", REPEATED),
    (LOOPS + "for m in range(3):\n            ¶for l in range(3):\n                w[i, m] = M[i, k]", REPEATED.replace("w[i]", "w[i, 0]")),
    (
        LOOPS + "¶for l in range(size):\n            w[i] = M[i, k] * v[l]",
        "the loop over 'l' requires an operator in combine_ops, such as pw(add), because its extent is a Size",
    ),
    (
        LOOPS + "¶w[()] = M[i, k] * v[k]",
        "w[()] is the same element for all 'i', whose operator is cc: an index of 'w' must depend on 'i', or a reduction combine it, such as pw(add)",
    ),
    (LOOPS + "w[i] = M[i, k] * ¶v[k - 1]", "index 1 of 'v' must be at least 0, but its smallest value is -1"),
    (LOOPS + "¶if v[k] > 0:\n            w[i] = M[i, k]", "w[i] must be assigned on every path"),
    (
        LOOPS + "w[i] = M[i, k] * k + ¶v[k] * fp64(k)",
        "the operands must have one type, but have fp32 and fp64: convert one of them, such as fp32(x)",
    ),
]


def check(text: str, message: str, fallback: str) -> None:
    """Runs a program, and compares its error, which is at the mark, or at a text if there is no mark."""
    at = text.index("¶" if "¶" in text else fallback)
    line, column = text[:at].count("\n") + 1, at - text.rfind("\n", 0, at)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(text.replace("¶", ""), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("program", path)
        assert spec and spec.loader
        with pytest.raises(TranslationError) as raised:
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert str(raised.value) == f"{path}:{line}:{column}: {message}"


@pytest.mark.parametrize("case", SCALARS)
def test_scalar_functions(case: tuple[str, str]) -> None:
    body, message = case
    text = SCALAR.replace("{body}", textwrap.indent(body, " " * 8)).replace("{mark}", "" if "¶" in body else "¶")
    check(HEAD + text, message, "")


@pytest.mark.parametrize("case", FORMS)
def test_forms(case: tuple[str, str]) -> None:
    body, message = case
    check(HEAD + FORM.format(body=body), message, "def program")


@pytest.mark.parametrize("case", NESTS)
def test_nests(case: tuple[str, str]) -> None:
    body, message = case
    text = NEST.format(arguments=BUFFERS, parameters="w, M, v", body=textwrap.indent(body, "    "))
    check(HEAD + text, message, "def program")


@pytest.mark.parametrize(
    "case",
    [
        (BUFFERS, "M, v, w", "the parameters must be the outputs and the inputs, (w, M, v), but are (M, v, w)"),
        ("cc, pw(add)", "w", "the arguments of @mdh must be out(…), inp(…) and combine_ops(…), in this order"),
        (
            "out(w=Buffer[3]), inp(), combine_ops(cc)",
            "w",
            "an element type must be a basic type, such as fp32, but is 3",
        ),
        ("out(w=Buffer[fp32]), inp(v=Buffer[fp32]), combine_ops(cc)", "w, v", "'v' must be read in the loops"),
        ("out(w=Buffer[fp32]), inp(), combine_ops()", "w", "combine_ops(…) requires a combine operator for each loop"),
    ],
)
def test_directives(case: tuple[str, str, str]) -> None:
    arguments, parameters, message = case
    body = "    for i in range(4):\n        w[i] = 1"
    check(HEAD + NEST.format(arguments=arguments, parameters=parameters, body=body), message, "def program")


def test_functions_that_call_themselves() -> None:
    body = "        out['y'] = again(x)"
    text = HEAD + SCALAR.replace("{mark}", "").replace("{body}", body).replace("return again(a)", "return ¶again(a)")
    check(text, "calls must not nest deeper than 32: 'again' may call itself", "")


def test_functions_that_do_not_return() -> None:
    text = HEAD + SCALAR.replace("{mark}", "").replace("{body}", "        out['y'] = twice(x)").replace(
        "    return a + a", "    if a > 0:\n        return a"
    )
    check(text, "the function must return a value on every path", "def twice")


def test_operators() -> None:
    text = FORM.format(body=f"return {OUT}, md_hom[8](f, ps(last)), {INP}").replace(
        'res["y"] = rhs["y"]', 'res["y"] = rhs["y"] + ¶lhs["z"]', 1
    )
    check(HEAD + text, "'lhs' has no buffer 'z': it has 'y'", "")


def test_operators_on_truth_values() -> None:
    body = "return out_view[bool_](y=[lambda i: (i)]), md_hom[8](f, ps(last)), inp_view[bool_](x=[lambda i: (i)])"
    text = FORM.format(body=body).replace('res["y"] = rhs["y"]', 'res["y"] = ¶lhs["y"] + rhs["y"]', 1)
    check(HEAD + text, "'+' requires numbers, not bool_", "")


def test_annotations() -> None:
    text = HEAD + FORM.format(body=f"return {OUT}, {HOM}, {INP}").replace(
        "def f(out, inp)", "def f(out: Scalar[fp32], inp: Scalar[fp64, fp32])"
    )
    check(text, "'inp' has the types fp64, fp32, but its buffers have fp32", "def f(")


@pytest.mark.parametrize("name", ["mdh", "scalar_function", "ps_custom_func"])
def test_decorators_without_parentheses(name: str) -> None:
    text = HEAD + FORM.format(body=f"return {OUT}, {HOM}, {INP}").replace(f"@{name}()", f"@{name}")
    check(text, f"the decorator requires parentheses: write @{name}()", f"@{name}")


def test_identities_without_a_name() -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        pw_custom_func(0)
    assert str(raised.value) == "pw_custom_func() has no arguments without a name, but has 0"


def test_sources_are_required() -> None:
    names: dict[str, object] = {}
    exec("access = lambda i: (i)", names)
    text = HEAD + FORM.format(body=f"return {OUT}, {HOM}, inp_view[fp32](x=[access])")
    with pytest.raises(TranslationError) as raised:
        exec(compile(text, "<text>", "exec"), dict(names))
    message = "the source of this function is required, but is not available: write it in a file"
    assert str(raised.value) == f"<text>:14:1: {message}"
    from mdh import fp32, inp_view, md_hom, mdh, out_view, pw, scalar_function

    with pytest.raises(TranslationError) as raised:

        @mdh()
        def program():
            @scalar_function()
            def f(out, inp):
                out["y"] = inp["x"]

            return out_view[fp32](y=[lambda i: ()]), md_hom[8](f, pw(max)), inp_view[fp32](x=[names["access"]])

    assert str(raised.value) == f"<string>:1:1: {message.replace('function', 'lambda')}"
