//! EM on some examples until its objective rests.

use fedbits_models::{DomainError, ExactModel, Examples, Scratch};
use fedbits_spec::Described;
use fedbits_spec::range::{POSITIVE, whole};
use serde::{Deserialize, Serialize};

use crate::fedem::Domain;

/// EM until an iteration lowers the mean −log p by less than `tolerance`.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct LocalEm {
    /// Maximum number of iterations.
    #[range(whole(1, 100_000))]
    pub iterations: u32,
    /// Per example.
    #[range(POSITIVE)]
    pub tolerance: f64,
}

impl Default for LocalEm {
    fn default() -> Self {
        Self { iterations: 1_000, tolerance: 1e-6 }
    }
}

/// Where EM has ended.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// θ.
    pub theta: Vec<f64>,
    /// Conditional expectations that it took.
    pub expectations: u64,
    /// Entries that T clipped; with [`Domain::SkipRound`] 1 where θ is the last one before a step that left the domain.
    pub clipped: u64,
}

impl LocalEm {
    /// EM on `examples` from `theta`, with constants of these examples.
    ///
    /// # Errors
    /// When an iterate leaves the domain of T, unless rounds are skipped then: EM rests before it.
    pub(super) fn run(
        self,
        model: &dyn ExactModel,
        examples: Examples<'_>,
        theta: &[f64],
        domain: Domain,
    ) -> Result<Rest, DomainError> {
        let alone = model.with_constants_of(examples);
        let model = alone.as_deref().unwrap_or(model);
        let (mut s, mut scratch) = (vec![0.0; model.statistic_dimension()], Scratch::default());
        let (mut rest, mut before) = (Rest { theta: theta.to_vec(), ..Rest::default() }, f64::INFINITY);
        let mut next = theta.to_vec();
        for _ in 0..self.iterations {
            let stepped = model.conditional(&next).and_then(|e_step| {
                rest.theta.clone_from(&next);
                let mean = e_step.mean_statistics_and_objective(examples, &mut scratch, &mut s);
                rest.expectations += examples.len() as u64;
                let clipped = domain.maximize(model, &s, &mut next)?;
                Ok((mean + model.penalty(&rest.theta), clipped))
            });
            let objective = match stepped {
                Ok((objective, clipped)) => {
                    rest.clipped += clipped;
                    objective
                }
                Err(_) if domain == Domain::SkipRound => return Ok(Rest { clipped: 1, ..rest }),
                Err(error) => return Err(error),
            };
            if before - objective < self.tolerance {
                break;
            }
            before = objective;
        }
        Ok(Rest { theta: next, ..rest })
    }
}
