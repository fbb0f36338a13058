//! Axes by rules: what their levels are, in which arms they exist, and what is said when they are wrong.

use std::collections::BTreeSet;

use fedbits_scenarios::{Checked, CheckedScenario, Library, Source, load_with};
use fedbits_spec::Caveat;

fn read(axes: &str, more: &str) -> Result<CheckedScenario, String> {
    read_text(format!("(name: \"sweep\", base: \"quickstart\", arms: [], axes: [{axes}], replicates: 2, {more})"))
}

fn read_text(text: String) -> Result<CheckedScenario, String> {
    load_with(Source::new("sweep.ron", text), &[], &Library).map_err(|problems| problems.render(false))
}

fn names(study: &CheckedScenario) -> Vec<&str> {
    study.arms.iter().map(|arm| arm.arm.as_deref().unwrap_or("sweep")).collect()
}

fn clients(arm: &Checked) -> usize {
    arm.scenario.clients.unwrap()
}

#[test]
fn levels_of_rules() {
    let study = read("Grid(path: \"protocol.gamma\", values: Log(1e-4, 0.1, 4))", "").unwrap();
    assert_eq!(names(&study), ["0.0001", "0.001", "0.01", "0.1"]);
    let study =
        read("Grid(path: \"protocol.gamma\", values: Linear(0.1, 0.3, 3), labels: [\"a\", \"b\", \"c\"])", "").unwrap();
    assert_eq!(names(&study), ["a", "b", "c"]);
    let with_units = "Grid(path: \"network.client_up\", values: Log(\"1 Mbps\", \"100 Mbps\", 3))";
    let study = read(with_units, "baseline: {\"client_up\": \"10 Mbps\"}").unwrap();
    assert_eq!(names(&study), ["1 Mbps", "10 Mbps", "100 Mbps"]);
    assert_eq!(study.baseline, 1);
}

/// A list, its long spelling and a rule that gives the same are the same arms: results of one are results of all.
#[test]
fn a_rule_is_the_list_of_its_levels() {
    let texts = |values: &str| -> Vec<String> {
        let study = read(&format!("Grid(path: \"protocol.gamma\", values: {values})"), "").unwrap();
        study.arms.iter().map(|arm| arm.scenario.identity()).collect()
    };
    let list = texts("[\"0.01\", \"0.1\", \"1\"]");
    assert_eq!(list, texts("Log(0.01, 1, 3)"));
    assert_eq!(list, texts("List([\"0.01\", \"0.1\", \"1\"])"));
}

#[test]
fn whole_numbers_where_the_setting_takes_no_others() {
    let study = read("Grid(path: \"clients\", values: Log(10, 1000, 5))", "").unwrap();
    assert_eq!(study.arms.iter().map(clients).collect::<Vec<_>>(), [10, 32, 100, 316, 1000]);
    let axes = "Random(points: 300, paths: {\"clients\": LogUniform(2.5, 9.5), \"protocol.gamma\": Uniform(0.1, 1)})";
    let study = read(axes, "").unwrap();
    let all: BTreeSet<usize> = study.arms.iter().map(clients).collect();
    assert_eq!(all, (3..=9).collect());
}

/// In six digits most numbers of a wide range are whole anyway, and say nothing of the setting.
#[test]
fn wide_ranges_of_whole_numbers() {
    for law in ["Uniform(10000, 50000)", "LogUniform(1e4, 1e7)", "Normal(1e6, 1e5)"] {
        for design in ["Random", "Sobol", "LatinHypercube"] {
            let study = read(&format!("{design}(points: 32, paths: {{\"data.examples\": {law}}})"), "");
            let count = study.unwrap_or_else(|problems| panic!("{problems}")).arms.len();
            assert_eq!(count, 32, "{design}, {law}");
        }
    }
}

#[test]
fn point_sets() {
    let axis = |kind: &str, points: usize, seed: u64| {
        format!(
            "{kind}(name: \"try\", points: {points}, seed: {seed}, paths: {{\"protocol.gamma\": LogUniform(1e-3, 1), \
             \"protocol.compressor\": Choice([\"Identity\", \"Dithering(levels: 2)\"])}})"
        )
    };
    for kind in ["Random", "Sobol", "LatinHypercube"] {
        let study = read(&axis(kind, 16, 1), "").unwrap();
        assert_eq!((study.arms.len(), study.arms[0].arm.as_deref().unwrap()), (16, "try 01"), "{kind}");
        let (path, values) = &study.axes[0].paths[0];
        assert_eq!(path, "protocol.compressor");
        let coded = values.iter().filter(|value| *value != "Identity").count();
        // A design has half of the points in each half.
        assert!(if kind == "Random" { (2..=14).contains(&coded) } else { coded == 8 }, "{kind}: {coded}");
        let gamma = |seed: u64| read(&axis(kind, 16, seed), "").unwrap().axes[0].paths[1].1.clone();
        assert_eq!(gamma(1), study.axes[0].paths[1].1, "{kind}");
        assert_ne!(gamma(1), gamma(2), "{kind}");
        for value in gamma(3) {
            let number: f64 = value.parse().unwrap();
            assert!((1e-3..=1.0).contains(&number), "{kind}: {number}");
        }
    }
    let caveats = read(&axis("Sobol", 6, 1), "").unwrap().caveats;
    assert!(caveats.iter().any(|caveat| caveat.to_string().contains("only powers of two")), "{caveats:?}");
}

