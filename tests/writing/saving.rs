//! Saving by atomic replacement.

use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::Path;

use npy_core::adapter::ElementBytes;
use npy_core::atomic::Output;
use npy_core::types::FixedUnicode;
use npy_core::{ErrorKind, Header, NpyElement as _, NpyReader, NpyRecord, NpyWriter, Order, SaveOptions, Version};

use crate::support::{child, names_in, native, scratch, written};

#[derive(NpyRecord)]
struct Name {
    #[npy(rename = "name")]
    text: String,
}

#[test]
fn replaces_the_old_file_atomically() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("values.npy");
    npy_core::save(&path, &[1.0_f64; 1000]).unwrap();
    let old = File::open(&path).unwrap();
    npy_core::save(&path, &[2_u8]).unwrap();
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [2]);
    assert_eq!(names_in(directory.path()), ["values.npy"]);
    // Who had the old file open still has it.
    assert_eq!(npy_core::read::<f64>(old).unwrap(), [1.0; 1000]);
}

#[test]
fn a_save_that_fails_leaves_the_old_file_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("values.npy");
    npy_core::save(&path, &[1_u8, 2, 3]).unwrap();
    let before = fs::read(&path).unwrap();

    // 2³¹ bytes an element are more than a dtype can have.
    let long = Name { text: "x".repeat(600_000_000) };
    let error = npy_core::save(&path, &[long]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unstorable, "{error}");
    assert_eq!(error.path(), Some(path.as_path()));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names_in(directory.path()), ["values.npy"]);

    let error = npy_core::save(directory.path().join("no/such/values.npy"), &[1_u8]).unwrap_err();
    assert!(error.kind() == ErrorKind::Io, "{error}");
    let error = npy_core::save(directory.path(), &[1_u8]).unwrap_err();
    assert!(error.io_kind() == Some(io::ErrorKind::IsADirectory), "{error}");
    assert_eq!(names_in(directory.path()), ["values.npy"]);
}

