//! Extraction of members into a directory that they cannot escape.

use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::super::zip::problem::{cannot_read, unsafe_name};
use super::reader::NpzReader;
use crate::error::{Error, Result};
use crate::options::SaveOptions;
use crate::write::replace::replace_file;

/// The size of the buffer.
const BUFFER_BYTES: usize = 256 * 1024;

impl<R: Read + Seek> NpzReader<R> {
    /// Extracts a member as a file below `directory`, and returns its path.
    ///
    /// The file has the full name of the member: `run/x` becomes `run/x.npy`. Directories in the name are
    /// created.
    ///
    /// The checksum is checked before the file gets its name. An existing file is replaced, and
    /// symbolic links are followed. Only [`Limits::member_bytes`](crate::Limits::member_bytes)
    /// bounds the size of the file.
    ///
    /// # Errors
    ///
    /// Fails if the name is not a path below the directory on every system: `..`, an absolute path,
    /// a backslash, a colon, a NUL, or a name of a Windows device.
    pub fn extract(&mut self, index: usize, directory: impl AsRef<Path>) -> Result<PathBuf> {
        let name = self.full_name(index).ok_or_else(|| self.no_member(index))?.to_owned();
        let path = path_below(directory.as_ref(), &name).ok_or_else(|| unsafe_name().with_member(&*name))?;
        let directory = if name.ends_with('/') { Some(&*path) } else { path.parent() };
        if let Some(directory) = directory {
            let cannot_create = |error| Error::io("cannot create the directory", error).with_path(directory);
            fs::create_dir_all(directory).map_err(cannot_create)?;
        }
        if name.ends_with('/') {
            return Ok(path);
        }
        replace_file(&path, SaveOptions::new(), |file| {
            let mut member = self.member(index)?;
            let mut buffer = vec![0; BUFFER_BYTES];
            loop {
                match member.read(&mut buffer) {
                    // The checksum was checked.
                    Ok(0) => return Ok(()),
                    Ok(read) => file.write_all(&buffer[..read]).map_err(|error| Error::io("cannot write the file", error))?,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(cannot_read(error)),
                }
            }
        })
        .map_err(|error| error.with_member(name))?;
        Ok(path)
    }

    /// [Extracts](Self::extract) all members as files below `directory`.
    ///
    /// All names are checked before the first file is written.
    pub fn extract_all(&mut self, directory: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
        let directory = directory.as_ref();
        for index in 0..self.len() {
            let name = self.full_name(index).unwrap_or_default();
            path_below(directory, name).ok_or_else(|| unsafe_name().with_member(name))?;
        }
        (0..self.len()).map(|index| self.extract(index, directory)).collect()
    }
}

/// Returns whether a member's name leads out of the directory, so that extracting it is refused.
#[doc(hidden)]
pub fn leads_elsewhere(name: &str) -> bool {
    path_below(Path::new(""), name).is_none()
}

/// Returns the path of a name below the directory; `None` if it leads elsewhere on any system.
fn path_below(directory: &Path, name: &str) -> Option<PathBuf> {
    let is_plain = |part: &str| {
        !matches!(part, "" | "." | "..") && !part.contains(['\0', '\\', ':']) && !part.ends_with(['.', ' ']) && !is_device(part)
    };
    let name = name.strip_suffix('/').unwrap_or(name);
    name.split('/').all(is_plain).then(|| name.split('/').fold(directory.to_owned(), |path, part| path.join(part)))
}

/// Returns whether a name is a Windows device, with any extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_uppercase();
    match stem.split_at_checked(3) {
        Some(("CON" | "PRN" | "AUX" | "NUL", "") | ("CON", "IN$" | "OUT$")) => true,
        Some(("COM" | "LPT", number)) => {
            let mut digits = number.chars();
            digits.next().is_some_and(|digit| "0123456789¹²³".contains(digit)) && digits.next().is_none()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::path_below;

    #[test]
    fn names_do_not_lead_elsewhere() {
        for name in [
            "nul",
            "Con.npy",
            "a/COM1.txt",
            "lpt².npy",
            "conin$",
            "CONOUT$.npy",
            "a./x",
            "x ",
            "",
            "/",
            "/x",
            "//x",
            "..",
            "../x",
            "a/../x",
            "a//x",
            "./x",
            "a\\x",
            "C:x",
            "C:/x",
            "x\0.npy",
            "a/",
        ] {
            let expected = (name == "a/").then(|| Path::new("directory").join("a"));
            assert_eq!(path_below(Path::new("directory"), name), expected, "{name:?}");
        }
        assert_eq!(path_below(Path::new("directory"), "a/..b/c.npy").unwrap(), Path::new("directory/a/..b/c.npy"));
        assert!(path_below(Path::new("directory"), "console/com/lpt.npy/com12/lpt_1/con$/what?/a|b").is_some());
    }
}
