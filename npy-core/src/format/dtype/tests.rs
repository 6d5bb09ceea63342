//! Dtypes: limits of sub-arrays, restriction to fields, and texts of shapes.

use super::{DType, MOST_BYTES, SubArray};
use crate::format::shape::MOST_DIMENSIONS;

fn dtype(text: &str) -> DType {
    text.parse().unwrap()
}

#[test]
fn sub_arrays_hold_as_much_as_numpy_lets_them() {
    let of = |base: &str, shape: &[usize]| SubArray::new(dtype(base), shape.to_vec()).is_ok();
    assert!(of("|u1", &[MOST_BYTES]) && of("|V0", &[MOST_BYTES]) && of("<u2", &[MOST_BYTES / 2]));
    assert!(!of("|u1", &[MOST_BYTES + 1]) && !of("|V0", &[MOST_BYTES + 1]) && !of("<u2", &[MOST_BYTES / 2 + 1]));
    assert!(of("|u1", &[1; MOST_DIMENSIONS]) && !of("|u1", &[1; MOST_DIMENSIONS + 1]) && !of("|u1", &[]));
}

#[test]
fn dtypes_are_restricted_to_the_fields_of_another() {
    let whole = dtype("[('a', '|u1'), ('', '|V3'), ('b', [('x', '<f4'), ('y', '<f4')], (2,)), ('c', '<f8')]");
    for (other, expected) in [
        ("[('a', '<f8'), ('b', '<f8'), ('c', '<f8')]", None),
        ("[('a', '<f8')]", Some("[('a', '|u1')]")),
        ("[('c', '<f8'), ('a', '<f8')]", Some("[('a', '|u1'), ('c', '<f8')]")),
        ("[('b', [('y', '|u1')], (2,))]", Some("[('b', [('y', '<f4')], (2,))]")),
        ("[('b', [('y', '|u1')], (3,))]", Some("[('b', [('x', '<f4'), ('y', '<f4')], (2,))]")),
    ] {
        let expected = expected.map_or_else(|| whole.clone(), dtype);
        assert_eq!(whole.restricted_to(&dtype(other)), expected, "{other}");
    }
}

#[test]
fn shapes_in_front_of_a_dtype_are_no_tuple() {
    assert_eq!(dtype("(2, 3)<f8"), dtype("('<f8', (2, 3))"));
    assert_eq!(dtype("('<f8', (2, 3))").to_string(), "('<f8', (2, 3))");
    assert_eq!(dtype("( 2,)<i4"), dtype("('<i4', 2)"));
}
