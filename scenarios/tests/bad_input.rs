//! Bad input gives file, line, column, the line, what was expected, and a hint: in reviewed snapshots.
//! Snapshots are rewritten with `INSTA_UPDATE=always` and reviewed as differences.

use fedbits_scenarios::{Set, Source, load};

const GOOD: &str = include_str!("good.ron");

/// What is said about a text, with these `--set`s; panics when nothing is said.
fn said(text: &str, sets: &[&str]) -> String {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().expect("path=value")).collect();
    let problems = load(Source::new("bad.ron", text), &sets).expect_err("the text is bad");
    for problem in problems.problems() {
        assert!(problem.line >= 1 && problem.column >= 1 && !problem.message.is_empty());
    }
    problems.render(false)
}

/// `GOOD` with replacements, each of which must apply.
fn edited(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(GOOD.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

/// Each case: a name, and what is replaced in `GOOD`.
const CASES: &[(&str, &[(&str, &str)])] = &[
    // Names.
    ("misspelt_field", &[("clients: 10", "clinets: 10")]),
    ("misspelt_nested_field", &[("levels: 4", "level: 4")]),
    ("misspelt_variant", &[("partition: SortedByLabel", "partition: SortedByLable")]),
    ("misspelt_unit", &[("latency: Ms(20)", "latency: Milliseconds(20)")]),
    ("unknown_field_near_nothing", &[("clients: 10", "wombat: 10, clients: 10")]),
    ("unknown_variant_near_nothing", &[("partition: SortedByLabel", "partition: Wombat")]),
    ("repeated_field", &[("seed: 7", "seed: 7, seed: 8")]),
    (
        "several_misspelt_and_a_range",
        &[("seed: 7", "sed: 7"), ("Dithering", "Dithring"), ("Constant(0.1)", "Constant(2)")],
    ),
    (
        "several_of_all_kinds",
        &[
            ("seed: 7", "seeed: 7"),
            ("weights: [0.3, 0.7]", "weights: 1"),
            ("partition: SortedByLabel", "partition: 5"),
            ("levels: 4", "levels: -4"),
            ("latency: Ms(20)", "latency: 20"),
            ("name: \"good\",", ""),
        ],
    ),
    // Missing.
    ("missing_field", &[("name: \"good\",", "")]),
    ("missing_nested_field", &[("gamma: Constant(0.1),", "")]),
    ("missing_stop", &[("stop: (rounds: 50),", "")]),
    ("missing_clients", &[("clients: 10,", "")]),
    ("no_stop_rule", &[("stop: (rounds: 50)", "stop: ()")]),
    // Types.
    ("text_for_number", &[("clients: 10", "clients: \"ten\"")]),
    ("fraction_for_whole", &[("clients: 10", "clients: 10.5")]),
    ("negative_for_whole", &[("clients: 10", "clients: -10")]),
    ("number_without_unit", &[("latency: Ms(20)", "latency: 20")]),
    ("rate_without_unit", &[("client_up: Mbps(1)", "client_up: 1000000")]),
    ("wrong_unit", &[("latency: Ms(20)", "latency: Mbps(20)")]),
    ("bare_number_for_schedule", &[("gamma: Constant(0.1)", "gamma: 0.1")]),
    ("bare_text", &[("name: \"good\"", "name: good")]),
    ("number_for_list", &[("weights: [0.3, 0.7]", "weights: 0.3")]),
    ("text_in_list", &[("weights: [0.3, 0.7]", "weights: [0.3, \"x\"]")]),
    ("number_for_boolean", &[("theta: false", "theta: 1")]),
    ("number_for_struct", &[("stop: (rounds: 50)", "stop: 50")]),
    ("parentheses_too_many", &[("round: WaitForAll", "round: WaitForAll(3)")]),
    ("parentheses_missing", &[("batch: WithReplacement(5)", "batch: WithReplacement")]),
    ("two_values_for_one", &[("batch: WithReplacement(5)", "batch: WithReplacement(5, 6)")]),
    ("whole_number_too_large", &[("seed: 7", "seed: 18446744073709551616")]),
    // Syntax.
    ("comma_missing", &[("seed: 7,", "seed: 7")]),
    ("parenthesis_missing", &[("stop: (rounds: 50)", "stop: (rounds: 50")]),
    ("bracket_mismatch", &[("weights: [0.3, 0.7]", "weights: [0.3, 0.7)")]),
    ("text_never_closed", &[("name: \"good\"", "name: \"good")]),
    ("comment_never_closed", &[("seed: 7,", "seed: 7, /* oh")]),
    ("value_missing", &[("seed: 7", "seed: ")]),
    ("bad_escape", &[("name: \"good\"", "name: \"go\\od\"")]),
    ("rest_after_the_end", &[("arms: [],\n)", "arms: [],\n) and more")]),
    // Ranges.
    ("gamma_above_one", &[("Constant(0.1)", "Constant(1.5)")]),
    ("gamma_nan", &[("Constant(0.1)", "Constant(NaN)")]),
    ("power_schedule", &[("Constant(0.1)", "Power(initial: 0, exponent: 2, offset: -inf)")]),
    ("zero_clients", &[("clients: 10", "clients: 0")]),
    ("more_clients_than_examples", &[("clients: 10", "clients: 2000")]),
    ("probability", &[("participation: All", "participation: Bernoulli(1.5)")]),
    ("cohort_above_clients", &[("participation: All", "participation: Cohort(11)")]),
    ("first_above_cohort", &[("participation: All", "participation: Cohort(4)"), ("WaitForAll", "First(5)")]),
    ("first_zero", &[("WaitForAll", "First(0)")]),
    ("batch_zero", &[("WithReplacement(5)", "WithReplacement(0)")]),
    ("batch_above_share", &[("WithReplacement(5)", "WithoutReplacement(101)")]),
    ("levels_zero", &[("levels: 4", "levels: 0")]),
    ("norm_below_one", &[("norm: L(2)", "norm: L(0.5)")]),
    ("k_above_q", &[("Dithering(levels: 4, norm: L(2), code: Fixed)", "RandK(k: 7)")]),
    ("k_of_the_second", &[(DITHERING, "Composition(first: RandK(k: 2), then: TopK(k: 3))")]),
    ("biased", &[(DITHERING, "TopK(k: 3, indices: SharedSeed)")]),
    ("biased_allowed_without_need", &[("domain: Error", "allow_biased: true")]),
    ("block_zero", &[(DITHERING, "BlockQuantization(block: 0, norm: L(NaN))")]),
    ("rank", &[(DITHERING, "Induced(contraction: RankR(rank: 3, rows: 2), rest: Lazy(probability: 0))")]),
    ("rows", &[(DITHERING, "Induced(contraction: RankR(rank: 1, rows: 4), rest: PermK)")]),
    ("induced_by_an_unbiased_one", &[(DITHERING, "Induced(contraction: Natural, rest: NaturalDithering(levels: 61))")]),
    ("inner_steps", &[("domain: Error", "variance_reduction: Spider(inner: Geometric(0))")]),
    ("negative_latency", &[("latency: Ms(20)", "latency: Ms(-20)")]),
    ("infinite_span", &[("latency: Ms(20)", "latency: Exponential(mean: Sec(inf))")]),
    ("too_long_span", &[("latency: Ms(20)", "latency: Min(1e12)")]),
    ("uniform_reversed", &[("latency: Ms(20)", "latency: Uniform(min: Ms(30), max: Us(20))")]),
    ("law_parameters", &[("latency: Ms(20)", "latency: LogNormal(median: Ms(0), sigma: NaN)")]),
    ("zero_rate", &[("client_up: Mbps(1)", "client_up: Gamma(mean: Mbps(0), shape: 0)")]),
    ("zero_deadline", &[("WaitForAll", "Deadline(Ms(0))")]),
    ("segment_bytes", &[("latency: Ms(20)", "latency: Ms(20), header_bytes: 10001, segment_bytes: 0")]),
    ("dropout_rate", &[("dropout: Never", "dropout: Hazard(per_second: 0)")]),
    ("availability", &[("availability: Always", "availability: Bernoulli(0)")]),
    ("floor", &[("domain: Error", "domain: Clip(floor: 1)")]),
    ("stop_ranges", &[("rounds: 50", "rounds: 0, epochs: 0, time: Sec(0), bits: Bits(0.2), mean_field_sq: NaN")]),
    ("empty_name", &[("name: \"good\"", "name: \" \"")]),
    ("dirichlet", &[("SortedByLabel", "Dirichlet(alpha: 0)")]),
    // Sizes that do not fit.
    ("weights_sum", &[("weights: [0.3, 0.7]", "weights: [0.3, 0.6]")]),
    ("weight_negative", &[("weights: [0.3, 0.7]", "weights: [-0.3, 1.3]")]),
    ("means_ragged", &[("[[-1, -1], [1, 1]]", "[[-1, -1], [1]]")]),
    ("means_too_many", &[("[[-1, -1], [1, 1]]", "[[-1, -1], [1, 1], [2, 2]]")]),
    ("covariance_ragged", &[("Known([[1, 0.2], [0.2, 1]])", "Known([[1, 0.2], [0.2]])")]),
    ("covariance_asymmetric", &[("Known([[1, 0.2], [0.2, 1]])", "Known([[1, 0.2], [0.3, 1]])")]),
    ("covariance_indefinite", &[("Known([[1, 0.2], [0.2, 1]])", "Known([[1, 2], [2, 1]])")]),
    ("covariance_of_other_size", &[("Known([[1, 0.2], [0.2, 1]])", "Known([[1]])")]),
    ("initial_of_other_size", &[("RandomExamples", "Theta(weights: [1], means: [[0, 0, 0]])")]),
    ("pca_above_features", &[("preprocess: []", "preprocess: [Pca(3)]")]),
    ("probe_between_rows", &[("every: 2, probe_every: 10", "every: 3, probe_every: 10")]),
    // Networks.
    ("loss_certain", &[(NETWORK, "network: Star(loss: Bernoulli(1), latency: Ms(-1)),")]),
    (
        "gilbert_elliott",
        &[(NETWORK, "network: Star(loss: GilbertElliott(to_bad: 0, to_good: 1.5, in_good: 1, in_bad: 0)),")],
    ),
    ("background_takes_all", &[(NETWORK, "network: Star(server_up: Mbps(5), background: Rate(Mbps(5))),")]),
    (
        "background_ranges",
        &[(NETWORK, "network: Star(background: OnOff(flows: 0, mean_off: Sec(0), mean_size: Bits(0))),")],
    ),
    (
        "background_without_contention",
        &[(
            NETWORK,
            "network: Star(sharing: Ideal, background: OnOff(flows: 1, mean_off: Sec(1), mean_size: KiB(1))),",
        )],
    ),
    ("transport_ranges", &[(NETWORK, "network: Star(transport: (set_up: 11, slow_start: 0)),")]),
    ("reliable_without_loss", &[(NETWORK, "network: Star(transport: (delivery: Reliable(RoundTrip))),")]),
    (
        "zero_timeout",
        &[(NETWORK, "network: Star(loss: Bernoulli(0.1), transport: (delivery: Reliable(Timeout(Ms(0))))),")],
    ),
    ("loss_negative", &[(NETWORK, "network: Star(loss: Bernoulli(-0.1)),")]),
    ("each_of_zero", &[(NETWORK, "network: Star(client_up: Each([Mbps(1), Mbps(0)]), jitter: Each([Ms(1)])),")]),
    (
        "single_links",
        &[(
            NETWORK,
            "network: Graph(sites: Ring(5), links: [(from: Index(1), to: Index(1), loss: Bernoulli(1)), (from: Index(1), to: Index(2))]),",
        )],
    ),
    ("buffer_zero", &[(NETWORK, "network: Star(sharing: Fifo(buffer: Bits(0))),")]),
    ("jitter_of_a_column", &[(NETWORK, "network: Star(jitter: Column(path: \"\", column: Index(0), unit: Ms(0))),")]),
    ("values_empty", &[(NETWORK, "network: Star(client_up: Values([]), client_down: Values([Mbps(1), Mbps(0)])),")]),
    ("graph_without_sites", &[(NETWORK, "network: Graph(server: Index(0)),")]),
    ("graph_zero_capacity", &[(NETWORK, "network: Graph(sites: Ring(5), link_capacity: Law(Mbps(0))),")]),
    ("ring_of_two", &[(NETWORK, "network: Graph(sites: Ring(2), clients: Sites([])),")]),
    ("odd_regular", &[(NETWORK, "network: Graph(sites: KRegular(sites: 5, degree: 3)),")]),
    ("attachment_above_sites", &[(NETWORK, "network: Graph(sites: BarabasiAlbert(sites: 3, links: 3)),")]),
    ("hierarchy_of_nothing", &[(NETWORK, "network: Graph(sites: Hierarchical(fan_out: [])),")]),
    ("hierarchy_too_large", &[(NETWORK, "network: Graph(sites: Hierarchical(fan_out: [1000, 1000, 1000])),")]),
    (
        "geometric_ranges",
        &[(
            NETWORK,
            "network: Graph(sites: Geometric(sites: 0, reach: Radius(3)), link_latency: Distance(km_per_ms: 301)),",
        )],
    ),
    ("distance_without_places", &[(NETWORK, "network: Graph(sites: Ring(5), link_latency: Distance()),")]),
    ("file_without_file", &[(NETWORK, "network: Graph(sites: Ring(5), link_capacity: File(), link_latency: File()),")]),
    ("file_without_latencies", &[(NETWORK, "network: Graph(sites: Gml(path: \"a.gml\"), link_latency: File()),")]),
    ("star_field_in_graph", &[(NETWORK, "network: Star(sites: Ring(5)),")]),
    ("misspelt_site_name", &[(NETWORK, "network: Graph(sites: Ring(5), server: Nmae(\"s1\")),")]),
    // Without effect.
    ("alpha_without_memory", &[("alpha: Auto", "alpha: Constant(0.1), memory: NoMemory")]),
    ("center_then_standardize", &[("preprocess: []", "preprocess: [Center, Standardize]")]),
    ("stop_never_probed", &[("rounds: 50", "mean_field_sq: 1e-9"), ("probe_every: 10", "probe_every: None")]),
    (
        "known_covariance_initial",
        &[(
            "RandomExamples",
            "Theta(weights: [0.5, 0.5], means: [[0, 0], [1, 1]], covariance: Common([[1, 0], [0, 1]]))",
        )],
    ),
    ("server_speed_in_fed_em", &[("compute: ()", "compute: (server_expectation: Ms(1))")]),
    ("network_of_centralized_em", &[(FED_EM, "protocol: CentralizedEm(),"), ("WaitForAll", "Deadline(Sec(1))")]),
    // Data.
    ("sorted_without_labels", &[(DATA, "data: Csv(path: \"a.csv\"),")]),
    ("client_column_missing", &[(DATA, "data: Csv(path: \"a.csv\"),"), ("SortedByLabel", "ClientColumn")]),
    (
        "csv_columns",
        &[(DATA, "data: Csv(path: \"\", columns: Columns([Index(1), Name(\"x\")]), label: Index(1), delimiter: '.'),")],
    ),
    ("delimiter_text", &[(DATA, "data: Csv(path: \"a.csv\", label: Index(1), delimiter: \",\"),")]),
    // Arms.
    ("arm_unknown_path", &[("arms: []", "arms: [(name: \"a\", set: {\"protocol.compresor\": \"Identity\"})]")]),
    ("arm_bad_value", &[("arms: []", "arms: [(name: \"a\", set: {\"protocol.gamma\": \"Constant(3)\"})]")]),
    ("arm_syntax", &[("arms: []", "arms: [(name: \"a\", set: {\"protocol.gamma\": \"Constant(\"})]")]),
    ("arm_names", &[("arms: []", "arms: [(name: \"a\"), (name: \"a\"), (name: \"\")]")]),
    ("arm_of_arms", &[("arms: []", "arms: [(name: \"a\", set: {\"arms\": \"[]\"})]")]),
    ("arm_name_with_slash", &[("arms: []", "arms: [(name: \"a/b\"), (name: \"..\")]")]),
    ("arm_path_twice", &[("arms: []", "arms: [(name: \"a\", set: {\"seed\": \"1\", \"seed\": \"2\"})]")]),
    (
        "one_arm_of_two",
        &[("arms: []", "arms: [(name: \"a\", set: {\"clients\": \"20\"}), (name: \"b\")]"), ("All", "Cohort(11)")],
    ),
];

/// Rounds, presence and failures of clients.
const PRESENCE: &[(&str, &[(&str, &str)])] = &[
    (
        "buffer_above_those_at_work",
        &[("participation: All", "participation: Cohort(4)"), ("WaitForAll", "Buffered(5)")],
    ),
    ("buffer_zero", &[("WaitForAll", "Buffered(0)")]),
    (
        "buffer_of_drawn_clients",
        &[("participation: All", "participation: Bernoulli(0.5)"), ("WaitForAll", "Asynchronous")],
    ),
    ("late_without_effect", &[("round: WaitForAll", "round: WaitForAll, late: Apply")]),
    ("staleness_without_effect", &[("round: WaitForAll", "round: First(5), staleness: Polynomial(0.5)")]),
    ("staleness_range", &[("round: WaitForAll", "round: Asynchronous, staleness: Polynomial(NaN)")]),
    ("asynchronous_centralized_em", &[(FED_EM, "protocol: CentralizedEm(),"), ("WaitForAll", "Asynchronous")]),
    ("variation_and_slow", &[("compute: ()", "compute: (variation: -1, slow: (share: 0, factor: -2))")]),
    ("resynchronized_never", &[("alpha: Auto", "memory: Memory(commit: Resynchronized(every: 0))")]),
    ("recovery_without_loss", &[("alpha: Auto", "memory: Memory(recovery: Zero)")]),
    (
        "state_without_memory",
        &[("alpha: Auto", "memory: NoMemory"), ("dropout: Never", "dropout: Hazard(per_second: 1, state: Lost)")],
    ),
    ("on_off", &[(ALWAYS, "availability: OnOff(on: Exponential(Us(1)), off: Empirical([]))")]),
    ("durations", &[(ALWAYS, "availability: OnOff(on: Empirical([Sec(1), Sec(-1)]), off: Exponential(Sec(1)))")]),
    ("window_of_the_day", &[(ALWAYS, "availability: Diurnal(from: 8, to: 8)")]),
    ("hours_and_zones", &[(ALWAYS, "availability: Diurnal(from: 25, to: 8, zones: [0, 15], probability: 0)")]),
    ("no_zones", &[(ALWAYS, "availability: Diurnal(from: 22, to: 8, zones: [])")]),
    (
        "trace_overlaps",
        &[(ALWAYS, "availability: Trace(rows: [[], [(from: Sec(0), to: Sec(9)), (from: Sec(8), to: Sec(10))]])")],
    ),
    (
        "trace_unsorted",
        &[(ALWAYS, "availability: Trace(rows: [[(from: Sec(5), to: Sec(6)), (from: Sec(1), to: Sec(2))]])")],
    ),
    ("trace_reversed", &[(ALWAYS, "availability: Trace(rows: [[(from: Sec(5), to: Sec(5))]])")]),
    (
        "trace_beyond_its_repetition",
        &[(ALWAYS, "availability: Trace(rows: [[(from: Sec(5), to: Sec(61))]], repeat: Min(1))")],
    ),
    ("trace_without_rows", &[(ALWAYS, "availability: Trace(rows: [])")]),
];

/// Algorithms that FedEM is compared with.
const BASELINES: &[(&str, &[(&str, &str)])] = &[
    ("online_em", &[(FED_EM, "protocol: OnlineEm(gamma: Constant(0), batch: WithoutReplacement(1001)),"), CENTRAL]),
    ("sem_vr", &[(FED_EM, "protocol: SemVr(gamma: Constant(0.5), refresh: 0, domain: SkipRound),"), CENTRAL]),
    ("incremental_em", &[(FED_EM, "protocol: IncrementalEm(batch: WithReplacement(0)),"), CENTRAL]),
    ("fiem", &[(FED_EM, "protocol: Fiem(gamma: Power(initial: 1, exponent: 2, offset: 0), lambda: -1),"), CENTRAL]),
    ("network_of_online_em", &[(FED_EM, "protocol: OnlineEm(gamma: Constant(1)),")]),
    ("ef21_without_compressor", &[(FED_EM, "protocol: Ef21(gamma: Constant(1)),")]),
    ("ef21", &[(FED_EM, "protocol: Ef21(gamma: Constant(2), compressor: PermK, participation: Cohort(11)),")]),
    (
        "ef21_asynchronous",
        &[(FED_EM, "protocol: Ef21(gamma: Constant(1), compressor: TopK(k: 7)),"), ("WaitForAll", "Asynchronous")],
    ),
    ("marina", &[(FED_EM, "protocol: Marina(gamma: Constant(1), probability: 0, compressor: TopK(k: 2)),")]),
    (
        "marina_allowed_without_need",
        &[(FED_EM, "protocol: Marina(gamma: Constant(1), probability: 1, compressor: Natural, allow_biased: true),")],
    ),
    (
        "marina_by_deadline",
        &[
            (FED_EM, "protocol: Marina(gamma: Constant(1), probability: 1, compressor: Natural),"),
            ("WaitForAll", "Deadline(Sec(1))"),
        ],
    ),
    (
        "marina_with_losses",
        &[
            (FED_EM, "protocol: Marina(gamma: Constant(1), probability: 1, compressor: Natural),"),
            (NETWORK, "network: Star(loss: Bernoulli(0.1)),"),
        ],
    ),
    ("fed_avg_em", &[(FED_EM, "protocol: FedAvgEm(local_steps: 0, domain: SkipRound),")]),
    (
        "gradient_ascent",
        &[
            (
                FED_EM,
                "protocol: GradientAscent(gamma: Constant(0.1), compressor: ScaledSign, domain: SkipRound, broadcast: StatisticAndParameters, variance_reduction: Spider(inner: Fixed(3))),",
            ),
            ("Known([[1, 0.2], [0.2, 1]])", "Full"),
        ],
    ),
    (
        "downlink",
        &[("domain: Error", "downlink: Compressed(compressor: TopK(k: 9)), broadcast: StatisticAndParameters")],
    ),
    (
        "downlink_memory",
        &[(
            "domain: Error",
            "downlink: Compressed(compressor: PermK, allow_biased: true, memory: DownMemory(Constant(0)))",
        )],
    ),
    ("ef21_no_contraction", &[(FED_EM, "protocol: Ef21(gamma: Constant(1), compressor: RandK(k: 2)),")]),
    ("alpha_of_a_biased_compressor", &[("alpha: Auto", "allow_biased: true, alpha: Auto"), (DITHERING, "TopK(k: 2)")]),
    ("default_alpha_of_a_biased_compressor", &[("alpha: Auto,", "allow_biased: true,"), (DITHERING, "ScaledSign")]),
    (
        "down_alpha_of_a_biased_compressor",
        &[(
            "domain: Error",
            "downlink: Compressed(compressor: TopK(k: 2), allow_biased: true, memory: DownMemory(Auto))",
        )],
    ),
    ("induced_twice_biased", &[(DITHERING, "Induced(contraction: TopK(k: 2), rest: TopK(k: 1))")]),
    ("induced_twice_unbiased", &[(DITHERING, "Induced(contraction: RandK(k: 2), rest: RandK(k: 2))")]),
    ("misspelt_downlink", &[("domain: Error", "downlink: Compresed(compressor: Natural)")]),
];

/// What an algorithm in one place does not have.
const CENTRAL: (&str, &str) = (
    "    clients: 10,
    partition: SortedByLabel,
",
    "",
);

#[test]
fn each_case_of_baselines_says_what_is_wrong() {
    let all = BASELINES.iter().map(|(name, edits)| format!("## {name}\n{}\n", said(&edited(edits), &[])));
    insta::assert_snapshot!("baselines", all.collect::<String>());
}

const ALWAYS: &str = "availability: Always";

#[test]
fn each_case_of_presence_says_what_is_wrong() {
    let all = PRESENCE.iter().map(|(name, edits)| format!("## {name}\n{}\n", said(&edited(edits), &[])));
    insta::assert_snapshot!("presence", all.collect::<String>());
}
const DITHERING: &str = "Dithering(levels: 4, norm: L(2), code: Fixed)";

const FED_EM: &str = "protocol: FedEm(
        gamma: Constant(0.1),
        alpha: Auto,
        participation: All,
        batch: WithReplacement(5),
        compressor: Dithering(levels: 4, norm: L(2), code: Fixed),
        domain: Error,
    ),";

const NETWORK: &str = "network: Star(client_up: Mbps(1), latency: Ms(20)),";

const DATA: &str = "data: GaussianMixture(
        examples: 1000,
        weights: [0.3, 0.7],
        means: [[-1, -1], [1, 1]],
        covariance: Common([[1, 0.2], [0.2, 1]]),
    ),";

