//! Cases of algorithms without a server.

use fedbits_scenarios::{Set, Source, load};
use fedbits_spec::Caveat;

use crate::bad_input::message;

/// Features that are in no block or in two, empty blocks, and what VP-EM cannot do without: each problem is named at
/// its position.
#[test]
fn features_and_settings_of_vp_em() {
    // Without arms, one of which has a server.
    let text = include_str!("../../library/papers/vpem-cycle5.ron");
    let text = &format!("{})", text.split("    arms: [").next().expect("the text before its arms"));
    let cases = [
        ("partition=Features([[0, 1], [2], [3], [4]])", "4 lists of features are given"),
        ("partition=Features([[0, 1], [2], [3], [4], []])", "this agent has no features"),
        ("partition=Features([[0, 1], [2], [3], [4], [4]])", "feature 4 belongs to agent 3 already"),
        ("partition=Features([[0], [1], [2], [3], [5]])", "the data have no feature 5"),
        ("partition=Features([[0], [1], [2], [3], [5]])", "nobody has feature 4"),
        ("partition=Iid", "this protocol needs data that are divided by features"),
        ("network=()", "agents are the sites of a graph"),
        ("model.covariance=Diagonal", "VP-EM fits a covariance per component and block"),
        ("protocol.singular=Ridge(-1)", "`singular` is out of range: -1"),
        ("network.shape.link_loss=Bernoulli(0.1)", "a lost message of this protocol is never repeated"),
        ("clients=6", "6 agents share 5 features"),
        ("clients=4", "the graph has 5 sites for 4 agents"),
        ("network.client_up=Mbps(1)", "`network.client_up` has no effect"),
        ("network.shape.server=Index(3)", "`network.shape.server` has no effect"),
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
        let message = message(text, &[set]);
        assert!(message.contains(expected), "{set}: {message}");
    }
}

/// Agents that have nobody to talk to, or nothing to say: no bits end a run, nor time where computing takes none.
#[test]
fn silent_agents_would_never_end() {
    let text = r#"(
        name: "agents",
        data: RandomMixture(examples: 50, features: 2, components: 2, separation: 3),
        clients: CLIENTS,
        partition: PARTITION,
        network: (shape: Graph(sites: Path(CLIENTS))),
        model: GaussianMixture(components: 2, covariance: Full),
        initial: RandomExamples,
        protocol: PROTOCOL,
        stop: (bits: "1 MB"),
    )"#;
    for (clients, partition, protocol) in [
        ("1", "EvenFeatures", "VpEm(setting: Decentralized())"),
        ("1", "Iid", "DiffusionEm(gamma: 1)"),
        ("2", "EvenFeatures", "VpEm(setting: Decentralized(hops: 0, consensus: Rounds(0)))"),
    ] {
        let text = text.replace("CLIENTS", clients).replace("PARTITION", partition).replace("PROTOCOL", protocol);
        assert!(message(&text, &[]).contains("`stop.bits` cannot hold: the run would never end"), "{protocol}");
        let said = message(&text, &["stop=(time: \"1 s\")", "compute.expectation=\"0 s\""]);
        assert!(said.contains("`stop.time` cannot hold: the run would never end"), "{protocol}: {said}");
        let powers = "energy=(compute: W(0), send: W(1), receive: W(1), idle: W(1))";
        let said = message(&text, &["stop=(energy: \"1 J\")", powers]);
        assert!(said.contains("`stop.energy` cannot hold: the run would never end"), "{protocol}: {said}");
        // Another rule ends it, or bits where they have something to say.
        let sets = if clients == "1" { "stop=(rounds: 5)" } else { "protocol.setting.hops=1" };
        let sets: Vec<Set> = vec![sets.parse().expect("path=value")];
        assert!(load(Source::new("good.ron", &text), &sets).is_ok(), "{protocol}");
    }
}

