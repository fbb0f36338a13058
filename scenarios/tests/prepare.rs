//! What only preparing a run can tell: caveats that need the model, networks that need files or draws.

use std::path::Path;

use fedbits_kernel::network::Transfer;
use fedbits_kernel::{Bits, NodeId, Time, World};

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::{Prepared, Preparer};
use fedbits_scenarios::{Set, Source, load};

const GOOD: &str = include_str!("good.ron");

fn caveats(sets: &[&str]) -> Vec<String> {
    prepared(sets, None).unwrap().caveats
}

/// The run of the good scenario after some edits; files are looked for in `folder`.
fn prepared(sets: &[&str], folder: Option<&Path>) -> Result<Prepared, String> {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    let checked = load(Source::new("good.ron", GOOD), &sets).unwrap_or_else(|problems| panic!("{problems}")).remove(0);
    let folders = DataFolders { option: folder.map(Path::to_path_buf), ..DataFolders::default() };
    Preparer::new(folders, false).prepare(&checked.scenario).map_err(|error| error.to_string())
}

fn refused(sets: &[&str], folder: Option<&Path>) -> String {
    prepared(sets, folder).err().expect("this cannot be prepared")
}

/// rand-3 of q = G + G d = 6 has ω = 1: Theorem 1 covers α up to 1/2.
#[test]
fn a_large_alpha_is_a_caveat() {
    assert!(caveats(&["protocol.compressor=RandK(k: 3)", "protocol.alpha=Constant(0.5)"]).is_empty());
    let large = caveats(&["protocol.compressor=RandK(k: 3)", "protocol.alpha=Constant(0.51)"]);
    assert_eq!(large, ["alpha = 0.51 is above 1/(1 + ω) = 0.5000, the largest value that Theorem 1 covers"]);
}

/// The caveat says which theorem, that the limit is an estimate, and that no global constant is known.
#[test]
fn a_large_gamma_is_a_caveat_of_one_run() {
    let caveat = |sets: &[&str]| prepared(sets, None).unwrap().large_gamma();
    assert_eq!(caveat(&["protocol.gamma=Constant(0.01)"]), None);
    let text = caveat(&["protocol.gamma=Constant(1)"]).expect("γ = 1 is not covered");
    assert!(
        text.starts_with("gamma = 1 is above 0.") && text.contains("local estimate") && text.contains("Theorem 1"),
        "{text}"
    );
    let reduced = "protocol.variance_reduction=Spider(inner: Fixed(5))";
    assert!(caveat(&["protocol.gamma=Constant(1)", reduced]).expect("nor here").contains("Theorem 3"));
    // No theorem: other caveats say so.
    let biased = ["protocol.gamma=Constant(1)", "protocol.compressor=TopK(k: 2)", "protocol.alpha=Constant(1)"];
    assert_eq!(caveat(&[&biased[..], &["protocol.allow_biased=true"]].concat()), None);
}

/// An operator that is no contraction is found in the text where q is known there, else when the data are: at its place either way.
#[test]
fn ef21_without_a_contraction_has_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..40).map(|j| format!("{}.5,{}\n", j % 7, j * j % 11)).collect();
    std::fs::write(folder.path().join("two.csv"), rows).unwrap();
    let sets = [
        "data=Csv(path: \"two.csv\", header: false)",
        "partition=Iid",
        // q = 2 (1 + 2 + 3), which the text alone does not tell.
        "model=GaussianMixture(components: 2, covariance: Full)",
        "protocol=Ef21(gamma: Constant(0.5), compressor: RandK(k: 3))",
    ];
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    let checked = load(Source::new("good.ron", GOOD), &sets).unwrap_or_else(|problems| panic!("{problems}")).remove(0);
    let folders = DataFolders { option: Some(folder.path().to_path_buf()), ..DataFolders::default() };
    let error = Preparer::new(folders, false).prepare(&checked.scenario).err().expect("ω = 3");
    let said = error.to_string();
    assert!(said.contains("is none at q = 12") && said.contains("TopK"), "{said}");
    let text = checked.problems(&error).unwrap().render(false);
    assert!(text.contains("--set protocol=Ef21") && text.contains("RandK(k: 3)"), "{text}");
}

