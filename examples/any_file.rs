//! Files of which nobody knows the dtype. `cargo run --example any_file --features object -- [file.npy]...`

use npy_core::object::{ObjectArray, ObjectOptions, PyObject};
use npy_ndarray::{Casting, DynArray, match_dtype};

fn main() -> npy_ndarray::Result<()> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        let objects = std::env::temp_dir().join("objects.npy");
        // np.array(['GRF', None, 3.5], dtype=object)
        ObjectArray::new(&[3], vec!["GRF".into(), PyObject::None, 3.5.into()])?.save(&objects)?;
        files = vec!["examples/data/picks.npy".into(), "examples/data/travel_times.npy".into(), objects.display().to_string()];
    }
    for file in files {
        // Python objects only if they are asked for; nothing in the file is ever run.
        let array = DynArray::load_npy_with(&file, ObjectOptions::new())?;
        println!("{file}: {} {:?}", array.dtype(), array.shape());
        match &array {
            DynArray::Record(values) => println!("{}", values.table().most_rows(6)),
            array => println!("{array}"), // as print(array) in Python
        }
        println!("{}\n", about(&array)?);
    }
    Ok(())
}

/// One body for numbers of every type.
fn about(array: &DynArray) -> npy_ndarray::Result<String> {
    Ok(match_dtype!(array, {
        Real(numbers) => {
            let mean = array.cast::<f64>()?.mean();
            let fits = array.cast_as::<f32>(Casting::Checked).is_ok();
            format!("{} numbers, mean {mean:?}, as f32: {fits}", numbers.len())
        }
        Record(values) => format!("{} records of {} bytes", array.len(), values.dtype().itemsize()),
        Object(objects) => format!("{:?}", objects.to_vec::<Option<String>>().map_err(|error| error.to_string())),
        other => format!("{} elements", other.len()),
    }))
}
