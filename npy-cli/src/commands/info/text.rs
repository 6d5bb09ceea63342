//! Properties of a file as text.

use std::io::Write;

use npy_core::{DType, Order};

use super::about::{About, AboutArray, Content, Member, MemberContent, method_name, title_text};
use super::dtype::short_dtype;
use crate::commands::order::order_name;
use crate::escape;
use crate::failure::Result;
use crate::output::table::{Side, Table};
use crate::output::{Screen, Style};
use crate::values::quantity;

/// A table of arrays, whose first column has this title, and whose last ones are these.
pub(super) fn table(screen: &Screen, first: &str, last: &[(&str, Side)]) -> Table {
    let usual = [("dtype", Side::Left), ("shape", Side::Left), ("order", Side::Left), ("size", Side::Right)];
    Table::new(screen, &[&[(first, Side::Left)], &usual[..], last].concat())
}

impl About {
    /// Writes all that is known of one file.
    pub(super) fn write(&self, screen: &mut Screen) -> Result<()> {
        let title = screen.paint(Style::Title, &escape::line(&self.file));
        let size = self.bytes.map(|bytes| format!(", {}", quantity::bytes(bytes))).unwrap_or_default();
        match &self.content {
            Content::Array { format, array, further } => {
                let version = array.header.version();
                let about = match *format {
                    "npy" => format!(".npy, version {version}{size}"),
                    format => format!(".{format}{size}"),
                };
                writeln!(screen, "{title}  {}", screen.paint(Style::Faint, &about))?;
                array.write(screen)?;
                self.write_further(screen, further)
            }
            Content::Archive { format, members } => match &members[..] {
                [member] => {
                    let title = screen.paint(Style::Title, &escape::line(&format!("{}:{}", self.file, member.name)));
                    let stored = if *format == "npz" { member.storage() } else { format!(".{format}{size}") };
                    writeln!(screen, "{title}  {}", screen.paint(Style::Faint, &stored))?;
                    match &member.content {
                        MemberContent::Array(array) => array.write(screen),
                        MemberContent::Other => Ok(writeln!(screen, "  not an array")?),
                        MemberContent::Damaged(message) => Ok(writeln!(screen, "  {}", screen.paint(Style::Bad, message))?),
                    }
                }
                members => self.write_archive(screen, &format!(".{format}"), &size, members),
            },
            Content::Damaged(message) => Ok(writeln!(screen, "{}", screen.paint(Style::Bad, message))?),
        }
    }

    /// Writes a line for each member of an archive.
    fn write_archive(&self, screen: &mut Screen, format: &str, size: &str, members: &[Member]) -> Result<()> {
        let title = screen.paint(Style::Title, &escape::line(&self.file));
        let count = if members.is_empty() { "no members".to_owned() } else { quantity::counted(members.len() as u64, "member") };
        writeln!(screen, "{title}  {}", screen.paint(Style::Faint, &format!("{format}, {count}{size}")))?;
        let mut table = table(screen, "member", &[("stored as", Side::Left)]);
        for member in members {
            member.write_row(screen, &mut table, &member.name);
        }
        Ok(table.write(screen, "  ")?)
    }

    /// Writes a line for each array behind the first.
    fn write_further(&self, screen: &mut Screen, further: &[AboutArray]) -> Result<()> {
        if further.is_empty() {
            return Ok(());
        }
        let arrays = if further.len() == 1 { "array".to_owned() } else { format!("{} arrays", further.len()) };
        writeln!(screen, "  {} the {arrays} behind it", screen.paint(Style::Name, &format!("{:<9}", "further")))?;
        let mut table = table(screen, "array", &[("offset", Side::Right), ("", Side::Left)]);
        for (place, array) in further.iter().enumerate() {
            let name = screen.paint(Style::Title, &escape::line(&self.further_name(place)));
            let [dtype, shape, order, size] = array.cells(screen);
            let offset = array.data_offset.map(|offset| offset.to_string()).unwrap_or_default();
            table.row([name, dtype, shape, order, size, offset, array.note(screen)]);
        }
        table.write(screen, "  ")?;
        let end = further.last().and_then(|last| Some(last.data_offset? + last.trailing.map(|_| last.header.data_bytes())?));
        match self.bytes.zip(end).and_then(|(bytes, end)| bytes.checked_sub(end)) {
            None | Some(0) => Ok(()),
            Some(rest) => Ok(writeln!(screen, "  {} after the last array", plural_bytes(rest.into()))?),
        }
    }

