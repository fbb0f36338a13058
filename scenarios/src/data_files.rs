//! Where data files are looked for, and what is said when they are missing.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The folders in which data files are looked for, in this order; those that are `None` are passed over.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct DataFolders {
    /// The folder of the scenario file; a scenario of the library has none.
    pub scenario: Option<PathBuf>,
    /// `--data DIR`.
    pub option: Option<PathBuf>,
    /// The environment variable `FEDBITS_DATA`.
    pub variable: Option<PathBuf>,
}

/// A data file that is in none of the folders.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub struct MissingDataFile {
    /// The path as the scenario gives it.
    pub path: String,
    /// Every path that was tried.
    pub tried: Vec<PathBuf>,
    /// What is known of the data set, when it is one of the library's.
    pub known: Option<&'static KnownFile>,
}

/// A public data file that scenarios of the library use.
#[derive(Debug, Eq, PartialEq)]
pub struct KnownFile {
    /// Its file name.
    pub file: &'static str,
    /// The data set it belongs to.
    pub set: &'static str,
    /// Where it is published.
    pub address: &'static str,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: &'static str,
    /// What else one should know to get the right file.
    pub remark: &'static str,
}

const MNIST_ADDRESS: &str =
    "http://yann.lecun.com/exdb/mnist/ (mirror: https://ossci-datasets.s3.amazonaws.com/mnist/)";

const fn mnist(file: &'static str, sha256: &'static str) -> KnownFile {
    KnownFile { file, set: "MNIST handwritten digits", address: MNIST_ADDRESS, sha256, remark: "" }
}

