//! Runs that start where another ended: θ is about words, items, sites and times, which must be the same.

use std::fs;
use std::path::Path;

use fedbits_scenarios::fitted::Fit;

use super::{prepared, refused};

/// Leaves θ₀ of a run of these settings as `model.json`, and returns the settings of one that starts there.
fn carried<'a>(sets: &[&'a str], folder: &Path) -> Vec<&'a str> {
    let prepared = prepared(sets, Some(folder)).unwrap();
    let theta = prepared.experiment.protocol.subject().state().theta.to_vec();
    let model = prepared.fitting.unwrap().at(&theta, Fit::default()).unwrap();
    fs::write(folder.join("model.json"), model.text()).unwrap();
    let rest = sets.iter().copied().filter(|set| !set.starts_with("initial="));
    rest.chain(["initial=Model(\"model.json\")"]).collect()
}

/// Data of a kind with names in this and in another order, and what is said of a start from one on the other.
fn of_names(sets: &[&str], name: &str, texts: [&str; 2], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.dat"), "2 0:3 1:1\n2 1:2 2:2\n").unwrap();
    fs::write(folder.path().join(name), texts[0]).unwrap();
    let again = carried(sets, folder.path());
    assert!(prepared(&again, Some(folder.path())).is_ok());
    fs::write(folder.path().join(name), texts[1]).unwrap();
    let message = refused(&again, Some(folder.path()));
    assert!(message.contains(expected), "{message}");
}

#[test]
fn topics_of_other_words_are_refused() {
    let sets = [
        "data=Corpus(path: \"c.dat\", vocabulary: \"v.txt\")",
        "model=Topics(topics: 2, alpha: 0.5, smoothing: 0.1)",
        "initial=RandomTopics(concentration: 1)",
        "protocol=FlSaem(gamma: Constant(1), local: Sample(kernel: Gibbs), domain: Clip(floor: 1e-9))",
        "partition=Iid",
        "clients=2",
    ];
    let expected = "parameter 1 of the model is `beta_no_0`, that of the data `beta_other_0`";
    of_names(&sets, "v.txt", ["no\nyes\nother\n", "other\nyes\nno\n"], expected);
}

#[test]
fn loadings_of_other_items_are_refused() {
    let sets = [
        "data=Responses(path: \"r.csv\")",
        "model=BiFactor(groups: [1, 1, 2, 2])",
        "initial=Loadings(intercept: 0, general: 0.8, specific: 0.4, variance: 1)",
        "protocol=FlSaem(gamma: Constant(1), local: Sample(kernel: RandomWalk()))",
        "partition=Iid",
        "clients=2",
    ];
    let expected = "parameter 1 of the model is `intercept_a`, that of the data `intercept_d`";
    of_names(&sets, "r.csv", ["a,b,c,d\n1,0,1,0\n0,1,1,0\n", "d,b,c,a\n1,0,1,0\n0,1,1,0\n"], expected);
}

#[test]
fn factors_of_other_sites_and_times_are_refused() {
    let sets = [
        "data=Counts(path: \"s.csv\", site: \"site\", arrangement: Wide(counts: [\"y1\", \"y2\"]))",
        "model=LowRank(rank: 1)",
        "initial=Margins",
        "protocol=FedMissEm(gamma: 0.5)",
        "partition=Observers",
        "clients=2",
    ];
    let expected = "site 1 of the model is `s`, that of the data `t`";
    of_names(&sets, "s.csv", ["site,y1,y2\ns,1,2\nt,3,4\n", "site,y1,y2\nt,3,4\ns,1,2\n"], expected);
}
