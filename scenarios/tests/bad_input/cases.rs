//! Cases that edit the good scenarios of a mixture and of counts.

use fedbits_scenarios::{Source, load};

use crate::bad_input::{GOOD, all_said};

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
    ("time_without_unit", &[("rounds: 50", "time: 60")]),
    ("size_without_unit", &[("rounds: 50", "bits: 1e6")]),
    ("power_without_unit", &[("compute: ()", "compute: (), energy: (compute: 2, send: W(1), receive: W(1))")]),
    ("rate_without_unit", &[("client_up: Mbps(1)", "client_up: 1000000")]),
    ("wrong_unit", &[("latency: Ms(20)", "latency: Mbps(20)")]),
    ("text_for_schedule", &[("gamma: Constant(0.1)", "gamma: \"0.1\"")]),
    ("short_schedule_out_of_range", &[("gamma: Constant(0.1)", "gamma: 1.5")]),
    (
        "unit_of_another_quantity",
        &[("latency: Ms(20)", "latency: \"20 Mbps\""), ("client_up: Mbps(1)", "client_up: \"1 MB/s\"")],
    ),
    ("column_without_quotes", &[(DATA, "data: Csv(path: \"a.csv\", label: kind, columns: [a, 1.5, \"b\"]),")]),
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
    (
        "buffer_beyond_all_clients",
        &[("clients: 10,", ""), ("SortedByLabel", "ClientColumn"), ("WaitForAll", "Buffered(10_000_001)")],
    ),
    ("batch_zero", &[("WithReplacement(5)", "WithReplacement(0)")]),
    ("batch_above_share", &[("WithReplacement(5)", "WithoutReplacement(101)")]),
    ("levels_zero", &[("levels: 4", "levels: 0")]),
    ("norm_below_one", &[("norm: L(2)", "norm: L(0.5)")]),
    ("k_above_q", &[("Dithering(levels: 4, norm: L(2), code: Fixed)", "RandK(k: 7)")]),
    ("k_of_the_second", &[(DITHERING, "Composition(first: RandK(k: 2), then: TopK(k: 3))")]),
    ("k_after_bernoulli", &[(DITHERING, "Composition(first: Bernoulli(probability: 0.5), then: RandK(k: 2))")]),
    (
        "rows_after_bernoulli",
        &[(DITHERING, "Composition(first: Bernoulli(probability: 0.5), then: RankR(rank: 1, rows: 2))")],
    ),
    (
        "k_within_what_is_after_bernoulli",
        &[(
            DITHERING,
            "Composition(first: Bernoulli(probability: 0.5), then: Composition(first: RandK(k: 2), then: Natural))",
        )],
    ),
    (
        "k_of_what_is_induced_after_bernoulli",
        &[(
            DITHERING,
            "Composition(first: Bernoulli(probability: 0.5), then: Induced(contraction: TopK(k: 2), rest: Natural))",
        )],
    ),
    ("block_above_q", &[(DITHERING, "BlockQuantization(block: 7, norm: L(2))")]),
    ("biased", &[(DITHERING, "TopK(k: 3, indices: SharedSeed)")]),
    ("biased_allowed_without_need", &[("domain: Error", "allow_biased: true")]),
    ("block_zero", &[(DITHERING, "BlockQuantization(block: 0, norm: L(NaN))")]),
    ("rank", &[(DITHERING, "Induced(contraction: RankR(rank: 3, rows: 2), rest: Lazy(probability: 0))")]),
    ("rows", &[(DITHERING, "Induced(contraction: RankR(rank: 1, rows: 4), rest: PermK)")]),
    ("induced_by_an_unbiased_one", &[(DITHERING, "Induced(contraction: Natural, rest: NaturalDithering(levels: 61))")]),
    ("inner_steps", &[("domain: Error", "variance_reduction: Spider(inner: Geometric(0))")]),
    ("negative_latency", &[("latency: Ms(20)", "latency: Ms(-20)")]),
    ("infinite_span", &[("latency: Ms(20)", "latency: Exponential(mean: Sec(inf))")]),
    ("far_too_long_span", &[("latency: Ms(20)", "latency: Sec(1e300)")]),
    ("too_long_span", &[("latency: Ms(20)", "latency: Min(1e12)")]),
    ("uniform_reversed", &[("latency: Ms(20)", "latency: Uniform(min: Ms(30), max: Us(20))")]),
    ("law_parameters", &[("latency: Ms(20)", "latency: LogNormal(median: Ms(0), sigma: NaN)")]),
    ("zero_rate", &[("client_up: Mbps(1)", "client_up: Gamma(mean: Mbps(0), shape: 0)")]),
    ("zero_deadline", &[("WaitForAll", "Deadline(Ms(0))")]),
    ("headers", &[("latency: Ms(20)", "latency: Ms(20), headers: Bytes(header: 10001, segment: 0)")]),
    (
        "traces_that_cannot_be_followed",
        &[(
            "client_up: Mbps(1)",
            "up_trace: Steps(rows: [[(rate: Mbps(0), lasts: Sec(1))], [(rate: Mbps(-1), lasts: Us(10))]]), down_trace: Steps(rows: [])",
        )],
    ),
    (
        "rate_and_trace",
        &[("client_up: Mbps(1)", "client_up: Mbps(1), up_trace: Steps(rows: [[(rate: Mbps(2), lasts: Sec(1))]])")],
    ),
    ("queues_of_flows", &[("latency: Ms(20)", "latency: Ms(20), queues: (client_up: Room(KiB(64)))")]),
    (
        "tcp_knows_no_others",
        &[(
            "latency: Ms(20)",
            "latency: Ms(20), sharing: Tcp(), background: OnOff(flows: 1, mean_off: Sec(1), mean_size: KiB(1)), up_trace: \
         Steps(rows: [[(rate: Mbps(2), lasts: Sec(1))]]), transport: (connections: PerMessage)",
        )],
    ),
    (
        "tcp_knows_no_others_on_a_link",
        &[(
            NETWORK,
            "network: (shape: Graph(sites: Ring(5), links: [(from: 0, to: 1, background: OnOff(flows: 10, \
             mean_off: Sec(1), mean_size: MiB(1)))]), sharing: Tcp()),",
        )],
    ),
    ("order_of_packets", &[("latency: Ms(20)", "latency: Ms(20), sharing: Fifo(), latency_order: First")]),
    ("links_of_a_star", &[("latency: Ms(20)", "latency: Ms(20), sharing: Tcp(), queues: (links: Fair)")]),
    (
        "queue_without_room",
        &[(
            "latency: Ms(20)",
            "latency: Ms(20), sharing: Tcp(congestion: Vegas), queues: (client_up: Room(Bits(0)), server_down: Delay(Ms(0)))",
        )],
    ),
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
    ("loss_certain", &[(NETWORK, "network: (loss: Bernoulli(1), latency: Ms(-1)),")]),
    (
        "gilbert_elliott",
        &[(NETWORK, "network: (loss: GilbertElliott(to_bad: 0, to_good: 1.5, in_good: 1, in_bad: 0)),")],
    ),
    ("background_takes_all", &[(NETWORK, "network: (server_up: Mbps(5), background: Rate(Mbps(5))),")]),
    (
        "background_ranges",
        &[(NETWORK, "network: (background: OnOff(flows: 0, mean_off: Sec(0), mean_size: Bits(0))),")],
    ),
    (
        "background_without_contention",
        &[(NETWORK, "network: (sharing: Ideal, background: OnOff(flows: 1, mean_off: Sec(1), mean_size: KiB(1))),")],
    ),
    ("transport_ranges", &[(NETWORK, "network: (transport: (set_up: 11, slow_start: 0)),")]),
    ("reliable_without_loss", &[(NETWORK, "network: (transport: (delivery: Reliable(RoundTrip))),")]),
    ("zero_timeout", &[(NETWORK, "network: (loss: Bernoulli(0.1), transport: (delivery: Reliable(Timeout(Ms(0))))),")]),
    ("loss_negative", &[(NETWORK, "network: (loss: Bernoulli(-0.1)),")]),
    ("each_of_zero", &[(NETWORK, "network: (client_up: Each([Mbps(1), Mbps(0)]), jitter: Each([Ms(1)])),")]),
    (
        "single_links",
        &[(
            NETWORK,
            "network: (shape: Graph(sites: Ring(5), links: [(from: Index(1), to: Index(1), loss: Bernoulli(1)), (from: Index(1), to: Index(2))])),",
        )],
    ),
    ("buffer_zero", &[(NETWORK, "network: (sharing: Fifo(buffer: Bits(0))),")]),
    ("jitter_of_a_column", &[(NETWORK, "network: (jitter: Column(path: \"\", column: Index(0), unit: Ms(0))),")]),
    ("values_empty", &[(NETWORK, "network: (client_up: Values([]), client_down: Values([Mbps(1), Mbps(0)])),")]),
    ("graph_without_sites", &[(NETWORK, "network: (shape: Graph(server: Index(0))),")]),
    ("graph_zero_capacity", &[(NETWORK, "network: (shape: Graph(sites: Ring(5), link_capacity: Law(Mbps(0)))),")]),
    ("ring_of_two", &[(NETWORK, "network: (shape: Graph(sites: Ring(2), clients: Sites([]))),")]),
    ("odd_regular", &[(NETWORK, "network: (shape: Graph(sites: KRegular(sites: 5, degree: 3))),")]),
    ("attachment_above_sites", &[(NETWORK, "network: (shape: Graph(sites: BarabasiAlbert(sites: 3, links: 3))),")]),
    ("hierarchy_of_nothing", &[(NETWORK, "network: (shape: Graph(sites: Hierarchical(fan_out: []))),")]),
    ("hierarchy_too_large", &[(NETWORK, "network: (shape: Graph(sites: Hierarchical(fan_out: [1000, 1000, 1000]))),")]),
    (
        "geometric_ranges",
        &[(
            NETWORK,
            "network: (shape: Graph(sites: Geometric(sites: 0, reach: Radius(3)), link_latency: Distance(km_per_ms: 301))),",
        )],
    ),
    ("distance_without_positions", &[(NETWORK, "network: (shape: Graph(sites: Ring(5), link_latency: Distance())),")]),
    (
        "file_without_file",
        &[(NETWORK, "network: (shape: Graph(sites: Ring(5), link_capacity: File(), link_latency: File())),")],
    ),
    (
        "attributes_without_file",
        &[(
            NETWORK,
            "network: (shape: Graph(sites: Gml(path: \"a.gml\", capacity: (name: \"cap\", unit: Mbps(1)), \
             latency: (name: \"lat\", unit: Ms(1))))),",
        )],
    ),
    (
        "file_without_latencies",
        &[(NETWORK, "network: (shape: Graph(sites: Gml(path: \"a.gml\"), link_latency: File())),")],
    ),
    ("shape_field_in_network", &[(NETWORK, "network: (sites: Ring(5)),")]),
    ("misspelt_site_name", &[(NETWORK, "network: (shape: Graph(sites: Ring(5), server: Nmae(\"s1\"))),")]),
    // Without effect.
    ("alpha_without_memory", &[("alpha: Auto", "alpha: Constant(0.1), memory: NoMemory")]),
    ("center_then_standardize", &[("preprocess: []", "preprocess: [Center, Standardize]")]),
    ("stop_bits_in_one_place", &[ALONE[0], ALONE[1], ALONE[2], ALONE[3], ("rounds: 50", "bits: \"1 MB\"")]),
    ("stop_bits_beside_another", &[ALONE[0], ALONE[1], ALONE[2], ALONE[3], ("rounds: 50", "rounds: 50, bits: MiB(1)")]),
    (
        "stop_time_that_stands",
        &[
            ALONE[0],
            ALONE[1],
            ALONE[2],
            ALONE[3],
            ("compute: ()", "compute: (server_expectation: \"0 s\")"),
            ("rounds: 50", "time: \"1 s\""),
        ],
    ),
    (
        "stop_energy_without_power",
        &[
            ("compute: ()", "compute: (), energy: (compute: W(0), send: W(0), receive: W(0), server: (compute: W(9)))"),
            ("rounds: 50", "energy: \"1 J\""),
        ],
    ),
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
    ("slow_clients_that_are_none", &[("compute: ()", "compute: (slow: (share: 0.001, factor: 6))")]),
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
            (NETWORK, "network: (loss: Bernoulli(0.1)),"),
        ],
    ),
    ("first_of_nobody", &[(FED_EM, "protocol: DistributedEm(),"), ("WaitForAll", "First(0)")]),
    ("first_of_more_than_there_are", &[(FED_EM, "protocol: DistributedEm(),"), ("WaitForAll", "First(4_294_967_297)")]),
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
    (
        "alpha_of_what_is_no_contraction",
        &[
            ("alpha: Auto", "allow_biased: true, alpha: Auto"),
            (DITHERING, "Composition(first: TopK(k: 4), then: RandK(k: 1))"),
        ],
    ),
    (
        "default_alpha_of_what_is_no_contraction",
        &[("alpha: Auto,", "allow_biased: true,"), (DITHERING, "Composition(first: TopK(k: 4), then: RandK(k: 1))")],
    ),
    (
        "down_alpha_of_what_is_no_contraction",
        &[(
            "domain: Error",
            "downlink: Compressed(compressor: Composition(first: TopK(k: 4), then: RandK(k: 1)), allow_biased: true, \
             memory: DownMemory(Auto))",
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

const ALWAYS: &str = "availability: Always";

const DITHERING: &str = "Dithering(levels: 4, norm: L(2), code: Fixed)";

const FED_EM: &str = "protocol: FedEm(
        gamma: Constant(0.1),
        alpha: Auto,
        participation: All,
        batch: WithReplacement(5),
        compressor: Dithering(levels: 4, norm: L(2), code: Fixed),
        domain: Error,
    ),";

/// What makes the scenario one of an algorithm in one place.
const ALONE: [(&str, &str); 4] =
    [(FED_EM, "protocol: CentralizedEm(),"), ("clients: 10,", ""), ("partition: SortedByLabel,", ""), (NETWORK, "")];

const NETWORK: &str = "network: (client_up: Mbps(1), latency: Ms(20)),";

const DATA: &str = "data: GaussianMixture(
        examples: 1000,
        weights: [0.3, 0.7],
        means: [[-1, -1], [1, 1]],
        covariance: Common([[1, 0.2], [0.2, 1]]),
    ),";

#[test]
fn each_case_says_what_is_wrong() {
    insta::assert_snapshot!("cases", all_said(GOOD, CASES));
}

#[test]
fn each_case_of_baselines_says_what_is_wrong() {
    insta::assert_snapshot!("baselines", all_said(GOOD, BASELINES));
}

#[test]
fn each_case_of_presence_says_what_is_wrong() {
    insta::assert_snapshot!("presence", all_said(GOOD, PRESENCE));
}

/// A good scenario of low-rank imputation.
const COUNTS: &str = include_str!("../counts.ron");

const COUNT_CASES: &[(&str, &[(&str, &str)])] = &[
    ("ranges", &[("held_out: 0.1", "held_out: 1"), ("rank: 2, lambda: 0", "rank: 0, lambda: -1")]),
    ("rank_above_the_times", &[("rank: 2", "rank: 4")]),
    ("trials", &[("lambda: 0", "lambda: 0, family: Binomial(trials: 0)")]),
    ("start_of_a_mixture", &[("initial: Margins", "initial: RandomExamples")]),
    ("counts_are_not_prepared", &[("initial: Margins", "initial: Margins, preprocess: [Center]")]),
    ("settings_of_fedem", &[("gamma: Constant(0.5)", "gamma: Constant(0.5), weighting: Clients, domain: SkipRound")]),
    ("columns", &[("Name(\"v3\")", "Name(\"v2\")"), ("[Name(\"who\")]", "[Name(\"who\"), Name(\"who\")]")]),
    ("mixture_of_counts", &[("LowRank(rank: 2, lambda: 0)", "GaussianMixture(components: 2, covariance: Full)")]),
    ("counts_by_saem", &[(FED_MISS_EM, "FlSaem(gamma: Constant(1), local: Expect)")]),
    ("counts_by_diffusion", &[(FED_MISS_EM, "DiffusionEm(gamma: Constant(1))")]),
    (
        "counts_by_k_means",
        &[(FED_MISS_EM, "KMeans(vertical: false)"), ("partition: Observers,", ""), ("clients: 10,", "")],
    ),
    ("counts_by_vp_em", &[(FED_MISS_EM, "VpEm(setting: Federated)")]),
    ("counts_by_online_em", &[(FED_MISS_EM, "OnlineEm(gamma: Constant(1), batch: All)")]),
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

/// The protocol of `COUNTS`.
const FED_MISS_EM: &str = "FedMissEm(gamma: Constant(0.5))";

/// The data of `COUNTS`.
const BIRDS: &str = "data: Counts(path: \"birds.csv\", site: Name(\"site\"), arrangement: Wide(counts: [Name(\"v1\"), Name(\"v2\"), Name(\"v3\")], observers: [Name(\"who\")]), held_out: 0.1),";

#[test]
fn each_case_of_counts_says_what_is_wrong() {
    assert!(load(Source::new("counts.ron", COUNTS), &[]).is_ok());
    insta::assert_snapshot!("counts", all_said(COUNTS, COUNT_CASES));
}
