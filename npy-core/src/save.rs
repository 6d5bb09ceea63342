//! Files that are replaced whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{self, Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::alloc::reserve_on_disk;
use crate::error::{Error, Result};
use crate::output::{Output, SMALL_BYTES};

/// How a file is saved.
///
/// By default a file is replaced whole or not at all: the data go to a temporary file in the same folder, which is then renamed. A process that is
/// killed meanwhile leaves that file, `.NAME.npy-tmp`, which the next save of the same file takes over.
///
/// ```
/// use npy_core::SaveOptions;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("samples.npy");
/// npy_core::save_with(&path, &[1.5_f32, 2.5], SaveOptions::new().durable(true))?;
/// assert_eq!(npy_core::load::<f32>(&path)?, [1.5, 2.5]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct SaveOptions {
    is_durable: bool,
    is_in_place: bool,
}

impl SaveOptions {
    /// Whole or not at all, and on the disk when the system thinks fit.
    pub const fn new() -> Self {
        Self { is_durable: false, is_in_place: false }
    }

    /// Whether the file is brought to the disk before it gets its name, and then its name, so that it survives a power cut from then on. It takes the
    /// time of two `fsync`s, some milliseconds on many disks.
    pub const fn durable(mut self, durable: bool) -> Self {
        self.is_durable = durable;
        self
    }

    /// Whether the file that is there is written over instead of being replaced: many times as fast for many small files of the same size, because ext4 and
    /// others bring a file to the disk at once that replaces another (0.1 to 2 ms each). With [`durable`](Self::durable) it is on the disk when saving ends,
    /// but no less torn after a crash in between. **A crash, an error or a full
    /// disk leaves a torn file**, and who reads it meanwhile sees the old and the new mixed. A file that another one writes in place or adds to is an error;
    /// but where two make the same small file at the same moment, bytes of the longer may be left behind the array of the shorter. Links to the file stay
    /// links.
    ///
    /// ```
    /// use npy_core::SaveOptions;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("latest.npy");
    /// let options = SaveOptions::new().in_place(true);
    /// for step in 0..3 {
    ///     npy_core::save_with(&path, &[step; 28], options)?;
    /// }
    /// assert_eq!(npy_core::load::<i32>(&path)?, [2; 28]);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub const fn in_place(mut self, in_place: bool) -> Self {
        self.is_in_place = in_place;
        self
    }
}

/// Has `write` write a temporary file beside `path`, then gives it that name. After an error, what stood there still does.
///
/// # Errors
///
/// When `write` fails, or the file cannot be made or renamed.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut Output) -> Result<()>) -> Result<()> {
    replace_file_with(path, SaveOptions::new(), 0, write)
}

/// [`replace_file`] with options. At least `bytes` are going to be written, if that is known; room for them is asked for.
///
/// # Errors
///
/// Like [`replace_file`].
pub fn replace_file_with(
    path: &Path,
    options: SaveOptions,
    bytes: u64,
    write: impl FnOnce(&mut Output) -> Result<()>,
) -> Result<()> {
    let save = || {
        if options.is_in_place {
            return overwrite(path, options, bytes, write);
        }
        let (file, replacement) = Replacement::begin(path)?;
        if replacement.is_file() {
            reserve_on_disk(&file, bytes);
        }
        let mut output = Output::new(file, options.is_durable && replacement.is_file());
        write(&mut output)?;
        replacement.commit(options, || output.file().sync_all())
    };
    save().map_err(|error| error.with_path(path))
}

