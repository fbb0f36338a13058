//! Declared figures: panels, quantities, arms as groups, limits, marks, and what is wrong with them.

use crate::common::{ARMS, rows, write_run, write_study};
use fedbits_reports::declare::{
    ArmsPanel, Band, Curves, Ecdf, Figure, FigureKind, Forest, Mark, Panels, ShownArm, Target, Timed, XAxis,
};
use fedbits_reports::{
    FigureVerdict, Figures, Format, ReportError, ReportOptions, Style, Wanted, open_folders, report, verify,
};
use std::path::{Path, PathBuf};

pub(crate) fn figure(kind: Curves, arms: &[ShownArm]) -> Figure {
    let (arms, caption) = (arms.to_vec(), "First words.".to_owned());
    Figure { arms, caption, ..Figure::new("own", FigureKind::Curves(kind)) }
}

fn arm(name: &str) -> ShownArm {
    ShownArm::Arm(name.to_owned())
}

/// Three replicates of the first two arms, and one that goes on twice as long.
fn runs(home: &Path) -> Vec<PathBuf> {
    let folder = home.join("runs");
    for arm in &ARMS[..2] {
        (1..=3).for_each(|replicate| drop(write_run(&folder, arm, replicate, 60)));
    }
    write_run(&folder, &ARMS[2], 1, 120);
    vec![folder]
}

pub(crate) fn options(figure: &Figure, to: &Path) -> ReportOptions {
    let declared = Some(vec![figure.clone()]);
    let formats = [Format::Svg];
    ReportOptions { declared, wanted: Wanted::Declared, ..ReportOptions::new(Style::Neurips, &formats, to.to_owned()) }
}

/// The drawing, its data and its words.
pub(crate) fn drawn(figure: &Figure) -> (String, Vec<Vec<String>>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let (runs, to) = (runs(folder.path()), folder.path().join("figures"));
    report(&runs, &options(figure, &to)).unwrap();
    let text = |name: &str| std::fs::read_to_string(to.join(name)).unwrap();
    assert!(matches!(verify(&to.join("own.svg"), &runs).unwrap(), FigureVerdict::Same(7)));
    (text("own.svg"), rows(&text("own.csv")), text("own.txt"), text("own-details.txt"))
}

/// The characters of all texts, raised and lowered ones as they are.
pub(crate) fn texts(svg: &str) -> Vec<&'static str> {
    let element = |part: &str| -> &'static str {
        let text = &part[..part.find("</text>").unwrap()];
        let runs = text.split('>').skip(1).map(|run| run.split('<').next().unwrap());
        Box::leak(runs.collect::<String>().into_boxed_str())
    };
    svg.split("<text ").skip(1).map(element).collect()
}

/// Two quantities in a panel per arm: headings name the arms, the legend the quantities, and the data have all lines.
#[test]
fn quantities_share_the_panel_of_an_arm() {
    let y = vec!["mean_field_sq".to_owned(), "field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Epochs], panels: Panels::Arms, ..Curves::default() };
    let (svg, data, caption, _) = drawn(&figure(curves, &[arm(ARMS[1].name), arm(ARMS[0].name)]));
    let texts = texts(&svg);
    let at = |text: &str| texts.iter().position(|known| *known == text).unwrap_or_else(|| panic!("{text}: {texts:?}"));
    assert!(at(ARMS[1].name) < at(ARMS[0].name) && svg.contains(">‖H‖<tspan") && !texts.contains(&ARMS[2].name));
    let mut lines: Vec<&str> = data[1..].iter().map(|row| row[0].as_str()).collect();
    lines.dedup();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(caption.starts_with("First words. The squared norm of the mean field"), "{caption}");
}

/// Arms as one line: its band is that of all their runs.
#[test]
fn a_group_is_one_line() {
    let label = "both".to_owned();
    let both = ShownArm::Group { label, arms: vec!["no*".to_owned(), ARMS[1].name.to_owned()] };
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], band: Band::Range, ..Curves::default() };
    let (_, data, caption, _) = drawn(&figure(curves, &[both]));
    assert!(data[1..].iter().all(|row| row[0] == "both"));
    assert!(caption.contains("over 6 replicates") && caption.contains("least to most"), "{caption}");
    let column = |name: &str| data[0].iter().position(|cell| cell == name).unwrap();
    let number = |row: &[String], name: &str| row[column(name)].parse::<f64>().unwrap();
    assert!(data[1..].iter().all(|row| number(row, "low") < number(row, "high")));
}

