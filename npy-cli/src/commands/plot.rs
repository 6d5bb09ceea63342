//! `npy plot`: arrays as pictures, in a file or in the terminal.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::colors::{ColorMap, Colors, Limit};
use crate::escape;
use crate::failure::{Failure, Result};
use crate::filter;
use crate::formats;
use crate::input::{expand_patterns, is_on_disk, member_beside};
use crate::output::{self, Content, Screen, ask};
use crate::plot::options::{Kind, LogAxes, Options};
use crate::plot::picture::{Paper, Protocol};
use crate::plot::terminal;
use crate::plot::{self, Data, Figure, Format, Horizontal, picture};
use crate::select::Slice;
use crate::signals;
use crate::values::quantity;
use crate::values::reals::Part;

/// Plot arrays, in the terminal or to an SVG or PNG file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy plot trace.npy                               a line in the terminal
  npy plot travel_times.npy -o times.svg           an image with a color bar
  npy plot picks.npy waveform[0]                   a slice, as in npy show
  npy plot photo.npy -o photo.png                  height × width × 3 is an image in colors
  npy plot photo.npy --kind montage --scale 0,255  several images in a grid
  npy plot picks.npy --field origin.magnitude --histogram
  npy plot picks.npy --field latitude,longitude    a line for each field
  npy plot picks.npy --x longitude --y latitude -o map.png
  npy plot run.npz:x --x run.npz:time              a line over the values of another array
  npy plot picks.npy --x time --field at.x,at.y    lines over a field
  npy plot day1.npy day2.npy '[:1000]'             several files in one figure, with a legend
  npy plot trace.npy -o - --to svg > trace.svg     to standard output
  npy plot spectrum.npy --log xy                   with logarithmic axes
  npy plot picks.npy --where 'id > 7' --field longitude -o some.svg

--where keeps the rows for which an expression is true, and SLICE is of these rows; npy show --help has the expressions.

Without --kind the shape decides: one axis is a line, up to 8 columns that are longer are lines, two axes are an image, \
and so are 3 and 4 channels after them or before them; of other three axes, and of four, the first is that of images in a grid. \
Images have the colors of the percentiles 1% to 99%, bools and channels of floats those of 0 to 1; NaN is gray or magenta. Arrays of any size are read in pieces. Lines keep the least and the greatest value of each \
pixel, so that no spike is lost; images keep the mean.

A slice belongs to the files before it that have none; an argument is a slice if it begins with [ or if there is no such file. \
Lines over x go from point to point in the order of the file.

Exit codes: 0 success, 2 trouble, 130 interrupted.")]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// What to plot of the array, as in npy show
    #[arg(value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<OsString>,

    /// Further files whose lines are drawn, and their slices
    #[arg(value_name = "FILE")]
    further: Vec<OsString>,

    #[command(flatten)]
    filter: filter::Argument,

    /// Write to a file that ends in .svg or .png, or with --to to any or to standard output (-)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of the output
    #[arg(long, value_name = "FORMAT", value_enum, requires = "output", hide_possible_values = true)]
    to: Option<Format>,

    /// What is drawn
    #[arg(long, value_enum)]
    kind: Option<Kind>,

    /// Short for --kind histogram
    #[arg(long, conflicts_with = "kind")]
    histogram: bool,

    /// The field of records, as in pose.x; of several each is a line
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', conflicts_with = "y")]
    field: Vec<String>,

    /// The values to the right: a field of the records, or another file or member, of which the same slice is taken if it
    /// has the same shape
    #[arg(long, value_name = "NAME|FILE")]
    x: Option<OsString>,

    /// The field of a scatter plot that goes up; of lines with --kind line
    #[arg(long, value_name = "NAME", requires = "x")]
    y: Option<String>,

    /// Logarithmic axes; values that are not positive are left out
    #[arg(long, value_name = "AXES", value_enum)]
    log: Option<LogAxes>,

    #[command(flatten)]
    parts: Parts,

    /// The number of bins of a histogram
    #[arg(long, default_value = "50", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    bins: u16,

    /// The numbers of an image that have colors of their own, or percentiles; 1%,99% by default, of channels 0 to white
    #[arg(long, value_name = "MIN,MAX", value_parser = Limit::parse_both, allow_hyphen_values = true)]
    scale: Option<[Limit; 2]>,

    /// The colors of an image
    #[arg(long, value_enum, default_value = "viridis")]
    map: ColorMap,

    /// The size in pixels, or in characters of the terminal. Beyond 800x500, labels and lines grow with it
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(usize, usize)>,

    /// The pixels of an inch, by which labels and lines grow, and so does the picture without --size; 96 is usual
    #[arg(long, value_name = "N", requires = "output", value_parser = clap::value_parser!(u16).range(24..=960))]
    dpi: Option<u16>,

    /// Draw with characters, also where the terminal shows pictures (kitty, ghostty, iTerm, WezTerm, and those that say they have sixel)
    #[arg(long, conflicts_with = "output")]
    text: bool,

    /// The title; the name of the file by default
    #[arg(long)]
    title: Option<String>,
}

