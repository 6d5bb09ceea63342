"""What NumPy has no function for."""

import functools
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import npyfiles


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.npy"


def test_append_creates_and_grows(path):
    npyfiles.append(path, [[1.0, 2.0]])
    npyfiles.append(path, [[3, 4], [5, 6]])
    assert np.load(path).tolist() == [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(npyfiles.NpyError, match=r"wrong shape: expected \(n, 2\), found \(1, 3\)"):
        npyfiles.append(path, [[1, 2, 3]])
    with pytest.raises(TypeError, match="same_kind"):
        npyfiles.append(path, [["a", "b"]])
    assert len(np.load(path)) == 3
    with pytest.raises(npyfiles.NpyError, match=r"expected rows of shape \(n, ...\), found \(\)"):
        npyfiles.append(path.with_name("new.npy"), 5)
    assert not path.with_name("new.npy").exists()


def test_append_extends_the_last_axis_of_fortran_order(path):
    np.save(path, np.asfortranarray(np.arange(6).reshape(2, 3)))
    npyfiles.append(path, [[10, 20], [11, 21]])
    found = np.load(path)
    assert found.flags.f_contiguous and found.tolist() == [[0, 1, 2, 10, 20], [3, 4, 5, 11, 21]]


def test_records_are_appended(path):
    dtype = np.dtype([("id", "i4"), ("name", "S5"), ("at", "f4", (3,))])
    rows = np.zeros(100_000, dtype)
    rows["id"] = np.arange(100_000)
    with npyfiles.Writer(path, dtype=dtype) as writer:
        for start in range(0, 100_000, 33_333):
            writer.write(rows[start : start + 33_333])
    assert (np.load(path) == rows).all()


def test_flush_is_a_commit_point(path):
    script = f"""
import os, npyfiles
writer = npyfiles.Writer({str(path)!r}, dtype="<i4")
writer.write([1, 2, 3])
writer.flush()
writer.write([4])
os.kill(os.getpid(), 9)
"""
    run = subprocess.run([sys.executable, "-c", script])
    assert run.returncode == -signal.SIGKILL
    assert np.load(path).tolist() == [1, 2, 3]
    recovered = npyfiles.recover(path)
    assert recovered.before == 3 and recovered.rows >= 3
    assert np.load(path)[:3].tolist() == [1, 2, 3]


def test_a_second_writer_is_an_error(path):
    with npyfiles.Writer(path, dtype="u1"):
        with pytest.raises(OSError) as caught:
            npyfiles.Writer(path)
        assert caught.value.path == str(path)


def test_archives_grow_and_recover(tmp_path):
    path = tmp_path / "runs.npz"
    npyfiles.savez(path, monday=[1])
    with npyfiles.NpzWriter(path, append=True, compressed=True) as archive:
        archive.add("tuesday", np.arange(1000))
        archive.add_bytes("notes.txt", b"wet")
    with np.load(path) as archive:
        assert archive.files == ["monday", "tuesday", "notes.txt"] and archive["tuesday"][-1] == 999
    with pytest.raises(ZeroDivisionError), npyfiles.NpzWriter(path, append=True) as archive:
        archive.add("wednesday", [1 / 0])
    with pytest.raises(npyfiles.NpyError, match="duplicate"), npyfiles.NpzWriter(path, append=True) as archive:
        archive.add("monday", [2])
    os.truncate(path, os.path.getsize(path) - 1)
    with pytest.raises(npyfiles.NpyError):
        npyfiles.load(path)
    assert npyfiles.recover(path) == (3, 3, 0) or npyfiles.recover(path).members == 3
    npyfiles.verify(path)


def test_stored_members_are_maps(tmp_path):
    path, big = tmp_path / "a.npz", np.arange(10_000.0)
    with npyfiles.NpzWriter(path, aligned=True) as archive:
        archive.add("big", big)
        archive.add("fortran", np.asfortranarray(big.reshape(100, 100)))
        archive.add("scalar", 5)
    with npyfiles.open_npz(path, mmap_mode="r") as archive:
        for name in archive.files:
            assert isinstance(archive[name], np.memmap) and not archive[name].flags.writeable
        assert archive["big"].ctypes.data % 64 == 0 and (archive["big"] == big).all()
        assert (archive["fortran"] == big.reshape(100, 100)).all() and archive["scalar"] == 5
        assert archive.header("big").shape == (10_000,)
    npyfiles.savez_compressed(path, big=big)
    with npyfiles.open_npz(path, mmap_mode="c") as archive:
        assert type(archive["big"]) is np.ndarray
    with pytest.raises(ValueError, match="None, 'r' or 'c'"):
        npyfiles.open_npz(path, mmap_mode="r+")


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize(
    "key",
    [3, -1, slice(2, 5), slice(None, None, -2), (slice(1, 4), 2), (..., 1), (slice(None), slice(8, 2, -3), 0), (1, 2, 3), (), slice(5, 2)],
    ids=str,
)
def test_regions_are_those_of_the_array(path, key, order):
    array = np.arange(7 * 9 * 5, dtype="<i2").reshape(7, 9, 5)
    np.save(path, np.array(array, order=order))
    found = npyfiles.read_region(path, key)
    assert found.dtype == array.dtype and found.shape == array[key].shape and (found == array[key]).all()


def test_regions_outside_are_errors(path):
    np.save(path, np.zeros((3, 4)))
    for key in (3, -4, (0, 4), (0, 0, 0), [0, 1], None, 1.5, "x", (..., ...), np.array([True, False, True])):
        with pytest.raises(IndexError):
            npyfiles.read_region(path, key)


def test_rows_columns_and_headers(path):
    rows = np.zeros(300_000, [("id", "i4"), ("name", "S20"), ("at", "f4", (2,))])
    rows["id"], rows["at"] = np.arange(300_000), 0.5
    np.save(path, rows)
    assert npyfiles.read_rows(path, 10, 20)["id"].tolist() == list(range(10, 20))
    found = npyfiles.columns(path, ["id", "at"])
    assert (found["id"] == rows["id"]).all() and (found["at"] == rows["at"]).all()
    with pytest.raises(KeyError, match="no field 'x'; the fields are id, name, at"):
        npyfiles.columns(path, ["x"])
    assert npyfiles.columns(path, "id").keys() == {"id"}
    header = npyfiles.header(path)
    assert header[:4] == ((300_000,), False, rows.dtype, 1) and header.data_offset % 64 == 0


def test_maps_close(path):
    np.save(path, np.arange(10))
    with npyfiles.Map(path, "r+") as map:
        map.array[3] = 33
        map.flush()
        assert map.array.sum() == 75
    assert np.load(path)[3] == 33
    map = npyfiles.Map(path)
    kept = map.array
    with pytest.raises(BufferError, match="while arrays use it"):
        map.close()
    assert kept[3] == 33
    del kept
    map.close()
    with pytest.raises(ValueError):
        map.array


def test_numbers_of_threads_are_checked(tmp_path):
    npyfiles.savez(tmp_path / "a.npz", x=[1])
    npyfiles.save(tmp_path / "a.npy", [1])
    calls = [
        lambda threads: npyfiles.load(tmp_path / "a.npy", threads=threads),
        lambda threads: npyfiles.load(tmp_path / "a.npz", threads=threads),
        lambda threads: npyfiles.open_npz(tmp_path / "a.npz", threads=threads),
        lambda threads: npyfiles.NpzWriter(tmp_path / "b.npz", threads=threads),
    ]
    for call in calls:
        for threads in (-1, 1025, 1 << 70, 1.0, None, True):
            with pytest.raises(ValueError, match="threads must be an int from 0 to 1024"):
                call(threads)
        call(0), call(1024)


def test_open_files_say_what_they_are(tmp_path):
    path = str(tmp_path / "a.npy")
    with npyfiles.Writer(path, dtype="<f4", shape=3) as writer:
        writer.write([[1, 2, 3]])
        assert repr(writer) == f"Writer({path!r}, dtype=dtype('float32'), shape=(3,))"
    with npyfiles.Map(path) as mapped:
        assert repr(mapped) == f"Map({path!r}, shape=(1, 3), dtype=dtype('float32'))"
    assert repr(mapped) == f"Map({path!r} (closed))"
    with npyfiles.NpzWriter(tmp_path / "a.npz") as archive:
        assert repr(archive) == f"NpzWriter({str(tmp_path / 'a.npz')!r})"


def test_threads_share_an_archive(tmp_path):
    path = tmp_path / "a.npz"
    arrays = {f"a{i}": np.full(50_000, i) for i in range(8)}
    npyfiles.savez_compressed(path, **arrays)
    failures = []

    def read(archive):
        try:
            for _ in range(5):
                for name, array in arrays.items():
                    assert (archive[name] == array).all()
        except BaseException as error:
            failures.append(error)

    for archive in (npyfiles.load(path), npyfiles.load(open(path, "rb"))):
        threads = [threading.Thread(target=read, args=(archive,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert not failures


@pytest.mark.parametrize(
    "save",
    [
        npyfiles.savez,
        functools.partial(npyfiles.savez_compressed, level=1),
        functools.partial(npyfiles.savez_compressed, level=1, threads=2),
        lambda path, array: npyfiles.save(path.with_suffix(".npy"), array),
        lambda path, array: npyfiles.save(path.with_suffix(".npy"), array.reshape(1000, 2000)[:, ::2]),
    ],
    ids=["savez", "compressed", "by threads", "save", "save in parts"],
)
def test_an_array_that_changes_while_it_is_written_gives_a_valid_file(tmp_path, save):
    array, is_over = np.zeros(2_000_000), threading.Event()

    def change():
        while not is_over.is_set():
            array[:] += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for number in range(3):
            save(tmp_path / "a.npz", array=array)
            (written,) = tmp_path.iterdir()
            npyfiles.verify(written)
    finally:
        is_over.set()
        thread.join()


def test_exceptions_of_file_objects_pass_through():
    class Interrupted:
        def read(self, _count):
            raise KeyboardInterrupt

        def seek(self, *_):
            return 1000

    with pytest.raises(KeyboardInterrupt):
        npyfiles.load(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        npyfiles.NpzFile(Interrupted())

    class Full:
        def write(self, _data):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        npyfiles.savez(Full(), a=[1])


@pytest.mark.parametrize("read", ["load(PATH)", "load(PATH, threads=1)", "read_region(PATH, slice(5, None))"])
def test_interrupts_end_a_long_read(tmp_path, read):
    """The file is sparse, so that reading takes time and no disk."""
    path = tmp_path / "large.npy"
    npyfiles.format.open_memmap(path, "w+", "u1", (1 << 30,)).flush()
    script = f"""
import npyfiles, signal
signal.setitimer(signal.ITIMER_REAL, 0.05)
def interrupt(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
try:
    for _ in range(20):
        npyfiles.{read.replace("PATH", repr(str(path)))}
except KeyboardInterrupt:
    print("interrupted")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert run.stdout == "interrupted\n", run


def test_a_file_that_shrinks_while_it_is_read_is_an_error(tmp_path):
    path, size = tmp_path / "shrinking.npy", 64 << 20
    npyfiles.format.open_memmap(path, "w+", "u1", (size,)).flush()
    full, is_over = os.path.getsize(path), threading.Event()

    def shrink():
        while not is_over.is_set():
            os.truncate(path, full // 2)
            os.truncate(path, full)

    thread = threading.Thread(target=shrink)
    thread.start()
    errors = 0
    try:
        for _ in range(20):
            try:
                npyfiles.load(path)
            except npyfiles.NpyError as error:
                assert error.path == str(path) and error.kind == "Truncated"
                errors += 1
    finally:
        is_over.set()
        thread.join()
    print(f"{errors} of 20 reads saw the file short")
