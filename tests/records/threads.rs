//! Records decoded by several threads: the values and errors of a single thread.
//!
//! Elsewhere than on Unix one thread reads all of them, and what is tested here is that nothing
//! changes.

use std::fmt::Debug;
use std::path::Path;

use ndarray::Array1;
use npy_core::columns::load_columns_with;
use npy_core::types::unit::Second;
use npy_core::types::{Datetime64, FixedBytes};
use npy_core::{
    DType, Error, ErrorKind, Header, NpyElement, NpyReader, NpyRecord, NpyWriter, Order, ReadOptions, load_columns, load_with,
};
use npy_ndarray::ReadNpyExt;

use crate::support::{scratch, some};

const MIB: usize = 1 << 20;
/// What a thread takes at a time.
const CHUNK: usize = 4 * MIB;
/// From here on several threads read.
const LEAST: usize = 8 * MIB;

/// 37 bytes in the file, 40 in memory.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Sample {
    id: u64,
    t: f64,
    xyz: [f32; 3],
    flag: bool,
    name: FixedBytes<8>,
}

fn sample(i: usize) -> Sample {
    let f = i as f32;
    Sample {
        id: i as u64,
        t: i as f64 / 3.0,
        xyz: [f, f + 0.5, -f],
        flag: i.is_multiple_of(3),
        name: format!("s{i}").parse().unwrap(),
    }
}

/// What owns memory, what lies in other records, and what may be absent.
#[derive(NpyRecord, Clone, Debug, PartialEq)]
#[npy(fill_unknown_fields)]
struct Event {
    text: String,
    places: [Place; 2],
    time: Option<Datetime64<Second>>,
    kind: Kind,
    #[npy(default)]
    absent: u16,
    #[npy(skip)]
    cache: Vec<u8>,
}

#[derive(NpyRecord, Clone, Debug, PartialEq)]
struct Place {
    code: String,
    depth: f64,
    is_known: bool,
}

#[derive(NpyRecord, Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
enum Kind {
    Earthquake = 1,
    Explosion = 500,
}

fn event(i: usize) -> Event {
    let place = |code: &str| Place { code: format!("{code}{}", i % 100), depth: i as f64, is_known: i.is_multiple_of(2) };
    Event {
        text: ["", "Ä", "Zürich", "x"][i % 4].to_owned(),
        places: [place("a"), place("b")],
        time: (!i.is_multiple_of(5)).then(|| Datetime64::new(i as i64)),
        kind: if i.is_multiple_of(7) { Kind::Explosion } else { Kind::Earthquake },
        absent: 0,
        cache: Vec::new(),
    }
}

const EVENT: &str = "[('text', '<U7'), ('places', [('code', 'S9'), ('depth', '<f8'), ('is_known', '?')], (2,)), ('time', '<M8[s]'), \
                     ('kind', '<u2')]";
const EVENT_BIG: &str = "[('kind', '>u2'), ('text', '>U7'), ('time', '>M8[s]'), ('unread', '>f4'), ('places', [('depth', '>f8'), \
                         ('code', 'S9'), ('is_known', '?')], (2,))]";
const SAMPLE: &str = "[('id', '<u8'), ('t', '<f8'), ('xyz', '<f4', (3,)), ('flag', '?'), ('name', 'S8')]";
const SAMPLE_ALIGNED: &str = "[('id', '<u8'), ('t', '<f8'), ('xyz', '<f4', (3,)), ('flag', '?'), ('name', 'S8'), ('', 'V3')]";
const SAMPLE_BACKWARD: &str = "[('name', 'S5'), ('flag', '?'), ('xyz', '>f4', (3,)), ('t', '>f8'), ('id', '>u8')]";

/// A file of these records, whose bytes are those of the first 1000 again and again.
fn file_of<T: NpyElement>(descr: &str, count: usize, make: impl Fn(usize) -> T) -> Vec<u8> {
    let dtype: DType = descr.parse().unwrap();
    let period: Vec<T> = (0..1000.min(count)).map(make).collect();
    let mut first = Vec::new();
    let mut writer = NpyWriter::with_header(&mut first, &Header::new(dtype.clone(), Order::C, &[period.len()]).unwrap()).unwrap();
    writer.write_slice(&period).unwrap();
    writer.finish().unwrap();
    let data = &first[Header::parse(&first).unwrap().1..];
    let header = Header::new(dtype.clone(), Order::C, &[count]).unwrap();
    let mut file = header.to_bytes();
    let end = file.len() + count * dtype.itemsize();
    while file.len() < end {
        let left = end - file.len();
        file.extend(&data[..data.len().min(left)]);
    }
    file
}

