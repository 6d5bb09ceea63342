//! The font of pictures: a part of DejaVu Sans with the letters of Europe, and signs of units and mathematics.

use ab_glyph::{Font as _, FontRef, Glyph, GlyphId, OutlinedGlyph, PxScale, ScaleFont as _, point};

use crate::failure::{Failure, Result};

/// A font of any size.
pub(super) struct Font(FontRef<'static>);

impl Font {
    pub(super) fn new() -> Result<Self> {
        let font = FontRef::try_from_slice(include_bytes!("DejaVuSans.ttf"));
        Ok(Self(font.map_err(|error| Failure::new(format!("cannot read the font of pictures: {error}")))?))
    }

    /// The width of a text in a font of `size` pixels.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let scaled = self.0.as_scaled(self.scale(size));
        text.chars().map(|character| f64::from(scaled.h_advance(self.glyph_id(character)))).sum()
    }

    /// The outlines of a text whose line begins at 0, with the middle of its letters at 0.
    pub(super) fn outlines(&self, text: &str, size: f64) -> Vec<OutlinedGlyph> {
        let scale = self.scale(size);
        let scaled = self.0.as_scaled(scale);
        #[allow(clippy::cast_possible_truncation, reason = "pixels")]
        let mut at = point(0.0, (size * MIDDLE) as f32);
        let placed = text.chars().map(|character| {
            let glyph = Glyph { id: self.glyph_id(character), scale, position: at };
            at.x += scaled.h_advance(glyph.id);
            glyph
        });
        placed.collect::<Vec<_>>().into_iter().filter_map(|glyph| self.0.outline_glyph(glyph)).collect()
    }

    /// The glyph of a character, or a question mark.
    fn glyph_id(&self, character: char) -> GlyphId {
        let found = self.0.glyph_id(character);
        if found.0 == 0 { self.0.glyph_id('?') } else { found }
    }

    /// The scale of a font whose em has this size.
    fn scale(&self, size: f64) -> PxScale {
        let height = f64::from(self.0.height_unscaled()) / f64::from(self.0.units_per_em().unwrap_or(1000.0));
        #[allow(clippy::cast_possible_truncation, reason = "pixels")]
        let scale = PxScale::from((size * height) as f32);
        scale
    }
}

/// The distance of the baseline from the middle of letters, in proportion to the size: half the height of capitals.
pub(super) const MIDDLE: f64 = 0.36;
