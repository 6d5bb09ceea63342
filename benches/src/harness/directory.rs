//! A temporary directory for the files of a run, and the space that a case needs.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const MIB: u64 = 1 << 20;

/// Removing more files than this slows what comes after.
const MANY: usize = 100;

/// The space of a small file on a disk, in bytes.
const BLOCK: u64 = 4096;

/// A directory for the files of a run, removed when dropped.
pub(crate) struct Directory {
    path: PathBuf,
    /// The subdirectory of the files.
    files: PathBuf,
    /// How many times files were moved aside.
    aside: Cell<usize>,
    file_system: String,
    /// A shell that removes the directory if this process is killed.
    watch: Option<Child>,
}

/// What a case needs, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Need {
    /// All files that exist at the same time.
    pub(crate) disk: u64,
    /// How many small files stay until the end; see [`Directory::clear`].
    pub(crate) small_files: u64,
    /// All arrays of this process and of NumPy.
    pub(crate) memory: u64,
    /// Whether a run is complete without the case.
    pub(crate) is_optional: bool,
}

impl Need {
    /// Bytes on the disk and in memory.
    pub(crate) const fn of(disk: u64, memory: u64) -> Self {
        Self { disk, memory, small_files: 0, is_optional: false }
    }

    /// Adds small files that stay until the end.
    pub(crate) const fn and_small_files(self, small_files: u64) -> Self {
        Self { small_files, ..self }
    }
}

impl Directory {
    /// Creates one in another directory.
    pub(crate) fn create_in(parent: &Path) -> Result<Self, String> {
        let parent = parent.canonicalize().map_err(|error| format!("{}: {error}", parent.display()))?;
        let path = parent.join(format!("npy-bench-{}", std::process::id()));
        let files = path.join("files");
        for directory in [&path, &files] {
            fs::create_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        }
        // Its input ends when this process does, even if killed.
        let script = r#"trap "" HUP INT TERM; cat > /dev/null; rm -rf -- "$1""#;
        let watch = Command::new("sh").args(["-c", script, "sh"]).arg(&path).stdin(Stdio::piped()).spawn().ok();
        let file_system = file_system_of(&parent).unwrap_or_else(|| "unknown file system".to_owned());
        Ok(Self { path, files, aside: Cell::new(0), file_system, watch })
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.files.join(name)
    }

    /// Empties it.
    ///
    /// Many files on a disk are moved aside until the end. Without a journal, ext4 examines each
    /// inode freed within the last minutes before it hands one out: after thousands of files had
    /// been removed, a new one took 600 µs instead of 25.
    pub(crate) fn clear(&self) {
        let is_many = fs::read_dir(&self.files).is_ok_and(|mut entries| entries.nth(MANY).is_some());
        if is_many && !self.is_in_memory() {
            self.aside.set(self.aside.get() + 1);
            fs::rename(&self.files, self.path.join(format!("aside-{}", self.aside.get()))).unwrap();
            fs::create_dir(&self.files).unwrap();
            return;
        }
        for entry in fs::read_dir(&self.files).into_iter().flatten().flatten() {
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }

    /// Flushes the whole file system to the disk, on Linux.
    pub(crate) fn sync(&self) {
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(fs::File::open(&self.path).unwrap()).unwrap();
    }

    /// The name of the file system, such as `ext4`.
    pub(crate) fn file_system(&self) -> &str {
        &self.file_system
    }

    /// Whether its files are in memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.file_system.as_str(), "tmpfs" | "ramfs" | "devtmpfs")
    }

    /// Chooses between a value for files on a disk and one for files in memory.
    pub(crate) fn either<T>(&self, on_disk: T, in_memory: T) -> T {
        if self.is_in_memory() { in_memory } else { on_disk }
    }