/// A disk that is full after some bytes: the limit on the size of a file, which a child process
/// sets for itself.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file() {
    const CHILD: &str = "NPY_TEST_FULL_DISK";
    if let Some(path) = std::env::var_os(CHILD) {
        let error = npy_core::save(Path::new(&path), &[7_u64; 100_000]).unwrap_err();
        assert!(error.kind() == ErrorKind::Io, "{error}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("values.npy");
    npy_core::save(&path, &[1_u8, 2, 3]).unwrap();
    let before = fs::read(&path).unwrap();
    for blocks in [0, 1, 8, 200] {
        // SIGXFSZ is ignored, so that the write fails instead.
        let name = child(module_path!(), "a_full_disk_leaves_the_old_file");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --exact {name}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .arg(std::env::current_exe().unwrap())
            .env(CHILD, &path)
            .output()
            .unwrap();
        // With no block at all the harness itself cannot be heard; the files are what counts.
        assert!(output.status.success() || blocks == 0, "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(names_in(directory.path()), ["values.npy"]);
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let (path, link) = (directory.path().join("values.npy"), directory.path().join("link.npy"));
    npy_core::save(&path, &[1_u8]).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    npy_core::save(&link, &[2_u8, 3]).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [2, 3]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);

    // A link to what is not there yet, by way of another directory.
    fs::create_dir(directory.path().join("data")).unwrap();
    std::os::unix::fs::symlink("data/later.npy", directory.path().join("first.npy")).unwrap();
    std::os::unix::fs::symlink("first.npy", directory.path().join("second.npy")).unwrap();
    npy_core::save(directory.path().join("second.npy"), &[4_u8]).unwrap();
    assert!(fs::symlink_metadata(directory.path().join("first.npy")).unwrap().is_symlink());
    assert_eq!(npy_core::load::<u8>(directory.path().join("data/later.npy")).unwrap(), [4]);
}

#[cfg(unix)]
#[test]
fn devices_are_written_to() {
    npy_core::save("/dev/null", &[1.0_f64]).unwrap();
    #[cfg(target_os = "linux")]
    {
        let error = npy_core::save("/dev/full", &[1.0_f64]).unwrap_err();
        assert!(error.io_kind() == Some(std::io::ErrorKind::StorageFull), "{error}");
    }
}

#[test]
fn names_without_a_directory_are_relative() {
    // In a directory of its own, because the tests share the current one.
    const CHILD: &str = "NPY_TEST_RELATIVE";
    if std::env::var_os(CHILD).is_some() {
        npy_core::save("values.npy", &[1_u8]).unwrap();
        assert_eq!(npy_core::load::<u8>("values.npy").unwrap(), [1]);
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &child(module_path!(), "names_without_a_directory_are_relative")])
        .current_dir(directory.path())
        .env(CHILD, "1")
        .output()
        .unwrap()
        .status;
    assert!(status.success());
    assert_eq!(names_in(directory.path()), ["values.npy"]);
}

/// Notes where each write ends.
#[derive(Default)]
struct Ends {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Write for Ends {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_small_array_takes_one_write_and_a_large_one_two() {
    let calls = |count: usize| {
        let mut sink = Ends::default();
        npy_core::write(&mut sink, &vec![1.0_f64; count]).unwrap();
        sink.ends.len()
    };
    assert_eq!(calls(10), 1);
    assert_eq!(calls(1_000_000), 2);
}

#[test]
fn writes_end_at_multiples_of_the_block_size() {
    const PIECE: usize = 512 << 10;
    let values: Vec<u16> = (0..4_000_000_u32).map(|i| u16::try_from(i % 65_521).unwrap()).collect();
    let (last, others) = values.split_last().unwrap();
    for dtype in ["<u2", ">u2"] {
        let header = Header::new(dtype.parse().unwrap(), Order::C, &[values.len()]).unwrap();
        let elements = values.iter().flat_map(|value| if dtype == ">u2" { value.to_be_bytes() } else { value.to_le_bytes() });
        let expected: Vec<u8> = header.to_bytes().into_iter().chain(elements).collect();
        // In slices of 1 KiB to 3 MiB, one by one, and by an iterator.
        for step in [500, 150_000, 262_144, 350_000, 1_500_000, 1, 0] {
            let mut writer = NpyWriter::with_header(Ends::default(), &header).unwrap();
            match step {
                0 => writer.extend(others).unwrap(),
                1 => others.iter().for_each(|value| writer.push(value).unwrap()),
                _ => others.chunks(step).for_each(|slice| writer.write_slice(slice).unwrap()),
            }
            writer.push(last).unwrap();
            let Ends { bytes, ends } = writer.finish().unwrap();
            assert!(bytes == expected, "{dtype} in steps of {step}");
            let (_, before) = ends.split_last().unwrap();
            assert!(before.len() > 1 && before.iter().all(|end| end % PIECE == 0), "{dtype} in steps of {step}: {ends:?}");
        }
    }
}

#[test]
fn elements_may_come_one_by_one_or_in_slices() {
    let names: Vec<FixedUnicode<3>> = ["a", "bc", "def", "", "é"].iter().map(|name| name.parse().unwrap()).collect();
    let expected = written(&names);
    let header = Header::new(native("<U3").parse().unwrap(), Order::C, &[5]).unwrap();
    let mut writer = NpyWriter::with_header(Vec::new(), &header).unwrap();
    writer.push(&names[0]).unwrap();
    writer.write_slice(&names[1..3]).unwrap();
    writer.extend(&names[3..]).unwrap();
    let error = writer.push(&names[0]).unwrap_err();
    assert!(error.to_string().ends_with("wrong number of elements: expected 5, found 6"), "{error}");
    assert_eq!(writer.finish().unwrap(), expected);
}

/// An iterator that says it has another number of items than it has.
struct Liar<I>(I, (usize, Option<usize>));

impl<I: Iterator> Iterator for Liar<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.1
    }
}

#[test]
fn iterators_need_not_know_how_many_they_have() {
    let values: Vec<u16> = (0..1000).collect();
    let expected = written(&values);
    for hint in [(0, None), (0, Some(0)), (7, Some(7)), (5000, Some(5000)), (usize::MAX, None)] {
        let mut writer = NpyWriter::with_len(Vec::new(), 1000).unwrap();
        writer.extend(Liar(values.iter(), hint)).unwrap();
        assert_eq!(writer.finish().unwrap(), expected);
    }
    let mut writer = NpyWriter::with_len(Vec::new(), 1000).unwrap();
    writer.extend(Liar(values[..3].iter(), (1000, Some(1000)))).unwrap();
    assert!(writer.finish().unwrap_err().to_string().ends_with("wrong number of elements: expected 1000, found 3"));
}

#[test]
fn nothing_follows_a_failed_write_or_read() {
    struct Once(bool, Vec<u8>);
    impl std::io::Write for Once {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if std::mem::take(&mut self.0) {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.1.extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    // Too much to be kept back.
    let part = vec![1_u64; 1 << 20];
    let mut writer = NpyWriter::with_len(Once(true, Vec::new()), 2 << 20).unwrap();
    writer.write_slice(&part).unwrap_err();
    writer.write_slice(&part).unwrap_err();
    assert!(writer.finish().is_err());

    let header = Header::new("|S1".parse().unwrap(), Order::C, &[4]).unwrap();
    let file = [&header.to_bytes()[..], b"a\xffcd"].concat();
    let mut reader = npy_core::NpyReader::new(&file[..]).unwrap();
    let mut two = [String::new(), String::new()];
    assert_eq!(reader.read_into(&mut two).unwrap_err().kind(), ErrorKind::InvalidValue);
    assert!(reader.read_into(&mut two).unwrap_err().kind() == ErrorKind::BrokenStream);
}

/// What a killed process left is taken over, unless it is something else or somebody has it.
#[test]
fn temporary_files_are_taken_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    let left = directory.path().join(".array.npy.npy-tmp");
    fs::write(&left, vec![7; 10_000]).unwrap();
    npy_core::save(&path, &[1_u8, 2]).unwrap();
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [1, 2]);
    assert_eq!(names_in(directory.path()), ["array.npy"]);
    // Somebody is busy with it.
    let busy = fs::File::create(&left).unwrap();
    busy.lock().unwrap();
    npy_core::save(&path, &[3_u8]).unwrap();
    assert_eq!(names_in(directory.path()), [".array.npy.npy-tmp", "array.npy"]);
    drop(busy);
    // A directory, and links to what must not be touched.
    fs::remove_file(&left).unwrap();
    fs::create_dir(&left).unwrap();
    npy_core::save(&path, &[4_u8]).unwrap();
    fs::remove_dir(&left).unwrap();
    #[cfg(unix)]
    {
        let precious = directory.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, &left).unwrap();
        npy_core::save(&path, &[5_u8]).unwrap();
        fs::remove_file(&left).unwrap();
        fs::hard_link(&precious, &left).unwrap();
        npy_core::save(&path, &[6_u8]).unwrap();
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
        fs::remove_file(&left).unwrap();
    }
    // A name for which there is hardly room.
    let long = directory.path().join("n".repeat(251) + ".npy");
    npy_core::save(&long, &[7_u8]).unwrap();
    assert_eq!(npy_core::load::<u8>(&long).unwrap(), [7]);
}

