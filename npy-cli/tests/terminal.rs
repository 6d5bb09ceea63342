//! The command in a pseudo-terminal, and what is on its screen.

use std::io::{Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

/// A hang fails the test after this time; nothing is measured by it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A run of the command in a terminal.
pub struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// All that was written.
    pub bytes: Vec<u8>,
}

impl Terminal {
    pub fn new(rows: u16, columns: u16, arguments: &[&str]) -> Self {
        Self::with_environment(rows, columns, arguments, &[])
    }

    pub fn with_environment(rows: u16, columns: u16, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::of_program(rows, columns, env!("CARGO_BIN_EXE_npy"), arguments, environment)
    }

    /// Another program, such as a shell.
    pub fn of_program(rows: u16, columns: u16, program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let command = Command::new(program).args(arguments);
        let command = command.env_remove("NO_COLOR").env_remove("COLORTERM").env_remove("COLUMNS").env("TERM", "xterm-256color");
        let child = command.envs(environment.iter().copied()).spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let (sender, output) = channel();
        let reader = Arc::clone(&pty);
        thread::spawn(move || {
            let mut buffer = [0; 1 << 14];
            // At the end of the program it fails, or there is nothing to read.
            while let Ok(count @ 1..) = (&*reader).read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { pty, child, output, parser: vt100::Parser::new(rows, columns, 0), bytes: Vec::new() }
    }

    /// Waits until the screen is as it should be.
    #[track_caller]
    pub fn wait(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        self.wait_until(what, |terminal| is_there(&terminal.screen()))
    }

    #[track_caller]
    fn wait_until(&mut self, what: &str, is_there: impl Fn(&Self) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if is_there(self) {
                return screen;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => panic!("{what} never came; the screen is\n{screen}"),
            }
        }
    }

    /// Waits for a text anywhere on the screen.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits for a text among all that was written.
    #[track_caller]
    pub fn wait_for_bytes(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => panic!("{text:?} never came, but {:?}", String::from_utf8_lossy(&self.bytes)),
            }
        }
    }

    /// Waits until the last character of a text has a foreground and a background.
    #[track_caller]
    pub fn wait_for_colors(&mut self, text: &str, colors: (vt100::Color, vt100::Color)) {
        self.wait_until(&format!("{text} in {colors:?}"), |terminal| {
            let screen = terminal.parser.screen();
            let lines: Vec<String> = screen.rows(0, screen.size().1).collect();
            let found = lines.iter().enumerate().find_map(|(line, row)| Some((line, row.find(text)?)));
            let Some((line, begin)) = found else { return false };
            let column = lines[line][..begin].chars().count() + text.chars().count() - 1;
            let cell = screen.cell(u16::try_from(line).unwrap(), u16::try_from(column).unwrap()).unwrap();
            (cell.fgcolor(), cell.bgcolor()) == colors
        });
    }

    fn take(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.bytes.extend_from_slice(bytes);
    }

    /// The lines of the screen.
    pub fn screen(&self) -> String {
        let screen = self.parser.screen();
        let lines: Vec<String> = screen.rows(0, screen.size().1).map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    pub fn press(&mut self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.parser.screen_mut().set_size(rows, columns);
        self.pty.resize(Size::new(rows, columns)).unwrap();
    }

    pub fn resize_with_pixels(&mut self, rows: u16, columns: u16, (width, height): (u16, u16)) {
        self.pty.resize(Size::new_with_pixel(rows, columns, width, height)).unwrap();
    }

    pub fn signal(&mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// The most memory that the program had, in bytes.
    pub fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
    }

    /// Waits for the end of the program; the terminal must be as it was.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end; the screen is\n{}", self.screen());
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.take(&bytes);
            }
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.take(&bytes);
        }
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "the screen is not restored:\n{}", self.screen());
        let modes = tcgetattr(&*self.pty).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO), "the terminal is still raw");
        status
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
