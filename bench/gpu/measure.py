"""Runs jobs in measuring processes, and keeps what they answer: what measurements, checks and calibration share. Needs
Python alone."""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

from bench import harness
from bench.gpu.device import Cuda, Missing
from bench.harness import ROOT, module, write

# The measuring process.
WORKER = module("gpu.worker")
# The exit code if there is no device.
NO_DEVICE = 4
# The list of kernels in a folder of checks or candidates.
LIST = "list.json"
# The maximum number of jobs that a process gets in its command line.
BATCH = 500
# Time limit in seconds for a process to load its libraries and get a device.
START = 180


class Worker:
    """The measuring process."""

    def __init__(self, program, options):
        self.read, write = os.pipe()
        command = [*program, json.dumps(options | {"descriptor": write})]
        # The output of libraries is not an answer. The process is a session leader, so that its children are killed
        # with it.
        self.process = subprocess.Popen(command, pass_fds=[write], stdout=sys.stderr, start_new_session=True)
        os.close(write)
        self.rest = b""

    def answer(self, seconds):
        """The next answer; `None` if the process has exited. Raises TimeoutError after `seconds`."""
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            if not select.select([self.read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError
            more = os.read(self.read, 1 << 16)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def end(self):
        """Ends the process if it is still running; returns its exit code."""
        os.close(self.read)
        try:
            # The last answer may arrive before the process exits.
            return self.process.wait(1)
        except subprocess.TimeoutExpired:
            return self.kill()

    def kill(self):
        """Kills the process and its children."""
        os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()


def measure(arguments, options, jobs, rows, record, program=WORKER):
    """Runs jobs until the time limit in processes of a program, given as a command; returns the remaining ones."""
    left, failures = list(jobs), 0
    while left and failures < 3:
        batch = left[:BATCH]
        worker, current, problem = Worker(program, options | {"jobs": batch}), None, None
        try:
            while batch:
                rest = arguments.end - time.monotonic()
                answer = worker.answer(min(rest, arguments.limit if current else START))
                if answer is None:
                    break
                if "header" in answer:
                    header = answer["header"]
                    installed = header.pop("peers")
                    if installed is not None:
                        left, batch = ([job for job in jobs if job[1] in ("mdh", *installed)] for jobs in (left, batch))
                    header["versions"] = record.content["versions"] | header["versions"]
                    record.content |= header
                elif "begins" in answer:
                    current = answer["begins"]
                else:
                    record.add(rows[answer["ended"][0]], answer["ended"][1], answer["entry"])
                    left.remove(answer["ended"])
                    batch.remove(answer["ended"])
                    current, failures = None, 0
        except TimeoutError:
            if time.monotonic() >= arguments.end:
                return left
            problem = f"took longer than {arguments.limit} s"
        finally:
            if batch:
                worker.kill()
            code = worker.end()
        if current:
            record.add(rows[current[0]], current[1], {"error": problem or f"ended its process, exit code {code}"})
            left.remove(current)
        elif batch:
            failures += 1
    return left


def commit():
    """The git commit; empty without a repository."""
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def on_device(action):
    """Returns the result of an action; without a device, prints a message and exits."""
    try:
        return action()
    except Missing as missing:
        print(f"gpu: {missing}", file=sys.stderr)
        sys.exit(NO_DEVICE)


def listed(parser, folder, what):
    """The list of kernels that --compile has written to a folder."""
    try:
        return json.loads((folder / LIST).read_text(encoding="utf-8"))
    except OSError:
        parser.error(f"no {what} in {folder}: --compile writes them")


def write_list(folder, arch, what, entries):
    """Writes the list of kernels that --compile has compiled to a folder."""
    write(folder / LIST, json.dumps({"commit": commit(), "arch": arch, what: entries}, indent=1) + "\n")


def begun(described):
    """The begin of a record: the date, the device, and the versions of driver and compiler, which the list of kernels has."""
    device, driver = on_device(lambda: Cuda(4)).describe()
    return {"date": harness.now(), "device": device, "versions": {"mdh": described["commit"], "driver": driver}}


def add_compiler(parser):
    """Adds the options of --compile."""
    parser.add_argument("--arch", default="sm_90", help="the architecture for --compile (default: sm_90)")
    parser.add_argument("--emit", choices=("ptx", "cubin"), default="ptx", help="the form of the kernels of --compile (default: ptx)")
    parser.add_argument("--tools", type=pathlib.Path, default=harness.RELEASE, help="the folder of mdh")


def parser_of_kernels(description, folder):
    """A parser of the options that all programs for a folder of kernels have; `folder` is the help text of the folder."""
    parser = harness.parser(description)
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help=folder)
    parser.add_argument("--compile", action="store_true", help="write the folder, and exit")
    add_compiler(parser)
    parser.add_argument("--budget", type=float, default=float("inf"), help="time limit in seconds")
    parser.add_argument("--limit", type=float, default=30, help="time limit in seconds for each kernel or schedule (default: 30)")
    return parser


def given_options():
    """The options of a measuring process, which are its argument, in JSON; None for another command line."""
    return json.loads(sys.argv[1]) if sys.argv[1:] and sys.argv[1].startswith("{") else None


def parsed(parser):
    """The parsed command line, with the time at which the budget is spent."""
    arguments = parser.parse_intermixed_args()
    arguments.end = time.monotonic() + arguments.budget
    return arguments
