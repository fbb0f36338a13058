//! The laws of sharing, over every registered model.

use fedbits_kernel::network::{SharingSetting, laws};
use fedbits_spec::Kind;

#[test]
fn every_registered_model_obeys_the_laws() {
    for entry in <dyn SharingSetting>::registry().entries() {
        let examples = (entry.examples)();
        assert!(!examples.is_empty(), "{} has no examples", entry.name);
        examples.iter().for_each(|setting| laws::model(&**setting));
    }
}
