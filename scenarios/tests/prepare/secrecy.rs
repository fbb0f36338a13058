//! What would tell of clients what no noise and no mask hides.

use fedbits_scenarios::library;
use fedbits_scenarios::{Set, Source, load};

use super::{prepared, refused};

fn problems(sets: &[&str]) -> String {
    let text = library::find("network/privacy").expect("it is in the library").text;
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    load(Source::new("privacy.ron", text), &sets).map_or_else(|problems| problems.to_string(), |_| String::new())
}

#[test]
fn starts_and_preparations_that_look_at_the_examples_are_refused() {
    assert_eq!(problems(&[]), "");
    let start = problems(&["initial=KMeans()"]);
    assert!(start.contains("this start looks at all examples"), "{start}");
    let covariance = problems(&["model.covariance=Full"]);
    assert!(covariance.contains("has the covariance of all examples"), "{covariance}");
    for given in ["model.covariance=Full", "model.covariance=Diagonal"] {
        assert_eq!(problems(&[given, "initial.covariance=Common([[1.0, 0.0], [0.0, 1.0]])"]), "", "{given}");
    }
    let filled = problems(&[r#"data=Csv(path: "x.csv", columns: Columns(["a", "b"]), missing: Impute(Mean))"#]);
    assert!(filled.contains("it uses numbers of all examples"), "{filled}");
    for step in ["Standardize", "Center"] {
        let found = problems(&[&format!("preprocess=[{step}]")]);
        assert!(found.contains("which no noise hides"), "{step}: {found}");
    }
    let moments = problems(&["preprocess=[StandardizeFederated]"]);
    assert!(moments.contains("sends its moments in the open"), "{moments}");
    assert_eq!(problems(&["preprocess=[StandardizePerClient]"]), "");
}

/// The mean over those who arrived shows their number; a sum of one is what it was to hide.
#[test]
fn what_shows_who_took_part_is_refused() {
    let arrived = problems(&["protocol.divide_by=Arrived"]);
    assert!(arrived.contains("shows how many took part"), "{arrived}");
    let alone = problems(&["clients=1"]);
    assert!(alone.contains("a sum of one contribution"), "{alone}");
}

/// 100 clients share noise of 0.01, 0.001 each: multiples of 1/64 leave nothing of it. Half a step in each of q = 3 + 3 · 2
/// entries is 1.5 · 2^-f in norm, at most 1e-5 from f = 18 on. Before q is known it is 0.5 · 2^-f, which 16 bits allow.
#[test]
fn noise_that_rounding_takes_away_is_refused() {
    let private = |bits: u32, noise: &str, clients: u32| {
        let secure = format!("aggregation=SecureAggregation(fraction_bits: {bits})");
        let (noise, clients) = (format!("privacy={noise}"), format!("clients={clients}"));
        problems(&["arms=[]", "figures=[]", &secure, &noise, &clients, "protocol.participation=All"])
    };
    let small = "Gaussian(clip: 0.01, noise: 1)";
    let lost = private(6, small, 100);
    assert!(lost.contains("share of the noise") && lost.contains("at least 18"), "{lost}");
    assert!(private(17, small, 100).contains("at least 18"));
    assert_eq!(private(18, small, 100), "");
    assert_eq!(private(17, small, 25), "");
    assert_eq!(private(6, "Gaussian(clip: 10, noise: 1)", 2), "");
    assert!(private(16, "Gaussian(clip: 1e-20, noise: 1)", 100).contains("a larger `clip` or `noise`"));
    // Of a file it is known when it was read.
    let folder = tempfile::tempdir().unwrap();
    super::write_two_columns(folder.path(), 200);
    let sets = [
        "data=Csv(path: \"two.csv\", header: false)",
        "partition=Iid",
        "clients=100",
        "model=GaussianMixture(components: 2, covariance: Full)",
        "initial=Theta(weights: [0.5, 0.5], means: [[-1, 0], [1, 0]], covariance: Some(Common([[1, 0], [0, 1]])))",
        "protocol=FedEm(gamma: 0.1, memory: NoMemory, weighting: Clients)",
        "aggregation=SecureAggregation(fraction_bits: 16)",
        "privacy=Gaussian(clip: 0.01, noise: 1)",
    ];
    let message = refused(&sets, Some(folder.path()));
    assert!(message.contains("share of the noise"), "{message}");
}

/// No example enters where a private run starts: data that differ give the same Ŝ₀.
#[test]
fn a_private_run_starts_without_the_data() {
    let sets = [
        "initial=Theta(weights: [0.4, 0.6], means: [[-1, 0], [1, 0]])",
        "protocol=FedEm(gamma: 0.1, memory: NoMemory, weighting: Clients)",
        "privacy=Gaussian(clip: 1, noise: 4)",
    ];
    let start = |seed: &str, private: bool| {
        let kept = if private { &sets[..] } else { &sets[..2] };
        let experiment = prepared(&[kept, &[seed]].concat(), None).unwrap().experiment;
        experiment.protocol.subject().state().s_hat.to_vec()
    };
    assert_eq!(start("seed=1", true), start("seed=2", true));
    assert_eq!(start("seed=1", true)[..2], [0.4, 0.6]);
    assert_ne!(start("seed=1", false), start("seed=2", false));
}
