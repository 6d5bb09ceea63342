//! Pictures in a terminal, by the protocols of kitty and of iTerm, and as sixel.

use std::fmt::Write as _;

use super::png;
use super::sixel;
use crate::colors::Raster;
use crate::failure::Result;
use crate::output::base64::base64;

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// <https://sw.kovidgoyal.net/kitty/graphics-protocol/>
    Kitty,
    /// <https://iterm2.com/documentation-images.html>
    ITerm,
    /// <https://vt100.net/docs/vt3xx-gp/chapter14.html>
    Sixel,
}

impl Protocol {
    /// The protocol that the terminal has by the variables of the environment, or by the numbers that it answers with (DA1).
    pub(crate) fn of_terminal(
        variable: impl Fn(&str) -> Option<String>,
        attributes: impl FnOnce() -> Option<Vec<u16>>,
    ) -> Option<Self> {
        const SIXEL: u16 = 4;
        let of = |name: &str| variable(name).unwrap_or_default();
        let (term, program) = (of("TERM"), of("TERM_PROGRAM"));
        // A multiplexer passes the variables on, but no pictures, and says it has sixel where the terminal around it may not.
        if !of("TMUX").is_empty() || !of("STY").is_empty() || ["tmux", "screen", "dumb"].iter().any(|name| term.starts_with(name)) {
            return None;
        }
        let is_kitty =
            term.contains("kitty") || term.contains("ghostty") || !of("KITTY_WINDOW_ID").is_empty() && program.is_empty();
        match &*program {
            "ghostty" => Some(Self::Kitty),
            "iTerm.app" | "WezTerm" => Some(Self::ITerm),
            _ if is_kitty => Some(Self::Kitty),
            _ => attributes().filter(|numbers| numbers.contains(&SIXEL)).map(|_| Self::Sixel),
        }
    }

    /// The sequence that shows a picture in as many columns and lines; sixel has the pixels of the picture.
    pub(super) fn sequence(self, raster: &Raster, (columns, lines): (usize, usize)) -> Result<String> {
        let mut text = match self {
            Self::Kitty => kitty(&png::encode(raster, None)?, (columns, lines)),
            Self::ITerm => {
                let png = png::encode(raster, None)?;
                let (size, data) = (png.len(), base64(&png));
                format!("\x1b]1337;File=inline=1;size={size};width={columns};height={lines}:{data}\x07")
            }
            Self::Sixel => sixel::sequence(raster),
        };
        text.push('\n');
        Ok(text)
    }
}

fn kitty(png: &[u8], (columns, lines): (usize, usize)) -> String {
    const MOST_CHARACTERS: usize = 4096;
    let (data, mut text) = (base64(png), String::new());
    let chunks = data.as_bytes().chunks(MOST_CHARACTERS);
    let last = chunks.len().saturating_sub(1);
    for (place, chunk) in chunks.enumerate() {
        // Without an answer, which would be input of the shell.
        let how = if place == 0 { format!("a=T,f=100,q=2,c={columns},r={lines},") } else { "q=2,".to_owned() };
        let chunk = String::from_utf8_lossy(chunk);
        let _ = write!(text, "\x1b_G{how}m={};{chunk}\x1b\\", u8::from(place < last));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_say_what_they_can() {
        let of = |variables: &[(&str, &str)], attributes: Option<&[u16]>| {
            let variable = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            Protocol::of_terminal(variable, || attributes.map(<[u16]>::to_vec))
        };
        let asked = |variables: &[(&str, &str)]| {
            let variable = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            Protocol::of_terminal(variable, || panic!("there is no need to ask"))
        };
        assert_eq!(asked(&[("TERM", "xterm-kitty"), ("KITTY_WINDOW_ID", "1")]), Some(Protocol::Kitty));
        assert_eq!(asked(&[("TERM", "xterm-ghostty"), ("TERM_PROGRAM", "ghostty")]), Some(Protocol::Kitty));
        assert_eq!(asked(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")]), Some(Protocol::ITerm));
        assert_eq!(asked(&[("TERM_PROGRAM", "iTerm.app")]), Some(Protocol::ITerm));
        // An editor or a multiplexer that was started in such a terminal.
        assert_eq!(of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "vscode"), ("KITTY_WINDOW_ID", "1")], None), None);
        assert_eq!(asked(&[("TERM", "tmux-256color"), ("TMUX", "/tmp/tmux"), ("KITTY_WINDOW_ID", "1")]), None);
        let usual = &[("TERM", "xterm-256color")];
        assert_eq!(of(usual, Some(&[62, 4, 22])), Some(Protocol::Sixel));
        assert_eq!((of(usual, Some(&[62, 22])), of(usual, None)), (None, None));
    }

    #[test]
    fn pictures_are_sent_in_chunks() {
        let text = kitty(&[7; 6000], (80, 20));
        assert!(text.starts_with("\x1b_Ga=T,f=100,q=2,c=80,r=20,m=1;Bwc") && text.ends_with("\x1b\\"));
        let chunks: Vec<&str> = text.split_inclusive("\x1b\\").collect();
        assert!(chunks.len() == 2 && chunks[1].starts_with("\x1b_Gq=2,m=0;") && chunks[0].len() < 4200);
        let raster = Raster { width: 1, height: 1, pixels: vec![[1, 2, 3]] };
        let text = |protocol: Protocol| protocol.sequence(&raster, (8, 4)).unwrap();
        let iterm = text(Protocol::ITerm);
        assert!(iterm.starts_with("\x1b]1337;File=inline=1;size=") && iterm.contains(";width=8;height=4:iVBOR"), "{iterm}");
        assert!(iterm.ends_with("\x07\n") && text(Protocol::Sixel).ends_with("$\x1b\\\n"));
    }
}
