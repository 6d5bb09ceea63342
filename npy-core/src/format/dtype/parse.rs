//! The language of dtype strings: `<f8`, `float64`, `M8[25s]`, `i4,>f8,(2,3)u1`.
//!
//! NumPy writes only a part of it, but its reader accepts all of it (`numpy.dtype(str)`), so this
//! does too. Type codes whose size depends on the platform have the size they have on 64-bit Unix.
//!
//! NumPy reads the size of a single code by C's `strtol`, so that `|u 1` and `|u+1` are `|u1`, and
//! takes lists and sub-arrays apart by a regular expression, which refuses both, and byte orders
//! that contradict each other (`<2>u4`). `2|b1` and `(2,)|S8` are sub-arrays, also `1u4`.

use super::super::literal::{END, unexpected};
use super::invalid::{Invalid, invalid, invalid_shape, too_large};
use super::ml_type::MlType;
use super::scalar::{ByteOrder, Scalar, ScalarKind, TimeUnit};
use super::tree::{DType, Record, SubArray};

type Result<T> = std::result::Result<T, Invalid>;

const UNKNOWN_TYPE_CODE: &str = "unknown type code";

/// The characters allowed before a type code: the byte order.
const ORDERS: [char; 4] = ['<', '>', '|', '='];

/// Reads a dtype string.
pub(super) fn dtype_string(text: &str) -> Result<DType> {
    let has_comma = top_level_comma(text).is_some();
    let after_order = text.trim_start_matches(ORDERS);
    if !has_comma && !after_order.starts_with(|first: char| first == '(' || first.is_ascii_digit()) {
        return scalar(text).map(DType::Scalar);
    }
    let mut items = Vec::new();
    let (mut rest, mut is_list) = (text, false);
    while !rest.is_empty() {
        let (item, after) = list_item(text, rest)?;
        items.push(item);
        is_list |= after.is_some();
        rest = after.unwrap_or_default();
    }
    match <[DType; 1]>::try_from(items) {
        Ok([only]) if !is_list => Ok(only),
        Ok(one) => Record::packed_checked(one.into_iter().map(|dtype| ("f0", dtype))).map(DType::from),
        Err(items) => {
            let named = items.into_iter().enumerate().map(|(i, dtype)| (format!("f{i}"), dtype));
            Record::packed_checked(named).map(DType::from)
        }
    }
}

/// Finds the first comma outside parentheses and brackets.
fn top_level_comma(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b',' && depth == 0
    })
}

/// Reads `[order][repeats][order]code`, and returns what follows the comma behind it, if there is one.
/// `whole` is for the error message.
fn list_item<'a>(whole: &str, text: &'a str) -> Result<(DType, Option<&'a str>)> {
    let outer = text.starts_with(ORDERS).then(|| &text[..1]);
    let after_order = &text[outer.map_or(0, str::len)..];
    // Commas among the lengths separate these: `2,3,f8` is `(2,3)f8`.
    let (repeats, after) = after_order.split_at(repeats_length(after_order));
    let shape = match repeats {
        "" => Vec::new(),
        repeats if repeats.contains('(') && !text.contains(')') => return Err(invalid(whole, unexpected("')'", END))),
        repeats => repeated(repeats).ok_or_else(|| invalid(whole, invalid_shape()))?,
    };
    let end = top_level_comma(after);
    let code = &after[..end.unwrap_or(after.len())];
    let rest = end.map(|end| after[end + 1..].trim_start_matches(' '));
    let code = code.trim_matches(' ');
    // A regular expression takes these apart, before `strtol` sees the size.
    if code.contains(|character: char| character.is_whitespace() || character == '+') {
        return Err(invalid(whole, unexpected("a type code", "white space or a sign")));
    }
    let inner = code.starts_with(ORDERS).then(|| &code[..1]);
    let base = match (outer, inner) {
        (Some(outer), Some(inner)) if canonical(outer) != canonical(inner) => {
            return Err(invalid(whole, "inconsistent byte orders"));
        }
        (Some(order), None) => scalar(&format!("{order}{code}"))?,
        _ => scalar(code)?,
    };
    let base = DType::Scalar(base);
    let dtype = if shape.is_empty() { base } else { SubArray::checked(base, shape.into())?.into() };
    Ok((dtype, rest))
}

