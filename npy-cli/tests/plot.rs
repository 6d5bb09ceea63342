//! `npy plot`: pictures in files and as text.

use std::fs;
use std::path::Path;

use npy_core::{DynValues, Order};
use tempfile::{TempDir, tempdir};

use crate::support::{Files, command, example, run, run_with};

pub fn save(directory: &Path, dtype: &str, shape: &[usize], bytes: Vec<u8>) -> String {
    let path = directory.join("values.npy");
    DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes).unwrap().save(&path).unwrap();
    path.display().to_string()
}

pub fn floats(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Plots to a file in a new directory.
pub fn plot(arguments: &[&str], name: &str) -> (TempDir, Vec<u8>) {
    let directory = tempdir().unwrap();
    let path = directory.path().join(name);
    let output = path.display().to_string();
    let out = run([&["plot"], arguments, &["-o", &output]].concat()).ok();
    assert_eq!(out, "");
    let bytes = fs::read(path).unwrap();
    (directory, bytes)
}

pub fn svg(arguments: &[&str]) -> String {
    String::from_utf8(plot(arguments, "plot.svg").1).unwrap()
}

/// The pixels of a PNG file, and its width and height.
pub fn pixels(bytes: &[u8]) -> (Vec<[u8; 3]>, (u32, u32)) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (buffer.as_chunks::<3>().0.to_vec(), (info.width, info.height))
}

/// The image that an SVG file holds.
pub fn embedded(svg: &str) -> (Vec<[u8; 3]>, (u32, u32)) {
    let (_, rest) = svg.split_once("base64,").unwrap();
    let (text, _) = rest.split_once('"').unwrap();
    let digit =
        |byte: u8| b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".iter().position(|found| *found == byte);
    let bits: Vec<u32> = text.bytes().filter_map(digit).map(|digit| digit as u32).collect();
    let bytes: Vec<u8> = bits
        .chunks(4)
        .flat_map(|chunk| {
            let all = (0..4).fold(0, |all, index| all << 6 | chunk.get(index).copied().unwrap_or(0));
            [(all >> 16) as u8, (all >> 8) as u8, all as u8].into_iter().take(chunk.len() - 1)
        })
        .collect();
    pixels(&bytes)
}

#[test]
fn a_png_has_its_size_and_is_not_empty() {
    let (_directory, bytes) = plot(&[&example("travel_times.npy"), "--size", "320x200"], "plot.png");
    let (pixels, size) = pixels(&bytes);
    assert_eq!(size, (320, 200));
    let mut colors: Vec<[u8; 3]> = pixels;
    colors.sort_unstable();
    colors.dedup();
    assert!(colors.len() > 50, "{}", colors.len());
}

#[test]
fn a_spike_among_ten_million_points_stays() {
    let directory = tempdir().unwrap();
    let mut bytes = vec![0_u8; 10_000_000];
    bytes[6_543_210] = 200;
    let path = save(directory.path(), "|u1", &[10_000_000], bytes);
    let text = svg(&[&path, "--size", "400x300"]);
    let line = text.lines().find(|line| line.contains("stroke-width=\"1.3\"")).unwrap();
    let (_, points) = line.split_once("points=\"").unwrap();
    let heights: Vec<f64> =
        points.split('"').next().unwrap().split(' ').map(|point| point.split_once(',').unwrap().1.parse().unwrap()).collect();
    let (least, most) = heights.iter().fold((f64::MAX, f64::MIN), |(least, most), y| (least.min(*y), most.max(*y)));
    assert!(most - least > 180.0, "{least} {most}");
    assert!(heights.len() <= 800, "{} points for 400 pixels", heights.len());
    // And as text: in the column of the spike there are dots on all lines.
    let text = run(["plot", &path]).ok();
    let lit = text.lines().filter(|line| line.chars().any(|dot| ('\u{2801}'..='\u{28ff}').contains(&dot))).count();
    assert!(lit > 15, "{text}");
}

