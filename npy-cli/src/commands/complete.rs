//! `npy complete`: members, fields, keys of Python objects and columns, for the completions that `npy completions` writes.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::{Arg, Command};
use npy_core::DType;

use super::stats;
use crate::escape;
use crate::failure::Result;
use crate::formats;
use crate::input::{Input, Named, is_on_disk, object_options};
use crate::output::Screen;
use crate::select::{Slice, entries_of, key_text};
use crate::values::fields;

/// Print what can stand for the last word of a command line: members of an archive, fields, and keys of Python objects.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The words up to the cursor, with `npy` as the first
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Options whose values are fields, or expressions of fields, and columns to sort by.
pub(crate) const OPTIONS: [&str; 6] = ["field", "fields", "where", "x", "y", SORT];
const SORT: &str = "sort";

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
    let wanted = wanted(root, words);
    let file = words.iter().skip(2).find(|word| is_on_disk(word)).cloned();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let others = || match wanted? {
            Wanted::Fields => fields_of(&file?, &last),
            Wanted::Members => members_of(&open(&file?)?, &last),
            Wanted::Columns => Some(columns(&last)),
        };
        let found = members(&last).or_else(|| keys_behind(&last)).or_else(others).unwrap_or_default();
        // Where the wait is over, the receiver is gone.
        let _ = sender.send(found);
    });
    for candidate in receiver.recv_timeout(PATIENCE).unwrap_or_default() {
        writeln!(screen, "{candidate}")?;
    }
    Ok(0)
}

/// What the next word is, if it is not a file.
#[derive(Clone, Copy)]
enum Wanted {
    /// A slice, or the value of an option of fields.
    Fields,
    Members,
    Columns,
}

fn wanted(root: &Command, words: &[OsString]) -> Option<Wanted> {
    let command = root.find_subcommand(words.get(1)?)?;
    let option = words.last().and_then(|word| word.to_str()?.strip_prefix("--")).filter(|name| !name.is_empty());
    if let Some(name) = option {
        let is_known = OPTIONS.contains(&name) && command.get_arguments().any(|argument| argument.get_long() == Some(name));
        return is_known.then_some(if name == SORT { Wanted::Columns } else { Wanted::Fields });
    }
    let has_name =
        |argument: &Arg, names: &[&str]| argument.get_value_names().is_some_and(|found| names.iter().any(|name| found == [*name]));
    let place = words.iter().skip(2).filter(|word| !word.to_string_lossy().starts_with('-')).count();
    let argument = command.get_positionals().nth(place).or_else(|| command.get_positionals().last());
    match argument {
        Some(argument) if place > 0 && has_name(argument, &["MEMBER", "OLD"]) => Some(Wanted::Members),
        _ => command.get_positionals().any(|argument| has_name(argument, &["SLICE"])).then_some(Wanted::Fields),
    }
}

fn find(word: &OsStr) -> Option<Named> {
    Input::find(Some(word).filter(|word| is_on_disk(word))?).ok()
}

fn open(word: &OsStr) -> Option<Input> {
    if let Named::Input(input) = find(word)? { Some(input) } else { None }
}

/// The members of the archive before a colon; `None` where there is none.
fn members(last: &str) -> Option<Vec<String>> {
    let input = open(OsStr::new(last))?;
    let member = input.selected()?;
    let file = last.strip_suffix(member)?;
    Some(members_of(&input, member)?.into_iter().map(|name| format!("{file}{name}")).collect())
}

/// The members of an archive that begin with a text.
fn members_of(input: &Input, begin: &str) -> Option<Vec<String>> {
    let archive = input.archive().ok()?;
    let names = archive.names().filter(|name| name.starts_with(begin) && is_safe(name));
    Some(names.take(MOST).map(str::to_owned).collect())
}

/// The path in Python objects before which there is a colon, with its last key completed.
fn keys_behind(last: &str) -> Option<Vec<String>> {
    let Named::Below(input, path) = find(OsStr::new(last))? else { return None };
    let file = last.strip_suffix(&*path)?;
    Some(keys(input, &path)?.into_iter().map(|path| format!("{file}{path}")).collect())
}

/// A path in the Python objects of an array, with its last key completed to each key that it can be.
fn keys(mut input: Input, path: &str) -> Option<Vec<String>> {
    let begin = path.rfind(['.', ':']).map_or(0, |end| end + 1);
    let (before, name) = path.split_at(begin);
    let slice = Slice::new(before.trim_end_matches(['.', ':'])).ok()?;
    let index = input.only_member().ok()?;
    if !input.header(index).ok()?.dtype().has_object() {
        return None;
    }
    let objects = input.with_member(index, |array| Ok(array.into_objects(object_options())?)).ok()?;
    let object = formats::object_at(&slice, objects).ok()?;
    let entries = entries_of(object.plain())?;
    let names =
        entries.iter().map(|(key, _)| key_text(key)).filter(|known| known.starts_with(name) && known.chars().all(is_of_key));
    Some(names.take(MOST).map(|known| format!("{before}{known}")).collect())
}

/// Whether a key with this character needs no quotes.
fn is_of_key(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The columns of `npy stats --brief` that begin with a text. A minus sorts them downwards.
fn columns(begin: &str) -> Vec<String> {
    let (sign, begin) = begin.strip_prefix('-').map_or(("", begin), |begin| ("-", begin));
    stats::columns().filter(|name| name.starts_with(begin)).map(|name| format!("{sign}{name}")).collect()
}

/// The text with its last name completed to each field of an array.
fn fields_of(file: &OsStr, text: &str) -> Option<Vec<String>> {
    let mut input = open(file)?;
    let member = input.only_member().ok()?;
    let header = input.header(member).ok()?;
    if header.dtype().has_object() && header.dtype().record().is_none() {
        return keys(input, text);
    }
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
