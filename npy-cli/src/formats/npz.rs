//! `.npz`

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use npy_core::npz::{self, NpzWriter};

use super::format::{Format, Objects, Outgoing, ReadOptions, WriteOptions};
use super::npy::{self, Npy};
use super::source::Source;
use crate::failure::{Failure, Result};
use crate::input::Spool;
use crate::output::{self, Content};
use crate::{escape, signals};

/// `.npz`
pub(super) struct Npz;

impl Format for Npz {
    fn names(&self) -> &'static [&'static str] {
        &["npz"]
    }

    fn about(&self) -> &'static str {
        "An archive of arrays"
    }

    fn holds_several(&self) -> bool {
        true
    }

    fn objects(&self) -> Objects {
        Objects::Pickle
    }

    fn open(&self, path: &OsStr, stream: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        Npy.open(path, stream, options)
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], path: &Path, options: WriteOptions) -> Result<()> {
        let options = match options.compression {
            Some(level) => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                npz::WriteOptions::new().compressed(true).level(level).threads(threads)
            }
            None => npz::WriteOptions::new(),
        };
        if output::is_stream(path) {
            return output::replace(path, Content::Binary, |out| {
                let mut archive = NpzWriter::streaming(out);
                archive.set_options(options);
                add_members(arrays, &mut archive)?;
                archive.finish()?;
                Ok(())
            });
        }
        let _guard = signals::Guard::new();
        let mut archive = NpzWriter::create_with(path, options)?;
        let result = add_members(arrays, &mut archive);
        if result.is_err() || signals::came() {
            // Otherwise dropping the writer would replace the old archive.
            archive.discard();
            signals::check()?;
            return result.map_err(|failure| failure.of_output(&escape::path(path)));
        }
        archive.finish()?;
        Ok(())
    }
}

fn add_members<W: Write>(arrays: &mut [Box<dyn Outgoing>], archive: &mut NpzWriter<W>) -> Result<()> {
    let mut names = HashMap::new();
    arrays.iter_mut().try_for_each(|array| {
        let name = array.name().to_owned();
        let other = names.insert(name.clone(), array.input().to_owned());
        if let Some(other) = other.filter(|other| other != array.input()) {
            let hint = "give one of the files another name, or join archives by `npy merge --prefix`";
            return Err(Failure::new(format!("{}: {other} has the member {name:?} too; {hint}", array.input())));
        }
        output::add_array(archive, &name, |member| npy::write(&mut **array, member))
    })
}
