//! Pictures as sixel: bands of six rows, and in each the pixels of one color after the other.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::colors::{Color, Raster};

/// The colors that terminals have registers for.
const MOST_COLORS: usize = 256;

/// The rows of a band.
const BAND: usize = 6;

/// The sequence that shows the pixels.
pub(super) fn sequence(raster: &Raster) -> String {
    let Raster { width, height, pixels } = raster;
    let (colors, registers) = palette(pixels);
    let mut text = format!("\x1bP0;1q\"1;1;{width};{height}");
    for (register, color) in colors.iter().enumerate() {
        let [red, green, blue] = color.map(|byte| (u32::from(byte) * 100 + 127) / 255);
        let _ = write!(text, "#{register};2;{red};{green};{blue}");
    }
    for (place, band) in pixels.chunks((width * BAND).max(1)).enumerate() {
        if place > 0 {
            text.push('-');
        }
        // For each color a byte in each column, which has a bit for each row.
        let mut bits: Vec<Vec<u8>> = vec![Vec::new(); colors.len()];
        for (place, pixel) in band.iter().enumerate() {
            let columns = &mut bits[usize::from(registers.get(pixel).copied().unwrap_or(0))];
            columns.resize(*width, 0);
            columns[place % width] |= 1 << (place / width);
        }
        for (register, columns) in bits.iter().enumerate().filter(|(_, columns)| !columns.is_empty()) {
            let _ = write!(text, "#{register}");
            push_runs(&mut text, columns);
            text.push('$');
        }
    }
    text.push_str("\x1b\\");
    text
}

/// Adds the columns of a color, but for the empty ones at the end.
fn push_runs(text: &mut String, columns: &[u8]) {
    let mut runs: Vec<&[u8]> = columns.chunk_by(|a, b| a == b).collect();
    if runs.last().is_some_and(|run| run[0] == 0) {
        runs.pop();
    }
    for run in runs {
        let character = char::from(b'?' + run[0]);
        if run.len() > 3 {
            let _ = write!(text, "!{}{character}", run.len());
        } else {
            text.extend(run.iter().map(|_| character));
        }
    }
}

/// Similar colors, each with the number of its pixels.
struct Group {
    colors: Vec<(Color, u64)>,
    /// The channel in which they differ most, and by how much: the number of pixels times the square of the range.
    channel: usize,
    spread: u64,
}

impl Group {
    fn new(colors: Vec<(Color, u64)>) -> Self {
        let range = |channel: usize| {
            let values = || colors.iter().map(|(color, _)| u64::from(color[channel]));
            values().max().unwrap_or(0) - values().min().unwrap_or(0)
        };
        let channel = (0..3).max_by_key(|channel| range(*channel)).unwrap_or(0);
        let spread = range(channel).pow(2) * colors.iter().map(|(_, count)| count).sum::<u64>();
        Self { colors, channel, spread }
    }

    /// Divides it at the median.
    fn halves(mut self) -> [Self; 2] {
        let channel = self.channel;
        self.colors.sort_unstable_by_key(|(color, _)| (color[channel], *color));
        let all: u64 = self.colors.iter().map(|(_, count)| count).sum();
        let mut before = 0;
        let is_first = |(_, count): &&(Color, u64)| {
            before += count;
            before * 2 <= all
        };
        let middle = self.colors.iter().take_while(is_first).count().clamp(1, self.colors.len().saturating_sub(1).max(1));
        let rest = self.colors.split_off(middle);
        [Self::new(self.colors), Self::new(rest)]
    }

    fn mean(&self) -> Color {
        let all: u64 = self.colors.iter().map(|(_, count)| count).sum();
        [0, 1, 2].map(|channel| {
            let sum: u64 = self.colors.iter().map(|(color, count)| u64::from(color[channel]) * count).sum();
            u8::try_from((sum + all / 2) / all.max(1)).unwrap_or(u8::MAX)
        })
    }
}

