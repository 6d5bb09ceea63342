//! Objects and arrays of them as text, exactly as Python and NumPy print them.
//!
//! Each type has `repr` as a method, because each may contain the others.

pub(super) mod array;
pub(super) mod object;
mod subclass;
mod values;
