//! The numbers of an array, which are read in pieces.

use std::ffi::OsStr;
use std::sync::Arc;

use npy_core::{DType, DynValues, Order};

use super::figure::Axis;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::source::Source;
use crate::input::{Keep, pieces};
use crate::select::{Selection, Slice};
use crate::values::{fields, quantity, reals};

/// The largest element.
const MOST_ELEMENT: usize = 64 << 20;

/// The values of x that are read at once beside others.
const WINDOW: usize = 1 << 16;

/// An array to plot, or a part of it.
pub(crate) struct Data {
    /// The argument of the user, as text.
    name: String,
    /// The name, and the text of the slice.
    label: String,
    source: Source,
    selection: Option<Selection>,
    /// The numbers from an index on that [`at`](Self::at) read last.
    window: (usize, Vec<f64>),
}

impl Data {
    /// Opens the argument of a user, a file, a member, or standard input, and keeps these rows of it.
    pub(crate) fn open(argument: &OsStr, slice: Option<&Slice>, rows: Option<&Arc<dyn Keep>>) -> Result<Self> {
        let mut input = formats::input_of_one(argument)?;
        let (mut index, mut within) = (input.only_member()?, slice);
        if let Some(path) = slice.filter(|_| rows.is_none())
            && input.header(index)?.dtype().has_object()
        {
            input = formats::inside(input, path.text())?;
            (within, index) = (None, input.only_member()?);
        }
        input.tell_of_further();
        input.keep(rows);
        let (name, source) = (escape::path(argument).into_owned(), Source::open(input, index)?);
        let label = slice.map_or_else(|| name.clone(), |slice| format!("{name} {}", slice.text()));
        let mut data = Self { name, label, source, selection: None, window: (0, Vec::new()) };
        let selection = within.map(|slice| slice.of(data.source.header())).transpose();
        data.selection = selection.map_err(|failure| failure.about(data.name()))?;
        Ok(data)
    }

    /// The argument of the user, as text.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The argument and its slice, for a legend.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// The lengths of the axes in the file.
    pub(crate) fn file_shape(&self) -> &[usize] {
        self.source.header().shape()
    }

    /// The dtype of the elements, and the lengths of the axes.
    fn layout(&self) -> (DType, Vec<usize>) {
        match &self.selection {
            Some(selection) => (selection.dtype().clone(), selection.shape()),
            None => (self.source.header().dtype().clone(), self.source.header().shape().to_vec()),
        }
    }

    /// The number of elements.
    pub(super) fn count(&self) -> usize {
        self.layout().1.iter().fold(1, |count, length| count.saturating_mul(*length))
    }

    /// Whether the elements have fields.
    pub(crate) fn has_fields(&self) -> bool {
        matches!(self.layout().0.flattened().0, DType::Record(_))
    }

    /// The number at an index of an array of one axis. Those behind it are read as well.
    fn at(&mut self, index: usize) -> Result<f64> {
        let (first, numbers) = &self.window;
        if let Some(number) = index.checked_sub(*first).and_then(|place| numbers.get(place)) {
            return Ok(*number);
        }
        let selection = self.selection.clone().unwrap_or_else(|| Selection::new(self.source.header()));
        let range = index..index.saturating_add(WINDOW).min(selection.count());
        let values = self.source.with(|mut array| selection.read_range(&mut *array, range))?;
        self.window = (index, reals::numbers(&values)?);
        Ok(self.window.1.first().copied().unwrap_or(f64::NAN))
    }
}

/// The values of the horizontal axis.
pub(crate) enum Horizontal {
    /// A field of the records that are plotted.
    Field(String),
    /// An array of one axis.
    Data(Box<Data>),
}

