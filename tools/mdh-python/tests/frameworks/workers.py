"""Processes that run the cases of a campaign: a crash ends one of them, which is started again."""

from __future__ import annotations

import collections
import multiprocessing
from multiprocessing.connection import wait


class Worker:
    """A process that runs cases. `serve`: runs what a connection asks for."""

    def __init__(self, serve):
        context = multiprocessing.get_context("fork")
        self.connection, other = context.Pipe()
        self.flag = context.Value("b", False)
        self.process = context.Process(target=serve, args=(other, self.flag), daemon=True)
        self.process.start()
        other.close()
        self.case = None

    def start(self, case):
        self.case = case
        self.connection.send(case)


def outcomes(cases, jobs, serve, ended):
    """The outcomes of cases, in the order in which they end.

    `serve`: what a process runs: a function of a connection and a flag that it may set.
    `ended`: the outcome of a case that has ended its process, from the case, the flag and the status, or another case to run instead.
    """
    rest = collections.deque(cases)
    busy = {}

    def give(worker):
        if rest:
            worker.start(rest.popleft())
            busy[worker.connection] = worker

    for _ in range(jobs):
        give(Worker(serve))
    while busy:
        for connection in wait(list(busy)):
            worker = busy.pop(connection)
            try:
                outcome = worker.connection.recv()
            except EOFError:
                worker.process.join()
                outcome = ended(worker.case, bool(worker.flag.value), worker.process.exitcode)
            if isinstance(outcome, tuple):
                rest.appendleft(outcome)
            else:
                yield outcome
            give(worker if worker.process.is_alive() else Worker(serve))
