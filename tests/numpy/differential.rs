//! Random and mutated files, given to NumPy and to this library: the same verdict, and the same bytes.

use std::collections::BTreeMap;
use std::io::Cursor;

use npy_core::dtype::ByteOrder;
use npy_core::num_complex::Complex;
use npy_core::region::AxisRange;
use npy_core::{Casting, DType, DynValues, ErrorKind, Header, NpyNumber, NpyReader};
use npy_ndarray::{DynArray, WriteNpyExt};

use crate::support::numpy::{NumPy, frames, numpy, push_frame};
use crate::support::{announce, data};

/// How many cases, and of which seed, unless `NPY_DIFFERENTIAL_CASES` and `NPY_DIFFERENTIAL_SEED`
/// say otherwise.
const CASES: u64 = 3_000;
const SEED: u64 = 20_261_123;

/// As many go through one Python process, which bounds the memory of the test.
const BATCH: u64 = 5_000;

/// Arrays of at most this many bytes: a case is about its header.
const MOST_DATA: usize = 4_096;

#[test]
fn mutated_files_are_read_as_numpy_does() {
    let Some(numpy) = numpy("mutated_files_are_read_as_numpy_does") else { return };
    let setting = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (count, seed) = (setting("NPY_DIFFERENTIAL_CASES", CASES), setting("NPY_DIFFERENTIAL_SEED", SEED));
    let golden = golden();
    let mut random = Random(seed);
    let mut counts = Counts::default();
    let mut differences = Vec::new();
    for begin in (0..count).step_by(usize::try_from(BATCH).unwrap()) {
        let cases: Vec<Case> = (begin..count.min(begin + BATCH)).map(|_| Case::random(&mut random, &golden)).collect();
        compare(numpy, &cases, &mut counts, &mut differences);
    }
    announce(&format!("differential cases against NumPy: {count} of seed {seed}, {counts:#?}"));
    for rule in RULES.iter().filter(|rule| !counts.0.contains_key(rule.name)) {
        announce(&format!("no case of {}", rule.name));
    }
    let shown = differences.iter().take(60).map(String::as_str).collect::<Vec<_>>().join("\n\n");
    assert!(differences.is_empty(), "{} differ:\n{shown}", differences.len());
    for compared in ["read alike", "refused alike", "texts", "regions", "casts"] {
        assert!(counts.0.get(compared).is_some_and(|&found| found as u64 > count / 50), "{compared}: {counts:?}");
    }
}

/// By the name of what is counted.
#[derive(Debug, Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn add(&mut self, name: &'static str) {
        *self.0.entry(name).or_default() += 1;
    }
}

/// A difference that is on purpose; tests/DIFFERENCES.md gives the reasons.
struct Rule {
    name: &'static str,
    holds: fn(&Verdict) -> bool,
}

/// What both say of a file that only one of them reads.
struct Verdict<'a> {
    file: &'a [u8],
    ours: Result<&'a DynArray, &'a ErrorKind>,
    /// Why NumPy refuses it; empty if it does not.
    theirs: &'a str,
}

