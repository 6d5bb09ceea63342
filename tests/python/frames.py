"""What the scripts have in common: frames, each a little-endian u32 length, then as many bytes, files in memory, and their arguments."""

import io
import struct
import sys

import numpy as np


def frame(data):
    sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def frames():
    """The frames of standard input."""
    data, at = sys.stdin.buffer.read(), 0
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "little")
        yield data[at + 4:at + 4 + length]
        at += 4 + length


def call(functions):
    """Calls the function that the first argument names, with the others."""
    name, *arguments = sys.argv[1:]
    functions[name](*arguments)
