"""Compares `npy convert` of random nested lists with np.array. Arguments: the command, a directory, how many lists."""

import math
import pathlib
import random
import subprocess
import sys

import numpy as np

npy, directory, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
random = random.Random(20261127)

LEAVES = {
    "i": lambda: random.randint(-100, 100),
    "I": lambda: random.choice([2**63, 2**64 - 1, 2**63 - 1, -(2**63), 2**53 + 1]),
    "B": lambda: random.choice([2**64, -(2**63) - 1, 10**30]),
    "f": lambda: random.choice([0.5, -1.5, math.nan, math.inf, 1e300]),
    "b": lambda: random.random() < 0.5,
    "c": lambda: complex(1, random.random()),
    "s": lambda: random.choice(["", "a", "héé", "𝄞", "x\0"]),
    "y": lambda: random.choice([b"", b"ab", b"z\0"]),
    "n": lambda: None,
    "h": lambda: np.float32(1.5),
    "d": lambda: {"k": 1},
}
KINDS = "i f b ib if ibf iI I B iB Ib If ifc bc s y sy si in n bn h d sn".split()


def nested(shape, kinds, is_ragged):
    if not shape:
        return LEAVES[random.choice(kinds)]()
    length = shape[0] + (is_ragged and random.random() < 0.2)
    items = [nested(shape[1:], kinds, is_ragged) for _ in range(length)]
    return tuple(items) if random.random() < 0.2 else items


def leaves(value):
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (list, tuple)) else [value]


def are_equal(ours, theirs):
    return len(ours) == len(theirs) and all(a == b or a != a and b != b for a, b in zip(ours, theirs))


def check(value, found):
    try:
        expected = np.array(value)
    except ValueError:
        # Lists of different lengths: one axis of lists.
        assert found.dtype == object and found.shape == (len(value),), (value, found)
        return
    assert found.shape == expected.shape, (value, found.shape, expected.shape)
    if found.dtype == expected.dtype:
        assert are_equal(list(found.flat), list(expected.flat)), (value, found, expected)
    else:
        # NumPy rounds integers, cuts NUL, or makes text of numbers. Here all is as it was.
        assert are_equal(list(found.flat), leaves(value)), (value, found, expected)
        kinds = found.dtype.kind + expected.dtype.kind
        assert kinds in ("Of", "uf", "OU", "OS"), (value, found.dtype, expected.dtype)


values = {}
for number in range(count):
    shape = [random.choice([0, 1, 2, 3, 3]) for _ in range(random.randint(1, 4))]
    values[f"n{number}"] = nested(shape, random.choice(KINDS), random.random() < 0.3)
np.save(directory / "lists.npy", values, allow_pickle=True)
subprocess.run([npy, "convert", "lists.npy:", "lists.npz"], cwd=directory, check=True)
with np.load(directory / "lists.npz", allow_pickle=True) as archive:
    assert archive.files == list(values)
    for name, value in values.items():
        check(value, archive[name])
print(f"{count} lists")
