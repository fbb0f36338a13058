//! Reports of invented records: the same bytes every time, the venue's width, the right files, the right words.

use crate::common::{
    self, ARMS, Run, all_runs, edit_plan, groups, names, read, rows, structure, study, text, write_alone, write_links,
    write_run,
};
use crate::texts::check_texts;
use fedbits_record::results::{Bound, PlanTarget};
use fedbits_record::{TopologyLink, TopologyRows, TopologySite};
use fedbits_reports::compare::{Measure, Quantity, Samples, compare};
use fedbits_reports::declare::{Figure, ShownArm};
use fedbits_reports::{Arm, Format, ReportError, ReportOptions, Style, open_folders, report};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A PDF with its compressed streams in clear.
fn inflated(pdf: &[u8]) -> String {
    let find =
        |from: usize, word: &[u8]| pdf[from..].windows(word.len()).position(|part| part == word).map(|at| from + at);
    let mut clear = String::from_utf8_lossy(pdf).into_owned();
    let mut at = 0;
    while let Some(start) = find(at, b"stream\n") {
        let end = find(start, b"endstream").unwrap();
        let mut content = Vec::new();
        let packed = &pdf[start + b"stream\n".len()..end];
        if flate2::read::ZlibDecoder::new(packed).read_to_end(&mut content).is_ok() {
            clear.push_str(&String::from_utf8_lossy(&content));
        }
        at = end + b"endstream".len();
    }
    clear
}

/// Links are bars, the busiest first, with the share of their capacity: 370 kbit of 1 Mbit, and 5 kbit.
#[test]
fn links_show_what_is_narrow() {
    let home = tempfile::tempdir().unwrap();
    write_links(home.path());
    let out = home.path().join("figures");
    let options = ReportOptions::new(Style::Neurips, &[Format::Svg], out.clone());
    report(&[home.path().to_path_buf()], &options).unwrap();
    let svg = text(&out, "links.svg");
    let (busy, idle) = (svg.find("b → a (37 %)").unwrap(), svg.find("a → b (0.5 %)").unwrap());
    assert!(busy < idle);
    let table = text(&out, "links.csv");
    assert!(table.contains("b → a (37 %),\"update up, lost\",19000.0"), "{table}");
    assert!(text(&out, "links-details.txt").contains("counts on every link of its route"));
}

/// Sites with place, server and clients; links with sites, capacity and delay.
fn topology(sites: &[(&str, f64, f64, bool, u64)], links: &[(u64, u64, u64, u64)]) -> TopologyRows {
    let site = |&(name, x, y, server, clients): &(&str, f64, f64, bool, u64)| TopologySite {
        name: name.to_owned(),
        x,
        y,
        server,
        clients,
    };
    let link = |&(from, to, capacity_bps, latency_ns)| TopologyLink { from, to, capacity_bps, latency_ns };
    TopologyRows { sites: sites.iter().map(site).collect(), links: links.iter().map(link).collect() }
}

