//! The public data sets that scenarios of the library use.

use std::path::Path;

/// A public data set.
#[derive(Debug, Eq, PartialEq)]
pub struct KnownSet {
    /// What `fedbits data fetch` calls it.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its licence, as far as known.
    pub licence: &'static str,
    /// Where it is published.
    pub address: &'static str,
    /// The folder in which scenarios look for its files.
    pub folder: &'static str,
    /// Its files.
    pub files: &'static [KnownFile],
}

/// A file of a public data set.
#[derive(Debug, Eq, PartialEq)]
pub struct KnownFile {
    /// Its file name.
    pub file: &'static str,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: &'static str,
    /// Where exactly these bytes can be had; none where the published file has another form.
    pub url: Option<&'static str>,
    /// What else one should know to get the right file.
    pub remark: &'static str,
}

/// A file and its set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Known {
    /// The set.
    pub set: &'static KnownSet,
    /// The file.
    pub file: &'static KnownFile,
}

/// What is known of a file of this name, packed or not.
pub(crate) fn of(path: &Path) -> Option<Known> {
    let name = path.file_name()?.to_str()?;
    let plain = |file: &str| file.trim_end_matches(".gz") == name.trim_end_matches(".gz");
    KNOWN_SETS.iter().find_map(|set| {
        let file = set.files.iter().find(|known| plain(known.file))?;
        Some(Known { set, file })
    })
}

const fn file(file: &'static str, bytes: u64, sha256: &'static str, remark: &'static str) -> KnownFile {
    KnownFile { file, bytes, sha256, url: None, remark }
}

/// The same, where the published bytes are these.
const fn published(file: &'static str, bytes: u64, sha256: &'static str, url: &'static str) -> KnownFile {
    KnownFile { file, bytes, sha256, url: Some(url), remark: "" }
}

