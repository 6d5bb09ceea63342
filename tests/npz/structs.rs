//! Structs stored as whole archives, by `#[derive(NpzArchive)]`.

use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;

use ndarray::{ArcArray1, Array, Array0, Array1, Array2, ArrayD, Dimension, Ix3, ShapeBuilder, arr0, array};
use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::types::{Datetime64, unit};
use npy_core::{ErrorKind, Limits, NpyRecord};
use npy_ndarray::{NpzArchive, ReadOptions, npz::WriteOptions};

use crate::support::numpy::{frames, numpy};
use crate::support::{as_little_endian, scratch};

#[derive(NpyRecord, Clone, Debug, PartialEq, Default)]
struct Pick {
    id: u32,
    name: String,
    xyz: [f32; 3],
}

fn picks() -> Vec<Pick> {
    (0..4).map(|id| Pick { id, name: "ab"[..id as usize % 2 + 1].to_owned(), xyz: [id as f32; 3] }).collect()
}

#[derive(NpzArchive, Debug, PartialEq, Clone)]
struct Optimizer {
    rate: f64,
    moments: Vec<[f32; 2]>,
}

#[derive(NpzArchive, Debug, PartialEq, Clone)]
struct Everything {
    matrix: Array2<f64>,
    fortran: Array<i16, Ix3>,
    shared: ArcArray1<u8>,
    any: ArrayD<f32>,
    zero: Array0<f64>,
    picks: Vec<Pick>,
    rows: Vec<[f32; 3]>,
    names: Vec<String>,
    rate: f64,
    flag: bool,
    label: String,
    time: Datetime64<unit::Nanosecond>,
    best: Pick,
    vector: [f64; 3],
    optimizer: Optimizer,
    layers: BTreeMap<String, Array2<f32>>,
    lists: HashMap<String, Vec<u16>>,
    there: Option<Array1<f64>>,
    not_there: Option<Array1<f64>>,
    nested: Option<Optimizer>,
    not_nested: Option<Optimizer>,
    count: Option<u32>,
    #[npy(rename = "größe [m²]")]
    size: Array1<f64>,
    r#type: u8,
    #[npy(skip)]
    cache: Vec<u64>,
}

fn everything() -> Everything {
    let optimizer = Optimizer { rate: 0.5, moments: vec![[1.0, 2.0], [3.0, 4.0]] };
    Everything {
        matrix: array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        fortran: Array::from_shape_fn((2, 3, 4).f(), |(i, j, k)| (i * 100 + j * 10 + k) as i16),
        shared: array![1, 2, 3].into_shared(),
        any: array![[1.0], [2.0]].into_dyn(),
        zero: arr0(2.5),
        picks: picks(),
        rows: vec![[1.0; 3], [2.0; 3]],
        names: vec!["Ada".to_owned(), "Grace".to_owned()],
        rate: 0.01,
        flag: true,
        label: "λ".to_owned(),
        time: Datetime64::new(1_000_000_007),
        best: picks()[1].clone(),
        vector: [1.0, 2.0, 3.0],
        optimizer: optimizer.clone(),
        layers: BTreeMap::from([("a".to_owned(), array![[1.0]]), ("b/c".to_owned(), array![[2.0, 3.0]])]),
        lists: HashMap::from([("x".to_owned(), vec![1, 2]), ("y".to_owned(), vec![])]),
        there: Some(array![1.0]),
        not_there: None,
        nested: Some(optimizer),
        not_nested: None,
        count: Some(7),
        size: array![3.0],
        r#type: 9,
        cache: Vec::new(),
    }
}

const NAMES: &str = "matrix fortran shared any zero picks rows names rate flag label time best vector optimizer/rate optimizer/moments \
                     layers/a layers/b/c lists/x lists/y there nested/rate nested/moments count größe [m²] type";