/// n p < 1.
#[test]
fn hardly_any_participation_is_a_caveat() {
    let few = caveats(&["protocol.participation=Bernoulli(0.001)"]);
    assert!(few.len() == 1 && few[0].contains("participants are expected in a round"), "{few:?}");
}

/// Seconds that a transfer takes alone.
fn seconds(world: &mut World, from: u32, to: u32, bits: u64) -> f64 {
    let mut completed = Vec::new();
    world.network.advance(Time::ZERO, &mut completed);
    let transfer = Transfer { from: NodeId(from), to: NodeId(to), bits: Bits::new(bits) };
    world.network.start(Time::ZERO, transfer);
    loop {
        let next = world.network.next_completion().expect("the transfer ends");
        world.network.advance(next, &mut completed);
        if !completed.is_empty() {
            return next.as_seconds();
        }
    }
}

const GRAPH: &str = "network=Graph(sites: Path(4), link_capacity: Law(Mbps(1)), link_latency: Law(Ms(10)), latency: Ms(2), \
                     client_up: Mbps(4), server: Index(1), clients: Sites([Name(\"s3\"), Index(0)]))";

/// On the path s0 – s1 – s2 – s3 with the server at s1, client 0 hangs on s3 (two links of 10 ms) and client 1 on s0 (one): 1 Mbit
/// over links of 1 Mbit/s, and 2 ms on the access link.
#[test]
fn hosts_hang_where_the_scenario_says() {
    let took = |client| seconds(&mut prepared(&[GRAPH], None).unwrap().experiment.world, client, 0, 1_000_000);
    assert_eq!([took(1), took(2), took(3)], [1.022, 1.012, 1.022]);
    let topology = prepared(&[GRAPH], None).unwrap().topology.unwrap();
    assert_eq!((topology.sites.len(), topology.links.len()), (4, 3));
    let hosts: Vec<_> = topology.sites.iter().map(|site| (site.server, site.clients)).collect();
    assert_eq!(hosts, [(false, 5), (true, 0), (false, 0), (false, 5)]);
}

/// A hierarchy puts the clients on its leaves, and `Others` everywhere but at the server.
#[test]
fn clients_are_placed() {
    let clients = |placement: &str| {
        let network = format!("network=Graph(sites: Hierarchical(fan_out: [2, 2]), clients: {placement})");
        let sites = prepared(&[&network], None).unwrap().topology.unwrap().sites;
        sites.iter().map(|site| site.clients).collect::<Vec<_>>()
    };
    assert_eq!(clients("Leaves"), [0, 0, 0, 3, 3, 2, 2]);
    assert_eq!(clients("Others"), [0, 2, 2, 2, 2, 1, 1]);
    assert_eq!(clients("Everywhere"), [2, 2, 2, 1, 1, 1, 1]);
}

/// Distances: two neighbours of a grid of unit 300 km at 200 km/ms are 1.5 ms apart.
#[test]
fn latency_comes_from_distance() {
    let network = "network=Graph(sites: Grid(rows: 1, columns: 3), link_latency: Distance(unit_km: 300))";
    let links = prepared(&[network], None).unwrap().topology.unwrap().links;
    assert!(links.iter().all(|link| link.latency_ns == 1_500_000) && links.len() == 2);
}

#[test]
fn impossible_networks_say_what_to_do() {
    let site = |name: &str| refused(&[&format!("network=Graph(sites: Path(4), server: Name(\"{name}\"))")], None);
    assert_eq!(site("s9"), "the topology has no site `s9`: did you mean `s0`?");
    assert_eq!(site("Amsterdam"), "the topology has no site `Amsterdam`: expected `s0`, `s1`, `s2` or `s3`");
    let beyond = refused(&["network=Graph(sites: Path(4), server: Index(4))"], None);
    assert_eq!(
        beyond,
        "there is no site 4: the topology has 4 sites, counted from 0: expected `Index(0)` to `Index(3)`"
    );
    let leaves = refused(&["network=Graph(sites: Ring(4), clients: Leaves)"], None);
    assert!(leaves.contains("has just one neighbour") && leaves.contains("expected `Others`"), "{leaves}");
    let sparse = refused(&["network=Graph(sites: ErdosRenyi(sites: 50, probability: 0.001))"], None);
    assert!(
        sparse.contains("100 draws gave no connected topology") && sparse.contains("a larger `probability`"),
        "{sparse}"
    );
    let busy =
        refused(&["network=Graph(sites: Path(2), link_capacity: Law(Mbps(5)), background: Rate(Mbps(5)))"], None);
    assert_eq!(
        busy,
        "the background of 5 Mbit/s leaves nothing of the link from `s0` to `s1`, which carries 5 Mbit/s: expected a rate \
         below 5 Mbit/s"
    );
}

