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


def jacobi_1d(A, B):
    """Three steps from one array to the other one and back."""
    for _ in range(3):
        B[1:-1] = 0.5 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.5 * (B[:-2] + B[1:-1] + B[2:])
    return A, B


def laplace(A):
    """The second differences of inner elements along all axes."""
    inner = A[1:-1, 1:-1, 1:-1]
    ends = [np.diff(np.moveaxis(A, axis, 0)[:, 1:-1, 1:-1], 2, axis=0) for axis in range(3)]
    return inner + 0.125 * sum(np.moveaxis(end, 0, axis) for axis, end in enumerate(ends))


def heat_3d(A, B):
    """Three steps from one array to the other one and back."""
    for _ in range(3):
        B[1:-1, 1:-1, 1:-1] = laplace(A)
        A[1:-1, 1:-1, 1:-1] = laplace(B)
    return rounded(A, magnitude=np.abs(A).max()), rounded(B, magnitude=np.abs(B).max())


def correlation(D, m, s, C):
    """Means, deviations, scaled differences, and products of all pairs of columns, with ones on the diagonal."""
    m, s = D.mean(0), D.std(0)
    s = np.where(s <= 0.1, 1.0, s)
    D = (D - m) / s
    C = D.T @ D
    np.fill_diagonal(C, 1.0)
    return rounded(D, magnitude=4), m, rounded(s), rounded(C, magnitude=8)


def symm(A, B, C, w):
    """A product with a symmetric matrix, whose lower triangle is given."""
    full = np.tril(A) + np.tril(A, -1).T
    return 0.5 * C + 1.5 * full @ B, (np.tril(A, -1) @ B)[-1, -1:]


def cholesky(A):
    """A factor of a matrix whose lower triangle is given; the upper one keeps its elements."""
    A = A + 64 * np.eye(8)
    full = np.tril(A) + np.tril(A, -1).T
    return rounded(np.where(np.tri(8), np.linalg.cholesky(full), A), magnitude=8)


def durbin(r, y, z, a, b, w):
    """The solution of a Toeplitz system: T y = -r, with ones on the diagonal of T."""
    r = r / 8
    lags = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))

    def solution(n):
        return np.linalg.solve(np.append(1.0, r)[lags[:n, :n]], -r[:n])

    y, before = solution(8), solution(7)
    # The error of each solution is smaller by a factor that depends on its last element.
    errors = np.cumprod([1.0, *(1 - solution(n)[-1] ** 2 for n in range(1, 8))])
    sums = r[6::-1] @ before
    z[:7] = y[:7]
    return (
        rounded(y, magnitude=1),
        rounded(z, magnitude=1),
        rounded(y[-1:], magnitude=1),
        rounded(errors[-1:], magnitude=1),
        rounded([sums], magnitude=1),
    )


def gramschmidt(A, R, Q, w):
    """A = Q R with a positive diagonal of R, whose lower triangle keeps its elements; the columns of A lose their parts
    along all columns of Q before the last one."""
    q, r = np.linalg.qr(A)
    q, r = q * np.sign(np.diag(r)), r * np.sign(np.diag(r))[:, None]
    left = A.copy()
    for k in range(8):
        left[:, k] -= q[:, :k] @ r[:k, k]
    near = {"tolerance": 1e-4, "magnitude": np.abs(r).max()}
    R = np.where(np.tri(8, k=-1), R, r)
    return rounded(left, **near), rounded(R, **near), rounded(q, 1e-4, 1), rounded(r[-1, -1:] ** 2, **near)


def ludcmp(A, b, x, y, w):
    """L and U, and the solution of A x = b through L y = b."""
    A = A + 64 * np.eye(8)
    factors = lu(A).values
    y = np.linalg.solve(np.tril(factors, -1) + np.eye(8), b)
    x = np.linalg.solve(A, b)
    first = y[0] - factors[0, 1:] @ x[1:]
    return rounded(factors, magnitude=64), rounded(x, magnitude=1), rounded(y, magnitude=2), rounded([first], magnitude=2)


