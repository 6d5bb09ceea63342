//! Names of types and fields in Rust code.

use std::collections::{HashMap, HashSet};

use super::super::rust_type::{in_array, rust_type};
use super::super::{DType, ScalarKind};

/// Words of letters and digits.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// A name in `PascalCase`.
pub(super) fn type_name(name: &str) -> String {
    let mut pascal = String::new();
    for word in words(name) {
        let (first, rest) = word.split_at(1);
        pascal.push_str(&first.to_ascii_uppercase());
        pascal.push_str(rest);
    }
    match pascal.as_bytes().first() {
        None => "Record".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("Record{pascal}"),
        _ if pascal == "Self" => "SelfRecord".to_owned(),
        _ => pascal,
    }
}

/// A name in `snake_case`.
pub(super) fn field_name(name: &str) -> String {
    const KEYWORDS: &str = " abstract as async await become box break const continue do dyn else enum extern false final fn for gen if impl \
        in let loop macro match mod move mut override priv pub ref return static struct trait true try type typeof unsafe unsized use \
        virtual where while yield ";
    let mut snake = String::new();
    let mut previous = '_';
    for word in words(name) {
        if !snake.is_empty() {
            snake.push('_');
            previous = '_';
        }
        for letter in word.chars() {
            // `peakTime` has two words.
            if letter.is_ascii_uppercase() && (previous.is_ascii_lowercase() || previous.is_ascii_digit()) {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
            previous = letter;
        }
    }
    match snake.as_bytes().first() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("field_{snake}"),
        // These can be no raw identifiers.
        _ if matches!(snake.as_str(), "self" | "super" | "crate") => snake + "_",
        _ if KEYWORDS.contains(&format!(" {snake} ")) => format!("r#{snake}"),
        _ => snake,
    }
}

/// Names that are taken, and of each how many were made of it.
#[derive(Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
    /// Whether text has types of a fixed width.
    is_exact: bool,
}

impl Names {
    /// The names of types.
    pub(super) fn of_types(is_exact: bool) -> Self {
        Self { taken: HashSet::from(["String".to_owned()]), is_exact, ..Self::default() }
    }

    /// The type of elements that are no records.
    pub(super) fn element(&self, dtype: &DType) -> Option<String> {
        match dtype {
            DType::SubArray(array) => self.element(array.base()).map(|item| in_array(item, array.shape())),
            DType::Scalar(scalar)
                if !self.is_exact && matches!(scalar.kind(), ScalarKind::Bytes { .. } | ScalarKind::Unicode { .. }) =>
            {
                Some("String".to_owned())
            }
            other => rust_type(other, "npy_core::"),
        }
    }

    /// The name, cut where it is very long, and with a number if it is taken.
    pub(super) fn add(&mut self, name: &str, separator: &str) -> String {
        const LONGEST: usize = 64;
        // All of it is ASCII.
        let name = name.get(..LONGEST).map_or(name, |cut| cut.trim_end_matches('_'));
        let mut unique = name.to_owned();
        while !self.taken.insert(unique.clone()) {
            let count = self.counts.entry(name.to_owned()).or_insert(1);
            *count += 1;
            unique = format!("{}{separator}{count}", name.trim_start_matches("r#"));
        }
        unique
    }
}
