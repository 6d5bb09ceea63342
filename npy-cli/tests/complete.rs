//! Completions of shells: members of archives, and fields.

use npy_core::object::{ObjectArray, PyObject};

use crate::support::{Files, run};
#[cfg(all(unix, feature = "view"))]
use crate::terminal::Terminal;

fn files() -> Files {
    let files = Files::new();
    files.archive("run.npz", |archive| {
        for name in ["time", "temp", "a:b", "with space", "new\nline"] {
            archive.add_slice(name, &[1_u8]).unwrap();
        }
    });
    let dtype = "[('id','<i4'),('pose',[('x','<f4'),('y','<f4')]),('time','<M8[s]'),('two words','|u1')]";
    files.array("picks.npy", dtype, &[0], Vec::new());
    files.array("plain.npy", "<f4", &[0], Vec::new());
    files
}

/// The candidates for the last of these words.
#[track_caller]
fn candidates(files: &Files, words: &[&str]) -> Vec<String> {
    files.run(["complete", "--", "npy"].iter().chain(words)).ok().lines().map(str::to_owned).collect()
}

#[test]
fn members_follow_a_colon() {
    let files = files();
    assert_eq!(candidates(&files, &["show", "run.npz:t"]), ["run.npz:time", "run.npz:temp"]);
    assert_eq!(candidates(&files, &["run.npz:a:"]), ["run.npz:a:b"]);
    assert_eq!(candidates(&files, &["diff", "picks.npy", "'run.npz:w"]), ["run.npz:with space"]);
    // Not the one that would break the line.
    assert_eq!(candidates(&files, &["info", "run.npz:"]).len(), 4);
    assert!(candidates(&files, &["info", "run.npz"]).is_empty());
}

#[test]
fn fields_are_found_where_a_command_takes_them() {
    let files = files();
    for (words, found) in [
        (&["show", "picks.npy", "po"][..], &["pose.x", "pose.y"][..]),
        (&["show", "picks.npy", "['ti"], &["['time']"]),
        (&["show", "picks.npy", "[\"two"], &["[\"two words\"]"]),
        (&["show", "picks.npy", "[['id', 'ti"], &["[['id', 'time'"]),
        (&["show", "picks.npy", "--where", "id > 3 and pose.y"], &["id > 3 and pose.y"]),
        (&["stats", "picks.npy", "--fields", "id,ti"], &["id,time"]),
        (&["stats", "picks.npy", "ti"], &[]),
        (&["stats", "picks.npy", "--bins", "ti"], &[]),
        (&["show", "picks.npy", "--head", "i"], &[]),
        (&["show", "plain.npy", ""], &[]),
        (&["show", "run.npz", ""], &[]),
        (&["unknown", "picks.npy", "ti"], &[]),
    ] {
        assert_eq!(candidates(&files, words), found, "{words:?}");
    }
}

#[test]
fn keys_of_objects_are_completed() {
    let files = files();
    let key = |key: &str, value: PyObject| (PyObject::from(key), value);
    let inner = vec![key("yoff", 1.into()), key("a.b", 2.into()), (7.into(), 3.into())];
    let dict = PyObject::Dict(vec![key("reg", PyObject::Dict(inner)), key("rest", PyObject::None)]);
    ObjectArray::new(&[], vec![dict.clone()]).unwrap().save(files.path("ops.npy")).unwrap();
    ObjectArray::from(vec![dict]).save(files.path("stat.npy")).unwrap();
    for (words, found) in [
        (&["info", "ops.npy:re"][..], &["ops.npy:reg", "ops.npy:rest"][..]),
        (&["convert", "ops.npy:reg."], &["ops.npy:reg.yoff", "ops.npy:reg.7"]),
        (&["convert", "ops.npy:reg:y"], &["ops.npy:reg:yoff"]),
        (&["show", "stat.npy:0.res"], &["stat.npy:0.rest"]),
        (&["show", "ops.npy", "reg.y"], &["reg.yoff"]),
        (&["show", "ops.npy", "missing.y"], &[]),
        (&["show", "ops.npy:rest."], &[]),
        (&["stats", "ops.npy", "re"], &[]),
    ] {
        assert_eq!(candidates(&files, words), found, "{words:?}");
    }
}

