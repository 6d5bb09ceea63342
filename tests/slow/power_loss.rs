//! Power cuts: an image of a file system is copied at some instant, and the copy is mounted.
//!
//! What the system has not sent to the disk by then is lost in the copy. Everything is mounted in a name space of
//! its own, so that nothing stays mounted, however the test ends.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use npy_core::append::recover;
use npy_core::npz::{self, NpzReader, NpzWriter, WriteOptions};
use npy_core::shards::{ShardWriter, Shards};
use npy_core::{NpyWriter, Result, SaveOptions, rawarray};

use crate::support::archives::random;
use crate::support::{announce, as_child, child, rounds};

const IMAGE_BYTES: u64 = 16 << 20;

/// Copies of each kind, unless `NPY_SNAPSHOTS` says otherwise.
fn snapshots() -> usize {
    std::env::var("NPY_SNAPSHOTS").map_or_else(|_| rounds(15), |text| text.parse().unwrap())
}

fn run(command: &mut Command) -> std::result::Result<(), String> {
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// A mounted image.
struct Mount {
    directory: PathBuf,
}

impl Mount {
    fn new(image: &Path, directory: PathBuf) -> std::result::Result<Self, String> {
        fs::create_dir_all(&directory).unwrap();
        // The system brings nothing to the disk by itself.
        let mut command = Command::new("mount");
        command.args(["-t", "ext4", "-o", "loop,noatime,commit=900"]).arg(image).arg(&directory);
        run(&mut command).map(|()| Self { directory })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if run(Command::new("umount").arg(&self.directory)).is_err() {
            let _ = run(Command::new("umount").arg("--lazy").arg(&self.directory));
        }
    }
}

/// The file system that loses its power.
struct Disk {
    mount: Mount,
    image: PathBuf,
    scratch: PathBuf,
}

impl Disk {
    fn new(directory: &Path) -> std::result::Result<Self, String> {
        let image = directory.join("image");
        File::create(&image).unwrap().set_len(IMAGE_BYTES).unwrap();
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(&image))?;
        let mount = Mount::new(&image, directory.join("disk"))?;
        Ok(Self { mount, image, scratch: directory.to_owned() })
    }

    /// What would be there if the power had been cut now. All writers have stopped.
    fn after_power_cut(&self) -> Mount {
        let mut before = fs::read(&self.image).unwrap();
        // The system may still be writing: two equal copies are of one instant.
        loop {
            let now = fs::read(&self.image).unwrap();
            if now == before {
                break;
            }
            before = now;
        }
        let copy = self.scratch.join("copy");
        fs::write(&copy, before).unwrap();
        Mount::new(&copy, self.scratch.join("copied")).unwrap()
    }
}

/// Runs a test of this program where mounts are its own.
fn in_name_space(test: &str, of: &str) {
    let directory = tempfile::tempdir().unwrap();
    let unshared = || {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private"]);
        command
    };
    let image = directory.path().join("probe");
    File::create(&image).unwrap().set_len(IMAGE_BYTES).unwrap();
    let script = "mkfs.ext4 -q -F \"$0\" && mkdir \"$1\" && mount -o loop \"$0\" \"$1\" && umount \"$1\"";
    let probe = run(unshared().args(["sh", "-c", script]).arg(&image).arg(directory.path().join("probed")));
    if let Err(error) = probe {
        announce(&format!("SKIPPED {of}: an image cannot be mounted: {error}"));
        return;
    }
    let status = unshared()
        .arg(std::env::current_exe().unwrap())
        .args([&child(module_path!(), test), "--exact", "--nocapture", "--test-threads=1"])
        .env("NPY_POWER", directory.path())
        .status()
        .unwrap();
    assert!(status.success());
}

fn numbers(count: usize, first: u64) -> Vec<u64> {
    (first..first + count as u64).collect()
}

/// What was saved durably, and must be there from then on.
#[derive(Default)]
struct Expected {
    saved: Vec<(String, Vec<u64>)>,
    rows: usize,
    members: Vec<Vec<u64>>,
    /// Rows in shards, the unfinished one included.
    sharded: usize,
    finished: usize,
}

