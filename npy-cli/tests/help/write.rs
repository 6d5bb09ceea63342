//! Commands that write arrays.

use crate::support::run;

#[test]
fn explains_convert() {
    // Listed if the build has them.
    let is_of_feature = |line: &&str| ["- parquet:", "- arrow:"].iter().any(|format| line.trim_start().starts_with(format));
    let help = run(["convert", "--help"]).ok();
    assert_eq!(help.lines().filter(is_of_feature).count(), if cfg!(feature = "arrow") { 2 } else { 0 });
    let help: Vec<&str> = help.lines().filter(|line| !is_of_feature(line)).collect();
    insta::assert_snapshot!(help.join("\n"), @r#"
Convert between .npy, .npz, .ra, CSV, JSON, safetensors, PNG, Parquet and Arrow

Usage: npy convert [OPTIONS] <IN... OUT>...

Arguments:
  <IN... OUT>...
          Files, members (FILE:MEMBER), a directory of .npy files, or - for standard input; then the
          output, or -

Options:
      --from <FORMAT>
          The format of the inputs

      --to <FORMAT>
          The format of the output

          Possible values:
          - npy:         One array of NumPy
          - npz:         An archive of arrays
          - ra:          A RawArray file
          - csv:         Comma-separated values
          - tsv:         Tab-separated values
          - json:        Nested lists, or a list of objects
          - ndjson:      A JSON value a line
          - safetensors: Named tensors
          - png:         An image
          - dir:         A directory of .npy files

      --dtype <DTYPE>
          The dtype of the output, such as f4 or "[('t', '<M8[s]'), ('x', 'f8')]"; of CSV and JSON
          that of the input

      --order <ORDER>
          The order of the elements

          Possible values:
          - C: The last axis varies fastest
          - F: The first axis varies fastest

      --endian <ENDIAN>
          The byte order of the numbers

          Possible values:
          - little: The least significant byte first
          - big:    The most significant byte first

      --align
          Place fields as NumPy does with align=True

      --packed
          Place fields one after the other, without padding

      --compress[=<LEVEL>]
          Compress the members of an archive; LEVEL is 0 to 9

      --store
          Store the members of an archive as they are, the default

      --fields <NAMES>
          Convert only these fields of records, as in a,b.c

      --delimiter <CHAR>
          The delimiter of a CSV input, such as ";", tab or space, instead of a guess

      --header
          Treat the first line of a CSV input as names

      --no-header
          Treat the first line of a CSV input as data

      --comment <CHAR>
          Skip lines of a CSV input that begin with this character

      --decimal <CHAR>
          The decimal point of a CSV input, "." or ",", instead of a guess

      --na <WORDS>
          Words of a CSV input for what is missing, as in NA,-999

      --lossy
          Allow losses: of precision, range, text, titles, metadata

      --color <WHEN>
          When to use colors: auto, always or never; NO_COLOR turns them off too

  -h, --help
          Print help (see a summary with '-h')

Examples:
  npy convert picks.npy picks.csv                   a line for each record
  npy convert table.csv table.npy                   types by the cells, names by the header
  npy convert --dtype "[('t', '<M8[ns]'), ('x', '<f4')]" table.csv table.npy
  npy convert a.npy b.npy out.npz                   members a and b
  npy convert --compress run.npz small.npz          deflate each member
  npy convert run.npz run/                          a file for each member
  npy convert --fields time,pose.x run.npz:picks - --to json
  npy convert model.safetensors model.npz           tensors as members
  npy convert --dtype u1 image.npy image.png        values from 0 to 255
  npy convert picks.npy picks.parquet               a column for each field

File extensions select the formats. The output replaces an existing file when it is complete.

Losses: a conversion that would change a value is refused without --lossy, and the loss is named. An
integer of text stays that integer, a fraction is the nearest number of the dtype if that has its
digits, up to 15 of them. Text formats do not keep the shape and the dtype: --dtype gives it back,
as npy schema --python writes it.

CSV: a line for each row of the first axis, and a column for each field and for each element of
further axes. Of an input the delimiter, decimal commas, comments after # and whether its first line
has names are guessed; uncertain guesses are reported on standard error, with the option that
overrides each. Dates are 2024-02-29 or 2024-02-29T12:30:00.5; others stay text, as do digits after
a leading 0. More than 4 digits alone are no time but a year of M8[Y]. An empty cell is NaN, NaT or
empty text; integers with empty cells become floats.

JSON: NaN is "NaN" and infinities are "Infinity"; bare words, as Python writes them, are read too.

Python objects that are text, bytes, numbers, dates or None are converted to the dtype of their
values, or to --dtype from there; None, and NaN where no value is a number, is null in JSON, Parquet
and Arrow, an empty cell in CSV, and NaN or NaT elsewhere. NumPy's formats keep their pickle. A
member with other objects is left out with an error, and the others are converted.

Several arrays: from an .npy file with several arrays, .npz, a directory and safetensors keep all;
other formats keep the first and need --lossy.

Parquet and Arrow keep the dtype as metadata; a null that is read needs --lossy, unless it is a
time. The two need the feature arrow: cargo install --path npy-cli --features arrow.

Exit codes: 0 success, 2 trouble, 130 interrupted.
"#);
}

#[test]
fn explains_cat() {
    insta::assert_snapshot!(run(["cat", "--help"]).ok(), @r#"
Concatenate arrays along the first axis

Usage: npy cat [OPTIONS] <FILE>...

Arguments:
  <FILE>...  Files or members (FILE:MEMBER)

Options:
  -o, --output <OUT>  The file to write; - is standard output [default: -]
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy cat day1.npy day2.npy -o week.npy     the rows of both, in C order
  npy cat run.npz:a run.npz:b | npy info -  members of archives, to standard output
  npy cat steps-*.npy -o steps.npy          what npy split has split

The arrays need the same dtype, and the same lengths of all axes but the first. Rows are copied in
bounded memory.

Exit codes: 0 success, 2 trouble; the output is then untouched.
"#);
}

#[test]
fn explains_split() {
    insta::assert_snapshot!(run(["split", "--help"]).ok(), @r#"
Split an array into numbered files of some rows each

Usage: npy split [OPTIONS] --rows <N> <FILE>

Arguments:
  <FILE>  A file, a member (FILE:MEMBER), or - for standard input

Options:
      --rows <N>         Rows in each file; the last one has the rest
      --prefix <PREFIX>  The beginning of the files' paths, whose directory is made; by default that
                         of FILE without its extension
      --color <WHEN>     When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help             Print help

Examples:
  npy split steps.npy --rows 100000             steps-00000.npy, steps-00001.npy, ...
  npy split run.npz:x --rows 10 --prefix out/x  out/x-00000.npy, ...

Rows are those of the first axis. npy_core::shards::Shards reads the files as one array, and npy cat
joins them.

Exit codes: 0 success, 2 trouble; files that were finished stay.
"#);
}

#[test]
fn explains_repack() {
    insta::assert_snapshot!(run(["repack", "--help"]).ok(), @r#"
Store the same arrays in another way: compressed, stored, aligned, in another order

Usage: npy repack [OPTIONS] <FILE> [OUT]

Arguments:
  <FILE>  An .npy or .npz file
  [OUT]   The file to write; by default FILE itself

Options:
      --compress[=<LEVEL>]  Compress the members of an archive, with a level from 0 to 9
      --store               Store the members of an archive without compression
      --align               Begin members at multiples of 64 bytes
      --order <ORDER>       The order of the elements in the file: C or F
      --lossy               Allow losses: of comments, extra fields, bytes around an archive
      --threads <N>         Threads that compress; by default one for each processor
      --color <WHEN>        When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help                Print help

Examples:
  npy repack run.npz --compress              deflate each member, in place of the old archive
  npy repack run.npz small.npz --compress=9  into another file
  npy repack run.npz --store --align         members that can be mapped, at multiples of 64 bytes
  npy repack a.npy --order C                 transpose the file of a Fortran array
  npy repack old.npy                         the header as current NumPy writes it

Values, names, members that are not arrays and what follows an array stay as they are. Other parts
of an archive are refused without --lossy, and named: comments, extra fields, bytes before or after
it, members before others of the same name. Dates and permissions of members become those that NumPy
writes. The file is replaced atomically.

Exit codes: 0 success, 2 trouble; the file is then untouched.
"#);
}

#[test]
fn explains_recover() {
    insta::assert_snapshot!(run(["recover", "--help"]).ok(), @r#"
Restore a file that a crash has left incomplete

Usage: npy recover [OPTIONS] <FILE>

Arguments:
  <FILE>  An .npy or .npz file

Options:
  -o, --output <OUT>  Restore a copy
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy recover readings.npy              the header counts all whole rows again
  npy recover log.npz                   all whole members are listed again
  npy recover log.npz -o whole.npz      a copy is restored, and log.npz stays

An .npy file keeps its whole rows; bytes of an incomplete one are cut off. Bytes behind the rows
that the header counts count as rows, unless another array begins there. An archive keeps its whole
members, whose checksums are then checked. What is whole already is not changed.

Exit codes: 0 success, 2 trouble; the file is then untouched, unless members of an archive are named
as damaged.
"#);
}
