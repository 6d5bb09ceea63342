"""Bad input: an exception that names the file and the reason, never a crash, and nothing imported, called or opened."""

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

import bypasses
import numpy as np
import pytest

DATA = Path(__file__).parents[3] / "tests" / "data"
HEADER = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"


def npy(pickle):
    text = HEADER + b" " * (117 - len(HEADER)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + pickle


def watched(tmp_path, files):
    """Load files in a process whose audit events are recorded."""
    warm = tmp_path / "warm.npz"
    np.savez(warm, objects=np.array([1, "a", datetime.datetime.now()], object), numbers=[1.5])
    paths = []
    for number, (title, content) in enumerate(files):
        path = tmp_path / f"{number}.npy"
        path.write_bytes(content)
        paths.append(str(path))
    script = Path(__file__).parent / "watched.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, str(script), str(warm)], input="\n".join(paths), capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and len(lines) == len(files), (run.returncode, len(lines), run.stderr[-2000:])
    return [(title, path, json.loads(line)) for (title, _), path, line in zip(files, paths, lines)]


def expect_refused(found):
    for title, path, result in found:
        assert result["class"] is not None, f"{title} was loaded"
        assert {"ValueError", "EOFError", "OSError", "MemoryError"} & set(result["bases"]), (title, result)
        assert result["events"] == [], (title, result["events"])


def test_payloads_run_nothing(tmp_path):
    payloads = list(bypasses.payloads())
    files = [(title, npy(payload)) for title, payload in payloads]
    files += [(f"{title}, as an item", npy(bypasses.in_array(payload))) for title, payload in payloads]
    files += [(f"{title}, alone", payload) for title, payload in payloads]
    found = watched(tmp_path, files)
    # The call is thrown away with its result, and what is left is None: as data, it is an array like any other.
    harmless = {"a payload whose result is popped, as an item"}
    expect_refused([case for case in found if case[0] not in harmless])
    assert all(result["events"] == [] for _, _, result in found)
    assert len(payloads) >= 100
    assert not list(tmp_path.glob(f"**/{bypasses.MARK}"))
    unnamed = [title for title, path, result in found if result["class"] and path not in result["message"]]
    assert not unnamed


def test_an_array_without_a_payload_loads(tmp_path):
    """The frame of the items is not what is refused."""
    [(_, _, result)] = watched(tmp_path, [("plain", npy(bypasses.in_array(bypasses.text("plain") + b".")))])
    assert result["class"] is None, result


def table(name):
    lines = (DATA / name).read_text().splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


@pytest.mark.skipif(not DATA.exists(), reason="the corpus is in the repository")
def test_the_hostile_corpus_raises(tmp_path):
    # Those of records are valid, but not for the Rust type that they are about.
    cases = [(case["case"], bytes.fromhex(case["file"])) for case in table("hostile.tsv") if case["format"] != "record"]
    found = watched(tmp_path, cases)
    assert all(result["events"] == [] for _, _, result in found)
    # Neither has NumPy a limit of elements without bytes, and its `load` tells archives from arrays.
    valid = {f"a million elements of {dtype}" for dtype in ("'|S0'", "'<U0'", "'|V0'", "[]")} | {"an .npy file as an archive"}
    assert {title for title, _, result in found if result["class"] is None} == valid
    expect_refused([case for case in found if case[0] not in valid])


@pytest.mark.skipif(not DATA.exists(), reason="the corpus is in the repository")
def test_the_corpus_of_pickles_raises(tmp_path):
    cases = [(case["case"], npy(bytes.fromhex(case["pickle"]))) for case in table("pickles.tsv")]
    found = watched(tmp_path, cases)
    assert all(result["events"] == [] for _, _, result in found)
    expect_refused([case for case in found if case[2]["class"]])
