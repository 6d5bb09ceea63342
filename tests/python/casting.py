"""Prints frames: for each pair of number dtypes an array, what `np.can_cast` says, and the array as the other dtype.

A frame is a little-endian u32 length, then as many bytes."""

import warnings

import numpy as np

from frames import frame, saved

warnings.simplefilter("ignore")
NAMES = ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


def values(dtype, random):
    """Bits of every kind, and edges."""
    dtype = np.dtype(dtype)
    bits = random.integers(0, 256, 64 * dtype.itemsize, np.uint8)
    if dtype.kind == "b":
        return (bits & 1).view(dtype)
    if dtype.kind in "ui":
        info = np.iinfo(dtype)
        edges = [info.min, info.max, 0, 1, info.max - 1, info.max // 2 + 1]
        return np.concatenate([np.array(edges, dtype), bits.view(dtype)])
    part = np.dtype({"f": dtype.str, "c": "f%d" % (dtype.itemsize // 2)}[dtype.kind])
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 65504, 65519.9, 65520, 0.1, 1e-7, 3.4e38, 1e300], part)
    parts = np.concatenate([edges, (random.normal(size=51) * 10.0 ** random.integers(-9, 9, 51)).astype(part)])
    return parts if dtype.kind == "f" else (parts + 1j * parts[::-1]).astype(dtype)


random = np.random.default_rng(7)
for source in NAMES:
    array = values(source, random)
    for target in NAMES:
        rules = "".join("01"[np.can_cast(source, target, rule)] for rule in ("safe", "same_kind"))
        for order in "<>":
            frame(target.encode())
            frame(rules.encode())
            frame(saved(array.astype(array.dtype.newbyteorder(order))))
            frame(saved(array.astype(target)) if rules[1] == "1" else b"")
