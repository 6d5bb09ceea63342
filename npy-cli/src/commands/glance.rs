//! `npy FILE`: what `npy info` shows, with the range of the values and the first of them.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use super::{info, show, stats};
use crate::escape;
use crate::failure::Result;
use crate::formats;
use crate::input::standard_input;
use crate::output::{Screen, Style};

/// The most lines of values.
const LINES: usize = 3;

/// The width of a name, and of the space around it.
const NAME: usize = 9;
const INDENT: usize = NAME + 3;

/// The most bytes that are read for the range of the values.
const MOST_READ: u64 = 1 << 30;

/// Runs `npy info`, and shows the values of an only file.
pub(crate) fn run(arguments: &info::Arguments, screen: &mut Screen) -> Result<u8> {
    let code = info::run(arguments, screen)?;
    // Standard input is read once.
    if let Some(file) = arguments.only_file().filter(|file| standard_input(file).is_none()) {
        look(file, screen)?;
    }
    Ok(code)
}

/// Shows the values of a file of one array without Python objects.
fn look(file: &OsStr, screen: &mut Screen) -> Result<()> {
    let mut input = formats::input_again(file)?;
    let members = input.members()?;
    let [(member, _)] = &members[..] else { return Ok(()) };
    let member = *member;
    let header = input.header(member)?;
    if header.dtype().has_object() || header.element_count() == 0 {
        return Ok(());
    }
    if header.element_count() > 1
        && header.data_bytes() <= MOST_READ
        && let Some(range) = stats::range(&mut input, member)?
    {
        writeln!(screen, "  {} {range}", screen.paint(Style::Name, &format!("{:<NAME$}", "range")))?;
    }
    let width = screen.width().saturating_sub(INDENT);
    let Some(text) = input.with_member(member, |mut array| show::whole_text(&mut *array, width))? else { return Ok(()) };
    let lines = text.lines().count();
    for (number, line) in text.lines().take(LINES).enumerate() {
        let name = if number == 0 { "values" } else { "" };
        let more = if number + 1 == LINES && lines > LINES { " …" } else { "" };
        let line = escape::line(line);
        writeln!(screen, "  {} {line}{more}", screen.paint(Style::Name, &format!("{name:<NAME$}")))?;
    }
    Ok(())
}

/// Whether an argument is a file and not a command: no command has such characters, or there is a file of this name.
pub(crate) fn is_file(argument: &OsStr) -> bool {
    let Some(text) = argument.to_str() else { return true };
    match text.strip_prefix('-') {
        Some(rest) => rest.is_empty() || rest.starts_with([':', '#']),
        None => text.contains(['.', '/', '\\', ':', '#', '*']) || Path::new(argument).exists(),
    }
}
