//! The laws of protocols, over all that are registered.

use fedbits_protocols::laws;
use fedbits_protocols::setting::ProtocolSetting;
use fedbits_spec::Kind;

#[test]
fn every_protocol_obeys_the_laws() {
    for entry in <dyn ProtocolSetting>::registry().entries() {
        let examples = (entry.examples)();
        assert!(!examples.is_empty(), "{} has no examples", entry.name);
        examples.iter().for_each(|setting| laws::laws(setting.as_ref()));
    }
}
