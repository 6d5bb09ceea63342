#!/usr/bin/env python3
"""Makes pickles.tsv: small pickles that do harm, or that no NumPy writes.

    python3 make_pickles.py > pickles.tsv
    python3 make_pickles.py check    # that pickles.tsv is what this makes

Columns: what the case is, the kind of fault that reading it must give (a name
of `FAULTS` in `tests/hostile/pickles.rs`), a text that the error must have in
it (or `-`), and the pickle in hex. Nothing here is ever unpickled by Python.
"""
import struct
import sys

MARK, STOP = b"(", b"."
PROTOCOLS = range(6)


def proto(protocol):
    return bytes([0x80, protocol]) if protocol >= 2 else b""


def text(value):
    """A str, as protocols 1 to 3 have it."""
    value = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(value)) + value


def integer(value):
    if 0 <= value < 256:
        return b"K" + bytes([value])
    if -2**31 <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def blob(value):
    return b"C" + bytes([len(value)]) + value


def tuple_(*items):
    return MARK + b"".join(items) + b"t"


def name(module, name):
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def call(module, function, *arguments):
    return name(module, function) + tuple_(*arguments) + b"R"


def list_(*items):
    return b"]" + MARK + b"".join(items) + b"e"


def dict_(*pairs):
    return b"}" + MARK + b"".join(key + value for key, value in pairs) + b"u"


NONE, TRUE, FALSE = b"N", b"\x88", b"\x89"


def dtype(code, order="|", sub=NONE, names=NONE, fields=NONE, itemsize=-1, alignment=-1, flags=0, more=()):
    state = tuple_(integer(3), text(order), sub, names, fields, integer(itemsize), integer(alignment), integer(flags), *more)
    return call("numpy", "dtype", text(code), FALSE, TRUE) + state + b"b"


OBJECT = dtype("O8", flags=63)


def reconstruct(state, cls=name("numpy", "ndarray")):
    return call("numpy.core.multiarray", "_reconstruct", cls, tuple_(integer(0)), blob(b"b")) + state + b"b"


def array(items=b"", count=1, shape=None, dtype=OBJECT, data=None, version=1, order=FALSE):
    """An array of one axis with these items, which are pickles without an end."""
    if shape is None:
        shape = tuple_(integer(count))
    if data is None:
        data = b"]" + MARK + items + b"e"
    return reconstruct(tuple_(integer(version), shape, dtype, order, data))


def record(names, fields, itemsize, flags=27):
    return dtype("V%d" % itemsize, names=tuple_(*map(text, names)), fields=dict_(*fields), itemsize=itemsize, alignment=1, flags=flags)


REFUSED = {
    "PERSID": b"Pabc\n", "BINPERSID": NONE + b"Q", "INST": MARK + b"ios\nsystem\n", "OBJ": MARK + name("builtins", "object") + b"o",
    "EXT1": b"\x82\x01", "EXT2": b"\x83\x01\x00", "EXT4": b"\x84\x01\x00\x00\x00", "NEXT_BUFFER": b"\x97", "READONLY_BUFFER": b"\x98",
}

DANGEROUS = [
    ("os", "system"), ("posix", "system"), ("nt", "system"), ("builtins", "eval"), ("__builtin__", "eval"), ("builtins", "exec"),
    ("builtins", "getattr"), ("builtins", "__import__"), ("builtins", "open"), ("__builtin__", "file"), ("builtins", "type"),
    ("builtins", "str"), ("subprocess", "Popen"), ("importlib", "import_module"), ("pickle", "loads"), ("marshal", "loads"),
    ("types", "FunctionType"), ("types", "CodeType"), ("operator", "attrgetter"), ("functools", "partial"), ("copyreg", "add_extension"),
    ("numpy", "load"), ("numpy", "fromfile"), ("numpy", "memmap"), ("numpy.core.multiarray", "frombuffer"), ("numpy", "ndarray.tofile"),
    ("numpy.testing._private.utils", "runstring"), ("ctypes", "CDLL"), ("webbrowser", "open"), ("numpy", "ufunc"),
    # Nearly those of the list.
    ("numpy", "ndarray "), ("NumPy", "ndarray"), ("numpy.core.multiarray", "_Reconstruct"), ("numpy.core.multiarray._reconstruct", ""),
    ("", ""), ("builtins", "complex.__class__"), ("datetime", "datetime.now"), ("collections", "OrderedDict.fromkeys"),
    ("numpy", "dtype\0"), ("numpy\u200b", "dtype"),
]

