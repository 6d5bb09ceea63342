"""Writes tables by PyArrow, Polars, DuckDB and pandas, and compares arrays made of them.

    python foreign_tables.py write DIRECTORY
    python foreign_tables.py check DIRECTORY

`check` compares TABLE.npy with TABLE as PyArrow reads it. A column without a dtype has a name that begins with `refused`, and is not in
the array. Nulls are filled with NaN, or zero where no value is NaN.
"""

import datetime
import decimal
import math
import pathlib
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

UTC = datetime.timezone.utc
DAY = datetime.date(2024, 2, 29)
INSTANT = datetime.datetime(1969, 12, 31, 23, 59, 58, 123456)


def numbers():
    kinds = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
    columns = {str(kind): pa.array([1, 100, 7], kind) for kind in kinds}
    columns |= {str(kind): pa.array([0.5, -0.0, math.inf], kind) for kind in [pa.float32(), pa.float64()]}
    columns["half"] = pa.array(np.array([0.5, 1, 2], "f2"))
    return pa.table(columns | {"bool": [True, False, True]})


def texts():
    words, raw = ["a", "", "größer 😀"], [b"\x00\xff", b"", b"abc"]
    columns = {str(kind): pa.array(words, kind) for kind in [pa.string(), pa.large_string()]}
    columns |= {str(kind): pa.array(raw, kind) for kind in [pa.binary(), pa.large_binary()]}
    columns["digest"] = pa.array([b"ab\x00", b"\x00\x00\x00", b"abc"], pa.binary())
    columns["fixed"] = pa.array([b"ab\x00\x00", b"abcd", b"\x00\x00\x00\x00"], pa.binary(4))
    columns["empty"] = pa.array(["", "", ""])
    columns["refused text that ends in NUL"] = pa.array(["a\x00", "b", "c"])
    columns["refused bytes that end in NUL"] = pa.array([b"a\x00", b"b", b"c"])
    return pa.table(columns)


def views():
    texts, raw = ["a", "more than twelve bytes", ""], [b"a", b"more than twelve bytes", b""]
    return pa.table({"text": pa.array(texts, pa.string_view()), "bytes": pa.array(raw, pa.binary_view())})


def dictionaries():
    words = pa.array(["red", "blue", "red", None, "green"])
    return {
        "text": words.dictionary_encode(),
        "small": pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 1, 0], pa.int8()), pa.array(["längste", "x"])),
        "unused": pa.DictionaryArray.from_arrays(pa.array([1, 1, 1, 1, 1]), pa.array(["never used, and longest", "x"])),
        "no values": pa.DictionaryArray.from_arrays(pa.array([None] * 5, pa.int32()), pa.array([], pa.string())),
        "large": words.cast(pa.large_string()).dictionary_encode(),
        "bytes": words.cast(pa.binary()).dictionary_encode(),
        "list": pa.FixedSizeListArray.from_arrays(pa.array(list("abcdefghij")).dictionary_encode(), 2),
        "struct": pa.StructArray.from_arrays([words.dictionary_encode(), pa.array([1, 2, 3, 4, 5])], ["word", "n"]),
    }


def number_dictionaries():
    return {
        "int": pa.array([10, 20, 10, None, 30]).dictionary_encode(),
        "float": pa.array([0.5, 1.5, 0.5, None, 2]).dictionary_encode(),
        "time": pa.array([INSTANT] * 4 + [None], pa.timestamp("us")).dictionary_encode(),
        "fixed": pa.array([b"ab", b"a\x00", b"ab", b"cd", b"cd"], pa.binary(2)).dictionary_encode(),
    }


def times():
    of_day = datetime.time(23, 59, 59, 999999)
    columns = {str(kind): pa.array([DAY, None, datetime.date(1066, 10, 14)], kind) for kind in [pa.date32(), pa.date64()]}
    columns |= {f"time {unit}": pa.array([7, None, 86399], pa.time32(unit)) for unit in ["s", "ms"]}
    columns |= {f"time {unit}": pa.array([of_day, None, datetime.time(1)], pa.time64(unit)) for unit in ["us", "ns"]}
    for unit in ["s", "ms", "us", "ns"]:
        columns[f"timestamp {unit}"] = pa.array([0, None, -1], pa.timestamp(unit))
        columns[f"duration {unit}"] = pa.array([0, None, -1], pa.duration(unit))
    return pa.table(columns)


