//! `npy plot`: arrays as pictures, in a file or in the terminal.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::filter;
use crate::input::path_of;
use crate::output::{self, Content, Screen};
use crate::plot::options::{ColorMap, Kind, LogAxes, Options};
use crate::plot::terminal::{self, Colors};
use crate::plot::{self, Data, Format, Horizontal, picture};
use crate::select::Slice;
use crate::signals;
use crate::values::quantity;

/// Plot arrays, in the terminal or to an SVG or PNG file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  npy plot trace.npy                               a line in the terminal
  npy plot travel_times.npy -o times.svg           an image with a color bar
  npy plot picks.npy waveform[0]                   a slice, as in npy show
  npy plot photo.npy -o photo.png                  height × width × 3 is an image in colors
  npy plot picks.npy --field origin.magnitude --histogram
  npy plot picks.npy --field latitude,longitude    a line for each field
  npy plot picks.npy --x longitude --y latitude -o map.png
  npy plot run.npz:x --x run.npz:time              a line over the values of another array
  npy plot picks.npy --x time --field at.x,at.y    lines over a field
  npy plot day1.npy day2.npy '[:1000]'             several files in one figure, with a legend
  npy plot spectrum.npy --log xy                   with logarithmic axes
  npy plot picks.npy --where 'id > 7' --field longitude -o some.svg

--where keeps the rows for which an expression is true, and SLICE is of these rows; npy show --help has the expressions.

Without --kind the shape decides: one axis is a line, up to 8 columns that are longer are lines, two axes are an image, \
and so are 3 and 4 channels. Arrays of any size are read in pieces. Lines keep the least and the greatest value of each \
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

    /// Write to a file that ends in .svg or .png
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

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

    /// The number of bins of a histogram
    #[arg(long, default_value = "50", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    bins: u16,

    /// The percentiles between which an image has colors
    #[arg(long, value_name = "LOW,HIGH", default_value = "1,99", value_parser = parse_clip)]
    clip: (f64, f64),

    /// The colors of an image
    #[arg(long, value_enum, default_value = "viridis")]
    map: ColorMap,

    /// The size in pixels, or in characters of the terminal
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size: Option<(usize, usize)>,

    /// The title; the name of the file by default
    #[arg(long)]
    title: Option<String>,
}

/// Larger pictures take more memory than a picture should.
const MOST_PIXELS: usize = 8192;

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<u8> {
    let format = arguments.output.as_deref().map(format_of).transpose()?;
    let _guard = signals::Guard::new();
    let (mut data, slices) = open(arguments)?;
    let x = arguments.x.as_deref().map(|x| horizontal(x, &data, slices.first().and_then(Option::as_ref))).transpose()?;
    if arguments.filter.is_given() && matches!(x, Some(Horizontal::Data(_))) {
        return Err(Failure::new("cannot keep rows of two files: expected a field as --x beside --where"));
    }
    let size = match (arguments.size, format) {
        (Some(size), _) => size,
        (None, Some(_)) => (800, 500),
        (None, None) => (screen.width().max(24), (screen.width() / 4).clamp(10, 24)),
    };
    let fields = arguments.y.as_ref().map_or(&arguments.field[..], std::slice::from_ref);
    let kind = arguments.kind.or_else(|| arguments.y.as_ref().map(|_| Kind::Scatter));
    let options = Options {
        kind: if arguments.histogram { Some(Kind::Histogram) } else { kind },
        fields,
        log: arguments.log.unwrap_or_default(),
        bins: usize::from(arguments.bins),
        clip: arguments.clip,
        map: arguments.map,
        title: arguments.title.clone().unwrap_or_else(|| title_of(arguments)),
        // Braille has 2 × 4 dots in a character.
        size: if format.is_some() { size } else { (size.0 * 2, size.1 * 4) },
    };
    let figure = plot::figure(&mut data, x, &options)?;
    if figure.left_out > 0 {
        let (file, count) = (escape::path(&arguments.file), quantity::count(figure.left_out));
        let values = if figure.left_out == 1 { "value" } else { "values" };
        output::warn(&format!("{file}: left out {count} {values}: a logarithmic axis has positive numbers only"));
    }
    match (&arguments.output, format) {
        (Some(path), Some(format)) => {
            let bytes = picture::render(&figure, format, size)?;
            output::replace(path, Content::Binary, |out| Ok(out.write_all(&bytes)?))?;
        }
        _ => {
            let character = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
            let text = terminal::text(&figure, character(size.0.min(1000)), character(size.1.min(1000)), colors(screen));
            screen.write_all(text.as_bytes())?;
        }
    }
    Ok(0)
}

