//! Object arrays written by real versions of NumPy.

use std::fs;
use std::path::PathBuf;

use npy_core::object::{self, Encoding, ObjectArray, ObjectOptions, PyObject};
use npy_core::{DType, Order};

use crate::support::{announce, data};

/// The directories of all versions of NumPy of which there are files.
fn versions() -> Vec<PathBuf> {
    let directories = fs::read_dir(data("")).unwrap().map(|entry| entry.unwrap().path());
    let mut directories: Vec<_> = directories.filter(|path| path.join("object.npy").exists()).collect();
    directories.sort();
    directories
}

fn repr(array: &ObjectArray) -> Vec<String> {
    array.items().iter().map(PyObject::to_string).collect()
}

#[test]
fn files_of_every_numpy_are_read() {
    let versions = versions();
    for directory in &versions {
        let load = |name: &str| object::load(directory.join(name)).unwrap();
        let is_python_2 = directory.to_str().unwrap().contains("py2");
        let array = load("object.npy");
        assert_eq!((array.shape(), array.order(), array.dtype().to_string()), ([3].as_slice(), Order::C, "|O".to_owned()));
        assert_eq!(repr(&array), ["1", "None", "'x'"], "{directory:?}");
        let array = load("object_2d_fortran.npy");
        assert_eq!((array.shape(), array.order()), ([2, 2].as_slice(), Order::Fortran), "{directory:?}");
        // The objects come in the order C all the same. In Python 2, `b"b"` is a text.
        assert_eq!(repr(&array), ["1", "2.5", if is_python_2 { "'b'" } else { "b'b'" }, "True"], "{directory:?}");
        let options = ObjectOptions::new().encoding(Encoding::Bytes);
        let array = object::load_with(directory.join("object_2d_fortran.npy"), options).unwrap();
        assert_eq!(repr(&array)[2], "b'b'", "{directory:?}");
        let array = load("object_0d.npy");
        assert_eq!((array.shape().len(), repr(&array)), (0, vec!["None".to_owned()]), "{directory:?}");
        let array = load("object_empty.npy");
        assert_eq!((array.shape(), array.items().len()), ([0].as_slice(), 0), "{directory:?}");
        let array = load("object_record.npy");
        assert_eq!(array.dtype(), &"[('a', '<i4'), ('o', '|O')]".parse::<DType>().unwrap(), "{directory:?}");
        assert_eq!(repr(&array), ["(1, None)", "(2, 'x')"], "{directory:?}");
        let path = directory.join("object_string_dtype.npy");
        if path.exists() {
            let array = object::load(path).unwrap();
            assert_eq!(array.to_vec::<String>().unwrap(), ["a", "long enough for the heap"]);
            let dtype = array.string_dtype().unwrap();
            assert_eq!((dtype.coerce(), dtype.na_object()), (true, None));
        }
    }
    announce(&format!("golden files of objects: those of {} versions of NumPy read", versions.len()));
    assert!(versions.len() >= 13);
}

#[test]
fn files_of_numpy_are_written_again_byte_for_byte() {
    let mut count = 0;
    for directory in versions() {
        // Older ones wrote pickles of protocol 3.
        if !directory.file_name().unwrap().to_str().unwrap().starts_with("numpy-2.") {
            continue;
        }
        for name in ["object", "object_2d_fortran", "object_0d", "object_empty", "object_string_dtype"] {
            let path = directory.join(format!("{name}.npy"));
            let Ok(bytes) = fs::read(&path) else { continue };
            let mut written = Vec::new();
            object::load(&path).unwrap().write(&mut written).unwrap();
            assert_eq!(written.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{path:?}");
            count += 1;
        }
    }
    announce(&format!("golden files of objects: {count} written again byte for byte"));
    assert!(count >= 20);
}
