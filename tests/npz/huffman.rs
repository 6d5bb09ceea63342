//! Deflate data of `NpzWriter`, decoded by zlib-rs, miniz_oxide and Python's zlib.

use npy_core::npz::{NpzReader, WriteOptions};

use crate::support::archives::{random, writer_with};
use crate::support::numpy::{numpy, push_frame};
use crate::support::some;

/// Content for Huffman codes alone, for matches, for both in turn, and for stored blocks.
fn members() -> Vec<(&'static str, Vec<u8>)> {
    let mut state = 11;
    let mut uniform = || (random(&mut state) as f64 + 0.5) / (1_u64 << 31) as f64;
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * uniform().cos();
    let floats: Vec<u8> = (0..400_000).flat_map(|_| normal().to_le_bytes()).collect();
    let singles: Vec<u8> = (0..400_000).flat_map(|_| (normal() as f32).to_le_bytes()).collect();
    let steps: Vec<u8> = (0..400_000_u64).flat_map(|i| (i / 3).to_be_bytes()).collect();
    // Changes at and within blocks.
    let turns: Vec<u8> = floats.chunks(300_000).zip(steps.chunks(300_000)).flat_map(|(a, b)| [a, b].concat()).collect();
    let random: Vec<u8> = (0..3 << 20).map(|_| (random(&mut state) >> 7) as u8).collect();
    let few = random.iter().map(|byte| b"ACGT"[usize::from(byte % 4)]).collect();
    let one_of_many = random.iter().map(|byte| if *byte == 0 { b'x' } else { b'.' }).collect();
    vec![
        ("floats", floats),
        ("singles", singles),
        ("steps", steps),
        ("turns", turns),
        ("random", random),
        ("few", few),
        ("one of many", one_of_many),
        ("zeros", vec![0; 3 << 20]),
        ("short", b"abcabcabc".to_vec()),
        ("empty", Vec::new()),
    ]
}

/// The data of the only member of an archive.
fn deflated(content: &[u8], level: u32, threads: usize) -> Vec<u8> {
    let mut archive = writer_with(WriteOptions::new().compressed(true).level(level).threads(threads));
    archive.add_bytes("x", content).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    let mut reader = NpzReader::from_bytes(&archive).unwrap();
    assert_eq!(reader.bytes(0, 1 << 30).unwrap(), content);
    let size = usize::try_from(reader.compressed_size(0).unwrap()).unwrap();
    archive[30 + 1 + 20..][..size].to_vec()
}

/// Decoded by all, the same bytes by any number of threads, and never many more than those of zlib.
#[test]
fn three_inflaters_decode_our_deflate_as_small_as_zlib() {
    let (mut frames, mut lengths) = (Vec::new(), Vec::new());
    for (name, content) in members() {
        for level in some([6, 1, 9], 3) {
            let deflated = deflated(&content, level, 1);
            let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(&deflated, content.len() + 1).unwrap();
            assert!(inflated == content, "{name} {level}");
            push_frame(&mut frames, &content);
            push_frame(&mut frames, &deflated);
            lengths.push((name, level, deflated.len()));
            assert!(level != 6 || deflated == self::deflated(&content, level, 3), "{name}");
        }
    }
    let Some(numpy) = numpy("three_inflaters_decode_our_deflate_as_small_as_zlib") else { return };
    let printed = numpy.prints(["archives.py", "deflate"], &frames);
    assert_eq!(printed.lines().count(), lengths.len());
    for ((name, level, ours), zlib) in lengths.into_iter().zip(printed.lines()).filter(|((_, level, _), _)| *level == 6) {
        let zlib: usize = zlib.parse().unwrap();
        let most = if name == "floats" || name == "random" { zlib } else { zlib + zlib / 50 + 64 };
        assert!(ours <= most, "{name} of level {level}: {ours} {zlib}");
    }
}
