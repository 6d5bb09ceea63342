//! Elements of one dtype as elements of another: fields moved, bytes swapped, numbers cast.

use std::collections::HashMap;

use npy_core::dtype::{ByteOrder, Scalar, ScalarKind, TimeUnit};
use npy_core::scalar::{Class, Decoder};
use npy_core::{DType, DynValues, Order};

use super::dtypes::in_order;
use crate::failure::{Failure, Result, about_field};
use crate::formats::text::time::{Misfit, Time};
use crate::formats::text::{Problem, cast, slot};
use crate::values::columns::{self, Column};
use crate::values::{quantity, units};

/// The plan for converting elements.
pub(in super::super) struct Transcode {
    to: DType,
    /// `None` if the elements stay as they are.
    steps: Option<Vec<Step>>,
    is_lossy: bool,
    /// The number of elements that were converted.
    position: u64,
}

struct Step {
    from: Column,
    to: Column,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Copy,
    /// Swaps words of as many bytes.
    Swap(usize),
    /// Casts numbers.
    Cast,
    /// Reads text as a cell of CSV.
    Parse,
    /// Pads or truncates text of this many bytes a character.
    Resize {
        character: usize,
    },
    /// Encodes text as ASCII, or decodes it.
    Recode,
    /// Takes the numbers of times.
    Number,
    /// Multiplies times by a fraction.
    Rescale {
        numerator: i128,
        denominator: i128,
    },
    /// Converts points in time between units of which one counts months, by the calendar.
    Redate,
}

impl Transcode {
    /// Plans the conversion; the columns are matched by their paths.
    pub(in super::super) fn new(from: &DType, to: &DType, is_lossy: bool) -> Result<Self> {
        if from == to {
            return Ok(Self { to: to.clone(), steps: None, is_lossy, position: 0 });
        }
        let sources: HashMap<String, Column> = columns::of(from)?.into_iter().map(|column| (column.key.clone(), column)).collect();
        let steps = columns::of(to)?.into_iter().map(|to| {
            let path = &to.path;
            let Some(from) = sources.get(&to.key) else {
                let expected = if path.is_empty() { "records".to_owned() } else { format!("the field \"{path}\"") };
                return Err(Failure::Nameless(format!("cannot convert {from} to the dtype: expected {expected}")));
            };
            if from.axes != to.axes {
                let (expected, found) = (quantity::shape(&from.axes), quantity::shape(&to.axes));
                return Err(Failure::Nameless(format!(
                    "field \"{path}\": expected a sub-array of shape {expected}, found {found}"
                )));
            }
            let how = how(from.scalar, to.scalar).ok_or_else(|| {
                let message = format!("cannot convert {} to {}", from.scalar, to.scalar);
                let hint = match to.scalar.kind() {
                    ScalarKind::Unicode { .. } | ScalarKind::Bytes { .. } => {
                        "expected text; CSV and JSON have the text of other values"
                    }
                    ScalarKind::Ml(_) | ScalarKind::Float8E5M2 => "expected numbers",
                    _ => "expected numbers, text, or times of a fixed length",
                };
                Failure::Nameless(format!("{}{message}: {hint}", about_field(path)))
            })?;
            Ok(Step { from: from.clone(), to, how })
        });
        Ok(Self { to: to.clone(), steps: Some(steps.collect::<Result<_>>()?), is_lossy, position: 0 })
    }

    /// Converts the next elements, an array of one dimension, of an array of this order and shape.
    pub(in super::super) fn apply(&mut self, values: DynValues, order: Order, shape: &[usize]) -> Result<DynValues> {
        let Some(steps) = &self.steps else { return Ok(values) };
        let count = values.header().element_count();
        let describe = |step: &Step, (index, problem): (usize, Problem)| {
            let number = self.position + (index / step.from.count.max(1)) as u64;
            let element = quantity::index(&quantity::unraveled_in(order, number, shape));
            let (about, hint) = (about_field(&step.to.path), problem.hint());
            Failure::Nameless(format!("{about}element {element}: {}{hint}", problem.message))
        };
        let bytes = match &steps[..] {
            // No records: they are not copied to another place.
            [step] if matches!(step.how, How::Cast | How::Parse) && matches!(self.to, DType::Scalar(_)) => {
                step.cast(&values, self.is_lossy).map_err(|problem| describe(step, problem))?
            }
            steps => {
                let length = count.saturating_mul(self.to.itemsize());
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(length).map_err(|_| Failure::allocation(length))?;
                bytes.resize(length, 0);
                for step in steps {
                    step.run(&values, &mut bytes, self.to.itemsize(), self.is_lossy).map_err(|problem| describe(step, problem))?;
                }
                bytes
            }
        };
        self.position += count as u64;
        Ok(DynValues::new(self.to.clone(), Order::C, &[count], bytes)?)
    }
}

