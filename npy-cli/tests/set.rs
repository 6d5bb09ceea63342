//! `npy set`.

use std::fs;

use crate::support::numpy::numpy;
use crate::support::{Files, announce, run, session};

/// Writes arrays before and after an assignment, and prints the slice and the value of each.
const ASSIGNMENTS: &str = r#"
import random, sys, numpy as np
out, rng = sys.argv[1], random.Random(int(sys.argv[2]))
POINT = [('id', '<u2'), ('p', [('x', '>f4'), ('y', '<f8')]), ('w', '<i2', (2, 3))]
VALUES = {
    '<f4': ['0.5', '-3', 'nan', '1e-3', '-inf'], '>f4': ['0.1', '2'], '<f2': ['0.5'], '>f8': ['0.1', '-0.0', '1e300'],
    '<i2': ['-7', '32767'], '>i8': ['9007199254740993'], '|u1': ['255'], '?': ['True', 'False'],
    '<c16': ['1.5-2j', '3'], '>c8': ['2j'], '<U4': ['ab', 'häß€', ''], '|S3': ['xyz', 'q'],
    '<M8[s]': ['2024-02-29T12:30:00', 'NaT'], '>M8[D]': ['1969-12-31'], '<m8[ms]': ['-5'],
}
FIELDS = [('id', '<u2', ['7'], 0), ('p.x', '>f4', ['0.1'], 0), ('p.y', '<f8', ['-2.5'], 0), ('w', '<i2', ['-300'], 2)]

def one_slice(length):
    if length and rng.random() < 0.4:
        return str(rng.randrange(-length, length))
    part = lambda: str(rng.randint(-length - 1, length + 1)) if rng.random() < 0.6 else ''
    return f"{part()}:{part()}" + (f":{rng.choice([-3, -2, -1, 1, 2, 3])}" if rng.random() < 0.5 else '')

for case in range(int(sys.argv[3])):
    shape = tuple(rng.randint(1, 5) for _ in range(rng.randint(0, 3)))
    is_record = rng.random() < 0.3
    dtype = np.dtype(POINT, align=rng.random() < 0.5) if is_record else np.dtype(rng.choice(list(VALUES)))
    size = int(np.prod(shape)) * dtype.itemsize
    a = np.frombuffer(bytes(rng.randrange(1, 100) for _ in range(size)), dtype).reshape(shape)
    if dtype.kind == 'U':
        a = np.full(shape, 'z', dtype)
    if dtype.kind == 'b':
        a = np.zeros(shape, dtype)
    a = np.array(a, order=rng.choice('CF'))
    path, values, inner = '', VALUES.get(dtype.str if dtype.kind != 'b' else '?'), 0
    if is_record:
        path, _, values, inner = rng.choice(FIELDS)
    lengths = list(shape) + [2, 3][:inner]
    used = lengths[:rng.randint(0, len(lengths))]
    index = ', '.join(one_slice(n) for n in used)
    value = rng.choice(values)
    np.save(f'{out}{case}-before.npy', a)
    np.savez(f'{out}{case}-before.npz', p=np.arange(5), x=a, z=np.arange(3.0))
    view = a
    for name in path.split('.') if path else []:
        view = view[name]
    key = eval(f'np.index_exp[{index}]') if index else ...
    selected = view[key]
    text = path + (f'[{index}]' if index else '') or '[...]'
    kind = view.dtype
    if kind.kind == 'f':
        new = np.array(value).astype(kind)
    elif kind.kind == 'c':
        new = np.array(complex(value)).astype(kind)
    elif kind.kind == 'b':
        new = value == 'True'
    elif kind.kind in 'iu':
        new = int(value)
    elif kind.kind == 'm':
        new = np.timedelta64(int(value), 'ms')
    elif kind.kind == 'S':
        new = value.encode()
    else:
        new = value
    view[key] = new
    np.save(f'{out}{case}-after.npy', a)
    np.savez(f'{out}{case}-after.npz', p=np.arange(5), x=a, z=np.arange(3.0))
    print(f'{np.size(selected)}\t{text}\t{value}')
"#;

/// Files and stored archives are byte for byte those that NumPy writes after the assignment.
#[test]
fn elements_are_set_as_numpy_assigns_them() {
    const CASES: usize = 150;
    let Some(numpy) = numpy("elements_are_set_as_numpy_assigns_them") else { return };
    let files = Files::new();
    let printed = numpy.run(["-c", ASSIGNMENTS, &files.path(""), "46", &CASES.to_string()], b"");
    let mut refused = 0;
    for (case, line) in String::from_utf8(printed).unwrap().lines().enumerate() {
        let [count, slice, value]: [&str; 3] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let [before, archive] = ["npy", "npz"].map(|extension| files.path(&format!("{case}-before.{extension}")));
        if count == "0" {
            files.refused(["set", &before, slice, "--", value]);
            refused += 1;
            continue;
        }
        run(["set", &before, slice, "--", value]).ok();
        assert!(fs::read(&before).unwrap() == files.read(&format!("{case}-after.npy")), "{case}: {slice} {value}");
        run(["set", &format!("{archive}:x"), slice, "--", value]).ok();
        assert!(fs::read(&archive).unwrap() == files.read(&format!("{case}-after.npz")), "{case}: {slice} {value}");
    }
    announce(&format!("set: {} assignments as NumPy does them, {refused} of no element refused", CASES - refused));
}

