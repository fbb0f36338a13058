//! Examples that no client has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use fedbits_models::clusters::Clusters;
use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::assessment::HeldOut;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Experiment, Observers, run};
use fedbits_record::{Manifest, Recorder};

use super::{DataFolders, GOOD, Preparer, Set, Source, load, prepared, refused};

/// The examples held out of an experiment.
fn examples(experiment: &Experiment) -> DataSet {
    match experiment.record.assessment.held_out.as_deref() {
        Some(HeldOut::Examples(data)) => DataSet::clone(data),
        _ => panic!("no examples are held out"),
    }
}

/// The measured values of the row before round 1, by column.
fn at_start(experiment: Experiment) -> BTreeMap<String, f64> {
    let columns = Journal::columns(experiment.protocol.subject(), &experiment.record);
    let names = columns.extra.clone();
    let outcome = run(experiment, Recorder::memory(columns), Observers::default(), &AtomicBool::new(false));
    let record = outcome.recorder.finish(Manifest::default(), &outcome.ledger, &outcome.histograms).unwrap().unwrap();
    let row = &record.rounds[0];
    let objective = [("objective".to_owned(), row.objective)].into_iter();
    objective.chain(names.into_iter().zip(row.extra.iter().copied())).filter_map(|(name, x)| Some((name, x?))).collect()
}

/// Rows of a file with two columns, a label and a client of four.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |j: usize| format!("{},{},{},{}\n", j % 2 * 9 + j % 7, j * j % 11, j % 2, j % 4);
    let rows: String = (0..80).map(row).collect();
    std::fs::write(folder.path().join("four.csv"), rows).unwrap();
    folder
}

const FILE: &str = "data=Csv(path: \"four.csv\", header: false, label: Some(Index(2)), client: Some(Index(3)))";
const FULL: &str = "model=GaussianMixture(components: 2, covariance: Full)";

/// What is held out is prepared by what the clients' examples say, and nobody has it.
#[test]
fn the_preparation_is_that_of_the_clients() {
    let folder = folder();
    let sets = [FILE, FULL, "preprocess=[Standardize]", "holdout=Rows(0.25)"];
    let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
    let federation = experiment.protocol.subject().problem().federation().unwrap();
    let held_out = examples(&experiment);
    assert_eq!((federation.total(), held_out.len()), (60, 20));
    let mean = |rows: &[f64]| rows.iter().step_by(2).sum::<f64>() / (rows.len() / 2) as f64;
    assert!(mean(federation.pooled().rows()).abs() < 1e-12);
    // The same rows without preparation tell mean and scale of the clients' examples.
    let raw = prepared(&[FILE, FULL, "holdout=Rows(0.25)"], Some(folder.path())).unwrap().experiment;
    let clients = raw.protocol.subject().problem().federation().unwrap().pooled().rows();
    let (centre, count) = (mean(clients), 60.0);
    let square = clients.iter().step_by(2).map(|y| (y - centre) * (y - centre)).sum::<f64>();
    let scale = (square / (count - 1.0)).sqrt();
    let untouched = examples(&raw);
    for (prepared, raw) in held_out.rows().iter().zip(untouched.rows()).step_by(2) {
        assert!((prepared - (raw - centre) / scale).abs() < 1e-12);
    }
}

/// Gaps are filled in by the clients' examples alone, those of what is held out, too. The second column says where they
/// are.
#[test]
fn gaps_are_filled_in_by_what_the_clients_have() {
    let folder = tempfile::tempdir().unwrap();
    let row = |j: usize| match j % 5 {
        0 => format!(",{},{},{}\n", 1 + j * j % 7, j % 2, j % 4),
        _ => format!("{},{},{},{}\n", j * j % 97, -((j * j % 11) as i64), j % 2, j % 4),
    };
    std::fs::write(folder.path().join("four.csv"), (0..80).map(row).collect::<String>()).unwrap();
    let file = FILE.replace("header: false", "header: false, missing: Impute(Mean)");
    let by_client = ["partition=ClientColumn", "clients=None", "holdout=Clients(0.25)"];
    for holdout in [&["holdout=Rows(0.25)"][..], &by_client] {
        let sets = [&[&*file, FULL], holdout].concat();
        let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
        let kept = experiment.protocol.subject().problem().federation().unwrap().pooled().rows();
        let is_gap = |row: &&[f64]| row[1] > 0.0;
        let there: Vec<f64> = kept.chunks(2).filter(|row| !is_gap(row)).map(|row| row[0]).collect();
        let mean = there.iter().sum::<f64>() / there.len() as f64;
        let held_out = examples(&experiment);
        for part in [kept, held_out.rows()] {
            let mut gaps = part.chunks(2).filter(is_gap).peekable();
            assert!(gaps.peek().is_some());
            gaps.for_each(|row| assert!((row[0] - mean).abs() < 1e-12, "{} is not {mean}", row[0]));
        }
    }
}

