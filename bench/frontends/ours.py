"""What `mdh run` computes from a program of a frontend, and how long it takes.

Environment: EXTRA = further options of `mdh run`.
"""
import json
import os
import subprocess

import numpy as np

# The limit of a run in seconds.
RUN_SECONDS = 60


class Ours:
    """A program, p.mlir in a folder, compiled by `mdh run`; the first run fills the cache, so that later rounds only link."""

    def __init__(self, mdh, threads, options, folder):
        self.command = [mdh, "run", str(folder / "p.mlir"), "--function", "main", "--threads", threads, "--json",
                        "--cache", str(folder / "cache"), *os.environ.get("EXTRA", "").split(), *options]
        self.folder = folder
        self.repeat = 20

    def run(self, *options):
        try:
            done = subprocess.run([*self.command, *options], capture_output=True, text=True, timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"no answer in {RUN_SECONDS} s") from None
        if done.returncode:
            raise RuntimeError(f"exit {done.returncode}: {(done.stderr.strip() or '?').splitlines()[0][-150:]}")
        return json.loads(done.stdout)

    def results(self, count):
        """The results, and the compile time in seconds."""
        files = [self.folder / f"o{n}.npy" for n in range(count)]
        answer = self.run(*[option for file in files for option in ("--output", str(file))])
        # The runs of a round take a part of their limit.
        self.repeat = max(3, min(20, int(RUN_SECONDS / 4 / max(answer["run_seconds"]["median"], 1e-6))))
        return [np.load(file) for file in files], answer["compile_seconds"]

    def time(self):
        """The median time of a run of this round."""
        return self.run("--repeat", str(self.repeat))["run_seconds"]["median"]


def agree(found, expected, tolerance):
    return all(one.size == other.size and np.allclose(one.reshape(other.shape), other, rtol=tolerance, atol=tolerance, equal_nan=True)
               for one, other in zip(found, expected, strict=True))
