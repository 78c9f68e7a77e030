#!/usr/bin/env python3
"""Compiles random C functions with loop nests with a reference and with `mdh cc`, runs both, and reports differences.

    python3 test/c/random_functions.py -n 1000 -s 1 --keep KEPT      1000 functions, of which failures are kept
    python3 test/c/random_functions.py -s 1 --only 17 --keep KEPT    function 17 of the same campaign, as it is printed

Only the standard library of Python and clang with its sanitizers are required.

A driver calls each function for several sizes, with arrays that are apart, the same array twice, and arrays that overlap.
All arrays of a type are parts of one pool. A call prints a hash of the pools, with what the function returns.

| build                                                         | its results                                            |
|---------------------------------------------------------------|--------------------------------------------------------|
| clang -O1 -fsanitize=undefined,float-cast-overflow,address,.. | calls with undefined behaviour, which are left out     |
| clang -O0 -ffp-contract=off                                   | the reference                                          |
| mdh cc -O2 -ffp-contract=off                                  | must be the same                                       |
| mdh cc -O3 -march=native -ffp-contract=off, every third file  | must be the same                                       |
| clang -O2 -ffp-contract=off, for failures only                | ambiguous, not a failure, if they are different, too   |

A function is discarded if no call of it is left. NaN equals NaN; the sign of a zero counts, except with fmax and fmin.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

FLOATS, SIGNED = ("float", "double"), ("int", "long", "short", "long long", "signed char")
ELEMENTS = {"double": 5, "float": 4, "int": 4, "long": 2, "unsigned": 2, "short": 1, "unsigned char": 1, "long long": 1}
SIZES = {"int": 10, "size_t": 5, "unsigned": 3, "long": 3}
COUNTERS = {"int": 10, "size_t": 5, "long": 4, "unsigned": 3, "short": 1, "long long": 0.5, "unsigned char": 0.3}
STRUCTS = {"struct P": ("double", "xy"), "struct Q": ("float", "xyz"), "struct V": ("double", "vkl")}
MATRICES = {"struct M": ("int", "double"), "struct N": ("size_t", "float"), "struct O": ("unsigned", "int")}
FIXED = 20  # the size of inner dimensions and local arrays, which no size that a call passes exceeds
RUN, COMPILE = 60, 300  # seconds until a call, and a compiler, is a timeout
SANITIZE = "-O1 -fsanitize=undefined,float-cast-overflow,address,bounds -fno-sanitize-recover=all".split()

PRELUDE = """\
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
struct P { double x, y; };
struct Q { float x, y, z; };
struct V { double v; int k, l; };
struct M { int n, m; double *data; };
struct N { size_t n, m; float *data; };
struct O { unsigned n, m; int *data; };
"""

# Pools of elements; `unsigned` shares that of `int`, as C allows. Each call runs in a process of its own.
RUNTIME = """\
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define POOL 73728
static uint64_t state, hash;
static int ignores_sign_of_zero, dumps;
static unsigned draw(void) { state = state * 6364136223846793005u + 1442695040888963407u; return state >> 33; }
static void mix(uint64_t bits) { hash = (hash ^ bits) * 1099511628211u; hash ^= hash >> 29; }
static double number(int mode) {
  unsigned r = draw();
  if (mode & 1 && r % 37 == 0) return NAN;
  if (r % 29 == 1) return r & 1024 ? -0.0 : 0.0;
  return r % 3 ? ((int)(r / 3 % 2001) - 1000) / 300.0 : ((int)(r / 3 % 33) - 16) / 4.0;
}
static void mix_real(double x) {
  uint64_t bits;
  if (x == 0 && ignores_sign_of_zero) x = 0;
  memcpy(&bits, &x, 8);
  mix(x != x ? 0x7ff8000000000000u : bits);
  if (dumps) printf(" %.9g", x);
}
static void mix_whole(long long x) { mix((uint64_t)x); if (dumps) printf(" %lld", x); }
#define FLOATS(T, name) static T pool_##name[POOL]; \\
  static void fill_##name(T *p, int n, int mode) { for (int i = 0; i < n; i++) p[i] = (T)number(mode); } \\
  static void mix_##name(const T *p, int n) { if (dumps) printf("\\n" #name ":"); \\
    for (int i = 0; i < n; i++) mix_real(p[i]); }
#define INTEGERS(T, name) static T pool_##name[POOL]; \\
  static void fill_##name(T *p, int n, int mode) { for (int i = 0; i < n; i++) { unsigned r = draw(); \\
    p[i] = (T)(mode & 2 ? r % 13 : (int)(r % 19) - 6); } } \\
  static void mix_##name(const T *p, int n) { if (dumps) printf("\\n" #name ":"); \\
    for (int i = 0; i < n; i++) mix_whole((long long)p[i]); }
