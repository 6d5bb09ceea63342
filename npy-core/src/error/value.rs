//! Values that cannot be read or written, and where they are.

use std::fmt;

use super::describe::{counted, first_names};

use super::{Error, ErrorKind};

/// Why an element is not a value of the Rust type, or its value does not fit the dtype.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueProblem {
    /// A unit of a `U` text is not a character: a surrogate, or above U+10FFFF.
    NotACharacter {
        /// The unit.
        unit: u32,
        /// Which unit of the text it is.
        position: usize,
    },
    /// The bytes of an `S` text are not UTF-8.
    NotUtf8 {
        /// Where in the text the first wrong byte is.
        position: usize,
    },
    /// The text or the bytes are longer than the dtype.
    TooLong {
        /// Their length, in characters for `U`, else in bytes.
        length: usize,
        /// The dtype.
        dtype: String,
    },
    /// Raw bytes whose number differs from the dtype's itemsize.
    WrongLength {
        /// How many there are.
        length: usize,
        /// The dtype.
        dtype: String,
    },
    /// A byte of a bool array is neither 0 nor 1, which a view cannot represent.
    NotABool {
        /// The byte.
        byte: u8,
    },
    /// A number or a time would have to be rounded.
    Inexact {
        /// The value.
        value: String,
        /// The dtype or the Rust type.
        dtype: String,
    },
    /// A number or a time is out of range for the other type.
    OutOfRange {
        /// The value.
        value: String,
        /// The dtype or the Rust type.
        dtype: String,
    },
    /// A Python object has a type that the Rust type does not take.
    ObjectType {
        /// The type of the object.
        found: String,
        /// The Rust type.
        rust_type: String,
    },
    /// A Python object of an unknown class cannot be written.
    OpaqueObject {
        /// The Python module.
        module: String,
        /// The class or function in it.
        name: String,
    },
    /// The value is `None`, and the dtype has no missing value.
    NoValue,
    /// The time is NaT, "not a time", which the Rust type does not have.
    NotATime,
    /// The enum has no variant of this number.
    UnknownVariant {
        /// The number.
        value: i128,
        /// The enum.
        rust_type: String,
        /// Its variants and their numbers.
        known: &'static [(&'static str, i128)],
    },
    /// The time is a leap second, which NumPy does not have.
    LeapSecond {
        /// The dtype.
        dtype: String,
    },
    /// The bytes end in NUL, which an `S` text drops as padding.
    TrailingNul,
    /// The plan of a record belongs to other bytes.
    OutOfBounds,
    /// An object of a `StringDType` is neither a `str` nor the `na_object`.
    NotText {
        /// The type of the object.
        found: String,
    },
    /// An object of a record is not a tuple with an item for each field.
    NotARecord,
    /// The text of a `Decimal` is not a decimal number.
    InvalidDecimal {
        /// The text.
        text: String,
    },
    /// Objects contain each other more levels deep than a reader accepts.
    NestedTooDeep {
        /// The limit.
        limit: usize,
    },
    /// An object has more bytes than a pickle can hold.
    TooLarge {
        /// How many it has.
        length: usize,
    },
    /// A custom conversion failed: that of `#[npy(with = …)]`, or of `Deserialize` in serde.
    Custom {
        /// The Rust type, where it is known.
        rust_type: Option<String>,
        /// What the conversion says.
        message: String,
    },
}

impl fmt::Display for ValueProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACharacter { unit, position } => write!(f, "invalid character {unit:#x} at position {position} of the text"),
            Self::NotUtf8 { position } => write!(f, "invalid UTF-8 at byte {position} of the text; read it as `FixedBytes`"),
            Self::TooLong { length, dtype } => {
                f.write_str(&describe_too_long(*length, dtype))?;
                if dtype.ends_with("U0") {
                    f.write_str("; set the width in the header, or with `#[npy(dtype = \"U16\")]` on the field")?;
                }
                Ok(())
            }
            Self::WrongLength { length, dtype } => {
                let width = dtype.trim_start_matches(|c: char| !c.is_ascii_digit());
                write!(f, "wrong length for {dtype}: expected {width}, found {length}", width = counted(width, "byte"))
            }
            Self::NotABool { byte } => {
                write!(f, "invalid bool {byte:#04x}: expected 0 or 1; read a copy, where every byte but 0 is true")
            }
            Self::Inexact { value, dtype } => write!(f, "cannot represent {value} exactly as {dtype}"),
            Self::OutOfRange { value, dtype } => write!(f, "{value} is out of range for {dtype}"),
            Self::ObjectType { found, rust_type } => {
                write!(f, "expected {rust_type}, found {found}")?;
                // What to read it as instead.
                f.write_str(if found == "None" { "; read it as an `Option`" } else { "; `PyObject` takes any object" })
            }
            Self::OpaqueObject { module, name } => write!(f, "cannot write an opaque object of {module}.{name}"),
            Self::NoValue => f.write_str(
                "cannot store `None`: the dtype has no missing value; store one that stands for it, such as NaN, -1 or an empty text",
            ),
            Self::NotATime => f.write_str("expected a time, found NaT; read it as an `Option`"),
            Self::UnknownVariant { value, rust_type, known } => {
                let known: Vec<_> = known.iter().map(|(name, number)| format!("{number} ({name})")).collect();
                write!(f, "unknown variant {value} of {rust_type}: expected {}", first_names(&known))
            }
            Self::LeapSecond { dtype } => write!(f, "cannot represent a leap second as {dtype}"),
            Self::TrailingNul => f.write_str("trailing NUL bytes are lost in an `S` text; store them as raw bytes (`V`)"),
            Self::OutOfBounds => f.write_str("field out of bounds of the record"),
            Self::NotText { found } => write!(f, "expected a str or the `na_object`, found {found}"),
            Self::NotARecord => f.write_str("expected a tuple with an item for each field"),
            Self::InvalidDecimal { text } => write!(f, "invalid Decimal {text:?}"),
            Self::NestedTooDeep { limit } => write!(f, "object nesting exceeds the limit of {limit}"),
            Self::TooLarge { length } => {
                write!(f, "object too large: expected less than 4 GiB, found {length}", length = counted(length, "byte"))
            }
            Self::Custom { rust_type: Some(rust_type), message } => write!(f, "invalid {rust_type}: {message}"),
            Self::Custom { rust_type: None, message } => f.write_str(message),
        }
    }
}

