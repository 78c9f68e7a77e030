"""The programs of the documents that require a framework run as they are."""

from __future__ import annotations

import pathlib
import re
import runpy

import pytest

TEXT = (pathlib.Path(__file__).parents[4] / "docs/python.md").read_text(encoding="utf-8")
BLOCKS = [text for text in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if re.search("import (jax|torch)", text)]


@pytest.mark.parametrize("text", BLOCKS)
def test_block(text, tmp_path):
    path = tmp_path / "block.py"
    path.write_text(text, encoding="utf-8")
    runpy.run_path(str(path))
