#!/usr/bin/env python3
"""Makes hostile.tsv: small files that claim what is not there, or that no program should write.

    python3 make_hostile.py > hostile.tsv
    python3 make_hostile.py check    # that hostile.tsv is what this makes

Columns: what the case is, the format, the error that reading must give (its
`ErrorKind`, and a part of its message), and the file in hex.
"""
import io
import pathlib
import struct
import sys
import zipfile

CASES = []

# The kinds and a part of the messages of errors.
ERRORS = {
    "NotNpy": "WrongFormat: not an .npy file: ",
    "UnsupportedVersion": "Unsupported: unsupported format version ",
    "HeaderSyntax.Unexpected": "InvalidHeader: : expected ",
    "HeaderSyntax.UnterminatedString": "InvalidHeader: : unterminated string",
    "HeaderSyntax.InvalidEscape": "InvalidHeader: : invalid escape sequence",
    "HeaderSyntax.LeadingZero": "InvalidHeader: : leading zero in an integer",
    "HeaderKeys": "InvalidHeader: expected exactly the keys 'descr', 'fortran_order' and 'shape'; ",
    "HeaderValue": "InvalidHeader: expected a dictionary, found ",
    "HeaderValue.Order": "InvalidHeader: invalid fortran_order at byte ",
    "HeaderValue.Shape": "InvalidHeader: invalid shape at byte ",
    "NestedTooDeep": "LimitExceeded: header nesting exceeds the limit of 200",
    "ShapeOverflow": "TooLarge: overflows the address space",
    "TooManyDimensions": "TooLarge: too many dimensions: ",
    "InvalidDType.UnknownTypeCode": "InvalidDType: : unknown type code",
    "InvalidDType.UnknownTimeUnit": "InvalidDType: : unknown time unit",
    "InvalidDType.DuplicateName": "InvalidDType: : duplicate field name",
    "InvalidDType.InvalidShape": "InvalidDType: : expected a shape of lengths from 0 to ",
    "InvalidDType.TooLarge": "InvalidDType: : expected an itemsize of at most ",
    "InvalidDType.Unexpected": "InvalidDType: : expected a ",
    "InvalidValue.NotACharacter": "InvalidValue: invalid character ",
    "Archive": "InvalidArchive",
    "Archive.NotZip": "WrongFormat: not an .npz file: ",
    "Archive.NotWhole": "Truncated: truncated archive: ",
    "Archive.Incomplete": "Truncated: `npy_core::npz::recover` keeps them",
    "Archive.WrongCount": "InvalidArchive: invalid central directory: expected ",
    "Archive.NoDirectory": "InvalidArchive: expected a central directory of ",
    "Archive.SeveralDisks": "Unsupported: it is split into several parts",
    "Archive.NoEntry": "InvalidArchive: invalid entry in the central directory at byte ",
    "Archive.Encrypted": "Unsupported: unsupported encryption: ",
    "Archive.UnknownMethod": "Unsupported: unknown compression method 77: ",
    "Archive.WrongChecksum": "InvalidArchive: wrong checksum: ",
    "Archive.LocalHeader": "InvalidArchive: differs from the central directory",
    "Archive.Overlap": "InvalidArchive: the data overlap another member or the central directory",
    "Archive.Concatenated": "InvalidArchive: concatenated archives: ",
    "RawArray.NotRawArray": "WrongFormat: not an .ra file: ",
    "RawArray.UnknownFlags": "InvalidHeader: unknown flags at byte 8: ",
    "RawArray.UnknownKind": "InvalidHeader: unknown type code at byte 16: ",
    "RawArray.UnknownWidth": "InvalidHeader: invalid element size at byte 24: ",
    "RawArray.WrongSize": "InvalidHeader: invalid data size at byte 32: ",
    "RawArray.TooManyDimensions": "TooLarge: too many dimensions at byte 40: ",
    "RawArray.Overflow": "TooLarge: array too large at byte 48: ",
}


def case(name, error, file, form="npy"):
    CASES.append((name, form, ERRORS.get(error, error), bytes(file)))


