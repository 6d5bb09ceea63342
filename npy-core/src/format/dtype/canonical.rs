//! The canonical form of a descr, as NumPy writes it, parsed without a tree.
//!
//! Any other form, or an invalid one, is left to the parser of literals, which accepts all that NumPy does
//! and reports errors. Without `numbers`, `ascii` and the hashes of `names`, a file of 40 fields and 10
//! records takes 1.3 to 1.5 times as long to load.

use super::super::inline::{Lengths, ShortName};
use super::ascii::{plain_characters, plain_length};
use super::invalid::MOST_BYTES;
use super::names::repeated;
use super::numbers::number;
use super::scalar::{ByteOrder, Scalar, ScalarKind, TimeUnit};
use super::tree::{DType, Field, Record, SubArray};

/// Levels of records in records that are read here.
const MOST_LEVELS: usize = 8;

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

    /// Returns the text that was not read yet.
    #[inline]
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Skips `expected`, if that comes next.
    #[inline(always)]
    pub(crate) fn pass(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    /// Parses a number as Python writes it, of at most 18 digits, all of which an `i64` holds.
    #[inline(always)]
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

    /// Parses an ASCII string in single quotes, without escapes.
    #[inline]
    fn text(&mut self) -> Option<&'a [u8]> {
        self.pass(b"'")?;
        let (text, rest) = self.rest.split_at_checked(plain_length(self.rest)?)?;
        self.rest = rest;
        self.pass(b"'")?;
        Some(text)
    }

    /// `()`, `(3,)`, `(2, 3)`.
    pub(crate) fn shape(&mut self) -> Option<Lengths> {
        let mut shape = Lengths::new();
        self.pass(b"(")?;
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

    /// Parses a descr with at most `most_fields` fields.
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

    /// Parses a descr that is a text.
    fn scalar(&mut self) -> Option<Scalar> {
        // Most have three characters.
        if let [b'\'', order, kind, size, b'\'', rest @ ..] = self.rest
            && let Some(known) = number(u32::from_le_bytes([*order, *kind, *size, 0]))
        {
            self.rest = rest;
            return Some(*known);
        }
        let (order, code) = self.text()?.split_first()?;
        scalar(*order, code)
    }

    fn record(&mut self, levels: usize, fields_left: &mut usize) -> Option<DType> {
        self.pass(b"[")?;
        // Only for the outermost record, so that the capacity is in proportion to the text.
        let ahead = if levels + 1 == MOST_LEVELS { self.fields_ahead(*fields_left) } else { 0 };
        let mut fields = Vec::with_capacity(ahead);
        let mut end = 0_usize;
        // Copies, which stay in registers because nothing else refers to them.
        let (mut cursor, mut left) = (*self, *fields_left);
        loop {
            left = left.checked_sub(1)?;
            let begin = end;
            // Most are numbers with a short name.
            cursor.pass(b"('")?;
            let name = cursor.rest.first_chunk().and_then(short_name);
            if let Some(name) = name
                && let Some((scalar, rest)) = cursor.number_behind(name)
            {
                cursor.rest = rest;
                end = begin.saturating_add(scalar.itemsize());
                fields.push(Field::BLANK);
                if let Some(field) = fields.last_mut() {
                    field.fill(name, begin, scalar);
                }
            } else {
                let mut others = (cursor, left);
                end = others.0.other_field(name, &mut fields, begin, levels, &mut others.1)?;
                (cursor, left) = others;
            }
            if cursor.pass(b"]").is_some() {
                (*self, *fields_left) = (cursor, left);
                // Fields without titles that follow each other: `Record::new` checks nothing else.
                let is_sound = end <= MOST_BYTES && repeated(&fields, |field| &field.name).is_none();
                return is_sound.then(|| Record::new_unchecked(fields, end).into());
            }
            cursor.pass(b", ")?;
        }
    }

    /// Returns the number behind a name and the text behind the field, if the code of a number ends it.
    #[inline(always)]
    fn number_behind(self, name: ShortName) -> Option<(&'static Scalar, &'a [u8])> {
        // All characters between the name and the code, and the quotes, compared at once.
        const QUOTES: u64 = u64::from_le_bytes(*b"', '\0\0\0'");
        const CODE: u64 = 0x00ff_ffff << 32;
        let (text, rest) = self.rest.get(name.len()..)?.split_first_chunk()?;
        let text = u64::from_le_bytes(*text);
        if text & !CODE != QUOTES {
            return None;
        }
        let scalar = number(u32::try_from((text & CODE) >> 32).ok()?)?;
        Some((scalar, rest.strip_prefix(b")")?))
    }

    /// Appends a field that begins at `begin`, unless it is padding, and returns its end. Its name comes next,
    /// and is known if it is short.
    fn other_field(
        &mut self,
        name: Option<ShortName>,
        fields: &mut Vec<Field>,
        begin: usize,
        levels: usize,
        fields_left: &mut usize,
    ) -> Option<usize> {
        fields.push(Field::BLANK);
        let field = fields.last_mut()?;
        field.offset = begin;
        match name {
            Some(name) => {
                self.rest = self.rest.get(name.len()..)?;
                field.name.set_short(name);
            }
            None => {
                let (name, rest) = self.rest.split_at_checked(plain_length(self.rest)?)?;
                self.rest = rest;
                field.name = std::str::from_utf8(name).ok()?.into();
            }
        }
        self.pass(b"', ")?;
        if self.rest.first() == Some(&b'\'') {
            let scalar = self.scalar()?;
            match self.pass(b", ") {
                Some(()) => field.dtype = sub_array(DType::Scalar(scalar), self.shape()?)?,
                None => field.set_scalar(&scalar),
            }
        } else {
            let dtype = self.dtype(levels, fields_left)?;
            field.dtype = match self.pass(b", ") {
                Some(()) => sub_array(dtype, self.shape()?)?,
                None => dtype,
            };
        }
        self.pass(b")")?;
        let end = field.end();
        if field.name.as_bytes().is_empty() && field.dtype.is_plain_void() {
            fields.pop();
        }
        Some(end)
    }

    /// Estimates how many fields follow, assuming that all are as long as the first one.
    fn fields_ahead(self, most: usize) -> usize {
        const SHORTEST: usize = "('', '|b1'), ".len();
        let first = self.rest.iter().position(|byte| *byte == b')').unwrap_or_default();
        (self.rest.len() / (first + 3).max(SHORTEST)).clamp(1, most.max(1))
    }
}