/// All colors where there are few, otherwise the means of groups by median cut, and the register of each color.
fn palette(pixels: &[Color]) -> (Vec<Color>, HashMap<Color, u8>) {
    let mut counts: HashMap<Color, u64> = HashMap::new();
    for pixel in pixels {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut groups = vec![Group::new(counts.into_iter().collect())];
    while groups.len() < MOST_COLORS {
        let widest = (0..groups.len()).max_by_key(|group| groups[*group].spread).filter(|group| groups[*group].spread > 0);
        let Some(widest) = widest else { break };
        let halves = groups.swap_remove(widest).halves();
        groups.extend(halves);
    }
    let registers = groups.iter().zip(0..=u8::MAX);
    let registers = registers.flat_map(|(group, register)| group.colors.iter().map(move |(color, _)| (*color, register))).collect();
    (groups.iter().map(Group::mean).collect(), registers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pixels of a sequence, as a terminal draws them; gray where it draws none.
    #[allow(clippy::cast_possible_truncation, reason = "bytes")]
    fn decoded(text: &str) -> Raster {
        let body = text.strip_prefix("\x1bP0;1q\"1;1;").and_then(|text| text.strip_suffix("\x1b\\")).unwrap();
        let mut bytes = body.bytes().peekable();
        let number = |bytes: &mut std::iter::Peekable<std::str::Bytes<'_>>| {
            let mut number = 0;
            while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
                number = number * 10 + usize::from(digit - b'0');
            }
            number
        };
        let width = number(&mut bytes);
        assert_eq!(bytes.next(), Some(b';'));
        let height = number(&mut bytes);
        let mut raster = Raster { width, height, pixels: vec![[7; 3]; width * height] };
        let (mut registers, mut register, mut x, mut y) = (vec![[0_u8; 3]; MOST_COLORS], 0, 0, 0);
        while let Some(byte) = bytes.next() {
            let mut count = 1;
            let sixel = match byte {
                b'#' => {
                    register = number(&mut bytes);
                    if bytes.next_if_eq(&b';').is_some() {
                        let color = [0; 4].map(|_| {
                            let found = number(&mut bytes);
                            bytes.next_if_eq(&b';');
                            found
                        });
                        assert_eq!(color[0], 2);
                        registers[register] = [1, 2, 3].map(|channel| ((color[channel] * 255 + 50) / 100) as u8);
                    }
                    continue;
                }
                b'$' => {
                    x = 0;
                    continue;
                }
                b'-' => {
                    (x, y) = (0, y + BAND);
                    continue;
                }
                b'!' => {
                    count = number(&mut bytes);
                    bytes.next().unwrap()
                }
                byte => byte,
            };
            assert!((b'?'..=b'~').contains(&sixel), "{sixel}");
            for _ in 0..count {
                for row in (0..BAND).filter(|row| (sixel - b'?') >> row & 1 == 1) {
                    raster.pixels[(y + row) * width + x] = registers[register];
                }
                x += 1;
            }
        }
        raster
    }

    /// The largest and the mean difference of channels.
    fn difference(raster: &Raster) -> (u8, f64) {
        let found = decoded(&sequence(raster));
        assert_eq!((found.width, found.height), (raster.width, raster.height));
        let (found, expected) = (found.pixels.as_flattened(), raster.pixels.as_flattened());
        let differences: Vec<u8> = found.iter().zip(expected).map(|(a, b)| a.abs_diff(*b)).collect();
        let sum: f64 = differences.iter().map(|difference| f64::from(*difference)).sum();
        (differences.iter().copied().max().unwrap_or(0), sum / differences.len() as f64)
    }

    fn raster(width: usize, height: usize, color: impl Fn(usize, usize) -> Color) -> Raster {
        let pixels = (0..width * height).map(|place| color(place % width, place / width)).collect();
        Raster { width, height, pixels }
    }

    #[test]
    #[allow(clippy::cast_possible_truncation, reason = "bytes")]
    fn pixels_come_back() {
        // Percent are what a register takes.
        for (width, height) in [(1, 1), (1, 6), (5, 7), (300, 13), (16, 16)] {
            let few = raster(width, height, |x, y| [(x * 37 % 8 * 36) as u8, (y * 3) as u8, 255]);
            assert!(difference(&few).0 <= 2, "{width} {height}");
            assert_eq!(difference(&raster(width, height, |_, _| [255; 3])).0, 0);
        }
        let all = raster(16, 16, |x, y| [(x * 16 + y) as u8, 0, 255]);
        assert!(difference(&all).0 <= 2);
    }

    #[test]
    #[allow(clippy::cast_possible_truncation, reason = "bytes")]
    fn many_colors_become_similar_ones() {
        let (most, mean) = difference(&raster(256, 256, |x, y| [x as u8, y as u8, 128]));
        assert!(most < 24 && mean < 4.0, "{most} {mean}");
        // One color of many pixels stays as it is.
        let page = raster(256, 256, |x, y| if y < 200 { [250, 255, 255] } else { [x as u8, y as u8, 9] });
        assert!(decoded(&sequence(&page)).pixels[..200 * 256].iter().all(|pixel| *pixel == [250, 255, 255]));
    }

    #[test]
    fn runs_are_short() {
        let text = sequence(&raster(100, 6, |x, _| if x < 50 { [0; 3] } else { [255; 3] }));
        assert!(text.contains("!50~$") && text.contains("!50?!50~$\x1b\\") && text.len() < 80, "{text:?}");
    }
}
