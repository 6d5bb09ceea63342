//! The command line: its arguments, and which command they start.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};

#[cfg(feature = "plot")]
use crate::commands::plot;
#[cfg(feature = "view")]
use crate::commands::view;
use crate::commands::{
    cat, complete, convert, diff, edit, generate, glance, hash, info, recover, repack, sample, schema, show, split, sql, stats,
    verify,
};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::input::STANDARD_INPUT;
use crate::output::{self, Color, Screen};
use crate::signals;
use crate::values::quantity;

/// The exit code of a command that failed, and of wrong arguments.
const TROUBLE: u8 = 2;

/// See, understand, compare and convert NumPy's .npy and .npz files.
///
/// npy FILE shows what is in a file, and its first values. FILE is an .npy, .npz or .ra file. info, show, view, stats, plot, diff, convert and verify also read CSV, JSON, safetensors, PNG,
/// Parquet and Arrow. These and cat read files compressed by gzip or Zstandard. FILE:MEMBER is one array of an .npz archive, - is
/// standard input, and -:MEMBER one array of it. FILE:PATH is a slice or a field, as in 'stack.npy:[0]' and events.npy:pos.x. FILE#1 is the second of several arrays in an .npy file, as several np.save into one
/// handle write them.
#[derive(Debug, Parser)]
#[command(
    name = "npy",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  npy picks.npy                          what is in it, the range and the first values
  npy info run.npz                       what is in it
  npy info run.npz:time                  one array of it
  npy show run.npz:time '[-3:]'          its last three rows
  npy schema picks.npy                   the Rust struct that reads it
  npy diff old.npy new.npy --rtol 1e-6   whether the values are the same

Exit codes: 0 success, 1 different (diff), 2 trouble, 130 interrupted."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// When to use colors: auto, always or never; NO_COLOR turns them off too
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        display_order = 100
    )]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What a file as the first argument stands for
    #[command(hide = true)]
    Glance(info::Arguments),
    Info(info::Arguments),
    Show(show::Arguments),
    Head(show::head::Arguments),
    Tail(show::tail::Arguments),
    #[cfg(feature = "view")]
    View(view::Arguments),
    Schema(schema::Arguments),
    Stats(stats::Arguments),
    #[cfg(feature = "plot")]
    Plot(plot::Arguments),
    Diff(diff::Arguments),
    Hash(hash::Arguments),
    Convert(convert::Arguments),
    Cat(cat::Arguments),
    Stack(cat::Stack),
    Sample(sample::Arguments),
    Split(split::Arguments),
    Sql(sql::Arguments),
    Rm(edit::Rm),
    Mv(edit::Mv),
    Set(edit::Set),
    Merge(edit::Merge),
    Repack(repack::Arguments),
    Recover(recover::Arguments),
    Verify(verify::Arguments),
    Completions(generate::Completions),
    #[command(hide = true)]
    Complete(complete::Arguments),
    Man(generate::Man),
}

/// Runs the command line of the process, and returns its exit code.
pub fn main() -> ExitCode {
    signals::exit_where_memory_ends(TROUBLE);
    #[cfg(unix)]
    signals::fail_where_files_are_too_large();
    let parsed = match mistyped_option(std::env::args_os()) {
        Some(error) => Err(error),
        None => Arguments::try_parse_from(arguments(std::env::args_os())),
    };
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => exit(&with_tip(error)),
    };
    let mut screen = Screen::new(arguments.color);
    let result = arguments.command.run(&mut screen).and_then(|code| {
        screen.flush()?;
        Ok(code)
    });
    let code = match result {
        // The work may be incomplete.
        // The message would be that of a reader that a signal stopped.
        Ok(_) | Err(Failure::Nameless(_) | Failure::Trouble(_)) if signals::came() => signals::INTERRUPTED,
        Ok(code) => code,
        // The verdict was not delivered.
        Err(Failure::BrokenPipe) if arguments.command.gives_verdict() => TROUBLE,
        Err(Failure::BrokenPipe) => 0,
        Err(Failure::Reported) => TROUBLE,
        Err(Failure::Interrupted) => signals::INTERRUPTED,
        Err(failure) => {
            // Earlier output comes first.
            let _ = screen.flush();
            output::tell(&failure);
            TROUBLE
        }
    };
    ExitCode::from(code)
}

