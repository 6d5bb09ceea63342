//! The help of the program and of each command, as a newcomer reads it.

mod examples;

use crate::support::run;

/// The subcommands, as the program lists them.
fn commands() -> Vec<String> {
    let help = run(["--help"]).ok();
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn lists_the_commands() {
    insta::assert_snapshot!(run(["--help"]).ok(), @r#"
See, understand, compare and convert NumPy's .npy and .npz files.

npy FILE shows what is in a file, and its first values. FILE is an .npy, .npz or .ra file. info,
show, view, stats, plot, diff, convert and verify also read CSV, JSON, safetensors, PNG, Parquet and
Arrow. These and cat read files compressed by gzip or Zstandard. FILE:MEMBER is one array of an .npz
archive, - is standard input, and -:MEMBER one array of it. FILE:PATH is a slice or a field, as in
'stack.npy:[0]' and events.npy:pos.x. FILE#1 is the second of several arrays in an .npy file, as
several np.save into one handle write them.

Usage: npy [OPTIONS] <COMMAND>

Commands:
  info         Show what is in files: dtype, fields, shape, order, sizes
  show         Print an array or a slice of it, as NumPy prints it
  head         Print the first rows of an array
  tail         Print the last rows of an array, and follow a file that grows
  view         Browse arrays and records in the terminal
  schema       Write the Rust struct, or the NumPy dtype, that reads a file
  stats        Show the distribution of values: range, mean, quantiles, NaN, distinct values,
               histogram
  plot         Plot arrays, in the terminal or to an SVG or PNG file
  diff         Compare values: how many are different, the first of them, the largest errors [alias:
               compare]
  hash         Print a hash of the values of each array: the same in any order, byte order, packing
               and compression
  convert      Convert between .npy, .npz, .ra, CSV, JSON, safetensors, PNG, Parquet and Arrow
  cat          Concatenate arrays along an axis
  stack        Stack arrays along a new axis
  sample       Take random rows of an array, without repetition and in their order
  split        Split an array into numbered files of some rows each
  sql          Query files by SQL
  rm           Remove members from an archive
  mv           Rename a member of an archive
  set          Set elements of an array, or a member of an archive
  merge        Put the members of archives, and arrays of files, into one archive
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
  npy picks.npy                          what is in it, the range and the first values
  npy info run.npz                       what is in it
  npy info run.npz:time                  one array of it
  npy show run.npz:time '[-3:]'          its last three rows
  npy schema picks.npy                   the Rust struct that reads it
  npy diff old.npy new.npy --rtol 1e-6   whether the values are the same

Exit codes: 0 success, 1 different (diff), 2 trouble, 130 interrupted.
"#);
}

#[test]
fn explains_info() {
    insta::assert_snapshot!(run(["info", "--help"]).ok(), @r#"
Show what is in files: dtype, fields, shape, order, sizes

Usage: npy info [OPTIONS] <FILE>...

Arguments:
  <FILE>...  Files, members (FILE:MEMBER), directories, patterns, or - for standard input

Options:
      --json          Write one line of JSON for each file
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy info picks.npy             one array, its fields with their offsets
  npy info run.npz               a line for each member
  npy info run.npz:time          one member
  npy info data/ 'more/*.npy'    a line for each file of a directory, and of a pattern
  npy info ops.npy:reg           what is under a key of a dict in a pickle
  npy info log.npy#1             the second of several arrays, one behind another
  npy info --json picks.npy      one line of JSON for each file, for other programs

Mappable means that the bytes of the data are in the file as they are, so that np.load(...,
mmap_mode='r') works for an .npy file. Trailing bytes follow the array, and NumPy ignores them. Of
Python objects, the keys are listed: their paths select arrays, as in ops.npy:reg.yoff. A pickle of
more than 256 MiB is not read for them.

Exit codes: 0 success, 2 a file or a member is damaged; the others are shown.
"#);
}

#[test]
fn explains_diff() {
    insta::assert_snapshot!(run(["diff", "--help"]).ok(), @"
Compare values: how many are different, the first of them, the largest errors

Usage: npy diff [OPTIONS] <A> <B>

Arguments:
  <A>  A file, a member (FILE:MEMBER), or - for standard input
  <B>  The same; errors are relative to it

Options:
      --rtol <R>            The relative tolerance [default: 0]
      --atol <A>            The absolute tolerance [default: 0]
      --equal-nan           NaN equals NaN, and NaT equals NaT, the default
      --no-equal-nan        NaN equals nothing, and neither does NaT, as in np.array_equal
      --fields <FIELD,…>    Only these fields of records, such as time,at.x
      --where <EXPRESSION>  Keep the rows for which an expression is true, as in 'ok and pos.x > 3'
      --brief               Write one line for each array that is different
      --json                Write one line of JSON
      --color <WHEN>        When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help                Print help

Examples:
  npy diff a.npy b.npy                      exactly
  npy diff a.npy b.npy --rtol 1e-7          as numpy.testing.assert_allclose
  npy diff run.npz:time old.npz:time        one member of each
  npy diff run.npz old.npz                  the arrays of the same names; missing ones are
  differences
  npy diff --brief run.npz old.npz          a line for each that is different
  npy diff run.npz:picks old.npz:picks --where 'at.x > 3'

Members of archives that are not arrays are compared by their bytes. Of files with several arrays,
one behind another, all are compared, each with that of its number.

A value of A equals one of B if |a - b| <= atol + rtol * |b|, as in numpy.testing.assert_allclose,
with NumPy's promotion of different number types. Infinities are equal by their sign, zeros of both
signs are equal, and NaN (NaT of times) equals NaN, unless --no-equal-nan is given. Integers are
compared exactly, with floats too, where NumPy rounds them to 64-bit floats; long doubles are
rounded to 64 bits. Points in time are compared as moments, whatever their units. Text, times, bytes
and bools have no tolerance but that of numbers for bools. Fields of records are compared by their
names, and Python objects by their values. The errors shown are the largest of the different values.

--where keeps the rows of A and of B for which an expression is true, each by its own values; npy
show --help has the expressions. The first row that is left of A is compared with the first one of B
and so on, and the indices shown count these rows. If another number of rows is left, the shapes are
different.

To see arrays in git diff:
  echo '*.npy diff=npy' >> .gitattributes
  git config diff.npy.textconv 'npy show --all'
With 'npy info' in its place only changes of dtype and shape are shown.

Exit codes: 0 equal: the same shape and fields, and all values equal; dtype, order and byte order
may be different and are shown. 1 different. 2 a file cannot be read or compared.
");
}

/// Each argument and option of a help, with its text on one line.
fn entries(help: &str) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut is_listed = false;
    for line in help.lines().filter(|line| !line.is_empty()) {
        if !line.starts_with(' ') {
            is_listed = ["Arguments:", "Options:"].contains(&line);
            continue;
        } else if !is_listed {
            continue;
        }
        let (name, text) = line.trim().split_once("  ").unwrap_or((line.trim(), ""));
        // The text of an entry is indented by at least ten columns where it has lines of its own.
        match entries.last_mut() {
            Some((_, entry)) if line.starts_with("          ") => {
                entry.push(' ');
                entry.push_str(line.trim());
            }
            _ => entries.push((name.to_owned(), text.trim().to_owned())),
        }
    }
    entries
}

#[test]
fn every_command_explains_its_options() {
    for command in commands() {
        let help = run([&command, "--help"]).ok();
        let (usage, entries) = (format!("Usage: npy {command}"), entries(&help));
        assert!(help.contains(&usage) && help.contains("Examples:\n  npy "), "{help}");
        assert!(entries.iter().any(|(name, _)| name.starts_with("-h, --help")), "{entries:?}");
        for (name, text) in entries {
            let begins_well = text.trim_start().starts_with(|char: char| char.is_uppercase());
            assert!(begins_well && !text.ends_with('.'), "{command} {name}: {text:?}");
        }
    }
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
