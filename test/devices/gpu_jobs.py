"""Tests bench.gpu with jobs that fail, kill their process, or hang: the other jobs are measured, and all results are written.

The file is also the measuring process, in place of bench/gpu/worker.py. It then gets the jobs as its argument, like that one.
"""

import json
import os
import pathlib
import sys
import tempfile
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = {"mdh": 2.0, "cuBLAS": 1.0, "PyTorch": 4.0}


def work(options):
    """Runs jobs, whose row names determine their outcome."""
    with os.fdopen(options["descriptor"], "w") as answers:

        def answer(**what):
            print(json.dumps(what), file=answers, flush=True)

        answer(header={"device": "GPU", "versions": {"cuBLAS": "1"}, "copy_bytes": 1, "copy_bandwidth": 1.0, "peers": ["cuBLAS", "PyTorch"]})
        for name, what in options["jobs"]:
            answer(begins=[name, what])
            if what == "cuBLAS" and name == "crashes":
                os.abort()
            if what == "cuBLAS" and name == "hangs":
                time.sleep(600)
            answer(ended=[name, what], entry={"error": "no memory"} if name == "fails" else {"seconds": SECONDS[what]})


def main():
    """Runs the test."""
    sys.path.insert(0, str(ROOT))
    from bench.gpu.measure import measure
    from bench.gpu.record import Record

    program = [sys.executable, pathlib.Path(__file__).resolve()]
    names = ["crashes", "hangs", "fails", "works"]
    rows = {name: types.SimpleNamespace(name=name, operations=8, read=6, written=2) for name in names}
    jobs = [[name, what] for name in names for what in ["mdh", "cuBLAS", "PyTorch", "Triton"]]
    content = {"date": "today", "engine": "cuda", "device": "GPU", "versions": {"mdh": "0"}, "copy_bytes": None, "copy_bandwidth": None, "rows": {}}
    with tempfile.TemporaryDirectory() as folder:
        record = Record(pathlib.Path(folder), content)
        arguments = types.SimpleNamespace(end=time.monotonic() + 120, limit=2)
        assert measure(arguments, {}, jobs, rows, record, program) == []
        written = json.loads((pathlib.Path(folder) / "gpu.json").read_text())
        page = (pathlib.Path(folder) / "gpu.md").read_text()
    found = written["rows"]
    assert found["crashes"]["peers"]["cuBLAS"] == {"error": "ended its process, exit code -6"}, found
    assert found["hangs"]["peers"]["cuBLAS"] == {"error": "took longer than 2 s"}, found
    assert found["fails"]["error"] == "no memory" and "ratio" not in found["fails"], found
    # The best of the installed peers; Triton is not installed.
    assert [found[name]["ratio"] for name in ("crashes", "hangs", "works")] == [2.0, 2.0, 0.5], found
    assert found["works"]["best"] == "cuBLAS" and list(found["works"]["peers"]) == ["cuBLAS", "PyTorch"], found
    assert written["versions"] == {"mdh": "0", "cuBLAS": "1"}, written
    assert "- cuBLAS on hangs: took longer than 2 s\n" in page, page
    # Measured jobs are not repeated, and jobs remain after the time limit.
    assert [job for job in jobs if job[0] == "hangs" and not record.has(*job)] == [["hangs", "cuBLAS"], ["hangs", "Triton"]]
    arguments.end = time.monotonic() + 3
    arguments.limit = 60
    assert measure(arguments, {}, [["hangs", "cuBLAS"], ["works", "mdh"]], rows, record, program) == [["hangs", "cuBLAS"], ["works", "mdh"]]


if sys.argv[1:]:
    work(json.loads(sys.argv[1]))
else:
    main()
