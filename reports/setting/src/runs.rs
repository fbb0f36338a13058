//! Figures of clients, durations and fitted mixtures.

use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::curves::distinct;

/// Distribution of durations, one line per arm.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ecdf {
    /// Durations, a panel each; none: all measured but waiting.
    #[serde(default)]
    pub of: Vec<Timed>,
}

/// A measured duration.
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
    /// From a contribution's arrival to the round's end.
    Waiting,
    /// A client's computing, sending and receiving in a run.
    Client,
}

impl Timed {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Round, Self::Download, Self::Computing, Self::Upload, Self::Waiting, Self::Client];
}

/// Results of each client against its speed or data size.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ParticipationFigure {
    /// Columns of `clients.csv`; none: contributions, objective and accuracy.
    #[serde(default)]
    pub y: Vec<String>,
    /// Horizontal axis; none: the one in which clients differ.
    #[serde(default)]
    pub x: Vec<ClientAxis>,
}

/// Horizontal axis over clients.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ClientAxis {
    /// Seconds of computing, sending and receiving per selected round.
    Seconds,
    /// Examples of the client.
    Examples,
}

/// Fitted mixtures, and the true one if known, in data units.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = mixture_rules)]
pub struct Mixture {
    /// View of the mixture.
    #[serde(default)]
    pub view: MixtureView,
    /// Data columns, two for ellipses; none: the first two.
    #[serde(default)]
    pub columns: Vec<String>,
}

/// View of a mixture.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum MixtureView {
    /// Means, their recorded paths, and ellipses of one and two standard deviations; a panel per arm.
    #[default]
    Ellipses,
    /// Densities of columns: a panel each, a line per arm.
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
