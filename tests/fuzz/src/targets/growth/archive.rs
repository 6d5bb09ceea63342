//! A growing archive.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};

use arbitrary::{Result, Unstructured};
use npy_core::npz::{self, NpzReader, NpzWriter, WriteOptions};

use super::Model;

/// A growing archive.
pub(super) struct Archive {
    path: PathBuf,
    writer: Option<NpzWriter<File>>,
    /// Name and content of the members that must be there.
    committed: Vec<(String, Vec<u8>)>,
    /// Those that were added since.
    added: Vec<(String, Vec<u8>)>,
    /// Whether the writer replaces the file at the end.
    is_new: bool,
    /// Whether the last member has failed: dropping the writer then commits nothing.
    has_failed: bool,
    count: usize,
}

impl Model for Archive {
    fn step(&mut self, input: &mut Unstructured) -> Result<()> {
        match self.writer.take() {
            Some(writer) => self.step_of_writer(writer, input),
            None => self.step_of_file(input),
        }
    }
}

impl Archive {
    pub(super) fn new(directory: &Path) -> Self {
        let path = directory.join("members.npz");
        NpzWriter::create(&path).unwrap().finish().unwrap();
        Self { path, writer: None, committed: Vec::new(), added: Vec::new(), is_new: false, has_failed: false, count: 0 }
    }

    fn step_of_writer(&mut self, mut writer: NpzWriter<File>, input: &mut Unstructured) -> Result<()> {
        match input.int_in_range(0..=8)? {
            0..=3 => self.add(&mut writer, input)?,
            4 => {
                writer.finish().unwrap();
                self.commit();
                return Ok(());
            }
            5 if !self.has_failed => {
                drop(writer);
                self.commit();
                return Ok(());
            }
            5 | 6 => {
                if self.has_failed {
                    drop(writer)
                } else {
                    writer.discard()
                }
                self.added.clear();
                self.expect_committed();
                return Ok(());
            }
            7 => {
                let left = fs::read(&self.path).unwrap();
                writer.discard();
                fs::write(&self.path, &left).unwrap();
                self.after_kill();
                return Ok(());
            }
            _ => {
                // One that fails halfway is taken back.
                let failing = writer.add_content("failing", |member| {
                    std::io::Write::write_all(member, &[7; 3000])?;
                    Err(npy_core::Error::from(std::io::Error::other("given up")))
                });
                failing.unwrap_err();
                self.has_failed = true;
                // Seldom, because each waits a while for the lock.
                if !self.is_new && input.ratio(1, 20)? {
                    assert!(NpzWriter::append(&self.path).is_err());
                    assert!(npz::recover(&self.path).is_err());
                }
            }
        }
        self.writer = Some(writer);
        Ok(())
    }

    fn add(&mut self, writer: &mut NpzWriter<File>, input: &mut Unstructured) -> Result<()> {
        let options = WriteOptions::new()
            .compressed(input.arbitrary()?)
            .threads(input.int_in_range(1..=2)?)
            .aligned(input.arbitrary()?)
            .level(input.int_in_range(0..=9)?);
        writer.set_options(options);
        // Recovery cannot tell a member without content from one that was begun.
        let length = input.int_in_range(1..=300)? * if input.ratio(1, 20)? { 500 } else { 1 };
        let content: Vec<u8> = match input.int_in_range(0..=3)? {
            0 => (0..length).map(|byte| byte as u8).collect(),
            1 => vec![b'P'; length],
            // An archive within the archive.
            2 => {
                let mut inner = NpzWriter::new(Cursor::new(Vec::new()));
                inner.add_slice("x", &vec![self.count as u64; length / 8]).unwrap();
                inner.finish().unwrap().into_inner()
            }
            // What is there already, as content.
            _ => fs::read(&self.path).unwrap().into_iter().take(3000).collect(),
        };
        let name = format!("m{}", self.count);
        self.count += 1;
        writer.add_content(&name, |member| Ok(std::io::Write::write_all(member, &content)?)).unwrap();
        self.added.push((name, content));
        self.has_failed = false;
        Ok(())
    }

