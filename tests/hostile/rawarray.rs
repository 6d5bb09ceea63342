//! Hostile RawArray files: the right error with its position, in bounded time and memory.

use npy_core::dtype::ByteOrder;
use npy_core::rawarray::{self, RaArray, RaHeader, RaKind};
use npy_core::{DynValues, Error, ErrorKind, Limits, Order};
use npy_ndarray::ReadRaExt;

use crate::peak::with_peak;
use crate::support::ra::{file_of, header, pseudo_random};
use crate::support::{rounds, scratch, some};

/// What a file of a few bytes may cost, whatever it claims.
const FEW: usize = 64 * 1024;

/// Reads the bytes in every way there is, at a bounded cost; returns the result of reading the
/// whole as a value.
fn read(bytes: &[u8]) -> Result<RaArray, Error> {
    // A block of LZ4 holds 255 bytes in one at most; a stream's memory grows by a quarter and is
    // doubled for its metadata.
    let bound = bytes.len() * 600 + 4 * FEW;
    let (result, peak) = with_peak(|| RaArray::read(bytes));
    assert!(peak < bound, "{peak} bytes were allocated for a file of {}", bytes.len());
    let path = scratch("hostile.ra");
    std::fs::write(&path, bytes).unwrap();
    let (loaded, peak) = with_peak(|| RaArray::load(&path));
    assert!(peak < bound, "{peak} bytes were allocated for a file of {}", bytes.len());
    match (&result, &loaded) {
        (Ok(ours), Ok(loaded)) => assert_eq!(ours, loaded),
        (Err(ours), Err(loaded)) => assert!(loaded.to_string().ends_with(&ours.to_string()), "{ours}; {loaded}"),
        _ => panic!("a stream gives {result:?}, a file {loaded:?}"),
    }
    let (as_array, peak) = with_peak(|| ndarray::ArrayD::<u16>::read_ra(bytes).is_ok());
    assert!(peak < bound, "{peak} bytes were allocated for a file of {}", bytes.len());
    assert!(!as_array || result.is_ok());
    let (as_slice, peak) = with_peak(|| rawarray::load::<u16>(&path).is_ok());
    assert!(peak < bound, "{peak} bytes were allocated for a file of {}", bytes.len());
    assert!(!as_slice || as_array);
    result
}

/// The kind of the error, where in the file it is, and its message.
fn problem(bytes: &[u8]) -> (ErrorKind, Option<u64>, String) {
    let error = read(bytes).unwrap_err();
    (error.kind(), error.offset(), error.to_string())
}

/// The problem of a header with this message at an offset.
fn invalid(offset: u64, message: String) -> (ErrorKind, Option<u64>, String) {
    (ErrorKind::InvalidHeader, Some(offset), message)
}

fn wrong_size(expected: u64, found: u64) -> (ErrorKind, Option<u64>, String) {
    invalid(32, format!("invalid data size at byte 32: expected {expected} bytes, found {found}"))
}

fn wrong_compressed_size(expected: u64, found: u64) -> (ErrorKind, Option<u64>, String) {
    invalid(32, format!("invalid compressed size at byte 32: {found} bytes cannot decompress to {expected}"))
}

fn damaged(offset: u64) -> (ErrorKind, Option<u64>, String) {
    (ErrorKind::InvalidData, Some(offset), format!("invalid compressed data at byte {offset}"))
}

/// A file of six `<u2` in two dimensions.
fn small() -> Vec<u8> {
    file_of(RaKind::Unsigned, 2, ByteOrder::Little, &[2, 3], b"end")
}

fn small_compressed() -> Vec<u8> {
    let values = DynValues::new("<u2".parse().unwrap(), Order::Fortran, &[20, 3], [1, 0, 2].repeat(40)).unwrap();
    let mut file = Vec::new();
    RaArray::try_from(values).unwrap().compressed().unwrap().with_metadata(*b"end").write(&mut file).unwrap();
    assert!(file.len() < 64 + 120);
    file
}

