//! Documents as bags of words.

use super::set::hash_words;

/// (word, count), counts of at least 1.
pub type Document = Vec<(u32, u32)>;

/// Documents over V words, perhaps with some of their tokens set aside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corpus {
    /// The words; V of them.
    pub vocabulary: Vec<String>,
    /// What is fitted; every document has at least one token.
    pub documents: Vec<Document>,
    /// What the fit does not see, document by document; none without a split.
    pub held_out: Option<Vec<Document>>,
}

impl Corpus {
    /// Number of tokens that are fitted.
    pub fn tokens(&self) -> u64 {
        self.documents.iter().map(|document| length(document)).sum()
    }

    /// Number of tokens set aside.
    pub fn held_out_tokens(&self) -> u64 {
        self.held_out.iter().flatten().map(|document| length(document)).sum()
    }

    /// Sets tokens aside by a rule that any program can repeat: of document d the tokens j ≥ 1 with (j + d) mod `every`
    /// = 0, documents and tokens counted from 0, tokens in the order of the file.
    #[must_use]
    pub fn hold_out(mut self, every: Option<u32>) -> Self {
        let Some(every) = every else { return self };
        let mut held_out = Vec::with_capacity(self.documents.len());
        for (d, document) in self.documents.iter_mut().enumerate() {
            let mut aside = Document::new();
            let (every, d) = (u64::from(every), d as u64);
            // Multiples of `every` among d + 1, …, d + j − 1, where d itself (j = 0) never counts.
            let before = |j: u64| (d + j.max(1) - 1) / every;
            let mut j = 0;
            for (word, count) in document.iter_mut() {
                let next = j + u64::from(*count);
                let taken = (before(next) - before(j)) as u32;
                j = next;
                *count -= taken;
                if taken > 0 {
                    aside.push((*word, taken));
                }
            }
            document.retain(|&(_, count)| count > 0);
            held_out.push(aside);
        }
        self.held_out = Some(held_out);
        self
    }

    /// BLAKE3 of V, and of the entries of all documents, fitted and set aside. Names of words do not enter.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.vocabulary.len() as u64).to_le_bytes());
        for document in self.documents.iter().chain(self.held_out.iter().flatten()) {
            hasher.update(&(document.len() as u64).to_le_bytes());
            let bytes = |(word, count): (u32, u32)| (u64::from(word) << 32 | u64::from(count)).to_le_bytes();
            hash_words(&mut hasher, document, bytes);
        }
        *hasher.finalize().as_bytes()
    }
}

/// Tokens of a document.
pub fn length(document: &[(u32, u32)]) -> u64 {
    document.iter().map(|&(_, count)| u64::from(count)).sum()
}
