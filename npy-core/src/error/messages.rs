//! The message of every variant. A variant without one does not compile.

use super::*;
use crate::options::{Order, Version};

/// A test of the messages of an enum. Its `match` is exhaustive, so that each variant has a value
/// and a message.
macro_rules! messages {
    ($test:ident: $type:ident { $($(#[$cfg:meta])* $variant:ident $({ $($field:tt)* })? $(($($inner:tt)*))? => $message:expr,)* }) => {
        #[test]
        fn $test() {
            #[allow(unreachable_patterns)] // of variants with several messages
            let _ = |problem: &$type| match problem {
                $($(#[$cfg])* $type::$variant { .. } => (),)*
            };
            let mut wrong = Vec::new();
            $($(#[$cfg])*
            {
                let found = $type::$variant $({ $($field)* })? $(($($inner)*))?.to_string();
                if found != $message {
                    wrong.push(format!("expected {:?}\n   found {found:?}", $message));
                }
                assert!(!found.ends_with('.'), "{found}");
            })*
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    };
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(text).collect()
}

fn system() -> std::io::Error {
    std::io::ErrorKind::NotFound.into()
}

messages!(kinds: ErrorKind {
    Io { action: "cannot open the file", error: system() } => "cannot open the file",
    NotDurable { error: system() } => "the file is saved but not durable: cannot fsync its directory",
    Conflict { conflict: Conflict::Locked } => "the file is locked by another writer",
    FailedBefore { action: "cannot read the array", cause: None } => "cannot read the array: an earlier call failed",
    FailedBefore { action: "cannot write the archive", cause: Some("disk full".into()) } => "cannot write the archive: an earlier call failed: disk full",
    InvalidCount { stream: "reader", expected: 4, found: 5 } => "invalid byte count from the reader: expected at most 4, found 5",
    NotRegularFile => "expected a regular file, found a pipe or a device",
    NotNpy { found: b"PK\x03\x04".to_vec() } => "not an .npy file: expected \"\\x93NUMPY\", found \"PK\\x03\\x04\", an .npz archive; open it with `NpzReader` (feature `npz`)",
    NotNpy { found: b"<!DOCTYPE html>\n".to_vec() } =>
        "not an .npy file: expected \"\\x93NUMPY\", found \"<!DOCTYP\", an HTML page; the download gave a page instead of the file",
    NotNpy { found: Vec::new() } => "not an .npy file: the input is empty",
    UnknownFormat { found: b"x,y".to_vec() } => "unknown file format: expected an .npy file, an .npz archive or an .ra file, found \"x,y\"",
    UnknownFormat { found: Vec::new() } => "unknown file format: expected an .npy file, an .npz archive or an .ra file, found an empty input",
    MissingFeature { what: "an .npz archive", feature: "npz" } => "cannot read an .npz archive: feature `npz` is disabled",
    UnsupportedVersion { major: 4, minor: 0 } => "unsupported format version 4.0: expected 1.0, 2.0 or 3.0",
    Truncated { part: Part::Data, offset: 128, expected: 24, found: 22 } => "truncated file: the array needs 24 bytes at offset 128, found 22",
    Truncated { part: Part::Data, offset: 128, expected: 1, found: 0 } => "truncated file: the array needs 1 byte at offset 128, found 0",
    Allocation { bytes: 1 } => "cannot allocate 1 byte",
    HeaderSyntax { offset: 66, problem: LiteralProblem::UnterminatedString } => "invalid header at byte 66: unterminated string",
    HeaderKeys { missing: vec!["shape"], duplicate: texts(&["descr"]), unknown: texts(&["order"]) } =>
        "invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; missing shape; duplicate descr; unknown order",
    HeaderKeys { missing: Vec::new(), duplicate: Vec::new(), unknown: vec![text("a"); 300] } => format!(
        "invalid header: expected exactly the keys 'descr', 'fortran_order' and 'shape'; unknown {} and 288 more",
        ["a"; 12].join(", ")
    ),
    HeaderValue { key: "shape", offset: 60, found: text("[3]"), expected: "a tuple" } => "invalid shape at byte 60: expected a tuple, found [3]",
    InvalidDType { text: text("\"<f9\""), problem: DTypeProblem::UnknownTypeCode, offset: Some(20) } => "invalid dtype \"<f9\" at byte 20: unknown type code",
    InvalidDType { text: text("\"<f9\""), problem: DTypeProblem::UnknownTypeCode, offset: None } => "invalid dtype \"<f9\": unknown type code",
    UnstorableDType { problem: StorageProblem::HeaderTooLong } => "cannot store the dtype: expected a header of at most 4 GiB",
    ShapeOverflow { shape: vec![1 << 30, 1 << 30], itemsize: 8 } =>
        "array too large: shape (1073741824, 1073741824) with 8 bytes per element overflows the address space",
    LimitExceeded { what: "bytes of data", limit: 100, found: 118 } =>
        "limit exceeded: expected at most 100 bytes of data, found 118; raise it with `Limits` if the file is trusted",
    TooManyDimensions { found: 65 } => "too many dimensions: expected at most 64, found 65",
    NestedTooDeep { limit: 64 } => "header nesting exceeds the limit of 64",
    WrongDimensions { expected: 1, shape: vec![2, 3], takes_any: None } => "wrong number of dimensions: expected 1, found 2 with shape (2, 3)",
    WrongDimensions { expected: 1, shape: vec![2, 3], takes_any: Some("`ArrayD`") } =>
        "wrong number of dimensions: expected 1, found 2 with shape (2, 3); `ArrayD` takes any",
    WrongElementShape { rust_type: text("[f64; 3]"), expected: vec![None, Some(3)], found: vec![5] } =>
        "wrong shape for [f64; 3]: expected (n, 3), found (5,)",
    WrongShape { expected: vec![2, 3], found: vec![3, 2] } => "wrong shape: expected (2, 3), found (3, 2)",
    CannotGrow { problem: GrowthProblem::NoDimensions } => "cannot grow the array: expected at least 1 dimension, found 0",
    FortranRows { shape: vec![4, 3] } =>
        "cannot read rows as `[T; N]`: expected C order, found Fortran order with shape (4, 3); read it as an `ndarray` array, or save \
         `np.ascontiguousarray(array)`",
    Mismatch { rust_type: text("f64"), mismatches: vec![mismatch("", MismatchKind::NoFields { parent: text(""), file: text("<f4") })] } =>
        "cannot read f64: expected a record, found elements of dtype <f4",
    ObjectArray =>
        "unsupported dtype 'O': the elements are pickled Python objects; read them with `npy_core::object::load`, \
         or as a `DynArray` with `ReadOptions::objects` (feature `object`), or save a plain dtype, such as `array.astype('U')`",
    #[cfg(feature = "object")]
    ObjectsInstead { rust_type: text("Void") } =>
        "cannot convert Python objects to Void; `objects_as` takes more types, `deserialize` all (feature `serde`)",
    #[cfg(feature = "object")]
    NotObjects { dtype: text("<f8") } => "expected an array of Python objects, found dtype <f8; `load` or `DynValues::load` reads it",
    #[cfg(feature = "object")]
    Pickle { offset: 201, problem: PickleProblem::InvalidEscape } => "unsupported pickle at byte 201: invalid escape sequence",
    #[cfg(feature = "object")]
    InvalidInteger { text: text("1x") } => "invalid integer \"1x\": expected an optional sign and at most 4300 decimal digits",
    InvalidValue { index: 1, path: text("origin.name"), problem: ValueProblem::NotATime } =>
        "element 1, origin.name: expected a time, found NaT; read it as an `Option`",
    InvalidValue { index: 1, path: text("at"), problem: ValueProblem::OutOfRange { value: text("9999-01-01"), dtype: text("<M8[ns]") } } =>
        "element 1, at: 9999-01-01 is out of range for <M8[ns]; a field with `#[npy(dtype = \"M8[us]\")]` holds it",
    InvalidValue { index: 1, path: text(""), problem: ValueProblem::OutOfRange { value: text("275760-09-13"), dtype: text("Date") } } =>
        "element 1: 275760-09-13 is out of range for Date; `Datetime64` and `Timedelta64` hold every time of their unit",
    InvalidValue { index: 1, path: text(""), problem: ValueProblem::OutOfRange { value: text("300"), dtype: text("|u1") } } =>
        "element 1: 300 is out of range for |u1",
    InvalidValue { index: 1, path: text(""), problem: ValueProblem::OutOfBounds } => "element 1: field out of bounds of the record",
    #[cfg(feature = "object")]
    InvalidObject { path: text("name[2]"), problem: ValueProblem::NotARecord } => "name[2]: expected a tuple with an item for each field",
    TextTooLong { length: 4, dtype: text("<U3") } => "text too long for <U3: expected at most 3 characters, found 4",
    WrongCount { expected: 3, found: 0 } => "wrong number of elements: expected 3, found 0",
    IncompleteRow { shape: vec![0, 3], order: Order::C, row: 0, expected: 3, found: 1 } =>
        "incomplete row 0 of an array of shape (0, 3): expected 3 elements, found 1",
    #[cfg(feature = "dynamic")]
    CannotCast { from: text("<f8"), to: text("<i4"), casting: "safe" } =>
        "cannot cast <f8 to <i4 according to the rule 'safe'; `Casting::Checked` casts what fits, `Casting::Unsafe` all",
    NoField { name: text("x"), record: text(""), available: texts(&["y", "z"]), omitted: 1 } => "unknown field \"x\": the records have y, z and 1 more",
    NoField { name: text("x"), record: text("origin"), available: texts(&["y"]), omitted: 0 } => "unknown field \"x\": \"origin\" has y",
    NoField { name: text("x"), record: text("<f8"), available: Vec::new(), omitted: 0 } => "unknown field \"x\": <f8 has no fields",
    #[cfg(feature = "dynamic")]
    NoNumbers { from: text("|O"), to: text("<f8") } => "cannot cast |O to <f8: expected numbers; `objects_as` converts Python objects",
    WrongLength { expected: 24, found: 22 } => "wrong number of bytes: expected 24, found 22",
    InvalidRegion { axis: 1, problem: RegionProblem::ZeroStep } => "invalid region along axis 1: expected a step of at least 1, found 0",
    Misaligned { alignment: 8, misalignment: 1 } =>
        "misaligned data: expected an address that is a multiple of 8, found remainder 1; read a copy (`view_or_read` in an archive), or \
         write the member with `WriteOptions::aligned`",
    NotViewable { path: text("origin.depth"), file: text(">f8"), rust_type: text("f64"), rust: text("<f8") } =>
        "cannot view the field origin.depth as f64: expected dtype <f8, found >f8; read a copy with `load_columns`",
    #[cfg(feature = "npz")]
    Archive { problem: ArchiveProblem::Overlap } => "the data overlap another member or the central directory",
    #[cfg(feature = "zip")]
    Zip { action: "cannot read the member", error: zip::result::ZipError::FileNotFound } => "cannot read the member",
    #[cfg(feature = "npz")]
    NoMember { names: texts(&["a", "b"]), available: texts(&["c"]), omitted: 0 } => "missing arrays \"a\", \"b\": the archive has c",
    #[cfg(feature = "npz")]
    NoMember { names: texts(&["a"]), available: Vec::new(), omitted: 0 } => "missing array \"a\": the archive is empty",
    #[cfg(feature = "npz")]
    UnknownMembers { names: texts(&["a", "b"]), omitted: 3 } => "unknown members: expected those of the struct, found a, b and 3 more",
    #[cfg(feature = "npz")]
    InvalidSparse { problem: SparseProblem::DuplicateOffset { offset: -1 } } => "invalid sparse matrix: duplicate diagonal offset -1",
    #[cfg(feature = "rawarray")]
    RawArray { problem: RawArrayProblem::MissingFeature } => "unsupported LZ4 compression: feature `lz4` is disabled",
    Shards { problem: ShardProblem::Missing { number: 4, count: 7 } } => "missing shard 4: expected 7 shards without a gap",
    #[cfg(feature = "zarr")]
    Zarr { problem: ZarrProblem::NoFiles } => "expected at least one file, found none",
    Allocation { bytes: 1 << 31 } => "cannot allocate 2147483648 bytes",
});

fn mismatch(path: &str, kind: MismatchKind) -> Mismatch {
    Mismatch { path: text(path), kind }
}

messages!(literals: LiteralProblem {
    Unexpected { expected: "a value", found: text("end of text") } => "expected a value, found end of text",
    NotUtf8 => "invalid UTF-8",
    NulByte => "invalid NUL byte",
    UnterminatedString => "unterminated string",
    UnknownPrefix => "unknown string prefix",
    InvalidEscape => "invalid escape sequence",
    LeadingZero => "leading zero in an integer",
    TooManyDigits { limit: 4300, found: 4301 } => "number too long: expected at most 4300 digits, found 4301",
});

messages!(dtypes: DTypeProblem {
    Literal(LiteralProblem::NulByte) => "invalid NUL byte",
    UnknownTypeCode => "unknown type code",
    UnknownTimeUnit => "unknown time unit",
    InvalidDivisor => "expected a divisor that divides a finer time unit evenly",
    InconsistentByteOrders => "inconsistent byte orders",
    Unexpected { expected: "a list" } => "expected a list",
    UnhashableTitle => "unhashable title",
    WrongCount { expected: 2, found: 1 } => "expected 2 items, one for each name, found 1",
    InvalidShape { limit: 2_147_483_647 } => "expected a shape of lengths from 0 to 2147483647",
    InvalidDimensions { found: 0 } => "expected 1 to 64 dimensions, found 0",
    TooLarge { limit: 2_147_483_647 } => "expected an itemsize of at most 2147483647 bytes",
    NestedTooDeep { limit: 64 } => "nesting exceeds the limit of 64",
    TooManyFields { limit: 2, found: 3 } => "expected at most 2 fields, found 3",
    Overlap { expected: 8, found: 4 } => "expected an offset of at least 8, found 4; NumPy cannot save overlapping or out-of-order fields",
    InvalidOffset { limit: 2_147_483_647, found: text("-1") } => "expected an offset from 0 to 2147483647, found -1",
    UnalignedOffset { alignment: 8, found: 4 } => "expected an offset that is a multiple of 8, found 4",
    InvalidItemsize { minimum: 8, alignment: 1 } => "expected an itemsize of at least 8",
    InvalidItemsize { minimum: 8, alignment: 4 } => "expected an itemsize of at least 8, a multiple of 4",
    DuplicateName => "duplicate field name",
    DuplicateTitle => "duplicate title",
});

messages!(storage: StorageProblem {
    SubArray => "expected a scalar or a record, found a sub-array; add its dimensions to the shape, or make it a field of a record",
    TooLarge { limit: 2_147_483_647, found: 1 << 31 } => "expected an itemsize of at most 2147483647 bytes, found 2147483648",
    Version { version: Version::V2, needed: Version::V3 } => "format version 2.0 cannot encode the header; version 3.0 can",
    HeaderTooLong => "expected a header of at most 4 GiB",
    Title { field: text("x") } => "expected a text as the title of field \"x\"",
});

messages!(growth: GrowthProblem {
    NoDimensions => "expected at least 1 dimension, found 0",
    EmptyRows => "expected rows with elements, found empty ones",
    HeaderFull { bytes: 67 } => "the header of 67 bytes has no space for a larger shape; load and save the array once",
    FollowedByArray { offset: 152 } => "expected the end of the file at byte 152, found another array",
    VariableWidth { dtype: text("<U0") } =>
        "expected elements of a fixed width, found <U0; `#[npy(dtype = \"U16\")]` sets the width of text, and a value such as NaN can stand \
         for `None`",
    NotSeekable => "expected a seekable file; `with_len` takes the number of elements instead",
    AppendOnly => "expected a stream that writes where it is seeked to, found one that only appends",
    BlockShape { expected: vec![None, Some(3)], found: vec![2, 4] } => "expected a block of shape (n, 3), found (2, 4)",
    TornBlock => "an earlier block was written in part; reopen the file to continue after its last complete row",
});

messages!(regions: RegionProblem {
    OutOfBounds { range: 2..5, length: 3 } => "expected a range within 0..3, found 2..5",
    Reversed { range: std::ops::Range { start: 5, end: 2 } } => "expected a range that starts before its end, found 5..2",
    ZeroStep => "expected a step of at least 1, found 0",
});

#[cfg(feature = "npz")]
messages!(sparse_matrices: SparseProblem {
    MissingArray { name: text("indptr") } => "missing array \"indptr\"",
    UnknownFormat { found: text("lil") } => "unknown format \"lil\": expected \"csr\", \"csc\", \"bsr\", \"coo\" or \"dia\"",
    WrongFormat { expected: text("csr"), found: text("csc") } => "expected format \"csr\", found \"csc\"; `SparseMatrix` reads every format",
    NotAMatrix { shape: vec![3] } => "expected 2 dimensions, found shape (3,)",
    BlockShape { block: [2, 2], shape: [3, 2] } => "expected a shape that is a multiple of the blocks (2, 2), found (3, 2)",
    WrongLength { array: "`indices`", expected: 2, found: 1 } => "expected `indices` of length 2, found 1",
    InvalidPointers { entries: 2 } => "expected `indptr` to increase from 0 to at most 2",
    OutOfBounds { length: 2, found: 3 } => "expected indices less than 2, found 3",
    OutOfRange { found: -1 } => "index -1 out of range",
    DuplicateOffset { offset: 1 } => "duplicate diagonal offset 1",
});

#[cfg(feature = "zarr")]
messages!(zarr_arrays: ZarrProblem {
    NoFiles => "expected at least one file, found none",
    Path => "expected a path in UTF-8",
    DType { field: text(""), dtype: text("|O") } => "unsupported dtype |O: Zarr has no such dtype",
    DType { field: text("origin.depth"), dtype: text("<f16") } => "unsupported dtype <f16 of field \"origin.depth\": Zarr has no such dtype",
    Differs { first: "a.npy".into(), what: "dtype", expected: text("<f4"), found: text(">f4") } => "expected dtype <f4 as in a.npy, found >f4",
    Rows { first: "a.npy".into(), expected: 1000, found: 337 } =>
        "expected 1000 rows as in a.npy, found 337; only the last file may have other rows",
});

messages!(shards: ShardProblem {
    Missing { number: 4, count: 7 } => "missing shard 4: expected 7 shards without a gap",
    Unexpected { expected: 4, found: 7 } => "unexpected unfinished shard: expected number 4, found 7",
});

messages!(conflicts: Conflict {
    Locked => "the file is locked by another writer",
    Replaced => "the file was replaced or removed while it was open",
    Modified => "the file was modified by another writer",
});

messages!(values: ValueProblem {
    NotACharacter { unit: 0xd800, position: 1 } => "invalid character 0xd800 at position 1 of the text",
    NotUtf8 { position: 3 } => "invalid UTF-8 at byte 3 of the text; read it as `FixedBytes`",
    TooLong { length: 4, dtype: text("|S3") } => "text too long for |S3: expected at most 3 bytes, found 4",
    TooLong { length: 4, dtype: text("<U0") } =>
        "text too long for <U0: expected at most 0 characters, found 4; set the width in the header, or with `#[npy(dtype = \"U16\")]` on \
         the field",
    WrongLength { length: 1, dtype: text("|V2") } => "wrong length for |V2: expected 2 bytes, found 1",
    NotABool { byte: 2 } => "invalid bool 0x02: expected 0 or 1; read a copy, where every byte but 0 is true",
    Inexact { value: text("0.5"), dtype: text("i64") } => "cannot represent 0.5 exactly as i64",
    OutOfRange { value: text("300"), dtype: text("u8") } => "300 is out of range for u8",
    ObjectType { found: text("None"), rust_type: text("f64") } => "expected f64, found None; read it as an `Option`",
    ObjectType { found: text("str"), rust_type: text("f64") } => "expected f64, found str; `PyObject` takes any object",
    OpaqueObject { module: text("pathlib"), name: text("Path") } => "cannot write an opaque object of pathlib.Path",
    NoValue => "cannot store `None`: the dtype has no missing value; store one that stands for it, such as NaN, -1 or an empty text",
    NotATime => "expected a time, found NaT; read it as an `Option`",
    UnknownVariant { value: 7, rust_type: text("Phase"), known: &[("Idle", 0), ("Run", 1)] } => "unknown variant 7 of Phase: expected 0 (Idle), 1 (Run)",
    UnknownVariant { value: 7, rust_type: text("Phase"), known: &[("A", 0); 256] } =>
        format!("unknown variant 7 of Phase: expected {} and 244 more", ["0 (A)"; 12].join(", ")),
    LeapSecond { dtype: text("<M8[s]") } => "cannot represent a leap second as <M8[s]",
    TrailingNul => "trailing NUL bytes are lost in an `S` text; store them as raw bytes (`V`)",
    OutOfBounds => "field out of bounds of the record",
    NotText { found: text("int") } => "expected a str or the `na_object`, found int",
    NotARecord => "expected a tuple with an item for each field",
    InvalidDecimal { text: text("1x") } => "invalid Decimal \"1x\"",
    NestedTooDeep { limit: 200 } => "object nesting exceeds the limit of 200",
    TooLarge { length: usize::MAX / 2 } => format!("object too large: expected less than 4 GiB, found {} bytes", usize::MAX / 2),
    Custom { rust_type: Some(text("Phase")), message: text("no phase") } => "invalid Phase: no phase",
    Custom { rust_type: None, message: text("no phase") } => "no phase",
});

#[cfg(feature = "object")]
messages!(pickles: PickleProblem {
    Truncated { expected: 4, found: 2 } => "truncated file: the pickle needs 4 bytes, found 2",
    UnknownOpcode { opcode: 0xff } => "unknown opcode 0xff",
    RefusedOpcode { opcode: "PERSID" } => "opcode PERSID refers to data outside of the file",
    UnsupportedProtocol { protocol: 9 } => "unknown protocol 9: expected 0 to 5",
    UnknownGlobal { module: text("os"), name: text("system") } =>
        "unknown global os.system, which is never called; `UnknownGlobals::Opaque` keeps it as an opaque object",
    NotCallable { opcode: "REDUCE", found: "a list" } => "opcode REDUCE: expected a class or a function, found a list",
    InvalidArguments { constructor: "complex", expected: "two floats" } => "invalid arguments of complex: expected two floats",
    StackUnderflow { opcode: "APPEND" } => "opcode APPEND: stack underflow",
    NoMark { opcode: "TUPLE" } => "opcode TUPLE: missing mark",
    WrongType { opcode: "APPEND", expected: "a list", found: "None" } => "opcode APPEND: expected a list, found None",
    NoMemo { index: 7 } => "unknown memo index 7",
    InvalidNumber { text: text("1x") } => "invalid number \"1x\": expected at most 4300 digits",
    InvalidLength { length: -1 } => "invalid length -1",
    NotUtf8 { position: 0 } => "invalid UTF-8 or a lone surrogate at byte 0 of the text",
    InvalidEscape => "invalid escape sequence",
    NotAscii { byte: 0xe9 } => "invalid byte 0xe9 in a str of Python 2: expected ASCII; `ObjectOptions::encoding` sets another encoding",
    Cycle => "cyclic reference: an object contains itself",
    LimitExceeded { what: "levels of objects", limit: 100, found: 101 } =>
        "limit exceeded: expected at most 100 levels of objects, found 101; raise it with `ObjectOptions` if the file is trusted",
    LeftOver { values: 2 } => "expected 1 value at the end of the pickle, found 2 values",
    FrameTooLong { bytes: 3 } => "a frame exceeds the pickle by 3 bytes",
    NotAnObjectArray { found: text("None") } => "expected an array of objects, found None",
    WrongCount { shape: vec![2, 3], expected: 6, found: 5 } => "wrong number of objects for shape (2, 3): expected 6, found 5",
    InvalidArray { problem: ArrayProblem::Pointers } => "invalid array: expected data without pointers, found dtype 'O'",
});

#[cfg(feature = "object")]
messages!(pickled_arrays: ArrayProblem {
    DType { text: text("\"<f9\""), problem: DTypeProblem::UnknownTypeCode } => "invalid dtype \"<f9\": unknown type code",
    Storage(StorageProblem::HeaderTooLong) => "expected a header of at most 4 GiB",
    Overflow { shape: vec![1 << 30, 1 << 30], itemsize: 1 } =>
        "array too large: shape (1073741824, 1073741824) with 1 byte per element overflows the address space",
    TooManyDimensions { found: 65 } => "too many dimensions: expected at most 64, found 65",
    WrongLength { expected: 4, found: 3 } => "expected 4 bytes of data, found 3",
    Pointers => "expected data without pointers, found dtype 'O'",
    StringDType => "StringDType outside of an array",
});

#[cfg(feature = "npz")]
messages!(archives: ArchiveProblem {
    NotZip { found: Vec::new() } => "not an .npz file: the input is empty",
    NotZip { found: b"PK\x03\x04".to_vec() } => "truncated archive: expected the end of central directory at the end of the file, found none",
    NotZip { found: b"x,y".to_vec() } => "not an .npz file: expected a zip archive, found \"x,y\"",
    NotZip { found: b"\x93NUMPY".to_vec() } => "not an .npz file: expected a zip archive, found an .npy file; read it with `load`",
    Incomplete { members: 2, listed: 1, directory_end: 400 } =>
        "truncated archive: expected the end of central directory at the end of the file, found 2 complete and 1 listed members; \
         `npy_core::npz::recover` keeps them",
    Concatenated { offset: 400 } => "concatenated archives: expected one archive, found another at byte 400; split the file there",
    NotAtEnd { end: 400, bytes: 3 } => "trailing data: expected the end of the file at byte 400, found 3 more bytes; remove them to add members",
    Unlisted { offset: 30 } => "the member at byte 30 is missing from the central directory",
    Unrecoverable { offset: 30 } =>
        "cannot recover the archive: expected a member or the central directory at byte 30, found damage before more members",
    NotSeekable => "cannot seek in the archive: expected a file, found a pipe or another stream; `NpzStream` reads members in order",
    NoEnd => "truncated archive: expected a member or the central directory, found the end of the stream",
    SeveralDisks => "unsupported archive: it is split into several parts",
    NoDirectory { offset: 400, bytes: 92 } =>
        "invalid archive: expected a central directory of 92 bytes at offset 400; the file is damaged or truncated",
    NoEntry { offset: 400 } => "invalid entry in the central directory at byte 400",
    WrongCount { expected: 2, found: 1 } => "invalid central directory: expected 2 entries, found 1",
    LocalHeader { offset: 30 } => "the local header at byte 30 differs from the central directory",
    Overlap => "the data overlap another member or the central directory",
    Encrypted => "unsupported encryption: decrypt the member by another program, such as 7z, and read its file",
    MissingFeature { method: 93, name: "Zstandard", feature: "zstd" } => "unsupported compression: Zstandard (method 93) needs feature `zstd`",
    UnknownMethod { method: 9 } =>
        "unknown compression method 9: expected stored (0), deflate (8), bzip2 (12), LZMA (14) or Zstandard (93)",
    NoIndex { index: 3, members: 3 } => "member index out of range: expected less than 3, found 3",
    BrokenHeader => "invalid local header",
    LostPlace => "unknown position: the previous member is damaged; read the archive from a file",
    UnknownSize => "cannot skip the member: its size follows its data; read its array, or the archive from a file",
    UnknownLength => "unknown length: a stream that cannot seek needs it before the data",
    NotStored => "cannot view a compressed member; read a copy (`view_or_read`)",
    Damaged => "invalid compressed data",
    FailedBefore => "an earlier read failed",
    LargeDictionary { limit: 128 << 20 } => "dictionary too large: expected at most 128 MiB",
    WrongSize { expected: 12, found: 10 } => "expected 12 bytes of content, found 10",
    WrongCompressedSize { expected: 12, found: 10 } => "expected 12 bytes of data, found 10",
    Unused { bytes: 2 } => "expected the end of the compressed data, found 2 more bytes",
    Trailing { bytes: 2 } => "expected the end of the member after its array, found 2 more bytes",
    InvalidName => "invalid member name: expected at most 65535 bytes without NUL and \"PK\\x03\\x04\"",
    UnsafeName => "unsafe member name: expected a relative path without `..`, `\\`, `:`, NUL or the name of a Windows device",
    DuplicateName => "duplicate member name; to replace a member, write a new archive",
    WrongChecksum { expected: 1, found: 2 } => "wrong checksum: expected 0x00000001, found 0x00000002; the data are damaged",
});

#[cfg(feature = "rawarray")]
messages!(raw_arrays: RawArrayProblem {
    NotRawArray { found: b"yarrawar".to_vec() } => "not an .ra file: expected \"rawarray\", found \"yarrawar\"; the header is in big-endian order",
    UnknownFlags { offset: 8, found: 4 } => "unknown flags at byte 8: expected 0x1 (big-endian) and 0x2 (LZ4) at most, found 0x4",
    UnknownKind { offset: 16, found: 6 } => "unknown type code at byte 16: expected 0 (user-defined) to 5 (brain float), found 6",
    UnknownWidth { offset: 24, kind: 2, found: 3, known: &[1, 2, 4] } =>
        "invalid element size at byte 24: expected 1, 2 or 4 bytes for type code 2, found 3",
    TooManyDimensions { offset: 40, found: 65 } => "too many dimensions at byte 40: expected at most 64, found 65",
    Overflow { offset: 48, dims: vec![1 << 63, 3], element_bytes: 2 } =>
        "array too large at byte 48: dimensions [9223372036854775808, 3] with 2 bytes per element overflow the address space",
    WrongSize { offset: 32, expected: 12, found: 11 } => "invalid data size at byte 32: expected 12 bytes, found 11",
    WrongCompressedSize { offset: 32, expected: 10, found: 0 } => "invalid compressed size at byte 32: 0 bytes cannot decompress to 10",
    MissingFeature => "unsupported LZ4 compression: feature `lz4` is disabled",
    NotMappable => "cannot map compressed data; `RaArray::load` reads them",
    Damaged { offset: 56 } => "invalid compressed data at byte 56",
    WrongLength { offset: 56, expected: 10, found: 1 } => "wrong length of the decompressed data at byte 56: expected 10 bytes, found 1",
    TooLargeToCompress { limit: 100, found: 101 } => "array too large for LZ4: expected at most 100 bytes, found 101",
    MixedByteOrders { dtype: text("<f4,>f4") } =>
        "unsupported dtype <f4,>f4: expected one byte order, found both; convert it with `array.astype(array.dtype.newbyteorder('<'))`",
    NotThatDType { dtype: text("|b1"), kind: 2, element_bytes: 2 } =>
        "cannot read the elements as |b1: expected user-defined ones (type code 0) of its size, found type code 2 with 2 bytes",
});

#[test]
fn mismatches() {
    let all = [
        (
            MismatchKind::DType { file: text("<f4"), rust: text("<f8"), advice: Some(text("`f32` reads it")) },
            "x: expected dtype <f8, found <f4; `f32` reads it",
        ),
        (MismatchKind::Column { file: text("<f4"), rust: text("<f8"), advice: None }, "x: expected dtype <f8, found <f4"),
        (
            MismatchKind::NoFields { parent: text("origin"), file: text("<f4") },
            "x: expected origin to be a record, found dtype <f4",
        ),
        (
            MismatchKind::Written { expected: text("<i4"), found: text("<f8"), fits: Some(text("f64")) },
            "x: expected dtype <i4 in the header, found <f8; declare the field as `f64`, or use a header with <i4",
        ),
        (
            MismatchKind::UnwrittenField { expected: text("<i4"), available: texts(&["y"]), omitted: 2 },
            "x: expected a field of dtype <i4 in the header, found y and 2 more; `#[npy(rename = \"…\")]` names another, `#[npy(skip)]` omits it",
        ),
        (
            MismatchKind::UnfilledField { found: text("<M8[s]") },
            "x: expected a value of dtype <M8[s], found no such field in the struct; `#[npy(fill_unknown_fields)]` writes NaT, NaN, empty text \
             or 0",
        ),
        (
            MismatchKind::MissingField { rust: text("<i4"), available: Vec::new(), omitted: 0 },
            "x: expected a field of dtype <i4, found no fields; `#[npy(rename = \"…\")]` or `alias` names another, `#[npy(default)]` makes it \
             optional",
        ),
        (
            MismatchKind::MissingColumn { parent: text("origin"), available: texts(&["y", "z"]), omitted: 0 },
            "x: missing field: found y, z in origin",
        ),
        (
            MismatchKind::UnknownField { file: text("<f4"), known: texts(&["y", "z"]) },
            "x: unknown field of dtype <f4: expected y, z",
        ),
    ];
    for (kind, message) in all {
        // A new kind needs a message above.
        match kind {
            MismatchKind::DType { .. }
            | MismatchKind::Column { .. }
            | MismatchKind::NoFields { .. }
            | MismatchKind::Written { .. }
            | MismatchKind::UnwrittenField { .. }
            | MismatchKind::UnfilledField { .. }
            | MismatchKind::MissingField { .. }
            | MismatchKind::MissingColumn { .. }
            | MismatchKind::UnknownField { .. } => {}
        }
        assert_eq!(mismatch("x", kind).to_string(), message);
    }
}

#[test]
fn errors_stay_small() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<ValueError>(), size_of::<usize>());
    assert!(size_of::<ErrorKind>() <= 120, "{}", size_of::<ErrorKind>());
}
