#!/usr/bin/env python3
"""Fits the polynomials of the compiler's math functions, and prints their coefficients and errors.

    scripts/math/minimax.py NAME ...                         fits of scripts/math/minimax_fits.py, by name or prefix
    scripts/math/minimax.py --all                            all of them
    scripts/math/minimax.py --list                           their names
    scripts/math/minimax.py 'sin(x)/x' 0 0.8 0,2,4,6         a custom fit: function of x, interval, exponents
        --fixed 0=1        fixed coefficients, by exponent: 0=1,2=-0.5
        --weight 'x/sin(x)'  the error is (polynomial - function) times this; default: relative to the function; 1: absolute
        --type f64         the type to which coefficients are rounded (f32, f64, or exact); default: f32

Requires mpmath; gmpy2 makes it faster: python3 -m venv VENV && VENV/bin/pip install mpmath gmpy2.

The method is Remez's exchange algorithm on a fixed grid of Chebyshev points: E. Y. Remez, Sur la détermination des polynômes
d'approximation de degré donnée, 1934; J.-M. Muller, Elementary Functions, chapter 3. Coefficients are rounded one after the other,
from the lowest exponent on. After each, the remaining ones are fitted again to the residual. The printed error is that of the rounded
coefficients, without the rounding errors of an evaluation, also as a power of two: it should be below 2^-27 for f32, and 2^-57 for f64.
"""

import argparse
import struct
import sys

import mpmath
from mpmath import mp, mpf

POINTS = 40  # grid points per coefficient
NAMES = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")}
# The precision of a type in bits, and the number of decimal digits that identifies each value.
DIGITS = {"f32": (24, 9), "f64": (53, 17)}


def rounded(value, kind):
    """The nearest value of a type."""
    if kind == "exact":
        return value
    with mpmath.workprec(DIGITS[kind][0]):
        return +value


def decimal(value, kind):
    """The shortest decimal that reads back as the value."""
    if kind == "f64":
        return repr(float(value))
    if kind == "exact":
        return mpmath.nstr(value, 40)
    for digits in range(1, DIGITS[kind][1] + 1):
        text = f"{float(value):.{digits}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == float(value):
            return repr(float(text))
    return repr(float(value))


def function(text):
    """The function of x given by an expression."""
    code = compile(text, text, "eval")
    return lambda x: mpf(eval(code, NAMES, {"x": x}))


def grid(low, high, size):
    """The Chebyshev points of an interval, including its ends. 0 is replaced by 1e-15, because a formula such as
    sin(x)/x is undefined there."""
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle - half * mpmath.cos(mpmath.pi * i / (size - 1)) for i in range(size)]
    return [x if abs(x) > mpf(10) ** -15 else mpf(10) ** -15 for x in points]


def remez(points, values, weights, exponents):
    """The coefficients for these exponents with the smallest maximum weighted error on the points, and that error."""
    count = len(exponents)
    rows = [[w * x**e for e in exponents] for x, w in zip(points, weights)]
    target = [w * v for w, v in zip(weights, values)]
    last = len(points) - 1
    reference = [round(last * i / count) for i in range(count + 1)]
    best, smallest = [], mpmath.inf
    for _ in range(60):
        matrix = mpmath.matrix(count + 1, count + 1)
        right = mpmath.matrix(count + 1, 1)
        for i, at in enumerate(reference):
            for j in range(count):
                matrix[i, j] = rows[at][j]
            matrix[i, count] = (-1) ** i
            right[i] = target[at]
        solution = mpmath.lu_solve(matrix, right)
        coefficients, level = list(solution[:count]), abs(solution[count])
        errors = [mpmath.fdot(row, coefficients) - t for row, t in zip(rows, target)]
        largest = max(abs(error) for error in errors)
        if largest < smallest:
            best, smallest = coefficients, largest
        if largest <= level * (1 + mpf(10) ** -6):
            break
        reference = exchanged(errors, count + 1)
        if not reference:
            break
    return best, smallest


