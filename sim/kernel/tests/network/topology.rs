//! Topologies: counts and degrees of the shapes, connectivity, shortest routes against petgraph's Dijkstra, and files.

use std::collections::BTreeMap;

use fedbits_kernel::network::{AccessLink, LinkId, Routes};
use fedbits_kernel::topology::{
    Backbone, Edge, GraphLinks, Host, HostError, Map, Place, Reach, Site, SiteError, SiteId, SiteName, Sites,
    SitesError, Topology, gml,
};
use fedbits_kernel::{NodeId, Rate, TimeDelta};
use fedbits_random::Streams;
use fedbits_spec::{Described, Facts, Findings, Path};

use crate::network::reference_impl::Dice;
use crate::skips::{Lacks, skipped};

fn build(shape: &Sites) -> Map {
    shape.build(&Streams::new(5, 0)).unwrap()
}

fn degrees(map: &Map) -> Vec<usize> {
    (0..map.site_count() as u32).map(|site| map.neighbours(SiteId(site)).len()).collect()
}

fn ms(ms: u64) -> TimeDelta {
    TimeDelta::from_nanos(ms * 1_000_000)
}

fn mbps(mbps: u64) -> Rate {
    Rate::new(mbps * 1_000_000).unwrap()
}

/// The link that `latency` gives each pair, all with 100 Mbit/s.
fn settled(map: &Map, mut latency: impl FnMut(u32) -> TimeDelta) -> Topology {
    let link = |number, _: [&Site; 2], _| Ok::<_, ()>(Backbone { capacity: mbps(100), latency: latency(number) });
    map.settle(link).unwrap()
}

fn one_host_per_site(topology: Topology) -> GraphLinks {
    let hosts = (0..topology.site_count() as u32).map(|site| Host { site: SiteId(site), access: None }).collect();
    GraphLinks::new(topology, hosts).unwrap()
}

/// Links: star and path n − 1, ring n, complete n (n − 1) / 2, grid 2 r c − r − c, k-regular n k / 2, preferential
/// attachment m (n − m), tree (sites − 1); all connected.
#[test]
fn shapes_have_their_numbers_of_links() {
    let cases = [
        (Sites::Star(7), 7, 6),
        (Sites::Path(7), 7, 6),
        (Sites::Ring(7), 7, 7),
        (Sites::Complete(7), 7, 21),
        (Sites::Grid { rows: 3, columns: 5 }, 15, 22),
        (Sites::KRegular { sites: 20, degree: 5 }, 20, 50),
        (Sites::KRegular { sites: 6, degree: 5 }, 6, 15),
        (Sites::BarabasiAlbert { sites: 50, links: 3 }, 50, 141),
        (Sites::Hierarchical { fan_out: vec![3, 4] }, 16, 15),
        (Sites::Geometric { sites: 60, reach: Reach::MeanDegree(7.0) }, 60, 210),
        (Sites::Complete(1), 1, 0),
    ];
    for (shape, sites, links) in cases {
        let map = build(&shape);
        assert_eq!((map.site_count(), map.link_count()), (sites, links), "{shape:?}");
        assert_eq!(shape.count(), Some(sites as u64));
        assert_eq!(map.connected(), Ok(()));
        assert_eq!(degrees(&map).iter().sum::<usize>(), 2 * links, "{shape:?} has loops or double links");
    }
}

#[test]
fn shapes_have_their_degrees() {
    assert_eq!(degrees(&build(&Sites::Star(4))), [3, 1, 1, 1]);
    assert_eq!(degrees(&build(&Sites::Path(4))), [1, 2, 2, 1]);
    assert_eq!(degrees(&build(&Sites::Grid { rows: 2, columns: 3 })), [2, 3, 2, 2, 3, 2]);
    for seed in 0..20 {
        let map = Sites::KRegular { sites: 30, degree: 4 }.build(&Streams::new(seed, 0)).unwrap();
        assert!(degrees(&map).iter().all(|&degree| degree == 4));
    }
    assert!(degrees(&build(&Sites::BarabasiAlbert { sites: 40, links: 2 })).iter().all(|&degree| degree >= 1));
}

