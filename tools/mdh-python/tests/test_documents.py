"""The programs of the documents run as they are."""

from __future__ import annotations

import pathlib
import re
import runpy

import pytest

DOCUMENTS = pathlib.Path(__file__).parents[3] / "docs"
BLOCKS = [
    (name, number, block.split("```")[0])
    for name in ("python.md", "python-interface.md")
    for number, block in enumerate((DOCUMENTS / name).read_text(encoding="utf-8").split("```python\n")[1:])
    # tests/frameworks has the others.
    if not re.search("import (jax|torch)", block.split("```")[0])
]


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: tuple[str, int, str], tmp_path: pathlib.Path) -> None:
    name, number, text = block
    path = tmp_path / f"{name}.{number}.py"
    path.write_text(text, encoding="utf-8")
    runpy.run_path(str(path))
