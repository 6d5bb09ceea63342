"""What NumPy's own tests do not look at: the same bytes, memory and options."""

import io
import os
import warnings

import numpy as np
import pytest

import npyfiles

ARRAYS = {
    "0-d": np.array(1.5),
    "empty": np.zeros((0, 3), "i4"),
    "1-d": np.arange(1000, dtype="<i8"),
    "big-endian": np.arange(10, dtype=">f4"),
    "C": np.arange(12.0).reshape(3, 4),
    "Fortran": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "neither": np.arange(60.0).reshape(5, 12)[::2, ::-3],
    "bool": np.array([True, False]),
    "half": np.arange(5, dtype="f2"),
    "complex": np.array([1 + 2j]),
    "long double": np.array([1.5], np.longdouble),
    "bytes": np.array([b"a", b"bc"]),
    "text": np.array(["a", "äöü"]),
    "text without characters": np.zeros(3, "U0"),
    "datetime": np.array(["2020-01-01", "NaT"], "M8[us]"),
    "timedelta": np.array([1, 2], "m8[D]"),
    "void": np.zeros(3, "V5"),
    "record": np.zeros(4, [("a", "i4"), ("b", "f8", (2, 2)), ("c", [("x", "S3")])]),
    "padded": np.zeros(2, np.dtype("i1,i4,i1", align=True)),
    "titles": np.zeros(2, [(("title", "name"), "i4")]),
    "matrix": np.matrix([[1, 2], [3, 4]]),
    "7 axes": np.zeros((1, 2, 1, 3, 1, 2, 1), "u1"),
    "objects": np.array([1, "a", None, [1, 2]], object),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_files_are_byte_for_byte_those_of_numpy(name, tmp_path):
    array = ARRAYS[name]
    np.save(tmp_path / "theirs.npy", array)
    npyfiles.save(tmp_path / "ours.npy", array)
    theirs = (tmp_path / "theirs.npy").read_bytes()
    assert (tmp_path / "ours.npy").read_bytes() == theirs
    stream = io.BytesIO()
    npyfiles.save(stream, array)
    assert stream.getvalue() == theirs
    with open(tmp_path / "opened.npy", "wb") as file:
        npyfiles.save(file, array)
    assert (tmp_path / "opened.npy").read_bytes() == theirs
    np.savez(tmp_path / "theirs.npz", array)
    npyfiles.savez(tmp_path / "ours.npz", array)
    assert (tmp_path / "ours.npz").read_bytes() == (tmp_path / "theirs.npz").read_bytes()


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_come_back_as_numpy_loads_them(name, tmp_path):
    path, archive = tmp_path / "a.npy", tmp_path / "a.npz"
    np.save(path, ARRAYS[name])
    np.savez_compressed(archive, ARRAYS[name])
    expected = np.load(path, allow_pickle=True)
    with npyfiles.load(archive, allow_pickle=True) as opened, open(path, "rb") as file:
        streams = [io.BytesIO(path.read_bytes()), file]
        found = [npyfiles.load(path, allow_pickle=True), opened["arr_0"], *(npyfiles.load(f, allow_pickle=True) for f in streams)]
    for array in found:
        assert type(array) is type(expected) and array.dtype == expected.dtype and array.shape == expected.shape
        assert array.flags.fnc == expected.flags.fnc and array.flags.writeable and array.flags.aligned
        assert array.tobytes() == expected.tobytes() if not array.dtype.hasobject else array.tolist() == expected.tolist()


def test_compressed_archives_are_read_by_numpy(tmp_path):
    array = np.arange(1_000_000) // 7
    sizes = set()
    for threads in (1, 2):
        npyfiles.savez_compressed(tmp_path / "a.npz", array=array, level=6, threads=threads)
        sizes.add(os.path.getsize(tmp_path / "a.npz"))
        with np.load(tmp_path / "a.npz") as archive:
            assert (archive["array"] == array).all()
        with npyfiles.load(tmp_path / "a.npz", threads=threads) as archive:
            assert (archive["array"] == array).all()
    assert len(sizes) == 1


def test_names_of_options_are_no_arrays(tmp_path):
    with pytest.raises(TypeError, match="level is an option.*NpzWriter"):
        npyfiles.savez_compressed(tmp_path / "a.npz", level=np.arange(3))
    with npyfiles.NpzWriter(tmp_path / "a.npz", compressed=True) as archive:
        archive.add("level", np.arange(3))
    assert npyfiles.load(tmp_path / "a.npz")["level"].tolist() == [0, 1, 2]


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.npz"
    npyfiles.savez(path, a=[1])
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        npyfiles.savez(path, a=[2], b=np.array([None]), allow_pickle=False)
    assert npyfiles.load(path)["a"].tolist() == [1]
    assert os.listdir(tmp_path) == ["a.npz"]
    npyfiles.save(tmp_path / "a.npy", [1], durable=True)
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        npyfiles.save(tmp_path / "a.npy", np.array([None]), allow_pickle=False)
    assert npyfiles.load(tmp_path / "a.npy").tolist() == [1]


def test_errors_say_where(tmp_path):
    path = tmp_path / "short.npy"
    np.save(path, np.zeros(10))
    os.truncate(path, 150)
    with pytest.raises(npyfiles.NpyError, match=r"short.npy: Failed to read all data for array\. Expected \(10,\)") as caught:
        npyfiles.load(path)
    error = caught.value
    assert (error.path, error.offset, error.member, error.kind) == (str(path), 150, None, "Truncated")
    with pytest.raises(FileNotFoundError) as caught:
        npyfiles.load(tmp_path / "none.npy")
    assert caught.value.path == caught.value.filename == str(tmp_path / "none.npy")
    with pytest.raises(IsADirectoryError):
        npyfiles.load(tmp_path)
    (tmp_path / "empty.npy").touch()
    with pytest.raises(EOFError):
        npyfiles.load(tmp_path / "empty.npy")
    npyfiles.savez(tmp_path / "a.npz", x=np.arange(1000))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[2000] ^= 1
    (tmp_path / "a.npz").write_bytes(content)
    import zipfile

    with npyfiles.load(tmp_path / "a.npz") as archive, pytest.raises(zipfile.BadZipFile) as caught:
        archive["x"]
    assert isinstance(caught.value, npyfiles.NpyError) and caught.value.member == "x"
    with pytest.raises(npyfiles.NpyError, match="\"x\""):
        npyfiles.verify(tmp_path / "a.npz")


def test_warnings_point_to_the_caller(tmp_path):
    wide = np.ones(1, [(("%d" % i) * 100, float) for i in range(500)])
    for save in (npyfiles.save, npyfiles.savez):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            save(tmp_path / "wide", wide)
        assert [(w.filename, w.category) for w in caught] == [(__file__, UserWarning)], [str(w) for w in caught]


def test_several_arrays_in_a_file_of_the_system(tmp_path):
    with open(tmp_path / "several", "wb") as file:
        for item in ([1], np.array([None, "a"]), [2.5]):
            npyfiles.save(file, item)
    with open(tmp_path / "several", "rb") as file:
        assert [npyfiles.load(file, allow_pickle=True).tolist() for _ in range(3)] == [[1], [None, "a"], [2.5]]
        with pytest.raises(EOFError):
            npyfiles.load(file)


def test_pipes_are_written(tmp_path):
    fifo = tmp_path / "fifo.npy"
    os.mkfifo(fifo)
    child = os.fork()
    if child == 0:
        npyfiles.save(fifo, np.arange(100_000))
        os._exit(0)
    with open(fifo, "rb") as file:
        content = file.read()
    os.waitpid(child, 0)
    assert npyfiles.load(io.BytesIO(content)).tolist() == list(range(100_000))


def test_threads_read_the_same(tmp_path):
    array = np.random.default_rng(1).integers(0, 256, 20_000_000, "u1")
    np.save(tmp_path / "a.npy", array)
    for threads in (1, 2, 3, 7):
        assert (npyfiles.load(tmp_path / "a.npy", threads=threads) == array).all()
    os.truncate(tmp_path / "a.npy", 15_000_000)
    for threads in (1, 2, 7):
        with pytest.raises(npyfiles.NpyError, match=f"could only read {15_000_000 - 128} elements"):
            npyfiles.load(tmp_path / "a.npy", threads=threads)


def test_headers_of_python_2_warn(tmp_path):
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2L,), }"
    text += b" " * (117 - len(text)) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + np.arange(2.0).tobytes()
    (tmp_path / "a.npy").write_bytes(content)
    with npyfiles.NpzWriter(tmp_path / "a.npz") as archive:
        archive.add_bytes("a.npy", content)
    with npyfiles.load(tmp_path / "a.npz") as archive:
        loads = [lambda: npyfiles.load(tmp_path / "a.npy"), lambda: npyfiles.load(io.BytesIO(content)), lambda: archive["a"]]
        for load in loads:
            with pytest.warns(UserWarning, match="Reading.*this warning") as caught:
                assert load().tolist() == [0, 1]
            assert [w.filename for w in caught] == [__file__]


