//! `npy convert`.

mod csv;
mod floats;
mod numbers;
mod text;

use std::fs;
use std::path::Path;
use std::time::Duration;

use insta::assert_snapshot;
use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::rawarray::RaArray;
use npy_core::{DynValues, Order};

use crate::support::numpy::numpy;
use crate::support::{Files, run, run_with};

#[track_caller]
fn convert(arguments: &[&str]) -> String {
    run([&["convert"], arguments].concat()).ok()
}

fn values(dtype: &str, order: Order, shape: &[usize], bytes: impl Into<Vec<u8>>) -> DynValues {
    DynValues::new(dtype.parse().unwrap(), order, shape, bytes.into()).unwrap()
}

fn load(path: impl AsRef<Path>) -> DynValues {
    DynValues::load(path).unwrap()
}

const RECORD: &str = "[('id', '<i8'), ('at', '<M8[ms]'), ('x', '>f4'), ('name', '<U4'), ('pose', [('y', '<f8')]), \
    ('w', '|u1', (2, 2)), ('ok', '|b1'), ('z', '<c16'), ('raw', '|S3'), ('d', '<m8[s]')]";

/// Two records with awkward values in each field.
fn records() -> DynValues {
    let mut bytes = Vec::new();
    for (i, name) in ["a,\"b", "é\n"].into_iter().enumerate() {
        bytes.extend([-7_i64, i64::MAX][i].to_le_bytes());
        bytes.extend([i64::MIN, -1][i].to_le_bytes());
        bytes.extend([0.1_f32, f32::NEG_INFINITY][i].to_be_bytes());
        let mut units: Vec<u8> = name.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
        units.resize(16, 0);
        bytes.extend(units);
        bytes.extend([1e-5_f64, 1e300][i].to_le_bytes());
        bytes.extend([1, 2, 3, 4 + i as u8]);
        bytes.push(i as u8);
        bytes.extend([1.5_f64, 0.0][i].to_le_bytes());
        bytes.extend([-2.0_f64, 1e-7][i].to_le_bytes());
        bytes.extend([b'x', 0, 0]);
        bytes.extend([86_400_i64, i64::MIN][i].to_le_bytes());
    }
    values(RECORD, Order::C, &[2], bytes)
}

