//! A directory of `.npy` files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::compressed::numpy;
use super::format::{Format, Objects, Outgoing, ReadOptions, WriteOptions};
use super::npy::{self, InputSource};
use super::source::Source;
use crate::failure::{Failure, Result};
use crate::input::Spool;
use crate::input::paths::npy_files;
use crate::output::{self, Content};
use crate::{escape, signals};

/// A directory, in which each array is a file.
pub(super) struct Directory;

impl Format for Directory {
    fn names(&self) -> &'static [&'static str] {
        &["dir"]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn about(&self) -> &'static str {
        "A directory of .npy files"
    }

    fn holds_several(&self) -> bool {
        true
    }

    fn objects(&self) -> Objects {
        Objects::Pickle
    }

    fn open(&self, path: &OsStr, _: Option<Spool>, options: &ReadOptions) -> Result<Vec<Box<dyn Source>>> {
        let directory = Path::new(path);
        let mut sources = Vec::<Box<dyn Source>>::new();
        for path in npy_files(directory)? {
            let mut source = InputSource::open(numpy(&path)?, &path, options)?;
            source.name_below(directory, Path::new(&path));
            sources.push(Box::new(source));
        }
        Ok(sources)
    }

    fn write(&self, arrays: &mut [Box<dyn Outgoing>], directory: &Path, _: WriteOptions) -> Result<()> {
        let (mut paths, mut known): (Vec<PathBuf>, HashSet<PathBuf>) = Default::default();
        for array in &*arrays {
            let (name, input) = (array.name(), array.input());
            let is_inside = !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
            if !is_inside || name.contains(['\0', '\\']) {
                let message = format!("member {name:?}: expected a name of a file inside of the directory; select others");
                return Err(Failure::new(format!("{input}: {message}")));
            }
            let path = directory.join(format!("{name}.npy"));
            if !known.insert(path.clone()) {
                return Err(Failure::new(format!("{input}: expected different names, found {name:?} twice")));
            }
            paths.push(path);
        }
        let mut created = Vec::new();
        let result = write_files(arrays, &paths, &mut created);
        if result.is_err() {
            for directory in created.iter().rev() {
                // One that has files stays.
                let _ = fs::remove_dir(directory);
            }
        }
        result
    }
}

/// Writes a file for each array; the directories that were not there are added to `created`, outer ones first.
fn write_files(arrays: &mut [Box<dyn Outgoing>], paths: &[PathBuf], created: &mut Vec<PathBuf>) -> Result<()> {
    for (array, path) in arrays.iter_mut().zip(paths) {
        signals::check()?;
        let directory = path.parent().unwrap_or(path);
        let missing = directory.ancestors().take_while(|directory| !directory.as_os_str().is_empty() && !directory.exists());
        let first = created.len();
        created.extend(missing.map(Path::to_owned));
        created[first..].reverse();
        fs::create_dir_all(directory)
            .map_err(|error| Failure::new(format!("{}: cannot create the directory: {error}", escape::path(directory))))?;
        output::replace(path, Content::Binary, |file| npy::write(&mut **array, file))?;
    }
    Ok(())
}
