//! Atomic replacement of files: write a temporary file, optionally fsync it, rename it over the
//! target.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::mem;
#[cfg(unix)]
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{self, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::output::{PIECE, WriteBack};
use crate::error::{Error, ErrorKind, Result};
use crate::options::SaveOptions;
use crate::sys::disk::{Directory, reserve_on_disk};
use crate::sys::lock::{is_at, lock, open_to_change, try_lock, unshared};

/// Replaces a file atomically with the output of `write`.
///
/// Either the whole file is replaced, or the old one stays untouched: after an error, a panic, or the end of the
/// process. With [`SaveOptions::in_place`] the file is overwritten, which is not atomic; the order of the options has no
/// effect. A symbolic link stays, and its target is replaced. A pipe or a device is written to. Permissions stay.
///
/// # Errors
///
/// Fails if `write` fails, or if the file cannot be created or renamed. The error names the path.
///
/// ```
/// use std::io::{self, Write};
///
/// use npy_core::SaveOptions;
/// use npy_core::atomic::replace_file;
///
/// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
/// replace_file(&path, SaveOptions::new(), |file| Ok(write!(file, "3 arrays")?))?;
/// replace_file(&path, SaveOptions::new(), |file| {
///     write!(file, "4 arr")?;
///     Err::<(), _>(io::Error::other("interrupted").into())
/// })
/// .unwrap_err();
/// assert_eq!(std::fs::read_to_string(&path)?, "3 arrays");
/// # Ok::<(), npy_core::Error>(())
/// ```
pub fn replace_file<A>(
    path: impl AsRef<Path>,
    options: impl Into<SaveOptions>,
    write: impl FnOnce(&mut Output) -> Result<A>,
) -> Result<A> {
    let path = path.as_ref();
    let replace = || {
        let mut output = Output::begin(path, options.into())?;
        let written = write(&mut output)?;
        output.commit_nameless().map(|()| written)
    };
    replace().map_err(|error: Error| error.with_path(path))
}

/// A file that replaces another when it is committed, for writers that own it; see also [`replace_file`].
///
/// With [`SaveOptions::in_place`] the target is overwritten instead, which is not atomic. A file that will be synced is
/// written to the disk early, which makes durable saves a quarter faster.
///
/// ```
/// use std::io::Write;
///
/// use npy_core::SaveOptions;
/// use npy_core::atomic::Output;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("report.txt");
/// let mut file = Output::create(&path, SaveOptions::new().durable(true))?;
/// file.write_all(b"3 arrays")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "3 arrays");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "without a `commit` the file is not replaced"]
pub struct Output {
    /// Empty in [`replace_file`], which has the path.
    path: PathBuf,
    // Closed before the temporary file is removed.
    file: File,
    target: Target,
    options: SaveOptions,
    /// The current position.
    position: u64,
    /// The end of what was written.
    end: u64,
    write_back: WriteBack,
}

/// The file at the path of an [`Output`].
#[derive(Debug)]
enum Target {
    Replaced(Replacement),
    /// Overwritten in place; it had this length. The path is absolute, and empty unless the file will be synced.
    Overwritten {
        before: u64,
        path: PathBuf,
    },
    /// A pipe or a device.
    Stream,
}

impl Output {
    /// Creates a temporary file, or opens the file to overwrite it in place. Without a
    /// [`commit`](Self::commit) the temporary file is removed.
    ///
    /// Of the options, `durable` and `in_place` apply. See [`Output`] for an example.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be created, or if it is overwritten while another process changes it.
    pub fn create(path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<Self> {
        let path = path.as_ref();
        let output = Self::begin(path, options.into()).map_err(|error| error.with_path(path))?;
        Ok(Self { path: path.to_owned(), ..output })
    }

    /// [`create`](Self::create) for a file that is read to write the new one, such as a copy with changes.
    ///
    /// Until the end, no other writer adds to the old file or edits it: open it after this call, and nothing that one has
    /// committed is lost. Of the options, `durable` applies: the old file stays until then, and is not overwritten in place.
    ///
    /// ```
    /// use std::io::Write;
    ///
    /// use npy_core::SaveOptions;
    /// use npy_core::atomic::Output;
    ///
    /// # let path = tempfile::NamedTempFile::new()?.into_temp_path();
    /// # npy_core::save(&path, &[1_u8, 2])?;
    /// let mut file = Output::edit(&path, SaveOptions::new())?;
    /// let old = npy_core::load::<u8>(&path)?;
    /// npy_core::write(&mut file, &[&old[..], &[3]].concat())?;
    /// file.commit()?;
    /// assert_eq!(npy_core::load::<u8>(&path)?, [1, 2, 3]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the new file cannot be created, or if the old one has another writer.
    pub fn edit(path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<Self> {
        let options = SaveOptions { in_place: false, ..options.into() };
        let mut output = Self::create(path, options)?;
        if let Target::Replaced(replacement) = &mut output.target {
            let locked = replacement.lock_target(lock).and_then(|()| replacement.expect_locked());
            locked.map_err(|error| error.with_path(&output.path))?;
        }
        Ok(output)
    }

    /// [`create`](Self::create) without the path.
    fn begin(path: &Path, options: SaveOptions) -> Result<Self> {
        let (file, target) = if options.in_place { Self::overwrite(path, options.durable)? } else { Self::replace(path)? };
        Ok(Self { path: PathBuf::new(), file, target, options, position: 0, end: 0, write_back: WriteBack::default() })
    }

    fn replace(path: &Path) -> Result<(File, Target)> {
        let (file, replacement) = Replacement::begin(path)?;
        let target = if replacement.is_file() { Target::Replaced(replacement) } else { Target::Stream };
        Ok((file, target))
    }

    /// Does not truncate the file: a commit cuts off the rest of the old content.
    fn overwrite(path: &Path, is_synced: bool) -> Result<(File, Target)> {
        let file = open_to_change(OpenOptions::new().write(true).create(true).truncate(false), path).map_err(cannot_create)?;
        // Refuses a growing file, and one that another process saves. Pipes and devices have no lock.
        let locked = lock(&file);
        // With the lock held, the length does not change.
        let before = file.metadata().map_err(cannot_create)?;
        if !before.is_file() {
            return Ok((file, Target::Stream));
        }
        locked?;
        let path = if is_synced { path::absolute(path).map_err(cannot_create)? } else { PathBuf::new() };
        Ok((file, Target::Overwritten { before: before.len(), path }))
    }

    /// Reserves disk space for a file of at least `bytes` bytes, which makes writing a large file faster.
    ///
    /// Its size does not change. If the space cannot be reserved, writing reports the full disk.
    pub fn reserve(&self, bytes: u64) {
        let is_wanted = match self.target {
            Target::Replaced(_) => true,
            Target::Overwritten { before, .. } => before < bytes,
            Target::Stream => false,
        };
        if is_wanted {
            reserve_on_disk(&self.file, bytes);
        }
    }

    /// Renames the file over its target, or truncates a file that was overwritten.
    ///
    /// See [`Output`] for an example.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be synced or renamed.
    pub fn commit(mut self) -> Result<()> {
        let path = mem::take(&mut self.path);
        self.commit_nameless().map_err(|error| error.with_path(path))
    }

    /// [`commit`](Self::commit) with errors that do not name the file.
    fn commit_nameless(self) -> Result<()> {
        let Self { file, target, options, end, .. } = self;
        match target {
            Target::Replaced(replacement) => replacement.commit(options, || file.sync_all()),
            Target::Overwritten { before, path } => {
                if end < before {
                    file.set_len(end).map_err(cannot_write)?;
                }
                if options.durable {
                    file.sync_all().map_err(cannot_write)?;
                    // The directory of the file, not of a link to it.
                    fs::canonicalize(path).and_then(|path| Directory::of(&path)?.sync()).map_err(not_durable)?;
                }
                Ok(())
            }
            Target::Stream => Ok(()),
        }
    }

    fn is_synced(&self) -> bool {
        self.options.durable && !matches!(self.target, Target::Stream)
    }

    /// The size of one write: of a file to be synced, to the end of a piece, at most 4 MiB.
    fn room(&self) -> usize {
        let room = if self.is_synced() { PIECE - self.position % PIECE } else { u64::MAX };
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    /// Records that bytes were written.
    fn note(&mut self, written: usize) {
        self.position = self.position.saturating_add(written as u64);
        self.end = self.end.max(self.position);
        if self.is_synced() {
            self.write_back.reach(&self.file, self.position);
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.room());
        let written = self.file.write(&bytes[..count])?;
        self.note(written);
        Ok(written)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut room = self.room();
        let fitting = slices.iter().take_while(|slice| room.checked_sub(slice.len()).map(|left| room = left).is_some()).count();
        let has_bytes = slices[..fitting].iter().any(|slice| !slice.is_empty());
        match slices.get(fitting) {
            // The first nonempty one does not fit as a whole.
            Some(slice) if !has_bytes => self.write(slice),
            _ => {
                let written = self.file.write_vectored(&slices[..fitting])?;
                self.note(written);
                Ok(written)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = self.file.seek(to)?;
        Ok(self.position)
    }
}

/// A temporary file that becomes the file at a path. It is removed if the replacement is dropped.
///
/// The writer has the file itself, and its errors name no path.
#[derive(Debug)]
pub(crate) struct Replacement {
    /// The temporary file; `None` for a pipe or a device, which is not replaced.
    temporary: Option<TemporaryFile>,
    target: PathBuf,
    /// The file that is replaced, if it is locked.
    locked: Option<File>,
}

impl Replacement {
    /// Creates the temporary file of `path`, or opens a pipe or a device.
    ///
    /// Without a [`commit`](Self::commit), the old file stays.
    ///
    /// Fails if the file cannot be created.
    pub(crate) fn begin(path: &Path) -> Result<(File, Self)> {
        let itself = fs::symlink_metadata(path).ok();
        let is_link = itself.as_ref().is_some_and(fs::Metadata::is_symlink);
        let existing = if is_link { fs::metadata(path).ok() } else { itself };
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            // Before anything is written.
            return Err(cannot_create(io::ErrorKind::IsADirectory.into()));
        }
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(cannot_create)?;
            return Ok((file, Self { temporary: None, target: path.to_owned(), locked: None }));
        }
        // Absolute, so that a change of the working directory has no effect.
        let target = if is_link { follow_links(path) } else { path::absolute(path).unwrap_or_else(|_| path.to_owned()) };
        let permissions = existing.map(|existing| existing.permissions());
        let (file, temporary) = TemporaryFile::create(&target, permissions.as_ref())?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions).map_err(cannot_create)?;
        }
        Ok((file, Self { temporary: Some(temporary), target, locked: None }))
    }

    /// Locks the file that is replaced by `lock`, until the replacement ends. It must not have a writer.
    pub(crate) fn lock_target(&mut self, lock: fn(&File) -> Result<()>) -> Result<()> {
        let file = match open_to_change(OpenOptions::new().write(true), &self.target).map_err(Error::from) {
            Err(error) if error.kind() == ErrorKind::Conflict => return Err(error),
            // There is none, or not even this process may write to it.
            Err(_) => return Ok(()),
            Ok(file) => file,
        };
        lock(&file)?;
        self.locked = Some(file);
        Ok(())
    }

    /// Fails if the target is not the file that was locked: another replacement came first.
    pub(crate) fn expect_locked(&self) -> Result<()> {
        match &self.locked {
            Some(file) if !crate::sys::lock::is_same(file, &self.target).map_err(cannot_create)? => Err(Error::replaced()),
            _ => Ok(()),
        }
    }

    /// Whether it is a file, and not a pipe or a device.
    pub(crate) fn is_file(&self) -> bool {
        self.temporary.is_some()
    }

    /// Renames the file over the target.
    ///
    /// Of the options only `durable` applies: `sync` is then called first.
    ///
    /// Fails if the file cannot be synced or renamed.
    pub(crate) fn commit(self, options: SaveOptions, sync: impl FnOnce() -> io::Result<()>) -> Result<()> {
        let Some(temporary) = self.temporary else { return Ok(()) };
        if !options.durable {
            return temporary.rename(&self.target);
        }
        sync().map_err(cannot_write)?;
        // Opened first: after the rename only syncing the directory can fail.
        let directory = Directory::of(&self.target).map_err(cannot_write)?;
        temporary.rename(&self.target)?;
        directory.sync().map_err(not_durable)
    }

    /// Names the file durably unless the name is taken, and returns whether it was free.
    pub(crate) fn commit_new(self, sync: impl FnOnce() -> io::Result<()>) -> Result<bool> {
        let Some(temporary) = self.temporary else { return Ok(false) };
        sync().map_err(cannot_write)?;
        let directory = Directory::of(&self.target).map_err(cannot_write)?;
        match temporary.link(&self.target) {
            // The first name goes.
            Ok(()) => drop(temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            // Not every file system has hard links. Without them, an empty file reserves the name.
            Err(_) => match OpenOptions::new().write(true).create_new(true).open(&self.target) {
                Ok(_) => temporary.rename(&self.target)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                Err(error) => return Err(cannot_create(error)),
            },
        }
        directory.sync().map_err(not_durable)?;
        Ok(true)
    }
}

/// The target of a symbolic link, which is replaced while the link stays; it need not exist.
fn follow_links(path: &Path) -> PathBuf {
    // Linux considers more a cycle.
    const MOST: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST {
        let Ok(link) = fs::read_link(&target) else { break };
        target.set_file_name(link);
    }
    fs::canonicalize(&target).unwrap_or(target)
}

/// How a temporary file is opened that will have these permissions.
fn new_file(permissions: Option<&fs::Permissions>) -> OpenOptions {
    let mut options = OpenOptions::new();
    // Read too, because a map needs that.
    unshared(options.read(true).write(true).create_new(true));
    #[cfg(unix)]
    if let Some(permissions) = permissions {
        options.mode(permissions.mode() & 0o777);
    }
    #[cfg(not(unix))]
    let _ = permissions;
    options
}

/// A file that is removed unless it is renamed.
#[derive(Debug)]
struct TemporaryFile {
    path: Option<PathBuf>,
}

impl TemporaryFile {
    /// The temporary file of this target, which a killed process may have left; or one of this
    /// process, while another process saves the same target. No one may open it who may not open the
    /// file that it replaces.
    fn create(target: &Path, permissions: Option<&fs::Permissions>) -> Result<(File, Self)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let invalid = || cannot_create(io::ErrorKind::InvalidFilename.into());
        let name = target.file_name().ok_or_else(invalid)?;
        let options = new_file(permissions);
        if let Some(file) = Self::take_over(&target.with_file_name(temporary_name(name)), &options)? {
            return Ok(file);
        }
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(format!(".npy-{}-{count}.npy-tmp", process()));
            match options.open(&path) {
                Ok(file) => return Ok((file, Self { path: Some(path) })),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot_create(error)),
            }
        }
    }

    /// A new file of that name, replacing a leftover; `None` if others have it, or it is not a
    /// file.
    fn take_over(path: &Path, options: &OpenOptions) -> Result<Option<(File, Self)>> {
        for is_second in [false, true] {
            match options.open(path) {
                Ok(file) => {
                    // From now on others see that it is taken. If it was taken over before this,
                    // the other process has it. Without locks, nothing is taken over.
                    let is_taken = matches!(try_lock(&file), Err(TryLockError::WouldBlock));
                    let is_ours = if is_taken { Ok(false) } else { is_at(&file, path) };
                    if is_ours.is_err() {
                        // Another process that took it over at this moment fails.
                        let _ = fs::remove_file(path);
                    }
                    return Ok(is_ours.unwrap_or(false).then(|| (file, Self { path: Some(path.to_owned()) })));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !is_second => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => break,
                Err(error) => return Err(cannot_create(error)),
            }
            // Another kind of file, such as a link, is left alone.
            if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
                break;
            }
            let Ok(left) = unshared(OpenOptions::new().write(true)).open(path) else { break };
            // Created anew, not overwritten: others may have it open, or own it.
            if try_lock(&left).is_err() || !is_at(&left, path).unwrap_or(false) || fs::remove_file(path).is_err() {
                break;
            }
        }
        Ok(None)
    }

    /// Creates a hard link of the file under a free name.
    fn link(&self, target: &Path) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        fs::hard_link(path, target)
    }

    fn rename(mut self, target: &Path) -> Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target).map_err(|error| Error::io("cannot rename the temporary file", error))?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The error that led here is the one to report.
            let _ = fs::remove_file(path);
        }
    }
}

