//! What is known so far: kept in a file, so that a night that was broken off goes on, and shown on a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::worlds::cover::Coverage;
use crate::worlds::grammar::Item;

/// Every item had its turn so often before its absence is a failure.
const TURNS: u64 = 3;

/// The state of a night of worlds.
pub struct State {
    folder: PathBuf,
    seed: u64,
    pub next: u64,
    seconds: u64,
    counts: BTreeMap<String, u64>,
    reasons: BTreeMap<String, u64>,
    failures: Vec<String>,
    pub coverage: Coverage,
    items: u64,
}

impl State {
    /// The state in a folder, or an empty one.
    ///
    /// # Errors
    /// A file that cannot be read, or that another seed left.
    pub fn open(folder: &Path, seed: u64, items: &[Item]) -> Result<Self, Box<dyn std::error::Error>> {
        let mut state = Self {
            folder: folder.to_path_buf(),
            seed,
            next: 0,
            seconds: 0,
            counts: BTreeMap::new(),
            reasons: BTreeMap::new(),
            failures: Vec::new(),
            coverage: Coverage::of(items),
            items: items.len() as u64,
        };
        let Ok(text) = fs::read_to_string(state.file()) else { return Ok(state) };
        for line in text.lines() {
            let mut cells = line.splitn(3, '\t');
            let (Some(what), Some(count), Some(name)) = (cells.next(), cells.next(), cells.next()) else { continue };
            let count: u64 = count.parse()?;
            match what {
                "seed" if count != seed => {
                    return Err(format!("{} is of seed {count}", state.file().display()).into());
                }
                "next" => state.next = count,
                "seconds" => state.seconds = count,
                "count" => drop(state.counts.insert(name.to_owned(), count)),
                "reason" => drop(state.reasons.insert(name.to_owned(), count)),
                "failure" => state.failures.push(name.to_owned()),
                "item" => state.coverage.set(name, count),
                _ => {}
            }
        }
        Ok(state)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("state.txt")
    }

    /// Keeps the state and its page; `seconds` of this call.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, seconds: u64) -> std::io::Result<()> {
        let mut text =
            format!("seed\t{}\t-\nnext\t{}\t-\nseconds\t{}\t-\n", self.seed, self.next, self.seconds + seconds);
        let mut lines = |what: &str, counts: &BTreeMap<String, u64>| {
            counts.iter().for_each(|(name, count)| text += &format!("{what}\t{count}\t{name}\n"));
        };
        lines("count", &self.counts);
        lines("reason", &self.reasons);
        lines("item", self.coverage.counts());
        self.failures.iter().for_each(|failure| text += &format!("failure\t1\t{failure}\n"));
        fs::write(self.folder.join("state.new"), text)?;
        fs::rename(self.folder.join("state.new"), self.file())?;
        fs::write(self.folder.join("page.md"), self.page())
    }

    pub fn count(&mut self, what: &str) {
        self.add(what, 1);
    }

    pub fn add(&mut self, what: &str, count: u64) {
        *self.counts.entry(what.to_owned()).or_default() += count;
    }

    /// Counts why a run could not go on, without its numbers.
    pub fn reason(&mut self, why: Option<&str>) {
        if let Some(why) = why {
            let words: String = why.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
            let short = words.chars().take(60).collect::<String>().replace(['\n', '\t'], " ");
            *self.reasons.entry(short).or_default() += 1;
        }
    }

    /// Notes a failure and leaves its smallest scenario as a file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn failed(&mut self, number: u64, why: &str, scenario: &str) -> std::io::Result<()> {
        let why = why.replace(['\n', '\t'], " ");
        let file = self.folder.join(format!("failure-{number}.ron"));
        fs::write(&file, format!("// {why}\n{scenario}"))?;
        println!("world {number}: {why}\n{scenario}");
        self.failures.push(format!("world {number}: {why}"));
        Ok(())
    }

    /// Keeps a world as a file beside its data.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(&mut self, number: u64, scenario: &str, digests: &str) -> std::io::Result<()> {
        fs::write(self.folder.join("worlds").join(format!("world-{number:06}.ron")), scenario)?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(self.folder.join("digests.txt"))?;
        std::io::Write::write_all(&mut file, format!("world-{number} world-{number} {digests}\n").as_bytes())?;
        self.count("kept");
        Ok(())
    }

    pub fn kept(&self) -> u64 {
        self.counts.get("kept").copied().unwrap_or(0)
    }

    fn missing(&self) -> Vec<&str> {
        let had_turns = self.next >= TURNS * self.items;
        if had_turns { self.coverage.missing() } else { Vec::new() }
    }

    pub fn failures(&self) -> usize {
        self.failures.len() + self.missing().len()
    }

    /// Everything on a page.
    pub fn page(&self) -> String {
        let mut page = format!("# Random worlds, seed {}\n\n{} worlds asked for\n\n", self.seed, self.next);
        let mut list = |title: &str, counts: &BTreeMap<String, u64>| {
            let _ = write!(page, "## {title}\n\n");
            counts.iter().for_each(|(name, count)| page += &format!("- {count} {name}\n"));
            page.push('\n');
        };
        list("Counts", &self.counts);
        list("Runs that could not go on", &self.reasons);
        let counts = self.coverage.counts();
        let mut sorted: Vec<u64> = counts.values().copied().collect();
        sorted.sort_unstable();
        let at = |share: usize| sorted.get(sorted.len() * share / 100).copied().unwrap_or(0);
        let _ = write!(
            page,
            "## Coverage\n\n{} items: variants, and fields that may be left out. {} appear in accepted worlds; \
             the median item in {}, a tenth in at most {}.\n\n",
            counts.len(),
            counts.len() - self.coverage.missing().len(),
            at(50),
            at(10)
        );
        let rare = counts.iter().filter(|(_, count)| **count < 3);
        rare.for_each(|(item, count)| page += &format!("- {item}: {count}\n"));
        let _ = write!(page, "\n## Failures\n\n{} of worlds\n\n", self.failures.len());
        self.failures.iter().for_each(|failure| page += &format!("- {failure}\n"));
        self.missing().iter().for_each(|item| page += &format!("- no world has {item}\n"));
        page
    }
}

/// The host's time, which decides only when to stop asking for worlds.
pub struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "no simulated time")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn seconds(&self) -> u64 {
        self.0.elapsed().as_secs()
    }
}