impl Horizontal {
    /// The name of the field or of the file.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Field(field) => field.clone(),
            Self::Data(data) => data.name().to_owned(),
        }
    }

    /// The axis of the values that belong to these arrays.
    pub(super) fn axis(&mut self, data: &mut [Data], is_log: bool) -> Result<Axis> {
        let mut range = Range::new(&self.label(), is_log);
        let mut add = |data: &mut Data, field: Option<&str>| -> Result<()> {
            let mut numbers = Numbers::new(data, field)?;
            let own = numbers.own_axes;
            if own > 0 || field.is_none() && numbers.shape.len() > 1 {
                let (what, shape) = (if field.is_some() { "one value in each record" } else { "one axis" }, numbers.all.shape());
                let shape = quantity::shape(if field.is_some() { &shape[shape.len() - own..] } else { &shape });
                return Err(Failure::Nameless(format!("cannot plot over values of shape {shape}: expected {what}")));
            }
            range.join(&numbers.dtype)?;
            numbers.for_each(|_, number| {
                range.add(number);
            })
        };
        match self {
            Self::Field(field) => {
                for data in data {
                    add(data, Some(field)).map_err(|failure| failure.about(data.name()))?;
                }
            }
            Self::Data(data) => add(data, None).map_err(|failure| failure.about(data.name()))?,
        }
        Ok(range.axis().map_err(|failure| failure.about(&self.label()))?.0)
    }

    /// The number of values; `None` where each record has its own.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::Field(_) => None,
            Self::Data(data) => Some(data.count()),
        }
    }
}

/// The numbers of an array, or of one of its fields.
pub(crate) struct Numbers<'a> {
    source: &'a mut Source,
    selection: Option<&'a Selection>,
    field: Option<String>,
    /// Without axes of length 1, unless these are kept.
    pub(crate) shape: Vec<usize>,
    pub(crate) dtype: DType,
    strides: Strides,
    /// With axes of length 1.
    all: Strides,
    /// The number of axes that are those of sub-arrays.
    own_axes: usize,
}

/// For each axis the distance of neighbours among the numbers as they are read, and its length.
#[derive(Clone)]
pub(crate) struct Strides(Vec<(usize, usize)>);

impl Strides {
    /// The strides of `axes` in an order, and of `own`, the axes of sub-arrays, in C order.
    fn new(axes: &[usize], order: Order, own: &[usize]) -> Self {
        let mut stride = 1_usize;
        let mut next = |length: &usize| {
            let found = (stride, *length);
            stride = stride.saturating_mul(*length);
            found
        };
        let mut inner: Vec<_> = own.iter().rev().map(&mut next).collect();
        let mut outer: Vec<_> = match order {
            Order::C => axes.iter().rev().map(&mut next).collect(),
            Order::Fortran => axes.iter().map(&mut next).collect(),
        };
        if order == Order::C {
            outer.reverse();
        }
        inner.reverse();
        Self(outer.into_iter().chain(inner).collect())
    }

    /// Without axes of length 1.
    fn long(&self) -> Self {
        Self(self.0.iter().copied().filter(|(_, length)| *length != 1).collect())
    }

    fn shape(&self) -> Vec<usize> {
        self.0.iter().map(|(_, length)| *length).collect()
    }

    /// The index along an axis of the number at a position.
    pub(crate) fn index(&self, position: usize, axis: usize) -> usize {
        self.0.get(axis).map_or(0, |(stride, length)| position / stride % length)
    }
}

impl<'a> Numbers<'a> {
    /// Fails if the array or the field has no numbers.
    pub(crate) fn new(data: &'a mut Data, field: Option<&str>) -> Result<Self> {
        let (whole, axes) = data.layout();
        let (source, selection) = (&mut data.source, data.selection.as_ref());
        if whole.itemsize() > MOST_ELEMENT {
            return Err(Failure::Nameless(format!(
                "elements of {} are too large to plot",
                quantity::counted(whole.itemsize() as u64, "byte")
            )));
        }
        let dtype = match field {
            Some(field) => field_of(&whole, field)?,
            None => whole.clone(),
        };
        if let DType::Record(_) = &dtype {
            let names = quantity::listed(real_fields(&dtype, field));
            return Err(Failure::Nameless(format!("cannot plot records: expected --field, or --x and --y, with one of: {names}")));
        }
        if !reals::is_real(&dtype) {
            return Err(Failure::Nameless(format!("cannot plot dtype {dtype}: expected real numbers or times")));
        }
        let (base, own) = dtype.flattened();
        if axes.iter().chain(&own).any(|length| *length == 0) {
            return Err(Failure::Nameless("the array is empty: there is nothing to plot".to_owned()));
        }
        // A selection is read in C order.
        let order = if selection.is_some() { Order::C } else { source.header().order() };
        let all = Strides::new(&axes, order, &own);
        let (strides, dtype) = (all.long(), base.clone());
        Ok(Self {
            source,
            selection,
            field: field.map(str::to_owned),
            shape: strides.shape(),
            dtype,
            strides,
            all,
            own_axes: own.len(),
        })
    }

