//! Reading: finds all members, reads them, by several threads if asked, and builds the struct.

use std::collections::HashSet;
use std::io::{Read, Seek};
use std::marker::PhantomData;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use npy_core::error::first_names;
use npy_core::npz::no_member;
use npy_core::{Error, ErrorKind, NpyReader, ReadOptions, Result, npz};

/// Builds the field once all members are read.
pub type Pending<T> = Box<dyn FnOnce() -> Result<T>>;

/// The size of a member from which on it is worth a thread.
const WORTH_A_THREAD: u64 = 4 << 20;

/// The members to be read, and those that belong to no field.
pub struct ReadPlan<'a, R> {
    index: &'a npz::Index,
    /// The prefix of the names of members.
    prefix: String,
    /// Those that belong to a field.
    claimed: HashSet<usize>,
    /// The names of missing members.
    missing: Vec<String>,
    /// The names of members without a field, if they are not allowed.
    unknown: Vec<String>,
    jobs: Vec<Job<'a, R>>,
    options: ReadOptions,
    /// The reader outlives the jobs.
    reader: PhantomData<&'a R>,
}

/// A member to be read.
pub(super) struct Job<'a, R> {
    index: usize,
    read: ReadMember<'a, R>,
}

type ReadMember<'a, R> = Box<dyn FnOnce(&mut npz::NpzReader<R>) -> Result<()> + Send + 'a>;

