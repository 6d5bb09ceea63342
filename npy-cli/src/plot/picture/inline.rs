//! Pictures in a terminal, by the protocols of kitty and of iTerm.

use std::fmt::Write as _;

use crate::output::base64::base64;

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// <https://sw.kovidgoyal.net/kitty/graphics-protocol/>
    Kitty,
    /// <https://iterm2.com/documentation-images.html>
    ITerm,
}

impl Protocol {
    /// The protocol that the terminal says it has, by the variables of the environment.
    pub(crate) fn of_terminal(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let of = |name: &str| variable(name).unwrap_or_default();
        let (term, program) = (of("TERM"), of("TERM_PROGRAM"));
        // A multiplexer passes the variables on, but no pictures.
        if !of("TMUX").is_empty() || !of("STY").is_empty() || ["tmux", "screen", "dumb"].iter().any(|name| term.starts_with(name)) {
            return None;
        }
        let is_kitty =
            term.contains("kitty") || term.contains("ghostty") || !of("KITTY_WINDOW_ID").is_empty() && program.is_empty();
        match &*program {
            "ghostty" => Some(Self::Kitty),
            "iTerm.app" | "WezTerm" => Some(Self::ITerm),
            _ => is_kitty.then_some(Self::Kitty),
        }
    }

    /// The sequence that shows a PNG file in as many columns and lines.
    pub(crate) fn sequence(self, png: &[u8], (columns, lines): (usize, usize)) -> String {
        const MOST_CHARACTERS: usize = 4096;
        let (data, mut text) = (base64(png), String::new());
        match self {
            Self::Kitty => {
                let chunks = data.as_bytes().chunks(MOST_CHARACTERS);
                let last = chunks.len().saturating_sub(1);
                for (place, chunk) in chunks.enumerate() {
                    // Without an answer, which would be input of the shell.
                    let how = if place == 0 { format!("a=T,f=100,q=2,c={columns},r={lines},") } else { "q=2,".to_owned() };
                    let chunk = String::from_utf8_lossy(chunk);
                    let _ = write!(text, "\x1b_G{how}m={};{chunk}\x1b\\", u8::from(place < last));
                }
            }
            Self::ITerm => {
                let size = png.len();
                let _ = write!(text, "\x1b]1337;File=inline=1;size={size};width={columns};height={lines}:{data}\x07");
            }
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_say_what_they_can() {
        let of = |variables: &[(&str, &str)]| {
            Protocol::of_terminal(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("KITTY_WINDOW_ID", "1")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM", "xterm-ghostty"), ("TERM_PROGRAM", "ghostty")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]), Some(Protocol::ITerm));
        assert_eq!(of(&[("TERM_PROGRAM", "iTerm.app")]), Some(Protocol::ITerm));
        // An editor or a multiplexer that was started in such a terminal.
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode"), ("KITTY_WINDOW_ID", "1")]), None);
        assert_eq!(of(&[("TERM", "tmux-256color"), ("TMUX", "/tmp/tmux"), ("KITTY_WINDOW_ID", "1")]), None);
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
    }

    #[test]
    fn pictures_are_sent_in_chunks() {
        let text = Protocol::Kitty.sequence(&[7; 6000], (80, 20));
        assert!(text.starts_with("\x1b_Ga=T,f=100,q=2,c=80,r=20,m=1;Bwc") && text.ends_with("\x1b\\\n"));
        let chunks: Vec<&str> = text.trim_end().split_inclusive("\x1b\\").collect();
        assert!(chunks.len() == 2 && chunks[1].starts_with("\x1b_Gq=2,m=0;") && chunks[0].len() < 4200);
        assert_eq!(Protocol::ITerm.sequence(b"Man", (8, 4)), "\x1b]1337;File=inline=1;size=3;width=8;height=4:TWFu\x07\n");
    }
}
