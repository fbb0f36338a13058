//! Errors as exceptions: `fedbits.Error`, and `fedbits.ScenarioError` with the place of every problem.

use fedbits::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;

pub(crate) use self::named::DomainError as OutsideDomain;
pub(crate) use self::named::Error as FedbitsError;

/// Pickling finds an exception by the name of its type, which is that of its package, not another one of Rust's.
mod named {
    use pyo3::create_exception;
    use pyo3::exceptions::{PyRuntimeError, PyValueError};

    create_exception!(fedbits, Error, PyRuntimeError, "Why fedbits did not do something.");
    create_exception!(
        fedbits,
        DomainError,
        PyValueError,
        "A statistic is outside of the domain of T, or a parameter is none of the model's. It fails the run, unless a \
         method catches it."
    );
}

create_exception!(
    fedbits,
    ScenarioError,
    FedbitsError,
    "What is wrong with a scenario: `problems` has each with its place."
);

pub(crate) fn raised(py: Python<'_>, error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Problems { problems, .. } => {
            let rows = problems.problems().iter().map(|problem| {
                (&problem.source, problem.line, problem.column, &problem.message, &problem.expected, &problem.help)
            });
            let rows: Vec<_> = rows.collect();
            let exception = ScenarioError::new_err(text);
            match exception.value(py).setattr("_rows", rows) {
                Ok(()) => exception,
                Err(failed) => failed,
            }
        }
        Error::File { .. } => PyOSError::new_err(text),
        Error::Stopped => PyKeyboardInterrupt::new_err(()),
        _ => FedbitsError::new_err(text),
    }
}