impl Step {
    /// Casts the scalars of a field, or of all elements.
    fn cast(&self, values: &DynValues, is_lossy: bool) -> Result<Vec<u8>, (usize, Problem)> {
        let cast = if self.how == How::Parse { slot::parse } else { cast::cast };
        if matches!(values.dtype(), DType::Scalar(_)) {
            return cast(values, self.to.scalar, is_lossy);
        }
        let elements = values.bytes().chunks_exact(values.dtype().itemsize().max(1));
        let count = elements.len() * self.from.count;
        let mut bytes = Vec::with_capacity(count * self.from.scalar.itemsize());
        elements.for_each(|element| bytes.extend_from_slice(self.from.bytes(element)));
        let numbers = DynValues::new(self.from.scalar.into(), Order::C, &[count], bytes).map_err(|error| cast::problem(&error))?;
        cast(&numbers, self.to.scalar, is_lossy)
    }

    fn run(&self, values: &DynValues, target: &mut [u8], to_size: usize, is_lossy: bool) -> Result<(), (usize, Problem)> {
        let (from_item, to_item) = (self.from.scalar.itemsize(), self.to.scalar.itemsize());
        if from_item == 0 || to_item == 0 || values.bytes().is_empty() {
            return Ok(());
        }
        let pairs = values.bytes().chunks_exact(values.dtype().itemsize()).zip(target.chunks_exact_mut(to_size));
        let pairs = pairs.map(|(from, to)| (self.from.bytes(from), to.get_mut(self.to.offset..self.to.end()).unwrap_or_default()));
        match self.how {
            How::Copy => pairs.for_each(|(from, to)| to.copy_from_slice(from)),
            How::Swap(word) => pairs.for_each(|(from, to)| {
                for (from, to) in from.chunks_exact(word).zip(to.chunks_exact_mut(word)) {
                    from.iter().rev().zip(to).for_each(|(from, to)| *to = *from);
                }
            }),
            How::Cast | How::Parse => {
                let cast = self.cast(values, is_lossy)?;
                let wholes = cast.chunks_exact(to_item * self.to.count.max(1));
                for (to, cast) in target.chunks_exact_mut(to_size).zip(wholes) {
                    to.get_mut(self.to.offset..self.to.end()).unwrap_or_default().copy_from_slice(cast);
                }
            }
            How::Resize { .. } | How::Recode | How::Number | How::Rescale { .. } | How::Redate => {
                let items = pairs.flat_map(|(from, to)| from.chunks_exact(from_item).zip(to.chunks_exact_mut(to_item)));
                let decoder = Decoder::<i64>::new(self.from.scalar);
                for (index, (from, to)) in items.enumerate() {
                    self.convert(from, to, decoder, is_lossy).map_err(|problem| (index, problem))?;
                }
            }
        }
        Ok(())
    }

    /// Converts one text, or one time with a decoder of its steps.
    fn convert(&self, from: &[u8], to: &mut [u8], decoder: Option<Decoder<i64>>, is_lossy: bool) -> Result<(), Problem> {
        let factors = match self.how {
            How::Resize { character } => return self.resize(from, to, character, is_lossy),
            How::Recode => return recode((from, self.from.scalar), (to, self.to.scalar), is_lossy),
            How::Rescale { numerator, denominator } => Some((numerator, denominator)),
            _ => None,
        };
        let Some(steps) = decoder.map(|decoder| decoder.decode(from)) else { return Ok(()) };
        let steps = match factors {
            Some(factors) => rescaled(steps, factors, is_lossy)?,
            None if self.how == How::Redate => redated(steps, self.from.scalar, self.to.scalar, is_lossy)?,
            None if steps == i64::MIN && !is_lossy => return Err(Problem::loss(format!("NaT becomes {steps}"))),
            None => steps,
        };
        self.to.scalar.encode_integer(steps.into(), to);
        Ok(())
    }

    /// Copies a text whose characters have this size to one of another width.
    fn resize(&self, from: &[u8], to: &mut [u8], character: usize, is_lossy: bool) -> Result<(), Problem> {
        let (kept, lost) = from.split_at(from.len().min(to.len()));
        if !is_lossy && lost.iter().any(|byte| *byte != 0) {
            let most = quantity::counted((to.len() / character) as u64, "character");
            return Err(Problem::loss(format!("text has more than {most}")));
        }
        to[..kept.len()].copy_from_slice(kept);
        if character > 1 && self.from.scalar.byte_order() != self.to.scalar.byte_order() {
            to.chunks_exact_mut(character).for_each(<[u8]>::reverse);
        }
        Ok(())
    }
}

/// Copies text between `S` and `U`, which NumPy does for ASCII. The target is zeros.
fn recode((from, from_scalar): (&[u8], Scalar), (to, to_scalar): (&mut [u8], Scalar), is_lossy: bool) -> Result<(), Problem> {
    if from_scalar.class() == Class::Unicode {
        recode_units(from_scalar.units(from), true, (to, to_scalar), is_lossy)
    } else {
        recode_units(from_scalar.without_padding(from).iter().map(|byte| u32::from(*byte)), false, (to, to_scalar), is_lossy)
    }
}

