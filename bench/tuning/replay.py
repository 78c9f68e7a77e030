"""Compares the search strategies of the tuner with those of Kernel Tuner and pyATF on 12 public measured search spaces.

    python3 -m bench.tuning.replay CHECKOUT                       the record: tuning_replay.json and .md in bench/results
    python3 -m bench.tuning.replay CHECKOUT --output FOLDER       writes the record elsewhere
    python3 -m bench.tuning.replay CHECKOUT --peer-seeds 10       fewer seeds for the peers, which are slow
    python3 -m bench.tuning.replay CHECKOUT --keep FOLDER         keeps the results of the peers, and reuses them

CHECKOUT is a checkout of https://github.com/AutoTuningAssociation/benchmark_hub: the spaces are those of convolution and
dedispersion on six GPUs. The peers are installed in a virtual environment of their own:

    python3 -m venv target/tuning-peers && target/tuning-peers/bin/pip install -r bench/tuning/requirements.txt

A time is looked up instead of measured. The measure of a strategy is the number of configurations until one reaches 95 %
of the best performance, the median over seeds. Failed configurations count, repeated ones do not. The exit code is 1 if
a measure is missed.
"""

import json
import math
import os
import pathlib
import platform
import subprocess
import sys

from bench import harness
from bench.harness import RELEASE, RESULTS, TARGET
from bench.tuning.peers import STRATEGIES

REPOSITORY = "AutoTuningAssociation/benchmark_hub"
SPACES = [(kernel, gpu) for kernel in ("convolution", "dedispersion") for gpu in ("A100", "A4000", "A6000", "MI250X", "W6600", "W7800")]
OWN = ["learned", "model", "annealing", "local", "bandit", "random"]
DEFAULT = "learned"
FRACTION, RATIO = 0.95, 0.25
# A process of a peer that takes longer has no result.
LONG = 3600


