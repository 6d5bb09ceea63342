//! Inputs of commands that read NumPy's formats, made of files in any other.

use std::io::{BufWriter, Seek, Write};

use npy_core::npz::NpzWriter;

use super::source::{Item, Source};
use crate::failure::{Failure, Result};
use crate::input::{Input, Part, Spool, expected_one, not_spooled};
use crate::values::quantity;
use crate::{losses, output, signals};

/// A file in a format that is not NumPy's, of which nothing but the headers was read.
pub(crate) struct Foreign {
    pub(super) source: Box<dyn Source>,
    /// The argument of the user without the member.
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) holds_several: bool,
    /// The size of the file; `None` of a stream.
    pub(super) bytes: Option<u64>,
    pub(super) part: Option<Part>,
}

impl Foreign {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn format(&self) -> &'static str {
        self.format
    }

    pub(crate) fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Whether arrays have names, of which the user may select one.
    pub(crate) fn holds_several(&self) -> bool {
        self.holds_several
    }

    /// The selected array, or all.
    pub(crate) fn items(&self) -> Result<Vec<(usize, &Item)>> {
        let all = self.source.items().iter().enumerate();
        let found: Vec<_> = match &self.part {
            Some(Part::Member(member)) if self.holds_several => all.filter(|(_, item)| item.name == *member).collect(),
            Some(Part::Member(member)) => {
                let message = format!("cannot select member {member:?}: the file has one array");
                return Err(Failure::new(format!("{}: {message}", self.name)));
            }
            Some(Part::Number(number)) => {
                let message = format!("cannot select array {number}: expected an .npy file");
                return Err(Failure::new(format!("{}: {message}", self.name)));
            }
            None => all.collect(),
        };
        match (&self.part, found.is_empty()) {
            (Some(Part::Member(member)), true) => {
                let names = quantity::listed(self.source.items().iter().map(|item| &item.name));
                let message = format!("unknown member {member:?}: expected one of {names}");
                Err(Failure::new(format!("{}: {message}", self.name)))
            }
            _ => Ok(found),
        }
    }

    /// Fails unless one array is there, or selected.
    pub(super) fn expect_one(&self) -> Result<()> {
        let items = self.items()?;
        if items.len() < 2 {
            return Ok(());
        }
        Err(expected_one(&self.name, items.iter().map(|(_, item)| item.name.as_str())))
    }

    /// Reads the arrays to their ends, without keeping anything of them.
    pub(crate) fn check(&mut self) -> Result<()> {
        let indices: Vec<usize> = self.items()?.into_iter().map(|(index, _)| index).collect();
        let read = indices.into_iter().try_for_each(|index| self.source.rows(index, &mut |_| signals::check()));
        losses::tell_of_all(&self.name);
        read.map_err(|failure| failure.about(&self.name))
    }

    /// Converts the arrays to a temporary file of NumPy's.
    pub(super) fn into_input(mut self) -> Result<Input> {
        let items: Vec<(usize, String)> = self.items()?.into_iter().map(|(index, item)| (index, item.name.clone())).collect();
        let spool = Spool::written(|file| {
            let mut out = BufWriter::with_capacity(1 << 18, file);
            match &items[..] {
                [(index, _)] if !self.holds_several => self.write_array(*index, &mut out)?,
                items => self.write_archive(items, &mut out)?,
            }
            Ok(out.flush()?)
        });
        // Also of a file that failed, so that the next one has a count of its own.
        let changed = losses::tell_of_all(&self.name);
        let spool = spool.map_err(|failure| match failure {
            Failure::Unwritten(error) => not_spooled(&error).about(&self.name),
            failure => failure.about(&self.name),
        })?;
        let mut input = Input::spooled(&self.name, spool, self.part)?;
        input.changed = changed;
        Ok(input)
    }

    fn write_archive(&mut self, items: &[(usize, String)], out: impl Write + Seek) -> Result<()> {
        let mut archive = NpzWriter::new(out);
        for (index, name) in items {
            output::add_array(&mut archive, name, |member| self.write_array(*index, member))?;
        }
        Ok(archive.finish().map(drop)?)
    }

    fn write_array(&mut self, index: usize, out: &mut dyn Write) -> Result<()> {
        let Some(header) = self.source.items().get(index).map(|item| item.header.clone()) else { return Ok(()) };
        out.write_all(&header.to_bytes())?;
        self.source.read(index, header.order(), &mut |values| {
            signals::check()?;
            Ok(out.write_all(values.bytes())?)
        })
    }
}
