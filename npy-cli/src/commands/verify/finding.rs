//! The findings of a check.

use crate::escape;
use crate::failure::Failure;
use crate::values::quantity;

/// The state of a file or a member, and remarks on it.
pub(super) struct Finding {
    /// The name of the member, behind the names of the archives around it.
    pub(super) member: Option<String>,
    /// Of one of several arrays of an `.npy` file.
    pub(super) number: Option<usize>,
    pub(super) state: State,
    /// On intact things that may surprise.
    pub(super) remarks: Vec<String>,
}

impl Finding {
    /// Of an intact array.
    pub(super) fn good(remarks: Vec<String>) -> Self {
        Self { remarks, ..State::Good.into() }
    }

    pub(super) fn text(&self) -> String {
        let state = self.state.text();
        std::iter::once(state).chain(self.remarks.iter().cloned()).collect::<Vec<_>>().join(", ")
    }
}

/// Without remarks.
impl From<State> for Finding {
    fn from(state: State) -> Self {
        Self { member: None, number: None, state, remarks: Vec::new() }
    }
}

pub(super) enum State {
    Good,
    /// Good, with bytes after the array.
    Trailing(u64),
    Damaged(String),
    /// Nothing is known of it, because the system does not let it be read, or its pickle is beyond what is read here.
    Unread(String),
}

impl State {
    /// Adds the damage of a transfer in text mode, if it shows.
    pub(super) fn with_transfer(self, transfer: Option<&str>) -> Self {
        match (transfer, self) {
            (Some(transfer), Self::Damaged(message)) => Self::Damaged(format!("{message}; {transfer}")),
            (None, state) | (Some(_), state @ Self::Unread(_)) => state,
            (Some(transfer), _) => Self::Damaged(transfer.to_owned()),
        }
    }

    /// Damage, unless the system is the reason; without the name in front, which the line has already.
    pub(super) fn damaged(failure: &Failure, name: &str) -> Self {
        let message = failure.to_string();
        let name = format!("{}: ", escape::line(name));
        let message = message.strip_prefix(&name).unwrap_or(&message).to_owned();
        if matches!(failure, Failure::Unread(_)) { Self::Unread(message) } else { Self::Damaged(message) }
    }

    pub(super) fn is_bad(&self) -> bool {
        matches!(self, Self::Damaged(_) | Self::Unread(_))
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Good => "good".to_owned(),
            Self::Trailing(bytes) => format!("good, {}", quantity::counted(*bytes, "trailing byte")),
            Self::Damaged(message) | Self::Unread(message) => message.clone(),
        }
    }
}
