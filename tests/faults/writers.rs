//! The writers, and what must be there after each of them.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use npy_core::atomic::Output;
use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};
use npy_core::shards::{ShardWriter, Shards};
use npy_core::{NpyWriter, Result, SaveOptions, rawarray};

pub(crate) struct Writer {
    pub(crate) name: &'static str,
    /// What is there before.
    pub(crate) prepare: fn(&Path) -> Result<()>,
    pub(crate) run: fn(&Path) -> Result<()>,
    /// What must be there after an error, or after success.
    pub(crate) check: fn(&Path, bool) -> std::result::Result<(), String>,
    /// The names that may be in the directory begin so.
    pub(crate) names: &'static str,
}

pub(crate) const WRITERS: [Writer; 21] = [
    Writer {
        name: "a new file",
        prepare: nothing,
        run: |d| npy_core::save(d.join("a.npy"), &new()),
        check: is_whole,
        names: "a.npy",
    },
    Writer {
        name: "another file",
        prepare: old_npy,
        run: |d| npy_core::save(d.join("a.npy"), &new()),
        check: is_whole,
        names: "a.npy",
    },
    Writer {
        name: "a durable file",
        prepare: old_npy,
        run: |d| npy_core::save_with(d.join("a.npy"), &new(), SaveOptions::new().durable(true)),
        check: is_whole,
        names: "a.npy",
    },
    Writer {
        name: "a file in place",
        prepare: old_npy,
        run: |d| npy_core::save_with(d.join("a.npy"), &new(), SaveOptions::new().in_place(true).durable(true)),
        check: |d, is_done| if is_done { is_whole(d, true) } else { Ok(()) },
        names: "a.npy",
    },
    Writer {
        name: "a RawArray",
        prepare: |d| rawarray::save(d.join("a.ra"), &old()),
        run: |d| rawarray::save(d.join("a.ra"), &new()),
        check: |d, is_done| is_either(rawarray::load(d.join("a.ra")), is_done),
        names: "a.ra",
    },
    Writer { name: "an archive", prepare: nothing, run: new_archive, check: is_whole_archive, names: "a.npz" },
    Writer { name: "another archive", prepare: old_npz, run: new_archive, check: is_whole_archive, names: "a.npz" },
    Writer {
        name: "a durable archive",
        prepare: old_npz,
        run: |d| archive(d, WriteOptions::new().compressed(true).durable(true)),
        check: is_whole_archive,
        names: "a.npz",
    },
    Writer {
        name: "a growing file",
        prepare: nothing,
        run: |d| append(d, NpyWriter::create(d.join("a.npy"))?),
        check: |d, is_done| if is_done || d.join("a.npy").exists() { has_grown(d, &[], is_done) } else { Ok(()) },
        names: "a.npy",
    },
    Writer {
        name: "more of a growing file",
        prepare: |d| {
            let mut file = NpyWriter::<u32, _>::create(d.join("a.npy"))?;
            file.write_slice(&old())?;
            file.finish().map(drop)
        },
        run: |d| append(d, NpyWriter::append(d.join("a.npy"))?),
        check: |d, is_done| has_grown(d, &old(), is_done),
        names: "a.npy",
    },
    Writer {
        name: "more of an archive",
        prepare: old_npz,
        run: |d| append_member(d, WriteOptions::new()),
        check: has_members,
        names: "a.npz",
    },
    Writer {
        name: "durably more of an archive",
        prepare: old_npz,
        run: |d| append_member(d, WriteOptions::new().durable(true)),
        check: has_members,
        names: "a.npz",
    },
    Writer {
        name: "more of an archive by two threads",
        prepare: old_npz,
        run: |d| append_member(d, WriteOptions::new().compressed(true).threads(2)),
        check: has_members,
        names: "a.npz",
    },
    Writer { name: "an edited archive", prepare: old_archive, run: edit, check: is_edited, names: "a.npz" },
    Writer { name: "an archive with another array", prepare: old_archive, run: set_member, check: is_set, names: "a.npz" },
    Writer { name: "merged archives", prepare: two_archives, run: merge, check: is_merged, names: "a" },
    Writer { name: "an edited file", prepare: old_npy, run: edit_file, check: is_whole, names: "a.npy" },
    Writer { name: "recovery of rows", prepare: uncounted_rows, run: recover, check: is_recovered_or_as_it_was, names: "a.npy" },
    Writer { name: "recovery of a cut file", prepare: cut_file, run: recover, check: is_recovered_or_as_it_was, names: "a.npy" },
    Writer {
        name: "shards",
        prepare: nothing,
        run: |d| shards(d, &new()),
        check: |d, is_done| has_rows(d, &[], is_done),
        names: "s",
    },
    Writer {
        name: "more shards",
        prepare: |d| shards(d, &old()),
        run: |d| shards(d, &new()),
        check: |d, is_done| has_rows(d, &old(), is_done),
        names: "s",
    },
];

fn old() -> Vec<u32> {
    (0..30_000).collect()
}