/// Links of a network in use are the darker and wider, the larger the share of their capacity that they used; one that
/// carried nothing is grey.
#[test]
fn busy_links_are_dark() {
    let home = tempfile::tempdir().unwrap();
    let run = write_links(home.path());
    let sites = [("a", 0.0, 0.0, true, 0), ("b", -3.0, 1.0, false, 5), ("c", 4.0, 0.0, false, 2)];
    run.change(|record| {
        record.topology = Some(topology(&sites, &[(0, 1, 1_000_000, 2_000_000), (0, 2, 1_000_000, 7_500_000)]));
    });
    let out = home.path().join("figures");
    report(&[run.folder], &ReportOptions::new(Style::Neurips, &[Format::Svg], out.clone())).unwrap();
    let svg = text(&out, "topology.svg");
    let look = |line: &str, name: &str| {
        line.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let lines = groups(&svg, "line");
    // The busiest is drawn last: 370 of 1000 kbit in its busier direction.
    assert_eq!([look(lines[0], " stroke"), look(lines[1], " stroke")], ["#999999", "#00204d"]);
    let width = |line: &str| look(line, "stroke-width").parse::<u32>().unwrap();
    assert!(width(lines[1]) > 2 * width(lines[0]));
    assert!(svg.contains(">link utilization 37 %<"));
    let csv = text(&out, "topology.csv");
    assert!(
        csv.contains("link,a,,,,,b,1000000,2000000,0.37") && csv.contains("link,a,,,,,c,1000000,7500000,0.0"),
        "{csv}"
    );
}

/// Made twice from copies of the same records, every file has the same bytes, in every format.
#[test]
fn the_same_records_give_the_same_bytes() {
    let home = tempfile::tempdir().unwrap();
    let (first, second) = (home.path().join("first"), home.path().join("second"));
    let options = |to: &Path| ReportOptions::new(Style::Neurips, &Format::ALL, to.to_path_buf());
    let written = report(&[study(&first)], &options(&home.path().join("a"))).unwrap();
    report(&[study(&second)], &options(&home.path().join("b"))).unwrap();
    for name in names(&written) {
        assert!(read(&home.path().join("a"), &name) == read(&home.path().join("b"), &name), "{name} differs");
    }
    // Of every figure 4 formats, data, caption, caption for LaTeX and details; and the page.
    let all = names(&written);
    let figures: Vec<&str> = all.iter().filter_map(|name| name.strip_suffix(".svg")).collect();
    assert_eq!(
        figures,
        ["mean_field_sq", "field_sq", "objective", "objective_gap", "weights", "forest", "ledger", "ecdf"]
    );
    assert_eq!(written.len(), 8 * figures.len() + 1);
    let of_first = ["svg", "png", "pdf", "tex", "csv", "txt"].map(|ending| format!("mean_field_sq.{ending}"));
    assert_eq!(all[..6], of_first);
}

/// The width in the SVG's header and the PDF's page are the venue's: inches × 72.
#[test]
fn the_width_is_the_venues() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    let widths = [
        (Style::Neurips, 5.5),
        (Style::Icml, 3.25),
        (Style::IcmlWide, 6.75),
        (Style::Ieee, 3.5),
        (Style::IeeeWide, 7.16),
        (Style::Jmlr, 6.0),
        (Style::Slides, 10.0),
    ];
    for (style, inches) in widths {
        assert!((style.width_pt() - 72.0 * inches).abs() < 1e-9);
        let to = home.path().join(style.name());
        report(std::slice::from_ref(&runs), &ReportOptions::new(style, &[Format::Svg, Format::Pdf], to.clone()))
            .unwrap();
        let svg = text(&to, "objective.svg");
        // Coordinates are whole hundredths of a point.
        let points = (72.0_f64 * inches * 100.0).round() / 100.0;
        assert!(svg.contains(&format!(" width=\"{points}pt\" ")), "{}: {}", style.name(), &svg[..120]);
        let pdf = inflated(&read(&to, "objective.pdf"));
        let media_box = &pdf[pdf.find("/MediaBox").unwrap()..];
        let width: f64 = media_box.split(['[', ' ', ']']).filter_map(|word| word.parse().ok()).nth(2).unwrap();
        assert!((width - points).abs() < 0.01, "{}: {width}", style.name());
    }
}

/// The drawing's structure, reviewed once: frame, ticks, labels, bands, lines, markers, legend, metadata.
#[test]
fn the_structure_of_a_convergence_figure() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    for arm in &ARMS[..2] {
        (1..=2).for_each(|seed| drop(write_run(&runs, arm, seed, 20)));
    }
    let to = home.path().join("figures");
    report(&[runs], &ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())).unwrap();
    insta::assert_snapshot!("convergence_svg", structure(&text(&to, "mean_field_sq.svg")));
    insta::assert_snapshot!("convergence_csv", text(&to, "mean_field_sq.csv"));
    insta::assert_snapshot!("ledger_svg", structure(&text(&to, "ledger.svg")));
    insta::assert_snapshot!("ledger_csv", text(&to, "ledger.csv"));
    let words = ["mean_field_sq.txt", "mean_field_sq-caption.tex", "mean_field_sq-details.txt"];
    insta::assert_snapshot!("convergence_caption", words.map(|name| text(&to, name)).join("\n"));
}

/// K_opt(ε) is the first probed round at or below ε and K_CE(ε) its expectations (1 500 a round here): looked up in
/// rounds.csv.
#[test]
fn the_cost_of_an_accuracy_is_counted() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    for arm in [&ARMS[0], &ARMS[3]] {
        write_run(&runs, arm, 1, 700);
    }
    let to = home.path().join("figures");
    report(std::slice::from_ref(&runs), &ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())).unwrap();
    let records: Vec<_> = all_runs(&runs).iter().map(Run::record).collect();
    let (mut reached, mut censored) = (0, 0);
    for row in rows(&text(&to, "complexity.csv")).into_iter().skip(1) {
        let (label, cells) = row.split_first().unwrap();
        let run = records.iter().find(|record| record.manifest.arm == *label).unwrap();
        assert_eq!(cells[..2], ["1"; 2], "seed and replicate");
        let epsilon: f64 = cells[2].parse().unwrap();
        match run.rounds.iter().find(|row| row.mean_field_sq.is_some_and(|h_sq| h_sq <= epsilon)) {
            Some(first) => {
                assert_eq!(cells[3..5], [first.round.to_string(), (1_500 * first.round).to_string()], "{row:?}");
                reached += 1;
            }
            None => {
                assert_eq!(cells[3..], [""; 5], "{row:?}");
                censored += 1;
            }
        }
    }
    assert!(reached > 0 && censored > 0, "{reached} reached, {censored} not");
}

