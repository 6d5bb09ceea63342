//! Heat colors and pictures.

use ratatui::style::{Color, Modifier};

use super::*;

const TRUE: Look = Look { colors: Colors::True, has_heat: true, ..PLAIN };

fn colored(mut model: Model, look: Look) -> Model {
    model.look = look;
    model
}

fn rgb([red, green, blue]: [u8; 3]) -> Color {
    Color::Rgb(red, green, blue)
}

/// The background of the last character of a text on the screen.
#[track_caller]
fn ground(buffer: &Buffer, text: &str, line: u16) -> Color {
    let symbols: Vec<&str> = (0..buffer.area.width).map(|x| buffer[(x, line)].symbol()).collect();
    let at = symbols.concat().find(text).unwrap_or_else(|| panic!("{text:?} is not in {symbols:?}"));
    buffer[(u16::try_from(at + text.len() - 1).unwrap(), line)].bg
}

fn bytes_of(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn records_have_heat_colors_by_column() {
    let directory = tempfile::tempdir().unwrap();
    let dtype = "[('n', '>i2'), ('t', '>M8[s]'), ('x', '<f4'), ('s', '|S2'), ('ok', '|b1'), ('at', '|u1', (2,)), ('z', '<c8')]";
    let record = |n: i16, time: i64, x: f32| {
        let z = [x.to_le_bytes(), x.to_le_bytes()].concat();
        [&n.to_be_bytes()[..], &time.to_be_bytes(), &x.to_le_bytes(), b"ab", &[u8::from(n > 0), 7, 8], &z].concat()
    };
    let times = [1_700_000_000, 1_700_000_001, i64::MIN, 1_700_000_002];
    let numbers = [-0.5, f32::INFINITY, f32::NAN, 1.5];
    let rows = [-300, 0, 100, 300].into_iter().zip(times).zip(numbers);
    let bytes = rows.flat_map(|((n, time), x)| record(n, time, x)).collect();
    let mut model = colored(model(directory.path(), dtype, &[4], bytes), TRUE);
    press(&mut model, "lll");
    let buffer = frame(&mut model, 140, 7);
    let map = ColorMap::Viridis;
    let of = |part: f64| rgb(map.color(part));
    assert_eq!([ground(&buffer, "-300", 2), ground(&buffer, " 300", 5)], [of(0.0), of(1.0)]);
    assert_eq!(ground(&buffer, " 100", 4), of(400.0 / 600.0));
    // Seconds that are close to each other, far from zero.
    assert_eq!([ground(&buffer, "13:20", 2), ground(&buffer, "13:21", 3), ground(&buffer, "13:22", 5)], [0.0, 0.5, 1.0].map(of));
    assert_eq!([ground(&buffer, "-0.5", 2), ground(&buffer, "1.5", 5)], [of(0.0), of(1.0)]);
    for (text, line) in [("inf", 3), ("nan", 4), ("NaT", 4)] {
        assert_eq!(ground(&buffer, text, line), rgb(map.missing()), "{text}");
    }
    assert_eq!([ground(&buffer, "False", 2), ground(&buffer, "True", 4)], [of(0.0), of(1.0)]);
    assert_eq!([ground(&buffer, "ab", 3), ground(&buffer, "[7, 8]", 3), ground(&buffer, "j", 2)], [Color::Reset; 3]);
    // A filter does not change what a color means.
    press(&mut model, "&n == 100\r");
    assert_eq!(ground(&frame(&mut model, 140, 7), " 100", 2), of(400.0 / 600.0));
    press(&mut model, "C");
    assert_eq!(ground(&frame(&mut model, 140, 7), " 100", 2), Color::Reset);
}

#[test]
fn arrays_have_heat_colors_by_all_elements_in_any_order() {
    for order in [Order::C, Order::Fortran] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("values.npy");
        let values =
            DynValues::new("<u2".parse().unwrap(), Order::C, &[2, 2, 2], (0..8).flat_map(|n: u16| n.to_le_bytes()).collect());
        values.unwrap().into_order(order).unwrap().save(&path).unwrap();
        let mut model = Model::new(vec![path.into()], Look { map: ColorMap::Turbo, ..TRUE }).unwrap();
        let of = |n: u16| rgb(ColorMap::Turbo.color(f64::from(n) / 7.0));
        let buffer = frame(&mut model, 40, 6);
        assert_eq!([ground(&buffer, "  1", 2), ground(&buffer, "  3", 3)], [of(1), of(3)]);
        assert!(buffer[(3, 2)].modifier.contains(Modifier::REVERSED), "the cursor");
        press(&mut model, ".");
        let buffer = frame(&mut model, 40, 6);
        assert_eq!([ground(&buffer, "  5", 2), ground(&buffer, "  7", 3)], [of(5), of(7)]);
    }
}

