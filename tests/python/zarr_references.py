"""Writes arrays in many files, and checks the references to them: `write DIRECTORY`, then `check DIRECTORY`."""

import pathlib
import sys
import warnings

import numpy as np


def cases():
    def parts(array, *rows):
        return np.split(array, np.cumsum(rows)[:-1])

    def counting(dtype, *shape):
        size = int(np.prod(shape))
        return (np.arange(size) % 113).astype(dtype).reshape(shape)

    for dtype in ["<i2", ">i2", "<i8", ">u8", "|u1", "?", "<f2", "<f4", ">f8", "<c8", ">c16"]:
        yield f"numbers-{dtype.translate({60: 'l', 62: 'b', 124: 'n', 63: 'bool'})}", parts(counting(dtype, 3000), 1000, 1000, 1000)
    for name, dtype in [("time", "<M8[ns]"), ("big-time", ">M8[s]"), ("span", "<m8[25us]"), ("text", "<U4"), ("big-text", ">U4"), ("bytes", "S3")]:
        yield name, parts(counting("<i8", 40).astype(dtype), 20, 20)
    yield "raw", parts(counting("<i8", 40).view("V4"), 40, 40)
    # The greatest common number of rows; the last file shorter, and longer; one file; empty files.
    yield "divided", parts(counting("<f8", 3000), 1000, 500, 1500)
    yield "shorter", parts(counting("<f8", 2337), 1000, 1000, 337)
    yield "longer", parts(counting("<f8", 4337), 1000, 1000, 2337)
    yield "single", [counting("<f8", 7)]
    yield "empty", parts(counting("<f8", 10), 0, 5, 0, 5, 0)
    yield "nothing", [np.zeros((0, 3))]
    # More axes, in both orders. NumPy says C order for the Fortran array of one row.
    yield "matrix", parts(counting("<f4", 60, 5), 20, 20, 20)
    yield "cube", parts(counting(">i4", 12, 3, 4), 4, 4, 4)
    yield "fortran", [np.asfortranarray(part) for part in parts(counting("<f8", 43, 3, 4), 20, 20, 3)]
    yield "fortran-row", [np.asfortranarray(part) for part in parts(counting("<f8", 41, 3), 20, 20, 1)]
    # 144 MiB, which are divided.
    yield "large", [np.resize(np.arange(1009, dtype="<f4"), (36 << 10, 1 << 10))]
    yield "large-fortran", [np.asfortranarray(np.resize(np.arange(1009, dtype="<f4"), (36 << 10, 1 << 10)))]
    # Records, packed and padded.
    record = np.zeros(30, [("station", "<U5"), ("time", "<M8[ns]"), ("x", ">f4"), ("raw", "V3")])
    record["station"], record["time"], record["x"] = "GRF", counting("<i8", 30), counting("<f4", 30)
    yield "records", parts(record, 10, 10, 10)
    padded = np.zeros(30, np.dtype([("id", "u1"), ("x", "<f8"), ("y", "<i2")], align=True))
    padded["id"], padded["x"], padded["y"] = counting("u1", 30), counting("<f8", 30), counting("<i2", 30)
    yield "padded", parts(padded, 15, 15)


def write(directory):
    for name, arrays in cases():
        (directory / name).mkdir()
        for number, array in enumerate(arrays):
            np.save(directory / name / f"part-{number}.npy", array)


def same(found, expected):
    assert found.shape == expected.shape, (found.shape, expected.shape)
    if expected.dtype.names:
        for field in expected.dtype.names:
            same(found[field], expected[field])
    else:
        # Xarray swaps bytes, and makes big-endian text wider.
        assert found.dtype.kind == expected.dtype.kind == "U" or found.dtype.newbyteorder("=") == expected.dtype.newbyteorder("="), (found.dtype, expected.dtype)
        assert found.tobytes() == expected.tobytes() or np.array_equal(found, expected)


def check(directory):
    import xarray
    import zarr

    warnings.simplefilter("ignore")
    for name, arrays in cases():
        expected = np.concatenate(arrays)
        references = str(directory / f"{name}.json")
        group = zarr.open_group("reference://", mode="r", storage_options={"fo": references})
        parts = [group[key][...] for key in ("data", "rest") if key in group]
        same(np.concatenate(parts), expected)
        # Xarray 2026.9 cannot decode all records that Zarr reads.
        if expected.dtype.names is None:
            dataset = xarray.open_dataset(references, engine="kerchunk", chunks={}, mask_and_scale=False)
            assert dataset["data"].dims == tuple(f"dim_{axis}" for axis in range(expected.ndim))
            parts = [dataset[key] for key in ("data", "rest") if key in dataset]
            joined = xarray.concat([part.rename(rest_0="dim_0") if "rest_0" in part.dims else part for part in parts], "dim_0")
            same(joined.to_numpy(), expected)
            if expected.size and expected.dtype.kind in "iuf":
                mean = joined.astype("f8").mean()
                assert mean.chunks == (), "the mean was not computed by Dask"
                np.testing.assert_allclose(mean.compute(), expected.astype("f8").mean(), rtol=1e-12)
        chunks = [str(group[key].chunks) for key in ("data", "rest") if key in group]
        print(name, arrays[0].dtype.str, " ".join(chunks))


{"write": write, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