CONSTRUCTORS = [
    ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"), ("numpy", "dtype"), ("numpy", "ndarray"), ("numpy", "record"),
    ("_codecs", "encode"), ("builtins", "complex"), ("builtins", "range"), ("builtins", "slice"), ("collections", "OrderedDict"),
    ("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID"), ("datetime", "date"), ("datetime", "time"),
    ("datetime", "datetime"), ("datetime", "timedelta"), ("datetime", "timezone"), ("copyreg", "_reconstructor"),
]


def cases():
    yield from refused_opcodes()
    yield from unknown_names()
    yield from wrong_calls()
    yield from stack()
    yield from lengths()
    yield from values()
    yield from sharing()
    yield from roots()
    yield from shapes()
    yield from dtypes()
    yield from unknown_opcodes()


def refused_opcodes():
    for opcode, data in REFUSED.items():
        for protocol in PROTOCOLS:
            yield "%s as an item, protocol %d" % (opcode, protocol), "RefusedOpcode", opcode, proto(protocol) + array(data) + STOP
            yield "%s alone, protocol %d" % (opcode, protocol), "RefusedOpcode", opcode, proto(protocol) + data + STOP


def unknown_names():
    for module, function in DANGEROUS:
        shown = "-" if "\0" in function else "%s.%s" % (module, function)
        for protocol in PROTOCOLS:
            data = array(call(module, function, text("echo harm")))
            yield "%s.%r reduced, protocol %d" % (module, function, protocol), "UnknownGlobal", shown, proto(protocol) + data + STOP
        new = name(module, function) + tuple_() + b"\x81"
        yield "%s.%r made" % (module, function), "UnknownGlobal", shown, proto(2) + array(new) + STOP
        new = name(module, function) + tuple_() + b"}\x92"
        yield "%s.%r made with keywords" % (module, function), "UnknownGlobal", shown, proto(4) + array(new) + STOP
        stacked = text(module) + text(function) + b"\x93" + tuple_(text("echo harm")) + b"R"
        yield "%s.%r from the stack" % (module, function), "UnknownGlobal", shown, proto(4) + array(stacked) + STOP
        yield "%s.%r as the class of an array" % (module, function), "UnknownGlobal", shown, (
            proto(3) + reconstruct(NONE, name(module, function)) + STOP)
    yield "a class of the list as an item", "UnknownGlobal", "builtins.complex", proto(3) + array(name("builtins", "complex")) + STOP
    yield "an object", "UnknownGlobal", "builtins.object", proto(2) + array(name("builtins", "object") + b")\x81") + STOP
    yield "STACK_GLOBAL of integers", "WrongType", "STACK_GLOBAL", proto(4) + array(integer(1) + integer(2) + b"\x93") + STOP