/// Files: a map without a place and without a speed on one link, in two pieces when that link is left out.
#[test]
fn bad_maps_say_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    let gml = "graph [\n  node [ id 0 label \"A\" Longitude 0.0 Latitude 0.0 ]\n  node [ id 1 label \"B\" ]\n\
               \x20 edge [ source 0 target 1 ]\n]\n";
    std::fs::write(folder.path().join("a.gml"), gml).unwrap();
    std::fs::write(folder.path().join("cut.gml"), gml.replace("edge", "ledge")).unwrap();
    std::fs::write(folder.path().join("bad.gml"), gml.replace("target 1", "target 7")).unwrap();
    let said = |file: &str, rest: &str| {
        let network = format!("network=Graph(sites: Gml(path: \"{file}\"){rest})");
        refused(&[&network], Some(folder.path())).replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(
        said("a.gml", ", link_latency: Distance()"),
        "the link from `A` to `B` has no distance, because the file does not say where `B` is: expected \
         `Distance(otherwise: Ms(5))`, or `Law(…)` for all links"
    );
    assert_eq!(
        said("a.gml", ", link_capacity: File()"),
        "…/a.gml: no edge has the attribute `LinkSpeedRaw`: expected `source` or `target`"
    );
    std::fs::write(folder.path().join("half.gml"), HALF).unwrap();
    let network = |name: &str, rest: &str| {
        let gml = format!(
            "Gml(path: \"half.gml\", latency: (name: \"{name}\", unit: Ms(1)), capacity: (name: \"speed\", unit: Mbps(1)))"
        );
        let network = format!("network=Graph(sites: {gml}, link_latency: File(){rest})");
        refused(&[&network], Some(folder.path())).replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(network("dealy", ""), "…/half.gml: no edge has the attribute `dealy`: did you mean `delay`?");
    assert_eq!(
        network("dealy", ", link_capacity: File()"),
        "…/half.gml: no edge has the attribute `speed`: expected `delay`, `source` or `target`\n\
         …/half.gml: no edge has the attribute `dealy`: did you mean `delay`?"
    );
    assert_eq!(
        network("delay", ""),
        "the file gives the link from `1` to `2` no latency: expected `File(otherwise: Ms(5))`, or `Law(…)` for all links"
    );
    assert_eq!(
        said("cut.gml", ""),
        "the topology falls into 2 pieces that no link joins: 1 site (`A`); 1 site (`B`): expected a connected network: add \
         links to the file, or take pieces out of it"
    );
    assert_eq!(
        said("bad.gml", ""),
        "…/bad.gml, line 4, column 3: the target of this edge is 7, and no node has that id: expected the `id` of a \
         node of the file"
    );
    let fine = "network=Graph(sites: Gml(path: \"a.gml\"), link_latency: Distance(otherwise: Ms(7)))";
    let links = prepared(&[fine], Some(folder.path())).unwrap().topology.unwrap().links;
    assert_eq!(links[0].latency_ns, 7_000_000);
    assert!(said("none.gml", "").contains("the data file `none.gml` was not found"));
}

const HALF: &str =
    "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 delay 3 ] edge [ source 1 target 2 ] ]";

const DEVICES: &str = "model,down,up,score\na,10,1,100\nb,20,2,\nc,30,3,300\nd,40,0,400\n";

/// Columns of one table are drawn jointly: a client with the uplink of model a has its downlink and its speed. Rows with an empty cell
/// in one of the columns asked for (b), or with a 0 that means "not measured" (d), are passed over.
#[test]
fn columns_of_a_table_are_drawn_jointly() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("devices.csv"), DEVICES).unwrap();
    let column = |name: &str, more: &str| format!("Column(path: \"devices.csv\", column: Name(\"{name}\"), {more})");
    let network = format!(
        "network=Star(client_up: {}, client_down: {}, latency: Ms(0), sharing: Ideal)",
        column("up", "unit: Mbps(1), skip_zero: true"),
        column("down", "unit: Mbps(1)")
    );
    let compute = format!("compute.expectation={}", column("score", "unit: Sec(1), inverse: true"));
    let mut seen = std::collections::BTreeSet::new();
    for client in 1..=10 {
        let mut world = prepared(&[&network, &compute], Some(folder.path())).unwrap().experiment.world;
        let up = (1.0 / seconds(&mut world, client, 0, 1_000_000)).round() as u64;
        let mut world = prepared(&[&network, &compute], Some(folder.path())).unwrap().experiment.world;
        let down = (1.0 / seconds(&mut world, 0, client, 1_000_000)).round() as u64;
        let span = world.speeds[client as usize].span(1).unwrap().as_nanos();
        assert_eq!((down, span), (10 * up, (1e9 / (100.0 * up as f64)).ceil() as u64));
        seen.insert(up);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [1, 3], "ten draws from two rows meet both");
}

