"""Objects are read as data, and come back as Python saved them."""

import collections
import datetime
import decimal
import fractions
import io
import pickle
import uuid

import numpy as np
import pytest

import npyfiles

ZONE = datetime.timezone(datetime.timedelta(hours=2), "CEST")
ITEMS = [
    None, True, False, 0, -1, 255, 2**31, -(2**63), 2**64, -(2**200), 10**5000, 0.5, float("inf"), 1 + 2j, "", "a", "äöü€😀", "\ud800",
    b"", b"bytes", bytearray(b"x"), [], [1, [2]], (), (1,), (1, 2, 3, 4), {}, {"a": 1, 2: [3]}, collections.OrderedDict(b=1, a=2),
    set(), {1, 2}, frozenset({"a"}), range(1, 10, 2), slice(1, None, 2), datetime.date(2020, 2, 29), datetime.time(1, 2, 3, 4),
    datetime.time(1, 2, tzinfo=ZONE, fold=1), datetime.datetime(2020, 1, 2, 3, 4, 5, 6), datetime.datetime(1, 1, 1, tzinfo=ZONE),
    datetime.timedelta(-1, 5, 6), datetime.timezone.utc, ZONE, decimal.Decimal("1.50"), decimal.Decimal("NaN"),
    fractions.Fraction(1, 3), uuid.UUID(int=5),
]  # fmt: skip


def round_trip(array, **options):
    stream = io.BytesIO()
    np.save(stream, array)
    stream.seek(0)
    return npyfiles.load(stream, allow_pickle=True, **options)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: type(item).__name__)
def test_an_item_comes_back(item):
    array = np.empty(2, object)
    array[0] = array[1] = item
    for found in round_trip(array):
        assert type(found) is type(item)
        assert repr(found) == repr(item) if type(item) is not int else found == item


def test_shapes_and_orders_come_back():
    for shape in [(), (0,), (3, 0), (2, 3, 4)]:
        array = np.empty(shape, object)
        array[...] = "x"
        assert (round_trip(array) == array).all() and round_trip(array).shape == shape
    fortran = np.asfortranarray(np.arange(6).reshape(2, 3).astype(object))
    found = round_trip(fortran)
    assert found.flags.f_contiguous and found.tolist() == fortran.tolist()


def test_arrays_in_arrays():
    inner = [
        np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(["2020-01-01"], "M8[D]"), np.float32(1.5),
        np.array([(1, "a")], [("x", "i4"), ("y", "U3")]), np.dtype("<f8"), np.array([[1, None]], object), np.matrix([[1, 2]]),
        np.datetime64("2020-01-01"), np.str_("text"), np.bool_(True),
    ]  # fmt: skip
    array = np.empty(len(inner), object)
    array[:] = inner
    for found, expected in zip(round_trip(array), inner):
        assert type(found) is type(expected) and getattr(found, "dtype", None) == getattr(expected, "dtype", None)
        assert repr(found) == repr(expected)
        if isinstance(found, np.ndarray):
            found[...] = expected


def test_masked_arrays_and_records():
    masked = np.ma.masked_array([1, 2, 3], [0, 1, 0], fill_value=7)
    array = np.empty(2, object)
    array[:] = [masked, np.ma.masked]
    found = round_trip(array)
    assert found[0].tolist() == [1, None, 3] and found[0].fill_value == 7 and found[1] is np.ma.masked
    records = np.array([(1, "a"), (2, None)], [("id", "i4"), ("what", "O")])
    found = round_trip(records)
    assert found.dtype == records.dtype and found.tolist() == records.tolist()


def test_text_of_any_length():
    for dtype in (np.dtypes.StringDType(), np.dtypes.StringDType(na_object=None, coerce=False)):
        array = np.array(["a", "longer than the others", ""], dtype)
        with pytest.warns(UserWarning, match="allow_pickle=True"):
            found = round_trip(array)
        assert found.dtype == dtype and found.tolist() == array.tolist()


class Unknown:
    def __init__(self, value):
        self.value = value


def test_unknown_classes_are_refused_or_opaque():
    array = np.array([Unknown(5)], object)
    with pytest.raises(npyfiles.UnpicklingError, match="Unknown") as caught:
        round_trip(array)
    assert isinstance(caught.value, pickle.UnpicklingError) and isinstance(caught.value, ValueError)
    (found,) = round_trip(array, unknown_classes="opaque")
    assert isinstance(found, npyfiles.Opaque) and found.name == "Unknown" and found.state == {"value": 5}


def test_objects_need_permission(tmp_path):
    np.save(tmp_path / "a.npy", np.array([None]))
    np.savez(tmp_path / "a.npz", a=np.array([None]))
    with pytest.raises(ValueError, match="a.npy: Object arrays cannot be loaded when allow_pickle=False"):
        npyfiles.load(tmp_path / "a.npy")
    with npyfiles.load(tmp_path / "a.npz") as archive, pytest.raises(npyfiles.NpyError, match="allow_pickle=False") as caught:
        archive["a"]
    assert caught.value.member == "a" and caught.value.path == str(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="unknown_classes must be"):
        npyfiles.load(tmp_path / "a.npy", allow_pickle=True, unknown_classes="keep")
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(np.arange(3)))
    with pytest.raises(ValueError, match="nothing of it is run"):
        npyfiles.load(tmp_path / "a.pkl")


def test_an_array_of_objects_without_a_header(tmp_path):
    array = np.array([1, "a"], object)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(array, protocol=2))
    assert npyfiles.load(tmp_path / "a.pkl", allow_pickle=True).tolist() == [1, "a"]


def test_protocols():
    array = np.array([1, 2**70, "ä", b"b", None, (1, [2])], object)
    header = io.BytesIO()
    np.save(header, array)
    start = header.getvalue().index(b"\n") + 1
    for protocol in range(6):
        content = header.getvalue()[:start] + pickle.dumps(array, protocol)
        found = npyfiles.load(io.BytesIO(content), allow_pickle=True)
        assert found.tolist() == array.tolist(), protocol


def test_objects_in_several_places_are_one_object():
    shared, itself = [1, 2], []
    itself.append(itself)
    array = np.empty(4, object)
    array[:] = [shared, {"key": shared}, itself, None]
    array[3] = array
    found = round_trip(array)
    assert found[0] is found[1]["key"]
    assert found[2][0] is found[2]
    assert found[3] is found


def test_objects_that_python_refuses_are_errors():
    """A pickle may ask for a set of lists, which no program writes."""
    header = io.BytesIO()
    np.save(header, np.array([None]))
    start = header.getvalue().index(b"\n") + 1
    from bypasses import in_array

    content = header.getvalue()[:start] + in_array(b"\x80\x04\x8f(]\x90.")
    with pytest.raises(npyfiles.UnpicklingError, match="unhashable"):
        npyfiles.load(io.BytesIO(content), allow_pickle=True)


def test_damage_of_objects_names_the_file(tmp_path):
    path = tmp_path / "a.npy"
    npyfiles.save(path, np.array(["text", None]))
    npyfiles.verify(path)
    content = path.read_bytes()
    path.write_bytes(content[:-3])
    with pytest.raises(npyfiles.NpyError) as caught:
        npyfiles.verify(path)
    assert caught.value.path == str(path) and str(path) in str(caught.value)