/// How agents average, and when they stop.
#[test]
fn consensus_of_vp_em() {
    // Without arms, one of which has a server.
    let text = include_str!("../../library/papers/vpem-cycle5.ron");
    let text = &format!("{})", text.split("    arms: [").next().expect("the text before its arms"));
    let cases = [
        ("protocol.setting.consensus=Choco(rounds: 3, step: 2, compressor: Identity)", "`step` is out of range: 2"),
        (
            "protocol.setting.consensus=Choco(rounds: 3, step: 0.5, compressor: TopK(k: 90))",
            "a piece of them has 66 numbers",
        ),
        (
            "protocol.setting.consensus=Choco(rounds: 3, step: 0.5, compressor: PermK)",
            "the clients of a round draw `PermK` together, and agents send vectors of their own",
        ),
        (
            "protocol.setting.consensus=Choco(rounds: 3, step: 0.5, compressor: Composition(first: TopK(k: 4), \
             then: RandK(k: 1)))",
            "CHOCO needs an unbiased operator with an ω, or a contraction, and rand-1 (indices sent) F64 after top-4",
        ),
        // The second piece of a batch.
        (
            "protocol=VpEm(batch: InTurn(33), setting: Decentralized(consensus: Choco(rounds: 3, step: 0.5, \
             tracking: false, compressor: TopK(k: 20))))",
            "a piece of them has 3 numbers",
        ),
        // Rows that divide the last piece of 66 numbers, and not the others of 96.
        (
            "protocol.setting.consensus=Choco(rounds: 3, step: 0.5, compressor: RankR(rank: 1, rows: 22))",
            "a piece of them has 96 numbers",
        ),
        ("protocol.stopping=Alone(tolerance: 1e-3, margin: 1)", "the margin is 1"),
        (
            "protocol=VpEm(stopping: Flood(tolerance: 1e-3), setting: Decentralized(consensus: Rounds(0)))",
            "a decision to stop rides on the messages of rounds",
        ),
        (
            "protocol.setting=Decentralized(weights: BestConstant, consensus: Lossy(rounds: 3))",
            "`protocol.setting.weights` has no effect",
        ),
        ("protocol.uplink=Compressed(compressor: TopK(k: 3))", "`protocol.uplink` has no effect"),
        ("protocol.exact_own=true", "`protocol.exact_own` has no effect"),
        ("protocol.missing_blocks=Drawn(share: 0.2)", "hubs and surrogates need those of all examples"),
    ];
    for (set, expected) in cases {
        let message = message(text, &[set]);
        assert!(message.contains(expected), "{set}: {message}");
    }
}

/// One agent has all features, of which no example could lack a block.
#[test]
fn one_agent_lacks_no_block() {
    let said = message(include_str!("../../library/papers/vpem-missing-blocks.ron"), &["clients=1"]);
    assert!(said.contains("the one agent has the only block") && said.contains("two clients or more"), "{said}");
}

