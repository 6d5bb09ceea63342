//! Hostile pickles: each is rejected for the right reason, in bounded time and memory.

use std::fs;
use std::io::Cursor;
use std::time::{Duration, Instant};

use npy_core::dtype::Record;
use npy_core::npz::{NpzReader, NpzStream, WriteOptions};
use npy_core::object::{self, Encoding, ObjectArray, ObjectOptions, PyObject, UnknownGlobals, Visitor};
use npy_core::{DType, DynValues, Error, ErrorKind, Limits, NpyElement, NpyReader, Order};
use npy_ndarray::{DynArray, ReadOptions};

use crate::peak::with_peak;
use crate::support::archives::writer_with;
use crate::support::numpy::numpy;
use crate::support::streams::Counting;
use crate::support::{announce, as_little_endian, data, file_with_header, files_below, from_hex, rounds, scratch, some, written};

const HEADER: &[u8] = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n";

fn file(pickle: &[u8]) -> Vec<u8> {
    file_with_header(1, HEADER, pickle)
}

/// Makes handles of nothing, which share objects.
struct Handles;

impl Visitor for Handles {
    type Value = ();

    const SHARES: bool = true;

    fn unexpected(&mut self, _: &'static str) -> npy_core::Result<()> {
        Ok(())
    }
}

/// Reads a pickle in every way there is, which must have the same result and take little.
fn read(pickle: &[u8], options: ObjectOptions) -> Result<ObjectArray, Error> {
    let file = file(pickle);
    // The header's text takes some, and the error says where it is.
    let bound = 64 * 1024 + 64 * pickle.len();
    let began = Instant::now();
    let (from_bytes, peak) = with_peak(|| NpyReader::from_bytes(&file).unwrap().into_objects(options));
    assert!(peak < bound, "{peak} bytes were allocated for a pickle of {}", pickle.len());
    let (from_stream, peak) = with_peak(|| object::read_with(&file[..], options));
    assert!(peak < bound + 128 * 1024, "{peak} bytes were allocated for a stream with a pickle of {}", pickle.len());
    let (handles, peak) = with_peak(|| NpyReader::from_bytes(&file).unwrap().visit_objects(&mut Handles, options));
    assert!(peak < bound, "{peak} bytes were allocated for the handles of a pickle of {}", pickle.len());
    assert!(handles.is_ok() || from_bytes.is_err(), "{handles:?}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?} for a pickle of {} bytes", began.elapsed(), pickle.len());
    match (&from_bytes, &from_stream) {
        (Ok(one), Ok(other)) => assert_eq!(one.shape(), other.shape()),
        // A frame that is too long is seen at another place when there is nothing behind it.
        (Err(one), Err(other)) if kind(one) != "FrameTooLong" => {
            let is_same = kind(one) == kind(other) || kind(one) == "Truncated" || kind(other) == "Truncated";
            assert!(is_same, "{one} from memory, and {other} from a stream");
        }
        (Err(_), Err(_)) => {}
        _ => panic!("{from_bytes:?} from memory, and {from_stream:?} from a stream"),
    }
    from_bytes
}

/// Each kind of fault, and what its message says. The first that fits counts.
const FAULTS: &[(&str, &str)] = &[
    ("Truncated", "truncated file: "),
    ("UnknownOpcode", "unknown opcode "),
    ("RefusedOpcode", " refers to data outside of the file"),
    ("UnsupportedProtocol", "unknown protocol "),
    ("UnknownGlobal", "unknown global "),
    ("NotCallable", ": expected a class or a function, found "),
    ("NotCallable", ": expected a class, found the function "),
    ("NotCallable", "unsupported call of "),
    ("InvalidArguments", "invalid arguments of "),
    ("StackUnderflow", ": stack underflow"),
    ("NoMark", ": missing mark"),
    ("NoMemo", "unknown memo index "),
    ("InvalidNumber", "invalid integer "),
    ("InvalidNumber", "invalid float "),
    ("InvalidNumber", "invalid memo index "),
    ("InvalidLength", "invalid length "),
    ("InvalidArray", "invalid array: "),
    ("NotUtf8", "invalid UTF-8 or a lone surrogate at byte "),
    ("InvalidEscape", "invalid escape sequence"),
    ("NotAscii", " in a str of Python 2: expected ASCII"),
    ("Cycle", "cyclic reference: "),
    ("LimitExceeded", "limit exceeded: "),
    ("LeftOver", "expected 1 value at the end of the pickle, found "),
    ("FrameTooLong", "a frame exceeds the pickle by "),
    ("NotAnObjectArray", "expected an array of objects, found "),
    ("WrongCount", "wrong number of objects for shape "),
    ("WrongType", "opcode "),
];