#[test]
fn svg_has_title_axes_and_a_line_for_each_column() {
    let directory = tempdir().unwrap();
    let numbers: Vec<f64> = (0..60).map(|index| f64::from(index) / 10.0).collect();
    let path = save(directory.path(), "<f8", &[20, 3], floats(&numbers));
    let text = svg(&[&path, "--title", "a<b>&\x1b"]);
    assert!(text.starts_with("<svg xmlns=") && text.ends_with("</svg>\n"));
    assert!(text.contains(">a&lt;b&gt;&amp;\u{fffd}</text>"), "{text}");
    assert!(text.contains(">index</text>"));
    assert_eq!(text.matches("stroke-width=\"1.3\"").count(), 3);
    // A title that is too long is cut, and texts stay inside the picture.
    let text = svg(&[&path, "--title", &"wide ".repeat(30), "--size", "200x150"]);
    assert!(text.contains("…</text>"), "{text}");
}

#[test]
fn fields_are_scattered_and_counted() {
    let picks = example("picks.npy");
    let text = svg(&[&picks, "--x", "longitude", "--y", "latitude"]);
    assert_eq!(text.matches("<circle").count(), 240);
    let text = svg(&[&picks, "--x", "origin.time", "--y", "origin.magnitude"]);
    assert!(text.contains(">2024-03-"), "{text}");
    let text = svg(&[&picks, "--field", "origin.magnitude", "--histogram", "--bins", "10"]);
    assert!(text.matches("<rect").count() > 4 && text.contains(">count</text>"));
    let message = run(["plot", &picks]).trouble();
    assert!(message.contains("expected --field, or --x and --y, with one of: id, latitude"), "{message}");
    assert!(message.contains(", origin.depth_km, "), "{message}");
    assert!(run(["plot", &picks, "origin.depth_km"]).ok().contains("depth_km"));
    let message = run(["plot", &picks, "--field", "station"]).trouble();
    assert!(message.contains("cannot plot dtype <U5"), "{message}");
    let message = run(["plot", &picks, "--field", "origin.nothing"]).trouble();
    assert!(message.contains("nothing"), "{message}");
}

/// The heights of the bars.
fn heights(svg: &str) -> Vec<f64> {
    let bar = |line: &&str| line.contains("<rect") && line.contains("#1f77b4");
    let height = |line: &str| line.split_once("height=\"").unwrap().1.split('"').next().unwrap().parse().unwrap();
    svg.lines().filter(bar).map(height).collect()
}

/// As many of each integer fill as many bars alike, also where `f64` has one number for 2,048 of them.
#[test]
fn a_histogram_of_large_integers_is_exact() {
    let directory = tempdir().unwrap();
    let bytes = |first: i128| (0..470).flat_map(|i| (first + i % 47).to_le_bytes()[..8].to_vec()).collect::<Vec<u8>>();
    for (dtype, first) in [
        ("<u8", i128::from(u64::MAX) - 46),
        ("<u8", 1 << 53),
        ("<i8", i128::from(i64::MIN)),
        ("<i8", -20),
        ("<M8[ns]", 1_700_000_000_000_000_001),
        ("<m8[ns]", i128::from(i64::MAX) - 46),
    ] {
        let path = save(directory.path(), dtype, &[470], bytes(first));
        for bins in ["47", "64"] {
            let text = svg(&[&path, "--histogram", "--bins", bins]);
            let heights = heights(&text);
            assert!(heights.len() == 47 && heights.iter().all(|height| height == &heights[0]), "{dtype} {first}: {heights:?}");
            let has_origin = text.contains(&format!("value - {first}<"));
            assert_eq!(has_origin, first.unsigned_abs() >= 1 << 53 && !dtype.contains('['), "{dtype} {first}");
        }
        run(["plot", &path, "--histogram"]).ok();
    }
}

#[test]
fn a_histogram_counts_integers_one_by_one() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "|u1", &[6], vec![1, 1, 1, 2, 4, 4]);
    let heights = heights(&svg(&[&path, "--histogram"]));
    assert_eq!(heights.len(), 3, "{heights:?}");
    assert!((heights[0] / heights[1] - 3.0).abs() < 0.01 && (heights[2] / heights[1] - 2.0).abs() < 0.01, "{heights:?}");
}