/// θ₀ given number by number is a mixture: its weights sum to 1.
#[test]
fn weights_of_a_start_sum_to_one() {
    let folder = folder();
    let start = |second: f64| format!("initial=Parameters([0.5, {second}, 0, 0, 9, 5, 9, 0, 9, 9, 0, 9])");
    prepared(&[FILE, FULL, &start(0.5)], Some(folder.path())).unwrap();
    let message = refused(&[FILE, FULL, &start(0.6)], Some(folder.path()));
    assert!(message.contains("the weights sum to 1.1, and not to 1"), "{message}");
}

/// And topics: of other numbers perplexities are none.
#[test]
fn topics_of_a_start_sum_to_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("c.dat"), "2 0:3 1:1\n2 1:2 2:2\n").unwrap();
    let (data, model) = ("data=Corpus(path: \"c.dat\")", "model=Topics(topics: 2, alpha: 0.5, smoothing: 0.1)");
    let protocol = "protocol=FlSaem(gamma: 1, local: Sample(kernel: Gibbs))";
    let start = |last: f64| format!("initial=Parameters([0.5, 0.2, 0.25, 0.3, 0.25, {last}])");
    let sets = [data, model, protocol, "partition=Iid", "clients=2"];
    prepared(&[&sets[..], &[&start(0.5)]].concat(), Some(folder.path())).unwrap();
    let message = refused(&[&sets[..], &[&start(0.6)]].concat(), Some(folder.path()));
    assert!(message.contains("the probabilities of topic 1 sum to 1.1, and not to 1"), "{message}");
}

/// One client of four leaves; the three others are the clients of the run.
#[test]
fn whole_clients_are_held_out() {
    let folder = folder();
    let sets = [FILE, FULL, "partition=ClientColumn", "clients=None", "holdout=Clients(0.25)"];
    let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
    assert_eq!(experiment.protocol.subject().clients(), 3);
    assert_eq!(examples(&experiment).len(), 20);
}

/// Who is held out is standardized by its own numbers; rows of nobody cannot be.
#[test]
fn clients_held_out_are_standardized_each() {
    let folder = folder();
    let settings = ["partition=ClientColumn", "clients=None", "preprocess=[StandardizePerClient]"];
    let sets = [&[FILE, FULL, "holdout=Clients(0.5)"], &settings[..]].concat();
    let held_out = examples(&prepared(&sets, Some(folder.path())).unwrap().experiment);
    let groups = held_out.groups().unwrap();
    assert!(held_out.len() == 40 && groups.is_sorted());
    for client in groups.chunk_by(|a, b| a == b).map(|group| group[0]) {
        let rows = held_out.rows().chunks(2).zip(groups).filter(|(_, group)| **group == client);
        let numbers: Vec<f64> = rows.map(|(row, _)| row[0]).collect();
        let (sum, squares) = numbers.iter().fold((0.0, 0.0), |(sum, squares), y| (sum + y, squares + y * y));
        assert!(numbers.len() == 20 && sum.abs() < 1e-12 && (squares / 19.0 - 1.0).abs() < 1e-12, "{numbers:?}");
    }
    let sets = [FILE, FULL, settings[2], "holdout=Rows(0.25)"].map(|set| set.parse().unwrap());
    let found = load(Source::new("good.ron", GOOD), &sets).expect_err("rows of nobody").to_string();
    assert!(found.contains("rows that are held out belong to no client"), "{found}");
}

/// In one place the examples are those that clients would have: from the same start, and judged by the same clients.
#[test]
fn in_one_place_the_data_are_those_of_the_clients() {
    let folder = folder();
    let measured = |protocol: &str| {
        let protocol = format!("protocol={protocol}");
        let settings = ["partition=ClientColumn", "clients=None", "network=()", "stop=(rounds: 1)", &protocol];
        let steps = ["preprocess=[StandardizePerClient]", "holdout=Clients(0.25)"];
        let experiment =
            prepared(&[&[FILE, FULL], &settings[..], &steps].concat(), Some(folder.path())).unwrap().experiment;
        let (digest, found) = (experiment.data_digest.clone(), at_start(experiment));
        (digest, ["objective", "accuracy", "held_out_log_likelihood", "held_out_accuracy"].map(|name| found[name]))
    };
    let saem = ["FlSaem", "CentralizedSaem"].map(|name| format!("{name}(gamma: Constant(1), local: Expect)"));
    let [em, saem] = [["FedEm(gamma: Constant(1))", "CentralizedEm()"], [&saem[0], &saem[1]]].map(|pair| {
        let [clients, one_place] = pair.map(measured);
        assert_eq!(clients, one_place, "{pair:?}");
        clients
    });
    // FL-SAEM begins at θ₀ itself.
    assert!(em.0 == saem.0 && em.1 != saem.1);
}

