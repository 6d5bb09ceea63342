//! The help of each command, as a newcomer reads it.

use crate::support::run;

#[test]
fn lists_the_commands() {
    insta::assert_snapshot!(run(["--help"]).ok(), @r#"
See, understand, compare and convert NumPy's .npy and .npz files.

FILE is an .npy, .npz or .ra file. FILE:MEMBER is one array of an .npz archive, and - is standard
input.

Usage: npy [OPTIONS] <COMMAND>

Commands:
  info         Show what is in files: dtype, fields, shape, order, sizes
  show         Print an array or a slice of it, as NumPy prints it
  view         Browse arrays and records in the terminal
  schema       Write the Rust struct, or the NumPy dtype, that reads a file
  stats        Show the distribution of values: range, mean, quantiles, NaN, distinct values,
               histogram
  plot         Plot arrays, in the terminal or to an SVG or PNG file
  diff         Compare values: how many are different, the first of them, the largest errors
  convert      Convert between .npy, .npz, .ra, CSV, JSON, safetensors and PNG
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
  npy info --json picks.npy      one line of JSON for each file, for other programs

Mappable means that the bytes of the data are in the file as they are, so that np.load(...,
mmap_mode='r') works for an .npy file. Trailing bytes follow the array, and NumPy ignores them.

Exit codes: 0 success, 2 a file or a member is damaged; the others are shown.
"#);
}

#[test]
fn explains_show() {
    insta::assert_snapshot!(run(["show", "--help"]).ok(), @r#"
Print an array or a slice of it, as NumPy prints it

Usage: npy show [OPTIONS] <FILE> [SLICE]

Arguments:
  <FILE>   A file, a member (FILE:MEMBER), or - for standard input
  [SLICE]  What to show of the array

Options:
      --table          Show records as a table with aligned columns
      --json           Write JSON: nested lists, records as objects
      --csv            Write CSV: a line for each row, for records after a line of their names
      --head <N>       Show the first N rows
      --tail <N>       Show the last N rows
      --all            Show all elements, which takes memory; --json and --csv do not
      --precision <N>  At most N digits after the point; the default is 8
      --width <N>      Characters in a line; the default is the width of the terminal, or NumPy's 75
      --color <WHEN>   When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help           Print help

Slices are NumPy's, and only what is shown is read:
  [0, :, 10:20]  [-3:]  [::-2]  [..., 0]  ['t']  ['pose']['x'][::100]  [['a', 'b']]
The outer brackets may be missing, as in 0,:,10:20, and pose.x is short for ['pose']['x'].

Examples:
  npy show picks.npy                       what print(np.load('picks.npy')) prints
  npy show picks.npy '[-3:]'               the last three rows
  npy show run.npz:picks 'pose.x[::100]'   every 100th value of a field
  npy show --table --head 20 picks.npy     the first records in columns
  npy show --csv picks.npy > picks.csv     all of it for a spreadsheet
  npy show --json picks.npy '[0]'          one record for another program

Exit codes: 0 success, 2 the file cannot be read, or the slice does not fit it.
"#);
}

#[cfg(feature = "view")]
#[test]
fn explains_view() {
    insta::assert_snapshot!(run(["view", "--help"]).ok(), @r#"
Browse arrays and records in the terminal

Usage: npy view [OPTIONS] <FILE>

Arguments:
  <FILE>  A file, a member (FILE:MEMBER), or - for standard input

Options:
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy view picks.npy             records as a table, their fields as columns
  npy view run.npz               all arrays of an archive: Tab shows the next one
  npy view run.npz:time          one of them

Keys: arrows, PgUp, PgDn, g and G move; : goes to an index; / searches; s sorts; h shows a
histogram; ? lists all keys; q quits. Only what is on the screen is read, so that files of any size
open at once. Compressed arrays are decompressed first: to memory, or to a temporary file if they
exceed 256 MiB.

Exit codes: 0 success, 2 trouble, 130 interrupted.
"#);
}

#[test]
fn explains_schema() {
    insta::assert_snapshot!(run(["schema", "--help"]).ok(), @r#"
Write the Rust struct, or the NumPy dtype, that reads a file

Usage: npy schema [OPTIONS] <FILE>

Arguments:
  <FILE>  A file, a member (FILE:MEMBER), or - for standard input

Options:
      --name <NAME>   The name of the struct; by default the name of the file
      --python        Write the dtype as NumPy's np.dtype takes it
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy schema picks.npy --name Pick      a struct with #[derive(NpyRecord)]
  npy schema run.npz --name Run         a struct with #[derive(NpzArchive)] for the whole archive
  npy schema run.npz:picks              the struct of one member
  npy schema picks.npy --python         np.dtype([('id', '<u4'), ...])

The code needs the crate npy-core with the feature derive, and for archives npy-ndarray with the
features derive and npz. Numbers of 16 bits and complex ones need the features half and complex.

Exit codes: 0 success, 2 trouble.
"#);
}

#[test]
fn explains_stats() {
    insta::assert_snapshot!(run(["stats", "--help"]).ok(), @r#"
Show the distribution of values: range, mean, quantiles, NaN, distinct values, histogram

Usage: npy stats [OPTIONS] <FILE>...

Arguments:
  <FILE>...  Files, members (FILE:MEMBER), directories, patterns, or - for standard input

Options:
      --json              Write one line of JSON for each array
      --threads <N>       Threads that read and compute; 0 is the number of processors
      --fields <FIELD,…>  Only these fields of records, such as time,at.x
      --bins <N>          Bins of the histogram [default: 40]
      --color <WHEN>      When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help              Print help

Examples:
  npy stats waves.npy                    one array
  npy stats run.npz:time                 one member
  npy stats run.npz                      every member
  npy stats picks.npy --fields time,at   two fields, and all below them
  npy stats --json data/                 one line of JSON for each array

NaN (NaT of times) is counted, and left out of everything else but the distinct values. The standard
deviation is that of the population, as np.std. Quantiles interpolate as np.quantile does. Long
doubles are rounded to 64 bits first. Complex numbers are ordered by their real part first, as in
NumPy.

A ~ marks approximate figures. Quantiles and the histogram are exact up to 1,048,576 values (fewer
in records of more than 16 fields). Beyond, they come from a sample of 524,288 values or more, one
of each stretch of the file: the rank of a quantile is off by less than 0.5 % of the values.
Distinct values are exact up to 16,384 (fewer in records of more than 64 fields); beyond, the
standard error is 1.1 %. Arrays of one or two bytes an item are always exact. The same file always
gives the same figures, whatever the number of threads.

Checksums of stored members are not checked; npy verify checks them.

Exit codes: 0 success, 2 an array cannot be read, or has Python objects; the others are shown.
"#);
}

#[cfg(feature = "plot")]
#[test]
fn explains_plot() {
    insta::assert_snapshot!(run(["plot", "--help"]).ok(), @"
Plot arrays, in the terminal or to an SVG or PNG file

Usage: npy plot [OPTIONS] <FILE> [SLICE]

Arguments:
  <FILE>
          A file, a member (FILE:MEMBER), or - for standard input

  [SLICE]
          What to plot of the array, as in npy show

Options:
  -o, --output <FILE>
          Write to a file that ends in .svg or .png

      --kind <KIND>
          What is drawn

          Possible values:
          - line:      A line for each column
          - image:     Pixels of an array with two axes, or of height × width × 1, 3 or 4
          - histogram: How often values occur
          - scatter:   Points with the coordinates of two fields

      --histogram
          Short for --kind histogram

      --field <NAME,…>
          The field of records, as in pose.x; of several each is a line

      --x <NAME>
          The field of a scatter plot that goes to the right

      --y <NAME>
          The field of a scatter plot that goes up

      --log <AXES>
          Logarithmic axes; values that are not positive are left out

          Possible values:
          - x:  The horizontal axis
          - y:  The vertical axis
          - xy: Both axes

      --bins <BINS>
          The number of bins of a histogram
          
          [default: 50]

      --clip <LOW,HIGH>
          The percentiles between which an image has colors
          
          [default: 1,99]

      --map <MAP>
          The colors of an image

          Possible values:
          - viridis
          - magma
          - inferno
          - plasma
          - cividis
          - turbo
          - gray
          - coolwarm: Blue over white to red
          
          [default: viridis]

      --size <WxH>
          The size in pixels, or in characters of the terminal

      --title <TITLE>
          The title; the name of the file by default

      --color <WHEN>
          When to use colors: auto, always or never; NO_COLOR turns them off too

  -h, --help
          Print help (see a summary with '-h')

Examples:
  npy plot trace.npy                               a line in the terminal
  npy plot travel_times.npy -o times.svg           an image with a color bar
  npy plot picks.npy waveform[0]                   a slice, as in npy show
  npy plot photo.npy -o photo.png                  height × width × 3 is an image in colors
  npy plot picks.npy --field origin.magnitude --histogram
  npy plot picks.npy --field latitude,longitude    a line for each field
  npy plot picks.npy --x longitude --y latitude -o map.png
  npy plot spectrum.npy --log xy                   with logarithmic axes

Without --kind the shape decides: one axis is a line, up to 8 columns that are longer are lines, two
axes are an image, and so are 3 and 4 channels. Arrays of any size are read in pieces. Lines keep
the least and the greatest value of each pixel, so that no spike is lost; images keep the mean.

Exit codes: 0 success, 2 trouble, 130 interrupted.
");
}

#[test]
fn explains_diff() {
    insta::assert_snapshot!(run(["diff", "--help"]).ok(), @r#"
Compare values: how many are different, the first of them, the largest errors

Usage: npy diff [OPTIONS] <A> <B>

Arguments:
  <A>  A file, a member (FILE:MEMBER), or - for standard input
  <B>  The same; errors are relative to it

Options:
      --rtol <R>          The relative tolerance [default: 0]
      --atol <A>          The absolute tolerance [default: 0]
      --equal-nan         NaN equals NaN, and NaT equals NaT
      --fields <FIELD,…>  Only these fields of records, such as time,at.x
      --json              Write one line of JSON
      --color <WHEN>      When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help              Print help

Examples:
  npy diff a.npy b.npy                      exactly
  npy diff a.npy b.npy --rtol 1e-7 --equal-nan   as numpy.testing.assert_allclose
  npy diff run.npz:time old.npz:time        one member of each
  npy diff run.npz old.npz                  the arrays of the same names; missing ones are
  differences

A value of A equals one of B if |a - b| <= atol + rtol * |b|, as in numpy.testing.assert_allclose,
with NumPy's promotion of different number types. Infinities are equal by their sign, zeros of both
signs are equal, and NaN (NaT of times) equals NaN with --equal-nan only. Integers are compared
exactly, where NumPy rounds them to 64-bit floats; long doubles are rounded to 64 bits. Text, times,
bytes and bools have no tolerance but that of numbers for bools. Fields of records are compared by
their names. The errors shown are the largest of the different values.

To see arrays in git diff:
  echo '*.npy diff=npy' >> .gitattributes
  git config diff.npy.textconv 'npy show --all'
With 'npy info' in its place only changes of dtype and shape are shown.

Exit codes: 0 equal: the same shape and fields, and all values equal; dtype, order and byte order
may be different and are shown. 1 different. 2 a file cannot be read or compared.
"#);
}

#[test]
fn explains_convert() {
    insta::assert_snapshot!(run(["convert", "--help"]).ok(), @r#"
Convert between .npy, .npz, .ra, CSV, JSON, safetensors and PNG

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

      --header
          Treat the first line of a CSV file as names

      --no-header
          Treat the first line of a CSV file as data

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

The formats are told by the extensions of the names. CSV has a line for each row of the first axis,
and a column for each field and for each element of further axes. The first line of a CSV input is a
header if no cell of it is a number, a bool or a date; --header, --no-header and a plain --dtype
override this. A conversion that would change a value is refused without --lossy, and the loss is
named. Text formats do not keep the shape and the dtype: --dtype gives it back, as npy schema
--python writes it. JSON has NaN as "NaN" and infinities as "Infinity". The output replaces an
existing file when it is complete.

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
      --prefix <PREFIX>  The beginning of the files' paths; by default that of FILE without its
                         extension
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
      --order <ORDER>       The order of the elements in the file
      --threads <N>         Threads that compress; by default one for each processor
      --color <WHEN>        When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help                Print help

Examples:
  npy repack run.npz --compress              deflate each member, in place of the old archive
  npy repack run.npz small.npz --compress=9  into another file
  npy repack run.npz --store --align         members that can be mapped, at multiples of 64 bytes
  npy repack a.npy --order C                 transpose the file of a Fortran array
  npy repack old.npy                         the header as current NumPy writes it

Values, names and members that are not arrays stay as they are. The file is replaced atomically. A
member that is transposed is held in memory.

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

An .npy file keeps its whole rows; bytes of an incomplete one are cut off. An archive keeps its
whole members. What is whole already is not changed.

Exit codes: 0 success, 2 trouble; the file is then untouched.
"#);
}

#[test]
fn explains_verify() {
    insta::assert_snapshot!(run(["verify", "--help"]).ok(), @"
Check files: structure, lengths, checksums of archives

Usage: npy verify [OPTIONS] <FILE>...

Arguments:
  <FILE>...  Files, members (FILE:MEMBER), directories, patterns, or - for standard input

Options:
      --json          Write one line of JSON for each file
      --threads <N>   Threads that read and compute; 0 is the number of processors
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy verify data/             all array files of a directory, at every depth
  npy verify run.npz           every member
  npy verify --json *.npz      one line of JSON for each file

An .npy file has no checksum: its header and its length are checked, and pickles are parsed (nothing
of them is run). Of an archive every member is read to its end, which checks its checksum; archives
in it are extracted to a temporary directory and checked too, up to 32 times the bytes of the file
or 1 GiB. Bytes after an array are reported. NumPy ignores them, so they are no damage.

A line is printed for each problem. Where a member is damaged, the good ones beside it are listed.

Exit codes: 0 nothing is damaged, 2 something is, or cannot be read.
");
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
