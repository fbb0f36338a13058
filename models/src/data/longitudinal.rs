//! Longitudinal data: subjects, each observed at times of its own, perhaps after doses.

use super::set::hash_words;

/// One subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// Its name in the file.
    pub name: String,
    /// Times of the observations, finite, in the file's unit.
    pub times: Vec<f64>,
    /// Observed values, one per time.
    pub values: Vec<f64>,
    /// (time, amount) of every dose, amounts above 0; none for data without doses.
    pub doses: Vec<(f64, f64)>,
}

/// Subjects in the order of their first appearance, each with at least one observation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Longitudinal {
    /// The subjects.
    pub subjects: Vec<Subject>,
}

impl Longitudinal {
    /// Number of observations of all subjects.
    pub fn observations(&self) -> usize {
        self.subjects.iter().map(|subject| subject.times.len()).sum()
    }

    /// BLAKE3 of the little-endian bits of counts, times, values and doses, subject by subject. Names do not enter.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for subject in &self.subjects {
            hasher.update(&(subject.times.len() as u64).to_le_bytes());
            hasher.update(&(subject.doses.len() as u64).to_le_bytes());
            let doses = subject.doses.iter().flat_map(|&(time, amount)| [time, amount]);
            let numbers: Vec<f64> = subject.times.iter().chain(&subject.values).copied().chain(doses).collect();
            hash_words(&mut hasher, &numbers, |value| value.to_bits().to_le_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}