def median(needed):
    """The median, the lower one of two; None if it is above the budget."""
    ordered = sorted(math.inf if one is None else one for one in needed)
    middle = ordered[(len(ordered) - 1) // 2]
    return None if middle == math.inf else middle


def own(tool, files, strategy, options):
    """The results of a strategy of the tuner, by space."""
    command = [tool, *files, "--strategy", strategy, "--seeds", str(options.seeds), "--budget", str(options.budget)]
    command += ["--fractions", str(FRACTION), "--json"]
    return json.loads(harness.command(*command))["spaces"]


def peer(file, name, peer, strategy, options):
    """The evaluations of a strategy of a peer by seed; None if it has no result."""
    kept = options.keep and options.keep / f"{name}-{peer}-{strategy}-{options.peer_seeds}.json"
    if kept and kept.exists() and kept.stat().st_size:
        return json.loads(kept.read_text())
    command = [options.venv / "bin" / "python", "-m", "bench.tuning.peers", file, peer, strategy]
    command += ["--seeds", str(options.peer_seeds), "--budget", str(options.budget), "--fraction", str(FRACTION)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        sys.exit(f"error: {peer}, {strategy}, {name}: {done.stderr.strip()[-500:]}")
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout)
    return json.loads(done.stdout)


def ratio(medians, randoms, budget):
    """The geometric mean of medians as parts of those of random search. A median above the budget counts as the budget,
    which is less than it is."""
    return harness.mean((median or budget) / random for median, random in zip(medians, randoms))


def versions(venv):
    """The versions of what is measured."""
    listed = json.loads(harness.command(venv / "bin" / "pip", "list", "--format", "json", "--disable-pip-version-check"))
    wanted = {"kernel_tuner": "Kernel Tuner", "pyatf": "pyATF", "numpy": "NumPy", "scipy": "SciPy", "scikit-learn": "scikit-learn"}
    installed = {one["name"].lower().replace("kernel-", "kernel_"): one["version"] for one in listed}
    found = {title: installed[name] for name, title in wanted.items() if name in installed}
    return {"Python": platform.python_version(), **found}


def commit(checkout):
    """The commit of the checkout; None if it is no Git repository of its own."""
    done = subprocess.run(["git", "-C", checkout, "rev-parse", "--show-toplevel", "HEAD"], capture_output=True, text=True)
    lines = done.stdout.split()
    return lines[1] if done.returncode == 0 and pathlib.Path(lines[0]).resolve() == checkout.resolve() else None


def best(record, peer):
    """The strategy of a peer with the lowest geometric mean, of those with results on all spaces."""
    return min(record["means"][peer], key=record["means"][peer].get, default=None)


def measure(options):
    """The medians of all strategies."""
    files = [options.checkout / "cachefiles" / f"{kernel}_milo" / f"{gpu}.json.gz" for kernel, gpu in SPACES]
    missing = [str(file) for file in files if not file.exists()]
    if missing:
        sys.exit(f"error: no checkout of {REPOSITORY}: there is no {missing[0]}")
    names = [f"{kernel}-{gpu}" for kernel, gpu in SPACES]
    medians, means, spaces = {"own": {}}, {"own": {}}, []
    for strategy in OWN:
        spaces = own(options.tool, files, strategy, options)
        medians["own"][strategy] = [space["evaluations"][0]["median"] for space in spaces]
    randoms = [space["evaluations"][0]["random"] for space in spaces]
    for name, strategies in STRATEGIES.items():
        medians[name], means[name] = {}, {}
        for strategy in strategies:
            if options.strategies and strategy not in options.strategies:
                continue
            results = [peer(str(file), space, name, strategy, options) for file, space in zip(files, names)]
            if all(result is not None for result in results):
                medians[name][strategy] = [median(result) for result in results]
                print(f"{name}, {strategy}: {medians[name][strategy]}", flush=True)
    for name, strategies in medians.items():
        means[name] = {strategy: ratio(found, randoms, options.budget) for strategy, found in strategies.items()}
    return {
        "spaces": [
            {"name": name, "points": space["points"], "failed": space["failed"], "good": space["evaluations"][0]["good"]}
            for name, space in zip(names, spaces)
        ],
        "random": randoms,
        "medians": medians,
        "means": means,
    }


def missed(record):
    """The measures that are missed, each as a sentence."""
    mine = record["means"]["own"][DEFAULT]
    problems = [] if mine <= RATIO else [f"{DEFAULT} needs {mine:.3f} of the evaluations of random search"]
    for peer in STRATEGIES:
        strategy = best(record, peer)
        if strategy and mine >= record["means"][peer][strategy]:
            problems.append(f"{DEFAULT} needs as many as {strategy} of {peer}")
    return problems


def table(record, columns):
    """Medians by space. A column is a peer and a strategy."""
    count = lambda value: f"> {record['budget']}" if value is None else str(value)
    titles = [strategy if peer == "own" else f"{peer}, {strategy}" for peer, strategy in columns]
    cells = []
    for at, space in enumerate(record["spaces"]):
        values = [count(record["medians"][peer][strategy][at]) for peer, strategy in columns]
        cells.append([space["name"], space["points"], space["good"], record["random"][at], *values])
    means = [f"{record['means'][peer][strategy]:.3f}" for peer, strategy in columns]
    cells.append(["geometric mean of the ratios to random", "", "", 1, *means])
    return harness.table(["space", "configurations", "of them good", "random, exactly", *titles], cells)


def page(record):
    """The record as Markdown."""
    bests = [(peer, best(record, peer)) for peer in STRATEGIES if record["means"][peer]]
    rows = zip(record["spaces"], record["random"], record["medians"]["own"][DEFAULT])
    above = [space["name"] for space, random, mine in rows if not mine or mine / random > RATIO]
    lines = [
        f"# Replay of search strategies on measured spaces, {record['date']}",
        "",
        f"Spaces: convolution and dedispersion on six GPUs, from {REPOSITORY}" + (f", commit {record['commit']}." if record["commit"] else "."),
        f"Versions: {harness.versions(record)}.",
        f"Seeds: {record['seeds']} for the strategies of the tuner, {record['peer_seeds']} for those of the peers.",
        f"At most {record['budget']} evaluations.",
        "",
        "A number is the median over seeds of the evaluations until a configuration reaches "
        f"{FRACTION:.0%} of the best performance (its time is at most that of the best one / {FRACTION}).",
        "Failed configurations count, repeated ones do not: pyATF would measure them again.",
        "Random search is without repetitions, and its median is exact.",
        "There is no cost model in these spaces, and no promising start.",
        "A median above the limit counts as the limit in the mean.",
        "",
        f"Measures: the geometric mean of the ratios of {DEFAULT}, the default strategy, to random search is at most {RATIO}, "
        "and less than that of the best strategy of each peer.",
        harness.measures(record["missed"]),
    ]
    if above:
        lines.append(f"The ratio on a single space is above {RATIO} on {', '.join(above)}.")
        lines.append("Where random search needs fewer than 4 evaluations, no strategy can need a quarter of them.")
    lines += ["", *table(record, [("own", strategy) for strategy in record["medians"]["own"] if strategy != "random"]), ""]
    lines += ["## The best strategies of the peers", "", *table(record, [("own", DEFAULT), *bests]), ""]
    ranked = {peer: sorted(record["means"][peer].items(), key=lambda one: one[1]) for peer in STRATEGIES}
    cells = ([peer, strategy, f"{value:.3f}"] for peer, found in ranked.items() for strategy, value in found)
    titles = ["peer", "strategy", "geometric mean of the ratios to random"]
    lines += ["## All strategies of the peers", "", *harness.table(titles, cells)]
    if record["left_out"]:
        lines += ["", f"Not measured, or without a result in time on all spaces: {', '.join(record['left_out'])}."]
    return "\n".join([*lines, ""])


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=100, help="seeds for the strategies of the tuner (default: 100)")
    parser.add_argument("--peer-seeds", type=int, default=100, help="seeds for the strategies of the peers (default: 100)")
    parser.add_argument("--budget", type=int, default=1000, help="evaluations at most (default: 1000)")
    parser.add_argument("--timeout", type=float, default=LONG, help=f"seconds for a strategy of a peer on a space (default: {LONG})")
    parser.add_argument("--strategies", help="comma-separated strategies of the peers (default: all)")
    parser.add_argument("--venv", type=pathlib.Path, default=TARGET / "tuning-peers", help="the virtual environment of the peers")
    parser.add_argument("--tool", type=pathlib.Path, default=RELEASE / "mdh-replay", help="the program mdh-replay")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for results of the peers, which are reused")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS, help="the folder of the record")
    options = parser.parse_args()
    options.strategies = options.strategies.split(",") if options.strategies else []
    record = {
        "date": harness.now(),
        "commit": commit(options.checkout),
        "versions": versions(options.venv),
        "seeds": options.seeds,
        "peer_seeds": options.peer_seeds,
        "budget": options.budget,
        **measure(options),
    }
    everything = [(peer, strategy) for peer, strategies in STRATEGIES.items() for strategy in strategies]
    record["left_out"] = [f"{strategy} of {peer}" for peer, strategy in everything if strategy not in record["medians"][peer]]
    record["missed"] = missed(record)
    harness.write_record(options.output, "tuning_replay", record, page(record))
    print(page(record), end="")
    sys.exit(bool(record["missed"]))


if __name__ == "__main__":
    main()
