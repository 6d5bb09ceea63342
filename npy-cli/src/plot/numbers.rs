//! The numbers of an array, which are read in pieces.

use std::ffi::OsStr;
use std::sync::Arc;

use npy_core::{DType, DynValues, Order};

use super::strides::Strides;
use crate::escape;
use crate::failure::{Failure, Result};
use crate::formats;
use crate::input::source::Source;
use crate::input::{Keep, pieces};
use crate::select::{Selection, Slice};
use crate::values::quantity;
use crate::values::reals::{self, Part};

/// The largest element.
const MOST_ELEMENT: usize = 64 << 20;

/// An array to plot, or a part of it.
pub(crate) struct Data {
    /// The argument of the user, as text.
    name: String,
    /// The name, and the text of the slice.
    label: String,
    source: Source,
    selection: Option<Selection>,
    pub(super) part: Option<Part>,
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
        let data = Self { name, label, source, selection: None, part: None, window: (0, Vec::new()) };
        match within {
            Some(slice) => data.with_slice(slice),
            None => Ok(data),
        }
    }

    /// A slice of the array.
    pub(crate) fn with_slice(self, slice: &Slice) -> Result<Self> {
        let selection = slice.of(self.source.header()).map_err(|failure| failure.about(self.name()))?;
        Ok(Self { label: format!("{} {}", self.name, slice.text()), selection: Some(selection), ..self })
    }

    /// The array with a part of its complex numbers.
    pub(crate) fn of_part(self, part: Option<Part>) -> Self {
        Self { part, ..self }
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

    /// Keeps the first indices of the first axis that has several, so that no others are read, unless it is that of sub-arrays.
    pub(super) fn keep_first(&mut self, count: usize, field: Option<&str>) -> Result<()> {
        let numbers = Numbers::new(self, field)?;
        let (axes, own) = (numbers.all.shape(), numbers.own_axes);
        let first = axes.iter().position(|length| *length != 1).filter(|axis| axis + own < axes.len());
        if let Some(axis) = first.filter(|_| count > 1) {
            let selection = self.selection.take().unwrap_or_else(|| Selection::new(self.source.header()));
            self.selection = Some(selection.part(axis, 0..count));
        }
        Ok(())
    }

    /// Reads elements from an index on.
    fn elements(&mut self, first: usize) -> Result<DynValues> {
        let selection = self.selection.clone().unwrap_or_else(|| Selection::new(self.source.header()));
        let count = pieces::elements_of_piece(self.source.header().dtype());
        let range = first..first.saturating_add(count).min(selection.count());
        self.source.with(|mut array| selection.read_range(&mut *array, range))
    }

    /// The first time of the array or of a field of it, so that others are close to it; 0 if all are NaT.
    pub(super) fn first_time(&mut self, field: Option<&str>) -> Result<i64> {
        let mut first = 0;
        while first < self.count() {
            let values = self.elements(first)?;
            first += values.header().element_count().max(1);
            let values = if let Some(field) = field { values.field(field)? } else { values };
            let times = reals::whole_numbers_of(values.dtype(), values.bytes())?.unwrap_or_default();
            if let Some(time) = times.into_iter().flatten().next() {
                return Ok(i64::try_from(time).unwrap_or(0));
            }
        }
        Ok(0)
    }

    /// The number at an index of an array of one axis, of times from the origin. Those behind it are read as well.
    fn at(&mut self, index: usize, origin: i64) -> Result<f64> {
        let (first, numbers) = &self.window;
        if let Some(number) = index.checked_sub(*first).and_then(|place| numbers.get(place)) {
            return Ok(*number);
        }
        self.window = (index, reals::numbers_since(&self.elements(index)?, origin)?);
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
    pub(super) all: Strides,
    /// The number of axes that are those of sub-arrays.
    pub(super) own_axes: usize,
    /// The time that is the number 0.
    origin: i64,
    part: Option<Part>,
}

impl<'a> Numbers<'a> {
    /// Fails if the array or the field has no numbers.
    pub(crate) fn new(data: &'a mut Data, field: Option<&str>) -> Result<Self> {
        let ((whole, axes), part) = (data.layout(), data.part);
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
            let names = quantity::listed(number_fields(&dtype, field));
            return Err(Failure::Nameless(format!("cannot plot records: expected --field, or --x and --y, with one of: {names}")));
        }
        match (reals::is_complex(&dtype), part) {
            (true, None) => {
                let expected = "expected --abs, --real, --imag or --phase";
                return Err(Failure::Nameless(format!("cannot plot dtype {dtype}, which has two numbers in each: {expected}")));
            }
            (false, Some(_)) => {
                return Err(Failure::Nameless(format!("cannot take a part of dtype {dtype}: expected complex numbers")));
            }
            (false, None) if !reals::is_real(&dtype) => {
                return Err(Failure::Nameless(format!("cannot plot dtype {dtype}: expected numbers or times")));
            }
            _ => {}
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
            origin: 0,
            part,
        })
    }

    /// Counts times from this one on.
    pub(crate) fn since(self, origin: i64) -> Self {
        Self { origin, ..self }
    }

    /// Keeps axes of length 1, which an image of one row or column has.
    pub(crate) fn keep_all_axes(&mut self) {
        self.strides = self.all.clone();
        self.shape = self.strides.shape();
    }

    /// Calls `each` with all numbers in the order in which they are read, and the position of each.
    pub(crate) fn for_each(&mut self, mut each: impl FnMut(usize, f64)) -> Result<()> {
        let (mut first, origin, part) = (0, self.origin, self.part);
        self.for_each_piece(&mut |values| {
            let numbers = decode(values, origin, part)?;
            numbers.iter().enumerate().for_each(|(place, number)| each(first + place, *number));
            first += numbers.len();
            Ok(())
        })
    }

    /// Calls `each` with the position, the x and the number of all of them. `x` has an origin of times; an array has a value for each
    /// index along an axis.
    pub(crate) fn for_each_over(
        &mut self,
        (x, x_origin): (&mut Horizontal, i64),
        axis: usize,
        mut each: impl FnMut(usize, f64, f64),
    ) -> Result<()> {
        let (strides, own, origin, part) = (self.strides.clone(), self.field.clone(), self.origin, self.part);
        let mut first = 0;
        for_each_piece(self.source, self.selection, &mut |values| {
            let numbers = match &own {
                Some(field) => decode(&values.field(field)?, origin, part)?,
                None => decode(values, origin, part)?,
            };
            let beside = match &x {
                Horizontal::Field(field) => reals::numbers_since(&values.field(field)?, x_origin)?,
                Horizontal::Data(_) => Vec::new(),
            };
            let of_record = (numbers.len() / beside.len().max(1)).max(1);
            for (place, number) in numbers.iter().enumerate() {
                let position = first + place;
                let x = match x {
                    Horizontal::Field(_) => beside.get(place / of_record).copied().unwrap_or(f64::NAN),
                    Horizontal::Data(data) => data.at(strides.index(position, axis), x_origin)?,
                };
                each(position, x, *number);
            }
            first += numbers.len();
            Ok(())
        })
    }

    /// Calls `each` with neighbours along an axis of at most two: their index on the other axis, the index of the first, and the numbers.
    pub(crate) fn for_each_run(&mut self, axis: usize, mut each: impl FnMut(usize, usize, &[f64])) -> Result<()> {
        let (strides, origin, part) = (self.strides.clone(), self.origin, self.part);
        let mut first = 0;
        self.for_each_piece(&mut |values| {
            let numbers = decode(values, origin, part)?;
            strides.for_each_run(axis, (first, &numbers), &mut each);
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
}

/// All numbers: times from the origin on, and the part of complex ones.
fn decode(values: &DynValues, origin: i64, part: Option<Part>) -> Result<Vec<f64>> {
    match part {
        Some(part) => reals::parts(values, part),
        None => reals::numbers_since(values, origin),
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
fn number_fields(dtype: &DType, parent: Option<&str>) -> Vec<String> {
    let is_number = |dtype: &DType| reals::is_real(dtype) || reals::is_complex(dtype);
    let leaves = dtype.leaves();
    let real = leaves.iter().filter(|leaf| is_number(&DType::Scalar(leaf.scalar())));
    real.map(|leaf| parent.map_or_else(|| leaf.path(), |parent| format!("{parent}.{}", leaf.path()))).collect()
}