/// Nothing is drawn: client i has the i-th value, or the i-th row that counts; too few are told.
#[test]
fn clients_have_values_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("devices.csv"), DEVICES.replace("d,40,0,400", "d,40,4,400")).unwrap();
    let column = |only: &str| {
        format!("Column(path: \"devices.csv\", column: Name(\"up\"), unit: Mbps(1), in_order: true, only: {only})")
    };
    let network = |up: &str| {
        format!(
            "network=Star(client_up: {up}, latency: Each([Ms(1), Ms(2), Ms(3)]), sharing: Ideal, server_down: Gbps(10))"
        )
    };
    let took = |up: &str| {
        let take = |client| {
            let sets = [&network(up), "clients=3"];
            seconds(&mut prepared(&sets, Some(folder.path())).unwrap().experiment.world, client, 0, 12_000_000)
        };
        [take(1), take(2), take(3)]
    };
    assert_eq!(took("Each([Mbps(12), Mbps(6), Mbps(4)])"), [1.001, 2.002, 3.003]);
    assert_eq!(took(&column("None")), [12.001, 6.002, 4.003]);
    let said = |sets: &[&str]| refused(sets, Some(folder.path())).replace(&folder.path().display().to_string(), "…");
    assert_eq!(
        said(&[&network("Mbps(1)"), "clients=4"]),
        "there are 3 values for 4 clients: expected 4, one for each in order (`Values` draws from as many as one likes)"
    );
    assert_eq!(
        said(&[&network(&column("(column: Index(0), is: \"a\")")), "clients=3"]),
        "…/devices.csv: 1 rows for 3 clients: expected a row for each, or rows that are drawn"
    );
}

