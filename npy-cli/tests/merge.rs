//! `npy merge`.

use std::fs;

use npy_core::npz::NpzReader;

use crate::support::numpy::numpy;
use crate::support::{Files, run, session};

/// The archive is the one that NumPy writes of all arrays.
#[test]
fn merged_archives_are_what_numpy_writes() {
    let Some(numpy) = numpy("merged_archives_are_what_numpy_writes") else { return };
    let files = Files::new();
    let script = "
import sys, numpy as np
out = sys.argv[1]
x, y, z = np.arange(5000.0), np.array([1, None], object), np.asfortranarray(np.arange(6).reshape(2, 3))
np.savez(out + 'a.npz', x=x, y=y)
np.savez(out + 'b.npz', x=z)
np.save(out + 'z.npy', z)
np.save(out + 'y.npy', y)
np.savez(out + 'prefixed.npz', **{'a/x': x, 'a/y': y, 'b/x': z, 'z': z})
np.savez(out + 'some.npz', y=y, z=z, x=x)
";
    numpy.run(["-c", script, &files.path("")], b"");
    let npy = |words: &str| files.npy(words).ok();
    npy("merge a.npz b.npz z.npy -o all.npz --prefix");
    assert!(files.read("all.npz") == files.read("prefixed.npz"));
    npy("merge y.npy z.npy a.npz:x -o all.npz");
    assert!(files.read("all.npz") == files.read("some.npz"));
    // The output is one of the files.
    assert_eq!(files.npy("merge all.npz:[yz] a.npz:x -o all.npz --lossy").code, Some(0));
    assert!(files.read("all.npz") == files.read("some.npz"));
    fs::write(files.path("piped.npz"), files.run(["merge", &files.path("z.npy"), "-o", "-"]).bytes).unwrap();
    run(["verify", &files.path("piped.npz")]).ok();
}

#[test]
fn collisions_are_refused() {
    let files = Files::new();
    for name in ["a.npz", "b.npz"] {
        files.archive(name, |archive| archive.add_slice("x", &[1_u8]).unwrap());
    }
    files.archive("two.npz", |archive| ["x", "y"].iter().for_each(|name| archive.add_slice(name, &[1_u8]).unwrap()));
    files.array("x.npy", "|u1", &[1], vec![2]);
    let mut commented = files.read("a.npz");
    let length = commented.len();
    commented[length - 2] = 5;
    commented.extend(b"hello");
    files.write("commented.npz", commented);
    files.write("t.csv", "a,b\n1,2\n");
    session!(files, @r#"
    $ npy merge a.npz b.npz -o c.npz
    npy: b.npz: a.npz has the member "x" too; --prefix puts the names of the files before them
    exit code 2
    $ npy merge a.npz x.npy -o c.npz
    npy: x.npy: a.npz has the member "x" too; --prefix puts the names of the files before them
    exit code 2
    $ npy merge a.npz a.npz -o c.npz --prefix
    npy: a.npz: a.npz has the member "a/x" too; rename one by `npy mv`
    exit code 2
    $ npy merge commented.npz -o c.npz
    npy: commented.npz: merging would lose the comment of the archive; allow it with --lossy
    exit code 2
    $ npy merge a.npz two.npz:[x] -o two.npz --prefix
    npy: two.npz: merging would lose the other arrays of the file, which the output replaces; allow it with --lossy
    exit code 2
    $ npy sample two.npz:x -n 1 -o two.npz
    npy: two.npz: the output would replace the file, and lose the other arrays of the file, which the output replaces; name another output
    exit code 2
    $ npy set two.npz:[xy] --from x.npy
    npy: two.npz: expected the name of one member, found the pattern "[xy]"
    exit code 2
    $ npy merge a.npz -o c.zip
    npy: c.zip: expected an output that ends in .npz; `npy convert` writes other formats
    exit code 2
    $ npy merge t.csv -o c.npz
    npy: t.csv: unknown format: expected an .npy, .npz or .ra file, found comma-separated text; `npy convert --from csv t.csv table.npy` reads it
    exit code 2
    $ npy merge a.npz none.npz -o c.npz
    npy: none.npz: cannot open the file: No such file or directory (os error 2)
    exit code 2
    $ npy merge commented.npz x.npy -o c.npz --lossy --prefix
    npy: lost the comment of the archive
    "#);
    assert_eq!(files.names(), ["a.npz", "b.npz", "c.npz", "commented.npz", "t.csv", "two.npz", "x.npy"]);
    assert_eq!(NpzReader::open(files.path("c.npz")).unwrap().names().collect::<Vec<_>>(), ["commented/x", "x"]);
}