/// A value and the end of an arm are lines with names in the legend; a slope is one more line.
#[test]
fn marks_are_lines_with_names() {
    let marks = vec![
        Mark::Value { y: 1e-3, label: "enough".to_owned() },
        Mark::End { arm: ARMS[0].name.to_owned(), label: String::new() },
        Mark::Slope { arm: ARMS[2].name.to_owned(), decades: None },
    ];
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], marks, ..Curves::default() };
    let (svg, data, caption, details) = drawn(&figure(curves, &[arm(ARMS[1].name), arm(ARMS[2].name)]));
    assert_eq!(svg.matches("class=\"rule\"").count(), 2);
    let texts = texts(&svg);
    let end = format!("end of {}", ARMS[0].name);
    assert!(texts.contains(&"enough") && texts.contains(&end.as_str()), "{texts:?}");
    let slope = format!("{}, fitted slope", ARMS[2].name);
    assert!(data[1..].iter().any(|row| row[0] == slope) && texts.contains(&slope.as_str()), "{texts:?}");
    // Its line is dotted, in the frame and in the legend, without a marker; it is no arm of one run.
    assert_eq!((svg.matches("stroke-dasharray=\"63 180\"").count(), svg.matches("class=\"markers\"").count()), (2, 2));
    assert!(caption.contains("over 1 to 3 replicates") && details.contains("Dotted lines"), "{caption}");
}

/// Several slopes of an arm have different dashes and names, and all are in the data; in a panel of their own arm's, too.
#[test]
fn slopes_of_an_arm_are_told_apart() {
    let slope = |decades| Mark::Slope { arm: ARMS[2].name.to_owned(), decades };
    let marks = vec![slope(None), slope(Some(0.004)), slope(Some(0.002))];
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], marks, ..Curves::default() };
    let words = ["fitted slope", "predicted slope \u{2212}0.004", "predicted slope \u{2212}0.002"];
    for (panels, line, shown) in [(Panels::Axes, ARMS[2].name, ARMS[2].name), (Panels::Arms, "‖h(Ŝ)‖²", "‖ℎ(Ŝ)‖2")]
    {
        let curves = Curves { panels: panels.clone(), ..curves.clone() };
        let (svg, data, ..) = drawn(&figure(curves, &[arm(ARMS[1].name), arm(ARMS[2].name)]));
        let heading = if panels == Panels::Arms { format!("{}: ", ARMS[2].name) } else { String::new() };
        for (words, dashes) in words.iter().zip(["63 180", "63 144 63 450", "63 540"]) {
            let name = format!("{line}, {words}");
            assert!(texts(&svg).contains(&format!("{shown}, {words}").as_str()), "{name}: {:?}", texts(&svg));
            assert!(data[1..].iter().any(|row| row[0] == format!("{heading}{name}")), "{name}");
            assert_eq!(svg.matches(&format!("stroke-dasharray=\"{dashes}\"")).count(), 2, "{dashes}");
        }
    }
}

/// Slopes go with their arms to the panels of a study's levels.
#[test]
fn slopes_stand_in_the_panels_of_their_arms() {
    let folder = tempfile::tempdir().unwrap();
    let (study, to) = (write_study(folder.path(), 2, 300), folder.path().join("figures"));
    let slope = |arm: &str, decades| Mark::Slope { arm: arm.to_owned(), decades };
    let arms = ["none / 100 %", "none / 50 %"];
    let curves = Curves {
        y: vec!["mean_field_sq".to_owned()],
        x: vec![XAxis::Rounds],
        panels: Panels::Levels("participation".to_owned()),
        marks: vec![slope(arms[0], None), slope(arms[0], Some(0.01)), slope(arms[1], None)],
        ..Curves::default()
    };
    report(&[study], &options(&figure(curves, &[]), &to)).unwrap();
    let table = rows(&std::fs::read_to_string(to.join("own.csv")).unwrap());
    let mut lines: Vec<&str> =
        table[1..].iter().map(|row| row[0].as_str()).filter(|label| label.contains("slope")).collect();
    lines.dedup();
    let expected =
        ["100 %: none, fitted slope", "100 %: none, predicted slope \u{2212}0.01", "50 %: none, fitted slope"];
    assert_eq!(lines, expected.map(|line| format!("participation: {line}")));
}

