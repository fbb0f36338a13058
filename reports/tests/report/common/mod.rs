//! Folders of runs made from formulas: geometric contraction towards a floor, with noise from a linear congruence.

mod folders;
mod invented_search;
mod invented_study;

pub use folders::{Run, add_run, all_runs, edit_plan};
pub use invented_search::{race, write_search};
pub use invented_study::{write_shares, write_study};

use fedbits_record::{
    Cell, ClientColumn, ClientPart, ClientRow, Columns, Digests, Direction, Fate, Histogram, Host, LedgerRow, LinkRow,
    LinkTimeRow, Manifest, MapProjection, Marginal, Recorder, Reference, RoundRow, RunRecord, RunTable, StopRules,
    TopologyLink, TopologyRows, TopologySite, Totals, TracePart, TraceRow, client_table,
};
use fedbits_reports::declare::{Curves, Figure, FigureKind};
use fedbits_spec::Caveat;
use std::path::{Path, PathBuf};

/// The cells of a table, its header among them, comments not.
pub fn rows(table: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).comment(Some(b'#')).from_reader(table.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// One invented arm.
#[derive(Clone, Copy)]
pub struct Invented {
    pub name: &'static str,
    /// Contraction of log10 ‖h‖² per round.
    pub slope: f64,
    /// log10 of the floor.
    pub floor: f64,
    pub bits_up: u64,
    pub seconds: f64,
}

pub const ARMS: [Invented; 4] = [
    Invented { name: "no compression", slope: -0.004, floor: -7.0, bits_up: 480_000, seconds: 0.9 },
    Invented { name: "dithering, s = 4", slope: -0.0036, floor: -6.2, bits_up: 96_000, seconds: 0.31 },
    Invented { name: "dithering, s = 1", slope: -0.0026, floor: -4.9, bits_up: 41_000, seconds: 0.22 },
    Invented { name: "rand-k, k = d/8", slope: -0.0018, floor: -4.4, bits_up: 62_000, seconds: 0.25 },
];

/// Adds `rounds` rounds of an arm to a folder of runs.
pub fn write_run(folder: &Path, arm: &Invented, replicate: u64, rounds: u64) -> Run {
    let columns = Columns { theta: (0..3).map(|g| format!("weight_{g}")).collect(), ..Columns::default() };
    add_run(folder, fill(columns, arm, replicate, rounds))
}

/// The same as a folder of its own, `directory/NAME-REPLICATE`.
pub fn write_alone(directory: &Path, arm: &Invented, replicate: u64, rounds: u64) -> PathBuf {
    let name: String = arm.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    write_run(&directory.join(format!("{name}-{replicate}")), arm, replicate, rounds).folder
}

/// Makes the invented run.
fn fill(columns: Columns, arm: &Invented, seed: u64, rounds: u64) -> RunRecord {
    let mut recorder = Recorder::memory(columns);
    let mut state = seed.wrapping_mul(1_000_003) + arm.bits_up;
    for round in 0..=rounds {
        let noise = [(); 2].map(|()| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        });
        recorder.round(&row(arm, round, seed, noise)).unwrap();
        let drift = libm::exp(-0.005 * round as f64);
        let first = 0.5 - 0.17 * drift + 0.01 * noise[0];
        let second = 0.3 + 0.03 * drift;
        recorder.theta(round, &[first, second, 1.0 - first - second]).unwrap();
    }
    finish(recorder, manifest(arm, seed, rounds), &ledger(arm, rounds), &histograms(arm, rounds))
}

fn finish(recorder: Recorder, manifest: Manifest, ledger: &[LedgerRow], histograms: &[Histogram]) -> RunRecord {
    recorder.finish(manifest, ledger, histograms).unwrap().unwrap()
}

/// Adds a run with totals over `times` that grow by 3 a time.
pub fn write_trend(folder: &Path, times: u64) {
    let columns = Columns { extra: vec!["observed_rmse".into(), "held_out_rmse".into()], ..Columns::default() };
    let mut recorder = Recorder::memory(columns);
    for round in 0..=20 {
        let errors = vec![Some(1.0 / (1.0 + round as f64)), Some(2.0 / (1.0 + round as f64))];
        recorder.round(&RoundRow { extra: errors, ..row(&ARMS[0], round, 1, [0.0; 2]) }).unwrap();
    }
    let row = |number: u64| {
        let total = 100.0 + 3.0 * number as f64;
        vec![Cell::from((2000 + number).to_string()), total.into(), number.into(), (50 - number).into()]
    };
    let columns = ["time", "estimated_total", "observed", "missing"].map(str::to_owned).to_vec();
    let trend = RunTable { name: "trend".to_owned(), columns, rows: (0..times).map(row).collect() };
    recorder.extra(&trend).unwrap();
    add_run(folder, finish(recorder, manifest(&ARMS[0], 1, 20), &ledger(&ARMS[0], 20), &[]));
}

