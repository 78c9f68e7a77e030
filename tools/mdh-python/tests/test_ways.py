"""Each form of a product of matrices is the same by all ways into the compiler: the tool, the package, and objects."""

import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[3]))
from bench import harness, ways


@pytest.mark.skipif(shutil.which(harness.clang()) is None, reason="shared objects require the linker of clang 22")
@pytest.mark.parametrize("form", ways.FORMS, ids=" ".join)
def test_all_ways_compute_each_form(form, tmp_path):
    runs = ways.made([sys.executable, "-m", "mdh"], form, (37, 29, 41), tmp_path)
    assert len(runs) == 4 and all(run(1) > 0 for run in runs.values())
