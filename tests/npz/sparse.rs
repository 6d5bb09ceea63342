//! Sparse matrices exchanged with SciPy, in both directions.

use std::fs;
use std::io::Cursor;

use ndarray::{Array, Array2, ArrayD, Axis, IxDyn, array};
use npy_core::ErrorKind;
use npy_core::npz::{NpzReader, NpzWriter};
use npy_ndarray::sparse::{BsrMatrix, CooMatrix, CscMatrix, CsrMatrix, DiaMatrix, SparseMatrix};
use npy_ndarray::{NpzArchive, ReadNpyExt, npz::WriteOptions};

use crate::support::numpy::{frames, numpy};
use crate::support::{announce, data};

/// The row or column, its index within, and the position of each entry or block of a compressed matrix.
fn compressed(indptr: &[usize], indices: &[usize]) -> Vec<(usize, usize, usize)> {
    let entries = |major: usize| (indptr[major]..indptr[major + 1]).map(move |k| (major, indices[k], k));
    (0..indptr.len() - 1).flat_map(entries).collect()
}

/// The matrix as a dense array.
fn dense(matrix: &SparseMatrix<f64>) -> ArrayD<f64> {
    let (shape, entries): (&[usize], Vec<(Vec<usize>, f64)>) = match matrix {
        SparseMatrix::Csr(matrix) => {
            let entries = compressed(&matrix.indptr, &matrix.indices).into_iter();
            (&matrix.shape, entries.map(|(row, column, k)| (vec![row, column], matrix.data[k])).collect())
        }
        SparseMatrix::Csc(matrix) => {
            let entries = compressed(&matrix.indptr, &matrix.indices).into_iter();
            (&matrix.shape, entries.map(|(column, row, k)| (vec![row, column], matrix.data[k])).collect())
        }
        SparseMatrix::Bsr(matrix) => {
            let (_, rows, columns) = matrix.data.dim();
            let block = |(row, column, k)| {
                let elements = matrix.data.index_axis(Axis(0), k).into_owned().into_iter().enumerate();
                elements.map(move |(at, value)| (vec![row * rows + at / columns, column * columns + at % columns], value))
            };
            (&matrix.shape, compressed(&matrix.indptr, &matrix.indices).into_iter().flat_map(block).collect())
        }
        SparseMatrix::Coo(matrix) => {
            let index = |k: usize| matrix.coords.iter().map(|axis| axis[k]).collect();
            (&matrix.shape, matrix.data.iter().enumerate().map(|(k, value)| (index(k), *value)).collect())
        }
        SparseMatrix::Dia(matrix) => {
            let row = |k: usize, column: usize| {
                column.checked_add_signed(-matrix.offsets[k]).filter(|row| *row < matrix.shape[0] && column < matrix.shape[1])
            };
            let entries = matrix.data.indexed_iter();
            (&matrix.shape, entries.filter_map(|((k, column), value)| Some((vec![row(k, column)?, column], *value))).collect())
        }
        other => panic!("{other:?}"),
    };
    let mut dense = ArrayD::zeros(IxDyn(shape));
    entries.into_iter().for_each(|(index, value)| dense[IxDyn(&index)] += value);
    dense
}

fn written(matrix: &impl NpzArchive) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    matrix.write_npz(&mut file).unwrap();
    file.into_inner()
}

