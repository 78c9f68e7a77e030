"""Record linkage: for each record of a new list, the best match in a register of persons, and the class of the match.

The weight of a pair of records is a sum over their attributes: log2(m / u) where they agree, and
log2((1 - m) / (1 - u)) where they differ. m is the probability that an attribute agrees in two records of one person,
and u that it agrees in records of two persons. A pair is a link if its weight is large, and a possible link if it is
not small.

A user operator keeps the best of several matches, which are tuples (weight, person, class). Weights are rounded to
1/64: then all sums are exact, and results must be equal to those of NumPy.
"""

from collections.abc import Callable
from math import log2

import numpy
from measure import options
from mdh import *
from mdh import compiler as mdhc

# For each attribute its number of values, and how often it agrees in two records of one person.
ATTRIBUTES = {
    "first name": (400, 0.93),
    "surname": (2000, 0.94),
    "day": (28, 0.98),
    "month": (12, 0.98),
    "year": (90, 0.97),
    "postcode": (500, 0.85),
    "sex": (2, 0.99),
}
AGREE = tuple(round(64 * log2(m * values)) / 64 for values, m in ATTRIBUTES.values())
DIFFER = tuple(round(64 * log2((1 - m) / (1 - 1 / values))) / 64 for values, m in ATTRIBUTES.values())
POSSIBLE, CERTAIN = 8, 18


@pw_custom_func()
def better(res, lhs, rhs):
    """The match with the larger weight; of two equal weights, the person with the smaller number."""
    if lhs["weight"] > rhs["weight"] or (lhs["weight"] == rhs["weight"] and lhs["person"] < rhs["person"]):
        res["weight"], res["person"], res["link"] = lhs["weight"], lhs["person"], lhs["link"]
    else:
        res["weight"], res["person"], res["link"] = rhs["weight"], rhs["person"], rhs["link"]


def attributes(dimension: int) -> list[Callable[..., tuple[int, int]]]:
    """The index functions of the attributes of a new record (dimension 0) or of a person (dimension 1)."""

    def attribute(n: int) -> Callable[..., tuple[int, int]]:
        return lambda i, j: (n, (i, j)[dimension])

    return [attribute(n) for n in range(len(ATTRIBUTES))]


def linkage(records: int, persons: int) -> Computation:
    """Records and persons are matrices with a row for each attribute."""

    @mdh()
    def linkage():
        @scalar_function()
        def match(out, inp, idx):
            weight: fp32 = 0.0
            for n in range(len(AGREE)):
                weight += AGREE[n] if inp["new", n + 1] == inp["known", n + 1] else DIFFER[n]
            out["weight"], out["person"] = weight, int32(idx[1])
            out["link"] = 2 if weight >= CERTAIN else 1 if weight >= POSSIBLE else 0

        return (
            out_view[fp32, int32, int32](weight=[lambda i, j: i], person=[lambda i, j: i], link=[lambda i, j: i]),
            md_hom[records, persons](match, (cc, pw(better))),
            inp_view[int32, int32](new=attributes(0), known=attributes(1)),
        )

    return linkage


def with_numpy(new: numpy.ndarray, known: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """A matrix of the weights of some records at a time."""
    best = numpy.empty(new.shape[1], "float32")
    person = numpy.empty(new.shape[1], "int32")
    for start in range(0, new.shape[1], 64):
        some = new[:, start : start + 64]
        weights = numpy.zeros((some.shape[1], known.shape[1]), "float32")
        for mine, theirs, agree, differ in zip(some, known, AGREE, DIFFER):
            weights += numpy.where(mine[:, None] == theirs, numpy.float32(agree), numpy.float32(differ))
        person[start : start + 64] = weights.argmax(axis=1)
        best[start : start + 64] = weights.max(axis=1)
    return best, person, ((best >= POSSIBLE) * 1 + (best >= CERTAIN)).astype("int32")


def lists(records: int, persons: int) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """New records, the register, and the true persons: half of the records are of no person in the register."""
    random = numpy.random.default_rng(3)

    def strangers(count: int) -> numpy.ndarray:
        return numpy.stack([random.integers(0, values, count, "int32") for values, _ in ATTRIBUTES.values()])

    known, new = strangers(persons), strangers(records)
    truth = random.integers(0, persons, records // 2)
    # Some attributes of the known persons are wrong, or have changed.
    same = random.random((len(ATTRIBUTES), len(truth))) < numpy.array([[m] for _, m in ATTRIBUTES.values()])
    new[:, : len(truth)] = numpy.where(same, known[:, truth], new[:, : len(truth)])
    return new, known, truth


def main() -> None:
    chosen = options(__doc__)
    records, persons = chosen.size((2_000, 50_000), (40, 150))
    new, known, truth = lists(records, persons)
    function = mdhc.compile(linkage(records, persons))
    weight, person, link = (numpy.empty(records, element) for element in ("float32", "int32", "int32"))
    function.run(weight, person, link, new, known)
    for found, expected in zip((weight, person, link), with_numpy(new, known)):
        assert (found == expected).all()
    right = (person[: len(truth)] == truth) & (link[: len(truth)] == 2)
    wrong = (link == 2).sum() - right.sum()
    print(f"{right.sum()} of {len(truth)} persons are found, {wrong} links are wrong, {(link == 1).sum()} are possible")
    what = f"{records} records, {persons} persons, {len(ATTRIBUTES)} attributes"
    chosen.compare(
        what,
        lambda: function.run(weight, person, link, new, known),
        lambda: with_numpy(new, known),
    )


if __name__ == "__main__":
    main()
