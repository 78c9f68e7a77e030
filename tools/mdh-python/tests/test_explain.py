"""Explanations of functions: the texts of `mdh explain`, and what a notebook shows."""

import html.parser
import os
import pty
import sys
import threading
import time
import types
import xml.etree.ElementTree as ElementTree

import mdh
import numpy
import pytest
from mdh import Explanation, explain, notebook
from mdh import compiler as mdhc
from mdh.progress import progress

SHIFTED = """
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
func.func @shifted(%x: tensor<2048x1024xf32>) -> tensor<2048x1024xf32> {
  %in = mdh.view.inp_view %x[#ij] : (tensor<2048x1024xf32>) -> !mdh.mda<2048x1024, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<max>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<2048x1024, f32> -> !mdh.mda<2048x1, f32>
  %m = mdh.view.out_view %h[#i] : !mdh.mda<2048x1, f32> -> tensor<2048xf32>
  %in2 = mdh.view.inp_view %x[#ij], %m[#i] : (tensor<2048x1024xf32>, tensor<2048xf32>) -> !mdh.mda<2048x1024, f32, f32>
  %g = mdh.hom.md_hom %in2 combine [#mdh.cc, #mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    mdh.hom.yield %d : f32
  } : !mdh.mda<2048x1024, f32, f32> -> !mdh.mda<2048x1024, f32>
  %y = mdh.view.out_view %g[#ij] : !mdh.mda<2048x1024, f32> -> tensor<2048x1024xf32>
  return %y : tensor<2048x1024xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
"""

TOTAL = """
func.func @total(%x: tensor<4096xf32>) -> tensor<f32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<4096xf32>) -> !mdh.mda<4096, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.pw<add>] {
  ^bb0(%a: f32):
    mdh.hom.yield %a : f32
  } : !mdh.mda<4096, f32> -> !mdh.mda<1, f32>
  %y = mdh.view.out_view %h[affine_map<(i) -> ()>] : !mdh.mda<1, f32> -> tensor<f32>
  return %y : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def shifted():
    return mdh.compile(SHIFTED, "shifted", threads=2)


@pytest.fixture(scope="module")
def explanation(shifted):
    return explain(shifted)


def test_the_text_has_the_table_of_each_computation(explanation):
    text = str(explanation)
    for number in (1, 2):
        assert f"@shifted, computation {number}, on @cpu: memory MM (global)" in text
    assert text.count("│ level ") == 2 and "@other" not in text
    assert "how to read the tables" in text and "dimensions: 1: 2048, cc; 2: 1024, pw<max>" in text
    assert repr(explanation) == "<mdh.Explanation of @shifted, computation 1, @shifted, computation 2>"


def test_the_threads_are_those_of_the_function(shifted):
    threads = [explain(mdh.compile(SHIFTED, "shifted", threads=count)).why for count in (1, 2)]
    assert "threads x" not in threads[0] and "threads x" in threads[1]


def test_what_is_explained_is_what_runs(shifted):
    x = numpy.random.default_rng(0).random((2048, 1024), "f")
    assert numpy.array_equal(shifted(x), x - x.max(1, keepdims=True))
    assert explain(shifted) is explain(shifted)


def test_strict_functions_have_other_nests():
    def steps(strict):
        return explain(mdh.compile(TOTAL, strict=strict, threads=1)).nest

    assert " lanes" in steps(False) and " on 16 lanes" not in steps(True)


def test_the_cost_and_the_nest_are_texts(explanation):
    assert "expected: " in explanation.why and "arithmetic intensity" in explanation.why
    assert "parallel for" in explanation.nest and "scalar (" in explanation.nest


def test_the_picture_is_svg(explanation):
    root = ElementTree.fromstring(explanation.svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "scalar function" in explanation.svg


def test_functions_of_the_published_interface_are_explained():
    @mdh.mdh(mdh.out(y=mdh.Buffer[mdh.fp32]), mdh.inp(x=mdh.Buffer[mdh.fp32]), mdh.combine_ops(mdh.cc))
    def jacobi(y, x):
        for i in range(1024):
            y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3.0

    function = mdhc.compile(computation=jacobi, backend=mdhc.CPU(threads=1))
    assert "@jacobi, computation 1" in str(explain(function))
    assert "<svg " in function._repr_html_()
    function.destroy()
    with pytest.raises(mdh.Error, match="the function 'jacobi' has been destroyed"):
        explain(function)


def test_dimensions_have_the_names_of_the_program():
    @mdh.mdh(
        mdh.out(w=mdh.Buffer[mdh.fp32]),
        mdh.inp(M=mdh.Buffer[mdh.fp32], v=mdh.Buffer[mdh.fp32]),
        mdh.combine_ops(mdh.cc, mdh.pw(mdh.add)),
    )
    def directive(w, M, v):
        for row in range(64):
            for column in range(128):
                w[row] = M[row, column] * v[column]

    @mdh.mdh()
    def views():
        @mdh.scalar_function()
        def multiply(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            mdh.out_view[mdh.fp32](w=[lambda row, column: (row)]),
            mdh.md_hom[64, 128](multiply, (mdh.cc, mdh.pw(mdh.add))),
            mdh.inp_view[mdh.fp32, mdh.fp32](M=[lambda i, k: (i, k)], v=[lambda i, k: (k)]),
        )

    for computation in (directive, views):
        assert 'attributes {dimension_names = ["row", "column"]}' in computation.mlir
        explanation = explain(mdhc.compile(computation=computation, backend=mdhc.CPU(threads=1)))
        assert "dimensions: 1, row: 64, cc; 2, column: 128, pw<add>\n" in str(explanation)
        one = explanation.computations[0]
        assert [dimension["name"] for dimension in one["dimensions"]] == ["row", "column"]
        names = {row[0].rsplit(" ", 1)[1] for row in one["parameters"]["rows"]}
        assert names == {"row", "column"} and " of column" in explanation.svg
        assert "dimensions: row: 64, cc; column: 128, pw&lt;add&gt;" in explanation._repr_html_()


class Page(html.parser.HTMLParser):
    """Collects the cells of tables, and checks that elements are closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.tags = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] in ("th", "td"):
            self.cells.append(text)


