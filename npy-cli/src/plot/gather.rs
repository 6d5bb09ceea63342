//! Reads all of an array in pieces, and keeps what a picture can show.

use npy_core::{DType, DynValues, Order};

use super::figure::Series;
use crate::failure::{Failure, Result};
use crate::input::source::Source;
use crate::numbers;
use crate::select::Selection;
use crate::signals;

/// How much is read at once.
const PIECE_BYTES: usize = 1 << 20;

/// The largest element.
const MOST_ELEMENT: usize = 64 << 20;

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
            Some(selection) => (selection.dtype()?, selection.shape()),
            None => (source.header().dtype().clone(), source.header().shape().to_vec()),
        };
        let refused = |message: String| Failure::new(format!("{name}: {message}"));
        if whole.itemsize() > MOST_ELEMENT {
            return Err(refused(format!("elements of {} bytes are too large to plot", whole.itemsize())));
        }
        let dtype = match field {
            Some(field) => field_of(&whole, field).map_err(|failure| failure.about(&name))?,
            None => whole.clone(),
        };
        if let DType::Record(record) = &dtype {
            let names: Vec<&str> =
                record.fields().iter().filter(|field| numbers::is_real(field.dtype())).map(npy_core::dtype::Field::name).collect();
            let prefix = field.map(|field| format!("{field}.")).unwrap_or_default();
            let names = names.iter().take(20).map(|name| format!("{prefix}{name}")).collect::<Vec<_>>().join(", ");
            return Err(refused(format!("cannot plot records: expected --field, or --x and --y, with one of: {names}")));
        }
        if !numbers::is_real(&dtype) {
            return Err(refused(format!("cannot plot dtype {dtype}: expected real numbers or times")));
        }
        let mut inner = 1_usize;
        let mut base = &dtype;
        while let DType::SubArray(array) = base {
            axes.extend(array.shape());
            inner = array.shape().iter().fold(inner, |count, length| count.saturating_mul(*length));
            base = array.base();
        }
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
                Some(field) => numbers::numbers(&values.field(field)?)?,
                None => numbers::numbers(values)?,
            };
            each(first, &numbers)?;
            first += numbers.len();
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

    /// Whether elements with sub-arrays are in an order that [`index`](Self::index) does not know.
    pub(crate) fn is_mixed(&self) -> bool {
        self.inner > 1 && self.is_fortran()
    }

    fn is_fortran(&self) -> bool {
        self.selection.is_none() && self.source.header().order() == Order::Fortran
    }

    /// The range of the finite numbers, and how many there are.
    pub(crate) fn range(&mut self) -> Result<(f64, f64, u64)> {
        let mut range = Range::default();
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

fn field_of(dtype: &DType, name: &str) -> Result<DType> {
    let empty = DynValues::new(dtype.clone(), Order::C, &[0], Vec::new())?;
    // The error names the fields that there are.
    empty.field(name)?;
    let mut found = dtype.clone();
    let mut rest = Some(name);
    while let Some(path) = rest {
        let DType::Record(record) = &found else { break };
        // A name can have a dot itself.
        let ends = path.match_indices('.').map(|(dot, _)| dot).chain([path.len()]);
        let hit = ends.rev_find(|end| record.field(&path[..*end]).is_some());
        let Some(end) = hit else { break };
        rest = path.get(end + 1..);
        found = record.field(&path[..end]).map_or_else(|| dtype.clone(), |field| field.dtype().clone());
    }
    Ok(found)
}

/// The last one that fits, of an iterator from its beginning.
trait RevFind: Iterator {
    fn rev_find(self, fits: impl FnMut(&Self::Item) -> bool) -> Option<Self::Item>;
}

impl<I: Iterator> RevFind for I {
    fn rev_find(self, fits: impl FnMut(&I::Item) -> bool) -> Option<I::Item> {
        self.filter(fits).last()
    }
}

/// The range of finite numbers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Range {
    least: f64,
    most: f64,
    count: u64,
}

impl Range {
    pub(crate) fn add(&mut self, number: f64) {
        if number.is_finite() {
            (self.least, self.most) =
                if self.count == 0 { (number, number) } else { (self.least.min(number), self.most.max(number)) };
            self.count += 1;
        }
    }

    /// Fails where nothing is finite.
    pub(crate) fn found(self, name: &str) -> Result<(f64, f64, u64)> {
        if self.count == 0 {
            return Err(Failure::new(format!("{name}: there is nothing to plot: all values are NaN or infinite")));
        }
        Ok((self.least, self.most, self.count))
    }
}

/// A line of which each pixel keeps the least and the greatest value, so that no spike is lost.
pub(crate) struct Line {
    length: usize,
    pixels: Vec<Extremes>,
}

#[derive(Clone, Copy)]
struct Extremes {
    least: (usize, f64),
    most: (usize, f64),
}

impl Line {
    /// A line of `length` points for a picture of this width.
    pub(crate) fn new(length: usize, width: usize) -> Self {
        let none = Extremes { least: (0, f64::NAN), most: (0, f64::NAN) };
        Self { length, pixels: vec![none; length.min(width.max(1))] }
    }

    pub(crate) fn add(&mut self, index: usize, number: f64) {
        let pixel = index as u128 * self.pixels.len() as u128 / (self.length as u128).max(1);
        let Some(pixel) = usize::try_from(pixel).ok().and_then(|pixel| self.pixels.get_mut(pixel)) else { return };
        if !number.is_finite() {
            return;
        }
        if pixel.least.1.is_nan() || number < pixel.least.1 {
            pixel.least = (index, number);
        }
        if pixel.most.1.is_nan() || number > pixel.most.1 {
            pixel.most = (index, number);
        }
    }

    pub(crate) fn into_series(self, name: String) -> Series {
        let mut points = Vec::with_capacity(self.pixels.len() * 2);
        for (place, Extremes { least, most }) in self.pixels.iter().enumerate() {
            let (first, second) = if least.0 <= most.0 { (least, most) } else { (most, least) };
            if first.1.is_nan() {
                points.push((place as f64, f64::NAN));
                continue;
            }
            points.push((first.0 as f64, first.1));
            if first.0 != second.0 {
                points.push((second.0 as f64, second.1));
            }
        }
        Series { name, points }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_stays_and_nan_breaks_the_line() {
        let mut line = Line::new(1_000_000, 100);
        for index in 0..1_000_000 {
            line.add(index, if index == 654_321 { 99.0 } else { 0.0 });
        }
        assert!(line.into_series(String::new()).points.contains(&(654_321.0, 99.0)));
        let mut line = Line::new(3, 100);
        [1.0, f64::NAN, 3.0].into_iter().enumerate().for_each(|(index, number)| line.add(index, number));
        let points = line.into_series(String::new()).points;
        assert!(points.len() == 3 && points[1].1.is_nan() && points[2] == (2.0, 3.0), "{points:?}");
    }
}
