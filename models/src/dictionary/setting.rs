//! Dictionary learning as scenarios name it.

use fedbits_numerics::{norm, vech_length};
use fedbits_spec::Described;
use fedbits_spec::range::{POSITIVE, whole};
use serde::{Deserialize, Serialize};

use super::model::{Codes, Dictionary};
use crate::data::{DataKind, DataSet, Shape};
use crate::fit::{ExactAbilities, ExactSetting, Fit, FitError, Given};
use crate::fitted::{Array, Features, Predictor};
use crate::initial::Start;
use crate::setting::{ModelFacts, ModelSetting};
use crate::{ExactModel, Model};

/// Dictionary learning with K atoms, min ½‖z − θh‖² + λ‖h‖₁ + η/2 ‖θ‖² (FedMM, Dieuleveut et al. 2025; Mairal et al.
/// 2010). The fit starts at normalized examples.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Dictionary")]
pub struct DictionarySetting {
    /// K.
    #[range(whole(1, 1_000))]
    pub atoms: usize,
    /// λ, in units of the data times units of an atom.
    #[range(POSITIVE)]
    pub lambda: f64,
    /// η; keeps T defined if an atom is unused.
    #[range(POSITIVE)]
    pub eta: f64,
}

impl ModelSetting for DictionarySetting {
    fn facts(&self) -> ModelFacts {
        ModelFacts::new(DataKind::Examples, &["RandomExamples", "KMeansPlusPlus"])
    }

    fn statistic(&self, shape: &Shape) -> Option<usize> {
        Some(vech_length(self.atoms) + self.atoms.checked_mul(shape.features?)?)
    }

    fn parameters(&self, shape: &Shape) -> Option<usize> {
        self.atoms.checked_mul(shape.features?)
    }

    fn size_field(&self, _: &dyn crate::data::DataSource) -> &'static str {
        "model.atoms"
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    /// `atoms`, K × p, of the prepared columns.
    fn arrays(&self, theta: &[f64], _: &Features) -> Result<Vec<Array>, FitError> {
        Ok(vec![Array::numbers("atoms", &[self.atoms, theta.len() / self.atoms], theta.to_vec())])
    }

    fn predictor(&self, theta: &[f64], features: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        let length = features.prepared();
        FitError::theta(theta.len(), self.atoms * length)?;
        Ok(Some(Box::new(Codes::new(theta, length, self.lambda).map_err(FitError::model)?)))
    }

    fn examples() -> Vec<Self> {
        vec![Self { atoms: 2, lambda: 0.1, eta: 0.01 }, Self { atoms: 3, lambda: 0.5, eta: 0.1 }]
    }
}

impl ExactSetting for DictionarySetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let (atoms, columns) = (self.atoms, data.columns().to_vec());
        let model = Dictionary { atoms, columns, lambda: self.lambda, eta: self.eta };
        let theta = match given.initial.parameters(model.parameter_dimension()).map_err(FitError::start)? {
            Some(theta) => theta,
            None => match given.initial.start(self.atoms, data.examples(), given.streams).map_err(FitError::start)? {
                Some(Start::Means(atoms)) => of_length_1(atoms, data.dimension()),
                _ => return Err(FitError::model("this start is not for this model")),
            },
        };
        model.conditional(&theta).map_err(FitError::start)?;
        Ok(Fit::new(Box::new(model) as Box<dyn ExactModel>, theta))
    }

    fn abilities(&self) -> ExactAbilities {
        ExactAbilities { averages_parameters: true, averages_expectations: false, ..ExactAbilities::default() }
    }
}

/// Atoms of length 1; one of zeros stays.
fn of_length_1(mut atoms: Vec<f64>, length: usize) -> Vec<f64> {
    for atom in atoms.chunks_exact_mut(length) {
        let size = norm(atom);
        if size > 0.0 {
            atom.iter_mut().for_each(|entry| *entry /= size);
        }
    }
    atoms
}
