//! The numbers of an array, which are read in pieces.

use npy_core::{DType, DynValues, Order};

use super::figure::Axis;
use crate::failure::{Failure, Result};
use crate::input::pieces;
use crate::input::source::Source;
use crate::select::Selection;
use crate::values::{fields, quantity, reals};

/// The largest element.
const MOST_ELEMENT: usize = 64 << 20;

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
    pub(crate) fn new(source: &'a mut Source, selection: Option<&'a Selection>, field: Option<&str>) -> Result<Self> {
        let (whole, axes) = match selection {
            Some(selection) => (selection.dtype().clone(), selection.shape()),
            None => (source.header().dtype().clone(), source.header().shape().to_vec()),
        };
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
        Ok(Self { source, selection, field: field.map(str::to_owned), shape: strides.shape(), dtype, strides, all })
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
pub(crate) fn for_each_piece(
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
