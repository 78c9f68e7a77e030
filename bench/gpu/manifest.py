"""A function of a manifest (docs/kernels.md), executed step by step with NVIDIA's driver, without our tools and without NumPy."""

import ast
import ctypes
import itertools
import json
import math
import pathlib
import struct

from bench.gpu.kernels import MOST_SHARED_BYTES, NUMBERS, OPERATIONS, PLAIN_SHARED_BYTES, TYPES

FORMATS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "index": "q", "f16": "e", "f32": "f", "f64": "d"}
TOLERANCE = {"f16": 1e-2, "bf16": 2e-2, "f32": 1e-4, "f64": 1e-10}
VERSION = 3


class Buffer:
    """Host or device memory: its address, element type and sizes."""

    def __init__(self, address, element, sizes, content=None):
        self.address, self.element, self.sizes, self.content = address, element, sizes, content

    @staticmethod
    def of_bytes(content, element, sizes):
        """Host memory with these contents."""
        memory = ctypes.create_string_buffer(bytes(content), max(1, len(content)))
        return Buffer(ctypes.addressof(memory), element, sizes, memory)


class Program:
    """A function of a manifest."""

    def __init__(self, cuda, path, name):
        self.cuda, self.module, self.launches = cuda, ctypes.c_void_p(), 0
        manifest = json.loads(path.with_suffix(".json").read_text())
        if manifest["version"] != VERSION:
            raise ValueError(f"the manifest has version {manifest['version']} instead of {VERSION}")
        (self.function,) = (function for function in manifest["functions"] if function["name"] == name)
        self.kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
        text = ctypes.create_string_buffer(path.read_bytes())
        self.cuda.call("cuModuleLoadDataEx", ctypes.byref(self.module), text, 0, None, None)
        self.known, self.loops = {}, []

    def run(self, arguments):
        """Runs the function; returns its results: buffers and numbers."""
        for argument, value in zip(self.function["arguments"], arguments, strict=True):
            self.known[argument["name"]] = value
        self.steps(self.function["steps"])
        results = self.function["results"]
        return [self.known[result["buffer"]] if "buffer" in result else self.value(result["value"]) for result in results]

    def unload(self):
        """Frees the kernels."""
        self.cuda.call("cuModuleUnload", self.module)

    def value(self, expression):
        """Evaluates an expression."""
        if not isinstance(expression, dict):
            return expression
        if "size" in expression:
            return self.known[expression["of"]].sizes[expression["size"] - 1]
        if "loop" in expression:
            return self.loops[expression["loop"] - 1]
        if "value" in expression:
            return self.known[expression["value"]]
        ((name, operands),) = expression.items()
        if name == "bits":
            # Only arguments of the function are non-integer numbers so far.
            element = next(a["element"] for a in self.function["arguments"] if a["name"] == operands[0]["value"])
            return int.from_bytes(struct.pack("<" + FORMATS[element], self.value(operands[0])), "little")
        return OPERATIONS[name](*(self.value(operand) for operand in operands))

    def steps(self, steps):
        """Executes steps in order."""
        for step in steps:
            ((kind, content),) = step.items()
            getattr(self, f"step_{kind}")(content)

    def sizes(self, step):
        """The extents of a step's result, and its size in bytes."""
        sizes = [int(self.value(size)) for size in step["sizes"]]
        return sizes, TYPES[step["element"]] * math.prod(sizes)

    def step_allocate(self, step):
        sizes, size = self.sizes(step)
        if step["memory"] == "host":
            self.known[step["buffer"]] = Buffer.of_bytes(bytes(size), step["element"], sizes)
        else:
            self.known[step["buffer"]] = Buffer(self.cuda.allocate(size), step["element"], sizes)

    def step_constant(self, step):
        sizes, size = self.sizes(step)
        content = bytes.fromhex(step["bytes"])
        self.known[step["buffer"]] = Buffer.of_bytes(content * (size // max(1, len(content))), step["element"], sizes)

    def step_free(self, name):
        buffer = self.known.pop(name)
        if buffer.content is None:
            self.cuda.free(buffer.address)

    def places(self, view):
        """The addresses of the contiguous runs of elements of a view, and the size of a run in bytes. A dense view is one run."""
        buffer, sizes = self.known[view["buffer"]], [int(self.value(size)) for size in view["sizes"]]
        strides, width = [int(self.value(stride)) for stride in view["strides"]], TYPES[self.known[view["buffer"]].element]
        start, dense = buffer.address + width * int(self.value(view["offset"])), 1
        is_dense = True
        for size, stride in zip(reversed(sizes), reversed(strides)):
            is_dense &= size == 1 or stride == dense
            dense *= size
        if is_dense:
            return [start], width * dense
        return [start + width * sum(map(int.__mul__, point, strides)) for point in itertools.product(*map(range, sizes))], width

    def step_copy(self, step):
        (sources, source_bytes), (targets, target_bytes) = self.places(step["from"]), self.places(step["to"])
        width = min(source_bytes, target_bytes)
        spread = lambda places, size: [place + start for place in places for start in range(0, size, max(1, width))]  # noqa: E731
        for source, target in zip(spread(sources, source_bytes), spread(targets, target_bytes), strict=True):
            self.cuda.copy(target, source, width)
        self.cuda.wait()

    def step_fill(self, step):
        element, value = self.known[step["to"]["buffer"]].element, step["value"]
        content = bytes(value["bytes"]) if "bytes" in value else struct.pack("<" + FORMATS[element], self.value(value))
        places, size = self.places(step["to"])
        for place in places:
            ctypes.memmove(place, content * (size // len(content)), size)

    def step_launch(self, step):
        kernel, function = self.kernels[step["kernel"]], ctypes.c_void_p()
        self.cuda.call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel["name"].encode())
        sizes = [int(self.value(size)) for size in [*step["grid"], *step["block"], step["dynamic_shared_bytes"]]]
        if sizes[6] > PLAIN_SHARED_BYTES:
            self.cuda.call("cuFuncSetAttribute", function, MOST_SHARED_BYTES, sizes[6])
        arguments = []
        for argument, described in zip(step["arguments"], kernel["arguments"], strict=True):
            if described["kind"] == "pointer":
                arguments.append(ctypes.c_uint64(self.known[argument["buffer"]].address))
            else:
                arguments.append(NUMBERS[described["kind"]](self.value(argument)))
        pointers = (ctypes.c_void_p * max(1, len(arguments)))(*map(ctypes.addressof, arguments))
        self.cuda.call("cuLaunchKernel", function, *sizes, None, pointers, None)
        self.cuda.wait()
        self.launches += 1

    def step_for(self, step):
        counter, end, stride = (int(self.value(step[key])) for key in ("from", "to", "step"))
        now = [self.known[carried["from"]] for carried in step["carried"]]
        for number in range(counter, end, stride):
            self.known.update(zip((carried["buffer"] for carried in step["carried"]), now))
            self.loops.append(number)
            self.steps(step["steps"])
            self.loops.pop()
            now = [self.known[carried["next"]] for carried in step["carried"]]
        self.known.update(zip((carried["result"] for carried in step["carried"]), now))

    def step_if(self, step):
        branch = "then" if self.value(step["condition"]) else "else"
        self.steps(step[branch])
        self.known.update({result["buffer"]: self.known[result[branch]] for result in step["results"]})


def read(path):
    """The shape and the bytes of an array."""
    content = pathlib.Path(path).read_bytes()
    start = 10 + int.from_bytes(content[8:10], "little")
    return list(ast.literal_eval(content[10:start].decode())["shape"]), content[start:]


def numbers(content, element):
    """The elements of an array."""
    if element == "bf16":
        content = b"".join(b"\0\0" + content[i : i + 2] for i in range(0, len(content), 2))
        element = "f32"
    return struct.unpack(f"<{len(content) // TYPES[element]}{FORMATS[element]}", content)


def agree(found, expected, element):
    """True if two elements are equal up to rounding."""
    if element not in TOLERANCE or found == expected or (found != found and expected != expected):
        return found == expected or found != found
    return abs(found - expected) <= TOLERANCE[element] * max(1.0, abs(expected))


def run(cuda, path, name, inputs, expected):
    """Runs a function on arrays from files, and compares what it writes and its results with arrays from files. Returns the number of
    launches, and the first file that differs; `None` if all agree."""
    program = Program(cuda, path, name)
    arguments = []
    for argument, file in zip(program.function["arguments"], inputs, strict=True):
        shape, content = read(file)
        if "sizes" in argument:
            arguments.append(Buffer.of_bytes(content, argument["element"], shape))
        else:
            (number,) = numbers(content, argument["element"])
            arguments.append(number)
    given = [bytes(argument.content) if isinstance(argument, Buffer) else None for argument in arguments]
    results = program.run(arguments)
    written = [a for a, before in zip(arguments, given) if isinstance(a, Buffer) and bytes(a.content) != before]
    differs = None
    for found, file in zip([*written, *results], expected, strict=True):
        shape, right = read(file)
        content = found.content.raw[: len(right)]
        pairs = zip(numbers(content, found.element), numbers(right, found.element), strict=True)
        if found.sizes != shape or not all(agree(a, b, found.element) for a, b in pairs):
            differs = differs or file
    program.unload()
    return program.launches, differs
