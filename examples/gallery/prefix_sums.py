"""Prefix sums: element i of the result combines the elements 0 to i.

- The sum and the maximum of a series up to each element: built-in functions.
- The sums of all boxes of a matrix that begin in its corner: two dimensions are scanned.
- A recurrence, y[i] = a[i] * y[i - 1] + b[i], here an average in which old values fade. Two steps one after the other
  are a step again: its factor is the product of both, and so on. This operator on tuples (a, b) is associative, so that
  parts of the series can be computed at the same time. It is not commutative, and so it is one of `ps_custom_func`.

NumPy has no function for a recurrence: the comparison is with a loop in Python.
"""

import numpy
from measure import options
from mdh import *
from mdh import compiler as mdhc
from pictures import scatter, write


def running(size: int) -> Computation:
    """The sum and the maximum up to each element, in one pass."""

    @mdh(out(total=Buffer[fp64], most=Buffer[fp64]), inp(x=Buffer[fp64]), combine_ops(ps(add, max)))
    def running(total, most, x):
        for i in range(size):
            total[i] = x[i]
            most[i] = x[i]

    return running


def boxes(rows: int, columns: int) -> Computation:
    """The sum of each box with the element (0, 0), as for a filter whose window has any size."""

    @mdh(out(box=Buffer[int64]), inp(x=Buffer[int64]), combine_ops(ps(add), ps(add)))
    def boxes(box, x):
        for i in range(rows):
            for j in range(columns):
                box[i, j] = x[i, j]

    return boxes


@ps_custom_func()
def then(res, lhs, rhs):
    """The step `lhs`, then the step `rhs`: rhs.a * (lhs.a * y + lhs.b) + rhs.b."""
    res["fade"] = lhs["fade"] * rhs["fade"]
    res["mean"] = rhs["fade"] * lhs["mean"] + rhs["mean"]


def fading(size: int) -> Computation:
    """mean[i] = a[i] * mean[i - 1] + (1 - a[i]) * x[i], from a mean of 0; `fade` is the product of the factors a."""

    @mdh()
    def fading():
        @scalar_function()
        def step(out, inp):
            out["fade"] = inp["a"]
            out["mean"] = (1 - inp["a"]) * inp["x"]

        return (
            out_view[fp64, fp64](fade=[lambda i: i], mean=[lambda i: i]),
            md_hom[size](step, ps(then)),
            inp_view[fp64, fp64](a=[lambda i: i], x=[lambda i: i]),
        )

    return fading


def loop(a: list[float], x: list[float]) -> list[float]:
    """The recurrence in Python."""
    mean, means = 0.0, []
    for factor, value in zip(a, x):
        mean = factor * mean + (1 - factor) * value
        means.append(mean)
    return means


def main() -> None:
    chosen = options(__doc__)
    random = numpy.random.default_rng(6)
    size = chosen.size(4_000_000, 1000)

    series = random.standard_normal(size)
    total, most = numpy.empty(size), numpy.empty(size)
    function = mdhc.compile(running(size))
    function.run(total, most, series)
    numpy.testing.assert_allclose(total, numpy.cumsum(series), atol=1e-9 * size)
    assert (most == numpy.maximum.accumulate(series)).all()
    chosen.compare(
        f"the sum and the maximum up to each of {size} elements",
        lambda: function.run(total, most, series),
        lambda: (numpy.cumsum(series), numpy.maximum.accumulate(series)),
    )

    side = chosen.size(2048, 50)
    matrix = random.integers(0, 256, (side, side))
    box = numpy.empty_like(matrix)
    table = mdhc.compile(boxes(side, side))
    table.run(box, matrix)
    assert (box == matrix.cumsum(axis=0).cumsum(axis=1)).all()
    chosen.compare(
        f"the sums of the boxes of {side} x {side} elements",
        lambda: table.run(box, matrix),
        lambda: matrix.cumsum(axis=0).cumsum(axis=1),
    )

    # Values at irregular times: the longer the gap, the more the values before it fade.
    count = size // 4
    factors = numpy.exp(-random.exponential(5 / count**0.5, count))
    values = 5 * numpy.sin(numpy.linspace(0, 12, count)) + random.standard_normal(count)
    fade, mean = numpy.empty(count), numpy.empty(count)
    average = mdhc.compile(fading(count))
    average.run(fade, mean, factors, values)
    numpy.testing.assert_allclose(mean, loop(factors.tolist(), values.tolist()), rtol=1e-9, atol=1e-9)
    a, x = factors.tolist(), values.tolist()
    chosen.compare(
        f"an average of {count} elements in which old values fade (a loop in Python)",
        lambda: average.run(fade, mean, factors, values),
        lambda: loop(a, x),
    )
    if chosen.output:
        shown = numpy.linspace(0, count - 1, 4000).astype(int)
        y = numpy.concatenate([values[shown], mean[shown]])
        labels = numpy.repeat([9, 3], len(shown))
        write(chosen.output / "prefix_sums.png", scatter(numpy.tile(shown, 2), y, labels, width=1024))


if __name__ == "__main__":
    main()
