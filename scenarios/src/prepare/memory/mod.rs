//! How much memory a run takes, told before it is taken: an allocation that fails ends a program without a word.
//!
//! `estimate.rs` says what a run takes, `graph.rs` a part of it; `budget.rs` knows what there is, and shares it among
//! the runs that are run at a time. This room must not take the memory itself.

mod budget;
mod estimate;
mod graph;

pub use budget::{Budget, Reserved};
pub use estimate::Estimate;
pub(super) use estimate::{Sizes, of};
pub use fedbits_protocols::footprint::Part;

/// Bytes as people read them.
#[must_use]
pub fn shown(bytes: u64) -> String {
    let bytes = bytes as f64;
    let units = [("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1_024.0)];
    match units.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) if bytes / unit < 1e4 => format!("{:.1} {name}", bytes / unit),
        Some((name, unit)) => format!("{:.1e} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}
