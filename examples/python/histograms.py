"""Histograms of the MDH paper (Figure 16)."""

from mdh import *


def histo(E: int, B: int):
    """The number of elements that are equal to each bin."""

    @mdh()
    def histo():
        @scalar_function()
        def count(out, inp):
            out["Out"] = 1 if inp["Elems"] == inp["Bins"] else 0

        return (
            out_view[int32](Out=[lambda e, b: b]),
            md_hom[E, B](count, (pw(add), cc)),
            inp_view[int32, int32](Elems=[lambda e, b: e], Bins=[lambda e, b: b]),
        )

    return histo


LARGEST = 127


@pw_custom_func()
def saturating_add(res, lhs, rhs):
    """The sum of two counts, at most LARGEST."""
    res["Out"] = min(lhs["Out"] + rhs["Out"], LARGEST)


def near(element, bin):
    """3 for an element in the bin, 1 beside it."""
    distance = abs(element - bin)
    if distance == 0:
        return 3
    return 1 if distance == 1 else 0


def genhisto(E: int, B: int, f=near, op=saturating_add):
    """A histogram with a function of the element and the bin, and an operator that combines its results."""

    @mdh()
    def genhisto():
        @scalar_function()
        def weight(out, inp):
            out["Out"] = f(inp["Elems"], inp["Bins"])

        return (
            out_view[int32](Out=[lambda e, b: b]),
            md_hom[E, B](weight, (pw(op), cc)),
            inp_view[int32, int32](Elems=[lambda e, b: e], Bins=[lambda e, b: b]),
        )

    return genhisto
