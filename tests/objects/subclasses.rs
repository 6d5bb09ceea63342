//! Arrays and scalars of NumPy's own subclasses as elements, and classes themselves.

use npy_core::npz::NpzReader;
use npy_core::object::{self, ArrayClass, Encoding, ObjectArray, ObjectOptions, PyInt, PyObject, UnknownGlobals};
use npy_core::{DynValues, NpyElement};

use crate::support::numpy::numpy;

/// Python expressions of one object each.
const OBJECTS: &[&str] = &[
    "np.rec.array([(1, 2.0), (3, 4.)], dtype=[('a', 'i4'), ('b', 'f8')])",
    "np.rec.array([(1, 2.0), (3, 4.)], dtype=[('a', 'i4'), ('b', 'f8')])[0]",
    "np.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')])[0]",
    "np.rec.array(np.zeros((0, 2), [('a', 'i4')]))",
    "np.rec.array(np.zeros(0, [('a', 'i4')]))",
    "np.matrix([[1, 2], [3, 4]])",
    "np.matrix([[1.5, 2], [3, 4]], dtype='f4')",
    "np.matrix([['a', None]], dtype=object)",
    "np.matrix(np.arange(2000))",
    "np.ma.array([1., 2, 3], mask=[0, 1, 0])",
    "np.ma.array([1, 2, 3])",
    "np.ma.array([1, 2, 3], mask=True)",
    "np.ma.array([1, 2, 3], mask=[0, 0, 1], dtype='i2', fill_value=-9)",
    "np.ma.array([0.1, 2, 3], mask=[0, 0, 1], dtype='f4')",
    "np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]], fill_value=7)",
    "np.ma.array([[1, 2, 3], [3, 4, 5]], mask=[[0, 1, 0], [0, 0, 1]], order='F')",
    "np.ma.array([[1], [3]], mask=[[0], [1]])",
    "np.ma.array([[1, 3]], mask=[[0, 1]])",
    "np.ma.array(3, mask=False)",
    "np.ma.array([], dtype='f8')",
    "np.ma.array(['a', 'bc'], mask=[1, 0])",
    "np.ma.array([b'a', b'bc'], mask=[1, 0])",
    "np.ma.array([True, False], mask=[1, 0])",
    "np.ma.array([1j, 2 + 1j], mask=[1, 0])",
    "np.ma.array([(1, 2.0), (3, 4.0)], dtype=[('a', 'i4'), ('b', 'f8')], mask=[(0, 1), (0, 0)])",
    "np.ma.array([(1, [2, 3], (5, 6))], dtype=[('a', 'i4'), ('b', 'i4', (2,)), ('c', [('x', 'i1'), ('y', 'i1')])], mask=[(0, [0, 1], (0, 1))])",
    "np.ma.array([(1, [(2, 3), (4, 5)], 6)], dtype=[('a', 'i4'), ('b', [('x', 'i1'), ('y', 'i2')], (2,)), ('c', 'i1')], mask=[(0, [(0, 1), (1, 0)], 1)])",
    "np.ma.array(np.arange(2400).reshape(40, 60), mask=np.arange(2400).reshape(40, 60) % 7 == 1).copy('F')",
    "np.ma.array(np.arange(1200), mask=np.arange(1200) % 2 == 0)",
    "np.ma.array(np.arange(40) * 1.5, mask=np.arange(40) % 3 == 0)",
    "np.ma.array([1, 'a', None], mask=[0, 1, 0], dtype=object)",
    "np.ma.array([1, 'a', None], dtype=object)",
    "np.ma.array([1, 'a', None], mask=True, dtype=object, fill_value='zz')",
    "np.ma.array([[1, [2]], [None, 'd']], mask=[[0, 1], [0, 0]], dtype=object, fill_value=7)",
    "np.ma.array(np.array([[1, [2], 'c'], [None, 'd', 'e']], dtype=object, order='F'), mask=[[0, 1, 0], [0, 0, 0]], keep_mask=True)",
    "np.ma.array([(1, None), (2, 'b')], mask=[(0, 1), (1, 0)], dtype=[('a', 'i4'), ('b', 'O')])",
    "np.ma.array([(1, None)], mask=[(0, 1)], dtype=[('a', 'i4'), ('b', 'O')])[0]",
    "np.ma.array([(1, 2.0)], mask=[(0, 1)], dtype=[('a', 'i4'), ('b', 'f8')])[0]",
    "np.ma.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')])[0]",
    "'\\ud800'",
    "['a\\ud83d\\ude00z', {'\\udfff': 1}]",
    "np.str_('\\ud800')",
    "np.ma.masked",
    "range",
    "np.ndarray",
    "np.matrix",
    "datetime.date",
    "[np.ma.array([1, 2], mask=[0, 1]), range, np.matrix([[1]])]",
];

