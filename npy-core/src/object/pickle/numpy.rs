//! NumPy's own objects in a pickle: scalars and arrays.

use std::borrow::Cow;

use super::super::value::encode::swap_bytes;
use super::super::value::subclass::mask_dtype;
use super::super::visitor::Visitor;
use super::arena::{NONE, Node};
use super::decode::{Decoder, PickledDType, invalid, owned};
use super::dtype::in_array;
use super::error::{Fault, PickleError, Result, dotted};
use super::globals::Known;
use super::walk::{LastArray, Walker};
use crate::dynamic::DynValues;
use crate::format::dtype::{ByteOrder, DType, ScalarKind};
use crate::format::header::Header;
use crate::format::shape::element_count;
use crate::options::Order;

/// The state of a pickled array.
struct ArrayState {
    dtype: PickledDType,
    order: Order,
    shape: Vec<usize>,
    /// The node of its bytes, or of the list of its objects.
    data: u32,
}

/// The expected state of an array.
const STATE: &str = "a state of version, shape, dtype, order and data";

impl<V: Visitor> Walker<'_, '_, V> {
    /// Makes the root, which has to be an array of objects.
    pub(crate) fn root(&mut self, id: u32) -> Result<V::Value> {
        let Node::Call { callable, .. } = self.node(id) else { return Err(not_objects(id, self.node(id).name())) };
        let value = self.object(id).map_err(|error| error.of_visitor(id))?;
        let found = match (self.node(callable), &self.last_array) {
            // The class of the whole array is dropped, as it is for arrays without objects.
            (Node::Known(Known::Reconstruct | Known::MaskedReconstruct), LastArray::Objects) => return Ok(value),
            (Node::Known(Known::Reconstruct | Known::MaskedReconstruct), LastArray::Other)
            | (Node::Known(Known::MaskedConstant), _) => "an array of another dtype".to_owned(),
            (Node::Known(Known::Reconstruct | Known::FromBuffer), LastArray::Values(dtype)) => format!("an array of {dtype}"),
            (Node::Known(Known::Reconstruct), LastArray::Opaque) => {
                format!("an array of the unknown class {}", self.unknown_class(id)?)
            }
            (Node::Known(known), _) => format!("a {}.{}", known.path().0, known.path().1),
            (Node::Global { module, name }, _) => {
                let (module, name) = (self.decoder.text(module)?, self.decoder.text(name)?);
                format!("an object of the unknown class {}", dotted(&module, &name))
            }
            (_, _) => "an object of an unknown class".to_owned(),
        };
        Err(not_objects(id, &found))
    }

    /// The unknown class of an array.
    fn unknown_class(&self, id: u32) -> Result<String> {
        let Node::Call { arguments, .. } = self.node(id) else { return Ok(String::new()) };
        match self.decoder.arena.tuple(arguments).map(|[class, _, _]: [u32; 3]| self.node(class)) {
            Some(Node::Global { module, name }) => {
                let (module, name) = (self.decoder.text(module)?, self.decoder.text(name)?);
                Ok(dotted(&module, &name))
            }
            _ => Ok(String::new()),
        }
    }

    /// `_reconstruct(ndarray, (0,), b'b')`, whose state is the array.
    pub(super) fn reconstructed(&mut self, id: u32) -> Result<V::Value> {
        let Node::Call { arguments, .. } = self.node(id) else { return Ok(self.visitor.none()?) };
        let expected = "a class, the shape (0,) and the type code b'b'";
        let Some([class, shape, code]) = self.decoder.arena.tuple(arguments) else {
            return Err(invalid(id, "_reconstruct", expected));
        };
        let class = match self.node(class) {
            // NumPy always writes an empty array of bytes.
            Node::Known(known @ (Known::NdArray | Known::Matrix | Known::RecArray))
                if self.decoder.is_empty(id, shape, code)? =>
            {
                known
            }
            Node::Global { module, name } => return self.opaque_array(id, [module, name]),
            _ => return Err(invalid(id, "_reconstruct", expected)),
        };
        let parts = self.decoder.added(id).only_state().and_then(|state| self.decoder.arena.tuple(state));
        let state = self.decoder.array_state(id, parts.ok_or_else(|| invalid(id, "ndarray", STATE))?)?;
        let array = self.array(id, state)?;
        if class == Known::NdArray {
            return Ok(array);
        }
        if let LastArray::Values(_) = self.last_array {
            self.last_array = LastArray::Other;
        }
        Ok(if class == Known::Matrix { self.visitor.matrix(array)? } else { self.visitor.rec_array(array)? })
    }

    /// An array of an unknown class.
    fn opaque_array(&mut self, id: u32, [module, name]: [u32; 2]) -> Result<V::Value> {
        let (module, name) = (self.decoder.text(module)?, self.decoder.text(name)?);
        let mut object = self.opaque(id, (&module, &name), Some(Vec::new()))?;
        self.keep(id, &object)?;
        let state = self.decoder.added(id).state;
        let state = if state == NONE { None } else { Some(self.object(state)?) };
        self.visitor.set_state(&mut object, state, Vec::new(), Vec::new())?;
        self.last_array = LastArray::Opaque;
        Ok(object)
    }