FLOATS(double, double) FLOATS(float, float)
INTEGERS(int, int) INTEGERS(long, long) INTEGERS(short, short)
INTEGERS(unsigned, unsigned) INTEGERS(unsigned char, unsigned_char) INTEGERS(long long, long_long)
static struct P pool_struct_P[POOL];
static struct Q pool_struct_Q[POOL];
static struct V pool_struct_V[POOL];
static void fill_struct_P(struct P *p, int n, int mode) {
  for (int i = 0; i < n; i++) p[i].x = number(mode), p[i].y = number(mode);
}
static void fill_struct_Q(struct Q *p, int n, int mode) {
  for (int i = 0; i < n; i++) p[i].x = (float)number(mode), p[i].y = (float)number(mode), p[i].z = (float)number(mode);
}
static void fill_struct_V(struct V *p, int n, int mode) {
  for (int i = 0; i < n; i++) p[i].v = number(mode), p[i].k = (int)(draw() % 19) - 6, p[i].l = (int)(draw() % 9);
}
static void mix_struct_P(const struct P *p, int n) { for (int i = 0; i < n; i++) mix_real(p[i].x), mix_real(p[i].y); }
static void mix_struct_Q(const struct Q *p, int n) {
  for (int i = 0; i < n; i++) mix_real(p[i].x), mix_real(p[i].y), mix_real(p[i].z);
}
static void mix_struct_V(const struct V *p, int n) {
  for (int i = 0; i < n; i++) mix_real(p[i].v), mix_whole(p[i].k), mix_whole(p[i].l);
}
"""

# prog SECONDS SKIPPED [FUNCTION CALL]: runs the calls that the file SKIPPED does not list, or prints all elements of one.
MAIN = """\
int main(int count, char **arguments) {
  static char skipped[COUNT][64];
  FILE *file = fopen(arguments[2], "r");
  for (int f, c; file && fscanf(file, "%d %d", &f, &c) == 2;)
    if (f < COUNT && c < 64) skipped[f][c] = 1;
  dumps = count > 4;
  for (int f = 0; f < COUNT; f++) {
    for (int c = 0; c < functions[f].calls; c++) {
      int status;
      if (skipped[f][c]) continue;
      if (dumps && (functions[f].number != atoi(arguments[3]) || c != atoi(arguments[4]))) continue;
      fflush(stdout);
      pid_t child = fork();
      if (child == 0) {
        alarm((unsigned)atoi(arguments[1]));
        state = functions[f].number * 1000u + (unsigned)c, hash = 1469598103934665603u;
        functions[f].run(c);
        printf("%s%d %d %016llx\\n", dumps ? "\\n" : "", f, c, (unsigned long long)hash);
        fflush(stdout);
        _exit(0);
      }
      waitpid(child, &status, 0);
      if (status) printf("%d %d %s\\n", f, c, !WIFSIGNALED(status) ? "error" : WTERMSIG(status) == 14 ? "timeout" : "crash");
      if (status && WIFSIGNALED(status) && WTERMSIG(status) == 14)
        while (++c < functions[f].calls) printf("%d %d timeout\\n", f, c);
    }
  }
}
"""


class Loop:
    """A loop that is open: how its counter is used as an index, and what is known of its values."""

    def __init__(self, use, low, size, signed, close, continues):
        self.use, self.low, self.size, self.signed = use, low, size, signed
        self.close, self.continues = close, continues


class Array:
    """An array of a function: how its elements are accessed."""

    def __init__(self, name, element, kind, slot=None):
        self.name, self.element, self.kind, self.slot = name, element, kind, slot
        self.declared, self.written, self.restrict = element, False, False

    @property
    def pool(self):
        return "int" if self.declared == "unsigned" else self.declared


class Function:
    """A random function, with the code of the driver that calls it."""

    def __init__(self, seed, number):
        self.number, self.name = number, f"f{number}"
        self.random = random.Random(f"{seed}/{number}")
        self.lines, self.depth, self.items, self.before, self.results = [], 1, 0, [], []
        self.scalars, self.helper, self.ignores_zeros, self.gathers, self.deep = [], None, False, False, False
        self.type = self.pick(ELEMENTS)
        size = self.pick(SIZES)
        self.sizes = [(name, size if self.chance(0.75) else self.pick(SIZES)) for name in "nml"[: self.pick({1: 3, 2: 5, 3: 3})]]
        self.offset = ("off", self.pick({"int": 2, "long": 1})) if self.chance(0.12) else None
        self.stride = ("s", self.pick({"int": 2, "long": 1, "size_t": 1})) if self.chance(0.15) else None
        self.alpha = ("x", self.type if self.chance(0.8) else self.pick(ELEMENTS)) if self.chance(0.35) else None
        self.keys = self.matrix = None
        self.arrays = self.make_arrays()
        self.result = self.pick({None: 5, self.type: 3, "int": 1, "long": 1, "size_t": 0.5, "double": 0.7})
        self.make_body()
        self.text = self.make_text()
        self.driver = self.make_driver()

    # Choices.

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        """One of a list, or of a dictionary with weights."""
        if isinstance(choices, dict):
            return self.random.choices(list(choices), list(choices.values()))[0]
        return self.random.choice(choices)

    def is_float(self, element):
        return element in FLOATS

    def emit(self, *lines):
        self.lines.extend("  " * self.depth + line for line in lines)

    # Parameters.

    def make_arrays(self):
        arrays, slots = [], {}
        mode = self.pick({"none": 5, "all": 4, "some": 2})
        for position in range(self.pick({1: 2, 2: 5, 3: 5, 4: 1.5})):
            element = self.type if self.chance(0.8) else self.pick(ELEMENTS)
            kind = self.pick({"flat": 12, "rows": 2.5, "fixed": 1.5, "global": 0.8, "table": 0.5, "points": 0.9})
            name = f"G{self.number}_{position}" if kind in ("global", "table") else "abcd"[position]
            array = Array(name, element, kind)
            if kind == "rows" and len(self.sizes) < 2:
                array.kind = "flat"
            if kind == "points":
                array.declared = self.pick(list(STRUCTS))
                array.element = STRUCTS[array.declared][0]
            array.restrict = mode == "all" or mode == "some" and self.chance(0.5)
            arrays.append(array)
        if self.chance(0.12):
            self.keys = Array("key", self.pick({"int": 3, "unsigned": 1, "short": 1, "long": 1}), "keys")
            self.keys.restrict, self.gathers = mode == "all", True
            arrays.append(self.keys)
        if self.chance(0.12):
            self.matrix = Array("A", self.pick({"struct M": 3, "struct N": 2, "struct O": 1}), "matrix")
            self.matrix.element = self.matrix.declared = MATRICES[self.matrix.declared][1]
            self.matrix.struct = [name for name in MATRICES if MATRICES[name][1] == self.matrix.element][0]
            arrays.append(self.matrix)
        for array in arrays:
            if array.kind not in ("global", "table"):
                slots[array.pool] = slots.get(array.pool, -1) + 1
                array.slot = slots[array.pool]
        return arrays

    def parameters(self):
        """The parameters, declared."""
        sizes = [f"{ctype} {name}" for name, ctype in self.sizes]
        sizes += [f"{ctype} {name}" for name, ctype in filter(None, [self.offset, self.stride, self.alpha])]
        arrays = []
        for array in self.arrays:
            const = "" if array.written or array.kind == "matrix" or array.kind != "keys" and array.is_plain else "const "
            restrict = "restrict " if array.restrict else ""
            if array.kind in ("flat", "points", "keys"):
                arrays.append(f"{const}{array.declared} *{restrict}{array.name}")
            elif array.kind == "rows":
                first = "restrict " * array.restrict + (self.sizes[0][0] if array.outer else "")
                arrays.append(f"{const}{array.element} {array.name}[{first}][{self.sizes[1][0]}]")
            elif array.kind == "fixed":
                arrays.append(f"{const}{array.element} {array.name}[{restrict.strip()}][{FIXED}]")
            elif array.kind == "matrix":
                arrays.append(f"{array.struct} *{restrict}{array.name}")
        return ", ".join(sizes + arrays)

    # Expressions.

    def constant(self, element):
        if self.is_float(element):
            return self.pick(["0.5", "2.0", "1.5f", "0.25", "3", "-1.5", "0.1", "0.1f", "1.0", "0.0f", "0.0"])
        return self.pick(["1", "2", "3", "5", "7", "4", "-1", "-3", "0", "2u", "1L"])

    def index(self, loops, simple=False):
        """An index of a dimension."""
        if not loops:
            return self.pick(["0", "1", "2", "3", self.sizes[0][0] + " / 2"])
        loop = loops[0]
        forms = {loop.use: 30 if simple else 14}
        if len(loops) == 1:
            size = loop.size or self.pick(self.sizes)[0]
            forms |= {f"{loop.use} + {self.pick([1, 1, 2, 3])}": 2, f"{size} - 1 - {loop.use}": 2, f"2 * {loop.use}": 0.7}
            forms |= {f"{loop.use} * 2 + 1": 0.7, f"{loop.use} / 2": 0.2, f"(int){loop.use}": 0.3, f"{loop.use} % 3": 0.2}
            step = self.pick([1, 1, 1, 2])
            if loop.signed or loop.low >= step:
                forms[f"{loop.use} - {step}"] = 2
            if self.offset:
                forms[f"{loop.use} + off"] = 4
            if self.stride:
                forms[f"{loop.use} * s"] = 4
            return self.pick(forms)
        if len(loops) > 2:
            self.deep = True
            return self.index3(loops, simple)
        i, j = loop.use, loops[1].use
        stride = loops[1].size if loops[1].size and self.chance(0.8) else self.stride[0] if self.stride else None
        stride = stride or self.pick([self.pick(self.sizes)[0], self.pick(self.sizes)[0], str(FIXED), "8"])
        forms = {f"{i} * {stride} + {j}": 30 if simple else 12, f"(size_t){i} * {stride} + {j}": 2, f"{stride} * {i} + {j}": 1}
        forms |= {f"({i} + 1) * {stride} + {j}": 1, f"{i} * {stride} + {j} + 1": 1, f"{i} + {j}": 1.5, f"{i} + 2 * {j}": 0.5}
        forms |= {f"{j} * {loop.size or stride} + {i}": 3, f"{i} * {stride} + ({stride} - 1 - {j})": 1.5}
        forms |= {f"{i} * ({i} + 1) / 2 + {j}": 0.7, f"{i} * {stride} + {i}": 0.7, f"{i} * ({stride} + 1) + {j}": 0.7}
        if loop.signed and loops[1].signed:
            forms |= {f"{i} - {j}": 1, f"{i} * {stride} + {j} - 1": 1, f"({i} - 1) * {stride} + {j}": 1}
        if self.offset:
            forms[f"{i} * {stride} + {j} + off"] = 3
        return self.pick(forms)

    def index3(self, loops, simple):
        i, j, k = [loop.use for loop in loops[:3]]
        m, n = [loop.size or self.pick(self.sizes)[0] for loop in loops[1:3]]
        forms = {f"({i} * {m} + {j}) * {n} + {k}": 30 if simple else 6, f"{i} * {m} * {n} + {j} * {n} + {k}": 3}
        forms |= {f"({k} * {m} + {j}) * {m} + {i}": 1, f"{i} * {m} + {j} + {k}": 1, f"({i} + {j}) * {n} + {k}": 1}
        return self.pick(forms)

    def access(self, array, loops, simple=False, write=False):
        """An element of an array at indices of some of the loops."""
        array.written |= write
        if array.kind in ("rows", "fixed", "table"):
            pair = list(loops[-2:]) if len(loops) > 1 else list(loops)
            if len(loops) > 2 and not simple:
                pair = [loops[k] for k in sorted(self.random.sample(range(len(loops)), 2))]
            if len(pair) > 1 and self.chance(0.15):
                pair.reverse()
            first, second = (pair[:1], pair[1:]) if len(pair) > 1 or self.chance(0.4) else ([], pair)
            return f"{array.name}[{self.index(first, simple)}][{self.index(second, simple)}]"
        if array.kind == "keys":
            return f"key[{self.index(loops[-1:], True)}]"
        if self.keys and loops and array.kind == "flat" and self.chance(0.25):
            return f"{array.name}[{self.access(self.keys, loops)}]"
        if len(loops) > 1 and not simple and self.chance(0.45):
            kept = sorted(self.random.sample(range(len(loops)), self.random.randint(1, len(loops) - 1)))
            loops = [loops[k] for k in kept]
        if array.kind == "matrix":
            if len(loops) > 1:
                return f"A->data[{loops[-2].use} * A->m + {loops[-1].use}]"
            return f"A->data[{self.index(loops, True)}]"
        place = f"{array.name}[{self.index(loops, simple)}]"
        if array.kind == "points":
            place += "." + self.pick(list("xyz" if array.declared == "struct Q" else "v" if array.declared == "struct V" else "xy"))
            if array.declared == "struct V" and not write and self.chance(0.3):
                place = place[:-1] + self.pick(["k", "l"])
        return place

    def read(self, element, loops, avoid=None):
        candidates = [array for array in self.arrays if array is not avoid and array.kind != "keys"]
        same = [array for array in candidates if array.element == element]
        array = self.pick(same if same and self.chance(0.85) else candidates or self.arrays)
        place = self.access(array, loops, self.chance(0.75))
        if self.is_float(element) != self.is_float(array.element) or self.chance(0.03):
            return f"({element}){place}"
        return place

    def expression(self, element, loops, depth, avoid=None):
        """A number of a type, without side effects."""
        def inner():
            return self.expression(element, loops, depth - 1, avoid)
        real = self.is_float(element)
        if depth <= 0 or self.chance(0.12):
            leaves = {"read": 10, "constant": 1.5, "counter": 0.8 if loops else 0}
            leaves |= {"alpha": 2} if self.alpha else {}
            leaves |= {"scalar": 1.5} if self.scalars else {}
            leaf = self.pick(leaves)
            if leaf == "read":
                return self.read(element, loops, avoid)
            if leaf == "constant":
                return self.constant(element)
            if leaf == "counter":
                return f"({element}){self.pick(loops).use}"
            name, ctype = self.alpha if leaf == "alpha" else self.pick(self.scalars)
            return f"({element}){name}" if self.is_float(ctype) != real else name
        a, b = inner(), inner()
        forms = {f"{a} + {b}": 8, f"{a} - {b}": 4, f"({a}) * ({b})": 6, f"({self.condition(loops, avoid)} ? {a} : {b})": 1.2}
        forms |= {f"(({a}) > ({b}) ? ({a}) : ({b}))": 0.7, f"-({a})": 0.5}
        if self.helper is not None and self.chance(0.6):
            forms[f"{self.name}_helper({a}, {b})"] = 3
            self.helper = True
        if real:
            suffix = "f" if element == "float" and self.chance(0.8) else ""
            forms |= {f"({a}) / {self.pick(['3', '1.5f', '7.0'])}": 1, f"({a}) / (({b}) * ({b}) + 1)": 0.7}
            forms |= {f"fabs{suffix}({a})": 1, f"sqrt{suffix}(fabs{suffix}({a}))": 0.8, f"floor{suffix}({a})": 0.2}
            forms |= {f"fmax{suffix}({a}, {b})": 0.7, f"fmin{suffix}({a}, {b})": 0.3, f"({b} != 0 ? ({a}) / ({b}) : 0)": 0.3}
            forms |= {f"copysign{suffix}({a}, {b})": 0.15, f"({self.pick(FLOATS)})({a})": 0.4}
        else:
            forms |= {f"(({a}) {op} ({b}))": 0.8 for op in "&|^"} | {f"(({a}) >> {self.pick([1, 2, 5])})": 0.5}
            forms |= {f"((({a}) & 15) << {self.pick([1, 2, 3])})": 0.5, f"({a}) / {self.pick([2, 3, -3, 7])}": 0.4}
            forms |= {f"({a}) % {self.pick([2, 3, 5, 8])}": 0.4, f"(({b}) != 0 ? ({a}) / (({b}) | 1) : 1)": 0.3}
            forms |= {f"~({a})": 0.3, f"(({a}) {self.pick(['<', '==', '>='])} ({b}))": 0.4, f"abs((int)({a}))": 0.3}
            forms |= {f"({self.pick(['short', 'unsigned char', 'unsigned', 'int', 'long'])})({a})": 0.8}
            forms |= {f"(int)((unsigned)({a}) * {self.pick(['2654435761u', '40503u', '3u'])} >> 20)": 0.3}
        form = self.pick(forms)
        self.ignores_zeros |= "fmax" in form or "fmin" in form
        return form

    def condition(self, loops, avoid=None):
        forms = {f"{self.read(self.type, loops, avoid)} {self.pick(['<', '>', '<=', '>=', '!='])} {self.constant(self.type)}": 5}
        forms[f"{self.read(self.type, loops, avoid)} {self.pick(['<', '>', '=='])} {self.read(self.type, loops, avoid)}"] = 2
        if loops:
            use = self.pick(loops).use
            forms |= {f"{use} % {self.pick([2, 3])} == 0": 2, f"{use} != {self.pick([0, 1, 3])}": 1, f"{use} > 2": 1}
            forms[f"{use} < {self.pick(self.sizes)[0]}"] = 0.7
        if len(loops) > 1:
            forms[f"{loops[0].use} {self.pick(['==', '<=', '!='])} {loops[1].use}"] = 2
        if self.alpha:
            forms["x > 0"] = 1
        return self.pick(forms)

    # Loops.

    def open(self, outer=(), natural=0.65, bound=None):
        """Opens a loop."""
        name = "ijkh"[len(outer)] + (str(self.items) if self.items else "")
        size, size_type = bound or self.sizes[min(len(outer), len(self.sizes) - 1)] if self.chance(0.8) else self.pick(self.sizes)
        counter = size_type if self.chance(0.45) else self.pick(COUNTERS)
        signed = counter in SIGNED
        use, low, declared, known = name, 0, f"{counter} {name} = ", size
        if self.chance(natural):
            start, test, step = "0", f"{name} < {size}", self.pick([f"{name}++", f"++{name}"])
        elif self.chance(0.25):
            step, last, known = f"{name}--", self.pick([0, 0, 0, 1, 2]), size if self.chance(0.5) else None
            limit = f"{size} - {self.pick([1, 1, 2])}" if self.chance(0.8) else self.pick(["7", "12"])
            forms = [(size, f"{name} > {last}", step, f"({name} - 1)")]
            if signed:
                by = self.pick([1, 1, 2])
                forms += [(limit, f"{name} >= {last}", step if by == 1 else f"{name} -= {by}", name)] * 3
                forms += [(limit, f"{name} != -1", step, name), (f"{size}", f"{name} > {last}", f"{name} += -1", name)]
            else:
                forms += [(limit, f"{name} < {size}", step, name), (size, f"{name}-- > {last}", "", name)]
            start, test, step, use = self.pick(forms)
        else:
            starts = {"0": 6, "1": 3, "2": 1.5, self.pick(self.sizes)[0] + " / 2": 0.5}
            starts |= {"-1": 0.5, "-2": 0.3} if signed else {}
            starts |= {self.offset[0]: 2} if self.offset else {}
            for loop in outer:
                starts |= {loop.use: 3, f"{loop.use} + 1": 1.5, f"{loop.use} * {loop.use}": 0.7}
            start = self.pick(starts)
            low = int(start) if start.lstrip("-").isdigit() else 0
            other = self.pick(self.sizes)[0]
            bounds = {size: 4, f"{size} - 1": 4, f"{size} - 2": 1, f"{size} + 1": 1.5, self.pick(["4", "8", "13", "16"]): 2}
            bounds |= {f"({size} < {other} ? {size} : {other})": 1.2, f"{size} / 2": 0.7}
            for loop in outer:
                bounds |= {loop.use: 3, f"{loop.use} + 1": 1.5, f"{size} - {loop.use}": 1.5}
            limit = self.pick(bounds)
            by = self.pick({1: 8, 2: 2, 3: 1})
            compare = self.pick({"<": 10, "<=": 3, "!=": 2.5 if by == 1 and low >= 0 else 0})
            known = size if limit == size and compare != "<=" else None
            if self.chance(0.05):
                test, step = f"{limit} {'>=' if compare == '<=' else '>' if compare == '<' else '!='} {name}", f"{name} += {by}"
            else:
                test, step = f"{name} {compare} {limit}", f"{name}++" if by == 1 else f"{name} += {by}"
        style, continues, close = self.pick({"for": 10, "outside": 1.5, "while": 0.8, "do": 0.5}), True, []
        if style != "for":
            self.emit("{" if outer else "", f"{declared}{start};") if outer else self.emit(f"{declared}{start};")
            if not outer:
                self.results.append((name, counter))
        if style == "for":
            self.emit(f"for ({declared}{start}; {test}; {step}) {{")
        elif style == "outside" or not step:
            self.emit(f"for (; {test}; {step}) {{")
        elif style == "while":
            self.emit(f"while ({test}) {{")
            close, continues = [f"  {step};"], False
        else:
            self.emit("do {")
            close, continues = [f"  {step};"], False
        close = close + [f"}} while ({test});" if style == "do" and step else "}"] + ["}"] * (style != "for" and bool(outer))
        self.depth += 1
        return Loop(use, low, known, signed, close, continues)

    def close(self, loop):
        self.depth -= 1
        self.emit(*loop.close)

    def nest(self, depth, natural=0.7):
        """Opens loops; in between, there may be a statement."""
        loops = []
        for _ in range(depth):
            loops.append(self.open(loops, natural))
        return loops

    def close_all(self, loops):
        for loop in reversed(loops):
            self.close(loop)

    # Statements.

    def target(self, loops, simple=True, avoid=None):
        candidates = [array for array in self.arrays if array.kind != "keys"]
        if len(loops) > 1 and self.chance(0.5):
            candidates = [array for array in candidates if array.kind in ("rows", "fixed", "table", "matrix")] or candidates
        array = self.pick([array for array in candidates if array.element == self.type] or candidates)
        return array, self.access(array, loops, simple and self.chance(0.85), True)

    def combine(self, place, element, loops, avoid=None):
        """Statements that combine a place with an expression."""
        e = self.expression(element, loops, self.pick([1, 1, 2]), avoid)
        forms = {f"{place} += {e};": 10, f"{place} -= {e};": 2, f"{place} = {place} + {e};": 3, f"{place} = {e} + {place};": 1}
        forms |= {f"{place} = ({e}) > {place} ? ({e}) : {place};": 1.5, f"{place} = {place} > ({e}) ? {place} : ({e});": 1}
        forms |= {f"if (({e}) < {place}) {place} = {e};": 1.5, f"{place} += {self.condition(loops, avoid)};": 1}
        forms |= {f"if ({self.condition(loops, avoid)}) {place} += {e};": 1.5, f"{place} *= {e};": 1.2 if self.is_float(element) else 0.2}
        if self.is_float(element):
            forms |= {f"{place} = fmax({place}, {e});": 1, f"{place} = {place} * 0.5 + {e};": 0.6}
        else:
            forms |= {f"{place} {op}= {e};": 1.3 for op in "&|^"} | {f"{place} = ({place} & 255) << 1 ^ ({e});": 0.4}
        form = self.pick(forms)
        self.ignores_zeros |= "fmax" in form
        return form

    def scalar(self, initial=None):
        """Declares a local scalar; returns its name and type."""
        element = self.type if self.chance(0.85) else self.pick(ELEMENTS)
        name = f"t{len(self.before)}"
        self.before.append(name)
        start = initial or self.pick({"0": 6, "1": 2, self.constant(element): 1})
        self.emit(f"{element} {name} = {start};")
        return name, element

    def statement(self, loops):
        """A statement in a nest."""
        mode = self.pick({"map": 14, "update": 4, "scan": 1.2, "guarded": 1.2, "any": 1.2, "swap": 0.5})
        if mode == "scan":
            array, place = self.target(loops)
            other = self.access(array, loops)
            self.emit(f"{place} = {other} {self.pick(['+', '+', '-', '*', '+'])} {self.expression(self.type, loops, 1, array)};")
            return
        array, place = self.target(loops, mode != "any")
        avoid = array if mode in ("map", "guarded") and self.chance(0.85) else None
        e = self.expression(self.type, loops, self.pick([1, 2, 2, 3]), avoid)
        if mode == "update":
            self.emit(self.combine(place, array.element, loops, avoid))
        elif mode == "guarded":
            self.emit(f"if ({self.condition(loops, avoid)}) {place} = {e};")
            if self.chance(0.4):
                self.emit(f"else {place} = {self.expression(self.type, loops, 1, avoid)};")
        elif mode == "swap":
            other = self.access(array, loops, True, True)
            self.emit("{", f"  {array.element} swapped = {place};", f"  {place} = {other};", f"  {other} = swapped;", "}")
        else:
            self.emit(f"{place} = {e};")

    # Items of the body.

    def item_map(self):
        loops = self.nest(self.pick({1: 6, 2: 6, 3: 1.5}))
        if loops[-1].continues and self.chance(0.06):
            self.emit(f"if ({self.condition(loops)}) continue;")
        if self.chance(0.03):
            self.emit(f"if ({self.condition(loops)}) break;")
        if self.result and self.chance(0.02):
            self.emit(f"if ({self.condition(loops)}) return ({self.result}){loops[-1].use};")
        for _ in range(self.pick({1: 6, 2: 2.5, 3: 0.7})):
            self.statement(loops)
        inner = loops.pop()
        self.close(inner)
        if loops and self.chance(0.15):
            self.statement(loops)
        self.close_all(loops)

    def item_reduce(self):
        """A sum or the like, of all points or of each row, in a scalar or in an element."""
        depth = self.pick({1: 5, 2: 6, 3: 3})
        style = self.pick({"scalar": 4, "row": 6, "element": 5}) if depth > 1 else "scalar" if self.chance(0.75) else "element"
        kept = depth - 1 if self.chance(0.8) or depth == 1 else self.random.randint(0, depth - 1)
        scalar = self.scalar() if style == "scalar" else None
        loops = self.nest(depth if style == "scalar" else kept)
        if style == "row":
            scalar = self.scalar()
        array, place = self.target(loops[:kept]) if style != "scalar" else (None, None)
        if style == "element" and self.chance(0.6):
            self.emit(f"{place} = {self.pick(['0', '0', '1', self.constant(self.type)])};")
        while len(loops) < depth:
            loops.append(self.open(loops, 0.7))
        guarded = loops[-1].continues and self.chance(0.07)
        if guarded:
            self.emit(f"if ({self.condition(loops)}) {self.pick(['continue', 'continue', 'break'])};")
        if scalar:
            self.emit(self.combine(scalar[0], scalar[1], loops))
            if self.chance(0.1):
                self.emit(f"{self.target(loops)[1]} = ({self.type}){scalar[0]};")
        else:
            self.emit(self.combine(place, array.element, loops, array if self.chance(0.9) else None))
        while len(loops) > (0 if style == "scalar" else kept):
            self.close(loops.pop())
        if style == "row":
            self.emit(f"{place} {self.pick(['=', '=', '+=', '-='])} {scalar[0]}{self.pick(['', '', ' * 2', ' + 1'])};")
        self.close_all(loops)
        if style == "scalar":
            self.results.append(scalar)
            self.scalars.append(scalar)
            if self.result is None or self.chance(0.3):
                self.emit(f"{self.target([])[1]} = ({self.type}){scalar[0]};")

    def item_scan(self):
        array = self.pick([a for a in self.arrays if a.kind in ("flat", "global")] or [None])
        if array is None:
            return self.item_map()
        array.written = True
        e, t = array.name, array.element
        if self.chance(0.5):
            sum_, _ = self.scalar("0")
            loop = self.open(natural=0.8)
            term = self.expression(t, [loop], 1, array if self.chance(0.8) else None)
            lines = [f"{sum_} += {term};", f"{e}[{loop.use}] = {sum_};"]
            self.emit(*(lines if self.chance(0.6) else reversed(lines)))
            self.close(loop)
            self.results.append((sum_, t))
        else:
            i, step = f"i{self.items}", self.pick([1, 1, 1, 2, 3])
            if self.chance(0.75):
                self.emit(f"for (int {i} = {step}; {i} < (int)n; {i}++) {{")
                before = f"{e}[{i} - {step}]"
            else:
                self.emit(f"for (int {i} = (int)n - 1 - {step}; {i} >= 0; {i}--) {{")
                before = f"{e}[{i} + {step}]"
            term = self.expression(t, [Loop(i, 0, "n", True, [], True)], 1, array if self.chance(0.8) else None)
            self.emit(f"  {e}[{i}] = {before} {self.pick(['+', '+', '-', '*' if self.is_float(t) else '^'])} {term};" if self.chance(0.7)
                      else f"  {e}[{i}] += {before};", "}")

    def item_find(self):
        """The largest element and where it is, the first one that is equal, or a number of them."""
        array = self.pick([a for a in self.arrays if a.kind != "keys"])
        style = self.pick(["largest", "first", "last", "count"])
        at, best = f"at{self.items}", f"best{self.items}"
        counter = self.pick(["int", "long", "size_t"])
        self.emit(f"{counter} {at} = {'0' if style != 'last' else self.pick(['0', '-1'])};")
        if style == "largest":
            self.emit(f"{array.element} {best} = {self.access(array, []) if self.chance(0.4) else self.constant(array.element)};")
        loop = self.open(natural=0.75)
        place = self.access(array, [loop], True)
        test = f"{place} {self.pick(['==', '>', '<'])} {self.constant(array.element)}"
        if style == "largest":
            self.emit(f"if ({place} {self.pick(['>', '>=', '<'])} {best}) {{", f"  {best} = {place};", f"  {at} = {loop.use};", "}")
            self.results.append((best, array.element))
        elif style == "count":
            self.emit(f"{at} += {test};" if self.chance(0.5) else f"if ({test}) {at}++;")
        else:
            self.emit(f"if ({test}) {{", f"  {at} = {loop.use};", *(["  break;"] if style == "first" else []), "}")
        self.close(loop)
        self.results.append((at, counter))

    def item_reverse(self):
        array = self.pick([a for a in self.arrays if a.kind in ("flat", "global")] or [None])
        if array is None:
            return self.item_reduce()
        array.written = True
        other = self.pick([a for a in self.arrays if a.kind in ("flat", "global")] + [array])
        i, a, b = f"i{self.items}", array.name, other.name
        count = self.pick(["n", "n", "n / 2", "(n + 1) / 2"])
        term = self.pick([f"{b}[n - 1 - {i}]", f"{b}[n - {i} - 1] + 1", f"{a}[{i}] + {b}[n - 1 - {i}]", f"{b}[{i} + 1]"])
        self.emit(f"for ({self.sizes[0][1]} {i} = 0; {i} < {count}; {i}++) {{", f"  {a}[{i}] = {term};", "}")

    def item_pointers(self):
        """Pointers that advance."""
        flats = [a for a in self.arrays if a.kind == "flat"]
        if not flats:
            return self.item_reduce()
        one, two = self.pick(flats), self.pick(flats)
        p, q, k = f"p{self.items}", f"q{self.items}", f"c{self.items}"
        two.written = True
        style = self.pick(["sum", "copy", "range", "middle", "middle"])
        self.emit(f"const {one.element} *{p} = {one.name};", f"{two.element} *{q} = {two.name};")
        cast = f"({two.element})"
        if style == "sum":
            sum_, t = self.scalar("0")
            self.emit(self.pick([f"for (int {k} = 0; {k} < (int)n; {k}++) {sum_} += ({t})*{p}++;", f"while ({p} < {one.name} + n) {sum_} += ({t})*{p}++;"]))
            self.results.append((sum_, t))
        elif style == "copy":
            self.emit(f"for ({self.sizes[0][1]} {k} = n; {k} > 0; {k}--) *{q}++ = {cast}*{p}++{self.pick(['', ' + 1', ' * 2'])};")
        elif style == "range":
            self.emit(f"for ({two.element} *{k} = {q}; {k} {self.pick(['<', '!='])} {q} + n; {k}++) *{k} = {cast}({p}[1] + 1);")
        else:
            self.emit(f"{q} += {self.pick(['2', '3', 'n', 'n / 2'])};", f"{p} += {self.pick(['1', '2', 'n'])};")
            terms = [f"{p}[{i}]" for i in (f"{k} - 1", k, f"{k} + 1", f"{k} - 2", f"-{k}")]
            self.emit(f"for (int {k} = {self.pick(['0', '1', '-1'])}; {k} < (int)n; {k}++)")
            self.emit(f"  {q}[{self.pick([k, k, f'{k} - 1', f'-{k}'])}] = {cast}({self.pick(terms)} + {self.pick(terms)});")

    def item_local(self):
        """A local array."""
        t, i = f"local{self.items}", f"i{self.items}"
        loop = Loop(i, 0, None, True, [], True)
        self.emit(f"{self.type} {t}[{FIXED}]{self.pick(['', ' = {0}'])};")
        self.emit(f"for (int {i} = 0; {i} < {FIXED}; {i}++) {t}[{i}] = {self.expression(self.type, [loop], 1)};")
        self.items += 1
        loop = self.open(natural=0.95)
        _, place = self.target([loop])
        self.emit(self.pick([f"{place} = {t}[{loop.use}] + 1;", f"{place} += {t}[{loop.use}];", f"{t}[{loop.use}] += {place};"]))
        self.close(loop)
        if self.chance(0.6):
            self.emit(f"{self.target([])[1]} = {t}[{self.pick([0, 3, FIXED - 1])}];")

    def item_matrix(self):
        """A matrix with its sizes and its elements behind a pointer."""
        if not self.matrix:
            return self.item_map()
        self.matrix.written = True
        bounds = [(f"A->{name}", MATRICES[self.matrix.struct][0]) for name in "nm"]
        loops = [self.open([], 0.9, bounds[0])]
        style = self.pick(["map", "row", "all"])
        if style == "row":
            sum_, _ = self.scalar("0")
        loops.append(self.open(loops, 0.9, bounds[1]))
        i, j = loops[0].use, loops[1].use
        place = self.pick({f"A->data[{i} * A->m + {j}]": 5, f"A->data[{j} * A->n + {i}]": 1})
        if style == "row":
            self.emit(self.combine(sum_, self.type, loops, self.matrix) if self.chance(0.3) else f"{sum_} += ({self.type}){place};")
        else:
            e = self.expression(self.matrix.element, loops, 1, self.matrix if self.chance(0.8) else None)
            self.emit(f"{place} {self.pick(['=', '=', '+=', '*=' if self.is_float(self.matrix.element) else '^='])} {e};")
        self.close(loops.pop())
        if style == "row":
            self.emit(f"{self.target(loops)[1]} = {sum_};")
        self.close_all(loops)

    def item_product(self):
        """A product of matrices or of a matrix and a vector, in flat arrays."""
        flats = [a for a in self.arrays if a.kind == "flat" and a.element == self.type]
        if len(flats) < 2 or len(self.sizes) < 2:
            return self.item_reduce()
        c, a, b = self.pick(flats), self.pick(flats), self.pick(flats)
        c.written = True
        loops = self.nest(self.pick([2, 3]), 0.9)
        i, j, k = [loop.use for loop in loops] + ["0"] * (3 - len(loops))
        m, l = self.sizes[1][0], self.sizes[-1][0]
        if len(loops) == 3:
            self.deep = True
            place, terms = f"{c.name}[{i} * {m} + {j}]", [f"{a.name}[{i} * {l} + {k}]", f"{b.name}[{k} * {m} + {j}]"]
            if self.chance(0.2):
                terms[1] = f"{b.name}[{j} * {l} + {k}]"
        else:
            place, terms = f"{c.name}[{i}]", [f"{a.name}[{i} * {m} + {j}]", f"{b.name}[{j}]"]
        op = self.pick(["+=", "+=", "+=", "-=", "^=" if not self.is_float(self.type) else "+="])
        self.emit(f"{place} {op} {' * '.join(terms)};")
        self.close_all(loops)

    # The function and its driver.

    def make_body(self):
        for array in self.arrays:
            array.is_plain, array.outer = self.chance(0.4), self.chance(0.5)
        self.helper = False if self.chance(0.12) else None
        if self.chance(0.04):
            self.emit(f"if (n == {self.pick([0, 1, 5])}) return{' 7' if self.result else ''};")
        items = {"map": 9, "reduce": 9, "scan": 1.2, "find": 1.2, "reverse": 1, "pointers": 1.2, "local": 0.8, "product": 1.5}
        items["matrix"] = 12 if self.matrix else 0
        for _ in range(self.pick({1: 5, 2: 5, 3: 2})):
            getattr(self, f"item_{self.pick(items)}")()
            self.items += 1
        if not self.result:
            if self.results and self.chance(0.5):
                self.emit(f"{self.target([])[1]} = ({self.type}){self.pick(self.results)[0]};")
        elif self.results:
            chosen = self.random.sample(self.results, min(len(self.results), self.pick([1, 1, 2])))
            self.emit(f"return {' + '.join(f'({self.result}){name}' for name, _ in chosen)};")
        else:
            self.emit(f"return ({self.result}){self.access(self.pick(self.arrays), [])};")

    def make_text(self):
        """The C code."""
        parts = []
        for array in self.arrays:
            if array.kind == "global":
                parts.append(f"{array.element} {array.name}[4096];\n")
            elif array.kind == "table":
                parts.append(f"{array.element} {array.name}[{FIXED}][{FIXED + 3}];\n")
        if self.helper:
            e, t = self.pick(["a + b * 2", "a > b ? a : b", "a - b", "a < 0 ? b : a"]), self.type
            parts.append(f"static {t} {self.name}_helper({t} a, {t} b) {{ return {e}; }}\n")
        lines = "\n".join(line for line in self.lines if line.strip())
        parts.append(f"{self.result or 'void'} {self.name}({self.parameters()}) {{\n{lines}\n}}\n")
        return "".join(parts)

    def make_calls(self):
        """Sizes and distances of arrays from their slots: a list of (sizes, {array: (array, distance)}, mode)."""
        small = {0: 1, 1: 2, 2: 3, 5: 5, 17: 4} if not self.deep else {0: 1, 1: 2, 2: 3, 5: 5, 9: 2}
        has_rows = any(array.kind == "rows" for array in self.arrays)
        largest = max(small)
        fixed = [[size] * 3 for size in (largest, 5, 0, 1)] + [[5, largest, 2], [2, 5, largest], [largest, 1, 5]]
        sizes = fixed + [[self.pick(small) for _ in range(3)] for _ in range(9)]
        if all(ctype in SIGNED for _, ctype in self.sizes) and self.chance(0.3):
            sizes[7] = [-1, 2, -3]
        if has_rows:
            sizes = [[max(size, 1) for size in row] for row in sizes]
        placed = [array for array in self.arrays if array.slot is not None]
        pairs = []
        for one in placed:
            for two in placed:
                # What is only read may be the same for two restricted pointers, too.
                apart = one.restrict or two.restrict
                is_data = "matrix" in (one.kind, two.kind) and any(array.restrict for array in placed)
                if one is not two and one.pool == two.pool and not is_data and (not apart or not (one.written or two.written)):
                    pairs.append((one, two))
        calls = []
        for position, row in enumerate(sizes):
            moved = {}
            if position >= 7 and pairs:
                one, two = self.pick(pairs)
                moved[two] = (one, 0 if position < 9 else self.pick([1, -1, 2, 3, -2, 5, -5, 8, row[0], row[0] * row[1], -row[1]]))
            elif position in (7, 8) and not any(array.restrict for array in self.arrays):
                globals_ = [array for array in self.arrays if array.kind == "global"]
                same = [(one, two) for one in globals_ for two in placed if two.kind == "flat" and two.element == one.element]
                moved.update({two: (one, self.pick([0, 1, 3, 30])) for one, two in same[:1]})
            calls.append((row, moved, int(position in (4, 10))))
        return calls

    def make_driver(self):
        """The code of the driver that calls the function."""
        slot, base = (12288, 2048) if self.deep else (2048, 512)
        used = {}
        for array in self.arrays:
            if array.slot is not None:
                used[array.pool] = (array.slot + 1) * slot
        regions = [(pool, f"pool_{pool.replace(' ', '_')}", count) for pool, count in used.items()]
        extern = ""
        for array in self.arrays:
            if array.kind in ("global", "table"):
                dimensions, count = ("[4096]", 512) if array.kind == "global" else (f"[{FIXED}][{FIXED + 3}]", FIXED * (FIXED + 3))
                extern += f"extern {array.element} {array.name}{dimensions};\n"
                regions.append((array.element, array.name if array.kind == "global" else f"&{array.name}[0][0]", count))
        calls = []
        for number, (row, moved, mode) in enumerate(self.make_calls()):
            mode |= 2 * self.gathers
            arguments = [str(size) for size, _ in zip(row, self.sizes)]
            arguments += [str(self.pick([0, 1, 2, 3, -1]))] if self.offset else []
            arguments += [str(self.pick([1, 2, 3, 0, 5] + [-1] * (self.stride[1] != "size_t")))] if self.stride else []
            arguments += [self.pick(["2", "-1", "3"]) if not self.is_float(self.alpha[1]) else "1.3"] if self.alpha else []
            before, after = "", ""
            for array in self.arrays:
                if array.kind in ("global", "table"):
                    continue
                at, distance = moved.get(array, (array, 0))
                if at.kind == "global":
                    place = f"{at.name} + {distance}"
                else:
                    place = f"pool_{at.pool.replace(' ', '_')} + {at.slot * slot + base + distance}"
                if array.kind == "matrix":
                    before = f"{array.struct} A = {{{max(row[0], 0)}, {max(row[1], 0)}, (void *)({place})}}; "
                    after = "mix_whole((long long)A.n); mix_whole((long long)A.m); "
                    arguments.append("&A")
                else:
                    arguments.append(f"(void *)({place})")
            call = f"{self.name}({', '.join(arguments)})"
            if self.result:
                call = f"{'mix_real' if self.is_float(self.result) else 'mix_whole'}({call})"
            fills = "".join(f"fill_{t.replace(' ', '_')}({p}, {count}, {mode}); " for t, p, count in regions)
            mixes = "".join(f"mix_{t.replace(' ', '_')}({p}, {count}); " for t, p, count in regions)
            calls.append(f"  case {number}: {{ {before}{fills}{call}; {after}{mixes}break; }}\n")
        self.count = len(calls)
        return (f"{extern}{self.result or 'void'} {self.name}({self.parameters()});\nstatic void run_{self.name}(int c) {{\n"
                f"  ignores_sign_of_zero = {int(self.ignores_zeros)};\n  switch (c) {{\n{''.join(calls)}  }}\n}}\n")


def program(functions):
    """The files of some functions."""
    table = "".join(f"{{{f.number}, run_{f.name}, {f.count}}}, " for f in functions)
    table = f"static const struct {{ unsigned number; void (*run)(int); int calls; }} functions[] = {{{table}}};\n"
    driver = PRELUDE + RUNTIME + "".join(f.driver for f in functions) + f"#define COUNT {len(functions)}\n" + table + MAIN
    return PRELUDE + "\n" + "\n".join(f.text for f in functions), driver


class Campaign:
    """Functions that are compiled, run and compared."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.environment = {"LD_LIBRARY_PATH": "/usr/lib/llvm-22/lib", "MDH_CACHE_DIR": "", "MDH_DATABASE": ""} | os.environ
        self.environment |= {"ASAN_OPTIONS": "symbolize=0:detect_leaks=0", "UBSAN_OPTIONS": "symbolize=0"}
        self.run_count = self.discarded = self.calls = self.left_out = self.raised_nests = self.stays = 0
        self.raised, self.failures, self.ambiguous = set(), [], []
        self.reasons = {}

    def execute(self, command, seconds):
        """The exit status of a command, or a word, and what it prints."""
        try:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                                  timeout=seconds, env=self.environment, check=False)
        except subprocess.TimeoutExpired:
            return "timeout", "", ""
        except OSError as error:
            return "missing", "", str(error)
        return done.returncode, done.stdout, done.stderr

    def clang(self, *arguments):
        status, _, messages = self.execute([self.arguments.clang, "-w", *arguments], COMPILE)
        if status != 0:
            sys.exit(f"clang has failed ({status}): {' '.join(map(str, arguments))}\n{messages}")

    def mdh(self, *arguments):
        """Runs the compiler under test, also if someone builds it at the moment."""
        command = [self.arguments.mdh, "cc", "-w", *arguments]
        result = self.execute(command, COMPILE)
        if result[0] == 0 or result[0] == 1 and "error: " in result[2] and "shared libraries" not in result[2]:
            return result
        while self.execute([self.arguments.mdh, "--version"], 30)[0] != 0:
            time.sleep(10)
        return self.execute(command, COMPILE)

    def run(self, program_, seconds, skipped):
        """The result of each call of a program."""
        calls = sum(1 for line in skipped.read_text().splitlines() if line)
        limit = 120 + seconds * 20 + calls
        status, output, messages = self.execute([program_, seconds, skipped], limit)
        results = {}
        for line in output.splitlines():
            function, call, result = line.split()
            results[int(function), int(call)] = result
        if status != 0:
            results["status"] = f"{status}: {messages[:200]}"
        return results

    def variants(self, index):
        variants = [("O2", ["-O2"])]
        if index % 3 == 0:
            variants.append(("O3", ["-O3", "-march=native"]))
        return variants

    def prepare(self, functions, folder):
        """Writes and compiles a file with the reference; returns the results of the reference."""
        folder.mkdir(parents=True, exist_ok=True)
        source, driver = program(functions)
        (folder / "functions.c").write_text(source)
        (folder / "driver.c").write_text(driver)
        skipped = folder / "skipped"
        skipped.write_text("")
        both = [folder / "functions.c", folder / "driver.c"]
        self.clang(*SANITIZE, "-ffp-contract=off", *both, "-lm", "-o", folder / "sanitized")
        sanitized = self.run(folder / "sanitized", 5, skipped)
        self.clang("-O1", "-c", folder / "driver.c", "-o", folder / "driver.o")
        self.clang("-O0", "-ffp-contract=off", "-c", folder / "functions.c", "-o", folder / "reference.o")
        self.clang(folder / "reference.o", folder / "driver.o", "-lm", "-o", folder / "reference")

        def skip():
            bad = [(f, c) for f, function in enumerate(functions) for c in range(function.count)
                   if not sanitized.get((f, c), "error").isalnum() or len(sanitized.get((f, c), "")) != 16]
            skipped.write_text("".join(f"{f} {c}\n" for f, c in bad))
        skip()
        reference = self.run(folder / "reference", 10, skipped)
        for call in list(sanitized):
            # Also what clang itself computes differently, with the sanitizers.
            if call != "status" and sanitized[call] != reference.get(call):
                if len(sanitized[call]) == 16:
                    self.ambiguous.append(f"{functions[call[0]].name} (sanitizers)")
                sanitized[call] = "error"
        skip()
        return {call: result for call, result in reference.items() if call != "status" and sanitized[call] == result}

    def build(self, folder, name, options, compiler=None):
        """Compiles functions.c; returns a complaint, or nothing."""
        arguments = [*options, "-ffp-contract=off", "-c", folder / "functions.c", "-o", folder / f"{name}.o"]
        if compiler:
            compiler(*arguments)
        else:
            report = folder / f"{name}.json"
            status, output, messages = self.mdh(*arguments, f"--mdh-report={report}")
            if status != 0:
                return f"the compiler fails ({status}): {(output + messages).strip()[-600:]}"
        link = [self.arguments.clang, folder / f"{name}.o", folder / "driver.o", "-lm", "-o", folder / name]
        status, _, messages = self.execute(link, COMPILE)
        return f"cannot be linked: {messages[-600:]}" if status != 0 else None

    def differences(self, functions, folder, reference, name):
        """The functions with calls whose results are different, with a line for each."""
        results = self.run(folder / name, RUN, folder / "skipped")
        found = {}
        for (f, c), expected in sorted(reference.items()):
            result = results.get((f, c), "nothing")
            if result != expected:
                found.setdefault(functions[f], []).append(f"call {c}: expected {expected}, got {result}")
        return found

    def batch(self, index, functions):
        folder = self.folder / "batch"
        shutil.rmtree(folder, ignore_errors=True)
        reference = self.prepare(functions, folder)
        self.run_count += len(functions)
        self.calls += sum(function.count for function in functions)
        self.left_out += sum(function.count for function in functions) - len(reference)
        kept = {f for f, _ in reference}
        self.discarded += len(functions) - len(kept)
        for name, options in self.variants(index):
            while functions and self.build(folder, name, options):
                # Without the functions that the compiler fails for, the others are compared all the same.
                bad = [function for function in functions if self.refuses(function, name, options)]
                for function in bad:
                    self.single(function, name, options)
                functions = [function for function in functions if function not in bad]
                if not bad:
                    self.keep(folder, f"batch{index}-{name}", ["the compiler fails for all functions together only"])
                    return
                reference = self.prepare(functions, folder)
            if not functions:
                return
            suspects = self.differences(functions, folder, reference, name)
            if name == "O2":
                self.count_raised(folder / "O2.json", {functions[f].name for f, _ in reference})
            alone = [self.single(function, name, options) for function in suspects]
            if suspects and not any(alone):
                self.keep(folder, f"batch{index}-{name}", [f"only together: {suspects}"])

    def refuses(self, function, name, options):
        """True if the compiler fails for a function."""
        folder = self.folder / function.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "functions.c").write_text(program([function])[0])
        arguments = [*options, "-ffp-contract=off", "-c", folder / "functions.c", "-o", folder / f"{name}.o"]
        return self.mdh(*arguments)[0] != 0

    def count_raised(self, path, kept):
        report = json.loads(path.read_text())
        for nest in report["raised"]:
            name = re.match(r"f\d+", nest["function"]).group()
            if name in kept:
                self.raised.add(name)
                self.raised_nests += 1
        for stay in report["stays"]:
            reason = re.sub(r"'[^']*'|%\w+|\d+", "_", stay["reason"])[:100]
            self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def single(self, function, name, options):
        """Tests one function by itself, and keeps it if it fails; true if its results are different."""
        folder = self.folder / function.name
        shutil.rmtree(folder, ignore_errors=True)
        reference = self.prepare([function], folder)
        complaint = self.build(folder, name, options)
        lines = [complaint] if complaint else self.differences([function], folder, reference, name).get(function)
        if not lines:
            return False
        if not complaint:
            self.build(folder, "clang", ["-O2", "-fno-math-errno"], self.clang)
            others = self.differences([function], folder, reference, "clang").get(function, [])
            mine = [line for line in lines if line not in others]
            if not mine:
                self.ambiguous.append(f"{function.name} ({name})")
                return True
        self.keep(folder, f"{self.arguments.seed}-{function.name}-{name}", lines, options)
        return True

    def keep(self, folder, label, lines, options=()):
        place = pathlib.Path(self.arguments.keep) / label
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder, place)
        cc = ["cc", *options, "-ffp-contract=off", "-w", "-c", "functions.c", "-o", "tested.o", "--mdh-report=report.json"]
        (place / "command.txt").write_text(
            f"{shlex.join([str(self.arguments.mdh), *cc])}\n"
            f"{self.arguments.clang} tested.o driver.o -lm -o tested\n"
            f"./tested 60 skipped; ./reference 60 skipped    # FUNCTION CALL behind: all elements of a call\n" + "\n".join(lines) + "\n"
        )
        self.failures.append((label, lines))
        print(f"FAILURE: {place}: {lines[0].splitlines()[-1]} ({len(lines)} in all)", flush=True)

    def summary(self):
        used = self.run_count - self.discarded
        share = 100 * len(self.raised) / max(used, 1)
        return (f"{self.run_count} functions run, {self.discarded} discarded, {len(self.raised)} with a raised nest "
                f"({share:.0f} %), {self.raised_nests} nests raised, {self.calls} calls, {self.left_out} left out, "
                f"{len(self.ambiguous)} ambiguous, {len(self.failures)} failures")


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mdh", default=root / "target/debug/mdh", help="the compiler under test")
    parser.add_argument("--clang", default="/usr/lib/llvm-22/bin/clang", help="the reference")
    parser.add_argument("-n", type=int, default=100, metavar="COUNT", help="the number of functions")
    parser.add_argument("-s", "--seed", type=int, default=1, metavar="SEED", help="the functions of a campaign")
    parser.add_argument("--batch", type=int, default=20, metavar="B", help="functions in a file")
    parser.add_argument("--keep", default="kept", metavar="DIR", help="the folder for functions that fail")
    parser.add_argument("--only", type=int, metavar="K", help="only function K, compiled alone in all variants")
    parser.add_argument("--reasons", action="store_true", help="print why nests stay, with their numbers")
    arguments = parser.parse_args()
    numbers = range(arguments.n) if arguments.only is None else [arguments.only]
    with tempfile.TemporaryDirectory(prefix="random-functions-") as folder:
        campaign = Campaign(arguments, folder)
        for index, first in enumerate(range(0, len(numbers), arguments.batch)):
            functions = [Function(arguments.seed, number) for number in numbers[first : first + arguments.batch]]
            campaign.batch(index, functions)
            print(f"seed {arguments.seed}: {campaign.summary()}", flush=True)
    if arguments.reasons:
        for reason, count in sorted(campaign.reasons.items(), key=lambda item: -item[1]):
            print(f"{count:6} {reason}")
    for name in campaign.ambiguous:
        print(f"ambiguous: {name}")
    for label, lines in campaign.failures:
        print(f"failure: {label}: {lines[0].splitlines()[-1]}")
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
