//! Every type that a scenario can hold, as it describes itself.

use fedbits_scenarios::schema::Scenario;
use fedbits_spec::Described;
use fedbits_spec::describe::{Named, Types};
use fedbits_spec::reference::all;
pub use fedbits_spec::reference::fields;

/// The types in the order in which a reader of a file meets them, each once.
pub fn types() -> Vec<Named> {
    fedbits_scenarios::register_parts();
    let mut queue = Types::new();
    Scenario::types(&mut queue);
    all(queue)
}