#[test]
fn each_case_says_what_is_wrong() {
    let all = CASES.iter().map(|(name, edits)| format!("## {name}\n{}\n", said(&edited(edits), &[])));
    insta::assert_snapshot!("cases", all.collect::<String>());
}

/// Good scenarios of FL-SAEM: longitudinal data, item responses, documents.
const SAMPLED: [&str; 3] = [include_str!("saem.ron"), include_str!("answers.ron"), include_str!("words.ron")];

/// Each case: a name, which of the scenarios, and the values of `--set`.
const SAMPLED_CASES: &[(&str, usize, &[&str])] = &[
    ("gain_ranges", 0, &["protocol.gain=Saem(first: 2, k1: 10, exponent: 0)"]),
    ("gain_zero", 0, &["protocol.gain=Constant(0)"]),
    ("keep_above_iterations", 0, &["protocol.local.keep=5", "protocol.local.chains=0"]),
    ("negative_step", 0, &["protocol.local.kernel=Langevin(step: -1)"]),
    ("a_kernel_that_does_not_move", 0, &["protocol.local.kernel=RandomWalk(prior: 0, single: 0, block: 0)"]),
    ("no_gibbs_kernel", 0, &["protocol.local.kernel=Gibbs"]),
    ("no_exact_step", 0, &["protocol.local=Expect"]),
    ("misspelt_kernel", 0, &["protocol.local.kernel=RandomWlk()"]),
    ("local_steps_zero", 0, &["protocol.local_steps=0"]),
    ("k_above_q", 0, &["protocol.compressor=TopK(k: 8)"]),
    ("sketch_ranges", 0, &["protocol.compressor=CountSketch(rows: 0, columns: 0)"]),
    ("likelihood_draws", 0, &["protocol.likelihood_draws=10000001"]),
    ("start_of_other_size", 0, &["initial.values=[1, 8]", "initial.sigma=0"]),
    ("negative_rate", 0, &["initial.values=[1, -8, 0.1]"]),
    ("no_doses", 0, &["data.doses=NoDoses"]),
    ("one_column_twice", 0, &["data.value=Name(\"time\")"]),
    ("resynchronized_memories", 0, &["protocol.uplink=Memory(commit: Resynchronized(every: 5))"]),
    ("lost_memories", 0, &["dropout=Hazard(per_second: 0.1, state: Lost)"]),
    ("prepared_curves", 0, &["preprocess=[Center]", "partition=SortedByLabel"]),
    ("a_protocol_without_samples", 0, &["protocol=CentralizedEm(domain: Error)"]),
    ("a_mixture_of_curves", 0, &["model=GaussianMixture(components: 2, covariance: Full)"]),
    ("groups_with_a_gap", 1, &["model.groups=[1, 1, 3, 3]"]),
    ("groups_of_other_items", 1, &["model.groups=[1, 1, 2]"]),
    ("group_zero", 1, &["model.groups=[0, 1, 1, 9]"]),
    ("no_groups", 1, &["model.groups=[]"]),
    ("loadings", 1, &["initial=Loadings(general: 0, specific: -0.5, variance: 2)"]),
    ("logit_has_no_gibbs", 1, &["protocol.local.kernel=Gibbs"]),
    ("no_items", 1, &["data.items=Columns([])"]),
    ("item_as_frequency", 1, &["data.frequency=Some(Name(\"a\"))"]),
    ("names_without_header", 1, &["data.header=false"]),
    ("answers_start_as_words", 1, &["initial=RandomTopics()"]),
    ("answers_by_fedem", 1, &["protocol=FedEm(gamma: Constant(0.1))"]),
    ("topics_and_priors", 2, &["model=Topics(topics: 1, alpha: 0, smoothing: -1)"]),
    ("hold_out_all", 2, &["data.hold_out_every=Some(1)"]),
    ("concentration", 2, &["initial.concentration=0"]),
    ("likelihood_of_documents", 2, &["protocol.likelihood_draws=100"]),
    ("gradient_on_a_simplex", 2, &["protocol.sends=Gradient"]),
    ("words_of_other_models", 2, &["model=BiFactor(groups: [1, 1])"]),
    ("words_start_as_answers", 2, &["initial=Loadings(general: 1, specific: 1)"]),
    ("empty_file_names", 2, &["data.path=\"\"", "data.vocabulary=Some(\" \")"]),
];

