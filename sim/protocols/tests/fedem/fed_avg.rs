//! FedAvg-EM: what a client does on its own, and what the units of the data change.

use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_models::{DomainPolicy, Model};
use fedbits_protocols::baselines::fed_avg_em::FedAvgEm;
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::star::{Contribution, Counts, Halves, StarAlgorithm, StarHalves};
use fedbits_random::{DrawPurpose, Stream, Streams};

use crate::fedem::baselines::{fed_avg_setting, floats, statistics};
use crate::golden::{assert_within, expected};

/// Clients with 50 examples each, one column: a mean that is drawn for the example, and normal noise, in some unit.
fn examples(unit: f64, clients: u32, mean: impl Fn(u32, &mut Stream) -> f64) -> Partitioned {
    let streams = Streams::new(5, 0);
    let row = |j: u32| {
        let mut stream = streams.at(DrawPurpose::Data, u64::from(j), 0);
        unit * (mean(j / 50, &mut stream) + stream.normal())
    };
    let (rows, groups) = ((0..50 * clients).map(row).collect(), (0..50 * clients).map(|j| j / 50).collect());
    let data = DataSet::new(vec!["y".into()], rows, None, Some(groups)).unwrap();
    Partitioned::new(&data, &Partition::ClientColumn.rule(1), &streams).unwrap()
}

/// FedAvg-EM from `theta`.
fn fed_avg(data: Partitioned, covariance: Covariance, (local_steps, theta): (u32, &[f64])) -> Halves<FedAvgEm> {
    let model = GaussianMixture::new(2, 1, covariance).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    let s_hat = federation.statistics_at(theta).unwrap();
    Halves::new(FedAvgEm::new(federation, fed_avg_setting(local_steps), s_hat).unwrap(), true)
}

/// θ_i of client `i` at `theta`.
fn client_theta(average: &Halves<FedAvgEm>, i: u32, theta: &[f64]) -> Vec<f64> {
    let first = statistics(average.algorithm.problem().federation().unwrap(), i, theta);
    average.algorithm.local_update(i, theta, &first, &mut Counts::default()).unwrap()
}

/// θ after ten rounds with everybody.
fn ten_rounds(mut average: Halves<FedAvgEm>) -> Vec<f64> {
    for round in 1..=10 {
        let theta = average.server.theta.clone();
        let clients = 0..average.algorithm.problem().clients();
        let arrived: Vec<Contribution> = clients.map(|i| floats(i, &client_theta(&average, i, &theta))).collect();
        average.step(&Streams::new(1, 0), round, &arrived).unwrap();
    }
    average.server.theta.clone()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let center = mean(values);
    mean(&values.iter().map(|value| (value - center) * (value - center)).collect::<Vec<_>>())
}

fn either(means: [f64; 2], stream: &mut Stream) -> f64 {
    means[usize::from(stream.uniform() < 0.5)]
}

/// In units of 1/800 the differences of sampled variances are far above those of means: nobody is to be exchanged.
#[test]
fn units_change_nothing() {
    let fitted = |covariance: Covariance, unit: f64| {
        let variance = unit * unit;
        let start = [0.5, 0.5, unit, 4.0 * unit, variance, variance];
        let data = examples(unit, 20, |_, stream| either([0.0, 5.0], stream));
        let mut theta = ten_rounds(fed_avg(data, covariance, (1, &start)));
        theta[2..4].iter_mut().for_each(|mean| *mean /= unit);
        theta[4..].iter_mut().for_each(|entry| *entry /= variance);
        theta
    };
    for covariance in [Covariance::Diagonal, Covariance::Full] {
        let theta = fitted(covariance.clone(), 1.0);
        assert_within("means", &theta[2..4], &[0.0, 5.0], 0.2);
        for unit in [30.0, 800.0] {
            assert_within("θ", &fitted(covariance.clone(), unit), &theta, 1e-9);
        }
    }
}