/// The number of this process: 0 where there is only one, and asking panics.
fn process() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}

/// The name of the temporary file of a target.
fn temporary_name(name: &OsStr) -> OsString {
    const SUFFIX: &str = ".npy-tmp";
    // Names have 255 bytes at most on most systems.
    const MOST: usize = 240;
    let mut temporary = OsString::from(".");
    if name.len() <= MOST {
        temporary.push(name);
    } else {
        // FNV-1a: the same for the same target.
        let hash = name
            .as_encoded_bytes()
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        temporary.push(format!("{hash:016x}"));
    }
    temporary.push(SUFFIX);
    temporary
}

#[cold]
pub(crate) fn not_durable(error: io::Error) -> Error {
    let message = "the file is saved but not durable: cannot fsync its directory";
    Error::new(ErrorKind::NotDurable, message).with_source(error)
}

#[cold]
fn cannot_create(error: io::Error) -> Error {
    Error::io("cannot create the file", error)
}

#[cold]
fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the file", error)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use crate::write::replace::TemporaryFile;

    #[test]
    fn temporary_files_are_no_more_open_than_what_they_replace() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("secret.npy");
        // The first one has the name of the target, the second one another.
        let made = [(); 2].map(|()| TemporaryFile::create(&target, Some(&Permissions::from_mode(0o600))).unwrap());
        for (file, _) in &made {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0);
        }
    }
}
