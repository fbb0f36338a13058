//! Figures of clients, durations and fitted mixtures.

use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::curves::distinct;

/// The distribution of durations of rounds, transfers, computations or clients, a line per arm.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ecdf {
    /// The durations, a panel each; default everything that was measured except waiting.
    #[serde(default)]
    pub of: Vec<Timed>,
}

/// What takes time.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Timed {
    /// A round.
    Round,
    /// A transfer to a client.
    Download,
    /// A computation of a client.
    Computing,
    /// A transfer to the server.
    Upload,
    /// What a client waits for the end of a round after its contribution has arrived.
    Waiting,
    /// All that a client computes, sends and receives in a run.
    Client,
}

impl Timed {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Round, Self::Download, Self::Computing, Self::Upload, Self::Waiting, Self::Client];
}

/// Contributions, objective or accuracy of every client against its speed or the size of its data.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ParticipationFigure {
    /// Columns of `clients.csv`; default: contributions, and the client's objective and accuracy where these were
    /// measured.
    #[serde(default)]
    pub y: Vec<String>,
    /// The horizontal axis; default: that of the two in which clients differ.
    #[serde(default)]
    pub x: Vec<ClientAxis>,
}

/// In what clients differ.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ClientAxis {
    /// Seconds that the client computes, sends and receives per round for which it is selected.
    Seconds,
    /// The number of its examples.
    Examples,
}

/// The mixture that each arm fitted, in the units of the data, with the true one where the data were drawn from it.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = mixture_rules)]
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

fn mixture_rules(mixture: &Mixture, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let count = mixture.columns.len();
    if mixture.view == MixtureView::Ellipses && count > 0 && count != 2 {
        findings.error(
            at.field("columns"),
            format!("the number of columns is {count}"),
            "expected two for ellipses, or none",
        );
    }
    distinct(&mixture.columns, &at.field("columns"), "this column stands twice", findings);
}
