//! One round of local fits: whole runs follow NumPy (`one_round.json`), what is no fit is left out, and fits that lie
//! apart are filtered.

use fedbits_codec::Encoded;
use fedbits_kernel::StopReason;
use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_models::{Examples, Model};
use fedbits_protocols::byzantine::{Attack, Attacked, Byzantine, Liars};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::one_round::{LocalEm, Merging, OneRound, OneRoundSetting, Within};
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::plan::RoundPolicy;
use fedbits_protocols::star::{Addressed, Contribution, Halves, Rounds, StarHalves};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Caveat;
use serde_json::Value;

use crate::fedem::common::simulate::{F64, Place, Site, after, everybody, simulate};
use crate::golden::{assert_within, golden, numbers};

fn divided(rows: Vec<f64>, columns: usize, sizes: &[usize]) -> Partitioned {
    let names = (0..columns).map(|j| format!("y{j}")).collect();
    let clients = sizes.iter().enumerate().flat_map(|(i, &size)| vec![i as u32; size]).collect();
    let data = DataSet::new(names, rows, None, Some(clients)).unwrap();
    Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap()
}

fn one_round(federation: Federation, setting: OneRoundSetting, theta: &[f64]) -> OneRound {
    let s_hat = federation.statistics_at(theta).unwrap();
    OneRound::new(federation, setting, Box::new(F64), s_hat).unwrap()
}

/// The setting of the golden file.
fn setting(file: &Value, combine: Merging) -> OneRoundSetting {
    let iterations = file["iterations"].as_u64().unwrap() as u32;
    let local = LocalEm { iterations, tolerance: file["tolerance"].as_f64().unwrap() };
    OneRoundSetting { local, combine, ..OneRoundSetting::default() }
}

#[test]
fn whole_runs_follow_numpy() {
    let file = golden("one_round.json");
    let (rows, sizes) = (numbers(&file["rows"]), numbers(&file["sizes"]));
    let sizes: Vec<usize> = sizes.iter().map(|size| *size as usize).collect();
    let merging = [
        ("reduction", Merging::Reduction { starts: 10 }),
        ("filtered", Merging::Filtered { within: Within::Auto }),
        ("mean", Merging::Mean),
    ];
    let site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 10, expectation_us: 1 };
    for form in ["known", "tied", "diagonal", "full"] {
        let case = &file[form];
        let iterations = numbers(&case["iterations"]);
        let expectations = iterations.iter().zip(&sizes).map(|(count, size)| *count as u64 * *size as u64).sum::<u64>();
        for (what, combine) in merging {
            let covariance = match form {
                "known" => Covariance::Known(numbers(&file["sigma"])),
                "tied" => Covariance::Tied { second_moment: second_moment(Examples::new(&rows, 2)) },
                "diagonal" => Covariance::Diagonal,
                _ => Covariance::Full,
            };
            let model = GaussianMixture::new(3, 2, covariance).unwrap();
            let (length, constants) = (model.parameter_dimension() as u64, model.constants_dimension() as u64);
            let data = divided(rows.clone(), 2, &sizes);
            let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
            let protocol = one_round(federation, setting(&file, combine), &numbers(&case["first"]));
            let place = Place::even(sizes.len(), site);
            let run = simulate(protocol, everybody(RoundPolicy::WaitForAll), &place, after(9));
            let name = format!("{form}: {what}");
            assert!(matches!(&run.stop, StopReason::Reached(why) if why.contains("one round")), "{name}: {}", run.stop);
            assert_within(&name, run.run.halves().state().theta, &numbers(&case[what]), 1e-10);
            let last = run.last();
            assert_eq!((last.round, last.expectations), (1, expectations), "{name}");
            assert_eq!(last.bits_up, 64 * (length + constants) * sizes.len() as u64, "{name}");
        }
    }
}

const START: [f64; 6] = [0.5, 0.5, -1.0, 1.0, 1.0, 1.0];
const TRUTH: [f64; 6] = [0.4, 0.6, -3.0, 3.0, 1.0, 0.25];

