//! Where the examples come from, what is done to them before the run, and which client holds which.
//! This file must not know how files are read.

use fedbits_spec::laws::Column;
use serde::{Deserialize, Serialize};

use super::longitudinal::{Doses, Rows};

/// A matrix by rows; the checks see to it that rows have equal lengths.
pub type Matrix = Vec<Vec<f64>>;

/// The source of the examples.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Data {
    /// Drawn from a Gaussian mixture whose parameters are thereby the known truth.
    GaussianMixture {
        /// Number of examples N over all clients; 1 to 10⁹.
        examples: u64,
        /// π, the G weights of the components; each above 0, sum 1 (± 1e-9).
        weights: Vec<f64>,
        /// μ, G rows of d coordinates.
        means: Matrix,
        /// Σ, one for all components or one each; symmetric, positive definite, d × d.
        covariance: Covariances,
        /// The size of a pool that all replicates share, from which the examples are sampled without replacement; `examples` to 10⁹.
        /// Default none: every replicate draws its examples from the mixture.
        #[serde(default)]
        pool: Option<u64>,
    },
    /// Drawn from a Gaussian mixture that is itself drawn: weights Dirichlet(5, …, 5), means N(0, `separation`² I), covariances
    /// `correlated` · A Aᵀ / d + (1 − `correlated`) I with standard normal d × d matrices A.
    RandomMixture {
        /// Number of examples; 1 to 10⁹.
        examples: u64,
        /// d; 1 to 2000.
        features: usize,
        /// G; 1 to 1000.
        components: usize,
        /// Standard deviation of the means' coordinates; above 0; no unit (variances of the components are about 1).
        separation: f64,
        /// Share of the correlated part; in (0, 1], default 0.8.
        #[serde(default = "mostly")]
        correlated: f64,
    },
    /// A text file of numbers, one example per line.
    Csv {
        /// File name, looked up beside the scenario, then in the data directories; UTF-8 text, packed with gzip or not.
        path: String,
        /// Whether the first line holds column names; default false.
        #[serde(default)]
        header: bool,
        /// The columns that are features; default `All`: every column but the label's and the client's.
        #[serde(default)]
        columns: Columns,
        /// The column of class labels; default none.
        #[serde(default)]
        label: Option<Column>,
        /// The column that names the client of an example; default none.
        #[serde(default)]
        client: Option<Column>,
        /// The character between fields; one ASCII character, default `','`.
        #[serde(default = "comma")]
        delimiter: char,
    },
    /// Subjects observed over time, from a text file: one row per observation.
    Longitudinal {
        /// File name, looked up beside the scenario, then in the data directories.
        path: String,
        /// Whether the first line holds column names; default true.
        #[serde(default = "yes")]
        header: bool,
        /// The character between fields; one ASCII character, default `','`.
        #[serde(default = "comma")]
        delimiter: char,
        /// The column that names the subject.
        subject: Column,
        /// The column of times, in any unit.
        time: Column,
        /// The column of observed values; with doses these are concentrations and at least 0.
        value: Column,
        /// Where doses stand; default `NoDoses`.
        #[serde(default)]
        doses: Doses,
        /// Which rows are observations; default none: all that are no doses.
        #[serde(default)]
        only: Option<Rows>,
        /// Observations at this time or before are left out; default none: all are kept.
        #[serde(default)]
        after: Option<f64>,
    },
    /// Counts by site, time and observer, from a text file; an empty cell or `NA` is a missing count.
    Counts {
        /// File name, looked up beside the scenario, then in the data directories.
        path: String,
        /// Whether the first line holds column names; default true.
        #[serde(default = "yes")]
        header: bool,
        /// The column of the site.
        site: Column,
        /// Where the counts stand.
        arrangement: Arrangement,
        /// The share of the observations that the fit does not see, for measuring imputation; 0 to 0.9, default 0.
        #[serde(default)]
        held_out: f64,
        /// The character between fields; one ASCII character, default `','`.
        #[serde(default = "comma")]
        delimiter: char,
    },
    /// Counts by site, time and observer drawn from a low-rank matrix that few irregular visits look at.
    Visits {
        /// J, the number of sites; 1 to 10⁶.
        sites: usize,
        /// L, the number of times (months: seasons have 12 of them); 1 to 10⁵; J L below 2³².
        times: usize,
        /// I, the number of observers; 1 to 10⁶.
        observers: usize,
        /// N, the number of observations; 1 to 10⁷.
        observations: usize,
        /// The rank of the natural parameters; 1 to 12.
        rank: usize,
        /// The law of an observation; default `Gaussian`.
        #[serde(default)]
        family: Family,
        /// The mean natural parameter; −100 to 100.
        level: f64,
        /// Standard deviation of each factor of the sites; 0 to 100.
        spread: f64,
        /// Standard deviation of the logarithms of the popularity of sites and observers; 0 to 10; 0 visits evenly.
        skew: f64,
        /// The share of the observations that the fit does not see, for measuring imputation; 0 to 0.9, default 0.
        #[serde(default)]
        held_out: f64,
    },
    /// Answers of persons to items, from a text file: one row per person, or per pattern of answers. None may be missing.
    Responses {
        /// File name, looked up beside the scenario, then in the data directories.
        path: String,
        /// Whether the first line holds column names; default true.
        #[serde(default = "yes")]
        header: bool,
        /// The columns of the items; default `All`: every column but that of the frequency.
        #[serde(default)]
        items: Columns,
        /// The column that says how many persons gave the answers of a row; default none: one each.
        #[serde(default)]
        frequency: Option<Column>,
        /// The character between fields; one ASCII character, default `','`.
        #[serde(default = "comma")]
        delimiter: char,
    },
    /// Documents as bags of words, in the format of LDA-C (`M id:count …` per line), plain or gzip.
    Corpus {
        /// File name, looked up beside the scenario, then in the data directories.
        path: String,
        /// The file of the words, one per line in the order of their ids; default none: words are called by their ids.
        #[serde(default)]
        vocabulary: Option<String>,
        /// Every so many tokens of a document one is set aside, for measuring perplexity; at least 2, default none. Of document d
        /// (from 0) those tokens j ≥ 1 (in the order of word ids) for which j + d is a multiple.
        #[serde(default)]
        hold_out_every: Option<u32>,
    },
    /// Images in the IDX format (MNIST), plain or gzip.
    Idx {
        /// The file of images.
        images: String,
        /// The file of labels; default none.
        #[serde(default)]
        labels: Option<String>,
    },
}

