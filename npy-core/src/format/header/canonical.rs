//! The canonical form of a header, as NumPy writes it; see `dtype::canonical`.
//!
//! Without it, a small array is loaded in 1.4 times the time, and one of records of five fields in twice.

use super::super::dtype::{Cursor, DType};
use super::super::inline::Lengths;
use crate::limits::Limits;
use crate::options::Order;

/// Below this limit on brackets, the caller has set one, and the reader of literals enforces it.
const BRACKETS: usize = 32;

/// Dtype, order and shape of a header whose text is letter for letter what NumPy would write;
/// `None` for all others, also for wrong ones.
#[inline(always)]
pub(super) fn parse(text: &[u8], limits: &Limits) -> Option<(DType, Order, Lengths)> {
    if limits.nesting_depth < BRACKETS {
        return None;
    }
    let mut cursor = Cursor::new(text);
    cursor.pass(BEGIN)?;
    let dtype = cursor.descr(limits.fields)?;
    let order = order(&mut cursor)?;
    let shape = cursor.shape()?;
    end(cursor)?;
    Some((dtype, order, shape))
}

const BEGIN: &[u8] = b"{'descr': ";

/// What stands between the dtype and the shape.
#[inline(always)]
fn order(cursor: &mut Cursor<'_>) -> Option<Order> {
    // In pieces of up to 32 bytes, which are compared without a call.
    cursor.pass(b", 'fortran_order': ")?;
    if cursor.pass(b"False, 'shape': ").is_some() {
        return Some(Order::C);
    }
    cursor.pass(b"True, 'shape': ").map(|()| Order::Fortran)
}

/// Skips the end of the text, behind the shape.
#[inline]
fn end(mut cursor: Cursor<'_>) -> Option<()> {
    cursor.pass(b", }")?;
    let (last, spaces) = cursor.rest().split_last()?;
    (*last == b'\n' && are_spaces(spaces)).then_some(())
}

/// Sixteen at a time: there are up to 85. The last sixteen, of which some may have been compared
/// already, leave no rest.
#[inline(always)]
fn are_spaces(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<16>() else { return bytes.iter().all(|byte| *byte == b' ') };
    // All of them, without looking at each before the next.
    let others = |found: u128, chunk: &[u8; 16]| found | (u128::from_le_bytes(*chunk) ^ u128::from_le_bytes([b' '; 16]));
    bytes.as_chunks::<16>().0.iter().fold(others(0, last), others) == 0
}

#[cfg(test)]
mod tests {
    use super::super::{Header, Version};
    use super::parse;
    use crate::limits::Limits;
    use crate::options::Order;

    /// What the fast reader takes, the reader of literals takes for the same.
    #[test]
    fn both_readers_agree() {
        let seeds = [
            "<f8",
            "|S12",
            ">U3",
            "<M8[ns]",
            "<m8",
            ">c16",
            "|b1",
            "|V16",
            "[('id', '<u8'), ('t', '<f8'), ('xyz', '<f4', (3,)), ('flag', '|b1'), ('name', '|S8')]",
            "[('a', '|u1'), ('', '|V7'), ('pose', [('x', '>f8'), ('m', '<i2', (2, 3))], (4,)), ('', '|V1')]",
            "[('time', '<M8[us]'), ('\u{e9}', '<c16'), (('title', 'b'), '<f4'), ('c', ('<f8', (5,)), (2,))]",
            "[('n1', '<f8'), ('n2', '<f8'), ('eight ch', '>i4'), ('sixteen charact.', '|i1'), ('twenty-two characters.', '<u2')]",
            "[('a', '<f8'), ('aa', '|S3'), ('', '<f8'), ('of twenty-three charac.', '<f8'), ('and of thirty-one in the middle', '|V2')]",
            "[('a', '<f8'), ('b', '<f8'), ('c', '<f8'), ('d', '<f8'), ('e', '<f8'), ('f', '<f8'), ('g', '<f8'), ('h', '<f8'), ('i', '<f8'), \
             ('j', '<f8'), ('k', '<f8'), ('l', '<f8'), ('m', '<f8'), ('n', '<f8'), ('o', '<f8'), ('p', '<f8'), ('q', '<f8'), ('r', '<f8')]",
        ];
        let alphabet = b"<>|='\"()[]{},:  0123456789fiuSUVMnsabcTrueFalse\\\n\xe9\0";
        let (mut state, mut fast, mut slow) = (1_u64, 0, 0);
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        for seed in seeds {
            for shape in [&[][..], &[7], &[0, 3], &[1, 2, 3, 4, 5, 6]] {
                let file = Header::new(seed.parse().unwrap(), Order::Fortran, shape).unwrap().to_bytes();
                let text = &file[10..];
                // Times without a unit and titles are left to the other.
                let is_taken = seed != "<m8" && !seed.contains("title");
                assert_eq!(parse(text, &Limits::new()).is_some(), is_taken, "{seed} {shape:?}");
                for mutations in (0..3).flat_map(|count| [count; 400]) {
                    let mut text = text.to_vec();
                    for _ in 0..mutations {
                        let (place, byte) = (random(text.len()), alphabet[random(alphabet.len())]);
                        match random(3) {
                            0 => text[place] = byte,
                            1 => text.insert(place, byte),
                            _ => drop(text.remove(place)),
                        }
                    }
                    let found = parse(&text, &Limits::new());
                    let Some(canonical) = found else {
                        slow += 1;
                        continue;
                    };
                    for version in Version::ALL {
                        let literal = Header::values_of_literal(&text, version, &Limits::new());
                        assert_eq!(literal.unwrap(), canonical, "{}", text.escape_ascii());
                    }
                    fast += 1;
                }
            }
        }
        assert!(fast > 10_000 && slow > 10_000, "{fast} fast, {slow} slow");
    }
}
