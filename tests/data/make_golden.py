# -*- coding: utf-8 -*-
"""Makes the golden .npy files of this folder with real releases of NumPy.

    make_golden.py all [--scratch DIR] [--python COMMAND ...]
        For every release of RELEASES: set up an environment, run ``write``
        in it, then merge the parts to manifest.tsv, run ``resave`` with the
        current NumPy and ``check`` with the newest.  Needs Python 3, and
        unpacks the archives of corpus.py while it works.
    make_golden.py write OUTDIR
        Write all cases, as far as the running NumPy has them, to OUTDIR,
        with the rows of the manifest in OUTDIR/part.tsv.
    make_golden.py resave
        Of unpacked archives: fill in the column ``resave`` with the running NumPy.
    make_golden.py check
        Of unpacked archives: load every file with the running NumPy, compare with the manifest.

``write`` works with Python 2.7 and 3.x and NumPy 1.6 up to 2.5, ``resave``
and ``check`` with NumPy 1.24 or later.  A case that the running NumPy cannot
make is skipped; the reason is printed.
"""

from __future__ import print_function

import argparse
import glob
import io
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "python"))

PYTHON_2 = sys.version_info[0] == 2
MANIFEST = "manifest.tsv"
PART = "part.tsv"
COLUMNS = [
    "file", "numpy", "python", "version", "data_offset", "order", "shape",
    "descr", "resave", "values", "note",
]
# (Python, NumPy as pip wants it, further packages)
RELEASES = [
    ("2.7", "==1.6.2", []),
    ("2.7", "==1.11.3", []),
    ("2.7", "==1.16.6", []),
    ("3.6", "==1.13.3", []),
    ("3.6", "==1.19.5", []),
    ("3.7", "==1.21.6", []),
    ("3.8", "==1.24.4", []),
    ("3.9", "==2.0.2", []),
    ("3.11", "==1.23.5", []),
    ("3.11", "==1.26.4", ["ml_dtypes"]),
    ("3.11", "==2.4.6", ["ml_dtypes"]),
    ("3.12", "==2.1.3", ["ml_dtypes"]),
    ("3.13", ">=2.5,<2.6", ["ml_dtypes"]),
]
CURRENT = "2.4.6"  # the NumPy of the column ``resave``
NEWEST = "2.5"  # the NumPy of ``check``
# Cases with long headers are made by these releases only.
LONG_HEADERS = ["1.6.2", "1.11.3", "1.26.4", "2.4.6"]
VERY_LONG_HEADERS = ["1.11.3", "2.4.6"]
NO_HEADER_LIMIT = 10 ** 9


class Skip(Exception):
    """The running NumPy lacks what a case needs."""


# ---------------------------------------------------------------- the cases


class Case(object):
    """One file: ``make()`` gives the array, ``save(path, array)`` writes it.

    ``values(array)`` gives the array whose values go to the manifest, or
    None for ``-``.  ``by`` replaces the version of NumPy in the manifest.
    """

    def __init__(self, name, make, save=None, values=None, note="", by=None):
        self.name = name
        self.make = make
        self.save = save or (lambda path, array: np.save(path, array))
        self.values = values or (lambda array: array)
        self.note = note
        self.by = by


def all_cases():
    """Every case, in the order of the manifest."""
    cases = []
    for group in [
        number_cases, text_cases, time_cases, shape_cases, record_cases,
        padding_cases, title_cases, name_cases, header_cases, file_cases,
        object_cases, ml_dtypes_cases, python2_cases,
    ]:
        cases.extend(group())
    names = [case.name for case in cases]
    assert len(names) == len(set(name.lower() for name in names))
    return cases


def number_cases():
    yield Case("b1", lambda: from_bits("u1", [0, 1, 1, 0], "b1"))
    yield Case("b1_odd_bytes", lambda: from_bits("u1", [0, 1, 2, 255], "b1"),
               note="true stored as the bytes 02 and ff")
    for size in [1, 2, 4, 8]:
        for kind in "iu":
            for suffix, order in byte_orders(size):
                dtype = "%s%s%d" % (order, kind, size)
                yield Case("%s%d%s" % (kind, size, suffix),
                           lambda dtype=dtype: integers(dtype))
    for size in [2, 4, 8]:
        for suffix, order in byte_orders(size):
            yield Case("f%d%s" % (size, suffix),
                       lambda size=size, order=order: from_bits(
                           "%su%d" % (order, size), float_bits(size),
                           "%sf%d" % (order, size)))
    for size in [4, 8]:
        for suffix, order in byte_orders(size):
            yield Case("c%d%s" % (2 * size, suffix),
                       lambda size=size, order=order: from_bits(
                           "%su%d" % (order, size), complex_bits(size),
                           "%sc%d" % (order, 2 * size)))
    for kind in ["f16", "c32"]:
        for suffix, order in byte_orders(16):
            yield Case(kind + suffix, lambda dtype=order + kind: long_doubles(dtype))
    yield Case("f16_le_padding", lambda: long_doubles("<f16", padding=b"\xa5"),
               note="the 6 padding bytes of each element are a5")


