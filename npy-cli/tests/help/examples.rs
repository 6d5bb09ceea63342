//! Every example of every help runs.

use std::fs;
use std::path::Path;
use std::process::Command;

use npy_core::npz::NpzWriter;
use npy_core::object::{ObjectArray, PyObject};
use npy_core::{DType, DynValues, Order, save};

use super::commands;
use crate::support::run;

const PICK: &str = "[('id','<u4'),('time','<M8[ns]'),('at',[('x','<f4'),('y','<f4')]),('pose',[('x','<f8')]),\
    ('origin',[('magnitude','<f8')]),('latitude','<f8'),('longitude','<f8'),('waveform','<i4',(8,))]";

/// An array whose bytes count up.
fn array(dtype: &str, shape: &[usize]) -> DynValues {
    let dtype: DType = dtype.parse().unwrap();
    let length = shape.iter().product::<usize>() * dtype.itemsize();
    DynValues::new(dtype, Order::C, shape, (0..length).map(|at| (at % 64) as u8).collect()).unwrap()
}

/// The files that the examples of a command name.
fn fill(directory: &Path, command: &str) {
    let path = |name: &str| directory.join(name);
    for name in ["data", "more", "run", "out", ".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        fs::create_dir_all(path(name)).unwrap();
    }
    for name in ["picks.npy", "data/picks.npy"] {
        array(PICK, &[300]).save(path(name)).unwrap();
    }
    for name in ["trace", "spectrum", "waves", "more/x", "a", "b", "day1", "day2", "old"].map(|name| format!("{name}.npy")) {
        save(path(&name), &[0.5, 1.5, 2.5]).unwrap();
    }
    let values = || PyObject::from(array("<f8", &[12]));
    let reg = PyObject::Dict(vec![("yoff".into(), values())]);
    let ops = PyObject::Dict(vec![("Vcorr".into(), values()), ("reg".into(), reg)]);
    ObjectArray::new(&[], vec![ops]).unwrap().save(path("ops.npy")).unwrap();
    ObjectArray::new(&[1], vec![values()]).unwrap().save(path("ragged.npy")).unwrap();
    array("<f8", &[20, 30]).save(path("travel_times.npy")).unwrap();
    array("<f4", &[250_000]).save(path("steps.npy")).unwrap();
    array("|u1", &[6, 8, 3]).save(path("photo.npy")).unwrap();
    array("|i1", &[6, 8]).save(path("image.npy")).unwrap();
    let one = fs::read(path("a.npy")).unwrap();
    fs::write(path("log.npy"), [&one[..], &one].concat()).unwrap();
    fs::write(path("table.csv"), "t,x\n2026-11-27T10:00:00,0.5\n2026-11-27T10:00:01,1.5\n").unwrap();
    for name in ["run.npz", "old.npz"] {
        let mut archive = NpzWriter::create(path(name)).unwrap();
        archive.add_content("picks", |writer| array(PICK, &[300]).write(writer)).unwrap();
        for member in ["time", "a", "b", "x"] {
            archive.add_content(member, |writer| array("<f8", &[50]).write(writer)).unwrap();
        }
        archive.finish().unwrap();
    }
    match command {
        // What a crash leaves: rows without a count, members without a directory.
        "recover" => {
            let archive = fs::read(path("run.npz")).unwrap();
            fs::write(path("log.npz"), &archive[..archive.len() - 300]).unwrap();
            fs::write(path("readings.npy"), [&one[..], &[0; 16]].concat()).unwrap();
        }
        "set" => {
            array(PICK, &[300]).save(path("picks.npy")).unwrap();
            let mut archive = NpzWriter::create(path("run.npz")).unwrap();
            archive.add_scalar("lr", &0.5).unwrap();
            archive.add_slice("x", &[0.5; 9]).unwrap();
            archive.finish().unwrap();
            fs::copy(path("a.npy"), path("other.npy")).unwrap();
        }
        "rm" | "mv" | "hash" => {
            for name in ["run.npz", "ckpt.npz"] {
                let mut archive = NpzWriter::create(path(name)).unwrap();
                for member in ["tmp", "arr_0", "layers.0.w"] {
                    archive.add_slice(member, &[0.5]).unwrap();
                }
                archive.add_bytes("notes.txt", b"hello").unwrap();
                archive.finish().unwrap();
            }
        }
        "cat" => {
            fs::copy(path("a.npy"), path("steps-00000.npy")).unwrap();
        }
        _ => {}
    }
    run(["convert".as_ref(), path("a.npy").as_os_str(), path("model.safetensors").as_os_str()]).ok();
}

/// The commands below "Examples:", each without the remark behind it.
fn examples(help: &str) -> Vec<String> {
    let below = help.split("\nExamples:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let lines = below.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with("npy "));
    lines.map(|line| line.split("  ").next().unwrap().to_owned()).collect()
}

#[test]
fn every_example_runs() {
    let mut count = 0;
    for command in commands() {
        let directory = tempfile::tempdir().unwrap();
        fill(directory.path(), &command);
        for example in examples(&run([&command, "--help"]).ok()) {
            if example.ends_with(".parquet") && !cfg!(feature = "arrow") {
                continue;
            }
            // A system may have no `man`.
            let script = example.replace("man -l -", "cat");
            let program = Path::new(env!("CARGO_BIN_EXE_npy")).parent().unwrap();
            let output = Command::new("sh")
                .args(["-c", &format!("PATH=\"{}:$PATH\"; {script}", program.display())])
                .current_dir(directory.path())
                .env("HOME", directory.path())
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            let is_good = match (&*command, output.status.code()) {
                ("view", _) => errors.contains("terminal"),
                ("sql", _) => errors.contains("npy-sql"),
                // The values differ, which is no trouble.
                ("diff", code) => matches!(code, Some(0 | 1)),
                (_, code) => code == Some(0),
            };
            assert!(is_good, "{example}: {:?} {errors}", output.status.code());
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}
