"""What the scripts have in common: frames, each a little-endian u32 length, then as many bytes, and files in memory."""

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