/// The data sets that are known by name.
pub const KNOWN_SETS: &[KnownSet] = &[
    KnownSet {
        name: "mnist",
        title: "MNIST handwritten digits",
        licence: "CC BY-SA 3.0, as commonly stated",
        address: "http://yann.lecun.com/exdb/mnist/ (mirror: https://ossci-datasets.s3.amazonaws.com/mnist/)",
        folder: "mnist",
        files: &[
            published(
                "train-images-idx3-ubyte.gz",
                9_912_422,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
                "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz",
            ),
            published(
                "train-labels-idx1-ubyte.gz",
                28_881,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
                "https://ossci-datasets.s3.amazonaws.com/mnist/train-labels-idx1-ubyte.gz",
            ),
            published(
                "t10k-images-idx3-ubyte.gz",
                1_648_877,
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
                "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-images-idx3-ubyte.gz",
            ),
            published(
                "t10k-labels-idx1-ubyte.gz",
                4_542,
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
                "https://ossci-datasets.s3.amazonaws.com/mnist/t10k-labels-idx1-ubyte.gz",
            ),
        ],
    },
    KnownSet {
        name: "htru2",
        title: "HTRU2 pulsar candidates",
        licence: "CC BY 4.0",
        address: "https://archive.ics.uci.edu/dataset/372/htru2",
        folder: "htru2",
        files: &[file(
            "HTRU_2.csv",
            1_730_115,
            "b2b388ceaa9718d00f6feba97bfe7096ee61996526cee2bea94e9dd034e9cbbe",
            "17 898 lines of 9 numbers; the sum is of the file with LF line endings",
        )],
    },
    KnownSet {
        name: "oxboys",
        title: "Oxford boys (R package nlme)",
        licence: "GPL-2 or later (of the package)",
        address: "https://vincentarelbundock.github.io/Rdatasets/csv/nlme/Oxboys.csv (without the column of row names)",
        folder: "oxboys",
        files: &[file(
            "Oxboys.csv",
            4_177,
            "52413baf20579020ff047041c00d383bcafba6ab66ede8e890a321980f9857f8",
            "columns Subject, age, height, Occasion; 26 boys, 9 heights each",
        )],
    },
    KnownSet {
        name: "theoph",
        title: "Theophylline (R package datasets)",
        licence: "GPL-2 or GPL-3 (of the package)",
        address: "https://vincentarelbundock.github.io/Rdatasets/csv/datasets/Theoph.csv (without the column of row \
            names)",
        folder: "theoph",
        files: &[file(
            "Theoph.csv",
            2_854,
            "e1436860a95ff6d9d0c241ae217221c5b664acc6b224bc520d58cebb6139e0de",
            "columns Subject, Wt, Dose, Time, conc; 12 subjects, 11 times each",
        )],
    },
    KnownSet {
        name: "warfarin",
        title: "Warfarin (R package nlmixr2data)",
        licence: "GPL-3 or later (of the package)",
        address: "https://cran.r-project.org/package=nlmixr2data (the data set `warfarin`, written as CSV)",
        folder: "warfarin",
        files: &[file(
            "warfarin_nlmixr2data.csv",
            18_131,
            "6fa3c173f05defb78a8540dbbed7532cab594113c659f3b0fcf143ded24e1cbd",
            "columns id, time, amt, dv, dvid, evid, wt, age, sex; 32 patients, 251 concentrations (dvid cp)",
        )],
    },
    KnownSet {
        name: "ap",
        title: "Associated Press corpus (D. Blei; R package topicmodels)",
        licence: "unknown for the text; GPL-2 (of the package)",
        address: "http://www.cs.columbia.edu/~blei/lda-c/ap.tgz",
        folder: "ap",
        files: &[
            file(
                "ap.dat.gz",
                692_028,
                "d6bf33df95a1acb94c8529d12a9d209021cc19d734913d22810d7461a6432b5a",
                "2 246 documents in LDA-C format, ids in the order of vocab.txt (alphabetical; Blei's own file has \
                    another order)",
            ),
            file(
                "vocab.txt",
                85_532,
                "f26aac3455a444effe6e333dbb82ed1bf87a8e527c59a0505a28a55e1dbcba42",
                "10 473 words, one per line, in alphabetical order",
            ),
        ],
    },
    KnownSet {
        name: "sat12",
        title: "SAT12, a grade-12 science test (R package mirt)",
        licence: "GPL-3 or later (of the package)",
        address: "https://cran.r-project.org/package=mirt (the data set `SAT12`, scored by its key)",
        folder: "irt",
        files: &[file(
            "sat12_scored.csv",
            38_647,
            "9e3783daeb2443a2724e2c2ad35a1bf7c655eb430987edfb58075876b419d8fa",
            "600 persons, 32 items as 0 or 1",
        )],
    },
    KnownSet {
        name: "geant",
        title: "Internet Topology Zoo",
        licence: "CC BY 4.0",
        address: "https://doi.org/10.25909/30153949",
        folder: "topology",
        files: &[KnownFile {
            file: "Geant2012.gml",
            bytes: 11_953,
            sha256: "5259257d6a81e501b4a6f428f4a325ead342d212e3b4c43ac0577bdce69be7f3",
            url: Some("https://raw.githubusercontent.com/mroughan/InternetTopologyZoo/HEAD/gml/Geant2012.gml"),
            remark: "Knight, Nguyen, Falkner, Bowden, Roughan, IEEE JSAC 29, 2011",
        }],
    },
    KnownSet {
        name: "flash",
        title: "FLASH (network speeds of smartphones)",
        licence: "BSD-2-Clause",
        address: "https://github.com/PKU-Chengxu/FLASH",
        folder: "network",
        files: &[file(
            "flash_device_net_speed.csv",
            1_343,
            "d76ef0c6f56f6b9bac38d6118f06125ffcd98aec94473ad7a71ce5a93e7a6de2",
            "a table with the columns down_mean, down_sd, up_mean, up_sd in kB/s; Yang et al., WWW 2021",
        )],
    },
    KnownSet {
        name: "planetlab",
        title: "NetLatency-Data (PlanetLab round-trip times)",
        licence: "MIT",
        address: "https://github.com/uofa-rzhu3/NetLatency-Data",
        folder: "network",
        files: &[file(
            "planetlab_rtt_median_ms.csv.gz",
            717_804,
            "55f8d892d38d2e1ad8f07707052113008eb10a6f88e172a764fdaa4eb2d8b682",
            "element-wise median of the 18 slices, with a header n0,n1,…; Zhu et al., IEEE/ACM ToN 25, 2017",
        )],
    },
    KnownSet {
        name: "ai-benchmark",
        title: "AI Benchmark scores of smartphones (as in FLASH)",
        licence: "unknown for the scores; BSD-2-Clause (of FLASH)",
        address: "https://github.com/PKU-Chengxu/FLASH",
        folder: "network",
        files: &[file(
            "ai_benchmark_2020_devices.csv",
            30_712,
            "023bab5feff6ab93a9a70d79ec734f6bded9f89cb1309f59a418476a185c7eb4",
            "the column AI_Score is used",
        )],
    },
    KnownSet {
        name: "mobile-access",
        title: "Mobile Access Bandwidth in Practice (China 2021)",
        licence: "Apache-2.0",
        address: "https://github.com/mobilebandwidth/mobilebandwidth.github.io",
        folder: "network",
        files: &[file(
            "mobile_access_bandwidth_50k.csv.gz",
            444_693,
            "b2770df3172d2aead9725e09fb4b913db19c3dbe23ff0b5fedbd56abe0f89548",
            "10 000 tests each of 4G, 5G, WiFi4, WiFi5, WiFi6; columns tech and bandwidth_mbps are used",
        )],
    },
    KnownSet {
        name: "cellular",
        title: "Cellular link capacities per second (mahimahi, Saturator traces)",
        licence: "GPL-3 (of the repository)",
        address: "https://github.com/ravinet/mahimahi (traces)",
        folder: "network",
        files: &[file(
            "cellular_capacity_1s.csv.gz",
            31_759,
            "6b858fb5ed674b116d8d9c27d25b295a3a3aaf339b86d3841e5009c3e80d5d58",
            "opportunities of 1500 bytes summed per second; trace, direction, t_s, capacity_mbps; NSDI 2013",
        )],
    },
    KnownSet {
        name: "swiss-birds",
        title: "Swiss breeding birds (Swiss Ornithological Institute; Kéry and Royle, R package AHMbook, GPL-3)",
        licence: "GPL-3 or later (of the package)",
        address: "https://cran.r-project.org/package=AHMbook",
        folder: "birds",
        files: &[
            file(
                "green_woodpecker.csv",
                135_291,
                "6b2dfd97a6c5c0675d2161945942fd8ddbf57153ef5994d26797e573c9c46a77",
                "the data set greenWoodpecker as a table: columns siteID, XYYYY.v.count, XYYYY.observer",
            ),
            file(
                "mhb2014_mallard.csv",
                10_800,
                "34e31f690b77f109657f12c43b76287a0e3e938921e9ee1f534d1b0a48c2dc73",
                MHB2014,
            ),
            file(
                "mhb2014_common_buzzard.csv",
                10_787,
                "a79c22a030c4f590ce1c62cca0d24cc2faf490f57d152e513ae8a668b7302c1a",
                MHB2014,
            ),
        ],
    },
    KnownSet {
        name: "wrens",
        title: "North American Breeding Bird Survey, Pacific Wren (USGS, doi:10.5066/P14SNUV4)",
        licence: "public domain",
        address: "https://github.com/bbsBayes/bbsBayes2 (data/bbs_data_sample.rda)",
        folder: "birds",
        files: &[file(
            "bbs_pacific_wren_counts.csv",
            535_247,
            "18c5806e4c817131d7b5953201da4a7e5c85c3aee2e4ae61a1f24265601a45e8",
            "the sample's counts as a table of routes, years and observers; runs without the species are left out",
        )],
    },
];

const MHB2014: &str = "one species of the data set MHB2014 as a table: sites, three visits, the observer";
