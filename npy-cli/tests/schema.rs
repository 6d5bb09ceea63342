//! `npy schema`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use npy_core::npz::NpzWriter;
use npy_core::{DType, NpyReader};

use crate::support::compiler::Compiler;
use crate::support::numpy::numpy;
use crate::support::{data, example, files_below, run};

#[test]
fn writes_a_struct_named_after_the_file() {
    let text = run(["schema", &example("picks.npy")]).ok();
    assert!(
        text.starts_with(
            "/// A record of 277 bytes.\n#[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]\npub struct Picks {\n"
        )
    );
    assert!(text.contains("    pub origin: PicksOrigin,\n"));
    let named = run(["schema", "--name", "Event", &example("picks.npy")]).ok();
    assert!(named.contains("pub struct Event {"));
}

#[test]
fn writes_the_dtype_for_python() {
    let text = run(["schema", "--python", &example("travel_times.npy")]).ok();
    assert_eq!(text, "np.dtype('<f8')\n");

    // Padding is told by offsets: fields without a name would become fields.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("padded.npz");
    let dtype: DType = "{'names': ['a', 'b'], 'formats': ['<i2', '<f8'], 'offsets': [0, 8], 'itemsize': 16}".parse().unwrap();
    let values = npy_core::DynValues::new(dtype, npy_core::Order::C, &[1], vec![0; 16]).unwrap();
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_content("it's\n", |out| values.write(out)).unwrap();
    archive.finish().unwrap();
    let text = run(["schema".as_ref(), "--python".as_ref(), path.as_os_str()]).ok();
    insta::assert_snapshot!(text, @r#"
{
    'it\'s\n': np.dtype({'names': ['a', 'b'], 'formats': ['<i2', '<f8'], 'offsets': [0, 8], 'itemsize': 16}),
}
"#);
}

#[test]
fn writes_the_array_type_of_plain_dtypes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.npy");
    npy_core::save(&path, &[[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).unwrap();
    let text = run(["schema".as_ref(), path.as_os_str()]).ok();
    assert_eq!(text, "// Needs npy-ndarray.\n/// `<f4`\npub type M = npy_ndarray::ndarray::Array2<f32>;\n");
}

#[test]
fn records_with_objects_are_structs_for_serde() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("o.npy");
    let schema = |descr: &str| {
        let header = npy_core::Header::new(descr.parse().unwrap(), npy_core::Order::C, &[1]).unwrap();
        fs::write(&path, [header.to_bytes(), b"\x80\x02]q\x00Na.".to_vec()].concat()).unwrap();
        run(["schema".as_ref(), path.as_os_str()]).ok()
    };
    insta::assert_snapshot!(schema("|O"), @"
    /// `|O`, read by `npy_core::object::load(path)?.to_vec::<O>()`.
    pub type O = npy_core::object::PyObject;
    ");
    insta::assert_snapshot!(schema("[('id', '<u4'), ('Depth [km]', '|O'), ('name', '<U3')]"), @r#"
    /// A record with Python objects, read by `npy_core::object::load(path)?.deserialize::<O>()`.
    #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
    pub struct O {
        /// `<u4`
        pub id: u32,
        /// `|O`
        #[serde(rename = "Depth [km]")]
        pub depth_km: npy_core::object::PyObject,
        /// `<U3`
        pub name: String,
    }
    "#);
}

/// The struct of every structured golden file compiles and loads it, and that of an archive the
/// whole archive.
#[test]
fn structs_of_golden_files_compile_and_load_them() {
    let mut dtypes = BTreeSet::new();
    let mut program = String::from("#![allow(dead_code)]\n");
    let mut main = String::new();
    let mut count = 0;
    for path in files_below(&data(""), ".npy") {
        let Ok(reader) = NpyReader::open(&path) else { continue };
        let dtype = reader.header().dtype().clone();
        if !matches!(dtype, DType::Record(_)) || !dtypes.insert(dtype.to_string()) {
            continue;
        }
        // Some golden files are damaged on purpose.
        let load = if dtype.has_object() {
            npy_core::object::load(&path).map(|_| "load_objects")
        } else {
            npy_core::DynValues::load(&path).map(|_| "load")
        };
        let Ok(load) = load else { continue };
        let code = run(["schema".as_ref(), "--name".as_ref(), "Record".as_ref(), path.as_os_str()]).ok();
        let module: String = code.lines().map(|line| format!("    {line}\n")).collect();
        writeln!(program, "mod case_{count} {{\n{module}}}\n").unwrap();
        writeln!(main, "    {load}::<case_{count}::Record>({:?});", path.display().to_string()).unwrap();
        count += 1;
    }
    assert!(count > 40, "{count}");

    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema");
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join("run.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_slice("times", &[0.5_f64, 1.5]).unwrap();
    archive.add_scalar("sampling rate", &100_u32).unwrap();
    archive.add_bytes("notes.txt", b"hello").unwrap();
    archive.add_content("picks", |out| npy_core::DynValues::load(example("picks.npy"))?.write(out)).unwrap();
    archive.finish().unwrap();
    let code = run(["schema".as_ref(), path.as_os_str()]).ok();
    assert!(code.contains("    // \"notes.txt\" is not an array.\n"), "{code}");
    writeln!(program, "{code}").unwrap();
    writeln!(main, "    let run = <Run as npy_ndarray::NpzArchive>::load_npz({:?}).unwrap();", path.display().to_string()).unwrap();
    main.push_str("    assert_eq!((run.times.len(), run.sampling_rate, run.picks.len()), (2, 100, 240));\n");

    let objects = numpy("structs_of_golden_files_compile_and_load_them, of objects").map(|numpy| {
        let path = directory.join("objects.npy");
        fs::write(&path, numpy.run(["command.py", "objects"], b"")).unwrap();
        let code = run(["schema".as_ref(), path.as_os_str()]).ok();
        writeln!(program, "{code}").unwrap();
        writeln!(main, "    let records = npy_core::object::load({path:?}).unwrap().deserialize::<Objects>().unwrap();").unwrap();
        main.push_str("    let first = &records[0];\n");
        for field in ["depth", "at[0].when", "at[1].x", "code", "rows", "raw", "objects[1][0]"] {
            writeln!(main, "    println!(\"{field}: {{}}\", first.{field});").unwrap();
        }
        for field in ["id", "half", "wide[39]", "row", "none", "z"] {
            writeln!(main, "    println!(\"{field}: {{:?}}\", first.{field});").unwrap();
        }
    });
    write!(
        program,
        "fn load<T: npy_core::NpyRecord>(path: &str) {{
    let reader = npy_core::NpyReader::open(path).unwrap();
    let count = reader.header().element_count();
    assert_eq!(reader.into_vec::<T>().unwrap().len(), count, \"{{path}}\");
}}

fn load_objects<T: serde::de::DeserializeOwned>(path: &str) {{
    let array = npy_core::object::load(path).unwrap();
    assert_eq!(array.deserialize::<T>().unwrap().len(), array.items().len(), \"{{path}}\");
}}

fn main() {{\n{main}}}\n"
    )
    .unwrap();
    let source = directory.join("main.rs");
    fs::write(&source, program).unwrap();
    let probe = "
#![allow(unused)]
use npy_core::{NpyRecord, half, num_complex};
use npy_ndarray::NpzArchive;
#[derive(serde::Deserialize)]
struct Probe {}
fn deserialize(array: &npy_core::object::ObjectArray) -> npy_core::Result<Vec<Probe>> {
    array.deserialize::<Probe>()
}
fn main() {}
";
    let printed = Compiler::new(&["npy_core", "npy_ndarray", "serde"], probe).run(&source, &directory);
    if objects.is_some() {
        insta::assert_snapshot!(printed, @r#"
        depth: (1, None)
        at[0].when: datetime.datetime(2024, 2, 29, 0, 0)
        at[1].x: {'b': 2}
        code: b'xy'
        rows: array([(3,), (4,)], dtype=[('y', '<i8')])
        raw: b'abc'
        objects[1][0]: 's'
        id: 7
        half: [[0.0, 0.0], [0.0, 0.0], [0.0, 0.5]]
        wide[39]: (1.0, -2.0)
        row: ObjectsRow { y: "z", ok: true }
        none: []
        z: (0.0, 3.0)
        "#);
    }
    crate::support::announce(&format!("npy schema: structs of {count} golden dtypes compile and load"));
}