/// The kind of fault that the message tells.
fn kind(error: &Error) -> String {
    let message = error.to_string();
    let fault = message.strip_prefix("unsupported pickle at byte ").and_then(|at| at.split_once(": "));
    let fault = fault.map_or(&*message, |(_, fault)| fault);
    let kind = FAULTS.iter().find(|(_, text)| fault.contains(text));
    kind.map_or(message.clone(), |(kind, _)| (*kind).to_owned())
}

/// Where the error is, counted from the beginning of the pickle.
fn offset(error: &Error) -> usize {
    usize::try_from(error.offset().unwrap_or_else(|| panic!("{error}"))).unwrap() - 10 - HEADER.len()
}

struct Case {
    name: String,
    kind: String,
    text: String,
    pickle: Vec<u8>,
}

fn corpus() -> Vec<Case> {
    let text = fs::read_to_string(data("pickles.tsv")).unwrap();
    let case = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, kind, text, hex] = columns[..] else { panic!("{line}") };
        let pickle = from_hex(hex);
        Case { name: name.to_owned(), kind: kind.to_owned(), text: text.to_owned(), pickle }
    };
    text.lines().skip(1).map(case).collect()
}

#[test]
fn the_corpus_is_refused_for_the_right_reasons() {
    let cases = corpus();
    let mut wrong = Vec::new();
    for case in &cases {
        let error = match read(&case.pickle, ObjectOptions::new().depth(100)) {
            Ok(array) => {
                wrong.push(format!("{} was taken: {:?}", case.name, array.items()));
                continue;
            }
            Err(error) => error,
        };
        if kind(&error) != case.kind || case.text != "-" && !error.to_string().contains(&case.text) {
            wrong.push(format!("{}: {} {:?} expected, and there is {}: {error}", case.name, case.kind, case.text, kind(&error)));
        }
        assert!(offset(&error) <= case.pickle.len(), "{}: {error}", case.name);
        assert!(error.to_string().len() < 400, "{error}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    announce(&format!("hostile pickles: {} refused, each for the right reason", cases.len()));
    assert!(cases.len() > 1_000);
}

#[test]
fn classes_that_are_not_known_are_opaque_if_asked_and_nothing_else_changes() {
    let options = ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque).depth(100);
    let mut opaque = 0;
    for case in corpus() {
        match read(&case.pickle, options) {
            Ok(array) => {
                // Only what was refused for its name is taken.
                assert_eq!(case.kind, "UnknownGlobal", "{}: {:?}", case.name, array.items());
                assert!(matches!(array.items(), [PyObject::Opaque(_)]), "{}: {:?}", case.name, array.items());
                let mut written = Vec::new();
                let error = array.write(&mut written).unwrap_err();
                assert_eq!(error.element(), Some(0), "{error}");
                opaque += 1;
            }
            Err(error) if case.kind != "UnknownGlobal" => assert_eq!(kind(&error), case.kind, "{}: {error}", case.name),
            Err(_) => {}
        }
    }
    assert!(opaque > 300, "{opaque}");
}

/// A small array by every protocol, made by hand.
fn small() -> Vec<u8> {
    let mut written = Vec::new();
    let items = vec![
        PyObject::from("text"),
        PyObject::from(1_i64 << 40),
        PyObject::Float(0.5),
        PyObject::List(vec![PyObject::Tuple(vec![PyObject::None, PyObject::from(&b"bytes"[..])])]),
        PyObject::Dict(vec![(PyObject::from("k"), PyObject::Bool(true))]),
        PyObject::Set(vec![PyObject::from(1)]),
    ];
    ObjectArray::from(items).write(&mut written).unwrap();
    written.split_off(128)
}

#[test]
fn every_beginning_of_a_pickle_is_refused() {
    let whole = small();
    assert!(read(&whole, ObjectOptions::new()).is_ok());
    for end in 0..whole.len() {
        let error = read(&whole[..end], ObjectOptions::new()).unwrap_err();
        assert_eq!(kind(&error), "Truncated", "{end}: {error}");
    }
}

#[test]
fn every_changed_byte_is_survived() {
    let whole = small();
    let (mut read_again, mut refused) = (0, 0);
    for at in 0..whole.len() {
        for byte in some((0..=255).cycle().skip(at % 7).take(256), 7) {
            let mut changed = whole.clone();
            changed[at] = byte;
            match NpyReader::from_bytes(&file(&changed)).unwrap().into_objects(ObjectOptions::new()) {
                Ok(array) => {
                    // Whatever it is, it can be printed, and written and read again.
                    let printed: Vec<_> = array.items().iter().map(PyObject::to_string).collect();
                    let mut written = Vec::new();
                    array.write(&mut written).unwrap();
                    let again = object::read(&written[..]).unwrap();
                    assert_eq!(again.items().iter().map(PyObject::to_string).collect::<Vec<_>>(), printed);
                    read_again += 1;
                }
                Err(error) => {
                    assert!(FAULTS.iter().any(|(name, _)| *name == kind(&error)), "{error}");
                    refused += 1;
                }
            }
        }
    }
    announce(&format!("changed bytes in a pickle: {read_again} still arrays, {refused} refused"));
    assert!(read_again > rounds(140).min(1_000) && refused > rounds(1_400).min(10_000));
}

/// A pickle that is an array of the one item.
fn array_of(item: &[u8]) -> Vec<u8> {
    let marker = b"\x8c\x04here";
    let mut file = Vec::new();
    ObjectArray::from(vec!["here"]).write(&mut file).unwrap();
    let pickle = file.split_off(128);
    let at = pickle.windows(marker.len()).position(|window| window == marker).unwrap();
    // Without the frame, whose length would be another.
    [&pickle[..2], &pickle[11..at], item, &pickle[at + marker.len() + 1..]].concat()
}

#[test]
fn floods_are_refused_in_linear_time_and_memory() {
    let many = rounds(1 << 17);
    let floods: [(&str, Vec<u8>); 12] = [
        ("lists in lists", [vec![b']'; many], vec![b'a'; many - 1]].concat()),
        ("tuples in tuples", [vec![b'N'], vec![0x85; many]].concat()),
        ("dicts in dicts", b"}N".repeat(many)),
        ("marks", vec![b'('; many]),
        ("lists", [vec![b'('], vec![b']'; many], vec![b't']].concat()),
        ("copies", [vec![b'(', b'N'], vec![b'2'; many], vec![b't']].concat()),
        ("Nones", [vec![b'('], vec![b'N'; many], vec![b'l']].concat()),
        (
            "numbers in the memo",
            [vec![b'N'], (0..many as u32 / 4).flat_map(|i| [&b"r"[..], &(i * 7919).to_le_bytes()].concat()).collect()].concat(),
        ),
        ("memo", [vec![b'('], b"N\x94".repeat(many), vec![b't']].concat()),
        ("sets", [vec![b'('], b"\x8f(N\x90".repeat(many / 4), vec![b't']].concat()),
        ("states", [b"cuuid\nUUID\nq\x00".to_vec(), b"h\x00)\x81}b".repeat(many / 4)].concat()),
        ("digits", [vec![b'I'], vec![b'9'; many], vec![b'\n']].concat()),
    ];
    for (name, flood) in floods {
        let pickle = [&array_of(&flood)[..], b""].concat();
        let file = file(&pickle);
        let began = Instant::now();
        let options = ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque);
        let (result, peak) =
            with_peak(|| NpyReader::from_bytes(&file).unwrap().into_objects(options).map(|array| array.items().len()));
        let per_byte = peak as f64 / pickle.len() as f64;
        announce(&format!("a flood of {name}: {:?} in {:?}, {per_byte:.1} bytes a byte", result.is_ok(), began.elapsed()));
        // What is read takes memory of its own, of 32 bytes a value.
        let most = if result.is_ok() { 64.0 + 33.0 } else { 64.0 };
        assert!(per_byte < most, "{name}: {per_byte} bytes for each byte");
        assert!(began.elapsed() < Duration::from_secs(20), "{name}");
    }
}

