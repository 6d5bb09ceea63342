"""The judge: NumPy's installed tests of its formats, with npyfiles in the place of NumPy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SUITE = Path(__file__).parent / "numpy_suite"
# They take 4 GiB or more of memory or of disk: `NPYFILES_LARGE=1` runs them.
LARGE = ["test_large_archive", "test_large_zip", "test_big_arrays", "test_large_file_support"]
# Tests that reach npyfiles, by their file: fewer would mean that the plugin is not in their way.
REACHED = {"test_format.py": 36, "test_io.py": 36}


@pytest.mark.parametrize("name", list(REACHED))
def test_numpys_own_tests_pass(name, tmp_path):
    test = Path(np.__file__).parent / "lib" / "tests" / name
    counts = tmp_path / "counts.json"
    large = [] if os.environ.get("NPYFILES_LARGE") else ["-k", " and ".join(f"not {test}" for test in LARGE)]
    environment = {**os.environ, "NPYFILES_COUNTS": str(counts), "PYTHONPATH": os.pathsep.join([str(SUITE), *sys.path])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "plugin", "-p", "no:cacheprovider", str(test), *large]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    found = json.loads(counts.read_text())
    reached = {test: result for test, (calls, result) in found["tests"].items() if calls}
    failed = {test: result for test, result in reached.items() if result not in ("passed", "Skipped", "XFailed")}
    line = f"NumPy {found['numpy']}, Python {found['python']}, {name}: {len(found['tests'])} tests, {len(reached)} reach npyfiles"
    print(f"{line}, {len(reached) - len(failed)} of them pass")
    assert not failed, f"{line}\n{run.stdout[-5000:]}"
    assert len(reached) >= REACHED[name], line