/// Opens the arrays to plot, each with the slice of it.
fn open(arguments: &Arguments) -> Result<(Vec<Data>, Vec<Option<Slice>>)> {
    let mut files = vec![&*arguments.file];
    let mut slices: Vec<Option<&str>> = Vec::new();
    for text in arguments.slice.iter().chain(&arguments.further) {
        if is_file(text) {
            files.push(text);
            continue;
        }
        let path = || Failure::new(format!("{}: cannot open the file: it does not exist", escape::path(text)));
        let slice = text.to_str().ok_or_else(path)?;
        if slices.len() == files.len() {
            return Err(Failure::new(format!("{slice}: unexpected slice: expected one after a file")));
        }
        slices.resize(files.len(), Some(slice));
    }
    slices.resize(files.len(), None);
    let slices: Vec<Option<Slice>> = slices.into_iter().map(|slice| slice.map(Slice::new).transpose()).collect::<Result<_>>()?;
    let rows = arguments.filter.rows()?;
    let open = |(file, slice): (&OsStr, &Option<Slice>)| Data::open(file, slice.as_ref(), rows.as_ref());
    let data = files.into_iter().zip(&slices).map(open).collect::<Result<_>>()?;
    Ok((data, slices))
}

/// Whether an argument is a file or a part of one, rather than a slice or a field.
fn is_file(text: &OsStr) -> bool {
    !text.as_encoded_bytes().starts_with(b"[") && Path::new(path_of(text)).is_file()
}

/// The values of the horizontal axis: a field of records, unless there is only a file of the name.
fn horizontal(text: &OsStr, data: &[Data], slice: Option<&Slice>) -> Result<Horizontal> {
    let first = data.first();
    if let (Some(field), true) = (text.to_str(), first.is_some_and(Data::has_fields) && !is_file(text)) {
        return Ok(Horizontal::Field(field.to_owned()));
    }
    let x = Data::open(text, None, None)?;
    let is_alike = first.is_some_and(|first| first.file_shape() == x.file_shape());
    let x = if slice.is_some() && is_alike { Data::open(text, slice, None)? } else { x };
    Ok(Horizontal::Data(Box::new(x)))
}

/// The colors of the terminal, by its environment.
fn colors(screen: &Screen) -> Colors {
    let is_true = std::env::var("COLORTERM").is_ok_and(|value| value.contains("truecolor") || value.contains("24bit"));
    match (screen.has_color(), is_true) {
        (false, _) => Colors::None,
        (true, false) => Colors::Indexed,
        (true, true) => Colors::True,
    }
}

fn format_of(path: &Path) -> Result<Format> {
    match path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => Err(Failure::new(format!(
            "{}: unknown format of pictures: expected a name that ends in .svg or .png",
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

fn parse_clip(text: &str) -> Result<(f64, f64), String> {
    let numbers =
        text.split_once(',').and_then(|(low, high)| Some((low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?)));
    let is_range = |(low, high): &(f64, f64)| 0.0 <= *low && low <= high && *high <= 100.0;
    numbers.filter(is_range).ok_or_else(|| "expected two percentiles from 0 to 100, as in 1,99".to_owned())
}
