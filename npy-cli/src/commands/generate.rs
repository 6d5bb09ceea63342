//! `npy completions` and `npy man`: what is made from the definition of the command line.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::shells::{self, Shell};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::output::{self, Content, Screen};

/// Write the completions of a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy completions bash > ~/.local/share/bash-completion/completions/npy
  npy completions zsh > ~/.zfunc/_npy
  npy completions fish > ~/.config/fish/completions/npy.fish
  npy completions nushell > npy.nu         use npy.nu * in config.nu

Those of bash, zsh, fish and nushell complete members after FILE.npz:, keys of Python objects after FILE.npy:, and fields in slices, \
--fields and --where.")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Write the manual pages.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy man ~/.local/share/man/man1      npy.1, npy-info.1, ...; man npy-info shows one
  npy man | man -l -                   the main page")]
pub(crate) struct Man {
    /// The directory to write them to; by default the main page goes to standard output
    #[arg(value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

pub(crate) fn completions(arguments: &Completions, command: &clap::Command, screen: &mut Screen) -> Result<u8> {
    // The scripts would offer hidden commands too.
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned();
    let mut shown = clap::Command::new("npy")
        .version(env!("CARGO_PKG_VERSION"))
        .about(command.get_about().cloned().unwrap_or_default())
        .args(command.get_arguments().cloned())
        .subcommands(shown);
    screen.write_all(shells::script(arguments.shell, &mut shown).as_bytes())?;
    Ok(0)
}

pub(crate) fn man(arguments: &Man, mut command: clap::Command, screen: &mut Screen) -> Result<u8> {
    command.build();
    let Some(directory) = &arguments.directory else {
        clap_mangen::Man::new(command).render(screen)?;
        return Ok(0);
    };
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::new(format!("{}: cannot create the directory: {error}", escape::path(directory))))?;
    page(directory, "npy", &command)?;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        page(directory, &format!("npy-{}", inner.get_name()), inner)?;
    }
    Ok(0)
}

/// Writes the page of a command under this name.
fn page(directory: &Path, name: &str, command: &clap::Command) -> Result<()> {
    let man = clap_mangen::Man::new(command.clone());
    output::replace(&directory.join(format!("{name}.1")), Content::Text, |out| {
        let mut text = Vec::new();
        man.render(&mut text)?;
        Ok(out.write_all(&text)?)
    })
}
