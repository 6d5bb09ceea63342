//! One growing array in many files.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arbitrary::{Result, Unstructured};
use npy_core::append::recover;
use npy_core::shards::{ShardWriter, Shards};
use npy_core::{Error, ErrorKind, Header};

use super::{Model, ROW_BYTES, Row};

/// Shards, whose row `i` is `Row::new(i)`.
pub(super) struct Files {
    directory: PathBuf,
    writer: Option<ShardWriter<Row>>,
    /// Rows that were given to the writer.
    sent: usize,
    /// Rows that must be there, whatever happens.
    committed: usize,
}

/// All files, and their content.
type Copy = Vec<(PathBuf, Vec<u8>)>;

impl Model for Files {
    fn step(&mut self, input: &mut Unstructured) -> Result<()> {
        match self.writer.take() {
            Some(writer) => self.step_of_writer(writer, input)?,
            None => self.step_of_files(input)?,
        }
        let found = self.found();
        assert!((self.committed..=self.sent).contains(&found), "{found} of {} to {}", self.committed, self.sent);
        self.committed = self.committed.max(self.finished());
        Ok(())
    }
}

impl Files {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), writer: None, sent: 0, committed: 0 }
    }

    fn prefix(&self) -> PathBuf {
        self.directory.join("rows")
    }

    fn step_of_writer(&mut self, mut writer: ShardWriter<Row>, input: &mut Unstructured) -> Result<()> {
        match input.int_in_range(0..=7)? {
            0 => {
                for _ in 0..input.int_in_range(0..=20)? {
                    writer.push(&Row::new(self.sent)).unwrap();
                    self.sent += 1;
                }
            }
            1 | 2 => {
                let count = input.int_in_range(0..=100)?;
                let rows: Vec<Row> = (self.sent..self.sent + count).map(Row::new).collect();
                writer.write_slice(&rows).unwrap();
                self.sent += count;
            }
            3 => {
                writer.flush().unwrap();
                self.committed = self.sent;
            }
            4 => {
                writer.finish().unwrap();
                self.committed = self.sent;
                assert_eq!(self.finished(), self.sent, "a part is left");
                return Ok(());
            }
            5 => {
                drop(writer);
                self.committed = self.sent;
                return Ok(());
            }
            6 => {
                let left = self.copy();
                drop(writer);
                self.restore(&left);
                self.sent = self.found();
                return Ok(());
            }
            // Seldom, because each waits a while for the lock.
            _ if input.ratio(1, 20)? => {
                let before = self.copy();
                assert!(self.open(1).unwrap_err().kind() == ErrorKind::Conflict);
                assert!(self.copy() == before, "a second writer has changed something");
            }
            _ => {}
        }
        assert_eq!(writer.rows(), self.sent as u64);
        self.writer = Some(writer);
        Ok(())
    }

    fn step_of_files(&mut self, input: &mut Unstructured) -> Result<()> {
        let whole = self.copy();
        let shards = Shards::open(self.prefix()).unwrap().shards().to_vec();
        let part = self.part(shards.len());
        let chosen = |input: &mut Unstructured| input.choose(&shards).cloned();
        match input.int_in_range(0..=9)? {
            0..=2 => {
                let writer = self.open(input.int_in_range(10..=80)?).unwrap();
                assert_eq!(writer.rows(), self.sent as u64);
                self.committed = self.sent;
                self.writer = Some(writer);
                return Ok(());
            }
            3 if !shards.is_empty() => {
                let shard = chosen(input)?;
                self.cut(&shard.path, shard.rows.start as usize, input)?;
            }
            4 if part.exists() => {
                // A part is not read; a writer refuses it, until it is recovered.
                let file = fs::read(&part).unwrap();
                let (header, data_offset) = Header::parse(&file).unwrap();
                let length = input.int_in_range(data_offset..=file.len())?;
                fs::write(&part, &file[..length]).unwrap();
                if length < data_offset + header.data_bytes() as usize {
                    self.expect_refused(1000, |error| error.kind() == ErrorKind::Truncated, &part);
                }
                let rows = recover(&part).unwrap().rows as usize;
                assert_eq!(rows, (length - data_offset) / ROW_BYTES);
                self.sent = self.finished() + rows;
                self.committed = self.sent;
                return Ok(());
            }
            5 if !shards.is_empty() => {
                // A bit of a header: any verdict, but a refusal changes nothing.
                let path = if part.exists() && input.arbitrary()? { part } else { chosen(input)?.path };
                let mut damaged = fs::read(&path).unwrap();
                let (_, data_offset) = Header::parse(&damaged).unwrap();
                let bit = input.int_in_range(0..=data_offset * 8 - 1)?;
                damaged[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, &damaged).unwrap();
                if let Ok(shards) = Shards::open(self.prefix()) {
                    let _ = shards.read::<Row>(0..shards.rows());
                }
                let before = self.copy();
                match self.open(1000) {
                    Ok(writer) => drop(writer),
                    Err(_) => assert!(self.copy() == before, "a refusal has changed something"),
                }
            }
            6 if !shards.is_empty() => {
                let number = input.int_in_range(0..=shards.len() - 1)?;
                fs::remove_file(&shards[number].path).unwrap();
                let is_last = number + 1 == shards.len();
                if !is_last {
                    let error = Shards::open(self.prefix()).unwrap_err();
                    assert!(is_missing(&error, number), "{error}");
                    self.expect_refused(5, |error| is_missing(error, number), &shards[number].path);
                } else if part.exists() {
                    let is_unexpected = |error: &Error| {
                        let found = number + 1;
                        let message = format!("unexpected unfinished shard: expected number {number}, found {found}");
                        error.kind() == ErrorKind::InvalidData && error.to_string().ends_with(&message)
                    };
                    self.expect_refused(5, is_unexpected, &part);
                }
                if is_last {
                    assert_eq!(self.finished() as u64, shards[number].rows.start);
                }
            }
            7 if shards.len() > 1 => {
                // The number of a file is its place.
                let number = input.int_in_range(1..=shards.len() - 1)?;
                let [one, other] = [number - 1, number].map(|number| fs::read(&shards[number].path).unwrap());
                fs::write(&shards[number - 1].path, other).unwrap();
                fs::write(&shards[number].path, one).unwrap();
                let [first, second] = [number - 1, number].map(|number| shards[number].rows.clone());
                let found: Vec<u64> = self.rows(0..self.finished()).iter().map(|row| row.number).collect();
                let rest = second.end..self.finished() as u64;
                assert!(found.into_iter().eq((0..first.start).chain(second).chain(first).chain(rest)));
            }
            8 => {
                for name in ["rows-0.npy", "rows-00000.npy.bak", "rows-0000x.npy", "rows-0000000.npy", "rows.npy", "row-00099.npy"]
                {
                    fs::write(self.directory.join(name), "no shard").unwrap();
                }
                assert_eq!(self.found(), self.sent);
                drop(self.open(1000).unwrap());
            }
            _ => {}
        }
        self.restore(&whole);
        Ok(())
    }

    /// Cuts a shard: all before it is read, and nothing of it but what is there.
    fn cut(&self, path: &Path, begin: usize, input: &mut Unstructured) -> Result<()> {
        let file = fs::read(path).unwrap();
        let (_, data_offset) = Header::parse(&file).unwrap();
        let length = input.int_in_range(0..=file.len() - 1)?;
        fs::write(path, &file[..length]).unwrap();
        let is_truncated = |error: &Error| {
            // An empty file may be of any format.
            let is_empty = length == 0 && error.kind() == ErrorKind::WrongFormat;
            (is_empty || error.kind() == ErrorKind::Truncated) && error.path() == Some(path)
        };
        if length < data_offset {
            let error = Shards::open(self.prefix()).unwrap_err();
            assert!(is_truncated(&error), "{error:#}: {:?}", error.kind());
            self.expect_refused(5, is_truncated, path);
            return Ok(());
        }
        let shards = Shards::open(self.prefix()).unwrap();
        assert!(is_truncated(&shards.read::<Row>(0..shards.rows()).unwrap_err()));
        assert_eq!(self.rows(0..begin).len(), begin);
        let last = shards.records::<Row>().last().unwrap();
        assert!(is_truncated(&last.unwrap_err()));
        assert!(shards.records::<Row>().filter_map(npy_core::Result::ok).enumerate().all(|(number, row)| row == Row::new(number)));
        Ok(())
    }

    /// A writer is refused, and changes nothing.
    fn expect_refused(&self, rows: u64, is_expected: impl Fn(&Error) -> bool, path: &Path) {
        let before = self.copy();
        let error = self.open(rows).unwrap_err();
        assert!(is_expected(&error), "{error}");
        assert_eq!(error.path(), Some(path));
        assert!(self.copy() == before, "a refusal has changed something");
    }

    fn open(&self, rows: u64) -> npy_core::Result<ShardWriter<Row>> {
        ShardWriter::open(self.prefix(), rows)
    }

    fn part(&self, number: usize) -> PathBuf {
        self.directory.join(format!("rows-{number:05}.npy.part"))
    }

    fn rows(&self, range: Range<usize>) -> Vec<Row> {
        Shards::open(self.prefix()).unwrap().read(range.start as u64..range.end as u64).unwrap()
    }

    /// The number of rows in finished shards.
    fn finished(&self) -> usize {
        Shards::open(self.prefix()).unwrap().rows() as usize
    }

    /// The number of rows, each of which is the right one, with those of the part.
    fn found(&self) -> usize {
        let shards = Shards::open(self.prefix()).unwrap();
        let mut rows = shards.read::<Row>(0..shards.rows()).unwrap();
        assert!(shards.records::<Row>().map(npy_core::Result::unwrap).eq(rows.iter().copied()));
        let part = self.part(shards.shards().len());
        if part.exists() {
            rows.extend(npy_core::load::<Row>(part).unwrap());
        }
        assert!(rows.iter().enumerate().all(|(number, row)| *row == Row::new(number)));
        rows.len()
    }

    fn copy(&self) -> Copy {
        let paths = fs::read_dir(&self.directory).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        files.sort();
        files
    }

    fn restore(&self, files: &Copy) {
        self.copy().iter().for_each(|(path, _)| fs::remove_file(path).unwrap());
        files.iter().for_each(|(path, content)| fs::write(path, content).unwrap());
    }
}

fn is_missing(error: &Error, number: usize) -> bool {
    error.kind() == ErrorKind::NotFound && error.to_string().contains(&format!("missing shard {number}: "))
}
