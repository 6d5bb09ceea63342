"""Maps of files that end early, or become shorter."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import npyfiles


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.npy"
    npyfiles.save(path, np.arange(100_000.0))
    return path


def test_a_short_file_is_not_mapped(path):
    os.truncate(path, 500_000)
    for open_map in (npyfiles.Map, lambda path: npyfiles.load(path, mmap_mode="r"), lambda path: npyfiles.open_memmap(path, "r")):
        with pytest.raises(npyfiles.NpyError, match="the array needs 800000 bytes at offset 128, found 499872") as caught:
            open_map(path)
        assert caught.value.path == str(path) and caught.value.kind == "Truncated" and caught.value.offset == 500_000


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_map_of_a_file_that_shrank_has_no_array(path, mode):
    with npyfiles.Map(path, mode) as map:
        assert map.array[-1] == 99_999
        os.truncate(path, 4096)
        with pytest.raises(npyfiles.NpyError, match="found 3968"):
            map.array


def test_a_member_of_an_archive_that_shrank_is_not_mapped(tmp_path):
    path = tmp_path / "a.npz"
    npyfiles.savez(path, x=np.arange(100_000.0))
    with npyfiles.open_npz(path, mmap_mode="r") as archive:
        assert archive["x"][-1] == 99_999
        os.truncate(path, 4096)
        with pytest.raises(OSError, match="unexpected end of file") as caught:
            archive["x"]
        assert caught.value.path == str(path) and caught.value.member == "x"


def test_a_member_whose_header_alone_is_left_is_not_mapped(tmp_path):
    path = tmp_path / "a.npz"
    npyfiles.savez(path, x=np.arange(100_000.0))
    with npyfiles.open_npz(path, mmap_mode="r") as archive:
        os.truncate(path, 8192)
        with pytest.raises(npyfiles.NpyError, match="'x': truncated file: the array needs 800000 bytes at offset [0-9]+, found ") as caught:
            archive["x"]
        assert (caught.value.path, caught.value.member, caught.value.offset) == (str(path), "x", 8192)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have other signals")
def test_only_the_missing_part_of_a_map_ends_the_process(path):
    """What the README says of every `mmap`: a process of its own uses a part that is there, and one that is not."""
    script = f"""
import os, npyfiles
array = npyfiles.Map({str(path)!r}).array
os.truncate({str(path)!r}, 8192)
print(array[500], flush=True)
print(array[-1], flush=True)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (-signal.SIGBUS, "500.0\n"), run