/// Adds a run of one second over one link of 1 Mbit/s: 370 kbit went from b to a, 20 kbit of them in vain, and 5 kbit
/// from a to b.
pub fn write_links(folder: &Path) -> Run {
    let mut recorder = Recorder::memory(Columns::default());
    (0..=5).for_each(|round| recorder.round(&row(&ARMS[0], round, 1, [0.0; 2])).unwrap());
    let bits = |direction, fate, payload_bits| LedgerRow {
        link: String::new(),
        direction,
        purpose: "update".into(),
        fate,
        messages: 1,
        payload_bits,
        header_bits: 1_000,
        retransmitted_bits: 0,
    };
    let link = |from: &str, to: &str, bits| LinkRow {
        link: 0,
        from: from.into(),
        to: to.into(),
        capacity_bps: 1_000_000,
        bits,
    };
    let rows = [
        link("a", "b", bits(Direction::Down, Fate::Delivered, 4_000)),
        link("b", "a", bits(Direction::Up, Fate::Delivered, 349_000)),
        link("b", "a", bits(Direction::Up, Fate::Lost, 19_000)),
    ];
    recorder.extra(&LinkRow::table(&rows)).unwrap();
    let mut manifest = manifest(&ARMS[0], 1, 5);
    manifest.totals.time_ns = 1_000_000_000;
    add_run(folder, finish(recorder, manifest, &ledger(&ARMS[0], 5), &[]))
}

/// Adds a run whose protocol classifies: 2 % better in every one of 3 rounds, `accuracy` at the end.
pub fn write_accuracies(folder: &Path, arm: &str, accuracy: f64) {
    let columns = Columns { extra: vec!["other".to_owned(), "accuracy".to_owned()], ..Columns::default() };
    let mut recorder = Recorder::memory(columns);
    for round in 0..=3 {
        let extra = vec![None, Some(accuracy - 0.02 * (3 - round) as f64)];
        recorder.round(&RoundRow { extra, ..row(&ARMS[0], round, 1, [0.0; 2]) }).unwrap();
    }
    let manifest = Manifest { arm: arm.to_owned(), ..manifest(&ARMS[0], 1, 3) };
    add_run(folder, finish(recorder, manifest, &ledger(&ARMS[0], 3), &[]));
}

fn row(arm: &Invented, round: u64, seed: u64, noise: [f64; 2]) -> RoundRow {
    let t = round as f64;
    let wobble = 0.35 * noise[0] + 0.12 * (seed as f64 - 2.0);
    let decay = libm::pow(10.0, 0.8 + arm.slope * t + wobble) + libm::pow(10.0, arm.floor + wobble);
    RoundRow {
        round,
        time_ns: (t * arm.seconds * 1e9 * (1.0 + 0.01 * seed as f64)) as u64,
        epochs: t * 0.15,
        expectations: round * 1_500,
        bits_up: round * arm.bits_up,
        bits_down: round * 480_000 / 4,
        bits_header: round * 32_000,
        selected: 75,
        arrived: 75,
        objective: Some(-19.418_403 - 1.7 * libm::exp(2.0 * arm.slope * t) + 0.002 * noise[1]),
        mean_field_sq: round.is_multiple_of(5).then_some(decay),
        field_sq: (round > 0).then_some(decay * 3.0 + libm::pow(10.0, -2.0 + noise[1])),
        ..RoundRow::default()
    }
}

