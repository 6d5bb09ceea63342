//! Text: bytes padded with NUL (`S`), and UCS-4 padded with NUL (`U`).

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::bytes::{first_chunk, outside};
use super::codec::{As, Codec, element, ordered_dtype, stored_as};
use super::plan::{Layout, Plan, Planner};
use crate::error::{Error, ErrorKind, Result, ValueError};
use crate::format::dtype::{ByteOrder, DType, Scalar, ScalarKind};
use crate::memory::slots::Sends;
use crate::memory::{Bulk, MakeItem, try_array};

/// Text of at most `N` bytes, inline: `|S8` is `FixedBytes<8>`. Occupies exactly `N` bytes.
///
/// As in NumPy, NULs at the end are padding and not part of the text. Shorter dtypes are read as
/// well: `FixedBytes<8>` reads `|S5`.
///
/// ```
/// use npy_core::types::FixedBytes;
///
/// let phase: FixedBytes<4> = "Pg".parse()?;
/// assert_eq!(phase, "Pg");
/// assert_eq!((phase.as_bytes(), phase.to_padded()), (&b"Pg"[..], *b"Pg\0\0"));
/// assert!(FixedBytes::<1>::new(b"Pg").is_err());
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct FixedBytes<const N: usize>([u8; N]);

impl<const N: usize> FixedBytes<N> {
    /// Creates a text from bytes. Fails if there are more than `N`.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let mut padded = [0; N];
        let Some(target) = padded.get_mut(..bytes.len()) else {
            return Err(text_too_long(bytes.len(), &Self::dtype()));
        };
        target.copy_from_slice(bytes);
        Ok(Self(padded))
    }

    /// Returns the bytes without the padding.
    pub fn as_bytes(&self) -> &[u8] {
        without_padding(&self.0)
    }

    /// Returns all `N` bytes, padding included.
    pub fn to_padded(self) -> [u8; N] {
        self.0
    }

    /// Returns the text. Fails if it is not UTF-8.
    pub fn to_str(&self) -> Result<&str, std::str::Utf8Error> {
        std::str::from_utf8(self.as_bytes())
    }
}

impl<const N: usize> Default for FixedBytes<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> FromStr for FixedBytes<N> {
    type Err = crate::error::Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text.as_bytes())
    }
}

/// The text; invalid UTF-8 is shown as �.
impl<const N: usize> fmt::Display for FixedBytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self.as_bytes()))
    }
}

impl<const N: usize> fmt::Debug for FixedBytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.as_bytes().escape_ascii())
    }
}

impl<const N: usize> PartialEq<str> for FixedBytes<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> PartialEq<&str> for FixedBytes<N> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

/// UCS-4 text of at most `N` characters, inline: `<U8` is `FixedUnicode<8>`. Occupies exactly `N`
/// units of 4 bytes.
///
/// As in NumPy, NULs at the end are padding and not part of the text. Shorter dtypes are read as
/// well: `FixedUnicode<8>` reads `<U5`. A file may hold units that are not characters; they are kept
/// as they are.
///
/// ```
/// use npy_core::types::FixedUnicode;
///
/// let station: FixedUnicode<5> = "GRÄ".parse()?;
/// assert_eq!(station, "GRÄ");
/// assert_eq!(station.as_units(), [0x47, 0x52, 0xc4]);
/// assert_eq!(station, FixedUnicode::from_units([0x47, 0x52, 0xc4, 0, 0]));
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct FixedUnicode<const N: usize>([u32; N]);

impl<const N: usize> FixedUnicode<N> {
    /// Creates a text from a string. Fails if it has more than `N` characters.
    pub fn new(text: &str) -> Result<Self> {
        let mut padded = [0; N];
        for (i, character) in text.chars().enumerate() {
            match padded.get_mut(i) {
                Some(unit) => *unit = character.into(),
                None => return Err(text_too_long(text.chars().count(), &Self::dtype())),
            }
        }
        Ok(Self(padded))
    }

    /// Creates a text from its units, padding included.
    pub const fn from_units(units: [u32; N]) -> Self {
        Self(units)
    }