/// In one place clients are those of the preparation and of what is held out; without these they have no effect.
#[test]
fn clients_in_one_place_are_those_of_the_preparation() {
    let [data, model] = [FILE, FULL].map(|set| set.replacen('=', ": ", 1));
    let said = |rest: &str| {
        let common = "name: \"alone\", protocol: CentralizedEm(), stop: (rounds: 1)";
        let text = format!("({common}, {data}, {model}, {rest})");
        load(Source::new("alone.ron", text), &[]).map_or_else(|problems| problems.render(false), |_| String::new())
    };
    assert_eq!(said("partition: ClientColumn, preprocess: [StandardizePerClient]"), "");
    assert_eq!(said("partition: ClientColumn, holdout: Clients(0.5)"), "");
    assert_eq!(said("partition: SortedByLabel, clients: 10, preprocess: [StandardizeFederated]"), "");
    assert!(said("partition: ClientColumn").contains("`partition` has no effect"));
    assert!(said("clients: 10, preprocess: [Standardize]").contains("`clients` has no effect"));
}

/// The columns are the mean log-density and the share of right classes, as the final θ and the data give them.
#[test]
fn columns_are_what_the_final_parameter_says() {
    let folder = folder();
    // The rows lie on a lattice, where a component may shrink to a line.
    let sets = [FILE, FULL, "holdout=Rows(0.25)", "record.theta=true", "protocol.domain=Clip(floor: 0.1)"];
    let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
    let held_out = examples(&experiment);
    let columns = Journal::columns(experiment.protocol.subject(), &experiment.record);
    let place = |name: &str| columns.extra.iter().position(|column| column == name).unwrap();
    let places = [place("held_out_log_likelihood"), place("held_out_accuracy"), place("accuracy")];
    let outcome = run(experiment, Recorder::memory(columns), Observers::default(), &AtomicBool::new(false));
    assert!(!outcome.stop.is_failure(), "{}", outcome.stop);
    let record = outcome.recorder.finish(Manifest::default(), &outcome.ledger, &outcome.histograms).unwrap().unwrap();
    let found = places.map(|place| record.rounds.last().unwrap().extra[place].unwrap());
    let theta = &record.theta.as_ref().unwrap().rows.last().unwrap().values;
    let model = GaussianMixture::new(2, 2, Covariance::Full).unwrap();
    let log_likelihood = model.log_likelihood(held_out.examples(), theta).unwrap();
    assert!((found[0] - log_likelihood).abs() < 1e-12, "{} is not {log_likelihood}", found[0]);
    let classes = model.classify(held_out.examples(), theta).unwrap();
    let hits = |component, class| {
        classes.iter().zip(held_out.labels().unwrap()).filter(|&(a, b)| (*a, *b) == (component, class)).count()
    };
    // The clients' examples match components and classes: one way or the other, or a component that has no example of the
    // class that is left is matched with none.
    let alone = [hits(0, 0), hits(1, 1), hits(0, 1), hits(1, 0)];
    let shares = [alone[0] + alone[1], alone[2] + alone[3]].into_iter().chain(alone);
    let shares: Vec<f64> = shares.map(|count| count as f64 / 20.0).collect();
    assert!(shares.contains(&found[1]), "{} is none of {shares:?}", found[1]);
    assert!(found[2] >= 0.5);
}

#[test]
fn what_cannot_be_held_out_is_refused() {
    let folder = folder();
    let message = refused(&[FILE, FULL, "holdout=Rows(0.001)"], Some(folder.path()));
    assert!(message.contains("a share of 0.001 of 80 examples is none"), "{message}");
}

