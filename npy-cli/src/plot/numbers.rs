//! Reads all of an array in pieces, and keeps what a picture can show.

use npy_core::{DType, DynValues, Order};

use super::figure::Axis;
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::select::Selection;
use crate::signals;
use crate::values::quantity;
use crate::values::reals;

/// How much is read at once.
const PIECE_BYTES: usize = 1 << 20;

/// The largest element.
const MOST_ELEMENT: usize = 64 << 20;

/// The most names of fields in a message.
const MOST_NAMES: usize = 20;

/// The numbers of an array, or of one of its fields.
pub(crate) struct Numbers<'a> {
    source: &'a mut Source,
    selection: Option<&'a Selection>,
    field: Option<String>,
    /// Without axes of length 1.
    pub(crate) shape: Vec<usize>,
    pub(crate) dtype: DType,
    /// The elements of a sub-array, which are in C order.
    inner: usize,
}

impl<'a> Numbers<'a> {
    /// Refuses what has no numbers.
    pub(crate) fn new(source: &'a mut Source, selection: Option<&'a Selection>, field: Option<&str>) -> Result<Self> {
        let name = source.input().name().to_owned();
        let (whole, mut axes) = match selection {
            Some(selection) => (selection.dtype().clone(), selection.shape()),
            None => (source.header().dtype().clone(), source.header().shape().to_vec()),
        };
        let refused = |message: String| Failure::new(format!("{name}: {message}"));
        if whole.itemsize() > MOST_ELEMENT {
            return Err(refused(format!(
                "elements of {} are too large to plot",
                quantity::counted(whole.itemsize() as u64, "byte")
            )));
        }
        let dtype = match field {
            Some(field) => field_of(&whole, field).map_err(|failure| failure.about(&name))?,
            None => whole.clone(),
        };
        if let DType::Record(_) = &dtype {
            let mut names = real_fields(&dtype, field);
            let more = if names.len() > MOST_NAMES { ", …" } else { "" };
            names.truncate(MOST_NAMES);
            let names = names.join(", ");
            return Err(refused(format!("cannot plot records: expected --field, or --x and --y, with one of: {names}{more}")));
        }
        if !reals::is_real(&dtype) {
            return Err(refused(format!("cannot plot dtype {dtype}: expected real numbers or times")));
        }
        let (base, own) = dtype.flattened();
        let inner = own.iter().fold(1_usize, |count, length| count.saturating_mul(*length));
        axes.extend(own);
        if axes.contains(&0) {
            return Err(refused("the array is empty: there is nothing to plot".to_owned()));
        }
        let shape: Vec<usize> = axes.into_iter().filter(|length| *length != 1).collect();
        let dtype = base.clone();
        Ok(Self { source, selection, field: field.map(str::to_owned), shape, dtype, inner })
    }

    /// Calls `each` with all numbers in the order of the file, and the place of the first of them.
    pub(crate) fn read(&mut self, each: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        let (field, mut first) = (self.field.clone(), 0);
        pieces(self.source, self.selection, &mut |values| {
            let numbers = match &field {
                Some(field) => reals::numbers(&values.field(field)?)?,
                None => reals::numbers(values)?,
            };
            each(first, &numbers)?;
            first += numbers.len();
            Ok(())
        })
    }

    /// Calls `each` with all integers or times, `None` for NaT.
    pub(crate) fn read_whole(&mut self, each: &mut dyn FnMut(&[Option<i128>])) -> Result<()> {
        let field = self.field.clone();
        pieces(self.source, self.selection, &mut |values| {
            let numbers = match &field {
                Some(field) => {
                    let values = values.field(field)?;
                    reals::whole_numbers_of(values.dtype(), values.bytes())?
                }
                None => reals::whole_numbers_of(values.dtype(), values.bytes())?,
            };
            each(&numbers.unwrap_or_default());
            Ok(())
        })
    }

    /// Returns a function from the place of a number in the file to its index.
    pub(crate) fn index(&self) -> impl Fn(usize) -> [usize; 3] + use<> {
        let mut lengths = [1; 3];
        for (length, found) in lengths.iter_mut().rev().zip(self.shape.iter().rev()) {
            *length = *found;
        }
        let is_fortran = self.is_fortran();
        let inner = self.inner;
        let elements = lengths.iter().fold(1_usize, |count, length| count.saturating_mul(*length)) / inner.max(1);
        move |place: usize| {
            let [planes, rows, columns] = lengths;
            if is_fortran && inner == 1 {
                return [place % planes, place / planes % rows, place / planes / rows];
            }
            // Of the other arrays with sub-arrays in Fortran order only those of one axis are plotted.
            debug_assert!(place < elements.saturating_mul(inner).max(1) || columns == 0);
            [place / columns / rows, place / columns % rows, place % columns]
        }
    }

    /// An axis for these numbers.
    pub(crate) fn axis(&self, label: &str, (least, most): (f64, f64), is_log: bool) -> Axis {
        if is_log { Axis::log(label, least, most) } else { Axis::new(label, Some(self.dtype.clone()), least, most) }
    }

