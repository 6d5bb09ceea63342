"""Reads paths of .npy files, one a line, and prints a frame for each: what `np.save` writes of what `np.load` gives; empty if it refuses.

A frame is a little-endian u32 length, then as many bytes."""

import io
import struct
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
for line in sys.stdin:
    stream = io.BytesIO()
    try:
        array = np.load(line.rstrip("\n"))
        np.save(stream, array, allow_pickle=False)
        payload = stream.getvalue()
    except Exception:
        payload = b""
    sys.stdout.buffer.write(struct.pack("<I", len(payload)) + payload)
