//! Floats of random bits through the text formats and back.

use std::env;
use std::fs;

use npy_core::{DynValues, Order};

use super::{convert, load};
use crate::support::{Files, rounds, some};

/// The values of each width, unless `NPY_FLOATS` says otherwise; an eighth of long doubles, whose arithmetic is slow.
const FLOATS: usize = 512;

/// The dtypes, and the bytes of each float in them: everything in an element is a float of that width.
const DTYPES: [(&str, usize); 16] = [
    ("<f2", 2),
    (">f2", 2),
    ("<f4", 4),
    (">f4", 4),
    ("<f8", 8),
    (">f8", 8),
    ("<c8", 4),
    (">c8", 4),
    ("<c16", 8),
    ("<f16", 16),
    (">f16", 16),
    ("<c32", 16),
    ("[('a', '<f16'), ('b', [('x', '<c32', (2,))])]", 16),
    ("[('a', '<f2'), ('b', [('x', '>f2', (2, 2))], (2,))]", 2),
    ("[('a', '<f4', (3,)), ('b', [('x', '<c8'), ('y', '>f4')])]", 4),
    ("[('a', '>f8', (2, 1)), ('b', [('x', '<c16', (2,)), ('y', '<f8')], (1,))]", 8),
];

/// Finite values, infinities and zeros are compared by their bits, signs of zeros included. Any NaN equals any other, since text has
/// neither their signs nor their payloads.
#[test]
fn floats_of_random_bits_round_trip_through_text() {
    let floats: Option<usize> = env::var("NPY_FLOATS").ok().map(|floats| floats.parse().unwrap());
    let directory = Files::new();
    let mut state = 1_u64;
    for (dtype, width) in DTYPES {
        let itemsize = dtype.parse::<npy_core::DType>().unwrap().itemsize();
        let floats = floats.unwrap_or(rounds(if width == 16 { FLOATS / 8 } else { FLOATS }));
        // Halves are as few as to take all; in fewer rounds one in several.
        let floats = if width == 2 { some(0..1 << 16, 9).count() } else { floats };
        let count = (floats * width).div_ceil(itemsize);
        let floats = (0..count * itemsize / width).flat_map(|i| float(i, width, dtype, &mut state));
        let bytes: Vec<u8> = floats.collect();
        let file = directory.save("a.npy", &DynValues::new(dtype.parse().unwrap(), Order::C, &[count], bytes.clone()).unwrap());
        for format in ["csv", "tsv", "json", "ndjson"] {
            let (text, back) = (directory.path(&format!("a.{format}")), directory.path("back.npy"));
            convert(&[&file, &text]);
            convert(&["--dtype", dtype, &text, &back]);
            let found = load(&back).into_bytes();
            let changed = changed(&bytes, &found, width, dtype);
            println!("{dtype} by {format}: {} floats, {changed} changed", bytes.len() / width);
            assert_eq!((found.len(), changed), (bytes.len(), 0), "{dtype} by {format}");
            fs::remove_file(text).unwrap();
        }
    }
}

/// A float of random bits; of halves each one comes. Of long doubles the bits are those of a number: the one before the point is
/// set if the exponent is not 0, and only then.
fn float(i: usize, width: usize, dtype: &str, state: &mut u64) -> Vec<u8> {
    let mut bits = match width {
        2 => (some(0..1 << 16, 9).nth(i).unwrap_or(0)) as u128,
        16 => long_double(random(state) >> 48, random(state)),
        _ => u128::from(random(state)),
    };
    if width == 16 && random(state).is_multiple_of(64) {
        // NaN, infinity or zero.
        let subnormal = u128::from(random(state) >> 1);
        bits = [0x7fff << 64 | 3 << 62, 0xffff << 64 | 1 << 63, 1 << 79, 0, subnormal][(random(state) % 5) as usize];
    }
    let mut bytes = bits.to_le_bytes()[..width].to_vec();
    if dtype.starts_with('>') {
        bytes.reverse();
    }
    bytes
}

fn long_double(high: u64, low: u64) -> u128 {
    let is_normal = high & 0x7fff != 0;
    u128::from(high) << 64 | u128::from(low << 1 >> 1 | u64::from(is_normal) << 63)
}

/// The number of floats that are neither equal in their bits nor both NaN.
fn changed(before: &[u8], after: &[u8], width: usize, dtype: &str) -> usize {
    // NaN in either byte order: records mix them, and few finite numbers are NaN in both.
    let orders: &[bool] = if dtype.starts_with('[') { &[false, true] } else { &[dtype.starts_with('>')] };
    let is_nan = |item: &[u8], is_big: bool| {
        let little: Vec<u8> = if is_big { item.iter().rev().copied().collect() } else { item.to_vec() };
        let bits = little.iter().rev().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
        match width {
            2 => bits & 0x7fff > 0x7c00,
            4 => bits & 0x7fff_ffff > 0x7f80_0000,
            8 => bits << 65 >> 65 > 0x7ff0_0000_0000_0000,
            _ => bits >> 64 & 0x7fff == 0x7fff && bits << 65 != 0,
        }
    };
    let items = before.chunks_exact(width).zip(after.chunks_exact(width));
    items.filter(|(a, b)| a != b && !orders.iter().any(|is_big| is_nan(a, *is_big) && is_nan(b, *is_big))).count()
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mixed = (*state ^ *state >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ mixed >> 33
}
