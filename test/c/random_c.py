"""Random C functions with loop nests, and the code that calls them."""

import random
import re

FLOATS, SIGNED = ("float", "double"), ("int", "long", "short", "long long")
ELEMENTS = {"double": 5, "float": 4, "int": 4, "long": 2, "unsigned": 2, "short": 1, "unsigned char": 1, "long long": 1}
SIZES = {"int": 10, "size_t": 5, "unsigned": 3, "long": 3}
COUNTERS = {"int": 10, "size_t": 5, "long": 4, "unsigned": 3, "short": 1, "long long": 0.5, "unsigned char": 0.3}
KINDS = {"flat": 12, "rows": 2.5, "fixed": 1.5, "global": 1.2, "table": 0.5, "points": 0.9}
STRUCTS = {"struct P": ("double", 2), "struct Q": ("float", 3), "struct V": ("double", 0)}
MATRICES = {"double": ("struct M", "int"), "float": ("struct N", "size_t"), "int": ("struct O", "unsigned")}
FIXED = 20  # the size of inner dimensions and of local arrays


class Loop:
    """An open loop: its counter as an index, a least value of it, the size that bounds it, the lines that close it."""

    def __init__(self, use, low=0, size=None, signed=True, close=("}",), continues=True):
        self.use, self.low, self.size, self.signed, self.continues = use, low, size, signed, continues
        self.close = close


class Array:
    """An array, a matrix behind a pointer, or the keys of a gather. `declared`: the type that a pointer points to."""

    def __init__(self, name, element, kind, declared=None):
        self.name, self.element, self.kind, self.declared = name, element, kind, declared or element
        self.written = self.restrict = self.is_plain = False
        self.slot = None

    @property
    def pool(self):
        """The name of the pool of its elements."""
        return "int" if self.declared == "unsigned" else self.declared.replace(" ", "_")