/// Settings without effect, which only a text can have: a name, which of the scenarios, what is replaced in it.
const SAMPLED_EDITS: &[(&str, usize, &str, &str)] = &[
    ("coordinates_of_nothing", 0, "compressor: RandK(k: 3),", ""),
    ("coordinates_of_models", 0, "uplink: Memory(),", "sends: Parameters,"),
    ("local_steps_without_models", 0, "uplink: Memory(),", "local_steps: 3,"),
    ("coordinates_that_are_the_same", 1, "gain:", "coordinates: Standardized, compressor: RandK(k: 3), gain:"),
    ("adapting_a_kernel_that_accepts_everything", 0, "RandomWalk()", "Langevin(step: 0.1)"),
    ("variance_of_answers", 1, "specific: 0.5", "specific: 0.5, variance: 2"),
];

#[test]
fn each_case_of_sampled_models_says_what_is_wrong() {
    for text in SAMPLED {
        assert!(load(Source::new("good.ron", text), &[]).is_ok());
    }
    let set = SAMPLED_CASES.iter().map(|(name, base, sets)| format!("## {name}\n{}\n", said(SAMPLED[*base], sets)));
    let edited = SAMPLED_EDITS.iter().map(|(name, base, from, to)| {
        assert!(SAMPLED[*base].contains(from), "{name}");
        format!("## {name}\n{}\n", said(&SAMPLED[*base].replacen(from, to, 1), &[]))
    });
    let all = set.chain(edited);
    insta::assert_snapshot!("sampled", all.collect::<String>());
}