def text_cases():
    strings = [b"", b"a", b"a\0b", b"\0\0c", b"hello", b"\xe9\xff\x80"]
    yield Case("bytes_5", lambda: np.array(strings, "S5"))
    yield Case("bytes_1", lambda: np.array([b"x", b"", b"\xff"], "S1"))
    yield Case("bytes_0", lambda: zero_size("S0"))
    for suffix, order in byte_orders(4):
        dtype = order + "U4"
        yield Case("unicode_4" + suffix, lambda dtype=dtype: code_points(dtype, [
            [], [0x61], [0x61, 0, 0x62], [0, 0, 0, 0x63], [0xe9, 0xff],
            [0x65e5, 0x672c], [0x1f600, 0x10ffff], [0x2028, 0xfeff, 0xfffd, 0x7f],
        ]))
        yield Case("unicode_2_invalid" + suffix, lambda order=order: code_points(
            order + "U2", [[0xd800], [0xdfff, 0x61], [0x110000], [0xffffffff]]),
            note="code points that are no characters")
        yield Case("unicode_0" + suffix, lambda order=order: zero_size(order + "U0"))
    yield Case("void_4", lambda: blank("V4", (3,), range(12)))
    yield Case("void_1", lambda: blank("V1", (3,), [0, 127, 255]))
    yield Case("void_0", lambda: zero_size("V0"))
    yield Case("void_4_2d_fortran", lambda: np.asfortranarray(
        blank("V4", (2, 3), range(24))))


def time_cases():
    values = [-2 ** 63, -2 ** 63 + 1, -1, 0, 1, 0x0102030405060708, 2 ** 63 - 1]
    for kind in "Mm":
        for unit in ["", "Y", "M", "D", "s", "25s", "ms", "us", "ns"]:
            for suffix, order in byte_orders(8):
                if order == ">" and unit not in ["", "D", "ns"]:
                    continue
                yield Case("%s_%s%s" % (
                    {"M": "datetime", "m": "timedelta"}[kind],
                    unit_name(unit), suffix),
                    lambda kind=kind, unit=unit, order=order: from_bits(
                        order + "i8", values, time_dtype(order, kind, unit)))


def shape_cases():
    def array(shape, dtype="<i4", order="C"):
        numbers = np.arange(int(np.prod(shape))) - 2
        return np.array(numbers.reshape(shape), dtype=dtype, order=order)

    yield Case("shape_0d", lambda: np.array(-1.5, "<f8"))
    yield Case("shape_0d_i1", lambda: np.array(-7, "i1"))
    yield Case("shape_0d_unicode", lambda: np.array(u"h\xe9", "<U3"))
    yield Case("shape_0d_record", lambda: record([("a", "<i4"), ("b", ">f8")], ()))
    yield Case("shape_0d_datetime", lambda: from_bits(
        "<i8", [20000], time_dtype("<", "M", "D")).reshape(()))
    for shape in [(0,), (0, 3), (2, 0), (1, 5), (5, 1), (2, 3), (2, 3, 2),
                  (0, 1000000), (1, 2, 1, 3, 2)]:
        name = "shape_" + "x".join("%d" % length for length in shape)
        yield Case(name, lambda shape=shape: array(shape))
        if len(shape) > 1:
            yield Case(name + "_fortran", lambda shape=shape: array(shape, order="F"))
    yield Case("shape_1000000x0_fortran", lambda: array((1000000, 0), order="F"))
    yield Case("shape_32_axes", lambda: array((1,) * 32))
    yield Case("shape_64_axes", lambda: array((1,) * 64))
    yield Case("shape_2x10_fortran_f8", lambda: array((2, 10), "<f8", "F"))
    yield Case("shape_2x3_fortran_be", lambda: array((2, 3), ">i4", "F"))
    yield Case("shape_2x3x2_fortran_f8_be", lambda: array((2, 3, 2), ">f8", "F"))
    yield Case("shape_2x3_fortran_bool", lambda: array((2, 3), "b1", "F"))
    yield Case("shape_2x2_fortran_c16", lambda: array((2, 2), "<c16", "F"))
    yield Case("shape_2x3_fortran_unicode", lambda: np.asfortranarray(
        array((2, 3)).astype("<U2")))
    yield Case("strided_1d", lambda: np.arange(12, dtype="<i8")[1::3])
    yield Case("strided_1d_reversed", lambda: np.arange(6, dtype=">i2")[::-1])
    yield Case("strided_2d", lambda: array((4, 6))[::2, ::-2])
    yield Case("strided_transposed_3d", lambda: array((2, 3, 2)).transpose(1, 0, 2))
    yield Case("strided_broadcast", lambda: np.lib.stride_tricks.as_strided(
        np.array([7, 8], "<i4"), (3, 2), (0, 4)))
    yield Case("strided_record", lambda: record(
        [("a", "u1"), ("b", "<i4")], (6,))[::2])
    yield Case("strided_record_field", lambda: record(
        [("a", "u1"), ("b", "<i4")], (4,))["b"])