/// The figure, its data and the document's information name the digests of the runs.
#[test]
fn a_figure_carries_its_digests() {
    let home = tempfile::tempdir().unwrap();
    let to = home.path().join("figures");
    let run = write_run(home.path(), &ARMS[2], 5, 30);
    report(&[run.folder], &ReportOptions::new(Style::Ieee, &Format::ALL, to.clone())).unwrap();
    let digest = format!("{:08x}", ARMS[2].bits_up * 17 + 5);
    for name in ["objective.svg", "objective.tex", "objective.csv"] {
        assert!(text(&to, name).contains(&digest), "{name}");
    }
    let pdf = inflated(&read(&to, "objective.pdf"));
    assert!(pdf.contains(&digest) && pdf.contains("/CIDFontType0"));
    assert!(!pdf.contains("CreationDate") && !pdf.contains("/Type3"));
    let caption = text(&to, "objective-details.txt");
    assert!(caption.contains("Caveat: a biased compressor acts on whole statistics"), "{caption}");
    assert!(caption.contains("n = 100 clients, 1 run (seed 1)"), "{caption}");
}

/// Two runs of one arm and replicate are distinguished by their directories, unless they are one; labels replace names.
#[test]
fn labels() {
    let home = tempfile::tempdir().unwrap();
    let run = |folder: &str, replicate| write_run(&home.path().join(folder), &ARMS[0], replicate, 10).folder;
    let pair = [run("a", 1), run("b", 1)];
    let to = home.path().join("figures");
    let same = fedbits_reports::arms(&[pair[0].clone(), pair[0].clone()]).unwrap_err();
    assert!(matches!(same, ReportError::SameRun { seed: 1, .. }), "{same}");
    let arms = fedbits_reports::arms(&pair).unwrap();
    let draw = |labels: [&str; 2]| {
        let labelled =
            |(arm, label): (&Arm, &str)| ShownArm::Labelled { arm: arm.label().to_owned(), label: label.to_owned() };
        let arms = arms.iter().zip(labels).map(labelled).collect();
        let declared = Some(vec![Figure { arms, ..common::objective(&[]) }]);
        report(&pair, &ReportOptions { declared, ..ReportOptions::new(Style::Jmlr, &[Format::Svg], to.clone()) })
            .unwrap();
        text(&to, "objective.svg")
    };
    let svg = draw(["α = 0.01", "a < b & c"]);
    assert!(svg.contains(">α = 0.01</text>") && svg.contains(">a &lt; b &amp; c</text>"));
    assert!(draw(["雪", "b"]).contains(">&lt;U+96EA&gt;</text>"), "what the font lacks is drawn as its number");
}

/// Runs of one name that were told to do different things are no replicates of one arm, whatever their seeds; with
/// different seeds, names and records of the same thing they are.
#[test]
fn different_settings_are_different_arms() {
    let home = tempfile::tempdir().unwrap();
    let run_of = |arm: usize, folder: &str, seed: u64, setting: &str| {
        let run = write_run(&home.path().join(folder).join("same"), &ARMS[arm], seed, 10);
        let scenario = format!("Scenario(name: \"s{seed}\", seed: {seed}, record: (every: {seed}), {setting})");
        edit_plan(&run.folder, |plan| plan.arms[0].scenario_text = scenario);
        run.folder
    };
    let run = |folder: &str, seed: u64, setting: &str| run_of(0, folder, seed, setting);
    let runs = [run("a", 1, "gamma: 0.1"), run("b", 2, "gamma: 0.5"), run("c", 3, "gamma: 0.1")];
    let found = |runs: &[PathBuf]| -> Vec<(String, usize)> {
        let all = fedbits_reports::arms(runs).unwrap();
        all.iter().map(|arm| (arm.label().to_owned(), arm.records().count())).collect()
    };
    assert_eq!(found(&runs), [("a/same".to_owned(), 2), ("b/same".to_owned(), 1)]);
    assert_eq!(found(&[runs[0].clone(), runs[2].clone()]), [(ARMS[0].name.to_owned(), 2)]);
    all_runs(&runs[2])[0].change(|record| record.manifest.clients = 20);
    assert_eq!(found(&[runs[0].clone(), runs[2].clone()]).len(), 2);
    // Folders of the same last names keep two arms apart, with equal seeds and with others.
    for (base, seeds) in [("equal", [1, 1]), ("other", [1, 2])] {
        let of = |arm: usize, folder: &str, gamma: &str| {
            run_of(arm, &format!("{base}/{folder}"), seeds[arm], &format!("gamma: {gamma}"))
        };
        let runs = [of(0, "x/lo", "0.1"), of(0, "x/hi", "0.5"), of(1, "y/lo", "0.1"), of(1, "y/hi", "0.5")];
        let apart = ["x/lo", "x/hi", "y/lo", "y/hi"].map(|folder| (format!("{folder}/same"), 1));
        assert_eq!(found(&runs), apart);
    }
}

