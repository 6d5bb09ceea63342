//! Hostile files: the right error, in bounded time and memory.

use std::io::Cursor;

use npy_core::npz::{NpzReader, NpzStream, NpzWriter, WriteOptions};
use npy_core::region::{AxisRange, byte_ranges};
use npy_core::types::{FixedBytes, Void};
use npy_core::{DynValues, Error, ErrorKind, Header, Limits, NpyElement, NpyReader, NpyRecord, Order, ReadOptions};

use crate::peak::with_peak;
use crate::support::archives::writer_with;
use crate::support::streams::Slow;
use crate::support::{announce, file_with_header, scratch, some, written};

/// What a file of a few bytes may cost, whatever it claims.
const FEW: usize = 64 * 1024;

#[derive(NpyRecord, Debug)]
struct Point {
    x: f64,
    name: String,
}

/// Reads the bytes in every way there is; returns the error of reading them as `T`.
fn refuse<T: NpyElement>(bytes: &[u8]) -> Error {
    // The tree of a header's values takes up to 96 bytes for each of its bytes, of which there are
    // at most 2^20.
    let bound = bytes.len() * 96 + 4 * FEW;
    let (result, peak) = with_peak(|| npy_core::read::<T>(bytes).map(|items| items.len()));
    assert!(peak < bound, "{peak} bytes were allocated for a file of {}", bytes.len());
    let error = result.expect_err("the file was taken");
    let path = scratch("hostile.npy");
    std::fs::write(&path, bytes).unwrap();
    let (loaded, peak) = with_peak(|| npy_core::load::<T>(&path).map(|items| items.len()));
    assert!(peak < bound, "{peak} bytes were allocated for a file of {}", bytes.len());
    let loaded = loaded.expect_err("the file was taken").without_path();
    assert_eq!(error.kind(), loaded.kind(), "{error} from a stream, {loaded} from a file");
    // Of these the result does not matter: they take arrays of every shape.
    let (_, peak) = with_peak(|| NpyReader::from_bytes(bytes).and_then(NpyReader::into_vec::<T>).is_ok());
    assert!(peak < bound, "{peak} bytes were allocated for a file of {} in memory", bytes.len());
    let (_, peak) = with_peak(|| NpyReader::new(bytes).and_then(|reader| reader.into_columns::<(T, T)>(["x", "f0"])).is_ok());
    assert!(peak < bound, "{peak} bytes were allocated for columns of a file of {}", bytes.len());
    let (_, peak) = with_peak(|| ["x", "f0"].map(|name| npy_core::view_column::<f64>(bytes, name).is_ok()));
    assert!(peak < bound, "{peak} bytes were allocated for columns in place of a file of {}", bytes.len());
    error
}

fn header(text: &str) -> Vec<u8> {
    file_with_header(1, text.as_bytes(), b"")
}

