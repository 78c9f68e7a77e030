"""The computations of the MDH paper (Figure 16) in the interface published on mdh-lang.org.

Each function takes types and sizes and returns a computation:

    from mdh import compiler as mdhc, fp32
    function = mdhc.compile(computation=matmul(fp32, 64, 64, 64))
    function.run(C, A, B)

A size is an integer, or a `Size` for a function of arrays of all sizes: `matmul(fp32, Size("I"), Size("J"), Size("K"))`.

Record linkage, histograms and the Mandelbrot set are in `records.py`, `histograms.py` and `mandelbrot.py`, and
stencils in `stencils.py`.
"""

from mdh import *


@scalar_function()
def multiply(out, inp):
    out["C"] = inp["A"] * inp["B"]


@scalar_function()
def convolve(out, inp):
    out["O"] = inp["I"] * inp["F"]


@scalar_function()
def identity(out, inp):
    out["O"] = inp["I"]


def dot(T: BasicType, K: int):
    @mdh()
    def dot():
        return (
            out_view[T](C=[lambda k: ()]),
            md_hom[K](multiply, pw(add)),
            inp_view[T, T](A=[lambda k: k], B=[lambda k: k]),
        )

    return dot


def matvec(T: BasicType, I: int, K: int):
    @mdh()
    def matvec():
        @scalar_function()
        def multiply(out: Scalar[T], inp: Scalar[T, T]):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[T](w=[lambda i, k: i]),
            md_hom[I, K](multiply, (cc, pw(add))),
            inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: k]),
        )

    return matvec


def matvec_loops(T: BasicType, I: int, K: int):
    """The same as a nest of loops."""

    @mdh(out(w=Buffer[T]), inp(M=Buffer[T], v=Buffer[T]), combine_ops(cc, pw(add)))
    def matvec_loops(w, M, v):
        for i in range(I):
            for k in range(K):
                w[i] = M[i, k] * v[k]

    return matvec_loops


def matmul(T: BasicType, I: int, J: int, K: int):
    @mdh()
    def matmul():
        return (
            out_view[T](C=[lambda i, j, k: (i, j)]),
            md_hom[I, J, K](multiply, (cc, cc, pw(add))),
            inp_view[T, T](A=[lambda i, j, k: (i, k)], B=[lambda i, j, k: (k, j)]),
        )

    return matmul


def matmul_transposed(T: BasicType, I: int, J: int, K: int):
    """MatMul^T: all matrices are transposed."""

    @mdh()
    def matmul_transposed():
        return (
            out_view[T](C=[lambda i, j, k: (j, i)]),
            md_hom[I, J, K](multiply, (cc, cc, pw(add))),
            inp_view[T, T](A=[lambda i, j, k: (k, i)], B=[lambda i, j, k: (j, k)]),
        )

    return matmul_transposed


def bmatmul(T: BasicType, B: int, I: int, J: int, K: int):
    """Products of a batch of matrices."""

    @mdh()
    def bmatmul():
        return (
            out_view[T](C=[lambda b, i, j, k: (b, i, j)]),
            md_hom[B, I, J, K](multiply, (cc, cc, cc, pw(add))),
            inp_view[T, T](A=[lambda b, i, j, k: (b, i, k)], B=[lambda b, i, j, k: (b, k, j)]),
        )

    return bmatmul


CCSDT = tuple("gdab-efgc gdac-efgb gdbc-efga geab-dfgc geac-dfgb gebc-dfga gfab-degc gfac-degb gfbc-dega".split())
"""The nine contractions of CCSD(T): the indices of both operands; those of the result are abcdef."""


def ccsdt(T: BasicType, contraction: str, *extents: int):
    """A contraction of CCSD(T) with the extents of a to g."""
    left, right = (["abcdefg".index(letter) for letter in operand] for operand in contraction.split("-"))

    @mdh()
    def ccsdt():
        return (
            out_view[T](C=[lambda a, b, c, d, e, f, g: (a, b, c, d, e, f)]),
            md_hom[extents](multiply, (cc, cc, cc, cc, cc, cc, pw(add))),
            inp_view[T, T](
                A=[lambda a, b, c, d, e, f, g: tuple((a, b, c, d, e, f, g)[n] for n in left)],
                B=[lambda a, b, c, d, e, f, g: tuple((a, b, c, d, e, f, g)[n] for n in right)],
            ),
        )

    return ccsdt


