//! One door for files of all formats: which format a file is, whatever its name and wherever it comes from.

use std::fs;
use std::io::Write as _;

use insta::assert_snapshot;
use npy_core::{DynValues, Order};

use crate::support::{Files, Run, command, run, run_with};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn array() -> DynValues {
    DynValues::new("|u1".parse().unwrap(), Order::C, &[2, 3], vec![1, 2, 3, 4, 5, 255]).unwrap()
}

/// The bytes of `.npy` files, one behind another.
fn npy(values: &[DynValues]) -> Vec<u8> {
    let mut file = Vec::new();
    values.iter().for_each(|values| values.write(&mut file).unwrap());
    file
}

#[test]
fn streams_have_any_format() {
    let directory = Files::new();
    let array_path = directory.save("a.npy", &array());
    let shown = run(["show", &array_path]).ok();
    for name in ["a.csv", "a.tsv", "a.json", "a.png", "a.safetensors"] {
        let path = directory.path(name);
        run(["convert", &array_path, &path]).ok();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(run_with(["show", "-"], &bytes).ok(), shown, "{name}");
        assert_eq!(run_with(["convert", "-", "-", "--to", "json"], &bytes).ok(), "[[1,2,3],\n[4,5,255]]\n", "{name}");
        assert!(run_with(["info", "-"], &bytes).ok().contains("(2, 3)"), "{name}");
        #[cfg(unix)]
        assert_eq!(run_with(["show", "/dev/stdin"], &bytes).ok(), shown, "{name}");
    }
    let compressed = gzip(&npy(&[array()]));
    assert_eq!(run_with(["show", "-"], &compressed).ok(), shown);
    assert_eq!(run_with(["convert", "-", "-", "--to", "json"], &compressed).ok(), "[[1,2,3],\n[4,5,255]]\n");
    assert_eq!(run_with(["convert", "--from", "csv", "-", "-", "--to", "json"], &gzip(b"1,2\n3,4\n")).ok(), "[[1,2],\n[3,4]]\n");
    let message = run_with(["show", "-"], b"hello, world\n").trouble();
    assert!(message.ends_with("found plain text; `npy convert --from csv - data.npy` reads it line by line\n"), "{message}");
}

/// Two values are no JSON document; a line alone is one.
#[test]
fn streams_of_json_in_lines_are_known_by_the_second_value() {
    let shown = run_with(["show", "-"], b"{\"x\": 1, \"y\": 2.5}\n{\"x\": 2, \"y\": 3.5}\n").ok();
    assert_eq!(shown, "[(1, 2.5) (2, 3.5)]\n");
    assert_eq!(run_with(["show", "-"], b"[1, 2]\n[3, 4]\n[5, 6]\n").ok(), "[[1 2]\n [3 4]\n [5 6]]\n");
    assert_eq!(run_with(["show", "-"], b"[1, 2]\n").ok(), "[1 2]\n");
    run_with(["show", "-"], b"[1, 2], [3]\n").trouble();
}

#[test]
fn all_commands_find_the_format_by_one_rule() {
    let directory = Files::new();
    let (array_path, image) = (directory.path("a.npy"), directory.path("a.png"));
    array().save(&array_path).unwrap();
    run(["convert", &array_path, &image]).ok();
    // NumPy's formats are known by their content, whatever the name says, and images under a name of NumPy's as well.
    for (from, name) in [(&array_path, "x.csv"), (&image, "x.npy")] {
        let path = directory.path(name);
        fs::copy(from, &path).unwrap();
        assert_eq!(run(["show", &path]).ok(), "[[  1   2   3]\n [  4   5 255]]\n", "{name}");
        assert_eq!(run(["convert", &path, "-", "--to", "json"]).ok(), "[[1,2,3],\n[4,5,255]]\n", "{name}");
    }
    let text = directory.write("my table.txt", "a,b\n1,2\n");
    for command in ["show", "schema", "cat"] {
        let message = directory.refused([command, &text]);
        assert!(
            message.ends_with("comma-separated text; `npy convert --from csv 'my table.txt' table.npy` reads it\n"),
            "{message}"
        );
    }
}

