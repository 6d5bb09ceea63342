//! Commands that show and compare what is in files.

use crate::support::run;

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
  npy info log.npy#1             the second of several arrays, one behind another
  npy info --json picks.npy      one line of JSON for each file, for other programs

Mappable means that the bytes of the data are in the file as they are, so that np.load(...,
mmap_mode='r') works for an .npy file. Trailing bytes follow the array, and NumPy ignores them.

Exit codes: 0 success, 2 a file or a member is damaged; the others are shown.
"#);
}

#[test]
fn explains_show() {
    insta::assert_snapshot!(run(["show", "--help"]).ok(), @"
Print an array or a slice of it, as NumPy prints it

Usage: npy show [OPTIONS] <FILE> [SLICE]

Arguments:
  <FILE>   A file, a member (FILE:MEMBER), or - for standard input
  [SLICE]  What to show of the array

Options:
      --table                Show records as a table with aligned columns
      --json                 Write JSON: nested lists, records as objects
      --csv                  Write CSV: a line for each row, for records after a line of their names
      --head <N>             Show the first N rows
      --tail <N>             Show the last N rows
      --all                  Show all elements, which takes memory; --json and --csv do not
      --precision <N>        At most N digits after the point; the default is 8
      --opaque               Show objects of unknown classes without a note; nothing of them is run
      --encoding <ENCODING>  The encoding of Python 2's text in pickles: ascii, latin1 or bytes
      --width <N>            Characters in a line; the default is the width of the terminal, or
                             NumPy's 75
      --color <WHEN>         When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help                 Print help

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
");
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
      --exact         Types that are stored as exactly this dtype: text of a fixed width, Array0 for
                      numbers
      --python        Write the dtype as NumPy's np.dtype takes it
      --color <WHEN>  When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help          Print help

Examples:
  npy schema picks.npy --name Pick      a struct with #[derive(NpyRecord)]
  npy schema run.npz --name Run         a struct with #[derive(NpzArchive)] for the whole archive
  npy schema run.npz:picks              the struct of one member
  npy schema travel_times.npy           the array type of numbers, such as Array2<f64>
  npy schema picks.npy --python         np.dtype([('id', '<u4'), ...])

The code needs the crate npy-core with the feature derive, for arrays npy-ndarray, and for archives
its features derive and npz. Python objects need the feature object; records with objects need the
feature serde, and the crate serde with the feature derive. Numbers of 16 bits and complex ones need
the features half and complex.

Exit codes: 0 success, 2 trouble.
"#);
}

#[test]
fn explains_stats() {
    insta::assert_snapshot!(run(["stats", "--help"]).ok(), @"
Show the distribution of values: range, mean, quantiles, NaN, distinct values, histogram

Usage: npy stats [OPTIONS] <FILE>...

Arguments:
  <FILE>...  Files, members (FILE:MEMBER), directories, patterns, or - for standard input

Options:
      --json              Write one line of JSON for each array
      --threads <N>       Threads that read and compute; 0 is the number of processors
      --fields <FIELD,…>  Only these fields of records, such as time,at.x
      --bins <N>          Bins of the histogram; those of integers and times have as many whole
                          numbers each, and may be fewer [default: 40]
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
gives the same figures, whatever the number of threads. Of text of more than 65,536 bytes, min and
max are the beginning, with … behind it.

Checksums of stored members are not checked; npy verify checks them.

Python objects of one kind, such as text, numbers or dates, have the statistics of the dtype of
their values, and None is counted beside them. Of others the types are counted.

Exit codes: 0 success, 2 an array cannot be read; the others are shown.
");
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
    insta::assert_snapshot!(run(["diff", "--help"]).ok(), @"
Compare values: how many are different, the first of them, the largest errors

Usage: npy diff [OPTIONS] <A> <B>

Arguments:
  <A>  A file, a member (FILE:MEMBER), or - for standard input
  <B>  The same; errors are relative to it

Options:
      --rtol <R>          The relative tolerance [default: 0]
      --atol <A>          The absolute tolerance [default: 0]
      --equal-nan         NaN equals NaN, and NaT equals NaT, the default
      --no-equal-nan      NaN equals nothing, and neither does NaT, as in np.array_equal
      --fields <FIELD,…>  Only these fields of records, such as time,at.x
      --json              Write one line of JSON
      --color <WHEN>      When to use colors: auto, always or never; NO_COLOR turns them off too
  -h, --help              Print help

Examples:
  npy diff a.npy b.npy                      exactly
  npy diff a.npy b.npy --rtol 1e-7          as numpy.testing.assert_allclose
  npy diff run.npz:time old.npz:time        one member of each
  npy diff run.npz old.npz                  the arrays of the same names; missing ones are
  differences

Members of archives that are not arrays are compared by their bytes. Of files with several arrays,
one behind another, all are compared, each with that of its number.

A value of A equals one of B if |a - b| <= atol + rtol * |b|, as in numpy.testing.assert_allclose,
with NumPy's promotion of different number types. Infinities are equal by their sign, zeros of both
signs are equal, and NaN (NaT of times) equals NaN, unless --no-equal-nan is given. Integers are
compared exactly, with floats too, where NumPy rounds them to 64-bit floats; long doubles are
rounded to 64 bits. Points in time are compared as moments, whatever their units. Text, times, bytes
and bools have no tolerance but that of numbers for bools. Fields of records are compared by their
names, and Python objects by their values. The errors shown are the largest of the different values.

To see arrays in git diff:
  echo '*.npy diff=npy' >> .gitattributes
  git config diff.npy.textconv 'npy show --all'
With 'npy info' in its place only changes of dtype and shape are shown.

Exit codes: 0 equal: the same shape and fields, and all values equal; dtype, order and byte order
may be different and are shown. 1 different. 2 a file cannot be read or compared.
");
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
of them is run); of several arrays, one behind another, each is checked and named as in log.npy#1.
Of an archive every member is read to its end, which checks its checksum; archives in it are
extracted to a temporary directory and checked too, up to 32 times the bytes of the file or 1 GiB.
Bytes after an array are reported. NumPy ignores them, so they are not damage; neither are classes
that are not known, names of members that occur twice, and names that lead out of the directory of
the archive.

A line is printed for each problem and remark. Where a member is damaged, the good ones beside it
are listed.

Exit codes: 0 nothing is damaged, 2 something is, or cannot be read.
");
}
