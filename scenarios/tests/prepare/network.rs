//! Networks that need files or draws: sites, links, tables, values client by client.

use std::collections::BTreeSet;

use fedbits_kernel::network::Transfer;
use fedbits_kernel::{Bits, NodeId, Time, World};
use fedbits_spec::Caveat;

use crate::prepare::{prepared, refused};

/// Nothing but sending.
const PLAIN: &str = "transport: (set_up: 0, slow_start: None)";

/// Seconds that a transfer takes alone.
fn seconds(world: &mut World, from: u32, to: u32, bits: u64) -> f64 {
    let mut completed = Vec::new();
    world.network.advance(Time::ZERO, &mut completed);
    let transfer = Transfer::new(NodeId(from), NodeId(to), Bits::new(bits));
    world.network.start(Time::ZERO, transfer);
    loop {
        let next = world.network.next_completion().expect("the transfer ends");
        world.network.advance(next, &mut completed);
        if !completed.is_empty() {
            return next.as_seconds();
        }
    }
}

const GRAPH: &str = "network=(shape: Graph(sites: Path(4), link_capacity: Law(Mbps(1)), link_latency: Law(Ms(10)), server: Index(1), clients: Sites([Name(\"s3\"), Index(0)])), latency: \
                     Ms(2), client_up: Mbps(4), \
                     transport: (set_up: 0, slow_start: None))";

/// On the path s0 – s1 – s2 – s3 with the server at s1, client 0 is attached to s3 (two links of 10 ms) and client 1 on
/// s0 (one): 1 Mbit over links of 1 Mbit/s, and 2 ms on the access link.
#[test]
fn hosts_are_attached_where_the_scenario_says() {
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
        let network = format!("network=(shape: Graph(sites: Hierarchical(fan_out: [2, 2]), clients: {placement}))");
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
    let network = "network=(shape: Graph(sites: Grid(rows: 1, columns: 3), link_latency: Distance(unit_km: 300)))";
    let links = prepared(&[network], None).unwrap().topology.unwrap().links;
    assert!(links.iter().all(|link| link.latency_ns == 1_500_000) && links.len() == 2);
}

#[test]
fn impossible_networks_say_what_to_do() {
    let site =
        |name: &str| refused(&[&format!("network=(shape: Graph(sites: Path(4), server: Name(\"{name}\")))")], None);
    assert_eq!(site("s9"), "the topology has no site `s9`: did you mean `s0`?");
    assert_eq!(site("Amsterdam"), "the topology has no site `Amsterdam`: expected `s0`, `s1`, `s2` or `s3`");
    let beyond = refused(&["network=(shape: Graph(sites: Path(4), server: Index(4)))"], None);
    assert_eq!(
        beyond,
        "there is no site 4: the topology has 4 sites, counted from 0: expected `Index(0)` to `Index(3)`"
    );
    let leaves = refused(&["network=(shape: Graph(sites: Ring(4), clients: Leaves))"], None);
    assert!(leaves.contains("has just one neighbour") && leaves.contains("expected `Others`"), "{leaves}");
    let sparse = refused(&["network=(shape: Graph(sites: ErdosRenyi(sites: 50, probability: 0.001)))"], None);
    assert!(
        sparse.contains("100 draws gave no connected topology") && sparse.contains("a larger `probability`"),
        "{sparse}"
    );
    let busy = refused(
        &["network=(shape: Graph(sites: Path(2), link_capacity: Law(Mbps(5))), background: Rate(Mbps(5)))"],
        None,
    );
    assert_eq!(
        busy,
        "the background of 5 Mbit/s leaves nothing of the link from `s0` to `s1`, which carries 5 Mbit/s: expected a \
         rate below 5 Mbit/s"
    );
}