def record_cases():
    simple = [("a", "<i4"), ("b", "<f8"), ("c", "u1")]
    point = [("x", "<f4"), ("y", "<f4")]
    days = lambda: time_dtype("<", "M", "D")
    steps = lambda: time_dtype("<", "m", "25s")

    yield Case("record_packed", lambda: record(simple, (3,)))
    yield Case("record_one_field", lambda: record([("a", "<i4")], (2,)))
    yield Case("record_be", lambda: record(
        [("a", ">i4"), ("b", ">f8"), ("c", ">u2")], (3,)))
    yield Case("record_mixed_endian", lambda: record(
        [("a", ">i4"), ("b", "<f8"), ("c", ">U2"), ("d", "<U2"), ("e", ">i2")], (2,)))
    yield Case("record_all_kinds", lambda: record([
        ("b", "b1"), ("i", "i1"), ("s", "S3"), ("u", "<U2"), ("v", "V3"),
        ("t", days()), ("d", steps()), ("h", "<f2"), ("c", "<c8")], (3,)))
    yield Case("record_strings", lambda: record(
        [("s", "S4"), ("u", "<U3"), ("w", ">U3")], (3,)))
    yield Case("record_datetimes", lambda: record(
        [("t", days()), ("d", steps())], (2,)))
    yield Case("record_datetimes_mixed", lambda: record([
        ("t", time_dtype(">", "M", "ns")), ("d", time_dtype(">", "m", "M")),
        ("g", time_dtype("<", "m", ""))], (2,)))
    yield Case("record_long_double", lambda: record(
        [("a", "i1"), ("b", "<f16"), ("c", "<c32")], (2,)))
    yield Case("record_nested", lambda: record(
        [("id", "<u2"), ("p", point), ("q", [("r", point), ("s", "i1")])], (2,)))
    yield Case("record_nested_in_subarray", lambda: record(
        [("id", "<u2"), ("p", point, (2,)), ("e", "i1")], (2,)))
    yield Case("record_nested_aligned", lambda: record(
        [("id", "u1"), ("p", np.dtype([("x", "u1"), ("y", "<f8")], align=True), (2,))],
        (2,)), note="the nested type has padding of its own, bytes ee")
    yield Case("record_subarray_1d", lambda: record(
        [("a", "<f8", (3,)), ("b", "i1", (1,))], (2,)))
    yield Case("record_subarray_2d", lambda: record([("a", "<i2", (2, 3))], (2,)))
    yield Case("record_subarray_be", lambda: record([("a", ">i2", (2, 2))], (2,)))
    yield Case("record_subarray_0", lambda: record(
        [("a", "<i2", (0,)), ("b", "<i4")], (2,)))
    yield Case("record_subarray_strings", lambda: record(
        [("s", "S2", (2,)), ("u", "<U2", (2,)), ("t", days(), (2,))], (2,)))
    yield Case("record_subarray_of_subarray", lambda: record(
        [("c", np.dtype(("<f8", (3,))), (2,))], (2,)))
    yield Case("record_subarray_three_deep", lambda: record(
        [("c", np.dtype((np.dtype(("<i2", (3,))), (2,))), (2,))], (2,)))
    yield Case("record_2d", lambda: record(simple, (2, 2)))
    yield Case("record_2d_fortran", lambda: record(simple, (2, 3), order="F"))
    yield Case("record_0", lambda: record(simple, (0,)))
    yield Case("record_deep_12", lambda: record(nested(12), (2,)))
    yield Case("record_300_fields", lambda: many_fields(300))
    yield Case("record_no_fields", lambda: record([], (2,)))
    yield Case("record_no_fields_8_bytes", lambda: record(
        {"names": [], "formats": [], "itemsize": 8}, (2,)))
    yield Case("record_nested_no_fields", lambda: record(
        [("a", "<i4"), ("e", np.dtype([])), ("b", "i1")], (2,)))
    yield Case("record_zero_size_strings", lambda: record(
        [("a", "S0"), ("b", "<i4"), ("c", "<U0")], (2,)))
    yield Case("record_recarray", lambda: record(simple, (3,)).view(np.recarray))
    yield Case("metadata", lambda: record(
        [("x", np.dtype("<i4", metadata={"a": 1})), ("y", "<f8")], (2,)),
        note="the dtype of x has metadata")


def padding_cases():
    fields = ["a", "b", "c"]
    four = [("a", "<i4"), ("b", "<f8"), ("c", "u1"), ("d", "<i2")]
    note = "padding bytes are ee"

    yield Case("padding_aligned", lambda: record(np.dtype(
        [("a", "u1"), ("b", "<f8"), ("c", "<i2")], align=True), (2,)), note=note)
    yield Case("padding_offsets", lambda: record({
        "names": fields, "formats": ["<i4", "u1", "<f4"],
        "offsets": [4, 10, 16], "itemsize": 24}, (2,)), note=note)
    yield Case("padding_leading", lambda: record({
        "names": ["a"], "formats": ["<i4"], "offsets": [3]}, (2,)), note=note)
    yield Case("padding_trailing", lambda: record({
        "names": ["a"], "formats": ["<i4"], "offsets": [0], "itemsize": 11},
        (2,)), note=note)
    yield Case("padding_offsets_2d_fortran", lambda: record({
        "names": fields, "formats": ["<i4", "u1", ">f4"],
        "offsets": [4, 10, 16], "itemsize": 24}, (2, 2), order="F"), note=note)
    yield Case("padding_selection", lambda: record(four, (3,))[["a", "c"]],
               note="fields a and c of an array with a, b, c, d")
    yield Case("padding_selection_2d", lambda: record(four, (2, 2))[["b", "d"]],
               note="fields b and d of an array with a, b, c, d")
    yield Case("padding_out_of_order", lambda: record({
        "names": fields, "formats": ["<i4", "<i4", "<i2"], "offsets": [8, 0, 4]},
        (2,)), values=no_values,
        note="NumPy <= 1.13 writes a descr that does not fit the data")
    yield Case("padding_overlap", lambda: record({
        "names": fields, "formats": ["<i4", "<i2", "<i2"], "offsets": [0, 0, 2]},
        (2,)), values=no_values,
        note="NumPy <= 1.13 writes a descr that does not fit the data")