#[test]
fn reads_every_file_of_scipy() {
    let mut count = 0;
    for directory in ["scipy-1.11.4", "scipy-1.17.1"] {
        let mut first: Option<ArrayD<f64>> = None;
        for entry in fs::read_dir(data(directory)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if name.contains("c16") {
                let matrix = CsrMatrix::<npy_core::num_complex::Complex<f64>>::load_npz(&path).unwrap();
                assert_eq!(matrix.data.len(), matrix.indices.len());
                continue;
            }
            if name.contains("nothing") {
                let SparseMatrix::Csr(matrix) = SparseMatrix::<f32>::load_npz(&path).unwrap() else { panic!("{name}") };
                assert!(matrix.data.is_empty() && matrix.indptr.iter().all(|begin| *begin == 0));
                continue;
            }
            let matrix = SparseMatrix::<f64>::load_npz(&path).unwrap_or_else(|error| panic!("{error}"));
            let is_array = match &matrix {
                SparseMatrix::Csr(matrix) => matrix.is_array,
                SparseMatrix::Csc(matrix) => matrix.is_array,
                SparseMatrix::Bsr(matrix) => matrix.is_array,
                SparseMatrix::Coo(matrix) => matrix.is_array,
                SparseMatrix::Dia(matrix) => matrix.is_array,
                other => panic!("{other:?}"),
            };
            // Earlier versions of SciPy did not store it.
            assert_eq!(is_array, name.contains("_array") && directory == "scipy-1.17.1", "{name}");
            // The same matrix in every format.
            if !name.contains("bsr") {
                let dense = dense(&matrix);
                assert_eq!(first.get_or_insert_with(|| dense.clone()), &dense, "{name}");
            }
            if name.ends_with("_stored") {
                let bytes = fs::read(&path).unwrap();
                let is_wide = NpzReader::from_bytes(&bytes).unwrap().header(0).unwrap().dtype().itemsize() == 8;
                // SciPy keeps 64-bit indices. Here they are as narrow as possible. The files are little-endian.
                let is_other = is_wide || cfg!(target_endian = "big");
                assert!(is_other || directory != "scipy-1.17.1" || written(&matrix) == bytes, "{name}");
            }
            let again = SparseMatrix::<f64>::read_npz(Cursor::new(written(&matrix))).unwrap();
            assert_eq!(again, matrix, "{name}");
            count += 1;
        }
    }
    assert_eq!(count, 42);
}

/// Random matrices through SciPy in both directions, byte for byte.
#[test]
fn scipy_reads_and_writes_the_same_bytes() {
    let Some(numpy) = numpy("scipy_reads_and_writes_the_same_bytes") else { return };
    let printed = numpy.run(["archives.py", "write_sparse"], b"");
    let files = frames(&printed);
    let mut ours = Vec::new();
    let mut identical = 0;
    for (k, pair) in files.chunks(2).enumerate() {
        let matrix = SparseMatrix::<f64>::read_npz(Cursor::new(pair[0])).unwrap_or_else(|error| panic!("{k}: {error}"));
        let expected = ArrayD::<f64>::read_npy(pair[1]).unwrap();
        assert_eq!(dense(&matrix), expected, "{k}");
        let stored = written(&matrix);
        identical += usize::from(stored == pair[0]);
        let mut compressed = Cursor::new(Vec::new());
        matrix.write_npz_with(&mut compressed, WriteOptions::new().compressed(true)).unwrap();
        for file in [&stored, &compressed.into_inner()] {
            for bytes in [file.as_slice(), pair[1]] {
                ours.extend((bytes.len() as u32).to_le_bytes());
                ours.extend(bytes);
            }
        }
    }
    announce(&format!("sparse matrices: {identical} of {} stored files byte for byte alike", files.len() / 4 + 1));
    assert!(cfg!(target_endian = "big") || identical >= 25, "{identical}");
    assert_eq!(numpy.prints(["archives.py", "read_sparse"], &ours), "124");
}

