//! Values that cannot be read or written, and where they are.

use std::borrow::Cow;
use std::fmt;

use super::describe::counted;
use super::error::Error;
use super::kind::ErrorKind;

/// The error of one value, with its path through fields and sub-arrays up to the element.
#[derive(Debug)]
pub struct ValueError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    steps: Vec<Step>,
    message: Cow<'static, str>,
    /// The hint for a value of a field, and for a whole element.
    hints: [String; 2],
}

#[derive(Debug)]
enum Step {
    Field(&'static str),
    Path(String),
    Index(usize),
}

impl ValueError {
    /// Creates the error of a message.
    #[cold]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner { steps: Vec::new(), message: message.into(), hints: Default::default() }))
    }

    /// A number or a time would have to be rounded.
    #[cold]
    pub fn inexact(value: impl fmt::Display, dtype: impl fmt::Display) -> Self {
        Self::new(format!("cannot represent {value} exactly as {dtype}"))
    }

    /// A number or a time is out of range for a dtype or a Rust type.
    #[cold]
    pub fn out_of_range(value: impl fmt::Display, dtype: impl fmt::Display) -> Self {
        Self::new(format!("{value} is out of range for {dtype}"))
    }

    /// A text has more than `width` bytes or characters, whichever `unit` is.
    #[cold]
    pub fn too_long(found: usize, width: usize, unit: &str, dtype: impl fmt::Display) -> Self {
        let width = counted(width, unit);
        Self::new(format!("text too long for {dtype}: expected at most {width}, found {found}"))
    }

    /// There are more or fewer raw bytes than the dtype's itemsize.
    #[cold]
    pub fn wrong_length(found: usize, itemsize: usize, dtype: impl fmt::Display) -> Self {
        let itemsize = counted(itemsize, "byte");
        Self::new(format!("wrong length for {dtype}: expected {itemsize}, found {found}"))
    }

    /// Adds a hint for a value of a field, and one for a whole element.
    #[cold]
    pub(crate) fn with_hints(mut self, in_field: String, elsewhere: String) -> Self {
        self.0.hints = [in_field, elsewhere];
        self
    }

    /// The bytes end in NUL, which an `S` text drops as padding.
    #[cold]
    pub fn trailing_nul() -> Self {
        Self::new("trailing NUL bytes are lost in an `S` text; store them as raw bytes (`V`)")
    }

    /// A unit of a `U` text is not a character: a surrogate, or above U+10FFFF.
    #[cold]
    pub fn not_a_character(unit: u32, position: usize) -> Self {
        Self::new(format!("invalid character {unit:#x} at position {position} of the text"))
    }

    /// The time is NaT, which the Rust type does not have.
    #[cfg(any(feature = "jiff", feature = "chrono", feature = "serde"))]
    #[cold]
    pub(crate) fn not_a_time() -> Self {
        Self::new("expected a time, found NaT; read it as an `Option`")
    }

    /// An object of a record is not a tuple with an item for each field.
    #[cfg(feature = "object")]
    #[cold]
    pub(crate) fn not_a_record() -> Self {
        Self::new("expected a tuple with an item for each field")
    }

    #[cold]
    pub(crate) fn in_field(mut self, name: &'static str) -> Self {
        self.0.steps.push(Step::Field(name));
        self
    }

    /// In a field whose path is known at run time only.
    #[cold]
    pub(crate) fn in_path(mut self, path: String) -> Self {
        self.0.steps.push(Step::Path(path));
        self
    }

    #[cold]
    pub(crate) fn at_index(mut self, index: usize) -> Self {
        self.0.steps.push(Step::Index(index));
        self
    }

    #[cold]
    pub(crate) fn in_element(self, index: u64) -> Error {
        let path = self.path();
        let Inner { message, hints: [in_field, elsewhere], .. } = *self.0;
        let hint = if path.is_empty() || path.starts_with('[') { elsewhere } else { in_field };
        Error::new(ErrorKind::InvalidValue, message.into_owned() + &hint).at_element(index, path)
    }

    /// The error of an object outside of an array.
    #[cfg(feature = "serde")]
    #[cold]
    pub(crate) fn in_object(self) -> Error {
        let path = self.path();
        Error::new(ErrorKind::InvalidValue, self.0.message).at_field(path)
    }

    fn path(&self) -> String {
        use fmt::Write as _;
        let mut path = String::new();
        for step in self.0.steps.iter().rev() {
            // Writing to a `String` cannot fail.
            let _ = match step {
                Step::Field(name) if path.is_empty() => write!(path, "{name}"),
                Step::Field(name) => write!(path, ".{name}"),
                Step::Path(name) if path.is_empty() => write!(path, "{name}"),
                Step::Path(name) => write!(path, ".{name}"),
                Step::Index(index) => write!(path, "[{index}]"),
            };
        }
        path
    }
}

/// The message alone.
impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

#[cfg(test)]
mod tests {
    use super::ValueError;

    #[test]
    fn messages() {
        let errors = [
            (ValueError::inexact(0.5, "i64"), "cannot represent 0.5 exactly as i64"),
            (ValueError::out_of_range(300, "u8"), "300 is out of range for u8"),
            (ValueError::too_long(4, 3, "byte", "|S3"), "text too long for |S3: expected at most 3 bytes, found 4"),
            (ValueError::too_long(4, 1, "character", "<U1"), "text too long for <U1: expected at most 1 character, found 4"),
            (ValueError::wrong_length(1, 2, "|V2"), "wrong length for |V2: expected 2 bytes, found 1"),
            (ValueError::trailing_nul(), "trailing NUL bytes are lost in an `S` text; store them as raw bytes (`V`)"),
            (ValueError::not_a_character(0xd800, 1), "invalid character 0xd800 at position 1 of the text"),
            #[cfg(any(feature = "jiff", feature = "chrono", feature = "serde"))]
            (ValueError::not_a_time(), "expected a time, found NaT; read it as an `Option`"),
        ];
        for (error, message) in errors {
            assert_eq!(error.to_string(), message);
        }
    }

    /// A hint about attributes helps only for a field.
    #[test]
    fn hints_depend_on_the_place() {
        let error = || ValueError::new("too large").with_hints("; in field".to_owned(), "; elsewhere".to_owned());
        assert_eq!(error().in_element(1).to_string(), "element 1: too large; elsewhere");
        assert_eq!(error().at_index(2).in_element(1).to_string(), "element 1, [2]: too large; elsewhere");
        let named = error().at_index(2).in_field("name").in_path("origin".to_owned());
        assert_eq!(named.in_element(1).to_string(), "element 1, origin.name[2]: too large; in field");
        #[cfg(feature = "serde")]
        assert_eq!(error().in_field("name").in_object().to_string(), "name: too large");
    }
}