/// Each case: a name, and the values of `--set`.
const SETS: &[(&str, &[&str])] = &[
    ("set_unknown_path", &["protocol.gama=Constant(0.1)"]),
    ("set_unknown_top", &["clint=5"]),
    ("set_below_unknown", &["protocl.gamma=Constant(0.1)"]),
    ("set_below_scalar", &["clients.x=5"]),
    ("set_index_out_of_range", &["data.weights[2]=0.5"]),
    ("set_not_a_path", &["protocol..gamma=5"]),
    ("set_out_of_range", &["protocol.gamma=Constant(5)"]),
    ("set_wrong_type", &["clients=many"]),
    ("set_inserted_wrong_type", &["network.server_up=5"]),
    ("set_no_value", &["clients="]),
    ("set_two_values", &["clients=5, seed: 3"]),
    ("set_unclosed", &["protocol.gamma=Constant(0.1"]),
    ("set_comment", &["clients=5 // few"]),
    ("set_field_of_other_variant", &["protocol.compressor.k=3"]),
    ("set_several", &["clients=0", "seed=-1", "protocol.gamma=Constant(0)"]),
];

/// A good scenario of low-rank imputation.
const COUNTS: &str = include_str!("counts.ron");

const COUNT_CASES: &[(&str, &[(&str, &str)])] = &[
    ("ranges", &[("held_out: 0.1", "held_out: 1"), ("rank: 2, lambda: 0", "rank: 0, lambda: -1")]),
    ("rank_above_the_times", &[("rank: 2", "rank: 4")]),
    ("steps_of_a_closed_form", &[("lambda: 0", "lambda: 0, steps: 3")]),
    ("trials", &[("lambda: 0", "lambda: 0, family: Binomial(trials: 0)")]),
    ("start_of_a_mixture", &[("initial: Margins", "initial: RandomExamples")]),
    ("counts_are_not_prepared", &[("initial: Margins", "initial: Margins, preprocess: [Center]")]),
    ("settings_of_fedem", &[("gamma: Constant(0.5)", "gamma: Constant(0.5), weighting: Clients, domain: SkipRound")]),
    ("columns", &[("Name(\"v3\")", "Name(\"v2\")"), ("[Name(\"who\")]", "[Name(\"who\"), Name(\"who\")]")]),
    ("mixture_of_counts", &[("LowRank(rank: 2, lambda: 0)", "GaussianMixture(components: 2, covariance: Full)")]),
    (
        "low_rank_of_a_mixture",
        &[
            (
                "partition: Observers",
                "partition: Observers, data: GaussianMixture(examples: 9, weights: [1], means: [[1]], covariance: Common([[1]]))",
            ),
            (BIRDS, ""),
        ],
    ),
    (
        "visits",
        &[(
            BIRDS,
            "data: Visits(sites: 100_000, times: 100_000, observers: 0, observations: 10, rank: 13, level: 1e3, spread: -1, skew: 1),",
        )],
    ),
];

