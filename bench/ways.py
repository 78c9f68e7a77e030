"""Compares the ways into the compiler: the same product of matrices, written in twelve forms, run in four ways.

    python3 -m bench.ways                      times for 611 x 523 x 487 with one thread, as a table in Markdown
    python3 -m bench.ways --extents 64 64 64   times for other extents

The forms are linalg.matmul, loops of affine and loops of scf, each on tensors and on memrefs, of static and of dynamic
sizes. The ways are `mdh run`, the Python package, a shared object of `mdh compile`, and one that checks its arguments.
Each result is compared with NumPy's before anything is timed. All forms and ways take turns, in each with arrays of its
own, because where they lie in memory changes times, too. A time is the least of the calls; each ratio is the time of the
fastest form and way, divided by the own time. The exit code is 1 if a ratio is less than 0.9.

The interpreter needs the package; the command-line tool is that of the package, unless --mdh names another one.
"""

import ctypes
import functools
import itertools
import json
import pathlib
import sys
import tempfile

import numpy

from bench import harness
from bench.harness import command, seconds_of
from bench.interface import arrays

EXTENTS = (611, 523, 487)
SOURCES = ("linalg", "affine", "scf")
BUFFERS = ("tensor", "memref")
SIZES = ("static", "dynamic")
FORMS = list(itertools.product(SOURCES, BUFFERS, SIZES))
# The least ratio to the fastest form and way.
LEAST = 0.9
# The type code of `float` in the header that `mdh compile --emit header` writes.
FLOAT = 0x220


def program(source, buffer, sizes, extents):
    """The text of a product of matrices in a form."""
    m, n, k = extents if sizes == "static" else "???"
    a, b, c = (f"{buffer}<{rows}x{columns}xf32>" for rows, columns in ((m, k), (k, n), (m, n)))
    is_tensor = buffer == "tensor"
    result = f" -> {c}" if is_tensor else ""
    body = linalg(a, b, c, is_tensor) if source == "linalg" else loops(source, a, b, c, is_tensor)
    ending = f"return %r : {c}" if is_tensor else "return"
    apart = "" if is_tensor else " {llvm.noalias}"
    return f"func.func @gemm(%A: {a}{apart}, %B: {b}{apart}, %C: {c}{apart}){result} {{\n{body}\n{ending}\n}}\n"


def linalg(a, b, c, is_tensor):
    value, result = ("%r = ", f" -> {c}") if is_tensor else ("", "")
    return f"{value}linalg.matmul ins(%A, %B : {a}, {b}) outs(%C : {c}){result}"


def loops(source, a, b, c, is_tensor):
    buffer, load, store = ("tensor", "tensor.extract", None) if is_tensor else ("memref", "memref.load", "memref.store")
    if source == "affine" and not is_tensor:
        load, store = "affine.load", "affine.store"
    lines = [f"%c{number} = arith.constant {number} : index" for number in (0, 1)]
    for extent, (operand, ty, axis) in {"m": ("A", a, 0), "n": ("B", b, 1), "k": ("A", a, 1)}.items():
        lines.append(f"%{extent} = {buffer}.dim %{operand}, %c{axis} : {ty}")
    outer = "%C"
    for depth, (index, extent) in enumerate((("i", "m"), ("j", "n"), ("l", "k"))):
        carried = f" iter_args(%t{depth} = {outer}) -> ({c})" if is_tensor else ""
        value = f"%r{depth} = " if is_tensor and depth else "%r = " if is_tensor else ""
        bounds = f"0 to %{extent}" if source == "affine" else f"%c0 to %{extent} step %c1"
        lines.append(f"{value}{source}.for %{index} = {bounds}{carried} {{")
        outer = f"%t{depth}"
    lines += [f"%a = {load} %A[%i, %l] : {a}", f"%b = {load} %B[%l, %j] : {b}"]
    lines += [f"%c = {load} {outer if is_tensor else '%C'}[%i, %j] : {c}"]
    lines += ["%p = arith.mulf %a, %b : f32", "%s = arith.addf %c, %p : f32"]
    if is_tensor:
        lines += [f"%u = tensor.insert %s into %t2[%i, %j] : {c}", f"{source}.yield %u : {c}\n}}"]
        lines += [f"{source}.yield %r2 : {c}\n}}", f"{source}.yield %r1 : {c}\n}}"]
    else:
        lines += [f"{store} %s, %C[%i, %j] : {c}", "}", "}", "}"]
    return "\n".join(lines)