/// Numbers of records: none, one, too few for threads, and those at which a chunk of threads ends,
/// or does not quite.
fn counts(descr: &str) -> Vec<usize> {
    let itemsize = descr.parse::<DType>().unwrap().itemsize();
    let header = Header::new(descr.parse().unwrap(), Order::C, &[LEAST]).unwrap().to_bytes().len();
    let border = (3 * CHUNK - header) / itemsize;
    let large = [border + 1, LEAST / itemsize, LEAST / itemsize + 1, border];
    [0, 1].into_iter().chain(some(large, 4)).collect()
}

fn check<T: NpyElement + Clone + PartialEq + Debug>(descr: &str, make: impl Fn(usize) -> T) {
    let path = scratch("records.npy");
    let mut again: Vec<T> = Vec::new();
    for count in counts(descr) {
        std::fs::write(&path, file_of(descr, count, &make)).unwrap();
        let expected = npy_core::load::<T>(&path).unwrap();
        assert_eq!(expected.len(), count);
        assert!(expected.iter().enumerate().step_by(997).all(|(i, record)| *record == make(i % 1000)));
        for threads in some([5, 2], 2) {
            let options = ReadOptions::new().threads(threads);
            assert!(load_with::<T>(&path, options).unwrap() == expected, "{descr}, {count}, {threads} threads");
            // In place of others, and after some.
            let mut reader = NpyReader::open_with(&path, options).unwrap();
            reader.read_to_vec(&mut again).unwrap();
            assert!(again == expected, "{descr}, {count}, {threads} threads");
            let mut reader = NpyReader::open_with(&path, options).unwrap();
            let (skipped, left) = (count.min(3), count.min(5) - count.min(3));
            reader.skip(skipped).unwrap();
            let mut items = vec![make(0); count - skipped - left];
            reader.read_into(&mut items).unwrap();
            assert!(items == expected[skipped..count - left], "{descr}, {count}, {threads} threads");
            assert_eq!(reader.remaining(), left);
            assert_eq!(reader.into_vec::<T>().unwrap(), expected[count - left..]);
        }
    }
    let options = ReadOptions::new().threads(2);
    assert_eq!(Array1::<T>::load_npy_with(&path, options).unwrap().to_vec(), npy_core::load::<T>(&path).unwrap());
}

#[test]
fn threads_decode_the_same_records() {
    check(SAMPLE, sample);
    check(SAMPLE_ALIGNED, sample);
    check(SAMPLE_BACKWARD, sample);
}

#[test]
fn threads_decode_records_of_text() {
    check(EVENT, event);
}

#[test]
fn threads_decode_swapped_records_of_text() {
    check(EVENT_BIG, event);
}

#[test]
fn threads_decode_text_and_optional_times() {
    check("<U12", |i| format!("text {}", i % 1000));
    check(">M8[s]", |i| (i % 4 > 0).then(|| Datetime64::<Second>::new(i as i64 % 1000)));
}

#[test]
fn threads_read_the_same_columns() {
    let path = scratch("records.npy");
    for descr in [EVENT, EVENT_BIG] {
        for count in counts(descr) {
            std::fs::write(&path, file_of(descr, count, event)).unwrap();
            type Columns = (Kind, String, [Place; 2]);
            let names = ["kind", "text", "places"];
            let expected = load_columns::<Columns>(&path, names).unwrap();
            assert!(expected.1.iter().enumerate().step_by(997).all(|(i, text)| *text == event(i % 1000).text));
            for threads in some([2, 5], 2) {
                let options = ReadOptions::new().threads(threads);
                assert!(load_columns_with::<Columns>(&path, names, options).unwrap() == expected, "{descr} {count} {threads}");
            }
            let mut reader = NpyReader::open_with(&path, ReadOptions::new().threads(3)).unwrap();
            reader.skip(count.min(2)).unwrap();
            assert!(reader.into_columns::<(Kind,)>(["kind"]).unwrap().0 == expected.0[count.min(2)..]);
        }
    }
}

/// The bytes of field `offset` of record `index`.
fn field(file: &mut [u8], index: usize, offset: usize) -> &mut [u8] {
    let (header, begin) = Header::parse(file).unwrap();
    &mut file[begin + index * header.dtype().itemsize() + offset..]
}

