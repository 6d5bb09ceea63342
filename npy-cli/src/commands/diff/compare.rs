//! Two arrays, element by element, in bounded memory and whatever their orders.

use std::sync::mpsc::{Receiver, sync_channel};

use npy_core::dtype::Scalar;
use npy_core::{DType, DynValues, Header, Order};

use super::differences::{Comparison, Field};
use super::judge::{Judge, Tolerance, Verdict, are_equal};
use super::objects;
use crate::failure::{Failure, Result};
use crate::input::pieces;
use crate::input::{Array, Input, object_options};
use crate::objects::plain;
use crate::threads;
use crate::values::fields::{self, Leaf};
use crate::values::quantity::{unraveled, unraveled_in};

/// The plan for comparing a field.
#[derive(Debug)]
struct Pair {
    leaves: [Leaf; 2],
    judge: Judge,
}

/// Arrays of at most this many bytes are read one after the other, which takes less than starting a thread.
const FEW_BYTES: u64 = 1 << 16;

/// Compares a member of each.
pub(super) fn compare(inputs: &mut [Input; 2], indices: [usize; 2], names: &[String], tolerance: Tolerance) -> Result<Comparison> {
    let [a, b] = inputs;
    let [a_index, b_index] = indices;
    let headers = [a.header(a_index)?, b.header(b_index)?];
    if headers.iter().all(|header| header.dtype().has_object()) {
        return compare_objects([a, b], indices, names, tolerance);
    }
    if headers.iter().any(|header| header.dtype().has_object() || header.data_bytes() > FEW_BYTES) {
        return compare_beside([a, b], indices, names, tolerance);
    }
    a.with_member(a_index, |mut array| {
        compare_with(&mut *array, &headers[1], names, tolerance, |order| {
            let mut bytes = Vec::new();
            b.with_member(b_index, |mut array| {
                pieces::for_each(&mut *array, order, &mut |values| {
                    bytes.extend_from_slice(values.bytes());
                    Ok(())
                })
            })?;
            Ok((bytes, None))
        })
    })
}

/// Compares two arrays, each of which is read by a thread of its own.
fn compare_beside([a, b]: [&mut Input; 2], indices: [usize; 2], names: &[String], tolerance: Tolerance) -> Result<Comparison> {
    let (send_header, receive_header) = sync_channel::<Header>(1);
    let (send_order, receive_order) = sync_channel::<Order>(1);
    // Without a queue, so that no more than two pieces of the second array are in memory.
    let (send, receive) = sync_channel::<DynValues>(0);
    let other = move || {
        b.with_member(indices[1], |array| {
            let mut array = plain(array)?;
            // A receiver that is gone needs nothing any more: the other side ended, perhaps by a failure.
            if send_header.send(array.header().clone()).is_err() {
                return Ok(());
            }
            let Ok(order) = receive_order.recv() else { return Ok(()) };
            let done = pieces::for_each(&mut *array, order, &mut |values| send.send(values).map_err(|_| Failure::BrokenPipe));
            if matches!(done, Err(Failure::BrokenPipe)) { Ok(()) } else { done }
        })
    };
    let own = || {
        a.with_member(indices[0], |array| {
            let mut array = plain(array)?;
            let Ok(header) = receive_header.recv() else { return Ok(None) };
            // The other side waits until this is called or dropped.
            let begin = move |order| {
                let _ = send_order.send(order);
                Ok((Vec::new(), Some(receive)))
            };
            compare_with(&mut *array, &header, names, tolerance, begin).map(Some)
        })
    };
    match threads::beside(other, own)? {
        // The reason why the other side ended first.
        (_, Err(failure)) if !matches!(failure, Failure::BrokenPipe) => Err(failure),
        (own, _) => own?.ok_or_else(|| Failure::new("the second array was not read")),
    }
}

/// The bytes of the second array that were read, and where more come from.
type Others = (Vec<u8>, Option<Receiver<DynValues>>);

/// Compares an array with one of this header, whose elements `begin` reads in an order if they are needed.
fn compare_with(
    array: &mut dyn Array,
    header: &Header,
    names: &[String],
    tolerance: Tolerance,
    begin: impl FnOnce(Order) -> Result<Others>,
) -> Result<Comparison> {
    let (mut comparison, pairs) = prepare(array.header(), header, names)?;
    let has_bytes = |(field, pair): (&Field, &Pair)| field.values > 0 && pair.leaves[0].scalar.itemsize() > 0;
    if comparison.fields.iter().zip(&pairs).any(has_bytes) {
        let order = if header.order() == array.header().order() { header.order() } else { Order::C };
        let (rest, receive) = begin(order)?;
        let itemsizes = [array.header(), header].map(|header| header.dtype().itemsize());
        let mut walk = Walk { itemsizes, order, shape: header.shape().to_vec(), position: 0, rest, receive, tolerance };
        pieces::for_each(array, order, &mut |values| walk.add(values.bytes(), comparison.fields.iter_mut().zip(&pairs)))?;
    }
    Ok(comparison)
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
        // A dtype without bytes has no values to compare with the others.
        let is_alike = (a.dtype().itemsize() == 0) == (b.dtype().itemsize() == 0);
        let Some(judge) = Judge::new(leaf.scalar, other.scalar).filter(|_| is_alike) else {
            let field = if leaf.path.is_empty() { String::new() } else { format!("the field {:?}: ", leaf.path) };
            comparison.problems.push(format!("{field}{} and {} cannot be compared", leaf.scalar, other.scalar));
            continue;
        };
        comparison.fields.push(Field::new(leaf.path.clone(), count.saturating_mul(leaf.per_element() as u64)));
        pairs.push(Pair { leaves: [leaf, other], judge });
    }
    let names = fields::rejoined(names, |name| b.dtype().field(name).is_some());
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
    itemsizes: [usize; 2],
    order: Order,
    shape: Vec<usize>,
    /// Elements that were compared.
    position: u64,
    /// Bytes of the second array that were received ahead of the first.
    rest: Vec<u8>,
    receive: Option<Receiver<DynValues>>,
    tolerance: Tolerance,
}