/// On the path s0 – s1 – s2 – s3 with the server on s0 and a client on s3: the middle link alone is slow and far, and loses every second
/// packet; the settings of single links are found from either end, and all that is wrong with names is told at once.
#[test]
fn single_links_differ() {
    let network = |links: &str| {
        let clients = "clients: Sites([Index(3)]), client_up: Mbps(100), latency: Ms(0)";
        format!("network=Graph(sites: Path(4), {clients}, link_latency: Law(Ms(1)), links: [{links}])")
    };
    let took = |links: &str| {
        let mut world = prepared(&[&network(links)], None).unwrap().experiment.world;
        seconds(&mut world, 1, 0, 1_000_000)
    };
    assert_eq!(took(""), 0.013);
    let slow = "(from: Name(\"s2\"), to: Index(1), capacity: Mbps(1), latency: Ms(500))";
    assert_eq!(took(slow), 1.502);
    assert_eq!(took(&slow.replace("Mbps(1)", "Mbps(3), background: Rate(Mbps(1))")), 1.002);
    let topology = prepared(&[&network(slow)], None).unwrap().topology.unwrap();
    assert_eq!(topology.links.iter().map(|link| link.latency_ns / 1_000_000).collect::<Vec<_>>(), [1, 500, 1]);
    let lost = |links: &str| {
        let mut world = prepared(&[&network(links)], None).unwrap().experiment.world;
        let transfer = |from, to| Transfer { from: NodeId(from), to: NodeId(to), bits: Bits::new(1_000_000) };
        let flow = world.network.start(Time::ZERO, transfer(1, 0));
        let mut completed = Vec::new();
        world.network.play(None, &mut completed);
        world.network.outcome(flow).lost.count
    };
    // 84 packets, mean 42, standard deviation 4.6.
    assert!(lost("(from: Index(1), to: Index(2), loss: Bernoulli(0.5))").abs_diff(42) < 23);
    assert_eq!(lost("(from: Index(1), to: Index(2), latency: Ms(2))"), 0);

    let said = |links: &str| refused(&[&network(links)], None);
    assert_eq!(
        said("(from: Name(\"s9\"), to: Index(7), capacity: Mbps(1))"),
        "the topology has no site `s9`: did you mean `s0`?\n\
         there is no site 7: the topology has 4 sites, counted from 0: expected `Index(0)` to `Index(3)`"
    );
    assert_eq!(
        said("(from: Index(1), to: Index(3), capacity: Mbps(1))"),
        "there is no link between `s1` and `s3`: expected a neighbour of `s1`: `s0`, `s2`"
    );
    let twice = format!("{slow}, (from: Index(1), to: Index(2), latency: Ms(1))");
    assert_eq!(said(&twice), "this link has settings already: expected each pair of sites once");
}

#[test]
fn bad_tables_say_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("devices.csv"), DEVICES.replace("30", "fast").replace("10,", "-10,")).unwrap();
    let said = |column: &str, more: &str| {
        let law = format!("Column(path: \"devices.csv\", column: {column}, unit: Mbps(1){more})");
        refused(&[&format!("network.client_up={law}")], Some(folder.path()))
            .replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(
        said("Name(\"down\")", ""),
        "…/devices.csv: line 2, column `down`: -10 is negative: expected a column of positive numbers"
    );
    let only = ", only: (column: Name(\"model\"), is: \"c\")";
    assert_eq!(
        said("Name(\"down\")", only),
        "…/devices.csv: line 4, column `down`: `fast` is no number: expected a column of numbers"
    );
    assert_eq!(
        said("Name(\"up\")", ""),
        "…/devices.csv: line 5, column `up`: 0 is not possible here: expected `skip_zero: true`, which passes such rows over"
    );
    assert_eq!(said("Name(\"dwon\")", ""), "…/devices.csv: there is no column `dwon`: did you mean `down`?");
    assert_eq!(said("Index(4)", ""), "…/devices.csv: there is no column 4: expected a column from 0 to 3");
    let nothing = ", only: (column: Name(\"model\"), is: \"z\")";
    assert_eq!(
        said("Name(\"up\")", nothing),
        "…/devices.csv: no row has a number in `up` and `z` in `model`: expected columns that have numbers in common rows"
    );
}

/// A file that is cut off in gzip.
#[test]
fn a_broken_archive_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cut.csv.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 75]).unwrap();
    let said = refused(
        &["network.client_up=Column(path: \"cut.csv.gz\", column: Index(0), unit: Mbps(1))"],
        Some(folder.path()),
    );
    assert!(said.contains("cut.csv.gz") && said.contains("plain or whole in gzip"), "{said}");
}

/// Where each problem that shows only in preparation stands: the value at fault, in the file or in what `--set` or an arm gave it.
#[test]
fn what_preparation_finds_has_a_place() {
    let place = |sets: &[&str]| {
        let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
        let checked = load(Source::new("good.ron", GOOD), &sets).unwrap().remove(0);
        let error = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).err().unwrap();
        let problems = checked.problems(&error).unwrap();
        let problem = &problems.problems()[0];
        (problem.source.clone(), problem.line, problem.column, problems.render(false))
    };
    let (source, line, column, text) =
        place(&["network=Graph(sites: Path(4), clients: Sites([Index(1), Name(\"s5\")]))"]);
    assert_eq!((source.starts_with("--set network=Graph"), line), (true, 1));
    assert_eq!(column, 1 + "network=Graph(sites: Path(4), clients: Sites([Index(1), ".len());
    assert!(text.contains("did you mean `s"), "{text}");
    let text = GOOD.replace(
        "network: Star(client_up: Mbps(1), latency: Ms(20)),",
        "network: Graph(\n  sites: Ring(4),\n  clients: Leaves),",
    );
    assert_ne!(text, GOOD);
    let checked = load(Source::new("good.ron", text.clone()), &[]).unwrap().remove(0);
    let error = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).err().unwrap();
    let problems = checked.problems(&error).unwrap();
    assert_eq!(&text[problems.problems()[0].span.clone()], "Leaves");
}