def wrong_calls():
    for what, value in {"None": NONE, "an int": integer(1), "a str": text("os.system"), "a list": b"]", "a tuple": b")", "a dict": b"}",
                        "an object": call("builtins", "set")}.items():
        for opcode, code in [("REDUCE", b")R"), ("NEWOBJ", b")\x81"), ("NEWOBJ_EX", b")}\x92")]:
            yield "%s of %s" % (opcode, what), "NotCallable", opcode, proto(4) + array(value + code) + STOP
    for what, value in {"None": NONE, "a list": b"]", "a dict": b"}", "a str": text("a")}.items():
        yield "REDUCE with %s" % what, "WrongType", "REDUCE", proto(4) + array(name("builtins", "complex") + value + b"R") + STOP
        yield "NEWOBJ with %s" % what, "WrongType", "NEWOBJ", proto(4) + array(name("builtins", "complex") + value + b"\x81") + STOP
        if what != "a dict":
            data = name("builtins", "complex") + b")" + value + b"\x92"
            yield "NEWOBJ_EX with %s" % what, "WrongType", "NEWOBJ_EX", proto(4) + array(data) + STOP
    keywords = name("builtins", "complex") + b")" + dict_((text("real"), integer(1))) + b"\x92"
    yield "a class of the list with keywords", "WrongType", "NEWOBJ_EX", proto(4) + array(keywords) + STOP
    yield "a state given twice", "WrongType", "BUILD", proto(3) + array(call("uuid", "UUID")[:-1] + b"\x81}b}b") + STOP
    yield "a state of a list", "WrongType", "BUILD", proto(3) + array(b"]}b") + STOP
    yield "a state of an int", "WrongType", "BUILD", proto(3) + array(integer(1) + b"}b") + STOP
    yield "a state of a class", "WrongType", "BUILD", proto(3) + array(name("builtins", "complex") + b"}b") + STOP
    odd = [b"", NONE, text("x"), b"]", integer(-1), TRUE, b"}"]
    for module, function in CONSTRUCTORS:
        for i, argument in enumerate(odd):
            if function == "OrderedDict" and i in (0, 3):
                continue
            arguments = [argument] * (1 if i else 0)
            yield "%s with odd argument %d" % (function, i), kind_of(function), "-", proto(3) + array(call(module, function, *arguments)) + STOP
        six = [integer(5)] * 6
        yield "%s with six integers" % function, kind_of(function), "-", proto(3) + array(call(module, function, *six)) + STOP
    for module, function, arguments in [
            ("builtins", "complex", [b"G" + bytes(8), b"G" + bytes(8)]), ("builtins", "set", []), ("builtins", "frozenset", []),
            ("builtins", "bytes", []), ("builtins", "range", [integer(0), integer(1), integer(1)]),
            ("datetime", "date", [blob(b"\x07\xe8\x01\x01")]), ("decimal", "Decimal", [text("1")]),
            ("numpy.core.multiarray", "scalar", [dtype("u1"), blob(b"a")]), ("collections", "OrderedDict", [])]:
        data = call(module, function, *arguments) + dict_((text("a"), integer(1))) + b"b"
        yield "%s with a state" % function, "InvalidArguments", "-", proto(3) + array(data) + STOP
        data = call(module, function, *arguments) + MARK + integer(1) + b"e"
        yield "%s with items" % function, "InvalidArguments", "-", proto(3) + array(data) + STOP
    yield "a range by 0", "InvalidArguments", "range", proto(3) + array(call("builtins", "range", integer(1), integer(2), integer(0))) + STOP
    for days in [b"\x00\x00\x01\x01", b"\x07\xe8\x0d\x01", b"\x07\xe8\x02\x1e", b"\xff\xff\x01\x01"]:
        yield "the date %s" % days.hex(), "InvalidArguments", "date", proto(3) + array(call("datetime", "date", blob(days))) + STOP
    for moment in ["07e80101180000000000", "07e801010000003c0000", "07e80101000000ffffff", "07e8010100003c000000"]:
        data = call("datetime", "datetime", blob(bytes.fromhex(moment)))
        yield "the moment %s" % moment, "InvalidArguments", "datetime", proto(3) + array(data) + STOP
    hour = call("datetime", "time", blob(bytes(6)), call("os", "system", text("x")))
    yield "a time in an unknown zone", "UnknownGlobal", "os.system", proto(3) + array(hour) + STOP
    for number in ["abc", "1e", "--1", "1.2.3", "", "NaN1x", " 1"]:
        yield "the Decimal %r" % number, "InvalidArguments", "Decimal", proto(3) + array(call("decimal", "Decimal", text(number))) + STOP
    for parts in [(integer(1), integer(0)), (integer(1), integer(-2)), (text("1/0"),), (text("a/b"),)]:
        yield "a Fraction of %r" % (parts,), "InvalidArguments", "Fraction", proto(3) + array(call("fractions", "Fraction", *parts)) + STOP
    for number in [integer(-1), integer(2**128), text("x"), NONE]:
        data = name("uuid", "UUID") + b")\x81" + dict_((text("int"), number)) + b"b"
        yield "a UUID of %r" % number, "InvalidArguments", "UUID", proto(3) + array(data) + STOP
    for codec in ["utf-8", "rot13", "bz2", "unicode_escape", ""]:
        data = call("_codecs", "encode", text("a"), text(codec))
        yield "encode by %r" % codec, "InvalidArguments", "encode", proto(2) + array(data) + STOP
    yield "encode beyond latin-1", "InvalidArguments", "encode", proto(2) + array(call("_codecs", "encode", text("\u0100"), text("latin1"))) + STOP


def kind_of(function):
    # These two are names in other objects, and make none.
    return "NotCallable" if function in ("ndarray", "record") else "InvalidArguments"