def npy(text, data=b"", major=1, length=None):
    text = text if isinstance(text, bytes) else text.encode("latin1")
    length = len(text) if length is None else length
    size = struct.pack("<H", length) if major == 1 else struct.pack("<I", length)
    return b"\x93NUMPY" + bytes([major, 0]) + size + text + data


def array(descr="'<f8'", order="False", shape="(3,)", data=b""):
    return npy(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}", data)


def preambles():
    whole = array(data=bytes(24))
    case("empty file", "NotNpy", b"")
    for length in range(1, 6):
        case(f"magic of {length} bytes", "Truncated", whole[:length])
    for length in (6, 7, 8, 9):
        case(f"preamble of {length} bytes", "Truncated", whole[:length])
    for length in (10, 11, 40, 60):
        case(f"header cut at {length}", "Truncated", whole[:length])
    for at in range(6):
        damaged = bytearray(whole)
        damaged[at] ^= 0x20
        case(f"byte {at} of the magic changed", "NotNpy", damaged)
    for name, start in [("zip", b"PK\x03\x04"), ("pickle", b"\x80\x04\x95"), ("text", b"1,2,3\n"), ("zeros", bytes(16)), ("HDF5", b"\x89HDF\r\n\x1a\n")]:
        case(f"a file of {name}", "NotNpy", start + bytes(64))
    for major, minor in [(0, 0), (0, 9), (1, 1), (2, 7), (3, 1), (4, 0), (255, 255)]:
        damaged = bytearray(whole)
        damaged[6:8] = [major, minor]
        case(f"version {major}.{minor}", "UnsupportedVersion", damaged)
    case("header of 65535 bytes in 100", "Truncated", npy("{" + " " * 90, length=65535))
    case("header of 1 MiB in 100", "Truncated", npy("{" + " " * 90, major=2, length=1 << 20))
    for length in ((1 << 20) + 1, 1 << 31, (1 << 32) - 1):
        case(f"header of {length} bytes", "LimitExceeded", npy("{", major=2, length=length))
    case("header of no bytes", "HeaderSyntax.Unexpected", npy(""))


def literals():
    for text in ["", " ", "\n", "}", "]", ")", ",", ":", "+", "=", "%", "nan", "Nul", "{,}", "{1:}", "{:1}", "{1:2,,}", "[1", "(1", "{1:2", "(1,2", "'a' 'b", "[1 2]", "(1 2)", "@", "\x7f"]:
        case(f"literal {text!r}", "HeaderSyntax.UnterminatedString" if text.endswith("b") else "HeaderSyntax.Unexpected", npy(text))
    for text in ["'", '"', "'a", '"a', "'''", "'''a''", '"""', "b'", "u'a", "{'descr", "{'descr': '<f8"]:
        case(f"unterminated {text!r}", "HeaderSyntax.UnterminatedString", npy(text))
    for text in ["'\\x'", "'\\x1'", "'\\xg0'", "'\\u12'", "'\\U0011'", "'\\U00110000'", "'\\N{'"]:
        case(f"escape {text!r}", "HeaderSyntax.InvalidEscape", npy(text))
    for text in ["01", "00001", "{1: 007}"]:
        case(f"number {text!r}", "HeaderSyntax.LeadingZero", npy(text))
    for text in ["True", "None", "1", "'text'", "[]", "()", "b'bytes'", "-1", "1.5", "1j", "{1}", "{'a'}"]:
        case(f"a header that is {text}", "HeaderValue", npy(text))
    for byte in "{[(":
        case(f"300 times {byte}", "NestedTooDeep", npy(byte * 300))
    case("300 times [{", "NestedTooDeep", npy("[{1:" * 300))
    case("a zero byte", "HeaderSyntax.Unexpected", npy("{'descr': '<f8',\0}"))