/// Everything that is wrong with names is told at once; a missing file has the place of its name.
#[test]
fn all_places_are_told() {
    let said = |sets: &[&str]| {
        let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
        let checked = load(Source::new("good.ron", GOOD), &sets).unwrap().remove(0);
        let error = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).err().unwrap();
        checked.problems(&error).unwrap()
    };
    let unknown = said(&[
        "network=Graph(sites: Path(4), server: Name(\"a\"), clients: Sites([Index(9), Index(1), Name(\"b\")]))",
    ]);
    let texts: Vec<&str> = unknown.problems().iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(texts.len(), 3, "{unknown}");
    assert!(texts[0].contains("`a`") && texts[1].contains("site 9") && texts[2].contains("`b`"), "{unknown}");
    let set = "network=Graph(sites: Gml(path: \"nowhere.gml\"))";
    let missing = said(&[set]);
    let problem = &missing.problems()[0];
    assert_eq!(&set[problem.span.clone()], "\"nowhere.gml\"");
    assert!(problem.help.as_deref().unwrap().contains("--data DIR"), "{missing}");
}

const SLOW: &str = "network=Star(server_up: Mbps(1), client_up: Kbps(64), client_down: Kbps(320), latency: Ms(20))";

/// good.ron: 5 expectations of 10 µs = 50 µs; a broadcast of 6 · 64 + 320 = 704 bits at 320 kbit/s takes 2.2 ms; an update of 64 bits for
/// the norm and 4 bits for each of 6 entries (sign, 3 for levels 0…4) with 320 of headers at 64 kbit/s 6.375 ms; two latencies.
#[test]
fn a_deadline_below_the_smallest_round_trip_is_a_caveat() {
    let at = |microseconds: f64, more: &[&str]| {
        let deadline = format!("round=Deadline(Us({microseconds}))");
        caveats(&[&[SLOW, "protocol.divide_by=Arrived", &deadline], more].concat())
    };
    let meets = |trip: f64, more: &[&str]| {
        let early = at(trip - 0.001, more);
        assert!(early.len() == 1 && early[0].contains("nobody can ever arrive"), "{more:?}: {early:?}");
        assert!(at(trip, more).is_empty(), "{more:?}: {:?}", at(trip, more));
        assert!(at(trip - 0.001, &[more, &["late=Apply"]].concat()).is_empty());
    };
    let trip = 40_000.0 + 50.0 + 2_200.0 + 6_375.0;
    meets(trip, &[]);
    meets(trip, &["network.sharing=Ideal"]);
    // Work that varies may take no time.
    meets(trip - 50.0, &["compute.variation=0.5"]);
    // A round trip before each of two messages.
    meets(trip + 2.0 * 40_000.0, &["network.transport.set_up=1"]);
    // Two links of 10 ms and 1 Mbit/s more in each direction; the access links stay the slowest.
    let graph = "network=Graph(sites: Path(3), clients: Sites([Index(2)]), link_latency: Law(Ms(10)), link_capacity: Law(Mbps(1)), \
                 client_up: Kbps(64), client_down: Kbps(320), latency: Ms(20))";
    meets(trip + 40_000.0, &[graph]);
    // Links of 10 kbit/s: 70.4 ms and 40.8 ms.
    meets(40_050.0 + 40_000.0 + 70_400.0 + 40_800.0, &[graph, "network.link_capacity=Law(Kbps(10))"]);
    // 6 · 32 + 320 bits, and 3 · 32 bits, one of C(6, 3) = 20 places in 5 bits, 320 of headers.
    meets(40_050.0 + 1_600.0 + 6_578.125, &["protocol.floats=F32", "protocol.compressor=RandK(k: 3)"]);
}

