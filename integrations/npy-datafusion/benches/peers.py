"""Answers lines from standard input: `make ROWS`, or a peer and its threads; prints seconds by the clock and of the processor."""

import os
import sys
import time
from pathlib import Path

import numpy as np

directory = Path(sys.argv[1])
events, snappy, plain = directory / "events.npy", directory / "snappy.parquet", directory / "plain.parquet"
QUERY = "SELECT station, count(*), avg(magnitude) FROM '{}' WHERE magnitude > 2 GROUP BY station ORDER BY station"


def make(rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not events.exists():
        random = np.random.default_rng(1)
        t = np.empty(rows, [("id", "<i8"), ("station", "S4"), ("time", "<M8[ns]"), ("magnitude", "<f4")])
        t["id"] = np.arange(rows)
        names = np.array([f"S{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"], "S4")
        t["station"] = names[random.integers(0, 26, rows, dtype="u1")]
        t["time"] = (1_700_000_000_000_000_000 + np.arange(rows) * 1_000_000).astype("M8[ns]")
        t["magnitude"] = random.random(rows, dtype="f4") * 5
        np.save(events, t)
        for path, codec in (snappy, "snappy"), (plain, "none"):
            writer = None
            for begin in range(0, rows, 5_000_000):
                part = t[begin : begin + 5_000_000]
                table = pa.table({name: pa.array(np.ascontiguousarray(part[name])) for name in ("id", "time", "magnitude")})
                table = table.append_column("station", pa.array(part["station"].astype("U4")))
                writer = writer or pq.ParquetWriter(path, table.schema, compression=codec)
                writer.write_table(table)
            writer.close()
    return f"{rows} rows, {events.stat().st_size >> 20} MiB as npy, {snappy.stat().st_size >> 20} as snappy, {plain.stat().st_size >> 20} as plain Parquet"


def duckdb(path, threads):
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    rows = connection.execute(QUERY.format(path)).fetchall()
    assert len(rows) == 26, rows


def datafusion(path, threads):
    from datafusion import SessionConfig, SessionContext

    session = SessionContext(SessionConfig().with_target_partitions(threads))
    session.register_parquet("t", path)
    query = QUERY.replace("'{}'", "t")
    assert sum(batch.num_rows for batch in session.sql(query).collect()) == 26


def polars(threads):
    # The size of its pool is set when it is imported, so that it gets a process of its own.
    import subprocess

    script = (
        "import polars as pl, sys, time; b, c = time.perf_counter(), time.process_time(); "
        "f = pl.scan_parquet(sys.argv[1]).filter(pl.col('magnitude') > 2).group_by('station')"
        ".agg(pl.len(), pl.col('magnitude').mean()).sort('station').collect(); assert len(f) == 26; print(time.perf_counter() - b, time.process_time() - c)"
    )
    environment = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
    return subprocess.run([sys.executable, "-c", script, snappy], env=environment, capture_output=True, check=True, text=True).stdout


def pandas():
    import pandas as pd

    t = np.load(events)
    t = pd.DataFrame({"station": t["station"], "magnitude": t["magnitude"]})
    groups = t[t["magnitude"] > 2].groupby("station")["magnitude"].agg(["size", "mean"])
    assert len(groups) == 26


def numpy():
    t = np.load(events)
    mask = t["magnitude"] > 2
    stations, index = np.unique(t["station"][mask], return_inverse=True)
    counts = np.bincount(index)
    sums = np.bincount(index, t["magnitude"][mask])
    assert len(sums / counts) == 26


for line in sys.stdin:
    name, argument = line.split()
    begin, processor = time.perf_counter(), time.process_time()
    if name == "make":
        print(make(int(argument)), flush=True)
        continue
    elif name == "duckdb":
        duckdb(snappy, int(argument))
    elif name == "duckdb-uncompressed":
        duckdb(plain, int(argument))
    elif name == "datafusion-uncompressed":
        datafusion(plain, int(argument))
    elif name == "polars":
        print(polars(int(argument)).strip(), flush=True)
        continue
    elif name == "pandas":
        pandas()
    else:
        numpy()
    print(time.perf_counter() - begin, time.process_time() - processor, flush=True)