fn manifest(arm: &Invented, replicate: u64, rounds: u64) -> Manifest {
    Manifest {
        engine_version: "0.1.0".into(),
        scenario: "invented".into(),
        arm: arm.name.into(),
        arm_index: 0,
        scenario_text: "Scenario()".into(),
        seed: 1,
        replicate,
        clients: 100,
        digests: Digests {
            data: "d0".into(),
            timeline: format!("{:08x}", arm.bits_up * 31 + replicate),
            state: format!("{:08x}", arm.bits_up * 17 + replicate),
        },
        stop_reason: "rounds reached".into(),
        stop_rules: StopRules::default(),
        cut: None,
        fit: None,
        reference: Some(Reference {
            problem: "p0".into(),
            objective: Some(-21.2),
            how: "invented".into(),
            ..Reference::default()
        }),
        caveats: if arm.bits_up < 50_000 { vec![Caveat::BiasedRaw {}] } else { Vec::new() },
        totals: Totals {
            rounds,
            bits_up: rounds * arm.bits_up,
            bits_down: rounds * 120_000,
            bits_peer: 0,
            bits_header: rounds * 32_000,
            bits_wasted: 0,
            time_ns: 0,
            expectations: rounds * 1_500,
            events: 0,
        },
        per_client: None,
        energy: None,
        host: Host {
            seconds: 1.0,
            events_per_second: None,
            peak_memory_bytes: None,
            threads: 1,
            scenario_folder: None,
            script: None,
        },
        extra_columns: Vec::new(),
    }
}

fn ledger(arm: &Invented, rounds: u64) -> Vec<LedgerRow> {
    let row = |direction, purpose: &str, fate, messages: u64, bits: u64| LedgerRow {
        link: "all".into(),
        direction,
        purpose: purpose.into(),
        fate,
        messages,
        payload_bits: bits,
        header_bits: messages * 320,
        retransmitted_bits: 0,
    };
    vec![
        row(Direction::Up, "update", Fate::Delivered, rounds * 70, rounds * arm.bits_up / 75 * 70),
        row(Direction::Up, "update", Fate::Lost, rounds * 5, rounds * arm.bits_up / 75 * 5),
        row(Direction::Up, "initial", Fate::Delivered, 100, 640_000),
        row(Direction::Down, "broadcast", Fate::Delivered, rounds * 75, rounds * 120_000),
    ]
}

/// Every client-round takes 100 ms down, 20 ms of work, an upload at 1 Mbit/s and 75 ms of waiting.
fn histograms(arm: &Invented, rounds: u64) -> Vec<Histogram> {
    let spans = [
        ("downlink transfer", 100_000_000),
        ("compute", 20_000_000),
        ("uplink transfer", arm.bits_up * 1_000),
        ("wait", 75_000_000),
    ];
    let histogram = |(name, nanoseconds): (&str, u64)| {
        let mut histogram = Histogram::new(name, "ns");
        (0..rounds).for_each(|_| histogram.record(nanoseconds));
        histogram
    };
    spans.map(histogram).into()
}

/// Two arms with three replicates each, 60 rounds.
pub fn study(home: &Path) -> PathBuf {
    let runs = home.join("runs");
    for arm in &ARMS[..2] {
        (1..=3).for_each(|seed| drop(write_run(&runs, arm, seed, 60)));
    }
    runs
}

pub fn read(directory: &Path, name: &str) -> Vec<u8> {
    std::fs::read(directory.join(name)).unwrap()
}

pub fn text(directory: &Path, name: &str) -> String {
    String::from_utf8(read(directory, name)).unwrap()
}

pub fn names(written: &[PathBuf]) -> Vec<String> {
    written.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

/// What the groups of a class have, in the order of drawing.
pub fn groups<'a>(svg: &'a str, class: &str) -> Vec<&'a str> {
    svg.split(&format!("<g class=\"{class}\"")).skip(1).map(|group| group.split("</g>").next().unwrap()).collect()
}

/// The SVG without the font's bytes, which are the same in every figure.
pub fn structure(svg: &str) -> String {
    without(svg, "style")
}

/// The text without an element that stands on lines of its own.
pub fn without(text: &str, tag: &str) -> String {
    let (start, end) = (text.find(&format!("<{tag}>")).unwrap(), text.find(&format!("</{tag}>\n")).unwrap());
    format!("{}{}", &text[..start], &text[end + tag.len() + 4..])
}

