//! Where a command writes: standard output, or a file that is replaced atomically.

#[cfg(all(unix, feature = "plot"))]
pub(crate) mod ask;
#[cfg(all(not(unix), feature = "plot"))]
pub(crate) mod ask {
    //! Where the terminal is not asked.

    pub(crate) fn attributes() -> Option<Vec<u16>> {
        None
    }

    pub(crate) fn cell() -> Option<(usize, usize)> {
        None
    }
}
#[cfg(unix)]
mod pipe;
pub(crate) mod table;
#[cfg(any(feature = "plot", feature = "view"))]
pub(crate) mod base64;

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::mem;
use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use npy_core::SaveOptions;
use npy_core::atomic::Output;
use npy_core::npz::NpzWriter;

use crate::escape::{self, Kept, Safe};
use crate::failure::{Failure, Result};
use crate::signals;

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A meaning that has a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// The subject of a line: a file, a member.
    Title,
    /// A name: of a field, of a property.
    Name,
    /// A dtype.
    DType,
    /// Less important text.
    Faint,
    /// A good verdict.
    Good,
    /// A bad verdict.
    Bad,
}

/// Standard output, and its properties. A terminal gets no control character but for colors.
pub(crate) struct Screen {
    out: BufWriter<Box<dyn Write>>,
    has_color: bool,
    width: usize,
    is_terminal: bool,
}

/// The width of lines where the output is not a terminal.
const USUAL_WIDTH: usize = 100;

/// A JSON object without the properties that are null, which are unknown.
pub(crate) fn without_nulls(mut value: serde_json::Value) -> serde_json::Value {
    if let Some(object) = value.as_object_mut() {
        object.retain(|_, value| !value.is_null());
    }
    value
}

impl Screen {
    pub(crate) fn new(color: Color) -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let refuses = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let has_color = match color {
            Color::Auto => is_terminal && !refuses && !is_dumb,
            Color::Always => true,
            Color::Never => false,
        };
        let width = terminal_width().filter(|_| is_terminal).unwrap_or(USUAL_WIDTH);
        let out: Box<dyn Write> = if is_terminal {
            Box::new(Safe::new(stdout.lock(), Kept::Lines { colors: has_color }))
        } else {
            Box::new(stdout.lock())
        };
        Self { out: BufWriter::with_capacity(1 << 16, out), has_color, width, is_terminal }
    }

    /// The number of columns of the terminal, or 100.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Whether a person is looking.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether text may be colored.
    #[cfg(any(feature = "plot", feature = "view"))]
    pub(crate) fn has_color(&self) -> bool {
        self.has_color
    }

    /// Writes a sequence that shows a picture in the terminal. No text of a file may be in it: it is not escaped.
    #[cfg(feature = "plot")]
    pub(crate) fn picture(&mut self, sequence: &str) -> Result<()> {
        self.flush()?;
        let mut out = io::stdout().lock();
        out.write_all(sequence.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Writes a line of JSON.
    pub(crate) fn json(&mut self, value: &serde_json::Value) -> Result<()> {
        Ok(writeln!(self, "{}", escape::json(&value.to_string()))?)
    }

    /// Prints a line about a file that was written. If the line cannot be written, it goes to standard error: what was
    /// done is no failure.
    pub(crate) fn report(&mut self, line: &str) {
        let line = escape::line(line);
        let told = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        let Err(error) = told else { return };
        // No second attempt at the end.
        let failed = mem::replace(&mut self.out, BufWriter::new(Box::new(io::sink())));
        let _ = failed.into_parts();
        if error.kind() != io::ErrorKind::BrokenPipe {
            warn(&format!("{line} (cannot write to standard output: {error})"));
        }
    }

    /// Writes what was printed, and waits. Fails once the reader of a pipe is gone, as far as the system tells.
    pub(crate) fn wait(&mut self, pause: Duration) -> Result<()> {
        self.out.flush()?;
        #[cfg(unix)]
        if pipe::wait_for_end(pause)? {
            return Err(Failure::BrokenPipe);
        }
        #[cfg(not(unix))]
        std::thread::sleep(pause);
        Ok(())
    }

    /// Colors a text that was escaped before.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if !self.has_color || text.is_empty() {
            return text.to_owned();
        }
        let code = match style {
            Style::Title => "1",
            Style::Name => "36",
            Style::DType => "33",
            Style::Faint => "2",
            Style::Good => "32",
            Style::Bad => "31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

impl Write for Screen {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.out.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The width of the terminal by `COLUMNS`, or as it says itself.
fn terminal_width() -> Option<usize> {
    let from_environment = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    from_environment.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))).filter(|width| *width > 0)
}

