"""Arrays in either order, and slices of them, as NumPy writes them.

arrays.py FUNCTION ARGUMENT...
"""

import itertools
import random
import sys

import numpy as np

from frames import call, frame, saved


def panels(path):
    """Saves an array in Fortran order, and writes its elements in C order."""
    array = np.asfortranarray(np.random.default_rng(7).integers(0, 1 << 60, (61, 97, 103)).astype(">i8"))
    np.save(path, array)
    sys.stdout.buffer.write(np.ascontiguousarray(array).astype("<i8").tobytes())


def slices():
    base = np.arange(1, 6 * 7 * 5 + 1, dtype="i4").reshape(6, 7, 5)
    for array in [
        base[::-1],
        base[1:4],
        base[:, 2:5],
        base[:, :, 1:4],
        base[::2, ::3, ::-2],
        base[3],
        base[:, 3],
        base[:, :, 3],
        base.transpose(1, 0, 2),
        base.T,
        base[:0],
        base[:1, :1, :1],
        np.broadcast_to(base[0, 0], (3, 5)),
    ]:
        frame(saved(array))


def in_both_orders(array):
    frame(saved(np.array(array, order="C")))
    frame(saved(np.array(array, order="F")))


def of_every_dtype():
    """Random arrays of each dtype: as they are, in C order, in Fortran order."""
    random.seed(11)
    dtypes = "b1 i1 u2 >u2 i4 >f4 f8 >f8 c8 >c16 f2 S3 S8 U1 >U2 V5 M8[ms] >m8[s] f16 O".split()
    records = [[("a", "i4"), ("b", ">f8", (2,)), ("c", "S3")], [("a", "u1"), ("b", [("c", "f4")])]]
    for dtype in dtypes + records:
        for _ in range(8):
            shape = [random.choice([0, 1, 1, 2, 3, 5, 7, 18, 33]) for _ in range(random.randrange(6))]
            while np.prod(shape) > 2000:
                shape[random.randrange(len(shape))] = 1
            array = filled(np.dtype(dtype), int(np.prod(shape))).reshape(shape, order=random.choice("CF"))
            frame(saved(array))
            in_both_orders(array)


def filled(dtype, count):
    if dtype == object:
        return np.array([i % 3 for i in range(count)] + [None], dtype)[:-1]
    if dtype == np.dtype("f16"):
        return np.arange(count).astype(dtype)
    if dtype.kind == "U":
        return np.array([str(i % 10) * (1 + i % 2) for i in range(count)] + ["x"], dtype)[:-1]
    array = np.frombuffer((bytes(range(1, 101)) * (count * dtype.itemsize // 100 + 1))[: count * dtype.itemsize], dtype)
    return (array.view("u1") % 2).astype(bool) if dtype == bool else array


def views():
    """Transposed and stepped views of a large array, in both orders."""
    array = np.arange(67 * 71 * 73, dtype="u8").reshape(67, 71, 73)
    for axes in itertools.permutations(range(3)):
        for step in [1, 2, -1]:
            in_both_orders(array.transpose(axes)[:, ::step])


def of_every_width():
    """Large arrays in Fortran order, and in C order."""
    shapes = [(1030, 4301), (1024, 4096), (1031, 1153), (640, 1024), (300, 1001), (700, 601)]
    for dtype, shape in zip(["u1", "<i2", ">f4", "<f8", "c16", "V12"], shapes):
        dtype = np.dtype(dtype)
        data = np.random.default_rng(5).integers(0, 100, shape[0] * shape[1] * dtype.itemsize, "u1")
        array = np.frombuffer(data.tobytes(), dtype).reshape(shape, order="F")
        frame(saved(array))
        frame(saved(np.ascontiguousarray(array)))


call(globals())