    /// Returns the units without the padding. They may be invalid characters.
    pub fn as_units(&self) -> &[u32] {
        without_padding(&self.0)
    }

    /// Returns an iterator over the characters. Invalid ones become �.
    pub fn chars(&self) -> impl Iterator<Item = char> + '_ {
        self.as_units().iter().map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

impl<const N: usize> Default for FixedUnicode<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> FromStr for FixedUnicode<N> {
    type Err = crate::error::Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

/// The text; units that are not characters are shown as �.
impl<const N: usize> fmt::Display for FixedUnicode<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.chars().collect::<String>())
    }
}

impl<const N: usize> fmt::Debug for FixedUnicode<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.chars().collect::<String>(), f)
    }
}

impl<const N: usize> PartialEq<str> for FixedUnicode<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_units().iter().copied().eq(other.chars().map(u32::from))
    }
}

impl<const N: usize> PartialEq<&str> for FixedUnicode<N> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

/// Returns the items up to the last one other than 0.
fn without_padding<T: Default + PartialEq>(items: &[T]) -> &[T] {
    let padding = items.iter().rev().take_while(|item| **item == T::default()).count();
    &items[..items.len() - padding]
}

#[cold]
fn text_too_long(length: usize, dtype: &DType) -> Error {
    Error::new(ErrorKind::InvalidValue, too_long(length, dtype).to_string())
}

#[cold]
fn too_long(found: usize, dtype: &DType) -> ValueError {
    let (width, unit) = match dtype {
        DType::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Unicode { .. }) => (scalar.itemsize() / 4, "character"),
        dtype => (dtype.itemsize(), "byte"),
    };
    let text = dtype.to_string();
    let code = text.trim_start_matches(['<', '>', '|']);
    let (in_field, elsewhere) = match (width, unit) {
        (0, "character") => {
            let hint = "; set the width in the header, or with `#[npy(dtype = \"U16\")]` on the field".to_owned();
            (hint.clone(), hint)
        }
        _ => (format!("; `#[npy(truncate)]` on a field with `dtype = \"{code}\"` truncates it"), String::new()),
    };
    ValueError::too_long(found, width, unit, &text).with_hints(in_field, elsewhere)
}

fn bytes_dtype(length: usize) -> DType {
    Scalar::new(ScalarKind::Bytes { length }, ByteOrder::NATIVE).into()
}

fn unicode_dtype(length: usize) -> DType {
    Scalar::new(ScalarKind::Unicode { length }, ByteOrder::NATIVE).into()
}

/// The form of text in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(unnameable_types, reason = "the plan of a codec")]
pub enum TextPlan {
    /// `|S`, with the number of bytes.
    Bytes(usize),
    /// `<U` or `>U`, with the number of units.
    Unicode(usize, ByteOrder),
}

impl Plan for TextPlan {}

impl TextPlan {
    fn find(dtype: &DType) -> Option<Self> {
        let DType::Scalar(scalar) = dtype else { return None };
        match scalar.kind() {
            ScalarKind::Bytes { length } => Some(Self::Bytes(length)),
            ScalarKind::Unicode { length } => Some(Self::Unicode(length, scalar.byte_order().unwrap_or(ByteOrder::NATIVE))),
            _ => None,
        }
    }
}

fn unit_from(bytes: [u8; 4], order: ByteOrder) -> u32 {
    match order {
        ByteOrder::Little => u32::from_le_bytes(bytes),
        ByteOrder::Big => u32::from_be_bytes(bytes),
    }
}

fn unit_to(unit: u32, order: ByteOrder) -> [u8; 4] {
    match order {
        ByteOrder::Little => unit.to_le_bytes(),
        ByteOrder::Big => unit.to_be_bytes(),
    }
}

element!({const N: usize} FixedBytes<N>);

#[diagnostic::do_not_recommend]
impl<const N: usize> Codec<Self> for FixedBytes<N> {
    /// The number of bytes in the file, at most `N`.
    type Plan = usize;
    const LITTLE: Option<Layout<usize>> = Some(Layout { itemsize: N, plan: N });
    const BIG: Option<Layout<usize>> = Self::LITTLE;
    const ALIGNMENT: usize = 1;
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const BULK: Option<Bulk<Self>> = Some(Bulk::new());

