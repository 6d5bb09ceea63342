"""Compares `npy stats --json` with NumPy on random arrays. Arguments: the command, a directory, how many arrays."""

import json
import pathlib
import subprocess
import sys

import numpy as np

npy, directory, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(20261123)
CODES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", "c8", "c16"]
PERCENTS = [1, 5, 25, 50, 75, 95, 99]


def numbers(code, size):
    kind = np.dtype(code).kind
    if kind == "b":
        return rng.random(size) < rng.random()
    if kind in "iu":
        info = np.iinfo(code)
        near = max(int(info.min), -50), min(int(info.max), 50)
        low, high = near if rng.random() < 0.5 else (int(info.min), int(info.max))
        return rng.integers(low, high, size=size, dtype=code, endpoint=True)
    values = rng.normal(rng.choice([0, 100, 1e4]), rng.choice([1e-3, 1, 50]), size)
    if rng.random() < 0.5:
        values = np.round(values)
    if kind == "c":
        values = values + 1j * rng.normal(size=size)
    values = np.asarray(values).astype(code)
    for special, chance in [(np.nan, 0.3), (np.inf, 0.15), (-np.inf, 0.15), (-0.0, 0.3)]:
        if rng.random() < chance:
            values[rng.random(size) < rng.choice([0.01, 0.3, 1.0])] = special
    return values


def expected(values):
    """The figures of NumPy, computed as precisely as it can."""
    kind = values.dtype.kind
    flat = values.ravel()
    # Of big-endian complex numbers, numpy.unique of NumPy 2.4.6 misses some.
    figures = {"count": flat.size, "distinct": np.unique(flat.astype(flat.dtype.newbyteorder("="))).size}
    if kind in "fc":
        figures["nan"] = int(np.isnan(flat).sum())
        figures["inf"] = int((np.isinf(flat) & ~np.isnan(flat)).sum())
        flat = flat[~np.isnan(flat)]
    figures["zeros"] = int((flat == 0).sum())
    if flat.size == 0:
        return figures
    figures["min"], figures["max"] = flat.min(), flat.max()
    wide = flat.astype(np.clongdouble if kind == "c" else np.longdouble)
    with np.errstate(all="ignore"):
        figures["mean"], figures["std"] = wide.mean(), wide.std()
        if kind not in "bc":
            doubles = flat.astype("f8")
            figures["quantiles"] = np.quantile(doubles, np.array(PERCENTS) / 100)
            finite = doubles[np.isfinite(doubles)]
            if kind in "iu":
                low, high = int(flat.min()), int(flat.max())
                width = -(-(high - low + 1) // 40)
                bins = -(-(high - low + 1) // width)
                indices = [(int(value) - low) // width for value in flat]
                figures["histogram"] = np.bincount(indices, minlength=bins)
            elif finite.size and finite.min() < finite.max():
                figures["histogram"] = np.histogram(finite, 40)[0]
    return figures


def number(value):
    return complex(*map(float, value)) if isinstance(value, list) else value if isinstance(value, int) else float(value)


def is_near(found, wanted, scale):
    found, wanted = number(found), complex(wanted) if np.iscomplexobj(wanted) else float(wanted)
    if isinstance(found, complex) and not np.isfinite(wanted):
        return not np.isfinite(found)
    return found == wanted or (found != found and wanted != wanted) or abs(found - wanted) <= 1e-12 * scale


def check(values, found, about):
    wanted = expected(values)
    assert found.keys() >= wanted.keys() - {"quantiles", "histogram"}, (about, found.keys(), wanted.keys())
    finite = np.abs(values[np.isfinite(values)].astype("c16"))
    scale = max(1e-300, float(finite.max())) if finite.size else 1
    for key, value in wanted.items():
        if key == "distinct" and not found["distinct_exact"]:
            same = value > 16384 and abs(found[key] - value) <= 0.045 * value
        elif key in ("count", "nan", "inf", "zeros", "distinct"):
            same = found[key] == value
        elif key in ("min", "max"):
            same = number(found[key]) == (int(value) if values.dtype.kind in "iu" else value.astype("c16" if values.dtype.kind == "c" else "f8"))
        elif key == "quantiles":
            # NumPy has NaN between infinities.
            same = all(is_near(found[key][str(p)], v, scale) or not np.isfinite(v) for p, v in zip(PERCENTS, value))
        elif key == "histogram":
            same = found.get(key) == value.tolist()
        else:
            same = is_near(found[key], value, scale)
        assert same, (about, key, found.get(key), value)


def run(*arguments):
    output = subprocess.run([npy, "stats", "--json", *map(str, arguments)], capture_output=True, text=True)
    assert output.returncode == 0, output.stderr
    return [json.loads(line) for line in output.stdout.splitlines()]


arrays = {}
for index in range(count):
    code = CODES[index % len(CODES)]
    shape = tuple(rng.integers(0, 30, size=rng.integers(0, 4)))
    values = np.asarray(numbers(code, shape if rng.random() < 0.9 else (20_000,)))
    values = values.astype(values.dtype.newbyteorder(rng.choice(["<", ">"])), order=rng.choice(["C", "F"]))
    path = directory / f"{index:04}.npy"
    np.save(path, values)
    arrays[str(path)] = values
reports = run(directory)
assert len(reports) == count
for report in reports:
    values = arrays[report["file"]]
    check(values, report["stats"][0], (report["file"], values.dtype.str, values.shape))

# Large arrays: within the stated errors, and the same for any number of threads and by another way of reading.
for code, values in [
    ("f8", rng.normal(size=1_300_000)),
    ("f4", np.sort(rng.exponential(size=1_100_000))),
    ("i4", rng.integers(-1000, 1000, size=1_500_000)),
    ("u8", np.arange(2_200_000)),
][: count // 100 + 1]:
    values = values.astype(code)
    values.flat[::1000] = 7
    np.save(directory / "large.npy", values)
    np.savez_compressed(directory / "large.npz", values=values)
    one, two, packed = (
        run(*arguments)[0]["stats"][0]
        for arguments in [
            (directory / "large.npy", "--threads", 1),
            (directory / "large.npy", "--threads", 3),
            (directory / "large.npz:values",),
        ]
    )
    assert one == two == packed, (code, one, two, packed)
    assert one["quantiles_rank_error"] <= 0.005 and not one["histogram_exact"]
    for percent in PERCENTS:
        quantile = one["quantiles"][str(percent)]
        low, high = (values < quantile).mean(), (values <= quantile).mean()
        assert low - one["quantiles_rank_error"] <= percent / 100 <= high + one["quantiles_rank_error"], (code, percent, low, high)
    distinct = np.unique(values).size
    assert abs(one["distinct"] - distinct) <= (0.045 * distinct if distinct > 16384 else 0), (code, one["distinct"], distinct)
    assert is_near(one["mean"], values.mean(dtype="g"), np.abs(values).max()) and is_near(one["std"], values.std(dtype="g"), np.abs(values).max())
print(f"{len(reports)} arrays")
