//! Arrays of Python objects in all commands.

use std::fs;

use npy_core::npz::NpzWriter;
use npy_core::object::{ObjectArray, PyDate, PyDateTime, PyObject, PyTime, StringDType};
use npy_core::{DType, Order};

use crate::support::{Files, data, session};

/// `[1, 'a', physics.Quantum('1')]`, whose class is unknown.
fn with_unknown_class() -> Vec<u8> {
    let objects = ObjectArray::from(vec![PyObject::from(1), PyObject::from("a"), PyObject::Decimal("1".to_owned())]);
    let mut file = Vec::new();
    objects.write(&mut file).unwrap();
    for (known, unknown) in [(b"decimal", b"physics"), (b"Decimal", b"Quantum")] {
        let at = file.windows(7).position(|window| window == known).unwrap();
        file[at..at + 7].copy_from_slice(unknown);
    }
    file
}

/// The bytes of a file of these objects.
fn file_of(array: &ObjectArray) -> Vec<u8> {
    let mut file = Vec::new();
    array.write(&mut file).unwrap();
    file
}

fn of<T: Into<PyObject>>(items: Vec<T>) -> Vec<u8> {
    file_of(&ObjectArray::from(items.into_iter().map(Into::into).collect::<Vec<PyObject>>()))
}

/// `[('index', '<i8'), ('name', 'O'), ('x', '<f8')]`
fn records() -> Vec<u8> {
    let dtype: DType = "[('index', '<i8'), ('name', 'O'), ('x', '<f8')]".parse().unwrap();
    let record = |index: i64, name: Option<&str>, x: f64| PyObject::Tuple(vec![index.into(), name.into(), x.into()]);
    let items = vec![record(1, Some("Ada"), 0.5), record(2, None, 1.5)];
    file_of(&ObjectArray::with_dtype(dtype, &[2], items, None).unwrap())
}

fn dates() -> Vec<u8> {
    let date = PyDate::new(2024, 1, 2).unwrap();
    let moment = PyDateTime::new(date, PyTime::new(3, 4, 5, 6).unwrap());
    of(vec![PyObject::Date(date), PyObject::None, PyObject::DateTime(Box::new(moment))])
}