fn recode_units(
    units: impl ExactSizeIterator<Item = u32> + Clone,
    is_text: bool,
    (to, to_scalar): (&mut [u8], Scalar),
    is_lossy: bool,
) -> Result<(), Problem> {
    let most = to.len() / to_scalar.word_size();
    if let Some(unit) = units.clone().take(most).find(|unit| *unit > 0x7f).filter(|_| !is_lossy) {
        let found = char::from_u32(unit).filter(|_| is_text);
        let found = found.map_or_else(|| format!("0x{unit:02x}"), |character| format!("{character:?}"));
        return Err(Problem::loss(format!("expected ASCII text, found {found}")));
    }
    if units.len() > most && !is_lossy {
        return Err(Problem::loss(format!("text has more than {}", quantity::counted(most as u64, "character"))));
    }
    // As `errors='replace'` in Python.
    if is_text {
        let byte = |unit| u8::try_from(unit).ok().filter(u8::is_ascii).unwrap_or(b'?');
        to.iter_mut().zip(units).for_each(|(to, unit)| *to = byte(unit));
    } else {
        let unit = |unit| if unit > 0x7f { u32::from(char::REPLACEMENT_CHARACTER) } else { unit };
        to_scalar.encode_units(units.map(unit), to);
    }
    Ok(())
}

/// A number of steps in another unit; NaT stays.
fn rescaled(steps: i64, (numerator, denominator): (i128, i128), is_lossy: bool) -> Result<i64, Problem> {
    if steps == i64::MIN {
        return Ok(steps);
    }
    let outside = || outside(steps);
    let product = i128::from(steps).checked_mul(numerator).ok_or_else(outside)?;
    if !is_lossy && product % denominator != 0 {
        return Err(inexact(steps));
    }
    i64::try_from(product.div_euclid(denominator)).ok().filter(|steps| *steps != i64::MIN).ok_or_else(outside)
}

/// A point in time in steps of another unit, by the calendar: the first day of a month, or the month of a day. NaT stays.
fn redated(steps: i64, from: Scalar, to: Scalar, is_lossy: bool) -> Result<i64, Problem> {
    let (Some(from), Some((unit, count)), false) = (from.time_unit(), to.time_unit(), steps == i64::MIN) else { return Ok(steps) };
    let time = Time::of_steps(from, steps).ok_or_else(|| outside(steps))?;
    match time.to_steps(unit, count) {
        Ok(steps) => Ok(steps),
        Err(Misfit::Inexact) if !is_lossy => Err(inexact(steps)),
        Err(Misfit::Inexact) => time.to_steps_below(unit, count).ok_or_else(|| outside(steps)),
        Err(Misfit::OutOfRange) => Err(outside(steps)),
    }
}

fn outside(steps: i64) -> Problem {
    Problem::error(format!("time {steps} is out of range in the other unit"))
}

fn inexact(steps: i64) -> Problem {
    Problem::loss(format!("time {steps} is not a whole number of the other unit"))
}

/// The conversion from one scalar to another; `None` if there is none.
fn how(from: Scalar, to: Scalar) -> Option<How> {
    let native = |scalar| in_order(scalar, ByteOrder::NATIVE);
    if native(from) == native(to) {
        let is_same = from.byte_order() == to.byte_order();
        return Some(if is_same { How::Copy } else { How::Swap(from.word_size().max(1)) });
    }
    match (from.kind(), to.kind()) {
        (ScalarKind::Bytes { .. }, ScalarKind::Bytes { .. }) => Some(How::Resize { character: 1 }),
        (ScalarKind::Unicode { .. }, ScalarKind::Unicode { .. }) => Some(How::Resize { character: 4 }),
        (ScalarKind::Bytes { .. }, ScalarKind::Unicode { .. }) | (ScalarKind::Unicode { .. }, ScalarKind::Bytes { .. }) => {
            Some(How::Recode)
        }
        (ScalarKind::Datetime { unit, count }, ScalarKind::Datetime { unit: other, count: other_count })
        | (ScalarKind::Timedelta { unit, count }, ScalarKind::Timedelta { unit: other, count: other_count }) => {
            match units::factors((unit, count), (other, other_count)) {
                Some((numerator, denominator)) => Some(How::Rescale { numerator, denominator }),
                None if from.class() == Class::Timedelta || [unit, other].contains(&TimeUnit::Generic) => None,
                None => Some(How::Redate),
            }
        }
        // Formats without times store their numbers, if they are asked for.
        (ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. }, ScalarKind::Int64) => Some(How::Number),
        (ScalarKind::Bytes { .. } | ScalarKind::Unicode { .. }, to_kind) => {
            (!matches!(to_kind, ScalarKind::Void { .. }) && slot::is_supported(to)).then_some(How::Parse)
        }
        _ => cast::is_possible(from, to).then_some(How::Cast),
    }
}
