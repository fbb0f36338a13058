//! The signal that ends the work of this process.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

static NUMBER: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Where the number of an arriving signal is written.
pub(crate) fn flag() -> Arc<AtomicUsize> {
    Arc::clone(&NUMBER)
}

/// The number of the signal that arrived; 0 before.
pub(crate) fn number() -> u8 {
    NUMBER.load(Ordering::Relaxed) as u8
}
