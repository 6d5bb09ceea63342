//! `DType::to_rust`: the structs it writes compile, load what NumPy saved, and save the same bytes.

use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::object::ObjectArray;
use npy_core::{DType, Header, Order};

use crate::support::compiler::Compiler;
use crate::support::numpy::{frames, numpy};
use crate::support::rounds;

const CASES: usize = 30;

/// Random structured dtypes of the real NumPy, all in one program.
#[test]
fn the_structs_of_random_dtypes_load_and_save_what_numpy_saved() {
    let Some(numpy) = numpy("the_structs_of_random_dtypes_load_and_save_what_numpy_saved") else { return };
    let cases = rounds(CASES);
    let printed = numpy.run(["-m", "structs", "20261121", &cases.to_string()], b"");
    let files = frames(&printed);
    assert_eq!(files.len(), cases * 2);

    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("to_rust");
    let _ = fs::remove_dir_all(&data);
    fs::create_dir_all(&data).unwrap();

    let mut program = "#![deny(warnings, missing_docs)]\n//! Written by `DType::to_rust`.\n\n".to_owned();
    let mut main = String::new();
    for (i, pair) in files.chunks(2).enumerate() {
        let dtype = Header::parse(pair[0]).unwrap().0.dtype().clone();
        let module: String = dtype.to_rust_exact("Record").lines().map(|line| format!("    {line}\n")).collect();
        write!(program, "/// `{}`\npub mod case_{i} {{\n{module}}}\n\n", i).unwrap();
        writeln!(main, "    check::<case_{i}::Record>({i}, {:?});", dtype.to_string()).unwrap();
        fs::write(data.join(format!("{i}.npy")), pair[0]).unwrap();
        fs::write(data.join(format!("{i}.other.npy")), pair[1]).unwrap();
    }
    program.push_str(CHECK);
    write!(program, "fn main() {{\n{main}}}\n").unwrap();
    let source = data.join("main.rs");
    fs::write(&source, program).unwrap();

    let compiler = Compiler::new(&["npy_core"], "#![allow(unused)]\nuse npy_core::{NpyRecord, half, num_complex};\nfn main() {}\n");
    assert_eq!(compiler.run(&source, &data).lines().count(), cases);
}

/// What the crate does with each struct.
const CHECK: &str = r#"
fn check<T: npy_core::NpyRecord + PartialEq + std::fmt::Debug>(case: usize, dtype: &str) {
    assert_eq!(T::dtype().to_string(), dtype, "case {case}");
    let file = format!("{case}.npy");
    let saved = std::fs::read(&file).unwrap();
    // The same values in the reverse order of fields and the other byte order: a field that is read
    // from a wrong place shows.
    for source in [&file, &format!("{case}.other.npy")] {
        let records = npy_core::load::<T>(source).unwrap();
        let again = format!("{case}.again.npy");
        npy_core::save(&again, &records).unwrap();
        assert_eq!(std::fs::read(&again).unwrap(), saved, "case {case}, {dtype}");
    }
    println!("{case}");
}

"#;

#[test]
fn names_become_identifiers() {
    let dtype: DType =
        "[('type', '<f4'), ('self', '<f4'), ('Peak Time', '<f4'), ('peak_time', '<f4'), ('2nd', '<f4'), ('Größe', '<f4'), \
        ('', '<f4'), ('Vp', '<f4'), ('snrDb', '<f4'), ('a\"b\\\\c', '<f4')]"
            .parse()
            .unwrap();
    insta::assert_snapshot!(dtype.to_rust_exact("my record"), @r#"
    /// A record of 40 bytes.
    #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    pub struct MyRecord {
        /// `<f4`
        pub r#type: f32,
        /// `<f4`
        #[npy(rename = "self")]
        pub self_: f32,
        /// `<f4`
        #[npy(rename = "Peak Time")]
        pub peak_time: f32,
        /// `<f4`
        #[npy(rename = "peak_time")]
        pub peak_time_2: f32,
        /// `<f4`
        #[npy(rename = "2nd")]
        pub field_2nd: f32,
        /// `<f4`
        #[npy(rename = "Größe")]
        pub gr_e: f32,
        /// `<f4`
        #[npy(rename = "")]
        pub field: f32,
        /// `<f4`
        #[npy(rename = "Vp")]
        pub vp: f32,
        /// `<f4`
        #[npy(rename = "snrDb")]
        pub snr_db: f32,
        /// `<f4`
        #[npy(rename = "a\"b\\c")]
        pub a_b_c: f32,
    }
    "#);
}