    fn commit(&mut self) {
        if self.is_new {
            self.committed.clear();
        }
        self.committed.append(&mut self.added);
        self.expect_committed();
    }

    fn after_kill(&mut self) {
        if let Err(error) = NpzReader::open(&self.path) {
            let left = fs::read(&self.path).unwrap();
            assert!(NpzWriter::append(&self.path).is_err(), "append takes what open refuses: {error}");
            assert!(fs::read(&self.path).unwrap() == left);
            npz::recover(&self.path).unwrap();
        }
        // All that was committed, and of what was added the first ones.
        let found = members(&self.path);
        let all = || self.committed.iter().chain(&self.added);
        assert!(found.len() >= self.committed.len(), "{} of {}", found.len(), self.committed.len());
        assert!(found.iter().zip(all()).all(|(found, member)| found == member));
        self.committed = found;
        self.added.clear();
    }

    fn step_of_file(&mut self, input: &mut Unstructured) -> Result<()> {
        self.has_failed = false;
        match input.int_in_range(0..=9)? {
            0..=3 => (self.writer, self.is_new) = (Some(NpzWriter::append(&self.path).unwrap()), false),
            4 if input.ratio(1, 4)? => (self.writer, self.is_new) = (Some(NpzWriter::create(&self.path).unwrap()), true),
            4 | 5 => self.cut(input)?,
            6 => self.flip(input)?,
            7 => self.concatenate(input)?,
            8 => {
                // A whole archive is left alone.
                let whole = fs::read(&self.path).unwrap();
                assert_eq!(npz::recover(&self.path).unwrap().added, 0);
                assert!(fs::read(&self.path).unwrap() == whole);
            }
            _ => {
                // Behind something else, as in a file that extracts itself.
                let whole = fs::read(&self.path).unwrap();
                fs::write(&self.path, [b"#!/bin/sh\n".as_slice(), &whole].concat()).unwrap();
                self.expect_committed();
                let mut writer = NpzWriter::append(&self.path).unwrap();
                self.is_new = false;
                self.add(&mut writer, input)?;
                writer.finish().unwrap();
                self.commit();
                self.rewrite();
            }
        }
        Ok(())
    }

    /// Cuts the end off: whole members are recovered.
    fn cut(&mut self, input: &mut Unstructured) -> Result<()> {
        let whole = fs::read(&self.path).unwrap();
        let length = input.int_in_range(0..=whole.len())?;
        let mut reader = NpzReader::from_bytes(&whole).unwrap();
        let ends: Vec<u64> = (0..reader.len()).map(|index| reader.data_range(index).unwrap().end).collect();
        fs::write(&self.path, &whole[..length]).unwrap();
        if length == whole.len() {
            return Ok(());
        }
        let kept = ends.iter().filter(|end| **end <= length as u64).count();
        let opened = NpzReader::open(&self.path);
        let opens = opened.is_ok();
        match opened {
            // What is left is what an earlier commit wrote, perhaps with a part of a directory behind.
            Ok(reader) => assert_eq!(reader.len(), kept, "a truncated archive opens"),
            Err(_) => assert!(NpzWriter::append(&self.path).is_err()),
        }
        match npz::recover(&self.path) {
            Ok(recovered) => {
                assert_eq!(recovered.members, kept as u64);
                self.committed.truncate(kept);
            }
            Err(error) => {
                // Members within the torn member may be such of the archive: a guess would drop them.
                let is_nested = |content: &[u8]| content.windows(4).any(|window| window == b"PK\x03\x04");
                let is_doubtful = self.committed.get(kept).is_some_and(|(_, content)| is_nested(content));
                assert!(kept == 0 || is_doubtful || opens, "{kept} members are whole: {error}");
                assert!(fs::read(&self.path).unwrap() == whole[..length]);
                fs::write(&self.path, &whole).unwrap();
            }
        }
        self.expect_committed();
        Ok(())
    }