class Function:
    """A random function, and the code of the driver that calls it."""

    def __init__(self, seed, number):
        self.number, self.name, self.random = number, f"f{number}", random.Random(f"{seed}/{number}")
        self.lines, self.depth, self.items, self.scalars, self.results, self.known = [], 1, 0, 0, [], []
        self.ignores_zeros = self.gathers = self.is_deep = self.calls_helper = False
        self.type, self.keys, self.matrix = self.pick(ELEMENTS), None, None
        size = self.pick(SIZES)
        names = "nml"[: self.pick({1: 3, 2: 5, 3: 3})]
        self.sizes = [(name, size if self.chance(0.75) else self.pick(SIZES)) for name in names]
        kind = self.pick({"int": 3, "long": 1, "unsigned": 1, "size_t": 1})
        self.offset = ("off", kind) if self.chance(0.15) else None
        self.stride = ("s", self.pick({"int": 2, "long": 1, "size_t": 1})) if self.chance(0.15) else None
        self.alpha = ("x", self.pick({self.type: 4} | {"double": 1, "int": 1})) if self.chance(0.35) else None
        self.arrays = self.make_arrays()
        self.result = self.pick({None: 5, "int": 1, "long": 1, "size_t": 0.5, "double": 0.7, self.type: 3})
        self.make_body()
        self.text, self.driver = self.make_text(), self.make_driver()

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        """One of a list, or of a dictionary with weights."""
        if isinstance(choices, dict):
            return self.random.choices(list(choices), list(choices.values()))[0]
        return self.random.choice(choices)

    def form(self, text, **values):
        """One of the forms in a text, which are apart by two blanks, each after its weight, with values in braces."""
        forms = [form.split(" ", 1) for form in re.split(r"\s{2,}", text.strip())]
        return self.random.choices([form for _, form in forms], [float(w) for w, _ in forms])[0].format(**values)

    def size(self):
        return self.pick(self.sizes)[0]

    def emit(self, *lines):
        self.lines.extend("  " * self.depth + line for line in lines)

    def make_arrays(self):
        arrays, slots = [], {}
        mode = self.pick({"none": 5, "all": 4, "some": 2})
        for position in range(self.pick({1: 2, 2: 5, 3: 5, 4: 1.5})):
            element, kind = self.type if self.chance(0.8) else self.pick(ELEMENTS), self.pick(KINDS)
            kind = "flat" if kind == "rows" and len(self.sizes) < 2 else kind
            name = f"G{self.number}_{position}" if kind in ("global", "table") else "abcd"[position]
            struct = self.pick(list(STRUCTS)) if kind == "points" else None
            arrays.append(Array(name, STRUCTS[struct][0] if struct else element, kind, struct))
        if self.chance(0.12):
            self.keys, self.gathers = Array("key", self.pick(["int", "int", "unsigned", "short", "long"]), "keys"), True
            arrays.append(self.keys)
        if self.chance(0.12):
            self.matrix = Array("A", self.pick(list(MATRICES)), "matrix")
            arrays.append(self.matrix)
        for array in arrays:
            array.restrict = mode == "all" or mode == "some" and self.chance(0.5)
            array.is_plain = self.chance(0.4)
            if array.kind not in ("global", "table"):
                slots[array.pool] = slots.get(array.pool, -1) + 1
                array.slot = slots[array.pool]
        return arrays

    def parameters(self):
        """The parameters, declared."""
        numbers = [*self.sizes, *filter(None, [self.offset, self.stride, self.alpha])]
        parts = [f"{kind} {name}" for name, kind in numbers]
        for array in self.arrays:
            const = "" if array.written or array.is_plain and array.kind != "keys" else "const "
            restrict, element = "restrict" * array.restrict, const + array.element
            if array.kind in ("flat", "points", "keys"):
                parts.append(f"{const}{array.declared} *{restrict} {array.name}".replace("* ", "*"))
            elif array.kind == "rows":
                first = self.sizes[0][0] if array.is_plain else ""
                parts.append(f"{element} {array.name}[{f'{restrict} {first}'.strip()}][{self.sizes[1][0]}]")
            elif array.kind == "fixed":
                parts.append(f"{element} {array.name}[{restrict}][{FIXED}]")
            elif array.kind == "matrix":
                parts.append(f"{MATRICES[array.element][0]} *{restrict} A".replace("* ", "*"))
        return ", ".join(parts)

    # Expressions.

    def constant(self, element):
        if element in FLOATS:
            return self.pick(["0.5", "2.0", "1.5f", "0.25", "3", "-1.5", "0.1", "0.1f", "1.0", "0.0f", "0.0"])
        return self.pick(["1", "2", "3", "5", "7", "4", "-1", "-3", "0", "2u", "1L"])

    def index(self, loops, simple=False):
        """An index of a dimension; of one dimension for all loops."""
        if not loops:
            return self.form("1 0  1 1  1 2  1 3  1 {n} / 2", n=self.sizes[0][0])
        i, c = loops[0].use, self.pick([1, 1, 2, 3])
        if len(loops) == 1:
            forms = "30 {i}  " if simple else "14 {i}  "
            forms += "2 {i} + {c}  2 {n} - 1 - {i}  0.7 2 * {i}  0.7 {i} * 2 + 1  0.2 {i} / 2"
            forms += "  0.3 (int){i}  0.2 {i} % 3"
            forms += "  2 {i} - {c}" * (loops[0].signed or loops[0].low >= c)
            forms += "  4 {i} + off" * bool(self.offset) + "  4 {i} * s" * bool(self.stride)
            return self.form(forms, i=i, c=c, n=loops[0].size or self.size())
        j = loops[1].use
        if len(loops) > 2:
            self.is_deep = True
            m, n = [loop.size or self.size() for loop in loops[1:3]]
            forms = "{w} ({i} * {m} + {j}) * {n} + {k}  3 {i} * {m} * {n} + {j} * {n} + {k}  1 {i} * {m} + {j} + {k}"
            forms += "  1 ({k} * {m} + {j}) * {m} + {i}  1 ({i} + {j}) * {n} + {k}"
            return self.form(forms.replace("{w}", "30" if simple else "6"), i=i, j=j, k=loops[2].use, m=m, n=n)
        m = loops[1].size if loops[1].size and self.chance(0.8) else "s" if self.stride else None
        m = m or self.pick([self.size(), self.size(), str(FIXED), "8"])
        forms = "{w} {i} * {m} + {j}  2 (size_t){i} * {m} + {j}  1 {m} * {i} + {j}  1 ({i} + 1) * {m} + {j}"
        forms += "  1 {i} * {m} + {j} + 1  1.5 {i} + {j}  0.5 {i} + 2 * {j}  3 {j} * {n} + {i}  0.7 {i} * {m} + {i}"
        forms += "  1.5 {i} * {m} + ({m} - 1 - {j})  0.7 {i} * ({i} + 1) / 2 + {j}  0.7 {i} * ({m} + 1) + {j}"
        if loops[0].signed and loops[1].signed:
            forms += "  1 {i} - {j}  1 {i} * {m} + {j} - 1  1 ({i} - 1) * {m} + {j}"
        forms += "  3 {i} * {m} + {j} + off" * bool(self.offset)
        return self.form(forms.replace("{w}", "30" if simple else "12"), i=i, j=j, m=m, n=loops[0].size or m)

    def access(self, array, loops, simple=False, write=False):
        """An element of an array at indices of some of the loops."""
        array.written |= write
        loops = list(loops)
        if array.kind in ("rows", "fixed", "table"):
            if len(loops) > 2 and not simple:
                del loops[self.random.randrange(len(loops))]
            pair = loops[-2:]
            if len(pair) > 1 and self.chance(0.15):
                pair.reverse()
            first, second = (pair[:1], pair[1:]) if len(pair) > 1 or self.chance(0.4) else ([], pair)
            return f"{array.name}[{self.index(first, simple)}][{self.index(second, simple)}]"
        if array.kind == "keys":
            return f"key[{self.index(loops[-1:], True)}]"
        if self.keys and loops and array.kind == "flat" and self.chance(0.25):
            return f"{array.name}[{self.access(self.keys, loops)}]"
        if len(loops) > 1 and not simple and self.chance(0.45):
            del loops[self.random.randrange(len(loops))]
        if array.kind == "matrix":
            many = len(loops) > 1
            return f"A->data[{f'{loops[-2].use} * A->m + {loops[-1].use}' if many else self.index(loops, True)}]"
        place = f"{array.name}[{self.index(loops, simple)}]"
        if array.kind == "points":
            fields = {"struct P": "xy", "struct Q": "xyz", "struct V": "v" if write else "vvkl"}
            place += "." + self.pick(fields[array.declared])
        return place

    def read(self, element, loops, avoid=None):
        candidates = [array for array in self.arrays if array is not avoid and array.kind != "keys"] or self.arrays
        same = [array for array in candidates if array.element == element]
        array = self.pick(same if same and self.chance(0.85) else candidates)
        is_cast = (element in FLOATS) != (array.element in FLOATS) or self.chance(0.03)
        return f"({element})" * is_cast + self.access(array, loops, self.chance(0.75))

    def expression(self, element, loops, depth, avoid=None):
        """A number of a type, without side effects."""
        is_real = element in FLOATS
        if depth <= 0 or self.chance(0.12):
            leaf = self.form("10 read  1.5 constant" + "  0.8 counter" * bool(loops) + "  2 alpha" * bool(self.alpha)
                             + "  1.5 known" * bool(self.known))
            if leaf == "read":
                return self.read(element, loops, avoid)
            if leaf == "constant":
                return self.constant(element)
            if leaf == "counter":
                return f"({element}){self.pick(loops).use}"
            name, kind = self.alpha if leaf == "alpha" else self.pick(self.known)
            return f"({element}){name}" if (kind in FLOATS) != is_real else name
        a, b = (self.expression(element, loops, depth - 1, avoid) for _ in range(2))
        forms = "8 {a} + {b}  4 {a} - {b}  6 ({a}) * ({b})  1 ({test} ? {a} : {b})  0.5 -({a})"
        forms += "  0.7 (({a}) > ({b}) ? ({a}) : ({b}))" + "  3 {h}({a}, {b})" * self.calls_helper
        if is_real:
            forms += "  1 ({a}) / 3  0.5 ({a}) / 1.5f  0.7 ({a}) / (({b}) * ({b}) + 1)  1 fabs{f}({a})"
            forms += "  0.8 sqrt{f}(fabs{f}({a}))  0.7 fmax{f}({a}, {b})  0.3 fmin{f}({a}, {b})  0.2 (float)({a})"
            forms += "  0.15 copysign{f}({a}, {b})  0.3 ({b} != 0 ? ({a}) / ({b}) : 0)  0.2 (double)({a})"
            forms += "  0.2 floor{f}({a})"
        else:
            forms += "  0.8 (({a}) & ({b}))  0.8 (({a}) | ({b}))  0.8 (({a}) ^ ({b}))  0.5 (({a}) >> {c})  0.3 ~({a})"
            forms += "  0.5 ((({a}) & 15) << {c})  0.4 ({a}) / {d}  0.4 ({a}) % {d}  0.3 abs((int)({a}))"
            forms += "  0.2 (({b}) != 0 ? ({a}) / (({b}) | 1) : 1)  0.2 (({a}) < ({b}))  0.2 (({a}) == ({b}))"
            forms += "  0.8 ({cast})({a})  0.3 (int)((unsigned)({a}) * 2654435761u >> 20)  0.2 ({a}) / -3"
        suffix = "f" if element == "float" and self.chance(0.8) else ""
        form = self.form(
            forms, a=a, b=b, test=self.condition(loops, avoid), f=suffix, c=self.pick([1, 2, 3]),
            d=self.pick([2, 3, 7]), h=f"{self.name}_helper",
            cast=self.pick(["short", "unsigned char", "unsigned", "int", "long"]))
        self.ignores_zeros |= "fmax" in form or "fmin" in form
        return form

    def condition(self, loops, avoid=None):
        forms = "5 {a} {op} {c}  2 {a} {op} {b}" + "  1 x > 0" * bool(self.alpha)
        forms += "  2 {i} % {d} == 0  1 {i} != {d}  1 {i} > 2  0.7 {i} < {n}" * bool(loops)
        forms += "  1 {i} == {j}  1 {i} <= {j}  0.5 {i} != {j}" * (len(loops) > 1)
        return self.form(
            forms, a=self.read(self.type, loops, avoid), b=self.read(self.type, loops, avoid), n=self.size(),
            c=self.constant(self.type), op=self.pick(["<", ">", "<=", ">=", "!=", "=="]), d=self.pick([2, 3]),
            i=loops[0].use if loops else "", j=loops[-1].use if loops else "")

    # Loops.

    def open(self, outer=(), natural=0.72, bound=None):
        """Opens a loop."""
        v = "ijkh"[len(outer)] + (str(self.items) if self.items else "")
        own = self.sizes[min(len(outer), len(self.sizes) - 1)] if self.chance(0.8) else self.pick(self.sizes)
        n, kind = bound or own
        kind = kind if self.chance(0.45) else self.pick(COUNTERS)
        signed, use, low, known, step = kind in SIGNED, v, 0, n, self.pick([f"{v}++", f"++{v}"])
        start, test = "0", f"{v} < {n}"
        around, c = self.pick(outer).use if outer else "0", self.pick([1, 1, 2])
        if not self.chance(natural):
            if self.chance(0.25):
                known = known if self.chance(0.5) else None
                forms = "2 {n};{v} > {low};{v}--;({v} - 1)"
                if signed:
                    forms += "  4 {n} - {c};{v} >= {low};{v}--;{v}  1 {n} - 1;{v} >= {low};{v} -= {c};{v}"
                    forms += "  1 9;{v} >= {low};{v}--;{v}  1 {n} - 1;{v} != -1;{v}--;{v}"
                    forms += "  0.5 {n};{v} > {low};{v} += -1;{v}"
                else:
                    forms += "  1 {n} - 1;{v} < {n};{v}--;{v}  1.5 {n};{v}-- > {low};;{v}"
                form = self.form(forms, n=n, v=v, c=c, low=self.pick([0, 0, 0, 1, 2]))
                start, test, step, use = form.split(";")
            else:
                forms = "6 0  3 1  1.5 2  0.5 {o} / 2" + "  0.5 -1  0.3 -2" * signed + "  2 off" * bool(self.offset)
                forms += "  3 {i}  1.5 {i} + 1  0.7 {i} * {i}" * bool(outer)
                start = self.form(forms, o=self.size(), i=around)
                low = int(start) if start.lstrip("-").isdigit() else 0
                forms = "4 {n}  4 {n} - 1  1 {n} - 2  1.5 {n} + 1  2 {k}  1.2 ({n} < {o} ? {n} : {o})  0.7 {n} / 2"
                forms += "  3 {i}  1.5 {i} + 1  1.5 {n} - {i}" * bool(outer)
                limit = self.form(forms, n=n, o=self.size(), i=around, k=self.pick([4, 8, 13, 16]))
                by = self.pick({1: 8, 2: 2, 3: 1})
                known = n if limit == n else None
                forms = "10 {v} < {e}  3 {v} <= {e}  0.5 {e} > {v}" + "  2 {v} != {e}" * (by == 1 and low >= 0)
                test, step = self.form(forms, v=v, e=limit), f"{v} += {by}" if by > 1 else step
        style = self.form("10 for  1.5 outside" + "  0.8 while  0.5 do" * bool(step))
        close = [f"}} while ({test});" if style == "do" else "}"]
        if style != "for":
            self.emit(*(["{"] if outer else []), f"{kind} {v} = {start};")
            close += ["}"] * bool(outer)
            self.results += [] if outer else [(v, kind)]
        if style in ("while", "do"):
            close.insert(0, f"  {step};")
        self.emit({"for": f"for ({kind} {v} = {start}; {test}; {step}) {{", "outside": f"for (; {test}; {step}) {{",
                   "while": f"while ({test}) {{", "do": "do {"}[style])
        self.depth += 1
        return Loop(use, low, known, signed, close, style in ("for", "outside"))

    def nest(self, depth, natural=0.72):
        loops = []
        while len(loops) < depth:
            loops.append(self.open(loops, natural))
        return loops

    def close(self, loops, depth=0):
        """Closes loops until this number is open."""
        while len(loops) > depth:
            self.depth -= 1
            self.emit(*loops.pop().close)

    # Statements.

    def target(self, loops, simple=True):
        candidates = [array for array in self.arrays if array.kind != "keys"]
        if len(loops) > 1 and self.chance(0.5):
            candidates = [a for a in candidates if a.kind in ("rows", "fixed", "table", "matrix")] or candidates
        array = self.pick([array for array in candidates if array.element == self.type] or candidates)
        return array, self.access(array, loops, simple and self.chance(0.85), True)

    def combine(self, place, element, loops, avoid=None):
        """A statement that combines a place with an expression."""
        forms = "10 {p} += {e};  2 {p} -= {e};  3 {p} = {p} + {e};  1 {p} = {e} + {p};  1 {p} += {t};"
        forms += "  1.5 {p} = ({e}) > {p} ? ({e}) : {p};  1 {p} = {p} > ({e}) ? {p} : ({e});"
        forms += "  1.5 if (({e}) < {p}) {p} = {e};  1.2 if ({t}) {p} += {e};"
        if element in FLOATS:
            forms += "  1.2 {p} *= {e};  1 {p} = fmax({p}, {e});  0.6 {p} = {p} * 0.5 + {e};"
        else:
            forms += "  1.3 {p} &= {e};  1.3 {p} |= {e};  1.3 {p} ^= {e};  0.2 {p} *= {e};"
            forms += "  0.4 {p} = ({p} & 255) << 1 ^ ({e});"
        e = self.expression(element, loops, self.pick([1, 1, 2]), avoid)
        form = self.form(forms, p=place, e=e, t=self.condition(loops, avoid))
        self.ignores_zeros |= "fmax" in form
        return form

    def scalar(self, start=None):
        """Declares a local scalar; returns its name and type."""
        element, name = self.type if self.chance(0.85) else self.pick(ELEMENTS), f"t{self.scalars}"
        self.scalars += 1
        self.emit(f"{element} {name} = {start or self.pick({'0': 6, '1': 2, self.constant(element): 1})};")
        return name, element

    def statement(self, loops):
        """A statement in a nest."""
        mode = self.form("14 map  4 update  1.2 scan  1.2 guarded  1.2 any  0.5 swap")
        array, p = self.target(loops, mode != "any")
        avoid = array if mode in ("map", "guarded", "scan") and self.chance(0.85) else None
        e = self.expression(self.type, loops, self.pick([1, 2, 2, 3]), avoid)
        if mode == "update":
            self.emit(self.combine(p, array.element, loops, avoid))
        elif mode == "scan":
            self.emit(f"{p} = {self.access(array, loops)} {self.pick(['+', '+', '-', '*'])} {e};")
        elif mode == "guarded":
            self.emit(f"if ({self.condition(loops, avoid)}) {p} = {e};")
            if self.chance(0.4):
                self.emit(f"else {p} = {self.expression(self.type, loops, 1, avoid)};")
        elif mode == "swap":
            other = self.access(array, loops, True)
            self.emit("{", f"  {array.element} swapped = {p};", f"  {p} = {other};", f"  {other} = swapped;", "}")
        else:
            self.emit(f"{p} = {e};")

    # Items of the body.

    def item_map(self):
        loops = self.nest(self.pick({1: 6, 2: 6, 3: 1.5}))
        if loops[-1].continues and self.chance(0.06):
            self.emit(f"if ({self.condition(loops)}) continue;")
        if self.chance(0.04):
            leave = f"return ({self.result}){loops[-1].use};" if self.result and self.chance(0.4) else "break;"
            self.emit(f"if ({self.condition(loops)}) {leave}")
        for _ in range(self.pick({1: 6, 2: 2.5, 3: 0.7})):
            self.statement(loops)
        self.close(loops, len(loops) - 1)
        if loops and self.chance(0.15):
            self.statement(loops)
        self.close(loops)

    def item_reduce(self):
        """A sum or the like of all points or of each row, in a scalar or in an element."""
        depth = self.pick({1: 5, 2: 6, 3: 3})
        style = self.form("4 scalar  6 row  5 element" if depth > 1 else "3 scalar  1 element")
        kept = 0 if style == "scalar" else depth - 1 if self.chance(0.8) else self.random.randint(0, depth - 1)
        scalar = self.scalar() if style == "scalar" else None
        loops = self.nest(kept)
        if style == "row":
            scalar = self.scalar()
        array, p = self.target(loops) if style != "scalar" else (None, None)
        if style == "element" and self.chance(0.6):
            self.emit(f"{p} = {self.pick(['0', '0', '1', self.constant(self.type)])};")
        while len(loops) < depth:
            loops.append(self.open(loops))
        if loops[-1].continues and self.chance(0.07):
            self.emit(f"if ({self.condition(loops)}) {self.pick(['continue', 'continue', 'break'])};")
        avoid = array if style == "element" and self.chance(0.9) else None
        self.emit(self.combine(*(scalar or (p, array.element)), loops, avoid))
        if scalar and self.chance(0.1):
            self.emit(f"{self.target(loops)[1]} = ({self.type}){scalar[0]};")
        self.close(loops, kept)
        if style == "row":
            self.emit(f"{p} {self.pick(['=', '=', '+=', '-='])} {scalar[0]}{self.pick(['', '', ' * 2', ' + 1'])};")
        self.close(loops)
        if style == "scalar":
            self.results.append(scalar)
            self.known.append(scalar)
            if self.result is None or self.chance(0.3):
                self.emit(f"{self.target([])[1]} = ({self.type}){scalar[0]};")

    def item_line(self):
        """Sums of the elements before, recurrences, reversed arrays, and pointers that advance."""
        flats = [array for array in self.arrays if array.kind in ("flat", "global")]
        if not flats:
            return self.item_map()
        one, two = self.pick(flats), self.pick(flats)
        one.written, i, c = True, f"i{self.items}", self.pick([1, 1, 1, 2, 3])
        loop = Loop(i, 0, "n")
        values = {"a": one.name, "b": two.name, "t": one.element, "u": two.element, "c": c, "i": i, "k": self.items}
        values |= {"op": self.pick(["+", "+", "-", "*" if one.element in FLOATS else "^"]), "z": self.sizes[0][1]}
        values["e"] = self.expression(one.element, [loop], 1, one if self.chance(0.8) else None)
        near = "1 {i} - 1  1 {i}  1 {i} + 1  1 {i} - 2  0.5 -{i}"
        values |= {"j": self.form(near, i=i), "h": self.form(near, i=i)}
        values["P"] = f"const {two.element} *p{self.items} = {two.name};"
        values["Q"] = f"{one.element} *q{self.items} = {one.name}"
        form = self.form("""
            2 for (int {i} = {c}; {i} < (int)n; {i}++) {a}[{i}] = {a}[{i} - {c}] {op} {e};
            1 for (int {i} = (int)n - 1 - {c}; {i} >= 0; {i}--) {a}[{i}] = {a}[{i} + {c}] {op} {e};
            1 for (int {i} = {c}; {i} < (int)n; {i}++) {a}[{i}] += {a}[{i} - {c}];
            2 {t} s{k} = 0;@for ({z} {i} = 0; {i} < n; {i}++) {{ s{k} += {e}; {a}[{i}] = s{k}; }}
            1 {t} s{k} = 0;@for ({z} {i} = 0; {i} < n; {i}++) {{ {a}[{i}] = s{k}; s{k} += {e}; }}
            1 for ({z} {i} = 0; {i} < n; {i}++) {a}[{i}] = ({t}){b}[n - 1 - {i}];
            1 for ({z} {i} = 0; {i} < n / 2; {i}++) {a}[{i}] = ({t})({b}[n - {i} - 1] + 1);
            1 for ({z} {i} = 0; {i} < n; {i}++) {a}[{i}] = ({t})({a}[{i}] + {b}[n - 1 - {i}]);
            1 {P}@{t} s{k} = 0;@for (int {i} = 0; {i} < (int)n; {i}++) s{k} += ({t})*p{k}++;@{a}[1] = s{k};
            1 {P}@{t} s{k} = 0;@while (p{k} < {b} + n) s{k} += ({t})*p{k}++;@{a}[1] = s{k};
            1 {P}@{Q};@for ({z} {i} = n; {i} > 0; {i}--) *q{k}++ = ({t})(*p{k}++ + 1);
            1 for ({t} *q{k} = {a}; q{k} != {a} + n; q{k}++) *q{k} = ({t})({b}[1] + 1);
            2 {P}@{Q} + n;@for (int {i} = 1; {i} < (int)n; {i}++) q{k}[{i} - 1] = ({t})(p{k}[{j}] + p{k}[{h}]);
            2 {P}@{Q} + n;@p{k} += {c};@for (int {i} = 1; {i} < (int)n; {i}++) q{k}[{i} - 3] = ({t})p{k}[{j}];
            1 {Q} + 3;@for (int {i} = 0; {i} < (int)n; {i}++) q{k}[-{i}] = ({t})({b}[{j}] + q{k}[{h}]);
        """, **values)
        self.emit(*form.split("@"))

    def item_find(self):
        """The largest element and where it is, the first or the last one of a kind, or their number."""
        array = self.pick([array for array in self.arrays if array.kind != "keys"])
        style = self.pick(["most", "first", "last", "count"])
        at, best, kind = f"at{self.items}", f"best{self.items}", self.pick(["int", "long", "size_t"])
        self.emit(f"{kind} {at} = {'-1' if style == 'last' and self.chance(0.5) else '0'};")
        if style == "most":
            start = self.access(array, []) if self.chance(0.4) else self.constant(array.element)
            self.emit(f"{array.element} {best} = {start};")
            self.results.append((best, array.element))
        loop = self.open(natural=0.75)
        p = self.access(array, [loop], True)
        test = f"{p} {self.pick(['==', '>', '<'])} {self.constant(array.element)}"
        if style == "most":
            test, set_best = f"{p} {self.pick(['>', '>=', '<'])} {best}", f"{best} = {p}; "
            self.emit(f"if ({test}) {{ {set_best}{at} = {loop.use}; }}")
        elif style == "count":
            self.emit(f"{at} += {test};" if self.chance(0.5) else f"if ({test}) {at}++;")
        else:
            self.emit(f"if ({test}) {{ {at} = {loop.use}; {'break; ' * (style == 'first')}}}")
        self.close([loop])
        self.results.append((at, kind))

    def item_local(self):
        """A local array."""
        t, i = f"local{self.items}", f"i{self.items}"
        e = self.expression(self.type, [Loop(i)], 1)
        self.emit(f"{self.type} {t}[{FIXED}];", f"for (int {i} = 0; {i} < {FIXED}; {i}++) {t}[{i}] = {e};")
        self.items += 1
        loop = self.open(natural=0.95)
        p = self.target([loop])[1]
        self.emit(self.form("1 {p} = {t}[{i}] + 1;  1 {p} += {t}[{i}];  1 {t}[{i}] += {p};", p=p, t=t, i=loop.use))
        self.close([loop])
        self.emit(f"{self.target([])[1]} = {t}[{self.pick([0, 3, FIXED - 1])}];")

    def item_matrix(self):
        """A matrix with its sizes and its elements behind a pointer, or a product of matrices in flat arrays."""
        flats = [array for array in self.arrays if array.kind == "flat" and array.element == self.type]
        if not self.matrix and (not flats or len(self.sizes) < 2):
            return self.item_map()
        if not self.matrix:
            c, a, b = self.pick(flats), self.pick(flats), self.pick(flats)
            loops = self.nest(self.pick([2, 3]), 0.9)
            i, j, k = [loop.use for loop in loops] + ["0"] * (3 - len(loops))
            c.written, self.is_deep, m, l = True, True, self.sizes[1][0], self.sizes[-1][0]
            forms = "3 {c}[{i} * {m} + {j}] {o} {a}[{i} * {l} + {k}] * {b}[{k} * {m} + {j}];"
            forms += "  1 {c}[{i} * {m} + {j}] {o} {a}[{i} * {l} + {k}] * {b}[{j} * {l} + {k}];"
            forms = forms if len(loops) == 3 else "1 {c}[{i}] {o} {a}[{i} * {m} + {j}] * {b}[{j}];"
            o = self.pick(["+=", "+=", "+=", "-="])
            self.emit(self.form(forms, a=a.name, b=b.name, c=c.name, i=i, j=j, k=k, m=m, l=l, o=o))
            return self.close(loops)
        kind, style = MATRICES[self.matrix.element][1], self.form("1 map  1 row")
        loops = [self.open([], 0.9, ("A->n", kind))]
        scalar = self.scalar("0") if style == "row" else None
        loops.append(self.open(loops, 0.9, ("A->m", kind)))
        p = self.form("5 A->data[{i} * A->m + {j}]  1 A->data[{j} * A->n + {i}]", i=loops[0].use, j=loops[1].use)
        e = self.expression(self.matrix.element, loops, 1, self.matrix if self.chance(0.8) else None)
        self.emit(f"{scalar[0]} += ({scalar[1]})({p});" if scalar else f"{p} {self.pick(['=', '=', '+='])} {e};")
        self.close(loops, 1)
        if scalar:
            self.emit(f"{self.target(loops)[1]} = {scalar[0]};")
        self.close(loops)

    # The function and its driver.

    def make_body(self):
        self.calls_helper = self.chance(0.12)
        if self.chance(0.04):
            self.emit(f"if (n == {self.pick([0, 1, 5])}) return{' 7' if self.result else ''};")
        items = {"map": 9, "reduce": 9, "line": 3, "find": 1.2, "local": 0.8, "matrix": 12 if self.matrix else 1.5}
        for _ in range(self.pick({1: 5, 2: 5, 3: 2})):
            getattr(self, f"item_{self.pick(items)}")()
            self.items += 1
        chosen = self.random.sample(self.results, min(len(self.results), self.pick([1, 1, 2])))
        if self.result and chosen:
            self.emit(f"return {' + '.join(f'({self.result}){name}' for name, _ in chosen)};")
        elif self.result:
            self.emit(f"return ({self.result}){self.access(self.pick(self.arrays), [])};")
        elif chosen and self.chance(0.5):
            self.emit(f"{self.target([])[1]} = ({self.type}){chosen[0][0]};")

    def make_text(self):
        """The C code."""
        shapes = {"global": "[8192]", "table": f"[{FIXED}][{FIXED + 3}]"}
        text = "".join(f"{a.element} {a.name}{shapes[a.kind]};\n" for a in self.arrays if a.kind in shapes)
        if self.calls_helper:
            e, t = self.pick(["a + b * 2", "a > b ? a : b", "a - b", "a < 0 ? b : a"]), self.type
            text += f"static {t} {self.name}_helper({t} a, {t} b) {{ return {e}; }}\n"
        lines = "\n".join(self.lines)
        return f"{text}{self.result or 'void'} {self.name}({self.parameters()}) {{\n{lines}\n}}\n"

    def calls(self):
        """For each call: the sizes, the array that takes the place of another one, and the kind of contents."""
        small = {0: 1, 1: 2, 2: 3, 5: 5, 9: 2} if self.is_deep else {0: 1, 1: 2, 2: 3, 5: 5, 17: 4}
        large, larger = max(small), 9 if self.is_deep else 67
        rows = [[size] * 3 for size in (large, 5, 0, 1)] + [[5, large, 2], [2, 5, larger], [larger, 40 % larger, 5]]
        rows += [[self.pick(small) for _ in range(3)] for _ in range(9)]
        if all(kind in SIGNED for _, kind in self.sizes) and self.chance(0.3):
            rows[7] = [-1, 2, -3]
        if any(array.kind == "rows" for array in self.arrays):
            rows = [[max(size, 1) for size in row] for row in rows]
        # With `restrict`, arrays may be the same if they are only read.
        placed = [array for array in self.arrays if array.slot is not None]
        is_restricted = any(array.restrict for array in placed)

        def may_share(one, two):
            is_apart = (one.restrict or two.restrict) and (one.written or two.written)
            is_apart |= "matrix" in (one.kind, two.kind) and is_restricted
            return one is not two and one.pool == two.pool and not is_apart
        pairs = [(one, two) for one in placed for two in placed if may_share(one, two)]
        inside = [(one, two) for one in self.arrays for two in placed if one.kind == "global" and not is_restricted
                  and two.kind == "flat" and one.element == two.element]
        for position, row in enumerate(rows):
            moved = None
            if inside and position in (8, 15):
                moved = (*self.pick(inside), self.pick([0, 1, 3, 30]))
            elif pairs and position >= 7:
                distance = self.pick([1, -1, 2, 3, -2, 5, -5, 8, row[0], row[0] * row[1], -row[1]])
                moved = (*self.pick(pairs), distance if position > 8 else 0)
            yield row, moved, int(position in (4, 10)) + 2 * self.gathers

    def make_driver(self):
        """The code of the driver that calls the function."""
        slot, base = (12288, 2048) if self.is_deep else (8192, 1024)
        counts, extern, regions, calls = {}, "", [], []
        for array in self.arrays:
            if array.slot is not None:
                counts[array.pool] = (array.slot + 1) * slot, array.declared
            else:
                shape, count = ("[8192]", 8192) if array.kind == "global" else (f"[][{FIXED + 3}]", FIXED * (FIXED + 3))
                extern += f"extern {array.element} {array.name}{shape};\n"
                regions.append((array.element.replace(" ", "_"), array.name, count))
        for pool, (count, declared) in counts.items():
            element, fields = STRUCTS.get(declared, (None, 0))
            regions.append((element if fields else pool, f"pool_{pool}", count * (fields or 1)))
        for number, (row, moved, mode) in enumerate(self.calls()):
            arguments = [str(size) for size, _ in zip(row, self.sizes)]
            arguments += [str(self.pick([0, 1, 2, 3, -1, -2]))] * bool(self.offset)
            arguments += [str(self.pick([1, 2, 3, 0, 5, -1]))] * bool(self.stride)
            arguments += [("1.3" if self.alpha[1] in FLOATS else self.pick(["2", "-1"]))] if self.alpha else []
            before = after = ""
            for array in self.arrays:
                if array.slot is None:
                    continue
                at, distance = (moved[0], moved[2]) if moved and moved[1] is array else (array, 0)
                place = f"{at.name} + {distance}"
                if at.slot is not None:
                    place = f"pool_{at.pool} + {at.slot * slot + base + distance}"
                arguments.append(f"(void *)({place})" if array.kind != "matrix" else "&A")
                if array.kind == "matrix":
                    values = f"{{{max(row[0], 0)}, {max(row[1], 0)}, (void *)({place})}}"
                    before = f"{MATRICES[array.element][0]} A = {values}; "
                    after = "mix_whole((long long)A.n); mix_whole((long long)A.m); "
            call = f"{self.name}({', '.join(arguments)})"
            if self.result:
                call = f"mix_{'number' if self.result in FLOATS else 'whole'}({call})"
            fills = "".join(f"fill_{name}({place}, {count}, {mode}); " for name, place, count in regions)
            mixes = "".join(f"mix_{name}({place}, {count}); " for name, place, count in regions)
            calls.append(f"  case {number}: {{ {before}{fills}{call}; {after}{mixes}break; }}\n")
        self.count = len(calls)
        start = f"  ignores_sign_of_zero = {int(self.ignores_zeros)};\n  switch (c) {{\n"
        declared = f"{extern}{self.result or 'void'} {self.name}({self.parameters()});\n"
        return f"{declared}static void run_{self.name}(int c) {{\n{start}{''.join(calls)}  }}\n}}\n"
