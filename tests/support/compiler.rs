//! The compiler, given programs with the libraries of the tests that ask for it.
//!
//! A package of such programs, as trybuild makes it, builds the libraries and all of their dependencies once more, which takes a hundred
//! times as long.
#![allow(dead_code, reason = "each test program uses a part")]

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::workspace;

pub struct Compiler {
    rustc: PathBuf,
    /// Where this test program is, and the libraries.
    directory: PathBuf,
    /// Values of `--extern`.
    libraries: Vec<String>,
    scratch: tempfile::TempDir,
}

impl Compiler {
    /// Finds builds of the libraries with which `probe` compiles: Cargo may have built others with fewer features.
    pub fn new(libraries: &[&str], probe: &str) -> Self {
        let rustc = std::env::var_os("RUSTC").map_or_else(|| "rustc".into(), PathBuf::from);
        let directory = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        let mut compiler = Self { rustc, directory, libraries: Vec::new(), scratch: tempfile::tempdir().unwrap() };
        let path = compiler.scratch.path().join("probe.rs");
        fs::write(&path, probe).unwrap();
        let mut choices = vec![Vec::new()];
        for name in libraries {
            let builds = compiler.builds_of(name);
            let extended = |choice: &Vec<String>| {
                builds.iter().map(|build| [&choice[..], std::slice::from_ref(build)].concat()).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(extended).collect();
        }
        for choice in choices {
            compiler.libraries = choice;
            if compiler.compile(&path).status.success() {
                return compiler;
            }
        }
        panic!("no builds of {libraries:?} have all features: {}", messages(&compiler.compile(&path)));
    }

    pub fn version(&self) -> String {
        let output = Command::new(&self.rustc).arg("--version").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The builds of a library as values of `--extern`, the newest first: what was compiled last has the code of today.
    fn builds_of(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(&self.directory).unwrap().map(|entry| entry.unwrap().path());
        let is_build = |path: &PathBuf| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
        };
        let mut builds: Vec<_> = entries.filter(is_build).collect();
        builds.sort_by_key(|path| Reverse(fs::metadata(path).unwrap().modified().unwrap()));
        builds.iter().map(|path| format!("{name}={}", path.display())).collect()
    }

    /// Compiles a program, whose path is in the workspace, to code: only then constants are evaluated.
    pub fn compile(&self, program: &Path) -> Output {
        self.command(program).args(["--emit=obj", "--out-dir"]).arg(self.scratch.path()).output().unwrap()
    }

    /// Compiles a program and runs it in a directory. Both must succeed; returns what it prints.
    pub fn run(&self, program: &Path, directory: &Path) -> String {
        let executable = self.scratch.path().join("program");
        let output = self.command(program).arg("-o").arg(&executable).output().unwrap();
        assert!(output.status.success(), "{}", messages(&output));
        let output = Command::new(executable).current_dir(directory).output().unwrap();
        assert!(output.status.success(), "{}", messages(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.rustc);
        command.args(["--edition=2024", "--crate-type=bin", "-Adead_code"]).current_dir(workspace());
        command.arg("-L").arg(format!("dependency={}", self.directory.display()));
        command.args(self.libraries.iter().flat_map(|library| ["--extern", library])).arg(program);
        command
    }
}

/// What the compiler said.
pub fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
