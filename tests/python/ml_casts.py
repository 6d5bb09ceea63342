"""What ml_dtypes makes of every byte of the types of the first argument, and of floats, doubles and integers: a frame each."""

import struct
import sys

import ml_dtypes
import numpy as np

from frames import frame

np.seterr(all="ignore")
data = sys.stdin.buffer.read()
count = struct.unpack("<I", data[:4])[0]
singles = np.frombuffer(data[4:], "<f4", count)
doubles = np.frombuffer(data[4 + 4 * count:], "<f8", count)
integers = np.frombuffer(data[4 + 12 * count:], "<i4", count)
for name in sys.argv[1].split():
    dtype = np.dtype(getattr(ml_dtypes, name))
    frame(np.arange(256, dtype="u1").view(dtype).astype("<f4").tobytes())
    for numbers in singles, doubles, integers:
        frame(numbers.astype(dtype).view("u1").tobytes())
