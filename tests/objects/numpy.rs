//! Arrays of Python objects, against the real Python and NumPy.

use std::io::Cursor;

use npy_core::NpyReader;
use npy_core::npz::{NpzReader, NpzStream};
use npy_core::object::{self, ObjectArray, ObjectOptions};

use crate::support::announce;
use crate::support::numpy::{frames, numpy, old_numpy, push_frame};
use crate::support::objects::dump;

/// Reads a file in all ways there are.
fn read(file: &[u8], options: ObjectOptions) -> ObjectArray {
    let mut stream = std::io::BufReader::with_capacity(7, file);
    let array = object::read_with(&mut stream, options).unwrap();
    assert_eq!(dump(&NpyReader::from_bytes(file).unwrap().into_objects(options).unwrap()), dump(&array));
    let rest = [file, b"rest"].concat();
    let mut stream = &rest[..];
    object::read_with(&mut stream, options).unwrap();
    assert_eq!(stream, b"rest");
    array
}

#[test]
fn decodes_every_object_in_every_protocol_as_python() {
    let Some(numpy) = numpy("decodes_every_object_in_every_protocol_as_python") else { return };
    let stream = numpy.run(["objects.py", "write"], b"");
    let frames = frames(&stream);
    let (about, cases) = frames.split_first().unwrap();
    let (mut count, mut identical, mut written, mut expected, mut differences) = (0, 0, Vec::new(), Vec::new(), Vec::new());
    for case in cases.chunks_exact(3) {
        let [name, file, values] = case else { unreachable!() };
        let (name, values) = (std::str::from_utf8(name).unwrap(), std::str::from_utf8(values).unwrap());
        let array = std::panic::catch_unwind(|| read(file, ObjectOptions::new())).unwrap_or_else(|_| panic!("{name}"));
        if dump(&array) != values {
            let read = dump(&array);
            let same = read.bytes().zip(values.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(100);
            differences.push(format!("{name}\n  read: {:.300}\nPython: {:.300}", &read[same..], &values[same..]));
        }
        count += 1;
        if name.contains("protocol") {
            continue;
        }
        let mut again = Vec::new();
        array.write(&mut again).unwrap_or_else(|error| panic!("{name}: {error}"));
        identical += usize::from(again == **file);
        assert_eq!(dump(&read(&again, ObjectOptions::new())), dump(&array), "{name} written and read again");
        push_frame(&mut written, &again);
        expected.push((name, values));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let printed = numpy.run(["objects.py", "read"], &written);
    let printed = crate::support::numpy::frames(&printed);
    assert_eq!(printed.len(), expected.len());
    for (values, (name, expected)) in printed.iter().zip(&expected) {
        assert_eq!(std::str::from_utf8(values).unwrap(), *expected, "{name}, read by NumPy");
    }
    announce(&format!(
        "objects of {}: {count} pickles read, {} written, {identical} of them as NumPy does, byte for byte",
        String::from_utf8_lossy(about),
        expected.len()
    ));
    assert!(count > 2_000 && expected.len() > 150 && identical > 100, "{identical}");
}

#[test]
fn written_files_open_in_numpy_1_26() {
    let (Some(numpy), Some(old)) = (numpy("written_files_open_in_numpy_1_26"), old_numpy("written_files_open_in_numpy_1_26"))
    else {
        return;
    };
    let stream = numpy.run(["objects.py", "write"], b"");
    let (mut written, mut expected) = (Vec::new(), Vec::new());
    for case in frames(&stream)[1..].chunks_exact(3) {
        let [name, file, _] = case else { unreachable!() };
        let name = std::str::from_utf8(name).unwrap();
        // NumPy 1 has no such strings.
        if name.contains("protocol") || name.contains("strings") {
            continue;
        }
        let array = object::read(*file).unwrap();
        let mut again = Vec::new();
        array.write(&mut again).unwrap();
        push_frame(&mut written, &again);
        expected.push((name, array));
    }
    // Read by NumPy 1, then saved by it, and read again.
    let printed = old.run(["-W", "error", "objects.py", "save"], &written);
    let printed = frames(&printed);
    assert_eq!(printed.len(), expected.len());
    for (file, (name, array)) in printed.iter().zip(&expected) {
        // Protocol 3, which NumPy 1 saves in, has no fold of a time.
        let without_fold = |array| dump(array).replace("fold=1, ", "").replace(", fold=1", "");
        assert_eq!(without_fold(&read(file, ObjectOptions::new())), without_fold(array), "{name}");
    }
    announce(&format!("objects: {} files opened by NumPy 1.26, and what it saves read again", expected.len()));
    assert!(expected.len() > 150);
}

#[test]
fn members_of_archives_are_read_too() {
    let Some(numpy) = numpy("members_of_archives_are_read_too") else { return };
    for save in ["savez", "savez_compressed"] {
        let program = format!(
            "import io, sys, numpy as np\nfile = io.BytesIO()\n\
             np.{save}(file, a=np.array([1, None, 'x' * 100000], 'O'), b=np.arange(3.0), c=np.array([{{'k': [1]}}], 'O'))\n\
             sys.stdout.buffer.write(file.getvalue())"
        );
        let archive = numpy.run(["-c", &program], b"");
        let mut reader = NpzReader::new(Cursor::new(&archive)).unwrap();
        for _ in 0..2 {
            let array = reader.array(0).unwrap().into_objects(ObjectOptions::new()).unwrap();
            assert_eq!(array.items()[2].to_string().len(), 100_002);
            assert_eq!(reader.by_name::<f64>("b").unwrap(), [0.0, 1.0, 2.0]);
            let array = reader.array(2).unwrap().into_objects(ObjectOptions::new()).unwrap();
            assert_eq!(array.items()[0].to_string(), "{'k': [1]}");
        }
        assert!(reader.by_name::<String>("a").unwrap_err().kind() == npy_core::ErrorKind::ObjectArray);
        // A checksum that is wrong is seen after the pickle.
        let at = archive.windows(5).position(|window| window == b"xxxxx");
        if let Some(at) = at {
            let mut broken = archive.clone();
            broken[at + 50] = b'y';
            let mut reader = NpzReader::new(Cursor::new(&broken)).unwrap();
            let error = reader.array(0).unwrap().into_objects(ObjectOptions::new()).unwrap_err();
            assert!(error.to_string().contains("wrong checksum: expected 0x"), "{error}");
        }
        // From a stream that cannot be gone back in.
        let mut stream = NpzStream::new(&archive[..]);
        let mut found = Vec::new();
        while let Some(mut member) = stream.next().unwrap() {
            found.push(match member.name() {
                "b" => member.array().unwrap().into_vec::<f64>().unwrap().len(),
                _ => member.array().unwrap().into_objects(ObjectOptions::new()).unwrap().items().len(),
            });
        }
        assert_eq!(found, [3, 3, 1]);
    }
}