#[test]
fn subclasses_print_as_in_numpy_and_are_written_again() {
    let Some(numpy) = numpy("subclasses_print_as_in_numpy_and_are_written_again") else { return };
    let head = "import datetime, io, sys, numpy as np\na = np.empty(2, object)\n";
    let saves: String = OBJECTS.iter().map(|text| format!("a[0] = {text}; np.save(sys.stdout.buffer, a)\n")).collect();
    let files = numpy.run(["-c", &format!("{head}{saves}")], b"");
    // For the classes themselves.
    let opaque = ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque);
    let mut rest = &files[..];
    let arrays: Vec<_> =
        OBJECTS.iter().map(|text| object::read_with(&mut rest, opaque).unwrap_or_else(|error| panic!("{text}: {error}"))).collect();
    let print = "f = io.BytesIO(sys.stdin.buffer.read())\nwhile f.tell() < len(f.getbuffer()):\n  \
                 a = np.load(f, allow_pickle=True)\n  print(a, repr(a), sep='\\n', end='\\0')";
    let compare = |files: &[u8], arrays: &[(&str, &ObjectArray)]| {
        let printed = String::from_utf8(numpy.run(["-c", &format!("{head}{print}")], files)).unwrap();
        let printed: Vec<_> = printed.trim_end_matches('\0').split('\0').collect();
        assert_eq!(printed.len(), arrays.len());
        for ((text, array), printed) in arrays.iter().zip(printed) {
            assert_eq!([array.to_string(), PyObject::from((*array).clone()).to_string()].join("\n"), *printed, "{text}");
        }
    };
    let all: Vec<_> = OBJECTS.iter().copied().zip(&arrays).collect();
    compare(&files, &all);

    // A class itself cannot be written.
    let values: Vec<_> = all
        .into_iter()
        .filter(|(text, array)| !matches!(&array.items()[0], PyObject::Opaque(_)) && !text.starts_with('['))
        .collect();
    let mut again = Vec::new();
    for (_, array) in &values {
        array.write(&mut again).unwrap();
    }
    compare(&again, &values);
}