def zones():
    zones = ["UTC", "Europe/Vienna", "+02:00"]
    return pa.table({zone: pa.array([INSTANT, None], pa.timestamp("us", zone)) for zone in zones})


def lists():
    pairs = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    columns = {
        "list": pa.array(pairs, pa.list_(pa.float32())),
        "large": pa.array(pairs, pa.large_list(pa.float64())),
        "fixed": pa.array(pairs, pa.list_(pa.float64(), 2)),
        "texts": pa.array([["a", "bb"], ["", "ä"], ["ccc", "d"]]),
        "matrix": pa.array([[[1, 2, 3], [4, 5, 6]]] * 3, pa.list_(pa.list_(pa.int16()))),
        "null": pa.array([[1, 2], None, [3, None]]),
        "null in null": pa.array([[[1, 2]], None, [[3, 4]]]),
        "empty": pa.array([[], [], []], pa.list_(pa.int8())),
        "records": pa.array([[{"x": 1, "s": "a"}] * 2, [{"x": 2, "s": "bcd"}] * 2, [{"x": 3, "s": ""}] * 2]),
        "refused: ragged": pa.array([[1], [1, 2], []]),
        "refused: map": pa.array([[("a", 1)], [], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
    }
    return pa.table(columns).slice(0, 3)


def list_views():
    kinds = {"view": pa.list_view(pa.int64()), "large": pa.large_list_view(pa.int64())}
    return pa.table({name: pa.array([[1, 2], [3, 4], None], kind) for name, kind in kinds.items()})


def structs():
    inner = [{"x": 1, "name": "ä", "at": INSTANT, "deep": {"flags": [True, False], "n": 7}}] * 2 + [None]
    return pa.table({"origin": inner, "id": [1, 2, 3]})


def nulls():
    columns = {"int": [1, None], "float": [None, 0.5], "nan": [math.nan, None], "text": [None, "ab"], "bool": [None, True]}
    columns["refused: only nulls"] = pa.nulls(2)
    return pa.table(columns)


def decimals():
    values = [decimal.Decimal("0.10"), None, decimal.Decimal("-99.99")]
    kinds = [pa.decimal32(4, 2), pa.decimal64(10, 2), pa.decimal128(38, 2), pa.decimal256(60, 2)]
    columns = {str(kind): pa.array(values, kind) for kind in kinds}
    columns["large"] = pa.array([decimal.Decimal("12345678901234567890123456789012.3456")] * 3)
    return columns


def unions():
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])
    interval = pa.array([(1, 2, 3), (4, 5, 6)], pa.month_day_nano_interval())
    return pa.table({"refused: union": union, "refused: interval": interval, "n": [1, 2]})


def batches(table, rows=2):
    return table.to_batches(max_chunksize=rows)


