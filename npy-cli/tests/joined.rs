//! `npy cat --axis`, `npy stack` and `npy sample`.

use crate::support::numpy::numpy;
use crate::support::{Files, announce, run, session};

/// Writes arrays, and what NumPy makes of them; prints the command of each case.
const CASES: &str = r#"
import random, sys, numpy as np
out, rng = sys.argv[1], random.Random(int(sys.argv[2]))
DTYPES = ['<f8', '>i2', '|u1', '<U3', [('a', '<i4'), ('b', '|u1', (3,))], object]
for case in range(int(sys.argv[3])):
    dtype = DTYPES[rng.randrange(len(DTYPES))]
    dtype = np.dtype(dtype)
    ndim = rng.randint(0, 4)
    is_stack = ndim == 0 or rng.random() < 0.5
    axis = rng.randrange(-ndim - 1, ndim + 1) if is_stack else rng.randrange(-ndim, ndim)
    shape = [rng.choice([0, 1, 1, 2, 3, 5]) for _ in range(ndim)]
    if rng.random() < 0.15:
        shape = [rng.choice([2, 700]) for _ in shape]
        shape = shape[:2]
        axis = max(min(axis, len(shape) - 1), -len(shape))
        is_stack = is_stack or not shape
    arrays, names = [], []
    for number in range(rng.randint(1, 4)):
        own = list(shape)
        if not is_stack:
            own[axis] = rng.randrange(4)
        count = int(np.prod(own))
        if dtype == object:
            a = np.array([None, 'x', 2.5, number] * (count // 4 + 1), object)[:count].reshape(own)
        elif dtype.names:
            a = np.frombuffer(np.random.default_rng(case * 9 + number).bytes(count * dtype.itemsize), dtype).reshape(own)
        else:
            a = (np.arange(count).reshape(own) * 7 + number) % 100
            a = a.astype(dtype)
        a = np.array(a, dtype, order=rng.choice('CF'))
        kind = rng.choice(['npy', 's', 'd'])
        name = f'{case}-{number}.' + ('npy' if kind == 'npy' else 'npz')
        if kind == 'npy':
            np.save(out + name, a)
        else:
            (np.savez if kind == 's' else np.savez_compressed)(out + name, x=a)
        arrays.append(a)
        names.append(name)
    result = np.stack(arrays, axis) if is_stack else np.concatenate(arrays, axis)
    # NumPy swaps bytes to the order of the machine.
    np.save(f'{out}{case}.npy', np.array(result, dtype, order='C'))
    print('stack' if is_stack else 'cat', axis, *names)
"#;

#[test]
fn arrays_are_joined_as_numpy_joins_them() {
    const COUNT: usize = 120;
    let Some(numpy) = numpy("arrays_are_joined_as_numpy_joins_them") else { return };
    let files = Files::new();
    let printed = numpy.run(["-c", CASES, &files.path(""), "46", &COUNT.to_string()], b"");
    for (case, line) in String::from_utf8(printed).unwrap().lines().enumerate() {
        let [command, axis, names @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let names: Vec<String> = names.iter().map(|name| files.path(name)).collect();
        let output = files.path("out.npy");
        let arguments = [&[(*command).to_owned(), "--axis".to_owned(), (*axis).to_owned(), "-o".to_owned(), output], &names[..]];
        run(arguments.concat()).ok();
        let (found, expected) = (files.read("out.npy"), files.path(&format!("{case}.npy")));
        if found != files.read(&format!("{case}.npy")) {
            // Pickles have the same values in other bytes.
            run(["diff", &files.path("out.npy"), &expected]).ok();
            assert!(found.windows(2).any(|bytes| bytes == b"|O"), "{line}");
        }
    }
    announce(&format!("cat and stack: {COUNT} arrays as NumPy joins them"));
}

#[test]
fn axes_and_shapes_that_do_not_fit_are_refused() {
    let files = Files::new();
    files.array("a.npy", "|u1", &[2, 3], (0..6).collect());
    files.array("b.npy", "|u1", &[2, 4], (0..8).collect());
    files.array("n.npy", "|u1", &[], vec![1]);
    session!(files, @r#"
    $ npy cat a.npy b.npy --axis 2 -o c.npy
    npy: a.npy: cannot concatenate: axis 2 is out of range: expected -2 to 1
    exit code 2
    $ npy cat a.npy b.npy -o c.npy
    npy: b.npy: cannot concatenate: expected rows of shape [3], found [4]
    exit code 2
    $ npy cat n.npy n.npy -o c.npy
    npy: n.npy: cannot concatenate: expected at least 1 dimension, found 0
    exit code 2
    $ npy stack a.npy b.npy -o c.npy
    npy: b.npy: cannot stack: expected shape [2, 3], found [2, 4]
    exit code 2
    $ npy stack a.npy a.npy --axis -4 -o c.npy
    npy: a.npy: cannot stack: axis -4 is out of range: expected -3 to 2 of the result
    exit code 2
    $ npy stack n.npy n.npy -o n2.npy
    $ npy show n2.npy
    [1 1]
    $ npy cat a.npy b.npy --axis -1 -o c.npy
    $ npy show c.npy
    [[0 1 2 0 1 2 3]
     [3 4 5 4 5 6 7]]
    "#);
}

#[test]
fn samples_are_rows_in_their_order() {
    let Some(numpy) = numpy("samples_are_rows_in_their_order") else { return };
    let files = Files::new();
    let script = "
import sys, numpy as np
out = sys.argv[1]
a = np.arange(3_000_000, dtype='<i4').reshape(-1, 3)
np.save(out + 'c.npy', a)
np.save(out + 'f.npy', np.asfortranarray(a))
np.savez_compressed(out + 'd.npz', x=a)
np.save(out + 'wide.npy', a.reshape(4, -1))
np.save(out + 'o.npy', np.array([[i, str(i)] for i in range(50)], object))
";
    numpy.run(["-c", script, &files.path("")], b"");
    for (name, count) in [("c.npy", 1000), ("f.npy", 1000), ("d.npz", 1000), ("wide.npy", 2), ("o.npy", 7)] {
        let output = files.path(&format!("{name}.out.npy"));
        run(["sample", &files.path(name), "-n", &count.to_string(), "--seed", "7", "-o", &output]).ok();
        let again = run(["sample", &files.path(name), "-n", &count.to_string(), "--seed", "7"]).bytes;
        assert!(again == std::fs::read(&output).unwrap(), "{name}");
    }
    let check = "
import sys, numpy as np
out = sys.argv[1]
a = np.load(out + 'c.npy')
s = np.load(out + 'c.npy.out.npy')
rows = s[:, 0] // 3
assert s.shape == (1000, 3) and (np.diff(rows) > 0).all() and (a[rows] == s).all()
assert rows.min() < 20_000 and rows.max() > 980_000
for name in ('f.npy', 'd.npz'):
    assert (np.load(f'{out}{name}.out.npy') == s).all()
w, ws = np.load(out + 'wide.npy'), np.load(out + 'wide.npy.out.npy')
assert ws.shape == (2, 750_000) and all((w == row).all(1).any() for row in ws)
o = np.load(out + 'o.npy.out.npy', allow_pickle=True)
assert o.shape == (7, 2) and all(str(i) == t for i, t in o) and sorted(o[:, 0]) == list(o[:, 0])
";
    numpy.run(["-c", check, &files.path("")], b"");
    session!(files, @r#"
    $ npy sample o.npy -n 51 -o x.npy
    npy: o.npy: cannot take a sample: expected 51 rows, found 50
    exit code 2
    "#);
}

/// More archives than the process can have files open.
#[test]
#[cfg(unix)]
fn many_archives_are_joined() {
    use std::process::Command;

    use npy_core::npz::WriteOptions;
    use npy_core::{DynValues, Header, Order};

    use crate::support::Run;

    let files = Files::new();
    let header = Header::new("|u1".parse().unwrap(), Order::C, &[2, 1]).unwrap();
    for number in 0..100_u8 {
        files.archive(&format!("{number:02}.npz"), |archive| {
            archive.set_options(WriteOptions::new().compressed(number % 2 > 0));
            archive.add("x", &header, |array| array.extend(&[number, 100 + number])).unwrap();
        });
    }
    let script = "ulimit -n 32; exec \"$0\" cat --axis 1 *.npz -o all.npy";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_npy")]).current_dir(files.directory());
    Run::from(shell.output().unwrap()).ok();
    let all = DynValues::load(files.path("all.npy")).unwrap();
    assert_eq!((all.shape(), all.bytes()), (&[2, 100][..], &(0..200).collect::<Vec<u8>>()[..]));
}