/// `np.save` pickles the masked array, and `np.load` gives it back.
#[test]
fn a_masked_array_as_the_whole_pickle_keeps_its_mask() {
    let Some(numpy) = numpy("a_masked_array_as_the_whole_pickle_keeps_its_mask") else { return };
    let program = "import sys, numpy as np
o = [('a', 'i4'), ('b', 'O')]
for a in [np.ma.array([1, 'a', None], mask=[0, 1, 0], dtype=object), np.ma.array([1, 'a'], dtype=object),
          np.ma.array([[1, 'a'], [b'c', 2]], mask=[[0, 1], [1, 0]], dtype=object),
          np.ma.array(np.array([[1, 'a', 3], [b'c', 2, 4]], dtype=object, order='F'), mask=[[0, 1, 0], [1, 0, 0]]),
          np.ma.array([(1, 'x'), (2, None)], mask=[(0, 1), (1, 0)], dtype=o)]:
    np.save(sys.stdout.buffer, a)
";
    let files = numpy.run(["-c", program], b"");
    let (mut rest, mut again, mut shown) = (&files[..], Vec::new(), String::new());
    while !rest.is_empty() {
        let array = object::read(&mut rest).unwrap();
        array.write(&mut again).unwrap();
        shown += &format!("{array}\n");
        if shown.lines().count() == 1 {
            let PyObject::Subclass(masked) = &array.items()[1] else { panic!("{array:?}") };
            assert_eq!((&masked.class, &masked.base), (&ArrayClass::MaskedElement, &PyObject::from("a")));
            let error = array.to_vec::<PyInt>().unwrap_err().to_string();
            assert!(error.contains("numpy.ma.masked"), "{error}");
        }
    }
    let load = |print: &str, files: &[u8]| {
        let head = "import io, sys, numpy as np; f = io.BytesIO(sys.stdin.buffer.read())";
        let program = format!("{head}\nwhile f.tell() < len(f.getbuffer()): a = np.load(f, allow_pickle=True); print({print})");
        String::from_utf8(numpy.run(["-c", &program], files)).unwrap()
    };
    assert_eq!(load("a", &files), shown);
    assert_eq!(load("a", &again), shown);
    let under_the_mask = "np.ma.getdata(a).tolist(), np.ma.getmaskarray(a).tolist()";
    assert_eq!(load(under_the_mask, &again), load(under_the_mask, &files));
}

