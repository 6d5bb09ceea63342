//! Many files of one directory: `Folder`.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use ndarray::{Array2, ArrayD, array};
use npy_core::{Error, ErrorKind, Folder, Limits, Order, ReadOptions, Result};
use npy_ndarray::{DynArray, NpyReadOptions, ReadNpyExt, WriteNpyExt, load_npy_from_into};

use crate::support::numpy::numpy;

/// What an error says, and of which file.
fn said<T: std::fmt::Debug>(result: Result<T>) -> (String, Option<std::path::PathBuf>) {
    let error: Error = result.unwrap_err();
    (format!("{error}"), error.path().map(Path::to_owned))
}

#[test]
fn all_ways_to_read_a_file() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path();
    npy_core::save(path.join("samples.npy"), &[1.5_f32, 2.5]).unwrap();
    array![[1_u8, 2], [3, 4]].save_npy(path.join("matrix.npy")).unwrap();
    let large: Vec<u64> = (0..1 << 20).collect();
    npy_core::save(path.join("large.npy"), &large).unwrap();

    let folder = Folder::open(path).unwrap();
    assert_eq!(folder.path(), path);
    assert_eq!(folder.load::<f32>("samples.npy").unwrap(), [1.5, 2.5]);
    let mut items = vec![7_u64; 3];
    for threads in [1, 2] {
        assert!(folder.load_with::<u64>("large.npy", ReadOptions::new().threads(threads)).unwrap() == large);
        folder.load_into("large.npy", &mut items).unwrap();
        assert!(items == large);
    }
    let mut reader = folder.reader("large.npy").unwrap();
    let mut first = [0_u64; 2];
    reader.read_into(&mut first).unwrap();
    reader.seek_to(1 << 19).unwrap();
    assert!(first == [0, 1] && reader.into_vec::<u64>().unwrap() == large[1 << 19..]);

    let matrix = Array2::<u8>::load_npy_from(&folder, "matrix.npy").unwrap();
    assert_eq!(matrix, array![[1, 2], [3, 4]]);
    let fortran = ArrayD::<u8>::load_npy_from_with(&folder, "matrix.npy", NpyReadOptions::new().order(Order::Fortran)).unwrap();
    assert_eq!((fortran.strides(), fortran.view()), (&[1, 2][..], matrix.view().into_dyn()));
    let mut over = Array2::<u8>::zeros((2, 2));
    load_npy_from_into(&folder, "matrix.npy", &mut over).unwrap();
    assert_eq!(over, matrix);
    assert_eq!(DynArray::load_npy_from(&folder, "matrix.npy").unwrap().into::<Array2<u8>>().unwrap(), matrix);
}

/// NumPy writes the files; each is read by its path and from its directory.
#[test]
fn files_of_numpy_read_the_same_either_way() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path();
    let Some(numpy) = numpy("files_of_numpy_read_the_same_either_way") else { return };
    let script = "import sys, numpy\nfor i in range(200):\n    numpy.save(f'{sys.argv[1]}/{i:05}.npy', numpy.arange(i * 100, dtype='<>'[i % 2] + 'i4'))";
    numpy.run([OsStr::new("-c"), OsStr::new(script), path.as_os_str()], b"");
    let folder = Folder::open(path).unwrap();
    // Two threads share it.
    std::thread::scope(|scope| {
        for part in 0..2 {
            let folder = &folder;
            scope.spawn(move || {
                let mut items: Vec<i32> = Vec::new();
                for i in (part..200).step_by(2) {
                    let name = format!("{i:05}.npy");
                    folder.load_into(&name, &mut items).unwrap();
                    assert_eq!(items, (0..i * 100).collect::<Vec<i32>>());
                    assert_eq!(folder.load::<i32>(&name).unwrap(), npy_core::load::<i32>(folder.path().join(&name)).unwrap());
                }
            });
        }
    });
}

