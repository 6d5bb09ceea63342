"""Writes random arrays of structured dtypes, each twice, for the code that `DType::to_rust` makes of them.

    structs.py SEED COUNT

Two frames for each array: the array as `np.save` writes it, with zeros for
padding; and the same values in a dtype whose fields come in the reverse order,
packed, and in the other byte order.
"""

import io
import itertools
import random
import struct
import sys

import numpy as np

from random_dtypes import Refused, leaf_types, random_struct, random_value

ELEMENTS = 3


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    done = 0
    for attempt in itertools.count():
        if done == count:
            break
        rng = random.Random("%s/%d" % (seed, attempt))
        try:
            files = make_case(rng)
        except (Refused, ValueError, TypeError, SyntaxError):
            continue
        done += 1
        for data in files:
            sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


def make_case(rng):
    dtype = random_struct(rng, rng.randint(1, 4))
    if dtype.itemsize > 2000 or not is_expressible(dtype):
        raise Refused("too large, or a name or title that Rust cannot have")
    data = bytearray(ELEMENTS * dtype.itemsize)
    leaves = list(leaf_types(dtype, 0))
    for start in range(0, len(data), max(dtype.itemsize, 1)):
        for leaf, offset in leaves:
            value = random_value(rng, leaf)
            if leaf.kind == "b":
                value = bytes([value[0] & 1])
            data[start + offset:start + offset + leaf.itemsize] = value
    array = np.ndarray((ELEMENTS,), dtype, buffer=data)
    names = list(reversed(dtype.names))
    other = np.zeros(ELEMENTS, np.dtype([(name, dtype.fields[name][0].newbyteorder("S")) for name in names]))
    for name in names:
        other[name] = array[name]
    return [saved(array), saved(other)]


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    if np.load(io.BytesIO(file.getvalue()), max_header_size=10 ** 9).dtype != array.dtype:
        raise Refused("NumPy does not load what it saved")
    return file.getvalue()


def is_expressible(dtype):
    if dtype.subdtype is not None:
        # An array of arrays is one sub-array in Rust.
        return dtype.subdtype[0].subdtype is None and is_expressible(dtype.subdtype[0])
    if dtype.names is None:
        return True
    for name in dtype.names:
        field = dtype.fields[name]
        title = field[2] if len(field) > 2 else None
        if not is_text(name) or (title is not None and not is_text(title)) or not is_expressible(field[0]):
            return False
    return True


def is_text(name):
    return isinstance(name, str) and not any("\ud800" <= letter <= "\udfff" for letter in name)


if __name__ == "__main__":
    main()
