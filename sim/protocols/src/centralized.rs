//! Centralized EM: Ŝ ← s̄(T(Ŝ)) on pooled data. The reference that costs no bits; one process, node 0.
//!
//! With weights w_i the pooled statistic is n⁻¹ Σ w_i s̄_i: every example counts the same under `Weighting::Examples`.
//! H is the mean field itself, h(Ŝ) = s̄(T(Ŝ)) − Ŝ, and γ = 1.

use fedbits_random::Streams;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::alone::{AloneAlgorithm, AloneRun};
use crate::error::ProtocolError;
use crate::fedem::Domain;
use crate::federation::Federation;
use crate::journal::Subject;
use crate::over::{Built, ExamplesOf, Over};
use crate::problem::Problem;
use crate::setting::ProtocolSetting;
use crate::state::{Probe, State, norm_sq};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 1] = ["domain_events"];

/// EM on all data in one place: the reference that costs no bits.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "CentralizedEm")]
pub struct CentralizedEmSetting {
    /// What happens when the statistic leaves the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

/// EM in one place.
pub struct CentralizedEm {
    federation: Federation,
    domain: Domain,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
    h: Vec<f64>,
    domain_events: u64,
}

impl CentralizedEm {
    /// EM from Ŝ₀ = `s_hat`. An error when T(Ŝ₀) does not exist.
    pub fn new(federation: Federation, domain: Domain, s_hat: Vec<f64>) -> Result<Self, ProtocolError> {
        let mut theta = Vec::new();
        let maximized = domain.maximize(federation.model(), &s_hat, &mut theta);
        let domain_events = maximized.map_err(ProtocolError::Initial)?;
        Ok(Self { h: vec![0.0; s_hat.len()], federation, domain, s_hat, theta, domain_events })
    }

    /// One EM step; returns ‖h(Ŝ)‖² at the point it left.
    ///
    /// # Errors
    /// When the new statistic is outside the domain of T and the policy is to stop (a skipped step would repeat
    /// itself).
    pub fn step(&mut self) -> Result<f64, ProtocolError> {
        let e_step = self.federation.model().conditional(&self.theta)?;
        self.federation.mean_field(&self.s_hat, e_step.as_ref(), &mut self.h);
        self.s_hat.iter_mut().zip(&self.h).for_each(|(s, h)| *s += h);
        let clipped = self.domain.maximize(self.federation.model(), &self.s_hat, &mut self.theta);
        self.domain_events += clipped.map_err(ProtocolError::Left)?;
        Ok(norm_sq(&self.h))
    }
}

impl Subject for CentralizedEm {
    fn problem(&self) -> &dyn Problem {
        &self.federation
    }

    fn clients(&self) -> u32 {
        self.federation.clients()
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }

    fn probe(&self) -> Result<Probe, ProtocolError> {
        Ok(self.federation.probe(&self.state())?)
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        Ok(vec![Some(self.domain_events as f64)])
    }

    fn caveats(&self) -> Vec<String> {
        let clipped = (self.domain_events > 0).then(|| format!("T clipped {} entries of Ŝ", self.domain_events));
        clipped.into_iter().collect()
    }
}

impl AloneAlgorithm for CentralizedEm {
    fn subject(&self) -> &dyn Subject {
        self
    }

    fn work(&self, _iteration: u64) -> u64 {
        self.federation.total()
    }

    fn iterate(&mut self, _streams: &Streams, _iteration: u64) -> Result<f64, ProtocolError> {
        self.step()
    }
}

impl ProtocolSetting for CentralizedEmSetting {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, _| {
            Ok(Built::new(AloneRun(CentralizedEm::new(federation, self.domain, s_hat)?)))
        })
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(COLUMNS.to_vec())
    }

    fn is_centralized(&self) -> bool {
        true
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn needs_only_the_map(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}
