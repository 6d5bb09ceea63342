//! Options for reading and writing objects.

use npy_core::Limits;

const MIB: u64 = 1 << 20;

/// Options for reading and writing objects: limits, and the size and number of requests.
///
/// ```
/// use npy_core::Limits;
/// use npy_remote::RemoteOptions;
///
/// // A store nearby, with an answer within a millisecond.
/// let options = RemoteOptions::new().gap(16 << 10).requests(4).limits(Limits::new().data_bytes(1 << 34));
/// assert_ne!(options, RemoteOptions::new());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct RemoteOptions {
    pub(crate) limits: Limits,
    pub(crate) request_bytes: u64,
    pub(crate) requests: usize,
    pub(crate) gap: u64,
}

impl RemoteOptions {
    /// Returns the defaults: [`Limits::new`], 8 requests of at most 8 MiB at a time, gaps of at most
    /// 256 KiB.
    pub const fn new() -> Self {
        // With 8 requests in flight, a request more takes as long as the transfer of some 256 KiB:
        // 30 ms / 8 at 70 MB/s.
        Self { limits: Limits::new(), request_bytes: 8 * MIB, requests: 8, gap: MIB / 4 }
    }

    /// Sets the limits for untrusted files.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the maximum number of bytes of a request, at least 64 KiB and at most 1 GiB.
    ///
    /// Other numbers are clamped, because every response is in memory. The parts of an upload have this
    /// size, and at least 5 MiB, because S3 refuses smaller ones.
    pub const fn request_bytes(mut self, bytes: u64) -> Self {
        const LEAST: u64 = 64 << 10;
        const MOST: u64 = 1 << 30;
        self.request_bytes = match bytes {
            ..LEAST => LEAST,
            LEAST..=MOST => bytes,
            _ => MOST,
        };
        self
    }

    /// Sets the maximum number of requests in flight for one call; 0 is 1.
    ///
    /// A call holds as many responses in memory.
    pub const fn requests(mut self, requests: usize) -> Self {
        self.requests = if requests == 0 { 1 } else { requests };
        self
    }

    /// Sets the longest gap between two ranges of bytes that is fetched and discarded, because a
    /// request costs more.
    pub const fn gap(mut self, bytes: u64) -> Self {
        self.gap = bytes;
        self
    }
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Limits> for RemoteOptions {
    fn from(limits: Limits) -> Self {
        Self::new().limits(limits)
    }
}
