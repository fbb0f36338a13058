//! A model that says something of single examples: what it says is as much as its columns, of examples that it can be
//! fitted to.

use std::path::Path;

use fedbits::models::data::{DataSet, Shape};
use fedbits::models::fit::{ExactSetting, FitError};
use fedbits::models::fitted::{Array, Features, Predictor};
use fedbits::models::{DomainError, ModelFacts, ModelSetting};
use fedbits::spec::Described;
use fedbits::{Prediction, RunOptions, Scenario};
use serde::{Deserialize, Serialize};

use super::model::PoissonMixture;

/// A mixture of two Poisson laws that says something of examples, or too little.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Telling {
    /// The mixture.
    #[described(by_rules)]
    mixture: PoissonMixture,
    /// How many of its two columns it has numbers for.
    #[described(by_rules)]
    numbers: usize,
    /// Does it give two arrays one name?
    #[described(by_rules)]
    twice: bool,
}

impl ModelSetting for Telling {
    of_field! { mixture:
        fn facts(&self) -> ModelFacts;
        fn statistic(&self, shape: &Shape) -> Option<usize>;
    }

    fn arrays(&self, theta: &[f64], _: &Features) -> Result<Vec<Array>, FitError> {
        let all = || Array::numbers("all", &[theta.len()], theta.to_vec());
        Ok(vec![all(); 1 + usize::from(self.twice)])
    }

    fn predictor(&self, _: &[f64], _: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        Ok(Some(Box::new(*self)))
    }

    of_field! { mixture:
        fn exact(&self) -> Option<&dyn ExactSetting>;
    }

    fn examples() -> Vec<Self> {
        PoissonMixture::examples().into_iter().map(|mixture| Self { mixture, numbers: 2, twice: false }).collect()
    }
}

impl Predictor for Telling {
    fn columns(&self) -> Vec<String> {
        vec!["a".to_owned(), "b".to_owned()]
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        Ok(data.rows().iter().flat_map(|y| vec![*y; self.numbers]).collect())
    }
}

/// What a model that was fitted to counts says of these lines.
fn said(folder: &Path, (numbers, twice): (usize, bool), counts: &str) -> Result<Prediction, String> {
    let text = format!(
        r#"(name: "counts", data: Csv(path: "counts.csv", header: true), clients: 2,
        model: Telling(mixture: PoissonMixture(components: 2), numbers: {numbers}, twice: {twice}),
        initial: RandomExamples, protocol: FedEm(gamma: Constant(1), memory: NoMemory), stop: (rounds: 3))"#
    );
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("counts.csv", "count\n0\n1\n1\n2\n3\n9\n11\n12\n12\n15\n");
    write("counts.ron", &text);
    write("others.csv", &format!("count\n{counts}"));
    let study = Scenario::load(folder.join("counts.ron").to_str().unwrap()).unwrap().runs().unwrap();
    let runs = folder.join(format!("runs{numbers}{twice}"));
    let record = study.run(&runs, &RunOptions::default()).unwrap().run(0, 0).unwrap().unwrap();
    if let Some(why) = record.no_model {
        return Err(why);
    }
    let model = fedbits::model(&runs, None).map_err(|error| error.to_string())?;
    fedbits::predict(&model, &folder.join("others.csv"), None).map_err(|error| error.to_string())
}

#[test]
fn predictions_have_a_number_per_column_and_possible_examples() {
    let _app = fedbits::App::new().model::<PoissonMixture>().model::<Telling>();
    let folder = tempfile::tempdir().unwrap();
    let twice = said(folder.path(), (2, true), "0\n").unwrap_err();
    assert!(twice.contains("the model has two arrays `all`"), "{twice}");
    let said = |numbers, counts| said(folder.path(), (numbers, false), counts);
    let table = said(2, "0\n\n7\n").unwrap().csv;
    assert_eq!(String::from_utf8(table).unwrap(), "count,a,b\n0,0,0\n7,7,7\n");
    for numbers in [1, 3] {
        let why = said(numbers, "0\n3\n5\n").unwrap_err();
        assert!(
            why.contains(&format!("the model says {} numbers of 3 rows: expected 2 of each", 3 * numbers)),
            "{why}"
        );
    }
    for (counts, found) in [("4\n-1\n", "-1"), ("4\n2.5\n", "2.5")] {
        let why = said(2, counts).unwrap_err();
        let expected = format!("others.csv:3: column `count`: expected a count 0, 1, 2, …, found `{found}`");
        assert!(why.contains(&expected), "{why}");
    }
}
