//! A dtype as Rust code.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::rust_type::{in_array, rust_type};
use super::{ByteOrder, DType, Field, Record, ScalarKind, Title};
use crate::error::describe::counted;

impl DType {
    /// Generates Rust code for this dtype.
    ///
    /// A record becomes a struct with `#[derive(NpyRecord)]`, as do the records in it. Anything
    /// else becomes a type alias.
    ///
    /// The structs read every file of this dtype, and those with text of other widths: text is a
    /// `String`. [`to_rust_exact`](Self::to_rust_exact) writes what is stored as exactly this dtype.
    /// What no Rust type can be is left out, and a comment says so. Of a record
    /// with Python objects a comment shows how its fields are read, because no struct does. The code
    /// names everything by its path in `npy_core`, so it can stand in any module; it needs the
    /// features `derive` and, for such numbers, `half` and `complex`.
    ///
    /// ```
    /// # use npy_core::DType;
    /// let dtype: DType = "[('id', '<u4'), ('Depth [km]', '<f4'), ('picks', [('t', '<M8[ns]')], (2,))]".parse()?;
    /// # #[cfg(target_endian = "little")]
    /// assert_eq!(
    ///     dtype.to_rust("Event"),
    ///     r#"/// A record of 24 bytes.
    /// #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    /// pub struct Event {
    ///     /// `<u4`
    ///     pub id: u32,
    ///     /// `<f4`
    ///     #[npy(rename = "Depth [km]")]
    ///     pub depth_km: f32,
    ///     /// A record.
    ///     pub picks: [EventPicks; 2],
    /// }
    ///
    /// /// A record of 8 bytes.
    /// #[derive(Clone, Debug, PartialEq, npy_core::NpyRecord)]
    /// pub struct EventPicks {
    ///     /// `<M8[ns]`
    ///     pub t: npy_core::types::Datetime64<npy_core::types::unit::Nanosecond>,
    /// }
    /// "#,
    /// );
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn to_rust(&self, name: &str) -> String {
        self.rust_code(name, Names::of_types(false))
    }

    /// [`to_rust`](Self::to_rust) with text of a fixed width.
    ///
    /// The structs write exactly this dtype, on a machine of the same byte order, and refuse wider
    /// text; only a sub-array of sub-arrays is written as one of more dimensions, which has the same
    /// bytes.
    ///
    /// ```
    /// # use npy_core::DType;
    /// let dtype: DType = "|S4".parse()?;
    /// assert_eq!(dtype.to_rust("Code"), "/// `|S4`\npub type Code = String;\n");
    /// assert_eq!(dtype.to_rust_exact("Code"), "/// `|S4`\npub type Code = npy_core::types::FixedBytes<4>;\n");
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn to_rust_exact(&self, name: &str) -> String {
        self.rust_code(name, Names::of_types(true))
    }

    fn rust_code(&self, name: &str, mut names: Names) -> String {
        let name = names.add(&type_name(name), "");
        match self {
            Self::Record(record) if self.has_object() => object_fields(&name, record),
            Self::Scalar(scalar) if scalar.kind() == ScalarKind::Object => {
                let read = format!("`npy_core::object::load(path)?.to_vec::<{name}>()`");
                format!("/// `{self}`, read by {read}.\npub type {name} = npy_core::object::PyObject;\n")
            }
            Self::Record(record) => Struct::new(record, name, &mut names).print(),
            other => match names.element(other) {
                Some(rust) => format!("/// `{other}`\npub type {name} = {rust};\n"),
                None => format!("// {name}: no Rust type is `{other}`.\n"),
            },
        }
    }
}