const RULES: &[Rule] = &[
    Rule { name: "rule: duplicate key", holds: |verdict| verdict.we_say("duplicate") },
    Rule { name: "rule: line continued by a backslash", holds: |verdict| verdict.ours.is_err() && verdict.has("\\\n") },
    Rule {
        name: "rule: array of sub-arrays",
        holds: |verdict| verdict.ours.is_ok() && verdict.theirs.contains("Failed to read all data") && verdict.is_of_sub_arrays(),
    },
    Rule {
        name: "rule: metadata of a dtype",
        holds: |verdict| {
            verdict.ours.is_ok() && verdict.theirs.contains("in fixed-type tuple") && verdict.has("', {")
                || verdict.ours.is_ok() && (verdict.has("', {})") || verdict.has("{'a': 1}"))
        },
    },
    Rule { name: "rule: dtypes of ml_dtypes", holds: |verdict| verdict.ours.is_ok() && verdict.theirs.contains("f1'") },
    Rule {
        name: "rule: huge shapes of no elements",
        holds: |verdict| verdict.we_say("overflows") || verdict.theirs.contains("array is too big"),
    },
    Rule {
        name: "rule: sub-array of items without bytes",
        holds: |verdict| {
            verdict.ours.is_ok() && verdict.theirs.contains("EOF: reading array data") && has_empty_items(verdict.file)
        },
    },
    Rule { name: "rule: objects without a name", holds: |verdict| verdict.we_say("a name for a sub-array of objects") },
    Rule {
        name: "rule: numbers of types",
        holds: |verdict| verdict.we_say("unknown type code") && verdict.has_control_character(),
    },
    Rule { name: "rule: limit of elements without bytes", holds: |verdict| verdict.we_say("elements without bytes") },
    Rule {
        name: "rule: sub-array of items without bytes",
        holds: |verdict| verdict.ours.is_ok() && verdict.theirs.contains("invalid itemsize in generic type tuple"),
    },
];

impl Verdict<'_> {
    fn is_of_sub_arrays(&self) -> bool {
        Header::parse(self.file).is_ok_and(|(header, _)| matches!(header.dtype(), DType::SubArray(_)))
    }

    fn we_say(&self, text: &str) -> bool {
        self.ours.as_ref().is_err_and(|kind| kind.to_string().contains(text))
    }

    /// Escapes of characters below 32: NumPy takes their code for the number of a type.
    fn has_control_character(&self) -> bool {
        ["\\0", "\\1", "\\2", "\\3", "\\x0", "\\x1"].iter().any(|escape| self.has(escape))
    }

    fn has(&self, text: &str) -> bool {
        has(self.file, text)
    }
}