/// The part of complex numbers that is plotted.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
#[expect(clippy::struct_excessive_bools, reason = "options of which one is there")]
struct Parts {
    /// The absolute values of complex numbers
    #[arg(long)]
    abs: bool,

    /// The real parts of complex numbers
    #[arg(long)]
    real: bool,

    /// The imaginary parts of complex numbers
    #[arg(long)]
    imag: bool,

    /// The angles of complex numbers, from -π to π
    #[arg(long)]
    phase: bool,
}

impl Parts {
    fn part(&self) -> Option<Part> {
        let parts = [(self.abs, Part::Abs), (self.real, Part::Real), (self.imag, Part::Imag), (self.phase, Part::Phase)];
        parts.into_iter().find(|(is_given, _)| *is_given).map(|(_, part)| part)
    }
}

/// Larger pictures take more memory than a picture should.
const MOST_PIXELS: usize = 8192;

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let format = arguments.output.as_deref().map(|path| arguments.to.map_or_else(|| format_of(path), Ok)).transpose()?;
    let _guard = signals::Guard::new();
    if let (Some(x), Some(y)) = (&arguments.x, &arguments.y)
        && let Some(member) = member_beside(&arguments.file, y.as_ref())
    {
        let hint = format!("write npy plot --kind scatter {} --x {}", escape::path(&member), escape::path(x));
        return Err(Failure::new(format!("{y}: expected a field as --y, found a member of the archive; {hint}")));
    }
    let (mut data, slices) = open(arguments)?;
    let slice = slices.first().and_then(Option::as_ref);
    let x = arguments.x.as_deref().map(|x| horizontal(x, &arguments.file, &data, slice)).transpose()?;
    if arguments.filter.is_given() && matches!(x, Some(Horizontal::Data(_))) {
        return Err(Failure::new("cannot keep rows of two files: expected a field as --x beside --where"));
    }
    let surface = Surface::of(arguments, format, screen);
    let figure = plot::figure(&mut data, x, &options(arguments, surface.dots()))?;
    if figure.left_out > 0 {
        let (file, count) = (escape::path(&arguments.file), quantity::count(figure.left_out));
        let values = if figure.left_out == 1 { "value" } else { "values" };
        output::warn(&format!("{file}: left out {count} {values}: a logarithmic axis has positive numbers only"));
    }
    if let Some(note) = &figure.note {
        output::warn(&format!("{}: {note}", escape::path(&arguments.file)));
    }
    surface.show(&figure, screen)?;
    Ok(0)
}

fn options(arguments: &Arguments, size: (usize, usize)) -> Options<'_> {
    let kind = arguments.kind.or_else(|| arguments.y.as_ref().map(|_| Kind::Scatter));
    Options {
        kind: if arguments.histogram { Some(Kind::Histogram) } else { kind },
        fields: arguments.y.as_ref().map_or(&arguments.field[..], std::slice::from_ref),
        log: arguments.log.unwrap_or_default(),
        bins: usize::from(arguments.bins),
        scale: arguments.scale,
        map: arguments.map,
        title: arguments.title.clone().unwrap_or_else(|| title_of(arguments)),
        size,
    }
}

