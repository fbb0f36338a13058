//! What methods of Python give as arrays: of numbers, of the shape that is asked for.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A method as messages name it: `Class.method`.
pub(crate) fn full_name(object: &Bound<'_, PyAny>, method: &str) -> String {
    let class = object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    format!("`{class}.{method}`")
}

/// What `method` gave, as NumPy has numbers: rows one after the other.
pub(crate) fn numbers<'py>(given: &Bound<'py, PyAny>, method: &str) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let py = given.py();
    // Most are arrays of NumPy as they should be, and looking longer takes as long as a small method.
    if let Ok(array) = given.cast_exact::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
        && let Ok(array) = array.try_readonly()
    {
        return Ok(array);
    }
    let convert = || {
        let (numpy, order) = (py.import("numpy")?, PyDict::new(py));
        order.set_item("order", "C")?;
        refuse_lossy(&numpy, given)?;
        numpy.getattr("asarray")?.call((given, "float64"), Some(&order))?.extract()
    };
    // NumPy makes NaN of None.
    let array: PyResult<_> =
        if given.is_none() { Err(PyTypeError::new_err("None is not a number")) } else { convert() };
    array.map_err(|error| {
        PyTypeError::new_err(format!(
            "{method} gave {}: expected an array of numbers ({})",
            kind(given),
            error.value(py)
        ))
    })
}

/// Refuses what NumPy would make numbers of and lose something in silence: masks, what is imaginary, units of times;
/// and texts, which only look like numbers.
fn refuse_lossy<'py>(numpy: &Bound<'py, PyModule>, given: &Bound<'py, PyAny>) -> PyResult<()> {
    let masks = numpy.getattr("ma")?;
    if given.is_instance(&masks.getattr("MaskedArray")?)? && masks.call_method1("is_masked", (given,))?.is_truthy()? {
        return Err(PyTypeError::new_err("it has masked values"));
    }
    let dtype = |of: &Bound<'py, PyAny>| numpy.call_method1("asarray", (of,))?.getattr("dtype");
    let mut dtypes = vec![dtype(given)?];
    if kind_of(&dtypes[0])? == 'O' {
        // Of an array of objects, those of what it holds.
        let flat = numpy.call_method1("ravel", (given,))?;
        dtypes = flat.try_iter()?.map(|item| dtype(&item?)).collect::<PyResult<_>>()?;
    }
    for dtype in dtypes {
        let what = match kind_of(&dtype)? {
            'c' => "complex numbers",
            'm' | 'M' => "times",
            'S' | 'T' | 'U' => "texts",
            _ => continue,
        };
        return Err(PyTypeError::new_err(format!("it has {what}, {dtype}")));
    }
    Ok(())
}

/// The letter by which NumPy knows the kind of a type.
fn kind_of(dtype: &Bound<'_, PyAny>) -> PyResult<char> {
    dtype.getattr("kind")?.extract()
}

/// A value as Python shows it.
pub(crate) fn shown_value(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| kind(value), |text| text.to_string())
}

/// What an object is, as messages say it.
pub(crate) fn kind(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "an object".to_owned(), |name| format!("an object of type `{name}`"))
}

/// The numbers of a vector: as many as are expected, for the reason in `of`, or any number of them.
pub(crate) fn vector(given: &Bound<'_, PyAny>, method: &str, expected: Option<(usize, &str)>) -> PyResult<Vec<f64>> {
    let array = numbers(given, method)?;
    let shape = array.shape();
    // A single number is a vector of one.
    let found = if shape.is_empty() { &[1] } else { shape };
    match (found, expected) {
        (&[length], Some((expected, _))) if length == expected => {}
        (&[length], None) if length > 0 => {}
        (_, Some((length, of))) => return Err(misshapen(method, shape, &format!("({length},){of}"))),
        (_, None) => return Err(misshapen(method, shape, "a vector, (p,)")),
    }
    Ok(array.as_slice()?.to_vec())
}

/// A shape as NumPy shows it.
pub(crate) fn shown(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({}{})", sizes.join(", "), if shape.len() == 1 { "," } else { "" })
}

/// The exception of an array of another shape.
pub(crate) fn misshapen(method: &str, shape: &[usize], expected: &str) -> PyErr {
    PyValueError::new_err(format!("{method} gave an array of shape {}: expected {expected}", shown(shape)))
}

pub(crate) fn not_finite(values: &[f64], shape: &[usize]) -> Option<String> {
    let index = values.iter().position(|value| !value.is_finite())?;
    let at = if let [_, width] = shape { format!("{}, {}", index / width, index % width) } else { index.to_string() };
    Some(format!("{} at [{at}]: expected finite numbers", values[index]))
}

pub(crate) fn finite_vector(
    given: &Bound<'_, PyAny>,
    method: &str,
    expected: Option<(usize, &str)>,
) -> PyResult<Vec<f64>> {
    let values = vector(given, method, expected)?;
    match not_finite(&values, &[values.len()]) {
        Some(text) => Err(PyValueError::new_err(format!("{method} gave {text}"))),
        None => Ok(values),
    }
}
