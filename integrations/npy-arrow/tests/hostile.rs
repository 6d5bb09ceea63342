//! Files that claim what is not there.

use std::io::Cursor;

use npy_arrow::arrow_buffer::Buffer;
use npy_arrow::{BatchOptions, BatchReader, ErrorKind, from_batches, to_batch};
use npy_core::{DynValues, Header, Limits, Order};

use crate::support::{file_of, own, values};

/// The file of a header and of less data than it claims.
fn lying(dtype: &str, order: Order, shape: &[usize], data: &[u8]) -> Vec<u8> {
    [&Header::new(dtype.parse().unwrap(), order, shape).unwrap().to_bytes(), data].concat()
}

fn is_truncated(error: &npy_arrow::Error) -> bool {
    error.kind() == ErrorKind::Truncated
}

#[test]
fn claimed_terabytes_take_no_memory() {
    for (dtype, order, shape) in [
        ("<f8", Order::C, &[1_usize << 40][..]),
        ("[('a', '<f8'), ('b', 'U100')]", Order::C, &[1 << 40]),
        ("<f8", Order::C, &[1 << 30, 1 << 10]),
        ("<f8", Order::Fortran, &[1 << 30, 1 << 10]),
        ("|V1000000000", Order::C, &[1 << 20]),
    ] {
        let file = lying(dtype, order, shape, &[1; 100]);
        let saved = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(saved.path(), &file).unwrap();
        for rows in [1, 1000, usize::MAX] {
            let options = BatchOptions::new().rows(rows);
            assert!(is_truncated(&BatchReader::open(saved.path(), options.clone()).unwrap_err()), "{dtype}");
            assert!(
                is_truncated(&BatchReader::from_buffer(Buffer::from_vec(file.clone()), options.clone()).unwrap_err()),
                "{dtype}"
            );
            match BatchReader::new(Cursor::new(file.clone()), options) {
                Ok(reader) => {
                    let batches: Vec<_> = reader.take(20).collect();
                    let error = own(batches.into_iter().find_map(Result::err).unwrap());
                    assert!(is_truncated(&error), "{error}");
                }
                Err(error) => assert!(is_truncated(&error), "{error}"),
            }
        }
    }
}

#[test]
fn truncated_files_are_errors_with_their_path() {
    let file = file_of(&values("[('a', '<u2')]", 10, &[7; 20]));
    let saved = tempfile::NamedTempFile::new().unwrap();
    for length in 0..file.len() {
        std::fs::write(saved.path(), &file[..length]).unwrap();
        let error = BatchReader::open(saved.path(), BatchOptions::new()).unwrap_err();
        assert_eq!(error.path(), Some(saved.path()));
        assert!(error.to_string().starts_with(&saved.path().display().to_string()), "{error}");
        if let Ok(mut reader) = BatchReader::new(Cursor::new(file[..length].to_vec()), BatchOptions::new().rows(3)) {
            assert!(reader.any(|batch| batch.is_err()));
            assert!(reader.next().is_none());
        }
    }
}

#[test]
fn file_that_shrinks_is_truncated() {
    let saved = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(saved.path(), file_of(&values("<f8", 10, &[7; 80]))).unwrap();
    let mut reader = BatchReader::open(saved.path(), BatchOptions::new().rows(4)).unwrap();
    assert!(reader.next().unwrap().is_ok());
    saved.as_file().set_len(128 + 40).unwrap();
    let error = own(reader.next().unwrap().unwrap_err());
    assert!(is_truncated(&error) && error.path() == Some(saved.path()), "{error}");
    assert!(reader.next().is_none());
}

#[test]
fn rows_without_bytes_are_bounded() {
    for (dtype, shape) in [("|S0", &[1_usize << 60][..]), ("<f8", &[1 << 50, 0]), ("[]", &[1 << 50])] {
        let Ok(header) = Header::new(dtype.parse().unwrap(), Order::C, shape) else { continue };
        let options = BatchOptions::new().rows(usize::MAX).read(Limits::new().empty_elements(u64::MAX));
        let Err(error) = BatchReader::new(Cursor::new(header.to_bytes()), options) else { panic!("{dtype}") };
        assert!(error.to_string().contains("rows without bytes"), "{error}");
        let huge = DynValues::new(dtype.parse().unwrap(), Order::C, shape, Vec::new());
        assert!(huge.is_err() || to_batch(&huge.unwrap()).is_err());
    }
}

#[test]
fn empty_arrays_and_single_values_round_trip() {
    for (dtype, shape) in [
        ("|S0", &[3_usize][..]),
        ("<U0", &[3]),
        ("|V0", &[3]),
        ("[]", &[3]),
        ("[('a', []), ('b', '|V0'), ('c', 'S0')]", &[2]),
        ("[('a', '<f8', (0,)), ('b', [('c', 'U2')], (0, 2))]", &[2]),
        ("<f8", &[0]),
        ("<f8", &[]),
        ("<f8", &[0, 5]),
        ("<f8", &[5, 0]),
        ("[('a', '<f8'), ('b', 'U3'), ('c', '|b1')]", &[0]),
        ("[('a', '<f8'), ('b', 'U3')]", &[]),
        ("[('a', 'U1')]", &[2, 0]),
    ] {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let values =
            DynValues::new(dtype.clone(), Order::C, shape, vec![0; dtype.itemsize() * shape.iter().product::<usize>()]).unwrap();
        let batch = to_batch(&values).unwrap();
        assert_eq!(batch.num_rows(), shape.first().copied().unwrap_or(1));
        let back = from_batches(&batch.schema(), [&batch]).unwrap();
        assert_eq!((back.dtype(), back.shape()), (values.dtype(), values.shape()), "{dtype}");
        let read: usize = BatchReader::new(Cursor::new(file_of(&values)), BatchOptions::new().rows(2))
            .unwrap()
            .map(|batch| batch.unwrap().num_rows())
            .sum();
        assert_eq!(read, batch.num_rows());
    }
}

