//! The model and the drawing, without a terminal.

use std::path::Path;

use npy_core::npz::NpzWriter;
use npy_core::{DynValues, Order};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::model::Mode;
use super::*;
use crate::colors::{ColorMap, Colors};

mod colors;
mod mouse;

fn model(directory: &Path, dtype: &str, shape: &[usize], bytes: Vec<u8>) -> Model {
    let path = directory.join("values.npy");
    DynValues::new(dtype.parse().unwrap(), Order::C, shape, bytes).unwrap().save(&path).unwrap();
    Model::new(vec![path.into()], PLAIN).unwrap()
}

const PLAIN: Look = Look { colors: Colors::None, map: ColorMap::Viridis, has_heat: false };

/// What is drawn after all work that this begins.
fn frame(model: &mut Model, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    loop {
        let theme = Theme::new(model.look.colors);
        terminal.draw(|frame| draw::draw(frame, model, theme).unwrap()).unwrap();
        if model.job.is_none() {
            return terminal.backend().buffer().clone();
        }
        while model.job.is_some() {
            model.work().unwrap();
        }
    }
}

fn screen(model: &mut Model, width: u16, height: u16) -> String {
    let buffer = frame(model, width, height);
    let line = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    // The path is another in each run.
    (u16::from(height >= 4)..height).map(line).collect::<Vec<_>>().join("\n")
}

fn press(model: &mut Model, keys: &str) {
    for key in keys.chars() {
        let code = match key {
            '\r' => KeyCode::Enter,
            '\x1b' => KeyCode::Esc,
            '\x15' => KeyCode::Char('u'),
            key => KeyCode::Char(key),
        };
        let modifiers = if key == '\x15' { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        model.press(KeyEvent::new(code, modifiers)).unwrap();
        while model.job.is_some() {
            model.work().unwrap();
        }
    }
}

const RECORDS: &str = "[('id', '|u1'), ('pose', [('x', '<f4'), ('y', '<f4')]), ('name', '|S6'), ('at', '|u1', (2,))]";

fn records() -> Vec<u8> {
    let record = |id: u8| {
        let (x, y) = (f32::from(id) / 4.0, -f32::from(id));
        let name: &[u8; 6] = if id == 2 { b"\x1b[31m\0" } else { b"plain\0" };
        [&[id][..], &x.to_le_bytes(), &y.to_le_bytes(), name, &[id, 7]].concat()
    };
    (0..5).flat_map(record).collect()
}

#[test]
fn records_are_a_table_of_escaped_text() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), RECORDS, &[5], records());
    insta::assert_snapshot!(screen(&mut model, 60, 8), @r#"
       id  pose.x  pose.y  name      at
    0   0    0.       -0.  plain     [0, 7]
    1   1    0.25     -1.  plain     [1, 7]
    2   2    0.5      -2.  \x1b[31m  [2, 7]
    3   3    0.75     -3.  plain     [3, 7]
    4   4    1.       -4.  plain     [4, 7]
    row 0 of 5  id |u1                            ? help  q quit
    "#);
    press(&mut model, "s");
    press(&mut model, "s");
    insta::assert_snapshot!(screen(&mut model, 20, 5), @r#"
       id▼ pose.x
    4   4    1.
    3   3    0.75
    sorted by id, desce…
    "#);
}

#[test]
fn a_long_row_scrolls_to_the_cursor() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), "|u1", &[3, 100], (0..=255).cycle().take(300).collect());
    press(&mut model, "$");
    insta::assert_snapshot!(screen(&mut model, 30, 6), @r#"
        95   96   97   98   99
    0   95   96   97   98   99
    1  195  196  197  198  199
    2   39   40   41   42   43
    row 0 of 3, column 99 of 100
    "#);
    press(&mut model, "0");
    insta::assert_snapshot!(screen(&mut model, 30, 6), @r#"
         0    1    2    3    4
    0    0    1    2    3    4
    1  100  101  102  103  104
    2  200  201  202  203  204
    row 0 of 3, column 0 of 100
    "#);
}

#[test]
fn every_size_of_the_screen_can_be_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), RECORDS, &[5], records());
    for keys in ["", "?", "\x1b:12", "\x1b&id >\r", "\x1bH", "\x1bm", "\x1b\r", "\x1bG$"] {
        press(&mut model, keys);
        for width in [1, 2, 5, 20, 24, 80, 300] {
            for height in [1, 2, 3, 4, 5, 8, 50] {
                screen(&mut model, width, height);
            }
        }
    }
}

