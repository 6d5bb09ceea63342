//! Fields of arrays of records with objects.

use super::PyObject;
use super::array::{ObjectArray, items_of_sub_arrays, object_dtype, record_item};
use super::encode::encode_object;
use super::subclass::ArrayClass;
use crate::dynamic::array::missing_field;
use crate::error::{Error, Result, ValueError};
use crate::format::dtype::{DType, Field, Record};
use crate::options::Order;

impl PyObject {
    /// Returns the objects in a container, an array or an opaque object.
    #[doc(hidden)]
    pub fn children(&self) -> Vec<&Self> {
        fn of_entries(entries: &[(PyObject, PyObject)]) -> impl Iterator<Item = &PyObject> {
            entries.iter().flat_map(|(key, value)| [key, value])
        }
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Set(items) | Self::FrozenSet(items) => items.iter().collect(),
            Self::Dict(entries) | Self::OrderedDict(entries) => of_entries(entries).collect(),
            Self::Slice(parts) => parts.iter().collect(),
            Self::Objects(array) => array.items().iter().collect(),
            Self::Subclass(object) => match &object.class {
                ArrayClass::Masked { fill_value, .. } => vec![&object.base, fill_value],
                ArrayClass::Matrix
                | ArrayClass::RecArray
                | ArrayClass::Record
                | ArrayClass::MaskedElement
                | ArrayClass::MaskedConstant => vec![&object.base],
            },
            Self::Opaque(opaque) => {
                let parts = opaque.arguments.iter().flatten().chain(&opaque.state).chain(&opaque.items);
                parts.chain(of_entries(&opaque.entries)).collect()
            }
            // Exhaustive, so that a new variant with objects is not forgotten.
            Self::None
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Complex { .. }
            | Self::Str(_)
            | Self::SurrogateStr(_)
            | Self::Bytes(_)
            | Self::ByteArray(_)
            | Self::Range(_)
            | Self::Date(_)
            | Self::Time(_)
            | Self::DateTime(_)
            | Self::TimeDelta(_)
            | Self::TimeZone(_)
            | Self::Decimal(_)
            | Self::Fraction(_)
            | Self::Uuid(_)
            | Self::DType(_)
            | Self::Scalar(_)
            | Self::Array(_) => Vec::new(),
        }
    }
}

/// The items of a field.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum ObjectItems {
    /// The bytes of each item, one after another.
    Values(Vec<u8>),
    /// The objects, with those of sub-arrays one after another.
    Objects(Vec<PyObject>),
}

/// The elements of an array of records along the path of a field.
struct Walk<'o> {
    dtype: &'o DType,
    items: Vec<&'o PyObject>,
    /// The axes of the sub-arrays along the path.
    axes: Vec<usize>,
    /// The path of the field, for errors.
    path: String,
}

impl<'o> Walk<'o> {
    fn new(array: &'o ObjectArray, path: String) -> Self {
        Self { dtype: array.dtype(), items: array.items().iter().collect(), axes: Vec::new(), path }
    }

    #[cold]
    fn not_a_record(&self, index: usize) -> Error {
        ValueError::not_a_record().in_path(self.path.clone()).in_element(index as u64)
    }

    /// Goes from a sub-array to its items.
    fn enter_sub_array(&mut self) -> Result<()> {
        if let DType::SubArray(array) = self.dtype {
            let (base, axes) = array.flattened();
            self.items = items_of_sub_arrays(&self.items, &axes)?.map_err(|index| self.not_a_record(index))?;
            (self.dtype, self.axes) = (base, [&self.axes[..], &axes].concat());
        }
        Ok(())
    }

    /// Goes from records to one of their fields.
    fn enter_field(&mut self, name: &str) -> Result<()> {
        let (place, field) = find(self.dtype, name)?;
        let parts = self.items.iter().enumerate();
        let parts = parts.map(|(index, item)| record_item(item, place).ok_or_else(|| self.not_a_record(index)));
        self.items = parts.collect::<Result<_>>()?;
        self.dtype = field.dtype();
        Ok(())
    }
}

