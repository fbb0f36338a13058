//! The charts of the page where axes, ranges and values are unusual, and what the page takes of a declared figure as
//! the figure itself does.

use crate::browser::Browser;
use crate::common::{ARMS, Run, add_trace, rows, study, write_run};
use crate::declared::{figure, options};
use crate::page::{PLOT, by_id, center, choose, click, page, words};
use crate::page_files::{CHART, ROUND, browser_strings, saved};
use fedbits_record::Cell;
use fedbits_reports::declare::{Curves, Figure, FigureKind, Limits, Scale, XAxis};
use fedbits_reports::{Format, ReportOptions, report};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The page of some runs with a declared figure.
pub fn declared_page(runs: &Path, figure: &Figure, to: &Path) -> PathBuf {
    let options = ReportOptions { formats: vec![Format::Html], ..options(figure, to) };
    report(&[runs.to_path_buf()], &options).unwrap();
    to.join("report.html")
}

/// The numbers of the page.
pub fn data(page: &Path) -> Value {
    let text = std::fs::read_to_string(page).unwrap();
    let start = text.split_once("<script type=\"application/json\" id=\"data\">").unwrap().1;
    serde_json::from_str(start.split_once("</script>").unwrap().0).unwrap()
}

/// A run whose ‖h(Ŝ)‖² was another one in some rounds.
fn write_odd_run(runs: &Path, rounds: u64, odd: &[(usize, f64)]) -> Run {
    let run = write_run(runs, &ARMS[0], 1, rounds);
    run.change(|record| odd.iter().for_each(|&(round, value)| record.rounds[round].mean_field_sq = Some(value)));
    run
}

fn saved_text(browser: &mut Browser, files: &str, kind: &str) -> String {
    String::from_utf8(saved(browser, files, kind)).unwrap()
}

fn hash(browser: &mut Browser) -> String {
    browser.value("new Promise(done => setTimeout(() => done(location.hash), 400))").as_str().unwrap().to_owned()
}

