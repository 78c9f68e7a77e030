"""Tuners: what they measure, what they keep, and what they refuse."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import time
from typing import Any

import mdh
import numpy
import pytest
from computations import matvec
from mdh import ArgumentError, CompilationError, Size, TuningError, compiler, fp32
from mdh.compiler import CPU, CUDA, Tuner
from mdh.progress import Progress
from mdh.tuning import database, process
from mdh.tuning.result import result_of
from mdh.tuning.tuner import Budget

SCALE = """
func.func @scale(%a: f32, %x: tensor<?xf32>) -> tensor<?xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<?xf32>) -> !mdh.mda<?, f32>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%b: f32):
    %c = arith.mulf %a, %b : f32
    mdh.hom.yield %c : f32
  } : !mdh.mda<?, f32> -> !mdh.mda<?, f32>
  %y = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<?, f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""

M = numpy.arange(512, dtype="f").reshape(16, 32) % 7
v = numpy.arange(32, dtype="f") % 5


def w() -> Any:
    return numpy.zeros(16, "f")


@pytest.fixture(autouse=True)
def no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MDH_DATABASE", raising=False)


def rows(path: pathlib.Path) -> int:
    """The number of measurements in a database, which another process may be making."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            (count,) = connection.execute("select count(*) from measurement").fetchone()
            return int(count)
    except sqlite3.OperationalError:
        return 0


def session(**changes: Any) -> dict[str, Any]:
    """What is known of a session."""
    found = {"function": "f", "default_seconds": 2e-3, "best_seconds": 1e-3, "ratio": 0.5, "evaluations": 3}
    ends = {"failed": 1, "elapsed_seconds": 4.0, "interrupted": False, "exhausted": False, "schedule": "{}"}
    return {**found, **ends, **changes}


def test_a_budget_is_that_of_all_sessions(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tuned.db"
    computation = matvec(fp32, Size("I"), Size("K"))
    options: Any = {"database": path, "inputs": (w(), M, v)}
    function = compiler.compile(computation, CPU(threads=1), Tuner(2, **options))
    output = w()
    function.run(output, M, v)
    numpy.testing.assert_allclose(output, M @ v, rtol=1e-5)
    first = function.tuning
    assert first is not None and first.is_new and not first.is_interrupted
    assert (first.function, first.evaluations, first.database) == ("matvec", 2, str(path))
    assert first.best_seconds == pytest.approx(first.default_seconds * first.ratio)
    assert json.loads(first.schedule)["system"] == "cpu" and rows(path) == 2

    def run(*_: Any) -> str:
        raise TuningError("a session begins")

    monkeypatch.setattr(process, "run", run)
    second = mdh.tune(function, w(), M, v, budget=2, database=path)
    assert not second.is_new and second.ratio == first.ratio
    for arrays, changes in (
        ((w(), M, v), {"again": True}),
        ((w(), M, v), {"budget": 3}),
        ((w(), M, v), {"seed": 2}),
        ((w()[:8], M[:8], v), {}),
    ):
        with pytest.raises(TuningError, match="a session begins"):
            mdh.tune(function, *arrays, **{"budget": 2, "database": path, **changes})


def test_a_tuner_ends_with_its_process(tmp_path: pathlib.Path) -> None:
    text = f"""
import mdh
scale = mdh.compile('''{SCALE}''', threads=1)
mdh.tune(scale, 2.0, __import__("numpy").ones(32, "f"), budget="10m", database={str(tmp_path / "tuned.db")!r})
"""
    folder = tmp_path / "temporary"
    folder.mkdir()
    process = subprocess.Popen([sys.executable, "-c", text], env={**os.environ, "TMPDIR": str(folder)})
    deadline = time.monotonic() + 60
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    # The tuner has a folder, and the process that started it another one.
    while len(list(folder.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    tuner = pathlib.Path("/proc", children.read_text().split()[0])
    process.terminate()
    process.wait()

    def is_running() -> bool:
        return tuner.exists() and "\nState:\tZ" not in (tuner / "status").read_text()

    while is_running() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running()


def test_an_interrupt_keeps_what_was_measured(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "tuned.db"
    text = f"""