/// Several save the same file at once: it is always one of theirs, whole.
#[test]
fn saves_of_one_file_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    npy_core::save(&path, &[0_u64; 1]).unwrap();
    std::thread::scope(|scope| {
        for value in 1..=4_u64 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..100 {
                    npy_core::save(path, &vec![value; 1000 * value as usize]).unwrap();
                }
            });
        }
        for _ in 0..200 {
            let items: Vec<u64> = npy_core::load(&path).unwrap();
            assert!(
                items.iter().all(|item| *item == items[0])
                    && items.len() == 1000.max(items[0] as usize * 1000) - usize::from(items[0] == 0) * 999
            );
        }
    });
    assert_eq!(names_in(directory.path()), ["array.npy"]);
}

#[test]
fn outputs_keep_what_follows_the_last_position() {
    let path = scratch("x");
    for options in [SaveOptions::new(), SaveOptions::new().in_place(true), SaveOptions::new().in_place(true).durable(true)] {
        std::fs::write(&path, "an older and longer file").unwrap();
        let mut output = Output::create(&path, options).unwrap();
        output.write_all(b"0 arrays").unwrap();
        output.seek(SeekFrom::Start(0)).unwrap();
        output.write_all(b"3").unwrap();
        output.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "3 arrays");
    }
}

