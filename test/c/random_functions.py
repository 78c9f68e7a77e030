#!/usr/bin/env python3
"""Compiles random C functions with loop nests with a reference and with `mdh cc`, runs both, and reports differences.

    python3 test/c/random_functions.py -n 1000 -s 1 --keep KEPT       1000 functions; those that fail are kept
    python3 test/c/random_functions.py -s 1 --only 17 --keep KEPT     function 17 of the same campaign

It requires clang with its sanitizers, and only the standard library of Python.
A driver calls each function with several sizes, and with arrays that are apart, the same, or overlap.
The arrays of a type are parts of one pool; a call prints a hash of the pools and of what the function returns.

| build                                                        | its results                                     |
|--------------------------------------------------------------|-------------------------------------------------|
| clang -O1 -fsanitize=...                                     | calls with undefined behaviour, left out        |
| clang -O0 -ffp-contract=off                                  | the reference                                   |
| mdh cc -O2 -ffp-contract=off --mdh-least-points=0            | the same                                        |
| mdh cc -O3 -march=native -ffp-contract=off, every third file | the same                                        |
| clang -O2 -ffp-contract=off, for failures only               | a failure is ambiguous if they differ likewise  |

A function is discarded if no call is left. NaN equals NaN; zeros have a sign, except in functions with fmax or fmin.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from random_c import Function
from random_driver import MAIN, PRELUDE, RUNTIME

RUN, COMPILE = 60, 300  # seconds after which a call, and a compiler, has failed
SANITIZE = "-O1 -fsanitize=undefined,float-cast-overflow,address,bounds -fno-sanitize-recover=all".split()


class Campaign:
    """Functions that are compiled, run and compared."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.environment = {"LD_LIBRARY_PATH": "/usr/lib/llvm-22/lib", "MDH_CACHE_DIR": "", "MDH_DATABASE": ""}
        self.environment |= dict(os.environ)
        self.environment |= {"ASAN_OPTIONS": "symbolize=0:detect_leaks=0", "UBSAN_OPTIONS": "symbolize=0"}
        self.total = self.discarded = self.calls = self.left_out = self.nests = 0
        self.raised, self.failures, self.ambiguous, self.reasons = set(), [], [], {}

    def execute(self, command, seconds=COMPILE):
        """The exit status of a command, or a word, and what it prints."""
        command = [str(word) for word in command]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=seconds, env=self.environment, check=False)
        except subprocess.TimeoutExpired:
            return "timeout", "", f"no end after {seconds} seconds"
        except OSError as error:
            return "missing", "", str(error)
        return done.returncode, done.stdout, done.stderr

    def clang(self, *arguments):
        status, _, messages = self.execute([self.arguments.clang, "-w", *arguments])
        if status != 0:
            sys.exit(f"clang fails ({status}): {' '.join(map(str, arguments))}\n{messages}")

    def compile(self, functions, folder, name, options):
        """Compiles functions with the compiler under test; returns its complaint."""
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "functions.c"
        source.write_text(PRELUDE + "\n" + "\n".join(function.text for function in functions))
        command = [self.arguments.mdh, "cc", "-w", *options, "-ffp-contract=off", "-c", source]
        command += ["-o", folder / f"{name}.o", f"--mdh-report={folder / name}.json"]
        status, output, messages = self.execute(command)
        if status != 0 and (status != 1 or "functions.c:" not in messages):
            # Someone may be building it.
            while self.execute([self.arguments.mdh, "--version"])[0] != 0:
                time.sleep(10)
            status, output, messages = self.execute(command)
        # Also if it warns that it compiles the file as clang does, because of an error.
        is_bad = status != 0 or "[-Wmdh]" in messages
        return f"the compiler fails ({status}): {(output + messages).strip()[-600:]}" if is_bad else None

    def run(self, program, seconds, skipped):
        """The result of each call of a program."""
        _, output, _ = self.execute([program, seconds, skipped], 40 * seconds + 200)
        return {(int(f), int(c)): result for f, c, result in map(str.split, output.splitlines())}

    def reference(self, functions, folder):
        """Compiles functions and the driver with the reference; returns the results of calls with defined behaviour."""
        folder.mkdir(parents=True, exist_ok=True)
        source, driver, skipped = folder / "functions.c", folder / "driver.c", folder / "skipped"
        source.write_text(PRELUDE + "\n" + "\n".join(function.text for function in functions))
        table = "".join(f"{{{f.number}, run_{f.name}, {f.count}}}, " for f in functions)
        table = f"static const struct {{ int number; void (*run)(int); int calls; }} functions[] = {{{table}}};\n"
        code = "".join(f.driver for f in functions)
        driver.write_text(f"{PRELUDE}{RUNTIME}{code}#define COUNT {len(functions)}\n{table}{MAIN}")
        self.clang(*SANITIZE, "-ffp-contract=off", source, driver, "-lm", "-o", folder / "sanitized")
        self.clang("-O1", "-c", driver, "-o", folder / "driver.o")
        self.clang("-O0", "-ffp-contract=off", source, folder / "driver.o", "-lm", "-o", folder / "reference")
        skipped.write_text("")
        all_calls = [(f, c) for f, function in enumerate(functions) for c in range(function.count)]
        found = self.run(folder / "sanitized", 2, skipped)

        def skip():
            bad = [call for call in all_calls if len(found.get(call, "")) != 16]
            skipped.write_text("".join(f"{f} {c}\n" for f, c in bad))
        skip()
        for call, result in self.run(folder / "reference", 10, skipped).items():
            if found[call] != result:
                self.ambiguous += [f"{functions[call[0]].name}, sanitizers"] * (len(result) == 16)
                found[call] = "differs"
        skip()
        return {call: result for call, result in found.items() if len(result) == 16}

    def differences(self, functions, folder, reference, name):
        """The functions with calls whose results are different, with a line for each."""
        objects = [folder / f"{name}.o", folder / "driver.o"]
        status, _, messages = self.execute([self.arguments.clang, *objects, "-lm", "-o", folder / name])
        if status != 0:
            return {function: [f"cannot be linked: {messages[-600:]}"] for function in functions}
        results, found = self.run(folder / name, RUN, folder / "skipped"), {}
        for (f, c), expected in sorted(reference.items()):
            result = results.get((f, c), "nothing")
            if result != expected:
                found.setdefault(functions[f], []).append(f"call {c}: expected {expected}, got {result}")
        return found

    def batch(self, index, functions):
        """Compiles and compares functions of one file."""
        folder = self.folder / "batch"
        reference = self.reference(functions, folder)
        count = sum(function.count for function in functions)
        kept = {functions[f].name for f, _ in reference}
        self.total, self.calls = self.total + len(functions), self.calls + count
        self.left_out += count - len(reference)
        self.discarded += len(functions) - len(kept)
        for name, options in [("O2", ["-O2", "--mdh-least-points=0"]), ("O3", ["-O3", "-march=native"])][: 2 if index % 3 == 0 else 1]:
            while functions and self.compile(functions, folder, name, options):
                # The functions for which the compiler does not fail are compared all the same.
                complaints = {f: self.compile([f], self.folder / f.name, name, options) for f in functions}
                bad = {function: complaint for function, complaint in complaints.items() if complaint}
                if not bad:
                    return self.keep(folder, f"batch{index}", name, options, ["the compiler fails for all together"])
                for function, complaint in bad.items():
                    self.reference([function], self.folder / function.name)
                    self.keep(self.folder / function.name, function.name, name, options, [complaint])
                functions = [function for function in functions if function not in bad]
                reference = self.reference(functions, folder) if functions else {}
            if name == "O2" and functions:
                self.read_report(folder / "O2.json", kept)
            suspects = self.differences(functions, folder, reference, name) if functions else {}
            alone = [self.single(function, name, options) for function in suspects]
            if suspects and not any(alone):
                self.keep(folder, f"batch{index}", name, options, [f"only together: {f.name}" for f in suspects])

    def read_report(self, path, kept):
        """Counts what is raised, and the reasons of what is not."""
        report = json.loads(path.read_text())
        names = [re.match(r"f\d+", nest["function"]).group() for nest in report["raised"]]
        self.raised.update(name for name in names if name in kept)
        self.nests += len(names)
        for stay in report["stays"]:
            reason = re.sub(r"'[^']*'|%\w+|-?\d+", "_", stay["reason"])[:90]
            self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def single(self, function, name, options):
        """Compares one function by itself, and keeps it if it fails; true if its results are different."""
        folder = self.folder / function.name
        reference = self.reference([function], folder)
        complaint = self.compile([function], folder, name, options)
        lines = [complaint] if complaint else self.differences([function], folder, reference, name).get(function, [])
        options_ = ["-O2", "-fno-math-errno", "-ffp-contract=off"]
        self.clang(*options_, "-c", folder / "functions.c", "-o", folder / "clang.o")
        others = self.differences([function], folder, reference, "clang").get(function, [])
        if lines and all(line in others for line in lines):
            self.ambiguous.append(f"{function.name}, -{name}")
        elif lines:
            self.keep(folder, function.name, name, options, lines)
        return bool(lines)

    def keep(self, folder, label, name, options, lines):
        """Copies the files of a failure."""
        place = pathlib.Path(self.arguments.keep) / f"{self.arguments.seed}-{label}-{name}"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder, place)
        compile_ = f"{self.arguments.mdh} cc {' '.join(options)} -ffp-contract=off -w -c functions.c -o tested.o"
        link = f"{self.arguments.clang} tested.o driver.o -lm -o tested"
        run = "./reference 60 skipped\n./tested 60 skipped\n# with a function and a call behind it: all elements"
        (place / "commands.txt").write_text("\n".join([compile_, link, run, *lines, ""]))
        for program in ("reference", name):
            if (place / program).exists():
                results = self.run(place / program, RUN, place / "skipped")
                text = "".join(f"{f} {c} {result}\n" for (f, c), result in results.items())
                (place / f"{program}.out").write_text(text)
        self.failures.append(f"{place}: {lines[0].splitlines()[-1]}" + f" and {len(lines) - 1} more" * (len(lines) > 1))
        print(f"failure: seed {self.arguments.seed}, {self.failures[-1]}", flush=True)

    def summary(self):
        share = 100 * len(self.raised) / max(self.total - self.discarded, 1)
        return (f"seed {self.arguments.seed}: {self.total} functions, {self.discarded} discarded, {len(self.raised)} "
                f"({share:.0f} %) with a raised nest, {self.nests} nests raised, {self.calls} calls, "
                f"{self.left_out} left out, {len(self.ambiguous)} ambiguous, {len(self.failures)} failures")


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mdh", default=root / "target/debug/mdh", help="the compiler under test")
    parser.add_argument("--clang", default="/usr/lib/llvm-22/bin/clang", help="the reference")
    parser.add_argument("-n", type=int, default=100, metavar="COUNT", help="the number of functions")
    parser.add_argument("-s", "--seed", type=int, default=1, metavar="SEED", help="the number of the campaign")
    parser.add_argument("--batch", type=int, default=20, metavar="B", help="functions in a file")
    parser.add_argument("--keep", default="kept", metavar="DIR", help="the folder for functions that fail")
    parser.add_argument("--only", type=int, metavar="K", help="only function K, in all variants")
    parser.add_argument("--reasons", action="store_true", help="print why nests stay")
    arguments = parser.parse_args()
    numbers = range(arguments.n) if arguments.only is None else [arguments.only]
    with tempfile.TemporaryDirectory(prefix="random-functions-") as folder:
        campaign = Campaign(arguments, folder)
        for index, first in enumerate(range(0, len(numbers), arguments.batch)):
            batch = numbers[first : first + arguments.batch]
            campaign.batch(index, [Function(arguments.seed, number) for number in batch])
            print(campaign.summary(), flush=True)
    for reason, count in sorted(campaign.reasons.items(), key=lambda item: -item[1]) if arguments.reasons else []:
        print(f"{count:6} {reason}")
    for name in campaign.ambiguous:
        print(f"ambiguous: {name}")
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
