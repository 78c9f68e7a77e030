"""TVM with MetaSchedule as a peer: tunes a row for some time, and runs the best schedule that it found.

    python -m bench.peers.tvm ROW FOLDER SECONDS

tunes a row, and keeps MetaSchedule's database in a folder. bench.tuning.tvm calls it, and frameworks.py loads what was found.

Candidates are built and run in this process: the worker processes of TVM 0.27 do not answer. MetaSchedule's budget is a number of
candidates; here it is a time: the process ends before the first round that begins later.
"""

import os
import pathlib
import sys
import tempfile
import time

import numpy

# More candidates than any budget allows, and candidates of a round: MetaSchedule learns after each.
MANY, ROUND = 1 << 20, 16
# Seconds and calls of a measurement.
LEAST, MOST_CALLS = 0.1, 100


def function(row):
    """The computation of a row."""
    from tvm import te

    inputs = [te.placeholder(shape, name=f"in{number}", dtype="float32") for number, (_, _, shape) in enumerate(row.inputs)]
    sizes = row.sizes
    axis = lambda name: te.reduce_axis((0, sizes[name]), name)
    shape = row.outputs[0][1]

    def reduction(names, at):
        axes = [axis(name) for name in names]
        left, right = inputs
        return te.compute(shape, lambda *index: te.sum(at(left, right, index, axes), axis=axes), name="out")

    if row.example == "matmul":
        out = reduction("k", lambda a, b, ij, k: a[ij[0], k[0]] * b[k[0], ij[1]])
    elif row.example == "matmul_transposed":
        out = reduction("k", lambda a, b, ji, k: a[k[0], ji[1]] * b[ji[0], k[0]])
    elif row.example == "bmatmul":
        out = reduction("k", lambda a, b, bij, k: a[bij[0], bij[1], k[0]] * b[bij[0], k[0], bij[2]])
    elif row.example == "conv2d":
        out = reduction("rs", lambda a, b, pq, rs: a[pq[0] + rs[0], pq[1] + rs[1]] * b[rs[0], rs[1]])
    elif row.example in ("mcc", "mcc_strided"):
        step = row.stride
        at = lambda a, b, npqk, rsc: (
            a[npqk[0], npqk[1] * step + rsc[0], npqk[2] * step + rsc[1], rsc[2]] * b[npqk[3], rsc[0], rsc[1], rsc[2]]
        )
        out = reduction("rsc", at)
    elif row.example == "jacobi3d":
        x, weights = inputs[0], [0.161, 0.162, 0.163, 0.164, 0.165, 0.166, -1.67]
        places = [(1, 1, 2), (1, 1, 0), (1, 2, 1), (1, 0, 1), (2, 1, 1), (0, 1, 1), (1, 1, 1)]
        term = lambda weight, place, index: numpy.float32(weight) * x[tuple(at + by for at, by in zip(index, place))]
        out = te.compute(shape, lambda *index: sum(term(*pair, index) for pair in zip(weights, places)), name="out")
    elif row.example.startswith("ccsdt"):
        names = row.example.split("_")[1:]

        def at(left, right, index, axes):
            known = {**dict(zip("abcdef", index)), "g": axes[0]}
            return left[tuple(known[d] for d in names[0])] * right[tuple(known[d] for d in names[1])]

        out = reduction("g", at)
    else:
        raise KeyError(f"TVM has no {row.example}")
    return te.create_prim_func([*inputs, out])


def target():
    """The processor, with the threads of the environment."""
    import tvm

    names = {(25, 17): "znver4", (26, 2): "znver5"}
    known = dict(line.split(":", 1) for line in open("/proc/cpuinfo", encoding="utf-8").read().split("\n\n")[0].split("\n") if ":" in line)
    known = {key.strip(): value.strip() for key, value in known.items()}
    flags = known.get("flags", "").split()
    other = "sapphirerapids" if "amx_tile" in flags else "skylake-avx512" if "avx512vl" in flags else "x86-64-v3"
    family = (int(known.get("cpu family", 0)), int(known.get("model", 0)))
    return tvm.target.Target({"kind": "llvm", "num-cores": int(os.environ["OMP_NUM_THREADS"]), "mcpu": names.get(family, other)})