#[test]
fn nan_constant_and_extreme_data_are_drawn_and_empty_arrays_are_refused() {
    let directory = tempdir().unwrap();
    for numbers in
        [vec![f64::NAN, 1.0, f64::INFINITY, 2.0, 3.0], vec![5.0; 10], vec![f64::MIN, f64::MAX, 0.0], vec![1e300, 1e300], vec![7.0]]
    {
        let path = save(directory.path(), "<f8", &[numbers.len()], floats(&numbers));
        for kind in ["line", "histogram"] {
            let text = svg(&[&path, "--kind", kind]);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{numbers:?} {kind}: {text}");
            run(["plot", &path, "--kind", kind]).ok();
            plot(&[&path, "--kind", kind], "plot.png");
        }
    }
    let path = save(directory.path(), "<f8", &[30, 30], floats(&vec![2.5; 900]));
    plot(&[&path], "plot.png");
    let path = save(directory.path(), "<f8", &[3], floats(&[f64::NAN; 3]));
    assert!(run(["plot", &path]).trouble().contains("all values are NaN or infinite"));
    let path = save(directory.path(), "<f8", &[0, 5], vec![]);
    assert!(run(["plot", &path]).trouble().contains("the array is empty"));
    let path = save(directory.path(), "<c16", &[1], vec![0; 16]);
    assert!(run(["plot", &path]).trouble().contains("expected --abs, --real, --imag or --phase"));
}

#[test]
fn a_failed_plot_leaves_the_old_file() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "<f8", &[0], vec![]);
    let output = directory.path().join("plot.svg");
    fs::write(&output, "old").unwrap();
    run(["plot", &path, "-o", output.to_str().unwrap()]).trouble();
    assert_eq!(fs::read_to_string(&output).unwrap(), "old");
    let message = run(["plot", &path, "-o", "plot.gif"]).trouble();
    assert!(message.contains("expected a name that ends in .svg or .png"), "{message}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[test]
fn the_name_of_the_output_may_follow_its_option_at_once() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "<f8", &[2], floats(&[1.0, 2.0]));
    for option in ["-o", "-o=", "--output="] {
        let output = directory.path().join("plot.svg");
        run(["plot", &path, &format!("{option}{}", output.display())]).ok();
        fs::remove_file(output).unwrap();
    }
    let message = run(["plot", &path, "--", "-oplot.svg"]).trouble();
    assert!(message.contains("invalid slice \"-oplot.svg\""), "{message}");
}

#[test]
fn the_terminal_gets_colors_only_where_they_are_wanted() {
    let times = example("travel_times.npy");
    let plain = run(["plot", &times]).ok();
    assert!(!plain.contains('\x1b') && plain.contains('░'), "{plain}");
    let colored = run(["plot", &times, "--color", "always"]).ok();
    assert!(colored.contains("\x1b[0;38;5;") && colored.contains('▀'));
    let output = command(["plot", &times, "--color", "always"]).env("COLORTERM", "truecolor").output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains(";38;2;"));
    for columns in ["1", "20", "250"] {
        let output = command(["plot", &times]).env("COLUMNS", columns).output().unwrap();
        assert!(output.status.success());
    }
}

#[test]
fn a_slice_is_plotted() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "|u1", &[2, 3, 2], (0..12).map(|byte| byte * 20).collect());
    let (pixels, size) = embedded(&svg(&[&path, "[1, ::-1]", "--map", "gray", "--scale", "0%,100%"]));
    // 200 220, 160 180, 120 140 from the top.
    assert_eq!(size, (2, 3));
    assert!(pixels.windows(2).enumerate().all(|(place, pair)| (pair[0] < pair[1]) == (place % 2 == 0)), "{pixels:?}");
    let picks = example("picks.npy");
    let text = svg(&[&picks, "['waveform'][0]"]);
    assert_eq!(text.matches("stroke-width=\"1.3\"").count(), 3);
    assert_eq!(svg(&[&picks, "[:10]", "--x", "longitude", "--y", "latitude"]).matches("<circle").count(), 10);
    assert!(run(["plot", &picks, "[1000:]", "--field", "id"]).trouble().contains("empty"));
}