import mdh, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
scale = mdh.compile('''{SCALE}''', threads=1)
result = mdh.tune(scale, 2.0, __import__("numpy").ones(32, "f"), budget="10m", database={str(path)!r})
print(result.is_interrupted, result.evaluations)
"""
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None and not rows(path):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    output, problem = process.communicate(timeout=60)
    assert process.returncode == 0, problem
    is_interrupted, evaluations = output.split()
    assert is_interrupted == "True" and int(evaluations) == rows(path) >= 1


@pytest.mark.parametrize("budget", [0, -1, True, 2.5, None, "", "0s", "10", "5d", "m", "1e3s"])
def test_budgets_that_are_refused(budget: Any) -> None:
    if budget == "10":
        assert Budget.of(budget) == Budget(evaluations=10)
        return
    with pytest.raises(TuningError) as raised:
        Tuner(budget)
    wanted = "a number of evaluations, such as 50, or a time, such as '90s', '10m' or '2h'"
    assert str(raised.value) == f"a budget must be {wanted}, but is {budget!r}"


def test_what_is_left_of_a_budget() -> None:
    assert Budget.of(5).left([]) == "5"
    assert Budget.of(5).left([session(), session(evaluations=1)]) == "1"
    assert Budget.of(5).left([session(), session()]) is None
    assert Budget.of("1m").left([session(elapsed_seconds=20.5)]) == "39.500s"
    assert Budget.of("1m").left([session(elapsed_seconds=60.1)]) is None
    # There is nothing else to measure.
    assert Budget.of("2h").left([session(exhausted=True)]) is None


def test_options_that_are_refused(tmp_path: pathlib.Path) -> None:
    computation = matvec(fp32, 16, 32)
    for options, message in (
        ({"seed": -1}, "a seed must be an integer from 0 to 2^64 - 1, but is -1"),
        ({"strategy": 3}, "a strategy must be a name, but is 3"),
        ({"database": 3}, "a database must be a path, but is 3"),
    ):
        with pytest.raises(CompilationError) as raised:
            Tuner(**options)  # type: ignore[arg-type]
        assert str(raised.value) == message
    for chosen, message in (
        ({"tuner": compiler.pyATF(compiler.CUDARuntimeProfiler(), 3)}, "measures on cuda, but the backend is cpu"),
        ({"tuner": Tuner(3), "database": "tuned.db"}, "a tuner has a database of its own, but database is 'tuned.db'"),
    ):
        with pytest.raises(CompilationError) as raised:
            compiler.compile(computation, **chosen)  # type: ignore[arg-type]
        assert message in str(raised.value)
    with pytest.raises(TuningError, match="requires a profiler, such as CUDARuntimeProfiler"):
        compiler.pyATF(None, 3)
    with pytest.raises(TuningError, match="a number of at least 1, but is 0"):
        compiler.evaluations(0)
    compiler.pyATF(CUDA(1), compiler.evaluations(3)).check("cuda:0")


def test_arguments_that_are_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "tuned.db"
    with pytest.raises(ArgumentError) as raised:
        compiler.compile(matvec(fp32, 16, 32), tuner=Tuner(2, database=path, inputs=(w(), M.T, v)))
    assert str(raised.value) == "the input 'M' of matvec must have the shape (16, 32), but has (32, 16)"
    with pytest.raises(TuningError) as missing:
        mdh.tune(matvec(fp32, Size("I"), 32), database=path)
    assert "argument 1 (tensor<?x32xf32>) has a size that is known at calls only" in str(missing.value)
    with pytest.raises(TuningError, match=r"argument 1 \(f32\) is a number"):
        mdh.tune(mdh.compile(SCALE), database=path)
    with pytest.raises(ArgumentError, match="mdh.tune requires a compiled function, one of mdh.jit, or a computation, but has 3"):
        mdh.tune(3)
    assert not path.exists()


def test_errors_of_the_process_are_one_line(tmp_path: pathlib.Path) -> None:
    path, text = tmp_path / "tuned.db", tmp_path / "text.db"
    text.write_text("no database\n" * 100)
    scale = mdh.compile(SCALE)
    for options, message in (
        ({"database": text}, f"'{text}' is not a database of tuning results"),
        ({"strategy": "luck"}, r"invalid value 'luck' for '--strategy <NAME>' \[possible values: .*\]"),
    ):
        with pytest.raises(TuningError) as raised:
            mdh.tune(scale, 2.0, v, budget=2, **{"database": path, **options})
        assert re.fullmatch(message, str(raised.value))
    with pytest.raises(TuningError) as shape:
        mdh.tune(scale, 2.0, M, budget=2, database=path)
    assert str(shape.value) == "input 2 of 'scale': requires shape [?], but holds shape [16, 32]"
    assert text.read_text() == "no database\n" * 100


def test_a_database_that_cannot_be_used_is_a_warning(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, newer = tmp_path / "text.db", tmp_path / "newer.db"
    text.write_text("no database\n" * 100)
    with sqlite3.connect(newer) as connection:
        connection.execute("create table of_the_future (a)")
        # What marks databases of tuning results.
        connection.execute(f"pragma application_id = {int.from_bytes(b'MDHt')}")
        connection.execute("pragma user_version = 99")
    monkeypatch.setenv("MDH_CACHE_DIR", "")
    monkeypatch.setenv("MDH_DATABASE", str(text))
    for option, problem in ((None, str(text)), (newer, "newer.db' has version 99"), ("", "")):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "mdh"):
            function = mdh.compile(SCALE, database=option)
        warning = "default schedules are used instead of tuned ones"
        assert (warning in caplog.text and problem in caplog.text) if problem else not caplog.records
        assert (function(2.0, v) == 2 * v).all()


@pytest.mark.parametrize("is_shown", [True, False])
def test_progress_is_not_an_error(is_shown: bool) -> None:
    line = Progress(is_shown)
    read, write = os.pipe()
    reader = process._Reader(read, line, "f")
    shown = ("reference ██░░ 42% 1s\r", "⠁ f: 3 evaluations   \r\x1b[2K", "⠁ f: 4 evaluations")
    for text in (*shown[:2], "error: 'f: x' is wrong\n", shown[2]):
        os.write(write, text.encode())
    os.close(write)
    said = reader.text().splitlines()
    assert "error: 'f: x' is wrong" in said
    assert (len(said), line.note) == ((1, "4 evaluations") if is_shown else (4, ""))


def test_the_default_database(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("HOME", "/someone")
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    assert Tuner().path() == "/someone/.local/state/mdh/tuned.db"
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert Tuner().path() == "/state/mdh/tuned.db"
    monkeypatch.setenv("MDH_DATABASE", "mine.db")
    assert Tuner().path() == os.path.abspath("mine.db")
    assert Tuner(database=tmp_path / "other.db").path() == str(tmp_path / "other.db")
    monkeypatch.delenv("MDH_DATABASE")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("HOME")
    assert database.default_path() is None
    with pytest.raises(TuningError, match="a tuner requires a database"):
        Tuner().path()


def test_sessions_are_kept_beside_the_database(tmp_path: pathlib.Path) -> None:
    from mdh.tuning import sessions

    path = str(tmp_path / "tuned.db")
    sessions.write(path, "a", session(ratio=0.25))
    assert sessions.read(path, "a") == []
    pathlib.Path(path).touch()
    with open(path + ".sessions", "a", encoding="utf-8") as file:
        file.write('{"name": "a"}\n[]\n{"name": "a", "resu\n')
    sessions.write(path, "b", session())
    sessions.write(path, "a", session(interrupted=True))
    found = sessions.read(path, "a")
    assert [one["ratio"] for one in found] == [0.25, 0.5]
    assert sessions.latest(found)["ratio"] == 0.25 and sessions.latest(found[1:])["ratio"] == 0.5
    assert sessions.name(["a"]) != sessions.name(["b"])
    sessions.write(str(tmp_path / "no/tuned.db"), "a", session())


def test_results_are_shown() -> None:
    result = result_of(session(function="a<b"), "tuned.db", is_new=True)
    assert str(result) == "a<b: 2 ms with the default schedule, 1 ms with the best one, 2.00 times as fast"
    html = result._repr_html_()
    assert html.count("<tr>") == 3 and ">2.00<" in html
    assert html.endswith("<p>a&lt;b: 3 evaluations, 1 of them without a time in 4 s</p>")
