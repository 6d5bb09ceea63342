//! Layout of elements: brackets, line breaks and ellipses.

use std::fmt;
use std::iter::repeat_n;
use std::mem;

use super::options::PrintOptions;
use super::stream::{MOST_KEPT, Passed, Text, is_line_end, pad};
use crate::options::Order;

/// The printed elements of an array: all, or those at the edges.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    shape: Vec<usize>,
    /// The number of elements printed at each end of an abbreviated axis.
    edges: Vec<Option<usize>>,
}

impl Selection {
    pub(crate) fn new(shape: &[usize], options: &PrintOptions) -> Self {
        Self { shape: shape.to_vec(), edges: options.edges(shape) }
    }

    /// The number of printed elements.
    pub(super) fn count(&self) -> usize {
        (0..self.shape.len()).fold(1, |count, axis| count.saturating_mul(self.printed(axis)))
    }

    /// The number of printed elements along each axis.
    pub(super) fn lengths(&self) -> Vec<usize> {
        (0..self.shape.len()).map(|axis| self.printed(axis)).collect()
    }

    /// Visits the indices in memory of the printed elements, the last axis fastest.
    ///
    /// `lengths` are those of the whole array, or of the printed elements only.
    pub(crate) fn visit(&self, lengths: &[usize], order: Order, mut visit: impl FnMut(usize)) {
        let mut strides = vec![0; lengths.len()];
        let mut stride = 1_usize;
        let mut set = |axis: usize| {
            strides[axis] = stride;
            stride = stride.saturating_mul(lengths[axis]);
        };
        match order {
            Order::C => (0..lengths.len()).rev().for_each(&mut set),
            Order::Fortran => (0..lengths.len()).for_each(&mut set),
        }
        if !lengths.contains(&0) {
            self.visit_axes(lengths, &strides, 0, &mut visit);
        }
    }

    fn visit_axes(&self, lengths: &[usize], strides: &[usize], begin: usize, visit: &mut impl FnMut(usize)) {
        let axis = lengths.len() - strides.len();
        match strides {
            [] => visit(begin),
            // Without a call for each element.
            [stride] => self.positions(axis, lengths[axis]).for_each(|position| visit(begin + position * stride)),
            [stride, inner @ ..] => {
                for position in self.positions(axis, lengths[axis]) {
                    self.visit_axes(lengths, inner, begin + position * stride, visit);
                }
            }
        }
    }

    /// Returns whether the array has no axes.
    pub(super) fn is_scalar(&self) -> bool {
        self.shape.is_empty()
    }

    fn printed(&self, axis: usize) -> usize {
        let length = self.shape.get(axis).copied().unwrap_or(1);
        self.edges.get(axis).copied().flatten().map_or(length, |edge| edge.saturating_mul(2))
    }

    /// The positions of the printed elements along an axis. `length` is that of the whole array, or of
    /// the printed elements only.
    pub(super) fn positions(&self, axis: usize, length: usize) -> impl Iterator<Item = usize> + use<> {
        let printed = self.printed(axis).min(length);
        let behind = printed / 2;
        let first = if printed < length { printed - behind } else { length };
        (0..first).chain(length - (printed - first)..length)
    }
}

/// The layout around and between the elements of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The maximum length of a line, the text before the array included.
    pub(crate) line_width: usize,
    /// The length of the text before the array, and the blanks before each further line.
    pub(crate) indent: usize,
    /// The text between two elements. Its blank is dropped at the end of a line.
    pub(crate) separator: &'static str,
}

impl Frame {
    /// As `str` writes an array.
    pub(crate) fn plain(options: &PrintOptions) -> Self {
        Self { line_width: options.line_width, indent: 0, separator: " " }
    }
}

/// A cursor over the printed elements, the last axis fastest.
pub(crate) trait Elements {
    /// Moves to the next element. The first call moves to the first one.
    fn advance(&mut self) -> fmt::Result;

