//! Arrays of Python objects, which are in memory as a whole.

use npy_core::DType;
use npy_core::object::{ObjectArray, PyObject};

use super::{Arguments, print, stream, table};
use crate::escape;
use crate::failure::Result;
use crate::formats::csv::write::{self as csv, Delimiter};
use crate::formats::json;
use crate::formats::text::objects::text_of;
use crate::input::in_memory;
use crate::objects;
use crate::output::{self, Screen};
use crate::select::{Chosen, Selection};

/// Shows a selection of objects, of which nothing is run.
pub(super) fn show(arguments: &Arguments, selection: &Selection, array: &ObjectArray, screen: &mut Screen) -> Result<()> {
    let options = arguments.print_options(screen);
    let chosen = selection.of_objects(array)?;
    if let Chosen::Objects(objects) = &chosen
        && let Some(classes) = objects::unknown_classes(objects).filter(|_| !arguments.opaque)
    {
        let note = format!("{}: {classes}, shown by name; --opaque leaves this note out", escape::path(&arguments.file));
        output::warn(&note);
    }
    match chosen {
        Chosen::Objects(objects) if arguments.json => {
            json::objects::write(&objects, arguments.layout(), &mut |text| stream::write(text, screen, escape::json))
        }
        Chosen::Objects(objects) if arguments.csv => {
            csv::objects(&objects, Delimiter::Comma, false, &mut |text| stream::write(text, screen, escape::text))
        }
        Chosen::Objects(objects) if arguments.table => write_table(arguments, selection, &objects, screen),
        Chosen::Objects(objects) => print::write(&objects.display_with(&options), screen),
        Chosen::Values(values) if arguments.json => {
            stream::json(&Selection::new(values.header()), &mut in_memory(&values)?, arguments.layout(), screen)
        }
        Chosen::Values(values) if arguments.csv => {
            stream::csv(&Selection::new(values.header()), &mut in_memory(&values)?, true, screen)
        }
        Chosen::Values(values) if arguments.table => table::show_all(arguments, selection, &values, screen),
        Chosen::Values(values) => print::write_values(&values, values.shape(), selection.is_scalar(), &options, screen),
    }
}

fn write_table(arguments: &Arguments, selection: &Selection, objects: &ObjectArray, screen: &mut Screen) -> Result<()> {
    table::check_dtype(objects.dtype())?;
    let DType::Record(record) = objects.dtype() else { return Ok(()) };
    let rows = table::Rows::new(arguments, objects.shape());
    let mut columns = Vec::new();
    for (place, field) in record.fields().iter().enumerate() {
        let cell = |position: usize| match objects.items().get(position) {
            Some(PyObject::Tuple(items)) => items.get(place).map_or_else(String::new, |item| text_of(item).into_owned()),
            _ => String::new(),
        };
        columns.push(table::Column::new(field.name(), rows.positions().map(cell).collect(), false, &rows));
    }
    table::write(&rows.labels(selection), columns, arguments, screen)
}