    /// Fails if times are to be on a logarithmic axis.
    pub(crate) fn check_log(&self, is_log: bool) -> Result<()> {
        if is_log && reals::scalar_of(&self.dtype).is_some_and(reals::is_time) {
            let name = self.source.input().name();
            return Err(Failure::new(format!("{name}: a logarithmic axis has no times: expected numbers, found {}", self.dtype)));
        }
        Ok(())
    }

    /// Whether elements with sub-arrays are in an order that [`index`](Self::index) does not know.
    pub(crate) fn is_mixed(&self) -> bool {
        self.inner > 1 && self.is_fortran()
    }

    fn is_fortran(&self) -> bool {
        self.selection.is_none() && self.source.header().order() == Order::Fortran
    }

    /// The range of the finite numbers, and how many numbers a logarithmic axis leaves out.
    pub(crate) fn range(&mut self, is_log: bool) -> Result<(f64, f64, u64)> {
        self.check_log(is_log)?;
        let mut range = Range::new(is_log);
        self.read(&mut |_, numbers| {
            for number in numbers {
                range.add(*number);
            }
            Ok(())
        })?;
        range.found(self.source.input().name())
    }
}

/// Calls `each` with all elements: those of a selection in C order, and all others in the order of the file.
pub(crate) fn pieces(
    source: &mut Source,
    selection: Option<&Selection>,
    each: &mut dyn FnMut(&DynValues) -> Result<()>,
) -> Result<()> {
    let count = (PIECE_BYTES / source.header().dtype().itemsize().max(1)).max(1);
    source.with(|mut array| {
        let Some(selection) = selection else {
            while let Some(values) = array.next_elements(count)? {
                signals::check()?;
                each(&values)?;
            }
            return Ok(());
        };
        let all = selection.shape().iter().fold(1_usize, |count, length| count.saturating_mul(*length));
        let mut first = 0;
        while first < all {
            let end = all.min(first.saturating_add(count));
            for part in selection.boxes(first..end) {
                signals::check()?;
                each(&part.read(&mut *array)?)?;
            }
            first = end;
        }
        Ok(())
    })
}

/// The dtype of a field, with all axes of sub-arrays, also those around it.
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

/// The range of the finite numbers that an axis has.
pub(crate) struct Range {
    is_log: bool,
    least: f64,
    most: f64,
    count: u64,
    left_out: u64,
}

impl Range {
    pub(crate) fn new(is_log: bool) -> Self {
        Self { is_log, least: 0.0, most: 0.0, count: 0, left_out: 0 }
    }

    /// Adds a number; `false` if the axis does not have it.
    pub(crate) fn add(&mut self, number: f64) -> bool {
        if self.is_log && number <= 0.0 {
            self.leave_out();
            return false;
        }
        if number.is_finite() {
            (self.least, self.most) =
                if self.count == 0 { (number, number) } else { (self.least.min(number), self.most.max(number)) };
            self.count += 1;
        }
        number.is_finite()
    }

    /// Counts a number that another axis does not have.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// The range, and how many numbers are left out of it. Fails where nothing can be shown.
    pub(crate) fn found(self, name: &str) -> Result<(f64, f64, u64)> {
        if self.count == 0 {
            let problem = match self.left_out {
                0 => "all values are NaN or infinite",
                _ => "no value is positive, as on a logarithmic axis",
            };
            return Err(Failure::new(format!("{name}: there is nothing to plot: {problem}")));
        }
        Ok((self.least, self.most, self.left_out))
    }
}

/// The means of the pixels of an image that is larger than the picture.
pub(crate) struct Means {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) channels: usize,
    of: (usize, usize),
    sums: Vec<f64>,
    counts: Vec<u32>,
}

impl Means {
    /// Of an image of these rows and columns, for a picture of that size.
    pub(crate) fn new((rows, columns, channels): (usize, usize, usize), (most_width, most_height): (usize, usize)) -> Self {
        let (width, height) = (columns.min(most_width.max(1)), rows.min(most_height.max(1)));
        let count = width * height * channels;
        Self { width, height, channels, of: (rows, columns), sums: vec![0.0; count], counts: vec![0; count] }
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, channel: usize, number: f64) {
        if !number.is_finite() {
            return;
        }
        let scaled =
            |index: usize, to: usize, from: usize| usize::try_from(index as u128 * to as u128 / (from as u128).max(1)).unwrap_or(0);
        let (y, x) = (scaled(row, self.height, self.of.0), scaled(column, self.width, self.of.1));
        let place = (y * self.width + x) * self.channels + channel;
        if let (Some(sum), Some(count)) = (self.sums.get_mut(place), self.counts.get_mut(place)) {
            *sum += number;
            *count = count.saturating_add(1);
        }
    }

    /// The means, row after row; NaN where nothing was finite.
    pub(crate) fn means(&self) -> Vec<f64> {
        self.sums
            .iter()
            .zip(&self.counts)
            .map(|(sum, count)| if *count == 0 { f64::NAN } else { sum / f64::from(*count) })
            .collect()
    }
}
