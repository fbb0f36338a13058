//! Every type that a scenario or a study can hold, as it describes itself.

use fedbits_scenarios::schema::{Scenario, Study};
use fedbits_spec::Described;
use fedbits_spec::describe::{Body, Field, Named, Types};

/// The types in the order in which a reader of a file meets them, each once.
pub fn types() -> Vec<Named> {
    let mut queue = Types::new();
    Study::types(&mut queue);
    Scenario::types(&mut queue);
    let mut done: Vec<Named> = Vec::new();
    while let Some(describe) = queue.pop() {
        let named = describe();
        if done.iter().any(|other| other.name == named.name) {
            continue;
        }
        queue.extend(fields(&named).iter().flat_map(|field| &field.types).rev());
        done.push(named);
    }
    done
}

/// The fields of a type, of a choice those of all its variants.
pub fn fields(named: &Named) -> Vec<&Field> {
    match &named.body {
        Body::Unit => Vec::new(),
        Body::Items(fields) | Body::Fields(fields) => fields.iter().collect(),
        Body::Choices(choices) => choices.iter().flat_map(fields).collect(),
    }
}
