//! Items for generated code and `npy-ndarray`. Private; may change with any release.

pub use core::clone::Clone;
pub use core::cmp::PartialEq;
pub use core::default::Default;
pub use core::iter::Iterator;
pub use core::marker::{Copy, PhantomData};
pub use core::mem::{offset_of, size_of};
pub use core::option::Option::{self, None, Some};
pub use core::result::Result::{self, Err, Ok};

#[cfg(feature = "half")]
pub use half;
#[cfg(feature = "complex")]
pub use num_complex;
pub use std::string::{String, ToString};

pub use crate::__plan as plan;
#[cfg(feature = "dynamic")]
pub use crate::dynamic::cast::{Class, Span, Wide, cast_items, no_numbers};
#[cfg(any(feature = "jiff", feature = "chrono"))]
pub use crate::element::TimePlan;
pub use crate::element::plan::{Layout, Plan, Planner, rust_type};
pub use crate::element::record::{
    Copies, Cursor, FieldName, FieldPlan, FileRecord, NpyRecord, RecordBuilder, copies, distinct, dtype_of_record, each, largest,
    plan_filled_record, plan_record, plan_whole_record, unknown_variant,
};
pub use crate::element::{
    ArrayPlan, As, Codec, CodecOf, Items, LongDoublePlan, Narrow, NpyElement, Optional, Otherwise, PlanOf, Probe, TextPlan,
    Through, Truncated, WidePlan, Widen, Widens, With, native,
};
pub use crate::element::{Datetime64, FixedBytes, FixedText, FixedUnicode, FixedVoid, LongDouble, Timedelta64, unit};
pub use crate::error::ValueError;
pub use crate::format::detect::first_bytes;
#[cfg(feature = "object")]
pub use crate::format::dtype::dtype_argument;
pub use crate::format::dtype::{ByteOrder, DType};
pub use crate::format::shape::is_same_in_both;
pub use crate::memory::slots::Sends;
pub use crate::memory::{Bulk, Plain};
#[cfg(feature = "print")]
pub use crate::print::partial::{print_one_by_one, printed, printed_edges, push_f32, push_f64, push_scalar};
#[cfg(feature = "print")]
pub use crate::print::table::{column_name, table_cells};
#[cfg(feature = "rawarray")]
pub use crate::rawarray::{open_elements, read_elements, write_elements};
pub use crate::read::elements::Elements;
pub use crate::read::file::{HeadedFile, with_file};
pub use crate::transpose::reverse_axes;
pub use crate::view::{
    NpyView, assert_field, assert_layout, bulk_of_view, check_field, check_flattened, view_items, view_mut_with_header,
    view_with_header,
};
pub use crate::write::bytes::ItemBytes;
pub use crate::write::dtype_of;
pub use crate::write::replace::{Output, Replacement, replace_file};

/// Makes a struct of plans a plan. The standard derives would demand bounds on its parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! __plan {
    ([$($impl_generics:tt)*] [$($plan:tt)*] [$($where_clause:tt)*] [$($field:ident)*] $($item:item)*) => {
        impl $($impl_generics)* $crate::__private::Clone for $($plan)* $($where_clause)* {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl $($impl_generics)* $crate::__private::Copy for $($plan)* $($where_clause)* {}

        impl $($impl_generics)* $crate::__private::PartialEq for $($plan)* $($where_clause)* {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                true $(&& self.$field == other.$field)*
            }
        }

        impl $($impl_generics)* $crate::__private::Plan for $($plan)* $($where_clause)* {
            #[inline(always)]
            fn relocate(self, file: &Self) -> Self {
                Self { $($field: $crate::__private::Plan::relocate(self.$field, &file.$field),)* ..self }
            }
        }

        impl $($impl_generics)* $($plan)* $($where_clause)* {
            $($item)*
        }
    };
}
