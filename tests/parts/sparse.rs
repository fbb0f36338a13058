//! A model that takes sparse examples: it gets them without their zeros where nothing else needs these, with the
//! numbers of the label column, and comes to the same fit, bit by bit.

use std::path::Path;
use std::sync::Mutex;

use fedbits::models::data::{DataKind, DataSet, Shape, Values};
use fedbits::models::fit::{ExactSetting, Fit, FitError, Given};
use fedbits::models::fitted::{Features, Predictor};
use fedbits::models::{
    Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, ModelFacts, ModelSetting, Repairs, Response,
    Scratch, laws,
};
use fedbits::random::Streams;
use fedbits::spec::Described;
use fedbits::{Record, RunOptions, Scenario};
use serde::{Deserialize, Serialize};

/// Least squares by gradient steps: s̄_j(x) = x − ρ (a_jᵀ x − b_j) a_j, T(s) = s.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct LeastSquares {
    /// Does it take sparse examples?
    #[described(by_rules)]
    sparse: bool,
}

const RHO: f64 = 0.05;

/// Whether examples were sparse, and their responses in the order of their numbers, as each fit got them.
static GOT: Mutex<Vec<(bool, Vec<f64>)>> = Mutex::new(Vec::new());

impl ModelSetting for LeastSquares {
    fn facts(&self) -> ModelFacts {
        ModelFacts {
            response: Some(Values::Real),
            takes_sparse: self.sparse,
            ..ModelFacts::new(DataKind::Examples, &["Zero", "RandomExamples"])
        }
    }

    fn statistic(&self, shape: &Shape) -> Option<usize> {
        shape.features
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn example_start(&self) -> fedbits::models::initial::InitialSetting {
        fedbits::models::initial::InitialSetting::Zero
    }

    fn predictor(&self, theta: &[f64], _: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        Ok(Some(Box::new(At(theta.to_vec()))))
    }

    fn examples() -> Vec<Self> {
        [true, false].map(|sparse| Self { sparse }).to_vec()
    }
}

impl ExactSetting for LeastSquares {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let Response::Numbers(numbers) = data.response() else { return Err(FitError::model("expected numbers")) };
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        GOT.lock().unwrap().push((data.is_sparse(), sorted));
        let d = data.dimension();
        let theta = given.start(d, |_| Some(vec![0.0; d]))?;
        Ok(Fit::new(Box::new(At(theta.clone())) as Box<dyn ExactModel>, theta))
    }
}

/// At x.
struct At(Vec<f64>);

impl Model for At {
    fn statistic_dimension(&self) -> usize {
        self.0.len()
    }

    fn parameter_dimension(&self) -> usize {
        self.0.len()
    }

    fn parameter_names(&self) -> Vec<String> {
        (0..self.0.len()).map(|column| format!("x{column}")).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.parameter_names()
    }

    fn maximize(&self, s: &[f64], _: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        *theta = s.to_vec();
        Ok(Repairs::default())
    }
}

impl ExactModel for At {
    fn example_dimension(&self) -> usize {
        self.0.len()
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        DomainError::check_finite(theta)?;
        Ok(Box::new(Self(theta.to_vec())))
    }
}

impl EStep for At {
    fn mean(&self, examples: Examples<'_>, batch: Batch<'_>, _: &mut Scratch, out: &mut [f64], _: bool) -> f64 {
        out.fill(0.0);
        let count = batch.indices(examples.len()).len() as f64;
        if count > 0.0 {
            let residual = |j, product: f64| product - examples.response().at(j).unwrap();
            examples.add_products(batch, &self.0, residual, out);
            out.iter_mut().zip(&self.0).for_each(|(s, x)| *s = x - RHO * *s / count);
        }
        let square = |j| examples.stored_row(j).dot(&self.0) - examples.response().at(j).unwrap();
        batch.indices(examples.len()).map(|j| 0.5 * square(j) * square(j)).sum::<f64>() / count.max(1.0)
    }
}

