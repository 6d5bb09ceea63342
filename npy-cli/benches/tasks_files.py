"""The files of `tasks.py`, the answers that NumPy gives, and checks of files that a program wrote.

    python tasks_files.py small|large DIRECTORY
    python tasks_files.py --check FILE DIRECTORY
"""

import json
import os
import sys

# `events.npy` has 53 bytes a row, `grid.npy` eight columns of `f8`.
SIZES = {"small": {"events": 80, "grid": 64, "tensors": 12, "side": 8, "track": 250},
         "large": {"events": (256 << 20) // 53, "grid": 1 << 22, "tensors": 64, "side": 1024, "track": 1 << 24}}


def make(name, directory):
    import numpy as np

    count = SIZES[name]
    rng = np.random.default_rng(46)
    os.makedirs(directory, exist_ok=True)
    os.chdir(directory)

    events = np.zeros(count["events"], [("id", "<i8"), ("t", "<M8[ms]"), ("station", "<U5"), ("ok", "?"), ("x", "<f8"), ("y", "<f8")])
    events["id"] = np.arange(len(events)) * 7 + 1000
    events["t"] = np.datetime64("2026-01-01", "ms") + np.arange(len(events)) * 250
    events["station"] = np.array(["BFO", "MÜNS", "STU"])[rng.integers(0, 3, len(events))]
    events["ok"] = rng.random(len(events)) < 0.7
    events["x"], events["y"] = rng.normal(size=len(events)), rng.random(len(events))
    events[5]["ok"], events[5]["x"] = True, 3.5
    grid = rng.normal(size=(count["grid"], 8))
    new = grid.copy()
    place = (len(grid) // 2, 5)
    new[place] += 1
    side = count["side"]
    model = {f"layers.{i}.weight": rng.normal(scale=i + 1, size=(side, side)).astype("f4") for i in range(count["tensors"])}
    model["layers.3.weight"][0, :2] = np.nan
    t = np.arange(count["track"]) / 100
    track = {"t": t, "v": np.sin(t * 20 / t[-1]) + rng.normal(scale=0.05, size=len(t))}
    weight = rng.normal(size=(side, side)).astype("f4")
    ops = {"fs": 10.0, "Vcorr": grid, "reg": {"yoff": np.arange(30) - 7, "names": ["a", "b"]}}

    for stem, array in {"events": events, "grid": grid, "new": new, "layers.0.weight": weight}.items():
        np.save(f"{stem}.npy", array)
    np.save("ops.npy", ops, allow_pickle=True)
    np.savez("model.npz", **model)
    np.savez("track.npz", **track)
    damage(model)
    twins(events, grid, new, model)
    logs()
    figures = {key: [float(f(value)) for f in (np.nanmin, np.nanmax)] for key, value in model.items()}
    chosen = events[events["ok"] & (events["x"] > 3)]
    with open("expected.json", "w") as file:
        json.dump({
            "shape": list(grid.shape), "members": {key: list(value.shape) for key, value in model.items()},
            "print": f"{grid}\n", "slice": grid[10:20, 2:4].ravel().tolist(),
            "table": [v for row in events[:5] for v in (int(row["id"]), float(row["x"]), float(row["y"]))],
            "statistics": {"count": grid.size, "min": grid.min(), "max": grid.max(), "mean": grid.mean(), "std": grid.std(),
                           "min of a column": grid[:, 0].min(), "max of a column": grid[:, 0].max(), "std of a column": grid[:, 0].std(ddof=1)},
            "filter": [v for row in chosen for v in (int(row["id"]), float(row["x"]))],
            "glance": [v for value in figures.values() for v in value],
            "compare": [1, *place], "last": [int(i) for i in events["id"][-10:]],
        }, file, default=float)


def damage(model):
    """`damaged.npz`: a flipped bit in the values of the last member."""
    with open("model.npz", "rb") as file:
        data = bytearray(file.read())
    data[data.rindex(b"NUMPY") + 200] ^= 1
    with open("damaged.npz", "wb") as file:
        file.write(data)


def twins(events, grid, new, model):
    """The same values for programs that read no `.npy`."""
    import h5py
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as parquet

    frame = pd.DataFrame({name: events[name] for name in events.dtype.names})
    frame.to_parquet("events.parquet", index=False)
    with open("events.ndjson", "w") as file:
        times = np.datetime_as_string(events["t"]).tolist()
        for time, row in zip(times, events.tolist()):
            record = dict(zip(events.dtype.names, row), t=time)
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
    columns = [f"c{i}" for i in range(8)]
    for stem, array in {"grid": grid, "new": new}.items():
        parquet.write_table(pa.table(list(array.T), names=columns), f"{stem}.parquet")
        with h5py.File(f"{stem}.h5", "w") as file:
            file["grid"] = array
    with open("grid.ndjson", "w") as file:
        for row in grid:
            file.write(f"{row.tolist()}\n")
    with h5py.File("model.h5", "w") as file:
        for name, value in model.items():
            file[name] = value
    with h5py.File("events.h5", "w") as file:
        file["events"] = events[["id", "ok", "x", "y"]].astype([(name, events.dtype[name]) for name in ("id", "ok", "x", "y")])


def logs():
    """The keys that visidata takes, as a log of commands that it replays."""
    for stem, commands in {"filter": [("select-expr", "ok and x>3"), ("dup-selected", "")], "describe": [("describe-sheet", "")]}.items():
        with open(f"{stem}.vdj", "w") as file:
            file.write("#!vd -p\n")
            for name, text in commands:
                sheet = "events" if stem == "filter" else "grid"
                file.write(json.dumps({"sheet": sheet, "col": "", "row": "", "longname": name, "input": text, "keystrokes": "", "comment": ""}) + "\n")


def check(name, directory):
    """Whether a file that a program wrote has the values that it should have."""
    import numpy as np

    os.chdir(directory)
    if name.endswith(".csv"):
        import pandas as pd

        frame, events = pd.read_csv(name, float_precision="round_trip"), np.load("events.npy", "r")
        texts = frame["ok"].astype(str).str.lower() == np.where(events["ok"], "true", "false")
        numbers = all((frame[key].to_numpy() == events[key]).all() for key in ("id", "x", "y"))
        return numbers and (frame["station"].to_numpy() == events["station"]).all() and texts.all()
    if name.endswith(".npz"):
        before, after = np.load("model.npz"), np.load(name)
        changed = "layers.0.weight"
        kept = all(np.array_equal(before[key], after[key], equal_nan=True) for key in before if key != changed)
        return set(before) == set(after) and kept and np.array_equal(after[changed], np.load(f"{changed}.npy"))
    if name.endswith(".npy"):
        return np.array_equal(np.load(name), np.load("ops.npy", allow_pickle=True).item()["Vcorr"])
    with open(name, "rb") as file:
        return file.read(8) == b"\x89PNG\r\n\x1a\n" and os.path.getsize(name) > 4000


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(0 if check(*sys.argv[2:]) else 1)
    make(*sys.argv[1:])