impl Expected {
    fn save(&mut self, name: &str, items: Vec<u64>) {
        self.saved.retain(|(other, _)| other != name);
        self.saved.push((name.to_owned(), items));
    }

    fn check(&self, disk: &Mount) -> Result<()> {
        for (name, items) in &self.saved {
            let found: Vec<u64> =
                if name.ends_with(".ra") { rawarray::load(disk.path(name))? } else { npy_core::load(disk.path(name))? };
            assert!(found == *items, "{name}: {} of {} elements", found.len(), items.len());
        }
        if self.rows > 0 {
            assert!(npy_core::load::<u64>(disk.path("rows.npy"))? == numbers(self.rows, 0));
        }
        if !self.members.is_empty() {
            let mut archive = NpzReader::open(disk.path("members.npz"))?;
            archive.verify()?;
            assert_eq!(archive.len(), self.members.len());
            for (index, items) in self.members.iter().enumerate() {
                assert!(archive.by_index::<u64>(index)? == *items, "member {index}");
            }
        }
        let shards = Shards::open(disk.path("shards"))?;
        assert!(shards.rows() >= self.finished as u64);
        assert!(shards.read::<u64>(0..shards.rows())? == numbers(shards.rows() as usize, 0));
        assert_eq!(ShardWriter::<u64>::open(disk.path("shards"), 20_000)?.rows(), self.sharded as u64);
        Ok(())
    }
}

/// One durable operation of many; returns what keeps its files open.
fn save_durably(disk: &Mount, round: usize, count: usize, expected: &mut Expected) -> Result<Box<dyn std::any::Any>> {
    let items = numbers(count, round as u64);
    let durable = SaveOptions::new().durable(true);
    match round % 10 {
        0 => {
            let name = format!("new{}.npy", round % 70);
            npy_core::save_with(disk.path(&name), &items, durable)?;
            expected.save(&name, items);
        }
        1 => {
            npy_core::save_with(disk.path("replaced.npy"), &items, durable)?;
            expected.save("replaced.npy", items);
        }
        2 => {
            npy_core::save_with(disk.path("in_place.npy"), &items, durable.in_place(true))?;
            expected.save("in_place.npy", items);
        }
        3 => {
            rawarray::save_with(disk.path("raw.ra"), &items, durable)?;
            expected.save("raw.ra", items);
        }
        4 | 5 => {
            if expected.rows > 50_000 {
                expected.rows = 0;
                fs::remove_file(disk.path("rows.npy"))?;
            }
            let mut writer = NpyWriter::create_or_append(disk.path("rows.npy"))?;
            writer.write_slice(&numbers(count, expected.rows as u64))?;
            expected.rows += count;
            if round % 10 == 4 {
                writer.finish()?;
            } else {
                writer.flush()?;
                return Ok(Box::new(writer));
            }
        }
        6 | 7 => {
            let options = WriteOptions::new().durable(true).compressed(round % 20 < 10);
            let path = disk.path("members.npz");
            let mut archive = if expected.members.is_empty() || round % 50 == 6 {
                expected.members.clear();
                NpzWriter::create_with(path, options)?
            } else {
                NpzWriter::append_with(path, options)?
            };
            archive.add_slice(&format!("m{}", expected.members.len()), &items)?;
            archive.finish()?;
            expected.members.push(items);
        }
        _ => {
            let mut writer = ShardWriter::open(disk.path("shards"), 20_000)?;
            writer.write_slice(&numbers(count, expected.sharded as u64))?;
            expected.sharded += count;
            if round % 10 == 8 {
                writer.finish()?;
                expected.finished = expected.sharded;
            } else {
                writer.flush()?;
                return Ok(Box::new(writer));
            }
        }
    }
    Ok(Box::new(()))
}

