"""The scripts of the gallery on small data: they compare themselves with NumPy, and their pictures are PNG files."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import re
import runpy
import struct
import sys
import zlib

import numpy
import pytest

GALLERY = pathlib.Path(__file__).parents[3] / "examples/gallery"
SHARED = {"measure.py", "pictures.py"}

# The number of comparisons of each script, and the sizes of its pictures: height, width, channels.
SCRIPTS: dict[str, tuple[int, dict[str, tuple[int, int, int]]]] = {
    "attention": (2, {}),
    "image_filter": (2, {"image_filter_before": (60, 80, 1), "image_filter_after": (60, 80, 1)}),
    "k_means": (2, {"k_means": (512, 512, 3)}),
    "mandelbrot_set": (2, {"mandelbrot": (50, 60, 3)}),
    "nearest_neighbours": (2, {"nearest_neighbours": (32, 32, 3)}),
    "pagerank": (2, {}),
    "prefix_sums": (3, {"prefix_sums": (512, 1024, 3)}),
    "record_linkage": (1, {}),
    "stencil": (1, {"stencil_before": (42, 62, 3), "stencil_after": (42, 62, 3)}),
    "tensor_contraction": (3, {}),
}
COMPARISON = re.compile(r": mdh [\d.]+ ms, numpy [\d.]+ ms, ratio [\d.]+$")


def decoded(path: pathlib.Path) -> tuple[int, int, int, bytes]:
    """The height, the width, the channels and the bytes of the pixels of a PNG file."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        at += size + 12
    assert at == len(data) and list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert depth == 8 and rest == [0, 0, 0]
    channels = {0: 1, 2: 3}[colour]
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == height * (1 + channels * width)
    # Each row begins with its filter, of which 0 leaves the bytes as they are.
    assert not any(rows[:: 1 + channels * width])
    return height, width, channels, rows


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GALLERY))


def test_every_script_is_tested() -> None:
    assert {path.name for path in GALLERY.glob("*.py")} - SHARED == {f"{name}.py" for name in SCRIPTS}
    table = (GALLERY / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| \[(\w+)\.py\]\(\1\.py\)", table, re.MULTILINE)) == set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    comparisons, pictures = SCRIPTS[name]
    script = str(GALLERY / f"{name}.py")
    folder = tmp_path / "made" / "here"
    monkeypatch.setattr(sys, "argv", [script, "--size", "small", "--output", str(folder)])
    runpy.run_path(script, run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert sum(COMPARISON.search(line) is not None for line in lines) == comparisons
    assert {path.stem for path in folder.iterdir()} == set(pictures)
    for picture, size in pictures.items():
        *found, rows = decoded(folder / f"{picture}.png")
        assert tuple(found) == size
        # No picture is empty.
        assert len(set(rows)) > 2


def test_examples_in_documentation() -> None:
    results = [doctest.testmod(importlib.import_module(name)) for name in ("measure", "pictures")]
    assert sum(result.failed for result in results) == 0 and sum(result.attempted for result in results) >= 2


def test_no_pictures_by_default(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    script = str(GALLERY / "mandelbrot_set.py")
    monkeypatch.setattr(sys, "argv", [script, "--size", "small"])
    runpy.run_path(script, run_name="__main__")
    assert capsys.readouterr().out and not list(tmp_path.iterdir())


def test_pixels() -> None:
    from pictures import MAP, PALETTE, coloured, grey, scatter

    assert grey(numpy.array([[-1.0, 0.5, 2.0]])).tolist() == [[0, 128, 255]]
    ends = coloured(numpy.array([[3.0, 5.0, 4.0]]))
    assert ends.tolist() == [[list(MAP[0]), list(MAP[-1]), list(MAP[len(MAP) // 2])]]
    # The lower left corner has the first label, and the upper right one the second.
    points = scatter(numpy.array([0, 1]), numpy.array([0, 1]), numpy.array([0, 1]), height=8, width=12)
    assert points[5, 2].tolist() == list(PALETTE[0]) and points[2, 9].tolist() == list(PALETTE[1])
    assert (points == 255).all(axis=2).sum() == 8 * 12 - 2 * 9
