//! The elements of any array as a line of text, in logical order: the Rust twin of
//! tests/python/dump.py.
//!
//! The array is taken apart into columns, one for each scalar in a record. Each column is given a
//! header of its own and read through the library: by `ArrayD<T>` in the order of the file, in its
//! byte order.

use ndarray::ArrayD;
use npy_core::dtype::{ByteOrder, Scalar, ScalarKind};
use npy_core::half::f16;
use npy_core::num_complex::Complex;
use npy_core::types::{LongDouble, Void};
use npy_core::{DType, Header, NpyElement, Order};
use npy_ndarray::{ReadNpyExt, WriteNpyExt};

/// The values of an array with this header and these data.
pub fn dump(header: &Header, data: &[u8]) -> String {
    let mut columns = Vec::new();
    collect(header.dtype(), 0, &mut |offset, scalar| columns.push(column(header, data, offset, scalar)));
    let count = header.element_count();
    let elements: Vec<String> =
        (0..count).map(|i| element(header.dtype(), &mut columns.iter().map(|column| column[i].as_str()))).collect();
    elements.join(" ")
}

/// Calls `each` for every scalar in an element, in the order in which `element` shows them.
fn collect(dtype: &DType, offset: usize, each: &mut impl FnMut(usize, Scalar)) {
    match dtype {
        DType::Scalar(scalar) => each(offset, *scalar),
        DType::SubArray(array) => {
            let count: usize = array.shape().iter().product();
            for i in 0..count {
                collect(array.base(), offset + i * array.base().itemsize(), each);
            }
        }
        DType::Record(record) => {
            for field in record.fields() {
                collect(field.dtype(), offset + field.offset(), each);
            }
        }
    }
}

fn element<'a>(dtype: &DType, scalars: &mut impl Iterator<Item = &'a str>) -> String {
    match dtype {
        DType::Scalar(_) => scalars.next().unwrap().to_owned(),
        DType::SubArray(_) => format!("[{}]", items(dtype, scalars).join(",")),
        DType::Record(record) => {
            let fields: Vec<_> = record.fields().iter().map(|field| element(field.dtype(), scalars)).collect();
            format!("{{{}}}", fields.join(","))
        }
    }
}

/// Sub-arrays of sub-arrays are shown as one list.
fn items<'a>(dtype: &DType, scalars: &mut impl Iterator<Item = &'a str>) -> Vec<String> {
    match dtype {
        DType::SubArray(array) => {
            let count: usize = array.shape().iter().product();
            (0..count).flat_map(|_| items(array.base(), scalars)).collect()
        }
        other => vec![element(other, scalars)],
    }
}

/// One scalar of every element, in logical order.
fn column(header: &Header, data: &[u8], offset: usize, scalar: Scalar) -> Vec<String> {
    let (itemsize, size) = (header.dtype().itemsize(), scalar.itemsize());
    let mut bytes = Vec::new();
    for i in 0..header.element_count() {
        bytes.extend(&data[i * itemsize + offset..][..size]);
    }
    let source = Source { header, bytes };
    match scalar.kind() {
        ScalarKind::Bool => source.read(scalar, |value: &bool| if *value { "t" } else { "f" }.to_owned()),
        ScalarKind::Int8 => source.read(scalar, i8::to_string),
        ScalarKind::Int16 => source.read(scalar, i16::to_string),
        ScalarKind::Int32 => source.read(scalar, i32::to_string),
        ScalarKind::Int64 => source.read(scalar, i64::to_string),
        ScalarKind::UInt8 => source.read(scalar, u8::to_string),
        ScalarKind::UInt16 => source.read(scalar, u16::to_string),
        ScalarKind::UInt32 => source.read(scalar, u32::to_string),
        ScalarKind::UInt64 => source.read(scalar, u64::to_string),
        ScalarKind::Float16 => source.read(scalar, |value: &f16| format!("x{:04x}", value.to_bits())),
        ScalarKind::Float32 => source.read(scalar, float32),
        ScalarKind::Float64 => source.read(scalar, float64),
        ScalarKind::LongDouble { .. } => source.read(scalar, long_double),
        ScalarKind::Complex64 => source.read(scalar, |c: &Complex<f32>| format!("c({},{})", float32(&c.re), float32(&c.im))),
        ScalarKind::Complex128 => source.read(scalar, |c: &Complex<f64>| format!("c({},{})", float64(&c.re), float64(&c.im))),
        ScalarKind::ComplexLongDouble { .. } => {
            source.read(scalar, |c: &Complex<LongDouble>| format!("c({},{})", long_double(&c.re), long_double(&c.im)))
        }
        ScalarKind::Void { length: 0 } => source.read(scalar, void),
        ScalarKind::Void { .. } => source.read(scalar, void),
        // There is one Rust type for each unit and count; they differ in nothing but their dtype.
        ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => {
            let order = scalar.byte_order().unwrap();
            source.read(Scalar::new(ScalarKind::Int64, order), |value: &i64| match *value {
                i64::MIN => "NaT".to_owned(),
                value => value.to_string(),
            })
        }
        ScalarKind::Bytes { length } => source.text(scalar, length, |bytes| {
            let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            (format!("b:{}", hex(&bytes[..end])), String::from_utf8(bytes[..end].to_vec()).ok())
        }),
        ScalarKind::Unicode { length } => source.text(scalar, length * 4, |bytes| {
            let unit = |bytes: &[u8]| match scalar.byte_order() {
                Some(ByteOrder::Big) => u32::from_be_bytes(bytes.try_into().unwrap()),
                _ => u32::from_le_bytes(bytes.try_into().unwrap()),
            };
            let units: Vec<u32> = bytes.chunks(4).map(unit).collect();
            let end = units.iter().rposition(|unit| *unit != 0).map_or(0, |last| last + 1);
            let shown: Vec<_> = units[..end].iter().map(|unit| format!("{unit:x}")).collect();
            (format!("u:{}", shown.join(".")), units[..end].iter().map(|unit| char::from_u32(*unit)).collect())
        }),
        // float8 and complex32 of ml_dtypes, for which Rust has no type.
        _ => source.read(Scalar::new(ScalarKind::Void { length: size }, ByteOrder::NATIVE), void),
    }
}

