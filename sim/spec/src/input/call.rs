//! What is used once.

use serde::de::Error as _;

use super::error::InputError;

/// A value that is taken once.
pub(super) struct Once<T>(Option<T>);

impl<T> Once<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Some(value))
    }

    pub(super) fn take(&mut self) -> Result<T, InputError> {
        self.0.take().ok_or_else(|| InputError::custom("a value is read twice"))
    }
}

/// A visitor or seed of serde's that is called back once, and what it returned.
pub(super) struct Call<V, R> {
    visitor: Once<V>,
    value: Option<R>,
}

impl<V, R> Call<V, R> {
    pub(super) fn new(visitor: V) -> Self {
        Self { visitor: Once::new(visitor), value: None }
    }

    pub(super) fn run(&mut self, visit: impl FnOnce(V) -> Result<R, InputError>) -> Result<(), InputError> {
        self.value = Some(visit(self.visitor.take()?)?);
        Ok(())
    }

    pub(super) fn end(self) -> Result<R, InputError> {
        self.value.ok_or_else(|| InputError::custom("no value is read"))
    }
}
