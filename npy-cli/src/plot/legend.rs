//! The names of lines beside their colors.

use super::figure::{Content, Figure};

/// What is written beside several lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Legend {
    /// Of the first lines.
    pub(super) names: Vec<String>,
    /// How many lines have no place.
    pub(super) rest: usize,
}

impl Legend {
    /// The legend of a figure: at most this many lines of text, with names of at most `most_width` characters. Empty where there
    /// is one line.
    pub(super) fn of(figure: &Figure, most_width: usize, most: usize) -> Self {
        let Content::Lines(series) = &figure.content else { return Self::default() };
        if series.len() < 2 || most == 0 {
            return Self::default();
        }
        let shown = if series.len() > most { most - 1 } else { series.len() };
        let names = series.iter().take(shown).map(|series| shortened(&series.name, most_width)).collect();
        Self { names, rest: series.len() - shown }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.rest == 0
    }
}

/// What is written instead of the names of lines without a place.
pub(super) fn more(rest: usize) -> String {
    format!("{rest} more")
}

/// The end tells fields apart more often than the beginning.
fn shortened(name: &str, most: usize) -> String {
    let count = name.chars().count();
    if count <= most {
        return name.to_owned();
    }
    let end: String = name.chars().skip(count - most.saturating_sub(2)).collect();
    format!("..{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::figure::{Axis, Series};

    #[test]
    fn long_names_and_many_lines_are_shortened() {
        let figure = |names: &[&str]| {
            let series = names.iter().map(|name| Series { name: (*name).to_owned(), points: Vec::new() }).collect();
            let axis = Axis::new("", None, 0.0, 1.0);
            Figure { title: String::new(), x: axis.clone(), y: axis, content: Content::Lines(series), left_out: 0 }
        };
        assert_eq!(Legend::of(&figure(&["a", "origin.magnitude"]), 8, 5).names, ["a", "..nitude"]);
        let many = Legend::of(&figure(&["a", "b", "c", "d"]), 8, 3);
        assert_eq!((&many.names[..], more(many.rest)), (&["a".to_owned(), "b".to_owned()][..], "2 more".to_owned()));
        assert!(Legend::of(&figure(&["a"]), 8, 3).is_empty() && Legend::of(&figure(&["a", "b"]), 8, 0).is_empty());
    }
}
