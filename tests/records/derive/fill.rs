//! Records that are written under a header with more fields than they have.

use std::fs;
use std::io::Cursor;

use npy_core::npz::NpzWriter;
use npy_core::types::unit::Second;

use super::*;

use crate::support::scratch;

/// What the program of today writes.
const NOW: &str = "[('value', '<f8'), ('at', '<M8[s]'), ('site', '<U3'), ('n', '<i2'), ('more', [('gap', '<m8[D]'), ('h', '>f2')], (2,)), \
                   ('z', '<c8')]";

/// What an older program knows.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Old {
    #[npy(alias = "val")]
    value: f64,
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[npy(fill_unknown_fields)]
struct Filled {
    value: f64,
}

fn header(dtype: &str) -> Header {
    Header::new(dtype.parse().unwrap(), Order::C, &[0]).unwrap()
}

/// The paths of the fields that an error lists.
fn unfilled(error: &npy_core::Error) -> Vec<String> {
    let mismatches = mismatches_of(error);
    assert!(mismatches.iter().all(|(_, message)| message.starts_with("expected a value of dtype ")), "{error}");
    mismatches.into_iter().map(|(path, _)| path).collect()
}

#[test]
fn fields_without_a_value_are_refused_however_a_header_is_given() {
    let path = scratch("log.npy");
    let now = header(NOW);
    fs::write(&path, now.to_bytes()).unwrap();
    let before = fs::read(&path).unwrap();
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    let errors = [
        NpyWriter::<Old, _>::append(&path).map(drop).unwrap_err(),
        NpyWriter::<Old, _>::create_or_append(&path).map(drop).unwrap_err(),
        NpyWriter::<Old, _>::create_like(&path, &now).map(drop).unwrap_err(),
        NpyWriter::<Old, _>::new_like(Cursor::new(Vec::new()), &now).map(drop).unwrap_err(),
        NpyWriter::<Old, _>::with_header(Vec::new(), &now).map(drop).unwrap_err(),
        archive.add::<Old>("log", &now, |_| Ok(())).unwrap_err(),
    ];
    for error in &errors {
        assert_eq!(unfilled(error), ["at", "site", "n", "more", "z"], "{error}");
    }
    assert!(errors[0].to_string().ends_with("found 5 mismatches") || errors[0].to_string().contains("cannot write Old: "));
    assert!(fs::read(&path).unwrap() == before);
    // An alias that is not written, beside the field of that name.
    let error = NpyWriter::<Old, _>::with_header(Vec::new(), &header("[('val', '<f8'), ('value', '<f8')]")).map(drop).unwrap_err();
    assert_eq!(unfilled(&error), ["val"]);
    // In records and in arrays of them, and only there.
    let nested = "[('before', '|u1'), ('alone', [('value', '<f8'), ('u', '|u1')]), ('several', [('value', '<f8')], (1, 2))]";
    let error = NpyWriter::<Nested<Old>, _>::with_header(Vec::new(), &header(nested)).map(drop).unwrap_err();
    assert_eq!(unfilled(&error), ["alone.u"]);
    // The fields that the struct lacks are left out.
    npy_core::save_like(&path, &[Old { value: 0.5 }], &now).unwrap();
    assert_eq!(dtype_of_file(&fs::read(&path).unwrap()), native("[('value', '<f8')]"));
    // Padding needs no value, nor does an optional field that the header lacks.
    let padded = "{'names': ['value'], 'formats': ['<f8'], 'offsets': [8], 'itemsize': 24}";
    NpyWriter::<Old, _>::with_header(Vec::new(), &header(padded)).unwrap().finish().unwrap();
}

#[test]
fn filled_fields_have_no_value_where_their_dtype_can_say_so() {
    let path = scratch("log.npy");
    let mut writer = NpyWriter::create_like(&path, &header(NOW)).unwrap();
    writer.write_slice(&[Filled { value: 0.5 }; 3]).unwrap();
    writer.finish().unwrap();
    let mut writer = NpyWriter::append(&path).unwrap();
    writer.extend(&vec![Filled { value: 1.5 }; 1000]).unwrap();
    writer.finish().unwrap();

    #[derive(NpyRecord)]
    struct More {
        gap: npy_core::types::Timedelta64<npy_core::types::unit::Day>,
        h: npy_core::half::f16,
    }
    #[derive(NpyRecord)]
    struct Now {
        value: f64,
        at: Datetime64<Second>,
        site: String,
        n: i16,
        more: [More; 2],
        z: npy_core::num_complex::Complex<f32>,
    }
    let records: Vec<Now> = npy_core::load(&path).unwrap();
    assert_eq!(records.len(), 1003);
    for (i, record) in records.iter().enumerate() {
        assert_eq!(record.value, if i < 3 { 0.5 } else { 1.5 });
        assert!(record.at.to_raw() == i64::MIN && record.site.is_empty() && record.n == 0);
        assert!(record.more.iter().all(|more| more.gap.to_raw() == i64::MIN && more.h.is_nan()));
        assert!(record.z.re.is_nan() && record.z.im.is_nan());
    }
    // Nothing is filled where nothing is missing, and reading is as without the attribute.
    let plain = written(&[Filled { value: 2.0 }]);
    assert_eq!(npy_core::read::<Old>(&plain[..]).unwrap(), [Old { value: 2.0 }]);
    assert_eq!(npy_core::load::<Filled>(&path).unwrap()[0], Filled { value: 0.5 });
}