class Ways:
    """The four ways to run a program in a folder with its inputs."""

    def __init__(self, mdh, file, arrays, is_tensor):
        self.mdh, self.file, self.arrays, self.is_tensor = mdh, file, arrays, is_tensor
        for name, array in zip("ABC", arrays):
            numpy.save(file.parent / f"{name}.npy", array)

    def copies(self):
        """The arguments of a call, which may write them."""
        return [array.copy() for array in self.arrays]

    def run(self):
        """`mdh run`: a process for each round of calls."""
        inputs = [text for name in "ABC" for text in ("--input", self.file.parent / f"{name}.npy")]
        output = self.file.parent / "output.npy"
        command(*self.mdh, "run", self.file, *inputs, "--output", output, "--threads", 1)

        def calls(count):
            text = command(*self.mdh, "run", self.file, *inputs, "--threads", 1, "--repeat", count, "--json")
            return json.loads(text)["run_seconds"]["min"]

        return numpy.load(output), calls

    def python(self):
        """`mdh.compile` of the Python package."""
        import mdh

        function = mdh.compile(self.file.read_text(), threads=1)
        arguments = self.copies()
        result = function(*arguments)

        def calls(count):
            arguments = self.copies()
            return least(count, lambda: function(*arguments))

        return result if self.is_tensor else arguments[2], calls

    def object(self, *options):
        """A shared object of `mdh compile`."""
        library = self.file.with_suffix(f".{len(options)}.so")
        command(*self.mdh, "compile", self.file, "--emit", "shared", "--threads", 1, *options, "-o", library)
        function = ctypes.CDLL(str(library)).gemm
        message = ctypes.create_string_buffer(256)

        def prepared():
            """A call with arrays of its own, which it keeps, and the array of its result."""
            arguments = self.copies()
            results = [numpy.empty_like(arguments[2])] if self.is_tensor else []
            given, returned = (arrays([(one.ctypes.data, one.shape) for one in some]) for some in (arguments, results))
            for array in (*given, *returned):
                array.type = FLOAT

            def call(_arrays=(arguments, results)):
                if function(given, returned, message) != 0:
                    raise SystemExit(f"{library.name}: {message.value.decode()}")

            return call, (results or arguments)[-1]

        call, result = prepared()
        call()
        return result, lambda count: least(count, prepared()[0])

    def checked(self):
        """A shared object that checks its arguments."""
        return self.object("--checked")


WAYS = {"mdh run": Ways.run, "Python": Ways.python, "object": Ways.object, "checked object": Ways.checked}


def least(count, call):
    """The least time of a number of calls in seconds."""
    return min(seconds_of(call) for _ in range(count))


def made(mdh, form, extents, folder):
    """By way: what measures a number of calls of the form. Each result has been compared with NumPy's."""
    m, n, k = extents
    random = numpy.random.default_rng(3)
    arrays = [random.random(shape, numpy.float32) for shape in ((m, k), (k, n), (m, n))]
    wanted = arrays[0].astype(float) @ arrays[1] + arrays[2]
    file = pathlib.Path(folder) / "gemm.mlir"
    file.write_text(program(*form, extents))
    ways, runs = Ways(mdh, file, arrays, form[1] == "tensor"), {}
    for name, way in WAYS.items():
        result, runs[name] = way(ways)
        numpy.testing.assert_allclose(result, wanted, rtol=1e-4, err_msg=f"{' '.join(form)} by {name}")
    return runs


def measured(mdh, extents, rounds, calls):
    """By form and way: the least time in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {}
        for form in FORMS:
            own = pathlib.Path(folder) / "-".join(form)
            own.mkdir()
            runs.update({(form, way): run for way, run in made(mdh, form, extents, own).items()})
        times = harness.in_turns({name: functools.partial(run, calls) for name, run in runs.items()}, rounds)
    return {name: min(found) for name, found in times.items()}


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--mdh", help="the command-line tool")
    parser.add_argument("--extents", nargs=3, type=int, default=EXTENTS, metavar=("M", "N", "K"), help="rows, columns, length of sums")
    parser.add_argument("--rounds", type=int, default=10, help="turns of each form and way")
    parser.add_argument("--calls", type=int, default=20, help="calls in a turn")
    options = parser.parse_args()
    mdh = [options.mdh] if options.mdh else [sys.executable, "-m", "mdh"]
    times = measured(mdh, options.extents, options.rounds, options.calls)
    best = min(times.values())
    cell = lambda seconds: f"{seconds * 1e3:.2f} ms ({best / seconds:.2f})"
    print("\n".join(harness.table(["form", *WAYS], ([" ".join(form), *(cell(times[form, way]) for way in WAYS)] for form in FORMS))))
    slow = [f"{' '.join(form)} by {way}" for (form, way), seconds in times.items() if best / seconds < LEAST]
    if slow:
        print(f"ways: less than {LEAST} of the fastest: {', '.join(slow)}", file=sys.stderr)
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
