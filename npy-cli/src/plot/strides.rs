//! The indices of numbers that are read one after another.

use npy_core::Order;

/// For each axis the distance of neighbours among the numbers as they are read, and its length.
#[derive(Clone)]
pub(crate) struct Strides(Vec<(usize, usize)>);

impl Strides {
    /// The strides of `axes` in an order, and of `own`, the axes of sub-arrays, in C order.
    pub(super) fn new(axes: &[usize], order: Order, own: &[usize]) -> Self {
        let mut stride = 1_usize;
        let mut next = |length: &usize| {
            let found = (stride, *length);
            stride = stride.saturating_mul(*length);
            found
        };
        let mut inner: Vec<_> = own.iter().rev().map(&mut next).collect();
        let mut outer: Vec<_> = match order {
            Order::C => axes.iter().rev().map(&mut next).collect(),
            Order::Fortran => axes.iter().map(&mut next).collect(),
        };
        if order == Order::C {
            outer.reverse();
        }
        inner.reverse();
        Self(outer.into_iter().chain(inner).collect())
    }

    /// Without axes of length 1.
    pub(super) fn long(&self) -> Self {
        Self(self.0.iter().copied().filter(|(_, length)| *length != 1).collect())
    }

    pub(super) fn shape(&self) -> Vec<usize> {
        self.0.iter().map(|(_, length)| *length).collect()
    }

    /// Calls `each` with the neighbours along an axis, of at most two, among numbers that begin at a position, as
    /// [`Numbers::for_each_run`](super::numbers::Numbers::for_each_run) does.
    pub(super) fn for_each_run(&self, axis: usize, (first, numbers): (usize, &[f64]), each: &mut impl FnMut(usize, usize, &[f64])) {
        let (stride, length) = self.0.get(axis).copied().unwrap_or((1, 1));
        if stride == 1 {
            let mut place = 0;
            while place < numbers.len() {
                let (position, index) = (first + place, self.index(first + place, axis));
                let end = numbers.len().min(place + length - index);
                each(self.index(position, 1 - axis), index, &numbers[place..end]);
                place = end;
            }
            return;
        }
        // The other axis lies within.
        for place in 0..stride.min(numbers.len()) {
            let run: Vec<f64> = numbers.iter().skip(place).step_by(stride).copied().collect();
            each(self.index(first + place, 1 - axis), self.index(first + place, axis), &run);
        }
    }

    /// The index along an axis of the number at a position.
    pub(crate) fn index(&self, position: usize, axis: usize) -> usize {
        self.0.get(axis).map_or(0, |(stride, length)| position / stride % length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_indices_in_any_order() {
        let index = |order: Order, position: usize| {
            let strides = Strides::new(&[2, 1, 3], order, &[4]).long();
            [0, 1, 2, 3].map(|axis| strides.index(position, axis))
        };
        assert_eq!(index(Order::C, 12 + 2 * 4 + 3), [1, 2, 3, 0]);
        assert_eq!(index(Order::Fortran, 3 + 4 * (1 + 2 * 2)), [1, 2, 3, 0]);
    }

    #[test]
    fn runs_are_the_numbers_of_lines_in_their_order() {
        for (shape, order) in [(&[5, 3][..], Order::C), (&[5, 3], Order::Fortran), (&[15], Order::C), (&[], Order::C)] {
            let strides = Strides::new(shape, order, &[]).long();
            let all: Vec<f64> = (0..shape.iter().product()).map(|position: usize| position as f64).collect();
            for axis in 0..shape.len().max(1) {
                for piece in 1..=all.len() {
                    let mut found = vec![None; all.len()];
                    for (first, numbers) in (0..).step_by(piece).zip(all.chunks(piece)) {
                        strides.for_each_run(axis, (first, numbers), &mut |line, index, run: &[f64]| {
                            for (index, number) in (index..).zip(run) {
                                let position = (0..all.len())
                                    .find(|at| strides.index(*at, axis) == index && strides.index(*at, 1 - axis) == line);
                                assert_eq!(found[position.unwrap()].replace(*number), None);
                            }
                        });
                    }
                    assert_eq!(found, all.iter().copied().map(Some).collect::<Vec<_>>(), "{shape:?} {axis} {piece}");
                }
            }
        }
    }
}