/// Of C(80, 2) = 3 160 pairs each is joined with probability 0.2: 632 expected, standard deviation √(3160 · 0.2 · 0.8)
/// = 22.5 for one graph, 22.5 / √50 for the mean of 50; z-limit 7. (Conditioning on connectivity changes nothing
/// visible: a graph of mean degree 16 is almost surely connected.)
#[test]
fn random_graphs_have_their_expected_number_of_links() {
    let shape = Sites::ErdosRenyi { sites: 80, probability: 0.2 };
    let links = |seed| shape.build(&Streams::new(seed, 0)).unwrap().link_count() as f64;
    let mean = (0..50).map(links).sum::<f64>() / 50.0;
    assert!((mean - 632.0).abs() < 7.0 * 22.5 / 50f64.sqrt(), "{mean}");
}

/// A geometric graph joins exactly the pairs within the radius; its points lie in the unit square, and more sites leave
/// the first ones where they are.
#[test]
fn geometric_graphs_join_what_is_near() {
    let (small, large) = (40, 41);
    let map = build(&Sites::Geometric { sites: small, reach: Reach::Radius(0.4) });
    let place = |map: &Map, site: u32| match map.site(SiteId(site)).place {
        Some(Place::Plane { x, y }) => [x, y],
        other => panic!("{other:?}"),
    };
    for one in 0..small {
        let [x, y] = place(&map, one);
        assert!((0.0..1.0).contains(&x) && (0.0..1.0).contains(&y));
        let near = |&site: &u32| {
            let [u, v] = place(&map, site);
            site != one && (x - u) * (x - u) + (y - v) * (y - v) <= 0.16
        };
        let expected: Vec<_> = (0..small).filter(near).map(SiteId).collect();
        assert_eq!(map.neighbours(SiteId(one)), expected);
    }
    let more = build(&Sites::Geometric { sites: large, reach: Reach::Radius(0.4) });
    assert_eq!(place(&more, 17), place(&map, 17));
}

/// The same seed gives the same graph, another one another.
#[test]
fn random_shapes_are_addressed() {
    let links = |seed| {
        let map = Sites::BarabasiAlbert { sites: 30, links: 2 }.build(&Streams::new(seed, 0)).unwrap();
        map.links().map(|(ends, _)| ends).collect::<Vec<_>>()
    };
    assert_eq!(links(3), links(3));
    assert_ne!(links(3), links(4));
}

#[test]
fn impossible_shapes_say_why() {
    let error = |sites: Sites| {
        let mut findings = Findings::default();
        sites.check(&Path::Root.field("sites"), &Facts::default(), &mut findings);
        let found: Vec<_> = findings
            .iter()
            .map(|finding| format!("{}: {}, {}", finding.path, finding.message, finding.expected))
            .collect();
        found.join("; ")
    };
    assert_eq!(error(Sites::Ring(3)), "");
    assert!(error(Sites::Ring(2)).ends_with("expected a whole number from 3 to 1000000"));
    assert!(error(Sites::KRegular { sites: 5, degree: 3 }).starts_with("sites.degree: an odd number of sites"));
    assert!(error(Sites::KRegular { sites: 4, degree: 4 }).ends_with("from 1 to 3"));
    assert!(error(Sites::BarabasiAlbert { sites: 4, links: 4 }).ends_with("from 1 to 3"));
    let crowded = Sites::KRegular { sites: 4, degree: 4 }.build(&Streams::new(1, 0)).unwrap_err();
    assert_eq!(crowded, SitesError::NoSuchGraph);
    let sparse = Sites::Geometric { sites: 50, reach: Reach::Radius(0.05) };
    let sparse = sparse.build(&Streams::new(1, 0)).unwrap_err().to_string();
    assert!(
        sparse.starts_with("100 draws gave no connected topology; in the last, the topology falls into"),
        "{sparse}"
    );
    let empty = Sites::ErdosRenyi { sites: 3, probability: 0.0 }.build(&Streams::new(1, 0));
    let Err(SitesError::Disconnected(pieces)) = empty else { panic!("{empty:?}") };
    assert_eq!(pieces.pieces, [["s0"], ["s1"], ["s2"]]);
}

/// Two triangles, a single site: three pieces, the largest first, named.
#[test]
fn pieces_are_named() {
    let site = |name: &str| Site { name: name.to_owned(), place: None };
    let mut map = Map::new(["x", "a", "b", "c", "d", "e", "f"].map(site));
    for (one, other) in [(1, 2), (2, 3), (4, 5), (5, 6), (6, 4)] {
        map.join(SiteId(one), SiteId(other), Edge::default());
    }
    let text = map.connected().unwrap_err().to_string();
    assert_eq!(
        text,
        "the topology falls into 3 pieces that no link joins: 3 sites (`a`, `b`, `c`); 3 sites (`d`, `e`, `f`); 1 site (`x`)"
    );
}