fn float32(value: &f32) -> String {
    format!("x{:08x}", value.to_bits())
}

fn float64(value: &f64) -> String {
    format!("x{:016x}", value.to_bits())
}

fn long_double(value: &LongDouble) -> String {
    format!("x{:020x}", u128::from_ne_bytes(value.to_bytes()) & ((1 << 80) - 1))
}

fn void(value: &Void) -> String {
    format!("v:{}", hex(value))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A column as an array of its own.
struct Source<'a> {
    header: &'a Header,
    bytes: Vec<u8>,
}

impl Source<'_> {
    fn file(&self, scalar: Scalar) -> Vec<u8> {
        let header = Header::new(scalar.into(), self.header.order(), self.header.shape()).unwrap();
        [header.to_bytes(), self.bytes.clone()].concat()
    }

    fn read<T: NpyElement>(&self, scalar: Scalar, show: impl FnMut(&T) -> String) -> Vec<String> {
        let array = ArrayD::<T>::read_npy(&self.file(scalar)[..]).unwrap();
        self.check_write(scalar, &array);
        array.iter().map(show).collect()
    }

    /// What was read is written again as the bytes it came from.
    fn check_write<T: NpyElement>(&self, scalar: Scalar, array: &ArrayD<T>) {
        let writes_the_same =
            scalar.byte_order().is_none_or(|order| order == ByteOrder::NATIVE) && T::dtype().itemsize() == scalar.itemsize();
        // A bool that was neither 0 nor 1 becomes 1.
        if writes_the_same && scalar.kind() != ScalarKind::Bool && T::dtype() == DType::Scalar(scalar) {
            let mut written = Vec::new();
            array.write_npy(&mut written).unwrap();
            assert!(written.ends_with(&self.bytes));
        }
    }

    /// Texts are of any width, so their bytes are taken directly; where they are valid, `String`
    /// must read the same.
    fn text(&self, scalar: Scalar, width: usize, show: impl Fn(&[u8]) -> (String, Option<String>)) -> Vec<String> {
        let count = self.header.element_count();
        let (shown, texts): (Vec<String>, Vec<Option<String>>) =
            (0..count).map(|i| show(&self.bytes[i * width..][..width])).unzip();
        // In logical order, as the columns of other types are.
        let positions = Array::positions(self.header);
        let read = ArrayD::<String>::read_npy(&self.file(scalar)[..]);
        match texts.into_iter().collect::<Option<Vec<String>>>() {
            Some(texts) => {
                let expected: Vec<&String> = positions.iter().map(|i| &texts[*i]).collect();
                assert_eq!(read.unwrap().iter().collect::<Vec<_>>(), expected);
            }
            None => assert_eq!(read.unwrap_err().kind(), npy_core::ErrorKind::InvalidValue),
        }
        positions.iter().map(|i| shown[*i].clone()).collect()
    }
}

/// The order of elements, by arithmetic that is not the library's.
struct Array;

impl Array {
    /// Where in the file the elements are that come in logical order.
    fn positions(header: &Header) -> Vec<usize> {
        let shape = header.shape();
        let strides: Vec<usize> = match header.order() {
            Order::C => (0..shape.len()).map(|axis| shape[axis + 1..].iter().product()).collect(),
            Order::Fortran => (0..shape.len()).map(|axis| shape[..axis].iter().product()).collect(),
        };
        let count = header.element_count();
        let index = |mut position: usize| {
            let mut offset = 0;
            for axis in (0..shape.len()).rev() {
                offset += position % shape[axis] * strides[axis];
                position /= shape[axis];
            }
            offset
        };
        (0..count).map(index).collect()
    }
}
