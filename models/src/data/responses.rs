//! Responses of persons to items, all of them there: the data of item response models.

use super::set::hash_words;

/// N persons × J items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Responses {
    /// Names of the J items.
    pub items: Vec<String>,
    /// Person by person, J finite numbers each.
    pub rows: Vec<f64>,
}

impl Responses {
    /// N.
    pub fn persons(&self) -> usize {
        self.rows.len() / self.items.len().max(1)
    }

    /// The J responses of a person.
    pub fn of(&self, person: usize) -> &[f64] {
        &self.rows[person * self.items.len()..][..self.items.len()]
    }

    /// BLAKE3 of the little-endian bits of J and all responses. Names do not enter.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.items.len() as u64).to_le_bytes());
        hash_words(&mut hasher, &self.rows, |y| y.to_bits().to_le_bytes());
        *hasher.finalize().as_bytes()
    }
}
