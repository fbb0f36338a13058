//! The list of models.

use fedbits_spec::kind;

use crate::bifactor::BiFactorSetting;
use crate::dictionary::DictionarySetting;
use crate::gmm::MixtureSetting;
use crate::low_rank::LowRankSetting;
use crate::mixed::MixedSetting;
use crate::regression::RegressionSetting;
use crate::regressions::RegressionMixtureSetting;
use crate::setting::ModelSetting;
use crate::topics::TopicsSetting;

kind! {
    /// The model, in terms of its sufficient statistics.
    dyn ModelSetting as "Model", default None;
    MixtureSetting, MixedSetting, LowRankSetting, BiFactorSetting, TopicsSetting, RegressionSetting, DictionarySetting,
    RegressionMixtureSetting,
}
