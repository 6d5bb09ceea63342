//! `dtype = "…"`: finds the Rust type for NumPy's spelling of a dtype.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::LitStr;
use syn::meta::ParseNestedMeta;

use crate::meta::string;

/// The dtype under which a field is stored.
pub(crate) struct StoredAs {
    pub(crate) text: LitStr,
    /// `'<'`, `'>'`, or `'='` for the native order.
    order: char,
    kind: Kind,
}

enum Kind {
    /// A type of Rust, or of one of the optional crates, by its path.
    Number(TokenStream),
    Bytes(usize),
    Unicode(usize),
    Void(usize),
    /// `Datetime64` or `Timedelta64`, unit and count.
    Time(&'static str, &'static str, u32),
}

impl StoredAs {
    /// The codec that stores it.
    pub(crate) fn codec(&self) -> TokenStream {
        let span = self.text.span();
        let order = self.order;
        let stored = match &self.kind {
            Kind::Number(stored) => stored.clone(),
            Kind::Bytes(length) => quote!(__npy::types::FixedBytes<#length>),
            Kind::Unicode(length) => quote!(__npy::types::FixedUnicode<#length>),
            Kind::Void(length) => quote!(__npy::types::FixedVoid<#length>),
            Kind::Time(name, unit, count) => {
                let (name, unit) = (format_ident!("{name}"), format_ident!("{unit}"));
                quote!(__npy::types::#name<__npy::types::unit::#unit, #count>)
            }
        };
        quote_spanned!(span=> __private::As<#stored, #order>)
    }

    /// Whether it can be truncated.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Bytes(_) | Kind::Unicode(_))
    }

    /// Whether `[u8; N]` as a whole can be stored as it.
    pub(crate) fn takes_bytes(&self) -> bool {
        matches!(self.kind, Kind::Bytes(_) | Kind::Void(_))
    }
}

/// NumPy's units, and their names in `npy_core::types::unit`.
const UNITS: [(&str, &str); 13] = [
    ("Y", "Year"),
    ("M", "Month"),
    ("W", "Week"),
    ("D", "Day"),
    ("h", "Hour"),
    ("m", "Minute"),
    ("s", "Second"),
    ("ms", "Millisecond"),
    ("us", "Microsecond"),
    ("ns", "Nanosecond"),
    ("ps", "Picosecond"),
    ("fs", "Femtosecond"),
    ("as", "Attosecond"),
];

/// `dtype = "U16"`
pub(crate) fn parse(meta: &ParseNestedMeta<'_>) -> syn::Result<StoredAs> {
    let text = string(meta)?;
    let value = text.value();
    let (order, rest) = match value.strip_prefix(['<', '>', '=', '|']) {
        Some(rest) if value.starts_with('|') => ('=', rest),
        Some(rest) => (value.chars().next().unwrap_or('='), rest),
        None => ('=', value.as_str()),
    };
    match kind(rest) {
        Ok(kind) => Ok(StoredAs { text, order, kind }),
        Err(problem) => Err(syn::Error::new_spanned(text, problem)),
    }
}

fn kind(text: &str) -> Result<Kind, String> {
    let number = match text {
        "?" | "b1" | "bool" => quote!(bool),
        "i1" | "int8" => quote!(i8),
        "i2" | "int16" => quote!(i16),
        "i4" | "int32" => quote!(i32),
        "i8" | "int64" => quote!(i64),
        "u1" | "uint8" => quote!(u8),
        "u2" | "uint16" => quote!(u16),
        "u4" | "uint32" => quote!(u32),
        "u8" | "uint64" => quote!(u64),
        "f2" | "float16" => quote!(__npy::half::f16),
        "f4" | "float32" => quote!(f32),
        "f8" | "float64" => quote!(f64),
        "f16" => quote!(__npy::types::LongDouble),
        "c8" | "complex64" => quote!(__npy::num_complex::Complex<f32>),
        "c16" | "complex128" => quote!(__npy::num_complex::Complex<f64>),
        "c32" => quote!(__npy::num_complex::Complex<__npy::types::LongDouble>),
        _ => return text_or_time(text),
    };
    Ok(Kind::Number(number))
}

fn text_or_time(text: &str) -> Result<Kind, String> {
    let unknown = || {
        format!(
            "unsupported dtype `{text}` of a field: expected a number (`<f4`), text (`U16`, `S8`), raw bytes (`V4`) or a time \
             (`M8[ns]`, `m8[25s]`); for records and sub-arrays, use structs and arrays of Rust"
        )
    };
    let (time, rest) = match (text.strip_prefix("M8"), text.strip_prefix("m8")) {
        (Some(rest), _) => ("Datetime64", rest),
        (_, Some(rest)) => ("Timedelta64", rest),
        _ => {
            let new = match text.chars().next() {
                Some('S') => Kind::Bytes,
                Some('U') => Kind::Unicode,
                Some('V') => Kind::Void,
                _ => return Err(unknown()),
            };
            let kind = text.get(..1).unwrap_or_default();
            return match &text[1..] {
                "" => Err(format!("missing width of the dtype `{kind}`: expected a dtype like `{kind}16`")),
                length => length.parse().map(new).map_err(|_| unknown()),
            };
        }
    };
    if rest.is_empty() {
        return Ok(Kind::Time(time, "Generic", 1));
    }
    let unit = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(unknown)?;
    let digits = unit.trim_start_matches(|c: char| c.is_ascii_digit());
    let (count, symbol) = unit.split_at(unit.len() - digits.len());
    let count = if count.is_empty() { Ok(1) } else { count.parse() };
    let name = UNITS.iter().find(|(known, _)| *known == symbol);
    match (name, count) {
        (Some((_, name)), Ok(count)) if count > 0 => Ok(Kind::Time(time, name, count)),
        _ => {
            let known = UNITS.map(|(symbol, _)| format!("`{symbol}`")).join(", ");
            Err(format!("unknown unit of time `{unit}`: expected one of {known}, or a multiple such as `25s`"))
        }
    }
}
