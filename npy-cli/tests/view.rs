//! `npy view`, driven through a pseudo-terminal.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use npy_core::npz::NpzWriter;
use npy_core::{DType, DynValues, Header, Order};
use rustix::process::Signal;
use tempfile::tempdir;
use vt100::Color;

use crate::support::{example, run};
use crate::terminal::Terminal;

fn save(directory: &Path, name: &str, values: &DynValues) -> String {
    let path = directory.join(name);
    values.save(&path).unwrap();
    path.display().to_string()
}

/// An array of zeros without blocks on the disk.
fn sparse(directory: &Path, dtype: &str, shape: &[usize], last: &[u8]) -> String {
    let header = Header::new(dtype.parse::<DType>().unwrap(), Order::C, shape).unwrap();
    let path = directory.join("sparse.npy");
    let mut file = File::create(&path).unwrap();
    file.write_all(&header.to_bytes()).unwrap();
    let end = header.to_bytes().len() as u64 + header.data_bytes();
    file.set_len(end).unwrap();
    let mut file = File::options().write(true).open(&path).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(end - last.len() as u64)).unwrap();
    file.write_all(last).unwrap();
    path.display().to_string()
}

const END: &str = "\x1b[F";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const RIGHT: &str = "\x1b[C";
const ESCAPE: &str = "\x1b";

