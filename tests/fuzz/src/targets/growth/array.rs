//! A growing `.npy` file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arbitrary::{Result, Unstructured};
use npy_core::append::recover;
use npy_core::{Header, NpyWriter};

use super::{Model, ROW_BYTES, Row};

/// A growing `.npy` file, whose row `i` is `Row::new(i)`.
pub(super) struct Array {
    path: PathBuf,
    writer: Option<NpyWriter<Row, File>>,
    /// Rows that were given to the writer.
    sent: usize,
    /// Rows that must be there, whatever happens.
    committed: usize,
}

impl Model for Array {
    fn step(&mut self, input: &mut Unstructured) -> Result<()> {
        match self.writer.take() {
            Some(writer) => self.step_of_writer(writer, input),
            None => self.step_of_file(input),
        }
    }
}

impl Array {
    pub(super) fn new(directory: &Path) -> Self {
        let path = directory.join("rows.npy");
        NpyWriter::<Row, _>::create(&path).unwrap().finish().unwrap();
        Self { path, writer: None, sent: 0, committed: 0 }
    }

    fn step_of_writer(&mut self, mut writer: NpyWriter<Row, File>, input: &mut Unstructured) -> Result<()> {
        match input.int_in_range(0..=7)? {
            0 | 1 => {
                for _ in 0..input.int_in_range(0..=20)? {
                    writer.push(&Row::new(self.sent)).unwrap();
                    self.sent += 1;
                }
            }
            2 => {
                // More than the writer holds back, now and then.
                let count = input.int_in_range(0..=200)? * if input.ratio(1, 20)? { 500 } else { 1 };
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
                assert_eq!(self.load(), self.sent);
                return Ok(());
            }
            5 => {
                drop(writer);
                self.committed = self.sent;
                assert_eq!(self.load(), self.sent);
                return Ok(());
            }
            6 => {
                let left = fs::read(&self.path).unwrap();
                drop(writer);
                fs::write(&self.path, left).unwrap();
                let found = self.load();
                assert!((self.committed..=self.sent).contains(&found), "{found} of {} to {}", self.committed, self.sent);
                if input.arbitrary()? {
                    let recovered = recover(&self.path).unwrap();
                    assert_eq!(recovered.before, found as u64);
                    assert_eq!(recovered.rows, self.load() as u64);
                    assert!(recovered.rows >= recovered.before && recovered.rows <= self.sent as u64);
                }
                self.sent = self.load();
                self.committed = self.sent;
                return Ok(());
            }
            // Seldom, because each waits a while for the lock.
            _ if input.ratio(1, 20)? => {
                // A second writer is refused, and what it would have replaced stays.
                let before = fs::read(&self.path).unwrap();
                assert!(NpyWriter::<Row, _>::append(&self.path).is_err());
                assert!(NpyWriter::<Row, _>::create(&self.path).is_err());
                assert!(recover(&self.path).is_err());
                assert!(fs::read(&self.path).unwrap() == before);
            }
            _ => {}
        }
        // While it is written, the file is an array that holds what was committed.
        let found = self.load();
        assert!((self.committed..=self.sent).contains(&found));
        self.writer = Some(writer);
        Ok(())
    }

    fn step_of_file(&mut self, input: &mut Unstructured) -> Result<()> {
        let file = fs::read(&self.path).unwrap();
        let (_, data_offset) = Header::parse(&file).unwrap();
        // Behind the rows, a kill may have left some that are not counted.
        let (whole, uncounted) = file.split_at(data_offset + self.sent * ROW_BYTES);
        match input.int_in_range(0..=9)? {
            0..=3 => self.writer = Some(NpyWriter::append(&self.path).unwrap()),
            4 => self.writer = Some(NpyWriter::create_or_append(&self.path).unwrap()),
            5 if input.ratio(1, 4)? => {
                self.writer = Some(NpyWriter::create(&self.path).unwrap());
                (self.sent, self.committed) = (0, 0);
            }
            5 | 6 => {
                let length = input.int_in_range(0..=file.len())?;
                fs::write(&self.path, &file[..length]).unwrap();
                if length < whole.len() {
                    npy_core::load::<Row>(&self.path).unwrap_err();
                    assert!(NpyWriter::<Row, _>::append(&self.path).is_err());
                    assert!(fs::read(&self.path).unwrap() == file[..length]);
                }
                if length < data_offset {
                    recover(&self.path).unwrap_err();
                    assert!(fs::read(&self.path).unwrap() == file[..length]);
                    fs::write(&self.path, &file).unwrap();
                } else {
                    let rows = (length - data_offset) / ROW_BYTES;
                    assert_eq!(recover(&self.path).unwrap().rows, rows as u64);
                    assert_eq!(self.load(), rows);
                    (self.sent, self.committed) = (rows, rows);
                }
            }
            7 => {
                // A bit of the header: any verdict, but a refusal changes nothing.
                let mut damaged = file.clone();
                let bit = input.int_in_range(0..=data_offset * 8 - 1)?;
                damaged[bit / 8] ^= 1 << (bit % 8);
                fs::write(&self.path, &damaged).unwrap();
                if recover(&self.path).is_err() {
                    assert!(fs::read(&self.path).unwrap() == damaged);
                }
                fs::write(&self.path, &damaged).unwrap();
                match NpyWriter::<Row, _>::append(&self.path) {
                    Ok(writer) => writer.finish().map(drop).unwrap(),
                    Err(_) => assert!(fs::read(&self.path).unwrap() == damaged),
                }
                fs::write(&self.path, &file).unwrap();
            }
            8 => {
                // A second array behind the first one.
                let both = [whole, whole, uncounted].concat();
                fs::write(&self.path, &both).unwrap();
                assert_eq!(self.load(), self.sent);
                assert!(NpyWriter::<Row, _>::append(&self.path).is_err());
                recover(&self.path).unwrap_err();
                assert!(fs::read(&self.path).unwrap() == both);
                fs::write(&self.path, &file).unwrap();
            }
            _ => {
                // Rows that no header counts, and a part of one.
                let more = input.int_in_range(0..=3)?;
                let part = input.int_in_range(0..=ROW_BYTES - 1)?;
                let mut longer = whole.to_vec();
                for row in (self.sent..self.sent + more).map(Row::new) {
                    longer.extend(row.number.to_ne_bytes());
                    longer.push(row.check);
                }
                longer.extend(vec![0; part]);
                fs::write(&self.path, &longer).unwrap();
                assert_eq!(self.load(), self.sent);
                if input.arbitrary()? {
                    let recovered = recover(&self.path).unwrap();
                    assert_eq!((recovered.rows, recovered.cut), ((self.sent + more) as u64, part as u64));
                    self.sent += more;
                } else {
                    NpyWriter::<Row, _>::append(&self.path).unwrap().finish().unwrap();
                    assert_eq!(fs::read(&self.path).unwrap().len(), whole.len());
                }
                self.committed = self.sent;
            }
        }
        Ok(())
    }

    /// The number of rows, each of which is the right one.
    fn load(&self) -> usize {
        let rows: Vec<Row> = npy_core::load(&self.path).unwrap();
        assert!(rows.iter().enumerate().all(|(number, row)| *row == Row::new(number)));
        let header = Header::read(File::open(&self.path).unwrap()).unwrap();
        assert_eq!(header.shape(), [rows.len()]);
        rows.len()
    }
}
