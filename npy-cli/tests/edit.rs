//! `npy rm` and `npy mv`.

use std::fs;

use npy_core::npz::{NpzReader, NpzWriter, WriteOptions};

use crate::support::numpy::numpy;
use crate::support::{Files, announce, run, session};

/// A number that looks random, below `end`.
fn below(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap() % end
}

/// Full name, and the bytes in the archive.
type Member = (String, Vec<u8>);

fn members(path: &str) -> Vec<Member> {
    let bytes = fs::read(path).unwrap();
    let mut archive = NpzReader::open(path).unwrap();
    archive.verify().unwrap();
    let range = |range: std::ops::Range<u64>| usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
    (0..archive.len())
        .map(|index| {
            let data = bytes[range(archive.data_range(index).unwrap())].to_vec();
            (archive.full_name(index).unwrap().to_owned(), data)
        })
        .collect()
}

/// Random sequences, against a list in memory. What is refused leaves the file as it was.
#[test]
fn random_edits_are_those_of_a_list() {
    let files = Files::new();
    let path = files.path("a.npz");
    for mut seed in 0..4 {
        let mut writer = NpzWriter::create(&path).unwrap();
        for member in 0..12_u8 {
            writer.set_options(WriteOptions::new().compressed(member % 3 > 0).aligned(seed % 2 == 0));
            match member % 4 {
                3 => writer.add_bytes(&format!("n{member}.txt"), &[member; 50]).unwrap(),
                _ => writer.add_slice(&format!("n{member}"), &vec![member; 1000 * usize::from(member)]).unwrap(),
            }
        }
        writer.finish().unwrap();
        let mut model = members(&path);
        let mut refused = 0;
        while model.len() > 2 {
            let at = below(&mut seed, model.len());
            let key = |name: &str| name.strip_suffix(".npy").unwrap_or(name).to_owned();
            let name = key(&model[at].0);
            let before = fs::read(&path).unwrap();
            match below(&mut seed, 4) {
                0 => {
                    let other = below(&mut seed, model.len());
                    run(["rm", &path, &name, &key(&model[other].0)]).ok();
                    let removed = [model[at].0.clone(), model[other].0.clone()];
                    model.retain(|(name, _)| !removed.contains(name));
                }
                1 => {
                    run(["rm", &path, &name, "none"]).trouble();
                    assert!(fs::read(&path).unwrap() == before);
                    refused += 1;
                }
                _ => {
                    // Often a name that is taken.
                    let new = format!("n{}", below(&mut seed, 20));
                    let extension = if model[at].0.ends_with(".npy") { ".npy" } else { "" };
                    let new_name = format!("{new}{extension}");
                    let is_taken = model.iter().enumerate().any(|(other, (name, _))| other != at && key(name) == new);
                    let moved = run(["mv", &path, &name, &new]);
                    assert_eq!(moved.code, Some(if is_taken { 2 } else { 0 }), "{name} {new}: {}", moved.stderr);
                    if is_taken {
                        assert!(fs::read(&path).unwrap() == before);
                        refused += 1;
                    } else {
                        model[at].0 = new_name;
                    }
                }
            }
            assert!(members(&path) == model);
            assert_eq!(files.names(), ["a.npz"]);
        }
        assert!(refused > 0);
    }
}

#[test]
fn edits_say_what_is_wrong() {
    let files = Files::new();
    files.archive("a.npz", |archive| {
        archive.add_slice("time", &[1_u8]).unwrap();
        archive.add_slice("layers.0", &[1_u8]).unwrap();
        archive.add_slice("layers.1", &[1_u8]).unwrap();
    });
    let mut commented = files.read("a.npz");
    let length = commented.len();
    commented[length - 2] = 5;
    commented.extend(b"hello");
    files.write("commented.npz", commented);
    files.array("one.npy", "|u1", &[1], vec![1]);
    session!(files, @r#"
    $ npy rm a.npz tiem
    npy: a.npz: missing array "tiem": the archive has time, layers.0, layers.1; did you mean "time"?
    exit code 2
    $ npy mv a.npz time layers.0
    npy: a.npz: the archive has "layers.0" already; remove it first, by `npy rm`
    exit code 2
    $ npy rm one.npy x
    npy: one.npy: not an .npz file: expected a zip archive, found "\x93NUMPY\x01\x00", an .npy file; `npy convert` makes an archive of it
    exit code 2
    $ npy mv a.npz layers.* x
    npy: a.npz: expected one member, found 2
    exit code 2
    $ npy rm commented.npz time
    npy: commented.npz: editing would lose the comment of the archive; allow it with --lossy
    exit code 2
    $ npy rm commented.npz time --lossy
    npy: lost the comment of the archive
    $ npy rm a.npz layers.*
    $ npy mv a.npz time t.npy
    $ npy info a.npz
    a.npz:t  stored
      shape     (1,), 1 element
      order     C (the last index varies fastest)
      data      1 byte at offset 183, aligned to 1
      mappable  yes
      dtype     |u1
    "#);
}

/// The archive is the one that NumPy writes without the member, or with the other name.
#[test]
fn edited_archives_are_what_numpy_writes() {
    let Some(numpy) = numpy("edited_archives_are_what_numpy_writes") else { return };
    let files = Files::new();
    let script = "
import sys, numpy as np
for save, kind in ((np.savez, 's'), (np.savez_compressed, 'c')):
    a, b, c = np.arange(5000.0), np.array(['x', 'yy']), np.array([1, None], object)
    for name, arrays in (('all', dict(a=a, b=b, c=c)), ('less', dict(a=a, c=c)), ('new', dict(time=a, c=c))):
        save(f'{sys.argv[1]}{kind}-{name}.npz', **arrays)
";
    numpy.run(["-c", script, &files.path("")], b"");
    for kind in ["s", "c"] {
        let all = files.path(&format!("{kind}-all.npz"));
        run(["rm", &all, "b"]).ok();
        assert!(fs::read(&all).unwrap() == files.read(&format!("{kind}-less.npz")));
        run(["mv", &all, "a", "time"]).ok();
        assert!(fs::read(&all).unwrap() == files.read(&format!("{kind}-new.npz")));
    }
    announce("edits: 4 archives as NumPy writes them");
}