/// A number without a logarithm is named as it stands in the file, whether it is held out or not.
#[test]
fn a_missing_logarithm_has_its_row_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..40).map(|j| format!("{},{},0,0\n", 1 + j % 7, if j == 33 { -4 } else { 1 + j % 11 })).collect();
    std::fs::write(folder.path().join("four.csv"), rows).unwrap();
    for seed in 0..8 {
        let seed = format!("seed={seed}");
        let sets = [FILE, FULL, "preprocess=[Log(All)]", "holdout=Rows(0.5)", &seed];
        let message = refused(&sets, Some(folder.path()));
        assert!(message.contains("logarithm: example 33 (counted from 0) has -4 in column"), "{message}");
    }
}

/// Three clients, two of them with two examples, and half of all examples held out.
fn small_clients() -> (tempfile::TempDir, [&'static str; 5]) {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..10).map(|j| format!("{},{},0,{}\n", j * 5 % 7, j * j % 11, ["c", "a", "a", "a", "b"][j / 2])).collect();
    std::fs::write(folder.path().join("four.csv"), rows).unwrap();
    (folder, [FILE, FULL, "partition=ClientColumn", "clients=None", "holdout=Rows(0.5)"])
}

/// Of three clients, those with two examples lose both under some seed: the first, and the last.
#[test]
fn a_client_that_the_holdout_empties_is_named() {
    let (folder, sets) = small_clients();
    let mut named = BTreeSet::new();
    for seed in 0..40 {
        match prepared(&[&sets[..], &[&*format!("seed={seed}")]].concat(), Some(folder.path())) {
            Ok(prepared) => assert_eq!(prepared.experiment.protocol.subject().clients(), 3),
            Err(message) => {
                let (_, client) = message.split_once("all examples of client `").expect(&message);
                assert!(message.contains("are held out: expected a smaller share"), "{message}");
                named.insert(client[..1].to_owned());
            }
        }
    }
    assert_eq!(named.into_iter().collect::<String>(), "bc");
}

/// A study knows before its runs in which of its replicates that will be.
#[test]
fn a_client_that_the_holdout_empties_in_some_replicate_is_named() {
    let (folder, sets) = small_clients();
    let set = |replicate: u64| format!("replicate={replicate}");
    let fails = |replicate| prepared(&[&sets[..], &[&*set(replicate)]].concat(), Some(folder.path())).is_err();
    let first = (0..40).find(|&replicate| !fails(replicate)).unwrap();
    let bad = (first..).find(|&replicate| fails(replicate)).unwrap();
    let all: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).chain([set(first).parse().unwrap()]).collect();
    let scenario = load(Source::new("good.ron", GOOD), &all).unwrap().remove(0).scenario;
    let folders = DataFolders { option: Some(folder.path().to_path_buf()), ..DataFolders::default() };
    let mut preparer = Preparer::new(folders, false);
    preparer.check_replicates(&scenario, bad - first).unwrap();
    let said = preparer.check_replicates(&scenario, bad - first + 1).unwrap_err().to_string();
    assert!(said.contains(&format!("in replicate {bad} all examples of client `")), "{said}");
}

/// At one θ the likelihoods of the subjects that are kept and of those held out multiply to that of all, and the squares of
/// their residuals add up.
#[test]
fn subjects_are_kept_or_held_out() {
    let folder = tempfile::tempdir().unwrap();
    let row = |(i, t): (usize, usize)| {
        format!("{i},{t},{}\n", 3.0 + 0.5 * (i % 5) as f64 + 0.7 * t as f64 + (i * t % 3) as f64)
    };
    let rows: String = (0..20).flat_map(|i| (0..6).map(move |t| (i, t))).map(row).collect();
    std::fs::write(folder.path().join("curves.csv"), rows).unwrap();
    let sets = [
        "data=Longitudinal(path: \"curves.csv\", header: false, subject: Index(0), time: Index(1), value: Index(2))",
        "model=MixedEffects(curve: Polynomial(degree: 1))",
        "initial=Typical(values: [3, 1], deviations: [1, 1], sigma: 1)",
        "partition=Iid",
        "protocol=FlSaem(gamma: Constant(1), local: Expect)",
        "stop=(rounds: 1)",
    ];
    let measured =
        |further: &[&str]| at_start(prepared(&[&sets[..], further].concat(), Some(folder.path())).unwrap().experiment);
    let (all, split) = (measured(&[]), measured(&["holdout=Rows(0.25)"]));
    assert!((all["minus_2ll"] - 2.0 * 20.0 * all["objective"]).abs() < 1e-9);
    assert!((split["minus_2ll"] + split["held_out_minus_2ll"] - all["minus_2ll"]).abs() < 1e-9);
    assert!((split["held_out_log_likelihood"] * -10.0 - split["held_out_minus_2ll"]).abs() < 1e-9);
    // At this θ the typical curve is 3 + t: the squares of those held out are some of all squares.
    let square = |(i, t): (usize, usize)| {
        let residual = 0.5 * (i % 5) as f64 - 0.3 * t as f64 + (i * t % 3) as f64;
        residual * residual
    };
    let of_subject = |i: usize| (0..6).map(|t| square((i, t))).sum::<f64>();
    let mut squares: Vec<f64> = (0..20).map(of_subject).collect();
    squares.sort_by(f64::total_cmp);
    let found = split["held_out_rmse"] * split["held_out_rmse"] * 30.0;
    let (least, most) = (squares[..5].iter().sum::<f64>(), squares[15..].iter().sum::<f64>());
    assert!(found >= least - 1e-9 && found <= most + 1e-9, "{found} is not within {least} and {most}");
}

