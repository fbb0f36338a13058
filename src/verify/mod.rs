//! Is what was recorded what its scenarios give?

pub(crate) mod record;
pub(crate) mod study;

pub use record::{Agreement, Verification, verify};
pub use study::{StudyVerification, verify_study};