#[test]
fn standard_input_is_plotted() {
    let bytes = fs::read(example("travel_times.npy")).unwrap();
    let text = run_with(["plot", "-", "--histogram", "--size", "60x12"], &bytes).ok();
    assert_eq!(text.lines().count(), 12, "{text}");
    assert!(text.contains('█'));
}

/// The left ends and heights of what has a color, as the number in an attribute.
fn attribute(line: &str, name: &str) -> f64 {
    let (_, rest) = line.split_once(&format!(" {name}=\"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn logarithmic_axes_have_equal_ratios_at_equal_distances() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "<f8", &[4], floats(&[1.0, 10.0, 100.0, 1000.0]));
    let text = svg(&[&path, "--log", "y", "--kind", "line"]);
    let line = text.lines().find(|line| line.contains("stroke-width=\"1.3\"")).unwrap();
    let (_, points) = line.split_once("points=\"").unwrap();
    let heights: Vec<f64> =
        points.split('"').next().unwrap().split(' ').map(|point| point.split_once(',').unwrap().1.parse().unwrap()).collect();
    let steps: Vec<f64> = heights.windows(2).map(|pair| pair[0] - pair[1]).collect();
    assert!(steps[0] > 100.0 && steps.iter().all(|step| (step - steps[0]).abs() < 0.3), "{heights:?}");
    for tick in ["1", "10", "100", "1000"] {
        assert!(text.contains(&format!(">{tick}</text>")), "{text}");
    }
    // A bar for each decade, and one of the height of its logarithm.
    let numbers = [vec![1.0; 100], vec![30.0; 10], vec![1000.0]].concat();
    let path = save(directory.path(), "<f8", &[111], floats(&numbers));
    let text = svg(&[&path, "--histogram", "--log", "xy", "--bins", "3"]);
    let bars: Vec<&str> = text.lines().filter(|line| line.contains("<rect") && line.contains("#1f77b4")).collect();
    let heights: Vec<f64> = bars.iter().map(|bar| attribute(bar, "height")).collect();
    assert_eq!(heights.len(), 3, "{text}");
    assert!(((heights[0] - heights[1]) - (heights[1] - heights[2])).abs() < 0.3, "{heights:?}");
}

#[test]
fn logarithmic_axes_of_the_smallest_numbers_are_finite() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "<f8", &[2], floats(&[5e-324, 1e-323]));
    for arguments in [&["--histogram", "--log", "xy"][..], &["--log", "y"]] {
        let text = svg(&[&[&*path], arguments].concat());
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

#[test]
fn what_a_logarithmic_axis_does_not_have_is_left_out_and_counted() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "<f8", &[6], floats(&[1.0, -1.0, 0.0, f64::NAN, 100.0, 1000.0]));
    for (arguments, count) in [(&["--log", "y"][..], "2 values"), (&["--log", "xy"], "3 values"), (&["--log", "x"], "1 value")] {
        let result = run([&["plot", &path, "--kind", "line"], arguments].concat());
        let expected = format!("npy: {path}: left out {count}: a logarithmic axis has positive numbers only\n");
        assert_eq!((result.code, result.stderr), (Some(0), expected));
    }
    let result = run(["plot", &path, "--histogram", "--log", "x"]);
    assert!(result.stderr.contains("left out 2 values"), "{}", result.stderr);
    let pairs = floats(&[1.0, 1.0, 0.0, 1.0, 10.0, -3.0, 5.0, 5.0]);
    let records = save(directory.path(), "[('a', '<f8'), ('b', '<f8')]", &[4], pairs);
    let output = directory.path().join("scatter.svg").display().to_string();
    let result = run(["plot", &records, "--x", "a", "--y", "b", "--log", "xy", "-o", &output]);
    assert!(result.stderr.contains("left out 2 values"), "{}", result.stderr);
    assert_eq!(fs::read_to_string(output).unwrap().matches("<circle").count(), 2);

    let path = save(directory.path(), "<f8", &[2], floats(&[-1.0, 0.0]));
    let message = run(["plot", &path, "--log", "y"]).trouble();
    assert!(message.contains("no value is positive"), "{message}");
    let message = run(["plot", &example("picks.npy"), "--field", "origin.time", "--log", "y"]).trouble();
    assert!(message.contains("a logarithmic axis has no times"), "{message}");
    let message = run(["plot", &example("travel_times.npy"), "--log", "y"]).trouble();
    assert!(message.contains("an image has no logarithmic axes"), "{message}");
    let path = save(directory.path(), "<f8", &[1], floats(&[7.0]));
    assert!(run(["plot", &path, "--log", "x"]).trouble().contains("no value is positive"));
    for numbers in [vec![f64::from_bits(1), f64::from_bits(1), f64::MAX], vec![1e300, 1e300]] {
        let path = save(directory.path(), "<f8", &[numbers.len()], floats(&numbers));
        for kind in ["line", "histogram"] {
            let output = directory.path().join("extreme.svg").display().to_string();
            assert_eq!(run(["plot", &path, "--kind", kind, "--log", "xy", "-o", &output]).code, Some(0));
            let text = fs::read_to_string(output).unwrap();
            assert!(!text.contains("NaN") && !text.contains("inf"), "{numbers:?} {kind}: {text}");
            assert_eq!(run(["plot", &path, "--kind", kind, "--log", "xy"]).code, Some(0));
        }
    }
}

