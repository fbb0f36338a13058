//! Whether what a scenario offers is in it.

use fedbits_spec::Finding;
use fedbits_text::Tree;

use crate::schema::Scenario;

/// Offered paths that lead nowhere.
pub(crate) fn offered(scenario: &Scenario) -> Vec<Finding> {
    if scenario.offer.is_empty() {
        return Vec::new();
    }
    let tree = Tree::scan(fedbits_text::write(scenario));
    let lost = scenario.offer.iter().enumerate().filter(|(_, path)| tree.root().at(path).is_none());
    let error = |(number, path): (usize, &String)| {
        let expected = "expected the path of a field that the scenario has, as for `--set`: `network.client_up`";
        Finding::error(format!("offer[{number}]"), format!("`{path}` is not in the scenario"), expected)
    };
    lost.map(error).collect()
}