#[test]
fn info_reads_compressed_arrays_without_a_temporary_file() {
    let directory = Files::new();
    let two = npy(&[array(), array()]);
    let path = directory.write("two.npy.gz", gzip(&two));
    let output = command(["info", &path]).env("TMPDIR", directory.path("missing")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let about = String::from_utf8(output.stdout).unwrap();
    assert!(about.contains("(2, 3)") && about.contains("two.npy.gz#1"), "{about}");
    // Damage is told as of any file.
    let problem = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let Run { code, stdout, .. } = run(["info", &path]);
        assert_eq!(code, Some(2), "{stdout}");
        stdout.lines().find(|line| line.contains("problem")).unwrap_or_default().trim().to_owned()
    };
    assert_snapshot!(problem(&gzip(&two[..131])), @"problem   truncated file: the array needs 6 bytes at offset 128, found 3");
    let whole = gzip(&two);
    let mut damaged = whole.clone();
    let sum = whole.len() - 8;
    damaged[sum] ^= 1;
    fs::write(&path, damaged).unwrap();
    assert!(directory.refused(["info", &path]).contains("two.npy.gz: cannot read the stream: cannot decompress gzip data: "));
    fs::write(&path, gzip(&[&two[..], b"tail"].concat())).unwrap();
    assert!(run(["info", &path]).ok().contains("4 bytes after the array"));
}

#[test]
fn verify_and_cat_read_other_formats() {
    let directory = Files::new();
    let array_path = directory.save("a.npy", &array());
    let compressed = directory.write("b.npy.gz", gzip(&npy(&[array()])));
    for name in ["a.csv", "a.json", "a.png", "a.safetensors"] {
        run(["convert", &array_path, &directory.path(name)]).ok();
        assert_eq!(run(["verify", &directory.path(name)]).ok(), "1 file, 1 item: all good\n", "{name}");
    }
    assert_eq!(run(["verify", &compressed]).ok(), "1 file, 1 item: all good\n");
    let image = fs::read(directory.path("a.png")).unwrap();
    fs::write(directory.path("a.png"), &image[..image.len() - 20]).unwrap();
    let mut damaged = fs::read(&compressed).unwrap();
    let sum = damaged.len() - 8;
    damaged[sum] ^= 1;
    fs::write(directory.path("c.npy.gz"), damaged).unwrap();
    fs::write(directory.path("image.npy"), &image).unwrap();
    for name in ["a.png", "c.npy.gz", "image.npy"] {
        assert_eq!(run(["verify", &directory.path(name)]).code, Some(2), "{name}");
    }

    let joined = directory.path("joined.npy");
    run(["cat", &array_path, &compressed, "-o", &joined]).ok();
    assert_eq!(DynValues::load(&joined).unwrap().shape(), [4, 3]);
    let several = directory.write("several.npy.gz", gzip(&npy(&[array(), array()])));
    assert!(directory.refused(["cat", &several]).contains("cat would lose the array #1"));
}

#[test]
fn selected_arrays_of_compressed_files_keep_their_number() {
    let directory = Files::new();
    let path = directory.write("log.npy.gz", gzip(&npy(&[array(), array()])));
    let selected = format!("{path}#1");
    let out = directory.path("out");
    run(["convert", &selected, &out, "--to", "dir"]).ok();
    assert!(fs::exists(directory.path("out/log-1.npy")).unwrap());
    assert!(run(["info", &selected]).ok().starts_with(&format!("{selected}  ")));
}

