//! Floats as text.

/// The shortest digits of a float, with an exponent where it is very small or large.
pub(crate) fn float(value: f64) -> String {
    match value.abs() {
        _ if value.is_nan() => "nan".to_owned(),
        0.0 | f64::INFINITY => value.to_string(),
        magnitude if (1e-4..1e16).contains(&magnitude) => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// The value with this number of significant digits, and with all of those before the point.
pub(crate) fn significant(value: f64, digits: usize) -> f64 {
    let magnitude = value.abs();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 17")]
    let whole = if (1.0..1e16).contains(&magnitude) { magnitude.log10() as usize + 1 } else { 1 };
    let digits = digits.max(whole);
    format!("{:.*e}", digits.saturating_sub(1), value).parse().unwrap_or(value)
}

/// The number of significant digits that tells different neighbours apart, at least `least`.
pub(crate) fn digits_apart(numbers: &[f64], least: usize) -> usize {
    let are_apart = |digits: &usize| {
        #[allow(clippy::float_cmp, reason = "rounded numbers are equal or not")]
        let is_apart = |one: f64, other: f64| one == other || significant(one, *digits) != significant(other, *digits);
        numbers.windows(2).all(|pair| is_apart(pair[0], pair[1]))
    };
    (least..MOST_DIGITS).find(are_apart).unwrap_or(MOST_DIGITS)
}

/// As many digits tell any two floats apart.
const MOST_DIGITS: usize = 17;

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the values are exact")]
mod tests {
    use super::*;

    #[test]
    fn digits_tell_neighbours_apart() {
        assert_eq!(significant(1_700_000_599.4, 6), 1_700_000_599.0);
        assert_eq!(significant(-0.123_456_78, 6), -0.123_457);
        for (numbers, expected) in [
            (&[1.0, 2.0, 2.0, 3.5][..], 6),
            (&[0.123_456_7, 0.123_457_4], 7),
            (&[1_700_000_000.0, 1_700_000_060.0], 6),
            (&[1_700_000_000.25, 1_700_000_000.5], 11),
            (&[1.0, 1.0 + f64::EPSILON], 17),
            (&[1e20, 1.000_000_1e20], 8),
            (&[f64::NEG_INFINITY, 0.0, f64::INFINITY], 6),
        ] {
            assert_eq!(digits_apart(numbers, 6), expected, "{numbers:?}");
        }
    }
}