/// The data files that are known by name.
pub const KNOWN_FILES: &[KnownFile] = &[
    mnist("train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
    mnist("train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
    mnist("t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
    mnist("t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
    KnownFile {
        file: "HTRU_2.csv",
        set: "HTRU2 pulsar candidates",
        address: "https://archive.ics.uci.edu/dataset/372/htru2",
        sha256: "b2b388ceaa9718d00f6feba97bfe7096ee61996526cee2bea94e9dd034e9cbbe",
        remark: "17 898 lines of 9 numbers; the sum is of the file with LF line endings",
    },
    KnownFile {
        file: "Oxboys.csv",
        set: "Oxford boys (R package nlme)",
        address: "https://vincentarelbundock.github.io/Rdatasets/csv/nlme/Oxboys.csv (without the column of row names)",
        sha256: "52413baf20579020ff047041c00d383bcafba6ab66ede8e890a321980f9857f8",
        remark: "columns Subject, age, height, Occasion; 26 boys, 9 heights each",
    },
    KnownFile {
        file: "Theoph.csv",
        set: "Theophylline (R package datasets)",
        address: "https://vincentarelbundock.github.io/Rdatasets/csv/datasets/Theoph.csv (without the column of row \
            names)",
        sha256: "e1436860a95ff6d9d0c241ae217221c5b664acc6b224bc520d58cebb6139e0de",
        remark: "columns Subject, Wt, Dose, Time, conc; 12 subjects, 11 times each",
    },
    KnownFile {
        file: "warfarin_nlmixr2data.csv",
        set: "Warfarin (R package nlmixr2data)",
        address: "https://cran.r-project.org/package=nlmixr2data (the data set `warfarin`, written as CSV)",
        sha256: "6fa3c173f05defb78a8540dbbed7532cab594113c659f3b0fcf143ded24e1cbd",
        remark: "columns id, time, amt, dv, dvid, evid, wt, age, sex; 32 patients, 251 concentrations (dvid cp)",
    },
    KnownFile {
        file: "ap.dat.gz",
        set: "Associated Press corpus (D. Blei; R package topicmodels)",
        address: "http://www.cs.columbia.edu/~blei/lda-c/ap.tgz",
        sha256: "d6bf33df95a1acb94c8529d12a9d209021cc19d734913d22810d7461a6432b5a",
        remark: "2 246 documents in LDA-C format, ids in the order of vocab.txt (alphabetical; Blei's own file has \
            another order)",
    },
    KnownFile {
        file: "vocab.txt",
        set: "Associated Press corpus (D. Blei; R package topicmodels)",
        address: "http://www.cs.columbia.edu/~blei/lda-c/ap.tgz",
        sha256: "f26aac3455a444effe6e333dbb82ed1bf87a8e527c59a0505a28a55e1dbcba42",
        remark: "10 473 words, one per line, in alphabetical order",
    },
    KnownFile {
        file: "sat12_scored.csv",
        set: "SAT12, a grade-12 science test (R package mirt)",
        address: "https://cran.r-project.org/package=mirt (the data set `SAT12`, scored by its key)",
        sha256: "9e3783daeb2443a2724e2c2ad35a1bf7c655eb430987edfb58075876b419d8fa",
        remark: "600 persons, 32 items as 0 or 1",
    },
    KnownFile {
        file: "Geant2012.gml",
        set: "Internet Topology Zoo",
        address: "https://doi.org/10.25909/30153949",
        sha256: "5259257d6a81e501b4a6f428f4a325ead342d212e3b4c43ac0577bdce69be7f3",
        remark: "Knight, Nguyen, Falkner, Bowden, Roughan, IEEE JSAC 29, 2011",
    },
    KnownFile {
        file: "flash_device_net_speed.csv",
        set: "FLASH (network speeds of smartphones)",
        address: "https://github.com/PKU-Chengxu/FLASH",
        sha256: "d76ef0c6f56f6b9bac38d6118f06125ffcd98aec94473ad7a71ce5a93e7a6de2",
        remark: "a table with the columns down_mean, down_sd, up_mean, up_sd in kB/s; Yang et al., WWW 2021",
    },
    KnownFile {
        file: "planetlab_rtt_median_ms.csv.gz",
        set: "NetLatency-Data (PlanetLab round-trip times)",
        address: "https://github.com/uofa-rzhu3/NetLatency-Data",
        sha256: "55f8d892d38d2e1ad8f07707052113008eb10a6f88e172a764fdaa4eb2d8b682",
        remark: "element-wise median of the 18 slices, with a header n0,n1,…; Zhu et al., IEEE/ACM ToN 25, 2017",
    },
    KnownFile {
        file: "ai_benchmark_2020_devices.csv",
        set: "AI Benchmark scores of smartphones (as in FLASH)",
        address: "https://github.com/PKU-Chengxu/FLASH",
        sha256: "023bab5feff6ab93a9a70d79ec734f6bded9f89cb1309f59a418476a185c7eb4",
        remark: "the column AI_Score is used",
    },
    KnownFile {
        file: "mobile_access_bandwidth_50k.csv.gz",
        set: "Mobile Access Bandwidth in Practice (China 2021)",
        address: "https://github.com/mobilebandwidth/mobilebandwidth.github.io",
        sha256: "b2770df3172d2aead9725e09fb4b913db19c3dbe23ff0b5fedbd56abe0f89548",
        remark: "10 000 tests each of 4G, 5G, WiFi4, WiFi5, WiFi6; columns tech and bandwidth_mbps are used",
    },
    swiss_birds("green_woodpecker.csv", "6b2dfd97a6c5c0675d2161945942fd8ddbf57153ef5994d26797e573c9c46a77", WOODPECKER),
    swiss_birds("mhb2014_mallard.csv", "34e31f690b77f109657f12c43b76287a0e3e938921e9ee1f534d1b0a48c2dc73", MHB2014),
    swiss_birds(
        "mhb2014_common_buzzard.csv",
        "a79c22a030c4f590ce1c62cca0d24cc2faf490f57d152e513ae8a668b7302c1a",
        MHB2014,
    ),
    KnownFile {
        file: "bbs_pacific_wren_counts.csv",
        set: "North American Breeding Bird Survey, Pacific Wren (USGS, doi:10.5066/P14SNUV4)",
        address: "https://github.com/bbsBayes/bbsBayes2 (data/bbs_data_sample.rda)",
        sha256: "18c5806e4c817131d7b5953201da4a7e5c85c3aee2e4ae61a1f24265601a45e8",
        remark: "the sample's counts as a table of routes, years and observers; runs without the species are left out",
    },
];

const WOODPECKER: &str = "the data set greenWoodpecker as a table: columns siteID, XYYYY.v.count, XYYYY.observer";
const MHB2014: &str = "one species of the data set MHB2014 as a table: sites, three visits, the observer";

const fn swiss_birds(file: &'static str, sha256: &'static str, remark: &'static str) -> KnownFile {
    let set = "Swiss breeding birds (Swiss Ornithological Institute; Kéry and Royle, R package AHMbook, GPL-3)";
    KnownFile { file, set, address: "https://cran.r-project.org/package=AHMbook", sha256, remark }
}

impl DataFolders {
    /// The file that a scenario calls `path`: itself when absolute, else in the first folder that has it.
    ///
    /// # Errors
    /// When no folder has it; with every path tried, and where to get it when it is a known public file.
    pub fn find(&self, path: &str) -> Result<PathBuf, MissingDataFile> {
        let tried = self.candidates(path);
        match tried.iter().find(|candidate| candidate.is_file()) {
            Some(found) => Ok(found.clone()),
            None => Err(MissingDataFile { path: path.to_owned(), known: known(Path::new(path)), tried }),
        }
    }

    /// The files that a scenario calls `path`, sorted by name: of a name with `*` or `?` all that fit, in the first
    /// folder that has one; else the one of that name.
    ///
    /// # Errors
    /// As for [`DataFolders::find`].
    pub fn find_all(&self, path: &str) -> Result<Vec<PathBuf>, MissingDataFile> {
        if !path.contains(['*', '?']) {
            return Ok(vec![self.find(path)?]);
        }
        let tried = self.candidates(path);
        match tried.iter().map(|pattern| fitting(pattern)).find(|files| !files.is_empty()) {
            Some(found) => Ok(found),
            None => Err(MissingDataFile { path: path.to_owned(), known: None, tried }),
        }
    }

    /// Where the file may be, in the order in which it is looked for.
    fn candidates(&self, path: &str) -> Vec<PathBuf> {
        let given = Path::new(path);
        if given.is_absolute() {
            return vec![given.to_owned()];
        }
        let folders = [&self.scenario, &self.option, &self.variable].into_iter().flatten();
        folders.map(|folder| folder.join(given)).collect()
    }
}

/// The files of a folder whose names fit the last part of a path, sorted.
fn fitting(pattern: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (pattern.parent(), pattern.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let name: Vec<char> = name.chars().collect();
    let fits = |path: &PathBuf| {
        let found = path.file_name().and_then(|found| found.to_str());
        found.is_some_and(|found| fits(&name, &found.chars().collect::<Vec<_>>())) && path.is_file()
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(fits).collect();
    files.sort();
    files
}

/// Whether a name fits a pattern, in which `*` stands for any text and `?` for one character.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    // Where the last `*` stood, and what it has taken: it takes one more where the rest does not fit.
    let mut star = None;
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == name[place] => (at, place) = (at + 1, place + 1),
            _ => {
                let Some((before, taken)) = star else { return false };
                star = Some((before, taken + 1));
                (at, place) = (before + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

fn known(path: &Path) -> Option<&'static KnownFile> {
    let name = path.file_name()?.to_str()?;
    let plain = |file: &str| file.trim_end_matches(".gz") == name.trim_end_matches(".gz");
    KNOWN_FILES.iter().find(|known| plain(known.file))
}

/// What was looked for, and what stands there instead.
fn looked_for(path: &Path) -> String {
    let instead = match path.metadata() {
        Ok(there) if there.is_dir() => ", which is a folder",
        Ok(_) => ", which is no regular file",
        Err(_) => "",
    };
    format!("looked for {}{instead}", path.display())
}

impl MissingDataFile {
    /// That it is missing.
    pub(crate) fn message(&self) -> String {
        format!("the data file `{}` was not found", self.path)
    }

    /// Where it was looked for, where to get it, what to do; a line for each.
    pub(crate) fn help(&self) -> String {
        let mut lines: Vec<String> = self.tried.iter().map(|path| looked_for(path)).collect();
        if lines.is_empty() {
            lines.push("there was no folder to look in".to_owned());
        }
        if let Some(known) = self.known {
            lines.push(format!("it belongs to the data set: {}", known.set));
            lines.push(format!("get it from {}", known.address));
            lines.push(format!("SHA-256 of {}: {}", known.file, known.sha256));
            if !known.remark.is_empty() {
                lines.push(format!("({})", known.remark));
            }
        }
        let remedy = "put it beside the scenario, or say where it is by --data DIR or the variable FEDBITS_DATA";
        lines.push(remedy.to_owned());
        lines.join("\n")
    }
}

impl fmt::Display for MissingDataFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  {}", self.message(), self.help().replace('\n', "\n  "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let cases =
            [("a-*.csv", "a-1.csv"), ("*", ""), ("*b*b", "abab"), ("?.csv", "x.csv"), ("a*", "a"), ("**x", "x")];
        for (pattern, name) in cases {
            assert!(fits(&chars(pattern), &chars(name)), "{pattern} {name}");
        }
        for (pattern, name) in [("a-*.csv", "a-1.csv.gz"), ("?", ""), ("*b", "ba"), ("a?c", "ac"), ("", "a")] {
            assert!(!fits(&chars(pattern), &chars(name)), "{pattern} {name}");
        }
    }
}