def title_cases():
    def titled(*titles):
        names = ["f%d" % i for i in range(len(titles))]
        return record({"names": names, "formats": ["<i4"] * len(titles),
                       "offsets": [4 * i for i in range(len(titles))],
                       "titles": list(titles)}, (2,))

    yield Case("title_str", lambda: record(
        [(("The title", "x"), "<i4"), ("y", "<f8"), (("other", "z"), "<i2", (2,))], (2,)))
    yield Case("title_empty", lambda: titled("", None))
    yield Case("title_int", lambda: titled(7, None))
    yield Case("title_tuple", lambda: titled((1, "a"), -2.5))
    yield Case("title_bytes", lambda: titled(b"a\xff'", None))
    yield Case("title_unicode", lambda: titled(u"h\xe9", u"plain"))
    yield Case("title_cjk", lambda: titled(u"\u65e5\u672c"))
    yield Case("title_float64", lambda: titled(np.float64(1.5)),
               note="a title that is a NumPy scalar")
    yield Case("title_nested", lambda: record(
        [("p", [(("the x", "x"), "<i4"), ("y", "<i2")], (2,)), (("t", "q"), "i1")], (2,)))


def name_cases():
    def named(*names):
        return record([(native(name), "<i4") for name in names], (2,))

    for name, text in [
        ("latin1", u"h\xe9ight"),
        ("latin1_range", u"\xa1\xd7\xff"),
        ("cjk", u"\u65e5\u672c"),
        ("astral", u"\U0001f600"),
        ("spaces", u" a  b "),
        ("single_quote", u"it's"),
        ("double_quote", u'say "hi"'),
        ("both_quotes", u"it's \"x\""),
        ("backslash", u"a\\b\\"),
        ("newline_tab", u"a\nb\tc\rd"),
        ("control", u"\x01\x1f\x7f"),
        ("nbsp", u"a\xa0b\xad\x85"),
        ("zero_width", u"a\u200bb\u2028"),
        ("private_use", u"\ue000\U0010fffd"),
        ("combining", u"e\u0301"),
        ("brackets", u"{'descr': [(), ], }"),
        ("padding_like", u"10L, 'shape': (2L,)"),
        ("replaced_key", u"', 'fortran_order': True, '"),
    ]:
        yield Case("name_" + name, lambda text=text: named(text, u"b"))
    yield Case("name_surrogate", surrogate_name)
    yield Case("name_empty", lambda: record(
        {"names": ["", "b"], "formats": ["<i4", "<i2"]}, (2,)))
    yield Case("name_empty_nested", lambda: record(
        {"names": ["a", ""], "formats": ["<i4", np.dtype([("x", "<i2")])]}, (2,)))
    yield Case("name_keyword", lambda: named(u"descr", u"shape", u"None", u"0"))
    yield Case("name_mixed", lambda: named(u"\xe9", u"\u03bc", u"\U0001f600", u"z"))


def header_cases():
    plain = lambda: np.array([1.5, -2.5, 0.0], "<f8")
    fields = lambda: record([("a", "<i4"), ("b", ">f8")], (2,))
    latin = lambda: record([(native(u"h\xe9"), "<i4")], (2,))
    cjk = lambda: record([(native(u"\u65e5"), "<i4")], (2,))

    for version in [(1, 0), (2, 0), (3, 0)]:
        name = "version_%d_" % version[0]
        yield Case(name + "plain", plain, save_version(version))
        yield Case(name + "record", fields, save_version(version))
        yield Case(name + "latin1", latin, save_version(version))
    yield Case("version_3_cjk", cjk, save_version((3, 0)))
    yield Case("version_2_fortran", lambda: np.asfortranarray(
        np.arange(6, dtype="<i4").reshape(2, 3)), save_version((2, 0)))
    # Field names that bring the text of the header to a multiple of 64, one
    # less and one more, with and without room for a growing shape.
    for kind, growth in [("plain", 0), ("growth", 20)]:
        for total in [127, 128, 129]:
            text = "{'descr': [('', '<i4')], 'fortran_order': False, 'shape': (2,), }"
            length = total - 10 - 1 - len(text) - growth
            yield Case("header_%d_%s" % (total, kind),
                       lambda length=length: record([("n" * length, "<i4")], (2,)),
                       note="%d bytes before alignment%s" % (
                           total, " with growth spaces" if growth else ""))
    yield Case("header_over_10000", lambda: long_name(10050),
               note="longer than the max_header_size of np.load")
    yield Case("header_over_65535", lambda: long_name(65600),
               note="too long for version 1.0")


