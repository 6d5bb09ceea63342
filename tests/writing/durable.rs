//! Durable saves, whose system calls strace sees.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use npy_core::atomic::Output;
use npy_core::{ErrorKind, SaveOptions};

use crate::support::{announce, child};

fn can_trace() -> bool {
    Command::new("strace").args(["-qq", "true"]).output().is_ok_and(|output| output.status.success())
}

/// The child of the next test: saves durably, and says what the error is.
#[test]
fn child_that_saves_durably() {
    let Some(path) = std::env::var_os("NPY_SAVE_DURABLY") else { return };
    let in_place = std::env::var_os("NPY_IN_PLACE").is_some();
    let saved = npy_core::save_with(path, &[2_u8], SaveOptions::new().durable(true).in_place(in_place));
    let said = match saved {
        Ok(()) => "saved",
        Err(error) if error.kind() == ErrorKind::NotDurable => "replaced",
        Err(_) => "as it was",
    };
    println!("it is {said}");
}

/// A durable save tells whether it has replaced the file, for each `fsync` that fails.
#[test]
fn durable_save_says_whether_the_file_is_replaced() {
    let name = "durable_save_says_whether_the_file_is_replaced";
    if can_trace() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file.npy");
        for (count, expected) in [(1, "as it was"), (2, "replaced"), (3, "saved")] {
            npy_core::save(&path, &[1_u8]).unwrap();
            let output = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject=fsync:error=EIO:when={count}")])
                .arg(std::env::current_exe().unwrap())
                .args([&child(module_path!(), "child_that_saves_durably"), "--exact", "--nocapture"])
                .env("NPY_SAVE_DURABLY", &path)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains(&format!("it is {expected}")), "{count}: {said}");
            assert_eq!(npy_core::load::<u8>(&path).unwrap(), [if expected == "as it was" { 1 } else { 2 }], "{count}");
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        }
    } else {
        announce(&format!("SKIPPED {name}: there is no strace that can trace"));
    }
}

/// The child of the next test: changes its directory between the creation of a file in place and the commit.
#[test]
fn child_that_leaves_its_directory() {
    let Some(elsewhere) = std::env::var_os("NPY_LEAVE_FOR") else { return };
    let mut output = Output::create("file.npy", SaveOptions::new().durable(true).in_place(true)).unwrap();
    output.write_all(&[1]).unwrap();
    std::env::set_current_dir(elsewhere).unwrap();
    output.commit().unwrap();
}

#[test]
fn commit_in_place_syncs_the_directory_of_a_relative_path() {
    let [directory, elsewhere] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let status = Command::new(std::env::current_exe().unwrap())
        .args([&child(module_path!(), "child_that_leaves_its_directory"), "--exact"])
        .current_dir(directory.path())
        .env("NPY_LEAVE_FOR", elsewhere.path())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(fs::read(directory.path().join("file.npy")).unwrap(), [1]);
}

/// A new file that a link leads to has its name in another directory than the link.
#[cfg(unix)]
#[test]
fn durable_save_in_place_syncs_the_directory_of_the_file() {
    let name = "durable_save_in_place_syncs_the_directory_of_the_file";
    if !can_trace() {
        announce(&format!("SKIPPED {name}: there is no strace that can trace"));
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let (files, link) = (root.join("files"), root.join("link.npy"));
    fs::create_dir(&files).unwrap();
    std::os::unix::fs::symlink("files/new.npy", &link).unwrap();
    let log = root.join("log");
    let status = Command::new("strace")
        .args(["-f", "-qq", "-y", "-e", "trace=fsync", "-o"])
        .arg(&log)
        .arg(std::env::current_exe().unwrap())
        .args([&child(module_path!(), "child_that_saves_durably"), "--exact"])
        .env("NPY_SAVE_DURABLY", &link)
        .env("NPY_IN_PLACE", "1")
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let log = fs::read_to_string(log).unwrap();
    for synced in [&files.join("new.npy"), &files] {
        assert!(log.contains(&format!("<{}>", synced.display())), "{} is not synced: {log}", synced.display());
    }
}
