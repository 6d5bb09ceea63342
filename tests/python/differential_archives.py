"""Reads frames of archives. For each it prints two: why `np.load` refuses it (empty if it does not), and frames of its members by
threes: the name, why it is refused (empty if it is not), and what `np.save` writes of the array, or the bytes of what is none."""

import io
import os
import struct
import sys
import warnings

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from frames import frame, saved
from isolated import isolated, split

warnings.simplefilter("ignore")


def said(error):
    return ("%s: %s" % (type(error).__name__, str(error)[:200])).encode("utf-8", "replace")


def member(archive, name):
    try:
        found = archive[name]
        return [b"", found if isinstance(found, bytes) else saved(found)]
    except Exception as error:
        return [said(error), b""]


def answer(file):
    try:
        archive = np.load(io.BytesIO(file), allow_pickle=False, max_header_size=1 << 20)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            return [b"no archive", b""]
        names = list(dict.fromkeys(archive.zip.namelist()))
    except Exception as error:
        return [said(error), b""]
    frames = [part for name in names for part in [name.encode("utf-8", "surrogatepass"), *member(archive, name)]]
    return [b"", b"".join(struct.pack("<I", len(part)) + part for part in frames)]


for texts in isolated(list(split(sys.stdin.buffer.read())), answer, 2):
    for text in texts:
        frame(text)