#[test]
fn bombs_are_refused_in_bounded_memory() {
    for case in corpus().into_iter().filter(|case| case.text == "copy of what is shared") {
        let file = file(&case.pickle);
        let read = || NpyReader::from_bytes(&file).unwrap().into_objects(ObjectOptions::new()).unwrap_err();
        let (error, peak) = with_peak(read);
        assert_eq!(kind(&error), "LimitExceeded", "{}", case.name);
        assert!(peak < 64 * 1024, "{}: {peak} bytes", case.name);
        let fastest = (0..20)
            .map(|_| {
                let began = Instant::now();
                let _ = read();
                began.elapsed()
            })
            .min()
            .unwrap();
        // 1 ms with optimisation.
        assert!(fastest < Duration::from_millis(10), "{}: {fastest:?}", case.name);
    }
    // What is below the limit is read, and what is shared is there as often as it is named.
    let shared = [b"X\x04\x00\x00\x00textq\xc80(".to_vec(), b"h\xc8".repeat(1000), b"l".to_vec()].concat();
    let array = read(&array_of(&shared), ObjectOptions::new().expansion(0)).unwrap();
    assert_eq!(array.items(), [PyObject::List(vec![PyObject::from("text"); 1000])]);
    let long = [b"X\x00\x01\x00\x00".to_vec(), vec![b'x'; 256], b"q\xc80(".to_vec(), b"h\xc8".repeat(1000), b"l".to_vec()].concat();
    assert_eq!(kind(&read(&array_of(&long), ObjectOptions::new().expansion(0)).unwrap_err()), "LimitExceeded");
    let array = NpyReader::from_bytes(&file(&array_of(&long))).unwrap().into_objects(ObjectOptions::new()).unwrap();
    assert_eq!(array.items(), [PyObject::List(vec![PyObject::from("x".repeat(256)); 1000])]);
}

