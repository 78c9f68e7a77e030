"""Probabilistic record linkage of the MDH paper (PRL, Figure 16).

For every record of N it finds the best matching record of E, the weight of the match and its class: 0 is no link,
1 a possible link (from 15 on), 2 a link (from 45 on). Records have 14 attributes. The weight is the sum over the
attributes of log2(m / u) where they agree, and log2((1 - m) / (1 - u)) otherwise; m and u are the probabilities that an
attribute agrees in two records of one person and of two persons. Weights are rounded to 1/64, so that sums are exact.
"""

from math import log2

from mdh import *

M = (0.975, 0.975, 0.975, 0.975, 0.975, 0.95, 0.99, 0.98, 0.98, 0.98, 0.95, 0.9, 0.92, 0.93)
U = tuple(1 / values for values in (1024, 512, 1024, 512, 256, 16, 2, 32, 12, 64, 128, 256, 128, 64))
AGREE = tuple(round(64 * log2(m / u)) / 64 for m, u in zip(M, U))
DIFFER = tuple(round(64 * log2((1 - m) / (1 - u))) / 64 for m, u in zip(M, U))


def weight(inp):
    """The weight of the match of two records."""
    total = 0.0
    for n in range(len(M)):
        total += AGREE[n] if inp["N", n + 1] == inp["E", n + 1] else DIFFER[n]
    return total


@pw_custom_func()
def max_prl(res, lhs, rhs):
    """The match with the larger weight; of two equal weights, the one with the smaller id of E."""
    if lhs["w"] > rhs["w"] or (lhs["w"] == rhs["w"] and lhs["b"] <= rhs["b"]):
        res["a"], res["b"], res["w"], res["link"] = lhs["a"], lhs["b"], lhs["w"], lhs["link"]
    else:
        res["a"], res["b"], res["w"], res["link"] = rhs["a"], rhs["b"], rhs["w"], rhs["link"]


def attributes(dimension: int):
    """The index functions of the attributes of a record."""

    def attribute(n: int):
        return lambda i, j: ((i, j)[dimension], n)

    return [attribute(n) for n in range(len(M))]


def prl(I: int, J: int):
    @mdh()
    def prl():
        @scalar_function()
        def match(out, inp):
            w: fp32 = weight(inp)
            out["a"], out["b"], out["w"] = inp["N_id"], inp["E_id"], w
            out["link"] = int32(w >= 15) + int32(w >= 45)

        return (
            out_view[int64, int64, fp32, int32](
                a=[lambda i, j: i], b=[lambda i, j: i], w=[lambda i, j: i], link=[lambda i, j: i]
            ),
            md_hom[I, J](match, (cc, pw(max_prl))),
            inp_view[int64, int32, int64, int32](
                N_id=[lambda i, j: i], N=attributes(0), E_id=[lambda i, j: j], E=attributes(1)
            ),
        )

    return prl