/// Reads an archive, whose members `plan` names and `run` reads.
pub(super) fn read<A, R: Read + Seek>(
    mut archive: npz::NpzReader<R>,
    options: ReadOptions,
    plan: impl FnOnce(&mut ReadPlan<'_, R>) -> Pending<A>,
    run: impl FnOnce(&mut npz::NpzReader<R>, Vec<Job<'_, R>>) -> Result<()>,
) -> Result<A> {
    let index = archive.index();
    let mut members = ReadPlan::new(&index, options);
    let pending = plan(&mut members);
    let jobs = members.into_jobs()?;
    run(&mut archive, jobs)?;
    pending()
}

/// The indices of the members that `plan` names.
pub(super) fn members_of<A, R: Read + Seek>(
    archive: &npz::NpzReader<R>,
    plan: impl FnOnce(&mut ReadPlan<'_, R>) -> Pending<A>,
) -> Result<Vec<usize>> {
    let index = archive.index();
    let mut members = ReadPlan::new(&index, ReadOptions::new());
    drop(plan(&mut members));
    Ok(members.into_jobs()?.iter().map(|job| job.index).collect())
}

impl<'a, R: Read + Seek> ReadPlan<'a, R> {
    fn new(index: &'a npz::Index, options: ReadOptions) -> Self {
        let (missing, unknown) = Default::default();
        Self {
            index,
            prefix: String::new(),
            claimed: HashSet::new(),
            missing,
            unknown,
            jobs: Vec::new(),
            options,
            reader: PhantomData,
        }
    }

    /// The options for members.
    pub(super) fn options(&self) -> ReadOptions {
        self.options
    }

    /// Refuses members that belong to no field planned so far.
    pub fn deny_unknown(&mut self) {
        let unknown = self.unclaimed().map(|index| self.index.name(index).unwrap_or_default().to_owned());
        let unknown: Vec<_> = unknown.collect();
        self.unknown.extend(unknown);
    }

    /// Whether a member has that name.
    pub(super) fn has_member(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a member's name continues that name with `/`.
    pub(super) fn has_members_in(&self, name: &str) -> bool {
        let prefix = format!("{}{name}/", self.prefix);
        self.index.has_prefix(&prefix)
    }

    /// Plans what `plan` does with the members whose names continue that name with `/`.
    pub(super) fn nested<T>(&mut self, name: &str, plan: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.prefix.len();
        self.prefix.push_str(name);
        self.prefix.push('/');
        let result = plan(self);
        self.prefix.truncate(length);
        result
    }

    /// Plans to read the member of that name.
    pub(super) fn member<T: Send + 'static>(
        &mut self,
        name: &str,
        read: impl FnOnce(NpyReader<npz::Member<'_, R>>) -> Result<T> + Send + 'a,
    ) -> Pending<T> {
        match self.find(name) {
            Some(index) => self.member_at(index, read),
            None => {
                self.missing.push(format!("{}{name}", self.prefix));
                // Not called: a missing member is reported before.
                Box::new(|| Err(Error::wrong_count(1, 0)))
            }
        }
    }

    /// Plans to read the member at an index.
    pub(super) fn member_at<T: Send + 'static>(
        &mut self,
        index: usize,
        read: impl FnOnce(NpyReader<npz::Member<'_, R>>) -> Result<T> + Send + 'a,
    ) -> Pending<T> {
        self.claimed.insert(index);
        let slot = Arc::new(Mutex::new(None));
        let filled = Arc::clone(&slot);
        let read = move |archive: &mut npz::NpzReader<R>| {
            let value = archive.array(index).and_then(read).map_err(|error| archive.locate(error, index))?;
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            Ok(())
        };
        self.jobs.push(Job { index, read: Box::new(read) });
        Box::new(move || {
            let value = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            // All jobs were done, or there would be an error.
            value.ok_or_else(|| Error::wrong_count(1, 0))
        })
    }

    /// The members whose names begin with the prefix and that belong to no field yet; of several of
    /// one name the last.
    pub(super) fn unclaimed(&self) -> impl Iterator<Item = usize> {
        let is_unclaimed = |(index, name): &(usize, &str)| {
            let whole = self.index.full_name(*index).unwrap_or_default();
            // Directories are not members, and of several of one name the last counts.
            let is_member = !whole.ends_with('/') && self.index.by_full_name(whole) == Some(*index);
            is_member && name.starts_with(&self.prefix) && !self.claimed.contains(index)
        };
        self.index.names().enumerate().filter(is_unclaimed).map(|(index, _)| index)
    }

    /// The name of a member without the prefix.
    pub(super) fn name_of(&self, index: usize) -> &str {
        let name = self.index.name(index).unwrap_or_default();
        name.strip_prefix(&self.prefix).unwrap_or(name)
    }

    fn find(&self, name: &str) -> Option<usize> {
        let name = format!("{}{name}", self.prefix);
        // As it would be written comes first: NumPy would take a member `x` for the array `x`
        // rather than `x.npy`.
        self.index.by_full_name(&format!("{name}.npy")).or_else(|| self.index.by_full_name(&name))
    }

    /// The members to read, if all exist.
    fn into_jobs(self) -> Result<Vec<Job<'a, R>>> {
        if !self.missing.is_empty() {
            return Err(no_member(&self.missing, self.index.names()));
        }
        if !self.unknown.is_empty() {
            let found = first_names(&self.unknown);
            return Err(Error::new(ErrorKind::Mismatch, format!("unknown members: expected those of the struct, found {found}")));
        }
        Ok(self.jobs)
    }
}

/// Reads the members one after another.
pub(super) fn run<R: Read + Seek>(archive: &mut npz::NpzReader<R>, jobs: Vec<Job<'_, R>>) -> Result<()> {
    jobs.into_iter().try_for_each(|job| (job.read)(archive))
}

/// Reads members concurrently, the slowest first.
pub(super) fn run_on_threads<R>(archive: &mut npz::NpzReader<R>, jobs: Vec<Job<'_, R>>, threads: usize) -> Result<()>
where
    R: Read + Seek + Clone + Send,
{
    // If there are fewer members, several threads read one.
    archive.set_threads(threads / jobs.len().max(1));
    let size = |job: &Job<'_, R>| archive.size(job.index).unwrap_or_default();
    // More than a few for each processor only take memory.
    let threads = threads.min(jobs.len()).min(thread::available_parallelism().map_or(1, NonZero::get).saturating_mul(4));
    if threads < 2 || jobs.iter().map(size).fold(0, u64::saturating_add) < WORTH_A_THREAD {
        return run(archive, jobs);
    }
    let mut queue: Vec<_> = jobs.into_iter().enumerate().collect();
    // What is hard to compress takes longer than its size says.
    let cost =
        |job: &Job<'_, R>| size(job).saturating_add(archive.compressed_size(job.index).unwrap_or_default().saturating_mul(2));
    queue.sort_by_key(|(_, job)| std::cmp::Reverse(cost(job)));
    let queue: Vec<_> = queue.into_iter().map(|job| Mutex::new(Some(job))).collect();
    let next = AtomicUsize::new(0);
    // Of several errors the one that a single thread would have met first.
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let work = |mut archive: npz::NpzReader<R>| {
        while let Some(slot) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some((place, job)) = slot.lock().unwrap_or_else(PoisonError::into_inner).take() else { continue };
            if first.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|(earlier, _)| *earlier < place) {
                continue;
            }
            if let Err(error) = (job.read)(&mut archive) {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(earlier, _)| place < *earlier) {
                    *first = Some((place, error));
                }
            }
        }
    };
    thread::scope(|scope| {
        let mut others = Vec::new();
        for _ in 1..threads {
            let (archive, work) = (archive.clone(), &work);
            // If the system gives no thread, this one does its work.
            others.extend(thread::Builder::new().name("npz".to_owned()).spawn_scoped(scope, move || work(archive)));
        }
        work(archive.clone());
        for other in others {
            // The caller's own `Read` or conversion may panic: the panic is passed on to the
            // caller.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
