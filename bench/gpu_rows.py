"""The rows of bench/gpu.py: those of peers_rows.py, and some for GPUs only."""

import peers_rows
import run
from peers_rows import Row, generate

PROGRAM = run.ROOT / "bench" / "gpu.mlir"
generate.Example("transpose", generate.factors(("A", "ji")), "B", {"small": {"i": 45, "j": 70}, "8192": {"i": 8192, "j": 8192}}, dynamic=False)
OWN = {
    "matmul_4096": ("matmul", {"i": 4096, "j": 4096, "k": 4096}),
    **{name: ("transpose", sizes) for name, sizes in generate.EXAMPLES["transpose"].sizes.items()},
}

def rows(small):
    """All rows by name, or small sizes, which check that everything works and say nothing about speed."""
    own = {name: Row(name, example, name, sizes) for name, (example, sizes) in OWN.items() if name.endswith("_small") == small}
    if not small:
        return peers_rows.rows() | own
    table = {}
    for example in [*peers_rows.FUNCTIONS, "histo"]:
        function = f"{example}_small"
        table[function] = Row(function, example, function, generate.EXAMPLES[example].sizes_of(function, "small"))
    return table | own


def program(row):
    """The file with the function of a row."""
    return PROGRAM if row.name in OWN else run.ROOT / "examples" / f"{row.example}.mlir"
