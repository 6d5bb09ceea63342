//! Programs written for `ndarray-npy` 0.10, with only the crate's name in `use` changed.

use std::error::Error;
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Cursor, Read, Seek, SeekFrom, Write};

use memmap2::{Mmap, MmapMut};
use ndarray::prelude::*;
use ndarray::{Data, DataOwned, OwnedRepr, aview0};
use npy_core::ErrorKind;
use npy_core::num_complex::Complex;
use npy_ndarray::npy::header::{FormatHeaderError, ParseHeaderError, ReadHeaderError, WriteHeaderError};
use npy_ndarray::{
    NpzReader, NpzWriter, ReadDataError, ReadNpyError, ReadNpyExt, ReadNpzError, ReadableElement, ViewDataError, ViewElement,
    ViewMutElement, ViewMutNpyExt, ViewNpyError, ViewNpyExt, WritableElement, WriteDataError, WriteNpyError, WriteNpyExt,
    WriteNpzError, create_new_npy, read_npy, write_npy, write_zeroed_npy,
};

use crate::support::scratch;

/// A file in memory, whose data are aligned for every element, or one byte off.
struct Aligned {
    memory: Vec<u8>,
    begin: usize,
    len: usize,
}

impl Aligned {
    fn new(file: &[u8], offset: usize) -> Self {
        let mut memory = vec![0; file.len() + 128];
        let begin = memory.as_ptr().align_offset(64) + offset;
        memory[begin..][..file.len()].copy_from_slice(file);
        Self { memory, begin, len: file.len() }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.begin..][..self.len]
    }
}

/// The header that NumPy writes, which fills 128 bytes.
fn header(descr: &str, fortran: bool, shape: &str) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let mut file = b"\x93NUMPY\x01\0v\0".to_vec();
    writeln!(file, "{text:117}").unwrap();
    file
}

fn written<T: WriteNpyExt + ?Sized>(array: &T) -> Vec<u8> {
    let mut file = Vec::new();
    array.write_npy(&mut file).unwrap();
    file
}

#[test]
fn first_example_compiles_and_runs() {
    let path = scratch("array.npy");
    let write = || -> Result<(), WriteNpyError> {
        let arr: Array2<i32> = array![[1, 2, 3], [4, 5, 6]];
        let writer = BufWriter::new(File::create(&path)?);
        arr.write_npy(writer)?;
        Ok(())
    };
    let read = || -> Result<Array2<i32>, ReadNpyError> {
        let reader = File::open(&path)?;
        let arr = Array2::<i32>::read_npy(reader)?;
        Ok(arr)
    };
    write().expect("writes");
    assert_eq!(read().expect("reads"), array![[1, 2, 3], [4, 5, 6]]);
}

#[test]
fn archive_example_compiles_and_runs() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("arrays.npz");
    for compressed in [false, true] {
        let file = File::create(&path)?;
        let mut npz = if compressed { NpzWriter::new_compressed(file) } else { NpzWriter::new(file) };
        let a: Array2<i32> = array![[1, 2, 3], [4, 5, 6]];
        let b: Array1<i32> = array![7, 8, 9];
        npz.add_array("a", &a)?;
        npz.add_array("b", &b)?;
        npz.add_array(String::from("c"), &aview0(&10))?;
        npz.finish()?;

        let mut npz = NpzReader::new(File::open(&path)?)?;
        let read_a: Array2<i32> = npz.by_name("a")?;
        let read_b: Array1<i32> = npz.by_index(1)?;
        let read_c: Array0<i32> = npz.by_name("c")?;
        assert_eq!((read_a, read_b, read_c), (a, b, arr0(10)));
    }
    Ok(())
}

#[test]
fn map_of_large_sparse_file_is_changed_in_place() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("array.npy");
    let file = File::create(&path)?;
    write_zeroed_npy::<f64, _>(&file, (128, 1024, 1024))?;

    let file = OpenOptions::new().read(true).write(true).open(&path)?;
    assert_eq!(file.metadata()?.len(), (1 << 30) + 128);
    // SAFETY: the file is this test's own.
    let mut mmap = unsafe { MmapMut::map_mut(&file)? };
    let mut view_mut = ArrayViewMut3::<f64>::view_mut_npy(&mut mmap)?;
    view_mut[[50, 100, 200]] = 3.5;
    drop(mmap);

    // SAFETY: as above.
    let mmap = unsafe { Mmap::map(&file)? };
    let view = ArrayView3::<f64>::view_npy(&mmap)?;
    assert_eq!((view[[50, 100, 200]], view[[127, 1023, 1023]]), (3.5, 0.0));
    Ok(())
}