/// Whether `path` is a stream: standard output, or a named pipe.
pub(crate) fn is_stream(path: &Path) -> bool {
    #[cfg(unix)]
    if pipe::is_pipe(path) {
        return true;
    }
    path.as_os_str() == "-"
}

/// Writes a line to standard error.
pub(crate) fn warn(message: &str) {
    // There is no place to report a failure.
    let _ = writeln!(io::stderr(), "npy: {}", escape::message(message));
}

/// Prints a failure on standard error. Its message has no control characters, and may have lines below it.
pub(crate) fn tell(failure: &Failure) {
    let _ = writeln!(io::stderr(), "npy: {failure}");
}

/// The kind of an output, which decides what a terminal gets of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Bytes, which no terminal gets.
    Binary,
    /// Lines of text.
    Text,
    Json,
}

/// Adds an array to an archive, whose content `write` writes.
pub(crate) fn add_array<W: Write>(
    archive: &mut NpzWriter<W>,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let mut failure = None;
    let result = archive.add_content(name, |member| {
        write(member).map_err(|error| {
            failure = Some(error);
            // It is not seen: the failure itself is returned.
            npy_core::Error::io("cannot write the member", io::ErrorKind::Other.into())
        })
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(result?),
    }
}

/// Replaces the file at `path` by what `write` writes, atomically; `-` is standard output, and a named pipe stays one.
///
/// After an error or a signal the old file is as it was, and nothing is left beside it.
pub(crate) fn replace(path: &Path, content: Content, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let _guard = signals::Guard::new();
    let failed = |failure: Failure| failure.of_output(&escape::path(path));
    if let Some(terminal) = terminal_at(path) {
        let kept = match content {
            Content::Binary => return Err(Failure::new(BINARY)),
            Content::Text => Kept::Lines { colors: false },
            Content::Json => Kept::Json,
        };
        return write_stream(Safe::new(terminal, kept), write).map_err(failed);
    }
    if path.as_os_str() == "-" {
        return write_stream(io::stdout().lock(), write);
    }
    #[cfg(unix)]
    if pipe::is_pipe(path) {
        return write_stream(pipe::Pipe::open(path)?, write).map_err(failed);
    }
    let mut file = Output::create(path, SaveOptions::new())?;
    match write_stream(&mut file, write) {
        Ok(()) => Ok(file.commit()?),
        Err(Failure::Interrupted) => Err(Failure::Interrupted),
        Err(failure) => Err(failed(failure).about(&escape::path(path))),
    }
}

fn write_stream(out: impl Write, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, signals::Checked(out));
    let result = write(&mut out).and_then(|()| Ok(out.flush()?));
    if result.is_err() && signals::came() { Err(Failure::Interrupted) } else { result }
}

/// Why a terminal gets no bytes.
const BINARY: &str = "cannot write binary data to a terminal: expected a file or a pipe as output; name a file with `-o` or as OUT";

/// The terminal that a path is, named or as standard output, if it is one.
fn terminal_at(path: &Path) -> Option<Box<dyn Write>> {
    if path.as_os_str() == "-" {
        return if io::stdout().is_terminal() { Some(Box::new(io::stdout().lock())) } else { None };
    }
    // Only a device is opened before it is known what is written to it.
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file() || about.is_dir());
    #[cfg(unix)]
    let is_file = is_file || pipe::is_pipe(path);
    let file = if is_file { None } else { File::options().write(true).open(path).ok() };
    let terminal = file.filter(File::is_terminal)?;
    Some(Box::new(terminal))
}
