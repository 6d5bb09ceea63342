//! The form in which NumPy itself writes a descr, read without building a tree first. What is in any other form, or wrong, is left to the
//! reader of literals: it takes all that NumPy takes, and says what is wrong.

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
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// What was not read yet.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Passes `expected`, if that comes next.
    #[inline]
    pub(crate) fn pass(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    /// A number as Python writes it, up to `i64::MAX`.
    fn number(&mut self) -> Option<usize> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        decimal(number)
    }

    /// A string of ASCII without anything that is escaped, which stands in single quotes.
    fn text(&mut self) -> Option<&'a [u8]> {
        self.pass(b"'")?;
        let end = self.rest.iter().position(|byte| IS_SPECIAL[usize::from(*byte)])?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.pass(b"'")?;
        Some(text)
    }

    /// `()`, `(3,)`, `(2, 3)`.
    pub(crate) fn shape(&mut self) -> Option<Lengths> {
        self.pass(b"(")?;
        let mut shape = Lengths::new();
        if self.pass(b")").is_some() {
            return Some(shape);
        }
        shape.push(self.number()?);
        if self.pass(b",)").is_some() {
            return Some(shape);
        }
        while self.pass(b")").is_none() {
            self.pass(b", ")?;
            shape.push(self.number()?);
        }
        (shape.len() > 1).then_some(shape)
    }

    /// A descr with at most so many fields.
    pub(crate) fn descr(&mut self, most_fields: usize) -> Option<DType> {
        let mut fields_left = most_fields;
        self.dtype(MOST_LEVELS, &mut fields_left)
    }

    fn dtype(&mut self, levels: usize, fields_left: &mut usize) -> Option<DType> {
        match self.rest.first()? {
            b'\'' => self.text().and_then(scalar).map(DType::Scalar),
            b'[' => self.record(levels.checked_sub(1)?, fields_left),
            // Sub-arrays of sub-arrays.
            _ => None,
        }
    }

    fn record(&mut self, levels: usize, fields_left: &mut usize) -> Option<DType> {
        self.pass(b"[")?;
        // Only of the outermost record, so that what is taken on credit is in proportion to the text, once.
        let ahead = if levels + 1 == MOST_LEVELS { self.fields_ahead(*fields_left) } else { 0 };
        let mut fields = Vec::with_capacity(ahead);
        let mut offset = 0;
        loop {
            *fields_left = fields_left.checked_sub(1)?;
            self.pass(b"(")?;
            let name = self.text()?;
            self.pass(b", ")?;
            let mut dtype = self.dtype(levels, fields_left)?;
            if self.pass(b", ").is_some() {
                dtype = sub_array(dtype, self.shape()?)?;
            }
            self.pass(b")")?;
            let is_padding = name.is_empty() && dtype.is_plain_void();
            let field = Field::with_name(Name::from_ascii(name)?, offset, dtype);
            offset = field.end();
            if !is_padding {
                fields.push(field);
            }
            if self.pass(b"]").is_some() {
                return Record::new(fields, offset).ok().map(DType::from);
            }
            self.pass(b", ")?;
        }
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
    // An `i64` has 19 digits, and those of 18 are in its range.
    if digits.is_empty() || digits.len() > 18 || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    digits.iter().try_fold(0_usize, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(usize::from(digit))
    })
}

/// `dtype.str` of NumPy.
fn scalar(text: &[u8]) -> Option<Scalar> {
    let (order, code) = text.split_first()?;
    let kind = match code {
        b"f8" => ScalarKind::Float64,
        b"f4" => ScalarKind::Float32,
        b"i8" => ScalarKind::Int64,
        b"i4" => ScalarKind::Int32,
        b"i2" => ScalarKind::Int16,
        b"i1" => ScalarKind::Int8,
        b"u8" => ScalarKind::UInt64,
        b"u4" => ScalarKind::UInt32,
        b"u2" => ScalarKind::UInt16,
        b"u1" => ScalarKind::UInt8,
        b"b1" => ScalarKind::Bool,
        b"f2" => ScalarKind::Float16,
        b"c8" => ScalarKind::Complex64,
        b"c16" => ScalarKind::Complex128,
        [b'S', length @ ..] => ScalarKind::Bytes { length: decimal(length).filter(|length| *length <= MOST_BYTES)? },
        [b'U', length @ ..] => ScalarKind::Unicode { length: decimal(length).filter(|length| *length <= MOST_BYTES / 4)? },
        [b'V', length @ ..] => ScalarKind::Void { length: decimal(length).filter(|length| *length <= MOST_BYTES)? },
        [b'M', b'8', b'[', unit @ .., b']'] => ScalarKind::Datetime { unit: time_unit(unit)?, count: 1 },
        [b'm', b'8', b'[', unit @ .., b']'] => ScalarKind::Timedelta { unit: time_unit(unit)?, count: 1 },
        _ => return None,
    };
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
