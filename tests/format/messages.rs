//! Error messages that no other test causes, each by a real call.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use ndarray::Array1;
use npy_core::npz::{NpzReader, NpzStream, NpzWriter};
use npy_core::object::{ObjectArray, PyObject, StringDType};
use npy_core::shards::{ShardWriter, Shards};
use npy_core::{Casting, DType, DynValues, Error, Header, NpyElement, Order};
use npy_ndarray::{DynArray, load_any};

use crate::support::{as_little_endian, zeros};

/// The message of a failed call, without the directory.
fn message<T>(directory: &Path, result: Result<T, Error>) -> String {
    let Err(error) = result else { panic!("the call succeeded") };
    format!("{error:#}").replace(&format!("{}/", directory.display()), "")
}

#[test]
fn dtypes_that_cannot_be_stored() {
    let store = |dtype: DType| Header::new(dtype, Order::C, &[1]).unwrap_err();
    insta::assert_snapshot!(store("(2,)f8".parse().unwrap()), @"cannot store the dtype: expected a scalar or a record, found a sub-array; add its dimensions to the shape, or make it a field of a record");
    insta::assert_snapshot!("<2>u4".parse::<DType>().unwrap_err(), @r#"invalid dtype "<2>u4": inconsistent byte orders"#);
    insta::assert_snapshot!("(2,2f8".parse::<DType>().unwrap_err(), @r#"invalid dtype "(2,2f8": expected ')', found end of text"#);
    insta::assert_snapshot!("i4,f 8".parse::<DType>().unwrap_err(), @r#"invalid dtype "i4,f 8": expected a type code, found white space or a sign"#);
    insta::assert_snapshot!("[(([], 'x'), '<f4')]".parse::<DType>().unwrap_err(), @"invalid dtype [] at byte 3: unhashable title");
    insta::assert_snapshot!("[('\\x4', '<f4')]".parse::<DType>().unwrap_err(), @r#"invalid dtype "[('\\x4', '<f4')]" at byte 3: invalid escape sequence"#);
    insta::assert_snapshot!("[(z'x', '<f4')]".parse::<DType>().unwrap_err(), @r#"invalid dtype "[(z'x', '<f4')]" at byte 2: unknown string prefix"#);
    insta::assert_snapshot!("[('x', b'\0')]".parse::<DType>().unwrap_err(), @r#"invalid dtype "[('x', b'\0')]" at byte 9: invalid NUL byte"#);
}

#[test]
fn missing_rows_and_fields() {
    insta::assert_snapshot!(npy_core::read::<[f64; 3]>(&zeros("<f8", Order::Fortran, &[4, 3])[..]).unwrap_err(), @"cannot read rows as `[T; N]`: expected C order, found Fortran order with shape (4, 3); read it as an `ndarray` array, or save `np.ascontiguousarray(array)`");
    let records = DynArray::read_npy(&zeros("[('x', '<f4'), ('y', '<f4')]", Order::C, &[2])[..]).unwrap();
    insta::assert_snapshot!(records.field("z").unwrap_err(), @r#"unknown field "z": the records have x, y"#);
    insta::assert_snapshot!(as_little_endian(records.cast::<f64>().unwrap_err()), @"cannot cast [('x', '<f4'), ('y', '<f4')] to <f8: expected numbers; select one of its fields");
    let floats = DynArray::from(Array1::from(vec![0.5, 300.0]).into_dyn());
    insta::assert_snapshot!(as_little_endian(floats.cast_as::<u8>(Casting::Safe).unwrap_err()), @"cannot cast <f8 to |u1 according to the rule 'safe'; `Casting::Checked` casts what fits, `Casting::Unsafe` all");
    insta::assert_snapshot!(floats.cast_as::<u8>(Casting::Checked).unwrap_err(), @"element 0: cannot represent 0.5 exactly as |u1");
    insta::assert_snapshot!(DynValues::new(f64::dtype(), Order::C, &[3], vec![0; 22]).unwrap_err(), @"wrong number of bytes: expected 24, found 22");
}

#[test]
fn files_of_unknown_format() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.txt");
    fs::write(&path, b"x,y\n1,2\n").unwrap();
    insta::assert_snapshot!(message(directory.path(), load_any(&path).map(drop)), @r#"x.txt: unknown file format: expected an .npy file, an .npz archive or an .ra file, found "x,y\n1,2\n", comma-separated text; the command `npy convert` reads it"#);
    struct Liar;
    impl io::Read for Liar {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            Ok(buffer.len() + 1)
        }
    }
    insta::assert_snapshot!(npy_core::read::<u8>(Liar).unwrap_err(), @"invalid byte count from the reader: expected at most 10, found 11");
}

#[test]
fn objects_that_do_not_fit() {
    insta::assert_snapshot!("[('x', '<i4'), ('', 'O', (2, 3))]".parse::<DType>().unwrap_err(), @"invalid dtype ('', 'O', (2, 3)) at byte 15: expected a name for a sub-array of objects");
    insta::assert_snapshot!(ObjectArray::from(vec![PyObject::None]).to_vec::<i32>().unwrap_err(), @"element 0: expected i32, found None; read it as an `Option`");
    insta::assert_snapshot!(ObjectArray::from(vec![1, 2]).with_string_dtype(StringDType::new(true, None)).unwrap_err(), @"element 0: expected a str or the `na_object`, found int");
    let decimal = ObjectArray::from(vec![PyObject::Decimal("1; import os".to_owned())]);
    insta::assert_snapshot!(decimal.write(Vec::new()).unwrap_err(), @r#"element 0: invalid Decimal "1; import os""#);
    insta::assert_snapshot!(npy_core::object::from_object::<u8>(&PyObject::from("a")).unwrap_err(), @r#"invalid type: string "a", expected u8"#);
}

#[test]
fn archives_that_cannot_be_read_or_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    archive.add_slice("x", &[0xab_u8, 0xcd]).unwrap();
    insta::assert_snapshot!(message(directory.path(), archive.add_slice("x", &[1_u8])), @r#"x.npz: member "x": duplicate member name; to replace a member, write a new archive"#);
    insta::assert_snapshot!(message(directory.path(), archive.add_slice("a\0b", &[1_u8])), @r#"x.npz: member "a\0b": invalid member name: expected at most 65535 bytes without NUL and "PK\x03\x04""#);
    drop(archive.finish().unwrap());
    let whole = fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        message(directory.path(), NpzReader::open(&path).map(drop))
    };
    insta::assert_snapshot!(open(b"x,y\n"), @r#"x.npz: not an .npz file: expected a zip archive, found "x,y\n", plain text; the command `npy convert --from csv` reads text line by line"#);
    insta::assert_snapshot!(open(&whole[..whole.len() - 1]), @"x.npz: truncated archive: expected the end of central directory at the end of the file, found 1 complete and 0 listed members; `npy_core::npz::recover` keeps them");
    insta::assert_snapshot!(open(&whole[..whole.len() - 22]), @"x.npz: truncated archive: expected the end of central directory at the end of the file, found 1 complete and 0 listed members; `npy_core::npz::recover` keeps them");
    insta::assert_snapshot!(open(&whole[..100]), @"x.npz: truncated archive: expected the end of central directory at the end of the file, found no complete member");
    insta::assert_snapshot!(open(b"PK\x03\x04"), @"x.npz: truncated archive: expected the end of central directory at the end of the file, found none");
    insta::assert_snapshot!(open(&[&whole[..], &whole[..]].concat()), @"x.npz: concatenated archives: expected one archive, found another at byte 258; split the file there");
    insta::assert_snapshot!(message(directory.path(), NpzStream::new(&whole[..20]).next().map(drop)), @"truncated archive: expected a member or the central directory, found the end of the stream");
    let mut damaged = whole.clone();
    let at = damaged.windows(2).position(|bytes| bytes == [0xab, 0xcd]).unwrap();
    damaged[at] = 9;
    fs::write(&path, &damaged).unwrap();
    insta::assert_snapshot!(message(directory.path(), NpzReader::open(&path).unwrap().by_name::<u8>("x")), @r#"x.npz: member "x": wrong checksum: expected 0x00568920, found 0x9c67574b; the data are damaged"#);
    insta::assert_snapshot!(message(directory.path(), NpzReader::open(&path).unwrap().by_name::<u8>("y")), @r#"x.npz: missing array "y": the archive has x"#);
}

#[test]
fn shards_that_do_not_belong_together() {
    let directory = tempfile::tempdir().unwrap();
    let prefix = directory.path().join("s");
    let mut writer = ShardWriter::<u8>::open(&prefix, 2).unwrap();
    writer.write_slice(&[0; 6]).unwrap();
    writer.finish().unwrap();
    insta::assert_snapshot!(message(directory.path(), Shards::open(&prefix).unwrap().read::<u8>(5..9)), @"invalid region along axis 0: expected a range within 0..6, found 5..9");
    let part = directory.path().join("s-00007.npy.part");
    fs::File::create(&part).unwrap().write_all(&zeros("|u1", Order::C, &[1])).unwrap();
    insta::assert_snapshot!(message(directory.path(), ShardWriter::<u8>::open(&prefix, 2).map(drop)), @"s-00007.npy.part: unexpected unfinished shard: expected number 3, found 7");
    fs::remove_file(&part).unwrap();
    fs::remove_file(directory.path().join("s-00001.npy")).unwrap();
    insta::assert_snapshot!(message(directory.path(), Shards::open(&prefix)), @"s-00001.npy: missing shard 1: expected 3 shards without a gap");
}