#[test]
fn shows_records_with_nested_fields_as_columns() {
    let mut terminal = Terminal::new(12, 100, &["view", &example("picks.npy")]);
    let screen = terminal.wait_for("row 0 of 240");
    for text in ["station", "origin.time", "(240,)", "? help  q quit"] {
        assert!(screen.contains(text), "{text}:\n{screen}");
    }
    terminal.press("$");
    terminal.wait_for("reviewed |b1");
    terminal.press("0G");
    terminal.wait_for("row 239 of 240");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn scrolls_5_gib_to_the_end_in_bounded_memory() {
    let directory = tempdir().unwrap();
    let path = sparse(directory.path(), "<f8", &[671_088_640], &7.25_f64.to_le_bytes());
    let mut terminal = Terminal::new(10, 60, &["view", &path]);
    terminal.wait_for("row 0 of 671,088,640");
    terminal.press(END);
    let screen = terminal.wait_for("row 671088639 of");
    assert!(screen.contains("671088639   7.25"), "{screen}");
    terminal.press("\x1b[5~");
    terminal.wait_for("row 671088632 of");
    terminal.press(":1_000_000\r");
    terminal.wait_for("row 1000000 of");
    // It goes on in pieces, and a key ends it, also behind many moves of the mouse.
    terminal.press("/3.5\r");
    terminal.wait_for("searching");
    terminal.press(&"\x1b[<35;10;5M".repeat(600));
    terminal.press(ESCAPE);
    terminal.wait_for("stopped");
    if let Some(peak) = terminal.peak() {
        assert!(peak < 64 << 20, "{peak}");
    }
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn switches_between_members_compressed_ones_too() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("run.npz");
    let mut archive = NpzWriter::create_compressed(&path).unwrap();
    archive.add_slice("time", &[1.5_f64, 2.5]).unwrap();
    archive.add_slice("station", &["north".to_owned(), "south".to_owned()]).unwrap();
    archive.add_slice("evil\x1b[2J", &[1_u8]).unwrap();
    archive.finish().unwrap();
    let path = path.display().to_string();
    let mut terminal = Terminal::new(10, 80, &["view", &path]);
    terminal.wait_for("run.npz:time");
    terminal.press("\t");
    let screen = terminal.wait_for("run.npz:station");
    assert!(screen.contains("north") && screen.contains("2 of 3"), "{screen}");
    terminal.press("m");
    let screen = terminal.wait_for("arrays");
    assert!(screen.contains(r"evil\x1b[2J"), "{screen}");
    terminal.press(&format!("{UP}\r"));
    terminal.wait("the first array", |screen| screen.contains("run.npz:time") && !screen.contains("arrays"));
    terminal.press("\x1b[Z");
    terminal.wait_for(r"evil\x1b[2J");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
    assert!(!terminal.bytes.windows(4).any(|part| part == b"il\x1b["), "an escape sequence of a name got through");
}

#[test]
fn finds_text_and_numbers_in_both_directions() {
    let directory = tempdir().unwrap();
    let mut numbers = vec![0_i32; 100_000];
    numbers[70_000] = 42;
    numbers[90_000] = 42;
    let path = save(directory.path(), "numbers.npy", &DynValues::from_slice(&numbers).unwrap());
    let mut terminal = Terminal::new(8, 60, &["view", &path]);
    terminal.wait_for("row 0 of");
    terminal.press("/42\r");
    terminal.wait_for("row 70000 of");
    terminal.press("n");
    terminal.wait_for("row 90000 of");
    terminal.press("n");
    terminal.wait_for("row 70000 of");
    terminal.press("NN");
    terminal.wait_for("row 70000 of");
    terminal.press("/-1\r");
    terminal.wait_for("-1 was not found");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn sorts_and_shows_a_histogram_the_help_and_an_element() {
    let mut terminal = Terminal::new(30, 100, &["view", &example("travel_times.npy")]);
    terminal.wait_for("row 0 of 20, column 0 of 12");
    terminal.press("ss");
    terminal.wait_for("sorted by 0, descending");
    terminal.press("H");
    let screen = terminal.wait_for("histogram of 0");
    assert!(screen.contains("count  20") && screen.contains('█'), "{screen}");
    terminal.press("q?");
    terminal.wait_for("exchange rows, columns");
    terminal.press("qt");
    terminal.wait_for("of 12, column");
    terminal.press(&format!("{DOWN}{RIGHT}\r"));
    terminal.wait_for("row 1, column 1");
    terminal.press("qq");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn works_on_20_by_5_and_follows_the_size() {
    let mut terminal = Terminal::new(5, 20, &["view", &example("picks.npy")]);
    let screen = terminal.wait_for("row 0 of 240");
    assert!(screen.contains("station"), "{screen}");
    terminal.press("?");
    terminal.wait_for("arrows");
    terminal.press("qG$");
    terminal.wait("the last cell", |screen| screen.contains("reviewed") && screen.contains("239"));
    terminal.resize(20, 90);
    terminal.wait("the larger screen", |screen| screen.contains("? help  q quit") && screen.lines().count() == 20);
    terminal.resize(1, 3);
    // A key that arrives together with a new size is not lost.
    terminal.resize(5, 20);
    terminal.press("g");
    terminal.wait_for("row 0 of 240");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn restores_the_terminal_after_signals() {
    // Also behind a button that nobody knows, and behind the begin of an event.
    let unknown = [(Some(Signal::TERM), "\x1b[<128;2;3M"), (Some(Signal::INT), "\x1b[<")];
    for (signal, keys) in [(Some(Signal::INT), ""), (Some(Signal::TERM), ""), (None, "\x03")].into_iter().chain(unknown) {
        let mut terminal = Terminal::new(10, 60, &["view", &example("picks.npy")]);
        terminal.wait_for("row 0 of 240");
        terminal.press(keys);
        if let Some(signal) = signal {
            terminal.signal(signal);
        }
        assert_eq!(terminal.end().code(), Some(130), "{signal:?}");
    }
}

#[test]
fn escapes_text_of_the_file() {
    let directory = tempdir().unwrap();
    let texts = ["\x1b]0;evil\x07".to_owned(), "\u{202e}left".to_owned(), "日本語".to_owned()];
    let path = save(directory.path(), "texts.npy", &DynValues::from_slice(&texts).unwrap());
    let mut terminal = Terminal::new(10, 60, &["view", &path]);
    let screen = terminal.wait_for(r"\x1b]0;evil\x07");
    assert!(screen.contains(r"\u202eleft") && screen.contains("日本語"), "{screen}");
    terminal.press(":9\x1b[2J\r");
    terminal.press("q");
    terminal.press("q");
    terminal.end();
    assert!(!terminal.bytes.windows(2).any(|part| part == b"\x1b]"));
}

#[test]
fn shows_what_has_no_elements_or_no_axes() {
    let directory = tempdir().unwrap();
    for (dtype, shape, bytes, text) in [
        ("<f8", &[0, 3][..], vec![], "no elements: the shape is (0, 3)"),
        ("<f8", &[], 1.5_f64.to_le_bytes().to_vec(), "1.5"),
        ("|V0", &[60_000], vec![], "row 0 of 60,000"),
        ("|u1", &[2, 3, 5], (0..30).collect(), "[0, rows, columns]"),
    ] {
        let values = DynValues::new(dtype.parse().unwrap(), Order::Fortran, shape, bytes).unwrap();
        let path = save(directory.path(), "values.npy", &values);
        let mut terminal = Terminal::new(8, 60, &["view", &path]);
        terminal.wait_for(text);
        terminal.press("G$gsh\x1bq");
        terminal.press("q");
        assert_eq!(terminal.end().code(), Some(0), "{dtype} {shape:?}");
    }
}

#[test]
fn shows_other_axes_and_their_indices() {
    let directory = tempdir().unwrap();
    let values = DynValues::new("|u1".parse().unwrap(), Order::C, &[2, 3, 5], (0..30).collect()).unwrap();
    let path = save(directory.path(), "values.npy", &values);
    let mut terminal = Terminal::new(8, 60, &["view", &path]);
    terminal.wait_for("[0, rows, columns]");
    terminal.press(".");
    let screen = terminal.wait_for("[1, rows, columns]");
    assert!(screen.contains("15  16  17  18  19"), "{screen}");
    terminal.press(":[:, 2, :]\r");
    let screen = terminal.wait_for("[rows, 2, columns]");
    assert!(screen.contains("25  26  27  28  29"), "{screen}");
    terminal.press("q");
    terminal.end();
}

#[test]
fn refuses_huge_elements_and_lying_headers_without_ending() {
    let directory = tempdir().unwrap();
    let header = Header::new("|V1000000000".parse().unwrap(), Order::C, &[1_000_000]).unwrap();
    let path = directory.path().join("huge.npy");
    fs::write(&path, header.to_bytes()).unwrap();
    let mut terminal = Terminal::new(8, 80, &["view", path.to_str().unwrap()]);
    terminal.wait("an error", |screen| screen.contains("too large") || screen.contains("truncated"));
    terminal.press("q");
    terminal.end();
}

#[test]
fn without_a_terminal_it_advises_npy_show() {
    let message = run(["view", &example("picks.npy")]).trouble();
    assert_eq!(message, "npy: cannot view: expected a terminal as standard output; npy show prints arrays\n");
}

#[test]
fn keeps_rows_and_shows_what_is_wrong_with_an_expression() {
    let mut terminal = Terminal::new(12, 100, &["view", &example("picks.npy")]);
    terminal.wait_for("row 0 of 240");
    terminal.press("&phase == 'Pg' and reviewd\r");
    let screen = terminal.wait_for("unknown field");
    assert!(screen.contains("\n                    ^\n&phase"), "{screen}");
    terminal.press("\x7fed\r");
    let screen = terminal.wait_for("rows where phase == 'Pg' and reviewed");
    assert!(!screen.contains("Sn"), "{screen}");
    terminal.press("Gg\x1b");
    terminal.wait("all rows", |screen| screen.contains("of 240") && !screen.contains("where"));
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn moves_by_the_keys_of_vi_and_by_the_mouse() {
    let mut terminal = Terminal::new(12, 100, &["view", &example("travel_times.npy")]);
    terminal.wait_for("row 0 of 20, column 0 of 12");
    terminal.press("jjlllhk");
    terminal.wait_for("row 1 of 20, column 2 of 12");
    // Control letters are no letters.
    terminal.press("\x0c\x0b\x0a\x08\x0e\x07j");
    terminal.wait_for("row 2 of 20, column 2 of 12");
    terminal.press("\x1b[<65;10;5M");
    terminal.wait_for("row 5 of 20, column 2 of 12");
    // The first cell that is shown, below the title and the heads.
    terminal.press("\x1b[<0;6;3M");
    terminal.wait("the cell that was clicked", |screen| screen.contains("column 0 of 12") && !screen.contains("row 5 of"));
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn stops_for_the_shell_and_goes_on() {
    let script = format!("{} view {}; echo stopped; read line; fg", env!("CARGO_BIN_EXE_npy"), example("picks.npy"));
    let mut terminal = Terminal::of_program(12, 70, "sh", &["-m", "-c", &script], &[]);
    terminal.wait_for("row 0 of 240");
    terminal.press("jj\x1a");
    terminal.wait("the shell", |screen| screen.contains("stopped") && !screen.contains("station"));
    terminal.press("\r");
    terminal.wait("the same screen", |screen| screen.contains("station") && screen.contains("row 2 of 240"));
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn is_silent_while_nothing_happens() {
    let mut terminal = Terminal::new(12, 100, &["view", &example("picks.npy")]);
    terminal.wait_for("row 0 of 240");
    let before = terminal.bytes.len();
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.press("j");
    terminal.wait_for("row 1 of 240");
    // One frame, which shows another row.
    assert!(terminal.bytes.len() - before < 4000, "{}", terminal.bytes.len() - before);
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn copies_by_the_terminal_and_reads_a_changed_file_again() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "values.npy", &DynValues::from_slice(&[1_u8, 2]).unwrap());
    let mut terminal = Terminal::new(8, 100, &["view", &path, &example("picks.npy")]);
    let screen = terminal.wait_for("row 0 of 2");
    assert!(screen.contains("1 of 2"), "{screen}");
    terminal.press("Y");
    terminal.wait_for("copied 2 rows");
    let copied = b"\x1b]52;c;MQoyCg==\x07";
    assert!(terminal.bytes.windows(copied.len()).any(|part| part == copied));
    save(directory.path(), "values.npy", &DynValues::from_slice(&[5_u8, 6, 7]).unwrap());
    terminal.wait_for("the file changed");
    terminal.press("R");
    terminal.wait_for("2      7");
    terminal.press("m/picks");
    terminal.wait_for("(240,)");
    terminal.press("\r");
    terminal.wait_for("row 0 of 240");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn colors_numbers_by_their_range_as_the_terminal_can() {
    let directory = tempdir().unwrap();
    let path = save(directory.path(), "numbers.npy", &DynValues::from_slice(&[-10.0, 0.5, f64::NAN, 10.0]).unwrap());
    let (black, white) = ((0, 0, 0), (255, 255, 255));
    let rgb = |(red, green, blue): (u8, u8, u8)| Color::Rgb(red, green, blue);
    let cases = [
        (vec![("COLORTERM", "truecolor")], rgb((68, 1, 84)), rgb((253, 231, 37)), rgb((200, 200, 200)), rgb(black), rgb(white)),
        (vec![], Color::Idx(53), Color::Idx(220), Color::Idx(251), Color::Idx(16), Color::Idx(231)),
    ];
    for (environment, least, most, missing, black, white) in cases {
        let mut terminal = Terminal::with_environment(8, 40, &["view", "--heat", &path], &environment);
        terminal.press("j");
        terminal.wait_for_colors("-10.", (white, least));
        terminal.wait_for_colors("3   10.", (black, most));
        terminal.wait_for_colors("nan", (black, missing));
        terminal.press("C");
        terminal.wait_for_colors("3   10.", (Color::Default, Color::Default));
        terminal.press("q");
        assert_eq!(terminal.end().code(), Some(0));
    }
    let mut terminal = Terminal::with_environment(8, 80, &["view", "--heat", &path], &[("NO_COLOR", "1")]);
    terminal.wait_for_colors("3   10.", (Color::Default, Color::Default));
    terminal.press("C");
    terminal.wait_for("cannot color cells: NO_COLOR");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn draws_pictures_of_photos_and_stops_drawing_huge_ones() {
    let directory = tempdir().unwrap();
    let photo = vec![255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30];
    let values = DynValues::new("|u1".parse().unwrap(), Order::C, &[2, 2, 3], photo).unwrap();
    let path = save(directory.path(), "photo.npy", &values);
    let mut terminal = Terminal::with_environment(4, 60, &["view", &path], &[("COLORTERM", "24bit")]);
    terminal.wait_for("row 0 of 2");
    terminal.press("p");
    terminal.wait_for("picture of 2 × 2 × 3");
    let (upper, lower) = (Color::Rgb(255, 0, 0), Color::Rgb(0, 0, 255));
    terminal.wait_for_colors("▀", (upper, upper));
    // Two pixels of the file in a character.
    terminal.resize(1, 1);
    terminal.wait_for_colors("▀", (upper, lower));
    terminal.resize(4, 60);
    terminal.wait_for_colors("▀", (upper, upper));
    terminal.press("p");
    terminal.wait_for("row 0 of 2");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
    // 3 GB, of which a part is read until a key stops it.
    let path = sparse(directory.path(), "|u1", &[1_000_000_000, 3], &[1]);
    let mut terminal = Terminal::new(10, 60, &["view", &path]);
    terminal.wait_for("row 0 of 1,000,000,000");
    for key in ["p", "C"] {
        terminal.press(key);
        terminal.wait_for("Esc stops");
        terminal.press(ESCAPE);
        terminal.wait_for("stopped");
    }
    if let Some(peak) = terminal.peak() {
        assert!(peak < 96 << 20, "{peak}");
    }
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn opens_an_array_of_the_list_by_clicks() {
    let mut terminal = Terminal::new(14, 80, &["view", &example("picks.npy"), &example("travel_times.npy")]);
    terminal.wait_for("row 0 of 240");
    terminal.press("m");
    let screen = terminal.wait_for("(20, 12)");
    let line = screen.lines().position(|line| line.contains("(20, 12)")).unwrap() + 1;
    let click = format!("\x1b[<0;40;{line}M\x1b[<0;40;{line}m");
    terminal.press(&click);
    terminal.press(&click);
    terminal.wait_for("row 0 of 20, column 0 of 12");
    terminal.press("q");
    assert_eq!(terminal.end().code(), Some(0));
}