/// Nine clients with 200 draws each of N(−3, 1) and N(3, ¼).
fn nine(combine: Merging) -> Halves<OneRound> {
    Halves::new(nine_of([200; 9], OneRoundSetting { combine, ..OneRoundSetting::default() }), true)
}

fn nine_of(sizes: [usize; 9], setting: OneRoundSetting) -> OneRound {
    let row = |j: u64| {
        let mut stream = Streams::new(5, 0).at(DrawPurpose::Data, j, 0);
        if stream.bernoulli(0.4) { stream.normal() - 3.0 } else { 3.0 + 0.5 * stream.normal() }
    };
    let data = divided((0..sizes.iter().sum::<usize>() as u64).map(row).collect(), 1, &sizes);
    let model = GaussianMixture::new(2, 1, Covariance::Full).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    one_round(federation, setting, &START)
}

/// The contributions of all, where some clients send another θ_i than theirs.
fn contributions(halves: &mut Halves<OneRound>, forged: &[(u32, [f64; 6])]) -> Vec<Contribution> {
    let (streams, cohort) = (Streams::new(1, 0), (0..9).collect::<Vec<u32>>());
    let body = halves.open_round(&streams, 1, &cohort).unwrap();
    let send = |i: u32| {
        let to = Addressed { streams: &streams, position: i as usize, parity: None, memory: None };
        let mut encoded = Encoded::new();
        halves.receive(i, &body, &to, &mut encoded).unwrap();
        if let Some((_, theta)) = forged.iter().find(|(client, _)| *client == i) {
            let delta: Vec<f64> =
                theta.iter().zip(halves.said(&body).content.iter()).map(|(entry, start)| entry - start).collect();
            encoded = crate::fedem::golden::uncompressed(i, &delta).encoded.as_ref().clone();
        }
        Contribution { client: i, encoded: Box::new(encoded), age: 0 }
    };
    cohort.into_iter().map(send).collect()
}

fn error(halves: &Halves<OneRound>) -> f64 {
    halves.state().theta.iter().zip(TRUTH).map(|(entry, truth)| (entry - truth).abs()).fold(0.0, f64::max)
}

/// Of nine fits four are garbage, with means, variances and weights from anywhere: the filter leaves them out, without
/// it they decide.
#[test]
fn filtered_fits_are_those_that_lie_together() {
    let garbage = [
        (1, [0.5, 0.5, 100.0, -80.0, 1.0, 1.0]),
        (2, [0.4, 0.6, -3.0, 3.0, 400.0, 900.0]),
        (5, [0.99, 0.01, 3.0, 3.0, 0.01, 0.01]),
        (8, [0.4, 0.6, 50.0, 60.0, 5.0, 5.0]),
    ];
    let streams = Streams::new(1, 0);
    for (combine, recovers) in [(Merging::Filtered { within: Within::Auto }, true), (Merging::default(), false)] {
        let mut halves = nine(combine);
        let arrived = contributions(&mut halves, &garbage);
        halves.step(&streams, 1, &arrived).unwrap();
        assert_eq!(error(&halves) < 0.25, recovers, "{combine:?}: {:?}", halves.state().theta);
        let filtered = halves.caveats().iter().any(|caveat| matches!(caveat, Caveat::FitsFiltered { .. }));
        assert_eq!(filtered, recovers, "{combine:?}");
    }
}