/// Arms and marks of a declaration that a report cannot show are named in the details.
#[test]
fn what_a_report_cannot_show_is_said() {
    let marks = vec![
        Mark::Value { y: 1e-3, label: "enough".to_owned() },
        Mark::End { arm: "gone".to_owned(), label: String::new() },
        Mark::Value { y: -2.0, label: "neg".to_owned() },
        Mark::Optimum,
        Mark::Slope { arm: ARMS[0].name.to_owned(), decades: None },
    ];
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], marks, ..Curves::default() };
    let (svg, .., details) = drawn(&figure(curves.clone(), &[arm(ARMS[1].name), arm("gone"), arm("lost")]));
    assert!(details.contains("the mark `neg` at -2 is not drawn") && !texts(&svg).contains(&"neg"), "{details}");
    for said in
        ["does not have: gone, lost.", "the end of gone is", "f* is not drawn", &format!("slope of {}", ARMS[0].name)]
    {
        assert!(details.contains(said), "{said}: {details}");
    }
    assert!(!details.contains("enough"));
    let (.., details) = drawn(&figure(Curves { marks: vec![], ..curves }, &[arm(ARMS[1].name)]));
    assert!(!details.contains("does not have") && !details.contains("not drawn"), "{details}");
}

/// Figures find their arms by name, whatever they call them; two that are called the same are an error, and so is
/// a figure none of whose arms is there.
#[test]
fn labels_are_no_names() {
    let folder = tempfile::tempdir().unwrap();
    let (_, to) = (runs(folder.path()), folder.path().join("figures"));
    let runs = [folder.path().to_path_buf()];
    let y = vec!["mean_field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], ..Curves::default() };
    let with = |arms: &[ShownArm]| options(&figure(curves.clone(), arms), &to);
    let two = with(&[arm(ARMS[0].name), arm(ARMS[2].name)]);
    report(&runs, &two).unwrap();
    assert!(matches!(verify(&to.join("own.svg"), &runs).unwrap(), FigureVerdict::Same(7)));
    let labelled = ShownArm::Labelled { arm: ARMS[0].name.to_owned(), label: ARMS[1].name.to_owned() };
    let error = report(&runs, &with(&[labelled, arm(ARMS[1].name)])).unwrap_err();
    assert!(matches!(error, ReportError::LabelTwice { .. }), "{error}");
    let one = [write_run(&folder.path().join("one"), &ARMS[1], 1, 20).folder];
    let error = report(&one, &two).unwrap_err().to_string();
    assert!(error.contains(&format!("not have: `{}`, `{}`; there are `{}`", ARMS[0].name, ARMS[2].name, ARMS[1].name)));
}

/// A quantity that no run has is an error that names those there are.
#[test]
fn an_unknown_quantity_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path());
    let curves = Curves { y: vec!["acuracy".to_owned()], ..Curves::default() };
    let error = report(&runs, &options(&figure(curves, &[]), folder.path())).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("`own` shows `acuracy`") && said.contains("`mean_field_sq`"), "{said}");
    let wanted = Wanted::Named(vec!["legder".to_owned()]);
    let options = ReportOptions { wanted, ..ReportOptions::new(Style::Icml, &[Format::Svg], folder.path().to_owned()) };
    let error = report(&runs, &options).unwrap_err();
    assert!(
        matches!(&error, ReportError::Unknown { what: "figure", known, .. } if known.contains("`ledger`")),
        "{error}"
    );
    // Names of files lead to their kinds; those of the table of kinds are kinds.
    for (file, kind) in
        [("heat-mean_field_sq_0.01", "heat"), ("mean_field_sq-time_s", "convergence"), ("mixture-marginals", "mixture")]
    {
        let options = ReportOptions { wanted: Wanted::Named(vec![file.to_owned()]), ..options.clone() };
        let error = report(&runs, &options).unwrap_err().to_string();
        assert!(error.contains("there is no figure") && error.ends_with(&format!("did you mean `{kind}`?")), "{error}");
    }
    let wanted = Wanted::Named(vec!["heat-TARGET".to_owned()]);
    let error = report(&runs, &ReportOptions { wanted, ..options }).unwrap_err();
    assert!(error.to_string().contains("it needs a scenario with two axes that vary"), "{error}");
}