    /// Keeps axes of length 1, which an image of one row or column has.
    pub(crate) fn keep_all_axes(&mut self) {
        self.strides = self.all.clone();
        self.shape = self.strides.shape();
    }

    /// Calls `each` with all numbers in the order in which they are read, and the position of each.
    pub(crate) fn for_each(&mut self, mut each: impl FnMut(usize, f64)) -> Result<()> {
        let mut first = 0;
        self.for_each_piece(&mut |values| {
            let numbers = reals::numbers(values)?;
            numbers.iter().enumerate().for_each(|(place, number)| each(first + place, *number));
            first += numbers.len();
            Ok(())
        })
    }

    /// Calls `each` with the position, the x and the number of all of them. Without `x`, it is the index along an axis.
    pub(crate) fn for_each_over(
        &mut self,
        mut x: Option<&mut Horizontal>,
        axis: usize,
        mut each: impl FnMut(usize, f64, f64),
    ) -> Result<()> {
        let (strides, own) = (self.strides(), self.field.clone());
        let mut first = 0;
        for_each_piece(self.source, self.selection, &mut |values| {
            let numbers = match &own {
                Some(field) => reals::numbers(&values.field(field)?)?,
                None => reals::numbers(values)?,
            };
            let beside = match x.as_deref() {
                Some(Horizontal::Field(field)) => reals::numbers(&values.field(field)?)?,
                _ => Vec::new(),
            };
            let of_record = (numbers.len() / beside.len().max(1)).max(1);
            for (place, number) in numbers.iter().enumerate() {
                let position = first + place;
                let x = match x.as_deref_mut() {
                    None => strides.index(position, axis) as f64,
                    Some(Horizontal::Field(_)) => beside.get(place / of_record).copied().unwrap_or(f64::NAN),
                    Some(Horizontal::Data(data)) => data.at(strides.index(position, axis))?,
                };
                each(position, x, *number);
            }
            first += numbers.len();
            Ok(())
        })
    }

    /// Calls `each` with all integers or times, but NaT.
    pub(crate) fn for_each_whole(&mut self, mut each: impl FnMut(i128)) -> Result<()> {
        self.for_each_piece(&mut |values| {
            let numbers = reals::whole_numbers_of(values.dtype(), values.bytes())?.unwrap_or_default();
            for number in numbers.iter().flatten() {
                each(*number);
            }
            Ok(())
        })
    }

    fn for_each_piece(&mut self, each: &mut dyn FnMut(&DynValues) -> Result<()>) -> Result<()> {
        let field = self.field.as_deref();
        for_each_piece(self.source, self.selection, &mut |values| match field {
            Some(field) => each(&values.field(field)?),
            None => each(values),
        })
    }

    /// The number of them.
    pub(crate) fn count(&self) -> usize {
        self.shape.iter().fold(1, |count, length| count.saturating_mul(*length))
    }

    /// The strides, to find the index of a number by its position.
    pub(crate) fn strides(&self) -> Strides {
        self.strides.clone()
    }

    /// The axis of all numbers, and how many of them it leaves out.
    pub(crate) fn axis(&mut self, label: &str, is_log: bool) -> Result<(Axis, u64)> {
        let mut range = Range::new(label, is_log);
        range.join(&self.dtype)?;
        self.for_each(|_, number| {
            range.add(number);
        })?;
        range.axis()
    }
}

