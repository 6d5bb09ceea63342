//! Texts of a few bytes are decoded in registers, others byte by byte: both give the same columns.

use npy_arrow::arrow_array::ArrayRef;
use npy_arrow::arrow_array::cast::AsArray;
use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::{BatchDecoder, BatchOptions, ErrorKind, to_batch_with};
use npy_core::{DynValues, Order};

/// More than a register holds.
const WIDE: usize = 40;

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Where the texts are: elements of an array, or a field between others, or at the end of a record.
#[derive(Clone, Copy, Debug)]
enum Place {
    Array(Order, usize),
    Field { before: usize, after: usize },
}

const PLACES: [Place; 6] = [
    Place::Array(Order::C, 1),
    Place::Array(Order::C, 3),
    Place::Array(Order::Fortran, 3),
    Place::Field { before: 8, after: 12 },
    Place::Field { before: 3, after: 0 },
    Place::Field { before: 0, after: 1 },
];

/// The column of texts in elements of `width` bytes.
fn column(place: Place, code: &str, width: usize, texts: &[Vec<u8>], options: &BatchOptions) -> Result<ArrayRef, String> {
    let padded = texts.iter().map(|text| [text.clone(), vec![0; width - text.len()]].concat());
    let format = format!("{code}{}", if code.ends_with('U') { width / 4 } else { width });
    let values = match place {
        Place::Array(order, per_row) => {
            let shape = if per_row == 1 { vec![texts.len()] } else { vec![texts.len() / per_row, per_row] };
            DynValues::new(format.parse().unwrap(), order, &shape, padded.collect::<Vec<_>>().concat())
        }
        Place::Field { before, after } => {
            let itemsize = before + width + after;
            let dtype = format!("{{'names': ['x'], 'formats': ['{format}'], 'offsets': [{before}], 'itemsize': {itemsize}}}");
            // What is not of the field is not NUL.
            let rows = padded.map(|text| [vec![b'!'; before], text, vec![b'!'; after]].concat());
            DynValues::new(dtype.parse().unwrap(), Order::C, &[texts.len()], rows.collect::<Vec<_>>().concat())
        }
    };
    let batch = to_batch_with(&values.unwrap(), options.clone()).map_err(|error| error.to_string())?;
    Ok(batch.column(0).clone())
}

#[test]
fn texts_of_every_width_are_those_of_wide_elements() {
    let mut random = Random(5);
    let (mut equal, mut refused) = (0, 0);
    for width in 0..=17 {
        for (letters, as_text) in [
            (&b"ab\x7f\0"[..], true),
            (b"a\0\0\0", true),
            ("aé€".as_bytes(), true),
            (b"a\xff\0\xc3\xa9", true),
            (b"a\xff\0\xc3\xa9", false),
        ] {
            for (case, place) in PLACES.into_iter().enumerate() {
                let text = |random: &mut Random| (0..random.below(width + 1)).map(|_| random.of(letters)).collect::<Vec<_>>();
                let texts: Vec<_> = (0..[1, 60][case % 2] * 3).map(|_| text(&mut random)).collect();
                let options = BatchOptions::new().bytes_as_text(as_text);
                let [short, wide] = [width, WIDE].map(|width| column(place, "S", width, &texts, &options));
                assert_eq!(short, wide, "S{width} {place:?} {texts:?}");
                if short.is_ok() { equal += 1 } else { refused += 1 }
            }
        }
    }
    assert!(equal > 200 && refused > 50, "{equal} {refused}");
}

#[test]
fn characters_of_every_width_and_order_are_those_of_wide_elements() {
    let mut random = Random(6);
    let (mut equal, mut refused) = (0, 0);
    for length in 0..=5 {
        for letters in [&[97, 0x7f, 0][..], &[97, 0x80, 0xe9, 0x20ac, 0x1f600, 0], &[97, 0xd800, 0x0011_0000]] {
            for code in ["<U", ">U"] {
                for (case, place) in PLACES.into_iter().enumerate() {
                    let unit = |random: &mut Random| {
                        let unit: u32 = random.of(letters);
                        if code == "<U" { unit.to_le_bytes() } else { unit.to_be_bytes() }
                    };
                    let text = |random: &mut Random| (0..random.below(length + 1)).flat_map(|_| unit(random)).collect::<Vec<_>>();
                    let texts: Vec<_> = (0..[1, 60][case % 2] * 3).map(|_| text(&mut random)).collect();
                    let [short, wide] = [length * 4, WIDE].map(|width| column(place, code, width, &texts, &BatchOptions::new()));
                    assert_eq!(short, wide, "{code}{length} {place:?} {texts:?}");
                    if short.is_ok() { equal += 1 } else { refused += 1 }
                }
            }
        }
    }
    assert!(equal > 80 && refused > 20, "{equal} {refused}");
}

#[test]
fn memory_of_short_texts_has_no_room_for_their_padding() {
    let texts = vec![b"ab".to_vec(); 1000];
    let batch = column(PLACES[3], "S", 16, &texts, &BatchOptions::new().bytes_as_text(true)).unwrap();
    assert_eq!((batch.as_string::<i32>().value(999), batch.as_string::<i32>().values().capacity()), ("ab", 2000));
}

#[test]
fn an_error_of_taken_rows_names_their_row() {
    let values =
        DynValues::new("[('b', '?'), ('s', 'S2')]".parse().unwrap(), Order::C, &[4], b"\0ab\x02cd\x01\xff\xff\0gh".to_vec());
    let values = values.unwrap();
    let bytes = Buffer::from_slice_ref(values.bytes());
    for (column, row) in [("b", 1), ("s", 2)] {
        let options = BatchOptions::new().columns([column]).bytes_as_text(true);
        let decoder = BatchDecoder::new(values.header(), options).unwrap();
        let error = decoder.take(&bytes, 0..4, &[3, row, 0]).unwrap_err().to_string();
        assert!(error.contains(&format!("row {row}")), "{error}");
        assert_eq!(decoder.take(&bytes, 0..4, &[3, 0]).unwrap().num_rows(), 2);
        let error = decoder.take(&bytes, 0..4, &[4]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    }
}