impl ObjectArray {
    /// Returns one field of each record, as `array[name]` does in NumPy. A path such as
    /// `origin.tag` names a field of a nested record.
    ///
    /// The axes of sub-arrays of records around the field become the last ones of the array. Fields that
    /// are not objects have the values of the pickle: Python's numbers and texts, and nested lists for
    /// sub-arrays.
    ///
    /// # Errors
    ///
    /// Fails if the elements are not records, if they have no such field, or if one has no tuple in
    /// the place of a record.
    ///
    /// ```no_run
    /// use npy_core::object;
    ///
    /// // np.array([(1, "a"), (2, None)], dtype=[("id", "i4"), ("tag", "O")])
    /// let rows = object::load("rows.npy")?;
    /// let tags: Vec<Option<String>> = rows.field("tag")?.to_vec()?;
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn field(&self, name: &str) -> Result<Self> {
        let found = self.dtype().field(name).ok_or_else(|| missing_field(name, self.dtype()))?;
        let mut walk = Walk::new(self, name.to_owned());
        for field in found.fields() {
            walk.enter_sub_array()?;
            walk.enter_field(field.name())?;
        }
        let length = match walk.dtype {
            DType::Record(record) if walk.dtype.has_object() => Some(record.fields().len()),
            _ => None,
        };
        let is_whole =
            |item: &&PyObject| length.is_none_or(|length| matches!(item, PyObject::Tuple(items) if items.len() == length));
        if let Some(index) = walk.items.iter().position(|item| !is_whole(item)) {
            return Err(walk.not_a_record(index));
        }
        let Walk { dtype, items, axes, .. } = walk;
        let order = if axes.is_empty() { self.order() } else { Order::C };
        let dtype = if length.is_some() { dtype.clone() } else { object_dtype() };
        let shape = [self.shape(), &axes].concat();
        Ok(Self::from_pickle(dtype, order, shape, items.into_iter().cloned().collect(), None))
    }

    /// Returns the dtype and the items of a field by its path, or of `several` fields in it.
    #[doc(hidden)]
    pub fn items_of_field(&self, path: &[String], several: Option<&[String]>) -> Result<(DType, ObjectItems)> {
        let mut walk = Walk::new(self, path.join("."));
        let mut names = path.iter();
        loop {
            if !walk.dtype.has_object() {
                let mut bytes = Vec::new();
                for (index, item) in walk.items.iter().enumerate() {
                    encode_object(walk.dtype, item, &mut bytes).ok_or_else(|| walk.not_a_record(index))?;
                }
                return values_of_field(walk.dtype, bytes, names, several);
            }
            walk.enter_sub_array()?;
            let Some(name) = names.next() else { break };
            walk.enter_field(name)?;
        }
        let (dtype, items) = (walk.dtype, &walk.items);
        let Some(several) = several else {
            return Ok((dtype.clone(), ObjectItems::Objects(items.iter().copied().cloned().collect())));
        };
        let fields = several.iter().map(|name| find(dtype, name)).collect::<Result<Vec<_>>>()?;
        let pick = |(index, item): (usize, &&PyObject)| {
            let parts = fields.iter().map(|(place, _)| record_item(item, *place).cloned().ok_or_else(|| walk.not_a_record(index)));
            Ok(PyObject::Tuple(parts.collect::<Result<_>>()?))
        };
        let items = items.iter().enumerate().map(pick).collect::<Result<_>>()?;
        Ok((packed(&fields)?, ObjectItems::Objects(items)))
    }
}

/// The items of a field of elements without objects, by their bytes.
fn values_of_field<'n>(
    mut dtype: &DType,
    mut bytes: Vec<u8>,
    mut names: impl Iterator<Item = &'n String>,
    several: Option<&[String]>,
) -> Result<(DType, ObjectItems)> {
    loop {
        if let DType::SubArray(array) = dtype {
            // Its elements are contiguous.
            dtype = array.base();
            continue;
        }
        let Some(name) = names.next() else { break };
        let (_, field) = find(dtype, name)?;
        bytes = parts(&bytes, dtype.itemsize(), &[field]);
        dtype = field.dtype();
    }
    let Some(several) = several else { return Ok((dtype.clone(), ObjectItems::Values(bytes))) };
    let fields = several.iter().map(|name| find(dtype, name)).collect::<Result<Vec<_>>>()?;
    let chosen: Vec<&Field> = fields.iter().map(|(_, field)| *field).collect();
    Ok((packed(&fields)?, ObjectItems::Values(parts(&bytes, dtype.itemsize(), &chosen))))
}

/// The bytes of some fields of each record.
fn parts(bytes: &[u8], itemsize: usize, fields: &[&Field]) -> Vec<u8> {
    let mut selected = Vec::new();
    for record in bytes.chunks_exact(itemsize.max(1)) {
        for field in fields {
            let rest = record.get(field.offset()..).unwrap_or_default();
            selected.extend_from_slice(rest.get(..field.dtype().itemsize()).unwrap_or_default());
        }
    }
    selected
}

fn find<'d>(dtype: &'d DType, name: &str) -> Result<(usize, &'d Field)> {
    let DType::Record(record) = dtype else { return Err(missing_field(name, dtype)) };
    let field = record.fields().iter().enumerate().find(|(_, field)| field.name() == name);
    field.ok_or_else(|| missing_field(name, dtype))
}

/// The record of these fields without padding.
fn packed(fields: &[(usize, &Field)]) -> Result<DType> {
    Ok(Record::packed(fields.iter().map(|(_, field)| (field.name(), field.dtype().clone())))?.into())
}