fn has(file: &[u8], text: &str) -> bool {
    file.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Items without bytes in a sub-array: NumPy takes the lengths behind them for their size.
fn has_empty_items(file: &[u8]) -> bool {
    ["(0,)", "[], (", "([], "].iter().any(|items| has(file, items))
}

/// Zeros the bytes of an array that are in no field: NumPy does not copy them on every way.
fn without_padding(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let Ok((header, data_offset)) = Header::parse(&file) else { return file };
    let mut is_value = vec![false; header.dtype().itemsize()];
    cover(header.dtype(), 0, &mut is_value);
    if !is_value.is_empty() {
        for element in file[data_offset..].chunks_mut(is_value.len()) {
            element.iter_mut().zip(&is_value).filter(|(_, is_value)| !**is_value).for_each(|(byte, _)| *byte = 0);
        }
    }
    file
}

fn cover(dtype: &DType, offset: usize, is_value: &mut [bool]) {
    match dtype {
        DType::Scalar(scalar) => is_value[offset..][..scalar.itemsize()].fill(true),
        DType::SubArray(array) => {
            let count: usize = array.shape().iter().product();
            (0..count).for_each(|i| cover(array.base(), offset + i * array.base().itemsize(), is_value));
        }
        DType::Record(record) => {
            record.fields().iter().for_each(|field| cover(field.dtype(), offset + field.offset(), is_value));
        }
    }
}

fn compare(numpy: &NumPy, cases: &[Case], counts: &mut Counts, differences: &mut Vec<String>) {
    let mut input = Vec::new();
    for case in cases {
        push_frame(&mut input, &case.file);
        push_frame(&mut input, case.asked().as_bytes());
    }
    let output = numpy.run(["differential.py"], &input);
    let answers = frames(&output);
    assert_eq!(answers.len(), 5 * cases.len());
    for (case, answer) in cases.iter().zip(answers.chunks_exact(5)) {
        let [theirs, again, text, region, cast] = answer else { unreachable!() };
        let theirs = std::str::from_utf8(theirs).unwrap();
        counts.add(case.class);
        let mut differ = |what: &str| differences.push(format!("{what}, {}: {}\n  NumPy: {theirs}", case.class, shown(&case.file)));
        let ours = DynArray::read_npy(&case.file[..]);
        let array = match (&ours, theirs.is_empty()) {
            (Ok(array), true) => array,
            (Err(_), false) => {
                counts.add("refused alike");
                continue;
            }
            _ => {
                let verdict = Verdict { file: &case.file, ours: ours.as_ref().map_err(|error| error.kind()), theirs };
                match RULES.iter().find(|rule| (rule.holds)(&verdict)) {
                    Some(rule) => counts.add(rule.name),
                    None => differ(&format!("ours {}", ours.as_ref().map_or_else(ToString::to_string, |_| "reads".to_owned()))),
                }
                continue;
            }
        };
        counts.add("read alike");
        if again.is_empty() {
            continue;
        }
        let mut written = Vec::new();
        array.write_npy(&mut written).unwrap();
        let (header, _) = Header::parse(&case.file).unwrap();
        if matches!(header.dtype(), DType::SubArray(_)) && written != *again && header.element_count() == 0 {
            counts.add("rule: sub-arrays of an empty array keep their shape");
            continue;
        }
        let bytes_order = |file: &[u8]| String::from_utf8_lossy(file).replace("'<V", "'|V").replace("'>V", "'|V");
        if written != *again && bytes_order(&written) == bytes_order(again) {
            counts.add("rule: voids of ml_dtypes keep their byte order");
        } else if written != *again && has_empty_items(&case.file) {
            counts.add("rule: sub-array of items without bytes");
        } else if written != *again && without_padding(&written) == without_padding(again) {
            counts.add("rule: padding is kept as it was");
        } else if written != *again {
            differ(&format!("saved {} for {}", shown(&written), shown(again)));
        }
        if !text.is_empty() {
            counts.add("texts");
            let ours = DynValues::read(&case.file[..]).unwrap().to_string();
            if ours.as_bytes() != *text && ours.contains('\u{fffd}') {
                counts.add("rule: code points that are no characters are printed as U+FFFD");
            } else if ours.as_bytes() != *text && has_odd_long_double(header.dtype(), &case.file) {
                counts.add(ODD_LONG_DOUBLE);
            } else if ours.as_bytes() != *text
                && is_time_of_other_order(header.dtype())
                && words(&ours) == words(&String::from_utf8_lossy(text))
            {
                counts.add("rule: columns of times in the other byte order");
            } else if ours.as_bytes() != *text {
                differ(&format!("printed\n{ours}\nfor\n{}", String::from_utf8_lossy(text)));
            }
        }
        if !region.is_empty() {
            counts.add("regions");
            let values = NpyReader::new(Cursor::new(&case.file)).and_then(|mut reader| reader.read_region_values(&case.region));
            let mut is_value = vec![false; header.dtype().itemsize()];
            cover(header.dtype(), 0, &mut is_value);
            let of_fields = |bytes: &[u8]| -> Vec<u8> {
                bytes.iter().zip(is_value.iter().cycle()).filter(|(_, is_value)| **is_value).map(|(byte, _)| *byte).collect()
            };
            if values.as_ref().map(|values| of_fields(values.bytes())).ok() != Some(of_fields(region)) {
                differ(&format!("region {:?}: {:?}", case.region, values.map(|values| values.shape().to_vec())));
            }
        }
        if !cast.is_empty() {
            counts.add("casts");
            let written = (case.target.1)(array);
            if written.as_deref() != Ok(*cast) {
                let rule = written.as_ref().ok().and_then(|written| cast_rule(&header, case, written, cast));
                match rule {
                    Some(rule) => counts.add(rule),
                    None => differ(&format!("as {} from {}: {written:?} for {}", case.target.0, header.dtype(), shown(cast))),
                }
            }
        }
    }
}

/// NumPy's `max` and `min` of such times, which set the width of a column, are wrong.
fn is_time_of_other_order(dtype: &DType) -> bool {
    [">m8", ">M8"].iter().any(|time| dtype.to_string().contains(time))
}

fn words(text: &str) -> Vec<&str> {
    text.split(|character: char| character.is_whitespace() || character == '[').filter(|word| !word.is_empty()).collect()
}

/// Why the bytes of a cast may differ.
fn cast_rule(header: &Header, case: &Case, ours: &[u8], theirs: &[u8]) -> Option<&'static str> {
    if ours.len() != theirs.len() {
        return None;
    }
    let from = header.dtype().to_string();
    let mut different = ours.iter().zip(theirs).filter(|(ours, theirs)| ours != theirs);
    if from == "|b1" && case.target.0 == "?" && different.all(|(ours, theirs)| *ours == 1 && *theirs > 1) {
        return Some("rule: bools other than 0 and 1 become 1");
    }
    let width = match case.target.0 {
        "f2" => 2,
        "f4" | "c8" => 4,
        _ => 8,
    };
    let is_nan = |part: &[u8]| match width {
        2 => u16::from_le_bytes(part.try_into().unwrap()) & 0x7fff > 0x7c00,
        4 => f32::from_le_bytes(part.try_into().unwrap()).is_nan(),
        _ => f64::from_le_bytes(part.try_into().unwrap()).is_nan(),
    };
    let mut parts = ours.rchunks_exact(width).zip(theirs.rchunks_exact(width));
    let is_same = from.trim_start_matches(['<', '>', '|']) == case.target.0;
    if !is_same
        && case.target.0.starts_with(['f', 'c'])
        && parts.all(|(ours, theirs)| ours == theirs || is_nan(ours) && is_nan(theirs))
    {
        return Some("rule: NaNs that are cast have other payloads");
    }
    has_odd_long_double(header.dtype(), &case.file).then_some(ODD_LONG_DOUBLE)
}

