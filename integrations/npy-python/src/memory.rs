//! The memory of Python objects as bytes: the only `unsafe` of this crate.
#![allow(unsafe_code)]

use std::io::{self, IoSlice, Write};
use std::ptr::NonNull;

use npy_core::atomic::Output;
use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::error::as_io;

/// Bytes copied at a time where the memory may change while it is read.
const COPIED_BYTES: usize = 256 << 10;

/// Contiguous memory of a Python object, which stays where it is while this value lives.
pub(crate) struct Memory {
    /// Keeps the memory: an exporter neither frees nor moves what is exported.
    buffer: PyBuffer<u8>,
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the pointer is used by one thread at a time, as `Memory` is not `Clone` and its methods take `&mut self`. The buffer is
// released by `PyBuffer`, which attaches to the interpreter for it.
unsafe impl Send for Memory {}

impl Memory {
    /// Borrows the bytes of an object, which must be contiguous.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::<u8>::get(object)?;
        let slice = buffer.as_slice_ptr().ok_or_else(|| pyo3::exceptions::PyBufferError::new_err("expected contiguous bytes"))?;
        Ok(Self { start: slice.cast(), length: slice.len(), buffer })
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Fills the memory of a new array, which no one else has seen.
    ///
    /// The caller has created the array, and passes it on only afterwards.
    pub(crate) fn fill<A>(&mut self, fill: impl FnOnce(&mut [u8]) -> A) -> A {
        assert!(!self.buffer.readonly(), "the memory of a new array is writable");
        // SAFETY: the buffer is that of an array that this crate has just created, so that nothing else reads or writes it, and it
        // stays exported while `self` lives. NumPy's memory is initialised as far as the allocator is: its bytes are only written.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) };
        fill(bytes)
    }

    /// Writes the memory, after `front`, by system calls alone, which read it once.
    ///
    /// Another thread may change the array meanwhile, as with NumPy: the file then has old and new elements.
    fn write_to(&mut self, front: &[u8], file: &mut Output) -> io::Result<()> {
        // SAFETY: the buffer stays exported while `self` lives. `Output` passes the slice to the kernel, which alone reads the bytes.
        let bytes = unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) };
        let count = file.write_vectored(&[IoSlice::new(front), IoSlice::new(bytes)])?;
        match front.get(count..) {
            Some(rest) => file.write_all(rest).and_then(|()| file.write_all(bytes)),
            None => file.write_all(&bytes[count - front.len()..]),
        }
    }

    /// Passes on copies of the memory in multiples of `unit` bytes. Each byte is read once, so that a checksum is that of the bytes written.
    fn copy_to(&mut self, unit: usize, pass: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let most = (COPIED_BYTES / unit).max(1) * unit;
        let mut copy = vec![0; most.min(self.length)];
        let mut done = 0;
        while done < self.length {
            let count = copy.len().min(self.length - done);
            // SAFETY: `done` is less than the length of the buffer.
            let from = unsafe { self.start.as_ptr().add(done) };
            // SAFETY: `count` bytes are left of the exported buffer, which is no part of the new vector.
            unsafe { std::ptr::copy_nonoverlapping(from, copy.as_mut_ptr(), count) };
            pass(&copy[..count])?;
            done += count;
        }
        Ok(())
    }
}

/// The memory of an array in parts, each of which Python makes when it is needed.
pub(crate) struct Parts(Py<PyIterator>);

impl Parts {
    /// Takes any iterable of contiguous memory.
    pub(crate) fn new(parts: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(parts.try_iter()?.unbind()))
    }

    fn next(&mut self) -> io::Result<Option<Memory>> {
        Python::attach(|py| self.0.bind(py).clone().next().transpose()?.map(|part| Memory::of(&part)).transpose()).map_err(as_io)
    }

    /// Writes a header and all parts to a file.
    pub(crate) fn write_file(&mut self, header: &[u8], file: &mut Output) -> io::Result<()> {
        let Some(mut first) = self.next()? else { return file.write_all(header) };
        file.reserve((header.len() + first.len()) as u64);
        first.write_to(header, file)?;
        while let Some(mut part) = self.next()? {
            part.write_to(&[], file)?;
        }
        Ok(())
    }

    /// Passes on copies of all parts, in multiples of `unit` bytes.
    pub(crate) fn copy_to(&mut self, unit: usize, mut pass: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        while let Some(mut part) = self.next()? {
            part.copy_to(unit.max(1), &mut pass)?;
        }
        Ok(())
    }
}

/// Puts objects into an array of objects in C order, whose memory holds a reference in each slot. Returns the objects if the array is another.
pub(crate) fn put_objects<'py>(array: &Bound<'py, PyAny>, objects: Vec<Bound<'py, PyAny>>) -> Result<(), Vec<Bound<'py, PyAny>>> {
    // Arrays without axes and of text have no buffer.
    let Ok(buffer) = PyUntypedBuffer::get(array) else { return Err(objects) };
    let is_plain = buffer.format() == c"O" && buffer.item_size() == size_of::<*mut PyObject>() && buffer.is_c_contiguous();
    if buffer.readonly() || !is_plain || buffer.item_count() != objects.len() {
        return Err(objects);
    }
    let slots = buffer.buf_ptr().cast::<*mut PyObject>();
    for (index, object) in objects.into_iter().enumerate() {
        // SAFETY: the contiguous buffer has as many slots as there are objects, and stays exported while `buffer` lives.
        let slot = unsafe { slots.add(index) };
        // SAFETY: a slot of the format `O` is a pointer that owns a reference, or is null. It owns that of `object` from here on.
        let before = unsafe { slot.replace(object.into_ptr()) };
        // SAFETY: the slot owned this reference, and gave it up.
        drop(unsafe { Bound::from_owned_ptr_or_opt(array.py(), before) });
    }
    Ok(())
}
