//! Two arrays, element by element, in bounded memory and whatever their orders.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use npy_core::dtype::Scalar;
use npy_core::{DType, DynValues, Header, Order};

use super::differences::{Comparison, Field, First, raise};
use super::judge::{Judge, Tolerance, Verdict, are_equal};
use super::objects;
use crate::failure::{Failure, Result};
use crate::input::pieces;
use crate::input::{Input, object_options};
use crate::objects::plain;
use crate::values::fields::{self, Leaf};
use crate::values::quantity::{unraveled, unraveled_in};

/// How the values of a field are found and compared.
#[derive(Debug)]
struct Pair {
    leaves: [Leaf; 2],
    judge: Judge,
}

/// Compares a member of each. Each is read by a thread of its own.
pub(super) fn compare(inputs: &mut [Input; 2], indices: [usize; 2], names: &[String], tolerance: Tolerance) -> Result<Comparison> {
    let [a, b] = inputs;
    let [a_index, b_index] = indices;
    if a.header(a_index)?.dtype().has_object() && b.header(b_index)?.dtype().has_object() {
        return compare_objects([a, b], indices, names, tolerance);
    }
    let (send_header, receive_header) = sync_channel::<Header>(1);
    let (send_order, receive_order) = sync_channel::<Order>(1);
    // What is sent is received at once, so that no more than two pieces of the second array are in memory.
    let (send, receive) = sync_channel::<DynValues>(0);
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, move || {
            b.with_member(b_index, |array| {
                let mut array = plain(array)?;
                // A receiver that is gone needs nothing any more: the other side ended, perhaps by a failure.
                if send_header.send(array.header().clone()).is_err() {
                    return Ok(());
                }
                let Ok(order) = receive_order.recv() else { return Ok(()) };
                stream(&mut |sink| pieces::for_each(&mut *array, order, sink), &send)
            })
        });
        let other = other.map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        let own = a.with_member(a_index, |array| {
            let mut array = plain(array)?;
            let Ok(header) = receive_header.recv() else { return Ok(None) };
            let (mut comparison, pairs) = prepare(array.header(), &header, names)?;
            let has_bytes = |(field, pair): (&Field, &Pair)| field.values > 0 && pair.leaves[0].scalar.itemsize() > 0;
            let needs_values = comparison.fields.iter().zip(&pairs).any(has_bytes);
            let order = if header.order() == array.header().order() { header.order() } else { Order::C };
            if needs_values && send_order.send(order).is_ok() {
                let mut walk = Walk { order, shape: header.shape().to_vec(), position: 0, rest: Vec::new(), receive, tolerance };
                let (itemsize, other_itemsize) = (array.header().dtype().itemsize(), header.dtype().itemsize());
                pieces::for_each(&mut *array, order, &mut |values| {
                    walk.add(values.bytes(), itemsize, other_itemsize, comparison.fields.iter_mut().zip(&pairs))
                })?;
            }
            drop(send_order);
            Ok(Some(comparison))
        });
        let other = other.join().unwrap_or_else(|_| Err(Failure::new("a thread failed")));
        match (own, other) {
            // The reason why the other side ended first.
            (_, Err(failure)) if !matches!(failure, Failure::BrokenPipe) => Err(failure),
            (own, _) => own?.ok_or_else(|| Failure::new("the second array was not read")),
        }
    })
}