/// The data of `COUNTS`.
const BIRDS: &str = "data: Counts(path: \"birds.csv\", site: Name(\"site\"), arrangement: Wide(counts: [Name(\"v1\"), Name(\"v2\"), Name(\"v3\")], observers: [Name(\"who\")]), held_out: 0.1),";

#[test]
fn each_case_of_counts_says_what_is_wrong() {
    assert!(load(Source::new("counts.ron", COUNTS), &[]).is_ok());
    let case = |(name, edits): &(&str, &[(&str, &str)])| {
        let text = edits.iter().fold(COUNTS.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        format!("=== {name}\n{}\n", said(&text, &[]))
    };
    insta::assert_snapshot!("counts", COUNT_CASES.iter().map(case).collect::<String>());
}

#[test]
fn each_bad_set_says_what_is_wrong() {
    let all = SETS.iter().map(|(name, sets)| format!("## {name}\n{}\n", said(GOOD, sets)));
    insta::assert_snapshot!("sets", all.collect::<String>());
}

#[test]
fn an_empty_file_is_a_problem() {
    insta::assert_snapshot!("empty_file", said("", &[]));
    insta::assert_snapshot!("only_a_comment", said("// nothing", &["clients=5"]));
}

/// The place is the place: line and column count from 1 and point at the first character of what is wrong.
#[test]
fn places_are_exact() {
    for (from, to, at) in [
        ("clients: 10", "clinets: 10", "clinets"),
        ("latency: Ms(20)", "latency: Ms(-20)", "Ms(-20)"),
        ("Constant(0.1)", "Constant( 1.5 )", "1.5"),
        ("norm: L(2)", "norm: L(0.9)", "0.9"),
        ("weights: [0.3, 0.7]", "weights: [0.3, NaN]", "NaN"),
    ] {
        let text = edited(&[(from, to)]);
        let problems = load(Source::new("bad.ron", &*text), &[]).unwrap_err();
        let problem = &problems.problems()[0];
        let start = text.find(to).unwrap() + to.find(at).unwrap();
        assert_eq!(problem.span, start..start + at.len());
        assert_eq!(problem.line, text[..start].split('\n').count());
        assert_eq!(problem.column, text[..start].rsplit('\n').next().unwrap().chars().count() + 1);
    }
}

/// The text that everything above edits is itself right.
#[test]
fn the_good_scenario_is_good() {
    load(Source::new("good.ron", GOOD), &[]).unwrap_or_else(|problems| panic!("{problems}"));
}

/// Colours are terminal escapes: none unless asked for.
#[test]
fn colours_only_when_asked_for() {
    let problems = load(Source::new("bad.ron", edited(&[("clients: 10", "clients: 0")])), &[]).unwrap_err();
    assert!(problems.render(true).contains('\u{1b}'));
    assert!(!problems.render(false).contains('\u{1b}'));
}

/// Features that are in no block or in two, empty blocks, and what VP-EM cannot do without: each problem is named at its place.
#[test]
fn features_and_settings_of_vp_em() {
    // Without arms, one of which has a server.
    let text = include_str!("../library/papers/vpem-cycle5.ron");
    let text = &format!("{})", text.split("    arms: [").next().expect("the text before its arms"));
    let cases = [
        ("partition=Features([[0, 1], [2], [3], [4]])", "there are 4 lists of features"),
        ("partition=Features([[0, 1], [2], [3], [4], []])", "this agent has no features"),
        ("partition=Features([[0, 1], [2], [3], [4], [4]])", "feature 4 belongs to agent 3 already"),
        ("partition=Features([[0], [1], [2], [3], [5]])", "the data have no feature 5"),
        ("partition=Features([[0], [1], [2], [3], [5]])", "nobody has feature 4"),
        ("partition=Iid", "VP-EM needs data that are divided by features"),
        ("network=Star()", "agents are the sites of a graph"),
        ("model.covariance=Diagonal", "VP-EM fits a covariance per component and block"),
        ("protocol.singular=Ridge(-1)", "`singular` is out of range: -1"),
        ("protocol.setting.consensus=Choco(rounds: 3, step: 2, compressor: Identity)", "`step` is out of range: 2"),
        (
            "protocol.setting.consensus=Choco(rounds: 3, step: 0.5, compressor: TopK(k: 90))",
            "the shortest piece has 66 numbers",
        ),
        ("protocol.stopping=Alone(tolerance: 1e-3, margin: 1)", "the margin is 1"),
        ("network.link_loss=Bernoulli(0.1)", "a lost message of this protocol is never repeated"),
        ("clients=6", "6 agents share 5 features"),
        ("clients=4", "there are 4 agents and 5 sites"),
        ("network.client_up=Mbps(1)", "`network.client_up` has no effect"),
        ("network.server=Index(3)", "`network.server` has no effect"),
        ("network.loss=Bernoulli(0.1)", "`network.loss` has no effect"),
        ("availability=Bernoulli(0.5)", "nobody can be missing"),
        ("protocol.setting.weights=Laplacian(0)", "`weights` is out of range: 0"),
        ("protocol.setting.weights=Given([[1]])", "expected 5 rows of 5, one per agent"),
        ("protocol=DiffusionEm(gamma: Constant(2))", "`gamma` is out of range: 2"),
        ("protocol=DiffusionEm(gamma: Constant(1), combine: Rounds(0))", "`combine` is out of range: 0"),
        ("protocol=DiffusionEm(gamma: Constant(1), domain: SkipRound)", "would leave its neighbours waiting"),
        ("protocol=DiffusionEm(gamma: Constant(1))", "only VP-EM works on data that are divided by features"),
    ];
    for (set, expected) in cases {
        let said = said(text, &[set]);
        assert!(said.contains(expected), "{set}: {said}");
    }
}

/// Weights that cannot average on any graph: the place is the row or the number that is wrong.
#[test]
fn weights_of_the_user() {
    let text = include_str!("../library/papers/vpem-cycle5.ron").replace(
        "consensus: Rounds(100)",
        "consensus: Rounds(100), weights: Given([
            [0.5, 0.25, 0, 0, 0.25],
            [0.25, 0.5, 0.25, 0, 0],
            [0, 0.25, 0.5, 0.25, 0],
            [0, 0, 0.25, 0.5, 0.25],
            [0.25, 0, 0, 0.25, 0.5],
        ])",
    );
    assert!(load(Source::new("good.ron", text.as_str()), &[]).is_ok(), "symmetric, rows sum to 1");
    let row = |to: &str| text.replace("[0.25, 0.5, 0.25, 0, 0]", to);
    for (row, expected) in [
        (row("[0.25, 0.25, 0.25, 0, 0]"), "row 1 of the weights sums to 0.75"),
        (row("[0.25, 0.5, 0.25, 0]"), "this one 4 numbers"),
        (row("[0.25, inf, 0.25, 0, 0]"), "is out of range: inf"),
        (row("[0.3, 0.45, 0.25, 0, 0]"), "the weights are not symmetric: 0.3 here, 0.25 at row 0, column 1"),
    ] {
        let said = said(&row, &[]);
        assert!(said.contains(expected), "{said}");
        let problems = load(Source::new("bad.ron", row.as_str()), &[]).unwrap_err();
        let at = row.lines().nth(problems.problems()[0].line - 1).expect("a line of the text");
        assert!(at.contains("[0.25, ") || at.contains("[0.3, "), "{at}");
    }
}