/// Where a figure is shown.
enum Surface<'a> {
    File(&'a Path, Format, Paper),
    /// A terminal that shows pictures, in as many columns and lines.
    Picture(Protocol, Paper, (usize, usize)),
    /// As many columns and lines of characters.
    Text((usize, usize)),
}

impl<'a> Surface<'a> {
    fn of(arguments: &'a Arguments, format: Option<Format>, screen: &Screen) -> Self {
        if let (Some(path), Some(format)) = (&arguments.output, format) {
            let size = arguments.size.unwrap_or_else(|| usual_size(arguments.dpi.unwrap_or(USUAL_DPI)));
            return Self::File(path, format, Paper { size, scale: scale_of(size, arguments.dpi), dpi: arguments.dpi });
        }
        let usual = (screen.width().max(24), (screen.width() / 4).clamp(10, 24));
        let (columns, lines) = arguments.size.unwrap_or(usual);
        let shows_pictures = !arguments.text && screen.is_terminal() && screen.has_color();
        let of_terminal = || Protocol::of_terminal(|name| std::env::var(name).ok(), ask::attributes);
        let Some(protocol) = shows_pictures.then(of_terminal).flatten() else { return Self::Text((columns, lines)) };
        // Other protocols scale the picture to the characters.
        let cell = if protocol == Protocol::Sixel { ask::cell().unwrap_or(USUAL_CELL) } else { USUAL_CELL };
        let size = ((columns * cell.0).min(MOST_PIXELS), (lines * cell.1).min(MOST_PIXELS));
        Self::Picture(protocol, Paper { size, scale: cell.1 as f64 / USUAL_CELL.1 as f64, dpi: None }, (columns, lines))
    }

    /// The width and the height in dots.
    fn dots(&self) -> (usize, usize) {
        match self {
            Self::File(_, _, paper) | Self::Picture(_, paper, _) => paper.size,
            // Braille has 2 × 4 dots in a character.
            Self::Text((columns, lines)) => (columns * 2, lines * 4),
        }
    }

    fn show(self, figure: &Figure, screen: &mut Screen) -> Result<()> {
        match self {
            Self::File(path, format, paper) => {
                let bytes = picture::render(figure, format, paper)?;
                let content = if format == Format::Svg { Content::Text } else { Content::Binary };
                output::replace(path, content, |out| Ok(out.write_all(&bytes)?))
            }
            Self::Picture(protocol, paper, characters) => screen.picture(&picture::inline(figure, protocol, paper, characters)?),
            Self::Text((columns, lines)) => {
                let character = |length: usize| u16::try_from(length.min(1000)).unwrap_or(u16::MAX);
                let colors = Colors::of_terminal(screen.has_color());
                let text = terminal::text(figure, character(columns), character(lines), colors);
                Ok(screen.write_all(text.as_bytes())?)
            }
        }
    }
}

/// The pixels of a character where the terminal does not tell them, as those of the VT340.
const USUAL_CELL: (usize, usize) = (10, 20);

/// The pixels of an inch at which a picture has its usual size.
const USUAL_DPI: u16 = 96;

const USUAL_SIZE: (usize, usize) = (800, 500);

fn usual_size(dpi: u16) -> (usize, usize) {
    let grown = |length: usize| length * usize::from(dpi) / usize::from(USUAL_DPI);
    (grown(USUAL_SIZE.0).min(MOST_PIXELS), grown(USUAL_SIZE.1).min(MOST_PIXELS))
}

/// The pixels of a unit of the layout.
fn scale_of((width, height): (usize, usize), dpi: Option<u16>) -> f64 {
    match dpi {
        Some(dpi) => f64::from(dpi) / f64::from(USUAL_DPI),
        None => (width as f64 / USUAL_SIZE.0 as f64).min(height as f64 / USUAL_SIZE.1 as f64).max(1.0),
    }
}

