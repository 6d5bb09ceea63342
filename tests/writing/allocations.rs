//! Saving and loading a small file takes at most one allocation.

use npy_core::SaveOptions;

use crate::peak::{CALLS, with_peak};
use crate::support::scratch;

#[test]
fn small_files_take_one_allocation_at_most() {
    let path = scratch("small.npy");
    let items = [0.5_f32; 10];
    let in_place = SaveOptions::new().in_place(true);
    // A new file, then the same file again.
    for _ in 0..2 {
        let before = CALLS.get();
        npy_core::save_with(&path, &items, in_place).unwrap();
        assert_eq!(CALLS.get() - before, 1, "saving");
    }
    let before = CALLS.get();
    let (loaded, peak) = with_peak(|| npy_core::load::<f32>(&path).unwrap());
    assert_eq!((CALLS.get() - before, peak, &loaded[..]), (1, size_of_val(&items), &items[..]), "loading");
    let (mut again, before) = (loaded, CALLS.get());
    npy_core::load_into(&path, &mut again).unwrap();
    assert_eq!((CALLS.get() - before, &again[..]), (0, &items[..]), "loading again");
}
