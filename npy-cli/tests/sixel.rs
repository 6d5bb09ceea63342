//! `npy plot` in terminals that say they have sixel, that say they have not, and that say nothing.

use crate::plot::floats;
use crate::support::Files;
use crate::terminal::Terminal;

/// Primary device attributes.
const QUESTION: &str = "\x1b[c";

/// The begin of a picture of 80 by 20 characters, by the size of these.
const PICTURE: &str = "\x1bP0;1q\"1;1;800;400#0;2;";

fn trace() -> (Files, String) {
    let files = Files::new();
    let path = files.array("a.npy", "<f8", &[50], floats(&[1.0, 2.0].repeat(25)));
    (files, path)
}

/// Plots in a terminal that gives this answer, and types a line for the shell behind it. Returns what was written.
#[track_caller]
fn answered(answer: &str) -> String {
    let (_files, path) = trace();
    // A shell, whose input the rest of an answer would be.
    let script = "\"$0\" plot \"$1\"; echo end; read -r line; echo \"<$line>\"";
    let mut terminal =
        Terminal::of_program(24, 80, "/bin/sh", &["-c", script, env!("CARGO_BIN_EXE_npy"), &path], &[("TERM_PROGRAM", "")]);
    terminal.wait_for_bytes(QUESTION);
    terminal.press(answer);
    terminal.wait_for_bytes("end\r\n");
    terminal.press("typed\n");
    terminal.wait_for_bytes("<typed>");
    assert!(terminal.end().success());
    String::from_utf8(std::mem::take(&mut terminal.bytes)).unwrap()
}

#[test]
fn a_terminal_with_sixel_shows_a_picture() {
    let output = answered("\x1b[?62;4;22c");
    assert!(output.contains(PICTURE) && output.contains("$\x1b\\\r\nend"), "{output:?}");
    assert_eq!(output.matches(QUESTION).count(), 1);
    // In parts, and behind a key.
    assert!(answered("\x1b[A\x1b[?4;6c").contains(PICTURE));
}

#[test]
fn a_terminal_without_sixel_shows_text_and_gets_its_answer_read() {
    for answer in ["\x1b[?62;22;52c", "\x1b[?1;2c", "\x1b[?40;14c"] {
        let output = answered(answer);
        assert!(!output.contains("\x1bP") && output.contains('⡇'), "{answer:?}: {output:?}");
    }
}

#[test]
fn a_terminal_that_says_nothing_shows_text() {
    // Nothing, half an answer, something else, and the keys that end or stop a program, which are none while it waits.
    for answer in ["", "\x1b[?62;4", "\x1b[A", "\x1c", "\x1a"] {
        let output = answered(answer);
        assert!(!output.contains("\x1bP") && output.contains('⡇'), "{answer:?}: {output:?}");
    }
}

/// Runs a script in a terminal that answers no question, with the plot as its first argument. Nothing may be asked.
#[track_caller]
fn not_asked(script: &str, environment: &[(&str, &str)], typed: &str) -> String {
    let (_files, path) = trace();
    let mut terminal = Terminal::of_program(24, 80, "/bin/sh", &["-c", script, env!("CARGO_BIN_EXE_npy"), &path], environment);
    terminal.press(typed);
    assert!(terminal.end().success());
    let output = String::from_utf8(std::mem::take(&mut terminal.bytes)).unwrap();
    assert!(!output.contains(QUESTION), "{script}: {output:?}");
    output
}

#[test]
fn a_terminal_is_not_asked_without_need() {
    let usual = "\"$0\" plot \"$1\"";
    let unknown = [("TERM_PROGRAM", "")];
    assert!(not_asked(usual, &[("TERM", "xterm-kitty")], "").contains("\x1b_G"));
    assert!(not_asked(usual, &[("TERM_PROGRAM", "WezTerm")], "").contains("\x1b]1337;"));
    for environment in [&[("TERM", "tmux-256color")][..], &[("TERM", "dumb")], &[("NO_COLOR", "1")]] {
        assert!(not_asked(usual, environment, "").contains('⡇'));
    }
    assert!(not_asked("\"$0\" plot \"$1\" --text", &unknown, "").contains('⡇'));
    // Neither where its answer could not be read: another input, another output, a job in the background.
    assert!(not_asked("\"$0\" plot \"$1\" < /dev/null", &unknown, "").contains('⡇'));
    assert!(not_asked("\"$0\" plot \"$1\" | cat", &unknown, "").contains('⡇'));
    assert!(not_asked("set -m; \"$0\" plot \"$1\" & wait", &unknown, "").contains('⡇'));
    // What was typed ahead is for the shell.
    let output = not_asked("read -r go; \"$0\" plot \"$1\"; read -r line; echo \"<$line>\"", &unknown, "go\nahead\n");
    assert!(output.contains('⡇') && output.contains("<ahead>"), "{output:?}");
}

#[test]
fn a_picture_has_the_size_of_its_characters() {
    let (_files, path) = trace();
    let script = "read -r go; \"$0\" plot \"$1\" --size 40x10";
    let mut terminal =
        Terminal::of_program(24, 80, "/bin/sh", &["-c", script, env!("CARGO_BIN_EXE_npy"), &path], &[("TERM_PROGRAM", "")]);
    terminal.resize_with_pixels(24, 80, (640, 384));
    terminal.press("go\n");
    terminal.wait_for_bytes(QUESTION);
    terminal.press("\x1b[?62;4c");
    terminal.wait_for_bytes("\x1bP0;1q\"1;1;320;160#");
    assert!(terminal.end().success());
}
