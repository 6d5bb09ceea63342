//! The known classes and functions, by name. Nothing is imported or called.

/// A class or function that NumPy's own files and plain values need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// `_reconstruct` of NumPy: an empty array, whose content follows.
    Reconstruct,
    /// `scalar` of NumPy: a dtype and the bytes of one element.
    Scalar,
    /// `_frombuffer` of NumPy, from protocol 5 on.
    FromBuffer,
    /// `ndarray` and those of its subclasses that add nothing which is stored.
    NdArray,
    DType,
    /// `numpy.record`, which a dtype names as the class of its elements.
    Record,
    StringDType,
    /// `_codecs.encode`: how Python 3 writes bytes in protocols that have none.
    Encode,
    Bytes,
    ByteArray,
    Complex,
    Set,
    FrozenSet,
    Slice,
    Range,
    Object,
    OrderedDict,
    Decimal,
    Fraction,
    Uuid,
    Date,
    Time,
    DateTime,
    TimeDelta,
    TimeZone,
    /// `copyreg._reconstructor`: how protocols 0 and 1 make objects.
    Reconstructor,
}

#[rustfmt::skip]
const LIST: [(&str, &str, Known); 50] = {
    use Known::{
        ByteArray, Bytes, Complex, DType, Date, DateTime, Decimal, Encode, Fraction, FromBuffer, FrozenSet, NdArray, Object, OrderedDict, Range,
        Reconstruct, Reconstructor, Record, Scalar, Set, Slice, StringDType, Time, TimeDelta, TimeZone, Uuid,
    };
    [
        ("numpy.core.multiarray", "_reconstruct", Reconstruct),
        ("numpy._core.multiarray", "_reconstruct", Reconstruct),
        ("numpy.core.multiarray", "scalar", Scalar),
        ("numpy._core.multiarray", "scalar", Scalar),
        ("numpy.core.numeric", "_frombuffer", FromBuffer),
        ("numpy._core.numeric", "_frombuffer", FromBuffer),
        ("numpy", "ndarray", NdArray),
        ("numpy", "matrix", NdArray),
        ("numpy.matrixlib.defmatrix", "matrix", NdArray),
        ("numpy", "recarray", NdArray),
        ("numpy.rec", "recarray", NdArray),
        ("numpy.core.records", "recarray", NdArray),
        ("numpy", "dtype", DType),
        ("numpy", "record", Record),
        ("numpy.rec", "record", Record),
        ("numpy.core.records", "record", Record),
        ("numpy._core._internal", "_convert_to_stringdtype_kwargs", StringDType),
        ("numpy.core._internal", "_convert_to_stringdtype_kwargs", StringDType),
        ("_codecs", "encode", Encode),
        ("builtins", "bytes", Bytes),
        ("__builtin__", "bytes", Bytes),
        ("builtins", "bytearray", ByteArray),
        ("__builtin__", "bytearray", ByteArray),
        ("builtins", "complex", Complex),
        ("__builtin__", "complex", Complex),
        ("builtins", "set", Set),
        ("__builtin__", "set", Set),
        ("builtins", "frozenset", FrozenSet),
        ("__builtin__", "frozenset", FrozenSet),
        ("builtins", "slice", Slice),
        ("__builtin__", "slice", Slice),
        ("builtins", "range", Range),
        ("builtins", "xrange", Range),
        ("__builtin__", "xrange", Range),
        ("__builtin__", "range", Range),
        ("builtins", "object", Object),
        ("__builtin__", "object", Object),
        ("collections", "OrderedDict", OrderedDict),
        ("decimal", "Decimal", Decimal),
        ("_decimal", "Decimal", Decimal),
        ("cdecimal", "Decimal", Decimal),
        ("fractions", "Fraction", Fraction),
        ("uuid", "UUID", Uuid),
        ("datetime", "date", Date),
        ("datetime", "time", Time),
        ("datetime", "datetime", DateTime),
        ("datetime", "timedelta", TimeDelta),
        ("datetime", "timezone", TimeZone),
        ("copyreg", "_reconstructor", Reconstructor),
        ("copy_reg", "_reconstructor", Reconstructor),
    ]
};

impl Known {
    /// The entry of that name, exactly: no attribute of one, and no other spelling.
    pub(crate) fn find(module: &[u8], name: &[u8]) -> Option<Self> {
        let is_it = |entry: &&(&str, &str, Self)| entry.0.as_bytes() == module && entry.1.as_bytes() == name;
        LIST.iter().find(is_it).map(|(_, _, known)| *known)
    }

    /// Whether it is a function, of which `NEWOBJ` makes nothing.
    pub(crate) fn is_function(self) -> bool {
        matches!(self, Self::Reconstruct | Self::Scalar | Self::FromBuffer | Self::StringDType | Self::Encode | Self::Reconstructor)
    }

    /// Module and name as a current Python has them.
    pub(crate) fn path(self) -> (&'static str, &'static str) {
        match self {
            Self::Reconstruct => ("numpy._core.multiarray", "_reconstruct"),
            Self::Scalar => ("numpy._core.multiarray", "scalar"),
            Self::FromBuffer => ("numpy._core.numeric", "_frombuffer"),
            Self::NdArray => ("numpy", "ndarray"),
            Self::DType => ("numpy", "dtype"),
            Self::Record => ("numpy", "record"),
            Self::StringDType => ("numpy._core._internal", "_convert_to_stringdtype_kwargs"),
            Self::Encode => ("_codecs", "encode"),
            Self::Bytes => ("builtins", "bytes"),
            Self::ByteArray => ("builtins", "bytearray"),
            Self::Complex => ("builtins", "complex"),
            Self::Set => ("builtins", "set"),
            Self::FrozenSet => ("builtins", "frozenset"),
            Self::Slice => ("builtins", "slice"),
            Self::Range => ("builtins", "range"),
            Self::Object => ("builtins", "object"),
            Self::OrderedDict => ("collections", "OrderedDict"),
            Self::Decimal => ("decimal", "Decimal"),
            Self::Fraction => ("fractions", "Fraction"),
            Self::Uuid => ("uuid", "UUID"),
            Self::Date => ("datetime", "date"),
            Self::Time => ("datetime", "time"),
            Self::DateTime => ("datetime", "datetime"),
            Self::TimeDelta => ("datetime", "timedelta"),
            Self::TimeZone => ("datetime", "timezone"),
            Self::Reconstructor => ("copyreg", "_reconstructor"),
        }
    }
}
