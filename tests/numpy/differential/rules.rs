//! The differences that are on purpose. tests/DIFFERENCES.md gives the reasons under the same names.

use npy_core::dtype::{ByteOrder, Field, ScalarKind, Title};
use npy_core::{DType, DynValues, Error, ErrorKind, Header};
use npy_ndarray::DynArray;

use super::generate::Case;

/// A difference that is on purpose.
pub struct Rule<T> {
    pub name: &'static str,
    pub holds: fn(&T) -> bool,
}

/// The name of the first rule that holds.
pub fn find<T>(rules: &[Rule<T>], found: &T) -> Option<&'static str> {
    rules.iter().find(|rule| (rule.holds)(found)).map(|rule| rule.name)
}

/// The names of all rules.
pub fn names() -> Vec<&'static str> {
    fn of<T>(rules: &[Rule<T>]) -> Vec<&'static str> {
        rules.iter().map(|rule| rule.name).collect()
    }
    [of(&verdicts()), of(&saved_files()), of(&printed()), of(&casts())].concat()
}

/// What both say of a file that only one of them reads.
pub struct Verdict<'a> {
    pub file: &'a [u8],
    pub ours: Result<&'a DynArray, &'a Error>,
    /// Why NumPy refuses it; empty if it does not.
    pub theirs: &'a str,
    /// What NumPy saves of it.
    pub again: &'a [u8],
}

pub fn verdicts<'a>() -> Vec<Rule<Verdict<'a>>> {
    vec![
        Rule {
            name: "duplicate key",
            holds: |verdict| {
                // Neither missing nor unknown keys.
                let message = verdict.refused().map(Error::to_string).unwrap_or_default();
                message.contains("'shape'; duplicate ") && !message.contains("; unknown ")
            },
        },
        Rule {
            name: "bytes named by a",
            holds: |verdict| verdict.read("is not a valid dtype descriptor").is_some() && verdict.theirs.contains("'a"),
        },
        Rule {
            name: "line continued by a backslash",
            holds: |verdict| {
                let joined = verdict.rewritten(|header| header.replace("\\\n", ""));
                verdict.refused().is_some() && joined != verdict.file && is_alike(&joined, verdict.again)
            },
        },
        Rule {
            name: "objects without a name",
            holds: |verdict| {
                verdict.refused().is_some_and(|error| error.to_string().contains("expected a name for a sub-array of objects"))
            },
        },
        Rule {
            name: "numbers of types",
            holds: |verdict| {
                // NumPy takes a code of one character below 32 for the number of a type.
                let is_code = |error: &&Error| {
                    let message = error.to_string();
                    let escapes = ["\\0", "\\1", "\\2", "\\3", "\\x0", "\\x1", "\\t", "\\u{"];
                    error.kind() == ErrorKind::InvalidDType && escapes.iter().any(|escape| message.contains(escape))
                };
                verdict.refused().filter(is_code).is_some()
            },
        },
        Rule {
            name: "limit of elements without bytes",
            holds: |verdict| {
                let error = verdict.refused().filter(|error| error.kind() == ErrorKind::LimitExceeded);
                error.is_some_and(|error| error.to_string().contains(" elements without bytes, found "))
            },
        },
        Rule {
            name: "huge shapes of no elements",
            holds: |verdict| match verdict.refused() {
                Some(error) if error.kind() == ErrorKind::TooLarge => {
                    let message = error.to_string();
                    message.contains("(0, ") || message.contains(", 0, ") || message.contains(", 0) ") || message.contains("(0,) ")
                }
                _ => verdict.read("array is too big").is_some_and(|header| header.element_count() == 0),
            },
        },
        Rule {
            name: "array of sub-arrays",
            holds: |verdict| {
                let header = verdict.read("Failed to read all data");
                header.is_some_and(|header| matches!(header.dtype(), DType::SubArray(_)) && header.element_count() > 0)
            },
        },
        Rule {
            name: "metadata of a dtype",
            holds: |verdict| {
                let problems = ["in fixed-type tuple", "metadata", "old and new data-descriptor"];
                let has_metadata = header_text(verdict.file).is_some_and(|header| header.matches('{').count() > 1);
                has_metadata && problems.iter().any(|problem| verdict.read(problem).is_some())
            },
        },
        Rule {
            name: "dtypes of ml_dtypes",
            holds: |verdict| {
                let header = verdict.read("descr is not a valid dtype descriptor");
                header.is_some_and(|header| {
                    any(header.dtype(), &|dtype| {
                        is_kind(dtype, |kind| matches!(kind, ScalarKind::Float8E5M2 | ScalarKind::Complex32))
                    })
                })
            },
        },
        Rule {
            name: "blanks behind the last end of a line",
            holds: |verdict| {
                let ends_in_blanks = || {
                    header_text(verdict.file).is_some_and(|header| {
                        let text = header.trim_end_matches([' ', '\t']);
                        text.len() < header.len() && text.ends_with(['\n', '\r'])
                    })
                };
                verdict.read("Cannot parse header").is_some() && ends_in_blanks()
            },
        },
        Rule {
            name: "sub-array of items without bytes",
            holds: |verdict| {
                let problems = ["EOF: reading array data", "invalid itemsize in generic type tuple"];
                problems.iter().any(|problem| verdict.read(problem).is_some_and(|header| may_hold_nothing(verdict.file, &header)))
            },
        },
    ]
}