    /// `_mareconstruct(MaskedArray, ndarray, (0,), 'b')`, whose state has a mask and a fill value too.
    pub(super) fn masked_array(&mut self, id: u32) -> Result<V::Value> {
        let Node::Call { arguments, .. } = self.node(id) else { return Ok(self.visitor.none()?) };
        let wrong = || invalid(id, "MaskedArray", "the class, ndarray, the shape (0,), 'b', and a state with a mask");
        let [class, base, shape, code] = self.decoder.arena.tuple(arguments).ok_or_else(wrong)?;
        let (Node::Known(class @ (Known::MaskedArray | Known::MaskedVoid)), Node::Known(Known::NdArray)) =
            (self.node(class), self.node(base))
        else {
            return Err(wrong());
        };
        let parts = self.decoder.added(id).only_state().and_then(|state| self.decoder.arena.tuple(state));
        let [state @ .., mask, fill]: [u32; 7] = parts.ok_or_else(wrong)?;
        if !self.decoder.is_empty(id, shape, code)? {
            return Err(wrong());
        }
        let state = self.decoder.array_state(id, state)?;
        let (dtype, shape, order) = (mask_dtype(&state.dtype.dtype).ok_or_else(wrong)?, state.shape.clone(), state.order);
        let array = self.array(id, state)?;
        let is_of_objects = matches!(self.last_array, LastArray::Objects);
        let mask = owned(self.decoder.raw(mask)?)?;
        let mask = DynValues::new(dtype, order, &shape, mask).map_err(|error| in_array(id, error))?;
        if mask.bytes().iter().any(|byte| *byte > 1) {
            return Err(invalid(id, "MaskedArray", "a mask of bools"));
        }
        let fill_value = self.object(fill)?;
        self.last_array = if is_of_objects { LastArray::Objects } else { LastArray::Other };
        Ok(match class {
            Known::MaskedVoid => self.visitor.masked_void(array, mask, fill_value)?,
            _ => self.visitor.masked_array(array, mask, fill_value)?,
        })
    }

    /// An array of its state.
    fn array(&mut self, id: u32, state: ArrayState) -> Result<V::Value> {
        if state.dtype.dtype.has_object() {
            let array = self.object_array(id, state);
            self.last_array = LastArray::Objects;
            return array;
        }
        let (mut dtype, mut bytes) = (state.dtype.dtype, self.decoder.raw(state.data)?);
        // NumPy converts arrays to the native byte order on loading, but not the fields of records.
        if let DType::Scalar(scalar) = dtype
            && scalar.byte_order().is_some_and(|order| order != ByteOrder::NATIVE)
            && !matches!(scalar.kind(), ScalarKind::Void { .. })
        {
            let mut swapped = owned(bytes)?;
            swap_bytes(scalar, &mut swapped);
            bytes = Cow::Owned(swapped);
            dtype = dtype.with_byte_order(ByteOrder::NATIVE);
        }
        self.values(id, (dtype, state.order, &state.shape), bytes)
    }

    /// An array without objects.
    fn values(&mut self, id: u32, (dtype, order, shape): (DType, Order, &[usize]), bytes: Cow<'_, [u8]>) -> Result<V::Value> {
        let header = Header::new(dtype, order, shape).map_err(|error| in_array(id, error))?;
        DynValues::check_length(&header, bytes.len()).map_err(|error| in_array(id, error))?;
        let array = self.visitor.array(&header, bytes)?;
        self.last_array = LastArray::Values(header.dtype().clone());
        Ok(array)
    }

    /// An array of objects, whose data are a list in C order.
    fn object_array(&mut self, id: u32, state: ArrayState) -> Result<V::Value> {
        let ArrayState { dtype, order, shape, data } = state;
        let Node::List(items) = self.node(data) else {
            return Err(invalid(id, "ndarray", "a list of objects"));
        };
        // Checked before the objects are converted.
        let expected = element_count(&shape, 1).map_err(|error| in_array(id, error))? as u64;
        let found = u64::from(items.count);
        if expected != found {
            return Err(PickleError::in_node(id, Fault::wrong_count(&shape, expected, found)));
        }
        let arena = self.decoder.arena;
        if let DType::Record(record) = &dtype.dtype {
            let is_record = |item: u32| match arena.node(item) {
                Node::Tuple(fields) => usize::try_from(fields.count) == Ok(record.fields().len()),
                _ => false,
            };
            if let Some(item) = arena.children(items).find(|item| !is_record(*item)) {
                return Err(invalid(item, "ndarray", "a tuple with an item for each field"));
            }
        }
        let mut array = match dtype.string {
            None => self.visitor.object_array(dtype.dtype, shape, order)?,
            Some(string) => {
                let na_object = string.na_object.map(|na_object| self.object(na_object)).transpose()?;
                self.visitor.string_array(string.coerce, na_object, shape, order)?
            }
        };
        self.keep(id, &array)?;
        let elements = self.objects(items)?;
        // NumPy converts other objects to text, or refuses them.
        if let Some(string) = dtype.string
            && !self.decoder.are_texts(items, string.na_object, self.has_surrogates)
        {
            return Err(invalid(id, "ndarray", "texts, or the na_object of its StringDType"));
        }
        self.visitor.set_elements(&mut array, elements)?;
        Ok(array)
    }

