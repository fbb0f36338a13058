//! What VP-EM adds to the record of a run. It must not know how anything is computed.
//!
//! | column | |
//! |---|---|
//! | `local_log_likelihood` | mean over the roots of their own log-likelihood per visited example, of the parameters that entered the iteration |
//! | `likelihood_spread` | largest minus smallest of these |
//! | `iteration_bits` | payload bits of the iteration |
//! | `consensus_error` | root mean square of what roots miss of Σ_b Q^b |
//! | `weights_spread` | largest difference between two roots' π_k |
//! | `consensus_rounds` | rounds so far |
//! | `stopped_roots` | roots that have stopped |

use fedbits_spec::Caveat;

use super::fit::Fit;
use crate::error::ProtocolError;

/// Who reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// Sums are exact: nothing to say about a consensus.
    Federated,
    /// Roots differ.
    Decentralized,
}

/// Names of the columns.
pub fn columns(report: Report) -> Vec<&'static str> {
    let common = ["local_log_likelihood", "likelihood_spread", "iteration_bits"];
    let own = ["consensus_error", "weights_spread", "consensus_rounds", "stopped_roots"];
    let own = if report == Report::Decentralized { &own[..] } else { &[] };
    common.iter().chain(own).copied().collect()
}

/// Values of the columns.
///
/// # Errors
/// When a block has no density.
pub fn values(fit: &Fit, report: Report) -> Result<Vec<Option<f64>>, ProtocolError> {
    let now = fit.visible();
    let begun = (now.number > 0).then_some(now);
    let visited = fit.settings().batch.size(now.number, fit.mixture().examples()) as f64;
    let (low, high) = extremes(now.likelihoods.iter().copied());
    let mean = now.likelihoods.iter().sum::<f64>() / now.likelihoods.len().max(1) as f64;
    let mut values =
        vec![begun.map(|_| mean / visited), begun.map(|_| (high - low) / visited), begun.map(|now| now.bits as f64)];
    if report == Report::Decentralized {
        let spread = |k: usize| {
            let (low, high) = extremes(now.thetas.iter().map(|theta| theta[k]));
            high - low
        };
        let spreads = (0..fit.mixture().components()).map(spread);
        values.extend([
            begun.map(|now| now.consensus_error),
            Some(spreads.fold(0.0, f64::max)),
            Some(now.rounds as f64),
            Some(now.frozen.iter().filter(|&&frozen| frozen).count() as f64),
        ]);
    }
    Ok(values)
}

fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// Why a run ended that ended by its own rule.
pub fn stopped(iteration: u64) -> String {
    format!("likelihood: all roots had stopped after iteration {iteration}")
}

/// What a reader must know.
pub fn caveats(fit: &Fit) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if let fedbits_models::gmm::vertical::Singular::Ridge(ridge) = fit.settings().singular {
        caveats.push(Caveat::Ridge { ridge: format!("{ridge:e}") });
    }
    caveats
}