    /// Adds the file to a table of many, with a row for each array and member.
    pub(super) fn write_rows(&self, screen: &Screen, table: &mut Table) {
        let file = escape::line(&self.file);
        match &self.content {
            Content::Array { array, further, .. } => {
                let names = (0..further.len()).map(|place| self.further_name(place));
                for (name, array) in std::iter::once(self.file.clone()).chain(names).zip(std::iter::once(array).chain(further)) {
                    let [dtype, shape, order, size] = array.cells(screen);
                    let name = screen.paint(Style::Title, &escape::line(&name));
                    table.row([name, dtype, shape, order, size, array.note(screen)]);
                }
            }
            Content::Archive { members, .. } if members.is_empty() => {
                table.row([file.into_owned(), "no members".to_owned()]);
            }
            Content::Archive { members, .. } => {
                for member in members {
                    member.write_row(screen, table, &format!("{}:{}", self.file, member.name));
                }
            }
            Content::Damaged(message) => {
                // The message begins with the name of the file.
                let message = message.strip_prefix(&format!("{file}: ")).unwrap_or(message);
                let name = screen.paint(Style::Title, &file);
                let none = String::new();
                // In the last column, so that a long message does not widen the others.
                table.row([name, none.clone(), none.clone(), none.clone(), none, screen.paint(Style::Bad, message)]);
            }
        }
    }
}

impl AboutArray {
    fn cells(&self, screen: &Screen) -> [String; 4] {
        let header = &self.header;
        [
            screen.paint(Style::DType, &short_dtype(header.dtype())),
            short_shape(header.shape()),
            order_name(header).to_owned(),
            quantity::bytes(header.data_bytes()),
        ]
    }

    /// A remark for a table of many arrays.
    fn note(&self, screen: &Screen) -> String {
        match self.trailing {
            Some(bytes) if bytes < 0 => screen.paint(Style::Bad, &format!("truncated: {} missing", plural_bytes(-bytes))),
            _ if self.problem.is_some() => {
                // Without the reason.
                let problem = self.problem.as_deref().and_then(|problem| problem.split(':').next());
                screen.paint(Style::Bad, problem.unwrap_or_default())
            }
            Some(bytes) if bytes > 0 => format!("{} after the array", plural_bytes(bytes)),
            _ if self.header.dtype().has_object() => "Python objects".to_owned(),
            _ => String::new(),
        }
    }

    fn write(&self, screen: &mut Screen) -> Result<()> {
        let header = &self.header;
        let dtype = header.dtype();
        let mut line = |name: &str, text: &str| -> Result<()> {
            let name = screen.paint(Style::Name, &format!("{name:<9}"));
            Ok(writeln!(screen, "  {name} {text}")?)
        };
        let count = header.element_count() as u64;
        let elements = quantity::counted(count, "element");
        line("shape", &format!("{}, {elements}", quantity::shape(header.shape())))?;
        line(
            "order",
            if header.order() == Order::C {
                "C (the last index varies fastest)"
            } else {
                "Fortran (the first index varies fastest)"
            },
        )?;
        if dtype.has_object() {
            line("data", "Python objects, stored as a pickle; nothing of it is run here")?;
        } else {
            let place = match (self.data_offset, self.alignment()) {
                (Some(offset), Some(alignment)) => format!(" at offset {offset}, aligned to {alignment}"),
                _ => String::new(),
            };
            line("data", &format!("{}{place}", size(header.data_bytes())))?;
        }
        line("mappable", if self.is_mappable() { "yes" } else { "no" })?;
        match self.trailing {
            Some(bytes) if bytes < 0 => {
                let expected = header.data_bytes();
                let found = i128::from(expected) + bytes;
                let found = u64::try_from(found.max(0)).unwrap_or(u64::MAX);
                line("problem", &format!("truncated: {}", quantity::expected_bytes(expected, found)))?;
            }
            Some(bytes) if bytes > 0 => line("trailing", &format!("{} after the array", plural_bytes(bytes)))?,
            _ => {}
        }
        if let Some(problem) = &self.problem {
            line("problem", problem)?;
        }
        line("dtype", &short_dtype(dtype))?;
        write_fields(screen, dtype, 0, 2)?;
        self.tree.as_ref().map_or(Ok(()), |tree| tree.write(screen))
    }
}

