//! The libraries from outside of their workspace: renamed, re-exported, without a prelude, and
//! under lints that deny everything.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings, clippy::pedantic, missing_docs, unused_qualifications, unreachable_pub)]

mod attributes;

use ::records::types::{Datetime64, FixedBytes, FixedUnicode, unit::Millisecond};
use ::records::{NpyRecord, half::f16};

/// A record whose crate has another name here.
#[derive(NpyRecord, ::std::fmt::Debug, ::std::clone::Clone, ::std::cmp::PartialEq)]
#[npy(crate = ::records)]
pub struct Track {
    /// Text of any width.
    pub name: ::std::string::String,
    /// Text of a fixed width.
    pub code: FixedUnicode<3>,
    /// When it began.
    pub begin: Datetime64<Millisecond>,
    /// Records in an array.
    pub points: [Point<f32, 2>; 2],
    /// Not in every file.
    #[npy(default = fallback_weight)]
    pub weight: f16,
    /// Not in any file.
    #[npy(skip)]
    pub cache: ::std::option::Option<u8>,
}

/// A record with parameters, by the derive of a crate that re-exports it.
#[derive(::npy_ndarray::NpyRecord, ::std::fmt::Debug, ::std::clone::Clone, ::std::marker::Copy, ::std::cmp::PartialEq)]
pub struct Point<T: ::std::marker::Copy, const N: usize> {
    /// Where it is.
    pub position: [T; N],
    /// What it is.
    #[npy(rename = "Art")]
    pub kind: FixedBytes<2>,
    /// Whether it counts.
    pub r#use: bool,
}

/// A whole archive.
#[derive(::npy_ndarray::NpzArchive, ::std::fmt::Debug, ::std::cmp::PartialEq)]
#[npy(crate = ::npy_ndarray, rename_all = "camelCase", deny_unknown_fields)]
pub struct Archive<T> {
    /// An array.
    pub first_array: ::ndarray::Array2<T>,
    /// Records.
    pub tracks: ::std::vec::Vec<Track>,
    /// Not in every archive.
    #[npy(default = fallback_weight)]
    pub weight: f16,
    /// Members of their own.
    pub nested: ::std::option::Option<Nested>,
    /// Not in any archive.
    #[npy(skip)]
    pub cache: ::std::option::Option<u8>,
}

/// Members below a name.
#[derive(::npy_ndarray::NpzArchive, ::std::fmt::Debug, ::std::cmp::PartialEq)]
pub struct Nested(
    /// What it is called.
    pub ::std::string::String,
    /// By their names.
    pub ::std::collections::BTreeMap<::std::string::String, ::ndarray::ArrayD<u8>>,
);

fn fallback_weight() -> f16 {
    f16::ONE
}

#[cfg(test)]
mod tests {
    // The tests have a prelude; what is derived above has none.
    use ::std::prelude::rust_2024::*;
    use ::std::{assert_eq, env, fs, vec};

    use ::ndarray::{Array2, ShapeBuilder};
    use ::npy_ndarray::{NpzArchive, Order, ReadNpyExt, ReadOptions, WriteNpyExt};
    use ::records::{DType, NpyReader};

    use super::{Datetime64, FixedBytes, Point, Track, f16};

    #[test]
    fn archives_come_back() {
        let nested =
            super::Nested("a".to_owned(), ::std::collections::BTreeMap::from([("x".to_owned(), ::ndarray::arr1(&[1]).into_dyn())]));
        let archive = super::Archive {
            first_array: Array2::from_elem((2, 3), 0.5),
            tracks: vec![track(1)],
            weight: f16::ONE,
            nested: Some(nested),
            cache: None,
        };
        let mut file = ::std::io::Cursor::new(Vec::new());
        archive.write_npz(&mut file).unwrap();
        assert_eq!(super::Archive::<f64>::read_npz(file).unwrap(), archive);
    }

    fn track(id: u8) -> Track {
        let point = Point { position: [f32::from(id), 2.0], kind: FixedBytes::default(), r#use: true };
        Track {
            name: "x".repeat(id.into()),
            code: "ab".parse().unwrap(),
            begin: Datetime64::new(1_700_000_000_000),
            points: [point, point],
            weight: f16::from_f32(0.5),
            cache: None,
        }
    }

    #[test]
    fn records_and_arrays_of_them() -> Result<(), ::records::Error> {
        let directory = env::temp_dir().join(::std::format!("npy-outside-{}", ::std::process::id()));
        fs::create_dir_all(&directory)?;
        let path = directory.join("tracks.npy");

        let tracks: Vec<Track> = (1..4).map(track).collect();
        ::records::save(&path, &tracks)?;
        assert_eq!(::records::load::<Track>(&path)?, tracks);
        let text = "[('name', '<U3'), ('code', '<U3'), ('begin', '<M8[ms]'), \
                    ('points', [('position', '<f4', (2,)), ('Art', '|S2'), ('use', '|b1')], (2,)), ('weight', '<f2')]";
        let mut reader = NpyReader::open(&path)?;
        assert_eq!(reader.header().dtype(), &text.parse::<DType>()?);
        assert_eq!(reader.records::<Track>().count(), 3);

        let square = Array2::from_shape_fn((2, 2).f(), |(i, j)| track(u8::try_from(i + j).unwrap_or_default()));
        square.save_npy(&path)?;
        assert_eq!(Array2::<Track>::load_npy_with(&path, ReadOptions::new().order(Order::C))?, square);
        fs::remove_dir_all(&directory)?;
        Ok(())
    }
}
