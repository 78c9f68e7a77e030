#!/usr/bin/env python3
"""Writes the map of the source files: each with the first sentence of the comment that it begins with.

    scripts/docs/files.py FILE      FILE receives the page, docs/generated/files.md
"""

import pathlib
import re
import sys

ROOT = next(folder for folder in pathlib.Path(__file__).resolve().parents if (folder / "Cargo.toml").exists())
NOTE = "<!-- Written by `make docs`; a test fails when it is stale. -->"

# The folders of the map, and the endings of the files in it. Programs in MLIR are examples and tests, which have their own pages.
FOLDERS = ["dialects", "passes", "tools", "test", "bench", "scripts", "packaging", "examples"]
ENDINGS = {".rs", ".cpp", ".h", ".td", ".c", ".js", ".py", ".sh"}
# Folders that builds and tests write.
BUILT = {"target", "build", "data", "shared", "__pycache__"}

# The comment that a file begins with, after an interpreter or an include guard: a docstring, a block, or lines.
BEFORE = re.compile(r"(?:#(?:!|ifndef|define).*\n)*")
COMMENT = re.compile(r'r?"""(?P<docstring>(?s:.*?))"""|/\*(?P<block>(?s:.*?))\*/|(?P<lines>(?:(?://|# ).*\n)+)')
MARKS = re.compile(r"^(?://[!/]?|#) ?(?:===-+ [\w./]+ - )?| -*(?:\*- \w+ -\*-*)?===//$", re.MULTILINE)


def comment(text):
    """The comment that a source file begins with, without its marks; empty if there is none."""
    found = COMMENT.match(text, BEFORE.match(text).end())
    if not found:
        return ""
    return (found["docstring"] or found["block"] or MARKS.sub("", found["lines"])).strip()


def summary(file):
    """The first sentence of the comment that a file begins with."""
    paragraph = " ".join(comment((ROOT / file).read_text(encoding="utf-8")).split("\n\n")[0].split())
    if not paragraph:
        sys.exit(f"files.py: error: {file}: requires a comment at its beginning that says what it is for")
    sentence = re.match(r".*?(?:\.(?= )|$)", paragraph)[0].removesuffix(".")
    # Links of Rust's documentation lead nowhere here.
    sentence = re.sub(r"\[(`[^`]+`)\]", r"\1", sentence)
    return (sentence[:1].upper() + sentence[1:]).replace("|", "\\|")


def sources(folder):
    """The source files of a folder by name, as paths in the repository: a file before the folder of its parts."""
    files = [file.relative_to(ROOT) for file in (ROOT / folder).rglob("*") if file.suffix in ENDINGS and not file.is_symlink()]
    return sorted((file for file in files if BUILT.isdisjoint(file.parts)), key=lambda file: (str(file.with_suffix("")), file.suffix))


def page():
    """The page, as text."""
    lines = [NOTE, "", "# Source files", "", "Each file with the first sentence of its comment."]
    lines += ["[architecture.md](../architecture.md#code-map) says what the folders are for."]
    for folder in FOLDERS:
        lines += ["", f"## {folder}", "", "| file | content |", "|---|---|"]
        for file in sources(folder):
            lines.append(f"| [{file.relative_to(folder)}](../../{file}) | {summary(file)} |")
    return "\n".join(lines) + "\n"


def main():
    """Runs the command."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
