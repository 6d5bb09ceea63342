//! The page `npy_arrow::types`.

use std::fmt::Write as _;

use npy_arrow::arrow_schema::DataType;
use npy_arrow::{BatchOptions, ErrorKind, to_batch_with};
use npy_core::{DynValues, Order};

use crate::support::columns;
use crate::workspace_support::workspace;

/// With the types of the options `bytes_as_text` and `times_as_integers`, where they matter.
const DTYPES: [&str; 41] = [
    "|b1",
    "|i1",
    "<i2",
    "<i4",
    "<i8",
    "|u1",
    "<u2",
    "<u4",
    "<u8",
    "<f2",
    "<f4",
    "<f8",
    ">f8",
    "<f16",
    "<f1",
    "<W4",
    "<c8",
    "<c16",
    "<c32",
    "|S8",
    "<U8",
    "|V8",
    "<V2",
    "<M8[s]",
    "<M8[ms]",
    "<M8[us]",
    "<M8[ns]",
    "<M8[D]",
    "<M8[h]",
    "<M8[25s]",
    "<M8",
    "<m8[s]",
    "<m8[ms]",
    "<m8[us]",
    "<m8[ns]",
    "<m8[D]",
    "<m8[25s]",
    "<m8",
    "('<f4', (2, 3))",
    "[('x', '<f4'), ('y', '<u2')]",
    "|O",
];

const ARRAYS: [(&str, &[usize], Order, bool); 6] = [
    ("<f4", &[], Order::C, false),
    ("<f4", &[5], Order::C, false),
    ("<f4", &[5, 3], Order::C, false),
    ("<f4", &[5, 3], Order::Fortran, true),
    ("<f4", &[5, 2, 3], Order::C, false),
    ("[('x', '<f4'), ('y', '<u2')]", &[5, 3], Order::C, false),
];

fn type_in_field(dtype: &str, options: BatchOptions) -> Result<DataType, ErrorKind> {
    let dtype = format!("[('field', {})]", if dtype.starts_with(['(', '[']) { dtype.to_owned() } else { format!("'{dtype}'") });
    let header = npy_core::Header::new(dtype.parse().unwrap(), Order::C, &[0]).unwrap();
    let file = header.to_bytes();
    match npy_arrow::BatchReader::new(std::io::Cursor::new(file), options) {
        Ok(reader) => Ok(npy_arrow::arrow_array::RecordBatchReader::schema(&reader).field(0).data_type().clone()),
        Err(error) if matches!(error.kind(), ErrorKind::NoArrowType { field, .. } if field == "field") => {
            Err(ErrorKind::NoArrowType { field: "field".to_owned(), dtype })
        }
        Err(error) => panic!("{dtype}: {error}"),
    }
}

#[test]
fn page_of_types_is_current() {
    let mut types = String::new();
    for dtype in DTYPES {
        let plain = type_in_field(dtype, BatchOptions::new());
        let mut text = match &plain {
            Ok(data_type) => format!("`{}`", data_type.to_string().replace("non-null ", "")),
            Err(_) => "none".to_owned(),
        };
        for (name, options) in [
            ("bytes_as_text", BatchOptions::new().bytes_as_text(true)),
            ("times_as_integers", BatchOptions::new().times_as_integers(true)),
        ] {
            if let (Ok(plain), Ok(other)) = (&plain, type_in_field(dtype, options))
                && *plain != other
            {
                write!(text, "; `{other}` with `{name}`").unwrap();
            }
        }
        writeln!(types, "| `{}` | {text} |", dtype.replace('|', "\\|")).unwrap();
    }
    let mut arrays = String::new();
    for (dtype, shape, order, matrix_columns) in ARRAYS {
        let dtype: npy_core::DType = dtype.parse().unwrap();
        let length = dtype.itemsize() * shape.iter().product::<usize>();
        let values = DynValues::new(dtype.clone(), order, shape, vec![0; length]).unwrap();
        let batch = to_batch_with(&values, BatchOptions::new().matrix_columns(matrix_columns)).unwrap();
        let columns: Vec<_> = columns(&batch).iter().map(|column| format!("`{}`", column.replace("non-null ", ""))).collect();
        let with = if matrix_columns { ", with `matrix_columns`" } else { "" };
        let shape = match shape {
            [length] => format!("({length},)"),
            shape => format!("{shape:?}").replace('[', "(").replace(']', ")"),
        };
        let order = if order == Order::Fortran { " in Fortran order" } else { "" };
        writeln!(arrays, "| `{dtype}`, shape `{shape}`{order}{with} | {} |", columns.join(", ")).unwrap();
    }
    let path = workspace().join("integrations/npy-arrow/src/types.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut fresh = String::new();
    let mut tables = [types, arrays].into_iter();
    for line in page.lines() {
        if line.starts_with("| `") {
            continue;
        }
        writeln!(fresh, "{line}").unwrap();
        if line == "|---|---|" {
            fresh.push_str(&tables.next().unwrap());
        }
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    assert!(page == fresh || std::env::var_os("UPDATE_SNAPSHOTS").is_some(), "renew src/types.md with UPDATE_SNAPSHOTS=1");
}
