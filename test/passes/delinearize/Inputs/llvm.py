"""Compares shapes and subscripts with those of LLVM, which has no conditions.

usage: llvm.py PROGRAM REMARKS ANALYSIS

PROGRAM has functions with one nest each, REMARKS is what `mdh-opt PROGRAM --mdh-delinearize=print` prints, and ANALYSIS what
`opt -passes=print<delinearization>` prints for the program in LLVM IR.
Both are evaluated with random numbers for arguments and iterations.
Prints a line for each function: `same` or `differs`.
"""

import random
import re
import sys


class Scev:
    """Evaluates an expression of LLVM, such as `{{0,+,(8 * %2)}<%19>,+,8}<%27>`."""

    def __init__(self, text, arguments, iterations):
        self.tokens = re.findall(r"%\d+|-?\d+|,\+,|[{}()+*<>]", re.sub(r"<(nuw|nsw|nw)>", "", text))
        self.arguments, self.iterations = arguments, iterations

    def next(self):
        return self.tokens.pop(0)

    def value(self):
        """The value of the next expression."""
        token = self.next()
        if token == "{":
            start = self.value()
            assert self.next() == ",+,"
            step = self.value()
            assert [self.next() for _ in range(2)] == ["}", "<"]
            header = self.next()
            assert self.next() == ">"
            return start + step * self.iterations[header]
        if token == "(":
            result = self.value()
            while (operation := self.next()) != ")":
                other = self.value()
                result = result + other if operation == "+" else result * other
            return result
        return self.arguments[token] if token.startswith("%") else int(token)


def functions(path):
    """By function: the line where it begins, the names of its arguments in LLVM IR, and the lower bounds of its loops."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if begin := re.match(r"func\.func @(\w+)\((.*)\) {", line):
                names, position = [], 0
                for kind in re.findall(r"%\w+: (\w+)", begin.group(2)):
                    # A memref has two pointers, an offset, a size and a stride.
                    names.append(f"%{position}")
                    position += 5 if kind == "memref" else 1
                found[begin.group(1)] = (number, names, [])
            elif lower := re.search(r"(?:affine|scf)\.for %\w+ = (\S+) to", line):
                found[list(found)[-1]][2].append(int(lower.group(1)) if lower.group(1).isdigit() else 0)
    return found


def main():
    """Runs the command."""
    program, remarks, analysis = sys.argv[1:4]
    with open(remarks, encoding="utf-8") as file:
        remarks = re.findall(r":(\d+):\d+: remark: has shape \[\?\](\S*) and subscripts (.*?) if ", file.read())
    with open(analysis, encoding="utf-8") as file:
        sections = re.split(r"Printing analysis 'Delinearization' for function '", file.read())
    analyses = {section.split("'")[0].split(".")[0]: section for section in sections if "." in section.split("'")[0]}
    all_functions = functions(program)
    begins = sorted((begin, name) for name, (begin, _, _) in all_functions.items())
    for name, (_, names, lowers) in all_functions.items():
        numbers = [random.randrange(10, 1000) for _ in names]
        iterations = [random.randrange(10, 1000) for _ in lowers]
        variables = dict(zip("ijklmn", (lower + number for lower, number in zip(lowers, iterations))))
        variables |= {f"arg{position}": number for position, number in enumerate(numbers)}
        ours = set()
        for line, sizes, subscripts in remarks:
            if max(entry for entry in begins if entry[0] <= int(line))[1] != name:
                continue
            for access in subscripts.split(", "):
                texts = [text.replace("%", "") for text in re.findall(r"\[([^]]*)\]", sizes + access)]
                ours.add(tuple(eval(text, {}, variables) for text in texts))
        section = analyses.get(name, "")
        headers = sorted(set(re.findall(r"}(?:<\w+>)*<(%\d+)>", section)), key=lambda header: int(header[1:]))
        counts = dict(zip(headers, iterations))
        theirs = set()
        for sizes, access in re.findall(r"ArrayDecl\[UnknownSize\](.*) with elements.*\nArrayRef(.*)", section):
            texts = re.findall(r"\[([^]]*)\]", sizes + access)
            theirs.add(tuple(Scev(text, dict(zip(names, numbers)), counts).value() for text in texts))
        failed = "failed to delinearize" in section
        print(name, "same" if theirs and theirs <= ours and not failed else "differs" if theirs else "none")


if __name__ == "__main__":
    main()
