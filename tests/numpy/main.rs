//! Against the real NumPy, run now.

mod differential;
#[path = "../support/mod.rs"]
mod support;

use npy_core::dtype::ByteOrder;
use npy_core::{DType, ErrorKind, Header, Order, Version};
use npy_ndarray::DynArray;
use support::dump::dump;
use support::numpy::{frames, numpy};
use support::{announce, rounds};

/// How many random dtypes NumPy makes.
const CASES: usize = 320;

#[test]
fn random_dtypes_are_read_and_written_as_numpy_does() {
    let Some(numpy) = numpy("random_dtypes_are_read_and_written_as_numpy_does") else { return };
    let cases = rounds(CASES);
    let stream = numpy.run(["random_dtypes.py", "20261121", &cases.to_string()], b"");
    let frames = frames(&stream);
    let (about, frames) = frames.split_first().unwrap();
    let mut counts = Counts::default();
    for case in frames.chunks_exact(6) {
        let [descr, asked, c_file, f_file, values, saved_again] = case else { unreachable!() };
        let (descr, values) = (std::str::from_utf8(descr).unwrap(), std::str::from_utf8(values).unwrap());

        for (order, file) in [(Order::C, c_file), (Order::Fortran, f_file)] {
            let (header, data_offset) = Header::parse(file).unwrap_or_else(|error| panic!("{descr}: {error}"));
            assert_eq!(dump(&header, &file[data_offset..]), values, "{descr} in order {order:?}");
            counts.arrays += 1;
            counts.fortran += usize::from(header.order() == Order::Fortran);
            check_header(descr, asked, file, &header, data_offset, &mut counts);
        }

        // What NumPy loads and saves again, we read and write again.
        let (header, _) = Header::parse(c_file).unwrap();
        let again = Header::new(header.dtype().clone(), header.order(), header.shape()).unwrap().to_bytes();
        assert_eq!(again.escape_ascii().to_string(), saved_again[..again.len()].escape_ascii().to_string(), "{descr}");
        let (reread, _) = Header::parse(&again).unwrap();
        assert_eq!(reread.dtype(), header.dtype(), "{descr}");

        let text = header.dtype().to_string();
        assert_eq!(&text.parse::<DType>().unwrap(), header.dtype(), "{descr}");
        counts.cases += 1;
        counts.records += usize::from(matches!(header.dtype(), DType::Record(_)));
        counts.big_endian += usize::from(descr.contains("'>"));
        counts.padded += usize::from(descr.contains("('', '|V"));
        counts.titled += usize::from(descr.contains("(("));
    }
    announce(&format!("random dtypes against {}: {counts:?}", String::from_utf8_lossy(about)));
    assert!(counts.cases >= cases * 15 / 16 && counts.identical >= cases * 15 / 16);
    assert!(
        [counts.v1, counts.v2, counts.v3, counts.fortran, counts.padded, counts.titled, counts.big_endian]
            .iter()
            .all(|&count| count > cases / 64)
    );
}

#[derive(Debug, Default)]
struct Counts {
    cases: usize,
    records: usize,
    padded: usize,
    titled: usize,
    big_endian: usize,
    arrays: usize,
    fortran: usize,
    /// Headers that we write byte for byte as NumPy did.
    identical: usize,
    /// Headers in which a field named '' becomes padding when NumPy loads them, so that it writes
    /// another one.
    renamed_padding: usize,
    v1: usize,
    v2: usize,
    v3: usize,
}

/// Writes the header that was read, in the version that NumPy was asked for, and compares.
fn check_header(descr: &str, asked: &[u8], file: &[u8], header: &Header, data_offset: usize, counts: &mut Counts) {
    match header.version() {
        Version::V1 => counts.v1 += 1,
        Version::V2 => counts.v2 += 1,
        Version::V3 => counts.v3 += 1,
        other => panic!("version {other}"),
    }
    let ours = Header::new(header.dtype().clone(), header.order(), header.shape()).unwrap();
    let ours = if asked == b"auto" { ours } else { ours.with_version(header.version()).unwrap() };
    if ours.dtype().descr() == descr {
        assert_eq!(ours.to_bytes().escape_ascii().to_string(), file[..data_offset].escape_ascii().to_string(), "{descr}");
        counts.identical += 1;
    } else {
        assert!(descr.contains("('', "), "{descr} was written as {}", ours.dtype());
        counts.renamed_padding += 1;
    }
}