def file_cases():
    def memmap(order, **options):
        def save(path, array):
            shape = options.get("shape", array.shape)
            target = np.lib.format.open_memmap(
                path, "w+", dtype=array.dtype, shape=shape, fortran_order=order == "F",
                version=options.get("version", (1, 0)))
            target[...] = array
            target.flush()
        return save

    def followed_by(tail):
        def save(path, array):
            with open(path, "wb") as file:
                np.save(file, array)
                tail(file)
        return save

    def two_arrays(file):
        np.save(file, integers("<i4"))
        np.save(file, integers(">i2"))

    one = lambda: np.array([1, -2, 3], "<i4")
    two = lambda: np.arange(6, dtype="<f8").reshape(2, 3)
    yield Case("memmap_1d", one, memmap("C"))
    yield Case("memmap_1d_fortran", one, memmap("F"))
    yield Case("memmap_0d_fortran", lambda: np.array(5, "<i2"), memmap("F"))
    yield Case("memmap_2d", two, memmap("C"))
    yield Case("memmap_2d_fortran", two, memmap("F"))
    yield Case("memmap_1x3_fortran", lambda: np.array([[1, 2, 3]], "<i4"), memmap("F"))
    yield Case("memmap_3x1_fortran", lambda: np.array([[1], [2], [3]], ">i4"), memmap("F"))
    yield Case("memmap_version_2", two, memmap("C", version=(2, 0)))
    yield Case("memmap_record_fortran", lambda: record(
        [("a", "i1"), ("b", "<i4")], (2, 2)), memmap("F"))
    yield Case("memmap_npint_shape", one, memmap("C", shape=(np.int64(3),)),
               note="open_memmap was given a NumPy integer as the length")
    yield Case("memmap_list_shape", one, memmap("C", shape=[3]),
               note="open_memmap was given a list as the shape")
    yield Case("trailing_bytes", one, followed_by(lambda file: file.write(b"\0\x01abc")),
               note="5 bytes after the data")
    yield Case("trailing_newline", one, followed_by(lambda file: file.write(b"\n")),
               note="1 byte after the data")
    yield Case("concatenated", two, followed_by(two_arrays),
               note="3 arrays; the second is that of i4_le, the third that of i2_be")
    yield Case("concatenated_empty", lambda: np.zeros((0, 3), "<f8"),
               followed_by(two_arrays),
               note="3 arrays; the second is that of i4_le, the third that of i2_be")


def object_cases():
    def objects(items, shape):
        array = np.empty(len(items), "O")
        array[:] = items
        return array.reshape(shape)

    yield Case("object", lambda: objects([1, None, u"x"], (3,)))
    yield Case("object_2d_fortran", lambda: np.asfortranarray(
        objects([1, 2.5, b"b", True], (2, 2))))
    yield Case("object_0d", lambda: objects([None], ()))
    yield Case("object_empty", lambda: objects([], (0,)))
    yield Case("object_record", objects_in_record)
    yield Case("object_string_dtype", lambda: np.array(
        [u"a", u"long enough for the heap"], np.dtypes.StringDType()))


def ml_dtypes_cases():
    def bits(code, name):
        def make():
            import ml_dtypes
            values = {
                "<u2": [0, 0x8000, 0x3f80, 0xc040, 0x7f80, 0x7fc1, 1, 0x7f7f],
                "u1": [0, 0x80, 0x38, 0xc1, 0x7c, 0x7e, 1, 0xff],
            }[code]
            return np.array(values, code).view(getattr(ml_dtypes, name))
        return make

    for code, name in [("<u2", "bfloat16"), ("u1", "float8_e5m2"), ("u1", "float8_e4m3fn")]:
        note = "ml_dtypes." + name
        yield Case("ml_" + name, bits(code, name), values=as_void, note=note)
    yield Case("ml_bfloat16_record", bfloat16_record,
               values=lambda array: array.view([("a", "<i4"), ("b", "V2")]),
               note="field b is ml_dtypes.bfloat16")


def python2_cases():
    """Headers as Python 2 on Windows writes them, where a shape has longs."""
    if not (PYTHON_2 and np.__version__.startswith("1.16.")):
        return

    def longs(descr, shape, version=1):
        text = "{'descr': %s, 'fortran_order': False, 'shape': %s, }" % (descr, shape)
        return save_header(text, version)

    two = lambda: np.arange(6, dtype="<f8").reshape(2, 3)
    options = {"by": "hand-written", "note": "longs in the header"}
    yield Case("python2_long_shape", two, longs("'<f8'", "(2L, 3L)"), **options)
    yield Case("python2_long_shape_1d", lambda: np.array([1, 2, 3], "<i4"),
               longs("'<i4'", "(3L,)"), **options)
    yield Case("python2_long_shape_version_2", two,
               longs("'<f8'", "(2L, 3L)", 2), **options)
    yield Case("python2_long_subarray", lambda: record(
        [("10L", "<i4", (2,)), ("b", "i1")], (2,)),
        longs("[('10L', '<i4', (2L,)), ('b', '|i1')]", "(2L,)"), **options)


# ------------------------------------------------------- how arrays are made


def byte_orders(size):
    """The suffixes of names and characters of dtypes of both byte orders."""
    return [("", "|")] if size == 1 else [("_le", "<"), ("_be", ">")]


def from_bits(code, bits, dtype):
    """An array of ``dtype`` whose elements have the given bit patterns."""
    return np.array(bits, dtype=code).view(dtype)


def time_dtype(order, kind, unit):
    """The dtype of M8 or m8.  NumPy 1.6 drops the unit after a ``<``."""
    text = kind + "8" + ("[%s]" % unit if unit else "")
    dtype = np.dtype(text).newbyteorder(order)
    if dtype.str != order + text:
        raise Skip("becomes " + dtype.str)
    return dtype


