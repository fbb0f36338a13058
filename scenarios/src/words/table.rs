//! The tables: what people call something, and how a scenario says it.

/// A quantizer of the literature.
pub struct Quantizer {
    /// What it is called; upper and lower case, blanks and signs make no difference.
    pub names: &'static [&'static str],
    /// How a scenario says it, with parameters for q = 1000.
    pub setting: &'static str,
    /// What is to be known of it.
    pub note: &'static str,
}

const fn of(names: &'static [&'static str], setting: &'static str, note: &'static str) -> Quantizer {
    Quantizer { names, setting, note }
}

/// The quantizers of the literature.
pub const LITERATURE: &[Quantizer] = &[
    of(&["float32", "fp32", "32 bit", "no compression"], "Identity", "with `floats: F32`"),
    of(
        &["16 bit", "int16", "fp16", "float16", "bfloat16", "half precision"],
        "Dithering(levels: 32767, norm: Infinity, code: Fixed)",
        "equal steps up to the largest magnitude: there are no floats of 16 bits",
    ),
    of(
        &["8 bit", "int8", "uint8", "max-norm quantization"],
        "Dithering(levels: 127, norm: Infinity, code: Fixed)",
        "a sign and 7 bits",
    ),
    of(&["4 bit", "int4"], "Dithering(levels: 7, norm: Infinity, code: Fixed)", "a sign and 3 bits"),
    of(&["8-bit QSGD", "Qsgd8"], "Qsgd(levels: 127, code: Fixed)", "Alistarh et al. 2017"),
    of(
        &["4-bit QSGD", "Qsgd4", "b-bit QSGD", "FedPAQ", "quantize", "quantization", "quantized"],
        "Qsgd(levels: 7, code: Fixed)",
        "b bits are `levels` 2^(b − 1) − 1 with `code: Fixed`",
    ),
    of(&["2-bit QSGD", "2 bit", "Qsgd2"], "Qsgd(levels: 1, code: Fixed)", "a sign, and zero or one"),
    of(&["QSGD with Elias codes", "s-level QSGD"], "Qsgd(levels: 7)", "short where most levels are zero"),
    of(
        &["1 bit", "1-bit SGD", "OneBit", "OneBitSgd", "sign", "signSGD", "EF-signSGD", "signs", "binary"],
        "ScaledSign",
        "signs and their mean magnitude (Seide et al. 2014, Karimireddy et al. 2019)",
    ),
    of(&["TernGrad", "ternary"], "TernGrad", "Wen et al. 2017"),
    of(
        &["ternary dithering", "1.58 bit"],
        "Dithering(levels: 1, code: Packed)",
        "−1, 0 or 1, which is more than one bit: log₂ 3 = 1.58",
    ),
    of(
        &["DIANA", "block quantization", "infinity-norm quantization"],
        "BlockQuantization(block: 250, norm: Infinity)",
        "one norm per block, zero or a sign (Mishchenko et al. 2019)",
    ),
    of(&["DIANA with the 2-norm"], "BlockQuantization(block: 250)", "the same with the 2-norm: fewer are not zero"),
    of(&["natural compression", "CNat"], "Natural", "sign and exponent (Horváth et al. 2022)"),
    of(&["natural dithering"], "NaturalDithering(levels: 7, code: Fixed)", "levels are powers of two"),
    of(
        &["Top-k", "sparsification", "gradient sparsification", "deep gradient compression"],
        "TopK(k: 10)",
        "1 % of the entries",
    ),
    of(&["Rand-k", "random sparsification", "RandomK", "random mask"], "RandK(k: 10)", "1 % of the entries"),
    of(&["Rand-k with a common seed"], "RandK(k: 10, indices: SharedSeed)", "indices are free"),
    of(&["Bernoulli sparsification", "random dropping"], "Bernoulli(probability: 0.01)", "1 % on average"),
    of(&["Perm-k", "permutation compressor"], "PermK", "of 10 clients (Szlendak et al. 2022)"),
    of(
        &["Qsparse", "Top-k and QSGD"],
        "Composition(first: TopK(k: 10), then: Qsgd(levels: 7, code: Fixed))",
        "1 % of the entries, 4 bits each (Basu et al. 2019)",
    ),
    of(&["low rank", "PowerSGD", "ATOMO"], "RankR(rank: 1, rows: 25)", "of a matrix of 25 × 40"),
    of(&["sketch", "sketched SGD", "FetchSGD"], "CountSketch(rows: 5, columns: 20)", "10 % of the entries"),
    of(&["skip", "lazy aggregation", "random communication"], "Lazy(probability: 0.1)", "a message now and then"),
];