/// Finds an option that the command does not have. Where a slice may begin with a hyphen, the parser takes it for the slice.
fn mistyped_option(arguments: impl Iterator<Item = OsString>) -> Option<clap::Error> {
    let mut root = Arguments::command();
    let mut arguments = arguments.skip(1).map(|argument| escape::path(&argument).into_owned());
    let command = arguments.by_ref().find_map(|name| root.find_subcommand(name))?;
    // Where all arguments go to another program, it knows its options.
    let takes_slice = |argument: &clap::Arg| argument.is_allow_hyphen_values_set() && !argument.is_trailing_var_arg_set();
    if !command.get_positionals().any(takes_slice) {
        return None;
    }
    let options = || root.get_arguments().chain(command.get_arguments());
    let is_mistyped = |argument: &String| {
        let Some(text) = argument.strip_prefix('-') else { return false };
        let Some(long) = text.strip_prefix('-') else {
            let short = text.chars().next().filter(char::is_ascii_alphabetic);
            return short.is_some_and(|short| short != 'h' && options().all(|option| option.get_short() != Some(short)));
        };
        let name = long.split_once('=').map_or(long, |(name, _)| name);
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic()) && name != "help";
        is_name && options().all(|option| option.get_long() != Some(name))
    };
    // The value of such an option is an expression, which begins with a hyphen as in `--where '-x > 3'`.
    let takes_hyphens = |option: &clap::Arg, name: &str| option.get_long() == Some(name) && option.is_allow_hyphen_values_set();
    let mut is_value = false;
    let option = arguments.take_while(|argument| argument != "--").find(|argument| {
        let name = argument.strip_prefix("--").unwrap_or_default();
        let was_value = is_value;
        is_value = !was_value && options().any(|option| takes_hyphens(option, name));
        !was_value && is_mistyped(argument)
    })?;
    let name = command.get_name().to_owned();
    let hint = if name == "show" { "; fields are a slice, as in pose.x or [['a', 'b']]" } else { "" };
    root.build();
    let message = format!("unexpected argument '{option}' found{hint}");
    Some(root.find_subcommand_mut(&name)?.error(clap::error::ErrorKind::UnknownArgument, message))
}

/// Names the commands that have an option that this one lacks, instead of how to pass it as a value.
fn with_tip(mut error: clap::Error) -> clap::Error {
    if error.kind() != clap::error::ErrorKind::UnknownArgument || error.remove(ContextKind::Suggested).is_none() {
        return error;
    }
    if let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) {
        let usage = usage.to_string().replace("npy glance", "npy");
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage.into()));
    }
    let option = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    let long = option.strip_prefix("--").map(|long| long.split('=').next().unwrap_or(long));
    let root = Arguments::command();
    let has_it =
        |command: &&clap::Command| command.get_arguments().any(|option| option.get_long().is_some() && option.get_long() == long);
    let names = root
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .filter(has_it)
        .map(|command| format!("npy {}", command.get_name()));
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        let tip = format!("{option} is an option of {}", quantity::listed(names));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Prints what the parser says, and ends the process. It quotes arguments, which can be the names of files.
fn exit(error: &clap::Error) -> ! {
    // The parser leaves out sequences that a terminal obeys, unless it writes to one.
    let is_unsafe = |argument: OsString| matches!(escape::line(&argument.to_string_lossy()), Cow::Owned(_));
    let has_sequence = error.use_stderr() && std::env::args_os().any(is_unsafe);
    let escaped = if has_sequence { said_of_escaped() } else { None };
    let text = escaped.unwrap_or_else(|| error.render().to_string());
    let printed = match escape::text(&text) {
        Cow::Borrowed(_) if !has_sequence => error.print(),
        escaped => io::stderr().write_all(escaped.as_bytes()),
    };
    std::process::exit(match printed.map_err(Failure::from) {
        Ok(()) | Err(Failure::BrokenPipe) => error.exit_code(),
        Err(failure) => {
            output::tell(&failure);
            TROUBLE.into()
        }
    })
}

/// The message of the parser on the escaped arguments.
fn said_of_escaped() -> Option<String> {
    let escaped = std::env::args_os().map(|argument| OsString::from(escape::line(&escape::path(&argument)).into_owned()));
    Some(Arguments::try_parse_from(arguments(escaped)).err()?.render().to_string())
}

