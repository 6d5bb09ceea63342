fn main() {
    let file: &[u8] = &[];
    let _ = npy_core::view::<String>(file);
}
