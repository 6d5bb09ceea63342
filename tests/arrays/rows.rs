//! Single rows by index, and arrays in blocks of rows.

use std::fs;
use std::io::{BufReader, Cursor, Read, Seek};

use ndarray::{Array1, Array2, Ix1, Ix2, Ix3, IxDyn, ShapeBuilder, s};
use npy_core::npz::{NpzReader, NpzWriter};
use npy_core::{ErrorKind, Header, NpyElement, NpyReader, Order};
use npy_ndarray::{NpyBlocks, WriteNpyExt};

use crate::support::archives::random;
use crate::support::scratch;

#[test]
fn rows_by_their_number() {
    for order in [Order::C, Order::Fortran] {
        let (shape, rows, per_row) = if order == Order::C { ([7, 3], 7, 3) } else { ([3, 7], 7, 3) };
        let header = Header::new(i32::dtype(), order, &shape).unwrap();
        let values: Vec<i32> = (0..21).collect();
        let file = [header.to_bytes(), values.iter().flat_map(|value| value.to_ne_bytes()).collect()].concat();
        let path = scratch("rows.npy");
        fs::write(&path, &file).unwrap();
        check_rows(NpyReader::new(Cursor::new(&file)).unwrap(), &values, rows, per_row);
        check_rows(NpyReader::new(BufReader::with_capacity(16, Cursor::new(&file))).unwrap(), &values, rows, per_row);
        check_rows(NpyReader::open(&path).unwrap(), &values, rows, per_row);

        let mut reader = NpyReader::from_bytes(&file).unwrap();
        reader.skip(2).unwrap();
        assert_eq!(reader.remaining(), 15);
        assert_eq!(reader.into_vec::<i32>().unwrap(), &values[6..]);
    }
}

fn check_rows<R: Read + Seek>(mut reader: NpyReader<R>, values: &[i32], rows: usize, per_row: usize) {
    let mut state = 3;
    let mut position = 0;
    for _ in 0..2_000 {
        let row = random(&mut state) % (rows + 1);
        let end = row + random(&mut state) % (rows - row + 1);
        match random(&mut state) % 6 {
            0 => {
                reader.seek_to(row).unwrap();
                position = row * per_row;
            }
            1 => {
                assert_eq!(reader.read_at::<i32>(row..end).unwrap(), &values[row * per_row..end * per_row]);
                position = end * per_row;
            }
            2 => {
                let left = (values.len() - position) / per_row;
                let step = random(&mut state) % (left + 1);
                reader.skip(step).unwrap();
                position += step * per_row;
                assert!(reader.skip(left - step + 1).is_err());
            }
            3 => {
                let chunk = reader.chunks::<i32>(2).next().transpose().unwrap().unwrap_or_default();
                assert_eq!(chunk, &values[position..(position + 2).min(values.len())]);
                position += chunk.len();
            }
            4 => {
                let mut items = vec![0; random(&mut state) % (values.len() - position + 1)];
                reader.read_into(&mut items).unwrap();
                assert_eq!(items, &values[position..position + items.len()]);
                position += items.len();
            }
            _ => {
                let part =
                    if reader.header().order() == Order::C { [(row..end).into(), 1.into()] } else { [1.into(), (row..end).into()] };
                let expected: Vec<i32> = (row..end).map(|row| values[row * per_row + 1]).collect();
                assert_eq!(reader.read_region::<i32>(&part).unwrap(), expected);
                position = if end > row { (end - 1) * per_row + 2 } else { position };
            }
        }
        assert_eq!(reader.remaining(), values.len() - position);
    }
    reader.seek_to(0).unwrap();
    assert_eq!(reader.records::<i32>().collect::<Result<Vec<_>, _>>().unwrap(), values);
}