def integers(dtype):
    info = np.iinfo(np.dtype(dtype).newbyteorder("="))
    pattern = int("0102030405060708"[:2 * np.dtype(dtype).itemsize], 16)
    smallest, largest = int(info.min), int(info.max)
    values = [smallest, smallest + 1, 0, 1, pattern, largest - 1, largest]
    if smallest < 0:
        values.append(-1)
    return np.array(sorted(set(values)), dtype)


def float_bits(size):
    """0, -0, 1, -1.5, largest, smallest normal, largest and smallest
    subnormal (negative), inf, -inf, NaN, -NaN with payload, signalling NaN."""
    fraction = {2: 10, 4: 23, 8: 52}[size]
    sign = 1 << (8 * size - 1)
    inf = sign - (1 << fraction)
    one = inf // 2 >> fraction << fraction
    quiet = 1 << (fraction - 1)
    return [
        0, sign, one, sign | one | quiet, inf - 1, 1 << fraction,
        (1 << fraction) - 1, sign | 1, inf, sign | inf, inf | quiet,
        sign | inf | quiet | 5, inf | 3,
    ]


def complex_bits(size):
    bits = float_bits(size)
    one, sign, inf, nan = bits[2], bits[1], bits[8], bits[10]
    return [0, sign, one, bits[3], inf, nan, nan, sign | inf, bits[4], bits[7]]


def long_doubles(dtype, padding=b"\0"):
    """Long doubles of x86: 64 bits of fraction, 16 of sign and exponent."""
    if platform.machine() not in ["x86_64", "AMD64"]:
        raise Skip("the long double of this machine is not that of x86")
    top = 1 << 63
    data = b""
    for exponent, fraction in [
        (0, 0), (0x8000, 0), (0x3fff, top), (0xbfff, top | top >> 1),
        (0x7ffe, 2 * top - 1), (1, top), (0, top - 1), (0x8000, 1),
        (0x7fff, top), (0xffff, top), (0x7fff, top | top >> 1),
        (0xffff, top | top >> 1 | 5),
    ]:
        item = struct.pack("<QH", fraction, exponent) + 6 * padding
        data += item[::-1] if dtype[0] == ">" else item
    return np.frombuffer(bytearray(data), dtype)


def code_points(dtype, texts):
    """An array of U from lists of code points, exact on every Python."""
    dtype = np.dtype(dtype)
    length = dtype.itemsize // 4
    units = [unit for text in texts for unit in text + [0] * (length - len(text))]
    return np.array(units, dtype.str[0] + "u4").view(dtype)


def zero_size(dtype):
    array = np.ndarray(3, dtype)
    if array.dtype.itemsize != 0:
        raise Skip("becomes " + array.dtype.str)
    return array


def blank(dtype, shape, data=None, order="C"):
    """An array over the bytes ``data``, or over bytes ee."""
    dtype = np.dtype(dtype)
    size = dtype.itemsize
    for length in shape:
        size *= length
    if data is None:
        data = [0xee] * size
    return np.ndarray(shape, dtype, buffer=bytearray(data), order=order)


def record(dtype, shape, order="C"):
    """A structured array with different values in all places."""
    array = blank(dtype, shape, order=order)
    if array.dtype.names is None:
        raise Skip("no such dtype")
    fill(array, [1])
    return array


def fill(array, counter):
    for name in array.dtype.names:
        if array.dtype.fields[name][0].itemsize == 0:
            continue  # NumPy 1.11 would view U0 as U1
        field = array[name]
        if field.dtype.names is not None:
            fill(field, counter)
        elif field.size:
            field[...] = leaves(field.dtype, field.size, counter).reshape(field.shape)


def leaves(dtype, count, counter):
    """``count`` elements of a dtype without fields; counts on."""
    numbers = range(counter[0], counter[0] + count)
    counter[0] += count
    kind = dtype.kind
    if kind == "V":
        return blank(dtype, (count,), [
            (16 * number + place) % 256
            for number in numbers for place in range(dtype.itemsize)])
    if kind in "mM":
        ticks = [-2 ** 63 if number % 4 == 2 else 1000 * number for number in numbers]
        return np.array(ticks, dtype.str[0] + "i8").view(dtype)
    if dtype.itemsize > 8 and kind in "fc" and not (kind == "c" and dtype.itemsize == 16):
        return np.resize(long_doubles("<f16")[2:4], 2 * count).view(dtype)[:count]
    values = []
    for number in numbers:
        values.append({
            "b": number % 2 == 1,
            "i": number if number % 3 else -number,
            "u": number % 256,
            "f": number + 0.5,
            "c": complex(number, -0.5 * number),
            "S": ("s%d" % number).encode("ascii"),
            "U": u"\xe9%d" % number,
        }[kind])
    return np.array(values, dtype)


def nested(depth):
    """A dtype with ``depth`` levels of fields."""
    dtype = [("v", "<i2")]
    for level in range(depth - 1):
        dtype = [("i", "i1"), ("n%d" % level, dtype)] if level % 3 == 0 else [
            ("n%d" % level, dtype)]
    return dtype


def objects_in_record():
    array = np.zeros(2, [("a", "<i4"), ("o", "O")])
    array["a"] = [1, 2]
    array["o"] = [None, u"x"]
    return array


def bfloat16_record():
    import ml_dtypes
    return blank([("a", "<i4"), ("b", ml_dtypes.bfloat16)], (2,), range(12))


