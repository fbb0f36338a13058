//! Examples that no client has.

use std::sync::atomic::AtomicBool;

use fedbits_models::clusters::Clusters;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Observers, run};
use fedbits_record::{Manifest, Recorder};

use super::{prepared, refused};

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
    let held_out = experiment.record.assessment.held_out.clone().unwrap();
    assert_eq!((federation.total(), held_out.data.len()), (60, 20));
    let mean = |rows: &[f64]| rows.iter().step_by(2).sum::<f64>() / (rows.len() / 2) as f64;
    assert!(mean(federation.pooled().rows).abs() < 1e-12);
    // The same rows without preparation tell mean and scale of the clients' examples.
    let raw = prepared(&[FILE, FULL, "holdout=Rows(0.25)"], Some(folder.path())).unwrap().experiment;
    let clients = raw.protocol.subject().problem().federation().unwrap().pooled().rows;
    let (centre, count) = (mean(clients), 60.0);
    let square = clients.iter().step_by(2).map(|y| (y - centre) * (y - centre)).sum::<f64>();
    let scale = (square / (count - 1.0)).sqrt();
    let untouched = raw.record.assessment.held_out.unwrap();
    for (prepared, raw) in held_out.data.rows().iter().zip(untouched.data.rows()).step_by(2) {
        assert!((prepared - (raw - centre) / scale).abs() < 1e-12);
    }
}

/// One client of four leaves; the three others are the clients of the run.
#[test]
fn whole_clients_are_held_out() {
    let folder = folder();
    let sets = [FILE, FULL, "partition=ClientColumn", "clients=None", "holdout=Clients(0.25)"];
    let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
    assert_eq!(experiment.protocol.subject().clients(), 3);
    assert_eq!(experiment.record.assessment.held_out.unwrap().data.len(), 20);
}

/// The columns are the mean log-density and the share of right classes, as the final θ and the data give them.
#[test]
fn columns_are_what_the_final_parameter_says() {
    let folder = folder();
    let sets = [FILE, FULL, "holdout=Rows(0.25)", "record.theta=true"];
    let experiment = prepared(&sets, Some(folder.path())).unwrap().experiment;
    let held_out = experiment.record.assessment.held_out.clone().unwrap();
    let columns = Journal::columns(experiment.protocol.subject(), &experiment.record);
    let place = |name: &str| columns.extra.iter().position(|own| own == name).unwrap();
    let places = [place("held_out_log_likelihood"), place("held_out_accuracy"), place("accuracy")];
    let outcome = run(experiment, Recorder::memory(columns), Observers::default(), &AtomicBool::new(false));
    let record = outcome.recorder.finish(Manifest::default(), &outcome.ledger, &outcome.histograms).unwrap().unwrap();
    let found = places.map(|place| record.rounds.last().unwrap().extra[place].unwrap());
    let theta = &record.theta.as_ref().unwrap().rows.last().unwrap().values;
    let model = GaussianMixture::new(2, 2, Covariance::Full).unwrap();
    let log_likelihood = model.log_likelihood(held_out.data.examples(), theta).unwrap();
    assert!((found[0] - log_likelihood).abs() < 1e-12, "{} is not {log_likelihood}", found[0]);
    let classes = model.classify(held_out.data.examples(), theta).unwrap();
    let same = classes.iter().zip(held_out.data.labels().unwrap()).filter(|(a, b)| a == b).count() as f64 / 20.0;
    // The clients' examples match components and classes: two classes, so one way or the other.
    assert!(found[1] == same || found[1] == 1.0 - same, "{} is not {same}", found[1]);
    assert!(found[2] >= 0.5);
}

#[test]
fn what_cannot_be_held_out_is_refused() {
    let folder = folder();
    let message = refused(&[FILE, FULL, "holdout=Rows(0.001)"], Some(folder.path()));
    assert!(message.contains("a share of 0.001 of 80 examples is none"), "{message}");
}
