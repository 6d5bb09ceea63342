//! One record in every layout of NumPy: the same values, and the same bytes when written.

use npy_core::num_complex::Complex;
use npy_core::types::unit::Second;
use npy_core::types::{Datetime64, FixedBytes, FixedUnicode};
use npy_core::{Header, NpyReader, NpyRecord, NpyWriter, load_columns};

use crate::support::numpy::{frames, numpy};

#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(fill_unknown_fields)]
struct Track {
    id: u64,
    time: Option<Datetime64<Second>>,
    xyz: [f32; 3],
    flag: bool,
    name: FixedBytes<8>,
    place: Place,
    corners: [[Place; 2]; 1],
    code: FixedUnicode<2>,
    wave: Complex<f64>,
    kind: Kind,
    level: Level,
    #[npy(default)]
    weight: f64,
    #[npy(flatten)]
    rest: Rest,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Place {
    is_known: bool,
    depth: f64,
    cell: [u16; 2],
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Rest {
    first: i8,
    second: i32,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[repr(u16)]
enum Kind {
    Earthquake = 1,
    Explosion = 258,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Level(i16);

/// The array as it is, and its fields in other places: aligned, in the other byte order, the other
/// way round, some of each, with holes.

#[test]
fn every_layout_has_the_same_values() {
    let Some(numpy) = numpy("every_layout_has_the_same_values") else { return };
    let printed = numpy.run(["records.py", "tracks"], b"");
    let files = frames(&printed);
    assert_eq!(files.len(), 11);
    let tracks = npy_core::read::<Track>(files[0]).unwrap();
    let (index, track) = (12_345, &tracks[12_345]);
    assert_eq!((track.id, &track.name.to_string()[..], track.kind.clone()), (index * 1_000_003, "n12345", Kind::Earthquake));
    assert_eq!((track.corners[0][1].cell, track.place.depth, track.level.0), ([12_345, 4], 12_345.0 / 3.0 + 3.0, 2_345));
    assert_eq!((track.time, track.wave.re, track.rest.second), (None, 12_345.0, -12_345_000));
    let without_weight: Vec<Track> = tracks.iter().map(|track| Track { weight: 0.0, ..track.clone() }).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tracks.npy");
    for (number, file) in files.iter().enumerate() {
        let (header, begin) = Header::parse(file).unwrap();
        let expected = if header.dtype().to_string().contains("weight") { &tracks } else { &without_weight };
        assert!(npy_core::read::<Track>(*file).unwrap() == *expected, "layout {number}");
        let mut again = vec![tracks[0].clone(); tracks.len()];
        NpyReader::from_bytes(file).unwrap().read_into(&mut again).unwrap();
        assert!(again == *expected, "layout {number}");
        std::fs::write(&path, file).unwrap();
        let (places, ids, corners) = load_columns::<(Place, u64, [[Place; 2]; 1])>(&path, ["place", "id", "corners"]).unwrap();
        assert!(
            places
                .iter()
                .zip(&ids)
                .zip(&corners)
                .zip(expected)
                .all(|(((place, id), corners), track)| { (place, id, corners) == (&track.place, &track.id, &track.corners) })
        );
        // Nothing is lost on the way back, wherever the fields lie; what no field has is zero.
        let mut written = Vec::new();
        let mut writer = NpyWriter::with_header(&mut written, &header).unwrap();
        writer.write_slice(&again).unwrap();
        writer.finish().unwrap();
        assert!(written[Header::parse(&written).unwrap().1..] == file[begin..], "layout {number}");
    }
}
