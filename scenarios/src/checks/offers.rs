//! Whether what a scenario offers is in it.

use fedbits_spec::Finding;
use fedbits_text::Tree;

use crate::schema::Scenario;
use crate::words;

/// Offered paths that no scenario has. What another choice of a setting would have is not offered, and is no mistake.
pub(crate) fn offered(scenario: &Scenario) -> Vec<Finding> {
    if scenario.offer.is_empty() {
        return Vec::new();
    }
    let tree = Tree::scan(fedbits_text::write(scenario));
    let is_lost = |path: &str| tree.root().at(path).is_none() && words::described(path).is_none();
    let lost = scenario.offer.iter().enumerate().filter(|(_, path)| is_lost(path));
    let error = |(number, path): (usize, &String)| {
        let expected = "expected the path of a field of a scenario, as for `--set`: `network.client_up`";
        Finding::error(format!("offer[{number}]"), format!("`{path}` is not a field of a scenario"), expected)
    };
    lost.map(error).collect()
}