/// What nobody would look at is reported, and does not pass in silence: settings of clients without clients, slow
/// agents, work that varies.
#[test]
fn settings_without_effect_on_divided_features() {
    let text = include_str!("../../library/papers/vpem-cycle5.ron");
    let text = format!("{})", text.split("    arms: [").next().expect("the text before its arms"));
    let with = |edits: &[(&str, &str)]| edits.iter().fold(text.clone(), |text, (from, to)| text.replacen(from, to, 1));
    let graph = "network: (shape: Graph(sites: Ring(5), link_capacity: Law(Mbps(10)), link_latency: Law(Ms(10)))),";
    let vp_em = "VpEm(
        setting: Decentralized(hops: 1, ties: Random, consensus: Rounds(100)),
    )";
    let initial = "initial: KMeans(iterations: 20, restarts: 1),";
    let diffusion = with(&[(vp_em, "DiffusionEm(gamma: Constant(1))"), ("partition: EvenFeatures,", "")]);
    let federated = with(&[(vp_em, "VpEm(setting: Federated)"), (graph, "")]);
    let vertical = with(&[(vp_em, "KMeans(vertical: true)"), (graph, ""), (initial, "")]);
    let central = "KMeans(vertical: false)";
    let central =
        with(&[(vp_em, central), (graph, ""), (initial, ""), ("clients: 5,", ""), ("partition: EvenFeatures,", "")]);
    let cases = [
        (&text, "compute: (variation: 0.5)", "`compute.variation` has no effect"),
        (&text, "compute: (slow: (share: 0.5, factor: 3))", "`compute.slow` has no effect"),
        (&diffusion, "compute: (variation: 0.5)", "`compute.variation` has no effect"),
        (&diffusion, "compute: (slow: (share: 0.5, factor: 3))", "`compute.slow` has no effect"),
        (&federated, "compute: (variation: 0.5)", "`compute.variation` has no effect"),
        (&vertical, "compute: (variation: 0.5)", "`compute.variation` has no effect"),
        (&text, "compute: (server_step: Ms(1))", "`compute.server_step` has no effect"),
        (&diffusion, "compute: (coding: (server_send: Ns(1)))", "`compute.coding.server_send` has no effect"),
        (&federated, "compute: (coding: (server_lanes: 2))", "`compute.coding.server_lanes` has no effect"),
        (&central, "compute: (client_step: Ms(1))", "`compute.client_step` has no effect"),
        (&central, "compute: (coding: (client_send: Ns(1)))", "`compute.coding` has no effect"),
        (&vertical, "availability: Bernoulli(0.5)", "nobody can be missing"),
        (&vertical, "dropout: Hazard(per_second: 1)", "nobody can be missing"),
        (&vertical, "dropout: PerRound(probability: 0.1)", "nobody can be missing"),
        (&federated, "dropout: PerRound(probability: 0.1)", "nobody can be missing"),
        (&text, "dropout: PerRound(probability: 0.1)", "nobody can be missing"),
        (&diffusion, "dropout: PerRound(probability: 0.1)", "nobody can be missing"),
        (&central, "dropout: PerRound(probability: 0.1)", "`dropout` has no effect"),
        (&vertical, "round: First(2)", "nobody can be missing"),
        (&vertical, "network: (loss: Bernoulli(0.1))", "a lost message of this protocol is never repeated"),
        (&vertical, "initial: RandomExamples", "`initial` has no effect"),
        (&central, "clients: 5", "`clients` has no effect"),
        (&central, "availability: Bernoulli(0.5)", "`availability` has no effect"),
        (&central, "dropout: Hazard(per_second: 1)", "`dropout` has no effect"),
        (&central, "network: (client_up: Kbps(5))", "`network` has no effect"),
    ];
    for (text, setting, expected) in cases {
        assert!(load(Source::new("good.ron", text.as_str()), &[]).is_ok(), "{text}");
        let message = message(&text.replacen("stop:", &format!("{setting}, stop:"), 1), &[]);
        assert!(message.contains(expected), "{setting}: {message}");
    }
    // A slow client of a server is slow.
    for text in [&federated, &vertical] {
        let slow = text.replacen("stop:", "compute: (slow: (share: 0.5, factor: 3)), stop:", 1);
        assert!(load(Source::new("good.ron", slow), &[]).is_ok(), "{text}");
    }
}

/// Who has whole columns standardizes them alone; principal components need the columns of all.
#[test]
fn principal_components_of_divided_features_are_a_leak() {
    let caveats = |steps: &str| {
        let sets = [&*format!("preprocess=[{steps}]"), "arms=[]"].map(|set| set.parse().unwrap());
        let text = include_str!("../../library/papers/vpem-cycle5.ron");
        load(Source::new("good.ron", text), &sets).unwrap_or_else(|problems| panic!("{problems}")).remove(0).caveats
    };
    let plain = caveats("DropConstant, Standardize");
    let leak = &caveats("Standardize, Pca(5)")[plain.len()..];
    assert!(matches!(&leak[0], Caveat::Leak { steps, .. } if steps == "`Pca`"), "{leak:?}");
}

/// Weights that cannot average on any graph: the position is the row or the number that is wrong.
#[test]
fn weights_of_the_user() {
    let text = include_str!("../../library/papers/vpem-cycle5.ron").replace(
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
        let message = message(&row, &[]);
        assert!(message.contains(expected), "{message}");
        let problems = load(Source::new("bad.ron", row.as_str()), &[]).unwrap_err();
        let at = row.lines().nth(problems.problems()[0].line - 1).expect("a line of the text");
        assert!(at.contains("[0.25, ") || at.contains("[0.3, "), "{at}");
    }
}