#[test]
fn bytes_of_elements_need_their_header() {
    let bytes = ElementBytes::new(&[1_u16, 2, 3, 4, 5, 6], &u16::dtype()).unwrap();
    let header = |dtype: &str, shape: &[usize]| Header::new(dtype.parse().unwrap(), Order::C, shape).unwrap();
    for (wrong, message) in [
        (header("<u2", &[7]), "wrong number of bytes: expected 14, found 12"),
        (header("<u2", &[5]), "wrong number of bytes: expected 10, found 12"),
        (header("<u4", &[3]), "wrong itemsize: expected 4, found 2"),
    ] {
        for order in [Order::C, Order::Fortran] {
            assert_eq!(bytes.write(&mut Vec::new(), &wrong, order).unwrap_err().to_string(), message);
        }
    }
    // The version is that of the header.
    let path = scratch("elements.npy");
    let second = header("<u2", &[6]).with_version(Version::V2).unwrap();
    let raw = ElementBytes::from_bytes(bytes.as_slice(), second.dtype());
    raw.save(&path, &second, SaveOptions::new()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), [&second.to_bytes(), bytes.as_slice()].concat());
    let error = raw.save(&path, &header("<u2", &[7]), SaveOptions::new()).unwrap_err().to_string();
    assert!(error.ends_with("elements.npy: wrong number of bytes: expected 14, found 12"), "{error}");
    assert_eq!(NpyReader::open(&path).unwrap().header(), &second);
    let mut file = Vec::new();
    bytes.write(&mut file, &header("<u2", &[2, 3]), Order::Fortran).unwrap();
    let mut reader = NpyReader::new(&file[..]).unwrap();
    assert_eq!(reader.header().order(), Order::Fortran);
    let mut items = Vec::new();
    reader.read_to_vec::<u16>(&mut items).unwrap();
    assert_eq!(items, [1, 4, 2, 5, 3, 6]);
}

