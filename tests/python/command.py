"""What NumPy says of what the command `npy` prints and writes.

command.py FUNCTION ARGUMENT...
"""

import ast
import csv
import json
import struct
import sys
import warnings

import numpy as np

from frames import call

warnings.simplefilter("ignore")


def info():
    """Compares the lines of `npy info --json` with what NumPy reads of each file, and counts those that it reads."""
    try:
        from numpy.lib import _format_impl as format
    except ImportError:
        from numpy.lib import format
    compared = 0
    for line in sys.stdin:
        found = json.loads(line)
        try:
            with open(found["file"], "rb") as file:
                shape, fortran, dtype = format._read_array_header(file, format.read_magic(file), max_header_size=10**7)
        except Exception:
            continue
        assert "error" not in found, found
        assert (found["shape"], found["order"] == "Fortran", found["objects"]) == (list(shape), fortran, dtype.hasobject), found
        if not dtype.hasobject:
            assert found["itemsize"] == dtype.itemsize and is_same(found["dtype"], str(dtype)), (found, dtype)
        compared += 1
    print(compared)


def is_same(found, expected):
    """Whether NumPy reads the text of a dtype as this one. Titles and offsets are in the text of the other only."""
    try:
        found = ast.literal_eval(found)
    except (ValueError, SyntaxError):
        pass
    found = np.lib.format.descr_to_dtype(found) if isinstance(found, list) else np.dtype(found)
    other = np.dtype(ast.literal_eval(expected) if expected[:1] in "[{(" else expected)
    return str(found) == expected or str(found.newbyteorder("=")) == str(other.newbyteorder("="))


def objects():
    """Records with objects and a field of each kind beside them."""
    dtype = [("id", "<u4"), ("depth", "O"), ("at", [("x", "O"), ("when", "<M8[s]")], (2,)), ("half", "<f2", (3, 2)), ("wide", "<c8", (40,)),
             ("code", "S2"), ("rows", [("y", "<i8")], (2,)), ("row", [("y", "<U2"), ("ok", "?")]), ("none", "<f8", (0, 2)), ("raw", "V3"),
             ("z", "<c16"), ("objects", "O", (2, 1))]
    records = np.zeros(2, dtype)
    first = records[0]
    first["id"] = 7
    first["depth"] = (1, None)
    first["at"]["x"] = ["a", {"b": 2}]
    first["at"]["when"][0] = "2024-02-29"
    first["half"][2, 1] = 0.5
    first["wide"][39] = 1 - 2j
    first["code"] = b"xy"
    first["rows"]["y"] = [3, 4]
    first["row"] = ("z", True)
    first["raw"] = b"abc"
    first["z"] = 3j
    first["objects"] = [[5], ["s"]]
    np.save(sys.stdout.buffer, records, allow_pickle=True)


def conversions(where):
    """What NumPy and Python's own readers make of the files in a directory, one line each."""
    a = np.load(f"{where}/r.npy")
    rows = list(csv.reader(open(f"{where}/r.csv", encoding="utf-8", newline="")))
    head, rows = rows[0], rows[1:]
    print(head[:5], all(np.float32(row[2]) == x for row, x in zip(rows, a["x"])), [row[3] for row in rows] == a["name"].tolist())
    times = np.array([row[1] or "NaT" for row in rows], "M8[ms]")
    print([complex(row[10]) for row in rows] == a["z"].tolist(), np.array_equal(times.view("i8"), a["at"].view("i8")))
    objects = [json.loads(line) for line in open(f"{where}/r.ndjson", encoding="utf-8")]
    print([o["pose"]["y"] for o in objects] == a["pose"]["y"].tolist(), [o["w"] for o in objects] == a["w"].tolist())
    m = np.load(f"{where}/m.npy")
    text = np.loadtxt(f"{where}/m.csv", delimiter=",")
    print(np.array_equal(text, m.reshape(2, -1)), np.array_equal(json.load(open(f"{where}/m.json")), m))
    z = np.load(f"{where}/m.npz")
    print(np.array_equal(z["m"], m), z["m"].dtype, np.isfortran(z["m"]), z["r"].dtype == a.dtype)
    data = open(f"{where}/m.safetensors", "rb").read()
    size, = struct.unpack("<Q", data[:8])
    tensor = json.loads(data[8:8 + size])["m"]
    begin, end = tensor["data_offsets"]
    print(tensor["dtype"], np.array_equal(np.frombuffer(data[8 + size:][begin:end], "<f8").reshape(tensor["shape"]), m))
    aligned = np.load(f"{where}/aligned.npy")
    print(aligned.dtype == np.dtype(a.dtype.descr, align=True), aligned["w"].tolist() == a["w"].tolist())
    np.savetxt(f"{where}/np.csv", m.reshape(2, -1), delimiter=",")
    np.savetxt(f"{where}/np.tsv", np.array([(1, "a", .5)], "i8,U3,f8"), fmt="%s", delimiter="\t", header="i\ts\tx", comments="")


def csv_files(directory):
    """An array, and text of it in the forms of NumPy and pandas."""
    a = np.random.default_rng(1).standard_normal((5, 3)) * 1e10
    np.save(f"{directory}/a.npy", a)
    np.save(f"{directory}/single.npy", a.astype("f4"))
    np.savetxt(f"{directory}/space.csv", a)
    np.savetxt(f"{directory}/comma.csv", a, delimiter=",")
    np.savetxt(f"{directory}/named.csv", a, delimiter=";", header="x;y;z")
    np.savetxt(f"{directory}/single.csv", a.astype("f4"), delimiter=",")


call(globals())
