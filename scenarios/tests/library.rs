//! The scenarios of the library and the template are right, and the library is found by name.

use crate::skips::{Lacks, skipped};
use crate::small;
use fedbits_protocols::journal::Journal;
use fedbits_scenarios::library::{find, groups, list, template};
use fedbits_scenarios::{Library, Source, load, load_resolved, load_with};
use fedbits_spec::Caveat;
use rayon::prelude::*;

/// `load` accepts the text, and the resolved text it gives stands for the same scenario: load(text(s)) = s.
fn check(source: Source) {
    for checked in load(source, &[]).unwrap_or_else(|problems| panic!("{problems}")) {
        let again = load(Source::new("resolved", &*checked.text), &[]).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].scenario, checked.scenario);
        assert_eq!(again[0].text, checked.text);
        assert_eq!(load_resolved(Source::new("resolved", &*checked.text)).unwrap(), again);
    }
}

#[test]
fn every_library_scenario_checks_and_round_trips() {
    for entry in list() {
        check(find(entry.name).unwrap());
        assert!(!entry.about.is_empty(), "{} says nothing about itself", entry.name);
    }
}

/// What has no effect is no slip in a text that says every field, and is one where a field is left to its default, or
/// in an edit.
#[test]
fn a_resolved_text_may_say_what_has_no_effect() {
    let all = load(find("papers/vpem-horizontal").unwrap(), &[]).unwrap();
    let text = &all.iter().find(|checked| checked.arm.as_deref() == Some("em")).unwrap().text;
    let problem = |text: &str, sets: &[&str]| {
        let sets: Vec<_> = sets.iter().map(|set| set.parse().unwrap()).collect();
        load(Source::new("resolved", text), &sets).err().map(|problems| problems.to_string())
    };
    assert_eq!(problem(text, &[]), None);
    assert_eq!(problem(text, &["seed=2"]), None);
    let set = problem(text, &["late=Apply"]).unwrap();
    assert!(set.contains("`late` has no effect"), "{set}");
    let partly = problem(&text.replace("dropout: Never,", ""), &[]).unwrap();
    assert!(partly.contains("`clients` and `network` have no effect"), "{partly}");
}

/// Whoever adds a scenario says what it is for (`GROUPS` in `src/library.rs`), and no group is without scenarios.
#[test]
fn every_library_scenario_belongs_to_a_group() {
    for entry in list() {
        assert!(groups().any(|group| group == entry.group), "{} belongs to no group", entry.name);
    }
    for group in groups() {
        assert!(list().any(|entry| entry.group == group), "no scenario is for: {group}");
    }
}

/// Sentences are not cut where a line of the file ends.
#[test]
fn the_list_says_whole_sentences() {
    for entry in list() {
        assert!(entry.about.ends_with(['.', '?', '!']), "{}: {}", entry.name, entry.about);
    }
}

#[test]
fn an_unknown_name_suggests_few() {
    let nearest = |name: &str| find(name).unwrap_err().nearest;
    assert_eq!(nearest("fedem-figure1"), ["papers/fedem-figure1"]);
    assert_eq!(nearest("quikstart"), ["quickstart"]);
    let some = nearest("flsaem");
    assert!(some.len() == 3 && some.iter().all(|name| name.contains("flsaem")), "{some:?}");
    assert_eq!(nearest("nothing that there is").len(), 3);
}