/// A comment that shows how the fields of a record with Python objects are read.
fn object_fields(name: &str, record: &Record) -> String {
    let mut text = format!(
        "// {name}: no struct reads records with Python objects. Their fields are read one by one, with the feature `object`:\n\
         //     let array = npy_core::object::load(path)?;\n"
    );
    let mut idents = Names::default();
    for field in record.fields() {
        let ident = idents.add(&field_name(field.name()), "_");
        // What objects are converted to: text, and types of the language.
        let rust = match field.dtype() {
            DType::Scalar(scalar) if matches!(scalar.kind(), ScalarKind::Unicode { .. }) => Some("String".to_owned()),
            DType::Scalar(_) => rust_type(field.dtype(), "npy_core::").filter(|rust| !rust.contains("::")),
            _ => None,
        };
        let rust = rust.unwrap_or_else(|| "npy_core::object::PyObject".to_owned());
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "//     let {ident} = array.field({:?})?.to_vec::<{rust}>()?;", field.name());
    }
    text
}

/// A member of an archive, for [`archive_to_rust`].
#[cfg(feature = "npz")]
pub(crate) struct ArchiveMember {
    pub(crate) name: String,
    /// The dtype and the number of axes, or why there is no field for it.
    pub(crate) array: Result<(DType, usize), String>,
}

/// Rust code for an archive of these members: a struct with `#[derive(NpzArchive)]`, and those of
/// its records.
#[cfg(feature = "npz")]
pub(crate) fn archive_to_rust(name: &str, members: &[ArchiveMember], is_exact: bool) -> String {
    let (mut names, mut idents) = (Names::of_types(is_exact), Names::default());
    let name = names.add(&type_name(name), "");
    let mut text = "#[derive(npy_ndarray::NpzArchive)]\n".to_owned();
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "pub struct {name} {{");
    let mut records = Vec::new();
    let mut seen = HashSet::new();
    for member in members {
        let absent = |text: &mut String, why: &str| {
            let _ = writeln!(text, "    // {:?} {}.", member.name, why.escape_debug());
        };
        let (dtype, axes) = match &member.array {
            Ok(_) if !seen.insert(&member.name) => {
                absent(&mut text, "is the name of an earlier member too");
                continue;
            }
            Ok(array) => array,
            Err(why) => {
                absent(&mut text, why);
                continue;
            }
        };
        let rust = match dtype {
            DType::Record(record) => {
                let record_name = names.add(&(name.clone() + &type_name(&member.name)), "");
                let record = Struct::new(record, record_name.clone(), &mut names);
                records.push(record.print());
                Some(record_name)
            }
            other => names.element(other),
        };
        let Some(rust) = rust else {
            absent(&mut text, &format!("is {dtype}, which no Rust type is written as"));
            continue;
        };
        // `ndarray` has types for up to six axes.
        let array = match axes {
            0 if !is_exact => rust,
            0..=6 => format!("npy_ndarray::ndarray::Array{axes}<{rust}>"),
            _ => format!("npy_ndarray::ndarray::ArrayD<{rust}>"),
        };
        let ident = idents.add(&field_name(&member.name), "_");
        let doc = if matches!(dtype, DType::Record(_)) { "Records.".to_owned() } else { format!("`{dtype}`") };
        let _ = writeln!(text, "    /// {doc}");
        if ident.trim_start_matches("r#") != member.name {
            let _ = writeln!(text, "    #[npy(rename = {:?})]", member.name);
        }
        let _ = writeln!(text, "    pub {ident}: {array},");
    }
    text.push_str("}\n");
    for record in &records {
        text.push('\n');
        text.push_str(record);
    }
    text
}

