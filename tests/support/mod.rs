//! Helpers shared by several test binaries.
#![allow(dead_code, reason = "each test binary uses another part")]

pub mod archives;
mod base;
pub mod compiler;
pub mod dump;
pub mod numpy;
pub mod objects;
pub mod ra;
pub mod readings;
pub mod streams;

#[allow(unused_imports, reason = "each test binary uses another part")]
pub use base::{announce, data, files_below, rounds, some, workspace};

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;

use npy_core::{Header, NpyElement, Order};
use tempfile::TempDir;

/// A path in a temporary directory of its own, which is removed with it.
pub struct Scratch {
    path: PathBuf,
    _directory: TempDir,
}

/// Makes the directory of a path, at which nothing is yet.
pub fn scratch(name: &str) -> Scratch {
    let directory = tempfile::tempdir().unwrap();
    Scratch { path: directory.path().join(name), _directory: directory }
}

impl Deref for Scratch {
    type Target = PathBuf;

    fn deref(&self) -> &PathBuf {
        &self.path
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl AsRef<OsStr> for Scratch {
    fn as_ref(&self) -> &OsStr {
        self.path.as_os_str()
    }
}

/// The sorted names of the files in a directory.
pub fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs a test of this program alone, in a process of its own: `as_child(module_path!(), "name")`.
pub fn as_child(module: &str, name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&child(module, name), "--exact", "--nocapture", "--test-threads=1"]);
    command
}

/// A file of zeros.
pub fn zeros(dtype: &str, order: Order, shape: &[usize]) -> Vec<u8> {
    let header = Header::new(dtype.parse().unwrap(), order, shape).unwrap();
    let mut file = header.to_bytes();
    file.resize(file.len() + usize::try_from(header.data_bytes()).unwrap(), 0);
    file
}

/// The file of an array of one dimension.
pub fn written<T: NpyElement>(items: &[T]) -> Vec<u8> {
    let mut file = Vec::new();
    npy_core::write(&mut file, items).unwrap();
    file
}

/// The dtypes of a text in the byte order of the machine instead of little-endian.
pub fn native(text: &str) -> String {
    if cfg!(target_endian = "big") { text.replace('<', ">") } else { text.to_owned() }
}

/// A message with dtypes in the byte order of the machine, as it is on a little-endian one.
pub fn as_little_endian(text: impl Display) -> String {
    let codes: &[_] = if cfg!(target_endian = "big") { &["c", "f", "i", "m", "u", "M", "U", "V"] } else { &[] };
    codes.iter().fold(text.to_string(), |text, code| text.replace(&format!(">{code}"), &format!("<{code}")))
}

/// The bytes of an `.npy` file whose header is this text, padded by nothing, in the given version.
pub fn file_with_header(major: u8, header: &[u8], data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([major, 0]);
    match major {
        1 => file.extend(u16::try_from(header.len()).unwrap().to_le_bytes()),
        _ => file.extend(u32::try_from(header.len()).unwrap().to_le_bytes()),
    }
    file.extend(header);
    file.extend(data);
    file
}

/// The name of a test as the harness knows it, for a test that runs another one of its program:
/// `child(module_path!(), "name")`.
pub fn child(module: &str, name: &str) -> String {
    match module.split_once("::") {
        Some((_program, module)) => format!("{module}::{name}"),
        None => name.to_owned(),
    }
}

/// The bytes of pairs of hexadecimal digits.
pub fn from_hex(hex: &str) -> Vec<u8> {
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(digits).collect()
}