/// Routes are as long as petgraph's Dijkstra says, on 40 random graphs with many ties and links without latency; each
/// route is a chain of links from the one site to the other, and none is used twice.
#[test]
fn routes_are_shortest() {
    for case in 0..40 {
        let dice = &mut Dice(case);
        let map = Sites::ErdosRenyi { sites: 14, probability: 0.3 }.build(&Streams::new(case, 0)).unwrap();
        let topology = settled(&map, |_| ms(dice.below(4)));
        let mut oracle = petgraph::graph::UnGraph::<(), u64>::default();
        let nodes: Vec<_> = topology.sites().map(|_| oracle.add_node(())).collect();
        let ends: Vec<_> = topology.links().map(|(ends, _)| ends).collect();
        for ([one, other], link) in topology.links() {
            oracle.add_edge(nodes[one.0 as usize], nodes[other.0 as usize], link.latency.as_nanos());
        }
        let network = one_host_per_site(topology);
        let mut links = Vec::new();
        for from in 0..14 {
            let costs = petgraph::algo::dijkstra(&oracle, nodes[from as usize], None, |edge| *edge.weight());
            for to in (0..14).filter(|&to| to != from) {
                let latency = network.route(NodeId(from), NodeId(to), &mut links);
                assert_eq!(latency.as_nanos(), costs[&nodes[to as usize]]);
                let mut at = SiteId(from);
                for (place, link) in links.iter().enumerate() {
                    let [one, other] = ends[link.0 as usize / 2];
                    let (start, end) = if link.0 % 2 == 0 { (one, other) } else { (other, one) };
                    assert_eq!(at, start);
                    at = end;
                    assert!(!links[..place].contains(link));
                }
                assert_eq!(at, SiteId(to));
            }
        }
    }
}

