"""A matrix product in Triton, for peers.py. It is in its own file because Triton reads the source of kernels."""

import triton
import triton.language as tl

# Rows, columns and reduction length of a tile, number of warps, and pipeline stages.
TILES = [
    (16, 32, 64, 2, 4),
    (16, 64, 64, 4, 4),
    (16, 128, 32, 4, 4),
    (32, 64, 32, 4, 4),
    (64, 64, 16, 4, 3),
    (64, 128, 16, 4, 3),
    (128, 64, 16, 4, 3),
    (128, 128, 8, 8, 3),
    (128, 128, 16, 8, 3),
]


@triton.jit
def kernel(left, right, result, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    """Computes a tile of the result: row-major operands, fp32 accumulation."""
    batch = tl.program_id(1).to(tl.int64)
    columns = tl.cdiv(N, TN)
    rows = (tl.program_id(0) // columns) * TM + tl.arange(0, TM)
    cols = (tl.program_id(0) % columns) * TN + tl.arange(0, TN)
    depth = tl.arange(0, TK)
    at_left = left + batch * M * K + rows[:, None] * K + depth[None, :]
    at_right = right + batch * K * N + depth[:, None] * N + cols[None, :]
    total = tl.zeros((TM, TN), dtype=tl.float32)
    for start in range(0, K, TK):
        inside = depth < K - start
        a = tl.load(at_left, mask=(rows[:, None] < M) & inside[None, :], other=0.0)
        b = tl.load(at_right, mask=inside[:, None] & (cols[None, :] < N), other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
        at_left += TK
        at_right += TK * N
    at_result = result + batch * M * N + rows[:, None] * N + cols[None, :]
    tl.store(at_result, total, mask=(rows[:, None] < M) & (cols[None, :] < N))


def product(left, right, result, sizes, tile):
    """Launches the product with one tile size."""
    batches, m, n, k = sizes
    rows, columns, depth, warps, stages = tile
    grid = (triton.cdiv(m, rows) * triton.cdiv(n, columns), batches)
    kernel[grid](left, right, result, m, n, k, TM=rows, TN=columns, TK=depth, num_warps=warps, num_stages=stages)
