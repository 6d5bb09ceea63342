//! Ways to read that are fast: they give what the plain way gives, and refuse what it refuses.

#[path = "support/peak.rs"]
mod peak;
mod support;

use std::fmt::Debug;

use npy_core::{Error, ErrorKind, FixedBytes, Header, NpyElement, NpyReader, NpyRecord, Order, Part};
use peak::with_peak;

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Pick {
    station: String,
    time: f64,
}

/// A file of so many elements, whose bytes are those that count up modulo a prime.
fn file(descr: &str, count: usize) -> Vec<u8> {
    let header = Header::new(descr.parse().unwrap(), Order::C, &[count]).unwrap();
    let bytes = usize::try_from(header.data_bytes()).unwrap();
    let mut file = header.to_bytes();
    file.extend((0..bytes).map(|i| u8::try_from(i % 251).unwrap()));
    file
}

/// All elements as they come in chunks, and the length of the longest.
fn in_chunks<T: NpyElement + Clone, R: std::io::Read>(mut reader: NpyReader<R>) -> Result<(Vec<T>, usize), Error> {
    let (mut items, mut longest) = (Vec::new(), 0);
    reader.for_each_chunk(|chunk: &[T]| {
        assert!(!chunk.is_empty());
        longest = longest.max(chunk.len());
        items.extend_from_slice(chunk);
        Ok(())
    })?;
    assert_eq!(reader.remaining(), 0);
    Ok((items, longest))
}

/// Reads a file in chunks from a stream, from memory and from the disk; all must be what `into_vec` gives.
fn check_chunks<T: NpyElement + Clone + PartialEq + Debug>(descr: &str, count: usize) {
    let file = file(descr, count);
    let whole = NpyReader::from_bytes(&file).unwrap().into_vec::<T>().unwrap();
    assert_eq!(whole.len(), count);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("array.npy");
    std::fs::write(&path, &file).unwrap();
    let streamed = in_chunks::<T, _>(NpyReader::new(&file[..]).unwrap()).unwrap();
    for (items, longest) in
        [in_chunks(NpyReader::from_bytes(&file).unwrap()).unwrap(), in_chunks(NpyReader::open(&path).unwrap()).unwrap(), streamed]
    {
        assert!(items == whole, "{descr} {count}");
        assert!(longest * size_of::<T>().max(1) <= 256 * 1024 || longest == 1 || size_of::<T>() == 0, "{longest}");
    }
    // Cut anywhere, the error is that of reading all.
    let data = Header::parse(&file).unwrap().1;
    for length in [data, data + (file.len() - data) / 2, file.len().saturating_sub(1).max(data)] {
        if length == file.len() {
            continue;
        }
        let expected = NpyReader::new(&file[..length]).unwrap().into_vec::<T>().unwrap_err().to_string();
        std::fs::write(&path, &file[..length]).unwrap();
        assert_eq!(in_chunks::<T, _>(NpyReader::new(&file[..length]).unwrap()).unwrap_err().to_string(), expected, "{descr}");
        assert_eq!(in_chunks::<T, _>(NpyReader::open(&path).unwrap()).unwrap_err().to_string(), expected, "{descr}");
    }
}

#[test]
fn chunks_are_the_array() {
    for count in [0, 1, 2, 1000, 32_768, 32_769, 100_000] {
        check_chunks::<u8>("|u1", count);
        check_chunks::<bool>("|b1", count);
        check_chunks::<i16>(">i2", count);
        check_chunks::<u64>("<u8", count);
        check_chunks::<u64>(">u8", count);
        check_chunks::<FixedBytes<7>>("|S7", count);
        check_chunks::<FixedBytes<0>>("|S0", count.min(1000));
    }
    check_chunks::<FixedBytes<300_000>>("|S300000", 3);
}

#[test]
fn chunks_of_what_is_decoded() {
    let picks: Vec<Pick> = (0..50_000).map(|i| Pick { station: format!("S{}", i % 77), time: f64::from(i) }).collect();
    let mut file = Vec::new();
    npy_core::write(&mut file, &picks).unwrap();
    for chunks in [in_chunks::<Pick, _>(NpyReader::new(&file[..]).unwrap()), in_chunks(NpyReader::from_bytes(&file).unwrap())] {
        assert!(chunks.unwrap().0 == picks);
    }
    // Behind what was read before, and the stream behind the array.
    file.push(b'!');
    let mut reader = NpyReader::new(&file[..]).unwrap();
    assert_eq!(reader.records::<Pick>().next().unwrap().unwrap(), picks[0]);
    let left = reader.remaining();
    let mut seen = 0;
    let count = |chunk: &[Pick]| {
        seen += chunk.len();
        Ok(())
    };
    reader.for_each_chunk(count).unwrap();
    assert_eq!(seen, left);
    assert_eq!(reader.into_inner(), b"!");
    // The index in the error is that in the array.
    let mut broken = Vec::new();
    npy_core::write(&mut broken, &vec!["é".to_owned(); 200_000]).unwrap();
    let at = broken.len() - 4;
    broken[at..].copy_from_slice(&0x11_0000_u32.to_le_bytes());
    let error = in_chunks::<String, _>(NpyReader::new(&broken[..]).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), npy_core::read::<String>(&broken[..]).unwrap_err().to_string());
    assert!(error.to_string().contains("199999"), "{error}");
}

#[test]
fn chunks_end_at_an_error() {
    let file = file("<u2", 300_000);
    let mut reader = NpyReader::new(&file[..]).unwrap();
    let mut calls = 0;
    let refuse = |_: &[u16]| {
        calls += 1;
        Err(ErrorKind::ObjectArray.into())
    };
    assert!(matches!(reader.for_each_chunk(refuse).unwrap_err().kind(), ErrorKind::ObjectArray));
    assert_eq!(calls, 1);
    assert!(reader.into_vec::<u16>().is_err());
    // Another dtype is an error of an empty array, too.
    let mut empty = NpyReader::new(&file[..]).unwrap();
    empty.skip(300_000).unwrap();
    assert!(matches!(empty.for_each_chunk(|_: &[f32]| Ok(())).unwrap_err().kind(), ErrorKind::Mismatch { .. }));
}

#[test]
fn chunks_take_the_memory_of_one() {
    let large = file(">f8", 2_000_000);
    let (_, peak) = with_peak(|| NpyReader::new(&large[..]).unwrap().for_each_chunk(|_: &[f64]| Ok(())).unwrap());
    assert!(peak < 300 * 1024, "{peak}");
    // An array that claims more than there is.
    let mut claim = Header::new("<f8".parse().unwrap(), Order::C, &[1 << 40]).unwrap().to_bytes();
    claim.extend([0; 20]);
    let (error, peak) = with_peak(|| NpyReader::new(&claim[..]).unwrap().for_each_chunk(|_: &[f64]| Ok(())).unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::Truncated { part: Part::Data, found: 20, .. }), "{error}");
    assert!(peak < 300 * 1024, "{peak}");
}
