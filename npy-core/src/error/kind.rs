//! The kinds of errors.

/// What went wrong, as far as a caller would act on it. The message says the rest.
///
/// See [`Error`](crate::Error) for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system or the given stream failed: see
    /// [`io_kind`](crate::Error::io_kind).
    Io,
    /// A durable save replaced the file, but could not fsync its directory. A power cut may undo
    /// it.
    NotDurable,
    /// Another writer keeps the file from being changed, or has changed it; or an object in a store was
    /// replaced while it was read.
    Conflict,
    /// The position in the stream is unknown: an earlier call failed or panicked, or a custom
    /// [`Read`](std::io::Read) or [`Write`](std::io::Write) reports more bytes than it was given. Or a
    /// store sends other bytes than were requested.
    BrokenStream,
    /// Another library failed: its error is the [`source`](std::error::Error::source), or part of the
    /// message.
    External,

    /// The input is not of the format that the call reads.
    WrongFormat,
    /// The input is valid, but this library, or this build of it, does not read it: a version, a
    /// compression method, encryption, or a feature that is off.
    Unsupported,
    /// The input ends too early.
    Truncated,
    /// The header of the file is invalid.
    InvalidHeader,
    /// A text or a literal is not a dtype.
    InvalidDType,
    /// The pickle of the Python objects is invalid.
    InvalidPickle,
    /// The zip archive, or a member of it, is invalid.
    InvalidArchive,
    /// The parts of the data do not belong together: shards, files of one array, the arrays of a
    /// sparse matrix.
    InvalidData,
    /// An element is not a value of the Rust type, or its value does not fit the dtype: see
    /// [`element`](crate::Error::element) and [`field`](crate::Error::field).
    InvalidValue,

    /// The array holds Python objects, stored as a pickle.
    ObjectArray,
    /// The dtype of the file does not fit the Rust type or the requested dtype. All mismatches are
    /// listed.
    Mismatch,
    /// The array has another number of dimensions, other axes or another number of elements than
    /// the call needs.
    WrongShape,
    /// There is no field, member, shard or object of that name.
    NotFound,
    /// The data cannot be viewed in place: they are compressed, misaligned or of another byte
    /// order.
    NotViewable,
    /// Nothing can be appended to the array.
    CannotGrow,
    /// The dtype or the values cannot be stored in the format.
    Unstorable,

    /// One of the [`Limits`](crate::Limits), or a fixed limit, was exceeded.
    LimitExceeded,
    /// The size of the array overflows the address space, or what the format allows.
    TooLarge,
    /// The result cannot be allocated.
    OutOfMemory,
    /// The arguments of the call are invalid.
    InvalidInput,
}