/// Returns the length of `(2, 3)` or `2,3` at the beginning, which NumPy finds by ` *[(]?[ ,0-9]*[)]? *`.
fn repeats_length(text: &str) -> usize {
    let rest = text.trim_start_matches(' ');
    let rest = rest.strip_prefix('(').unwrap_or(rest);
    let rest = rest.trim_start_matches([' ', ',', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let rest = rest.strip_prefix(')').unwrap_or(rest).trim_start_matches(' ');
    text.len() - rest.len()
}

/// The shape that stands before a code: a length, or a tuple of Python with or without parentheses.
fn repeated(text: &str) -> Option<Vec<usize>> {
    let length = |text: &str| decimal(text).filter(|length| *length == 0 || !text.starts_with('0'));
    let text = text.trim_matches(' ');
    let (inside, has_parentheses) = match text.strip_prefix('(') {
        Some(inner) => (inner.strip_suffix(')')?.trim_matches(' '), true),
        None => (text, false),
    };
    match inside.strip_suffix(',').unwrap_or(inside) {
        "" => (has_parentheses && inside.is_empty()).then(Vec::new),
        lengths if inside.contains(',') => lengths.split(',').map(|text| length(text.trim_matches(' '))).collect(),
        // Parentheses around one length without a comma are no tuple.
        one => Some(vec![length(one).filter(|_| !has_parentheses)?]),
    }
}

/// Replaces `=` by the native byte order.
fn canonical(order: &str) -> &str {
    match (order, ByteOrder::NATIVE) {
        ("=", ByteOrder::Little) => "<",
        ("=", ByteOrder::Big) => ">",
        _ => order,
    }
}

/// Reads the dtype string of a scalar.
fn scalar(text: &str) -> Result<Scalar> {
    let unknown = || invalid(text, UNKNOWN_TYPE_CODE);
    if let Some(scalar) = by_name(text) {
        return Ok(scalar);
    }
    let (byte_order, code) = match text.as_bytes().first() {
        Some(b'<') => (Some(ByteOrder::Little), &text[1..]),
        Some(b'>') => (Some(ByteOrder::Big), &text[1..]),
        Some(b'=' | b'|') => (None, &text[1..]),
        _ => (None, text),
    };
    let native = byte_order.unwrap_or(ByteOrder::NATIVE);
    let mut characters = code.chars();
    let letter = characters.next().ok_or_else(unknown)?;
    let size = characters.as_str();

    if let Some((is_point, unit)) = time_code(code) {
        let (unit, count) = time_unit(text, unit)?;
        let kind = if is_point { ScalarKind::Datetime { unit, count } } else { ScalarKind::Timedelta { unit, count } };
        return Ok(Scalar::new(kind, native));
    }
    if size.is_empty()
        && let Some(kind) = by_character(letter)
    {
        return Ok(Scalar::new(kind, native));
    }
    let length = match size {
        "" => 0,
        size => decimal(unsigned(size)).ok_or_else(unknown)?,
    };
    let kind = match (letter, length) {
        ('f', 1) | ('W', _) if byte_order.is_none() => return Err(unknown()),
        // Objects had the size of a pointer in NumPy 1.6. A `StringDType` is stored as objects.
        ('O' | 'T', 0) if size.is_empty() => ScalarKind::Object,
        ('O', 4 | 8) => ScalarKind::Object,
        ('V', 1 | 2) if byte_order.is_some() => return Ok(Scalar::void_with_byte_order(length, native)),
        _ => match u8::try_from(letter).ok().and_then(|letter| ScalarKind::of_code(letter, length)) {
            Some(kind) => kind,
            None if matches!(letter, 'S' | 'a' | 'U' | 'V') => return Err(invalid(text, too_large())),
            None => return Err(unknown()),
        },
    };
    Ok(Scalar::new(kind, native))
}

/// Skips white space and a plus sign, which `strtol` ignores before digits: NumPy reads `|u 1` and `|u+1` as
/// `|u1`.
fn unsigned(size: &str) -> &str {
    let size = size.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    size.strip_prefix('+').unwrap_or(size)
}

/// Digits only: no sign, no underscore.
fn decimal(text: &str) -> Option<usize> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal.then(|| text.parse().ok())?
}

/// NumPy's one-character codes, where they are not the letters of `S`, `U`, `V`, `O`, `M` and `m`.
fn by_character(letter: char) -> Option<ScalarKind> {
    Some(match letter {
        '?' => ScalarKind::Bool,
        'b' => ScalarKind::Int8,
        'B' => ScalarKind::UInt8,
        'h' => ScalarKind::Int16,
        'H' => ScalarKind::UInt16,
        'i' => ScalarKind::Int32,
        'I' => ScalarKind::UInt32,
        'l' | 'q' | 'n' | 'p' => ScalarKind::Int64,
        'L' | 'Q' | 'N' | 'P' => ScalarKind::UInt64,
        'e' => ScalarKind::Float16,
        'f' => ScalarKind::Float32,
        'd' => ScalarKind::Float64,
        'g' => ScalarKind::LongDouble { itemsize: 16 },
        'F' => ScalarKind::Complex64,
        'D' => ScalarKind::Complex128,
        'G' => ScalarKind::ComplexLongDouble { itemsize: 32 },
        'c' => ScalarKind::Bytes { length: 1 },
        _ => return None,
    })
}

fn by_name(text: &str) -> Option<Scalar> {
    let kind = match text {
        "bool" | "bool_" => ScalarKind::Bool,
        "byte" => ScalarKind::Int8,
        "short" => ScalarKind::Int16,
        "intc" => ScalarKind::Int32,
        "int" | "int_" | "intp" | "long" | "longlong" => ScalarKind::Int64,
        "ubyte" => ScalarKind::UInt8,
        "ushort" => ScalarKind::UInt16,
        "uintc" => ScalarKind::UInt32,
        "uint" | "uintp" | "ulong" | "ulonglong" => ScalarKind::UInt64,
        "half" => ScalarKind::Float16,
        "single" => ScalarKind::Float32,
        "float" | "double" => ScalarKind::Float64,
        "longdouble" => ScalarKind::LongDouble { itemsize: 16 },
        "csingle" => ScalarKind::Complex64,
        "complex" | "cdouble" => ScalarKind::Complex128,
        "clongdouble" => ScalarKind::ComplexLongDouble { itemsize: 32 },
        "str" | "str_" | "unicode" => ScalarKind::Unicode { length: 0 },
        "bytes" | "bytes_" => ScalarKind::Bytes { length: 0 },
        "void" => ScalarKind::Void { length: 0 },
        "object" | "object_" => ScalarKind::Object,
        name => match by_bits(name) {
            Some(kind) => kind,
            None => return by_name_of_ml_dtypes(name),
        },
    };
    Some(Scalar::new(kind, ByteOrder::NATIVE))
}

/// A name with a number of bits: `float64`.
fn by_bits(name: &str) -> Option<ScalarKind> {
    let (class, bits) = name.split_at(name.find(|char: char| char.is_ascii_digit())?);
    let letter = match class {
        "int" => b'i',
        "uint" => b'u',
        "float" => b'f',
        "complex" => b'c',
        _ => return None,
    };
    let size = decimal(bits).filter(|size| size % 8 == 0 && !bits.starts_with('0'))? / 8;
    // No `float8` is NumPy's.
    ScalarKind::of_code(letter, size).filter(|kind| *kind != ScalarKind::Float8E5M2)
}

/// A name that NumPy reads once `ml_dtypes` is imported. `bcomplex32` is missing, because `np.save`
/// writes it as `complex32`.
fn by_name_of_ml_dtypes(name: &str) -> Option<Scalar> {
    Some(match name {
        "bfloat16" => Scalar::void_with_byte_order(2, ByteOrder::NATIVE),
        "float8_e5m2" => Scalar::new(ScalarKind::Float8E5M2, ByteOrder::NATIVE),
        "complex32" => Scalar::new(ScalarKind::Complex32, ByteOrder::NATIVE),
        name => Scalar::new(ScalarKind::Ml(MlType::named(name)?), ByteOrder::NATIVE),
    })
}

/// Splits codes such as `M8[25s]`, `datetime64[ns]` and `m` into whether they are points in time, and the unit
/// in brackets.
fn time_code(code: &str) -> Option<(bool, &str)> {
    let names = [("datetime64", true), ("timedelta64", false)];
    if let Some(found) = names.iter().find_map(|(name, is_point)| Some((*is_point, code.strip_prefix(name)?))) {
        return Some(found);
    }
    let (is_point, size) = match code.strip_prefix('M') {
        Some(size) => (true, size),
        None => (false, code.strip_prefix('m')?),
    };
    match unsigned(size).trim_start_matches('0').strip_prefix('8') {
        // A unit follows the size directly only.
        Some(unit) if unit.is_empty() || unsigned(size) == size => Some((is_point, unit)),
        _ => size.is_empty().then_some((is_point, "")),
    }
}

/// Reads `[ns]`, `[25s]`, `[s/10]`; `text` is for the error message.
fn time_unit(text: &str, unit: &str) -> Result<(TimeUnit, u32)> {
    if unit.is_empty() {
        return Ok((TimeUnit::Generic, 1));
    }
    let inner = unit.strip_prefix('[').and_then(|unit| unit.strip_suffix(']'));
    let Some(inner) = inner else { return Err(invalid(text, UNKNOWN_TYPE_CODE)) };
    let unknown = || invalid(text, "unknown time unit");
    let signless = skip_sign(inner);
    let digits = signless.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = signless.split_at(digits);
    let count = match count {
        "" if signless.len() < inner.len() => return Err(unknown()),
        "" => 1,
        count => count.parse::<u32>().ok().filter(|&count| i32::try_from(count).is_ok()).ok_or_else(unknown)?,
    };
    let (symbol, divisor) = match unit.split_once('/') {
        Some((symbol, divisor)) => (symbol, decimal(skip_sign(divisor)).filter(|&divisor| divisor > 0).ok_or_else(unknown)?),
        None => (unit, 1),
    };
    let symbol = if symbol == "\u{3bc}s" { "us" } else { symbol };
    if symbol == "generic" && divisor == 1 {
        return Ok((TimeUnit::Generic, 1));
    }
    let unit = TimeUnit::of_symbol(symbol.as_bytes()).ok_or_else(unknown)?;
    divide(unit, count, divisor).ok_or_else(|| invalid(text, "expected a divisor that divides a finer time unit evenly"))
}

/// Skips white space and a plus sign, as NumPy does before a number.
fn skip_sign(text: &str) -> &str {
    let text = text.trim_start_matches(|character: char| matches!(character, ' ' | '\t'..='\r'));
    text.strip_prefix('+').unwrap_or(text)
}

/// `s/10` is stored as `100ms`: the first finer unit in which it is a whole number.
fn divide(unit: TimeUnit, count: u32, divisor: usize) -> Option<(TimeUnit, u32)> {
    use TimeUnit::{
        Attosecond, Day, Femtosecond, Hour, Microsecond, Millisecond, Minute, Month, Nanosecond, Picosecond, Second, Week, Year,
    };
    if divisor == 1 {
        return Some((unit, count));
    }
    // `convert_datetime_divisor_to_multiple` in NumPy's datetime.c.
    let finer: &[(usize, TimeUnit)] = match unit {
        Year => &[(12, Month), (52, Week), (365, Day)],
        Month => &[(4, Week), (30, Day), (720, Hour)],
        Week => &[(7, Day), (168, Hour), (10_080, Minute), (604_800, Second)],
        Day => &[(24, Hour), (1_440, Minute), (86_400, Second)],
        Hour => &[(60, Minute), (3_600, Second)],
        Minute => &[(60, Second), (60_000, Millisecond)],
        Second => &[(1_000, Millisecond), (1_000_000, Microsecond)],
        Millisecond => &[(1_000, Microsecond), (1_000_000, Nanosecond)],
        Microsecond => &[(1_000, Nanosecond), (1_000_000, Picosecond)],
        Nanosecond => &[(1_000, Picosecond), (1_000_000, Femtosecond)],
        Picosecond => &[(1_000, Femtosecond), (1_000_000, Attosecond)],
        Femtosecond => &[(1_000, Attosecond)],
        Attosecond | TimeUnit::Generic => &[],
    };
    let (steps, unit) = finer.iter().find(|(steps, _)| steps % divisor == 0)?;
    let count = u32::try_from(steps / divisor).ok()?.checked_mul(count)?;
    Some((*unit, count))
}
