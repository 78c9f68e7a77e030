"""Why operations of ATen are not compiled, in words."""

from __future__ import annotations

import re
from typing import Any

# By a part of the name of an operation: what it does.
_WORDS = {
    "argsort": "sorting",
    "bucketize": "a search in sorted numbers",
    "cholesky": "Cholesky's decomposition",
    "_cdist": "the distances between rows",
    "eig": "the eigenvalue decomposition",
    "_fft": "the Fourier transform",
    "histc": "a histogram",
    "histogram": "a histogram",
    "householder": "the QR decomposition",
    "kthvalue": "sorting",
    "_linalg_det": "the LU decomposition",
    "_linalg_slogdet": "the LU decomposition",
    "_linalg_solve": "solving linear equations",
    "_linalg_svd": "the singular value decomposition",
    "lstsq": "solving linear equations",
    "_lu": "the LU decomposition",
    "linalg_inv": "the inverse of a matrix",
    "linalg_qr": "the QR decomposition",
    "median": "sorting",
    "mode": "sorting",
    "multinomial": "drawing random numbers",
    "nonzero": "a number of results that depends on elements",
    "ormqr": "the QR decomposition",
    "searchsorted": "a search in sorted numbers",
    "solve_triangular": "solving a triangular system",
    "sort": "sorting",
    "topk": "selecting the largest elements",
    "triangular_solve": "solving a triangular system",
    "unique": "a number of results that depends on elements",
}
# How problems begin, or what they contain, that say nothing to users.
_TECHNICAL = ("torch-mlir does not lower it", "unknown operation")


def reason(node: Any, problem: Exception) -> str:
    """Why an operation is not compiled.

    Args:
        node: its node of the graph.
        problem: what the compiler, or torch-mlir, says.
    """
    # An interpreter of PyTorch appends what it executes.
    text = str(problem).partition("\n\nWhile executing")[0]
    name = str(node.target)
    if not any(part in text for part in _TECHNICAL):
        return text
    words = next((words for part, words in _WORDS.items() if part in name), None)
    return f"{name} is not supported" if words is None else f"{words} is not supported"


def location(node: Any) -> str:
    """The line of Python of an operation, as a prefix of errors; empty if it is not known."""
    frames = re.findall(r'File "(.*)", line (\d+)', node.meta.get("stack_trace") or "")
    return f"{frames[-1][0]}:{frames[-1][1]}: " if frames else ""