fn new() -> Vec<u32> {
    (1_000_000..1_050_000).collect()
}

fn nothing(_directory: &Path) -> Result<()> {
    Ok(())
}

fn old_npy(directory: &Path) -> Result<()> {
    npy_core::save(directory.join("a.npy"), &old())
}

fn old_npz(directory: &Path) -> Result<()> {
    let mut archive = NpzWriter::create(directory.join("a.npz"))?;
    archive.add_slice("old", &old())?;
    archive.finish().map(drop)
}

fn new_archive(directory: &Path) -> Result<()> {
    archive(directory, WriteOptions::new().compressed(true))
}

fn archive(directory: &Path, options: WriteOptions) -> Result<()> {
    let mut archive = NpzWriter::create_with(directory.join("a.npz"), options)?;
    archive.add_slice("first", &new())?;
    archive.add_slice("new", &new())?;
    archive.finish().map(drop)
}

/// Exists once rows are flushed, where it can be written.
const FLUSHED: &str = "a.npy-flushed";

/// How many rows are flushed before the others are written.
const FLUSHED_ROWS: usize = 20_000;

fn append(directory: &Path, mut file: NpyWriter<u32, fs::File>) -> Result<()> {
    let items = new();
    file.write_slice(&items[..FLUSHED_ROWS])?;
    file.flush()?;
    let _ = fs::write(directory.join(FLUSHED), "");
    file.write_slice(&items[FLUSHED_ROWS..])?;
    file.finish().map(drop)
}

fn append_member(directory: &Path, options: WriteOptions) -> Result<()> {
    let mut archive = NpzWriter::append_with(directory.join("a.npz"), options)?;
    archive.add_slice("new", &new())?;
    archive.finish().map(drop)
}

fn old_archive(directory: &Path) -> Result<()> {
    let mut archive = NpzWriter::create_compressed(directory.join("a.npz"))?;
    archive.add_slice("old", &old())?;
    archive.add_slice("tmp", &new())?;
    archive.finish().map(drop)
}

/// Renames the first member, and removes the second.
fn edit(directory: &Path) -> Result<()> {
    let (mut archive, mut old) = NpzWriter::edit(directory.join("a.npz"), WriteOptions::new().durable(true))?;
    archive.add_member_of(&mut old, 0, "new.npy")?;
    archive.finish().map(drop)
}

fn is_edited(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let mut archive = NpzReader::open(directory.join("a.npz")).map_err(|error| error.to_string())?;
    archive.verify().map_err(|error| error.to_string())?;
    let names: Vec<_> = archive.names().collect();
    if names == ["new"] || !is_done && names == ["old", "tmp"] { Ok(()) } else { Err(format!("members {names:?}")) }
}

/// Replaces the array of the second member.
fn set_member(directory: &Path) -> Result<()> {
    let (mut archive, mut before) = NpzWriter::edit(directory.join("a.npz"), WriteOptions::new().compressed(true).durable(true))?;
    archive.add_member_of(&mut before, 0, "old.npy")?;
    archive.add_slice("tmp", &old())?;
    archive.finish().map(drop)
}

fn is_set(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let mut archive = NpzReader::open(directory.join("a.npz")).map_err(|error| error.to_string())?;
    archive.verify().map_err(|error| error.to_string())?;
    let is_kept = archive.by_name::<u32>("old").is_ok_and(|found| found == old());
    let found = archive.by_name::<u32>("tmp").map_err(|error| error.to_string())?;
    let is_whole = found == old() || !is_done && found == new();
    if is_kept && is_whole && archive.len() == 2 { Ok(()) } else { Err("other arrays".to_owned()) }
}

fn two_archives(directory: &Path) -> Result<()> {
    old_archive(directory)?;
    Ok(fs::copy(directory.join("a.npz"), directory.join("a-more.npz")).map(drop)?)
}

/// Replaces an archive by the members of it and of another one.
fn merge(directory: &Path) -> Result<()> {
    let (mut archive, mut first) = NpzWriter::edit(directory.join("a.npz"), WriteOptions::new().durable(true))?;
    archive.add_member_of(&mut first, 0, "old.npy")?;
    let mut second = match NpzReader::open(directory.join("a-more.npz")) {
        Ok(second) => second,
        Err(error) => {
            // Dropping it would finish it.
            archive.discard();
            return Err(error);
        }
    };
    archive.add_member_of(&mut second, 1, "new.npy")?;
    archive.finish().map(drop)
}

fn is_merged(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let mut archive = NpzReader::open(directory.join("a.npz")).map_err(|error| error.to_string())?;
    archive.verify().map_err(|error| error.to_string())?;
    let names: Vec<_> = archive.names().map(str::to_owned).collect();
    match names.last().map(String::as_str) {
        Some("new") => is_either(archive.by_name("new"), true),
        Some("tmp") if !is_done => is_either(archive.by_name("tmp"), true),
        _ => Err(format!("members {names:?}")),
    }
}