impl Member {
    /// The compression method and its ratio.
    fn storage(&self) -> String {
        let method = method_name(self.method);
        if self.method == 0 || self.bytes == 0 {
            return method;
        }
        format!("{method}, {} ({:.1} %)", quantity::bytes(self.compressed_bytes), self.ratio() * 100.0)
    }

    fn write_row(&self, screen: &Screen, table: &mut Table, name: &str) {
        let name = screen.paint(Style::Title, &escape::line(name));
        match &self.content {
            MemberContent::Array(array) => {
                let [dtype, shape, order, size] = array.cells(screen);
                let note = array.note(screen);
                let note = if note.is_empty() { self.storage() } else { format!("{}; {note}", self.storage()) };
                table.row([name, dtype, shape, order, size, note]);
            }
            MemberContent::Other => {
                let none = String::new();
                let about = screen.paint(Style::Faint, "not an array");
                table.row([name, about, none.clone(), none, quantity::bytes(self.bytes), self.storage()]);
            }
            MemberContent::Damaged(message) => {
                let none = String::new();
                table.row([name, none.clone(), none.clone(), none.clone(), none, screen.paint(Style::Bad, message)]);
            }
        }
    }
}

fn plural_bytes(count: i128) -> String {
    quantity::counted(u64::try_from(count).unwrap_or(u64::MAX), "byte")
}

fn size(bytes: u64) -> String {
    if bytes < 1024 {
        quantity::counted(bytes, "byte")
    } else {
        format!("{} ({} bytes)", quantity::bytes(bytes), quantity::count(bytes))
    }
}

/// A shape for a table; of many axes the first ones.
fn short_shape(shape: &[usize]) -> String {
    if shape.len() <= 8 {
        return quantity::shape(shape);
    }
    let first: Vec<String> = shape.iter().take(6).map(usize::to_string).collect();
    format!("({}, …), {} axes", first.join(", "), shape.len())
}

/// Writes the fields of a record as a tree, each with its offset in the whole record.
fn write_fields(screen: &mut Screen, dtype: &DType, base: usize, depth: usize) -> Result<()> {
    let Some(record) = dtype.record() else { return Ok(()) };
    let names: Vec<String> = record.fields().iter().map(|field| escape::line(field.name()).into_owned()).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(30);
    for (field, name) in record.fields().iter().zip(names) {
        let offset = screen.paint(Style::Faint, &format!("{:>8}", base + field.offset()));
        let padding = " ".repeat(widest.saturating_sub(name.chars().count()));
        let name = screen.paint(Style::Name, &name);
        let title = field.title().map(|title| format!("  title {}", title_text(title))).unwrap_or_default();
        let title = screen.paint(Style::Faint, &escape::line(&title));
        let dtype = screen.paint(Style::DType, &short_dtype(field.dtype()));
        writeln!(screen, "{offset}{}{name}{padding}  {dtype}{title}", "  ".repeat(depth))?;
        write_fields(screen, field.dtype(), base + field.offset(), depth + 1)?;
    }
    Ok(())
}
