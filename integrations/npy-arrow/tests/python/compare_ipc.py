"""Compares N.npy as NumPy loads it with N.arrow as PyArrow reads it.

    python compare_ipc.py DIRECTORY
"""

import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.ipc

ARROW_UNITS = ["s", "ms", "us", "ns"]


def main():
    directory = pathlib.Path(sys.argv[1])
    count = 0
    while (directory / f"{count}.npy").exists():
        array = np.load(directory / f"{count}.npy", max_header_size=10**9)
        table = pa.ipc.open_file(directory / f"{count}.arrow").read_all()
        table.validate(full=True)
        compare(array, table, (count, array.dtype, array.shape))
        count += 1
    print(f"PyArrow {pa.__version__} reads the values of {count} arrays in IPC files")


def compare(array, table, case):
    if array.ndim == 0:
        array = array.reshape(1)
    if array.dtype.names is not None and array.ndim == 1:
        assert table.num_rows == len(array), case
        assert table.column_names == list(array.dtype.names), case
        for index, name in enumerate(array.dtype.names):
            same(from_numpy(array[name]), from_arrow(table.column(index)), (case, name))
    else:
        same(from_numpy(array), from_arrow(table.column(0)), case)


def from_numpy(array):
    """Nested lists of plain Python values."""
    if array.ndim > 1:
        return [from_numpy(row) for row in array]
    dtype = array.dtype
    if dtype.names is not None:
        columns = [from_numpy(array[name]) for name in dtype.names]
        return [tuple(column[row] for column in columns) for row in range(len(array))]
    if dtype.kind in "Mm":
        # A cast to the other byte order goes through the calendar, and overflows.
        integers = array.view(dtype.byteorder + "i8")
        finer = finer_unit(dtype)
        if finer:
            integers = integers.astype("i8").view(dtype.newbyteorder("=")).astype(finer).view("i8")
        integers = integers.tolist()
        return [None if value == -(2**63) else value for value in integers]
    if dtype.kind == "c":
        return [[float(value.real), float(value.imag)] for value in array]
    if dtype.kind == "V":
        return [value.tobytes() for value in array]
    return array.tolist()


def finer_unit(dtype):
    """The dtype of the Arrow type that times of a unit without an own one get."""
    unit, count = np.datetime_data(dtype)
    has_own = count == 1 and unit in [*ARROW_UNITS, *["D"][:dtype.kind == "M"]]
    if has_own or unit in ["generic", "ps", "fs", "as"] or unit in "YM" and dtype.kind == "m":
        return None
    if unit in "YM":
        return "M8[ms]"
    step = int(np.timedelta64(count, unit).astype("m8[ns]").astype("i8"))
    return dtype.kind + "8" + next(to for to, size in [("[ms]", 10**6), ("[us]", 1000), ("[ns]", 1)] if step % size == 0)


def from_arrow(column):
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in from_arrow(chunk)]
    kind = column.type
    if pa.types.is_struct(kind):
        columns = [from_arrow(column.field(index)) for index in range(kind.num_fields)]
        return [tuple(column[row] for column in columns) for row in range(len(column))]
    if pa.types.is_fixed_size_list(kind):
        size = kind.list_size
        items = from_arrow(column.flatten()) if size else []
        return [items[row * size:(row + 1) * size] for row in range(len(column))]
    if pa.types.is_date32(kind):
        return column.cast(pa.int32()).to_pylist()
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return column.cast(pa.int64()).to_pylist()
    return column.to_pylist()


def same(left, right, where):
    if isinstance(left, (list, tuple)):
        assert len(left) == len(right), (where, left, right)
        for pair in zip(left, right):
            same(*pair, where)
    elif isinstance(left, float):
        assert left == right or (left != left and right != right), (where, left, right)
    else:
        assert type(left) is type(right) and left == right, (where, left, right)


main()
