"""PageRank: how often a random surfer visits each page, who follows a link, or goes to any page at times.

A step multiplies the ranks by the matrix DAMPING * links / degree + (1 - DAMPING) / pages. This matrix is never stored:
the scalar function computes an element of it from a link, which is one byte, and from two vectors. NumPy's product of a
matrix and a vector requires the matrix in floats, which are four bytes each, so that it reads more memory.

The steps are repeated until the ranks change no more; a second computation has two results, the change and the sum.
"""

import numpy
from measure import options
from mdh import *
from mdh import compiler as mdhc

DAMPING = 0.85
TOLERANCE = 1e-5


def step(pages: int) -> Computation:
    """The ranks after a step: the sum over all pages that may be left for a page."""

    @mdh()
    def step():
        @scalar_function()
        def visit(out, inp):
            out["after"] = (fp32(inp["links"]) * inp["follow"] + inp["jump"]) * inp["before"]

        return (
            out_view[fp32](after=[lambda to, at: to]),
            md_hom[pages, pages](visit, (cc, pw(add))),
            inp_view[int8, fp32, fp32, fp32](
                links=[lambda to, at: (to, at)],
                follow=[lambda to, at: at],
                jump=[lambda to, at: at],
                before=[lambda to, at: at],
            ),
        )

    return step


def changes(pages: int) -> Computation:
    """The sum of the changes of all ranks, and the sum of the ranks, in one pass."""

    @mdh(
        out(change=Buffer[fp32], total=Buffer[fp32]),
        inp(after=Buffer[fp32], before=Buffer[fp32]),
        combine_ops(pw(add)),
    )
    def changes(change, total, after, before):
        for page in range(pages):
            change[()] = abs(after[page] - before[page])
            total[()] = after[page]

    return changes


def web(pages: int) -> numpy.ndarray:
    """links[to, at] is 1 if the page `at` has a link to `to`: most links are to few pages, and some pages have none."""
    random = numpy.random.default_rng(5)
    links = numpy.zeros((pages, pages), "int8")
    at = random.integers(0, pages, 20 * pages)
    to = (pages * random.random(20 * pages) ** 3).astype(int)
    links[to, at] = 1
    links[:, random.random(pages) < 0.02] = 0
    return links


def main() -> None:
    chosen = options(__doc__)
    pages = chosen.size(6_000, 150)
    links = web(pages)
    degrees = links.sum(axis=0, dtype="int64")
    # A page without links is left for any page.
    follow = numpy.where(degrees > 0, DAMPING / numpy.maximum(degrees, 1), 0).astype("float32")
    jump = numpy.where(degrees > 0, (1 - DAMPING) / pages, 1 / pages).astype("float32")

    function, changed = mdhc.compile(step(pages)), mdhc.compile(changes(pages))
    change, total = numpy.ones((), "float32"), numpy.ones((), "float32")
    before, after = numpy.empty(pages, "float32"), numpy.full(pages, 1 / pages, "float32")
    steps = 0
    while change > TOLERANCE:
        before, after = after, before
        function.run(after, links, follow, jump, before)
        changed.run(change, total, after, before)
        steps += 1

    matrix = links.astype("float32")

    def with_numpy(ranks: numpy.ndarray) -> numpy.ndarray:
        return matrix @ (follow * ranks) + jump @ ranks

    expected = numpy.full(pages, 1 / pages, "float32")
    for _ in range(steps):
        expected = with_numpy(expected)
    numpy.testing.assert_allclose(after, expected, rtol=1e-4)
    numpy.testing.assert_allclose(total, 1, rtol=1e-4)
    best = ", ".join(f"{page} ({after[page]:.4f})" for page in numpy.argsort(-after)[:3])
    print(f"the ranks of {pages} pages after {steps} steps: {best}, …")
    chosen.compare(
        f"a step, {links.sum()} links",
        lambda: function.run(after, links, follow, jump, before),
        lambda: with_numpy(before),
    )
    chosen.compare(
        "the change of the ranks",
        lambda: changed.run(change, total, after, before),
        lambda: (abs(after - before).sum(), after.sum()),
    )


if __name__ == "__main__":
    main()
