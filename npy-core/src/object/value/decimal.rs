//! The text of Python's `Decimal`.

/// Returns whether a text is `str` of a Python `Decimal`.
pub(crate) fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, "Infinity" | "Inf") {
        return true;
    }
    let all_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if let Some(payload) = unsigned.strip_prefix("sNaN").or_else(|| unsigned.strip_prefix("NaN")) {
        return all_digits(payload);
    }
    let (number, exponent) =
        unsigned.split_once(['E', 'e']).map_or((unsigned, None), |(number, exponent)| (number, Some(exponent)));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let has_digits = !(whole.is_empty() && fraction.is_empty()) && all_digits(whole) && all_digits(fraction);
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && digits.len() < 20 && all_digits(digits)
    });
    has_digits && exponent_fits
}

#[cfg(test)]
mod tests {
    use super::is_decimal;

    #[test]
    fn decimals_are_those_of_python() {
        for text in [
            "0",
            "-1.50",
            "+.5",
            "5.",
            "1E+3",
            "1e-3",
            "1E3",
            "Infinity",
            "-Inf",
            "NaN",
            "sNaN",
            "-NaN123",
            "sNaN0",
            "1E9999999999999999999",
        ] {
            assert!(is_decimal(text), "{text}");
        }
        for text in [
            "",
            ".",
            "-",
            "1.2.3",
            "1E",
            "1E+",
            "E3",
            "1e3e4",
            "inf",
            "nan",
            "NaNx",
            "sNaN-1",
            "--1",
            "+-1",
            " 1",
            "1_0",
            "0x1",
            "1.a",
            "a.1",
            "1E1.5",
            "1E10000000000000000000",
        ] {
            assert!(!is_decimal(text), "{text}");
        }
    }
}
