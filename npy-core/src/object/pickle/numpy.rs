//! NumPy's own objects in a pickle: scalars and arrays.

use super::super::value::PyObject;
use super::super::value::array::ObjectArray;
use super::super::value::encode::swap_bytes;
use super::super::value::subclass::{ArrayClass, mask_dtype};
use super::arena::{NONE, Node};
use super::dtype::in_array;
use super::error::{Fault, PickleError, Result, dotted};
use super::globals::Known;
use super::tree::{Builder, PickledDType, invalid};
use crate::dynamic::DynValues;
use crate::format::dtype::{ByteOrder, DType, ScalarKind};
use crate::format::header::Header;
use crate::format::shape::element_count;
use crate::options::Order;

impl Builder<'_> {
    /// Converts the root, which has to be an array of objects.
    pub(crate) fn root(&mut self, id: u32) -> Result<ObjectArray> {
        let found = match self.arena.node(id) {
            Node::Call { callable, .. } => match (self.arena.node(callable), self.object(id)?) {
                (_, PyObject::Objects(array)) => return Ok(*array),
                // The class of the whole array is dropped, as it is for arrays without objects.
                (_, PyObject::Subclass(object)) => match (object.class, object.base) {
                    // Masked elements have their own class.
                    (ArrayClass::Matrix | ArrayClass::RecArray | ArrayClass::Masked { .. }, PyObject::Objects(array)) => {
                        return Ok(*array);
                    }
                    _ => "an array of another dtype".to_owned(),
                },
                (_, PyObject::Array(array)) => format!("an array of {}", array.dtype()),
                (Node::Known(Known::Reconstruct), PyObject::Opaque(object)) => {
                    format!("an array of the unknown class {}", dotted(&object.module, &object.name))
                }
                (Node::Known(known), _) => format!("a {}.{}", known.path().0, known.path().1),
                (_, PyObject::Opaque(object)) => format!("an object of the unknown class {}", dotted(&object.module, &object.name)),
                (_, _) => "an object of an unknown class".to_owned(),
            },
            other => other.name().to_owned(),
        };
        Err(PickleError::in_node(id, Fault::invalid(format!("expected an array of objects, found {found}"))))
    }

    /// `_reconstruct(ndarray, (0,), b'b')`, whose state is the array.
    pub(crate) fn reconstructed(&mut self, id: u32) -> Result<PyObject> {
        let Node::Call { arguments, .. } = self.arena.node(id) else { return Ok(PyObject::None) };
        let expected = "a class, the shape (0,) and the type code b'b'";
        let Some([class, shape, code]) = self.arena.tuple(arguments) else {
            return Err(invalid(id, "_reconstruct", expected));
        };
        let class = match self.arena.node(class) {
            // NumPy always writes an empty array of bytes.
            Node::Known(known @ (Known::NdArray | Known::Matrix | Known::RecArray))
                if self.shape(id, shape)? == [0] && self.is_code_of_bytes(code) =>
            {
                known
            }
            Node::Global { module, name } => {
                let (module, name) = (self.text(module)?, self.text(name)?);
                let state = self.added(id).state;
                let state = if state == NONE { None } else { Some(self.object(state)?) };
                let mut object = self.opaque(id, (&module, &name), Some(Vec::new()))?;
                if let PyObject::Opaque(opaque) = &mut object {
                    opaque.state = state;
                }
                return Ok(object);
            }
            _ => return Err(invalid(id, "_reconstruct", expected)),
        };
        let expected = "a state of version, shape, dtype, order and data";
        let parts = self.added(id).only_state().and_then(|state| self.arena.tuple(state));
        let array = self.array_of_state(id, parts.ok_or_else(|| invalid(id, "ndarray", expected))?)?;
        Ok(match class {
            Known::Matrix => PyObject::of_class(ArrayClass::Matrix, array),
            Known::RecArray => PyObject::of_class(ArrayClass::RecArray, array),
            _ => array,
        })
    }

    /// `_mareconstruct(MaskedArray, ndarray, (0,), 'b')`, whose state has a mask and a fill value too.
    pub(crate) fn masked_array(&mut self, id: u32) -> Result<PyObject> {
        let Node::Call { arguments, .. } = self.arena.node(id) else { return Ok(PyObject::None) };
        let wrong = || invalid(id, "MaskedArray", "the class, ndarray, the shape (0,), 'b', and a state with a mask");
        let [class, base, shape, code] = self.arena.tuple(arguments).ok_or_else(wrong)?;
        let (Node::Known(class @ (Known::MaskedArray | Known::MaskedVoid)), Node::Known(Known::NdArray)) =
            (self.arena.node(class), self.arena.node(base))
        else {
            return Err(wrong());
        };
        let parts = self.added(id).only_state().and_then(|state| self.arena.tuple(state));
        let [state @ .., mask, fill]: [u32; 7] = parts.ok_or_else(wrong)?;
        if self.shape(id, shape)? != [0] || !self.is_code_of_bytes(code) {
            return Err(wrong());
        }
        let mut array = self.array_of_state(id, state)?;
        let (dtype, shape, order) = match &array {
            PyObject::Array(values) => (values.dtype(), values.shape(), values.order()),
            PyObject::Objects(array) => (array.dtype(), array.shape(), array.order()),
            _ => return Err(wrong()),
        };
        let dtype = mask_dtype(dtype).ok_or_else(wrong)?;
        let mask = DynValues::new(dtype, order, shape, self.raw_owned(mask)?).map_err(|error| in_array(id, error))?;
        if mask.bytes().iter().any(|byte| *byte > 1) {
            return Err(invalid(id, "MaskedArray", "a mask of bools"));
        }
        if let PyObject::Objects(array) = &mut array {
            array.cover(&mask).ok_or_else(|| invalid(id, "MaskedArray", "a mask that masks no part of a sub-array"))?;
        }
        let (fill_value, is_void) = (self.object(fill)?, class == Known::MaskedVoid);
        Ok(PyObject::of_class(ArrayClass::Masked { mask, fill_value, is_void }, array))
    }

    /// An array of its version, shape, dtype, order and data.
    fn array_of_state(&mut self, id: u32, [version, shape, dtype_id, order, data]: [u32; 5]) -> Result<PyObject> {
        let expected = "a state of version, shape, dtype, order and data";
        let (Some(1), Some(order)) = (self.integer(version), self.integer(order)) else {
            return Err(invalid(id, "ndarray", expected));
        };
        let order = if order == 0 { Order::C } else { Order::Fortran };
        let shape = self.shape(id, shape)?;
        let dtype = self.dtype(dtype_id)?;
        if dtype.dtype.has_object() {
            return self.object_array(id, dtype, order, shape, data).map(|array| PyObject::Objects(Box::new(array)));
        }
        let (mut dtype, mut bytes) = (dtype.dtype, self.raw_owned(data)?);
        // NumPy converts arrays to the native byte order on loading, but not the fields of records.
        if let DType::Scalar(scalar) = dtype
            && scalar.byte_order().is_some_and(|order| order != ByteOrder::NATIVE)
            && !matches!(scalar.kind(), ScalarKind::Void { .. })
        {
            swap_bytes(scalar, &mut bytes);
            dtype = dtype.with_byte_order(ByteOrder::NATIVE);
        }
        let values = DynValues::new(dtype, order, &shape, bytes).map_err(|error| in_array(id, error))?;
        Ok(PyObject::Array(Box::new(values)))
    }

    /// An array of objects, whose data are a list in C order.
    fn object_array(&mut self, id: u32, dtype: PickledDType, order: Order, shape: Vec<usize>, data: u32) -> Result<ObjectArray> {
        let Node::List(items) = self.arena.node(data) else {
            return Err(invalid(id, "ndarray", "a list of objects"));
        };
        // Checked before the objects are converted.
        let expected = element_count(&shape, 1).map_err(|error| in_array(id, error))? as u64;
        let found = u64::from(items.count);
        if expected != found {
            return Err(PickleError::in_node(id, Fault::wrong_count(&shape, expected, found)));
        }
        if let DType::Record(record) = &dtype.dtype {
            let is_record = |item: u32| match self.arena.node(item) {
                Node::Tuple(fields) => usize::try_from(fields.count) == Ok(record.fields().len()),
                _ => false,
            };
            if let Some(item) = self.arena.children(items).find(|item| !is_record(*item)) {
                return Err(invalid(item, "ndarray", "a tuple with an item for each field"));
            }
        }
        let items = self.objects(items)?;
        // NumPy converts other objects to text, or refuses them.
        if dtype.string.as_ref().is_some_and(|string| !items.iter().all(|item| string.holds(item))) {
            return Err(invalid(id, "ndarray", "texts, or the na_object of its StringDType"));
        }
        Ok(ObjectArray::from_pickle(dtype.dtype, order, shape, items, dtype.string))
    }

    /// `_frombuffer(bytes, dtype, shape, order)`, from protocol 5 on.
    pub(crate) fn buffer_array(&mut self, id: u32, arguments: u32) -> Result<PyObject> {
        self.check_nothing_added(id, Known::FromBuffer)?;
        let parts = self.arena.tuple_with_optional(arguments);
        let ([data, dtype, shape, order], axes) =
            parts.ok_or_else(|| invalid(id, "_frombuffer", "bytes, a dtype, a shape and an order"))?;
        let order = match (&*self.text(order)?, axes.map_or(Node::None, |axes| self.arena.node(axes))) {
            ("C", Node::None) => Order::C,
            ("F", Node::None) => Order::Fortran,
            _ => return Err(invalid(id, "_frombuffer", "the order 'C' or 'F'")),
        };
        let shape = self.shape(id, shape)?;
        let dtype = self.dtype(dtype)?.dtype;
        let bytes = self.raw_owned(data)?;
        let values = DynValues::new(dtype, order, &shape, bytes).map_err(|error| in_array(id, error))?;
        Ok(PyObject::Array(Box::new(values)))
    }

    /// `scalar(dtype, bytes)`.
    pub(crate) fn scalar(&mut self, id: u32, arguments: u32) -> Result<PyObject> {
        self.check_nothing_added(id, Known::Scalar)?;
        let Some([dtype, data]) = self.arena.tuple(arguments) else { return Err(invalid(id, "scalar", "a dtype and bytes")) };
        let pickled = self.dtype(dtype)?;
        if let DType::Scalar(scalar) = &pickled.dtype
            && scalar.kind() == ScalarKind::Object
        {
            return self.object(data);
        }
        let scalar = self.scalar_of_bytes(id, pickled, data)?;
        Ok(if self.is_record_class(dtype) { PyObject::of_class(ArrayClass::Record, scalar) } else { scalar })
    }

    /// Returns whether the class of a dtype's elements is `numpy.record`.
    fn is_record_class(&self, dtype: u32) -> bool {
        let Node::Call { arguments, .. } = self.arena.node(dtype) else { return false };
        let code = self.arena.tuple(arguments).map(|[code, _, _]: [u32; 3]| self.arena.node(code));
        matches!(code, Some(Node::Known(Known::Record)))
    }

    #[inline(never)]
    fn scalar_of_bytes(&mut self, id: u32, pickled: PickledDType, data: u32) -> Result<PyObject> {
        let bytes = self.raw_owned(data)?;
        // The cached header of this dtype.
        let header = match &self.numpy.header {
            Some(header) => header.clone(),
            None => Header::new(pickled.dtype, Order::C, &[]).map_err(|error| in_array(id, error))?,
        };
        self.numpy.header = Some(header.clone());
        let values = DynValues::with_header(header, bytes).map_err(|error| in_array(id, error))?;
        Ok(PyObject::Scalar(Box::new(values)))
    }

    /// Returns whether a node is `b'b'`.
    fn is_code_of_bytes(&self, code: u32) -> bool {
        match self.arena.node(code) {
            Node::Text(span) => self.arena.bytes(span) == b"b",
            _ => self.raw(code).is_ok_and(|code| *code == *b"b"),
        }
    }
}
