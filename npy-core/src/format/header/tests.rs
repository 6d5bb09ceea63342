//! Headers: versions, sub-arrays, and the front of a file.

use super::{Header, MOST_DIMENSIONS, Version};
use crate::error::ErrorKind;
use crate::options::Order;

/// A file of this version and text, without padding.
fn file(version: Version, text: &str) -> Vec<u8> {
    let length = match version {
        Version::V1 => u16::try_from(text.len()).unwrap().to_le_bytes().to_vec(),
        _ => u32::try_from(text.len()).unwrap().to_le_bytes().to_vec(),
    };
    [b"\x93NUMPY", &[version.major(), 0][..], &length, text.as_bytes()].concat()
}

fn text(descr: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}\n")
}

#[test]
fn a_header_keeps_its_version_if_it_fits() {
    for version in Version::ALL {
        for descr in ["'<f8'", " '<f8'", "[('a', '<f8')]", "[ ('a', '<f8')]"] {
            let (header, offset) = Header::parse(&file(version, &text(descr))).unwrap();
            assert_eq!(header.version(), version, "{descr}");
            assert_eq!(offset, version.prefix_bytes() + text(descr).len());
        }
    }
    // Written with a space after each comma, and with room for growth, it is too long for the first version.
    let fields: Vec<String> = (0..4000).map(|number| format!("('a{number:04}','<f8'),")).collect();
    let compact = text(&format!("[{}]", fields.concat()));
    assert_eq!(Header::parse(&file(Version::V1, &compact)).unwrap().0.version(), Version::V2);
    let empty = text("[('', '<f8')]").len();
    for (spare, version) in [(10, Version::V2), (400, Version::V1)] {
        let name = "a".repeat(usize::from(u16::MAX) - spare - empty);
        let canonical = text(&format!("[('{name}', '<f8')]"));
        assert_eq!(Header::parse(&file(Version::V1, &canonical)).unwrap().0.version(), version, "{spare}");
    }
}

#[test]
fn sub_arrays_give_their_axes_to_the_array() {
    let of = |axes: usize, length: usize| {
        let lengths = vec![length.to_string(); axes].join(", ");
        Header::parse(&file(Version::V1, &text(&format!("('|u1', ({lengths},))")))).map(|(header, _)| header.dtype().to_string())
    };
    assert_eq!(of(1, 1).unwrap(), "|u1");
    assert_eq!(of(1, 2).unwrap(), "('|u1', (2,))");
    assert_eq!(of(MOST_DIMENSIONS - 1, 1).unwrap(), "|u1");
    let error = of(MOST_DIMENSIONS, 1).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::TooLarge, "too many dimensions: expected at most 64, found 65")
    );
}

#[test]
fn the_front_of_a_file_is_parsed_if_it_is_all_there() {
    let file = file(Version::V1, &text("'<f8'"));
    let limits = crate::limits::Limits::new();
    assert!(Header::parse_front(&file, &limits).unwrap().is_some());
    for length in 0..file.len() {
        assert!(Header::parse_front(&file[..length], &limits).unwrap().is_none());
    }
}

/// NumPy pads a header as if the axis along which arrays are appended had 21 digits, by 1 to 64
/// bytes.
#[test]
fn headers_have_room_for_the_axis_that_grows() {
    for (order, name, room) in [(Order::C, "False", 20), (Order::Fortran, "True", 14)] {
        for length in 1..=64 {
            let descr = format!("[('{}', '<f8')]", "a".repeat(length));
            let header = Header::new(descr.parse().unwrap(), order, &[1, 1_000_000]).unwrap();
            let dict = format!("{{'descr': {descr}, 'fortran_order': {name}, 'shape': (1, 1000000), }}");
            assert_eq!(header.to_bytes().len(), ((10 + dict.len() + room + 1) / 64 + 1) * 64, "{descr}");
        }
    }
}

/// Its length is a number of two bytes.
#[test]
fn long_headers_have_the_second_version() {
    for letter in ["a", "\u{e9}"] {
        // The magic string and the version, the length, room for growth and the last character.
        let others = text("[('', '<f8')]").len() - 1 + 10 + 20 + 1;
        for (bytes, version) in [((1 << 16) - 1, Version::V1), (1 << 16, Version::V2)] {
            let name = letter.repeat(bytes - others);
            let header = Header::new(format!("[('{name}', '<f8')]").parse().unwrap(), Order::C, &[1]).unwrap();
            assert_eq!(header.version(), version, "{letter} {bytes}");
            assert!(header.to_bytes().len() >= bytes);
        }
    }
}
