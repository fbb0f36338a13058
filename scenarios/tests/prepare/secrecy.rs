//! What would tell of clients what no noise and no mask hides.

use fedbits_scenarios::library;
use fedbits_scenarios::{Set, Source, load};

use super::prepared;

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
