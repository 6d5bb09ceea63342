//! Errors of the pickle machine, before they have a file offset.

use crate::error::{Error, PickleProblem};

pub(crate) type Result<T, E = PickleError> = std::result::Result<T, E>;

/// What is wrong, and where.
#[derive(Debug)]
pub(crate) struct PickleError(Box<Inner>);

#[derive(Debug)]
enum Inner {
    /// At a byte of the pickle.
    At(usize, PickleProblem),
    /// In a node of the arena. Nodes do not know where they come from; that is found out when there
    /// is an error.
    InNode(u32, PickleProblem),
    /// Nothing that the pickle is to blame for.
    Other(Error),
}

/// Where a problem is.
pub(crate) enum Place {
    Offset(usize),
    Node(u32),
}

impl PickleError {
    #[cold]
    pub(crate) fn at(offset: usize, problem: PickleProblem) -> Self {
        Self(Box::new(Inner::At(offset, problem)))
    }

    #[cold]
    pub(crate) fn in_node(node: u32, problem: PickleProblem) -> Self {
        Self(Box::new(Inner::InNode(node, problem)))
    }

    /// The problem and its place, or an error that is complete.
    pub(crate) fn take(self) -> std::result::Result<(Place, PickleProblem), Error> {
        match *self.0 {
            Inner::At(offset, problem) => Ok((Place::Offset(offset), problem)),
            Inner::InNode(node, problem) => Ok((Place::Node(node), problem)),
            Inner::Other(error) => Err(error),
        }
    }
}

impl From<Error> for PickleError {
    #[cold]
    fn from(error: Error) -> Self {
        Self(Box::new(Inner::Other(error)))
    }
}