#[test]
fn layouts_become_attributes() {
    let dtype: DType = "[('a', '|u1'), ('', '|V7'), (('the time', 't'), '>f8'), ('inner', [('x', '<f4'), ('', '|V2'), ('y', '<i2', (2, 3))], (2,)), \
        ('o', '<f12'), ('n', '<U0'), ('', '|V1')]"
        .parse()
        .unwrap();
    insta::assert_snapshot!(dtype.to_rust_exact("Mixed"), @r#"
    /// A record of 65 bytes.
    #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    #[npy(itemsize = 65)]
    pub struct Mixed {
        /// `|u1`
        pub a: u8,
        /// `>f8`
        #[npy(dtype = ">f8", title = "the time", offset = 8)]
        pub t: f64,
        /// A record.
        pub inner: [MixedInner; 2],
        // "o" is <f12, which no Rust type is written as.
        /// `<U0`
        #[npy(offset = 64)]
        pub n: npy_core::types::FixedUnicode<0>,
    }

    /// A record of 18 bytes.
    #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    pub struct MixedInner {
        /// `<f4`
        pub x: f32,
        /// `('<i2', (2, 3))`
        #[npy(offset = 6)]
        pub y: [[i16; 3]; 2],
    }
    "#);
    let aligned: DType = "[('a', '|u1'), ('', '|V7'), ('t', '>f8'), ('c', '>M8[25s]')]".parse().unwrap();
    insta::assert_snapshot!(aligned.to_rust_exact("Aligned"), @r#"
    /// A record of 24 bytes.
    #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    #[npy(align, endian = "big")]
    pub struct Aligned {
        /// `|u1`
        pub a: u8,
        /// `>f8`
        pub t: f64,
        /// `>M8[25s]`
        pub c: npy_core::types::Datetime64<npy_core::types::unit::Second, 25>,
    }
    "#);
}

#[test]
fn omits_fields_whose_dtype_would_change() {
    let dtype: DType = "[('a', '<f12'), ('', '|V1'), ('b', '<f8'), ('c', '>V2'), ('d', '>c24'), ('e', '<V2')]".parse().unwrap();
    insta::assert_snapshot!(dtype.to_rust_exact("Mixed"), @r#"
    /// A record of 49 bytes.
    #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    pub struct Mixed {
        // "a" is <f12, which no Rust type is written as.
        /// `<f8`
        #[npy(offset = 13)]
        pub b: f64,
        // "c" is >V2, which no Rust type is written as.
        // "d" is >c24, which no Rust type is written as.
        /// `<V2`
        #[npy(offset = 47)]
        pub e: npy_core::half::bf16,
    }
    "#);
}

/// Names that a hostile header makes many or long of.
#[test]
fn hostile_names_stay_short_in_bounded_time() {
    let fields: String = (0..60_000_u32)
        .map(|i| {
            // Numbers in digits that are no letters.
            let name: String = format!("{i:x}")
                .bytes()
                .map(|digit| char::from(b"!#$%&()*+,-./:;<"[(digit as char).to_digit(16).unwrap() as usize]))
                .collect();
            format!("('{name}','?'),")
        })
        .collect();
    let dtype: DType = format!("[{fields}]").parse().unwrap();
    let rust = dtype.to_rust_exact("Many");
    assert!(rust.contains("pub field_60000: bool,"));

    let inner = (0..20_000).map(|i| format!("('a{i}',[]),")).collect::<String>();
    let dtype: DType = format!("[('{}',[{inner}])]", "A".repeat(300_000)).parse().unwrap();
    let rust = dtype.to_rust_exact("Long");
    assert!(rust.len() < 20_000_000, "{}", rust.len());
}

#[test]
fn records_with_objects_become_structs_that_serde_fills() {
    let dtype: DType =
        "[('id', '<u4'), ('Depth [km]', '|O'), ('at', [('x', '|O'), ('when', '<M8[s]')], (2,)), ('n', '<f2', (3, 2)), \
                        ('wide', '<c8', (40,)), ('type', '|S2'), ('rows', [('y', '<i8')], (2,)), ('row', [('y', '<U2')])]"
            .parse()
            .unwrap();
    let rust = dtype.to_rust("Pick");
    assert_eq!(dtype.to_rust_exact("Pick"), rust);
    insta::assert_snapshot!(rust, @r#"
    /// A record with Python objects, read by `npy_core::object::load(path)?.deserialize::<Pick>()`.
    #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
    pub struct Pick {
        /// `<u4`
        pub id: u32,
        /// `|O`
        #[serde(rename = "Depth [km]")]
        pub depth_km: npy_core::object::PyObject,
        /// A record.
        pub at: [PickAt; 2],
        /// `('<f2', (3, 2))`
        pub n: [[f32; 2]; 3],
        /// `('<c8', (40,))`
        pub wide: Vec<(f32, f32)>,
        /// `|S2`
        pub r#type: npy_core::object::PyObject,
        /// `([('y', '<i8')], (2,))`
        pub rows: npy_core::object::PyObject,
        /// A record.
        pub row: PickRow,
    }

    /// A record of 2 fields.
    #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
    pub struct PickAt {
        /// `|O`
        pub x: npy_core::object::PyObject,
        /// `<M8[s]`
        pub when: npy_core::object::PyObject,
    }

    /// A record of 1 field.
    #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
    pub struct PickRow {
        /// `<U2`
        pub y: String,
    }
    "#);
}

#[test]
fn numbers_beside_objects_have_the_types_that_serde_reads() {
    const OBJECT: &str = "npy_core::object::PyObject";
    let table = "'|b1' → bool / '|i1' → i8 / '<i2' → i16 / '>i4' → i32 / '<i8' → i64 / '|u1' → u8 / '<u2' → u16 / \
                 '<u4' → u32 / '>u8' → u64 / '<f2' → f32 / '<f4' → f32 / '<f8' → f64 / '<c8' → (f32, f32) / \
                 '>c16' → (f64, f64) / '<U3' → String / '|O', (2,) → [npy_core::object::PyObject; 2] / \
                 '<u2', (2,) → [u16; 2]";
    let objects = "'<f16'; '<c32', (2,); '<M8[D]'; '<m8[s]'; '|S3'; '|V2'; '<V2'; '<f1'";
    let numbers = table.split(" / ").filter_map(|row| row.split_once(" → "));
    for (descr, expected) in numbers.chain(objects.split("; ").map(|descr| (descr, OBJECT))) {
        let dtype: DType = format!("[('object', '|O'), ('x', {descr})]").parse().unwrap();
        let rust = dtype.to_rust("Row");
        assert!(rust.contains(&format!("    pub x: {expected},\n")), "{descr}: {rust}");
    }
}

#[test]
fn plain_dtypes_become_type_aliases() {
    let rust = |dtype: &str| dtype.parse::<DType>().unwrap().to_rust_exact("Name");
    assert_eq!(rust("<f4"), "/// `<f4`\npub type Name = f32;\n");
    assert_eq!(rust("('<c8', (2, 3))"), "/// `('<c8', (2, 3))`\npub type Name = [[npy_core::num_complex::Complex<f32>; 3]; 2];\n");
    assert_eq!(rust("<f1"), "// Name: no Rust type is `<f1`.\n");
    assert!(rust("O").ends_with("pub type Name = npy_core::object::PyObject;\n"));
}

/// Where each type begins behind a byte, and how far an aligned record of both reaches.
#[test]
fn aligned_fields_are_recognised() {
    let descrs = [(2, "<i2 <u2 <f2 <V2"), (4, "<i4 <u4 <f4 <c8 <U3"), (8, "<i8 <u8 <M8[s] <m8[ms] <f8 <c16"), (16, "<f16 <c32")];
    for (alignment, descr) in descrs.iter().flat_map(|(alignment, descrs)| descrs.split(' ').map(|descr| (*alignment, descr))) {
        let itemsize = descr.parse::<DType>().unwrap().itemsize();
        let end = alignment - itemsize % alignment;
        let behind = if end == alignment { String::new() } else { format!(", ('', '|V{end}')") };
        let aligned = format!("[('a', '|u1'), ('', '|V{}'), ('b', '{descr}'){behind}]", alignment - 1);
        let rust = aligned.parse::<DType>().unwrap().to_rust_exact("Aligned");
        assert!(rust.contains("#[npy(align)]"), "{aligned}:\n{rust}");
        let shifted = format!("[('a', '|u1'), ('', '|V{alignment}'), ('b', '{descr}')]");
        let rust = shifted.parse::<DType>().unwrap().to_rust_exact("Shifted");
        assert!(rust.contains(&format!("offset = {}", alignment + 1)), "{shifted}:\n{rust}");
    }
    // Bytes without a byte order are not aligned.
    let rust = "[('a', '|u1'), ('', '|V1'), ('b', '|V2')]".parse::<DType>().unwrap().to_rust_exact("Bytes");
    assert!(rust.contains("offset = 2"), "{rust}");
}

#[test]
fn members_of_one_name_become_one_field() {
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    archive.add_slice("x", &[1.5_f64]).unwrap();
    archive.add_slice("y", &[1_u8]).unwrap();
    let mut file = archive.finish().unwrap().into_inner();
    // This library writes no name twice.
    for at in 0..file.len() {
        if file[at..].starts_with(b"y.npy") {
            file[at] = b'x';
        }
    }
    insta::assert_snapshot!(NpzReader::from_bytes(&file).unwrap().to_rust_exact("Twice").unwrap(), @r#"
    #[derive(npy_ndarray::NpzArchive)]
    pub struct Twice {
        /// `<f8`
        pub x: npy_ndarray::ndarray::Array1<f64>,
        // "x" is the name of an earlier member too.
    }
    "#);
}

#[test]
fn archives_become_structs() {
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    archive.add_slice("x", &[1.5_f64]).unwrap();
    for (name, axes) in [("six", 6), ("seven", 7)] {
        let header = Header::new("|u1".parse().unwrap(), Order::C, &vec![1; axes]).unwrap();
        archive.add::<u8>(name, &header, |writer| writer.push(&7)).unwrap();
    }
    archive.add_content("objects", |member| ObjectArray::from(vec!["a"]).write(member)).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.add_bytes("damaged.npy", b"\x93NUMPY\x09\0").unwrap();
    let picks = Header::new("[('t', '<f8'), ('2', '|u1')]".parse().unwrap(), Order::C, &[0]).unwrap();
    archive.add_content("Peak picks", |member| Ok(std::io::Write::write_all(member, &picks.to_bytes())?)).unwrap();
    let file = archive.finish().unwrap().into_inner();
    insta::assert_snapshot!(NpzReader::from_bytes(&file).unwrap().to_rust_exact("my run").unwrap(), @r#"
    #[derive(npy_ndarray::NpzArchive)]
    pub struct MyRun {
        /// `<f8`
        pub x: npy_ndarray::ndarray::Array1<f64>,
        /// `|u1`
        pub six: npy_ndarray::ndarray::Array6<u8>,
        /// `|u1`
        pub seven: npy_ndarray::ndarray::ArrayD<u8>,
        // "objects" holds Python objects.
        // "notes.txt" is not an array.
        // "damaged" is damaged: unsupported format version 9.0: expected 1.0, 2.0 or 3.0.
        /// Records.
        #[npy(rename = "Peak picks")]
        pub peak_picks: npy_ndarray::ndarray::Array1<MyRunPeakPicks>,
    }

    /// A record of 9 bytes.
    #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    pub struct MyRunPeakPicks {
        /// `<f8`
        pub t: f64,
        /// `|u1`
        #[npy(rename = "2")]
        pub field_2: u8,
    }
    "#);
    for (name, expected) in
        [("", "pub struct Record {"), ("Self", "pub struct SelfRecord {"), ("2 runs", "pub struct Record2Runs {")]
    {
        let rust = NpzReader::from_bytes(&file).unwrap().to_rust_exact(name).unwrap();
        assert!(rust.contains(expected), "{rust}");
    }
}

/// The next file may have wider text, and a number is one.
#[test]
fn text_is_a_string_unless_exact_types_are_asked_for() {
    let dtype: DType =
        "{'names': ['id', 'name', 'codes', 'at'], 'formats': ['<u4', '>U3', ('|S2', (2,)), [('x', '<f8'), ('unit', '<U2')]], \
                        'offsets': [0, 8, 24, 32], 'itemsize': 64}"
            .parse()
            .unwrap();
    insta::assert_snapshot!(dtype.to_rust("String"), @r#"
/// A record of 64 bytes.
#[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
pub struct String2 {
    /// `<u4`
    pub id: u32,
    /// `>U3`
    pub name: String,
    /// `('|S2', (2,))`
    pub codes: [String; 2],
    /// A record.
    pub at: String2At,
}

/// A record of 16 bytes.
#[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
pub struct String2At {
    /// `<f8`
    pub x: f64,
    /// `<U2`
    pub unit: String,
}
"#);
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    archive.add_scalar("rate", &0.5).unwrap();
    archive.add_scalar("name", &"run 7".to_owned()).unwrap();
    archive.add_slice("labels", &["a".to_owned()]).unwrap();
    let file = archive.finish().unwrap().into_inner();
    insta::assert_snapshot!(NpzReader::from_bytes(&file).unwrap().to_rust("Run").unwrap(), @r#"
#[derive(npy_ndarray::NpzArchive)]
pub struct Run {
    /// `<f8`
    pub rate: f64,
    /// `<U5`
    pub name: String,
    /// `<U1`
    pub labels: npy_ndarray::ndarray::Array1<String>,
}
"#);
}