#[test]
fn errors_are_those_of_the_whole_path() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path();
    fs::create_dir(path.join("within")).unwrap();
    npy_core::save(path.join("samples.npy"), &[1.5_f32, 2.5]).unwrap();
    let file = fs::read(path.join("samples.npy")).unwrap();
    let hostile: [(&str, &[u8]); 6] = [
        ("empty.npy", b""),
        ("other.npy", b"PK\x03\x04 and so on"),
        ("cut_header.npy", &file[..60]),
        ("cut.npy", &file[..file.len() - 1]),
        ("claims.npy", b"\x93NUMPY\x01\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387,), }\n"),
        ("version.npy", b"\x93NUMPY\x09\0\x46\0{"),
    ];
    for (name, bytes) in hostile {
        fs::write(path.join(name), bytes).unwrap();
    }
    let folder = Folder::open(path).unwrap();
    let mut items = vec![0_f32];
    let names = hostile.iter().map(|(name, _)| *name);
    for name in names.chain(["missing.npy", "within", "samples.npy/more", "nul\0.npy", &"long".repeat(100), &"n\0".repeat(300)]) {
        let whole = path.join(name);
        let by_path = said(npy_core::load::<f32>(&whole));
        assert_eq!(by_path.1.as_deref(), Some(&*whole), "{name}");
        assert_eq!(said(folder.load::<f32>(name)), by_path, "{name}");
        items.push(1.0);
        assert_eq!(said(folder.load_into(name, &mut items)), by_path, "{name}");
        assert!(items.is_empty(), "{name}");
        assert_eq!(said(ArrayD::<f32>::load_npy_from(&folder, name)), said(ArrayD::<f32>::load_npy(&whole)), "{name}");
        assert_eq!(said(DynArray::load_npy_from(&folder, name)), said(DynArray::load_npy(&whole)), "{name}");
        let read = |reader: Result<npy_core::NpyReader<_>>| {
            reader.and_then(npy_core::NpyReader::into_vec::<f32>).map_err(|error| error.with_path(&whole))
        };
        assert_eq!(said(read(folder.reader(name))), said(read(npy_core::NpyReader::open(&whole))), "{name}");
    }
    let limits = Limits::new().data_bytes(7);
    assert!(matches!(folder.load_with::<f32>("samples.npy", limits).unwrap_err().kind(), ErrorKind::LimitExceeded { .. }));
    assert!(matches!(folder.reader_with("samples.npy", limits).unwrap_err().kind(), ErrorKind::LimitExceeded { .. }));
    assert!(matches!(folder.load::<f32>("").unwrap_err().kind(), ErrorKind::Io { .. }));
    for wrong in ["missing", "samples.npy", "samples.npy/more", "nul\0"] {
        let error = Folder::open(path.join(wrong)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Io { action: "cannot open the directory", .. }), "{error}");
        assert_eq!(error.path(), Some(&*path.join(wrong)));
    }
}

#[test]
fn names_are_joined_as_paths_are() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path();
    fs::create_dir_all(path.join("a/b")).unwrap();
    let whole = path.join("a/samples.npy");
    npy_core::save(&whole, &[1_u8, 2]).unwrap();
    let within = format!("{}b/../samples.npy", "./".repeat(200));
    for (begin, name) in
        [("", "a/samples.npy"), ("a/b", "../samples.npy"), ("a/b", whole.to_str().unwrap()), ("a", within.as_str())]
    {
        let folder = Folder::open(path.join(begin)).unwrap();
        assert_eq!(folder.load::<u8>(name).unwrap(), npy_core::load::<u8>(path.join(begin).join(name)).unwrap());
    }
}

/// It stays the directory that was opened, and files are found that came later.
#[cfg(unix)]
#[test]
fn a_folder_may_be_renamed() {
    let temporary = tempfile::tempdir().unwrap();
    let [before, after] = ["before", "after"].map(|name| temporary.path().join(name));
    fs::create_dir(&before).unwrap();
    let folder = Folder::open(&before).unwrap();
    fs::rename(&before, &after).unwrap();
    npy_core::save(after.join("samples.npy"), &[1_u8, 2]).unwrap();
    assert_eq!(folder.load::<u8>("samples.npy").unwrap(), [1, 2]);
    assert_eq!(folder.load::<u8>("missing.npy").unwrap_err().path(), Some(&*before.join("missing.npy")));
}
