//! One array on its way from the source to the target: which dtype it gets, and what that would lose.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io::Write;
use std::rc::Rc;

use npy_core::dtype::ByteOrder;
use npy_core::object::ObjectArray;
use npy_core::{DType, Header, Order};

use super::dtypes::{as_wide_as, relaid, select};
use super::transcode::Transcode;
use crate::failure::{Failure, Result};
use crate::formats::{Format, Item, Objects, Outgoing, Source};
use crate::input::Array;
use crate::input::pieces::{self, Sink};
use crate::objects::{self, Wish, typed, with_fields};
use crate::progress::Progress;
use crate::signals;
use crate::values::columns;

/// The output, as far as the options describe it.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) format: &'static dyn Format,
    pub(super) dtype: Option<DType>,
    /// The only fields that are kept, or none for all.
    pub(super) fields: Vec<String>,
    pub(super) order: Option<Order>,
    pub(super) byte_order: Option<ByteOrder>,
    /// Whether fields are placed as with `align=True`, or packed; `None` leaves them where they are.
    pub(super) is_aligned: Option<bool>,
    pub(super) is_lossy: bool,
}

/// A source that its arrays share.
pub(super) type SharedSource = Rc<RefCell<Box<dyn Source>>>;

/// An array of a source, and how it is converted.
pub(super) struct Job {
    name: String,
    /// The argument of the user.
    input: String,
    /// The array as the target has it.
    header: Header,
    source: SharedSource,
    index: usize,
    reading: Reading,
    from: DType,
    is_lossy: bool,
}

/// The way to read an array.
enum Reading {
    /// As the elements that the source has.
    Elements,
    /// As elements of the dtype of Python objects, in a temporary file; and which of them are null.
    Typed(Box<dyn Array>, Vec<(Vec<String>, Vec<bool>)>),
    /// As the pickle that the source has.
    Pickle,
    /// As Python objects, with the fields and in the order that the header has.
    Objects,
}

impl Job {
    /// Plans the conversion of the array of an index. What would be lost is added to `losses`.
    pub(super) fn new(source: &SharedSource, index: usize, target: &Target, losses: &mut Vec<String>) -> Result<Self> {
        let mut sources = source.borrow_mut();
        let has_others = sources.items().len() > 1;
        let mut item = sources.items().get(index).cloned().ok_or_else(|| Failure::new("expected an array, found none"))?;
        let about = |failure: Failure, item: &Item| failure.about_array(&item.input, has_others.then_some(&item.name));
        let (reading, header) = target.reading_of(&mut **sources, index, &item).map_err(|failure| about(failure, &item))?;
        item.header = header;
        let planned = match reading {
            Reading::Elements | Reading::Typed(..) => target.plan(&item, losses),
            Reading::Pickle | Reading::Objects => Ok(target.plan_objects(&item, losses)),
        };
        let header = planned.map_err(|failure| match reading {
            Reading::Elements if !item.header.dtype().has_object() => failure.about(&item.input),
            _ => about(failure, &item),
        })?;
        let (from, source) = (item.header.dtype().clone(), Rc::clone(source));
        Ok(Self { name: item.name, input: item.input, header, source, index, reading, from, is_lossy: target.is_lossy })
    }

    /// Converts Python objects without writing them: one that does not fit keeps no other member from being written.
    pub(super) fn check_objects(&mut self) -> Result<()> {
        if !matches!(self.reading, Reading::Typed(..)) {
            return Ok(());
        }
        self.convert(Order::C, &mut |_| Ok(())).map_err(|failure| failure.about_array(&self.input, Some(&self.name)))
    }

    fn convert(&mut self, order: Order, sink: Sink<'_>) -> Result<()> {
        let mut transcode = Transcode::new(&self.from, self.header.dtype(), self.is_lossy)?;
        let shape = self.header.shape().to_vec();
        let mut progress = Progress::new(&self.name, self.header.data_bytes());
        let mut convert = |values| {
            signals::check()?;
            let values = transcode.apply(values, order, &shape)?;
            let bytes = values.bytes().len() as u64;
            sink(values)?;
            progress.add(bytes);
            Ok(())
        };
        match &mut self.reading {
            Reading::Typed(array, _) => pieces::for_each(&mut **array, order, &mut convert),
            _ => self.source.borrow_mut().read(self.index, order, &mut convert),
        }
    }
}

impl Outgoing for Job {
    fn name(&self) -> &str {
        &self.name
    }