/// As editors write them; and the largest piece of a network that is not connected.
#[test]
fn maps_are_read_as_they_come() {
    let folder = tempfile::tempdir().unwrap();
    let gml = "graph [\n  node [ id 0 label \"A\" ]\n  node [ id 1 label \"B\" ]\n  edge [ source 0 target 1 ]\n]\n";
    let wide: Vec<u8> = format!("\u{feff}{gml}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin = [&gml.as_bytes()[..26], b"\xe9", &gml.as_bytes()[26..]].concat();
    for (file, bytes) in [
        ("marked.gml", format!("\u{feff}{gml}").into_bytes()),
        ("wide.gml", wide),
        ("latin.gml", latin),
        ("cut.gml", gml.replace("edge", "ledge").into_bytes()),
    ] {
        std::fs::write(folder.path().join(file), bytes).unwrap();
    }
    let network = |file: &str| format!("network=(shape: Graph(sites: Gml(path: {file})))");
    for file in ["\"marked.gml\"", "\"wide.gml\""] {
        let read = prepared(&[network(file).as_str()], Some(folder.path())).unwrap();
        assert_eq!(read.topology.unwrap().links.len(), 1, "{file}");
    }
    let said = refused(&[network("\"latin.gml\"").as_str()], Some(folder.path()));
    assert!(said.contains("in line 2 (Latin-1 becomes UTF-8 by"), "{said}");
    let read = prepared(&[network("\"cut.gml\", piece: Largest").as_str()], Some(folder.path())).unwrap();
    let caveat = "cut.gml: 1 of 2 sites are outside the largest piece and omitted: `B`";
    assert!(read.caveats.iter().any(|said| said.to_string().ends_with(caveat)), "{:?}", read.caveats);
    assert_eq!(read.topology.unwrap().sites.len(), 1);
}

/// Files: a map without a position and without a speed on one link, in two pieces when that link is left out.
#[test]
fn bad_maps_say_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    let gml = "graph [\n  node [ id 0 label \"A\" Longitude 0.0 Latitude 0.0 ]\n  node [ id 1 label \"B\" ]\n\
               \x20 edge [ source 0 target 1 ]\n]\n";
    std::fs::write(folder.path().join("a.gml"), gml).unwrap();
    std::fs::write(folder.path().join("cut.gml"), gml.replace("edge", "ledge")).unwrap();
    std::fs::write(folder.path().join("bad.gml"), gml.replace("target 1", "target 7")).unwrap();
    let message = |file: &str, rest: &str| {
        let network = format!("network=(shape: Graph(sites: Gml(path: \"{file}\"){rest}))");
        refused(&[&network], Some(folder.path())).replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(
        message("a.gml", ", link_latency: Distance()"),
        "the link from `A` to `B` has no distance, because the file does not say where `B` is: expected \
         `Distance(otherwise: Ms(5))`, or `Law(…)` for all links"
    );
    assert_eq!(
        message("a.gml", ", link_capacity: File()"),
        "…/a.gml: no edge has the attribute `LinkSpeedRaw`: expected `source` or `target`"
    );
    std::fs::write(folder.path().join("half.gml"), HALF).unwrap();
    let network = |name: &str, rest: &str| {
        let capacity = if rest.is_empty() { "" } else { ", capacity: (name: \"speed\", unit: Mbps(1))" };
        let gml = format!("Gml(path: \"half.gml\", latency: (name: \"{name}\", unit: Ms(1)){capacity})");
        let network = format!("network=(shape: Graph(sites: {gml}, link_latency: File(){rest}))");
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
        message("cut.gml", ""),
        "the topology falls into 2 pieces that no link joins: 1 site (`A`); 1 site (`B`): expected a connected \
         network, or `piece: Largest` beside `path` for its largest piece"
    );
    assert_eq!(
        message("bad.gml", ""),
        "…/bad.gml, line 4, column 3: the target of this edge is 7, and no node has that id: expected the `id` of a \
         node of the file"
    );
    let fine = "network=(shape: Graph(sites: Gml(path: \"a.gml\"), link_latency: Distance(otherwise: Ms(7))))";
    let links = prepared(&[fine], Some(folder.path())).unwrap().topology.unwrap().links;
    assert_eq!(links[0].latency_ns, 7_000_000);
    assert!(message("none.gml", "").contains("the data file `none.gml` was not found"));
}

const HALF: &str =
    "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 delay 3 ] edge [ source 1 target 2 ] ]";

const DEVICES: &str = "model,down,up,score\na,10,1,100\nb,20,2,\nc,30,3,300\nd,40,0,400\n";

/// Columns of one table are drawn jointly: a client with the uplink of model a has its downlink and its speed. Rows
/// with an empty cell in one of the requested columns (b), or with a 0 that means "not measured" (d), are passed over.
#[test]
fn columns_of_a_table_are_drawn_jointly() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("devices.csv"), DEVICES).unwrap();
    let column = |name: &str, more: &str| format!("Column(path: \"devices.csv\", column: Name(\"{name}\"), {more})");
    let network = format!(
        "network=(client_up: {}, client_down: {}, latency: Ms(0), sharing: Ideal)",
        column("up", "unit: Mbps(1), skip_zero: true"),
        column("down", "unit: Mbps(1)")
    );
    let compute = format!("compute.expectation={}", column("score", "unit: Sec(1), inverse: true"));
    let mut seen = BTreeSet::new();
    for client in 1..=10 {
        let mut world = prepared(&[&network, &compute], Some(folder.path())).unwrap().experiment.world;
        let up = (1.0 / seconds(&mut world, client, 0, 1_000_000)).round() as u64;
        let mut world = prepared(&[&network, &compute], Some(folder.path())).unwrap().experiment.world;
        let down = (1.0 / seconds(&mut world, 0, client, 1_000_000)).round() as u64;
        let duration = world.speeds[client as usize].duration(1).unwrap().as_nanos();
        assert_eq!((down, duration), (10 * up, (1e9 / (100.0 * up as f64)).ceil() as u64));
        seen.insert(up);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [1, 3], "ten draws from two rows meet both");
}

