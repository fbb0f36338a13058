//! Panics of parts. A part may be a user's, and one that panics is to end its own run and nothing else.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What was said by what panicked.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the program panicked: {0}; a bug of fedbits, or of a part of your own")]
pub struct Panicked(String);

/// Does `work`; a panic in it is an error. What `work` changed may then be half done: callers drop it, or read of it
/// only what no panic can break.
///
/// # Errors
/// [`Panicked`].
///
/// ```
/// let told = fedbits_spec::caught(|| panic!("my client fell over")).unwrap_err().to_string();
/// assert!(told.starts_with("the program panicked: my client fell over; "));
/// assert_eq!(fedbits_spec::caught(|| 7), Ok(7));
/// ```
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Panicked(said(&*payload)))
}

/// `panic!` leaves a text; a value of another type (`panic_any`) says nothing.
fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("without a message").to_owned()
}
