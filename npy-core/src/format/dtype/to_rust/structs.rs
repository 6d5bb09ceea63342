//! Records as structs with `#[derive(NpyRecord)]`.

use std::fmt::Write as _;

use super::super::rust_type::in_array;
use super::super::{ByteOrder, DType, Field, Record, ScalarKind, Title};
use super::names::{Names, field_name, type_name};
use crate::error::describe::counted;

/// A struct to be printed.
pub(super) struct Struct {
    name: String,
    itemsize: usize,
    /// The content of the field's `#[npy(...)]`.
    attributes: Vec<String>,
    /// A multiple of this is where `align` places it in another struct.
    alignment: usize,
    members: Vec<Member>,
    /// Whether its layout depends on the values, so that no attribute can set it.
    has_strings: bool,
    /// The structs of records in it.
    inner: Vec<Self>,
}

enum Member {
    Field {
        ident: String,
        doc: String,
        attributes: Vec<String>,
        rust: String,
        comments: Vec<String>,
    },
    /// A comment in place of a field.
    Absent(String),
}

impl Struct {
    pub(super) fn new(record: &Record, name: String, names: &mut Names) -> Self {
        let mut this = Self {
            name,
            itemsize: record.itemsize(),
            attributes: Vec::new(),
            alignment: 1,
            members: Vec::new(),
            has_strings: false,
            inner: Vec::new(),
        };
        let endian = foreign_order(record);
        if let Some(order) = endian {
            this.attributes.push(format!("endian = \"{}\"", if order == ByteOrder::Big { "big" } else { "little" }));
        }
        let mut idents = Names::default();
        // Offset, itemsize and alignment of those that have a Rust type; `None` for the others.
        let mut placed = Vec::new();
        for field in record.fields() {
            placed.push(this.add(field, endian, &mut idents, names).map(|alignment| (field, alignment)));
        }
        if !this.has_strings {
            this.lay_out(record, &placed);
        }
        this
    }

    /// Adds a field. Returns its alignment if there is a Rust type for it.
    fn add(&mut self, field: &Field, endian: Option<ByteOrder>, idents: &mut Names, names: &mut Names) -> Option<usize> {
        let (base, shape) = match field.dtype() {
            DType::SubArray(array) => (array.base(), array.shape()),
            other => (other, [].as_slice()),
        };
        let mut attributes = Vec::new();
        let (rust, alignment, doc) = match base {
            DType::Record(record) => {
                let name = names.add(&(self.name.clone() + &type_name(field.name())), "");
                let inner = Self::new(record, name, names);
                let (rust, alignment) = (inner.name.clone(), inner.alignment);
                self.has_strings |= inner.has_strings;
                self.inner.push(inner);
                (rust, alignment, "A record.".to_owned())
            }
            other => {
                let Some(rust) = names.element(other).filter(|_| is_written_as(other, endian)) else {
                    let text = format!("{:?} is {other}, which no Rust type is written as.", field.name());
                    self.members.push(Member::Absent(text));
                    return None;
                };
                if let DType::Scalar(scalar) = other
                    && scalar.byte_order().is_some_and(|order| order != ByteOrder::NATIVE)
                    && endian.is_none()
                    && rust != "String"
                {
                    attributes.push(format!("dtype = \"{scalar}\""));
                }
                self.has_strings |= rust == "String";
                (rust, alignment_of(other), format!("`{}`", field.dtype()))
            }
        };
        let ident = idents.add(&field_name(field.name()), "_");
        if ident.trim_start_matches("r#") != field.name() {
            attributes.insert(0, format!("rename = {:?}", field.name()));
        }
        let mut comments = Vec::new();
        match field.title() {
            Some(Title::Text(title)) => attributes.push(format!("title = {title:?}")),
            Some(Title::Literal(title)) => comments.push(format!("Its title, {}, is no text.", title.escape_debug())),
            None => {}
        }
        if field.name_literal().is_some() {
            comments.push("Its name in Python holds half of a surrogate pair, which cannot be written.".to_owned());
        }
        self.members.push(Member::Field { ident, doc, attributes, rust: in_array(rust, shape), comments });
        Some(alignment)
    }