/// Of one table, clients and links draw rows of their own: link i is not as fast as client i.
#[test]
fn clients_and_links_draw_apart() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (1..=50).map(|row| format!("{row},{row}\n")).collect();
    std::fs::write(folder.path().join("both.csv"), format!("rate,score\n{rows}")).unwrap();
    let column = |name: &str, unit: &str| format!("Column(path: \"both.csv\", column: Name(\"{name}\"), unit: {unit})");
    let network = format!(
        "network=(shape: Graph(sites: Ring(10), link_capacity: Law({}), link_latency: Law(Ms(1))))",
        column("rate", "Bps(1)")
    );
    let compute = format!("compute.expectation={}", column("score", "Ns(1)"));
    let prepared = prepared(&[&network, &compute, "clients=10"], Some(folder.path())).unwrap();
    let links = prepared.topology.unwrap().links.into_iter().map(|link| link.capacity_bps);
    let speeds = &prepared.experiment.world.speeds[1..];
    let clients = speeds.iter().map(|speed| speed.duration(1).unwrap().as_nanos());
    let alike = links.zip(clients).filter(|(link, client)| link == client).count();
    // Ten pairs of fifty rows: three alike have probability 1e-3.
    assert!(alike < 3, "{alike} of 10 links have the row of the client of their number");
}

