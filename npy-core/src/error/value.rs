//! Values that cannot be read or written, and where they are.

use std::fmt;

use super::{Error, ErrorKind};

/// Why an element's bytes are no value of the Rust type, or its value does not fit the dtype.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueProblem {
    /// A unit of a `U` text is no character: a surrogate, or above U+10FFFF.
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
    /// A byte of a bool array is neither 0 nor 1, which a view in place cannot show.
    NotABool {
        /// The byte.
        byte: u8,
    },
    /// A number, or a time, that the other side's type does not have: it would have to be rounded.
    Inexact {
        /// The value.
        value: String,
        /// The dtype or the Rust type that does not have it.
        dtype: String,
    },
    /// A time that the other side's type is too small for.
    OutOfRange {
        /// The time.
        value: String,
        /// The dtype or the Rust type.
        dtype: String,
    },
    /// A Python object is of another type than the Rust type takes.
    ObjectType {
        /// The type of the object.
        found: String,
        /// The Rust type.
        rust_type: String,
    },
    /// A Python object of a class that is not known, which cannot be written.
    OpaqueObject {
        /// The Python module.
        module: String,
        /// The class or function in it.
        name: String,
    },
    /// There is no value, `None`, and the dtype has no bytes that say so.
    NoValue,
    /// The time is NaT, "not a time", which the Rust type does not have.
    NotATime,
    /// The number stands for no variant of the enum.
    UnknownVariant {
        /// The number.
        value: i128,
        /// The enum.
        rust_type: String,
    },
    /// The conversion of a field with `#[npy(with = …)]` failed.
    Refused {
        /// The Rust type of the field.
        rust_type: String,
        /// What the conversion says.
        problem: String,
    },
    /// The value cannot stand in a file under this dtype.
    Unrepresentable {
        /// What and why.
        problem: String,
    },
}

impl fmt::Display for ValueProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACharacter { unit, position } => {
                write!(f, "unit {position} of the text is {unit:#x}, which is no character")
            }
            Self::NotUtf8 { position } => {
                write!(f, "the bytes are not UTF-8 from byte {position} on; read them as `FixedBytes`")
            }
            Self::TooLong { length, dtype } => {
                f.write_str(&describe_too_long(*length, dtype))?;
                if dtype.ends_with("U0") {
                    f.write_str("; say how wide it is, in the header or by `#[npy(dtype = \"U16\")]` on the field")?;
                }
                Ok(())
            }
            Self::WrongLength { length, dtype } => write!(f, "{length} raw bytes do not fit {dtype}"),
            Self::NotABool { byte } => write!(f, "the byte {byte:#04x} is no bool; read a copy, where every byte but 0 is true"),
            Self::Inexact { value, dtype } => write!(f, "{value} is no value of {dtype}, and is not rounded"),
            Self::OutOfRange { value, dtype } => write!(f, "{value} is outside of the range of {dtype}"),
            Self::ObjectType { found, rust_type } => {
                write!(f, "the object is {found}, which is no {rust_type}")?;
                // What to read it as instead.
                f.write_str(if found == "None" { "; read it as an `Option`" } else { "; `PyObject` takes any" })
            }
            Self::OpaqueObject { module, name } => write!(f, "an opaque object of {module}.{name} cannot be written"),
            Self::NoValue => f.write_str("there is no value (`None`), and the dtype has no bytes that say so"),
            Self::NotATime => f.write_str("the time is NaT; read it as an `Option`, where it is `None`"),
            Self::UnknownVariant { value, rust_type } => write!(f, "{value} is no variant of {rust_type}"),
            Self::Refused { rust_type, problem } => write!(f, "no {rust_type}: {problem}"),
            Self::Unrepresentable { problem } => f.write_str(problem),
        }
    }
}

/// How a text is too long for a fixed width.
pub(super) fn describe_too_long(length: usize, dtype: &str) -> String {
    let (unit, width) =
        (if dtype.contains('U') { "characters" } else { "bytes" }, dtype.trim_start_matches(|c: char| !c.is_ascii_digit()));
    format!("text too long for {dtype}: expected at most {width} {unit}, found {length}")
}

/// What to do about a value that does not fit a field.
pub(super) fn describe_way_out(path: &str, problem: &ValueProblem) -> String {
    let is_field = !path.is_empty() && !path.starts_with('[');
    match problem {
        ValueProblem::TooLong { dtype, .. } if is_field && !dtype.ends_with("U0") => {
            let dtype = dtype.trim_start_matches(['<', '>', '|']);
            format!("; `#[npy(truncate)]` on a field with `dtype = \"{dtype}\"` cuts it")
        }
        _ => String::new(),
    }
}

/// A [`ValueProblem`] on its way up through fields and sub-arrays to the element it is in.
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

    /// In a field whose name, and those of the records it is in, are not known before the program runs.
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

    /// The error of an object that is no element of an array.
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
