"""What a notebook shows: tables, and the picture of a nest, as HTML without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["escaped", "html_of", "table"]

# The module html of the standard library takes longer to load than all of this.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

# Notebooks have styles of their own for tables, light or dark, which only the font and the alignment change.
_CELL = "padding: 2px 8px; text-align: left; white-space: pre; font-family: monospace"


def escaped(text: str) -> str:
    """Text in HTML.

    >>> escaped("a < b")
    'a &lt; b'
    """
    return text.translate(_ENTITIES)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table.

    >>> table(["level", "parts"], [["(1, 1)", "8"]]).count("<td")
    2
    """

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escaped(cell)}</{tag}>' for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>"


def html_of(report: Mapping[str, Any]) -> str:
    """The explanation of a function, as `mdh explain --json` prints it: for each computation the tuning parameters, the
    buffers that it needs, what the cost model predicts, and the picture of its nest.
    """
    return "\n".join(_computation(one) for one in report["computations"])


def _computation(one: Mapping[str, Any]) -> str:
    parameters, buffers = one["parameters"], one["buffers"]
    parts = [
        f"<p><strong>{escaped(one['title'])}</strong></p>".replace("\n", "<br>"),
        f"<p>{escaped('dimensions: ' + '; '.join(map(_dimension, one['dimensions'])))}</p>",
        table(parameters["header"], parameters["rows"]),
    ]
    if buffers["rows"]:
        parts += ["<p>buffers beyond the user's</p>", table(buffers["header"], buffers["rows"])]
    if one["block"]:
        parts.append(f"<p>{escaped(one['block'])}</p>")
    if one["why"].strip():
        parts.append(_folded("what the cost model predicts", f"<pre>{escaped(one['why'].strip())}</pre>"))
    if one["svg"]:
        parts.append(f"<div>{one['svg']}</div>")
    if one["nest"]:
        parts.append(_folded("the loops, statement by statement", f"<pre>{escaped(one['nest'].strip())}</pre>"))
    return f"<div>{''.join(parts)}</div>"


def _dimension(one: Mapping[str, Any]) -> str:
    name = f"{one['name']}: " if one["name"] else ""
    return f"{name}{one['extent']}, {one['operator']}"


def _folded(title: str, content: str) -> str:
    """Text that readers open."""
    return f"<details><summary>{escaped(title)}</summary>{content}</details>"
