//! Several arrays in one file, as several `np.save` into one handle write them.

use npy_core::npz::NpzReader;
use npy_core::object::ObjectArray;
use npy_core::{DynValues, Order};

use crate::support::{Files, run_with, session};

/// Numbers, Python objects of which one looks like an array, a matrix in Fortran order, and text: 0 to 3.
fn several() -> Vec<u8> {
    let mut file = Vec::new();
    npy_core::write(&mut file, &[1.5_f64, 2.5, 3.5]).unwrap();
    ObjectArray::from(vec!["a", "\u{93}NUMPY"]).write(&mut file).unwrap();
    let bytes = (0..6_u16).flat_map(u16::to_le_bytes).collect();
    DynValues::new("<u2".parse().unwrap(), Order::Fortran, &[2, 3], bytes).unwrap().write(&mut file).unwrap();
    npy_core::write(&mut file, &["x".to_owned(), "yz".to_owned()]).unwrap();
    file
}

fn holding(file: &[u8]) -> Files {
    Files::with(&[("m.npy", file)])
}

#[test]
fn info_lists_each_array() {
    let files = holding(&several());
    session!(files, @"
    $ npy info m.npy
    m.npy  .npy, version 1.0, 727 B
      shape     (3,), 3 elements
      order     C (the last index varies fastest)
      data      24 bytes at offset 128, aligned to 64
      mappable  yes
      trailing  575 bytes after the array
      dtype     <f8
      further   the 3 arrays behind it
      array    dtype  shape   order    size  offset
      m.npy#1  |O     (2,)    C         0 B     280  Python objects
      m.npy#2  <u2    (2, 3)  Fortran  12 B     571
      m.npy#3  <U2    (2,)    C        16 B     711
    $ npy info .
    file       dtype  shape   order    size
    ./m.npy    <f8    (3,)    C        24 B  575 bytes after the array
    ./m.npy#1  |O     (2,)    C         0 B  Python objects
    ./m.npy#2  <u2    (2, 3)  Fortran  12 B
    ./m.npy#3  <U2    (2,)    C        16 B
    1 file
    ");
    let shown: serde_json::Value = serde_json::from_str(&files.npy("info --json m.npy").ok()).unwrap();
    let of = |key: &str| shown["further"].as_array().unwrap().iter().map(|array| array[key].to_string()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["\"m.npy#1\"", "\"m.npy#2\"", "\"m.npy#3\""]);
    assert_eq!(of("dtype"), ["\"|O\"", "\"<u2\"", "\"<U2\""]);
    assert_eq!(of("shape"), ["[2]", "[2,3]", "[2]"]);
    // One of them alone, and the positions are those in the file.
    let one: serde_json::Value = serde_json::from_str(&files.npy("info --json m.npy#2").ok()).unwrap();
    assert_eq!((&one["data_offset"], &one["trailing_bytes"]), (&shown["further"][1]["data_offset"], &0.into()));
    assert_eq!(one["file"], "m.npy#2");
}

#[test]
fn diff_compares_each_with_that_of_its_number() {
    let files = holding(&several());
    let mut other = several();
    *other.last_mut().unwrap() = 1;
    npy_core::write(&mut other, &[1_u8]).unwrap();
    files.write("other.npy", other);
    npy_core::save(files.path("one.npy"), &[1.5_f64, 2.5, 3.5]).unwrap();
    let run = files.npy("diff m.npy other.npy");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("#2: equal\n#3: different\n")
            && run.stdout.ends_with("only in other.npy: #4\n1 of 4 arrays is different\n"),
        "{}",
        run.stdout
    );
    // Of a stream as of a file. One that is named is compared alone.
    session!(files, @"
    $ npy diff m.npy m.npy
    #0: equal
    #1: equal
    #2: equal
    #3: equal
    0 of 4 arrays are different
    $ npy diff m.npy one.npy
    #0: equal
    only in m.npy: #1
    only in m.npy: #2
    only in m.npy: #3
    exit code 1
    $ npy diff - one.npy < m.npy
    #0: equal
    only in -: #1
    only in -: #2
    only in -: #3
    exit code 1
    $ npy diff m.npy#0 one.npy
    m.npy#0 one.npy: equal
    ");
}

/// The pickle ends at each place in the buffer of the file, also right before its end.
#[test]
fn an_array_behind_a_pickle_is_found_wherever_it_ends() {
    for width in 7_900..8_100 {
        let mut file = Vec::new();
        ObjectArray::from(vec!["x".repeat(width)]).write(&mut file).unwrap();
        npy_core::write(&mut file, &[1_u8]).unwrap();
        let found = holding(&file).npy("show m.npy#1");
        assert_eq!(found.stdout, "[1]\n", "{width} {}", found.stderr);
    }
}

#[test]
fn cat_and_split_name_what_they_would_lose() {
    let files = holding(&several());
    session!(files, @"
    $ npy cat m.npy m.npy -o o.npy
    npy: m.npy: cat would lose the arrays #1 to #3 of the file; name the array, as in m.npy#0
    exit code 2
    $ npy split m.npy --rows 1
    npy: m.npy: split would lose the arrays #1 to #3 of the file; name the array, as in m.npy#0
    exit code 2
    $ npy split m.npy#0 --rows 2
    2 files: m-0-00000.npy to m-0-00001.npy
    $ npy cat m.npy#0 m.npy#0 -o o.npy
    ");
    let message = files.npy("split - --rows 1 --prefix s < m.npy").trouble();
    assert!(message.contains("would lose"), "{message}");
}

#[test]
fn every_command_takes_one_of_them() {
    let files = holding(&several());
    session!(files, @r#"
    $ npy show m.npy#0
    [1.5 2.5 3.5]
    $ npy show m.npy#1 [0]
    a
    $ npy show m.npy#2 '[:, 1]'
    [2 3]
    $ npy show m.npy#3 --json
    ["x","yz"]
    $ npy diff m.npy#2 m.npy#2
    m.npy#2 m.npy#2: equal
    $ npy verify m.npy#0 m.npy#1 m.npy#3
    3 files, 3 items: all good
    $ npy cat m.npy#0 m.npy#0 -o twice.npy
    $ npy show twice.npy
    [1.5 2.5 3.5 1.5 2.5 3.5]
    $ npy split m.npy#2 --rows 1
    2 files: m-2-00000.npy to m-2-00001.npy
    $ npy convert m.npy#0 m.npy#2 m.npy#3 m.npz
    "#);
    let ok = |words: &str| files.npy(words).ok();
    assert!(ok("stats m.npy#2").starts_with("m.npy#2  <u2  (2, 3)\n"));
    assert!(ok("schema m.npy#2").contains("pub type M = npy_ndarray::ndarray::Array2<u16>;"));
    let mut archive = NpzReader::open(files.path("m.npz")).unwrap();
    assert_eq!(archive.names().collect::<Vec<_>>(), ["m-0", "m-2", "m-3"]);
    assert_eq!(archive.by_name::<String>("m-3").unwrap(), ["x", "yz"]);
    assert_eq!(archive.header(1).unwrap().order(), Order::Fortran);
    ok("repack m.npy#2 c.npy --order C");
    assert_eq!(ok("show c.npy"), ok("show m.npy#2"));
    #[cfg(feature = "plot")]
    assert!(ok("plot m.npy#0").contains("m.npy#0"));
    // In place it would be all that is left.
    assert_eq!(
        files.refused(["repack", "m.npy#2", "--order", "C"]),
        "npy: m.npy#2: expected an output file: an array is not replaced among others in its file; name the output\n"
    );
}

/// Where the first is taken, a line says so.
#[test]
fn commands_that_take_the_first_say_that_others_follow() {
    let files = holding(&several());
    for words in ["show m.npy", "show --csv m.npy", "stats m.npy", "schema m.npy", "schema --python m.npy", "plot m.npy"] {
        if cfg!(feature = "plot") || !words.starts_with("plot") {
            let run = files.npy(words);
            assert_eq!(
                (run.code, run.stderr.as_str()),
                (Some(0), "npy: m.npy: the first of 4 arrays; the next is m.npy#1\n"),
                "{words}"
            );
            files.npy(&words.replace("m.npy", "m.npy#0")).ok();
        }
    }
    npy_core::save(files.path("m.npy"), &[1_u8]).unwrap();
    assert_eq!(files.npy("show m.npy").ok(), "[1]\n");
}

#[test]
fn standard_input_has_several_too() {
    let files = holding(&several());
    let shown = files.npy("info - < m.npy").ok();
    assert!(shown.contains("further   the 3 arrays behind it\n") && shown.contains("  -#3  "), "{shown}");
    let json: serde_json::Value = serde_json::from_str(&files.npy("info --json - < m.npy").ok()).unwrap();
    let names: Vec<&str> = json["further"].as_array().unwrap().iter().map(|array| array["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["-#1", "-#2", "-#3"]);
    // A header is shown although its data are cut.
    let cut = run_with(["info", "-"], &several()[..140]).ok();
    assert!(cut.contains("(3,)") && !cut.contains("further"), "{cut}");
    session!(files, @"
    $ npy show -#2 [0] < m.npy
    [0 2 4]
    $ npy show -- -#3 < m.npy
    ['x' 'yz']
    $ npy show - < m.npy
    [1.5 2.5 3.5]
    $ npy show -#4 < m.npy
    npy: -: missing array #4: the file has 4 arrays, #0 to #3
    exit code 2
    ");
}

#[test]
fn a_file_of_the_whole_name_comes_first() {
    let files = holding(&several());
    npy_core::save(files.path("m.npy#1"), &[7_u8]).unwrap();
    session!(files, @"
    $ npy show m.npy#1
    [7]
    $ npy show m.npy#1#0
    [7]
    $ npy show m.npy#2 [0]
    [0 2 4]
    ");
}

#[test]
fn numbers_that_no_array_has_are_named() {
    let files = holding(&several());
    npy_core::save(files.path("one.npy"), &[7_u8]).unwrap();
    session!(files, @"
    $ npy convert one.npy a.npz
    $ npy show m.npy#4
    npy: m.npy#4: missing array #4: the file has 4 arrays, #0 to #3
    exit code 2
    $ npy show one.npy#1
    npy: one.npy#1: missing array #1: the file has 1 array, #0
    exit code 2
    $ npy show a.npz#0
    npy: a.npz#0: cannot select array 0: expected an .npy file
    exit code 2
    ");
    for file in ["m.npy#", "m.npy#x", "m.npy#-1", "m.npy#+1", "other.npy#1"] {
        let message = files.run(["show", file]).trouble();
        assert!(message.contains(&format!("{file}: cannot open the file")), "{message}");
    }
}

#[test]
fn what_follows_the_last_array_is_none_and_a_cut_one_is_damaged() {
    let file = several();
    let shown = |file: &[u8]| holding(file).npy("info m.npy");
    let trailing = shown(&[&file[..], b"\x93NUMPY and more"].concat()).ok();
    assert!(trailing.contains("m.npy#3") && trailing.contains("15 bytes after the last array"), "{trailing}");
    let cut = shown(&file[..file.len() - 3]);
    assert_eq!(cut.code, Some(2));
    assert!(cut.stdout.contains("truncated: 3 bytes missing"), "{}", cut.stdout);
    // Junk behind one array, as before.
    let mut one = Vec::new();
    npy_core::write(&mut one, &[1_u8]).unwrap();
    one.extend(b"junk");
    let one = shown(&one).ok();
    assert!(one.contains("4 bytes after the array") && !one.contains("#1"), "{one}");
}

#[test]
fn verify_checks_every_array_and_names_the_damaged_one() {
    let cut = several()[..several().len() - 1].to_vec();
    let header = several().len() - 16 - 100;
    let mut broken = several();
    broken[header..header + 10].fill(b'?');
    let files = Files::with(&[
        ("m.npy", &several()),
        ("footer.npy", &[several(), b"footer".to_vec()].concat()),
        ("more.npy", &[several(), b"\x93NUMPY\x01\0".to_vec()].concat()),
        ("cut.npy", &cut),
        ("broken.npy", &broken),
    ]);
    session!(files, @r#"
    $ npy verify m.npy
    1 file, 4 items: all good
    $ npy verify footer.npy
    footer.npy#3: good, 6 trailing bytes
    1 file, 4 items: all good
    $ npy verify more.npy
    more.npy#0: good
    more.npy#1: good
    more.npy#2: good
    more.npy#3: good
    more.npy#4: truncated file: the header length needs 2 bytes at offset 8, found 0
    1 file, 5 items: 1 damaged
    exit code 2
    $ npy verify cut.npy
    cut.npy#0: good
    cut.npy#1: good
    cut.npy#2: good
    cut.npy#3: truncated: expected 16 bytes of data, found 15
    1 file, 4 items: 1 damaged
    exit code 2
    $ npy verify broken.npy
    broken.npy#0: good
    broken.npy#1: good
    broken.npy#2: good
    broken.npy#3: invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; missing fortran_order; unknown ??????????der
    1 file, 4 items: 1 damaged
    exit code 2
    $ npy verify --json cut.npy
    {"file":"cut.npy","good":false,"items":[{"array":0,"good":true,"member":null},{"array":1,"good":true,"member":null},{"array":2,"good":true,"member":null},{"array":3,"good":false,"member":null,"problem":"truncated: expected 16 bytes of data, found 15"}]}
    exit code 2
    $ npy verify cut.npy#0
    1 file, 1 item: all good
    "#);
    assert_eq!(files.npy("verify cut.npy#3").code, Some(2));
    // A stream is checked in one go, up to the first that is damaged.
    for name in files.names() {
        let [file, stream] = [format!("verify {name}"), format!("verify - < {name}")].map(|words| files.npy(&words));
        let states = |text: &str| {
            let state = |line: &str| line.split(": truncated").next().map(|line| line.replace("-#", &format!("{name}#")));
            text.lines().filter_map(state).collect::<Vec<_>>()
        };
        assert_eq!((stream.code, states(&stream.stdout)), (file.code, states(&file.stdout)), "{name}");
    }
}

/// Of a file and of a pipe alike: all where the output holds several, or else none but the first is dropped without a word.
#[test]
fn convert_keeps_all_arrays_or_names_those_that_it_drops() {
    let files = holding(&several());
    session!(files, @"
    $ npy convert m.npy x.npy
    npy: the conversion would lose m.npy: the arrays #1 to #3 of the file; allow it with --lossy
    exit code 2
    $ npy convert - x.npy < m.npy
    npy: the conversion would lose -: the arrays of the stream from #1 on; allow it with --lossy
    exit code 2
    $ npy convert - x.csv < m.npy
    npy: the conversion would lose -: the arrays of the stream from #1 on; allow it with --lossy
    exit code 2
    $ npy convert - --order F x.ra < m.npy
    npy: the conversion would lose -: the arrays of the stream from #1 on; allow it with --lossy
    exit code 2
    $ npy convert m.npy --lossy f.npy
    npy: lost m.npy: the arrays #1 to #3 of the file
    $ npy convert - --lossy p.npy < m.npy
    npy: lost -: the arrays of the stream from #1 on
    $ npy convert m.npy f.npz
    $ npy convert - p.npz < m.npy
    $ npy convert m.npy --to dir d
    ");
    assert_eq!(files.names(), ["d", "f.npy", "f.npz", "m.npy", "p.npy", "p.npz"]);
    for name in ["f.npy", "p.npy"] {
        assert_eq!(npy_core::load::<f64>(files.path(name)).unwrap(), [1.5, 2.5, 3.5]);
        assert_eq!(files.read(name).len(), 152);
    }
    for (output, names) in [("f.npz", ["m-0", "m-1", "m-2", "m-3"]), ("p.npz", ["arr_0", "arr_1", "arr_2", "arr_3"])] {
        let mut archive = NpzReader::open(files.path(output)).unwrap();
        assert_eq!(archive.names().collect::<Vec<_>>(), names);
        assert_eq!(archive.by_name::<f64>(names[0]).unwrap(), [1.5, 2.5, 3.5]);
        assert_eq!(archive.by_name::<String>(names[3]).unwrap(), ["x", "yz"]);
    }
    assert_eq!(npy_core::load::<String>(files.path("d/m-3.npy")).unwrap(), ["x", "yz"]);
}

/// The pickle of the first array, and not what follows it.
#[test]
fn convert_copies_a_pickle_without_what_it_reports_as_lost() {
    let mut objects = Vec::new();
    ObjectArray::from(vec!["a", "b"]).write(&mut objects).unwrap();
    let mut file = objects.clone();
    npy_core::write(&mut file, &[1.5_f64]).unwrap();
    let files = holding(&file);
    session!(files, @"
    $ npy convert m.npy o.npy
    npy: the conversion would lose m.npy: the array #1 of the file; allow it with --lossy
    exit code 2
    $ npy convert --lossy m.npy o.npy
    npy: lost m.npy: the array #1 of the file
    $ npy convert m.npy#0 p.npy
    $ npy convert m.npy o.npz
    $ npy convert - q.npy < m.npy
    npy: the conversion would lose -: the array #1 of the file; allow it with --lossy
    exit code 2
    ");
    let piped = files.npy("convert --lossy - --to npy - < m.npy");
    assert_eq!(piped.code, Some(0), "{}", piped.stderr);
    let member = NpzReader::open(files.path("o.npz")).unwrap().bytes(0, 1 << 20).unwrap();
    for copy in [files.read("o.npy"), files.read("p.npy"), piped.bytes, member] {
        assert!(copy == objects);
    }
}
