"""PolyBench 4.2, from the definitions of its kernels, with alpha = 1.5 and beta = 0.5, which is also the factor of its
stencils and, in place of 1 / n, that of means. A kernel returns the arrays that it writes."""

import numpy as np

from results import rounded


def gemver(A, u, v, a, b, w, x, y, z):
    """A rank-2 update and two products."""
    A = A + np.outer(u, v) + np.outer(a, b)
    x = x + 0.5 * A.T @ y + z
    w = w + 1.5 * A @ x
    return A, rounded(w, magnitude=np.abs(A).max() * np.abs(x).max()), x


def doitgen(A, C, s):
    """Products of the last axis; the sums are those of the last row."""
    A = A @ C
    return A, A[-1, -1]


def covariance(D, m, C):
    """Means, differences from them, and products of all pairs of columns."""
    m = D.sum(0) * 0.5
    D = D - m
    return D, m, D.T @ D * 0.5


def star(A):
    """The sum of an element and its neighbours, for inner elements."""
    return A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]


def jacobi_2d(A, B):
    """Three steps from one array to the other one and back."""
    for _ in range(3):
        B[1:-1, 1:-1] = 0.5 * star(A)
        A[1:-1, 1:-1] = 0.5 * star(B)
    return A, B


def fdtd_2d(X, Y, H, f):
    """Three steps of an electric and a magnetic field."""
    for t in range(3):
        Y[0] = f[t]
        Y[1:] -= 0.5 * (H[1:] - H[:-1])
        X[:, 1:] -= 0.5 * (H[:, 1:] - H[:, :-1])
        H[:-1, :-1] -= 0.5 * (X[:-1, 1:] - X[:-1, :-1] + Y[1:, :-1] - Y[:-1, :-1])
    return X, Y, H


def seidel_2d(A):
    """Three steps in place, in the order of the elements."""
    for _ in range(3):
        for i in range(1, 7):
            for j in range(1, 7):
                A[i, j] = 0.5 * (A[i, j - 1 : j + 2].sum() + A[i - 1, j] + A[i + 1, j])
    return rounded(A, magnitude=np.abs(A).max())


def syrk(A, C):
    """The lower triangle only."""
    return np.where(np.tri(8), 0.5 * C + 1.5 * A @ A.T, C)


def trisolv(L, x, b):
    """Forward substitution."""
    for i in range(8):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return rounded(x, magnitude=np.abs(x).max())


def lu(A):
    """A = L U without pivoting, L with ones on its diagonal: what is left of the matrix after each column."""
    lower, upper = np.eye(8), np.zeros((8, 8))
    rest = A.copy()
    for k in range(8):
        upper[k], lower[:, k] = rest[k], rest[:, k] / rest[k, k]
        rest = rest - np.outer(lower[:, k], upper[k])
    assert np.allclose(lower @ upper, A)
    result = np.tril(lower, -1) + upper
    return rounded(result, magnitude=np.abs(result).max())


POLYBENCH = {
    "gemm": lambda A, B, C: 0.5 * C + 1.5 * A @ B,
    "two_mm": lambda A, B, C, D, T: (0.5 * D + 1.5 * A @ B @ C, 1.5 * A @ B),
    "atax": lambda A, x, y, t: (A.T @ (A @ x), A @ x),
    "bicg": lambda A, s, q, p, r: (A.T @ r, A @ p),
    "mvt": lambda A, x, y, u, v: (x + A @ u, y + A.T @ v),
    "gesummv": lambda A, B, t, x, y: (A @ x, 1.5 * A @ x + 0.5 * B @ x),
    "gemver": gemver,
    "doitgen": doitgen,
    "covariance": covariance,
    "jacobi_2d": jacobi_2d,
    "fdtd_2d": fdtd_2d,
    "seidel_2d": seidel_2d,
    "trmm": lambda A, B: 1.5 * (B + np.tril(A, -1).T @ B),
    "syrk": syrk,
    "trisolv": trisolv,
    "lu": lu,
}

FORMULAS = {"loops/polybench": POLYBENCH}
