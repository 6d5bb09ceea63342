//! Pickles that differ in one place from what Python writes.

use npy_core::object::{self, ObjectArray, PyObject};

use crate::support::file_with_header;

const HEADER: &[u8] = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n";

/// The dtype `O` and the item 7, in protocol 0.
const PICKLE: &str = "cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1\nt\
    cnumpy\ndtype\n(VO8\nI00\nI01\ntR(I3\nV|\nNNNI-1\nI-1\nI63\ntbI00\n(lI7\natb.";

/// A scalar of the dtype `S2`.
const BYTES: &str = "cnumpy._core.multiarray\nscalar\n(cnumpy\ndtype\n(VS2\nI00\nI01\ntR(I3\nV|\nNNNI2\nI1\nI0\ntbS'ab'\ntR";

/// Reads the pickle with another text in one place.
fn read(from: &str, to: &str) -> npy_core::Result<ObjectArray> {
    assert_eq!(PICKLE.matches(from).count(), 1, "{from:?}");
    object::read(&file_with_header(1, HEADER, PICKLE.replace(from, to).as_bytes())[..])
}

#[test]
fn rejects_what_numpy_rejects_in_arrays_and_dtypes() {
    assert_eq!(read("I7", "I7").unwrap().items(), [PyObject::from(7)]);
    let bytes = BYTES.replace("I2\nI1", "I3\nI1");
    let cases = [
        ("(I0\ntS'b'", "(I2\ntS'b'"),
        ("tS'b'\n", "tS'O'\n"),
        ("I00\nI01\ntR", "I00\nVx\ntR"),
        ("I00\nI01\ntR", "I00\nI01\nI01\ntR"),
        ("(I3\nV|", "(I9\nV|"),
        ("(I3\nV|", "(Vx\nV|"),
        ("(I3\nV|", "(I3\nV?"),
        ("NNNI-1", "N)NI-1"),
        ("NNNI-1", "NN}I-1"),
        ("NNNI-1", "I1\nNNI-1"),
        ("NNNI-1\n", "NNNN"),
        ("I-1\nI63", "NI63"),
        // The data are a list of counted objects, which the flags do not say.
        ("I63", "I61"),
        ("I63", "I62"),
        ("VO8", "VO9"),
        ("I7\n", "ccopyreg\n_reconstructor\n(cuuid\nUUID\nc__builtin__\nrange\nNtR(dVint\nI7\nsb"),
        // The constructor without an argument, and with one that is ignored.
        ("I7\n", "cuuid\nUUID\n(tR(dVint\nI7\nsb"),
        ("I7\n", "cuuid\nUUID\n(I7\ntR(dVint\nI7\nsb"),
        // A size that is not that of `S2`.
        ("I7\n", &bytes),
    ];
    for (from, to) in cases {
        let error = read(from, to).unwrap_err();
        let is_invalid = error.to_string().contains(": invalid arguments of ");
        assert!(is_invalid, "{to:?}: {error}");
    }
    assert_eq!(read("I7\n", BYTES).unwrap().items()[0].to_string(), "np.bytes_(b'ab')");
}

/// `NEWOBJ` makes an object of a class.
#[test]
fn functions_are_not_classes() {
    let mut pickle = PICKLE.as_bytes().to_vec();
    let call = PICKLE.find("R(I1").unwrap();
    pickle[call] = 0x81;
    let error = object::read(&file_with_header(1, HEADER, &pickle)[..]).unwrap_err();
    let is_refused = error.to_string().ends_with("expected a class, found the function _reconstruct");
    assert!(is_refused, "{error}");
}

#[test]
fn escapes_follow_an_odd_number_of_backslashes() {
    for (text, expected) in [("\\u0041", "A"), ("\\\\u0041", "\\\\u0041"), ("\\\\\\u0041", "\\\\A"), ("a\\", "a\\")] {
        assert_eq!(read("I7", &format!("V{text}")).unwrap().items(), [PyObject::from(expected)], "{text}");
    }
}

#[test]
fn floats_are_spelled_as_python_takes_them() {
    for (text, expected) in [("1.5", "1.5"), ("-inf", "-inf"), ("nan", "nan"), ("1e-400", "0.0")] {
        assert_eq!(read("I7", &format!("F{text}")).unwrap().items()[0].to_string(), expected);
    }
    for text in [" 1.5", "1.5 ", "1e400", "-1e400", "1_0", ""] {
        let error = read("I7", &format!("F{text}")).unwrap_err();
        let is_invalid = error.to_string().contains(": invalid float ");
        assert!(is_invalid, "{text:?}: {error}");
    }
}

/// `INT` is a `bool` if its line has two characters and the value 0 or 1.
#[test]
fn ints_of_two_characters_are_bools_as_in_python() {
    let cases = [("00", "False"), ("01", "True"), ("-0", "False"), ("+1", "True"), ("1", "1"), ("001", "1"), ("02", "2")];
    for (text, expected) in cases {
        assert_eq!(read("I7", &format!("I{text}")).unwrap().items()[0].to_string(), expected, "{text}");
    }
}

#[test]
fn items_of_a_string_dtype_are_texts() {
    let dtype = "cnumpy\ndtype\n(VO8\nI00\nI01\ntR(I3\nV|\nNNNI-1\nI-1\nI63\ntbI00\n(lI7\n";
    let string = |arguments: &str, item: &str| {
        read(dtype, &format!("cnumpy._core._internal\n_convert_to_stringdtype_kwargs\n({arguments}tRI00\n(l{item}"))
    };
    assert_eq!(string("I01\n", "Va\n").unwrap().to_vec::<String>().unwrap(), ["a"]);
    assert_eq!(string("I01\nN", "N").unwrap().items(), [PyObject::None]);
    for (arguments, item) in [("I01\n", "I7\n"), ("I01\n", "N"), ("I01\nN", "F0.5\n")] {
        let error = string(arguments, item).unwrap_err();
        assert!(error.to_string().contains("texts"), "{error}");
    }
}