/// Σ of the M-steps of a client is what its own examples leave around its means, as the same EM on them alone has it: with
/// C2 of all it is what the other clients' means add, or what these means leave, which can be negative.
#[test]
fn a_client_has_a_second_moment_of_its_own() {
    let data = || examples(1.0, 3, |client, _| 4.0 * f64::from(client) - 4.0);
    let of_all = second_moment(data().data().examples());
    let start = [0.5, 0.5, -3.0, 3.0, of_all[0]];
    let average = fed_avg(data(), Covariance::Tied { second_moment: of_all }, (3, &start));
    let theta = average.server.theta.clone();
    for i in 0..3 {
        let own_data = data();
        let alone = own_data.client(i);
        let second_moment = second_moment(alone);
        let model = GaussianMixture::new(2, 1, Covariance::Tied { second_moment }).unwrap();
        let mut reference = theta.clone();
        for _ in 0..3 {
            let (s, _) = expected(&model, alone.rows(), &reference);
            model.maximize(&s, DomainPolicy::Error, &mut reference).unwrap();
        }
        assert_within("θ_i", &client_theta(&average, i as u32, &theta), &reference, 1e-12);
        assert!(0.0 < reference[4] && reference[4] < variance(alone.rows()), "{reference:?}");
    }
}

/// Clients that have a component more often than others are no reason to fail.
#[test]
fn a_tied_covariance_is_fitted() {
    let data = examples(1.0, 20, |_, stream| either([0.0, 6.0], stream));
    let of_all = second_moment(data.data().examples());
    let start = [0.5, 0.5, 1.0, 5.0, 1.0];
    let theta = ten_rounds(fed_avg(data, Covariance::Tied { second_moment: of_all.clone() }, (2, &start)));
    assert_within("θ", &theta, &[0.5, 0.5, 0.0, 6.0, 1.0], 0.2);
}

/// With one component a tied and a full covariance are the same model, of clients that differ too, and with some of them
/// alone: the server's Σ is the mean of theirs. Ŝ of the tied form has nothing of it, and h(Ŝ) would be 0 however far
/// that Σ is from EM's.
#[test]
fn covariances_are_averaged_tied_or_full() {
    let data = || examples(1.0, 2, |client, _| 10.0 * f64::from(client));
    let of_all = second_moment(data().data().examples());
    let variances: Vec<f64> = data().data().examples().rows().chunks(50).map(variance).collect();
    for clients in [&[0, 1][..], &[1]] {
        let fitted = |covariance: Covariance| {
            let model = GaussianMixture::new(1, 1, covariance).unwrap();
            let federation = Federation::new(data(), Box::new(model), Weighting::Examples, None);
            let theta = [1.0, 5.0, 20.0];
            let s_hat = federation.statistics_at(&theta).unwrap();
            let mut average = Halves::new(FedAvgEm::new(federation, fed_avg_setting(1), s_hat).unwrap(), true);
            let theta = average.server.theta.clone();
            let arrived: Vec<Contribution> =
                clients.iter().map(|&i| floats(i, &client_theta(&average, i, &theta))).collect();
            average.step(&Streams::new(1, 0), 1, &arrived).unwrap();
            (average.server.theta.clone(), average.probe().unwrap().mean_field_sq)
        };
        let (tied, unknown) = fitted(Covariance::Tied { second_moment: of_all.clone() });
        let (full, field_sq) = fitted(Covariance::Full);
        assert_within("θ", &tied, &full, 1e-9);
        assert!(unknown.is_none() && field_sq.unwrap() > 1.0, "{unknown:?}, {field_sq:?}");
        let of_clients: Vec<f64> = clients.iter().map(|&i| variances[i as usize]).collect();
        assert_within("Σ", &tied[2..], &[mean(&of_clients)], 1e-9);
    }
}

/// The covariance of a client's last step may be singular, as that of one example is: the mean of all need not be.
#[test]
fn a_client_of_one_example_takes_part() {
    let streams = Streams::new(5, 0);
    let rows: Vec<f64> = (0..40).map(|j| f64::from(j % 2) * 6.0 + f64::from(j) * 0.05).collect();
    let groups = (0..40).map(|j| u32::from(j == 39)).collect();
    let data = DataSet::new(vec!["y".into()], rows, None, Some(groups)).unwrap();
    let moment = second_moment(data.examples());
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &streams).unwrap();
    let covariance = || Covariance::Tied { second_moment: moment.clone() };
    let theta = ten_rounds(fed_avg(data.clone(), covariance(), (1, &[0.5, 0.5, 1.0, 7.0, 1.0])));
    assert!(theta.iter().all(|value| value.is_finite()) && theta[4] > 0.0, "{theta:?}");
    let average = fed_avg(data, covariance(), (2, &theta));
    let first = statistics(average.algorithm.problem().federation().unwrap(), 1, &theta);
    let second = average.algorithm.local_update(1, &theta, &first, &mut Counts::default());
    assert!(second.is_err(), "a second step would be made with it");
}
