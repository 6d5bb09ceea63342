"""Random arrays and slices of them, for npy-cli/tests/show.rs.

    python slices.py SEED COUNT

Standard output gets frames: the version of NumPy, then five for each case: the array as np.save writes it, the slice, what `print` prints
of it, its JSON, and `ok`; or `error` if NumPy refuses the slice.
"""

import io
import json
import sys
import warnings

import numpy as np

import printing
from frames import frame, saved
from printing import RANDOM, column, encoded, object_array, record_array

NAMES = ["a", "it's", "two words", "é", "x.y", 'say "no"', "[0]", "tab\t", "\\"]


def shape_of():
    sort = RANDOM.randrange(10)
    if sort == 0:
        return ()
    if sort <= 3:
        return (RANDOM.choice([0, 1, 2, 5, 12, 40]),)
    if sort <= 8:
        return tuple(RANDOM.randrange(0 if RANDOM.random() < 0.1 else 1, 6) for _ in range(RANDOM.randrange(2, 5)))
    return RANDOM.choice([(1500,), (40, 50), (2, 700), (600, 3), (11, 12, 13)])


def renamed(dtype):
    """The same fields, some with odd names."""
    if dtype.names is None or RANDOM.random() < 0.5:
        return dtype
    names = RANDOM.sample(NAMES, len(NAMES))[: len(dtype.names)]
    return np.dtype({"names": names, "formats": [dtype[name] for name in dtype.names], "offsets": [dtype.fields[name][1] for name in dtype.names], "itemsize": dtype.itemsize})


def array_of():
    shape = shape_of()
    count = int(np.prod(shape))
    sort = RANDOM.random()
    if sort < 0.08 and count < 100:
        array = object_array(shape, 1) if sort < 0.05 else record_array(shape, 1)
        return array
    array = column(count, 0 if sort < 0.6 else 2)
    while sort < 0.3 and array.dtype.names is None:
        array = column(count)
    array = array.view(renamed(array.dtype)) if array.dtype.names else array
    array = array.reshape(shape)
    return np.asfortranarray(array) if RANDOM.random() < 0.3 else array


def number(length):
    return RANDOM.choice([None, 0, 1, -1, length, -length, length + 3, -length - 3, 10**30, -(10**30), RANDOM.randrange(-length - 1, length + 1)])


def blanks():
    return RANDOM.choice(["", "", "", " "])


def slice_of(length):
    parts = ["" if value is None else str(value) for value in (number(length), number(length))]
    step = RANDOM.choice([None, "", 1, 2, 3, -1, -2, -3, 7, -(10**30), 10**30])
    text = blanks() + (blanks() + ":" + blanks()).join(parts)
    return text + ("" if step is None else f":{step}")


def item(length):
    sort = RANDOM.random()
    if sort < 0.25 and length:
        return str(RANDOM.randrange(-length, length))
    if sort < 0.3:
        return str(RANDOM.choice([length, -length - 1, 10**30]))
    if sort < 0.5:
        return ":"
    return slice_of(length)


def axes(array):
    count = RANDOM.randrange(0, array.ndim + 1)
    if RANDOM.random() < 0.03:
        count += 1
    front = RANDOM.randrange(count + 1)
    lengths = list(array.shape[:front]) + list(array.shape[array.ndim - (count - front) :] if count > front else [])
    items = [item(length) for length in lengths] + [":"] * (count - len(lengths))
    if count < array.ndim and RANDOM.random() < 0.3 or front < count or not items:
        items.insert(min(front, len(items)), "...")
    if RANDOM.random() < 0.05:
        items.insert(RANDOM.randrange(len(items) + 1), "None")
    return "[" + ("," + blanks()).join(items) + ("," if RANDOM.random() < 0.1 else "") + "]"


def step(array):
    names = array.dtype.names
    if not names or RANDOM.random() < 0.4:
        if array.shape == () and RANDOM.random() < 0.5:
            return RANDOM.choice(["[()]", "[...]"])
        return axes(array)
    if RANDOM.random() < 0.25 and not array.dtype.hasobject:
        chosen = RANDOM.sample(names, RANDOM.randrange(1, len(names) + 1))
        return "[[" + ", ".join(map(repr, chosen)) + "]]"
    return f"[{RANDOM.choice(names)!r}]"


def to_json(value, dtype):
    """What `npy show --json` is to write, for what Python can tell; `None` elsewhere."""
    if isinstance(value, np.ndarray) and value.shape:
        return [to_json(part, dtype) for part in value]
    value = value[()] if isinstance(value, np.ndarray) else value
    if dtype.names is not None:
        return {name: to_json(value[name], dtype[name].base) for name in dtype.names}
    kind = dtype.kind
    if kind == "b":
        return bool(value)
    if kind in "iu":
        return int(value)
    if kind == "f" and dtype.itemsize <= 8:
        if np.isnan(value):
            return "NaN"
        return ("Infinity" if value > 0 else "-Infinity") if np.isinf(value) else float(str(value))
    if kind == "c" and dtype.itemsize <= 16:
        part = np.dtype(f"f{dtype.itemsize // 2}")
        return [to_json(value.real, part), to_json(value.imag, part)]
    if kind == "S":
        return bytes(value).decode("latin-1")
    if kind == "U":
        return encoded(str(value)).decode()
    if kind == "M":
        return None if np.isnat(value) else str(value)
    if kind == "V":
        return bytes(value).hex()
    raise TypeError


def main():
    warnings.simplefilter("ignore")
    # What a pickle keeps, and a header does not.
    printing.MAY_BE_ALIGNED = printing.MAY_OVERFLOW = False
    RANDOM.seed(int(sys.argv[1]))
    frame(np.__version__.encode())
    count = int(sys.argv[2])
    while count:
        array = array_of()
        file = saved(array)
        array = np.load(io.BytesIO(file), allow_pickle=True)
        value, text, outcome = array, "", b"ok"
        for _ in range(RANDOM.randrange(1, 5)):
            # Beyond this the elements are Python's.
            if not isinstance(value, (np.ndarray, np.void)) or isinstance(value, np.void) and value.dtype.names is None:
                break
            if isinstance(value, np.void):
                name = RANDOM.choice(value.dtype.names)
                place = RANDOM.randrange(-len(value.dtype), len(value.dtype))
                one = RANDOM.choice([f"[{name!r}]", f"[{place}]"])
            else:
                one = step(value)
            text += blanks() + one
            try:
                value = eval("value" + one, {"value": value})
            except (IndexError, ValueError, TypeError):
                outcome = b"error"
                break
            if array.dtype.hasobject and not isinstance(value, np.ndarray):
                break
        # An element that is an object is Python's from there on.
        if array.dtype.hasobject and outcome == b"ok" and not (isinstance(value, np.ndarray) and np.may_share_memory(value, array)):
            continue
        printed = encoded(str(value)) if outcome == b"ok" else b""
        try:
            document = json.dumps(to_json(value, value.dtype)).encode() if outcome == b"ok" else b""
        except (TypeError, AttributeError):
            document = b""
        count -= 1
        for payload in (file, text.encode(), printed, document, outcome):
            frame(payload)


main()