def test_masked_arrays_are_refused_where_numpy_refuses_them(tmp_path):
    masked = np.ma.masked_array([1, 2], [0, 1])
    with pytest.raises(NotImplementedError, match="MaskedArray.tofile"):
        npyfiles.save(tmp_path / "a.npy", masked)
    assert not (tmp_path / "a.npy").exists()
    with open(tmp_path / "b.npy", "wb") as file, pytest.raises(NotImplementedError):
        npyfiles.save(file, masked)


def test_in_place_overwrites_the_file(tmp_path):
    path = tmp_path / "a.npy"
    npyfiles.save(path, np.arange(1000))
    before = os.stat(path).st_ino
    npyfiles.save(path, [1.5], in_place=True)
    assert os.stat(path).st_ino == before and npyfiles.load(path).tolist() == [1.5]
    npyfiles.save(path, np.asfortranarray(np.ones((300, 700)))[::2], in_place=True)
    assert os.stat(path).st_ino == before and npyfiles.load(path).shape == (150, 700)
    npyfiles.verify(path)
    npyfiles.save(path, [2])
    assert os.stat(path).st_ino != before


def test_advice_names_functions_of_this_package(tmp_path):
    archive, objects = tmp_path / "a.npz", tmp_path / "o.npy"
    npyfiles.savez(archive, x=[1])
    npyfiles.save(objects, np.array([None]))
    for call, advice in [
        (lambda: npyfiles.header(archive), "an .npz archive; open it with `load`$"),
        (lambda: npyfiles.append(objects, [1]), "read them with `load"),
    ]:
        with pytest.raises(npyfiles.NpyError, match=advice) as caught:
            call()
        assert "npy_core" not in str(caught.value)
    os.truncate(archive, archive.stat().st_size - 22)
    with pytest.raises(npyfiles.NpyError, match="`recover` keeps them"):
        npyfiles.load(archive)
