//! One array on its way from the source to the target: which dtype it gets, and what that would lose.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io::Write;
use std::rc::Rc;

use npy_core::dtype::{ByteOrder, ScalarKind};
use npy_core::object::ObjectArray;
use npy_core::rawarray::{RaHeader, RaKind};
use npy_core::{DType, Header, Order};

use super::Arguments;
use super::dtypes::{as_wide_as, select, titled};
use super::format::Format;
use super::objects::{Reading, reading_of};
use super::source::{Item, Source};
use super::target::header_of;
use super::transcode::Transcode;
use super::{png, safetensors};
use crate::failure::{Failure, Result};
use crate::input::pieces::{self, Sink};
use crate::objects::with_fields;
use crate::progress::Progress;
use crate::signals;
use crate::values::columns;

/// An array of a source, and how it is converted.
pub(super) struct Job {
    pub(super) name: String,
    /// What the user typed.
    pub(super) input: String,
    /// The array as the target has it.
    pub(super) header: Header,
    source: Rc<RefCell<Box<dyn Source>>>,
    index: usize,
    reading: Reading,
    from: DType,
    pub(super) is_lossy: bool,
}

impl Job {
    /// Plans the conversion of the array of an index. What would be lost is added to `losses`.
    pub(super) fn new(
        source: &Rc<RefCell<Box<dyn Source>>>,
        index: usize,
        format: Format,
        arguments: &Arguments,
        losses: &mut Vec<String>,
    ) -> Result<Self> {
        let mut sources = source.borrow_mut();
        let has_others = sources.items().len() > 1;
        let mut item = sources.items().get(index).cloned().ok_or_else(|| Failure::new("expected an array, found none"))?;
        let about = |failure: Failure, item: &Item| failure.about_array(&item.input, has_others.then_some(&item.name));
        let (reading, header) =
            reading_of(&mut **sources, index, &item, format, arguments).map_err(|failure| about(failure, &item))?;
        item.header = header;
        let header = match reading {
            Reading::Elements | Reading::Typed(..) => plan(&item, format, arguments, losses),
            Reading::Pickle | Reading::Objects => Ok(plan_objects(&item, format, losses)),
        };
        Ok(Self {
            header: header.map_err(|failure| {
                if item.header.dtype().has_object() || matches!(reading, Reading::Typed(..)) {
                    about(failure, &item)
                } else {
                    failure.about(&item.input)
                }
            })?,
            from: item.header.dtype().clone(),
            name: item.name,
            input: item.input,
            source: Rc::clone(source),
            index,
            reading,
            is_lossy: arguments.lossy,
        })
    }

    /// The Python objects that the target has as such.
    pub(super) fn objects(&self) -> Result<Option<ObjectArray>> {
        if !matches!(self.reading, Reading::Objects) {
            return Ok(None);
        }
        let objects = self.source.borrow_mut().objects(self.index)?;
        Ok(Some(with_fields(&objects, self.header.dtype(), self.header.order()).map_err(|failure| failure.about(&self.input))?))
    }

    /// Which elements are null, by the path of their field.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "only tables have nulls"))]
    pub(super) fn nulls(&self) -> &[(Vec<String>, Vec<bool>)] {
        if let Reading::Typed(_, nulls) = &self.reading { nulls } else { &[] }
    }

    /// Writes the pickle as it is, if the target has it.
    pub(super) fn copy_pickle(&self, out: &mut dyn Write) -> Result<bool> {
        if !matches!(self.reading, Reading::Pickle) {
            return Ok(false);
        }
        let mut sources = self.source.borrow_mut();
        sources.with_objects(self.index, &mut |array| {
            out.write_all(&self.header.to_bytes())?;
            array.copy_from(0, out).map(|_| ())
        })?;
        Ok(true)
    }

    /// Converts Python objects without writing them: one that does not fit keeps no other member from being written.
    pub(super) fn check_objects(&mut self) -> Result<()> {
        if !matches!(self.reading, Reading::Typed(..)) {
            return Ok(());
        }
        self.convert(Order::C, &mut |_| Ok(())).map_err(|failure| failure.about_array(&self.input, Some(&self.name)))
    }

    /// Calls `sink` with the converted elements in this order.
    pub(super) fn read(&mut self, order: Order, sink: Sink<'_>) -> Result<()> {
        self.convert(order, sink).map_err(|failure| failure.about(&self.input))
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

/// The header of the array in the target. What cannot be converted is said before anything is written.
fn plan(item: &Item, format: Format, arguments: &Arguments, losses: &mut Vec<String>) -> Result<Header> {
    let from = item.header.dtype();
    let (to, lost) = adapt(&arguments.dtype_of(from)?, item.header.shape(), format)?;
    losses.extend(item.losses.iter().chain(&lost).map(|loss| format!("{}: {loss}", item.name)));
    let order = arguments.order.map_or(item.header.order(), Into::into);
    Transcode::new(from, &to, arguments.lossy)?;
    header_of(to, order, item.header.shape())
}

/// The header of objects that stay objects, or become text.
fn plan_objects(item: &Item, format: Format, losses: &mut Vec<String>) -> Header {
    let mut lost = item.losses.clone();
    if !matches!(format, Format::Npy | Format::Npz | Format::Dir) {
        lost.extend(titled(item.header.dtype()).iter().map(|path| format!("the title of the field \"{path}\"")));
    }
    losses.extend(lost.iter().map(|loss| format!("{}: {loss}", item.name)));
    item.header.clone()
}

/// The dtype that a format has for the elements, and what it does not keep.
fn adapt(dtype: &DType, shape: &[usize], format: Format) -> Result<(DType, Vec<String>)> {
    let mut losses = Vec::new();
    match format {
        Format::Npy | Format::Npz | Format::Dir => {}
        Format::Csv | Format::Tsv | Format::Json | Format::Ndjson => {
            losses.extend(titled(dtype).iter().map(|path| format!("the title of the field \"{path}\"")));
        }
        Format::Ra => {
            let kind = RaHeader::try_from(&Header::new(dtype.clone(), Order::C, shape)?)?.kind();
            let is_raw = matches!(dtype, DType::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Void { .. }));
            if kind == RaKind::User && !is_raw {
                losses.push(format!("the dtype {dtype}, of which an .ra file keeps the bytes"));
            }
        }
        Format::Safetensors => {
            let tensor = safetensors::storable(dtype)?;
            for column in columns::of(dtype)? {
                if column.scalar.time_unit().is_some() {
                    losses.push(format!("the unit of {}, of which a tensor keeps the numbers", column.scalar));
                }
            }
            return Ok((tensor, losses));
        }
        Format::Png => {
            png::layout(dtype, shape)?;
            return Ok((dtype.clone().with_byte_order(ByteOrder::Big), losses));
        }
        // Their metadata have the dtype.
        #[cfg(feature = "arrow")]
        Format::Parquet | Format::Arrow => super::arrow::expect_types(dtype, shape)?,
        #[cfg(not(feature = "arrow"))]
        Format::Parquet | Format::Arrow => format.expect_support()?,
    }
    Ok((dtype.clone(), losses))
}

impl Arguments {
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
}
