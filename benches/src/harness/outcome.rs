//! A measured case.

use crate::harness::series::{Quantity, Role, Series};
use crate::harness::target::{Target, Verdict};

/// A case that ran in one place.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    /// The file system, or `memory`.
    pub(crate) place: String,
    pub(crate) rounds: usize,
    pub(crate) quantity: Quantity,
    /// What a time is for, if not for the whole: a file, a call.
    pub(crate) unit: Option<String>,
    pub(crate) contenders: Vec<Series>,
    pub(crate) targets: Vec<Target>,
}

impl Outcome {
    /// The contender of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&Series> {
        self.contenders.iter().find(|contender| contender.name == name)
    }

    /// The contenders of a role.
    pub(crate) fn with_role(&self, role: Role) -> impl Iterator<Item = &Series> {
        self.contenders.iter().filter(move |contender| contender.role == role)
    }

    /// The targets of one contender.
    pub(crate) fn targets_of<'a>(&'a self, contender: &'a str) -> impl Iterator<Item = &'a Target> {
        self.targets.iter().filter(move |target| target.contender == contender)
    }

    /// How many targets have this verdict.
    pub(crate) fn count(&self, verdict: Verdict) -> usize {
        self.targets.iter().filter(|target| target.judge(&self.contenders) == verdict).count()
    }
}