impl Predictor for At {
    fn columns(&self) -> Vec<String> {
        vec!["predicted".to_owned()]
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        assert!(!data.is_sparse(), "predictors get all numbers");
        Ok((0..data.len()).map(|j| data.examples().stored_row(j).dot(&self.0)).collect())
    }
}

/// 60 lines with 3 of 40 features each; the label is a number of the first of them.
fn file(folder: &Path, label: impl Fn(f64) -> f64) -> Vec<f64> {
    let stream = &mut Streams::new(3, 0).at(fedbits::random::DrawPurpose::Data, 0, 0);
    let (mut text, mut labels) = (String::new(), Vec::new());
    for j in 0..60_usize {
        let [first, second, third] = [1 + j % 13, 14 + j % 11, 25 + j % 16];
        let number = label(stream.normal());
        text += &format!("{number} {first}:{} {second}:{} {third}:{}\n", number / 2.0, stream.normal(), j % 3);
        labels.push(number);
    }
    std::fs::write(folder.join("few.svm"), text).unwrap();
    labels.sort_by(f64::total_cmp);
    labels
}

/// A run, and whether its model got sparse examples.
fn fitted(folder: &Path, sparse: bool, more: &str) -> (Record, (bool, Vec<f64>)) {
    let text = format!(
        r#"(name: "few", data: LibSvm(path: "few.svm"), clients: 4, model: LeastSquares(sparse: {sparse}),
        protocol: FedEm(gamma: Constant(1), memory: NoMemory), stop: (rounds: 20), {more})"#
    );
    std::fs::write(folder.join("few.ron"), text).unwrap();
    let study = Scenario::load(folder.join("few.ron").to_str().unwrap()).unwrap().runs().unwrap();
    let runs = tempfile::tempdir_in(folder).unwrap().keep();
    GOT.lock().unwrap().clear();
    let record = study.run(&runs, &RunOptions::default()).unwrap().run(0, 0).unwrap().unwrap();
    let got = GOT.lock().unwrap().pop().unwrap();
    if more.starts_with("initial: Zero") {
        let model = fedbits::model(&runs, None).unwrap();
        let said = fedbits::predict(&model, &folder.join("few.svm"), None).unwrap().csv;
        assert_eq!(String::from_utf8(said).unwrap().lines().count(), 61);
    }
    (record, got)
}

#[test]
fn sparse_examples_reach_the_models_that_take_them() {
    laws::model::<LeastSquares>();
    let _app = fedbits::App::new().model::<LeastSquares>();
    let folder = tempfile::tempdir().unwrap();
    for more in ["", "holdout: 0.2, ", "partition: SortedByLabel, "] {
        let labels = file(folder.path(), |x| x);
        let more = format!("initial: Zero, {more}");
        let (one, (is_sparse, mut of_clients)) = fitted(folder.path(), true, &more);
        let (other, (is_other_sparse, _)) = fitted(folder.path(), false, &more);
        assert!(is_sparse && !is_other_sparse, "{more}");
        assert_eq!(one.rounds, other.rounds, "{more}");
        assert!(one.rounds.last().unwrap().objective < one.rounds[0].objective);
        // Numbers, and no classes.
        of_clients.retain(|label| !labels.contains(label));
        assert!(of_clients.is_empty(), "{more}: {of_clients:?} are no labels");
    }
    for more in
        ["initial: Zero, preprocess: [Center]", "initial: Zero, record: (marginals: 4)", "initial: RandomExamples"]
    {
        assert!(!fitted(folder.path(), true, more).1.0, "{more}: what needs all numbers gets them");
    }
    // Integers are numbers, too, for a model that predicts numbers.
    let labels = file(folder.path(), |x| (3.0 * x).round());
    assert_eq!(fitted(folder.path(), true, "initial: Zero").1.1, labels);
}
