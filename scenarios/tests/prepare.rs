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
    assert_eq!(site("s9"), "the network: the topology has no site `s9`; did you mean `s0`?");
    assert_eq!(site("Amsterdam"), "the network: the topology has no site `Amsterdam`; it has `s0`, `s1`, `s2` or `s3`");
    let leaves = refused(&["network=Graph(sites: Ring(4), clients: Leaves)"], None);
    assert!(leaves.contains("no site has just one neighbour"), "{leaves}");
    let sparse = refused(&["network=Graph(sites: ErdosRenyi(sites: 50, probability: 0.001))"], None);
    assert!(sparse.contains("100 draws gave no connected topology") && sparse.contains("pieces"), "{sparse}");
    let busy =
        refused(&["network=Graph(sites: Path(2), link_capacity: Law(Mbps(5)), background: Rate(Mbps(5)))"], None);
    assert_eq!(
        busy,
        "the network: the background of 5 Mbit/s leaves nothing of the link from `s0` to `s1`, which carries 5 Mbit/s"
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
        "the network: the link from `A` to `B` has no distance, because a place is not known: say `link_latency: \
         Distance(otherwise: Ms(5))`, or use `Law(…)`"
    );
    assert_eq!(
        said("a.gml", ", link_capacity: File()"),
        "the network: the file gives the link from `A` to `B` no capacity: say `link_capacity: File(otherwise: Gbps(1))`, \
         or give all links one law"
    );
    assert_eq!(
        said("cut.gml", ""),
        "the network: the topology falls into 2 pieces that no link joins: 1 site (`A`); 1 site (`B`): give it links, or \
         leave pieces out"
    );
    assert_eq!(
        said("bad.gml", ""),
        "the network: …/bad.gml, line 4, column 3: the target of this edge is 7, and no node has that id"
    );
    let fine = "network=Graph(sites: Gml(path: \"a.gml\"), link_latency: Distance(otherwise: Ms(7)))";
    let links = prepared(&[fine], Some(folder.path())).unwrap().topology.unwrap().links;
    assert_eq!(links[0].latency_ns, 7_000_000);
    assert!(said("none.gml", "").contains("the data file `none.gml` was not found"));
}

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

#[test]
fn bad_tables_say_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("devices.csv"), DEVICES.replace("30", "fast").replace("10,", "-10,")).unwrap();
    let said = |column: &str, more: &str| {
        let law = format!("Column(path: \"devices.csv\", column: {column}, unit: Mbps(1){more})");
        refused(&[&format!("network.client_up={law}")], Some(folder.path()))
            .replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(said("Name(\"down\")", ""), "…/devices.csv: line 2, column `down`: -10 is negative");
    let only = ", only: (column: Name(\"model\"), is: \"c\")";
    assert_eq!(said("Name(\"down\")", only), "…/devices.csv: line 4, column `down`: `fast` is no number");
    assert_eq!(
        said("Name(\"up\")", ""),
        "…/devices.csv: line 5, column `up`: 0 is not possible here; with `skip_zero: true` such rows are passed over"
    );
    assert_eq!(said("Name(\"dwon\")", ""), "…/devices.csv: there is no column `dwon`; did you mean `down`?");
    assert_eq!(said("Index(4)", ""), "…/devices.csv: there is no column 4: it has 4 columns, counted from 0");
    let nothing = ", only: (column: Name(\"model\"), is: \"z\")";
    assert_eq!(said("Name(\"up\")", nothing), "…/devices.csv: no row has a number in `up` and `z` in `model`");
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
