"""The measuring process of bench.gpu.

Its argument is one JSON object: the engine, the paths, and the jobs, each a row and the peer that computes it.
"""

import json
import math
import pathlib
import subprocess
import sys

import numpy

from bench.gpu import rows as gpu_rows
from bench.gpu.device import Cuda
from bench.gpu.jobs import serve
from bench.peers import rows as peers_rows

TOLERANCE = 1e-4
# Number of bytes that are overwritten and copied with small sizes.
LITTLE = 1 << 16


def checked(row, arrays, results):
    """The difference of results from their definition."""
    difference = peers_rows.check(row, arrays, [result.reshape(shape) for result, (_, shape) in zip(results, row.outputs)])
    # JSON has no infinity.
    return {"difference": difference if math.isfinite(difference) else None} | ({} if difference <= TOLERANCE else {"wrong": True})


class Result:
    """An array on the device, whose elements are read one by one."""

    def __init__(self, cuda, address, dtype, shape):
        self.cuda, self.address, self.shape, self.element = cuda, address, shape, numpy.zeros((), dtype)

    def reshape(self, shape):
        """The same array with another shape."""
        return Result(self.cuda, self.address, self.element.dtype, shape)

    def __getitem__(self, index):
        position = int(numpy.ravel_multi_index(index, self.shape)) if self.shape else 0
        self.cuda.read(self.address + position * self.element.nbytes, self.element)
        return self.element


def on_device(cuda, row, kernels):
    """The results of our kernels for a row."""
    return [Result(cuda, kernels.outputs[n], peers_rows.TYPES[dtype], shape) for n, (dtype, shape) in enumerate(row.outputs)]


def measured(cuda, row, arrays, variant, repeat):
    """Runs a variant of a row, and measures it if its results are right."""
    start, results, refresh = variant
    refresh()
    start()
    cuda.wait()
    found = checked(row, arrays, results())
    return found if "wrong" in found else found | cuda.time(start, repeat, refresh)


class Worker:
    """The state that all jobs share."""

    def __init__(self, options):
        self.options = options
        self.repeat, self.folder = options["repeat"], pathlib.Path(options["folder"])
        self.rows = gpu_rows.rows(options["small"])
        self.cuda = None
        if options["engine"] == "cuda":
            self.cuda = Cuda(LITTLE) if options["small"] else Cuda()
        self.peers = {}
        if {what for _, what in options["jobs"]} - {"mdh"}:
            from bench.gpu import peers

            self.peers = peers.installed()

    def header(self):
        """The description of the device, and versions."""
        found = {"versions": {name: peer.version() for name, peer in self.peers.items() if name != "PyTorch compiled"}}
        found["peers"] = list(self.peers)
        if self.cuda:
            found["device"], driver = self.cuda.describe()
            found["versions"] = {"driver": driver} | found["versions"]
            found["copy_bytes"] = LITTLE if self.options["small"] else 1 << 30
            found["copy_bandwidth"] = self.cuda.bandwidth(found["copy_bytes"])
        return found

    def arrays(self, row):
        """The inputs of a row, and their files."""
        paths = [self.folder / f"{row.name}_{number}.npy" for number in range(len(row.inputs))]
        if not all(path.exists() for path in paths):
            for path, array in zip(paths, row.arrays()):
                numpy.save(path, array)
        return [numpy.load(path) for path in paths], paths

    def job(self, row, what):
        """Measures a row with a peer."""
        arrays, paths = self.arrays(row)
        if what == "mdh" and not self.options["kernels"]:
            return self.run(row, arrays, paths)
        with self.cuda.arrays(arrays) as addresses:
            return self.fastest(row, arrays, addresses, self.launched if what == "mdh" else self.peers[what])

    def run(self, row, arrays, paths):
        """Measures our kernels with our tool, and checks their results."""
        outputs = [self.folder / f"output{number}.npy" for number in range(len(row.outputs))]
        command = [f"{self.options['tools']}/mdh", "run", gpu_rows.program(row, self.folder), "--function", row.function]
        command += ["--engine", self.options["engine"], "--repeat", self.repeat, "--json"]
        command += [part for path in paths for part in ("--input", path)] + [part for path in outputs for part in ("--output", path)]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}")
        report = json.loads(done.stdout)
        found = checked(row, arrays, [numpy.load(path) for path in outputs])
        found |= {"compile_seconds": report["compile_seconds"], "whole_seconds": report["run_seconds"]["median"]}
        if "wrong" in found:
            return {"error": f"wrong by {found['difference']}"}
        return found | {"seconds": report["kernel_seconds"]["median"], "least": report["kernel_seconds"]["min"]}

    def launched(self, row, cuda, arrays, addresses):
        """Our precompiled kernels, in the form of a peer."""
        from bench.gpu.kernels import Kernels, kernels_of

        shapes = [array.shape for array in arrays]
        path = kernels_of(pathlib.Path(self.options["kernels"]), row.name)
        with cuda.arrays(arrays) as own, Kernels(cuda, path, shapes, own) as kernels:
            yield kernels.start, lambda: on_device(cuda, row, kernels), lambda: cuda.refresh(own, addresses, arrays)

    def fastest(self, row, arrays, addresses, peer):
        """The time of the fastest variant with correct results."""
        best, problems = {}, []
        for variant in peer(row, self.cuda, arrays, addresses):
            try:
                found = measured(self.cuda, row, arrays, variant, self.repeat)
                if "wrong" in found:
                    problems.append(f"wrong by {found['difference']}")
                    continue
            except Exception as error:  # noqa: BLE001: a library may lack the variant
                problems.append(f"{type(error).__name__}: {error}"[:300])
                # After some errors, the context is unusable.
                if not self.is_well():
                    break
                continue
            if found["seconds"] < best.get("seconds", math.inf):
                best = found
        return best or {"error": problems[0] if problems else "no variant"}

    def is_well(self):
        """True if the context is still usable."""
        return not self.cuda or self.cuda.is_well()


def main():
    """Runs the jobs."""
    options = json.loads(sys.argv[1])
    worker = Worker(options)
    jobs = [job for job in options["jobs"] if job[1] in ("mdh", *worker.peers)]
    serve(options, worker.header(), jobs, lambda name, what: worker.job(worker.rows[name], what), worker.is_well)


if __name__ == "__main__":
    main()