def stack():
    for code, opcode in [(b"0", "POP"), (b"2", "DUP"), (b"a", "APPEND"), (b"s", "SETITEM"), (b"\x85", "TUPLE1"), (b"\x86", "TUPLE2"),
                         (b"\x87", "TUPLE3"), (b"\x93", "STACK_GLOBAL"), (b"R", "REDUCE"), (b"b", "BUILD"), (b"\x81", "NEWOBJ"),
                         (b"\x92", "NEWOBJ_EX"), (b"\x94", "MEMOIZE"), (b"q\0", "BINPUT"), (b"r\0\0\0\0", "LONG_BINPUT"), (b"p0\n", "PUT")]:
        yield "%s of nothing" % opcode, "StackUnderflow", opcode, proto(4) + code + STOP
        yield "%s after a mark" % opcode, "StackUnderflow" if opcode != "POP" else "LeftOver", "-", proto(4) + b"NNN(" + code + b"0" + STOP
    for code, opcode in [(b"e", "APPENDS"), (b"u", "SETITEMS"), (b"\x90", "ADDITEMS"), (b"l", "LIST"), (b"t", "TUPLE"), (b"d", "DICT"),
                         (b"\x91", "FROZENSET"), (b"1", "POP_MARK")]:
        yield "%s without a mark" % opcode, "NoMark", opcode, proto(4) + b"N" + code + STOP
    for code, opcode in [(b"a", "APPEND"), (b"(Ne", "APPENDS"), (b"NNs", "SETITEM"), (b"(NNu", "SETITEMS"), (b"(N\x90", "ADDITEMS")]:
        operand = b"N" if code[:1] == b"a" else b""
        for what, value in [("a tuple", b")"), ("a str", text("a")), ("None", NONE)]:
            yield "%s to %s" % (opcode, what), "WrongType", opcode, proto(4) + array(value + operand + code) + STOP
    yield "a key without a value", "WrongType", "SETITEMS", proto(3) + array(b"}(Nu") + STOP
    yield "a key without a value at once", "WrongType", "DICT", proto(3) + array(b"(Nd") + STOP
    yield "nothing", "LeftOver", "0 values", proto(3) + STOP
    yield "a mark", "LeftOver", "-", proto(3) + b"(" + STOP
    yield "two values", "LeftOver", "2 values", proto(3) + array(NONE) + NONE + STOP
    yield "a value and a mark", "LeftOver", "-", proto(3) + array(NONE) + b"(" + STOP
    for protocol in [6, 7, 127, 255]:
        yield "protocol %d" % protocol, "UnsupportedProtocol", str(protocol), bytes([0x80, protocol]) + array(NONE) + STOP
    for data in [b"h\x05", b"j\xff\xff\xff\xff", b"g5\n", b"g99999999999999999\n"]:
        yield "the memo's %r" % data, "NoMemo", "-", proto(3) + array(data) + STOP
    for data in [b"g-1\n", b"gx\n", b"g\n", b"Np-1\n", b"Np99999999999999999999\n"]:
        yield "the memo's %r" % data, "InvalidNumber", "-", proto(3) + array(data) + STOP


def lengths():
    huge = {1: b"\xff", 4: b"\xff\xff\xff\xff", 8: b"\xff" * 7 + b"\x7f"}
    for code, opcode, width in [(b"U", "SHORT_BINSTRING", 1), (b"X", "BINUNICODE", 4), (b"\x8c", "SHORT_BINUNICODE", 1), (b"B", "BINBYTES", 4),
                                (b"C", "SHORT_BINBYTES", 1), (b"\x8a", "LONG1", 1), (b"\x8d", "BINUNICODE8", 8), (b"\x8e", "BINBYTES8", 8),
                                (b"\x96", "BYTEARRAY8", 8)]:
        yield "%s that is not there" % opcode, "Truncated", "-", proto(5) + code + huge[width] + b"abc"
        yield "%s without all of its length" % opcode, "Truncated", "-", proto(5) + code + huge[width][:width - 1]
        if width == 8:
            for length in [2**63, 2**64 - 1, 2**63 + 5]:
                yield "%s of %d bytes" % (opcode, length), "InvalidLength", str(length), (
                    proto(5) + code + struct.pack("<Q", length) + b"abc")
    for code, opcode in [(b"T", "BINSTRING"), (b"\x8b", "LONG4")]:
        yield "%s that is not there" % opcode, "Truncated", "-", proto(2) + code + struct.pack("<i", 2**31 - 1) + b"abc"
        for length in [-1, -2**31]:
            yield "%s of %d bytes" % (opcode, length), "InvalidLength", str(length), proto(2) + code + struct.pack("<i", length) + b"abc"
    for length in [2**63, 2**64 - 1]:
        yield "a frame of %d bytes" % length, "Truncated", "-", proto(4) + b"\x95" + struct.pack("<Q", length) + array(NONE) + STOP
    body = array(NONE) + STOP
    for extra in [1, 1000, 2**40]:
        yield "a frame %d bytes too long" % extra, "Truncated", "-", proto(4) + b"\x95" + struct.pack("<Q", len(body) + extra) + body
    yield "a frame beyond the end", "FrameTooLong", "3 bytes", proto(4) + b"\x95" + struct.pack("<Q", len(body) + 3) + body + b"NNN"
    for code in b"ILFSVcpgP":
        expected = "RefusedOpcode" if code == ord("P") else "Truncated"
        yield "a line without an end for %c" % code, expected, "-", proto(0) + bytes([code]) + b"123"
    yield "one line where two are needed", "Truncated", "-", b"cnumpy\nndarray"
    yield "the end missing", "Truncated", "-", proto(4) + array(NONE)
    yield "no byte at all", "Truncated", "-", b""