/// A figure that the runs cannot show is an error that says what it needs, behind the others; runs that have just ended have the
/// others, and nothing in place of the only one: the page is there without it, and is verified.
#[test]
fn a_declared_figure_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (runs, to) = (runs(folder.path()), folder.path().join("figures"));
    let goal = Target::MeanFieldSq(1e-200);
    let forest = Figure::new("fo", FigureKind::Forest(Forest { target: Some(goal), ..Forest::default() }));
    let ledger = Figure::new("bits", FigureKind::Named("ledger".to_owned()));
    let named = |name: &str| Figure::new("own", FigureKind::Named(name.to_owned()));
    let of = |declared: &[Figure], wanted| {
        let plain = ReportOptions::new(Style::Icml, &[Format::Svg], to.clone());
        ReportOptions { declared: Some(declared.to_vec()), wanted, ..plain }
    };
    for declared in [vec![forest.clone()], vec![named("heat")]] {
        let error = report(&runs, &of(&declared, Wanted::Declared)).unwrap_err();
        assert!(error.figure() == Some(&declared[0].name) && error.to_string().contains("it needs"), "{error}");
        assert!(error.to_string().contains("given: 7 runs of 3 arms"), "{error}");
        assert!(!to.exists());
    }
    // Of several the others are written, whether they are declared or asked for.
    let both = [ledger.clone(), forest.clone()];
    for wanted in [Wanted::Declared, Wanted::Named(vec!["fo".to_owned(), "bits".to_owned()])] {
        let error = report(&runs, &of(&both, wanted)).unwrap_err();
        assert!(error.to_string().contains("`fo` cannot be drawn of these runs"), "{error}");
        let ReportError::Partly { written, left_out } = error else { panic!("{error}") };
        assert!(written.contains(&to.join("bits.svg")) && left_out.len() == 1, "{written:?}");
        assert!(matches!(verify(&to.join("bits.svg"), &runs).unwrap(), FigureVerdict::Same(7)));
    }
    let unknown = figure(Curves { y: vec!["acuracy".to_owned()], ..Curves::default() }, &[]);
    for wanted in [Wanted::Declared, Wanted::All] {
        let all = of(&[forest.clone(), ledger.clone(), unknown.clone()], wanted);
        let (written, left_out) = Figures::builtin().report_possible(&open_folders(&runs).unwrap(), &all).unwrap();
        assert!(written.contains(&to.join("bits.svg")));
        let left_out: Vec<Option<&str>> = left_out.iter().map(ReportError::figure).collect();
        assert_eq!(left_out, [Some("fo"), Some("own")]);
        assert!(matches!(verify(&to.join("bits.svg"), &runs).unwrap(), FigureVerdict::Same(7)));
    }
    let alone = ReportOptions { formats: vec![Format::Svg, Format::Html], ..of(&[forest], Wanted::Declared) };
    let (written, left_out) = Figures::builtin().report_possible(&open_folders(&runs).unwrap(), &alone).unwrap();
    assert_eq!(left_out.len(), 1);
    assert!(!written.iter().any(|path| path.extension().is_some_and(|ending| ending == "svg")), "{written:?}");
    assert!(matches!(verify(&to.join("report.html"), &runs).unwrap(), FigureVerdict::Same(7)));
}

