"""Files of objects and what NumPy reads in them. `cases SEED COUNT GOLDEN...` prints six frames for each of some random and mutated
files: what it is, the file, and the answer. `read` is given frames of files, and prints the answer to each: why NumPy refuses it (empty
if it reads it), its content as `dump` of objects.py prints it, what `np.save` writes of it, and what is odd in the pickle.

Only the globals of data are found, so that no mutated pickle calls anything else, and all happens in a child with limits."""

import io
import os
import pickle
import pickletools
import sys
import types
import warnings

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from frames import frame
from isolated import isolated, split
from objects import dump
from random_objects import GLOBALS, cases

warnings.simplefilter("ignore")
np.seterr(all="ignore")


class DataUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in GLOBALS:
            raise pickle.UnpicklingError("global %s.%s is not of data" % (module, name))
        return super().find_class(module, name)


# All that numpy.lib.format takes of the module to read with.
np.lib._format_impl.pickle = types.SimpleNamespace(
    load=lambda stream, **options: DataUnpickler(stream, **options).load(), dump=pickle.dump)


def odd(file):
    """`drops` if the pickle makes objects that end up nowhere, `frame` if one of its frames ends within an opcode."""
    found, starts, ends = set(), set(), set()
    data = file[file.find(b"\n") + 1:]
    try:
        for operation, argument, at in pickletools.genops(data):
            starts.add(at)
            if operation.name in ("POP", "POP_MARK"):
                found.add("drops")
            if operation.name == "FRAME":
                ends.add(at + 9 + argument)
            if operation.name == "STOP":
                starts.add(at + 1)
    except Exception:
        pass
    if ends - starts:
        found.add("frame")
    return " ".join(sorted(found)).encode()


def answer(file):
    try:
        array = np.lib.format.read_array(io.BytesIO(file), allow_pickle=True, pickle_kwargs={"encoding": "ASCII", "fix_imports": True})
        if not isinstance(array, np.ndarray):
            return [b"no array: %s" % type(array).__name__.encode(), b"", b"", odd(file)]
    except Exception as error:
        return [("%s: %s" % (type(error).__name__, str(error)[:300])).encode("utf-8", "replace"), b"", b"", odd(file)]
    if not (array.dtype.hasobject or array.dtype.kind == "T"):
        return [b"no objects", b"", b"", odd(file)]
    again = io.BytesIO()
    try:
        text = dump(array).encode("utf-8", "replace")
    except Exception as error:
        text = ("no text: %s: %s" % (type(error).__name__, str(error)[:300])).encode("utf-8", "replace")
    try:
        np.save(again, array)
    except Exception:
        again = io.BytesIO()
    return [b"", text, again.getvalue(), odd(file)]


def main():
    if sys.argv[1] == "read":
        for texts in isolated(list(split(sys.stdin.buffer.read())), answer, 4):
            for text in texts:
                frame(text)
        return
    golden = [open(path, "rb").read() for path in sys.argv[4:]]
    made = list(cases(int(sys.argv[2]), int(sys.argv[3]), golden))
    for (name, file), texts in zip(made, isolated([file for _, file in made], answer, 4)):
        frame(name.encode())
        frame(file)
        for text in texts:
            frame(text)


main()
