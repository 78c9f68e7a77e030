"""k-means: points are grouped around centres, each of which is the mean of its points.

Two computations take turns:

- for each point, the nearest centre: a user operator on tuples (distance, centre);
- for each centre, the sums of the coordinates of its points and their number: three results in one pass over the
  points. A point that belongs to another centre adds zeros.

Coordinates and centres are integers, so that all sums are exact, and the clusters must be those that NumPy finds.
"""

import numpy
from measure import options
from mdh import *
from mdh import compiler as mdhc
from pictures import scatter, write


@pw_custom_func()
def nearer(res, lhs, rhs):
    """The pair with the smaller distance; of two equal distances, the centre with the smaller number."""
    first = lhs["distance"] < rhs["distance"] or (lhs["distance"] == rhs["distance"] and lhs["label"] < rhs["label"])
    res["distance"] = lhs["distance"] if first else rhs["distance"]
    res["label"] = lhs["label"] if first else rhs["label"]


def assignment(points: int, centres: int) -> Computation:
    """The nearest centre of each point, and the square of its distance."""

    @mdh(
        out(distance=Buffer[int32], label=Buffer[int32]),
        inp(x=Buffer[int32], y=Buffer[int32], cx=Buffer[int32], cy=Buffer[int32]),
        combine_ops(cc, pw(nearer)),
    )
    def assignment(distance, label, x, y, cx, cy):
        for i in range(points):
            for k in range(centres):
                distance[i] = (x[i] - cx[k]) ** 2 + (y[i] - cy[k]) ** 2
                label[i] = int32(k)

    return assignment


def sums(points: int, centres: int) -> Computation:
    """The sums of the coordinates of the points of each centre, and their number."""

    @mdh(
        out(sx=Buffer[int64], sy=Buffer[int64], number=Buffer[int64]),
        inp(x=Buffer[int32], y=Buffer[int32], label=Buffer[int32]),
        combine_ops(cc, pw(add)),
    )
    def sums(sx, sy, number, x, y, label):
        for k in range(centres):
            for i in range(points):
                mine = label[i] == k
                sx[k] = int64(x[i]) if mine else 0
                sy[k] = int64(y[i]) if mine else 0
                number[k] = 1 if mine else 0

    return sums


def numpy_labels(x: numpy.ndarray, y: numpy.ndarray, centres: numpy.ndarray) -> numpy.ndarray:
    """The nearest centre of each point: the smallest distance so far, one centre after the other."""
    best = (x - centres[0, 0]) ** 2 + (y - centres[1, 0]) ** 2
    labels = numpy.zeros(len(x), "int32")
    for k in range(1, centres.shape[1]):
        distance = (x - centres[0, k]) ** 2 + (y - centres[1, k]) ** 2
        nearer = distance < best
        labels[nearer] = k
        numpy.minimum(best, distance, out=best)
    return labels


def numpy_sums(x: numpy.ndarray, y: numpy.ndarray, labels: numpy.ndarray, centres: int) -> list[numpy.ndarray]:
    """Sums by label, which `bincount` computes in one pass over the points."""
    return [numpy.bincount(labels, weights, centres).astype("int64") for weights in (x, y, None)]


def blobs(points: int, centres: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Points around as many places of a grid as there are centres."""
    random = numpy.random.default_rng(7)
    places = 700 + 900 * numpy.stack(numpy.divmod(random.permutation(16)[:centres], 4))
    around = places[:, random.integers(0, centres, points)] + 220 * random.standard_normal((2, points))
    x, y = numpy.clip(numpy.rint(around), 0, 4095).astype("int32")
    return x, y


def first_centres(x: numpy.ndarray, y: numpy.ndarray, centres: int) -> numpy.ndarray:
    """Some of the points, each of which is the farthest one from those before it."""
    chosen = [0]
    distance = numpy.full(len(x), 2**31 - 1)
    for _ in range(1, centres):
        distance = numpy.minimum(distance, (x - x[chosen[-1]]) ** 2 + (y - y[chosen[-1]]) ** 2)
        chosen.append(int(distance.argmax()))
    return numpy.stack([x[chosen], y[chosen]])


def main() -> None:
    chosen = options(__doc__)
    points, centres = chosen.size((1_000_000, 10), (500, 5))
    x, y = blobs(points, centres)
    assign, add_up = mdhc.compile(assignment(points, centres)), mdhc.compile(sums(points, centres))
    distance, label = numpy.empty(points, "int32"), numpy.full(points, -1, "int32")
    total = numpy.empty((3, centres), "int64")

    middle = first_centres(x, y, centres)
    rounds = 0
    while True:
        before = label.copy()
        assign.run(distance, label, x, y, *middle)
        assert (label == numpy_labels(x, y, middle)).all()
        if (label == before).all():
            break
        add_up.run(*total, x, y, label)
        assert (total == numpy_sums(x, y, label, centres)).all()
        # A centre without points stays where it is.
        middle = numpy.where(total[2] > 0, total[:2] // numpy.maximum(total[2], 1), middle).astype("int32")
        rounds += 1
    print(f"{points} points, {centres} centres: the clusters are the same after {rounds} rounds")

    chosen.compare(
        "the nearest centres",
        lambda: assign.run(distance, label, x, y, *middle),
        lambda: numpy_labels(x, y, middle),
    )
    chosen.compare(
        "the sums of the clusters",
        lambda: add_up.run(*total, x, y, label),
        lambda: numpy_sums(x, y, label, centres),
    )
    if chosen.output:
        write(chosen.output / "k_means.png", scatter(x[:8000], y[:8000], label[:8000]))


if __name__ == "__main__":
    main()