#[test]
fn files_are_saved_durably_or_in_place() {
    use npy_core::SaveOptions;
    use npy_ndarray::{NpzArchive, WriteNpyExt, npz::WriteOptions};

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.npy");
    for options in [
        SaveOptions::new(),
        SaveOptions::new().durable(true),
        SaveOptions::new().in_place(true),
        SaveOptions::new().in_place(true).durable(true),
    ] {
        // New, longer, shorter, and so long that it goes to the disk in pieces.
        for length in [10_usize, 100_000, 3, 2_500_000] {
            let items: Vec<u32> = (0..length as u32).collect();
            npy_core::save_with(&path, &items, options).unwrap();
            let expected = written(&items);
            assert!(fs::read(&path).unwrap() == expected, "{options:?}");
            ndarray::Array1::from_vec(items).save_npy_with(&path, options).unwrap();
            assert!(fs::read(&path).unwrap() == expected, "{options:?}");
        }
        assert_eq!(names_in(directory.path()), ["array.npy"]);
        fs::remove_file(&path).unwrap();
    }
    // In place it stays the same file.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        npy_core::save(&path, &[1_u8]).unwrap();
        let before = fs::metadata(&path).unwrap().ino();
        npy_core::save_with(&path, &[2_u8], SaveOptions::new().in_place(true)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().ino(), before);
        npy_core::save(&path, &[2_u8]).unwrap();
        assert_ne!(fs::metadata(&path).unwrap().ino(), before);
        // A link stays one, and so does one to what is not there yet, whichever was saved before.
        let [link, behind] = ["link.npy", "behind.npy"].map(|name| directory.path().join(name));
        std::os::unix::fs::symlink(&behind, &link).unwrap();
        for (last, is_there) in [(&path, false), (&behind, true), (&directory.path().join("new.npy"), true)] {
            npy_core::save_with(last, &[3_u8], SaveOptions::new().in_place(true)).unwrap();
            npy_core::save_with(&link, &[4_u8, 5], SaveOptions::new().in_place(true)).unwrap();
            assert_eq!(npy_core::load::<u8>(&behind).unwrap(), [4, 5]);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            if !is_there {
                fs::remove_file(&behind).unwrap();
            }
        }
        assert!(npy_core::save_with(directory.path(), &[1_u8], SaveOptions::new().in_place(true)).is_err());
        npy_core::save_with("/dev/null", &[2_u8], SaveOptions::new().in_place(true)).unwrap();
    }
    let archive = std::collections::BTreeMap::from([("x".to_owned(), vec![1_u8])]);
    archive.save_npz_with(directory.path().join("x.npz"), WriteOptions::new().durable(true)).unwrap();
    assert_eq!(std::collections::BTreeMap::load_npz(directory.path().join("x.npz")).unwrap(), archive);
    assert!(npy_core::save_with(directory.path().join("no/such"), &[1_u8], SaveOptions::new().in_place(true)).is_err());
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Event {
    code: String,
    count: u32,
    inner: Inner,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Inner {
    label: String,
    values: [f64; 2],
}

/// The dtype of a file with everything that a plain save changes: widths, byte orders, titles,
/// padding.
const ORIGINAL: &str = "[('code', 'S6'), ('', 'V2'), (('how many', 'count'), '>u4'), ('inner', [('label', '>U4'), ('values', '<f8', (2,)), ('', 'V4')]), ('', 'V8')]";

fn events() -> Vec<Event> {
    let event = |index: u32| Event {
        code: format!("E{index}"),
        count: index * 7,
        inner: Inner { label: "ü".repeat(index as usize % 5), values: [f64::from(index); 2] },
    };
    (0..20).map(event).collect()
}

#[test]
fn slices_are_saved_in_fortran_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    let fortran = npy_core::SaveOptions::new().order(Order::Fortran);
    let rows: Vec<[[i16; 3]; 2]> = (0..5).map(|i| [[i, i + 10, i + 20], [-i, -i - 10, -i - 20]]).collect();
    npy_core::save_with(&path, &rows, fortran).unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!((reader.header().order(), reader.header().shape()), (Order::Fortran, &[5, 2, 3][..]));
    let expected: Vec<i16> =
        (0..3).flat_map(|k| (0..2).flat_map(move |j| (0..5).map(move |i| (j, k, i)))).map(|(j, k, i)| rows[i][j][k]).collect();
    assert_eq!(reader.into_vec::<i16>().unwrap(), expected);
    // The same in both orders: as without the option, and without its memory.
    npy_core::save_with(&path, &["Ada".to_owned(), "Bo".to_owned()], fortran).unwrap();
    assert_eq!(npy_core::load::<String>(&path).unwrap(), ["Ada", "Bo"]);
    let nothing = vec![npy_core::types::FixedBytes::<0>::default(); 100_000];
    npy_core::save_with(&path, &nothing, fortran).unwrap();
    // More than the limit, but only for reading.
    assert!(NpyReader::open(&path).unwrap_err().kind() == ErrorKind::LimitExceeded);
}