/// Opens the arrays to plot, each with the slice of it.
fn open(arguments: &Arguments) -> Result<(Vec<Data>, Vec<Option<Slice>>)> {
    let mut files = vec![&*arguments.file];
    let mut slices: Vec<Option<&str>> = Vec::new();
    for text in arguments.slice.iter().chain(&arguments.further) {
        if is_file(text) || is_named_as_file(text) {
            files.push(text);
            continue;
        }
        let path = || Failure::new(format!("{}: cannot open the file: it does not exist", escape::path(text)));
        let slice = text.to_str().ok_or_else(path)?;
        if slices.len() == files.len() {
            return Err(Failure::new(format!("{slice}: unexpected slice: expected one after a file; --field takes several")));
        }
        slices.resize(files.len(), Some(slice));
    }
    slices.resize(files.len(), None);
    let slices: Vec<Option<Slice>> = slices.into_iter().map(|slice| slice.map(Slice::new).transpose()).collect::<Result<_>>()?;
    let (rows, part) = (arguments.filter.rows()?, arguments.parts.part());
    let mut data = Vec::new();
    for (file, slice) in files.into_iter().zip(&slices) {
        for file in expand_patterns(&[file.to_owned()])? {
            data.push(Data::open(&file, slice.as_ref(), rows.as_ref())?.of_part(part));
        }
    }
    Ok((data, slices))
}

/// Whether an argument is a file or a part of one, rather than a slice or a field.
fn is_file(text: &OsStr) -> bool {
    !text.as_encoded_bytes().starts_with(b"[") && is_on_disk(text)
}

/// Whether an argument can be nothing but a file, also where there is none: it has directories, or the extension of a format.
fn is_named_as_file(text: &OsStr) -> bool {
    let text = text.to_string_lossy();
    let path = text.split(':').next().unwrap_or_default();
    !text.starts_with('[') && (path.contains('/') || formats::of_extension(Path::new(path)).is_some())
}

/// The values of the horizontal axis: a field of records, or else a file, or a member of the archive that the first file is.
fn horizontal(text: &OsStr, file: &OsStr, data: &[Data], slice: Option<&Slice>) -> Result<Horizontal> {
    let first = data.first();
    if let (Some(field), true) = (text.to_str(), first.is_some_and(Data::has_fields) && !is_file(text)) {
        return Ok(Horizontal::Field(field.to_owned()));
    }
    // A misspelt file is an error, not the member of its stem.
    let is_file = is_file(text) || formats::of_extension(Path::new(text)).is_some();
    let member = if is_file { None } else { member_beside(file, text) };
    let x = Data::open(member.as_deref().unwrap_or(text), None, None)?;
    let is_alike = first.is_some_and(|first| first.file_shape() == x.file_shape());
    let x = match slice.filter(|_| is_alike) {
        Some(slice) => x.with_slice(slice)?,
        None => x,
    };
    Ok(Horizontal::Data(Box::new(x)))
}

fn format_of(path: &Path) -> Result<Format> {
    match path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => Err(Failure::new(format!(
            "{}: unknown format of pictures: expected a name that ends in .svg or .png, or --to svg or png",
            escape::path(path)
        ))),
    }
}

/// The name of the file without its directories, the slice and the field. The legend names several files.
fn title_of(arguments: &Arguments) -> String {
    let file = Path::new(&arguments.file);
    let name = escape::path(file.file_name().unwrap_or(file.as_os_str())).into_owned();
    let rest: Vec<&OsString> = arguments.slice.iter().chain(&arguments.further).collect();
    let is_one = rest.iter().all(|text| !is_file(text));
    let slices = rest.into_iter().map(|text| escape::path(text).into_owned());
    let rows = arguments.filter.text().map(|text| format!("where {text}"));
    let names = std::iter::once(name).filter(|_| is_one).chain(rows);
    let mut parts: Vec<String> = names.chain(slices.filter(|_| is_one)).collect();
    parts.push(arguments.field.join(", "));
    parts.retain(|part| !part.is_empty());
    escape::line(&parts.join(" ")).into_owned()
}

fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let in_range = |length: usize| (10..=MOST_PIXELS).contains(&length);
    numbers
        .filter(|(width, height)| in_range(*width) && in_range(*height))
        .ok_or_else(|| format!("expected WxH, each from 10 to {MOST_PIXELS}"))
}
