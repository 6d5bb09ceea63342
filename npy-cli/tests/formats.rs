//! Files in formats that are not NumPy's, as inputs of the commands that read arrays.

use std::fs;
use std::io::Write as _;

use npy_core::{DynValues, Order};

use crate::support::{Files, run};

/// The same array in each format, beside `a.npy`; of tensors, the member.
fn files(directory: &Files) -> Vec<String> {
    let array = directory.path("a.npy");
    DynValues::new("|u1".parse().unwrap(), Order::C, &[2, 3], vec![1, 2, 3, 4, 5, 255]).unwrap().save(&array).unwrap();
    let mut files = vec!["a.csv", "a.tsv", "a.json", "a.ndjson", "a.png", "a.ra", "a.safetensors"];
    if cfg!(feature = "arrow") {
        files.extend(["a.parquet", "a.arrow"]);
    }
    let mut paths: Vec<String> = files.into_iter().map(|name| directory.path(name)).collect();
    for path in &mut paths {
        run(["convert", &array, path]).ok();
        if path.ends_with("safetensors") {
            path.push_str(":a");
        }
    }
    let bytes = fs::read(&array).unwrap();
    let compressed = directory.path("a.npy.gz");
    let mut gzip = flate2::write::GzEncoder::new(fs::File::create(&compressed).unwrap(), flate2::Compression::fast());
    gzip.write_all(&bytes).unwrap();
    gzip.finish().unwrap();
    paths.push(compressed);
    let text = directory.path("b.csv.gz");
    let mut gzip = flate2::write::GzEncoder::new(fs::File::create(&text).unwrap(), flate2::Compression::fast());
    gzip.write_all(b"1,2,3\n4,5,255\n").unwrap();
    gzip.finish().unwrap();
    paths.push(text);
    let frames = directory.path("a.npy.zst");
    let (first, second) = bytes.split_at(100);
    let mut zstd = fs::File::create(&frames).unwrap();
    // Two frames, each a block as it is.
    for part in [first, second] {
        let block = (u32::try_from(part.len()).unwrap() << 3 | 1).to_le_bytes();
        zstd.write_all(&[0x28, 0xb5, 0x2f, 0xfd, 0x20, u8::try_from(part.len()).unwrap()]).unwrap();
        zstd.write_all(&block[..3]).unwrap();
        zstd.write_all(part).unwrap();
    }
    paths.push(frames);
    paths
}

#[test]
fn every_command_reads_every_format() {
    let directory = Files::new();
    let paths = files(&directory);
    let array = directory.path("a.npy");
    let shown = run(["show", &array]).ok();
    let plotted = run(["plot", &array, "--size", "40x10"]).ok();
    for path in &paths {
        assert_eq!(run(["show", path]).ok(), shown, "{path}");
        assert_eq!(run(["show", path, "[1, 2]"]).ok(), "255\n", "{path}");
        let stats = run(["stats", "--json", path]).ok();
        assert!(stats.contains("\"max\":255") && stats.contains("\"count\":6"), "{path}: {stats}");
        assert_eq!(run(["diff", "--rtol", "0", path, path]).code, Some(0), "{path}");
        assert!(run(["diff", &array, path]).code.is_some_and(|code| code < 2), "{path}");
        let info = run(["info", path]).ok();
        assert!(info.contains("(2, 3)") || info.contains("(2,)"), "{path}: {info}");
        if cfg!(feature = "plot") && !path.ends_with("parquet") && !path.ends_with("arrow") {
            let title = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
            assert_eq!(title(&run(["plot", path, "--size", "40x10"]).ok()), title(&plotted), "{path}");
        }
    }
}