/// Every way to read the file by several threads gives the error that one thread gives.
fn check_error<T: NpyElement + Clone + Debug + PartialEq>(path: &Path, item: &T, count: usize) -> Error {
    let expected = npy_core::load::<T>(path).unwrap_err();
    for threads in some([2, 5], 2) {
        let options = ReadOptions::new().threads(threads);
        assert_eq!(load_with::<T>(path, options).unwrap_err().to_string(), expected.to_string());
        let mut items = vec![item.clone(); 4];
        let mut reader = NpyReader::open_with(path, options).unwrap();
        let error = reader.read_to_vec(&mut items).unwrap_err();
        assert_eq!((error.with_path(path).to_string(), items.len()), (expected.to_string(), 0));
        let mut items = vec![item.clone(); count];
        let mut reader = NpyReader::open_with(path, options).unwrap();
        let error = reader.read_into(&mut items).unwrap_err();
        assert_eq!(error.with_path(path).to_string(), expected.to_string());
        assert!(reader.read_into(&mut items[..1]).is_err(), "after an error nothing is read");
        let error = Array1::<T>::load_npy_with(path, ReadOptions::new().threads(threads)).unwrap_err();
        assert_eq!(error.to_string(), expected.to_string());
    }
    expected
}

/// Offsets in a record of [`EVENT`].
const TEXT: usize = 0;
const CODE_OF_SECOND: usize = 28 + 18;
const KIND: usize = 28 + 36 + 8;

#[test]
fn the_error_of_the_first_record_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("records.npy");
    let count = 200_000;
    let mut file = file_of(EVENT, count, event);
    // What a later chunk has is met first by some thread.
    let damages = [
        (count - 1, KIND, "kind"),
        (150_000, CODE_OF_SECOND, "places[1].code"),
        (149_999, TEXT, "text"),
        (60_000, KIND, "kind"),
        (3, CODE_OF_SECOND, "places[1].code"),
    ];
    let checked: Vec<_> = some(0..damages.len(), 4).collect();
    for (number, (index, offset, expected)) in damages.into_iter().enumerate() {
        let length = if offset == KIND { 2 } else { 4 };
        field(&mut file, index, offset)[..length].fill(0xff);
        if !checked.contains(&number) {
            continue;
        }
        std::fs::write(&path, &file).unwrap();
        let error = check_error::<Event>(&path, &event(0), count);
        assert_eq!((error.element(), error.field()), (Some(index as u64), Some(expected)), "{error}");
    }
    // Of several columns too that of the first record, whichever is asked for first.
    for threads in some([2, 1, 5], 2) {
        let options = ReadOptions::new().threads(threads);
        let error = load_columns_with::<(String, Kind)>(&path, ["text", "kind"], options).unwrap_err();
        assert_eq!((error.element(), error.field()), (Some(60_000), Some("kind")), "{error}");
        let error = load_columns_with::<(String, [Place; 2])>(&path, ["text", "places"], options).unwrap_err();
        assert_eq!((error.element(), error.field()), (Some(3), Some("places[1].code")), "{error}");
        assert_eq!(error.message(), "invalid UTF-8 at byte 0 of the text; read it as `FixedBytes`");
    }
    // Two columns of one chunk.
    let mut file = file_of(EVENT, count, event);
    field(&mut file, 190_001, TEXT)[..4].copy_from_slice(&[0xff; 4]);
    field(&mut file, 190_000, KIND)[..2].copy_from_slice(&[0xff; 2]);
    std::fs::write(&path, &file).unwrap();
    for threads in some([2, 1, 5], 2) {
        let options = ReadOptions::new().threads(threads);
        let error = load_columns_with::<(String, Kind)>(&path, ["text", "kind"], options).unwrap_err();
        assert_eq!((error.element(), error.field()), (Some(190_000), Some("kind")), "{error}");
    }
}

#[test]
fn threads_reject_truncated_files_alike() {
    let path = scratch("cut.npy");
    let count = 200_000;
    let whole = file_of(EVENT, count, event);
    let data = Header::parse(&whole).unwrap().1;
    for length in some([LEAST + 77, data, whole.len() - 1, data + 1], 4) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = check_error::<Event>(&path, &event(0), count);
        let found = (length - data) as u64;
        assert!(error.to_string().ends_with(&format!(", found {found}")), "{error}");
        let expected = load_columns::<(Kind,)>(&path, ["kind"]).unwrap_err().to_string();
        let options = ReadOptions::new().threads(2);
        assert_eq!(load_columns_with::<(Kind,)>(&path, ["kind"], options).unwrap_err().to_string(), expected);
    }
    // Another dtype is refused before anything is read.
    let error = load_with::<Sample>(&path, ReadOptions::new().threads(2)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
}