    /// Finds the attributes that put the fields where they are: none, `align`, or offsets.
    fn lay_out(&mut self, record: &Record, placed: &[Option<(&Field, usize)>]) {
        let all: Option<Vec<_>> = placed.iter().copied().collect();
        let fits = |align: bool| {
            let (mut end, mut largest) = (0_usize, 1);
            let in_place = all.iter().flatten().all(|(field, alignment)| {
                let begin = if align { end.next_multiple_of(*alignment) } else { end };
                largest = largest.max(*alignment);
                end = field.end();
                begin == field.offset()
            });
            let itemsize = if align { end.next_multiple_of(largest) } else { end };
            (all.is_some() && in_place && itemsize == record.itemsize()).then_some(largest)
        };
        if fits(false).is_some() {
            return;
        }
        if let Some(alignment) = fits(true) {
            self.attributes.insert(0, "align".to_owned());
            self.alignment = alignment;
            return;
        }
        let mut end = 0;
        for (member, field) in self.members.iter_mut().zip(placed) {
            let (Member::Field { attributes, .. }, Some((field, _))) = (member, field) else { continue };
            if field.offset() != end {
                attributes.push(format!("offset = {}", field.offset()));
            }
            end = field.end();
        }
        if record.itemsize() != end {
            self.attributes.push(format!("itemsize = {}", record.itemsize()));
        }
    }

    pub(super) fn print(&self) -> String {
        let mut text = format!(
            "/// A record of {}.\n#[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]\n",
            counted(self.itemsize, "byte")
        );
        // Writing to a `String` cannot fail.
        if !self.attributes.is_empty() {
            let _ = writeln!(text, "#[npy({})]", self.attributes.join(", "));
        }
        let _ = writeln!(text, "pub struct {} {{", self.name);
        for member in &self.members {
            match member {
                Member::Absent(comment) => {
                    let _ = writeln!(text, "    // {comment}");
                }
                Member::Field { ident, doc, attributes, rust, comments } => {
                    let _ = writeln!(text, "    /// {doc}");
                    for comment in comments {
                        let _ = writeln!(text, "    // {comment}");
                    }
                    if !attributes.is_empty() {
                        let _ = writeln!(text, "    #[npy({})]", attributes.join(", "));
                    }
                    let _ = writeln!(text, "    pub {ident}: {rust},");
                }
            }
        }
        text.push_str("}\n");
        for inner in &self.inner {
            text.push('\n');
            text.push_str(&inner.print());
        }
        text
    }
}

/// Whether the type that reads a dtype is also written as it.
fn is_written_as(dtype: &DType, endian: Option<ByteOrder>) -> bool {
    let DType::Scalar(scalar) = dtype else { return true };
    match scalar.kind() {
        // Of 32-bit x86, and read as those of 64-bit.
        ScalarKind::LongDouble { itemsize: 12 } | ScalarKind::ComplexLongDouble { itemsize: 24 } => false,
        // `dtype = ">V2"` are raw bytes.
        ScalarKind::Void { .. } => endian.is_some() || scalar.byte_order().is_none_or(|order| order == ByteOrder::NATIVE),
        _ => true,
    }
}

/// Returns the byte order of all scalars of a record that have one, if it is not the native one.
fn foreign_order(record: &Record) -> Option<ByteOrder> {
    let mut orders = record.fields().iter().flat_map(|field| field.dtype().leaves()).filter_map(|leaf| leaf.scalar().byte_order());
    let first = orders.next().filter(|order| *order != ByteOrder::NATIVE)?;
    orders.all(|order| order == first).then_some(first)
}

/// Returns the alignment of a scalar's Rust type, as the derive has it.
fn alignment_of(dtype: &DType) -> usize {
    match dtype.alignment() {
        8 => align_of::<i64>(),
        alignment => alignment,
    }
}
