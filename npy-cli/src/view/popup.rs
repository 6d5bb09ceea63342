//! Popups, which cover the table until a key: help, the list of members, a histogram, one element.

use std::ops::Range;

use ratatui::crossterm::event::KeyCode;

use super::grid::Grid;
use super::histogram::Summary;
use crate::escape;
use crate::values::quantity;

/// Lines in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Popup {
    pub(crate) title: String,
    pub(crate) lines: Vec<String>,
    /// The first line on the screen.
    pub(crate) top: usize,
    /// The line of the list that Enter opens.
    pub(crate) selected: Option<usize>,
    list: Option<List>,
    /// The columns and the lines of the screen that it had last.
    pub(crate) place: (Range<usize>, Range<usize>),
}

/// All lines of a list, of which those are shown that have a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    all: Vec<String>,
    /// The numbers of the lines that are shown.
    numbers: Vec<usize>,
    /// The text that is typed, behind `/`.
    needle: Option<String>,
}

/// The most bytes of a text to search a list for.
const MOST_NEEDLE: usize = 200;

const HELP: &str = "\
arrows, hjkl     move the cursor
PgUp, PgDn       a screen up, down
Ctrl-U, Ctrl-D   half a screen up, down
Home/g, End/G    first, last row
0, $             first, last column
:                go to an index: 5 or -1
                 or 5, 2 or 5, field
                 or axes: 3, :, :
/                search this column: text,
                 5, >5, <=5, nan; n next, N back
\\                search all columns
&                show rows where: x > 3 and ok
                 Esc shows all again
Tab, Shift-Tab   next, previous array
m                list of the arrays, / searches it,
                 a second click opens
Enter            the whole element
y, Y             copy the element, the column
s                sort by this column
H                histogram of it
C                colors of numbers, on or off
p                picture, in which arrows step
                 through images; p, Esc close
t                exchange rows, columns
r, c             other axis as rows, columns
, and .          back, on along another axis
a                select that axis
R                read a file again that changed
Ctrl-L, Ctrl-Z   draw again, suspend
?                this help
Esc              close, stop
q                quit";

impl Popup {
    fn new(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { title: title.into(), lines, top: 0, selected: None, list: None, place: Default::default() }
    }

    pub(crate) fn help() -> Self {
        Self::new("keys", HELP.lines().map(str::to_owned).collect())
    }

    /// The list of the arrays, of which one is selected.
    pub(crate) fn arrays(all: Vec<String>, selected: usize) -> Self {
        let list = List { all: all.clone(), numbers: (0..all.len()).collect(), needle: None };
        Self { selected: Some(selected), list: Some(list), ..Self::new("arrays", all) }
    }

    /// The number of the selected array.
    pub(crate) fn chosen(&self) -> Option<usize> {
        self.list.as_ref()?.numbers.get(self.selected?).copied()
    }

    /// Takes a key for the text that the lines have to have; `/` begins it, and Esc ends it. Returns whether it took it.
    pub(crate) fn is_typed(&mut self, code: KeyCode) -> bool {
        let chosen = self.chosen();
        let Some(list) = &mut self.list else { return false };
        match (code, &mut list.needle) {
            (KeyCode::Char('/'), None) => list.needle = Some(String::new()),
            (KeyCode::Char(character), Some(needle)) if needle.len() < MOST_NEEDLE => needle.push(character),
            (KeyCode::Backspace, Some(needle)) if !needle.is_empty() => {
                needle.pop();
            }
            (KeyCode::Esc | KeyCode::Backspace, Some(_)) => list.needle = None,
            (KeyCode::Char(_), Some(_)) => {}
            _ => return false,
        }
        let needle = list.needle.as_deref().unwrap_or_default().to_lowercase();
        let has = |number: &usize| list.all.get(*number).is_some_and(|line| line.to_lowercase().contains(&needle));
        list.numbers = (0..list.all.len()).filter(has).collect();
        self.lines = list.numbers.iter().filter_map(|number| list.all.get(*number).cloned()).collect();
        self.title = match &list.needle {
            Some(needle) => format!("arrays /{}", escape::line(needle)),
            None => "arrays".to_owned(),
        };
        // The same array stays selected, if it is shown.
        self.selected = Some(list.numbers.iter().position(|number| Some(*number) == chosen).unwrap_or(0));
        true
    }

