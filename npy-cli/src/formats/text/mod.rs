//! Values as text, and text as values: what CSV and JSON have in common.

pub(crate) mod cast;
pub(crate) mod cell;
mod decimal;
pub(crate) mod guess;
mod long_double;
pub(crate) mod objects;
pub(crate) mod rows;
pub(crate) mod slot;
pub(crate) mod time;

use std::borrow::Cow;
use std::io;

use npy_core::{DynValues, Order};

use crate::failure::{Failure, Result};
use crate::losses::LOSSY;

/// Why a value does not become another.
pub(crate) struct Problem {
    pub(crate) message: String,
    /// Whether it would be converted with a loss.
    pub(crate) is_loss: bool,
}

impl Problem {
    /// A value that cannot be converted.
    pub(crate) fn error(message: String) -> Self {
        Self { message, is_loss: false }
    }

    /// A value that is converted with `--lossy` only.
    pub(crate) fn loss(message: String) -> Self {
        Self { message, is_loss: true }
    }

    /// The advice, for the end of the message.
    pub(crate) fn hint(&self) -> &'static str {
        if self.is_loss { LOSSY } else { "" }
    }
}

/// The mark of the byte order.
pub(crate) const MARK: &[u8] = "\u{feff}".as_bytes();

/// The values in C order, in which all formats of text have them.
pub(crate) fn in_c_order(values: &DynValues) -> Result<Cow<'_, DynValues>> {
    Ok(match values.order() {
        Order::C => Cow::Borrowed(values),
        Order::Fortran => Cow::Owned(values.clone().into_order(Order::C)?),
    })
}

/// Calls `work` with the bytes of each element.
pub(crate) fn for_each_element<'a>(values: &'a DynValues, mut work: impl FnMut(&'a [u8]) -> Result<()>) -> Result<()> {
    match values.dtype().itemsize() {
        0 => (0..values.header().element_count()).try_for_each(|_| work(&[])),
        size => values.bytes().chunks_exact(size).try_for_each(work),
    }
}

/// The length of Latin-1 as UTF-8.
pub(crate) fn latin1_len(bytes: &[u8]) -> usize {
    bytes.len() + bytes.iter().filter(|byte| !byte.is_ascii()).count()
}

/// The beginning of a text, for messages.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Fails where there is no memory for as many bytes, and for some more.
pub(crate) fn expect_memory(bytes: usize) -> io::Result<()> {
    const SOME: usize = 1 << 20;
    let probe = Vec::<u8>::new().try_reserve_exact(bytes.saturating_add(SOME));
    probe.map_err(|_| io::Error::other(Failure::allocation(bytes).to_string()))
}
