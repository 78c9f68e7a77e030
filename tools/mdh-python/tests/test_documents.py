"""The programs of the documents run as they are.

A test takes a program of a document: a block by itself, a section, or all of them. Its file has the name of the
document and each block on the lines that it has there, so that messages and traces name the place in the document.
What a program needs lies beside it: a block that begins with a comment such as `// scale.mlir` is this file. A `text`
block after a Python block is what the program prints: these lines in this order, possibly with others between them;
`…` stands for any characters.
"""

from __future__ import annotations

import itertools
import pathlib
import re
import runpy
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

ROOT = pathlib.Path(__file__).parents[3]
# What each program of a document consists of; blocks before the first section belong to all sections.
PARTS = {
    "README.md": "all",
    "docs/python.md": "block",
    "docs/python-interface.md": "block",
    "docs/tutorial.md": "all",
    "docs/cookbook.md": "section",
    "docs/limits.md": "section",
}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the section that it is in, and the number of its first line, from 1."""

    language: str
    section: str
    line: int
    text: str


@dataclass(frozen=True)
class Program:
    """The blocks of a document that are one program."""

    document: str
    name: str
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        return f"{self.document}:{self.name}"


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a document."""
    found = []
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        sections = re.findall(r"^## (.*)$", text[: match.start()], re.MULTILINE)
        line = text.count("\n", 0, match.start()) + 2
        found.append(Block(match[1], sections[-1] if sections else "", line, match[2]))
    return found


def programs(document: str) -> list[Program]:
    """The programs of a document. Those of frameworks are run where these are installed, by tests/frameworks."""
    found = blocks((ROOT / document).read_text(encoding="utf-8"))
    python = [block for block in found if block.language == "python"]
    match PARTS[document]:
        case "all":
            return [Program(document, str(python[0].line), tuple(found))] if python else []
        case "block":
            alone = [block for block in python if not re.search("import (jax|torch)", block.text)]
            return [Program(document, str(block.line), (block,)) for block in alone]
    sections = dict.fromkeys(block.section for block in python if block.section)
    return [
        Program(document, section, tuple(block for block in found if block.section in ("", section)))
        for section in sections
    ]


def source(blocks: Sequence[Block]) -> str:
    """The Python blocks, each on its lines of the document."""
    lines: list[str] = []
    for block in blocks:
        if block.language == "python":
            lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
    return "\n".join(lines) + "\n"


def missing(expected: Sequence[str], printed: str) -> str | None:
    """The first of the expected lines that a program has not printed after the lines before it."""
    rest = iter(printed.splitlines())
    for line in expected:
        pattern = re.compile(".*".join(map(re.escape, line.split("…"))))
        if not any(pattern.fullmatch(one.rstrip()) for one in rest):
            return line
    return None


@pytest.mark.parametrize("program", [one for document in PARTS for one in programs(document)], ids=str)
def test_program(
    program: Program,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in program.blocks:
        if name := re.match(r"(?://|#) ([\w-]+\.\w+)\n", block.text):
            (tmp_path / name[1]).write_text(block.text, encoding="utf-8")
    path = tmp_path / pathlib.Path(program.document).name
    path.write_text(source(program.blocks), encoding="utf-8")
    runpy.run_path(str(path))
    printed = capsys.readouterr().out
    for before, block in itertools.pairwise(program.blocks):
        if (before.language, block.language) == ("python", "text"):
            line = missing(block.text.splitlines(), printed)
            assert line is None, f"{program.document}:{block.line}: the program does not print {line!r}"


def test_the_documents_have_programs() -> None:
    assert all(programs(document) for document in PARTS)
    sections = re.findall("^## (.*)$", (ROOT / "docs/cookbook.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [program.name for program in programs("docs/cookbook.md")] == sections


def test_a_line_that_is_not_printed_is_found() -> None:
    assert missing(["a", "b … 3"], "a\nx\nb 1 2 3\n") is None
    assert missing(["b …", "a"], "a\nb 1\n") == "a"
    assert missing(["a.c"], "abc\n") == "a.c"


def test_the_first_program_is_the_one_that_is_measured() -> None:
    first = blocks((ROOT / "README.md").read_text(encoding="utf-8"))[0].text
    definition = first[first.index("@mdh") :].split("\n\n\n")[0]
    script = ROOT / "examples/shortest_paths.py"
    assert definition in script.read_text(encoding="utf-8")
    assert str(runpy.run_path(str(script))["shortest"]).startswith("<computation shortest(")