#[test]
fn members_and_columns_are_found_where_a_command_takes_them() {
    let files = files();
    for (words, found) in [
        (&["rm", "run.npz", "t"][..], &["time", "temp"][..]),
        (&["rm", "run.npz", "time", "te"], &["temp"]),
        (&["mv", "run.npz", "ti"], &["time"]),
        (&["mv", "run.npz", "time", "t"], &[]),
        (&["set", "run.npz:ti"], &["run.npz:time"]),
        (&["set", "picks.npy", "ti"], &["time"]),
        (&["hash", "run.npz:te"], &["run.npz:temp"]),
        (&["stats", "run.npz", "--brief", "--sort", "-s"], &["-shape", "-std"]),
        (&["stats", "--brief", "--sort", "m"], &["min", "max", "mean"]),
        (&["show", "run.npz", "--sort", "m"], &[]),
    ] {
        assert_eq!(candidates(&files, words), found, "{words:?}");
    }
}

#[test]
fn files_that_cannot_be_read_have_no_candidates() {
    let files = files();
    let archive = files.read("run.npz");
    files.write("cut.npz", &archive[..archive.len() - 30]);
    files.write("text.npz", "hello");
    for word in ["cut.npz:", "text.npz:", "missing.npz:", "-:", "/dev/stdin:", "picks.npy:", ".:", ":", ""] {
        assert!(candidates(&files, &["show", word]).is_empty(), "{word}");
        assert!(candidates(&files, &["show", word.trim_end_matches(':'), "x"]).is_empty(), "{word}");
    }
    assert!(run(["complete"]).ok().is_empty());
}

/// A pipe is not opened: it would wait for a writer.
#[test]
#[cfg(unix)]
fn pipes_are_not_opened() {
    let files = files();
    let pipe = files.path("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &*pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    for words in [&["show", "pipe:"][..], &["show", "pipe", "x"]] {
        assert!(candidates(&files, words).is_empty());
    }
}

#[test]
#[cfg(all(unix, feature = "view"))]
fn bash_completes_members_and_fields() {
    let files = files();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_npy")).parent().unwrap().to_str().unwrap().to_owned();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap());
    let environment = [("PATH", &*path), ("PS1", "$ "), ("INPUTRC", "/dev/null"), ("HISTFILE", "/dev/null")];
    let mut shell = Terminal::of_program(40, 100, "bash", &["--norc", "--noprofile"], &environment);
    shell.press(&format!("cd '{}'; source <(npy completions bash); echo re''ady\n", files.directory().display()));
    shell.wait_for("ready\n");
    for (typed, completed) in [
        ("npy show run.npz:ti", "npy show run.npz:time"),
        ("npy info run.npz:a", "npy info run.npz:a:b"),
        ("npy info run.npz:w", "npy info run.npz:with\\ space"),
        ("npy info 'run.npz:w", "npy info 'run.npz:with space'"),
        ("npy show picks.npy \"['ti", "npy show picks.npy \"['time']\""),
        ("npy show picks.npy --where 'id > 3 and pose.y", "npy show picks.npy --where 'id > 3 and pose.y'"),
        ("npy stats picks.npy --fields id,ti", "npy stats picks.npy --fields id,time"),
        ("npy show pi", "npy show picks.npy"),
        ("npy rep", "npy repack"),
    ] {
        shell.press(&format!("{typed}\t"));
        shell.wait(completed, |screen| screen.lines().last() == Some(&format!("$ {completed}")));
        shell.press("\x15");
        shell.wait("an empty line", |screen| screen.lines().last() == Some("$"));
    }
}
