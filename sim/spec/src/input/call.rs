//! A function that is called back once.

use serde::de::Error as _;

use super::error::InputError;

/// A function of serde's types that is called back once, and what it returned.
pub(super) struct Call<V, R> {
    visitor: Option<V>,
    value: Option<R>,
}

impl<V, R> Call<V, R> {
    pub(super) fn new(visitor: V) -> Self {
        Self { visitor: Some(visitor), value: None }
    }

    pub(super) fn run(&mut self, visit: impl FnOnce(V) -> Result<R, InputError>) -> Result<(), InputError> {
        let visitor = self.visitor.take().ok_or_else(|| InputError::custom("a value is read twice"))?;
        self.value = Some(visit(visitor)?);
        Ok(())
    }

    pub(super) fn end(self) -> Result<R, InputError> {
        self.value.ok_or_else(|| InputError::custom("no value is read"))
    }
}