#[test]
fn heat_is_told_where_there_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let look = Look { has_heat: false, ..TRUE };
    for (dtype, bytes, what) in
        [("<c8", vec![0; 16], "expected real numbers or times"), ("|S2", b"abcd".to_vec(), "expected real numbers or times")]
    {
        let mut model = colored(model(directory.path(), dtype, &[2], bytes), look);
        press(&mut model, "C");
        assert!(model.message.as_ref().unwrap().text.contains(what) && !model.look.has_heat, "{dtype}");
    }
    let mut plain = model(directory.path(), "|u1", &[2], vec![1, 2]);
    press(&mut plain, "C");
    assert!(plain.message.as_ref().unwrap().text.contains("NO_COLOR") && !plain.look.has_heat);
    // Elements that are not shown are not read for a range either.
    let mut large = colored(model(directory.path(), "[('n', '|u1'), ('v', '|V9000000')]", &[2], vec![0; 18_000_002]), TRUE);
    assert!(screen(&mut large, 80, 6).contains("too large to be shown") && large.ranges.is_some());
    // Ranges of nothing, of one value, and of all floats.
    let missing = rgb(ColorMap::Viridis.missing());
    for (dtype, shape, bytes, color) in [
        ("<f8", &[2][..], bytes_of(&[f64::NAN; 2]), missing),
        ("<f8", &[2], bytes_of(&[5.0; 2]), rgb(ColorMap::Viridis.color(0.5))),
        ("<f8", &[2], bytes_of(&[f64::MIN, f64::MAX]), rgb(ColorMap::Viridis.color(1.0))),
        ("<u8", &[2], [0, u64::MAX].map(u64::to_le_bytes).concat(), rgb(ColorMap::Viridis.color(1.0))),
        ("<f8", &[0, 3], Vec::new(), Color::Reset),
        ("<f8", &[], bytes_of(&[2.0]), rgb(ColorMap::Viridis.color(0.5))),
    ] {
        let mut model = colored(model(directory.path(), dtype, shape, bytes), TRUE);
        press(&mut model, "G");
        let last = if model.rows() == 2 { 3 } else { 2 };
        let buffer = frame(&mut model, 60, 6);
        assert_eq!(buffer[(4, last)].bg, color, "{dtype} {shape:?}");
    }
}

/// The pixels of a picture from its left upper corner, line after line.
fn pixels(buffer: &Buffer, (x, y): (u16, u16), (width, height): (u16, u16)) -> Vec<Color> {
    let line = |pixel: u16| (0..width).map(move |column| (column, pixel));
    let pixel = |(column, line): (u16, u16)| {
        let cell = &buffer[(x + column, y + line / 2)];
        assert_eq!(cell.symbol(), "▀", "{column} {line}");
        if line % 2 == 0 { cell.fg } else { cell.bg }
    };
    (0..height).flat_map(line).map(pixel).collect()
}

#[test]
fn images_are_pictures_and_arrows_step_through_them() {
    let directory = tempfile::tempdir().unwrap();
    // Two images of 4 × 4 with three channels, each pixel by its index.
    let bytes: Vec<u8> = (0..2 * 4 * 4 * 3).collect();
    let mut model = colored(model(directory.path(), "|u1", &[2, 4, 4, 3], bytes), TRUE);
    assert_eq!(model.grid.place(), "[0, rows, columns, 0]");
    press(&mut model, "p");
    let expected = |image: u8| {
        let pixel = |index: u8| rgb([0, 1, 2].map(|channel| image * 48 + index * 3 + channel));
        (0..16).map(pixel).collect::<Vec<_>>()
    };
    // Below the title, and above the last line.
    let buffer = frame(&mut model, 4, 4);
    assert_eq!(pixels(&buffer, (0, 1), (4, 4)), expected(0));
    press(&mut model, "l");
    assert_eq!(pixels(&frame(&mut model, 4, 4), (0, 1), (4, 4)), expected(1));
    press(&mut model, " ");
    assert!(screen(&mut model, 60, 4).contains("axis 0 ends here"));
    press(&mut model, ",");
    assert!(screen(&mut model, 60, 4).contains("picture of 4 × 4 × 3"), "{}", screen(&mut model, 60, 4));
    // Twice as large on a larger screen.
    let buffer = frame(&mut model, 20, 6);
    assert_eq!(pixels(&buffer, (6, 1), (8, 8))[0], rgb([0, 1, 2]));
    press(&mut model, "\x1b");
    assert!(model.picture.is_none() && screen(&mut model, 60, 6).contains("row 0 of 4, column 0 of 4"));
}

