//! `npy plot`: the pixels of images, their channels, scales and grids.

use npy_core::{DynValues, Order};
use tempfile::tempdir;

use crate::plot::{embedded, floats, pixels, plot, save, svg};
use crate::support::{Files, run};

#[test]
fn rgb_images_keep_their_colors_in_any_order() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "|u1", &[2, 2, 3], vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30]);
    let expected = vec![[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]];
    assert_eq!(embedded(&svg(&[&path])), (expected.clone(), (2, 2)));
    let values = DynValues::load(&path).unwrap().into_order(Order::Fortran).unwrap();
    values.save(&path).unwrap();
    assert_eq!(embedded(&svg(&[&path])), (expected, (2, 2)));
    // Sub-arrays are in C order, whatever that of the array.
    let dtype = "[('rgb', '|u1', (3,))]".parse().unwrap();
    let columns = vec![255, 0, 0, 0, 0, 255, 0, 255, 0, 10, 20, 30];
    DynValues::new(dtype, Order::Fortran, &[2, 2], columns).unwrap().save(&path).unwrap();
    assert_eq!(embedded(&svg(&[&path, "--field", "rgb"])), (vec![[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]], (2, 2)));
    // With opacity, on white.
    let numbers = [1.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 1.0];
    let path = save(directory.path(), "<f8", &[2, 2, 4], floats(&numbers));
    assert_eq!(embedded(&svg(&[&path])).0, [[255, 0, 128], [255; 3], [128; 3], [255, 0, 0]]);
}

#[test]
fn images_are_clipped_at_percentiles_and_have_a_color_map() {
    let directory = tempdir().unwrap();
    let mut numbers: Vec<f64> = (0..400).map(f64::from).collect();
    numbers[0] = -1e9;
    let path = save(directory.path(), "<f8", &[20, 20], floats(&numbers));
    let (clipped, _) = embedded(&svg(&[&path, "--map", "gray"]));
    assert_eq!((clipped[0], clipped[399]), ([0; 3], [255; 3]));
    assert!(clipped[200][0] > 100 && clipped[200][0] < 160, "{:?}", clipped[200]);
    let (whole, _) = embedded(&svg(&[&path, "--map", "gray", "--scale", "0%,100%"]));
    assert!(whole[1][0] > 250, "{:?}", whole[1]);
}

#[test]
fn images_have_channels_first_and_stand_in_a_grid() {
    let files = Files::new();
    let last: Vec<u8> = vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30];
    let first = vec![255, 0, 0, 10, 0, 255, 0, 20, 0, 0, 255, 30];
    let photo = files.array("last.npy", "|u1", &[2, 2, 3], last.clone());
    let expected = embedded(&svg(&[&photo]));
    let photo = files.array("first.npy", "|u1", &[3, 2, 2], first.clone());
    assert_eq!(embedded(&svg(&[&photo])), expected);
    // Three images of two by two, with a gap that is white.
    let (pixels, size) = embedded(&svg(&[&photo, "--kind", "montage", "--map", "gray", "--scale", "0,255"]));
    assert!(size == (8, 2) || size == (5, 5) || size == (2, 8), "{size:?}");
    let count = |gray: u8| pixels.iter().filter(|pixel| pixel[0].abs_diff(gray) < 3).count();
    assert!(count(0) >= 5 && count(255) >= 3, "{pixels:?}");
    // Five images of channels, and the title says so.
    let several = files.array("several.npy", "|u1", &[5, 3, 2, 2], first.repeat(5));
    let text = svg(&[&several]);
    assert!(text.contains("several.npy: 5 images</text>"), "{text}");
    assert_eq!(embedded(&text).0.iter().filter(|pixel| **pixel == [10, 20, 30]).count(), 5);
    let many = files.array("many.npy", "|u1", &[9000, 3, 5], vec![1; 9000 * 15]);
    let text = svg(&[&many]);
    assert!(text.contains("many.npy: the first ") && text.contains(" of 9000 images</text>"));
    run(["plot", &many]).ok();
    let deep = files.array("deep.npy", "|u1", &[2, 2, 2, 2, 2], vec![1; 32]);
    let row = files.array("row.npy", "|u1", &[8], vec![1; 8]);
    for (path, kind, expected) in [
        (&deep, &[][..], "(2, 2, 2, 2, 2): expected 1 or 2 axes, images of 3 or 4 channels, or several images; --kind histogram"),
        (&deep, &["--kind", "line"], "(2, 2, 2, 2, 2) as lines: expected 1 or 2 axes"),
        (&row, &["--kind", "montage"], "(8,) as a montage: expected 3 axes, or 4 of which one has 3 or 4 channels"),
        (&row, &["--kind", "image"], "(8,) as an image: expected 2 axes, images of"),
    ] {
        let message = run([&["plot", path], kind].concat()).trouble();
        assert!(message.contains(&format!("cannot plot shape {expected}")), "{message}");
    }
    // Colors of images alone have a scale.
    for arguments in [vec![&*row], vec![&row, &row], vec![&row, "--kind", "histogram"], vec![&row, "--x", &row]] {
        let message = run([&["plot", "--scale", "0,1"], &arguments[..]].concat()).trouble();
        assert!(message.contains("--scale is for the colors of images: expected --kind image or montage"), "{message}");
    }
}

