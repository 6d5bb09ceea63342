//! Advice for a command line in another form than the one that works: what was meant is named.

use npy_core::{DynValues, Order};

use crate::support::{Files, session};

/// Two runs, a checkpoint, events and an array.
fn files() -> Files {
    let files = Files::new();
    for (name, begin) in [("run0.npz", 0.0), ("run1.npz", 1.0)] {
        files.archive(name, |archive| {
            archive.add_slice("t", &[0.0, 1.0, 2.0]).unwrap();
            archive.add_slice("loss", &[begin, begin / 2.0, begin / 4.0]).unwrap();
        });
    }
    files.archive("ckpt.npz", |archive| {
        for layer in 0..2_u8 {
            archive.add_slice(&format!("layers.{layer}.b"), &[layer, layer + 1]).unwrap();
            archive.add_slice(&format!("layers.{layer}.w"), &[layer]).unwrap();
        }
    });
    let dtype = "[('id', '|u1'), ('host', '|S2'), ('user', '|S3'), ('cost', '<f4'), ('dur', '<m8[ms]')]".parse().unwrap();
    let event = |id: u8, host: &[u8], user: &[u8], cost: f32, dur: i64| {
        [&[id], host, user, &cost.to_le_bytes()[..], &dur.to_le_bytes()].concat()
    };
    let events = [event(1, b"db", b"bob", 0.5, 60_000), event(2, b"ui", b"eve", f32::NAN, 5_000)].concat();
    files.save("events.npy", &DynValues::new(dtype, Order::C, &[2], events).unwrap());
    files.array("a.npy", "<i4", &[2], [1_i32, 2].iter().flat_map(|value| value.to_le_bytes()).collect());
    files
}

#[test]
fn outputs_with_the_extension_of_another_format_are_refused() {
    session!(files(), @r#"
    $ npy sample a.npy -n 1 -o s.csv
    npy: s.csv: expected an output that ends in .npy; `npy convert` writes other formats
    exit code 2
    $ npy cat a.npy a.npy -o x.npz
    npy: x.npz: expected an output that ends in .npy; `npy convert` writes other formats
    exit code 2
    $ npy stack a.npy a.npy -o x.npy.gz
    npy: x.npy.gz: cannot write a file that is compressed as a whole; write it without that extension, and compress it after
    exit code 2
    $ npy stack a.npy a.npy -o x.dat
    $ npy show x.dat
    [[1 2]
     [1 2]]
    "#);
}

#[test]
fn patterns_stand_for_files_and_members() {
    session!(files(), @r#"
    $ npy info 'run*.npz:loss'
    file           dtype  shape  order  size
    run0.npz:loss  <f8    (3,)   C      24 B  stored
    run1.npz:loss  <f8    (3,)   C      24 B  stored
    2 files
    $ npy stats --brief 'run?.npz:t'
    array       dtype  shape  min  max  mean     std  NaN  zeros
    run0.npz:t  <f8    (3,)     0    2     1  0.8165    0      1
    run1.npz:t  <f8    (3,)     0    2     1  0.8165    0      1
    $ npy cat 'run*.npz:loss' -o x.npy
    $ npy show x.npy
    [0.   0.   0.   1.   0.5  0.25]
    $ npy stack 'ckpt.npz:layers.*.b' -o b.npy
    $ npy show b.npy
    [[0 1]
     [1 2]]
    $ npy info 'step*.npz:loss'
    npy: step*.npz: no file matches the pattern
    exit code 2
    $ npy info 'run*.npz:none'
    file           dtype  shape  order  size
    run0.npz:none                             run0.npz: missing array "none": the archive has t, loss
    run1.npz:none                             run1.npz: missing array "none": the archive has t, loss
    2 files, 2 with damage
    exit code 2
    $ npy stats a.npy '[0]'
    npy: [0]: no file matches the pattern; slices are for npy show, view and plot
    exit code 2
    "#);
}

#[test]
fn another_form_is_named() {
    session!(files(), @r#"
    $ npy stats events.npy cost
    npy: cost: expected a file, found a field of events.npy; write --fields cost
    exit code 2
    $ npy show '[:1]' events.npy
    npy: [:1]: cannot open the file: No such file or directory (os error 2); a slice follows its file
    exit code 2
    $ npy show ckpt.npz:layers.1
    npy: ckpt.npz: missing array "layers.1": the archive has layers.0.b, layers.0.w, layers.1.b, layers.1.w; "layers.1.*" stands for those below it
    exit code 2
    $ npy show ckpt.npz:layers.1.b[0]
    1
    $ npy convert run0.npz:t run0.npz:loss both.csv
    npy: expected one input, found 2 arrays: t, loss; name one, or write an .npz archive or a directory
    exit code 2
    $ npy convert run0.npz run1.npz both.npz
    npy: run1.npz: run0.npz has the member "t" too; give one of the files another name, or join archives by `npy merge --prefix`
    exit code 2
    "#);
}

#[test]
fn expressions_take_the_spellings_of_python_and_pandas() {
    session!(files(), @r#"
    $ npy show events.npy id --where 'host == b"db"'
    [1]
    $ npy show events.npy id --where 'host == b"\xe9"'
    npy: invalid expression: expected ASCII in b'…'; a text is compared as UTF-8
      host == b"\xe9"
               ^
    exit code 2
    $ npy show events.npy id --where 'user == bob'
    npy: events.npy: invalid expression: unknown field "bob": expected one of id, host, user, cost, dur; a text is in quotes
      user == bob
              ^
    exit code 2
    $ npy show events.npy id --where 'cost == nan'
    npy: events.npy: invalid expression: nothing equals nan; write isnan(x)
      cost == nan
              ^
    exit code 2
    $ npy show events.npy id --where 'dur >= "1 min"'
    [1]
    $ npy show events.npy id --where 'not dur >= "0.5 minutes"'
    [2]
    "#);
}

#[test]
#[cfg(feature = "plot")]
fn plots_take_members_by_pattern_and_by_name() {
    let files = files();
    let of = |words: &str| files.npy(words).ok();
    let (all, by_pattern) = (of("plot run0.npz:loss run1.npz:loss"), of("plot 'run*.npz:loss'"));
    assert_eq!(all.lines().count(), by_pattern.lines().count());
    assert!(by_pattern.contains("run0.npz:loss") && by_pattern.contains("run1.npz:loss"), "{by_pattern}");
    let members = of("plot 'ckpt.npz:layers.*.b'");
    assert!(members.contains("ckpt.npz:layers.0.b") && members.contains("ckpt.npz:layers.1.b"), "{members}");
    assert_eq!(of("plot run1.npz:loss --x t"), of("plot run1.npz:loss --x run1.npz:t"));
    session!(files, @r#"
    $ npy plot run0.npz --x t --y loss
    npy: loss: expected a field as --y, found a member of the archive; write npy plot --kind scatter run0.npz:loss --x t
    exit code 2
    "#);
}

#[test]
fn options_of_other_commands_are_named() {
    session!(files(), @r#"
    $ npy a.npy --head 3
    error: unexpected argument '--head' found

      tip: --head is an option of npy show

    Usage: npy <FILE>...

    For more information, try '--help'.
    exit code 2
    $ npy tail a.npy --count
    error: unexpected argument '--count' found

      tip: --count is an option of npy show

    Usage: npy tail <FILE>

    For more information, try '--help'.
    exit code 2
    "#);
    let script = files().npy("completions bash").ok();
    assert!(script.contains("convert") && !script.contains("glance") && !script.contains("complete)"), "{script}");
}
