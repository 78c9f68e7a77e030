"""Nearest neighbours: for each query, the index of the nearest point, and the square of its distance.

The result of a pair (query, point) is a tuple (distance, index), and a user operator combines two of them: it takes the
one with the smaller distance. Of two points with the same distance, it takes the one with the smaller index, because an
operator of `pw` must be associative and commutative.

The coordinates are multiples of 1/64, so that all distances are exact, and results must be equal to those of NumPy.
"""

from collections.abc import Callable

import numpy
from measure import Options, options
from mdh import *
from mdh import compiler as mdhc
from pictures import PALETTE, write


@pw_custom_func()
def nearer(res, lhs, rhs):
    """The pair with the smaller distance; of two equal distances, the one with the smaller index."""
    first = lhs["distance"] < rhs["distance"] or (lhs["distance"] == rhs["distance"] and lhs["index"] < rhs["index"])
    res["distance"] = lhs["distance"] if first else rhs["distance"]
    res["index"] = lhs["index"] if first else rhs["index"]


def coordinates(dimension: int, count: int) -> list[Callable[..., tuple[int, int]]]:
    """The index functions of the coordinates of a query (dimension 0) or of a point (dimension 1)."""

    def coordinate(n: int) -> Callable[..., tuple[int, int]]:
        return lambda q, p: (n, (q, p)[dimension])

    return [coordinate(n) for n in range(count)]


def nearest(queries: int, points: int, count: int) -> Computation:
    """Queries and points have `count` coordinates, one row of a matrix each."""

    @mdh()
    def nearest():
        @scalar_function()
        def pair(out, inp, idx):
            out["distance"] = sum((inp["query", n + 1] - inp["point", n + 1]) ** 2 for n in range(count))
            out["index"] = int32(idx[1])

        return (
            out_view[fp32, int32](distance=[lambda q, p: q], index=[lambda q, p: q]),
            md_hom[queries, points](pair, (cc, pw(nearer))),
            inp_view[fp32, fp32](query=coordinates(0, count), point=coordinates(1, count)),
        )

    return nearest


def with_numpy(queries: numpy.ndarray, points: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """A matrix of the distances of some queries at a time, by |q|^2 - 2 q p + |p|^2 and a product of matrices."""
    distances, indices = numpy.empty(queries.shape[1], "float32"), numpy.empty(queries.shape[1], "int32")
    norms = (points**2).sum(axis=0)
    for start in range(0, queries.shape[1], 256):
        some = queries[:, start : start + 256]
        matrix = norms - 2 * (some.T @ points)
        best = matrix.argmin(axis=1)
        distances[start : start + 256] = matrix[numpy.arange(len(best)), best] + (some**2).sum(axis=0)
        indices[start : start + 256] = best
    return distances, indices


def search(chosen: Options, queries: numpy.ndarray, points: numpy.ndarray) -> numpy.ndarray:
    """The indices of the nearest points; the search is compared and measured."""
    function = mdhc.compile(nearest(queries.shape[1], points.shape[1], len(points)))
    distances, indices = numpy.empty(queries.shape[1], "float32"), numpy.empty(queries.shape[1], "int32")
    function.run(distances, indices, queries, points)
    expected_distances, expected_indices = with_numpy(queries, points)
    assert (distances == expected_distances).all() and (indices == expected_indices).all()
    what = f"{queries.shape[1]} queries, {points.shape[1]} points in {len(points)} dimensions"
    chosen.compare(
        what,
        lambda: function.run(distances, indices, queries, points),
        lambda: with_numpy(queries, points),
    )
    return indices


def main() -> None:
    chosen = options(__doc__)
    random = numpy.random.default_rng(2)

    def cloud(dimensions: int, count: int) -> numpy.ndarray:
        return (random.integers(0, 16 * 64, (dimensions, count)) / 64).astype("float32")

    search(chosen, cloud(3, chosen.size(20_000, 90)), cloud(3, chosen.size(10_000, 110)))

    # The queries are the pixels of a picture: those of one colour have the same nearest site.
    side, sites = chosen.size((512, 100), (32, 8))
    pixels = (numpy.indices((side, side)).reshape(2, -1) * (16 * 64 // side) / 64).astype("float32")
    regions = search(chosen, pixels, cloud(2, sites)).reshape(side, side)
    if chosen.output:
        write(chosen.output / "nearest_neighbours.png", numpy.array(PALETTE, "uint8")[regions % len(PALETTE)])


if __name__ == "__main__":
    main()
