"""Compares an .npy file of picks with a Parquet file, as DuckDB, Polars and PyArrow read it.

    python read_parquet.py NPY PARQUET
"""

import sys

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

array, path = np.load(sys.argv[1]), sys.argv[2]

count, latitude, depth = duckdb.sql(
    f"select count(*), sum(latitude), max(origin.depth_km) from '{path}' where reviewed"
).fetchall()[0]
reviewed = array[array["reviewed"]]
assert count == len(reviewed)
assert abs(latitude - reviewed["latitude"].sum()) < 1e-6
assert depth == reviewed["origin"]["depth_km"].max()

frame = pl.read_parquet(path)
assert frame["id"].to_list() == array["id"].tolist()
assert frame["station"].to_list() == array["station"].tolist()
times = frame["origin"].struct.field("time").to_numpy()
assert (times == array["origin"]["time"]).all()
assert np.array_equal(np.array(frame["waveform"].to_list(), "f4"), array["waveform"])

table = pq.read_table(path)
assert table["time"].to_numpy().tolist() == array["time"].tolist()
assert table.schema.metadata[b"npy:descr"].decode() == repr(array.dtype.descr)
print(f"DuckDB {duckdb.__version__}, Polars {pl.__version__} and PyArrow {pa.__version__} read {len(array)} picks in Parquet")