#[test]
fn blocks() {
    let array = Array2::from_shape_fn((7, 3), |(i, j)| (i * 3 + j) as i64);
    let fortran = Array2::from_shape_fn((3, 7).f(), |(i, j)| (i * 7 + j) as i64);
    let path = scratch("blocks.npy");
    for rows in [0, 1, 2, 3, 7, 100, usize::MAX] {
        let step = rows.clamp(1, 7);
        array.save_npy(&path).unwrap();
        let blocks: Vec<Array2<i64>> = NpyBlocks::open(&path, rows).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(blocks, array.axis_chunks_iter(ndarray::Axis(0), step).map(|block| block.to_owned()).collect::<Vec<_>>());
        fortran.save_npy(&path).unwrap();
        let blocks: Vec<Array2<i64>> = NpyBlocks::open(&path, rows).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(blocks, fortran.axis_chunks_iter(ndarray::Axis(1), step).map(|block| block.to_owned()).collect::<Vec<_>>());
        assert_eq!(blocks[0].strides()[0], 1);
    }
    assert!(NpyBlocks::<i64, Ix1>::open(&path, 1).is_err());
    assert!(NpyBlocks::<i64, Ix3>::open(&path, 1).is_err());
    assert_eq!(NpyBlocks::<i64, IxDyn>::open(&path, 4).unwrap().map(|block| block.unwrap().ndim()).max(), Some(2));
    let mut blocks = NpyBlocks::<f32, Ix2>::open(&path, 4).unwrap();
    assert_eq!(blocks.next().unwrap().unwrap_err().kind(), ErrorKind::Mismatch);
    assert!(blocks.next().is_none());

    // From a row on; but not from within one.
    let mut reader = NpyReader::open(&path).unwrap();
    reader.seek_to(5).unwrap();
    let blocks: Vec<Array2<i64>> = NpyBlocks::new(reader, 4).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(blocks, [fortran.slice(s![.., 5..]).to_owned()]);
    let mut reader = NpyReader::open(&path).unwrap();
    reader.read_into(&mut [0_i64]).unwrap();
    assert!(NpyBlocks::<i64, Ix2, _>::new(reader, 4).is_err());

    // An empty file of another dtype is an error, and so is a truncated file.
    Array1::<u8>::zeros(0).save_npy(&path).unwrap();
    assert!(NpyBlocks::<u16, Ix1>::open(&path, 4).unwrap().next().unwrap().is_err());
    assert!(NpyBlocks::<u8, Ix1>::open(&path, 4).unwrap().next().is_none());
    let mut file = Vec::new();
    array.write_npy(&mut file).unwrap();
    let mut blocks = NpyBlocks::<i64, Ix2, _>::new(NpyReader::new(&file[..file.len() - 8]).unwrap(), 3).unwrap();
    assert!(blocks.next().unwrap().is_ok() && blocks.next().unwrap().is_ok() && blocks.next().unwrap().is_err());
    assert!(blocks.next().is_none());
}

#[test]
fn members_of_archives() {
    let values: Vec<u64> = (0..100_000).collect();
    let mut writer = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    writer.add_slice("values", &values).unwrap();
    let mut file = writer.finish().unwrap().into_inner();
    let mut archive = NpzReader::new(Cursor::new(&file)).unwrap();
    let mut reader = archive.array(0).unwrap();
    reader.skip(70_000).unwrap();
    assert_eq!(reader.records::<u64>().next().unwrap().unwrap(), 70_000);
    let blocks = NpyBlocks::<u64, Ix1, _>::new(archive.array(0).unwrap(), 30_000).unwrap();
    assert_eq!(blocks.map(|block| block.unwrap().len()).collect::<Vec<_>>(), [30_000, 30_000, 30_000, 10_000]);

    // The checksum covers skipped elements, too.
    let checksum = file.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap() + 16;
    file[checksum] ^= 1;
    let mut archive = NpzReader::new(Cursor::new(&file)).unwrap();
    if let Ok(mut reader) = archive.array(0) {
        let error = reader.skip(100_000).unwrap_err();
        assert!(error.to_string().contains("wrong checksum: expected 0x"), "{error}");
    }
}