def write_ipc(path, table, new=pa.ipc.new_file, **options):
    with new(str(path), table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches(table.unify_dictionaries().combine_chunks()):
            writer.write_batch(batch)


def write_stream(path, table, **options):
    write_ipc(path, table, pa.ipc.new_stream, **options)


def write_pyarrow(path):
    feather, parquet = pa.feather.write_feather, pa.parquet.write_table
    feather(numbers(), path / "pyarrow-numbers.feather")
    parquet(numbers(), path / "pyarrow-numbers.parquet")
    parquet(numbers(), path / "pyarrow-numbers-plain.parquet", compression="none", store_schema=False)
    write_ipc(path / "pyarrow-texts.arrow", texts(), compression="zstd")
    write_stream(path / "pyarrow-texts.arrows", texts())
    parquet(texts(), path / "pyarrow-texts.parquet", compression="gzip")
    parquet(texts(), path / "pyarrow-texts-lz4.parquet", compression="lz4", row_group_size=1)
    write_ipc(path / "pyarrow-views.arrow", views())
    parquet(views(), path / "pyarrow-views.parquet", compression="zstd")
    write_ipc(path / "pyarrow-dictionaries.arrow", pa.table(dictionaries() | number_dictionaries()))
    write_stream(path / "pyarrow-dictionaries.arrows", pa.table(dictionaries() | number_dictionaries()))
    parquet(pa.table(dictionaries()), path / "pyarrow-dictionaries.parquet")
    parquet(pa.table(number_dictionaries()), path / "pyarrow-number-dictionaries.parquet")
    # Each batch with its own values, or with more of them.
    chunks = [pa.table({"word": pa.array(words).dictionary_encode()}) for words in [["a", "b"], ["a", "b", "longest"]]]
    for name, is_delta in ("replaced", False), ("delta", True):
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=is_delta)
        with pa.ipc.new_stream(str(path / f"pyarrow-{name}.arrows"), chunks[0].schema, options=options) as writer:
            for chunk in chunks:
                writer.write_table(chunk)
    feather(times(), path / "pyarrow-times.feather", compression="uncompressed")
    parquet(times(), path / "pyarrow-times.parquet")
    feather(zones(), path / "pyarrow-zones.feather")
    parquet(zones(), path / "pyarrow-zones.parquet")
    feather(lists(), path / "pyarrow-lists.feather")
    parquet(lists(), path / "pyarrow-lists.parquet")
    write_ipc(path / "pyarrow-list-views.arrow", list_views())
    feather(structs(), path / "pyarrow-structs.feather", compression="zstd")
    parquet(structs(), path / "pyarrow-structs.parquet")
    feather(nulls(), path / "pyarrow-nulls.feather")
    parquet(nulls(), path / "pyarrow-nulls.parquet")
    feather(pa.table(decimals()), path / "pyarrow-decimals.feather")
    parquet(pa.table(decimals()), path / "pyarrow-decimals.parquet")
    write_ipc(path / "pyarrow-unions.arrow", unions())


def write_polars(path):
    numbers = pl.DataFrame({"i": [1, 2, None], "u": pl.Series([1, 2, 3], dtype=pl.UInt8), "f": [0.5, None, 1.5], "b": [True, None, False]})
    texts = pl.DataFrame({"text": ["a", "größer", None], "bytes": [b"ab", b"", b"c"], "long": ["x" * 20, "", "y"]})
    words = pl.Series(["red", "blue", "red"])
    categories = pl.DataFrame({
        "categorical": words.cast(pl.Categorical),
        "enum": words.cast(pl.Enum(["blue", "green", "red"])),
        "struct": pl.DataFrame({"c": words.cast(pl.Categorical), "n": [1, 2, 3]}).to_struct(),
        "list": pl.Series([["a", "b"], ["c", "d"], ["a", "a"]], dtype=pl.List(pl.Categorical)),
    })
    days = [DAY, None, datetime.date(1066, 10, 14)]
    times = pl.DataFrame({
        "date": days,
        "instant": [INSTANT, None, INSTANT],
        "zone": pl.Series([INSTANT, None, INSTANT]).dt.replace_time_zone("Europe/Vienna"),
        "span": [datetime.timedelta(days=-1), None, datetime.timedelta(microseconds=1)],
        "of day": [datetime.time(1, 2, 3, 4), None, datetime.time(0)],
    })
    nested = pl.DataFrame({
        "list": [[1.0, 2.0], [3.0, 4.0], None],
        "array": pl.Series([[1, 2], [3, 4], [5, 6]], dtype=pl.Array(pl.Int16, 2)),
        "matrix": pl.Series([[[1, 2], [3, 4]]] * 3, dtype=pl.Array(pl.Int8, (2, 2))),
        "struct": [{"x": 1, "s": "a"}, {"x": 2, "s": "bc"}, None],
        "refused: ragged": [[1], [1, 2], []],
        "decimal": pl.Series(["0.1", None, "2.5"]).cast(pl.Decimal(10, 2)),
        "refused: null": pl.Series([None, None, None], dtype=pl.Null),
    })
    for name, frame in ("numbers", numbers), ("texts", texts), ("categories", categories), ("times", times), ("nested", nested):
        frame.write_ipc(path / f"polars-{name}.arrow", compression="lz4" if name == "numbers" else "uncompressed")
        frame.write_ipc_stream(path / f"polars-{name}.arrows")
        frame.write_parquet(path / f"polars-{name}.parquet")