#[test]
fn a_search_visits_every_cell_once_in_both_directions() {
    let directory = tempfile::tempdir().unwrap();
    // A row of 2 MiB is searched in parts.
    let mut bytes = vec![0_u8; 3 << 21];
    let places = [(0, 5), (1, 0), (1, (1 << 21) - 1), (2, 1 << 20)];
    for (row, column) in places {
        bytes[(row << 21) + column] = 9;
    }
    let mut model = model(directory.path(), "|u1", &[3, 1 << 21], bytes);
    press(&mut model, "\\9\r");
    for (row, column) in places.into_iter().chain([places[0]]) {
        assert_eq!((model.cursor.row, model.cursor.column), (row, column));
        press(&mut model, "n");
    }
    for (row, column) in [places[0], places[3], places[2], places[1]] {
        press(&mut model, "N");
        assert_eq!((model.cursor.row, model.cursor.column), (row, column));
    }
}

#[test]
fn sorting_has_three_states_and_keeps_nan_last() {
    let directory = tempfile::tempdir().unwrap();
    let numbers = [2.0_f64, f64::NAN, -1.0, 10.0];
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut model = model(directory.path(), "<f8", &[4], bytes);
    for expected in [[2, 0, 3, 1], [3, 0, 2, 1], [0, 1, 2, 3]] {
        press(&mut model, "s");
        let rows: Vec<usize> = (0..4).map(|place| model.order.row(place)).collect();
        assert_eq!(rows, expected);
    }
}

#[test]
fn a_popup_shows_the_whole_element() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), RECORDS, &[5], records());
    press(&mut model, "$\r");
    insta::assert_snapshot!(screen(&mut model, 40, 10), @r#"
       id  pose.x  pose.y  name      at
    0   0    0.       -0.  plain     [0, 7]
    1   1    0.┌ at of row 0 ──┐     [1, 7]
    2   2    0.│ [0 7]         │31m  [2, 7]
    3   3    0.└───────────────┘     [3, 7]
    4   4    1.       -4.  plain     [4, 7]


    row 0 of 5  at ('|u1', (2,))
    "#);
}

#[test]
fn a_search_stays_in_its_column() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), "|u1", &[3, 2], vec![1, 9, 9, 1, 9, 9]);
    press(&mut model, "/9\r");
    assert_eq!((model.cursor.row, model.cursor.column), (1, 0));
    press(&mut model, "$n");
    assert_eq!((model.cursor.row, model.cursor.column), (2, 0), "in the column that was searched");
    press(&mut model, "N");
    assert_eq!(model.cursor.row, 1);
    press(&mut model, "/5\r");
    assert!(screen(&mut model, 60, 6).ends_with("5 was not found in 0; \\ searches all columns"));
    press(&mut model, "$/>5\r");
    assert_eq!((model.cursor.row, model.cursor.column), (2, 1));
}

#[test]
fn a_filter_shows_the_rows_that_pass() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), RECORDS, &[5], records());
    press(&mut model, "G&id > 1 and pose.y > -4\r");
    insta::assert_snapshot!(screen(&mut model, 64, 6), @r#"
       id  pose.x  pose.y  name      at
    2   2    0.5      -2.  \x1b[31m  [2, 7]
    3   3    0.75     -3.  plain     [3, 7]

    row 3 of 5  2 rows where id > 1 and pose.y > -4  id |u1
    "#);
    press(&mut model, "ss");
    assert_eq!([0, 1].map(|place| model.order.row(place)), [3, 2]);
    press(&mut model, "/2\r");
    assert_eq!(model.order.row(model.cursor.row), 2);
    press(&mut model, ":3\r");
    assert_eq!(model.order.row(model.cursor.row), 3);
    press(&mut model, "H");
    assert!(screen(&mut model, 64, 16).contains("count  2"));
    // The filter is there to be changed, and the rows stay sorted.
    press(&mut model, "\x1b& or id == 0\r");
    assert_eq!([0, 1, 2].map(|place| model.order.row(place)), [3, 2, 0]);
    press(&mut model, "\x1b");
    assert_eq!((model.rows(), model.order.row(0)), (5, 4));
    press(&mut model, "&id > 100\rj");
    assert_eq!(screen(&mut model, 40, 5), "\nno row where id > 100\n\n0 rows where id > 100  id |u1");
    press(&mut model, "sGn\r&\x15\r");
    assert_eq!(model.rows(), 5, "an empty answer clears it");
}

#[test]
fn a_wrong_filter_is_shown_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), RECORDS, &[5], records());
    press(&mut model, "&id > 0 and pose.z > 1\r");
    let shown = screen(&mut model, 60, 9);
    assert!(shown.contains("unknown field \"pose.z\""), "{shown}");
    assert!(shown.ends_with("\n  id > 0 and pose.z > 1\n             ^\n&id > 0 and pose.z > 1"), "{shown}");
    for (width, height) in [(1, 1), (3, 2), (10, 3), (10, 4), (10, 5)] {
        screen(&mut model, width, height);
    }
    press(&mut model, "\x1b&1 // (id - 2) == 1\r");
    let shown = screen(&mut model, 60, 9);
    assert!(shown.contains("division by zero in row 2"), "{shown}");
    assert!(shown.ends_with("\n    ^"), "{shown}");
    let mut cube = self::model(directory.path(), "|u1", &[2, 3, 5], (0..30).collect());
    press(&mut cube, "&row == 1\r");
    assert!(screen(&mut cube, 90, 8).contains("expected axis 0 as rows"));
    press(&mut cube, "\x1brr&value[2,3] > 20\r");
    assert_eq!((cube.rows(), cube.order.row(0)), (1, 1));
}