/// The text at the front, up to the first character that ends it, if that is a short name.
#[inline(always)]
fn short_name(text: &[u8; 24]) -> Option<ShortName> {
    let words = [0, 8, 16].map(|begin| text.get(begin..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word)));
    let [first, second, third] = words;
    let kept = |word: u64, count: usize| word & !(u64::MAX << (8 * count));
    let count = plain_characters(first);
    if count < 8 {
        return ShortName::new([kept(first, count), 0, 0], count);
    }
    let count = plain_characters(second);
    if count < 8 {
        return ShortName::new([first, kept(second, count), 0], 8 + count);
    }
    match plain_characters(third) {
        8 => None,
        count => ShortName::new([first, second, kept(third, count)], 16 + count),
    }
}

fn sub_array(base: DType, shape: Lengths) -> Option<DType> {
    // `np.dtype(('S', 5))` is another thing; a shape of () is not a shape.
    if shape.is_empty() || base.itemsize() == 0 {
        return None;
    }
    SubArray::checked(base, shape).ok().map(DType::from)
}

/// Parses digits as Python writes a number.
fn decimal(digits: &[u8]) -> Option<usize> {
    let mut cursor = Cursor::new(digits);
    cursor.number().filter(|_| cursor.rest.is_empty())
}

/// Parses `dtype.str` of NumPy: the byte order, and the code.
fn scalar(order: u8, code: &[u8]) -> Option<Scalar> {
    let kind = match code {
        [b'M', b'8', b'[', unit @ .., b']'] => ScalarKind::Datetime { unit: TimeUnit::of_symbol(unit)?, count: 1 },
        [b'm', b'8', b'[', unit @ .., b']'] => ScalarKind::Timedelta { unit: TimeUnit::of_symbol(unit)?, count: 1 },
        [letter, size @ ..] => ScalarKind::of_code(*letter, decimal(size)?)?,
        [] => return None,
    };
    in_order(kind, order)
}

