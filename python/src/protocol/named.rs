//! Arrays by name as states and messages hold them: their numbers one after the other, kept outside of Python. What a
//! method of Python is given is a copy, and so is what is kept of what it gives: no two states share an array.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{kind, numbers, shown};

/// Names and shapes of arrays, in the order in which their numbers stand. A single array without a name has an empty
/// one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shapes(Vec<(String, Vec<usize>)>);

/// Arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NamedArrays {
    pub(crate) shapes: Shapes,
    pub(crate) numbers: Vec<f64>,
}

/// May a method change the arrays that it is given?
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Access {
    Write,
    Read,
}

fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

impl Shapes {
    /// Numbers of all arrays.
    pub(crate) fn length(&self) -> usize {
        self.0.iter().map(|(_, shape)| count(shape)).sum()
    }

    /// As a message says them.
    fn told(&self) -> String {
        match &self.0[..] {
            [(name, shape)] if name.is_empty() => format!("an array of shape {}", shown(shape)),
            arrays => {
                let told: Vec<String> =
                    arrays.iter().map(|(name, shape)| format!("`{name}` of shape {}", shown(shape))).collect();
                format!("a dict with {}", if told.is_empty() { "nothing".to_owned() } else { told.join(", ") })
            }
        }
    }

    /// A value and where it stands, the number at `at` of all, for messages.
    fn place(&self, mut at: usize, value: f64) -> String {
        for (name, shape) in &self.0 {
            if at < count(shape) {
                let mut index = Vec::new();
                for size in shape.iter().rev() {
                    index.insert(0, (at % size).to_string());
                    at /= size;
                }
                let of = if name.is_empty() { String::new() } else { format!("`{name}`") };
                let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
                return format!("{value} at {of}{index}");
            }
            at -= count(shape);
        }
        String::new()
    }

    /// These arrays with the numbers at the beginning of `numbers`. With `rows` there are so many of each, one behind
    /// the other in `numbers`, and each array has that in front of its shape.
    pub(crate) fn unpack<'py>(
        &self,
        py: Python<'py>,
        numbers: &[f64],
        rows: Option<usize>,
        access: Access,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (length, arrays) = (self.length(), PyDict::new(py));
        let mut begin = 0;
        for (name, shape) in &self.0 {
            let width = count(shape);
            let array = match rows {
                None => PyArray1::from_slice(py, &numbers[begin..begin + width]),
                Some(rows) => {
                    let values = (0..rows).flat_map(|row| &numbers[row * length + begin..][..width]);
                    PyArray1::from_iter(py, values.copied())
                }
            };
            begin += width;
            let shape: Vec<usize> = rows.into_iter().chain(shape.iter().copied()).collect();
            let array = array.reshape(shape)?;
            if access == Access::Read {
                array.try_readwrite()?.make_nonwriteable();
            }
            if name.is_empty() {
                return Ok(array.into_any());
            }
            arrays.set_item(name, array)?;
        }
        Ok(arrays.into_any())
    }

    /// Writes what a method gave, in this form: with `rows` in front of each shape, so many rows.
    pub(crate) fn read_as(
        &self,
        given: &Bound<'_, PyAny>,
        what: &str,
        rows: Option<usize>,
        out: &mut [f64],
    ) -> PyResult<()> {
        let length = self.length();
        let mut begin = 0;
        let dict = given.cast::<PyDict>().ok();
        let is_one = matches!(&self.0[..], [(name, _)] if name.is_empty());
        if is_one == dict.is_some() || dict.is_some_and(|dict| dict.len() != self.0.len()) {
            return Err(self.unlike(given, what, rows));
        }
        for (name, shape) in &self.0 {
            let (width, expected) =
                (count(shape), rows.into_iter().chain(shape.iter().copied()).collect::<Vec<usize>>());
            let entry = match dict {
                None => Some(given.clone()),
                Some(dict) => dict.get_item(name)?,
            };
            let entry = entry.ok_or_else(|| self.unlike(given, what, rows))?;
            let array = numbers(&entry, &named(what, name))?;
            if array.shape() != expected {
                return Err(self.unlike(given, what, rows));
            }
            let values = array.as_slice()?;
            for row in 0..rows.unwrap_or(1) {
                out[row * length + begin..][..width].copy_from_slice(&values[row * width..][..width]);
            }
            begin += width;
        }
        Ok(())
    }

    /// Of another form than before.
    fn unlike(&self, given: &Bound<'_, PyAny>, what: &str, rows: Option<usize>) -> PyErr {
        let found = match NamedArrays::read(given, what) {
            Ok(found) => found.shapes.told(),
            Err(error) => return error,
        };
        let with = |(name, shape): &(String, Vec<usize>)| {
            (name.clone(), rows.into_iter().chain(shape.iter().copied()).collect())
        };
        let expected = Self(self.0.iter().map(with).collect()).told();
        let each = if rows.is_some() { ", a row per client" } else { "" };
        PyValueError::new_err(format!("{what} gave {found}: expected {expected}{each}"))
    }

    /// The first number that is none, with its place.
    pub(crate) fn not_finite(&self, numbers: &[f64]) -> Option<String> {
        let at = numbers.iter().position(|number| !number.is_finite())?;
        Some(self.place(at % self.length(), numbers[at]))
    }
}

