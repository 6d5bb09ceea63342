//! Archives of many members, whose central directory is read once.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use npy_core::npz::{NpzReader, NpzWriter};

use crate::support::run;

/// An archive whose member `m7` holds 7 and 8.
fn archive(path: &Path, members: u32) {
    let mut archive = NpzWriter::create(path).unwrap();
    for member in 0..members {
        archive.add_slice(&format!("m{member}"), &[member, member + 1]).unwrap();
    }
    archive.finish().unwrap();
}

/// How often the command reads, and how many bytes, by the system's count.
#[cfg(target_os = "linux")]
fn reads(arguments: &[String]) -> [u64; 2] {
    use std::process::Stdio;

    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let mut child = crate::support::command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The counts of a process are there until somebody waits for it.
    waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    let counts = fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    let count = |name: &str| counts.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().parse().unwrap();
    [count("syscr:"), count("rchar:")]
}

/// The arguments of a command for an archive of this path.
#[cfg(target_os = "linux")]
type Arguments<'a> = &'a dyn Fn(&str) -> Vec<String>;

#[test]
#[cfg(target_os = "linux")]
fn reads_grow_with_the_members_and_not_with_their_square() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    // Each takes twice as many members as the one before.
    let sizes = [100, 200, 400];
    let counts = |command: Arguments<'_>| {
        sizes.map(|members| {
            let file = path(&format!("{members}.npz"));
            archive(Path::new(&file), members);
            reads(&command(&file))
        })
    };
    let owned = |arguments: &[&str]| arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>();
    let commands: [(&str, Arguments<'_>); 12] = [
        ("info", &|file| owned(&["info", file])),
        ("stats", &|file| owned(&["stats", "--threads", "2", file])),
        ("diff", &|file| owned(&["diff", file, file])),
        ("verify", &|file| owned(&["verify", "--threads", "1", file])),
        ("schema", &|file| owned(&["schema", file])),
        ("schema --python", &|file| owned(&["schema", "--python", file])),
        ("repack", &|file| owned(&["repack", "--compress", file])),
        ("repack to another", &|file| owned(&["repack", file, &path("out.npz")])),
        ("convert to npz", &|file| owned(&["convert", file, &path("out.npz")])),
        ("convert to safetensors", &|file| owned(&["convert", file, &path("out.safetensors")])),
        ("convert to a directory", &|file| owned(&["convert", file, &path("directory/")])),
        ("convert of a directory", &|file| {
            let members = path(Path::new(file).file_stem().unwrap().to_str().unwrap());
            NpzReader::open(file).unwrap().extract_all(&members).unwrap();
            owned(&["convert", &members, &path("out.npz")])
        }),
    ];
    for (name, command) in commands {
        let [few, more, most] = counts(command);
        for (what, few, more, most) in [("calls", few[0], more[0], most[0]), ("bytes", few[1], more[1], most[1])] {
            // Of a square it would be four times as many.
            assert!(most - more < (more - few) * 5 / 2, "{name}: {few}, {more}, {most} {what}");
        }
    }
}