const ODD_LONG_DOUBLE: &str = "rule: long doubles that no processor writes";

/// Whether a long double lacks the leading bit that its exponent asks for: x86 makes NaN of it.
fn has_odd_long_double(dtype: &DType, file: &[u8]) -> bool {
    let mut starts = Vec::new();
    long_doubles(dtype, 0, &mut starts);
    let (_, data_offset) = Header::parse(file).unwrap();
    let is_odd = |bytes: &[u8], order| {
        let mut bytes: [u8; 16] = bytes[..16].try_into().unwrap();
        if order == Some(ByteOrder::Big) {
            bytes.reverse();
        }
        let (fraction, exponent) = (bytes[7] & 0x80 != 0, u16::from_le_bytes([bytes[8], bytes[9]]) & 0x7fff);
        fraction != (exponent != 0)
    };
    let mut elements = file[data_offset..].chunks_exact(dtype.itemsize().max(1));
    elements.any(|element| {
        starts.iter().any(|&(start, order)| is_odd(&element[start..], order)) && !element.iter().all(|byte| *byte == 0)
    })
}

/// Where the long doubles of an element are.
fn long_doubles(dtype: &DType, offset: usize, starts: &mut Vec<(usize, Option<ByteOrder>)>) {
    match dtype {
        DType::Scalar(scalar) if scalar.to_string().ends_with("f16") => starts.push((offset, scalar.byte_order())),
        DType::Scalar(scalar) if scalar.to_string().ends_with("c32") => {
            starts.extend([0, 16].map(|part| (offset + part, scalar.byte_order())));
        }
        DType::Scalar(_) => {}
        DType::SubArray(array) => {
            let count: usize = array.shape().iter().product();
            (0..count).for_each(|i| long_doubles(array.base(), offset + i * array.base().itemsize(), starts));
        }
        DType::Record(record) => {
            record.fields().iter().for_each(|field| long_doubles(field.dtype(), offset + field.offset(), starts));
        }
    }
}

fn shown(file: &[u8]) -> String {
    let end = file.len().min(700);
    file[..end].escape_ascii().to_string()
}

