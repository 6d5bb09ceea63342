//! Numbers of at most nine bytes by the three characters of their `dtype.str`. `canonical` says what it gains.

use super::scalar::{ByteOrder, Scalar, ScalarKind};

/// Returns the number with this code: byte order, letter and size, from the lowest byte on.
///
/// Compares codes as integers and returns a reference. Assembling a scalar and then moving it
/// causes a store-forwarding stall.
#[inline(always)]
pub(super) fn number(code: u32) -> Option<&'static Scalar> {
    NUMBERS[slot(code)].as_ref().filter(|known| known.code == code).map(|known| &known.scalar)
}

struct Known {
    code: u32,
    scalar: Scalar,
}

/// No two of them have one slot.
static NUMBERS: [Option<Known>; SLOTS] = {
    let mut slots = [const { None }; SLOTS];
    let mut i = 0;
    while i < ScalarKind::NUMBERS.len() {
        put(&mut slots, b'<', Scalar::new(ScalarKind::NUMBERS[i], ByteOrder::Little));
        put(&mut slots, b'>', Scalar::new(ScalarKind::NUMBERS[i], ByteOrder::Big));
        i += 1;
    }
    slots
};

const SLOTS: usize = 32;

/// The upper bits of a product. The factor was found by trying: the build fails where two codes
/// have one slot.
#[inline(always)]
const fn slot(code: u32) -> usize {
    (code.wrapping_mul(0x0472_75f7) >> (32 - SLOTS.ilog2())) as usize
}

/// Adds a number, unless its size has two digits.
#[allow(clippy::cast_possible_truncation, reason = "one digit")]
const fn put(slots: &mut [Option<Known>; SLOTS], order: u8, scalar: Scalar) {
    if scalar.itemsize() > 9 {
        return;
    }
    // Others than `|` are read, but not written: `<i1`.
    let order = if scalar.byte_order().is_some() { order } else { b'|' };
    let code = u32::from_le_bytes([order, scalar.letter(), b'0' + scalar.itemsize() as u8, 0]);
    if let Some(known) = &slots[slot(code)] {
        assert!(known.code == code, "two in one slot");
    }
    slots[slot(code)] = Some(Known { code, scalar });
}

#[cfg(test)]
mod tests {
    use super::super::{ByteOrder, DType, Scalar, ScalarKind};
    use super::number;

    /// Every code of three bytes is found if it is how a number is written, and no other.
    #[test]
    fn codes_are_those_of_numpy() {
        let mut found = 0;
        for code in 0..1 << 24_u32 {
            if let Some(scalar) = number(code) {
                let [text @ .., _] = code.to_le_bytes();
                let text = String::from_utf8(text.to_vec()).unwrap();
                assert_eq!((scalar.to_string(), text.parse::<DType>().unwrap()), (text.clone(), DType::Scalar(*scalar)));
                assert_eq!(scalar.itemsize(), usize::from(text.as_bytes()[2] - b'0'));
                found += 1;
            }
        }
        let all = ScalarKind::NUMBERS.map(|kind| Scalar::new(kind, ByteOrder::Big));
        let short: Vec<Scalar> = all.into_iter().filter(|scalar| scalar.itemsize() <= 9).collect();
        assert_eq!(found, short.iter().map(|scalar| 1 + usize::from(scalar.byte_order().is_some())).sum::<usize>());
        for scalar in short {
            let [order, kind, size] = *scalar.to_string().as_bytes() else { unreachable!() };
            assert_eq!(number(u32::from_le_bytes([order, kind, size, 0])), Some(&scalar));
            assert_eq!(number(u32::from_le_bytes([order, kind, size, 1])), None);
        }
    }
}
