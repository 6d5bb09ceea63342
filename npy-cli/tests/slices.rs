//! Slices and fields behind the name of a file, in all commands that read arrays.

use npy_core::npz::NpzWriter;
use npy_core::{DynValues, Order};

use crate::support::numpy::numpy;
use crate::support::{Files, rounds, session};

fn saved(dtype: &str, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes.to_vec()).unwrap().write(&mut file).unwrap();
    file
}

fn files() -> Files {
    let numbers: Vec<u8> = (0..12).collect();
    let stack = saved("|u1", &[2, 2, 3], &numbers);
    let events = saved("[('id', '|u1'), ('pos', [('x', '|u1'), ('y', '|i1')])]", &[4], &numbers);
    let mut archive = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, file) in [("W.npy", &stack), ("events.npy", &events), ("V[0].npy", &saved("|u1", &[1], &[42])), ("V.npy", &stack)] {
        archive.add_bytes(name, file).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    Files::with(&[("stack.npy", &stack), ("events.npy", &events), ("run.npz", &archive)])
}

#[test]
fn slices_and_fields_of_random_arrays_are_those_of_numpy() {
    let Some(numpy) = numpy("slices_and_fields_of_random_arrays_are_those_of_numpy") else { return };
    let files = Files::new();
    let (path, count) = (files.directory().to_str().unwrap(), rounds(100).to_string());
    let printed = numpy.run(["-c", include_str!("slices.py"), env!("CARGO_BIN_EXE_npy"), path, &count], b"");
    assert_eq!(String::from_utf8(printed).unwrap(), format!("{count} slices\n"));
}

#[test]
fn paths_behind_a_file_select_slices_and_fields() {
    session!(files(), @r#"
    $ npy convert stack.npy:[1] - --to csv
    6,7,8
    9,10,11
    $ npy convert run.npz:W[0,::-1] - --to json
    [[3,4,5],
    [0,1,2]]
    $ npy convert run.npz:V[0] - --to json
    [42]
    $ npy convert run.npz:V[1,0] - --to json
    [6,7,8]
    $ npy convert events.npy:pos.y - --to json
    [2,5,8,11]
    $ npy convert run.npz:events.pos[-1] - --to json
    {"x":10,"y":11}
    $ npy convert -:[1,1,1] - --to json < stack.npy
    10
    $ npy convert stack.npy:[2:] - --to json
    []
    $ npy convert run.npz:W[0] w.npz
    $ npy show w.npz:W
    [[0 1 2]
     [3 4 5]]
    $ npy convert stack.npy:[0] events.npy:pos.x all.npz
    $ npy show all.npz:stack
    [[0 1 2]
     [3 4 5]]
    $ npy show all.npz:pos.x
    [ 1  4  7 10]
    $ npy convert 'stack.npy:[:, 0]' image.png
    $ npy show image.png
    [[0 1 2]
     [6 7 8]]
    $ npy diff stack.npy:[1] run.npz:W[1]
    stack.npy:[1] run.npz:W[1]: equal
    $ npy show run.npz:events:id [1:3]
    [3 6]
    "#);
}

#[test]
fn parts_do_not_replace_their_file() {
    let files = files();
    session!(files, @r#"
    $ npy convert stack.npy:[0] stack.npy
    npy: the conversion would lose stack.npy:[0]: the rest of the file, which the output replaces; allow it with --lossy
    exit code 2
    $ npy convert stack.npy:[0] stack.npy --lossy
    npy: lost stack.npy:[0]: the rest of the file, which the output replaces
    $ npy show stack.npy
    [[0 1 2]
     [3 4 5]]
    "#);
}

#[test]
fn paths_that_lead_nowhere_are_refused() {
    session!(files(), @r#"
    $ npy convert stack.npy [0] image.png
    npy: [0]: expected a file, found a slice; write stack.npy:[0] for a part of the array
    exit code 2
    $ npy show stack.npy [2]
    npy: stack.npy: slice "[2]" at column 2: index 2 is out of bounds for axis 0 with length 2
    exit code 2
    $ npy convert stack.npy:[2] image.png
    npy: stack.npy: slice "[2]" at column 2: index 2 is out of bounds for axis 0 with length 2
    exit code 2
    $ npy convert run.npz:W[2] w.npy
    npy: run.npz: member "W": slice "[2]" at column 2: index 2 is out of bounds for axis 0 with length 2
    exit code 2
    $ npy convert events.npy:pos.z out.npy
    npy: events.npy: slice "pos.z" at column 1: no field "z": expected one of "x", "y"
    exit code 2
    $ npy convert stack.npy:x out.npy
    npy: stack.npy: cannot select member "x": expected an .npz archive
    exit code 2
    $ npy repack stack.npy:[0]
    npy: stack.npy: cannot select "[0]": expected a whole array; npy convert writes the part to a file
    exit code 2
    "#);
}
