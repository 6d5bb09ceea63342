//! The name that was meant by one that is not there.

/// `; did you mean "x"?`, or nothing where no known name is similar.
pub(crate) fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let lower = name.to_lowercase();
    let length = name.chars().count();
    // A third of the characters may be wrong, but not all. A file of that name may be a broken link. Long names are not compared with thousands of others.
    let is_other = |other: &&str| *other != name && name.len().max(other.len()) <= MOST_BYTES;
    let known = known.into_iter().take(MOST_NAMES).filter(is_other);
    let similar = known.map(|other| (strsim::damerau_levenshtein(&lower, &other.to_lowercase()), other));
    let similar = similar.filter(|(edits, other)| *edits <= (length / 3).max(1) && *edits < length.max(other.chars().count()));
    let nearest = similar.min_by_key(|(edits, _)| *edits);
    nearest.map_or_else(String::new, |(_, other)| format!("; did you mean {other:?}?"))
}

const MOST_NAMES: usize = 10_000;
const MOST_BYTES: usize = 200;

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn similar_names_are_suggested() {
        let known = ["time", "station", "Magnitude", "x"];
        for (name, meant) in [("tiem", "time"), ("stations", "station"), ("magnitude", "Magnitude"), ("magnitud", "Magnitude")] {
            assert_eq!(hint(name, known), format!("; did you mean {meant:?}?"));
        }
        for name in ["depth", "", "statistics", "ü", "y", "time", "tone"] {
            assert_eq!(hint(name, known), "", "{name}");
        }
        assert_eq!(hint(&"x".repeat(1000), known), "");
    }
}