#[test]
fn pictures_are_the_same_in_any_order_and_in_several_tiles() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("values.npy");
    let numbers: Vec<f32> = (0..3 * 700 * 500).map(|index| f32::from(u16::try_from(index % 7919).unwrap())).collect();
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let values = DynValues::new("<f4".parse().unwrap(), Order::C, &[5, 700, 300], bytes).unwrap();
    let mut seen = Vec::new();
    for order in [Order::C, Order::Fortran] {
        values.clone().into_order(order).unwrap().save(&path).unwrap();
        let mut model = Model::new(vec![path.clone().into()], TRUE).unwrap();
        press(&mut model, "p");
        seen.push(frame(&mut model, 80, 30));
        press(&mut model, "t");
        seen.push(frame(&mut model, 80, 30));
        press(&mut model, "t.");
        seen.push(frame(&mut model, 80, 30));
    }
    assert!(seen[0] == seen[3] && seen[1] == seen[4] && seen[2] == seen[5]);
    assert!(seen[0] != seen[1] && seen[0] != seen[2]);
}

#[test]
fn fields_of_images_are_pictures_row_by_row() {
    let directory = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..3).flat_map(|row: u8| [&[row][..], &[row * 10, 20, 30, 40]].concat()).collect();
    let mut model = colored(model(directory.path(), "[('id', '|u1'), ('img', '|u1', (2, 2))]", &[3], bytes), TRUE);
    press(&mut model, "p");
    assert!(model.message.as_ref().unwrap().text.contains("a field with two"), "{:?}", model.message);
    press(&mut model, "lpj");
    assert!(screen(&mut model, 70, 5).contains("row 1 of 3  img, picture of 2 × 2, colors from 10 to 40"));
    let before = pixels(&frame(&mut model, 4, 4), (0, 1), (4, 4));
    assert_eq!(before[0], rgb(ColorMap::Viridis.color(0.0)));
    press(&mut model, "j");
    assert_ne!(pixels(&frame(&mut model, 4, 4), (0, 1), (4, 4)), before);
}

#[test]
fn pictures_and_heat_have_every_size_and_dtype() {
    let directory = tempfile::tempdir().unwrap();
    for (dtype, shape, can_draw) in [
        ("|b1", &[5, 7][..], true),
        (">f8", &[3, 5, 7], true),
        ("<M8[s]", &[9, 2], true),
        ("<f2", &[1, 1000], true),
        ("|i1", &[2, 3, 4, 5, 4], true),
        ("<c16", &[5, 7], false),
        ("<U2", &[5, 7], false),
        ("<f8", &[0, 7], false),
        ("<f8", &[7, 0, 3], false),
        ("<f8", &[7], false),
        ("<f8", &[], false),
    ] {
        let size = shape.iter().product::<usize>() * dtype.parse::<npy_core::DType>().unwrap().itemsize();
        let mut model = colored(model(directory.path(), dtype, shape, vec![0; size]), TRUE);
        press(&mut model, "p");
        assert_eq!(model.picture.is_some(), can_draw, "{dtype} {shape:?}");
        for (width, height) in [(1, 1), (1, 2), (2, 3), (3, 4), (5, 8), (300, 5), (3, 100), (80, 24)] {
            let buffer = frame(&mut model, width, height);
            assert_eq!(model.picture.is_some(), can_draw, "{dtype} {shape:?} {width} {height}");
            let is_drawn = buffer.content().iter().any(|cell| cell.symbol() == "▀");
            assert_eq!(is_drawn, can_draw, "{dtype} {shape:?} {width} {height}");
            // A new size while a popup is open.
            press(&mut model, "?");
            frame(&mut model, height, width);
            press(&mut model, "\x1b");
        }
        model.look = PLAIN;
        screen(&mut model, 40, 10);
    }
    // Without a finite value there is no scale.
    let mut nan = colored(model(directory.path(), "<f8", &[2, 2], bytes_of(&[f64::NAN; 4])), TRUE);
    press(&mut nan, "p");
    assert!(screen(&mut nan, 80, 6).contains("all values are NaN or infinite") && nan.picture.is_none());
    // Shades have one sign for NaN.
    let mut plain = model(directory.path(), "<f8", &[2, 2], bytes_of(&[f64::NAN, 1.0, f64::NAN, 0.0]));
    press(&mut plain, "p");
    assert!(screen(&mut plain, 2, 4).starts_with('×'));
}
