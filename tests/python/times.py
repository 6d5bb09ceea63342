"""Where NumPy computes times in 64 bits and overflows: its text is that of another time then, or there is none."""

import numpy as np

LIMIT = 1 << 63

# What NumPy adds to steps of a unit, or takes from them: it counts days from 2000 on, and years from 0 on.
ADDED = {"Y": 1970, "W": 10_957, "D": 10_957}


def overflow(array):
    """Whether there are such times in an array, or in a field of it. A span overflows alone, where its text has the unit."""
    dtype = array.dtype
    if dtype.names is not None:
        return any(overflow(array[name]) for name in dtype.names)
    if dtype.kind != "M" and (dtype.kind != "m" or array.ndim > 0):
        return False
    unit, count = np.datetime_data(dtype)
    steps = array.ravel().astype(dtype.newbyteorder("=")).view("i8").tolist()
    factor = count * (7 if unit == "W" else 1)
    return any(step != -LIMIT and abs(step) * factor + ADDED.get(unit, 0) >= LIMIT for step in steps)