/// Subjects held out are judged with as many draws as the others, and the error of what is drawn is told.
#[test]
fn likelihoods_of_subjects_held_out_are_drawn_as_the_scenario_says() {
    let folder = tempfile::tempdir().unwrap();
    super::write_curves(folder.path());
    let measured = |draws: &str| {
        let protocol = format!(
            "protocol=FlSaem(gamma: Constant(1), local: Sample(kernel: RandomWalk()), likelihood_draws: {draws})"
        );
        let sets = [
            "data=Longitudinal(path: \"curves.csv\", header: false, subject: Index(0), time: Index(1), value: Index(2))",
            "model=MixedEffects(curve: Polynomial(degree: 1), error: Proportional)",
            "initial=Typical(values: [3, 1], deviations: [1, 1], sigma: 0.2)",
            "partition=Iid",
            &protocol,
            "stop=(rounds: 1)",
            "holdout=Rows(0.25)",
        ];
        at_start(prepared(&sets, Some(folder.path())).unwrap().experiment)
    };
    let (few, plain, many) = (measured("200"), measured("None"), measured("20000"));
    let error = |measured: &BTreeMap<String, f64>| measured["held_out_minus_2ll_error"];
    assert_eq!(few["held_out_minus_2ll"], plain["held_out_minus_2ll"]);
    assert!(error(&many) > 0.0 && error(&many) < error(&few) / 3.0, "{} and {}", error(&many), error(&few));
    let distance = (many["held_out_minus_2ll"] - few["held_out_minus_2ll"]).abs();
    assert!(distance > 0.0 && distance < 7.0 * error(&few), "{distance}");
    assert!(!measured("0").contains_key("held_out_minus_2ll"), "nothing is drawn");
}

/// Counts hold out by themselves, under every protocol that fits them: the reference in one place is judged as the
/// federation is, by the same observations.
#[test]
fn counts_that_are_held_out_are_measured_by_every_protocol() {
    let prepared_with = |protocol: &str, held_out: &str| {
        let sets = [
            &format!(
                "data=Visits(sites: 12, times: 8, observers: 6, observations: 60, rank: 1, level: 1, spread: 0.5, skew: 1, {held_out})"
            ),
            "model=LowRank(rank: 1, matrices: Fewest)",
            "initial=Margins",
            "partition=Observers",
            "clients=3",
            &format!("protocol={protocol}"),
        ];
        prepared(&sets.map(|set| set as &str), None)
    };
    let measured = |protocol: &str, held_out: &str| at_start(prepared_with(protocol, held_out).unwrap().experiment);
    let protocols = ["FedMissEm(gamma: 0.5)", "FedEm(gamma: 0.5)", "DistributedEm()"];
    let [fed_miss_em, rest @ ..] = protocols.map(|protocol| measured(protocol, "held_out: 0.2"));
    for name in ["held_out_log_likelihood", "held_out_rmse"] {
        for other in &rest {
            assert!((fed_miss_em[name] - other[name]).abs() < 1e-9, "{name}");
        }
    }
    // Normal observations of variance 1: −log p is ½ log 2π and half the square.
    let half = 0.5 * fed_miss_em["held_out_rmse"] * fed_miss_em["held_out_rmse"];
    assert!((fed_miss_em["held_out_log_likelihood"] + 0.918_938_533_204_672_8 + half).abs() < 1e-9);
    assert!(!measured("FedMissEm(gamma: 0.5)", "held_out: 0").contains_key("held_out_rmse"));
    let none = prepared_with("FedMissEm(gamma: 0.5)", "held_out: 0.005").err().expect("nothing is held out");
    assert!(none.contains("of 60 observations this share is none: expected a larger share, or 0"), "{none}");
}