#[test]
fn functions_of_a_path_keep_their_signatures() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("array.npy");
    let arr = array![[1, 2, 3], [4, 5, 6]];
    create_new_npy(&path, &arr)?;
    let error = create_new_npy(&path, &arr).unwrap_err();
    assert_eq!((error.io_kind(), error.path()), (Some(std::io::ErrorKind::AlreadyExists), Some(&*path)));
    write_npy(&path, &arr.t())?;
    write_npy(path.to_str().unwrap(), &arr)?;
    let read: Array2<i32> = read_npy(&path)?;
    assert_eq!(read, arr);
    assert!(read_npy::<_, Array1<i32>>(&path).is_err());
    Ok(())
}

/// Writes, reads, views and changes an array, with no bounds but those that `ndarray-npy` has.
fn round_trip<A, D>(original: &ArrayView<'_, A, D>, change: impl Fn(&mut ArrayViewMut<'_, A, D>))
where
    A: Clone + Debug + PartialEq + ReadableElement + ViewElement + ViewMutElement + WritableElement,
    D: Dimension,
{
    let mut changed = original.to_owned();
    change(&mut changed.view_mut());
    let mut file = Aligned::new(&written(original), 0);
    assert_eq!(Array::<A, D>::read_npy(&*file.bytes()).unwrap(), original);
    assert_eq!(ArrayView::<A, D>::view_npy(file.bytes()).unwrap(), original);
    let mut view = ArrayViewMut::<A, D>::view_mut_npy(file.bytes()).unwrap();
    assert_eq!(view, original);
    change(&mut view);
    assert_eq!(Array::<A, D>::read_npy(&*file.bytes()).unwrap(), changed);
}

fn round_trip_of_layouts<A>(standard: &Array3<A>, value: A)
where
    A: Clone + Debug + PartialEq + ReadableElement + ViewElement + ViewMutElement + WritableElement,
{
    let change = |view: &mut ArrayViewMut3<'_, A>| view[[1, 2, 0]] = value.clone();
    round_trip(&standard.view(), change);
    let reversed = Array3::from_shape_vec((2, 3, 2).f(), standard.t().iter().cloned().collect()).unwrap();
    assert_eq!(reversed, standard);
    round_trip(&reversed.view(), change);
    let mut permuted = standard.clone();
    permuted.swap_axes(1, 2);
    let mut permuted = permuted.as_standard_layout().into_owned();
    permuted.swap_axes(1, 2);
    assert_eq!(permuted, standard);
    round_trip(&permuted.view(), change);
}

#[test]
fn elements_round_trip_under_the_bounds_of_ndarray_npy() {
    let numbers = array![[[3.5, -1.25], [-159.0, 26.0], [5.0, -3.5]], [[-89.5, 93.0], [2.0, 384.0], [-626.5, 3.0]]];
    round_trip_of_layouts(&numbers, 42.0);
    round_trip_of_layouts(&numbers.mapv(|x| x as f32), 42.0);
    round_trip_of_layouts(&numbers.mapv(|x| x as i8), 42);
    round_trip_of_layouts(&numbers.mapv(|x| x as i32), 42);
    round_trip_of_layouts(&numbers.mapv(|x| x as u64), 42);
    round_trip_of_layouts(&numbers.mapv(|x| x > 0.0), false);
    round_trip_of_layouts(&numbers.mapv(|x| Complex::new(x, -x)), Complex::new(42.0, 12.0));
    round_trip_of_layouts(&numbers.mapv(|x| Complex::new(x as f32, 1.0)), Complex::new(42.0, 12.0));
}

#[test]
fn archive_round_trips_by_name_and_by_index() -> Result<(), Box<dyn Error>> {
    let mut buf = Vec::<u8>::new();
    let arr1 = array![[1_i32, 3, 0], [4, 7, -1]];
    let arr2 = array![[9_i32, 6], [-5, 2], [3, -1]];
    let arr3: &ArrayRef2<i32> = &arr1;
    {
        let mut writer = NpzWriter::new(Cursor::new(&mut buf));
        writer.add_array("arr1", &arr1)?;
        writer.add_array("arr2", &arr2)?;
        writer.add_array("arr3", arr3)?;
        writer.finish()?;
    }
    let mut reader = NpzReader::new(Cursor::new(&buf))?;
    assert!(!reader.is_empty());
    assert_eq!(reader.len(), 3);
    assert_eq!(reader.names()?, vec!["arr1".to_string(), "arr2".to_string(), "arr3".to_string()]);
    for (name, expected) in [("arr1", &arr1), ("arr1.npy", &arr1), ("arr2", &arr2), ("arr2.npy", &arr2), ("arr3.npy", &arr1)] {
        assert_eq!(reader.by_name::<OwnedRepr<i32>, Ix2>(name)?, expected);
    }
    assert!(reader.by_name::<OwnedRepr<i32>, Ix2>("arr1.npy.npy").is_err());
    assert_eq!(reader.by_index::<OwnedRepr<i32>, Ix2>(2)?, arr3);
    Ok(())
}