/// Lines begin at 0, which has no place on a logarithmic axis: a click near a line pins its arm there, too.
#[test]
fn a_click_pins_a_line_on_a_logarithmic_axis() {
    let home = tempfile::tempdir().unwrap();
    let page = page(&study(home.path()), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    for scales in ["y", "xy"] {
        browser.open(&page, &format!("#chart=mean_field_sq,round,{scales}"));
        let (x, y) = center(&mut browser, PLOT);
        let pinned = "document.querySelectorAll('#arms [aria-pressed=true]').length";
        let heights = (-19..20).map(|step| y + 10.0 * f64::from(step));
        let mut clicks = heights.map(|up| {
            browser.mouse(x, up, false);
            browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
            let lit = browser.value("document.querySelectorAll('#arms tr.lit').length");
            browser.mouse(x, up, true);
            (lit, browser.value(pinned))
        });
        let one = clicks.find(|(_, pinned)| *pinned == 1);
        drop(clicks);
        assert_eq!(one, Some((json!(1), json!(1))), "{scales}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The address says that all is shown of a figure with limits, and keeps ranges whose ends differ little.
#[test]
fn the_address_keeps_ranges() {
    let home = tempfile::tempdir().unwrap();
    let x_limits = Limits { from: Some(2.0), to: Some(9.0) };
    let y = vec!["mean_field_sq".to_owned()];
    let declared = figure(Curves { y, x: vec![XAxis::Time], x_limits, ..Curves::default() }, &[]);
    let page = declared_page(&study(home.path()), &declared, &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let is_whole = "document.getElementById('reset-zoom').disabled";
    assert_eq!(browser.value(is_whole), false);
    click(&mut browser, &by_id("reset-zoom"));
    assert_eq!(hash(&mut browser), "#range=");
    browser.open(&page, "#range=");
    let note = "document.getElementById('note').hidden";
    assert_eq!([is_whole, note].map(|own| browser.value(own)), [json!(true), json!(true)]);
    assert_eq!(hash(&mut browser), "#range=");
    for range in ["round,1000001,1000004", "time_s,20.0000001,20.0000004", "time_s,0.5,12.25"] {
        browser.open(&page, &format!("#range={range}"));
        choose(&mut browser, "theme", "dark");
        assert_eq!(hash(&mut browser), format!("#range={range}&theme=dark"));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Names of quantities that hold what keeps the parts of an address apart.
#[test]
fn the_address_keeps_any_name() {
    let home = tempfile::tempdir().unwrap();
    let run = write_run(&home.path().join("runs"), &ARMS[0], 1, 20);
    run.change(|record| record.theta.as_mut().unwrap().names[0] = "A[0,1]; 50%".to_owned());
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let data = data(&page);
    let named = |own: &Value| own["name"] == "theta.A[0,1]; 50%";
    let number = data["quantities"].as_array().unwrap().iter().position(named).unwrap();
    choose(&mut browser, "y-0", &number.to_string());
    click(&mut browser, &by_id("add-chart"));
    let kept = hash(&mut browser);
    browser.open(&page, &kept);
    let shown = "[document.getElementById('y-0').value, document.querySelectorAll('.one-chart').length, \
        document.getElementById('note').hidden]";
    assert_eq!(browser.value(shown), json!([number.to_string(), 2, true]), "{kept}");
    assert_eq!(hash(&mut browser), kept);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// A range between two recorded rounds shows the lines between them, and its file has these rounds.
#[test]
fn a_range_between_two_points_is_not_empty() {
    let home = tempfile::tempdir().unwrap();
    let page = page(&study(home.path()), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    for scale in ["", "y", "xy"] {
        browser.open(&page, &format!("#chart=mean_field_sq,round,{scale}&range=round,12,13&arms=0"));
        let table = rows(&saved_text(&mut browser, CHART, "CSV"));
        let column = |name: &str| {
            let place = table[0].iter().position(|own| own == name).unwrap();
            table[1..].iter().map(|row| row[place].parse::<f64>().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(column("round"), [10.0, 15.0], "{scale}");
        let (low, high) = (column("low"), column("high"));
        let svg = saved_text(&mut browser, CHART, "SVG");
        let ticks: Vec<f64> = browser_strings(&mut browser, &svg, "text[text-anchor=end]")
            .iter()
            .map(|own| own.parse().unwrap())
            .collect();
        let (least, most) = (low[0].min(low[1]), high[0].max(high[1]));
        assert!(ticks.len() > 1, "{scale}: {ticks:?}");
        assert!(
            ticks.iter().all(|tick| (0.7 * least..1.3 * most).contains(tick)),
            "{scale}: {ticks:?} {low:?} {high:?}"
        );
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Values near the largest number: axes end, files are drawn, and no coordinate has an exponent.
#[test]
fn lines_that_overflow_are_drawn() {
    let home = tempfile::tempdir().unwrap();
    write_odd_run(&home.path().join("runs"), 60, &[(55, 3e302), (60, 1.5e308)]);
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    // The axis on the page, too.
    let drawn = "(() => { const canvas = CanvasRenderingContext2D.prototype, own = canvas.fillText; window.drawn = []; \
        canvas.fillText = function (...all) { window.drawn.push(all[0]); return own.apply(this, all); }; })()";
    for (scale, tick) in [("y", "10²⁰⁰"), ("", "1.00000e+300")] {
        browser.open(&page, "");
        browser.value(drawn);
        browser.value(&format!("location.hash = 'chart=mean_field_sq,round,{scale}'"));
        browser.value("new Promise(done => setTimeout(() => done(true), 200))");
        let drawn = browser.value("window.drawn");
        let near =
            |own: &&Value| own.as_str().is_some_and(|own| own == tick || (scale == "y" && own.starts_with("10²")));
        assert!(drawn.as_array().unwrap().iter().filter(near).count() > 0, "{scale}: {drawn}");
    }
    for (chart, least, tick) in [("y", 6, "10⁰"), ("", 3, "1.00000e+300"), (",0,1", 3, "0.2")] {
        browser.open(&page, &format!("#chart=mean_field_sq,round,{chart}"));
        let svg = saved_text(&mut browser, CHART, "SVG");
        let ticks = browser_strings(&mut browser, &svg, "text[text-anchor=end]");
        assert!(ticks.len() >= least && ticks.iter().any(|own| own == tick), "{chart}: {ticks:?}");
        let shapes = svg.split("<path ").skip(1).map(|own| own.split("/>").next().unwrap());
        shapes.for_each(|shape| assert!(!shape.contains("e+") && !shape.contains("NaN"), "{chart}: {shape}"));
        assert!(saved(&mut browser, CHART, "PDF").starts_with(b"%PDF"), "{chart}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// A value without a place on a logarithmic axis interrupts the line in the source for pgfplots, as it does in the
/// chart.
#[test]
fn source_for_pgfplots_is_interrupted_as_the_chart() {
    let home = tempfile::tempdir().unwrap();
    write_odd_run(&home.path().join("runs"), 60, &[(20, 0.0), (25, 0.0), (40, 0.0)]);
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    for (scale, parts) in [("", vec![13]), ("y", vec![4, 2, 4])] {
        browser.open(&page, &format!("#chart=mean_field_sq,round,{scale}"));
        let tex = saved_text(&mut browser, CHART, "TeX");
        let line = tex.split_once("\\addplot[arm0] coordinates {\n").unwrap().1.split_once("\n};").unwrap().0;
        let own: Vec<usize> = line.split("\n\n").map(|part| part.matches('(').count()).collect();
        assert_eq!(own, parts, "{tex}");
        assert!(tex.contains("empty line=jump"), "{tex}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Lines have running medians by the rule of the figures: noise of many rounds, whatever quantity; over a thirtieth of
/// the points.
#[test]
fn smoothing_is_that_of_the_figures() {
    let home = tempfile::tempdir().unwrap();
    let run = write_run(&home.path().join("runs"), &ARMS[0], 1, 400);
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let medians = "running medians over a thirtieth of their points";
    for (quantity, is_noise) in [("field_sq", true), ("theta.weight_0", true), ("theta.weight_1", false)] {
        browser.open(&page, &format!("#chart={quantity},round,"));
        assert_eq!(words(&mut browser, "charts").contains(medians), is_noise, "{quantity}");
    }
    browser.open(&page, "#chart=field_sq,round,");
    let tex = saved_text(&mut browser, CHART, "TeX");
    let line = tex.split_once("\\addplot[arm0] coordinates {\n").unwrap().1.split_once("\n};").unwrap().0;
    let pairs = line.split('(').skip(1).map(|pair| pair.split(')').next().unwrap().split_once(',').unwrap());
    let values: Vec<f64> = run.record().rounds[1..].iter().map(|row| row.field_sq.unwrap()).collect();
    let expected = fedbits_numerics::running_medians(&values, values.len() / 60);
    let mut count = 0;
    for (x, y) in pairs.map(|(x, y)| (x.parse::<usize>().unwrap(), y.parse::<f64>().unwrap())) {
        assert!((y - expected[x - 1]).abs() < 6e-6 * y, "round {x}: {y} and {}", expected[x - 1]);
        count += 1;
    }
    assert!(count > 300, "{count}");
    choose(&mut browser, "smooth", "0");
    assert!(!words(&mut browser, "charts").contains("running medians"));
    // Of few points no median over one in a hundred is another than the point.
    browser.open(&page, "#chart=mean_field_sq,round,&smooth=1");
    assert!(!words(&mut browser, "charts").contains("running medians"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Limits that have no place on a logarithmic axis, hold no line or are of another axis are not those of the page, as
/// they are not those of the figure.
#[test]
fn limits_that_show_nothing_are_not_used() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    let opening = |x, x_scale, from, to| {
        let (y, x_limits) = (vec!["mean_field_sq".to_owned()], Limits { from, to });
        let declared = figure(Curves { y, x: vec![x], x_scale, x_limits, ..Curves::default() }, &[]);
        let opening = data(&declared_page(&runs, &declared, &home.path().join("figures")))["opening"].take();
        (opening["charts"][0]["x"].clone(), opening["charts"][0]["logX"].clone(), opening["range"].clone())
    };
    let (rounds, log, linear) = (XAxis::Rounds, Scale::Log, Scale::Linear);
    let range = |from: f64, to: f64| json!({"x": 0, "from": from, "to": to});
    for (x, scale, from, to, expected) in [
        (rounds, linear, Some(0.0), Some(40.0), (0, false, range(0.0, 40.0))),
        (rounds, linear, Some(20.0), None, (0, false, range(20.0, 60.0))),
        (rounds, log, Some(2.0), Some(40.0), (0, true, range(2.0, 40.0))),
        (rounds, log, Some(0.0), Some(40.0), (0, true, Value::Null)),
        (rounds, linear, Some(130.0), Some(140.0), (0, false, Value::Null)),
        (XAxis::Energy, linear, Some(3.0), Some(4.0), (0, false, Value::Null)),
    ] {
        let (x_axis, is_log, limits) = expected;
        assert_eq!(opening(x, scale, from, to), (json!(x_axis), json!(is_log), limits), "{from:?} {to:?}");
    }
}

/// Figures may be called as parts of the page are: every id is there once.
#[test]
fn no_id_stands_twice() {
    let home = tempfile::tempdir().unwrap();
    let runs = study(home.path());
    for name in ["data", "round", "network", "figures", "legend", "runs"] {
        let curves = Curves { y: vec!["objective".to_owned()], ..Curves::default() };
        let declared = Figure::new(name, FigureKind::Curves(curves));
        let page = std::fs::read_to_string(declared_page(&runs, &declared, &home.path().join("figures"))).unwrap();
        let mut ids = BTreeSet::new();
        for id in page.split(" id=\"").skip(1).filter_map(|own| own.split('"').next()) {
            assert!(ids.insert(id), "{id} twice");
        }
        assert!(ids.contains(format!("figure-{name}").as_str()), "{ids:?}");
        let links = page.split("href=\"#").skip(1).filter_map(|own| own.split('"').next());
        links.for_each(|link| assert!(ids.contains(link), "#{link} leads nowhere"));
    }
}

/// Bits of a transfer and numbers of rounds are exact in the file of a round.
#[test]
fn bits_of_a_round_are_exact() {
    let home = tempfile::tempdir().unwrap();
    let run = write_run(&home.path().join("runs"), &ARMS[0], 1, 20);
    add_trace(&run, false);
    run.change(|record| {
        let trace = record.extra.last_mut().unwrap();
        let bits = trace.column("payload_bits").unwrap();
        let first = trace.rows.iter_mut().find(|row| row[bits] == Cell::Whole(1_000)).unwrap();
        first[bits] = Cell::Whole(33_554_123);
    });
    let page = page(&home.path().join("runs"), &home.path().join("figures"));
    let Some(mut browser) = Browser::show(&page, "") else { return };
    let table = rows(&saved_text(&mut browser, ROUND, "CSV"));
    let place = table[0].iter().position(|own| own == "bits").unwrap();
    let bits: BTreeSet<&str> = table[1..].iter().map(|row| row[place].as_str()).collect();
    assert!(bits.contains("33554443") && bits.contains("1320"), "{bits:?}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
