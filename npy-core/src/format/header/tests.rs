//! Headers: versions, sub-arrays, and the front of a file.

use super::parse::parse_canonical;
use super::{Header, Version};
use crate::error::ErrorKind;
use crate::format::shape::MOST_DIMENSIONS;
use crate::limits::Limits;
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

/// Whatever the fast path parses, the literal parser parses alike.
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
            assert_eq!(parse_canonical(text, &Limits::new()).is_some(), is_taken, "{seed} {shape:?}");
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
                let found = parse_canonical(&text, &Limits::new());
                let Some(canonical) = found else {
                    slow += 1;
                    continue;
                };
                for version in Version::ALL {
                    let literal = Header::values_of_literal(&text, (version, version.prefix_bytes()), &Limits::new());
                    assert_eq!(literal.unwrap(), canonical, "{}", text.escape_ascii());
                }
                fast += 1;
            }
        }
    }
    assert!(fast > 10_000 && slow > 10_000, "{fast} fast, {slow} slow");
}

#[test]
fn headers_tell_how_they_differ_from_those_of_numpy() {
    use super::Leniency::{Alignment, LongIntegers, Spelling, SubArrays};
    let padded = |text: &str| format!("{text}{:1$}\n", "", 117 - text.len());
    for (text, version, expected) in [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", Version::V1, &[][..]),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }", Version::V1, &[LongIntegers]),
        ("{'descr': '<f8', 'shape': (3L,), 'fortran_order': False}", Version::V1, &[LongIntegers, Spelling]),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", Version::V1, &[Spelling]),
        ("{'descr': 'float64', 'fortran_order': False, 'shape': (3,), }", Version::V1, &[Spelling]),
        ("{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (3,), }", Version::V1, &[Spelling, SubArrays]),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", Version::V2, &[Alignment]),
    ] {
        let (header, _) = Header::parse(&file(version, &padded(text))).unwrap();
        assert!(header.leniencies().eq(expected.iter().copied()), "{text}: {:?}", header.leniencies);
        let (written, _) = Header::parse(&header.to_bytes()).unwrap();
        assert_eq!(
            (&written, written.leniencies().count()),
            (&header, expected.iter().filter(|one| **one == SubArrays).count() * 2)
        );
    }
}

#[test]
fn headers_are_written_with_a_text() {
    let canonical = Header::new("<f8".parse().unwrap(), Order::C, &[3]).unwrap();
    let dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
    assert_eq!(canonical.to_bytes_as(dict).unwrap(), canonical.to_bytes());
    for version in Version::ALL {
        let header = canonical.clone().with_version(version).unwrap();
        assert_eq!(header.to_bytes_as(dict).unwrap(), header.to_bytes(), "{version}");
        let bytes = header.to_bytes_as("{'shape': (3,), 'descr': 'float64', 'fortran_order': 0 == 1}");
        assert_eq!(bytes.unwrap_err().kind(), ErrorKind::InvalidHeader);
    }
    for (dict, expected) in [
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "contradictory header: expected dtype '<f8', found '<f4'"),
        ("{'descr': '<f8', 'fortran_order': True, 'shape': (3,)}", "contradictory header: expected order C, found Fortran"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", "contradictory header: expected shape (3,), found ()"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': 3}", "invalid shape at byte 50: "),
    ] {
        let error = canonical.to_bytes_as(dict).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let dict = "{'descr': [('\u{20ac}', '<f8')], 'fortran_order': False, 'shape': (3,)}";
    let header = Header::from_dict(dict).unwrap();
    assert_eq!(header.version(), Version::V3);
    assert!(header.to_bytes_as(dict).unwrap()[12..].starts_with(dict.as_bytes()));
    let error = Header { version: Version::V1, ..header }.to_bytes_as(dict).unwrap_err().to_string();
    assert_eq!(error, "cannot store the dtype: format version 1.0 cannot encode the header; version 3.0 can");
}