/// Whether elements or fields have no bytes. A field without a name is padding here, so that its
/// dtype is only in the text.
fn may_hold_nothing(file: &[u8], header: &Header) -> bool {
    let has_nothing = |dtype: &str| {
        let dtype: String = dtype.chars().take(40).collect();
        ["V0'", "S0'", "U0'", "a0'", "(0", ", 0"].iter().any(|nothing| dtype.contains(nothing))
    };
    let is_padding = |header: &str| header.split("('', ").skip(1).any(has_nothing);
    any(header.dtype(), &has_no_bytes) || header_text(file).is_some_and(|header| is_padding(&header))
}

impl Verdict<'_> {
    /// Why it is refused here, if NumPy reads it.
    fn refused(&self) -> Option<&Error> {
        self.ours.err().filter(|_| self.theirs.is_empty())
    }

    /// The header, if it is read here and NumPy says that.
    fn read(&self, problem: &str) -> Option<Header> {
        (self.ours.is_ok() && self.theirs.contains(problem)).then(|| Header::parse(self.file).unwrap().0)
    }

    /// The file with another header, whose length is true.
    fn rewritten(&self, change: impl Fn(&str) -> String) -> Vec<u8> {
        let (Some((_, end)), Some(header)) = (header_range(self.file), header_text(self.file)) else { return self.file.to_vec() };
        let header = change(&header);
        let bytes: Vec<u8> = if self.file[6] == 3 { header.into_bytes() } else { header.chars().map(|char| char as u8).collect() };
        crate::support::file_with_header(self.file[6], &bytes, &self.file[end..])
    }
}

/// Whether what is saved here of a file is what NumPy saves, but for other rules.
fn is_alike(file: &[u8], theirs: &[u8]) -> bool {
    let array = match DynArray::read_npy(file) {
        Ok(array) => array,
        Err(error) => {
            return find(&verdicts(), &Verdict { file, ours: Err(&error), theirs: "", again: theirs }).is_some();
        }
    };
    let mut ours = Vec::new();
    array.write_npy(&mut ours).unwrap();
    let (header, _) = Header::parse(file).unwrap();
    // Of large arrays NumPy saves nothing.
    theirs.is_empty() || ours == theirs || find(&saved_files(), &Saved { file, header: &header, ours: &ours, theirs }).is_some()
}

/// Where the text of the header begins and ends.
fn header_range(file: &[u8]) -> Option<(usize, usize)> {
    let (begin, length) = match file.get(6)? {
        1 => (10, usize::from(u16::from_le_bytes(file.get(8..10)?.try_into().ok()?))),
        _ => (12, u32::from_le_bytes(file.get(8..12)?.try_into().ok()?) as usize),
    };
    (begin + length <= file.len()).then_some((begin, begin + length))
}

fn header_text(file: &[u8]) -> Option<String> {
    let (begin, end) = header_range(file)?;
    let header = &file[begin..end];
    if file[6] == 3 { String::from_utf8(header.to_vec()).ok() } else { Some(header.iter().map(|&byte| char::from(byte)).collect()) }
}

/// What both save of a file that both read.
pub struct Saved<'a> {
    /// The file that both read.
    pub file: &'a [u8],
    pub header: &'a Header,
    pub ours: &'a [u8],
    pub theirs: &'a [u8],
}