#[test]
fn save_like_keeps_the_dtype_of_a_file() {
    let path = scratch("events.npy");
    let header = Header::new(ORIGINAL.parse().unwrap(), Order::C, &[0]).unwrap();
    npy_core::save(&path, &events()).unwrap();
    assert_ne!(NpyReader::open(&path).unwrap().header().dtype(), header.dtype());
    npy_core::save_like(&path, &events(), &header).unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!((reader.header().dtype(), reader.header().shape()), (header.dtype(), [20].as_slice()));
    assert_eq!(reader.into_vec::<Event>().unwrap(), events());
    // The same again, whatever shape the original has.
    let before = fs::read(&path).unwrap();
    let header = Header::new(header.dtype().clone(), Order::Fortran, &[3, 4]).unwrap();
    npy_core::save_like(&path, &events(), &header).unwrap();
    assert!(fs::read(&path).unwrap() == before);
    // Fields that the struct does not have go, at every depth; what is left is packed.
    let wider: npy_core::DType = "[('id', 'u8'), ('code', 'S6'), ('', 'V1'), ('count', '>u4'), ('inner', [('x', 'f4'), ('label', 'S9'), ('values', '>f4', (2,))], (1,))]"
        .parse()
        .unwrap();
    let error = npy_core::save_like(&path, &events(), &Header::new(wider, Order::C, &[0]).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
    let wider = "[('id', 'u8'), ('code', 'S6'), ('', 'V1'), ('count', '>u4'), ('inner', [('x', 'f4'), ('label', 'S20'), ('values', '>f8', (2,))])]";
    let header = Header::new(wider.parse().unwrap(), Order::C, &[0]).unwrap();
    let mut ascii = events();
    ascii.iter_mut().for_each(|event| event.inner.label = "x".to_owned());
    npy_core::save_like(&path, &ascii, &header).unwrap();
    let reader = NpyReader::open(&path).unwrap();
    let descr = "[('code', 'S6'), ('count', '>u4'), ('inner', [('label', 'S20'), ('values', '>f8', (2,))])]";
    assert_eq!(*reader.header().dtype(), descr.parse().unwrap());
    assert_eq!(reader.into_vec::<Event>().unwrap(), ascii);
    // Arrays of sub-arrays, text, numbers.
    let header = Header::new(">i2".parse().unwrap(), Order::C, &[5, 3]).unwrap();
    npy_core::save_like(&path, &[[1_i16, 2, 3], [4, 5, 6]], &header).unwrap();
    let reader = NpyReader::open(&path).unwrap();
    assert_eq!((reader.header().dtype().to_string().as_str(), reader.header().shape()), (">i2", [2, 3].as_slice()));
    assert_eq!(npy_core::load::<[i16; 3]>(&path).unwrap(), [[1, 2, 3], [4, 5, 6]]);
}

#[test]
fn save_like_says_which_record_does_not_fit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.npy");
    fs::write(&path, "as it was").unwrap();
    let header = Header::new(ORIGINAL.parse().unwrap(), Order::C, &[0]).unwrap();
    let mut long = events();
    long[13].code = "too long for S6".to_owned();
    let error = npy_core::save_like(&path, &long, &header).unwrap_err();
    assert_eq!(error.path(), Some(&*path));
    assert_eq!(error.element(), Some(13), "{error}");
    assert!(error.to_string().contains("code"), "{error}");
    // A field that the file does not have, and one of another kind.
    for descr in ["[('code', 'S6')]", "[('code', 'S6'), ('count', 'f4'), ('inner', 'f4')]", "<f8"] {
        let error =
            npy_core::save_like(&path, &events(), &Header::new(descr.parse().unwrap(), Order::C, &[0]).unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");
}

#[test]
fn editors_of_a_file_exclude_each_other_and_other_writers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.npy");
    npy_core::save(&path, &[1_u8]).unwrap();
    let mut file = Output::edit(&path, SaveOptions::new()).unwrap();
    assert_eq!(Output::edit(&path, SaveOptions::new()).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(NpyWriter::<u8, _>::append(&path).unwrap_err().kind(), ErrorKind::Conflict);
    npy_core::write(&mut file, &[2_u8]).unwrap();
    file.commit().unwrap();
    drop(Output::edit(&path, SaveOptions::new()).unwrap());
    assert_eq!(npy_core::load::<u8>(&path).unwrap(), [2]);
    assert_eq!(names_in(directory.path()), ["a.npy"]);
}
