//! The laws of models over all that are registered.

use fedbits_models::{ModelSetting, laws};
use fedbits_spec::Kind;

#[test]
fn every_registered_model_obeys_the_laws() {
    for entry in <dyn ModelSetting>::registry().entries() {
        (entry.examples)().iter().for_each(|setting| laws::setting(setting.as_ref()));
    }
}