#[test]
fn images_of_a_grid_stay_apart_in_a_small_picture() {
    const GREEN: [u8; 3] = [0, 200, 0];
    let files = Files::new();
    for (count, rows, columns, size, grid) in [
        (200, 28, 28, "800x500", (18, 12)),
        (200, 64, 64, "800x500", (18, 12)),
        (30, 300, 7, "200x300", (30, 1)),
        (6, 90, 900, "300x300", (1, 6)),
        (9, 200, 200, "3000x3000", (3, 3)),
    ] {
        let path = files.array("a.npy", "|u1", &[count, rows, columns, 3], GREEN.repeat(count * rows * columns));
        let (_directory, bytes) = plot(&[&path, "--size", size], "a.png");
        let (pixels, (width, height)) = pixels(&bytes);
        let (width, height) = (width as usize, height as usize);
        // The images that a line of pixels meets.
        let met = |line: Vec<[u8; 3]>| line.chunk_by(|a, b| a == b).filter(|run| run[0] == GREEN).count();
        let row = |y: usize| met(pixels[y * width..(y + 1) * width].to_vec());
        let column = |x: usize| met(pixels.iter().skip(x).step_by(width).copied().collect());
        let found = ((0..height).map(row).max().unwrap(), (0..width).map(column).max().unwrap());
        assert_eq!(found, grid, "{count} {rows} {columns} {size}");
    }
}

#[test]
fn colors_have_a_scale_and_nan_one_of_its_own() {
    let files = Files::new();
    let numbers: Vec<f64> = (0..100).map(|index| if index == 7 { f64::NAN } else { f64::from(index) }).collect();
    let path = files.array("a.npy", "<f8", &[10, 10], floats(&numbers));
    let text = svg(&[&path, "--map", "gray", "--scale", "0,50"]);
    let (pixels, _) = embedded(&text);
    assert_eq!((pixels[0], pixels[7], pixels[50], pixels[99]), ([0; 3], [255, 0, 255], [255; 3], [255; 3]));
    assert!(text.contains(">NaN</text>"), "{text}");
    assert_eq!(embedded(&svg(&[&path])).0[7], [200; 3]);
    assert!(!svg(&[&path, "[1:]"]).contains(">NaN</text>"));
    assert!(run(["plot", &path]).ok().contains('×'));
    let (half, _) = embedded(&svg(&[&path, "--map", "gray", "--scale", "50%,100%"]));
    assert!(half[40] == [0; 3] && half[75][0] > 100 && half[75][0] < 160, "{:?}", half[75]);
    // Infinity has the color of an end.
    let infinite = files.array("inf.npy", "<f8", &[2, 5], floats(&[f64::INFINITY, f64::NEG_INFINITY, 1.0, 2.0, 3.0].repeat(2)));
    let (ends, _) = embedded(&svg(&[&infinite, "--map", "gray"]));
    assert_eq!((ends[0], ends[1]), ([255; 3], [0; 3]));
    let bools = files.array("b.npy", "|b1", &[10, 10], (0..100).map(|index| u8::from(index == 55)).collect());
    let text = svg(&[&bools, "--map", "gray"]);
    assert!(text.contains(">1</text>") && !text.contains(">0.5</text>") && !text.contains(">0.2</text>"), "{text}");
    let (bits, _) = embedded(&text);
    assert!(bits.iter().enumerate().all(|(at, pixel)| *pixel == [if at == 55 { 255 } else { 0 }; 3]));
    // Channels of floats are from 0 to 1, and it is said where others are not.
    let output = files.path("photo.svg");
    let expected = "drew values from 0 to 2 as colors from 0 to 1; --scale 0%,100% has a color for each";
    let photo = files.array("photo.npy", "<f8", &[2, 2, 3], floats(&[0.0, 1.0, 2.0, f64::NAN, 0.0, 0.0].repeat(2)));
    let result = run(["plot", &photo, "-o", &output]);
    assert!(result.code == Some(0) && result.stderr.contains(expected), "{}", result.stderr);
    assert_eq!(embedded(&String::from_utf8(files.read("photo.svg")).unwrap()).0[..2], [[0, 255, 255], [255, 0, 255]]);
    assert_eq!(embedded(&svg(&[&photo, "--scale", "0%,100%"])).0[0], [0, 128, 255]);
    let even = files.array("even.npy", "<f8", &[2, 2, 3], floats(&[300.0; 12]));
    assert_eq!(embedded(&svg(&[&even, "--scale", "0%,100%"])).0[0], [255; 3]);
    for wrong in ["1", "2,1", "-1%,50%", "0,101%", "nan,1", "90%,10%"] {
        let result = run(["plot", &path, "--scale", wrong]);
        assert!(
            result.code == Some(2) && result.stderr.contains("expected the least and the greatest number"),
            "{}",
            result.stderr
        );
    }
}