/// A kind that is declared has the figure's name and first words.
#[test]
fn a_kind_takes_the_name_of_its_declaration() {
    let folder = tempfile::tempdir().unwrap();
    let (runs, to) = (runs(folder.path()), folder.path().join("figures"));
    let kind = FigureKind::Named("ledger".to_owned());
    let figure = Figure { kind, ..figure(Curves::default(), &[arm(ARMS[1].name)]) };
    let files = report(&runs, &options(&figure, &to)).unwrap();
    assert!(files.contains(&to.join("own.svg")) && !to.join("ledger.svg").exists());
    let words = std::fs::read_to_string(to.join("own.txt")).unwrap();
    assert!(words.starts_with("First words. "), "{words}");
    assert!(matches!(verify(&to.join("own.csv"), &runs).unwrap(), FigureVerdict::Same(7)));
}

/// Panels may differ in quantity and arm; parameters have their symbols, and a line that is alone in its panels needs
/// no entry in the legend where axis and heading say what it is.
#[test]
fn panels_have_quantities_of_their_own() {
    let panel = |number: usize, y: &str| ArmsPanel {
        heading: ARMS[number].name.to_owned(),
        arms: vec![arm(ARMS[number].name)],
        y: vec![y.to_owned()],
    };
    let split = [(0, "theta.weight_*"), (0, "field_sq"), (1, "theta.weight_*"), (1, "field_sq")];
    let panels = Panels::Split(split.map(|(number, y)| panel(number, y)).to_vec());
    let (svg, data, caption, _) = drawn(&figure(Curves { x: vec![XAxis::Epochs], panels, ..Curves::default() }, &[]));
    let labels: Vec<String> =
        svg.split("<text ").skip(1).map(|part| part.split("</text>").next().unwrap().to_owned()).collect();
    let symbols = labels.iter().filter(|label| label.contains(">π<tspan")).count();
    // Three in the legend, and the first at the axis of either panel of weights.
    assert!(symbols >= 3, "{labels:?}");
    assert!(!labels.iter().any(|label| label.contains("weight_")), "{labels:?}");
    assert!(!labels.iter().any(|label| label.ends_with(">‖H‖²")), "{labels:?}");
    let mut lines: Vec<&str> = data[1..].iter().map(|row| row[0].as_str()).collect();
    lines.dedup();
    assert_eq!(lines.len(), 8, "{lines:?}");
    assert!(lines.contains(&"no compression: π₀") && lines.contains(&"dithering, s = 4: π₂"), "{lines:?}");
    assert!(caption.contains("‖H‖²"), "{caption}");
}

/// Where some panels show arms and another one quantities of one arm, no two entries of the legend look the same.
#[test]
fn quantities_beside_arms_have_looks_of_their_own() {
    let panel = |heading: &str, arms: &[usize], y: &[&str]| ArmsPanel {
        heading: heading.to_owned(),
        arms: arms.iter().map(|&number| arm(ARMS[number].name)).collect(),
        y: y.iter().map(|name| (*name).to_owned()).collect(),
    };
    let split = vec![panel("all", &[0, 1], &["objective"]), panel("one", &[0], &["mean_field_sq", "field_sq"])];
    let curves = Curves { x: vec![XAxis::Epochs], panels: Panels::Split(split), ..Curves::default() };
    let (svg, ..) = drawn(&figure(curves, &[]));
    let legend = svg.split("<g class=\"legend\"").skip(1).filter_map(|part| part.split("stroke=\"").nth(1));
    let mut colors: Vec<&str> = legend.filter_map(|part| part.split('"').next()).collect();
    colors.retain(|color| *color != "none");
    colors.sort_unstable();
    colors.dedup();
    assert_eq!(colors.len(), 4, "{colors:?}");
}

