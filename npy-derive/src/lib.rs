//! The derive macros of `npy-core` and `npy-ndarray`, which re-export them with the feature `derive`:
//!
//! ```toml
//! [dependencies]
//! npy-core = { version = "0.1", features = ["derive"] }
//! ```
//!
//! A dtype is the type of the elements of an array and their layout in the file. A record is an
//! element with named fields, and its dtype lists them, in the order of the struct.
//!
//! - [`NpyRecord`](macro@NpyRecord): a Rust struct for a structured dtype of NumPy.
//! - [`NpzArchive`](macro@NpzArchive): a Rust struct for an `.npz` archive.

// The modules, from the lowest up: `ctxt` collects errors. `hygiene` hides names. `case`, `meta` and
// `types` parse names, attribute values and types. `record` and `archive` derive one trait each, in
// the steps `attr`, `model` and `expand`.
mod ctxt;
mod hygiene;
mod case;
mod meta;
mod types;
mod record;
mod archive;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[doc = include_str!("derive.md")]
#[proc_macro_derive(NpyRecord, attributes(npy))]
pub fn derive_npy_record(input: TokenStream) -> TokenStream {
    record::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// `NpyRecord` for crates that depend on `npy_ndarray` alone.
#[doc(hidden)]
#[proc_macro_derive(NpyRecord_of_npy_ndarray, attributes(npy))]
pub fn derive_npy_record_of_npy_ndarray(input: TokenStream) -> TokenStream {
    record::derive(&record::of_npy_ndarray(parse_macro_input!(input as DeriveInput))).into()
}

#[doc = include_str!("archive.md")]
#[proc_macro_derive(NpzArchive, attributes(npy))]
pub fn derive_npz_archive(input: TokenStream) -> TokenStream {
    archive::derive(&parse_macro_input!(input as DeriveInput)).into()
}

#[doc = include_str!("archive.md")]
#[proc_macro_derive(NpzArchive_0_16, attributes(npy))]
pub fn derive_npz_archive_0_16(input: TokenStream) -> TokenStream {
    archive::derive(&archive::in_0_16(parse_macro_input!(input as DeriveInput))).into()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use syn::DeriveInput;

    use super::record::derive;

    /// Compares the expansion with `snapshots/expansion.rs`, which `UPDATE_SNAPSHOTS=1` overwrites.
    #[test]
    fn expansion_is_that_of_the_snapshot() {
        let input = "
            #[npy(view, align)]
            #[repr(C)]
            struct Sample { id: u8, time: f64 }
        ";
        let pick = "
            struct Pick {
                time: f64,
                #[npy(default)]
                quality: u8,
                #[npy(dtype = \"U8\", alias = \"name\")]
                station: String,
                #[npy(flatten)]
                origin: Origin,
                depth: Option<f32>,
                #[npy(skip)]
                cache: Vec<u8>,
            }
        ";
        let phase = "
            #[repr(u8)]
            enum Phase { P, S = 7 }
        ";
        let run = "
            struct Run {
                matrix: Array2<f64>,
                optimizer: Optimizer,
                comment: Option<String>,
                #[npy(alias = \"n\", default = one)]
                epochs: u32,
                #[npy(skip)]
                cache: Vec<u8>,
                #[npy(flatten)]
                others: BTreeMap<String, ArrayD<f32>>,
            }
        ";
        let mut text = "// The expansions of `#[derive(NpyRecord)]` and, at the end, `#[derive(NpzArchive)]`.\n".to_owned();
        let mut push = |input: &str, derive: fn(&DeriveInput) -> proc_macro2::TokenStream| {
            let parsed = syn::parse_str(input).unwrap();
            let comment: Vec<_> = input.trim().lines().map(str::trim).collect();
            write!(text, "\n// {}\n{}\n", comment.join("\n// "), derive(&parsed)).unwrap();
        };
        for record in [pick, input, phase] {
            push(record, derive);
        }
        push(run, crate::archive::derive);
        let formatted = rustfmt_plans(&text);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/expansion.rs");
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, &formatted).unwrap();
        }
        let expected = std::fs::read_to_string(path).unwrap();
        assert!(formatted == expected, "the expansion is no longer that of {path}:\n{formatted}");
    }

    /// Formats the input of `plan!` too, as the `impl` block that it defines.
    fn rustfmt_plans(text: &str) -> String {
        let mut parts = text.split("__private :: plan ! { [] [");
        let mut as_impls = parts.next().unwrap().to_owned();
        for part in parts {
            let (head, body) = part.split_once("] const").unwrap();
            let [name, clause, fields] = head.split("] [").collect::<Vec<_>>().try_into().unwrap();
            write!(as_impls, "impl plan__{name} {clause} {{ #[doc = \"{fields}\"] const{body}").unwrap();
        }
        let formatted = rustfmt(&as_impls);
        let mut parts = formatted.split("impl plan__");
        let mut shown = parts.next().unwrap().to_owned();
        for part in parts {
            let part = part.replacen("\n    where", "] [where", 1).replacen("\n    {\n        #[doc = \"", "\n    ] [", 1);
            write!(shown, "__private::plan! {{ [] [{}", part.replacen("\"]", "]", 1)).unwrap();
        }
        shown
    }

    fn rustfmt(text: &str) -> String {
        let mut rustfmt = Command::new("rustfmt")
            .args(["--edition", "2024", "--config", "max_width=132,use_small_heuristics=Max"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("rustfmt comes with the toolchain");
        rustfmt.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = rustfmt.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }
}
