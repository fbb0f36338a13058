//! Which texts are studies, and not scenarios.

use fedbits_text::Tree;

/// Whether a text is meant as a study: it has no data of its own, and says what is varied or how often. A scenario that
/// names a base says neither.
#[must_use]
pub fn is_study(text: &str) -> bool {
    let tree = Tree::scan(text);
    let has = |name: &str| tree.root().field(name).is_some();
    let own = ["axes", "replicates", "set", "exclude", "baseline", "targets", "budget", "search"];
    !has("data") && own.into_iter().any(has)
}
