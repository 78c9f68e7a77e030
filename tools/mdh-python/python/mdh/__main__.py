"""The command-line tools: `python -m mdh run FILE` is `mdh run FILE`, and `python -m mdh opt FILE` is `mdh-opt FILE`."""

from __future__ import annotations

import os
import sys

_TOOLS = ("opt", "lsp-server", "reduce", "translate")


def main() -> None:
    """Runs the command line of this process, and ends the process with its exit code."""
    # The compiler is loaded by what needs it only.
    from mdh import _compiler, _platform

    # The tuner starts Python again, perhaps that of the system for a virtual environment.
    os.environ["PYTHONPATH"] = _platform.search_path()
    arguments = sys.argv[1:]
    name = "mdh"
    if arguments and arguments[0] in _TOOLS:
        name = f"mdh-{arguments.pop(0)}"
    sys.stdout.flush()
    sys.exit(_compiler.run([name, *arguments]))


if __name__ == "__main__":
    main()