    fn dtype() -> DType {
        bytes_dtype(N)
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<usize> {
        match TextPlan::find(dtype) {
            Some(TextPlan::Bytes(length)) if length <= N => Some(length),
            found => {
                let advice = found.map(|_| "`String` reads text of every width and kind".to_owned());
                planner.mismatch_with(dtype, &Self::dtype().to_string(), advice);
                None
            }
        }
    }

    #[inline(always)]
    fn decode(length: &usize, bytes: &[u8]) -> Result<Self, ValueError> {
        if *length == N {
            return first_chunk(bytes).map(Self);
        }
        let mut padded = [0; N];
        let (Some(target), Some(source)) = (padded.get_mut(..*length), bytes.get(..*length)) else { return Err(outside()) };
        target.copy_from_slice(source);
        Ok(Self(padded))
    }

    #[inline(always)]
    fn encode(value: &Self, length: &usize, bytes: &mut [u8]) -> Result<(), ValueError> {
        let (Some(source), Some(rest)) = (value.0.get(..*length), value.0.get(*length..)) else { return Err(outside()) };
        if rest.iter().any(|byte| *byte != 0) {
            return Err(too_long(value.as_bytes().len(), &bytes_dtype(*length)));
        }
        bytes.get_mut(..*length).ok_or_else(outside)?.copy_from_slice(source);
        Ok(())
    }
}

/// The units of a text in the file, followed by padding.
struct Units<'a> {
    length: usize,
    order: ByteOrder,
    bytes: &'a [u8],
}

impl MakeItem for Units<'_> {
    type Item = u32;
    type Error = ValueError;

    #[inline(always)]
    fn make(&self, index: usize) -> Result<u32, ValueError> {
        match self.bytes.get(index * 4..) {
            _ if index >= self.length => Ok(0),
            Some(rest) => first_chunk(rest).map(|unit| unit_from(unit, self.order)),
            None => Err(outside()),
        }
    }
}

/// The number of units in the file, at most as many as the type has, and their byte order.
type UnicodePlan = (usize, ByteOrder);

impl Plan for UnicodePlan {}

element!({const N: usize} FixedUnicode<N>);

#[diagnostic::do_not_recommend]
impl<const N: usize> Codec<Self> for FixedUnicode<N> {
    type Plan = UnicodePlan;
    const LITTLE: Option<Layout<UnicodePlan>> = Some(Layout { itemsize: N.saturating_mul(4), plan: (N, ByteOrder::Little) });
    const BIG: Option<Layout<UnicodePlan>> = Some(Layout { itemsize: N.saturating_mul(4), plan: (N, ByteOrder::Big) });
    const ALIGNMENT: usize = 4;
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const BULK: Option<Bulk<Self>> = Some(Bulk::new());

    fn dtype() -> DType {
        unicode_dtype(N)
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<UnicodePlan> {
        match TextPlan::find(dtype) {
            Some(TextPlan::Unicode(length, order)) if length <= N => Some((length, order)),
            found => {
                let advice = found.map(|_| "`String` reads text of every width and kind".to_owned());
                planner.mismatch_with(dtype, &Self::dtype().to_string(), advice);
                None
            }
        }
    }

    #[inline(always)]
    fn decode((length, order): &UnicodePlan, bytes: &[u8]) -> Result<Self, ValueError> {
        try_array(&Units { length: *length, order: *order, bytes }).map(Self)
    }

    #[inline(always)]
    fn encode(value: &Self, (length, order): &UnicodePlan, bytes: &mut [u8]) -> Result<(), ValueError> {
        let (Some(source), Some(rest)) = (value.0.get(..*length), value.0.get(*length..)) else { return Err(outside()) };
        if rest.iter().any(|unit| *unit != 0) {
            return Err(too_long(value.as_units().len(), &unicode_dtype(*length).with_byte_order(*order)));
        }
        let target = bytes.get_mut(..*length * 4).ok_or_else(outside)?;
        for (target, unit) in target.as_chunks_mut().0.iter_mut().zip(source) {
            *target = unit_to(*unit, *order);
        }
        Ok(())
    }
}

element! {
    /// Reads any `S` (whose bytes must be UTF-8) and any `U`; written as `U`, as wide as the longest
    /// item, or by [`save_like`](crate::save_like) as the `S` or `U` of another file. `S` then holds
    /// UTF-8, where NumPy refuses a text that is not ASCII.
    ///
    /// NULs at the end of a text are padding in NumPy, so they do not survive; others do.
    String
}

#[diagnostic::do_not_recommend]
impl Codec<Self> for String {
    type Plan = TextPlan;
    const LITTLE: Option<Layout<TextPlan>> = None;
    const BIG: Option<Layout<TextPlan>> = None;
    const ALIGNMENT: usize = 4;
    const SENDS: Option<Sends<Self>> = Some(Sends::new());
    const VARIES: bool = true;

