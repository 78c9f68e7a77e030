"""Checks kernels against stored results on an NVIDIA GPU, with Python and the driver alone.

    python3 -m bench.gpu.checks FOLDER --compile           the default schedules of every example, and 200 random ones: needs our tools, no GPU
    python3 -m bench.gpu.checks FOLDER                     runs them, which needs neither our tools nor LLVM nor NumPy
    python3 -m bench.gpu.checks FOLDER matmul              only those whose names contain a text
    python3 -m bench.gpu.checks FOLDER --sanitizer PATH    some of them with NVIDIA's compute-sanitizer: invalid accesses, races, barriers

The inputs are the small ones of examples/generate.py, the expected results those of test/execute/expected, which NumPy computed. A
separate process runs the kernels. A check that kills it or exceeds --limit counts as failed, and a new process continues. Results are
written to --output after each check. The exit code is 1 if a check fails, and 4 without a device.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from bench.gpu import measure
from bench.gpu.device import Cuda
from bench.gpu.jobs import serve
from bench.gpu.kernels import kernels_of
from bench.gpu.manifest import run
from bench.harness import EXAMPLES, ROOT, command, module, write

SYSTEMS = ("cuda", "cuda_wrp")
# What compute-sanitizer looks for, and its exit code if it finds something.
SANITIZER_TOOLS, FOUND = ("memcheck", "racecheck", "synccheck"), 9
# The bytes of the widest load. ptxas extends loads to that, also past the end of an array, because aligned bytes are in one page;
# the sanitizer does not know that.
WIDEST = 16
# Parts of the messages about schedules that a device cannot run: another one is drawn.
REFUSALS = ("requires at most", "bytes of shared memory for a block")
# How many schedules are drawn for each that is compiled.
DRAWN = 4


class Compiler:
    """Compiles the kernels of checks to a folder."""

    def __init__(self, arguments):
        self.folder, self.arch, self.emit = arguments.folder, arguments.arch, arguments.emit
        self.tool = arguments.tools / "mdh"

    def compile(self, example, function, name, *options):
        """Compiles the kernels of a check. Returns its entry in the list."""
        program = EXAMPLES / f"{example['name']}.mlir"
        common = ["--function", function["name"], "--target", "cuda", "--arch", self.arch, "--emit", self.emit]
        command(self.tool, "compile", program, *common, "-o", self.folder / f"{name}.{self.emit}", *options)
        inputs = [f"inputs/{example['name']}/{label}.npy" for label in function["inputs"]]
        expected = [f"expected/{example['name']}.{label}.npy" for label in example["outputs"]]
        return {"name": name, "function": function["name"], "inputs": inputs, "expected": expected}

    def defaults(self, example):
        """The checks of default schedules: of the function of fixed size, and of the one with dynamic extents."""
        functions = [f for f in example["functions"] if f["name"] in (example["name"], f"{example['name']}_small")]
        return [self.compile(example, f, f"{f['name']}-{system}", "--system", system) for f in functions for system in SYSTEMS]

    def random(self, example, count, seed):
        """The checks of random schedules of the function of fixed size, on one system after the other."""
        function = next(f for f in example["functions"] if f["name"] == f"{example['name']}_small")
        program, made = EXAMPLES / f"{example['name']}.mlir", []
        for number, system in enumerate(SYSTEMS):
            wanted = count * (number + 1) // len(SYSTEMS)
            with tempfile.TemporaryDirectory() as drawn:
                options = ["--system", system, "--candidates", max(1, DRAWN * count), "--random", seed, "--output", drawn]
                command(self.tool, "explain", program, "--function", function["name"], *options)
                for schedule in sorted(pathlib.Path(drawn).iterdir()):
                    if len(made) == wanted:
                        break
                    name = f"{function['name']}-{system}-random-{len(made) + 1}"
                    try:
                        made.append(self.compile(example, function, name, "--schedule", schedule))
                    except RuntimeError as error:
                        if not any(refusal in str(error) for refusal in REFUSALS):
                            raise
        return made


def compile_checks(arguments):
    """Writes the folder of checks."""
    generator = [sys.executable, EXAMPLES / "generate.py"]
    examples = json.loads(command(*generator, "--list"))
    examples = [example for example in examples if not arguments.names or any(name in example["name"] for name in arguments.names)]
    folder, compiler = arguments.folder, Compiler(arguments)
    folder.mkdir(parents=True, exist_ok=True)
    for example in examples:
        command(*generator, example["name"], "--output", folder / "inputs" / example["name"])
        for output in example["outputs"]:
            name = f"{example['name']}.{output}.npy"
            (folder / "expected").mkdir(exist_ok=True)
            shutil.copy(ROOT / "test" / "execute" / "expected" / name, folder / "expected" / name)
    # The share of each example; the first ones get one more.
    shares = [arguments.random // len(examples) + (number < arguments.random % len(examples)) for number in range(len(examples))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(compiler.defaults, example) for example in examples]
        jobs += [pool.submit(compiler.random, example, share, arguments.seed) for example, share in zip(examples, shares)]
        checks = [check for job in jobs for check in job.result()]
    measure.write_list(folder, arguments.arch, "checks", checks)
    print(f"{len(checks)} checks of {len(examples)} examples are in {folder}")


def check(cuda, folder, entry):
    """Runs a check; returns what is wrong, or `None`."""
    paths = [[folder / name for name in entry[kind]] for kind in ("inputs", "expected")]
    _, differs = run(cuda, kernels_of(folder, entry["name"]), entry["function"], *paths)
    return differs and f"{differs.name} differs"


def work(options):
    """The measuring process, for checks: its jobs are the names of checks."""
    folder = pathlib.Path(options["folder"])
    checks = {entry["name"]: entry for entry in json.loads((folder / measure.LIST).read_text(encoding="utf-8"))["checks"]}
    cuda = Cuda(4)
    device, driver = cuda.describe()

    def job(name, _):
        problem = check(cuda, folder, checks[name])
        return {"error": problem} if problem else {}

    serve(options, {"device": device, "versions": {"driver": driver}, "peers": []}, options["jobs"], job, cuda.is_well)


class Results:
    """The results of checks, written to disk after each."""

    def __init__(self, output, content):
        self.output, self.content = output, content

    def add(self, name, _, entry):
        """Adds the result of a check."""
        self.content["failed"].pop(name, None)
        if "error" in entry:
            self.content["failed"][name] = entry["error"]
            print(f"{name}: {entry['error']}", flush=True)
        else:
            self.content["passed"].append(name)
        if self.output:
            write(self.output, json.dumps(self.content, indent=1) + "\n")


def sanitize(arguments, names, results):
    """Runs checks with each tool of compute-sanitizer, each in a process of its own; returns those that remain."""
    # NVIDIA's package has the libraries beside the folder of the program, where the program does not look for them.
    libraries = arguments.sanitizer.resolve().parent.parent / "lib"
    found = (libraries / "libsanitizer-collection.so").exists()
    options = [*(["--injection-path", libraries] if found else []), "--error-exitcode", FOUND]
    for position, name in enumerate(names):
        for tool in SANITIZER_TOOLS:
            rest = arguments.end - time.monotonic()
            if rest <= 0:
                return names[position:]
            words = [arguments.sanitizer, "--tool", tool, *options, *module("gpu.checks"), arguments.folder, "--alone", name]
            try:
                done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=min(rest, arguments.limit))
                said = "\n".join(line for line in (done.stdout + done.stderr).splitlines() if line.startswith("=========") or done.returncode != FOUND)
                entry = {"error": said[-600:] or f"exit code {done.returncode}"} if done.returncode else {}
            except subprocess.TimeoutExpired:
                entry = {"error": f"took longer than {min(rest, arguments.limit):.0f} s"}
            results.add(f"{name} ({tool})", None, entry)
    return []


def parse():
    """Parses the command line."""
    parser = measure.parser_of_kernels(__doc__, "the folder of the kernels and arrays")
    parser.add_argument("names", nargs="*", metavar="TEXT", help="only checks (with --compile: examples) whose names contain one of these")
    parser.add_argument("--random", type=int, default=200, help="number of random schedules to compile (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random schedules (default: 1)")
    parser.add_argument("--sanitizer", type=pathlib.Path, metavar="PATH", help="the path of compute-sanitizer")
    parser.add_argument("--count", type=int, help="run only so many checks, spread evenly")
    parser.add_argument("--output", type=pathlib.Path, help="the file of the results (JSON)")
    parser.add_argument("--alone", metavar="NAME", help="run this check in this process")
    return parser, measure.parsed(parser)


def main():
    """Runs the command."""
    options = measure.given_options()
    if options is not None:
        work(options)
        return
    parser, arguments = parse()
    if arguments.compile:
        compile_checks(arguments)
        return
    described = measure.listed(parser, arguments.folder, "checks")
    checks = {entry["name"]: entry for entry in described["checks"]}
    names = [name for name in checks if not arguments.names or any(text in name for text in arguments.names)]
    if arguments.count and arguments.count < len(names):
        names = [names[len(names) * number // arguments.count] for number in range(arguments.count)]
    if arguments.alone:
        sys.exit(check(measure.on_device(lambda: Cuda(4, WIDEST)), arguments.folder, checks[arguments.alone]))
    content = measure.begun(described) | {"passed": [], "failed": {}}
    results = Results(arguments.output, content)
    if arguments.sanitizer:
        left = sanitize(arguments, names, results)
    else:
        options = {"folder": str(arguments.folder.resolve())}
        jobs, rows = [[name, "mdh"] for name in names], {name: name for name in names}
        left = measure.measure(arguments, options, jobs, rows, results, module("gpu.checks"))
    failed = results.content["failed"]
    print(f"{len(results.content['passed'])} checks passed on {content['device']}, {len(failed)} failed, {len(left)} were not run")
    sys.exit(bool(failed or left))


if __name__ == "__main__":
    main()
