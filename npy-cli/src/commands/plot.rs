//! `npy plot`: arrays as pictures, in a file or in the terminal.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::escape;
use crate::failure::{Failure, Result};
use crate::filter;
use crate::formats;
use crate::input::source::Source;
use crate::output::{self, Content, Screen};
use crate::plot::options::{ColorMap, Kind, LogAxes, Options};
use crate::plot::terminal::{self, Colors};
use crate::plot::{self, Format, picture};
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
  npy plot spectrum.npy --log xy                   with logarithmic axes
  npy plot picks.npy --where 'id > 7' --field longitude -o some.svg

--where keeps the rows for which an expression is true, and SLICE is of these rows; npy show --help has the expressions.

Without --kind the shape decides: one axis is a line, up to 8 columns that are longer are lines, two axes are an image, \
and so are 3 and 4 channels. Arrays of any size are read in pieces. Lines keep the least and the greatest value of each \
pixel, so that no spike is lost; images keep the mean.

Exit codes: 0 success, 2 trouble, 130 interrupted.")]
pub(crate) struct Arguments {
    /// A file, a member (FILE:MEMBER), or - for standard input
    #[arg(value_name = "FILE")]
    file: OsString,

    /// What to plot of the array, as in npy show
    #[arg(value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<String>,

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
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', conflicts_with_all = ["x", "y"])]
    field: Vec<String>,

    /// The field of a scatter plot that goes to the right
    #[arg(long, value_name = "NAME", requires = "y")]
    x: Option<String>,

    /// The field of a scatter plot that goes up
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
    if arguments.x.is_some() && !matches!(arguments.kind, None | Some(Kind::Scatter))
        || arguments.x.is_some() && arguments.histogram
    {
        return Err(Failure::new("--x and --y are for --kind scatter"));
    }
    let mut slice = arguments.slice.as_deref().map(Slice::new).transpose()?;
    let _guard = signals::Guard::new();
    let rows = arguments.filter.rows()?;
    let mut input = formats::input_of_one(&arguments.file)?;
    let mut index = input.only_member()?;
    if let Some(path) = arguments.slice.as_deref().filter(|_| slice.is_some() && rows.is_none())
        && input.header(index)?.dtype().has_object()
    {
        input = formats::inside(input, path)?;
        (slice, index) = (None, input.only_member()?);
    }
    input.tell_of_further();
    input.keep(rows.as_ref());
    let mut source = Source::open(input, index)?;
    let size = match (arguments.size, format) {
        (Some(size), _) => size,
        (None, Some(_)) => (800, 500),
        (None, None) => (screen.width().max(24), (screen.width() / 4).clamp(10, 24)),
    };
    let options = Options {
        kind: if arguments.histogram { Some(Kind::Histogram) } else { arguments.kind },
        slice: slice.as_ref(),
        fields: &arguments.field,
        x: arguments.x.as_deref(),
        y: arguments.y.as_deref(),
        log: arguments.log.unwrap_or_default(),
        bins: usize::from(arguments.bins),
        clip: arguments.clip,
        map: arguments.map,
        title: arguments.title.clone().unwrap_or_else(|| title_of(arguments)),
        // Braille has 2 × 4 dots in a character.
        size: if format.is_some() { size } else { (size.0 * 2, size.1 * 4) },
    };
    let figure = plot::figure(&mut source, &options)?;
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

/// The name of the file without its directories, the slice and the field.
fn title_of(arguments: &Arguments) -> String {
    let file = Path::new(&arguments.file);
    let name = escape::path(file.file_name().unwrap_or(file.as_os_str())).into_owned();
    let rows = arguments.filter.text().map(|text| format!("where {text}"));
    let parts = [Some(name), rows, arguments.slice.clone(), Some(arguments.field.join(", "))];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
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
