"""Random slices and fields, which `npy convert FILE:PATH` writes as NumPy gives them.

Takes the program, a directory and the number of slices.
"""

import os
import random
import subprocess
import sys

import numpy as np

program, directory, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(20261128)
RECORD = np.dtype([("id", "<u2"), ("pos", [("x", ">f4"), ("w", "<i2", (2, 3))]), ("name", "<U3"), ("t", "<M8[s]")])
DTYPES = ["<u1", "<i4", ">f8", "<c16", "?", "S3", "<M8[ms]", RECORD]
PATHS = {
    "": lambda a: a,
    "id": lambda a: a["id"],
    "['name']": lambda a: a["name"],
    "pos": lambda a: a["pos"],
    "pos.x": lambda a: a["pos"]["x"],
    "pos.w": lambda a: a["pos"]["w"],
    "t": lambda a: a["t"],
}


def array_of(dtype, shape):
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=int)) * dtype.itemsize
    if dtype == RECORD:
        array = np.zeros(shape, dtype)
        array["id"] = np.arange(array.size).reshape(shape)
        array["pos"]["x"] = np.arange(array.size).reshape(shape) * 0.5
        array["pos"]["w"] = np.random.default_rng(size).integers(-99, 99, array["pos"]["w"].shape)
        array["name"] = np.arange(array.size).reshape(shape) % 999
        array["t"] = np.arange(array.size).reshape(shape)
        return array
    if dtype == np.dtype(bool):
        return np.arange(size).reshape(shape) % 3 == 0
    return np.frombuffer(random.Random(size).randbytes(size), dtype).reshape(shape).copy()


def index_of(length):
    pick = random.random()
    if pick < 0.25 and length:
        return str(random.randrange(-length, length))
    if pick < 0.35:
        return random.choice(["...", "None"])
    end = lambda: random.choice(["", str(random.randint(-length - 2, length + 2))])
    step = random.choice(["", ":", ":1", ":2", ":-1", ":-3", ":70"])
    return f"{end()}:{end()}{step}"


def slice_of(shape):
    texts = [index_of(length) for length in shape[: random.randint(0, len(shape))]]
    while texts.count("...") > 1:
        texts.remove("...")
    return f"[{', '.join(texts)}]" if texts else random.choice(["", "[...]", "[:]" if shape else "[()]"])


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, cwd=directory)


done = 0
while done < count:
    shape = tuple(random.choice([0, 1, 2, 3, 5, 70]) for _ in range(random.randint(0, 3)))
    array = array_of(random.choice(DTYPES), shape)
    if random.random() < 0.5:
        array = np.asfortranarray(array) if array.ndim else array
    path = random.choice([name for name in PATHS if array.dtype == RECORD or not name])
    text = slice_of(shape)
    if not path and not text:
        continue
    value = PATHS[path](array)
    try:
        expected = eval(f"value{text}", {"value": value})
    except IndexError:
        expected = None
    np.save(os.path.join(directory, "a.npy"), array)
    np.savez(os.path.join(directory, "a.npz"), other=array, a=array)
    np.savez_compressed(os.path.join(directory, "c.npz"), a=array)
    file = random.choice(["a.npy:", "a.npz:a", "a.npz:a:", "c.npz:a"])
    argument = f"{file}{path}{text}"
    if file.endswith("a") and path and not path.startswith("["):
        argument = f"{file}.{path}{text}"
    output = run("convert", argument, "out.npy")
    done += 1
    if expected is None:
        assert output.returncode == 2, f"{argument} of {array.dtype} {shape}: expected an error"
        continue
    assert not output.returncode, f"{argument} of {array.dtype} {shape}: {output.stderr}"
    found = np.load(os.path.join(directory, "out.npy"))
    assert found.shape == np.shape(expected), f"{argument} of {shape}: {found.shape}, not {np.shape(expected)}"
    # A scalar has neither a byte order nor the length of its text.
    expected = np.asarray(expected, value.dtype)
    assert found.dtype == expected.dtype, f"{argument}: {found.dtype}, not {expected.dtype}"
    assert found.tobytes() == expected.tobytes(), f"{argument} of {array.dtype} {shape}"
print(f"{done} slices")