/// `write_array(..., version=...)`: the same bytes, and the same refusals.
#[test]
fn versions_are_written_and_refused_as_numpy_does() {
    let Some(numpy) = numpy("versions_are_written_and_refused_as_numpy_does") else { return };
    let stream = numpy.run(["dtypes.py", "versions"], b"");
    let (mut identical, mut refused) = (0, 0);
    let versions = [Version::V1, Version::V2, Version::V3];
    for (case, version) in frames(&stream).chunks_exact(3).zip(versions.into_iter().cycle()) {
        let [descr, shape, header] = case else { unreachable!() };
        let descr = std::str::from_utf8(descr).unwrap();
        let dtype: DType = descr.trim_matches('\'').parse().unwrap();
        let shape = match *shape {
            b"()" => &[][..],
            b"(3,)" => &[3],
            _ => &[2, 5],
        };
        let ours = Header::new(dtype, Order::C, shape).unwrap().with_version(version);
        let label = format!("{version} {shape:?} {}", &descr[..descr.len().min(40)]);
        match ours {
            Ok(ours) => {
                assert_eq!(ours.version(), version, "{label}");
                assert!(ours.to_bytes() == *header, "{label}");
                identical += 1;
            }
            Err(error) => {
                assert!(header.is_empty(), "{label}: {error}");
                refused += 1;
            }
        }
    }
    // Refused: version 1 where it is too long, 1 and 2 where there is snow.
    assert_eq!((identical, refused), (3 * (8 * 3 - 6), 3 * 6));
}