/// A member is replaced or added, compressed as the old one, and NumPy reads it; the others stay as they are stored.
#[test]
fn members_are_replaced_by_arrays() {
    let Some(numpy) = numpy("members_are_replaced_by_arrays") else { return };
    let files = Files::new();
    let script = "
import sys, numpy as np
out = sys.argv[1]
a, b, c = np.arange(5000.0), np.array([1, None, 'x'], object), np.asfortranarray(np.arange(6).reshape(2, 3))
for save, kind in ((np.savez, 's'), (np.savez_compressed, 'c')):
    save(f'{out}{kind}.npz', a=a, b=b, n=np.arange(3))
np.save(f'{out}b.npy', b)
np.save(f'{out}c.npy', c)
np.savez(f'{out}s-replaced.npz', a=c, b=b, n=np.arange(3), new=b)
";
    numpy.run(["-c", script, &files.path("")], b"");
    for kind in ["s", "c"] {
        let path = files.path(&format!("{kind}.npz"));
        run(["set", &format!("{path}:a"), "--from", &files.path("c.npy")]).ok();
        run(["set", &format!("{path}:new"), "--from", &files.path("b.npy")]).ok();
        run(["set", &format!("{path}:n"), "[1]", "-7"]).ok();
        run(["verify", &path]).ok();
    }
    let check = "
import sys, zipfile, numpy as np
out = sys.argv[1]
for kind, method in (('s', 0), ('c', 8)):
    with np.load(f'{out}{kind}.npz', allow_pickle=True) as z:
        assert z.files == ['a', 'b', 'n', 'new'], z.files
        assert z['a'].flags.f_contiguous and (z['a'] == np.arange(6).reshape(2, 3)).all()
        assert list(z['new']) == list(z['b']) == [1, None, 'x']
        assert list(z['n']) == [0, -7, 2]
    assert {i.compress_type for i in zipfile.ZipFile(f'{out}{kind}.npz').infolist()} == {method}
";
    numpy.run(["-c", check, &files.path("")], b"");
    run(["set", &format!("{}:n", files.path("s.npz")), "[1]", "1"]).ok();
    assert!(files.read("s.npz") == files.read("s-replaced.npz"));
}

#[test]
fn refusals_say_what_to_do() {
    let files = Files::new();
    files.archive("a.npz", |archive| {
        archive.add_scalar("lr", &0.5_f32).unwrap();
        archive.add_slice("x", &[1_u8, 2, 3]).unwrap();
        archive.add_bytes("notes.txt", b"hello").unwrap();
    });
    files.array("r.npy", "[('id', '<u2'), ('t', '<U3')]", &[2], vec![0; 28]);
    let one = fs::read(files.array("o.npy", "|u1", &[1], vec![1])).unwrap();
    files.write("two.npy", [&one[..], &one].concat());
    files.write("cut.npy", &one[..one.len() - 1]);
    session!(files, @r#"
    $ npy set a.npz:lr 0.1
    $ npy show a.npz:lr
    0.1
    $ npy set a.npz:x 7
    npy: a.npz: member "x": expected a slice before the value, as in '[0]': the array has 3 elements
    exit code 2
    $ npy set a.npz:x [1] 256
    npy: a.npz: member "x": cannot set the value: 256 is out of range for |u1; allow it with --lossy
    exit code 2
    $ npy set a.npz:x [1] 300 --lossy
    npy: a.npz:x: lost 1 number, which was out of range
    $ npy show a.npz:x [1]
    44
    $ npy set a.npz:x [1] 300.5 --lossy
    npy: a.npz:x: lost 1 number, which was out of range
    $ npy show a.npz:x [1]
    255
    $ npy set a.npz:x [1] 1.5
    npy: a.npz: member "x": cannot set the value: 1.5 loses precision as |u1; allow it with --lossy
    exit code 2
    $ npy set a.npz:x [5:] 1
    npy: a.npz: member "x": the slice has no elements
    exit code 2
    $ npy set none.npz:x --from one.npy
    npy: none.npz:x: cannot open the file: No such file or directory (os error 2)
    exit code 2
    $ npy set a.npz: --from one.npy
    npy: a.npz:: expected a member of an .npz archive for --from, as in run.npz:x
    exit code 2
    $ npy mv a.npz x ''
    npy: a.npz: expected a name for the member, found none
    exit code 2
    $ npy set a.npz:rl 1
    npy: a.npz: missing array "rl": the archive has lr, x, notes.txt; did you mean "lr"?; `--from` adds a member
    exit code 2
    $ npy set a.npz 1
    npy: a.npz: expected one array, found 2: lr, x; select one, as in a.npz:lr
    exit code 2
    $ npy set a.npz:notes.txt 1
    npy: a.npz: cannot set the member "notes.txt": expected an array whose name ends in .npy
    exit code 2
    $ npy set a.npz --from r.npy
    npy: a.npz: expected a member of an .npz archive for --from, as in run.npz:x
    exit code 2
    $ npy set r.npy [0] 1
    npy: r.npy: cannot set records: expected one field of id, t
    exit code 2
    $ npy set r.npy t[0] abcd
    npy: r.npy: cannot set the value: text is longer than <U3: "abcd"; allow it with --lossy
    exit code 2
    $ npy set r.npy t[0] abcd --lossy
    $ npy set r.npy id[1] 9
    $ npy show r.npy
    [(0, 'abc') (9, '')]
    $ npy set two.npy 5
    npy: two.npy: expected one array, found 2; select one, as in two.npy#0
    exit code 2
    $ npy set two.npy#1 5
    $ npy show two.npy#1
    [5]
    $ npy show two.npy#0
    [1]
    $ npy set cut.npy 5
    npy: cut.npy: truncated: expected 1 byte of data, found 0
    exit code 2
    $ npy set none.npy 5
    npy: none.npy: cannot open the file: No such file or directory (os error 2)
    exit code 2
    $ npy set - 5
    npy: -: cannot set elements of a stream; save it first
    exit code 2
    "#);
}