    fn input(&self) -> &str {
        &self.input
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn read(&mut self, order: Order, sink: Sink<'_>) -> Result<()> {
        self.convert(order, sink).map_err(|failure| failure.about(&self.input))
    }

    fn objects(&self) -> Result<Option<ObjectArray>> {
        if !matches!(self.reading, Reading::Objects) {
            return Ok(None);
        }
        let objects = self.source.borrow_mut().objects(self.index)?;
        Ok(Some(with_fields(&objects, self.header.dtype(), self.header.order()).map_err(|failure| failure.about(&self.input))?))
    }

    fn nulls(&self) -> &[(Vec<String>, Vec<bool>)] {
        if let Reading::Typed(_, nulls) = &self.reading { nulls } else { &[] }
    }

    fn copy_pickle(&self, out: &mut dyn Write) -> Result<bool> {
        if !matches!(self.reading, Reading::Pickle) {
            return Ok(false);
        }
        self.source.borrow_mut().with_array(self.index, &mut |array| {
            out.write_all(&self.header.to_bytes())?;
            array.copy_from(0, out).map(|_| ())
        })?;
        Ok(true)
    }
}

impl Target {
    /// The way to read an array, and the header that it has then.
    fn reading_of(&self, source: &mut dyn Source, index: usize, item: &Item) -> Result<(Reading, Header)> {
        let (dtype, order) = (item.header.dtype(), item.header.order());
        if !dtype.has_object() {
            return Ok((Reading::Elements, item.header.clone()));
        }
        let selected = if self.fields.is_empty() { dtype.clone() } else { select(dtype, &self.fields)? };
        if self.dtype.is_none() && selected.has_object() {
            match self.format.objects() {
                Objects::Text => return Ok((Reading::Objects, Header::new(selected, Order::C, item.header.shape())?)),
                Objects::Pickle => {
                    let header = header_of(self.laid_out(selected)?, self.order.unwrap_or(order), item.header.shape())?;
                    let is_same = header.dtype() == dtype && header.order() == order;
                    return Ok(if is_same { (Reading::Pickle, item.header.clone()) } else { (Reading::Objects, header) });
                }
                Objects::Values | Objects::NullableValues => {}
            }
        }
        let array = with_fields(&source.objects(index)?, &selected, order)?;
        // The nulls of a table, where no other dtype is asked for.
        let has_nulls = self.format.objects() == Objects::NullableValues && self.dtype.is_none();
        let typed = typed(&array, Wish { dtype: self.dtype.as_ref(), is_lossy: self.is_lossy, has_nulls })?;
        let header = typed.header().clone();
        let nulls = if has_nulls { objects::missing(&array) } else { Vec::new() };
        Ok((Reading::Typed(typed, nulls), header))
    }

    /// The header of the array in the target. What cannot be converted is said before anything is written.
    fn plan(&self, item: &Item, losses: &mut Vec<String>) -> Result<Header> {
        let from = item.header.dtype();
        let (to, lost) = self.format.adapt(&self.dtype_of(from)?, item.header.shape())?;
        losses.extend(losses_of(item, &lost));
        Transcode::new(from, &to, self.is_lossy)?;
        header_of(to, self.order.unwrap_or(item.header.order()), item.header.shape())
    }

    /// The header of objects that stay objects, or become text.
    fn plan_objects(&self, item: &Item, losses: &mut Vec<String>) -> Header {
        let titles = self.format.lost_titles(item.header.dtype());
        losses.extend(losses_of(item, &titles));
        item.header.clone()
    }

    /// The dtype that the options ask for.
    fn dtype_of(&self, from: &DType) -> Result<DType> {
        let mut dtype = from.clone();
        if !self.fields.is_empty() {
            dtype = select(&dtype, &self.fields)?;
        }
        if let Some(wanted) = &self.dtype {
            if matches!(dtype, DType::Record(_)) != matches!(wanted, DType::Record(_)) {
                return Err(Failure::Nameless(format!(
                    "cannot convert elements of dtype {dtype} to {wanted}: one of them is a record"
                )));
            }
            let kept: HashSet<String> = columns::of(wanted)?.into_iter().map(|column| column.key).collect();
            let lost = columns::of(&dtype)?.into_iter().find(|column| !kept.contains(&column.key)).map(|column| column.path);
            if let Some(path) = lost {
                let hint = "leave it out with --fields";
                return Err(Failure::Nameless(format!("the dtype lacks the field \"{path}\" of the input; {hint}")));
            }
            dtype = as_wide_as(wanted, &dtype);
        }
        self.laid_out(dtype)
    }

    /// The dtype in the byte order and the layout that the options ask for.
    fn laid_out(&self, mut dtype: DType) -> Result<DType> {
        if let Some(order) = self.byte_order {
            dtype = dtype.with_byte_order(order);
        }
        Ok(match self.is_aligned {
            Some(is_aligned) => relaid(&dtype, is_aligned)?,
            None => dtype,
        })
    }
}

/// The losses of the file that come with an item, and those of the array.
fn losses_of(item: &Item, lost: &[String]) -> Vec<String> {
    let of_file = item.losses.iter().map(|loss| format!("{}: {loss}", item.input));
    of_file.chain(lost.iter().map(|loss| format!("{}: {loss}", item.name))).collect()
}

/// The header of an `.npy` file in an order, which is C if both are the same.
fn header_of(dtype: DType, order: Order, shape: &[usize]) -> Result<Header> {
    Ok(Header::new(dtype, if Order::are_same(shape) { Order::C } else { order }, shape)?)
}