/// Of equal routes the one with fewer links; a link that is on no shortest route changes no route.
#[test]
fn ties_and_unused_links_do_not_move_routes() {
    let mut map = build(&Sites::Ring(4));
    let routes = |map: &Map| {
        let network = one_host_per_site(settled(map, |number| if number < 4 { ms(10) } else { ms(20) }));
        let mut links = Vec::new();
        let pairs = (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let route = |(from, to)| {
            network.route(NodeId(from), NodeId(to), &mut links);
            links.clone()
        };
        pairs.map(route).collect::<Vec<_>>()
    };
    let before = routes(&map);
    assert_eq!(before[1], [LinkId(0), LinkId(2)], "0 → 2 goes over 1, the smaller of two equal routes");
    map.join(SiteId(0), SiteId(1), Edge::default());
    assert_eq!(routes(&map), before, "a slower second link from 0 to 1 is not used");
    map.join(SiteId(0), SiteId(2), Edge::default());
    assert_eq!(routes(&map)[1], [LinkId(10)], "20 ms in one link instead of two links of 10 ms");
}

/// A triangle whose side 0 – 1 takes 50 ms, the others 10: by default the route from 0 to 1 leads over 2; among
/// neighbours it is the side, each route its own direction; of two links that join them the quicker one. Who is no
/// neighbour takes the shortest route as ever.
#[test]
fn neighbours_use_the_link_that_joins_them() {
    let mut map = build(&Sites::Ring(3));
    let latency = |number| if number == 0 { ms(50) } else { ms(10) };
    let route = |network: &GraphLinks, from, to| {
        let mut links = Vec::new();
        let duration = network.route(NodeId(from), NodeId(to), &mut links);
        (links, duration)
    };
    let usual = one_host_per_site(settled(&map, latency));
    assert_eq!(route(&usual, 0, 1).1, ms(20));
    let direct = usual.among_neighbours();
    assert_eq!(route(&direct, 0, 1), (vec![LinkId(0)], ms(50)));
    assert_eq!(route(&direct, 1, 0), (vec![LinkId(1)], ms(50)));
    map.join(SiteId(0), SiteId(1), Edge::default());
    let doubled = one_host_per_site(settled(&map, |number| if number == 3 { ms(30) } else { latency(number) }));
    assert_eq!(route(&doubled.among_neighbours(), 0, 1), (vec![LinkId(6)], ms(30)));
    let ring = one_host_per_site(settled(&build(&Sites::Ring(5)), latency)).among_neighbours();
    assert_eq!(route(&ring, 0, 2).1, ms(30), "the other way round is quicker");
}

/// Hosts on access links: the route goes up the sender's link, over the backbone, down the receiver's; on one site it
/// uses the access links only.
#[test]
fn hosts_are_attached_to_sites() {
    let topology = settled(&build(&Sites::Path(3)), |_| ms(5));
    let access = |up| Some(AccessLink { up: mbps(up), down: mbps(50), latency: ms(1) });
    let host = |site, access| Host { site: SiteId(site), access };
    let hosts = vec![host(0, None), host(2, access(7)), host(2, access(8)), host(1, None)];
    let network = GraphLinks::new(topology.clone(), hosts).unwrap();
    let mut links = Vec::new();
    let mut route = |from, to| {
        let latency = network.route(NodeId(from), NodeId(to), &mut links);
        (latency, links.iter().map(|link| link.0).collect::<Vec<_>>())
    };
    assert_eq!(route(0, 1), (ms(11), vec![0, 2, 5]));
    assert_eq!(route(1, 0), (ms(11), vec![4, 3, 1]));
    assert_eq!(route(1, 2), (ms(2), vec![4, 7]));
    assert_eq!(route(0, 3), (ms(5), vec![0]));
    assert_eq!((network.link_count(), network.capacity(LinkId(6))), (8, mbps(8)));
    assert_eq!(network.neighbours(NodeId(1)), [NodeId(2), NodeId(3)]);
    let crowded = GraphLinks::new(topology.clone(), vec![host(1, None), host(1, None)]).unwrap_err();
    assert_eq!(crowded, HostError::Crowded("s1".to_owned()));
    assert_eq!(GraphLinks::new(topology, vec![host(3, None)]).unwrap_err(), HostError::NoSite(0, 3));
}

#[test]
fn sites_are_found_by_name_or_index() {
    let mut names: Vec<_> = ["Paris", "Rome", "Rome"].map(str::to_owned).into();
    let map = Map::new(names.drain(..).map(|name| Site { name, place: None }));
    let find = |name: &str| map.find(&SiteName::Name(name.to_owned()));
    assert_eq!(find("Paris"), Ok(SiteId(0)));
    assert_eq!(map.find(&SiteName::Index(2)), Ok(SiteId(2)));
    assert_eq!(find("Rome").unwrap_err().to_string(), "2 sites are called `Rome`: say which one by its index (1, 2)");
    assert!(matches!(find("Oslo"), Err(SiteError::Unknown { .. })));
    let beyond = map.find(&SiteName::Index(3)).unwrap_err().to_string();
    assert_eq!(beyond, "there is no site 3: the topology has 3 sites, counted from 0");
}

/// A file as of the Topology Zoo: comments, keys to pass over, a node without coordinates, ids that are no indices, a
/// loop.
const ZOO: &str = r#"# a comment
Creator "Topology Zoo Toolset"
graph [
  Network "Small" DateYear "2011"
  node [ id 0 label "New York" Longitude -74.00597 Latitude 40.71427 Internal 1 ]
  node [ id 7 label "Chicago" Longitude -87.65005 Latitude 41.85003 hyperedge 1 ]
  node [ id 3 label "None" type "Blue Triangle" ]
  edge [ source 0 target 7 LinkSpeed "10" LinkSpeedUnits "G" LinkSpeedRaw 10000000000.0 delay 2.5 ]
  edge [ source 7 target 3 LinkLabel "OC-48" ]
  edge [ source 3 target 3 ]
]
"#;

fn zoo_attributes() -> gml::Attributes {
    gml::Attributes { capacity: Some(("LinkSpeedRaw".to_owned(), 1.0)), latency: Some(("delay".to_owned(), 1e-3)) }
}

#[test]
fn gml_is_read() {
    let map = gml::read(ZOO, &zoo_attributes()).unwrap();
    assert_eq!((map.site_count(), map.link_count()), (3, 2));
    assert_eq!(map.site(SiteId(0)).place, Some(Place::Globe { longitude: -74.00597, latitude: 40.71427 }));
    assert_eq!((map.site(SiteId(2)).name.as_str(), map.site(SiteId(2)).place), ("None", None));
    let edges: Vec<_> = map.links().map(|(ends, edge)| (ends.map(|site| site.0), *edge)).collect();
    let first = Edge { capacity: Some(mbps(10_000)), latency: Some(TimeDelta::from_nanos(2_500_000)) };
    assert_eq!(edges, [([0, 1], first), ([1, 2], Edge::default())]);
}

/// As NetworkX writes them, and as other programs do.
#[test]
fn names_in_gml_are_unescaped_once() {
    let names = [
        ("Z&#252;rich", "Zürich"),
        ("Z&#xFC;rich &#x1F600;", "Zürich 😀"),
        ("&quot;A&amp;B&quot; &lt;&apos;&gt;", "\"A&B\" <'>"),
        ("&#38;quot; &amp;lt;", "&quot; &lt;"),
        ("R&D; A & B &", "R&D; A & B &"),
        ("Z&uuml;rich, Orl&eacute;ans &yuml;&nbsp;", "Zürich, Orléans ÿ\u{a0}"),
        ("&#xD800; &#; &#x; &#99999999999; &#10; &nothing;", "&#xD800; &#; &#x; &#99999999999; &#10; &nothing;"),
    ];
    for (written, name) in names {
        let text = format!("graph [ node [ id 0 label \"{written}\" ] ]");
        let map = gml::read(&text, &gml::Attributes::default()).unwrap();
        assert_eq!(map.sites().next().expect("a site").name, name);
    }
}

/// A hundred thousand open lists are refused where the limit is passed, and take no stack; what people nest is read.
#[test]
fn gml_nested_without_end_is_refused() {
    for closed in ["", &"]".repeat(100_000)] {
        let text = format!("graph [\n{}{closed}", "a [ ".repeat(100_000));
        let error = gml::read(&text, &zoo_attributes()).unwrap_err();
        // The list `graph` is the first.
        assert_eq!((error.line, error.column), (2, 4 * 99 + 3), "{error}");
        assert!(error.to_string().contains("nested more than 100 deep"), "{error}");
        assert!(gml::edge_attributes(&text).is_empty());
    }
    let nested = format!("graph [ node [ id 0 {}{} ] ]", "a [ ".repeat(90), "]".repeat(90));
    assert_eq!(gml::read(&nested, &zoo_attributes()).unwrap().site_count(), 1);
}

#[test]
fn bad_gml_says_where_and_what() {
    let said = |from: &str, to: &str| {
        assert!(ZOO.contains(from), "{from}");
        gml::read(&ZOO.replacen(from, to, 1), &zoo_attributes()).unwrap_err().to_string()
    };
    let hint = gml::read(&ZOO.replacen("target 7", "target 8", 1), &zoo_attributes()).unwrap_err().expected;
    assert_eq!(hint, Some("expected the `id` of a node of the file"));
    assert!(gml::edge_attributes(ZOO).contains(&"LinkSpeedRaw") && !gml::edge_attributes(ZOO).contains(&"Latitude"));
    // igraph writes names of nodes as `name`.
    let name = |text: &str| gml::read(text, &zoo_attributes()).unwrap().site(SiteId(0)).name.clone();
    assert_eq!(name("graph [ node [ id 4 name \"Bern\" ] ]"), "Bern");
    assert_eq!(name("graph [ node [ id 4 name \"Bern\" label \"B\" ] ]"), "B");
    assert_eq!(name("graph [ node [ id 4 ] ]"), "4");
    let two = gml::read(&format!("{ZOO}\n{ZOO}"), &zoo_attributes()).unwrap_err();
    assert!(two.line > 10 && two.to_string().ends_with("a second `graph [ … ]` begins"), "{two}");
    assert_eq!(said("graph [", "grph ["), "line 1, column 1: there is no `graph [ … ]`");
    assert_eq!(
        said("Network \"Small\"", "directed 1"),
        "line 4, column 3: the graph is directed, and links lead both ways"
    );
    let undirected = ZOO.replacen("Network \"Small\"", "directed 0", 1);
    assert_eq!(gml::read(&undirected, &zoo_attributes()).unwrap().site_count(), 3);
    assert_eq!(said("target 7", "target 8"), "line 8, column 3: the target of this edge is 8, and no node has that id");
    assert_eq!(said("id 7", "id 0"), "line 6, column 3: a node before this one has the id 0, too");
    assert_eq!(said("id 7 ", ""), "line 6, column 3: this `node` has no whole number `id`");
    assert_eq!(
        said("Latitude 41.85003", "Latitude 141.85003"),
        "line 6, column 51: `Latitude` is 141.85003: expected degrees from -90 to 90"
    );
    assert_eq!(
        said("Latitude 41.85003", "Latitude x"),
        "line 6, column 60: `Latitude` has no value: expected a number, a text or a list"
    );
    assert_eq!(said("delay 2.5", "delay \"slow\""), "line 8, column 89: `delay` is not a number");
    assert_eq!(
        said("LinkSpeedRaw 10000000000.0", "LinkSpeedRaw 0"),
        "line 8, column 3: this edge: a rate below 1 bit/s never delivers"
    );
    assert_eq!(said("\"OC-48\" ]", "\"OC-48 ]"), "line 9, column 38: this text is never closed by a quotation mark");
    assert_eq!(said("target 3 ]\n]", "target 3 ]\n"), "line 3, column 7: this `[` is never closed");
    assert_eq!(said("target 3 ]\n]", "target 3 ]\n]]"), "line 11, column 2: this `]` closes nothing");
}

/// Of pieces of one size the first is the largest.
#[test]
fn the_largest_piece_keeps_its_order() {
    let pieces = |edges: &[(u32, u32)]| {
        let mut map = Map::new((0..6).map(|index| Site { name: format!("s{index}"), place: None }));
        edges.iter().for_each(|&(one, other)| map.join(SiteId(one), SiteId(other), Edge::default()));
        let (largest, names) = map.largest();
        assert_eq!(largest.connected(), Ok(()));
        let links: Vec<[u32; 2]> = largest.links().map(|(ends, _)| ends.map(|site| site.0)).collect();
        (largest.sites().map(|site| site.name.clone()).collect::<Vec<_>>().join(" "), links, names.join(" "))
    };
    let of = |kept: &str, links: Vec<[u32; 2]>, names: &str| (kept.to_owned(), links, names.to_owned());
    assert_eq!(pieces(&[(5, 1), (1, 3), (0, 2)]), of("s1 s3 s5", vec![[2, 0], [0, 1]], "s0 s2 s4"));
    assert_eq!(pieces(&[(4, 5), (1, 3)]), of("s1 s3", vec![[0, 1]], "s0 s2 s4 s5"));
    assert_eq!(pieces(&[]), of("s0", vec![], "s1 s2 s3 s4 s5"));
}

/// A drawing for everybody: where the places are, between or beside neighbours where one is unknown, else on a circle.
/// On the earth longitudes are shortened by the cosine of the mean latitude.
#[test]
fn everything_can_be_drawn() {
    let layout = |map: &Map| settled(map, |_| ms(1)).layout();
    let grid = build(&Sites::Grid { rows: 2, columns: 2 });
    assert_eq!(layout(&grid), [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]);
    let ring = layout(&build(&Sites::Ring(4)));
    assert!(ring.iter().all(|[x, y]| (x * x + y * y - 1.0).abs() < 1e-12));
    let [new_york, chicago, unknown] = layout(&gml::read(ZOO, &gml::Attributes::default()).unwrap())[..] else {
        panic!("three sites")
    };
    let cosine = libm::cos(((40.71427f64 + 41.85003) / 2.0).to_radians());
    assert!((new_york[0] + 74.00597 * cosine).abs() < 1e-12 && new_york[1] == 40.71427);
    // Its only neighbour is Chicago; it is drawn further out from the middle between the two cities.
    assert!((unknown[0] - chicago[0] - 0.05 * (chicago[0] - new_york[0])).abs() < 1e-9);
}

/// Six files of the Topology Zoo: numbers of sites and links as published, all connected.
#[test]
fn real_files_have_their_published_sizes() {
    let Some(folder) = std::env::var_os("FEDBITS_DATA").map(std::path::PathBuf::from) else {
        return skipped(Lacks::Data, "set FEDBITS_DATA to the folder that holds topology/");
    };
    let folder = folder.join("topology");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let zoo = BTreeMap::from([
        ("Abilene", (11, 14)),
        ("Nsfnet", (13, 15)),
        ("Geant2012", (40, 61)),
        ("AttMpls", (25, 57)),
        ("Renater2010", (43, 56)),
        ("Cogentco", (197, 245)),
    ]);
    for (name, size) in zoo {
        let map = gml::read(&text(&format!("{name}.gml")), &zoo_attributes()).unwrap();
        assert_eq!((map.site_count(), map.link_count()), size, "{name}");
        assert_eq!(map.connected(), Ok(()), "{name}");
    }
}
