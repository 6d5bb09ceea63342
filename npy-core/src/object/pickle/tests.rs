//! Arguments of the known classes: valid and refused ones.

use super::decode::Decoder;
use super::machine::run;
use super::tree::Tree;
use super::walk::Walker;
use crate::dynamic::DynValues;
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::limits::Limits;
use crate::object::value::PyObject;
use crate::options::Order;
use crate::options::object::{ObjectOptions, UnknownGlobals};

/// The object of these opcodes, or `None` if it is refused.
fn object(opcodes: &[u8]) -> Option<PyObject> {
    let options = ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque);
    let pickle = [opcodes, b"."].concat();
    let (arena, root, _) = run(&pickle, &options, false).unwrap_or_else(|_| panic!("{}", pickle.escape_ascii()));
    Walker::new(Decoder::new(&arena, &options, Limits::new().fields(3)), &mut Tree).object(root).ok()
}

fn text(text: &str) -> Vec<u8> {
    [b"\x8c", &[u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat()
}

/// `dtype(code, False, True)` with a state of these parts behind the byte order, of which the last
/// three are numbers.
fn dtype(code: &str, order: &str, parts: &[u8]) -> Vec<u8> {
    [b"cnumpy\ndtype\n", &text(code)[..], b"\x89\x88\x87R(K\x03", &text(order), parts, b"tb"].concat()
}

/// With the size and the flags that the code has.
fn plain(code: &str, order: &str) -> Vec<u8> {
    let digits = code.get(1..).and_then(|digits| digits.parse().ok()).unwrap_or(8_u8);
    let size = if code.starts_with('U') { 4 * digits } else { digits };
    let flags = if code.starts_with('O') { 63 } else { 0 };
    dtype(code, order, &[b"NNNK", &[size][..], b"K\x08K", &[flags]].concat())
}

/// A record with these fields: a name, a dtype, an offset and a title.
fn record(size: u8, fields: &[(&str, Vec<u8>, u8, Option<&str>)]) -> Vec<u8> {
    let has_object = fields.iter().any(|(_, dtype, ..)| dtype.windows(2).any(|bytes| bytes == b"O8" || bytes == b"O4"));
    let flags = if has_object { 63 } else { 0 };
    let names: Vec<u8> = fields.iter().flat_map(|field| text(field.0)).collect();
    let field = |(name, dtype, offset, title): &(&str, Vec<u8>, u8, Option<&str>)| {
        let end = title.map_or_else(|| b"\x86".to_vec(), |title| [&text(title)[..], b"\x87"].concat());
        [&text(name)[..], dtype, b"K", &[*offset], &end, b"s"].concat()
    };
    let entries: Vec<u8> = fields.iter().flat_map(field).collect();
    dtype(&format!("V{size}"), "|", &[b"N(", &names[..], b"t}", &entries, b"K", &[size], b"K\x01K", &[flags]].concat())
}

fn descr(opcodes: &[u8]) -> Option<String> {
    match object(opcodes)? {
        PyObject::DType(dtype) => Some(dtype.descr()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn dtypes_are_read_with_their_state() {
    let time = |unit: &[u8]| dtype("M8", "<", &[b"NNNK\x08K\x08K\0N", unit, b"\x86"].concat());
    let sub_array = |size: u8, base: &[u8], shape: &[u8]| {
        dtype(&format!("V{size}"), "|", &[base, shape, b"\x86NNK", &[size], b"K\x08K\0"].concat())
    };
    let f8 = || plain("f8", "<");
    let two = [b"K\x02K\x03\x86".as_slice()].concat();
    let of_one_field = |code: &str, end: &[u8]| {
        dtype(code, "|", &[b"N", &text("a")[..], b"\x85}", &text("a"), &f8(), b"K\0", end, b"sK\x08K\x01K\0"].concat())
    };
    let with_code = |code: &str| of_one_field(code, b"\x86");
    let with_title = |title: &[u8]| of_one_field("V8", &[title, b"\x87"].concat());
    let with_version = |opcodes: &[u8], version: u8| {
        let mut opcodes = opcodes.to_vec();
        let state = opcodes.windows(3).position(|bytes| bytes == b"R(K").unwrap();
        opcodes[state + 3] = version;
        opcodes
    };
    let of_version = |version: u8| with_version(&with_code("V8"), version);
    let old = |opcodes: &[u8]| with_version(opcodes, 2);
    for (case, opcodes, expected) in [
        ("a float", f8(), Some("'<f8'")),
        ("another order", plain("f8", ">"), Some("'>f8'")),
        ("a text", plain("U3", ">"), Some("'>U3'")),
        ("an object", plain("O8", "|"), Some("'|O'")),
        ("no code", plain("", "<"), None),
        ("a code of two letters", plain("ff", "<"), None),
        ("a code without a letter", plain("88", "<"), None),
        ("an invalid order", plain("f8", "?"), None),
        ("an invalid size", plain("f9", "<"), None),
        ("a text of another size", dtype("U3", "<", b"NNNK\x03K\x04K\0"), None),
        ("a float that is a pointer", dtype("f8", "<", b"NNNK\x08K\x08K\x04"), None),
        ("a text with the flags of NumPy", dtype("U3", "<", b"NNNK\x0cK\x04K\x08"), Some("'<U3'")),
        ("a text of version 2 with those flags", old(&dtype("U3", "<", b"NNNK\x0cK\x04K\x08")), None),
        ("a text of version 2", old(&dtype("U3", "<", b"NNNK\x0cK\x04K\0")), Some("'<U3'")),
        ("an object without its flags", dtype("O8", "|", b"NNNK\x08K\x08K\0"), None),
        ("seven parts", dtype("f8", "<", b"NNNK\x08K\x08"), None),
        ("nine parts", dtype("f8", "<", b"NNNK\x08K\x08K\0N"), Some("'<f8'")),
        ("metadata that is a dict", dtype("f8", "<", b"NNNK\x08K\x08K\0}"), Some("'<f8'")),
        ("metadata that is not a dict", dtype("f8", "<", b"NNNK\x08K\x08K\0K\x01"), None),
        ("metadata of a time that is not a dict", dtype("M8", "<", b"NNNK\x08K\x08K\0K\x01(C\x01sK\x01K\x01K\x01t\x86"), None),
        ("ten parts", dtype("f8", "<", b"NNNK\x08K\x08K\0NN"), None),
        ("an item", [&f8()[..], b"Na"].concat(), None),
        ("an entry", [&f8()[..], b"NNs"].concat(), None),
        ("seconds", time(b"(C\x01sK\x19K\x01K\x01t"), Some("'<M8[25s]'")),
        ("seconds as text", time(&[b"(", &text("s")[..], b"K\x01K\x01K\x01t"].concat()), Some("'<M8[s]'")),
        ("no unit", time(b"(C\x07genericK\x01K\x01K\x01t"), Some("'<M8'")),
        ("an unknown unit", time(b"(C\x01qK\x01K\x01K\x01t"), None),
        ("no seconds", time(b"(C\x01sK\0K\x01K\x01t"), None),
        ("half a second", time(b"(C\x01sK\x01K\x02K\x01t"), None),
        ("three parts of a unit", time(b"(C\x01sK\x01K\x01t"), None),
        ("an event that is not a number", time(b"(C\x01sK\x01K\x01Nt"), None),
        ("a time without a unit", plain("M8", "<"), None),
        ("a sub-array", sub_array(48, &f8(), &two), Some("('<f8', (2, 3))")),
        ("a sub-array with the code of a float", dtype("f8", "|", &[&f8()[..], &two, b"\x86NNK\x30K\x08K\0"].concat()), None),
        ("a sub-array of one axis", sub_array(32, &f8(), b"K\x04"), Some("('<f8', (4,))")),
        ("a sub-array of a negative length", sub_array(8, &f8(), b"J\xff\xff\xff\xff"), None),
        ("a record", record(12, &[("a", f8(), 0, None), ("b", plain("i4", "<"), 8, None)]), Some("[('a', '<f8'), ('b', '<i4')]")),
        ("a record of version 2", of_version(2), Some("[('a', '<f8')]")),
        ("a record of version 1", of_version(1), None),
        ("a record with the code of a float", with_code("f8"), None),
        ("a record without a size", with_code("V"), None),
        ("a title that is not text", with_title(b"K\x07"), None),
        ("no title", with_title(b"N"), Some("[('a', '<f8')]")),
        (
            "titles and gaps",
            record(20, &[("a", f8(), 1, Some("t")), ("b", plain("i2", "<"), 16, None)]),
            Some("[('', '|V1'), (('t', 'a'), '<f8'), ('', '|V7'), ('b', '<i2'), ('', '|V2')]"),
        ),
        (
            "an object in a record",
            record(20, &[("a", plain("i4", "<"), 0, None), ("o", plain("O8", "|"), 8, None), ("b", plain("i4", "<"), 16, None)]),
            Some("[('a', '<i4'), ('', '|V4'), ('o', '|O'), ('b', '<i4')]"),
        ),
        (
            "an object of 4 bytes",
            record(8, &[("o", plain("O4", "|"), 0, None), ("b", plain("i4", "<"), 4, None)]),
            Some("[('o', '|O'), ('b', '<i4')]"),
        ),
        ("an overlap", record(12, &[("a", f8(), 0, None), ("b", plain("i4", "<"), 7, None)]), None),
        ("another order of offsets", record(12, &[("a", f8(), 4, None), ("b", plain("i4", "<"), 0, None)]), None),
        ("a record that is too short", record(11, &[("a", f8(), 0, None), ("b", plain("i4", "<"), 8, None)]), None),
        ("three fields", record(24, &[("a", f8(), 0, None), ("r", record(8, &[("b", f8(), 0, None)]), 8, None)]), Some("")),
        (
            "four fields",
            record(24, &[("r", record(16, &[("a", f8(), 0, None), ("b", f8(), 8, None)]), 0, None), ("c", f8(), 16, None)]),
            None,
        ),
    ] {
        let found = descr(&opcodes);
        match expected {
            Some("") => assert!(found.is_some(), "{case}"),
            expected => assert_eq!(found.as_deref(), expected, "{case}"),
        }
    }
}

/// `_reconstruct(ndarray, (0,), b'b')` with a state of these parts.
fn array(state: &[u8]) -> Vec<u8> {
    [b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R(", state, b"tb"].concat()
}

#[test]
fn arrays_are_read_with_their_state() {
    let state = |version: u8, shape: &[u8], dtype: &[u8], order: &[u8], data: &[u8]| {
        array(&[b"K", &[version], shape, dtype, order, data].concat())
    };
    let (i2, data) = (plain("i2", ">"), &b"C\x04\0\x01\0\x02"[..]);
    let values = |shape: &[usize], order| {
        let bytes = [1_i16, 2].iter().flat_map(|value| value.to_ne_bytes()).collect();
        let dtype = DType::from(Scalar::new(ScalarKind::Int16, ByteOrder::NATIVE));
        Some(PyObject::Array(Box::new(DynValues::new(dtype, order, shape, bytes).unwrap())))
    };
    let two = &b"K\x02\x85"[..];
    for (case, opcodes, expected) in [
        ("a native array", state(1, two, &i2, b"\x89", data), values(&[2], Order::C)),
        ("in Fortran order", state(1, b"K\x02K\x01\x86", &i2, b"\x88", data), values(&[2, 1], Order::Fortran)),
        ("by numbers", state(1, b"K\x02K\x01\x86", &i2, b"K\x01", data), values(&[2, 1], Order::Fortran)),
        ("another version", state(2, two, &i2, b"\x89", data), None),
        ("no order", state(1, two, &i2, b"N", data), None),
        ("another length", state(1, b"K\x03\x85", &i2, b"\x89", data), None),
        ("an invalid length", state(1, b"N\x85", &i2, b"\x89", data), None),
        ("a negative length", state(1, b"J\xff\xff\xff\xff\x85", &i2, b"\x89", data), None),
        ("an invalid shape", state(1, b"K\x02", &i2, b"\x89", data), None),
        ("64 axes", state(1, &[b"(K\x02", &b"K\x01".repeat(63)[..], b"t"].concat(), &i2, b"\x89", data), {
            let shape: Vec<_> = [2].into_iter().chain([1; 63]).collect();
            values(&shape, Order::C)
        }),
        ("65 axes", state(1, &[b"(K\x02", &b"K\x01".repeat(64)[..], b"t"].concat(), &i2, b"\x89", data), None),
        ("four parts", array(&[b"K\x01", two, &i2, data].concat()), None),
        ("an item", [&state(1, two, &i2, b"\x89", data)[..], b"Na"].concat(), None),
        ("an entry", [&state(1, two, &i2, b"\x89", data)[..], b"NNs"].concat(), None),
        ("of another class", b"cnumpy.core.multiarray\n_reconstruct\nNK\0\x85C\x01b\x87R".to_vec(), None),
        ("two arguments", b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nN\x86R".to_vec(), None),
    ] {
        assert_eq!(object(&opcodes), expected, "{case}");
    }
    // Fields keep their order, and so do bytes of an unknown type.
    let bytes = |opcodes: &[u8]| match object(opcodes) {
        Some(PyObject::Array(array)) => (array.dtype().descr(), array.bytes().to_vec()),
        other => panic!("{other:?}"),
    };
    let of_one_field = record(2, &[("a", i2.clone(), 0, None)]);
    assert_eq!(bytes(&state(1, two, &of_one_field, b"\x89", data)), ("[('a', '>i2')]".to_owned(), vec![0, 1, 0, 2]));
    assert_eq!(bytes(&state(1, two, &plain("V2", ">"), b"\x89", data)), ("'>V2'".to_owned(), vec![0, 1, 0, 2]));
}

#[test]
fn arrays_of_objects_have_as_many_as_their_shape_says() {
    let objects = |dtype: &[u8], data: &[u8]| object(&array(&[b"K\x01K\x02\x85", dtype, b"\x89", data].concat())).is_some();
    let pair = record(8, &[("a", plain("i1", "|"), 0, None), ("o", plain("O8", "|"), 1, None)]);
    let pair = if object(&pair).is_some() {
        pair
    } else {
        record(16, &[("a", plain("i1", "|"), 0, None), ("o", plain("O8", "|"), 8, None)])
    };
    let o = plain("O8", "|");
    for (case, dtype, data, is_read) in [
        ("two", &o, &b"(NNl"[..], true),
        ("one", &o, b"(Nl", false),
        ("three", &o, b"(NNNl", false),
        ("a tuple", &o, b"NN\x86", false),
        ("two tuples", &pair, b"(NN\x86NN\x86l", true),
        ("a tuple and none", &pair, b"(NN\x86Nl", false),
        ("tuples of one", &pair, b"(N\x85N\x85l", false),
        ("tuples of three", &pair, b"(NNN\x87NN\x86l", false),
    ] {
        assert_eq!(objects(dtype, data), is_read, "{case}");
    }
}

#[test]
fn buffers_and_scalars_are_read_with_their_arguments() {
    let (i2, o) = (plain("i2", "<"), plain("O8", "|"));
    let buffer = |rest: &[u8]| {
        object(
            &[b"cnumpy._core.numeric\n_frombuffer\n(C\x08\x01\0\x02\0\x03\0\x04\0", &i2[..], b"K\x02K\x02\x86", rest, b"tR"]
                .concat(),
        )
    };
    let order = |rest: &[u8]| buffer(rest).map(|array| matches!(array, PyObject::Array(array) if array.order() == Order::C));
    let [c, f, a] = ["C", "F", "A"].map(text);
    assert_eq!([&c, &f, &a].map(|rest| order(rest)), [Some(true), Some(false), None]);
    let with_axes = |order: &[u8], axes: &[u8]| [order, axes].concat();
    assert_eq!(
        [with_axes(&c, b"N"), with_axes(&c, b"K\0"), with_axes(&f, b"NN")].map(|rest| order(&rest)),
        [Some(true), None, None]
    );
    let scalar = |arguments: &[u8]| object(&[b"cnumpy.core.multiarray\nscalar\n", arguments, b"R"].concat());
    assert!(matches!(scalar(&[&i2[..], b"C\x02\x07\0\x86"].concat()), Some(PyObject::Scalar(value)) if value.bytes() == [7, 0]));
    assert_eq!(scalar(&[&o[..], b"K\x07\x86"].concat()), Some(PyObject::from(7)));
    for refused in [&b"C\x01\x07\x86"[..], b"\x85", b"C\x02\0\0N\x87"] {
        assert_eq!(scalar(&[&i2[..], refused].concat()), None, "{}", refused.escape_ascii());
    }
}

#[test]
fn reduces_fractions_to_lowest_terms() {
    let huge = format!("1{}", "0".repeat(50));
    let kept = format!("{huge}, 2");
    for (fraction, expected) in [
        ("2/4", "1, 2"),
        ("-6/4", "-3, 2"),
        ("0/5", "0, 1"),
        ("35/7", "5, 1"),
        ("1/3", "1, 3"),
        ("-170141183460469231731687303715884105728/2", "-85070591730234615865843651857942052864, 1"),
        ("12157665459056928801/36472996377170786403", "1, 3"),
        // Of more than 128 bits.
        (&format!("{huge}/2"), &kept),
    ] {
        let opcodes = [b"cfractions\nFraction\n", &text(fraction)[..], b"\x85R"].concat();
        assert_eq!(object(&opcodes).unwrap().to_string(), format!("Fraction({expected})"), "{fraction}");
    }
}

#[test]
fn objects_of_known_classes_have_their_arguments() {
    let of = |class: &[u8], rest: &[u8]| [b"c", class, rest].concat();
    let [latin, other, wide] = ["latin-1", "utf-8", "\u{20ac}"].map(text);
    let byte_array = |rest: &[u8]| of(b"builtins\nbytearray\n", rest);
    let uuid = |key: &str, number: &[u8]| of(b"uuid\nUUID\n", &[&b")\x81}"[..], &text(key), number, b"sb"].concat());
    let long = |bytes: &[u8]| [b"\x8a", &[u8::try_from(bytes.len()).unwrap()][..], bytes].concat();
    let seventeen = |last: u8| long(&[&[7; 16][..], &[last]].concat());
    let delta = |days: u8| of(b"datetime\ntimedelta\n", &[b"K", &[days][..], b"K\0K\0\x87R"].concat());
    let zone = |arguments: &[u8]| of(b"datetime\ntimezone\n", arguments);
    let time = |rest: &[u8]| of(b"datetime\ntime\n", &[b"C\x06\x09\x08\x07\0\0\x06", rest].concat());
    let utc = zone(&[&delta(0)[..], b"\x85R"].concat());
    for (case, opcodes, is_read) in [
        ("an empty bytearray", byte_array(b")R"), true),
        ("a bytearray of bytes", byte_array(b"C\x01a\x85R"), true),
        ("a bytearray of latin-1", byte_array(&[&text("\u{e9}")[..], &latin, b"\x86R"].concat()), true),
        ("a bytearray of another encoding", byte_array(&[&text("e")[..], &other, b"\x86R"].concat()), false),
        ("a bytearray of a euro", byte_array(&[&wide[..], &latin, b"\x86R"].concat()), false),
        ("a bytearray of three", byte_array(b"NNN\x87R"), false),
        ("a complex of floats", of(b"builtins\ncomplex\n", b"F1\nF2\n\x86R"), true),
        ("a complex of integers", of(b"builtins\ncomplex\n", b"K\x01K\x02\x86R"), false),
        ("a range", of(b"builtins\nrange\n", b"K\0K\x05K\x01\x87R"), true),
        ("a range without steps", of(b"builtins\nrange\n", b"K\0K\x05K\0\x87R"), false),
        ("a range of two", of(b"builtins\nrange\n", b"K\0K\x05\x86R"), false),
        ("a fraction", of(b"fractions\nFraction\n", b"K\x01K\x02\x86R"), true),
        ("a fraction by text", of(b"fractions\nFraction\n", &[&text("1/2")[..], b"\x85R"].concat()), true),
        ("a fraction by whole text", of(b"fractions\nFraction\n", &[&text("3")[..], b"\x85R"].concat()), true),
        ("a fraction of zero", of(b"fractions\nFraction\n", b"K\x01K\0\x86R"), false),
        ("a fraction of None", of(b"fractions\nFraction\n", b"N\x85R"), false),
        ("a decimal", of(b"decimal\nDecimal\n", &[&text("1.5")[..], b"\x85R"].concat()), true),
        ("an invalid decimal", of(b"decimal\nDecimal\n", &[&text("x")[..], b"\x85R"].concat()), false),
        ("a decimal of an integer", of(b"decimal\nDecimal\n", b"K\x01\x85R"), false),
        ("a UUID", uuid("int", b"K\x01"), true),
        ("a UUID of 128 bits", uuid("int", &seventeen(0)), true),
        ("a UUID of 129 bits", uuid("int", &seventeen(1)), false),
        ("a UUID of 136 bits", uuid("int", &long(&[7; 18])), false),
        ("a negative UUID", uuid("int", &long(&[0xff; 9])), false),
        ("a UUID by text", uuid("int", &other), false),
        ("a UUID without a number", uuid("hex", b"K\x01"), false),
        ("a UUID without a state", of(b"uuid\nUUID\n", b")\x81"), false),
        (
            "a UUID with another key",
            of(b"uuid\nUUID\n", &[b")\x81}", &text("x")[..], b"Ns", &text("int"), b"K\x01sb"].concat()),
            true,
        ),
        ("a time", time(b"\x85R"), true),
        ("a time with None", time(b"N\x86R"), true),
        ("a time in UTC", time(&[&utc[..], b"\x86R"].concat()), true),
        ("a time with a number", time(b"K\x01\x86R"), false),
        ("a time with a timedelta", time(&[&delta(0)[..], b"\x86R"].concat()), false),
        ("a zone with a name", zone(&[&delta(0)[..], &text("X"), b"\x86R"].concat()), true),
        ("a zone with a number", zone(&[&delta(0)[..], b"K\x01\x86R"].concat()), false),
        ("a zone of a number", zone(b"K\x01\x85R"), false),
        ("a zone of a day", zone(&[&delta(1)[..], b"\x85R"].concat()), false),
        ("a date", of(b"datetime\ndate\n", b"C\x04\x07\xea\x0b\x18\x85R"), true),
        ("a date of three bytes", of(b"datetime\ndate\n", b"C\x03\x07\xea\x0b\x85R"), false),
        ("a date with an item", of(b"datetime\ndate\n", b"C\x04\x07\xea\x0b\x18\x85RNa"), false),
        ("a slice", of(b"builtins\nslice\n", b"NNN\x87R"), true),
        ("a slice of two", of(b"builtins\nslice\n", b"NN\x86R"), false),
        ("a set", of(b"builtins\nset\n", b"]\x85R"), true),
        ("an empty set", of(b"builtins\nset\n", b")R"), true),
        ("a set of a number", of(b"builtins\nset\n", b"K\x01\x85R"), false),
        ("an ordered dict", of(b"collections\nOrderedDict\n", b")RNNs"), true),
        ("an ordered dict of pairs", of(b"collections\nOrderedDict\n", b"(NN\x86(NNll\x85R"), true),
        ("an ordered dict of triples", of(b"collections\nOrderedDict\n", b"(NNN\x87l\x85R"), false),
        ("an ordered dict of numbers", of(b"collections\nOrderedDict\n", b"(K\x01l\x85R"), false),
        ("an ordered dict of a number", of(b"collections\nOrderedDict\n", b"K\x01\x85R"), false),
        ("an ordered dict with an item", of(b"collections\nOrderedDict\n", b")RNa"), false),
        ("an ordered dict with a state", of(b"collections\nOrderedDict\n", b")RNb"), false),
    ] {
        assert_eq!(object(&opcodes).is_some(), is_read, "{case}");
    }
}

/// As `pickle.loads` of Python 3.11 has them.
#[test]
fn integers_in_text_are_those_of_python() {
    for (digits, expected) in [("01", true), ("00", false), ("+1", true), ("-0", false), (" 1", true)] {
        assert_eq!(object(format!("I{digits}\n").as_bytes()), Some(PyObject::Bool(expected)), "{digits}");
    }
    for (digits, expected) in [("1 ", 1), ("1", 1), ("007", 7), (" 01", 1), ("-10", -10), ("00000000000000000001", 1)] {
        assert_eq!(object(format!("I{digits}\n").as_bytes()), Some(PyObject::from(expected)), "{digits}");
    }
    for (digits, expected) in [("1L", 1), ("00", 0), ("-0L", 0), ("1 ", 1), ("-12L", -12)] {
        assert_eq!(object(format!("L{digits}\n").as_bytes()), Some(PyObject::from(expected)), "{digits}");
    }
    // Octal in Python, or a mistake.
    for opcodes in ["I010", "I08", "I-010", "I1L", "L01", "L010L", "L-01"] {
        assert!(run(format!("{opcodes}\n.").as_bytes(), &ObjectOptions::new(), false).is_err(), "{opcodes}");
    }
}

#[test]
fn opaque_objects_keep_what_was_added() {
    let opaque = |opcodes: &[u8]| match object(&[b"cmodule\nName\n", opcodes].concat()) {
        Some(PyObject::Opaque(opaque)) => {
            (opaque.arguments.map(|all| all.len()), opaque.state.is_some(), opaque.items.len(), opaque.entries.len())
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(opaque(b""), (None, false, 0, 0));
    assert_eq!(opaque(b"N\x85R"), (Some(1), false, 0, 0));
    assert_eq!(opaque(b")\x81K\x01b"), (Some(0), true, 0, 0));
    assert_eq!(opaque(b")\x81(NNe(NNNNu"), (Some(0), false, 2, 2));
    // A class below `ndarray`.
    let array = |rest: &[u8]| object(&[b"cnumpy.core.multiarray\n_reconstruct\ncmodule\nName\nNN\x87R", rest].concat());
    for (rest, has_state) in [(&b""[..], false), (b"K\x01b", true)] {
        assert!(matches!(array(rest), Some(PyObject::Opaque(opaque)) if opaque.state.is_some() == has_state));
    }
}

#[test]
fn objects_of_each_protocol_are_the_same() {
    let uuid = |make: &[u8]| object(&[make, b"}", &text("int"), b"K\x07sb"].concat());
    let number_7 = Some(PyObject::Uuid([[0; 15].as_slice(), &[7]].concat().try_into().unwrap()));
    assert_eq!(uuid(b"cuuid\nUUID\n)\x81"), number_7);
    assert_eq!(uuid(b"ccopy_reg\n_reconstructor\n(cuuid\nUUID\nc__builtin__\nobject\nNtR"), number_7);
    assert_eq!(uuid(b"ccopy_reg\n_reconstructor\n(cuuid\nUUID\nc__builtin__\nobject\nK\x01tR"), None);
    assert_eq!(object(b"\x96\x02\0\0\0\0\0\0\0ab"), Some(PyObject::ByteArray(b"ab".to_vec())));
    let range = |stop: &[u8]| object(&[b"cbuiltins\nrange\nK\0", stop, b"K\x01\x87R"].concat());
    let of_text = range(b"L18446744073709551616L\n");
    assert!(of_text.is_some());
    assert_eq!(of_text, range(b"\x8a\x09\0\0\0\0\0\0\0\0\x01"));
}

/// Python 2 has it as a text.
#[test]
fn arrays_are_begun_with_the_code_of_bytes() {
    let is_read = |code: &[u8]| {
        let state = [b"(K\x01K\0\x85", &plain("i2", "<")[..], b"\x89C\0tb"].concat();
        object(&[b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85", code, b"\x87R", &state].concat()).is_some()
    };
    assert!(is_read(b"C\x01b") && is_read(b"U\x01b") && is_read(&text("b")));
    assert!(!is_read(b"C\x01c") && !is_read(b"U\x01c") && !is_read(&text("c")) && !is_read(b"N"));
}
