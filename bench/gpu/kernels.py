"""Our kernels, launched like any CUDA program's: from PTX or a cubin, and the manifest that `mdh compile` writes beside it
(docs/kernels.md)."""

import ctypes
import json
import math

TYPES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "index": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
NUMBERS = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}
# The limit of dynamic shared memory without opt-in, in bytes, and the function attribute that raises it.
PLAIN_SHARED_BYTES, MOST_SHARED_BYTES = 48 << 10, 8
OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: math.trunc(a / b),
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "rem": math.fmod,
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "not": lambda a: not a,
    "select": lambda c, a, b: a if c else b,
}


def kernels_of(folder, name):
    """The file with the kernels of a name: a cubin if there is one, else PTX."""
    cubin = folder / f"{name}.cubin"
    return cubin if cubin.exists() else folder / f"{name}.ptx"


def evaluate(expression, shapes):
    """Evaluates an expression of a manifest, given the shapes of the arguments of the function."""
    if expression is None:
        raise ValueError("the manifest leaves a value to the run of the function")
    if not isinstance(expression, dict):
        return expression
    if "size" in expression:
        return shapes[int(expression["of"].removeprefix("argument ")) - 1][expression["size"] - 1]
    ((name, operands),) = expression.items()
    return OPERATIONS[name](*(evaluate(operand, shapes) for operand in operands))


class Kernels:
    """The kernels of a function of one computation, with memory for all their outputs. `with` frees it."""

    def __init__(self, cuda, path, shapes, inputs):
        self.cuda, self.owned, self.outputs = cuda, [], {}
        self.module = ctypes.c_void_p()
        self.memory, self.launches = {}, []
        try:
            self.load(path, shapes, inputs)
        except BaseException:
            self.__exit__()
            raise

    def load(self, path, shapes, inputs):
        """Loads the module, and prepares all launches."""
        log = ctypes.create_string_buffer(4096)
        options, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log) - 1)
        text = ctypes.create_string_buffer(path.read_bytes())
        try:
            self.cuda.call("cuModuleLoadDataEx", ctypes.byref(self.module), text, 2, options, values)
        except RuntimeError as error:
            raise RuntimeError(f"{error} {log.value.decode(errors='replace').strip()}".strip()) from None
        manifest = json.loads(path.with_suffix(".json").read_text())
        if any("for" in step for function in manifest["functions"] for step in function["steps"]):
            raise ValueError("a loop launches kernels: the steps of the manifest say how, not its list of kernels")
        for kernel in manifest["kernels"]:
            if evaluate(kernel["when"], shapes):
                self.prepare(kernel, shapes, inputs)

    def prepare(self, kernel, shapes, inputs):
        """Prepares one launch: its function, sizes, and arguments in the driver's format."""
        function = ctypes.c_void_p()
        self.cuda.call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel["name"].encode())
        sizes = [int(evaluate(size, shapes)) for size in [*kernel["grid"], *kernel["block"], kernel["dynamic_shared_bytes"]]]
        if sizes[6] > PLAIN_SHARED_BYTES:
            self.cuda.call("cuFuncSetAttribute", function, MOST_SHARED_BYTES, sizes[6])
        arguments = []
        for argument in kernel["arguments"]:
            if argument["kind"] == "pointer":
                arguments.append(ctypes.c_uint64(self.address(argument["role"], argument["value"], shapes, inputs)))
            else:
                arguments.append(NUMBERS[argument["kind"]](evaluate(argument["value"], shapes)))
        pointers = (ctypes.c_void_p * max(1, len(arguments)))(*(ctypes.addressof(argument) for argument in arguments))
        # The driver reads the arguments at each launch, so they must stay alive.
        self.launches.append((function, *sizes, None, pointers, None))
        self.owned.append(arguments)

    def address(self, role, buffer, shapes, inputs):
        """The address of a buffer: an input, or memory that several kernels may share."""
        kind, _, number = role.partition(" ")
        if kind == "input":
            return inputs[int(number) - 1]
        if buffer["memory"] not in self.memory:
            size = TYPES[buffer["element"]] * math.prod(int(evaluate(size, shapes)) for size in buffer["sizes"])
            self.memory[buffer["memory"]] = self.cuda.allocate(size)
            # Elements that no kernel writes are wrong, even if the memory had the right results before.
            self.cuda.call("cuMemsetD8_v2", ctypes.c_uint64(self.memory[buffer["memory"]]), ctypes.c_ubyte(0xFF), ctypes.c_size_t(size))
        if kind == "output":
            self.outputs[int(number) - 1] = self.memory[buffer["memory"]]
        return self.memory[buffer["memory"]]

    def start(self):
        """Launches all kernels."""
        for launch in self.launches:
            self.cuda.call("cuLaunchKernel", *launch)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for address in self.memory.values():
            self.cuda.free(address)
        self.memory = {}
        if self.module:
            self.cuda.driver.cuModuleUnload(self.module)
            self.module = None
