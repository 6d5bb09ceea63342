//! Items for generated code. Private; may change with any release.

pub use crate::__plan as plan;
pub use crate::element::plan::{Layout, Plan, Planner};
pub use crate::element::record::{
    Cursor, FieldName, FieldPlan, FileRecord, RecordBuilder, copies, distinct, dtype_of_record, each, largest, plan_filled_record,
    plan_record, plan_whole_record, unknown_variant,
};
pub use crate::element::{As, Codec, CodecOf, Items, Optional, Otherwise, PlanOf, Probe, Through, Truncated, Widens, With, native};
pub use crate::memory::Bulk;
pub use crate::memory::slots::Sends;
pub use crate::view::{assert_field, assert_layout, bulk_of_view, check_field, check_flattened};

/// Makes a struct of plans a plan. The standard derives would demand bounds on its parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! __plan {
    ([$($impl_generics:tt)*] [$($plan:tt)*] [$($where_clause:tt)*] [$($field:ident)*] $($item:item)*) => {
        impl $($impl_generics)* ::core::clone::Clone for $($plan)* $($where_clause)* {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl $($impl_generics)* ::core::marker::Copy for $($plan)* $($where_clause)* {}

        impl $($impl_generics)* ::core::cmp::PartialEq for $($plan)* $($where_clause)* {
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
