//! Processes that tests begin and end.

use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Stdio};

/// A process that ends with its test, also where an assertion fails: an endless one would run on beside all others.
pub struct Running(pub Child);

impl Running {
    /// Begins a command of which nobody hears.
    pub fn quietly(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing is left to do where it has ended by itself.
        drop(self.0.kill().and_then(|()| self.0.wait()));
    }
}
