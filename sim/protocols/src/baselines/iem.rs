//! Incremental EM: Neal and Hinton, "A view of the EM algorithm that justifies incremental, sparse, and other variants"
//! (1998).
//!
//! ```text
//! at the start:  θ = T(s̄(θ₀)),  m_j = s̄_j(θ) for every example, Ŝ = N⁻¹ Σ m_j         N conditional expectations
//! iteration:     for j in B:  Ŝ ← Ŝ + (s̄_j(θ) − m_j)/N,  m_j ← s̄_j(θ);   θ = T(Ŝ)     b
//! ```
//!
//! No step size; every iteration lowers Neal and Hinton's free energy. They visit the examples in turn; here B is
//! drawn, and the first finds its m_j as they are. One M-step after all of B is our reading for b > 1. With all
//! examples this is EM.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::pooled::{AmongAll, BATCH, Batches, Pooled, Rule};
use crate::error::{ProtocolError, Result};
use crate::fedem::{BatchRule, Domain};

/// Incremental EM in one place (Neal and Hinton 1998).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IncrementalEm {
    /// Examples of an iteration.
    #[serde(default)]
    #[range(AmongAll)]
    pub batch: BatchRule,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

/// Memories may take 8 GiB.
const MAX_NUMBERS: u64 = 1 << 30;
/// Statistics that are held beside the memories, of so many examples.
const AT_A_TIME: usize = 4096;

/// One statistic per example, N × q numbers, and their mean.
#[derive(Default)]
pub struct ExampleMemory {
    rows: Vec<f64>,
    /// N⁻¹ Σ m_j.
    pub(super) mean: Vec<f64>,
}

impl ExampleMemory {
    /// m_j = s̄_j(θ) for all examples, the first time.
    pub(super) fn fill(&mut self, pooled: &mut Pooled) -> Result<()> {
        if !self.rows.is_empty() {
            return Ok(());
        }
        let (e_step, mut mean, total) = (pooled.e_step()?, pooled.zeros(), pooled.total());
        let numbers = u64::from(total) * mean.len() as u64;
        if numbers > MAX_NUMBERS {
            let q = mean.len();
            return Err(ProtocolError::Unfit(format!(
                "a memory for each of {total} examples takes {numbers} numbers (q = {q}), more than 8 GiB"
            )));
        }
        self.rows.resize(total as usize * mean.len(), 0.0);
        pooled.statistics_of_each(e_step.as_ref(), &(0..total).collect::<Vec<_>>(), &mut self.rows);
        for row in self.rows.chunks_exact(mean.len()) {
            mean.iter_mut().zip(row.iter()).for_each(|(mean, x)| *mean += x / f64::from(total));
        }
        self.mean = mean;
        Ok(())
    }

    /// m_j.
    pub(super) fn row(&self, j: u32) -> &[f64] {
        &self.rows[j as usize * self.mean.len()..][..self.mean.len()]
    }

    /// m_j ← s̄_j(θ) for the examples `batch`, and the mean follows.
    pub(super) fn renew(&mut self, pooled: &mut Pooled, batch: &[u32]) -> Result<()> {
        let (e_step, q, total) = (pooled.e_step()?, self.mean.len(), f64::from(pooled.total()));
        let mut fresh = vec![0.0; batch.len().min(AT_A_TIME) * q];
        for batch in batch.chunks(AT_A_TIME) {
            let fresh = &mut fresh[..batch.len() * q];
            pooled.statistics_of_each(e_step.as_ref(), batch, fresh);
            for (&j, fresh) in batch.iter().zip(fresh.chunks_exact(q)) {
                let row = &mut self.rows[j as usize * q..][..q];
                for ((mean, old), new) in self.mean.iter_mut().zip(row).zip(fresh) {
                    *mean += (new - *old) / total;
                    *old = *new;
                }
            }
        }
        Ok(())
    }
}

impl Rule for IncrementalEm {
    type Memory = ExampleMemory;
    const KEEPS_STATISTICS: bool = true;

    fn settings(&self) -> (BatchRule, Domain) {
        (self.batch, self.domain)
    }

    fn work(&self, k: u64, total: u32) -> u64 {
        self.batch.count(total) + if k == 1 { u64::from(total) } else { 0 }
    }

    fn step(&self, memory: &mut ExampleMemory, pooled: &mut Pooled, _k: u64, batches: Batches<'_>) -> Result<f64> {
        memory.fill(pooled)?;
        memory.renew(pooled, &batches(BATCH))?;
        let h: Vec<f64> = memory.mean.iter().zip(&pooled.at.s_hat).map(|(mean, s)| mean - s).collect();
        pooled.step(1.0, &h)
    }

    fn examples() -> Vec<Self> {
        vec![Self { batch: BatchRule::WithoutReplacement(4), domain: Domain::Error }]
    }
}