#[test]
fn rejects_invalid_matrices() {
    let problem = |result: npy_core::Result<()>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        error.without_path().to_string().strip_prefix("invalid sparse matrix: ").unwrap().to_owned()
    };
    let csr = |shape, indptr: &[usize], indices: &[usize], entries: usize| {
        problem(CsrMatrix::new(shape, indptr.to_vec(), indices.to_vec(), vec![0.0; entries]).map(drop))
    };
    assert_eq!(csr([2, 2], &[0, 1], &[0], 1), "expected `indptr` of length 3, found 2");
    assert_eq!(csr([2, 2], &[], &[0], 1), "expected `indptr` of length 3, found 0");
    assert_eq!(csr([usize::MAX, 2], &[0], &[], 0), format!("expected `indptr` of length {}, found 1", usize::MAX));
    assert_eq!(csr([2, 2], &[0, 1, 1], &[0], 2), "expected `indices` of length 2, found 1");
    for indptr in [[0, 2, 1], [1, 1, 1], [0, 1, 9]] {
        assert_eq!(csr([2, 2], &indptr, &[0, 1], 2), "expected `indptr` to increase from 0 to at most 2");
    }
    assert_eq!(csr([2, 2], &[0, 1, 2], &[0, 2], 2), "expected indices less than 2, found 2");
    assert!(CscMatrix::new([3, 1], vec![0, 1], vec![2], vec![1.0]).is_ok());
    assert!(CscMatrix::new([1, 3], vec![0, 1], vec![2], vec![1.0]).is_err());
    let blocks = Array::<f64, _>::zeros((1, 2, 2));
    assert_eq!(
        problem(BsrMatrix::new([3, 2], vec![0, 1], vec![0], blocks.clone()).map(drop)),
        "expected a shape that is a multiple of the blocks (2, 2), found (3, 2)"
    );
    assert!(BsrMatrix::new([2, 2], vec![0, 1], vec![0], blocks).is_ok());
    assert!(BsrMatrix::new([0, 0], vec![0], vec![], Array::<f64, _>::zeros((0, 0, 0))).is_err());
    assert_eq!(problem(CooMatrix::new(vec![2, 2], vec![vec![0]], vec![1.0]).map(drop)), "expected `coords` of length 2, found 1");
    assert_eq!(
        problem(CooMatrix::new(vec![2, 2], vec![vec![0], vec![]], vec![1.0]).map(drop)),
        "expected each array in `coords` of length 1, found 0"
    );
    assert_eq!(
        problem(DiaMatrix::new([2, 2], vec![0, 1, 0], Array2::<f64>::zeros((3, 2))).map(drop)),
        "duplicate diagonal offset 0"
    );
    assert_eq!(
        problem(DiaMatrix::new([2, 2], vec![0], Array2::<f64>::zeros((3, 2))).map(drop)),
        "expected `offsets` of length 3, found 1"
    );

    // In files: another format, none, negative and missing indices, a shape of three axes.
    let file = |format: &str, shape: &[i64], indices: &[i64], data: ArrayD<f64>| {
        let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
        archive.add_scalar("format", &format.to_owned()).unwrap();
        archive.add_slice("shape", shape).unwrap();
        archive.add_slice("indices", indices).unwrap();
        archive.add_slice("indptr", &[0_i32, 1, 1]).unwrap();
        archive.add_content("data", |member| npy_ndarray::WriteNpyExt::write_npy(&data, member)).unwrap();
        archive.finish().unwrap()
    };
    let one = || array![1.0].into_dyn();
    let read = |file| problem(CsrMatrix::<f64>::read_npz(file).map(drop));
    assert!(CsrMatrix::<f64>::read_npz(file("csr", &[2, 2], &[0], one())).is_ok());
    assert_eq!(
        read(file("csc", &[2, 2], &[0], one())),
        "expected format \"csr\", found \"csc\"; `SparseMatrix` reads every format"
    );
    assert_eq!(read(file("csr", &[2, 2], &[-1], one())), "index -1 out of range");
    assert_eq!(read(file("csr", &[2, -2], &[0], one())), "index -2 out of range");
    assert_eq!(read(file("csr", &[2, 2, 2], &[0], one())), "expected 2 dimensions, found shape (2, 2, 2)");
    assert_eq!(problem(DiaMatrix::<f64>::read_npz(file("dia", &[2, 2], &[0], one())).map(drop)), "missing array \"offsets\"");
    assert!(
        problem(SparseMatrix::<f64>::read_npz(file("lil", &[2, 2], &[0], one())).map(drop)).starts_with("unknown format \"lil\"")
    );
    let error = CsrMatrix::<f64>::read_npz(file("csr", &[2, 2], &[0], array![[1.0]].into_dyn())).unwrap_err();
    assert_eq!(error.to_string(), "member \"data\": wrong number of dimensions: expected 1, found 2 with shape (1, 1)");
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    archive.add_slice("data", &[1.0]).unwrap();
    let error = CsrMatrix::<f64>::read_npz(archive.finish().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "missing arrays \"format\", \"shape\": the archive has data");
    // Invalid parts are not written.
    let mut matrix = CsrMatrix::new([2, 2], vec![0, 1, 1], vec![1], vec![1.0]).unwrap();
    matrix.indices[0] = usize::MAX;
    assert!(matrix.write_npz(Cursor::new(Vec::new())).is_err());
}
