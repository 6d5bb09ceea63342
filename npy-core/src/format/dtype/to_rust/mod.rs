//! A dtype as Rust code.

#[cfg(feature = "npz")]
pub(crate) mod archive;
mod names;
mod objects;
mod structs;

use super::{DType, ScalarKind};
use names::{Names, type_name};

impl DType {
    /// Generates Rust code for this dtype.
    ///
    /// A record becomes a struct with `#[derive(NpyRecord)]`, as do the records in it. Anything
    /// else becomes a type alias.
    ///
    /// The structs read every file of this dtype, and those with text of other widths: text is a
    /// `String`. [`to_rust_exact`](Self::to_rust_exact) writes what is stored as exactly this dtype.
    /// Fields without a Rust type are left out, and a comment says so. The code names everything by its
    /// path in `npy_core`, so it can stand in any module; it needs the features `derive` and, for
    /// such numbers, `half` and `complex`.
    ///
    /// Records with Python objects become structs with `#[derive(serde::Deserialize)]`, which
    /// [`ObjectArray::deserialize`](crate::object::ObjectArray::deserialize) reads; they need the
    /// feature `serde`, and the crate `serde` with its feature `derive`. An object may be anything,
    /// so its field is a [`PyObject`](crate::object::PyObject): replace it by what you expect, such
    /// as `Option<String>`.
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

    /// [`to_rust`](Self::to_rust) with text of a fixed width: `|S4` becomes `FixedBytes<4>` instead of
    /// `String`.
    ///
    /// The structs write exactly this dtype, on a machine of the same byte order, and refuse wider
    /// text; only a sub-array of sub-arrays is written as one of more dimensions, which has the same
    /// bytes.
    pub fn to_rust_exact(&self, name: &str) -> String {
        self.rust_code(name, Names::of_types(true))
    }

    fn rust_code(&self, name: &str, mut names: Names) -> String {
        let name = names.add(&type_name(name), "");
        match self {
            Self::Record(record) if self.has_object() => objects::structs(record, name, &mut names),
            Self::Scalar(scalar) if scalar.kind() == ScalarKind::Object => {
                let read = format!("`npy_core::object::load(path)?.to_vec::<{name}>()`");
                format!("/// `{self}`, read by {read}.\npub type {name} = npy_core::object::PyObject;\n")
            }
            Self::Record(record) => structs::Struct::new(record, name, &mut names).print(),
            other => match names.element(other) {
                Some(rust) => format!("/// `{other}`\npub type {name} = {rust};\n"),
                None => format!("// {name}: no Rust type is `{other}`.\n"),
            },
        }
    }
}
