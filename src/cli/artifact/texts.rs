//! The texts of an archive: its appendix, the script that verifies it, and the sums of its data.

use fedbits_spec::shell::word;
use fedbits_spec::so_many;

use super::{Artifact, Folder};
use crate::cli::table::Quantity;
use crate::cli::table::number::{duration, with_unit};
use crate::texts::filled;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const APPENDIX: &str = include_str!("appendix.md");
const SCRIPT: &str = include_str!("reproduce.sh");
/// What the appendix says of runs that the script does not repeat.
const PYTHON: &str = "

Some runs have parts in Python, and the script does not repeat them. It names each with the call of `fedbits.verify`
that does, and ends with code 1. `scripts/` has the script that made the runs, without modules that it imports. A class
of the script is the same in that script alone: add the call at its end.";

impl Artifact<'_> {
    pub(super) fn title(&self) -> String {
        let names: Vec<&str> = self.folders.iter().map(|folder| folder.name.as_str()).collect();
        self.options.title.clone().unwrap_or_else(|| format!("Simulations with fedbits: {}", names.join(", ")))
    }

    /// The appendix, with what reviewers of artifacts ask for (ACM, "Artifact Review and Badging").
    pub(super) fn appendix(&self) -> String {
        let row = |Folder { name, results, planned, digest, .. }: &Folder| {
            format!("| `results/{name}` | `scenarios/{name}.ron` | {results} of {planned} | `{digest}` |")
        };
        let needs_data = self.options.without_data && !self.data.is_empty();
        let by_hand = self.folders.iter().any(|folder| folder.by_hand.is_some());
        let first_by_hand = self.folders.first().is_none_or(|folder| folder.by_hand.is_some());
        let rerun = self.folders.first().map_or_else(String::new, |folder| {
            format!("\n- `fedbits run scenarios/{}.ron --set seed=2` runs the scenario with another seed.", folder.name)
        });
        let values = [
            ("title", self.title()),
            ("facts", lines(self.facts().into_iter().map(|(what, value)| format!("| {what} | {value} |")))),
            ("data_files", if needs_data { ", and put the data files into `data/`" } else { "" }.to_owned()),
            ("python", if by_hand { PYTHON } else { "" }.to_owned()),
            ("folders", lines(self.folders.iter().map(row))),
            ("figures", self.verified_figures()),
            ("data", self.data_table()),
            ("rerun", if first_by_hand { String::new() } else { rerun }),
            ("first", self.folders.first().map_or_else(String::new, |folder| folder.name.clone())),
        ];
        filled(APPENDIX, &values)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let sum = |of: fn(&Folder) -> u64| self.folders.iter().map(of).sum::<u64>();
        let (results, planned) = (sum(|folder| folder.results), sum(|folder| folder.planned));
        let seconds: f64 = self.folders.iter().map(|folder| folder.seconds).sum();
        let memory = self.folders.iter().map(|folder| folder.peak_memory_bytes).max().unwrap_or(0);
        let memory = match memory {
            0 => "not measured".to_owned(),
            bytes => format!("{} at the peak of the process", with_unit(Quantity::Bytes, bytes as f64)),
        };
        let data = match (self.data.len(), self.options.without_data) {
            (0, _) if self.folders.iter().any(|folder| folder.by_hand.as_deref().is_some_and(of_table)) => {
                "a table in Python, which is not in the archive".to_owned()
            }
            (0, _) => "none: examples are drawn from the seed".to_owned(),
            (all, false) => format!("{}, in `data/`", so_many(all, "file|files")),
            (all, true) => format!("{} that the reader has to get", so_many(all, "file|files")),
        };
        vec![
            ("program", format!("fedbits {VERSION}")),
            ("hardware", "any processor; no result depends on it, nor on the number of threads".to_owned()),
            ("runs", format!("{results} of {planned} have a result; {} failed", sum(|folder| folder.failed))),
            ("processor time", format!("{}, measured where the runs were made", duration(seconds))),
            ("memory", memory),
            ("randomness", "the seeds are in the scenarios; the same seed gives the same bits".to_owned()),
            ("data", data),
            ("licence", self.options.license.clone().unwrap_or_else(|| "not stated".to_owned())),
        ]
    }

    fn verified_figures(&self) -> String {
        let named = |folder: String, names: Vec<&String>| {
            let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
            (!names.is_empty()).then(|| format!("\nVerified in `{folder}`: {}.", names.join(", ")))
        };
        let of_paper = self.figures.iter().filter(|figure| !figure.folders.is_empty()).map(|figure| &figure.name);
        let of_paper = named("figures".to_owned(), of_paper.collect());
        let of_folder = |folder: &Folder| {
            let names = folder.figures.iter().collect();
            named(format!("results/{}/figures", folder.name), names)
        };
        lines(of_paper.into_iter().chain(self.folders.iter().filter_map(of_folder)))
    }

    fn data_table(&self) -> String {
        if self.data.is_empty() {
            return String::new();
        }
        let rows = self.data.iter().map(|file| {
            let known = file.known().map_or_else(String::new, |set| format!("{}, {}; ", set.licence, set.address));
            let place = if self.options.without_data { "not included" } else { "included" };
            format!("| `data/{}` | {} | `{}` | {known}{place} |", file.name, file.bytes, file.sha256)
        });
        format!("\n\n## Data\n\n| file | bytes | SHA-256 | |\n|---|---|---|---|\n{}", lines(rows))
    }

    /// The data that the reader has to get, as `sha256sum --check` reads it.
    pub(super) fn missing_sums(&self) -> String {
        let missing = self.data.iter().filter(|_| self.options.without_data);
        missing.map(|file| format!("{}  data/{}\n", file.sha256, file.name)).collect()
    }

    /// The one command of the reader.
    pub(super) fn script(&self) -> String {
        let data = if self.data.is_empty() { "" } else { " --data data" };
        let of_folder = |folder: &Folder| {
            let results = format!("results/{}", folder.name);
            let runs = match &folder.by_hand {
                None => format!("verify {}{data}", word(&results)),
                Some(why) => format!("not_repeated {}", word(&format!("{results}: {why}"))),
            };
            let figure = |name: &String| {
                format!("verify {} --runs {}", word(&format!("{results}/figures/{name}")), word(&results))
            };
            std::iter::once(runs).chain(folder.figures.iter().map(figure)).collect::<Vec<_>>()
        };
        let of_paper = self.figures.iter().filter(|figure| !figure.folders.is_empty()).map(|figure| {
            let runs = figure.folders.iter().map(|&number| word(&format!("results/{}", self.folders[number].name)));
            let runs: Vec<String> = runs.collect();
            format!("verify {} --runs {}", word(&format!("figures/{}", figure.name)), runs.join(" "))
        });
        let steps = self.folders.iter().flat_map(of_folder).chain(of_paper);
        filled(SCRIPT, &[("steps", lines(steps))])
    }
}

/// Are the data a table in Python?
fn of_table(by_hand: &str) -> bool {
    by_hand.contains("`fb.Table`")
}

fn lines(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join("\n")
}