/// A struct to be printed.
struct Struct {
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
    fn new(record: &Record, name: String, names: &mut Names) -> Self {
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

    /// Adds a field, and tells its alignment if there is a Rust type for it.
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

    fn print(&self) -> String {
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

/// The byte order of all that has one in the record, if it is not the machine's.
fn foreign_order(record: &Record) -> Option<ByteOrder> {
    fn collect(dtype: &DType, orders: &mut HashSet<ByteOrder>) {
        match dtype {
            DType::Scalar(scalar) => orders.extend(scalar.byte_order()),
            DType::SubArray(array) => collect(array.base(), orders),
            DType::Record(record) => record.fields().iter().for_each(|field| collect(field.dtype(), orders)),
        }
    }
    let mut orders = HashSet::new();
    record.fields().iter().for_each(|field| collect(field.dtype(), &mut orders));
    match orders.into_iter().collect::<Vec<_>>()[..] {
        [order] if order != ByteOrder::NATIVE => Some(order),
        _ => None,
    }
}

/// Where NumPy's `align=True` places it: the alignment of the C type. Records are not asked.
fn alignment_of(dtype: &DType) -> usize {
    let DType::Scalar(scalar) = dtype else { return 1 };
    match scalar.kind() {
        ScalarKind::Int16 | ScalarKind::UInt16 | ScalarKind::Float16 => 2,
        ScalarKind::Void { length: 2 } if scalar.byte_order().is_some() => 2,
        ScalarKind::Int32 | ScalarKind::UInt32 | ScalarKind::Float32 | ScalarKind::Complex64 | ScalarKind::Unicode { .. } => 4,
        ScalarKind::Int64 | ScalarKind::UInt64 | ScalarKind::Datetime { .. } | ScalarKind::Timedelta { .. } => align_of::<i64>(),
        ScalarKind::Float64 | ScalarKind::Complex128 => align_of::<f64>(),
        ScalarKind::LongDouble { .. } | ScalarKind::ComplexLongDouble { .. } => 16,
        _ => 1,
    }
}

/// Words of letters and digits.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// A name in `PascalCase`.
fn type_name(name: &str) -> String {
    let mut pascal = String::new();
    for word in words(name) {
        let (first, rest) = word.split_at(1);
        pascal.push_str(&first.to_ascii_uppercase());
        pascal.push_str(rest);
    }
    match pascal.as_bytes().first() {
        None => "Record".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("Record{pascal}"),
        _ if pascal == "Self" => "SelfRecord".to_owned(),
        _ => pascal,
    }
}

/// A name in `snake_case`.
fn field_name(name: &str) -> String {
    const KEYWORDS: &str = " abstract as async await become box break const continue do dyn else enum extern false final fn for gen if impl \
        in let loop macro match mod move mut override priv pub ref return static struct trait true try type typeof unsafe unsized use \
        virtual where while yield ";
    let mut snake = String::new();
    let mut previous = '_';
    for word in words(name) {
        if !snake.is_empty() {
            snake.push('_');
            previous = '_';
        }
        for letter in word.chars() {
            // `peakTime` has two words.
            if letter.is_ascii_uppercase() && (previous.is_ascii_lowercase() || previous.is_ascii_digit()) {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
            previous = letter;
        }
    }
    match snake.as_bytes().first() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("field_{snake}"),
        // These can be no raw identifiers.
        _ if matches!(snake.as_str(), "self" | "super" | "crate") => snake + "_",
        _ if KEYWORDS.contains(&format!(" {snake} ")) => format!("r#{snake}"),
        _ => snake,
    }
}

/// Names that are taken, and of each how many were made of it.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
    /// Whether text has types of a fixed width.
    is_exact: bool,
}

impl Names {
    /// The names of types.
    fn of_types(is_exact: bool) -> Self {
        Self { taken: HashSet::from(["String".to_owned()]), is_exact, ..Self::default() }
    }

    /// The type of elements that are no records.
    fn element(&self, dtype: &DType) -> Option<String> {
        match dtype {
            DType::SubArray(array) => self.element(array.base()).map(|item| in_array(item, array.shape())),
            DType::Scalar(scalar)
                if !self.is_exact && matches!(scalar.kind(), ScalarKind::Bytes { .. } | ScalarKind::Unicode { .. }) =>
            {
                Some("String".to_owned())
            }
            other => rust_type(other, "npy_core::"),
        }
    }

    /// The name, cut where it is very long, and with a number if it is taken.
    fn add(&mut self, name: &str, separator: &str) -> String {
        const LONGEST: usize = 64;
        // All of it is ASCII.
        let name = name.get(..LONGEST).map_or(name, |cut| cut.trim_end_matches('_'));
        let mut unique = name.to_owned();
        while !self.taken.insert(unique.clone()) {
            let count = self.counts.entry(name.to_owned()).or_insert(1);
            *count += 1;
            unique = format!("{}{separator}{count}", name.trim_start_matches("r#"));
        }
        unique
    }
}