    /// Writes the element. Called twice if its text is long, unless it [nests](Self::nests).
    fn write(&self, out: &mut Text<'_>);

    /// Returns whether elements may hold arrays. Their texts are kept, because writing twice on each
    /// level takes exponential time.
    fn nests(&self) -> bool {
        false
    }
}

/// Elements written by a function of their index among the printed ones.
pub(crate) struct ByIndex<F> {
    write: F,
    next: usize,
    nests: bool,
}

impl<F: Fn(usize, &mut Text<'_>)> ByIndex<F> {
    pub(crate) fn new(write: F) -> Self {
        Self { write, next: 0, nests: false }
    }

    /// Creates elements that may hold arrays.
    #[cfg(feature = "object")]
    pub(crate) fn nested(write: F) -> Self {
        Self { nests: true, ..Self::new(write) }
    }
}

impl<F: Fn(usize, &mut Text<'_>)> Elements for ByIndex<F> {
    fn advance(&mut self) -> fmt::Result {
        self.next += 1;
        Ok(())
    }

    fn write(&self, out: &mut Text<'_>) {
        (self.write)(self.next.saturating_sub(1), out);
    }

    fn nests(&self) -> bool {
        self.nests
    }
}

/// Writes an array.
pub(crate) fn write_array(
    selection: &Selection,
    frame: Frame,
    elements: &mut dyn Elements,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    if selection.shape.contains(&0) {
        return out.write_str("[]");
    }
    if selection.is_scalar() {
        elements.advance()?;
        let mut text = Text::passed_to(out);
        elements.write(&mut text);
        return text.finish();
    }
    Writer { selection, frame, elements, out }.axis(0, frame.line_width)
}

/// The ellipsis for omitted elements.
struct Dots;

impl Elements for Dots {
    fn advance(&mut self) -> fmt::Result {
        Ok(())
    }

    fn write(&self, out: &mut Text<'_>) {
        out.push_str("...");
    }
}

struct Writer<'a> {
    selection: &'a Selection,
    frame: Frame,
    elements: &'a mut dyn Elements,
    out: &'a mut dyn fmt::Write,
}

impl Writer<'_> {
    /// Writes an axis and the axes in it. Each level is indented by one more column.
    fn axis(&mut self, axis: usize, width: usize) -> fmt::Result {
        let inner_axes = self.selection.shape.len().saturating_sub(axis + 1);
        if inner_axes == 0 {
            return self.last_axis(axis, width.saturating_sub(1));
        }
        let edge = self.selection.edges.get(axis).copied().flatten();
        self.out.write_char('[')?;
        for index in 0..self.selection.printed(axis) {
            if index > 0 {
                self.separate(inner_axes, axis)?;
            }
            if edge == Some(index) {
                self.out.write_str("...")?;
                self.separate(inner_axes, axis)?;
            }
            self.axis(axis + 1, width.saturating_sub(1))?;
        }
        self.out.write_char(']')
    }

    fn separate(&mut self, inner_axes: usize, axis: usize) -> fmt::Result {
        self.out.write_str(self.frame.separator.trim_end())?;
        let blanks = repeat_n(' ', self.frame.indent + axis + 1);
        repeat_n('\n', inner_axes).chain(blanks).try_for_each(|character| self.out.write_char(character))
    }

    /// Writes the elements along the last axis in lines of at most this width, without the closing
    /// bracket.
    fn last_axis(&mut self, axis: usize, width: usize) -> fmt::Result {
        let edge = self.selection.edges.get(axis).copied().flatten();
        let printed = self.selection.printed(axis);
        self.out.write_char('[')?;
        let indent = self.frame.indent + axis + 1;
        let most = if self.elements.nests() { usize::MAX } else { MOST_KEPT };
        let mut line = Line { indent, width, most, text: String::new(), length: indent, blanks: 0 };
        for index in 0..printed {
            if edge == Some(index) {
                line.push(&Dots, self.out)?;
                line.append(self.frame.separator, self.frame.separator.len());
            }
            self.elements.advance()?;
            line.push(self.elements, self.out)?;
            if index + 1 < printed {
                line.append(self.frame.separator, self.frame.separator.len());
            }
        }
        line.finish(self.out)?;
        self.out.write_char(']')
    }
}

/// The current line.
struct Line {
    /// Blanks before each line, except the first, which begins with the bracket.
    indent: usize,
    width: usize,
    /// The most bytes of an element's text that are kept.
    most: usize,
    /// The text after the blanks.
    text: String,
    /// Characters in the line, with the blanks.
    length: usize,
    /// Blanks to write before the text.
    blanks: usize,
}

impl Line {
    /// Appends the text of an element, to a new line if it does not fit this one.
    fn push(&mut self, element: &dyn Elements, out: &mut dyn fmt::Write) -> fmt::Result {
        self.pass(out)?;
        let begin = self.text.len();
        let mut text = Text::keeping(mem::take(&mut self.text), self.most);
        element.write(&mut text);
        let (text, passed) = text.into_counted()?;
        self.text = text;
        if passed.characters > 0 {
            return self.push_long(element, passed, begin, out);
        }
        let word = self.text.get(begin..).unwrap_or_default();
        let width = if is_plain(word) {
            word.len()
        } else {
            let lines = split_lines(word);
            if lines.len() > 1 {
                let word = self.text.split_off(begin);
                return self.push_lines(&split_lines(&word), out);
            }
            word.chars().count()
        };
        if self.is_beyond(width) {
            let word = self.text.split_off(begin);
            self.start(self.indent, out)?;
            self.text.push_str(&word);
        }
        self.length += width;
        Ok(())
    }