def filtered(x, first, second):
    """y[n] = first * x[n] + second * x[n - 1] + 0.125 * y[n - 1] + 0.1 * y[n - 2] of each row."""
    padded = np.pad(x, ((0, 0), (2, 0)))
    y = np.zeros_like(padded)
    for n in range(2, y.shape[1]):
        y[:, n] = first * padded[:, n] + second * padded[:, n - 1] + 0.125 * y[:, n - 1] + 0.1 * y[:, n - 2]
    return y[:, 2:]


def both(x):
    """The filters of rows: forward, and backward from the element that follows."""
    following = np.pad(x, ((0, 0), (0, 1)))[:, :0:-1]
    return filtered(x, 1.5, 0.5), filtered(following, 0.5, 0.125)[:, ::-1]


def deriche(I, O, U, V, s):
    """Recursive filters in both directions, of rows and then of columns. The last values of the last filter are left."""
    rows = 0.5 * sum(both(I))
    U, V = (y.T for y in both(rows.T))
    s[:4] = rows[0, -1], rows[1, -1], V[0, -1], V[1, -1]
    near = {"magnitude": np.abs(V).max() + np.abs(U).max()}
    return tuple(rounded(y, **near) for y in (0.5 * (U + V), U, V, s))


def floyd_warshall(P):
    """Three loops in the order of the definition: paths may have negative lengths."""
    for k in range(8):
        for i in range(8):
            for j in range(8):
                P[i, j] = min(P[i, j], P[i, k] + P[k, j])
    return rounded(P)


def nussinov(q, T):
    """The largest number of pairs of a sequence, whose pairs have the sum 1."""
    for i in range(7, -1, -1):
        for j in range(i + 1, 8):
            pair = float(q[i] + q[j] == 1) if i < j - 1 else 0.0
            joined = [T[i, k] + T[k + 1, j] for k in range(i + 1, j)]
            T[i, j] = max(T[i, j], T[i, j - 1], T[i + 1, j], T[i + 1, j - 1] + pair, *joined)
    return T


def sweep(w):
    """The solution of tridiagonal systems for the inner elements of each column, with ones at both ends, and the factors of
    the elimination."""
    p, q = np.zeros((8, 7)), np.ones((8, 7))
    for j in range(1, 7):
        p[1:-1, j] = 0.5 / (2 - 0.5 * p[1:-1, j - 1])
        right = 0.5 * (w[j, :-2] + w[j, 1:-1] + w[j, 2:])
        q[1:-1, j] = (right + 0.5 * q[1:-1, j - 1]) / (2 - 0.5 * p[1:-1, j - 1])
    matrix = 2 * np.eye(6) - 0.5 * np.eye(6, k=1) - 0.5 * np.eye(6, k=-1)
    right = 0.5 * (w[1:-1, :-2] + w[1:-1, 1:-1] + w[1:-1, 2:])
    right[[0, -1]] += 0.5
    return np.linalg.solve(matrix, right), p[1:-1], q[1:-1]


def adi(u, v, p, q):
    """Three steps of two implicit sweeps."""
    for _ in range(3):
        v[1:-1, 1:-1], _, _ = sweep(u)
        v[[0, -1], 1:-1] = 1
        inner, p[1:-1, :-1], q[1:-1, :-1] = sweep(v.T)
        u[1:-1, 1:-1] = inner.T
        u[1:-1, [0, -1]] = 1
    return tuple(rounded(x, magnitude=4) for x in (u, v, p, q))


OTHERS = {
    "three_mm": lambda A, B, C, D, E, F, G: (A @ B, C @ D, rounded(A @ B @ (C @ D), magnitude=np.abs(A @ B).max() ** 2)),
    "jacobi_1d": jacobi_1d,
    "heat_3d": heat_3d,
    "correlation": correlation,
    "symm": symm,
    "syr2k": lambda A, B, C: np.where(np.tri(8), 0.5 * C + 1.5 * (A @ B.T + B @ A.T), C),
    "cholesky": cholesky,
    "durbin": durbin,
    "gramschmidt": gramschmidt,
    "ludcmp": ludcmp,
    "deriche": deriche,
    "floyd_warshall": floyd_warshall,
    "nussinov": nussinov,
    "adi": adi,
}

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

FORMULAS = {"loops/polybench": POLYBENCH, "loops/polybench-others": OTHERS}
