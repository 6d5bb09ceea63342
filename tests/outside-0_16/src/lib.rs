//! What a user of `ndarray` 0.16 writes.

use ndarray::{Array1, Array2};
use npy_core::NpyRecord;
use npy_ndarray::ndarray_0_16::NpzArchive;

/// A whole archive.
#[derive(NpzArchive, Debug, PartialEq)]
pub struct Dataset {
    /// A row for each sample.
    pub records: Array2<f64>,
    /// What each sample is.
    pub targets: Array1<u32>,
    /// Who took it.
    pub stations: Vec<Station>,
}

/// A record.
#[derive(NpyRecord, Debug, PartialEq)]
pub struct Station {
    /// Its code.
    pub code: String,
    /// Where it stands.
    pub position: [f64; 2],
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::io::Cursor;

    use ndarray::{Array, Array1, Array2, ArrayView2, ArrayViewMut2, Axis, Ix2, ShapeBuilder, array, s};
    use npy_core::{NpyMap, NpyMapMut};
    use npy_ndarray::ndarray_0_16::{
        DynArray, MapMutNpyExt, MapNpyExt, NpyBlockWriter, NpzArchive, NpzReader, NpzWriter, Order, ReadNpyExt, ReadOptions,
        ViewMutNpyExt, ViewNpyExt, WriteNpyExt, load_npy_into, match_dtype, read_npy, write_npy,
    };

    use super::{Dataset, Station};

    /// A function of another crate, which has `ndarray` 0.16.
    fn means(records: &Array2<f64>) -> Option<Array1<f64>> {
        records.mean_axis(Axis(0))
    }

    #[test]
    fn keeps_the_order_of_arrays() -> Result<(), Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("matrix.npy");
        for matrix in [Array::from_shape_fn((3, 4), |(i, j)| (i * 4 + j) as f64), Array::zeros((3, 4).f())] {
            matrix.save_npy(&path)?;
            let loaded = Array2::<f64>::load_npy(&path)?;
            assert_eq!((&loaded, loaded.strides()), (&matrix, matrix.strides()));
            let other = if matrix.is_standard_layout() { Order::Fortran } else { Order::C };
            let transposed = Array2::<f64>::load_npy_with(&path, ReadOptions::new().order(other))?;
            assert_eq!(transposed, matrix);
            assert_ne!(transposed.strides(), matrix.strides());
            assert_eq!(means(&read_npy(&path)?), means(&matrix));
        }
        write_npy(&path, &array![[1_u8, 2], [3, 4]].slice(s![.., ..;-1]))?;
        assert_eq!(Array2::<u8>::load_npy(&path)?, array![[2, 1], [4, 3]]);
        assert_eq!(Array2::<u8>::load_npy_region(&path, &[(1..).into(), (..).into()])?, array![[4, 3]]);
        Ok(())
    }

    #[test]
    fn reads_into_arrays_and_slices() -> Result<(), Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("rows.npy");
        let mut writer = NpyBlockWriter::<i32>::create(&path, Order::C, &[0, 3])?;
        writer.write_block(&array![[1, 2, 3]])?;
        writer.write_block(&array![[6, 5, 4]].slice(s![.., ..;-1]))?;
        writer.finish()?;
        let mut owned = Array2::<i32>::zeros((2, 3));
        load_npy_into(&path, &mut owned)?;
        assert_eq!(owned, array![[1, 2, 3], [4, 5, 6]]);
        let mut larger = Array2::from_elem((3, 4), 9);
        load_npy_into(&path, &mut larger.slice_mut(s![..2, 1..]))?;
        assert_eq!(larger, array![[9, 1, 2, 3], [9, 4, 5, 6], [9, 9, 9, 9]]);
        Ok(())
    }

    #[test]
    fn views_bytes_and_maps() -> Result<(), Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("matrix.npy");
        array![[1_u8, 2], [3, 4]].save_npy(&path)?;
        let mut file = std::fs::read(&path)?;
        ArrayViewMut2::<u8>::view_mut_npy(&mut file)?[[0, 0]] = 7;
        assert_eq!(ArrayView2::<u8>::view_npy(&file)?, array![[7, 2], [3, 4]]);
        // SAFETY: nobody else knows the file.
        let mut map = unsafe { NpyMapMut::open(&path)? };
        map.array_mut::<u8, Ix2>()?.row_mut(1).fill(8);
        drop(map);
        // SAFETY: nobody else knows the file.
        let map = unsafe { NpyMap::open(&path)? };
        assert_eq!(map.array::<u8, Ix2>()?, array![[1, 2], [8, 8]]);
        Ok(())
    }

    #[test]
    fn derives_archives() -> Result<(), Box<dyn Error>> {
        let dataset = Dataset {
            records: array![[1.0, 2.0], [3.0, 4.0]],
            targets: array![0, 1],
            stations: vec![Station { code: "ABC".to_owned(), position: [0.5, 1.5] }],
        };
        let mut file = Cursor::new(Vec::new());
        dataset.write_npz(&mut file)?;
        assert_eq!(Dataset::read_npz(&mut file)?, dataset);
        let records: Array2<f64> = NpzReader::new(file)?.by_name("records")?;
        assert_eq!(records, dataset.records);

        let mut writer = NpzWriter::new(Cursor::new(Vec::new()));
        writer.add_array("targets", &dataset.targets)?;
        let targets: Array1<u32> = NpzReader::new(writer.finish()?)?.by_name("targets")?;
        assert_eq!(targets, dataset.targets);
        Ok(())
    }

    #[test]
    fn matches_dtypes() {
        let sum = |array: &DynArray| {
            match_dtype!(array, {
                Integer(numbers) => numbers.iter().map(|&n| n as f64).sum(),
                Float64(numbers) => numbers.sum(),
                _ => f64::NAN,
            })
        };
        assert_eq!(sum(&array![1_u8, 2].into()), 3.0);
        assert_eq!(sum(&array![0.5, 0.25].into()), 0.75);
        assert!(sum(&array![true].into()).is_nan());
    }
}