#[test]
fn nulls_among_texts_are_a_loss() {
    let directory = Files::new();
    let (path, out) = (directory.path("a.json"), directory.path("a.npy"));
    fs::write(&path, r#"["x", null]"#).unwrap();
    assert_snapshot!(directory.refused(["convert", &path, &out]), @"npy: a.json: a null becomes empty text in <U1 at line 1 column 10; allow it with --lossy");
    let told = format!("npy: {path}: lost 1 null, which became empty text\n");
    let shown = run(["show", &path]);
    assert_eq!((shown.stdout.as_str(), shown.stderr), ("['x' '']\n", told));
    let lossy = run(["convert", "--lossy", &path, &out]);
    assert_eq!((lossy.code, lossy.stderr.as_str()), (Some(0), "npy: lost 1 null, which became empty text\n"));
    // In CSV it is the user who says which word is missing.
    fs::write(directory.path("a.csv"), "t\nx\nNA\n").unwrap();
    run(["convert", "--na", "NA", "--header", &directory.path("a.csv"), &out]).ok();
}

#[test]
fn further_frames_are_told_and_claimed_pixels_are_checked() {
    let directory = Files::new();
    let (path, out) = (directory.path("a.png"), directory.path("a.npy"));
    let mut encoder = png::Encoder::new(fs::File::create(&path).unwrap(), 2, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_animated(3, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    (0..3).for_each(|frame| writer.write_image_data(&[frame, 7]).unwrap());
    writer.finish().unwrap();
    assert_snapshot!(directory.refused(["convert", &path, &out]), @"npy: the conversion would lose a.png: 2 further frames of the animation; allow it with --lossy");
    let shown = run(["show", &path]);
    assert_eq!(
        (shown.stdout.as_str(), shown.stderr),
        ("[[0 7]]\n", format!("npy: {path}: left out 2 further frames of the animation\n"))
    );

    array().save(&out).unwrap();
    run(["convert", &out, &path]).ok();
    let mut image = fs::read(&path).unwrap();
    // The width and the height stand in the first chunk, with a checksum behind it.
    image[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 0, 0x80, 0]);
    let mut sum = flate2::Crc::new();
    sum.update(&image[12..29]);
    image[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    fs::write(&path, &image).unwrap();
    let claimed = "npy: a.png: truncated file: expected 1.00 GiB of pixels, found a file of 91 bytes\n";
    for command in ["info", "show"] {
        assert_eq!(directory.refused([command, &path]), claimed);
    }
}

#[test]
fn values_that_are_looked_at_lose_no_metadata() {
    let directory = Files::new();
    let path = directory.path("a.safetensors");
    let header = br#"{"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#;
    fs::write(&path, [&(header.len() as u64).to_le_bytes(), &header[..], &[7]].concat()).unwrap();
    assert_eq!(run(["show", &path]).ok(), "[7]\n");
    assert!(directory.refused(["convert", &path, &directory.path("a.npz")]).contains("would lose a.safetensors: the metadata"));
}

#[test]
fn refusals_say_what_is_meant() {
    let directory = Files::new();
    let path = directory.path("a.npy");
    npy_core::save(&path, &[1.5]).unwrap();
    assert_snapshot!(directory.refused(["convert", "--dtype", "U5", &path, &directory.path("b.npy")]), @"npy: a.npy: cannot convert <f8 to <U5: expected text; CSV and JSON have the text of other values");
    let records = DynValues::new("[('a', '|u1'), ('b', '|u1')]".parse().unwrap(), Order::C, &[1], vec![1, 2]).unwrap();
    records.save(&path).unwrap();
    assert_snapshot!(directory.refused(["show", &path, "[['a', 'b'], 0]"]), @r#"npy: invalid slice "[['a', 'b'], 0]" at column 12: expected one list of fields; rows take brackets of their own, as in [['a', 'b']][0]"#);
}

#[cfg(feature = "plot")]
#[test]
fn an_image_may_have_one_row() {
    let directory = Files::new();
    let path = directory.path("a.npy");
    DynValues::new("|u1".parse().unwrap(), Order::C, &[1, 5], vec![1, 2, 3, 4, 5]).unwrap().save(&path).unwrap();
    run(["plot", "--kind", "image", &path, "--size", "40x10"]).ok();
    npy_core::save(&path, &[1, 2, 3]).unwrap();
    assert!(directory.refused(["plot", "--kind", "image", &path]).contains("cannot plot shape (3,) as an image: expected 2 axes"));
}