def measurers(deadline):
    """What builds and runs candidates, in this process, until a time of the clock."""
    import tvm
    from tvm.ir.utils import derived_object
    from tvm.s_tir import meta_schedule
    from tvm.s_tir.meta_schedule.builder.local_builder import default_build

    built = {}

    @derived_object
    class Builder(meta_schedule.builder.PyBuilder):
        """Keeps what it builds in memory."""

        def build(self, inputs):
            results = []
            for candidate in inputs:
                try:
                    # MetaSchedule deletes the folder of a candidate after its run.
                    key = tempfile.mkdtemp() + "/in-memory"
                    built[key] = default_build(candidate.mod, candidate.target, candidate.params)
                    results.append(meta_schedule.builder.BuilderResult(key, None))
                except Exception as error:  # A candidate that TVM cannot compile has failed.
                    results.append(meta_schedule.builder.BuilderResult(None, str(error)[-200:]))
            return results

    @derived_object
    class Known(meta_schedule.runner.PyRunnerFuture):
        """A result that is there."""

        def __init__(self, seconds, error):
            super().__init__()
            self.seconds, self.error = seconds, error

        def done(self):
            return True

        def result(self):
            return meta_schedule.runner.RunnerResult(self.seconds, self.error)

    @derived_object
    class Runner(meta_schedule.runner.PyRunner):
        """Takes the least of some calls."""

        def run(self, inputs):
            if time.monotonic() > deadline:
                # The records of all rounds before are written.
                os._exit(0)
            return [self.one(candidate) for candidate in inputs]

        def one(self, candidate):
            try:
                main = built.pop(str(candidate.artifact_path))["main"]
                shapes = [(tuple(map(int, argument.shape)), str(argument.dtype)) for argument in candidate.args_info]
                given = [tvm.runtime.tensor(numpy.random.rand(*shape).astype(dtype)) for shape, dtype in shapes]
                main(*given)
                seconds, begin = [], time.monotonic()
                while len(seconds) < 3 or time.monotonic() - begin < LEAST and len(seconds) < MOST_CALLS:
                    start = time.perf_counter()
                    main(*given)
                    seconds.append(time.perf_counter() - start)
                return Known([min(seconds)], None)
            except Exception as error:  # A candidate that fails has no time.
                return Known(None, str(error)[-200:])

    return Builder(), Runner()


def tune(row, folder, seconds):
    """Tunes a row, and ends the process."""
    import tvm
    from tvm.s_tir import meta_schedule

    builder, runner = measurers(time.monotonic() + seconds)
    meta_schedule.tune_tir(
        tvm.IRModule({"main": function(row)}),
        target(),
        work_dir=str(folder),
        max_trials_global=MANY,
        num_trials_per_iter=ROUND,
        builder=builder,
        runner=runner,
        num_tuning_cores=int(os.environ["OMP_NUM_THREADS"]),
    )


def load(row, folder, arrays, outputs):
    """A function that runs the best schedule of a folder, and one that returns its results."""
    import tvm
    from tvm.s_tir import meta_schedule

    module = tvm.IRModule({"main": function(row)})
    database = meta_schedule.database.JSONDatabase(work_dir=str(folder))
    schedule = meta_schedule.tir_integration.compile_tir(database, module, target())
    if schedule is None:
        raise RuntimeError("MetaSchedule has no schedule that works")
    main = tvm.compile(schedule.mod, target=target())["main"]
    given = [tvm.runtime.tensor(array) for array in arrays]
    taken = [tvm.runtime.empty(output.shape, str(output.dtype)) for output in outputs]

    return lambda: main(*given, *taken), lambda: [array.numpy() for array in taken]


if __name__ == "__main__":
    from bench.peers.rows import rows

    tune(rows()[sys.argv[1]], pathlib.Path(sys.argv[2]), float(sys.argv[3]))
