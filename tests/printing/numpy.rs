//! Printed arrays, compared with the output of NumPy.

use std::collections::BTreeSet;
use std::{env, fs};

use npy_core::DynValues;
use npy_core::object::{self, ObjectArray, PyObject};
use npy_core::print::{FloatMode, PrintOptions, Sign};
use npy_ndarray::DynArray;

use crate::support::numpy::{frames, numpy, push_frame};
use crate::support::{announce, data, rounds};

/// How many random arrays NumPy prints with its default options, how many with random ones, and how
/// many with objects; and how many floats of each width, unless `NPY_FLOATS` says otherwise.
const PLAIN: usize = 150;
const WITH_OPTIONS: usize = 80;
const WITH_OBJECTS: usize = 70;
const FLOATS: usize = 2_000;

#[test]
fn random_arrays_are_printed_as_numpy_does() {
    let Some(numpy) = numpy("random_arrays_are_printed_as_numpy_does") else { return };
    let (plain, with_options) = (rounds(PLAIN), rounds(WITH_OPTIONS));
    let stream = numpy.run(["printing.py", "random", "20261121", &plain.to_string(), &with_options.to_string()], b"");
    let frames = frames(&stream);
    let Some((version, cases)) = current(&frames) else { return };
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for case in cases.chunks_exact(5) {
        let [name, options, file, expected, repr] = case.try_into().unwrap();
        let (name, expected) = (text(name), text(expected));
        let values = DynValues::read(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let options_given = options_of(text(options));
        let printed = values.display_with(&options_given).to_string();
        let array = DynArray::from_values(values.clone()).unwrap();
        assert_eq!(array.display_with(&options_given).to_string(), printed, "{name}");
        counts.count(&values, expected);
        let about = format!("{name}: {} {:?} {:?}", values.dtype(), values.shape(), text(options));
        if printed != expected {
            differences.push(format!("{about}\n{}", first_difference(&printed, expected)));
        }
        // The options are for `str` alone.
        let printed = PyObject::from(values).to_string();
        if options.is_empty() && printed != text(repr) {
            differences.push(format!("{about}\n{}", first_difference(&printed, text(repr))));
        }
    }
    announce(&format!("arrays printed by NumPy {version}: {counts:?}"));
    let shown = differences.iter().take(8).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {} differ:\n{shown}", differences.len(), counts.arrays);
    assert_eq!(counts.arrays, plain + with_options);
    assert!(
        [counts.scalars, counts.records, counts.summarised, counts.with_exponents, counts.wrapped]
            .iter()
            .all(|&count| count > rounds(5))
    );
}

#[test]
fn random_floats_are_printed_as_numpy_does() {
    let Some(numpy) = numpy("random_floats_are_printed_as_numpy_does") else { return };
    let floats = env::var("NPY_FLOATS").map_or_else(|_| rounds(FLOATS), |floats| floats.parse().unwrap());
    let stream = numpy.run(["printing.py", "floats", "20261123", &floats.to_string()], b"");
    let frames = frames(&stream);
    let Some((version, cases)) = current(&frames) else { return };
    let mut count = 0;
    for case in cases.chunks_exact(6) {
        let [name, options, file, expected, _, alone] = case.try_into().unwrap();
        let values = DynValues::read(file).unwrap();
        let about = format!("{}: {} {:?}", text(name), values.dtype(), text(options));
        let printed = values.display_with(options_of(text(options))).to_string();
        assert!(printed == text(expected), "{about}\n{}", first_difference(&printed, text(expected)));
        for (bytes, expected) in values.bytes().chunks_exact(values.dtype().itemsize()).zip(text(alone).lines()) {
            let alone = DynValues::new(values.dtype().clone(), values.order(), &[], bytes.to_vec()).unwrap();
            assert_eq!(alone.to_string(), expected, "{about}");
            count += 1;
        }
    }
    announce(&format!("floats printed by NumPy {version}: {count}"));
    assert_eq!(count, 4 * floats);
}

#[test]
fn prints_random_objects_and_records_of_them_as_numpy() {
    let Some(numpy) = numpy("prints_random_objects_and_records_of_them_as_numpy") else { return };
    let stream = numpy.run(["printing.py", "records", "20261122", &rounds(WITH_OBJECTS).to_string()], b"");
    let frames = frames(&stream);
    let Some((version, cases)) = current(&frames) else { return };
    let (mut counts, mut differences) = ([0; 3], Vec::new());
    for case in cases.chunks_exact(5) {
        let [name, options, file, str, repr] = case.try_into().unwrap();
        let (name, options_given) = (text(name), options_of(text(options)));
        let array = object::read(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let about = format!("{name}: {} {:?} {:?}", array.dtype(), array.shape(), text(options));
        let is_record = matches!(array.dtype(), npy_core::DType::Record(_));
        counts[usize::from(is_record) + usize::from(is_record && array.shape().is_empty())] += 1;
        let printed = array.display_with(&options_given).to_string();
        assert_eq!(DynArray::from(array.clone()).display_with(&options_given).to_string(), printed, "{name}");
        if printed != text(str) {
            differences.push(format!("str of {about}\n{}", first_difference(&printed, text(str))));
        }
        let printed = PyObject::from(array).to_string();
        if options.is_empty() && printed != text(repr) {
            differences.push(format!("repr of {about}\n{}", first_difference(&printed, text(repr))));
        }
    }
    announce(&format!("printed by NumPy {version}: {counts:?} arrays of objects, of records with them, and single such records"));
    let shown = differences.iter().take(8).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {} differ:\n{shown}", differences.len(), cases.len() / 5);
    assert_eq!(counts.iter().sum::<usize>(), rounds(WITH_OBJECTS));
    assert!(counts.iter().all(|&count| count > rounds(3)));
}

#[test]
fn files_of_every_numpy_are_printed_as_a_current_one_does() {
    let Some(numpy) = numpy("files_of_every_numpy_are_printed_as_a_current_one_does") else { return };
    let manifest = fs::read_to_string(data("manifest.tsv")).unwrap();
    let names: Vec<&str> = manifest.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    let files: Vec<Vec<u8>> = names.iter().map(|name| fs::read(data(name)).unwrap()).collect();
    let mut input = Vec::new();
    files.iter().for_each(|file| push_frame(&mut input, file));
    let stream = numpy.run(["printing.py", "files"], &input);
    let frames = frames(&stream);
    let Some((version, expected)) = current(&frames) else { return };
    assert_eq!(expected.len(), files.len());
    let (mut compared, mut unprinted) = (0, BTreeSet::new());
    for ((name, file), expected) in names.iter().zip(&files).zip(expected) {
        match DynValues::read(&file[..]) {
            Ok(values) if !expected.is_empty() => {
                let printed = values.to_string();
                assert!(printed == text(expected), "{name}: {}\n{}", values.dtype(), first_difference(&printed, text(expected)));
                compared += 1;
            }
            Ok(values) => {
                assert!(!values.to_string().is_empty() || values.shape().is_empty(), "{name}");
                unprinted.insert(name.split_once('/').unwrap().1.trim_end_matches(".npy"));
            }
            Err(error) => assert!(expected.is_empty(), "{name}: {error}\nbut NumPy prints\n{}", text(expected)),
        }
    }
    announce(&format!("golden files: {compared} printed as NumPy {version} does"));
    assert!(compared > 2_000);
    assert_eq!(unprinted, BTreeSet::from(NOT_PRINTED_BY_NUMPY));
}

/// Files that NumPy cannot load or print, and that have a text here.
const NOT_PRINTED_BY_NUMPY: [&str; 15] = [
    // They overflow there, and are not asked for.
    "datetime_25s_le",
    "datetime_day_be",
    "datetime_day_le",
    "datetime_year_le",
    // Numbers without a unit have no calendar.
    "datetime_generic_be",
    "datetime_generic_le",
    // The headers are longer than NumPy reads without being asked to.
    "header_over_10000",
    "header_over_65535",
    // Spellings of older versions.
    "metadata",
    "record_all_kinds",
    "record_datetimes",
    "record_subarray_strings",
    // NumPy has no such dtype.
    "ml_float8_e5m2",
    // Code units that are no characters.
    "unicode_2_invalid_be",
    "unicode_2_invalid_le",
];

#[test]
fn texts_of_objects_are_laid_out_as_numpy_does() {
    let Some(numpy) = numpy("texts_of_objects_are_laid_out_as_numpy_does") else { return };
    let stream = numpy.run(["printing.py", "objects", "20261121", "300"], b"");
    let frames = frames(&stream);
    let Some((_, cases)) = current(&frames) else { return };
    for case in cases.chunks_exact(4) {
        let [options, shape, texts, expected] = case.try_into().map(|case: [&[u8]; 4]| case.map(text)).unwrap();
        let shape: Vec<usize> = shape.split(' ').map(|length| length.parse().unwrap()).collect();
        let count = shape.iter().product();
        let texts: Vec<String> = texts.split('\0').map(str::to_owned).take(count).collect();
        let options = options_of(options);
        let objects = ObjectArray::new(&shape, texts.into_iter().map(PyObject::Str).collect()).unwrap();
        let printed = objects.display_with(&options).to_string();
        assert!(printed == expected, "{shape:?} {options:?}\n{}", first_difference(&printed, expected));
    }
    assert_eq!(cases.len(), 4 * 300);
}

/// The version of NumPy, and what it printed; nothing if it is older than the rules that are
/// compared with, which 2.3 brought.
fn current<'a, 'b>(frames: &'a [&'b [u8]]) -> Option<(&'b str, &'a [&'b [u8]])> {
    let (version, cases) = frames.split_first().unwrap();
    let version = text(version);
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    if (numbers.next(), numbers.next()) < (Some(2), Some(3)) {
        announce(&format!("SKIPPED comparing with what NumPy prints: NumPy {version} prints floats by other rules"));
        return None;
    }
    Some((version, cases))
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
