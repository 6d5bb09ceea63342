//! What a decompressor that is given bytes tells.

/// How far one step of decompression came.
pub(in crate::npz) struct Step {
    pub(in crate::npz) used: usize,
    pub(in crate::npz) given: usize,
    pub(in crate::npz) is_end: bool,
}
