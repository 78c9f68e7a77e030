"""Prints the licenses of what is contained in a release beside the project itself: of Rust crates, and of LLVM.

python packaging/licenses.py [--llvm VERSION] PACKAGE …

The crates are those that packages of the workspace depend on, at run time, on Linux. The text of each license is
printed once, below the crates that have it.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
from collections import defaultdict
from typing import Any

PLATFORM = "x86_64-unknown-linux-gnu"
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
Package = dict[str, Any]


def metadata() -> dict[str, Any]:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", PLATFORM]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))


def crates(graph: dict[str, Any], roots: list[str]) -> list[Package]:
    """The crates of a registry that are linked into packages of the workspace."""
    packages = {package["id"]: package for package in graph["packages"]}
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    reached: set[str] = set()
    rest = [key for key, package in packages.items() if package["name"] in roots and package["source"] is None]
    while rest:
        key = rest.pop()
        # Of a macro, and of what a build script uses, nothing is in the result.
        if key in reached or any("proc-macro" in target["kind"] for target in packages[key]["targets"]):
            continue
        reached.add(key)
        dependencies = nodes[key]["deps"]
        rest += [other["pkg"] for other in dependencies if any(kind["kind"] is None for kind in other["dep_kinds"])]
    linked = (packages[key] for key in reached if packages[key]["source"] is not None)
    return sorted(linked, key=lambda package: (package["name"], package["version"]))


def texts(package: Package) -> list[str]:
    """The license files of a crate."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name.upper().startswith(NAMES))
    return [file.read_text(encoding="utf-8", errors="replace").strip() for file in files]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--llvm")
    parser.add_argument("packages", nargs="+")
    arguments = parser.parse_args()
    graph = metadata()
    missing = set(arguments.packages) - {package["name"] for package in graph["packages"]}
    if missing:
        parser.error(f"no packages of the workspace: {', '.join(sorted(missing))}")
    print("mdh has the license Apache-2.0 WITH LLVM-exception. This release also contains:\n")
    if arguments.llvm:
        print(f"LLVM, MLIR and LLVM's OpenMP library {arguments.llvm}: Apache-2.0 WITH LLVM-exception")
    having: defaultdict[str, list[str]] = defaultdict(list)
    for package in crates(graph, arguments.packages):
        name = f"{package['name']} {package['version']}"
        print(f"{name}: {package['license'] or 'see below'}")
        for text in texts(package):
            having[text].append(name)
    for text, names in having.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n{'-' * 100}\n{text}")


if __name__ == "__main__":
    main()