/// What people write where one of several names is expected: the words, a name that is among these, what to write.
pub(super) const VALUES: &[(&[&str], &str, &str)] = &[
    (&["none", "no", "off", "dense", "full"], "TernGrad", "Identity"),
    (&["max", "inf", "maximum", "linf", "linfinity", "sup"], "L", "Infinity"),
    (&["euclidean", "euclid", "l2norm"], "L", "L(2)"),
    (&["double", "float64", "fp64", "64"], "F64", "F64"),
    (&["single", "float", "float32", "fp32", "half", "fp16", "32"], "F64", "F32"),
    (&["everyone", "everybody", "full", "100"], "Cohort", "All"),
    (&["half", "partial", "fraction", "random", "poisson", "probability"], "Cohort", "Bernoulli(0.1)"),
    (&["uniform", "fixed", "sample", "count"], "Cohort", "Cohort(10)"),
    (&["synchronous", "sync", "wait", "all"], "WaitForAll", "WaitForAll"),
    (&["async", "fedasync"], "WaitForAll", "Asynchronous"),
    (&["fedbuff", "buffer"], "WaitForAll", "Buffered(10)"),
    (&["timeout", "timer", "limit"], "WaitForAll", "Deadline(\"10 s\")"),
    (&["bernoulli", "probability", "random", "rate", "share"], "Hazard", "PerRound(probability: 0.01)"),
    (&["none", "no", "off"], "Hazard", "Never"),
    (&["exponential", "poisson"], "Hazard", "Hazard(per_second: 0.01)"),
    (&["false", "no", "none", "off", "without"], "NoMemory", "NoMemory"),
    (&["true", "yes", "on"], "NoMemory", "Memory()"),
    (&["diag", "spherical", "isotropic"], "Tied", "Diagonal"),
    (&["shared", "common", "pooled"], "Tied", "Tied"),
    (&["random", "uniform"], "Iid", "Iid"),
    (&["noniid", "label", "labels", "bylabel", "sorted", "pathological"], "Iid", "SortedByLabel"),
    (&["vertical"], "Iid", "EvenFeatures"),
    (&["natural", "bycolumn", "column"], "Iid", "ClientColumn"),
    (&["fedavg", "localsgd"], "FedEm", "FedAvgEm(…)"),
    (&["diana", "artemis", "federated", "fedsgd"], "FedEm", "FedEm(…)"),
    (&["vrfedem", "spider", "spiderem"], "FedEm", "FedEm(variance_reduction: Spider(…))"),
    (&["em", "central", "centralized", "batchem"], "FedEm", "CentralizedEm"),
    (&["gossip", "decentralized", "diffusion"], "FedEm", "DiffusionEm(…)"),
    (&["errorfeedback", "ef"], "FedEm", "Ef21(…)"),
    (&["file", "table", "dataframe", "pandas", "tsv", "excel", "parquet"], "Csv", "Csv(path: \"my.csv\")"),
    (&["numpy", "array"], "Csv", "Npy(path: \"my.npy\")"),
    (&["gmm", "mixture", "gaussian", "gaussians"], "LowRank", "GaussianMixture(components: 3)"),
    (&["lda"], "LowRank", "Topics(…)"),
    (&["kmeansplusplus", "kmeans++"], "KMeansPlusPlus", "KMeansPlusPlus()"),
    (&["random", "randompoints", "forgy"], "KMeansPlusPlus", "RandomExamples"),
];

/// What people call a setting, and its path in a scenario.
pub(super) const FIELDS: &[(&[&str], &str)] = &[
    (&["lr", "learningrate", "stepsize", "step", "eta", "serverlr"], "protocol.gamma"),
    (&["nclients", "numclients", "clientcount", "workers", "numworkers", "devices"], "clients"),
    (&["iterations", "numrounds", "nrounds", "maxrounds", "iters", "maxiter", "steps"], "stop.rounds"),
    (&["duration", "maxtime", "wallclock", "walltime", "timelimit"], "stop.time"),
    (&["tol", "tolerance", "eps", "epsilon", "precision"], "stop.mean_field_sq"),
    (&["batchsize", "minibatch", "minibatchsize"], "protocol.batch"),
    (&["quantizer", "quantization", "compression", "operator", "sparsifier"], "protocol.compressor"),
    (
        &["sampling", "samplerate", "clientfraction", "fractionfit", "cohort", "clientsperround"],
        "protocol.participation",
    ),
    (&["bandwidth", "uplink", "uploadrate", "rate", "clientbandwidth"], "network.client_up"),
    (&["downlink", "downloadrate"], "network.client_down"),
    (&["delay", "rtt", "ping"], "network.latency"),
    (&["packetloss", "lossrate", "plr", "per"], "network.loss"),
    (&["ncomponents", "nclusters", "clusters", "numcomponents"], "model.components"),
    (&["covariancetype"], "model.covariance"),
    (&["algorithm", "method", "optimizer", "algo"], "protocol"),
    (&["dataset", "train", "file", "input"], "data"),
    (&["split", "heterogeneity", "noniid"], "partition"),
    (&["randomstate", "randomseed", "rng"], "seed"),
    (&["repeats", "repetitions", "nruns", "trials", "nseeds", "seeds"], "replicates"),
    (&["dropoutrate", "failures", "failurerate", "dropouts", "pdrop"], "dropout"),
    (&["stragglers", "slowclients"], "compute.slow"),
    (&["init", "initialization", "start", "theta0"], "initial"),
    (&["timeout", "deadline", "aggregationpolicy"], "round"),
    (&["dp", "differentialprivacy"], "privacy"),
    (&["secagg", "secureaggregation"], "aggregation"),
    (&["test", "testset", "validation", "testsize"], "holdout"),
    (&["normalize", "standardize", "scaler", "transform"], "preprocess"),
];

/// What people call an option of the command line, and its name.
pub(super) const OPTIONS: &[(&[&str], &str)] = &[
    (&["jobs", "njobs", "workers", "numworkers", "parallel", "processes", "cores", "cpus", "numthreads"], "threads"),
    (&["output", "outdir", "outputdir", "outputfolder", "folder", "dir"], "out"),
    (&["randomseed", "randomstate"], "seed"),
    (&["repeats", "repetitions", "runs", "nruns", "trials", "seeds"], "replicates"),
    (&["memory", "mem", "ram", "memorylimit"], "max-memory"),
    (&["datadir", "datafolder", "datapath"], "data"),
    (&["noplots", "noplot", "nofigs"], "no-figures"),
    (&["override", "param", "parameter", "setting", "define"], "set"),
];