def exchanged(errors, count):
    """The indices of the largest errors of alternating signs: the largest of each run of one sign, `count` of them.
    Empty if there are fewer, as when powers from x^2 on are fitted on both sides of 0."""
    places = []
    for i, error in enumerate(errors):
        if places and (error > 0) == (errors[places[-1]] > 0):
            if abs(error) > abs(errors[places[-1]]):
                places[-1] = i
        else:
            places.append(i)
    while len(places) > count:
        if len(places) == count + 1:
            places.pop(0 if abs(errors[places[0]]) < abs(errors[places[-1]]) else -1)
        else:
            smallest = min(range(len(places) - 1), key=lambda i: max(abs(errors[places[i]]), abs(errors[places[i + 1]])))
            del places[smallest : smallest + 2]
    return places if len(places) == count else []


def fit(text, low, high, exponents, fixed=None, weight=None, kind="f32"):
    """The coefficients by exponent, and the maximum error of the polynomial."""
    known = {e: rounded(mpf(eval(str(c), NAMES)), kind) for e, c in (fixed or {}).items()}
    f = function(text)
    low, high = (mpf(eval(str(end), NAMES)) for end in (low, high))
    points = grid(low, high, POINTS * (len(exponents) + 2))
    exact = [f(x) for x in points]
    scale = function(weight) if weight else None
    weights = [scale(x) for x in points] if scale else [1 / v for v in exact]

    def missed(coefficients):
        return [v - sum(c * x**e for e, c in coefficients.items()) for x, v in zip(points, exact)]

    def largest(coefficients):
        return max(abs(w * m) for w, m in zip(weights, missed(coefficients)))

    left = [e for e in exponents if e not in known]
    others = {}
    while left:
        again, _ = remez(points, missed(known), weights, left)
        again = dict(zip(left, again))
        if not others or largest(known | again) < largest(known | others):
            others = again
        known[left[0]] = rounded(others.pop(left[0]), kind)
        left = left[1:]
    return known, largest(known)


def report(name, text, low, high, exponents, fixed=None, weight=None, kind="f32"):
    """Prints a fit."""
    known, error = fit(text, low, high, exponents, fixed, weight, kind)
    against = f"times {weight}" if weight else "relative"
    print(f"{name}: {text} on [{low}, {high}], {kind}, error {against} {mpmath.nstr(error, 3)} = 2^{mpmath.nstr(mpmath.log(error, 2), 4)}")
    for exponent, coefficient in sorted(known.items()):
        print(f"    x^{exponent:<3} {decimal(coefficient, kind)}")


def exponents_of(text):
    """Parses exponents: '0,2,4' or '0..8' or '0..8:2'."""
    if ".." not in text:
        return [int(e) for e in text.split(",")]
    first, rest = text.split("..")
    last, _, step = rest.partition(":")
    return list(range(int(first), int(last) + 1, int(step or 1)))


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--fixed", default="")
    parser.add_argument("--weight")
    parser.add_argument("--type", default="f32", choices=["f32", "f64", "exact"])
    options = parser.parse_args()
    mp.dps = 60
    if len(options.what) == 4 and not options.what[1].isidentifier():
        text, low, high, exponents = options.what
        fixed = {int(e): c for e, _, c in (part.partition("=") for part in options.fixed.split(",") if part)}
        report("fit", text, low, high, exponents_of(exponents), fixed, options.weight, options.type)
        return
    from minimax_fits import FITS

    for name in options.what:
        if not any(known.startswith(name) for known in FITS):
            sys.exit(f"minimax.py: error: no fit is named '{name}'; they are {', '.join(FITS)}")
    for name, given in FITS.items():
        if options.list:
            print(name)
        elif options.all or any(name.startswith(wanted) for wanted in options.what):
            report(name, **given)


if __name__ == "__main__":
    main()