#[test]
fn the_library_has_the_scenarios_that_are_promised() {
    let names: Vec<&str> = list().map(|entry| entry.name).collect();
    for name in ["quickstart", "papers/fedem-figure1", "mnist-fedem", "htru2-fedem"] {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn the_template_checks_and_round_trips() {
    check(Source::new("template", template("my \"first\" scenario")));
}

/// The template shows every field: the fields of the resolved text are all named in it.
#[test]
fn the_template_shows_every_field() {
    let text = template("all");
    let resolved = &load(Source::new("template", &*text), &[]).unwrap()[0].text;
    for line in resolved.lines() {
        let field = line.trim_start().split(':').next().filter(|_| line.contains(": "));
        assert!(field.is_none_or(|field| text.contains(&format!("{field}:"))), "{line}");
    }
}

/// The text of every scenario of the library with all its defaults is the same scenario, with the same arms.
#[test]
fn every_library_scenario_is_its_resolved_text() {
    for entry in list() {
        let whole = load_with(find(entry.name).unwrap(), &[], &Library).unwrap_or_else(|problems| panic!("{problems}"));
        let again = load_with(Source::new("resolved", whole.text()), &[], &Library).unwrap();
        assert_eq!((&again.scenario, again.text()), (&whole.scenario, whole.text()), "{}", entry.name);
        let arms = |of: &[fedbits_scenarios::Checked]| -> Vec<_> {
            of.iter().map(|arm| (arm.arm.clone(), arm.scenario.identity())).collect()
        };
        assert_eq!(arms(&again.arms), arms(&whole.arms), "{}", entry.name);
    }
}

/// What is known of a run's columns before the run holds those that it has, of every scenario of the library; and every
/// column that a protocol adds to the rows is in the guide's table.
#[test]
fn columns_are_known_before_a_run_and_to_the_guide() {
    let guide = std::fs::read_to_string("../docs/records.md").unwrap();
    let is_tried = |(name, cut): (&String, &small::Cut)| {
        let (mut preparer, mut tried, mut missing) = (small::preparer(false), 0, 0);
        for checked in small::arms(name, cut).unwrap_or_else(|error| panic!("{name}: {error}")) {
            let Ok(prepared) = preparer.prepare(&checked.scenario) else {
                missing += 1;
                continue;
            };
            tried += 1;
            let subject = prepared.experiment.protocol.subject();
            let (probe, is_sampled) = (subject.probe().unwrap(), checked.scenario.protocol.over().is_sampled());
            let is_probed = checked.scenario.record.probe_every.is_some();
            // The statistic of averaged parameters is no expectation in every model, which only the run tells.
            let averages = fedbits_text::write(&checked.scenario.protocol).starts_with("FedAvgEm");
            let measured = [
                ("mean_field_sq", probe.mean_field_sq.is_some()),
                ("objective", probe.objective.is_some()),
                ("objective_gap", subject.problem().exact().is_some()),
            ];
            for (quantity, is_measured) in measured.map(|(quantity, is_there)| (quantity, is_there && is_probed)) {
                let may = checked.may_measure(quantity);
                let is_told_by_run = is_sampled || averages && quantity == "mean_field_sq";
                assert!(may == is_measured || may && is_told_by_run, "{name}: {quantity} {may} {is_measured}");
            }
            let known = checked.columns().expect("a protocol of the project names its columns");
            for column in Journal::columns(subject, &prepared.experiment.record).extra {
                assert!(known.contains(&column.as_str()), "{name}: {column} is not among {known:?}");
            }
            for column in subject.columns() {
                assert!(guide.contains(&format!("`{column}`")), "{name}: docs/records.md has no `{column}`");
            }
        }
        if missing > 0 {
            skipped(Lacks::Data, &format!("{name}: data of {missing} arms are not in the folder FEDBITS_DATA"));
        }
        tried > 0
    };
    let tried = small::cuts().par_iter().map(is_tried).filter(|tried| *tried).count();
    assert!(tried > 30, "{tried}");
}

/// Figures that no arm can fill are errors before a run, of every kind; those that some arms cannot fill are caveats. A
/// reference of another arm that solves the same problem is enough for a gap.
#[test]
fn figures_that_no_arm_can_fill_are_refused() {
    let said = |name: &str, figure: &str, more: &[&str]| {
        let figures = format!("figures=[(name: \"f\", kind: {figure})]");
        let sets: Vec<_> = more.iter().chain([&figures.as_str()]).map(|set| set.parse().unwrap()).collect();
        load_with(find(name).unwrap(), &sets, &Library)
            .map(|read| Caveat::sentences(&read.caveats))
            .map_err(|problems| problems.to_string())
    };
    let scarce = "papers/vpem-scarce-bits";
    let table = "papers/vpem-table1";
    let alone = ["arms=[(name: \"em\", set: {\"protocol\": \"CentralizedEm()\"})]"];
    for (name, figure, more, found) in [
        (scarce, "Curves(y: [\"objective_gap\"])", &[][..], "no arm of the figure measures `objective_gap`"),
        (scarce, "Curves(y: [\"objective\", \"field_sq\"])", &[], "no arm of the figure measures `field_sq`"),
        (scarce, "Named(\"objective_gap\")", &[], "no arm of the figure measures `objective_gap`"),
        (scarce, "Named(\"trend\")", &[], "no arm of the figure imputes counts"),
        (scarce, "Named(\"weights\")", &[], "no arm of the figure records θ"),
        (scarce, "Curves(y: [\"theta.weight_*\"])", &[], "no arm of the figure records θ"),
        (scarce, "Curves(x: [Energy])", &[], "no arm of the figure uses energy"),
        (scarce, "Curves(x: [Epsilon])", &[], "no arm of the figure has differential privacy"),
        (scarce, "Named(\"heat\")", &[], "`heat` compares levels of axes"),
        (scarce, "Race()", &[], "`race` shows a search"),
        (scarce, "Named(\"held_out\")", &[], "no arm of the figure holds anything out"),
        ("quickstart", "Named(\"topology\")", &[], "no arm of the figure has links between sites"),
        ("quickstart", "Forest()", &["arms=[]"], "`forest` compares arms, and has 1 arm"),
        ("papers/vpem-horizontal", "Named(\"ledger\")", &alone, "no arm of the figure sends anything"),
        ("papers/vpem-horizontal", "Curves(x: [BitsTotal])", &alone, "no arm of the figure sends anything"),
    ] {
        let problems = said(name, figure, more).expect_err(figure);
        assert!(problems.contains(found), "{figure}: {problems}");
    }
    let unprobed = said(scarce, "Curves(y: [\"objective\"])", &["record.probe_every=None"]).unwrap();
    assert!(unprobed.len() == 1 && unprobed[0].contains("nothing is probed"), "{unprobed:?}");
    let caveats = said(table, "Curves(y: [\"objective\", \"mean_field_sq\"])", &[]).unwrap();
    assert!(caveats.len() == 1 && caveats[0].starts_with("the figure `f` omits `k-means`"), "{caveats:?}");
    let lost = "arms=[(name: \"a\"), (name: \"em\", set: {\"protocol\": \"CentralizedEm()\", \"network\": \"()\", \"partition\": \"Iid\"})]";
    assert_eq!(said(scarce, "Curves(y: [\"objective_gap\"])", &[lost]), Ok(Vec::new()));
    for entry in list() {
        let caveats = load_with(find(entry.name).unwrap(), &[], &Library).unwrap().caveats;
        assert_eq!(caveats, [], "{}", entry.name);
    }
}

/// A figure of the library whose quantity is misspelt is refused, and the right one named.
#[test]
fn misspelt_quantities_are_found_before_a_run() {
    let mut tried = 0;
    for entry in list() {
        let source = find(entry.name).unwrap();
        let written = quantities(&source.text);
        for (at, quantity) in written.iter().filter(|(_, quantity)| !quantity.starts_with("theta.")) {
            let text = format!("{}q{}", &source.text[..*at], &source.text[*at..]);
            let wrong = Source::new(&source.name, text);
            let said = load(wrong, &[]).expect_err(entry.name).to_string();
            assert!(said.contains(&format!("measures `q{quantity}`")), "{}: {said}", entry.name);
            assert!(said.contains(&format!("did you mean `{quantity}`?")), "{}: {said}", entry.name);
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried}");
}

/// The quantities in the fields `y` of the figures of curves of a text, and where they begin.
fn quantities(text: &str) -> Vec<(usize, &str)> {
    let lists = text.match_indices("y: [\"").map(|(at, found)| at + found.len() - 1);
    let list = |at: usize| {
        let end = at + text[at..].find(']').expect("a list ends");
        let names = text[at..end].split(", ").filter_map(|part| part.strip_prefix('"')?.strip_suffix('"'));
        names.map(|name| (name.as_ptr() as usize - text.as_ptr() as usize, name)).collect::<Vec<_>>()
    };
    let is_curves = |at: &usize| text[..*at].rsplit("kind: ").next().is_some_and(|kind| kind.starts_with("Curves("));
    lists.filter(is_curves).flat_map(list).collect()
}

/// The scenarios of the library in small versions: the same digests on 1 and 4 threads, with every message audited or a
/// sample, as in the golden file, which other builds and other processors are compared with, too (`.ci/run`).
/// `UPDATE_GOLDEN=1` writes it.
#[test]
fn small_versions_have_the_golden_digests_on_any_number_of_threads() {
    let on = |threads, name: &str, cut: &small::Cut| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let simulated = pool.install(|| small::digests(name, cut, threads == 1).map_err(|error| error.to_string()));
        simulated.unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let cuts = small::cuts();
    let scenarios: Vec<&str> = list().map(|entry| entry.name).filter(|name| !name.starts_with("studies/")).collect();
    assert_eq!(cuts.keys().collect::<Vec<_>>(), scenarios, "every scenario of the library has a small version");
    let lines = |(name, cut): (&String, &small::Cut)| {
        let Some(lines) = on(1, name, cut) else {
            skipped(Lacks::Data, &format!("{name}: its data are not in the folder FEDBITS_DATA"));
            return small::golden(name);
        };
        assert_eq!(on(4, name, cut).as_ref(), Some(&lines), "{name}");
        lines
    };
    // Nothing else is left to be tested while the longest of them are played.
    let now: String = cuts.par_iter().map(lines).collect::<Vec<_>>().concat();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write("tests/small/golden.txt", now).unwrap();
    } else {
        now.lines().zip(small::GOLDEN.lines()).for_each(|(now, golden)| assert_eq!(now, golden));
        assert_eq!(now, small::GOLDEN);
    }
}