/// Nothing is drawn: client i has the i-th value, or the i-th row that counts; too few are reported.
#[test]
fn clients_have_values_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("devices.csv"), DEVICES.replace("d,40,0,400", "d,40,4,400")).unwrap();
    let column = |only: &str| {
        format!("Column(path: \"devices.csv\", column: Name(\"up\"), unit: Mbps(1), in_order: true, only: {only})")
    };
    let network = |up: &str| {
        format!(
            "network=(client_up: {up}, latency: Each([Ms(1), Ms(2), Ms(3)]), sharing: Ideal, server_down: Gbps(10), {PLAIN})"
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
    let message = |sets: &[&str]| refused(sets, Some(folder.path())).replace(&folder.path().display().to_string(), "…");
    assert_eq!(
        message(&[&network("Mbps(1)"), "clients=4"]),
        "3 values are given for 4 clients: expected 4, one for each in order (`Values` draws from as many as one likes)"
    );
    assert_eq!(
        message(&[&network(&column("(column: Index(0), is: \"a\")")), "clients=3"]),
        "…/devices.csv: 1 row for 3 clients: expected a row for each, or rows that are drawn"
    );
    // An empty cell would shift the rows behind it, and so would columns that differ in their rows.
    std::fs::write(folder.path().join("gaps.csv"), "up,down\n12,1\n,1\n4,1\n2,1\n").unwrap();
    let gaps = |name: &str, in_order: bool| {
        format!("Column(path: \"gaps.csv\", column: Name(\"{name}\"), unit: Mbps(1), in_order: {in_order})")
    };
    assert_eq!(
        message(&[&network(&gaps("up", true)), "clients=3"]),
        "…/gaps.csv:3: column `up`: the cell is empty: expected a number in every row with `in_order`"
    );
    let mixed = format!("{}, client_down: {}", gaps("up", false), gaps("down", true));
    assert!(message(&[&network(&mixed), "clients=3"]).contains("expected `in_order` in all columns of the table"));
    // So would a 0 that stands for nothing.
    std::fs::write(folder.path().join("gaps.csv"), "up,down\n12,1\n0,1\n4,1\n2,1\n").unwrap();
    let zeros = gaps("up", true).replace("in_order", "skip_zero: true, in_order");
    assert_eq!(
        message(&[&network(&zeros), "clients=3"]),
        "…/gaps.csv:3: column `up`: 0 is not measured: expected a number in every row with `in_order`"
    );
    let down = gaps("down", true).replace("gaps.csv", "./gaps.csv");
    let dotted = network(&format!("{}, client_down: {down}", gaps("up", false)));
    assert!(message(&[&dotted, "clients=3"]).contains("expected `in_order` in all columns of the table"));
    // Both columns have one row, however its table is written.
    let both =
        |path: &str| format!("{}, client_down: {}", gaps("down", false), gaps("down", false).replace("gaps.csv", path));
    assert_eq!(took(&both("gaps.csv")), took(&both("./gaps.csv")));
}

/// Half a second of 1 Mbit/s and a second of outage, in turn; the second client has 2 Mbit/s always: a megabit ends
/// after half a second, an outage and another half, whatever shares and whatever the network.
#[test]
fn rates_follow_given_steps() {
    let steps = "Steps(rows: [[(rate: Mbps(1), lasts: Ms(500)), (rate: Mbps(0), lasts: Sec(1))], [(rate: Mbps(2), \
                 lasts: Sec(1))]])";
    let star = format!("(up_trace: {steps}, latency: Ms(0), {PLAIN}");
    let graph =
        format!("(shape: Graph(sites: Star(4), link_latency: Law(Ms(0))), up_trace: {steps}, latency: Ms(0), {PLAIN}");
    for network in [star, graph] {
        for sharing in ["FairShare", "WeightedFairShare", "Ideal", "Fifo()", "FairShare, background: Rate(Mbps(1))"] {
            let network = format!("network={network}, sharing: {sharing})");
            let took = |client| {
                let mut world = prepared(&[&network, "clients=3"], None).unwrap().experiment.world;
                (1e3 * seconds(&mut world, client, 0, 1_000_000)).round()
            };
            let after = if sharing == "Fifo()" { 12.0 } else { 0.0 };
            let [first, second, third] = [took(1), took(2), took(3)];
            assert!(first >= 2_000.0 && first <= 2_000.0 + 2.0 * after, "{network}: {first}");
            assert!(second >= 500.0 && second <= 500.0 + after && third == first, "{network}: {second}, {third}");
        }
    }
}

const CAPACITY: &str = "trace,direction,t,mbps\na,up,0,1\na,up,1,0\na,down,0,9\nb,up,0,4\na,up,2,1\n";

/// Client by client a trace of a table, drawn: the one with an outage takes 1 s, 1 s and 0.5 s for 1.5 Mbit, the other
/// 0.375 s.
#[test]
fn rates_follow_measured_traces() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("capacity.csv"), CAPACITY).unwrap();
    let table = |more: &str| {
        format!("Table(path: \"capacity.csv\", column: Name(\"mbps\"), unit: Mbps(1), interval: Sec(1){more})")
    };
    let up = ", by: Name(\"trace\"), only: (column: Name(\"direction\"), is: \"up\"), start: Beginning";
    let network = |trace: &str| format!("network=(up_trace: {trace}, latency: Ms(0), sharing: Ideal, {PLAIN})");
    let mut seen = BTreeSet::new();
    for client in 1..=10 {
        let sets = [&network(&table(up)), "clients=10"];
        let mut world = prepared(&sets, Some(folder.path())).unwrap().experiment.world;
        seen.insert((1e3 * seconds(&mut world, client, 0, 1_500_000)) as u64);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [375, 2_500], "ten draws from two traces meet both");
    let message = |trace: &str| {
        refused(&[&network(trace)], Some(folder.path())).replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(
        message(&table(", by: Name(\"traces\")")),
        "…/capacity.csv: there is no column `traces`: did you mean `trace`?"
    );
    assert_eq!(
        message(&table(", only: (column: Name(\"trace\"), is: \"c\")")),
        "…/capacity.csv: no row has the text that is asked for: expected a column and a text that occurs in it"
    );
    let direction = table("").replace("mbps", "direction");
    assert!(
        message(&direction).contains("`up` is not a rate: expected rates from 0 to 10 Tbit/s"),
        "{}",
        message(&direction)
    );
}

/// Of a table with a cell of several lines, whatever is drawn of it, once for each file.
#[test]
fn line_breaks_in_measured_tables_are_said() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "model,up\na,1\n\"b,2\nc\",3\nd,4\n").unwrap();
    let law = "Column(path: \"t.csv\", column: Name(\"up\"), unit: Mbps(1))";
    let trace = "Table(path: \"t.csv\", column: Name(\"up\"), unit: Mbps(1), interval: Sec(1))";
    for network in [
        format!("(client_up: {law}, client_down: {law})"),
        format!("(up_trace: {trace}, down_trace: {trace})"),
        format!("(shape: Graph(sites: Path(2), link_capacity: Law({law}), link_latency: Law(Ms(1))))"),
        format!("(shape: Graph(sites: Path(2), link_latency: Law(Ms(1))), up_trace: {trace})"),
    ] {
        let caveats = prepared(&[&format!("network={network}")], Some(folder.path())).unwrap().caveats;
        let said = caveats.iter().filter(|caveat| matches!(caveat, Caveat::LineBreaks { rows, .. } if rows == "1"));
        assert_eq!(said.count(), 1, "{network}: {caveats:?}");
    }
}