def test_a_notebook_shows_tables_and_pictures(shifted, explanation):
    text = shifted._repr_html_()
    assert text == explanation._repr_html_()
    page = Page(text)
    one = explanation.computations[1]
    assert set(one["parameters"]["header"]) <= set(page.cells)
    assert {cell for row in one["parameters"]["rows"] for cell in row if cell} <= set(page.cells)
    pictures = [one["svg"] for one in explanation.computations if one["svg"]]
    assert pictures and all(picture in text for picture in pictures)
    assert "script" not in page.tags


def test_texts_are_escaped():
    empty = {"header": [], "rows": []}
    one = {"title": "@<b>\nin parts", "parameters": {"header": ["<i>"], "rows": [["a & b"]]}, "buffers": empty}
    dimensions = [{"name": "<d>", "extent": "?", "operator": "pw<add>"}]
    one = {**one, "dimensions": dimensions}
    report = {"computations": [{**one, "block": "1 < 2", "why": "x < y", "nest": None, "svg": None}]}
    text = notebook.html_of(report)
    assert "@&lt;b&gt;<br>in parts" in text and "&lt;i&gt;" in text and "a &amp; b" in text
    assert "1 &lt; 2" in text and "x &lt; y" in text and "&lt;d&gt;: ?, pw&lt;add&gt;" in text
    assert Page(text).cells == ["<i>", "a & b"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((len,), "mdh.explain requires a compiled function, .*, but has the function 'len'"),
        ((SHIFTED,), "mdh.explain requires a compiled function, .*, but has a text"),
    ],
)
def test_other_objects_are_errors(arguments, message):
    with pytest.raises(mdh.ArgumentTypeError, match=message):
        explain(*arguments)


def test_only_functions_of_jit_are_explained_for_arguments(shifted):
    with pytest.raises(mdh.ArgumentTypeError, match="only functions of mdh.jit are explained for arguments"):
        explain(shifted, numpy.zeros((2048, 1024), "f"))
    specialized = mdh.JitFunction.__new__(mdh.JitFunction)
    specialized.compiled = lambda array, axis: shifted
    assert isinstance(explain(specialized, numpy.zeros(3), axis=0), Explanation)


def shown_on_terminal(work, monkeypatch):
    """What work writes to a terminal as the standard error."""
    ours, theirs = pty.openpty()
    collected = []

    def read():
        while chunk := os.read(ours, 1024):
            collected.append(chunk)
            if chunk.endswith(b"\0"):
                return

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(theirs, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        work()
        stream.write("\0")
        stream.flush()
        reader.join()
    os.close(ours)
    return b"".join(collected).removesuffix(b"\0").decode()


def slow(monkeypatch):
    monkeypatch.setattr("mdh.progress.DELAY", 0.0)
    monkeypatch.setattr("mdh.progress.PERIOD", 0.01)
    with progress("compiling 'f'") as line:
        line.note = "raising"
        time.sleep(0.1)


def test_long_work_shows_a_line_on_a_terminal(monkeypatch):
    text = shown_on_terminal(lambda: slow(monkeypatch), monkeypatch)
    assert "\r\x1b[Kcompiling 'f': 0 s, raising" in text
    # The line is removed afterwards.
    assert text.endswith("\r\x1b[K")


def test_short_work_shows_nothing(monkeypatch):
    def work():
        with progress("compiling 'f'"):
            pass

    assert shown_on_terminal(work, monkeypatch) == ""


def test_nothing_is_shown_in_a_pipe(monkeypatch, capfd):
    slow(monkeypatch)
    assert capfd.readouterr() == ("", "")


def test_an_exception_ends_progress(monkeypatch):
    def work():
        monkeypatch.setattr("mdh.progress.DELAY", 0.0)
        with pytest.raises(KeyError), progress("compiling 'f'"):
            time.sleep(0.05)
            raise KeyError

    assert shown_on_terminal(work, monkeypatch).endswith("\r\x1b[K")
    assert not any(thread.name == "mdh progress" for thread in threading.enumerate())


def test_a_notebook_shows_progress_in_the_cell(monkeypatch, capfd):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    def display(content, raw, display_id):
        shown.append(content["text/plain"])
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    module = types.SimpleNamespace(get_ipython=lambda: shell, display=types.SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", module)
    slow(monkeypatch)
    assert shown[0].startswith("compiling 'f': 0 s") and "compiling 'f': 0 s, raising" in shown and shown[-1] == ""
    assert capfd.readouterr() == ("", "")
