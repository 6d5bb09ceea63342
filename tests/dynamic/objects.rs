//! Python objects in arrays whose dtype is known at run time: opt-in, and printed as by NumPy.

use std::collections::BTreeMap;
use std::fs;

use ndarray::{Array1, Array2, ArrayD, array};
use npy_core::ErrorKind;
use npy_core::object::{ObjectArray, ObjectOptions, PyObject, UnknownGlobals};
use npy_ndarray::{DynArray, NpzArchive, NpzReader, NpzWriter, ReadOptions};

use crate::support::numpy::{frames, numpy, push_frame};
use crate::support::{announce, as_little_endian, data, files_below, scratch};

fn allowed() -> ReadOptions {
    ReadOptions::new().objects(ObjectOptions::new())
}

/// Prints a frame for each file that comes as one: its text, or nothing where NumPy has none.
const PRINT: &str = r#"
import io, struct, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
while head := sys.stdin.buffer.read(4):
    file = sys.stdin.buffer.read(struct.unpack("<I", head)[0])
    try:
        text = str(np.load(io.BytesIO(file), allow_pickle=True)).encode()
    except Exception:
        text = b""
    sys.stdout.buffer.write(struct.pack("<I", len(text)) + text)
"#;

#[test]
fn golden_object_files_open_and_print_as_in_numpy() {
    let Some(numpy) = numpy("golden_object_files_open_and_print_as_in_numpy") else { return };
    let mut arrays = Vec::new();
    let mut input = Vec::new();
    for path in files_below(&data(""), ".npy") {
        let bytes = fs::read(&path).unwrap();
        let refused = DynArray::read_npy(&bytes[..]);
        if refused.is_err_and(|error| error.kind() == ErrorKind::ObjectArray)
            && let Ok(array) = DynArray::load_npy_with(&path, allowed())
        {
            push_frame(&mut input, &bytes);
            arrays.push((path, array));
        }
    }
    let output = numpy.run(["-c", PRINT], &input);
    let (mut same, mut unprinted, mut differences) = (0, 0, Vec::new());
    for ((path, array), expected) in arrays.iter().zip(frames(&output)) {
        let file = path.display();
        assert!(matches!(array, DynArray::Object(_)), "{file}");
        let (printed, expected) = (array.to_string(), String::from_utf8_lossy(expected));
        if printed == expected {
            same += 1;
        } else if expected.is_empty() {
            unprinted += 1;
        } else {
            differences.push(format!("{file}\n{printed}\n{expected}"));
        }
    }
    announce(&format!("object arrays: {same} printed as NumPy prints them, {unprinted} that it does not load"));
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n\n"));
    assert!(same > 60);
}

#[test]
fn objects_are_read_if_asked_for() {
    let path = scratch("objects.npy");
    let objects = ObjectArray::new(&[2, 2], vec![1.5.into(), PyObject::None, 2.into(), 3.25.into()]).unwrap();
    objects.save(&path).unwrap();

    let refused = DynArray::load_npy(&path).unwrap_err();
    assert!(refused.to_string().contains("`ReadOptions::objects`"), "{refused}");
    let array = DynArray::load_npy_with(&path, allowed()).unwrap();
    assert_eq!((array.dtype().to_string().as_str(), array.shape(), array.len()), ("|O", &[2, 2][..], 4));
    assert_eq!(array.to_string(), "[[1.5 None]\n [2 3.25]]");

    let numbers = array![[Some(1.5), None], [Some(2.0), Some(3.25)]];
    assert_eq!(array.clone().into::<Array2<Option<f64>>>().unwrap(), numbers);
    assert_eq!(array.objects_as::<Option<f64>>().unwrap(), numbers.into_dyn());
    let error = array.clone().into::<ArrayD<f64>>().unwrap_err().to_string();
    assert!(error.contains("element 1"), "{error}");
    assert!(array.clone().into::<Array1<f64>>().unwrap_err().kind() == ErrorKind::WrongShape);
    let error = array.cast::<f64>().unwrap_err().to_string();
    assert!(error.contains("`objects_as`"), "{error}");
    let advice = "`objects_as` takes more types, `deserialize` all (feature `serde`)";
    let error = array.view::<f64>().unwrap_err().to_string();
    assert_eq!(error, format!("cannot convert Python objects to f64; {advice}"));
    assert!(array.to_values().unwrap_err().to_string().contains("cannot convert Python objects to DynValues"));
    assert!(
        array
            .clone()
            .into::<ArrayD<npy_core::types::Void>>()
            .unwrap_err()
            .to_string()
            .contains("cannot convert Python objects to Void")
    );
    assert!(array.field("x").is_err());

    let mut file = Vec::new();
    array.write_npy(&mut file).unwrap();
    assert_eq!(file, fs::read(&path).unwrap());
    assert!(DynArray::from(array![1]).objects_as::<i64>().is_err());
}