def surrogate_name():
    if PYTHON_2:
        raise Skip("field names are bytes")
    return record([(u"a\ud800b", "<i4")], (2,))


def many_fields(count):
    if np.__version__ not in LONG_HEADERS:
        raise Skip("only made by few releases, for size")
    return record([("f%d" % i, "<i2" if i % 2 else "u1") for i in range(count)], (1,))


def long_name(length):
    if np.__version__ not in VERY_LONG_HEADERS:
        raise Skip("only made by few releases, for size")
    return record([("n" * length, "<i4")], (2,))


def native(text):
    """``text`` as field names want it: bytes in Python 2."""
    return text.encode("utf-8") if PYTHON_2 else text


def unit_name(unit):
    """Names of files must differ without case too: M is month, ms milli."""
    return {"": "generic", "Y": "year", "M": "month", "D": "day"}.get(unit, unit)


def no_values(array):
    return None


def as_void(array):
    return array.view("V%d" % array.dtype.itemsize)


# --------------------------------------------------- how arrays are written


def save_version(version):
    def save(path, array):
        with open(path, "wb") as file:
            np.lib.format.write_array(file, array, version=version)
    return save


def save_header(text, version):
    """Write a header by hand, padded to 16 as in NumPy <= 1.13."""
    def save(path, array):
        prefix = 10 if version == 1 else 12
        padded = text + " " * (15 - (prefix + len(text)) % 16) + "\n"
        length = struct.pack("<H" if version == 1 else "<I", len(padded))
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY" + struct.pack("BB", version, 0) + length)
            file.write(padded.encode("ascii"))
            file.flush()
            array.tofile(file)
    return save


def write(outdir):
    if not os.path.isdir(outdir):
        os.makedirs(outdir)
    python = "%d.%d" % sys.version_info[:2]
    folder = os.path.basename(os.path.abspath(outdir))
    rows = []
    for case in all_cases():
        path = os.path.join(outdir, case.name + ".npy")
        try:
            array = case.make()
            case.save(path, array)
            shown = case.values(array)
            values = u"-" if shown is None or has_objects(shown) else dump(shown)
            row = describe(path)
        except Exception as error:
            print("skipped %s: %s: %s" % (
                case.name, type(error).__name__, first_line(error)))
            if os.path.exists(path):
                os.remove(path)
            continue
        row.update({
            "file": folder + "/" + case.name + ".npy",
            "numpy": case.by or np.__version__,
            "python": python,
            "values": values,
            "resave": "",
            "note": case.note,
        })
        rows.append(row)
    write_table(os.path.join(outdir, PART), rows)
    print("%d files" % len(rows))


def has_objects(array):
    # StringDType has no fields and looks like an object array in a file.
    return bool(array.dtype.hasobject) or array.dtype.kind == "T"


def describe(path):
    """What the header says, from the bytes of the file."""
    with open(path, "rb") as file:
        data = file.read()
    major, minor = bytearray(data[6:8])
    prefix, code = (10, "<H") if major == 1 else (12, "<I")
    length = struct.unpack(code, data[8:prefix])[0]
    header = data[prefix:prefix + length].decode("utf-8" if major == 3 else "latin-1")
    start, end = u"{'descr': ", u", 'fortran_order': "
    descr, rest = header.rsplit(end, 1)
    order, shape = rest.split(u", 'shape': ")
    assert descr.startswith(start) and order in ["True", "False"], header
    shape = re.sub(r"np\.int64\((\d+)\)", r"\1", shape)
    return {
        "version": "%d.%d" % (major, minor),
        "data_offset": "%d" % (prefix + length),
        "order": "F" if order == "True" else "C",
        "shape": ",".join(re.findall(r"\d+", shape)),
        "descr": descr[len(start):],
    }


def first_line(error):
    line = (u"%s" % error).strip().split("\n")[0].strip()
    return re.sub(r" at 0x[0-9a-f]+", "", line.replace("\t", " "))


# -------------------------------------------------------------- the manifest


def write_table(path, rows):
    with io.open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(u"\t".join(COLUMNS) + u"\n")
        for row in rows:
            cells = [u"%s" % row[column] for column in COLUMNS]
            assert not any(char in cell for cell in cells for char in u"\t\r\n"), row
            file.write(u"\t".join(cells) + u"\n")


def read_table(path):
    with io.open(path, encoding="utf-8", newline="\n") as file:
        lines = file.read().split(u"\n")[:-1]
    assert lines[0].split(u"\t") == COLUMNS
    return [dict(zip(COLUMNS, line.split(u"\t"))) for line in lines[1:]]


def resave():
    rows = read_table(os.path.join(HERE, MANIFEST))
    for row in rows:
        path = os.path.join(HERE, row["file"])
        try:
            with open(path, "rb") as file:
                array = np.load(file, max_header_size=NO_HEADER_LIMIT)
                length = file.tell()
            again = io.BytesIO()
            np.save(again, array)
        except Exception as error:
            row["resave"] = "unreadable"
            text = "%s: %s" % (type(error).__name__, first_line(error))
            row["note"] = "; ".join(part for part in [row["note"], text] if part)
            continue
        with open(path, "rb") as file:
            same = file.read(length) == again.getvalue()
        row["resave"] = "identical" if same else "differs"
    write_table(os.path.join(HERE, MANIFEST), rows)