def keys():
    case("no keys", "HeaderKeys", npy("{}"))
    for missing in ("descr", "fortran_order", "shape"):
        values = {"descr": "'<f8'", "fortran_order": "False", "shape": "(3,)"}
        del values[missing]
        text = "{" + ", ".join(f"'{key}': {value}" for key, value in values.items()) + "}"
        case(f"without {missing}", "HeaderKeys", npy(text))
        whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), "
        value = {"descr": "'<f8'", "fortran_order": "False", "shape": "(3,)"}[missing]
        case(f"{missing} twice", "HeaderKeys", npy(whole + f"'{missing}': {value}}}"))
    for key in ("'order'", "'Descr'", "''", "1", "None", "(1, 2)"):
        case(f"unknown key {key}", "HeaderKeys", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), " + f"{key}: 1}}"))
    for order in ("0", "1", "None", "'False'", "()", "[]", "{}", "1.0"):
        case(f"fortran_order {order}", "HeaderValue.Order", array(order=order))
    for shape in ("3", "[3]", "None", "'3'", "{}", "(3.0,)", "('3',)", "(None,)", "((3,),)", "(3, [])", "(-1,)", "(2, -3)", "(1j,)", "True"):
        case(f"shape {shape}", "HeaderValue.Shape", array(shape=shape))


def shapes():
    for shape in ("(9223372036854775809, 2)", "(0, 9223372036854777507)", "(18446744073709551616,)", "(340282366920938463463374607431768211456,)"):
        case(f"shape {shape}", "HeaderValue.Shape", array(shape=shape))
    for shape in ("(9223372036854775807,)", "(4294967296, 4294967296)", "(4611686018427387905, 4)", "(1152921504606846976,)", "(9223372036854775807, 0)"):
        case(f"shape {shape} of 8 bytes", "ShapeOverflow", array(shape=shape))
    case("65 dimensions", "TooManyDimensions", array(shape="(" + "1, " * 65 + ")"))
    case("1000 dimensions", "TooManyDimensions", array(shape="(" + "1, " * 1000 + ")"))
    for descr in ("'|S0'", "'<U0'", "'|V0'", "[]"):
        case(f"a million elements of {descr}", "LimitExceeded", array(descr=descr, shape="(1000000,)"))
    for shape, length in [("(3,)", 0), ("(3,)", 23), ("()", 7), ("(1, 1)", 0), ("(1000000000,)", 64), ("(536870912,)", 1), ("(2, 3, 4)", 191)]:
        for order in ("False", "True"):
            case(f"shape {shape} with {length} bytes, order {order}", "Truncated", array(shape=shape, order=order, data=bytes(length)))


def dtypes():
    kinds = {
        "UnknownTypeCode": ["'<f9'", "'f8 '", "'<q7'", "'x'", "''", "'<'", "'<<f8'", "'|b2'", "'<i3'", "'<u16'", "'<c4'", "'float65'", "'S-1'", "'object8'", "'<f8x'", "'<M9'"],
        "UnknownTimeUnit": ["'<M8[x]'", "'<m8[fortnight]'", "'<M8[nss]'", "'<M8[1x]'"],
        "DuplicateName": ["[('a', '<f8'), ('a', '<i4')]", "[('a', '<f8'), ('b', '<i4'), ('a', '<i4')]"],
        "InvalidShape": ["[('a', '<f8', (-1,))]", "('<f8', (-2, 3))"],
        "TooLarge": ["'|S2147483648'", "'<U536870912'", "'|V9999999999'", "[('a', '|S2147483647'), ('b', '|S2147483647')]", "('<f8', (1000000, 1000000))"],
        "Unexpected": ["1", "None", "1.5", "True", "()", "('<f8',)", "[1]", "[()]", "[('a',)]", "[('a', '<f8', 1, 2)]", "[(1, '<f8')]", "[(None, '<f8')]", "[('a', 1)]", "{'names': ['a']}", "{'formats': ['<f8']}", "{'names': 1, 'formats': 1}", "{'names': ['a'], 'formats': ['<f8']}", "{'names': ['a', 'a'], 'formats': ['<f8', '<f8']}", "{'names': ['a', 'b'], 'formats': ['<f8']}", "{'names': ['a'], 'formats': ['<f8'], 'offsets': [-1]}", "{'names': ['a'], 'formats': ['<f8'], 'itemsize': 4}"],
    }
    for kind, descrs in kinds.items():
        for descr in descrs:
            case(f"dtype {descr}", f"InvalidDType.{kind}", array(descr=descr))
    case("objects, not asked for", "ObjectArray", array(descr="'|O'", data=b"\x80\x03N."))
    case("a field of objects", "ObjectArray", array(descr="[('a', '|O')]", data=b"\x80\x03N."))