/// Replaces a file by a copy with other elements.
fn edit_file(directory: &Path) -> Result<()> {
    let path = directory.join("a.npy");
    let mut file = Output::edit(&path, SaveOptions::new().durable(true))?;
    npy_core::write(&mut file, &new()).map_err(|error| error.with_path(path))?;
    file.commit()
}

fn shards(directory: &Path, rows: &[u32]) -> Result<()> {
    let mut shards = ShardWriter::<u32>::open(directory.join("s"), 20_000)?;
    shards.write_slice(rows)?;
    shards.finish()
}

/// A file with rows that its header does not count, and a part of another.
fn uncounted_rows(directory: &Path) -> Result<()> {
    old_npy(directory)?;
    let mut file = fs::OpenOptions::new().append(true).open(directory.join("a.npy"))?;
    Ok(file.write_all(&[0; 4003])?)
}

/// A file whose header counts rows that are not there.
fn cut_file(directory: &Path) -> Result<()> {
    old_npy(directory)?;
    Ok(fs::OpenOptions::new().write(true).open(directory.join("a.npy"))?.set_len(128 + 4003)?)
}

fn recover(directory: &Path) -> Result<()> {
    npy_core::append::recover(directory.join("a.npy")).map(drop)
}

/// The rows that are there, or after an error the file as it was before.
fn is_recovered_or_as_it_was(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let path = directory.join("a.npy");
    let found = fs::read(&path).map_err(|error| error.to_string())?;
    let is_as_it_was = [uncounted_rows, cut_file].iter().any(|prepare| {
        let other = tempfile::tempdir().unwrap();
        prepare(other.path()).unwrap();
        fs::read(other.path().join("a.npy")).unwrap() == found
    });
    if is_as_it_was && !is_done {
        return Ok(());
    }
    let rows = npy_core::load::<u32>(path).map_err(|error| format!("unreadable: {error}"))?;
    let is_whole = rows.len() == old().len() + 1000 || rows == old()[..1000];
    if is_whole && found.len() == 128 + 4 * rows.len() {
        Ok(())
    } else {
        Err(format!("{} rows in {} bytes", rows.len(), found.len()))
    }
}

/// The new array, or after an error the old one, or none where there was none.
fn is_whole(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let path = directory.join("a.npy");
    if !is_done && !path.exists() {
        return Ok(());
    }
    is_either(npy_core::load(path), is_done)
}

fn is_either(found: Result<Vec<u32>>, is_done: bool) -> std::result::Result<(), String> {
    let found = found.map_err(|error| format!("unreadable: {error}"))?;
    if found == new() || (!is_done && found == old()) { Ok(()) } else { Err(format!("{} other elements", found.len())) }
}

fn is_whole_archive(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let path = directory.join("a.npz");
    if !is_done && !path.exists() {
        return Ok(());
    }
    let mut archive = NpzReader::open(path).map_err(|error| format!("unreadable: {error}"))?;
    let name = if is_done || archive.names().any(|name| name == "new") { "new" } else { "old" };
    is_either(archive.by_name(name), is_done)
}

/// What was there, and what was added from its begin on: all of it without an error.
fn has_grown(directory: &Path, before: &[u32], is_done: bool) -> std::result::Result<(), String> {
    let found = npy_core::load::<u32>(directory.join("a.npy")).map_err(|error| format!("unreadable: {error}"))?;
    let flushed = if directory.join(FLUSHED).exists() { FLUSHED_ROWS } else { 0 };
    is_prefix(&found, before, if is_done { new().len() } else { flushed })
}

/// Fails unless `found` begins as `before` and the new elements do, and has at least so many new ones.
fn is_prefix(found: &[u32], before: &[u32], new_rows: usize) -> std::result::Result<(), String> {
    let (all, least) = ([before, &new()].concat(), before.len() + new_rows);
    if found.len() >= least && all.starts_with(found) { Ok(()) } else { Err(format!("{} elements of {least}", found.len())) }
}

fn has_members(directory: &Path, is_done: bool) -> std::result::Result<(), String> {
    let mut archive = NpzReader::open(directory.join("a.npz")).map_err(|error| format!("unreadable: {error}"))?;
    let found = archive.by_name::<u32>("old").map_err(|error| format!("the old member is gone: {error}"))?;
    if found != old() {
        return Err("the old member has other elements".to_owned());
    }
    let is_added = archive.names().any(|name| name == "new");
    if is_added {
        is_either(archive.by_name("new"), true)
    } else if is_done {
        Err("no new member".to_owned())
    } else {
        Ok(())
    }
}

fn has_rows(directory: &Path, before: &[u32], is_done: bool) -> std::result::Result<(), String> {
    if !is_done && before.is_empty() && fs::read_dir(directory).map_err(|error| error.to_string())?.next().is_none() {
        return Ok(());
    }
    let reader = Shards::open(directory.join("s")).map_err(|error| format!("unreadable: {error}"))?;
    let found = reader.read::<u32>(0..reader.rows()).map_err(|error| format!("unreadable: {error}"))?;
    is_prefix(&found, before, if is_done { new().len() } else { 0 })
}
