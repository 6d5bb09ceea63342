//! One codec of scalars: who turns the bytes of a scalar into a number, or back, asks `npy_core::scalar`.
//!
//! `element` has the codec of types that are known when the crate is compiled.

use super::walks::{files_with, functions};

const ALLOWED: [&str; 3] = ["npy-core/src/format/", "npy-core/src/element/", "npy-core/src/object/pickle/"];

/// Files that still have a codec of their own. The list only gets shorter.
const LEFT: &[&str] = &[
    // A loop over two blocks that the compiler vectorizes.
    "npy-cli/src/commands/diff/judge.rs",
];

/// The functions of a file that convert bytes of a kind of scalar.
fn codecs(text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]").next().unwrap();
    let is_codec = |(_, body): &(String, String)| {
        let is_of_scalar = ["ScalarKind::", "ByteOrder::", "byte_order()", "is_big"].iter().any(|word| body.contains(word));
        let converts = ["from_le", "from_be", "from_ne", "to_le", "to_be", "to_ne"];
        is_of_scalar && converts.iter().any(|call| body.contains(&format!("{call}_bytes")))
    };
    functions(code).into_iter().filter(is_codec).map(|(name, _)| name).collect()
}

#[test]
fn only_the_format_decodes_scalars() {
    let found = files_with(&ALLOWED, |text| !codecs(text).is_empty());
    assert_eq!(found, LEFT, "found a codec that `npy_core::scalar` makes needless, or one fewer than listed");
}

#[test]
fn codecs_are_found() {
    let codec = "fn number(scalar: Scalar, bytes: [u8; 2]) -> f64 {\n    match scalar.kind() {\n        ScalarKind::Int16 => \
                 i16::from_le_bytes(bytes).into(),\n    }\n}\n";
    assert_eq!(codecs(codec), ["number"]);
    assert_eq!(codecs(&codec.replace("ScalarKind::Int16", "_ if scalar.byte_order().is_none()")), ["number"]);
    assert!(codecs(&codec.replace("i16::from_le_bytes(bytes)", "decoder.decode(bytes)")).is_empty());
}