/// An archive with an array of numbers, one of text, one of several kinds, and one of an unknown class.
fn archive(first: f64, text: &str) -> Vec<u8> {
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_slice("x", &[first, 2.5]).unwrap();
    archive.add_bytes("text.npy", &of(vec![text, "b"])).unwrap();
    archive.add_bytes("mixed.npy", &of(vec![PyObject::from(1), PyObject::from("a")])).unwrap();
    archive.add_bytes("unknown.npy", &with_unknown_class()).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn unknown_classes_are_no_damage_and_the_other_elements_are_shown() {
    let files = Files::with(&[("c.npy", &with_unknown_class())]);
    session!(files, @r#"
    $ npy verify c.npy
    c.npy: good, unknown class physics.Quantum
    1 file, 1 item: all good
    $ npy verify --json c.npy
    {"file":"c.npy","good":true,"items":[{"good":true,"member":null,"remarks":["unknown class physics.Quantum"]}]}
    $ npy show c.npy
    npy: c.npy: unknown class physics.Quantum, shown by name; --opaque leaves this note out
    [1 'a' <physics.Quantum('1')>]
    $ npy show --opaque c.npy
    [1 'a' <physics.Quantum('1')>]
    $ npy show c.npy [:2]
    [1 'a']
    "#);
}

/// Of a pickle that only Python reads, nothing is known.
#[test]
fn verify_tells_intact_pickles_from_damaged_ones() {
    let header = npy_core::Header::new("|O".parse().unwrap(), npy_core::Order::C, &[1]).unwrap().to_bytes();
    let pickle = |bytes: &[u8]| [&header[..], bytes].concat();
    let files = Files::with(&[
        ("cycle.npy", &pickle(b"\x80\x02]q\0h\0a.")),
        ("other.npy", &pickle(b"\x80\x02K\x01.")),
        ("future.npy", &pickle(b"\x80\x09K\x01.")),
        ("cut.npy", &pickle(b"\x80\x02K")),
        ("empty.npy", &pickle(b"\x80\x02a.")),
        ("python2.npy", &fs::read(data("numpy-tests/py2-objarr.npy")).unwrap()),
    ]);
    session!(files, @"
    $ npy verify cycle.npy other.npy future.npy cut.npy empty.npy python2.npy
    cycle.npy: unsupported pickle at byte 130: expected an array of objects, found a list
    other.npy: unsupported pickle at byte 130: expected an array of objects, found an int
    future.npy: not checked: unsupported pickle at byte 128: unknown protocol 9: expected 0 to 5
    cut.npy: truncated file: the pickle needs 1 byte at offset 131, found 0
    empty.npy: unsupported pickle at byte 130: opcode APPEND: stack underflow
    6 files, 6 items: 4 damaged, 1 unreadable
    exit code 2
    ");
}

/// `np.load` fails where a name of NumPy is another one, and so does `show`.
#[test]
fn verify_agrees_with_show_on_arrays_of_unknown_functions() {
    let mut file = Vec::new();
    ObjectArray::from(vec!["a", "b"]).write(&mut file).unwrap();
    for (name, other) in [("multiarray", "multiarraz"), ("_reconstruct", "_reconstrucu"), ("ndarray", "ndarraz")] {
        let mut changed = file.clone();
        let at = changed.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap();
        changed[at..at + name.len()].copy_from_slice(other.as_bytes());
        let files = Files::with(&[("o.npy", &changed)]);
        let [verified, shown] = ["verify o.npy", "show o.npy"].map(|words| files.npy(words));
        assert_eq!(verified.code, Some(2));
        assert!(verified.stdout.ends_with("1 damaged\n"), "{}", verified.stdout);
        for text in [verified.stdout, shown.stderr] {
            assert!(text.contains("expected an array of objects, found an ") && text.contains(other), "{text}");
        }
    }
}

#[test]
fn verify_remarks_names_that_surprise() {
    let files = Files::new();
    // Of equal lengths, so that they can be changed in the file.
    let path = files.archive("a.npz", |archive| {
        ["twice", "bwice", "aaa/x"].iter().for_each(|name| archive.add_slice(name, &[1_u8]).unwrap());
    });
    replace(&path, b"bwice", b"twice");
    replace(&path, b"aaa/x", b"../xx");
    session!(files, @"
    $ npy verify a.npz
    a.npz:twice: good, the name occurs 2 times, and NumPy reads the last of them
    a.npz:twice: good, the name occurs 2 times, and NumPy reads the last of them
    a.npz:../xx: good, the name leads out of the directory of the archive, or is not a name on all systems
    1 file, 3 items: all good
    ");
}

/// A selection comes first, then the question whether what is left can be handled.
#[test]
fn fields_without_objects_are_selected_from_records_with_objects() {
    let files = Files::with(&[("r.npy", &records())]);
    session!(files, @r#"
    $ npy show --csv r.npy index
    1
    2
    $ npy show --csv r.npy
    index,name,x
    1,Ada,0.5
    2,,1.5
    $ npy show --json r.npy
    [{"index":1,"name":"Ada","x":0.5},
    {"index":2,"name":null,"x":1.5}]
    $ npy convert --fields x,index r.npy - --to json
    [{"x":0.5,"index":1},
    {"x":1.5,"index":2}]
    $ npy convert --fields index r.npy i.npy
    $ npy show i.npy
    [(1,) (2,)]
    $ npy convert --fields name,x r.npy n.npy
    $ npy show n.npy
    [('Ada', 0.5) (None, 1.5)]
    $ npy stats --json --fields index r.npy
    {"dtype":"[('index', '<i8'), ('name', '|O'), ('x', '<f8')]","file":"r.npy","order":"C","shape":[2],"stats":[{"count":2,"distinct":2,"distinct_exact":true,"dtype":"<i8","field":"index","histogram":[1,1],"histogram_exact":true,"histogram_width":1,"max":2,"mean":1.5,"min":1,"quantiles":{"1":1.01,"25":1.25,"5":1.05,"50":1.5,"75":1.75,"95":1.95,"99":1.99},"quantiles_rank_error":0.0,"std":0.5,"zeros":0}]}
    $ npy diff --fields x r.npy r.npy
    r.npy r.npy: equal
    $ npy stats --fields nope r.npy
    npy: r.npy: unknown field "nope": expected one of index, name, x
    exit code 2
    "#);
}

/// What each kind of objects becomes as text and as a dtype.
#[test]
fn objects_of_one_kind_are_converted() {
    let text = StringDType::new(true, Some(PyObject::Float(f64::NAN)));
    let texts = ObjectArray::from(vec![PyObject::from("a"), PyObject::Float(f64::NAN)]).with_string_dtype(text).unwrap();
    let cases: [(&str, Vec<u8>); 12] = [
        ("text", of(vec!["a", "é,\"", ""])),
        ("bytes", of(vec![&b"a"[..], b"bc"])),
        ("bools", of(vec![true, false])),
        ("ints", of(vec![1, -2])),
        ("large", of(vec![u64::MAX])),
        ("huge", of(vec![PyObject::from(1), PyObject::from(1_i128 << 90)])),
        ("floats", of(vec![PyObject::from(1), PyObject::from(0.5), PyObject::None])),
        ("inexact", of(vec![PyObject::from(0.5), PyObject::from(i64::MAX)])),
        ("dates", dates()),
        ("none in ints", of(vec![Some(1), None])),
        ("none in text", of(vec![Some("a"), None])),
        ("StringDType", file_of(&texts)),
    ];
    let mut table = String::new();
    for (name, file) in cases {
        let files = Files::with(&[("o.npy", &file)]);
        let [csv, json] =
            ["csv", "json"].map(|format| files.npy(&format!("convert o.npy - --to {format}")).ok().trim_end().to_owned());
        // The dtype that the objects tell, in a format that has no objects.
        let typed = files.npy("convert --lossy --to ra o.npy o.ra").stderr;
        let typed = typed.split_once("the dtype ").map_or(typed.trim_end(), |(_, rest)| rest.split_once(',').unwrap().0);
        table += &format!("{name}: {csv:?} {json} {}\n", if typed.is_empty() { "and no loss" } else { typed });
    }
    insta::assert_snapshot!(table, @r#"
    text: "value\na\n\"é,\"\"\"\n\"\"" ["a","é,\"",""] <U3
    bytes: "value\na\nbc" ["a","bc"] |S2
    bools: "True\nFalse" [true,false] |b1
    ints: "1\n-2" [1,-2] and no loss
    large: "18446744073709551615" [18446744073709551615] and no loss
    huge: "1\n1237940039285380274899124224" [1,"1237940039285380274899124224"] npy: o.npy: element 1: expected an integer of 64 bits, found a larger one; CSV and JSON keep all digits
    floats: "1\n0.5\n\"\"" [1,0.5,null] and no loss
    inexact: "0.5\n9223372036854775807" [0.5,9223372036854775807] npy: o.npy: element 1: expected a value that <f8 holds exactly, found 9223372036854775807
    dates: "2024-01-02\n\"\"\n2024-01-02T03:04:05.000006" ["2024-01-02",null,"2024-01-02T03:04:05.000006"] <M8[us]
    none in ints: "1\n\"\"" [1,null] npy: o.npy: element 1: expected a value that <i8 holds, found a missing one; --dtype f8 makes it NaN
    none in text: "value\na\n\"\"" ["a",null] <U1
    StringDType: "value\na\n\"\"" ["a",null] <U1
    "#);
}

#[test]
fn dtypes_are_asked_for_as_of_other_arrays() {
    let files = Files::with(&[("t.npy", &of(vec!["ab", "c"])), ("i.npy", &of(vec![Some(1), None])), ("d.npy", &dates())]);
    session!(files, @"
    $ npy convert --dtype U t.npy u.npy
    $ npy show u.npy
    ['ab' 'c']
    $ npy convert --dtype U1 t.npy v.npy
    npy: t.npy: element 0: text has more than 1 character; allow it with --lossy
    exit code 2
    $ npy convert --dtype f4 i.npy f.npy
    $ npy show f.npy
    [ 1. nan]
    $ npy convert --dtype i4 i.npy j.npy
    npy: i.npy: element 1: expected a value that <i8 holds, found a missing one; --dtype f8 makes it NaN
    exit code 2
    $ npy convert --dtype M8[s] --lossy d.npy s.npy
    ");
    // Text with NaN for what is missing, as pandas has it.
    files.write("n.npy", of(vec![PyObject::from("a"), PyObject::Float(f64::NAN)]));
    session!(files, @"
    $ npy convert --dtype U n.npy m.npy
    npy: n.npy: element 1: expected a value that <U1 holds, found a missing one; --lossy makes it empty
    exit code 2
    $ npy convert --dtype U --lossy n.npy m.npy
    $ npy show m.npy
    ['a' '']
    $ npy show s.npy
    ['2024-01-02T00:00:00'                 'NaT' '2024-01-02T03:04:05']
    ");
}

/// Objects as CSV, and back as what it tells.
#[test]
fn objects_come_back_from_csv() {
    let nan = || PyObject::Float(f64::NAN);
    let date = || PyObject::Date(PyDate::new(2024, 1, 2).unwrap());
    let matrix = ["a", "b", "c", "d"].map(PyObject::from).to_vec();
    let cases = [
        ("one text", of(vec!["a"]), "['a']"),
        ("texts", of(vec!["a", "value", ""]), "['a' 'value' '']"),
        ("text, None", of(vec![Some("a"), None]), "['a' '']"),
        ("text, NaN", of(vec![nan(), "a".into()]), "['' 'a']"),
        ("bytes, NaN", of(vec![PyObject::Bytes(b"a".to_vec()), nan()]), "['a' '']"),
        ("bools", of(vec![true, false]), "[ True False]"),
        ("bool, NaN", of(vec![true.into(), nan()]), "['True' '']"),
        ("ints", of(vec![1, -2]), "[ 1 -2]"),
        ("int, None", of(vec![Some(1), None]), "[ 1. nan]"),
        ("int, NaN", of(vec![1.into(), nan()]), "[ 1. nan]"),
        ("date, NaN", of(vec![date(), nan()]), "['2024-01-02'        'NaT']"),
        ("decimals", of(vec![PyObject::Decimal("1.5".to_owned())]), "[1.5]"),
        ("all None", of(vec![PyObject::None, PyObject::None]), "[nan nan]"),
        ("matrix", file_of(&ObjectArray::new(&[2, 2], matrix).unwrap()), "[['a' 'b']\n ['c' 'd']]"),
        ("records", records(), "[(1, 'Ada', 0.5) (2, '', 1.5)]"),
    ];
    for (name, file, expected) in cases {
        let files = Files::with(&[("o.npy", &file)]);
        for format in ["csv", "tsv"] {
            files.npy(&format!("convert o.npy o.{format}")).ok();
            files.npy(&format!("convert o.{format} b.npy")).ok();
            assert_eq!(files.npy("show b.npy").ok(), format!("{expected}\n"), "{name} {format}");
        }
    }
}

/// NaN where no value is a number is `None`, as pandas has it.
#[test]
fn nan_among_other_values_is_missing() {
    let nan = || PyObject::Float(f64::NAN);
    let dtype: DType = "[('n', 'O'), ('x', 'O'), ('s', 'O', (2,))]".parse().unwrap();
    let pair = |a: PyObject, b: PyObject| PyObject::List(vec![a, b]);
    let record = |name: PyObject, x: f64, pair: PyObject| PyObject::Tuple(vec![name, x.into(), pair]);
    let items = vec![record("Ada".into(), f64::NAN, pair("a".into(), nan())), record(nan(), 1.5, pair("b".into(), "c".into()))];
    let records = file_of(&ObjectArray::with_dtype(dtype, &[2], items, None).unwrap());
    let files = Files::with(&[
        ("t.npy", &of(vec!["a".into(), nan(), PyObject::None])),
        ("b.npy", &of(vec![true.into(), nan()])),
        ("x.npy", &of(vec![1.into(), nan()])),
        ("m.npy", &of(vec![PyObject::from("a"), 1.into(), nan()])),
        ("r.npy", &records),
    ]);
    session!(files, @r#"
    $ npy convert t.npy - --to json
    ["a",null,null]
    $ npy convert b.npy - --to json
    [true,null]
    $ npy convert x.npy - --to json
    [1,"NaN"]
    $ npy convert m.npy - --to json
    ["a",1,"NaN"]
    $ npy convert r.npy - --to json
    [{"n":"Ada","x":"NaN","s":["a",null]},
    {"n":null,"x":1.5,"s":["b","c"]}]
    $ npy convert r.npy - --to csv
    n,x,s[0],s[1]
    Ada,nan,a,
    ,1.5,b,c
    $ npy convert --dtype f4 b.npy f.npy
    $ npy show f.npy
    [ 1. nan]
    $ npy stats --json t.npy
    {"dtype":"|O","file":"t.npy","order":"C","shape":[3],"stats":[{"count":1,"distinct":1,"distinct_exact":true,"dtype":"|O","empty":0,"longest":1,"max":"a","min":"a","none":2}]}
    "#);
}

#[test]
fn text_with_nul_at_its_end_is_not_cut_without_a_word() {
    let files = Files::with(&[("t.npy", &of(vec!["a\0"])), ("b.npy", &of(vec![&b"b\0"[..]]))]);
    session!(files, @"
    $ npy convert --dtype U t.npy u.npy
    npy: t.npy: element 0: expected no NUL at the end, which NumPy's dtype does not keep; allow it with --lossy
    exit code 2
    $ npy convert --dtype S b.npy u.npy
    npy: b.npy: element 0: expected no NUL at the end, which NumPy's dtype does not keep; allow it with --lossy
    exit code 2
    $ npy convert --dtype S --lossy b.npy u.npy
    ");
}

/// NumPy's formats keep the pickle, byte for byte.
#[test]
fn pickles_are_carried_through() {
    let files = Files::with(&[("o.npy", &with_unknown_class()), ("a.npz", &archive(1.5, "a"))]);
    session!(files, @"
    $ npy convert o.npy p.npy
    ");
    assert_eq!(files.read("p.npy"), with_unknown_class());
    session!(files, @"
    $ npy repack o.npy
    o.npy: 313 B, 313 B before
    ");
    assert_eq!(files.read("o.npy"), with_unknown_class());
    for arguments in ["convert a.npz b.npz", "repack a.npz b.npz --compress", "repack a.npz b.npz --order F"] {
        files.npy(arguments).ok();
        let [mut a, mut b] = ["a.npz", "b.npz"].map(|name| npy_core::npz::NpzReader::open(files.path(name)).unwrap());
        for index in 0..4 {
            assert_eq!(a.bytes(index, 1 << 20).unwrap(), b.bytes(index, 1 << 20).unwrap(), "{arguments}");
        }
    }
    let array = ObjectArray::new(&[2, 2], (0..4).map(PyObject::from).collect()).unwrap();
    files.write("two.npy", file_of(&array));
    files.npy("repack --order F two.npy").ok();
    let found = npy_core::object::load(files.path("two.npy")).unwrap();
    assert_eq!((found.order(), found.items()), (Order::Fortran, array.items()));
}

/// One member with objects does not keep the others from a format.
#[test]
fn other_members_of_an_archive_go_through() {
    let files = Files::with(&[("a.npz", &archive(1.5, "a")), ("b.npz", &archive(1.0, "c"))]);
    session!(files, @r#"
    $ npy convert a.npz a.safetensors
    npy: a.npz: member "text": cannot store <U1 in a safetensors file: expected bools, integers or floats, one array for each field
    npy: a.npz: member "mixed": element 1: expected int as in element 0, found str
    npy: a.npz: member "unknown": element 1: expected int as in element 0, found str
    exit code 2
    $ npy convert --dtype f4 a.npz f.npz
    npy: a.npz: member "text": element 0: expected <f4, found "a"
    npy: a.npz: member "mixed": element 1: expected int as in element 0, found str
    npy: a.npz: member "unknown": element 1: expected int as in element 0, found str
    exit code 2
    $ npy show f.npz
    [1.5 2.5]
    $ npy stats --json a.npz
    {"dtype":"<f8","file":"a.npz","member":"x","order":"C","shape":[2],"stats":[{"count":2,"distinct":2,"distinct_exact":true,"dtype":"<f8","histogram":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1],"histogram_exact":true,"inf":0,"max":2.5,"mean":2.0,"min":1.5,"nan":0,"quantiles":{"1":1.51,"25":1.75,"5":1.55,"50":2.0,"75":2.25,"95":2.45,"99":2.49},"quantiles_rank_error":0.0,"std":0.5,"zeros":0}]}
    {"dtype":"|O","file":"a.npz","member":"text","order":"C","shape":[2],"stats":[{"count":2,"distinct":2,"distinct_exact":true,"dtype":"|O","empty":0,"longest":1,"max":"b","min":"a"}]}
    {"dtype":"|O","file":"a.npz","member":"mixed","order":"C","shape":[2],"stats":[{"count":2,"dtype":"|O","types":{"int":1,"str":1}}]}
    {"dtype":"|O","file":"a.npz","member":"unknown","order":"C","shape":[3],"stats":[{"count":3,"dtype":"|O","types":{"int":1,"physics.Quantum":1,"str":1}}]}
    $ npy diff a.npz b.npz
    x: different
      values    1 of 2 are different (50 %)
      first     (0,): 1.5  1.0
      absolute  0.5 at (0,)
      relative  0.5 at (0,)
    text: different
      values    1 of 2 are different (50 %)
      first     (0,): 'a'  'c'
    mixed: equal
    unknown: equal
    2 of 4 arrays are different
    exit code 1
    $ npy convert a.npz:mixed - --to csv
    npy: a.npz:mixed: element 1: expected int as in element 0, found str; --lossy writes its text
    exit code 2
    $ npy convert a.npz:mixed - --to json
    [1,"a"]
    $ npy convert a.npz:unknown - --to json
    npy: a.npz:unknown: element 2: expected a value that JSON has, found physics.Quantum; --lossy writes its text
    exit code 2
    $ npy convert --lossy a.npz:unknown - --to json
    [1,"a","<physics.Quantum('1')>"]
    "#);
}

/// `1` is `1.0`, as in Python, and numbers have a tolerance.
#[test]
fn diff_compares_objects_by_value() {
    let list = |x: f64| PyObject::List(vec![PyObject::from(x), PyObject::Float(f64::NAN)]);
    let a = of(vec![PyObject::from(1), PyObject::from("a"), list(1.0), PyObject::from(i64::MAX), PyObject::None]);
    let b = of(vec![PyObject::from(1.0), PyObject::from("a"), list(1.25), PyObject::from(i64::MAX - 1), PyObject::from(0)]);
    let files = Files::with(&[("a.npy", &a), ("b.npy", &b), ("o.npy", &of(vec![1, 3]))]);
    session!(files, @"
    $ npy diff a.npy b.npy
    a.npy b.npy: different
      values    3 of 5 are different (60 %)
      first     (2,): [1.0, nan]  [1.25, nan]
      absolute  1 at (3,)
      relative  1.084202172e-19 at (3,)
    exit code 1
    $ npy diff --atol 0.5 a.npy b.npy
    a.npy b.npy: different
      values    2 of 5 are different (40 %)
      first     (3,): 9223372036854775807  9223372036854775806
      absolute  1 at (3,)
      relative  1.084202172e-19 at (3,)
    exit code 1
    ");
    npy_core::save(files.path("p.npy"), &[1_i16, 2]).unwrap();
    session!(files, @"
    $ npy diff o.npy p.npy
    o.npy p.npy: different
      dtype     <i8  <i2
      values    1 of 2 are different (50 %)
      first     (1,): 3  2
      absolute  1 at (1,)
      relative  0.5 at (1,)
    exit code 1
    $ npy diff a.npy p.npy
    npy: a.npy: element 1: expected int as in element 0, found str
    exit code 2
    ");
}

#[test]
fn stats_are_those_of_the_values_or_of_the_types() {
    let files = Files::with(&[("t.npy", &of(vec![Some("a"), None])), ("m.npy", &with_unknown_class()), ("d.npy", &dates())]);
    session!(files, @r#"
    $ npy stats t.npy m.npy
    t.npy  |O  (2,)
      count      1  0 empty  1 None
      distinct   1
      min        'a'
      max        'a'
      longest    1

    m.npy  |O  (3,)
      count      3
      types      1 int  1 str  1 physics.Quantum
    $ npy stats --json t.npy m.npy d.npy
    {"dtype":"|O","file":"t.npy","order":"C","shape":[2],"stats":[{"count":1,"distinct":1,"distinct_exact":true,"dtype":"|O","empty":0,"longest":1,"max":"a","min":"a","none":1}]}
    {"dtype":"|O","file":"m.npy","order":"C","shape":[3],"stats":[{"count":3,"dtype":"|O","types":{"int":1,"physics.Quantum":1,"str":1}}]}
    {"dtype":"|O","file":"d.npy","order":"C","shape":[3],"stats":[{"count":2,"distinct":2,"distinct_exact":true,"dtype":"|O","histogram":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1],"histogram_exact":true,"histogram_width":276125001,"max":"2024-01-02T03:04:05.000006","mean":"2024-01-02T01:32:02.500003","min":"2024-01-02T00:00:00.000000","nan":0,"none":1,"quantiles":{"1":"2024-01-02T00:01:50.450000","25":"2024-01-02T00:46:01.250001","5":"2024-01-02T00:09:12.250000","50":"2024-01-02T01:32:02.500003","75":"2024-01-02T02:18:03.750004","95":"2024-01-02T02:54:52.750005","99":"2024-01-02T03:02:14.550005"},"quantiles_rank_error":0.0,"std":5522500003.0}]}
    "#);
}

#[test]
fn objects_are_concatenated_and_split() {
    let files = Files::with(&[("a.npy", &of(vec!["a", "b", "c"])), ("c.npy", &with_unknown_class()), ("r.npy", &records())]);
    session!(files, @"
    $ npy split --rows 2 a.npy
    2 files: a-00000.npy to a-00001.npy
    ");
    let parts = ["a-00000.npy", "a-00001.npy"].map(|name| npy_core::object::load(files.path(name)).unwrap());
    assert_eq!(parts.each_ref().map(|part| part.shape().to_vec()), [vec![2], vec![1]]);
    session!(files, @"
    $ npy cat a-00000.npy a-00001.npy -o b.npy
    ");
    assert_eq!(files.read("a.npy"), files.read("b.npy"));
    session!(files, @"
    $ npy cat r.npy r.npy -o rr.npy
    $ npy show rr.npy
    [(1, 'Ada', 0.5) (2, None, 1.5) (1, 'Ada', 0.5) (2, None, 1.5)]
    $ npy cat c.npy c.npy -o cc.npy
    npy: c.npy: cannot concatenate: expected objects of known classes, found unknown class physics.Quantum
    exit code 2
    $ npy split --rows 1 c.npy
    npy: c.npy: cannot split: expected objects of known classes, found unknown class physics.Quantum
    exit code 2
    $ npy cat a.npy r.npy -o x.npy
    npy: r.npy: cannot concatenate: expected dtype |O, found [('index', '<i8'), ('name', '|O'), ('x', '<f8')]; `npy convert --dtype` casts numbers, `--endian` swaps bytes
    exit code 2
    ");
}

/// Replaces all of these bytes in a file.
pub fn replace(path: &str, from: &[u8], to: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + from.len()].copy_from_slice(to);
        }
    }
    fs::write(path, bytes).unwrap();
}
