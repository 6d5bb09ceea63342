//! The form in which NumPy itself writes a descr, read without building a tree first. What is in any other form, or wrong, is left to the
//! reader of literals: it takes all that NumPy takes, and says what is wrong.

use super::names::repeated;
use super::{ByteOrder, DType, Field, MOST_BYTES, Record, Scalar, ScalarKind, SubArray, TimeUnit};
use crate::small::{Lengths, Name};

/// Levels of records in records that are read here.
const MOST_LEVELS: usize = 8;

/// What ends a text that is read here: quotes, backslashes, and all but printable ASCII.
const IS_SPECIAL: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = b' ' as usize;
    while byte <= b'~' as usize {
        table[byte] = byte == b'\'' as usize || byte == b'\\' as usize;
        byte += 1;
    }
    table
};

/// Text that is read from the front.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// What was not read yet.
    #[inline]
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Passes `expected`, if that comes next.
    #[inline(always)]
    pub(crate) fn pass(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    /// A number as Python writes it, of at most 18 digits: an `i64` has 19, and all of 18 are in its range.
    #[inline]
    fn number(&mut self) -> Option<usize> {
        let digits = self.rest;
        let mut number = 0_u64;
        while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
            // It wraps only with more digits than are taken.
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit & 15));
            self.rest = rest;
        }
        match (digits.len() - self.rest.len(), digits) {
            (0 | 19.., _) | (2.., [b'0', ..]) => None,
            _ => usize::try_from(number).ok(),
        }
    }

    /// A string of ASCII without anything that is escaped, which stands in single quotes.
    #[inline]
    fn text(&mut self) -> Option<&'a [u8]> {
        self.pass(b"'")?;
        let end = self.rest.iter().position(|byte| IS_SPECIAL[usize::from(*byte)])?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.pass(b"'")?;
        Some(text)
    }

    /// `()`, `(3,)`, `(2, 3)`.
    #[inline]
    pub(crate) fn shape(&mut self) -> Option<Lengths> {
        let mut shape = Lengths::new();
        self.lengths(|length| {
            shape.push(length);
            Some(())
        })?;
        Some(shape)
    }

    /// A shape of few axes: their number, and their lengths.
    #[inline]
    pub(crate) fn short_shape(&mut self) -> Option<(usize, [usize; Lengths::FEW])> {
        let (mut count, mut lengths) = (0, [0; Lengths::FEW]);
        self.lengths(|length| {
            *lengths.get_mut(count)? = length;
            count += 1;
            Some(())
        })?;
        Some((count, lengths))
    }

    /// Hands on the lengths of a shape, as long as they are taken.
    #[inline]
    fn lengths(&mut self, mut push: impl FnMut(usize) -> Option<()>) -> Option<()> {
        self.pass(b"(")?;
        if self.pass(b")").is_some() {
            return Some(());
        }
        push(self.number()?)?;
        if self.pass(b",)").is_some() {
            return Some(());
        }
        loop {
            self.pass(b", ")?;
            push(self.number()?)?;
            if self.pass(b")").is_some() {
                return Some(());
            }
        }
    }

    /// A descr with at most so many fields.
    #[inline]
    pub(crate) fn descr(&mut self, most_fields: usize) -> Option<DType> {
        let mut fields_left = most_fields;
        self.dtype(MOST_LEVELS, &mut fields_left)
    }

    fn dtype(&mut self, levels: usize, fields_left: &mut usize) -> Option<DType> {
        match self.rest.first()? {
            b'\'' => self.scalar().map(DType::Scalar),
            b'[' => self.record(levels.checked_sub(1)?, fields_left),
            // Sub-arrays of sub-arrays.
            _ => None,
        }
    }

    /// A descr that is a text.
    #[inline(always)]
    pub(crate) fn scalar(&mut self) -> Option<Scalar> {
        match self.rest {
            // Most have three characters.
            [b'\'', order, kind, size, b'\'', rest @ ..] => {
                self.rest = rest;
                number(*order, *kind, *size).or_else(|| scalar(*order, &[*kind, *size]))
            }
            _ => {
                let (order, code) = self.text()?.split_first()?;
                scalar(*order, code)
            }
        }
    }

    fn record(&mut self, levels: usize, fields_left: &mut usize) -> Option<DType> {
        self.pass(b"[")?;
        // Only of the outermost record, so that what is taken on credit is in proportion to the text, once.
        let ahead = if levels + 1 == MOST_LEVELS { self.fields_ahead(*fields_left) } else { 0 };
        let mut fields = Vec::with_capacity(ahead);
        let mut end = 0_usize;
        // Copies, which stay in registers because nothing else refers to them.
        let (mut cursor, mut left) = (*self, *fields_left);
        loop {
            left = left.checked_sub(1)?;
            cursor.pass(b"(")?;
            let front = cursor.rest.get(1..)?;
            let name = cursor.text()?.len();
            cursor.pass(b", ")?;
            let begin = end;
            // Most are numbers with a name: they are put together where they stay.
            if name > 0
                && let [b'\'', order, kind, size, b'\'', b')', rest @ ..] = cursor.rest
                && let Some(scalar) = number(*order, *kind, *size)
            {
                cursor.rest = rest;
                end = begin.saturating_add(scalar.itemsize());
                fields.push(Field::with_name(Name::from_ascii(front, name)?, begin, DType::Scalar(scalar)));
            } else {
                let mut others = (cursor, left);
                let dtype = others.0.field_dtype(levels, &mut others.1)?;
                (cursor, left) = others;
                end = begin.saturating_add(dtype.itemsize());
                let is_padding = name == 0 && dtype.is_plain_void();
                if !is_padding {
                    fields.push(Field::with_name(Name::from_ascii(front, name)?, begin, dtype));
                }
            }
            if cursor.pass(b"]").is_some() {
                (*self, *fields_left) = (cursor, left);
                // One field begins where another ends, and there are no titles: that is all of what `Record::new` checks.
                let is_sound = end <= MOST_BYTES && repeated(&fields, |field| &field.name).is_none();
                return is_sound.then(|| Record::new_unchecked(fields, end).into());
            }
            cursor.pass(b", ")?;
        }
    }

    /// What stands behind the name of a field, and the parenthesis.
    fn field_dtype(&mut self, levels: usize, fields_left: &mut usize) -> Option<DType> {
        let mut dtype = self.dtype(levels, fields_left)?;
        if self.pass(b", ").is_some() {
            dtype = sub_array(dtype, self.shape()?)?;
        }
        self.pass(b")")?;
        Some(dtype)
    }

    /// About how many fields come: as many as the text that is left has room for, if all are as the first one.
    fn fields_ahead(self, most: usize) -> usize {
        const SHORTEST: usize = "('', '|b1'), ".len();
        let first = self.rest.iter().position(|byte| *byte == b')').unwrap_or_default();
        (self.rest.len() / (first + 3).max(SHORTEST)).clamp(1, most.max(1))
    }
}

