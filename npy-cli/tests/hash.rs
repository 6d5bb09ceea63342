//! `npy hash`: fixed hashes, and the same ones however the values are stored.

use crate::support::{Files, session};

fn numbers(count: u8) -> Vec<u8> {
    (0..count).flat_map(|number| [number, 0]).collect()
}

/// The hashes are those of Python's `blake3` of what `np.save` writes, and of the lines of an archive.
#[test]
fn hashes_are_those_of_saved_files() {
    let files = Files::new();
    files.array("a.npy", "<i2", &[4], numbers(4));
    files.array("b.npy", "<i2", &[3, 2], numbers(6));
    files.npy("convert a.npy b.npy ab.npz").ok();
    files.npy("convert b.npy a.npy --compress ba.npz").ok();
    session!(files, @r#"
    $ npy hash a.npy ab.npz
    e941c4bc4b389bbf65a5924f5017c8ff6ccd8597efb39cadd9dd90a29c482808  a.npy
    e941c4bc4b389bbf65a5924f5017c8ff6ccd8597efb39cadd9dd90a29c482808  ab.npz:a
    788bc1246162482d21ddef6c0f818a0023985239f61a3ade56729137e2d326a3  ab.npz:b
    fd4423423c652f218cabb445355fc250f33800487ceaf9f0ea2fd36e176147b3  ab.npz
    $ npy hash ba.npz
    788bc1246162482d21ddef6c0f818a0023985239f61a3ade56729137e2d326a3  ba.npz:b
    e941c4bc4b389bbf65a5924f5017c8ff6ccd8597efb39cadd9dd90a29c482808  ba.npz:a
    fd4423423c652f218cabb445355fc250f33800487ceaf9f0ea2fd36e176147b3  ba.npz
    $ npy hash 'ab.npz:[a]' missing.npy
    npy: missing.npy: cannot open the file: No such file or directory (os error 2)
    e941c4bc4b389bbf65a5924f5017c8ff6ccd8597efb39cadd9dd90a29c482808  ab.npz:a
    exit code 2
    "#);
}

#[test]
fn files_of_several_arrays_are_refused() {
    let files = Files::new();
    let one = std::fs::read(files.array("a.npy", "|u1", &[1], vec![1])).unwrap();
    files.write("two.npy", [&one[..], &one].concat());
    session!(files, @r#"
    $ npy hash two.npy
    npy: two.npy: hash would lose the array #1 of the file; name the array, as in two.npy#0
    exit code 2
    $ npy sample two.npy -n 1 -o x.npy
    npy: two.npy: sample would lose the array #1 of the file; name the array, as in two.npy#0
    exit code 2
    "#);
}

/// A name is no other line of the archive.
#[test]
fn names_of_several_lines_are_one_name() {
    let files = Files::new();
    files.archive("two.npz", |archive| ["a", "b"].iter().for_each(|name| archive.add_slice(name, &[1_u8]).unwrap()));
    let of = |file: &str| files.npy(&format!("hash {file}")).ok().lines().last().unwrap().split(' ').next().unwrap().to_owned();
    let hash = of("two.npz:b");
    files.archive("one.npz", |archive| archive.add_slice(&format!("a\n{hash}  b"), &[1_u8]).unwrap());
    assert_ne!(of("one.npz"), of("two.npz"));
}

#[test]
fn the_layout_does_not_change_a_hash() {
    let files = Files::new();
    let record = "[('t', '>M8[ms]'), ('n', 'S3'), ('pos', [('x', '<f4'), ('u', '>U2')]), ('m', '<i2', (2, 2)), ('ok', '|b1')]";
    for (dtype, itemsize) in [("<f8", 8), (">c8", 8), ("<U5", 20), ("|V3", 3), ("|b1", 1), (record, 8 + 3 + 4 + 8 + 8 + 1)] {
        let bytes: Vec<u8> = (0..itemsize * 35).map(|at: usize| if dtype.contains('U') { 0 } else { (at % 2) as u8 }).collect();
        files.array("a.npy", dtype, &[5, 7], bytes);
        let hash = |file: &str| files.npy(&format!("hash {file}")).ok().split(' ').next().unwrap().to_owned();
        let expected = hash("a.npy");
        for options in ["--order f", "--endian big", "--endian little --align", "--packed"] {
            files.npy(&format!("convert {options} a.npy b.npy")).ok();
            assert_eq!(hash("b.npy"), expected, "{dtype} {options}");
            assert_eq!(hash("- < b.npy"), expected, "{dtype} {options}");
            files.npy("convert b.npy --compress c.npz").ok();
            assert_eq!(hash("c.npz:b"), expected, "{dtype} {options}");
        }
    }
}

/// What is the same to `==` is not the same to a hash, and neither are names, shapes and kinds.
#[test]
fn each_difference_changes_a_hash() {
    let files = Files::new();
    let mut hashes = Vec::new();
    for (dtype, shape, last) in [
        ("<f8", &[2][..], 0),
        ("<f8", &[2], 0x80),
        ("<f8", &[2, 1], 0),
        ("<i8", &[2], 0),
        ("[('a', '<f8')]", &[2], 0),
        ("[('b', '<f8')]", &[2], 0),
        ("<m8[s]", &[2], 0),
        ("<m8[ms]", &[2], 0),
    ] {
        let mut bytes = vec![0; 16];
        bytes[15] = last;
        files.array("a.npy", dtype, shape, bytes);
        hashes.push(files.npy("hash a.npy").ok());
    }
    let count = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
}