DUCKDB = {
    "numbers": """SELECT i::TINYINT a, i::SMALLINT b, i::INTEGER c, i::BIGINT d, i::UTINYINT e, i::USMALLINT f, i::UINTEGER g, i::UBIGINT h,
        i::FLOAT j, i::DOUBLE k, i > 1 l, sum(i) OVER () AS hugeint, CASE WHEN i > 1 THEN i END AS with_null FROM range(3) t(i)""",
    "texts": """SELECT 'ab' || repeat('ä', i::INT) AS text, ('x' || i)::BLOB AS bytes, uuid() AS uuid, ['red', 'blue', 'red'][i + 1]::colour AS word,
        if(i > 1, NULL, 'x') AS with_null FROM range(3) t(i)""",
    "times": """SELECT DATE '2024-02-29' + i::INT AS day, TIME '23:59:59.999999' AS of_day, TIMESTAMP '1969-12-31 23:59:59.5' AS us,
        TIMESTAMP_S '2024-02-29 00:00:00' AS s, TIMESTAMP_MS '2024-02-29 00:00:00.5' AS ms, TIMESTAMP_NS '2024-02-29 00:00:00.000000001' AS ns,
        TIMESTAMPTZ '2024-02-29 12:00:00+01' AS zone, INTERVAL 1 MONTH AS "refused interval" FROM range(2) t(i)""",
    "nested": """SELECT [i, i + 1] AS list, array_value(i::FLOAT, 2.5::FLOAT) AS array, {'x': i, 's': repeat('y', i::INT)} AS struct,
        [['a', 'bc'], ['d', 'e']] AS matrix, range(i) AS "refused ragged", MAP {'a': i} AS "refused map" FROM range(3) t(i)""",
    "decimals": "SELECT 0.1 AS a, (i || '.25')::DECIMAL(18, 3) AS b, (i || '.5')::DECIMAL(38, 10) AS c FROM range(3) t(i)",
}


def write_duckdb(path):
    connection = duckdb.connect()
    connection.sql("CREATE TYPE colour AS ENUM ('red', 'green', 'blue')")
    for name, query in DUCKDB.items():
        codec = "zstd" if name == "texts" else "snappy"
        connection.sql(f"COPY ({query}) TO '{path}/duckdb-{name}.parquet' (FORMAT parquet, COMPRESSION {codec})")
        table = connection.sql(query).to_arrow_table()
        pa.feather.write_feather(table, path / f"duckdb-{name}.feather")


def write_pandas(path):
    words = pd.Series(["red", "blue", "red"])
    plain = pd.DataFrame({"i": [1, 2, 3], "f": [0.5, math.nan, 1.5], "text": ["a", "ä", None], "b": [True, False, True]})
    categories = pd.DataFrame({
        "text": words.astype("category"),
        "ordered": pd.Categorical(words, ["blue", "red", "unused"], ordered=True),
        "int": pd.Categorical([10, 20, 10]),
        "time": pd.Categorical(pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-01"])),
        "missing": pd.Categorical(["a", None, "b"]),
    })
    nullable = pd.DataFrame({
        "int": pd.array([1, None, 3], "Int64"), "bool": pd.array([True, None, False], "boolean"), "text": pd.array(["a", None, "b"], "string"),
        "float": pd.array([0.5, None, 1.5], "Float32"),
    })
    instants = pd.to_datetime(["2024-01-01 00:00:00.000000001", None, "1969-12-31"], format="ISO8601")
    times = pd.DataFrame({
        "instant": instants, "zone": instants.tz_localize("Europe/Vienna"), "span": pd.to_timedelta(["1 day", None, "-1 ns"]),
        "period": pd.period_range("2024-01", periods=3, freq="M"), "date": [DAY, None, DAY], "of day": [datetime.time(1)] * 3,
    })
    objects = pd.DataFrame({
        "vectors": [np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])], "dicts": [{"x": 1, "s": "a"}] * 3,
        "decimals": [decimal.Decimal("0.1")] * 3, "bytes": [b"ab", b"c", b""],
        "interval": pd.IntervalIndex.from_breaks([0, 1, 2, 3]), "refused: ragged": [[1], [1, 2], [3]],
    })
    indexed = plain.set_index(pd.Index(["x", "yy", "zzz"], name="key"))
    frames = {"plain": plain, "categories": categories, "nullable": nullable, "times": times, "objects": objects, "indexed": indexed}
    for name, frame in frames.items():
        frame.to_parquet(path / f"pandas-{name}.parquet")
        if name != "indexed":
            frame.to_feather(path / f"pandas-{name}.feather")