def values():
    # A lone surrogate is a text of Python, but no number.
    for data in [b"\xed\xa0\x80", b"1\xed\xb0\x80"]:
        digits = b"X" + struct.pack("<I", len(data)) + data
        yield "the number %r" % data, "NotUtf8", "-", proto(3) + array(call("decimal", "Decimal", digits)) + STOP
    digits = b"V\\ud800\n"
    yield "the escaped number %r" % digits, "InvalidEscape", "-", array(call("decimal", "Decimal", digits)) + STOP
    for data in [b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0", b"a\xed\xb0\x80\xff", b"\xf4\x90\x80\x80", b"abc\x80"]:
        yield "the text %r" % data, "NotUtf8", "-", proto(3) + array(b"X" + struct.pack("<I", len(data)) + data) + STOP
        yield "the short text %r" % data, "NotUtf8", "-", proto(4) + array(b"\x8c" + bytes([len(data)]) + data) + STOP
    for data in [b"U\x02a\xe9", b"T\x01\0\0\0\x80", b"S'\\xff'\n"]:
        yield "the text of Python 2 %r" % data, "NotAscii", "-", proto(2) + array(data) + STOP
    for data in [b"Sabc\n", b"S'abc\n", b"S'\n", b"S\n", b"S'\\x1'\n", b"S'\\q'\n", b"S'\\777'\n", b"S'\\'\n", b"V\\u12\n", b"V\\ud80\n",
                 b"V\\U00110000\n", b"V\\uzzzz\n"]:
        yield "the escape of %r" % data, "InvalidEscape", "-", array(data) + STOP
    for data in [b"Ix\n", b"I\n", b"I1.5\n", b"I0x10\n", b"L\n", b"LL\n", b"L1 2L\n", b"I" + b"9" * 4301 + b"\n", b"L" + b"1" * 5000 + b"L\n",
                 b"F\n", b"Fx\n", b"F1,5\n", b"I--1\n", b"I1_0\n", b"I\xff\n"]:
        yield "the number %.20r" % data, "InvalidNumber", "-", array(data) + STOP


def sharing():
    yield "a list in itself", "Cycle", "-", proto(3) + array(b"]q\0h\0a") + STOP
    yield "a dict in itself", "Cycle", "-", proto(3) + array(b"}q\0Nh\0s") + STOP
    yield "a set in itself", "Cycle", "-", proto(4) + array(b"\x8f\x94(h\0\x90") + STOP
    yield "a tuple in its list", "Cycle", "-", proto(3) + array(b"]q\0h\0\x85a") + STOP
    yield "lists in each other", "Cycle", "-", proto(3) + array(b"]q\0]q\1h\0ah\1a") + STOP
    yield "items in themselves", "Cycle", "-", proto(3) + array(data=b"]q\0h\0a") + STOP
    yield "an array in itself", "Cycle", "-", proto(3) + (
        call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tuple_(integer(0)), blob(b"b")) + b"q\7"
        + tuple_(integer(1), tuple_(integer(1)), OBJECT, FALSE, list_(b"h\7")) + b"b") + STOP
    yield "a dtype in itself", "Cycle", "-", proto(3) + array(NONE, dtype=(
        call("numpy", "dtype", text("V8"), FALSE, TRUE) + b"q\7"
        + tuple_(integer(3), text("|"), tuple_(b"h\7", tuple_(integer(1))), NONE, NONE, integer(8), integer(1), integer(0)) + b"b")) + STOP
    yield "a list in its own slice", "Cycle", "-", proto(3) + array(b"]q\0" + call("builtins", "slice", b"h\0", NONE, NONE) + b"a") + STOP
    for depth in [100, 150, 1000]:
        yield "%d lists" % depth, "LimitExceeded", "levels", proto(3) + array(b"]" * depth + b"a" * (depth - 1)) + STOP
        yield "%d tuples" % depth, "LimitExceeded", "levels", proto(3) + array(NONE + b"\x85" * depth) + STOP
        yield "%d dicts" % depth, "LimitExceeded", "levels", proto(3) + array(b"}N" * depth + b"N" + b"s" * depth) + STOP
    for depth in [34, 60]:
        one = array(NONE)
        for _ in range(depth):
            one = array(one)
        yield "%d arrays" % depth, "LimitExceeded", "levels", proto(3) + one + STOP
        inner = dtype("u1")
        for _ in range(depth):
            inner = record(["a"], [(text("a"), tuple_(inner, integer(0)))], 1, 16)
        yield "%d records" % depth, "LimitExceeded", "levels", proto(3) + array(NONE, dtype=inner) + STOP
    laughs = b"]q\0" + MARK + text("ha" * 20) * 10 + b"e"
    for level in range(1, 10):
        laughs += b"q" + bytes([level - 1]) + b"0]" + MARK + (b"h" + bytes([level - 1])) * 10 + b"e"
    yield "a billion laughs", "LimitExceeded", "copies of shared ones", proto(3) + array(laughs) + STOP
    laughs = blob(b"x" * 200) + b"q\0"
    for level in range(1, 60):
        laughs += b"0" + b"h" + bytes([level - 1]) + b"h" + bytes([level - 1]) + b"\x86q" + bytes([level])
    yield "2 to the power of 59 laughs", "LimitExceeded", "copies of shared ones", proto(3) + array(laughs) + STOP
    laughs = b"}q\0"
    for level in range(1, 40):
        below = b"h" + bytes([level - 1])
        laughs += b"0}q" + bytes([level]) + b"K\1" + below + b"sK\2" + below + b"s"
    yield "laughs in dicts", "LimitExceeded", "copies of shared ones", proto(3) + array(laughs) + STOP


