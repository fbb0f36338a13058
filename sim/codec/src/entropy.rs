//! The empirical entropy of a message's symbols: what a memoryless code that knew their frequencies would need. Knows no compressor.

use std::sync::LazyLock;

/// Levels below this magnitude are counted in a table, others by sorting.
const SMALL: usize = 128;
/// n log₂ n is looked up below this.
const TABLE: usize = 4096;

static N_LOG_N: LazyLock<Vec<f64>> = LazyLock::new(|| (0..TABLE).map(|n| compute(n as u64)).collect());

fn compute(n: u64) -> f64 {
    if n == 0 { 0.0 } else { n as f64 * libm::log2(n as f64) }
}

fn n_log_n(n: usize) -> f64 {
    N_LOG_N.get(n).copied().unwrap_or_else(|| compute(n as u64))
}

/// d H in bits, H the entropy of the frequencies of `levels`: d log₂ d − Σ c log₂ c over the counts c.
pub(crate) fn of_levels(levels: &[i32]) -> f64 {
    let small = levels.iter().all(|level| (level.unsigned_abs() as usize) < SMALL);
    let counts = if small { counted(levels) } else { sorted(levels) };
    n_log_n(levels.len()) - counts
}

fn counted(levels: &[i32]) -> f64 {
    let mut counts = [0u32; 2 * SMALL];
    for &level in levels {
        counts[(level + SMALL as i32) as usize] += 1;
    }
    counts.iter().filter(|&&count| count > 1).map(|&count| n_log_n(count as usize)).sum()
}

fn sorted(levels: &[i32]) -> f64 {
    let mut levels = levels.to_vec();
    levels.sort_unstable();
    levels.chunk_by(|a, b| a == b).map(|run| n_log_n(run.len())).sum()
}

/// log₂ C(d, k) from d H(k/d), the entropy of a mask with k ones.
pub(crate) fn of_mask(d: usize, k: usize) -> f64 {
    n_log_n(d) - n_log_n(k) - n_log_n(d - k)
}
