"""Random arrays and regions of them, for tests/regions.rs.

Prints frames (a little-endian u32 length, then as many bytes): first the
version of NumPy, then five for each case: the dtype's name, the array as
``np.save`` writes it, the region as ``start:stop:step`` for each axis with
spaces between, the region's bytes in the order of the file, and the region as
``np.save`` writes it.
"""

import random
import sys

import numpy as np

from frames import frame, saved

DTYPES = {
    "u1": "|u1",
    "bool": "|b1",
    "i2": "<i2",
    "big i4": ">i4",
    "f8": "<f8",
    "big f8": ">f8",
    "text": "<U3",
    "record": [("a", "<i4"), ("b", "<f8")],
    "aligned": np.dtype([("a", "<i4"), ("b", "<f8")], align=True),
    "empty": "|S0",
}


def axis(rng, length):
    """A random slice within an axis; now and then empty, or all of it."""
    kind = rng.random()
    if kind < 0.2:
        return slice(0, length, 1)
    start = rng.randint(0, length)
    stop = rng.randint(start, length)
    if kind < 0.3 and start < length:
        stop = start + 1
    if kind > 0.4 and stop == start:
        start, stop = 0, length
    return slice(start, stop, rng.choice([1, 1, 2, 3, rng.randint(1, 12)]))


def main():
    rng = random.Random(int(sys.argv[1]))
    numbers = np.random.default_rng(int(sys.argv[1]))
    frame(("NumPy " + np.__version__).encode())
    for case in range(int(sys.argv[2])):
        name = rng.choice(list(DTYPES))
        dtype = np.dtype(DTYPES[name])
        axes = rng.randint(1, 5)
        longest = [0, 2000, 60, 18, 9, 6][axes]
        if case % 25 == 0 and axes > 1:
            longest *= 4
        least = 0 if rng.random() < 0.1 else 1
        shape = [rng.randint(least, longest) for _ in range(axes)]
        count = int(np.prod(shape))
        if name == "text":
            array = numbers.integers(97, 123, 3 * count, dtype="<u4").view(dtype)
        elif name == "bool":
            array = numbers.integers(0, 2, count, dtype="u1").view(dtype)
        elif name == "empty":
            array = np.zeros(count, dtype)
        else:
            array = np.frombuffer(numbers.bytes(count * dtype.itemsize), dtype)
        order = rng.choice("CF")
        array = np.array(array.reshape(shape), order=order)
        file = saved(array)
        # An array that is both is saved as one in C order.
        order = "F" if b"'fortran_order': True" in file[:1000] else "C"
        region = tuple(axis(rng, length) for length in shape)
        part = np.array(array[region], order=order)
        frame(name.encode())
        frame(file)
        frame(" ".join("%d:%d:%d" % (s.start, s.stop, s.step) for s in region).encode())
        # As plain bytes, because NumPy does not copy what lies between fields.
        raw = array.view("V%d" % dtype.itemsize) if dtype.itemsize else array
        frame(raw[region].tobytes(order))
        frame(saved(part))


main()
