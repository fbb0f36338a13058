//! Compressors, which the codec describes.

use fedbits_codec::CompressorSetting;
use fedbits_spec::Choice;

/// The operator on a vector that is sent.
pub type Compressor = Choice<dyn CompressorSetting>;
