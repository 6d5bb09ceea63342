//! Numbers for people: sizes, counts, shapes and indices.

use npy_core::Order;

/// A number of bytes: exact below 1 KiB, then with three digits and a unit.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut size = count as f64 / 1024.0;
    let mut unit = 0;
    // A size that rounds to 1024 is one of the next unit.
    while size >= 1023.5 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(size < 99.95) + usize::from(size < 9.995);
    format!("{size:.digits$} {}", UNITS[unit])
}

/// A count, with a comma after each three digits.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun, in the singular for 1.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// The number of bytes that an array needs, and the number that is there.
pub(crate) fn expected_bytes(expected: u64, found: u64) -> String {
    format!("expected {} of data, found {}", counted(expected, "byte"), count(found))
}

/// A shape as Python writes it.
pub(crate) fn shape(shape: &[usize]) -> String {
    match shape {
        [length] => format!("({length},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The index of an element as NumPy takes it: `3`, or `(3, 4)`.
pub(crate) fn index(index: &[usize]) -> String {
    if let [index] = index { index.to_string() } else { shape(index) }
}

/// The first names of a list, with an ellipsis for the others.
pub(crate) fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    const MOST: usize = 20;
    let mut names = names.into_iter();
    let mut list = String::new();
    for (place, name) in names.by_ref().take(MOST).enumerate() {
        list.push_str(if place > 0 { ", " } else { "" });
        list.push_str(name.as_ref());
    }
    if names.next().is_some() { list + ", …" } else { list }
}

/// The index of an element, by its number in C order.
pub(crate) fn unraveled(mut number: u64, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (position, length) in index.iter_mut().zip(shape).rev() {
        let length = (*length as u64).max(1);
        *position = usize::try_from(number % length).unwrap_or(usize::MAX);
        number /= length;
    }
    index
}

/// The index of an element, by its number in this order.
pub(crate) fn unraveled_in(order: Order, number: u64, shape: &[usize]) -> Vec<usize> {
    match order {
        Order::C => unraveled(number, shape),
        Order::Fortran => {
            let reversed: Vec<usize> = shape.iter().rev().copied().collect();
            let mut index = unraveled(number, &reversed);
            index.reverse();
            index
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (given, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (10_240, "10.0 KiB"),
            (102_400, "100 KiB"),
            ((1 << 20) - 1, "1.00 MiB"),
            (5 << 30, "5.00 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(bytes(given), expected);
        }
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!([0, 1, 2, 1000].map(|rows| counted(rows, "row")), ["0 rows", "1 row", "2 rows", "1,000 rows"]);
        assert_eq!([shape(&[]), shape(&[3]), shape(&[2, 3])], ["()", "(3,)", "(2, 3)"]);
        assert_eq!([index(&[]), index(&[3]), index(&[2, 3])], ["()", "3", "(2, 3)"]);
        assert_eq!(listed(["a", "b"]), "a, b");
        assert_eq!(listed(["a"; 20]).len(), 58);
        assert!(listed(["a"; 21]).ends_with("a, a, …"));
    }
}
