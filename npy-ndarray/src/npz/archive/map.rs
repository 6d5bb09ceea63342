//! Maps from names to arrays: all members except those of other fields.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::io::{Read, Seek, Write};

use npy_core::Result;

use super::read::{Pending, ReadPlan};
use super::structs::NpzArchive;
use super::value::NpzValue;
use super::write::MemberWriter;

/// Plans to read all members that belong to no field yet.
fn plan_all<V: NpzValue, R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Vec<(String, Pending<V>)> {
    let rest: Vec<_> = plan.unclaimed().collect();
    let options = plan.options();
    let named = |index| (plan.name_of(index).to_owned(), plan.member_at(index, move |reader| V::from_npy_with(reader, options)));
    rest.into_iter().map(named).collect()
}

fn collect<V, M: FromIterator<(String, V)>>(members: Vec<(String, Pending<V>)>) -> Result<M> {
    members.into_iter().map(|(name, value)| Ok((name, value()?))).collect()
}

/// In the order of the names.
impl<V: NpzValue> NpzArchive for BTreeMap<String, V> {
    fn plan_read<R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        let members = plan_all(plan);
        Box::new(|| collect(members))
    }

    fn write_members<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        self.iter().try_for_each(|(name, value)| archive.value(name, value))
    }
}

/// Written in the order of the names, so that the same map gives the same file.
impl<V: NpzValue, H: BuildHasher + Default + 'static> NpzArchive for HashMap<String, V, H> {
    fn plan_read<R: Read + Seek>(plan: &mut ReadPlan<'_, R>) -> Pending<Self> {
        let members = plan_all(plan);
        Box::new(|| collect(members))
    }

    fn write_members<W: Write>(&self, archive: &mut MemberWriter<'_, W>) -> Result<()> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_by_key(|(name, _)| *name);
        members.into_iter().try_for_each(|(name, value)| archive.value(name, value))
    }
}