#[test]
fn stream_that_fails_is_an_error_once() {
    struct Failing(Cursor<Vec<u8>>);
    impl std::io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(std::io::Error::other("the line is gone")),
                count => Ok(count),
            }
        }
    }
    let file = file_of(&values("<f8", 10, &[7; 80]));
    let reader = BatchReader::new(Failing(Cursor::new(file[..150].to_vec())), BatchOptions::new().rows(2)).unwrap();
    let results: Vec<_> = reader.collect();
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false]);
    insta::assert_snapshot!(results[1].as_ref().unwrap_err(), @"External error: cannot read the data");
}

/// The reader of Arrow allocates a block before it reads it.
#[cfg(feature = "ipc")]
#[test]
fn a_footer_that_claims_terabytes_is_refused() {
    use npy_arrow::ipc;

    let directory = tempfile::tempdir().unwrap();
    let [npy, path] = ["a.npy", "a.arrow"].map(|name| directory.path().join(name));
    npy_core::save(&npy, &[1_u8, 2, 3]).unwrap();
    ipc::from_npy(&npy, &path, BatchOptions::new()).unwrap();
    let file = std::fs::read(&path).unwrap();
    let end = file.len() - 10;
    let length = u32::from_le_bytes(file[end..end + 4].try_into().unwrap()) as usize;
    let footer = ipc::arrow_ipc::root_as_footer(&file[end - length..end]).unwrap();
    let block = *footer.recordBatches().unwrap().get(0);
    let old =
        [&block.offset().to_le_bytes()[..], &block.metaDataLength().to_le_bytes(), &[0; 4], &block.bodyLength().to_le_bytes()];
    let at = file.windows(24).rposition(|window| window == old.concat()).unwrap();
    for claim in [1_i64 << 40, i64::MAX, -1] {
        let mut forged = file.clone();
        forged[at + 16..at + 24].copy_from_slice(&claim.to_le_bytes());
        std::fs::write(&path, &forged).unwrap();
        let error = ipc::read(&path).unwrap_err();
        assert!(is_truncated(&error), "{error}");
        assert_eq!(error.path(), Some(path.as_path()));
    }
    let mut forged = file.clone();
    forged[end..end + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    std::fs::write(&path, &forged).unwrap();
    assert!(ipc::read(&path).unwrap_err().to_string().contains("footer too long"));
    for length in 0..file.len() {
        std::fs::write(&path, &file[..length]).unwrap();
        assert!(ipc::read(&path).is_err());
    }
}

/// The readers of Arrow panic on some of these, and allocate what others claim.
#[cfg(all(feature = "codecs", feature = "ipc", feature = "parquet"))]
#[test]
fn flipped_bytes_of_tables_never_panic() {
    use npy_arrow::arrow_array::{ArrayRef, RecordBatch, StringArray};
    use npy_arrow::ipc::arrow_ipc::CompressionType;
    use npy_arrow::ipc::arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use npy_arrow::{ArrayOptions, ipc, parquet};

    let directory = tempfile::tempdir().unwrap();
    let [table, npy] = ["a.table", "a.npy"].map(|name| directory.path().join(name));
    let words: ArrayRef = std::sync::Arc::new(StringArray::from(["a word", "another", "a word"].repeat(50)));
    let batch = RecordBatch::try_from_iter([("word", words)]).unwrap();
    let schema = batch.schema();
    let ipc_file = |codec| {
        let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let ipc_stream = |codec| {
        let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let files =
        [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)].map(|codec| [ipc_file(codec), ipc_stream(codec)]);
    for file in files.iter().flatten() {
        std::fs::write(&table, file).unwrap();
        assert_eq!(ipc::to_npy(&table, &npy, ArrayOptions::new()).unwrap(), 150);
        for at in (0..file.len()).step_by(7) {
            let mut forged = file.clone();
            forged[at] ^= 0x41;
            std::fs::write(&table, &forged).unwrap();
            let _ = ipc::to_npy(&table, &npy, ArrayOptions::new());
        }
    }
    // The length that the compressed words claim. The last offset, before them, is as large.
    for file in &files[1] {
        let at = file.windows(8).rposition(|bytes| bytes == (19 * 50_i64).to_le_bytes()).unwrap();
        let mut forged = file.clone();
        forged[at..at + 8].copy_from_slice(&(1_i64 << 50).to_le_bytes());
        std::fs::write(&table, &forged).unwrap();
        let error = ipc::to_npy(&table, &npy, ArrayOptions::new()).unwrap_err();
        let problem = format!("invalid buffer at byte {at}: expected a length of at most ");
        assert!(error.to_string().contains(&problem), "{error}");
    }
    let schema = batch.schema();
    parquet::write(&table, npy_arrow::arrow_array::RecordBatchIterator::new([Ok(batch)], schema), Default::default()).unwrap();
    let file = std::fs::read(&table).unwrap();
    for at in (0..file.len()).step_by(7) {
        let mut forged = file.clone();
        forged[at] ^= 0x41;
        std::fs::write(&table, &forged).unwrap();
        let _ = parquet::to_npy(&table, &npy, ArrayOptions::new());
    }
}
