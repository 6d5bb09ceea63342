//! Tables on the screen: columns without lines, as wide as the terminal at most.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table as Grid};

use crate::output::{Screen, Style};

/// The side of a column on which its texts are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A table whose texts were escaped before.
pub(crate) struct Table {
    grid: Grid,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(screen: &Screen, columns: &[(&str, Side)]) -> Self {
        let mut grid = Grid::new();
        grid.load_preset(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        // A table that another program reads is not wrapped.
        grid.set_width(if screen.is_terminal() { u16::try_from(screen.width()).unwrap_or(u16::MAX) } else { u16::MAX });
        grid.set_header(columns.iter().map(|(title, _)| screen.paint(Style::Faint, title)));
        for (column, (_, side)) in grid.column_iter_mut().zip(columns) {
            column.set_padding((0, 2));
            column.set_cell_alignment(match side {
                Side::Left => CellAlignment::Left,
                Side::Right => CellAlignment::Right,
            });
        }
        Self { grid }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.grid.add_row(cells);
    }

    /// Writes the table, each line indented.
    pub(crate) fn write(&self, out: &mut dyn Write, indent: &str) -> io::Result<()> {
        for line in self.grid.to_string().lines() {
            writeln!(out, "{indent}{}", line.trim_end())?;
        }
        Ok(())
    }
}