fn sub_array(base: DType, shape: Lengths) -> Option<DType> {
    // `np.dtype(('S', 5))` is another thing; a shape of () is none.
    if shape.is_empty() || base.itemsize() == 0 {
        return None;
    }
    SubArray::with_lengths(base, shape).ok().map(DType::from)
}

/// The number that these digits are, as Python writes it.
fn decimal(digits: &[u8]) -> Option<usize> {
    let mut cursor = Cursor::new(digits);
    cursor.number().filter(|_| cursor.rest.is_empty())
}

/// `dtype.str` of NumPy: the byte order, and what is behind it.
fn scalar(order: u8, code: &[u8]) -> Option<Scalar> {
    let kind = match code {
        b"c16" => ScalarKind::Complex128,
        [b'S', length @ ..] => ScalarKind::Bytes { length: decimal(length).filter(|length| *length <= MOST_BYTES)? },
        [b'U', length @ ..] => ScalarKind::Unicode { length: decimal(length).filter(|length| *length <= MOST_BYTES / 4)? },
        [b'V', length @ ..] => ScalarKind::Void { length: decimal(length).filter(|length| *length <= MOST_BYTES)? },
        [b'M', b'8', b'[', unit @ .., b']'] => ScalarKind::Datetime { unit: time_unit(unit)?, count: 1 },
        [b'm', b'8', b'[', unit @ .., b']'] => ScalarKind::Timedelta { unit: time_unit(unit)?, count: 1 },
        _ => return None,
    };
    in_order(kind, order)
}

/// `dtype.str` of a number of at most nine bytes: the byte order, the kind and the size. Not compared as texts, one after another.
#[inline(always)]
fn number(order: u8, kind: u8, size: u8) -> Option<Scalar> {
    let kind = match [kind, size] {
        [b'f', b'8'] => ScalarKind::Float64,
        [b'f', b'4'] => ScalarKind::Float32,
        [b'f', b'2'] => ScalarKind::Float16,
        [b'i', b'8'] => ScalarKind::Int64,
        [b'i', b'4'] => ScalarKind::Int32,
        [b'i', b'2'] => ScalarKind::Int16,
        [b'i', b'1'] => ScalarKind::Int8,
        [b'u', b'8'] => ScalarKind::UInt64,
        [b'u', b'4'] => ScalarKind::UInt32,
        [b'u', b'2'] => ScalarKind::UInt16,
        [b'u', b'1'] => ScalarKind::UInt8,
        [b'b', b'1'] => ScalarKind::Bool,
        [b'c', b'8'] => ScalarKind::Complex64,
        _ => return None,
    };
    in_order(kind, order)
}

/// The scalar whose byte order is written so.
#[inline(always)]
fn in_order(kind: ScalarKind, order: u8) -> Option<Scalar> {
    let byte_order = match order {
        b'<' => Some(ByteOrder::Little),
        b'>' => Some(ByteOrder::Big),
        b'|' => None,
        _ => return None,
    };
    let scalar = Scalar::new(kind, byte_order.unwrap_or(ByteOrder::NATIVE));
    // Others are read, but not written so: `|f8`, `<i1`, and the `<V2` of ml_dtypes.
    (scalar.byte_order() == byte_order).then_some(scalar)
}

fn time_unit(symbol: &[u8]) -> Option<TimeUnit> {
    TimeUnit::WITH_SYMBOLS.iter().find(|(_, known)| known.as_bytes() == symbol).map(|(unit, _)| *unit)
}