#[test]
fn limits_hold_to_the_last_one() {
    let nested = |depth: usize| array_of(&[vec![b']'; depth], vec![b'a'; depth - 1]].concat());
    // The array, its state, its list, and then the lists.
    for (limit, depth) in [(100, 97), (50, 47), (200, 197), (10_000, 197)] {
        let options = ObjectOptions::new().depth(limit);
        let array = read(&nested(depth), options).unwrap_or_else(|error| panic!("{limit}: {error}"));
        // Printing, comparing, copying, writing and dropping it stays within the stack.
        assert_eq!(array.items()[0].to_string(), "[".repeat(depth) + &"]".repeat(depth));
        assert_eq!(array.clone(), array);
        let mut written = Vec::new();
        array.write(&mut written).unwrap();
        assert_eq!(kind(&read(&nested(depth + 1), options).unwrap_err()), "LimitExceeded");
    }
    let pickle = small();
    let length = pickle.len() as u64;
    assert!(read(&pickle, ObjectOptions::new().bytes(length)).is_ok());
    let error = read(&pickle, ObjectOptions::new().bytes(length - 1)).unwrap_err();
    insta::assert_snapshot!(error, @"limit exceeded: expected at most 200 bytes of the pickle, found 201 at byte 267; raise it with `ObjectOptions` if the file is trusted");
    let items = (0..).find(|items| read(&pickle, ObjectOptions::new().items(*items)).is_ok()).unwrap();
    assert!((20..60).contains(&items), "{items}");
    let error = read(&pickle, ObjectOptions::new().items(items - 1)).unwrap_err();
    assert_eq!(kind(&error), "LimitExceeded");
    let limits = Limits::new().header_bytes(10);
    let error = object::read_with(&file(&pickle)[..], limits).unwrap_err();
    assert!(error.kind() == ErrorKind::LimitExceeded, "{error}");
}

#[test]
fn a_large_integer_in_many_fractions_is_not_printed_for_each() {
    let integer = [&b"\x8b\x08\x07\0\0"[..], &[1; 1800], b"q\xc80"].concat();
    let fractions = b"h\xc9K\x01h\xc8\x86R".repeat(20_000);
    let pickle = array_of(&[&integer[..], b"cfractions\nFraction\nq\xc90(", &fractions, b"l"].concat());
    let began = Instant::now();
    let array = NpyReader::from_bytes(&file(&pickle)).unwrap().into_objects(ObjectOptions::new()).unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let PyObject::List(items) = &array.items()[0] else { panic!("{:?}", array.items()[0]) };
    assert_eq!(items.len(), 20_000);
    // One that is negative is refused, however large it is.
    let negative = [&b"\x8b\x08\x07\0\0"[..], &[0x81; 1800], b"q\xc80cfractions\nFraction\nK\x01h\xc8\x86R"].concat();
    assert_eq!(kind(&read(&array_of(&negative), ObjectOptions::new()).unwrap_err()), "InvalidArguments");
}

