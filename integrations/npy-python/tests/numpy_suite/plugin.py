"""A plugin of pytest that puts npyfiles in the place of NumPy's own functions, whose implementation then raises.

It counts the calls of each test, so that a test that never reaches npyfiles proves nothing and is counted apart. Its counts are
written to the file that ``NPYFILES_COUNTS`` names, as JSON.
"""

import functools
import json
import os
import pickle
import sys

import numpy as np
import numpy.lib._format_impl as format_impl
import numpy.lib._npyio_impl as npyio_impl
import numpy.lib.format
import pytest

import npyfiles

FORMAT = [
    "descr_to_dtype", "dtype_to_descr", "header_data_from_array_1_0", "isfileobj", "magic", "open_memmap", "read_array",
    "read_array_header_1_0", "read_array_header_2_0", "read_magic", "write_array", "write_array_header_1_0",
    "write_array_header_2_0",
]  # fmt: skip
PRIVATE = ["_write_array_header", "_read_array_header", "_wrap_header", "_wrap_header_guess_version", "_filter_header", "_read_bytes"]
NUMPY = ["load", "save", "savez", "savez_compressed"]

calls = 0
counts = {}


def counted(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        global calls
        calls += 1
        return function(*args, **kwargs)

    return call


def refused(name):
    def refuse(*_args, **_kwargs):
        raise AssertionError(f"NumPy's own {name} was called")

    return refuse


def pytest_configure():
    for name in FORMAT:
        ours = counted(getattr(npyfiles.format, name))
        setattr(numpy.lib.format, name, ours)
        setattr(format_impl, name, refused(name))
    for name in PRIVATE:
        if hasattr(format_impl, name):
            setattr(format_impl, name, refused(name))
    for name in NUMPY:
        setattr(np, name, counted(getattr(npyfiles, name)))
        setattr(npyio_impl, name, refused(name))
    for name in ["_savez", "zipfile_factory"]:
        setattr(npyio_impl, name, refused(name))
    # Ours is a subclass, and inherits what a mapping is, not what reads.
    for name in ["__init__", "__getitem__", "close"]:
        setattr(npyio_impl.NpzFile, name, refused(f"NpzFile.{name}"))
    npyio_impl.format = numpy.lib.format
    # Nothing is unpickled, by anyone.
    for name in ["load", "loads", "Unpickler", "_Unpickler"]:
        setattr(pickle, name, refused(f"pickle.{name}"))
    np.fromfile = refused("fromfile")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    global calls
    calls = 0
    outcome = yield
    result = "passed" if outcome.excinfo is None else outcome.excinfo[0].__name__
    counts[item.nodeid.split("/")[-1]] = (calls, result)


def pytest_sessionfinish():
    path = os.environ.get("NPYFILES_COUNTS")
    if path:
        with open(path, "w") as file:
            json.dump({"numpy": np.__version__, "python": sys.version.split()[0], "tests": counts}, file)