pub fn saved_files<'a>() -> Vec<Rule<Saved<'a>>> {
    vec![
        Rule {
            name: EMPTY_SUB_ARRAYS,
            holds: |saved| {
                let (theirs, _) = Header::parse(saved.theirs).unwrap();
                is_empty_array_of_sub_arrays(saved.header)
                    && theirs.dtype() == innermost(saved.header.dtype())
                    && theirs.shape() == saved.header.shape()
            },
        },
        Rule {
            name: "voids of ml_dtypes keep their byte order",
            holds: |saved| {
                let ((ours, data), (theirs, their_data)) =
                    (Header::parse(saved.ours).unwrap(), Header::parse(saved.theirs).unwrap());
                let descr = ours.dtype().descr();
                let is_void = descr.contains("'<V") || descr.contains("'>V");
                is_void
                    && descr.replace("'<V", "'|V").replace("'>V", "'|V") == theirs.dtype().descr()
                    && (ours.shape(), ours.order()) == (theirs.shape(), theirs.order())
                    && without_padding(saved.ours)[data..] == without_padding(saved.theirs)[their_data..]
            },
        },
        Rule {
            name: "lone surrogates and titles that are not text keep the spelling of the header",
            holds: |saved| {
                let ((ours, data), (theirs, their_data)) =
                    (Header::parse(saved.ours).unwrap(), Header::parse(saved.theirs).unwrap());
                let is_odd = |field: &Field| field.name().contains("\\ud") || matches!(field.title(), Some(Title::Literal(_)));
                let has_odd = |dtype: &DType| matches!(dtype, DType::Record(record) if record.fields().iter().any(is_odd));
                any(saved.header.dtype(), &has_odd)
                    && (ours.dtype().itemsize(), ours.shape()) == (theirs.dtype().itemsize(), theirs.shape())
                    && saved.ours[data..] == saved.theirs[their_data..]
            },
        },
        Rule { name: "padding is kept as it was", holds: |saved| without_padding(saved.ours) == without_padding(saved.theirs) },
        Rule {
            name: "sub-array of items without bytes",
            holds: |saved| {
                let (theirs, _) = Header::parse(saved.theirs).unwrap();
                may_hold_nothing(saved.file, saved.header) && theirs.dtype() != saved.header.dtype()
            },
        },
    ]
}

/// What both print of an array.
pub struct Printed<'a> {
    pub file: &'a [u8],
    pub header: &'a Header,
    pub ours: &'a str,
    /// No UTF-8 where Python encodes what is no character.
    pub theirs: &'a [u8],
}

pub fn printed<'a>() -> Vec<Rule<Printed<'a>>> {
    vec![
        Rule {
            name: ODD_LONG_DOUBLES,
            holds: |printed| {
                let without = without_odd_long_doubles(printed.header, printed.file);
                without.is_some_and(|(file, _)| DynValues::read(&file[..]).unwrap().to_string().as_bytes() == printed.theirs)
            },
        },
        Rule {
            name: ODD_LONG_DOUBLES,
            // Alone they are printed by comparing them, which fails for what x86 takes for NaN.
            holds: |printed| {
                let odd = without_odd_long_doubles(printed.header, printed.file).map_or(0, |(_, count)| count);
                let theirs = String::from_utf8_lossy(printed.theirs);
                let (ours, theirs) = (words(printed.ours), words(&theirs));
                let different = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs).count();
                printed.header.shape().is_empty() && ours.len() == theirs.len() && different <= odd
            },
        },
        Rule {
            name: "code points that are no characters, in arrays without axes",
            holds: |printed| {
                let is_text = is_kind(printed.header.dtype(), |kind| matches!(kind, ScalarKind::Unicode { .. }));
                is_text && printed.header.shape().is_empty() && printed.theirs == text_of_python(printed.header, printed.file)
            },
        },
        Rule {
            name: "characters that are newer than this Python",
            holds: |printed| {
                // They are escaped, which also breaks lines elsewhere.
                let theirs = String::from_utf8_lossy(printed.theirs);
                let escaped = |character: char| {
                    let code = u32::from(character);
                    if code > 0xffff { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") }
                };
                let is_new = |character: &char| !character.is_ascii() && theirs.contains(&escaped(*character));
                let new: Vec<char> = printed.ours.chars().filter(is_new).collect();
                let ours =
                    new.iter().fold(printed.ours.to_owned(), |ours, &character| ours.replace(character, &escaped(character)));
                !new.is_empty() && words(&ours) == words(&theirs)
            },
        },
        Rule {
            name: "columns of times in the other byte order",
            holds: |printed| {
                let is_time = |dtype: &DType| [">m8", ">M8"].iter().any(|time| dtype.to_string().starts_with(time));
                any(printed.header.dtype(), &is_time) && words(printed.ours) == words(&String::from_utf8_lossy(printed.theirs))
            },
        },
    ]
}

