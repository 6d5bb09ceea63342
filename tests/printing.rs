//! Arrays as text, compared with what NumPy prints of them.

mod support;

use npy_core::DynValues;
use npy_core::print::{FloatMode, PrintOptions, Sign};
use support::announce;
use support::numpy::{frames, numpy};

/// How many random arrays NumPy prints with its default options, and how many with random ones.
const PLAIN: usize = 3_000;
const WITH_OPTIONS: usize = 1_500;

#[test]
fn random_arrays_are_printed_as_numpy_does() {
    let Some(numpy) = numpy("random_arrays_are_printed_as_numpy_does") else { return };
    let stream = numpy.run(["printing.py", "20261121", &PLAIN.to_string(), &WITH_OPTIONS.to_string()], b"");
    let frames = frames(&stream);
    let (version, cases) = frames.split_first().unwrap();
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for case in cases.chunks_exact(4) {
        let [name, options, file, expected] = case.try_into().unwrap();
        let (name, expected) = (text(name), text(expected));
        let values = DynValues::read(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = values.display_with(&options_of(text(options))).to_string();
        counts.count(&values, expected);
        if printed != expected {
            let about = format!("{name}: {} {:?} {:?}", values.dtype(), values.shape(), text(options));
            differences.push(format!("{about}\n{}", first_difference(&printed, expected)));
        }
    }
    announce(&format!("arrays printed by NumPy {}: {counts:?}", text(version)));
    let shown = differences.iter().take(8).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {} differ:\n{shown}", differences.len(), counts.arrays);
    assert_eq!(counts.arrays, PLAIN + WITH_OPTIONS);
    assert!(
        [counts.scalars, counts.records, counts.summarised, counts.with_exponents, counts.wrapped].iter().all(|&count| count > 50)
    );
}

/// The first lines of two texts that differ.
fn first_difference(ours: &str, theirs: &str) -> String {
    let ends = [ours.lines().count(), theirs.lines().count()];
    let mut lines = ours.lines().zip(theirs.lines()).enumerate();
    match lines.find(|(_, (ours, theirs))| ours != theirs) {
        Some((number, (ours, theirs))) => format!("line {number} is\n{ours}\ninstead of\n{theirs}\n"),
        None => format!("{ends:?} lines"),
    }
}

#[derive(Debug, Default)]
struct Counts {
    arrays: usize,
    scalars: usize,
    records: usize,
    summarised: usize,
    with_exponents: usize,
    wrapped: usize,
}

impl Counts {
    fn count(&mut self, values: &DynValues, printed: &str) {
        self.arrays += 1;
        self.scalars += usize::from(values.shape().is_empty());
        self.records += usize::from(matches!(values.dtype(), npy_core::DType::Record(_)));
        self.summarised += usize::from(printed.contains("..."));
        self.with_exponents += usize::from(printed.contains("e+") || printed.contains("e-"));
        self.wrapped += usize::from(values.shape().len() == 1 && printed.contains('\n'));
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The options with NumPy's names.
fn options_of(text: &str) -> PrintOptions {
    let pairs = text.split('\x1f').filter_map(|pair| pair.split_once('='));
    pairs.fold(PrintOptions::new(), |options, (key, value)| match (key, value) {
        ("precision", value) => options.precision(value.parse().unwrap()),
        ("threshold", value) => options.threshold(value.parse().unwrap()),
        ("edgeitems", value) => options.edge_items(value.parse().unwrap()),
        ("linewidth", value) => options.line_width(value.parse().unwrap()),
        ("suppress", value) => options.suppress_small(value == "True"),
        ("floatmode", "fixed") => options.float_mode(FloatMode::Fixed),
        ("floatmode", "unique") => options.float_mode(FloatMode::Unique),
        ("floatmode", "maxprec") => options.float_mode(FloatMode::AtMost),
        ("floatmode", "maxprec_equal") => options.float_mode(FloatMode::EqualAtMost),
        ("sign", "-") => options.sign(Sign::Negative),
        ("sign", "+") => options.sign(Sign::Always),
        ("sign", " ") => options.sign(Sign::Blank),
        ("nanstr", value) => options.nan(value),
        ("infstr", value) => options.infinity(value),
        other => panic!("{other:?}"),
    })
}
