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
    fs::create_dir(files.path("b")).unwrap();
    for name in ["a.npz", "x.npy"] {
        fs::copy(files.path(name), files.path(&format!("b/{name}"))).unwrap();
    }
    let mut commented = files.read("a.npz");
    let length = commented.len();
    commented[length - 2] = 5;
    commented.extend(b"hello");
    files.write("commented.npz", commented);
    files.write("t.csv", "a,b\n1,2\n");
    session!(files, @r#"
    $ npy merge a.npz b.npz -o c.npz
    npy: b.npz: a.npz has the member "x" too; --prefix puts the names of the archives before them
    exit code 2
    $ npy merge a.npz x.npy -o c.npz
    npy: x.npy: a.npz has the member "x" too; --prefix puts the names of the archives before them
    exit code 2
    $ npy merge a.npz a.npz -o c.npz --prefix
    npy: a.npz: a.npz has the member "a/x" too; name each member once
    exit code 2
    $ npy merge x.npy b/x.npy -o c.npz
    npy: b/x.npy: x.npy has the member "x" too; give one of the files another name
    exit code 2
    $ npy merge a.npz b/a.npz -o c.npz
    npy: b/a.npz: a.npz has the member "x" too; give one of the files another name, for --prefix to put before them
    exit code 2
    $ npy merge a.npz b/a.npz -o c.npz --prefix
    npy: b/a.npz: a.npz has the member "a/x" too; give one of the files another name
    exit code 2
    $ npy merge commented.npz -o c.npz
    npy: commented.npz: merging would lose the comment of the archive; allow it with --lossy
    exit code 2
    $ npy merge a.npz two.npz:[x] -o two.npz --prefix
    npy: two.npz: merging would lose the other arrays of the file, which the output replaces; allow it with --lossy
    exit code 2
    $ npy sample two.npz:x -n 1 -o two.npz
    npy: two.npz: expected an output that ends in .npy; `npy convert` writes other formats
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
    assert_eq!(files.names(), ["a.npz", "b", "b.npz", "c.npz", "commented.npz", "t.csv", "two.npz", "x.npy"]);
    assert_eq!(NpzReader::open(files.path("c.npz")).unwrap().names().collect::<Vec<_>>(), ["commented/x", "x"]);
}

/// Names that lead out of a directory, and those that a terminal obeys, are given to no member. Copies keep those of NumPy.
#[test]
fn names_that_lead_elsewhere_are_refused() {
    let files = Files::new();
    files.array("x.npy", "|u1", &[1], vec![2]);
    files.array("...npy", "|u1", &[1], vec![2]);
    files.archive("a.npz", |archive| archive.add_slice("x", &[1_u8]).unwrap());
    files.archive("...npz", |archive| archive.add_slice("x", &[1_u8]).unwrap());
    files.archive("evil.npz", |archive| {
        ["../evil", "a\x1b[2J"].iter().for_each(|name| archive.add_slice(name, &[1_u8]).unwrap());
    });
    session!(files, @r#"
    $ npy mv a.npz x ../evil
    npy: a.npz: invalid name "../evil" for a member: expected a name that stays in the directory where the archive is unpacked
    exit code 2
    $ npy set a.npz:/etc/x --from x.npy
    npy: a.npz: invalid name "/etc/x" for a member: expected a name that stays in the directory where the archive is unpacked
    exit code 2
    $ npy set a.npz:C:x --from x.npy
    npy: a.npz: invalid name "C:x" for a member: expected a name that stays in the directory where the archive is unpacked
    exit code 2
    $ npy merge a.npz ...npy -o c.npz --prefix
    npy: ...npy: invalid name ".." for a member: expected a name that stays in the directory where the archive is unpacked; give the file another name
    exit code 2
    $ npy merge ...npz -o c.npz --prefix
    npy: ...npz: invalid name "../" for a member: expected a name that stays in the directory where the archive is unpacked; give the archive another name
    exit code 2
    $ npy merge evil.npz -o c.npz
    $ npy convert c.npz d.npz
    $ npy stats d.npz --brief
    array     dtype  shape  min  max  mean  std  NaN  zeros
    ../evil   |u1    (1,)     1    1     1    0           0
    a\x1b[2J  |u1    (1,)     1    1     1    0           0
    $ npy set evil.npz:../evil [0] 7
    $ npy show evil.npz:../evil
    [7]
    $ npy mv evil.npz ../evil good/x
    $ npy rm evil.npz a*
    $ npy merge evil.npz a.npz -o c.npz
    "#);
    assert_eq!(NpzReader::open(files.path("c.npz")).unwrap().names().collect::<Vec<_>>(), ["good/x", "x"]);
}

/// Ctrl-C does not wait for the end of a member.
#[test]
#[cfg(unix)]
fn a_signal_ends_the_copy_of_a_member() {
    use rustix::process::{Pid, Signal, kill_process};

    use crate::support::command;

    let files = Files::new();
    npy_core::save(files.path("big.npy"), &vec![0_u8; 64 << 20]).unwrap();
    files.run(["merge", &files.path("big.npy"), "-o", &files.path("big.npz")]).ok();
    // The copy may end before the signal comes.
    let is_ended = (0..20).any(|_| {
        let mut merge = command(["merge", &files.path("big.npz"), "-o", &files.path("out.npz")]).spawn().unwrap();
        while files.names().len() < 3 && merge.try_wait().unwrap().is_none() {}
        kill_process(Pid::from_child(&merge), Signal::INT).unwrap();
        merge.wait().unwrap().code() == Some(130) && fs::remove_file(files.path("out.npz")).is_err()
    });
    assert!(is_ended);
    assert_eq!(files.names(), ["big.npy", "big.npz"]);
}
