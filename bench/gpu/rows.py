"""The rows for a GPU: those of bench.peers, and some for GPUs only."""

import pathlib

from bench.examples import generate
from bench.peers import rows as peers_rows
from bench.peers.rows import Row

PROGRAM = pathlib.Path(__file__).with_name("rows.mlir")
generate.Example("transpose", generate.factors(("A", "ji")), "B", {"small": {"i": 45, "j": 70}, "8192": {"i": 8192, "j": 8192}}, dynamic=False)
OWN = {
    "matmul_4096": ("matmul", {"i": 4096, "j": 4096, "k": 4096}),
    "histo_16777216x256": ("histo", {"e": 2**24, "b": 256}),
    **{name: ("transpose", sizes) for name, sizes in generate.EXAMPLES["transpose"].sizes.items()},
}
# The elements of the arrays of math functions.
MATH = 2**24

# The rows of most interest, which are measured first: one for each kind of bound.
FIRST = [
    "matmul_1024",
    "dot_16777216",
    "matvec_8192",
    "matmul_4096",
    "transpose_8192",
    "jacobi3d_256",
    "conv2d_4096",
    "mcc_vgg16",
    "ccsdt_gdab_efgc_real",
    "matmul_resnet50",
    "bmatmul_16x10x500x64",
    "scan_16777216",
    "prl_32768",
]


def rows(small):
    """All rows by name in the order of interest, or small sizes, which check that everything works and say nothing about speed."""
    table = unordered(small)
    return {name: table[name] for name in [*(name for name in FIRST if name in table), *table]}


def unordered(small):
    """All rows by name."""
    own = {name: Row(name, example, name, sizes) for name, (example, sizes) in OWN.items() if name.endswith("_small") == small}
    if not small:
        # Functions of arrays that fit into a cache measure the launch.
        return {name: row for name, row in peers_rows.rows().items() if row.example != "math" or row.sizes["i"] == MATH} | own
    table = {}
    for example in [*peers_rows.FUNCTIONS, "histo"]:
        function = f"{example}_small"
        table[function] = Row(function, example, function, generate.EXAMPLES[example].sizes_of(function, "small"))
    return table | own


def program(row, folder):
    """The file with the function of a row. That of a math function is written to the folder, and that of a batch with the size
    of the batch, as a just-in-time compiler knows it."""
    if row.name in OWN:
        return PROGRAM
    path = row.program(folder)
    if not row.name.endswith("_batch"):
        return path
    text = path.read_text(encoding="utf-8")
    start = text.index(f"func.func @{row.function}(")
    function = text[start : text.index("\n}\n", start) + 3]
    names = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    path = pathlib.Path(folder) / f"{row.name}.mlir"
    path.write_text(names + function.replace("<?x", f"<{row.sizes['n']}x"), encoding="utf-8")
    return path