/// Adds a topology to a run.
pub fn add_network(run: &Run) {
    let site = |(name, x, y, server, clients): (&str, f64, f64, bool, u64)| TopologySite {
        name: name.to_owned(),
        x,
        y,
        server,
        clients,
    };
    let sites = [
        ("Hub", 0.0, 0.0, true, 0),
        ("West", -3.0, 1.0, false, 5),
        ("East", 4.0, 0.0, false, 0),
        ("South", 1.0, -1.5, false, 20),
    ];
    let link = |(from, to, capacity_bps, latency_ns)| TopologyLink { from, to, capacity_bps, latency_ns };
    let links = [(0, 1, 1_000_000, 2_000_000), (0, 2, 10_000_000, 7_500_000), (3, 2, 10_000_000, 7_500_000)];
    let topology = TopologyRows { sites: sites.map(site).into(), links: links.map(link).into() };
    run.change(|record| record.topology = Some(topology));
}

/// Adds a table to a run.
pub fn add_table(run: &Run, table: RunTable) {
    run.change(|record| record.extra.push(table));
}

/// Adds what the links of [`add_network`] carried in twelve intervals: each direction most at another time.
pub fn add_link_times(run: &Run) {
    let sites = ["Hub", "West", "East", "South"];
    let ends = [(0, 1), (0, 2), (3, 2)];
    let mut rows = Vec::new();
    for interval in 0..12u64 {
        for (number, (from, to)) in (0..6u64).map(|number| (number, ends[number as usize / 2])) {
            let (from, to) = if number % 2 == 0 { (from, to) } else { (to, from) };
            let bits = 40_000 * ((interval + 2 * number) % 7);
            if bits > 0 {
                rows.push(LinkTimeRow {
                    round: 2 * interval + 2,
                    times_ns: [interval, interval + 1].map(|at| at * 500_000_000),
                    link: number / 2,
                    from: sites[from].to_owned(),
                    to: sites[to].to_owned(),
                    capacity_bps: if number < 2 { 1_000_000 } else { 10_000_000 },
                    bits: [bits, bits / 10, 0],
                });
            }
        }
    }
    add_table(run, LinkTimeRow::table(&rows));
}

/// Adds histograms of the columns of [`add_model`] to a run, and that its sites are on the earth.
pub fn add_data_and_map(run: &Run) {
    let values: Vec<f64> =
        (0..600).flat_map(|n| [0, 1, 2].map(|d| libm::sin(f64::from(n * (d + 2))) + f64::from(d))).collect();
    let columns = ["y1", "y2", "y3"].map(str::to_owned);
    add_table(run, Marginal::table(&Marginal::all(&columns, &values, 20)));
    add_table(run, MapProjection { longitude_scale: 0.7 }.table());
}

/// Adds a table of twelve clients to a run: the later, the slower, with more examples and fewer contributions.
pub fn add_clients(run: &Run, slowness: f64) {
    let row = |client: u64| {
        let (work, lost) = (2.0 + 0.4 * slowness * client as f64, client / 2);
        let seconds = [work, 1.0, 1.0, 0.5, 3.0, 0.0];
        ClientRow {
            examples: Some(40 + 10 * client),
            part: Some(ClientPart { selected: 20, contributions: 20 - lost, late: lost, lost: 0 }),
            bits: fedbits_record::ClientBits { up: 1_000, down: 1_000, peer: 0 },
            nanoseconds: seconds.map(|seconds| (seconds * 1e9).round() as u64),
            energy_j: None,
        }
    };
    let values = (0..12).map(|client| Some(3.0 + 0.1 * slowness * f64::from(client))).collect();
    let objective = ClientColumn { name: "objective".to_owned(), values };
    add_table(run, client_table(&(0..12).map(row).collect::<Vec<_>>(), &[objective]));
}

/// Adds the fitted model to a run: two components over three columns, `off` from the truth.
pub fn add_model(run: &Run, off: f64) {
    let means = |off: f64| format!("[[{},0.0,1.0],[{},2.0,1.0]]", -1.0 + off, 2.0 - off);
    let covariances = "[[[1.0,0.3,0.0],[0.3,0.5,0.0],[0.0,0.0,1.0]],[[0.6,-0.2,0.0],[-0.2,1.0,0.0],[0.0,0.0,1.0]]]";
    let mixture = |off: f64| format!("\"weights\":[0.4,0.6],\"means\":{},\"covariances\":{covariances}", means(off));
    let model = format!(
        "{{\"transformation\":[],\"parameter_columns\":[\"y1\",\"y2\",\"y3\"],\
         \"parameters\":{{\"covariance_type\":\"full\",{}}},\"truth\":{{{}}}}}",
        mixture(off),
        mixture(0.0)
    );
    run.change(|record| record.model = Some(model));
}