def roots():
    plain = {"None": NONE, "an int": integer(1), "a str": text("a"), "a list": b"]", "a dict": b"}", "a tuple": b")", "a float": b"G" + bytes(8),
             "a date": call("datetime", "date", blob(b"\x07\xe8\x01\x01")), "a dtype": OBJECT,
             "an array of integers": array(dtype=dtype("i4", "<"), data=blob(bytes(4))),
             "a scalar": call("numpy.core.multiarray", "scalar", dtype("u1"), blob(b"a")), "bytes": blob(b"a"),
             "a set": call("builtins", "set")}
    for what, value in plain.items():
        for protocol in [2, 4]:
            yield "%s for an array, protocol %d" % (what, protocol), "NotAnObjectArray", "-", proto(protocol) + value + STOP


def shapes():
    for count, found in [(0, 1), (1, 0), (2, 1), (1, 2), (99, 2), (2**40, 1), (2**31, 3)]:
        yield "a shape of %d with %d" % (count, found), "WrongCount", "-", proto(3) + array(NONE * found, count) + STOP
    yield "two axes with too few", "WrongCount", "-", proto(3) + array(NONE * 5, shape=tuple_(integer(2), integer(3))) + STOP
    yield "no axes with none", "WrongCount", "-", proto(3) + array(shape=b")", data=b"]") + STOP
    for shape in [(-1,), (2, -3), (-2**63,)]:
        yield "the shape %r" % (shape,), "InvalidArguments", "shape", proto(3) + array(NONE, shape=tuple_(*map(integer, shape))) + STOP
    for shape in [(2**62, 4), (2**63 - 1, 2), (0, 2**62, 2**62), (2**32, 2**32)]:
        yield "the shape %r" % (shape,), "InvalidArray", "too large", proto(3) + array(NONE, shape=tuple_(*map(integer, shape))) + STOP
    yield "a length of 2**64", "InvalidArguments", "shape", proto(3) + array(NONE, shape=tuple_(integer(2**64))) + STOP
    for what, shape in {"a list": list_(integer(1)), "an int": integer(1), "a float": tuple_(b"G" + bytes(8)), "None": NONE,
                        "a bool": tuple_(TRUE), "a str": tuple_(text("1"))}.items():
        yield "%s for a shape" % what, "InvalidArguments", "shape", proto(3) + array(NONE, shape=shape) + STOP
    yield "65 axes", "InvalidArray", "found 65", proto(3) + array(NONE, shape=tuple_(*[integer(1)] * 65)) + STOP
    for version in [0, 2, 5, -1]:
        yield "version %d" % version, "InvalidArguments", "ndarray", proto(3) + array(NONE, version=version) + STOP
    for what, data in {"None": NONE, "a tuple": tuple_(NONE), "bytes": blob(bytes(8)), "a dict": b"}", "a str": text("a")}.items():
        yield "%s for a list" % what, "InvalidArguments", "list of objects", proto(3) + array(data=data) + STOP
    for count in [0, 3, 4, 6]:
        yield "a state of %d" % count, "InvalidArguments", "state", proto(3) + reconstruct(tuple_(*[integer(1)] * count)) + STOP
    yield "an array without a state", "InvalidArguments", "state", proto(3) + (
        call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tuple_(integer(0)), blob(b"b"))) + STOP
    for size in [0, 3, 5, 100]:
        inner = array(dtype=dtype("i4", "<"), data=blob(bytes(size)))
        yield "%d bytes for an int32" % size, "InvalidArray", "-", proto(3) + array(inner) + STOP
        inner = call("numpy.core.multiarray", "scalar", dtype("i4", "<"), blob(bytes(size)))
        yield "%d bytes for a scalar" % size, "InvalidArray", "-", proto(3) + array(inner) + STOP
        inner = call("numpy._core.numeric", "_frombuffer", blob(bytes(size)), dtype("i4", "<"), tuple_(integer(1)), text("C"))
        yield "%d bytes for a buffer" % size, "InvalidArray", "-", proto(5) + array(inner) + STOP
    inner = call("numpy._core.numeric", "_frombuffer", blob(bytes(4)), dtype("i4", "<"), tuple_(integer(1)), text("K"))
    yield "a buffer in an odd order", "InvalidArguments", "order", proto(5) + array(inner) + STOP
    inner = call("numpy._core.numeric", "_frombuffer", blob(bytes(8)), OBJECT, tuple_(integer(1)), text("C"))
    yield "a buffer of pointers", "InvalidArray", "-", proto(5) + array(inner) + STOP
    inner = call("numpy.core.multiarray", "scalar", record(["o"], [(text("o"), tuple_(OBJECT, integer(0)))], 8), blob(bytes(8)))
    yield "a scalar with pointers", "InvalidArray", "-", proto(3) + array(inner) + STOP
    yield "a list for numbers", "WrongType", "-", proto(3) + array(array(dtype=dtype("i4", "<"), data=list_(integer(1)))) + STOP


