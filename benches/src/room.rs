//! Room for files and for memory, of which nothing stays behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const MIB: u64 = 1 << 20;

/// A folder of its own for the files of a benchmark, removed in the end.
pub struct Folder {
    path: PathBuf,
    /// Removes it when this process is killed; where there is no shell, nobody does.
    watch: Option<Child>,
}

impl Folder {
    /// Makes one in another folder.
    ///
    /// # Errors
    ///
    /// When fewer than `least` bytes are free there, or it cannot be made.
    pub fn create_in(parent: &Path, least: u64) -> Result<Self, String> {
        match free_on_disk(parent) {
            Some(free) if free < least => {
                return Err(format!("{} has {} MiB free; {} are needed", parent.display(), free / MIB, least / MIB));
            }
            Some(_) => {}
            None => println!("nobody knows how much is free in {}", parent.display()),
        }
        let path = parent.join(format!("npy-bench-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        // Its input ends when this process does, however that comes.
        let script = r#"trap "" HUP INT TERM; cat > /dev/null; rm -rf -- "$1""#;
        let watch = Command::new("sh").args(["-c", script, "sh"]).arg(&path).stdin(Stdio::piped()).spawn().ok();
        Ok(Self { path, watch })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        if let Some(mut watch) = self.watch.take() {
            drop(watch.stdin.take());
            let _ = watch.wait();
        }
    }
}

/// Sees that so many bytes of memory are free.
///
/// # Errors
///
/// When there are fewer.
pub fn require_memory(least: u64) -> Result<(), String> {
    match free_memory() {
        Some(free) if free < least => Err(format!("{} MiB of memory are free; {} are needed", free / MIB, least / MIB)),
        Some(_) => Ok(()),
        None => {
            println!("nobody knows how much memory is free");
            Ok(())
        }
    }
}

fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse().ok().map(|kib: u64| kib * 1024)
}

fn free_on_disk(folder: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(folder).output().ok()?;
    // A line of titles, then: device, size, used, free.
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok().map(|kib: u64| kib * 1024)
}
