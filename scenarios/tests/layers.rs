//! Scenarios that are laid over others: what is kept, what is replaced, and where mistakes are shown.

use std::collections::BTreeMap;

use fedbits_scenarios::schema::Scenario;
use fedbits_scenarios::{Bases, Checked, Library, Source, library, load, load_with};

/// Files by path, and the data files that are there.
#[derive(Default)]
struct Files {
    texts: BTreeMap<&'static str, String>,
    data: Vec<&'static str>,
}

impl Bases for Files {
    fn text(&self, base: &str) -> Result<Source, String> {
        match self.texts.get(base) {
            Some(text) => Ok(Source::new(base, text.as_str())),
            None => library::find(base).map_err(|error| error.to_string()),
        }
    }

    fn has_file(&self, path: &str) -> bool {
        self.data.contains(&path)
    }
}

fn files(texts: &[(&'static str, &str)]) -> Files {
    Files { texts: texts.iter().map(|(name, text)| (*name, (*text).to_owned())).collect(), data: Vec::new() }
}

fn read(files: &Files, name: &str) -> Result<Vec<Checked>, String> {
    let source = Source::new(name, files.texts[name].as_str());
    load_with(source, &[], files).map(|read| read.arms).map_err(|problems| problems.render(false))
}

fn quickstart() -> Scenario {
    load(library::find("quickstart").unwrap(), &[]).unwrap().remove(0).scenario
}

#[test]
fn fields_of_the_same_value_are_laid_over_the_base() {
    let files = files(&[(
        "mine.ron",
        "(name: \"mine\", base: \"quickstart\", clients: 12, protocol: FedEm(gamma: 0.25), stop: (rounds: 7))",
    )]);
    let arms = read(&files, "mine.ron").unwrap();
    assert_eq!(arms.len(), 4, "the arms are the base's");
    let (layered, base) = (&arms[0].scenario, quickstart());
    assert_eq!((layered.name.as_str(), layered.about.as_str(), layered.clients), ("mine", "", Some(12)));
    assert_eq!((layered.stop.rounds, layered.stop.mean_field_sq), (Some(7), base.stop.mean_field_sq));
    assert_eq!((&layered.network, &layered.data), (&base.network, &base.data));
    let text = &arms[0].text;
    assert!(text.contains("gamma: Constant(0.25)") && text.contains("participation: Bernoulli(0.75)"), "{text}");
    assert!(!text.contains("base"), "the record needs no base:\n{text}");
    assert_eq!(load(Source::new("again.ron", text.as_str()), &[]).unwrap()[0].scenario, *layered);
}

#[test]
fn all_else_is_replaced_as_a_whole() {
    let files = files(&[(
        "mine.ron",
        "(name: \"mine\", base: \"quickstart\", arms: [], protocol: CentralizedEm(), about: \"own\",
          partition: Iid, compute: (expectation: \"5 us\"), network: (client_up: \"1 Mbps\"))",
    )]);
    let arms = read(&files, "mine.ron").unwrap_err();
    // What the base says of clients has no effect on EM in one place, and is no mistake of this file.
    assert!(!arms.contains("quickstart"), "{arms}");
    let said = read(
        &Files {
            texts: files
                .texts
                .iter()
                .map(|(name, text)| (*name, text.replace("CentralizedEm()", "FedEm(gamma: 0.5, memory: NoMemory)")))
                .collect(),
            data: Vec::new(),
        },
        "mine.ron",
    );
    let layered = said.unwrap().remove(0).scenario;
    assert_eq!((layered.arms.len(), layered.about.as_str()), (0, "own"));
    assert_eq!(layered.network.loss, quickstart().network.loss);
}

#[test]
fn bases_have_bases() {
    let files = files(&[
        ("top.ron", "(name: \"top\", base: \"middle.ron\", clients: 9)"),
        ("middle.ron", "(name: \"middle\", base: \"sub/low.ron\", clients: 8, seed: 5, arms: [])"),
        ("sub/low.ron", "(name: \"low\", base: \"../lowest.ron\", clients: 7, seed: 4, replicate: 3)"),
        ("lowest.ron", "(name: \"lowest\", base: Some(\"quickstart\"), clients: 6, replicate: 2)"),
    ]);
    let scenario = read(&files, "top.ron").unwrap().remove(0).scenario;
    assert_eq!((scenario.clients, scenario.seed, scenario.replicate), (Some(9), 5, 3));
    let axes = "(name: \"s\", base: \"top.ron\", axes: [Grid(path: \"clients\", values: Linear(4, 6, 3))])";
    let varied = load_with(Source::new("s.ron", axes), &[], &files).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(varied.arms.iter().map(|arm| arm.scenario.seed).collect::<Vec<_>>(), [5, 5, 5]);
}

#[test]
fn circles_and_towers_are_refused() {
    let circle = files(&[("a.ron", "(name: \"a\", base: \"b.ron\")"), ("b.ron", "(name: \"b\", base: \"./a.ron\")")]);
    let said = read(&circle, "a.ron").unwrap_err();
    assert!(said.contains("a.ron → b.ron → a.ron") && said.contains("b.ron:1:"), "{said}");
    let ring = files(&[("a.ron", "(name: \"a\", base: \"a.ron\")")]);
    assert!(read(&ring, "a.ron").unwrap_err().contains("includes itself"));
    let names: Vec<&'static str> = (0..12).map(|number| &*format!("{number}.ron").leak()).collect();
    let tower = (0..11).map(|number| (names[number], format!("(name: \"x\", base: \"{}.ron\")", number + 1)));
    let tower = Files { texts: tower.collect(), data: Vec::new() };
    assert!(read(&tower, "0.ron").unwrap_err().contains("more than 8 bases"));
}

#[test]
fn mistakes_are_shown_in_the_file_in_which_they_stand() {
    let low = "(name: \"low\", base: \"quickstart\",\n  clients: 10)";
    let cases = [
        (
            "(name: \"top\", base: \"low.ron\", protocol: FedEm(gama: 0.1))",
            low.to_owned(),
            "did you mean `gamma`?",
            "top.ron:1:",
        ),
        (
            "(name: \"top\", base: \"low.ron\", client: 3)",
            low.to_owned(),
            "did you mean `clients` or `data.client`",
            "top.ron:1:",
        ),
        ("(name: \"top\", base: \"low.ron\")", low.replace("10", "0"), "`clients` is out of range: 0", "low.ron:2:"),
        ("(name: \"top\", base: \"low.ron\")", low.replace("10", "\"ten\""), "wrong type", "low.ron:2:"),
        ("(name: \"top\", base: \"low.ron\")", low.replace("10)", "10"), "", "low.ron:"),
        ("(name: \"top\", base: \"lou.ron\")", low.to_owned(), "lou.ron", "top.ron:1:"),
        ("(name: \"top\", base: \"quikstart\")", low.to_owned(), "did you mean `quickstart`?", "top.ron:1:"),
        ("(base: \"low.ron\")", low.to_owned(), "the field `name` is missing", "top.ron:1:"),
        ("(name: \"top\", base: \"low.ron\", seed: 1, seed: 2)", low.to_owned(), "`seed` is given twice", "top.ron:1:"),
        ("(name: \"top\", base: Some(\"low.ron\"), data: 1)", low.to_owned(), "", "top.ron:1:"),
    ];
    for (top, low, said, place) in cases {
        let files = files(&[("top.ron", top), ("low.ron", &low)]);
        let problems = read(&files, "top.ron").expect_err(top);
        assert!(
            problems.contains(said) && problems.contains(place),
            "{top}: expected `{said}` at {place} in\n{problems}"
        );
    }
    let set = "base=\"quickstart\"".parse().unwrap();
    let problems = load(library::find("quickstart").unwrap(), &[set]).unwrap_err().render(false);
    assert!(problems.contains("it cannot be set"), "{problems}");
}

/// Data beside a base in another folder are found from the folder of the upper text; what is not there may be in one of
/// the folders of data.
#[test]
fn data_lie_beside_the_file_that_names_them() {
    let table = |path: &str| format!("data: Csv(path: \"{path}\", columns: [\"a\", \"b\"])");
    let rest = "clients: 3, model: GaussianMixture(components: 2, covariance: Diagonal), protocol: FedEm(gamma: 0.5), stop: (rounds: 3)";
    let low = format!("(name: \"low\", {}, {rest})", table("mine.csv"));
    let mut files = files(&[
        ("top.ron", "(name: \"top\", base: \"../shared/low.ron\")"),
        ("other.ron", &format!("(name: \"other\", base: \"../shared/low.ron\", {})", table("own.csv"))),
        ("../shared/low.ron", &low),
    ]);
    let found = |files: &Files, name: &str| -> String {
        let scenario = read(files, name).unwrap_or_else(|problems| panic!("{problems}")).remove(0).scenario;
        scenario.files()[0].to_owned()
    };
    assert_eq!(found(&files, "top.ron"), "mine.csv");
    files.data = vec!["../shared/mine.csv", "../shared/own.csv"];
    assert_eq!(found(&files, "top.ron"), "../shared/mine.csv");
    assert_eq!(found(&files, "other.ron"), "own.csv");
    // Of a base that is not whole, too, whatever adds what it lacks.
    let protocol = "protocol: FedEm(gamma: 0.5), ";
    files.texts.insert("../shared/low.ron", low.replace(protocol, ""));
    files.texts.insert("top.ron", format!("(name: \"top\", base: \"../shared/low.ron\", {protocol})"));
    assert_eq!(found(&files, "top.ron"), "../shared/mine.csv");
    files.texts.insert("set.ron", "(name: \"set\", base: \"../shared/low.ron\")".to_owned());
    let sets = [protocol.trim_end_matches(", ").replacen(": ", "=", 1)].map(|set| set.parse().unwrap());
    let loaded = load_with(Source::new("set.ron", files.texts["set.ron"].as_str()), &sets, &files);
    assert_eq!(loaded.unwrap_or_else(|problems| panic!("{problems}")).arms[0].scenario.files(), ["../shared/mine.csv"]);
}

/// Figures show the arms of their scenario: where a scenario over it, or `--set`, has others, they are left out.
#[test]
fn other_arms_have_no_figures_of_the_base() {
    let over = |rest: &str| {
        let text = format!("(name: \"over\", base: \"quickstart\", {rest})");
        load_with(Source::new("over.ron", text), &[], &Library).unwrap().scenario.figures.len()
    };
    assert!(over("") > 0 && over("seed: 2") == over(""));
    assert_eq!(over("arms: [(name: \"a\"), (name: \"b\", set: {\"seed\": \"2\"})]"), 0);
    let set = |set: &str| {
        let text = "(name: \"over\", base: \"papers/fedem-figure1\")";
        let loaded = load_with(Source::new("o.ron", text), &[set.parse().unwrap()], &Library);
        loaded.unwrap().scenario.figures.len()
    };
    assert!(set("seed=3") > 0);
    assert_eq!(set("arms=[(name: \"one\")]"), 0);
}