def read(path):
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path)
    if path.suffix == ".arrows":
        return pa.ipc.open_stream(pa.OSFile(str(path))).read_all()
    return pa.ipc.open_file(str(path)).read_all()


NANOSECONDS = {"D": 86_400 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def unit_of(kind):
    """The integer type and the unit of times."""
    if pa.types.is_date(kind):
        return (pa.int32(), "D") if pa.types.is_date32(kind) else (pa.int64(), "ms")
    if pa.types.is_time(kind):
        return pa.int32() if pa.types.is_time32(kind) else pa.int64(), kind.unit
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return pa.int64(), kind.unit
    return None, None


def in_nanoseconds(values, unit):
    return [None if value is None else value * NANOSECONDS[unit] for value in values]


def from_arrow(column):
    """The values as nested lists of plain Python values: times in nanoseconds, structs as tuples."""
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in from_arrow(chunk)]
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        return from_arrow(column.storage)
    if pa.types.is_dictionary(kind):
        # PyArrow decodes no dictionaries of views.
        values = from_arrow(column.dictionary)
        return [None if key is None else values[key] for key in column.indices.to_pylist()]
    if pa.types.is_struct(kind):
        return list(zip(*map(from_arrow, column.flatten())))
    if hasattr(kind, "value_field") and not pa.types.is_map(kind):
        return [None if row.values is None else from_arrow(row.values) for row in column]
    integer, unit = unit_of(kind)
    if integer:
        return in_nanoseconds(column.cast(integer).to_pylist(), unit)
    if pa.types.is_decimal(kind):
        return [None if value is None else float(value) for value in column.to_pylist()]
    return column.to_pylist()


def from_numpy(array):
    if array.ndim > 1:
        return [from_numpy(row) for row in array]
    if array.dtype.names is not None:
        return list(zip(*[from_numpy(array[name]) for name in array.dtype.names]))
    if array.dtype.kind in "Mm":
        values = [None if value == -(2**63) else value for value in array.view("i8").tolist()]
        return in_nanoseconds(values, np.datetime_data(array.dtype)[0])
    return [value.tobytes() for value in array] if array.dtype.kind == "V" else array.tolist()


def same(found, expected, where):
    if isinstance(found, (list, tuple)):
        # A null list has nulls.
        expected = [None] * len(found) if expected is None else expected
        assert len(found) == len(expected), (where, found, expected)
        for pair in zip(found, expected):
            same(*pair, where)
    elif expected is None:
        assert found is None or found != found or not found or not any(found), (where, found)
    elif isinstance(expected, float):
        assert type(found) is float and (found == expected or found != found and expected != expected), (where, found, expected)
    else:
        assert type(found) is type(expected) and found == expected, (where, found, expected)


def check(path):
    values = tables = 0
    for npy in sorted(path.glob("*.npy")):
        table, array = read(npy.with_suffix("")), np.load(npy)
        names = [name for name in table.column_names if not name.startswith("refused")]
        assert list(array.dtype.names) == names and len(array) == table.num_rows, (npy, array.dtype, names)
        for name in names:
            same(from_numpy(array[name]), from_arrow(table[name]), (npy.name, name))
            values += len(array)
        tables += 1
    versions = f"PyArrow {pa.__version__}, Polars {pl.__version__}, DuckDB {duckdb.__version__} and pandas {pd.__version__}"
    print(f"{tables} tables of {versions}: {values} values are equal")


directory = pathlib.Path(sys.argv[2])
if sys.argv[1] == "write":
    for write in write_pyarrow, write_polars, write_duckdb, write_pandas:
        write(directory)
else:
    check(directory)