#[test]
fn bool_other_than_zero_and_one_is_true_when_read_and_an_error_when_viewed() {
    let mut file = [header("|b1", false, "(5,)"), vec![0, 1, 0, 0, 1]].concat();
    assert_eq!(ArrayView1::<bool>::view_npy(&file).unwrap(), array![false, true, false, false, true]);
    ArrayViewMut1::<bool>::view_mut_npy(&mut file).unwrap()[0] = true;
    assert_eq!(file[128..], [1, 1, 0, 0, 1]);

    file[130] = 5;
    for error in
        [ArrayView1::<bool>::view_npy(&file.clone()).unwrap_err(), ArrayViewMut1::<bool>::view_mut_npy(&mut file).unwrap_err()]
    {
        assert_eq!(error.element(), Some(2));
    }
    assert_eq!(Array1::<bool>::read_npy(&file[..]).unwrap(), array![true, true, true, false, true], "as NumPy reads it");
}

#[test]
fn zeroed_array_begins_at_the_position_of_the_file() {
    let mut file: File = tempfile::tempfile().unwrap();
    file.write_all(b"hello").unwrap();
    write_zeroed_npy::<i32, _>(&file, [3, 4, 5]).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let mut front = [0; 5];
    file.read_exact(&mut front).unwrap();
    assert_eq!(&front, b"hello");
    let arr = Array3::<i32>::read_npy(file).unwrap();
    assert!(arr.is_standard_layout() && arr == Array3::<i32>::zeros([3, 4, 5]));
}

#[test]
fn write_npy_flushes_its_writer() {
    for len in [3, 100_000] {
        let mut writer = BufWriter::with_capacity(1 << 24, Vec::new());
        Array1::<f64>::zeros(len).write_npy(&mut writer).unwrap();
        assert!(writer.buffer().is_empty());
        assert_eq!(writer.get_ref().len(), 128 + 8 * len);
    }
}

/// Generic code of a library, with one error of its own.
#[derive(Debug)]
enum Failure {
    Npy(ReadNpyError),
    Missing,
}

impl From<ReadNpyError> for Failure {
    fn from(error: ReadNpyError) -> Self {
        Self::Npy(error)
    }
}

fn member<A, S, D>(archive: &[u8], name: &str) -> Result<ArrayBase<S, D>, Failure>
where
    A: ReadableElement,
    S: DataOwned<Elem = A>,
    D: Dimension,
{
    let mut npz = NpzReader::new(Cursor::new(archive))?;
    if npz.names()?.iter().all(|other| other != name) {
        return Err(Failure::Missing);
    }
    Ok(npz.by_name::<S, D>(name)?)
}

fn archive_of<A, S, D>(name: &str, array: &ArrayBase<S, D>) -> Result<Vec<u8>, WriteNpzError>
where
    A: WritableElement,
    S: Data<Elem = A>,
    D: Dimension,
{
    let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
    npz.add_array(name, array)?;
    Ok(npz.finish()?.into_inner())
}

#[test]
fn generic_functions_keep_their_bounds_and_errors() {
    let matrix = array![[1.5_f32, 2.5], [3.5, 4.5]];
    let archive = archive_of("matrix", &matrix.slice(s![..;-1, ..])).unwrap();
    let read: Array2<f32> = member(&archive, "matrix").unwrap();
    assert_eq!(read, array![[3.5, 4.5], [1.5, 2.5]]);
    assert!(matches!(member::<f32, OwnedRepr<f32>, Ix2>(&archive, "vector"), Err(Failure::Missing)));
    match member::<f64, OwnedRepr<f64>, Ix2>(&archive, "matrix") {
        Err(Failure::Npy(error)) => assert_eq!(error.kind(), ErrorKind::Mismatch),
        other => panic!("{other:?}"),
    }
}

#[test]
fn error_names_are_one_error_that_crosses_threads() {
    fn is_error<E: Error + Send + Sync + From<std::io::Error> + 'static>() {}
    is_error::<ReadNpyError>();
    is_error::<ReadDataError>();
    is_error::<WriteNpyError>();
    is_error::<WriteDataError>();
    is_error::<ViewNpyError>();
    is_error::<ViewDataError>();
    is_error::<ParseHeaderError>();
    is_error::<ReadHeaderError>();
    is_error::<FormatHeaderError>();
    is_error::<WriteHeaderError>();
    is_error::<ReadNpzError>();
    is_error::<WriteNpzError>();
    let error: npy_ndarray::npy::ReadNpyError = npy_ndarray::npy::read_npy::<_, Array1<f64>>("no/such/file.npy").unwrap_err();
    let _: npy_ndarray::Error = error;
}