/// Writes over what is there, and cuts off what is left of it.
fn overwrite(path: &Path, options: SaveOptions, bytes: u64, write: impl FnOnce(&mut Output) -> Result<()>) -> Result<()> {
    let (file, is_new) = open_or_create(path)?;
    let (mut is_file, mut length) = (true, 0);
    // Of a small one that is new nothing need be asked: it is written at one go.
    if !(is_new && (1..=SMALL_BYTES as u64).contains(&bytes)) {
        // Not into a file that grows, nor while others save it. Nobody locks a pipe.
        let locked = lock(&file);
        // Now that others do not write any more.
        let before = file.metadata().map_err(cannot_create)?;
        is_file = before.is_file();
        if is_file {
            locked?;
            length = before.len();
            if length < bytes {
                reserve_on_disk(&file, bytes);
            }
        }
    }
    let mut output = Output::new(file, options.is_durable && is_file);
    write(&mut output)?;
    let end = output.place();
    if is_file && end < length {
        output.file().set_len(end).map_err(cannot_write)?;
    }
    if options.is_durable {
        output.file().sync_all().map_err(cannot_write)?;
        sync_folder(path).map_err(cannot_write)?;
    }
    Ok(())
}

/// The file of that name, and whether it was not there before.
fn open_or_create(path: &Path) -> Result<(File, bool)> {
    // Who saves many files makes all of them anew, or none: what the last one was is tried first, which saves a system call. Only that depends on it.
    static WAS_NEW: AtomicBool = AtomicBool::new(true);
    // Others may make and remove the file between the two.
    const MOST: usize = 4;
    let mut is_new = WAS_NEW.load(Ordering::Relaxed);
    for _ in 0..MOST {
        let opened = OpenOptions::new().write(true).create_new(is_new).open(path);
        match opened.as_ref().map_err(io::Error::kind) {
            Err(io::ErrorKind::AlreadyExists) if is_new => {}
            Err(io::ErrorKind::NotFound) if !is_new => {}
            _ => {
                WAS_NEW.store(is_new, Ordering::Relaxed);
                return Ok((opened.map_err(cannot_create)?, is_new));
            }
        }
        is_new = !is_new;
    }
    // A link to a name that is not there yet is neither.
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(cannot_create)?;
    Ok((file, false))
}

/// A file that is being written, which will stand in the place of another.
pub(crate) struct Replacement {
    /// The temporary file; `None` for a pipe or a device, which is written to and not replaced.
    temporary: Option<TemporaryFile>,
    target: PathBuf,
}

impl Replacement {
    /// Begins one for `path`. Without a [`commit`](Self::commit), what stands there stays.
    pub(crate) fn begin(path: &Path) -> Result<(File, Self)> {
        let itself = fs::symlink_metadata(path).ok();
        let is_link = itself.as_ref().is_some_and(fs::Metadata::is_symlink);
        let existing = if is_link { fs::metadata(path).ok() } else { itself };
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            // Before anything is written.
            return Err(cannot_create(io::Error::new(io::ErrorKind::IsADirectory, "there is a directory of that name")));
        }
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(cannot_create)?;
            return Ok((file, Self { temporary: None, target: path.to_owned() }));
        }
        // Absolute, so that it stays the same when the process goes to another folder.
        let target = if is_link { follow_links(path) } else { path::absolute(path).unwrap_or_else(|_| path.to_owned()) };
        let (file, temporary) = TemporaryFile::create(&target)?;
        let permissions = existing.map(|existing| existing.permissions());
        if let Some(permissions) = permissions {
            file.set_permissions(permissions).map_err(cannot_create)?;
        }
        Ok((file, Self { temporary: Some(temporary), target }))
    }

    /// Whether it is a file, and not a pipe or a device.
    pub(crate) fn is_file(&self) -> bool {
        self.temporary.is_some()
    }

    /// Puts the file in its place; `sync` brings it to the disk, if asked.
    pub(crate) fn commit(self, options: SaveOptions, sync: impl FnOnce() -> io::Result<()>) -> Result<()> {
        let Some(temporary) = self.temporary else { return Ok(()) };
        if options.is_durable {
            sync().map_err(cannot_write)?;
        }
        temporary.rename(&self.target)?;
        if options.is_durable {
            sync_folder(&self.target).map_err(cannot_write)?;
        }
        Ok(())
    }
}

