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
const LAYOUTS: &str = "
import io, sys, struct, numpy as np
from numpy.lib.recfunctions import repack_fields
place = [('is_known', '?'), ('depth', '<f8'), ('cell', '<u2', (2,))]
fields = [('id', '<u8'), ('time', '<M8[s]'), ('xyz', '<f4', (3,)), ('flag', '?'), ('name', 'S8'), ('place', place),
          ('corners', place, (1, 2)), ('code', '<U2'), ('wave', '<c16'), ('kind', '<u2'), ('level', '<i2'), ('weight', '<f8'),
          ('first', 'i1'), ('second', '<i4')]
count = 20_000
array = np.zeros(count, fields)
i = np.arange(count)
array['id'] = i * 1_000_003
array['time'] = np.where(i % 5 > 0, i, np.iinfo('i8').min).astype('M8[s]')
array['xyz'] = np.stack([i / 7, -i, i * 3], -1)
array['flag'] = i % 3 == 0
array['name'] = np.char.add(b'n', i.astype('S'))
for where in [array['place'], array['corners'][:, 0, 0], array['corners'][:, 0, 1]]:
    where['is_known'] = i % 2 == 0
    where['depth'] = i / 3 + len(where.dtype)
    where['cell'] = np.stack([i % 60_000, i % 7], -1)
array['code'] = np.array(['', 'Ä', 'xy'])[i % 3]
array['wave'] = i + 1j * (i / 9)
array['kind'] = np.where(i % 7 == 0, 258, 1)
array['level'] = i - 10_000
array['weight'] = i / 11
array['first'] = i % 100 - 50
array['second'] = -i * 1_000

little = array.dtype
big = little.newbyteorder('>')
some = lambda dtype, names: np.dtype([(name, dtype[name]) for name in names])
names = list(little.names)
backward = names[::-1]
mixed = np.dtype([(name, (big if k % 2 else little)[name]) for k, name in enumerate(backward)])
holes = np.dtype({'names': backward, 'formats': [big[name] for name in backward],
                  'offsets': [5 + 60 * k for k in range(len(names))], 'itemsize': 1_000})
aligned = repack_fields(little, align=True, recurse=True)
more = np.dtype([('unread', '<i4')] + [(name, little[name]) for name in backward] + [('behind', '?')])
fewer = [name for name in names if name != 'weight']
for dtype in [little, aligned, big, repack_fields(big, align=True, recurse=True), some(little, backward), some(big, backward), mixed, holes,
              more, some(little, fewer), some(big, fewer)]:
    other = np.zeros(count, dtype)
    for name in dtype.names:
        if name in names:
            other[name] = array[name]
    file = io.BytesIO()
    np.save(file, other)
    sys.stdout.buffer.write(struct.pack('<I', len(file.getvalue())) + file.getvalue())
";

#[test]
fn every_layout_has_the_same_values() {
    let Some(numpy) = numpy("every_layout_has_the_same_values") else { return };
    let printed = numpy.run(["-c", LAYOUTS], &[]);
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
