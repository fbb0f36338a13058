//! Observations as models see them.

use std::ops::Range;

/// What is to be predicted of each observation, where data have that.
#[derive(Clone, Copy, Debug, Default)]
pub enum Response<'a> {
    /// Nothing.
    #[default]
    None,
    /// A zero-based class.
    Classes(&'a [u32]),
    /// A number.
    Numbers(&'a [f64]),
}

impl<'a> Response<'a> {
    /// The response of observation `j`, a class as a number.
    pub fn at(self, j: usize) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Classes(classes) => Some(f64::from(classes[j])),
            Self::Numbers(numbers) => Some(numbers[j]),
        }
    }

    fn range(self, range: Range<usize>) -> Self {
        match self {
            Self::None => Self::None,
            Self::Classes(classes) => Self::Classes(&classes[range]),
            Self::Numbers(numbers) => Self::Numbers(&numbers[range]),
        }
    }
}

/// Examples: observations of d numbers each, with a response where there is one.
///
/// ```
/// use fedbits_models::{Examples, Response};
///
/// let examples = Examples::new(&[0.5, 1.0, 2.0, 3.0], 2).with_response(Response::Classes(&[0, 1]));
/// assert_eq!((examples.len(), examples.row(1), examples.response().at(1)), (2, &[2.0, 3.0][..], Some(1.0)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Examples<'a> {
    rows: &'a [f64],
    dimension: usize,
    response: Response<'a>,
}

impl<'a> Examples<'a> {
    /// Observations of `dimension` numbers each, one after the other, without response.
    #[inline]
    pub fn new(rows: &'a [f64], dimension: usize) -> Self {
        Self { rows, dimension, response: Response::None }
    }

    /// These observations with a response each.
    #[must_use]
    pub fn with_response(self, response: Response<'a>) -> Self {
        Self { response, ..self }
    }

    /// Number of observations.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len() / self.dimension
    }

    /// True without observations.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// d, numbers per observation.
    #[inline]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All numbers, row-major.
    #[inline]
    pub fn rows(&self) -> &'a [f64] {
        self.rows
    }

    /// The d numbers of observation `j`.
    #[inline]
    pub fn row(&self, j: usize) -> &'a [f64] {
        &self.rows[j * self.dimension..][..self.dimension]
    }

    /// What is to be predicted.
    #[inline]
    pub fn response(&self) -> Response<'a> {
        self.response
    }

    /// These of the observations.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Self {
        let rows = &self.rows[range.start * self.dimension..range.end * self.dimension];
        Self { rows, dimension: self.dimension, response: self.response.range(range) }
    }

    /// Parts of `count` observations, in order; the last may have fewer.
    pub fn chunks(self, count: usize) -> impl Iterator<Item = Self> {
        let all = self.len();
        (0..all).step_by(count).map(move |start| self.range(start..all.min(start + count)))
    }
}

/// Which observations an E-step visits. Indices may repeat (sampling with replacement).
#[derive(Clone, Copy, Debug)]
pub enum Batch<'a> {
    /// Every observation once, in order.
    All,
    /// These observations, in this order.
    Indices(&'a [u32]),
}

impl Batch<'_> {
    /// The indices of the visited ones among `count` observations.
    pub fn indices(self, count: usize) -> impl ExactSizeIterator<Item = usize> {
        let length = if let Self::Indices(indices) = self { indices.len() } else { count };
        (0..length).map(move |at| if let Self::Indices(indices) = self { indices[at] as usize } else { at })
    }
}
