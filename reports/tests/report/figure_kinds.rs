//! Kinds of figures: those of this crate are listed, and another crate can add one.

use crate::common::{ARMS, add_run, names, text, write_run, write_study};
use fedbits_record::results::{PlanTarget, RunPlan};
use fedbits_record::{Columns, Manifest, Recorder, RoundRow};
use fedbits_reports::declare::{Figure as Declared, FigureKind as DeclaredKind};
use fedbits_reports::open_folders;
use fedbits_reports::{
    About, Arm, Curve, Drawing, Figure, FigureKind, FigureVerdict, Figures, Format, Report, ReportError, ReportOptions,
    Style, Wanted, XAxis, report,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A kind of another crate.
struct Entropy;

impl FigureKind for Entropy {
    fn about(&self) -> About {
        About { name: "bits_up_entropy", title: "the entropy of what clients sent", needs: "that column" }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let curves: Vec<Curve> = report.arms().iter().filter_map(|arm: &Arm| arm.column("bits_up_entropy")).collect();
        let label = ("entropy of messages (bit)", "the empirical entropy");
        let figure = Figure::new("bits_up_entropy", label, &[XAxis::Rounds, XAxis::BitsUp], &curves);
        report.lines(figure.note("the entropy is no code"))
    }
}

/// A run of three rounds; after round k it has sent 100 k bits whose entropy is 60 k, where it has that column.
fn write(folder: &Path, name: &str, columns: &[&str]) -> PathBuf {
    let extra: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
    let columns = Columns { extra: extra.clone(), ..Columns::default() };
    let mut recorder = Recorder::memory(columns);
    for round in 0..=3 {
        let extra = vec![Some(60.0 * round as f64); extra.len()];
        let row = RoundRow { round, bits_up: 100 * round, objective: Some(1.0), extra, ..RoundRow::default() };
        recorder.round(&row).unwrap();
    }
    let manifest = Manifest { arm: name.to_owned(), ..Manifest::default() };
    add_run(&folder.join(name), recorder.finish(manifest, &[], &[]).unwrap().unwrap()).folder
}

/// Its figure stands beside the others and on the page, and is made again by `verify`.
#[test]
fn another_crate_adds_a_kind() {
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "plain", &[]), write(home.path(), "counted", &["bits_up_entropy"])];
    let figures = Figures::builtin().with(Box::new(Entropy));
    let to = home.path().join("figures");
    let options = ReportOptions::new(Style::Icml, &[Format::Svg, Format::Html], to.clone());
    figures.report(&open_folders(&runs).unwrap(), &options).unwrap();
    assert!(text(&to, "bits_up_entropy.csv").contains("\ncounted,3,0,300,300,0,180,180,180,1\n"));
    assert!(text(&to, "bits_up_entropy.svg").contains("entropy of messages"));
    assert!(text(&to, "bits_up_entropy-details.txt").contains("Caveat: the entropy is no code"));
    assert!(text(&to, "report.html").contains("<figure id=\"figure-bits_up_entropy\">"));
    assert_eq!(
        figures
            .verify(&to.join("bits_up_entropy.svg"), &open_folders(&runs).unwrap().iter().collect::<Vec<_>>())
            .unwrap(),
        FigureVerdict::Same(2)
    );
    let without = Figures::builtin().report(&open_folders(&runs[..1]).unwrap(), &options).unwrap();
    assert!(without.iter().all(|path| !path.to_string_lossy().contains("entropy")));
}

/// A kind whose figure has the name of another kind's is an error, and nothing is written.
#[test]
fn two_kinds_do_not_share_a_name() {
    struct Twice;
    impl FigureKind for Twice {
        fn about(&self) -> About {
            About { name: "twice", title: "the same again", needs: "nothing" }
        }
        fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
            Entropy.draw(report)
        }
    }
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "counted", &["bits_up_entropy"])];
    let options = ReportOptions::new(Style::Icml, &[Format::Svg], home.path().join("figures"));
    let figures = Figures::builtin().with(Box::new(Entropy)).with(Box::new(Twice));
    let error = figures.report(&open_folders(&runs).unwrap(), &options).unwrap_err();
    assert!(error.to_string().contains("the kind `twice` draws a figure `bits_up_entropy`"), "{error}");
    assert!(!options.directory.exists());
}

/// A kind that panics is an error of its figure.
#[test]
fn a_kind_that_panics_is_named() {
    struct Fallen;
    impl FigureKind for Fallen {
        fn about(&self) -> About {
            About { name: "fallen", title: "nothing", needs: "nothing" }
        }
        fn draw(&self, _: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
            panic!("my figure fell over")
        }
    }
    let home = tempfile::tempdir().unwrap();
    let run = write(home.path(), "run", &[]);
    let figures = Figures::builtin().with(Box::new(Fallen));
    for wanted in [Wanted::All, Wanted::Named(vec!["fallen".to_owned()])] {
        let options = ReportOptions::new(Style::Icml, &[Format::Svg], home.path().join("figures"));
        let error = figures
            .report(&open_folders(std::slice::from_ref(&run)).unwrap(), &ReportOptions { wanted, ..options })
            .unwrap_err()
            .to_string();
        let said = "the figure `fallen`: the program panicked: my figure fell over; a bug of fedbits, or of a part of your own";
        assert_eq!(error, said);
    }
}

