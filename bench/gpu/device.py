"""The NVIDIA driver through ctypes: memory, copies and events, for bench.gpu. Uses the primary context, which it
shares with libraries."""

import contextlib
import ctypes
import statistics

# Number of bytes that are overwritten before each timed call, to keep the device busy while the call is enqueued.
BUSY = 1 << 30


class Missing(Exception):
    """Raised if there is no device."""


class Cuda:
    """The first device, with its primary context. Allocations are multiples of `multiple` bytes."""

    def __init__(self, busy=BUSY, multiple=1):
        self.multiple = multiple
        try:
            self.driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise Missing(f"no NVIDIA GPU: the driver library libcuda.so.1 cannot be loaded ({error})") from None
        count, self.device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
        code = self.driver.cuInit(0) or self.driver.cuDeviceGetCount(ctypes.byref(count))
        if code or not count.value:
            raise Missing(f"no NVIDIA GPU: the driver finds none{f' (error {code})' if code else ''}")
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxPushCurrent_v2", context)
        self.busy = self.allocate(busy), busy
        self.events = [self.event(), self.event()]

    def call(self, name, *arguments):
        """Calls a driver function."""
        code = getattr(self.driver, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'error').decode()} ({code})")

    def describe(self):
        """The name of the device, and the CUDA version of the driver."""
        name, version = ctypes.create_string_buffer(256), ctypes.c_int()
        self.call("cuDeviceGetName", name, 256, self.device)
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return name.value.decode(), f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"

    def event(self):
        """Creates an event."""
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 0)
        return event

    def allocate(self, size):
        """Allocates device memory."""
        memory = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(-(-max(1, size) // self.multiple) * self.multiple))
        return memory.value

    @contextlib.contextmanager
    def arrays(self, arrays):
        """Copies arrays to the device, for the duration of a `with` block."""
        memory = []
        try:
            for array in arrays:
                memory.append(self.allocate(array.nbytes))
                self.copy(memory[-1], array.ctypes.data, array.nbytes)
            self.wait()
            yield memory
        finally:
            for address in memory:
                self.free(address)

    def free(self, address):
        """Frees memory. Earlier errors are reported by the next wait."""
        self.driver.cuMemFree_v2(ctypes.c_uint64(address))

    def wait(self):
        """Waits for all enqueued work; fails if some of it has failed."""
        self.call("cuStreamSynchronize", None)

    def is_well(self):
        """True if the context is usable: after some errors, it is not."""
        try:
            self.wait()
        except RuntimeError:
            return False
        return True

    def read(self, address, array):
        """Copies from the device into an array."""
        self.copy(array.ctypes.data, address, array.nbytes)
        self.wait()

    def copy(self, target, source, size):
        """Enqueues a copy between any two addresses of the device and the host."""
        self.call("cuMemcpyAsync", ctypes.c_uint64(target), ctypes.c_uint64(source), ctypes.c_size_t(size), None)

    def refresh(self, targets, sources, arrays):
        """Enqueues copies of arrays between device addresses."""
        for target, source, array in zip(targets, sources, arrays):
            self.copy(target, source, array.nbytes)

    def once(self, function, before=lambda: None):
        """Device time of a call, in seconds. Preceding work keeps the device busy until the whole call is enqueued."""
        start, end = self.events
        memory, size = self.busy
        self.call("cuMemsetD32Async", ctypes.c_uint64(memory), ctypes.c_uint(0), ctypes.c_size_t(size // 4), None)
        before()
        self.call("cuEventRecord", start, None)
        function()
        self.call("cuEventRecord", end, None)
        self.call("cuEventSynchronize", end)
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), start, end)
        return milliseconds.value / 1e3

    def time(self, function, repeat, before=lambda: None):
        """The median and minimum time of calls, in seconds."""
        for _ in range(3):
            self.once(function, before)
        times = [self.once(function, before) for _ in range(repeat)]
        return {"seconds": statistics.median(times), "least": min(times)}

    def bandwidth(self, size):
        """Bytes read and written per second by a copy on the device."""
        source, target = self.allocate(size), self.allocate(size)
        seconds = self.time(lambda: self.copy(target, source, size), 11)["seconds"]
        for address in (source, target):
            self.free(address)
        return 2 * size / seconds