/// The scalar whose byte order is written so.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not read here is read by another way, with the same result: only these tests tell
    /// whether it is the short one.
    #[test]
    fn short_names_are_read_at_once() {
        let text = "abcdefghijklmnopqrstuvwxyz";
        for length in 0..=24 {
            for end in [0x27_u8, b'\\', b'\n', 0x7f, 0xc3] {
                let mut bytes = [b'~'; 24];
                let name = &text[..length];
                bytes[..length].copy_from_slice(name.as_bytes());
                bytes[length..].iter_mut().take(1).for_each(|byte| *byte = end);
                let found = short_name(&bytes).map(|short| {
                    let mut name = Field::BLANK.name;
                    name.set_short(short);
                    (short.len(), name.to_string())
                });
                assert_eq!(found, (length <= 22).then(|| (length, name.to_owned())), "{}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn numbers_behind_short_names_are_read_at_once() {
        let name = |text: &[u8]| {
            let mut bytes = [b'\''; 24];
            bytes[..text.len()].copy_from_slice(text);
            short_name(&bytes).unwrap()
        };
        let found = |text: &'static str| {
            let found = Cursor::new(text.as_bytes()).number_behind(name(b"ab"))?;
            Some((found.0.to_string(), std::str::from_utf8(found.1).unwrap()))
        };
        assert_eq!(found("ab', '<f8'), more"), Some(("<f8".to_owned(), ", more")));
        assert_eq!(found("ab', '|b1')"), Some(("|b1".to_owned(), "")));
        let others =
            ["ab', '<f8', (2,))", "ab', '<f8'", "ab', '<f9')", "ab', 'S12')", "ab',  <f8')", "ab\", '<f8')", "ab', '<f8\")", "a"];
        assert_eq!(others.map(found), [const { None }; 8]);
    }

    #[test]
    fn fields_are_counted_ahead_by_the_first_one() {
        let ahead = |text: &str, most| Cursor::new(text.as_bytes()).fields_ahead(most);
        // 15 bytes each, with what separates them.
        let fields = |count: usize| "('ab', '<f8'), ".repeat(count);
        for (text, most, expected) in [
            (fields(1), 9, 1),
            (fields(5), 9, 5),
            (fields(5), 3, 3),
            (fields(5), 0, 1),
            (fields(5)[..74].to_owned(), 9, 4),
            (String::new(), 9, 1),
            // Shorter than any field.
            (")".repeat(39), 9, 3),
        ] {
            assert_eq!(ahead(&text, most), expected, "{text}");
        }
    }

    #[test]
    fn canonical_descrs_are_taken_and_others_left() {
        let deep = |levels: usize| format!("{}'<f8'{}", "[('a', ".repeat(levels), ")]".repeat(levels));
        let most = |code: char, length: usize| format!("'|{code}{length}'");
        let taken = [
            deep(0),
            deep(MOST_LEVELS),
            "[('a', '<f8', (2, 3)), ('b', [('c', '|u1')], (4,)), ('', '|V3')]".to_owned(),
            most('S', MOST_BYTES),
            most('V', MOST_BYTES),
            format!("'<U{}'", MOST_BYTES / 4),
            "'<c16'".to_owned(),
            "'>M8[ns]'".to_owned(),
            "'<m8[Y]'".to_owned(),
            "'|V0'".to_owned(),
        ];
        for text in taken {
            let found = Cursor::new(text.as_bytes()).descr(100).unwrap_or_else(|| panic!("{text} is left"));
            assert_eq!(found, text.trim_matches('\'').parse::<DType>().unwrap(), "{text}");
        }
        let left = [
            deep(MOST_LEVELS + 1),
            most('S', MOST_BYTES + 1),
            most('V', MOST_BYTES + 1),
            format!("'<U{}'", MOST_BYTES / 4 + 1),
            "'<S3'".to_owned(),
            "'|c16'".to_owned(),
            "'|S03'".to_owned(),
            "'|S'".to_owned(),
            "'<M8'".to_owned(),
            "'<M8[25s]'".to_owned(),
            "'=f8'".to_owned(),
            "''".to_owned(),
            "[('a', '<f8'), ('a', '<f8')]".to_owned(),
            "[('a', '|S0', (2,))]".to_owned(),
            "[('a', '<f8', ())]".to_owned(),
            "[]".to_owned(),
        ];
        for text in left {
            assert!(Cursor::new(text.as_bytes()).descr(100).is_none(), "{text}");
        }
        let fields = "[('a', '<f8'), ('b', [('c', '|S3')])]";
        assert!(Cursor::new(fields.as_bytes()).descr(3).is_some());
        assert!(Cursor::new(fields.as_bytes()).descr(2).is_none());
        // As large as a record may be, and one byte more.
        let pair = |second: usize| format!("[('a', '|u1'), ('b', '|V{second}')]");
        assert!(Cursor::new(pair(MOST_BYTES - 1).as_bytes()).descr(9).is_some());
        assert!(Cursor::new(pair(MOST_BYTES).as_bytes()).descr(9).is_none());
    }

    #[test]
    fn shapes_are_read_whatever_their_length() {
        for (text, expected) in [
            ("()", Some(vec![])),
            ("(3,)", Some(vec![3])),
            ("(3, 0)", Some(vec![3, 0])),
            ("(1, 2, 3)", Some(vec![1, 2, 3])),
            ("(1, 2, 3, 4)", Some(vec![1, 2, 3, 4])),
            ("(1, 2, 3, 4, 5)", Some(vec![1, 2, 3, 4, 5])),
            ("(999999999999999999,)", usize::try_from(999_999_999_999_999_999_u64).ok().map(|length| vec![length])),
            ("(1000000000000000000,)", None),
            ("(01,)", None),
            ("(,)", None),
            ("(3)", None),
            ("(3, 4,)", None),
            ("(1,2)", None),
            ("(-1,)", None),
            ("3", None),
            ("", None),
        ] {
            let mut cursor = Cursor::new(text.as_bytes());
            let found = cursor.shape();
            assert_eq!(found.as_deref(), expected.as_deref(), "{text}");
            assert!(found.is_none() || cursor.rest().is_empty());
        }
    }
}
