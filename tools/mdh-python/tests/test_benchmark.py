"""Times of functions: what is measured, how it is compared, and what is checked before."""

import time

import mdh
import numpy
import pytest
from mdh import Benchmark, ResultError, Timing, benchmark
from mdh import compiler as mdhc

ADD = """
func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>], %y[affine_map<(i) -> (i)>]
      : (tensor<?xf32>, tensor<?xf32>) -> !mdh.mda<?, f32, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    mdh.hom.yield %c : f32
  } : !mdh.mda<?, f32, f32> -> !mdh.mda<?, f32>
  %z = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %z : tensor<?xf32>
}
"""

UPDATE = """
func.func @increment(%x: memref<8xf32>) {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<8xf32>) -> !mdh.mda<8, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %c = arith.addf %a, %one : f32
    mdh.hom.yield %c : f32
  } : !mdh.mda<8, f32> -> !mdh.mda<8, f32>
  mdh.view.out_view %h[affine_map<(i) -> (i)>] into %x : !mdh.mda<8, f32>, memref<8xf32>
  return
}
"""


@pytest.fixture(scope="module")
def add():
    return mdh.compile(ADD, threads=1)


@pytest.fixture
def arrays():
    generator = numpy.random.default_rng(0)
    return generator.random(1000, "f"), generator.random(1000, "f")


def test_functions_are_compared(add, arrays):
    result = benchmark(add, *arrays, repeat=3, compare={"numpy": numpy.add})
    assert list(result) == ["add", "numpy"]
    assert all(timing.runs == 3 and 0 < timing.minimum <= timing.median for timing in result.values())
    assert result.median == result["add"].median and result.minimum == result["add"].minimum
    assert result.quartiles[0] <= result.median <= result.quartiles[1]
    assert result.ratio("numpy") == result["numpy"].median / result.median and result.ratio("add") == 1


def test_times_are_those_of_a_call():
    result = benchmark(lambda: time.sleep(0.02), repeat=3)
    assert result.minimum >= 0.02 and result["<lambda>"].calls == 1
    short = benchmark(lambda: None, repeat=3)
    assert short["<lambda>"].calls > 100 and short.minimum < 1e-4


def test_functions_are_measured_in_turns():
    order = []

    def slow(name):
        def run():
            order.append(name)
            time.sleep(0.06)

        return run

    benchmark(slow("a"), repeat=6, compare={"b": slow("b")}, check=False)
    changes = sum(one != other for one, other in zip(order, order[1:]))
    assert changes >= 4 and order.count("a") == order.count("b")


def test_the_budget_ends_measurements():
    times = iter(range(10**9))
    begin = time.perf_counter()
    # Times that grow have no stable median.
    result = benchmark(lambda: time.sleep(0.001 * next(times)), budget=0.3)
    assert time.perf_counter() - begin < 5 and result["<lambda>"].runs >= 5


def test_stable_measurements_end_early():
    begin = time.perf_counter()
    result = benchmark(lambda: time.sleep(0.01), budget=60)
    assert time.perf_counter() - begin < 30 and result["<lambda>"].runs >= 10


def test_tables_are_readable():
    timings = {"f": Timing(1e-3, 0.9e-3, (0.95e-3, 1.1e-3), 12, 1), "numpy": Timing(2e-3, 2e-3, (2e-3, 2e-3), 12, 1)}
    result = Benchmark(timings)
    assert repr(result).splitlines() == [
        "function  median  minimum  quartiles         measurements  relative",
        "f         1 ms    900 µs   950 µs to 1.1 ms  12            1.00",
        "numpy     2 ms    2 ms     2 ms to 2 ms      12            2.00",
    ]
    html = result._repr_html_()
    assert html.startswith("<table>") and html.count("<tr>") == 3 and "numpy" in html
    assert "relative" not in repr(Benchmark({"f": timings["f"]}))


def test_results_are_checked_first(add, arrays):
    calls = []

    def wrong(x, y):
        calls.append(1)
        return x + y + (numpy.arange(1000) == 7)

    with pytest.raises(ResultError, match=r"result 1 of 'wrong' differs from that of 'add': element \[7\] is "):
        benchmark(add, *arrays, compare={"wrong": wrong})
    assert len(calls) == 1
    assert benchmark(add, *arrays, repeat=1, compare={"wrong": wrong}, check=False)["wrong"].runs == 1


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x, y: (x, y), "'other' has 2 results, but 'add' has 1"),
        (lambda x, y: x[:10], r"it has the shape \(10,\), not \(1000,\)"),
        (lambda x, y: numpy.full(1000, numpy.nan, "f"), r"element \[0\] is nan, not "),
    ],
)
def test_results_that_differ_are_errors(add, arrays, function, message):
    with pytest.raises(ResultError, match=message):
        benchmark(add, *arrays, compare={"other": function})


def test_rounding_is_no_difference(add, arrays):
    def rounded(x, y):
        return (x + y) * numpy.float32(1 + 1e-6)

    assert benchmark(add, *arrays, repeat=1, compare={"rounded": rounded})["rounded"].runs == 1
    with pytest.raises(ResultError):
        benchmark(add, *arrays, repeat=1, compare={"rounded": rounded}, tolerance=1e-9)


def test_special_values_agree():
    values = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 1])
    assert benchmark(lambda x: x, values, repeat=1, compare={"other": numpy.copy})["other"].runs == 1


def test_functions_that_update_their_arguments_are_compared():
    increment = mdh.compile(UPDATE, threads=1)
    array = numpy.zeros(8, "f")

    def in_place(x):
        x += 1

    def twice(x):
        x += 2

    assert benchmark(increment, array, repeat=1, compare={"numpy": in_place})["numpy"].runs == 1
    with pytest.raises(ResultError, match="result 1 of 'twice' differs"):
        benchmark(increment, numpy.zeros(8, "f"), compare={"twice": twice})


def test_functions_of_the_published_interface_are_run():
    @mdh.mdh(mdh.out(y=mdh.Buffer[mdh.fp32]), mdh.inp(x=mdh.Buffer[mdh.fp32]), mdh.combine_ops(mdh.cc))
    def double(y, x):
        for i in range(64):
            y[i] = x[i] + x[i]

    function = mdhc.compile(computation=double, backend=mdhc.CPU(threads=1))
    y, x = numpy.zeros(64, "f"), numpy.zeros(64, "f")
    result = benchmark(function, y, x, repeat=2, compare={"numpy": lambda y, x: 2 * x})
    assert list(result) == ["double", "numpy"]
    with pytest.raises(ResultError, match="result 1 of 'numpy' differs"):
        benchmark(function, y, x, compare={"numpy": lambda y, x: x + 1})


def test_what_a_framework_computes_meanwhile_is_waited_for():
    class Later:
        shape = ()

        def block_until_ready(self):
            time.sleep(0.02)

    assert benchmark(lambda: [Later()], repeat=2).minimum >= 0.02


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"repeat": 0}, ValueError, "repeat must be at least 1, but is 0"),
        ({"budget": 0}, ValueError, "budget must be positive, but is 0"),
        ({"compare": {"add": numpy.add}}, ValueError, "compare has the name of the function itself, 'add'"),
        ({"compare": {"x": 3}}, TypeError, "mdh.benchmark requires functions, but has 3"),
    ],
)
def test_options_without_meaning_are_errors(add, arrays, options, error, message):
    with pytest.raises(error, match=message):
        benchmark(add, *arrays, **options)