fn array(descr: &str, shape: &str) -> Vec<u8> {
    header(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"))
}

macro_rules! assert_refused {
    ($bytes:expr, $kinds:pat) => {
        assert_refused!($bytes, $kinds, "");
    };
    ($bytes:expr, $kinds:pat, $message:literal) => {
        let error = refuse::<f64>(&$bytes[..]);
        assert!(matches!(error.kind(), $kinds) && error.to_string().contains($message), "{:?}: {error}", error.kind());
    };
}

/// Records of one field each, as many as the limit allows: none of them takes memory for those that
/// might come.
#[test]
fn many_records_within_a_record() {
    let fields: Vec<String> = (0..32_000).map(|i| format!("('{i}', [('b', '|u1')])")).collect();
    let header = format!("{{'descr': [{}], 'fortran_order': False, 'shape': (1,), }}\n", fields.join(", "));
    let file = file_with_header(2, header.as_bytes(), &vec![0; 32_000]);
    let (parsed, peak) = with_peak(|| Header::parse(&file).unwrap());
    assert_eq!(parsed.0.dtype().itemsize(), 32_000);
    assert!(peak < 20 * file.len(), "{peak} bytes for {}", file.len());
}

#[test]
fn headers_that_lie() {
    // 15 bytes that claim a header of 4 GiB.
    let claim = b"\x93NUMPY\x02\0\xff\xff\xff\xff{'d";
    assert_refused!(claim, ErrorKind::LimitExceeded, "bytes of the header, found 4294967295;");
    assert_refused!(
        b"\x93NUMPY\x03\0\xff\xff\x0f\x00{'d",
        ErrorKind::Truncated,
        "the header needs 1048575 bytes at offset 12, found 3"
    );
    let (result, peak) = with_peak(|| Header::parse(claim).is_err() && Header::read(&claim[..]).is_err());
    assert!(result && peak < FEW);

    for shape in ["(1000000000000,)", "(1099511627776, 2)", "(5, 1000000, 1000000)"] {
        assert_refused!(array("'<f8'", shape), ErrorKind::Truncated | ErrorKind::WrongShape);
        let (_, peak) = with_peak(|| NpyReader::new(&array("'<f8'", shape)[..]).unwrap().into_vec::<f64>().unwrap_err());
        assert!(peak < 4 * FEW, "{peak}");
        let (_, peak) = with_peak(|| NpyReader::new(&array("'|S1'", shape)[..]).unwrap().into_vec::<String>().unwrap_err());
        assert!(peak < 4 * FEW, "{peak}");
        let (_, peak) = with_peak(|| NpyReader::new(&array("'|b1'", shape)[..]).unwrap().into_vec::<bool>().unwrap_err());
        assert!(peak < 4 * FEW, "{peak}");
    }
    // Sizes that wrap around if the itemsize counts twice; as values of which the type is not known
    // before, too.
    let path = scratch("claims.npy");
    for (descr, count) in [("'|V2147483647'", "(5,)"), ("'|V1073741824'", "(16,)"), ("'<f8'", "(1000000000000,)")] {
        let file = array(descr, count);
        std::fs::write(&path, &file).unwrap();
        let of_stream = || DynValues::read(&file[..]).unwrap_err();
        let of_file = || DynValues::load_with(&path, ReadOptions::new().threads(4)).unwrap_err();
        for (error, peak) in [with_peak(of_stream), with_peak(of_file)] {
            assert!(error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 0"), "{error}");
            assert!(peak < 8 * FEW, "{peak}");
        }
    }
    // An element of 2 GiB.
    for count in ["(1,)", "(1000000,)"] {
        let (error, peak) = with_peak(|| npy_core::read::<Void>(&array("'|V2147483647'", count)[..]).unwrap_err());
        assert!(error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 0"), "{error}");
        assert!(peak < 8 * FEW, "{peak}");
        let (error, peak) = with_peak(|| npy_core::read::<String>(&array("'<U536870911'", count)[..]).unwrap_err());
        assert!(error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 0"), "{error}");
        assert!(peak < 8 * FEW, "{peak}");
    }
}

#[test]
fn shapes_that_overflow() {
    for shape in [
        "(9223372036854775807, 2)",
        "(2305843009213693952,)",
        "(0, 4611686018427387904, 4)",
        "(4611686018427387904, 0, 4)",
        "(4294967296, 4294967296)",
        "(0, 9223372036854775807)",
    ] {
        assert_refused!(array("'<f8'", shape), ErrorKind::TooLarge, "overflows the address space");
        assert!(npy_core::view::<f64>(&array("'<f8'", shape)).is_err());
    }
    for shape in [
        "(9223372036854775809, 2)",
        "(18446744073709551616,)",
        "(99999999999999999999999999999999999999999999999999,)",
        "(-1,)",
        "(True,)",
        "(1.0,)",
        "3",
        "[3]",
    ] {
        assert_refused!(array("'<f8'", shape), ErrorKind::InvalidHeader, "invalid shape at byte ");
    }
    assert_refused!(array("'<f8'", &format!("({})", "1,".repeat(65))), ErrorKind::TooLarge, "at most 64, found 65");
}

/// Elements without bytes: their number is limited, and needs no loop where it needs none.
#[cfg(target_pointer_width = "64")]
#[test]
fn elements_without_bytes_are_limited() {
    assert_refused!(array("'|V0'", "(100000000000000,)"), ErrorKind::LimitExceeded);
    assert_eq!(refuse::<String>(&array("'|S0'", "(4611686018427387904,)")).kind(), ErrorKind::LimitExceeded);
    let many = array("'|S0'", "(4611686018427387904,)");
    let limits = Limits::new().empty_elements(u64::MAX);
    let (items, peak) = with_peak(|| npy_core::read_with::<FixedBytes<0>>(&many[..], limits).unwrap());
    assert_eq!(items.len(), 1 << 62);
    assert!(peak < FEW);
    let (error, peak) = with_peak(|| npy_core::read_with::<String>(&many[..], limits).unwrap_err());
    assert!(error.kind() == ErrorKind::OutOfMemory && peak < FEW, "{error}");
    assert_eq!(npy_core::read::<String>(&array("'|S0'", "(1000,)")[..]).unwrap(), vec![String::new(); 1000]);
}

#[test]
fn literals_that_nest_or_repeat() {
    for byte in ["[", "(", "{", "-", "'", "\\", "((", "[{", "u'", "#", "1_", ",", "{1:"] {
        for count in [24, 300, 20_000] {
            let text = byte.repeat(count);
            assert_refused!(file_with_header(2, text.as_bytes(), b""), ErrorKind::InvalidHeader | ErrorKind::LimitExceeded);
            let file = file_with_header(2, format!("{{'descr': {text}").as_bytes(), b"");
            assert_refused!(file, ErrorKind::InvalidHeader | ErrorKind::LimitExceeded);
        }
    }
    // The descr of 22 brackets that holds other readers for seconds.
    assert_refused!(array(&format!("{}{}", "[".repeat(22), "]".repeat(22)), "(1,)"), ErrorKind::InvalidDType);
    // As many fields as a header of the greatest length can have.
    let with_descr =
        |descr: &str| file_with_header(2, format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ()}}").as_bytes(), b"");
    assert_refused!(with_descr(&format!("[{}]", "('a','i1'),".repeat(60_000))), ErrorKind::InvalidDType);
    assert_refused!(with_descr(&format!("[{}]", "('a','i1'),".repeat(90_000))), ErrorKind::LimitExceeded, " fields, found ");
    assert_refused!(with_descr(&format!("'{}'", "b,".repeat(500_000))), ErrorKind::LimitExceeded, " fields, found ");
    // The values that take the most memory for their text.
    for value in ["[],", "1,", "(),", "'',"] {
        assert_refused!(with_descr(&format!("[{}]", value.repeat(300_000))), ErrorKind::InvalidDType | ErrorKind::LimitExceeded);
    }
    assert_refused!(array("[('x','<f8',(2147483647,2147483647,2147483647,0))]", "(1,)"), ErrorKind::InvalidDType);
    // Sub-arrays of sub-arrays whose size is more than a dtype can have.
    let nested = (0..90).fold("'<f8'".to_owned(), |descr, _| format!("({descr}, (3,))"));
    assert_refused!(array(&nested, "(1,)"), ErrorKind::InvalidDType);
}

/// Many missing fields, each with a list of the many fields that are there.
#[test]
fn long_lists_of_mismatches_stay_short() {
    let fields: String = (0..50_000).map(|i| format!("('f{i}','i1'),")).collect();
    let file = file_with_header(2, format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': (0,)}}").as_bytes(), b"");
    let (error, peak) = with_peak(|| npy_core::read::<Point>(&file[..]).unwrap_err());
    assert!(error.to_string().len() < 1000, "{error}");
    assert!(peak < file.len() * 32 + 4 * FEW, "{peak}");

    // Each of the many fields is one that the struct does not know.
    #[derive(NpyRecord)]
    #[npy(deny_unknown_fields)]
    struct Closed {
        #[allow(dead_code, reason = "only the unknown fields are of interest")]
        f0: i8,
    }
    let (error, peak) = with_peak(|| npy_core::read::<Closed>(&file[..]).map(|_| ()).unwrap_err());
    assert!(error.to_string().len() < 2000, "{error}");
    assert!(peak < file.len() * 32 + 4 * FEW, "{peak}");
    let (error, _) = with_peak(|| NpyReader::new(&file[..]).unwrap().into_columns::<(f32, f32)>(["f0", "g"]).unwrap_err());
    assert!(error.to_string().len() < 1000, "{error}");
}

/// Columns of an array that claims much and has nothing.
#[test]
fn columns_that_are_not_there() {
    for dtype in ["[('x', '<f8'), ('name', '<U4')]", "[('x', '<f8'), ('name', '<U100000')]"] {
        let file = array(dtype, "(1000000000000,)");
        let readers = [NpyReader::new(&file[..]).unwrap(), NpyReader::from_bytes(&file).unwrap()];
        for reader in readers {
            let (error, peak) = with_peak(|| reader.into_columns::<(f64, String)>(["x", "name"]).unwrap_err());
            assert!(error.kind() == ErrorKind::Truncated, "{error}");
            assert!(peak < 16 * FEW, "{peak}");
        }
    }
}

/// A record nests as deep as Python's brackets allow, and no deeper.
#[test]
fn records_nest_to_the_limit() {
    let nested = |depth: usize| format!("{}'<f8'{}", "[('a', ".repeat(depth), ")]".repeat(depth));
    // The dictionary is a bracket too.
    let (parsed, _) = Header::parse(&array(&nested(99), "(1,)")).unwrap();
    assert_eq!(parsed.dtype().itemsize(), 8);
    assert_eq!(parsed.dtype().descr(), nested(99));
    assert_refused!(array(&nested(100), "(1,)"), ErrorKind::LimitExceeded, "header nesting exceeds the limit of 200");
}

/// Every file cut at every byte, in every way of reading.
#[test]
fn files_cut_anywhere() {
    let points: Vec<u8> = {
        let header =
            Header::new("[('x', '>f8'), ('', '|V1'), ('name', '<U2')]".parse().unwrap(), npy_core::Order::C, &[3]).unwrap();
        [header.to_bytes(), [b'a', 0, 0, 0].repeat(13)[..51].to_vec()].concat()
    };
    assert_eq!(points.len(), 128 + 51);
    for length in 0..points.len() {
        let part = &points[..length];
        let error = npy_core::read::<Point>(part).unwrap_err();
        let is_right = match length {
            0 => error.kind() == ErrorKind::WrongFormat,
            1..8 => error.to_string().contains("the magic string needs "),
            8..10 => error.to_string().contains("the header length needs "),
            10..128 => error.to_string().contains("the header needs 118 bytes at offset 10, "),
            _ => {
                let expected_found = (length - 128) as u64;
                error.to_string().ends_with(&format!("the array needs 51 bytes at offset 128, found {expected_found}"))
            }
        };
        assert!(is_right, "{length}: {error}");
        assert!(Header::parse(&part[..length.min(127)]).is_err());
    }
    let doubles = written(&[1.0_f64, 2.0]);
    for length in 0..doubles.len() {
        refuse::<f64>(&doubles[..length]);
        assert!(npy_core::view::<f64>(&doubles[..length]).is_err());
    }
}

/// A whole read allocates the result, and no second buffer of that size.
#[test]
fn reading_takes_the_memory_of_the_result() {
    let path = scratch("large.npy");
    let size = 64 << 20;
    npy_core::save(&path, &vec![1.0_f64; size / 8]).unwrap();
    let (values, peak) = with_peak(|| npy_core::load::<f64>(&path).unwrap());
    assert_eq!(values.len(), size / 8);
    announce(&format!("peak memory of reading {size} bytes: {:.4} times as much", peak as f64 / size as f64));
    assert!(peak < size + size / 50, "{peak}");
    drop(values);

    // From a stream of unknown length the memory grows with what was read.
    let bytes = std::fs::read(&path).unwrap();
    let (values, peak) = with_peak(|| npy_core::read::<f64>(&bytes[..]).unwrap());
    assert_eq!(values.len(), size / 8);
    assert!(peak < size + size / 50, "{peak}");
    drop(values);
    let (_, peak) = with_peak(|| npy_core::read::<f64>(&bytes[..bytes.len() / 2]).unwrap_err());
    assert!(peak < size / 2 * 5 / 4 + 4 * FEW, "{peak}");

    // Records in parts: a stage and a chunk.
    let (count, peak) =
        with_peak(|| NpyReader::open(&path).unwrap().records::<f64>().map(Result::unwrap).filter(|value| *value == 1.0).count());
    assert_eq!(count, size / 8);
    assert!(peak < 2 << 20, "{peak}");
}

/// Elements of bools that are larger than what is read at a time.
#[test]
fn large_elements_of_bools() {
    const LENGTH: usize = 300_000;
    let mut file = array(&format!("('|b1', ({LENGTH},))"), "(2,)");
    file.resize(file.len() + 2 * LENGTH, 7);
    let mut flags = vec![[false; LENGTH]; 2];
    NpyReader::new(&file[..]).unwrap().read_into(&mut flags).unwrap();
    assert!(flags.iter().flatten().all(|flag| *flag));
    assert_eq!(npy_core::read::<[bool; LENGTH]>(&file[..]).unwrap(), flags);
}

/// A small file that claims many small elements of which large values would be made.
#[test]
fn small_claims_of_large_values() {
    #[derive(NpyRecord)]
    struct Large {
        #[npy(default)]
        blocks: [[f64; 16]; 8],
        byte: u8,
    }
    let file = array("[('byte', '|u1')]", "(65536,)");
    let (error, peak) =
        with_peak(|| npy_core::read::<Large>(&file[..]).map(|all| all[0].blocks[0][0] + f64::from(all[0].byte)).unwrap_err());
    assert!(error.kind() == ErrorKind::Truncated, "{error}");
    assert!(peak < 4 * FEW, "{peak}");
}

/// Archives that claim much and have little; and any flipped bit.
#[test]
fn archives_that_lie() {
    for is_compressed in [false, true] {
        let mut archive = writer_with(WriteOptions::new().compressed(is_compressed));
        archive.add_slice("x", &[1.0_f64; 100]).unwrap();
        archive.add_slice("names", &vec!["name".to_owned(); 100]).unwrap();
        // Its header claims a terabyte.
        archive.add_bytes("claim.npy", &array("'<f8'", "(100000000000,)")).unwrap();
        let archive = archive.finish().unwrap().into_inner();
        let read = |archive: &[u8]| {
            let mut reader = NpzReader::new(Cursor::new(archive))?;
            reader.by_name::<f64>("x")?;
            reader.by_name::<String>("names")?;
            reader.by_name::<f64>("claim")
        };
        let (error, peak) = with_peak(|| read(&archive).unwrap_err());
        assert!(error.kind() == ErrorKind::Truncated, "{error}");
        assert!(peak < 8 * FEW, "{peak}");
        for at in some(0..archive.len() * 8, 9) {
            let mut damaged = archive.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            let (_, peak) = with_peak(|| read(&damaged).is_err());
            assert!(peak < 16 * FEW, "bit {at}: {peak}");
            let (_, peak) = with_peak(|| {
                let mut stream = npy_core::npz::NpzStream::new(&damaged[..]);
                while let Ok(Some(mut member)) = stream.next() {
                    let _ = member.array().and_then(NpyReader::into_vec::<f64>);
                }
            });
            assert!(peak < 16 * FEW, "bit {at} of a stream: {peak}");
        }
    }
}

/// Streaming an archive (`cat x.npz | reader`) allocates only the arrays that the caller keeps.
#[test]
fn archives_in_a_pipe_take_the_memory_of_one_array() {
    const LARGEST: usize = 16 << 20;
    let zeros = vec![0_u64; LARGEST / 8];
    for (is_compressed, kept) in [(false, 3), (true, 3), (false, 1), (true, 1)] {
        let mut archive = NpzWriter::streaming(Vec::new());
        archive.set_options(archive.options().compressed(is_compressed).level(1));
        for (name, length) in [("a", LARGEST / 2), ("b", LARGEST), ("c", 1000), ("d", LARGEST)] {
            archive.add_slice(name, &zeros[..length / 8]).unwrap();
        }
        let archive = archive.finish().unwrap();
        let (sizes, peak) = with_peak(|| {
            let mut stream = NpzStream::new(Slow(&archive, 65_536));
            let mut sizes = Vec::new();
            while let Some(mut member) = stream.next().unwrap() {
                if sizes.len() < kept {
                    sizes.push(member.array().unwrap().into_vec::<u64>().unwrap().len() * 8);
                }
            }
            sizes
        });
        assert_eq!(sizes, [LARGEST / 2, LARGEST, 1000][..kept]);
        let largest = *sizes.iter().max().unwrap();
        announce(&format!("an archive of {} bytes in a pipe: {largest} bytes kept at most, {peak} allocated", archive.len()));
        // And the bytes that are buffered.
        assert!(peak <= largest + 6 * FEW, "{peak}");
        // Every member is skipped.
        let (count, peak) = with_peak(|| {
            let mut stream = NpzStream::new(Slow(&archive, 65_536));
            let mut count = 0;
            while stream.next().unwrap().is_some() {
                count += 1;
            }
            count
        });
        assert!(count == 4 && peak < 6 * FEW, "{peak}");
    }
}

/// Members that claim dictionaries and windows of gigabytes.
#[test]
fn decoders_bound_claimed_dictionaries_and_windows() {
    // One member of these bytes, by this method, that claims to be that large.
    let archive = |method: u16, flags: u16, data: &[u8], size: u32| {
        let mut file = Vec::new();
        let fields = |file: &mut Vec<u8>| {
            file.extend(20_u16.to_le_bytes());
            file.extend(flags.to_le_bytes());
            file.extend(method.to_le_bytes());
            file.extend([0; 8]);
            file.extend((data.len() as u32).to_le_bytes());
            file.extend(size.to_le_bytes());
            file.extend([5, 0, 0, 0]);
        };
        file.extend(b"PK\x03\x04");
        fields(&mut file);
        file.extend(b"x.npy");
        file.extend(data);
        let begin = file.len() as u32;
        file.extend(b"PK\x01\x02\x14\0");
        fields(&mut file);
        file.extend([0; 14]);
        file.extend(b"x.npy");
        let length = file.len() as u32 - begin;
        file.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        file.extend(length.to_le_bytes());
        file.extend(begin.to_le_bytes());
        file.extend([0, 0]);
        file
    };
    let lzma = |dictionary: u32| [&[9, 4, 5, 0, 0x5d][..], &dictionary.to_le_bytes(), &[0; 100]].concat();
    // A frame of a window of 2 GiB.
    let zstd = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8][..], &[0; 100]].concat();
    let bzip2 = [&b"BZh9"[..], &[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], &[0xff; 100]].concat();
    // One that needs it, and one that does not.
    let error = NpzReader::from_bytes(&archive(14, 0, &lzma(u32::MAX), u32::MAX - 1)).unwrap().by_name::<u8>("x").unwrap_err();
    assert_eq!(error.to_string(), "member \"x\": dictionary too large: expected at most 128 MiB");
    let cases = [
        (14, 0, lzma(u32::MAX), 1000),
        (14, 2, lzma(u32::MAX), u32::MAX - 1),
        (14, 0, lzma(1 << 30), u32::MAX - 1),
        (93, 0, zstd, u32::MAX - 1),
        (12, 0, bzip2, u32::MAX - 1),
        (8, 0, vec![0xff; 100], u32::MAX - 1),
    ];
    for (method, flags, data, size) in cases {
        let archive = archive(method, flags, &data, size);
        let read = || NpzReader::from_bytes(&archive).unwrap().by_name::<u8>("x").unwrap_err();
        let (error, peak) = with_peak(read);
        assert_eq!(error.member(), Some("x"));
        assert!(
            matches!(
                error.kind(),
                ErrorKind::InvalidArchive | ErrorKind::Unsupported | ErrorKind::Truncated | ErrorKind::WrongFormat
            ),
            "{method}: {error}"
        );
        // bzip2 has tables for its blocks of 900 kB.
        assert!(peak < if method == 12 { 8 << 20 } else { 32 * FEW }, "{method}: {peak}");
    }
}

/// What is not in the region takes no memory, and neither does what is not there.
#[cfg(target_pointer_width = "64")]
#[test]
fn regions_take_the_memory_of_their_result() {
    const STAGE: usize = 256 * 1024;
    let path = scratch("sparse.npy");
    let header = Header::new(f64::dtype(), Order::C, &[1000, 1000, 1000]).unwrap();
    std::fs::write(&path, header.to_bytes()).unwrap();
    let all = AxisRange::from(..);
    let regions = [
        [AxisRange::from(5..900).step_by(7), (20..30).into(), (10..20).into()],
        [999.into(), all.step_by(2), all.step_by(2)],
        [all.step_by(100), all.step_by(100), all.step_by(10)],
        [500.into(), all, (1..).into()],
        [3.into(), 4.into(), all],
        [all, all, 0.into()],
    ];
    for region in &regions {
        let (error, peak) = with_peak(|| NpyReader::open(&path).unwrap().read_region::<f64>(region).unwrap_err());
        assert!(
            error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 0") && peak < STAGE + 2 * FEW,
            "{peak}"
        );
        let cursor = std::io::Cursor::new(header.to_bytes());
        let (error, peak) = with_peak(|| NpyReader::new(cursor).unwrap().read_region::<f64>(region).unwrap_err());
        assert!(
            error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 0") && peak < STAGE + 2 * FEW,
            "{peak}"
        );
    }
    std::fs::File::options().append(true).open(&path).unwrap().set_len(header.to_bytes().len() as u64 + 8_000_000_000).unwrap();
    for region in &regions[..5] {
        let (items, peak) = with_peak(|| NpyReader::open(&path).unwrap().read_region::<f64>(region).unwrap());
        assert!(peak < items.len() * 8 + STAGE + FEW, "{peak} for {}", items.len());
    }
    let mut reader = NpyReader::new(std::fs::File::open(&path).unwrap()).unwrap();
    let (result, peak) = with_peak(|| reader.skip(3));
    assert!(result.is_ok() && peak < STAGE + FEW, "{peak}");
    // An iterator's memory does not depend on how many ranges there are.
    let (count, peak) = with_peak(|| byte_ranges(&header, &[all.step_by(10), all, all.step_by(100)]).unwrap().count());
    assert!(count == 1_000_000 && peak < 1000, "{count} {peak}");
}