/// A run of a single round is a single marker, of two arms with and without θ alike: nothing fails, nothing
/// overlaps.
#[test]
fn a_single_round_is_drawn() {
    let home = tempfile::tempdir().unwrap();
    let runs = home.path().join("runs");
    write_run(&runs, &ARMS[0], 1, 0);
    write_run(&runs, &ARMS[1], 1, 0).change(|record| record.theta = None);
    let to = home.path().join("figures");
    let written = report(&[runs], &ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())).unwrap();
    let drawn = ["mean_field_sq.svg", "objective.svg", "weights.svg"];
    for name in drawn {
        assert!(names(&written).contains(&name.to_owned()), "{name}");
        check_texts(&to.join(name));
    }
    assert!(text(&to, "mean_field_sq.svg").contains("<polygon"));
    // ‖H‖² is unknown before the first round, so it has no figure.
    assert!(!to.join("field_sq.svg").exists());
}

#[test]
fn what_cannot_be_drawn_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let options = ReportOptions::new(Style::Jmlr, &[Format::Svg], home.path().join("figures"));
    assert!(matches!(report(&[], &options).unwrap_err(), ReportError::NoRuns));
    let empty = home.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let error = report(&[empty], &options).unwrap_err().to_string();
    assert!(error.contains("empty: no plan.json of runs in this folder, nor directly below it"), "{error}");
    let error = report(&[home.path().join("nowhere")], &options).unwrap_err().to_string();
    assert!(error.contains("nowhere: No such file"), "{error}");
    let run = write_alone(home.path(), &ARMS[0], 1, 3);
    let segment = run.join("segments/000000.seg");
    let whole = std::fs::read(&segment).unwrap();
    std::fs::write(&segment, &whole[..whole.len() / 2]).unwrap();
    let error = report(std::slice::from_ref(&run), &options).unwrap_err();
    assert!(matches!(&error, ReportError::NoFinishedRun(path) if *path == run), "{error}");
    std::fs::write(run.join("plan.json"), "{\n1\n").unwrap();
    let error = report(&[run], &options).unwrap_err().to_string();
    assert!(error.contains("plan.json:2:1: "), "{error}");
    assert!(!home.path().join("figures").exists(), "nothing is written when something is wrong");
}

/// A run with a topology has a figure of it: as many lines as links, a mark for every site, the server's a square,
/// names beside few sites, the same network once however many arms share it; and the caption counts.
#[test]
fn a_topology_is_drawn() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("runs");
    let runs: Vec<Run> = ARMS[..3].iter().map(|arm| write_run(&folder, arm, 1, 20)).collect();
    let sites = [("Hub", 0.0, 0.0, true, 0), ("West", -3.0, 1.0, false, 5), ("East", 4.0, 0.0, false, 0)];
    let network = topology(&sites, &[(0, 1, 1_000_000, 2_000_000), (0, 2, 10_000_000, 7_500_000)]);
    runs[..2].iter().for_each(|run| run.change(|record| record.topology = Some(network.clone())));
    let out = home.path().join("figures");
    let written = report(&[folder], &ReportOptions::new(Style::Neurips, &[Format::Svg], out.clone())).unwrap();
    assert!(names(&written).contains(&"topology.svg".to_owned()));
    let svg = structure(&text(&out, "topology.svg"));
    assert_eq!(groups(&svg, "line").len(), 2, "two arms, one network of two links");
    // West is a disc, East a ring, the hub a square.
    let dots = groups(&svg, "dots").concat();
    let count = |mark: &str| dots.matches(mark).count();
    assert_eq!(["fill=\"#0072b2\"", "stroke=\"#0072b2\"", "<polygon"].map(count), [1; 3]);
    assert!(["Hub", "West", "East", "site without clients"].iter().all(|word| svg.contains(word)));
    let caption = text(&out, "topology-details.txt");
    let counts = "no compression; dithering, s = 4: 3 sites, 2 links, 5 clients; links carry 1 to 10 Mbit/s and take 2 to 7.5 ms.";
    assert!(caption.contains(counts), "{caption}");
    assert!(text(&out, "topology.csv").contains("link,Hub,,,,,West,1000000,2000000"));
}