/// Calls `each` with all elements: of a selection in C order, otherwise in the order of the file.
fn for_each_piece(
    source: &mut Source,
    selection: Option<&Selection>,
    each: &mut dyn FnMut(&DynValues) -> Result<()>,
) -> Result<()> {
    source.with(|mut array| match selection {
        Some(selection) => selection.for_each_piece(0..selection.count(), &mut *array, each),
        None => {
            let order = array.header().order();
            pieces::for_each(&mut *array, order, &mut |values| each(&values))
        }
    })
}

/// The dtype of a field, with the axes of all sub-arrays around it.
fn field_of(dtype: &DType, name: &str) -> Result<DType> {
    let field = DynValues::new(dtype.clone(), Order::C, &[0], Vec::new())?.field(name)?;
    Ok(match field.shape().get(1..) {
        None | Some([]) => field.dtype().clone(),
        Some(axes) => field.dtype().clone().sub_array(axes)?,
    })
}

/// The paths of the fields that can be plotted, at any depth.
fn real_fields(dtype: &DType, parent: Option<&str>) -> Vec<String> {
    let leaves = dtype.leaves();
    let real = leaves.iter().filter(|leaf| reals::is_real(&DType::Scalar(leaf.scalar())));
    real.map(|leaf| parent.map_or_else(|| leaf.path(), |parent| format!("{parent}.{}", leaf.path()))).collect()
}

/// The range of the finite numbers on an axis.
pub(crate) struct Range {
    label: String,
    is_log: bool,
    dtypes: Vec<DType>,
    least: f64,
    most: f64,
    left_out: u64,
}

impl Range {
    pub(crate) fn new(label: &str, is_log: bool) -> Self {
        Self { label: label.to_owned(), is_log, dtypes: Vec::new(), least: f64::INFINITY, most: f64::NEG_INFINITY, left_out: 0 }
    }

    /// Prepares for numbers of this dtype. Fails for times on a logarithmic axis.
    pub(crate) fn join(&mut self, dtype: &DType) -> Result<()> {
        if self.is_log && fields::scalar_of(dtype).is_some_and(reals::is_time) {
            return Err(Failure::Nameless(format!("a logarithmic axis has no times: expected numbers, found {dtype}")));
        }
        self.dtypes.push(dtype.clone());
        Ok(())
    }

    /// Adds a number. Returns whether the axis has it.
    pub(crate) fn add(&mut self, number: f64) -> bool {
        if self.is_log && number <= 0.0 {
            self.leave_out();
            return false;
        }
        if number.is_finite() {
            (self.least, self.most) = (self.least.min(number), self.most.max(number));
        }
        number.is_finite()
    }

    /// Counts a number that another axis does not have.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// The axis, and how many numbers it leaves out. Fails if it has none.
    pub(crate) fn axis(self) -> Result<(Axis, u64)> {
        let Self { least, most, .. } = self;
        if least > most {
            let problem = match self.left_out {
                0 => "all values are NaN or infinite",
                _ => "no value is positive, as on a logarithmic axis",
            };
            return Err(Failure::Nameless(format!("there is nothing to plot: {problem}")));
        }
        if self.is_log {
            return Ok((Axis::log(self.label, least, most), self.left_out));
        }
        // Times are written as such if all are of one unit.
        let dtype = self.dtypes.first().filter(|first| self.dtypes.iter().all(|dtype| dtype == *first)).cloned();
        Ok((Axis::new(self.label, dtype, least, most), self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_indices_in_any_order() {
        let index = |order: Order, position: usize| {
            let strides = Strides::new(&[2, 1, 3], order, &[4]).long();
            [0, 1, 2, 3].map(|axis| strides.index(position, axis))
        };
        assert_eq!(index(Order::C, 12 + 2 * 4 + 3), [1, 2, 3, 0]);
        assert_eq!(index(Order::Fortran, 3 + 4 * (1 + 2 * 2)), [1, 2, 3, 0]);
    }
}