#[test]
fn scalars_that_share_a_dtype_are_charged_for_what_they_are() {
    let dtype = DType::from(Record::packed((0..200).map(|i| (format!("f{i}"), i8::dtype()))).unwrap());
    let scalar = DynValues::new(dtype, Order::C, &[], vec![7; 200]).unwrap();
    let array = ObjectArray::from(vec![PyObject::Scalar(Box::new(scalar)); 5_000]);
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    assert!(file.len() < 1_200_000, "{}", file.len());
    let (again, peak) = with_peak(|| object::read(&file[..]).unwrap());
    assert_eq!(again, array);
    // The limit is about what is really taken.
    assert!(peak < 64 * file.len() + (64 << 20), "{peak}");
    // The same scalar in a million places is as much as it was.
    let shared = |count: usize| [&b"h\xc8"[..]].repeat(count).concat();
    let ints = array_of(
        &[
            &b"cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nX\x02\0\0\0i8\x89\x88\x87R(K\x03X\x01\0\0\0<NNN"[..],
            b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tbC\x08\0\0\0\0\0\0\0\0\x86Rq\xc80(",
            &shared(1_000_000),
            b"l",
        ]
        .concat(),
    );
    let result = NpyReader::from_bytes(&self::file(&ints)).unwrap().into_objects(ObjectOptions::new());
    assert_eq!(kind(&result.unwrap_err()), "LimitExceeded");
}

#[test]
fn fields_of_fields_are_counted() {
    let inner = DType::from(Record::packed((0..6).map(|i| (format!("i{i}"), u8::dtype()))).unwrap());
    let outer = DType::from(Record::packed((0..6).map(|i| (format!("o{i}"), inner.clone()))).unwrap());
    let mut file = Vec::new();
    ObjectArray::from(vec![DynValues::new(outer, Order::C, &[1], vec![0; 36]).unwrap()]).write(&mut file).unwrap();
    let with = |fields: usize| object::read_with(&file[..], Limits::new().fields(fields));
    assert!(with(42).is_ok());
    let error = with(41).unwrap_err();
    assert!(error.to_string().contains("expected at most 41 fields, found 42; "), "{error}");
}

#[test]
fn no_opcode_calls_anything() {
    let table: Vec<_> = object::__opcodes().collect();
    assert_eq!(table.len(), 68);
    let refused: Vec<_> = table.iter().filter(|row| row.3 == "refused").map(|row| row.0).collect();
    assert_eq!(refused, ["PERSID", "BINPERSID", "INST", "OBJ", "EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"]);
    let Some(numpy) = numpy("no_opcode_calls_anything") else { return };
    // Python's own table: there is no opcode that this one lacks, and none that is another there.
    let program = "import pickletools\nfor op in pickletools.opcodes: print(op.name, ord(op.code), op.proto)";
    let printed = String::from_utf8(numpy.run(["-c", program], b"")).unwrap();
    let mut theirs: Vec<_> = printed.lines().map(str::to_owned).collect();
    let mut ours: Vec<_> = table.iter().map(|row| format!("{} {} {}", row.0, row.1, row.2)).collect();
    theirs.sort();
    ours.sort();
    assert_eq!(ours, theirs);
}

#[test]
fn the_corpus_is_what_its_script_makes() {
    let Some(numpy) = numpy("the_corpus_is_what_its_script_makes") else { return };
    numpy.run([data("make_pickles.py").as_os_str(), "check".as_ref()], b"");
}

#[test]
fn python_2_texts_are_read_as_asked() {
    let item = array_of(b"U\x02a\xe9\x94");
    assert_eq!(kind(&read(&item, ObjectOptions::new()).unwrap_err()), "NotAscii");
    let latin1 = read(&item, ObjectOptions::new().encoding(Encoding::Latin1)).unwrap();
    assert_eq!(latin1.items(), [PyObject::from("aé")]);
    let bytes = read(&item, ObjectOptions::new().encoding(Encoding::Bytes)).unwrap();
    assert_eq!(bytes.items(), [PyObject::from(&b"a\xe9"[..])]);
}

#[test]
fn errors_name_the_problem_offset_and_hint() {
    let error = |pickle: &[u8]| read(pickle, ObjectOptions::new()).unwrap_err();
    insta::assert_snapshot!(error(b"\x80\x04cos\nsystem\n"), @"unsupported pickle at byte 69: unknown global os.system, which is never called; `UnknownGlobals::Opaque` keeps it as an opaque object");
    insta::assert_snapshot!(error(b"\x80\x04P1\n."), @"unsupported pickle at byte 69: opcode PERSID refers to data outside of the file");
    insta::assert_snapshot!(error(b"\x80\x04N."), @"unsupported pickle at byte 69: expected an array of objects, found None");
    insta::assert_snapshot!(error(b"\x80\x04X\xff\xff\xff\x7f"), @"truncated file: the pickle needs 2147483647 bytes at offset 74, found 0");
    insta::assert_snapshot!(error(&array_of(b"]q\xc8h\xc8a")), @"unsupported pickle at byte 201: cyclic reference: an object contains itself");
    insta::assert_snapshot!(error(&array_of(b"NN")), @"unsupported pickle at byte 203: opcode APPEND: expected a list, found None");
    insta::assert_snapshot!(error(&array_of(b"U\x01\xe9")), @"unsupported pickle at byte 201: invalid byte 0xe9 in a str of Python 2: expected ASCII; `ObjectOptions::encoding` sets another encoding");
    insta::assert_snapshot!(error(&array_of(b"\x8c\x01\xff")), @"unsupported pickle at byte 201: invalid UTF-8 or a lone surrogate at byte 0 of the text");
    insta::assert_snapshot!(error(&array_of(b"cbuiltins\ncomplex\n)R")), @"unsupported pickle at byte 220: invalid arguments of complex: expected two floats");
    insta::assert_snapshot!(error(&[&[0x80, 9][..], b"N."].concat()), @"unsupported pickle at byte 67: unknown protocol 9: expected 0 to 5");
    insta::assert_snapshot!(error(b"\x80\x04cnumpy.core.multiarray\n_reconstruct\n)\x81."), @"unsupported pickle at byte 106: opcode NEWOBJ: expected a class, found the function _reconstruct");
    insta::assert_snapshot!(error(&array_of(b"cnumpy\nndarray\n)R")), @"unsupported pickle at byte 217: unsupported call of numpy.ndarray");
    insta::assert_snapshot!(error(&array_of(b"I1x\n")), @r#"unsupported pickle at byte 201: invalid integer "1x": expected an optional sign and at most 4300 decimal digits"#);
    insta::assert_snapshot!(error(&array_of(b"F1x\n")), @r#"unsupported pickle at byte 201: invalid float "1x": expected a decimal number, inf or nan"#);
    insta::assert_snapshot!(error(&array_of(b"g-1\n")), @r#"unsupported pickle at byte 201: invalid memo index "-1": expected a non-negative integer"#);
    insta::assert_snapshot!(error(&array_of(b"ca\x1b[1m\nb\r\n")), @r#"unsupported pickle at byte 201: unknown global a\u{1b}[1m.b\r, which is never called; `UnknownGlobals::Opaque` keeps it as an opaque object"#);
    let truncated = error(b"\x80\x04X\x05\0\0\0ab");
    assert_eq!((truncated.kind(), truncated.offset(), truncated.missing_bytes()), (ErrorKind::Truncated, Some(76), Some(3)));
    let plain = written(&[1.0]);
    insta::assert_snapshot!(as_little_endian(object::read(&plain[..]).unwrap_err()), @"expected an array of Python objects, found dtype <f8; `load` or `DynValues::load` reads it");
    let array = ObjectArray::from(vec![PyObject::from("a"), PyObject::from(1000)]);
    insta::assert_snapshot!(array.to_vec::<f64>().unwrap_err(), @"element 0: expected f64, found str; `PyObject` takes any object");
    insta::assert_snapshot!(ObjectArray::from(vec![1000]).to_vec::<u8>().unwrap_err(), @"element 0: 1000 is out of range for u8");
    insta::assert_snapshot!(ObjectArray::from(vec![vec![1_u8]]).to_vec::<String>().unwrap_err(), @"element 0: expected String, found bytes; `PyObject` takes any object");
}

#[test]
fn opaque_objects_have_messages() {
    let opaque = ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque);
    let array = read(&array_of(b"cpathlib\nPath\n(X\x01\x00\x00\x00atR"), opaque).unwrap();
    insta::assert_snapshot!(array.items()[0], @"<pathlib.Path('a')>");
    insta::assert_snapshot!(array.write(Vec::new()).unwrap_err(), @"element 0: cannot write an opaque object of pathlib.Path");
    insta::assert_snapshot!(array.to_vec::<String>().unwrap_err(), @"element 0: expected String, found pathlib.Path; `PyObject` takes any object");
    insta::assert_snapshot!("1x".parse::<object::PyInt>().unwrap_err(), @r#"invalid integer "1x": expected an optional sign and at most 4300 decimal digits"#);
}

/// How often the system was asked to read by this thread.
fn system_reads() -> u64 {
    let io = fs::read_to_string("/proc/thread-self/io").unwrap_or_default();
    io.lines().find_map(|line| line.strip_prefix("syscr: ")?.parse().ok()).unwrap_or_default()
}

/// Reads an array of objects in every way there is. How often each asked for bytes.
fn reads(file: &[u8]) -> Vec<(&'static str, u64)> {
    let path = scratch("objects.npy");
    fs::write(&path, file).unwrap();
    let archive = |is_compressed| {
        let mut archive = writer_with(WriteOptions::new().compressed(is_compressed));
        archive.add_bytes("x.npy", file).unwrap();
        archive.finish().unwrap().into_inner()
    };
    let (stored, deflated) = (archive(false), archive(true));
    let (options, objects) = (ReadOptions::new().objects(ObjectOptions::new()), ObjectOptions::new());
    let mut found = Vec::new();
    let mut by_system = |name, read: &dyn Fn()| {
        let before = system_reads();
        read();
        found.push((name, system_reads() - before));
    };
    by_system("object::load", &|| drop(object::load(&path)));
    by_system("DynArray::load_npy_with", &|| drop(DynArray::load_npy_with(&path, options)));
    by_system("DynArray::load_npy_file_with", &|| {
        drop(<DynArray as npy_ndarray::ReadNpyExt>::load_npy_file_with(fs::File::open(&path).unwrap(), options));
    });
    for (name, archive) in [("NpzReader, stored", &stored), ("NpzReader, deflated", &deflated)] {
        let (stream, count) = Counting::new(Cursor::new(archive));
        drop(NpzReader::new(stream).unwrap().array(0).unwrap().into_objects(objects));
        found.push((name, count.reads.get()));
        let (stream, count) = Counting::new(Cursor::new(archive));
        drop(npy_ndarray::NpzReader::new(stream).unwrap().dynamic_with("x", options));
        found.push((name, count.reads.get()));
        let (stream, count) = Counting::new(&archive[..]);
        drop(NpzStream::new(stream).next().unwrap().unwrap().array().unwrap().into_objects(objects));
        found.push((name, count.reads.get()));
    }
    found
}

/// Pickles without frames, as NumPy 1 writes them, are not read byte by byte.
#[test]
fn pickles_are_read_in_large_parts() {
    let text = |i: u32| {
        let text = format!("text {i}");
        [&b"X"[..], &u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes(), b"r", &i.to_le_bytes()].concat()
    };
    let texts: Vec<u8> = (1_000..21_000).flat_map(text).collect();
    let strings = file(&array_of(&[b"(", &texts[..], b"l"].concat()));
    let marks = file(&vec![b'('; 1 << 20]);
    for (kind, file) in [("strings", &strings), ("marks", &marks)] {
        for (name, calls) in reads(file) {
            assert!(calls < 100, "{name}, {kind}: {calls} reads for {} bytes", file.len());
        }
        // What may not be read ahead: known to belong to the pickle.
        let (stream, count) = Counting::new(&file[..]);
        let result = object::read(stream);
        let reads = count.reads.get();
        announce(&format!("{kind}: {} bytes in {reads} reads from a stream", file.len()));
        match kind {
            "strings" => assert!(reads <= 20_000 * 3 + 1000 && result.is_ok()),
            _ => assert!(reads < 100 && result.is_err()),
        }
    }
}

/// Another array may follow in the stream.
#[test]
fn streams_are_left_behind_the_pickle() {
    let mut count = 0;
    for path in files_below(&data(""), ".npy") {
        let stream = [&fs::read(&path).unwrap()[..], b"rest"].concat();
        let mut rest = &stream[..];
        if object::read_with(&mut rest, ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque)).is_ok() {
            assert_eq!(rest, b"rest", "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}