#[test]
fn every_field_type_round_trips() {
    let path = scratch("everything.npz");
    let expected = everything();
    for options in [
        WriteOptions::new(),
        WriteOptions::new().compressed(true),
        WriteOptions::new().compressed(true).level(1).threads(2),
        WriteOptions::new().aligned(true),
    ] {
        expected.save_npz_with(&path, options).unwrap();
        assert_eq!(NpzReader::open(&path).unwrap().names().collect::<Vec<_>>().join(" "), NAMES);
        assert_eq!(Everything::load_npz(&path).unwrap(), expected);
        assert_eq!(Everything::load_npz_with(&path, ReadOptions::new().threads(3)).unwrap(), expected);
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(Everything::read_npz(Cursor::new(&bytes)).unwrap(), expected);
        let mut written = Cursor::new(Vec::new());
        expected.write_npz_with(&mut written, options).unwrap();
        assert!(written.into_inner() == bytes);
    }
    assert_eq!(Everything::load_npz(&path).unwrap().fortran.strides(), expected.fortran.strides());
}

/// Byte for byte as `np.savez` with the fields as keywords. NumPy's file is read back.
#[test]
fn writes_the_bytes_of_savez() {
    let Some(numpy) = numpy("writes_the_bytes_of_savez") else { return };
    let printed = numpy.run(["archives.py", "structs"], b"");
    for file in frames(&printed) {
        assert_eq!(Everything::read_npz(Cursor::new(file)).unwrap(), everything());
    }
    let mut ours = Cursor::new(Vec::new());
    everything().write_npz(&mut ours).unwrap();
    // NumPy's files are little-endian.
    assert!(cfg!(target_endian = "big") || ours.into_inner() == frames(&printed)[0]);
}

#[derive(NpzArchive, Debug, PartialEq, Default)]
#[npy(rename_all = "camelCase", default)]
struct Defaulted {
    first_part: Vec<u8>,
    #[npy(alias = "old", alias = "older")]
    second_part: Vec<u8>,
    #[npy(default = seven)]
    third_part: u32,
    #[npy(skip, default = seven)]
    fourth: u32,
}

fn seven() -> u32 {
    7
}