#[test]
fn several_lines_have_a_legend() {
    let picks = example("picks.npy");
    let text = svg(&[&picks, "--field", "latitude,origin.latitude", "--title", ""]);
    assert_eq!(text.matches("stroke-width=\"1.3\"").count(), 2);
    assert!(text.contains(">latitude</text>") && text.contains(">origin.latitude</text>"), "{text}");
    // A color beside each name.
    for color in ["#1f77b4", "#ff7f0e"] {
        assert!(text.lines().any(|line| line.contains("<rect") && line.contains(color)), "{color}: {text}");
    }
    let terminal = run(["plot", &picks, "--field", "latitude,origin.latitude", "--color", "always"]).ok();
    let last = terminal.lines().last().unwrap();
    assert!(last.contains("38;5;") && last.contains("━") && last.contains("origin.latitude"), "{terminal:?}");
    let narrow = run(["plot", &picks, "waveform[0]", "--size", "24x10"]).ok();
    assert_eq!(narrow.lines().last(), Some(" ━ row 0  2 more"), "{narrow}");
    assert!(!svg(&[&picks, "--field", "latitude"]).contains("column"));

    let directory = tempdir().unwrap();
    let path = save(directory.path(), "<f8", &[300, 64], floats(&vec![1.0; 300 * 64]));
    let text = svg(&[&path, "--kind", "line", "--size", "300x150"]);
    assert!(text.contains(">column 0</text>") && text.contains(" more</text>"), "{text}");
    plot(&[&path, "--kind", "line", "--size", "10x10"], "plot.png");

    let message = run(["plot", &picks, "--field", "latitude,waveform"]).trouble();
    assert!(message.contains("cannot plot field waveform of shape"), "{message}");
    let message = run(["plot", &picks, "--field", "latitude,longitude", "--histogram"]).trouble();
    assert!(message.contains("several fields or files are lines"), "{message}");
}