/// A shape that a kind does not heed is named; one that it heeds is not.
#[test]
fn a_shape_that_says_nothing_is_named() {
    let of = |kind: FigureKind| {
        let shaped = Figure { kind, columns: Some(2), aspect: Some(0.5), ..figure(Curves::default(), &[]) };
        drawn(&shaped).3
    };
    let ledger = of(FigureKind::Named("ledger".to_owned()));
    assert!(
        ["columns", "aspect"].iter().all(|field| ledger.contains(&format!("Not heeded: the declared `{field}`, as")))
    );
    for kind in [FigureKind::Named("convergence".to_owned()), FigureKind::Curves(Curves::default())] {
        let folder = tempfile::tempdir().unwrap();
        let (runs, to) = (runs(folder.path()), folder.path().join("figures"));
        let shaped = Figure { kind, columns: Some(1), aspect: Some(0.5), ..figure(Curves::default(), &[]) };
        for path in report(&runs, &options(&shaped, &to)).unwrap() {
            if path.to_string_lossy().ends_with("-details.txt") {
                assert!(!std::fs::read_to_string(&path).unwrap().contains("Not heeded"), "{}", path.display());
            }
        }
    }
}

/// Axes of curves and of comparisons have the declared words, and keep their unit; where panels differ, or a kind has
/// other axes, the details say that the words are not used.
#[test]
fn axes_have_the_declared_words() {
    let named = |kind| {
        let (x_label, y_label) = ("communication".to_owned(), "squared norm".to_owned());
        Figure { x_label, y_label, ..Figure::new("own", kind) }
    };
    let y = vec!["mean_field_sq".to_owned()];
    let curves = |x: &[XAxis]| FigureKind::Curves(Curves { y: y.clone(), x: x.to_vec(), ..Curves::default() });
    let (svg, _, _, details) = drawn(&named(curves(&[XAxis::BitsUp])));
    let words = texts(&svg);
    assert!(words.contains(&"communication (Mbit)") && words.contains(&"squared norm"), "{words:?}");
    assert!(!words.iter().any(|word| word.contains("bits sent")) && !details.contains("Not heeded"), "{words:?}");
    let (svg, _, _, details) = drawn(&named(curves(&[XAxis::BitsUp, XAxis::Time])));
    assert!(texts(&svg).contains(&"simulated time (s)") && details.contains("Not heeded: the declared `x_label`, as"));
    let durations = vec![Timed::Round];
    let (svg, ..) = drawn(&named(FigureKind::Ecdf(Ecdf { of: durations })));
    assert!(texts(&svg).contains(&"communication (ms)"), "{:?}", texts(&svg));
    let details = drawn(&named(FigureKind::Named("ledger".to_owned()))).3;
    assert!(details.contains("Not heeded: the declared `y_label`"), "{details}");
}

/// Words that are longer than their axis are cut, and stand in the details in full; the unit stays.
#[test]
fn long_words_at_an_axis_are_cut() {
    let long = "a very long name of an axis that nobody would write below a figure ".repeat(3);
    let y = vec!["mean_field_sq".to_owned()];
    let kind = FigureKind::Curves(Curves { y, x: vec![XAxis::BitsUp], ..Curves::default() });
    let labels = Figure { x_label: long.clone(), y_label: long.clone(), ..Figure::new("own", kind) };
    let (svg, _, _, details) = drawn(&labels);
    let cut: Vec<&str> = texts(&svg).into_iter().filter(|word| word.starts_with("a very long name")).collect();
    assert!(cut.len() == 2 && cut.iter().all(|word| word.contains('…')), "{cut:?}");
    assert!(cut.iter().any(|word| word.ends_with("… (Mbit)")), "{cut:?}");
    assert!(details.contains("in full and in its order: ") && details.contains(long.trim()), "{details}");
}

/// Panels of several quantities share their vertical axis on request.
#[test]
fn quantities_share_an_axis_on_request() {
    let y = vec!["mean_field_sq".to_owned(), "field_sq".to_owned()];
    let curves = Curves { y, x: vec![XAxis::Rounds], ..Curves::default() };
    let upward = |curves| drawn(&figure(curves, &[])).0.matches("rotate(-90)").count();
    assert_eq!(upward(curves.clone()), 2);
    assert_eq!(upward(Curves { free_y: false, ..curves }), 1);
}