/// On the path s0 – s1 – s2 – s3 with the server on s0 and a client on s3: the middle link alone is slow and far, and
/// loses every second packet; the settings of single links are found from either end, and all that is wrong with names
/// is reported at once.
#[test]
fn single_links_differ() {
    let network = |links: &str| {
        let shape =
            format!("Graph(sites: Path(4), link_latency: Law(Ms(1)), links: [{links}], clients: Sites([Index(3)]))");
        format!("network=(shape: {shape}, client_up: Mbps(100), latency: Ms(0), {PLAIN})")
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
        let transfer = |from, to| Transfer::new(NodeId(from), NodeId(to), Bits::new(1_000_000));
        let flow = world.network.start(Time::ZERO, transfer(1, 0));
        let mut completed = Vec::new();
        world.network.advance_to_completion(None, &mut completed);
        world.network.outcome(flow).lost.count
    };
    // 84 packets, mean 42, standard deviation 4.6.
    assert!(lost("(from: Index(1), to: Index(2), loss: Bernoulli(0.5))").abs_diff(42) < 23);
    assert_eq!(lost("(from: Index(1), to: Index(2), latency: Ms(2))"), 0);

    let message = |links: &str| refused(&[&network(links)], None);
    assert_eq!(
        message("(from: Name(\"s9\"), to: Index(7), capacity: Mbps(1))"),
        "the topology has no site `s9`: did you mean `s0`?\n\
         there is no site 7: the topology has 4 sites, counted from 0: expected `Index(0)` to `Index(3)`"
    );
    assert_eq!(
        message("(from: Index(1), to: Index(3), capacity: Mbps(1))"),
        "there is no link between `s1` and `s3`: expected a neighbour of `s1`: `s0`, `s2`"
    );
    let twice = format!("{slow}, (from: Index(1), to: Index(2), latency: Ms(1))");
    assert_eq!(message(&twice), "this link has settings already: expected each pair of sites once");
}

#[test]
fn bad_tables_say_where_and_what() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("devices.csv"), DEVICES.replace("30", "fast").replace("10,", "-10,")).unwrap();
    let message = |column: &str, more: &str| {
        let law = format!("Column(path: \"devices.csv\", column: {column}, unit: Mbps(1){more})");
        refused(&[&format!("network.client_up={law}")], Some(folder.path()))
            .replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(
        message("Name(\"down\")", ""),
        "…/devices.csv:2: column `down`: -10 is negative: expected a column of positive numbers"
    );
    let only = ", only: (column: Name(\"model\"), is: \"c\")";
    assert_eq!(
        message("Name(\"down\")", only),
        "…/devices.csv:4: column `down`: `fast` is not a number: expected a column of numbers"
    );
    assert_eq!(
        message("Name(\"up\")", ""),
        "…/devices.csv:5: column `up`: 0 is not possible here: expected `skip_zero: true`, which passes such rows over"
    );
    assert_eq!(message("Name(\"dwon\")", ""), "…/devices.csv: there is no column `dwon`: did you mean `down`?");
    assert_eq!(message("Index(4)", ""), "…/devices.csv: there is no column 4: there are 4, numbered from 0");
    let nothing = ", only: (column: Name(\"model\"), is: \"z\")";
    assert_eq!(
        message("Name(\"up\")", nothing),
        "…/devices.csv: no row has a number in `up` and `z` in `model`: expected columns that have numbers in common rows"
    );
}

/// Client laws that are `Values` draw each of them; a client keeps its value when there are more clients.
#[test]
fn values_are_drawn() {
    let network = "network=(client_up: Values([Mbps(1), Mbps(2), Mbps(4)]), latency: Ms(0), sharing: Ideal)";
    let took = |client| {
        let mut world = prepared(&[network], None).unwrap().experiment.world;
        seconds(&mut world, client, 0, 1_000_000)
    };
    let times: Vec<f64> = (1..=10).map(took).collect();
    assert!(times.iter().all(|time| [1.0, 0.5, 0.25].contains(time)));
    assert!(times.iter().any(|time| *time != times[0]));
}
