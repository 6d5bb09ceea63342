//! Bytes of a region in one buffer, for readers that need them all.

use std::io::Read;

use bytes::Bytes;
use futures_util::TryStreamExt;
use npy_core::{Error, Header, Result};

use crate::array::Array;
use crate::feed::Feed;
use crate::object::reserve;
use crate::requests::Ranges;

impl Array {
    /// Gathers the `ranges` of an array.
    pub(crate) async fn gather(&self, ranges: Ranges, header: &Header) -> Result<Bytes> {
        let (sender, mut feed) = Feed::new(ranges.clone());
        let mut chunks = std::pin::pin!(self.chunks(ranges, header.data_bytes())?);
        let mut all = Vec::new();
        while let Some((chunk, wanted)) = chunks.try_next().await? {
            let total = usize::try_from(header.data_bytes()).unwrap_or(usize::MAX);
            if chunk.bytes.len() == total && wanted == header.data_bytes() {
                return Ok(chunk.bytes);
            }
            if all.is_empty() {
                reserve(&mut all, total).map_err(|error| self.locate(error))?;
            }
            let _ = sender.send(chunk);
            (&mut feed).take(wanted).read_to_end(&mut all).map_err(|error| self.locate(Error::from(error)))?;
        }
        Ok(all.into())
    }

    /// Gathers the values of an array.
    #[cfg(feature = "dynamic")]
    pub(crate) async fn read_values(&self, ranges: Ranges, header: &Header) -> Result<npy_core::DynValues> {
        let bytes = self.gather(ranges, header).await?;
        let limits = self.object.options.limits.header_bytes(usize::MAX);
        let file = std::io::Cursor::new(header.to_bytes()).chain(&bytes[..]);
        npy_core::DynValues::read_with(file, limits).map_err(|error| self.locate(error))
    }
}
