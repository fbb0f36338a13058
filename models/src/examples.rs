//! Observations as models see them.

use std::ops::Range;

use crate::rows::{Row, Rows};

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
/// They are dense unless the model says that it takes sparse ones
/// ([`ModelFacts::takes_sparse`](crate::ModelFacts::takes_sparse)).
///
/// ```
/// use fedbits_models::{Batch, Examples, Response};
///
/// let examples = Examples::new(&[0.5, 1.0, 0.0, 3.0], 2).with_response(Response::Classes(&[0, 1]));
/// assert_eq!((examples.len(), examples.row(1), examples.response().at(1)), (2, &[0.0, 3.0][..], Some(1.0)));
///
/// // The same without the zero.
/// let sparse = Examples::sparse(&[0, 2, 3], &[0, 1, 1], &[0.5, 1.0, 3.0], 2);
/// let half_gradient = |examples: Examples<'_>| {
///     let mut sum = [0.0; 2];
///     examples.add_products(Batch::All, &[1.0, 1.0], |_, product| product, &mut sum); // Aᵀ A x
///     sum
/// };
/// assert_eq!((half_gradient(examples), half_gradient(sparse)), ([0.75, 10.5], [0.75, 10.5]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Examples<'a> {
    rows: Rows<'a>,
    dimension: usize,
    response: Response<'a>,
}

impl<'a> Examples<'a> {
    /// Observations of `dimension` numbers each, one after the other, without response.
    #[inline]
    pub fn new(rows: &'a [f64], dimension: usize) -> Self {
        Self::stored(Rows::Dense(rows), dimension)
    }

    /// Sparse observations of `dimension` numbers each, without response: the fields of [`Rows::Sparse`].
    ///
    /// # Panics
    /// If `offsets` is empty, or `columns` and `values` differ in length.
    pub fn sparse(offsets: &'a [usize], columns: &'a [u32], values: &'a [f64], dimension: usize) -> Self {
        assert!(!offsets.is_empty(), "the offsets of N examples are N + 1");
        assert_eq!(columns.len(), values.len(), "columns and numbers of entries");
        Self::stored(Rows::Sparse { offsets, columns, values }, dimension)
    }

    #[inline]
    pub(crate) fn stored(rows: Rows<'a>, dimension: usize) -> Self {
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
        match self.rows {
            Rows::Dense(rows) => rows.len() / self.dimension,
            Rows::Sparse { offsets, .. } => offsets.len() - 1,
        }
    }

    /// True without observations.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// d, numbers per observation.
    #[inline]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The numbers as they are stored.
    #[inline]
    pub fn storage(&self) -> Rows<'a> {
        self.rows
    }

    /// All numbers, row-major.
    ///
    /// # Panics
    /// If the examples are sparse: only models that take such ones ever get them.
    #[inline]
    pub fn rows(&self) -> &'a [f64] {
        match self.rows {
            Rows::Dense(rows) => rows,
            Rows::Sparse { .. } => sparse(),
        }
    }

    /// The d numbers of observation `j`.
    ///
    /// # Panics
    /// If there is no such observation, or the examples are sparse.
    #[inline]
    pub fn row(&self, j: usize) -> &'a [f64] {
        &self.rows()[j * self.dimension..][..self.dimension]
    }

    /// The numbers of observation `j` as they are stored.
    ///
    /// # Panics
    /// If there is no such observation.
    #[inline]
    pub fn stored_row(&self, j: usize) -> Row<'a> {
        self.rows.row(j, self.dimension)
    }

    /// Adds c_j a_j to `out` for each visited observation j in order, with c_j = `factor(j, a_jᵀ x)`: a sum of
    /// gradients of losses of a_jᵀ x. `x` and `out` have d numbers, of which none of `out` may be −0.
    ///
    /// # Panics
    /// If an index of the batch is no observation.
    pub fn add_products(
        &self,
        batch: Batch<'_>,
        x: &[f64],
        mut factor: impl FnMut(usize, f64) -> f64,
        out: &mut [f64],
    ) {
        for j in batch.indices(self.len()) {
            let row = self.stored_row(j);
            row.add_scaled(factor(j, row.dot(x)), out);
        }
    }

    /// What is to be predicted.
    #[inline]
    pub fn response(&self) -> Response<'a> {
        self.response
    }

    /// These of the observations.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Self {
        let rows = match self.rows {
            Rows::Dense(rows) => Rows::Dense(&rows[range.start * self.dimension..range.end * self.dimension]),
            Rows::Sparse { offsets, columns, values } => {
                Rows::Sparse { offsets: &offsets[range.start..=range.end], columns, values }
            }
        };
        Self { rows, dimension: self.dimension, response: self.response.range(range) }
    }

    /// Parts of `count` observations, in order; the last may have fewer.
    pub fn chunks(self, count: usize) -> impl Iterator<Item = Self> {
        let all = self.len();
        (0..all).step_by(count).map(move |start| self.range(start..all.min(start + count)))
    }
}

#[cold]
fn sparse() -> ! {
    panic!("sparse examples for what needs all numbers: `ModelFacts::takes_sparse` says which models take them")
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