#[test]
fn child_that_saves_durably() {
    let Some(directory) = std::env::var_os("NPY_POWER") else { return };
    let mut disk = Disk::new(Path::new(&directory)).unwrap();
    let (mut state, mut lost) = (26, 0);
    let mut expected = Expected::default();
    for round in 0..snapshots() {
        if expected.sharded > 200_000 {
            drop(disk);
            disk = Disk::new(Path::new(&directory)).unwrap();
            expected = Expected::default();
        }
        let count = 1 + random(&mut state) % if round.is_multiple_of(3) { 100 } else { 12_000 };
        let _open = save_durably(&disk.mount, round, count, &mut expected).unwrap_or_else(|error| panic!("{round}: {error:#}"));
        // What was not fsynced is lost: otherwise this shows nothing.
        let fleeting = format!("fleeting{round}.npy");
        npy_core::save(disk.mount.path(&fleeting), &[1_u64; 1000]).unwrap();
        let copy = disk.after_power_cut();
        lost += usize::from(npy_core::load::<u64>(copy.path(&fleeting)).is_err());
        expected.check(&copy).unwrap_or_else(|error| panic!("{round}: {error:#}"));
        fs::remove_file(disk.mount.path(&fleeting)).unwrap();
    }
    announce(&format!("{} power cuts after durable calls: 0 lost; {lost} files of other calls were", snapshots()));
    assert!(lost > snapshots() / 2, "{lost}");
}

#[test]
fn durable_calls_survive_a_power_cut() {
    in_name_space("child_that_saves_durably", "durable_calls_survive_a_power_cut");
}

/// What a writer has committed so far: the number of the save, rows, members.
type Committed = [u64; 3];

/// The process that is stopped: saves, appends and adds members, and says in a file elsewhere what is safe.
#[test]
fn child_that_is_stopped() {
    let Some(directory) = std::env::var_os("NPY_STOPPED") else { return };
    let disk = PathBuf::from(directory);
    let log = File::options().write(true).open(std::env::var_os("NPY_LOG").unwrap()).unwrap();
    let [mut rows, mut members] = [0; 2];
    let say = |committed: Committed| {
        let [saves, rows, members] = committed;
        log.write_all_at(format!("{saves:9}{rows:9}{members:9}").as_bytes(), 0).unwrap();
    };
    for round in 0_u64.. {
        let count = 1 + (round as usize * 7919) % 30_000;
        npy_core::save_with(disk.join("saved.npy"), &vec![round; 1000 + count], SaveOptions::new().durable(true)).unwrap();
        let saves = round;
        say([saves, rows, members]);

        if rows > 60_000 {
            say([saves, 0, members]);
            fs::remove_file(disk.join("rows.npy")).unwrap();
            rows = 0;
        }
        let mut writer = NpyWriter::create_or_append(disk.join("rows.npy")).unwrap();
        for _ in 0..3 {
            writer.write_slice(&numbers(count / 4, rows)).unwrap();
            writer.flush().unwrap();
            rows += count as u64 / 4;
            say([saves, rows, members]);
        }
        writer.finish().unwrap();

        let options = WriteOptions::new().durable(true).compressed(round % 2 == 0);
        let path = disk.join("members.npz");
        if members.is_multiple_of(12) {
            say([saves, rows, 0]);
            NpzWriter::create_with(&path, options).unwrap().finish().unwrap();
            members = 0;
        }
        let mut archive = NpzWriter::append_with(&path, options).unwrap();
        archive.add_slice(&format!("m{members}"), &numbers(count / 2, members)).unwrap();
        // So that it is stopped here as well.
        std::thread::sleep(Duration::from_millis(3));
        archive.finish().unwrap();
        members += 1;
        say([saves, rows, members]);
    }
}

/// Ends the process.
struct Stopped(Child);

impl Stopped {
    fn signal(&self, name: &str) {
        run(Command::new("kill").args([name, &self.0.id().to_string()])).unwrap();
    }

