//! Selections of arrays in memory. The real program is compared with NumPy in `tests/show.rs`.

use std::io::Cursor;

use npy_core::{DynValues, Header, NpyReader, Order};

use super::{Selection, Slice};
use crate::input::Array;

/// The numbers from 0 on, as a file.
fn numbers(shape: &[usize], order: Order) -> NpyReader<Cursor<Vec<u8>>> {
    let count = u16::try_from(shape.iter().product::<usize>()).unwrap();
    let bytes = (0..count).flat_map(u16::to_le_bytes).collect();
    let values = DynValues::new("<u2".parse().unwrap(), Order::C, shape, bytes).unwrap();
    let mut file = Vec::new();
    values.into_order(order).unwrap().write(&mut file).unwrap();
    NpyReader::new(Cursor::new(file)).unwrap()
}

fn select(slice: &str, header: &Header) -> Selection {
    Slice::new(slice).unwrap().of(header).unwrap()
}

fn failure(slice: &str, header: &Header) -> String {
    Slice::new(slice).and_then(|slice| slice.of(header)).unwrap_err().to_string()
}

fn header(dtype: &str, shape: &[usize]) -> Header {
    Header::new(dtype.parse().unwrap(), Order::C, shape).unwrap()
}

#[test]
fn slices_of_slices_are_one_region() {
    let header = header("<f8", &[100, 50]);
    // Of each axis of the file: the first index, the step and the number of indices.
    for (slice, region, shape) in [
        ("", [(0, 1, 100), (0, 1, 50)], &[100, 50][..]),
        ("[10:90:3][::2][-1]", [(88, 1, 1), (0, 1, 50)], &[50]),
        ("[::-1][:3]", [(97, 1, 3), (0, 1, 50)], &[3, 50]),
        ("[::-7][1:3]", [(85, 7, 2), (0, 1, 50)], &[2, 50]),
        ("[..., 5]", [(0, 1, 100), (5, 1, 1)], &[100]),
        ("[None, 3, None]", [(3, 1, 1), (0, 1, 50)], &[1, 1, 50]),
        ("[200:]", [(0, 1, 0), (0, 1, 50)], &[0, 50]),
        ("[-1000:1000, 49:0:-1000000000000000000000]", [(0, 1, 100), (49, 1, 1)], &[100, 1]),
    ] {
        let selection = select(slice, &header);
        assert_eq!((selection.ascending(), selection.shape()), (region.to_vec(), shape.to_vec()), "{slice}");
    }
}

#[test]
fn fields_are_offsets() {
    let header = header("[('a', '|u1'), ('p', [('x', '<f4'), ('a.b', '<i2', (2, 3))]), ('p.x', '|S1')]", &[4]);
    for (slice, offset, dtype, shape) in [
        ("p.x", 17, "|S1", &[4][..]),
        ("['p']['x']", 1, "<f4", &[4]),
        ("p.a.b", 5, "<i2", &[4, 2, 3]),
        ("p.a.b[:, 1, ::-1]", 11, "<i2", &[4, 3]),
        ("[3][1][1]", 5, "<i2", &[2, 3]),
        ("[['p.x', 'a']]", 0, "[('p.x', '|S1'), ('a', '|u1')]", &[4]),
    ] {
        let selection = select(slice, &header);
        assert_eq!(
            (selection.offset, selection.dtype().to_string(), selection.shape()),
            (offset, dtype.to_owned(), shape.to_vec()),
            "{slice}"
        );
    }
    insta::assert_snapshot!(failure("p.y", &header), @r#"slice "p.y" at column 1: no field "y": expected one of "x", "a.b""#);
    insta::assert_snapshot!(failure("[0][5]", &header), @r#"slice "[0][5]" at column 5: index 5 is out of bounds for a record with 3 fields"#);
    insta::assert_snapshot!(failure("['a']['b']", &header), @r#"slice "['a']['b']" at column 6: no field "b": expected a record, found dtype |u1"#);
}

#[test]
fn only_indices_make_scalars() {
    let header = header("[('x', '|S1'), ('w', '|u1', (2,))]", &[4]);
    for (slice, is_scalar) in [
        ("[0]", true),
        ("[0, ...]", false),
        ("[0]['x']", true),
        ("[0]['w']", false),
        ("[0]['w'][1]", true),
        ("[0][...]['x']", false),
        ("", false),
    ] {
        assert_eq!(select(slice, &header).is_scalar(), is_scalar, "{slice}");
    }
}

#[test]
fn pieces_are_those_of_the_whole() {
    let slices = ["", "[::-1]", "[1:, ::2]", "[..., -1]", "[:, None, 1:3, ::-1]", "[2]", "[0, 0, 0]", "[:, 1:1]"];
    for (slice, order) in slices.iter().flat_map(|slice| [(slice, Order::C), (slice, Order::Fortran)]) {
        let mut array = numbers(&[4, 5, 6], order);
        let selection = select(slice, Array::header(&array));
        let whole = selection.read(&mut array).unwrap().to_vec::<u16>().unwrap();
        for begin in 0..=whole.len() {
            for end in [begin, begin + 1, begin + 7, begin + 31, whole.len()] {
                let range = begin..end.clamp(begin, whole.len());
                let boxes = selection.boxes(range.clone());
                let part: Vec<u16> =
                    boxes.iter().flat_map(|part| part.read(&mut array).unwrap().to_vec::<u16>().unwrap()).collect();
                assert_eq!(part, whole[range.clone()], "{slice} {order:?} {range:?}");
                assert!(boxes.len() <= 5);
            }
        }
    }
}

#[test]
fn corners_are_those_of_the_whole() {
    for (slice, order) in
        ["", "[::-1, 1:]", "[:, ::-1, 2]", "[1]"].iter().flat_map(|slice| [(slice, Order::C), (slice, Order::Fortran)])
    {
        let mut array = numbers(&[9, 8, 7], order);
        let selection = select(slice, Array::header(&array));
        let shape = selection.shape();
        let whole = selection.read(&mut array).unwrap();
        for edge in 0..4 {
            let edges = vec![Some(edge); shape.len()];
            let corners = selection.read_edges(&mut array, &edges).unwrap();
            let expected: Vec<u16> = (0..whole.header().element_count())
                .filter(|position| {
                    let mut rest = *position;
                    shape.iter().rev().all(|length| {
                        let index = rest % length;
                        rest /= length;
                        index < edge || index >= length - edge
                    })
                })
                .map(|position| whole.to_vec::<u16>().unwrap()[position])
                .collect();
            assert_eq!(corners.to_vec::<u16>().unwrap(), expected, "{slice} {order:?} {edge}");
            assert!(corners.shape().iter().all(|length| *length == 2 * edge));
        }
    }
}