    /// Flips a bit: whatever opens has the committed members, or says which one is damaged.
    fn flip(&mut self, input: &mut Unstructured) -> Result<()> {
        let whole = fs::read(&self.path).unwrap();
        let bit = input.int_in_range(0..=whole.len() * 8 - 1)?;
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(&self.path, &damaged).unwrap();
        let check = |archive: &[u8], least: usize| {
            let mut reader = NpzReader::from_bytes(archive).unwrap();
            assert!(reader.len() >= least, "{} of {least} members", reader.len());
            for index in 0..self.committed.len().min(reader.len()) {
                let name = reader.name(index).unwrap().to_owned();
                match reader.bytes(index, u64::MAX) {
                    // In a name of both headers, no single bit goes unseen.
                    Ok(content) => assert!((name, content) == self.committed[index], "member {index} has changed"),
                    Err(error) => assert!(error.to_string().contains(&format!("member {name:?}")), "{error}"),
                }
            }
        };
        let opened = NpzReader::open(&self.path).is_ok();
        if opened {
            check(&damaged, self.committed.len());
        }
        match NpzWriter::append(&self.path) {
            Ok(mut writer) => {
                assert!(opened, "append takes what open refuses");
                writer.add_bytes("more", b"more").unwrap();
                writer.finish().unwrap();
                check(&fs::read(&self.path).unwrap(), self.committed.len() + 1);
            }
            Err(_) => assert!(fs::read(&self.path).unwrap() == damaged),
        }
        fs::write(&self.path, &damaged).unwrap();
        match npz::recover(&self.path) {
            // A bit of the directory costs no member.
            Ok(_) => check(&fs::read(&self.path).unwrap(), 0),
            Err(_) => assert!(fs::read(&self.path).unwrap() == damaged),
        }
        fs::write(&self.path, &whole).unwrap();
        Ok(())
    }

    /// Two archives in one file are refused, and stay. One without members in front of another is
    /// like anything else in front of it.
    fn concatenate(&mut self, input: &mut Unstructured) -> Result<()> {
        let whole = fs::read(&self.path).unwrap();
        let mut other = NpzWriter::new(Cursor::new(Vec::new()));
        let other_count = usize::from(input.arbitrary::<bool>()?);
        if other_count > 0 {
            other.add_slice("other", &[1_u8]).unwrap();
        }
        let other = other.finish().unwrap().into_inner();
        let (first, second, is_empty) = match input.arbitrary()? {
            true => (&whole, &other, self.committed.is_empty()),
            false => (&other, &whole, other_count == 0),
        };
        let both = [first.as_slice(), second].concat();
        fs::write(&self.path, &both).unwrap();
        if is_empty {
            let count = NpzReader::open(&self.path).unwrap().len();
            assert_eq!(count, NpzReader::from_bytes(second).unwrap().len());
        } else {
            assert!(NpzReader::open(&self.path).is_err());
            assert!(NpzWriter::append(&self.path).is_err());
            npz::recover(&self.path).unwrap_err();
        }
        assert!(fs::read(&self.path).unwrap() == both);
        fs::write(&self.path, &whole).unwrap();
        Ok(())
    }

    /// Begins again without what stands in front.
    fn rewrite(&mut self) {
        let mut writer = NpzWriter::create(&self.path).unwrap();
        for (name, content) in &self.committed {
            writer.add_content(name, |member| Ok(std::io::Write::write_all(member, content)?)).unwrap();
        }
        writer.finish().unwrap();
    }

    fn expect_committed(&self) {
        assert!(members(&self.path) == self.committed, "other members than were committed");
        let names: HashSet<&str> = self.committed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), self.committed.len());
    }
}

fn members(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = NpzReader::open(path).unwrap();
    (0..archive.len()).map(|index| (archive.name(index).unwrap().to_owned(), archive.bytes(index, u64::MAX).unwrap())).collect()
}