/// Client laws that are `Values` draw each of them; a client keeps its value when there are more clients.
#[test]
fn values_are_drawn() {
    let network = "network=Star(client_up: Values([Mbps(1), Mbps(2), Mbps(4)]), latency: Ms(0), sharing: Ideal)";
    let took = |client| {
        let mut world = prepared(&[network], None).unwrap().experiment.world;
        seconds(&mut world, client, 0, 1_000_000)
    };
    let times: Vec<f64> = (1..=10).map(took).collect();
    assert!(times.iter().all(|time| [1.0, 0.5, 0.25].contains(time)));
    assert!(times.iter().any(|time| *time != times[0]));
}

const PRESENCE: &str = "who,from,to\na,0,10\nb,5,7\na,20,30\n";

/// Intervals from a table are those of the trace that writes them out, in the order in which the file names the clients; as absences
/// they are the gaps.
#[test]
fn presence_comes_from_a_table() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("presence.csv"), PRESENCE).unwrap();
    let rows = |availability: &str| {
        let sets = [format!("availability={availability}"), "stop=(rounds: 12)".to_owned()];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
        let columns = fedbits_protocols::journal::Journal::columns(experiment.protocol.subject(), false, false);
        let recorder = fedbits_record::Recorder::nothing(columns);
        let stop = std::sync::atomic::AtomicBool::new(false);
        fedbits_protocols::run::run(experiment, recorder, Default::default(), &stop).digests.timeline
    };
    let file = |more: &str| {
        rows(&format!(
            "TraceFile(path: \"presence.csv\", client: Name(\"who\"), from: Index(1), to: Name(\"to\"){more})"
        ))
    };
    let interval = |from: f64, to: f64| format!("(from: Sec({from}), to: Sec({to}))");
    let two =
        |a: &[String], b: &[String]| format!("Trace(rows: [[{}], [{}]], repeat: Sec(40))", a.join(", "), b.join(", "));
    let present = two(&[interval(0.0, 10.0), interval(20.0, 30.0)], &[interval(5.0, 7.0)]);
    assert_eq!(file(", repeat: Sec(40)"), rows(&present));
    let absent = two(&[interval(10.0, 20.0), interval(30.0, 40.0)], &[interval(0.0, 5.0), interval(7.0, 40.0)]);
    assert_eq!(file(", repeat: Sec(40), absent: true"), rows(&absent));
    let longer = two(&[interval(0.0, 15.0), interval(30.0, 45.0)], &[interval(7.5, 10.5)]).replace("Sec(40)", "Min(1)");
    assert_eq!(file(", repeat: Min(1), unit: Ms(1500)"), rows(&longer));
    assert_ne!(rows(&present), rows(&absent));
}

#[test]
fn bad_intervals_say_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    let said = |from: &str, to: &str, more: &str| {
        std::fs::write(folder.path().join("presence.csv"), PRESENCE.replace(from, to)).unwrap();
        let availability = format!(
            "availability=TraceFile(path: \"presence.csv\", client: Name(\"who\"), from: Name(\"from\"), to: Name(\"to\"){more})"
        );
        refused(&[&availability], Some(folder.path())).replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(
        said("a,20", "a,9", ""),
        "…/presence.csv: line 4: the interval begins before the one of `a` in front of it has ended: expected intervals that \
         are sorted and do not overlap"
    );
    assert_eq!(
        said("b,5", "b,7", ""),
        "…/presence.csv: line 3: the interval ends before it begins: expected `from` below `to`"
    );
    assert!(said("b,5", "b,noon", "").contains("line 3: `noon` is no time of a run"));
    assert!(said("who", "whom", "").contains("did you mean `whom`?"));
    assert!(said("a,0,10\nb,5,7\na,20,30\n", "", "").contains("there are no intervals"));
    let short = said("a,0", "a,1", ", repeat: Sec(29)");
    assert!(short.contains("reaches beyond") && short.ends_with("expected at least Sec(30)"), "{short}");
}
