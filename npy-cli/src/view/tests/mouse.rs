//! The mouse in the list of arrays.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::*;

fn mouse(model: &mut Model, kind: MouseEventKind, column: u16, row: u16) -> Flow {
    model.point(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }).unwrap().1
}

#[test]
fn the_list_of_arrays_takes_clicks_and_scrolls() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.npz");
    let mut archive = NpzWriter::create(&path).unwrap();
    for number in 0..40_u8 {
        archive.add_slice(&format!("a{number:02}"), &[number]).unwrap();
    }
    archive.finish().unwrap();
    let mut model = Model::new(vec![path.into()], PLAIN).unwrap();
    press(&mut model, "m");
    let text = screen(&mut model, 40, 12);
    assert!(text.contains("a00") && text.contains("a09") && !text.contains("a10"), "{text}");
    let selected = |model: &Model| if let Mode::Popup(popup) = &model.mode { popup.chosen() } else { None };
    mouse(&mut model, MouseEventKind::ScrollDown, 20, 5);
    assert!(screen(&mut model, 40, 12).contains("a12"));
    assert_eq!(selected(&model), Some(3), "it stays on the screen");
    // Outside the list, and on its frame.
    for place in [(0, 5), (20, 0), (20, 11), (39, 5)] {
        mouse(&mut model, MouseEventKind::Down(MouseButton::Left), place.0, place.1);
        assert_eq!(selected(&model), Some(3), "{place:?}");
    }
    mouse(&mut model, MouseEventKind::Down(MouseButton::Left), 20, 5);
    assert_eq!((selected(&model), model.files.current()), (Some(7), 0));
    assert_eq!(mouse(&mut model, MouseEventKind::Down(MouseButton::Left), 20, 5), Flow::Redraw);
    assert_eq!((model.files.member(), model.rows()), (Some("a07"), 1));
    for _ in 0..30 {
        press(&mut model, "m");
        screen(&mut model, 40, 12);
        mouse(&mut model, MouseEventKind::ScrollUp, 20, 5);
        mouse(&mut model, MouseEventKind::ScrollDown, 20, 5);
        // A filtered list, also without a line.
        press(&mut model, "/a3");
        screen(&mut model, 40, 12);
        mouse(&mut model, MouseEventKind::ScrollDown, 20, 5);
        press(&mut model, "x");
        screen(&mut model, 40, 12);
        mouse(&mut model, MouseEventKind::ScrollDown, 20, 5);
        mouse(&mut model, MouseEventKind::Down(MouseButton::Left), 20, 5);
        press(&mut model, "\x1b\x1b");
    }
}
