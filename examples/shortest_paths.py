#!/usr/bin/env python3
"""A step of all shortest paths, the first program of README.md, measured beside the same in NumPy.

    examples/shortest_paths.py      prints a table for one thread, and one for two
"""

import numpy
from mdh import *
from mdh import benchmark
from mdh import compiler as mdhc

N = 480


@mdh(out(D=Buffer[fp32]), inp(A=Buffer[fp32], B=Buffer[fp32]), combine_ops(cc, cc, pw(min)))
def shortest(D, A, B):
    for i in range(N):
        for j in range(N):
            for k in range(N):
                D[i, j] = A[i, k] + B[k, j]


def in_numpy(D, A, B):
    """The same with an array of all sums."""
    D[:] = (A[:, :, None] + B).min(1)


def main():
    """Prints the times."""
    A, B = numpy.random.default_rng(0).random((2, N, N), "float32")
    D = numpy.empty((N, N), "float32")
    for threads in (1, 2):
        function = mdhc.compile(computation=shortest, backend=mdhc.CPU(threads=threads))
        print(f"threads: {threads}\n{benchmark(function, D, A, B, compare={'NumPy': in_numpy}, budget=20)}\n")


if __name__ == "__main__":
    main()
