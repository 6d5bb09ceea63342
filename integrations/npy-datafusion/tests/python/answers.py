"""Answers of the queries of queries.txt by NumPy alone: one JSON list of rows a line."""

import json
import sys
from pathlib import Path

import numpy as np

t = np.concatenate([np.load(path) for path in sorted(Path(sys.argv[1]).glob("**/*.npy"))])
ids, station, time, magnitude, reviewed = t["id"], t["station"], t["time"], t["magnitude"], t["reviewed"]
known = ~np.isnat(time)
stations = np.unique(station)


def when(text):
    return np.datetime64(text, "ns")


def by_time(count):
    """Missing times come last, as in SQL."""
    return ids[np.lexsort((ids, time.astype("i8"), ~known))][:count]


def groups(mask, *columns):
    return [[s.decode(), *(column(mask & (station == s)) for column in columns)] for s in stations if (mask & (station == s)).any()]


every = np.ones(len(t), "?")
window = known & (time >= when("2023-11-14T23:00:00")) & (time < when("2023-11-14T23:30:00"))
north = t["at"]["latitude"] > 10
hours = (time[known].astype("M8[h]").astype("i8")) % 24
order = np.argsort(ids, kind="stable")
partner = {int(i): s for i, s in zip(ids, station)}

answers = {
    "count": [[len(t)]],
    "sums": [[ids.sum(), magnitude.min(), magnitude.max(), magnitude.astype("f8").mean()]],
    "group": groups(every, np.sum, lambda m: ids[m].sum()),
    "filtered group": groups(reviewed & (magnitude > 2), np.sum, lambda m: magnitude[m].max()),
    "nested": [[north.sum(), t["at"]["depth"][north].astype("f8").sum()]],
    "text": [[i] for i in np.sort(ids[station == b"TAM"])[:5]],
    "not text": [[(station != b"TAM").sum()]],
    "in": [[np.isin(station, [b"TAM", b"YAK"]).sum()]],
    "like": [[np.char.endswith(station, b"O").sum()]],
    "time range": [[window.sum(), ids[window].min(), ids[window].max()]],
    "time equal": [[i] for i in ids[known & (time == when("2023-11-14T22:30:20"))]],
    "time after the end": [[(known & (time > when("2030-01-01"))).sum()]],
    "missing times": [[(~known).sum()]],
    "limit": [[i] for i in by_time(3)],
    "offset": [[i] for i in np.sort(ids)[5000:5003]],
    "last": [[i] for i in np.sort(ids)[::-1][:3]],
    "distinct": [[len(stations), len(np.unique(magnitude))]],
    "arithmetic": [[(ids[ids % 7 == 3] * 2 + 1).sum()]],
    "bool": [[str(bool(v)).lower(), (reviewed == v).sum()] for v in np.unique(reviewed)],
    "hours": [[h, (hours == h).sum()] for h in np.unique(hours)[:6]],
    "join": [[sum(partner.get(i - 1) == s for i, s in partner.items())]],
    "nothing": [],
}
for name, rows in answers.items():
    print(json.dumps([name, [[v if isinstance(v, str) else repr(float(v)) for v in row] for row in rows]]))