/// Spells arguments that begin with a hyphen as the parser takes them.
///
/// `-:NAME` and `-#N`, parts of standard input, would be options for it, and `-oFILE` a slice, which may begin with a hyphen. A file
/// where a command is expected is the argument of `glance`.
fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut given = given.peekable();
    let mut spelled: Vec<OsString> = given.next().into_iter().collect();
    while let Some(argument) = given.peek() {
        let text = argument.to_string_lossy();
        let is_option = text.starts_with("--color");
        if !is_option {
            if Arguments::command().find_subcommand(&*text).is_none() && glance::is_file(argument) {
                spelled.push("glance".into());
            }
            break;
        }
        let has_value = text.contains('=');
        spelled.extend(given.next());
        if !has_value {
            spelled.extend(given.next());
        }
    }
    let mut has_options = true;
    for argument in given {
        has_options &= argument != "--";
        let rest = argument.to_str().and_then(|text| text.strip_prefix('-')).unwrap_or_default();
        match rest.strip_prefix('o').filter(|file| has_options && !file.is_empty()) {
            _ if rest.starts_with(['o', ':', '#']) && spelled.last().is_some_and(|option| takes_hyphens(option)) => {
                spelled.push(argument);
            }
            Some(file) => spelled.extend(["-o".into(), file.strip_prefix('=').unwrap_or(file).into()]),
            None if rest.starts_with([':', '#']) => spelled.push(format!("{STANDARD_INPUT}{rest}").into()),
            None => spelled.push(argument),
        }
    }
    spelled
}

/// Whether the value of an option may begin with a hyphen, as an expression does in `--where '-onset > 3'`.
fn takes_hyphens(option: &OsStr) -> bool {
    let Some(name) = option.to_str().and_then(|option| option.strip_prefix("--")) else { return false };
    let command = Arguments::command();
    let mut options = command.get_subcommands().flat_map(clap::Command::get_arguments);
    options.any(|option| option.get_long() == Some(name) && option.is_allow_hyphen_values_set())
}

impl Command {
    /// Whether the exit code is a verdict that must not be wrong.
    fn gives_verdict(&self) -> bool {
        matches!(self, Self::Diff(_) | Self::Verify(_))
    }

    /// Runs the command; returns the exit code.
    fn run(&self, screen: &mut Screen) -> Result<u8> {
        match self {
            Self::Glance(arguments) => glance::run(arguments, screen),
            Self::Info(arguments) => info::run(arguments, screen),
            Self::Show(arguments) => show::run(arguments, screen),
            Self::Head(arguments) => show::head::run(arguments, screen),
            Self::Tail(arguments) => show::tail::run(arguments, screen),
            #[cfg(feature = "view")]
            Self::View(arguments) => view::run(arguments, screen),
            Self::Schema(arguments) => schema::run(arguments, screen),
            Self::Stats(arguments) => stats::run(arguments, screen),
            #[cfg(feature = "plot")]
            Self::Plot(arguments) => plot::run(arguments, screen),
            Self::Diff(arguments) => diff::run(arguments, screen),
            Self::Hash(arguments) => hash::run(arguments, screen),
            Self::Convert(arguments) => convert::run(arguments, screen),
            Self::Cat(arguments) => cat::run(arguments),
            Self::Stack(arguments) => cat::stack(arguments),
            Self::Sample(arguments) => sample::run(arguments),
            Self::Split(arguments) => split::run(arguments, screen),
            Self::Sql(arguments) => sql::run(arguments),
            Self::Rm(arguments) => edit::rm(arguments),
            Self::Mv(arguments) => edit::mv(arguments),
            Self::Set(arguments) => edit::set(arguments),
            Self::Merge(arguments) => edit::merge(arguments),
            Self::Repack(arguments) => repack::run(arguments, screen),
            Self::Recover(arguments) => recover::run(arguments, screen),
            Self::Verify(arguments) => verify::run(arguments, screen),
            Self::Complete(arguments) => complete::run(arguments, &Arguments::command(), screen),
            Self::Completions(arguments) => generate::completions(arguments, &Arguments::command(), screen),
            Self::Man(arguments) => generate::man(arguments, Arguments::command(), screen),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