/// Every text that NumPy's `dtype` was seen to take or refuse, and more of the same sort.
#[test]
fn dtype_strings_parse_as_in_numpy() {
    let Some(numpy) = numpy("dtype_strings_parse_as_in_numpy") else { return };
    let mut texts: Vec<String> = Vec::new();
    for order in ["", "<", ">", "=", "|", "!"] {
        for letter in "?bBhHiIlLqQnNpPefdgFDGSUVOMmTacxWt".chars() {
            for size in ["", "0", "1", "2", "3", "4", "8", "12", "16", "32", "08", "[s]", "8[25us]"] {
                texts.push(format!("{order}{letter}{size}"));
            }
        }
    }
    let units = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "\u{3bc}s", "ns", "ps", "fs", "as", "generic", "min", "", "S"];
    for unit in units {
        for count in ["", "1", "25", "+1", "0", "007", "-1", " ", "2147483647", "2147483648"] {
            for divisor in ["", "/1", "/2", "/7", "/10", "/24", "/1000"] {
                texts.push(format!("M8[{count}{unit}{divisor}]"));
            }
        }
    }
    let more = "float64 float32 float16 float float128 double single half longdouble int8 int16 int32 int64 int intp intc int_ long longlong \
                short byte uint8 uint16 uint32 uint64 uint uintp uintc ulong ulonglong ushort ubyte bool bool_ str str_ bytes bytes_ void object \
                object_ complex64 complex128 complex complex256 csingle cdouble clongdouble datetime64 datetime64[s] timedelta64[25ns] float8 \
                int128 Float64 bfloat12 string unicode_ i4, i4,f8 i4,,f8 ,i4 (2,3)f8 (2)f8 (2,)f8 ()f8 <(2,)f8 3f8 0f8 01f8 1f8 <3f8 2<f8 2(3,)f8 \
                (2,3)f8,i4 i4,(2,)u1 <f8,>i2 (2,-1)f8 (2147483648,)u1 U536870911 U536870912 S2147483647 S2147483648 V2147483648 \
                99999999999999999999f8 S99999999999999999999 f\u{e9} \u{661}f8 i4,S5,(3,)M8[ns] [s] M8[ M8] M8[s M8[[s]] M8[s]] f8[s]";
    texts.extend(more.split(' ').map(str::to_owned));
    // `strtol` reads the size; a regular expression takes lists apart, and compares the byte
    // orders.
    texts.extend(
        "1u4;2u4;1|u4;|1u4;2|b1;1|b1;(2,)|S8;(2,)S8;|u 1;u 1;|S 8;<f 8;<u\t4;|u\n1;|u\u{b}1;|u+1;|u +1;|u+ 1;\
            |u++1;|u\u{a0}1;|u 1 ;<u04;|S-8;u-1;V+3;U 3;<U+3;|S +;|S ;M 8;M 8[ns];M+8[ns];M8 [ns];O 8;|O+8;T 1;b 1;\
            ? 1;c 1;float 64;(2,)|u 1;2|u 1;u 1,i4;2 |u1;(2,) |u1;(2,)| u1;|2|u1;<2>u4;<2<u4;=2|u4;=2<u4;<2|u4;|2>u4;\
            >2u4;01u4;0u4"
            .split(';')
            .map(str::to_owned),
    );
    // Commas among the lengths of a sub-array, and behind the code.
    for order in ["", ">", "|"] {
        for repeats in [
            "1,", "2,3,", "2,3", "2 ,", "(2,),", "(2,3)", "(2, 3 ,)", "(2", "2)", ",", "01,", "00,", "0,", "1 2,", "2,,", "(,)",
            "(2,01)", "1,,2",
        ] {
            for code in ["f8", ">f8", "|f8", "M8[s]", "", "f8,i4", "f8,", "f8, 2,i4", "f8,2,", " f8 , (2,)i4 "] {
                texts.push(format!("{order}{repeats}{code}"));
            }
        }
    }
    texts.extend([" f8", "f8 ", "i4, f8", "i4 ,f8", "( 2 ,3, )f8", "", "i4,f8 ", "f8\n", "f8\0"].map(str::to_owned));
    texts.extend(
        "[]; [('a', '<f4')]; [('a', '<f4', 3)]; [('a', '<f4', [3])]; [('a', '<f4', ())]; [('a', '<f4', (3,), 1)]; \
            [('a',)]; [['a', '<f4']]; [('a', '<f4'), ('a', '<f4')]; [(('t', 'a'), '<f4'), ('t', '<f4')]; \
            [(('t', 'a'), '<f4'), (('t', 'b'), '<f4')]; [((None, 'a'), '<f4')]; [(('t', ''), '|V3')]; \
            [('', '|V3'), ('', '|V3')]; [('', '<i4'), ('', '<i4')]; [('', '<i4', (2,)), ('', '<i4')]; \
            [('', [('x', '<i4')])]; [('', [('x', '<i4')], (2,))]; [('a', 'S', 5)]; [('a', 'U', 5)]; \
            [('a', '|S0', (5,))]; [('a', ('<f8', (5,)), (2,))]; [('a', ('<f8', (0,)), (2,))]; \
            [('a', ('<f8', (2,)), (0,))]; [(b'a', '<f4')]; [(1, '<f4')]; [('a', 5)]; [('a', None)]; \
            [('a', '<f4', 2.0)]; [('a', '<f4', True)]; [('a', '<f4', -1)]; [('a', '<f4', '3')]; ['ab']; \
            ('<f8', (2, 3)); ('<f8', 2); ('<f8', ()); ('<f8',); (); ('<f8', (2, 3), 5); (('<f8', (2,)), (3,)); '<f8'; \
            \"float64\"; [('a', 'V2147483640'), ('b', '<i8')]; [('a', '<f8', (2147483647,))]; {'a': '<f8'}; 5; None"
            .split("; ")
            .map(str::to_owned),
    );
    let quoted: Vec<String> = texts.iter().map(|text| json_string(text)).collect();
    let printed = numpy.prints(["dtypes.py", "texts"], format!("[{}]", quoted.join(",")).as_bytes());
    let (mut taken, mut refused, mut differences) = (0, 0, Vec::new());
    for (text, line) in texts.iter().zip(printed.lines()) {
        let ours = text.parse::<DType>();
        let theirs = Theirs::parse(line);
        match (&ours, &theirs) {
            (Err(_), None) => refused += 1,
            (Ok(ours), Some(theirs)) if theirs.equals(ours) => taken += 1,
            _ if is_known_difference(text) => {}
            _ => differences.push(format!("{text:?}: ours {ours:?}, NumPy {line}")),
        }
    }
    announce(&format!("dtype texts: {taken} taken alike, {refused} refused alike"));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(printed.lines().count(), texts.len());
}