/// Adds the table of a predictive check to a run: observed percentiles of 9 e^(−0.08 t), and simulated ones that reach
/// from 1 − `spread` to 1 + `spread` times these.
pub fn add_check(run: &Run, spread: f64, origin: &str) {
    let percentile = |name: &str| ["observed", "low", "middle", "high"].map(|kind| format!("{name}_{kind}"));
    let percentiles = ["p10", "p50", "p90"].iter().flat_map(|name| percentile(name));
    let columns = ["time", "observations"].map(str::to_owned).into_iter().chain(percentiles);
    let columns = columns.chain(["origin".to_owned()]).collect();
    let row = |bin: u64| {
        let time = 0.5 + 3.0 * bin as f64;
        let middle = 9.0 * libm::exp(-0.08 * time);
        let cells = [0.6, 1.0, 1.5].into_iter().flat_map(|share| {
            let factors = [1.03, 1.0 - spread, 1.0, 1.0 + spread];
            factors.map(|factor| Cell::parsed(&format!("{:.3}", factor * share * middle)))
        });
        let first = [Cell::from(time), (12 + bin).into()];
        first.into_iter().chain(cells).chain([origin.into()]).collect()
    };
    add_table(run, RunTable { name: "vpc".to_owned(), columns, rows: (0..8).map(row).collect() });
}

/// Adds a traced round to a run: of 70 clients, of whom every seventh loses its upload, every eleventh is late, and
/// every thirteenth is still at work for the round before; or of 6 agents that send to their two neighbours.
pub fn add_trace(run: &Run, agents: bool) {
    let mut state = 7u64;
    let mut draw = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let (open, close) = (2_000_000_000u64, 3_000_000_000u64);
    let mut rows = vec![TraceRow::new(TracePart::Round, [3, 3], [open, close])];
    let mut add = |part, [node, peer]: [String; 2], rounds, times, fate| {
        let (payload_bits, header_bits) = (1_000, 320);
        rows.push(TraceRow {
            node,
            peer,
            payload_bits,
            header_bits,
            fate: Some(fate),
            ..TraceRow::new(part, rounds, times)
        });
    };
    for i in (0..70u64).filter(|_| !agents) {
        let ends = || [format!("client-{i}"), "server".to_owned()];
        if i % 13 == 0 {
            add(TracePart::Compute, ends(), [2, 3], [open - 1_000_000, open + 20_000_000], Fate::Aborted);
        }
        let received = open + 30_000_000 + draw(60_000_000);
        let computed = received + 5_000_000 + draw(600_000_000) * draw(100) / 100;
        let sent = computed + 50_000_000 + draw(150_000_000);
        add(TracePart::Download, ends(), [3, 3], [open, received], Fate::Delivered);
        add(TracePart::Compute, ends(), [3, 3], [received, computed], Fate::Delivered);
        let late = i % 11 == 5;
        let (sent, rounds) = if late { (close + 40_000_000 * i, [3, 4]) } else { (sent, [3, 3]) };
        let fate = if late {
            Fate::Late
        } else if i % 7 == 3 {
            Fate::Lost
        } else {
            Fate::Delivered
        };
        add(TracePart::Upload, ends(), rounds, [computed, sent], fate);
    }
    for (i, step) in (0..6).flat_map(|i| (0..9u64).map(move |step| (i, step))).filter(|_| agents) {
        let start = open + 10_000_000 + 110_000_000 * step;
        if step == 0 {
            add(TracePart::Compute, [format!("node-{i}"), String::new()], [3, 3], [open, start], Fate::Delivered);
        }
        for neighbour in [(i + 1) % 6, (i + 5) % 6] {
            let ends = [format!("node-{i}"), format!("node-{neighbour}")];
            add(TracePart::Message, ends, [3, 3], [start, start + 60_000_000 + draw(40_000_000)], Fate::Delivered);
        }
    }
    add_table(run, TraceRow::table(&TraceRow::with_waits(rows)));
}

/// The objective over these axes, in the place of the kind's figure.
pub fn objective(x: &[fedbits_reports::XAxis]) -> Figure {
    let curves = Curves { y: vec!["objective".to_owned()], x: x.to_vec(), ..Curves::default() };
    Figure::new("objective", FigureKind::Curves(curves))
}