/// The points of each line of an SVG file.
fn lines(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let point = |text: &str| {
        let (x, y) = text.split_once(',').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    let points = |line: &str| line.split_once("points=\"").unwrap().1.split('"').next().unwrap().split(' ').map(point).collect();
    svg.lines().filter(|line| line.contains("stroke-width=\"1.3\"")).map(points).collect()
}

#[test]
fn lines_go_over_another_array_or_a_field() {
    let files = Files::new();
    let (x, y) = ([0.0, 1.0, 10.0, 10.0, 0.0], [1.0, 2.0, 3.0, 1.0, 1.0]);
    let archive = files.archive("run.npz", |archive| {
        archive.add_slice("t", &x).unwrap();
        archive.add_slice("y", &y).unwrap();
    });
    let (t, value) = (format!("{archive}:t"), format!("{archive}:y"));
    let over_array = svg(&[&value, "--x", &t, "--title", ""]);
    let points = &lines(&over_array)[0];
    // From point to point as they come, also to the left.
    let parts: Vec<f64> = points.iter().map(|point| (point.0 - points[0].0) / (points[2].0 - points[0].0)).collect();
    assert!(
        points.len() == 5 && (parts[1] - 0.1).abs() < 0.01 && (parts[3] - 1.0).abs() < 0.01 && parts[4].abs() < 0.01,
        "{parts:?}"
    );
    let pairs: Vec<f64> = x.iter().zip(y).flat_map(|(x, y)| [*x, y, -y]).collect();
    let records = files.array("r.npy", "[('t', '<f8'), ('a', '<f8'), ('b', '<f8')]", &[5], floats(&pairs));
    let over_field = svg(&[&records, "--x", "t", "--field", "a", "--title", ""]);
    let horizontal = |svg: &str| lines(svg)[0].iter().map(|point| point.0).collect::<Vec<_>>();
    assert_eq!(lines(&over_field)[0].len(), 5);
    assert!(over_field.contains(">t</text>") && over_array.contains("run.npz:t</text>"));
    assert_eq!(lines(&svg(&[&records, "--x", "t", "--y", "a", "--kind", "line"])).len(), 1);
    let several = svg(&[&records, "--x", "t", "--field", "a,b", "--title", ""]);
    assert_eq!(lines(&several).len(), 2);
    assert!(several.contains(">a</text>") && several.contains(">b</text>"));
    // The slice is that of x too, and standard input has fields.
    let sliced = svg(&[&value, "[:3]", "--x", &t]);
    assert_eq!(horizontal(&sliced).len(), 3);
    let words = ["plot", &value, "[:3]", "--x", "-:t", "-o", "-", "--to", "svg"];
    assert_eq!(horizontal(&run_with(words, &files.read("run.npz")).ok()), horizontal(&sliced));
    let piped = run_with(["plot", "-", "--x", "t", "--field", "a", "--size", "40x10"], &files.read("r.npy")).ok();
    assert!(piped.contains('⢸'), "{piped}");
    // Columns over an array as long as these.
    let grid = files.array("grid.npy", "<f8", &[5, 4], floats(&[1.0, 2.0, 3.0, 4.0].repeat(5)));
    assert_eq!(lines(&svg(&[&grid, "--x", &t])).len(), 4);
    assert_eq!(svg(&[&value, "--x", &t, "--kind", "scatter"]).matches("<circle").count(), 5);

    let trouble = |arguments: &[&str]| run([&["plot"], arguments].concat()).trouble();
    let message = trouble(&[&value, "[:3]", "--x", &records]);
    assert!(message.contains("cannot plot records"), "{message}");
    let message = trouble(&[&grid, "[:3]", "--x", &t]);
    assert!(message.contains("x and y of different lengths: expected 5 as in"), "{message}");
    let long = files.array("long.npy", "<f8", &[20], floats(&[1.0; 20]));
    let message = trouble(&[&long, "--x", &grid]);
    assert!(message.contains("cannot plot over values of shape (5, 4): expected one axis"), "{message}");
    assert!(trouble(&[&records, "--x", "u", "--field", "a"]).contains("unknown field \"u\""));
    assert!(trouble(&[&value, "--x", "t.npy"]).contains("cannot open the file"));
    assert!(trouble(&[&value, "--x", &t, "--histogram"]).contains("--x is for lines and scatter plots"));
    assert!(trouble(&[&value, "--kind", "scatter"]).contains("a scatter plot needs values of x"));
    let empty = files.array("empty.npy", "<f8", &[0], vec![]);
    assert!(trouble(&[&value, "[:0]", "--x", &t]).contains("empty"));
    assert!(trouble(&[&value, "--x", &empty]).contains("expected 0 as in"));
    let unknown = files.array("nan.npy", "<f8", &[5], floats(&[f64::NAN; 5]));
    assert!(trouble(&[&value, "--x", &unknown]).contains("nan.npy: there is nothing to plot"));
    let single = files.array("0.npy", "<f8", &[], floats(&[3.0]));
    plot(&[&single, "--x", &single], "plot.png");
}

#[test]
fn axes_of_times_have_ticks_of_the_calendar() {
    let files = Files::new();
    let times = |step: i64| (0..24).flat_map(|index| (1_700_000_000_000_000_001 + index * step).to_le_bytes()).collect::<Vec<u8>>();
    let y = files.array("y.npy", "<f8", &[24], floats(&[1.0; 24]));
    // Twelve hours, then nanoseconds, of which `f64` has none at this distance from 1970.
    for (step, ticks) in [
        (43_200_000_000_000, &[">2023-11-15</text>", ">2023-11-25</text>"][..]),
        (1_800_000_000_000, &[">2023-11-15T00:00</text>", ">02:00</text>"]),
        (1, &[">2023-11-14T22:13:20.000000005</text>", ">22:13:20.000000020</text>"]),
    ] {
        let x = files.array("x.npy", "<M8[ns]", &[24], times(step));
        let text = svg(&[&y, "--x", &x, "--size", "1000x400"]);
        let points = &lines(&text)[0];
        let steps: Vec<f64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(points.len() == 24 && steps.iter().all(|step| (step - steps[0]).abs() < 0.2), "{steps:?}");
        assert!(ticks.iter().all(|tick| text.contains(tick)), "{step}: {text}");
        // As values too, and counted.
        assert_eq!(lines(&svg(&[&x]))[0].len(), 24);
        svg(&[&x, "--histogram"]);
    }
    let nat = [i64::MIN, 5, i64::MIN, 70].map(i64::to_le_bytes).concat();
    let spans = files.array("spans.npy", "<m8[m]", &[4], nat);
    let text = svg(&[&spans, "--kind", "line"]);
    assert!(text.contains(">30 min</text>") && text.matches("<circle").count() == 2, "{text}");
    let never = files.array("never.npy", "<M8[s]", &[2], [i64::MIN; 2].map(i64::to_le_bytes).concat());
    assert!(run(["plot", &never]).trouble().contains("all values are NaN or infinite"));
    let message = run(["plot", &spans, &never]).trouble();
    assert!(message.contains("never.npy: an axis has times of one unit, or numbers: expected <m8[m], found <M8[s]"), "{message}");
}

#[test]
fn several_files_are_lines_with_a_legend() {
    let files = Files::new();
    let first = files.array("a.npy", "<f8", &[100], floats(&[1.0; 100]));
    let second = files.array("b.npy", "<f4", &[50, 2], vec![0; 400]);
    let text = svg(&[&first, &second]);
    assert_eq!(lines(&text).len(), 3);
    assert!(text.contains("a.npy</text>") && text.contains("b.npy column 1</text>"), "{text}");
    // A slice belongs to the files before it that have none.
    let text = svg(&[&first, &first, "[:30]", &second, "[:10, 0]"]);
    let lengths: Vec<usize> = lines(&text).iter().map(Vec::len).collect();
    assert_eq!(lengths, [30, 30, 10]);
    assert!(text.contains("a.npy [:30]</text>"), "{text}");
    let message = run(["plot", &first, "[:3]", "[0]"]).trouble();
    assert!(message.contains("[0]: unexpected slice: expected one after a file"), "{message}");
    // What has the name of a file is no field.
    for (missing, hint) in [("c.npy", "; did you mean \"a.npy\"?"), ("c.npz:x", ""), ("nowhere/c", "")] {
        let message = files.run(["plot", "a.npy", missing]).trouble();
        assert!(message.starts_with(&format!("npy: {missing}: cannot open the file: ")) && message.contains(hint), "{message}");
    }
    let message = run(["plot", &first, &second, "--histogram"]).trouble();
    assert!(message.contains("several fields or files are lines"), "{message}");
    let name = files.array("\u{1b}[31m.npy", "<f8", &[2], floats(&[1.0, 2.0]));
    let text = run(["plot", &first, &name]).ok();
    assert!(!text.contains('\x1b') && text.contains("\\x1b[31m.npy"), "{text}");
}

#[test]
fn complex_numbers_are_plotted_by_a_part() {
    let files = Files::new();
    let path = files.array("c.npy", "<c16", &[3], floats(&[3.0, 4.0, 0.0, -1.0, -2.0, 0.0]));
    let message = run(["plot", &path]).trouble();
    assert!(message.contains("cannot plot dtype <c16, which has two numbers in each: expected --abs, --real, --imag or --phase"));
    let heights = |option: &str| lines(&svg(&[&path, option]))[0].iter().map(|point| -point.1).collect::<Vec<f64>>();
    for (option, order) in [("--abs", [1, 2, 0]), ("--real", [2, 1, 0]), ("--imag", [1, 2, 0]), ("--phase", [1, 0, 2])] {
        let heights = heights(option);
        assert!(heights[order[0]] < heights[order[1]] && heights[order[1]] < heights[order[2]], "{option}: {heights:?}");
    }
    svg(&[&path, "--abs", "--histogram"]);
    let result = run(["plot", &path, "--abs", "--real"]);
    assert!(result.code == Some(2) && result.stderr.contains("cannot be used with"), "{}", result.stderr);
    let real = files.array("r.npy", "<f8", &[3], floats(&[1.0, 2.0, 3.0]));
    let message = run(["plot", &real, "--phase"]).trouble();
    assert!(message.contains("cannot take a part of dtype <f8: expected complex numbers"), "{message}");
    assert_eq!(lines(&svg(&[&path, "--abs", "--x", &real])).len(), 1);
}

#[test]
fn labels_grow_with_the_size_and_with_dpi() {
    let files = Files::new();
    let path = files.array("a.npy", "<f8", &[50], floats(&[1.0; 50]));
    let usual = svg(&[&path]);
    let large = svg(&[&path, "--size", "1600x1000"]);
    // The same picture in other units.
    assert!(large.contains("width=\"1600\" height=\"1000\" viewBox=\"0 0 800 500\""), "{large}");
    assert_eq!(usual.split_once('\n').unwrap().1, large.split_once('\n').unwrap().1);
    let (_directory, bytes) = plot(&[&path, "--dpi", "192"], "plot.png");
    let (found, size) = pixels(&bytes);
    assert_eq!(size, (1600, 1000));
    let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    assert_eq!(reader.info().pixel_dims.map(|dims| dims.xppu), Some(7559));
    let dark = |pixels: &[[u8; 3]]| pixels.iter().filter(|pixel| pixel[0] < 100).count();
    let (_directory, bytes) = plot(&[&path], "plot.png");
    let ratio = dark(&found) as f64 / dark(&pixels(&bytes).0) as f64;
    assert!(ratio > 3.5 && ratio < 4.8, "{ratio}");
    for wrong in ["1000000x1000000", "8193x10", "9x10", "10", "-1x5"] {
        let result = run(["plot", &path, &format!("--size={wrong}")]);
        assert!(result.code == Some(2) && result.stderr.contains("expected WxH, each from 10 to 8192"), "{}", result.stderr);
    }
    plot(&[&path, "--dpi", "960", "--size", "10x10"], "plot.png");
}

#[test]
fn standard_output_takes_pictures() {
    let files = Files::new();
    let path = files.array("a.npy", "<f8", &[3], floats(&[1.0, 2.0, 3.0]));
    let text = run(["plot", &path, "-o", "-", "--to", "svg"]).ok();
    assert_eq!(text, svg(&[&path]));
    let result = run(["plot", &path, "-o", "-", "--to", "png"]);
    assert_eq!(pixels(&result.bytes).1, (800, 500));
    let message = run(["plot", &path, "-o", "-"]).trouble();
    assert!(message.contains("expected a name that ends in .svg or .png, or --to svg or png"), "{message}");
    // What is no terminal gets no picture as an escape sequence.
    let output =
        command(["plot", &path, "--color", "always"]).env("TERM", "xterm-kitty").env("KITTY_WINDOW_ID", "1").output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stdout).contains("\x1b_G"));
}