def dtypes():
    for code in ["i3", "f9", "x8", "b2", "U999999999", "S99999999999", "V2147483648", "e", "M"]:
        yield "the code %r" % code, "InvalidArray", "-", proto(3) + array(array(dtype=dtype(code, "<"), data=blob(b""))) + STOP
    for code in ["", "f8,f8", "O8,O8", "(2,)f8", "float64", "[('a', 'O')]", "8", "\u00e9", "f-8", "M8[ns]"]:
        yield "the code %r" % code, "InvalidArguments", "-", proto(3) + array(array(dtype=dtype(code, "<"), data=blob(b""))) + STOP
    for order in ["", "<<", "x", "<f8", "\0"]:
        yield "the byte order %r" % order, "InvalidArguments", "-", proto(3) + array(NONE, dtype=dtype("f8", order)) + STOP
    yield "a dtype without a state", "InvalidArguments", "dtype", proto(3) + array(NONE, dtype=call("numpy", "dtype", text("O8"), FALSE, TRUE)) + STOP
    yield "a dtype of None", "WrongType", "-", proto(3) + array(NONE, dtype=NONE) + STOP
    yield "a dtype of a str", "WrongType", "-", proto(3) + array(NONE, dtype=text("O")) + STOP
    yield "a date for a dtype", "InvalidArguments", "-", proto(3) + array(NONE, dtype=call("datetime", "date", blob(bytes(4)))) + STOP

    def times(unit, code="M8"):
        return array(dtype=dtype(code, "<", more=[tuple_(NONE, unit)]), data=blob(bytes(8)))

    for what, unit in {"no unit": tuple_(blob(b"lightyear"), *[integer(1)] * 3), "0 units": tuple_(blob(b"s"), integer(0), integer(1), integer(1)),
                       "-1 units": tuple_(blob(b"s"), integer(-1), integer(1), integer(1)),
                       "a part of 0": tuple_(blob(b"s"), integer(1), integer(0), integer(1)),
                       "a part of 10": tuple_(blob(b"s"), integer(1), integer(10), integer(1)), "None": NONE, "too little": tuple_(blob(b"s"))}.items():
        yield "a time of %s" % what, "InvalidArguments", "unit", proto(3) + array(times(unit)) + STOP
    yield "a time of 2**40 units", "InvalidArray", "-", proto(3) + array(times(tuple_(blob(b"s"), integer(2**40), integer(1), integer(1)))) + STOP
    yield "a time without a unit", "InvalidArguments", "unit", proto(3) + array(array(dtype=dtype("M8", "<"), data=blob(bytes(8)))) + STOP

    field = tuple_(OBJECT, integer(0))
    item = tuple_(NONE)

    def of(names, fields, itemsize=8, items=item):
        return proto(3) + array(items, dtype=record(names, fields, itemsize)) + STOP

    a, b = text("a"), text("b")
    yield "a field that is missing", "InvalidArguments", "-", of(["a", "b"], [(a, field)], 16)
    yield "a field without an offset", "InvalidArguments", "-", of(["a"], [(a, tuple_(OBJECT))])
    yield "a field of None", "InvalidArguments", "-", of(["a"], [(a, NONE)])
    yield "a negative offset", "InvalidArguments", "-", of(["a"], [(a, tuple_(OBJECT, integer(-8)))])
    yield "fields that overlap", "InvalidArguments", "overlap", of(["a", "b"], [(a, field), (b, tuple_(OBJECT, integer(4)))], 16)
    yield "fields out of order", "InvalidArguments", "overlap", of(["a", "b"], [(a, tuple_(OBJECT, integer(8))), (b, field)], 16)
    yield "a field beyond the record", "InvalidArguments", "record", of(["a"], [(a, tuple_(OBJECT, integer(8)))], 8)
    yield "two fields of one name", "InvalidArguments", "overlap", of(["a", "a"], [(a, field)], 16)
    yield "a record of 2**40 bytes", "InvalidArray", "-", of(["a"], [(a, field)], 2**40)
    yield "a record of -1 bytes", "InvalidArguments", "-", of(["a"], [(a, field)], -1)
    yield "a title that is not text", "InvalidArguments", "-", of(["a"], [(a, tuple_(OBJECT, integer(0), integer(5)))])
    for what, items in {"None": NONE, "an empty tuple": b")", "two values": tuple_(NONE, NONE), "a list": list_(NONE)}.items():
        yield "%s for a record" % what, "InvalidArguments", "tuple", of(["a"], [(a, field)], 8, items)

    def sub(base, shape):
        inner = dtype("V8", sub=tuple_(base, shape), itemsize=8, alignment=1)
        return of(["a"], [(a, tuple_(inner, integer(0)))], 2**20)

    for what, shape in {"-1": integer(-1), "(-1,)": tuple_(integer(-1)), "None": NONE, "a float": b"G" + bytes(8)}.items():
        yield "a sub-array of %s" % what, "InvalidArguments", "shape", sub(OBJECT, shape)
    yield "a sub-array of 2**62", "InvalidArray", "-", sub(dtype("u1"), tuple_(integer(2**62)))
    yield "a sub-array of no axes", "InvalidArray", "-", sub(dtype("u1"), tuple_())
    yield "a sub-array of 65 axes", "InvalidArray", "65", sub(dtype("u1"), tuple_(*[integer(1)] * 65))
    strings = "_convert_to_stringdtype_kwargs"
    for arguments in [[], [NONE], [integer(1), NONE, NONE]]:
        yield "a StringDType of %d arguments" % len(arguments), "InvalidArguments", "StringDType", proto(4) + (
            array(text("a"), dtype=call("numpy._core._internal", strings, *arguments))) + STOP
    yield "a StringDType as an item", "InvalidArray", "StringDType", proto(4) + array(call("numpy._core._internal", strings, integer(1))) + STOP


def unknown_opcodes():
    known = set(b"NIJKMLFGSTUVXBC])}(012aeltdsughjpqrcRb.PQio" + bytes(range(0x80, 0x99)))
    for code in range(256):
        if code not in known:
            yield "the byte %#04x" % code, "UnknownOpcode", "%#04x" % code, proto(3) + array(bytes([code])) + STOP


def main():
    lines = ["\t".join([what, kind, shown, data.hex()]) for what, kind, shown, data in cases()]
    made = "case\tkind\ttext\tpickle\n" + "\n".join(line.replace("\n", "\\n") for line in lines) + "\n"
    if sys.argv[1:] == ["check"]:
        with open(__file__.rsplit("/", 1)[0] + "/pickles.tsv", encoding="utf-8", newline="") as file:
            sys.exit(0 if file.read() == made else "pickles.tsv is not what make_pickles.py makes")
    sys.stdout.buffer.write(made.encode("utf-8", "backslashreplace"))


if __name__ == "__main__":
    main()