type Reading<'a> = &'a mut dyn FnMut(pieces::Sink<'_>) -> Result<()>;

/// Sends what is read until nobody receives it.
fn stream(read: Reading<'_>, send: &SyncSender<DynValues>) -> Result<()> {
    let result = read(&mut |values| send.send(values).map_err(|_| Failure::BrokenPipe));
    match result {
        Err(Failure::BrokenPipe) => Ok(()),
        other => other,
    }
}

/// Compares two arrays of Python objects.
fn compare_objects(inputs: [&mut Input; 2], indices: [usize; 2], names: &[String], tolerance: Tolerance) -> Result<Comparison> {
    let read = |input: &mut Input, index: usize| {
        input.with_member(index, |array| Ok((array.header().clone(), array.into_objects(object_options())?)))
    };
    let [a, b] = inputs;
    let ((a_header, a), (b_header, b)) = (read(a, indices[0])?, read(b, indices[1])?);
    let mut comparison = Comparison { headers: [a_header, b_header], problems: Vec::new(), fields: Vec::new() };
    if a.shape() == b.shape() {
        objects::compare(&mut comparison, [&a, &b], names, tolerance)?;
    } else {
        comparison.problems.push("the shapes are different".to_owned());
    }
    Ok(comparison)
}

/// Compares the headers, and finds the fields to compare.
fn prepare(a: &Header, b: &Header, names: &[String]) -> Result<(Comparison, Vec<Pair>)> {
    let mut comparison = Comparison { headers: [a.clone(), b.clone()], problems: Vec::new(), fields: Vec::new() };
    let mut pairs = Vec::new();
    if a.shape() != b.shape() {
        comparison.problems.push("the shapes are different".to_owned());
        return Ok((comparison, pairs));
    }
    let a_leaves = fields::select(a.dtype(), names)?;
    let mut b_leaves = fields::leaves(b.dtype());
    let count = a.element_count() as u64;
    for leaf in a_leaves {
        let Some(found) = b_leaves.iter().position(|other| other.names == leaf.names) else {
            comparison.problems.push(format!("the field {:?} is missing in the second", leaf.path));
            continue;
        };
        let other = b_leaves.remove(found);
        if leaf.axes != other.axes {
            comparison.problems.push(format!("the field {:?} has sub-arrays of different shapes", leaf.path));
            continue;
        }
        // Without bytes there are no values to read beside those of the other array.
        let is_alike = (a.dtype().itemsize() == 0) == (b.dtype().itemsize() == 0);
        let Some(judge) = Judge::new(leaf.scalar, other.scalar).filter(|_| is_alike) else {
            let field = if leaf.path.is_empty() { String::new() } else { format!("the field {:?}: ", leaf.path) };
            comparison.problems.push(format!("{field}{} and {} cannot be compared", leaf.scalar, other.scalar));
            continue;
        };
        comparison.fields.push(Field::new(leaf.path.clone(), count.saturating_mul(leaf.per_element() as u64)));
        pairs.push(Pair { leaves: [leaf, other], judge });
    }
    let known: Vec<String> = names.iter().filter(|name| b.dtype().field(name).is_some()).cloned().collect();
    let selected = if names.len() == known.len() || !known.is_empty() { fields::select(b.dtype(), &known)? } else { Vec::new() };
    for leaf in b_leaves.iter().filter(|leaf| selected.contains(leaf)) {
        comparison.problems.push(format!("the field {:?} is missing in the first", leaf.path));
    }
    Ok((comparison, pairs))
}

/// Blocks of equal bytes are skipped where equal bytes are equal values.
const BLOCK_BYTES: usize = 1 << 12;

/// Where the comparison is.
struct Walk {
    order: Order,
    shape: Vec<usize>,
    /// Elements that were compared.
    position: u64,
    /// Bytes of the second array that were received before those of the first.
    rest: Vec<u8>,
    receive: Receiver<DynValues>,
    tolerance: Tolerance,
}

impl Walk {
    /// Compares elements of the first array with the next of the second.
    fn add<'f>(
        &mut self,
        elements: &[u8],
        itemsize: usize,
        other_itemsize: usize,
        fields: impl Iterator<Item = (&'f mut Field, &'f Pair)>,
    ) -> Result<()> {
        let count = elements.len() / itemsize.max(1);
        let needed = count.saturating_mul(other_itemsize);
        while self.rest.len() < needed {
            let Ok(values) = self.receive.recv() else { return Err(Failure::BrokenPipe) };
            if self.rest.is_empty() {
                self.rest = values.into_bytes();
                continue;
            }
            let more = values.bytes().len();
            self.rest.try_reserve(more).map_err(|_| Failure::allocation(more))?;
            self.rest.extend_from_slice(values.bytes());
        }
        let others = self.rest.get(..needed).unwrap_or_default();
        let is_same_size = itemsize == other_itemsize;
        for (field, pair) in fields {
            let skips = is_same_size && pair.leaves[0] == pair.leaves[1] && pair.judge.is_reflexive(self.tolerance);
            // Nothing but numbers of one dtype.
            let is_plain = is_same_size && pair.leaves[0] == pair.leaves[1] && pair.leaves[0].scalar.itemsize() == itemsize;
            let block = (BLOCK_BYTES / itemsize.max(other_itemsize).max(1)).max(1);
            let blocks = elements.chunks((block * itemsize).max(1)).zip(others.chunks((block * other_itemsize).max(1)));
            for (number, (x, y)) in blocks.enumerate() {
                let is_equal = skips && x == y || is_plain && are_equal(pair.leaves[0].scalar, x, y, self.tolerance);
                if !is_equal {
                    self.compare((field, pair), number * block, (x, itemsize), (y, other_itemsize));
                }
            }
        }
        self.position += count as u64;
        if self.rest.len() == needed {
            self.rest = Vec::new();
        } else {
            self.rest.drain(..needed);
        }
        Ok(())
    }

    fn compare(
        &self,
        (field, pair): (&mut Field, &Pair),
        begin: usize,
        (elements, itemsize): (&[u8], usize),
        (others, other_itemsize): (&[u8], usize),
    ) {
        if itemsize == 0 || other_itemsize == 0 {
            return;
        }
        let Pair { leaves, judge } = pair;
        let scalars = [leaves[0].scalar, leaves[1].scalar];
        let sizes = scalars.map(Scalar::itemsize);
        // The usual case, without lists.
        let is_single = leaves.iter().all(|leaf| leaf.per_element() == 1 && leaf.axes.is_empty());
        for (element, (x, y)) in elements.chunks_exact(itemsize).zip(others.chunks_exact(other_itemsize)).enumerate() {
            if is_single {
                let (a, b) = (leaves[0].only(x), leaves[1].only(y));
                let verdict = judge.judge((scalars[0], scalars[1]), (a, b), self.tolerance);
                if verdict != Verdict::Equal {
                    self.note((field, leaves), verdict, begin + element, 0, [a, b]);
                }
                continue;
            }
            let mut ours = Vec::new();
            leaves[0].for_each_run(x, itemsize, |run| ours.extend_from_slice(run));
            let mut theirs = Vec::new();
            leaves[1].for_each_run(y, other_itemsize, |run| theirs.extend_from_slice(run));
            let values = ours.chunks_exact(sizes[0].max(1)).zip(theirs.chunks_exact(sizes[1].max(1)));
            for (inner, (a, b)) in values.enumerate() {
                let verdict = judge.judge((scalars[0], scalars[1]), (a, b), self.tolerance);
                if verdict != Verdict::Equal {
                    self.note((field, leaves), verdict, begin + element, inner, [a, b]);
                }
            }
        }
    }

    /// Notes a difference.
    fn note(&self, (field, leaves): (&mut Field, &[Leaf; 2]), verdict: Verdict, element: usize, inner: usize, values: [&[u8]; 2]) {
        field.different += 1;
        field.both_nan += u64::from(verdict == Verdict::BothNan);
        let mut index = unraveled_in(self.order, self.position + element as u64, &self.shape);
        index.extend(unraveled(inner as u64, &leaves[0].axes));
        let axes = [&self.shape[..], &leaves[0].axes].concat();
        let position = index.iter().zip(&axes).fold(0_u64, |position, (index, length)| position * *length as u64 + *index as u64);
        if field.first.as_ref().is_none_or(|first| position < first.position) {
            let text = |which: usize| value_text(leaves[which].scalar, values[which]);
            field.first = Some(First { position, index: index.clone(), values: [text(0), text(1)] });
        }
        if let Verdict::Different(absolute, relative) = verdict {
            raise(&mut field.absolute, absolute, position, &index);
            raise(&mut field.relative, relative, position, &index);
        }
    }
}

/// A value as NumPy prints it.
fn value_text(scalar: Scalar, bytes: &[u8]) -> String {
    match DynValues::new(DType::Scalar(scalar), Order::C, &[], bytes.to_vec()) {
        Ok(values) => values.to_string(),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}