/// What `np.save` writes of them is read, printed, and written again byte for byte.
#[test]
fn texts_with_lone_surrogates_are_kept() {
    let Some(numpy) = numpy("texts_with_lone_surrogates_are_kept") else { return };
    let program = "import sys, numpy as np; np.save(sys.stdout.buffer, \
                   np.array(['\\ud800', 'a\\udc00\u{e9}', '\\ud83d\\ude00', 'plain', ('\\ud801', {'\\udfff': b'x'})], dtype=object))";
    let file = numpy.run(["-c", program], b"");
    let array = object::read(&file[..]).unwrap();
    assert_eq!(array.to_string(), r"['\ud800' 'a\udc00é' '\ud83d\ude00' 'plain' ('\ud801', {'\udfff': b'x'})]");
    let mut again = Vec::new();
    array.write(&mut again).unwrap();
    assert!(again == file);
    let PyObject::SurrogateStr(text) = &array.items()[1] else { panic!("{array}") };
    assert_eq!(text.code_points().collect::<Vec<_>>(), [0x61, 0xdc00, 0xe9]);
    let error = array.to_vec::<String>().unwrap_err().to_string();
    assert!(error.contains("str with a lone surrogate"), "{error}");
    let old = "import pickle, sys, numpy as np; a = np.array(['a\\\\\\udc00\u{e9}'], dtype=object)
sys.stdout.buffer.write(b'\\x93NUMPY\\1\\0F\\0' + b\"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\".ljust(69) + b'\\n' + pickle.dumps(a, 0))";
    let array = object::read(&numpy.run(["-c", old], b"")[..]).unwrap();
    assert_eq!(array.to_string(), r"['a\\\udc00é']", "protocol 0 has escapes");
}

#[test]
fn subclasses_without_a_masked_value_convert_as_their_base() {
    let Some(numpy) = numpy("subclasses_without_a_masked_value_convert_as_their_base") else { return };
    let program = "import sys, numpy as np; a = np.empty(3, object); a[0] = np.matrix([[1, 2]]); \
                   a[1] = np.ma.array([1, 2], mask=[0, 0]); a[2] = np.ma.array([1, 2], mask=[0, 1]); np.save(sys.stdout.buffer, a)";
    let array = object::read(&numpy.run(["-c", program], b"")[..]).unwrap();
    let items = array.items();
    let values = |item: &PyObject| <DynValues as object::FromPyObject>::from_object(item);
    assert_eq!(values(&items[0]).unwrap().shape(), [1, 2]);
    assert_eq!(values(&items[1]).unwrap().dtype(), &i64::dtype());
    let error = format!("{:?}", values(&items[2]).unwrap_err());
    assert!(error.contains("numpy.ma.MaskedArray"), "{error}");
    assert_eq!(<Vec<i64> as object::FromPyObject>::from_object(&items[1]).unwrap(), [1, 2]);
}

/// The files that NumPy's own tests load (`numpy/lib/tests/data`).
#[test]
fn object_arrays_of_numpys_own_tests_are_read() {
    let options = ObjectOptions::new().encoding(Encoding::Latin1);
    let read = |bytes: &[u8], options| object::read_with(bytes, options);
    let file = |name: &str| {
        let path = format!("{}/tests/data/numpy-tests/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    for name in ["py2-np0-objarr.npy", "py2-objarr.npy", "py3-objarr.npy"] {
        // Its second element is `range` itself.
        let error = read(&file(name), options).unwrap_err().to_string();
        assert!(error.contains("builtins.range"), "a class is no value unless asked for: {error}");
        let array =
            read(&file(name), options.unknown_globals(UnknownGlobals::Opaque)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = if name.starts_with("py2") { r"'ä¸\x8dè\x89¯'" } else { r"b'\xe4\xb8\x8d\xe8\x89\xaf'" };
        assert_eq!(array.to_string(), format!("[None <class 'range'> '優良' {text}]"), "{name}");
    }
    for name in ["py2-objarr.npz", "py3-objarr.npz"] {
        let bytes = file(name);
        let mut archive = NpzReader::from_bytes(&bytes).unwrap();
        assert_eq!(archive.names().collect::<Vec<_>>(), ["x"], "{name}");
        let objects = archive.array(0).unwrap().into_objects(options.unknown_globals(UnknownGlobals::Opaque)).unwrap();
        let text = if name.starts_with("py2") { r"'ä¸\x8dè\x89¯'" } else { r"b'\xe4\xb8\x8d\xe8\x89\xaf'" };
        assert_eq!(objects.to_string(), format!("[None <class 'range'> '優良' {text}]"), "{name}");
    }
}

/// `[np.zeros(2, float8_e4m3fn), np.zeros(2, float8_e4m3fn)[0]]` of `ml_dtypes`, and of its other types.
#[test]
fn types_of_ml_dtypes_are_read_as_their_bytes() {
    let text = |text: &str| [b"\x8c", &[u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat();
    for (name, size, descr) in [
        ("float8_e4m3fn", 1, "float8_e4m3fn"),
        ("int4", 1, "int4"),
        ("bfloat16", 2, "<V2"),
        ("float8_e5m2", 1, "<f1"),
        ("complex32", 4, "<W4"),
    ] {
        let header = format!("{:<69}\n", "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }");
        let mut file = [b"\x93NUMPY\x01\0F\0", header.as_bytes()].concat();
        let array = b"cnumpy._core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R(K\x01K\x01\x85";
        file.extend([b"\x80\x05", &array[..], b"cnumpy\ndtype\n", &text("O8"), b"\x89\x88\x87R(K\x03", &text("|")].concat());
        file.extend(b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](");
        let scalar = format!("cnumpy._core.multiarray\nscalar\ncnumpy\ndtype\ncml_dtypes\n{name}\n");
        file.extend([scalar.as_bytes(), b"\x89\x88\x87R(K\x03", &text("<"), b"NNNK", &[size], b"K", &[size], b"K@tbC"].concat());
        file.extend([&[size][..], &[0x41, 0, 0, 0][..usize::from(size)], b"\x86Retb."].concat());
        let array = object::read(&file[..]).unwrap_or_else(|error| panic!("{name}: {error}"));
        let PyObject::Scalar(scalar) = &array.items()[0] else { panic!("{name}: {array}") };
        assert_eq!((scalar.dtype().to_string(), scalar.bytes()[0]), (descr.to_owned(), 0x41), "{name}");
    }
}