/// Where the counts of a text file stand.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Arrangement {
    /// One count per line.
    Long {
        /// The columns that name the time, most significant first: year, month.
        time: Vec<Column>,
        /// The column of the count.
        count: Column,
        /// The column of the observer; default none: every line has an observer of its own.
        #[serde(default)]
        observer: Option<Column>,
    },
    /// One line per site, one column of counts per time.
    Wide {
        /// The columns of counts, in the order of time.
        counts: Vec<Column>,
        /// The column of the observer: one for all times, or one per time; default none: every count has its own.
        #[serde(default)]
        observers: Vec<Column>,
    },
}

/// The law of an observation, given its natural parameter θ.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Family {
    /// Normal with mean θ and variance 1: the paper's choice for its bird counts.
    #[default]
    Gaussian,
    /// Poisson with log-intensity θ.
    Poisson,
    /// Binomial with log-odds θ; one trial is presence or absence.
    Binomial {
        /// The number of trials; 1 to 10⁶.
        trials: u32,
    },
}

fn yes() -> bool {
    true
}

fn mostly() -> f64 {
    0.8
}

fn comma() -> char {
    ','
}

/// Covariances of the components of a mixture.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Covariances {
    /// One d × d matrix for all components.
    Common(Matrix),
    /// G matrices d × d, one per component.
    PerComponent(Vec<Matrix>),
}

/// A choice of columns.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Columns {
    /// Every column that is neither the label nor the client.
    #[default]
    All,
    /// These, in this order.
    Columns(Vec<Column>),
}

/// One step of preparation, applied to all examples in the order written, before the split over clients.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub enum Preprocess {
    /// Drop the features whose value is the same in every example.
    DropConstant,
    /// Subtract each feature's mean.
    Center,
    /// Subtract each feature's mean and divide by its standard deviation (divisor N − 1).
    Standardize,
    /// Project on the first so many principal components; 1 to the number of features.
    Pca(usize),
}

/// Which client holds which example.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Partition {
    /// A uniformly random order, cut into equal shares.
    #[default]
    Iid,
    /// Sorted by label, cut into equal shares: the most heterogeneous clients. Needs labels.
    SortedByLabel,
    /// Each label is spread over clients by a draw of Dirichlet(alpha, …, alpha). Needs labels.
    Dirichlet {
        /// Concentration; above 0; small is heterogeneous, large is iid. No unit.
        alpha: f64,
    },
    /// Whole observers (groups of the data), dealt out at random in equal numbers. Needs counts.
    Observers,
    /// The client column of the file; then `clients` is not given.
    ClientColumn,
    /// Features, not examples, are divided: consecutive ones, in shares that differ by at most one. For VP-EM.
    EvenFeatures,
    /// Features, not examples, are divided: the lists of the clients' features, counted from 0. For VP-EM.
    Features(Vec<Vec<usize>>),
}

impl Data {
    /// The file that holds the examples, as the scenario names it; none for data that are drawn.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Data::Csv { path, .. }
            | Data::Longitudinal { path, .. }
            | Data::Counts { path, .. }
            | Data::Responses { path, .. }
            | Data::Corpus { path, .. }
            | Data::Idx { images: path, .. } => Some(path),
            Data::GaussianMixture { .. } | Data::RandomMixture { .. } | Data::Visits { .. } => None,
        }
    }
}
