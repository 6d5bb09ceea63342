use ndarray::Array2;
use npy_ndarray::{DynArray, ReadNpyExt, ViewNpyExt, WriteNpyExt};

fn main() {
    let _ = npy_core::load::<usize>("counts.npy");
    let counts = Array2::<usize>::load_npy("counts.npy").unwrap();
    Array2::<isize>::zeros((2, 3)).save_npy("differences.npy").unwrap();
    let _ = npy_ndarray::write_npy("counts.npy", &Array2::<usize>::zeros((2, 3)));
    let _ = ndarray::ArrayView2::<usize>::view_npy(&[]);
    let _ = DynArray::load_npy("counts.npy").unwrap().cast::<usize>();
}
