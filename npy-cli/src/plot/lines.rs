//! Lines: the columns of arrays, or fields of records, over their index or other values.

use super::figure::{Axis, Content, Figure};
use super::numbers::{Data, Horizontal, Numbers};
use super::options::Options;
use super::range::{Range, axis_over};
use super::trace::Trace;
use crate::failure::{Failure, Result};
use crate::values::quantity;

/// More columns are an image.
const MOST_LINES: usize = 8;

/// More lines cannot be told apart, even where they are asked for.
const MOST_SERIES: usize = 64;

/// Whether an array of this shape is drawn as lines if nothing else is asked for.
pub(super) fn are_lines(shape: &[usize]) -> bool {
    match shape {
        [] | [_] => true,
        [rows, columns] => few_of(*rows, *columns).is_some(),
        _ => false,
    }
}

/// Whether the lines are the columns (`true`) or the rows.
fn few_of(rows: usize, columns: usize) -> Option<bool> {
    if columns <= MOST_LINES && rows / 4 > columns {
        Some(true)
    } else if rows <= MOST_LINES && columns / 4 > rows {
        Some(false)
    } else {
        None
    }
}

/// Draws lines of arrays, or of fields of each: all of one axis, and the columns or rows of those of two.
pub(super) fn lines(data: &mut [Data], mut x: Option<Horizontal>, options: &Options<'_>) -> Result<Figure> {
    let fields: Vec<Option<&str>> =
        if options.fields.is_empty() { vec![None] } else { options.fields.iter().map(|field| Some(field.as_str())).collect() };
    let (mut plans, are_several) = (Vec::new(), data.len() > 1);
    for (place, data) in data.iter_mut().enumerate() {
        for field in &fields {
            let plan = Plan::of(data, *field, x.as_ref()).map_err(|failure| failure.about(data.name()))?;
            plans.push((place, *field, plan));
        }
    }
    check_count(plans.iter().map(|(_, _, plan)| plan.count).fold(0, usize::saturating_add))?;
    let longest = plans.iter().map(|(_, _, plan)| plan.length.saturating_sub(1)).max().unwrap_or(0) as f64;
    let x_axis = match &mut x {
        Some(x) => axis_over(x, data, options.log.x())?,
        None if options.log.x() => Axis::log("index", 1.0, longest).whole(),
        None => Axis::new("index", None, 0.0, longest).whole(),
    };
    let label = fields.first().copied().flatten().filter(|_| fields.len() == 1).unwrap_or_default();
    let count = plans.iter().map(|(_, _, plan)| plan.count).sum();
    let mut drawing = Drawing { axis: &x_axis, range: Range::new(label, options.log.y()), traces: Vec::new() };
    for (place, field, plan) in plans {
        let Some(data) = data.get_mut(place) else { continue };
        let first = drawing.traces.len();
        for line in 0..plan.count {
            let column = format!("{} {line}", if plan.along == 0 { "column" } else { "row" });
            let of_file = are_several.then(|| data.label());
            let parts = [of_file, field.filter(|_| fields.len() > 1), (plan.count > 1).then_some(&*column)];
            let name = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
            drawing.traces.push(Trace::new(name, options.size.0, count));
        }
        let drawn = drawing.draw((data, field), x.as_mut(), plan.along, first);
        drawn.map_err(|failure| failure.about(data.name()))?;
    }
    let Drawing { range, traces, .. } = drawing;
    let (y, left_out) = range.axis()?;
    let series = traces.into_iter().map(Trace::into_series).collect();
    let (title, y, content) = (options.title.clone(), y.with_margin(), Content::Lines(series));
    Ok(Figure { title, x: x_axis, y, content, left_out, note: None })
}

/// Lines while they are drawn.
struct Drawing<'a> {
    axis: &'a Axis,
    range: Range,
    traces: Vec<Trace>,
}

impl Drawing<'_> {
    /// Draws the lines of an array or of a field of it: the traces from `first` on.
    fn draw(
        &mut self,
        (data, field): (&mut Data, Option<&str>),
        x: Option<&mut Horizontal>,
        along: usize,
        first: usize,
    ) -> Result<()> {
        let origin = self.range.join(data, field)?;
        let mut numbers = Numbers::new(data, field)?.since(origin);
        let Some(x) = x else {
            return numbers.for_each_run(along, |line, index, numbers| self.add_run(first + line, index, numbers));
        };
        let (strides, x_origin) = (numbers.strides(), self.axis.origin());
        numbers.for_each_over((x, x_origin), along, |position, x, number| {
            self.add(first + strides.index(position, 1 - along), x, number);
        })
    }

    fn add(&mut self, line: usize, x: f64, number: f64) {
        if self.axis.is_log() && x <= 0.0 {
            return self.range.leave_out();
        }
        if let Some(trace) = self.traces.get_mut(line) {
            trace.add(self.axis, x, Some(number).filter(|number| self.range.add(*number)));
        }
    }

    /// Adds numbers over their indices from the first on: most blocks by their extremes alone, a billion in a twelfth of the time.
    fn add_run(&mut self, line: usize, first: usize, numbers: &[f64]) {
        const BLOCK: usize = 256;
        for (index, block) in (first..).step_by(BLOCK).zip(numbers.chunks(BLOCK)) {
            let has_all = index > 0 || !self.axis.is_log();
            let ends = if has_all { self.range.add_all(block) } else { None };
            let is_added =
                ends.zip(self.traces.get_mut(line)).is_some_and(|(ends, trace)| trace.add_all(self.axis, (index, block), ends));
            if !is_added {
                (index..).zip(block).for_each(|(index, number)| self.add(line, index as f64, *number));
            }
        }
    }
}

/// How lines are drawn of an array or a field.
struct Plan {
    /// The axis along which they go.
    along: usize,
    length: usize,
    count: usize,
}

impl Plan {
    fn of(data: &mut Data, field: Option<&str>, x: Option<&Horizontal>) -> Result<Self> {
        let numbers = Numbers::new(data, field)?;
        let (rows, columns) = match numbers.shape[..] {
            [] => (1, 1),
            [length] => (length, 1),
            [rows, columns] => (rows, columns),
            ref shape => {
                let (shape, what) = (quantity::shape(shape), field.map(|field| format!("field {field} of ")).unwrap_or_default());
                return Err(Failure::Nameless(format!("cannot plot {what}shape {shape} as lines: expected 1 or 2 axes")));
            }
        };
        let along = match x {
            None if numbers.shape.len() < 2 => 0,
            None => usize::from(!few_of(rows, columns).unwrap_or(true)),
            Some(x) => match x.count() {
                None => 0,
                Some(count) if count == rows => 0,
                Some(count) if count == columns && numbers.shape.len() == 2 => 1,
                Some(count) => {
                    let (x, shape) = (x.label(), quantity::shape(&numbers.shape));
                    return Err(Failure::Nameless(format!(
                        "x and y of different lengths: expected {count} as in {x}, found shape {shape}"
                    )));
                }
            },
        };
        let (length, count) = if along == 0 { (rows, columns) } else { (columns, rows) };
        Ok(Self { along, length, count })
    }
}

fn check_count(count: usize) -> Result<()> {
    if count > MOST_SERIES {
        return Err(Failure::Nameless(format!("too many lines: expected at most {MOST_SERIES}, found {count}")));
    }
    Ok(())
}
