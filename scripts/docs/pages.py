#!/usr/bin/env python3
"""Writes the reference pages: operations, attributes and types from the .td files, passes from mdh-opt's help and the sources,
and the map of the source files.
Also draws the pictures of the documents.

    scripts/docs/pages.py TOOLS LLVM FOLDER      TOOLS has mdh and mdh-opt, LLVM has bin/mlir-tblgen; FOLDER receives the pages
"""

import pathlib
import re
import subprocess
import sys

import files
from files import NOTE, ROOT

DIALECTS = ROOT / "dialects"

# One page per family: its title, a pattern for its operations, and the .td files of operations, attributes and types.
FAMILIES = {
    "view": ("Views: the buffers that a computation reads and writes", r"^view\.", "ViewOps.td", None, "ViewTypes.td"),
    "hom": ("Homomorphisms: the definition of a computation", r"^(hom\.|compute$)", "HomOps.td", "HomAttrs.td", None),
    "lowlevel": ("Low-level expressions: a computation with its schedule", r"^lowlevel\.", "LowlevelOps.td", "LowlevelAttrs.td", "ScheduleOps.td"),
}

# The nests that the documents show: the options of `mdh explain` for each picture.
PICTURES = {
    "shortest": ["docs/shortest.mlir", "--machine", "examples/machines/avx512.json"],
    "matvec": ["docs/matvec.mlir", "--system", "openmp"],
    "matvec_warps": ["docs/matvec.mlir", "--schedule", "examples/schedules/matvec_warps.json"],
}


def output(*command):
    """The standard output of a command; exits if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"pages.py: error: {' '.join(map(str, command))}\n{done.stderr.strip()}")
    return done.stdout


def described(llvm, file, *arguments):
    """The output of mlir-tblgen for a file, without its first line."""
    text = output(llvm / "bin/mlir-tblgen", *arguments, "-I", llvm / "include", "-I", DIALECTS, DIALECTS / file)
    return re.sub(r"^<!--.*-->\n", "", text)


def family_page(llvm, family):
    """The page of a family: operations, attributes, kinds and types."""
    title, names, operations, attributes, types = FAMILIES[family]
    pages = [("Operations", described(llvm, f"{family}/{operations}", "-gen-op-doc", f"-op-include-regex=mdh.{names.strip('^')}"))]
    if attributes:
        pages.append(("Attributes", described(llvm, f"{family}/{attributes}", "-gen-attrdef-doc", "-attrdefs-dialect=mdh")))
    if family == "hom":
        pages.append(("Kinds", described(llvm, f"{family}/{attributes}", "-gen-enum-doc")))
    if types:
        pages.append(("Types", described(llvm, f"{family}/{types}", "-gen-typedef-doc", "-typedefs-dialect=mdh")))
    sections = [f"## {name}\n\n{text.strip()}" for name, text in pages if text.strip()]
    # Readers of IR do not need the names of C++ classes.
    text = re.sub(r"^(### `[^`]+`) \(::mdh::\w+\)$", r"\1", "\n\n".join(sections), flags=re.MULTILINE)
    return f"{NOTE}\n\n# {title}\n\n{text}\n"


def passes(tools):
    """Our flags of mdh-opt: name, summary, and the options as (name, summary)."""
    found, current = [], None
    for line in output(tools / "mdh-opt", "--help").splitlines():
        match = re.match(r"^( +)--([\w-]+)(=<\w+>)? +- +(.*)$", line)
        if not match:
            current = None
        elif len(match[1]) == 6:
            is_ours = match[2].startswith("mdh-") or match[2] == "lower-mdh"
            current = (match[2], match[4], []) if is_ours else None
            found += [current] if is_ours else []
        elif current:
            current[2].append((match[2] + (match[3] or ""), match[4]))
    return found


def sources():
    """The source file of each pass by its flag, and the file's header comment."""
    documented = {}
    for file in sorted((ROOT / "passes").rglob("*.rs")):
        text = file.read_text()
        for flag in re.findall(r"^    const ARGUMENT: &'static str = \"([\w-]+)\";", text, flags=re.MULTILINE):
            lines = [line[3:].removeprefix(" ") for line in text.splitlines() if line.startswith("//!")]
            documented[flag] = (file.relative_to(ROOT), "\n".join(lines))
    return documented


def stages():
    """The stages of the pipeline in order: name and summary."""
    text = (ROOT / "passes/pipeline.rs").read_text()
    return re.findall(r"Stage\s*\{\s*name:\s*\"([^\"]+)\",\s*summary:\s*\"([^\"]+)\"", text)


def passes_page(tools):
    """The page of passes: the stages, then a section for each pass."""
    documented = sources()
    lines = [NOTE, "", "# Passes", "", "## The stages of `--lower-mdh`", "", "| stage | afterwards |", "|---|---|"]
    lines += [f"| `{name}` | {summary} |" for name, summary in stages()]
    lines += ["", "`--lower-mdh=stop-after=STAGE` stops after a stage. Each of our passes is also a flag."]
    found = sorted(passes(tools), key=lambda one: (one[0] != "lower-mdh", one[0]))
    for name, summary, options in found:
        file, text = documented[name]
        lines += ["", f"## `--{name}`", "", f"_{summary}_", ""]
        if name != "lower-mdh":
            # The page has its own heading. The text after the name repeats the summary in more detail.
            text = re.sub(rf"^`(?:--)?{name}`: ", "", text)
            lines += [text[:1].upper() + text[1:], ""]
        if options:
            lines += ["| option | meaning |", "|---|---|", *(f"| `{option}` | {meaning} |" for option, meaning in options), ""]
        lines.append(f"Source: [{file}](../../{file})")
    return "\n".join(lines) + "\n"


def main():
    """Runs the command."""
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tools, llvm, folder = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    pages = {family: family_page(llvm, family) for family in FAMILIES}
    pages["passes"] = passes_page(tools)
    pages["files"] = files.page()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
        (folder / f"{name}.md").write_text(re.sub(r"\n{3,}", "\n\n", text))
    for name, options in PICTURES.items():
        (folder / f"{name}.svg").write_text(output(tools / "mdh", "explain", *options, "--svg", "-"))


if __name__ == "__main__":
    main()