/// Brings the names in the file's folder to the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    // Other systems do not open folders, and need not.
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Keeps others from adding to the file until it is closed.
pub(crate) fn lock(file: &File) -> Result<()> {
    // A process that another thread starts holds all files, and their locks, until it runs its own program.
    const PATIENCE: [u64; 7] = [0, 1, 2, 4, 8, 16, 32];
    // There a lock would keep out those who only read.
    if cfg!(windows) {
        return Ok(());
    }
    for milliseconds in PATIENCE {
        thread::sleep(Duration::from_millis(milliseconds));
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            // Not every file system has locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    let busy = "it is being added to already, by this process or another";
    Err(Error::io("cannot open the file", io::Error::new(io::ErrorKind::ResourceBusy, busy)))
}

/// What a link points to, which is replaced while the link stays one; also if nothing is there yet.
fn follow_links(path: &Path) -> PathBuf {
    // More are taken for a circle by Linux.
    const MOST: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST {
        let Ok(link) = fs::read_link(&target) else { break };
        target.set_file_name(link);
    }
    fs::canonicalize(&target).unwrap_or(target)
}

/// A file that is removed unless it is renamed.
struct TemporaryFile {
    path: Option<PathBuf>,
}

impl TemporaryFile {
    /// The one of this target, which a process that was killed may have left; or, while another process saves the same target, one of this process.
    fn create(target: &Path) -> Result<(File, Self)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let invalid = || cannot_create(io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file's name"));
        let name = target.file_name().ok_or_else(invalid)?;
        if let Some(file) = Self::take_over(&target.with_file_name(temporary_name(name)))? {
            return Ok(file);
        }
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(format!(".npy-{}-{count}.npy-tmp", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Self { path: Some(path) })),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot_create(error)),
            }
        }
    }

    /// A new file of that name, in the place of one that is left over; `None` if others have it, or it is something else.
    fn take_over(path: &Path) -> Result<Option<(File, Self)>> {
        let mut options = OpenOptions::new();
        // Read too, because a map needs that.
        options.read(true).write(true);
        for is_second in [false, true] {
            match options.create_new(true).open(path) {
                Ok(file) => {
                    // From now on others see that it is taken. Between the two it may have been taken over: then that is who has it. Where there are no
                    // locks, nobody takes anything over.
                    let is_ours = !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && is_at(&file, path);
                    return Ok(is_ours.then(|| (file, Self { path: Some(path.to_owned()) })));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !is_second => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => break,
                Err(error) => return Err(cannot_create(error)),
            }
            // What somebody else put there, a link say, is left alone.
            if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
                break;
            }
            let Ok(left) = OpenOptions::new().write(true).open(path) else { break };
            // Not written into, but made anew: others may have it open, or be its owner.
            if left.try_lock().is_err() || !is_at(&left, path) || fs::remove_file(path).is_err() {
                break;
            }
        }
        Ok(None)
    }

    fn rename(mut self, target: &Path) -> Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, target).map_err(|error| Error::io("cannot put the file in place", error))?;
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

/// Whether it is still this file that has the name, alone and by no link.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino(), metadata.nlink());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(file), Ok(path)) => file.nlink() == 1 && identity(file) == identity(path),
        _ => false,
    }
}

/// Whether it is still this file that is found under the path, by links too.
#[cfg(unix)]
pub(crate) fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let found = fs::metadata(path).map(identity);
    found.is_ok_and(|found| file.metadata().is_ok_and(|file| identity(file) == found))
}

#[cfg(not(unix))]
pub(crate) fn is_same(_file: &File, _path: &Path) -> bool {
    true
}

/// Whether it is still this file that has the name: where files cannot be told apart, only new ones are.
#[cfg(not(unix))]
fn is_at(file: &File, _path: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() == 0)
}

#[cold]
fn cannot_create(error: io::Error) -> Error {
    Error::io("cannot create the file", error)
}

#[cold]
fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write the file", error)
}