impl Walk {
    /// Compares elements of the first array with the next of the second.
    fn add<'f>(&mut self, elements: &[u8], fields: impl Iterator<Item = (&'f mut Field, &'f Pair)>) -> Result<()> {
        let [size, other_size] = self.itemsizes.map(|size| size.max(1));
        let count = elements.len() / size;
        let needed = count.saturating_mul(self.itemsizes[1]);
        while self.rest.len() < needed {
            let Some(Ok(values)) = self.receive.as_ref().map(Receiver::recv) else { return Err(Failure::BrokenPipe) };
            if self.rest.is_empty() {
                self.rest = values.into_bytes();
                continue;
            }
            let more = values.bytes().len();
            self.rest.try_reserve(more).map_err(|_| Failure::allocation(more))?;
            self.rest.extend_from_slice(values.bytes());
        }
        let others = self.rest.get(..needed).unwrap_or_default();
        let block = (BLOCK_BYTES / size.max(other_size)).max(1);
        for (field, pair) in fields {
            let is_same = pair.leaves[0] == pair.leaves[1];
            let skips = is_same && pair.judge.is_reflexive(self.tolerance);
            // Nothing but numbers of one dtype.
            let is_plain = is_same && pair.leaves[0].scalar.itemsize() == size;
            let blocks = elements.chunks(block * size).zip(others.chunks(block * other_size));
            for (number, (x, y)) in blocks.enumerate() {
                let is_equal = skips && x == y || is_plain && are_equal(pair.leaves[0].scalar, x, y, self.tolerance);
                if !is_equal {
                    self.compare((field, pair), number * block, x, y);
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

    fn compare(&self, (field, pair): (&mut Field, &Pair), begin: usize, elements: &[u8], others: &[u8]) {
        let Pair { leaves: [one, other], judge } = pair;
        let scalars = (one.scalar, other.scalar);
        let mut judge = |element: usize, inner: usize, values: [&[u8]; 2]| {
            let verdict = judge.judge(scalars, (values[0], values[1]), self.tolerance);
            if verdict != Verdict::Equal {
                self.note((field, &pair.leaves), verdict, (begin + element, inner), values);
            }
        };
        // The usual case, without lists.
        let is_single = pair.leaves.iter().all(|leaf| leaf.per_element() == 1 && leaf.axes.is_empty());
        let [size, other_size] = self.itemsizes.map(|size| size.max(1));
        for (element, (x, y)) in elements.chunks_exact(size).zip(others.chunks_exact(other_size)).enumerate() {
            if is_single {
                judge(element, 0, [one.only(x), other.only(y)]);
                continue;
            }
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            one.for_each_run(x, |run| ours.extend(run.chunks_exact(one.scalar.itemsize().max(1))));
            other.for_each_run(y, |run| theirs.extend(run.chunks_exact(other.scalar.itemsize().max(1))));
            for (inner, (a, b)) in ours.into_iter().zip(theirs).enumerate() {
                judge(element, inner, [a, b]);
            }
        }
    }

    /// Notes a difference.
    fn note(
        &self,
        (field, leaves): (&mut Field, &[Leaf; 2]),
        verdict: Verdict,
        (element, inner): (usize, usize),
        values: [&[u8]; 2],
    ) {
        let mut index = unraveled_in(self.order, self.position + element as u64, &self.shape);
        index.extend(unraveled(inner as u64, &leaves[0].axes));
        let axes = [&self.shape[..], &leaves[0].axes].concat();
        let position = index.iter().zip(&axes).fold(0_u64, |position, (index, length)| position * *length as u64 + *index as u64);
        let text = |which: usize| value_text(leaves[which].scalar, values[which]);
        field.add(verdict, position, index, || [text(0), text(1)]);
    }
}

/// A value as NumPy prints it.
fn value_text(scalar: Scalar, bytes: &[u8]) -> String {
    match DynValues::new(DType::Scalar(scalar), Order::C, &[], bytes.to_vec()) {
        Ok(values) => values.to_string(),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}