def conv2d(T: BasicType, P: int, Q: int, R: int, S: int):
    @mdh()
    def conv2d():
        return (
            out_view[T](O=[lambda p, q, r, s: (p, q)]),
            md_hom[P, Q, R, S](convolve, (cc, cc, pw(add), pw(add))),
            inp_view[T, T](I=[lambda p, q, r, s: (p + r, q + s)], F=[lambda p, q, r, s: (r, s)]),
        )

    return conv2d


def mcc(T: BasicType, N: int, P: int, Q: int, K: int, R: int, S: int, C: int, stride: int = 1):
    """A multi-channel convolution; padding is part of the input."""

    @mdh()
    def mcc():
        return (
            out_view[T](O=[lambda n, p, q, k, r, s, c: (n, p, q, k)]),
            md_hom[N, P, Q, K, R, S, C](convolve, (cc, cc, cc, cc, pw(add), pw(add), pw(add))),
            inp_view[T, T](
                I=[lambda n, p, q, k, r, s, c: (n, stride * p + r, stride * q + s, c)],
                F=[lambda n, p, q, k, r, s, c: (k, r, s, c)],
            ),
        )

    return mcc


def mcc_capsule(T: BasicType, N: int, P: int, Q: int, K: int, R: int, S: int, C: int, MI: int, MJ: int, MK: int):
    """A multi-channel convolution of small matrices."""

    @mdh()
    def mcc_capsule():
        return (
            out_view[T](O=[lambda n, p, q, k, r, s, c, mi, mj, mk: (n, p, q, k, mi, mj)]),
            md_hom[N, P, Q, K, R, S, C, MI, MJ, MK](
                convolve, (cc, cc, cc, cc, pw(add), pw(add), pw(add), cc, cc, pw(add))
            ),
            inp_view[T, T](
                I=[lambda n, p, q, k, r, s, c, mi, mj, mk: (n, p + r, q + s, c, mi, mk)],
                F=[lambda n, p, q, k, r, s, c, mi, mj, mk: (k, r, s, c, mk, mj)],
            ),
        )

    return mcc_capsule


def apply(T: BasicType, N: int):
    """map(f), for a piecewise polynomial f."""

    @mdh()
    def apply():
        @scalar_function()
        def f(out: Scalar[T], inp: Scalar[T]):
            x = inp["I"]
            if x < 0:
                out["O"] = 0.5 * x
            else:
                out["O"] = x**2

        return out_view[T](O=[lambda i: i]), md_hom[N](f, cc), inp_view[T](I=[lambda i: i])

    return apply


def reduce(T: BasicType, N: int, op=add):
    """reduce(op), for a built-in or a custom operator on `O`."""

    @mdh()
    def reduce():
        return out_view[T](O=[lambda i: ()]), md_hom[N](identity, pw(op)), inp_view[T](I=[lambda i: i])

    return reduce


def reduce_multiple(T: BasicType, N: int):
    """reduce(op1, op2): the sum and the product in one pass."""

    @mdh()
    def reduce_multiple():
        @scalar_function()
        def duplicate(out: Scalar[T, T], inp: Scalar[T]):
            out["O1"] = out["O2"] = inp["I"]

        return (
            out_view[T, T](O1=[lambda i: ()], O2=[lambda i: ()]),
            md_hom[N](duplicate, pw(add, mul)),
            inp_view[T](I=[lambda i: i]),
        )

    return reduce_multiple


def scan(T: BasicType, N: int, op=add):
    """Prefix sums: element i of the result combines the elements 0 to i."""

    @mdh()
    def scan():
        return out_view[T](O=[lambda i: i]), md_hom[N](identity, ps(op)), inp_view[T](I=[lambda i: i])

    return scan


def mbbs(T: BasicType, I: int, J: int):
    """Maximum bottom box sum: the sums of all boxes that end at a row, of which the result is the maximum."""

    @mdh()
    def mbbs():
        return (
            out_view[T](O=[lambda i, j: i]),
            md_hom[I, J](identity, (ps(add), pw(add))),
            inp_view[T](I=[lambda i, j: (i, j)]),
        )

    return mbbs
