//! Bounds for untrusted files.

/// Bounds for untrusted files, checked before anything is allocated.
///
/// The defaults accept the files that NumPy writes in practice. Lower them for untrusted uploads, raise
/// them for extreme files. Functions whose name ends in `_with` take them alone or within
/// [`ReadOptions`](crate::ReadOptions).
///
/// ```
/// use npy_core::{ErrorKind, Limits};
///
/// let mut upload = Vec::new();
/// npy_core::write(&mut upload, &[0.0_f64; 1000])?;
///
/// let limits = Limits::new().header_bytes(1 << 10).data_bytes(1000);
/// let error = npy_core::read_with::<f64>(&upload[..], limits).unwrap_err();
/// assert!(error.kind() == ErrorKind::LimitExceeded);
/// assert!(error.to_string().starts_with("limit exceeded: expected at most 1000 bytes of data, found 8000"));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    pub(crate) header_bytes: usize,
    pub(crate) nesting_depth: usize,
    pub(crate) fields: usize,
    pub(crate) element_bytes: usize,
    pub(crate) data_bytes: u64,
    pub(crate) empty_elements: u64,
    #[cfg(feature = "npz")]
    pub(crate) members: u64,
    #[cfg(feature = "npz")]
    pub(crate) member_bytes: u64,
    #[cfg(feature = "rawarray")]
    pub(crate) metadata_bytes: u64,
}

impl Limits {
    /// Returns the default limits.
    ///
    /// 1 MiB of header, 200 nested brackets, 65,536 fields, elements of 2 GiB, any amount of data,
    /// 65,536 elements of zero bytes; archives of 4,194,304 members, each of any size; 1 GiB of
    /// metadata after an array.
    pub const fn new() -> Self {
        Self {
            // NumPy's own limit of 10,000 characters refuses headers of 600 fields that `np.save` writes.
            header_bytes: 1 << 20,
            // Python's limit.
            nesting_depth: 200,
            fields: 1 << 16,
            // NumPy stores itemsizes as a C int.
            element_bytes: i32::MAX as usize,
            data_bytes: u64::MAX,
            empty_elements: 1 << 16,
            #[cfg(feature = "npz")]
            members: 1 << 22,
            #[cfg(feature = "npz")]
            member_bytes: u64::MAX,
            // Metadata is a description, seldom of more than some kilobytes.
            #[cfg(feature = "rawarray")]
            metadata_bytes: 1 << 30,
        }
    }

    /// Limits the length of the header in bytes.
    #[must_use]
    pub const fn header_bytes(mut self, limit: usize) -> Self {
        self.header_bytes = limit;
        self
    }

    /// Limits the depth of nested brackets in the header.
    ///
    /// The dictionary of the header is one, and a level of records takes two, for a list and a tuple.
    /// Values above 200, which is Python's own limit, have no effect.
    #[must_use]
    pub const fn nesting_depth(mut self, limit: usize) -> Self {
        self.nesting_depth = if limit < 200 { limit } else { 200 };
        self
    }

    /// Limits the number of fields of the dtype, nested ones included.
    #[must_use]
    pub const fn fields(mut self, limit: usize) -> Self {
        self.fields = limit;
        self
    }

    /// Limits the size of one element in bytes.
    #[must_use]
    pub const fn element_bytes(mut self, limit: usize) -> Self {
        self.element_bytes = limit;
        self
    }

    /// Limits the size of all elements together in bytes.
    #[must_use]
    pub const fn data_bytes(mut self, limit: u64) -> Self {
        self.data_bytes = limit;
        self
    }

    /// Limits the number of elements of zero bytes.
    ///
    /// These are `|S0`, `<U0`, `|V0` and records without fields. The length of the input does not
    /// bound their number.
    #[must_use]
    pub const fn empty_elements(mut self, limit: u64) -> Self {
        self.empty_elements = limit;
        self
    }

    /// Limits the number of members of an archive.
    #[cfg(feature = "npz")]
    #[must_use]
    pub const fn members(mut self, limit: u64) -> Self {
        self.members = limit;
        self
    }

    /// Limits the decompressed size of an archive member in bytes.
    #[cfg(feature = "npz")]
    #[must_use]
    pub const fn member_bytes(mut self, limit: u64) -> Self {
        self.member_bytes = limit;
        self
    }

    /// Limits the metadata after the array of a RawArray file, in bytes.
    #[cfg(feature = "rawarray")]
    #[must_use]
    pub const fn metadata_bytes(mut self, limit: u64) -> Self {
        self.metadata_bytes = limit;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
