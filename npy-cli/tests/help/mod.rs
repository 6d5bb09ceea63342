//! The help of the program and of each command, as a newcomer reads it.

mod look;
mod write;

use crate::support::run;

#[test]
fn lists_the_commands() {
    insta::assert_snapshot!(run(["--help"]).ok(), @r#"
See, understand, compare and convert NumPy's .npy and .npz files.

FILE is an .npy, .npz or .ra file. FILE:MEMBER is one array of an .npz archive, - is standard input,
and -:MEMBER one array of it. FILE#1 is the second of several arrays in an .npy file, as several
np.save into one handle write them.

Usage: npy [OPTIONS] <COMMAND>

Commands:
  info         Show what is in files: dtype, fields, shape, order, sizes
  show         Print an array or a slice of it, as NumPy prints it
  view         Browse arrays and records in the terminal
  schema       Write the Rust struct, or the NumPy dtype, that reads a file
  stats        Show the distribution of values: range, mean, quantiles, NaN, distinct values,
               histogram
  plot         Plot arrays, in the terminal or to an SVG or PNG file
  diff         Compare values: how many are different, the first of them, the largest errors [alias:
               compare]
  convert      Convert between .npy, .npz, .ra, CSV, JSON, safetensors, PNG, Parquet and Arrow
  cat          Concatenate arrays along the first axis
  split        Split an array into numbered files of some rows each
  repack       Store the same arrays in another way: compressed, stored, aligned, in another order
  recover      Restore a file that a crash has left incomplete
  verify       Check files: structure, lengths, checksums of archives
  completions  Write the completions of a shell
  man          Write the manual pages
  help         Print this message or the help of the given subcommand(s)

Options:
      --color <WHEN>
          When to use colors: auto, always or never; NO_COLOR turns them off too

  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version

Examples:
  npy info run.npz                       what is in it
  npy info run.npz:time                  one array of it
  npy show run.npz:time '[-3:]'          its last three rows
  npy schema picks.npy                   the Rust struct that reads it
  npy diff old.npy new.npy --rtol 1e-6   whether the values are the same

Exit codes: 0 success, 1 different (diff), 2 trouble, 130 interrupted.
"#);
}

#[test]
fn explains_completions() {
    insta::assert_snapshot!(run(["completions", "--help"]).ok(), @r#"
Write the completions of a shell

Usage: npy completions [OPTIONS] <SHELL>

Arguments:
  <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

Options:
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy completions bash > ~/.local/share/bash-completion/completions/npy
  npy completions zsh > ~/.zfunc/_npy
  npy completions fish > ~/.config/fish/completions/npy.fish
"#);
}

#[test]
fn explains_man() {
    insta::assert_snapshot!(run(["man", "--help"]).ok(), @r#"
Write the manual pages

Usage: npy man [OPTIONS] [DIRECTORY]

Arguments:
  [DIRECTORY]  The directory to write them to; by default the main page goes to standard output

Options:
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy man ~/.local/share/man/man1      npy.1, npy-info.1, ...; man npy-info shows one
  npy man | man -l -                   the main page
"#);
}

#[test]
fn advises_after_a_mistake() {
    let result = run(["inof"]);
    assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""));
    assert!(result.stderr.contains("a similar subcommand exists: 'info'"), "{}", result.stderr);
    assert_eq!(run::<&str>([]).code, Some(2));
    assert!(run(["--version"]).ok().starts_with("npy 0."));
}

#[test]
fn writes_completions_and_manual_pages() {
    assert!(run(["completions", "bash"]).ok().contains("_npy"));
    let directory = tempfile::tempdir().unwrap();
    run(["man".as_ref(), directory.path().as_os_str()]).ok();
    let page = std::fs::read_to_string(directory.path().join("npy-info.1")).unwrap();
    assert!(page.contains("npy\\-info") && page.contains("EXTRA"), "{page}");
}