/// A field whose conversion tells how many values there are, and can do more.
macro_rules! counted {
    ($module:ident, $on_decode:expr) => {
        mod $module {
            use std::sync::atomic::{AtomicIsize, Ordering};

            pub static ALIVE: AtomicIsize = AtomicIsize::new(0);

            #[derive(Debug)]
            pub struct Counted(pub u32);

            impl Drop for Counted {
                fn drop(&mut self) {
                    ALIVE.fetch_sub(1, Ordering::SeqCst);
                }
            }

            pub type Element = u32;

            pub fn decode(value: u32) -> Result<Counted, String> {
                #[allow(clippy::redundant_closure_call, reason = "it is an argument")]
                ($on_decode)(value)?;
                ALIVE.fetch_add(1, Ordering::SeqCst);
                Ok(Counted(value))
            }

            #[allow(clippy::unnecessary_wraps, reason = "the derive asks for it")]
            pub fn encode(value: &Counted) -> Result<u32, String> {
                Ok(value.0)
            }
        }
    };
}

/// A file of records of 12 bytes whose numbers count up.
fn counting(path: &Path, count: u32) {
    let mut file =
        Header::new("[('value', '<u4'), ('unread', '<f8')]".parse().unwrap(), Order::C, &[count as usize]).unwrap().to_bytes();
    for i in 0..count {
        file.extend(i.to_le_bytes());
        file.extend([0; 8]);
    }
    std::fs::write(path, file).unwrap();
}

counted!(refusing, |value| if value == 1_000_000 { Err("enough".to_owned()) } else { Ok::<(), String>(()) });

/// Every value that was made before an error is dropped once.
#[test]
fn nothing_leaks_after_an_error() {
    use std::sync::atomic::Ordering;

    #[derive(NpyRecord, Debug)]
    struct Record {
        #[npy(with = refusing)]
        value: refusing::Counted,
    }

    let path = scratch("records.npy");
    counting(&path, 1_250_000);
    for threads in some([2, 1, 5], 2) {
        let options = ReadOptions::new().threads(threads);
        let error = load_with::<Record>(&path, options).unwrap_err();
        assert_eq!((error.element(), error.field()), (Some(1_000_000), Some("value")), "{error}");
        assert_eq!(refusing::ALIVE.load(Ordering::SeqCst), 0, "{threads} threads");
        load_columns_with::<(u32, Record)>(&path, ["value", "value"], options).unwrap_err();
        assert_eq!(refusing::ALIVE.load(Ordering::SeqCst), 0, "{threads} threads");
    }
    counting(&path, 950_000);
    for threads in some([5, 1], 2) {
        let records = load_with::<Record>(&path, ReadOptions::new().threads(threads)).unwrap();
        assert!(records.iter().zip(0..).all(|(record, i)| record.value.0 == i));
        assert_eq!(refusing::ALIVE.load(Ordering::SeqCst), 950_000);
        drop(records);
        assert_eq!(refusing::ALIVE.load(Ordering::SeqCst), 0);
    }
}

counted!(panicking, |value| {
    assert!(value != 750_000, "a conversion of the caller's own");
    Ok::<(), String>(())
});

/// The panic of a conversion goes on where the file was to be read, with its own message, whichever
/// thread meets it.
#[test]
fn panic_of_a_conversion_propagates() {
    #[derive(NpyRecord, Debug)]
    struct Record {
        #[npy(with = panicking)]
        value: panicking::Counted,
    }

    let path = scratch("records.npy");
    counting(&path, 1_000_000);
    for threads in some([2, 1, 5], 2) {
        let panic = std::panic::catch_unwind(|| load_with::<Record>(&path, ReadOptions::new().threads(threads))).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a conversion of the caller's own"), "{threads} threads");
    }
}

#[cfg(unix)]
mod meeting {
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};
    use std::time::{Duration, Instant};

    /// The threads that have decoded something.
    pub static THREADS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

    pub type Element = u32;

    /// The first element is not done before another thread has begun.
    pub fn decode(value: u32) -> Result<u64, String> {
        let note = || {
            let mut threads = THREADS.lock().unwrap();
            if !threads.contains(&thread::current().id()) {
                threads.push(thread::current().id());
            }
            threads.len()
        };
        if value == 0 {
            let begin = Instant::now();
            while note() < 2 {
                if begin.elapsed() > Duration::from_secs(60) {
                    return Err("nobody came".to_owned());
                }
                thread::yield_now();
            }
        } else if value.is_multiple_of(1000) {
            note();
        }
        Ok(value.into())
    }

    #[allow(clippy::unnecessary_wraps, reason = "the derive asks for it")]
    pub fn encode(value: &u64) -> Result<u32, String> {
        Ok(*value as u32)
    }
}