def member(method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("x.npy")
        info.compress_type = method
        archive.writestr(info, array(data=bytes(24)))
    return bytearray(buffer.getvalue())


def archives():
    def put(archive, at, form, value):
        struct.pack_into(form, archive, at, value)

    for length in (0, 4, 10, 21):
        case(f"{length} bytes of an archive", "Archive.NotWhole" if length else "Archive.NotZip", member()[:length], "npz")
    whole = member()
    directory = whole.index(b"PK\x01\x02")
    end = whole.index(b"PK\x05\x06")
    for length in (directory, directory + 1, end, end + 1, end + 21):
        case(f"archive cut at {length}", "Archive.Incomplete", whole[:length], "npz")
    case("an .npy file as an archive", "Archive.NotZip", array(data=bytes(24)), "npz")
    changes = [
        ("number of members 2", "Archive.WrongCount", [(end + 8, "<H", 2), (end + 10, "<H", 2)]),
        ("number of members 0", "Archive.WrongCount", [(end + 8, "<H", 0), (end + 10, "<H", 0)]),
        ("size of the directory too large", "Archive.NoDirectory", [(end + 12, "<I", 1 << 30)]),
        ("offset of the directory too large", "Archive.NoDirectory", [(end + 16, "<I", 1 << 30)]),
        ("first disk 1", "Archive.SeveralDisks", [(end + 4, "<H", 1)]),
        ("signature of the entry changed", "Archive.NoEntry", [(directory + 1, "<B", 0)]),
        ("name of 60000 bytes", "Archive.NoEntry", [(directory + 28, "<H", 60000)]),
        ("encrypted", "Archive.Encrypted", [(directory + 8, "<H", 1), (6, "<H", 1)]),
        ("method 77", "Archive.UnknownMethod", [(directory + 10, "<H", 77), (8, "<H", 77)]),
        ("checksum in both headers", "Archive.WrongChecksum", [(directory + 16, "<I", 1), (14, "<I", 1)]),
        ("checksum in the directory", "Archive.LocalHeader", [(directory + 16, "<I", 1)]),
        ("size in the directory", "Archive.LocalHeader", [(directory + 24, "<I", 1)]),
        ("method in the directory", "Archive.LocalHeader", [(directory + 10, "<H", 8)]),
        ("local header elsewhere", "Archive.Overlap", [(directory + 42, "<I", 5)]),
        ("name in the local header", "Archive.LocalHeader", [(30, "<B", ord("y"))]),
        ("stored size in both headers", "Archive.Overlap", [(directory + 20, "<I", 10_000), (18, "<I", 10_000), (directory + 24, "<I", 10_000), (22, "<I", 10_000)]),
    ]
    for name, kind, edits in changes:
        archive = member()
        for at, form, value in edits:
            put(archive, at, form, value)
        case(name, kind, archive, "npz")
    case("two archives", "Archive.Concatenated", member() + member(), "npz")
    bad = member(method=zipfile.ZIP_DEFLATED)
    for at in (45, 50, 60, 80):
        damaged = bytearray(bad)
        damaged[at] ^= 0xFF
        case(f"byte {at} of compressed data changed", "Archive", damaged, "npz")
    for at in (36, 60, 100):
        damaged = member()
        damaged[at] ^= 0x01
        case(f"byte {at} of stored data changed", "Archive.WrongChecksum", damaged, "npz")


def raw_arrays():
    def raw(flags=0, kind=3, width=8, size=24, dims=(3,), data=bytes(24), magic=b"rawarray"):
        return magic + struct.pack("<5Q", flags, kind, width, size, len(dims)) + struct.pack(f"<{len(dims)}Q", *dims) + data

    whole = raw()
    case("no bytes", "RawArray.NotRawArray", b"", "ra")
    for length in (8, 16, 47):
        case(f"{length} bytes of the header", "Truncated", whole[:length], "ra")
    for length in (48, 55):
        case(f"{length} bytes, without all dimensions", "Truncated", whole[:length], "ra")
    for length in (56, 79):
        case(f"{length} bytes, without all data", "Truncated", whole[:length], "ra")
    case("another magic", "RawArray.NotRawArray", raw(magic=b"rawArray"), "ra")
    for flags in (8, 1 << 63, 0xFFFFFFFFFFFFFFFF):
        case(f"flags {flags:#x}", "RawArray.UnknownFlags", raw(flags=flags), "ra")
    for kind in (6, 7, 255, 1 << 63):
        case(f"kind {kind}", "RawArray.UnknownKind", raw(kind=kind), "ra")
    for kind, width in [(1, 3), (2, 0), (3, 1), (3, 3), (4, 2), (5, 1)]:
        case(f"kind {kind} of {width} bytes", "RawArray.UnknownWidth", raw(kind=kind, width=width), "ra")
    for size in (0, 23, 25, 1 << 62):
        case(f"size {size}", "RawArray.WrongSize", raw(size=size), "ra")
    for dims in ([1 << 62], [1 << 32, 1 << 32], [(1 << 63) + 1, 2]):
        case(f"dimensions {dims}", "RawArray.Overflow", raw(dims=dims), "ra")
    case("65 dimensions", "RawArray.TooManyDimensions", raw(dims=[1] * 65, size=8), "ra")


def records():
    """Read as the struct of `corpus.rs`: time: f64, name: String, values: [i16; 3], flag: bool."""
    fields = {"time": "'<f8'", "name": "'<U4'", "values": "'<i2', (3,)", "flag": "'|b1'"}

    def record(title, kind, /, data=None, **changed):
        named = {key: text for key, text in {**fields, **changed}.items() if text}
        descr = "[" + ", ".join(f"({key!r}, {text})" for key, text in named.items()) + "]"
        case(title, kind, array(descr, data=bytes(3 * 64) if data is None else data), "record")

    for descr in ("'<f8'", "'|b1'", "'<U4'", "'|V31'", "[('time', '<f8')]", "[]", "[('', '|V8')]"):
        case(f"dtype {descr} for a struct", "Mismatch", array(descr, data=bytes(100)), "record")
    for field in fields:
        record(f"no field {field}", "Mismatch", **{field: None})
        record(f"field {field.upper()} for {field}", "Mismatch", **{field: None, field.upper(): fields[field]})
        record(f"a record for {field}", "Mismatch", **{field: f"[('a', {fields[field]})]"})
        record(f"an array of another shape for {field}", "Mismatch", **{field: "'<f8', (2, 2)"})
        record(f"an object for {field}", "ObjectArray", **{field: "'|O'"})
    for descr in ("'<f4'", "'<i8'", "'<M8[s]'", "'<c16'", "'|S8'", "'|V8'", "'<f8', (1,)"):
        record(f"dtype {descr} for an f64", "Mismatch", time=descr)
    for descr in ("'<i4'", "'|V16'", "'<m8[s]'", "'<U4', (2,)"):
        record(f"dtype {descr} for a text", "Mismatch", name=descr)
    for descr in ("'<i2'", "'<i2', (2,)", "'<i2', (4,)", "'<i2', (3, 1)", "'<u2', (3,)", "'<i4', (3,)"):
        record(f"dtype {descr} for [i16; 3]", "Mismatch", values=descr)
    for descr in ("'|i1'", "'|u1'", "'<f8'", "'|S1'"):
        record(f"dtype {descr} for a bool", "Mismatch", flag=descr)
    record("a record too few", "Truncated", data=bytes(92))
    record("a text that is not Unicode", "InvalidValue.NotACharacter", data=bytes(8) + b"\x00\xd8\x00\x00" + bytes(100))
    record("a character beyond Unicode", "InvalidValue.NotACharacter", data=bytes(8) + b"\xff\xff\xff\xff" + bytes(100))


for make in (preambles, literals, keys, shapes, dtypes, archives, raw_arrays, records):
    make()
lines = ["case\tformat\terror\tfile"] + ["\t".join((name.encode("unicode_escape").decode(), form, error, file.hex())) for name, form, error, file in CASES]
text = "\n".join(lines) + "\n"
if sys.argv[1:] == ["check"]:
    sys.exit((pathlib.Path(__file__).parent / "hostile.tsv").read_text() != text)
sys.stdout.write(text)
