"""Replays the search strategies of pyATF and Kernel Tuner on a measured search space, as mdh-replay does ours.

    python3 -m bench.tuning.peers FILE PEER STRATEGY --seeds N --budget N --fraction F

prints the number of evaluations that each seed needs until it reaches the fraction of the best performance, as a JSON
list; null if it is above the budget. replay.py calls it, in the virtual environment of the peers.

Both peers know which configurations are legal: those of the file. A configuration that failed counts as an evaluation.
A repeated configuration does not, although pyATF would measure it again. Parameters of one value are left out. Options
of strategies are the defaults.
"""

import contextlib
import gzip
import io
import json
import random
import sys
import types
import warnings

from bench import harness

KERNEL_TUNER = [
    "adaptive_tabu_greywolf",
    "basinhopping",
    "bayes_opt",
    "diff_evo",
    "dual_annealing",
    "firefly_algorithm",
    "genetic_algorithm",
    "greedy_ils",
    "greedy_mls",
    "hybrid_vndx",
    "minimize",
    "mls",
    "ordered_greedy_mls",
    "pso",
    "simulated_annealing",
]
PYATF = ["auc_bandit", "differential_evolution", "pattern_search", "round_robin", "simulated_annealing", "torczon"]
# A strategy that ends, or that repeats known configurations this often in a row, starts again, at most so often.
IDLE, RESTARTS = 500, 50
STRATEGIES = {"Kernel Tuner": KERNEL_TUNER, "pyATF": PYATF}


class Reached(Exception):
    """The search has ended: the limit is reached, or the budget is spent."""


class Space:
    """A measured search space: the values of its parameters, and the time of each configuration, None if it failed."""

    def __init__(self, path):
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            read = json.load(file)
        self.parameters = {name: values for name, values in read["tune_params"].items() if len(values) > 1}
        entries = read["cache"].values()
        times = [entry["time"] if isinstance(entry["time"], (int, float)) else None for entry in entries]
        self.times = {tuple(entry[name] for name in self.parameters): time for entry, time in zip(entries, times)}
        self.best = min(time for time in times if time is not None)


class Search:
    """A search in a space: counts configurations until the limit is reached."""

    def __init__(self, space, limit, budget):
        self.space, self.limit, self.budget = space, limit, budget
        self.seen, self.needed, self.idle = set(), None, 0

    def evaluate(self, point):
        """The time of a configuration, None if it failed. Raises Reached at the end of the search."""
        time = self.space.times[point]
        self.idle = self.idle + 1 if point in self.seen else 0
        self.seen.add(point)
        if time is not None and time <= self.limit:
            self.needed = len(self.seen)
        if self.needed or len(self.seen) >= self.budget or self.idle > IDLE:
            raise Reached
        return time


def pyatf_space(space):
    """The space of pyATF. The constraint of a parameter is that its value continues a configuration of the file."""
    from pyatf import TP, Set
    from pyatf.search_space import SearchSpace

    names, parameters = list(space.parameters), []
    for count, (name, values) in enumerate(space.parameters.items(), 1):
        arguments = ", ".join(names[:count])
        scope = {"allowed": {point[:count] for point in space.times}}
        parameters.append(TP(name, Set(*values), eval(f"lambda {arguments}: ({arguments},) in allowed", scope)))
    return SearchSpace(*parameters, verbosity=0)


def pyatf_search(space, built, strategy, search):
    """The search of pyATF: the loop of its Tuner."""
    from pyatf import search_techniques

    kinds = [one for one in dir(search_techniques) if one[0].isupper() and one.lower() == strategy.replace("_", "")]
    technique = getattr(search_techniques, kinds[0])()
    technique.initialize(len(space.parameters))
    while True:
        costs = {}
        for coordinates in list(technique.get_next_coordinates()):
            configuration = built.get_configuration(coordinates)
            costs[coordinates] = search.evaluate(tuple(configuration[name] for name in space.parameters))
        technique.report_costs(costs)


def kernel_tuner_space(space):
    """The space of Kernel Tuner."""
    from kernel_tuner.searchspace import Searchspace

    def is_legal(values):
        return tuple(values[name] for name in space.parameters) in space.times

    return Searchspace(dict(space.parameters), [is_legal], 10**9)


def kernel_tuner_search(space, built, strategy, search):
    """The search of Kernel Tuner: a strategy with a runner that looks times up."""
    import importlib

    from kernel_tuner import interface, util
    from kernel_tuner.runners.runner import Runner

    class Lookup(Runner):
        def __init__(self):
            super().__init__()
            self.dev = types.SimpleNamespace(max_threads=10**9, name="replay")

        def get_device_info(self):
            return self.dev

        def get_environment(self, options):
            return {}

        def run(self, points, options):
            results = []
            for point in points:
                point = tuple(point)
                try:
                    time = search.evaluate(point)
                except Reached:
                    raise util.StopCriterionReached("the end of the search") from None
                options.budget.num_fevals = len(search.seen)
                failed = util.RuntimeFailedConfig()
                result = {"time": time} if time is not None else {"time": failed, "__error__": failed}
                results.append({**dict(zip(space.parameters, point)), **result})
            return results

    options = interface.Options(
        strategy_options=interface.Options(max_fevals=search.budget),
        objective=["time"],
        objective_higher_is_better=[False],
        budget=util.TuningBudget(None, search.budget),
        max_fevals=search.budget,
        tune_params=built.tune_params,
        restrictions=built.restrictions,
        restrictions_unmodified=built.restrictions,
        cache={},
        verbose=False,
        snap=True,
        metrics=None,
    )
    # Some strategies leave the end of the search to their caller.
    with contextlib.suppress(util.StopCriterionReached):
        importlib.import_module(interface._STRATEGY_IMPORTS[strategy]).tune(built, Lookup(), options)


def replay(path, peer, strategy, seeds, budget, fraction):
    """The number of evaluations by seed."""
    import numpy

    space = Space(path)
    build, run = {"pyATF": (pyatf_space, pyatf_search), "Kernel Tuner": (kernel_tuner_space, kernel_tuner_search)}[peer]
    built, needed = build(space), []
    for seed in range(seeds):
        random.seed(seed)
        numpy.random.seed(seed)
        search = Search(space, space.best / fraction, min(budget, len(space.times)))
        for _ in range(RESTARTS):
            search.idle = 0
            with contextlib.suppress(Reached):
                run(space, built, strategy, search)
            if search.needed or len(search.seen) >= search.budget:
                break
        needed.append(search.needed)
    return needed


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("file")
    parser.add_argument("peer", choices=STRATEGIES)
    parser.add_argument("strategy")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--fraction", type=float, default=0.95)
    options = parser.parse_args()
    # Peers print their progress and warn about the numbers that they compute.
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):
        needed = replay(options.file, options.peer, options.strategy, options.seeds, options.budget, options.fraction)
    json.dump(needed, sys.stdout)
    print()


if __name__ == "__main__":
    main()
