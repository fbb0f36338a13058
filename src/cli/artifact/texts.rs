//! The texts of an archive: its appendix, the script that verifies it, and the sums of its data.

use std::fmt::Write;

use fedbits_spec::so_many;

use super::{Artifact, Folder};

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Artifact<'_> {
    pub(super) fn title(&self) -> String {
        let names: Vec<&str> = self.folders.iter().map(|folder| folder.name.as_str()).collect();
        self.options.title.clone().unwrap_or_else(|| format!("Simulations with fedbits: {}", names.join(", ")))
    }

    /// The appendix, with what reviewers of artifacts ask for (ACM, "Artifact Review and Badging").
    pub(super) fn appendix(&self) -> String {
        let title = self.title();
        let mut text = format!(
            "# {title}\n\nThis archive has results of the simulator fedbits {VERSION} and all that repeats them. `sh \
             reproduce.sh`\nrepeats every run and compares digests, tables, fitted models and figures, to the last \
             bit.\n\n## At a glance\n\n| | |\n|---|---|\n"
        );
        for (what, value) in self.facts() {
            let _ = writeln!(text, "| {what} | {value} |");
        }
        text += &format!(
            "\n## How to verify\n\n1. Have the program `fedbits`, version {VERSION}, in `PATH`, or set the variable \
             `FEDBITS` to its path.\n2. Unpack the archive{}.\n3. `sh reproduce.sh`\n\nThe script ends with code 0 and \
             the line `all is as in the archive`. It says what differs otherwise.\n\n## Results\n\n| folder | \
             scenario | runs | digest of all results |\n|---|---|---|---|\n",
            if self.data.iter().any(|file| file.without) { " and put the data files into `data/`" } else { "" }
        );
        for folder in &self.folders {
            let Folder { name, results, planned, digest, .. } = folder;
            let _ =
                writeln!(text, "| `results/{name}` | `scenarios/{name}.ron` | {results} of {planned} | `{digest}` |");
        }
        text += &self.figures();
        text += &self.data_table();
        text += "\n## How to go on\n\n";
        let folder = self.folders.first().map_or("NAME", |folder| folder.name.as_str());
        let data = if self.data.is_empty() { "" } else { " --data data" };
        text += &format!(
            "- `fedbits compare results/{folder}` compares the arms.\n- `fedbits report results/{folder}` draws the \
             figures.\n- `fedbits run scenarios/{folder}.ron{data} --set seed=2` runs the scenario with another \
             seed.\n"
        );
        text
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let sum = |of: fn(&Folder) -> u64| self.folders.iter().map(of).sum::<u64>();
        let (results, planned) = (sum(|folder| folder.results), sum(|folder| folder.planned));
        let seconds: f64 = self.folders.iter().map(|folder| folder.seconds).sum();
        let memory = self.folders.iter().map(|folder| folder.peak_memory_bytes).max().unwrap_or(0);
        let runs = match planned - results {
            0 => so_many(results, "run|runs"),
            missing => format!("{}, and {missing} planned ones without a result", so_many(results, "run|runs")),
        };
        let mut facts = vec![
            ("program", format!("fedbits {VERSION}")),
            ("hardware", "any processor; no result depends on it, nor on the number of threads".to_owned()),
            ("runs", runs),
            ("time", format!("{} of processor time, shared among all cores", duration(seconds))),
            ("memory", format!("{} at the peak of the process that made the results", mebibytes(memory))),
            ("randomness", "the seeds are in the scenarios; the same seed gives the same bits".to_owned()),
        ];
        let needed = self.data.iter().filter(|file| file.without).count();
        let data = match (self.data.len(), needed) {
            (0, _) => "none: examples are drawn from the seed".to_owned(),
            (all, 0) => format!("{}, in `data/`", so_many(all, "file|files")),
            (_, needed) => format!("{} that the reader has to get", so_many(needed, "file|files")),
        };
        facts.push(("data", data));
        facts.push(("licence", self.options.license.clone().unwrap_or_else(|| "not stated".to_owned())));
        facts
    }

    fn figures(&self) -> String {
        let mut text = String::new();
        for folder in self.folders.iter().filter(|folder| !folder.figures.is_empty()) {
            let names: Vec<String> = folder.figures.iter().map(|name| format!("`{name}`")).collect();
            let _ = write!(text, "\nFigures in `results/{}/figures`: {}.\n", folder.name, names.join(", "));
        }
        text
    }

    fn data_table(&self) -> String {
        if self.data.is_empty() {
            return String::new();
        }
        let mut text = "\n## Data\n\n| file | bytes | SHA-256 | |\n|---|---|---|---|\n".to_owned();
        for file in &self.data {
            let known = file.known().map_or_else(String::new, |set| format!("{}, {}; ", set.licence, set.address));
            let place = if file.without { "not included" } else { "included" };
            let _ = writeln!(text, "| `data/{}` | {} | `{}` | {known}{place} |", file.name, file.bytes, file.sha256);
        }
        text
    }

    /// As `sha256sum --check` reads it.
    pub(super) fn checksums(&self) -> String {
        self.data.iter().map(|file| format!("{}  {}\n", file.sha256, file.name)).collect()
    }

    /// The one command of the reader.
    pub(super) fn script(&self) -> String {
        let mut text = format!(
            "#!/bin/sh\n# Repeats every run of this archive, and compares results, tables, models and figures with \
             those in it.\n# The program is `fedbits` in PATH, or the one that the variable FEDBITS names.\nset -u\ncd \
             \"$(dirname \"$0\")\" || exit 2\nfedbits=${{FEDBITS:-fedbits}}\nif ! version=$(\"$fedbits\" --version \
             2>&1); then\n    echo 'there is no program fedbits: install version {VERSION}, or set FEDBITS to its \
             path' >&2\n    exit 2\nfi\n[ \"$version\" = 'fedbits {VERSION}' ] ||\n    echo \"the results are of \
             fedbits {VERSION}, this is $version: results may differ\" >&2\nstatus=0\nverify() {{\n    printf '== \
             %s\\n' \"$1\"\n    \"$fedbits\" verify \"$@\" || status=1\n}}\n"
        );
        let data = if self.data.is_empty() { "" } else { " --data data" };
        for folder in &self.folders {
            let results = format!("results/{}", folder.name);
            match &folder.by_hand {
                None => text += &format!("verify {}{data}\n", quoted(&results)),
                Some(why) => {
                    let why = quoted(&format!("{results} is not repeated: {why}"));
                    text += &format!("echo {why} >&2\nstatus=1\n");
                }
            }
            for figure in &folder.figures {
                let figure = quoted(&format!("{results}/figures/{figure}"));
                text += &format!("verify {figure} --runs {}\n", quoted(&results));
            }
        }
        text += "if [ $status -eq 0 ]; then\n    echo 'all is as in the archive'\nelse\n    echo 'something differs, or \
                 was not repeated' >&2\nfi\nexit $status\n";
        text
    }
}

/// A word of the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1.0 => "less than 1 s".to_owned(),
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7_200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3_600.0),
    }
}

fn mebibytes(bytes: u64) -> String {
    match bytes.div_ceil(1 << 20) {
        0 => "not measured".to_owned(),
        mebibytes => format!("{mebibytes} MiB"),
    }
}
