"""Times PyArrow's way from .npy: a job a line on standard input, seconds on standard output.

    python times.py DIRECTORY
"""

import os
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def arrays(path):
    """pa.array of each field, and lists of fixed size for sub-arrays."""
    array = np.load(path)
    columns = {}
    for name in array.dtype.names:
        if name == "flag":
            continue
        field = array[name]
        if field.ndim > 1:
            items = pa.array(np.ascontiguousarray(field).reshape(-1))
            columns[name] = pa.FixedSizeListArray.from_arrays(items, field.shape[1])
        elif field.dtype.kind == "S":
            columns[name] = pa.array(field, pa.binary())
        else:
            columns[name] = pa.array(field)
    return pa.table(columns)


directory = sys.argv[1]
for line in sys.stdin:
    job, name = line.split()
    begun = time.perf_counter()
    table = arrays(os.path.join(directory, name + ".npy"))
    if job == "parquet":
        pq.write_table(table, os.path.join(directory, "theirs.parquet"), compression="snappy")
    elapsed = time.perf_counter() - begun
    del table
    print(elapsed, flush=True)