    /// Stops the process, and waits until it has come out of its system call.
    fn stop(&self) {
        self.signal("-STOP");
        let state = || fs::read_to_string(format!("/proc/{}/task/{0}/stat", self.0.id())).unwrap();
        let is_stopped = || {
            let tasks = fs::read_dir(format!("/proc/{}/task", self.0.id())).unwrap();
            tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("stat")).ok()).all(|stat| stat.contains(") T "))
        };
        while !is_stopped() {
            assert!(!state().contains(") Z "), "the writer has ended");
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What is there holds at least what was committed, and nothing else than was sent.
fn check_interrupted(disk: &Mount, [saves, rows, members]: Committed) -> Result<usize> {
    let mut incomplete = 0;
    // Nothing is there before the first save.
    if saves > 0 || disk.path("saved.npy").exists() {
        let saved = npy_core::load::<u64>(disk.path("saved.npy"))?;
        let round = saved[0];
        assert!((saves..=saves + 1).contains(&round), "save {round} of {saves}");
        assert!(saved.len() == 1001 + (round as usize * 7919) % 30_000 && saved.iter().all(|item| *item == round));
    }
    if rows > 0 || disk.path("rows.npy").exists() {
        let found = npy_core::load::<u64>(disk.path("rows.npy"))?;
        assert!(found.len() as u64 >= rows, "{} of {rows} rows", found.len());
        assert!(found == numbers(found.len(), 0));
        // Rows that are not counted may hold anything.
        assert!(recover(disk.path("rows.npy"))?.rows >= rows);
    }
    if members > 0 || disk.path("members.npz").exists() {
        let path = disk.path("members.npz");
        if let Err(error) = NpzReader::open(&path) {
            let is_incomplete = error.to_string().contains("truncated archive: ");
            assert!(is_incomplete, "{error:#}");
            npz::recover(&path)?;
            incomplete += 1;
        }
        let mut archive = NpzReader::open(&path)?;
        assert!(archive.len() as u64 >= members, "{} of {members} members", archive.len());
        for index in 0..members {
            let found = archive.by_name::<u64>(&format!("m{index}"))?;
            assert!(found == numbers(found.len(), index), "member {index}");
        }
    }
    Ok(incomplete)
}

#[test]
fn child_that_cuts_the_power() {
    let Some(directory) = std::env::var_os("NPY_POWER") else { return };
    let directory = PathBuf::from(directory);
    let disk = Disk::new(&directory).unwrap();
    let log = directory.join("log");
    fs::write(&log, format!("{:9}{:9}{:9}", 0, 0, 0)).unwrap();
    let writer = as_child(module_path!(), "child_that_is_stopped")
        .env("NPY_STOPPED", &disk.mount.directory)
        .env("NPY_LOG", &log)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let writer = Stopped(writer);
    let (mut state, mut incomplete, mut temporary, mut last) = (7, 0, 0, [0; 3]);
    for round in 0..snapshots() {
        std::thread::sleep(Duration::from_micros(random(&mut state) as u64 % 20_000));
        writer.stop();
        let said = fs::read_to_string(&log).unwrap();
        let committed = [0, 9, 18].map(|begin| said[begin..begin + 9].trim().parse::<u64>().unwrap());
        if round % 3 == 0 {
            // The system may bring anything to the disk at any time.
            run(Command::new("sync").arg("--file-system").arg(&disk.mount.directory)).unwrap();
        }
        let copy = disk.after_power_cut();
        writer.signal("-CONT");
        temporary += usize::from(copy.path(".saved.npy.npy-tmp").exists());
        incomplete += check_interrupted(&copy, committed).unwrap_or_else(|error| panic!("{round}: {error:#}"));
        last = committed;
    }
    announce(&format!(
        "{} power cuts during durable calls: 0 torn, 0 lost, {temporary} within a save, {incomplete} left an archive incomplete; {} saves",
        snapshots(),
        last[0]
    ));
    assert!(last[0] > 2, "the writer hardly came to write");
    // A few cuts may all fall between saves.
    assert!(temporary > 0 || snapshots() < 100, "no cut fell within a save");
}

#[test]
fn power_cut_leaves_the_old_file_or_the_new() {
    in_name_space("child_that_cuts_the_power", "power_cut_leaves_the_old_file_or_the_new");
}