def check():
    """Compare every file that can be loaded with its row; 1 if one differs."""
    rows = read_table(os.path.join(HERE, MANIFEST))
    good, bad, unreadable, unknown = 0, 0, 0, 0
    for row in rows:
        if row["resave"] == "unreadable":
            unreadable += 1
            continue
        path = os.path.join(HERE, row["file"])
        array = np.load(path, max_header_size=NO_HEADER_LIMIT)
        shape = ",".join("%d" % length for length in array.shape)
        values = dump(array)
        if shape != row["shape"]:
            bad += 1
            print("%s: shape (%s)" % (row["file"], shape))
        elif row["values"] == "-":
            unknown += 1
        elif values != row["values"]:
            bad += 1
            print("%s: %s, not %s" % (row["file"], values, row["values"]))
        else:
            good += 1
    listed = set(row["file"] for row in rows)
    for path in glob.glob(os.path.join(HERE, "numpy-*", "*.npy")):
        name = os.path.relpath(path, HERE).replace(os.sep, "/")
        if name not in listed:
            bad += 1
            print("%s: not in the manifest" % name)
    print("NumPy %s: %d equal, %d not equal, %d unreadable, %d without values" % (
        np.__version__, good, bad, unreadable, unknown))
    return 1 if bad else 0


# -------------------------------------------------------- all the releases


def make_all(scratch, commands):
    scratch = scratch or os.path.join(tempfile.gettempdir(), "make-golden")
    if not os.path.isdir(scratch):
        os.makedirs(scratch)
    corpus.unpack()
    # The folders hold the archives of make_archives.py, too.
    for old in glob.glob(os.path.join(HERE, "numpy-*", "*.npy")):
        os.remove(old)
    interpreters = find_interpreters(commands)
    script = os.path.abspath(__file__)
    rows, runs = [], {}
    for python, wanted, packages in RELEASES:
        label = "numpy%s on Python %s" % (wanted, python)
        if python not in interpreters:
            print("%s: skipped, no such Python" % label)
            continue
        try:
            run = environment(scratch, interpreters[python], python, wanted, packages)
            version = run("-c", "import numpy; print(numpy.__version__)")
        except subprocess.CalledProcessError as error:
            reason = (error.output or "").strip().split("\n")[-1]
            print("%s: skipped, %s" % (label, reason))
            continue
        folder = "numpy-%s-py%s" % (version, python)
        outdir = os.path.join(HERE, folder)
        print("== " + folder)
        print(run(script, "write", outdir))
        part = os.path.join(outdir, PART)
        rows.extend(read_table(part))
        os.remove(part)
        runs[version] = run
    write_table(os.path.join(HERE, MANIFEST), rows)
    print(runs[CURRENT](script, "resave"))
    for version in sorted(runs):
        if version == CURRENT or version.startswith(NEWEST):
            print(runs[version](script, "check"))
    corpus.pack()


def find_interpreters(commands):
    """The first command that works for each X.Y."""
    home = os.path.expanduser(os.path.join("~", ".pyenv", "versions", "*", "bin", "python"))
    names = ["python" + python for python, _, _ in RELEASES]
    found = {}
    for command in list(commands) + sorted(glob.glob(home)) + names:
        try:
            version = output([
                command, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
        except (OSError, subprocess.CalledProcessError):
            continue
        found.setdefault(version, command)
    return found


def environment(scratch, interpreter, python, wanted, packages):
    """Install NumPy beside an interpreter; gives a function that runs it."""
    name = re.sub(r"[^0-9a-z.]+", "-", "py%s-numpy%s" % (python, wanted))
    folder = os.path.join(scratch, name)
    environ = dict(os.environ, PYTHONIOENCODING="utf-8", PYTHONDONTWRITEBYTECODE="1")
    environ.pop("PYTHONPATH", None)
    command = interpreter
    options = []
    if python == "2.7":
        environ["PYTHONPATH"] = folder
        options = ["--target", folder]
    else:
        command = os.path.join(folder, "bin", "python")
    ready = os.path.join(folder, "ready")
    if not os.path.exists(ready):
        shutil.rmtree(folder, ignore_errors=True)
        if python != "2.7":
            output([interpreter, "-m", "venv", folder])
        output([command, "-m", "pip", "install", "--only-binary", ":all:"]
               + options + ["numpy" + wanted] + packages, environ)
        open(ready, "w").close()
    return lambda *arguments: output([command] + list(arguments), environ)


def output(command, environ=None):
    return subprocess.run(
        command, env=environ, check=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8").stdout.strip()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    all_parser = commands.add_parser("all")
    all_parser.add_argument("--scratch", help="folder for the environments")
    all_parser.add_argument("--python", action="append", default=[],
                            help="an interpreter to use, before those found")
    write_parser = commands.add_parser("write")
    write_parser.add_argument("outdir")
    commands.add_parser("resave")
    commands.add_parser("check")
    arguments = parser.parse_args()
    if arguments.command == "all":
        global corpus
        import corpus  # of Python 3 only
        return make_all(arguments.scratch, arguments.python)

    global np, dump
    import numpy as np
    from dump import dump
    warnings.simplefilter("ignore")
    if arguments.command == "write":
        return write(arguments.outdir)
    if arguments.command == "resave":
        return resave()
    if arguments.command == "check":
        return check()
    parser.error("what shall be done?")


if __name__ == "__main__":
    sys.exit(main())