/// A study with one slip of each kind: all are found at once, each where it stands.
const BAD_STUDY: &str = r#"(
    name: "bad",
    base: "quickstart",
    set: {"protocol.gama": "Constant(0.1)", "compute.server_expectation": "Us(2)"},
    axes: [
        Grid(path: "protocol.compressor", values: ["Identity", "RandK(k: 70)", "RandK(k: 70)"], labels: ["a", "b", "c"]),
        Grid(path: "protocol.participation", values: ["All", "Bernoulli(1.5)"]),
        Zip(name: "zipped", labels: ["x", "y"], paths: {"round": ["WaitForAll"]}),
    ],
    exclude: [{"compresor": "a"}, {"compressor": "d"}],
    replicates: 0,
    targets: [MeanFieldSq(-1)],
    budget: (rounds: 0),
)"#;

fn said_of_study(text: &str) -> String {
    let base = |name: &str| fedbits_scenarios::library::find(name).map_err(|error| error.to_string());
    let problems = fedbits_scenarios::study::load_study(Source::new("bad-study.ron", text), &base);
    problems.expect_err("the study is bad").render(false)
}

#[test]
fn a_bad_study() {
    insta::assert_snapshot!(said_of_study(BAD_STUDY));
}

#[test]
fn a_study_of_the_wrong_shape() {
    let text = BAD_STUDY
        .replace("replicates: 0", "replicate: 5")
        .replace("Zip(", "Zipp(")
        .replace("labels: [\"x\"", "label: [\"x\"");
    insta::assert_snapshot!(said_of_study(&text));
}

#[test]
fn a_study_without_its_base() {
    insta::assert_snapshot!(said_of_study("(name: \"x\", base: \"quikstart\", replicates: 2)"));
}
