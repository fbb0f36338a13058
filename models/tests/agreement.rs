//! Agreement of clusterings with labels against scikit-learn, distances of components against quadrature by scipy.

use crate::golden::{golden, numbers};
use fedbits_models::clusters::{Clusters, Contingency};
use fedbits_models::gmm::{Covariance, GaussianMixture};
use serde_json::Value;

fn codes(case: &Value, name: &str) -> Vec<u32> {
    case[name].as_array().unwrap().iter().map(|code| code.as_u64().unwrap() as u32).collect()
}

#[test]
fn measures_are_those_of_scikit_learn() {
    let golden = golden("agreement.json");
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 12);
    for (number, case) in cases.iter().enumerate() {
        let components = case["components"].as_u64().unwrap() as usize;
        let table = Contingency::new(&codes(case, "found"), &codes(case, "labels"), components);
        let found = [
            ("accuracy", table.accuracy()),
            ("adjusted_rand_index", table.adjusted_rand_index()),
            ("normalized_mutual_information", table.normalized_mutual_information()),
            ("purity", table.purity()),
        ];
        for (name, value) in found {
            let expected = case[name].as_f64().unwrap();
            assert!((value - expected).abs() <= 1e-12, "{name} of case {number} is {value}, {expected} expected");
        }
    }
}

/// A component without examples, or with none of the class that was left over for it, stands for no class.
#[test]
fn what_is_left_over_is_no_class() {
    let of = |found: &[u32], labels: &[u32]| Contingency::new(found, labels, 2).matched_labels();
    assert_eq!(of(&[0, 0, 0], &[4, 4, 7]), [Some(4), None]);
    assert_eq!(of(&[0, 0, 0, 1], &[4, 4, 7, 4]), [Some(4), None]);
    assert_eq!(of(&[0, 0, 1], &[4, 4, 7]), [Some(4), Some(7)]);
}

/// A class per example, as where the label is a number that identifies it: 80 GB, if classes were matched with classes.
#[test]
fn there_may_be_many_classes() {
    let labels: Vec<u32> = (0..100_000).collect();
    let found: Vec<u32> = labels.iter().map(|label| label % 3).collect();
    let table = Contingency::new(&found, &labels, 3);
    assert_eq!(table.accuracy(), 3.0 / 100_000.0);
    assert_eq!(table.matched_labels(), [Some(0), Some(1), Some(2)]);
}

#[test]
fn components_are_counted_one_by_one() {
    let table = Contingency::new(&[0, 0, 0, 2, 2], &[5, 5, 9, 9, 9], 3);
    assert_eq!([0, 1, 2].map(|component| table.size(component)), [3, 0, 2]);
    assert_eq!([0, 1, 2].map(|component| table.component_purity(component)), [Some(2.0 / 3.0), None, Some(1.0)]);
    assert_eq!(table.matching()[0], Some(0));
    assert_eq!(table.matching()[2], Some(1));
    assert_eq!(table.accuracy(), 0.8);
}

#[test]
fn distances_are_those_of_quadrature() {
    let golden = golden("agreement.json");
    for form in ["full", "diagonal", "known"] {
        let case = &golden["distances"][form];
        let (means, covariances) = (numbers(&case["means"]), numbers(&case["covariances"]));
        let (first, second) = covariances.split_at(4);
        let (covariance, part) = match form {
            "full" => (Covariance::Full, [first, second].map(|s| [s[0], s[2], s[3]]).concat()),
            "diagonal" => (Covariance::Diagonal, [first, second].map(|s| [s[0], s[3]]).concat()),
            _ => (Covariance::Known(first.to_vec()), Vec::new()),
        };
        let model = GaussianMixture::new(2, 2, covariance).unwrap();
        let theta = model.theta_from_parts(&[0.4, 0.6], &means, &part).unwrap();
        let (found, expected) = (model.distance(&theta, 0, 1).unwrap(), case["distance"].as_f64().unwrap());
        assert!((found - expected).abs() <= 1e-9, "{form}: {found}, {expected} expected");
        assert!(model.distance(&theta, 1, 1).unwrap().abs() <= 1e-15);
    }
}
