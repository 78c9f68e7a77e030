#!/usr/bin/env python3
"""A step of all shortest paths, the first program of README.md, measured beside the same in NumPy.

    examples/shortest_paths.py      prints the medians of the processor time of both, with one thread
"""

import statistics
import time

import numpy
from mdh import *
from mdh import compiler as mdhc

N = 480
CALLS = 11


@mdh(out(D=Buffer[fp32]), inp(A=Buffer[fp32], B=Buffer[fp32]), combine_ops(cc, cc, pw(min)))
def shortest(D, A, B):
    for i in range(N):
        for j in range(N):
            for k in range(N):
                D[i, j] = A[i, k] + B[k, j]


def in_numpy(A, B):
    """The same through an array of all sums."""
    return (A[:, :, None] + B).min(1)


def seconds(call, *arguments):
    """The processor time of a call, which does not contain that of other programs."""
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def main():
    """Compares the results, and prints the times of calls that take turns."""
    A, B = numpy.random.default_rng(0).random((2, N, N), "float32")
    D = numpy.empty((N, N), "float32")
    function = mdhc.compile(computation=shortest, backend=mdhc.CPU(threads=1))
    function.run(D, A, B)
    numpy.testing.assert_array_equal(D, in_numpy(A, B))
    times = [(seconds(function.run, D, A, B), seconds(in_numpy, A, B)) for _ in range(CALLS)]
    ours, theirs = (statistics.median(column) for column in zip(*times))
    print(f"mdh {1e3 * ours:.1f} ms, NumPy {1e3 * theirs:.1f} ms, ratio {theirs / ours:.1f}")


if __name__ == "__main__":
    main()