    /// All of one element.
    pub(crate) fn element(title: String, text: &str) -> Self {
        Self::new(title, text.lines().map(str::to_owned).collect())
    }

    pub(crate) fn histogram(grid: &Grid, column: usize, summary: &Summary) -> Self {
        let title = format!("histogram of {}", grid.title(column));
        if summary.finite == 0 {
            let count = quantity::count(summary.not_finite);
            return Self::new(title, vec![format!("no finite values; {count} NaN or infinite")]);
        }
        let ([least, most, mean], edges) = summary.texts(grid.dtype(column));
        let mut lines = vec![
            format!("count  {}", quantity::count(summary.finite)),
            format!("least  {least}"),
            format!("most   {most}"),
            format!("mean   {mean}"),
        ];
        if summary.not_finite > 0 {
            lines.push(format!("other  {} NaN or infinite", quantity::count(summary.not_finite)));
        }
        lines.push(String::new());
        let width = edges.iter().map(|edge| edge.chars().count()).max().unwrap_or(0);
        let heights = summary.heights();
        let highest = heights.iter().copied().max().unwrap_or(0).max(1);
        let counts: Vec<String> = summary.bins.iter().map(|count| quantity::count(*count)).collect();
        let counts_width = counts.iter().map(String::len).max().unwrap_or(0);
        for ((edge, height), count) in edges.iter().zip(heights).zip(counts) {
            lines.push(format!("{edge:>width$} {count:>counts_width$} {}", bar(height, highest)));
        }
        Self::new(title, lines)
    }

    /// Selects the line of the list at a place on the screen. Returns whether it was selected before; `None` where there is none.
    pub(crate) fn select_at(&mut self, x: usize, y: usize) -> Option<bool> {
        let (columns, lines) = &self.place;
        let line = self.top + y.checked_sub(lines.start)?;
        let is_line = self.list.is_some() && columns.contains(&x) && lines.contains(&y) && line < self.lines.len();
        is_line.then(|| self.selected.replace(line) == Some(line))
    }

    /// Scrolls; the selected line of a list stays on the screen.
    pub(crate) fn scroll(&mut self, lines: isize) {
        let height = self.place.1.len().max(1);
        self.top = self.top.saturating_add_signed(lines).min(self.lines.len().saturating_sub(height));
        let last = self.top + height - 1;
        self.selected =
            self.selected.map(|selected| selected.clamp(self.top, last.min(self.lines.len().saturating_sub(1)).max(self.top)));
    }

    /// Moves the selected line, or scrolls.
    pub(crate) fn move_by(&mut self, lines: isize) {
        let last = self.lines.len().saturating_sub(1);
        match &mut self.selected {
            Some(selected) => *selected = selected.saturating_add_signed(lines).min(last),
            None => self.top = self.top.saturating_add_signed(lines).min(last),
        }
    }

    /// Scrolls so that the selected line is on the screen, and no line is blank without need.
    pub(crate) fn fit(&mut self, height: usize) {
        let height = height.max(1);
        if let Some(selected) = self.selected {
            self.top = self.top.min(selected).max((selected + 1).saturating_sub(height));
        }
        self.top = self.top.min(self.lines.len().saturating_sub(height));
    }
}

/// A bar of at most 24 columns, in eighths of one.
fn bar(count: u128, highest: u128) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = count.saturating_mul(24 * 8) / highest;
    let eighths = usize::try_from(eighths).unwrap_or(0).max(usize::from(count > 0));
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS.get(eighths % 8).unwrap_or(&""))
}