/// An element of dtype `U` in the UTF-8 of Python, which does not look whether a code point is one.
fn text_of_python(header: &Header, file: &[u8]) -> Vec<u8> {
    let (_, data_offset) = Header::parse(file).unwrap();
    let (units, _) = file[data_offset..][..header.dtype().itemsize()].as_chunks::<4>();
    let is_big = matches!(header.dtype(), DType::Scalar(scalar) if scalar.byte_order() == Some(ByteOrder::Big));
    let codes = units.iter().map(|unit| if is_big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) });
    let mut codes: Vec<u32> = codes.collect();
    codes.truncate(codes.iter().rposition(|code| *code != 0).map_or(0, |last| last + 1));
    let bytes = codes.iter().flat_map(|&code| match char::from_u32(code) {
        Some(character) => character.to_string().into_bytes(),
        None => [code >> 18 | 0xf0, code >> 12 & 0x3f | 0x80, code >> 6 & 0x3f | 0x80, code & 0x3f | 0x80]
            .map(|byte| byte as u8)
            .to_vec(),
    });
    bytes.collect()
}

fn words(text: &str) -> Vec<&str> {
    let is_between = |character: char| character.is_whitespace() || "[](),".contains(character);
    text.split(is_between).filter(|word| !word.is_empty()).collect()
}

/// What both save of an array of another dtype.
pub struct Cast<'a> {
    pub case: &'a Case,
    pub header: &'a Header,
    pub ours: &'a [u8],
    pub theirs: &'a [u8],
}

pub fn casts<'a>() -> Vec<Rule<Cast<'a>>> {
    vec![
        Rule {
            name: EMPTY_SUB_ARRAYS,
            holds: |cast| {
                let ((ours, _), (theirs, _)) = (Header::parse(cast.ours).unwrap(), Header::parse(cast.theirs).unwrap());
                is_empty_array_of_sub_arrays(cast.header) && ours.dtype() == theirs.dtype() && theirs.shape() == cast.header.shape()
            },
        },
        Rule {
            name: "bools other than 0 and 1 become 1",
            holds: |cast| {
                let is_bool = cast.header.dtype().to_string() == "|b1" && cast.case.target.0 == "?";
                let mut pairs = cast.ours.iter().zip(cast.theirs);
                is_bool && cast.is_as_long() && pairs.all(|(ours, theirs)| ours == theirs || *ours == 1 && *theirs > 1)
            },
        },
        Rule { name: NAN_PAYLOADS, holds: |cast| !cast.is_same() && cast.is_equal_but_for_nan(cast.ours) },
        Rule {
            name: ODD_LONG_DOUBLES,
            holds: |cast| {
                let without = without_odd_long_doubles(cast.header, &cast.case.file);
                let ours = without.map(|(file, _)| (cast.case.target.1)(&DynArray::read_npy(&file[..]).unwrap()).unwrap());
                ours.is_some_and(|ours| cast.is_equal_but_for_nan(&ours))
            },
        },
    ]
}

const EMPTY_SUB_ARRAYS: &str = "sub-arrays of an empty array keep their shape";
const NAN_PAYLOADS: &str = "NaNs that are cast to another type have other payloads";
const ODD_LONG_DOUBLES: &str = "long doubles that no processor writes";

impl Cast<'_> {
    fn is_as_long(&self) -> bool {
        self.ours.len() == self.theirs.len()
    }

    /// Whether only the byte order is another.
    fn is_same(&self) -> bool {
        self.header.dtype().to_string().trim_start_matches(['<', '>', '|']) == self.case.target.0
    }

    /// Whether each element is that of NumPy, or both are NaN.
    fn is_equal_but_for_nan(&self, ours: &[u8]) -> bool {
        let width = match self.case.target.0 {
            "f2" => 2,
            "f4" | "c8" => 4,
            "f8" | "c16" => 8,
            _ => return ours == self.theirs,
        };
        let is_nan = |part: &[u8]| match width {
            2 => u16::from_le_bytes(part.try_into().unwrap()) & 0x7fff > 0x7c00,
            4 => f32::from_le_bytes(part.try_into().unwrap()).is_nan(),
            _ => f64::from_le_bytes(part.try_into().unwrap()).is_nan(),
        };
        let ((_, begin), (_, their_begin)) = (Header::parse(ours).unwrap(), Header::parse(self.theirs).unwrap());
        let (values, theirs) = (&ours[begin..], &self.theirs[their_begin..]);
        let mut parts = values.chunks_exact(width).zip(theirs.chunks_exact(width));
        ours[..begin] == self.theirs[..their_begin]
            && values.len() == theirs.len()
            && parts.all(|(ours, theirs)| ours == theirs || is_nan(ours) && is_nan(theirs))
    }
}

