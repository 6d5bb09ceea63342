//! One body for arrays of many types.

/// Writes a `match` over a [`DynArray`](crate::DynArray) in which one arm stands for many types, with its body once for each.
///
/// The groups are `Integer` (of either sign), `Float`, `Real` (both of these), `Complex`, and `Number` (all of these); a single type is a
/// group by its name, as `Bool`, `Float64`, `Unicode`. What is matched is tried in order; the last arm is for all else. In a body the name
/// is an array of that type: a [`TypedArray`](crate::TypedArray), which is used as an `ArrayD`, or
/// [`DynValues`](npy_core::DynValues).
///
/// In a body for many types, [`NpyNumber::to_f64`](npy_core::NpyNumber::to_f64) and the methods of `ndarray` that all numbers have, as
/// `sum`, can be used; `as` cannot, because `f16` has none.
///
/// `Float` has `half::f16` among it only with the feature `half`; `Complex` is none without the feature `complex`, and has not the parts
/// that are long doubles. Long doubles and times belong to no group.
///
/// ```
/// use ndarray::array;
/// use npy_ndarray::{DynArray, match_dtype};
///
/// fn largest(array: &DynArray) -> String {
///     match_dtype!(array, {
///         Real(numbers) => match numbers.iter().copied().reduce(|a, b| if b > a { b } else { a }) {
///             Some(largest) => largest.to_string(),
///             None => "nothing".to_owned(),
///         },
///         Bool(bools) => bools.iter().any(|value| *value).to_string(),
///         other => format!("of {} there is none", other.dtype()),
///     })
/// }
///
/// assert_eq!(largest(&array![3_u8, 7, 5].into()), "7");
/// assert_eq!(largest(&array![0.5, 0.25].into()), "0.5");
/// assert_eq!(largest(&array![true].into()), "true");
/// ```
#[cfg(feature = "ndarray-0_17")]
#[macro_export]
macro_rules! match_dtype {
    ($array:expr, { $($arms:tt)* }) => {
        $crate::__match_dtype!([$crate::DynArray] [$array] [] $($arms)*)
    };
}

/// [`match_dtype!`] of `ndarray_0_16`.
#[cfg(feature = "ndarray-0_16")]
#[doc(hidden)]
#[macro_export]
macro_rules! __match_dtype_0_16 {
    ($array:expr, { $($arms:tt)* }) => {
        $crate::__match_dtype!([$crate::ndarray_0_16::DynArray] [$array] [] $($arms)*)
    };
}

/// Expands one arm after another, and appends the result to the expanded ones.
#[doc(hidden)]
#[macro_export]
macro_rules! __match_dtype {
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*]) => {
        match $array { $($done)* }
    };
    // A block needs no comma behind it.
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] $group:ident($name:pat) => { $($body:tt)* }, $($rest:tt)*) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)*] $group($name) => ({ $($body)* }), $($rest)*)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] $group:ident($name:pat) => { $($body:tt)* } $($rest:tt)*) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)*] $group($name) => ({ $($body)* }), $($rest)*)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] Number($name:pat) => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)*] Real($name) => $body, Complex($name) => $body, $($($rest)*)?)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] Real($name:pat) => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)*] Integer($name) => $body, Float($name) => $body, $($($rest)*)?)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] Integer($name:pat) => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__match_dtype!(
            [$($dyn)*]
            [$array]
            [
                $($done)*
                $($dyn)*::Int8($name) => $body,
                $($dyn)*::Int16($name) => $body,
                $($dyn)*::Int32($name) => $body,
                $($dyn)*::Int64($name) => $body,
                $($dyn)*::UInt8($name) => $body,
                $($dyn)*::UInt16($name) => $body,
                $($dyn)*::UInt32($name) => $body,
                $($dyn)*::UInt64($name) => $body,
            ]
            $($($rest)*)?
        )
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] Float($name:pat) => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__match_half!(
            [$($dyn)*]
            [$array]
            [
                $($done)*
                $($dyn)*::Float32($name) => $body,
                $($dyn)*::Float64($name) => $body,
            ]
            ($name => $body)
            $($($rest)*)?
        )
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] Complex($name:pat) => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__match_complex!([$($dyn)*] [$array] [$($done)*] ($name => $body) $($($rest)*)?)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] $variant:ident($name:pat) => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)* $($dyn)*::$variant($name) => $body,] $($($rest)*)?)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] $other:pat => { $($body:tt)* }, $($rest:tt)*) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)* $other => { $($body)* }] $($rest)*)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] $other:pat => { $($body:tt)* } $($rest:tt)*) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)* $other => { $($body)* }] $($rest)*)
    };
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] $other:pat => $body:expr $(, $($rest:tt)*)?) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)* $other => $body,] $($($rest)*)?)
    };
}

#[cfg(feature = "half")]
#[doc(hidden)]
#[macro_export]
macro_rules! __match_half {
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] ($name:pat => $body:expr) $($rest:tt)*) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)* $($dyn)*::Float16($name) => $body,] $($rest)*)
    };
}

#[cfg(not(feature = "half"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __match_half {
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] ($name:pat => $body:expr) $($rest:tt)*) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)*] $($rest)*)
    };
}

#[cfg(feature = "complex")]
#[doc(hidden)]
#[macro_export]
macro_rules! __match_complex {
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] ($name:pat => $body:expr) $($rest:tt)*) => {
        $crate::__match_dtype!(
            [$($dyn)*]
            [$array]
            [
                $($done)*
                $($dyn)*::Complex64($name) => $body,
                $($dyn)*::Complex128($name) => $body,
            ]
            $($rest)*
        )
    };
}

#[cfg(not(feature = "complex"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __match_complex {
    ([$($dyn:tt)*] [$array:expr] [$($done:tt)*] ($name:pat => $body:expr) $($rest:tt)*) => {
        $crate::__match_dtype!([$($dyn)*] [$array] [$($done)*] $($rest)*)
    };
}