/// The message of a text that is too long for a fixed width.
pub(super) fn describe_too_long(length: usize, dtype: &str) -> String {
    let unit = if dtype.contains('U') { "character" } else { "byte" };
    let width = counted(dtype.trim_start_matches(|c: char| !c.is_ascii_digit()), unit);
    format!("text too long for {dtype}: expected at most {width}, found {length}")
}

/// The hint for a value that does not fit a field.
pub(super) fn describe_way_out(path: &str, problem: &ValueProblem) -> String {
    let is_field = !path.is_empty() && !path.starts_with('[');
    match problem {
        ValueProblem::TooLong { dtype, .. } if is_field && !dtype.ends_with("U0") => {
            let dtype = dtype.trim_start_matches(['<', '>', '|']);
            format!("; `#[npy(truncate)]` on a field with `dtype = \"{dtype}\"` truncates it")
        }
        // What an `i64` does not hold in these, it holds in microseconds, for 292,000 years.
        ValueProblem::OutOfRange { dtype, .. } if is_fine_time(dtype) => {
            let kind = if dtype.contains("M8") { 'M' } else { 'm' };
            let field = if is_field { "" } else { " of a struct" };
            format!("; a field{field} with `#[npy(dtype = \"{kind}8[us]\")]` holds it")
        }
        // A Rust type for times.
        ValueProblem::OutOfRange { dtype, .. } if dtype.starts_with(|first: char| first.is_ascii_uppercase()) => {
            "; `Datetime64` and `Timedelta64` hold every time of their unit".to_owned()
        }
        _ => String::new(),
    }
}

/// Whether a dtype has times in nanoseconds or shorter units.
fn is_fine_time(dtype: &str) -> bool {
    let is_time = ["M8[", "m8["].iter().any(|code| dtype.contains(code));
    is_time && ["ns]", "ps]", "fs]", "as]"].iter().any(|unit| dtype.ends_with(unit))
}

/// A [`ValueProblem`] with its path through fields and sub-arrays up to the element.
#[derive(Debug)]
pub struct ValueError(Box<(Vec<Step>, ValueProblem)>);

#[derive(Debug)]
enum Step {
    Field(&'static str),
    Path(String),
    Index(usize),
}

impl ValueError {
    #[cold]
    pub(crate) fn new(problem: ValueProblem) -> Self {
        Self(Box::new((Vec::new(), problem)))
    }

    #[cold]
    pub(crate) fn in_field(mut self, name: &'static str) -> Self {
        self.0.0.push(Step::Field(name));
        self
    }

    /// In a field whose path is known at run time only.
    #[cold]
    pub(crate) fn in_path(mut self, path: String) -> Self {
        self.0.0.push(Step::Path(path));
        self
    }

    #[cold]
    pub(crate) fn at_index(mut self, index: usize) -> Self {
        self.0.0.push(Step::Index(index));
        self
    }

    #[cold]
    pub(crate) fn in_element(self, index: u64) -> Error {
        let (path, problem) = self.into_parts();
        ErrorKind::InvalidValue { index, path, problem }.into()
    }

    /// The error of an object outside of an array.
    #[cfg(feature = "serde")]
    #[cold]
    pub(crate) fn in_object(self) -> Error {
        let (path, problem) = self.into_parts();
        ErrorKind::InvalidObject { path, problem }.into()
    }

    fn into_parts(self) -> (String, ValueProblem) {
        use fmt::Write as _;
        let (steps, problem) = *self.0;
        let mut path = String::new();
        for step in steps.iter().rev() {
            // Writing to a `String` cannot fail.
            let _ = match step {
                Step::Field(name) if path.is_empty() => write!(path, "{name}"),
                Step::Field(name) => write!(path, ".{name}"),
                Step::Path(name) if path.is_empty() => write!(path, "{name}"),
                Step::Path(name) => write!(path, ".{name}"),
                Step::Index(index) => write!(path, "[{index}]"),
            };
        }
        (path, problem)
    }
}

impl From<ValueProblem> for ValueError {
    fn from(problem: ValueProblem) -> Self {
        Self::new(problem)
    }
}