#[test]
fn objects_in_archives() {
    let path = scratch("objects.npz");
    let mut archive = NpzWriter::create_compressed(&path).unwrap();
    archive.add_array("names", &DynArray::from(ObjectArray::from(vec!["a", "b"]))).unwrap();
    archive.add_array("numbers", &array![1, 2]).unwrap();
    archive.finish().unwrap();

    let mut archive = NpzReader::open(&path).unwrap();
    assert!(archive.dynamic("names").unwrap_err().kind() == ErrorKind::ObjectArray);
    let names = archive.dynamic_with("names", allowed()).unwrap();
    assert_eq!(names.into::<Array1<String>>().unwrap(), array!["a", "b"]);
    assert!(matches!(archive.dynamic_with("numbers", allowed()).unwrap(), DynArray::Int32(_)));

    // All of it, as it was saved.
    assert!(BTreeMap::<String, DynArray>::load_npz(&path).is_err());
    let options = ReadOptions::new().objects(ObjectOptions::new());
    let arrays = BTreeMap::<String, DynArray>::load_npz_with(&path, options).unwrap();
    assert_eq!(arrays["names"].to_string(), "['a' 'b']");
    arrays.save_npz(&path).unwrap();
    assert_eq!(BTreeMap::<String, DynArray>::load_npz_with(&path, options).unwrap(), arrays);
}

#[test]
fn long_arrays_of_objects_are_printed_by_their_ends() {
    let items: Vec<PyObject> = (0..3000).map(|i| format!("{i}").as_str().into()).collect();
    let array = DynArray::from(ObjectArray::new(&[30, 100], items).unwrap());
    let text = array.to_string();
    assert!(text.starts_with("[['0' '1' '2' ... '97' '98' '99']\n ['100' "), "{text}");
    assert!(text.ends_with(" ['2900' '2901' '2902' ... '2997' '2998' '2999']]"), "{text}");
}

#[test]
fn unknown_globals_can_be_opaque() {
    // What `pickle.dumps(os.system)` has, in an array of one object.
    let pickle = b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01K\x01\x85cnumpy\ndtype\n\
        U\x02O8K\0K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]cposix\nsystem\natb.";
    let header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n";
    let file = crate::support::file_with_header(1, header, pickle);
    let error = DynArray::read_npy_with(&file[..], allowed()).unwrap_err().to_string();
    assert!(error.contains("posix.system"), "{error}");
    let options = ReadOptions::new().objects(ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque));
    let array = DynArray::read_npy_with(&file[..], options).unwrap();
    let DynArray::Object(objects) = &array else { panic!("no objects") };
    assert!(matches!(&objects.items()[0], PyObject::Opaque(opaque) if opaque.name == "system"));
}

#[test]
fn fields_of_records_with_objects() {
    let Some(numpy) = numpy("fields_of_records_with_objects") else { return };
    let program = "import numpy as np, sys; a = np.array([(1, 'x', (0.5,)), (2, None, (1.5,))], dtype=[('id', '<i4'), ('tag', 'O'), ('p', [('x', '<f8')])]); \
                   np.save(sys.stdout.buffer, a)";
    let file = numpy.run(["-c", program], b"");
    let array = DynArray::read_npy_with(&file[..], allowed()).unwrap();
    assert_eq!(as_little_endian(array.dtype()), "[('id', '<i4'), ('tag', '|O'), ('p', [('x', '<f8')])]");
    assert_eq!(array.field("tag").unwrap().to_string(), "['x' None]");
    assert_eq!(array.field_as::<i32>("id").unwrap(), array![1, 2].into_dyn());
    assert_eq!(array.field_as::<f64>("p.x").unwrap(), array![0.5, 1.5].into_dyn());
    let tags = array.field_as::<Option<String>>("tag").unwrap();
    assert_eq!(tags, array![Some("x".to_owned()), None].into_dyn());
    let error = array.field("p.y").unwrap_err().to_string();
    assert_eq!(error, r#"unknown field "p.y": "p" has x"#);
}

/// The axes of sub-arrays of records become the last ones, as for arrays without objects.
#[test]
fn fields_of_records_with_objects_in_sub_arrays() {
    let Some(numpy) = numpy("fields_of_records_with_objects_in_sub_arrays") else { return };
    let program = "import numpy as np, sys; a = np.zeros((2, 2), [('id', 'i4'), ('n', [('w', '<i2'), ('o.p', 'O')], (3,))], order='F'); \
                   a['n']['o.p'] = np.arange(12).reshape(2, 2, 3); a['n']['w'] = a['n']['o.p'] + 100; np.save(sys.stdout.buffer, a)";
    let file = numpy.run(["-c", program], b"");
    let array = npy_core::object::read(&file[..]).unwrap();
    let field = array.field("n.o.p").unwrap();
    assert_eq!((field.shape(), field.to_vec::<i64>().unwrap()), (&[2, 2, 3][..], (0..12).collect()));
    assert_eq!(array.field("n.w").unwrap().to_vec::<i64>().unwrap(), (100..112).collect::<Vec<_>>());
    assert_eq!(array.field("n.q").unwrap_err().to_string(), r#"unknown field "n.q": "n" has w, o.p"#);
}
