//! Headers: versions, sub-arrays, and the front of a file.

use super::{Header, MOST_DIMENSIONS, Version};
use crate::error::ErrorKind;

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
    assert!(matches!(error.kind(), ErrorKind::TooManyDimensions { found: 65 }), "{error}");
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
