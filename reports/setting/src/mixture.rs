//! Mixtures of normal distributions, drawn.

use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// The mixture that each arm fitted, in the units of the data, with the true one where the data were drawn from it.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Mixture {
    /// What is drawn; default `Ellipses`.
    #[serde(default)]
    pub view: MixtureView,
    /// Columns of the data: two for ellipses, any number of marginal densities; default the first two.
    #[serde(default)]
    pub columns: Vec<String>,
}

/// What is drawn of a mixture.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum MixtureView {
    /// The mean of each component and its ellipses of one and two standard deviations over two columns, a panel per
    /// arm; and, if θ was recorded, the paths of the means.
    #[default]
    Ellipses,
    /// The densities of single columns, a panel each and a line per arm.
    Marginals,
}

fn rules(mixture: &Mixture, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let count = mixture.columns.len();
    if mixture.view == MixtureView::Ellipses && count > 0 && count != 2 {
        findings.error(
            at.field("columns"),
            format!("the number of columns is {count}"),
            "expected two for ellipses, or none",
        );
    }
    for index in (1..count).filter(|&index| mixture.columns[..index].contains(&mixture.columns[index])) {
        findings.error(at.field("columns").index(index), "this column stands twice", "expected each once");
    }
}
