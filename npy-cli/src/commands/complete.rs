//! `npy complete`: members and fields, for the completions that `npy completions` writes.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::Command;
use npy_core::DType;

use crate::escape;
use crate::failure::Result;
use crate::input::{Input, Named, is_on_disk};
use crate::output::Screen;
use crate::values::fields;

/// Print what can stand for the last word of a command line: members of an archive, and fields.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The words up to the cursor, with `npy` as the first
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Options whose values are fields, or expressions of fields.
pub(crate) const OPTIONS: [&str; 5] = ["field", "fields", "where", "x", "y"];

/// The most candidates. A shell asks before it lists as many.
const MOST: usize = 1000;

/// The wait for a file that is large or on a slow disk: the line of the user waits too.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Prints candidates, one in each line. A file that cannot be read has none, and is no failure.
pub(crate) fn run(arguments: &Arguments, root: &Command, screen: &mut Screen) -> Result<u8> {
    let Some((last, words)) = arguments.words.split_last() else { return Ok(0) };
    let Some(last) = last.to_str() else { return Ok(0) };
    // A word may be quoted, and not yet be closed.
    let last = last.strip_prefix(['\'', '"']).unwrap_or(last).to_owned();
    let file = if takes_fields(root, words) { words.iter().skip(2).find(|word| is_on_disk(word)).cloned() } else { None };
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let found = members(&last).or_else(|| fields_of(&file?, &last)).unwrap_or_default();
        // Where the wait is over, the receiver is gone.
        let _ = sender.send(found);
    });
    for candidate in receiver.recv_timeout(PATIENCE).unwrap_or_default() {
        writeln!(screen, "{candidate}")?;
    }
    Ok(0)
}

/// Whether the next word is a slice, or the value of an option of fields.
fn takes_fields(root: &Command, words: &[OsString]) -> bool {
    let Some(command) = words.get(1).and_then(|name| root.find_subcommand(name)) else { return false };
    let option = words.last().and_then(|word| word.to_str()?.strip_prefix("--"));
    let has_option = |name: &str| command.get_arguments().any(|argument| argument.get_long() == Some(name));
    match option.filter(|name| !name.is_empty()) {
        Some(name) => OPTIONS.contains(&name) && has_option(name),
        None => command.get_positionals().any(|argument| argument.get_id() == "slice"),
    }
}

fn open(word: &OsStr) -> Option<Input> {
    match Input::find(Some(word).filter(|word| is_on_disk(word))?).ok()? {
        Named::Input(input) => Some(input),
        Named::Below(..) | Named::Other(_) => None,
    }
}

/// The members of the archive before a colon; `None` where there is none.
fn members(last: &str) -> Option<Vec<String>> {
    let input = open(OsStr::new(last))?;
    let (member, archive) = (input.selected()?, input.archive().ok()?);
    let file = last.strip_suffix(member)?;
    let names = archive.names().filter(|name| name.starts_with(member) && is_safe(name));
    Some(names.take(MOST).map(|name| format!("{file}{name}")).collect())
}

/// The text with its last name completed to each field of an array.
fn fields_of(file: &OsStr, text: &str) -> Option<Vec<String>> {
    let mut input = open(file)?;
    let member = input.only_member().ok()?;
    let header = input.header(member).ok()?;
    let is_of_name = |character: char| character.is_alphanumeric() || "_.".contains(character);
    let (before, name) = text.split_at(text.trim_end_matches(is_of_name).len());
    // A quoted name is one of NumPy's index, and not a path.
    let (names, end): (Vec<String>, String) = match (before.chars().last(), header.dtype()) {
        (Some(quote @ ('\'' | '"')), DType::Record(record)) => {
            let end = if before.ends_with(['[', quote]) && !before.contains("[[") { format!("{quote}]") } else { quote.into() };
            (record.fields().iter().map(|field| field.name().to_owned()).collect(), end)
        }
        (_, dtype) => {
            let paths = fields::leaves(dtype).into_iter().map(|leaf| leaf.path);
            (paths.filter(|path| !path.is_empty() && path.chars().all(is_of_name)).collect(), String::new())
        }
    };
    let names = names.iter().filter(|known| known.starts_with(name) && is_safe(known));
    Some(names.take(MOST).map(|name| format!("{before}{name}{end}")).collect())
}

/// Whether a name is one line on a terminal.
fn is_safe(name: &str) -> bool {
    escape::line(name) == name
}