/// A run that fitted a matrix over time has the figure of totals, its data with the local line, and its caption; others
/// do not.
#[test]
fn totals_over_time() {
    let home = tempfile::tempdir().unwrap();
    let (runs, to) = (home.path().join("runs"), home.path().join("to"));
    common::write_trend(&runs, 24);
    let written = report(&[runs], &ReportOptions::new(Style::Neurips, &[Format::Svg], to.clone())).unwrap();
    assert!(names(&written).contains(&"trend.svg".to_owned()), "{written:?}");
    let table = text(&to, "trend.csv");
    let rows: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(rows[0], "arm,time,estimated_total,loess,missing");
    assert_eq!(rows.len(), 25);
    // Totals on a line are their own local estimate.
    let cells: Vec<&str> = rows[5].split(',').collect();
    let (total, loess): (f64, f64) = (cells[2].parse().unwrap(), cells[3].parse().unwrap());
    assert!((total - loess).abs() < 1e-9, "{total} and {loess}");
    assert!(text(&to, "trend.svg").contains("held-out RMSE"));
    let caption = text(&to, "trend-details.txt");
    assert!(caption.starts_with("Estimated totals over all sites") && !caption.contains("No line for"), "{caption}");
    // Three times have nothing to smooth, and the caption says so.
    let (runs, to) = (home.path().join("three"), home.path().join("to-three"));
    common::write_trend(&runs, 3);
    report(&[runs], &ReportOptions::new(Style::Neurips, &[], to.clone())).unwrap();
    let caption = text(&to, "trend-details.txt");
    assert!(caption.contains("No line for") && caption.contains(": fewer than 6 times."), "{caption}");
    let plain = report(
        &[study(&home.path().join("other"))],
        &ReportOptions::new(Style::Neurips, &[], home.path().join("plain")),
    )
    .unwrap();
    assert!(names(&plain).iter().all(|name| !name.starts_with("trend")));
}

/// A run that failed in round 1 does not say what its arm has measured: beside one that has not measured the target the
/// arm is unknown, in its error too, and where all failed none gets there.
#[test]
fn runs_that_failed_at_once_do_not_say_what_was_measured() {
    let home = tempfile::tempdir().unwrap();
    let ended = [0, 2].map(|arm| write_run(home.path(), &ARMS[arm], 1, 3));
    let failed = [(0, 2), (1, 1), (1, 2), (2, 2)].map(|(arm, number)| write_run(home.path(), &ARMS[arm], number, 0));
    for run in &failed {
        run.change(|record| record.manifest.stop_reason = "failed: no link".to_owned());
    }
    // The last arm has no error.
    for run in [&ended[1], &failed[3]] {
        run.change(|record| {
            record.rounds.iter_mut().for_each(|row| (row.objective, row.mean_field_sq) = (None, None));
        });
    }
    let targets = [
        PlanTarget { column: "accuracy".to_owned(), bound: Bound::AtLeast(0.8) },
        PlanTarget::at_most("field_sq", 1e-9),
    ];
    let found = compare(&Samples::of_records(&open_folders(&[home.path().to_path_buf()]).unwrap(), &targets).unwrap());
    let told = |target: Option<usize>, what: Quantity| {
        let block = found.blocks.iter().find(|block| block.measure == Measure { target, what }).unwrap();
        let mut told: Vec<_> = block.arms.iter().map(|arm| (arm.runs, arm.reached)).collect();
        told.sort_unstable();
        told
    };
    assert_eq!(told(Some(0), Quantity::Time), [(0, 0), (0, 0), (2, 0)]);
    assert_eq!(told(Some(1), Quantity::Time), [(2, 0); 3]);
    assert_eq!(told(None, Quantity::Error), [(0, 0), (2, 0), (2, 1)]);
}