/// The file with NaN in place of each long double that lacks the leading bit that its exponent asks
/// for, as x86 takes it, and without that bit where the exponent is 0, as NumPy prints it; and how many
/// there are, if any.
fn without_odd_long_doubles(header: &Header, file: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut starts = Vec::new();
    leaves(header.dtype(), 0, &mut |dtype, offset| match dtype.kind() {
        ScalarKind::LongDouble { itemsize: 16 } => starts.push((offset, dtype.byte_order())),
        ScalarKind::ComplexLongDouble { itemsize: 32 } => starts.extend([0, 16].map(|part| (offset + part, dtype.byte_order()))),
        _ => {}
    });
    let (_, data_offset) = Header::parse(file).unwrap();
    let (mut file, mut count) = (file.to_vec(), 0);
    for element in file[data_offset..].chunks_exact_mut(header.dtype().itemsize().max(1)) {
        for &(start, order) in &starts {
            let number = &mut element[start..][..16];
            // Its bytes, the least significant first.
            let at = |i: usize| if order == Some(ByteOrder::Big) { 15 - i } else { i };
            let exponent = u16::from_le_bytes([number[at(8)], number[at(9)]]) & 0x7fff;
            match (exponent, number[at(7)] & 0x80 != 0) {
                (1.., false) => {
                    number[at(7)] |= 0xc0;
                    number[at(8)] = 0xff;
                    number[at(9)] |= 0x7f;
                }
                (0, true) => number[at(7)] &= 0x7f,
                _ => continue,
            }
            count += 1;
        }
    }
    (count > 0).then_some((file, count))
}

/// Zeros the bytes of an array that are in no field: NumPy does not copy them on every way.
pub fn without_padding(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let Ok((header, data_offset)) = Header::parse(&file) else { return file };
    let is_value = values(header.dtype());
    if !is_value.is_empty() {
        for element in file[data_offset..].chunks_mut(is_value.len()) {
            element.iter_mut().zip(&is_value).filter(|(_, is_value)| !**is_value).for_each(|(byte, _)| *byte = 0);
        }
    }
    file
}

/// Which bytes of an element are in a field.
pub fn values(dtype: &DType) -> Vec<bool> {
    let mut is_value = vec![false; dtype.itemsize()];
    leaves(dtype, 0, &mut |scalar, offset| is_value[offset..][..scalar.itemsize()].fill(true));
    is_value
}

/// Calls `visit` with each scalar of an element and where it is.
fn leaves(dtype: &DType, offset: usize, visit: &mut impl FnMut(npy_core::dtype::Scalar, usize)) {
    match dtype {
        DType::Scalar(scalar) => visit(*scalar, offset),
        DType::SubArray(array) => {
            let count: usize = array.shape().iter().product();
            (0..count).for_each(|i| leaves(array.base(), offset + i * array.base().itemsize(), visit));
        }
        DType::Record(record) => {
            record.fields().iter().for_each(|field| leaves(field.dtype(), offset + field.offset(), visit));
        }
    }
}

/// Whether something holds of a dtype or of one in it.
fn any(dtype: &DType, holds: &impl Fn(&DType) -> bool) -> bool {
    holds(dtype)
        || match dtype {
            DType::Scalar(_) => false,
            DType::SubArray(array) => any(array.base(), holds),
            DType::Record(record) => record.fields().iter().any(|field| any(field.dtype(), holds)),
        }
}

fn is_kind(dtype: &DType, holds: impl Fn(ScalarKind) -> bool) -> bool {
    matches!(dtype, DType::Scalar(scalar) if holds(scalar.kind()))
}

/// Of items without bytes NumPy takes the lengths behind them for their size.
fn has_no_bytes(dtype: &DType) -> bool {
    dtype.itemsize() == 0
}

fn is_empty_array_of_sub_arrays(header: &Header) -> bool {
    matches!(header.dtype(), DType::SubArray(_)) && header.element_count() == 0
}

/// What a sub-array is of, and one in it.
fn innermost(dtype: &DType) -> &DType {
    match dtype {
        DType::SubArray(array) => innermost(array.base()),
        dtype => dtype,
    }
}