#[test]
#[cfg(unix)]
fn more_archives_are_converted_than_files_may_be_open() {
    let directory = tempfile::tempdir().unwrap();
    let files: Vec<String> = (0..40).map(|file| directory.path().join(format!("{file}.npz")).display().to_string()).collect();
    for (file, number) in files.iter().zip(0_u32..) {
        let mut archive = NpzWriter::create(file).unwrap();
        archive.add_slice(&format!("m{number}"), &[number]).unwrap();
        archive.add_slice(&format!("n{number}"), &[number]).unwrap();
        archive.finish().unwrap();
    }
    let out = directory.path().join("out.npz");
    let status = std::process::Command::new("sh")
        .args(["-c", r#"ulimit -n 24; exec "$0" convert "$@""#, env!("CARGO_BIN_EXE_npy")])
        .args(&files)
        .arg(&out)
        .status();
    assert!(status.unwrap().success());
    let mut archive = NpzReader::open(&out).unwrap();
    assert_eq!(archive.len(), 80);
    assert_eq!(archive.by_name::<u32>("n39").unwrap(), [39]);
}

/// An archive with a name for each letter, the same letter for the same name.
fn with_names(path: &Path, letters: &str, values: &[u8]) {
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    for (place, value) in values.iter().enumerate() {
        archive.add_slice(&format!("name{place}"), &[*value]).unwrap();
    }
    let mut file = archive.finish().unwrap().into_inner();
    for (place, letter) in letters.bytes().enumerate() {
        let name = format!("name{place}.npy");
        let found: Vec<usize> = (0..file.len()).filter(|at| file[*at..].starts_with(name.as_bytes())).collect();
        for at in found {
            file[at + 4] = letter;
        }
    }
    fs::write(path, file).unwrap();
}

#[test]
fn diff_pairs_members_of_the_same_name_in_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a.npz", "b.npz", "c.npz"].map(|name| directory.path().join(name));
    with_names(&a, "xyx", &[1, 2, 3]);
    with_names(&b, "yx", &[2, 1]);
    with_names(&c, "xxyx", &[1, 3, 2, 4]);
    let diff = |a: &Path, b: &Path| {
        let run = run([Path::new("diff"), a, b]);
        (run.code, run.stdout.replace(&format!("{}/", directory.path().display()), ""))
    };
    let [equal_x, equal_y] = ["namex: equal\n", "namey: equal\n"];
    assert_eq!(diff(&a, &a), (Some(0), format!("{equal_x}{equal_y}{equal_x}0 of 3 arrays are different\n")));
    assert_eq!(diff(&a, &b), (Some(1), format!("{equal_x}{equal_y}only in a.npz: namex\n0 of 2 arrays are different\n")));
    assert_eq!(diff(&b, &a), (Some(1), format!("{equal_y}{equal_x}only in a.npz: namex\n0 of 2 arrays are different\n")));
    assert_eq!(diff(&a, &c), (Some(1), format!("{equal_x}{equal_y}{equal_x}only in c.npz: namex\n0 of 3 arrays are different\n")));
    // Members that are not arrays as well.
    let d = directory.path().join("d.npz");
    with_names(&d, "xyx", &[4, 2, 3]);
    for file in [&a, &b, &c, &d] {
        let mut bytes = fs::read(file).unwrap();
        while let Some(at) = bytes.windows(4).position(|end| end == b".npy") {
            bytes[at..at + 4].copy_from_slice(b".txt");
        }
        fs::write(file, bytes).unwrap();
    }
    assert_eq!(diff(&a, &d), (Some(1), "namex.txt: different, not arrays\n".to_owned()));
    assert_eq!(diff(&a, &a), (Some(0), String::new()));
    assert_eq!(diff(&a, &b), (Some(1), "only in a.npz: namex.txt\n".to_owned()));
    assert_eq!(diff(&b, &a), (Some(1), "only in a.npz: namex.txt\n".to_owned()));
    assert_eq!(diff(&a, &c), (Some(1), "only in c.npz: namex.txt\n".to_owned()));
}

/// A pattern stands for the members that match, in commands that take several; a member of that very name comes first.
#[test]
fn patterns_select_members() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).into_os_string().into_string().unwrap();
    let archive = path("run.npz");
    let mut writer = NpzWriter::create(&archive).unwrap();
    for (name, value) in [("layers.0.w", 1_u8), ("layers.0.b", 2), ("layers.10.w", 3), ("x[0]", 4), ("x0", 5), ("a/b", 6)] {
        writer.add_slice(name, &[value]).unwrap();
    }
    writer.add_bytes("layers.0.txt", b"no array").unwrap();
    writer.finish().unwrap();
    let names = |pattern: &str| {
        let text = run(["stats", "--brief", &format!("{archive}:{pattern}")]).ok();
        text.lines().skip(1).map(|line| line.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("layers.0.*"), ["layers.0.w", "layers.0.b"]);
    assert_eq!(names("layers.?*.w"), ["layers.0.w", "layers.10.w"]);
    assert_eq!(names("a*"), ["a/b"]);
    assert_eq!(names("*").len(), 6);
    // The member of this name, which as a pattern matches another.
    assert!(run(["show", &format!("{archive}:x[0]")]).ok() == "[4]\n");
    assert_eq!(run(["show", &format!("{archive}:*10*")]).ok(), "[3]\n");

    let info = run(["info", &format!("{archive}:layers.*.w")]).ok();
    assert!(info.contains(".npz, 2 members") && info.contains("layers.10.w") && !info.contains("layers.0.b"), "{info}");
    let chosen = path("chosen.npz");
    run(["convert", &format!("{archive}:layers.0.*"), &chosen]).ok();
    assert_eq!(NpzReader::open(&chosen).unwrap().names().collect::<Vec<_>>(), ["layers.0.w", "layers.0.b"]);
    assert_eq!(run(["diff", &format!("{archive}:layers.0.*"), &chosen]).code, Some(0));
    assert_eq!(run(["diff", &format!("{archive}:layers.*"), &chosen]).code, Some(1));

    for (arguments, message) in [
        (["show", "layers.*"], "expected one array, found 3"),
        (["stats", "none*"], "no member matches \"none*\""),
        (["stats", "[none"], "missing array \"[none\""),
        (["verify", "layers.0.*"], "expected one array, found 2"),
    ] {
        let [command, pattern] = arguments;
        let failed = run([command, &format!("{archive}:{pattern}")]);
        let text = failed.stdout + &failed.stderr;
        assert!(failed.code == Some(2) && text.contains(message), "{text}");
    }
}