/// An array of a dict, as messages name it.
fn named(what: &str, name: &str) -> String {
    if name.is_empty() { what.to_owned() } else { format!("{what}, as `{name}`,") }
}

impl NamedArrays {
    /// What `what` gave: an array, or a dict of arrays.
    pub(crate) fn read(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if let Ok(dict) = given.cast::<PyDict>() {
            return Self::read_dict(dict, what);
        }
        let mut packed = Self::default();
        packed.push(String::new(), given, what)?;
        Ok(packed)
    }

    /// The arrays of a dict.
    pub(crate) fn read_dict(dict: &Bound<'_, PyDict>, what: &str) -> PyResult<Self> {
        let mut packed = Self::default();
        for (name, value) in dict.iter() {
            let Some(name) = name.extract::<String>().ok().filter(|name| !name.is_empty()) else {
                let found = kind(&name);
                let message = format!("{what} gave a dict with {found} as a name: expected texts that are not empty");
                return Err(PyTypeError::new_err(message));
            };
            let of = named(what, &name);
            packed.push(name, &value, &of)?;
        }
        Ok(packed)
    }

    /// The form of what a client gives, where `what` gave a row of it for one client.
    pub(crate) fn read_rows(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Shapes> {
        let Shapes(mut shapes) = Self::read(given, what)?.shapes;
        for (name, shape) in &mut shapes {
            if shape.first() != Some(&1) {
                let expected = "expected 1 as the first number, a row for one client";
                let found = shown(shape);
                return Err(PyValueError::new_err(format!(
                    "{} gave an array of shape {found}: {expected}",
                    named(what, name)
                )));
            }
            shape.remove(0);
        }
        Ok(Shapes(shapes))
    }

    fn push(&mut self, name: String, value: &Bound<'_, PyAny>, what: &str) -> PyResult<()> {
        let array = numbers(value, what)?;
        self.numbers.extend_from_slice(array.as_slice()?);
        self.shapes.0.push((name, array.shape().to_vec()));
        Ok(())
    }

    /// Copies of these arrays.
    pub(crate) fn unpack<'py>(&self, py: Python<'py>, access: Access) -> PyResult<Bound<'py, PyAny>> {
        self.shapes.unpack(py, &self.numbers, None, access)
    }

    /// The numbers of the array of this name, and its shape.
    pub(crate) fn get(&self, name: &str) -> Option<(&[f64], &[usize])> {
        let mut begin = 0;
        for (known, shape) in &self.shapes.0 {
            if known == name {
                return Some((&self.numbers[begin..begin + count(shape)], shape));
            }
            begin += count(shape);
        }
        None
    }

    /// The first number that is none, with its place.
    pub(crate) fn not_finite(&self) -> Option<String> {
        self.shapes.not_finite(&self.numbers)
    }
}

/// An array that nobody may change.
pub(crate) fn fixed<'py>(py: Python<'py>, values: &[f64], shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let array = PyArray1::from_slice(py, values).reshape(shape.to_vec())?;
    array.try_readwrite()?.make_nonwriteable();
    Ok(array)
}
