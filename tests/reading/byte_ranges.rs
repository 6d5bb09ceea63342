//! Files that are cut into ranges of bytes: each row is read exactly once.

use npy_core::{Header, Limits, Order};
use proptest::prelude::*;

use crate::support::rounds;

fn header() -> impl Strategy<Value = Header> {
    let shape = prop::collection::vec(0_usize..6, 0..4);
    let dtype = prop::sample::select(vec!["|u1", "<f8", "|V0", "<U3", "[('a', '|u1'), ('b', '<f8')]"]);
    (shape, dtype, any::<bool>(), 1_usize..2000).prop_map(|(mut shape, dtype, fortran, rows)| {
        let order = if fortran { Order::Fortran } else { Order::C };
        let outer = if fortran { shape.last_mut() } else { shape.first_mut() };
        outer.into_iter().for_each(|outer| *outer = rows);
        Header::new(dtype.parse().unwrap(), order, &shape).unwrap()
    })
}

fn rows_of(header: &Header) -> usize {
    let outer = if header.order() == Order::C { header.shape().first() } else { header.shape().last() };
    outer.copied().unwrap_or(1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(u32::try_from(rounds(1_000)).unwrap()))]

    #[test]
    fn any_cuts_read_each_row_exactly_once(header in header(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let data_offset = header.to_bytes().len() as u64;
        let end = data_offset + header.data_bytes();
        let mut places: Vec<u64> = cuts.iter().map(|cut| cut.index(usize::try_from(end).unwrap() + 1) as u64).collect();
        places.extend([0, end]);
        places.sort_unstable();
        let mut next = 0;
        for pair in places.windows(2) {
            let rows = header.rows_for_byte_range(data_offset, pair[0]..pair[1]);
            prop_assert!(rows.is_empty() || rows.start == next, "{pair:?} {rows:?} {next}");
            next = next.max(rows.end);
            if header.data_bytes() > 0 {
                // Only rows that begin in the range.
                let bytes = header.byte_range_of_rows(data_offset, rows.clone()).unwrap();
                prop_assert!(rows.is_empty() || pair[0] <= bytes.start && bytes.start < pair[1]);
                prop_assert_eq!(header.rows_for_byte_range(data_offset, bytes), rows);
            }
        }
        prop_assert_eq!(next, rows_of(&header));
    }

    #[test]
    fn a_header_is_fetched_in_two_pieces_at_most(header in header(), first in 0_usize..200) {
        let file = header.to_bytes();
        let needed = Header::bytes_needed(&file[..first.min(file.len())]).unwrap();
        let needed = Header::bytes_needed(&file[..needed.max(12)]).unwrap();
        prop_assert_eq!(needed, file.len());
        prop_assert!(Header::parse(&file[..needed - 1]).is_err());
    }
}

#[test]
fn ranges_out_of_the_file_have_no_rows() {
    let header = Header::new("<f8".parse().unwrap(), Order::C, &[10]).unwrap();
    for range in [0..0, 0..128, 208..u64::MAX, u64::MAX..u64::MAX] {
        assert!(header.rows_for_byte_range(128, range.clone()).is_empty(), "{range:?}");
    }
    let reversed = std::ops::Range { start: 200, end: 100 };
    assert!(header.rows_for_byte_range(128, reversed).is_empty());
    assert_eq!(header.rows_for_byte_range(128, 0..u64::MAX), 0..10);
    assert!(header.byte_range_of_rows(128, 5..11).is_err());
}

#[test]
fn asks_for_no_bytes_of_what_is_no_npy_file() {
    assert!(Header::bytes_needed(b"PK\x03\x04").is_err());
    assert!(Header::bytes_needed(b"\x93NUMPY\x04\0").is_err());
    assert!(Header::bytes_needed(b"\x93NUMPY\x02\0\xff\xff\xff\xff").is_err()); // 4 GiB
    assert!(Header::bytes_needed_with(b"\x93NUMPY\x01\0\x76\0", Limits::new().header_bytes(100)).is_err());
    assert_eq!(Header::bytes_needed(b"\x93NUM").unwrap(), 10);
    assert_eq!(Header::bytes_needed(b"\x93NUMPY\x03\0\x10").unwrap(), 12);
}
