//! Documents as bags of words, in the format of LDA-C: per line a document, `M id:count id:count …` with M entries,
//! word ids from 0, counts of at least 1; plain or gzip. A second file may name the words, line k (from 0) the word of
//! id k.

use super::corpus::{Corpus, Document, length};
use super::csv::MissingObservations;
use super::packed;
use super::{DataKind, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, Remarks, SourceFacts};
use fedbits_spec::range::{FileName, whole};
use fedbits_spec::{Caveat, Described, so_many};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bags of words in LDA-C format (`M id:count …` per line), plain, gzip or zstd.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Corpus")]
pub struct CorpusFile {
    /// File name.
    #[range(FileName)]
    pub path: String,
    /// File of words, one per line in order of ids. Default: ids serve as words.
    #[serde(default)]
    #[range(FileName)]
    pub vocabulary: Option<String>,
    /// Withholds every n-th token to measure perplexity. In document d (from 0) these are j ≥ 1, by word id, with n
    /// dividing j + d.
    #[serde(default)]
    #[range(whole(2, u64::from(u32::MAX)))]
    pub hold_out_every: Option<u32>,
    /// Documents without words.
    #[serde(default)]
    pub missing: MissingObservations,
}

impl DataSource for CorpusFile {
    fn facts(&self) -> SourceFacts {
        SourceFacts::read(DataKind::Documents, None)
    }

    fn files(&self) -> Vec<&str> {
        [&self.path].into_iter().chain(&self.vocabulary).map(String::as_str).collect()
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let vocabulary = with.files.get(1).map(PathBuf::as_path);
        let corpus = read_corpus(&with.files[0], vocabulary, self.missing, with.remarks, with.limit)?;
        Ok(Observations::Documents(corpus.hold_out(self.hold_out_every)))
    }

    fn examples() -> Vec<Self> {
        let (path, missing) = ("documents.dat".to_owned(), MissingObservations::Error);
        vec![Self { path, vocabulary: None, hold_out_every: None, missing }]
    }
}

/// Most tokens of a file, each of which has a draw per step: more are an error in a count. All abstracts of PubMed have
/// 0.74 · 10⁹.
const MAX_TOKENS: u64 = 1_000_000_000;

/// Reads documents, and their words from `vocabulary` (without it words are called by their numbers).
///
/// # Errors
/// [`FileError`] names file, line and entry and says what was expected.
pub fn read_corpus(
    path: &Path,
    vocabulary: Option<&Path>,
    missing: MissingObservations,
    remarks: &Remarks,
    limit: MemoryLimit,
) -> Result<Corpus, FileError> {
    let names = vocabulary.map(|path| words_of(path, limit)).transpose()?;
    let named = names.as_ref().map(Vec::len);
    let words = named.unwrap_or_else(|| (limit.bytes() / BYTES_PER_WORD).min(1 << 32) as usize);
    let (mut documents, mut entries, mut tokens, mut empty) = (Vec::new(), 0, 0, 0);
    for (number, text) in packed::lines(path, limit)? {
        let (line, text) = (Line { path, line: number, words, named: named.is_some() }, text?);
        if missing == MissingObservations::Drop && matches!(text.trim(), "" | "0") {
            empty += 1;
            continue;
        }
        let document = line.document(&text)?;
        entries += document.len() as u64;
        tokens += length(&document);
        if tokens > MAX_TOKENS {
            let expected = "counts that sum to at most 1000000000 tokens";
            return Err(FileError::content(path, expected, format!("{tokens} up to this document")).at(number));
        }
        limit.allows(8 * entries + 32 * number).map_err(FileError::io(path))?;
        documents.push(document);
    }
    if documents.is_empty() {
        return Err(FileError::empty(path, "a document per line"));
    }
    let largest = documents.iter().flatten().map(|&(word, _)| word).max().unwrap_or(0);
    let vocabulary = names.unwrap_or_else(|| (0..=largest).map(|word| word.to_string()).collect());
    if empty > 0 {
        remarks.caveat(Caveat::DocumentsWithoutWords { documents: so_many(empty, "document") });
    }
    Ok(Corpus { vocabulary, documents, held_out: None })
}

/// The words of a file, one per line.
fn words_of(path: &Path, limit: MemoryLimit) -> Result<Vec<String>, FileError> {
    let (mut words, mut first, mut bytes) = (Vec::new(), BTreeMap::new(), 0);
    for (line, word) in packed::lines(path, limit)? {
        let word = word?;
        bytes += 2 * word.len() as u64 + BYTES_PER_WORD;
        limit.allows(bytes).map_err(FileError::io(path))?;
        let wrong = |expected: &str, found: String| FileError::content(path, expected, found).at(line);
        if word.trim().is_empty() {
            return Err(wrong("a word", "an empty line".to_owned()));
        }
        if let Some(first) = first.insert(word.clone(), line) {
            return Err(wrong("a word that no line before has", format!("`{word}`, which is in line {first}")));
        }
        words.push(word);
    }
    Ok(words)
}

/// A word has a name, and a number in each topic of several vectors.
const BYTES_PER_WORD: u64 = 100;

/// A line in a message.
struct Line<'a> {
    path: &'a Path,
    line: u64,
    /// V, or as many words as there is memory for.
    words: usize,
    /// Whether a file names the words.
    named: bool,
}

impl Line<'_> {
    fn document(&self, text: &str) -> Result<Document, FileError> {
        let mut cells = text.split_ascii_whitespace();
        let first = cells.next();
        let first = first.ok_or_else(|| self.wrong(1, "a number of entries, or `missing: Drop`", "an empty line"))?;
        let expected: usize =
            first.parse().map_err(|_| self.wrong(1, "a whole number of entries", &format!("`{first}`")))?;
        let entries = (2..).zip(cells).map(|(place, cell)| self.entry(place, cell));
        let mut document = entries.collect::<Result<Document, _>>()?;
        document.shrink_to_fit();
        if document.len() != expected || document.is_empty() {
            let wanted = match expected {
                0 => "a document with words, or `missing: Drop`".to_owned(),
                _ => so_many(expected, "entry"),
            };
            return Err(self.wrong(document.len() + 1, &wanted, &so_many(document.len(), "entry")));
        }
        document.sort_by_key(|&(word, _)| word);
        match document.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(self.wrong(1, "every word at most once", &format!("word {} twice", pair[0].0))),
            None => Ok(document),
        }
    }

    fn entry(&self, entry: usize, cell: &str) -> Result<(u32, u32), FileError> {
        let found = || format!("`{cell}`");
        let Some((word, count)) = cell.split_once(':') else {
            return Err(self.wrong(entry, "`word:count`", &found()));
        };
        let parsed = word.parse::<u32>().ok();
        let Some(word) = parsed.filter(|&word| (word as usize) < self.words) else {
            let why = if parsed.is_some() && !self.named { " (for more words there is no memory)" } else { "" };
            let most = self.words.saturating_sub(1);
            return Err(self.wrong(entry, &format!("a word from 0 to {most}{why}"), &found()));
        };
        match count.parse::<u32>() {
            Ok(count) if count > 0 => Ok((word, count)),
            _ => Err(self.wrong(entry, "a whole count of at least 1", &found())),
        }
    }

    fn wrong(&self, entry: usize, expected: &str, found: &str) -> FileError {
        FileError::content(self.path, expected, found).at(self.line).column(entry)
    }
}