/// Three of nine clients report false means of an honest mixture, as in the mean attack of DFMR's authors: the filter
/// leaves them out, and the record knows it. Doubled means are drawn from nowhere near, too.
#[test]
fn liars_about_means_are_filtered() {
    for attack in [Attack::Random { deviation: 100.0 }, Attack::Scaled(3.0)] {
        for (combine, recovers) in [(Merging::Filtered { within: Within::Auto }, true), (Merging::Mean, false)] {
            let byzantine = Some(Byzantine { clients: Liars::Clients(vec![0, 4, 7]), attack, on: Attacked::Means });
            let rounds = Rounds { byzantine, ..everybody(RoundPolicy::WaitForAll) };
            let site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 10, expectation_us: 1 };
            let protocol = nine_of([200; 9], OneRoundSetting { combine, ..OneRoundSetting::default() });
            let run = simulate(protocol, rounds, &Place::even(9, site), after(9));
            let halves = run.run.halves();
            assert_eq!(error(halves) < 0.25, recovers, "{combine:?}: {:?}", halves.state().theta);
            let chosen = halves.columns().iter().position(|name| name == "byzantine_chosen").unwrap();
            assert_eq!(halves.values(true).unwrap()[chosen], recovers.then_some(0.0), "{combine:?}");
            // A false mean alone leaves a density.
            let dropped = halves.caveats().iter().any(|caveat| matches!(caveat, Caveat::FitsWithoutDensity { .. }));
            assert!(!dropped, "{combine:?}: {:?}", halves.caveats());
        }
    }
}

/// A client with two examples fits a variance of 0: the run ends, or its EM rests before that and the others decide.
#[test]
fn em_of_a_client_can_rest_before_the_border() {
    let sizes = [2, 200, 200, 200, 200, 200, 200, 200, 200];
    let of = |domain| Halves::new(nine_of(sizes, OneRoundSetting { domain, ..OneRoundSetting::default() }), true);
    let mut halves = of(Domain::Error);
    let (streams, cohort) = (Streams::new(1, 0), (0..9).collect::<Vec<u32>>());
    let failed = halves.open_round(&streams, 1, &cohort).map(|_| ()).unwrap_err().to_string();
    assert!(failed.contains("client 0") && failed.contains("another `domain`"), "{failed}");
    let mut halves = of(Domain::SkipRound);
    let arrived = contributions(&mut halves, &[]);
    halves.step(&streams, 1, &arrived).unwrap();
    assert!(error(&halves) < 0.25, "{:?}", halves.state().theta);
    let [Caveat::Domain { events, .. }] = &halves.caveats()[..] else { panic!("{:?}", halves.caveats()) };
    assert_eq!(events, "1 fit is the last one before it");
}

/// The fits of all alone: every way of combining them is near the truth; the server's draws are its own work.
#[test]
fn fits_alike_are_combined_alike() {
    let all = [Merging::default(), Merging::Mean, Merging::Resampling { examples: 4_000 }];
    for combine in all {
        let mut halves = nine(combine);
        let arrived = contributions(&mut halves, &[]);
        let step = halves.step(&Streams::new(1, 0), 1, &arrived).unwrap();
        assert!(step.used && error(&halves) < 0.25, "{combine:?}: {:?}", halves.state().theta);
        assert_eq!(halves.expectations() > 0, combine == all[2], "{combine:?}: {}", halves.expectations());
        assert_eq!(halves.caveats(), [], "{combine:?}");
    }
}

/// What has no density when it is decoded is left out, with a caveat; where nothing is left the run fails and says why.
#[test]
fn what_is_no_density_is_left_out() {
    let broken = [(0, [0.4, 0.6, -3.0, 3.0, -1.0, 0.25]), (4, [-0.4, 1.4, -3.0, 3.0, 1.0, 0.25])];
    let mut halves = nine(Merging::default());
    let arrived = contributions(&mut halves, &broken);
    halves.step(&Streams::new(1, 0), 1, &arrived).unwrap();
    assert!(error(&halves) < 0.25, "{:?}", halves.state().theta);
    assert_eq!(halves.caveats(), [Caveat::FitsWithoutDensity { fits: "2 fits".to_owned() }]);
    let mut halves = nine(Merging::default());
    let all: Vec<(u32, [f64; 6])> = (0..9).map(|i| (i, broken[0].1)).collect();
    let arrived = contributions(&mut halves, &all);
    let failed = halves.step(&Streams::new(1, 0), 1, &arrived).unwrap_err();
    assert!(matches!(&failed, ProtocolError::Unfit(why) if why.contains("9 fits arrived")), "{failed}");
}
