//! The part of a file that a user selects: `FILE:MEMBER`, `FILE#N`, `-:MEMBER`, `-#N`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::paths;
use crate::escape;

/// One of several arrays of a file.
#[derive(Debug)]
pub(crate) enum Part {
    /// The member of an archive: what follows a colon.
    Member(String),
    /// The number of an array in an `.npy` file, counted from 0: what follows `#`.
    Number(usize),
}

/// The origin of an input that a path into an array selected.
pub(super) struct Below {
    /// The fields or keys on the path.
    pub(super) path: String,
    /// The parts of Python objects that no array holds, in words.
    pub(super) left_out: Vec<String>,
    /// The file with the whole array; `None` of a stream.
    pub(super) file: Option<PathBuf>,
}

/// Standard input with a part, as [`Input::open`](super::Input::open) takes it beside `-:MEMBER` and `-#N`.
pub(crate) const STANDARD_INPUT: &str = "/dev/stdin";

/// The part of standard input that a text selects, or `None` if it selects none; `None` for a path.
#[expect(clippy::option_option, reason = "the outer one tells a path")]
pub(crate) fn standard_input(text: &OsStr) -> Option<Option<Part>> {
    let text = escape::path(text);
    let is_path = text == STANDARD_INPUT;
    let rest = text.strip_prefix('-').or_else(|| text.strip_prefix(STANDARD_INPUT)).filter(|_| !is_path)?;
    let member = || rest.strip_prefix(':').map(|member| Part::Member(member.to_owned()));
    if rest.is_empty() { Some(None) } else { member().or_else(|| number(rest.strip_prefix('#')?)).map(Some) }
}

/// The path in an argument, or `-`, without the member or the number.
pub(crate) fn path_of(text: &OsStr) -> &OsStr {
    if standard_input(text).is_some() { OsStr::new("-") } else { split(text).0 }
}

/// Whether an argument is a file on disk, or a part of one. Standard input and pipes are not: opening one waits.
pub(crate) fn is_on_disk(text: &OsStr) -> bool {
    standard_input(text).is_none() && Path::new(split(text).0).is_file()
}

/// The number of an array.
fn number(text: &str) -> Option<Part> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit())).map(Part::Number)
}

/// Splits the name of a member off, or the number of an array, unless there is a file of the whole name.
pub(crate) fn split(text: &OsStr) -> (&OsStr, Option<Part>) {
    if Path::new(text).exists() {
        return (text, None);
    }
    let is_file = |path: &OsStr| Path::new(path).is_file();
    // The first colon after the path of a file; the name of a member can have colons too.
    if let Some((path, member)) = paths::halves(text, b':').find(|(path, _)| is_file(path)) {
        return (path, Some(Part::Member(escape::path(member).into_owned())));
    }
    match paths::halves(text, b'#').last() {
        Some((path, digits)) if is_file(path) => match number(&escape::path(digits)) {
            Some(part) => (path, Some(part)),
            None => (text, None),
        },
        _ => (text, None),
    }
}