type Target = (&'static str, fn(&DynArray) -> Result<Vec<u8>, String>);

const TARGETS: [Target; 14] = [
    ("?", cast::<bool>),
    ("u1", cast::<u8>),
    ("u2", cast::<u16>),
    ("u4", cast::<u32>),
    ("u8", cast::<u64>),
    ("i1", cast::<i8>),
    ("i2", cast::<i16>),
    ("i4", cast::<i32>),
    ("i8", cast::<i64>),
    ("f2", cast::<npy_core::half::f16>),
    ("f4", cast::<f32>),
    ("f8", cast::<f64>),
    ("c8", cast::<Complex<f32>>),
    ("c16", cast::<Complex<f64>>),
];

fn cast<T: NpyNumber>(array: &DynArray) -> Result<Vec<u8>, String> {
    let mut file = Vec::new();
    let cast = array.cast_as::<T>(Casting::SameKind).map_err(|error| error.to_string())?;
    cast.write_npy(&mut file).map_err(|error| error.to_string())?;
    Ok(file)
}

/// A file, and what is asked of it.
struct Case {
    class: &'static str,
    file: Vec<u8>,
    region: Vec<AxisRange>,
    axes: String,
    target: Target,
    is_printed: bool,
}

impl Case {
    fn random(random: &mut Random, golden: &[Vec<u8>]) -> Self {
        let file = random.pick(golden);
        let (class, file) = match random.below(8) {
            0 => ("golden file, bytes changed", changed(random, file)),
            1 => ("golden file, cut or lengthened", resized(random, file)),
            2 => ("golden file, header rewritten", rewritten(random, file)),
            3 | 4 => ("plain header", written(random, false)),
            _ => ("odd header", written(random, true)),
        };
        // The region is one of the shape that both read, if both do.
        let (mut region, mut axes) = (Vec::new(), Vec::new());
        if let Ok((header, _)) = Header::parse(&file) {
            for &length in header.shape() {
                let start = random.below(length.min(50) as u64 + 1) as usize;
                let stop = start + random.below((length - start).min(50) as u64 + 1) as usize;
                let step = 1 + random.below(4) as usize;
                axes.push(format!("{start}:{stop}:{step}"));
                region.push(AxisRange::from(start..stop).step_by(step));
            }
        }
        let is_printed = random.below(3) == 0;
        Self { class, file, region, axes: axes.join(" "), target: *random.pick(&TARGETS), is_printed }
    }

    fn asked(&self) -> String {
        format!("{}|{}|{}", self.axes, self.target.0, if self.is_printed { "print" } else { "" })
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Small files by every version of NumPy that there is.
fn golden() -> Vec<Vec<u8>> {
    let mut directories: Vec<_> = std::fs::read_dir(data("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("numpy-"));
    let files = directories.iter().flat_map(|path| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "npy")).collect();
    files.sort();
    let files = files.into_iter().map(|path| std::fs::read(path).unwrap());
    let files: Vec<Vec<u8>> = files.filter(|file| file.len() < 2 * MOST_DATA).collect();
    assert!(files.len() > 100, "{}", files.len());
    files
}

fn changed(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let header = file.len().min(128) as u64;
    for _ in 0..=random.below(3) {
        let within = if random.one_in(4) { file.len() as u64 } else { header };
        let at = random.below(within) as usize;
        file[at] = match random.below(3) {
            0 => file[at] ^ 1 << random.below(8),
            1 => *random.pick(b" ,'()[]{}:0123456789-<>|=fiubVSUMmLTrue#\\\n\t"),
            _ => random.next() as u8,
        };
    }
    file
}

fn resized(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let at = random.below(file.len() as u64 + 1) as usize;
    match random.below(4) {
        0 => file.truncate(at),
        1 => file.extend((0..random.below(40)).map(|i| i as u8)),
        2 => drop(file.drain(at..file.len().min(at + 1 + random.below(4) as usize))),
        _ => drop(file.splice(at..at, (0..=random.below(3)).map(|i| b" ,('["[i as usize]))),
    }
    file
}

/// The text of a golden header, changed as text, with a length that is true.
fn rewritten(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let start = if file[6] == 1 { 10 } else { 12 };
    let Ok((_, data_offset)) = Header::parse(file) else { return file.to_vec() };
    let mut header = file[start..data_offset].to_vec();
    let changes: [(&str, &str); 18] = [
        (", ", ","),
        (": ", " : "),
        ("'", "\""),
        ("'descr'", "u'descr'"),
        ("'<", "'>"),
        ("'|", "'<"),
        ("False", "True"),
        ("False", "0"),
        (",)", ", )"),
        (",)", "L,)"),
        (",)", ")"),
        ("(", "( "),
        (", }", "}"),
        ("{", " {"),
        ("}", "}#"),
        ("descr", "\\x64escr"),
        (", 'shape'", ",\n'shape'"),
        (", 'shape'", ", 'extra': 1, 'shape'"),
    ];
    for _ in 0..=random.below(2) {
        let (from, to) = random.pick(&changes);
        if let Some(at) = header.windows(from.len()).position(|part| part == from.as_bytes()) {
            header.splice(at..at + from.len(), to.bytes());
        }
    }
    crate::support::file_with_header(if header.len() > 65_535 { 2 } else { file[6] }, &header, &file[data_offset..])
}

const SCALARS: [&str; 46] = [
    "|b1",
    "|i1",
    "|u1",
    "<i2",
    ">i2",
    "<u2",
    "<i4",
    ">i4",
    "<u4",
    "<i8",
    ">u8",
    "<u8",
    "<f2",
    ">f2",
    "<f4",
    ">f4",
    "<f8",
    ">f8",
    "<f16",
    "<c8",
    ">c8",
    "<c16",
    "|S3",
    "|S1",
    "|S0",
    "<U2",
    ">U1",
    "<U0",
    "|V3",
    "|V0",
    "<M8[ns]",
    ">M8[D]",
    "<M8[25us]",
    "<m8[s]",
    "<m8",
    "<M8[Y]",
    "=f8",
    "|f8",
    "f8",
    "float32",
    "i",
    "?",
    "B",
    "<S2",
    "<b1",
    "2<i4",
];

fn descr(random: &mut Random, depth: u64, is_odd: bool) -> String {
    let scalar = |random: &mut Random| {
        if is_odd && random.one_in(6) {
            let odd = [
                "'O'",
                "None",
                "5",
                "'xyz'",
                "''",
                "b'<f8'",
                "u'<i4'",
                "'<f' '8'",
                "'<f3'",
                "'i4,f8'",
                "'(2,)f4'",
                "'<M8[q]'",
                "'T'",
                "'<U-1'",
                "'\\x3cf8'",
                "[]",
                "()",
                "r'<i2'",
                "'a5'",
            ];
            (*random.pick(&odd)).to_owned()
        } else {
            let plain = if is_odd { SCALARS.len() } else { 36 };
            format!("'{}'", SCALARS[random.below(plain as u64) as usize])
        }
    };
    match random.below(10) {
        0..=5 => scalar(random),
        6 if is_odd => format!("({}, ({},))", descr(random, depth + 1, is_odd), random.below(3)),
        _ if depth < 3 => {
            let mut fields = Vec::new();
            for i in 0..random.below(4) + u64::from(!is_odd) {
                let name = match random.below(if is_odd { 9 } else { 5 }) {
                    0 => format!("('title {i}', 'f{i}')"),
                    1 => format!("'gr\u{f6}\u{df}e{i}'"),
                    5 => "''".to_owned(),
                    6 => "'same'".to_owned(),
                    7 => format!("'\u{96ea}{i}'"),
                    8 => format!("b'f{i}'"),
                    _ => format!("'f{i}'"),
                };
                let dtype = descr(random, depth + 1, is_odd);
                let shape = match random.below(8) {
                    0 => ", (2,)",
                    1 => ", (2, 3)",
                    2 if is_odd => ", 3",
                    3 if is_odd => ", (0,)",
                    4 if is_odd => ", ()",
                    5 if is_odd => ", [2]",
                    _ => "",
                };
                fields.push(format!("({name}, {dtype}{shape})"));
                if random.one_in(5) {
                    fields.push("('', '|V2')".to_owned());
                }
            }
            format!("[{}]", fields.join(", "))
        }
        _ => scalar(random),
    }
}

fn shape(random: &mut Random, is_odd: bool) -> String {
    let odd = [
        "(0, 9223372036854775807)",
        "(9223372036854775808, 0)",
        "(4294967296, 4294967296)",
        "(-1,)",
        "(True,)",
        "(2.0,)",
        "(None,)",
        "[2]",
        "2",
        "(2)",
        "(3L,)",
        "(2L, 3L)",
        "(0x3,)",
        "(1_0,)",
        "(+3,)",
        "(- 1,)",
        "(03,)",
        "(0, -1)",
        "('2',)",
        "(2,),",
        "(1000000000000,)",
        "(2**2,)",
        "()",
        "(,)",
        "(0,) ",
        "(0o3,)",
        "(3,2,)",
        "(99999999999999999999,)",
        "(0b11,)",
        "(00,)",
        "(-0,)",
        "(0, 4611686018427387904, 4)",
        "(70000,)",
        "(1+2,)",
        "(1j,)",
    ];
    if is_odd && random.one_in(2) {
        return (*random.pick(&odd)).to_owned();
    }
    let most = if random.one_in(20) { 70 } else { 5 };
    let axes = random.below(most);
    let lengths = (0..axes).map(|_| if axes > 6 { 1 } else { (1 + random.below(6)) * u64::from(!random.one_in(12)) });
    let lengths: Vec<String> = lengths.map(|length| length.to_string()).collect();
    format!("({}{})", lengths.join(", "), if lengths.len() == 1 { "," } else { "" })
}

/// A file of a header that was never another.
fn written(random: &mut Random, is_odd: bool) -> Vec<u8> {
    let orders: &[&str] = if is_odd { &["False", "True", "0", "1", "None", "'True'", "false", "1.0"] } else { &["False", "True"] };
    let order = if is_odd && !random.one_in(4) { &orders[..2] } else { orders };
    let mut entries = [
        format!("'descr': {}", descr(random, 0, is_odd)),
        format!("'fortran_order': {}", random.pick(order)),
        format!("'shape': {}", shape(random, is_odd)),
    ];
    let mut end = ", }";
    if is_odd {
        for i in 0..3 {
            entries.swap(i, random.below(3) as usize);
        }
        end = *random.pick(&[
            ", }",
            "}",
            ",}",
            " , } ",
            ", } # end",
            ", 'shape': (2,)}",
            ", 'extra': 0}",
            ", }, ",
            ";}",
            ",\n}",
            "}\u{c}",
        ]);
    }
    let separator: &str =
        if is_odd { random.pick::<&str>(&[", ", ",", " ,  ", ",\n ", ",\t", ",\r\n", ", \\\n", ",\u{a0}"]) } else { ", " };
    let mut header = format!("{{{}{end}", entries.join(separator));
    let is_latin = header.chars().all(|char| (char as u32) < 256);
    let version = if random.one_in(4) || !is_latin { 3 } else { 1 + u8::from(random.one_in(4)) };
    if !(is_odd && random.one_in(4)) {
        header.push('\n');
    }
    let header = if version == 3 { header.into_bytes() } else { header.chars().map(|char| char as u8).collect() };
    let file = crate::support::file_with_header(version, &header, b"");
    let needed = Header::parse(&file).ok().and_then(|(header, _)| header.element_count().checked_mul(header.dtype().itemsize()));
    let length = needed.unwrap_or(64).min(MOST_DATA);
    let length = match random.below(12) {
        0 => length.saturating_sub(1),
        1 => length + 3,
        _ => length,
    };
    let bytes = (0..length).map(|_| if random.one_in(3) { 0 } else { random.next() as u8 });
    file.into_iter().chain(bytes).collect()
}
