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
    use std::collections::BTreeMap;
    use std::error::Error;
    use std::io::Cursor;

    use ndarray::{Array, Array1, Array2, ArrayD, ArrayView2, ArrayViewMut2, Axis, Ix2, ShapeBuilder, array, s};
    use npy_core::object::{ObjectArray, ObjectOptions};
    use npy_core::{NpyMap, NpyMapMut, NpyReader};
    use npy_ndarray::ndarray_0_16::sparse::{BsrMatrix, CooMatrix, CsrMatrix, SparseMatrix};
    use npy_ndarray::ndarray_0_16::{
        Casting, DynArray, Loaded, MapMutNpyExt, MapNpyExt, NpyBlockWriter, NpyBlocks, NpzArchive, NpzReader, NpzWriter, Order,
        ReadNpyExt, ReadOptions, ReadRaExt, SaveOptions, ViewMutNpyExt, ViewNpyExt, WriteNpyExt, WriteRaExt, load_any,
        load_npy_into, match_dtype, read_npy, read_npy_into, read_region, write_npy, write_zeroed_npy,
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

    /// Each layout takes another way through the writer: contiguous in either order, and scattered.
    #[test]
    fn saves_every_layout_in_every_order() -> Result<(), Box<dyn Error>> {
        let matrix = Array::from_shape_fn((40, 30), |(i, j)| (i * 30 + j) as i32);
        let fortran = Array::from_shape_fn((40, 30).f(), |(i, j)| (i * 30 + j) as i32);
        for order in [Order::C, Order::Fortran] {
            for array in [matrix.view(), fortran.view(), matrix.t(), matrix.slice(s![..;-3, 1..]), matrix.slice(s![5..5, ..])] {
                let mut file = Vec::new();
                array.write_npy_with(&mut file, SaveOptions::new().order(order))?;
                let read = Array2::<i32>::read_npy(&file[..])?;
                assert_eq!(read, array, "{order:?}, strides {:?}", array.strides());
                let in_order = if order == Order::C { read.view() } else { read.t() };
                assert!(in_order.is_standard_layout() || read.is_empty(), "{order:?}, strides {:?}", array.strides());
                let mut raw = Vec::new();
                array.write_ra(&mut raw)?;
                assert_eq!(Array2::<i32>::read_ra(&raw[..])?, array);
            }
        }
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("zeros.npy");
        write_zeroed_npy::<f32, _>(&std::fs::File::create(&path)?, (2, 3))?;
        assert_eq!(ArrayD::<f32>::load_npy(&path)?, ArrayD::zeros(vec![2, 3]));
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
        read_npy_into(&std::fs::read(&path)?[..], &mut larger.slice_mut(s![1.., ..3]))?;
        assert_eq!(larger, array![[9, 1, 2, 3], [1, 2, 3, 6], [4, 5, 6, 9]]);
        let blocks = NpyBlocks::<i32, Ix2, _>::new(NpyReader::open(&path)?, 1)?.collect::<Result<Vec<_>, _>>()?;
        assert_eq!(blocks, [array![[1, 2, 3]], array![[4, 5, 6]]]);
        let column: Array2<i32> = read_region(&mut NpyReader::open(&path)?, &[(..).into(), 1.into()])?;
        assert_eq!(column, array![[2], [5]]);
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

    fn through_an_archive<A: NpzArchive>(archive: &A) -> Result<A, Box<dyn Error>> {
        let mut file = Cursor::new(Vec::new());
        archive.write_npz(&mut file)?;
        Ok(A::read_npz(file)?)
    }

    #[test]
    fn maps_and_sparse_matrices_are_archives() -> Result<(), Box<dyn Error>> {
        let arrays = BTreeMap::from([("a".to_owned(), array![[1, 2], [3, 4]].reversed_axes()), ("b".to_owned(), array![[5]])]);
        assert_eq!(through_an_archive(&arrays)?, arrays);
        let any = BTreeMap::from([("a".to_owned(), DynArray::from(array![0.5])), ("b".to_owned(), array![true].into())]);
        assert_eq!(through_an_archive(&any)?["b"].to_string(), "[ True]");
        let csr = CsrMatrix::new([2, 2], vec![0, 1, 2], vec![1, 0], vec![2.0, 3.0])?;
        assert_eq!(through_an_archive(&csr)?, csr);
        let bsr = BsrMatrix::new([2, 4], vec![0, 1], vec![1], array![[[1, 2], [3, 4]]])?;
        assert_eq!(through_an_archive(&bsr)?, bsr);
        let coo = SparseMatrix::Coo(CooMatrix::new(vec![2, 2, 2], vec![vec![1], vec![0], vec![1]], vec![7])?);
        assert_eq!(through_an_archive(&coo)?, coo);
        Ok(())
    }

    #[test]
    fn arrays_of_any_dtype_are_loaded_cast_and_saved() -> Result<(), Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("any.npy");
        DynArray::new(&array![["a", "bc"], ["def", ""]].mapv(str::to_owned).t())?.save_npy(&path)?;
        let Loaded::Array(texts) = load_any(&path)? else { panic!("not an array") };
        assert_eq!((texts.shape(), texts.to_string().as_str()), (&[2, 2][..], "[['a' 'def']\n ['bc' '']]"));
        let numbers = DynArray::from(array![[1.0, 300.0]]);
        assert_eq!(numbers.cast_as::<u16>(Casting::Checked)?, array![[1, 300]].into_dyn());
        assert!(numbers.cast_as::<u8>(Casting::Checked).is_err());
        assert_eq!(numbers.into::<Array2<f64>>()?, array![[1.0, 300.0]]);
        DynArray::from(ObjectArray::from(vec!["x", "y"])).save_npy(&path)?;
        assert!(DynArray::load_npy(&path).is_err());
        let objects = DynArray::load_npy_with(&path, ReadOptions::new().objects(ObjectOptions::new()))?;
        assert_eq!(objects.to_string(), "['x' 'y']");
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