    /// Fails if there is not enough space. Space that the system does not report is not checked.
    pub(crate) fn require(&self, need: Need) -> Result<(), String> {
        let (disk, memory) = if self.is_in_memory() {
            (need.disk, need.memory.saturating_add(need.disk))
        } else {
            (need.disk.saturating_add(need.small_files.saturating_mul(BLOCK)), need.memory)
        };
        match free_on_disk(&self.path) {
            Some(free) if free < disk => return Err(short_of(free, disk, "disk space")),
            _ => {}
        }
        match free_inodes(&self.path) {
            Some(free) if !self.is_in_memory() && free < need.small_files => {
                return Err(format!("not enough inodes: expected {}, found {free}", need.small_files));
            }
            _ => {}
        }
        match free_memory() {
            Some(free) if free < memory => Err(short_of(free, memory, "memory")),
            _ => Ok(()),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if self.aside.get() > 0 {
            println!("removing many small files");
        }
        let _ = fs::remove_dir_all(&self.path);
        if let Some(mut watch) = self.watch.take() {
            drop(watch.stdin.take());
            let _ = watch.wait();
        }
    }
}

fn short_of(free: u64, least: u64, what: &str) -> String {
    format!("not enough {what}: expected {} MiB, found {} MiB", least.div_ceil(MIB), free / MIB)
}

fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse().ok().map(|kib: u64| kib * 1024)
}

fn free_on_disk(directory: &Path) -> Option<u64> {
    let output = Command::new("df").arg("-Pk").arg(directory).output().ok()?;
    // A line of titles, then device, size, used, free.
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok().map(|kib: u64| kib * 1024)
}

/// The free inodes. A file system that makes them as needed reports none at all.
#[cfg(target_os = "linux")]
fn free_inodes(directory: &Path) -> Option<u64> {
    let room = rustix::fs::statvfs(directory).ok()?;
    (room.f_files > 0).then_some(room.f_favail)
}

#[cfg(not(target_os = "linux"))]
fn free_inodes(_: &Path) -> Option<u64> {
    None
}

/// The file system of the longest mount point above the directory.
fn file_system_of(directory: &Path) -> Option<String> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let above = mounts.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        directory.starts_with(point).then_some((point, kind))
    });
    // Of several at one point, the last hides the others.
    above.max_by_key(|(point, _)| point.len()).map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs with a directory in one that only this test has.
    fn with_directory(test: &str, run: impl FnOnce(&mut Directory)) {
        let parent = std::env::temp_dir().join(format!("npy-bench-{test}-{}", std::process::id()));
        fs::create_dir(&parent).unwrap();
        let mut directory = Directory::create_in(&parent).unwrap();
        run(&mut directory);
        drop(directory);
        // Fails unless it is empty again.
        fs::remove_dir(&parent).unwrap();
    }

    #[test]
    fn clears_files_and_leaves_nothing_behind() {
        with_directory("clear", |directory| {
            assert!(!directory.file_system().is_empty());
            for (file_system, count, is_kept) in [("ext4", MANY, false), ("tmpfs", MANY + 1, false), ("ext4", MANY + 1, true)] {
                directory.file_system = file_system.to_owned();
                for i in 0..count {
                    fs::write(directory.file(&i.to_string()), "content").unwrap();
                }
                directory.clear();
                assert_eq!(fs::read_dir(&directory.files).unwrap().count(), 0);
                let kept = fs::read_dir(directory.path.join("aside-1")).map_or(0, Iterator::count);
                assert_eq!(kept, if is_kept { count } else { 0 }, "{file_system}, {count}");
            }
            fs::write(directory.file("file"), "content").unwrap();
        });
    }

    #[test]
    fn refuses_needs_beyond_the_free_space() {
        with_directory("room", |directory| {
            assert_eq!(directory.require(Need::of(1, 1)), Ok(()));
            if free_on_disk(&directory.path).is_some() {
                assert!(directory.require(Need::of(u64::MAX, 0)).unwrap_err().contains("not enough disk space"));
            }
            if free_memory().is_some() {
                assert!(directory.require(Need::of(0, u64::MAX)).unwrap_err().contains("not enough memory"));
            }
            directory.file_system = "ext4".to_owned();
            // Twice as many: other programs may remove files meanwhile.
            if let Some(free) = free_inodes(&directory.path) {
                let refusal = directory.require(Need::of(0, 0).and_small_files(2 * free + 1)).unwrap_err();
                assert!(refusal.contains("not enough inodes") || refusal.contains("not enough disk space"), "{refusal}");
            }
            directory.file_system = "tmpfs".to_owned();
            assert_eq!(directory.require(Need::of(0, 0).and_small_files(u64::MAX)), Ok(()));
        });
    }
}
