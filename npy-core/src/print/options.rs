//! Print options, as in `np.printoptions`.

/// Options for printing arrays: NumPy's `printoptions`, with the same defaults.
///
/// As in NumPy, they do not apply to arrays without axes, which are printed as scalars.
///
/// ```
/// use npy_core::DynValues;
/// use npy_core::print::{FloatMode, PrintOptions, Sign};
///
/// let values = DynValues::from_slice(&[1.0 / 3.0, 1e-10, f64::NAN])?;
/// assert_eq!(values.to_string(), "[3.33333333e-01 1.00000000e-10            nan]");
/// let print = |options: &PrintOptions| values.display_with(options).to_string();
///
/// let options = PrintOptions::new().precision(3).suppress_small(true);
/// assert_eq!(print(&options), "[0.333 0.      nan]");
/// assert_eq!(print(&options.clone().nan("-")), "[0.333 0.        -]");
/// assert_eq!(print(&options.clone().sign(Sign::Always)), "[+0.333 +0.      +nan]");
/// assert_eq!(print(&options.clone().float_mode(FloatMode::Fixed)), "[0.333 0.000   nan]");
///
/// let values = DynValues::from_slice(&Vec::from_iter(0..100_i32))?;
/// let options = PrintOptions::new().threshold(50).edge_items(2);
/// assert_eq!(values.display_with(&options).to_string(), "[ 0  1 ... 98 99]");
/// let options = PrintOptions::new().threshold(50).line_width(12);
/// assert_eq!(values.display_with(&options).to_string(), "[ 0  1  2\n ... 97 98\n 99]");
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrintOptions {
    pub(super) precision: i32,
    pub(crate) threshold: usize,
    pub(super) edge_items: usize,
    pub(crate) line_width: usize,
    pub(super) suppress_small: bool,
    pub(super) float_mode: FloatMode,
    pub(super) sign: Sign,
    pub(super) nan: String,
    pub(super) infinity: String,
}

/// The meaning of [`PrintOptions::precision`] for floating-point numbers (`floatmode`).
///
/// See [`PrintOptions`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FloatMode {
    /// Exactly `precision` digits after the decimal point, trailing zeros included (`fixed`).
    Fixed,
    /// The shortest digits that round-trip, whatever the precision (`unique`).
    Unique,
    /// At most `precision` digits, fewer where fewer are unique (`maxprec`).
    #[default]
    AtMost,
    /// At most `precision` digits, the same number for all elements (`maxprec_equal`).
    EqualAtMost,
}

/// The sign of non-negative numbers (`sign`).
///
/// See [`PrintOptions`] for an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sign {
    /// Nothing (`-`).
    #[default]
    Negative,
    /// A plus sign (`+`).
    Always,
    /// A blank (` `).
    Blank,
}

/// The most digits after the point. The smallest long double has 16,445.
const MOST_DIGITS: i32 = 16_500;

impl PrintOptions {
    /// Returns NumPy's defaults.
    pub fn new() -> Self {
        Self {
            precision: 8,
            threshold: 1000,
            edge_items: 3,
            line_width: 75,
            suppress_small: false,
            float_mode: FloatMode::default(),
            sign: Sign::default(),
            nan: "nan".to_owned(),
            infinity: "inf".to_owned(),
        }
    }

    /// Sets the digits of floating-point numbers after the decimal point.
    /// [`float_mode`](Self::float_mode) says whether they are exact or a maximum. The default is 8,
    /// the maximum 16,500.
    #[must_use]
    pub fn precision(mut self, digits: usize) -> Self {
        self.precision = i32::try_from(digits).unwrap_or(MOST_DIGITS).min(MOST_DIGITS);
        self
    }

    /// Sets the number of elements above which arrays are summarised. Only the first and last of
    /// each axis are printed then. The default is 1000; `usize::MAX` prints everything.
    #[must_use]
    pub fn threshold(mut self, elements: usize) -> Self {
        self.threshold = elements;
        self
    }

    /// Sets how many elements of a summarised array are printed at each end of an axis. The default
    /// is 3; 0 counts as 1.
    #[must_use]
    pub fn edge_items(mut self, count: usize) -> Self {
        self.edge_items = count.max(1);
        self
    }

    /// Returns for each axis of an array the number of elements printed at each end; `None` if all are.
    ///
    /// See [`DynValues::display_edges`](crate::DynValues::display_edges) for an example.
    pub fn edges(&self, shape: &[usize]) -> Vec<Option<usize>> {
        let count = shape.iter().fold(1_usize, |count, &length| count.saturating_mul(length));
        let edge = self.edge(count);
        shape.iter().map(|&length| edge.filter(|edge| length > edge.saturating_mul(2))).collect()
    }

    /// The number of elements printed at each end of a long axis; `None` if an array of `count` elements is not
    /// summarised.
    pub(crate) fn edge(&self, count: usize) -> Option<usize> {
        (count > self.threshold).then_some(self.edge_items)
    }

    /// Sets the maximum length of a line in characters. A line with a single element may be longer.
    /// The default is 75.
    #[must_use]
    pub fn line_width(mut self, characters: usize) -> Self {
        self.line_width = characters;
        self
    }

    /// Sets whether numbers too small for the [`precision`](Self::precision) are printed as zero
    /// (`suppress`). Otherwise the whole array is printed with exponents, which is the default.
    #[must_use]
    pub fn suppress_small(mut self, suppress: bool) -> Self {
        self.suppress_small = suppress;
        self
    }

    /// Sets the meaning of the [`precision`](Self::precision). The default is
    /// [`FloatMode::AtMost`].
    #[must_use]
    pub fn float_mode(mut self, mode: FloatMode) -> Self {
        self.float_mode = mode;
        self
    }

    /// Sets the sign of non-negative numbers. The default is none.
    #[must_use]
    pub fn sign(mut self, sign: Sign) -> Self {
        self.sign = sign;
        self
    }

    /// Sets the text for "not a number" (`nanstr`). The default is `nan`.
    #[must_use]
    pub fn nan(mut self, text: impl Into<String>) -> Self {
        self.nan = text.into();
        self
    }

    /// Sets the text for infinity, without its sign (`infstr`). The default is `inf`.
    #[must_use]
    pub fn infinity(mut self, text: impl Into<String>) -> Self {
        self.infinity = text.into();
        self
    }
}

impl From<&Self> for PrintOptions {
    fn from(options: &Self) -> Self {
        options.clone()
    }
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self::new()
    }
}