    fn dtype() -> DType {
        unicode_dtype(0)
    }

    fn dtype_of<'a>(items: Option<impl Iterator<Item = &'a Self> + Clone>) -> DType {
        let Some(items) = items else { return Self::dtype() };
        // At least 1, as in NumPy, which cannot read a sub-array of texts of width 0.
        unicode_dtype(items.map(|item| item.trim_end_matches('\0').chars().count()).max().unwrap_or(0).max(1))
    }

    fn plan(dtype: &DType, planner: &mut Planner) -> Option<TextPlan> {
        let plan = TextPlan::find(dtype);
        if plan.is_none() {
            planner.mismatch_with(dtype, "|S or <U of any width", None);
        }
        plan
    }

    fn decode(plan: &TextPlan, bytes: &[u8]) -> Result<Self, ValueError> {
        match *plan {
            TextPlan::Bytes(length) => {
                let text = without_padding(bytes.get(..length).ok_or_else(outside)?);
                let not_utf8 = |error: std::str::Utf8Error| {
                    let position = error.valid_up_to();
                    ValueError::new(format!("invalid UTF-8 at byte {position} of the text; read it as `FixedBytes`"))
                };
                Ok(std::str::from_utf8(text).map_err(not_utf8)?.to_owned())
            }
            TextPlan::Unicode(length, order) => {
                let units = bytes.get(..length.saturating_mul(4)).ok_or_else(outside)?.as_chunks().0;
                let character = |(position, unit): (usize, &[u8; 4])| {
                    let unit = unit_from(*unit, order);
                    char::from_u32(unit).ok_or_else(|| ValueError::not_a_character(unit, position))
                };
                let units = without_padding(units);
                units.iter().enumerate().map(character).collect()
            }
        }
    }

    fn encode(value: &Self, plan: &TextPlan, bytes: &mut [u8]) -> Result<(), ValueError> {
        match plan.put(value, bytes)? {
            "" => Ok(()),
            _ => Err(plan.too_long(value)),
        }
    }
}

impl TextPlan {
    /// Stores as much of `text` as fits, and returns the rest.
    fn put<'a>(&self, text: &'a str, bytes: &mut [u8]) -> Result<&'a str, ValueError> {
        let text = text.trim_end_matches('\0');
        match *self {
            Self::Bytes(length) => {
                let target = bytes.get_mut(..length).ok_or_else(outside)?;
                let mut end = length.min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                let (text, rest) = text.split_at(end);
                let (text_bytes, padding) = target.split_at_mut(text.len());
                text_bytes.copy_from_slice(text.as_bytes());
                padding.fill(0);
                Ok(rest)
            }
            Self::Unicode(length, order) => {
                let units = bytes.get_mut(..length.saturating_mul(4)).ok_or_else(outside)?.as_chunks_mut().0;
                let mut characters = text.chars();
                for target in units {
                    *target = unit_to(characters.next().map_or(0, u32::from), order);
                }
                Ok(characters.as_str())
            }
        }
    }

    #[cold]
    fn too_long(&self, text: &str) -> ValueError {
        let text = text.trim_end_matches('\0');
        match *self {
            Self::Bytes(length) => too_long(text.len(), &bytes_dtype(length)),
            Self::Unicode(length, order) => too_long(text.chars().count(), &unicode_dtype(length).with_byte_order(order)),
        }
    }
}

