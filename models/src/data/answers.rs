//! What is to be predicted of the examples of a data set.

use crate::Response;

/// [`Response`] with what it holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answers {
    None,
    Classes(Vec<u32>),
    Numbers(Vec<f64>),
}

impl Answers {
    pub(super) fn of(labels: Option<Vec<u32>>) -> Self {
        labels.map_or(Self::None, Self::Classes)
    }

    pub(super) fn response(&self) -> Response<'_> {
        match self {
            Self::None => Response::None,
            Self::Classes(classes) => Response::Classes(classes),
            Self::Numbers(numbers) => Response::Numbers(numbers),
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Classes(classes) => size_of_val(&classes[..]),
            Self::Numbers(numbers) => size_of_val(&numbers[..]),
        }
    }

    /// Those of these examples.
    pub(super) fn select(&self, indices: &[u32]) -> Self {
        match self {
            Self::None => Self::None,
            Self::Classes(classes) => Self::Classes(picked(classes, indices)),
            Self::Numbers(numbers) => Self::Numbers(picked(numbers, indices)),
        }
    }

    /// Adds those of further examples; false where they are of another kind.
    pub(super) fn append(&mut self, answers: &Self) -> bool {
        match (self, answers) {
            (Self::None, Self::None) => {}
            (Self::Classes(classes), Self::Classes(further)) => classes.extend_from_slice(further),
            (Self::Numbers(numbers), Self::Numbers(further)) => numbers.extend_from_slice(further),
            _ => return false,
        }
        true
    }
}

/// The values with these indices.
pub(super) fn picked<T: Copy>(values: &[T], indices: &[u32]) -> Vec<T> {
    indices.iter().map(|&index| values[index as usize]).collect()
}