#[test]
fn records_round_trip_through_text_with_their_dtype() {
    let directory = Files::new();
    let records = records();
    let file = directory.save("r.npy", &records);
    for format in ["csv", "tsv", "json", "ndjson"] {
        let (text, back) = (directory.path(&format!("r.{format}")), directory.path("back.npy"));
        convert(&[&file, &text]);
        convert(&["--dtype", RECORD, &text, &back]);
        assert_eq!(load(&back), records, "{format}");
    }
    assert_snapshot!(fs::read_to_string(directory.path("r.csv")).unwrap(), @r#"
    id,at,x,name,pose.y,"w[0,0]","w[0,1]","w[1,0]","w[1,1]",ok,z,raw,d
    -7,,0.1,"a,""b",1e-05,1,2,3,4,False,(1.5-2j),x,86400
    9223372036854775807,1969-12-31T23:59:59.999,-inf,"é
    ",1e+300,1,2,3,5,True,1e-07j,x,
    "#);
    assert_snapshot!(fs::read_to_string(directory.path("r.ndjson")).unwrap(), @r#"
    {"id":-7,"at":null,"x":0.1,"name":"a,\"b","pose":{"y":1e-05},"w":[[1,2],[3,4]],"ok":false,"z":[1.5,-2.0],"raw":"x","d":86400}
    {"id":9223372036854775807,"at":"1969-12-31T23:59:59.999","x":"-Infinity","name":"é\n","pose":{"y":1e+300},"w":[[1,2],[3,5]],"ok":true,"z":[0.0,1e-07],"raw":"x","d":null}
    "#);
}

#[test]
fn arrays_of_every_order_round_trip_through_every_format() {
    let directory = Files::new();
    for order in [Order::C, Order::Fortran] {
        let image = values("|u1", order, &[2, 3, 4], (0..24).collect::<Vec<u8>>());
        let plane = values("<u2", order, &[3, 2], (0..12).collect::<Vec<u8>>());
        let file = directory.save("image.npy", &image);
        let in_c = image.clone().into_order(Order::C).unwrap();
        for format in ["npy", "npz", "ra", "json", "ndjson", "safetensors", "png"] {
            let (there, back) = (directory.path(&format!("there.{format}")), directory.path("back.npy"));
            convert(&[&file, &there]);
            convert(&["--dtype", "u1", "--order", "C", &there, &back]);
            assert_eq!(load(&back), in_c, "{format} {order:?}");
            convert(&["--dtype", "u1", "--order", "F", &there, &back]);
            assert_eq!(load(&back), image.clone().into_order(Order::Fortran).unwrap(), "{format} {order:?}");
        }
        let file = directory.save("plane.npy", &plane);
        for format in ["csv", "tsv", "png"] {
            let (there, back) = (directory.path(&format!("there.{format}")), directory.path("back.npy"));
            convert(&[&file, &there]);
            convert(&["--dtype", "<u2", &there, &back]);
            assert_eq!(load(&back), plane.clone().into_order(Order::C).unwrap(), "{format} {order:?}");
        }
    }
}

#[test]
fn empty_and_single_arrays_round_trip() {
    let directory = Files::new();
    for (shape, bytes) in [(&[][..], vec![7_u8]), (&[0][..], vec![]), (&[0, 3][..], vec![]), (&[1, 1][..], vec![9])] {
        let array = values("|u1", Order::C, shape, bytes);
        let file = directory.save("a.npy", &array);
        for format in ["npy", "npz", "ra", "safetensors"] {
            let (there, back) = (directory.path(&format!("there.{format}")), directory.path("back.npy"));
            convert(&[&file, &there]);
            convert(&[&there, &back]);
            assert_eq!(load(&back), array, "{format} {shape:?}");
        }
        convert(&[&file, &directory.path("a.json")]);
        convert(&[&file, &directory.path("a.csv")]);
    }
}

#[test]
fn archives_gather_and_scatter_arrays() {
    let directory = Files::new();
    let a = directory.save("a.npy", &values("<i4", Order::C, &[1], [1, 0, 0, 0]));
    let b = directory.save("b.npy", &values("|u1", Order::Fortran, &[2, 2], [1, 2, 3, 4]));
    let archive = directory.path("out.npz");
    convert(&[&a, &b, &archive, "--compress=9"]);
    let mut reader = NpzReader::open(&archive).unwrap();
    assert_eq!(reader.names().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(reader.method(0), Some(8));
    assert_eq!(reader.array(1).unwrap().into_values().unwrap(), load(&b));
    let scattered = directory.path("out/");
    convert(&[&archive, &scattered]);
    assert_eq!(fs::read(format!("{scattered}a.npy")).unwrap(), fs::read(&a).unwrap());
    convert(&[&scattered, &directory.path("again.npz")]);
    assert_eq!(NpzReader::open(directory.path("again.npz")).unwrap().len(), 2);
    assert_snapshot!(directory.refused(["convert", &archive, &directory.path("x.csv")]), @"npy: out.npz: expected one array, found 2: a, b; select one, as in out.npz:a, or write an .npz archive or a directory");
    convert(&[&format!("{archive}:b"), &directory.path("b.json")]);
    assert_eq!(fs::read_to_string(directory.path("b.json")).unwrap(), "[[1,3],\n[2,4]]\n");
}

#[test]
fn members_below_directories_come_back() {
    let directory = Files::new();
    let (archive, there, back) = (directory.path("s.npz"), directory.path("out"), directory.path("back.npz"));
    let mut writer = npy_core::npz::NpzWriter::create(&archive).unwrap();
    for name in ["x", "grp/a", "grp/sub/b"] {
        writer.add_slice(name, &[1_u8]).unwrap();
    }
    writer.finish().unwrap();
    convert(&[&archive, "--to", "dir", &there]);
    convert(&["--from", "dir", &there, &back]);
    let names: Vec<String> = npy_core::npz::NpzReader::open(&back).unwrap().names().map(str::to_owned).collect();
    assert_eq!(names, ["grp/a", "grp/sub/b", "x"]);
}

#[test]
fn members_do_not_leave_the_directory() {
    let directory = Files::new();
    for name in ["../evil", "/tmp/evil", "a/../../evil"] {
        let mut archive = NpzWriter::create(directory.path("evil.npz")).unwrap();
        archive.add_slice(name, &[1_u8]).unwrap();
        archive.finish().unwrap();
        let message = directory.refused(["convert", &directory.path("evil.npz"), &directory.path("out/")]);
        assert!(message.contains("expected a name of a file inside of the directory"), "{message}");
    }
}

#[test]
fn fields_layouts_and_byte_orders_are_converted() {
    let directory = Files::new();
    let file =
        directory.save("r.npy", &values("[('a', '|u1'), ('p', [('x', '<u4'), ('y', '|u1')])]", Order::C, &[1], [1, 2, 0, 0, 0, 3]));
    let out = directory.path("o.npy");
    convert(&["--fields", "p.x", &file, &out]);
    assert_eq!(load(&out), values("[('p', [('x', '<u4')])]", Order::C, &[1], [2, 0, 0, 0]));
    convert(&["--align", "--endian", "big", &file, &out]);
    let aligned = load(&out);
    assert_eq!(aligned.bytes(), [1, 0, 0, 0, 0, 0, 0, 2, 3, 0, 0, 0]);
    convert(&["--packed", "--endian", "little", &out, &directory.path("back.npy")]);
    assert_eq!(load(directory.path("back.npy")), load(&file));
    assert_snapshot!(directory.refused(["convert", "--fields", "a,p.z", &file, &out]), @r#"npy: r.npy: unknown field "p.z": expected one of x, y"#);
}

#[test]
fn losses_are_refused_and_named() {
    let directory = Files::new();
    let out = directory.path("o.npy");
    let f8 = |number: f64| values("[('x', '<f8')]", Order::C, &[2], [0.5_f64.to_le_bytes(), number.to_le_bytes()].concat());
    let file = directory.save("x.npy", &f8(0.1));
    let dtype = "[('x', '<f4')]";
    assert_snapshot!(directory.refused(["convert", "--dtype", dtype, &file, &out]), @r#"npy: x.npy: field "x": element 1: cannot represent 0.1 exactly as <f4; allow it with --lossy"#);
    convert(&["--dtype", dtype, "--lossy", &file, &out]);
    assert_eq!(load(&out).field_as::<f32>("x").unwrap(), [0.5, 0.1]);
    convert(&["--dtype", dtype, &directory.save("y.npy", &f8(0.25)), &out]);
    assert_eq!(load(&out).field_as::<f32>("x").unwrap(), [0.5, 0.25]);
    let wide = directory.save("i.npy", &DynValues::from_slice(&[1_i64, 300]).unwrap());
    assert_snapshot!(directory.refused(["convert", "--dtype", "u1", &wide, &out]), @"npy: i.npy: element 1: 300 is out of range for |u1; allow it with --lossy");

    let text = directory.save("u.npy", &DynValues::from_slice(&["ab".to_owned(), "c".to_owned()]).unwrap());
    assert_snapshot!(directory.refused(["convert", "--dtype", "U1", &text, &out]), @"npy: u.npy: element 0: text has more than 1 character; allow it with --lossy");
    convert(&["--dtype", "S2", &text, &out]);
    assert_eq!(load(&out), values("|S2", Order::C, &[2], *b"abc\0"));
    convert(&["--dtype", ">U3", &out, &directory.path("unicode.npy")]);
    assert_eq!(load(directory.path("unicode.npy")).to_vec::<String>().unwrap(), ["ab", "c"]);
    assert_snapshot!(directory.refused(["convert", "--dtype", "S1", &text, &out]), @"npy: u.npy: element 0: text has more than 1 character; allow it with --lossy");
    let accent = directory.save("accent.npy", &DynValues::from_slice(&["aé".to_owned()]).unwrap());
    assert_snapshot!(directory.refused(["convert", "--dtype", "S2", &accent, &out]), @"npy: accent.npy: element 0: expected ASCII text, found 'é'; allow it with --lossy");
    convert(&["--dtype", "S2", "--lossy", &accent, &out]);
    assert_eq!(load(&out).bytes(), b"a?");
    let latin = directory.save("latin.npy", &values("|S1", Order::C, &[1], [0xe9]));
    assert_snapshot!(directory.refused(["convert", "--dtype", "U1", &latin, &out]), @"npy: latin.npy: element 0: expected ASCII text, found 0xe9; allow it with --lossy");

    let small: Vec<u8> = [1.0, 2.0, 1e-300, 4.0].into_iter().flat_map(f64::to_le_bytes).collect();
    let small = directory.save("small.npy", &values("<f8", Order::Fortran, &[2, 2], small));
    assert_snapshot!(directory.refused(["convert", "--dtype", "i4", &small, &out]), @"npy: small.npy: element (0, 1): cannot represent 1e-300 exactly as <i4; allow it with --lossy");

    let time = directory.save("t.npy", &values("<M8[ms]", Order::C, &[1], 1500_i64.to_le_bytes()));
    assert_snapshot!(directory.refused(["convert", "--dtype", "M8[s]", &time, &out]), @"npy: t.npy: element 0: time 1500 is not a whole number of the other unit; allow it with --lossy");
    convert(&["--dtype", "M8[s]", "--lossy", &time, &out]);
    assert_eq!(load(&out).bytes(), 1_i64.to_le_bytes());
    convert(&["--dtype", "M8[us]", &time, &out]);
    assert_eq!(load(&out).bytes(), 1_500_000_i64.to_le_bytes());

    let titled = directory.save("title.npy", &values("[(('A title', 'a'), '|u1')]", Order::C, &[1], [1]));
    let csv = directory.path("o.csv");
    assert_snapshot!(directory.refused(["convert", &titled, &csv]), @r#"npy: the conversion would lose title: the title of the field "a"; allow it with --lossy"#);
    let run = run(["convert", "--lossy", &titled, &csv]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "npy: lost title: the title of the field \"a\"\n"));
    let latin = directory.save("s.npy", &values("[('s', 'S2')]", Order::C, &[1], [0xe9, 0]));
    assert_snapshot!(directory.refused(["convert", &latin, &csv]), @r#"npy: s.npy: field "s": expected UTF-8, found the bytes "\xe9\x00"; write them as Latin-1 with --lossy"#);

    let bools = directory.save("b.npy", &values("|b1", Order::C, &[1], [1]));
    assert_snapshot!(directory.refused(["convert", &bools, &directory.path("o.ra")]), @"npy: the conversion would lose b: the dtype |b1, of which an .ra file keeps the bytes; allow it with --lossy");
    assert_snapshot!(directory.refused(["convert", &time, &directory.path("o.safetensors")]), @"npy: the conversion would lose t: the unit of <M8[ms], of which a tensor keeps the numbers; allow it with --lossy");
    let metadata = RaArray::try_from(load(&wide)).unwrap().with_metadata(b"hello".to_vec());
    metadata.save(directory.path("m.ra")).unwrap();
    assert_snapshot!(directory.refused(["convert", &directory.path("m.ra"), &out]), @"npy: the conversion would lose m.ra: 5 bytes of metadata; allow it with --lossy");
    let mut archive = NpzWriter::create(directory.path("notes.npz")).unwrap();
    archive.add_slice("x", &[1_u8]).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.finish().unwrap();
    assert_snapshot!(directory.refused(["convert", &directory.path("notes.npz"), &out]), @r#"npy: the conversion would lose notes.npz: the member "notes.txt", which is not an array; allow it with --lossy"#);
}

#[test]
fn other_files_are_refused() {
    let directory = Files::new();
    let f8 = directory.save("x.npy", &DynValues::from_slice(&[1.5_f64]).unwrap());
    let u1 = directory.save("u.npy", &DynValues::from_slice(&[1_u8]).unwrap());
    let out = directory.path("o.npy");
    assert_snapshot!(directory.refused(["convert", &f8, &directory.path("x.png")]), @"npy: x.npy: not an image: expected dtype |u1 or <u2, found <f8; convert it with --dtype u1");
    assert_snapshot!(directory.refused(["convert", &u1, &directory.path("x.png")]), @"npy: u.npy: not an image: expected shape (height, width) or (height, width, 1 to 4), found (1,)");
    assert_snapshot!(directory.refused(["convert", &f8, &directory.path("x.foo")]), @"npy: x.foo: unknown format: expected .npy, .npz, .ra, .csv, .tsv, .json, .ndjson, .safetensors, .png, .parquet, .arrow, or a directory; give one, as in --to npy");
    assert_snapshot!(directory.refused(["convert", &f8]), @"npy: expected an input and an output, found one name; write to standard output with - and --to");
    assert!(
        directory
            .refused(["convert", &directory.write("bad.png", "PNG"), &out])
            .starts_with("npy: bad.png: cannot read the image: ")
    );
    let tensors = |header: &str, data: &[u8]| {
        directory.write("t.safetensors", [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat())
    };
    let header = r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}"#;
    assert_snapshot!(directory.refused(["convert", &tensors(header, &[1]), &out]), @r#"npy: t.safetensors: invalid header: tensor "a": truncated file: expected 2 bytes of data at byte 61, found 1"#);
    let dimensions = header.replace("[2]", &format!("[{}2]", "1,".repeat(64)));
    assert_snapshot!(directory.refused(["convert", &tensors(&dimensions, &[1, 2]), &out]), @r#"npy: t.safetensors: invalid header: tensor "a": expected at most 64 dimensions, found 65"#);
    let offsets = header.replace("[0,2]", "[0,2,2]");
    assert_snapshot!(directory.refused(["convert", &tensors(&offsets, &[1, 2]), &out]), @r#"npy: t.safetensors: invalid header: tensor "a": expected two data offsets, found 3"#);
    let short = directory.write("short.safetensors", [3, 0, 0]);
    assert_snapshot!(directory.refused(["convert", &short, &out]), @"npy: short.safetensors: truncated file: expected 8 bytes of the length of the safetensors header, found 3");
    let short = directory.write("short.safetensors", *b"\x20\0\0\0\0\0\0\0{}");
    assert_snapshot!(directory.refused(["convert", &short, &out]), @"npy: short.safetensors: truncated file: expected 32 bytes of the safetensors header, found 2");
    assert_snapshot!(directory.refused(["convert", &tensors(header, &[1, 2, 3]), &out]), @"npy: t.safetensors: expected the end of the file after the last tensor, at byte 63, found it at byte 64");
    let shared = r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}"#;
    assert_snapshot!(directory.refused(["convert", &tensors(shared, &[1, 2]), &out]), @r#"npy: t.safetensors: invalid header: tensor "b": expected data from offset 2, found 1 to 2"#);
    assert_snapshot!(directory.refused(["convert", &tensors(&header.replace("[2]", "[3]"), &[1, 2]), &out]), @r#"npy: t.safetensors: invalid header: tensor "a": expected 3 bytes of data, found offsets 0 and 2"#);
    assert_snapshot!(directory.refused(["convert", &tensors(&header.replace("U8", "F4"), &[1, 2]), &out]), @r#"npy: t.safetensors: tensor "a": NumPy has no dtype for F4; leave the tensor out with --lossy"#);
    let twice = r#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}"#;
    assert_snapshot!(directory.refused(["convert", &tensors(twice, &[1, 2]), &out]), @r#"npy: t.safetensors: invalid safetensors header: duplicate name "a" at line 1 column 61"#);
    let twice = header.replace("}}", r#","shape":[1]}}"#);
    assert_snapshot!(directory.refused(["convert", &tensors(&twice, &[1, 2]), &out]), @r#"npy: t.safetensors: invalid safetensors header: duplicate name "shape" at line 1 column 59"#);
    let metadata = format!(r#"{{"__metadata__":{{"format":"pt"}},{}"#, &header[1..]);
    assert_snapshot!(directory.refused(["convert", &tensors(&metadata, &[1, 2]), &out]), @r#"npy: the conversion would lose t.safetensors: the metadata {"format":"pt"}; allow it with --lossy"#);
    for nothing in ["{}", "null"] {
        convert(&[&tensors(&metadata.replace(r#"{"format":"pt"}"#, nothing), &[1, 2]), &out]);
    }
    let list = metadata.replace(r#"{"format":"pt"}"#, "[1]");
    assert_snapshot!(directory.refused(["convert", &tensors(&list, &[1, 2]), &out]), @"npy: t.safetensors: invalid safetensors header: expected an object as the metadata at line 1 column 19");
    let unknown = r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"F4","shape":[2],"data_offsets":[1,2]}}"#;
    assert_snapshot!(directory.refused(["convert", "--lossy", &tensors(unknown, &[1, 2]), &out]), @r#"npy: t.safetensors: invalid header: tensor "b": expected data from offset 2, found 1 to 2"#);
    let none = header.replace("U8", "F4");
    assert_snapshot!(directory.refused(["convert", "--lossy", &tensors(&none, &[1, 2]), &out]), @r#"npy: t.safetensors: expected a tensor of a dtype that NumPy has, found the tensor "a" of dtype F4"#);
    let two = r#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F4","shape":[1],"data_offsets":[1,2]}}"#;
    let run = directory.run(["convert", "--lossy", &tensors(two, &[5, 6]), &out]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "npy: lost t.safetensors: the tensor \"b\" of dtype F4\n"));
    assert_eq!(load(&out).bytes(), [5]);
    fs::remove_file(&out).unwrap();
    let mixed = directory.save("mixed.npy", &records());
    assert!(
        directory
            .refused(["convert", &mixed, &directory.path("o.ra")])
            .ends_with("; convert it with `npy convert --endian little`\n")
    );
    let text = directory.write("m.txt", "1\n3\n");
    assert_snapshot!(directory.refused(["convert", &text, &out]), @"npy: m.txt: unknown format: expected an .npy, .npz or .ra file, found plain text; `npy convert --from csv m.txt data.npy` reads it line by line");
    let header = npy_core::Header::new("|O".parse().unwrap(), Order::C, &[1]).unwrap();
    let objects = directory.write("objects.npy", [header.to_bytes(), b"\x80\x02]q\x00Na.".to_vec()].concat());
    assert_snapshot!(directory.refused(["convert", &objects, &directory.path("o.json")]), @"npy: objects.npy: unsupported pickle at byte 130: expected an array of objects, found a list");
    let huge = directory.write("huge.safetensors", [0xff; 16]);
    assert_snapshot!(directory.refused(["convert", &huge, &out]), @"npy: huge.safetensors: invalid length of the safetensors header: expected at most 100,000,000 bytes, found 18,446,744,073,709,551,615");
    // Widened exactly.
    let brain = r#"{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}"#;
    convert(&[&tensors(brain, &[0x80, 0x3f, 0x20, 0xc0]), &out]);
    assert_eq!(load(&out).to_vec::<f32>().unwrap(), [1.0, -2.5]);
}

/// Tensors of 8 bits keep their dtype, and have values; numbers are rounded to them.
#[test]
fn types_of_ml_dtypes_have_values_everywhere() {
    let directory = Files::new();
    for (code, name, bytes, numbers) in [
        ("F8_E4M3", "float8_e4m3fn", [0x38, 0x7e], [1.0, 448.0]),
        ("F8_E5M2", "<f1", [0x3c, 0x40], [1.0, 2.0]),
        ("F8_E4M3FNUZ", "float8_e4m3fnuz", [0x40, 0x7f], [1.0, 240.0]),
        ("F8_E5M2FNUZ", "float8_e5m2fnuz", [0x40, 0x7f], [1.0, 57344.0]),
        ("F8_E8M0", "float8_e8m0fnu", [0x7f, 0x81], [1.0, 4.0]),
    ] {
        let header = format!(r#"{{"a":{{"dtype":"{code}","shape":[2],"data_offsets":[0,2]}}}}"#);
        let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes].concat();
        let (tensors, array) = (directory.write("t.safetensors", &file), directory.path("a.npy"));
        convert(&[&tensors, &array]);
        assert_eq!((load(&array).dtype().to_string(), load(&array).bytes()), (name.to_owned(), &bytes[..]));
        let back = directory.path("back.safetensors");
        convert(&[&array, &back]);
        let stored = fs::read(back).unwrap();
        assert!(stored.ends_with(&bytes) && String::from_utf8_lossy(&stored).contains(&format!("\"{code}\"")), "{code}");
        let json = run(["convert", &array, "--to", "json", "-"]).stdout;
        assert_eq!(serde_json::from_str::<Vec<f64>>(&json).unwrap(), numbers, "{code}: {json}");
        let wide = directory.path("wide.npy");
        convert(&[&array, &wide, "--dtype", "f4"]);
        assert_eq!(load(&wide).cast::<f64>(npy_core::Casting::Safe).unwrap(), numbers);
        assert_eq!(run(["diff", &array, &wide]).code, Some(0), "the same numbers");
        let stats = run(["stats", "--json", &array]).stdout;
        assert!(stats.contains(&numbers[1].to_string()), "{stats}");
        let narrow = directory.path("narrow.npy");
        convert(&[&wide, &narrow, "--dtype", name]);
        assert_eq!(fs::read(&narrow).unwrap(), fs::read(&array).unwrap(), "{code}");
    }
    let tenths = directory.save("tenths.npy", &values("<f8", Order::C, &[2], [0.5_f64, 0.1].map(f64::to_le_bytes).concat()));
    let narrow = directory.path("narrow.npy");
    assert_snapshot!(directory.refused(["convert", &tenths, &narrow, "--dtype", "float8_e4m3fn"]), @"npy: tenths.npy: element 1: cannot represent 0.1 exactly as float8_e4m3fn; allow it with --lossy");
    convert(&[&tenths, &narrow, "--dtype", "float8_e4m3fn", "--lossy"]);
    assert_eq!(load(&narrow).bytes(), [0x30, 0x1d]);
    assert_snapshot!(run(["info", &narrow]).stdout.replace(&narrow, "narrow.npy"), @"
    narrow.npy  .npy, version 1.0, 130 B
      shape     (2,), 2 elements
      order     C (the last index varies fastest)
      data      2 bytes at offset 128, aligned to 64
      mappable  yes
      dtype     float8_e4m3fn
    ");
    let text = directory.save("text.npy", &DynValues::from_slice(&["1".to_owned()]).unwrap());
    assert_snapshot!(directory.refused(["convert", &text, &narrow, "--dtype", "float8_e4m3fn"]), @"npy: text.npy: cannot convert <U1 to float8_e4m3fn: expected numbers");
    let single = directory.save("f.npy", &values("<f4", Order::C, &[2], [1.0_f32, -2.5].map(f32::to_le_bytes).concat()));
    let (brain, tensors) = (directory.path("b.npy"), directory.path("b.safetensors"));
    convert(&[&single, &brain, "--dtype", "bfloat16"]);
    assert_eq!((load(&brain).dtype().to_string(), load(&brain).bytes()), ("<V2".to_owned(), &[0x80, 0x3f, 0x20, 0xc0][..]));
    convert(&[&brain, &tensors]);
    convert(&[&tensors, &directory.path("again.npy")]);
    assert_eq!(load(directory.path("again.npy")).to_vec::<f32>().unwrap(), [1.0, -2.5]);
}

#[test]
fn pipes_are_inputs_and_outputs() {
    let directory = Files::new();
    let fields: Vec<String> = (0..200).map(|i| format!("('field{i}', '|u1')")).collect();
    // Its header is longer than what is read to tell the format.
    let wide = values(&format!("[{}]", fields.join(", ")), Order::C, &[2], vec![3; 400]);
    let mut bytes = Vec::new();
    wide.write(&mut bytes).unwrap();
    let run = run_with(["convert", "-", "--to", "npy", "-"], &bytes);
    assert_eq!((run.code, run.bytes == bytes), (Some(0), true), "{}", run.stderr);
    let run = run_with(["convert", "-", "--to", "npz", "-"], &bytes);
    let archive = directory.write("a.npz", &run.bytes);
    assert_eq!(NpzReader::open(archive).unwrap().array(0).unwrap().into_values().unwrap(), wide);
    let fortran = values("|u1", Order::Fortran, &[2, 2], [1, 2, 3, 4]);
    let mut bytes = Vec::new();
    fortran.write(&mut bytes).unwrap();
    assert_eq!(run_with(["convert", "-", "-", "--to", "tsv"], &bytes).ok(), "1\t3\n2\t4\n");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_an_error() {
    let directory = Files::new();
    let file = directory.save("x.npy", &DynValues::from_slice(&[1_u8; 1000]).unwrap());
    for format in ["npy", "npz", "csv", "json", "safetensors", "ra"] {
        let message = directory.refused(["convert", &file, "/dev/full", "--to", format]);
        assert!(message.contains("No space left on device"), "{format}: {message}");
    }
}

#[cfg(unix)]
#[test]
fn interrupt_leaves_nothing_behind() {
    let directory = Files::new();
    let header = npy_core::Header::new("<f8".parse().unwrap(), Order::C, &[1 << 33]).unwrap();
    let file = directory.write("sparse.npy", header.to_bytes());
    fs::File::options().write(true).open(&file).unwrap().set_len(header.to_bytes().len() as u64 + (8 << 33)).unwrap();
    for out in ["out.npz", "out.csv", "out.npy"] {
        let mut child = crate::support::command(["convert", "--endian", "big", &file, &directory.path(out)]).spawn().unwrap();
        while directory.names().len() < 2 {
            assert!(child.try_wait().unwrap().is_none(), "{out}: it ended before it wrote");
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{out}");
        assert_eq!(directory.names(), ["sparse.npy"], "{out}");
    }
}

/// Nobody reads at first, and then not to the end.
#[cfg(unix)]
#[test]
fn interrupt_ends_the_wait_for_a_reader() {
    let directory = Files::new();
    let file = directory.save("x.npy", &DynValues::from_slice(&vec![1_u8; 1 << 20]).unwrap());
    let pipe = directory.path("pipe.npy");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let interrupt = |signal: &str, mut child: std::process::Child| {
        std::thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none());
        assert!(std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        for _ in 0..200 {
            if let Some(status) = child.try_wait().unwrap() {
                return assert_eq!(status.code(), Some(130));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        panic!("the signal was ignored");
    };
    let spawn = |to: &str| crate::support::command(["convert", "--to", to, &file, &pipe]).spawn().unwrap();
    interrupt("-INT", spawn("npy"));
    interrupt("-TERM", spawn("npz"));
    let child = spawn("csv");
    let reader = fs::File::open(&pipe).unwrap();
    interrupt("-INT", child);
    drop(reader);
    // A reader that comes late gets everything.
    let child = spawn("npy");
    std::thread::sleep(Duration::from_millis(100));
    assert!(fs::read(&pipe).unwrap() == fs::read(&file).unwrap());
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn numpy_reads_what_is_written() {
    let Some(numpy) = numpy("numpy_reads_what_is_written") else { return };
    let directory = Files::new();
    let r = directory.save("r.npy", &records());
    let numbers: Vec<u8> = (0..12).flat_map(|i| (f64::from(i) / 3.0).to_le_bytes()).collect();
    let m = directory.save("m.npy", &values("<f8", Order::Fortran, &[2, 3, 2], numbers));
    for name in ["r.csv", "r.ndjson"] {
        convert(&[&r, &directory.path(name)]);
    }
    for name in ["m.csv", "m.json", "m.safetensors"] {
        convert(&[&m, &directory.path(name)]);
    }
    convert(&[&m, &r, &directory.path("m.npz")]);
    convert(&["--align", &r, &directory.path("aligned.npy")]);
    let printed = numpy.run(["command.py", "conversions", &directory.directory().display().to_string()], b"");
    assert_snapshot!(String::from_utf8(printed).unwrap(), @"
    ['id', 'at', 'x', 'name', 'pose.y'] True True
    True True
    True True
    True True
    True float64 True True
    F64 True
    True True
    ");
    convert(&[&directory.path("np.csv"), &directory.path("back.npy")]);
    assert_eq!(load(directory.path("back.npy")).bytes(), load(&m).into_order(Order::C).unwrap().bytes());
    convert(&[&directory.path("np.tsv"), &directory.path("back.npy")]);
    assert_snapshot!(load(directory.path("back.npy")).dtype(), @"[('i', '<i8'), ('s', '<U1'), ('x', '<f8')]");
}
