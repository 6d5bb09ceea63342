//! `hdf5-metno`, which needs the HDF5 of the system: without `--cfg npy_bench_hdf5`, nothing.

#[cfg(npy_bench_hdf5)]
mod built {
    use std::hint::black_box;
    use std::path::{Path, PathBuf};

    pub(crate) use hdf5_metno::H5Type as Element;

    /// Writes the elements to all paths, and returns a run that reads them.
    pub(crate) fn reader<T: Element>(paths: &[PathBuf], items: &[T]) -> Option<impl FnMut() + use<T>> {
        for path in paths {
            write(path, items);
        }
        let paths = paths.to_vec();
        Some(move || {
            for path in &paths {
                let file = hdf5_metno::File::open(path).unwrap();
                drop(black_box(file.dataset("data").unwrap().read_raw::<T>().unwrap()));
            }
        })
    }

    /// Returns a run that writes the elements.
    pub(crate) fn writer<'a, T: Element>(path: &'a Path, items: &'a [T]) -> Option<impl FnMut() + use<'a, T>> {
        Some(move || write(path, items))
    }

    fn write<T: Element>(path: &Path, items: &[T]) {
        let file = hdf5_metno::File::create(path).unwrap();
        file.new_dataset_builder().with_data(items).create("data").unwrap();
    }
}

#[cfg(not(npy_bench_hdf5))]
mod built {
    use std::path::{Path, PathBuf};

    pub(crate) trait Element {}
    impl<T> Element for T {}

    pub(crate) fn reader<T: Element>(_: &[PathBuf], _: &[T]) -> Option<fn()> {
        None
    }

    pub(crate) fn writer<T: Element>(_: &Path, _: &[T]) -> Option<fn()> {
        None
    }
}

pub(crate) use built::{Element, reader, writer};
