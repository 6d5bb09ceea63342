//! Bounds for untrusted files.

/// Bounds on what a file may ask for, checked before anything is allocated.
///
/// The defaults fit every file that NumPy writes in practice, and keep hostile files cheap. Lower
/// them for untrusted uploads, raise them for extreme files.
///
/// ```
/// use npy_core::{Limits, NpyReader};
///
/// let limits = Limits::new().data_bytes(1 << 20);
/// let mut file = Vec::new();
/// npy_core::write(&mut file, &[0.0_f64; 1000])?;
/// let reader = NpyReader::new_with(&file[..], limits)?;
/// assert_eq!(reader.header().shape(), [1000]);
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
    /// metadata behind an array.
    pub const fn new() -> Self {
        Self {
            // NumPy's own limit of 10,000 characters refuses what `np.save` writes for 600 fields.
            header_bytes: 1 << 20,
            // Python's own limit on nested brackets.
            nesting_depth: 200,
            fields: 1 << 16,
            // NumPy keeps an itemsize in a C int.
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
    ///
    /// ```
    /// use npy_core::Limits;
    ///
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &[1.5_f64])?;
    /// let error = npy_core::read_with::<f64>(&file[..], Limits::new().header_bytes(100)).unwrap_err();
    /// assert!(error.to_string().starts_with("limit exceeded: expected at most 100 bytes of the header, found 118"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub const fn header_bytes(mut self, limit: usize) -> Self {
        self.header_bytes = limit;
        self
    }

    /// Limits the depth of nested brackets in the header.
    ///
    /// A level of nested records takes two. Values above 200, which is Python's own limit, have no
    /// effect.
    ///
    /// ```
    /// use npy_core::{ErrorKind, Header, Limits, Order};
    ///
    /// let file = Header::new("[('pose', [('x', '<f8')])]".parse()?, Order::C, &[3])?.to_bytes();
    /// assert!(Header::parse_with(&file, Limits::new().nesting_depth(5)).is_ok()); // the dictionary, two lists, two tuples
    /// let error = Header::parse_with(&file, Limits::new().nesting_depth(4)).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::NestedTooDeep { limit: 4 }));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub const fn nesting_depth(mut self, limit: usize) -> Self {
        self.nesting_depth = if limit < 200 { limit } else { 200 };
        self
    }

    /// Limits the number of fields of the dtype, nested ones included.
    ///
    /// ```
    /// use npy_core::{Header, Limits, Order};
    ///
    /// let file = Header::new("[('id', '<u4'), ('pose', [('x', '<f8')])]".parse()?, Order::C, &[3])?.to_bytes();
    /// let error = Header::parse_with(&file, Limits::new().fields(2)).unwrap_err();
    /// assert!(error.to_string().starts_with("limit exceeded: expected at most 2 fields, found 3"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub const fn fields(mut self, limit: usize) -> Self {
        self.fields = limit;
        self
    }

    /// Limits the size of one element in bytes.
    ///
    /// ```
    /// use npy_core::{Header, Limits, Order};
    ///
    /// let file = Header::new("<U1000".parse()?, Order::C, &[3])?.to_bytes();
    /// let error = Header::parse_with(&file, Limits::new().element_bytes(1000)).unwrap_err();
    /// assert!(error.to_string().starts_with("limit exceeded: expected at most 1000 bytes of an element, found 4000"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub const fn element_bytes(mut self, limit: usize) -> Self {
        self.element_bytes = limit;
        self
    }

    /// Limits the size of all elements together in bytes.
    ///
    /// ```
    /// use npy_core::Limits;
    ///
    /// let mut file = Vec::new();
    /// npy_core::write(&mut file, &[0.0_f64; 1000])?;
    /// let error = npy_core::read_with::<f64>(&file[..], Limits::new().data_bytes(1000)).unwrap_err();
    /// assert!(error.to_string().starts_with("limit exceeded: expected at most 1000 bytes of data, found 8000"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub const fn data_bytes(mut self, limit: u64) -> Self {
        self.data_bytes = limit;
        self
    }

    /// Limits the number of elements of zero bytes.
    ///
    /// These are `|S0`, `<U0`, `|V0` and records without fields. The length of the input does not
    /// bound their number.
    ///
    /// ```
    /// use npy_core::{Header, Limits, Order};
    ///
    /// let file = Header::new("|V0".parse()?, Order::C, &[1_000_000])?.to_bytes();
    /// let error = Header::parse(&file).unwrap_err();
    /// assert!(error.to_string().starts_with("limit exceeded: expected at most 65536 elements without bytes, found 1000000"));
    /// assert!(Header::parse_with(&file, Limits::new().empty_elements(1 << 20)).is_ok());
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[must_use]
    pub const fn empty_elements(mut self, limit: u64) -> Self {
        self.empty_elements = limit;
        self
    }

    /// Limits the number of members of an archive.
    ///
    /// ```
    /// use npy_core::{Limits, npz::NpzReader};
    ///
    /// # let mut archive = npy_core::npz::NpzWriter::new(std::io::Cursor::new(Vec::new()));
    /// # archive.add_slice("x", &[1.0_f64])?;
    /// # archive.add_slice("y", &[2.0_f64])?;
    /// # let upload = archive.finish()?;
    /// let error = NpzReader::new_with(upload, Limits::new().members(1)).unwrap_err();
    /// assert!(error.to_string().starts_with("limit exceeded: expected at most 1 member, found 2"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[cfg(feature = "npz")]
    #[must_use]
    pub const fn members(mut self, limit: u64) -> Self {
        self.members = limit;
        self
    }

    /// Limits the decompressed size of an archive member in bytes.
    ///
    /// ```
    /// use npy_core::Limits;
    /// use npy_core::npz::{NpzReader, NpzWriter};
    ///
    /// let mut archive = NpzWriter::new_compressed(std::io::Cursor::new(Vec::new()));
    /// archive.add_bytes("zeros", &[0; 1 << 20])?; // of which 1 KiB or so stands in the archive
    /// let mut archive = NpzReader::new_with(archive.finish()?, Limits::new().member_bytes(1 << 16))?;
    /// let error = archive.bytes(0, u64::MAX).unwrap_err();
    /// assert!(error.to_string().contains("limit exceeded: expected at most 65536 bytes of a member, found 1048576"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    #[cfg(feature = "npz")]
    #[must_use]
    pub const fn member_bytes(mut self, limit: u64) -> Self {
        self.member_bytes = limit;
        self
    }

    /// Limits the metadata behind the array of a RawArray file, in bytes.
    ///
    /// ```
    /// use npy_core::{Limits, rawarray};
    ///
    /// let mut file = Vec::new();
    /// rawarray::write(&mut file, &[1_u8, 2, 3])?;
    /// file.extend(b"three of them");
    /// let error = rawarray::RaArray::read_with(&file[..], Limits::new().metadata_bytes(4)).unwrap_err();
    /// assert!(error.to_string().contains("bytes of metadata"));
    /// # Ok::<(), npy_core::Error>(())
    /// ```
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