/// Text of a width fixed by the type.
#[expect(unnameable_types, reason = "only this crate implements it")]
pub trait FixedText: Codec<Self> + Sized {
    /// In little-endian byte order.
    const TEXT_LITTLE: Layout<TextPlan>;
    /// In big-endian byte order.
    const TEXT_BIG: Layout<TextPlan>;
}

impl<const N: usize> FixedText for FixedBytes<N> {
    const TEXT_LITTLE: Layout<TextPlan> = Layout { itemsize: N, plan: TextPlan::Bytes(N) };
    const TEXT_BIG: Layout<TextPlan> = Self::TEXT_LITTLE;
}

impl<const N: usize> FixedText for FixedUnicode<N> {
    const TEXT_LITTLE: Layout<TextPlan> = Layout { itemsize: N.saturating_mul(4), plan: TextPlan::Unicode(N, ByteOrder::Little) };
    const TEXT_BIG: Layout<TextPlan> = Layout { itemsize: N.saturating_mul(4), plan: TextPlan::Unicode(N, ByteOrder::Big) };
}

/// Returns the layout in a byte order: `'<'`, `'>'`, or `'='` for `native`.
const fn ordered<S: FixedText>(order: char, native: ByteOrder) -> Layout<TextPlan> {
    match (order, native) {
        ('<', _) | ('=', ByteOrder::Little) => S::TEXT_LITTLE,
        _ => S::TEXT_BIG,
    }
}

/// `#[npy(dtype = "U16")]`: reads text of every width and kind, and writes this one.
#[diagnostic::do_not_recommend]
impl<S: FixedText, const ORDER: char> Codec<String> for As<S, ORDER> {
    type Plan = TextPlan;
    const LITTLE: Option<Layout<TextPlan>> = Some(ordered::<S>(ORDER, ByteOrder::Little));
    const BIG: Option<Layout<TextPlan>> = Some(ordered::<S>(ORDER, ByteOrder::Big));
    const ALIGNMENT: usize = S::ALIGNMENT;
    const HAS_ORDER: bool = ORDER != '=';

    fn dtype() -> DType {
        ordered_dtype::<S>(ORDER)
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<TextPlan> {
        String::plan(file, planner)
    }

    fn decode(plan: &TextPlan, bytes: &[u8]) -> Result<String, ValueError> {
        String::decode(plan, bytes)
    }

    fn encode(value: &String, plan: &TextPlan, bytes: &mut [u8]) -> Result<(), ValueError> {
        String::encode(value, plan, bytes)
    }
}

/// Implements `#[npy(truncate)]`: text of the dtype of `C`, truncated where it does not fit.
#[derive(Debug)]
pub struct Truncated<C>(PhantomData<C>);

#[diagnostic::do_not_recommend]
impl<C: Codec<String, Plan = TextPlan>> Codec<String> for Truncated<C> {
    type Plan = TextPlan;
    const LITTLE: Option<Layout<TextPlan>> = C::LITTLE;
    const BIG: Option<Layout<TextPlan>> = C::BIG;
    const ALIGNMENT: usize = C::ALIGNMENT;
    const HAS_ORDER: bool = C::HAS_ORDER;

    fn dtype() -> DType {
        C::dtype()
    }

    fn plan(file: &DType, planner: &mut Planner) -> Option<TextPlan> {
        C::plan(file, planner)
    }

    fn decode(plan: &TextPlan, bytes: &[u8]) -> Result<String, ValueError> {
        C::decode(plan, bytes)
    }

    fn encode(value: &String, plan: &TextPlan, bytes: &mut [u8]) -> Result<(), ValueError> {
        plan.put(value, bytes).map(drop)
    }
}

stored_as! {
    {const N: usize} [u8; N] as FixedBytes<N>,
    |value| Ok::<_, ValueError>(FixedBytes(*value)),
    |stored| Ok(stored.0)
}

stored_as! {
    {const N: usize} Vec<u8> as FixedBytes<N>,
    |value| match value.last() {
        Some(0) => Err(ValueError::trailing_nul()),
        _ => FixedBytes::new(value).map_err(|_| too_long(value.len(), &bytes_dtype(N))),
    },
    |stored| Ok(stored.as_bytes().to_vec())
}