/// Threads decode at the same time: no lock is held meanwhile.
#[cfg(unix)]
#[test]
fn threads_work_at_the_same_time() {
    #[derive(NpyRecord, Debug)]
    struct Record {
        #[npy(with = meeting)]
        value: u64,
    }

    let path = scratch("records.npy");
    counting(&path, 1_000_000);
    let records = load_with::<Record>(&path, ReadOptions::new().threads(2)).unwrap();
    assert!(records.iter().zip(0..).all(|(record, i)| record.value == i));
    assert_eq!(meeting::THREADS.lock().unwrap().len(), 2);
}

mod own_thread {
    use std::rc::Rc;
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};

    pub static THREADS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

    pub type Element = u32;

    #[allow(clippy::unnecessary_wraps, reason = "the derive asks for it")]
    pub fn decode(value: u32) -> Result<Rc<u32>, String> {
        let mut threads = THREADS.lock().unwrap();
        if !threads.contains(&thread::current().id()) {
            threads.push(thread::current().id());
        }
        Ok(Rc::new(value))
    }

    #[allow(clippy::unnecessary_wraps, reason = "the derive asks for it")]
    pub fn encode(value: &Rc<u32>) -> Result<u32, String> {
        Ok(**value)
    }
}

/// What must not go to another thread is not made there.
#[test]
fn elements_that_are_not_send_are_decoded_by_one_thread() {
    use std::rc::Rc;

    #[derive(NpyRecord, Clone, Debug)]
    struct Record {
        #[npy(with = own_thread)]
        value: Rc<u32>,
    }

    #[derive(NpyRecord, Clone, Debug)]
    struct Generic<T> {
        value: T,
    }

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("records.npy");
    counting(&path, 1_000_000);
    let options = ReadOptions::new().threads(5);
    let mut records = load_with::<Record>(&path, options).unwrap();
    assert!(records.iter().zip(0..).all(|(record, i)| *record.value == i));
    NpyReader::open_with(&path, options).unwrap().read_into(&mut records).unwrap();
    // A type parameter might stand for one.
    let header = "[('value', [('value', '<u4'), ('unread', '<f8')])]".parse().unwrap();
    let nested = Header::new(header, Order::C, &[1_000_000]).unwrap().to_bytes();
    let flat = std::fs::read(&path).unwrap();
    let file = [&nested, &flat[Header::parse(&flat).unwrap().1..]].concat();
    std::fs::write(&path, file).unwrap();
    load_with::<Generic<Record>>(&path, options).unwrap();
    load_with::<Generic<Option<Record>>>(&path, options).unwrap();
    load_columns_with::<([Record; 1], f64)>(&path, ["value", "value.unread"], options).unwrap_err();
    load_columns_with::<(Record, f64)>(&path, ["value", "value.unread"], options).unwrap();
    assert_eq!(*own_thread::THREADS.lock().unwrap(), [std::thread::current().id()]);
}

#[cfg(unix)]
mod cutting {
    use std::fs::File;
    use std::sync::Mutex;

    pub static FILE: Mutex<Option<File>> = Mutex::new(None);

    pub type Element = u32;

    pub fn decode(value: u32) -> Result<u32, String> {
        if value == 0
            && let Some(file) = &*FILE.lock().unwrap()
        {
            file.set_len(9 << 20).map_err(|error| error.to_string())?;
        }
        Ok(value)
    }

    #[allow(clippy::unnecessary_wraps, reason = "the derive asks for it")]
    pub fn encode(value: &u32) -> Result<u32, String> {
        Ok(*value)
    }
}

/// A file that gets shorter when its first record was read, though its length was found to be
/// enough.
#[cfg(unix)]
#[test]
fn detects_files_that_shrink_while_being_read() {
    #[derive(NpyRecord, Debug)]
    struct Record {
        #[npy(with = cutting)]
        value: u32,
    }

    let path = scratch("records.npy");
    for threads in some([2, 1, 5], 2) {
        counting(&path, 1_500_000);
        let end = std::fs::metadata(&path).unwrap().len();
        *cutting::FILE.lock().unwrap() = Some(std::fs::OpenOptions::new().write(true).open(&path).unwrap());
        match load_with::<Record>(&path, ReadOptions::new().threads(threads)) {
            // Others were faster than the one that cut it.
            Ok(records) => assert!(threads > 1 && records.len() == 1_500_000),
            Err(error) => {
                let (offset, missing) = (error.offset().unwrap(), error.missing_bytes().unwrap());
                assert_eq!(offset + missing, end);
                assert!((9 << 20..end).contains(&offset), "{error}");
            }
        }
    }
}