#[test]
fn every_cut_is_an_error_and_every_bit_flip_is_harmless() {
    for file in [small(), small_compressed()] {
        let end = file.len() - b"end".len();
        for length in 0..end {
            let error = read(&file[..length]).unwrap_err();
            let part = match length {
                0 => {
                    assert_eq!(error.kind(), ErrorKind::WrongFormat, "{error}");
                    continue;
                }
                1..8 => "the magic string",
                8..64 => "the header",
                _ => "the array",
            };
            assert!(error.to_string().starts_with(&format!("truncated file: {part} needs ")), "{length}: {error}");
            assert_eq!(error.offset(), Some(length as u64), "{error}");
        }
        let original = read(&file).unwrap();
        let (mut taken, mut refused) = (0, 0);
        for byte in some(0..file.len(), 3) {
            for bit in 0..8 {
                let mut changed = file.clone();
                changed[byte] ^= 1 << bit;
                match read(&changed) {
                    Ok(array) => {
                        // Whatever is taken says what the bytes say.
                        assert_ne!(array, original);
                        let mut written = Vec::new();
                        array.write(&mut written).unwrap();
                        assert_eq!(written, changed);
                        taken += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        let tried = taken + refused;
        assert!(taken * 12 > tried && refused * 4 > tried, "{taken} {refused}");
    }
}

#[test]
fn lies_in_each_number() {
    let file = |position: usize, number: u64| {
        let mut file = small();
        file[8 * position..][..8].copy_from_slice(&number.to_le_bytes());
        file
    };
    // Flag 4 is for single bits in the crate `rawarray`, which neither writes nor reads them.
    for number in [4, 5, 7, 1 << 63, u64::MAX] {
        assert_eq!(
            problem(&file(1, number)),
            invalid(8, format!("unknown flags at byte 8: expected 0x1 (big-endian) and 0x2 (LZ4) at most, found {number:#x}"))
        );
    }
    // Data that were not compressed.
    assert!(matches!(problem(&file(1, 3)), (ErrorKind::InvalidData, Some(64..), _)));
    for number in [6, 7, 256, u64::MAX] {
        assert_eq!(
            problem(&file(2, number)),
            invalid(16, format!("unknown type code at byte 16: expected 0 (user-defined) to 5 (brain float), found {number}"))
        );
    }
    for number in [0, 3, 5, 32, 1 << 32, u64::MAX] {
        let expected = format!("invalid element size at byte 24: expected 1, 2, 4, 8 or 16 bytes for type code 2, found {number}");
        assert_eq!(problem(&file(3, number)), invalid(24, expected));
    }
    assert_eq!(problem(&file(3, 4)), wrong_size(24, 12));
    for number in [0, 11, 13, 1 << 40, u64::MAX] {
        assert_eq!(problem(&file(4, number)), wrong_size(12, number));
    }
    for number in [65, 1 << 32, 1 << 60, 1 << 63, u64::MAX] {
        let expected = format!("too many dimensions at byte 40: expected at most 64, found {number}");
        assert_eq!(problem(&file(5, number)), (ErrorKind::TooLarge, Some(40), expected));
    }
    // One dimension fewer or more than there are.
    assert_eq!(problem(&file(5, 1)), wrong_size(4, 12));
    assert!(read(&file(5, 64)).unwrap_err().to_string().contains("the header needs 512 bytes at offset 48, "));
    for dims in [[u64::MAX, 3], [1 << 63, 1 << 63], [1 << 32, 1 << 32], [0, u64::MAX], [1 << 62, 0]] {
        let mut overflowing = file(6, dims[0]);
        overflowing[56..64].copy_from_slice(&dims[1].to_le_bytes());
        let expected =
            format!("array too large at byte 48: dimensions {dims:?} with 2 bytes per element overflow the address space");
        assert_eq!(problem(&overflowing), (ErrorKind::TooLarge, Some(48), expected));
    }
}

#[test]
fn sizes_that_agree_with_each_other_and_not_with_the_file() {
    for count in [1 << 20, 1 << 40, 1 << 61] {
        let lie = [header(0, 2, 2, 2 * count as u64, &[count]), vec![1; 100]].concat();
        let error = read(&lie).unwrap_err();
        assert!(
            error.to_string().contains("the array needs ")
                && error.to_string().contains(" at offset 56, ")
                && error.to_string().ends_with(", found 100"),
            "{error}"
        );
        let limits = Limits::new().data_bytes(1 << 20);
        let error = RaArray::read_with(&lie[..], limits).unwrap_err();
        assert!(error.to_string().contains("at most 1048576 bytes of data, "), "{error}");
    }
    // A single element of more bytes than NumPy allows, and of as many as it does.
    let error = read(&header(0, 0, 1 << 31, 1 << 31, &[1])).unwrap_err();
    assert!(error.to_string().contains(" bytes of an element, found 2147483648; "), "{error}");
    let error = read(&header(0, 0, (1 << 31) - 1, (1 << 31) - 1, &[1])).unwrap_err();
    assert!(error.to_string().contains("the array needs ") && error.to_string().ends_with(", found 0"), "{error}");
    // Elements without bytes, of which there can be any number.
    let error = read(&header(0, 0, 0, 0, &[1 << 40])).unwrap_err();
    assert!(error.kind() == ErrorKind::LimitExceeded && error.to_string().contains(" elements without bytes, found "), "{error}");
    assert_eq!(read(&header(0, 0, 0, 0, &[3])).unwrap().header().dims(), [3]);
    let error = RaHeader::parse_with(&header(0, 2, 2, 0, &[0; 64]), Limits::new().header_bytes(100)).unwrap_err();
    assert!(error.to_string().contains("expected at most 100 bytes of the header, found 560; "), "{error}");
    assert_eq!(RaHeader::parse(&header(0, 2, 2, 0, &[0; 64])).unwrap().0.dims(), [0; 64]);
}

#[test]
fn compressed_data_that_lie() {
    // 100 bytes that claim to be many: more than LZ4 could make of them, and as many as it could.
    let block = vec![0xff; 100];
    let lie = |count: usize| [header(2, 2, 1, 100, &[count]), block.clone()].concat();
    assert_eq!(problem(&lie(1 << 40)), wrong_compressed_size(1 << 40, 100));
    assert_eq!(problem(&lie(25_501)), wrong_compressed_size(25_501, 100));
    assert_eq!(problem(&lie(25_500)), damaged(56));
    let error = read(&header(2, 2, 1, 1 << 40, &[1 << 40])).unwrap_err();
    assert!(
        error.to_string().contains("the array needs ")
            && error.to_string().contains(" at offset 56, ")
            && error.to_string().ends_with(", found 0"),
        "{error}"
    );
    assert_eq!(problem(&header(2, 2, 1, 1 << 40, &[1])), wrong_compressed_size(1, 1 << 40));
    // A block that is whole, of another length.
    let compressed = small_compressed();
    let data_bytes = RaHeader::parse(&compressed).unwrap().0.data_bytes();
    let block = &compressed[64..][..usize::try_from(data_bytes).unwrap()];
    let other = [header(2, 2, 2, data_bytes, &[61]), block.to_vec()].concat();
    let expected = "wrong length of the decompressed data at byte 56: expected 122 bytes, found 120".to_owned();
    assert_eq!(problem(&other), (ErrorKind::InvalidData, Some(56), expected));
    // A match that begins before the data: 1 literal, then 5 bytes from 9 back, then 5 literals.
    let before = [&[0x11, 7, 9, 0, 0x50][..], &[1; 5]].concat();
    let file = [header(2, 2, 1, before.len() as u64, &[11]), before].concat();
    assert_eq!(problem(&file), damaged(56));
    let right = [&[0x11, 7, 1, 0, 0x50][..], &[1; 5]].concat();
    let file = [header(2, 2, 1, right.len() as u64, &[11]), right].concat();
    assert_eq!(read(&file).unwrap().values().bytes(), [7, 7, 7, 7, 7, 7, 1, 1, 1, 1, 1]);
    // An empty block is not a block.
    assert_eq!(problem(&header(2, 2, 1, 0, &[0])), damaged(56));
}

#[test]
fn rejects_random_bytes() {
    let noise = pseudo_random(200_000);
    for start in some((0..noise.len()).step_by(97), 10) {
        let part = &noise[start..(start + 150).min(noise.len())];
        assert_eq!(problem(part).0, ErrorKind::WrongFormat);
    }
    // Behind a header of compressed data: an error, or what it says.
    let (mut taken, mut refused) = (0, 0);
    for start in some((0..noise.len() - 64).step_by(61), 10) {
        let count = 1 + usize::from(noise[start]);
        let file = [header(2, 2, 1, 40, &[count]), noise[start..][..40].to_vec()].concat();
        match read(&file) {
            Ok(array) => {
                assert_eq!(array.values().bytes().len(), count);
                taken += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > rounds(100), "{taken} {refused}");
}

#[test]
fn error_messages() {
    let small = small();
    let magic = |bytes: &[u8]| RaArray::read(bytes).unwrap_err();
    insta::assert_snapshot!(magic(b""), @"not an .ra file: the input is empty");
    insta::assert_snapshot!(magic(b"rawa"), @"truncated file: the magic string needs 8 bytes at offset 0, found 4");
    insta::assert_snapshot!(magic(b"yarrawar\0\0"), @r#"not an .ra file: expected "rawarray", found "yarrawar"; the header is in big-endian order"#);
    insta::assert_snapshot!(magic(b"\x93NUMPY\x01\0v\0{'des"), @r#"not an .ra file: expected "rawarray", found "\x93NUMPY\x01\x00", an .npy file; read it with `load`"#);
    insta::assert_snapshot!(magic(b"RAWARRAY"), @r#"not an .ra file: expected "rawarray", found "RAWARRAY""#);
    insta::assert_snapshot!(magic(&small[..40]), @"truncated file: the header needs 40 bytes at offset 8, found 32");
    insta::assert_snapshot!(magic(&small[..60]), @"truncated file: the header needs 16 bytes at offset 48, found 12");
    insta::assert_snapshot!(magic(&small[..70]), @"truncated file: the array needs 12 bytes at offset 64, found 6");
    insta::assert_snapshot!(npy_core::read::<u16>(&small[..]).unwrap_err(), @r#"not an .npy file: expected "\x93NUMPY", found "rawarray", an .ra file; read it with `rawarray` (feature `rawarray`)"#);
    insta::assert_snapshot!(RaHeader::new(RaKind::BrainFloat, 4, ByteOrder::Little, &[1]).unwrap_err(), @"invalid element size at byte 24: expected 2 bytes for type code 5, found 4");
    let mixed = DynValues::new("[('a', '<u2'), ('b', '>u2')]".parse().unwrap(), Order::C, &[1], vec![0; 4]).unwrap();
    insta::assert_snapshot!(RaArray::try_from(mixed).unwrap_err(), @"unsupported dtype [('a', '<u2'), ('b', '>u2')]: expected one byte order, found both; convert it with `array.astype(array.dtype.newbyteorder('<'))`");
    let array = RaArray::read(&small[..]).unwrap();
    insta::assert_snapshot!(array.with_dtype("|b1".parse().unwrap()).unwrap_err(), @"cannot read the elements as |b1: expected user-defined ones (type code 0) of its size, found type code 2 with 2 bytes");
    insta::assert_snapshot!(format!("{:#}", rawarray::load::<u8>("no/such.ra").unwrap_err()), @"no/such.ra: cannot open the file: No such file or directory (os error 2)");
}