/// However many declared figures cannot be drawn, the others are drawn twice: the second time they know which remain.
#[test]
fn figures_that_cannot_be_drawn_are_found_in_one_pass() {
    struct Counted(Arc<AtomicUsize>);
    impl FigureKind for Counted {
        fn about(&self) -> About {
            About { name: "counted", ..Entropy.about() }
        }
        fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Entropy.draw(report)
        }
    }
    let home = tempfile::tempdir().unwrap();
    let runs = [write(home.path(), "run", &["bits_up_entropy"])];
    let kinds = [("a", "counted"), ("b", "heat"), ("c", "race"), ("d", "trade_off")];
    let figure = |(name, kind): (&str, &str)| Declared::new(name, DeclaredKind::Named(kind.to_owned()));
    for (possible, draws) in [(&kinds[..1], 1), (&kinds[..], 2)] {
        let drawn = Arc::new(AtomicUsize::new(0));
        let figures = Figures::builtin().with(Box::new(Counted(Arc::clone(&drawn))));
        let options = ReportOptions {
            wanted: Wanted::Declared,
            declared: Some(possible.iter().copied().map(figure).collect()),
            ..ReportOptions::new(Style::Icml, &[Format::Svg], home.path().join("figures"))
        };
        let (written, left_out) = figures.report_possible(&open_folders(&runs).unwrap(), &options).unwrap();
        let left_out: Vec<Option<&str>> = left_out.iter().map(ReportError::figure).collect();
        assert_eq!(left_out, possible[1..].iter().map(|(name, _)| Some(*name)).collect::<Vec<_>>());
        assert_eq!(drawn.load(Ordering::Relaxed), draws);
        let made = written.iter().find(|path| path.extension().is_some_and(|ending| ending == "svg")).unwrap();
        assert_eq!(
            figures.verify(made, &open_folders(&runs).unwrap().iter().collect::<Vec<_>>()).unwrap(),
            FigureVerdict::Same(1)
        );
    }
}

/// A kind that does not fit the runs says what it needs and what there is, and nothing is written; beside one that
/// fits, too.
#[test]
fn a_kind_that_does_not_fit_says_what_it_needs() {
    let home = tempfile::tempdir().unwrap();
    let to = home.path().join("figures");
    let named = |names: &[&str]| ReportOptions {
        wanted: Wanted::Named(names.iter().map(|&name| name.to_owned()).collect()),
        ..ReportOptions::new(Style::Icml, &[Format::Svg], to.clone())
    };
    let refused = |runs: &Path, names: &[&str]| {
        let error = report(&[runs.to_path_buf()], &named(names)).unwrap_err().to_string();
        assert!(!to.exists());
        error
    };
    let run = write(home.path(), "plain", &[]);
    assert_eq!(
        refused(&run, &["heat"]),
        "`heat` cannot be drawn of these runs: it needs a scenario with two axes that vary; given: 1 run of 1 arm; no \
         axes, no targets and no race; tables: histograms, ledger, rounds"
    );
    assert!(refused(&run, &["vpc"]).contains("it needs the table `vpc` of a run"));
    let study = write_study(home.path(), 2, 30);
    let error = refused(&study, &["race"]);
    assert!(error.contains("it needs a scenario with `search: Race(…)`"), "{error}");
    assert!(
        error.contains(
            "24 runs of 12 arms; the axes `compressor` (levels: 4) and `participation` (levels: 3), 2 \
             targets and no race"
        ),
        "{error}"
    );
    // What is asked for is written, and no table beside it.
    let written = report(&[study], &named(&["heat"])).unwrap();
    assert!(names(&written).iter().all(|name| name.starts_with("heat-")), "{written:?}");
}

/// What is there is not what is said to be missing: a mixture of one column, a target that all starts meet.
#[test]
fn what_is_needed_is_not_what_is_given() {
    let home = tempfile::tempdir().unwrap();
    let run = write_run(&home.path().join("runs"), &ARMS[0], 1, 10).folder;
    let said = |of: &Path, name: &str| {
        let wanted = Wanted::Named(vec![name.to_owned()]);
        let to = home.path().join("figures");
        let options = ReportOptions { wanted, ..ReportOptions::new(Style::Icml, &[Format::Svg], to) };
        report(&[of.to_path_buf()], &options).unwrap_err().to_string()
    };
    for (name, needs) in
        [("mixture", "for ellipses of two columns or more"), ("trade_off", "not all runs already meet at round 0")]
    {
        assert!(said(&run, name).contains(needs), "{}", said(&run, name));
    }
    // A target that every start meets has a cost, that of the first row, and no trade-off.
    let study = write_study(home.path(), 2, 30);
    let mut plan = RunPlan::read(&study).unwrap();
    plan.targets = vec![PlanTarget::at_most("mean_field_sq", 1e9)];
    plan.write(&study).unwrap();
    assert!(said(&study, "trade_off").contains("not all runs already meet at round 0"));
}

/// `docs/figure-kinds.md` lists the kinds; UPDATE_GOLDEN=1 writes the list anew.
#[test]
fn the_documentation_lists_every_kind() {
    const HEADER: &str = "| kind | shows | from |\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figure-kinds.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find(HEADER).expect("the list of kinds");
    let end = start + text[start..].find("\n\n").expect("its end") + 1;
    let table = Figures::builtin().table();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &text[..start], &text[end..])).unwrap();
    } else {
        assert_eq!(&text[start..end], table, "docs/figure-kinds.md (UPDATE_GOLDEN=1 writes it anew)");
    }
}