/// Headers at the edge of what NumPy reads: what is saved of each here, and by NumPy.
#[test]
fn headers_of_sub_arrays_and_of_no_bytes_are_read_as_by_numpy() {
    let ones = |count: usize| format!("({})", "1,".repeat(count));
    let (half, many) = (ones(32), ones(40));
    let file = |descr: &str, order: &str, shape: &str, bytes: usize| {
        let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
        support::file_with_header(1, header.as_bytes(), &vec![0; bytes])
    };
    // The file; dtype and shape in which it is saved again; whether NumPy reads it.
    let mut cases = Vec::new();
    let mut case = |descr: &str, order, shape, bytes, saved: Option<&str>, is_read| {
        cases.push((file(descr, order, shape, bytes), saved.map(str::to_owned), is_read));
    };
    case("'1u4'", "False", "(3,)", 12, Some("<u4 [3]"), true);
    case("'1u4'", "False", "()", 4, Some("<u4 []"), true);
    case("('<u4', (1, 1))", "True", "(2, 3)", 24, Some("<u4 [2, 3]"), true);
    case("(('<u4', (1,)), (1,))", "False", "(2,)", 8, Some("<u4 [2]"), true);
    case("'|u 1'", "False", "(3,)", 3, Some("|u1 [3]"), true);
    // Elements `[T; N]`, of which NumPy has too many for the shape.
    case("'2|b1'", "False", "(3,)", 6, Some("|b1 [3, 2]"), false);
    case("'(2,)|S8'", "False", "(3,)", 48, Some("|S8 [3, 2]"), false);
    // At most 63 axes, because the array has one of its own.
    case(&format!("('<f8', {})", ones(63)), "False", "(1,)", 8, Some("<f8 [1]"), true);
    case(&format!("('<f8', {})", ones(64)), "False", "()", 8, None, false);
    case(&format!("(('<f8', {half}), {})", ones(31)), "False", "(1,)", 8, Some("<f8 [1]"), true);
    case(&format!("(('<f8', {half}), {half})"), "False", "(1,)", 8, None, false);
    // Elements without bytes have no strides, which is C order.
    for descr in ["'|V0'", "'|S0'", "'<U0'", "[]", "[('a', '<f8', (0,))]"] {
        case(descr, "True", "(2, 3)", 0, Some(&format!("{} [2, 3]", descr.trim_matches('\''))), true);
    }
    let hex = |file: &[u8]| file.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut again = Vec::new();
    for (file, expected, is_read) in &cases {
        let name = file.escape_ascii();
        let read = DynArray::read_npy(&file[..]);
        let Some(expected) = expected else {
            let error = read.unwrap_err().to_string();
            assert!(error.starts_with("too many dimensions"), "{name}: {error}");
            again.push("refused".to_owned());
            continue;
        };
        let mut saved = Vec::new();
        read.unwrap().write_npy(&mut saved).unwrap();
        let (header, _) = Header::parse(&saved).unwrap();
        assert_eq!(&format!("{} {:?}", header.dtype(), header.shape()), expected, "{name}");
        again.push(if *is_read { hex(&saved) } else { "refused".to_owned() });
    }
    // A field has as many axes as its dtype: NumPy reads and writes the record, and refuses the
    // field alone.
    let record = file(&format!("[('a', ('<f8', {many}), {many})]"), "False", "(1,)", 8);
    let array = DynArray::read_npy(&record[..]).unwrap();
    assert_eq!(array.field("a").unwrap_err().kind(), ErrorKind::TooLarge);

    let Some(numpy) = numpy("headers_of_sub_arrays_and_of_no_bytes_are_read_as_by_numpy") else { return };
    let asked: Vec<String> = cases.iter().map(|(file, ..)| hex(file)).collect();
    let printed = numpy.prints(["dtypes.py", "again"], asked.join("\n").as_bytes());
    for ((theirs, ours), (file, ..)) in printed.lines().zip(&again).zip(&cases) {
        assert_eq!(theirs, ours, "{}", file.escape_ascii());
    }
    assert_eq!(printed.lines().count(), cases.len());
}

