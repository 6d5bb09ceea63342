//! The known classes and functions. Nothing is imported or called.

/// A class or function of NumPy's files and plain values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// `_reconstruct` of NumPy: an empty array, whose content follows.
    Reconstruct,
    /// `scalar` of NumPy: a dtype and the bytes of one element.
    Scalar,
    /// `_frombuffer` of NumPy, from protocol 5 on.
    FromBuffer,
    NdArray,
    Matrix,
    RecArray,
    /// `_mareconstruct` of NumPy: an empty masked array, whose content follows.
    MaskedReconstruct,
    MaskedArray,
    /// One record of a masked array.
    MaskedVoid,
    MaskedConstant,
    DType,
    /// A type of `ml_dtypes`: its index in `ML_TYPES`.
    MlType(u8),
    /// `numpy.record`, the class of the elements of a dtype.
    Record,
    StringDType,
    /// `_codecs.encode`: bytes of Python 3 in protocols 0 to 2.
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
    /// `copyreg._reconstructor`: objects in protocols 0 and 1.
    Reconstructor,
}

/// The globals by module and name, the current module first.
#[rustfmt::skip]
const LIST: [(&str, &str, Known); 59] = {
    use Known::{
        ByteArray, Bytes, Complex, DType, Date, DateTime, Decimal, Encode, Fraction, FromBuffer, FrozenSet, MaskedArray, MaskedConstant, MaskedReconstruct, MaskedVoid, Matrix, NdArray, Object, OrderedDict, Range,
        RecArray, Reconstruct, Reconstructor, Record, Scalar, Set, Slice, StringDType, Time, TimeDelta, TimeZone, Uuid,
    };
    [
        ("numpy._core.multiarray", "_reconstruct", Reconstruct),
        ("numpy.core.multiarray", "_reconstruct", Reconstruct),
        ("numpy.core._internal", "_reconstruct", Reconstruct),
        ("numpy._core._internal", "_reconstruct", Reconstruct),
        ("numpy._core.multiarray", "scalar", Scalar),
        ("numpy.core.multiarray", "scalar", Scalar),
        ("numpy._core.numeric", "_frombuffer", FromBuffer),
        ("numpy.core.numeric", "_frombuffer", FromBuffer),
        ("numpy", "ndarray", NdArray),
        ("numpy", "matrix", Matrix),
        ("numpy.matrixlib.defmatrix", "matrix", Matrix),
        ("numpy.core.defmatrix", "matrix", Matrix),
        ("numpy", "recarray", RecArray),
        ("numpy.rec", "recarray", RecArray),
        ("numpy.core.records", "recarray", RecArray),
        ("numpy.ma.core", "_mareconstruct", MaskedReconstruct),
        ("numpy.ma", "MaskedArray", MaskedArray),
        ("numpy.ma.core", "MaskedArray", MaskedArray),
        ("numpy.ma.core", "mvoid", MaskedVoid),
        ("numpy.ma.core", "MaskedConstant", MaskedConstant),
        ("numpy.ma", "MaskedConstant", MaskedConstant),
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

/// The types of `ml_dtypes`.
const ML_TYPES: [&str; 19] = [
    "bfloat16",
    "complex32",
    "float4_e2m1fn",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "int1",
    "int2",
    "int4",
    "uint1",
    "uint2",
    "uint4",
];

impl Known {
    /// Finds the entry of a module and a name.
    pub(crate) fn find(module: &[u8], name: &[u8]) -> Option<Self> {
        let is_it = |entry: &&(&str, &str, Self)| entry.0.as_bytes() == module && entry.1.as_bytes() == name;
        let known = LIST.iter().find(is_it).map(|(_, _, known)| *known);
        known.or_else(|| {
            let index = ML_TYPES.iter().position(|known| module == b"ml_dtypes" && known.as_bytes() == name)?;
            u8::try_from(index).ok().map(Self::MlType)
        })
    }

    /// Returns Python's name of a known class; `None` for functions.
    pub(crate) fn class_name(module: &str, name: &str) -> Option<String> {
        let known = Self::find(module.as_bytes(), name.as_bytes()).filter(|known| !known.is_function())?;
        match known.path() {
            ("builtins", name) => Some(name.to_owned()),
            (module, name) => Some(format!("{module}.{name}")),
        }
    }

    /// Returns whether it is a function, which `NEWOBJ` does not take.
    pub(crate) fn is_function(self) -> bool {
        matches!(
            self,
            Self::Reconstruct
                | Self::MaskedReconstruct
                | Self::Scalar
                | Self::FromBuffer
                | Self::StringDType
                | Self::Encode
                | Self::Reconstructor
        )
    }

    /// Returns the current module and name.
    pub(crate) fn path(self) -> (&'static str, &'static str) {
        match self {
            Self::MlType(index) => ("ml_dtypes", ML_TYPES.get(usize::from(index)).copied().unwrap_or_default()),
            known => LIST.iter().find(|entry| entry.2 == known).map_or(("", ""), |(module, name, _)| (*module, *name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_current_versions() {
        for (module, name, known) in LIST {
            let path = known.path();
            assert_eq!(Known::find(path.0.as_bytes(), path.1.as_bytes()), Some(known), "{module}.{name}");
            assert!(!path.0.starts_with("numpy.core") && !path.0.starts_with("__") && !path.0.starts_with("copy_"), "{}", path.0);
        }
        assert_eq!(Known::Reconstruct.path(), ("numpy._core.multiarray", "_reconstruct"));
        assert_eq!(Known::Range.path(), ("builtins", "range"));
        assert_eq!(Known::MlType(0).path(), ("ml_dtypes", "bfloat16"));
    }
}