#[test]
fn a_photo_has_rows_and_columns_and_a_channel_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), "|u1", &[2, 3, 4], (0..24).collect());
    press(&mut model, ".");
    insta::assert_snapshot!(screen(&mut model, 40, 5), @r#"
        0   1   2
    0   1   5   9
    1  13  17  21
    row 0 of 2, column 0 of 3
    "#);
}

#[test]
fn arrays_of_several_files_are_a_list_that_is_searched() {
    let directory = tempfile::tempdir().unwrap();
    let [first, second] = ["a.npy", "b\x1b[2J.npz"].map(|name| directory.path().join(name));
    DynValues::from_slice(&[1_u8, 2]).unwrap().save(&first).unwrap();
    let mut archive = NpzWriter::create(&second).unwrap();
    archive.add_slice("conv.weight", &[0.5_f32; 6]).unwrap();
    archive.add_slice("conv.bias", &[7_i64]).unwrap();
    archive.finish().unwrap();
    let missing = directory.path().join("missing.npy");
    let files = [&missing, &first, &second].map(OsString::from);
    let mut model = Model::new(files.to_vec(), PLAIN).unwrap();
    assert_eq!((model.files.len(), model.files.current()), (4, 1));
    press(&mut model, "m/BIAS");
    let Mode::Popup(popup) = &model.mode else { panic!("no list") };
    assert!(popup.title == "arrays /BIAS" && popup.lines.len() == 1, "{popup:?}");
    assert!(popup.lines[0].ends_with("conv.bias    <i8  (1,)") && !popup.lines[0].contains('\x1b'), "{popup:?}");
    for (width, height) in [(1, 1), (5, 3), (80, 10)] {
        screen(&mut model, width, height);
    }
    press(&mut model, "\r");
    assert_eq!((model.files.current(), model.files.member()), (3, Some("conv.bias")));
    assert!(screen(&mut model, 60, 5).contains("0      7"));
    press(&mut model, "m/nothing\rm\x1b");
    assert_eq!(model.files.current(), 3);
    model.open(0).unwrap();
    assert!(model.message.as_ref().is_some_and(|message| message.is_trouble));
    assert_eq!(model.files.current(), 3, "the old one stays");
}

#[test]
fn elements_and_columns_are_copied_as_escaped_text() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), RECORDS, &[5], records());
    press(&mut model, "&id > 1\rY");
    assert_eq!(model.clipboard.take().unwrap(), "2\n3\n4\n");
    press(&mut model, "lllgy");
    assert_eq!(model.clipboard.take().unwrap(), "\\x1b[31m");
    let mut long = self::model(directory.path(), "<u4", &[100_000], (0..100_000_u32).flat_map(u32::to_le_bytes).collect());
    press(&mut long, "Y");
    let text = long.clipboard.take().unwrap();
    let lines = text.lines().count();
    assert!(text.len() > 72_000 && text.len() <= 72 << 10 && text.ends_with(&format!("\n{}\n", lines - 1)));
    let message = long.message.unwrap().text;
    assert!(message.contains(" of 100,000 rows of value"), "{message}");
}

#[test]
fn a_file_that_changed_is_read_again_on_demand() {
    let directory = tempfile::tempdir().unwrap();
    let mut model = model(directory.path(), "|u1", &[4], vec![1, 2, 3, 4]);
    let path = directory.path().join("values.npy");
    press(&mut model, "&value > 1\rG");
    assert!(!model.watch());
    DynValues::from_slice(&[9_u8, 8]).unwrap().save(&path).unwrap();
    assert!(model.watch() && !model.watch());
    assert!(screen(&mut model, 60, 5).contains("the file changed"));
    press(&mut model, "gG");
    assert!(screen(&mut model, 90, 5).contains("expected |u1 (4,), found |u1 (2,)"));
    press(&mut model, "R");
    assert_eq!((model.rows(), model.order.row(1)), (2, 1));
    assert!(screen(&mut model, 60, 5).contains("1      8"));
    // Cut within its data and its header, and gone.
    for length in [129, 20, 0] {
        std::fs::File::options().write(true).open(&path).unwrap().set_len(length).unwrap();
        model.watch();
        press(&mut model, "\x1bGs/9\rHYyR");
        screen(&mut model, 60, 5);
        assert!(model.message.is_some());
    }
    std::fs::remove_file(&path).unwrap();
    press(&mut model, "R");
    assert!(screen(&mut model, 60, 5).contains("cannot open the file"));
}