#[test]
fn info_names_the_format_and_the_dtype_of_the_cells() {
    let directory = Files::new();
    files(&directory);
    let about = |name: &str| {
        let about = run(["info", &directory.path(name)]).ok();
        about.replace(&format!("{}/", directory.directory().display()), "")
    };
    fs::write(directory.path("t.csv"), "name,x\na,1.5\nbb,\n").unwrap();
    insta::assert_snapshot!(about("t.csv"), @r"
    t.csv  .csv, 17 B
      shape     (2,), 2 elements
      order     C (the last index varies fastest)
      data      32 bytes
      mappable  no
      dtype     record of 2 fields, 16 bytes
           0    name  <U2
           8    x     <f8
    ");
    insta::assert_snapshot!(about("a.safetensors"), @r"
    a.safetensors:a  .safetensors, 70 B
      shape     (2, 3), 6 elements
      order     C (the last index varies fastest)
      data      6 bytes
      mappable  no
      dtype     |u1
    ");
    insta::assert_snapshot!(about("a.npy.gz"), @r"
    a.npy.gz  .npy, version 1.0
      shape     (2, 3), 6 elements
      order     C (the last index varies fastest)
      data      6 bytes
      mappable  no
      dtype     |u1
    ");
    let json = run(["info", "--json", &directory.path("a.png")]).ok();
    assert!(json.contains("\"format\":\"png\"") && json.contains("\"dtype\":\"|u1\""), "{json}");
}

#[test]
fn images_and_tensors_are_found_by_their_content() {
    let directory = Files::new();
    files(&directory);
    for name in ["a.png", "a.safetensors"] {
        let other = directory.path("x.bin");
        fs::copy(directory.path(name), &other).unwrap();
        let file = if name == "a.png" { other.clone() } else { format!("{other}:a") };
        assert_eq!(run(["show", &file]).ok(), "[[  1   2   3]\n [  4   5 255]]\n", "{name}");
        assert_eq!(run(["convert", &other, "-", "--to", "json"]).ok(), "[[1,2,3],\n[4,5,255]]\n", "{name}");
    }
}

#[test]
fn guesses_are_told_and_bad_files_are_named() {
    let directory = Files::new();
    files(&directory);
    let refused = |arguments: &[&str]| {
        let message = run(arguments).trouble();
        message.replace(&format!("{}/", directory.directory().display()), "")
    };
    let semicolons = directory.path("s.csv");
    fs::write(&semicolons, "x;y\n1;2\n3;4\n").unwrap();
    let told = run(["show", &semicolons]);
    assert_eq!(told.stdout, "[(1, 2) (3, 4)]\n");
    assert!(
        told.stderr.ends_with("s.csv: guessed delimiter \";\" (--delimiter); npy convert has the options\n"),
        "{}",
        told.stderr
    );
    let ragged = directory.path("r.csv");
    fs::write(&ragged, "1,2\n3\n").unwrap();
    insta::assert_snapshot!(refused(&["stats", &ragged]), @"npy: r.csv: line 2: expected 2 columns, found 1");
    let json = directory.path("r.json");
    fs::write(&json, "[[1,2],[3]]").unwrap();
    insta::assert_snapshot!(refused(&["info", &json]), @"npy: r.json: ragged lists: expected 2 items, as in the first list, found 1 at line 1 column 10");
    let gzip = directory.path("t.npy.gz");
    fs::write(&gzip, &fs::read(directory.path("a.npy.gz")).unwrap()[..30]).unwrap();
    assert!(refused(&["show", &gzip]).starts_with("npy: t.npy.gz: cannot decompress gzip data: "));
    let csv = directory.path("a.csv");
    insta::assert_snapshot!(refused(&["show", &format!("{csv}:x")]), @r#"npy: a.csv: cannot select member "x": the file has one array"#);
    insta::assert_snapshot!(refused(&["show", &format!("{csv}#1")]), @"npy: a.csv: cannot select array 1: expected an .npy file");
    let tensors = directory.path("a.safetensors");
    insta::assert_snapshot!(refused(&["show", &format!("{tensors}:x")]), @r#"npy: a.safetensors: unknown member "x": expected one of a"#);
    let two = directory.path("two.safetensors");
    run(["convert", &directory.path("a.npy"), &directory.path("a.json"), &two]).trouble();
    fs::copy(directory.path("a.npy"), directory.path("b.npy")).unwrap();
    run(["convert", &directory.path("a.npy"), &directory.path("b.npy"), &two]).ok();
    insta::assert_snapshot!(refused(&["show", &two]), @"npy: two.safetensors: expected one array, found 2: a, b; select one, as in two.safetensors:a");
    assert_eq!(run(["diff", &two, &two]).ok(), "a: equal\nb: equal\n0 of 2 arrays are different\n");
}

#[test]
fn rounded_numbers_are_told() {
    let directory = Files::new();
    for (name, text) in [("a.csv", "a\n9007199254740993\n0.5\n"), ("a.json", "[9007199254740993, 0.5]")] {
        let path = directory.path(name);
        fs::write(&path, text).unwrap();
        for command in ["show", "stats"] {
            let run = run([command, &path]);
            assert_eq!(run.code, Some(0), "{command} {name}: {}", run.stderr);
            assert_eq!(run.stderr, format!("npy: {path}: lost 1 number, which was rounded\n"), "{command} {name}");
        }
        let different = run(["diff", &path, &path]);
        assert_eq!(different.code, Some(2), "{name}: {}", different.stdout);
        let told = format!("npy: {path}: cannot compare 1 value that changed when the file was read\n");
        assert!(different.stderr.ends_with(&told.repeat(2)), "{name}: {}", different.stderr);
    }
    // A file that fails has its own count.
    let (bad, good) = (directory.path("bad.csv"), directory.path("good.csv"));
    fs::write(&bad, "a,t\n9007199254740993,2024-01-01\n1.5,2024-01-01\n3,x,y\n").unwrap();
    fs::write(&good, "a\n1.5\n").unwrap();
    let run = run(["stats", &bad, &good]);
    assert!(!run.stderr.contains("good.csv"), "{}", run.stderr);
}

#[test]
fn compressed_outputs_are_refused() {
    let directory = Files::new();
    let (input, output) = (directory.path("a.csv"), directory.path("a.npy.GZ"));
    fs::write(&input, "1\n").unwrap();
    let hint = "write it without that extension, and compress it after";
    let message = format!("npy: {output}: cannot write a file that is compressed as a whole; {hint}\n");
    assert_eq!(run(["convert", &input, &output]).trouble(), message);
    assert!(!fs::exists(&output).unwrap());
}

#[test]
fn frames_of_zstandard_are_skipped_and_checked() {
    let directory = Files::new();
    let path = directory.path("a.npy.zst");
    let array = directory.path("a.npy");
    npy_core::save(&array, &[1_u8, 2]).unwrap();
    let array = fs::read(array).unwrap();
    let skipped = [&[0x51, 0x2a, 0x4d, 0x18, 4, 0, 0, 0], &b"size"[..]].concat();
    // A frame with a size in one byte and a checksum, whose only block holds the bytes as they are.
    let frame = |checksum: u32| {
        let block = (u32::try_from(array.len()).unwrap() << 3 | 1).to_le_bytes();
        let head = [0x28, 0xb5, 0x2f, 0xfd, 0x24, u8::try_from(array.len()).unwrap()];
        [&head, &block[..3], &array, &checksum.to_le_bytes()].concat()
    };
    // The low half of the XXH64 of the file, as `zstd --check` writes it.
    let checksum: u32 = 0x913b_bf17;
    fs::write(&path, [&skipped[..], &frame(checksum), &skipped].concat()).unwrap();
    assert_eq!(run(["show", &path]).ok(), "[1 2]\n");
    fs::write(&path, [&skipped[..], &skipped[..10]].concat()).unwrap();
    assert!(run(["show", &path]).trouble().contains("cannot decompress Zstandard data: "));
    for command in ["show", "stats", "convert"] {
        fs::write(&path, frame(checksum ^ 1)).unwrap();
        let output = directory.path("b.npy");
        let arguments = if command == "convert" { vec![command, &path, &output] } else { vec![command, &path] };
        assert_eq!(run(arguments).trouble(), format!("npy: {path}: cannot decompress Zstandard data: the data is damaged\n"));
    }
}
