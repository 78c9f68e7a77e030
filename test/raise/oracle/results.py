"""Results and their tolerances."""

import dataclasses
import json

import numpy as np

# For each type, that of NumPy in which its numbers are written.
WRITTEN = {"f16": "f2", "bf16": "f4", "f32": "f4", "f64": "f8"}
# The types of results of formulas: they compute in double precision.
TYPES = {"float64": "f32", "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}


@dataclasses.dataclass
class Result:
    """An array with the type that the program gives it. A float may differ by `tolerance * max(|value|, magnitude)`."""

    values: np.ndarray
    type: str
    tolerance: float = 0.0
    magnitude: float = 0.0

    @staticmethod
    def of(value):
        """The result of a formula: floats are exact f32 unless it says otherwise."""
        if isinstance(value, Result):
            return value
        value = np.asarray(value)
        return Result(value, TYPES[value.dtype.name])

    def written(self):
        """As text: a line for what describes it, and a line for each row."""
        values = self.values
        described = {"type": self.type, "shape": list(values.shape)}
        if self.type in WRITTEN:
            values = values.astype(WRITTEN[self.type])
            if not self.tolerance and not np.array_equal(values, self.values, equal_nan=True):
                raise ValueError(f"a tolerance is required: the result is not exact in {self.type}")
            if self.tolerance:
                described["tolerance"] = self.tolerance
            if self.magnitude:
                described["magnitude"] = self.magnitude
        rows = values.reshape(-1, values.shape[-1] if values.size and values.ndim else 1)
        lines = ["   [" + ", ".join(map(number, row)) + "]" for row in rows]
        gap = "\n" if lines else ""
        return "  " + json.dumps(described)[:-1] + f', "rows": [{gap}' + ",\n".join(lines) + "]}"


def number(value):
    """With the digits that determine it in its type; NaN and infinities have no number in JSON."""
    if value.dtype.kind != "f":
        return json.dumps(value.item())
    return str(value).removesuffix(".0") if np.isfinite(value) else json.dumps(str(value))


def rounded(values, tolerance=1e-5, magnitude=0.0, kind="f32"):
    """A result of rounded operations. The default tolerance, 84 units in the last place of an f32, allows any order of a
    sum of some 100 terms. If terms cancel, the magnitude is that of the largest ones."""
    return Result(np.asarray(values), kind, tolerance, float(magnitude))


def exact(values, kind):
    """A result without rounding, in a type other than f32."""
    return Result(np.asarray(values), kind)