    /// Appends an element whose text is too long to be kept. It was counted, and begins at `begin`.
    fn push_long(&mut self, element: &dyn Elements, passed: Passed, begin: usize, out: &mut dyn fmt::Write) -> fmt::Result {
        let rest = self.text.get(begin..).unwrap_or_default();
        let width = passed.characters + rest.chars().count();
        let has_lines = passed.has_lines || rest.contains(is_line_end);
        self.text.truncate(begin);
        if has_lines {
            let mut whole = Text::whole(String::new());
            element.write(&mut whole);
            return self.push_lines(&split_lines(&whole.into_kept()?), out);
        }
        if self.is_beyond(width) {
            self.start(self.indent, out)?;
        }
        self.write(out)?;
        self.text.clear();
        self.blanks = 0;
        let mut text = Text::passed_to(out);
        element.write(&mut text);
        self.text = text.into_kept()?;
        self.length += width;
        Ok(())
    }

    /// Writes the text of a long line, without trailing blanks.
    fn pass(&mut self, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.text.len() <= MOST_KEPT {
            return Ok(());
        }
        let blanks = self.text.split_off(self.text.trim_end().len());
        self.write(out)?;
        self.blanks = 0;
        self.text = blanks;
        Ok(())
    }

    /// Appends an element of several lines, aligned below each other.
    fn push_lines(&mut self, lines: &[&str], out: &mut dyn fmt::Write) -> fmt::Result {
        let width = |line: &str| line.chars().count();
        let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
        if self.is_beyond(widest) {
            self.start(self.indent, out)?;
        }
        let indent = self.length;
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                self.start(indent, out)?;
            }
            self.append(line, width(line));
        }
        pad(indent + widest - self.length, &mut self.text);
        self.length = indent + widest;
        Ok(())
    }

    /// Returns whether a word of this width needs a new line.
    fn is_beyond(&self, width: usize) -> bool {
        self.length + width > self.width && self.length > self.indent
    }

    fn append(&mut self, text: &str, width: usize) {
        self.text.push_str(text);
        self.length += width;
    }

    /// Writes the line without trailing blanks, and begins another one.
    fn start(&mut self, indent: usize, out: &mut dyn fmt::Write) -> fmt::Result {
        self.text.truncate(self.text.trim_end().len());
        if !self.text.is_empty() {
            self.write(out)?;
        }
        out.write_char('\n')?;
        self.text.clear();
        (self.length, self.blanks) = (indent, indent);
        Ok(())
    }

    fn finish(mut self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.write(out)
    }

    fn write(&mut self, out: &mut dyn fmt::Write) -> fmt::Result {
        repeat_n(' ', self.blanks).try_for_each(|blank| out.write_char(blank))?;
        out.write_str(&self.text)
    }
}

/// Returns whether all characters are printable ASCII, eight at a time.
fn is_plain(word: &str) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let are_plain = |bytes: [u8; 8]| {
        let bytes = u64::from_le_bytes(bytes);
        // The upper bit of bytes below a blank or above ASCII.
        (bytes.wrapping_sub(ONES * 0x20) | bytes) & (ONES * 0x80) == 0
    };
    let (chunks, rest) = word.as_bytes().as_chunks::<8>();
    let mut last = [b' '; 8];
    last.iter_mut().zip(rest).for_each(|(last, byte)| *last = *byte);
    chunks.iter().all(|chunk| are_plain(*chunk)) && are_plain(last)
}

/// Splits a text into lines, as `str.splitlines` does.
fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some((line, behind)) = rest.split_once(is_line_end) {
        let is_pair = rest.get(line.len()..).is_some_and(|end| end.starts_with("\r\n"));
        lines.push(line);
        rest = if is_pair { behind.strip_prefix('\n').unwrap_or(behind) } else { behind };
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::options::PrintOptions;
    use super::{Selection, split_lines};

    #[test]
    fn lines_end_where_pythons_do() {
        assert_eq!(split_lines("a\r\nb\n\nc\u{2028}d\x1ce\n"), ["a", "b", "", "c", "d", "e"]);
        assert_eq!(split_lines(""), [""; 0]);
    }

    #[test]
    fn edges_are_the_same_in_the_whole_array_and_in_its_edges() {
        let options = PrintOptions::new().threshold(10).edge_items(2);
        let selection = Selection::new(&[5, 4], &options);
        let positions = |axis, length| selection.positions(axis, length).collect::<Vec<_>>();
        assert_eq!(positions(0, 5), [0, 1, 3, 4]);
        assert_eq!(positions(0, 4), [0, 1, 2, 3]);
        assert_eq!(positions(1, 4), [0, 1, 2, 3]);
        assert_eq!(selection.count(), 16);
    }
}
