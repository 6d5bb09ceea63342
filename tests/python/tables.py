"""Tables of Arrow and Parquet by other programs, what they read of ours, and arrays that become tables.

tables.py FUNCTION DIRECTORY...
"""

import datetime
import glob

import numpy as np

from frames import call

NAN = float("nan")


def units(directory):
    units = ["Y", "3M", "M", "W", "D", "2D", "h", "m", "25s", "s", "7ms", "ms", "us", "10us", "ns", "ps"]
    for kind in "Mm":
        for unit in units:
            values = np.array([0, 1, -1, -5, 400, np.iinfo("i8").min]).view(f"{kind}8[{unit}]")
            np.save(f"{directory}/{kind}8[{unit}].npy", values)


def read_units(directory):
    """Compares the times of `units` with those of their tables, and prints the types."""
    import pyarrow.feather
    import pyarrow.parquet

    for path in sorted(glob.glob(directory + "/*].npy")):
        values = np.load(path)
        names = []
        for table in pyarrow.parquet.read_table(path + ".parquet"), pyarrow.feather.read_table(path + ".arrow"):
            column = table["value"]
            found = column.to_numpy()
            if str(column.type) == "int64":
                expected = values.view("i8")
                assert (found[:5] == expected[:5]).all() and column.null_count == 1, path
            else:
                expected = values.astype(found.dtype)
                assert (found[:5] == expected[:5]).all() and np.isnat(found[5]), (path, found, expected)
            names.append(str(column.type))
        print(values.dtype.str[1:], *dict.fromkeys(names))


def pickles(directory):
    def save(name, items, dtype=object):
        np.save(f"{directory}/{name}.npy", np.array(items, dtype=dtype))

    save("text", ["GRF", None, "ü"])
    save("string", ["a", None, "b" * 100], np.dtypes.StringDType(na_object=None))
    save("time", [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), None])
    np.save(f"{directory}/fortran.npy", np.asfortranarray(np.array([[1, 2], [3, 4]], dtype=object)))
    inner = np.dtype([("tag", "O"), ("depth", "<f4")])
    save("records", [(7, ("a", 0.5), [1, 2], None), (8, (None, 1.5), [3, 4], b"x")],
         [("id", ">u2"), ("origin", inner), ("pair", "<i2", (2,)), ("raw", "O")])
    np.save(f"{directory}/pairs.npy", np.zeros(2, dtype=[("id", "<u4"), ("pair", "O", (2,))]))


def objects(directory):
    """`None` among objects, and NaN where no value is a number: in columns, structs and lists."""

    def save(name, items, dtype=object):
        np.save(f"{directory}/{name}.npy", np.array(items, dtype=dtype))

    save("text", ["a", None, NAN])
    save("bytes", [b"a", None])
    save("bools", [True, None, NAN])
    save("ints", [1, None])
    save("floats", [1.5, None, NAN])
    save("dates", [datetime.date(2024, 1, 2), None])
    save("spans", [None, datetime.timedelta(seconds=1)])
    save("complex", [1j, None])
    save("none", [None, None])
    save("matrix", [["a", None], [None, "b"]])
    save("many", ["text", None] * 300_000)
    save("records", [(1, "a", None, (None, "x")), (2, None, 3, ("y", NAN))],
         [("i", "i8"), ("s", "O"), ("k", "O"), ("p", [("n", "O"), ("v.w", "O")])])
    save("rows", [[(1, "a")], [(2, None)]], [("value", "i8"), ("s", "O")])
    save("dots", [("x", 1.0), (None, 2.0)], [("a.b", "O"), ("a", "f8")])
    save("paths", [("x", (1.0,)), (None, (2.0,))], [("a.b", "O"), ("a", [("b", "f8")])])


def nulls(directory, *names):
    """The rows of the tables of `objects`."""
    import pyarrow.feather
    import pyarrow.parquet

    for name in names:
        table = pyarrow.parquet.read_table(f"{directory}/{name}.parquet")
        assert str(table.to_pylist()) == str(pyarrow.feather.read_table(f"{directory}/{name}.arrow").to_pylist()), name
        if name == "many":
            print(table["value"].null_count, table["value"][599_998:].to_pylist())
        else:
            print(name, table.to_pylist())


def of_other_programs(directory):
    """The same table by each, compressed as they do by default."""
    import duckdb
    import polars
    import pyarrow.feather
    import pyarrow.parquet

    frame = polars.DataFrame({"id": [1, 2, 3], "name": ["a", "bb", "ü"], "x": [0.5, 1.5, 2.5], "flag": [True, False, True]})
    frame.write_parquet(directory + "/polars.parquet")
    frame.write_ipc(directory + "/polars.arrow")
    frame.write_ipc(directory + "/zstd.arrow", compression="zstd")
    frame.write_ipc_stream(directory + "/stream.arrow")
    categories = frame.with_columns(polars.col("name").cast(polars.Categorical))
    categories.write_ipc(directory + "/categories.arrow")
    categories.write_parquet(directory + "/categories.parquet")
    table = frame.to_arrow()
    pyarrow.feather.write_feather(table, directory + "/pyarrow.feather")
    pyarrow.parquet.write_table(table, directory + "/pyarrow.parquet")
    pyarrow.parquet.write_table(table, directory + "/gzip.parquet", compression="gzip")
    duckdb.sql(f"copy (select * from frame) to '{directory}/duckdb.parquet'")


def missing(directory):
    """Columns with nulls, whose values and means pandas prints; and a list and a map that have no dtype."""
    import pandas
    import pyarrow
    import pyarrow.parquet

    frame = pandas.DataFrame({
        "i": pandas.array([0, None, 5], "Int64"),
        "u": pandas.array([None, 200, 0], "UInt8"),
        "b": pandas.array([False, True, None], "boolean"),
        "f": pandas.array([0.5, None, 2.5], "Float32"),
        "whole": [1, 2, 3],
    })
    frame.to_parquet(directory + "/numbers.parquet")
    frame.to_feather(directory + "/numbers.arrow")
    frame["s"] = ["a", None, "c"]
    frame["t"] = pandas.to_datetime(["2024-01-02", None, "2024-01-03"])
    frame.to_parquet(directory + "/all.parquet")
    for name in ["i", "u", "b", "f", "whole"]:
        print(name, frame[name].mean(), frame[name].to_numpy("f8", na_value=NAN).tolist())

    np.save(directory + "/matrix.npy", np.array([[1, None], [3, 4]], dtype=object))
    table = pyarrow.table({"x": [1, 2], "ragged": [[1], [1, 2]], "none": [None, None]})
    pyarrow.parquet.write_table(table, directory + "/ragged.parquet")
    table = pyarrow.table({"big": [2**53 + 1, None, 2**53], "in": [{"k": 1, "s": "a"}, None, {"k": None, "s": "b"}]})
    pyarrow.parquet.write_table(table, directory + "/big.parquet")


call(globals())