const CONDITIONAL: &str = "
    Grid(path: \"protocol.compressor\", name: \"compressor\",
        values: [\"Identity\", \"Dithering(levels: 2)\", \"RandK(k: 6)\"], labels: [\"none\", \"dithering\", \"rand\"]),
    Grid(path: \"protocol.compressor.levels\", values: Log(1, 16, 5), when: {\"compressor\": \"dithering\"}),
    Grid(path: \"protocol.gamma\", values: Linear(0.1, 0.2, 2), when: {\"compressor\": [\"none\", \"dithering\"]}),
";

#[test]
fn an_axis_exists_where_it_is_wanted() {
    let study = read(CONDITIONAL, "exclude: [{\"levels\": \"4\"}]").unwrap();
    let dithered = ["1", "2", "8", "16"]
        .iter()
        .flat_map(|levels| ["0.1", "0.2"].iter().map(move |gamma| format!("dithering / {levels} / {gamma}")));
    let all: Vec<String> = ["none / 0.1", "none / 0.2"].map(str::to_owned).into_iter().chain(dithered).collect();
    assert_eq!(names(&study), all.iter().map(String::as_str).chain(["rand"]).collect::<Vec<_>>());
    assert_eq!(study.arms[0].levels, [0, 5, 0]);
    assert_eq!(study.axes[1].label(5), "–");
    let other = read(CONDITIONAL, "baseline: {\"compressor\": \"rand\"}").unwrap();
    assert_eq!(other.arms[other.baseline].arm.as_deref(), Some("rand"));
}

/// Arms with settings of their own: what one does not set is as in the base.
#[test]
fn arms_one_by_one() {
    let axes = "Cases(name: \"way\", levels: [
            (name: \"as it is\"),
            (name: \"sparse\", set: {\"protocol.compressor\": \"RandK(k: 6)\", \"protocol.gamma\": \"0.2\"}),
            (name: \"dense\", set: {\"protocol.compressor.levels\": \"4\"}),
        ]),
        Grid(path: \"clients\", values: [5, 7], when: {\"way\": \"dense\"})";
    let axes = axes.replace("(name: \"as it is\")", "(name: \"as it is\", set: {})");
    let axes = axes.replace("\"protocol.compressor.levels\": \"4\"", "\"protocol.compressor\": \"RandK(k: 2)\"");
    let study = read(&axes, "baseline: {\"way\": \"sparse\"}").unwrap();
    assert_eq!((names(&study).as_slice(), study.baseline), (&["as it is", "sparse", "dense / 5", "dense / 7"][..], 1));
    let base = read("", "").unwrap();
    let same = |one: &Checked, other: &Checked| one.scenario.protocol == other.scenario.protocol;
    assert_eq!([0, 1, 2].map(|arm| same(&study.arms[arm], &base.arms[0])), [true, false, false]);
    assert!(study.arms[1].text.contains("k: 6,"), "{}", study.arms[1].text);
    assert_eq!(clients(&study.arms[3]), 7);
    // Read again from what was resolved it is the same.
    let again = read_text(study.text()).unwrap();
    let identities =
        |study: &CheckedScenario| -> Vec<String> { study.arms.iter().map(|arm| arm.scenario.identity()).collect() };
    assert_eq!(identities(&again), identities(&study));
}

#[test]
fn what_is_wrong_with_cases_is_said_where_it_stands() {
    let cases = |levels: &str| format!("Cases(name: \"way\", levels: [{levels}])");
    let wrong = [
        (cases(""), "the axis has no level"),
        (
            cases("(name: \"a\"), (name: \"a\", set: {\"protocol.gamma\": \"1\"})"),
            "another level of the axis `way` is `a` too",
        ),
        (cases("(name: \"a\"), (name: \"b\")"), "the arms `a` and `b` are the same scenario"),
        (cases("(name: \"a\", set: {\"protocol.gama\": \"1\"})"), "did you mean `gamma`?"),
        (cases("(name: \"a\", set: {\"replicates\": \"2\"})"), "`replicates`"),
        (cases("(name: \"a\", set: {\"clients\": \"7\", \"clients\": \"8\"})"), "\"clients\" is given twice"),
    ];
    for (axis, said) in wrong {
        let error = read(&axis, "").unwrap_err();
        assert!(error.contains(said) && error.contains("sweep.ron:1"), "{axis}: {error}");
    }
}

#[test]
fn levels_without_quotes_are_answered_with_quotes() {
    for value in ["Auto", "Power(initial: 1)"] {
        let error = read(&format!("Grid(path: \"protocol.gamma\", values: [{value}])"), "").unwrap_err();
        assert!(error.contains(&format!("put the value in double quotes: `{value:?}`")), "{error}");
    }
}

#[test]
fn what_is_wrong_with_an_axis_is_said_where_it_stands() {
    let grid = |values: &str| format!("Grid(path: \"protocol.gamma\", values: {values})");
    let random = |points: &str, law: &str| format!("Random(points: {points}, paths: {{\"protocol.gamma\": {law}}})");
    let cases = [
        (grid("Log(0, 1, 5)"), "0 has no logarithm"),
        (grid("Log(-1, 1, 5)"), "-1 has no logarithm"),
        (grid("Linear(1, 0, 5)"), "the range from 1 to 0 is empty"),
        (grid("Linear(1, 1, 5)"), "the range from 1 to 1 is empty"),
        (grid("Linear(0, 1, 1)"), "2 to 10000"),
        (grid("Linear(0, 1, 1000000000000)"), "2 to 10000"),
        (grid("Linear(0, 1e999, 5)"), "is finite"),
        (grid("Linear(NaN, 1, 5)"), "`NaN` is of the wrong type"),
        (grid("Linear(-1e308, 1e308, 5)"), "too wide"),
        (grid("Linear(0, 1)"), "expected `Linear(…)` with 3 values"),
        (grid("Linaer(0, 1, 2)"), "did you mean `Linear`?"),
        (grid("Linear(\"1 Mbps\", 2, 3)"), "different units"),
        (grid("Linear(0, \"much\", 3)"), "with its unit in double quotes"),
        (grid("Log(0.1, 1, 4), labels: [\"a\"]"), "1 label, but the axis has 4 levels"),
        (
            "Grid(path: \"clients\", values: Linear(1, 3, 9))".to_owned(),
            "another level of the axis `clients` is `2` too",
        ),
        (random("0", "Uniform(0, 1)"), "1 to 10000"),
        (random("99999999999", "Uniform(0, 1)"), "1 to 10000"),
        (random("3", "LogUniform(0, 1)"), "0 has no logarithm"),
        (random("3", "Uniform(2, 1)"), "the range from 2 to 1 is empty"),
        (random("3", "Normal(0.1, 0)"), "above 0"),
        (random("3", "Choice([])"), "there is nothing to choose"),
        (random("3", "Choice([\"0.1\", \"0.2\"])"), "only 2 of 3 points could be found"),
        ("Random(points: 3, paths: {})".to_owned(), "the axis sets nothing"),
        (
            "Random(points: 3, paths: {\"clients\": Uniform(2, 9), \"clients\": Uniform(3, 9)})".to_owned(),
            "\"clients\" is given twice",
        ),
        ("Random(points: 3, paths: {\"clients\": Uniform(2.1, 2.9)})".to_owned(), "no whole number from 2.1 to 2.9"),
        (format!("{}, {}", grid("[\"0.1\"]"), random("3", "Uniform(0, 1)")), "is set by the axis `gamma` too"),
        (
            CONDITIONAL.replace("{\"compressor\": \"dithering\"}", "{\"compresor\": \"dithering\"}"),
            "did you mean `compressor`?",
        ),
        (
            CONDITIONAL.replace("{\"compressor\": \"dithering\"}", "{\"gamma\": \"0.1\"}"),
            "no axis before this one is called `gamma`",
        ),
        (
            CONDITIONAL.replace("{\"compressor\": \"dithering\"}", "{\"compressor\": \"ditherng\"}"),
            "did you mean `dithering`?",
        ),
    ];
    for (axes, said) in cases {
        let problems = read(&axes, "").expect_err(&axes);
        assert!(problems.contains(said), "{axes}: expected `{said}` in\n{problems}");
        assert!(problems.contains("sweep.ron:"), "{axes}:\n{problems}");
    }
    let baseline = read(CONDITIONAL, "baseline: {\"compressor\": \"rand\", \"gamma\": \"0.1\"}").unwrap_err();
    assert!(baseline.contains("in which the axis `gamma` does not exist"), "{baseline}");
    // A value that a rule gives is shown at the rule.
    let outside = read(&grid("Linear(0.5, 1e9, 3)"), "").unwrap_err();
    assert!(outside.contains("sweep.ron:1:"), "{outside}");
}

/// What one axis, or an arm, sets is not lost to a later axis over what it is in.
#[test]
fn nothing_around_a_value_is_set_after_it() {
    let refused = |axes: &str, more: &str| read(axes, more).expect_err(axes);
    let outer = "Grid(path: \"protocol.gamma\", values: [\"0.1\", \"0.2\"]),
        Grid(path: \"protocol\", values: [\"FedEm(gamma: 0.3)\"])";
    assert!(refused(outer, "").contains("`protocol` is set by the axis `gamma` too"));
    let arms = "arms: [(name: \"a\", set: {\"protocol.gamma\": \"0.1\"})]";
    let text = |axis: &str| format!("(name: \"sweep\", base: \"quickstart\", {arms}, axes: [{axis}])");
    let over = read_text(text("Grid(path: \"protocol\", values: [\"FedEm(gamma: 0.3)\"])")).unwrap_err();
    assert!(over.contains("`protocol` is set by the axis `arms` too"), "{over}");
}

/// Arms multiply by axes, and are an axis of their own there.
#[test]
fn arms_beside_axes() {
    let text = |more: &str| {
        format!(
            "(name: \"sweep\", base: \"quickstart\", arms: [(name: \"none\", set: {{\"protocol.compressor\": \"Identity\"}}),
             (name: \"sparse\", set: {{\"protocol.compressor\": \"RandK(k: 6)\"}})],
             axes: [Grid(path: \"clients\", values: [5, 7]),
             Grid(path: \"protocol.compressor.k\", values: [3, 4], when: {{\"arms\": \"sparse\"}})], {more})"
        )
    };
    let all = read_text(text("baseline: {\"arms\": \"none\", \"clients\": \"7\"}")).unwrap();
    let expected = ["none / 5", "none / 7", "sparse / 5 / 3", "sparse / 5 / 4", "sparse / 7 / 3", "sparse / 7 / 4"];
    assert_eq!((names(&all).as_slice(), all.baseline), (&expected[..], 1));
    let some = read_text(text("exclude: [{\"arms\": \"sparse\", \"clients\": \"5\"}]")).unwrap();
    assert_eq!(names(&some).len(), 4);
    let wrong = read_text(text("exclude: [{\"arms\": \"sparce\"}]")).unwrap_err();
    assert!(wrong.contains("did you mean `sparse`?"), "{wrong}");
}

/// Two percent is no difference of objectives or accuracies: such a race says which differences do not matter.
#[test]
fn differences_need_a_margin() {
    let axis = "Grid(path: \"protocol.gamma\", values: [\"0.1\", \"0.2\"])";
    let race = |rules: &str| read(axis, &format!("search: Race({rules}), stop: (rounds: 5)"));
    for column in ["objective", "accuracy"] {
        let said = race(&format!("objective: Best(\"{column}\")")).unwrap_err();
        assert!(said.contains("no `margin` says which differences"), "{said}");
        race(&format!("objective: Best(\"{column}\"), margin: 0.001")).unwrap();
    }
    race("objective: Best(\"mean_field_sq\")").unwrap();
}

/// A search between arms that solve different problems says so; whatever they have in common is no reason.
#[test]
fn searches_between_problems_are_a_caveat() {
    let race = "search: Race(objective: BitsTo(MeanFieldSq(1e-3))), stop: (bits: \"1 MB\")";
    let said = |axis: &str, more: &str| Caveat::sentences(&read(axis, more).unwrap().caveats).join("\n");
    for (path, values) in [
        ("preprocess", ["[]", "[Center]"]),
        ("clients", ["10", "20"]),
        ("data.examples", ["1000", "2000"]),
        ("model.covariance", ["Tied", "Full"]),
    ] {
        let axis = format!("Grid(path: \"{path}\", values: {values:?}, labels: [\"a\", \"b\"])");
        let caveat = "the search decides between arms with different problems (data, clients or model): `b` and \
                      perhaps others";
        assert_eq!(said(&axis, race), caveat, "{path}");
        assert_eq!(said(&axis, ""), "", "{path}");
    }
    let same = ["protocol.gamma\", values: [\"0.1\", \"0.2\"]", "network.loss\", values: [\"0\", \"0.1\"]"];
    same.iter().for_each(|axis| assert_eq!(said(&format!("Grid(path: \"{axis})"), race), "", "{axis}"));
}
