use fedbits_models::Covariances;
use fedbits_models::data::synthetic::DrawnMixture;
use fedbits_random::Streams;

/// The stand-in mixture of the FedEM experiments: π = (.3, .7), μ = ∓(1, 1), Σ = [[1, .2], [.2, 1]].
fn stand_in() -> DrawnMixture {
    DrawnMixture {
        examples: 5,
        weights: vec![0.3, 0.7],
        means: vec![vec![-1.0, -1.0], vec![1.0, 1.0]],
        covariance: Covariances::Common(vec![vec![1.0, 0.2], vec![0.2, 1.0]]),
        pool: None,
    }
}

#[test]
fn more_examples_do_not_change_the_first() {
    let streams = Streams::new(7, 0);
    let (short, long) = (stand_in().generate(10, &streams).unwrap(), stand_in().generate(1000, &streams).unwrap());
    assert_eq!(long.select(&(0..10).collect::<Vec<_>>()).unwrap(), short);
    assert_ne!(stand_in().generate(10, &Streams::new(7, 1)).unwrap(), short);
}

/// These are part of every result: a change is a change of engine version.
#[test]
fn examples_keep_their_values() {
    let data = stand_in().generate(100, &Streams::new(42, 0)).unwrap();
    assert_eq!(data.rows()[..2], [2.174838024454715, 0.5395297106848256]);
    assert_eq!(data.labels().unwrap()[..8], [1, 0, 1, 1, 1, 0, 1, 0]);
    let digest: String = data.digest()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, "cca797531073c525");
}

/// Mean and covariance within a component are μ_g and Σ_g; errors of order 1/√N_g, five of which are allowed.
#[test]
fn moments_are_those_of_the_mixture() {
    let mut mixture = stand_in();
    let sigmas = [[1.0, 0.2, 0.2, 1.0], [4.0, -1.5, -1.5, 2.0]];
    mixture.covariance =
        Covariances::PerComponent(sigmas.iter().map(|sigma| sigma.chunks(2).map(<[f64]>::to_vec).collect()).collect());
    let data = mixture.generate(40_000, &Streams::new(1, 0)).unwrap();
    for (g, sigma) in sigmas.iter().enumerate() {
        let labels = data.labels().unwrap().iter();
        let members: Vec<&[f64]> =
            data.rows().chunks(2).zip(labels).filter(|(_, label)| **label == g as u32).map(|(row, _)| row).collect();
        let n = members.len() as f64;
        assert!((n / 40_000.0 - mixture.weights[g]).abs() < 7.0 * 0.5 / 200.0, "share {n}");
        let tolerance = 7.0 * 2.0 * sigma[0] / n.sqrt();
        for i in 0..2 {
            let mean = members.iter().map(|row| row[i]).sum::<f64>() / n;
            assert!((mean - mixture.means[g][i]).abs() < tolerance);
            for j in 0..2 {
                let product = |row: &&[f64]| (row[i] - mixture.means[g][i]) * (row[j] - mixture.means[g][j]);
                let covariance = members.iter().map(product).sum::<f64>() / n;
                assert!((covariance - sigma[2 * i + j]).abs() < tolerance, "Σ_{g}({i},{j}) = {covariance}");
            }
        }
    }
}

#[test]
fn laws_that_are_none_are_explained() {
    let drawn = |above: f64, below: f64| {
        let covariance = Covariances::Common(vec![vec![1.0, above], vec![below, 1.0]]);
        DrawnMixture { covariance, ..stand_in() }.generate(5, &Streams::new(1, 0))
    };
    // The entries below the diagonal count.
    assert_eq!(drawn(0.2 + 1e-12, 0.2), drawn(0.2, 0.2));
    let expected = "covariance 0 is not positive definite (pivot 1 is -3)";
    assert_eq!(drawn(2.0, 2.0).unwrap_err().to_string(), expected);
    assert!(stand_in().generate(0, &Streams::new(1, 0)).is_err());
}
