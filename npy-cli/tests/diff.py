"""Compares `npy diff --json` with numpy.testing.assert_allclose on random pairs. Arguments: the command, a directory, how many."""

import json
import pathlib
import re
import subprocess
import sys

import numpy as np

npy, directory, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(20261124)
CODES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def save(name, values):
    values = values.astype(values.dtype.newbyteorder(rng.choice(["<", ">"])), order=rng.choice(["C", "F"]))
    np.save(directory / name, values)


def pair():
    a_code = rng.choice(CODES)
    b_code = a_code if rng.random() < 0.6 else rng.choice(CODES)
    shape = tuple(rng.integers(0, 12, size=rng.integers(0, 4)))
    if rng.random() < 0.5:
        # Multiples of 1/4, so that many errors are exactly what is tolerated.
        base = rng.integers(0, 20, size=shape) / 4
        noise = rng.integers(-2, 3, size=shape) / 4
    else:
        base = rng.normal(0, 10, size=shape)
        noise = base * rng.choice([1e-7, 1e-4, 1e-2]) * rng.normal(size=shape)
    changed = base + np.where(rng.random(shape) < rng.choice([0, 0.1, 1]), noise, 0)
    arrays = []
    for values, code in [(base, a_code), (changed, b_code)]:
        if code[0] == "c":
            values = values + 1j * base
        values = np.asarray(np.abs(values) if code[0] == "u" else values).astype(code)
        arrays.append(values)
    if rng.random() < 0.3 and shape and all(values.dtype.kind in "fc" for values in arrays):
        special = rng.random(shape) < 0.2
        value = rng.choice([np.nan, np.inf, -np.inf, -0.0])
        arrays[0][special] = value
        arrays[1][special if rng.random() < 0.7 else rng.random(shape) < 0.2] = value
    return arrays


verdicts = {True: 0, False: 0}
figures = 0
for index in range(count):
    a, b = pair()
    rtol, atol = (float(rng.choice([0, 0, 1e-7, 1e-3, 0.25])) for _ in range(2))
    equal_nan = bool(rng.random() < 0.5)
    save("a.npy", a)
    save("b.npy", b)
    about = index, a.dtype, b.dtype, a.shape, rtol, atol, equal_nan
    message = None
    try:
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    except AssertionError as error:
        message = str(error)
    arguments = [npy, "diff", "--json", directory / "a.npy", directory / "b.npy", f"--rtol={rtol}", f"--atol={atol}"]
    output = subprocess.run([*arguments, *["--no-equal-nan"] * (not equal_nan)], capture_output=True, text=True)
    assert output.returncode == (0 if message is None else 1), (about, output, message)
    report = json.loads(output.stdout)
    [field] = report["arrays"][0]["fields"]
    verdicts[message is None] += 1
    assert report["equal"] == (message is None) and (field["different"] == 0) == report["equal"], (about, report)
    if message is None:
        continue
    # The first difference, found another way.
    with np.errstate(all="ignore"):
        close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
        inf = np.isinf(a) != np.isinf(b)
    first = np.argwhere(~close | inf)[0].tolist()
    assert field["first"]["index"] == first and field["different"] == int((~close | inf).sum()), (about, field, first)
    mismatched = re.search(r"Mismatched elements: (\d+) / (\d+)", message)
    if mismatched:
        assert field["different"] == int(mismatched[1]) and field["values"] == a.size, (about, field, message)
        for name in ["absolute", "relative"]:
            shown = re.search(rf"Max {name} difference among violations: (\S+)", message)
            wanted = float(shown[1]) if shown else np.nan
            if {a.dtype.kind, b.dtype.kind} <= set("biu"):
                # NumPy's differences of integers wrap.
                if name == "absolute":
                    x, y = a[~close].astype(object), b[~close].astype(object)
                    assert field[name]["error"] == max(abs(int(x) - int(y)) for x, y in zip(x, y)), (about, field)
            elif np.isfinite(wanted):
                found = field[name]["error"]
                # NumPy prints eight digits, and fewer of narrower types.
                precision = 1e-7 + np.finfo(np.result_type(a, b)).eps
                assert abs(found - wanted) <= precision * abs(wanted) + 1e-8 * (wanted < 1), (about, name, found, wanted, message)
                figures += 1
assert min(verdicts.values()) > count // 10 and figures > count // 5, (verdicts, figures)
print(f"{count} pairs")