#[derive(NpzArchive, Debug, PartialEq)]
#[npy(deny_unknown_fields)]
struct Strict {
    x: Vec<u8>,
    #[npy(flatten)]
    inner: Inner,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Inner {
    y: Option<Vec<u8>>,
    #[npy(default)]
    z: u8,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Rest {
    #[npy(flatten)]
    others: BTreeMap<String, Vec<u8>>,
    x: Vec<u8>,
    inner: Inner,
}

#[derive(NpzArchive, Debug, PartialEq)]
struct Tuple(Vec<u8>, Array1<f64>, #[npy(skip)] u8, #[npy(rename = "last")] bool);

#[derive(NpzArchive, Debug, PartialEq)]
struct Grid<T, D: Dimension> {
    values: Array<T, D>,
    spacing: Vec<T>,
    one: T,
}

#[derive(NpzArchive, Debug, PartialEq)]
#[npy(bound = "A: NpzArchive")]
struct Outer<A> {
    inner: A,
    #[npy(flatten)]
    flat: A,
}

/// An archive of vectors of bytes.
fn archive(members: &[(&str, &[u8])]) -> Cursor<Vec<u8>> {
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.add_slice(name, bytes).unwrap();
    }
    archive.finish().unwrap()
}

fn round_trip<A: NpzArchive + PartialEq + std::fmt::Debug>(value: &A, names: &[&str]) {
    let mut file = Cursor::new(Vec::new());
    value.write_npz(&mut file).unwrap();
    assert_eq!(NpzReader::new(&mut file).unwrap().names().collect::<Vec<_>>(), names);
    assert_eq!(A::read_npz(file).unwrap(), *value);
}

#[test]
fn missing_members_have_defaults() {
    let read = |members: &[(&str, &[u8])]| Defaulted::read_npz(archive(members)).unwrap();
    let nothing = Defaulted { first_part: vec![], second_part: vec![], third_part: 7, fourth: 7 };
    assert_eq!(read(&[]), nothing);
    assert_eq!(read(&[("firstPart", &[1]), ("x", &[2])]).first_part, [1]);
    assert_eq!(read(&[("older", &[3])]).second_part, [3]);
    assert_eq!(read(&[("older", &[3]), ("old", &[2])]).second_part, [2]);
    assert_eq!(read(&[("older", &[3]), ("secondPart", &[1]), ("old", &[2])]).second_part, [1]);
    round_trip(
        &Defaulted { first_part: vec![1], second_part: vec![2], third_part: 3, fourth: 7 },
        &["firstPart", "secondPart", "thirdPart"],
    );
}

#[test]
fn error_lists_all_missing_members() {
    let error = Everything::read_npz(archive(&[("shared", &[1]), ("x", &[])])).unwrap_err();
    let message = error.to_string();
    let names = message.strip_prefix("missing arrays ").unwrap().strip_suffix(": the archive has shared, x").unwrap();
    let names: Vec<_> = names.split(", ").collect();
    assert_eq!((names.len(), names[0], names[13]), (17, "\"matrix\"", "\"optimizer/rate\""));
    assert!(error.is_not_found());
    let error = Strict::read_npz(archive(&[("y", &[1])])).unwrap_err();
    assert_eq!(error.to_string(), "missing array \"x\": the archive has y");
    let error = Outer::<Strict>::read_npz(archive(&[("inner/y", &[1])])).unwrap_err();
    assert_eq!(error.to_string(), "missing arrays \"inner/x\", \"x\": the archive has inner/y");
}

#[test]
fn denies_unknown_members() {
    assert_eq!(Strict::read_npz(archive(&[("x", &[1]), ("y", &[2])])).unwrap().inner.y.unwrap(), [2]);
    let error = Strict::read_npz(archive(&[("a", &[1]), ("x", &[1]), ("b", &[2])])).unwrap_err();
    assert_eq!(error.to_string(), "unknown members: expected those of the struct, found a, b");
}

#[test]
fn flattened_map_collects_remaining_members() {
    let rest = Rest::read_npz({
        let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in [("a", [1_u8]), ("x", [2]), ("inner/y", [3]), ("inner/other", [4]), ("b/c", [5])] {
            archive.add_slice(name, &bytes).unwrap();
        }
        archive.add_scalar("inner/z", &6_u8).unwrap();
        archive.finish().unwrap()
    });
    let rest = rest.unwrap();
    assert_eq!(rest.x, [2]);
    assert_eq!(rest.inner, Inner { y: Some(vec![3]), z: 6 });
    let others = [("a", vec![1]), ("b/c", vec![5]), ("inner/other", vec![4])].map(|(name, bytes)| (name.to_owned(), bytes));
    assert_eq!(rest.others, BTreeMap::from(others));
    round_trip(&rest, &["a", "b/c", "inner/other", "x", "inner/y", "inner/z"]);
    // Another dtype is an error that names the member.
    let mut other = NpzWriter::new(Cursor::new(Vec::new()));
    other.add_slice("x", &[1_u8]).unwrap();
    other.add_scalar("inner/z", &1_u8).unwrap();
    other.add_slice("floats", &[0.5]).unwrap();
    let error = Rest::read_npz(other.finish().unwrap()).unwrap_err();
    assert_eq!(error.member(), Some("floats"));
    // A whole archive. The last of several members of one name counts, as in NumPy.
    let map = BTreeMap::<String, Vec<u8>>::read_npz(archive(&[("a", &[1]), ("b", &[])])).unwrap();
    assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b"]);
    let map = HashMap::<String, ArrayD<u8>>::read_npz(archive(&[("a", &[1]), ("b", &[])])).unwrap();
    assert_eq!(map["a"].shape(), [1]);
    assert!(BTreeMap::<String, Vec<u8>>::read_npz(archive(&[])).unwrap().is_empty());
}

#[test]
fn structs_of_every_shape() {
    round_trip(&Tuple(vec![1, 2], array![0.5], 0, true), &["arr_0", "arr_1", "last"]);
    round_trip(&Grid { values: array![[1.0_f32, 2.0]], spacing: vec![0.5], one: 1.0 }, &["values", "spacing", "one"]);
    round_trip(
        &Grid { values: array![picks()[0].clone()], spacing: picks(), one: picks()[0].clone() },
        &["values", "spacing", "one"],
    );
    let inner = || Inner { y: Some(vec![1]), z: 2 };
    round_trip(&Outer { inner: inner(), flat: inner() }, &["inner/y", "inner/z", "y", "z"]);
    let deep = Outer {
        inner: Outer { inner: inner(), flat: Inner { y: None, z: 0 } },
        flat: Outer { inner: Inner { y: None, z: 1 }, flat: inner() },
    };
    // `inner/z` is both `inner.flat.z` and `flat.inner.z`.
    let error = deep.write_npz(Cursor::new(Vec::new())).unwrap_err();
    assert!(error.to_string().contains("duplicate member name; to replace a member, write a new archive"), "{error}");
    assert_eq!(error.member(), Some("inner/z"));
}

/// Names that shadow those of generated code.
mod shadowed {
    #![allow(dead_code, non_camel_case_types, reason = "they only have to be in the way")]

    use ndarray::Array1;
    use npy_ndarray::NpzArchive;

    struct Box;
    struct Option;
    struct Ok;
    struct Some;
    type Result = u8;
    trait Read {}
    trait Default {}

    #[derive(NpzArchive)]
    #[npy(default = shadowed)]
    struct Shadowed {
        plan: Array1<f64>,
        archive: Array1<f64>,
        default: u8,
        r#box: Vec<u8>,
    }

    fn shadowed() -> Shadowed {
        Shadowed { plan: Array1::zeros(1), archive: Array1::zeros(2), default: 1, r#box: vec![] }
    }

    #[test]
    fn generated_code_ignores_shadowed_names() {
        let mut file = std::io::Cursor::new(Vec::new());
        shadowed().write_npz(&mut file).unwrap();
        assert_eq!(Shadowed::read_npz(file).unwrap().archive.len(), 2);
    }
}

#[test]
fn errors_name_file_and_member() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.npz");
    #[derive(NpzArchive, Debug)]
    #[allow(dead_code, reason = "only its reading is looked at")]
    struct Run {
        values: Array1<f32>,
        last: Vec<u8>,
    }
    let mut archive = NpzWriter::create(&path).unwrap();
    // Enough for threads.
    archive.add_slice("values", &vec![0.0_f64; 1 << 20]).unwrap();
    archive.add_slice("last", &[0.0_f64]).unwrap();
    drop(archive.finish().unwrap());
    let shown = path.display().to_string();
    for threads in [1, 2, 8] {
        let error = Run::load_npz_with(&path, ReadOptions::new().threads(threads)).unwrap_err();
        assert_eq!(error.member(), Some("values"), "{threads}");
        assert!(
            as_little_endian(&error)
                .starts_with(&format!("{shown}: member \"values\": cannot read f32: expected dtype <f4, found <f8")),
            "{error}"
        );
    }
    let error = Run::load_npz(directory.path().join("none.npz")).unwrap_err();
    assert!(error.to_string().contains("none.npz"), "{error}");
    let options = ReadOptions::new().limits(Limits::new().data_bytes(100));
    assert!(Run::load_npz_with(&path, options).unwrap_err().kind() == ErrorKind::LimitExceeded);
    // A failed save leaves the old file.
    let before = std::fs::read(&path).unwrap();
    let clash = Outer { inner: Inner { y: None, z: 1 }, flat: Inner { y: None, z: 2 } };
    clash.save_npz(&path).unwrap();
    std::fs::write(&path, &before).unwrap();
    let map = BTreeMap::from([("a\0b".to_owned(), vec![1_u8])]);
    assert!(
        map.save_npz(&path)
            .unwrap_err()
            .to_string()
            .contains("invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\"")
    );
    assert!(std::fs::read(&path).unwrap() == before);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// Names with `.npy`, directories, and sizes that overflow.
#[test]
fn ambiguous_member_names_round_trip() {
    #[derive(NpzArchive, Debug, PartialEq)]
    struct Names {
        x: Vec<u8>,
        #[npy(rename = "x.npy")]
        y: Vec<u8>,
        #[npy(rename = "")]
        z: Vec<u8>,
        #[npy(flatten)]
        others: BTreeMap<String, Vec<u8>>,
    }
    let others = BTreeMap::from([("a".to_owned(), vec![4]), ("a.npy".to_owned(), vec![5])]);
    round_trip(&Names { x: vec![1], y: vec![2], z: vec![3], others: others.clone() }, &["x", "x.npy", "", "a", "a.npy"]);
    round_trip(&others, &["a", "a.npy"]);
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    archive.add_bytes("layers/", b"").unwrap();
    archive.add_slice("layers/x", &[1_u8]).unwrap();
    let file = archive.finish().unwrap();
    assert_eq!(BTreeMap::<String, Vec<u8>>::read_npz(file.clone()).unwrap().keys().collect::<Vec<_>>(), ["layers/x"]);
    #[derive(NpzArchive, Debug)]
    #[npy(deny_unknown_fields)]
    struct Layers {
        layers: BTreeMap<String, Vec<u8>>,
    }
    assert_eq!(Layers::read_npz(file).unwrap().layers["x"], [1]);
    // Two members whose claimed sizes overflow.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("claims.npz");
    BTreeMap::from([("a", vec![1_u8]), ("b", vec![2])].map(|(name, bytes)| (name.to_owned(), bytes))).save_npz(&path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let entries: Vec<usize> = (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
    for at in entries.into_iter().rev() {
        // 64-bit sizes in the directory.
        bytes[at + 20..at + 28].copy_from_slice(&[0xff; 8]);
        bytes[at + 30] = 20;
        let field = [&[1, 0, 16, 0][..], &(1_u64 << 63 | 5).to_le_bytes(), &129_u64.to_le_bytes()].concat();
        bytes.splice(at + 46 + 5..at + 46 + 5, field);
    }
    let end = bytes.len() - 22;
    let length = u32::from_le_bytes(bytes[end + 12..][..4].try_into().unwrap()) + 40;
    bytes[end + 12..][..4].copy_from_slice(&length.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    for threads in [1, 2, 1_000_000] {
        let error = BTreeMap::<String, Vec<u8>>::load_npz_with(&path, ReadOptions::new().threads(threads)).unwrap_err();
        assert_eq!(error.member(), Some("a"), "{error}");
    }
}

/// More threads than members.
#[test]
fn threads_without_number() {
    let options = WriteOptions::new().compressed(true).threads(usize::MAX);
    let mut file = Cursor::new(Vec::new());
    let arrays = BTreeMap::from([("a".to_owned(), vec![7_u64; 1 << 20])]);
    arrays.write_npz_with(&mut file, options).unwrap();
    assert_eq!(BTreeMap::read_npz(file).unwrap(), arrays);
}

/// Values and errors are those of one thread.
#[test]
fn threads_read_the_same_struct_as_one_thread() {
    let path = scratch("many.npz");
    let arrays: BTreeMap<String, Vec<u64>> =
        (0..40_u64).map(|i| (format!("{i:02}"), (0..20_000 * (i % 4)).map(|k| k ^ i).collect())).collect();
    for compressed in [false, true] {
        arrays.save_npz_with(&path, WriteOptions::new().compressed(compressed).threads(2)).unwrap();
        for threads in [0, 1, 2, 7] {
            let read = BTreeMap::load_npz_with(&path, ReadOptions::new().threads(threads)).unwrap();
            assert!(read == arrays, "{threads}");
        }
    }
    arrays.save_npz(&path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    for name in [b"07.npy", b"09.npy", b"30.npy"] {
        let at = bytes.windows(6).position(|window| window == name).unwrap();
        bytes[at + 6 + 20 + 128] ^= 1;
    }
    std::fs::write(&path, &bytes).unwrap();
    for threads in [1, 2, 7] {
        let error = BTreeMap::<String, Vec<u64>>::load_npz_with(&path, ReadOptions::new().threads(threads)).unwrap_err();
        assert_eq!(error.member(), Some("07"), "{threads}: {error}");
    }
}