/// Dicts and what `str` and `repr` of dtypes print: a text, and what NumPy makes of it and of what
/// it prints for it.
#[test]
fn printed_dtypes_parse_in_numpy() {
    let Some(numpy) = numpy("printed_dtypes_parse_in_numpy") else { return };
    let printed = numpy.prints(["dtypes.py", "printed"], b"");
    let lines: Vec<&str> = printed.lines().collect();
    let (pairs, []) = lines.as_chunks::<2>() else { panic!("{printed}") };
    let (mut taken, mut refused, mut differences) = (0, 0, Vec::new());
    for [text, line] in pairs {
        let ours = text.parse::<DType>();
        match (&ours, Theirs::parse(line)) {
            (Err(_), None) => refused += 1,
            (Ok(ours), Some(theirs)) if theirs.equals(ours) => taken += 1,
            _ => differences.push(format!("{text}: ours {ours:?}, NumPy {line}")),
        }
    }
    announce(&format!("printed dtypes: {taken} taken alike, {refused} refused alike"));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(taken > 100 && refused > 50, "{taken} taken, {refused} refused");
}

/// What NumPy says of a text.
struct Theirs {
    descr: String,
    shape: String,
    base: String,
}

impl Theirs {
    fn parse(line: &str) -> Option<Self> {
        // ["descr", itemsize, [shape], "base"], with no quotes inside but Python's.
        let line = line.replace("\\\\", "\\");
        let (descr, rest) = line.strip_prefix("[\"")?.split_once("\", ")?;
        let (_, rest) = rest.split_once(", [")?;
        let (shape, base) = rest.split_once("], \"")?;
        let base = base.strip_suffix("\"]")?;
        (!descr.starts_with('!')).then(|| Self { descr: descr.to_owned(), shape: shape.to_owned(), base: base.to_owned() })
    }

    fn equals(&self, ours: &DType) -> bool {
        match ours {
            // NumPy forgets the shape of a sub-array that stands alone when it writes the descr.
            DType::SubArray(array) => {
                let lengths: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
                lengths.join(", ") == self.shape && array.base().descr() == self.base
                    || matches!(array.base(), DType::SubArray(_)) && self.shape.starts_with(&lengths.join(", "))
            }
            // The void types of ml_dtypes keep their byte order with us.
            DType::Scalar(scalar) if scalar.to_string().contains('V') => ours.descr().replace(['<', '>'], "|") == self.descr,
            // NumPy takes little-endian for native.
            _ => ByteOrder::NATIVE == ByteOrder::Big || ours.descr() == self.descr,
        }
    }
}

/// Texts that we take and NumPy refuses, or the other way round, on purpose.
fn is_known_difference(text: &str) -> bool {
    // ml_dtypes writes `<f1` and `<W4`, which NumPy without it refuses.
    let ml_dtypes = matches!(text, "<f1" | ">f1" | "<W4" | ">W4");
    // 32-bit x86 writes these, and its own NumPy reads them.
    let x86 = matches!(text.trim_start_matches(['<', '>', '=', '|']), "f12" | "c24");
    // Aliases of NumPy 1 that NumPy 2 has removed, or removes next.
    let old = text.trim_start_matches(['<', '>', '=', '|']).starts_with('a') || matches!(text, "unicode_" | "unicode");
    // `M8[W/1000]` and the like: NumPy reads past the end of its table and makes a unit of what it
    // finds.
    let numpy_bug = text.starts_with("M8[") && text.contains("W/");
    // One with a count so large that the multiplication wraps around in NumPy.
    let wraps = text.starts_with("M8[2147483647");
    // NumPy has no sub-arrays of types of width 0, but nothing speaks against them.
    let empty_items = matches!(text, "[('a', '|S0', (5,))]" | "[('a', ('<f8', (0,)), (2,))]");
    // NumPy takes a string of two characters for a tuple of a name and a dtype.
    let by_accident = text == "['ab']";
    ml_dtypes || x86 || old || numpy_bug || wraps || empty_items || by_accident
}

fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        out.push_str(&format!("\\u{unit:04x}"));
    }
    out + "\""
}
