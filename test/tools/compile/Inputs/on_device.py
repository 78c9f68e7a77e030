"""Calls functions with arrays in device memory, also with arrays that they refuse."""

import ctypes
import sys

from device_arrays import array, call, free, load_runtime, receive, send

checked, unchecked = sys.argv[1:]
load_runtime()


def multiplied(a, b, m, n, k):
    return [sum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]


code = ctypes.CDLL(checked)
a, b = [float(i) for i in range(6)], [1.0, 2.0, 0.0, 1.0, 3.0, 1.0]
on_a, on_b, on_c, on_d = send(a), send(b), send([-1.0] * 4), send([-1.0] * 4)
a_array, b_array = array(on_a, [2, 3]), array(on_b, [3, 2])

# The work is submitted; the software driver runs it when the host waits.
assert call(code, "product", [a_array, b_array], [array(on_c, [2, 2])]) == (0, "")
c = multiplied(a, b, 2, 2, 3)
print(f"product: pending, {receive(on_c, 4) == c}")
assert call(code, "product", [array(on_c, [2, 2]), array(on_c, [2, 2])], [array(on_d, [2, 2])]) == (0, "")
print(f"product of the product: {receive(on_d, 4) == multiplied(c, c, 2, 2, 2)}")


def both():
    """True if both results of the function are right."""
    on_y, on_s = send([-1.0] * 4), send([-1.0] * 2)
    before = free()
    assert call(code, "both", [a_array, b_array], [array(on_y, [2, 2]), array(on_s, [2])]) == (0, "")
    transposed = [c[0], c[2], c[1], c[3]]
    is_right = receive(on_y, 4) == multiplied(c, transposed, 2, 2, 2) and receive(on_s, 2) == [c[0] + c[1], c[2] + c[3]]
    return f"{'right' if is_right else 'wrong'}, bytes left over: {before - free()}"


print(f"both products: {both()}")
on_x = send([1.0, 2.0, 3.0, 4.0])
assert call(code, "halve", [array(on_x, [4])], []) == (0, "")
print(f"halves in place: {receive(on_x, 4)}")
total = ctypes.c_float()
on_x = send([1.0, 2.0, 3.0, 4.0])
assert call(code, "total", [array(on_x, [4])], [array(ctypes.addressof(total), [])]) == (0, "")
print(f"total: {total.value}")

on_y, on_z = send([-1.0] * 4), send([-1.0] * 4)
assert call(code, "weighted", [array(on_x, [4])], [array(on_y, [4])]) == (0, "")
before = free()
assert call(code, "weighted", [array(on_x, [4])], [array(on_z, [4])]) == (0, "")
print(f"a constant: {receive(on_y, 4) == receive(on_z, 4)}, {receive(on_z, 4)}, bytes left over: {before - free()}")


def fails(name, arguments, results):
    status, message = call(code, name, arguments, results)
    print(f"{status}: {message}")


host = ctypes.create_string_buffer(64)
aligned = (ctypes.addressof(host) + 15) // 16 * 16
result = [array(on_c, [2, 2])]
fails("product", [a_array, array(aligned, [3, 2])], result)
fails("product", [array(on_a + 4, [1, 3]), b_array], [array(on_c, [1, 2])])
fails("product", [array(on_a, [2, 3], [1, 2]), b_array], result)
fails("product", [a_array, b_array], [array(None, [2, 2])])
fails("product", [a_array, b_array], [array(on_a, [2, 2])])
fails("product", [a_array, b_array], [array(on_c, [2, 3])])
fails("product", [a_array, array(on_b, [2, 2])], result)
before = free()
fails("both", [array(on_a, [1, 0]), array(on_b, [0, 1 << 34])], [array(on_c, [1, 1]), array(on_d, [1])])
assert free() == before
print(f"after the errors: {both()}")

code = ctypes.CDLL(unchecked)
on_e = send([-1.0] * 4)
assert call(code, "product", [a_array, b_array], [array(on_e, [2, 2])]) == (0, "")
print(f"unchecked: {'right' if receive(on_e, 4) == c else 'wrong'}")