    /// `_frombuffer(bytes, dtype, shape, order)`, from protocol 5 on.
    pub(super) fn buffer_array(&mut self, id: u32, arguments: u32) -> Result<V::Value> {
        let decoder = &mut self.decoder;
        decoder.check_nothing_added(id, Known::FromBuffer)?;
        let parts = decoder.arena.tuple_with_optional(arguments);
        let ([data, dtype, shape, order], axes) =
            parts.ok_or_else(|| invalid(id, "_frombuffer", "bytes, a dtype, a shape and an order"))?;
        let order = match (&*decoder.text(order)?, axes.map_or(Node::None, |axes| decoder.arena.node(axes))) {
            ("C", Node::None) => Order::C,
            ("F", Node::None) => Order::Fortran,
            _ => return Err(invalid(id, "_frombuffer", "the order 'C' or 'F'")),
        };
        let shape = decoder.shape(id, shape)?;
        let dtype = decoder.dtype(dtype)?.dtype;
        let bytes = decoder.raw(data)?;
        self.values(id, (dtype, order, &shape), bytes)
    }

    /// `scalar(dtype, bytes)`.
    pub(super) fn scalar(&mut self, id: u32, arguments: u32) -> Result<V::Value> {
        self.decoder.check_nothing_added(id, Known::Scalar)?;
        let Some([dtype, data]) = self.decoder.arena.tuple(arguments) else {
            return Err(invalid(id, "scalar", "a dtype and bytes"));
        };
        let pickled = self.decoder.dtype(dtype)?;
        if let DType::Scalar(scalar) = &pickled.dtype
            && scalar.kind() == ScalarKind::Object
        {
            return self.object(data);
        }
        let scalar = self.scalar_of_bytes(id, pickled, data)?;
        Ok(if self.decoder.is_record_class(dtype) { self.visitor.record(scalar)? } else { scalar })
    }

    #[inline(never)]
    fn scalar_of_bytes(&mut self, id: u32, pickled: PickledDType, data: u32) -> Result<V::Value> {
        let bytes = self.decoder.raw(data)?;
        // The cached header of this dtype.
        let header = match self.decoder.numpy.header.take() {
            Some(header) => header,
            None => Header::new(pickled.dtype, Order::C, &[]).map_err(|error| in_array(id, error))?,
        };
        DynValues::check_length(&header, bytes.len()).map_err(|error| in_array(id, error))?;
        let scalar = self.visitor.scalar(&header, bytes)?;
        self.decoder.numpy.header = Some(header);
        Ok(scalar)
    }
}

impl Decoder<'_> {
    /// Decodes the state of an array.
    fn array_state(&mut self, id: u32, [version, shape, dtype, order, data]: [u32; 5]) -> Result<ArrayState> {
        let (Some(1), Some(order)) = (self.integer(version), self.integer(order)) else {
            return Err(invalid(id, "ndarray", STATE));
        };
        let order = if order == 0 { Order::C } else { Order::Fortran };
        let shape = self.shape(id, shape)?;
        Ok(ArrayState { dtype: self.dtype(dtype)?, order, shape, data })
    }

    /// Returns whether a shape and a type code are those of NumPy's empty array of bytes.
    fn is_empty(&self, id: u32, shape: u32, code: u32) -> Result<bool> {
        let is_code_of_bytes = match self.arena.node(code) {
            Node::Text(span) => self.arena.bytes(span) == b"b",
            _ => self.raw(code).is_ok_and(|code| *code == *b"b"),
        };
        Ok(self.shape(id, shape)? == [0] && is_code_of_bytes)
    }

    /// Returns whether the class of a dtype's elements is `numpy.record`.
    fn is_record_class(&self, dtype: u32) -> bool {
        let Node::Call { arguments, .. } = self.arena.node(dtype) else { return false };
        let code = self.arena.tuple(arguments).map(|[code, _, _]: [u32; 3]| self.arena.node(code));
        matches!(code, Some(Node::Known(Known::Record)))
    }
}

#[cold]
fn not_objects(id: u32, found: &str) -> PickleError {
    PickleError::in_node(id, Fault::invalid(format!("expected an array of objects, found {found}")))
}
